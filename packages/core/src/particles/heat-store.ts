import { Context } from '../memory/context.js';
import type { Engine, PassName } from '../memory/engine.js';
import { HEAT } from './array-places.js';
import * as layout from './heat-layout.js';
import { BLOCK, BUCKET_BEGIN, BUCKET_MASK, CELL_KEYS, CELL_SIZE, POINT_COUNT, POINTS, SORTED } from './layout.js';

/** Lists that are too short are made this much longer than needed. */
const MARGIN = 1.2;

/** The particles of a world as heat sees them, in the engine's memory: see heat-layout.ts. */
export class HeatStore extends Context {
  readonly count: number;
  readonly solidCount: number;
  #pairCapacity = 0;

  constructor(engine: Engine, solidCount: number, liquidCount: number) {
    super(engine, layout.CONTEXT_SIZE);
    const count = solidCount + liquidCount;
    this.count = count;
    this.solidCount = solidCount;
    for (const { slot, bytes } of HEAT.particle) this.allocate(slot, bytes * count);
    this.allocate(layout.PAIR_BEGIN, 4 * (count + 1));
    this.allocate(layout.REST_BEGIN, 4 * (solidCount + 1));
    this.allocate(layout.BLOCK_SUMS, 8 * layout.SUMS * this.blocks);
    this.setInteger(layout.COUNT, count);
    this.setInteger(layout.SOLID_COUNT, solidCount);
    this.setInteger(POINTS, this.address(layout.POSITION));
  }

  get blocks(): number {
    return Math.ceil(this.count / BLOCK);
  }

  /** Pairs that exchange heat; each counts twice. */
  get pairs(): number {
    return this.integers(layout.PAIR_BEGIN, this.count + 1)[this.count]!;
  }

  doubles(slot: number): Float64Array {
    return this.engine.arena.f64(this.address(slot), this.count);
  }

  setDouble(slot: number, value: number): void {
    this.engine.arena.f64(this.context + slot, 1)[0] = value;
  }

  setVector(slot: number, values: readonly number[]): void {
    this.engine.arena.f32(this.context + slot, values.length).set(values);
  }

  /** The grid that touching particles are found by. */
  allocateGrid(cell: number): void {
    let buckets = 16;
    while (buckets < this.count) buckets *= 2;
    this.setInteger(BUCKET_MASK, buckets - 1);
    this.allocate(BUCKET_BEGIN, 4 * (buckets + 1));
    this.allocate(SORTED, 4 * this.count);
    this.allocate(CELL_KEYS, 8 * this.count);
    this.setFloat(CELL_SIZE, cell);
  }

  /** Finds all pairs; without `touching` only those within bodies, whose grid stays empty. */
  findPairs(touching: boolean): void {
    const { engine, context } = this;
    if (touching) {
      this.setInteger(POINT_COUNT, this.count);
      this.run('computeCellKeys');
      engine.runSerial('sortByCell', context);
    }
    this.run('measureHeatPairs');
    engine.runSerial('sumHeatPairs', context);
    if (this.pairs > this.#pairCapacity || this.#pairCapacity === 0) {
      this.#pairCapacity = Math.ceil((this.#pairCapacity === 0 ? 1 : MARGIN) * this.pairs);
      this.replace(layout.PAIRS, layout.PAIR_STRIDE * this.#pairCapacity);
    }
    this.run('fillHeatPairs');
  }

  /** Sum over the blocks of one of their partial sums, and the largest of them; NaN if one of them is. */
  blockSum(slot: number): number {
    const sums = this.#sums();
    let total = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) total += sums[k]!;
    return total;
  }

  blockLargest(slot: number, blocks = this.blocks): number {
    const sums = this.#sums();
    let largest = 0;
    for (let k = slot; k < layout.SUMS * blocks; k += layout.SUMS) if (!(sums[k]! <= largest)) largest = sums[k]!;
    return largest;
  }

  #sums(): Float64Array {
    return this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
  }

  /** Runs a pass on all particles. */
  run(pass: PassName, count: number = this.count): void {
    if (count > 0) this.engine.run(pass, count, this.context);
  }
}
