import {
  ACCELERATION,
  BLOCK,
  BLOCK_FREQUENCY,
  BLOCK_SUMS,
  BODIES,
  BODY_BOND_MODULUS,
  BODY_FIT,
  BODY_MODEL,
  BODY_OF,
  BODY_PLASTIC,
  BODY_RENEWS,
  BODY_STEP_MODULUS,
  BODY_STEP_VISCOSITY,
  BODY_STRIDE,
  BODY_VISCOUS,
  BODY_VISCOUS_TIME,
  DEFICIENT_OF,
  DIRECTION,
  DISPLACEMENT,
  ELASTIC,
  FIRST_MOMENT,
  FIT_LINEAR,
  FLUX,
  KEEP_STRAIN,
  LINEARISED,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  OFFSETS,
  PAIRS,
  PLASTIC,
  PLASTIC_LAW,
  PRODUCT,
  PROJECTIONS,
  ROTATION,
  STRAIN,
  STRAIN_RATE,
  SUMS,
} from '../../src/particles/layout';
import { addMul, dot, larger, rowTimes, vector, w, x, y, z } from '../math/simd';

import * as fit from './fit';
import * as plasticity from './plasticity';
import * as response from './response';
import { computeFourStresses, hasLanes } from './stress-lanes';
import { rowEnd } from './rows';

/** The passes of one loop over particles: a flag that the compiler resolves. */
export const STRESS = 0;
export const TANGENT = 1;
export const MEASURE = 2;

/**
 * Stress and flux of every particle, in one pass.
 *
 *   grad u_i = (sum_j (u_j - u_i) g_ij^T) M_i^-1                      [M04] eq. 15
 *   P_i from the material law                                         [M04] eq. 3-8, 22; response.ts
 *   Q_i = V P M^-1 - 2 alpha grad u                                   [M04] eq. 18-25
 *
 * The last term and the sum of bonds b_ij (u_j - u_i), left in ACCELERATION as a force, are the
 * gradient of the stabilisation alpha_i sum_j w_ij |x_j - x_i - J_i r_ij|^2, which sees the
 * displacements that a linear fit does not. Where rest vectors have offsets o_ij, these are taken off
 * u_j - u_i, by sums that are known; see offsets.ts.
 */
export function computeStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, STRESS);
}

/** The change of flux and bonds along the search direction, at the state of the last stress pass. */
export function computeStressChanges(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, TANGENT);
}

/**
 * What is measured on a particle: elastic energy [J] with its share of the stabilisation, von Mises
 * stress [Pa] of the Cauchy stress, det J, and that stress, xx, yy, zz, xy, yz and xz [Pa] in the axes of
 * its body's row, left in the first nine floats of FLUX, which is free between steps.
 */
export function computeMeasures(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, MEASURE);
}

/**
 * Square of the frequency W whose stable step 2 / W is that of a stiffness and a viscosity together. The damped leapfrog
 * is stable while K + 2 C / dt < 4 / dt^2, K and C per mass; K is at most `stiffness` over the modulus at rest times the
 * largest at rest, C at most `stretch` times its largest at rest: W^2 = K + C W.
 */
// @ts-ignore: decorator
@inline
export function squaredFrequency(stiffness: f32, perModulus: f32, stretch: f32, viscosity: f32): f32 {
  const frequency2 = stiffness * perModulus;
  if (viscosity == 0) return frequency2;
  const rate = <f32>0.5 * viscosity * stretch;
  const raised = rate + sqrt(frequency2 + rate * rate);
  return raised * raised;
}

/** The Cauchy stress that `vonMises` found last: xx, yy, zz, xy and yz, xz. */
let cauchy0: v128 = i32x4(0, 0, 0, 0);
let cauchyYz: f32 = 0;
let cauchyXz: f32 = 0;

/** Von Mises stress and then the six components of the Cauchy stress, to places behind the energy of a particle's measures. */
export function storeStress(out: usize, g0: v128, g1: v128, g2: v128): void {
  store<f32>(out, vonMises(g0, g1, g2), 4);
  v128.store(out, cauchy0, 12);
  store<f32>(out, cauchyYz, 28);
  store<f32>(out, cauchyXz, 32);
}

/** Von Mises stress of the Cauchy stress P J^T / det J, from what `respond` left. */
export function vonMises(g0: v128, g1: v128, g2: v128): f32 {
  const determinant = <f32>1 + response.change;
  const scale: f32 = abs(determinant) > <f32>1e-6 ? <f32>1 / determinant : 0;
  const j0 = f32x4.add(g0, vector(1, 0, 0, 0));
  const j1 = f32x4.add(g1, vector(0, 1, 0, 0));
  const j2 = f32x4.add(g2, vector(0, 0, 1, 0));
  const xx = scale * dot(response.p0, j0);
  const yy = scale * dot(response.p1, j1);
  const zz = scale * dot(response.p2, j2);
  const xy = scale * dot(response.p0, j1);
  const xz = scale * dot(response.p0, j2);
  const yz = scale * dot(response.p1, j2);
  cauchy0 = vector(xx, yy, zz, xy);
  cauchyYz = yz;
  cauchyXz = xz;
  return sqrt(
    max(
      <f32>0,
      <f32>0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx)) +
        <f32>3 * (xy * xy + xz * xz + yz * yz),
    ),
  );
}

/** Do the neighbours of all these particles span space? */
// @ts-ignore: decorator
@inline
function allSpan(deficient: usize, begin: usize, end: usize): bool {
  let some: u32 = 0;
  for (let i = begin; i < end; i++) some |= load<u32>(deficient + (i << 2));
  return some == 0;
}

// @ts-ignore: decorator
@inline
function evaluate(begin: u32, end: u32, context: usize, what: i32): void {
  const field = <usize>load<u32>(context + (what == TANGENT ? DIRECTION : DISPLACEMENT));
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const firsts: usize = what == TANGENT ? 0 : <usize>load<u32>(context + FIRST_MOMENT);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + FLUX);
  const forces = <usize>load<u32>(context + (what == TANGENT ? PRODUCT : ACCELERATION));
  const strains = <usize>load<u32>(context + STRAIN);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const linearised = <usize>load<u32>(context + LINEARISED);
  const rotations = <usize>load<u32>(context + ROTATION);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const frequencies = <usize>load<u32>(context + BLOCK_FREQUENCY);
  const strainRate = load<f32>(context + STRAIN_RATE);
  const keep = load<u32>(context + KEEP_STRAIN) != 0;
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + PLASTIC_LAW);
  const scratch = <usize>load<u32>(context + BLOCK_SUMS);
  // Plastic strains flow where strains are kept.
  const elapsed: f32 = what == STRESS && keep && strainRate > 0 ? <f32>1 / strainRate : 0;

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let other = false;
  let inLanes = false;
  let bondModulus: f32 = 0;
  let viscous = false;
  let plastic = false;
  let renews = false;
  let viscousTime: f32 = 0;
  let viscosity: f32 = 0;
  let perModulus: f32 = 0;
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let highest: f32 = 0;
    let fastest = f32x4.splat(0);
    // Particles before this one are done one by one.
    let single: usize = 0;
    for (; i < blockEnd; i++) {
      if (i >= bodyEnd) {
        body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
        bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
        other = load<u32>(body + BODY_FIT) != FIT_LINEAR;
        bondModulus = load<f32>(body + BODY_BOND_MODULUS);
        viscous = what != MEASURE && load<u32>(body + BODY_VISCOUS) != 0;
        plastic = load<u32>(body + BODY_PLASTIC) != 0;
        renews = load<u32>(body + BODY_RENEWS) != 0;
        viscousTime = viscous ? load<f32>(body + BODY_VISCOUS_TIME) : 0;
        viscosity = viscous ? load<f32>(body + BODY_STEP_VISCOSITY) : 0;
        perModulus = <f32>1 / load<f32>(body + BODY_STEP_MODULUS);
        inLanes = what == STRESS && !plastic && hasLanes(load<u32>(body + BODY_MODEL));
      }
      if (other) {
        i = min(bodyEnd, blockEnd) - 1;
        continue;
      }
      // Fours begin anew with every block and body, whoever takes which block; what is left of them is done one by one.
      if (inLanes && i >= single) {
        const four = min(i + 4, min(bodyEnd, blockEnd));
        if (four == i + 4 && allSpan(deficient, i, four)) {
          fastest = larger(fastest, computeFourStresses(context, body, i));
          i = four - 1;
          continue;
        }
        single = four;
      }

      const inverse = inverses + i * 48;
      const out = flux + i * 48;
      fit.fitLinear(field, i, begins, neighbors, pairs, firsts, inverse, out);
      let g0 = fit.g0;
      let g1 = fit.g1;
      let g2 = fit.g2;
      const number = <usize>load<u32>(deficient + (i << 2));
      const projection = number != 0 ? projections + (number - 1) * 48 : 0;
      const strain = viscous ? strains + (i << 5) : 0;
      const constants = v128.load(elastic + (i << 4));
      // From here on g is what is elastic of the gradient.
      const state = plastic && projection == 0 ? plastics + i * 48 : 0;
      if (state != 0) {
        if (what == TANGENT) {
          g0 = plasticity.towardsRest(state, g0);
          g1 = plasticity.towardsRest(state, g1);
          g2 = plasticity.towardsRest(state, g2);
        } else {
          plasticity.elasticPartAfter(
            elapsed, body, state, laws + (i << 4), constants, scratch + block * SUMS * 8, g0, g1, g2,
          );
          g0 = plasticity.e0;
          g1 = plasticity.e1;
          g2 = plasticity.e2;
        }
      }

      if (what == TANGENT) {
        const at = linearised + i * 96;
        response.respondToChange(
          body, projection, constants, at + 48, viscousTime * strainRate, v128.load(rotations + (i << 4)),
          v128.load(at), v128.load(at, 16), v128.load(at, 32), g0, g1, g2,
        );
      } else {
        response.respond(body, projection, constants, strain, viscousTime * strainRate, keep, g0, g1, g2);
        let stiffening: f32 = state == 0 ? 1 : plasticity.stiffening(state);
        if (renews) stiffening *= load<f32>(inverse, 44);
        const frequency2 = squaredFrequency(
          response.stiffness * stiffening, perModulus, response.stretch * stiffening, viscosity,
        );
        if (!(frequency2 <= highest)) highest = frequency2;
        if (what == STRESS && linearised != 0) {
          const at = linearised + i * 96;
          v128.store(at, g0);
          v128.store(at, g1, 16);
          v128.store(at, g2, 32);
          v128.store(at, response.s0, 48);
          v128.store(at, response.s1, 64);
          v128.store(at, response.s2, 80);
          v128.store(rotations + (i << 4), response.rotation);
        }
      }

      const volume = w(constants);
      const m0 = v128.load(inverse);
      if (what == MEASURE) {
        // Half of each pair's bond belongs to this end; the fitted part is taken off: alpha tr(G M G^T) = alpha tr(G H^T).
        const fitted = dot(fit.l0, fit.g0) + dot(fit.l1, fit.g1) + dot(fit.l2, fit.g2);
        const squares = fit.sumSquares(field, i, begins, neighbors, pairs, <usize>load<u32>(context + OFFSETS));
        const bonded = x(squares) + y(squares) + z(squares);
        store<f32>(out, volume * response.energy + bondModulus * (<f32>0.25 * bonded - <f32>0.5 * w(m0) * fitted));
        storeStress(out, g0, g1, g2);
        // Of what is renewed, B is not only what has flowed.
        const plasticVolume: f32 = state == 0 || renews ? 1 : plasticity.plasticVolume(state);
        store<f32>(out, (<f32>1 + response.change) * plasticVolume, 8);
        continue;
      }
      let p0 = response.p0;
      let p1 = response.p1;
      let p2 = response.p2;
      if (state != 0) {
        p0 = plasticity.fromRest(state, p0);
        p1 = plasticity.fromRest(state, p1);
        p2 = plasticity.fromRest(state, p2);
      }
      const m1 = v128.load(inverse, 16);
      const m2 = v128.load(inverse, 32);
      const v = f32x4.splat(volume);
      const alpha = f32x4.splat(-bondModulus * w(m0));
      const q0 = addMul(f32x4.mul(v, rowTimes(p0, m0, m1, m2)), alpha, fit.g0);
      const q1 = addMul(f32x4.mul(v, rowTimes(p1, m0, m1, m2)), alpha, fit.g1);
      const q2 = addMul(f32x4.mul(v, rowTimes(p2, m0, m1, m2)), alpha, fit.g2);
      v128.store(out, q0);
      v128.store(out, q1, 16);
      v128.store(out, q2, 32);
      v128.store(forces + (i << 4), f32x4.mul(f32x4.splat(bondModulus), fit.bond));
    }
    // NaN must reach the block's value: these maxima keep it.
    if (what == STRESS) {
      const lanes = max(max(x(fastest), y(fastest)), max(z(fastest), w(fastest)));
      store<f32>(frequencies + (block << 2), max(highest, lanes));
    }
  }
}
