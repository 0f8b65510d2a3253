import type { Context } from '../../memory/context.js';
import { OptionError } from '../../options/errors.js';
import * as layout from '../../particles/prescription-layout.js';
import { Motion } from '../motion.js';
import { type ConstraintRecord, prescribedAxes } from './hold.js';

/** Constraints have a bit each. */
const MOST_CONSTRAINTS = 32;

/**
 * `fix`, `move` and `force` on particles whose positions are in world axes: velocities are prescribed, so there is no
 * rest shape to go by. A particle carries the bits of the constraints that have taken hold of it.
 */
export class Prescriptions {
  readonly #table: number;
  readonly #store: Context;
  readonly #list: readonly { record: ConstraintRecord; motion: Motion; axes: number }[];

  /** `slot` is where the context has the address of the table; constraints that have ended by `time` do not count. */
  constructor(store: Context, slot: number, all: readonly ConstraintRecord[], time: number) {
    const records = all.filter(({ options }) => options.end > time);
    if (records.length > MOST_CONSTRAINTS) {
      const message = `are at most ${MOST_CONSTRAINTS} at a time on liquids, melts and viscoplastic bodies, got ${records.length}`;
      throw new OptionError([{ path: 'constraints', message }]);
    }
    this.#store = store;
    this.#table = store.allocate(slot, layout.PRESCRIPTION_STRIDE * MOST_CONSTRAINTS);
    this.#list = records.map((record) => ({
      record,
      motion: new Motion(record.options.move),
      axes: prescribedAxes(record.options),
    }));
  }

  get empty(): boolean {
    return this.#list.length === 0;
  }

  /** Gives a constraint that begins a bit which no other one has now. */
  begin(record: ConstraintRecord): void {
    const taken = new Set(this.#list.map((entry) => entry.record.bit));
    record.bit = Array.from({ length: MOST_CONSTRAINTS }, (_, bit) => bit).find((bit) => !taken.has(bit))!;
  }

  /** Takes the bit of a constraint that has ended from all particles. */
  static letGo(constrained: Uint32Array, bit: number): void {
    for (let i = 0; i < constrained.length; i++) constrained[i]! &= ~(1 << bit);
  }

  /** Writes the table for the step from `time` to `time + dt`. */
  write(time: number, dt: number): void {
    const { arena } = this.#store.engine;
    for (const { record, motion, axes } of this.#list) {
      const { options, hold, bit } = record;
      if (bit === undefined) continue;
      const at = this.#table + bit * layout.PRESCRIPTION_STRIDE;
      const floats = arena.f32(at, layout.PRESCRIPTION_STRIDE / 4);
      const acts = hold !== undefined && time >= options.start && time < options.end;
      arena.u32(at + layout.PRESCRIPTION_AXES, 1)[0] = acts ? axes : 0;
      const acceleration = acts && hold.mass > 0 ? options.force.map((f) => f / hold.mass) : [0, 0, 0];
      floats.set(acceleration, layout.PRESCRIPTION_ACCELERATION / 4);
      if (!acts) continue;
      const { turn, moved, shift } = motion.step(options.start, time, dt);
      for (let r = 0; r < 3; r++) {
        for (let k = 0; k < 3; k++) {
          floats[layout.PRESCRIPTION_TURN / 4 + 4 * r + k] = turn[3 * r + k]!;
        }
        floats[layout.PRESCRIPTION_PIVOT / 4 + r] = hold.center[r]! + moved[r]!;
        floats[layout.PRESCRIPTION_SHIFT / 4 + r] = shift[r]!;
      }
    }
  }
}
