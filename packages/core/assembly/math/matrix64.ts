/** 3 x 3 matrices in double precision in memory: nine f64 by rows. Results must not overlap what they are made of. */

// @ts-ignore: decorator
@inline
function at(m: usize, r: usize, c: usize): f64 {
  return load<f64>(m + r * 24 + (c << 3));
}

export function copy(out: usize, a: usize): void {
  memory.copy(out, a, 72);
}

/** A B */
export function multiply(out: usize, a: usize, b: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      store<f64>(out + r * 24 + (c << 3), at(a, r, 0) * at(b, 0, c) + at(a, r, 1) * at(b, 1, c) + at(a, r, 2) * at(b, 2, c));
    }
  }
}

/** A^T B */
export function transposedMultiply(out: usize, a: usize, b: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      store<f64>(out + r * 24 + (c << 3), at(a, 0, r) * at(b, 0, c) + at(a, 1, r) * at(b, 1, c) + at(a, 2, r) * at(b, 2, c));
    }
  }
}

/** A B^T */
export function multiplyTransposed(out: usize, a: usize, b: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      store<f64>(out + r * 24 + (c << 3), at(a, r, 0) * at(b, c, 0) + at(a, r, 1) * at(b, c, 1) + at(a, r, 2) * at(b, c, 2));
    }
  }
}

/** A += factor B */
export function addTo(a: usize, factor: f64, b: usize): void {
  for (let k: usize = 0; k < 72; k += 8) store<f64>(a + k, load<f64>(a + k) + factor * load<f64>(b + k));
}

/** A += factor I */
export function addIdentity(a: usize, factor: f64 = 1): void {
  for (let k: usize = 0; k < 72; k += 32) store<f64>(a + k, load<f64>(a + k) + factor);
}

/** A = (A + A^T) / 2 */
export function symmetrise(a: usize): void {
  for (let r: usize = 0; r < 2; r++) {
    for (let c = r + 1; c < 3; c++) {
      const mean = 0.5 * (at(a, r, c) + at(a, c, r));
      store<f64>(a + r * 24 + (c << 3), mean);
      store<f64>(a + c * 24 + (r << 3), mean);
    }
  }
}

/** Cofactors. */
export function cofactors(out: usize, a: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    const p = (r + 1) % 3;
    const q = (r + 2) % 3;
    for (let c: usize = 0; c < 3; c++) {
      const s = (c + 1) % 3;
      const t = (c + 2) % 3;
      store<f64>(out + r * 24 + (c << 3), at(a, p, s) * at(a, q, t) - at(a, p, t) * at(a, q, s));
    }
  }
}

/** Sum of the products of the entries. */
export function inner(a: usize, b: usize): f64 {
  let sum: f64 = 0;
  for (let k: usize = 0; k < 72; k += 8) sum += load<f64>(a + k) * load<f64>(b + k);
  return sum;
}

export function trace(a: usize): f64 {
  return load<f64>(a) + load<f64>(a, 32) + load<f64>(a, 64);
}

/** From three rows of float32, each in four lanes. */
export function fromLanes(out: usize, rows: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) store<f64>(out + r * 24 + (c << 3), load<f32>(rows + (r << 4) + (c << 2)));
  }
}
