import {
  BLOCK,
  BLOCK_BREAKING,
  BLOCK_SUMS,
  BODIES,
  BODY_BREAKS,
  BODY_OF,
  BODY_PLASTIC,
  BODY_STRIDE,
  BOND_BEGIN,
  BOND_NEIGHBORS,
  BOND_SCORES,
  BOND_WEIGHTS,
  BONDS_LEFT,
  CONSTRAINED,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  ELASTIC_WHOLE,
  FIT_STIFFNESS,
  FIRST_MOMENT,
  FLUX,
  FRACTURE_LAW,
  GRADIENT_SUM,
  LEAST_SCORE,
  LOST,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  OVERSTRESS,
  PAIRS,
  PLASTIC,
  POINT_COUNT,
  PROJECTIONS,
  REFIT,
  REST,
  STRAIN,
  SUMS,
  WEAKEST,
} from '../../src/particles/layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { largestColumn, pseudoInverse, storeSymmetric } from '../math/pseudo-inverse';
import { dot, matrixTimes, rowSumBound, vector, w, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import * as fit from './fit';
import { RANK_TOLERANCE } from './moments';
import * as plasticity from './plasticity';
import * as response from './response';

/**
 * Fracture by bonds that lose their weight. A bond is a pair of neighbours; the share s_ij of its weight that is left
 * never grows. With s_ij the moment matrix, the fit and the stabilisation of both ends change as if the neighbour were
 * farther away, so that linear displacements are still fitted exactly and momenta are kept; and a particle carries only
 * the share phi_i of its stiffness that its moment matrix has left along the direction that has lost most.
 *
 * Across a plane whose bonds have the share s left and are strained by e, the stress is then a function of s times E e
 * (measured, see shareFor). Softening: from the strength on, at the strain e_0, it falls linearly to zero at e_1, and the work of a layer of bonds is that of the crack,
 * E e_0 e_1 dx / 2 = G_c (crack band, Bazant and Oh 1983). Where spacings are too wide for that, e_1 < e_0, bonds break at
 * once: those of a whole body at the strength, those at a crack at the strain at which their layer holds G_c.
 */

/** Below this share of the strength nothing is looked at. */
const FAR_BELOW: f32 = 0.5;
/** A bond is across a principal direction when the squared cosine of their angle is at least this. */
const ACROSS: f32 = 0.25;
/** Bonds with less than this share left are broken. */
const BROKEN: f32 = 0.005;
/** Particles with more damage than this are at a crack. */
const CRACKED: f32 = 0.02;
/** Bonds behind a fresh crack face bear up to this many times more, so that layers do not peel off ([K06] 5.6). */
const BEHIND: f32 = 2;
/** From this share of a lost side on they do in full. */
const SIDE: f32 = 0.25;

/**
 * What has lost more than this share of its bonds, and is strained by more than this (twice the Green strain) and this many
 * times its strength, is crushed: nothing holds it any more.
 */
const LOOSE: f32 = 0.25;
const CRUSHING: f32 = 0.3;
const CRUSHING_STRENGTHS: f32 = 16;
/** Share of its stiffness that a particle keeps at least. */
const SOFTEST: f32 = 1e-4;
/** Weight of the stabilisation for which the law of shareFor was found. */
const USUAL_STABILISATION: f32 = 0.75;
/** Up to here the law of shareFor holds. */
const STIFFEST_SHARE: f32 = 2;
/** Stress over Young's modulus of what is crushed. */
const CRUSHED: f32 = 1e6;

/** Weights of the bonds of whole bodies, w = g . r / r . r, and how stiff their fits are. */
export function noteBonds(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const weights = <usize>load<u32>(context + BOND_WEIGHTS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const stiffnesses = <usize>load<u32>(context + FIT_STIFFNESS);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const constraints = <usize>load<u32>(context + CONSTRAINED);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const here = v128.load(rest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    let trace: f32 = 0;
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      const moment = dot(v128.load(pairs + (k << 4)), r);
      store<f32>(weights + (k << 2), moment / dot(r, r));
      store<f32>(left + (k << 2), 1);
      trace += moment;
    }
    const alpha = load<f32>(inverses + i * 48, 28);
    store<f32>(constraints + (i << 4), (alpha * trace) / (<f32>3 * USUAL_STABILISATION * load<f32>(elastic + (i << 4), 12)), 4);
    store<f32>(stiffnesses + (i << 3), fitStiffness(i, begins, pairs, inverses));
    store<f32>(stiffnesses + (i << 3), load<f32>(inverses + i * 48, 28), 4);
  }
}

/** sum_j |M^-1 g|^2 + |M^-1 sum_j g|^2: how stiff a fit is for its neighbours and the particle itself. */
function fitStiffness(i: usize, begins: usize, pairs: usize, inverses: usize): f32 {
  const m0 = v128.load(inverses + i * 48);
  const m1 = v128.load(inverses + i * 48, 16);
  const m2 = v128.load(inverses + i * 48, 32);
  const last = <usize>load<u32>(begins + (i << 2), 4);
  let sum: f32 = 0;
  let ox: f32 = 0;
  let oy: f32 = 0;
  let oz: f32 = 0;
  for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
    const g = v128.load(pairs + (k << 4));
    const a = dot(m0, g);
    const b = dot(m1, g);
    const c = dot(m2, g);
    sum += a * a + b * b + c * c;
    ox += a;
    oy += b;
    oz += c;
  }
  return sum + (ox * ox + oy * oy + oz * oz);
}

/** Strength that plastic strain has left, as a strain. */
// @ts-ignore: decorator
@inline
function strengthOf(law: v128, plastic: usize): f32 {
  const strength = y(law);
  return plastic == 0 ? strength : strength * max<f32>(0, <f32>1 - load<f32>(plastic, 12) / w(law));
}

/** What a score leaves of the strength of a bond, or of all of a particle's. */
// @ts-ignore: decorator
@inline
function scoreOf(scores: usize, k: usize): f32 {
  return scores == 0 ? 1 : load<f32>(scores + (k << 2));
}

/** Twice the elastic Green strain of a particle by the linear fit, into the rows of response; as in computeStresses. */
function doubleElasticStrain(
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

/**
 * Largest principal stress of what is whole of a particle, and its direction in the rest shape: of S = lambda tr(E) I +
 * 2 mu E with the elastic Green strain E.
 */
export function computeOverstress(begin: u32, end: u32, context: usize): void {
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + FRACTURE_LAW);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const constraints = <usize>load<u32>(context + CONSTRAINED);
  const lost = <usize>load<u32>(context + LOST);
  const leastScores = <usize>load<u32>(context + LEAST_SCORE);
  const blocks = <usize>load<u32>(context + BLOCK_BREAKING);
  const scratches = <usize>load<u32>(context + BLOCK_SUMS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const block = blocks + ((i / BLOCK) << 2);
    if ((i & (BLOCK - 1)) == 0) store<u32>(block, 0);
    const out = overstress + (i << 4);
    v128.store(out, f32x4.splat(0));
    store<f32>(constraints + (i << 4), 1);
    store<f32>(constraints + (i << 4), 0, 8);
    store<f32>(constraints + (i << 4), 0, 12);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_BREAKS) == 0) continue;
    if (load<f32>(lost + (i << 4), 12) > 0) store<u32>(block, 1);
    const number = <usize>load<u32>(deficient + (i << 2));
    const projection = number != 0 ? projections + (number - 1) * 48 : 0;
    const plastic = load<u32>(body + BODY_PLASTIC) != 0 && projection == 0 ? plastics + i * 48 : 0;
    const scratch = scratches + (i / BLOCK) * SUMS * 8;
    const constants = v128.load(whole + (i << 4));
    doubleElasticStrain(context, i, body, projection, plastic, constants);
    const mu = <f64>y(constants);
    const spread = 0.5 * (<f64>x(constants) + <f64>z(constants)) *
      (<f64>x(response.s0) + <f64>y(response.s1) + <f64>z(response.s2));
    const xx = spread + mu * <f64>x(response.s0);
    const yy = spread + mu * <f64>y(response.s1);
    const zz = spread + mu * <f64>z(response.s2);
    const xy = mu * <f64>y(response.s0);
    const xz = mu * <f64>z(response.s0);
    const yz = mu * <f64>z(response.s1);
    const law = v128.load(laws + (i << 4));
    if (load<f32>(lost + (i << 4), 12) > LOOSE) {
      const strain = rowSumBound(response.s0, response.s1, response.s2);
      if (!(strain <= max(CRUSHING, CRUSHING_STRENGTHS * y(law)))) {
        v128.store(out, vector(0, 0, 0, CRUSHED));
        continue;
      }
    }
    const limit = <f64>(FAR_BELOW * scoreOf(leastScores, i) * strengthOf(law, plastic) * x(law));
    // No eigenvalue is larger than this.
    const bound = max(max(xx + abs(xy) + abs(xz), yy + abs(xy) + abs(yz)), zz + abs(xz) + abs(yz));
    if (!(bound >= limit && bound > 0)) {
      noteLostSide(constraints + (i << 4), v128.load(lost + (i << 4)), constants, x(law));
      continue;
    }
    storeSymmetric(scratch, xx, xy, xz, yy, yz, zz);
    jacobiEigen(scratch, scratch + 48);
    const largest = max(max(load<f64>(scratch), load<f64>(scratch, 24)), load<f64>(scratch, 40));
    if (!(largest >= limit)) {
      noteLostSide(constraints + (i << 4), v128.load(lost + (i << 4)), constants, x(law));
      continue;
    }
    const v = scratch + 48 + largestColumn(scratch);
    const e = vector(<f32>load<f64>(v), <f32>load<f64>(v, 24), <f32>load<f64>(v, 48), 0);
    const stress = <f32>largest / x(law);
    v128.store(out, f32x4.replace_lane(e, 3, stress));
    noteConstraint(constraints + (i << 4), e, constants, x(law));
    store<u32>(block, 1);
  }
}

/**
 * Stress along e is so many times the strain along it, and what the strains across it add; both over Young's modulus. The
 * mean of the strains across.
 */
function noteConstraint(out: usize, e: v128, constants: v128, young: f32): void {
  const lambda = x(constants) + z(constants);
  const trace = x(response.s0) + y(response.s1) + z(response.s2);
  const along = x(e) * dot(response.s0, e) + y(e) * dot(response.s1, e) + z(e) * dot(response.s2, e);
  const across = <f32>0.25 * (trace - along);
  store<f32>(out, (lambda + <f32>2 * y(constants)) / young);
  store<f32>(out, across, 8);
  store<f32>(out, (<f32>2 * lambda * across) / young, 12);
}

/** The same along the side that is lost, of what bears little. */
function noteLostSide(out: usize, side: v128, constants: v128, young: f32): void {
  const length = sqrt(dot(side, side));
  if (length > 0) noteConstraint(out, f32x4.div(side, f32x4.splat(length)), constants, young);
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

// What `judge` finds of a bond: direction in the rest shape, strain over strength, and the share that this leaves.
let direction: v128 = i32x4(0, 0, 0, 0);
let ratio: f32 = 0;
let leaves: f32 = 0;

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
function judge(context: usize, i: usize, j: usize, k: usize, before: f32): void {
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
  const stretch = sqrt(dot(d, d)) / natural - <f32>1;
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

/** May something of a particle break? */
// @ts-ignore: decorator
@inline
function mayBreak(overstress: usize, lost: usize, i: usize): bool {
  return load<f32>(overstress + (i << 4), 12) > 0 || load<f32>(lost + (i << 4), 12) > 0;
}

/** The bond of each particle that is nearest to breaking, of those that are whole. */
export function findWeakest(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const lost = <usize>load<u32>(context + LOST);
  const weakest = <usize>load<u32>(context + WEAKEST);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let best = f32x4.splat(0);
    const own = mayBreak(overstress, lost, i);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const before = load<f32>(left + (k << 2));
      const j = <usize>load<u32>(neighbors + (k << 2));
      if (before < <f32>1 || !(own || mayBreak(overstress, lost, j))) continue;
      judge(context, i, j, k, before);
      if (ratio > w(best)) best = f32x4.replace_lane(direction, 3, ratio);
    }
    v128.store(weakest + (i << 4), best);
  }
}

/**
 * Takes weight from the bonds that are strained beyond their strength. Of those that are whole only the ones on the side
 * of the weakest bond, at both ends: a layer that is pulled evenly parts on one side, not on both.
 */
export function weakenBonds(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const lost = <usize>load<u32>(context + LOST);
  const weakest = <usize>load<u32>(context + WEAKEST);
  const refit = <usize>load<u32>(context + REFIT);
  const blocks = <usize>load<u32>(context + BLOCK_BREAKING);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const looked = mayBreak(overstress, lost, i);
    const own = v128.load(weakest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    let found: u32 = 0;
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const before = load<f32>(left + (k << 2));
      const j = <usize>load<u32>(neighbors + (k << 2));
      if (before == 0 || !(looked || mayBreak(overstress, lost, j))) continue;
      judge(context, i, j, k, before);
      if (!(ratio > <f32>1) || leaves >= before) continue;
      if (before == <f32>1 && ratio < CRUSHED) {
        if (!(dot(own, direction) > 0)) continue;
        if (!(dot(v128.load(weakest + (j << 4)), direction) < 0)) continue;
      }
      store<f32>(left + (k << 2), leaves);
      found |= leaves == 0 ? 6 : 2;
    }
    if (found == 0) continue;
    store<u32>(refit + (i << 2), 1);
    const block = blocks + ((i / BLOCK) << 2);
    store<u32>(block, load<u32>(block) | found);
  }
}

/** Fits, stabilisation, stiffness and damage of the particles whose bonds have changed. */
export function refitBonds(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const all = <usize>load<u32>(context + BOND_BEGIN);
  const bonded = <usize>load<u32>(context + BOND_NEIGHBORS);
  const weights = <usize>load<u32>(context + BOND_WEIGHTS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const lost = <usize>load<u32>(context + LOST);
  const refit = <usize>load<u32>(context + REFIT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const stiffnesses = <usize>load<u32>(context + FIT_STIFFNESS);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const strains = <usize>load<u32>(context + STRAIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const scratches = <usize>load<u32>(context + BLOCK_SUMS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(refit + (i << 2)) == 0) continue;
    const scratch = scratches + (i / BLOCK) * SUMS * 8;
    const here = v128.load(rest + (i << 4));

    // Pairs, and what is lost. The pairs are the bonds but for some that are broken.
    let sum = f32x4.splat(0);
    let side = f32x4.splat(0);
    let total: f32 = 0;
    let gone: f32 = 0;
    let m0: f64 = 0;
    let m1: f64 = 0;
    let m2: f64 = 0;
    let m3: f64 = 0;
    let m4: f64 = 0;
    let m5: f64 = 0;
    let l0: f64 = 0;
    let l1: f64 = 0;
    let l2: f64 = 0;
    let l3: f64 = 0;
    let l4: f64 = 0;
    let l5: f64 = 0;
    let pair = <usize>load<u32>(begins + (i << 2));
    const lastPair = <usize>load<u32>(begins + (i << 2), 4);
    const last = <usize>load<u32>(all + (i << 2), 4);
    for (let k = <usize>load<u32>(all + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(bonded + (k << 2));
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      const weight = load<f32>(weights + (k << 2));
      const share = load<f32>(left + (k << 2));
      const rx = <f64>x(r);
      const ry = <f64>y(r);
      const rz = <f64>z(r);
      const has = <f64>(weight * share);
      m0 += has * rx * rx;
      m1 += has * rx * ry;
      m2 += has * rx * rz;
      m3 += has * ry * ry;
      m4 += has * ry * rz;
      m5 += has * rz * rz;
      const losts = weight * (<f32>1 - share);
      l0 += <f64>losts * rx * rx;
      l1 += <f64>losts * rx * ry;
      l2 += <f64>losts * rx * rz;
      l3 += <f64>losts * ry * ry;
      l4 += <f64>losts * ry * rz;
      l5 += <f64>losts * rz * rz;
      total += weight;
      gone += losts;
      side = f32x4.add(side, f32x4.mul(f32x4.splat(losts / sqrt(dot(r, r))), r));
      if (pair == lastPair || <usize>load<u32>(neighbors + (pair << 2)) != j) continue;
      const g = f32x4.mul(f32x4.splat(weight * share), r);
      sum = f32x4.add(sum, g);
      v128.store(pairs + (pair << 4), f32x4.replace_lane(g, 3, 0));
      pair++;
    }
    v128.store(sums + (i << 4), f32x4.replace_lane(sum, 3, load<f32>(sums + (i << 4), 12)));
    const damage: f32 = total > 0 ? gone / total : 0;
    // A side that is lost makes a mean of about a quarter of all weights.
    const perSide: f32 = total > 0 ? <f32>4 / total : 0;
    v128.store(lost + (i << 4), f32x4.replace_lane(f32x4.mul(f32x4.splat(perSide), side), 3, damage));

    // Share of the stiffness: along the direction that has lost most.
    const vectors = scratch + 48;
    let share: f64 = 1;
    if (gone > 0) {
      storeSymmetric(scratch, l0, l1, l2, l3, l4, l5);
      jacobiEigen(scratch, vectors);
      const most = max(max(load<f64>(scratch), load<f64>(scratch, 24)), load<f64>(scratch, 40));
      const v = vectors + largestColumn(scratch);
      const a = load<f64>(v);
      const b = load<f64>(v, 24);
      const c = load<f64>(v, 48);
      const has = a * a * m0 + b * b * m3 + c * c * m5 + 2 * (a * b * m1 + a * c * m2 + b * c * m4);
      share = has / (has + most);
    }

    storeSymmetric(scratch, m0, m1, m2, m3, m4, m5);
    const rank = pseudoInverse(scratch, vectors, RANK_TOLERANCE, inverses + i * 48, projections + i * 48);
    if (rank < 3) store<f32>(projections + i * 48, <f32>rank, 12);
    store<u32>(deficient + (i << 2), rank < 3 ? <u32>i + 1 : 0);

    // What is held by few bonds would be stiffer, and is not: steps stay as long as they were.
    const stiffness = fitStiffness(i, begins, pairs, inverses);
    const before = load<f32>(stiffnesses + (i << 3));
    let phi = <f32>share;
    if (stiffness * phi > before) phi = before / stiffness;
    const volume = load<f32>(elastic + (i << 4), 12);
    phi = max(phi, SOFTEST);
    const constants = f32x4.mul(f32x4.splat(phi), v128.load(whole + (i << 4)));
    v128.store(elastic + (i << 4), f32x4.replace_lane(constants, 3, volume));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const plastic = load<u32>(body + BODY_PLASTIC) != 0 ? plastics + i * 48 : 0;
    const alpha = phi * load<f32>(stiffnesses + (i << 3), 4);
    store<f32>(inverses + i * 48, alpha, 28);
    store<f32>(inverses + i * 48, plastic == 0 ? alpha : alpha * load<f32>(plastic, 28), 12);

    // The strain that the rate goes by is seen with the new fit.
    doubleElasticStrain(context, i, body, rank < 3 ? projections + i * 48 : 0, rank == 3 ? plastic : 0, constants);
    const half = f32x4.splat(0.5);
    v128.store(strains + (i << 5), f32x4.mul(half, vector(x(response.s0), y(response.s1), z(response.s2), 0)));
    v128.store(strains + (i << 5), f32x4.mul(half, vector(z(response.s1), z(response.s0), y(response.s0), 0)), 16);
  }
}

/** Weights of the stabilisation of the pairs of which an end has changed. */
export function rebond(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const refit = <usize>load<u32>(context + REFIT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(refit + (i << 2));
    const mine = load<f32>(inverses + i * 48, 12);
    const here = v128.load(rest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      if ((own | load<u32>(refit + (j << 2))) == 0) continue;
      const pair = pairs + (k << 4);
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      store<f32>(pair, (dot(v128.load(pair), r) / dot(r, r)) * (mine + load<f32>(inverses + j * 48, 12)), 12);
    }
  }
}

/** Takes the broken bonds out of the lists of neighbours; one thread. */
export function removeBroken(begin: u32, end: u32, context: usize): void {
  const all = <usize>load<u32>(context + BOND_BEGIN);
  const bonded = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const count = <usize>load<u32>(context + POINT_COUNT);
  let to: usize = 0;
  let from: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const lastPair = <usize>load<u32>(begins + (i << 2), 4);
    let k = <usize>load<u32>(all + (i << 2));
    for (; from < lastPair; from++) {
      const j = load<u32>(neighbors + (from << 2));
      while (load<u32>(bonded + (k << 2)) != j) k++;
      if (load<f32>(left + (k << 2)) == 0) continue;
      store<u32>(neighbors + (to << 2), j);
      v128.store(pairs + (to << 4), v128.load(pairs + (from << 4)));
      to++;
    }
    store<u32>(begins + (i << 2), <u32>to, 4);
  }
}
