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
  LASTING,
  NEIGHBOR_COUNT,
  OTHER_PAIRS,
  PAIRS,
  POSITION,
  CAPACITY,
  STEP,
  WEIGHTS,
} from '../../src/particles/embedding-layout';
import { addMul, columnX, columnY, columnZ, cross, dot, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import * as plasticity from '../solid/plasticity';
import * as response from '../solid/response';
import { vonMises } from '../solid/stress';
import * as gradient from './fit';
import { absorb, isDue } from './flow';

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

/**
 * What the stress of a particle does along each of its bonds, t_ij = w_ij (Q u_ij + a x_ij), with lane 3 the bound
 * w_ij k of the stiffness, into OTHER_PAIRS, which is free between changes of neighbours. Gives the sum of them.
 */
function pairForces(context: usize, i: usize, qx: v128, qy: v128, qz: v128, stabilising: f32, stiffness: f32): v128 {
  const row = <usize>load<u32>(context + PAIRS) + i * CAPACITY * 16;
  const weights = <usize>load<u32>(context + WEIGHTS) + i * CAPACITY * 4;
  const positions = <usize>load<u32>(context + POSITION);
  const forces = <usize>load<u32>(context + OTHER_PAIRS) + i * CAPACITY * 16;
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = v128.load(positions + (i << 4));
  const a = vector(stabilising, stabilising, stabilising, 0);
  const k4 = vector(0, 0, 0, stiffness);
  let total = f32x4.splat(0);
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const offset = f32x4.sub(v128.load(positions + (neighborIndex(u) << 4)), own);
    const sum = addMul(addMul(addMul(addMul(k4, a, offset), splatX(u), qx), splatY(u), qy), splatZ(u), qz);
    const t = f32x4.mul(v128.load32_splat(weights + (k << 2)), sum);
    v128.store(forces + (k << 4), t);
    total = f32x4.add(total, t);
  }
  return total;
}

/**
 * Gradient, plastic flow and stress of every particle, [J14] 3.1-3.2, and what it does to its neighbours by
 *
 *   Q_i = V_i P_i A_i^-1 - a_i F_i                                                    [J14] eq. 5
 *
 * with a_i the modulus of the stabilisation a_i / 2 sum_j w_ij |x_ij - F_i u_ij|^2. FLUX begins with the sum of that.
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
  const lastings = <usize>load<u32>(context + LASTING);
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
      const none = f32x4.splat(0);
      v128.store(out, pairForces(context, i, none, none, none, 0, 0));
    } else {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      const constants = v128.load(elastic + (i << 4));
      gradient.fit(context, i, positions, false);
      let g0 = gradient.g0;
      let g1 = gradient.g1;
      let g2 = gradient.g2;
      const capacity = scratch + (i / BLOCK) * SUMS * 8;
      plasticity.elasticPartAfter(dt, body, state, laws + (i << 4), constants, capacity, g0, g1, g2);
      let lasting = load<f32>(lastings + (i << 2));
      if (plasticity.flowed > 0 || lasting < 1) {
        lasting *= <f32>(1 - plasticity.flowed);
        store<f32>(lastings + (i << 2), lasting);
        if (isDue(state, lasting, plasticity.flowed > 0)) {
          absorb(context, i, plasticity.e0, plasticity.e1, plasticity.e2);
          lasting = 1;
          g0 = plasticity.e0;
          g1 = plasticity.e1;
          g2 = plasticity.e2;
        }
      }
      response.respond(body, 0, constants, 0, 0, false, plasticity.e0, plasticity.e1, plasticity.e2);
      const r0 = v128.load(inverse);
      const r1 = v128.load(inverse, 16);
      const r2 = v128.load(inverse, 32);
      const present = presence(r0, r1, r2);
      const volume = present * w(constants);
      const stabilising = present * lasting * w(r0);
      const v = f32x4.splat(volume);
      const a = f32x4.splat(-stabilising);
      const p0 = rowTimes(plasticity.fromRest(state, response.p0), r0, r1, r2);
      const p1 = rowTimes(plasticity.fromRest(state, response.p1), r0, r1, r2);
      const p2 = rowTimes(plasticity.fromRest(state, response.p2), r0, r1, r2);
      const q0 = addMul(f32x4.mul(v, p0), a, f32x4.add(g0, vector(1, 0, 0, 0)));
      const q1 = addMul(f32x4.mul(v, p1), a, f32x4.add(g1, vector(0, 1, 0, 0)));
      const q2 = addMul(f32x4.mul(v, p2), a, f32x4.add(g2, vector(0, 0, 1, 0)));
      const stiffness = response.stiffness * plasticity.stiffening(state) * volume * w(r1) + stabilising;
      const total = pairForces(context, i, columnX(q0, q1, q2), columnY(q0, q1, q2), columnZ(q0, q1, q2), stabilising, stiffness);
      v128.store(out, total);
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
  const plastics = <usize>load<u32>(context + PLASTIC);
  const lastings = <usize>load<u32>(context + LASTING);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const inverse = inverses + i * 48;
    const out = flux + i * 48;
    if (load<f32>(inverse, 28) == 0) {
      v128.store(out, vector(0, 0, 1, 0));
      continue;
    }
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const constants = v128.load(elastic + (i << 4));
    gradient.fit(context, i, positions, false);
    const state = plastics + i * 48;
    plasticity.elasticPartAfter(0, body, state, 0, constants, 0, gradient.g0, gradient.g1, gradient.g2);
    const e0 = plasticity.e0;
    const e1 = plasticity.e1;
    const e2 = plasticity.e2;
    response.respond(body, 0, constants, 0, 0, false, e0, e1, e2);
    const present = presence(v128.load(inverse), v128.load(inverse, 16), v128.load(inverse, 32));
    const stabilising = load<f32>(lastings + (i << 2)) * load<f32>(inverse, 12);
    const energy = present * (w(constants) * response.energy + <f32>0.5 * stabilising * max<f32>(gradient.squares, 0));
    v128.store(out, vector(energy, vonMises(e0, e1, e2), <f32>1 + response.change, load<f32>(inverse, 44)));
  }
}
