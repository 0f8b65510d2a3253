import type { Matrix3 } from '../../math/matrix3.js';
import { parseExpression } from '../../options/expression.js';
import { vectorField } from '../../options/field.js';
import type { ConstraintOptions, Vec3 } from '../../options/types.js';

/** Step of the differences that a gradient is found by [m], as a share of one and of the position. */
const STEP = 1e-5;

/** A displacement that is prescribed by the positions at time 0 and the time. */
export interface DisplacementField {
  /** Does it not depend on the time? */
  readonly still: boolean;
  at(position: Vec3, time: number): Vec3;
  /** d_a,b in row a and column b. */
  gradient(position: Vec3, time: number): Matrix3;
}

/** Components that are not named are zero. */
export function displacementField(named: NonNullable<ConstraintOptions['displacement']>): DisplacementField {
  const field = [named.x ?? 0, named.y ?? 0, named.z ?? 0] as const;
  const at = vectorField(field);
  return {
    still: field.every((part) => typeof part === 'number' || !parseExpression(part).uses.has('t')),
    at,
    gradient(position, time) {
      const rows = new Array<number>(9).fill(0);
      for (let b = 0; b < 3; b++) {
        const step = STEP * Math.max(1e-3, Math.abs(position[b]!));
        const beside = (offset: number) => at(position.with(b, position[b]! + offset) as unknown as Vec3, time);
        const [before, after] = [beside(-step), beside(step)];
        for (let a = 0; a < 3; a++) rows[3 * a + b] = (after[a]! - before[a]!) / (2 * step);
      }
      return rows as unknown as Matrix3;
    },
  };
}
