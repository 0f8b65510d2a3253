import {
  BLOCK,
  BLOCK_BREAKING,
  BODIES,
  BODY_BREAKS,
  BODY_OF,
  BODY_PLASTIC,
  BODY_STRIDE,
  BOND_BEGIN,
  BOND_LIMITS,
  BOND_NEIGHBORS,
  BOND_SCORES,
  BOND_STRAINED,
  BONDS_LEFT,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC_WHOLE,
  FRACTURE_LAW,
  LEAST_SCORE,
  LOST,
  PLASTIC,
  PROJECTIONS,
  REST,
  STRAINED,
} from '../../src/particles/layout';
import { transposed0, transposed1, transposed2 } from '../kernels/lanes';
import { addMul, dot, rowSumBound, splatW, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { ACROSS, doubleElasticStrain, scoreOf, strengthOf } from './bond-strength';
import * as response from './response';

/**
 * Which particles have a bond that may be beyond its strength. Bounds that are never too low and mostly near take the
 * place of `judge`, so that only bonds of these particles are looked at, with the same result.
 */

/** Below this share of the strength nothing is looked at. */
export const FAR_BELOW: f32 = 0.5;
/**
 * What has lost more than this share of its bonds, and is strained by more than this (twice the Green strain) and this many
 * times its strength, is crushed: nothing holds it any more.
 */
const LOOSE: f32 = 0.25;
const CRUSHING: f32 = 0.3;
const CRUSHING_STRENGTHS: f32 = 16;

/** Bits of STRAINED: bonds are marked by what the particle itself knows, and by others. */
export const OWN: u32 = 1;
export const OTHERS: u32 = 2;

/** `judge` raises ratios by up to 1.1e-3 to tell bonds apart; the rest is for rounding. */
const LIMIT_MARGIN: f32 = 0.998;
const STRAIN_MARGIN: f32 = 1e-5;
const STRESS_MARGIN: f32 = 1e-5;
/** Nearer than this to the limit nobody can say on which side of it a stress is. */
export const FAR_MARGIN: f64 = 1e-9;

/** Is a particle that has lost so much crushed? Strains are those that response.ts has. */
// @ts-ignore: decorator
@inline
export function isCrushed(damage: f32, law: v128): bool {
  if (!(damage > LOOSE)) return false;
  const strain = rowSumBound(response.s0, response.s1, response.s2);
  return !(strain <= max(CRUSHING, CRUSHING_STRENGTHS * y(law)));
}

// Stretches of bonds that are safe: up to the least of four lines, slope * limit + offset.
let slopes: v128 = i32x4(0, 0, 0, 0);
let offsets: v128 = i32x4(0, 0, 0, 0);

/**
 * Strain of a bond by `judge`: n ((s - z) / q + z) + c z of its stretch s, with q from ACROSS to 1. n, z and c z are means of
 * the two ends, so that a stretch that is safe with those of either end, for all n that the other may have, is safe. n is
 * from 1 to `stiffest`, z, the mean strain across, from `low` to `high`. The other end may have none, and not be looked at.
 */
function boundStretches(stiffest: f32, c: f32, low: f32, high: f32): void {
  const per = <f32>1 / stiffest;
  const last = <f32>1 / ACROSS - <f32>1;
  const soft = last - c;
  const stiff = last - c * per;
  slopes = vector(1, per, ACROSS, ACROSS * per);
  const own = vector(
    -c * high, -c * per * high, ACROSS * min(soft * low, soft * high), ACROSS * min(stiff * low, stiff * high),
  );
  offsets = f32x4.pmin(own, f32x4.mul(f32x4.splat(0.5), own));
}

/** Is the largest eigenvalue of a symmetric matrix below a limit? Then the limit less the matrix is positive definite. */
// @ts-ignore: decorator
@inline
export function isBelow(limit: f64, xx: f64, yy: f64, zz: f64, yz: f64, xz: f64, xy: f64): bool {
  const a = limit - xx;
  const b = limit - yy;
  const c = limit - zz;
  const minor = a * b - xy * xy;
  return a > 0 && minor > 0 && c * minor - a * yz * yz - b * xz * xz - 2 * xy * yz * xz > 0;
}

/** Four bonds from k on: -1 in the lanes of those that may be beyond their strength. */
// @ts-ignore: decorator
@inline
function strainedFour(
  rest: usize, displacements: usize, neighbors: usize, left: usize, scores: usize,
  k: usize, here: v128, own: v128, strength: f32, atCracks: f32, stress: f32,
): v128 {
  const ja = <usize>load<u32>(neighbors + (k << 2)) << 4;
  const jb = <usize>load<u32>(neighbors + (k << 2), 4) << 4;
  const jc = <usize>load<u32>(neighbors + (k << 2), 8) << 4;
  const jd = <usize>load<u32>(neighbors + (k << 2), 12) << 4;
  const ra = f32x4.sub(v128.load(rest + ja), here);
  const rb = f32x4.sub(v128.load(rest + jb), here);
  const rc = f32x4.sub(v128.load(rest + jc), here);
  const rd = f32x4.sub(v128.load(rest + jd), here);
  const da = f32x4.sub(v128.load(displacements + ja), own);
  const db = f32x4.sub(v128.load(displacements + jb), own);
  const dc = f32x4.sub(v128.load(displacements + jc), own);
  const dd = f32x4.sub(v128.load(displacements + jd), own);
  const half = f32x4.splat(0.5);
  // Stretch times r.r is at most (r + d / 2) . d.
  const ta = f32x4.mul(da, addMul(ra, half, da));
  const tb = f32x4.mul(db, addMul(rb, half, db));
  const tc = f32x4.mul(dc, addMul(rc, half, dc));
  const td = f32x4.mul(dd, addMul(rd, half, dd));
  const stretch = f32x4.add(f32x4.add(transposed0(ta, tb, tc, td), transposed1(ta, tb, tc, td)), transposed2(ta, tb, tc, td));
  const qa = f32x4.mul(ra, ra);
  const qb = f32x4.mul(rb, rb);
  const qc = f32x4.mul(rc, rc);
  const qd = f32x4.mul(rd, rd);
  const square = f32x4.add(f32x4.add(transposed0(qa, qb, qc, qd), transposed1(qa, qb, qc, qd)), transposed2(qa, qb, qc, qd));
  let bears = f32x4.splat(strength);
  if (scores == 0) {
    bears = f32x4.pmin(bears, f32x4.splat(atCracks));
  } else {
    const score = v128.load(scores + (k << 2));
    bears = f32x4.pmin(f32x4.mul(bears, score), f32x4.mul(f32x4.splat(atCracks), f32x4.sqrt(score)));
  }
  const whole = f32x4.pmin(
    addMul(splatX(offsets), splatX(slopes), bears), addMul(splatY(offsets), splatY(slopes), bears),
  );
  const across = f32x4.pmin(
    addMul(splatZ(offsets), splatZ(slopes), bears), addMul(splatW(offsets), splatW(slopes), bears),
  );
  const safe = f32x4.sub(f32x4.pmin(whole, across), f32x4.splat(STRAIN_MARGIN));
  const beyond = v128.or(f32x4.gt(stretch, f32x4.mul(safe, square)), f32x4.ge(f32x4.splat(stress), bears));
  return v128.and(beyond, f32x4.gt(v128.load(left + (k << 2)), f32x4.splat(0)));
}

/** Marks the bonds of a particle that may be beyond their strength; are there any? */
function markStrained(context: usize, i: usize, stress: f32): bool {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const scores = <usize>load<u32>(context + BOND_SCORES);
  const marks = <usize>load<u32>(context + BOND_STRAINED);
  const limits = v128.load(<usize>load<u32>(context + BOND_LIMITS) + (i << 4));
  const strength = LIMIT_MARGIN * x(limits);
  const atCracks = LIMIT_MARGIN * y(limits);
  const first = <usize>load<u32>(begins + (i << 2));
  const last = <usize>load<u32>(begins + (i << 2), 4);
  if (last - first < 4) return markAll(context, i, 1);
  const here = v128.load(rest + (i << 4));
  const own = v128.load(displacements + (i << 4));
  let any = i32x4.splat(0);
  for (let k = first; k < last; k += 4) {
    // The last four, of which some have been.
    const at = min(k, last - 4);
    const four = strainedFour(rest, displacements, neighbors, left, scores, at, here, own, strength, atCracks, stress);
    any = v128.or(any, four);
    const pairs = i16x8.narrow_i32x4_s(four, four);
    v128.store32_lane(marks + at, i8x16.narrow_i16x8_s(pairs, pairs), 0);
  }
  return v128.any_true(any);
}

/** Marks all bonds of a particle, or none; are there any? */
function markAll(context: usize, i: usize, mark: u8): bool {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const first = load<u32>(begins + (i << 2));
  const count = load<u32>(begins + (i << 2), 4) - first;
  memory.fill(<usize>load<u32>(context + BOND_STRAINED) + <usize>first, mark, count);
  return count > 0;
}

/** Sum of the squares of a symmetric matrix. */
// @ts-ignore: decorator
@inline
function squaresOf(s0: v128, s1: v128, s2: v128): f32 {
  return dot(s0, s0) + dot(s1, s1) + dot(s2, s2);
}

/** Marks the bonds that may be beyond their strength, and the particles that have some. */
export function findStrained(begin: u32, end: u32, context: usize): void {
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + FRACTURE_LAW);
  const lost = <usize>load<u32>(context + LOST);
  const leastScores = <usize>load<u32>(context + LEAST_SCORE);
  const limits = <usize>load<u32>(context + BOND_LIMITS);
  const strained = <usize>load<u32>(context + STRAINED);
  const blocks = <usize>load<u32>(context + BLOCK_BREAKING);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const block = blocks + ((i / BLOCK) << 2);
    if ((i & (BLOCK - 1)) == 0) store<u32>(block, 0);
    const before = load<u32>(strained + (i << 2));
    store<u32>(strained + (i << 2), 0);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_BREAKS) == 0) continue;
    const number = <usize>load<u32>(deficient + (i << 2));
    const projection = number != 0 ? projections + (number - 1) * 48 : 0;
    const isPlastic = load<u32>(body + BODY_PLASTIC) != 0;
    const plastic = isPlastic && projection == 0 ? plastics + i * 48 : 0;
    const constants = v128.load(whole + (i << 4));
    const law = v128.load(laws + (i << 4));
    const side = v128.load(lost + (i << 4));
    const damage = w(side);
    doubleElasticStrain(context, i, body, projection, plastic, constants);
    // The stress of computeOverstress.
    const s0 = response.s0;
    const s1 = response.s1;
    const s2 = response.s2;
    const mu = <f64>y(constants);
    const trace = x(s0) + y(s1) + z(s2);
    const pressure = 0.5 * (<f64>x(constants) + <f64>z(constants)) * (<f64>x(s0) + <f64>y(s1) + <f64>z(s2));
    const xx = pressure + mu * <f64>x(s0);
    const yy = pressure + mu * <f64>y(s1);
    const zz = pressure + mu * <f64>z(s2);
    const xy = mu * <f64>y(s0);
    const xz = mu * <f64>z(s0);
    const yz = mu * <f64>z(s1);
    const young = x(law);
    const far = <f64>(FAR_BELOW * scoreOf(leastScores, i) * strengthOf(law, plastic) * young);
    const below = isBelow(far * (1 - FAR_MARGIN), xx, yy, zz, yz, xz, xy);
    if (damage == 0 && below) {
      if (before != 0) markAll(context, i, 0);
      continue;
    }
    if (isPlastic || isCrushed(damage, law) || (!below && isBelow(far * (1 + FAR_MARGIN), xx, yy, zz, yz, xz, xy))) {
      if (!markAll(context, i, 1)) continue;
    } else {
      const lambda = x(constants) + z(constants);
      const c = (<f32>2 * lambda) / young;
      const stiffest = z(v128.load(limits + (i << 4)));
      const square = dot(side, side);
      let stress: f32 = 0;
      if (!below) {
        // The largest of three numbers is above their mean by 1 / sqrt(6) to sqrt(2 / 3) of the root of the sum of squares.
        const mean = trace / <f32>3;
        const deviation = sqrt(max<f32>(0, squaresOf(s0, s1, s2) - trace * mean));
        const most = mean + <f32>0.81651 * deviation;
        const next = mean + <f32>0.40824 * deviation;
        boundStretches(stiffest, c, <f32>0.25 * (trace - most), <f32>0.25 * (trace - next));
        stress = (<f32>pressure + y(constants) * most) / young;
        stress += STRESS_MARGIN * ((abs(<f32>pressure) + y(constants) * (abs(mean) + deviation)) / young);
      } else if (square > 0) {
        const own = x(side) * dot(s0, side) + y(side) * dot(s1, side) + z(side) * dot(s2, side);
        const across = <f32>0.25 * (trace - own / square);
        boundStretches(stiffest, c, across, across);
      } else {
        boundStretches(stiffest, c, 0, 0);
      }
      if (!markStrained(context, i, stress)) continue;
    }
    store<u32>(strained + (i << 2), OWN);
    store<u32>(block, 1);
  }
}
