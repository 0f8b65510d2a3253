import { BLOCK } from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  BOND_COUNT,
  BOND_CAPACITY,
  BONDS,
  FLUX,
  GRADIENT,
  INVERSE,
  IS_SOLID,
  LIQUID_CONTEXT,
  POSITION,
  RELAXED,
  SOLID,
  STATE,
  LOG_VOLUME,
  TURN,
} from '../../src/particles/elastic-layout';
import { i0, i1, i2 } from '../math/inverse';
import { addMul, cross, dot, matrixTimes, rowTimes, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { flows, invertRows, isPressed, sumsOf, takeVolume } from './elastic-bonds';
import * as stress from './elastic-stress';
import { inverseOf, separation } from './pairs';

/**
 * The stabilisation of what flows must flow as its strain does, else it would be elastic for ever. Of the share s of
 * the strain that has flowed, bonds follow the shape:
 *
 *   r_ij becomes r_ij + s (d_ij - r_ij),   s the mean of both ends, so that r_ji = -r_ij stays
 *
 * Following only what F or its turn leave would not do: F is smoother than the motion, so that waves would take long.
 * Only where something has turned far all bonds are turned first, r_ij becomes R r_ij, R the mean of both ends.
 */

/** Steps of Newton's method for R, from strains of a few tenths at the most. */
const ROUNDS = 5;
/** Volumes below this share are folded and have no turn. */
const FLAT: f32 = 0.2;
/** The trace of R where it is far: 1 + 2 cos 0.3. */
const FAR: f32 = 2.91;

/** R_i of F = R U, rows in FLUX; lane 3 of the first is 1 where there is one. Per block how many are far (0). */
export function computeElasticTurns(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const turns = <usize>load<u32>(context + FLUX);
  const half = f32x4.splat(0.5);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if ((id & (BLOCK - 1)) == 0) store<f64>(sumsOf(context, id / BLOCK), 0);
    const out = turns + id * 48;
    memory.fill(out, 0, 48);
    if (load<u32>(counts + (id << 2)) == 0 || load<f32>(inverses + id * 48, 28) < 3 || !flows(context, id)) continue;
    let j0 = f32x4.add(v128.load(gradients + id * 48), vector(1, 0, 0, 0));
    let j1 = f32x4.add(v128.load(gradients + id * 48, 16), vector(0, 1, 0, 0));
    let j2 = f32x4.add(v128.load(gradients + id * 48, 32), vector(0, 0, 1, 0));
    if (!(dot(j0, cross(j1, j2)) > FLAT)) continue;
    for (let round = 0; round < ROUNDS; round++) {
      const c0 = cross(j1, j2);
      const c1 = cross(j2, j0);
      const c2 = cross(j0, j1);
      const per = f32x4.splat(<f32>1 / dot(j0, c0));
      j0 = f32x4.mul(half, addMul(j0, per, c0));
      j1 = f32x4.mul(half, addMul(j1, per, c1));
      j2 = f32x4.mul(half, addMul(j2, per, c2));
    }
    if (x(j0) + y(j1) + z(j2) < FAR) store<f64>(sumsOf(context, id / BLOCK), 1);
    v128.store(out, f32x4.replace_lane(j0, 3, 1));
    v128.store(out, j1, 16);
    v128.store(out, j2, 32);
  }
}

export function relaxBonds(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const relaxed = <usize>load<u32>(context + RELAXED);
  const positions = <usize>load<u32>(context + POSITION);
  const turns = <usize>load<u32>(context + FLUX);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const bonds = <usize>load<u32>(context + BONDS);
  const turn = load<u32>(context + TURN) != 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count == 0 || !flows(context, id)) continue;
    const t0 = v128.load(turns + id * 48);
    const t1 = v128.load(turns + id * 48, 16);
    const t2 = v128.load(turns + id * 48, 32);
    const xi = v128.load(positions + (id << 4));
    const own = load<f32>(relaxed + (id << 2));
    const list = bonds + ((id * capacity) << 4);
    for (let bond = list; bond < list + (count << 4); bond += 16) {
      const r = v128.load(bond);
      const j = neighborIndex(r);
      let from = r;
      if (turn) {
        const other = turns + j * 48;
        const sum0 = f32x4.add(t0, v128.load(other));
        const sum1 = f32x4.add(t1, v128.load(other, 16));
        const sum2 = f32x4.add(t2, v128.load(other, 32));
        const ends = w(sum0);
        if (ends > 0) from = f32x4.mul(f32x4.splat(<f32>1 / ends), matrixTimes(sum0, sum1, sum2, r));
      }
      const share: f32 = <f32>0.5 * (own + load<f32>(relaxed + (j << 2)));
      const d = separation(v128.load(positions + (j << 4)), xi, period, inversePeriod);
      const next = addMul(from, f32x4.splat(share), f32x4.sub(d, from));
      v128.store(bond, i32x4.replace_lane(next, 3, i32x4.extract_lane(r, 3)));
    }
  }
}

/** F_p and LOG_VOLUME take the change of F by new bonds, so that F_e and the stress stay. */
export function keepElasticStrain(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const states = <usize>load<u32>(context + STATE);
  const logVolumes = <usize>load<u32>(context + LOG_VOLUME);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count == 0 || load<u32>(solids + (id << 2)) != IS_SOLID || !flows(context, id)) continue;
    if (load<f32>(inverses + id * 48, 28) < 3) continue;
    stress.fit(context, id, count, period, inversePeriod, false);
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
    const n0 = f32x4.add(a0, x0);
    const n1 = f32x4.add(a1, x1);
    const n2 = f32x4.add(a2, x2);
    const volume = dot(n0, cross(n1, n2));
    const per = f32x4.splat(isPressed(context, id) ? takeVolume(logVolumes + (id << 2), volume) : 1);
    v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, n0), vector(1, 0, 0, 0)), 3, w(b0)));
    v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, n1), vector(0, 1, 0, 0)), 3, w(b1)), 16);
    v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, n2), vector(0, 0, 1, 0)), 3, w(b2)), 32);
  }
}
