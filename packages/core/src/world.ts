import { type ForceOptions, forcesOf } from './forces/index.js';
import type { PassTiming } from './memory/engine.js';
import { ROOM_TEMPERATURE } from './options/heat.js';
import {
  type BodyInput,
  type ConstraintInput,
  type EmitterInput,
  type EventInput,
  type HeatInput,
  type MaterialChangeInput,
  type ObstacleInput,
  type ProbeInput,
  resolveProbe,
  resolveWorldOptions,
  type WorldInput,
} from './options/index.js';
import { parsePieceName } from './options/piece-name.js';
import type { Region, SolverOptions, Vec3 } from './options/types.js';
import type { Grab } from './solvers/grab.js';
import { mayBreak, mayFlow } from './solvers/material.js';
import type { StepLimit } from './solvers/step-limit.js';
import type { SurfaceMesh, SurfaceOptions } from './surface/liquid.js';
import type { PointSurfaceOptions } from './surface/points/point-surface.js';
import type { Body, PointSamples } from './world/bodies.js';
import { surfaceOf, surfelsOf } from './world/body-surfaces.js';
import { setMaterial, setTemperature } from './world/changing.js';
import { checkHeat, checkSteps, warningsOf } from './world/checking.js';
import { addConstraint, type Constraint } from './world/constraining.js';
import { createContents, type WorldContents } from './world/contents.js';
import { cutAlong, makeCuttable } from './world/cutting.js';
import { grabBody } from './world/grabbing.js';
import { addBody } from './world/items/bodies.js';
import { addEmitter } from './world/items/emitters.js';
import { addEvent } from './world/items/events.js';
import { addHeat } from './world/items/heat.js';
import { addItem, type ItemInput, type ItemName } from './world/items/index.js';
import { addObstacle } from './world/items/obstacles.js';
import { type FrameProgress, frameProgress } from './world/open-frame.js';
import { type BrokenPiece, piecesOf } from './world/pieces.js';
import { type Energy, measureProbe, type WorldSums, worldSums } from './world/probes.js';
import { type Contact, contactsOf, measureForce, measureReaction, watchForces } from './world/pushes.js';
import type { Readings } from './world/readings.js';
import type { StepReport } from './world/reports.js';
import type { Snapshot } from './world/save.js';
import { loadContents, takeSnapshot } from './world/snapshot.js';
import { hashState } from './world/state.js';
import { solveStatic } from './world/static.js';
import { stepsTo } from './world/step.js';
import type { BodyPoints, BodySurfels, SurfelOptions } from './world/surfaces.js';
import { strainTensors, stressTensors, velocityGradients } from './world/tensors.js';

export type { Body, PointSamples } from './world/bodies.js';
export type { Constraint } from './world/constraining.js';
export type { FrameProgress } from './world/open-frame.js';
export type { BrokenPiece } from './world/pieces.js';
export type { Contact } from './world/pushes.js';
export type { HeatReport, PieceBirth, StepReport } from './world/reports.js';

/** Makes an empty world. */
export async function createWorld(options: WorldInput = {}): Promise<World> {
  return World.create(options);
}

/**
 * Bodies, obstacles and their clock. Bodies may be added at any time; the first step after a change
 * lays out the memory anew, all other steps allocate only where a list gets too short.
 */
export class World {
  readonly gravity: Vec3;
  readonly solver: SolverOptions;
  readonly seed: number;
  /** Of the surroundings [degrees C], when one was given, and what free surfaces exchange with them [W/(m2 K)]. */
  readonly temperature: number | undefined;
  readonly heatTransfer: number;
  /** Forces from outside, by name; those that are left out do not act. */
  readonly forces: ForceOptions;
  readonly #contents: WorldContents;

  private constructor(contents: WorldContents) {
    this.#contents = contents;
    this.gravity = contents.gravity;
    this.solver = contents.solver;
    this.seed = contents.seed;
    this.temperature = contents.temperature;
    this.heatTransfer = contents.heatTransfer;
    this.forces = contents.forces;
  }

  /**
   * What makes shapes of others is left out where those of bodies and obstacles come ready. `isPlain`: nothing in it asks for
   * solvers that pages fetch, see world/on-demand.ts.
   */
  static async create(options: WorldInput = {}, { makesShapes = true, isPlain = false } = {}): Promise<World> {
    const resolved = resolveWorldOptions(options);
    const contents = await createContents({ ...resolved, forces: forcesOf(resolved), isPlain });
    if (makesShapes) contents.shapes = await import('./world/making.js');
    return new World(contents);
  }

  /** Adds a body, sampled on its lattice or with the particles given. */
  addBody(input: BodyInput, points?: PointSamples): Body {
    return addBody(this.#contents, input, points);
  }

  /** Adds a source of liquid; its particles are a body of their own, which is empty at first. */
  addEmitter(input: EmitterInput): Body {
    return addEmitter(this.#contents, input);
  }

  /** Adds a region where liquid leaves the world. */
  addSink(region: Region): void {
    addItem(this.#contents, 'sinks', region);
  }

  addObstacle(input: ObstacleInput): void {
    addObstacle(this.#contents, input);
  }

  /**
   * Holds, moves or pulls particles of a body, from its `start` or, in a world that moves already, from now on at the
   * earliest, until its `end` or until it is released.
   */
  addConstraint(input: ConstraintInput): Constraint {
    return addConstraint(this.#contents, input);
  }

  /** Adds what heats or cools a region of a body. */
  addHeat(input: HeatInput): void {
    addHeat(this.#contents, input);
  }

  /** Adds an entry of one of a scene's lists, by its key, as `sinks`. */
  add<K extends ItemName>(key: K, entry: ItemInput<K>): void {
    addItem(this.#contents, key, entry);
  }

  /** Does heat count in this world? It does when something has a temperature or is heated. */
  get isThermal(): boolean {
    return this.#contents.isThermal;
  }

  /**
   * Gives a body, or a region of it, a temperature [degrees C], or one for each position that its particles had at
   * time 0.
   */
  setTemperature(
    body: string,
    temperature: number | ((position: Vec3) => number),
    region: Region = { all: true },
  ): void {
    setTemperature(this.#contents, body, temperature, region);
  }

  /** Changes material parameters of a body at a time to come. */
  addEvent(input: EventInput): void {
    addEvent(this.#contents, input);
  }

  /** Changes material parameters of a body now. */
  setMaterial(body: string, set: MaterialChangeInput): void {
    setMaterial(this.#contents, body, set);
  }

  /**
   * Takes hold of a body around a point [m] and draws it to `target` of the result, until that is released. `radius`
   * [m] is how far the grip reaches; by default a fifth of the body's longest side. Saves do not hold grabs.
   */
  grab(body: string, point: Vec3, options: { readonly radius?: number } = {}): Grab {
    return grabBody(this.#contents, body, point, options);
  }

  /** Simulated time [s]. */
  get time(): number {
    return this.#contents.time;
  }

  /** Calls of `step` so far. */
  get frame(): number {
    return this.#contents.frame;
  }

  /** Substeps so far. */
  get stepCount(): number {
    return this.#contents.stepCount;
  }

  /** Liquid particles that are in the world now; those of sources come and go. */
  get liquidCount(): number {
    return this.#contents.ready().fluid?.store.count ?? 0;
  }

  /** Positions of bodies that flow which no particle has; others may split into them. */
  get freeSlots(): number {
    const slots = this.#contents.bodies.reduce(
      (sum, { matter, samples }) => sum + (matter.isViscoplastic ? samples.count : 0),
      0,
    );
    return slots === 0 ? 0 : slots - this.#contents.ready().elastic.renewal!.count;
  }

  /** Places for particles: all particles, and those that sources may still put in. */
  get particleCount(): number {
    return this.#contents.bodies.reduce((sum, body) => sum + body.samples.count, 0);
  }

  /** Neighbour relations; each pair of particles counts twice. */
  get pairCount(): number {
    const { store, fluid } = this.#contents.ready();
    return store.pairs + (fluid?.store.pairs ?? 0);
  }

  get threads(): number {
    return this.#contents.engine.threads;
  }

  /** Bytes that the world needs in WASM memory. */
  get memoryBytes(): number {
    this.#contents.ready();
    return this.#contents.engine.arena.bytes;
  }

  get mass(): number {
    return this.bodies.reduce((sum, body) => sum + body.mass, 0);
  }

  get bodies(): readonly Body[] {
    return this.#contents.described;
  }

  /** Things worth knowing about the world as it is set up. */
  get warnings(): readonly string[] {
    return warningsOf(this.#contents);
  }

  /** Advances by `dt` seconds, in as many substeps as stability asks for. */
  step(dt: number): StepReport {
    if (!(dt > 0) || !Number.isFinite(dt)) throw new RangeError(`step takes a time > 0 s, got ${dt}`);
    return this.stepTo(this.time + dt);
  }

  /** Advances to exactly the time `end` [s]: frames at k / frameRate do not drift. */
  stepTo(end: number): StepReport {
    const steps = this.stepsTo(end);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /**
   * The same step by step: yields the time [s] between steps. What is changed there counts from there on, and a save
   * made there goes on with the frame when it is loaded and asked for the same end.
   */
  stepsTo(end: number): Generator<number, StepReport, void> {
    return stepsTo(this.#contents, end);
  }

  /** The frame that `stepsTo` has begun and not finished: how far it is, and what it takes. */
  get openFrame(): FrameProgress | undefined {
    return (
      this.#contents.open &&
      frameProgress(this.#contents.open, this.time, this.stepCount - this.#contents.open.before.steps)
    );
  }

  /**
   * Puts everything at rest where forces balance. Prescribed motion and obstacles are taken to the time
   * `end` [s], to the end of all keyframes when left out. Throws when there is no balance, as for a body
   * that nothing holds.
   */
  solveStatic(end?: number): StepReport {
    return solveStatic(this.#contents, end);
  }

  /** Advances a longer time frame by frame, letting other work happen in between, at most until `until` says so. */
  async advance(
    seconds: number,
    options: {
      frameRate?: number;
      signal?: AbortSignal;
      onFrame?: (report: StepReport) => void;
      until?: (report: StepReport) => boolean;
    } = {},
  ): Promise<void> {
    const frames = Math.max(1, Math.round(seconds * (options.frameRate ?? 60)));
    for (let k = 0; k < frames; k++) {
      options.signal?.throwIfAborted();
      const report = this.step(seconds / frames);
      options.onFrame?.(report);
      if (options.until?.(report)) return;
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  }

  /** The step that would be taken now, and what sets it; with liquid, that of the liquid. */
  stableTimeStep(): StepLimit {
    return this.#contents.ready().stepper.previewStep();
  }

  /** The same of bodies within the steps of a liquid; none where there are none. */
  stableSubstep(): StepLimit | undefined {
    return this.#contents.ready().stepper.previewSubstep();
  }

  /**
   * Throws when sources of heat can only lead below absolute zero, or above what is meant, by the time `end` [s]. What
   * else comes and goes cannot be foreseen: then the simulation ends when it comes.
   */
  checkHeat(end: number): void {
    checkHeat(this.#contents, end);
  }

  /**
   * Throws when frames of so many seconds would take more steps than are taken, from the start or after an event;
   * what comes only with the motion ends the simulation when it comes.
   */
  checkSteps(frame: number): void {
    checkSteps(this.#contents, frame);
  }

  /**
   * World positions, xyz and 1 per particle, into `target` or a new array. Positions of sources that no particle
   * has taken have 0 in place of the 1.
   */
  positions(target?: Float32Array): Float32Array {
    return this.#contents.read.positions(target);
  }

  /** World velocities, xyz and 0 per particle [m/s], into `target` or a new array. */
  velocities(target?: Float32Array): Float32Array {
    return this.#contents.read.velocities(target);
  }

  /**
   * The surface of a liquid body, or of all liquids as one when none is named: closed, with the velocity at every
   * vertex. It lies on the planes among the obstacles, unless `walls` names others. The state is left as it is.
   */
  surface(body?: string, options: SurfaceOptions = {}): SurfaceMesh {
    return surfaceOf(this.#contents, body, options);
  }

  /** Surfels on a body that is not liquid, sampled on its shape when first asked for, and saved with the world. */
  surfels(body: string, options: SurfelOptions = {}): BodySurfels {
    return surfelsOf(this.#contents, body, options);
  }

  /** The surface of points around a body's particles, made when first asked for, and saved with the world. */
  pointSurface(body: string, options: Omit<PointSurfaceOptions, 'spacing'> = {}): BodyPoints {
    return this.#contents.surfaces.points(this.#contents.engine, this.#contents.requireBody(body), options, () =>
      this.#contents.positionsOf(body),
    );
  }

  /** Pressure of every particle of a liquid [Pa]; 0 for others, and but for the part of walls after a load until the first step. */
  pressures(): Float32Array {
    return this.#contents.read.pressures();
  }

  /** Temperature of every particle [degrees C], into `target` or a new array; that of the world where heat does not count. */
  temperatures(target?: Float32Array): Float32Array {
    return this.#contents.read.temperatures(this.temperature ?? ROOM_TEMPERATURE, target);
  }

  /** Molten share of every particle [1]: 0 solid, 1 liquid. What has no melting point is what it was made as. */
  liquidFractions(): Float32Array {
    return this.#contents.read.liquidFractions();
  }

  /** Specific enthalpy of every particle [J/kg]; 0 for the solid at 0 degrees C, and where heat does not count. */
  enthalpies(): Float64Array {
    return this.#contents.read.enthalpies();
  }

  /** Heat of every particle [J], latent heat included; 0 where heat does not count. */
  heats(): Float64Array {
    return this.#contents.read.heats();
  }

  /** Heat of everything in the world [J], latent heat included; 0 where heat does not count. */
  heat(): number {
    return this.#contents.ready().heat?.heat() ?? 0;
  }

  /** Density of every particle [kg/m3]. */
  densities(): Float32Array {
    return this.#contents.read.densities();
  }

  /** Mass of every particle [kg]; 0 for slots that no particle has taken. */
  masses(): Float32Array {
    return this.#contents.read.masses();
  }

  /** Von Mises stress of every particle [Pa]. */
  stresses(): Float32Array {
    return this.#contents.read.measure(1);
  }

  /**
   * Cauchy stress of every particle [Pa], xx, yy, zz, xy, yz, xz, tension positive: of solids and elastic melts from their
   * laws, of liquids minus pressure and viscous stress. Zero for rigid and viscoplastic bodies.
   */
  stressTensors(): Float32Array {
    const { model, bodies, read } = this.#measured();
    return stressTensors(model, bodies, read, this.solver.fluid.period);
  }

  /** Logarithmic strain of every particle of a solid since rest [1], in present axes, in the same order. */
  strainTensors(): Float32Array {
    const { model, read } = this.#measured();
    return strainTensors(model, read);
  }

  /** Velocity gradient of every particle [1/s], dv_i/dx_j row by row. */
  velocityGradients(): Float32Array {
    const { model, bodies, read } = this.#measured();
    return velocityGradients(model, bodies, read, this.solver.fluid.period);
  }

  #measured() {
    return { model: this.#contents.ready(), bodies: this.#contents.bodies, read: this.#contents.read };
  }

  /** Does a body flow for good at some stress, now or after an event? */
  get isPlastic(): boolean {
    return (
      this.#contents.bodies.some(({ plastic }) => plastic) || this.#contents.events.some(({ set }) => mayFlow(set))
    );
  }

  /** Plastic strain of every particle, equivalent and accumulated [1]. */
  plasticStrains(): Float32Array {
    return this.#contents.read.plasticStrains();
  }

  /** Can a body break, now or after an event? */
  get isBreakable(): boolean {
    return this.#contents.bodies.some(({ breaks }) => breaks) || this.#contents.events.some(({ set }) => mayBreak(set));
  }

  /** Damage of every particle of a solid that can break: share of its bonds that is lost [1]. */
  damages(): Float32Array {
    return this.#contents.read.damages();
  }

  /**
   * Number of the piece of its body that every particle is in. All of a whole body is piece 0; of what breaks, the part
   * with the lowest particle keeps the number, and the others are numbered on as they are born.
   */
  pieces(): Uint32Array {
    return this.#contents.read.pieces();
  }

  /** The pieces of all bodies that have broken, or of one, with their names; none of what is whole. */
  brokenPieces(body?: string): BrokenPiece[] {
    return piecesOf(this.#contents, body);
  }

  /**
   * Severs the bonds between particles that cross a surface of triangles, xyz of their vertices [m] where bodies are now,
   * of one body or of all solids that bend. Answers how many bonds were cut. Bodies that have been cut can break.
   */
  cut(
    surface: { readonly positions: ArrayLike<number>; readonly triangles: ArrayLike<number> },
    body?: string,
  ): number {
    if (body !== undefined) this.#contents.requireBody(body);
    return cutAlong(this.#contents, surface, makeCuttable(this.#contents, body, 'body'));
  }

  /** Volume of every particle's neighbourhood over its rest volume, det J [1]. */
  volumeRatios(): Float32Array {
    return this.#contents.read.measure(2);
  }

  /** Elastic energy of every particle [J]. */
  elasticEnergies(): Float32Array {
    return this.#contents.read.measure(0);
  }

  /** Reads several things of the present state without looking each time where the particles are; good until the next step. */
  readings(): Readings {
    return this.#contents.read;
  }

  /** Energies and momenta of the whole world at once. */
  sums(): WorldSums {
    return worldSums(this.#contents.ready(), this.gravity);
  }

  /** Energies of the whole world [J]; the gravitational one is zero at the origin. */
  energy(): Energy {
    return worldSums(this.#contents.ready(), this.gravity).energy;
  }

  /** [kg m/s] */
  momentum(): Vec3 {
    return worldSums(this.#contents.ready(), this.gravity).momentum;
  }

  /** About the origin [kg m2/s]. */
  angularMomentum(): Vec3 {
    return worldSums(this.#contents.ready(), this.gravity).angularMomentum;
  }

  /** One or three numbers: see the table of quantities in docs/scene.md. `where` names the region in messages. */
  probe(input: ProbeInput, where = 'region'): number[] {
    const options = resolveProbe(input);
    if (options.quantity === 'contactForce') return measureForce(this.#contents, options);
    if (options.body !== undefined) this.#contents.requireBody(parsePieceName(options.body)?.body ?? options.body);
    if (options.quantity === 'reaction') return measureReaction(this.#contents, options);
    return measureProbe(this, this.#contents.ready(), this.#contents.bodies, options, this.#contents.selections, where);
  }

  /**
   * From now on the forces between bodies, obstacles and constraints are noted, which costs a little in every step. Probes of
   * them and `contacts` begin with it by themselves; they know of steps that come after it.
   */
  watchForces(): void {
    watchForces(this.#contents);
  }

  /**
   * Bodies that touched each other or an obstacle in the last call of `step`, with what they gave each other, by name. Noted
   * from the first call of this or of `watchForces` on.
   */
  contacts(): Contact[] {
    return contactsOf(this.#contents);
  }

  /** A fingerprint of the whole state: the same for every number of threads and every engine. */
  stateHash(): string {
    return hashState(this.#contents.ready());
  }

  /** The whole world as bytes, from which `World.load` goes on to the same bits. */
  save(): Uint8Array {
    return this.snapshot().toBytes();
  }

  /** What `save` would give now, in a tenth of the time: the bytes are made when they are asked for. */
  snapshot(): Snapshot {
    return takeSnapshot(this.#contents);
  }

  static async load(bytes: Uint8Array, options: { threads?: 'auto' | number } = {}): Promise<World> {
    const contents = await loadContents(bytes, options);
    contents.shapes = await import('./world/making.js');
    return new World(contents);
  }

  /** Milliseconds spent in each pass so far. */
  passTimings(): Record<string, PassTiming> {
    this.#contents.refuseDisposed();
    return Object.fromEntries(this.#contents.engine.timings);
  }

  /** Stops the threads. Every method throws afterwards; `time`, `frame` and `bodies` can still be read. */
  async dispose(): Promise<void> {
    if (this.#contents.disposed) return;
    this.#contents.disposed = true;
    this.#contents.rapier?.free();
    await this.#contents.engine.dispose();
  }
}
