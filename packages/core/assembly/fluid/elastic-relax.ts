import * as liquid from '../../src/particles/fluid-layout';
import {
  BOND_COUNT,
  BOND_ROOM,
  BONDS,
  GRADIENT,
  INVERSE,
  IS_SOLID,
  LIQUID_CONTEXT,
  POSITION,
  RELAXED,
  SOLID,
  STATE,
} from '../../src/particles/elastic-layout';
import { addMul, matrixTimes, rowTimes, vector, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { flows, i0, i1, i2, invertRows } from './elastic-bonds';
import * as stress from './elastic-stress';
import { inverseOf, separation } from './pairs';

/**
 * In what flows, the part of the motion that the fit leaves must flow as its strain does, else the stabilisation would
 * be elastic for ever. Of the share s that has flowed, bonds follow what is not F:
 *
 *   r_ij becomes r_ij + s (F^-1 d_ij - r_ij),   F and s the means of both ends, so that r_ji = -r_ij stays
 */
export function relaxBonds(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const relaxed = <usize>load<u32>(context + RELAXED);
  const positions = <usize>load<u32>(context + POSITION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const room = <usize>load<u32>(context + BOND_ROOM);
  const bonds = <usize>load<u32>(context + BONDS);
  const half = f32x4.splat(0.5);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count == 0 || !flows(context, id)) continue;
    const xi = v128.load(positions + (id << 4));
    const own = load<f32>(relaxed + (id << 2));
    const g0 = v128.load(gradients + id * 48);
    const g1 = v128.load(gradients + id * 48, 16);
    const g2 = v128.load(gradients + id * 48, 32);
    const list = bonds + ((id * room) << 4);
    for (let bond = list; bond < list + (count << 4); bond += 16) {
      const r = v128.load(bond);
      const j = neighborIndex(r);
      const share: f32 = <f32>0.5 * (own + load<f32>(relaxed + (j << 2)));
      if (share == 0) continue;
      const other = gradients + j * 48;
      invertRows(
        f32x4.mul(half, f32x4.add(g0, v128.load(other))),
        f32x4.mul(half, f32x4.add(g1, v128.load(other, 16))),
        f32x4.mul(half, f32x4.add(g2, v128.load(other, 32))),
      );
      const d = separation(v128.load(positions + (j << 4)), xi, period, inversePeriod);
      const way = f32x4.sub(matrixTimes(i0, i1, i2, d), r);
      v128.store(bond, i32x4.replace_lane(addMul(r, f32x4.splat(share), way), 3, i32x4.extract_lane(r, 3)));
    }
  }
}

/** F of the new bonds differs a little where space ends: F_p takes that, so that F_e and the stress stay. */
export function keepElasticStrain(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const states = <usize>load<u32>(context + STATE);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count == 0 || load<u32>(solids + (id << 2)) != IS_SOLID || !flows(context, id)) continue;
    if (load<f32>(inverses + id * 48, 28) < 3) continue;
    stress.fit(context, id, count, period, inversePeriod);
    invertRows(stress.g0, stress.g1, stress.g2);
    // A becomes F'^-1 F A = A + X A, with X = F'^-1 (F - F').
    const d0 = f32x4.sub(v128.load(gradients + id * 48), stress.g0);
    const d1 = f32x4.sub(v128.load(gradients + id * 48, 16), stress.g1);
    const d2 = f32x4.sub(v128.load(gradients + id * 48, 32), stress.g2);
    const state = states + id * 48;
    const b0 = v128.load(state);
    const b1 = v128.load(state, 16);
    const b2 = v128.load(state, 32);
    const a0 = f32x4.add(b0, vector(1, 0, 0, 0));
    const a1 = f32x4.add(b1, vector(0, 1, 0, 0));
    const a2 = f32x4.add(b2, vector(0, 0, 1, 0));
    const x0 = rowTimes(rowTimes(i0, d0, d1, d2), a0, a1, a2);
    const x1 = rowTimes(rowTimes(i1, d0, d1, d2), a0, a1, a2);
    const x2 = rowTimes(rowTimes(i2, d0, d1, d2), a0, a1, a2);
    v128.store(state, f32x4.replace_lane(f32x4.add(b0, x0), 3, w(b0)));
    v128.store(state, f32x4.replace_lane(f32x4.add(b1, x1), 3, w(b1)), 16);
    v128.store(state, f32x4.replace_lane(f32x4.add(b2, x2), 3, w(b2)), 32);
  }
}
