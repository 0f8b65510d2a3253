import { symmetricEigen } from '../math/eigen.js';
import { type Matrix3, matrixFromQuaternion, subtract, transform } from '../math/matrix3.js';
import type { Vec3 } from '../options/types.js';
import type { Pose } from '../solvers/motion.js';

/**
 * The rigid motion x = R m + t that carries points at rest best to where they are, in the least squares
 * sense. R is the largest eigenvector of Horn's quaternion matrix: always a rotation, at any angle.
 */
export function fitRigidPose(rest: ArrayLike<number>, current: ArrayLike<number>): Pose {
  const from = centroid(rest);
  const to = centroid(current);
  const s = new Float64Array(9);
  for (let i = 0; i < rest.length; i += 3) {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) s[3 * a + b]! += (rest[i + a]! - from[a]!) * (current[i + b]! - to[b]!);
    }
  }
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = s as unknown as [...Matrix3];
  // Order x, y, z, w.
  const horn = [
    ...[xx - yy - zz, xy + yx, zx + xz, yz - zy],
    ...[xy + yx, yy - xx - zz, yz + zy, zx - xz],
    ...[zx + xz, yz + zy, zz - xx - yy, xy - yx],
    ...[yz - zy, zx - xz, xy - yx, xx + yy + zz],
  ];
  const { values, vectors } = symmetricEigen(horn, 4);
  // One point, or points on a line, leave the rotation open: none then.
  const determined = values[3]! - values[2]! > 1e-12 * Math.abs(values[3]!);
  const q = determined ? vectors.subarray(12, 16) : [0, 0, 0, 1];
  const rotation = matrixFromQuaternion([q[0]!, q[1]!, q[2]!, q[3]!]);
  return { rotation, origin: subtract(to, transform(rotation, from)) };
}

/** Points by a rigid motion. */
export function movePoints(pose: Pose, points: ArrayLike<number>, out: Float32Array | Float64Array): void {
  const { rotation: r, origin: o } = pose;
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i]!;
    const y = points[i + 1]!;
    const z = points[i + 2]!;
    out[i] = r[0] * x + r[1] * y + r[2] * z + o[0];
    out[i + 1] = r[3] * x + r[4] * y + r[5] * z + o[1];
    out[i + 2] = r[6] * x + r[7] * y + r[8] * z + o[2];
  }
}

function centroid(points: ArrayLike<number>): Vec3 {
  const sum = [0, 0, 0];
  for (let i = 0; i < points.length; i++) sum[i % 3]! += points[i]!;
  const count = Math.max(1, points.length / 3);
  return [sum[0]! / count, sum[1]! / count, sum[2]! / count];
}
