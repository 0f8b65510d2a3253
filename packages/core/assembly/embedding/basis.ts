import {
  BLOCK,
  BLOCK_SUMS,
  ELASTIC,
  MOMENT_INVERSE,
  SUMS,
} from '../../src/particles/layout';
import { EMBEDDED, NEIGHBOR_COUNT, PAIRS, CAPACITY, STABILISATION, WEIGHTS } from '../../src/particles/embedding-layout';
import { addMul, dot, rowSumBound, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * Neighbours span space when the determinant of the basis matrix is more than this share of a ball's; it is 0.9 at a corner
 * of a lattice. Particles below it have no stress of their own: one with 1e-3 would set the step of all.
 */
const SPANNED: f64 = 0.08;

/** Weight of the fit at a squared distance over the squared support: [J14] eq. 14 without its normalisation. */
// @ts-ignore: decorator
@inline
function weightOf(q2: f32): f32 {
  const d = max<f32>(<f32>1 - q2, 0);
  return d * d * d;
}

/**
 * Weights and basis matrix A = sum_j w_ij u_ij u_ij^T of one particle, [J14] eq. 2. Weights are those of the rest
 * vectors, at the mean of the two supports: neighbours come and go where they weigh next to nothing.
 *
 * MOMENT_INVERSE gets rows of A^-1, zero where the neighbours do not span space; lanes 3 are the modulus of the
 * stabilisation [N/m], a bound of A^-1 [1/m2], and the volume of [J14] eq. 3 before it is calibrated [m3].
 */
export function refreshBasis(context: usize, i: usize): void {
  const row = <usize>load<u32>(context + PAIRS) + i * CAPACITY * 16;
  const weights = <usize>load<u32>(context + WEIGHTS) + i * CAPACITY * 4;
  const points = <usize>load<u32>(context + EMBEDDED);
  const target = <usize>load<u32>(context + MOMENT_INVERSE) + i * 48;
  const constants = v128.load(<usize>load<u32>(context + ELASTIC) + (i << 4));
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = load<f32>(points + (i << 4), 12);
  let a0 = f32x4.splat(0);
  let a1 = f32x4.splat(0);
  let a2 = f32x4.splat(0);
  let sum: f32 = 0;
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const h = <f32>0.5 * (own + load<f32>(points + (neighborIndex(u) << 4), 12));
    const weight = weightOf(dot(u, u) / (h * h));
    store<f32>(weights + (k << 2), weight);
    const g = f32x4.mul(f32x4.splat(weight), u);
    a0 = addMul(a0, splatX(u), g);
    a1 = addMul(a1, splatY(u), g);
    a2 = addMul(a2, splatZ(u), g);
    sum += weight;
  }
  const xx = <f64>x(a0), xy = <f64>y(a0), xz = <f64>z(a0);
  const yy = <f64>y(a1), yz = <f64>z(a1), zz = <f64>z(a2);
  const c00 = yy * zz - yz * yz;
  const c01 = xz * yz - xy * zz;
  const c02 = xy * yz - xz * yy;
  const determinant = xx * c00 + xy * c01 + xz * c02;
  const third = (xx + yy + zz) / 3;
  if (!(determinant > SPANNED * third * third * third) || count < 3) {
    v128.store(target, f32x4.splat(0));
    v128.store(target, f32x4.splat(0), 16);
    v128.store(target, f32x4.splat(0), 32);
    return;
  }
  const per = 1 / determinant;
  const c11 = xx * zz - xz * xz;
  const c12 = xy * xz - xx * yz;
  const c22 = xx * yy - xy * xy;
  const r0 = vector(<f32>(per * c00), <f32>(per * c01), <f32>(per * c02), 0);
  const r1 = vector(<f32>(per * c01), <f32>(per * c11), <f32>(per * c12), 0);
  const r2 = vector(<f32>(per * c02), <f32>(per * c12), <f32>(per * c22), 0);
  // As in solid/moments.ts: a mean residual of the size of a strain costs as much as that strain.
  const stabilising = load<f32>(context + STABILISATION) * <f32>2 * y(constants) * w(constants) / <f32>third;
  const whole = <f64>sum * <f64>sum * <f64>sum;
  v128.store(target, f32x4.replace_lane(r0, 3, stabilising));
  v128.store(target, f32x4.replace_lane(r1, 3, rowSumBound(r0, r1, r2)), 16);
  v128.store(target, f32x4.replace_lane(r2, 3, <f32>sqrt(determinant / whole)), 32);
}

export function computeEmbeddedBases(begin: u32, end: u32, context: usize): void {
  for (let i = <usize>begin; i < <usize>end; i++) refreshBasis(context, i);
}

/** Room for a few doubles that belongs to the block of a particle. */
// @ts-ignore: decorator
@inline
export function scratchOf(context: usize, i: usize): usize {
  return <usize>load<u32>(context + BLOCK_SUMS) + (i / BLOCK) * SUMS * 8;
}
