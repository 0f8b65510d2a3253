/** Speed of what melts and freezes: scenes of the kind and the particle counts of [K06] table 6.1. */
import { createWorld, type MaterialInput, type World } from 'phyxel';

export interface MeltingScene {
  readonly name: string;
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
  /** Share of the particles' mass that is molten, at the end [1]. */
  readonly molten: number;
  readonly steps: number;
  readonly stepsPerFrame: number;
  /** Processor time of a step, and of a frame at 30 a second [s]. */
  readonly secondsPerStep: number;
  readonly secondsPerFrame: number;
  /** Seconds of the paper for a step over ours for a step, and over ours for a whole frame. */
  readonly stepRatio: number;
  readonly frameRatio: number;
}

export const PAPER = '[K06] table 6.1, 3 GHz Pentium 4; sizes and materials are ours, the paper gives few';

const SPACING = 0.01;
const WAX: MaterialInput = {
  elastic: true,
  density: 900,
  youngsModulus: 1e5,
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
    to: 0.3,
    paperSeconds: 0.13,
  },
  {
    name: 'freezing, fig. 6.11',
    prepare: (world) => {
      world.addObstacle({ name: 'floor', shape: PLANE, temperature: -40 });
      const material = { ...WAX, viscosity: 1 };
      const body = { name: 'liquid', kind: 'fluid', shape: box(15, 16, 10), spacing: SPACING, material } as const;
      world.addBody({ ...body, position: [0, 0.09, 0], temperature: 65 });
    },
    from: 0.1,
    to: 0.3,
    paperSeconds: 0.4,
  },
  {
    name: 'melting, fig. 6.9',
    prepare: (world) => {
      world.addObstacle({ name: 'plate', shape: PLANE, temperature: 300 });
      const body = { name: 'bust', kind: 'fluid', shape: box(13, 23, 13), spacing: SPACING, material: WAX } as const;
      world.addBody({ ...body, position: [0, 0.12, 0], temperature: 40 });
    },
    from: 0.1,
    to: 0.3,
    paperSeconds: 3.1,
  },
];

/** On one thread, by processor time, so that what else runs on the machine does not count. */
export async function measureMelting(scene: MeltingScene): Promise<MeltingResult> {
  const world = await createWorld({ threads: 1, temperature: 20 });
  scene.prepare(world);
  world.stepTo(scene.from);
  const cpu = process.cpuUsage();
  const { steps } = world.stepTo(scene.to);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1e6;
  const frames = (scene.to - scene.from) * 30;
  const [molten] = world.probe({ name: 'molten', quantity: 'liquidFraction' });
  const particles = world.liquidCount;
  await world.dispose();
  return {
    scene: scene.name,
    particles,
    molten: molten!,
    steps,
    stepsPerFrame: steps / frames,
    secondsPerStep: seconds / steps,
    secondsPerFrame: seconds / frames,
    stepRatio: scene.paperSeconds / (seconds / steps),
    frameRatio: scene.paperSeconds / (seconds / frames),
  };
}
