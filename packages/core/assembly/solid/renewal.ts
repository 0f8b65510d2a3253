import {
  BLOCK,
  BODIES,
  BODY_OF,
  BODY_STIFFEST_FIT,
  BODY_STRIDE,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  FIRST_MOMENT,
  FLUX,
  GRADIENT_SUM,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  OFFSETS,
  PAIRS,
  PLASTIC,
  RENEWED_AT,
  REST,
  STRAIN,
  SUMS,
} from '../../src/particles/layout';
import {
  BLOCK_FLOWED,
  BLOCK_SCRATCH,
  BLOCK_STRAIN,
  CHANGED,
  MEMBERS,
  RENEWAL_BONDS,
  RENEWAL_CUT,
  RENEWAL_FLOWED_BY,
  RENEWAL_ORIGIN,
  RENEWAL_PLACES,
  RENEWAL_VOLUME,
  SOLIDS,
} from '../../src/particles/renewal-layout';
import { cross, dot, vector, w, x, y, z } from '../math/simd';
import { storeSymmetric } from '../math/pseudo-inverse';
import { jacobiEigen } from '../math/symmetric';
import * as fit from './fit';
import { computeGradientWeights } from './moments';
import { restVector } from './offsets';
import * as plasticity from './plasticity';

/**
 * New neighbours for solids that have flowed: rest positions are where the particles are now. What is elastic of the
 * deformation, F_e = V_e R, stays as V_e, since the laws are isotropic; no field has to be embedded. Passes are on
 * members, see particles/arrays/renewal.ts; who becomes a neighbour is in renewal-search.ts, with what rest vector in
 * renewal-offsets.ts.
 */

/** det F_e below this is folded over, and has no stress that could be kept. */
const FOLDED: f64 = 0.05;
/** What flows is stretched elastically by no more than this, and shrunk by no less than one over it; else its neighbours are in disorder. */
const MOST: f64 = 4;
/**
 * Neighbours span space when the determinant of the moment matrix is more than this share of a ball's; it is 0.9 at a corner
 * of a lattice. Particles below it have no stress: one with 1e-3 would set the step of all.
 */
const SPANNED: f64 = 0.08;
/** Neighbourhoods with less than this share of a ball's evenness fade out. */
const EVEN: f64 = 0.5;
/** Of the stiffness of a fit, as the step goes by it: neighbourhoods get irregular, and power iteration at rest comes from below. */
const MARGIN: f64 = 1.2;

// @ts-ignore: decorator
@inline
function isBlockEnd(k: usize, end: usize): bool {
  return ((k + 1) & (BLOCK - 1)) == 0 || k + 1 == end;
}

/** How far everything has flowed since the last renewal. */
export function measureFlow(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  const renewed = <usize>load<u32>(solids + RENEWED_AT);
  const strains = <usize>load<u32>(context + BLOCK_STRAIN);
  const counts = <usize>load<u32>(context + BLOCK_FLOWED);
  const flowedBy = load<f32>(context + RENEWAL_FLOWED_BY);
  let largest: f32 = 0;
  let flowed: f32 = 0;
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const since = load<f32>(plastics + i * 48, 12) - load<f32>(renewed + (i << 2));
    if (!(since <= largest)) largest = since;
    if (since > flowedBy) flowed += 1;
    if (isBlockEnd(k, <usize>end)) {
      store<f32>(strains + ((k / BLOCK) << 2), largest);
      store<f32>(counts + ((k / BLOCK) << 2), flowed);
      largest = 0;
      flowed = 0;
    }
  }
}

// @ts-ignore: decorator
@inline
export function isSpanned(inverses: usize, i: usize): bool {
  return load<f32>(inverses + i * 48) != 0;
}

/**
 * Rows of V_e - I into FLUX, which is free between steps, and new positions; RENEWAL_PLACES has the supports already. A
 * particle whose neighbours do not span space names the nearest whose do, in lane 3.
 */
export function noteStretches(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const positions = <usize>load<u32>(context + RENEWAL_PLACES);
  const scratches = <usize>load<u32>(context + BLOCK_SCRATCH);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const pairs = <usize>load<u32>(solids + PAIRS);
  const firsts = <usize>load<u32>(solids + FIRST_MOMENT);
  const inverses = <usize>load<u32>(solids + MOMENT_INVERSE);
  const flux = <usize>load<u32>(solids + FLUX);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  const origins = <usize>load<u32>(context + RENEWAL_ORIGIN);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const m = v128.load(rest + (i << 4));
    const at = f32x4.add(m, v128.load(displacements + (i << 4)));
    const position = positions + (k << 4);
    v128.store(position, f32x4.replace_lane(at, 3, load<f32>(position, 12)));
    const out = flux + i * 48;
    if (!isSpanned(inverses, i)) {
      let nearest: f32 = f32.MAX_VALUE;
      let source: u32 = 0;
      const last = <usize>load<u32>(begins + (i << 2), 4);
      for (let n = <usize>load<u32>(begins + (i << 2)); n < last; n++) {
        const j = <usize>load<u32>(neighbors + (n << 2));
        const d = f32x4.sub(v128.load(rest + (j << 4)), m);
        if (dot(d, d) >= nearest || !isSpanned(inverses, j)) continue;
        nearest = dot(d, d);
        source = <u32>j + 1;
      }
      store<u32>(out, source, 12);
      continue;
    }
    fit.fitLinear(displacements, i, begins, neighbors, pairs, firsts, inverses + i * 48, out);
    plasticity.elasticPartAfter(
      0, 0, plastics + i * 48, 0, f32x4.splat(0), 0, fit.g0, fit.g1, fit.g2,
    );
    const sound = storeStretch(out, scratches + (k / BLOCK) * SUMS * 8);
    if (!sound) store<u32>(origins + (i << 2), <u32>i | <u32>CHANGED);
  }
}

/** V - I of F F^T = V V from the rows of F - I that plasticity left; lane 3 of the first row is zero. Is it sound? */
function storeStretch(out: usize, scratch: usize): bool {
  const ax = <f64>x(plasticity.e0), ay = <f64>y(plasticity.e0), az = <f64>z(plasticity.e0);
  const bx = <f64>x(plasticity.e1), by = <f64>y(plasticity.e1), bz = <f64>z(plasticity.e1);
  const cx = <f64>x(plasticity.e2), cy = <f64>y(plasticity.e2), cz = <f64>z(plasticity.e2);
  const volume =
    (1 + ax) * ((1 + by) * (1 + cz) - bz * cy) - ay * (bx * (1 + cz) - bz * cx) + az * (bx * cy - (1 + by) * cx);
  const none = f32x4.splat(0);
  v128.store(out, none);
  v128.store(out, none, 16);
  v128.store(out, none, 32);
  if (!(volume > FOLDED)) return false;
  storeSymmetric(
    scratch,
    2 * ax + ax * ax + ay * ay + az * az,
    ay + bx + ax * bx + ay * by + az * bz,
    az + cx + ax * cx + ay * cy + az * cz,
    2 * by + bx * bx + by * by + bz * bz,
    bz + cy + bx * cx + by * cy + bz * cz,
    2 * cz + cx * cx + cy * cy + cz * cz,
  );
  const vectors = scratch + 48;
  jacobiEigen(scratch, vectors);
  const t0 = stretchOf(load<f64>(scratch));
  const t1 = stretchOf(load<f64>(scratch, 24));
  const t2 = stretchOf(load<f64>(scratch, 40));
  const s0 = bounded(t0), s1 = bounded(t1), s2 = bounded(t2);
  for (let a: usize = 0; a < 3; a++) {
    for (let b: usize = 0; b < 3; b++) {
      const va = vectors + a * 24;
      const vb = vectors + b * 24;
      const value =
        s0 * (load<f64>(va) * load<f64>(vb)) +
        s1 * (load<f64>(va, 8) * load<f64>(vb, 8)) +
        s2 * (load<f64>(va, 16) * load<f64>(vb, 16));
      store<f32>(out + (a << 4) + (b << 2), <f32>value);
    }
  }
  return s0 == t0 && s1 == t1 && s2 == t2;
}

/** A stretch less one that is no more than MOST, and no less than one over it. */
// @ts-ignore: decorator
@inline
function bounded(s: f64): f64 {
  return max<f64>(min<f64>(s, MOST - 1), 1 / MOST - 1);
}

/** sqrt(1 + e) - 1 */
// @ts-ignore: decorator
@inline
function stretchOf(e: f64): f64 {
  return e / (sqrt(max<f64>(1 + e, 0)) + 1);
}

/** Where the stretch of a particle is: its own, or that of the particle which it names. */
// @ts-ignore: decorator
@inline
export function stretchAt(flux: usize, i: usize): usize {
  const source = load<u32>(flux + i * 48, 12);
  return flux + (source != 0 ? <usize>(source - 1) : i) * 48;
}

/** (V V - I) / 2 from the rows of V - I: the strain that the rate of the next step goes by. */
function storeStrain(out: usize, a: v128, b: v128, c: v128): void {
  const half: f32 = 0.5;
  v128.store(out, vector(x(a) + half * dot(a, a), y(b) + half * dot(b, b), z(c) + half * dot(c, c), 0));
  v128.store(out, vector(z(b) + half * dot(b, c), z(a) + half * dot(a, c), y(a) + half * dot(a, b), 0), 16);
}

/** The present shape becomes the rest shape; what rounding would cut off the position stays in the displacement. */
export function takeShape(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const positions = <usize>load<u32>(context + RENEWAL_PLACES);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const flux = <usize>load<u32>(solids + FLUX);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  const renewed = <usize>load<u32>(solids + RENEWED_AT);
  const strains = <usize>load<u32>(solids + STRAIN);
  const deficient = <usize>load<u32>(solids + DEFICIENT_OF);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const m = v128.load(rest + (i << 4));
    const next = v128.load(positions + (k << 4));
    const u = v128.load(displacements + (i << 4));
    const left = f32x4.sub(u, f32x4.sub(next, m));
    v128.store(displacements + (i << 4), f32x4.replace_lane(left, 3, 0));
    v128.store(rest + (i << 4), f32x4.replace_lane(next, 3, w(m)));
    const from = stretchAt(flux, i);
    const state = plastics + i * 48;
    const strained = load<f32>(state, 12);
    const work = load<f32>(state, 44);
    v128.store(state, f32x4.replace_lane(v128.load(from), 3, strained));
    v128.store(state, f32x4.replace_lane(v128.load(from, 16), 3, 1), 16);
    v128.store(state, f32x4.replace_lane(v128.load(from, 32), 3, work), 32);
    store<f32>(renewed + (i << 2), strained);
    storeStrain(strains + (i << 5), v128.load(from), v128.load(from, 16), v128.load(from, 32));
    store<u32>(deficient + (i << 2), 0);
  }
}

/** Weights of the neighbours. */
export function weighNeighbors(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = load<u32>(members + (k << 2));
    computeGradientWeights(i, i + 1, solids);
  }
}

/** sum_j |M^-1 g_ij|^2 / m_j + |M^-1 sum_j g_ij|^2 / m_i, times the volume: how stiff a fit is for masses around it. */
function stiffnessOf(solids: usize, i: usize, volume: f64): f64 {
  const inverses = <usize>load<u32>(solids + MOMENT_INVERSE);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const pairs = <usize>load<u32>(solids + PAIRS);
  const sums = <usize>load<u32>(solids + GRADIENT_SUM);
  const m0 = v128.load(inverses + i * 48);
  const m1 = v128.load(inverses + i * 48, 16);
  const m2 = v128.load(inverses + i * 48, 32);
  const last = <usize>load<u32>(begins + (i << 2), 4);
  let sum: f32 = 0;
  for (let n = <usize>load<u32>(begins + (i << 2)); n < last; n++) {
    const g = v128.load(pairs + (n << 4));
    const a = dot(m0, g);
    const b = dot(m1, g);
    const c = dot(m2, g);
    const j = <usize>load<u32>(neighbors + (n << 2));
    sum += (a * a + b * b + c * c) * load<f32>(sums + (j << 4), 12);
  }
  const own = v128.load(sums + (i << 4));
  const a = dot(m0, own);
  const b = dot(m1, own);
  const c = dot(m2, own);
  return volume * <f64>(sum + (a * a + b * b + c * c) * w(own));
}

/** How stiff the fits of members are at the start, into RENEWAL_CUT. */
export function measureFits(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const volumes = <usize>load<u32>(context + RENEWAL_VOLUME);
  const results = <usize>load<u32>(context + RENEWAL_CUT);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    store<f32>(results + (k << 2), <f32>stiffnessOf(solids, i, <f64>load<f32>(volumes + (k << 2))));
  }
}

/**
 * Fits of the members to their new neighbours: rows of M^-1 with the whole stabilisation in lane 3 of row 1 and, in that of
 * row 2, how much stiffer than the stiffest at the start the fit is; ELASTIC gets the share of the volume that has stress.
 *
 * That is all of it, but next to none where the neighbours hardly span space: with all of it a few particles at a rim would
 * set the step of all, and where they lose the last neighbour that spans space it would end with a jump.
 */
export function fitRenewed(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const volumes = <usize>load<u32>(context + RENEWAL_VOLUME);
  const shares = <usize>load<u32>(context + RENEWAL_BONDS);
  const rest = <usize>load<u32>(solids + REST);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const pairs = <usize>load<u32>(solids + PAIRS);
  const offsets = <usize>load<u32>(solids + OFFSETS);
  const inverses = <usize>load<u32>(solids + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(solids + ELASTIC);
  const bodies = <usize>load<u32>(solids + BODIES);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const here = v128.load(rest + (i << 4));
    let xx: f64 = 0, xy: f64 = 0, xz: f64 = 0, yy: f64 = 0, yz: f64 = 0, zz: f64 = 0;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let n = <usize>load<u32>(begins + (i << 2)); n < last; n++) {
      const g = v128.load(pairs + (n << 4));
      const r = restVector(rest, here, <usize>load<u32>(neighbors + (n << 2)), offsets, n);
      xx += <f64>x(g) * <f64>x(r);
      xy += <f64>x(g) * <f64>y(r);
      xz += <f64>x(g) * <f64>z(r);
      yy += <f64>y(g) * <f64>y(r);
      yz += <f64>y(g) * <f64>z(r);
      zz += <f64>z(g) * <f64>z(r);
    }
    const c00 = yy * zz - yz * yz;
    const c01 = xz * yz - xy * zz;
    const c02 = xy * yz - xz * yy;
    const determinant = xx * c00 + xy * c01 + xz * c02;
    const third = (xx + yy + zz) / 3;
    const target = inverses + i * 48;
    if (!(determinant > SPANNED * third * third * third)) {
      v128.store(target, f32x4.splat(0));
      v128.store(target, f32x4.splat(0), 16);
      v128.store(target, f32x4.splat(0), 32);
      store<f32>(elastic + (i << 4), 0, 12);
      continue;
    }
    const per = 1 / determinant;
    const r0 = vector(<f32>(per * c00), <f32>(per * c01), <f32>(per * c02), 0);
    const r1 = vector(<f32>(per * c01), <f32>(per * (xx * zz - xz * xz)), <f32>(per * (xy * xz - xx * yz)), 0);
    const r2 = vector(<f32>(per * c02), <f32>(per * (xy * xz - xx * yz)), <f32>(per * (xx * yy - xy * xy)), 0);
    const mean = <f64>(x(r0) + y(r1) + z(r2)) / 3;
    const presence = min<f64>(1, <f64>dot(r0, cross(r1, r2)) / (EVEN * mean * mean * mean));
    const volume = presence * <f64>load<f32>(volumes + (k << 2));
    v128.store(target, r0);
    // As in moments.ts.
    const bonds = <f32>((3 * volume) / (3 * third)) * load<f32>(shares + (k << 2));
    v128.store(target, f32x4.replace_lane(r1, 3, bonds), 16);
    v128.store(target, r2, 32);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const stiffer = (MARGIN * stiffnessOf(solids, i, volume)) / <f64>load<f32>(body + BODY_STIFFEST_FIT);
    store<f32>(target, <f32>stiffer, 44);
    store<f32>(elastic + (i << 4), <f32>volume, 12);
  }
}
