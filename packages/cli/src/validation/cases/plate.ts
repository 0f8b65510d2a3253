/** The plate with a hole: the stress at the hole's edge. */
import type { Region, Scene } from 'phyxel';
import { type Resolution, study, type ValidationCase } from '../case.js';
import {
  type Discretisation,
  runSeries,
  slab,
  validationScene,
  withBodies,
  withDiscretisation,
  withSpacing,
} from '../measure.js';
import { type Plate, plateMesh } from '../plate-mesh.js';
import { kirsch } from '../theory.js';

export const PLATE: Plate = { length: 1.4, width: 1, thickness: 0.06, holeRadius: 0.1 };
const POISSONS_RATIO = 0.3;
const TENSION = 100; // Pa, far from the hole
const LAYERS = 3;

/** The scene with `across` particles along the hole's radius. */
function plateScene(across: number): Scene {
  const spacing = PLATE.holeRadius / across;
  const thickness = LAYERS * spacing;
  const scene = withBodies(withSpacing(validationScene('plate'), spacing), () => ({
    shape: { mesh: { data: plateMesh({ ...PLATE, thickness }) } },
  }));
  const half = PLATE.length / 2;
  const left = slab(0, -half, -half + spacing);
  const right = slab(0, half - spacing, half);
  const spot: Region = { box: { min: [-half, -spacing, -1], max: [-half + spacing, spacing, 1] } };
  /** Particles beside the y axis, in the first layer outside the hole or the second. */
  const layer = (k: number): Region => {
    const y = PLATE.holeRadius + k * spacing;
    return { box: { min: [-spacing, y, -1], max: [spacing, y + spacing, 1] } };
  };
  const force = [TENSION * PLATE.width * thickness, 0, 0] as const;
  const regions = [{ all: true } as const, left, spot, right];
  return {
    ...scene,
    constraints: scene.constraints.map((constraint, k) => ({
      ...constraint,
      region: regions[k]!,
      force: k === 3 ? force : constraint.force,
    })),
    probes: scene.probes.map((probe, k) => ({ ...probe, region: layer(k < 2 ? 0 : 1) })),
  };
}

function plate(discretisation: Discretisation, resolutions: readonly Resolution[]): ValidationCase {
  return {
    name: `plate-${discretisation}`,
    quantity: 'stress concentration at a hole a fifth as wide as the plate [1]',
    source:
      'Howland 1930: 3.14 (3 in a wide plate, Kirsch 1898); mean of the two layers of particles at the edge, each carried to it by the profile of Kirsch',
    curve: { figure: 'others', panel: 'plate with a hole', series: discretisation },
    run: (full) =>
      study(
        {
          reference: 3.14,
          resolutions,
          async measure(across) {
            const { probes } = await runSeries(withDiscretisation(plateScene(across), discretisation));
            // Stress of a layer over that of Kirsch at the same position.
            const ratio = (place: string, stress: string) => {
              const [x, y] = probes[place]![0]!;
              const radius = Math.hypot(x!, y!) / PLATE.holeRadius;
              const wide = kirsch(radius, Math.atan2(y!, x!), POISSONS_RATIO).vonMises;
              return probes[stress]!.at(-1)![0]! / TENSION / wide;
            };
            const [first, second] = [ratio('edge', 'stress'), ratio('next', 'nextStress')];
            const factor = kirsch(1, Math.PI / 2, POISSONS_RATIO).hoop;
            return {
              value: (factor * (first + second)) / 2,
              note: `first layer alone ${(factor * first).toFixed(2)}, second ${(factor * second).toFixed(2)}: the hole's edge is a staircase`,
            };
          },
        },
        full,
      ),
  };
}

export const plateCases: readonly ValidationCase[] = [
  plate('quadratic', [
    { across: 4 },
    { across: 6 },
    { across: 8, tolerance: 0.05 },
    { across: 12, tolerance: 0.05, full: true },
  ]),
  plate('linear', [
    { across: 4 },
    { across: 6 },
    { across: 8, tolerance: 0.05 },
    { across: 12, tolerance: 0.05, full: true },
  ]),
];
