import {
  ACCELERATION,
  BLOCK,
  BLOCK_FREQUENCY,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  FLUX,
  LATE_KICK,
  VELOCITY,
} from '../../src/particles/layout';
import {
  CONSTRAINED,
  CONSTRAINTS,
  CONSTRAINT_ACCELERATION,
  CONSTRAINT_STRIDE,
  FREQUENCY_SHARE,
  GRAVITY,
  NEIGHBOR_COUNT,
  PAIRS,
  POSITION,
  REVERSE,
  ROOM,
  WEIGHTS,
} from '../../src/particles/embedding-layout';
import { addMul, splatX, splatY, splatZ, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * f_i = sum_j (Q_i g_ij - Q_j g_ji + (a_i w_ij + a_j w_ji) x_ij), [J14] eq. 5 gathered, with g_ij = w_ij u_ij; then
 * contact forces and the second half of the kick. Forces of a pair are opposite to rounding, so momentum is kept.
 *
 * The squared frequency is at most 2 sum_j (k_i w_ij + k_j w_ji) / m_i, where the bounds k are in FLUX: |G|^2 is at
 * most |A^-1| sum_j w_ij |x_j - x_i|^2, and of a graph of springs the largest eigenvalue is at most twice the
 * largest diagonal entry. How much less it is at rest has been found by power iteration, FREQUENCY_SHARE.
 */
export function computeEmbeddedForces(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const pairs = <usize>load<u32>(context + PAIRS);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const reverses = <usize>load<u32>(context + REVERSE);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const flux = <usize>load<u32>(context + FLUX);
  const constrained = <usize>load<u32>(context + CONSTRAINED);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const frequencies = <usize>load<u32>(context + BLOCK_FREQUENCY);
  const contacts = load<u32>(context + CONTACT_ACTIVE) != 0 ? <usize>load<u32>(context + CONTACT_FORCE) : 0;
  const gravity = v128.load(context + GRAVITY);
  const late = f32x4.splat(load<f32>(context + LATE_KICK));
  const share = <f32>2 * load<f32>(context + FREQUENCY_SHARE);
  let highest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = flux + i * 48;
    const qx = v128.load(own);
    const qy = v128.load(own, 16);
    const qz = v128.load(own, 32);
    const stabilising = w(qx);
    const stiffness = w(qy);
    const position = v128.load(positions + (i << 4));
    const count = <usize>load<u32>(counts + (i << 2));
    let force = f32x4.splat(0);
    let rate: f32 = 0;
    let pair = i * ROOM;
    for (const last = pair + count; pair < last; pair++) {
      const u = v128.load(pairs + (pair << 4));
      const weight = load<f32>(weights + (pair << 2));
      const j = neighborIndex(u);
      const back = <usize>load<u32>(reverses + (pair << 2));
      const v = v128.load(pairs + (back << 4));
      const other = load<f32>(weights + (back << 2));
      const q = flux + j * 48;
      const px = v128.load(q);
      const py = v128.load(q, 16);
      const g = f32x4.mul(f32x4.splat(weight), u);
      const h = f32x4.mul(f32x4.splat(other), v);
      const way = f32x4.sub(v128.load(positions + (j << 4)), position);
      let f = f32x4.mul(f32x4.splat(stabilising * weight + w(px) * other), way);
      f = f32x4.add(f, f32x4.sub(f32x4.mul(splatX(g), qx), f32x4.mul(splatX(h), px)));
      f = f32x4.add(f, f32x4.sub(f32x4.mul(splatY(g), qy), f32x4.mul(splatY(h), py)));
      f = f32x4.add(f, f32x4.sub(f32x4.mul(splatZ(g), qz), f32x4.mul(splatZ(h), v128.load(q, 32))));
      force = f32x4.add(force, f);
      rate += stiffness * weight + w(py) * other;
    }
    if (contacts != 0) force = f32x4.add(force, v128.load(contacts + (i << 4)));
    const perMass = w(position);
    let a = addMul(gravity, f32x4.splat(perMass), force);
    let bits = load<u32>(constrained + (i << 2));
    while (bits != 0) {
      const set = constraints + <usize>ctz(bits) * CONSTRAINT_STRIDE;
      a = f32x4.add(a, v128.load(set + CONSTRAINT_ACCELERATION));
      bits &= bits - 1;
    }
    a = f32x4.replace_lane(a, 3, 0);
    v128.store(accelerations + (i << 4), a);
    v128.store(velocities + (i << 4), addMul(v128.load(velocities + (i << 4)), late, a));
    const frequency2 = share * rate * perMass;
    if (!(frequency2 <= highest)) highest = frequency2;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(frequencies + ((i / BLOCK) << 2), highest);
      highest = 0;
    }
  }
}
