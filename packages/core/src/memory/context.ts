import type { Engine } from './engine.js';

/**
 * A context block in the engine's memory: a table of 4-byte slots that every pass gets the address of, with
 * addresses of arrays, counts and scalars.
 */
export class Context {
  readonly engine: Engine;
  /** Address of the block. */
  readonly context: number;

  constructor(engine: Engine, bytes: number) {
    this.engine = engine;
    this.context = engine.arena.allocate(bytes);
  }

  /** Gives a slot an array of its own. */
  allocate(slot: number, bytes: number): number {
    const at = this.engine.arena.allocate(Math.max(bytes, 16));
    this.setInteger(slot, at);
    return at;
  }

  /** Gives back the array of a slot, if it has one. */
  free(slot: number): void {
    this.engine.arena.giveBack(this.address(slot));
    this.setInteger(slot, 0);
  }

  /** Gives a slot another array in place of the one that it has; what that holds is lost. */
  replace(slot: number, bytes: number): number {
    this.free(slot);
    const at = this.engine.arena.allocateInGap(Math.max(bytes, 16));
    this.setInteger(slot, at);
    return at;
  }

  /** Address of the array behind a slot. */
  address(slot: number): number {
    return this.engine.arena.u32(this.context + slot, 1)[0]!;
  }

  setInteger(slot: number, value: number): void {
    this.engine.arena.u32(this.context + slot, 1)[0] = value;
  }

  setFloat(slot: number, value: number): void {
    this.engine.arena.f32(this.context + slot, 1)[0] = value;
  }

  /** Views on arrays behind slots; valid until the world is next changed or grown. */
  floats(slot: number, length: number): Float32Array {
    return this.engine.arena.f32(this.address(slot), length);
  }

  integers(slot: number, length: number): Uint32Array {
    return this.engine.arena.u32(this.address(slot), length);
  }

  /** Number of the first of the largest among some values behind a slot. */
  indexOfLargest(slot: number, length: number): number {
    const values = this.floats(slot, length);
    let at = 0;
    for (let k = 1; k < length; k++) if (values[k]! > values[at]!) at = k;
    return at;
  }
}
