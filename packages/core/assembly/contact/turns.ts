import {
  BODIES,
  BODY_BEGIN,
  BODY_END,
  BODY_FIT,
  BODY_FRAME,
  BODY_OF,
  BODY_STRIDE,
  BODY_SURFACE_BEGIN,
  BODY_SURFACE_END,
  BODY_TOUCH_CENTRE,
  BODY_TOUCH_INERTIA,
  BODY_TOUCH_SPIN,
  CANDIDATE_COUNT,
  DISPLACEMENT,
  FIT_NONE,
  GRADIENT_SUM,
  INDEX_MASK,
  REST,
  SURFACE_PARTICLE,
  TOUCH_COUNT,
  TOUCH_COUPLE,
  TOUCH_SETTLES,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, cross, matrixTimes, vector } from '../math/simd';
import { inBodyAxes } from '../solid/forces';

/** The rigid motion of solids that touch each other by their surfaces, see touch.ts: their spin, and what contact adds to it. */

/** Inertia whose determinant is less than this share of its size cubed has an axis without inertia. */
const FLAT: f64 = 1e-9;

/** Centre, angular velocity and inverse inertia of bodies that touch others; the range is one of rows of the table of bodies, in f64. */
export function measureTouched(begin: u32, end: u32, context: usize): void {
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const counts = <usize>load<u32>(
    context + (load<u32>(context + TOUCH_SETTLES) != 0 ? TOUCH_COUNT : CANDIDATE_COUNT),
  );
  for (let b = <usize>begin; b < <usize>end; b++) {
    const body = <usize>load<u32>(context + BODIES) + b * BODY_STRIDE;
    v128.store(body + BODY_TOUCH_SPIN, f32x4.splat(0));
    if (load<u32>(body + BODY_FIT) >= <u32>FIT_NONE || !touches(body, counts)) continue;
    const last = <usize>load<u32>(body + BODY_END);
    let mass: f64 = 0, x: f64 = 0, y: f64 = 0, z: f64 = 0, px: f64 = 0, py: f64 = 0, pz: f64 = 0;
    let lx: f64 = 0, ly: f64 = 0, lz: f64 = 0;
    let xx: f64 = 0, yy: f64 = 0, zz: f64 = 0, yz: f64 = 0, xz: f64 = 0, xy: f64 = 0;
    for (let i = <usize>load<u32>(body + BODY_BEGIN); i < last; i++) {
      if (load<u32>(bodyOf + (i << 2)) != <u32>b) continue;
      const m = 1 / <f64>load<f32>(sums + (i << 4), 12);
      const p = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
      const v = v128.load(velocities + (i << 4));
      const rx = <f64>f32x4.extract_lane(p, 0), ry = <f64>f32x4.extract_lane(p, 1), rz = <f64>f32x4.extract_lane(p, 2);
      const ux = m * <f64>f32x4.extract_lane(v, 0);
      const uy = m * <f64>f32x4.extract_lane(v, 1);
      const uz = m * <f64>f32x4.extract_lane(v, 2);
      const mx = m * rx, my = m * ry, mz = m * rz;
      mass += m;
      x += mx;
      y += my;
      z += mz;
      px += ux;
      py += uy;
      pz += uz;
      lx += ry * uz - rz * uy;
      ly += rz * ux - rx * uz;
      lz += rx * uy - ry * ux;
      xx += mx * rx;
      yy += my * ry;
      zz += mz * rz;
      yz += my * rz;
      xz += mx * rz;
      xy += mx * ry;
    }
    // All may have broken off.
    if (mass == 0) continue;
    const cx = x / mass, cy = y / mass, cz = z / mass;
    lx -= cy * pz - cz * py;
    ly -= cz * px - cx * pz;
    lz -= cx * py - cy * px;
    xx -= x * cx;
    yy -= y * cy;
    zz -= z * cz;
    yz -= y * cz;
    xz -= x * cz;
    xy -= x * cy;
    // Inverse of the inertia: cofactors over the determinant; none of what is a point or a line.
    const ixx = yy + zz, iyy = xx + zz, izz = xx + yy;
    const ax = iyy * izz - yz * yz, ay = ixx * izz - xz * xz, az = ixx * iyy - xy * xy;
    const axy = xz * yz + xy * izz, axz = xy * yz + xz * iyy, ayz = xy * xz + yz * ixx;
    const determinant = ixx * ax - xy * axy - xz * axz;
    const size = xx + yy + zz;
    const inverse = determinant > FLAT * size * size * size ? 1 / determinant : 0;
    const spin = vector(
      <f32>(inverse * (ax * lx + axy * ly + axz * lz)),
      <f32>(inverse * (axy * lx + ay * ly + ayz * lz)),
      <f32>(inverse * (axz * lx + ayz * ly + az * lz)), 0,
    );
    const turned = matrixTimes(
      v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), spin,
    );
    v128.store(body + BODY_TOUCH_SPIN, f32x4.replace_lane(turned, 3, 0));
    v128.store(body + BODY_TOUCH_CENTRE, vector(<f32>cx, <f32>cy, <f32>cz, 0));
    v128.store(
      body + BODY_TOUCH_INERTIA, vector(<f32>(inverse * ax), <f32>(inverse * ay), <f32>(inverse * az), 0),
    );
    v128.store(
      body + BODY_TOUCH_INERTIA, vector(<f32>(inverse * ayz), <f32>(inverse * axz), <f32>(inverse * axy), 0), 16,
    );
  }
}

/** Has some surface particle of a body something that it may touch? */
function touches(body: usize, counts: usize): bool {
  const last = <usize>load<u32>(body + BODY_SURFACE_END);
  for (let s = <usize>load<u32>(body + BODY_SURFACE_BEGIN); s < last; s++) if (load<u32>(counts + (s << 2)) != 0) return true;
  return false;
}

/** What impulses turn the particles they act on goes to the rigid motion of their body. The range is as of measureTouched. */
export function turnTouched(begin: u32, end: u32, context: usize): void {
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const couples = <usize>load<u32>(context + TOUCH_COUPLE);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const body = bodies + b * BODY_STRIDE;
    if (load<u32>(body + BODY_FIT) >= <u32>FIT_NONE) continue;
    let couple = f32x4.splat(0);
    const lastSurface = <usize>load<u32>(body + BODY_SURFACE_END);
    for (let s = <usize>load<u32>(body + BODY_SURFACE_BEGIN); s < lastSurface; s++) {
      if (load<u32>(found + (s << 2)) == 0) continue;
      const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
      if (load<u32>(bodyOf + (i << 2)) == <u32>b) couple = f32x4.add(couple, v128.load(couples + (s << 4)));
    }
    couple = f32x4.replace_lane(couple, 3, 0);
    if (!v128.any_true(couple)) continue;
    const c = inBodyAxes(body, couple);
    const d = v128.load(body + BODY_TOUCH_INERTIA);
    const e = v128.load(body + BODY_TOUCH_INERTIA, 16);
    const zxy = v128.shuffle<f32>(c, c, 2, 0, 1, 3);
    const yzx = v128.shuffle<f32>(c, c, 1, 2, 0, 3);
    // (d c)_x + e_xy c_y + e_xz c_z, and so on; e is yz, xz, xy.
    const turn = addMul(
      addMul(f32x4.mul(d, c), v128.shuffle<f32>(e, e, 2, 0, 1, 3), yzx), v128.shuffle<f32>(e, e, 1, 2, 0, 3), zxy,
    );
    const centre = v128.load(body + BODY_TOUCH_CENTRE);
    const last = <usize>load<u32>(body + BODY_END);
    for (let i = <usize>load<u32>(body + BODY_BEGIN); i < last; i++) {
      if (load<u32>(bodyOf + (i << 2)) != <u32>b) continue;
      const arm = f32x4.sub(f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4))), centre);
      const v = velocities + (i << 4);
      v128.store(v, f32x4.add(v128.load(v), f32x4.replace_lane(cross(turn, arm), 3, 0)));
    }
  }
}
