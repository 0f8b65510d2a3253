import type { Command } from 'commander';
import type { Scene } from 'phyxel';
import pc from 'picocolors';
import { parseThreads } from '../arguments.js';
import { core, type SimulationWorld, type StepReport } from '../core.js';
import { checkMemory, formatBytes } from '../memory.js';
import { formatDuration, formatNumber } from '../progress.js';
import { openScene, readInside, readMeshInside, withLocations } from '../scene-file.js';
import { isNewWarning } from '../warnings.js';
import { frameCount } from './run.js';

/** What a scene would do. */
export interface CheckReport {
  readonly scene: string;
  readonly bodies: readonly {
    readonly name: string;
    readonly particles: number;
    /** [kg] */
    readonly mass: number;
    /** [m] */
    readonly spacing: number;
    /** Largest relative error of the shape's second moments with particles as points; null when not known [1]. */
    readonly secondMomentError: number | null;
    readonly warnings: readonly string[];
  }[];
  readonly warnings: readonly string[];
  readonly particles: number;
  readonly mass: number;
  /** Mean number of neighbours of a particle. */
  readonly neighbours: number;
  /** The step that would be taken at the start, exactly; deformation and contact shorten it later [s]. */
  readonly timeStep: number;
  readonly limitedBy: string;
  /** What the world takes at the start, exactly. */
  readonly memoryBytes: number;
  readonly frames: number;
  /** The beginning of the scene, really simulated. */
  readonly trial: {
    /** Simulated time [s]. */
    readonly seconds: number;
    readonly steps: number;
    /** [s] */
    readonly shortestTimeStep: number;
  };
  /** Estimate: the steps of the trial, and for the rest midway between its mean and its busiest frame. */
  readonly steps: number;
  readonly threads: number;
  /** Mean of the trial, on this machine. */
  readonly millisecondsPerStep: number;
  /** Estimate, from the two above. */
  readonly wallSeconds: number;
}

/** How long a trial may take [ms], and in what portions it asks for the time. */
const TRIAL = 2000;
const PORTION = 200;
/** Portions of one step each that warm up and are not timed. */
const WARM_UP = 2;

export function registerCheck(program: Command): void {
  program
    .command('check')
    .description('validate a scene and say what running it would take')
    .argument('<scene>', 'scene file, JSON or YAML')
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--json', 'print JSON')
    .action(async (path: string, flags: { threads: 'auto' | number; json?: true }) => {
      const { scene, folder } = openScene(path);
      await withLocations(path, () => checkMemory(scene, (file) => readMeshInside(folder, file)));
      const world = await withLocations(path, () =>
        core.loadScene(scene, { threads: flags.threads, readFile: (file) => readInside(folder, file) }),
      );
      try {
        const report = examine(scene, world);
        process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
      } finally {
        await world.dispose();
      }
    });
}

export function examine(scene: Scene, world: SimulationWorld): CheckReport {
  const { timeStep, limitedBy } = world.stableTimeStep();
  const bodies = world.bodies.map(({ name, begin, end, mass, spacing, warnings, quality }) => ({
    name,
    particles: end - begin,
    mass,
    spacing,
    secondMomentError: quality ? Math.max(...quality.secondMomentError.map(Math.abs)) : null,
    warnings: [...warnings],
  }));
  const { memoryBytes } = world;
  const warnings = [...world.warnings];
  const frames = frameCount(scene);
  const { stepsPerSecond, millisecondsPerStep, ...trial } = tryOut(world, scene.frameRate, frames, warnings);
  const steps = trial.steps + Math.ceil(Math.max(0, frames / scene.frameRate - trial.seconds) * stepsPerSecond);
  return {
    scene: scene.name,
    bodies,
    warnings,
    particles: world.particleCount,
    mass: world.mass,
    neighbours: world.particleCount === 0 ? 0 : world.pairCount / world.particleCount,
    timeStep,
    limitedBy,
    memoryBytes,
    frames,
    trial,
    steps,
    threads: world.threads,
    millisecondsPerStep,
    wallSeconds: (steps * millisecondsPerStep) / 1000,
  };
}

/**
 * Simulates from the start as a run would, for a short while at most. A frame that takes longer is cut into
 * equal portions. Adds what the world warns of to `warnings`.
 */
function tryOut(world: SimulationWorld, frameRate: number, frames: number, warnings: string[]) {
  const started = performance.now();
  let timedFrom = started;
  let untimedSteps = 0;
  let steps = 0;
  let shortestTimeStep = world.stableTimeStep().timeStep;
  let frame = { start: 0, steps: 0 };
  let busiest = 0;
  const millisecondsPerStep = () => (performance.now() - timedFrom) / Math.max(1, steps - untimedSteps);
  for (let portion = 0; world.time < frames / frameRate && performance.now() - started < TRIAL; portion++) {
    if (portion === WARM_UP) {
      timedFrom = performance.now();
      untimedSteps = steps;
    }
    const stepsAtOnce = portion <= WARM_UP ? 1 : Math.max(1, Math.floor(PORTION / millisecondsPerStep()));
    const frameEnd = (Math.floor(world.time * frameRate + 1e-6) + 1) / frameRate;
    const remaining = frameEnd - world.time;
    const portions = Math.ceil(remaining / (stepsAtOnce * world.stableTimeStep().timeStep));
    let report: StepReport;
    try {
      report = world.stepTo(portions <= 1 ? frameEnd : world.time + remaining / portions);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'SimulationError') throw error;
      warnings.push(`the simulation breaks down after ${formatNumber(world.time)} s: ${error.message}`);
      break;
    }
    steps += report.steps;
    frame.steps += report.steps;
    shortestTimeStep = Math.min(shortestTimeStep, report.timeStep);
    for (const warning of report.warnings) if (isNewWarning(warning, warnings)) warnings.push(warning);
    if (portions <= 1) {
      busiest = Math.max(busiest, frame.steps * frameRate);
      frame = { start: frameEnd, steps: 0 };
    }
  }
  // A frame that was begun counts as far as it went.
  if (frame.steps > 0) busiest = Math.max(busiest, frame.steps / (world.time - frame.start));
  return {
    seconds: world.time,
    steps,
    shortestTimeStep,
    stepsPerSecond: steps === 0 ? 1 / shortestTimeStep : (steps / world.time + busiest) / 2,
    millisecondsPerStep: millisecondsPerStep(),
  };
}

function describe(report: CheckReport): string {
  const lines = [pc.bold(report.scene)];
  for (const { name, particles, mass, spacing, secondMomentError } of report.bodies) {
    const quality =
      secondMomentError === null ? '' : `, second moments of volume within ${formatNumber(100 * secondMomentError)} %`;
    lines.push(
      `body ${name}: ${particles} particles, ${formatNumber(mass)} kg, spacing ${formatNumber(spacing)} m${quality}`,
    );
  }
  lines.push(
    `total: ${report.particles} particles, ${formatNumber(report.mass)} kg, ${formatNumber(report.neighbours)} neighbours each`,
    `time step: ${formatNumber(report.timeStep)} s, limited by ${report.limitedBy}`,
    `memory: ${formatBytes(report.memoryBytes)}`,
    `frames: ${report.frames}, about ${report.steps} steps (time step now ${formatNumber(report.timeStep)} s; ` +
      `shortest seen in a trial of ${formatNumber(report.trial.seconds)} s: ${formatNumber(report.trial.shortestTimeStep)} s)`,
    `estimated time: ${formatDuration(report.wallSeconds)}, with ${formatNumber(report.millisecondsPerStep)} ms per step on ${report.threads} threads`,
  );
  for (const warning of report.warnings) lines.push(`${pc.yellow('warning')} ${warning}`);
  return `${lines.join('\n')}\n`;
}
