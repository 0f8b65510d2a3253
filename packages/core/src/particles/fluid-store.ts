import { Context } from '../memory/context.js';
import type { Engine, PassName } from '../memory/engine.js';
import { FLUID } from './array-places.js';
import * as layout from './fluid-layout.js';
import { BLOCK } from './layout.js';

/** The arrays that are the state: they are sorted. */
const SORTED = FLUID.state;

/** Positions in a list of boundary neighbours at first. */
const CAPACITY = 64;
/** Pairs per particle that a block has place for at first. */
const PAIRS = 40;
/** Lists that are too short are made this much longer than needed. */
const MARGIN = 1.2;
/** Reading four at a time goes past the end by up to three, and a list has one entry more than particles. */
const PADDING = 4;
/** Cells of the grid per particle, at the most. */
const CELLS = 8;
const FEWEST_CELLS = 1 << 15;

/**
 * The particles of all liquids and of what bounds them, in the engine's memory. Liquid particles [0, count)
 * are in the world; their order changes with every sort.
 */
export class FluidStore extends Context {
  /** Liquid particles that there is place for. */
  readonly capacity: number;
  #boundaryCount = 0;
  readonly cellCapacity: number;
  #count = 0;
  /** Below zero before the first search, after which lists are made that are long enough. */
  #boundaryCapacity = -1;
  #pairCapacity = Math.max(PAIRS * BLOCK, layout.CANDIDATE_BYTES / 4);
  #pairs = 0;
  /** How far from a particle its neighbours stand in memory. */
  #reach = 0;

  constructor(engine: Engine, capacity: number, boundaryCapacity: number, liquids: number) {
    super(engine, layout.CONTEXT_SIZE);
    this.capacity = capacity;
    this.boundaryCount = boundaryCapacity;
    this.cellCapacity = Math.max(FEWEST_CELLS, CELLS * capacity);
    for (const { slot, bytes } of FLUID.particle) this.allocate(slot, bytes * (capacity + PADDING));
    for (const { slot, bytes } of SORTED) this.allocate(slot + layout.ALTERNATE, bytes * (capacity + PADDING));
    for (const { slot, bytes } of FLUID.boundary) {
      this.allocate(slot, bytes * (boundaryCapacity + PADDING));
    }
    this.allocate(layout.CELL_BEGIN, 4 * (this.cellCapacity + 2));
    this.allocate(layout.BOUNDARY_CELL_BEGIN, 4 * (this.cellCapacity + 2));
    this.allocate(layout.LIQUIDS, layout.LIQUID_STRIDE * liquids);
    this.allocate(layout.HALF_SPACE, 16 * layout.HALF_SPACE_ENTRIES);
    this.allocate(layout.ATTRACTION, 4 * layout.HALF_SPACE_ENTRIES);
    const blocks = Math.ceil(capacity / BLOCK);
    this.allocate(layout.BLOCK_SUMS, 8 * layout.SUMS * blocks);
    this.allocate(layout.BLOCK_SPEED, 4 * blocks);
    this.#writeOrders();
    this.#allocatePairs();
    this.#allocateBoundaryLists();
  }

  /** See findLiquidNeighbors. */
  #writeOrders(): void {
    const at = this.allocate(layout.ORDERS, 16 * 16);
    const words = this.engine.arena.u32(at, 4 * 16);
    for (let chosen = 0; chosen < 16; chosen++) {
      let slot = 4 * chosen;
      // Bytes 4 k to 4 k + 3, of which the first is the lowest of the word.
      for (let k = 0; k < 4; k++) if ((chosen >> k) & 1) words[slot++] = 0x03020100 + k * 0x04040404;
    }
  }

  #allocatePairs(): void {
    const pairs = this.#pairCapacity * Math.ceil(this.capacity / BLOCK);
    this.free(layout.NEIGHBORS);
    this.replace(layout.COEFFICIENTS, 4 * pairs);
    this.replace(layout.NEIGHBORS, 4 * pairs);
    this.setInteger(layout.PAIR_CAPACITY, this.#pairCapacity);
  }

  #allocateBoundaryLists(): void {
    const boundaryCapacity = this.boundaryCount > 0 ? Math.max(0, this.#boundaryCapacity) : 0;
    this.replace(layout.BOUNDARY_FOUND, 4 * boundaryCapacity * this.capacity);
    this.setInteger(layout.BOUNDARY_CAPACITY, boundaryCapacity);
  }

  /** Boundary particles; all that there is place for at first. */
  get boundaryCount(): number {
    return this.#boundaryCount;
  }

  set boundaryCount(count: number) {
    this.#boundaryCount = count;
    this.setInteger(layout.BOUNDARY_COUNT, count);
  }

  /** Liquid particles in the world. */
  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    this.setInteger(layout.COUNT, count);
  }

  get blocks(): number {
    return Math.ceil(this.#count / BLOCK);
  }

  /** Neighbour relations of liquid particles; each pair counts twice. */
  get pairs(): number {
    return this.#pairs;
  }

  setVector(slot: number, values: readonly number[]): void {
    this.engine.arena.f32(this.context + slot, values.length).set(values);
  }

  /** Sorts the liquid by the cells of the grid; what is in a sink leaves the world. Returns how many did. */
  sort(): number {
    const { engine, context } = this;
    this.run('computeLiquidCells');
    engine.runSerial('sortLiquid', context);
    this.run('arrangeLiquid');
    for (const { slot } of SORTED) {
      const other = this.address(slot + layout.ALTERNATE);
      this.setInteger(slot + layout.ALTERNATE, this.address(slot));
      this.setInteger(slot, other);
    }
    const [first, second, third] = this.integersAt(layout.GRID_FIRST, 3);
    const kept = this.integers(layout.CELL_BEGIN, this.cellCapacity + 2)[first! * second! * third!]!;
    const gone = this.#count - kept;
    this.count = kept;
    return gone;
  }

  /** Copies of the arrays that are the state, in the present order. */
  sortedArrays(): Float32Array[] {
    return SORTED.map(({ slot, bytes }) => this.floats(slot, (bytes / 4) * this.#count).slice());
  }

  setSortedArrays(arrays: readonly Float32Array[]): void {
    for (const [k, { slot, bytes }] of SORTED.entries()) this.floats(slot, (bytes / 4) * this.#count).set(arrays[k]!);
  }

  /** Chains the hash of the state. */
  hash(seed: bigint): bigint {
    return SORTED.reduce(
      (hash, { slot, bytes }) => this.engine.helpers.hashWords(this.address(slot), (bytes / 4) * this.#count, hash),
      seed,
    );
  }

  /** Takes out the particles that are not to be kept; the rest stay in order. Returns how many went. */
  keep(wanted: (i: number) => boolean): number {
    const kept: number[] = [];
    for (let i = 0; i < this.#count; i++) if (wanted(i)) kept.push(i);
    const gone = this.#count - kept.length;
    if (gone === 0) return 0;
    for (const { slot, bytes } of SORTED) {
      const width = bytes / 4;
      const array = this.floats(slot, width * this.#count);
      for (const [to, from] of kept.entries()) array.copyWithin(width * to, width * from, width * (from + 1));
    }
    this.count = kept.length;
    return gone;
  }

  sortBoundary(): void {
    if (this.boundaryCount === 0) return;
    this.run('computeBoundaryCells', this.boundaryCount);
    this.engine.runSerial('sortBoundary', this.context);
    this.run('arrangeBoundary', this.boundaryCount);
  }

  /** Finds all neighbours; lists that turn out too short are made longer and filled again. */
  findNeighbors(): void {
    for (;;) {
      this.run('findLiquidNeighbors');
      const needed = this.blockLargest(0);
      const boundaryNeeded = this.blockLargest(2);
      if (needed <= this.#pairCapacity && boundaryNeeded <= this.#boundaryCapacity) break;
      if (needed > this.#pairCapacity) {
        this.#pairCapacity = 4 * Math.ceil((MARGIN * needed) / 4);
        this.#allocatePairs();
      }
      if (boundaryNeeded > this.#boundaryCapacity) {
        this.#boundaryCapacity = Math.max(CAPACITY, Math.ceil(MARGIN * boundaryNeeded));
        this.#allocateBoundaryLists();
      }
    }
    this.#pairs = this.blockSum(1);
    const repeats = this.engine.arena.f32(this.context + layout.PERIOD, 3).some((length) => length > 0);
    this.#reach = repeats ? this.#count : this.blockLargest(3);
  }

  integersAt(slot: number, length: number): Uint32Array {
    return this.engine.arena.u32(this.context + slot, length);
  }

  /** Sum over the blocks of one of their partial sums. */
  blockSum(slot: number): number {
    const sums = this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
    let total = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) total += sums[k]!;
    return total;
  }

  blockLargest(slot: number): number {
    const sums = this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
    let largest = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) largest = Math.max(largest, sums[k]!);
    return largest;
  }

  /** Runs a pass on all liquid particles. */
  run(pass: PassName, count: number = this.#count): void {
    if (count > 0) this.engine.run(pass, count, this.context);
  }

  /** Runs two passes on all liquid particles, the second of which reads what the first has made of neighbours. */
  runWave(pass: PassName, second: PassName): void {
    if (this.#reach < this.#count) {
      this.engine.runWave(pass, second, this.#count, this.context, this.#reach);
    } else {
      this.run(pass);
      this.run(second);
    }
  }
}
