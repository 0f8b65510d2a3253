import {
  ACCELERATION,
  BLOCK,
  BLOCK_FREQUENCY,
  BODIES,
  BODY_BEGIN,
  BODY_OF,
  BODY_STRIDE,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  EXTERNAL_FORCE,
  FLUX,
  LATE_KICK,
  SURFACE_OF,
  VELOCITY,
} from '../../src/particles/layout';
import {
  CONSTRAINED,
  CONSTRAINTS,
  FREQUENCY_SHARE,
  GRAVITY,
  ID,
  NEIGHBOR_COUNT,
  OTHER_PAIRS,
  POSITION,
  REVERSE,
  CAPACITY,
  SOLID_CONTEXT,
} from '../../src/particles/embedding-layout';
import { PRESCRIPTION_ACCELERATION, PRESCRIPTION_STRIDE } from '../../src/particles/prescription-layout';
import { addMul, w } from '../math/simd';

/**
 * f_i = sum_j (t_ij - t_ji), [J14] eq. 5 gathered, with the t of computeEmbeddedStresses; then forces of contact, liquids
 * and grabs, which are in the particles' slots among the solids, and the second half of the kick. What i gets of a pair is what j gets, the other way round, so momentum is kept.
 *
 * The squared frequency is at most 2 sum_j (k_i w_ij + k_j w_ji) / m_i, with the bounds in lanes 3 of t: |G|^2 is at
 * most |A^-1| sum_j w_ij |x_j - x_i|^2, and of a graph of springs the largest eigenvalue is at most twice the
 * largest diagonal entry. How much less it is at rest has been found by power iteration, FREQUENCY_SHARE.
 */
export function computeEmbeddedForces(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const bonds = <usize>load<u32>(context + OTHER_PAIRS);
  const reverses = <usize>load<u32>(context + REVERSE);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const flux = <usize>load<u32>(context + FLUX);
  const constrained = <usize>load<u32>(context + CONSTRAINED);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const frequencies = <usize>load<u32>(context + BLOCK_FREQUENCY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const ids = <usize>load<u32>(context + ID);
  const solids = <usize>load<u32>(context + SOLID_CONTEXT);
  const contact = solids != 0 && load<u32>(solids + CONTACT_ACTIVE) != 0;
  const contacts: usize = contact ? <usize>load<u32>(solids + CONTACT_FORCE) : 0;
  const surfaceOf: usize = contact ? <usize>load<u32>(solids + SURFACE_OF) : 0;
  const external: usize = solids != 0 ? <usize>load<u32>(solids + EXTERNAL_FORCE) : 0;
  const gravity = v128.load(context + GRAVITY);
  const late = f32x4.splat(load<f32>(context + LATE_KICK));
  const share = <f32>2 * load<f32>(context + FREQUENCY_SHARE);
  let highest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    const mine = v128.load(flux + i * 48);
    let theirs = f32x4.splat(0);
    let more = f32x4.splat(0);
    let reverse = reverses + i * CAPACITY * 4;
    const last = reverse + (<usize>load<u32>(counts + (i << 2)) << 2);
    for (; reverse + 4 < last; reverse += 8) {
      theirs = f32x4.add(theirs, v128.load(bonds + (<usize>load<u32>(reverse) << 4)));
      more = f32x4.add(more, v128.load(bonds + (<usize>load<u32>(reverse, 4) << 4)));
    }
    if (reverse < last) theirs = f32x4.add(theirs, v128.load(bonds + (<usize>load<u32>(reverse) << 4)));
    theirs = f32x4.add(theirs, more);
    let force = f32x4.sub(mine, theirs);
    const rate = w(mine) + w(theirs);
    if (contacts != 0 || external != 0) {
      const begin = load<u32>(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_BEGIN);
      const slot = <usize>(begin + load<u32>(ids + (i << 2)));
      const surface: usize = contacts != 0 ? <usize>load<u32>(surfaceOf + (slot << 2)) : 0;
      if (surface != 0) force = f32x4.add(force, v128.load(contacts + ((surface - 1) << 4)));
      if (external != 0) force = f32x4.add(force, v128.load(external + (slot << 4)));
    }
    const perMass = w(position);
    let a = addMul(gravity, f32x4.splat(perMass), force);
    let bits = load<u32>(constrained + (i << 2));
    while (bits != 0) {
      const set = constraints + <usize>ctz(bits) * PRESCRIPTION_STRIDE;
      a = f32x4.add(a, v128.load(set + PRESCRIPTION_ACCELERATION));
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
