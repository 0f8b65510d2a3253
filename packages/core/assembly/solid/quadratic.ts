import {
  ACCELERATION,
  BLOCK,
  BLOCK_FREQUENCY,
  BLOCK_SUMS,
  BODIES,
  BODY_BOND_MODULUS,
  BODY_FIT,
  BODY_OF,
  BODY_PLASTIC,
  BODY_QUADRATIC_SHIFT,
  BODY_STEP_MODULUS,
  BODY_STEP_VISCOSITY,
  BODY_STRIDE,
  BODY_VISCOUS,
  BODY_VISCOUS_TIME,
  CELL_MOMENT,
  DEFICIENT_OF,
  DIRECTION,
  DISPLACEMENT,
  ELASTIC,
  FIT_QUADRATIC,
  FLUX,
  INVERSE_WEIGHTS,
  KEEP_STRAIN,
  MIXED,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  PAIRS,
  PLASTIC,
  PLASTIC_LAW,
  PRODUCT,
  PROJECTIONS,
  QUADRATIC_FLUX,
  QUADRATIC_INVERSE,
  QUADRATIC_LINEARISED,
  ROTATION,
  STRAIN,
  STRAIN_RATE,
  SUMS,
} from '../../src/particles/layout';
import {
  addMul, columnX, columnY, columnZ, dot, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z,
} from '../math/simd';
import * as fit from './fit';
import { alongX, alongY, alongZ, atCentroid } from './fit';
import * as plasticity from './plasticity';
import * as response from './response';
import { MEASURE, squaredFrequency, STRESS, storeStress, TANGENT } from './stress';
import { rowEnd } from './rows';

/**
 * The quadratic discretisation: displacements are fitted by linear and quadratic terms, and the energy
 * of a particle is that of its cell, the stress at its centroid c and the second moment s of the strain
 * around it:
 *
 *   [G | H] = (sum_j w_ij (u_j - u_i) p(r_ij)^T) A_i,  p = (r, r r / 2), A the inverse moment matrix
 *   W_i = V ( psi(J) + 1/2 sum_k s_k d_kE : C : d_kE ),  J = I + G + sum_k c_k d_kG,  d_kE = sym(J^T d_kG)
 *
 * A linear fit takes a surface particle's strain further inside and misses the bending within a cell;
 * both make beams too soft. The gradient term also sees what alternates from particle to particle.
 */
export function computeQuadraticStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, STRESS);
}

export function computeQuadraticStressChanges(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, TANGENT);
}

export function computeQuadraticMeasures(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, MEASURE);
}

// What the flux is made of: conjugate to G (f), to the second derivatives xx, yy, zz (a) and yz, xz, xy (b).
let f0: v128 = i32x4(0, 0, 0, 0), f1: v128 = i32x4(0, 0, 0, 0), f2: v128 = i32x4(0, 0, 0, 0);
let a0: v128 = i32x4(0, 0, 0, 0), a1: v128 = i32x4(0, 0, 0, 0), a2: v128 = i32x4(0, 0, 0, 0);
let b0: v128 = i32x4(0, 0, 0, 0), b1: v128 = i32x4(0, 0, 0, 0), b2: v128 = i32x4(0, 0, 0, 0);
let gradientEnergy: f32 = 0;
/** Plastic state of the particle, 0 for none. */
let state: usize = 0;

/** Row of a second derivative, as the material sees it; of a stress, as J meets it. */
// @ts-ignore: decorator
@inline
function seen(row: v128): v128 {
  return state == 0 ? row : plasticity.towardsRest(state, row);
}

// @ts-ignore: decorator
@inline
function met(row: v128): v128 {
  return state == 0 ? row : plasticity.fromRest(state, row);
}

/** Adds a stress conjugate to d_kG, by rows, to the slots that the derivative along this axis feeds. */
// @ts-ignore: decorator
@inline
function feed(axis: i32, r0: v128, r1: v128, r2: v128): void {
  if (axis == 0) {
    const e = vector(1, 0, 0, 0);
    a0 = addMul(a0, r0, e), a1 = addMul(a1, r1, e), a2 = addMul(a2, r2, e);
    b0 = f32x4.add(b0, vector(0, z(r0), y(r0), 0));
    b1 = f32x4.add(b1, vector(0, z(r1), y(r1), 0));
    b2 = f32x4.add(b2, vector(0, z(r2), y(r2), 0));
  } else if (axis == 1) {
    const e = vector(0, 1, 0, 0);
    a0 = addMul(a0, r0, e), a1 = addMul(a1, r1, e), a2 = addMul(a2, r2, e);
    b0 = f32x4.add(b0, vector(z(r0), 0, x(r0), 0));
    b1 = f32x4.add(b1, vector(z(r1), 0, x(r1), 0));
    b2 = f32x4.add(b2, vector(z(r2), 0, x(r2), 0));
  } else {
    const e = vector(0, 0, 1, 0);
    a0 = addMul(a0, r0, e), a1 = addMul(a1, r1, e), a2 = addMul(a2, r2, e);
    b0 = f32x4.add(b0, vector(y(r0), x(r0), 0, 0));
    b1 = f32x4.add(b1, vector(y(r1), x(r1), 0, 0));
    b2 = f32x4.add(b2, vector(y(r2), x(r2), 0, 0));
  }
}

/** Rows of J^T H, H by rows h; symmetrised into k. */
let k0: v128 = i32x4(0, 0, 0, 0), k1: v128 = i32x4(0, 0, 0, 0), k2: v128 = i32x4(0, 0, 0, 0);

// @ts-ignore: decorator
@inline
function transposedTimes(j0: v128, j1: v128, j2: v128, h0: v128, h1: v128, h2: v128): void {
  k0 = addMul(addMul(f32x4.mul(splatX(j0), h0), splatX(j1), h1), splatX(j2), h2);
  k1 = addMul(addMul(f32x4.mul(splatY(j0), h0), splatY(j1), h1), splatY(j2), h2);
  k2 = addMul(addMul(f32x4.mul(splatZ(j0), h0), splatZ(j1), h1), splatZ(j2), h2);
}

// @ts-ignore: decorator
@inline
function symmetrise(): void {
  const half = f32x4.splat(0.5);
  const q0 = k0;
  const q1 = k1;
  const q2 = k2;
  k0 = f32x4.mul(half, f32x4.add(q0, columnX(q0, q1, q2)));
  k1 = f32x4.mul(half, f32x4.add(q1, columnY(q0, q1, q2)));
  k2 = f32x4.mul(half, f32x4.add(q2, columnZ(q0, q1, q2)));
}

/** Adds the stress at the centroid and the gradient term along one axis to f, a, b. */
// @ts-ignore: decorator
@inline
function addGradientStress(
  axis: i32, body: usize, projection: usize, constants: v128, moment: f32,
  j0: v128, j1: v128, j2: v128, h0: v128, h1: v128, h2: v128,
): void {
  transposedTimes(j0, j1, j2, h0, h1, h2);
  symmetrise();
  response.respondToGradient(body, projection, constants, moment, k0, k1, k2);
  const t0 = response.p0;
  const t1 = response.p1;
  const t2 = response.p2;
  gradientEnergy += <f32>0.5 * (dot(t0, k0) + dot(t1, k1) + dot(t2, k2));
  f0 = f32x4.add(f0, rowTimes(h0, t0, t1, t2));
  f1 = f32x4.add(f1, rowTimes(h1, t0, t1, t2));
  f2 = f32x4.add(f2, rowTimes(h2, t0, t1, t2));
  feed(axis, met(rowTimes(j0, t0, t1, t2)), met(rowTimes(j1, t0, t1, t2)), met(rowTimes(j2, t0, t1, t2)));
}

/** Its change: d(H T) = dH T + H dT, d(J T) = dJ T + J dT with dT = s C : sym(dJ^T H + J^T dH). */
// @ts-ignore: decorator
@inline
function addGradientChange(
  axis: i32, body: usize, projection: usize, constants: v128, moment: f32,
  j0: v128, j1: v128, j2: v128, h0: v128, h1: v128, h2: v128,
  dj0: v128, dj1: v128, dj2: v128, dh0: v128, dh1: v128, dh2: v128,
): void {
  transposedTimes(j0, j1, j2, h0, h1, h2);
  symmetrise();
  response.respondToGradient(body, projection, constants, moment, k0, k1, k2);
  let t0 = response.p0;
  let t1 = response.p1;
  let t2 = response.p2;
  f0 = f32x4.add(f0, rowTimes(dh0, t0, t1, t2));
  f1 = f32x4.add(f1, rowTimes(dh1, t0, t1, t2));
  f2 = f32x4.add(f2, rowTimes(dh2, t0, t1, t2));
  const r0 = rowTimes(dj0, t0, t1, t2);
  const r1 = rowTimes(dj1, t0, t1, t2);
  const r2 = rowTimes(dj2, t0, t1, t2);
  transposedTimes(dj0, dj1, dj2, h0, h1, h2);
  const c0 = k0;
  const c1 = k1;
  const c2 = k2;
  transposedTimes(j0, j1, j2, dh0, dh1, dh2);
  k0 = f32x4.add(k0, c0);
  k1 = f32x4.add(k1, c1);
  k2 = f32x4.add(k2, c2);
  symmetrise();
  response.respondToGradient(body, projection, constants, moment, k0, k1, k2);
  t0 = response.p0;
  t1 = response.p1;
  t2 = response.p2;
  f0 = f32x4.add(f0, rowTimes(h0, t0, t1, t2));
  f1 = f32x4.add(f1, rowTimes(h1, t0, t1, t2));
  f2 = f32x4.add(f2, rowTimes(h2, t0, t1, t2));
  feed(
    axis,
    met(f32x4.add(r0, rowTimes(j0, t0, t1, t2))),
    met(f32x4.add(r1, rowTimes(j1, t0, t1, t2))),
    met(f32x4.add(r2, rowTimes(j2, t0, t1, t2))),
  );
}

// @ts-ignore: decorator
@inline
function evaluate(begin: u32, end: u32, context: usize, what: i32): void {
  const field = <usize>load<u32>(context + (what == TANGENT ? DIRECTION : DISPLACEMENT));
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const inverses = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const moments = <usize>load<u32>(context + MOMENT_INVERSE);
  const cells = <usize>load<u32>(context + CELL_MOMENT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + QUADRATIC_FLUX);
  const measures = <usize>load<u32>(context + FLUX);
  const forces = <usize>load<u32>(context + (what == TANGENT ? PRODUCT : ACCELERATION));
  const strains = <usize>load<u32>(context + STRAIN);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const linearised = <usize>load<u32>(context + QUADRATIC_LINEARISED);
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
  const mixed = load<u32>(context + MIXED) != 0;

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let shift: usize = 0;
  let other = false;
  let bondModulus: f32 = 0;
  let viscous = false;
  let plastic = false;
  let viscousTime: f32 = 0;
  let viscosity: f32 = 0;
  let perModulus: f32 = 0;
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let highest: f32 = mixed ? load<f32>(frequencies + (block << 2)) : 0;
    for (; i < blockEnd; i++) {
      if (i >= bodyEnd) {
        body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
        bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
        shift = <usize>load<u32>(body + BODY_QUADRATIC_SHIFT);
        other = load<u32>(body + BODY_FIT) != FIT_QUADRATIC;
        bondModulus = load<f32>(body + BODY_BOND_MODULUS);
        viscous = what != MEASURE && load<u32>(body + BODY_VISCOUS) != 0;
        plastic = load<u32>(body + BODY_PLASTIC) != 0;
        viscousTime = viscous ? load<f32>(body + BODY_VISCOUS_TIME) : 0;
        viscosity = viscous ? load<f32>(body + BODY_STEP_VISCOSITY) : 0;
        perModulus = <f32>1 / load<f32>(body + BODY_STEP_MODULUS);
      }
      if (other) {
        i = min(bodyEnd, blockEnd) - 1;
        continue;
      }

      const a = inverses + (i - shift) * 432;
      const first = <usize>load<u32>(begins + (i << 2));
      const last = <usize>load<u32>(begins + (i << 2), 4);
      fit.fitQuadratic(field, i, neighbors, pairs, inverseWeights, first, last, a, what == MEASURE);
      const number = <usize>load<u32>(deficient + (i << 2));
      const projection = number != 0 ? projections + (number - 1) * 48 : 0;
      // Strain counts within the span of the neighbours.
      const ex = projection == 0 ? vector(1, 0, 0, 0) : v128.load(projection);
      const ey = projection == 0 ? vector(0, 1, 0, 0) : v128.load(projection, 16);
      const ez = projection == 0 ? vector(0, 0, 1, 0) : v128.load(projection, 32);
      const strain = viscous ? strains + (i << 5) : 0;
      const constants = v128.load(elastic + (i << 4));
      const volume = w(constants);
      const cell = cells + (i << 5);
      let moment = v128.load(cell);
      const centroid = v128.load(cell, 16);
      // Gradient at the centroid.
      let g0 = atCentroid(fit.g0, fit.s0, fit.m0, centroid);
      let g1 = atCentroid(fit.g1, fit.s1, fit.m1, centroid);
      let g2 = atCentroid(fit.g2, fit.s2, fit.m2, centroid);
      const weight = load<f32>(moments + i * 48, 12);
      a0 = a1 = a2 = b0 = b1 = b2 = f32x4.splat(0);
      gradientEnergy = 0;
      // From here on g is what is elastic of the gradient.
      state = plastic && projection == 0 ? plastics + i * 48 : 0;
      if (state != 0) {
        moment = f32x4.mul(moment, f32x4.splat(load<f32>(state, 28)));
        if (what == TANGENT) {
          g0 = seen(g0), g1 = seen(g1), g2 = seen(g2);
        } else {
          plasticity.elasticPartAfter(
            elapsed, body, state, laws + (i << 4), constants, scratch + block * SUMS * 8, g0, g1, g2,
          );
          g0 = plasticity.e0, g1 = plasticity.e1, g2 = plasticity.e2;
        }
      }

      if (what == TANGENT) {
        const at = linearised + (i - shift) * 192;
        const c0 = v128.load(at), c1 = v128.load(at, 16), c2 = v128.load(at, 32);
        const s0 = v128.load(at, 48), s1 = v128.load(at, 64), s2 = v128.load(at, 80);
        const m0 = v128.load(at, 96), m1 = v128.load(at, 112), m2 = v128.load(at, 128);
        response.respondToChange(
          body, projection, constants, at + 144, viscousTime * strainRate, v128.load(rotations + (i << 4)), c0, c1, c2, g0, g1, g2,
        );
        f0 = response.p0, f1 = response.p1, f2 = response.p2;
        const j0 = f32x4.add(c0, ex);
        const j1 = f32x4.add(c1, ey);
        const j2 = f32x4.add(c2, ez);
        addGradientChange(
          0, body, projection, constants, x(moment), j0, j1, j2, seen(alongX(s0, m0)), seen(alongX(s1, m1)), seen(alongX(s2, m2)),
          g0, g1, g2, seen(alongX(fit.s0, fit.m0)), seen(alongX(fit.s1, fit.m1)), seen(alongX(fit.s2, fit.m2)),
        );
        addGradientChange(
          1, body, projection, constants, y(moment), j0, j1, j2, seen(alongY(s0, m0)), seen(alongY(s1, m1)), seen(alongY(s2, m2)),
          g0, g1, g2, seen(alongY(fit.s0, fit.m0)), seen(alongY(fit.s1, fit.m1)), seen(alongY(fit.s2, fit.m2)),
        );
        addGradientChange(
          2, body, projection, constants, z(moment), j0, j1, j2, seen(alongZ(s0, m0)), seen(alongZ(s1, m1)), seen(alongZ(s2, m2)),
          g0, g1, g2, seen(alongZ(fit.s0, fit.m0)), seen(alongZ(fit.s1, fit.m1)), seen(alongZ(fit.s2, fit.m2)),
        );
        f0 = met(f0), f1 = met(f1), f2 = met(f2);
        feedCentroid(centroid);
      } else {
        response.respond(body, projection, constants, strain, viscousTime * strainRate, keep, g0, g1, g2);
        const stiffening: f32 = state == 0 ? 1 : plasticity.stiffening(state);
        const frequency2 = squaredFrequency(
          response.stiffness * stiffening, perModulus, response.stretch * stiffening, viscosity,
        );
        if (!(frequency2 <= highest)) highest = frequency2;
        if (what == MEASURE) {
          storeStress(measures + i * 48, g0, g1, g2);
          const plasticVolume: f32 = state == 0 ? 1 : plasticity.plasticVolume(state);
          store<f32>(measures + i * 48, (<f32>1 + response.change) * plasticVolume, 8);
        }
        if (what == STRESS && linearised != 0) {
          const at = linearised + (i - shift) * 192;
          v128.store(at, response.s0, 144), v128.store(at, response.s1, 160), v128.store(at, response.s2, 176);
          v128.store(at, g0), v128.store(at, g1, 16), v128.store(at, g2, 32);
          v128.store(at, fit.s0, 48), v128.store(at, fit.s1, 64), v128.store(at, fit.s2, 80);
          v128.store(at, fit.m0, 96), v128.store(at, fit.m1, 112), v128.store(at, fit.m2, 128);
          v128.store(rotations + (i << 4), response.rotation);
        }
        f0 = response.p0, f1 = response.p1, f2 = response.p2;
        const density = response.energy;
        const j0 = f32x4.add(g0, ex);
        const j1 = f32x4.add(g1, ey);
        const j2 = f32x4.add(g2, ez);
        addGradientStress(
          0, body, projection, constants, x(moment), j0, j1, j2,
          seen(alongX(fit.s0, fit.m0)), seen(alongX(fit.s1, fit.m1)), seen(alongX(fit.s2, fit.m2)),
        );
        addGradientStress(
          1, body, projection, constants, y(moment), j0, j1, j2,
          seen(alongY(fit.s0, fit.m0)), seen(alongY(fit.s1, fit.m1)), seen(alongY(fit.s2, fit.m2)),
        );
        addGradientStress(
          2, body, projection, constants, z(moment), j0, j1, j2,
          seen(alongZ(fit.s0, fit.m0)), seen(alongZ(fit.s1, fit.m1)), seen(alongZ(fit.s2, fit.m2)),
        );
        f0 = met(f0), f1 = met(f1), f2 = met(f2);
        feedCentroid(centroid);
        if (what == MEASURE) {
          // Stabilisation: half of each pair's bond belongs to this end, less what the fit explains, b : F.
          const fitted =
            dot(fit.l0, fit.g0) + dot(fit.l1, fit.g1) + dot(fit.l2, fit.g2) +
            dot(fit.d0, fit.s0) + dot(fit.d1, fit.s1) + dot(fit.d2, fit.s2) +
            dot(fit.o0, fit.m0) + dot(fit.o1, fit.m1) + dot(fit.o2, fit.m2);
          const squares = fit.sumSquares(field, i, begins, neighbors, pairs, 0);
          const bonded = x(squares) + y(squares) + z(squares);
          store<f32>(
            measures + i * 48,
            volume * (density + gradientEnergy) + bondModulus * (<f32>0.25 * bonded - <f32>0.5 * weight * fitted),
          );
          continue;
        }
      }

      // Z = V [P | K] A - 2 alpha [G | H], stored by rows.
      const v = f32x4.splat(volume);
      const alpha = f32x4.splat(-bondModulus * weight);
      const out = flux + (i - shift) * 144;
      for (let group: usize = 0; group < 3; group++) {
        const fit0 = group == 0 ? fit.g0 : group == 1 ? fit.s0 : fit.m0;
        const fit1 = group == 0 ? fit.g1 : group == 1 ? fit.s1 : fit.m1;
        const fit2 = group == 0 ? fit.g2 : group == 1 ? fit.s2 : fit.m2;
        const n0 = addMul(f32x4.mul(v, fit.nineTimes(f0, a0, b0, a, group)), alpha, fit0);
        const n1 = addMul(f32x4.mul(v, fit.nineTimes(f1, a1, b1, a, group)), alpha, fit1);
        const n2 = addMul(f32x4.mul(v, fit.nineTimes(f2, a2, b2, a, group)), alpha, fit2);
        v128.store(out + group * 48, n0);
        v128.store(out + group * 48, n1, 16);
        v128.store(out + group * 48, n2, 32);
      }
      v128.store(forces + (i << 4), f32x4.replace_lane(f32x4.mul(f32x4.splat(bondModulus), fit.bond), 3, 0));
    }
    if (what == STRESS) store<f32>(frequencies + (block << 2), highest);
  }
}

/** What is conjugate to J is so to G, and by the arm to the centroid to each d_kG. */
// @ts-ignore: decorator
@inline
function feedCentroid(centroid: v128): void {
  const cx = splatX(centroid);
  const cy = splatY(centroid);
  const cz = splatZ(centroid);
  feed(0, f32x4.mul(cx, f0), f32x4.mul(cx, f1), f32x4.mul(cx, f2));
  feed(1, f32x4.mul(cy, f0), f32x4.mul(cy, f1), f32x4.mul(cy, f2));
  feed(2, f32x4.mul(cz, f0), f32x4.mul(cz, f1), f32x4.mul(cz, f2));
}
