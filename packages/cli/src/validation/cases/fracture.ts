/** A bar that is pulled apart: the stress at which it breaks, and the work that it takes. A strip with a long crack. */
import type { Region, Scene, Vec3 } from 'phyxel';
import { type Resolution, study, type ValidationCase } from '../case.js';
import { runSeries, slab, validationScene, withBodies } from '../measure.js';

const LENGTH = 0.72; // m
const WIDTH = 0.18; // m
const STRENGTH = 3000; // Pa, of the weak section
const ENERGY = 5; // J/m2
const TRAVEL = 0.008; // m

/** The scene with `across` particles across the bar; the weak section is one layer on either side of the middle. */
function barScene(across: number): Scene {
  const spacing = WIDTH / across;
  const scene = withBodies(validationScene('broken-bar'), ({ regions }) => ({
    spacing,
    regions: regions.map((region) => ({ ...region, region: slab(0, -0.6 * spacing, 0.6 * spacing) })),
  }));
  const end = LENGTH / 2 - 1.01 * spacing;
  const ends: Region[] = [slab(0, -10, -end), slab(0, end, 10)];
  const gauge = slab(0, -LENGTH / 4 - spacing, -LENGTH / 4 + spacing);
  return {
    ...scene,
    constraints: scene.constraints.map((constraint, k) => ({ ...constraint, region: ends[k]! })),
    probes: scene.probes.map((probe) => ({ ...probe, region: gauge })),
  };
}

/** Stress along the bar, a quarter of its length from the middle, frame by frame; there it is that of plain tension. */
async function stresses(across: number): Promise<number[]> {
  const { probes } = await runSeries(barScene(across));
  return probes.stress!.map(([stress]) => stress!);
}

function broken(
  name: string,
  quantity: string,
  reference: number,
  tolerance: number,
  read: (stresses: readonly number[]) => number,
): ValidationCase {
  const resolutions: Resolution[] = [{ across: 3 }, { across: 4, tolerance }, { across: 6, tolerance }];
  return {
    name,
    quantity,
    source: 'exact: the material of the weak section; crack band of Bazant and Oh 1983',
    run: (full) => study({ reference, resolutions, measure: async (across) => read(await stresses(across)) }, full),
  };
}

const YOUNG = 1e6; // Pa, of the strip
const HEIGHT = 0.6; // m, between its clamps

/** Stress far before a crack that has begun to run: the energy that a slice has there is what the crack takes. */
async function strengthOfStrip(across: number): Promise<number> {
  const spacing = HEIGHT / across;
  const size: Vec3 = [1.8, HEIGHT + 2 * spacing, 2 * spacing];
  const scene = withBodies(validationScene('crack-strip'), () => ({ spacing, shape: { box: { size } } }));
  const { probes } = await runSeries(scene);
  const passed = probes.damage!.findIndex(([damage]) => damage! > 0);
  return probes.stress![passed]![0]!;
}

const crackStrip: ValidationCase = {
  name: 'crack-strip',
  quantity: 'stress before a crack that runs through a clamped strip, when it has run a quarter of its height [Pa]',
  source: 'exact: Griffith 1921 for the strip of Rice 1967, stress^2 height / (2 E) = fracture energy, nu = 0',
  run: (full) =>
    study(
      {
        reference: Math.sqrt((2 * YOUNG * ENERGY) / HEIGHT),
        resolutions: [
          { across: 20, tolerance: 0.1 },
          { across: 30, tolerance: 0.1, full: true },
        ],
        measure: strengthOfStrip,
      },
      full,
    ),
};

export const fractureCases: readonly ValidationCase[] = [
  broken('broken-bar-strength', 'largest stress in a bar with a weak section [Pa]', STRENGTH, 0.03, (list) =>
    Math.max(...list),
  ),
  broken('broken-bar-energy', 'work that parts a bar, by area of its section [J/m2]', ENERGY, 0.1, (list) =>
    list.slice(1).reduce((work, stress, k) => work + ((stress + list[k]!) / 2) * (TRAVEL / (list.length - 1)), 0),
  ),
  crackStrip,
];
