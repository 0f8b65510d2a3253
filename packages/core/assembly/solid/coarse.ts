import {
  COARSE_BAND,
  COARSE_BEGIN,
  COARSE_FACTOR,
  COARSE_FIRST,
  COARSE_LIST,
  COARSE_NODES,
  COARSE_STRIDE,
  COARSE_SYSTEMS,
  COARSE_VECTOR,
  RESIDUAL,
} from '../../src/particles/layout';

/**
 * The coarse level of the preconditioner: banded systems, one for each body. A row of the factor L has
 * its diagonal last; in front of the rows is the vector, after as many zeros as a row is long, so that
 * every row meets whole fours.
 */

/** Residuals summed to the nodes of the grid. */
export function restrictResiduals(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + COARSE_BEGIN);
  const list = <usize>load<u32>(context + COARSE_LIST);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const nodes = <usize>load<u32>(context + COARSE_VECTOR);
  for (let n = <usize>begin; n < <usize>end; n++) {
    let sum = f32x4.splat(0);
    const last = list + (<usize>load<u32>(begins + (n << 2), 4) << 3);
    for (let at = list + (<usize>load<u32>(begins + (n << 2)) << 3); at < last; at += 8) {
      const r = v128.load(residuals + (<usize>load<u32>(at) << 4));
      sum = f32x4.add(sum, f32x4.mul(v128.load_splat<f32>(at, 4), r));
    }
    v128.store(nodes + (n << 4), sum);
  }
}

/** Sum of products of `count` floats, a multiple of four. */
// @ts-ignore: decorator
@inline
function product(a: usize, b: usize, count: usize): f32 {
  let sum = f32x4.splat(0);
  for (let k: usize = 0; k < count << 2; k += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(a + k), v128.load(b + k)));
  return (
    f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  );
}

/** Cholesky factors in place of the matrices; diagonals are stored inverted. The range is one of systems. */
export function factorCoarse(begin: u32, end: u32, context: usize): void {
  for (let s = <usize>begin; s < <usize>end; s++) {
    const system = <usize>load<u32>(context + COARSE_SYSTEMS) + s * COARSE_STRIDE;
    const size = <usize>load<u32>(system + COARSE_NODES) * 3;
    const band = <usize>load<u32>(system + COARSE_BAND);
    const rows = <usize>load<u32>(system + COARSE_FACTOR) + ((band + size + 4) << 2);
    for (let i: usize = 0; i < size; i++) {
      const row = rows + ((i * band) << 2);
      const first = i + 1 >= band ? i + 1 - band : 0;
      for (let j = first; j < i; j++) {
        // Columns first..j-1 of rows i and j, in pieces of four and a rest.
        const other = rows + ((j * band) << 2);
        const begin = j + 1 >= band ? max(first, j + 1 - band) : first;
        const a = row + ((begin + band - 1 - i) << 2);
        const b = other + ((begin + band - 1 - j) << 2);
        const count = j - begin;
        const whole = count & ~3;
        let sum = product(a, b, whole);
        for (let k = whole; k < count; k++) sum += load<f32>(a + (k << 2)) * load<f32>(b + (k << 2));
        const at = row + ((j + band - 1 - i) << 2);
        store<f32>(at, (load<f32>(at) - sum) * load<f32>(other + ((band - 1) << 2)));
      }
      const at = row + ((band - 1) << 2);
      const diagonal = load<f32>(at);
      const a = row + ((first + band - 1 - i) << 2);
      const count = i - first;
      const whole = count & ~3;
      let sum = product(a, a, whole);
      for (let k = whole; k < count; k++) sum += load<f32>(a + (k << 2)) * load<f32>(a + (k << 2));
      const pivot = diagonal - sum;
      // A pivot lost in rounding: the unknown is left out.
      store<f32>(at, pivot > <f32>1e-6 * diagonal ? <f32>1 / sqrt(pivot) : 0);
    }
  }
}

/** Solves the coarse systems for what is in COARSE_VECTOR. The range is one of systems. */
export function solveCoarse(begin: u32, end: u32, context: usize): void {
  for (let s = <usize>begin; s < <usize>end; s++) {
    const system = <usize>load<u32>(context + COARSE_SYSTEMS) + s * COARSE_STRIDE;
    const nodes = <usize>load<u32>(system + COARSE_NODES);
    const size = nodes * 3;
    const band = <usize>load<u32>(system + COARSE_BAND);
    const factor = <usize>load<u32>(system + COARSE_FACTOR);
    const vector = factor + (band << 2);
    const rows = factor + ((band + size + 4) << 2);
    const source = <usize>load<u32>(context + COARSE_VECTOR) + (<usize>load<u32>(system + COARSE_FIRST) << 4);
    for (let n: usize = 0; n < nodes; n++) {
      // Three floats and one too many, which the next node overwrites.
      v128.store(vector + n * 12, v128.load(source + (n << 4)));
    }
    store<f32>(vector + (size << 2), 0);
    // L y = r. The diagonal's place meets y_i itself: taken off again.
    for (let i: usize = 0; i < size; i++) {
      const row = rows + ((i * band) << 2);
      const at = vector + (i << 2);
      const own = load<f32>(at);
      const inverse = load<f32>(row + ((band - 1) << 2));
      store<f32>(at, 0);
      const sum = product(row, at - ((band - 1) << 2), band);
      store<f32>(at, (own - sum) * inverse);
    }
    // L^T x = y, row by row from the last.
    for (let i = size; i > 0; i--) {
      const row = rows + (((i - 1) * band) << 2);
      const at = vector + ((i - 1) << 2);
      const value = load<f32>(at) * load<f32>(row + ((band - 1) << 2));
      const splat = f32x4.splat(value);
      const target = at - ((band - 1) << 2);
      for (let k: usize = 0; k < band << 2; k += 16) {
        v128.store(target + k, f32x4.sub(v128.load(target + k), f32x4.mul(splat, v128.load(row + k))));
      }
      store<f32>(at, value);
    }
    // Rows reached in front of the first unknown: zeros again for the next time.
    memory.fill(factor, 0, band << 2);
    for (let n: usize = 0; n < nodes; n++) {
      v128.store(source + (n << 4), f32x4.replace_lane(v128.load(vector + n * 12), 3, 0));
    }
  }
}
