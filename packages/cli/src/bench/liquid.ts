/** Speed of liquids: a dam breaks in a tank, timed while the water falls. */
import { createWorld, type StepReport, type World } from 'phyxel';

export interface LiquidScene {
  readonly name: string;
  readonly pressure: 'dfsph' | 'wcsph';
  /** [m] */
  readonly spacing: number;
  /** When the timed part begins and ends, of simulated time [s]. */
  readonly from: number;
  readonly to: number;
  readonly threads: readonly number[];
  /** Only with --full. */
  readonly full?: boolean;
  /** What others take for a step of as many particles, by threads [ms]. */
  readonly otherMilliseconds?: Readonly<Record<number, number>>;
}

export interface LiquidResult {
  readonly scene: string;
  readonly particles: number;
  /** Neighbour relations at the end: each pair counts for both of its particles. */
  readonly pairs: number;
  readonly neighbours: number;
  readonly threads: number;
  /** Steps of a world, and the time that they simulated [s]. */
  readonly steps: number;
  readonly simulatedSeconds: number;
  /**
   * Mean of all timed steps, and of the best turn. Medians of turns are of different moments in different scenes, and the best
   * of many short turns is better than that of few long ones: neither may be compared between sizes.
   */
  readonly msPerStep: number;
  readonly bestMsPerStep: number;
  /** Processor time of all threads over all timed steps: hardly depends on what else the machine does. */
  readonly cpuMsPerStep: number;
  readonly nsPerPair: number;
  /** Of that for finding neighbours: cells, sorting, search. */
  readonly searchMsPerStep: number;
  readonly searchNsPerPair: number;
  readonly msPerSimulatedSecond: number;
  /** Mean step [s]. */
  readonly timeStep: number;
  /** Iterations for pressure in a step, for velocities and positions together; none with wcsph. */
  readonly pressureIterationsPerStep: number;
  /** [1] */
  readonly meanCompression: number;
  /** Median of turns, which are the same work. */
  readonly speedupOverOneThread: number | null;
  readonly bytesPerParticle: number;
  readonly comparison: { readonly source: string; readonly milliseconds: number; readonly ratio: number } | null;
}

export const OTHER_LIQUIDS = 'SPlisHSPlasH 2.16 (C++, AVX), the same dam with the same kind of pressure solver';

/** Tank of 3.22 x 1 m, column of water 1.228 m long, 0.55 m high, as wide as the tank. */
const TANK = [3.22, 1] as const;
const COLUMN = [1.228, 0.55, 1] as const;

/** Passes that find neighbours. */
const SEARCH = ['computeLiquidCells', 'sortLiquid', 'arrangeLiquid', 'findLiquidNeighbors'] as const;

/** Simulated time of a turn [s]: some steps. */
const TURN = 0.025;

const SPACINGS = [
  { spacing: 0.051, wcsph: { 1: 15.5, 2: 9.4 }, dfsph: { 1: 19.8, 2: 11.2 } },
  { spacing: 0.03, wcsph: { 1: 75, 2: 42 }, dfsph: { 1: 117, 2: 57 } },
  { spacing: 0.019, wcsph: { 1: 301, 2: 165 }, dfsph: { 1: 537, 2: 301 }, full: true },
];

/** About 5,000, 25,000 and 100,000 particles. */
export const LIQUID_SCENES: readonly LiquidScene[] = (['dfsph', 'wcsph'] as const).flatMap((pressure) =>
  SPACINGS.map(({ spacing, full, ...others }) => ({
    name: `dam break, ${pressure}`,
    pressure,
    spacing,
    from: 0.05,
    to: 0.3,
    threads: [1, 2],
    ...(full ? { full } : {}),
    otherMilliseconds: others[pressure],
  })),
);

async function prepare({ pressure, spacing }: LiquidScene, threads: number): Promise<World> {
  const world = await createWorld({ threads, solver: { fluid: { pressure } } });
  const [length, width] = TANK;
  const walls = [
    ['floor', [0, 1, 0], 0],
    ['left', [1, 0, 0], 0],
    ['right', [-1, 0, 0], -length],
    ['back', [0, 0, 1], -width / 2],
    ['front', [0, 0, -1], -width / 2],
  ] as const;
  for (const [name, normal, offset] of walls) {
    world.addObstacle({ name, shape: { plane: { normal, offset } }, slip: 1 });
  }
  world.addBody({
    name: 'water',
    kind: 'fluid',
    shape: { box: { size: COLUMN } },
    position: [COLUMN[0] / 2, COLUMN[1] / 2, 0],
    spacing,
    material: { density: 1000, viscosity: 0.001 },
  });
  return world;
}

interface Subject {
  readonly scene: LiquidScene;
  readonly threads: number;
  /** Some alike where a turn takes so short that a moment would decide. */
  readonly runs: readonly Run[];
  /** Milliseconds per step of each turn. */
  readonly times: number[];
  milliseconds: number;
  cpuMilliseconds: number;
  searchMilliseconds: number;
  steps: number;
}

/** A world on its way through the timed part. */
interface Run {
  readonly world: World;
  readonly steps: Generator<number, StepReport>;
  /** Of the whole part, when it is over. */
  report?: StepReport;
}

/** As many worlds as make up this many particles, but not more than some. */
const ALIKE = { particles: 50_000, most: 10 };

async function subjectOf(scene: LiquidScene, threads: number): Promise<Subject> {
  const worlds = [await prepare(scene, threads)];
  const count = Math.min(ALIKE.most, Math.round(ALIKE.particles / worlds[0]!.particleCount));
  while (worlds.length < count) worlds.push(await prepare(scene, threads));
  for (const world of worlds) world.stepTo(scene.from);
  return {
    scene,
    threads,
    runs: worlds.map((world) => ({ world, steps: world.stepsTo(scene.to) })),
    times: [],
    milliseconds: 0,
    cpuMilliseconds: 0,
    searchMilliseconds: 0,
    steps: 0,
  };
}

function searchMilliseconds(world: World): number {
  const timings = world.passTimings();
  return SEARCH.reduce((sum, pass) => sum + (timings[pass]?.milliseconds ?? 0), 0);
}

/** Whole steps up to a time; the first does not count: others have had the caches, and threads sleep. */
function takeTurn(subject: Subject, until: number): void {
  for (const run of subject.runs) {
    takeStep(run);
    const searched = searchMilliseconds(run.world);
    const before = process.cpuUsage();
    const started = performance.now();
    let steps = 0;
    while (!run.report && run.world.time < until) if (takeStep(run)) steps++;
    const milliseconds = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    subject.milliseconds += milliseconds;
    subject.cpuMilliseconds += (user + system) / 1000;
    subject.searchMilliseconds += searchMilliseconds(run.world) - searched;
    subject.steps += steps;
    if (steps > 0) subject.times.push(milliseconds / steps);
  }
}

/** Takes a step, or the report when there is none left. */
function takeStep(run: Run): boolean {
  if (run.report) return false;
  const { done, value } = run.steps.next();
  if (done) run.report = value;
  return !done;
}

/**
 * One result for each scene and number of threads, timed in turns, so that a busy moment of the machine falls on all of
 * them.
 */
export async function measureLiquids(scenes: readonly LiquidScene[]): Promise<LiquidResult[]> {
  const subjects: Subject[] = [];
  for (const scene of scenes) for (const threads of scene.threads) subjects.push(await subjectOf(scene, threads));
  const turns = Math.max(...scenes.map(({ from, to }) => Math.max(1, Math.round((to - from) / TURN))));
  for (let k = 1; k <= turns; k++) {
    for (const subject of subjects) {
      const { from, to } = subject.scene;
      takeTurn(subject, from + (k / turns) * (to - from));
    }
  }
  // After the last step there is a report.
  for (const { runs } of subjects) for (const run of runs) while (!run.report) takeStep(run);
  const results = subjects.map((subject) => {
    const single = subjects.find(({ scene, threads }) => scene === subject.scene && threads === 1);
    return resultOf(subject, single);
  });
  for (const { runs } of subjects) for (const { world } of runs) await world.dispose();
  return results;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function resultOf(subject: Subject, single: Subject | undefined): LiquidResult {
  const { scene, threads, runs, steps } = subject;
  if (steps === 0) throw new Error(`${scene.name} takes too few steps to be timed: let it last longer`);
  const { world, report } = runs[0]!;
  const { velocityIterations, placeIterations, meanCompression, steps: all } = report!.fluid!;
  const simulated = scene.to - scene.from;
  const msPerStep = subject.milliseconds / steps;
  const search = subject.searchMilliseconds / steps;
  const { liquidCount: particles, pairCount: pairs } = world;
  const other = scene.otherMilliseconds?.[threads];
  return {
    scene: scene.name,
    particles,
    pairs,
    neighbours: pairs / particles,
    threads,
    steps: all,
    simulatedSeconds: simulated,
    msPerStep,
    bestMsPerStep: Math.min(...subject.times),
    cpuMsPerStep: subject.cpuMilliseconds / steps,
    nsPerPair: (1e6 * msPerStep) / pairs,
    searchMsPerStep: search,
    searchNsPerPair: (1e6 * search) / pairs,
    msPerSimulatedSecond: (msPerStep * all) / simulated,
    timeStep: simulated / all,
    pressureIterationsPerStep: velocityIterations + placeIterations,
    meanCompression,
    speedupOverOneThread:
      threads > 1 && single ? median(single.times.map((time, k) => time / subject.times[k]!)) : null,
    bytesPerParticle: world.memoryBytes / particles,
    comparison: other === undefined ? null : { source: OTHER_LIQUIDS, milliseconds: other, ratio: other / msPerStep },
  };
}

/** How the cost of a step on one thread grows from the fewest to the most particles, for each pressure solver. */
export interface LiquidGrowth {
  readonly scene: string;
  readonly particles: readonly [from: number, to: number];
  /** Milliseconds per step and particle, largest over smallest scene. */
  readonly perParticle: number;
  /** Of that, what is due to neighbours: a larger tank has less surface. */
  readonly neighbours: number;
  /** And to iterations for pressure, which differ from tank to tank; none with wcsph. */
  readonly iterations: number | null;
  /** The same for the search of neighbours alone. */
  readonly searchPerParticle: number;
}

export function liquidGrowth(results: readonly LiquidResult[]): LiquidGrowth[] {
  return [...new Set(results.map(({ scene }) => scene))].flatMap((scene) => {
    const own = results.filter((result) => result.scene === scene && result.threads === 1);
    own.sort((a, b) => a.particles - b.particles);
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last || first === last) return [];
    const growth = (cost: (result: LiquidResult) => number) =>
      cost(last) / last.particles / (cost(first) / first.particles);
    return [
      {
        scene,
        particles: [first.particles, last.particles],
        perParticle: growth(({ msPerStep }) => msPerStep),
        neighbours: last.neighbours / first.neighbours,
        iterations:
          first.pressureIterationsPerStep > 0 ? last.pressureIterationsPerStep / first.pressureIterationsPerStep : null,
        searchPerParticle: growth(({ searchMsPerStep }) => searchMsPerStep),
      },
    ];
  });
}
