import type { Matrix3 } from '../../math/matrix3.js';
import { add, transform, transpose } from '../../math/matrix3.js';
import { Context } from '../../memory/context.js';
import type { PassName } from '../../memory/engine.js';
import type { EmbeddingSolverOptions, Vec3 } from '../../options/types.js';
import { RENEWAL } from '../../particles/array-places.js';
import type { BodyRange, Resampled } from '../../particles/body-range.js';
import type { Frame } from '../../particles/frame.js';
import * as common from '../../particles/layout.js';
import * as layout from '../../particles/renewal-layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { type MovingPoint, momentaOf, motionTo } from '../momenta.js';
import type { RenewalEffort } from './renewal-effort.js';
import { type Counted, Resampling, type Sampling } from './resampling.js';

/**
 * Rest vectors are renewed when this share of the particles has flowed by a part of updateStrain, or one by so many
 * times that; every so many times neighbours are found anew.
 */
const MANY = 0.005;
const FAR = 4;
const ROUNDS = 4;
/** What yields below this share of updateStrain keeps too little elastic shape for that: neighbours are found anew at once. */
const FIRM = 1 / 16;
/** Of particles that merge and split until all are about equally heavy. */
const MOST_EVEN = 8;
/** Bodies whose spacings differ by more than this are sampled unevenly. */
const UNEVEN = 1.5;

/** What goes on from one layout of the memory to the next, and into a save: how often, and seven arrays by body. */
export interface RenewalState {
  readonly updates: number;
  readonly arrays: readonly Float32Array[];
}

/** Arrays of a body in the state, and positions for a list in RENEWAL_LISTS. */
const ARRAYS = 7;
const LIST_ROOM = 2 * layout.RENEWAL_ROOM;

const asFloats = (integers: Uint32Array) => new Float32Array(integers.buffer);
const asIntegers = (floats: Float32Array) => new Uint32Array(floats.slice().buffer);

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
 * of the deformation goes on in F_p^-1. Particles split and merge. Passes: assembly/solid/renewal.ts.
 */
export class Renewal extends Context {
  readonly #store: ParticleStore;
  readonly #ranges: readonly BodyRange[];
  readonly #options: EmbeddingSolverOptions;
  readonly #effort: RenewalEffort;
  /** How often rest vectors are renewed until neighbours are, and the strain that counts as having flowed [1]. */
  readonly #rounds: number;
  readonly #flowedBy: number;
  /** By slot: edge of the cell at the start [m], and weight of the stabilisation, see RENEWAL_BONDS. */
  readonly #spacings: Float32Array;
  readonly #bondShares: Float32Array;
  readonly #resampling: Resampling;
  /** Particles that there are. */
  count = 0;
  /** How often neighbours have been renewed. */
  updates = 0;
  /** Are told when rest positions are others, and which slots have merged or split. */
  readonly listeners: ((resampled: Resampled) => void)[] = [];

  /** `supports` and `bondShares` are those of all particles, as for buildNeighborhoods. */
  constructor(parts: {
    store: ParticleStore;
    ranges: readonly BodyRange[];
    bodies: readonly number[];
    options: EmbeddingSolverOptions;
    supports: Float32Array;
    bondShares: Float32Array;
    /** The largest at which a body yields [1]. */
    yieldStrain: number;
    effort: RenewalEffort;
  }) {
    const { store, ranges, bodies, options, supports } = parts;
    super(store.engine, layout.RENEWAL_CONTEXT_SIZE);
    this.#store = store;
    this.#ranges = bodies.map((b) => ranges[b]!);
    this.#options = options;
    this.#effort = parts.effort;
    this.#bondShares = parts.bondShares;
    const rest = store.vectors(common.REST);
    this.#spacings = Float32Array.from({ length: store.count }, (_, i) => 2 * rest[4 * i + 3]!);
    this.#allocate(supports);
    this.#rounds = parts.yieldStrain > FIRM * options.updateStrain ? ROUNDS : 1;
    this.#flowedBy = options.updateStrain / this.#rounds;
    this.setFloat(layout.RENEWAL_FLOWED_BY, this.#flowedBy);
    const extent = (values: Float32Array, { begin, end }: BodyRange) =>
      values.subarray(begin, end).reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, 0]);
    const sampled = this.#ranges.map((range, k) => {
      const [smallest, largest] = extent(this.#spacings, range);
      return { ...range, body: bodies[k]!, uneven: largest! > UNEVEN * smallest! };
    });
    const extents = this.#ranges.map((range) => extent(supports, range));
    const [smallest, largest] = [
      Math.min(...extents.map(([least]) => least!)),
      Math.max(...extents.map(([, most]) => most!)),
    ];
    this.setFloat(common.CELL_SIZE, largest);
    this.setInteger(layout.RENEWAL_LEVELS, levelsOf(largest / smallest));
    this.#resampling = new Resampling(store, sampled);
    this.#list();
    this.#run('measureFits');
    const stiffnesses = this.floats(layout.RENEWAL_CUT, this.count);
    const members = this.integers(layout.MEMBERS, this.count);
    const inverses = store.floats(common.MOMENT_INVERSE, 12 * store.count);
    const stiffest = new Map(sampled.map((own) => [own, 0]));
    for (const [k, i] of members.entries()) {
      const own = sampled.find(({ begin, end }) => i >= begin && i < end)!;
      stiffest.set(own, Math.max(stiffest.get(own)!, stiffnesses[k]!));
      inverses[12 * i + 11] = 1;
    }
    for (const [{ body }, stiffness] of stiffest) {
      store.bodyFloats(body)[common.BODY_STIFFEST_FIT / 4] = stiffness;
    }
    if (options.resampling) {
      this.#search();
      this.#run('measureSampling');
      this.#resampling.calibrate(this.#sampling());
    }
  }

  #allocate(supports: Float32Array): void {
    const store = this.#store;
    const capacity = this.#ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);
    for (const { slot, bytes } of RENEWAL.particle) this.allocate(slot, bytes * capacity);
    // Not needed at the same time.
    for (const slot of [layout.RENEWAL_ARRANGED, layout.SAMPLING]) {
      this.setInteger(slot, this.address(layout.RENEWAL_OFFSETS));
    }
    const blocks = Math.ceil(capacity / common.BLOCK);
    for (const slot of [layout.BLOCK_STRAIN, layout.BLOCK_FLOWED]) this.allocate(slot, 4 * blocks);
    this.allocate(layout.BLOCK_SCRATCH, 8 * common.SUMS * blocks);
    let buckets = 16;
    while (buckets < capacity) buckets *= 2;
    this.setInteger(common.BUCKET_MASK, buckets - 1);
    this.allocate(common.BUCKET_BEGIN, 4 * (buckets + 2));
    this.allocate(common.SORTED, 4 * capacity);
    this.allocate(common.CELL_KEYS, 8 * capacity);
    this.allocate(layout.RENEWAL_ORIGIN, 4 * store.count);
    // All particles are where their neighbours were found.
    const origins = this.integers(layout.RENEWAL_ORIGIN, store.count);
    for (let i = 0; i < origins.length; i++) origins[i] = i;
    this.setInteger(layout.SOLIDS, store.context);
    for (const [slot, length] of [
      [common.OFFSETS, 4 * store.pairCapacity],
      [common.FIRST_MOMENT, 12 * store.count],
      [common.RENEWED_AT, store.count],
    ] as const) {
      store.allocate(slot, 4 * length);
      store.floats(slot, length).fill(0);
    }
    // The weights are those of the mean of two supports, now as at the start.
    store.allocate(common.SUPPORTS, 4 * store.count);
    store.floats(common.SUPPORTS, store.count).set(supports);
  }

  /** Lists the particles that there are. */
  #list(): void {
    const store = this.#store;
    const { ancestors } = this.#resampling;
    const slots = this.#resampling.present();
    this.count = slots.length;
    this.setInteger(common.POINT_COUNT, this.count);
    this.integers(layout.MEMBERS, this.count).set(slots);
    const [rest, u] = [store.vectors(common.REST), store.vectors(common.DISPLACEMENT)];
    const supports = store.floats(common.SUPPORTS, store.count);
    const places = this.floats(layout.RENEWAL_PLACES, 4 * this.count);
    const bonds = this.floats(layout.RENEWAL_BONDS, this.count);
    const volumes = this.floats(layout.RENEWAL_VOLUME, this.count);
    const spacings = this.floats(layout.RENEWAL_SPACING, this.count);
    for (const [k, i] of slots.entries()) {
      for (let a = 0; a < 3; a++) places[4 * k + a] = rest[4 * i + a]! + u[4 * i + a]!;
      places[4 * k + 3] = supports[i]!;
      bonds[k] = this.#bondShares[ancestors[i]!]!;
      volumes[k] = this.#resampling.volumeOf(i);
      spacings[k] = this.#spacings[ancestors[i]!]!;
    }
  }

  #run(pass: PassName): void {
    this.engine.run(pass, this.count, this.context);
  }

  /** The slot of the particle of the start that each came from, by its own slot. */
  ancestors(): Map<number, number> {
    const { ancestors } = this.#resampling;
    return new Map(Array.from(this.#resampling.present(), (i) => [i, ancestors[i]!]));
  }

  /** At the end of a step: new rest vectors, and new neighbours, where they are due. */
  follow(): void {
    this.#run('measureFlow');
    const blocks = Math.ceil(this.count / common.BLOCK);
    const far = this.engine.helpers.largest(this.address(layout.BLOCK_STRAIN), blocks) > FAR * this.#flowedBy;
    const flowed = this.floats(layout.BLOCK_FLOWED, blocks).reduce((sum, value) => sum + value, 0);
    if (far || flowed > MANY * this.count) this.renew(this.updates % this.#rounds === 0);
  }

  /** Rest vectors take over what has flowed; with new neighbours, if these are looked for. */
  renew(search = true): void {
    this.#renew(search, this.#options.resampling ? (sampling) => this.#resampling.resample(sampling) : undefined);
  }

  #renew(search: boolean, sample: ((sampling: Sampling) => Counted) | undefined): Resampled {
    this.updates++;
    this.#effort.renewals++;
    // How much of the stabilisation has flowed by now.
    this.#store.run('fadeStabilisation');
    this.#run('noteStretches');
    this.#run('noteOffsets');
    this.#run('takeShape');
    let resampled: Resampled = { merges: [], splits: [] };
    if (search && this.#options.neighborUpdates) {
      this.#effort.searches++;
      this.#search();
      if (sample) resampled = this.#resample(sample);
    } else this.#run('keepNeighbors');
    this.#run('chooseOffsets');
    this.#place();
    this.#run('placeOffsets');
    this.#weigh();
    this.#run('keepStresses');
    for (const listen of this.listeners) listen(resampled);
    return resampled;
  }

  #search(): void {
    this.#run('computeRenewalCells');
    this.engine.runSerial('sortByCell', this.context);
    this.#run('arrangeMembers');
    this.#run('gatherCandidates');
    this.#run('chooseNeighbors');
  }

  #sampling(): Sampling {
    const numbers = (layout.SAMPLING_STRIDE / 4) * this.count;
    return {
      slots: this.integers(layout.MEMBERS, this.count).slice(),
      floats: this.floats(layout.SAMPLING, numbers),
      integers: this.integers(layout.SAMPLING, numbers),
    };
  }

  /** Particles split and merge by what their new neighbours are, and find others where they do. */
  #resample(sample: (sampling: Sampling) => Counted): Resampled {
    this.#run('measureSampling');
    const resampled = sample(this.#sampling());
    const { merges, splits, refused } = resampled;
    this.#effort.splits += splits.length;
    this.#effort.merges += merges.length;
    this.#effort.refused += refused;
    if (merges.length + splits.length === 0) return resampled;
    const origins = this.integers(layout.RENEWAL_ORIGIN, this.#store.count);
    for (const [i] of merges) origins[i]! |= layout.CHANGED;
    for (const [i, j] of splits) {
      origins[i]! |= layout.CHANGED;
      origins[j] = origins[i]!;
    }
    this.#list();
    this.#search();
    return resampled;
  }

  /** Makes the particles of a body about as heavy as they were at the start; momenta stay. */
  equalise(b: number, frame: Frame): void {
    const own = this.#resampling.bodies.find(({ body }) => body === b)!;
    const slots = () => this.#resampling.present();
    if (this.#resampling.isEven(slots(), own)) return;
    const before = momentaOf(this.#pointsOf(own, frame));
    this.#resampling.whileAllSplit(own, () => {
      for (let round = 0; round < MOST_EVEN && !this.#resampling.isEven(slots(), own); round++) {
        const { splits, merges } = this.#renew(true, (sampling) => this.#resampling.equalise(sampling, own));
        if (splits.length + merges.length === 0) break;
      }
    });
    // Two that merge lose their spin, and halves have one.
    const points = this.#pointsOf(own, frame);
    const change = motionTo(points, before);
    const v = this.#store.vectors(common.VELOCITY);
    const back = transpose(frame.rotation);
    for (const { i, at, velocity } of points) v.set(transform(back, add(velocity, change(at))), 4 * i);
  }

  #pointsOf({ begin, end }: BodyRange, { rotation, origin }: Frame): (MovingPoint & { readonly i: number })[] {
    const store = this.#store;
    const [rest, u, v] = [common.REST, common.DISPLACEMENT, common.VELOCITY].map((slot) => store.vectors(slot));
    const sums = store.vectors(common.GRADIENT_SUM);
    const read = (array: Float32Array, i: number): Vec3 => [array[4 * i]!, array[4 * i + 1]!, array[4 * i + 2]!];
    return Array.from(this.#resampling.present())
      .filter((i) => i >= begin && i < end)
      .map((i) => ({
        i,
        mass: 1 / sums[4 * i + 3]!,
        at: add(transform(rotation, add(read(rest!, i), read(u!, i))), origin),
        velocity: transform(rotation, read(v!, i)),
      }));
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
    const members = this.integers(layout.MEMBERS, this.count);
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
        if (members[k] === i) at += counts[k++]!;
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
    const arrays = this.#resampling.bodies.flatMap((range) => {
      const { begin, end } = range;
      const [inverseMasses, ancestors] = this.#resampling.save(range);
      return [
        inverseMasses,
        asFloats(ancestors),
        rest.slice(4 * begin, 4 * end),
        renewed.slice(begin, end),
        asFloats(Uint32Array.from({ length: end - begin }, (_, k) => begins[begin + k + 1]! - begins[begin + k]!)),
        asFloats(neighbors.slice(begins[begin]!, begins[end]!).map((j) => j - begin)),
        offsets.slice(4 * begins[begin]!, 4 * begins[end]!),
      ];
    });
    return { updates: this.updates, arrays };
  }

  /** Puts a state into a memory that has just been laid out; bodies that it does not know are as they begin. */
  restore({ updates, arrays }: RenewalState): void {
    if (updates === 0) return;
    this.updates = updates;
    const store = this.#store;
    const begins = store.integers(common.NEIGHBOR_BEGIN, store.count + 1);
    const present = store.integers(common.NEIGHBORS, store.pairCapacity);
    for (const [n, range] of this.#ranges.entries()) {
      const [inverseMasses, ancestors, rest, renewed] = arrays.slice(ARRAYS * n, ARRAYS * (n + 1));
      if (!inverseMasses || !ancestors || !rest || !renewed) continue;
      const { begin, end } = range;
      this.#resampling.restore(range, inverseMasses, asIntegers(ancestors));
      store.vectors(common.REST).set(rest, 4 * begin);
      store.floats(common.RENEWED_AT, store.count).set(renewed, begin);
      store.integers(common.DEFICIENT_OF, store.count).fill(0, begin, end);
    }
    this.#list();
    const members = this.integers(layout.MEMBERS, this.count);
    const counts = this.integers(layout.RENEWAL_COUNT, this.count);
    const lists = this.integers(layout.RENEWAL_LISTS, LIST_ROOM * this.count);
    let isCrowded = false;
    let k = 0;
    for (const [n, { begin, end }] of this.#ranges.entries()) {
      const [known, others] = arrays.slice(ARRAYS * n + 4, ARRAYS * n + 6).map(asIntegers);
      let from = 0;
      for (; k < this.count && members[k]! < end; k++) {
        const i = members[k]!;
        const count = known ? known[i - begin]! : begins[i + 1]! - begins[i]!;
        const list = others
          ? others.subarray(from, from + count).map((j) => j + begin)
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
      offsets.set(arrays[ARRAYS * n + 6] ?? [], 4 * begins[begin]!);
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
