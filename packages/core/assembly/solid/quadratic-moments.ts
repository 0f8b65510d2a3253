import {
  BLOCK,
  BODIES,
  BODY_FIT,
  BODY_OF,
  BODY_QUADRATIC_SHIFT,
  BODY_STRIDE,
  BODY_SUPPORT,
  FIT_QUADRATIC,
  INVERSE_WEIGHTS,
  MOMENT_INVERSE,
  NEIGHBORS,
  PAIRS,
  NEIGHBOR_BEGIN,
  QUADRATIC_INVERSE,
  REST,
  SCRATCH,
  SCRATCH_STRIDE,
} from '../../src/particles/layout';
import { jacobi } from '../math/jacobi';

/**
 * Relative to the mean eigenvalue: quadratic terms that the neighbours determine worse than this are
 * faded out, and the fit becomes linear in them. The second bound is against the raw quadratic moments,
 * for a handful of neighbours that determine nothing quadratic at all.
 */
const FADE: f64 = 0.03;
const FLOOR: f64 = 1e-3;

/** One over the weights of the pairs, from those that PAIRS holds before computeBonds. */
export function computeInverseWeights(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverse = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const last = <usize>load<u32>(begins + (<usize>end << 2));
  for (let k = <usize>load<u32>(begins + (<usize>begin << 2)); k < last; k++) {
    const weight = load<f32>(pairs + (k << 4), 12);
    store<f32>(inverse + (k << 2), weight > 0 ? <f32>1 / weight : 0);
  }
}

/** Quadratic part of the basis: x2/2, y2/2, z2/2, yz, xz, xy. */
// @ts-ignore: decorator
@inline
function storeBasis(at: usize, x: f64, y: f64, z: f64): void {
  store<f64>(at, x);
  store<f64>(at, y, 8);
  store<f64>(at, z, 16);
  store<f64>(at, 0.5 * x * x, 24);
  store<f64>(at, 0.5 * y * y, 32);
  store<f64>(at, 0.5 * z * z, 40);
  store<f64>(at, y * z, 48);
  store<f64>(at, x * z, 56);
  store<f64>(at, x * y, 64);
}

/**
 * Inverse moment matrices of the quadratic fit. With M = sum_j w p p^T = [L C; C^T D], B = L^+ C and the
 * Schur complement S = D - C^T B, the inverse is [L^+ 0; 0 0] + [-B; I] S^-1 [-B; I]^T. The eigenvalues
 * l of S are inverted as l / (l^2 + t^2): smooth, never singular, and whatever is faded out the fit
 * stays exact for linear fields. Lengths are in units of the body's support while this is computed.
 */
export function computeQuadraticInverses(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const linear = <usize>load<u32>(context + MOMENT_INVERSE);
  const inverses = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const scratch = <usize>load<u32>(context + SCRATCH) + (i / BLOCK) * SCRATCH_STRIDE;
    const basis = scratch; // 9
    const moment = scratch + 80; // 9 x 9
    const b = moment + 648; // 3 x 6
    const schur = b + 144; // 6 x 6
    const vectors = schur + 288; // 6 x 6
    const inverse = vectors + 288; // 6 x 6
    const result = inverse + 288; // 9 x 9
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_FIT) != FIT_QUADRATIC) continue;
    const shift = <usize>load<u32>(body + BODY_QUADRATIC_SHIFT);
    const unit = <f64>load<f32>(body + BODY_SUPPORT);
    const per = 1 / unit;
    memory.fill(moment, 0, 648);
    memory.fill(result, 0, 648);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const inverseWeight = <f64>load<f32>(inverseWeights + (k << 2));
      if (inverseWeight == 0) continue;
      const weight = 1 / inverseWeight;
      const x = per * (<f64>load<f32>(rest + (j << 4)) - <f64>load<f32>(rest + (i << 4)));
      const y = per * (<f64>load<f32>(rest + (j << 4), 4) - <f64>load<f32>(rest + (i << 4), 4));
      const z = per * (<f64>load<f32>(rest + (j << 4), 8) - <f64>load<f32>(rest + (i << 4), 8));
      storeBasis(basis, x, y, z);
      for (let r: usize = 0; r < 9; r++) {
        const pr = weight * load<f64>(basis + (r << 3));
        for (let c: usize = 0; c < 9; c++) {
          const at = moment + ((r * 9 + c) << 3);
          store<f64>(at, load<f64>(at) + pr * load<f64>(basis + (c << 3)));
        }
      }
    }
    // L^+ is known from the linear fit.
    const li = linear + i * 48;
    for (let r: usize = 0; r < 3; r++) {
      for (let c: usize = 0; c < 3; c++) {
        store<f64>(result + ((r * 9 + c) << 3), <f64>load<f32>(li + (r << 4) + (c << 2)) * unit * unit);
      }
    }
    for (let r: usize = 0; r < 3; r++) {
      for (let c: usize = 0; c < 6; c++) {
        let sum: f64 = 0;
        for (let m: usize = 0; m < 3; m++) {
          sum += load<f64>(result + ((r * 9 + m) << 3)) * load<f64>(moment + ((m * 9 + 3 + c) << 3));
        }
        store<f64>(b + ((r * 6 + c) << 3), sum);
      }
    }
    let traceS: f64 = 0;
    let traceD: f64 = 0;
    for (let r: usize = 0; r < 6; r++) {
      for (let c: usize = 0; c < 6; c++) {
        let sum = load<f64>(moment + (((r + 3) * 9 + 3 + c) << 3));
        if (r == c) traceD += sum;
        for (let m: usize = 0; m < 3; m++) {
          sum -= load<f64>(moment + ((m * 9 + 3 + r) << 3)) * load<f64>(b + ((m * 6 + c) << 3));
        }
        store<f64>(schur + ((r * 6 + c) << 3), sum);
        if (r == c) traceS += sum;
      }
    }
    // L^+ comes in float32, so S is symmetric only to that: take the mean.
    for (let r: usize = 0; r < 6; r++) {
      for (let c = r + 1; c < 6; c++) {
        const mean = 0.5 * (load<f64>(schur + ((r * 6 + c) << 3)) + load<f64>(schur + ((c * 6 + r) << 3)));
        store<f64>(schur + ((r * 6 + c) << 3), mean);
        store<f64>(schur + ((c * 6 + r) << 3), mean);
      }
    }
    jacobi(6, schur, vectors);
    const t = max(max((FADE * traceS) / 6, (FLOOR * traceD) / 6), 1e-30);
    for (let r: usize = 0; r < 6; r++) {
      for (let c: usize = 0; c < 6; c++) {
        let sum: f64 = 0;
        for (let m: usize = 0; m < 6; m++) {
          const l = load<f64>(schur + ((m * 6 + m) << 3));
          sum +=
            ((load<f64>(vectors + ((r * 6 + m) << 3)) * l) / (l * l + t * t)) * load<f64>(vectors + ((c * 6 + m) << 3));
        }
        store<f64>(inverse + ((r * 6 + c) << 3), sum);
      }
    }
    // [-B; I] S^-1 [-B; I]^T; row r of [-B; I] is -B_r for the first three, a unit row for the others.
    for (let r: usize = 0; r < 9; r++) {
      for (let c: usize = 0; c < 9; c++) {
        let sum: f64 = 0;
        for (let m: usize = 0; m < 6; m++) {
          const left = r < 3 ? -load<f64>(b + ((r * 6 + m) << 3)) : r - 3 == m ? 1.0 : 0.0;
          if (left == 0) continue;
          for (let n: usize = 0; n < 6; n++) {
            const right = c < 3 ? -load<f64>(b + ((c * 6 + n) << 3)) : c - 3 == n ? 1.0 : 0.0;
            sum += left * load<f64>(inverse + ((m * 6 + n) << 3)) * right;
          }
        }
        const at = result + ((r * 9 + c) << 3);
        store<f64>(at, load<f64>(at) + sum);
      }
    }
    // Back to metres: a linear term has one length, a quadratic one two.
    const target = inverses + (i - shift) * 432;
    for (let r: usize = 0; r < 9; r++) {
      for (let c: usize = 0; c < 9; c++) {
        const scale = (r < 3 ? per : per * per) * (c < 3 ? per : per * per);
        store<f32>(target + r * 48 + ((c / 3) << 4) + ((c % 3) << 2), <f32>(load<f64>(result + ((r * 9 + c) << 3)) * scale));
      }
      store<f32>(target + r * 48, 0, 12);
      store<f32>(target + r * 48, 0, 28);
      store<f32>(target + r * 48, 0, 44);
    }
  }
}
