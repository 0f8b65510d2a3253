import { determinant, type Matrix3, multiply, transpose } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import type { BodyRange } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { cubeRoot } from '../../sampling/cube-root.js';

/** Mass [kg], centre of mass [m] and inertia about it [kg m2] of a body, in the axes of its frame. */
export interface MassProperties {
  readonly mass: number;
  readonly centre: Vec3;
  readonly inertia: Matrix3;
}

/** From the particles: each is a cube of its volume, of edge s, and adds m s^2 / 6 of its own about every axis. */
export function massProperties(store: ParticleStore, { begin, end }: BodyRange): MassProperties {
  const rest = store.vectors(layout.REST);
  const inverse = store.vectors(layout.GRADIENT_SUM);
  let mass = 0;
  const first = [0, 0, 0];
  for (let i = begin; i < end; i++) {
    const m = 1 / inverse[4 * i + 3]!;
    mass += m;
    for (let a = 0; a < 3; a++) first[a]! += m * rest[4 * i + a]!;
  }
  const centre: Vec3 = [first[0]! / mass, first[1]! / mass, first[2]! / mass];
  let [xx, yy, zz, xy, xz, yz] = [0, 0, 0, 0, 0, 0];
  for (let i = begin; i < end; i++) {
    const m = 1 / inverse[4 * i + 3]!;
    const [x, y, z] = [rest[4 * i]! - centre[0], rest[4 * i + 1]! - centre[1], rest[4 * i + 2]! - centre[2]];
    const own = m * ownInertia(store, i);
    xx += m * (y * y + z * z) + own;
    yy += m * (x * x + z * z) + own;
    zz += m * (x * x + y * y) + own;
    xy -= m * x * y;
    xz -= m * x * z;
    yz -= m * y * z;
  }
  return { mass, centre, inertia: [xx, xy, xz, xy, yy, yz, xz, yz, zz] };
}

/** Inertia of a particle's own cell about its centre over its mass, s^2 / 6 [m2]. */
export function ownInertia(store: ParticleStore, particle: number): number {
  const volume = store.vectors(layout.ELASTIC)[4 * particle + 3]!;
  const edge = cubeRoot(volume);
  return (edge * edge) / 6;
}

/** Inverse of a symmetric matrix. */
export function inverseOf(a: Matrix3): Matrix3 {
  const s = 1 / determinant(a);
  const [xx, xy, xz, , yy, yz, , , zz] = a;
  const [ixy, ixz, iyz] = [s * (xz * yz - xy * zz), s * (xy * yz - xz * yy), s * (xy * xz - xx * yz)];
  return [s * (yy * zz - yz * yz), ixy, ixz, ixy, s * (xx * zz - xz * xz), iyz, ixz, iyz, s * (xx * yy - xy * xy)];
}

/** A tensor of the body's axes, in those of the world. */
export function turned(rotation: Matrix3, tensor: Matrix3): Matrix3 {
  return multiply(multiply(rotation, tensor), transpose(rotation));
}

/** A bound of the largest eigenvalue of a symmetric matrix, by the sums of its rows. */
export function largestEigenvalue(a: Matrix3): number {
  return Math.max(...[0, 3, 6].map((r) => Math.abs(a[r]!) + Math.abs(a[r + 1]!) + Math.abs(a[r + 2]!)));
}
