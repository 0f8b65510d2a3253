import { BLOCK, OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  ACCELERATION,
  BLOCK_SPEED,
  FIXED,
  GAP,
  GRAVITY,
  OBSTACLE_COUNT,
  OBSTACLES,
  POSITION,
  RATIO,
  SOURCE,
  STEP,
  VELOCITY,
} from '../../src/particles/fluid-layout';
import { isMoving, isPlane, obstacleDistance, planeDistance, wallVelocity } from '../contact/obstacles';
import { replaceAxes } from '../constraints/prescribe';
import { addMul, dot, w } from '../math/simd';
import { ALL } from './prescribe';
import { sumsOf } from './pressure';

/** Accelerations start with gravity. */
export function applyGravity(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const gravity = v128.load(context + GRAVITY);
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) v128.store(accelerations + at, gravity);
}

/**
 * x += h v, and the correction of positions. The boundary's pressure keeps particles off obstacles; should one come
 * nearer than GAP all the same, it stops there and loses its speed towards the wall. The distance is taken before
 * the step, so that walls of no thickness hold too. Per block the largest squared speed, not a number if a position is
 * none, and by how much densities are too high: the sum (1) and the largest (2).
 */
export function moveLiquid(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const fixed = <usize>load<u32>(context + FIXED);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  const ratios = <usize>load<u32>(context + RATIO);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const gap = load<f32>(context + GAP);
  const h = load<f32>(context + STEP);
  let fastest: f32 = 0;
  let excess: f64 = 0;
  let highest: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const start = v128.load(positions + (i << 4));
    const given = v128.load(velocities + (i << 4));
    let v = f32x4.replace_lane(given, 3, 0);
    let displacement = f32x4.mul(f32x4.splat(h), addMul(v, f32x4.splat(h), v128.load(accelerations + (i << 4))));
    const axes = load<u32>(fixed + (i << 2));
    // Prescribed particles pass through obstacles.
    if ((axes & ALL) != ALL) {
      const reach = gap + sqrt(dot(displacement, displacement));
      for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
        const moves = isMoving(obstacle);
        if (!moves && isPlane(obstacle) && planeDistance(obstacle, start) > reach) continue;
        let surface = obstacleDistance(obstacle, start);
        if (!moves && w(surface) > reach) continue;
        const wall = moves ? wallVelocity(obstacle, start) : f32x4.splat(0);
        if (w(surface) > reach + h * sqrt(dot(wall, wall))) continue;
        // Where it would end, seen along the normal of where it is, and then of half the way: in an inner edge another
        // face is nearer there. One inside is let out a gap per step.
        for (let done: f32 = 0; done < 1; done += 0.5) {
          const relative = f32x4.sub(displacement, f32x4.mul(f32x4.splat(h), wall));
          if (done > 0) surface = obstacleDistance(obstacle, addMul(start, f32x4.splat(done), relative));
          const approach = dot(f32x4.sub(v, wall), surface);
          const ahead = w(surface) + (<f32>1 - done) * dot(relative, surface);
          const lacking = min(gap, w(surface) + gap) - ahead;
          if (lacking <= 0) continue;
          displacement = f32x4.replace_lane(addMul(displacement, f32x4.splat(lacking), surface), 3, 0);
          if (approach < 0) v = f32x4.replace_lane(f32x4.sub(v, f32x4.mul(f32x4.splat(approach), surface)), 3, 0);
        }
      }
    }
    if (axes != 0) {
      v = replaceAxes(v, given, axes);
      displacement = replaceAxes(displacement, f32x4.mul(f32x4.splat(h), given), axes);
    }
    v128.store(positions + (i << 4), f32x4.add(start, f32x4.replace_lane(displacement, 3, 0)));
    v128.store(velocities + (i << 4), f32x4.replace_lane(v, 3, w(given)));
    const speed2: f32 = dot(v, v) + <f32>0 * dot(displacement, displacement);
    if (!(speed2 <= fastest)) fastest = speed2;
    const ratio = <f64>load<f32>(ratios + (i << 2));
    excess += max<f64>(ratio - 1, 0);
    highest = max<f64>(highest, ratio - 1);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(speeds + ((i / BLOCK) << 2), fastest);
      const out = sumsOf(context, i / BLOCK);
      store<f64>(out, excess, 8);
      store<f64>(out, highest, 16);
      fastest = 0;
      excess = 0;
      highest = 0;
    }
  }
}

/** Distance to the nearest obstacle of every particle [m], into SOURCE; for the start. */
export function measureClearance(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const clearances = <usize>load<u32>(context + SOURCE);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    let nearest: f32 = f32.MAX_VALUE;
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      nearest = min(nearest, w(obstacleDistance(obstacle, position)));
    }
    store<f32>(clearances + (i << 2), nearest);
  }
}
