import { jacobiEigen } from './symmetric';

/** Puts a symmetric matrix where jacobiEigen looks for it. */
// @ts-ignore: decorator
@inline
export function storeSymmetric(at: usize, xx: f64, xy: f64, xz: f64, yy: f64, yz: f64, zz: f64): void {
  store<f64>(at, xx);
  store<f64>(at, xy, 8);
  store<f64>(at, xz, 16);
  store<f64>(at, yy, 24);
  store<f64>(at, yz, 32);
  store<f64>(at, zz, 40);
}

/** Where the eigenvector of the largest eigenvalue begins, from that of the first on [bytes]. */
export function largestColumn(at: usize): usize {
  const e0 = load<f64>(at);
  const e1 = load<f64>(at, 24);
  if (load<f64>(at, 40) > max(e0, e1)) return 16;
  return e1 > e0 ? 8 : 0;
}

/**
 * Moore-Penrose inverse of the symmetric matrix at `at`, taken in the directions whose eigenvalues are more than
 * `tolerance` of the largest (variable rank, [T09]), as three rows of four f32 at `inverse`; and, where these do not span
 * space, the projection onto them at `projection`, if that is given. Gives the rank, and leaves eigenvalues and
 * eigenvectors where jacobiEigen puts them. Fourth lanes stay.
 */
export function pseudoInverse(at: usize, vectors: usize, tolerance: f64, inverse: usize, projection: usize): u32 {
  jacobiEigen(at, vectors);
  const e0 = load<f64>(at);
  const e1 = load<f64>(at, 24);
  const e2 = load<f64>(at, 40);
  const limit = tolerance * max(max(e0, e1), e2);
  const s0 = e0 > limit;
  const s1 = e1 > limit;
  const s2 = e2 > limit;
  const rank = <u32>s0 + <u32>s1 + <u32>s2;
  writeSpectral(inverse, vectors, s0 ? 1 / e0 : 0, s1 ? 1 / e1 : 0, s2 ? 1 / e2 : 0);
  if (rank < 3 && projection != 0) writeSpectral(projection, vectors, s0 ? 1 : 0, s1 ? 1 : 0, s2 ? 1 : 0);
  return rank;
}

/** Rows of V diag(f) V^T; eigenvectors are the columns of V. */
function writeSpectral(target: usize, vectors: usize, f0: f64, f1: f64, f2: f64): void {
  for (let a: usize = 0; a < 3; a++) {
    for (let b: usize = 0; b < 3; b++) {
      const va = vectors + a * 24;
      const vb = vectors + b * 24;
      const value =
        f0 * (load<f64>(va) * load<f64>(vb)) +
        f1 * (load<f64>(va, 8) * load<f64>(vb, 8)) +
        f2 * (load<f64>(va, 16) * load<f64>(vb, 16));
      store<f32>(target + (a << 4) + (b << 2), <f32>value);
    }
  }
}
