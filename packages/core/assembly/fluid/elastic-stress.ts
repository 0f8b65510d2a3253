import { BLOCK, BODY_STRIDE, BODY_VISCOUS_TIME } from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  BLOCK_FREQUENCY,
  BOND_COUNT,
  BOND_GRADIENT,
  BOND_CAPACITY,
  BOND_WEIGHT,
  BONDS,
  CHANGE,
  CONSTANTS,
  ELAPSED,
  FIRST_FORCE,
  FIRST_MOMENT,
  FLUX,
  GRADIENT,
  GRAVITY,
  HELD_VOLUME,
  INVERSE,
  LAW,
  LINEARISED,
  LIQUID_CONTEXT,
  LIQUID_OF,
  LIQUIDS,
  POSITION,
  PROJECTION,
  PULL,
  RELAXED,
  ROW_FLOWS,
  ROW_PRESSED,
  ROW_RELAXATION,
  SCRATCH,
  SCRATCH_SIZE,
  SHIFT,
  STABILISATION,
  STATE,
  STEP,
  STRAIN,
  SUPPORT,
  LOG_VOLUME,
  VELOCITY,
} from '../../src/particles/elastic-layout';
import { expm1, log1p } from '../math/exponential';
import { addMul, columnX, columnY, columnZ, cross, dot, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborAt, neighborIndex, taggedBase } from '../neighbors/lists';
import * as plasticity from '../solid/plasticity';
import * as response from '../solid/response';
import { squaredFrequency, storeStress } from '../solid/stress';
import { weightOf } from './elastic-fit';
import { inverseOf, shortest } from './pairs';

/**
 * Elasticity of a liquid's particles, as solid/stress.ts has it for bodies, on bonds instead of rest positions:
 *
 *   F_i - I = G_i = (sum_j (d_ij - r_ij) g_ij^T) M_i^-1,   d_ij = x_j - x_i,  g_ij = w_ij r_ij
 *   f_i = sum_j (Q_i + Q_j) g_ij + (alpha_i + alpha_j) w_ij (d_ij - r_ij),   Q_i = V P M^-1 - alpha G
 *
 * r_ji = -r_ij, so forces are opposite to the bit. Material laws and plastic flow are those of bodies.
 *
 * The volume of what flows in explicit steps is the pressure's affair, so that its elasticity is deviatoric. But pressure only pushes, and
 * a block that is pulled along one axis has a mean pressure below zero: without one it would swell across until it is
 * stretched alike on all sides, and has no stress left. So what is larger than at rest has a bulk modulus,
 *
 *   PULL mu (det F_e - 1)^2 / 2 where det F_e > 1,   log det F_e = LOG_VOLUME + log det F A
 *
 * and its swelling flows as its strain does. With a PULL of 4 jets fold as with 1, which takes longer steps.
 *
 * Damping departs from theirs, a dashpot 2 mu tau dE/dt, which is stiff for the fastest waves and makes steps short:
 * here a spring is in series with the dashpot, so that the stress relaxes in the time t (the standard linear solid):
 *
 *   S = 2 mu tau / t (E - D),   dD/dt = (E - D) / t,   by implicit Euler: D' = D + (E - D) h / (h + t)
 *
 * Waves that are slow beside t are damped as by the dashpot alone. A wave that alternates from step to step meets
 * 2 / (2 + h / t) of the spring: less than all of it, and less than the dashpot.
 */

// Rows of G, and squares of what the fit leaves.
export let g0: v128 = i32x4(0, 0, 0, 0);
export let g1: v128 = i32x4(0, 0, 0, 0);
export let g2: v128 = i32x4(0, 0, 0, 0);
let squares: f32 = 0;

/** G from the positions at the start of the liquid's step and the ways since then. */
// @ts-ignore: decorator
@inline
export function fit(context: usize, id: usize, count: usize, period: v128, inversePeriod: v128, measure: bool): void {
  const positions = <usize>load<u32>(context + POSITION);
  const shifts = <usize>load<u32>(context + SHIFT);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const list = <usize>load<u32>(context + BONDS) + ((id * capacity) << 4);
  const support = load<f32>(context + SUPPORT);
  const perSupport2: f32 = <f32>1 / (support * support);
  const xi = v128.load(positions + (id << 4));
  const si = v128.load(shifts + (id << 4));
  const repeats = v128.any_true(period);
  let h0 = f32x4.splat(0);
  let h1 = f32x4.splat(0);
  let h2 = f32x4.splat(0);
  for (let bond = list; bond < list + (count << 4); bond += 16) {
    const r = v128.load(bond);
    const j = neighborIndex(r);
    let d = f32x4.sub(v128.load(positions + (j << 4)), xi);
    if (repeats) d = shortest(d, period, inversePeriod);
    // The way of this step is small beside positions: it is added to their difference.
    const u = f32x4.sub(f32x4.add(d, f32x4.sub(v128.load(shifts + (j << 4)), si)), r);
    const weight = weightOf(r, perSupport2);
    const g = f32x4.mul(f32x4.splat(weight), r);
    h0 = addMul(h0, splatX(u), g);
    h1 = addMul(h1, splatY(u), g);
    h2 = addMul(h2, splatZ(u), g);
  }
  if (!measure) {
    const first = <usize>load<u32>(context + FIRST_MOMENT) + id * 48;
    v128.store(first, h0);
    v128.store(first, h1, 16);
    v128.store(first, h2, 32);
  }
  fromMoments(context, id, h0, h1, h2);
  if (!measure) return;
  // As the difference of the squares of u and of what is fitted, of something that has turned, it would be rounding.
  squares = 0;
  for (let bond = list; bond < list + (count << 4); bond += 16) {
    const r = v128.load(bond);
    let d = f32x4.sub(v128.load(positions + (neighborIndex(r) << 4)), xi);
    if (repeats) d = shortest(d, period, inversePeriod);
    const u = f32x4.sub(f32x4.add(d, f32x4.sub(v128.load(shifts + (neighborIndex(r) << 4)), si)), r);
    const left = f32x4.sub(u, vector(dot(g0, r), dot(g1, r), dot(g2, r), 0));
    squares += weightOf(r, perSupport2) * dot(left, left);
  }
}

/** The same of ways since a position where the sums are known, or of ways alone. */
// @ts-ignore: decorator
@inline
export function fitOn(context: usize, id: usize, count: usize, displacements: usize, alone: bool): void {
  const shifts = <usize>load<u32>(context + displacements);
  const tagged = taggedBase(shifts, 16);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const list = <usize>load<u32>(context + BOND_GRADIENT) + ((id * capacity) << 4);
  const first = <usize>load<u32>(context + FIRST_MOMENT) + id * 48;
  const si = v128.load(shifts + (id << 4));
  let h0 = alone ? f32x4.splat(0) : v128.load(first);
  let h1 = alone ? f32x4.splat(0) : v128.load(first, 16);
  let h2 = alone ? f32x4.splat(0) : v128.load(first, 32);
  for (let bond = list; bond < list + (count << 4); bond += 16) {
    const g = v128.load(bond);
    const s = f32x4.sub(v128.load(neighborAt(tagged, g, 16)), si);
    h0 = addMul(h0, splatX(s), g);
    h1 = addMul(h1, splatY(s), g);
    h2 = addMul(h2, splatZ(s), g);
  }
  fromMoments(context, id, h0, h1, h2);
}

// @ts-ignore: decorator
@inline
function fromMoments(context: usize, id: usize, h0: v128, h1: v128, h2: v128): void {
  const inverse = <usize>load<u32>(context + INVERSE) + id * 48;
  const m0 = v128.load(inverse);
  const m1 = v128.load(inverse, 16);
  const m2 = v128.load(inverse, 32);
  g0 = rowTimes(h0, m0, m1, m2);
  g1 = rowTimes(h1, m0, m1, m2);
  g2 = rowTimes(h2, m0, m1, m2);
}

/** Three times the bulk modulus over the shear modulus, below which there is none [1]. */
const NO_BULK: f32 = 1e-3;

/** lambda, mu, k where neighbours span a plane or a line: plane stress, and Young's modulus along the line. */
export function constantsOf(constants: v128, rank: f32): v128 {
  if (rank >= 3) return constants;
  const mu = y(constants);
  const whole = x(constants) + z(constants);
  // What flows has no bulk modulus of its own, as the pressure holds its volume: it counts as incompressible.
  if (!(<f32>3 * whole + <f32>2 * mu > NO_BULK * mu)) return vector(rank >= 2 ? <f32>2 * mu : mu, mu, 0, w(constants));
  if (rank >= 2) return vector((<f32>2 * whole * mu) / (whole + <f32>2 * mu), mu, 0, w(constants));
  return vector((mu * (<f32>3 * whole + <f32>2 * mu)) / (whole + mu) - <f32>2 * mu, mu, 0, w(constants));
}

/** Is F_p not the identity? What has been solid from the start and does not flow has none. */
// @ts-ignore: decorator
@inline
export function isDeformed(state: usize): bool {
  const bits = v128.or(v128.or(v128.load(state), v128.load(state, 16)), v128.load(state, 32));
  return v128.any_true(v128.and(bits, i32x4(-1, -1, -1, 0)));
}

/** Less volume than this counts as this: folded shapes have none [1]. */
const LEAST: f64 = -0.9;

/** det (I + E) - 1, by its invariants. */
// @ts-ignore: decorator
@inline
function changeOfVolume(e0: v128, e1: v128, e2: v128): f32 {
  const m0 = cross(e1, e2);
  return x(e0) + y(e1) + z(e2) + (x(m0) + y(cross(e2, e0)) + z(cross(e0, e1))) + dot(e0, m0);
}

export function computeElasticStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, false, false, false);
}

/** The same after an elastic step within the step of the liquid. */
export function followElasticStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, false, true, false);
}

/** Elastic energy [J], von Mises stress [Pa], det F_e and Cauchy stress [Pa] of every particle, in the first nine floats of FLUX. */
export function measureElastic(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, true, false, false);
}

/** At CHANGE from the guess of an implicit step: nothing flows yet, and what the tangent needs is kept. */
export function tryElasticStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, false, true, true);
}

// @ts-ignore: decorator
@inline
function evaluate(begin: u32, end: u32, context: usize, measure: bool, again: bool, trial: bool): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  const projections = <usize>load<u32>(context + PROJECTION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const fluxes = <usize>load<u32>(context + FLUX);
  const states = <usize>load<u32>(context + STATE);
  const strains = <usize>load<u32>(context + STRAIN);
  const laws = <usize>load<u32>(context + LAW);
  const relaxed = <usize>load<u32>(context + RELAXED);
  const logVolumes = <usize>load<u32>(context + LOG_VOLUME);
  const allConstants = <usize>load<u32>(context + CONSTANTS);
  const volumes = <usize>load<u32>(context + HELD_VOLUME);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const frequencies = <usize>load<u32>(context + BLOCK_FREQUENCY);
  const elapsed = load<f32>(context + ELAPSED);
  const stabilisation = load<f32>(context + STABILISATION);
  let highest: f32 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const out = fluxes + id * 48;
    const count = <usize>load<u32>(counts + (id << 2));
    const constants0 = v128.load(allConstants + (id << 4));
    if (count == 0 || !(y(constants0) > 0)) {
      memory.fill(out, 0, 48);
      if (measure) store<f32>(out, 1, 8);
    } else {
      if (again) fitOn(context, id, count, trial ? CHANGE : SHIFT, false);
      else fit(context, id, count, period, inversePeriod, measure);
      const inverse = inverses + id * 48;
      const rank = load<f32>(inverse, 28);
      let constants = constantsOf(constants0, rank);
      const projection: usize = rank < 3 ? projections + id * 48 : 0;
      const body = liquids + <usize>load<u32>(liquidOf + (id << 2)) * BODY_STRIDE;
      const mayFlow = load<u32>(body + ROW_FLOWS) != 0;
      const isPressed = load<u32>(body + ROW_PRESSED) != 0;
      const state: usize = rank < 3 || !(mayFlow || isDeformed(states + id * 48)) ? 0 : states + id * 48;
      const viscousTime = load<f32>(body + BODY_VISCOUS_TIME);
      const strain: usize = viscousTime > 0 && !measure ? strains + (id << 5) : 0;
      const scratch = <usize>load<u32>(context + SCRATCH) + (id / BLOCK) * SCRATCH_SIZE;
      let e0 = g0;
      let e1 = g1;
      let e2 = g2;
      if (state != 0) {
        plasticity.elasticPartAfter(measure || trial || !mayFlow ? 0 : elapsed, body, state, laws + (id << 4), constants, scratch, g0, g1, g2);
        e0 = plasticity.e0;
        e1 = plasticity.e1;
        e2 = plasticity.e2;
      }
      let scale: f32 = 1;
      let unpulled: f32 = 0;
      if (state != 0 && isPressed) {
        const wider = <f32>expm1(<f64>load<f32>(logVolumes + (id << 2)) / 3);
        scale = 1 + wider;
        const by = f32x4.splat(wider);
        e0 = addMul(addMul(e0, by, e0), by, vector(1, 0, 0, 0));
        e1 = addMul(addMul(e1, by, e1), by, vector(0, 1, 0, 0));
        e2 = addMul(addMul(e2, by, e2), by, vector(0, 0, 1, 0));
        const pull: f32 = <f32>PULL * y(constants);
        if (changeOfVolume(e0, e1, e2) > 0) constants = f32x4.replace_lane(constants, 2, z(constants) + pull);
        else unpulled = pull;
      }
      const relaxation = load<f32>(body + ROW_RELAXATION);
      const rate: f32 = elapsed > 0 ? viscousTime / (elapsed + relaxation) : 0;
      const diagonal = strain != 0 ? v128.load(strain) : f32x4.splat(0);
      const shear = strain != 0 ? v128.load(strain, 16) : f32x4.splat(0);
      response.respond(body, projection, constants, strain, rate, !trial && elapsed > 0, e0, e1, e2);
      if (strain != 0 && !trial && elapsed > 0) {
        const stays = f32x4.splat(relaxation / (elapsed + relaxation));
        v128.store(strain, addMul(v128.load(strain), stays, f32x4.sub(diagonal, v128.load(strain))));
        v128.store(strain, addMul(v128.load(strain, 16), stays, f32x4.sub(shear, v128.load(strain, 16))), 16);
      }
      const alpha: f32 = <f32>2 * y(constants) * stabilisation * load<f32>(inverse, 12);
      if (measure) {
        store<f32>(out, load<f32>(volumes + (id << 2)) * response.energy + <f32>0.5 * alpha * squares);
        storeStress(out, e0, e1, e2);
        store<f32>(out, <f32>1 + response.change, 8);
      } else {
        if (trial) {
          const at = <usize>load<u32>(context + LINEARISED) + (id << 7);
          v128.store(at, e0);
          v128.store(at, e1, 16);
          v128.store(at, e2, 32);
          v128.store(at, response.s0, 48);
          v128.store(at, response.s1, 64);
          v128.store(at, response.s2, 80);
          v128.store(at, response.rotation, 96);
          v128.store(at, vector(scale, z(constants), strain != 0 ? rate : 0, 0), 112);
        }
        const stiffening: f32 = state == 0 ? 1 : plasticity.stiffening(state);
        const perModulus = load<f32>(inverse, 44);
        // Viscosity is taken to resist the fastest motion as much as any. Its own stress counts as stiffness only: in its
        // rate, rounding of strains over ever shorter steps would shorten them further.
        const viscosity: f32 = viscousTime * <f32>2 * y(constants) * perModulus;
        const stretch: f32 = response.stretch * scale * scale * stiffening;
        // What is not pulled apart may be in the next step.
        const stiffness: f32 = (response.stiffness + unpulled) * scale * scale * stiffening;
        let frequency2 = squaredFrequency(stiffness, perModulus, stretch, viscosity);
        if (viscosity > 0 && relaxation > 0) {
          frequency2 = min(frequency2, stiffness * perModulus + (viscosity * stretch) / relaxation);
        }
        if (!(frequency2 <= highest)) highest = frequency2;
        let p0 = response.p0;
        let p1 = response.p1;
        let p2 = response.p2;
        if (state != 0) {
          p0 = plasticity.fromRest(state, p0);
          p1 = plasticity.fromRest(state, p1);
          p2 = plasticity.fromRest(state, p2);
        }
        const scaled = f32x4.splat(scale);
        p0 = f32x4.mul(scaled, p0);
        p1 = f32x4.mul(scaled, p1);
        p2 = f32x4.mul(scaled, p2);
        const m0 = v128.load(inverse);
        const m1 = v128.load(inverse, 16);
        const m2 = v128.load(inverse, 32);
        const volume = v128.load_splat<f32>(volumes + (id << 2));
        const less = f32x4.splat(-alpha);
        const q0 = addMul(f32x4.mul(volume, rowTimes(p0, m0, m1, m2)), less, g0);
        const q1 = addMul(f32x4.mul(volume, rowTimes(p1, m0, m1, m2)), less, g1);
        const q2 = addMul(f32x4.mul(volume, rowTimes(p2, m0, m1, m2)), less, g2);
        v128.store(out, f32x4.replace_lane(columnX(q0, q1, q2), 3, alpha));
        v128.store(out, columnY(q0, q1, q2), 16);
        v128.store(out, columnZ(q0, q1, q2), 32);
        // What the fit leaves is to flow as the strain has flowed.
        if (state != 0 && plasticity.flowed > 0) {
          const share = load<f32>(relaxed + (id << 2));
          store<f32>(relaxed + (id << 2), share + (<f32>1 - share) * <f32>plasticity.flowed);
          if (isPressed) {
            const logVolume = load<f32>(logVolumes + (id << 2));
            const now = log1p(max<f64>(<f64>response.change, LEAST));
            store<f32>(logVolumes + (id << 2), logVolume - <f32>(plasticity.flowed * now));
          }
        }
        v128.store(gradients + id * 48, g0);
        v128.store(gradients + id * 48, g1, 16);
        v128.store(gradients + id * 48, g2, 32);
      }
    }
    if (!measure && (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end)) {
      store<f32>(frequencies + ((id / BLOCK) << 2), highest);
      highest = 0;
    }
  }
}

/** Elastic forces, and velocities by a step of them and of gravity. */
export function kickElastic(begin: u32, end: u32, context: usize): void {
  kick(begin, end, context, false);
}

/** The same after an elastic step within the step of the liquid. */
export function kickElasticOn(begin: u32, end: u32, context: usize): void {
  kick(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function kick(begin: u32, end: u32, context: usize, again: bool): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const repeats = v128.any_true(period);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const bondGradients = <usize>load<u32>(context + BOND_GRADIENT);
  const weights = <usize>load<u32>(context + BOND_WEIGHT);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const positions = <usize>load<u32>(context + POSITION);
  const shifts = <usize>load<u32>(context + SHIFT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const firstForces = <usize>load<u32>(context + FIRST_FORCE);
  const gravity = f32x4.replace_lane(v128.load(context + GRAVITY), 3, 0);
  const fluxes = <usize>load<u32>(context + FLUX);
  const taggedFluxes = taggedBase(fluxes, 48);
  const taggedShifts = taggedBase(shifts, 16);
  const h = load<f32>(context + STEP);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count == 0) continue;
    const xi = v128.load(positions + (id << 4));
    const si = v128.load(shifts + (id << 4));
    const own = fluxes + id * 48;
    const qx = v128.load(own);
    const qy = v128.load(own, 16);
    const qz = v128.load(own, 32);
    const first = id * capacity;
    let force = f32x4.splat(0);
    // Of the stabilisation.
    let held = again ? v128.load(firstForces + (id << 4)) : f32x4.splat(0);
    for (let k = first; k < first + count; k++) {
      const g = v128.load(bondGradients + (k << 4));
      const other = neighborAt(taggedFluxes, g, 48);
      const sx = f32x4.add(qx, v128.load(other));
      const sy = f32x4.add(qy, v128.load(other, 16));
      const sz = f32x4.add(qz, v128.load(other, 32));
      force = addMul(addMul(addMul(force, splatX(g), sx), splatY(g), sy), splatZ(g), sz);
      let u: v128;
      if (again) u = f32x4.sub(v128.load(neighborAt(taggedShifts, g, 16)), si);
      else {
        u = f32x4.sub(v128.load(positions + (neighborIndex(g) << 4)), xi);
        if (repeats) u = shortest(u, period, inversePeriod);
        u = f32x4.sub(u, v128.load(bonds + (k << 4)));
      }
      const alpha = v128.shuffle<f32>(sx, sx, 3, 3, 3, 3);
      held = addMul(held, f32x4.mul(v128.load_splat<f32>(weights + (k << 2)), alpha), u);
    }
    if (!again) v128.store(firstForces + (id << 4), held);
    const a = addMul(gravity, f32x4.splat(w(xi)), f32x4.add(force, held));
    const v = addMul(v128.load(velocities + (id << 4)), f32x4.splat(h), a);
    v128.store(velocities + (id << 4), f32x4.replace_lane(v, 3, 0));
  }
}
