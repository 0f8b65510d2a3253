/** Fields at points: what formulas of options give there, checked by the declarations of what they are for. */

import type { Vec3 } from '../math/matrix3.js';
import { describeRange, inRange, type NumberDeclaration } from './declare.js';
import { OptionError } from './errors.js';
import { type Evaluate, parseExpression } from './expression.js';
import { FieldError, quoteValue, vectorField } from './field.js';
import type { FieldNumber, FieldVector } from './types.js';

const CURE = 'limit it, as by clamp(..., low, high)';

/** A field whose values keep to a declaration; `path` is how messages call it. */
export function checkedField(field: FieldNumber, declaration: NumberDeclaration, path: string): Evaluate {
  if (typeof field === 'number') return () => field;
  const { evaluate } = parseExpression(field);
  const rule = `must be a finite number ${describeRange(declaration)}`.trimEnd();
  return (x, y, z, t) => {
    const value = evaluate(x, y, z, t);
    // What float32 cannot hold counts as zero.
    if (Number.isFinite(value) && inRange(Math.fround(value), declaration)) return value;
    throw new OptionError([{ path, message: `${rule} everywhere, ${quoteValue(field, value, x, y, z, t)}: ${CURE}` }]);
  };
}

/** A vector whose values are finite. */
export function checkedVector(field: FieldVector, path: string): (at: Vec3, t?: number) => Vec3 {
  const evaluate = vectorField(field);
  return (at, t = 0) => {
    try {
      return evaluate(at, t);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new OptionError([{ path, message: `must be finite everywhere, ${error.message}: ${CURE}` }], {
        cause: error,
      });
    }
  };
}
