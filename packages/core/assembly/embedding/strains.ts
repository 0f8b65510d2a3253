import { FLUX, MOMENT_INVERSE } from '../../src/particles/layout';
import { NEIGHBOR_COUNT, ORIGIN, PAIRS, POSITION, CAPACITY } from '../../src/particles/embedding-layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { cross, dot, matrixTimes, rowTimes, vector, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { refreshBasis } from './basis';
import * as gradient from './fit';

/**
 * What a change of neighbours must not change: the strain. A fit to other neighbours is another fit, and one per cent
 * of another volume is a pressure that throws particles out. So the gradient is noted before and the rest vectors
 * are mapped to have it again after.
 */

/** det F below this is folded over: no strain worth keeping. */
const FOLDED: f32 = 0.05;

/** Is the gradient of a particle known? Lane 3 of the second row of its A^-1 says so. */
// @ts-ignore: decorator
@inline
function isSpanned(context: usize, i: usize): bool {
  return load<f32>(<usize>load<u32>(context + MOMENT_INVERSE) + i * 48, 28) != 0;
}

/**
 * Rows of F - I of every particle into FLUX, which is free between steps. One whose neighbours do not span space takes
 * that of the nearest whose do.
 */
export function noteGradients(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const flux = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let source = i;
    if (!isSpanned(context, i)) {
      let nearest: f32 = f32.MAX_VALUE;
      let pair = pairs + i * CAPACITY * 16;
      const last = pair + (<usize>load<u32>(counts + (i << 2)) << 4);
      for (; pair < last; pair += 16) {
        const u = v128.load(pair);
        const r2 = dot(u, u);
        if (r2 >= nearest || !isSpanned(context, neighborIndex(u))) continue;
        nearest = r2;
        source = neighborIndex(u);
      }
    }
    const out = flux + i * 48;
    gradient.fit(context, source, positions, false);
    v128.store(out, gradient.g0);
    v128.store(out, gradient.g1, 16);
    v128.store(out, gradient.g2, 32);
  }
}

/** Maps the rest vectors so that the fit to them is the gradient that was noted: u <- F^-1 F' u, where F' is the fit. */
export function keepGradients(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const origins = <usize>load<u32>(context + ORIGIN);
  const flux = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const noted = flux + <usize>load<u32>(origins + (i << 2)) * 48;
    const spanned = isSpanned(context, i);
    if (spanned) {
      gradient.fit(context, i, positions, false);
      if (!(determinant(gradient.g0, gradient.g1, gradient.g2) > FOLDED)) continue;
    }
    const g0 = f32x4.add(gradient.g0, vector(1, 0, 0, 0));
    const g1 = f32x4.add(gradient.g1, vector(0, 1, 0, 0));
    const g2 = f32x4.add(gradient.g2, vector(0, 0, 1, 0));
    const n0 = v128.load(noted);
    const n1 = v128.load(noted, 16);
    const n2 = v128.load(noted, 32);
    if (!(determinant(n0, n1, n2) > FOLDED)) continue;
    invert(n0, n1, n2);
    const t0 = rowTimes(i0, g0, g1, g2);
    const t1 = rowTimes(i1, g0, g1, g2);
    const t2 = rowTimes(i2, g0, g1, g2);
    const own = v128.load(positions + (i << 4));
    let pair = pairs + i * CAPACITY * 16;
    const last = pair + (<usize>load<u32>(counts + (i << 2)) << 4);
    for (; pair < last; pair += 16) {
      const u = v128.load(pair);
      // Who has no stress wants its neighbours where they are.
      const next = spanned
        ? matrixTimes(t0, t1, t2, u)
        : matrixTimes(i0, i1, i2, f32x4.sub(v128.load(positions + (neighborIndex(u) << 4)), own));
      v128.store(pair, f32x4.replace_lane(next, 3, w(u)));
    }
    refreshBasis(context, i);
  }
}

/** det(I + m). */
// @ts-ignore: decorator
@inline
function determinant(m0: v128, m1: v128, m2: v128): f32 {
  const a = f32x4.add(m0, vector(1, 0, 0, 0));
  const b = f32x4.add(m1, vector(0, 1, 0, 0));
  const c = f32x4.add(m2, vector(0, 0, 1, 0));
  return dot(a, cross(b, c));
}
