/** Eigenvalues, ascending, and unit eigenvectors (one per row) of a symmetric n x n matrix, row by row. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

const SWEEPS = 60;

/** By cyclic Jacobi rotations: accurate to rounding, for the small matrices of geometry. */
export function symmetricEigen(matrix: ArrayLike<number>, n: number): Eigen {
  const a = Float64Array.from(matrix);
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n * n; i++) {
      all += a[i]! * a[i]!;
      if (i % (n + 1) !== 0) off += a[i]! * a[i]!;
    }
    if (off <= 1e-32 * all) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[i * n + i]! - a[j * n + j]!);
  const values = Float64Array.from(order, (i) => a[i * n + i]!);
  const vectors = new Float64Array(n * n);
  order.forEach((i, row) => {
    vectors.set(v.subarray(i * n, i * n + n), row * n);
  });
  return { values, vectors };
}

/** Makes the entry (p, q) zero. */
function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q]!;
  if (apq === 0) return;
  const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const akp = a[k * n + p]!;
    const akq = a[k * n + q]!;
    a[k * n + p] = c * akp - s * akq;
    a[k * n + q] = s * akp + c * akq;
  }
  for (let k = 0; k < n; k++) {
    const apk = a[p * n + k]!;
    const aqk = a[q * n + k]!;
    a[p * n + k] = c * apk - s * aqk;
    a[q * n + k] = s * apk + c * aqk;
    const vpk = v[p * n + k]!;
    const vqk = v[q * n + k]!;
    v[p * n + k] = c * vpk - s * vqk;
    v[q * n + k] = s * vpk + c * vqk;
  }
}
