import {
  BODY_MODEL,
  BODY_PLASTIC_VOLUME,
  BODY_RENEWS,
  MODEL_COROTATIONAL,
  MODEL_NEO_HOOKEAN,
} from '../../src/particles/layout';
import { expm1, log1p } from '../math/exponential';
import { addMul, columnX, columnY, columnZ, dot, rowTimes, vector, w, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import * as response from './response';
import * as series from './small-strain';

/**
 * Plasticity by the multiplicative split J = F_e F_p, [J14] 3.2: the material law sees F_e = J A with A = F_p^-1, and
 * what it gives goes back to J by P = P_e A^T. A particle keeps B = A - I, so that small elastic strains keep their
 * digits beside large plastic ones.
 *
 * PLASTIC, 48 bytes: rows of B; lanes 3 are the plastic strain so far (equivalent, accumulated), the share of the
 * stabilisation that is left, and the work done on flow [J/m3].
 */

/** Rows of F_e - I. */
export let e0: v128 = i32x4(0, 0, 0, 0);
export let e1: v128 = i32x4(0, 0, 0, 0);
export let e2: v128 = i32x4(0, 0, 0, 0);
/** Share of the elastic strain that flowed in the last `elasticPartAfter` [1]. */
export let flowed: f64 = 0;

/** F_e - I = G + B + G B. */
// @ts-ignore: decorator
@inline
function elasticPart(state: usize, g0: v128, g1: v128, g2: v128): void {
  const b0 = v128.load(state);
  const b1 = v128.load(state, 16);
  const b2 = v128.load(state, 32);
  e0 = f32x4.add(f32x4.add(g0, b0), rowTimes(g0, b0, b1, b2));
  e1 = f32x4.add(f32x4.add(g1, b1), rowTimes(g1, b0, b1, b2));
  e2 = f32x4.add(f32x4.add(g2, b2), rowTimes(g2, b0, b1, b2));
}

/** The elastic part at the end of a step of `dt`, after what yields has flowed; 0 where no time passes. */
export function elasticPartAfter(
  dt: f32, body: usize, state: usize, law: usize, constants: v128, scratch: usize, g0: v128, g1: v128, g2: v128,
): void {
  elasticPart(state, g0, g1, g2);
  flowed = 0;
  if (dt > 0) flow(body, state, v128.load(law), constants, dt, scratch);
}

/** Row of M A: a change of J as the material sees it. */
// @ts-ignore: decorator
@inline
export function towardsRest(state: usize, row: v128): v128 {
  return f32x4.add(row, rowTimes(row, v128.load(state), v128.load(state, 16), v128.load(state, 32)));
}

/** Row of P A^T: a stress of the material as J meets it. */
// @ts-ignore: decorator
@inline
export function fromRest(state: usize, row: v128): v128 {
  const b0 = v128.load(state);
  const b1 = v128.load(state, 16);
  const b2 = v128.load(state, 32);
  return f32x4.add(row, rowTimes(row, columnX(b0, b1, b2), columnY(b0, b1, b2), columnZ(b0, b1, b2)));
}

/** How much stiffer J's directions are than the material's: bound of A A^T. */
// @ts-ignore: decorator
@inline
export function stiffening(state: usize): f32 {
  const a0 = f32x4.add(v128.load(state), vector(1, 0, 0, 0));
  const a1 = f32x4.add(v128.load(state, 16), vector(0, 1, 0, 0));
  const a2 = f32x4.add(v128.load(state, 32), vector(0, 0, 1, 0));
  const xy = abs(dot(a0, a1));
  const xz = abs(dot(a0, a2));
  const yz = abs(dot(a1, a2));
  return max(max(dot(a0, a0) + xy + xz, dot(a1, a1) + xy + yz), dot(a2, a2) + xz + yz);
}

/** det F_p = 1 / det A. */
export function plasticVolume(state: usize): f32 {
  const change = determinantChange(
    load<f32>(state), load<f32>(state, 4), load<f32>(state, 8),
    load<f32>(state, 16), load<f32>(state, 20), load<f32>(state, 24),
    load<f32>(state, 32), load<f32>(state, 36), load<f32>(state, 40),
  );
  return <f32>(1 / (1 + change));
}

/** det(I + M) - 1 by the principal invariants. */
function determinantChange(
  a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64, i: f64,
): f64 {
  const second = a * e - b * d + (a * i - c * g) + (e * i - f * h);
  return a + e + i + second + a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/** The laws of response.ts in principal stretches exp(a), exp(b), exp(c): size of the Kirchhoff stress [Pa]. */
function equivalentStress(body: usize, constants: v128, whole: bool, a: f64, b: f64, c: f64): f64 {
  const model = load<u32>(body + BODY_MODEL);
  const lambda = <f64>x(constants);
  const mu = <f64>y(constants);
  // Stretches less one, squares of stretches less one, and the volume less one, without cancellation.
  const l0 = expm1(a);
  const l1 = expm1(b);
  const l2 = expm1(c);
  const c0 = l0 * (2 + l0);
  const c1 = l1 * (2 + l1);
  const c2 = l2 * (2 + l2);
  const change = l0 + l1 + l2 + (l0 * l1 + l0 * l2 + l1 * l2) + l0 * l1 * l2;
  let t0: f64, t1: f64, t2: f64;
  if (model == MODEL_NEO_HOOKEAN) {
    t0 = mu * (c0 - change);
    t1 = mu * (c1 - change);
    t2 = mu * (c2 - change);
  } else if (model == MODEL_COROTATIONAL) {
    const spread = lambda * (l0 + l1 + l2);
    t0 = (1 + l0) * (2 * mu * l0 + spread);
    t1 = (1 + l1) * (2 * mu * l1 + spread);
    t2 = (1 + l2) * (2 * mu * l2 + spread);
  } else {
    const spread = 0.5 * lambda * (c0 + c1 + c2);
    t0 = (1 + c0) * (mu * c0 + spread);
    t1 = (1 + c1) * (mu * c1 + spread);
    t2 = (1 + c2) * (mu * c2 + spread);
  }
  if (whole) {
    const pressure = <f64>z(constants) * change * (1 + change);
    t0 += pressure;
    t1 += pressure;
    t2 += pressure;
    return sqrt(1.5 * (t0 * t0 + t1 * t1 + t2 * t2));
  }
  return sqrt(0.5 * ((t0 - t1) * (t0 - t1) + (t1 - t2) * (t1 - t2) + (t2 - t0) * (t2 - t0)));
}

// Principal logarithmic strains: what stays of all of them, and what may flow.
let kept: f64 = 0;
let a: f64 = 0;
let b: f64 = 0;
let c: f64 = 0;

/** Size of the stress when a share of the strain that may flow stays [Pa]. */
// @ts-ignore: decorator
@inline
function stressWith(share: f64, small: bool, body: usize, constants: v128, whole: bool): f64 {
  if (small) return series.stressWith(share, body, constants);
  return equivalentStress(body, constants, whole, kept + share * a, kept + share * b, kept + share * c);
}

let crept: f64 = 0;
let creptBy: f64 = 0;

/** Share of the way that creep goes, 1 - e^-t; most particles ask for the same. */
// @ts-ignore: decorator
@inline
function shareOf(t: f64): f64 {
  if (t != crept) {
    crept = t;
    creptBy = -expm1(-t);
  }
  return creptBy;
}

/** Below this share of the yield stress, by the strain alone, nothing flows. */
const SURELY_ELASTIC: f32 = 0.4;
/** Squared stretches below this are folded over: nothing flows. */
const FOLDED: f64 = 1e-6;
/** Off-diagonal part of the strain that is left, and how near the stress comes to the yield stress. */
const ALONG: f64 = 1e-8;
const NEAR: f64 = 1e-5;
const ROUNDS = 12;

/**
 * Lets the elastic part, from `elasticPart`, flow: strain beyond the yield stress goes from F_e to F_p, [J14] eq. 6-7,
 * as far as the yield surface at once, or the share 1 - exp(-creep dt) of that way in a step. Principal directions
 * stay; logarithmic strain shrinks, so volume is kept exactly unless BODY_PLASTIC_VOLUME says that it flows as well.
 * `law` is yield stress, hardening [Pa], rate of creep [1/s] and largest plastic strain of the particle.
 */
function flow(body: usize, state: usize, law: v128, constants: v128, dt: f32, scratch: usize): void {
  const strained = <f64>load<f32>(state, 12);
  const yielding = max<f64>(<f64>x(law) + <f64>y(law) * strained, 0);
  // Share of the change of volume that flows.
  const spread = <f64>load<f32>(body + BODY_PLASTIC_VOLUME);
  const whole = spread > 0;
  response.doubleStrain(e0, e1, e2);
  const c0 = response.s0;
  const c1 = response.s1;
  const c2 = response.s2;
  const mean: f32 = whole ? 0 : (x(c0) + y(c1) + z(c2)) / <f32>3;
  const size = sqrt(
    <f32>1.5 * ((x(c0) - mean) * (x(c0) - mean) + (y(c1) - mean) * (y(c1) - mean) + (z(c2) - mean) * (z(c2) - mean)) +
      <f32>3 * (y(c0) * y(c0) + z(c0) * z(c0) + z(c1) * z(c1)),
  );
  const modulus = whole ? y(constants) + abs(x(constants)) + z(constants) : y(constants);
  const trace = abs(x(c0)) + abs(y(c1)) + abs(z(c2));
  if (modulus * size * (<f32>1 + trace) < SURELY_ELASTIC * <f32>yielding) return;

  const small = !whole && series.decompose(c0, c1, c2);
  const vectors = scratch + 48;
  if (!small) {
    store<f64>(scratch, <f64>x(c0));
    store<f64>(scratch, <f64>y(c0), 8);
    store<f64>(scratch, <f64>z(c0), 16);
    store<f64>(scratch, <f64>y(c1), 24);
    store<f64>(scratch, <f64>z(c1), 32);
    store<f64>(scratch, <f64>z(c2), 40);
    jacobiEigen(scratch, vectors, ALONG * <f64>trace);
    const k0 = load<f64>(scratch);
    const k1 = load<f64>(scratch, 24);
    const k2 = load<f64>(scratch, 40);
    // Not a number is not larger either.
    if (!(min(min(k0, k1), k2) > FOLDED - 1)) return;
    a = 0.5 * log1p(k0);
    b = 0.5 * log1p(k1);
    c = 0.5 * log1p(k2);
    kept = ((1 - spread) * (a + b + c)) / 3;
    a -= kept;
    b -= kept;
    c -= kept;
  }
  const equivalent = sqrt((small ? series.squares : a * a + b * b + c * c) * (2.0 / 3.0));
  const stress = stressWith(1, small, body, constants, whole);
  if (!(stress > yielding) || equivalent == 0) return;

  // The share of the strain that stays elastic: where the stress meets the yield stress, by false position.
  const hardening = <f64>y(law);
  // Who goes a small share of the way need not know well where it ends.
  const shares = shareOf(<f64>z(law) * <f64>dt);
  const near = (NEAR * stress) / max<f64>(shares, NEAR);
  let low: f64 = 0;
  let high: f64 = 1;
  let atLow = -max<f64>(<f64>x(law) + hardening * (strained + equivalent), 0);
  let atHigh = stress - yielding;
  let stays: f64 = 0;
  let flowing = yielding;
  if (atLow < 0) {
    for (let round = 0; round < ROUNDS; round++) {
      stays = low + ((high - low) * atLow) / (atLow - atHigh);
      flowing = max<f64>(<f64>x(law) + hardening * (strained + (1 - stays) * equivalent), 0);
      const there = stressWith(stays, small, body, constants, whole) - flowing;
      if (abs(there) <= near) break;
      // Illinois: the end that stays counts half.
      if (there < 0) {
        low = stays;
        atLow = there;
        atHigh *= 0.5;
      } else {
        high = stays;
        atHigh = there;
        atLow *= 0.5;
      }
    }
  }
  const gone = min<f64>((1 - stays) * shares, (<f64>w(law) - strained) / equivalent);
  if (!(gone > 0)) return;
  const increment = gone * equivalent;
  flowed = gone;

  // F_e (I + X), A (I + X) with X = exp(-gone strain) - I = V diag(exp(-gone strain) - 1) V^T.
  let x0: v128, x1: v128, x2: v128;
  if (small) {
    series.shrink(gone);
    x0 = series.x0;
    x1 = series.x1;
    x2 = series.x2;
  } else {
    const f0 = expm1(-gone * a);
    const f1 = expm1(-gone * b);
    const f2 = expm1(-gone * c);
    x0 = shrink(vectors, 0, f0, f1, f2);
    x1 = shrink(vectors, 24, f0, f1, f2);
    x2 = shrink(vectors, 48, f0, f1, f2);
  }
  e0 = f32x4.add(f32x4.add(e0, x0), rowTimes(e0, x0, x1, x2));
  e1 = f32x4.add(f32x4.add(e1, x1), rowTimes(e1, x0, x1, x2));
  e2 = f32x4.add(f32x4.add(e2, x2), rowTimes(e2, x0, x1, x2));
  let b0 = v128.load(state);
  let b1 = v128.load(state, 16);
  let b2 = v128.load(state, 32);
  const share = w(b1);
  // B of what is renewed has what was elastic then, and so a volume.
  const before = determinantChange(x(b0), y(b0), z(b0), x(b1), y(b1), z(b1), x(b2), y(b2), z(b2));
  const after = flowing + (1 - gone / (1 - stays)) * (stress - flowing);
  const work = w(b2) + <f32>(after * increment);
  b0 = f32x4.add(f32x4.add(b0, x0), rowTimes(b0, x0, x1, x2));
  b1 = f32x4.add(f32x4.add(b1, x1), rowTimes(b1, x0, x1, x2));
  b2 = f32x4.add(f32x4.add(b2, x2), rowTimes(b2, x0, x1, x2));
  if (!whole) {
    // Rounding must not become volume.
    let change = determinantChange(x(b0), y(b0), z(b0), x(b1), y(b1), z(b1), x(b2), y(b2), z(b2));
    if (load<u32>(body + BODY_RENEWS) != 0) change = (change - before) / (1 + before);
    const back = f32x4.splat(<f32>(-change / 3));
    b0 = addMul(b0, back, f32x4.add(b0, vector(1, 0, 0, 0)));
    b1 = addMul(b1, back, f32x4.add(b1, vector(0, 1, 0, 0)));
    b2 = addMul(b2, back, f32x4.add(b2, vector(0, 0, 1, 0)));
  }
  v128.store(state, f32x4.replace_lane(b0, 3, <f32>(strained + increment)));
  v128.store(state, f32x4.replace_lane(b1, 3, share), 16);
  v128.store(state, f32x4.replace_lane(b2, 3, work), 32);
}

/** A row of V diag(f) V^T; eigenvectors are the columns of V. */
function shrink(vectors: usize, row: usize, f0: f64, f1: f64, f2: f64): v128 {
  const a = f0 * load<f64>(vectors + row);
  const b = f1 * load<f64>(vectors + row, 8);
  const c = f2 * load<f64>(vectors + row, 16);
  return vector(
    <f32>(a * load<f64>(vectors) + b * load<f64>(vectors, 8) + c * load<f64>(vectors, 16)),
    <f32>(a * load<f64>(vectors, 24) + b * load<f64>(vectors, 32) + c * load<f64>(vectors, 40)),
    <f32>(a * load<f64>(vectors, 48) + b * load<f64>(vectors, 56) + c * load<f64>(vectors, 64)),
    0,
  );
}
