import { BODY_FRICTION, BODY_STRIDE, OBSTACLE_STRIDE } from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  BOND_COUNT,
  GRAVITY,
  LIQUID_CONTEXT,
  LIQUID_OF,
  LIQUIDS,
  MEAN_PRESSURE,
  PASSED,
  PER_STEPS,
  SORTED_INDEX,
  POSITION,
  RADIUS,
  SHIFT,
  STEP,
  VELOCITY,
  STEP_DISPLACEMENT,
} from '../../src/particles/elastic-layout';
import { obstacleDistance, wallVelocity } from '../contact/obstacles';
import { replaceAxes } from '../constraints/prescribe';
import { addMul, w } from '../math/simd';
import { collide } from '../solid/integrate';

/**
 * Elastic particles within a step of the liquid, [K06] fig. 6.2: elastic forces are found anew in short steps. Gravity
 * acts in each of them. Viscosity and tension change velocities before: as an acceleration for all of the short steps,
 * viscosity would go on against motion that has turned round meanwhile, and drive it. Pressure is solved for after
 * that, from the velocities at the end. Where it acts on what is solid there is one elastic step only: with more, the
 * layer that is pressed gives way and comes back in between, and a block that swims on its melt begins to hop.
 */

// @ts-ignore: decorator
@inline
function isElastic(context: usize, id: usize): bool {
  return load<u32>(<usize>load<u32>(context + BOND_COUNT) + (id << 2)) > 0;
}

/** Velocities after all forces but gravity, which the liquid's forces leave out where something is elastic. */
export function enterElastic(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const forced = <usize>load<u32>(sorted + liquid.VELOCITY);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const shifts = <usize>load<u32>(context + SHIFT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    v128.store(shifts + (id << 4), f32x4.splat(0));
    if (!isElastic(context, id)) continue;
    v128.store(velocities + (id << 4), f32x4.replace_lane(v128.load(forced + (i << 4)), 3, 0));
  }
}

/**
 * What is solid meets obstacles here, as bodies do: it may come as near as its radius by the end of the step, and the
 * impulse that this takes bounds friction. To leave it to the pressure, which is found once for many of these steps,
 * lets the layer at the wall swing freely in between: a block at rest hops, and gains energy.
 */
// @ts-ignore: decorator
@inline
function meetObstacles(begin: u32, end: u32, context: usize, drift: bool): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const obstacles = <usize>load<u32>(sorted + liquid.OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(sorted + liquid.OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const shifts = <usize>load<u32>(context + SHIFT);
  const liquids = <usize>load<u32>(context + LIQUID_OF);
  const rows = <usize>load<u32>(context + LIQUIDS);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const fixed = <usize>load<u32>(sorted + liquid.FIXED);
  const given = <usize>load<u32>(sorted + liquid.VELOCITY);
  const h = load<f32>(context + STEP);
  const passed = load<f32>(context + PASSED);
  const radius = load<f32>(context + RADIUS);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(context, id)) continue;
    const shift = v128.load(shifts + (id << 4));
    let v = v128.load(velocities + (id << 4));
    const x = f32x4.add(v128.load(positions + (id << 4)), shift);
    const friction = load<f32>(rows + <usize>load<u32>(liquids + (id << 2)) * BODY_STRIDE + BODY_FRICTION);
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      const wall = f32x4.replace_lane(wallVelocity(obstacle, x), 3, 0);
      // Obstacles stand where they were at the start of the liquid's step.
      const surface = obstacleDistance(obstacle, f32x4.sub(x, f32x4.mul(f32x4.splat(passed), wall)));
      // One that is too near already is the pressure's affair.
      const allowed: f32 = -max<f32>(w(surface) - radius, 0) / h;
      v = collide(obstacle, x, surface, v, allowed, friction, 0);
    }
    const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
    v = replaceAxes(v, v128.load(given + (sortedIndex << 4)), load<u32>(fixed + (sortedIndex << 2)));
    v = f32x4.replace_lane(v, 3, 0);
    v128.store(velocities + (id << 4), v);
    if (drift) v128.store(shifts + (id << 4), addMul(shift, f32x4.splat(h), v));
  }
}

/** Obstacles, and positions by a step. */
export function driftElastic(begin: u32, end: u32, context: usize): void {
  meetObstacles(begin, end, context, true);
}

/** Obstacles alone: pressure changes the velocities before anything moves. */
export function stopElastic(begin: u32, end: u32, context: usize): void {
  meetObstacles(begin, end, context, false);
}

/** Velocities for the pressure of an elastic step: the liquid falls. */
export function copyElasticToLiquid(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const targets = <usize>load<u32>(sorted + liquid.VELOCITY);
  const fixed = <usize>load<u32>(sorted + liquid.FIXED);
  const h = f32x4.splat(load<f32>(context + STEP));
  const velocities = <usize>load<u32>(context + VELOCITY);
  const gravity = f32x4.replace_lane(v128.load(context + GRAVITY), 3, 0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    const given = v128.load(targets + (i << 4));
    let v = given;
    if (isElastic(context, id)) v = f32x4.replace_lane(v128.load(velocities + (id << 4)), 3, w(given));
    else v = addMul(given, h, replaceAxes(gravity, f32x4.splat(0), load<u32>(fixed + (i << 2))));
    v128.store(targets + (i << 4), v);
  }
}

/** Velocities that the pressure has left, ways with them, and pressures towards their mean. */
export function copyLiquidToElastic(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const given = <usize>load<u32>(sorted + liquid.VELOCITY);
  const pressures = <usize>load<u32>(sorted + liquid.PRESSURE);
  const means = <usize>load<u32>(context + MEAN_PRESSURE);
  const h = f32x4.splat(load<f32>(context + STEP));
  const perSteps = load<f32>(context + PER_STEPS);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const shifts = <usize>load<u32>(context + SHIFT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = <usize>load<u32>(ids + (i << 2)) << 4;
    const v = f32x4.replace_lane(v128.load(given + (i << 4)), 3, 0);
    v128.store(velocities + at, v);
    v128.store(shifts + at, addMul(v128.load(shifts + at), h, v));
    const mean = load<f32>(means + (i << 2)) + perSteps * load<f32>(pressures + (i << 2));
    store<f32>(means + (i << 2), mean);
  }
}

/** By how much the way differs from h v, after steps with pressure. */
export function partElastic(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const h = f32x4.splat(load<f32>(sorted + liquid.STEP));
  const velocities = <usize>load<u32>(context + VELOCITY);
  const shifts = <usize>load<u32>(context + SHIFT);
  const displacements = <usize>load<u32>(context + STEP_DISPLACEMENT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = <usize>load<u32>(ids + (i << 2)) << 4;
    v128.store(displacements + at, f32x4.sub(v128.load(shifts + at), f32x4.mul(h, v128.load(velocities + at))));
    v128.store(shifts + at, f32x4.splat(0));
  }
}

/** Back to the liquid's order: velocities, and by how much the way differs from h v. The liquid falls. */
export function leaveElastic(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const targets = <usize>load<u32>(sorted + liquid.VELOCITY);
  const h = f32x4.splat(load<f32>(sorted + liquid.STEP));
  const velocities = <usize>load<u32>(context + VELOCITY);
  const shifts = <usize>load<u32>(context + SHIFT);
  const displacements = <usize>load<u32>(context + STEP_DISPLACEMENT);
  const fixed = <usize>load<u32>(sorted + liquid.FIXED);
  const gravity = f32x4.replace_lane(v128.load(context + GRAVITY), 3, 0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    const at = id << 4;
    if (!isElastic(context, id)) {
      v128.store(displacements + at, f32x4.splat(0));
      const fall = replaceAxes(gravity, f32x4.splat(0), load<u32>(fixed + (i << 2)));
      v128.store(targets + (i << 4), addMul(v128.load(targets + (i << 4)), h, fall));
      continue;
    }
    const v = v128.load(velocities + at);
    v128.store(displacements + at, f32x4.sub(v128.load(shifts + at), f32x4.mul(h, v)));
    v128.store(targets + (i << 4), f32x4.replace_lane(v, 3, load<f32>(targets + (i << 4), 12)));
    v128.store(shifts + at, f32x4.splat(0));
  }
}

/** After the pressures: velocities become those of the way that is gone, which the correction of positions looks at. */
export function settleElastic(begin: u32, end: u32, context: usize): void {
  changeVelocities(begin, end, context, 1);
}

/** Velocities at the end of the step again. */
export function finishElastic(begin: u32, end: u32, context: usize): void {
  changeVelocities(begin, end, context, -1);
}

// @ts-ignore: decorator
@inline
function changeVelocities(begin: u32, end: u32, context: usize, sign: f32): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const velocities = <usize>load<u32>(sorted + liquid.VELOCITY);
  const perStep = f32x4.splat(sign / load<f32>(sorted + liquid.STEP));
  const displacements = <usize>load<u32>(context + STEP_DISPLACEMENT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    const given = v128.load(velocities + (i << 4));
    const v = addMul(given, perStep, v128.load(displacements + (id << 4)));
    v128.store(velocities + (i << 4), f32x4.replace_lane(v, 3, w(given)));
  }
}
