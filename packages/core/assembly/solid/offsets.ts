import { FIRST_MOMENT, NEIGHBOR_BEGIN, OFFSETS, PAIRS } from '../../src/particles/layout';
import { addMul, splatX, splatY, splatZ } from '../math/simd';

/**
 * Rest vectors of their own: r_ij = m_j - m_i + o_ij with o_ji = -o_ij, and g_ij = w_ij r_ij. A fit and the
 * stabilisation are linear in x_j - x_i - r_ij = u_j - u_i - o_ij, so all that stresses and forces need of the offsets
 * are sums that stay while bonds do: FIRST_MOMENT, with which the sums over pairs begin. The tangent needs nothing.
 * What is written for quadratic fits and for equilibrium in double precision knows no offsets.
 */

/** Rows of -sum_j o_ij (g_ij, b_ij)^T. */
export function computeFirstMoments(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const offsets = <usize>load<u32>(context + OFFSETS);
  const firsts = <usize>load<u32>(context + FIRST_MOMENT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let h0 = f32x4.splat(0);
    let h1 = f32x4.splat(0);
    let h2 = f32x4.splat(0);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const g = v128.load(pairs + (k << 4));
      const o = f32x4.neg(v128.load(offsets + (k << 4)));
      h0 = addMul(h0, splatX(o), g);
      h1 = addMul(h1, splatY(o), g);
      h2 = addMul(h2, splatZ(o), g);
    }
    v128.store(firsts + i * 48, h0);
    v128.store(firsts + i * 48, h1, 16);
    v128.store(firsts + i * 48, h2, 32);
  }
}

/** m_j - m_i + o_ij of the pair at `pair`, in float32. */
// @ts-ignore: decorator
@inline
export function restVector(rest: usize, here: v128, j: usize, offsets: usize, pair: usize): v128 {
  const r = f32x4.sub(v128.load(rest + (j << 4)), here);
  return offsets == 0 ? r : f32x4.add(r, v128.load(offsets + (pair << 4)));
}
