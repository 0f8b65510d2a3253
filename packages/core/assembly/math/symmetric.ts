/**
 * Eigenvalues and eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations, f64.
 * In memory at `at`: a00 a01 a02 a11 a12 a22 (six f64), eigenvalues replace a00 a11 a22 at the end;
 * eigenvectors as columns of the nine f64 at `vectors`. What is off the diagonal ends below `tolerance`.
 */
export function jacobiEigen(at: usize, vectors: usize, tolerance: f64 = 0): void {
  for (let k: usize = 0; k < 9; k++) store<f64>(vectors + (k << 3), 0);
  store<f64>(vectors, 1);
  store<f64>(vectors + 32, 1);
  store<f64>(vectors + 64, 1);
  for (let sweep = 0; sweep < 12; sweep++) {
    const off = abs(load<f64>(at + 8)) + abs(load<f64>(at + 16)) + abs(load<f64>(at + 32));
    if (off <= tolerance) return;
    rotate(at, vectors, 0, 1);
    rotate(at, vectors, 0, 2);
    rotate(at, vectors, 1, 2);
  }
}

// @ts-ignore: decorator
@inline
function entryAt(at: usize, row: usize, column: usize): usize {
  const r = min(row, column);
  const c = max(row, column);
  return at + (((r * (5 - r)) / 2 + c) << 3);
}

// @ts-ignore: decorator
@inline
function rotate(at: usize, vectors: usize, p: usize, q: usize): void {
  const apq = load<f64>(entryAt(at, p, q));
  if (apq == 0) return;
  const app = load<f64>(entryAt(at, p, p));
  const aqq = load<f64>(entryAt(at, q, q));
  const theta = (aqq - app) / (2 * apq);
  const t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + sqrt(theta * theta + 1));
  const c = 1 / sqrt(t * t + 1);
  const s = t * c;
  store<f64>(entryAt(at, p, p), app - t * apq);
  store<f64>(entryAt(at, q, q), aqq + t * apq);
  store<f64>(entryAt(at, p, q), 0);
  const r: usize = 3 - p - q;
  const arp = load<f64>(entryAt(at, r, p));
  const arq = load<f64>(entryAt(at, r, q));
  store<f64>(entryAt(at, r, p), c * arp - s * arq);
  store<f64>(entryAt(at, r, q), s * arp + c * arq);
  for (let k: usize = 0; k < 3; k++) {
    const row = vectors + k * 24;
    const vp = load<f64>(row + (p << 3));
    const vq = load<f64>(row + (q << 3));
    store<f64>(row + (p << 3), c * vp - s * vq);
    store<f64>(row + (q << 3), s * vp + c * vq);
  }
}
