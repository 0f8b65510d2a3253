import { IDENTITY, multiply, transpose } from '../../math/matrix3.js';
import type { ConstraintOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';
import { maskOf } from '../constraints/constraints.js';
import { Motion } from '../motion.js';

/** Constraints have a bit each. */
export const MOST_CONSTRAINTS = 32;

/** A constraint on particles that were in its region at time 0, whose bit they and what they split into carry. */
export interface FlowConstraint {
  readonly options: ConstraintOptions;
  /** Centre of mass of the region at time 0 [m], and its mass [kg]. */
  readonly pivot: Vec3;
  readonly mass: number;
}

/** `fix`, `move` and `force` on bodies that flow: velocities are prescribed, so there is no rest shape to go by. */
export class FlowConstraints {
  readonly #store: EmbeddingStore;
  readonly #list: readonly (FlowConstraint & { motion: Motion; mask: number })[];

  constructor(store: EmbeddingStore, list: readonly FlowConstraint[]) {
    this.#store = store;
    this.#list = list.map((constraint) => {
      const { options } = constraint;
      return { ...constraint, motion: new Motion(options.move), mask: maskOf(options) };
    });
    store.setInteger(layout.CONSTRAINT_COUNT, list.length);
  }

  get empty(): boolean {
    return this.#list.length === 0;
  }

  /** Times at which a constraint begins, ends or turns a corner. */
  get corners(): number[] {
    return this.#list.flatMap(({ options, motion }) => [options.start, options.end, ...motion.corners]);
  }

  /** Writes the table for the step from `time` to `time + dt`. */
  write(time: number, dt: number): void {
    const table = this.#store.address(layout.CONSTRAINTS);
    const { arena } = this.#store.engine;
    for (const [c, { options, motion, mask, pivot, mass }] of this.#list.entries()) {
      const at = table + c * layout.CONSTRAINT_STRIDE;
      const floats = arena.f32(at, layout.CONSTRAINT_STRIDE / 4);
      const active = time >= options.start && time < options.end;
      arena.u32(at, 1)[0] = active ? mask : 0;
      const acceleration = active ? options.force.map((f) => f / mass) : [0, 0, 0];
      floats.set(acceleration, layout.CONSTRAINT_ACCELERATION / 4);
      const now = motion.pose(time);
      const next = motion.pose(time + dt);
      const turn = multiply(next.rotation, transpose(now.rotation));
      for (let r = 0; r < 3; r++) {
        for (let k = 0; k < 3; k++) {
          floats[layout.CONSTRAINT_TURN / 4 + 4 * r + k] = turn[3 * r + k]! - IDENTITY[3 * r + k]!;
        }
        floats[layout.CONSTRAINT_PIVOT / 4 + r] = pivot[r]! + now.origin[r]!;
        floats[layout.CONSTRAINT_SHIFT / 4 + r] = next.origin[r]! - now.origin[r]!;
      }
    }
  }
}
