import { MOMENT_INVERSE, PLASTIC } from '../../src/particles/layout';
import { LASTING, NEIGHBOR_COUNT, PAIRS, POSITION, CAPACITY } from '../../src/particles/embedding-layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { addMul, columnX, columnY, columnZ, rowSumBound, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { elasticPartAfter, e0, e1, e2 } from '../solid/plasticity';
import { refreshBasis } from './basis';
import * as gradient from './fit';

/**
 * When rest vectors take over what has flowed: u_ij <- F_p u_ij, [J14] 3.3. Departs from it: between these times F_p is
 * kept beside them, as other solids keep theirs, which gives the same stress and saves two of four sums over the
 * neighbours in most steps; only the weights of the fit lag behind by as much.
 */

/**
 * Plastic strain that F_p may have, and share of the stabilisation that must last, before the rest vectors follow. Tried
 * with a share of 0.75: a bar that has flowed far is kicked by new neighbours, 2 m/s instead of 0.07.
 */
const ASIDE: f32 = 0.02;
const LASTS: f32 = 0.9;

// @ts-ignore: decorator
@inline
export function isDue(state: usize, lasting: f32, flowing: bool): bool {
  if (!flowing || lasting < LASTS) return true;
  return rowSumBound(v128.load(state), v128.load(state, 16), v128.load(state, 32)) > ASIDE;
}

/**
 * Lets the rest vectors of a particle flow along, given rows of F_e - I. What of x_ij the fit does not see is elastic
 * too and would hold against the flow for ever: its share that flowed goes into the rest vectors as well. The fit of
 * the gradient does not change by that, since the residuals have no part in it.
 */
export function absorb(context: usize, i: usize, m0: v128, m1: v128, m2: v128): void {
  const row = <usize>load<u32>(context + PAIRS) + i * CAPACITY * 16;
  const positions = <usize>load<u32>(context + POSITION);
  const state = <usize>load<u32>(context + PLASTIC) + i * 48;
  const lasting = <usize>load<u32>(context + LASTING) + (i << 2);
  const count = <usize>load<u32>(<usize>load<u32>(context + NEIGHBOR_COUNT) + (i << 2));
  const own = v128.load(positions + (i << 4));
  const share = <f32>1 - load<f32>(lasting);
  const b0 = v128.load(state);
  const b1 = v128.load(state, 16);
  const b2 = v128.load(state, 32);
  invert(b0, b1, b2);
  // Columns of (1 - share) F_p and of share F_e^-1.
  const kept = f32x4.splat(<f32>1 - share);
  const fx = f32x4.mul(kept, columnX(i0, i1, i2));
  const fy = f32x4.mul(kept, columnY(i0, i1, i2));
  const fz = f32x4.mul(kept, columnZ(i0, i1, i2));
  invert(m0, m1, m2);
  const taken = f32x4.splat(share);
  const ex = f32x4.mul(taken, columnX(i0, i1, i2));
  const ey = f32x4.mul(taken, columnY(i0, i1, i2));
  const ez = f32x4.mul(taken, columnZ(i0, i1, i2));
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(row + (k << 4));
    const offset = f32x4.sub(v128.load(positions + (neighborIndex(u) << 4)), own);
    let next = addMul(f32x4.mul(fx, splatX(u)), ex, splatX(offset));
    next = addMul(addMul(next, fy, splatY(u)), ey, splatY(offset));
    next = addMul(addMul(next, fz, splatZ(u)), ez, splatZ(offset));
    v128.store(row + (k << 4), f32x4.replace_lane(next, 3, w(u)));
  }
  // F_p is in the rest vectors now.
  v128.store(state, vector(0, 0, 0, w(b0)));
  v128.store(state, vector(0, 0, 0, w(b1)), 16);
  v128.store(state, vector(0, 0, 0, w(b2)), 32);
  store<f32>(lasting, 1);
  refreshBasis(context, i);
}

// @ts-ignore: decorator
@inline
function isZero(row: v128): bool {
  return x(row) == 0 && y(row) == 0 && z(row) == 0;
}

/** Brings all rest vectors up to date, before they are compared with those of others. */
export function absorbFlow(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const lastings = <usize>load<u32>(context + LASTING);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const state = plastics + i * 48;
    const aside = !(isZero(v128.load(state)) && isZero(v128.load(state, 16)) && isZero(v128.load(state, 32)));
    if ((!aside && load<f32>(lastings + (i << 2)) == 1) || load<f32>(inverses + i * 48, 28) == 0) continue;
    gradient.fit(context, i, positions, false);
    elasticPartAfter(0, 0, state, 0, f32x4.splat(0), 0, gradient.g0, gradient.g1, gradient.g2);
    absorb(context, i, e0, e1, e2);
  }
}
