import { add, length, transform } from '../../math/matrix3.js';
import type { Engine } from '../../memory/engine.js';
import type { BodyOptions, ConstraintOptions, Material, SolverOptions, Vec3 } from '../../options/types.js';
import { BODY_PARAMETERS } from '../../particles/array-places.js';
import * as layout from '../../particles/embedding-layout.js';
import { EmbeddingStore } from '../../particles/embedding-store.js';
import type { Frame } from '../../particles/frame.js';
import * as common from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import type { ParticleStore } from '../../particles/store.js';
import { particlesIn } from '../constraints/constraints.js';
import type { ConstraintRecord } from '../constraints/hold.js';
import { Prescriptions } from '../constraints/prescriptions.js';
import type { ObstacleSet } from '../contact/obstacles.js';
import { placesById, type WorldAxes } from '../grab.js';
import { elasticConstants, MODELS, materialsOf, shearModulus, viscousTime, writeParameters } from '../material.js';
import { FlowContact } from './contact.js';
import { startVelocities } from './start.js';
import { type EmbeddingEffort, type EmbeddingScalars, EmbeddingSolver } from './step.js';

/** Support in spacings: 32 neighbours on a cubic lattice. */
const SUPPORT = 2.1;
/** Weight of the stabilisation, calibrated on beams; see world/model.ts. */
const STABILISATION = 0.75;
/** Power iteration comes from below; this covers what is left, and neighbourhoods that get irregular. */
const MARGIN = 1.2;
const POWER_ITERATIONS = 24;
/** Sampling is sparse or dense below and above these shares of even sampling, or this much beyond what it began with. */
const SPARSE = 0.62;
const DENSE = 2.2;
const BEYOND_LOW = 1.1;
const BEYOND_HIGH = 1.25;
/** Share of the particles that may be sampled worse than that at the start. */
const OUTLIERS = 0.02;
/** Neighbours' centre within this many spacings: not at a surface; not at an edge. */
const INSIDE = 0.25;
const ON_FACE = 0.6;
/** Bodies whose spacings differ by more than this are sampled unevenly. */
const UNEVEN = 1.5;
/** Eigenvalue of [J14] eq. 13 on a cubic lattice of spacing 1, with its 32 nearest. */
const LATTICE = (6 + 12 / 2 + 8 / 3 + 6 / 4) / 3;

/** A body that flows, as the world keeps it. */
export interface FlowRecord {
  readonly options: BodyOptions;
  readonly samples: BodySamples;
  readonly initial: Frame;
  material: Material;
  readonly longestSide: number;
}

/** What goes on from one layout of the memory to the next, and into a save. */
export interface EmbeddingState {
  readonly count: number;
  readonly scalars: EmbeddingScalars;
  readonly arrays: readonly Float32Array[];
}

export interface EmbeddingParts {
  readonly engine: Engine;
  readonly solver: SolverOptions;
  readonly gravity: Vec3;
  readonly bodies: readonly FlowRecord[];
  readonly constraints: readonly ConstraintRecord[];
  readonly obstacleSet: ObstacleSet;
  readonly obstacles: number;
  /** Has the table of obstacles. */
  readonly solids: ParticleStore;
  readonly time: number;
  readonly state?: EmbeddingState | undefined;
  readonly effort: EmbeddingEffort;
}

/** Particles that a body may have over those that it begins with; their places come after these. */
const GROWTH = 2;
/** Where the places are that no particle has at the start: in no region. */
const NOWHERE = 1e30;

/** Leaves places for particles that others split into. */
export function withRoom(samples: BodySamples): BodySamples {
  const { count } = samples;
  const places = GROWTH * count;
  const rest = new Float32Array(4 * places).fill(NOWHERE);
  rest.set(samples.rest);
  for (let i = count; i < places; i++) rest[4 * i + 3] = samples.rest[3]!;
  const volume = new Float32Array(places);
  volume.set(samples.volume);
  return { ...samples, count: places, rest, volume, offset: new Float32Array() };
}

/** Particles that a body begins with, out of all its places. */
export function withoutRoom({ count, rest, volume, ...samples }: BodySamples): BodySamples {
  const present = count / GROWTH;
  return { ...samples, count: present, rest: rest.subarray(0, 4 * present), volume: volume.subarray(0, present) };
}

/** Does a body have particles of its own rest space, with neighbours that change? */
export function isEmbedded({ kind, discretisation }: Pick<BodyOptions, 'kind' | 'discretisation'>): boolean {
  return kind === 'solid' && discretisation === 'embedded';
}

/** All bodies of a world that flow, compiled into the engine's memory. */
export class EmbeddingModel {
  readonly store: EmbeddingStore;
  readonly solver: EmbeddingSolver;
  readonly #parts: EmbeddingParts;
  readonly #starts: readonly BodySamples[];
  readonly #constraints: Prescriptions;

  constructor(parts: EmbeddingParts) {
    this.#parts = parts;
    const { bodies, engine, solver, state } = parts;
    this.#starts = bodies.map(({ samples }) => withoutRoom(samples));
    const capacity = bodies.reduce((sum, { samples }) => sum + samples.count, 0);
    this.store = new EmbeddingStore(engine, capacity, bodies.length);
    const { store } = this;
    store.setInteger(common.OBSTACLES, parts.solids.address(common.OBSTACLES));
    store.setInteger(common.OBSTACLE_COUNT, parts.obstacles);
    store.setFloat(layout.STABILISATION, solver.solid.stabilisation ?? STABILISATION);
    const spacings = this.#starts.map(({ rest, count }) => Array.from({ length: count }, (_, i) => rest[4 * i + 3]!));
    const largests = spacings.map((list) => list.reduce((a, s) => Math.max(a, s), 0));
    const smallest = spacings.flat().reduce((a, s) => Math.min(a, s), Infinity);
    const largest = Math.max(...largests);
    const support = solver.solid.support ?? SUPPORT;
    const supports = largests.map((spacing) => support * spacing);
    if (state) this.#restore(state);
    else this.#fill(support);
    this.#constraints = new Prescriptions(store, layout.CONSTRAINTS, parts.constraints, parts.time);
    this.solver = new EmbeddingSolver(
      {
        store,
        options: solver.embedding,
        safety: solver.safety,
        maxTimeStep: solver.maxTimeStep,
        gravity: parts.gravity,
        bodies: bodies.map(({ samples }, b) => ({ places: samples.count, masses: this.#massesOf(b) })),
        names: bodies.map(({ options }) => options.name),
        constraints: this.#constraints,
        contact: new FlowContact(store, solver.contact, { smallest, largest }, supports),
        smallestSpacing: smallest,
        largestSpacing: largest,
        largestSupport: support * largest,
        moveObstacles: (time, dt) => parts.obstacleSet.move(time, dt),
        effort: parts.effort,
      },
      state ? { ...state.scalars } : freshScalars(bodies.length),
    );
    this.writeMaterials();
    this.solver.writeScalars();
    if (state) this.solver.linkNeighbors();
    else {
      this.solver.findNeighbors();
      this.#calibrate(
        spacings.some((list, b) => largests[b]! > UNEVEN * list.reduce((a, s) => Math.min(a, s), Infinity)),
      );
      this.#setVelocities();
    }
  }

  /** Twelve floats per particle: energy [J], von Mises stress [Pa], det F_e, volume of eq. 3 before it is calibrated [m3], ... */
  measures(): Float32Array {
    this.store.run('measureEmbedded');
    return this.store.floats(common.FLUX, 12 * this.store.count);
  }

  /** The particle of the start that each came from, by body and place. */
  ancestors(): Map<number, number>[] {
    const { count } = this.store;
    const result = this.#parts.bodies.map(() => new Map<number, number>());
    const [of, ids] = [this.store.integers(common.BODY_OF, count), this.store.integers(layout.ID, count)];
    const from = this.store.integers(layout.ANCESTOR, count);
    for (let i = 0; i < count; i++) result[of[i]!]!.set(ids[i]!, from[i]!);
    return result;
  }

  /** Particles of the bodies as they begin: how many, where, how large; none when they go on. */
  startClouds(): {
    count: number;
    placeOf: (i: number) => [number, number, number];
    radiusOf: (i: number) => number;
  }[] {
    if (this.#parts.state) return [];
    const [x, remainders] = [this.store.vectors(layout.POSITION), this.store.vectors(layout.REMAINDER)];
    let first = 0;
    return this.#starts.map(({ count }) => {
      const begin = first;
      first += count;
      return {
        count,
        placeOf: (k) => [x[4 * (begin + k)]!, x[4 * (begin + k) + 1]!, x[4 * (begin + k) + 2]!],
        radiusOf: (k) => remainders[4 * (begin + k) + 3]!,
      };
    });
  }

  /** Number of each body's first particle at the start. */
  get begins(): number[] {
    return this.#starts.map((_, b) => this.#starts.slice(0, b).reduce((sum, { count }) => sum + count, 0));
  }

  /** Volume of everything by [J14] eq. 3, calibrated at the start [m3]. */
  estimatedVolume(): number {
    const measures = this.measures();
    const bodyOf = this.store.integers(common.BODY_OF, this.store.count);
    const { volumeFactors } = this.solver.scalars;
    return bodyOf.reduce((sum, b, i) => sum + volumeFactors[b]! * measures[12 * i + 3]!, 0);
  }

  save(): EmbeddingState {
    this.store.clearUnused();
    return {
      count: this.store.count,
      scalars: { ...this.solver.scalars },
      arrays: this.store.state().map((array) => array.slice()),
    };
  }

  #restore({ count, arrays }: EmbeddingState): void {
    this.store.count = count;
    for (const [k, array] of this.store.state().entries()) array.set(arrays[k]!);
  }

  #massesOf(b: number): Float32Array {
    const materials = this.#materialsOf(b);
    return this.#starts[b]!.volume.map((volume, i) => volume * materials[i]!.density);
  }

  #materialsOf(b: number): Material[] {
    return materialsOf({ ...this.#parts.bodies[b]!, samples: this.#starts[b]! });
  }

  /** The bodies as they begin. Embedded space is that of the world, with every body about its own origin. */
  #fill(support: number): void {
    const { store } = this;
    let i = 0;
    store.count = this.#starts.reduce((sum, { count }) => sum + count, 0);
    const positions = store.vectors(layout.POSITION);
    const remainders = store.vectors(layout.REMAINDER);
    const embedded = store.vectors(layout.EMBEDDED);
    for (const [b, { rest, count }] of this.#starts.entries()) {
      const { initial } = this.#parts.bodies[b]!;
      const masses = this.#massesOf(b);
      for (let k = 0; k < count; k++, i++) {
        const place = transform(initial.rotation, [rest[4 * k]!, rest[4 * k + 1]!, rest[4 * k + 2]!]);
        const spacing = rest[4 * k + 3]!;
        const at = add(place, initial.origin);
        positions.set([...at, 1 / masses[k]!], 4 * i);
        for (let a = 0; a < 3; a++) remainders[4 * i + a] = at[a]! - positions[4 * i + a]!;
        remainders[4 * i + 3] = spacing / 2;
        embedded.set([...place, support * spacing], 4 * i);
        store.integers(common.BODY_OF, store.count)[i] = b;
        store.integers(layout.ID, store.count)[i] = k;
        store.integers(layout.ANCESTOR, store.count)[i] = k;
        store.floats(layout.LASTING, store.count)[i] = 1;
      }
    }
  }

  #setVelocities(): void {
    const v = this.store.vectors(common.VELOCITY);
    let i = 0;
    for (const [b, samples] of this.#starts.entries()) {
      const { options, initial } = this.#parts.bodies[b]!;
      for (const velocity of startVelocities(samples, options, initial.rotation)) {
        v.set(velocity, 4 * i++);
        this.solver.scalars.maximumSpeed = Math.max(this.solver.scalars.maximumSpeed, length(velocity));
      }
    }
  }

  /** Positions and velocities in their present order, and where particles of a body stand in it. */
  worldAxes(indexOf: (body: string) => number): WorldAxes {
    const { store } = this;
    const { count } = store;
    const [of, ids] = [store.integers(common.BODY_OF, count), store.integers(layout.ID, count)];
    const find = (body: string, particles: Uint32Array) => {
      const b = indexOf(body);
      return placesById(
        ids.map((id, i) => (of[i] === b ? id : 0xffffffff)),
        [...particles],
      );
    };
    return { positions: store.vectors(layout.POSITION), velocities: store.vectors(common.VELOCITY), find };
  }

  /** The constraints on particles of a body, by their numbers at the start: those that have begun and those that will. */
  constraintsOn(b: number): (ancestor: number) => ConstraintOptions[] {
    const { options, initial } = this.#parts.bodies[b]!;
    const { rest, count } = this.#starts[b]!;
    const chosen = this.#parts.constraints
      .filter((record) => record.options.body === options.name)
      .map((record) => {
        const { regionTime, region } = record.options;
        const numbers = regionTime === 'rest' ? particlesIn(rest, { begin: 0, end: count }, initial, region) : [];
        return { constraint: record.options, numbers: new Set(numbers) };
      });
    return (ancestor) => chosen.filter(({ numbers }) => numbers.has(ancestor)).map(({ constraint }) => constraint);
  }

  /** Lets a constraint act on particles of a body, by their numbers in it. */
  hold(record: ConstraintRecord): void {
    const b = this.#parts.bodies.findIndex(({ options }) => options.name === record.options.body);
    this.#constraints.begin(record);
    const { count } = this.store;
    const [of, ids] = [this.store.integers(common.BODY_OF, count), this.store.integers(layout.ID, count)];
    const constrained = this.store.integers(layout.CONSTRAINED, count);
    const held = new Set(record.hold!.particles);
    for (let i = 0; i < count; i++) if (of[i] === b && held.has(ids[i]!)) constrained[i]! |= 1 << record.bit!;
  }

  /** Takes the bit of a constraint that has ended from its particles. */
  letGo(bit: number): void {
    Prescriptions.letGo(this.store.integers(layout.CONSTRAINED, this.store.count), bit);
  }

  /** Lets materials that an event has changed act from now on. */
  changeMaterials(time: number): void {
    this.writeMaterials();
    this.solver.scalars.viscousRate = 0;
    this.solver.linkNeighbors();
    this.solver.evaluateForces(time);
  }

  /** Puts materials into the particles and the table of bodies. */
  writeMaterials(): void {
    const { store } = this;
    const { bodies } = this.#parts;
    const laws = bodies.map((_, b) => this.#materialsOf(b));
    const { count } = store;
    const bodyOf = store.integers(common.BODY_OF, count);
    const ancestors = store.integers(layout.ANCESTOR, count);
    const positions = store.vectors(layout.POSITION);
    const elastic = store.vectors(common.ELASTIC);
    const plastic = store.vectors(common.PLASTIC_LAW);
    const viscosities = store.floats(layout.VISCOSITY, count);
    const spacings = store.floats(layout.SPACING, count);
    const known = new Map<Material, { constants: Vec3; viscosity: number }>();
    for (let i = 0; i < count; i++) {
      const b = bodyOf[i]!;
      const own = laws[b]![ancestors[i]!]!;
      let found = known.get(own);
      if (!found) {
        const { lambda, mu, volumeStiffness } = elasticConstants(own);
        const viscosity = own.viscosity + shearModulus(own) * viscousTime(own, bodies[b]!.longestSide);
        found = { constants: [lambda, mu, volumeStiffness], viscosity };
        known.set(own, found);
      }
      elastic.set([...found.constants, 1 / (positions[4 * i + 3]! * own.density)], 4 * i);
      plastic.set([own.yieldStress, own.hardening, own.creepRate, own.plasticLimit], 4 * i);
      viscosities[i] = found.viscosity;
      spacings[i] = this.#starts[b]!.rest[4 * ancestors[i]! + 3]!;
    }
    const table = store.address(common.BODIES);
    const { begins } = this;
    for (const [b, { material }] of bodies.entries()) {
      const at = table + b * common.BODY_STRIDE;
      const floats = store.engine.arena.f32(at, common.BODY_STRIDE / 4);
      store.engine.arena.u32(at, common.BODY_STRIDE / 4)[common.BODY_MODEL / 4] = MODELS[material.model];
      store.engine.arena.u32(at, common.BODY_STRIDE / 4)[common.BODY_BEGIN / 4] = begins[b]!;
      writeParameters(floats, BODY_PARAMETERS, material);
    }
  }

  /** What follows from the rest shape: its highest frequency, how even its sampling is, and the volumes of eq. 3. */
  #calibrate(uneven: boolean): void {
    const { solver, store } = this;
    const frequencyShare = this.#frequencyShare();
    store.setFloat(layout.EVEN_SAMPLING, 1);
    store.setFloat(layout.SPARSE, 0);
    store.run('measureSampling');
    const row = layout.SAMPLING_STRIDE / 4;
    const values = store.floats(layout.SAMPLING, row * store.count);
    const particles = Array.from({ length: store.count }, (_, i) => ({
      low: values[row * i + layout.SAMPLING_LOW / 4]!,
      high: values[row * i + layout.SAMPLING_HIGH / 4]!,
      skew: values[row * i + layout.SAMPLING_SKEW / 4]!,
      volume: values[row * i + layout.SAMPLING_SKEW / 4 + 1]!,
    })).map((p, i) => ({ ...p, body: store.integers(common.BODY_OF, store.count)[i]! }));
    const spanned = particles.filter(({ high }) => high > 0);
    const inside = spanned.filter(({ skew }) => skew < INSIDE);
    const counted = inside.length > 0 ? inside : spanned;
    const sum = counted.reduce((total, { low, high }) => total + (low + high) / 2, 0);
    // Where sizes differ, those with equal ones around them are all at the surface, and others see more or fewer.
    const evenSampling = uneven ? LATTICE : counted.length > 0 ? sum / counted.length : 1;
    const judged = uneven ? spanned.filter(({ skew }) => skew < ON_FACE) : inside;
    const lows = judged.map(({ low }) => low / evenSampling).sort((a, b) => a - b);
    const lowest = lows[Math.floor(OUTLIERS * lows.length)] ?? 1;
    const highest = spanned.reduce((most, { high }) => Math.max(most, high), evenSampling) / evenSampling;
    const elastic = store.vectors(common.ELASTIC);
    const volumeFactors = this.#parts.bodies.map((_, b) => {
      let [volume, estimate] = [0, 0];
      for (const [i, particle] of particles.entries()) {
        if (particle.body !== b) continue;
        volume += elastic[4 * i + 3]!;
        estimate += particle.volume;
      }
      return estimate > 0 ? volume / estimate : 0;
    });
    solver.scalars = {
      ...solver.scalars,
      frequencyShare,
      evenSampling,
      sparse: uneven ? SPARSE * Math.min(1, lowest) : Math.min(SPARSE, lowest / BEYOND_LOW),
      dense: Math.max(DENSE, highest * BEYOND_HIGH),
      volumeFactors,
    };
    solver.writeScalars();
  }

  /** Highest squared frequency at rest over its bound, by power iteration on the passes themselves. */
  #frequencyShare(): number {
    const { store, solver } = this;
    const x = store.vectors(layout.POSITION);
    const kept = x.slice();
    const a = store.vectors(common.ACCELERATION);
    store.setVector(layout.GRAVITY, [0, 0, 0]);
    store.setFloat(layout.FREQUENCY_SHARE, 1);
    const constrained = store.integers(layout.CONSTRAINED, store.count);
    const bits = constrained.slice();
    constrained.fill(0);
    solver.evaluateForces(0, false);
    const bound = solver.scalars.frequency;
    const still = a.slice();
    const amplitude = 1e-3 * store.floats(layout.SPACING, 1)[0]!;
    const direction = Float32Array.from({ length: x.length }, (_, k) => (k % 4 === 3 ? 0 : amplitude * scatter(k)));
    let frequency = 0;
    for (let round = 0; round < POWER_ITERATIONS; round++) {
      let [before, after, largest] = [0, 0, 0];
      for (let k = 0; k < x.length; k++) if (k % 4 < 3) x[k] = kept[k]! + direction[k]!;
      solver.evaluateForces(0, false);
      for (let k = 0; k < x.length; k++) {
        if (k % 4 === 3) continue;
        const moved = x[k]! - kept[k]!;
        const pull = a[k]! - still[k]!;
        before += moved * moved;
        after += pull * pull;
        largest = Math.max(largest, Math.abs(pull));
        direction[k] = pull;
      }
      frequency = before > 0 ? Math.sqrt(after / before) : 0;
      for (let k = 0; k < x.length; k++) direction[k]! *= largest > 0 ? amplitude / largest : 0;
    }
    x.set(kept);
    a.fill(0);
    constrained.set(bits);
    store.setVector(layout.GRAVITY, this.#parts.gravity);
    return bound > 0 ? Math.min(1, (MARGIN * frequency) / bound) : 1;
  }
}

/** A fixed pseudo-random number in [-1, 1] for every integer. */
function scatter(n: number): number {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1;
}

function freshScalars(bodies: number): EmbeddingScalars {
  return {
    frequency: 0,
    contactFrequency: 0,
    maximumSpeed: 0,
    viscousRate: 0,
    viscousDebt: 0,
    heldStep: 0,
    frequencyShare: 1,
    evenSampling: 1,
    sparse: 0,
    dense: Number.MAX_VALUE,
    volumeFactors: new Array<number>(bodies).fill(1),
  };
}
