import {
  ACCELERATION,
  BLOCK,
  BLOCK_SPEED,
  BODIES,
  BODY_BEGIN,
  BODY_FRICTION,
  BODY_OF,
  BODY_STRIDE,
  HOLD_IMPULSE,
  KICK,
  OBSTACLES,
  OBSTACLE_COUNT,
  OBSTACLE_IMPULSE_STRIDE,
  OBSTACLE_STRIDE,
  VELOCITY,
} from '../../src/particles/layout';
import {
  ANCESTOR,
  CONSTRAINED,
  CONSTRAINTS,
  POSITION,
  REMAINDER,
  STEP,
} from '../../src/particles/embedding-layout';
import { PRESCRIPTION_STRIDE } from '../../src/particles/prescription-layout';
import { prescribeVelocity } from '../constraints/prescribe';
import { addMul, dot, w } from '../math/simd';
import { meetObstacles, noteImpulse, notesOf, penetrationOf, pushedOut } from '../solid/integrate';

/** The first half of the kick: v += a dt / 2. */
export function kickEmbedded(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const kick = f32x4.splat(load<f32>(context + KICK));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = velocities + (i << 4);
    v128.store(at, addMul(v128.load(at), kick, v128.load(accelerations + (i << 4))));
  }
}

/** What obstacles and constraints leave of the velocities, then x += v dt; as kickAndDrift does for other solids. */
export function driftEmbedded(begin: u32, end: u32, context: usize): void {
  move(begin, end, context, false);
}

/** The same for the velocities at the end of the step. */
export function settleEmbedded(begin: u32, end: u32, context: usize): void {
  move(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function move(begin: u32, end: u32, context: usize, settling: bool): void {
  const positions = <usize>load<u32>(context + POSITION);
  const remainders = <usize>load<u32>(context + REMAINDER);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const ancestors = <usize>load<u32>(context + ANCESTOR);
  const constrained = <usize>load<u32>(context + CONSTRAINED);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  const step = load<f32>(context + STEP);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const stride = <usize>load<u32>(context + OBSTACLE_IMPULSE_STRIDE);
  let fastest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    const remainder = v128.load(remainders + (i << 4));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const friction = load<f32>(body + BODY_FRICTION);
    const radius = w(remainder);
    const given = v128.load(velocities + (i << 4));
    const depth = penetrationOf(context, body, <usize>load<u32>(body + BODY_BEGIN) + <usize>load<u32>(ancestors + (i << 2)));
    let v = meetObstacles(
      obstacles, obstacleEnd, position, given, radius, radius, depth, step, friction, 0, false, settling, 0, notesOf(context, i), stride,
      <f32>1 / w(position), 0,
    );
    const free = v;
    let bits = load<u32>(constrained + (i << 2));
    while (bits != 0) {
      v = prescribeVelocity(constraints + <usize>ctz(bits) * PRESCRIPTION_STRIDE, position, v, <f32>1 / step);
      bits &= bits - 1;
    }
    v = f32x4.replace_lane(v, 3, 0);
    if (holds != 0) noteImpulse(holds + (i << 4), <f32>1 / w(position), v, free);
    v128.store(velocities + (i << 4), v);
    if (settling) continue;
    const offset = f32x4.replace_lane(addMul(pushedOut, f32x4.splat(step), v), 3, 0);
    // Compensated: a slow flow moves by less than the last digit of a position.
    const added = f32x4.add(offset, f32x4.replace_lane(remainder, 3, 0));
    const next = f32x4.add(position, added);
    const left = f32x4.sub(added, f32x4.sub(next, position));
    v128.store(positions + (i << 4), f32x4.replace_lane(next, 3, w(position)));
    v128.store(remainders + (i << 4), f32x4.replace_lane(left, 3, radius));
    const moved = f32x4.mul(offset, f32x4.splat(<f32>1 / step));
    const speed2 = max(dot(v, v), dot(moved, moved)) + <f32>0 * dot(v, v);
    if (!(speed2 <= fastest)) fastest = speed2;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(speeds + ((i / BLOCK) << 2), fastest);
      fastest = 0;
    }
  }
}
