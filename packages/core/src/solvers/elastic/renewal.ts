import type { Matrix3 } from '../../math/matrix3.js';
import { Context } from '../../memory/context.js';
import type { PassName } from '../../memory/engine.js';
import type { EmbeddingSolverOptions } from '../../options/types.js';
import { RENEWAL } from '../../particles/array-places.js';
import type { BodyRange } from '../../particles/body-range.js';
import * as common from '../../particles/layout.js';
import * as layout from '../../particles/renewal-layout.js';
import type { ParticleStore } from '../../particles/store.js';

/**
 * Rest vectors are renewed when this share of the particles has flowed by a part of updateStrain, or one by so many
 * times that; every so many times neighbours are found anew.
 */
const MANY = 0.005;
const FAR = 4;
const ROUNDS = 4;

/** What goes on from one layout of the memory to the next, and into a save: how often, and five arrays by body. */
export interface RenewalState {
  readonly updates: number;
  readonly arrays: readonly Float32Array[];
}

/** Arrays of a body in the state, and positions for a list in RENEWAL_LISTS. */
const ARRAYS = 5;
const LIST_ROOM = 2 * layout.RENEWAL_ROOM;

const asFloats = (integers: Uint32Array) => new Float32Array(integers.buffer);

/** The state without a body, by its number among those that are renewed. */
export function withoutRenewed({ updates, arrays }: RenewalState, n: number): RenewalState {
  return { updates, arrays: arrays.toSpliced(ARRAYS * n, ARRAYS) };
}

/** I + the rows, four numbers each. */
function withIdentity(rows: Float32Array): Matrix3 {
  return [
    ...[1 + rows[0]!, rows[1]!, rows[2]!],
    ...[rows[4]!, 1 + rows[5]!, rows[6]!],
    ...[rows[8]!, rows[9]!, 1 + rows[10]!],
  ] as unknown as Matrix3;
}

/** Grids for the search of neighbours, each half as coarse as the one before; sizes of an octree differ by four. */
function levelsOf(ratio: number): number {
  return ratio < 2 ? 1 : ratio < 4 ? 2 : 3;
}

/**
 * Bodies whose neighbours are renewed when they have flowed: their present shape becomes the rest shape, and what is elastic
 * of the deformation goes on in F_p^-1. Passes: assembly/solid/renewal.ts.
 */
export class Renewal extends Context {
  readonly #store: ParticleStore;
  readonly #ranges: readonly BodyRange[];
  readonly #options: EmbeddingSolverOptions;
  /** Strain that counts as having flowed [1]. */
  readonly #flowedBy: number;
  readonly count: number;
  /** How often neighbours have been renewed. */
  updates = 0;
  /** Are told when rest positions are others. */
  readonly listeners: (() => void)[] = [];

  /** `supports` and `bondShares` are those of all particles, as for buildNeighborhoods. */
  constructor(parts: {
    store: ParticleStore;
    ranges: readonly BodyRange[];
    bodies: readonly number[];
    options: EmbeddingSolverOptions;
    supports: Float32Array;
    bondShares: Float32Array;
  }) {
    const { store, ranges, bodies, options } = parts;
    super(store.engine, layout.RENEWAL_CONTEXT_SIZE);
    this.#store = store;
    this.#ranges = bodies.map((b) => ranges[b]!);
    this.#options = options;
    this.count = this.#ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);
    const { count } = this;
    for (const { slot, bytes } of RENEWAL.particle) this.allocate(slot, bytes * count);
    const blocks = Math.ceil(count / common.BLOCK);
    for (const slot of [layout.BLOCK_STRAIN, layout.BLOCK_FLOWED]) this.allocate(slot, 4 * blocks);
    this.allocate(layout.BLOCK_SCRATCH, 8 * common.SUMS * blocks);
    let buckets = 16;
    while (buckets < count) buckets *= 2;
    this.setInteger(common.BUCKET_MASK, buckets - 1);
    this.allocate(common.BUCKET_BEGIN, 4 * (buckets + 2));
    this.allocate(common.SORTED, 4 * count);
    this.allocate(common.CELL_KEYS, 8 * count);
    this.setInteger(common.POINT_COUNT, count);
    this.setInteger(layout.SOLIDS, store.context);
    this.#flowedBy = options.updateStrain / ROUNDS;
    this.setFloat(layout.RENEWAL_FLOWED_BY, this.#flowedBy);

    const members = this.integers(layout.MEMBERS, count);
    const positions = this.floats(layout.RENEWAL_PLACES, 4 * count);
    const bonds = this.floats(layout.RENEWAL_BONDS, count);
    const volumes = this.floats(layout.RENEWAL_VOLUME, count);
    const elastic = store.vectors(common.ELASTIC);
    let k = 0;
    let [smallest, largest] = [Number.POSITIVE_INFINITY, 0];
    for (const { begin, end } of this.#ranges) {
      for (let i = begin; i < end; i++, k++) {
        const support = parts.supports[i]!;
        members[k] = i;
        positions[4 * k + 3] = support;
        bonds[k] = parts.bondShares[i]!;
        volumes[k] = elastic[4 * i + 3]!;
        smallest = Math.min(smallest, support);
        largest = Math.max(largest, support);
      }
    }
    this.setFloat(common.CELL_SIZE, largest);
    this.setInteger(layout.RENEWAL_LEVELS, levelsOf(largest / smallest));
    store.allocate(common.RENEWED_AT, 4 * store.count);
    store.floats(common.RENEWED_AT, store.count).fill(0);
    for (const [slot, length] of [
      [common.OFFSETS, 4 * store.pairCapacity],
      [common.FIRST_MOMENT, 12 * store.count],
    ] as const) {
      store.allocate(slot, 4 * length);
      store.floats(slot, length).fill(0);
    }
    // The weights are those of the mean of two supports, now as at the start.
    store.allocate(common.SUPPORTS, 4 * store.count);
    store.floats(common.SUPPORTS, store.count).set(parts.supports);
    const inverses = store.floats(common.MOMENT_INVERSE, 12 * store.count);
    this.#run('measureFits');
    const stiffnesses = this.floats(layout.RENEWAL_CUT, count);
    k = 0;
    for (const [n, { begin, end }] of this.#ranges.entries()) {
      let stiffest = 0;
      for (let i = begin; i < end; i++, k++) {
        stiffest = Math.max(stiffest, stiffnesses[k]!);
        inverses[12 * i + 11] = 1;
      }
      store.bodyFloats(bodies[n]!)[common.BODY_STIFFEST_FIT / 4] = stiffest;
    }
  }

  #run(pass: PassName): void {
    this.engine.run(pass, this.count, this.context);
  }

  /** At the end of a step: new rest vectors, and new neighbours, where they are due. */
  follow(): void {
    this.#run('measureFlow');
    const blocks = Math.ceil(this.count / common.BLOCK);
    const far = this.engine.helpers.largest(this.address(layout.BLOCK_STRAIN), blocks) > FAR * this.#flowedBy;
    const flowed = this.floats(layout.BLOCK_FLOWED, blocks).reduce((sum, value) => sum + value, 0);
    if (far || flowed > MANY * this.count) this.renew(this.updates % ROUNDS === 0);
  }

  /** Rest vectors take over what has flowed; with new neighbours, if these are looked for. */
  renew(search = true): void {
    this.updates++;
    this.#run('noteStretches');
    this.#run('noteOffsets');
    this.#run('takeShape');
    if (search && this.#options.neighborUpdates) {
      this.#run('computeRenewalCells');
      this.engine.runSerial('sortByCell', this.context);
      this.#run('arrangeMembers');
      this.#run('gatherCandidates');
      this.#run('chooseNeighbors');
    } else this.#run('keepNeighbors');
    this.#run('chooseOffsets');
    this.#place();
    this.#run('placeOffsets');
    this.#weigh();
    this.#run('keepStresses');
    for (const listen of this.listeners) listen();
  }

  #place(): void {
    this.#makePlaces();
    this.#run('placeNeighbors');
  }

  /** What follows from neighbours and their rest vectors. */
  #weigh(): void {
    this.#run('weighNeighbors');
    this.#run('fitRenewed');
    this.#store.softenStabilisation(false);
  }

  /** Moves the lists of other bodies to where those of the members leave room for them. */
  #makePlaces(): void {
    const store = this.#store;
    const begins = store.integers(common.NEIGHBOR_BEGIN, store.count + 1);
    const counts = this.integers(layout.RENEWAL_COUNT, this.count);
    const moved: { from: number; to: number; length: number }[] = [];
    let k = 0;
    let at = 0;
    let next = 0;
    for (const { begin, end } of [...this.#ranges, { begin: store.count, end: store.count }]) {
      // What is before this body and after the last one.
      const [first, last] = [begins[next]!, begins[begin]!];
      moved.push({ from: first, to: at, length: last - first });
      const shift = at - first;
      if (shift !== 0) for (let i = next; i < begin; i++) begins[i]! += shift;
      at += last - first;
      next = end;
      // The old ends are needed once more, when the next ones are moved.
      const after = begins[end]!;
      for (let i = begin; i < end; i++) {
        begins[i] = at;
        at += counts[k++]!;
      }
      if (end < store.count) begins[end] = after;
      else begins[store.count] = at;
    }
    const neighbors = store.integers(common.NEIGHBORS, store.pairCapacity);
    const vectors = [common.PAIRS, common.OFFSETS].map((slot) => store.floats(slot, 4 * store.pairCapacity));
    const up = moved.filter(({ from, to, length }) => length > 0 && to > from).reverse();
    const down = moved.filter(({ from, to, length }) => length > 0 && to < from);
    for (const { from, to, length } of [...up, ...down]) {
      neighbors.copyWithin(to, from, from + length);
      for (const values of vectors) values.copyWithin(4 * to, 4 * from, 4 * (from + length));
    }
  }

  /** V of the elastic part of the deformation, F_e = V R, of the particles of a body, in its axes. */
  stretches({ begin, end }: BodyRange): Matrix3[] {
    this.#run('noteStretches');
    const store = this.#store;
    const rows = store.floats(common.FLUX, 12 * store.count);
    const named = store.integers(common.FLUX, 12 * store.count);
    return Array.from({ length: end - begin }, (_, k) => {
      const source = named[12 * (begin + k) + 3]!;
      return withIdentity(rows.subarray(12 * (source > 0 ? source - 1 : begin + k)));
    });
  }

  /** What has changed since the layout. */
  save(): RenewalState {
    const store = this.#store;
    const begins = store.integers(common.NEIGHBOR_BEGIN, store.count + 1);
    const neighbors = store.integers(common.NEIGHBORS, store.pairCapacity);
    const offsets = store.floats(common.OFFSETS, 4 * store.pairCapacity);
    const rest = store.vectors(common.REST);
    const renewed = store.floats(common.RENEWED_AT, store.count);
    const arrays = this.#ranges.flatMap(({ begin, end }) => [
      rest.slice(4 * begin, 4 * end),
      renewed.slice(begin, end),
      asFloats(Uint32Array.from({ length: end - begin }, (_, k) => begins[begin + k + 1]! - begins[begin + k]!)),
      asFloats(neighbors.slice(begins[begin]!, begins[end]!).map((j) => j - begin)),
      offsets.slice(4 * begins[begin]!, 4 * begins[end]!),
    ]);
    return { updates: this.updates, arrays };
  }

  /** Puts a state into a memory that has just been laid out; bodies that it does not know are as they begin. */
  restore({ updates, arrays }: RenewalState): void {
    if (updates === 0) return;
    this.updates = updates;
    const store = this.#store;
    const begins = store.integers(common.NEIGHBOR_BEGIN, store.count + 1);
    const present = store.integers(common.NEIGHBORS, store.pairCapacity);
    const counts = this.integers(layout.RENEWAL_COUNT, this.count);
    const lists = this.integers(layout.RENEWAL_LISTS, LIST_ROOM * this.count);
    let isCrowded = false;
    let k = 0;
    for (const [n, { begin, end }] of this.#ranges.entries()) {
      const [rest, renewed, known, others] = arrays.slice(ARRAYS * n, ARRAYS * (n + 1));
      if (rest && renewed) {
        store.vectors(common.REST).set(rest, 4 * begin);
        store.floats(common.RENEWED_AT, store.count).set(renewed, begin);
        store.integers(common.DEFICIENT_OF, store.count).fill(0, begin, end);
      }
      const own = known && new Uint32Array(known.slice().buffer);
      const numbers = others && new Uint32Array(others.slice().buffer);
      let from = 0;
      for (let i = begin; i < end; i++, k++) {
        const count = own ? own[i - begin]! : begins[i + 1]! - begins[i]!;
        const list = numbers
          ? numbers.subarray(from, from + count).map((j) => j + begin)
          : present.subarray(begins[i]!, begins[i]! + Math.min(count, LIST_ROOM));
        if (count > layout.RENEWAL_ROOM) isCrowded = true;
        counts[k] = list.length;
        lists.set(list, LIST_ROOM * k);
        from += count;
      }
    }
    this.#place();
    const offsets = store.floats(common.OFFSETS, 4 * store.pairCapacity);
    for (const [n, { begin, end }] of this.#ranges.entries()) {
      offsets.fill(0, 4 * begins[begin]!, 4 * begins[end]!);
      offsets.set(arrays[ARRAYS * (n + 1) - 1] ?? [], 4 * begins[begin]!);
    }
    this.#weigh();
    if (isCrowded) this.renew();
  }

  /** Chains the hash of what has changed. */
  hash(seed: bigint): bigint {
    const { helpers } = this.engine;
    const store = this.#store;
    const begins = store.integers(common.NEIGHBOR_BEGIN, store.count + 1);
    return this.#ranges.reduce((hash, { begin, end }) => {
      const positions = helpers.hashWords(store.address(common.REST) + 16 * begin, 4 * (end - begin), hash);
      const first = store.address(common.NEIGHBORS) + 4 * begins[begin]!;
      const pairs = begins[end]! - begins[begin]!;
      const neighbors = helpers.hashWords(first, pairs, positions);
      return helpers.hashWords(store.address(common.OFFSETS) + 16 * begins[begin]!, 4 * pairs, neighbors);
    }, seed);
  }
}
