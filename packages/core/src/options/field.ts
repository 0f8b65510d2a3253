/** Values that may differ from point to point and in time: a number, or a formula of x, y, z [m] and t [s]. */

import type { Vec3 } from '../math/matrix3.js';
import { type Evaluate, parseExpression } from './expression.js';

export type FieldNumber = number | string;
export type FieldVector = readonly [x: FieldNumber, y: FieldNumber, z: FieldNumber];

/** `formula` gives what is no number that a simulation can go on with; `place` is where and when. */
export class FieldError extends Error {
  override name = 'FieldError';
}

/** Beyond this squares overflow in float32. */
const LARGEST_VALUE = 1e18;

/** Formulas that give what is not finite, or too large for float32, throw a FieldError. */
export function evaluatorOf(field: FieldNumber): Evaluate {
  if (typeof field === 'number') return () => field;
  const { evaluate, text } = parseExpression(field);
  return (x, y, z, t) => {
    const value = evaluate(x, y, z, t);
    if (!(Math.abs(value) <= LARGEST_VALUE)) throw new FieldError(`${quoteValue(text, value, x, y, z, t)}`);
    return value;
  };
}

/** `"1 / x" is Infinity at (0, 1, 0) m and 0.5 s`. */
export function quoteValue(text: string, value: number, x: number, y: number, z: number, t: number): string {
  const digits = (number: number) => Number(number.toPrecision(6));
  const position = [x, y, z].map(digits).join(', ');
  return `${JSON.stringify(text)} is ${digits(value)} at (${position}) m and ${digits(t)} s`;
}

export const isConstant = (field: FieldVector): field is Vec3 => field.every((part) => typeof part === 'number');

/** The vector of three fields at a point and a time. */
export function vectorField(field: FieldVector): (at: Vec3, t: number) => Vec3 {
  if (isConstant(field)) return () => field;
  const [fx, fy, fz] = field.map(evaluatorOf) as [Evaluate, Evaluate, Evaluate];
  return ([x, y, z], t) => [fx(x, y, z, t), fy(x, y, z, t), fz(x, y, z, t)];
}
