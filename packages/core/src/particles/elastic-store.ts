import { Context } from '../memory/context.js';
import type { PassName } from '../memory/engine.js';
import { ELASTIC } from './array-places.js';
import * as layout from './elastic-layout.js';
import type { FluidStore } from './fluid-store.js';
import { BLOCK, BODY_STRIDE, INDEX_TAG } from './layout.js';

/** Arrays by ID that are the state. */
const STATE = ELASTIC.state;

/** Positions in a list of bonds at first; a lattice has 26. */
const CAPACITY = 40;
/** Lists that are too short are made this much longer than needed. */
const MARGIN = 1.1;

/** What is elastic in liquids, in the engine's memory, by the IDs of their particles. */
export class ElasticStore extends Context {
  readonly capacity: number;
  readonly #fluid: FluidStore;
  #capacity = CAPACITY;

  constructor(fluid: FluidStore, liquids: number) {
    super(fluid.engine, layout.CONTEXT_SIZE);
    this.#fluid = fluid;
    this.capacity = fluid.capacity;
    this.setInteger(layout.LIQUID_CONTEXT, fluid.context);
    this.setInteger(layout.CAPACITY, this.capacity);
    for (const { slot, bytes } of ELASTIC.particle) {
      const at = this.allocate(slot, bytes * this.capacity);
      this.engine.arena.u32(at, (bytes / 4) * this.capacity).fill(0);
    }
    this.integers(layout.SOLID, this.capacity).fill(layout.IS_ABSENT);
    this.allocate(layout.BONDS, 16 * this.#capacity * this.capacity);
    this.#setCapacity(this.#capacity);
    this.allocate(layout.BLOCK_FREQUENCY, 4 * this.blocks);
    this.allocate(layout.BLOCK_SUMS, 8 * layout.SUMS * this.blocks);
    this.allocate(layout.SCRATCH, layout.SCRATCH_SIZE * this.blocks);
    const rows = this.allocate(layout.LIQUIDS, BODY_STRIDE * liquids);
    this.engine.arena.u32(rows, (BODY_STRIDE / 4) * liquids).fill(0);
  }

  get blocks(): number {
    return Math.ceil(this.capacity / BLOCK);
  }

  /** Row of a liquid. */
  rowFloats(k: number): Float32Array {
    return this.engine.arena.f32(this.address(layout.LIQUIDS) + k * BODY_STRIDE, BODY_STRIDE / 4);
  }

  rowIntegers(k: number): Uint32Array {
    return this.engine.arena.u32(this.address(layout.LIQUIDS) + k * BODY_STRIDE, BODY_STRIDE / 4);
  }

  /** Runs a pass on all IDs. */
  run(pass: PassName): void {
    if (this.capacity > 0) this.engine.run(pass, this.capacity, this.context);
  }

  /** Copies an array of the liquid, of four bytes each and sorted, to one of these or back. */
  keep(slot: number, fluidSlot: number): void {
    const { count } = this.#fluid;
    this.floats(slot, count).set(this.#fluid.floats(fluidSlot, count));
  }

  giveBack(slot: number, fluidSlot: number): void {
    const { count } = this.#fluid;
    this.#fluid.floats(fluidSlot, count).set(this.floats(slot, count));
  }

  /** Runs a pass on the sorted particles. */
  runSorted(pass: PassName): void {
    if (this.#fluid.count > 0) this.engine.run(pass, this.#fluid.count, this.context);
  }

  #sums(): Float64Array {
    return this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
  }

  blockSum(slot: number, blocks: number = this.blocks): number {
    const sums = this.#sums();
    let total = 0;
    for (let k = slot; k < layout.SUMS * blocks; k += layout.SUMS) total += sums[k]!;
    return total;
  }

  blockLargest(slot: number): number {
    const sums = this.#sums();
    let largest = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) largest = Math.max(largest, sums[k]!);
    return largest;
  }

  /** Makes room for lists of so many bonds. */
  reserve(bonds: number): void {
    if (bonds <= this.#capacity) return;
    const { arena } = this.engine;
    const before = this.address(layout.BONDS);
    const capacity = Math.ceil(MARGIN * bonds);
    for (const slot of [layout.BOND_GRADIENT, layout.BOND_WEIGHT, layout.LOOKUP]) this.free(slot);
    const after = arena.allocateInGap(16 * capacity * this.capacity);
    this.setInteger(layout.BONDS, after);
    for (let id = 0; id < this.capacity; id++) {
      const from = arena.u32(before + 16 * this.#capacity * id, 4 * this.#capacity);
      arena.u32(after + 16 * capacity * id, 4 * this.#capacity).set(from);
    }
    arena.giveBack(before);
    this.#setCapacity(capacity);
  }

  #setCapacity(capacity: number): void {
    this.#capacity = capacity;
    this.setInteger(layout.BOND_CAPACITY, capacity);
    this.replace(layout.BOND_GRADIENT, 16 * capacity * this.capacity);
    this.replace(layout.BOND_WEIGHT, 4 * capacity * this.capacity);
    // Half full at the most, so that what is asked for is found soon.
    const entries = 2 ** Math.ceil(Math.log2(2 * capacity));
    this.replace(layout.LOOKUP, 4 * entries * this.blocks);
    this.setInteger(layout.LOOKUP_SIZE, entries);
  }

  /** Copies of the arrays that are the state; bonds one list after the other. */
  stateArrays(): Float32Array[] {
    const arrays = STATE.map(({ slot, bytes }) => this.floats(slot, (bytes / 4) * this.capacity).slice());
    const counts = this.integers(layout.BOND_COUNT, this.capacity);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const bonds = new Float32Array(4 * total);
    let at = 0;
    for (let id = 0; id < this.capacity; id++) {
      bonds.set(this.#list(id, counts[id]!), at);
      at += 4 * counts[id]!;
    }
    return [...arrays, bonds];
  }

  setStateArrays(arrays: readonly Float32Array[]): void {
    // IDs that are new come last.
    for (const [k, { slot }] of STATE.entries()) this.floats(slot, arrays[k]!.length).set(arrays[k]!);
    const counts = this.integers(layout.BOND_COUNT, this.capacity);
    this.reserve(counts.reduce((most, count) => Math.max(most, count), 0));
    const bonds = arrays.at(-1)!;
    let at = 0;
    for (let id = 0; id < this.capacity; id++) {
      const count = this.integers(layout.BOND_COUNT, this.capacity)[id]!;
      this.#list(id, count).set(bonds.subarray(at, at + 4 * count));
      at += 4 * count;
    }
  }

  /** Gives a particle its bonds: IDs of the others and r_ij, xyz. */
  setBonds(id: number, others: Uint32Array, vectors: Float32Array): void {
    this.reserve(others.length);
    this.integers(layout.BOND_COUNT, this.capacity)[id] = others.length;
    const list = this.#list(id, others.length);
    const tags = this.engine.arena.u32(list.byteOffset, list.length);
    for (const [k, j] of others.entries()) {
      list.set(vectors.subarray(3 * k, 3 * k + 3), 4 * k);
      tags[4 * k + 3] = INDEX_TAG | j;
    }
  }

  /** Bonds of a particle: r_ij and the tagged number of j. */
  #list(id: number, count: number): Float32Array {
    return this.engine.arena.f32(this.address(layout.BONDS) + 16 * this.#capacity * id, 4 * count);
  }

  /** Chains the hash of the state. */
  hash(seed: bigint): bigint {
    const { helpers } = this.engine;
    let hash = seed;
    for (const { slot, bytes } of STATE) {
      hash = helpers.hashWords(this.address(slot), (bytes / 4) * this.capacity, hash);
    }
    const counts = this.integers(layout.BOND_COUNT, this.capacity);
    const bonds = this.address(layout.BONDS);
    for (let id = 0; id < this.capacity; id++) {
      if (counts[id]! > 0) hash = helpers.hashWords(bonds + 16 * this.#capacity * id, 4 * counts[id]!, hash);
    }
    return hash;
  }
}
