import { add, cross, dot, length, rotationFromDegrees, scale, subtract, transform, transpose } from './math/matrix3.js';
import { sineCosine } from './math/trigonometry.js';
import { Engine, type PassTiming } from './memory/engine.js';
import { signedDistanceGrid } from './mesh/index.js';
import { formatPath } from './options/errors.js';
import { ROOM_TEMPERATURE, THERMAL_KEYS } from './options/heat.js';
import {
  type BodyInput,
  type ConstraintInput,
  type EmitterInput,
  type EventInput,
  type HeatInput,
  type ObstacleInput,
  OptionError,
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
import { ineffectiveKeys } from './options/parameters.js';
import {
  liquidChangeProblems,
  RIGID_IMPLICIT,
  RIGID_STATIC,
  type RigidProblem,
  rigidChangeProblems,
  rigidConstraintProblems,
} from './options/rigid.js';
import type {
  BodyOptions,
  ConstraintOptions,
  EventOptions,
  HeatOptions,
  ProbeOptions,
  Region,
  SolverOptions,
  TriangleMesh,
  Vec3,
} from './options/types.js';
import { findOverlap } from './overlap.js';
import * as embeddingLayout from './particles/embedding-layout.js';
import * as fluidLayout from './particles/fluid-layout.js';
import * as layout from './particles/layout.js';
import { type BodySamples, toSamples } from './particles/samples.js';
import { type Energy, measureProbe, worldSums } from './probes.js';
import { surfaceArea } from './sampling/area.js';
import { cubeRoot } from './sampling/cube-root.js';
import { type SamplingQuality, sampleShape } from './sampling/index.js';
import { scaleMesh } from './sampling/solid-shape.js';
import { readSave, type SavedWorld, writeSave } from './save.js';
import { findClamp } from './solvers/constraints/clamp.js';
import { emptyRegion, particlesIn } from './solvers/constraints/constraints.js';
import type { Obstacle } from './solvers/contact/obstacles.js';
import { materialsOf, mayFlow } from './solvers/elastic/material.js';
import type { StepLimit } from './solvers/elastic/step.js';
import { type EmbeddingModel, type EmbeddingState, isEmbedded, withRoom } from './solvers/embedding/model.js';
import { type EmbeddingEffort, NO_EMBEDDING } from './solvers/embedding/step.js';
import type { FluidModel, FluidState } from './solvers/fluid/model.js';
import type { FluidEffort } from './solvers/fluid/step.js';
import { Grab, gripAround, Hands } from './solvers/grab.js';
import type { HeatModel, HeatState } from './solvers/heat/model.js';
import type { HeatEffort } from './solvers/heat/step.js';
import { unsigned } from './solvers/rigid/bodies.js';
import { piecesOf, SAME_TIME } from './solvers/stepper.js';
import { liquidSurface, type SurfaceMesh, type SurfaceOptions } from './surface/liquid.js';
import type { PointSurfaceOptions } from './surface/points/point-surface.js';
import { type BodyPoints, type BodySurfels, type SurfelOptions, WorldSurfaces } from './surface/world-surfaces.js';
import { type BodyRecord, buildModel, rewriteMaterials, type WorldModel } from './world-model.js';

/** A body in the world; particle numbers are [begin, end). */
export interface Body {
  readonly name: string;
  readonly kind: BodyOptions['kind'];
  readonly begin: number;
  readonly end: number;
  /** Smallest distance of neighbouring particles [m]. */
  readonly spacing: number;
  /** [kg] */
  readonly mass: number;
  readonly warnings: readonly string[];
  /** How well the particles stand for the shape; not known of particles that a program gave. */
  readonly quality?: SamplingQuality | undefined;
}

/** What a call of `step` did. */
export interface StepReport {
  /** Substeps taken. */
  readonly steps: number;
  /** The smallest of them [s]. */
  readonly timeStep: number;
  /** What kept it small. */
  readonly limitedBy: string;
  /** Fastest particle at the end [m/s]. */
  readonly maximumSpeed: number;
  /** Newton and conjugate gradient iterations of implicit substeps, all together. */
  readonly newtonIterations: number;
  readonly iterations: number;
  /** Implicit substeps that did not converge and were tried again with half the length. */
  readonly retries: number;
  /** How liquids were solved; none when there are none. */
  readonly fluid?: FluidReport;
  /** How heat was solved; none when there is none. */
  readonly heat?: HeatReport;
  /** How bodies that flow were solved; none when there are none. */
  readonly embedding?: EmbeddingReport;
  /** Of a static solution: what is left unbalanced, relative to the forces that act. */
  readonly residual?: number;
  /** What the user should know about these steps; empty when all is well. */
  readonly warnings: readonly string[];
}

/** What the steps of a call did to liquids. */
export interface FluidReport {
  /** Steps of the liquids. */
  readonly steps: number;
  /** Iterations of the pressure solutions for velocities and for places, and of implicit viscosity, per step. */
  readonly velocityIterations: number;
  readonly placeIterations: number;
  readonly viscosityIterations: number;
  /** Mean and largest compression at the end [1]. */
  readonly meanCompression: number;
  readonly largestCompression: number;
  /** Particles that left through sinks. */
  readonly removed: number;
  /** Mass that sources put in and sinks took out [kg]. */
  readonly massAdded: number;
  readonly massRemoved: number;
}

/** What the steps of a call did to heat. */
export interface HeatReport {
  /** Explicit and implicit steps; the longest explicit one that makes no new extremes, at the end [s]. */
  readonly explicitSteps: number;
  readonly implicitSteps: number;
  readonly explicitTimeStep: number;
  /** Conjugate gradient iterations of the implicit ones, and how many of these were tried again with half the length. */
  readonly iterations: number;
  readonly retries: number;
  /** Heat from plates, surroundings and sources; of liquid from sources and by `setTemperature`; and out by sinks [J]. */
  readonly supplied: number;
  readonly added: number;
  readonly removed: number;
}

/** What the steps of a call did to bodies that flow. */
export interface EmbeddingReport {
  /** Particles in the world now. */
  readonly particles: number;
  /** How often embedded space and neighbours were found anew, and conjugate gradient iterations for that. */
  readonly embeddings: number;
  readonly embeddingIterations: number;
  readonly viscosityIterations: number;
  /** Particles that split and that merged. */
  readonly splits: number;
  readonly merges: number;
  /** Volume of everything at rest by [J14] eq. 3, calibrated at the start [m3]. */
  readonly estimatedVolume: number;
}

/** Particles given by a program instead of a lattice. */
export interface PointSamples {
  /** xyz per particle in the body's own coordinates [m]. */
  readonly positions: Float64Array;
  /** [m3] */
  readonly volumes: Float64Array;
  /** Edge of each particle's cell [m]; from the nearest neighbours when left out. */
  readonly spacings?: Float64Array;
}

/** Nearest neighbours whose mean distance gives the spacing of a program's particles ([M04] 3.2 takes ten). */
const NEAREST = 6;

/** Cells of a distance grid along the longest side of its mesh, at the most. */
const MOST_CELLS = 160;

/** Contact and obstacles see float32 positions in the world: their rounding may be this share of a spacing. */
const FAR_AWAY = 0.01;

/** A rigid body that sinks in by more than this share of its particles' radius under its weight is soft. */
const SOFT = 0.1;

/** One that is deeper in an obstacle than this share of its particles' radius at the start is refused. */
const BURIED = 0.6;

/** State that waits for the memory to be laid out. */
type PendingState = SavedWorld['solverState'] & {
  readonly attributes: readonly Float32Array[];
  readonly fluid?: FluidState | undefined;
  readonly heat?: HeatState | undefined;
  readonly embedding?: EmbeddingState | undefined;
  /** Are the accelerations and frequencies those of this state? */
  readonly hasForces: boolean;
};

/** Particles of a liquid are all alike. */
function evenly(samples: BodySamples, spacing: number): BodySamples {
  const rest = samples.rest.slice();
  for (let i = 3; i < rest.length; i += 4) rest[i] = spacing;
  return {
    ...samples,
    rest,
    volume: samples.volume.map(() => spacing * spacing * spacing),
    offset: new Float32Array(),
  };
}

/** Compression of a liquid that is worth a word: on average, and of one particle [1]. */
const COMPRESSED = 0.01;
const CRUSHED = 0.5;

/** A body whose particles are this much coarser than a liquid's lets it through. */
const COARSE = 2;

const NO_EFFORT: FluidEffort = {
  velocityIterations: 0,
  placeIterations: 0,
  viscosityIterations: 0,
  unconverged: 0,
  unconvergedViscosity: 0,
  removed: 0,
  massAdded: 0,
  massRemoved: 0,
};

const NO_HEAT: HeatEffort = {
  explicitSteps: 0,
  implicitSteps: 0,
  iterations: 0,
  retries: 0,
  supplied: 0,
  added: 0,
  removed: 0,
};

function heatReport({ solver }: HeatModel, before: HeatEffort): HeatReport {
  const since = (key: keyof HeatEffort) => solver.effort[key] - before[key];
  return {
    explicitSteps: since('explicitSteps'),
    implicitSteps: since('implicitSteps'),
    explicitTimeStep: solver.explicitStep,
    iterations: since('iterations'),
    retries: since('retries'),
    supplied: since('supplied'),
    added: since('added'),
    removed: since('removed'),
  };
}

function embeddingReport(model: EmbeddingModel, before: EmbeddingEffort): EmbeddingReport {
  const { effort } = model.solver;
  const since = (key: keyof EmbeddingEffort) => effort[key] - before[key];
  return {
    particles: model.store.count,
    embeddings: since('embeddings'),
    embeddingIterations: since('embeddingIterations'),
    viscosityIterations: since('viscosityIterations'),
    splits: since('splits'),
    merges: since('merges'),
    estimatedVolume: model.estimatedVolume(),
  };
}

function fluidReport({ solver }: FluidModel, before: FluidEffort, steps: number): FluidReport {
  const { effort } = solver;
  const perStep = (key: 'velocityIterations' | 'placeIterations' | 'viscosityIterations') =>
    (effort[key] - before[key]) / Math.max(1, steps);
  return {
    steps,
    velocityIterations: perStep('velocityIterations'),
    placeIterations: perStep('placeIterations'),
    viscosityIterations: perStep('viscosityIterations'),
    meanCompression: solver.meanCompression,
    largestCompression: solver.largestCompression,
    removed: effort.removed - before.removed,
    massAdded: effort.massAdded - before.massAdded,
    massRemoved: effort.massRemoved - before.massRemoved,
  };
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
  readonly #engine: Engine;
  readonly #emptyArena: number;
  readonly #bodies: BodyRecord[] = [];
  readonly #obstacles: Obstacle[] = [];
  readonly #sinks: Region[] = [];
  readonly #fluidEffort: FluidEffort = { ...NO_EFFORT };
  readonly #constraints: ConstraintOptions[] = [];
  readonly #events: EventOptions[] = [];
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
    },
  ) {
    this.#engine = engine;
    this.#emptyArena = engine.arena.mark();
    this.gravity = options.gravity;
    this.solver = options.solver;
    this.seed = options.seed;
    this.temperature = options.temperature;
    this.heatTransfer = options.heatTransfer;
  }

  static async create(options: WorldInput = {}): Promise<World> {
    const resolved = resolveWorldOptions(options);
    return new World(await Engine.create(resolved.threads), resolved);
  }

  /** Adds a body, sampled on its lattice or with the particles given. */
  addBody(input: BodyInput, points?: PointSamples): Body {
    const options = resolveBody(input);
    if (this.#bodies.some((body) => body.options.name === options.name)) {
      throw new OptionError([
        { path: 'name', message: `"${options.name}" is the name of a body that is already there` },
      ]);
    }
    const warnings: string[] = [];
    let quality: SamplingQuality | undefined;
    let samples: BodySamples;
    if (points) {
      checkPoints(points);
      samples = toSamples(points.positions, points.volumes, points.spacings ?? this.#nearestSpacings(points.positions));
      if (options.kind === 'fluid') {
        const mean = points.volumes.reduce((sum, v) => sum + v, 0) / points.volumes.length;
        samples = evenly(samples, options.spacing ?? cubeRoot(mean));
      }
    } else {
      const { spacing, particles, lattice, jitter } = options;
      const seed = (this.seed + this.#bodies.length) >>> 0;
      const advisedLayers = options.kind === 'rigid' ? 1 : undefined;
      const sampled = sampleShape(options.shape, { spacing, particles, lattice, jitter, seed, advisedLayers });
      warnings.push(...sampled.warnings);
      quality = sampled.quality;
      samples = toSamples(sampled.positions, sampled.volumes, sampled.spacings, sampled.offsets);
      if (options.kind === 'fluid') samples = evenly(samples, spacing ?? sampled.spacings[0]!);
    }
    const rotation = rotationFromDegrees(options.rotation);
    const initial = { rotation, origin: add(options.position, transform(rotation, samples.center)) };
    const side = longestSide(samples);
    if (isEmbedded(options)) {
      if (this.stepCount > 0) {
        const message = 'embedded must be there from the start';
        throw new OptionError([{ path: 'discretisation', message }]);
      }
      samples = withRoom(samples);
    }
    this.#change();
    this.#bodies.push({
      options,
      samples,
      initial,
      material: options.material,
      longestSide: side,
      plastic: options.kind === 'solid' && [options.material, ...options.regions.map(({ set }) => set)].some(mayFlow),
      warnings,
      quality,
      surfaceArea: points ? undefined : surfaceArea(options.shape),
    });
    return this.bodies.at(-1)!;
  }

  /** Adds a source of liquid; its particles are a body of their own, which is empty at first. */
  addEmitter(input: EmitterInput): Body {
    const emitter = resolveEmitter(input);
    const { name, position, rotation, maxParticles, spacing, material } = emitter;
    if (this.#bodies.some((body) => body.options.name === name)) {
      throw new OptionError([{ path: 'name', message: `"${name}" is the name of a body that is already there` }]);
    }
    const shape = { cylinder: { radius: emitter.radius, length: spacing } };
    const options = resolveBody({ name, kind: 'fluid', shape, position, rotation, spacing });
    const samples = toSamples(
      new Float64Array(3 * maxParticles),
      new Float64Array(maxParticles).fill(spacing * spacing * spacing),
      new Float64Array(maxParticles).fill(spacing),
    );
    const initial = { rotation: rotationFromDegrees(rotation), origin: position };
    this.#change();
    this.#bodies.push({
      options,
      samples,
      initial,
      material,
      longestSide: emitter.radius,
      warnings: [],
      plastic: false,
      emitter,
    });
    return this.bodies.at(-1)!;
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
  }

  addConstraint(input: ConstraintInput): void {
    const options = resolveConstraint(input);
    const { samples, initial, options: body } = this.#requireBody(options.body);
    const path = `constraints[${this.#constraints.length}]`;
    if (body.kind === 'fluid') {
      throw new OptionError([{ path: `${path}.body`, message: `is "${body.name}", a liquid, which cannot be held` }]);
    }
    if (body.kind === 'rigid') refuse(path, rigidConstraintProblems(options));
    if (this.time > 0 && options.fix.length + options.move.length > 0) {
      const message = 'with fix or move must be there from the start: it holds particles by their places at time 0';
      throw new OptionError([{ path, message }]);
    }
    const held = isEmbedded(body)
      ? particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region)
      : findClamp(samples, initial, options, 1).held;
    if (held.length === 0) {
      throw emptyRegion(`${path}.region`, options.body);
    }
    this.#change();
    this.#constraints.push(options);
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
    const pending = this.#events.splice(this.#eventsDone).sort((a, b) => a.time - b.time);
    this.#events.push(...pending);
  }

  /** Changes material parameters of a body now. */
  setMaterial(body: string, set: EventOptions['set']): void {
    const record = this.#requireBody(body);
    refuseIneffective(record, set);
    // Density decides the masses, which are laid down with the particles.
    const material = resolveMaterial({ ...record.material, ...set });
    const density = material.density !== record.material.density;
    record.material = material;
    this.#changeThermal(record, set);
    if (this.#model && Object.keys(set).every((key) => THERMAL_KEYS.includes(key))) return;
    // So are the shares of the regions in the stabilisation.
    const plastic = record.options.kind === 'solid' && mayFlow(material) && !record.plastic;
    if (plastic) record.plastic = true;
    if (isEmbedded(record.options)) {
      if (this.#model) this.#model.embedding!.changeMaterials(this.time);
      return;
    }
    const laidOut = density || plastic || record.options.regions.length > 0;
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
    if (record.options.kind === 'fluid') {
      throw new OptionError([{ path: 'body', message: `is "${body}", a liquid, which nobody can take hold of` }]);
    }
    if (isEmbedded(record.options)) {
      throw new OptionError([{ path: 'body', message: `is "${body}", which flows: nobody can take hold of it yet` }]);
    }
    const { begin, end, spacing } = this.bodies[this.#bodies.indexOf(record)]!;
    const radius = options.radius ?? Math.max(1.5 * spacing, 0.2 * record.longestSide);
    if (!(radius > 0 && radius < Infinity)) throw new RangeError(`grab takes a radius > 0 m, got ${radius}`);
    if (!point.every(Number.isFinite)) throw new RangeError(`grab takes a point of finite numbers, got ${point}`);
    const masses = this.masses();
    const grip = gripAround(this.positions(), masses, { begin, end }, point, radius);
    let mass = 0;
    for (let i = begin; i < end; i++) mass += masses[i]!;
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
        this.#model?.stepper.hands?.remove(grab);
        // The next step begins with the forces of the last: without the hand's.
        this.#model?.elastic.evaluateForces();
      },
    });
    this.#grabs.push(grab);
    this.#takeHold(this.#ready(), grab);
    return grab;
  }

  #takeHold(model: WorldModel, grab: Grab): void {
    model.stepper.hands ??= new Hands(model.store, model.elastic.frames, model.ranges);
    const b = this.#bodies.findIndex(({ options }) => options.name === grab.body);
    model.stepper.hands.add(grab, model.places[b]!.index);
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
    let begin = 0;
    const present = this.#model?.fluid?.counts() ?? this.#pendingState?.fluid?.counts;
    let liquids = 0;
    return this.#bodies.map((body) => {
      const { options, samples, warnings, quality } = body;
      const { count, rest, volume } = samples;
      const materials = materialsOf(body);
      let spacing = Number.POSITIVE_INFINITY;
      let total = 0;
      for (let i = 0; i < count; i++) {
        spacing = Math.min(spacing, rest[4 * i + 3]!);
        total += volume[i]! * materials[i]!.density;
      }
      if (options.kind === 'fluid') {
        const there = present?.[liquids++] ?? (body.emitter ? 0 : count);
        total = there * spacing * spacing * spacing * body.material.density;
      }
      begin += count;
      return {
        name: options.name,
        kind: options.kind,
        begin: begin - count,
        end: begin,
        spacing,
        mass: total,
        warnings,
        quality,
      };
    });
  }

  /** Things worth knowing about the world as it is set up. */
  get warnings(): readonly string[] {
    const { ranks, fluid, elastic, solids } = this.#ready();
    const { isolated, lines, sheets } = ranks;
    const list = this.#bodies.flatMap(({ options, warnings }) => warnings.map((text) => `${options.name}: ${text}`));
    for (const body of this.bodies) {
      const { origin } = this.#requireBody(body.name).initial;
      if (length(origin) * 2 ** -23 > FAR_AWAY * body.spacing) {
        list.push(
          `${body.name}: is so far from the origin that float32 rounds its places by more than ${100 * FAR_AWAY} % of a spacing`,
        );
      }
    }
    const liquids = this.#bodies.filter(({ options }) => options.kind === 'fluid');
    for (const [k, buried] of (fluid?.buried ?? []).entries()) {
      if (buried === 0) continue;
      list.push(`${liquids[k]!.options.name}: ${buried} particles are left out where something else is already`);
    }
    for (const body of fluid ? this.bodies : []) {
      if (body.kind === 'fluid' || body.spacing <= COARSE * fluid!.spacing) continue;
      list.push(
        `${body.name}: its particles are more than ${COARSE} spacings of the liquid apart, which flows through it`,
      );
    }
    for (const b of elastic.rigid.softBodies(SOFT)) {
      list.push(
        `${solids[b]!.options.name}: sinks into what it rests on by more than ${100 * SOFT} % of a particle; a rigid body needs a larger youngsModulus`,
      );
    }
    const flowing = this.#bodies.filter(({ options }) => isEmbedded(options)).map(({ options }) => options.name);
    if (flowing.length > 1) {
      list.push(
        `${flowing.join(', ')}: bodies with discretisation embedded do not touch each other yet, nor themselves`,
      );
    }
    if (isolated > 0)
      list.push(`${isolated} particles have no neighbours and feel no elastic force; use a smaller spacing`);
    if (lines > 0) list.push(`${lines} particles have all their neighbours on a line and resist only along it`);
    if (sheets > 0) list.push(`${sheets} particles have all their neighbours in a plane and resist only within it`);
    return list;
  }

  /** Advances by `dt` seconds, in as many substeps as stability asks for. */
  step(dt: number): StepReport {
    if (!(dt > 0) || !Number.isFinite(dt)) throw new RangeError(`step takes a time > 0 s, got ${dt}`);
    return this.stepTo(this.time + dt);
  }

  /** Advances to exactly the time `end` [s]: frames at k / frameRate do not drift. */
  stepTo(end: number): StepReport {
    const start = this.time;
    const dt = end - start;
    if (!(dt > 0) || !Number.isFinite(dt)) throw new RangeError(`stepTo takes a time after ${start} s, got ${end}`);
    const before = this.stepCount;
    const { elastic: bodies, heat: warmth, embedding: flowing } = this.#ready();
    const corners = [...bodies.corners, ...(warmth?.corners ?? []), ...(flowing?.corners ?? [])]
      .filter((t) => t > start && t < end)
      .sort((a, b) => a - b);
    const heatEffort = { ...this.#heatEffort };
    const effort = { ...this.#ready().elastic.effort };
    const fluidEffort = { ...this.#fluidEffort };
    const embeddingEffort = { ...this.#embeddingEffort };
    const missed = this.#ready().fluid?.missed ?? [];
    let liquidSteps = 0;
    let smallest = Number.MAX_VALUE;
    let limitedBy = 'frame';
    let frameStart = true;
    while (this.time < end) {
      this.#applyEvents();
      // What a clamp lets go of becomes elastic again.
      if (this.#ready().clampedUntil <= this.time) {
        this.#ready().elastic.release();
        this.#change();
      }
      const model = this.#ready();
      const target = Math.min(end, corners.find((t) => t > this.time) ?? end, this.#nextEvent());
      const { stepper } = model;
      const remaining = target - stepper.time;
      if (remaining <= SAME_TIME * dt) {
        stepper.time = target;
        continue;
      }
      const limit = stepper.chooseStep(frameStart);
      frameStart = false;
      const pieces = piecesOf(remaining, limit.timeStep);
      const size = remaining / pieces;
      if (size < smallest * (1 - SAME_TIME)) {
        smallest = size;
        limitedBy = pieces > 1 ? limit.limitedBy : 'frame';
      }
      stepper.step(size);
      liquidSteps++;
      // Land on the target exactly, so that frames do not drift.
      if (pieces === 1) stepper.time = target;
      if (pieces === 1) model.heat?.flush();
    }
    this.#frame++;
    const { elastic, fluid, heat, embedding, stepper } = this.#ready();
    heat?.flush();
    const { newtonIterations, iterations, retries } = elastic.effort;
    return {
      steps: elastic.stepCount - before,
      timeStep: smallest,
      limitedBy,
      maximumSpeed: stepper.maximumSpeed,
      newtonIterations: newtonIterations - effort.newtonIterations,
      iterations: iterations - effort.iterations,
      retries: retries - effort.retries,
      ...(fluid && { fluid: fluidReport(fluid, fluidEffort, liquidSteps) }),
      ...(heat && { heat: heatReport(heat, heatEffort) }),
      ...(embedding && { embedding: embeddingReport(embedding, embeddingEffort) }),
      warnings: [
        ...(retries > effort.retries ? [retried(retries - effort.retries)] : []),
        ...(fluid ? this.#fluidWarnings(fluid, fluidEffort, missed) : []),
        ...(this.#embeddingEffort.refused > embeddingEffort.refused ? [NO_PLACE] : []),
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
    this.#applyEvents();
    const model = this.#ready();
    const effort = { ...model.elastic.effort };
    const { residual } = model.elastic.solveStatic(end ?? model.elastic.motionEnd);
    this.#frame++;
    const { newtonIterations, iterations, retries } = model.elastic.effort;
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

  /** The substep that would be taken now, and what sets it. */
  stableTimeStep(): StepLimit {
    return this.#ready().stepper.previewStep();
  }

  /**
   * World positions, xyz and 1 per particle, into `target` or a new array. Places of sources that no particle
   * has taken have 0 in place of the 1.
   */
  positions(target?: Float32Array): Float32Array {
    const { store, ranges, elastic, places, fluid, embedding } = this.#ready();
    const result = target ?? new Float32Array(4 * this.particleCount);
    const rest = store.vectors(layout.REST);
    const u = elastic.shownDisplacements();
    for (const [b, place] of places.entries()) {
      if (place.liquid || place.embedded) {
        const { origin } = this.#bodies[b]!.initial;
        for (let i = 4 * place.begin; i < 4 * place.end; i += 4) {
          for (let a = 0; a < 3; a++) result[i + a] = origin[a]!;
          result[i + 3] = 0;
        }
        continue;
      }
      const { rotation: r, origin: c } = elastic.frames[place.index]!;
      const { begin, end } = ranges[place.index]!;
      for (let k = 4 * begin, i = 4 * place.begin; k < 4 * end; k += 4, i += 4) {
        const x = rest[k]! + u[k]!;
        const y = rest[k + 1]! + u[k + 1]!;
        const z = rest[k + 2]! + u[k + 2]!;
        result[i] = r[0] * x + r[1] * y + r[2] * z + c[0];
        result[i + 1] = r[3] * x + r[4] * y + r[5] * z + c[1];
        result[i + 2] = r[6] * x + r[7] * y + r[8] * z + c[2];
        result[i + 3] = 1;
      }
    }
    if (fluid) {
      const x = fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = x[4 * i + a]!;
        result[4 * number + 3] = 1;
      });
    }
    if (embedding) {
      const x = embedding.store.vectors(embeddingLayout.POSITION);
      this.#forEmbedded((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = x[4 * i + a]!;
        result[4 * number + 3] = 1;
      });
    }
    return result;
  }

  /** Places in embedded space, [J14], as `positions` gives those in the world; 0 for what is not embedded. */
  embeddedPositions(): Float32Array {
    const result = new Float32Array(4 * this.particleCount);
    const e = this.#ready().embedding?.store.vectors(embeddingLayout.EMBEDDED);
    this.#forEmbedded((i, number) => {
      for (let a = 0; a < 3; a++) result[4 * number + a] = e![4 * i + a]!;
      result[4 * number + 3] = 1;
    });
    return result;
  }

  /** World velocities, xyz and 0 per particle [m/s], into `target` or a new array. */
  velocities(target?: Float32Array): Float32Array {
    const { ranges, elastic, places, fluid, embedding } = this.#ready();
    const result = target ?? new Float32Array(4 * this.particleCount);
    const v = elastic.shownVelocities();
    for (const place of places) {
      if (place.liquid || place.embedded) {
        result.fill(0, 4 * place.begin, 4 * place.end);
        continue;
      }
      const { rotation: r } = elastic.frames[place.index]!;
      const { begin, end } = ranges[place.index]!;
      for (let k = 4 * begin, i = 4 * place.begin; k < 4 * end; k += 4, i += 4) {
        for (let row = 0; row < 3; row++) {
          result[i + row] = r[3 * row]! * v[k]! + r[3 * row + 1]! * v[k + 1]! + r[3 * row + 2]! * v[k + 2]!;
        }
        result[i + 3] = 0;
      }
    }
    if (fluid) {
      const velocities = fluid.store.floats(fluidLayout.VELOCITY, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = velocities[4 * i + a]!;
      });
    }
    if (embedding) {
      const velocities = embedding.store.vectors(layout.VELOCITY);
      this.#forEmbedded((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = velocities[4 * i + a]!;
      });
    }
    return result;
  }

  /**
   * The surface of a liquid body, or of all liquids as one when none is named: closed, with the velocity at every
   * vertex. The state is left as it is.
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
    return liquidSurface(this.#engine, { positions: pick(places), spacing, attributes }, options);
  }

  /** Surfels on a body that is not liquid, sampled on its shape when first asked for, and saved with the world. */
  surfels(body: string, options: SurfelOptions = {}): BodySurfels {
    const record = this.#requireBody(body);
    if (record.options.kind === 'fluid') {
      throw new OptionError([{ path: 'body', message: `"${body}" is a liquid: it has a point surface instead` }]);
    }
    return this.#surfaces.surfels(this.#engine, record, options, () => this.#placesOf(body));
  }

  /** The surface of points around a body's particles, made when first asked for, and saved with the world. */
  pointSurface(body: string, options: Omit<PointSurfaceOptions, 'spacing'> = {}): BodyPoints {
    return this.#surfaces.points(this.#engine, this.#requireBody(body), options, () => this.#placesOf(body));
  }

  /** xyz of a body's particles [m]; not a number where a source has none yet. */
  #placesOf(body: string): Float32Array {
    const { begin, end } = this.bodies.find(({ name }) => name === body)!;
    const all = this.positions();
    const places = new Float32Array(3 * (end - begin));
    for (let i = begin; i < end; i++) {
      const isThere = all[4 * i + 3] === 1;
      for (let a = 0; a < 3; a++) places[3 * (i - begin) + a] = isThere ? all[4 * i + a]! : Number.NaN;
    }
    return places;
  }

  /** Calls `visit` with the place in memory and the public number of every liquid particle in the world. */
  #forLiquids(visit: (i: number, number: number) => void): void {
    const { fluid, places } = this.#ready();
    if (!fluid) return;
    const { store, ranges } = fluid;
    const shifts = places.filter(({ liquid }) => liquid).map(({ begin, index }) => begin - ranges[index]!.begin);
    const ids = store.integers(fluidLayout.ID, store.count);
    const of = store.integers(fluidLayout.LIQUID_OF, store.count);
    for (let i = 0; i < store.count; i++) visit(i, ids[i]! + shifts[of[i]!]!);
  }

  /** Calls `visit` with the place in memory and the public number of every particle of bodies that flow. */
  #forEmbedded(visit: (i: number, number: number) => void): void {
    const { embedding, places } = this.#ready();
    if (!embedding) return;
    const { store } = embedding;
    const begins = places.filter(({ embedded }) => embedded).map(({ begin }) => begin);
    const ids = store.integers(embeddingLayout.ID, store.count);
    const of = store.integers(layout.BODY_OF, store.count);
    for (let i = 0; i < store.count; i++) visit(i, begins[of[i]!]! + ids[i]!);
  }

  /** Pressure of every particle of a liquid [Pa]; 0 for others, and after a load until the first step. */
  pressures(): Float32Array {
    const result = new Float32Array(this.particleCount);
    const pressures = this.#ready().fluid?.pressures();
    if (pressures) {
      this.#forLiquids((i, number) => {
        result[number] = pressures[i]!;
      });
    }
    return result;
  }

  /** Temperature of every particle [degrees C], into `target` or a new array; that of the world where heat does not count. */
  temperatures(target?: Float32Array): Float32Array {
    const result = target ?? new Float32Array(this.particleCount);
    const temperatures = this.#ready().heat?.temperatures();
    if (!temperatures) return result.fill(this.temperature ?? ROOM_TEMPERATURE);
    return this.#fromHeat(result, temperatures);
  }

  /** Molten share of every particle [1]: 0 solid, 1 liquid. What has no melting point is what it was made as. */
  liquidFractions(): Float32Array {
    const { heat, places } = this.#ready();
    const result = new Float32Array(this.particleCount);
    if (heat) return this.#fromHeat(result, heat.fractions());
    for (const { liquid, begin, end } of places) result.fill(liquid ? 1 : 0, begin, end);
    return result;
  }

  /** Specific enthalpy of every particle [J/kg]; 0 for the solid at 0 degrees C, and where heat does not count. */
  enthalpies(): Float64Array {
    const { heat } = this.#ready();
    const result = new Float64Array(this.particleCount);
    return heat ? this.#fromHeat(result, heat.enthalpies()) : result;
  }

  /** Heat of every particle [J], latent heat included; 0 where heat does not count. */
  heats(): Float64Array {
    const { heat } = this.#ready();
    const result = new Float64Array(this.particleCount);
    return heat ? this.#fromHeat(result, heat.heats()) : result;
  }

  /** Heat of everything in the world [J], latent heat included; 0 where heat does not count. */
  heat(): number {
    return this.#ready().heat?.heat() ?? 0;
  }

  #fromHeat<T extends Float32Array | Float64Array>(result: T, values: Float32Array | Float64Array): T {
    const { heat, places } = this.#ready();
    for (const { liquid, index, begin, end } of places) {
      const first = heat!.beginOf(liquid, index);
      for (let i = begin; i < end; i++) result[i] = values[first + i - begin]!;
    }
    return result;
  }

  /** Density of every particle [kg/m3]. */
  densities(): Float32Array {
    const ratios = this.volumeRatios();
    const masses = this.masses();
    const volumes = this.#bodies.flatMap(({ samples }) => [...samples.volume]);
    const elastic = this.#ready().embedding?.store.vectors(layout.ELASTIC);
    this.#forEmbedded((i, number) => {
      volumes[number] = elastic![4 * i + 3]!;
    });
    return ratios.map((ratio, i) => (ratio > 0 ? masses[i]! / (ratio * volumes[i]!) : 0));
  }

  /** Mass of every particle [kg]; 0 for places that no particle has taken. */
  masses(): Float32Array {
    const { store, ranges, places, fluid, embedding } = this.#ready();
    const inverse = store.vectors(layout.GRADIENT_SUM);
    const result = new Float32Array(this.particleCount);
    for (const place of places) {
      if (place.liquid || place.embedded) continue;
      const { begin } = ranges[place.index]!;
      for (let i = place.begin; i < place.end; i++) result[i] = 1 / inverse[4 * (i - place.begin + begin) + 3]!;
    }
    if (fluid) {
      const positions = fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = 1 / positions[4 * i + 3]!;
      });
    }
    const flowing = embedding?.store.vectors(embeddingLayout.POSITION);
    this.#forEmbedded((i, number) => {
      result[number] = 1 / flowing![4 * i + 3]!;
    });
    return result;
  }

  /** Von Mises stress of every particle [Pa]. */
  stresses(): Float32Array {
    return this.#measure(1);
  }

  /** Does a body flow for good at some stress, now or after an event? */
  get isPlastic(): boolean {
    return this.#bodies.some(({ plastic }) => plastic) || this.#events.some(({ set }) => mayFlow(set));
  }

  /** Plastic strain of every particle, equivalent and accumulated [1]. */
  plasticStrains(): Float32Array {
    const { store, places, ranges, fluid, embedding } = this.#ready();
    const result = new Float32Array(this.particleCount);
    const flowing = embedding?.store.floats(layout.PLASTIC, 12 * embedding.store.count);
    this.#forEmbedded((i, number) => {
      result[number] = flowing![12 * i + 3]!;
    });
    if (fluid?.elastic) {
      const states = fluid.elastic.plasticStates();
      const ids = fluid.store.integers(fluidLayout.ID, fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = states[12 * ids[i]! + 3]!;
      });
    }
    if (!store.plastic) return result;
    const plastic = store.floats(layout.PLASTIC, 12 * store.count);
    for (const { liquid, embedded, index, begin, end } of places) {
      if (liquid || embedded) continue;
      const first = ranges[index]!.begin - begin;
      for (let i = begin; i < end; i++) result[i] = plastic[12 * (first + i) + 3]!;
    }
    return result;
  }

  /** Volume of every particle's neighbourhood over its rest volume, det J [1]. */
  volumeRatios(): Float32Array {
    return this.#measure(2);
  }

  /** Elastic energy of every particle [J]. */
  elasticEnergies(): Float32Array {
    return this.#measure(0);
  }

  #measure(lane: number): Float32Array {
    const { store, elastic, places, ranges, fluid, embedding } = this.#ready();
    const result = new Float32Array(this.particleCount);
    if (embedding) {
      const measures = embedding.measures();
      this.#forEmbedded((i, number) => {
        result[number] = measures[12 * i + lane]!;
      });
    }
    if (store.count > 0) {
      store.computeMeasures();
      const measures = store.floats(layout.FLUX, 12 * store.count);
      // What mirrors the free side has no stress of its own: that of the face is behind it.
      const of = Uint32Array.from({ length: store.count }, (_, i) => i);
      if (lane > 0) for (const { particle, master } of elastic.dependents) of[particle] = master;
      for (const place of places) {
        if (place.liquid || place.embedded) continue;
        const { begin } = ranges[place.index]!;
        for (let i = place.begin; i < place.end; i++) result[i] = measures[12 * of[i - place.begin + begin]! + lane]!;
      }
    }
    if (fluid?.elastic && lane < 2) {
      const measures = fluid.elastic.measures();
      const ids = fluid.store.integers(fluidLayout.ID, fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = measures[12 * ids[i]! + lane]!;
      });
    }
    if (fluid && lane === 2) {
      const ratios = fluid.store.floats(fluidLayout.RATIO, fluid.store.count);
      // Before the first step nothing has been compressed yet.
      this.#forLiquids((i, number) => {
        result[number] = ratios[i]! > 0 ? 1 / ratios[i]! : 1;
      });
    }
    return result;
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
  probe(input: ProbeOptions | Parameters<typeof resolveProbe>[0], where = 'region'): number[] {
    const options = resolveProbe(input);
    if (options.body !== undefined) this.#requireBody(options.body);
    return measureProbe(this, this.#ready(), this.#bodies, options, this.#selections, where);
  }

  /** A fingerprint of the whole state: the same for every number of threads and every engine. */
  stateHash(): string {
    const { store, elastic, fluid, heat, embedding } = this.#ready();
    const { helpers } = this.#engine;
    let hash = fluid ? fluid.store.hash(0n) : 0n;
    if (fluid?.elastic) hash = fluid.elastic.store.hash(hash);
    if (heat) hash = heat.hash(hash);
    if (embedding) hash = embedding.store.hash(hash);
    for (const array of store.state()) hash = helpers.hashWords(array.byteOffset, array.length, hash);
    const scalars = Float64Array.of(
      elastic.time,
      elastic.stepCount,
      elastic.lastStep,
      elastic.heldStep.timeStep,
      ...elastic.frames.flatMap((frame) => [...frame.rotation, ...frame.origin]),
      ...elastic.rigid.save().flatMap((state) => Object.values(state).flat().map(unsigned)),
    );
    const touches = elastic.rigid.touches();
    const mark = this.#engine.arena.mark();
    const at = this.#engine.arena.allocate(scalars.byteLength + touches.byteLength);
    this.#engine.arena.f64(at, scalars.length).set(scalars);
    this.#engine.arena.f32(at + scalars.byteLength, touches.length).set(touches);
    hash = helpers.hashWords(at, 2 * scalars.length + touches.length, hash);
    this.#engine.arena.release(mark);
    return BigInt.asUintN(64, hash).toString(16).padStart(16, '0');
  }

  /** The whole world as bytes, from which `World.load` goes on to the same bits. */
  save(): Uint8Array {
    const { store, elastic, fluid, heat, embedding } = this.#ready();
    return writeSave({
      embedding: embedding?.save(),
      temperature: this.temperature,
      heatTransfer: this.heatTransfer,
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
      eventsDone: this.#eventsDone,
      events: this.#events,
      constraints: this.#constraints,
      bodies: this.#bodies,
      obstacles: this.#obstacles,
      solverState: {
        time: elastic.time,
        stepCount: elastic.stepCount,
        lastStep: elastic.lastStep,
        elasticFrequency: elastic.elasticFrequency,
        contactFrequency: elastic.contactFrequency,
        maximumSpeed: elastic.maximumSpeed,
        heldStep: elastic.heldStep,
        frames: elastic.frames,
        rigid: elastic.rigid.save(),
        impactRate: elastic.rigid.impactRate,
      },
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
    world.#surfaces.load(saved.surfaces);
    world.#heated = saved.heated;
    Object.assign(world.#heatEffort, saved.heatEffort);
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
    return Object.fromEntries(this.#engine.timings);
  }

  /** Stops the threads. The world cannot be used afterwards. */
  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }

  #pendingState: PendingState | undefined;

  /** Keeps the state of what is there and lays the memory out anew before the next step. */
  #change(): void {
    this.#selections.clear();
    if (this.#pendingState) this.#pendingState = { ...this.#pendingState, hasForces: false };
    if (!this.#model) return;
    const { store, elastic, fluid, heat, embedding } = this.#model;
    this.#pendingState = {
      embedding: embedding?.save(),
      heat: heat?.save(),
      fluid: fluid?.save(),
      time: elastic.time,
      stepCount: elastic.stepCount,
      lastStep: elastic.lastStep,
      elasticFrequency: elastic.elasticFrequency,
      contactFrequency: elastic.contactFrequency,
      hasForces: false,
      maximumSpeed: elastic.maximumSpeed,
      heldStep: elastic.heldStep,
      frames: elastic.frames,
      rigid: elastic.rigid.save(),
      impactRate: elastic.rigid.impactRate,
      attributes: [...store.state().map((array) => array.slice()), elastic.rigid.touches()],
    };
    this.#model = undefined;
  }

  #ready(): WorldModel {
    if (this.#model) return this.#model;
    if (this.#bodies.length === 0)
      throw new OptionError([{ path: 'bodies', message: 'are missing: a world needs at least one' }]);
    this.#refuseImplicitMix();
    this.#refuseEmbeddedMix();
    this.#makeDistanceGrids();
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
        fluidState: this.#pendingState?.fluid,
        fluidEffort: this.#fluidEffort,
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
      },
      this.#emptyArena,
    );
    const pending = this.#pendingState;
    const first = pending?.frames.length ?? 0;
    this.#setInitialVelocities(model, first);
    if (pending) this.#restore(model, pending);
    if (this.solver.contact.bodies) this.#refuseOverlap(model, first);
    if (pending?.hasForces) model.elastic.placeConstraints();
    else {
      model.elastic.evaluateForces();
      if (!pending?.stepCount) model.embedding?.solver.evaluateForces(model.elastic.time);
      this.#refuseBuried(model, first);
    }
    this.#pendingState = undefined;
    for (const grab of this.#grabs) this.#takeHold(model, grab);
    this.#model = model;
    return model;
  }

  #refuseImplicitMix(): void {
    const kinds = new Set(this.#bodies.map(({ options }) => options.kind));
    const { integrator } = this.solver.solid;
    if (!kinds.has('solid') || !kinds.has('rigid') || integrator === 'explicit' || integrator === 'verlet') return;
    throw new OptionError([{ path: 'solver.solid.integrator', message: `${RIGID_IMPLICIT}, got "${integrator}"` }]);
  }

  /** What flows is solved by itself so far. */
  #refuseEmbeddedMix(): void {
    const others = this.#bodies.findIndex(({ options }) => !isEmbedded(options));
    const flowing = this.#bodies.findIndex(({ options }) => isEmbedded(options));
    if (flowing < 0) return;
    const path = `bodies[${flowing}].discretisation`;
    const refuse = (message: string): never => {
      throw new OptionError([{ path, message: `embedded ${message}` }]);
    };
    if (others >= 0) {
      const { name } = this.#bodies[others]!.options;
      refuse(`cannot be in one world with other kinds of bodies yet, here "${name}": make them obstacles, or embedded`);
    }
    if (this.isThermal) refuse('cannot be in a world with temperatures yet');
  }

  /** Bodies from number `first` on are new. */
  #refuseOverlap(model: WorldModel, first: number): void {
    const overlap = findOverlap(model, first);
    if (!overlap) return;
    const [a, second] = overlap.bodies;
    const b = this.#bodies.indexOf(model.solids[second]!);
    const place = overlap.at.map((x) => x.toPrecision(3)).join(', ');
    const other = model.solids[a]!.options.name;
    throw new OptionError([
      {
        path: `bodies[${b}].position`,
        message: `lets it overlap "${other}" at the start, near (${place}) m: move one of them`,
      },
    ]);
  }

  /** Rigid bodies that begin inside an obstacle would be thrown out by the force of their contacts. */
  #refuseBuried(model: WorldModel, first: number): void {
    const found = model.elastic.rigid.buriedBody(first, BURIED);
    if (found === undefined) return;
    const record = model.solids[found]!;
    const message = `puts the rigid body "${record.options.name}" into an obstacle at the start: move one of them`;
    throw new OptionError([{ path: `bodies[${this.#bodies.indexOf(record)}].position`, message }]);
  }

  /** Velocities of the bodies from number `first` on, which have not moved yet. */
  #setInitialVelocities(model: WorldModel, first: number): void {
    const rest = model.store.vectors(layout.REST);
    const v = model.store.vectors(layout.VELOCITY);
    for (const [b, { begin, end }] of model.ranges.entries()) {
      if (b < first) continue;
      const { options, initial } = model.solids[b]!;
      const rigid = model.elastic.rigid.motions[b];
      if (rigid) {
        rigid.setVelocity(options.velocity, options.angularVelocity);
        continue;
      }
      const back = transpose(initial.rotation);
      const velocity = transform(back, options.velocity);
      const angular = transform(back, options.angularVelocity);
      const twist = transform(back, options.twist);
      const center = massCenter(model.store, begin, end);
      const along = (i: number) => dot(twist, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]);
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let i = begin; i < end; i++) {
        const edge = rest[4 * i + 3]! * length(twist);
        low = Math.min(low, along(i) - edge);
        high = Math.max(high, along(i) + edge);
      }
      for (let i = begin; i < end; i++) {
        const share = high > low ? sineCosine((Math.PI / 2) * ((along(i) - low) / (high - low))).sine : 0;
        const spin = add(angular, scale(twist, share));
        const turn = cross(spin, subtract([rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!], center));
        for (let a = 0; a < 3; a++) v[4 * i + a] = velocity[a]! + turn[a]!;
        model.elastic.maximumSpeed = Math.max(model.elastic.maximumSpeed, length(add(velocity, turn)));
      }
    }
    model.elastic.rigid.writeVelocities();
    for (const [b, { begin, end }] of model.ranges.entries()) {
      if (b < first || !model.elastic.rigid.motions[b]) continue;
      for (let i = begin; i < end; i++) {
        const speed = length([v[4 * i]!, v[4 * i + 1]!, v[4 * i + 2]!]);
        model.elastic.maximumSpeed = Math.max(model.elastic.maximumSpeed, speed);
      }
    }
  }

  #restore(model: WorldModel, state: PendingState): void {
    const { elastic, store } = model;
    elastic.time = state.time;
    elastic.stepCount = state.stepCount;
    elastic.lastStep = state.lastStep;
    elastic.elasticFrequency = state.elasticFrequency;
    elastic.contactFrequency = state.contactFrequency;
    elastic.maximumSpeed = Math.max(elastic.maximumSpeed, state.maximumSpeed);
    elastic.heldStep = state.heldStep;
    for (const [b, frame] of state.frames.entries()) elastic.frames[b] = frame;
    const attributes = state.attributes.slice(0, -1);
    // What nothing was plastic in before has no plastic strain.
    for (const [k, array] of store.state().entries()) if (attributes[k]) array.set(attributes[k]);
    store.softenStabilisation(false);
    elastic.writeFrames();
    elastic.rigid.restore(state.rigid, state.frames, state.attributes.at(-1)!);
    elastic.rigid.impactRate = state.impactRate;
  }

  #fluidWarnings(fluid: FluidModel, before: FluidEffort, missed: readonly number[]): string[] {
    const list: string[] = [];
    const failed = fluid.solver.effort.unconverged - before.unconverged;
    if (failed > 0) {
      list.push(
        `${failed} pressure solutions of liquids did not converge; raise solver.fluid.maxIterations or lower its maxTimeStep`,
      );
    }
    const thick = fluid.solver.effort.unconvergedViscosity - before.unconvergedViscosity;
    if (thick > 0) {
      list.push(`${thick} viscosity solutions of liquids did not converge; lower solver.fluid.maxTimeStep`);
    }
    const { meanCompression, largestCompression } = fluid.solver;
    if (meanCompression > COMPRESSED || largestCompression > CRUSHED) {
      const percent = (share: number) => `${(100 * share).toPrecision(2)} %`;
      list.push(
        `liquid is compressed by ${percent(meanCompression)} on average and ${percent(largestCompression)} at the most: there is too much of it for the room, or the steps are too long`,
      );
    }
    const liquids = this.#bodies.filter(({ options }) => options.kind === 'fluid');
    for (const [k, count] of fluid.missed.entries()) {
      const fresh = count - (missed[k] ?? 0);
      if (fresh > 0) list.push(`${liquids[k]!.options.name}: no place for ${fresh} particles; raise its maxParticles`);
    }
    return list;
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

  #requireBody(name: string): BodyRecord {
    const record = this.#bodies.find((body) => body.options.name === name);
    if (!record) {
      const known = this.#bodies.map((body) => `"${body.options.name}"`).join(', ') || 'none yet';
      throw new OptionError([{ path: 'body', message: `"${name}" is not in the world; bodies are ${known}` }]);
    }
    return record;
  }

  /** Distances to the meshes of obstacles, as fine and as far out as the particles that are there need them. */
  #makeDistanceGrids(): void {
    let finest = Number.POSITIVE_INFINITY;
    let coarsest = 0;
    for (const { samples } of this.#bodies) {
      for (let i = 0; i < samples.count; i++) {
        finest = Math.min(finest, samples.rest[4 * i + 3]!);
        coarsest = Math.max(coarsest, samples.rest[4 * i + 3]!);
      }
    }
    // Vessels have thinner walls than what bodies bump into.
    const share = this.#bodies.some(({ options }) => options.kind === 'fluid') ? 4 : 2;
    for (const obstacle of this.#obstacles) {
      if (!obstacle.mesh) continue;
      const side = Math.max(...sides(obstacle.mesh.positions));
      const cell = Math.max(finest / share, side / MOST_CELLS);
      // A particle is felt from its radius on, and may move half a spacing before it is looked at again.
      obstacle.grid = signedDistanceGrid(obstacle.mesh, cell, 1.5 * coarsest + 2 * cell);
    }
  }

  /** Mean distance to the nearest neighbours, by the kd-tree. */
  #nearestSpacings(positions: Float64Array): Float64Array {
    this.#change();
    const { arena } = this.#engine;
    const count = positions.length / 3;
    const nearest = Math.min(NEAREST, count - 1);
    if (nearest < 1) throw new OptionError([{ path: 'points', message: 'of one particle need their spacing' }]);
    arena.release(this.#emptyArena);
    const context = arena.allocate(layout.CONTEXT_SIZE);
    const points = arena.allocate(16 * count);
    const slots: [number, number][] = [
      [layout.POINTS, points],
      [layout.POINT_COUNT, count],
      [layout.SORTED, arena.allocate(4 * count)],
      [layout.TREE_AXIS, arena.allocate(count)],
      [layout.NEAREST_DISTANCE, arena.allocate(4 * nearest * count)],
      [layout.NEAREST_COUNT, nearest],
    ];
    const block = arena.u32(context, layout.CONTEXT_SIZE / 4);
    for (const [slot, value] of slots) block[slot / 4] = value;
    const at = arena.f32(points, 4 * count);
    for (let i = 0; i < count; i++) {
      for (let a = 0; a < 3; a++) at[4 * i + a] = positions[3 * i + a]!;
    }
    this.#engine.runSerial('buildTree', context);
    this.#engine.run('computeNearestDistances', count, context);
    const distances = arena.f32(block[layout.NEAREST_DISTANCE / 4]!, nearest * count);
    return Float64Array.from({ length: count }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < nearest; k++) sum += distances[nearest * i + k]!;
      return sum / nearest;
    });
  }
}

/** Throws if there are problems with what is at a path. */
function refuse(path: string, problems: readonly RigidProblem[]): void {
  if (problems.length === 0) return;
  throw new OptionError(
    problems.map((problem) => ({ path: formatPath(problem.path, path), message: problem.message })),
  );
}

function refuseIneffective({ material, options }: BodyRecord, set: EventOptions['set']): void {
  if (options.kind === 'rigid') refuse('', rigidChangeProblems(set));
  if (isEmbedded(options) && set.density !== undefined) {
    refuse('', [{ path: ['set', 'density'], message: 'cannot change in a body with discretisation embedded' }]);
  }
  refuse('', liquidChangeProblems(options, set));
  const problems = ineffectiveKeys(material, set).map(({ key, message }) => ({ path: `set.${key}`, message }));
  if (problems.length > 0) throw new OptionError(problems);
}

/** Centre of mass of some particles at rest, in body axes. */
function massCenter(store: WorldModel['store'], begin: number, end: number): Vec3 {
  const rest = store.vectors(layout.REST);
  const sums = store.vectors(layout.GRADIENT_SUM);
  let mass = 0;
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = begin; i < end; i++) {
    const m = 1 / sums[4 * i + 3]!;
    mass += m;
    for (let a = 0; a < 3; a++) sum[a]! += m * rest[4 * i + a]!;
  }
  return [sum[0] / mass, sum[1] / mass, sum[2] / mass];
}

const NO_PLACE =
  'a body that flows has no place for more particles and gets sparse; begin with more of them, or switch solver.embedding.resampling off';

function retried(times: number): string {
  return `${times} implicit steps did not converge and were halved; solver.maxTimeStep or solver.solid.maxIterations may help`;
}

function longestSide({ rest, count }: BodySamples): number {
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) {
      low[a] = Math.min(low[a]!, rest[4 * i + a]! - rest[4 * i + 3]! / 2);
      high[a] = Math.max(high[a]!, rest[4 * i + a]! + rest[4 * i + 3]! / 2);
    }
  }
  return Math.max(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!);
}

/** The mesh of a shape, scaled to its size. */
function meshOf(shape: { data?: TriangleMesh | undefined; size?: number | undefined }, name: string): TriangleMesh {
  if (!shape.data) {
    throw new OptionError([
      { path: 'shape.mesh', message: `of "${name}" has no data: read the file first, or use loadScene` },
    ]);
  }
  return shape.size === undefined ? shape.data : scaleMesh(shape.data, shape.size);
}

/** Sides of the bounding box. */
function sides(positions: Float64Array): Vec3 {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, positions[k]!);
    high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
  }
  return [high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!];
}

function checkPoints({ positions, volumes, spacings }: PointSamples): void {
  const refuse = (path: string, message: string): never => {
    throw new OptionError([{ path: `points.${path}`, message }]);
  };
  const count = volumes.length;
  if (count === 0) refuse('volumes', 'must not be empty');
  if (positions.length !== 3 * count)
    refuse('positions', `must have three numbers for each of ${count} volumes, got ${positions.length}`);
  if (spacings && spacings.length !== count)
    refuse('spacings', `must have one number for each of ${count} volumes, got ${spacings.length}`);
  const bad = (list: Float64Array, good: (x: number) => boolean) =>
    list.findIndex((x) => !(Number.isFinite(x) && good(x)));
  const checks: [string, Float64Array | undefined, (x: number) => boolean, string][] = [
    ['positions', positions, () => true, 'must be finite'],
    ['volumes', volumes, (x) => x > 0, 'must be > 0 m3'],
    ['spacings', spacings, (x) => x > 0, 'must be > 0 m'],
  ];
  for (const [name, list, good, rule] of checks) {
    const index = list ? bad(list, good) : -1;
    if (index >= 0) refuse(`${name}[${index}]`, `${rule}, got ${list![index]}`);
  }
}
