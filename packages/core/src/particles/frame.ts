import {
  add,
  cross,
  determinant,
  dot,
  IDENTITY,
  length,
  type Matrix3,
  multiply,
  scale,
  subtract,
  transform,
  transpose,
  type Vec3,
} from '../math/matrix3.js';
import { sineCosine } from '../math/trigonometry.js';

/** Where a body's rest shape stands: x_world = rotation (m + u) + origin. */
export interface Frame {
  rotation: Matrix3;
  origin: Vec3;
}

/** What computeBodySums gives for one body, by slot; see assembly/solid/sums.ts. */
export type BodySums = Float64Array;

/**
 * The rotation nearest to a matrix of covariances, by turning a guess until the torque of the columns
 * vanishes. Always a rotation, never a reflection, and stays put where the matrix is singular.
 */
export function nearestRotation(a: Matrix3): Matrix3 {
  let r: Matrix3 = IDENTITY;
  const size = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  if (!(size > 0)) return r;
  for (let iteration = 0; iteration < 60; iteration++) {
    let [tx, ty, tz, along] = [0, 0, 0, 0];
    for (const k of [0, 1, 2] as const) {
      const [rx, ry, rz] = [r[k], r[(k + 3) as 3 | 4 | 5], r[(k + 6) as 6 | 7 | 8]];
      const [ax, ay, az] = [a[k], a[(k + 3) as 3 | 4 | 5], a[(k + 6) as 6 | 7 | 8]];
      tx += ry * az - rz * ay;
      ty += rz * ax - rx * az;
      tz += rx * ay - ry * ax;
      along += rx * ax + ry * ay + rz * az;
    }
    const scale = 1 / (Math.abs(along) + 1e-9 * size);
    const angle = Math.sqrt(tx * tx + ty * ty + tz * tz) * scale;
    if (angle < 1e-14) break;
    r = multiply(rotationAbout([(tx * scale) / angle, (ty * scale) / angle, (tz * scale) / angle], angle), r);
  }
  return r;
}

/** Rotation about a unit axis by an angle [rad]. */
export function rotationAbout([x, y, z]: Vec3, angle: number): Matrix3 {
  const { sine: s, cosine: c } = sineCosine(angle);
  const t = 1 - c;
  return [
    t * x * x + c,
    t * x * y - s * z,
    t * x * z + s * y,
    t * x * y + s * z,
    t * y * y + c,
    t * y * z - s * x,
    t * x * z - s * y,
    t * y * z + s * x,
    t * z * z + c,
  ];
}

/** Largest angle that a frame is turned ahead [rad]. */
const LARGEST_LEAD = 0.5;
const NO_SPIN: Vec3 = [0, 0, 0];

/**
 * Angular velocity about the centre of mass q, from the second moments of mass about it (nearly symmetric) and the sums of a
 * body; none where the particles are in a line.
 */
function spinOf(moments: Matrix3, q: Vec3, sums: BodySums): Vec3 {
  const [xx, yy, zz] = [moments[0], moments[4], moments[8]];
  const xy = -(moments[1] + moments[3]) / 2;
  const xz = -(moments[2] + moments[6]) / 2;
  const yz = -(moments[5] + moments[7]) / 2;
  const rows: readonly [Vec3, Vec3, Vec3] = [
    [yy + zz, xy, xz],
    [xy, xx + zz, yz],
    [xz, yz, xx + yy],
  ];
  const size = xx + yy + zz;
  const det = determinant(rows.flat() as unknown as Matrix3);
  if (!(det > 1e-9 * size * size * size)) return NO_SPIN;
  const momentum: Vec3 = [sums[4]!, sums[5]!, sums[6]!];
  const angular = subtract([sums[7]!, sums[8]!, sums[9]!], cross(q, momentum));
  const [a, b, c] = rows;
  return scale([dot(cross(b, c), angular), dot(cross(c, a), angular), dot(cross(a, b), angular)], 1 / det);
}

/**
 * Rigid transformation of the rest shape, [K06] 5.4.3 with weights m_j and det R = +1: the frame in
 * which displacements are smallest, and the change of coordinates into it. With a `lead` [s] it is the frame that the
 * body will have after that time.
 */
export function refit(frame: Frame, sums: BodySums, lead = 0): { frame: Frame; change: Matrix3; shift: Vec3 } {
  const mass = sums[0]!;
  const q: Vec3 = [sums[1]! / mass, sums[2]! / mass, sums[3]! / mass];
  const m: Vec3 = [sums[21]! / mass, sums[22]! / mass, sums[23]! / mass];
  const covariance = [...sums.subarray(11, 20)].map((s, k) => s - mass * q[Math.floor(k / 3)]! * m[k % 3]!);
  const nearest = nearestRotation(covariance as unknown as Matrix3);
  const spin = lead > 0 ? spinOf(multiply(covariance as unknown as Matrix3, transpose(nearest)), q, sums) : NO_SPIN;
  const angle = lead * length(spin);
  // Not of what is not finite, nor of what turns so fast that its rotation cannot be foreseen.
  const leads = angle > 0 && angle < LARGEST_LEAD;
  const rotation = leads ? multiply(rotationAbout(scale(spin, lead / angle), angle), nearest) : nearest;
  const back = transpose(rotation);
  // q = rotation q' + step, so that q' = back (q - step).
  const step = add(subtract(q, transform(rotation, m)), scale([sums[4]!, sums[5]!, sums[6]!], lead / mass));
  const shift = transform(back, [-step[0], -step[1], -step[2]]);
  const change = back.map((x, k) => x - IDENTITY[k]!) as unknown as Matrix3;
  return {
    frame: {
      rotation: orthonormal(multiply(frame.rotation, rotation)),
      origin: add(frame.origin, transform(frame.rotation, step)),
    },
    change,
    shift,
  };
}

/** One Newton step towards the nearest orthonormal matrix: keeps products of rotations from drifting. */
export function orthonormal(r: Matrix3): Matrix3 {
  const gram = multiply(transpose(r), r);
  const correction = gram.map((x, k) => 1.5 * IDENTITY[k]! - 0.5 * x) as unknown as Matrix3;
  return multiply(r, correction);
}
