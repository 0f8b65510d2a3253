import { vector, x, y, z } from './simd';

/** Rows of the last inverse. */
export let i0: v128 = i32x4(0, 0, 0, 0);
export let i1: v128 = i32x4(0, 0, 0, 0);
export let i2: v128 = i32x4(0, 0, 0, 0);

/** Inverse of the matrix I + m by its cofactors, in double precision; rows into i0, i1, i2. Gives its determinant. */
export function invert(m0: v128, m1: v128, m2: v128): f64 {
  const a = 1 + <f64>x(m0), b = <f64>y(m0), c = <f64>z(m0);
  const d = <f64>x(m1), e = 1 + <f64>y(m1), f = <f64>z(m1);
  const g = <f64>x(m2), h = <f64>y(m2), i = 1 + <f64>z(m2);
  const c00 = e * i - f * h;
  const c10 = f * g - d * i;
  const c20 = d * h - e * g;
  const determinant = a * c00 + b * c10 + c * c20;
  const per = 1 / determinant;
  i0 = vector(<f32>(per * c00), <f32>(per * (c * h - b * i)), <f32>(per * (b * f - c * e)), 0);
  i1 = vector(<f32>(per * c10), <f32>(per * (a * i - c * g)), <f32>(per * (c * d - a * f)), 0);
  i2 = vector(<f32>(per * c20), <f32>(per * (b * g - a * h)), <f32>(per * (a * e - b * d)), 0);
  return determinant;
}
