import * as layout from '../../particles/embedding-layout.js';
import { CARRIED, type EmbeddingStore } from '../../particles/embedding-store.js';
import * as common from '../../particles/layout.js';

/** Largest mass of a particle and smallest one that may split, over the mass at the start: flow keeps both volume and number. */
const HEAVIEST = 4;
const LIGHTEST = 0.99;

export interface Resampling {
  splits: number;
  merges: number;
  /** Splits that found no free place. */
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

/** What resampling has to know of a body: places for particles. */
export interface FlowBody {
  readonly places: number;
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
  let refused = 0;
  const merges: Partners[] = [];
  const { count } = store;
  const floats = store.floats(layout.SAMPLING, (layout.SAMPLING_STRIDE / 4) * count);
  const integers = store.integers(layout.SAMPLING, (layout.SAMPLING_STRIDE / 4) * count);
  const row = layout.SAMPLING_STRIDE / 4;
  const inverseMass = store.vectors(layout.POSITION);
  const bodyOf = store.integers(common.BODY_OF, count);
  const ancestors = store.integers(layout.ANCESTOR, count);
  const constrained = store.integers(layout.CONSTRAINED, count);
  const ids = store.integers(layout.ID, count);
  const startMass = (i: number) => bodies[bodyOf[i]!]!.masses[ancestors[i]!]!;
  const massOf = (i: number) => 1 / inverseMass[4 * i + 3]!;

  const merged = new Int32Array(count).fill(-1);
  const gone = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    if (!(floats[row * i + layout.SAMPLING_HIGH / 4]! > dense[bodyOf[i]!]!)) continue;
    const j = integers[row * i + layout.SAMPLING_NEAREST / 4]!;
    // Both must be the nearest of each other.
    if (j === i || integers[row * j + layout.SAMPLING_NEAREST / 4]! !== i) continue;
    const [a, b] = [Math.min(i, j), Math.max(i, j)];
    if (merged[a]! >= 0 || constrained[a] !== constrained[b]) continue;
    if (massOf(a) + massOf(b) > 1.001 * HEAVIEST * Math.min(startMass(a), startMass(b))) continue;
    merged[a] = b;
    gone[b] = 1;
    merges.push({ body: bodyOf[a]!, one: ids[a]!, other: ids[b]! });
  }
  const free = new FreePlaces(store, bodies, gone);
  const split: { from: number; id: number }[] = [];
  for (let i = 0; i < count; i++) {
    if (integers[row * i + layout.SAMPLING_SPLITS / 4] === 0 || merged[i]! >= 0 || gone[i]) continue;
    if (massOf(i) < LIGHTEST * startMass(i)) continue;
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
    const way = (slot: number) => floats.subarray(row * from + slot / 4, row * from + slot / 4 + 3);
    halve(store, a, b, way);
  }
  return result;
}

/** Places of bodies that no particle has. */
class FreePlaces {
  readonly #taken: readonly Uint8Array[];
  readonly #next: number[];

  constructor(store: EmbeddingStore, bodies: readonly FlowBody[], gone: Uint8Array) {
    this.#taken = bodies.map(({ places }) => new Uint8Array(places));
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
    const way = share * (positions.get(j, a) - positions.get(i, a));
    positions.set(i, a, positions.get(i, a) + way);
    store.vectors(layout.SHIFT)[4 * i + a] = way;
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

/** Two halves of a particle that are both at its place still. */
function halve(store: EmbeddingStore, a: number, b: number, way: (slot: number) => Float32Array): void {
  const x = store.vectors(layout.POSITION);
  const elastic = store.vectors(common.ELASTIC);
  const positions = new Precise(store);
  const [rest, world, speed] = [way(layout.SAMPLING_REST), way(layout.SAMPLING_WORLD), way(layout.SAMPLING_VELOCITY)];
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
