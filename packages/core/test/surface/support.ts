import { type Matrix3, transform } from '../../src/math/matrix3.js';

/** A x + t of xyz triples. */
export const affine = (points: ArrayLike<number>, a: Matrix3, t: readonly number[]): Float64Array => {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = transform(a, [points[i]!, points[i + 1]!, points[i + 2]!]);
    out.set([x + t[0]!, y + t[1]!, z + t[2]!], i);
  }
  return out;
};

/** Something smooth that no affine map is. */
export const bend = (points: ArrayLike<number>): Float64Array => {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [points[i]!, points[i + 1]!, points[i + 2]!];
    const angle = 1.3 * x;
    out.set([Math.sin(angle) * (1 + y), Math.cos(angle) * (1 + y), z * (1 + 0.3 * x)], i);
  }
  return out;
};

export const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);
