import {
  add,
  determinant,
  IDENTITY,
  leftStretch,
  length,
  type Matrix3,
  multiply,
  transform,
} from '../../math/matrix3.js';
import type { Engine } from '../../memory/engine.js';
import type { BodyOptions, ConstraintOptions, Material, SolverOptions, Vec3 } from '../../options/types.js';
import { BODY_PARAMETERS } from '../../particles/array-places.js';
import type { BodyRange, SlotPair } from '../../particles/body-range.js';
import * as layout from '../../particles/embedding-layout.js';
import { EmbeddingStore } from '../../particles/embedding-store.js';
import type { Frame } from '../../particles/frame.js';
import * as common from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import type { ParticleStore } from '../../particles/store.js';
import { particlesIn } from '../constraints/constraints.js';
import type { ConstraintRecord } from '../constraints/hold.js';
import { Prescriptions } from '../constraints/prescriptions.js';
import { elasticConstants, MODELS, materialsOf, shearModulus, viscousTime, writeParameters } from '../material.js';
import type { EmbeddingEffort } from './effort.js';
import type { Partners, Resampled } from './resample.js';
import { NOWHERE, withoutFreeSlots } from './slots.js';
import { startVelocities } from './start.js';
import { type EmbeddingScalars, EmbeddingSolver, type FlowCalibration } from './step.js';

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
  readonly obstacles: number;
  /** Has the table of obstacles, and slots for all particles. */
  readonly solids: ParticleStore;
  /** Of each body, the numbers of its slots, and where its frame is, which stands still [m]. */
  readonly ranges: readonly BodyRange[];
  readonly origins: readonly Vec3[];
  readonly time: number;
  readonly state?: EmbeddingState | undefined;
  readonly effort: EmbeddingEffort;
}

/** A particle of a body that goes on elsewhere. */
export interface FlowingParticle {
  /** Its slot in the body, and the particle of the start that it came from. */
  readonly id: number;
  readonly ancestor: number;
  /** Bits of the constraints that act on it. */
  readonly constrained: number;
  /** [1/kg], [m], [m/s] */
  readonly inverseMass: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  /** V of the elastic part of the deformation, F_e = V R: all of it that has stress. */
  readonly stretch: Matrix3;
  /** As in PLASTIC of layout.ts. */
  readonly plasticStrain: number;
  readonly plasticWork: number;
  /** Slots by rising number. */
  readonly neighbors: readonly number[];
}

export interface FlowingBody {
  /** Slots that it has. */
  readonly positions: number;
  /** By rising slot. */
  readonly particles: readonly FlowingParticle[];
}

/** det F_e below this is folded over, and has no stress that could be kept. */
const FOLDED = 0.05;

/** I + the rows, four numbers each. */
function withIdentity(rows: Float32Array): Matrix3 {
  return [
    ...[1 + rows[0]!, rows[1]!, rows[2]!],
    ...[rows[4]!, 1 + rows[5]!, rows[6]!],
    ...[rows[8]!, rows[9]!, 1 + rows[10]!],
  ] as unknown as Matrix3;
}

/** Bodies from number `first` on as they begin, in memory that is given back. */
function startOf(parts: EmbeddingParts, first: number): { state: EmbeddingState; maximumSpeed: number } {
  const { arena } = parts.engine;
  const mark = arena.mark();
  const own = {
    bodies: parts.bodies.slice(first),
    ranges: parts.ranges.slice(first),
    origins: parts.origins.slice(first),
  };
  const model = new EmbeddingModel({ ...parts, ...own, constraints: [], state: undefined });
  const start = { state: model.save(), maximumSpeed: model.solver.maximumSpeed };
  arena.release(mark);
  return start;
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
    const { bodies, engine, solver } = parts;
    const known = parts.state?.scalars.bodies.length ?? 0;
    const added = parts.state && known < bodies.length ? startOf(parts, known) : undefined;
    const state = added ? withMore(parts.state!, added.state) : parts.state;
    this.#starts = bodies.map(({ samples }) => withoutFreeSlots(samples));
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
    if (state) this.#restore(state);
    else this.#fill(support);
    this.#constraints = new Prescriptions(store, layout.CONSTRAINTS, parts.constraints, parts.time);
    this.solver = new EmbeddingSolver(
      {
        store,
        options: solver.embedding,
        gravity: parts.gravity,
        bodies: bodies.map(({ samples }, b) => ({
          positions: samples.count,
          masses: this.#massesOf(b),
          densities: this.#materialsOf(b).map(({ density }) => density),
        })),
        names: bodies.map(({ options }) => options.name),
        constraints: this.#constraints,
        smallestSpacing: smallest,
        largestSpacing: largest,
        largestSupport: support * largest,
        changed: (resampled) => this.#share(resampled),
        effort: parts.effort,
      },
      { ...(state?.scalars ?? FRESH) },
    );
    this.writeMaterials();
    this.solver.writeScalars();
    if (state) this.solver.linkNeighbors();
    else {
      this.solver.findNeighbors();
      this.#calibrate(
        spacings.map((list, b) => largests[b]! > UNEVEN * list.reduce((a, s) => Math.min(a, s), Infinity)),
      );
      this.#setVelocities();
    }
    this.solver.maximumSpeed = Math.max(this.solver.maximumSpeed, added?.maximumSpeed ?? 0);
    store.setInteger(layout.SOLID_CONTEXT, parts.solids.context);
    parts.solids.measureFlowing = () => this.#shareMeasures();
    this.#share();
  }

  /**
   * Are told when particles have other positions in embedded space, and which slots have merged or split, after they
   * have: first all merges, then all splits.
   */
  readonly listeners: ((merges: readonly SlotPair[], splits: readonly SlotPair[]) => void)[] = [];

  /** Puts the particles into their slots; others are free. */
  #share(resampled?: Resampled): void {
    const { solids, ranges } = this.#parts;
    for (const { begin, end } of ranges) {
      for (const slot of [common.REST, common.ELASTIC, common.VELOCITY, common.ACCELERATION]) {
        solids.vectors(slot).fill(0, 4 * begin, 4 * end);
      }
      // Out of everybody's way, and without mass.
      const [u, sums] = [solids.vectors(common.DISPLACEMENT), solids.vectors(common.GRADIENT_SUM)];
      for (let i = 4 * begin; i < 4 * end; i += 4) {
        u.set([NOWHERE, NOWHERE, NOWHERE, 0], i);
        sums[i + 3] = Number.POSITIVE_INFINITY;
      }
    }
    this.store.run('shareEmbedded');
    const slots = ({ body, one, other }: Partners): SlotPair => {
      const { begin } = ranges[body]!;
      return [begin + one, begin + other];
    };
    const [merges, splits] = [resampled?.merges ?? [], resampled?.splits ?? []].map((list) => list.map(slots));
    for (const listen of this.listeners) listen(merges!, splits!);
  }

  /** Energy, stress and change of volume of all particles into their slots. */
  #shareMeasures(): void {
    const { solids, ranges } = this.#parts;
    const to = solids.floats(common.FLUX, 12 * solids.count);
    for (const { begin, end } of ranges) to.fill(0, 12 * begin, 12 * end);
    const from = this.measures();
    for (const [i, slot] of this.slots().entries()) to.set(from.subarray(12 * i, 12 * i + 3), 12 * slot);
  }

  /** The slot among the solids of every particle, in the order in which they are in memory now. */
  slots(): Uint32Array {
    const { count } = this.store;
    const bodyOf = this.store.integers(common.BODY_OF, count);
    return this.store.integers(layout.ID, count).map((id, i) => this.#parts.ranges[bodyOf[i]!]!.begin + id);
  }

  /** Twelve floats per particle: energy [J], von Mises stress [Pa], det F_e, volume of eq. 3 before it is calibrated [m3], ... */
  measures(): Float32Array {
    this.store.run('measureEmbedded');
    return this.store.floats(common.FLUX, 12 * this.store.count);
  }

  /** The slot of the particle of the start that each came from, by its own slot. */
  ancestors(): Map<number, number> {
    const { count } = this.store;
    const of = this.store.integers(common.BODY_OF, count);
    const from = this.store.integers(layout.ANCESTOR, count);
    const slots = this.slots();
    return new Map(Array.from(slots, (slot, i) => [slot, this.#parts.ranges[of[i]!]!.begin + from[i]!]));
  }

  /** A body as it goes on elsewhere: its particles are brought to about equal masses first. */
  takeOut(b: number): FlowingBody {
    this.solver.equalise(b);
    const { store } = this;
    const { count } = store;
    const { positions } = this.solver.bodies[b]!;
    const bodyOf = store.integers(common.BODY_OF, count);
    const ids = store.integers(layout.ID, count);
    const ancestors = store.integers(layout.ANCESTOR, count);
    const constrained = store.integers(layout.CONSTRAINED, count);
    const [x, v] = [store.vectors(layout.POSITION), store.vectors(common.VELOCITY)];
    const plastic = store.floats(common.PLASTIC, 12 * count);
    const neighborCounts = store.integers(layout.NEIGHBOR_COUNT, count);
    const pairs = store.integers(layout.PAIRS, 4 * layout.CAPACITY * count);
    store.run('noteGradients');
    const gradients = store.floats(common.FLUX, 12 * count);
    const own: FlowingParticle[] = [];
    for (let i = 0; i < count; i++) {
      if (bodyOf[i] !== b) continue;
      const [f, inverse] = [gradients, plastic].map((rows) => withIdentity(rows.subarray(12 * i, 12 * (i + 1))));
      const elastic = multiply(f!, inverse!);
      own.push({
        id: ids[i]!,
        ancestor: ancestors[i]!,
        constrained: constrained[i]!,
        inverseMass: x[4 * i + 3]!,
        position: [x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!],
        velocity: [v[4 * i]!, v[4 * i + 1]!, v[4 * i + 2]!],
        stretch: determinant(elastic) > FOLDED ? leftStretch(elastic) : IDENTITY,
        plasticStrain: plastic[12 * i + 3]!,
        plasticWork: plastic[12 * i + 11]!,
        neighbors: Array.from(
          { length: neighborCounts[i]! },
          (_, k) => ids[pairs[4 * (layout.CAPACITY * i + k) + 3]! & common.INDEX_MASK]!,
        ).sort((one, other) => one - other),
      });
    }
    return { positions, particles: own.sort((one, other) => one.id - other.id) };
  }

  /** Volume of everything by [J14] eq. 3, calibrated at the start [m3]. */
  estimatedVolume(): number {
    const measures = this.measures();
    const bodyOf = this.store.integers(common.BODY_OF, this.store.count);
    const { bodies } = this.solver.scalars;
    return bodyOf.reduce((sum, b, i) => sum + bodies[b]!.volumeFactor * measures[12 * i + 3]!, 0);
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
        const position = transform(initial.rotation, [rest[4 * k]!, rest[4 * k + 1]!, rest[4 * k + 2]!]);
        const spacing = rest[4 * k + 3]!;
        const at = add(position, initial.origin);
        positions.set([...at, 1 / masses[k]!], 4 * i);
        for (let a = 0; a < 3; a++) remainders[4 * i + a] = at[a]! - positions[4 * i + a]!;
        remainders[4 * i + 3] = spacing / 2;
        embedded.set([...position, support * spacing], 4 * i);
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
      for (const velocity of startVelocities(samples, options, initial.rotation, initial.origin)) {
        v.set(velocity, 4 * i++);
        this.solver.maximumSpeed = Math.max(this.solver.maximumSpeed, length(velocity));
      }
    }
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
  changeMaterials(): void {
    this.writeMaterials();
    this.solver.scalars.viscousRate = 0;
    this.solver.linkNeighbors();
    this.store.run('shareEmbedded');
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
    for (const [b, { material }] of bodies.entries()) {
      const at = table + b * common.BODY_STRIDE;
      const floats = store.engine.arena.f32(at, common.BODY_STRIDE / 4);
      store.engine.arena.u32(at, common.BODY_STRIDE / 4)[common.BODY_MODEL / 4] = MODELS[material.model];
      store.engine.arena.u32(at, common.BODY_STRIDE / 4)[common.BODY_BEGIN / 4] = this.#parts.ranges[b]!.begin;
      for (let a = 0; a < 3; a++) floats[common.BODY_FRAME / 4 + 4 * a + 3] = this.#parts.origins[b]![a]!;
      writeParameters(floats, BODY_PARAMETERS, material);
    }
  }

  /** What follows from the rest shapes: their highest frequency, how even their sampling is, and the volumes of eq. 3. */
  #calibrate(uneven: readonly boolean[]): void {
    const { solver, store } = this;
    const frequencyShare = this.#frequencyShare();
    const plain: FlowCalibration = { evenSampling: 1, sparse: 0, dense: Number.MAX_VALUE, volumeFactor: 1 };
    solver.scalars = { ...solver.scalars, frequencyShare, bodies: uneven.map(() => plain) };
    solver.writeScalars();
    store.run('measureSampling');
    solver.scalars = { ...solver.scalars, bodies: uneven.map((is, b) => this.#calibrateBody(b, is)) };
    solver.writeScalars();
    solver.linkNeighbors();
  }

  #calibrateBody(b: number, uneven: boolean): FlowCalibration {
    const { store } = this;
    const row = layout.SAMPLING_STRIDE / 4;
    const values = store.floats(layout.SAMPLING, row * store.count);
    const bodyOf = store.integers(common.BODY_OF, store.count);
    const elastic = store.vectors(common.ELASTIC);
    const particles = Array.from({ length: store.count }, (_, i) => ({
      low: values[row * i + layout.SAMPLING_LOW / 4]!,
      high: values[row * i + layout.SAMPLING_HIGH / 4]!,
      skew: values[row * i + layout.SAMPLING_SKEW / 4]!,
      estimate: values[row * i + layout.SAMPLING_SKEW / 4 + 1]!,
      volume: elastic[4 * i + 3]!,
    })).filter((_, i) => bodyOf[i] === b);
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
    const [volume, estimate] = (['volume', 'estimate'] as const).map((key) =>
      particles.reduce((a, p) => a + p[key], 0),
    );
    return {
      evenSampling,
      sparse: uneven ? SPARSE * Math.min(1, lowest) : Math.min(SPARSE, lowest / BEYOND_LOW),
      dense: Math.max(DENSE, highest * BEYOND_HIGH),
      volumeFactor: estimate! > 0 ? volume! / estimate! : 0,
    };
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
    solver.computeForces(0, 0);
    const bound = solver.frequency;
    const still = a.slice();
    const amplitude = 1e-3 * store.floats(layout.SPACING, 1)[0]!;
    const direction = Float32Array.from({ length: x.length }, (_, k) => (k % 4 === 3 ? 0 : amplitude * scatter(k)));
    let frequency = 0;
    for (let round = 0; round < POWER_ITERATIONS; round++) {
      let [before, after, largest] = [0, 0, 0];
      for (let k = 0; k < x.length; k++) if (k % 4 < 3) x[k] = kept[k]! + direction[k]!;
      solver.computeForces(0, 0);
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

const FRESH: EmbeddingScalars = { viscousRate: 0, viscousDebt: 0, updates: 0, frequencyShare: 1, bodies: [] };

/** The state of bodies that are there with that of others, which come after them. */
function withMore(state: EmbeddingState, added: EmbeddingState): EmbeddingState {
  const before = state.scalars.bodies.length;
  const arrays = state.arrays.map((array, k) => {
    const more = added.arrays[k]!.slice();
    const integers = new Uint32Array(more.buffer);
    if (EmbeddingStore.holdsBodies(k)) for (let i = 0; i < integers.length; i++) integers[i]! += before;
    // Neighbours are in lane 3 of the rest vectors, which come last.
    if (k === state.arrays.length - 1) {
      for (let i = 3; i < integers.length; i += 4) {
        if (integers[i] !== 0) integers[i] = common.INDEX_TAG | ((integers[i]! & common.INDEX_MASK) + state.count);
      }
    }
    const both = new Float32Array(array.length + more.length);
    both.set(array);
    both.set(more, array.length);
    return both;
  });
  const [one, other] = [state.scalars, added.scalars];
  const scalars = {
    ...one,
    // To be found anew.
    viscousRate: 0,
    frequencyShare: Math.max(one.frequencyShare, other.frequencyShare),
    bodies: [...one.bodies, ...other.bodies],
  };
  return { count: state.count + added.count, scalars, arrays };
}

/** The state without body number `b`; none where it was the last one. */
export function withoutBody(state: EmbeddingState, b: number): EmbeddingState | undefined {
  const { count, scalars, arrays } = state;
  if (scalars.bodies.length === 1) return undefined;
  const bodyOf = new Uint32Array(arrays.find((_, k) => EmbeddingStore.holdsBodies(k))!.slice().buffer);
  const left = Array.from(bodyOf.keys()).filter((i) => bodyOf[i] !== b);
  const now = new Int32Array(count).fill(-1);
  for (const [n, i] of left.entries()) now[i] = n;
  const kept = arrays.map((array, k) => {
    const width = array.length / count;
    const result = new Float32Array(width * left.length);
    for (const [n, i] of left.entries()) result.set(array.subarray(width * i, width * (i + 1)), width * n);
    const integers = new Uint32Array(result.buffer);
    if (EmbeddingStore.holdsBodies(k)) for (let n = 0; n < left.length; n++) if (integers[n]! > b) integers[n]!--;
    if (k === arrays.length - 1) {
      for (let n = 3; n < integers.length; n += 4) {
        if (integers[n] !== 0) integers[n] = common.INDEX_TAG | now[integers[n]! & common.INDEX_MASK]!;
      }
    }
    return result;
  });
  // To be found anew.
  const others = { ...scalars, viscousRate: 0, bodies: scalars.bodies.toSpliced(b, 1) };
  return { count: left.length, scalars: others, arrays: kept };
}
