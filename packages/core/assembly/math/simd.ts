/**
 * 3-vectors and 3x3 matrices in f32x4 registers. Lane 3 carries no meaning: no function lets it
 * reach lanes 0 to 2.
 */

// @ts-ignore: decorator
@inline
export function splatX(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 0, 0, 0, 0);
}

// @ts-ignore: decorator
@inline
export function splatY(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 1, 1, 1, 1);
}

// @ts-ignore: decorator
@inline
export function splatZ(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 2, 2, 2, 2);
}

// @ts-ignore: decorator
@inline
export function splatW(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 3, 3, 3, 3);
}

// @ts-ignore: decorator
@inline
export function x(a: v128): f32 {
  return f32x4.extract_lane(a, 0);
}

// @ts-ignore: decorator
@inline
export function y(a: v128): f32 {
  return f32x4.extract_lane(a, 1);
}

// @ts-ignore: decorator
@inline
export function z(a: v128): f32 {
  return f32x4.extract_lane(a, 2);
}

// @ts-ignore: decorator
@inline
export function w(a: v128): f32 {
  return f32x4.extract_lane(a, 3);
}

// @ts-ignore: decorator
@inline
export function vector(a: f32, b: f32, c: f32, d: f32): v128 {
  return f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(a), 1, b), 2, c), 3, d);
}

/** a + b c */
// @ts-ignore: decorator
@inline
export function addMul(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(a, f32x4.mul(b, c));
}

/** The larger of numbers that are not negative; NaN, whose bits are larger than all numbers', stays. */
// @ts-ignore: decorator
@inline
export function larger(a: v128, b: v128): v128 {
  return i32x4.max_u(a, b);
}

/** Row vector times the matrix of rows r0, r1, r2. */
// @ts-ignore: decorator
@inline
export function rowTimes(a: v128, r0: v128, r1: v128, r2: v128): v128 {
  return addMul(addMul(f32x4.mul(splatX(a), r0), splatY(a), r1), splatZ(a), r2);
}

// @ts-ignore: decorator
@inline
export function dot(a: v128, b: v128): f32 {
  const p = f32x4.mul(a, b);
  return x(p) + y(p) + z(p);
}

// @ts-ignore: decorator
@inline
export function cross(a: v128, b: v128): v128 {
  const yzxA = v128.shuffle<f32>(a, a, 1, 2, 0, 3);
  const yzxB = v128.shuffle<f32>(b, b, 1, 2, 0, 3);
  const c = f32x4.sub(f32x4.mul(a, yzxB), f32x4.mul(yzxA, b));
  return v128.shuffle<f32>(c, c, 1, 2, 0, 3);
}

// Columns of the matrix of rows a, b, c, with lane 3 zero.

// @ts-ignore: decorator
@inline
export function columnX(a: v128, b: v128, c: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 0, 4, 0, 4), v128.shuffle<f32>(c, f32x4.splat(0), 0, 4, 0, 4), 0, 1, 4, 5);
}

// @ts-ignore: decorator
@inline
export function columnY(a: v128, b: v128, c: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 1, 5, 1, 5), v128.shuffle<f32>(c, f32x4.splat(0), 1, 4, 1, 4), 0, 1, 4, 5);
}

// @ts-ignore: decorator
@inline
export function columnZ(a: v128, b: v128, c: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 2, 6, 2, 6), v128.shuffle<f32>(c, f32x4.splat(0), 2, 4, 2, 4), 0, 1, 4, 5);
}

/** Lanes 3 of the rows. */
// @ts-ignore: decorator
@inline
export function columnW(a: v128, b: v128, c: v128): v128 {
  return v128.shuffle<f32>(v128.shuffle<f32>(a, b, 3, 7, 3, 7), v128.shuffle<f32>(c, f32x4.splat(0), 3, 4, 3, 4), 0, 1, 4, 5);
}

/** Matrix of rows r0, r1, r2 times the vector a: dots of rows, through the columns. */
// @ts-ignore: decorator
@inline
export function matrixTimes(r0: v128, r1: v128, r2: v128, a: v128): v128 {
  return addMul(
    addMul(f32x4.mul(columnX(r0, r1, r2), splatX(a)), columnY(r0, r1, r2), splatY(a)),
    columnZ(r0, r1, r2),
    splatZ(a),
  );
}

/** Largest sum of absolute values in a row of a symmetric matrix: a bound of its largest eigenvalue. */
// @ts-ignore: decorator
@inline
export function rowSumBound(r0: v128, r1: v128, r2: v128): f32 {
  const s = f32x4.add(f32x4.add(f32x4.abs(r0), f32x4.abs(r1)), f32x4.abs(r2));
  return max(max(x(s), y(s)), z(s));
}
