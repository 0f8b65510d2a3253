import {
  ACCELERATION,
  BODIES,
  BODY_END,
  BODY_GRAVITY,
  BODY_OF,
  BODY_STRIDE,
  CONSTRAINT_ACCELERATION,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  CONSTRAINTS,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  FLUX,
  GRADIENT_SUM,
  LATE_KICK,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  SURFACE_OF,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, splatX, splatY, splatZ, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * f_i = sum_j (Q_i + Q_j) g_ij, [M04] eq. 24-25 gathered instead of scattered, plus what the stress
 * pass, contact and the world left for the particle; then the second half of the velocity kick.
 */
export function computeForces(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + NEIGHBORS);
  const flux = <usize>load<u32>(context + FLUX);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactForces = <usize>load<u32>(context + CONTACT_FORCE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const kick = f32x4.splat(load<f32>(context + LATE_KICK));

  let bodyEnd: usize = 0;
  let gravity = f32x4.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (i >= bodyEnd) {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = <usize>load<u32>(body + BODY_END);
      gravity = v128.load(body + BODY_GRAVITY);
    }
    // Q_i sum_j g_ij, then Q_j g_ij.
    const own = flux + i * 48;
    const sum = v128.load(sums + (i << 4));
    let force = v128.load(accelerations + (i << 4));
    force = addMul(force, splatX(sum), v128.load(own));
    force = addMul(force, splatY(sum), v128.load(own, 16));
    force = addMul(force, splatZ(sum), v128.load(own, 32));
    let fx = f32x4.splat(0);
    let fy = f32x4.splat(0);
    let fz = f32x4.splat(0);
    const last = pairs + ((<usize>load<u32>(begins + (i << 2), 4)) << 4);
    for (let pair = pairs + ((<usize>load<u32>(begins + (i << 2))) << 4); pair < last; pair += 16) {
      const g = v128.load(pair);
      const q = flux + neighborIndex(g) * 48;
      fx = addMul(fx, splatX(g), v128.load(q));
      fy = addMul(fy, splatY(g), v128.load(q, 16));
      fz = addMul(fz, splatZ(g), v128.load(q, 32));
    }
    force = f32x4.add(f32x4.add(force, fx), f32x4.add(fy, fz));
    if (contact) {
      const surface = <usize>load<u32>(surfaceOf + (i << 2));
      if (surface != 0) force = f32x4.add(force, v128.load(contactForces + ((surface - 1) << 4)));
    }
    let acceleration = addMul(gravity, force, f32x4.splat(w(sum)));
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0) {
      acceleration = f32x4.add(
        acceleration,
        v128.load(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_ACCELERATION),
      );
    }
    v128.store(accelerations + (i << 4), acceleration);
    const velocity = velocities + (i << 4);
    v128.store(velocity, addMul(v128.load(velocity), kick, acceleration));
  }
}
