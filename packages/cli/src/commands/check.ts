import type { Command } from 'commander';
import { type Scene, type StepLimit, type Substeps, scaleScene } from 'phyxel';
import pc from 'picocolors';
import { parseScale, parseSeconds, parseThreads } from '../arguments.js';
import {
  core,
  isIterative,
  isLiquid,
  type LoadOptions,
  presentParticles,
  type SimulationWorld,
  type StepReport,
} from '../core.js';
import { checkMemory, estimateCrumbs, estimateMelted, formatBytes, iterationBytes } from '../memory.js';
import { formatDuration, formatNumber } from '../progress.js';
import { firstStep, pressureIterations } from '../run/records.js';
import { openScene, readInside, readMeshInside, withLocations } from '../scene-file.js';
import { isNewWarning } from '../warnings.js';
import { frameCount } from './run.js';

/** What a scene would do. */
export interface CheckReport {
  readonly scene: string;
  /** Equilibrium instead of motion: one frame of one step that takes no time. */
  readonly static?: true;
  readonly bodies: readonly {
    readonly name: string;
    readonly kind: 'solid' | 'fluid' | 'rigid';
    /** Of a source: the most that there may be of it at a time. */
    readonly particles: number;
    /** Comes out of a source; there is nothing of it at the start. */
    readonly emitted?: true;
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
  /** At the start. */
  readonly mass: number;
  /** Mean number of neighbours of a particle; of liquids after the trial. */
  readonly neighbours: number;
  /**
   * The step that would be taken at the start, exactly; deformation and contact shorten it later. An implicit
   * one is at most a frame long, an equilibrium takes no time [s].
   */
  readonly timeStep: number;
  readonly limitedBy: string;
  /** The body that asks for it, where one does. */
  readonly limitedByBody?: string | undefined;
  /** The steps that bodies would take within those of a liquid [s], what sets them, and who asks for them. */
  readonly substep?: StepLimit | undefined;
  /**
   * What the world takes after the trial, exactly; for an equilibrium that was tried coarser, about; where solids can
   * melt and have not in the trial, about what it takes once they do.
   */
  readonly memoryBytes: number;
  /** What it takes after the trial, where it takes more once solids melt. */
  readonly solidMemoryBytes?: number;
  /** What comes to that at the most, when all that can break crumbles to single particles. */
  readonly crumbsMemoryBytes?: number;
  readonly frames: number;
  /** The beginning of the scene, really simulated; of a static scene the equilibrium, with fewer particles. */
  readonly trial: {
    readonly particles: number;
    /** Simulated time [s]. */
    readonly seconds: number;
    readonly steps: number;
    /** [s] */
    readonly shortestTimeStep: number;
    /** Only of bodies in liquids: their steps within those of the liquid, the shortest, and who asked for it. */
    readonly substeps?: Substeps | undefined;
    /** Only of implicit and static scenes. */
    readonly newtonIterations?: number;
    /** Of conjugate gradients. */
    readonly iterations?: number;
    /** Only of liquids: their particles at the end, and iterations for each of their steps. */
    readonly liquidParticles?: number;
    readonly pressureIterations?: number;
    readonly viscosityIterations?: number;
    /** Only where heat counts: its steps, and conjugate gradient iterations of the implicit ones. */
    readonly heat?: { readonly explicitSteps: number; readonly implicitSteps: number; readonly iterations: number };
  };
  /** Estimate: the steps of the trial, and for the rest midway between its mean and its busiest frame. */
  readonly steps: number;
  readonly threads: number;
  /** Mean of the trial, on this machine; scaled to all particles. */
  readonly millisecondsPerStep: number;
  /** Estimate, from the two above. */
  readonly wallSeconds: number;
}

/** How long a trial takes at most when nobody says [s]. */
const TRIAL = 0.4;
/** An equilibrium of more particles is tried with about so many. */
const STATIC_TRIAL_PARTICLES = 2000;
/** A trial asks for the time in portions of this share of it. */
const PORTION = 0.1;
/** Times at which the particles of a run are counted for their mean. */
const MEAN_SAMPLES = 100;
/** A trial of so many steps takes half of its time. */
const ENOUGH_STEPS = 300;
/** Portions of one step each that warm up and are not timed. */
const WARM_UP = 2;

export function registerCheck(program: Command): void {
  program
    .command('check')
    .description('validate a scene and say what running it would take')
    .argument('<scene>', 'scene file, JSON or YAML')
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--trial <seconds>', 'how long to simulate for the estimate: longer is nearer', parseSeconds, TRIAL)
    .option('--json', 'print JSON')
    .option('--scale <factor>', 'of the resolution: 0.5 has twice the spacing', parseScale, 1)
    .action(async (path: string, flags: { threads: 'auto' | number; scale: number; trial: number; json?: true }) => {
      const { scene: original, folder } = openScene(path);
      const scene = scaleScene(original, flags.scale);
      await withLocations(path, () => checkMemory(scene, (file) => readMeshInside(folder, file)));
      const options: LoadOptions = { threads: flags.threads, readFile: (file) => readInside(folder, file) };
      const world = await withLocations(path, () => core.loadScene(scene, options));
      try {
        const found = scene.static ? await examineStatic(scene, world, options) : examine(scene, world, flags.trial);
        const readMesh = (file: string) => readMeshInside(folder, file);
        const melted = await estimateMelted(scene, readMesh);
        const crumbs = await estimateCrumbs(scene, readMesh);
        const melts = melted > found.memoryBytes;
        const report = {
          ...found,
          ...(melts ? { memoryBytes: Math.round(melted), solidMemoryBytes: found.memoryBytes } : {}),
          ...(crumbs > 0 ? { crumbsMemoryBytes: Math.round(crumbs) } : {}),
        };
        process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeReport(report));
      } finally {
        await world.dispose();
      }
    });
}

/** What is known of a scene before it moves. */
function describeWorld(scene: Scene, world: SimulationWorld) {
  const bodies = world.bodies.map(({ name, kind, begin, end, mass, spacing, warnings, quality }) => ({
    name,
    kind,
    ...(scene.emitters.some((emitter) => emitter.name === name) ? { emitted: true as const } : {}),
    particles: end - begin,
    mass,
    spacing,
    secondMomentError: quality ? Math.max(...quality.secondMomentError.map(Math.abs)) : null,
    warnings: [...warnings],
  }));
  return {
    scene: scene.name,
    ...(scene.static ? { static: true as const } : {}),
    bodies,
    warnings: [...world.warnings],
    particles: world.particleCount,
    mass: world.mass,
    neighbours: world.particleCount === 0 ? 0 : world.pairCount / world.particleCount,
    ...firstStep(scene, world),
    ...(scene.static ? {} : { substep: world.stableSubstep() }),
    memoryBytes: world.memoryBytes,
    frames: frameCount(scene),
    threads: world.threads,
  };
}

/** `seconds` is how long the trial may take. */
export function examine(scene: Scene, world: SimulationWorld, seconds = TRIAL): CheckReport {
  const start = describeWorld(scene, world);
  const { frames, warnings } = start;
  const { stepsPerSecond, millisecondsPerStep, ...trial } = tryOut(scene, world, frames, warnings, 1000 * seconds);
  const end = frames / scene.frameRate;
  const stepsToGo = Math.ceil(Math.max(0, end - trial.seconds) * stepsPerSecond);
  const growth = meanParticles(scene, start, trial.seconds, end) / meanParticles(scene, start, 0, trial.seconds);
  const steps = trial.steps + stepsToGo;
  return {
    ...start,
    ...(isLiquid(scene) ? { neighbours: world.pairCount / Math.max(1, presentParticles(world)) } : {}),
    // What implicit steps and heat need is made at the first of them.
    memoryBytes: world.memoryBytes,
    trial,
    steps,
    millisecondsPerStep,
    wallSeconds: ((trial.steps + stepsToGo * growth) * millisecondsPerStep) / 1000,
  };
}

/** About how many particles there are between two times, by what sources put in; sinks are not foreseen. */
export function meanParticles(
  { emitters }: Pick<Scene, 'emitters'>,
  { bodies }: Pick<CheckReport, 'bodies'>,
  from: number,
  to: number,
): number {
  const lasting = bodies.reduce((sum, { particles, emitted }) => sum + (emitted ? 0 : particles), 0);
  const at = (time: number) =>
    emitters.reduce((sum, { radius, speed, rate, spacing, start, stop, maxParticles }) => {
      const volume = (rate ?? speed! * Math.PI * radius ** 2) * Math.max(0, Math.min(time, stop) - start);
      return sum + Math.min(maxParticles, volume / spacing ** 3);
    }, lasting);
  let total = 0;
  for (let k = 0; k < MEAN_SAMPLES; k++) total += at(from + ((k + 0.5) / MEAN_SAMPLES) * (to - from));
  return Math.max(1, total / MEAN_SAMPLES);
}

/**
 * How long the search for an equilibrium takes is not known before its end. So a scene of many particles is
 * tried with fewer of them; conjugate gradients then take longer by the particles and by how many there are
 * in a row.
 */
export async function examineStatic(scene: Scene, world: SimulationWorld, options: LoadOptions): Promise<CheckReport> {
  const start = describeWorld(scene, world);
  const { particles, warnings } = start;
  const coarse = particles > 2 * STATIC_TRIAL_PARTICLES ? await loadCoarse(scene, particles, options) : undefined;
  const tried = coarse ?? world;
  const started = performance.now();
  let report: StepReport | undefined;
  try {
    report = tried.solveStatic();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SimulationError') throw error;
    warnings.push(`no equilibrium was found: ${error.message}`);
  }
  const ratio = particles / tried.particleCount;
  const wallSeconds = ((performance.now() - started) / 1000) * ratio ** (4 / 3);
  const trial = {
    particles: tried.particleCount,
    seconds: 0,
    steps: report?.steps ?? 0,
    shortestTimeStep: 0,
    newtonIterations: report?.newtonIterations ?? 0,
    iterations: report?.iterations ?? 0,
  };
  for (const warning of report?.warnings ?? []) if (isNewWarning(warning, warnings)) warnings.push(warning);
  await coarse?.dispose();
  return {
    ...start,
    memoryBytes: coarse ? start.memoryBytes + extraBytes(scene, world) : world.memoryBytes,
    trial,
    steps: 1,
    millisecondsPerStep: 1000 * wallSeconds,
    wallSeconds,
  };
}

/** About what the search will take on top of what is there [bytes]. */
function extraBytes(scene: Scene, world: SimulationWorld): number {
  return world.bodies.reduce(
    (sum, { begin, end }, k) => sum + (end - begin) * iterationBytes(scene, scene.bodies[k]!),
    0,
  );
}

/** The scene with fewer particles; nothing when that is too coarse for a shape or a region. */
async function loadCoarse(scene: Scene, particles: number, options: LoadOptions): Promise<SimulationWorld | undefined> {
  const share = STATIC_TRIAL_PARTICLES / particles;
  const bodies = scene.bodies.map((body) =>
    body.spacing === undefined
      ? { ...body, particles: Math.max(1, Math.round((body.particles ?? 0) * share)) }
      : { ...body, spacing: body.spacing / Math.cbrt(share) },
  );
  let world: SimulationWorld | undefined;
  try {
    world = await core.loadScene({ ...scene, bodies }, options);
    // Lays the world out, which finds what is wrong with it.
    void world.pairCount;
    return world;
  } catch (error) {
    await world?.dispose();
    if (error instanceof Error && (error.name === 'OptionError' || error.name === 'SceneError')) return undefined;
    throw error;
  }
}

/**
 * Simulates from the start as a run would, for a short while at most. A frame that takes longer is cut into
 * equal portions. Adds what the world warns of to `warnings`.
 */
function tryOut(scene: Scene, world: SimulationWorld, frames: number, warnings: string[], most: number) {
  const { frameRate } = scene;
  const iterative = isIterative(scene);
  const effort = { newtonIterations: 0, iterations: 0 };
  const liquid = { steps: 0, pressure: 0, viscosity: 0 };
  let substeps: Substeps | undefined;
  const heat = { explicitSteps: 0, implicitSteps: 0, iterations: 0 };
  const started = performance.now();
  let timedFrom = started;
  let untimedSteps = 0;
  let steps = 0;
  let shortestTimeStep = firstStep(scene, world).timeStep;
  let frame = { start: 0, steps: 0 };
  let busiest = 0;
  // What has been timed over many steps is not known better after twice as many.
  const isGoing = () => performance.now() - started < (steps - untimedSteps < ENOUGH_STEPS ? most : most / 2);
  const millisecondsPerStep = () => (performance.now() - timedFrom) / Math.max(1, steps - untimedSteps);
  for (let portion = 0; world.time < frames / frameRate && isGoing(); portion++) {
    if (portion === WARM_UP) {
      timedFrom = performance.now();
      untimedSteps = steps;
    }
    const stepsAtOnce = portion <= WARM_UP ? 1 : Math.max(1, Math.floor((PORTION * most) / millisecondsPerStep()));
    const frameEnd = (Math.floor(world.time * frameRate + 1e-6) + 1) / frameRate;
    const remaining = frameEnd - world.time;
    // Implicit steps are cut only by what limits them: shorter ones would say nothing about longer ones.
    // Bodies in a liquid take several steps within one of its own, which is not cut.
    const { timeStep } = world.stableTimeStep();
    const atOnce = Math.max(timeStep, stepsAtOnce * (world.stableSubstep()?.timeStep ?? timeStep));
    const portions = iterative ? 1 : Math.ceil(remaining / atOnce);
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
    effort.newtonIterations += report.newtonIterations;
    effort.iterations += report.iterations;
    if (report.fluid) {
      liquid.steps += report.fluid.steps;
      liquid.pressure += report.fluid.steps * pressureIterations(report.fluid);
      liquid.viscosity += report.fluid.steps * report.fluid.viscosityIterations;
    }
    if (report.heat) {
      heat.explicitSteps += report.heat.explicitSteps;
      heat.implicitSteps += report.heat.implicitSteps;
      heat.iterations += report.heat.iterations;
    }
    shortestTimeStep = Math.min(shortestTimeStep, report.timeStep);
    if (report.substeps) {
      const { steps: more, ...asked } = report.substeps;
      substeps = !substeps || asked.timeStep < substeps.timeStep ? { ...asked, steps: substeps?.steps ?? 0 } : substeps;
      substeps.steps += more;
    }
    for (const warning of report.warnings) if (isNewWarning(warning, warnings)) warnings.push(warning);
    if (portions <= 1) {
      busiest = Math.max(busiest, frame.steps * frameRate);
      frame = { start: frameEnd, steps: 0 };
    }
  }
  // A frame that was begun counts as far as it went.
  if (frame.steps > 0) busiest = Math.max(busiest, frame.steps / (world.time - frame.start));
  return {
    particles: world.particleCount,
    seconds: world.time,
    steps,
    shortestTimeStep,
    ...(substeps ? { substeps } : {}),
    ...(iterative ? effort : {}),
    ...(isLiquid(scene)
      ? {
          liquidParticles: world.liquidCount,
          pressureIterations: liquid.pressure / Math.max(1, liquid.steps),
          viscosityIterations: liquid.viscosity / Math.max(1, liquid.steps),
        }
      : {}),
    ...(world.isThermal ? { heat } : {}),
    stepsPerSecond: steps === 0 ? 1 / shortestTimeStep : (steps / world.time + busiest) / 2,
    millisecondsPerStep: millisecondsPerStep(),
  };
}

export function describeReport(report: CheckReport): string {
  const lines = [pc.bold(report.scene)];
  for (const { name, kind, emitted, particles, mass, spacing, secondMomentError } of report.bodies) {
    const quality =
      secondMomentError === null ? '' : `, second moments of volume within ${formatNumber(100 * secondMomentError)} %`;
    const what = emitted ? 'emitter' : kind === 'solid' ? 'body' : `${kind} body`;
    const count = emitted ? `at most ${particles} particles` : `${particles} particles, ${formatNumber(mass)} kg`;
    lines.push(`${what} ${name}: ${count}, spacing ${formatNumber(spacing)} m${quality}`);
  }
  lines.push(
    `total: ${report.particles} particles, ${formatNumber(report.mass)} kg, ${formatNumber(report.neighbours)} neighbours each`,
    ...(report.static ? [] : describeTimeStep(report)),
    `memory: ${describeMemory(report)}`,
    ...(report.static ? describeEquilibrium(report) : describeMotion(report)),
  );
  for (const warning of report.warnings) lines.push(`${pc.yellow('warning')} ${warning}`);
  return `${lines.join('\n')}\n`;
}

function describeMemory({ memoryBytes, solidMemoryBytes, crumbsMemoryBytes }: CheckReport): string {
  const most = formatBytes(memoryBytes);
  const told =
    solidMemoryBytes === undefined ? most : `${formatBytes(solidMemoryBytes)}, about ${most} once solids melt`;
  if (crumbsMemoryBytes === undefined) return told;
  return `${told}, at most ${formatBytes(crumbsMemoryBytes)} more for pieces if all that can break crumbles`;
}

/** Of a step; nothing limits that of a lone particle at rest. */
function lengthOf(timeStep: number): string {
  return Number.isFinite(timeStep) ? `${formatNumber(timeStep)} s` : 'a whole frame';
}

function describeTimeStep({ timeStep, limitedBy, limitedByBody, substep, trial }: CheckReport): string[] {
  const line = (what: string, of: StepLimit) =>
    Number.isFinite(of.timeStep)
      ? `${what}: ${lengthOf(of.timeStep)}, limited by ${of.limitedBy}${of.body === undefined ? '' : ` of ${of.body}`}`
      : `${what}: ${lengthOf(of.timeStep)}`;
  const lines = [line('time step', { timeStep, limitedBy, body: limitedByBody })];
  // What bodies ask for when they touch something is known after the trial.
  const asked = trial.substeps ?? substep;
  if (!asked) return lines;
  const count = trial.substeps ? `, ${trial.substeps.steps} of them in the trial` : '';
  return [...lines, `${line('bodies in the liquid, within each of its steps', asked)}${count}`];
}

function describeMotion({ frames, steps, timeStep, trial, wallSeconds, millisecondsPerStep, threads }: CheckReport) {
  const { newtonIterations, iterations, liquidParticles } = trial;
  const lines = [
    `frames: ${frames}, about ${steps} steps (time step now ${lengthOf(timeStep)}; ` +
      `shortest seen in a trial of ${formatNumber(trial.seconds)} s: ${lengthOf(trial.shortestTimeStep)})`,
  ];
  if (newtonIterations !== undefined && iterations !== undefined && trial.steps > 0) {
    const each = (count: number) => formatNumber(count / trial.steps);
    lines.push(`each step: ${each(newtonIterations)} Newton and ${each(iterations)} conjugate gradient iterations`);
  }
  if (liquidParticles !== undefined) {
    const viscous = trial.viscosityIterations ? ` and ${formatNumber(trial.viscosityIterations)} viscosity` : '';
    lines.push(
      `liquid: ${liquidParticles} particles after the trial; each step: ${formatNumber(trial.pressureIterations ?? 0)} pressure${viscous} iterations`,
    );
  }
  if (trial.heat) {
    const { explicitSteps, implicitSteps, iterations: solved } = trial.heat;
    const implicit = implicitSteps > 0 ? ` and ${implicitSteps} implicit steps with ${solved} iterations` : '';
    lines.push(`heat: ${explicitSteps} explicit steps${implicit} in the trial`);
  }
  lines.push(
    `estimated time: ${formatDuration(wallSeconds)}, with ${formatNumber(millisecondsPerStep)} ms per step on ${threads} threads`,
  );
  return lines;
}

function describeEquilibrium({ trial, wallSeconds, threads }: CheckReport) {
  const { particles, newtonIterations, iterations } = trial;
  return [
    `equilibrium: ${newtonIterations} Newton and ${iterations} conjugate gradient iterations in a trial with ${particles} particles`,
    `estimated time: ${formatDuration(wallSeconds)} on ${threads} threads`,
  ];
}
