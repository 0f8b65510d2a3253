import type { NeighborLists } from './neighbors.js';

/**
 * A direction counts as spanned by the neighbours when its eigenvalue of the moment matrix is at least
 * this share of the largest: a flat layer roughened by 3 % of its spacing is still a layer.
 */
const RANK_TOLERANCE = 1e-3;

/** The shape of the polynomial kernel [M04] eq. 9, without its factor: (1 - (r/h)^2)^3. */
export function poly6Shape(q2: number): number {
  const d = 1 - q2;
  return d > 0 ? d * d * d : 0;
}

/** Per pair: w_ij and g_ij = w_ij (m_j - m_i), with w from the mean of the two supports, so that g_ji = -g_ij. */
export function gradientWeights(
  positions: Float64Array,
  supports: Float64Array,
  { begin, index }: NeighborLists,
): { weight: Float64Array; g: Float64Array } {
  const weight = new Float64Array(index.length);
  const g = new Float64Array(3 * index.length);
  for (let i = 0; i < supports.length; i++) {
    for (let k = begin[i]!; k < begin[i + 1]!; k++) {
      const j = index[k]!;
      const x = positions[3 * j]! - positions[3 * i]!;
      const y = positions[3 * j + 1]! - positions[3 * i + 1]!;
      const z = positions[3 * j + 2]! - positions[3 * i + 2]!;
      const h = 0.5 * (supports[i]! + supports[j]!);
      const w = poly6Shape((x * x + y * y + z * z) / (h * h));
      weight[k] = w;
      g[3 * k] = w * x;
      g[3 * k + 1] = w * y;
      g[3 * k + 2] = w * z;
    }
  }
  return { weight, g };
}

export interface Moments {
  /** Nine per particle, by rows: inverse of M_i, or pseudo-inverse where the neighbours span less than space [1/m2]. */
  readonly inverse: Float64Array;
  /** Trace of M_i [m2]. */
  readonly trace: Float64Array;
  /** Smallest over largest eigenvalue of M_i, 0 without neighbours. */
  readonly condition: Float64Array;
  /** Dimensions that the neighbours span: 3, 2 (sheet), 1 (string) or 0 (no neighbours). */
  readonly rank: Uint8Array;
  /** Nine per particle: projection onto the spanned directions, the identity for rank 3. */
  readonly projection: Float64Array;
}

/** M_i = sum_j g_ij r_ij^T and its inverse, [M04] eq. 14-15; variable rank after [T09]. */
export function momentInverses(
  positions: Float64Array,
  { begin, index }: NeighborLists,
  g: Float64Array,
  count: number,
): Moments {
  const inverse = new Float64Array(9 * count);
  const projection = new Float64Array(9 * count);
  const trace = new Float64Array(count);
  const condition = new Float64Array(count);
  const rank = new Uint8Array(count);
  const moment = new Float64Array(9);
  for (let i = 0; i < count; i++) {
    moment.fill(0);
    for (let k = begin[i]!; k < begin[i + 1]!; k++) {
      const j = index[k]!;
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++)
          moment[3 * a + b]! += g[3 * k + a]! * (positions[3 * j + b]! - positions[3 * i + b]!);
      }
    }
    trace[i] = moment[0]! + moment[4]! + moment[8]!;
    const { values, vectors } = eigenSymmetric(moment);
    const largest = Math.max(...values);
    condition[i] = largest > 0 ? Math.min(...values) / largest : 0;
    const limit = RANK_TOLERANCE * largest;
    for (let e = 0; e < 3; e++) {
      if (!(values[e]! > limit)) continue;
      rank[i]!++;
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          const dyad = vectors[3 * a + e]! * vectors[3 * b + e]!;
          inverse[9 * i + 3 * a + b]! += dyad / values[e]!;
          projection[9 * i + 3 * a + b]! += dyad;
        }
      }
    }
  }
  return { inverse, trace, condition, rank, projection };
}

/** Eigenvalues and eigenvectors (columns) of a symmetric 3x3 matrix by cyclic Jacobi rotations. */
export function eigenSymmetric(matrix: Float64Array): { values: number[]; vectors: Float64Array } {
  const a = matrix.slice();
  const vectors = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  for (let sweep = 0; sweep < 30; sweep++) {
    if (Math.abs(a[1]!) + Math.abs(a[2]!) + Math.abs(a[5]!) === 0) break;
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const apq = a[3 * p + q]!;
      if (apq === 0) continue;
      const theta = (a[4 * q]! - a[4 * p]!) / (2 * apq);
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) {
        const [kp, kq] = [a[3 * k + p]!, a[3 * k + q]!];
        a[3 * k + p] = c * kp - s * kq;
        a[3 * k + q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; k++) {
        const [pk, qk] = [a[3 * p + k]!, a[3 * q + k]!];
        a[3 * p + k] = c * pk - s * qk;
        a[3 * q + k] = s * pk + c * qk;
        const [vp, vq] = [vectors[3 * k + p]!, vectors[3 * k + q]!];
        vectors[3 * k + p] = c * vp - s * vq;
        vectors[3 * k + q] = s * vp + c * vq;
      }
      a[3 * p + q] = 0;
      a[3 * q + p] = 0;
    }
  }
  return { values: [a[0]!, a[4]!, a[8]!], vectors };
}
