import {
  PRESCRIPTION_AXES,
  PRESCRIPTION_PIVOT,
  PRESCRIPTION_SHIFT,
  PRESCRIPTION_TURN,
} from '../../src/particles/prescription-layout';
import { dot, vector, x, y, z } from '../math/simd';

/** `free` with the components of `fixed` along the axes whose bits (1, 2, 4) are set; lane 3 stays. */
// @ts-ignore: decorator
@inline
export function replaceAxes(free: v128, fixed: v128, axes: u32): v128 {
  return axes == 0 ? free : replaceSome(free, fixed, axes);
}

/** Few particles are prescribed: a call keeps the loops that ask small. */
function replaceSome(free: v128, fixed: v128, axes: u32): v128 {
  let result = free;
  if (axes & 1) result = f32x4.replace_lane(result, 0, x(fixed));
  if (axes & 2) result = f32x4.replace_lane(result, 1, y(fixed));
  if (axes & 4) result = f32x4.replace_lane(result, 2, z(fixed));
  return result;
}

/** Velocity of a particle at `position`, with what a constraint prescribes along its axes. */
export function prescribeVelocity(constraint: usize, position: v128, velocity: v128, perStep: f32): v128 {
  const axes = load<u32>(constraint + PRESCRIPTION_AXES);
  if (axes == 0) return velocity;
  const arm = f32x4.sub(position, v128.load(constraint + PRESCRIPTION_PIVOT));
  const turn = vector(
    dot(v128.load(constraint + PRESCRIPTION_TURN), arm), dot(v128.load(constraint + PRESCRIPTION_TURN, 16), arm),
    dot(v128.load(constraint + PRESCRIPTION_TURN, 32), arm), 0,
  );
  const target = f32x4.mul(f32x4.splat(perStep), f32x4.add(turn, v128.load(constraint + PRESCRIPTION_SHIFT)));
  return replaceAxes(velocity, target, axes);
}
