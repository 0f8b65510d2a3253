import {
  BLOCK,
  DISPLACEMENT,
  FIRST_MOMENT,
  FLUX,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  OFFSETS,
  PAIRS,
  PLASTIC,
  REST,
  SUMS,
} from '../../src/particles/layout';
import {
  BLOCK_SCRATCH,
  CHANGED,
  MEMBERS,
  RENEWAL_COUNT,
  RENEWAL_LISTS,
  RENEWAL_OFFSETS,
  RENEWAL_ORIGIN,
  RENEWAL_ROOM,
  SOLIDS,
} from '../../src/particles/renewal-layout';
import { dot, rowTimes, vector, x, y, z } from '../math/simd';
import * as fit from './fit';
import { isSpanned, stretchAt } from './renewal';
import { placeIn } from './renewal-search';

/**
 * Rest vectors of solids whose neighbours are renewed: those that the elastic part of either end has made present
 * vectors of. With the residual e_ij of the fit and the share k_i of the stabilisation that is left,
 * a_ij = V_i^-1 (x_ij - k_i e_ij), or V_i^-1 x_ij for new neighbours, and r_ij = (a_ij - a_ji) / 2. So what the fit does
 * not see of an elastic shape stays. The new fit has another gradient F; B = F^-1 V_e - I, and stress stays to the last
 * digits of float32.
 */

/** Rest vectors differ from present ones by at most this share: those of two that are crushed could be anything. */
const MOST: f32 = 0.7;

/** Rows of V^-1 - I = -V^-1 B with B = V - I at `at`. */
let i0: v128 = i32x4(0, 0, 0, 0);
let i1: v128 = i32x4(0, 0, 0, 0);
let i2: v128 = i32x4(0, 0, 0, 0);

function invertStretch(at: usize): void {
  const a = <f64>load<f32>(at), b = <f64>load<f32>(at, 4), c = <f64>load<f32>(at, 8);
  const d = <f64>load<f32>(at, 20), e = <f64>load<f32>(at, 24), f = <f64>load<f32>(at, 40);
  // V = I + B is symmetric, and so is its inverse.
  const c00 = (1 + d) * (1 + f) - e * e;
  const c01 = c * e - b * (1 + f);
  const c02 = b * e - c * (1 + d);
  const c11 = (1 + a) * (1 + f) - c * c;
  const c12 = b * c - e * (1 + a);
  const c22 = (1 + a) * (1 + d) - b * b;
  const per = -1 / ((1 + a) * c00 + b * c01 + c * c02);
  i0 = vector(
    <f32>(per * (c00 * a + c01 * b + c02 * c)), <f32>(per * (c00 * b + c01 * d + c02 * e)),
    <f32>(per * (c00 * c + c01 * e + c02 * f)), 0,
  );
  i1 = vector(
    <f32>(per * (c01 * a + c11 * b + c12 * c)), <f32>(per * (c01 * b + c11 * d + c12 * e)),
    <f32>(per * (c01 * c + c11 * e + c12 * f)), 0,
  );
  i2 = vector(
    <f32>(per * (c02 * a + c12 * b + c22 * c)), <f32>(per * (c02 * b + c12 * d + c22 * e)),
    <f32>(per * (c02 * c + c12 * e + c22 * f)), 0,
  );
}

/** A vector times the rows that invertStretch left, which are symmetric. */
// @ts-ignore: decorator
@inline
function timesInverse(a: v128): v128 {
  return f32x4.replace_lane(rowTimes(a, i0, i1, i2), 3, 0);
}

/** Half of a_ij - x_ij in the place of o_ij. */
export function noteOffsets(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const scratches = <usize>load<u32>(context + BLOCK_SCRATCH);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const pairs = <usize>load<u32>(solids + PAIRS);
  const offsets = <usize>load<u32>(solids + OFFSETS);
  const firsts = <usize>load<u32>(solids + FIRST_MOMENT);
  const inverses = <usize>load<u32>(solids + MOMENT_INVERSE);
  const flux = <usize>load<u32>(solids + FLUX);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  const half = f32x4.splat(0.5);
  for (let n = <usize>begin; n < <usize>end; n++) {
    const i = <usize>load<u32>(members + (n << 2));
    invertStretch(stretchAt(flux, i));
    const out = scratches + (n / BLOCK) * SUMS * 8;
    fit.fitLinear(displacements, i, begins, neighbors, pairs, firsts, inverses + i * 48, out);
    // Who has no fit has no residual.
    const share = f32x4.splat(isSpanned(inverses, i) ? load<f32>(plastics + i * 48, 28) : 0);
    const m = v128.load(rest + (i << 4));
    const u = v128.load(displacements + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const o = v128.load(offsets + (k << 4));
      const d = f32x4.sub(v128.load(displacements + (j << 4)), u);
      const r = f32x4.sub(v128.load(rest + (j << 4)), m);
      const own = f32x4.add(r, o);
      const e = f32x4.mul(share, f32x4.sub(
        f32x4.sub(d, o), vector(dot(fit.g0, own), dot(fit.g1, own), dot(fit.g2, own), 0),
      ));
      const c = f32x4.sub(timesInverse(f32x4.sub(f32x4.add(r, d), e)), e);
      v128.store(offsets + (k << 4), f32x4.replace_lane(f32x4.mul(half, c), 3, 0));
    }
  }
}

/** Half of a_ij - x_ij by the stretch of i alone. */
// @ts-ignore: decorator
@inline
function offsetByStretch(state: usize, apart: v128): v128 {
  invertStretch(state);
  return f32x4.mul(f32x4.splat(0.5), timesInverse(apart));
}

/** Offsets of the rest vectors of chosen neighbours, to be placed with them. */
export function chooseOffsets(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const counts = <usize>load<u32>(context + RENEWAL_COUNT);
  const chosen = <usize>load<u32>(context + RENEWAL_OFFSETS);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const offsets = <usize>load<u32>(solids + OFFSETS);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  const origins = <usize>load<u32>(context + RENEWAL_ORIGIN);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const m = v128.load(rest + (i << 4));
    const u = v128.load(displacements + (i << 4));
    const list = lists + k * RENEWAL_ROOM * 8;
    const count = <usize>load<u32>(counts + (k << 2));
    // Both lists are by rising index, and neighbours are each other's.
    let old = neighbors + (<usize>load<u32>(begins + (i << 2)) << 2);
    const oldEnd = neighbors + (<usize>load<u32>(begins + (i << 2), 4) << 2);
    for (let n: usize = 0; n < count; n++) {
      const j = <usize>load<u32>(list + (n << 2));
      // Displacements are what rounding has left of positions: part of the rest vector as well.
      const left = f32x4.sub(v128.load(displacements + (j << 4)), u);
      while (old < oldEnd && load<u32>(old) < <u32>j) old += 4;
      const changed = (load<u32>(origins + (i << 2)) | load<u32>(origins + (j << 2))) & <u32>CHANGED;
      const apart = f32x4.add(f32x4.sub(v128.load(rest + (j << 4)), m), left);
      let difference: v128;
      if (changed == 0 && old < oldEnd && load<u32>(old) == <u32>j) {
        const first = neighbors + (<usize>load<u32>(begins + (j << 2)) << 2);
        const last = neighbors + (<usize>load<u32>(begins + (j << 2), 4) << 2);
        const back = placeIn(first, last, <u32>i);
        difference = f32x4.sub(v128.load(offsets + ((old - neighbors) << 2)), v128.load(offsets + ((back - neighbors) << 2)));
      } else {
        const mine = offsetByStretch(plastics + i * 48, apart);
        difference = f32x4.add(mine, offsetByStretch(plastics + j * 48, apart));
      }
      difference = f32x4.replace_lane(difference, 3, 0);
      const most = MOST * MOST * dot(apart, apart);
      const size = dot(difference, difference);
      if (size > most) difference = f32x4.mul(f32x4.splat(sqrt(most / size)), difference);
      v128.store(chosen + (k * RENEWAL_ROOM + n) * 16, f32x4.replace_lane(f32x4.add(left, difference), 3, 0));
    }
  }
}

/** Puts the chosen offsets beside them; all particles are where their neighbours were found. */
export function placeOffsets(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const chosen = <usize>load<u32>(context + RENEWAL_OFFSETS);
  const origins = <usize>load<u32>(context + RENEWAL_ORIGIN);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const offsets = <usize>load<u32>(solids + OFFSETS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const first = <usize>load<u32>(begins + (i << 2));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    memory.copy(offsets + (first << 4), chosen + k * RENEWAL_ROOM * 16, (last - first) << 4);
    store<u32>(origins + (i << 2), <u32>i);
  }
}

/** B = F^-1 V - I, from V - I in its place: the new fit has a gradient F = I + G of its own, and stress stays. */
export function keepStresses(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const scratches = <usize>load<u32>(context + BLOCK_SCRATCH);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  const pairs = <usize>load<u32>(solids + PAIRS);
  const firsts = <usize>load<u32>(solids + FIRST_MOMENT);
  const inverses = <usize>load<u32>(solids + MOMENT_INVERSE);
  const plastics = <usize>load<u32>(solids + PLASTIC);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    if (!isSpanned(inverses, i)) continue;
    fit.fitLinear(
      displacements, i, begins, neighbors, pairs, firsts, inverses + i * 48, scratches + (k / BLOCK) * SUMS * 8,
    );
    takeGradient(plastics + i * 48, fit.g0, fit.g1, fit.g2);
  }
}

/** B <- (I + G)^-1 (B - G) at `at`, which is (I + G)^-1 (I + B) - I; lanes 3 stay. */
function takeGradient(at: usize, g0: v128, g1: v128, g2: v128): void {
  const a = 1 + <f64>x(g0), b = <f64>y(g0), c = <f64>z(g0);
  const d = <f64>x(g1), e = 1 + <f64>y(g1), f = <f64>z(g1);
  const g = <f64>x(g2), h = <f64>y(g2), i = 1 + <f64>z(g2);
  const c00 = e * i - f * h, c01 = c * h - b * i, c02 = b * f - c * e;
  const c10 = f * g - d * i, c11 = a * i - c * g, c12 = c * d - a * f;
  const c20 = d * h - e * g, c21 = b * g - a * h, c22 = a * e - b * d;
  const per = 1 / (a * c00 + b * c10 + c * c20);
  for (let column: usize = 0; column < 12; column += 4) {
    const place = at + column;
    const p = <f64>load<f32>(place) - (column == 0 ? a - 1 : column == 4 ? b : c);
    const q = <f64>load<f32>(place, 16) - (column == 0 ? d : column == 4 ? e - 1 : f);
    const r = <f64>load<f32>(place, 32) - (column == 0 ? g : column == 4 ? h : i - 1);
    store<f32>(place, <f32>(per * (c00 * p + c01 * q + c02 * r)));
    store<f32>(place, <f32>(per * (c10 * p + c11 * q + c12 * r)), 16);
    store<f32>(place, <f32>(per * (c20 * p + c21 * q + c22 * r)), 32);
  }
}
