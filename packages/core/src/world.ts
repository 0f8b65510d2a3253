import { FORCE_NAMES, type ForceOptions, forcesOf, STATIC_FORCE } from './forces/index.js';
import { add, subtract, transform } from './math/matrix3.js';
import { Engine, type PassTiming } from './memory/engine.js';
import { EMITTED_AT_REST } from './options/actions.js';
import { ROOM_TEMPERATURE, THERMAL_KEYS } from './options/heat.js';
import {
  type BodyInput,
  type ConstraintInput,
  type EmitterInput,
  type EventInput,
  type HeatInput,
  type MaterialChangeInput,
  type ObstacleInput,
  OptionError,
  type ProbeInput,
  resolveBody,
  resolveConstraint,
  resolveEmitter,
  resolveEvent,
  resolveHeat,
  resolveMaterial,
  resolveObstacle,
  resolveProbe,
  resolveSink,
  resolveWorldOptions,
  type WorldInput,
} from './options/index.js';
import { RIGID_STATIC, rigidConstraintProblems } from './options/rigid.js';
import type { ConstraintOptions, EventOptions, HeatOptions, Region, SolverOptions, Vec3 } from './options/types.js';
import { findClamp } from './solvers/constraints/clamp.js';
import { emptyRegion, isInside, particlesIn } from './solvers/constraints/constraints.js';
import { beginsWithHold, type ConstraintRecord, type Hold, takeHold } from './solvers/constraints/hold.js';
import type { Obstacle } from './solvers/contact/obstacles.js';
import type { SolidEffort } from './solvers/elastic/step.js';
import { isEmbedded } from './solvers/embedding/model.js';
import { type EmbeddingEffort, NO_EMBEDDING } from './solvers/embedding/step.js';
import { SimulationError } from './solvers/error.js';
import type { FluidEffort } from './solvers/fluid/step.js';
import { Grab, Grabs, gripAround, SolidGrabs, WorldGrabs } from './solvers/grab.js';
import type { HeatEffort } from './solvers/heat/step.js';
import { materialsOf, mayFlow } from './solvers/material.js';
import { NO_SUBSTEPS, type StepLimit, type Substeps } from './solvers/step-limit.js';
import { piecesOf, SAME_TIME } from './solvers/stepper.js';
import { liquidSurface, type SurfaceMesh, type SurfaceOptions } from './surface/liquid.js';
import type { PointSurfaceOptions } from './surface/points/point-surface.js';
import { obstaclePlane } from './surface/shape-mesh.js';
import { type Body, describeBodies, makeBody, makeSource, type PointSamples } from './world/bodies.js';
import { type Melting, meltBody, nextToMelt, obstacleToMelting } from './world/melting.js';
import { type BodyRecord, buildModel, rewriteMaterials, type WorldModel } from './world/model.js';
import { makeDistanceGrids, meshOf } from './world/obstacles.js';
import {
  beginFrame,
  type Efforts,
  type FrameProgress,
  frameProgress,
  MANY_STEPS,
  manySteps,
  noteStep,
  type OpenFrame,
  substepsOf,
} from './world/open-frame.js';
import { findPenetrations, refuseBlockedSources, writePenetrations } from './world/penetration.js';
import { type Energy, measureProbe, type WorldSums, worldSums } from './world/probes.js';
import { Readings } from './world/readings.js';
import {
  refuse,
  refuseBuried,
  refuseEmbeddedMix,
  refuseHeat,
  refuseIneffective,
  refuseIntegrator,
  refuseNothingLeft,
  refuseOverlap,
  refuseShortSteps,
  refuseUnholdable,
} from './world/refusals.js';
import {
  embeddingReport,
  fluidReport,
  fluidWarnings,
  heatReport,
  NO_EFFORT,
  NO_HEAT,
  NO_PLACE,
  retried,
  type StepReport,
} from './world/reports.js';
import { readSave, Snapshot } from './world/save.js';
import {
  hashState,
  keepState,
  type PendingState,
  restoreState,
  setInitialVelocities,
  solverState,
} from './world/state.js';
import { type BodyPoints, type BodySurfels, type SurfelOptions, WorldSurfaces } from './world/surfaces.js';
import { setupWarnings } from './world/warnings.js';

export type { Body, PointSamples } from './world/bodies.js';
export type { FrameProgress } from './world/open-frame.js';
export type { HeatReport, StepReport } from './world/reports.js';

/** A constraint that a program added. */
export interface Constraint {
  /** Lets go; what was held moves on. */
  release(): void;
}

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
  readonly #engine: Engine;
  readonly #emptyArena: number;
  readonly #bodies: BodyRecord[] = [];
  readonly #obstacles: Obstacle[] = [];
  readonly #sinks: Region[] = [];
  readonly #solidEffort: SolidEffort = { newtonIterations: 0, iterations: 0, retries: 0 };
  readonly #substeps: Substeps = { ...NO_SUBSTEPS };
  /** The frame that has begun and not ended. */
  #open: OpenFrame | undefined;
  readonly #fluidEffort: FluidEffort = { ...NO_EFFORT };
  readonly #constraints: ConstraintRecord[] = [];
  readonly #events: EventOptions[] = [];
  /** The same in the order in which they were added, by which messages number them. */
  readonly #eventOrder: EventOptions[] = [];
  readonly #heats: HeatOptions[] = [];
  readonly #heatEffort: HeatEffort = { ...NO_HEAT };
  readonly #embeddingEffort: EmbeddingEffort = { ...NO_EMBEDDING };
  /** Has something been given a temperature on the way? */
  #heated = false;
  #eventsDone = 0;
  #model: WorldModel | undefined;
  readonly #surfaces = new WorldSurfaces();
  #frame = 0;
  #selections = new Map<string, Uint32Array>();
  #disposed = false;
  /** Bodies and obstacles that have been laid out together. */
  readonly #placed = new Set<BodyRecord>();
  #placedObstacles = 0;
  /** What the next report tells. */
  readonly #notes: string[] = [];
  /** Hands that hold something; no part of a save. */
  readonly #grabs: Grab[] = [];

  private constructor(
    engine: Engine,
    options: {
      gravity: Vec3;
      solver: SolverOptions;
      seed: number;
      temperature?: number | undefined;
      heatTransfer: number;
      forces: ForceOptions;
    },
  ) {
    this.#engine = engine;
    this.#emptyArena = engine.arena.mark();
    this.gravity = options.gravity;
    this.solver = options.solver;
    this.seed = options.seed;
    this.temperature = options.temperature;
    this.heatTransfer = options.heatTransfer;
    this.forces = options.forces;
  }

  static async create(options: WorldInput = {}): Promise<World> {
    const resolved = resolveWorldOptions(options);
    return new World(await Engine.create(resolved.threads), { ...resolved, forces: forcesOf(resolved) });
  }

  /** Adds a body, sampled on its lattice or with the particles given. */
  addBody(input: BodyInput, points?: PointSamples): Body {
    const options = resolveBody(input);
    this.#refuseName(options.name);
    if (isEmbedded(options) && this.stepCount > 0) {
      throw new OptionError([{ path: 'discretisation', message: 'embedded must be there from the start' }]);
    }
    return this.#add(makeBody(this.#engine, options, (this.seed + this.#bodies.length) >>> 0, points));
  }

  /** Adds a source of liquid; its particles are a body of their own, which is empty at first. */
  addEmitter(input: EmitterInput): Body {
    const emitter = resolveEmitter(input);
    this.#refuseName(emitter.name);
    return this.#add(makeSource(emitter));
  }

  #refuseName(name: string): void {
    this.#refuseDisposed();
    if (!this.#bodies.some(({ options }) => options.name === name)) return;
    throw new OptionError([{ path: 'name', message: `"${name}" is the name of a body that is already there` }]);
  }

  #add(record: BodyRecord): Body {
    this.#change();
    this.#bodies.push(record);
    this.#refuseLate(() => this.#bodies.pop());
    return this.bodies.at(-1)!;
  }

  /** Lays a world that moves already out at once, so that what cannot be added leaves it as it was. */
  #refuseLate(undo: () => void): void {
    if (this.stepCount === 0) return;
    try {
      this.#ready();
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** Adds a region where liquid leaves the world. */
  addSink(region: Region): void {
    const sink = resolveSink(region);
    this.#change();
    this.#sinks.push(sink);
  }

  addObstacle(input: ObstacleInput): void {
    const options = resolveObstacle(input);
    const mesh = 'mesh' in options.shape ? meshOf(options.shape.mesh, options.name) : undefined;
    this.#change();
    this.#obstacles.push({ options, mesh });
    this.#refuseLate(() => this.#obstacles.pop());
  }

  /**
   * Holds, moves or pulls particles of a body, from its `start` or, in a world that moves already, from now on at the
   * earliest, until its `end` or until it is released.
   */
  addConstraint(input: ConstraintInput): Constraint {
    const given = resolveConstraint(input);
    const options = { ...given, start: Math.max(given.start, this.time) };
    const { samples, initial, emitter, options: body } = this.#requireBody(options.body);
    const path = `constraints[${this.#constraints.length}]`;
    if (options.end <= this.time) {
      const message = `must be after now, ${this.time} s, got ${options.end}`;
      throw new OptionError([{ path: `${path}.end`, message }]);
    }
    if (body.kind === 'rigid') refuse(path, rigidConstraintProblems(options));
    if (options.regionTime === 'rest') {
      if (emitter) throw new OptionError([{ path: `${path}.regionTime`, message: EMITTED_AT_REST }]);
      const held = beginsWithHold(options, body)
        ? particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region)
        : findClamp(samples, initial, options, 1).held;
      if (held.length === 0) throw emptyRegion(`${path}.region`, options.body);
    }
    this.#change();
    const record: ConstraintRecord = { options };
    this.#constraints.push(record);
    this.#refuseLate(() => this.#constraints.pop());
    return { release: () => this.#release(record) };
  }

  #release(record: ConstraintRecord): void {
    if (this.#disposed || record.options.end <= this.time) return;
    record.options = { ...record.options, end: this.time };
    // Clamps are part of the layout.
    this.#model?.elastic.release();
    this.#change();
  }

  /** Lets constraints that look at the particles when they begin do so, and forget them when they end. */
  #beginConstraints(): void {
    for (const [c, record] of this.#constraints.entries()) {
      const { start, end, body } = record.options;
      if (end <= this.time && record.hold) {
        const { fluid, embedding } = this.#ready();
        if (record.bit !== undefined) (fluid ?? embedding)!.letGo(record.bit);
        record.hold = undefined;
        record.bit = undefined;
      }
      if (record.hold || start > this.time || end <= this.time) continue;
      const { options } = this.#requireBody(body);
      if (!beginsWithHold(record.options, options)) continue;
      record.hold = this.#holdOf(record.options);
      if (record.hold.particles.length === 0) {
        this.#notes.push(`constraints[${c}]: no particle of "${body}" was in its region when it began, at ${start} s`);
      }
      if (options.kind === 'fluid') this.#ready().fluid!.hold(record);
      else if (isEmbedded(options)) this.#ready().embedding!.hold(record);
      else this.#change();
    }
  }

  /** When something that acts from outside next begins, ends or turns a corner. */
  #nextCorner(): number {
    const { elastic, heat } = this.#ready();
    const now = this.time;
    let next = Number.POSITIVE_INFINITY;
    const look = (time: number) => {
      if (time > now && time < next) next = time;
    };
    for (const time of elastic.corners) look(time);
    for (const time of heat?.corners ?? []) look(time);
    for (const { options } of this.#constraints) {
      look(options.start);
      look(options.end);
      for (const { time } of options.move) look(time);
    }
    return next;
  }

  /** Does the force of a constraint begin or end now? The first half kick of a step is that of the step before. */
  #turns(): boolean {
    if (this.time === 0) return false;
    return this.#constraints.some(
      ({ options: { start, end, force } }) =>
        (start === this.time || end === this.time) && force.some((newton) => newton !== 0),
    );
  }

  #holdOf({ body: name, region, regionTime }: ConstraintOptions): Hold {
    const record = this.#requireBody(name);
    const { samples, initial, options } = record;
    const { begin, end } = this.bodies[this.#bodies.indexOf(record)]!;
    const positions = this.positions().subarray(4 * begin, 4 * end);
    const masses = this.masses().subarray(begin, end);
    const present = Array.from(masses.keys()).filter((k) => positions[4 * k + 3] === 1);
    if (regionTime === 'start') {
      const at = (k: number): Vec3 => [positions[4 * k]!, positions[4 * k + 1]!, positions[4 * k + 2]!];
      return takeHold(
        present.filter((k) => isInside(region, at(k))),
        positions,
        masses,
      );
    }
    const chosen = new Set(particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region));
    const { embedding, places } = this.#ready();
    const ancestors = isEmbedded(options) && embedding!.ancestors()[places[this.#bodies.indexOf(record)]!.index]!;
    return takeHold(
      present.filter((k) => chosen.has(ancestors ? ancestors.get(k)! : k)),
      positions,
      masses,
    );
  }

  /** Adds what heats or cools a region of a body. */
  addHeat(input: HeatInput): void {
    const options = resolveHeat(input);
    const { samples, initial, emitter } = this.#requireBody(options.body);
    const path = `heat[${this.#heats.length}]`;
    const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region);
    if (chosen.length === 0 || (emitter && !('all' in options.region)))
      throw emptyRegion(`${path}.region`, options.body);
    this.#change();
    this.#heats.push(options);
  }

  /** Does heat count in this world? It does when something has a temperature or is heated. */
  get isThermal(): boolean {
    const named = (options: { readonly temperature?: number | undefined }) => options.temperature !== undefined;
    return (
      this.#heated ||
      named(this) ||
      this.#heats.length > 0 ||
      this.#bodies.some(({ options, emitter }) => named(emitter ?? options)) ||
      this.#obstacles.some(({ options }) => named(options))
    );
  }

  /**
   * Gives a body, or a region of it, a temperature [degrees C], or one for each place that its particles had at
   * time 0.
   */
  setTemperature(body: string, temperature: number | ((place: Vec3) => number), region: Region = { all: true }): void {
    const record = this.#requireBody(body);
    const { samples, initial } = record;
    const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region);
    if (chosen.length === 0) throw emptyRegion('region', body);
    const temperatures = Array.from(chosen, (i) => {
      if (typeof temperature === 'number') return temperature;
      const at: Vec3 = [samples.rest[4 * i]!, samples.rest[4 * i + 1]!, samples.rest[4 * i + 2]!];
      return temperature(add(transform(initial.rotation, at), initial.origin));
    });
    // The rules are those of a body's temperature.
    for (const value of new Set(temperatures)) resolveHeat({ body, temperature: value }, 'setTemperature');
    if (!this.isThermal) {
      this.#change();
      this.#heated = true;
    }
    const { heat, places } = this.#ready();
    const { liquid, index } = places[this.#bodies.indexOf(record)]!;
    const first = heat!.beginOf(liquid, index);
    heat!.setTemperature(
      Array.from(chosen, (i) => first + i),
      temperatures,
    );
  }

  /** Changes material parameters of a body at a time to come. */
  addEvent(input: EventInput): void {
    const options = resolveEvent(input);
    refuseIneffective(this.#requireBody(options.body), options.set);
    this.#events.push(options);
    this.#eventOrder.push(options);
    const pending = this.#events.splice(this.#eventsDone).sort((a, b) => a.time - b.time);
    this.#events.push(...pending);
  }

  /** Changes material parameters of a body now. */
  setMaterial(body: string, set: MaterialChangeInput): void {
    const record = this.#requireBody(body);
    // What has melted may have changes to come that were meant for a solid.
    if (!record.melted) refuseIneffective(record, set);
    // Density decides the masses, which are laid down with the particles.
    const material = resolveMaterial({ ...record.material, ...set });
    const density = material.density !== record.material.density;
    const heavier = material.density / record.material.density;
    for (const constraint of this.#constraints) {
      if (constraint.options.body !== body || !constraint.hold) continue;
      constraint.hold = { ...constraint.hold, mass: heavier * constraint.hold.mass };
    }
    record.material = material;
    this.#changeThermal(record, set);
    if (this.#model && Object.keys(set).every((key) => THERMAL_KEYS.includes(key))) return;
    // So are the shares of the regions in the stabilisation.
    if (record.options.kind === 'solid' && mayFlow(material)) record.plastic = true;
    if (isEmbedded(record.options)) {
      if (this.#model) this.#model.embedding!.changeMaterials(this.time);
      return;
    }
    // Where the stabilisation has faded, frequencies at rest can only be found by a new layout, as a load does.
    const faded = record.options.kind !== 'fluid' && this.#bodies.some(({ plastic }) => plastic);
    const laidOut = density || faded || record.options.regions.length > 0;
    if (laidOut || !this.#model) this.#change();
    else {
      const model = this.#model;
      if (record.options.kind === 'fluid') {
        const liquids = this.#bodies.filter(({ options }) => options.kind === 'fluid');
        model.fluid!.writeMaterials(liquids.map((liquid) => liquid.material));
        model.heat?.applyCurves();
      } else {
        rewriteMaterials(model);
        model.elastic.evaluateForces();
      }
    }
  }

  /**
   * Takes hold of a body around a point [m] and draws it to `target` of the result, until that is released. `radius`
   * [m] is how far the grip reaches; by default a fifth of the body's longest side. Saves do not hold grabs.
   */
  grab(body: string, point: Vec3, options: { readonly radius?: number } = {}): Grab {
    const record = this.#requireBody(body);
    const { begin, end, spacing } = this.bodies[this.#bodies.indexOf(record)]!;
    const radius = options.radius ?? Math.max(1.5 * spacing, 0.2 * record.longestSide);
    if (!(radius > 0 && radius < Infinity)) throw new RangeError(`grab takes a radius > 0 m, got ${radius}`);
    if (!point.every(Number.isFinite)) throw new RangeError(`grab takes a point of finite numbers, got ${point}`);
    const masses = this.masses();
    const grip = gripAround(this.positions(), masses, { begin, end }, point, radius);
    if (grip.particles.length === 0) {
      throw new OptionError([{ path: 'body', message: `is "${body}", of which nothing is in the world now` }]);
    }
    // A grab carries the solid part of a body along, of a liquid only what it holds.
    const melted = this.liquidFractions();
    const { elastic, meltingPoint } = record.material;
    const solid = elastic && meltingPoint === undefined;
    let mass = 0;
    for (let i = begin; i < end; i++) mass += (solid ? 1 : 1 - melted[i]!) * masses[i]!;
    mass = Math.max(
      mass,
      grip.particles.reduce((sum, k) => sum + masses[begin + k]!, 0),
    );
    const grab: Grab = new Grab({
      body,
      target: point,
      ...grip,
      offset: subtract(point, grip.middle),
      mass,
      // A rigid body resists as a whole, at its edge with a part of its mass.
      ownMass: record.options.kind === 'rigid' ? mass / 4 : grip.ownMass,
      release: () => {
        this.#grabs.splice(this.#grabs.indexOf(grab), 1);
        if (this.#disposed) return;
        this.#model?.stepper.grabs?.remove(grab);
        this.#model?.stepper.worldGrabs?.remove(grab);
        this.#model?.stepper.external.clear();
        // The next step begins with the forces of the last: without the hand's.
        this.#model?.elastic.evaluateForces();
      },
    });
    this.#grabs.push(grab);
    this.#takeHold(this.#ready(), grab);
    return grab;
  }

  #takeHold(model: WorldModel, grab: Grab): void {
    const { stepper, places } = model;
    const placeOf = (body: string) => places[this.#bodies.findIndex(({ options }) => options.name === body)]!;
    const { liquid, embedded } = placeOf(grab.body);
    if (liquid || embedded) {
      const store = liquid ? model.fluid! : model.embedding!;
      stepper.worldGrabs ??= new Grabs(new WorldGrabs(() => store.worldAxes((body) => placeOf(body).index)));
      stepper.worldGrabs.add(grab);
      return;
    }
    const locate = (body: string) => {
      const { index } = placeOf(body);
      return { solid: index, begin: model.ranges[index]!.begin };
    };
    stepper.grabs ??= new Grabs(new SolidGrabs(model.store, model.elastic.frames, locate));
    stepper.grabs.add(grab);
  }

  /** Lets heat follow a new material; temperatures stay. */
  #changeThermal(record: BodyRecord, set: EventOptions['set']): void {
    if (!Object.keys(set).some((key) => THERMAL_KEYS.includes(key))) return;
    // What waits for a new layout is converted in the old one.
    if (!this.#model && this.#pendingState) this.#ready();
    const heat = this.#model?.heat;
    if (!heat) return;
    const { liquid, index } = this.#model!.places[this.#bodies.indexOf(record)]!;
    heat.changeMaterials(heat.beginOf(liquid, index), materialsOf(record), liquid);
  }

  /** Simulated time [s]. */
  get time(): number {
    return this.#model?.elastic.time ?? this.#pendingState?.time ?? 0;
  }

  /** Calls of `step` so far. */
  get frame(): number {
    return this.#frame;
  }

  /** Substeps so far. */
  get stepCount(): number {
    return this.#model?.elastic.stepCount ?? this.#pendingState?.stepCount ?? 0;
  }

  /** Liquid particles that are in the world now; those of sources come and go. */
  get liquidCount(): number {
    return this.#ready().fluid?.store.count ?? 0;
  }

  /** Places of bodies that flow which no particle has; others may split into them. */
  get freePlaces(): number {
    const places = this.#bodies.reduce(
      (sum, { options, samples }) => sum + (isEmbedded(options) ? samples.count : 0),
      0,
    );
    return places === 0 ? 0 : places - this.#ready().embedding!.store.count;
  }

  /** Places for particles: all particles, and those that sources may still put in. */
  get particleCount(): number {
    return this.#bodies.reduce((sum, body) => sum + body.samples.count, 0);
  }

  /** Neighbour relations; each pair of particles counts twice. */
  get pairCount(): number {
    const { pairs, fluid, embedding } = this.#ready();
    return pairs + (fluid?.store.pairs ?? 0) + (embedding?.store.pairs ?? 0);
  }

  get threads(): number {
    return this.#engine.threads;
  }

  /** Bytes that the world needs in WASM memory. */
  get memoryBytes(): number {
    this.#ready();
    return this.#engine.arena.bytes;
  }

  get mass(): number {
    return this.bodies.reduce((sum, body) => sum + body.mass, 0);
  }

  get bodies(): readonly Body[] {
    return describeBodies(this.#bodies, this.#model?.fluid?.counts() ?? this.#pendingState?.fluid?.counts);
  }

  /** Things worth knowing about the world as it is set up. */
  get warnings(): readonly string[] {
    const outside = [
      ...(this.isThermal ? [this.temperature ?? ROOM_TEMPERATURE] : []),
      ...[...this.#heats, ...this.#obstacles.map(({ options }) => options)].flatMap(
        ({ temperature }) => temperature ?? [],
      ),
      ...this.#bodies.flatMap(({ options, emitter }) => (emitter ?? options).temperature ?? []),
    ];
    return setupWarnings(this.#ready(), this.#bodies, this.bodies, Math.max(...outside), this.solver.safety);
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
  *stepsTo(end: number): Generator<number, StepReport, void> {
    const now = this.time;
    if (!(end > now) || !Number.isFinite(end)) throw new RangeError(`stepTo takes a time after ${now} s, got ${end}`);
    this.#ready();
    if (this.#open?.end !== end) this.#open = beginFrame(now, end, this.#efforts(), this.#substeps);
    const frame = this.#open;
    const dt = end - frame.start;
    let frameStart = frame.outerSteps === 0;
    while (this.time < end) {
      this.#applyEvents();
      this.#releaseClamps();
      this.#meltSolids();
      this.#beginConstraints();
      const model = this.#ready();
      if (this.#turns() && !model.elastic.implicit) model.elastic.evaluateForces();
      const target = Math.min(end, this.#nextCorner(), this.#nextEvent());
      const { stepper } = model;
      const remaining = target - stepper.time;
      if (remaining <= SAME_TIME * dt) {
        stepper.time = target;
        continue;
      }
      const limit = stepper.chooseStep(dt, frameStart);
      frameStart = false;
      const pieces = piecesOf(remaining, limit.timeStep);
      const size = remaining / pieces;
      const before = model.elastic.stepCount;
      if (!(stepper.time + size > stepper.time)) {
        const detail = `a step of ${size.toPrecision(2)} s is below the rounding of the time`;
        throw new SimulationError(0, 'chooseStep', stepper.time, detail, 'cannot go on in');
      }
      stepper.step(size);
      // Land on the target exactly, so that frames do not drift.
      if (pieces === 1) stepper.time = target;
      if (pieces === 1) model.heat?.flush();
      noteStep(frame, size, pieces, limit, model.elastic.stepCount - before);
      // Before anybody saves: a world that is loaded does not know of clamps that have ended.
      this.#releaseClamps();
      if (this.time < end) yield this.time;
    }
    this.#frame++;
    this.#ready().heat?.flush();
    this.#open = undefined;
    return this.#report(frame);
  }

  /** What a clamp lets go of becomes elastic again. */
  #releaseClamps(): void {
    const { clampedUntil, elastic } = this.#ready();
    if (clampedUntil > this.time) return;
    elastic.release();
    this.#change();
    this.#ready();
  }

  /** Solids that begin to melt, or that something freezes onto, go on as melts. */
  #meltSolids(): void {
    for (;;) {
      const model = this.#ready();
      const next = nextToMelt(model, this.#bodies);
      if (!next) return;
      const record = this.#bodies[next.body]!;
      const reason = obstacleToMelting(record, model.fluid?.spacing, this.solver.safety);
      if (reason === undefined) {
        this.#melt(next.body, meltBody(model, this.#bodies, next.body));
        continue;
      }
      const { name } = record.options;
      if (next.cause === 'melts') record.staysSolid = true;
      else record.staysApart = true;
      this.#notes.push(
        next.cause === 'melts'
          ? `${name}: has reached its meltingPoint but stays solid: ${reason}`
          : `${name}: does not grow together with what freezes onto it: ${reason}`,
      );
    }
  }

  #melt(b: number, melting: Melting): void {
    const { record, state } = melting;
    const before = this.#bodies[b]!;
    const { name } = record.options;
    this.#selections.clear();
    this.#surfaces.forget(name);
    this.#bodies[b] = record;
    this.#placed.add(record);
    this.#placed.delete(before);
    this.#pendingState = state;
    this.#melted = melting;
    this.#model = undefined;
    const { fluid } = this.#ready();
    this.#melted = undefined;
    // What held the solid holds the melt; clamps choose their particles by positions at rest, as they did.
    for (const constraint of this.#constraints) {
      if (constraint.options.body === name && constraint.hold) fluid!.hold(constraint);
    }
  }

  /** The frame that `stepsTo` has begun and not finished: how far it is, and what it takes. */
  get openFrame(): FrameProgress | undefined {
    return this.#open && frameProgress(this.#open, this.time, this.stepCount - this.#open.before.steps);
  }

  #efforts(): Efforts {
    return {
      steps: this.stepCount,
      solid: { ...this.#solidEffort },
      fluid: { ...this.#fluidEffort },
      heat: { ...this.#heatEffort },
      embedding: { ...this.#embeddingEffort },
      missed: this.#ready().fluid?.missed ?? [],
    };
  }

  #report(frame: OpenFrame): StepReport {
    const { before, timeStep, limitedBy, body } = frame;
    const { fluid, heat, embedding, stepper } = this.#ready();
    const { newtonIterations, iterations, retries } = this.#solidEffort;
    const steps = this.stepCount - before.steps;
    const substeps = substepsOf(frame);
    const halved = retries - before.solid.retries;
    return {
      steps,
      timeStep,
      limitedBy,
      ...(body !== undefined && { limitedByBody: body }),
      ...(substeps && { substeps }),
      maximumSpeed: stepper.maximumSpeed,
      newtonIterations: newtonIterations - before.solid.newtonIterations,
      iterations: iterations - before.solid.iterations,
      retries: halved,
      ...(fluid && { fluid: fluidReport(fluid, before.fluid, frame.outerSteps) }),
      ...(heat && { heat: heatReport(heat, before.heat) }),
      ...(embedding && { embedding: embeddingReport(embedding, before.embedding) }),
      warnings: [
        ...(steps > MANY_STEPS ? [manySteps({ ...frame, steps, substeps }, steps)] : []),
        ...(halved > 0 ? [retried(halved)] : []),
        ...(fluid ? fluidWarnings(fluid, this.#liquidNames(), before.fluid, before.missed) : []),
        ...(this.#embeddingEffort.refused > before.embedding.refused ? [NO_PLACE] : []),
        ...this.#notes.splice(0),
      ],
    };
  }

  /**
   * Puts everything at rest where forces balance. Prescribed motion and obstacles are taken to the time
   * `end` [s], to the end of all keyframes when left out. Throws when there is no balance, as for a body
   * that nothing holds.
   */
  solveStatic(end?: number): StepReport {
    if (end !== undefined && !(end >= this.time && Number.isFinite(end))) {
      throw new RangeError(`solveStatic takes a time of at least ${this.time} s, got ${end}`);
    }
    if (this.#bodies.some(({ options }) => options.kind === 'rigid')) {
      throw new OptionError([{ path: 'static', message: RIGID_STATIC }]);
    }
    if (this.#bodies.some(({ options }) => options.kind === 'fluid' || isEmbedded(options))) {
      const message = 'is for solids: liquids and bodies with discretisation embedded come to rest in time only';
      throw new OptionError([{ path: 'static', message }]);
    }
    const pushing = FORCE_NAMES.find((name) => this.forces[name]);
    if (pushing) throw new OptionError([{ path: pushing, message: STATIC_FORCE }]);
    this.#applyEvents();
    this.#releaseClamps();
    this.#beginConstraints();
    const model = this.#ready();
    const effort = { ...this.#solidEffort };
    const { residual } = model.elastic.solveStatic(end ?? model.elastic.motionEnd);
    this.#frame++;
    const { newtonIterations, iterations, retries } = this.#solidEffort;
    return {
      steps: 1,
      timeStep: 0,
      limitedBy: 'balance',
      maximumSpeed: 0,
      newtonIterations: newtonIterations - effort.newtonIterations,
      iterations: iterations - effort.iterations,
      retries: retries - effort.retries,
      residual,
      warnings:
        residual > this.solver.solid.tolerance
          ? [`balanced to ${residual.toPrecision(2)} of the forces that act, not to solver.solid.tolerance`]
          : [],
    };
  }

  /** Advances a longer time frame by frame, letting other work happen in between. */
  async advance(
    seconds: number,
    options: { frameRate?: number; signal?: AbortSignal; onFrame?: (report: StepReport) => void } = {},
  ): Promise<void> {
    const frames = Math.max(1, Math.round(seconds * (options.frameRate ?? 60)));
    for (let k = 0; k < frames; k++) {
      options.signal?.throwIfAborted();
      const report = this.step(seconds / frames);
      options.onFrame?.(report);
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  }

  /** The step that would be taken now, and what sets it; with liquid, that of the liquid. */
  stableTimeStep(): StepLimit {
    return this.#ready().stepper.previewStep();
  }

  /** The same of bodies within the steps of a liquid; none where there are none. */
  stableSubstep(): StepLimit | undefined {
    return this.#ready().stepper.previewSubstep();
  }

  /**
   * Throws when sources of heat can only lead below absolute zero, or above what is meant, by the time `end` [s]. What
   * else comes and goes cannot be foreseen: then the simulation ends when it comes.
   */
  checkHeat(end: number): void {
    this.#refuseDisposed();
    const exchanges =
      this.heatTransfer > 0 ||
      this.#sinks.length > 0 ||
      this.#bodies.some(({ emitter }) => emitter) ||
      this.#obstacles.some(({ options }) => options.temperature !== undefined) ||
      this.#heats.some(({ temperature }) => temperature !== undefined) ||
      this.#events.some(({ set }) => Object.keys(set).some((key) => THERMAL_KEYS.includes(key)));
    if (this.#heats.length > 0 && !exchanges) refuseHeat(this.#ready(), this.#heats, end);
  }

  /**
   * Throws when frames of so many seconds would take more steps than are taken, from the start or after an event;
   * what comes only with the motion ends the simulation when it comes.
   */
  checkSteps(frame: number): void {
    this.#refuseDisposed();
    const events = this.#events
      .slice(this.#eventsDone)
      .map((event) => ({ ...event, path: `events[${this.#eventOrder.indexOf(event)}]` }));
    refuseShortSteps(this.#ready(), this.#bodies, events, this.solver, frame);
  }

  /**
   * World positions, xyz and 1 per particle, into `target` or a new array. Places of sources that no particle
   * has taken have 0 in place of the 1.
   */
  positions(target?: Float32Array): Float32Array {
    return this.#read.positions(target);
  }

  /** Places in embedded space, [J14], as `positions` gives those in the world; 0 for what is not embedded. */
  embeddedPositions(): Float32Array {
    return this.#read.embeddedPositions();
  }

  /** World velocities, xyz and 0 per particle [m/s], into `target` or a new array. */
  velocities(target?: Float32Array): Float32Array {
    return this.#read.velocities(target);
  }

  /**
   * The surface of a liquid body, or of all liquids as one when none is named: closed, with the velocity at every
   * vertex. It lies on the planes among the obstacles, unless `walls` names others. The state is left as it is.
   */
  surface(body?: string, options: SurfaceOptions = {}): SurfaceMesh {
    const flows = (name: string) => {
      const { options } = this.#requireBody(name);
      return options.kind === 'fluid' || isEmbedded(options);
    };
    const bodies = this.bodies.filter(({ name }) => (body === undefined ? flows(name) : name === body));
    if (body !== undefined && !flows(body)) {
      throw new OptionError([{ path: 'body', message: `"${body}" does not flow: only what does has such a surface` }]);
    }
    if (bodies.length === 0) throw new OptionError([{ path: 'body', message: 'is missing: the world has no liquid' }]);
    const [places, velocities] = [this.positions(), this.velocities()];
    const present: number[] = [];
    for (const { begin, end } of bodies) {
      for (let i = begin; i < end; i++) if (places[4 * i + 3] === 1) present.push(i);
    }
    const pick = (from: Float32Array) => {
      const to = new Float32Array(3 * present.length);
      for (const [k, i] of present.entries()) for (let a = 0; a < 3; a++) to[3 * k + a] = from[4 * i + a]!;
      return to;
    };
    const attributes = { velocity: { components: 3, values: pick(velocities) } };
    const spacing = bodies[0]!.spacing;
    const walls = this.#obstacles.flatMap(({ options }) => obstaclePlane(options, this.time) ?? []);
    return liquidSurface(this.#engine, { positions: pick(places), spacing, attributes }, { walls, ...options });
  }

  /** Surfels on a body that is not liquid, sampled on its shape when first asked for, and saved with the world. */
  surfels(body: string, options: SurfelOptions = {}): BodySurfels {
    const record = this.#requireBody(body);
    if (record.options.kind === 'fluid') {
      throw new OptionError([{ path: 'body', message: `"${body}" is a liquid: it has a point surface instead` }]);
    }
    if (isEmbedded(record.options)) {
      const message = `"${body}" flows, so that its particles split and merge: it has a point surface instead`;
      throw new OptionError([{ path: 'body', message }]);
    }
    return this.#surfaces.surfels(this.#engine, record, options, () => this.#placesOf(body));
  }

  /** The surface of points around a body's particles, made when first asked for, and saved with the world. */
  pointSurface(body: string, options: Omit<PointSurfaceOptions, 'spacing'> = {}): BodyPoints {
    return this.#surfaces.points(this.#engine, this.#requireBody(body), options, () => this.#placesOf(body));
  }

  /** Pressure of every particle of a liquid [Pa]; 0 for others, and but for the part of walls after a load until the first step. */
  pressures(): Float32Array {
    return this.#read.pressures();
  }

  /** Temperature of every particle [degrees C], into `target` or a new array; that of the world where heat does not count. */
  temperatures(target?: Float32Array): Float32Array {
    return this.#read.temperatures(this.temperature ?? ROOM_TEMPERATURE, target);
  }

  /** Molten share of every particle [1]: 0 solid, 1 liquid. What has no melting point is what it was made as. */
  liquidFractions(): Float32Array {
    return this.#read.liquidFractions();
  }

  /** Specific enthalpy of every particle [J/kg]; 0 for the solid at 0 degrees C, and where heat does not count. */
  enthalpies(): Float64Array {
    return this.#read.enthalpies();
  }

  /** Heat of every particle [J], latent heat included; 0 where heat does not count. */
  heats(): Float64Array {
    return this.#read.heats();
  }

  /** Heat of everything in the world [J], latent heat included; 0 where heat does not count. */
  heat(): number {
    return this.#ready().heat?.heat() ?? 0;
  }

  /** Density of every particle [kg/m3]. */
  densities(): Float32Array {
    return this.#read.densities();
  }

  /** Mass of every particle [kg]; 0 for places that no particle has taken. */
  masses(): Float32Array {
    return this.#read.masses();
  }

  /** Von Mises stress of every particle [Pa]. */
  stresses(): Float32Array {
    return this.#read.measure(1);
  }

  /** Does a body flow for good at some stress, now or after an event? */
  get isPlastic(): boolean {
    return this.#bodies.some(({ plastic }) => plastic) || this.#events.some(({ set }) => mayFlow(set));
  }

  /** Plastic strain of every particle, equivalent and accumulated [1]. */
  plasticStrains(): Float32Array {
    return this.#read.plasticStrains();
  }

  /** Volume of every particle's neighbourhood over its rest volume, det J [1]. */
  volumeRatios(): Float32Array {
    return this.#read.measure(2);
  }

  /** Elastic energy of every particle [J]. */
  elasticEnergies(): Float32Array {
    return this.#read.measure(0);
  }

  /** Reads several things of the present state without looking each time where the particles are; good until the next step. */
  readings(): Readings {
    return this.#read;
  }

  /** Energies and momenta of the whole world at once. */
  sums(): WorldSums {
    return worldSums(this.#ready(), this.gravity);
  }

  /** Energies of the whole world [J]; the gravitational one is zero at the origin. */
  energy(): Energy {
    return worldSums(this.#ready(), this.gravity).energy;
  }

  /** [kg m/s] */
  momentum(): Vec3 {
    return worldSums(this.#ready(), this.gravity).momentum;
  }

  /** About the origin [kg m2/s]. */
  angularMomentum(): Vec3 {
    return worldSums(this.#ready(), this.gravity).angularMomentum;
  }

  /** One or three numbers: see the table of quantities in docs/scene.md. `where` names the region in messages. */
  probe(input: ProbeInput, where = 'region'): number[] {
    const options = resolveProbe(input);
    if (options.body !== undefined) this.#requireBody(options.body);
    return measureProbe(this, this.#ready(), this.#bodies, options, this.#selections, where);
  }

  /** A fingerprint of the whole state: the same for every number of threads and every engine. */
  stateHash(): string {
    return hashState(this.#ready());
  }

  /** The whole world as bytes, from which `World.load` goes on to the same bits. */
  save(): Uint8Array {
    return this.snapshot().toBytes();
  }

  /** What `save` would give now, in a tenth of the time: the bytes are made when they are asked for. */
  snapshot(): Snapshot {
    const model = this.#ready();
    const { store, elastic, fluid, heat, embedding } = model;
    return new Snapshot({
      embedding: embedding?.save(),
      temperature: this.temperature,
      heatTransfer: this.heatTransfer,
      forces: this.forces,
      heat: this.#heats,
      heated: this.#heated,
      heatState: heat?.save(),
      surfaces: this.#surfaces.save(),
      heatEffort: this.#heatEffort,
      sinks: this.#sinks,
      fluid: fluid?.save(),
      gravity: this.gravity,
      solver: this.solver,
      seed: this.seed,
      frame: this.#frame,
      open: this.#open,
      efforts: this.#open && {
        solid: this.#solidEffort,
        fluid: this.#fluidEffort,
        embedding: this.#embeddingEffort,
      },
      eventsDone: this.#eventsDone,
      events: this.#events,
      constraints: this.#constraints,
      bodies: this.#bodies,
      obstacles: this.#obstacles,
      solverState: solverState(model),
      attributes: [...store.state(), elastic.rigid.touches()],
    });
  }

  static async load(bytes: Uint8Array, options: { threads?: 'auto' | number } = {}): Promise<World> {
    const saved = readSave(bytes);
    const resolved = resolveWorldOptions({ threads: options.threads ?? 'auto' });
    const world = new World(await Engine.create(resolved.threads), saved);
    world.#bodies.push(...saved.bodies);
    world.#obstacles.push(...saved.obstacles);
    world.#sinks.push(...saved.sinks);
    world.#constraints.push(...saved.constraints);
    world.#events.push(...saved.events);
    world.#heats.push(...saved.heat);
    for (const body of saved.bodies) world.#placed.add(body);
    world.#placedObstacles = saved.obstacles.length;
    world.#surfaces.load(saved.surfaces);
    world.#heated = saved.heated;
    Object.assign(world.#heatEffort, saved.heatEffort);
    if (saved.open && saved.efforts) {
      Object.assign(world.#solidEffort, saved.efforts.solid);
      Object.assign(world.#fluidEffort, saved.efforts.fluid);
      Object.assign(world.#embeddingEffort, saved.efforts.embedding);
      Object.assign(world.#substeps, saved.open.substeps);
      world.#open = { ...saved.open, substeps: world.#substeps };
    }
    world.#eventsDone = saved.eventsDone;
    world.#frame = saved.frame;
    world.#pendingState = {
      ...saved.solverState,
      attributes: saved.attributes,
      fluid: saved.fluid,
      heat: saved.heatState,
      embedding: saved.embedding,
      hasForces:
        saved.solverState.elasticFrequency > 0 ||
        saved.bodies.every(({ options }) => options.kind !== 'solid' || isEmbedded(options)),
    };
    return world;
  }

  /** Milliseconds spent in each pass so far. */
  passTimings(): Record<string, PassTiming> {
    this.#refuseDisposed();
    return Object.fromEntries(this.#engine.timings);
  }

  /** Stops the threads. Every method throws afterwards; `time`, `frame` and `bodies` can still be read. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#engine.dispose();
  }

  #refuseDisposed(): void {
    if (!this.#disposed) return;
    throw new Error(
      'this world was disposed of, so its threads are gone: make another one with createWorld(), or keep ' +
        'world.save() before and go on with World.load()',
    );
  }

  #pendingState: PendingState | undefined;
  /** A body that was a solid up to now, for the next layout. */
  #melted: Melting | undefined;

  /** Keeps the state of what is there and lays the memory out anew before the next step. */
  #change(): void {
    this.#refuseDisposed();
    this.#selections.clear();
    if (this.#pendingState) this.#pendingState = { ...this.#pendingState, hasForces: false };
    if (!this.#model) return;
    this.#pendingState = keepState(this.#model);
    this.#model = undefined;
  }

  #ready(): WorldModel {
    this.#refuseDisposed();
    if (this.#model) return this.#model;
    if (this.#bodies.length === 0)
      throw new OptionError([{ path: 'bodies', message: 'are missing: a world needs at least one' }]);
    refuseUnholdable(this.#bodies, this.#obstacles, this.#constraints);
    refuseIntegrator(this.#bodies, this.solver);
    refuseEmbeddedMix(this.#bodies, this.isThermal);
    makeDistanceGrids(this.#obstacles, this.#bodies);
    const model = buildModel(
      {
        engine: this.#engine,
        gravity: this.gravity,
        solver: this.solver,
        bodies: this.#bodies,
        obstacles: this.#obstacles,
        constraints: this.#constraints,
        sinks: this.#sinks,
        time: this.#pendingState?.time ?? 0,
        frames: this.#pendingState?.frames,
        solidEffort: this.#solidEffort,
        substeps: this.#substeps,
        fluidState: this.#pendingState?.fluid,
        fluidEffort: this.#fluidEffort,
        melted: this.#melted,
        // What has not moved yet is made anew, with all that has been added.
        embeddingState: this.#pendingState?.stepCount ? this.#pendingState.embedding : undefined,
        embeddingEffort: this.#embeddingEffort,
        heat: this.isThermal
          ? {
              ambient: this.temperature ?? ROOM_TEMPERATURE,
              transfer: this.heatTransfer,
              sources: this.#heats,
              state: this.#pendingState?.heat,
              effort: this.#heatEffort,
            }
          : undefined,
        forces: this.forces,
      },
      this.#emptyArena,
    );
    const pending = this.#pendingState;
    const first = pending?.frames.length ?? 0;
    setInitialVelocities(model, first);
    if (pending) restoreState(model, pending);
    if (this.solver.contact.bodies) refuseOverlap(model, this.#bodies, first);
    refuseNothingLeft(model, this.#bodies);
    if (pending?.hasForces) model.elastic.placeConstraints();
    else {
      model.stepper.pushAtStart();
      model.elastic.evaluateForces();
      if (!pending?.stepCount) model.embedding?.solver.evaluateForces(model.elastic.time);
      refuseBuried(model, this.#bodies, first);
    }
    const old = [this.#placed, this.#obstacles, this.#placedObstacles] as const;
    findPenetrations(model, this.#bodies, ...old);
    refuseBlockedSources(model, this.#bodies, ...old);
    writePenetrations(model, this.#bodies);
    this.#placedObstacles = this.#obstacles.length;
    for (const body of this.#bodies) this.#placed.add(body);
    this.#pendingState = undefined;
    for (const grab of this.#grabs) this.#takeHold(model, grab);
    this.#model = model;
    return model;
  }

  #liquidNames(): string[] {
    return this.#bodies.filter(({ options }) => options.kind === 'fluid').map(({ options }) => options.name);
  }

  #nextEvent(): number {
    return this.#events[this.#eventsDone]?.time ?? Number.POSITIVE_INFINITY;
  }

  #applyEvents(): void {
    while (this.#nextEvent() <= this.time) {
      const { body, set } = this.#events[this.#eventsDone]!;
      this.#eventsDone++;
      this.setMaterial(body, set);
    }
  }

  get #read(): Readings {
    return new Readings(this.#ready(), this.#bodies);
  }

  /** xyz of a body's particles [m]; not a number where a source has none yet. */
  #placesOf(body: string): Float32Array {
    return this.#read.placesOf(this.bodies.find(({ name }) => name === body)!);
  }

  #requireBody(name: string): BodyRecord {
    this.#refuseDisposed();
    const record = this.#bodies.find((body) => body.options.name === name);
    if (!record) {
      const known = this.#bodies.map((body) => `"${body.options.name}"`).join(', ') || 'none yet';
      throw new OptionError([{ path: 'body', message: `"${name}" is not in the world; bodies are ${known}` }]);
    }
    return record;
  }
}
