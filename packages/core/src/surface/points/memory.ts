/** The point surface in the engine's memory while it is updated; nothing of it stays there. */
import { Context } from '../../memory/context.js';
import type { Engine, PassName } from '../../memory/engine.js';
import * as layout from '../../particles/points-layout.js';
import type { PointCloud } from './cloud.js';

/** Arrays behind slots, with their numbers per surfel. */
const BY_FOUR = [layout.POSITIONS, layout.NORMALS, layout.NEXT_POSITIONS, layout.NEXT_NORMALS, layout.CORNERS] as const;
const BY_ONE = [
  layout.MOVED,
  layout.SHARE,
  layout.AREAS,
  layout.GAPS,
  layout.STATES,
  layout.NEXT_STATES,
  layout.STAYS,
] as const;

export class PointMemory extends Context {
  readonly #particles: number;
  #surfelMark = 0;
  #count = 0;
  #reserved = 0;

  constructor(engine: Engine, particles: number) {
    super(engine, layout.CONTEXT_SIZE);
    this.#particles = particles;
  }

  write(slot: number, values: Float32Array | Uint32Array): void {
    const at = this.allocate(slot, 4 * values.length);
    const { arena } = this.engine;
    if (values instanceof Uint32Array) arena.u32(at, values.length).set(values);
    else arena.f32(at, values.length).set(values);
  }

  /** A grid over positions, quadruples, with cells as wide as `reach`. */
  buildGrid(slot: number, positions: Float32Array, reach: number): void {
    const grid = new Context(this.engine, layout.GRID_SIZE);
    this.setInteger(slot, grid.context);
    const count = positions.length / 4;
    let buckets = 16;
    while (buckets < count) buckets *= 2;
    const { arena } = this.engine;
    const at = grid.allocate(layout.GRID_POINTS, 16 * count);
    arena.f32(at, positions.length).set(positions);
    grid.setInteger(layout.GRID_COUNT, count);
    grid.setFloat(layout.GRID_CELLS, 1 / reach);
    grid.setInteger(layout.GRID_MASK, buckets - 1);
    grid.allocate(layout.GRID_STARTS, 4 * (buckets + 2));
    grid.allocate(layout.GRID_SORTED, 16 * count);
    grid.allocate(layout.GRID_BUCKETS, 4 * count);
    this.engine.runSerial('buildPointGrid', grid.context);
  }

  /** Everything about particles is there; what comes now is given back by the next `load`. */
  beginSurfels(): void {
    this.#surfelMark = this.engine.arena.mark();
  }

  /** Writes the surfels, and a grid over them for searches up to `reach`. */
  load(cloud: PointCloud, active: Uint32Array, reach: number): void {
    this.engine.arena.release(this.#surfelMark);
    this.#count = cloud.count;
    for (const slot of BY_FOUR) this.allocate(slot, 16 * cloud.count);
    for (const slot of BY_ONE) this.allocate(slot, 4 * cloud.count);
    this.floats(layout.POSITIONS, 4 * cloud.count).set(cloud.positions);
    this.floats(layout.NORMALS, 4 * cloud.count).set(cloud.normals);
    this.floats(layout.SHARE, cloud.count).set(cloud.shares);
    this.floats(layout.AREAS, cloud.count).set(cloud.areas);
    this.integers(layout.STATES, cloud.count).set(cloud.states);
    this.write(layout.SURFEL_LABELS, cloud.labels);
    this.write(layout.ACTIVE, active);
    this.#reserved = 0;
    this.reserve(Math.max(cloud.count, this.#particles));
    this.buildGrid(layout.SURFEL_GRID, cloud.positions, reach);
  }

  /** Room for passes over so many things. */
  reserve(count: number): void {
    if (count <= this.#reserved) return;
    this.#reserved = count;
    this.allocate(layout.SCRATCH, layout.SCRATCH_BYTES * (Math.ceil(count / layout.GRAIN) + 1));
  }

  run(pass: PassName, count: number): void {
    if (count > 0) this.engine.run(pass, count, this.context, layout.GRAIN);
  }

  /** A number, or four, per surfel. */
  numbers(slot: number, per: 1 | 4 = 1): Float32Array {
    return this.floats(slot, per * this.#count);
  }

  /** Before or after a step. */
  states(slot: typeof layout.STATES | typeof layout.NEXT_STATES): Uint32Array {
    return this.integers(slot, this.#count);
  }
}
