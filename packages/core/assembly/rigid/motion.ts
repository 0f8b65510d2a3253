import {
  BODIES,
  BODY_BEGIN,
  BODY_CENTRE,
  BODY_END,
  BODY_FIT,
  BODY_FRAME,
  BODY_OF,
  BODY_RIGID_SHIFT,
  BODY_RIGID_SPIN,
  BODY_RIGID_VELOCITY,
  BODY_STRIDE,
  FIT_NONE,
  REST,
  RIGID_FORCE,
  RIGID_MOMENT,
  RIGID_STIFFNESS,
  RIGID_PARTICLE,
  RIGID_SUM_COUNT,
  RIGID_SUMS,
  VELOCITY,
} from '../../src/particles/layout';
import { cross } from '../math/simd';

/** Velocities of the particles of rigid bodies, v + omega x m in body axes. The range is one of rigid particles. */
export function moveRigidParticles(begin: u32, end: u32, context: usize): void {
  const numbers = <usize>load<u32>(context + RIGID_PARTICLE);
  const rest = <usize>load<u32>(context + REST);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let n = <usize>begin; n < <usize>end; n++) {
    const i = <usize>load<u32>(numbers + (n << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const turned = cross(v128.load(body + BODY_RIGID_SPIN), v128.load(rest + (i << 4)));
    const velocity = f32x4.add(v128.load(body + BODY_RIGID_VELOCITY), turned);
    v128.store(velocities + (i << 4), f32x4.replace_lane(velocity, 3, 0));
  }
}

/**
 * Sums over each rigid body in world axes, f64, in particle order: force (slots 0-2), torque about the centre
 * of mass (3-5), stiffness of the contacts (6), the same times the arm from the centre of mass (7-9) and times
 * its square (10), the five of damping (11-15), how many contacts there are or are about to be (16). The range
 * is one of bodies.
 */
export function computeRigidSums(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const forces = <usize>load<u32>(context + RIGID_FORCE);
  const moments = <usize>load<u32>(context + RIGID_MOMENT);
  const stiffnesses = <usize>load<u32>(context + RIGID_STIFFNESS);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const body = <usize>load<u32>(context + BODIES) + b * BODY_STRIDE;
    if (load<u32>(body + BODY_FIT) != FIT_NONE) continue;
    const at = <usize>load<u32>(context + RIGID_SUMS) + b * RIGID_SUM_COUNT * 8;
    const shift = <usize>load<u32>(body + BODY_RIGID_SHIFT);
    const r00 = <f64>load<f32>(body + BODY_FRAME);
    const r01 = <f64>load<f32>(body + BODY_FRAME, 4);
    const r02 = <f64>load<f32>(body + BODY_FRAME, 8);
    const r10 = <f64>load<f32>(body + BODY_FRAME, 16);
    const r11 = <f64>load<f32>(body + BODY_FRAME, 20);
    const r12 = <f64>load<f32>(body + BODY_FRAME, 24);
    const r20 = <f64>load<f32>(body + BODY_FRAME, 32);
    const r21 = <f64>load<f32>(body + BODY_FRAME, 36);
    const r22 = <f64>load<f32>(body + BODY_FRAME, 40);
    const centreX = <f64>load<f32>(body + BODY_CENTRE);
    const centreY = <f64>load<f32>(body + BODY_CENTRE, 4);
    const centreZ = <f64>load<f32>(body + BODY_CENTRE, 8);
    let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0;
    let tx: f64 = 0, ty: f64 = 0, tz: f64 = 0;
    let kk: f64 = 0, kx: f64 = 0, ky: f64 = 0, kz: f64 = 0, k2: f64 = 0;
    let cc: f64 = 0, cx: f64 = 0, cy: f64 = 0, cz: f64 = 0, c2: f64 = 0;
    let touching: f64 = 0;
    const last = <usize>load<u32>(body + BODY_END);
    for (let i = <usize>load<u32>(body + BODY_BEGIN); i < last; i++) {
      const force = forces + ((i - shift) << 4);
      const moment = moments + ((i - shift) << 4);
      const mx = <f64>load<f32>(rest + (i << 4)) - centreX;
      const my = <f64>load<f32>(rest + (i << 4), 4) - centreY;
      const mz = <f64>load<f32>(rest + (i << 4), 8) - centreZ;
      const x = r00 * mx + r01 * my + r02 * mz;
      const y = r10 * mx + r11 * my + r12 * mz;
      const z = r20 * mx + r21 * my + r22 * mz;
      const gx = <f64>load<f32>(force);
      const gy = <f64>load<f32>(force, 4);
      const gz = <f64>load<f32>(force, 8);
      const stiffness = stiffnesses + ((i - shift) << 4);
      const k = <f64>load<f32>(stiffness);
      const c = <f64>load<f32>(stiffness, 4);
      fx += gx;
      fy += gy;
      fz += gz;
      tx += y * gz - z * gy + <f64>load<f32>(moment);
      ty += z * gx - x * gz + <f64>load<f32>(moment, 4);
      tz += x * gy - y * gx + <f64>load<f32>(moment, 8);
      kk += k;
      kx += k * x;
      ky += k * y;
      kz += k * z;
      k2 += k * (x * x + y * y + z * z);
      cc += c;
      cx += c * x;
      cy += c * y;
      cz += c * z;
      c2 += c * (x * x + y * y + z * z);
      touching += <f64>load<f32>(stiffness, 8);
    }
    store<f64>(at, fx);
    store<f64>(at, fy, 8);
    store<f64>(at, fz, 16);
    store<f64>(at, tx, 24);
    store<f64>(at, ty, 32);
    store<f64>(at, tz, 40);
    store<f64>(at, kk, 48);
    store<f64>(at, kx, 56);
    store<f64>(at, ky, 64);
    store<f64>(at, kz, 72);
    store<f64>(at, k2, 80);
    store<f64>(at, cc, 88);
    store<f64>(at, cx, 96);
    store<f64>(at, cy, 104);
    store<f64>(at, cz, 112);
    store<f64>(at, c2, 120);
    store<f64>(at, touching, 128);
  }
}
