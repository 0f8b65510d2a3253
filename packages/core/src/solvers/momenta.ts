import { add, cross, invert, type Matrix3, scale, subtract, transform } from '../math/matrix3.js';
import type { Vec3 } from '../options/types.js';

/** Something that moves [kg], [m], [m/s]. */
export interface MovingPoint {
  readonly mass: number;
  readonly at: Vec3;
  readonly velocity: Vec3;
}

/** Momentum [kg m/s] and angular momentum about the origin [kg m2/s]. */
export interface Momenta {
  readonly linear: Vec3;
  readonly angular: Vec3;
}

const NONE: Vec3 = [0, 0, 0];

export function momentaOf(points: readonly MovingPoint[]): Momenta {
  let [linear, angular] = [NONE, NONE];
  for (const { mass, at, velocity } of points) {
    linear = add(linear, scale(velocity, mass));
    angular = add(angular, scale(cross(at, velocity), mass));
  }
  return { linear, angular };
}

/** The rigid motion, as a change of velocity by position, that gives points these momenta; none of what lies on a line. */
export function motionTo(points: readonly MovingPoint[], wanted: Momenta): (at: Vec3) => Vec3 {
  const now = momentaOf(points);
  const total = points.reduce((sum, { mass }) => sum + mass, 0);
  const centre = scale(
    points.reduce((sum, { mass, at }) => add(sum, scale(at, mass)), NONE),
    1 / total,
  );
  const inertia = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const { mass, at } of points) {
    const arm = subtract(at, centre);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) inertia[3 * r + c]! -= mass * arm[r]! * arm[c]!;
      for (let a = 0; a < 3; a++) inertia[4 * r]! += mass * arm[a]! * arm[a]!;
    }
  }
  const lost = subtract(wanted.linear, now.linear);
  const spin = subtract(subtract(wanted.angular, now.angular), cross(centre, lost));
  const turn = transform(invert(inertia as unknown as Matrix3), spin);
  if (!turn.every(Number.isFinite)) return () => NONE;
  return (at) => add(scale(lost, 1 / total), cross(turn, subtract(at, centre)));
}
