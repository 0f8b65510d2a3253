import { BODY_MODEL, MODEL_COROTATIONAL, MODEL_NEO_HOOKEAN } from '../../src/particles/layout';
import { expm1, log1p } from '../math/exponential';
import { addMul, dot, rowSumBound, rowTimes, vector, x, y, z } from '../math/simd';

/**
 * The return to the yield surface without principal directions, for small strains. The logarithmic strain is k I + D
 * with tr D = 0, so D^3 = p D + q I with p = tr D^2 / 2 and q = tr D^3 / 3 (Cayley-Hamilton), and every function of
 * it is a multiple of I, D and D^2. Stresses of isotropic laws then have a size by two invariants.
 */

/**
 * The change of shape C / s - I, with s a third of the trace of C, is small when its row sums are below this: the series
 * leave out less than 2e-5 of it.
 */
export const SMALL: f32 = 0.1;

/** tr D^2 and tr D^3, k. */
export let squares: f64 = 0;
let cubes: f64 = 0;
let mean: f64 = 0;
/** e^k - 1 and e^2k - 1. */
let stretched: f64 = 0;
let squared: f64 = 0;
// Rows of D and of D^2.
let d0: v128 = i32x4(0, 0, 0, 0);
let d1: v128 = i32x4(0, 0, 0, 0);
let d2: v128 = i32x4(0, 0, 0, 0);
let q0: v128 = i32x4(0, 0, 0, 0);
let q1: v128 = i32x4(0, 0, 0, 0);
let q2: v128 = i32x4(0, 0, 0, 0);
/** Rows of exp(-gone D) - I. */
export let x0: v128 = i32x4(0, 0, 0, 0);
export let x1: v128 = i32x4(0, 0, 0, 0);
export let x2: v128 = i32x4(0, 0, 0, 0);

/** A row of M (I / 2 - M / 4 + M^2 / 6 - M^3 / 8), which is log(I + M) / 2 so far, with the rows of M and of M^2. */
// @ts-ignore: decorator
@inline
function halfLogarithm(m: v128, s: v128, m0: v128, m1: v128, m2: v128, s0: v128, s1: v128, s2: v128): v128 {
  const cube = rowTimes(s, m0, m1, m2);
  const fourth = rowTimes(s, s0, s1, s2);
  let sum = f32x4.mul(f32x4.splat(-0.125), fourth);
  sum = addMul(sum, f32x4.splat(<f32>1 / <f32>6), cube);
  sum = addMul(sum, f32x4.splat(-0.25), s);
  return addMul(sum, f32x4.splat(0.5), m);
}

/**
 * k and D of C = I + M, whose rows are given, where they are found by series; otherwise false. The change of volume may
 * be large: it goes first.
 */
export function decompose(c0: v128, c1: v128, c2: v128): bool {
  const bulk = (x(c0) + y(c1) + z(c2)) / <f32>3;
  if (!(bulk > <f32>-0.9)) return false;
  const per = f32x4.splat(<f32>1 / (<f32>1 + bulk));
  const m0 = f32x4.mul(per, f32x4.sub(c0, vector(bulk, 0, 0, 0)));
  const m1 = f32x4.mul(per, f32x4.sub(c1, vector(0, bulk, 0, 0)));
  const m2 = f32x4.mul(per, f32x4.sub(c2, vector(0, 0, bulk, 0)));
  if (!(rowSumBound(m0, m1, m2) < SMALL)) return false;
  const s0 = rowTimes(m0, m0, m1, m2);
  const s1 = rowTimes(m1, m0, m1, m2);
  const s2 = rowTimes(m2, m0, m1, m2);
  const h0 = halfLogarithm(m0, s0, m0, m1, m2, s0, s1, s2);
  const h1 = halfLogarithm(m1, s1, m0, m1, m2, s0, s1, s2);
  const h2 = halfLogarithm(m2, s2, m0, m1, m2, s0, s1, s2);
  const third = (x(h0) + y(h1) + z(h2)) / <f32>3;
  mean = 0.5 * log1p(<f64>bulk) + <f64>third;
  stretched = expm1(mean);
  squared = stretched * (2 + stretched);
  d0 = f32x4.sub(h0, vector(third, 0, 0, 0));
  d1 = f32x4.sub(h1, vector(0, third, 0, 0));
  d2 = f32x4.sub(h2, vector(0, 0, third, 0));
  q0 = rowTimes(d0, d0, d1, d2);
  q1 = rowTimes(d1, d0, d1, d2);
  q2 = rowTimes(d2, d0, d1, d2);
  squares = <f64>x(q0) + <f64>y(q1) + <f64>z(q2);
  cubes = <f64>dot(q0, d0) + <f64>dot(q1, d1) + <f64>dot(q2, d2);
  return true;
}

// exp(t D) = (1 + b0) I + b1 D + b2 D^2.
let b0: f64 = 0;
let b1: f64 = 0;
let b2: f64 = 0;

// @ts-ignore: decorator
@inline
function exponential(t: f64): void {
  const p = 0.5 * squares;
  const q = cubes * (1.0 / 3.0);
  const t2 = t * t;
  b0 = t2 * t * q * (1.0 / 6.0);
  b1 = t * (1 + t2 * (p * (1.0 / 6.0) + t * q * (1.0 / 24.0)));
  b2 = t2 * (0.5 + t2 * p * (1.0 / 24.0));
}

/** tr exp(t D) - 3. */
// @ts-ignore: decorator
@inline
function traceChange(): f64 {
  return 3 * b0 + b2 * squares;
}

/** Von Mises stress of the laws of response.ts, Kirchhoff's, when a share of D stays [Pa]. */
export function stressWith(share: f64, body: usize, constants: v128): f64 {
  const model = load<u32>(body + BODY_MODEL);
  const lambda = <f64>x(constants);
  const mu = <f64>y(constants);
  let f1: f64, f2: f64;
  if (model == MODEL_NEO_HOOKEAN) {
    // mu C
    const size = mu * (1 + squared);
    exponential(2 * share);
    f1 = size * b1;
    f2 = size * b2;
  } else {
    // V (2 mu (V - I) + lambda tr(V - I)), or with C and halves of both constants for St. Venant-Kirchhoff.
    const isStretch = model == MODEL_COROTATIONAL;
    const power: f64 = isStretch ? 1 : 2;
    const less = isStretch ? stretched : squared;
    const size = 1 + less;
    const twoMu = isStretch ? 2 * mu : mu;
    exponential(power * share);
    const spread = (isStretch ? lambda : 0.5 * lambda) * (3 * less + size * traceChange());
    f1 = (spread - twoMu) * size * b1;
    f2 = (spread - twoMu) * size * b2;
    exponential(2 * power * share);
    f1 += twoMu * size * size * b1;
    f2 += twoMu * size * size * b2;
  }
  // |f1 D + f2 (D^2 - tr D^2 / 3)|^2, and tr D^4 is half the square of tr D^2.
  const norm = f1 * f1 * squares + f2 * (2 * f1 * cubes + f2 * squares * squares * (1.0 / 6.0));
  return sqrt(1.5 * max<f64>(norm, 0));
}

/** exp(-gone D) - I into x0, x1, x2. */
export function shrink(gone: f64): void {
  exponential(-gone);
  const one = f32x4.splat(<f32>b1);
  const two = f32x4.splat(<f32>b2);
  const none = <f32>b0;
  x0 = addMul(addMul(vector(none, 0, 0, 0), one, d0), two, q0);
  x1 = addMul(addMul(vector(0, none, 0, 0), one, d1), two, q1);
  x2 = addMul(addMul(vector(0, 0, none, 0), one, d2), two, q2);
}
