import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import pc from 'picocolors';
import { measureFrames, measureStart } from '../bench/browser.js';
import { FLOW_SCENES, type FlowResult, measureFlow, PAPER } from '../bench/flow.js';
import { IMPLICIT_SCENES, type ImplicitResult, measureImplicit, OTHER_SOLVER } from '../bench/implicit.js';
import {
  LIQUID_SCENES,
  type LiquidGrowth,
  type LiquidResult,
  liquidGrowth,
  measureLiquids,
  OTHER_LIQUIDS,
} from '../bench/liquid.js';
import { LOAD_SCENES, type LoadResult, measureLoad } from '../bench/load.js';
import { describeMachine, type Machine } from '../bench/machine.js';
import { type BenchResult, measureScene } from '../bench/measure.js';
import { PAPER as MELTING_PAPER, MELTING_SCENES, type MeltingResult, measureMelting } from '../bench/melting.js';
import { CARRIED_SCENES, measureCarried, measureRelaxed, type PointResult, RELAXED_SCENES } from '../bench/points.js';
import { type CostRatio, costRatios, measurePrecision, type PrecisionPoint } from '../bench/precision.js';
import { measureRigid, RIGID_SCENES, type RigidResult } from '../bench/rigid.js';
import { BENCH_SCENES } from '../bench/scenes.js';
import { measureSurface, SURFACE_SCENES, type SurfaceResult } from '../bench/surface.js';
import { formatBytes } from '../memory.js';
import { formatNumber } from '../progress.js';

interface BenchFlags {
  readonly full?: true;
  readonly precision?: true;
  readonly liquids?: true;
  readonly surfaces?: true;
  readonly browser?: true;
  readonly points?: true;
  readonly flow?: true;
  readonly melting?: true;
  readonly rigid?: true;
  readonly load?: true;
  readonly json?: true;
}

type Write = (text: string) => void;

/** What a flag measures alone. */
const ONLY: readonly (readonly [keyof BenchFlags, (write: Write, flags: BenchFlags) => Promise<object>])[] = [
  ['precision', benchPrecision],
  ['liquids', (write, flags) => benchLiquids(flags, write)],
  ['surfaces', (write, flags) => benchSurfaces(flags, write)],
  ['points', benchPoints],
  ['flow', benchFlow],
  ['melting', benchMelting],
  ['rigid', (write, flags) => benchRigid(flags, write)],
  ['load', benchLoad],
  ['browser', benchBrowser],
];

export function registerBench(program: Command): void {
  program
    .command('bench')
    .description('measure speed, beside the double-precision passes in the same run')
    .option('--full', 'larger scenes too')
    .option('--precision', 'measure instead what accuracy costs, on clamped beams')
    .option('--liquids', 'measure only liquids, on a dam that breaks')
    .option('--surfaces', 'measure only the triangle surface of liquids, on a splash')
    .option('--browser', 'measure instead what a frame costs in Chromium, without drawing, and the start of the studio')
    .option('--points', 'measure only surfels and the point surface')
    .option('--flow', 'measure only bodies that flow, beside the times of their paper')
    .option('--melting', 'measure only what melts and freezes, beside the times of its paper')
    .option('--rigid', 'measure only rigid bodies, on boxes that fall into a heap, beside Rapier used directly')
    .option('--load', 'measure instead all threads beside one, while other processes are busy')
    .option('--json', 'print JSON')
    .action(async (flags: BenchFlags) => {
      const machine = describeMachine();
      const write = (text: string) => {
        if (!flags.json) process.stdout.write(text);
      };
      write(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${copies(machine)}\n\n`);
      const only = ONLY.find(([flag]) => flags[flag]);
      const found = only ? await only[1](write, flags) : await benchSpeed(flags, machine, write);
      if (flags.json) process.stdout.write(`${JSON.stringify({ machine, ...found }, null, 2)}\n`);
    });
}

function copies({ bandwidth }: Machine): string {
  return `copies ${(bandwidth / 1e9).toFixed(1)} GB/s`;
}

/** The scene with the numbers of threads that the machine has. */
function possible<T extends { readonly threads: readonly number[] }>(scene: T): T {
  return { ...scene, threads: scene.threads.filter((n) => n <= availableParallelism()) };
}

async function benchSpeed(flags: BenchFlags, machine: Machine, write: Write) {
  write(heading(EXPLICIT));
  const results: BenchResult[] = [];
  for (const scene of BENCH_SCENES) {
    if (scene.full && !flags.full) continue;
    for (const result of await measureScene(possible(scene), machine)) {
      results.push(result);
      write(row(EXPLICIT, result));
    }
  }
  const quadraticOverLinear = costOfQuadratic(results);
  write(summary(results, quadraticOverLinear));
  write(`\n${heading(IMPLICIT)}`);
  const implicit: ImplicitResult[] = [];
  // Once before, so that no set-up includes that of the engine.
  await measureImplicit({ ...IMPLICIT_SCENES[0]!, spacing: 0.05, steps: 3, threads: [1] });
  for (const scene of IMPLICIT_SCENES) {
    for (const result of await measureImplicit(possible(scene))) {
      implicit.push(result);
      write(row(IMPLICIT, result));
    }
  }
  write(`\nothers: ${OTHER_SOLVER}\n\n`);
  const liquids = await benchLiquids(flags, write);
  write('\n');
  const surfaces = await benchSurfaces(flags, write);
  write('\n');
  const points = await benchPoints(write);
  write('\n');
  return {
    results,
    quadraticOverLinear,
    implicit,
    ...liquids,
    ...surfaces,
    ...points,
    ...(await benchFlow(write)),
    ...(await benchMelting(write)),
  };
}

async function benchLiquids(flags: BenchFlags, write: Write) {
  write(heading(LIQUID));
  const liquids: LiquidResult[] = [];
  // Once before, so that no scene includes what the engine compiles.
  await measureLiquids([{ ...LIQUID_SCENES[0]!, spacing: 0.1, threads: [1] }]);
  const scenes = LIQUID_SCENES.filter(({ full }) => flags.full || !full).map(possible);
  for (const solver of ['dfsph', 'wcsph']) {
    for (const result of await measureLiquids(scenes.filter(({ pressure }) => pressure === solver))) {
      liquids.push(result);
      write(row(LIQUID, result));
    }
  }
  const growth = liquidGrowth(liquids);
  write(`\n${growth.map(describeGrowth).join('\n')}\nothers: ${OTHER_LIQUIDS}\n`);
  return { liquids, liquidGrowth: growth };
}

async function benchBrowser(write: Write) {
  write('frames of 1/60 s in Chromium, medians in ms\n');
  const browser = await measureFrames();
  for (const {
    case: name,
    particles,
    surfels,
    threads,
    stepMs,
    packMs,
    uploadMs,
    frameMs,
    bestMs,
    budgetMs,
  } of browser) {
    const parts = `simulation ${stepMs.toFixed(1)}, packing ${packMs.toFixed(1)}, upload ${uploadMs.toFixed(1)}`;
    const size = `${particles} particles${surfels > 0 ? `, ${surfels} surfels` : ''}`;
    const best = `best tenth ${bestMs.toFixed(1)}`;
    write(`${name}, ${size}, ${threads} threads: ${frameMs.toFixed(1)} of ${budgetMs} (${parts}; ${best})\n`);
  }
  const start = await measureStart();
  const [startMs, bestMs] = [start.startMs, start.bestMs].map(Math.round);
  write(`first picture of the studio, nothing cached: ${startMs} of ${start.budgetMs} (best ${bestMs})\n`);
  return { browser, start };
}

async function benchFlow(write: Write) {
  write(heading(FLOW));
  const flow: FlowResult[] = [];
  for (const scene of FLOW_SCENES) {
    for (const result of await measureFlow(possible(scene))) {
      flow.push(result);
      write(row(FLOW, result));
    }
  }
  write(`\nx paper: ${PAPER}\n`);
  return { flow };
}

async function benchMelting(write: Write) {
  write(heading(MELTING));
  const melting: MeltingResult[] = [];
  for (const scene of MELTING_SCENES) {
    for (const threads of [1, 2].filter((n) => n <= availableParallelism())) {
      const result = await measureMelting(scene, threads);
      melting.push(result);
      write(row(MELTING, result));
    }
  }
  write(`\none thread: processor time; two: time. x paper: ${MELTING_PAPER}\n`);
  return { melting };
}

async function benchRigid(flags: BenchFlags, write: Write) {
  write(heading(RIGID));
  const rigid: RigidResult[] = [];
  const [ours, plain, ...others] = RIGID_SCENES.filter(({ full }) => flags.full || !full);
  // By turns, the first for what the engines compile, so that a machine that is busy meanwhile slows down both.
  const turns: RigidResult[][] = [];
  for (let turn = 0; turn < 4; turn++) turns.push([await measureRigid(ours!), await measureRigid(plain!)]);
  const least = (k: number) =>
    turns.slice(1).reduce((best, pair) => (pair[k]!.frameMs < best.frameMs ? pair[k]! : best), turns[1]![k]!);
  for (const scene of [0, 1, ...others]) {
    const result = typeof scene === 'number' ? least(scene) : await measureRigid(scene);
    rigid.push(result);
    write(row(RIGID, result));
  }
  const timeOf = (engine: string) => rigid.find((one) => one.engine === engine && one.boxes === 1000)!.frameMs;
  const timesRapier = timeOf('rapier') / timeOf('plain Rapier');
  write(`\n1,000 boxes take ${timesRapier.toFixed(2)} times the time of Rapier used directly; processor times\n`);
  return { rigid, timesRapier };
}

async function benchLoad(write: Write) {
  const threads = availableParallelism();
  write(heading(LOAD));
  const load: LoadResult[] = [];
  for (const scene of LOAD_SCENES) {
    for (const busyProcesses of [0, 1, threads]) {
      const result = await measureLoad(scene, threads, busyProcesses);
      load.push(result);
      write(row(LOAD, result));
    }
  }
  return { load };
}

async function benchSurfaces(flags: BenchFlags, write: Write) {
  write(heading(SURFACE));
  const surfaces: SurfaceResult[] = [];
  for (const scene of SURFACE_SCENES) {
    if (scene.full && !flags.full) continue;
    for (const result of await measureSurface(possible(scene))) {
      surfaces.push(result);
      write(row(SURFACE, result));
    }
  }
  return { surfaces };
}

async function benchPoints(write: Write) {
  write(heading(POINTS));
  const points: PointResult[] = [];
  const add = (results: readonly PointResult[]) => {
    points.push(...results);
    for (const result of results) write(row(POINTS, result));
  };
  for (const scene of CARRIED_SCENES) add(await measureCarried(possible(scene)));
  for (const scene of RELAXED_SCENES) add(await measureRelaxed(possible(scene)));
  return { points };
}

async function benchPrecision(write: Write) {
  const precision = await measurePrecision();
  write(heading(PRECISION));
  for (const point of precision) write(row(PRECISION, point));
  const ratios = costRatios(precision);
  write(
    `\nerror: tip of a clamped beam under its weight, length/thickness 10, nu 0.3, in equilibrium, against Timoshenko's theory for a 3D clamp\n` +
      'cost: CPU seconds for a simulated second of explicit motion, one thread; * errors that happen to cancel, not compared\n',
  );
  for (const ratio of ratios) write(`${describeRatio(ratio)}\n`);
  return { precision, ratios };
}

/** A table: its columns with their widths, and what a result says in each. */
type Table<T> = readonly (readonly [heading: string, width: number, cell: (result: T) => string])[];

function line(texts: readonly string[], widths: readonly number[]): string {
  return texts.map((text, k) => (k === 0 ? text.padEnd(widths[k]!) : text.padStart(widths[k]!))).join('  ');
}

function heading<T>(table: Table<T>): string {
  const widths = table.map(([, width]) => width);
  return `${pc.bold(
    line(
      table.map(([text]) => text),
      widths,
    ),
  )}\n`;
}

function row<T>(table: Table<T>, result: T): string {
  const widths = table.map(([, width]) => width);
  return `${line(
    table.map(([, , cell]) => cell(result)),
    widths,
  )}\n`;
}

const ratio = (x: number | null) => (x === null ? '' : x.toFixed(2));

const RIGID: Table<RigidResult> = [
  ['scene', 10, (r) => r.scene],
  ['engine', 14, (r) => r.engine],
  ['boxes', 6, (r) => String(r.boxes)],
  ['particles', 9, (r) => (r.particles > 0 ? String(r.particles) : '')],
  ['frames', 6, (r) => String(r.frames)],
  ['ms/frame', 9, (r) => r.frameMs.toFixed(2)],
  ['slowest', 9, (r) => r.slowestMs.toFixed(2)],
];

const EXPLICIT: Table<BenchResult> = [
  ['scene', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['neighbours', 10, (r) => r.neighbours.toFixed(1)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms/step', 8, (r) => r.msPerStep.toFixed(3)],
  ['ns/pair', 7, (r) => r.nsPerPair.toFixed(2)],
  ['x f64 twin', 10, (r) => ratio(r.speedupOverReference)],
  ['x 1 thread', 10, (r) => ratio(r.speedupOverOneThread)],
  ['bandwidth', 9, (r) => `${(100 * r.bandwidthShare).toFixed(0)} %`],
  ['memory', 8, (r) => formatBytes(r.bytesPerParticle)],
  [
    'others',
    24,
    ({ comparison }) =>
      comparison ? `${comparison.milliseconds.toFixed(1)} ms, ${comparison.ratio.toFixed(0)} x` : '',
  ],
];

const IMPLICIT: Table<ImplicitResult> = [
  ['implicit scene', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms/step', 8, (r) => r.msPerStep.toFixed(1)],
  ['best', 7, (r) => r.bestMsPerStep.toFixed(1)],
  ['Newton', 6, (r) => r.newtonIterationsPerStep.toFixed(1)],
  ['iterations', 10, (r) => r.iterationsPerStep.toFixed(1)],
  ['retries', 7, (r) => String(r.retries)],
  ['set-up', 8, (r) => `${r.setupMilliseconds.toFixed(0)} ms`],
  ['memory', 8, (r) => formatBytes(r.bytesPerParticle)],
  [
    'others',
    24,
    ({ comparison }) =>
      comparison ? `${comparison.milliseconds.toFixed(0)} ms, ${comparison.ratio.toFixed(1)} x` : '',
  ],
];

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
const FLOW: Table<FlowResult> = [
  ['body that flows', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['after', 6, (r) => String(r.particlesAfter)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms/step', 8, (r) => r.msPerStep.toFixed(2)],
  ['s/frame', 8, (r) => r.secondsPerFrame.toFixed(3)],
  ['cpu', 8, (r) => r.cpuSecondsPerFrame.toFixed(3)],
  ['renewal', 8, (r) => percent(r.renewalShare)],
  ['stress', 6, (r) => percent(r.stressShare)],
  ['steps each', 10, (r) => r.stepsPerRenewal.toFixed(1)],
  ['x paper', 7, (r) => r.ratio.toFixed(1)],
];

const MELTING: Table<MeltingResult> = [
  ['what melts', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['threads', 7, (r) => String(r.threads)],
  ['molten', 6, (r) => percent(r.molten)],
  ['steps/frame', 11, (r) => r.stepsPerFrame.toFixed(1)],
  ['ms/step', 8, (r) => (1000 * r.secondsPerStep).toFixed(2)],
  ['s/frame', 8, (r) => r.secondsPerFrame.toFixed(3)],
  ['x paper, per ms', 15, (r) => r.timeRatio.toFixed(0)],
  ['step', 6, (r) => r.stepRatio.toFixed(0)],
];

const LOAD: Table<LoadResult> = [
  ['beside busy processes', 22, (r) => r.scene],
  ['processes', 9, (r) => String(r.busyProcesses)],
  ['1 thread, ms', 12, (r) => r.oneThreadMs.toFixed(2)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms', 8, (r) => r.milliseconds.toFixed(2)],
  ['x 1 thread', 10, (r) => ratio(r.speedupOverOneThread)],
];

const SURFACE: Table<SurfaceResult> = [
  ['surface of a liquid', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['cell', 4, (r) => String(r.cell)],
  ['threads', 7, (r) => String(r.threads)],
  ['triangles', 9, (r) => String(r.triangles)],
  ['ms', 7, (r) => r.milliseconds.toFixed(0)],
  ['best', 7, (r) => r.bestMilliseconds.toFixed(0)],
  ['cpu', 7, (r) => r.cpuMilliseconds.toFixed(0)],
  ['ns/particle', 11, (r) => r.nsPerParticle.toFixed(0)],
  ['ns/triangle', 11, (r) => r.nsPerTriangle.toFixed(0)],
  ['x 1 thread', 10, (r) => ratio(r.speedupOverOneThread)],
  ['memory', 8, (r) => formatBytes(r.bytesPerParticle)],
  ['/triangle', 9, (r) => formatBytes(r.bytesPerTriangle)],
];

const POINTS: Table<PointResult> = [
  ['surface of points', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['surfels', 8, (r) => String(r.surfels)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms', 8, (r) => r.milliseconds.toFixed(2)],
  ['best', 8, (r) => r.bestMilliseconds.toFixed(2)],
  ['cpu', 8, (r) => r.cpuMilliseconds.toFixed(2)],
  ['ns/surfel', 9, (r) => r.nsPerSurfel.toFixed(0)],
  [
    'others',
    46,
    ({ comparison }) =>
      comparison ? `${comparison.milliseconds} ms, ${comparison.ratio.toFixed(1)} x, ${comparison.source}` : '',
  ],
];

const LIQUID: Table<LiquidResult> = [
  ['liquid scene', 22, (r) => r.scene],
  ['particles', 9, (r) => String(r.particles)],
  ['neighbours', 10, (r) => r.neighbours.toFixed(1)],
  ['threads', 7, (r) => String(r.threads)],
  ['ms/step', 8, (r) => r.msPerStep.toFixed(2)],
  ['best', 7, (r) => r.bestMsPerStep.toFixed(2)],
  ['cpu', 7, (r) => r.cpuMsPerStep.toFixed(2)],
  ['search', 7, (r) => r.searchMsPerStep.toFixed(2)],
  ['ns/pair', 7, (r) => r.nsPerPair.toFixed(1)],
  ['iterations', 10, (r) => r.pressureIterationsPerStep.toFixed(1)],
  ['time step', 10, (r) => `${(1000 * r.timeStep).toFixed(3)} ms`],
  ['ms/simulated s', 14, (r) => r.msPerSimulatedSecond.toFixed(0)],
  ['x 1 thread', 10, (r) => ratio(r.speedupOverOneThread)],
  ['memory', 8, (r) => formatBytes(r.bytesPerParticle)],
  [
    'others',
    24,
    ({ comparison }) =>
      comparison ? `${comparison.milliseconds.toFixed(1)} ms, ${comparison.ratio.toFixed(1)} x` : '',
  ],
];

function describeGrowth(growth: LiquidGrowth): string {
  const [from, to] = growth.particles;
  const iterations = growth.iterations === null ? '' : ` and ${growth.iterations.toFixed(2)} times the iterations`;
  return (
    `${growth.scene}: a step costs ${growth.perParticle.toFixed(2)} times as much per particle with ${to} particles as with ` +
    `${from}, at ${growth.neighbours.toFixed(2)} times the neighbours${iterations}; the search for neighbours ` +
    `${growth.searchPerParticle.toFixed(2)} times`
  );
}

const PRECISION: Table<PrecisionPoint> = [
  ['clamped beam', 26, (p) => p.scheme],
  ['across', 6, (p) => String(p.across)],
  ['particles', 9, (p) => String(p.particles)],
  ['error', 10, (p) => `${p.byAccident ? '* ' : ''}${(100 * p.error).toFixed(2)} %`],
  ['time step', 10, (p) => `${(1000 * p.timeStep).toFixed(3)} ms`],
  ['ms/step', 8, (p) => p.msPerStep.toFixed(3)],
  ['cost', 8, (p) => p.cost.toFixed(2)],
];

function describeRatio({ scheme, other, error, ratio, extrapolated, atLeast }: CostRatio): string {
  const how = extrapolated ? `, extrapolated; its finest beam, less accurate, ${formatNumber(atLeast)} times` : '';
  return `${scheme}: for the same error of ${(100 * error).toFixed(2)} %, "${other}" costs ${formatNumber(ratio)} times as much${how}`;
}

/** Cost of a pair with the quadratic fit over that with the linear one, of the same cube on one thread. */
function costOfQuadratic(results: readonly BenchResult[]): number | null {
  for (const quadratic of results) {
    if (!quadratic.scene.endsWith(', quadratic') || quadratic.threads !== 1) continue;
    const name = quadratic.scene.replace(/, quadratic$/, '');
    const linear = results.find((r) => r.scene === name && r.threads === 1);
    if (linear) return quadratic.nsPerPair / linear.nsPerPair;
  }
  return null;
}

function summary(results: readonly BenchResult[], quadraticOverLinear: number | null): string {
  const cubes = results.filter((r) => /^cube \d+$/.test(r.scene) && r.threads === 1);
  const first = cubes[0];
  const last = cubes.at(-1);
  const lines = results
    .filter((r) => r.comparison && r.threads === 1)
    .map((r) => `${r.scene}: ours ${(1000 / r.msPerStep).toFixed(0)} steps/s; ${r.comparison!.source}`);
  if (quadraticOverLinear !== null) {
    lines.unshift(
      `a pair costs ${quadraticOverLinear.toFixed(2)} times as much with the quadratic fit as with the linear`,
    );
  }
  if (first && last && first !== last) {
    const growth = last.nsPerPair / first.nsPerPair;
    lines.unshift(
      `cost per pair grows ${growth.toFixed(2)} times from ${first.particles} to ${last.particles} particles`,
    );
  }
  return `\n${lines.join('\n')}\n`;
}
