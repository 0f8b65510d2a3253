import { MOMENT_INVERSE } from '../../src/particles/layout';
import { NEIGHBOR_COUNT, PAIRS, CAPACITY, WEIGHTS } from '../../src/particles/embedding-layout';
import { addMul, dot, rowTimes, splatX, splatY, splatZ, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/** Rows of F - I by moving least squares, [J14] eq. 1-2. */
export let g0: v128 = i32x4(0, 0, 0, 0);
export let g1: v128 = i32x4(0, 0, 0, 0);
export let g2: v128 = i32x4(0, 0, 0, 0);
/** sum_j w_ij |x_ij - F_i u_ij|^2, what the fit leaves. */
export let squares: f32 = 0;

/**
 * F - I from x_ij - u_ij, so that small strains keep their digits; with `rates` the gradient of a field, like that
 * of the velocity, in rest space.
 */
export function fit(context: usize, i: usize, field: usize, rates: bool): void {
  const row = <usize>load<u32>(context + PAIRS) + i * CAPACITY * 16;
  const weights = <usize>load<u32>(context + WEIGHTS) + i * CAPACITY * 4;
  const inverse = <usize>load<u32>(context + MOMENT_INVERSE) + i * 48;
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = v128.load(field + (i << 4));
  let h0 = f32x4.splat(0);
  let h1 = f32x4.splat(0);
  let h2 = f32x4.splat(0);
  let sum = f32x4.splat(0);
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const weight = v128.load32_splat(weights + (k << 2));
    const g = f32x4.mul(weight, u);
    let d = f32x4.sub(v128.load(field + (neighborIndex(u) << 4)), own);
    if (!rates) d = f32x4.sub(d, u);
    h0 = addMul(h0, splatX(d), g);
    h1 = addMul(h1, splatY(d), g);
    h2 = addMul(h2, splatZ(d), g);
    sum = addMul(sum, weight, f32x4.mul(d, d));
  }
  const r0 = v128.load(inverse);
  const r1 = v128.load(inverse, 16);
  const r2 = v128.load(inverse, 32);
  g0 = rowTimes(h0, r0, r1, r2);
  g1 = rowTimes(h1, r0, r1, r2);
  g2 = rowTimes(h2, r0, r1, r2);
  // |d - G u|^2 summed is |d|^2 less what the fit takes.
  squares = x(sum) + y(sum) + z(sum) - dot(h0, g0) - dot(h1, g1) - dot(h2, g2);
}
