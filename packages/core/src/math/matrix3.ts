import { arcCosine, sineCosine } from './trigonometry.js';

export type Vec3 = readonly [number, number, number];
/** A 3x3 matrix, row by row. */
export type Matrix3 = readonly [number, number, number, number, number, number, number, number, number];
/** A unit quaternion (x, y, z, w). */
export type Quaternion = readonly [number, number, number, number];

export const IDENTITY: Matrix3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const row = (r: 0 | 3 | 6, c: 0 | 1 | 2) =>
    a[r] * b[c] + a[(r + 1) as 1 | 4 | 7] * b[(c + 3) as 3 | 4 | 5] + a[(r + 2) as 2 | 5 | 8] * b[(c + 6) as 6 | 7 | 8];
  return [row(0, 0), row(0, 1), row(0, 2), row(3, 0), row(3, 1), row(3, 2), row(6, 0), row(6, 1), row(6, 2)];
}

export function transpose(a: Matrix3): Matrix3 {
  return [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];
}

export function transform(a: Matrix3, v: Vec3): Vec3 {
  return [
    a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
    a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
    a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
  ];
}

export function determinant(a: Matrix3): number {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/** Not finite where the determinant is zero. */
export function invert(a: Matrix3): Matrix3 {
  const [x, y, z]: Vec3[] = [
    [a[0], a[1], a[2]],
    [a[3], a[4], a[5]],
    [a[6], a[7], a[8]],
  ];
  const per = 1 / determinant(a);
  const columns = [cross(y!, z!), cross(z!, x!), cross(x!, y!)].map((column) => scale(column, per));
  return transpose(columns.flat() as unknown as Matrix3);
}

export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function subtract(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(a: Vec3, s: number): Vec3 {
  return [a[0] * s, a[1] * s, a[2] * s];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function length(a: Vec3): number {
  return Math.sqrt(dot(a, a));
}

/** Rotation about x, then y, then z, by angles in degrees. */
export function rotationFromDegrees(angles: Vec3): Matrix3 {
  const [x, y, z] = angles.map((a) => sineCosine((a * Math.PI) / 180)) as [
    { sine: number; cosine: number },
    { sine: number; cosine: number },
    { sine: number; cosine: number },
  ];
  const rx: Matrix3 = [1, 0, 0, 0, x.cosine, -x.sine, 0, x.sine, x.cosine];
  const ry: Matrix3 = [y.cosine, 0, y.sine, 0, 1, 0, -y.sine, 0, y.cosine];
  const rz: Matrix3 = [z.cosine, -z.sine, 0, z.sine, z.cosine, 0, 0, 0, 1];
  return multiply(rz, multiply(ry, rx));
}

export function quaternionFromMatrix(m: Matrix3): Quaternion {
  const trace = m[0] + m[4] + m[8];
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    return [(m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s, s / 4];
  }
  if (m[0] > m[4] && m[0] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[0] - m[4] - m[8]);
    return [s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s, (m[7] - m[5]) / s];
  }
  if (m[4] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[4] - m[0] - m[8]);
    return [(m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s, (m[2] - m[6]) / s];
  }
  const s = 2 * Math.sqrt(1 + m[8] - m[0] - m[4]);
  return [(m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4, (m[3] - m[1]) / s];
}

export function matrixFromQuaternion([x, y, z, w]: Quaternion): Matrix3 {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - z * w),
    2 * (x * z + y * w),
    2 * (x * y + z * w),
    1 - 2 * (x * x + z * z),
    2 * (y * z - x * w),
    2 * (x * z - y * w),
    2 * (y * z + x * w),
    1 - 2 * (x * x + y * y),
  ];
}

/** Spherical interpolation along the shorter arc. */
export function slerp(a: Quaternion, b: Quaternion, t: number): Quaternion {
  let d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = d < 0 ? -1 : 1;
  d *= sign;
  let wa = 1 - t;
  let wb = t;
  if (d < 0.9999) {
    const angle = arcCosine(d);
    const s = sineCosine(angle).sine;
    wa = sineCosine(wa * angle).sine / s;
    wb = sineCosine(wb * angle).sine / s;
  }
  wb *= sign;
  const q = [a[0] * wa + b[0] * wb, a[1] * wa + b[1] * wb, a[2] * wa + b[2] * wb, a[3] * wa + b[3] * wb] as const;
  const norm = 1 / Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return [q[0] * norm, q[1] * norm, q[2] * norm, q[3] * norm];
}

/** The rotation vector of a rotation: its axis times its angle [rad], at most pi. */
export function rotationVector(m: Matrix3): Vec3 {
  const [x, y, z, w] = quaternionFromMatrix(m);
  const sine = Math.sqrt(x * x + y * y + z * z);
  if (sine === 0) return [0, 0, 0];
  // Of half the angle; where it is small its sine knows it better than its cosine.
  const cosine = Math.abs(w);
  const half = sine < 1e-3 ? sine * (1 + (sine * sine) / 6) : arcCosine(cosine);
  return scale([x, y, z], ((w < 0 ? -2 : 2) * half) / sine);
}
