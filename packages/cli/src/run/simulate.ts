/** A run from its first or its last frame to the end, with everything it leaves behind. */
import { join, relative, resolve, sep } from 'node:path';
import type { Scene } from 'phyxel';
import {
  type Core,
  hasFreeSurface,
  isIterative,
  isLiquid,
  type LoadOptions,
  presentParticles,
  type SimulationWorld,
  type StepReport,
} from '../core.js';
import { CommandError, describeFileError, EXIT } from '../errors.js';
import { digestFile, meshFiles, readInside, withLocations } from '../scene-file.js';
import { isNewWarning } from '../warnings.js';
import { RunFolder } from './folder.js';
import { type Frame, type FrameArray, packComponents } from './frame-file.js';
import type { Fineness } from './liquid-surface.js';
import {
  addTimings,
  type Effort,
  effortOf,
  type FrameRecord,
  pressureIterations,
  type RunProgress,
  type RunStatus,
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
  /** The folder that mesh files are in. */
  readonly sceneFolder: string;
  readonly out: string;
  /** Frames after frame 0; the equilibrium of a static scene is one. */
  readonly frames: number;
  readonly threads: 'auto' | number;
  readonly resume: boolean;
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
      /** Of the solutions for the pressures of liquids, in each step of theirs; only where there is liquid. */
      readonly pressureIterations?: number;
      /** In the world now. */
      readonly particles: number;
      readonly stateHash: string;
      /** Seconds to go. */
      readonly eta: number;
    } & Effort)
  | { readonly event: 'warning'; readonly message: string }
  | ({
      readonly event: 'done' | 'interrupted';
      readonly static?: true;
      readonly out: string;
      readonly frame: number;
      readonly frames: number;
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

/**
 * Runs the job. `shouldStop` is asked after every frame; a run that stops early has a checkpoint of
 * its last frame. Errors leave every file as of the last frame or checkpoint.
 */
export async function simulate(
  job: RunJob,
  core: Core,
  report: (event: RunEvent) => void,
  shouldStop: () => boolean,
): Promise<'finished' | 'interrupted'> {
  const run = await openRun(job, core);
  try {
    await run.openSurfaces();
    return await run.advance(report, shouldStop);
  } finally {
    run.folder.close();
    await run.surfaces?.dispose();
    await run.world?.dispose();
  }
}

async function openRun(job: RunJob, core: Core): Promise<Run> {
  const folder = new RunFolder(job.out);
  folder.checkReplaceable();
  const files = [job.sceneFile, ...meshFiles(job.scene).map(({ file }) => join(job.sceneFolder, file))];
  const inputs: Record<string, string> = {};
  const options: LoadOptions = {
    threads: job.threads,
    readFile: async (path) => {
      const bytes = await readInside(job.sceneFolder, path);
      inputs[path] = digestFile(bytes);
      return bytes;
    },
  };

  if (job.resume) {
    const sceneText = folder.sceneText();
    if (sceneText !== undefined && sceneText !== job.sceneText) {
      throw new CommandError(
        `cannot resume: the scene differs from ${folder.file('scene.json')}; run without --resume to start again`,
        EXIT.badInput,
      );
    }
    const checkpoint = folder.readCheckpoint();
    if (checkpoint) {
      await checkInputs(job, checkpoint.progress.inputs);
      const { progress, state } = checkpoint;
      const isComplete = progress.records.length > job.frames;
      folder.checkInputs(files, { sceneStays: true });
      folder.checkFrames(progress.records);
      const world = isComplete ? undefined : await core.loadCheckpoint(state, options);
      folder.rewind(job.scene, progress.records, progress.logLength);
      return new Run(job, folder, world, progress);
    }
  }

  folder.checkInputs(files, { sceneStays: false });
  const world = await withLocations(job.sceneFile, () => core.loadScene(job.scene, options));
  const progress: RunProgress = {
    records: [],
    sceneFile: sceneFileOf(job),
    inputs,
    particles: world.particleCount,
    pairs: world.pairCount,
    threads: world.threads,
    bodies: world.bodies.map(({ name, begin, end, spacing, mass, warnings }) => ({
      name,
      particles: end - begin,
      spacing,
      mass,
      warnings: [...warnings],
    })),
    wallSeconds: 0,
    passes: {},
    warnings: [],
    logLength: 0,
  };
  folder.create(job.scene, job.sceneText, runDocument(job.scene, job.frames, 'running', progress));
  const run = new Run(job, folder, world, progress);
  if (job.resume) run.notes.push('there is no checkpoint to resume from, starting at frame 0');
  run.notes.push(...world.warnings);
  return run;
}

/** With forward slashes, so that the folder means the same elsewhere. */
function sceneFileOf(job: RunJob): string {
  return relative(resolve(job.out), resolve(job.sceneFile)).split(sep).join('/');
}

/** A mesh that changed would give a run of two halves. */
async function checkInputs(job: RunJob, inputs: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, digest] of Object.entries(inputs)) {
    if (digestFile(await readInside(job.sceneFolder, path)) !== digest) {
      throw new CommandError(
        `cannot resume: ${path} has changed since the run began; run without --resume to start again`,
        EXIT.badInput,
      );
    }
  }
}

/**
 * What a frame file holds of every particle; also plastic strains and temperatures where there are any, and of
 * liquids which places are taken, and pressures.
 */
function frameArrays(world: SimulationWorld, scene: Scene): FrameArray[] {
  const particles = world.particleCount;
  const positions = world.positions();
  const arrays = [
    { name: 'position', components: 3, values: packComponents(positions, particles, 3) },
    { name: 'velocity', components: 3, values: packComponents(world.velocities(), particles, 3) },
    { name: 'stress', components: 1, values: packComponents(world.stresses(), particles, 1) },
  ];
  const warmth = world.isThermal
    ? [
        { name: 'temperature', components: 1, values: world.temperatures() },
        { name: 'liquidFraction', components: 1, values: world.liquidFractions() },
      ]
    : [];
  const flow = world.isPlastic ? [{ name: 'plasticStrain', components: 1, values: world.plasticStrains() }] : [];
  if (!hasFreeSurface(scene)) return [...arrays, ...flow, ...warmth];
  return [
    ...arrays,
    ...flow,
    ...warmth,
    {
      name: 'present',
      components: 1,
      values: Float32Array.from({ length: particles }, (_, i) => positions[4 * i + 3]!),
    },
    ...(isLiquid(scene)
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
  }

  /** Where they are kept. */
  surfaces: SurfaceCache | undefined;

  async openSurfaces(): Promise<void> {
    const { scene, surfaces, threads } = this.job;
    if (!surfaces || !this.world || !isLiquid(scene)) return;
    const spacings = new Map(this.world.bodies.map(({ name, spacing }) => [name, spacing]));
    this.surfaces = await SurfaceCache.open(scene, spacings, threads, surfaces);
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
        while (this.#frame < job.frames && !stopped) {
          const stepReport = job.scene.static
            ? world.solveStatic()
            : world.stepTo((this.#frame + 1) / job.scene.frameRate);
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
            ...effortOf(record),
            ...(record.fluid ? { pressureIterations: pressureIterations(record.fluid) } : {}),
            particles,
            stateHash,
            eta,
          });
          stopped = shouldStop() && frame < job.frames;
          if (frame === job.frames || stopped || this.#isCheckpointDue()) this.#checkpoint('running');
          // Lets messages and threads breathe between frames.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      folder.log({ event: stopped ? 'interrupted' : 'finished', frame: this.#frame });
      folder.writeRun(this.#document(stopped ? 'interrupted' : 'finished'));
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
      steps: this.#records.reduce((sum, { steps }) => sum + steps, 0),
      wallSeconds: progress.wallSeconds,
      ...(isIterative(job.scene) ? totalEffort(this.#records) : {}),
      stateHash: this.#records.at(-1)!.stateHash,
    });
    return stopped ? 'interrupted' : 'finished';
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
      bodies: world.bodies.map(({ name, begin, end }) => ({ name, begin, end })),
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
    this.folder.writeRun(this.#document(status));
    this.#lastCheckpoint = performance.now();
    this.#checkpointCost = this.#lastCheckpoint - start;
  }

  #progress(): RunProgress {
    return {
      ...this.earlier,
      records: this.#records,
      sceneFile: sceneFileOf(this.job),
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
        : `the last good checkpoint is frame ${this.#checkpointFrame} in ${this.folder.file('checkpoint')}`;
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
