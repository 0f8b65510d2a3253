import {
  BLOCK,
  BLOCK_SUMS,
  DEFICIENT_OF,
  ELASTIC,
  FLUX,
  GRADIENT_SUM,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  OFFSETS,
  PAIRS,
  PROJECTIONS,
  REST,
  SUMS,
  SUPPORTS,
} from '../../src/particles/layout';
import { poly6Shape } from '../kernels/poly6';
import { pseudoInverse } from '../math/pseudo-inverse';

/**
 * A direction counts as spanned by the neighbours when its eigenvalue of the moment matrix is at
 * least this share of the largest: a flat layer roughened by 3 % of its spacing is still a layer.
 */
export const RANK_TOLERANCE: f64 = 1e-3;

/**
 * g_ij = w_ij r_ij of every pair and their sum; w from the mean of the two supports and the distance of the rest
 * positions, so g_ji = -g_ij.
 */
export function computeGradientWeights(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const supports = <usize>load<u32>(context + SUPPORTS);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const offsets = <usize>load<u32>(context + OFFSETS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let sx: f64 = 0;
    let sy: f64 = 0;
    let sz: f64 = 0;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const pair = pairs + (k << 4);
      const j = <usize>load<u32>(neighbors + (k << 2));
      const rx = <f64>load<f32>(rest + (j << 4)) - <f64>load<f32>(rest + (i << 4));
      const ry = <f64>load<f32>(rest + (j << 4), 4) - <f64>load<f32>(rest + (i << 4), 4);
      const rz = <f64>load<f32>(rest + (j << 4), 8) - <f64>load<f32>(rest + (i << 4), 8);
      const h = 0.5 * (<f64>load<f32>(supports + (i << 2)) + <f64>load<f32>(supports + (j << 2)));
      const weight = poly6Shape((rx * rx + ry * ry + rz * rz) / (h * h));
      const offset = offsets + (k << 4);
      const gx = <f32>(weight * (offsets == 0 ? rx : rx + <f64>load<f32>(offset)));
      const gy = <f32>(weight * (offsets == 0 ? ry : ry + <f64>load<f32>(offset, 4)));
      const gz = <f32>(weight * (offsets == 0 ? rz : rz + <f64>load<f32>(offset, 8)));
      store<f32>(pair, gx);
      store<f32>(pair, gy, 4);
      store<f32>(pair, gz, 8);
      store<f32>(pair, <f32>weight, 12);
      sx += <f64>gx;
      sy += <f64>gy;
      sz += <f64>gz;
    }
    store<f32>(sums + (i << 4), <f32>sx);
    store<f32>(sums + (i << 4), <f32>sy, 4);
    store<f32>(sums + (i << 4), <f32>sz, 8);
  }
}

/**
 * Inverse moment matrices, [M04] eq. 14-15. Where the neighbours do not span space the inverse is
 * taken in the directions they do span (variable rank, [T09]); DEFICIENT_OF then gets the rank plus
 * one, to be replaced by a number when the projections are stored. The ratio of the smallest to the
 * largest eigenvalue is left in the first float of FLUX, for the set-up to see who is poorly supported.
 */
export function computeMomentInverses(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const scratch = <usize>load<u32>(context + BLOCK_SUMS);
  const conditions = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const moment = scratch + (i / BLOCK) * SUMS * 8;
    const vectors = moment + 48;
    memory.fill(moment, 0, 48);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const pair = pairs + (k << 4);
      const j = <usize>load<u32>(neighbors + (k << 2));
      const rx = <f64>load<f32>(rest + (j << 4)) - <f64>load<f32>(rest + (i << 4));
      const ry = <f64>load<f32>(rest + (j << 4), 4) - <f64>load<f32>(rest + (i << 4), 4);
      const rz = <f64>load<f32>(rest + (j << 4), 8) - <f64>load<f32>(rest + (i << 4), 8);
      const gx = <f64>load<f32>(pair);
      const gy = <f64>load<f32>(pair, 4);
      const gz = <f64>load<f32>(pair, 8);
      store<f64>(moment, load<f64>(moment) + gx * rx);
      store<f64>(moment, load<f64>(moment, 8) + 0.5 * (gx * ry + gy * rx), 8);
      store<f64>(moment, load<f64>(moment, 16) + 0.5 * (gx * rz + gz * rx), 16);
      store<f64>(moment, load<f64>(moment, 24) + gy * ry, 24);
      store<f64>(moment, load<f64>(moment, 32) + 0.5 * (gy * rz + gz * ry), 32);
      store<f64>(moment, load<f64>(moment, 40) + gz * rz, 40);
    }
    const trace = load<f64>(moment) + load<f64>(moment, 24) + load<f64>(moment, 40);
    const target = inverses + i * 48;
    const rank = pseudoInverse(moment, vectors, RANK_TOLERANCE, target, 0);
    const e0 = load<f64>(moment);
    const e1 = load<f64>(moment, 24);
    const e2 = load<f64>(moment, 40);
    const largest = max(max(e0, e1), e2);
    // U = alpha sum_j w_ij |x_ij - J_i r_ij|^2 with alpha so that a mean residual of the size of a
    // strain costs as much as that strain: alpha = 3/2 V / trace(M). The caller multiplies by the weight.
    const volume = <f64>load<f32>(elastic + (i << 4), 12);
    store<f32>(target, <f32>(trace > 0 ? (3 * volume) / trace : 0), 12);
    store<u32>(deficient + (i << 2), rank < 3 ? rank + 1 : 0);
    store<f32>(conditions + i * 48, <f32>(largest > 0 ? min(min(e0, e1), e2) / largest : 0));
  }
}

/** Turns pair weights into 2 (alpha_i + alpha_j) w_ij. */
export function computeBonds(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const mine = load<f32>(inverses + i * 48, 12);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const pair = pairs + (k << 4);
      store<f32>(pair, load<f32>(pair, 12) * (mine + load<f32>(inverses + j * 48, 12)), 12);
    }
  }
}

/** Projections M^+ M of the particles numbered in DEFICIENT_OF. */
export function computeProjections(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const number = <usize>load<u32>(deficient + (i << 2));
    if (number == 0) continue;
    const target = projections + (number - 1) * 48;
    memory.fill(target, 0, 48);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const pair = pairs + (k << 4);
      const j = <usize>load<u32>(neighbors + (k << 2));
      for (let a: usize = 0; a < 3; a++) {
        const row = inverses + i * 48 + (a << 4);
        const d =
          load<f32>(row) * load<f32>(pair) +
          load<f32>(row, 4) * load<f32>(pair, 4) +
          load<f32>(row, 8) * load<f32>(pair, 8);
        for (let b: usize = 0; b < 3; b++) {
          const at = target + (a << 4) + (b << 2);
          const r = load<f32>(rest + (j << 4) + (b << 2)) - load<f32>(rest + (i << 4) + (b << 2));
          store<f32>(at, load<f32>(at) + d * r);
        }
      }
    }
  }
}
