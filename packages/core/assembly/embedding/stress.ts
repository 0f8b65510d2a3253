import {
  BLOCK,
  BLOCK_SUMS,
  BODIES,
  BODY_OF,
  BODY_STRIDE,
  ELASTIC,
  FLUX,
  MOMENT_INVERSE,
  PLASTIC,
  PLASTIC_LAW,
  SUMS,
} from '../../src/particles/layout';
import {
  BLOCK_FLOWED,
  BLOCK_STRAIN,
  FLOWED_BY,
  NEIGHBOR_COUNT,
  PAIRS,
  POSITION,
  ROOM,
  STEP,
  WEIGHTS,
} from '../../src/particles/embedding-layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { addMul, columnX, columnY, columnZ, cross, dot, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import * as plasticity from '../solid/plasticity';
import * as response from '../solid/response';
import { vonMises } from '../solid/stress';
import { refreshBasis } from './basis';

/** Rows of F - I by moving least squares, [J14] eq. 1-2. */
export let g0: v128 = i32x4(0, 0, 0, 0);
export let g1: v128 = i32x4(0, 0, 0, 0);
export let g2: v128 = i32x4(0, 0, 0, 0);
/** sum_j w_ij |x_ij - u_ij|^2, when asked for. */
export let squares: f32 = 0;

/**
 * F - I from x_ij - u_ij, so that small strains keep their digits; with `rates` the gradient of a field, like that
 * of the velocity, in rest space.
 */
export function fit(context: usize, i: usize, field: usize, rates: bool): void {
  const row = <usize>load<u32>(context + PAIRS) + i * ROOM * 16;
  const weights = <usize>load<u32>(context + WEIGHTS) + i * ROOM * 4;
  const inverse = <usize>load<u32>(context + MOMENT_INVERSE) + i * 48;
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = v128.load(field + (i << 4));
  let h0 = f32x4.splat(0);
  let h1 = f32x4.splat(0);
  let h2 = f32x4.splat(0);
  let sum: f32 = 0;
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const weight = load<f32>(weights + (k << 2));
    const g = f32x4.mul(f32x4.splat(weight), u);
    let d = f32x4.sub(v128.load(field + (neighborIndex(u) << 4)), own);
    if (!rates) d = f32x4.sub(d, u);
    h0 = addMul(h0, splatX(d), g);
    h1 = addMul(h1, splatY(d), g);
    h2 = addMul(h2, splatZ(d), g);
    sum += weight * dot(d, d);
  }
  const r0 = v128.load(inverse);
  const r1 = v128.load(inverse, 16);
  const r2 = v128.load(inverse, 32);
  g0 = rowTimes(h0, r0, r1, r2);
  g1 = rowTimes(h1, r0, r1, r2);
  g2 = rowTimes(h2, r0, r1, r2);
  // |d - G u|^2 summed is |d|^2 less what the fit takes.
  squares = sum - dot(h0, g0) - dot(h1, g1) - dot(h2, g2);
}

/**
 * Lets the rest vectors of a particle flow along: u_ij <- F_p u_ij, [J14] 3.3. What of x_ij the fit does not see is
 * elastic too and would hold against the flow for ever: its share that flows goes into the rest vectors as well.
 * The fit of the gradient does not change by that, since the residuals have no part in it.
 */
function flowAlong(context: usize, i: usize, state: usize, share: f32): void {
  const row = <usize>load<u32>(context + PAIRS) + i * ROOM * 16;
  const positions = <usize>load<u32>(context + POSITION);
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = v128.load(positions + (i << 4));
  const b0 = v128.load(state);
  const b1 = v128.load(state, 16);
  const b2 = v128.load(state, 32);
  invert(b0, b1, b2);
  // Columns of (1 - share) F_p and of share F_e^-1.
  const kept = f32x4.splat(<f32>1 - share);
  const fx = f32x4.mul(kept, columnX(i0, i1, i2));
  const fy = f32x4.mul(kept, columnY(i0, i1, i2));
  const fz = f32x4.mul(kept, columnZ(i0, i1, i2));
  invert(plasticity.e0, plasticity.e1, plasticity.e2);
  const taken = f32x4.splat(share);
  const ex = f32x4.mul(taken, columnX(i0, i1, i2));
  const ey = f32x4.mul(taken, columnY(i0, i1, i2));
  const ez = f32x4.mul(taken, columnZ(i0, i1, i2));
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const way = f32x4.sub(v128.load(positions + (neighborIndex(u) << 4)), own);
    let next = addMul(f32x4.mul(fx, splatX(u)), ex, splatX(way));
    next = addMul(addMul(next, fy, splatY(u)), ey, splatY(way));
    next = addMul(addMul(next, fz, splatZ(u)), ez, splatZ(way));
    v128.store(row + (k << 4), f32x4.replace_lane(next, 3, w(u)));
  }
  // F_p is in the rest vectors now.
  v128.store(state, vector(0, 0, 0, w(b0)));
  v128.store(state, vector(0, 0, 0, w(b1)), 16);
  v128.store(state, vector(0, 0, 0, w(b2)), 32);
  refreshBasis(context, i);
}

/** Neighbourhoods with less than this share of a ball's evenness fade out. */
const EVEN: f32 = 0.5;

/**
 * Share of its stress that a particle has: all of it, but next to none where its neighbours hardly span space, det A^-1
 * over the cube of its mean eigenvalue. With all of it a few particles at a rim would set the step of all, and where
 * they lose the last neighbour that spans space it would end with a jump.
 */
// @ts-ignore: decorator
@inline
function presence(r0: v128, r1: v128, r2: v128): f32 {
  const third = (x(r0) + y(r1) + z(r2)) / <f32>3;
  // It is zero when the flow of this step has left too little.
  return third > 0 ? min<f32>(<f32>1, dot(r0, cross(r1, r2)) / (EVEN * third * third * third)) : 0;
}

// @ts-ignore: decorator
@inline
function isZero(row: v128): bool {
  return x(row) == 0 && y(row) == 0 && z(row) == 0;
}

/**
 * Gradient, plastic flow and stress of every particle, [J14] 3.1-3.2. FLUX gets the columns of
 *
 *   Q_i = V_i P_i A_i^-1 - a_i F_i                                                    [J14] eq. 5
 *
 * with a_i the modulus of the stabilisation a_i / 2 sum_j w_ij |x_ij - F_i u_ij|^2; lanes 3 are a_i and a bound of
 * the stiffness that a neighbour of weight 1 meets [N/m].
 *
 * Departs from [J14] eq. 6-7: yield is that of von Mises, which pressure has no part in, and what flows in a step
 * follows from its length, so that the result does not depend on it.
 */
export function computeEmbeddedStresses(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + FLUX);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + PLASTIC_LAW);
  const strains = <usize>load<u32>(context + BLOCK_STRAIN);
  const flowedCounts = <usize>load<u32>(context + BLOCK_FLOWED);
  const flowedBy = load<f32>(context + FLOWED_BY);
  const scratch = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f32>(context + STEP);
  let largest: f32 = 0;
  let flowed: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const inverse = inverses + i * 48;
    const out = flux + i * 48;
    const state = plastics + i * 48;
    if (load<f32>(inverse, 28) == 0) {
      // Its neighbours do not span space.
      v128.store(out, f32x4.splat(0));
      v128.store(out, f32x4.splat(0), 16);
      v128.store(out, f32x4.splat(0), 32);
    } else {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      const constants = v128.load(elastic + (i << 4));
      fit(context, i, positions, false);
      const room = scratch + (i / BLOCK) * SUMS * 8;
      plasticity.elasticPartAfter(dt, body, state, laws + (i << 4), constants, room, g0, g1, g2);
      if (plasticity.flowed > 0 && !(isZero(v128.load(state)) && isZero(v128.load(state, 16)) && isZero(v128.load(state, 32)))) {
        flowAlong(context, i, state, <f32>plasticity.flowed);
      }
      const e0 = plasticity.e0;
      const e1 = plasticity.e1;
      const e2 = plasticity.e2;
      response.respond(body, 0, constants, 0, 0, false, e0, e1, e2);
      const r0 = v128.load(inverse);
      const r1 = v128.load(inverse, 16);
      const r2 = v128.load(inverse, 32);
      const present = presence(r0, r1, r2);
      const volume = present * w(constants);
      const stabilising = present * w(r0);
      const v = f32x4.splat(volume);
      const a = f32x4.splat(-stabilising);
      const q0 = addMul(f32x4.mul(v, rowTimes(response.p0, r0, r1, r2)), a, f32x4.add(e0, vector(1, 0, 0, 0)));
      const q1 = addMul(f32x4.mul(v, rowTimes(response.p1, r0, r1, r2)), a, f32x4.add(e1, vector(0, 1, 0, 0)));
      const q2 = addMul(f32x4.mul(v, rowTimes(response.p2, r0, r1, r2)), a, f32x4.add(e2, vector(0, 0, 1, 0)));
      v128.store(out, f32x4.replace_lane(columnX(q0, q1, q2), 3, stabilising));
      v128.store(out, f32x4.replace_lane(columnY(q0, q1, q2), 3, response.stiffness * volume * w(r1) + stabilising), 16);
      v128.store(out, columnZ(q0, q1, q2), 32);
    }
    // Lane 3 of the second row is what the strain was at the last embedding.
    const since = load<f32>(state, 12) - load<f32>(state, 28);
    if (!(since <= largest)) largest = since;
    if (since > flowedBy) flowed += 1;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(strains + ((i / BLOCK) << 2), largest);
      store<f32>(flowedCounts + ((i / BLOCK) << 2), flowed);
      largest = 0;
      flowed = 0;
    }
  }
}

/** Notes the plastic strain at an embedding. */
export function markEmbedding(begin: u32, end: u32, context: usize): void {
  const plastics = <usize>load<u32>(context + PLASTIC);
  for (let i = <usize>begin; i < <usize>end; i++) {
    store<f32>(plastics + i * 48, load<f32>(plastics + i * 48, 12), 28);
  }
}

/**
 * Elastic energy [J] with its share of the stabilisation, von Mises stress [Pa], det F_e and the volume of [J14]
 * eq. 3 before it is calibrated [m3], into the first four floats of FLUX, which is free between steps.
 */
export function measureEmbedded(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + FLUX);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const inverse = inverses + i * 48;
    const out = flux + i * 48;
    if (load<f32>(inverse, 28) == 0) {
      v128.store(out, vector(0, 0, 1, 0));
      continue;
    }
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const constants = v128.load(elastic + (i << 4));
    fit(context, i, positions, false);
    response.respond(body, 0, constants, 0, 0, false, g0, g1, g2);
    const present = presence(v128.load(inverse), v128.load(inverse, 16), v128.load(inverse, 32));
    const energy = present * (w(constants) * response.energy + <f32>0.5 * load<f32>(inverse, 12) * max<f32>(squares, 0));
    v128.store(out, vector(energy, vonMises(g0, g1, g2), <f32>1 + response.change, load<f32>(inverse, 44)));
  }
}
