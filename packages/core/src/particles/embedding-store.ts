import { Context } from '../memory/context.js';
import type { Engine, PassName } from '../memory/engine.js';
import * as layout from './embedding-layout.js';
import * as common from './layout.js';

/** The state, with bytes per particle; what a save holds and the state hash reads. */
const STATE: readonly (readonly [slot: number, bytes: number])[] = [
  [layout.POSITION, 16],
  [layout.REMAINDER, 16],
  [common.VELOCITY, 16],
  [common.ACCELERATION, 16],
  [layout.EMBEDDED, 16],
  [common.PLASTIC, 48],
  [common.BODY_OF, 4],
  [layout.ID, 4],
  [layout.ANCESTOR, 4],
  [layout.CONSTRAINED, 4],
  [layout.LASTING, 4],
  [layout.NEIGHBOR_COUNT, 4],
];

/** What follows from the state, or is needed for a moment. */
const MADE: readonly (readonly [slot: number, bytes: number])[] = [
  [common.ELASTIC, 16],
  [common.PLASTIC_LAW, 16],
  [common.FLUX, 48],
  [common.MOMENT_INVERSE, 48],
  [common.CELL_KEYS, 8],
  [common.SORTED, 4],
  [layout.VISCOSITY, 4],
  [layout.SPACING, 4],
  [layout.WEIGHTS, 4 * layout.CAPACITY],
  [layout.REVERSE, 4 * layout.CAPACITY],
  [layout.PAIRS, 16 * layout.CAPACITY],
  [layout.OTHER_PAIRS, 16 * layout.CAPACITY],
  [layout.OTHER_COUNT, 4],
  [layout.ORIGIN, 4],
  [layout.SHIFT, 16],
  [layout.CUT, 4],
  [layout.SOLUTION, 16],
  [layout.RESIDUAL, 16],
  [layout.DIRECTION, 16],
  [layout.PRODUCT, 16],
  [layout.DIAGONAL, 4],
];

/** Arrays that resampling carries over by particle, apart from the neighbours. */
export const CARRIED: readonly (readonly [slot: number, bytes: number])[] = [
  ...STATE.filter(([slot]) => slot !== layout.NEIGHBOR_COUNT),
  [common.ELASTIC, 16],
  [common.PLASTIC_LAW, 16],
  [layout.VISCOSITY, 4],
  [layout.SPACING, 4],
];

/** Per-block numbers. */
const BLOCKS = [
  common.BLOCK_SPEED,
  common.BLOCK_FREQUENCY,
  layout.BLOCK_STRAIN,
  layout.BLOCK_FLOWED,
  layout.BLOCK_RATE,
] as const;

/** The particles of all bodies that flow, in the engine's memory: [0, count) are in the world. */
export class EmbeddingStore extends Context {
  /** Particles that there is place for. */
  readonly capacity: number;
  /** Of the search grid. */
  buckets = 1;
  #count = 0;

  constructor(engine: Engine, capacity: number, bodies: number) {
    super(engine, layout.CONTEXT_SIZE);
    this.capacity = capacity;
    for (const [slot, bytes] of [...STATE, ...MADE]) this.allocate(slot, bytes * capacity);
    this.setInteger(common.POINTS, this.address(layout.EMBEDDED));
    // What resampling goes by is needed only until neighbours are linked anew.
    this.setInteger(layout.SAMPLING, this.address(layout.REVERSE));
    const blocks = Math.ceil(capacity / common.BLOCK);
    for (const slot of BLOCKS) this.allocate(slot, 4 * blocks);
    this.allocate(common.BLOCK_SUMS, 8 * common.SUMS * blocks);
    this.allocate(common.BODIES, common.BODY_STRIDE * bodies);
    while (this.buckets < capacity) this.buckets *= 2;
    this.allocate(common.BUCKET_BEGIN, 4 * (this.buckets + 2));
    this.setInteger(common.BUCKET_MASK, this.buckets - 1);
    const origins = this.integers(layout.ORIGIN, capacity);
    for (let i = 0; i < capacity; i++) origins[i] = i;
  }

  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    this.setInteger(layout.COUNT, count);
    this.setInteger(common.POINT_COUNT, count);
  }

  get blocks(): number {
    return Math.ceil(this.#count / common.BLOCK);
  }

  /** Neighbour relations; each pair counts twice. */
  get pairs(): number {
    return this.integers(layout.NEIGHBOR_COUNT, this.#count).reduce((sum, n) => sum + n, 0);
  }

  vectors(slot: number): Float32Array {
    return this.floats(slot, 4 * this.#count);
  }

  bodyFloats(body: number): Float32Array {
    return this.engine.arena.f32(this.address(common.BODIES) + body * common.BODY_STRIDE, common.BODY_STRIDE / 4);
  }

  setVector(slot: number, values: readonly number[]): void {
    this.engine.arena.f32(this.context + slot, values.length).set(values);
  }

  /** Is the array with a number among those of the state that of the particles' bodies? */
  static holdsBodies(array: number): boolean {
    return STATE[array]?.[0] === common.BODY_OF;
  }

  /** Views on what the state is made of; the rest vectors come last. */
  state(): Float32Array[] {
    const arrays = STATE.map(([slot, bytes]) => this.floats(slot, (bytes / 4) * this.#count));
    return [...arrays, this.floats(layout.PAIRS, 4 * layout.CAPACITY * this.#count)];
  }

  /** Clears what is behind the last neighbour of every list, so that equal states have equal bits. */
  clearUnused(): void {
    const counts = this.integers(layout.NEIGHBOR_COUNT, this.#count);
    const pairs = this.floats(layout.PAIRS, 4 * layout.CAPACITY * this.#count);
    for (let i = 0; i < this.#count; i++) {
      pairs.fill(0, 4 * (layout.CAPACITY * i + counts[i]!), 4 * layout.CAPACITY * (i + 1));
    }
  }

  /** Chains the hash of the state. */
  hash(seed: bigint): bigint {
    this.clearUnused();
    const { helpers } = this.engine;
    return this.state().reduce((hash, array) => helpers.hashWords(array.byteOffset, array.length, hash), seed);
  }

  /** Exchanges the neighbour lists with those that have just been made. */
  swapLists(): void {
    for (const [a, b] of [
      [layout.PAIRS, layout.OTHER_PAIRS],
      [layout.NEIGHBOR_COUNT, layout.OTHER_COUNT],
    ] as const) {
      const other = this.address(b);
      this.setInteger(b, this.address(a));
      this.setInteger(a, other);
    }
  }

  /** Sum over the blocks of one of their partial sums. */
  blockSum(slot: number): number {
    const sums = this.engine.arena.f64(this.address(common.BLOCK_SUMS), common.SUMS * this.blocks);
    let total = 0;
    for (let k = slot; k < sums.length; k += common.SUMS) total += sums[k]!;
    return total;
  }

  /** Largest of the blocks' values behind a slot; NaN if one of them is. */
  blockLargest(slot: number): number {
    return this.engine.helpers.largest(this.address(slot), this.blocks);
  }

  /** Sum of the blocks' values behind a slot. */
  blockTotal(slot: number): number {
    return this.floats(slot, this.blocks).reduce((sum, value) => sum + value, 0);
  }

  /** Runs a pass on all particles. */
  run(pass: PassName): void {
    if (this.#count > 0) this.engine.run(pass, this.#count, this.context);
  }
}
