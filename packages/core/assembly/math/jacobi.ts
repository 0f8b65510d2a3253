/**
 * Eigenvalues and eigenvectors of a symmetric n x n matrix by cyclic Jacobi rotations, f64, row by
 * row at `a` (destroyed: the eigenvalues end up on its diagonal); eigenvectors as columns of `v`.
 */
export function jacobi(n: usize, a: usize, v: usize): void {
  for (let i: usize = 0; i < n; i++) {
    for (let j: usize = 0; j < n; j++) store<f64>(v + ((i * n + j) << 3), i == j ? 1 : 0);
  }
  for (let sweep = 0; sweep < 30; sweep++) {
    let off: f64 = 0;
    let diagonal: f64 = 0;
    for (let i: usize = 0; i < n; i++) {
      diagonal += abs(load<f64>(a + ((i * n + i) << 3)));
      for (let j = i + 1; j < n; j++) off += abs(load<f64>(a + ((i * n + j) << 3)));
    }
    if (off <= 1e-15 * diagonal) return;
    for (let p: usize = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) rotate(n, a, v, p, q);
    }
  }
}

function rotate(n: usize, a: usize, v: usize, p: usize, q: usize): void {
  const apq = load<f64>(a + ((p * n + q) << 3));
  if (apq == 0) return;
  const theta = (load<f64>(a + ((q * n + q) << 3)) - load<f64>(a + ((p * n + p) << 3))) / (2 * apq);
  const t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + sqrt(theta * theta + 1));
  const c = 1 / sqrt(t * t + 1);
  const s = t * c;
  for (let k: usize = 0; k < n; k++) {
    const kp = a + ((k * n + p) << 3);
    const kq = a + ((k * n + q) << 3);
    const x = load<f64>(kp);
    const y = load<f64>(kq);
    store<f64>(kp, c * x - s * y);
    store<f64>(kq, s * x + c * y);
  }
  for (let k: usize = 0; k < n; k++) {
    const pk = a + ((p * n + k) << 3);
    const qk = a + ((q * n + k) << 3);
    const x = load<f64>(pk);
    const y = load<f64>(qk);
    store<f64>(pk, c * x - s * y);
    store<f64>(qk, s * x + c * y);
    const vp = v + ((k * n + p) << 3);
    const vq = v + ((k * n + q) << 3);
    const u = load<f64>(vp);
    const w = load<f64>(vq);
    store<f64>(vp, c * u - s * w);
    store<f64>(vq, s * u + c * w);
  }
}
