import {
  KIND_BOX,
  KIND_CAPSULE,
  KIND_CYLINDER,
  KIND_GRID,
  KIND_PLANE,
  KIND_SPHERE,
  KIND_TORUS,
  NEAREST_DISTANCE,
  OBSTACLES,
  OBSTACLE_CELL,
  OBSTACLE_COUNT,
  OBSTACLE_GRID,
  OBSTACLE_GRID_ORIGIN,
  OBSTACLE_GRID_X,
  OBSTACLE_GRID_Y,
  OBSTACLE_GRID_Z,
  OBSTACLE_KIND,
  OBSTACLE_POSE,
  OBSTACLE_SHAPE,
  OBSTACLE_SPIN,
  OBSTACLE_STRIDE,
  OBSTACLE_VELOCITY,
  POINTS,
  SORTED,
} from '../../src/particles/layout';
import { cross, dot, rowTimes, vector, w, x, y, z } from '../math/simd';

/** Farther than this nothing is said about an obstacle [m]. */
const FAR: f32 = 1e30;

// @ts-ignore: decorator
@inline
export function isMoving(obstacle: usize): bool {
  return v128.any_true(f32x4.ne(v128.or(v128.load(obstacle + OBSTACLE_VELOCITY), v128.load(obstacle + OBSTACLE_SPIN)), f32x4.splat(0)));
}

/** Velocity of the point of an obstacle that is at a position, in world axes. */
// @ts-ignore: decorator
@inline
export function wallVelocity(obstacle: usize, position: v128): v128 {
  const centre = vector(
    load<f32>(obstacle + OBSTACLE_POSE, 12), load<f32>(obstacle + OBSTACLE_POSE, 28), load<f32>(obstacle + OBSTACLE_POSE, 44), 0,
  );
  return f32x4.add(
    v128.load(obstacle + OBSTACLE_VELOCITY), cross(v128.load(obstacle + OBSTACLE_SPIN), f32x4.sub(position, centre)),
  );
}

// @ts-ignore: decorator
@inline
export function isPlane(obstacle: usize): bool {
  return load<u32>(obstacle + OBSTACLE_KIND) == KIND_PLANE;
}

/** The distance of a plane alone, to the bits of obstacleDistance: most particles are far from most planes. */
// @ts-ignore: decorator
@inline
export function planeDistance(obstacle: usize, position: v128): f32 {
  const pose = obstacle + OBSTACLE_POSE;
  const dx = load<f32>(pose, 4) * (x(position) - load<f32>(pose, 12));
  const dy = load<f32>(pose, 20) * (y(position) - load<f32>(pose, 28));
  const dz = load<f32>(pose, 36) * (z(position) - load<f32>(pose, 44));
  return dx + dy + dz;
}

/**
 * Outward normal (lanes 0 to 2) and signed distance (lane 3) of an obstacle at a world position.
 */
export function obstacleDistance(obstacle: usize, position: v128): v128 {
  const r0 = v128.load(obstacle + OBSTACLE_POSE);
  const r1 = v128.load(obstacle + OBSTACLE_POSE, 16);
  const r2 = v128.load(obstacle + OBSTACLE_POSE, 32);
  const fromOrigin = f32x4.sub(position, vector(w(r0), w(r1), w(r2), 0));
  if (load<u32>(obstacle + OBSTACLE_KIND) == KIND_PLANE) {
    // The y axis of the pose is the normal.
    const normal = vector(y(r0), y(r1), y(r2), 0);
    return f32x4.replace_lane(normal, 3, dot(normal, fromOrigin));
  }
  // R^T (x - c): into the obstacle's own axes, and the normal back.
  const p = rowTimes(fromOrigin, r0, r1, r2);
  const local = localDistance(obstacle, p);
  const nx = x(local);
  const ny = y(local);
  const nz = z(local);
  return vector(
    x(r0) * nx + y(r0) * ny + z(r0) * nz,
    x(r1) * nx + y(r1) * ny + z(r1) * nz,
    x(r2) * nx + y(r2) * ny + z(r2) * nz,
    w(local),
  );
}

/** No point within `reach` of a world position is nearer to an obstacle than this. */
export function obstacleClearance(obstacle: usize, position: v128, reach: f32): f32 {
  if (load<u32>(obstacle + OBSTACLE_KIND) != KIND_GRID) return w(obstacleDistance(obstacle, position)) - reach;
  // Outside the box of its grid nothing is near, inside it is not said how fast the distance changes.
  const pose = obstacle + OBSTACLE_POSE;
  const fromOrigin = f32x4.sub(position, vector(load<f32>(pose, 12), load<f32>(pose, 28), load<f32>(pose, 44), 0));
  const p = rowTimes(fromOrigin, v128.load(pose), v128.load(pose, 16), v128.load(pose, 32));
  const cell = load<f32>(obstacle + OBSTACLE_CELL);
  const hx = <f32>0.5 * cell * <f32>load<i32>(obstacle + OBSTACLE_GRID_X);
  const hy = <f32>0.5 * cell * <f32>load<i32>(obstacle + OBSTACLE_GRID_Y);
  const hz = <f32>0.5 * cell * <f32>load<i32>(obstacle + OBSTACLE_GRID_Z);
  const fromCentre = f32x4.sub(p, f32x4.add(v128.load(obstacle + OBSTACLE_GRID_ORIGIN), vector(hx, hy, hz, 0)));
  return w(boxDistance(fromCentre, hx, hy, hz)) > reach ? FAR : -FAR;
}

function localDistance(obstacle: usize, p: v128): v128 {
  const kind = load<u32>(obstacle + OBSTACLE_KIND);
  const shape = v128.load(obstacle + OBSTACLE_SHAPE);
  if (kind == KIND_BOX) return boxDistance(p, x(shape), y(shape), z(shape));
  if (kind == KIND_SPHERE) return ballDistance(x(p), y(p), z(p), x(shape));
  if (kind == KIND_CAPSULE) {
    // Distance to the segment along y.
    const along = min(max(y(p), -y(shape)), y(shape));
    return ballDistance(x(p), y(p) - along, z(p), x(shape));
  }
  if (kind == KIND_CYLINDER) return cylinderDistance(p, x(shape), y(shape));
  if (kind == KIND_TORUS) {
    // Distance to the ring's circle.
    const ring = sqrt(x(p) * x(p) + z(p) * z(p));
    const scale: f32 = ring > 0 ? x(shape) / ring : 0;
    const cx = ring > 0 ? x(p) * scale : x(shape);
    return ballDistance(x(p) - cx, y(p), z(p) - z(p) * scale, y(shape));
  }
  return gridDistance(obstacle, p);
}

function ballDistance(px: f32, py: f32, pz: f32, radius: f32): v128 {
  const r = sqrt(px * px + py * py + pz * pz);
  if (r == 0) return vector(0, 1, 0, -radius);
  const s = <f32>1 / r;
  return vector(px * s, py * s, pz * s, r - radius);
}

// @ts-ignore: decorator
@inline
function signOf(a: f32): f32 {
  return a < 0 ? -1 : 1;
}

function boxDistance(p: v128, hx: f32, hy: f32, hz: f32): v128 {
  const qx = abs(x(p)) - hx;
  const qy = abs(y(p)) - hy;
  const qz = abs(z(p)) - hz;
  const nearest = max(max(qx, qy), qz);
  if (nearest <= 0) {
    if (nearest == qy) return vector(0, signOf(y(p)), 0, nearest);
    if (nearest == qx) return vector(signOf(x(p)), 0, 0, nearest);
    return vector(0, 0, signOf(z(p)), nearest);
  }
  const ox = max(qx, <f32>0) * signOf(x(p));
  const oy = max(qy, <f32>0) * signOf(y(p));
  const oz = max(qz, <f32>0) * signOf(z(p));
  const r = sqrt(ox * ox + oy * oy + oz * oz);
  const s = <f32>1 / r;
  return vector(ox * s, oy * s, oz * s, r);
}

function cylinderDistance(p: v128, radius: f32, halfLength: f32): v128 {
  const ring = sqrt(x(p) * x(p) + z(p) * z(p));
  const s: f32 = ring > 0 ? 1 / ring : 0;
  const ux: f32 = ring > 0 ? x(p) * s : 1;
  const uz = z(p) * s;
  const side = ring - radius;
  const cap = abs(y(p)) - halfLength;
  if (side <= 0 && cap <= 0) {
    return side > cap ? vector(ux, 0, uz, side) : vector(0, signOf(y(p)), 0, cap);
  }
  const a = max(side, <f32>0);
  const b = max(cap, <f32>0);
  const r = sqrt(a * a + b * b);
  const t = <f32>1 / r;
  return vector(ux * a * t, signOf(y(p)) * b * t, uz * a * t, r);
}

/** Trilinear distance and its gradient inside the grid; outside nothing is near. */
function gridDistance(obstacle: usize, p: v128): v128 {
  const origin = v128.load(obstacle + OBSTACLE_GRID_ORIGIN);
  const cell = load<f32>(obstacle + OBSTACLE_CELL);
  const nx = load<i32>(obstacle + OBSTACLE_GRID_X);
  const ny = load<i32>(obstacle + OBSTACLE_GRID_Y);
  const nz = load<i32>(obstacle + OBSTACLE_GRID_Z);
  const fx = (x(p) - x(origin)) / cell;
  const fy = (y(p) - y(origin)) / cell;
  const fz = (z(p) - z(origin)) / cell;
  if (!(fx >= 0 && fy >= 0 && fz >= 0 && fx < <f32>(nx - 1) && fy < <f32>(ny - 1) && fz < <f32>(nz - 1))) {
    return vector(0, 1, 0, FAR);
  }
  const ix = <i32>fx;
  const iy = <i32>fy;
  const iz = <i32>fz;
  const tx = fx - <f32>ix;
  const ty = fy - <f32>iy;
  const tz = fz - <f32>iz;
  const values = <usize>load<u32>(obstacle + OBSTACLE_GRID);
  const row = <usize>nx << 2;
  const slab = <usize>ny * row;
  const at = values + <usize>iz * slab + <usize>iy * row + (<usize>ix << 2);
  const d000 = load<f32>(at);
  const d100 = load<f32>(at, 4);
  const d010 = load<f32>(at + row);
  const d110 = load<f32>(at + row, 4);
  const d001 = load<f32>(at + slab);
  const d101 = load<f32>(at + slab, 4);
  const d011 = load<f32>(at + slab + row);
  const d111 = load<f32>(at + slab + row, 4);
  const d00 = d000 + (d100 - d000) * tx;
  const d10 = d010 + (d110 - d010) * tx;
  const d01 = d001 + (d101 - d001) * tx;
  const d11 = d011 + (d111 - d011) * tx;
  const d0 = d00 + (d10 - d00) * ty;
  const d1 = d01 + (d11 - d01) * ty;
  const e0 = (d100 - d000) + ((d110 - d010) - (d100 - d000)) * ty;
  const e1 = (d101 - d001) + ((d111 - d011) - (d101 - d001)) * ty;
  const gx = e0 + (e1 - e0) * tz;
  const gy = (d10 - d00) + ((d11 - d01) - (d10 - d00)) * tz;
  const gz = d1 - d0;
  const g = sqrt(gx * gx + gy * gy + gz * gz);
  // Halfway between surfaces any direction is as good.
  if (g == 0) return vector(0, 1, 0, d0 + (d1 - d0) * tz);
  const s = <f32>1 / g;
  return vector(gx * s, gy * s, gz * s, d0 + (d1 - d0) * tz);
}

/** Of balls in POINTS (centre, radius): the smallest gap to an obstacle [m], negative inside, and the number of that one (SORTED). */
export function measureGaps(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const gaps = <usize>load<u32>(context + NEAREST_DISTANCE);
  const nearest = <usize>load<u32>(context + SORTED);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const count = load<u32>(context + OBSTACLE_COUNT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const ball = v128.load(points + (i << 4));
    let gap: f32 = FAR;
    let number: u32 = 0;
    for (let k: u32 = 0; k < count; k++) {
      const own = w(obstacleDistance(obstacles + <usize>k * OBSTACLE_STRIDE, ball)) - w(ball);
      if (own < gap) {
        gap = own;
        number = k;
      }
    }
    store<f32>(gaps + (i << 2), gap);
    store<u32>(nearest + (i << 2), number);
  }
}
