import * as layout from '../../particles/embedding-layout.js';
import { CARRIED, type EmbeddingStore } from '../../particles/embedding-store.js';
import * as common from '../../particles/layout.js';

/** Largest mass of a particle and smallest one that may split, over the mass at the start: flow keeps both volume and number. */
const HEAVIEST = 4;
const LIGHTEST = 0.99;
/** About as heavy as at the start, over that mass: halves of what is heavier are not lighter. */
const LIGHT = 0.7;
const HEAVY = 1.42;
/** Of SAMPLING, in numbers of 4 bytes. */
const ROW = layout.SAMPLING_STRIDE / 4;

export interface Resampling {
  splits: number;
  merges: number;
  /** Splits that found no free slot. */
  refused: number;
}

/** Two particles of a body, by their numbers in it, that became one, or one that became two: the first is that one. */
export interface Partners {
  readonly body: number;
  readonly one: number;
  readonly other: number;
}

/** What resampling did: first all merges, then all splits. */
export interface Resampled {
  readonly merges: readonly Partners[];
  readonly splits: readonly Partners[];
  readonly refused: number;
}

/** What resampling has to know of a body: slots for particles. */
export interface FlowBody {
  readonly positions: number;
  /** Mass at the start by particle [kg], and density [kg/m3]. */
  readonly masses: Float32Array;
  readonly densities: readonly number[];
}

/**
 * Splits particles where sampling is sparse and merges them where it is dense, [J14] 3.5, by what measureSampling
 * found. Mass and momentum are kept; the halves move with the gradient of the velocity. ORIGIN and SHIFT say where
 * the new particles were among the old, so that fillNeighborhoods can make their rest vectors.
 */
export function resample(store: EmbeddingStore, bodies: readonly FlowBody[], dense: readonly number[]): Resampled {
  const particles = new Sampled(store, bodies);
  const { bodyOf } = particles;
  const merged = new Int32Array(store.count).fill(-1);
  for (let i = 0; i < store.count; i++) {
    if (!(particles.density(i) > dense[bodyOf[i]!]!)) continue;
    const j = particles.nearest(i);
    // Both must be the nearest of each other.
    if (j === i || particles.nearest(j) !== i) continue;
    const [a, b] = [Math.min(i, j), Math.max(i, j)];
    if (merged[a]! >= 0 || !particles.areHeldAlike(a, b)) continue;
    const limit = 1.001 * HEAVIEST * Math.min(particles.startMass(a), particles.startMass(b));
    if (particles.mass(a) + particles.mass(b) <= limit) merged[a] = b;
  }
  return change(store, bodies, merged, (i) => particles.mass(i) >= LIGHTEST * particles.startMass(i));
}

/** Is every particle of a body about as heavy as at the start? */
export function isEven(store: EmbeddingStore, bodies: readonly FlowBody[], b: number): boolean {
  const particles = new Sampled(store, bodies);
  for (let i = 0; i < store.count; i++) {
    const ratio = particles.mass(i) / particles.startMass(i);
    if (particles.bodyOf[i] === b && !(ratio >= LIGHT && ratio <= HEAVY)) return false;
  }
  return true;
}

/**
 * The same to make the particles of a body about as heavy as they were at the start: light ones merge with their nearest
 * neighbour, then heavy ones split, in rounds. Two that merge are heavy at the most by as much as halves are not light.
 */
export function equalise(store: EmbeddingStore, bodies: readonly FlowBody[], b: number): Resampled {
  const particles = new Sampled(store, bodies);
  const ratio = (i: number) => particles.mass(i) / particles.startMass(i);
  const merged = new Int32Array(store.count).fill(-1);
  const taken = new Uint8Array(store.count);
  for (let i = 0; i < store.count; i++) {
    const j = particles.nearest(i);
    if (particles.bodyOf[i] !== b || ratio(i) >= LIGHT || j === i || taken[i] || taken[j]) continue;
    if (ratio(j) > HEAVY || !particles.areHeldAlike(i, j)) continue;
    taken[i] = taken[j] = 1;
    merged[Math.min(i, j)] = Math.max(i, j);
  }
  return change(store, bodies, merged, (i) => particles.bodyOf[i] === b && ratio(i) > HEAVY);
}

/** What is known of the particles when some are to merge and split. */
class Sampled {
  readonly bodyOf: Uint32Array;
  readonly #bodies: readonly FlowBody[];
  readonly #floats: Float32Array;
  readonly #integers: Uint32Array;
  readonly #positions: Float32Array;
  readonly #ancestors: Uint32Array;
  readonly #constrained: Uint32Array;

  constructor(store: EmbeddingStore, bodies: readonly FlowBody[]) {
    const { count } = store;
    this.#bodies = bodies;
    this.#floats = store.floats(layout.SAMPLING, ROW * count);
    this.#integers = store.integers(layout.SAMPLING, ROW * count);
    this.#positions = store.vectors(layout.POSITION);
    this.bodyOf = store.integers(common.BODY_OF, count);
    this.#ancestors = store.integers(layout.ANCESTOR, count);
    this.#constrained = store.integers(layout.CONSTRAINED, count);
  }

  /** [kg] */
  mass(i: number): number {
    return 1 / this.#positions[4 * i + 3]!;
  }

  startMass(i: number): number {
    return this.#bodies[this.bodyOf[i]!]!.masses[this.#ancestors[i]!]!;
  }

  density(i: number): number {
    return this.#floats[ROW * i + layout.SAMPLING_HIGH / 4]!;
  }

  nearest(i: number): number {
    return this.#integers[ROW * i + layout.SAMPLING_NEAREST / 4]!;
  }

  areHeldAlike(i: number, j: number): boolean {
    return this.#constrained[i] === this.#constrained[j];
  }
}

/** Merges i with merged[i] where that is not negative, and splits of the others what may and where it is sparse. */
function change(
  store: EmbeddingStore,
  bodies: readonly FlowBody[],
  merged: Int32Array,
  maySplit: (i: number) => boolean,
): Resampled {
  const { count } = store;
  const bodyOf = store.integers(common.BODY_OF, count);
  const ancestors = store.integers(layout.ANCESTOR, count);
  const ids = store.integers(layout.ID, count);
  const floats = store.floats(layout.SAMPLING, ROW * count);
  const integers = store.integers(layout.SAMPLING, ROW * count);
  const gone = new Uint8Array(count);
  const merges: Partners[] = [];
  for (let i = 0; i < count; i++) {
    if (merged[i]! < 0) continue;
    gone[merged[i]!] = 1;
    merges.push({ body: bodyOf[i]!, one: ids[i]!, other: ids[merged[i]!]! });
  }
  let refused = 0;
  const free = new FreeSlots(store, bodies, gone);
  const split: { from: number; id: number }[] = [];
  for (let i = 0; i < count; i++) {
    if (integers[ROW * i + layout.SAMPLING_SPLITS / 4] === 0 || merged[i]! >= 0 || gone[i] || !maySplit(i)) continue;
    const id = store.count + split.length < store.capacity + merges.length ? free.take(bodyOf[i]!) : undefined;
    if (id === undefined) refused++;
    else split.push({ from: i, id });
  }
  const result = {
    merges,
    splits: split.map(({ from, id }) => ({ body: bodyOf[from]!, one: ids[from]!, other: id })),
    refused,
  };
  if (merges.length + split.length === 0) return result;

  const positions = new Precise(store);
  for (let i = 0; i < count; i++)
    if (merged[i]! >= 0) merge(store, positions, i, merged[i]!, bodies[bodyOf[i]!]!.densities[ancestors[i]!]!);
  const now = compact(store, gone);
  const total = count - merges.length + split.length;
  store.count = total;
  const carried = CARRIED.map(([slot, bytes]) => ({
    array: store.floats(slot, (bytes / 4) * total),
    width: bytes / 4,
  }));
  const origins = store.integers(layout.ORIGIN, total);
  for (const [k, { from, id }] of split.entries()) {
    const a = now[from]!;
    const b = count - merges.length + k;
    for (const { array, width } of carried) array.copyWithin(width * b, width * a, width * (a + 1));
    origins[b] = from;
    store.integers(layout.ID, total)[b] = id;
    const step = (slot: number) => floats.subarray(ROW * from + slot / 4, ROW * from + slot / 4 + 3);
    halve(store, a, b, step);
  }
  return result;
}

/** Positions of bodies that no particle has. */
class FreeSlots {
  readonly #taken: readonly Uint8Array[];
  readonly #next: number[];

  constructor(store: EmbeddingStore, bodies: readonly FlowBody[], gone: Uint8Array) {
    this.#taken = bodies.map(({ positions }) => new Uint8Array(positions));
    this.#next = bodies.map(() => 0);
    const ids = store.integers(layout.ID, store.count);
    const bodyOf = store.integers(common.BODY_OF, store.count);
    for (let i = 0; i < store.count; i++) if (!gone[i]) this.#taken[bodyOf[i]!]![ids[i]!] = 1;
  }

  /** The first one. */
  take(body: number): number | undefined {
    const taken = this.#taken[body]!;
    let id = this.#next[body]!;
    while (id < taken.length && taken[id] === 1) id++;
    this.#next[body] = id + 1;
    return id < taken.length ? id : undefined;
  }
}

/** Positions with what rounding has cut off. */
class Precise {
  readonly #positions: Float32Array;
  readonly #remainders: Float32Array;

  constructor(store: EmbeddingStore) {
    this.#positions = store.vectors(layout.POSITION);
    this.#remainders = store.vectors(layout.REMAINDER);
  }

  get(i: number, a: number): number {
    return this.#positions[4 * i + a]! + this.#remainders[4 * i + a]!;
  }

  set(i: number, a: number, x: number): void {
    this.#positions[4 * i + a] = x;
    this.#remainders[4 * i + a] = x - this.#positions[4 * i + a]!;
  }
}

/** Particle i takes in j: the centre of mass, the momentum, and means of the rest. */
function merge(store: EmbeddingStore, positions: Precise, i: number, j: number, density: number): void {
  const x = store.vectors(layout.POSITION);
  const [mi, mj] = [1 / x[4 * i + 3]!, 1 / x[4 * j + 3]!];
  const share = mj / (mi + mj);
  const mean = (array: Float32Array, width: number, k: number) => {
    array[width * i + k]! += share * (array[width * j + k]! - array[width * i + k]!);
  };
  for (let a = 0; a < 3; a++) {
    const step = share * (positions.get(j, a) - positions.get(i, a));
    positions.set(i, a, positions.get(i, a) + step);
    store.vectors(layout.SHIFT)[4 * i + a] = step;
    mean(store.vectors(common.VELOCITY), 4, a);
    mean(store.vectors(common.ACCELERATION), 4, a);
    mean(store.vectors(layout.EMBEDDED), 4, a);
  }
  // The plastic strain, what it was at the last embedding, and the work done on it.
  for (const k of [3, 7, 11]) mean(store.floats(common.PLASTIC, 12 * store.count), 12, k);
  x[4 * i + 3] = 1 / (mi + mj);
  // To the bit what a load finds.
  store.vectors(common.ELASTIC)[4 * i + 3] = 1 / (x[4 * i + 3]! * density);
}

/** Closes the gaps that particles have left; returns the new number of each. */
function compact(store: EmbeddingStore, gone: Uint8Array): Int32Array {
  const now = new Int32Array(gone.length).fill(-1);
  const origins = store.integers(layout.ORIGIN, gone.length);
  const carried = [...CARRIED, [layout.SHIFT, 16] as const].map(([slot, bytes]) => ({
    array: store.floats(slot, (bytes / 4) * gone.length),
    width: bytes / 4,
  }));
  let to = 0;
  for (let i = 0; i < gone.length; i++) {
    if (gone[i]) continue;
    now[i] = to;
    origins[to] = i;
    if (to < i) for (const { array, width } of carried) array.copyWithin(width * to, width * i, width * (i + 1));
    to++;
  }
  return now;
}

/** Two halves of a particle that are both at its position still. */
function halve(store: EmbeddingStore, a: number, b: number, step: (slot: number) => Float32Array): void {
  const x = store.vectors(layout.POSITION);
  const elastic = store.vectors(common.ELASTIC);
  const positions = new Precise(store);
  const [rest, world, speed] = [
    step(layout.SAMPLING_REST),
    step(layout.SAMPLING_WORLD),
    step(layout.SAMPLING_VELOCITY),
  ];
  for (const [i, sign] of [
    [a, 1],
    [b, -1],
  ] as const) {
    x[4 * i + 3]! *= 2;
    elastic[4 * i + 3]! /= 2;
    for (let k = 0; k < 3; k++) {
      positions.set(i, k, positions.get(i, k) + sign * world[k]!);
      store.vectors(common.VELOCITY)[4 * i + k]! += sign * speed[k]!;
      store.vectors(layout.EMBEDDED)[4 * i + k]! += sign * rest[k]!;
      store.vectors(layout.SHIFT)[4 * i + k] = sign * world[k]!;
    }
  }
}

/** After the neighbours have been found: all particles are where they were. */
export function forgetOrigins(store: EmbeddingStore): void {
  const origins = store.integers(layout.ORIGIN, store.capacity);
  for (let i = 0; i < store.capacity; i++) origins[i] = i;
  store.floats(layout.SHIFT, 4 * store.capacity).fill(0);
}
