/**
 * Speed of what melts and freezes, beside [K06] table 6.1.
 *
 * What the paper times is one step of the physics, on average over the sequences of figs. 6.10, 6.11 and 6.9, on one
 * core of a 3 GHz Pentium 4; its frame is one step of the physics and one of the surface (1 / (0.13 s + 1.3 s) = 0.7
 * frames a second). A step of the liquid is 1 ms, with ten elastic steps of 0.1 ms in it where something is elastic
 * ([K06] 6.4.1, fig. 6.2). Our steps have other lengths, so times per step cannot be compared: what can is the
 * processor time for a millisecond of the scene (`timeRatio`).
 *
 * Particle counts and the stiffness of 500 kN/m2 are the paper's; it gives no sizes and densities, and its viscosity of
 * 10 kNs/m2 is far beyond what its explicit steps could take at our spacing.
 */
import { createWorld, type MaterialInput, type World } from 'phyxel';

export interface MeltingScene {
  readonly name: string;
  /** Of the surroundings [degrees C]; without, nothing has heat. */
  readonly temperature?: number;
  readonly prepare: (world: World) => void;
  /** When the timed part begins and ends, of simulated time [s]. */
  readonly from: number;
  readonly to: number;
  /** What [K06] table 6.1 gives for a step of the physics [s]. */
  readonly paperSeconds: number;
}

export interface MeltingResult {
  readonly scene: string;
  readonly particles: number;
  readonly threads: number;
  /** Share of the particles' mass that is molten, at the end [1]. */
  readonly molten: number;
  readonly steps: number;
  readonly stepsPerFrame: number;
  /** Of a step, of a frame at 30 a second, and for a second of the scene: processor time on one thread, else time [s]. */
  readonly secondsPerStep: number;
  readonly secondsPerFrame: number;
  readonly secondsPerSecond: number;
  /** Seconds of the paper for a millisecond of the scene over ours; and for a step over ours for a step and a frame. */
  readonly timeRatio: number;
  readonly stepRatio: number;
  readonly frameRatio: number;
}

export const PAPER = '[K06] table 6.1, 3 GHz Pentium 4, steps of 1 ms; sizes and heat are ours';

/** Step of the paper's liquids [s]. */
const PAPER_STEP = 1e-3;

const SPACING = 0.01;
const WAX: MaterialInput = {
  elastic: true,
  density: 900,
  youngsModulus: 5e5,
  poissonsRatio: 0.3,
  damping: 0.1,
  viscosity: 5,
  heatCapacity: 2000,
  thermalConductivity: 100,
  latentHeat: 1e4,
  meltingPoint: 60,
  meltingRange: 4,
};
const box = (...cells: [number, number, number]) => {
  const size = cells.map((n) => n * SPACING) as [number, number, number];
  return { box: { size } };
};
const PLANE = { plane: { normal: [0, 1, 0] as [number, number, number], offset: 0 } };

export const MELTING_SCENES: readonly MeltingScene[] = [
  {
    name: 'fluid, fig. 6.10',
    prepare: (world) => {
      world.addObstacle({ name: 'floor', shape: PLANE });
      const material = { density: 1000, viscosity: 1, surfaceTension: 0.05 };
      const body = { name: 'liquid', kind: 'fluid', shape: box(15, 20, 10), spacing: SPACING, material } as const;
      world.addBody({ ...body, position: [0, 0.11, 0] });
    },
    from: 0.1,
    to: 0.2,
    paperSeconds: 0.13,
  },
  {
    name: 'freezing, fig. 6.11',
    temperature: 20,
    prepare: (world) => {
      world.addObstacle({ name: 'floor', shape: PLANE, temperature: -40 });
      const material = { ...WAX, viscosity: 1 };
      const body = { name: 'liquid', kind: 'fluid', shape: box(15, 16, 10), spacing: SPACING, material } as const;
      world.addBody({ ...body, position: [0, 0.09, 0], temperature: 65 });
    },
    from: 0.1,
    to: 0.2,
    paperSeconds: 0.4,
  },
  {
    name: 'melting, fig. 6.9',
    temperature: 20,
    prepare: (world) => {
      world.addObstacle({ name: 'plate', shape: PLANE, temperature: 300 });
      const material = { ...WAX, thermalConductivity: 1000 };
      const body = { name: 'bust', kind: 'fluid', shape: box(13, 23, 13), spacing: SPACING, material } as const;
      world.addBody({ ...body, position: [0, 0.12, 0], temperature: 55 });
    },
    from: 0.1,
    to: 0.2,
    paperSeconds: 3.1,
  },
];

/** On one thread by processor time, so that what else runs on the machine does not count. */
export async function measureMelting(scene: MeltingScene, threads: number): Promise<MeltingResult> {
  const { temperature } = scene;
  const world = await createWorld({ threads, ...(temperature !== undefined && { temperature }) });
  scene.prepare(world);
  world.stepTo(scene.from);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { steps } = world.stepTo(scene.to);
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = threads === 1 ? (user + system) / 1e6 : elapsed;
  const duration = scene.to - scene.from;
  const frames = duration * 30;
  const molten = world.isThermal ? world.probe({ name: 'molten', quantity: 'liquidFraction' })[0]! : 1;
  const particles = world.liquidCount;
  await world.dispose();
  return {
    scene: scene.name,
    particles,
    threads,
    molten,
    steps,
    stepsPerFrame: steps / frames,
    secondsPerStep: seconds / steps,
    secondsPerFrame: seconds / frames,
    secondsPerSecond: seconds / duration,
    timeRatio: scene.paperSeconds / PAPER_STEP / (seconds / duration),
    stepRatio: scene.paperSeconds / (seconds / steps),
    frameRatio: scene.paperSeconds / (seconds / frames),
  };
}
