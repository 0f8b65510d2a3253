/** Liquids at rest: a tank of water, a floating block, layers. */
import type { Scene, World } from 'phyxel';
import { type Reading, type Resolution, single, study, type ValidationCase } from '../case.js';
import { meanHeight } from '../mean-height.js';
import {
  farthestFromOne,
  forParticles,
  runSeries,
  validationScene,
  watch,
  withBodies,
  withSpacing,
} from '../measure.js';

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const GRAVITY = 9.81;
const DENSITY = 1000;

/** Depth and width of the tank [m]. */
const DEPTH = 1;
const WIDTH = 0.5;
/** What is left of the motion at the start dies away until then [s]. */
const SETTLED = 20;

interface Rest {
  /** Pressure over density * g * depth below the surface that is seen, farthest from one of all layers, as a share of that at the floor [1]. */
  readonly pressure: number;
  /** Mean density over that at rest, where it is above; 1 and more [1]. */
  readonly compression: number;
  /** Twice the mean height of the particles over the depth [1]. */
  readonly level: number;
  /** Fastest particle over the speed of waves, sqrt(g h) [1]. */
  readonly speed: number;
}

async function stillWater(across: number): Promise<Rest> {
  const spacing = DEPTH / across;
  const layers = Array.from({ length: across }, () => ({ count: 0, height: 0, pressure: 0 }));
  let [compression, speed, height, surface, frames] = [0, 0, 0, 0, 0];
  await watch(withSpacing(validationScene('still-water'), spacing), (world) => {
    if (world.time < SETTLED - 1e-9) return;
    const pressures = world.pressures();
    const densities = world.densities();
    let [excess, sum] = [0, 0];
    forParticles(world, 'water', (i, _, y) => {
      const layer = layers[Math.max(0, Math.min(across - 1, Math.floor(y / spacing)))]!;
      layer.count++;
      layer.height += y;
      layer.pressure += pressures[i]!;
      sum += y;
      excess += Math.max(0, densities[i]! / DENSITY - 1);
    });
    compression += excess / world.liquidCount;
    height += sum / world.liquidCount;
    surface += meanHeight(world.surface('water'), (x, y, z) => {
      return Math.max(Math.abs(x), Math.abs(z)) < WIDTH / 2 - spacing && y > DEPTH / 2;
    });
    speed = Math.max(speed, world.probe({ name: 'speed', quantity: 'maximumSpeed' })[0]!);
    frames++;
  });
  const errors = layers
    .filter(({ count }) => count > 0)
    .map(({ count, height, pressure }) => {
      const expected = DENSITY * GRAVITY * (surface / frames - height / count);
      return 1 + (pressure / count - expected) / (DENSITY * GRAVITY * DEPTH);
    });
  return {
    pressure: farthestFromOne(errors),
    compression: 1 + compression / frames,
    level: (2 * height) / frames / DEPTH,
    speed: speed / Math.sqrt(GRAVITY * DEPTH),
  };
}

/** Runs that several cases read. */
const rests = new Map<number, Promise<Rest>>();
function restOnce(across: number): Promise<Rest> {
  if (!rests.has(across)) rests.set(across, stillWater(across));
  return rests.get(across)!;
}

/** With ten layers most particles of the tank are at walls, where pressures are less sure. */
const fine = (tolerance: number): readonly Resolution[] => [{ across: 10 }, { across: 20, tolerance }];
const both = (tolerance: number): readonly Resolution[] => [
  { across: 10, tolerance },
  { across: 20, tolerance, full: true },
];

function still(
  name: string,
  quantity: string,
  source: string,
  resolutions: readonly Resolution[],
  read: (rest: Rest) => number,
) {
  return {
    name: `still-water-${name}`,
    quantity,
    source,
    run: (full: boolean) =>
      study({ reference: 1, resolutions, measure: async (across) => read(await restOnce(across)) }, full),
  } satisfies ValidationCase;
}

const BLOCK = { width: 0.2, height: 0.12, tank: 0.36, depth: 0.2 };
/**
 * How much higher and lower than at its draught a block is let go [m]. Water at rest has a small yield stress, so a
 * block stays within a tenth of a spacing of where it comes from; the mean of both ways is free of that.
 */
const AWAY = 0.02;

interface Floating {
  /** Means over the last second: heights of the block's centre and of the water's surface around it [m]. */
  readonly centre: number;
  readonly waterline: number;
  /** Weight of the water on top of the block over that of the block [1]. */
  readonly load: number;
}

/** Mean height of the water's surface as it is seen, a spacing and more away from the block and the walls [m]. */
function waterline(world: World, spacing: number): number {
  const near = BLOCK.width / 2 + spacing;
  const far = BLOCK.tank / 2 - spacing;
  return meanHeight(world.surface('water'), (x, y, z) => {
    const out = Math.max(Math.abs(x), Math.abs(z));
    return out > near && out < far && y > BLOCK.depth / 2;
  });
}

/** A block of some density that is let go at some height. */
async function float(density: number, height: number, across: number): Promise<Floating> {
  const spacing = BLOCK.height / across;
  const tank = withSpacing(validationScene('float'), spacing);
  const scene = withBodies(tank, ({ name, material, position }) =>
    name === 'block' ? { material: { ...material, density }, position: [position[0], height, position[2]] } : {},
  );
  const weight = density * BLOCK.width ** 2 * BLOCK.height;
  let [centre, level, load, frames] = [0, 0, 0, 0];
  await watch(scene, (world) => {
    if (world.time < scene.duration - 1 + 1e-9) return;
    const [, middle] = world.probe({ name: 'block', body: 'block', quantity: 'position' });
    forParticles(world, 'water', (_, x, y, z) => {
      const above = Math.max(Math.abs(x), Math.abs(z)) < BLOCK.width / 2 && y > middle! + BLOCK.height / 2;
      if (above) load += (DENSITY * spacing ** 3) / weight;
    });
    centre += middle!;
    level += waterline(world, spacing);
    frames++;
  });
  return { centre: centre / frames, waterline: level / frames, load: load / frames };
}

/** Share of its height that a block is under water. Water on top of it is a load, and sinks it by as much. */
function draught({ centre, waterline, load }: Floating): number {
  return (waterline - (centre - BLOCK.height / 2)) / BLOCK.height / (1 + load);
}

/** Let go above and below the draught; water that the block is in from the start is left out, so the level is the depth. */
async function draughts(density: number, across: number): Promise<Reading> {
  const level = BLOCK.depth + BLOCK.height / 2 - (density / DENSITY) * BLOCK.height;
  const [above, below] = [await float(density, level + AWAY, across), await float(density, level - AWAY, across)];
  const off = (floating: Floating) => percent((draught(floating) * DENSITY) / density - 1);
  const deck = Math.max(above.load, below.load);
  const load = deck > 0 ? `; up to ${percent(deck)} of its weight is water on top of it, counted as load` : '';
  return {
    value: (draught(above) + draught(below)) / 2,
    note: `from above ${off(above)}, from below ${off(below)} at ${across}${load}`,
  };
}

function block(name: string, density: number): ValidationCase {
  return {
    name: `float-${name}`,
    quantity: 'share of the height of a block that is below the surface of the water around it, mean of two starts [1]',
    source: "Archimedes: the ratio of the block's density to the water's",
    run: (full) =>
      study(
        {
          reference: density / DENSITY,
          resolutions: [
            { across: 6, tolerance: 0.03 },
            { across: 12, tolerance: 0.03, full: true },
          ],
          measure: (across) => draughts(density, across),
        },
        full,
      ),
  };
}

/** Centre of a block that sinks. The last layer of water below it leaves after one second or after four: by chance. */
async function sunken(): Promise<number> {
  let sum = 0;
  for (const height of STARTS) sum += (await float(2000, height, 6)).centre / STARTS.length;
  return sum;
}
const STARTS = [0.195, 0.2, 0.205, 0.21];

const LAYERS = { depth: 0.4, spacing: 0.02 };

/** Two liquids of a scene with another density of the lighter one, or of the heavier one. */
function liquids(file: string, ratio: number): Scene {
  return withBodies(validationScene(file), ({ name, material }) =>
    name === 'light' ? { material: { ...material, density: DENSITY / ratio } } : {},
  );
}

/** How much higher the lighter liquid is than the heavier one, over half the depth: 1 when they are apart. */
async function separation(scene: Scene): Promise<number> {
  const probed: Scene = {
    ...scene,
    probes: ['heavy', 'light'].map((body) => ({
      name: body,
      body,
      region: { all: true },
      quantity: 'position' as const,
    })),
  };
  const { probes } = await runSeries(probed);
  return (probes.light!.at(-1)![1]! - probes.heavy!.at(-1)![1]!) / (LAYERS.depth / 2);
}

function layers(file: string, ratio: number, tolerance: number, full: boolean): ValidationCase {
  return {
    name: `${file}-${ratio}`,
    quantity: `how far apart two liquids of density ratio ${ratio} are in height [half their depth]`,
    source:
      file === 'layers'
        ? 'the heavier one stays below the lighter one, with a sharp interface'
        : 'the heavier one settles below the lighter one',
    full,
    run: () => single(1, tolerance, 20, () => separation(liquids(file, ratio))),
  };
}

export const fluidRestCases: readonly ValidationCase[] = [
  still(
    'pressure',
    'pressure of the layer farthest from density * g * depth below the surface [1 + share of that at the floor]',
    'hydrostatics: p = rho g h',
    fine(0.02),
    ({ pressure }) => pressure,
  ),
  still(
    'compression',
    'mean compression of water at rest [1 + compression]',
    'incompressible',
    both(1e-3),
    ({ compression }) => compression,
  ),
  still(
    'level',
    'twice the mean height of water at rest over its depth [1]',
    'it keeps its volume',
    both(0.01),
    ({ level }) => level,
  ),
  still(
    'speed',
    'fastest particle from 20 s on [1 + share of sqrt(g h)]',
    'water at rest stays at rest',
    both(0.01),
    ({ speed }) => 1 + speed,
  ),
  block('half', 500),
  block('light', 300),
  {
    name: 'float-heavy',
    quantity: 'height of the centre of a block of density 2000 let go at the surface, mean of four starts [m]',
    source: 'it sinks to the floor: half its height',
    run: () => single(BLOCK.height / 2, 0.1, 6, sunken),
  },
  layers('layers', 2, 0.02, false),
  layers('layers', 10, 0.02, false),
  layers('layers', 1000, 0.02, true),
  layers('overturn', 2, 0.1, true),
  layers('overturn', 10, 0.1, true),
  layers('overturn', 1000, 0.1, true),
];
