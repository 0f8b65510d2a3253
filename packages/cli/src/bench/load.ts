/**
 * All threads beside one while another process is busy: threads wait for each other at the end of every pass, so one that
 * the machine puts aside holds up the rest, and what is shared out must not be slower than what is not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWorld, LiquidSurfacer, PointSurfacer, sampleShape, sampleSurfels, shapeMesh, type World } from 'phyxel';
import { median } from './liquid.js';
import { MELTING_SCENES } from './melting.js';
import { splash } from './surface.js';

/** Something that can be done again and again on a number of threads. */
interface Work {
  readonly run: () => void;
  readonly dispose: () => Promise<void>;
}

interface LoadScene {
  readonly name: string;
  readonly prepare: (threads: number) => Promise<Work>;
}

export interface LoadResult {
  readonly scene: string;
  /** Processes beside, each of which keeps a core busy. */
  readonly busyProcesses: number;
  readonly threads: number;
  /** Median over the turns of the mean time of a unit of work, on one thread and on all [ms]. */
  readonly oneThreadMs: number;
  readonly milliseconds: number;
  readonly speedupOverOneThread: number;
}

const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as [number, number, number], offset: 0 } } };

function stepping(world: World, seconds: number): Work {
  return { run: () => void world.step(seconds), dispose: () => world.dispose() };
}

const cube = (across: number): LoadScene => ({
  name: `cube ${across ** 3}`,
  prepare: async (threads) => {
    const world = await createWorld({ threads });
    world.addObstacle(FLOOR);
    const shape = { box: { size: [0.2, 0.2, 0.2] as [number, number, number] } };
    const material = { youngsModulus: 1e5 };
    world.addBody({ name: 'cube', shape, spacing: 0.2 / across, position: [0, 0.12, 0], material });
    return stepping(world, 0.002);
  },
});

export const LOAD_SCENES: readonly LoadScene[] = [
  cube(10),
  cube(20),
  {
    name: 'dam 8000',
    prepare: async (threads) => {
      const world = await createWorld({ threads });
      world.addObstacle(FLOOR);
      const shape = { box: { size: [0.5, 0.5, 0.5] as [number, number, number] } };
      const material = { density: 1000 };
      world.addBody({ name: 'water', kind: 'fluid', shape, spacing: 0.025, position: [0, 0.25, 0], material });
      return stepping(world, 0.002);
    },
  },
  {
    name: 'melting 3887',
    prepare: async (threads) => {
      const scene = MELTING_SCENES.at(-1)!;
      const world = await createWorld({ threads, temperature: scene.temperature! });
      scene.prepare(world);
      return stepping(world, 0.001);
    },
  },
  {
    name: 'surface of a splash',
    prepare: async (threads) => {
      const surfacer = await LiquidSurfacer.create({ threads });
      const positions = splash(50_000);
      return {
        run: () => void surfacer.surface({ positions, spacing: 1 }, { cell: 0.5 }),
        dispose: () => surfacer.dispose(),
      };
    },
  },
  {
    name: 'surfels on a ball',
    prepare: async (threads) => {
      const shape = { sphere: { radius: 1 } };
      const { positions } = sampleShape(shape, { spacing: 0.094, lattice: 'cubic', jitter: 0.1, seed: 1 });
      const samples = sampleSurfels(shapeMesh(shape, 0.024), 0.012);
      const surfacer = await PointSurfacer.create({ threads });
      const cloud = surfacer.surfels(positions, samples);
      const moved = [0, 1].map((k) => positions.map((x, i) => x * (1 + 0.01 * ((k + i) % 3))));
      let turn = 0;
      return { run: () => cloud.update(moved[turn++ % 2]!), dispose: () => surfacer.dispose() };
    },
  },
];

/** Length of a turn and of all turns together [ms]. */
const TURN = 200;
const TOTAL = 12_000;
/** A process that keeps a core busy ends by itself after so many seconds. */
const LIFETIME = 120;

/** One thread and all in turns, alone on the machine and beside busy processes. */
export async function measureLoad(scene: LoadScene, threads: number, busyProcesses: number): Promise<LoadResult> {
  const busy = Array.from({ length: busyProcesses }, startBusyProcess);
  try {
    const subjects = [];
    for (const count of [1, threads]) subjects.push({ work: await scene.prepare(count), times: [] as number[] });
    for (const { work } of subjects) work.run();
    for (const start = performance.now(); performance.now() - start < TOTAL; ) {
      for (const subject of subjects) {
        const from = performance.now();
        let to = from;
        let runs = 0;
        for (; to - from < TURN; to = performance.now()) {
          subject.work.run();
          runs++;
        }
        subject.times.push((to - from) / runs);
      }
    }
    for (const { work } of subjects) await work.dispose();
    const [oneThreadMs, milliseconds] = subjects.map(({ times }) => median(times)) as [number, number];
    const speedupOverOneThread = oneThreadMs / milliseconds;
    return { scene: scene.name, busyProcesses, threads, oneThreadMs, milliseconds, speedupOverOneThread };
  } finally {
    for (const process of busy) process.kill('SIGKILL');
  }
}

function startBusyProcess(): ChildProcess {
  const program = `const end = Date.now() + ${1000 * LIFETIME}; while (Date.now() < end) for (let k = 0; k < 1e6; k++);`;
  return spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
}
