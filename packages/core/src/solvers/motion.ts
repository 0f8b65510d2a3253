import {
  add,
  IDENTITY,
  type Matrix3,
  matrixFromQuaternion,
  multiply,
  type Quaternion,
  quaternionFromMatrix,
  rotationFromDegrees,
  slerp,
  subtract,
  transform,
  transpose,
} from '../math/matrix3.js';
import { vectorField } from '../options/field.js';
import type { Keyframe, MotionOptions, Vec3 } from '../options/types.js';

export interface Pose {
  readonly rotation: Matrix3;
  readonly origin: Vec3;
}

/** What a motion does in a step: x += turn (x - pivot) + shift, where the pivot has `moved` since the motion began. */
export interface MotionStep {
  /** Rotation less the identity. */
  readonly turn: Matrix3;
  /** [m] */
  readonly moved: Vec3;
  readonly shift: Vec3;
}

/** A pose that moves along keyframes, before the first and after the last of which it stands still, or by formulas. */
export class Motion {
  readonly #keys: readonly { time: number; position: Vec3; turn: Quaternion }[];
  readonly #formula: ((time: number) => Pose) | undefined;

  constructor(keyframes: readonly Keyframe[], motion?: MotionOptions) {
    if (motion) {
      const [position, rotation] = [vectorField(motion.position), vectorField(motion.rotation)];
      const nowhere: Vec3 = [0, 0, 0];
      this.#formula = (time) => ({
        rotation: rotationFromDegrees(rotation(nowhere, time)),
        origin: position(nowhere, time),
      });
    }
    this.#keys = keyframes.map((key) => ({
      time: key.time,
      position: key.position,
      turn: quaternionFromMatrix(rotationFromDegrees(key.rotation)),
    }));
  }

  /** The part of a step, of a motion that has begun at a time: see MotionStep. */
  step(begun: number, time: number, dt: number): MotionStep {
    const [now, next] = [this.pose(time), this.pose(time + dt)];
    const turn = multiply(next.rotation, transpose(now.rotation)).map((value, k) => value - IDENTITY[k]!);
    return {
      turn: turn as unknown as Matrix3,
      moved: subtract(now.origin, this.pose(begun).origin),
      shift: subtract(next.origin, now.origin),
    };
  }

  get still(): boolean {
    return this.#keys.length < 2 && !this.#formula;
  }

  /** Times at which the velocity changes abruptly. */
  get corners(): number[] {
    return this.#keys.map((key) => key.time);
  }

  pose(time: number): Pose {
    if (this.#formula) return this.#formula(time);
    const keys = this.#keys;
    if (keys.length === 0) return { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] };
    let k = 0;
    while (k + 1 < keys.length && keys[k + 1]!.time <= time) k++;
    const a = keys[k]!;
    const b = keys[k + 1];
    if (!b || time <= a.time) return { rotation: matrixFromQuaternion(a.turn), origin: a.position };
    const t = (time - a.time) / (b.time - a.time);
    return {
      rotation: matrixFromQuaternion(slerp(a.turn, b.turn, t)),
      origin: [
        a.position[0] + t * (b.position[0] - a.position[0]),
        a.position[1] + t * (b.position[1] - a.position[1]),
        a.position[2] + t * (b.position[2] - a.position[2]),
      ],
    };
  }
}

/** `outer` after `inner`. */
export function compose(outer: Pose, inner: Pose): Pose {
  return {
    rotation: multiply(outer.rotation, inner.rotation),
    origin: add(outer.origin, transform(outer.rotation, inner.origin)),
  };
}

/** Velocity of the origin and angular velocity that carry one pose to the next in `dt`. */
export function velocityBetween(from: Pose, to: Pose, dt: number): { velocity: Vec3; spin: Vec3 } {
  const d = subtract(to.origin, from.origin);
  // For a small turn the antisymmetric part of R is the sine of the angle times the axis.
  const r = multiply(to.rotation, transpose(from.rotation));
  return {
    velocity: [d[0] / dt, d[1] / dt, d[2] / dt],
    spin: [(r[7] - r[5]) / (2 * dt), (r[2] - r[6]) / (2 * dt), (r[3] - r[1]) / (2 * dt)],
  };
}
