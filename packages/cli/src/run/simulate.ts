/** A run from its first or its last frame to the end, with everything it leaves behind. */
import { join, relative, resolve, sep } from 'node:path';
import { meshFilesOf, type Scene, type Substeps } from 'phyxel';
import {
  type Core,
  type FrameProgress,
  hasFreeSurface,
  isIterative,
  isLiquid,
  type LoadOptions,
  mayMelt,
  presentParticles,
  type SimulationWorld,
  type StepReport,
} from '../core.js';
import { CommandError, describeFileError, EXIT } from '../errors.js';
import { digestFile, readInside, withLocations } from '../scene-file.js';
import { isNewWarning } from '../warnings.js';
import { type Inputs, RunFolder } from './folder.js';
import { type Frame, type FrameArray, packComponents } from './frame-file.js';
import type { Fineness } from './liquid-surface.js';
import {
  addTimings,
  askersOf,
  type Effort,
  effortOf,
  type FrameRecord,
  pressureIterations,
  type RunProgress,
  type RunStatus,
  reasonToEnd,
  recordFrame,
  runDocument,
  totalEffort,
} from './records.js';
import { SurfaceCache } from './surface-cache.js';

export interface RunJob {
  readonly scene: Scene;
  /** Where the scene was read from. */
  readonly sceneFile: string;
  /** Canonical text of the scene. */
  readonly sceneText: string;
  /** Factor of the scene file's resolution, which the scene has already; 1 when left out. */
  readonly scale?: number | undefined;
  /** The folder that mesh files are in. */
  readonly sceneFolder: string;
  readonly out: string;
  /** Frames after frame 0; the equilibrium of a static scene is one. */
  readonly frames: number;
  readonly threads: 'auto' | number;
  readonly resume: boolean;
  /** Replace a run that is in the folder. */
  readonly force?: boolean;
  /** Keep surfaces of liquids beside the frames, as fine as this. */
  readonly surfaces?: Fineness | undefined;
  /** Least time between checkpoints, so that cheap frames are not slowed down [s]. */
  readonly checkpointInterval: number;
}

export type RunEvent =
  | {
      readonly event: 'start';
      readonly scene: string;
      /** Equilibrium instead of motion. */
      readonly static?: true;
      readonly out: string;
      readonly particles: number;
      readonly threads: number;
      /** The last frame that is already there. */
      readonly frame: number;
      readonly frames: number;
      readonly resumed: boolean;
    }
  | ({
      readonly event: 'frame';
      readonly frame: number;
      readonly frames: number;
      readonly time: number;
      readonly steps: number;
      readonly timeStep: number;
      readonly limitedBy: string;
      readonly limitedByBody?: string;
      readonly substeps?: Substeps;
      /** Of the solutions for the pressures of liquids, in each step of theirs; only where there is liquid. */
      readonly pressureIterations?: number;
      /** In the world now. */
      readonly particles: number;
      readonly stateHash: string;
      /** Seconds to go. */
      readonly eta: number;
    } & Effort)
  | ({
      /** How far a long frame is. */
      readonly event: 'progress';
      readonly frame: number;
      readonly frames: number;
      /** Of the frame that is done [1]. */
      readonly share: number;
    } & Omit<FrameProgress, 'start' | 'end' | 'warnings'>)
  | { readonly event: 'warning'; readonly message: string }
  | ({
      readonly event: 'done' | 'interrupted';
      readonly static?: true;
      readonly out: string;
      readonly frame: number;
      readonly frames: number;
      /** Why it ended before its duration. */
      readonly reason?: string;
      readonly steps: number;
      readonly wallSeconds: number;
      readonly stateHash: string;
    } & Effort);

/** What may be wrong with a scene that has no equilibrium. */
const STATIC_CURE =
  'a body needs constraints that hold it in place, a larger solver.solid.tolerance is easier to meet, ' +
  'and without static the motion shows where it goes';

/** Checkpoints take at most about this share of the time. */
const CHECKPOINT_SHARE = 0.1;

/** A frame that takes longer tells how far it is, as often as this [ms]. */
const LONG_FRAME = 1000;
/** Messages of other threads come in after this time, within a frame too [ms]. */
const SLICE = 50;

/**
 * Runs the job. `shouldStop` is asked after every step and frame; a run that stops early has a checkpoint of
 * that step. Errors leave every file as of the last frame or checkpoint.
 */
export async function simulate(
  job: RunJob,
  core: Core,
  report: (event: RunEvent) => void,
  shouldStop: () => boolean,
): Promise<'finished' | 'interrupted'> {
  const folder = new RunFolder(job.out);
  const unlock = folder.lock();
  try {
    return await simulateInto(folder, job, core, report, shouldStop);
  } finally {
    unlock();
  }
}

async function simulateInto(
  folder: RunFolder,
  job: RunJob,
  core: Core,
  report: (event: RunEvent) => void,
  shouldStop: () => boolean,
): Promise<'finished' | 'interrupted'> {
  const run = await openRun(folder, job, core);
  try {
    await run.openSurfaces();
    return await run.advance(report, shouldStop);
  } finally {
    run.folder.close();
    await run.surfaces?.dispose();
    await run.world?.dispose();
  }
}

async function openRun(folder: RunFolder, job: RunJob, core: Core): Promise<Run> {
  const files = [job.sceneFile, ...meshFilesOf(job.scene).map(({ file }) => join(job.sceneFolder, file))];
  const inputs: Record<string, string> = {};
  const contents = new Map<string, Uint8Array>();
  const options: LoadOptions = {
    threads: job.threads,
    readFile: async (path) => {
      const bytes = await readInside(job.sceneFolder, path);
      const digest = digestFile(bytes);
      inputs[path] = digest;
      contents.set(digest, bytes);
      return bytes;
    },
  };

  if (job.resume) {
    const sceneText = folder.sceneText();
    if (sceneText !== undefined && sceneText !== job.sceneText) {
      throw new CommandError(
        `cannot resume: the scene differs from ${folder.file('scene.json')}; --force instead of --resume starts again`,
        EXIT.badInput,
      );
    }
    const checkpoint = folder.readCheckpoint();
    if (checkpoint) {
      const unchanged = await checkInputs(job, checkpoint.progress.inputs);
      const { progress, state } = checkpoint;
      const isComplete = progress.records.length > job.frames || reasonToEnd(job.scene, progress.records) !== undefined;
      folder.checkInputs(files, { sceneStays: true });
      folder.checkFrames(progress.records);
      const world = isComplete ? undefined : await core.loadCheckpoint(state, options);
      folder.rewind(job.scene, progress.records, progress.logLength);
      folder.keepInputs(unchanged);
      return new Run(job, folder, world, progress);
    }
  }

  folder.checkInputs(files, { sceneStays: false });
  if (!job.force) folder.checkReplaceable(job);
  const world = await withLocations(job.sceneFile, () => core.loadScene(job.scene, options));
  const progress: RunProgress = {
    records: [],
    sceneFile: sceneFileOf(job),
    ...scaleOf(job),
    inputs,
    particles: world.particleCount,
    pairs: world.pairCount,
    threads: world.threads,
    bodies: world.bodies.map(({ name, begin, end, spacing, mass, parts, warnings }) => ({
      name,
      particles: end - begin,
      spacing,
      mass,
      ...(parts && { parts }),
      warnings: [...warnings],
    })),
    wallSeconds: 0,
    passes: {},
    warnings: [],
    logLength: 0,
  };
  folder.create(job.scene, job.sceneText, runDocument(job.scene, job.frames, 'running', progress), contents);
  const run = new Run(job, folder, world, progress);
  if (job.resume) run.notes.push('there is no checkpoint to resume from, starting at frame 0');
  run.notes.push(...world.warnings);
  return run;
}

/** Only where it is not that of the scene file. */
function scaleOf({ scale = 1 }: RunJob): { readonly scale?: number } {
  return scale === 1 ? {} : { scale };
}

/** With forward slashes, so that the folder means the same elsewhere. */
function sceneFileOf(job: RunJob): string {
  return relative(resolve(job.out), resolve(job.sceneFile)).split(sep).join('/');
}

/** A mesh that changed would give a run of two halves. */
async function checkInputs(job: RunJob, inputs: Readonly<Record<string, string>>): Promise<Inputs> {
  const contents = new Map<string, Uint8Array>();
  for (const [path, digest] of Object.entries(inputs)) {
    const bytes = await readInside(job.sceneFolder, path);
    contents.set(digest, bytes);
    if (digestFile(bytes) !== digest) {
      throw new CommandError(
        `cannot resume: ${path} has changed since the run began; --force instead of --resume starts again`,
        EXIT.badInput,
      );
    }
  }
  return contents;
}

/** What scenes may ask for. */
const TENSORS: Readonly<Record<Scene['arrays'][number], (world: SimulationWorld) => Float32Array>> = {
  stressTensor: (world) => world.stressTensors(),
  strainTensor: (world) => world.strainTensors(),
  velocityGradient: (world) => world.velocityGradients(),
};

/**
 * What a frame file holds of every particle; also plastic strains, damage and pieces, and temperatures where there are any, and of
 * liquids which slots are taken, and pressures.
 */
function frameArrays(world: SimulationWorld, scene: Scene): FrameArray[] {
  const particles = world.particleCount;
  const positions = world.positions();
  const arrays = [
    { name: 'position', components: 3, values: packComponents(positions, particles, 3) },
    { name: 'velocity', components: 3, values: packComponents(world.velocities(), particles, 3) },
    { name: 'stress', components: 1, values: packComponents(world.stresses(), particles, 1) },
  ];
  for (const name of scene.arrays) {
    const values = TENSORS[name](world);
    arrays.push({ name, components: values.length / particles, values });
  }
  const warmth = world.isThermal
    ? [
        { name: 'temperature', components: 1, values: world.temperatures() },
        { name: 'liquidFraction', components: 1, values: world.liquidFractions() },
      ]
    : [];
  const flow = world.isPlastic ? [{ name: 'plasticStrain', components: 1, values: world.plasticStrains() }] : [];
  const cracks = world.isBreakable
    ? [
        { name: 'damage', components: 1, values: world.damages() },
        { name: 'piece', components: 1, values: Float32Array.from(world.pieces()) },
      ]
    : [];
  const melts = world.isThermal && scene.bodies.some(mayMelt);
  if (!hasFreeSurface(scene) && !melts) return [...arrays, ...flow, ...cracks, ...warmth];
  return [
    ...arrays,
    ...flow,
    ...cracks,
    ...warmth,
    {
      name: 'present',
      components: 1,
      values: Float32Array.from({ length: particles }, (_, i) => positions[4 * i + 3]!),
    },
    ...(isLiquid(scene) || melts
      ? [
          { name: 'pressure', components: 1, values: world.pressures() },
          { name: 'density', components: 1, values: world.densities() },
        ]
      : []),
  ];
}

class Run {
  /** Warnings to begin with. */
  readonly notes: string[] = [];
  readonly #warnings: string[];
  readonly #records: FrameRecord[];
  readonly #started = performance.now();
  #lastCheckpoint = Number.NEGATIVE_INFINITY;
  #checkpointCost = 0;
  /** The frame of the checkpoint on disk. */
  #checkpointFrame: number | undefined;
  /** Its time [s], when it is within the frame after that. */
  #checkpointTime: number | undefined;

  constructor(
    readonly job: RunJob,
    readonly folder: RunFolder,
    /** None when there is nothing left to simulate. */
    readonly world: SimulationWorld | undefined,
    readonly earlier: RunProgress,
  ) {
    this.#records = [...earlier.records];
    this.#warnings = [...earlier.warnings];
    this.#checkpointFrame = this.#records.at(-1)?.frame;
    this.#checkpointTime = world?.openFrame?.time;
  }

  /** Where they are kept. */
  surfaces: SurfaceCache | undefined;

  async openSurfaces(): Promise<void> {
    const { scene, surfaces, threads } = this.job;
    if (!surfaces || !this.world || !(isLiquid(scene) || scene.bodies.some(mayMelt))) return;
    const spacings = new Map(this.world.bodies.map(({ name, spacing }) => [name, spacing]));
    this.surfaces = await SurfaceCache.open(scene, spacings, threads, surfaces);
  }

  /** Why it ends before its duration. */
  get #reason(): string | undefined {
    return reasonToEnd(this.job.scene, this.#records);
  }

  /** An equilibrium that is not as exact as was asked for. */
  #missed(): string | undefined {
    const { static: isStatic, solver } = this.job.scene;
    const { residual } = this.#records.at(-1) ?? {};
    if (!isStatic || residual === undefined || !(residual > solver.solid.tolerance)) return undefined;
    return (
      `the equilibrium is balanced to ${residual.toPrecision(2)} of the forces that act, not to solver.solid.tolerance ` +
      `${solver.solid.tolerance}: raise that, or refine what is slender; the solution is in ${this.job.out}`
    );
  }

  get #frame(): number {
    return this.#records.length - 1;
  }

  async advance(report: (event: RunEvent) => void, shouldStop: () => boolean): Promise<'finished' | 'interrupted'> {
    const { job, folder, world } = this;
    const resumed = this.#records.length > 0;
    const startFrame = Math.max(0, this.#frame);
    report({
      event: 'start',
      scene: job.scene.name,
      ...(job.scene.static ? { static: true } : {}),
      out: job.out,
      particles: world ? presentParticles(world) : this.earlier.particles,
      threads: world?.threads ?? this.earlier.threads,
      frame: startFrame,
      frames: job.frames,
      resumed,
    });
    let stopped = false;
    try {
      folder.log({
        event: resumed ? 'resume' : 'start',
        frame: startFrame,
        frames: job.frames,
        threads: world?.threads,
      });
      for (const message of this.notes) this.#warn(message, report);
      if (world) {
        if (!resumed) this.#writeFrame(world, 0, undefined);
        if (!resumed) this.#checkpoint('running');
        const loopStart = performance.now();
        while (this.#frame < job.frames && !stopped && this.#reason === undefined) {
          const stepReport = job.scene.static ? world.solveStatic() : await this.#stepFrame(world, report, shouldStop);
          if (!stepReport) {
            stopped = true;
            this.#checkpoint('running');
            break;
          }
          for (const message of stepReport.warnings) {
            if (isNewWarning(message, this.#warnings)) this.#warn(message, report);
          }
          const record = this.#writeFrame(world, this.#frame + 1, stepReport);
          const perFrame = (performance.now() - loopStart) / (this.#frame - startFrame);
          const { frame, time, steps, timeStep, limitedBy, stateHash } = record;
          const eta = ((job.frames - frame) * perFrame) / 1000;
          const particles = presentParticles(world);
          report({
            event: 'frame',
            frame,
            frames: job.frames,
            time,
            steps,
            timeStep,
            limitedBy,
            ...askersOf(record),
            ...effortOf(record),
            ...(record.fluid ? { pressureIterations: pressureIterations(record.fluid) } : {}),
            particles,
            stateHash,
            eta,
          });
          const ends = frame === job.frames || this.#reason !== undefined;
          stopped = shouldStop() && !ends;
          if (ends || stopped || this.#isCheckpointDue()) this.#checkpoint('running');
          // Lets messages and threads breathe between frames.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      const within = world?.openFrame && { time: world.time };
      folder.log({ event: stopped ? 'interrupted' : 'finished', frame: this.#frame, ...within });
      const missed = this.#missed();
      folder.writeRun(this.#document(stopped ? 'interrupted' : missed ? 'failed' : 'finished', missed));
      if (missed) throw new CommandError(missed, EXIT.failed);
    } catch (error) {
      throw this.#explain(error);
    }
    const progress = this.#progress();
    report({
      event: stopped ? 'interrupted' : 'done',
      ...(job.scene.static ? { static: true } : {}),
      out: job.out,
      frame: this.#frame,
      frames: job.frames,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      steps: this.#records.reduce((sum, { steps }) => sum + steps, 0),
      wallSeconds: progress.wallSeconds,
      ...(isIterative(job.scene) ? totalEffort(this.#records) : {}),
      stateHash: this.#records.at(-1)!.stateHash,
    });
    return stopped ? 'interrupted' : 'finished';
  }

  /** The next frame step by step; nothing when it was stopped. Long frames have checkpoints within them. */
  async #stepFrame(
    world: SimulationWorld,
    report: (event: RunEvent) => void,
    shouldStop: () => boolean,
  ): Promise<StepReport | undefined> {
    const { scene, frames } = this.job;
    const steps = world.stepsTo((this.#frame + 1) / scene.frameRate);
    const started = performance.now();
    let told = started;
    let resumed = started;
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (shouldStop()) return undefined;
      const now = performance.now();
      if (now - resumed < SLICE) continue;
      if (now - started > LONG_FRAME && this.#isCheckpointDue()) this.#checkpoint('running');
      if (now - told > LONG_FRAME) {
        told = now;
        const { start, time, end, warnings, ...rest } = world.openFrame!;
        for (const message of warnings) if (isNewWarning(message, this.#warnings)) this.#warn(message, report);
        report({
          event: 'progress',
          frame: this.#frame + 1,
          frames,
          time,
          share: (time - start) / (end - start),
          ...rest,
        });
      }
      await new Promise((resolve) => setImmediate(resolve));
      resumed = performance.now();
    }
  }

  #warn(message: string, report: (event: RunEvent) => void): void {
    this.#warnings.push(message);
    report({ event: 'warning', message });
    this.folder.log({ event: 'warning', message });
  }

  #writeFrame(world: SimulationWorld, frame: number, report: StepReport | undefined): FrameRecord {
    const record = recordFrame(this.job.scene, world, frame, report);
    const particles = world.particleCount;
    const written: Frame = {
      frame,
      time: world.time,
      stateHash: record.stateHash,
      particles,
      bodies: world.bodies.map(({ name, begin, end, melted }) => ({ name, begin, end, ...(melted && { melted }) })),
      arrays: frameArrays(world, this.job.scene),
    };
    this.folder.writeFrame(written, record);
    if (this.surfaces) this.folder.writeSurfaces(frame, this.surfaces.encode(written));
    this.#records.push(record);
    return record;
  }

  #isCheckpointDue(): boolean {
    const interval = Math.max(1000 * this.job.checkpointInterval, this.#checkpointCost / CHECKPOINT_SHARE);
    return performance.now() - this.#lastCheckpoint >= interval;
  }

  #checkpoint(status: RunStatus): void {
    const start = performance.now();
    this.folder.writeCheckpoint({ progress: this.#progress(), state: this.world!.save() });
    this.#checkpointFrame = this.#frame;
    this.#checkpointTime = this.world!.openFrame?.time;
    this.folder.writeRun(this.#document(status));
    this.#lastCheckpoint = performance.now();
    this.#checkpointCost = this.#lastCheckpoint - start;
  }

  get #checkpointAt(): string {
    const within = this.#checkpointTime === undefined ? '' : ` and a part of the next, ${this.#checkpointTime} s,`;
    return `frame ${this.#checkpointFrame}${within}`;
  }

  #progress(): RunProgress {
    return {
      ...this.earlier,
      records: this.#records,
      within: this.world?.openFrame?.time,
      sceneFile: sceneFileOf(this.job),
      ...scaleOf(this.job),
      pairs: this.world?.pairCount ?? this.earlier.pairs,
      wallSeconds: this.earlier.wallSeconds + (performance.now() - this.#started) / 1000,
      passes: addTimings(this.earlier.passes, this.world?.passTimings() ?? {}),
      warnings: this.#warnings,
      logLength: this.folder.logLength,
    };
  }

  #document(status: RunStatus, error?: string): string {
    return runDocument(this.job.scene, this.job.frames, status, this.#progress(), error);
  }

  /** Says what went wrong and what is still there; the checkpoint on disk is left alone. */
  #explain(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const kept =
      this.#checkpointFrame === undefined
        ? 'there is no checkpoint yet'
        : `the last good checkpoint is ${this.#checkpointAt} in ${this.folder.file('checkpoint')}`;
    const fileProblem = describeFileError(error);
    if (fileProblem !== undefined) {
      return new CommandError(`${fileProblem}; ${kept}, go on with --resume`, EXIT.failed, { cause: error });
    }
    if (error.name !== 'SimulationError') return error;
    const { particle, pass, time } = error as Error & { particle?: number; pass?: string; time?: number };
    const message = this.job.scene.static
      ? `no equilibrium was found: ${error.message}; ${STATIC_CURE}; ${kept}`
      : `${error.message} (particle ${particle}, pass ${pass}, time ${time} s); ${kept}`;
    try {
      this.folder.log({ event: 'error', frame: this.#frame, message: error.message, particle, pass, time });
      this.folder.writeRun(this.#document('failed', message));
    } catch {
      // The simulation's own error is the one to show.
    }
    return new CommandError(message, EXIT.simulation, { cause: error });
  }
}
