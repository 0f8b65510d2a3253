/** What a run writes down about every frame, and the two files made of it: run.json and probes.csv. */
import { type ProbeOptions, probeColumns, reasonToStop, type Scene, type Substeps, type Vec3 } from 'phyxel';
import {
  type Energy,
  type FluidReport,
  type HeatReport,
  isIterative,
  isLiquid,
  type SimulationWorld,
  type StepReport,
} from '../core.js';

/** Depends on the scene alone: the same for every machine, thread count and interruption. */
export interface FrameRecord {
  readonly frame: number;
  readonly time: number;
  readonly steps: number;
  /** Smallest step of the frame [s]. */
  readonly timeStep: number;
  readonly limitedBy: string;
  /** The body that asked for it, where one did. */
  readonly limitedByBody?: string;
  /** Only where bodies take steps within those of a liquid: how many, the shortest [s], what kept it short, and who. */
  readonly substeps?: Substeps;
  /** Only where forces are balanced by iteration: implicit motion and equilibrium. */
  readonly newtonIterations?: number;
  /** Of conjugate gradients. */
  readonly iterations?: number;
  /** Steps that did not converge and were tried again with half the length. */
  readonly retries?: number;
  /** Of an equilibrium: what is left unbalanced, relative to the forces that act [1]. */
  readonly residual?: number;
  /** Only where there is liquid: its particles that are in the world, and how its pressures were found. */
  readonly liquidParticles?: number;
  readonly fluid?: FluidReport;
  /** Mass of each liquid that is in the world [kg]. */
  readonly liquidMasses?: Readonly<Record<string, number>>;
  /** Only where heat counts: how it was solved, and what came in and went out. */
  readonly heat?: HeatReport;
  /** What has broken off since the frame before: name, what it was a part of, and when [s]. */
  readonly pieces?: StepReport['pieces'];
  readonly stateHash: string;
  readonly maximumSpeed: number;
  readonly mass: number;
  readonly energy: Energy;
  readonly momentum: Vec3;
  readonly angularMomentum: Vec3;
  /** Values of all probe columns as they are in probes.csv. */
  readonly probes: readonly string[];
}

/** Mass that sources have put into the world and that sinks have taken out of it [kg]. */
export interface Flow {
  readonly added: number;
  readonly removed: number;
}

/** The part of a record that tells what balancing the forces took. */
export type Effort = Pick<FrameRecord, 'newtonIterations' | 'iterations' | 'retries' | 'residual'>;

export interface PassTiming {
  readonly calls: number;
  readonly milliseconds: number;
}

/** What is known about a run up to a frame; kept in the checkpoint. */
export interface RunProgress {
  /** Time within the frame after the last record [s]. */
  readonly within?: number | undefined;
  readonly records: readonly FrameRecord[];
  /** Where the scene was read from, relative to the run folder: mesh files are found from there. */
  readonly sceneFile?: string;
  /** Factor of the scene file's resolution; 1 when left out. */
  readonly scale?: number;
  /** SHA-256 of every file that the scene refers to. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly particles: number;
  readonly pairs: number;
  readonly threads: number;
  readonly bodies: readonly BodyRecord[];
  /** Time spent so far, over all sittings [s]. */
  readonly wallSeconds: number;
  readonly passes: Readonly<Record<string, PassTiming>>;
  /** What was warned of so far, each kind once. */
  readonly warnings: readonly string[];
  /** Length of log.jsonl [bytes]. */
  readonly logLength: number;
}

export interface BodyRecord {
  readonly name: string;
  readonly particles: number;
  readonly spacing: number;
  readonly mass: number;
  /** Numbers of particles at which parts end that air separates. */
  readonly parts?: readonly number[] | undefined;
  readonly warnings: readonly string[];
}

export type RunStatus = 'running' | 'interrupted' | 'failed' | 'finished';

/** The step that a frame would begin with; implicit ones may be as long as the frame. */
export function firstStep(
  scene: Scene,
  world: SimulationWorld,
): Pick<StepReport, 'timeStep' | 'limitedBy' | 'limitedByBody'> {
  if (scene.static) return { timeStep: 0, limitedBy: 'balance' };
  const { timeStep, limitedBy, body } = world.stableTimeStep();
  const duration = 1 / scene.frameRate;
  return isIterative(scene) && timeStep >= duration
    ? { timeStep: duration, limitedBy: 'frame' }
    : { timeStep, limitedBy, ...(body === undefined ? {} : { limitedByBody: body }) };
}

const NO_EFFORT = { newtonIterations: 0, iterations: 0, retries: 0 };

export function recordFrame(
  scene: Scene,
  world: SimulationWorld,
  frame: number,
  report: StepReport | undefined,
): FrameRecord {
  const next = report ?? { steps: 0, ...firstStep(scene, world), maximumSpeed: maximumSpeed(world), ...NO_EFFORT };
  return {
    frame,
    time: world.time,
    steps: next.steps,
    timeStep: next.timeStep,
    limitedBy: next.limitedBy,
    ...askersOf(next),
    ...(isIterative(scene) ? effortOf(next) : {}),
    ...(isLiquid(scene) || world.bodies.some(({ matter }) => matter.isFluid) ? liquidsOf(world) : {}),
    ...(report?.fluid ? { fluid: roundFlow(report.fluid) } : {}),
    ...(report?.heat ? { heat: report.heat } : {}),
    ...(report?.pieces ? { pieces: report.pieces } : {}),
    stateHash: world.stateHash(),
    maximumSpeed: next.maximumSpeed,
    mass: world.mass,
    energy: world.energy(),
    momentum: world.momentum(),
    angularMomentum: world.angularMomentum(),
    probes: scene.probes.flatMap((probe) => [...world.probe(probe)].map(String)),
  };
}

/** Who asked for short steps, out of a report or a record. */
export function askersOf({ limitedByBody, substeps }: Pick<StepReport, 'limitedByBody' | 'substeps'>) {
  return { ...(limitedByBody === undefined ? {} : { limitedByBody }), ...(substeps ? { substeps } : {}) };
}

/** What balancing the forces took, out of a report or a record; nothing when that knows of none. */
export function effortOf({ newtonIterations, iterations, retries, residual }: Effort): Effort {
  if (newtonIterations === undefined || iterations === undefined || retries === undefined) return {};
  return { newtonIterations, iterations, retries, ...(residual === undefined ? {} : { residual }) };
}

function liquidsOf(world: SimulationWorld): Pick<FrameRecord, 'liquidParticles' | 'liquidMasses'> {
  const liquids = world.bodies.filter(({ matter }) => matter.isFluid);
  return {
    liquidParticles: world.liquidCount,
    liquidMasses: Object.fromEntries(liquids.map(({ name, mass }) => [name, mass])),
  };
}

/** Masses that came and went are differences of sums, whose last digits depend on when a run was resumed. */
function roundFlow(report: FluidReport): FluidReport {
  const { massAdded, massRemoved } = report;
  return { ...report, massAdded: Number(massAdded.toPrecision(9)), massRemoved: Number(massRemoved.toPrecision(9)) };
}

/** All that has come and gone. */
function flowOf(records: readonly FrameRecord[]): Flow {
  return {
    added: records.reduce((sum, { fluid }) => sum + (fluid?.massAdded ?? 0), 0),
    removed: records.reduce((sum, { fluid }) => sum + (fluid?.massRemoved ?? 0), 0),
  };
}

/** Iterations of a step of the liquids, for velocities and positions together. */
export function pressureIterations({ velocityIterations, placeIterations }: FluidReport): number {
  return velocityIterations + placeIterations;
}

/** The same of all frames together; the residual is that of the last. */
export function totalEffort(records: readonly FrameRecord[]): Effort {
  const total = (key: 'newtonIterations' | 'iterations' | 'retries') =>
    records.reduce((sum, record) => sum + (record[key] ?? 0), 0);
  const residual = records.at(-1)?.residual;
  return {
    newtonIterations: total('newtonIterations'),
    iterations: total('iterations'),
    retries: total('retries'),
    ...(residual === undefined ? {} : { residual }),
  };
}

/** Steps that bodies took within those of liquids, in all frames together, and who asked for the shortest. */
function totalSubsteps(records: readonly FrameRecord[]): { substeps?: Substeps } {
  const all = records.flatMap(({ substeps }) => substeps ?? []);
  if (all.length === 0) return {};
  const shortest = all.reduce((a, b) => (b.timeStep < a.timeStep ? b : a));
  return { substeps: { ...shortest, steps: all.reduce((sum, { steps }) => sum + steps, 0) } };
}

/** How liquids were solved in all frames together. */
function totalLiquid(records: readonly FrameRecord[], flow: Flow) {
  const solved = records.flatMap(({ fluid }) => fluid ?? []);
  const steps = solved.reduce((sum, report) => sum + report.steps, 0);
  const perStep = (key: 'velocityIterations' | 'placeIterations' | 'viscosityIterations') =>
    solved.reduce((sum, report) => sum + report[key] * report.steps, 0) / Math.max(1, steps);
  return {
    /** At the end, and the most of any frame. */
    particles: records.at(-1)?.liquidParticles ?? 0,
    mostParticles: records.reduce((most, { liquidParticles = 0 }) => Math.max(most, liquidParticles), 0),
    removed: solved.reduce((sum, { removed }) => sum + removed, 0),
    steps,
    velocityIterations: perStep('velocityIterations'),
    placeIterations: perStep('placeIterations'),
    viscosityIterations: perStep('viscosityIterations'),
    largestCompression: solved.reduce((most, report) => Math.max(most, report.largestCompression), 0),
    flow,
  };
}

function maximumSpeed(world: SimulationWorld): number {
  return world.probe({ name: 'maximumSpeed', region: { all: true }, quantity: 'maximumSpeed' })[0]!;
}

/** First line of probes.csv. */
export function probesHeader(probes: readonly ProbeOptions[]): string {
  return `${['time', ...probes.flatMap(probeColumns)].map(csvCell).join(',')}\n`;
}

export function probesRow(record: FrameRecord): string {
  return `${[String(record.time), ...record.probes].join(',')}\n`;
}

/** Quoted as in RFC 4180 when it needs to be. */
function csvCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Passes of an earlier sitting and of this one together. */
export function addTimings(
  before: Readonly<Record<string, PassTiming>>,
  now: Readonly<Record<string, PassTiming>>,
): Record<string, PassTiming> {
  const sum: Record<string, PassTiming> = { ...before };
  for (const [pass, { calls, milliseconds }] of Object.entries(now)) {
    const earlier = sum[pass] ?? { calls: 0, milliseconds: 0 };
    sum[pass] = { calls: earlier.calls + calls, milliseconds: earlier.milliseconds + milliseconds };
  }
  return sum;
}

/** Marks a folder as one that this program made. */
export const RUN_FORMAT = 'phyxel-run';

/** Why a run ends with its last record; undefined when it goes on. */
export function reasonToEnd(scene: Scene, records: readonly FrameRecord[]): string | undefined {
  if (!scene.until) return undefined;
  return reasonToStop(
    scene,
    records.map((record) => ({ ...record, probes: record.probes.map(Number) })),
  );
}

/** The text of run.json. */
export function runDocument(
  scene: Scene,
  frameCount: number,
  status: RunStatus,
  progress: RunProgress,
  error?: string,
): string {
  const { records } = progress;
  const reason = reasonToEnd(scene, records);
  const first = records[0];
  const last = records.at(-1);
  const flow = flowOf(records);
  const limiters: Record<string, number> = {};
  for (const { limitedBy, steps } of records) if (steps > 0) limiters[limitedBy] = (limiters[limitedBy] ?? 0) + 1;
  // An equilibrium takes no time.
  const timeSteps = records.filter(({ steps, timeStep }) => steps > 0 && timeStep > 0).map(({ timeStep }) => timeStep);
  const document = {
    format: RUN_FORMAT,
    version: 1,
    status,
    ...(error === undefined ? {} : { error }),
    /** Why it ended before its duration. */
    ...(reason === undefined ? {} : { endedBecause: reason }),
    scene: scene.name,
    ...(progress.sceneFile === undefined ? {} : { sceneFile: progress.sceneFile }),
    ...(progress.scale === undefined ? {} : { scale: progress.scale }),
    ...(scene.static ? { static: true } : {}),
    frameRate: scene.frameRate,
    /** The frames that are asked for, after frame 0, the start. */
    frameCount,
    framesDone: Math.max(0, records.length - 1),
    /** The time that the frame after these has got to [s], while it is under way. */
    ...(progress.within === undefined ? {} : { within: progress.within }),
    particles: progress.particles,
    pairs: progress.pairs,
    threads: progress.threads,
    bodies: progress.bodies,
    steps: records.reduce((sum, { steps }) => sum + steps, 0),
    timeStep: {
      smallest: timeSteps.length === 0 ? null : timeSteps.reduce((a, b) => Math.min(a, b)),
      largest: timeSteps.length === 0 ? null : timeSteps.reduce((a, b) => Math.max(a, b)),
      /** In how many frames each limit was the tightest. */
      limitedBy: limiters,
    },
    ...totalSubsteps(records),
    ...(isIterative(scene) ? { solution: totalEffort(records) } : {}),
    ...(isLiquid(scene) ? { liquid: totalLiquid(records, flow) } : {}),
    wallSeconds: progress.wallSeconds,
    passes: progress.passes,
    warnings: progress.warnings,
    drift: first && last ? drift(first, last, flow) : null,
    inputs: progress.inputs,
  };
  const frames = records.map(({ probes: _, ...record }) => `    ${JSON.stringify(record)}`);
  const head = JSON.stringify(document, null, 2).slice(0, -2);
  return `${head},\n  "frames": [${frames.length === 0 ? '' : `\n${frames.join(',\n')}\n  `}]\n}\n`;
}

/** What should stay as it was, when nothing from outside acts. Sources and sinks are accounted for in the mass. */
function drift(first: FrameRecord, last: FrameRecord, flow: Flow) {
  const difference = (a: Vec3, b: Vec3) => b.map((value, i) => value - a[i]!);
  return {
    mass: last.mass - first.mass - flow.added + flow.removed,
    momentum: difference(first.momentum, last.momentum),
    angularMomentum: difference(first.angularMomentum, last.angularMomentum),
    energy: last.energy.total - first.energy.total,
  };
}
