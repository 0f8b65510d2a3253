import {
  ABSENT,
  AREA,
  COUNT,
  FIT,
  FREE_AREA,
  IN_LIQUID,
  LIQUID_SCALE,
  LIQUID_SUPPORT,
  LIQUID_SURFACE,
  NETWORK,
  PAIR_BEGIN,
  PAIR_G,
  PAIR_STRIDE,
  PAIRS,
  PERIOD,
  POSITIONS_AT_SEARCH,
  POSITION,
  REACH,
  REST_BEGIN,
  REST_PAIRS,
  SHARE,
  SOLID_COUNT,
  TOUCHED,
} from '../../src/particles/heat-layout';
import { BUCKET_BEGIN, BUCKET_MASK, CELL_KEYS, CELL_SIZE, SORTED } from '../../src/particles/layout';
import { w, x, y, z } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';

/**
 * Which particles exchange heat, and the geometry of it: G, which over the sum of two resistances (edge over
 * conductivity) is the conductance. Half of a pair's resistance belongs to either cell, so what touches is
 * in series and conductivities enter by their harmonic mean, as in P. W. Cleary and J. J. Monaghan 1999.
 * G is the same to the bit from both sides, and so is the heat that flows.
 *
 * - Within a body: bonds found at rest, see solvers/heat/bonds.ts. A stretched bond conducts as the square of
 *   its length less: that is exact for stretches that keep the volume.
 * - Within liquids: a kernel whose second moments are made those of an even distribution.
 * - Between bodies, and between bodies and liquids: every particle shares the area of a face of its cell out
 *   among those that it touches; the area of a pair is the mean of what the two give each other.
 */

/** Areas fade out from this share of the reach on. */
const FADE: f32 = 0.87;
/** Where a liquid's neighbours lie to one side by more than this share of their distance, it is a surface. */
const INNER: f32 = 0.25;
const OUTER: f32 = 0.75;

// What the search has found around a particle.
let found: u32 = 0;
let weight: f32 = 0;
let nearest: f32 = 0;
let mxx: f32 = 0;
let myy: f32 = 0;
let mzz: f32 = 0;
let myz: f32 = 0;
let mxz: f32 = 0;
let mxy: f32 = 0;
let bx: f32 = 0;
let by: f32 = 0;
let bz: f32 = 0;
let lengths: f32 = 0;

/** The nearest image of a separation along an axis. */
// @ts-ignore: decorator
@inline
function nearestImage(d: f32, period: f32): f32 {
  if (period == 0) return d;
  const half = <f32>0.5 * period;
  return d > half ? d - period : d < -half ? d + period : d;
}

// @ts-ignore: decorator
@inline
function liquidWeight(r2: f32, support: f32): f32 {
  const t = <f32>1 - r2 / (support * support);
  return t * t * t;
}

// @ts-ignore: decorator
@inline
function touchWeight(r2: f32, reach: f32): f32 {
  const t = <f32>1 - r2 / (reach * reach);
  return t * t;
}

/** r^T Q r / r^2 of a liquid particle. */
// @ts-ignore: decorator
@inline
function fitOf(fits: usize, i: usize, dx: f32, dy: f32, dz: f32, r2: f32): f32 {
  const normal = v128.load(fits + (i << 5));
  const shear = v128.load(fits + (i << 5), 16);
  const sum =
    x(normal) * dx * dx + y(normal) * dy * dy + z(normal) * dz * dz +
    <f32>2 * (x(shear) * dy * dz + y(shear) * dx * dz + z(shear) * dx * dy);
  return max(sum / r2, <f32>0.3);
}

/** Looks at the cells around a position, where particle i or an image of it is. */
function scan(context: usize, i: usize, px: f32, py: f32, pz: f32, list: usize, write: bool): void {
  const positions = <usize>load<u32>(context + POSITION);
  const networks = <usize>load<u32>(context + NETWORK);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const mask = load<u32>(context + BUCKET_MASK);
  const size = load<f32>(context + CELL_SIZE);
  const period = v128.load(context + PERIOD);
  const support = load<f32>(context + LIQUID_SUPPORT);
  const scale = load<f32>(context + LIQUID_SCALE);
  const reachRatio = load<f32>(context + REACH);
  const fits = <usize>load<u32>(context + FIT);
  const shares = <usize>load<u32>(context + SHARE);
  const own = v128.load(positions + (i << 4));
  const network = load<u32>(networks + (i << 2));
  const cx = cellOf(px, size);
  const cy = cellOf(py, size);
  const cz = cellOf(pz, size);
  for (let a = cx - 1; a <= cx + 1; a++) {
    for (let b = cy - 1; b <= cy + 1; b++) {
      for (let c = cz - 1; c <= cz + 1; c++) {
        const bucket = <usize>bucketOf(a, b, c, mask);
        const key = cellKey(a, b, c);
        const end = <usize>load<u32>(buckets + (bucket << 2), 4);
        for (let k = <usize>load<u32>(buckets + (bucket << 2)); k < end; k++) {
          const j = <usize>load<u32>(sorted + (k << 2));
          if (j == i || load<u64>(keys + (j << 3)) != key) continue;
          const other = load<u32>(networks + (j << 2));
          if (other == ABSENT) continue;
          const liquid = network == IN_LIQUID && other == IN_LIQUID;
          if (!liquid && other == network) continue;
          const there = v128.load(positions + (j << 4));
          const dx = nearestImage(x(there) - x(own), x(period));
          const dy = nearestImage(y(there) - y(own), y(period));
          const dz = nearestImage(z(there) - z(own), z(period));
          const r2 = dx * dx + dy * dy + dz * dz;
          const mean = <f32>0.5 * (w(own) + w(there));
          const reach = liquid ? support : reachRatio * mean;
          if (!(r2 < reach * reach) || r2 == 0) continue;
          if (write) {
            let g: f32;
            if (liquid) {
              const volume = mean * mean * mean;
              const fit = fitOf(fits, i, dx, dy, dz, r2) + fitOf(fits, j, dx, dy, dz, r2);
              g = mean * volume * scale * liquidWeight(r2, support) * fit;
            } else {
              g = (load<f32>(shares + (i << 2)) + load<f32>(shares + (j << 2))) * touchWeight(r2, reach);
            }
            const at = list + <usize>found * PAIR_STRIDE;
            store<u32>(at, <u32>j);
            store<f32>(at, g, PAIR_G);
          } else if (liquid) {
            const v = liquidWeight(r2, support);
            const r = sqrt(r2);
            mxx += v * dx * dx;
            myy += v * dy * dy;
            mzz += v * dz * dz;
            myz += v * dy * dz;
            mxz += v * dx * dz;
            mxy += v * dx * dy;
            bx += v * dx;
            by += v * dy;
            bz += v * dz;
            lengths += v * r;
          } else {
            weight += touchWeight(r2, reach);
            nearest = min(nearest, sqrt(r2) / mean);
          }
          found++;
        }
      }
    }
  }
}

/** Looks around particle i, across the seams of periodic axes too. */
function look(context: usize, i: usize, list: usize, write: bool): void {
  const at = v128.load(<usize>load<u32>(context + POSITION) + (i << 4));
  const period = v128.load(context + PERIOD);
  const size = load<f32>(context + CELL_SIZE);
  // An image can matter when the seam is within a cell's length.
  const sx = imageOf(x(at), x(period), size);
  const sy = imageOf(y(at), y(period), size);
  const sz = imageOf(z(at), z(period), size);
  for (let a = 0; a < (sx == 0 ? 1 : 2); a++) {
    for (let b = 0; b < (sy == 0 ? 1 : 2); b++) {
      for (let c = 0; c < (sz == 0 ? 1 : 2); c++) {
        scan(
          context, i, a == 0 ? x(at) : x(at) + sx, b == 0 ? y(at) : y(at) + sy, c == 0 ? z(at) : z(at) + sz, list, write,
        );
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function imageOf(coordinate: f32, period: f32, size: f32): f32 {
  if (period == 0) return 0;
  const half = <f32>0.5 * period;
  return coordinate > half - size ? -period : coordinate < size - half ? period : <f32>0;
}

/** Counts pairs, one place up, and measures what is around each particle. */
export function measureHeatPairs(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + PAIR_BEGIN) + 4;
  const networks = <usize>load<u32>(context + NETWORK);
  const restBegins = <usize>load<u32>(context + REST_BEGIN);
  const solids = <usize>load<u32>(context + SOLID_COUNT);
  const areas = <usize>load<u32>(context + AREA);
  const touched = <usize>load<u32>(context + TOUCHED);
  const shares = <usize>load<u32>(context + SHARE);
  const reach = load<f32>(context + REACH);
  for (let i = <usize>begin; i < <usize>end; i++) {
    found = i < solids ? load<u32>(restBegins + (i << 2), 4) - load<u32>(restBegins + (i << 2)) : 0;
    weight = 0;
    nearest = f32.MAX_VALUE;
    mxx = myy = mzz = myz = mxz = mxy = 0;
    bx = by = bz = lengths = 0;
    const network = load<u32>(networks + (i << 2));
    if (network != ABSENT) look(context, i, 0, false);
    else found = 0;
    store<u32>(counts + (i << 2), found);
    const fade = max(min((reach - nearest) / (reach * (<f32>1 - FADE)), <f32>1), <f32>0);
    const area = weight > 0 ? fade * load<f32>(areas + (i << 2)) : <f32>0;
    store<f32>(touched + (i << 2), area);
    store<f32>(shares + (i << 2), weight > 0 ? area / weight : <f32>0);
    if (network == IN_LIQUID) fitLiquid(context, i);
  }
}

/**
 * Q of a liquid particle: with the factor r^T Q r / r^2 its second moments are nearly those of an even
 * distribution; for small deviations 5/2 of the deviator undo it. At a surface, where neighbours are missing
 * and no heat flows across, the factor of the lattice is right.
 */
function fitLiquid(context: usize, i: usize): void {
  const scale = <f32>0.5 * load<f32>(context + LIQUID_SCALE);
  const surface = load<f32>(context + LIQUID_SURFACE);
  const trace = scale * (mxx + myy + mzz) / <f32>3;
  const skew: f32 = lengths > 0 ? sqrt(bx * bx + by * by + bz * bz) / lengths / surface : 1;
  const open = max(min((skew - INNER) / (OUTER - INNER), <f32>1), <f32>0);
  const inside: f32 = trace > 0 ? (<f32>1 - open) / trace : 0;
  const turn = <f32>-2.5 * (trace > 0 ? inside / trace : <f32>0);
  const base = open + inside;
  const at = <usize>load<u32>(context + FIT) + (i << 5);
  store<f32>(at, base + turn * (scale * mxx - trace));
  store<f32>(at, base + turn * (scale * myy - trace), 4);
  store<f32>(at, base + turn * (scale * mzz - trace), 8);
  store<f32>(at, turn * scale * myz, 16);
  store<f32>(at, turn * scale * mxz, 20);
  store<f32>(at, turn * scale * mxy, 24);
  const area = load<f32>(<usize>load<u32>(context + AREA) + (i << 2));
  store<f32>(<usize>load<u32>(context + FREE_AREA) + (i << 2), found > 0 ? area * open * min(skew, <f32>1.5) : <f32>6 * area);
}

/** Counts to beginnings; one thread. */
export function sumHeatPairs(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const count = <usize>load<u32>(context + COUNT);
  let sum: u32 = 0;
  store<u32>(begins, 0);
  for (let i: usize = 1; i <= count; i++) {
    sum += load<u32>(begins + (i << 2));
    store<u32>(begins + (i << 2), sum);
  }
}

export function fillHeatPairs(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const positions = <usize>load<u32>(context + POSITION);
  const placed = <usize>load<u32>(context + POSITIONS_AT_SEARCH);
  const restBegins = <usize>load<u32>(context + REST_BEGIN);
  const restPairs = <usize>load<u32>(context + REST_PAIRS);
  const solids = <usize>load<u32>(context + SOLID_COUNT);
  const networks = <usize>load<u32>(context + NETWORK);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const list = pairs + <usize>load<u32>(begins + (i << 2)) * PAIR_STRIDE;
    const own = v128.load(positions + (i << 4));
    v128.store(placed + (i << 4), own);
    if (load<u32>(networks + (i << 2)) == ABSENT) continue;
    found = 0;
    if (i < solids) {
      const last = <usize>load<u32>(restBegins + (i << 2), 4);
      for (let k = <usize>load<u32>(restBegins + (i << 2)); k < last; k++) {
        const bond = restPairs + (k << 4);
        const j = load<u32>(bond);
        const d = f32x4.sub(v128.load(positions + (<usize>j << 4)), own);
        const r2 = x(d) * x(d) + y(d) * y(d) + z(d) * z(d);
        const rest2 = load<f32>(bond, 8);
        const at = list + <usize>found * PAIR_STRIDE;
        store<u32>(at, j);
        // Squashed flat it conducts no better than at a tenth of its length.
        store<f32>(at, load<f32>(bond, 4) * (rest2 / max(r2, <f32>0.01 * rest2)), PAIR_G);
        found++;
      }
    }
    look(context, i, list, true);
  }
}
