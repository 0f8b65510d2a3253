import type { Vec3 } from '../math/matrix3.js';

/**
 * The point of triangle (a, b, c) nearest to p, written to `out`; returns the squared distance [m2].
 * Goes through the regions of the triangle's plane: corners, edges, inside.
 */
export function closestPointOnTriangle(
  positions: Float64Array,
  a: number,
  b: number,
  c: number,
  p: Vec3,
  out: Float64Array,
): number {
  const ax = positions[3 * a]!;
  const ay = positions[3 * a + 1]!;
  const az = positions[3 * a + 2]!;
  const ux = positions[3 * b]! - ax;
  const uy = positions[3 * b + 1]! - ay;
  const uz = positions[3 * b + 2]! - az;
  const vx = positions[3 * c]! - ax;
  const vy = positions[3 * c + 1]! - ay;
  const vz = positions[3 * c + 2]! - az;
  const px = p[0] - ax;
  const py = p[1] - ay;
  const pz = p[2] - az;
  // Minimise |p - s u - t v|^2 over s, t >= 0, s + t <= 1.
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const pu = px * ux + py * uy + pz * uz;
  const pv = px * vx + py * vy + pz * vz;
  const det = uu * vv - uv * uv;
  let s = vv * pu - uv * pv;
  let t = uu * pv - uv * pu;
  if (det > 0 && s >= 0 && t >= 0 && s + t <= det) {
    s /= det;
    t /= det;
  } else {
    // The nearest point is on one of the edges.
    const onU = clamp(uu > 0 ? pu / uu : 0);
    const onV = clamp(vv > 0 ? pv / vv : 0);
    const ww = uu - 2 * uv + vv;
    const onW = clamp(ww > 0 ? (pv - pu - uv + uu) / ww : 0);
    const du = onU * (onU * uu - 2 * pu);
    const dv = onV * (onV * vv - 2 * pv);
    const r = 1 - onW;
    const dw = r * r * uu + 2 * r * onW * uv + onW * onW * vv - 2 * (r * pu + onW * pv);
    if (du <= dv && du <= dw) {
      s = onU;
      t = 0;
    } else if (dv <= dw) {
      s = 0;
      t = onV;
    } else {
      s = r;
      t = onW;
    }
  }
  const x = s * ux + t * vx;
  const y = s * uy + t * vy;
  const z = s * uz + t * vz;
  out[0] = ax + x;
  out[1] = ay + y;
  out[2] = az + z;
  return (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z);
}

/** The normal of triangle (a, b, c), as long as twice its area [m2], written to `out`; returns that length. */
export function triangleNormal(
  positions: ArrayLike<number>,
  a: number,
  b: number,
  c: number,
  out: Float64Array,
): number {
  const ax = positions[3 * a]!;
  const ay = positions[3 * a + 1]!;
  const az = positions[3 * a + 2]!;
  const ux = positions[3 * b]! - ax;
  const uy = positions[3 * b + 1]! - ay;
  const uz = positions[3 * b + 2]! - az;
  const vx = positions[3 * c]! - ax;
  const vy = positions[3 * c + 1]! - ay;
  const vz = positions[3 * c + 2]! - az;
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  out[0] = x;
  out[1] = y;
  out[2] = z;
  return Math.sqrt(x * x + y * y + z * z);
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
