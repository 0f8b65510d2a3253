import {
  BODIES,
  BODY_BEGIN,
  BODY_END,
  BODY_IMPACT_SPEED,
  BODY_REBOUND_DAMPING,
  BODY_STRIDE,
  CONFINED,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  CONSTRAINTS,
  DISPLACEMENT,
  GRADIENT_SUM,
  OBSTACLE_COUNT,
  OBSTACLE_IMPULSE,
  OBSTACLE_IMPULSE_STRIDE,
  REST,
  VELOCITY,
  WALL_IMPULSE,
} from '../../src/particles/layout';
import { x, y, z } from '../math/simd';
import { inBodyAxes } from '../solid/forces';

/** Second moments whose determinant is less than this share of their size cubed have an axis without inertia. */
const FLAT: f64 = 1e-9;

/**
 * Restitution of solids: where obstacles push a body with the impulse J in a step, they push its rigid motion with
 * d (s / v) J more, s the speed at which it approaches where it is pushed and v that at the beginning of the impact. That is
 * the damping of Hunt and Crossley 1975 for the body as a whole: whatever its elasticity, it leaves with the share of v
 * that d was found for, and never gains energy. It never pulls. The range is one of bodies, in f64.
 */
export function dampImpacts(begin: u32, end: u32, context: usize): void {
  for (let b = <usize>begin; b < <usize>end; b++) {
    const body = <usize>load<u32>(context + BODIES) + b * BODY_STRIDE;
    if (load<f32>(body + BODY_REBOUND_DAMPING) > 0 && isPushed(context, body)) dampImpact(context, body);
  }
}

/** Do obstacles push a body, and nothing holds it? */
function isPushed(context: usize, body: usize): bool {
  const marks = <usize>load<u32>(context + CONFINED);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const records = <usize>load<u32>(context + WALL_IMPULSE);
  const last = <usize>load<u32>(body + BODY_END);
  let pushed = false;
  for (let i = <usize>load<u32>(body + BODY_BEGIN); i < last; i++) {
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0 && load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK) != 0) return false;
    pushed = pushed || (load<u8>(marks + i) != 0 && load<f32>(records + i * 48, 12) > 0);
  }
  return pushed;
}

function dampImpact(context: usize, body: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const marks = <usize>load<u32>(context + CONFINED);
  const records = <usize>load<u32>(context + WALL_IMPULSE);
  const first = <usize>load<u32>(body + BODY_BEGIN);
  const last = <usize>load<u32>(body + BODY_END);

  let mass: f64 = 0, qx: f64 = 0, qy: f64 = 0, qz: f64 = 0, px: f64 = 0, py: f64 = 0, pz: f64 = 0;
  for (let i = first; i < last; i++) {
    const m = 1 / <f64>load<f32>(sums + (i << 4), 12);
    mass += m;
    qx += m * (<f64>load<f32>(rest + (i << 4)) + <f64>load<f32>(displacements + (i << 4)));
    qy += m * (<f64>load<f32>(rest + (i << 4), 4) + <f64>load<f32>(displacements + (i << 4), 4));
    qz += m * (<f64>load<f32>(rest + (i << 4), 8) + <f64>load<f32>(displacements + (i << 4), 8));
    px += m * <f64>load<f32>(velocities + (i << 4));
    py += m * <f64>load<f32>(velocities + (i << 4), 4);
    pz += m * <f64>load<f32>(velocities + (i << 4), 8);
  }
  qx /= mass;
  qy /= mass;
  qz /= mass;

  // About the centre: angular momentum, second moments, and impulses (j whole, n normal) with their moments.
  let lx: f64 = 0, ly: f64 = 0, lz: f64 = 0;
  let xx: f64 = 0, yy: f64 = 0, zz: f64 = 0, xy: f64 = 0, xz: f64 = 0, yz: f64 = 0;
  let jx: f64 = 0, jy: f64 = 0, jz: f64 = 0, ax: f64 = 0, ay: f64 = 0, az: f64 = 0;
  let nx: f64 = 0, ny: f64 = 0, nz: f64 = 0, bx: f64 = 0, by: f64 = 0, bz: f64 = 0;
  let size: f64 = 0, work: f64 = 0, damped: f64 = 0;
  for (let i = first; i < last; i++) {
    const m = 1 / <f64>load<f32>(sums + (i << 4), 12);
    const rx = <f64>load<f32>(rest + (i << 4)) + <f64>load<f32>(displacements + (i << 4)) - qx;
    const ry = <f64>load<f32>(rest + (i << 4), 4) + <f64>load<f32>(displacements + (i << 4), 4) - qy;
    const rz = <f64>load<f32>(rest + (i << 4), 8) + <f64>load<f32>(displacements + (i << 4), 8) - qz;
    const vx = <f64>load<f32>(velocities + (i << 4));
    const vy = <f64>load<f32>(velocities + (i << 4), 4);
    const vz = <f64>load<f32>(velocities + (i << 4), 8);
    lx += m * (ry * vz - rz * vy);
    ly += m * (rz * vx - rx * vz);
    lz += m * (rx * vy - ry * vx);
    xx += m * rx * rx;
    yy += m * ry * ry;
    zz += m * rz * rz;
    xy += m * rx * ry;
    xz += m * rx * rz;
    yz += m * ry * rz;
    if (load<u8>(marks + i) == 0) continue;
    const record = records + i * 48;
    const whole = inBodyAxes(body, v128.load(record));
    const normal = inBodyAxes(body, v128.load(record, 16));
    const ix = <f64>x(whole), iy = <f64>y(whole), iz = <f64>z(whole);
    const kx = <f64>x(normal), ky = <f64>y(normal), kz = <f64>z(normal);
    jx += ix;
    jy += iy;
    jz += iz;
    ax += ry * iz - rz * iy;
    ay += rz * ix - rx * iz;
    az += rx * iy - ry * ix;
    nx += kx;
    ny += ky;
    nz += kz;
    bx += ry * kz - rz * ky;
    by += rz * kx - rx * kz;
    bz += rx * ky - ry * kx;
    size += <f64>load<f32>(record, 12);
    work += <f64>load<f32>(record, 28);
    damped += <f64>load<f32>(record, 32);
  }

  // Inverse of the inertia: cofactors over the determinant; none of what is a point or a line.
  const ixx = yy + zz, iyy = xx + zz, izz = xx + yy;
  const cxx = iyy * izz - yz * yz, cyy = ixx * izz - xz * xz, czz = ixx * iyy - xy * xy;
  const cxy = xz * yz + xy * izz, cxz = xy * yz + xz * iyy, cyz = xy * xz + yz * ixx;
  const determinant = ixx * cxx - xy * cxy - xz * cxz;
  const total = xx + yy + zz;
  const inverse = determinant > FLAT * total * total * total ? 1 / determinant : 0;
  // Spin of the body, and what one whole impulse more would add to it.
  const sx = inverse * (cxx * lx + cxy * ly + cxz * lz);
  const sy = inverse * (cxy * lx + cyy * ly + cyz * lz);
  const sz = inverse * (cxz * lx + cyz * ly + czz * lz);
  const tx = inverse * (cxx * ax + cxy * ay + cxz * az);
  const ty = inverse * (cxy * ax + cyy * ay + cyz * az);
  const tz = inverse * (cxz * ax + cyz * ay + czz * az);

  const speed = -((nx * px + ny * py + nz * pz) / mass + bx * sx + by * sy + bz * sz - work) / size;
  const change = ((nx * jx + ny * jy + nz * jz) / mass + bx * tx + by * ty + bz * tz) / size;
  const before = <f64>load<f32>(body + BODY_IMPACT_SPEED);
  const impact = speed > 0 ? (before < 0 ? speed : max(before, speed)) : -abs(before);
  store<f32>(body + BODY_IMPACT_SPEED, <f32>impact);
  if (!(change > 0) || impact == 0) return;
  // Implicit in the speed, so that no damping turns it round.
  const damping = damped / size / abs(impact);
  const share = max((damping * speed) / (1 + damping * change), -1);
  for (let i = first; i < last; i++) {
    const rx = <f64>load<f32>(rest + (i << 4)) + <f64>load<f32>(displacements + (i << 4)) - qx;
    const ry = <f64>load<f32>(rest + (i << 4), 4) + <f64>load<f32>(displacements + (i << 4), 4) - qy;
    const rz = <f64>load<f32>(rest + (i << 4), 8) + <f64>load<f32>(displacements + (i << 4), 8) - qz;
    const v = velocities + (i << 4);
    store<f32>(v, <f32>(<f64>load<f32>(v) + share * (jx / mass + ty * rz - tz * ry)));
    store<f32>(v, <f32>(<f64>load<f32>(v, 4) + share * (jy / mass + tz * rx - tx * rz)), 4);
    store<f32>(v, <f32>(<f64>load<f32>(v, 8) + share * (jz / mass + tx * ry - ty * rx)), 8);
  }
  noteDamping(context, first, last, <f32>(1 + share));
}

/** The impulses of obstacles that are noted for who asks are those with the damping. */
function noteDamping(context: usize, first: usize, last: usize, factor: f32): void {
  const impulses = <usize>load<u32>(context + OBSTACLE_IMPULSE);
  if (impulses == 0) return;
  const stride = <usize>load<u32>(context + OBSTACLE_IMPULSE_STRIDE);
  const end = impulses + <usize>load<u32>(context + OBSTACLE_COUNT) * stride;
  for (let list = impulses; list < end; list += stride) {
    for (let at = list + (first << 4); at < list + (last << 4); at += 16) {
      v128.store(at, f32x4.mul(f32x4.splat(factor), v128.load(at)));
    }
  }
}
