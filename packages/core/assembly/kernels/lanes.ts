/**
 * The smoothing kernels of sph.ts for four distances at a time, and 4 x 4 transposes to get there and back.
 */

// Written with few constants: each is made anew in every turn of a loop. pmax and pmin are single instructions, max and
// min, which are careful about what is no number and about the sign of zero, are eight.

/** Cubic spline, W(r), from q = r / h; norm = 8 / (pi h^3). */
// @ts-ignore: decorator
@inline
export function cubicSplines(q: v128, norm: v128): v128 {
  const p = f32x4.pmax(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
  const s = f32x4.pmax(f32x4.sub(f32x4.splat(1), f32x4.add(q, q)), f32x4.splat(0));
  const outer = f32x4.mul(p, f32x4.mul(p, p));
  return f32x4.mul(norm, f32x4.sub(f32x4.add(outer, outer), f32x4.mul(s, f32x4.mul(s, s))));
}

/** Cubic spline, 1/r dW/dr; norm = 8 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function cubicSplineGradients(q: v128, norm: v128): v128 {
  const p = f32x4.pmax(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
  // 18 q - 12 over -6.
  const inner = f32x4.sub(f32x4.add(p, f32x4.add(p, p)), f32x4.splat(1));
  // The division is of a number that is not zero also where it is not used.
  const outer = f32x4.div(f32x4.mul(p, p), f32x4.pmax(q, f32x4.splat(0.5)));
  return f32x4.mul(f32x4.mul(norm, f32x4.splat(-6)), v128.bitselect(inner, outer, f32x4.lt(q, f32x4.splat(0.5))));
}

/** Cubic spline, d2W/dr2; norm = 8 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function cubicSplineCurvatures(q: v128, norm: v128): v128 {
  const p = f32x4.pmax(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
  const s = f32x4.pmax(f32x4.sub(f32x4.splat(1), f32x4.add(q, q)), f32x4.splat(0));
  return f32x4.mul(f32x4.mul(norm, f32x4.splat(12)), f32x4.sub(p, f32x4.add(s, s)));
}

/** Spiky kernel, W(r), from q = r / h; norm = 15 / (pi h^3). */
// @ts-ignore: decorator
@inline
export function spikys(q: v128, norm: v128): v128 {
  const d = f32x4.pmax(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
  return f32x4.mul(norm, f32x4.mul(d, f32x4.mul(d, d)));
}

/** Spiky kernel, 1/r dW/dr, from q = r / h, and 0 where particles coincide; norm = 45 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function spikyGradients(q: v128, norm: v128): v128 {
  const d = f32x4.pmax(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
  const there = f32x4.gt(q, f32x4.splat(0));
  const value = f32x4.div(f32x4.mul(d, d), v128.bitselect(q, f32x4.splat(1), there));
  return f32x4.neg(f32x4.mul(norm, v128.and(value, there)));
}

/** Laplacian of the viscosity kernel; norm = 45 / (pi h^6). */
// @ts-ignore: decorator
@inline
export function viscosityLaplacians(r: v128, h: v128, norm: v128): v128 {
  return f32x4.mul(norm, f32x4.pmax(f32x4.sub(h, r), f32x4.splat(0)));
}

// Rows of the transpose of the matrix of rows a, b, c, d.

// @ts-ignore: decorator
@inline
export function transposed0(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 0, 4, 1, 5), 0, 1, 4, 5);
}

// @ts-ignore: decorator
@inline
export function transposed1(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 0, 4, 1, 5), 2, 3, 6, 7);
}

// @ts-ignore: decorator
@inline
export function transposed2(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 2, 6, 3, 7), v128.shuffle<f32>(c, d, 2, 6, 3, 7), 0, 1, 4, 5);
}

// @ts-ignore: decorator
@inline
export function transposed3(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 2, 6, 3, 7), v128.shuffle<f32>(c, d, 2, 6, 3, 7), 2, 3, 6, 7);
}

/** Sum of all four lanes. */
// @ts-ignore: decorator
@inline
export function sumOfLanes(a: v128): f32 {
  return f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3));
}
