import {
  BLOCK,
  BLOCK_SUMS,
  BOND_BEGIN,
  BOND_LIMITS,
  BOND_NEIGHBORS,
  BOND_SCORES,
  CONSTRAINED,
  DISPLACEMENT,
  ELASTIC_WHOLE,
  FIRST_MOMENT,
  FLUX,
  FRACTURE_LAW,
  LOST,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  OVERSTRESS,
  PAIRS,
  PLASTIC,
  REST,
  SUMS,
} from '../../src/particles/layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { dot, matrixTimes, vector, w, x, y, z } from '../math/simd';
import * as fit from './fit';
import * as plasticity from './plasticity';
import * as response from './response';

/** How much a bond bears, and how near it is to what breaks it; see fracture.ts. */

/** A bond is across a principal direction when the squared cosine of their angle is at least this. */
export const ACROSS: f32 = 0.25;
/** Bonds with less than this share left are broken. */
const BROKEN: f32 = 0.005;
/** Particles with more damage than this are at a crack. */
const CRACKED: f32 = 0.02;
/** Bonds behind a fresh crack face bear up to this many times more, so that layers do not peel off ([K06] 5.6). */
const BEHIND: f32 = 2;
/** From this share of a lost side on they do in full. */
const SIDE: f32 = 0.25;
/** Up to here the law of shareFor holds. */
const STIFFEST_SHARE: f32 = 2;
/** Stress over Young's modulus of what is crushed. */
export const CRUSHED: f32 = 1e6;

/** Strength that plastic strain has left, as a strain. */
// @ts-ignore: decorator
@inline
export function strengthOf(law: v128, plastic: usize): f32 {
  const strength = y(law);
  return plastic == 0 ? strength : strength * max<f32>(0, <f32>1 - load<f32>(plastic, 12) / w(law));
}

/** What a score leaves of the strength of a bond, or of all of a particle's. */
// @ts-ignore: decorator
@inline
export function scoreOf(scores: usize, k: usize): f32 {
  return scores == 0 ? 1 : load<f32>(scores + (k << 2));
}

/** Twice the elastic Green strain of a particle by the linear fit, into the rows of response; as in computeStresses. */
export function doubleElasticStrain(
  context: usize,
  i: usize,
  body: usize,
  projection: usize,
  plastic: usize,
  constants: v128,
): void {
  const field = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverse = <usize>load<u32>(context + MOMENT_INVERSE) + i * 48;
  const flux = <usize>load<u32>(context + FLUX) + i * 48;
  fit.fitLinear(field, i, begins, neighbors, pairs, <usize>load<u32>(context + FIRST_MOMENT), inverse, flux);
  if (plastic == 0) {
    response.doubleStrainWithin(projection, fit.g0, fit.g1, fit.g2);
    return;
  }
  const scratch = <usize>load<u32>(context + BLOCK_SUMS) + (i / BLOCK) * SUMS * 8;
  plasticity.elasticPartAfter(0, body, plastic, 0, constants, scratch, fit.g0, fit.g1, fit.g2);
  response.doubleStrainWithin(projection, plasticity.e0, plasticity.e1, plasticity.e2);
}
/** A small number in [0, 1) for a pair, the same from both ends: no two bonds are equally near to breaking. */
// @ts-ignore: decorator
@inline
function scatter(i: usize, j: usize): f32 {
  let h = (<u32>min(i, j) * 0x9e3779b9) ^ (<u32>max(i, j) * 0x85ebca6b);
  h = (h ^ (h >>> 15)) * 0x2c1b3c6d;
  h = (h ^ (h >>> 12)) * 0x297a2d39;
  return <f32>((h ^ (h >>> 15)) >>> 8) / <f32>16777216;
}

/** Length of r after plastic flow: |F_p r| = |(I + B)^-1 r|. */
function plasticLength(state: usize, r: v128): f32 {
  invert(v128.load(state), v128.load(state, 16), v128.load(state, 32));
  const flowed = matrixTimes(i0, i1, i2, r);
  return sqrt(dot(flowed, flowed));
}

/** How much more a bond along n bears, for what its end has lost on the other side. */
// @ts-ignore: decorator
@inline
function behind(lost: v128, n: v128): f32 {
  return <f32>1 + (BEHIND - <f32>1) * min<f32>(1, max<f32>(0, -dot(lost, n)) / SIDE);
}

/** Squared cosine of a bond along n and the side that its end has lost; 0 on the other side. */
// @ts-ignore: decorator
@inline
function towards(lost: v128, n: v128): f32 {
  const along = dot(lost, n);
  const square = dot(lost, lost);
  return w(lost) > CRACKED && along > 0 && square > 0 ? (along * along) / square : 0;
}

// What `judge` finds of a bond: direction in the rest shape, length, strain over strength, and the share that this leaves.
export let direction: v128 = i32x4(0, 0, 0, 0);
export let apart: f32 = 0;
export let ratio: f32 = 0;
export let leaves: f32 = 0;

/**
 * Share s of its bonds with which a layer has the stress t of a whole one. Solved for layers of a cubic lattice that part
 * (energies of the fit and of the stabilisation, neighbours up to two layers away): t = s (c + p s) / (1 + b s + d s^2)
 * within 1 % for q from 0.1 to 2, where q is the modulus of the stabilisation over that of the layer, 1 in a bar without
 * lateral contraction. Without the stabilisation the last bonds would hold nothing: c is in proportion to it.
 */
function shareFor(t: f32, q: f32): f32 {
  const c = <f32>0.372 * q;
  const b = (<f32>0.691 * q + <f32>0.993) * q - <f32>1.69;
  const d = (<f32>0.115 * q - <f32>0.442) * q + <f32>1.066;
  const square = <f32>1 + b + d - c - t * d;
  const linear = c - t * b;
  return (<f32>2 * t) / (linear + sqrt(linear * linear + <f32>4 * square * t));
}

/** Strain of the bond k against its strength, the same from both ends. `before` is the share that is left. */
export function judge(context: usize, i: usize, j: usize, k: usize, before: f32): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const laws = <usize>load<u32>(context + FRACTURE_LAW);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const lost = <usize>load<u32>(context + LOST);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const mi = v128.load(rest + (i << 4));
  const mj = v128.load(rest + (j << 4));
  const r = f32x4.sub(mj, mi);
  const d = f32x4.add(r, f32x4.sub(v128.load(displacements + (j << 4)), v128.load(displacements + (i << 4))));
  const length = sqrt(dot(r, r));
  const pi = plastics != 0 && load<f32>(plastics + i * 48, 12) > 0 ? plastics + i * 48 : 0;
  const pj = plastics != 0 && load<f32>(plastics + j * 48, 12) > 0 ? plastics + j * 48 : 0;
  let natural = length;
  if (pi != 0 || pj != 0) {
    natural = <f32>0.5 * ((pi != 0 ? plasticLength(pi, r) : length) + (pj != 0 ? plasticLength(pj, r) : length));
  }
  apart = sqrt(dot(d, d));
  const stretch = apart / natural - <f32>1;
  const n = f32x4.div(r, f32x4.splat(length));
  direction = n;

  // Stress of the two ends, where the bond is across it; as the strain of a bar.
  const oi = v128.load(overstress + (i << 4));
  const oj = v128.load(overstress + (j << 4));
  const ci = dot(oi, n);
  const cj = dot(oj, n);
  const si: f32 = ci * ci >= ACROSS ? w(oi) : 0;
  const sj: f32 = cj * cj >= ACROSS ? w(oj) : 0;
  // Bonds that are whole are stretched beside a pressure, too, which does not break them, and by flow.
  if (max(w(oi), w(oj)) >= CRUSHED) {
    ratio = CRUSHED;
    leaves = 0;
    return;
  }
  const ti = v128.load(lost + (i << 4));
  const tj = v128.load(lost + (j << 4));
  const cracked = max(w(ti), w(tj)) > CRACKED;
  const opens = before < <f32>1 || cracked || (max(w(oi), w(oj)) > 0 && pi == 0 && pj == 0);
  // Seen along the principal direction: bonds that are aslant are stretched less.
  // Where what is left bears little, that of the side that is lost.
  const lostSide = max(towards(ti, n), towards(tj, f32x4.neg(n)));
  const cosine2 = w(oi) > 0 || w(oj) > 0 ? max(ci * ci, cj * cj) : lostSide >= ACROSS ? lostSide : <f32>1;
  const square = max(cosine2, ACROSS);
  const constraints = <usize>load<u32>(context + CONSTRAINED);
  const constraint = f32x4.mul(
    f32x4.splat(0.5), f32x4.add(v128.load(constraints + (i << 4)), v128.load(constraints + (j << 4))),
  );
  const along = x(constraint);
  const across = w(constraint);
  // Stress over Young's modulus.
  const normal = (stretch - z(constraint) * (<f32>1 - square)) / square;
  const strain = max(opens ? along * normal + across : <f32>0, <f32>0.5 * (si + sj));

  const li = v128.load(laws + (i << 4));
  const lj = v128.load(laws + (j << 4));
  const young = <f32>0.5 * (x(li) + x(lj));
  const score = scoreOf(<usize>load<u32>(context + BOND_SCORES), k);
  const energy = score * min(z(li), z(lj));
  const bears = max(behind(ti, n), behind(tj, f32x4.neg(n)));
  const strength = score * min(strengthOf(li, pi), strengthOf(lj, pj));
  const spacing = w(mi) + w(mj);
  // Strain at which nothing is left; without an energy, that of the strength.
  const last = energy >= 0 && strength > 0 ? (<f32>2 * energy) / (young * strength * spacing) : strength;
  const first = max<f32>(0, strength - across) / along;
  if (last <= first) {
    const limit = cracked && energy >= 0 ? min(strength, sqrt((<f32>2 * energy) / (young * spacing))) : strength;
    ratio = strain / (bears * limit);
    leaves = ratio > <f32>1 ? 0 : 1;
  } else {
    ratio = strain / (bears * strength);
    // Of a plane that opens, a bond that goes far across is strained less.
    const opened = first + max<f32>(0, (strain / bears - across) / along - first) * ((length * sqrt(square)) / spacing);
    const whole = along * opened + across;
    const stress = ((strength / whole) * (last - opened)) / (last - first);
    leaves = opened >= last ? 0 : shareFor(stress, min(y(constraint) / along, STIFFEST_SHARE));
    if (opened <= first) leaves = 1;
    if (leaves < BROKEN) leaves = 0;
  }
  // Of those that are as near, the one that is most across.
  ratio *= <f32>1 + <f32>1e-4 * scatter(i, j) + <f32>1e-3 * cosine2;
}
/** Stress over Young's modulus that a strain makes which nothing follows across it. */
// @ts-ignore: decorator
@inline
function confinement(constants: v128, young: f32): f32 {
  return (x(constants) + z(constants) + <f32>2 * y(constants)) / young;
}

/**
 * The least strains at which one of the bonds of each particle may break, without scores and the strength that plastic
 * strain takes: the least limits of `judge`, by the strength and, at a crack, by the energy. And the largest factor that
 * `judge` multiplies strains with.
 */
export function noteLimits(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const laws = <usize>load<u32>(context + FRACTURE_LAW);
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const limits = <usize>load<u32>(context + BOND_LIMITS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = v128.load(laws + (i << 4));
    const radius = load<f32>(rest + (i << 4), 12);
    let strength = y(own);
    let atCracks = f32.MAX_VALUE;
    let stiffest = max<f32>(1, confinement(v128.load(whole + (i << 4)), x(own)));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const law = v128.load(laws + (j << 4));
      strength = min(strength, y(law));
      stiffest = max(stiffest, confinement(v128.load(whole + (j << 4)), x(law)));
      const energy = min(z(own), z(law));
      if (energy < 0) continue;
      const young = <f32>0.5 * (x(own) + x(law));
      atCracks = min(atCracks, sqrt((<f32>2 * energy) / (young * (radius + load<f32>(rest + (j << 4), 12)))));
    }
    v128.store(limits + (i << 4), vector(strength, atCracks, stiffest, 0));
  }
}
