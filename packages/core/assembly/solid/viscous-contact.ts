import {
  BLOCK,
  BLOCK_SUMS,
  BODIES,
  BODY_DASHPOTS,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_OF,
  BODY_STRIDE,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONTACT_RADIUS,
  DIRECTION,
  DISPLACEMENT,
  DRIFT,
  FLOW,
  FLOW_CHANGE,
  FLOW_CONTACT,
  FLOW_FRICTION,
  GRADIENT_SUM,
  NEIGHBOR_BEGIN,
  OBSTACLE_COUNT,
  OBSTACLE_FRICTION,
  OBSTACLE_STRIDE,
  OBSTACLES,
  RESIDUAL,
  REST,
  SUMS,
} from '../../src/particles/layout';
import { obstacleDistance, wallVelocity } from '../contact/obstacles';
import { addMul, dot, larger, matrixTimes, rowTimes, vector, w, x } from '../math/simd';
import { heldBy } from './ghosts';
import { GROUP, isClear, penetrationOf, squared } from './integrate';
import { rowEnd } from './rows';

/**
 * Obstacles in the viscous part of an explicit step: what lies on them is not carried along by the kick that they are about
 * to take back, and what sticks to them holds the rest. FLOW_CONTACT has the normal in body axes and in lane 3 one more
 * than the number of the obstacle, negative where the particle slides, 0 where it is free. Held axes have no change of
 * velocity; what the dashpots give along them, and friction, kickAndDrift takes back.
 */

/** Friction of what slides is right to this share. */
const FRICTION_ERROR: f32 = 0.02;
/** What a look at a particle finds: nothing new; another hold; one whose velocity is to change by what is in DIRECTION. */
const SAME: u32 = 0;
const CHANGED: u32 = 1;
const HIT: u32 = 2;

/** The part of a vector that an obstacle leaves free. */
// @ts-ignore: decorator
@inline
export function beside(a: v128, contact: v128): v128 {
  const mode = w(contact);
  if (mode == 0) return a;
  if (mode > 0) return f32x4.splat(0);
  return f32x4.replace_lane(f32x4.sub(a, f32x4.mul(f32x4.splat(dot(a, contact)), contact)), 3, 0);
}

// What the last look at an obstacle has found, in world axes: its normal, velocity, how fast the particle may come nearer,
// how much faster it does [m/s], and its sliding velocity with what friction can take of it.
let normal: v128 = i32x4(0, 0, 0, 0);
let wall: v128 = i32x4(0, 0, 0, 0);
let allowed: f32 = 0;
let excess: f32 = 0;
let slip: v128 = i32x4(0, 0, 0, 0);
let brake: f32 = 0;

/** Looks at an obstacle. */
function look(obstacle: usize, body: usize, position: v128, velocity: v128, radius: f32, step: f32): void {
  normal = obstacleDistance(obstacle, position);
  wall = wallVelocity(obstacle, position);
  const gap = w(normal) - radius;
  allowed = gap > 0 ? -gap / step : 0;
  const relative = f32x4.sub(velocity, wall);
  const approach = dot(relative, normal);
  excess = allowed - approach;
  slip = f32x4.sub(relative, f32x4.mul(f32x4.splat(approach), normal));
  brake = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(obstacle + OBSTACLE_FRICTION)) * excess;
}

/** Does friction hold what was last looked at? */
// @ts-ignore: decorator
@inline
function sticks(): bool {
  return brake > 0 && dot(slip, slip) <= brake * brake;
}

/** The obstacle that a particle would get into deepest, counted from 1, and looks at it; 0 for none. */
function deepest(context: usize, body: usize, position: v128, velocity: v128, radius: f32, step: f32): i32 {
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const count = <i32>load<u32>(context + OBSTACLE_COUNT);
  let most: f32 = 0;
  let found = 0;
  for (let o = 0; o < count; o++) {
    look(obstacles + <usize>o * OBSTACLE_STRIDE, body, position, velocity, radius, step);
    if (excess > most) {
      most = excess;
      found = o + 1;
    }
  }
  if (found > 0) look(obstacles + <usize>(found - 1) * OBSTACLE_STRIDE, body, position, velocity, radius, step);
  return found;
}

/** The velocities that obstacles leave, in place of those that dashpots would resist. */
export function meetFlow(begin: u32, end: u32, context: usize): void {
  goThrough(begin, end, context, false);
}

/**
 * What has changed since: what is pulled off is free, what is pushed sideways by more than friction slides, and what gets
 * to an obstacle or stops on it stays there. Per block, for how many (0), and for how many there is a change of velocity in
 * DIRECTION, which is zero elsewhere (1).
 */
export function checkFlow(begin: u32, end: u32, context: usize): void {
  goThrough(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function goThrough(begin: u32, end: u32, context: usize, checking: bool): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const flows = <usize>load<u32>(context + FLOW);
  const changes = <usize>load<u32>(context + FLOW_CHANGE);
  const contacts = <usize>load<u32>(context + FLOW_CONTACT);
  const directions = <usize>load<u32>(context + DIRECTION);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const step = load<f32>(context + DRIFT);
  let body: usize = 0;
  let bodyEnd: usize = 0;
  let switched: f64 = 0;
  let pushed: f64 = 0;
  let i = <usize>begin;
  while (i < <usize>end) {
    if (i >= bodyEnd) {
      body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
    }
    const groupEnd = min(min((i | (GROUP - 1)) + 1, bodyEnd), <usize>end);
    if (load<u32>(body + BODY_DASHPOTS) != 0) {
      let low = f32x4.splat(Infinity);
      let high = f32x4.splat(-Infinity);
      let speed2 = f32x4.splat(0);
      let touching = false;
      for (let k = i; k < groupEnd; k++) {
        let v = v128.load(flows + (k << 4));
        if (checking) {
          v = f32x4.add(v, v128.load(changes + (k << 4)));
          v128.store(directions + (k << 4), f32x4.splat(0));
          if (load<f32>(contacts + (k << 4), 12) != 0) touching = true;
        } else v128.store(contacts + (k << 4), f32x4.splat(0));
        speed2 = larger(speed2, squared(v));
        const p = f32x4.add(v128.load(rest + (k << 4)), v128.load(displacements + (k << 4)));
        low = f32x4.pmin(p, low);
        high = f32x4.pmax(p, high);
      }
      if (touching || !isClear(obstacles, obstacleEnd, body, low, high, x(speed2), step)) {
        for (let k = i; k < groupEnd; k++) {
          if (load<u32>(begins + (k << 2)) == load<u32>(begins + (k << 2), 4)) continue;
          if (load<u32>(constraintOf + (k << 2)) != 0 && load<u32>(heldBy(context, k) + CONSTRAINT_MASK) != 0) continue;
          if (!checking) meet(context, body, k, step);
          else {
            const change = load<f32>(contacts + (k << 4), 12) != 0 ? recheck(context, body, k, step) : hit(context, body, k, step);
            if (change != SAME) switched += 1;
            if (change == HIT) pushed += 1;
          }
        }
      }
    }
    i = groupEnd;
    if (checking && ((i & (BLOCK - 1)) == 0 || i == <usize>end)) {
      const out = <usize>load<u32>(context + BLOCK_SUMS) + ((i - 1) / BLOCK) * SUMS * 8;
      store<f64>(out, switched);
      store<f64>(out, pushed, 8);
      switched = 0;
      pushed = 0;
    }
  }
}

// @ts-ignore: decorator
@inline
function positionOf(context: usize, body: usize, i: usize): v128 {
  const m = v128.load(<usize>load<u32>(context + REST) + (i << 4));
  const p = f32x4.add(m, v128.load(<usize>load<u32>(context + DISPLACEMENT) + (i << 4)));
  const r0 = v128.load(body + BODY_FRAME);
  const r1 = v128.load(body + BODY_FRAME, 16);
  const r2 = v128.load(body + BODY_FRAME, 32);
  return f32x4.add(matrixTimes(r0, r1, r2, p), vector(w(r0), w(r1), w(r2), 0));
}

// @ts-ignore: decorator
@inline
function inWorld(body: usize, a: v128): v128 {
  return matrixTimes(v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), a);
}

// @ts-ignore: decorator
@inline
function inBody(body: usize, a: v128): v128 {
  const turned = rowTimes(a, v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32));
  return f32x4.replace_lane(turned, 3, 0);
}

// @ts-ignore: decorator
@inline
function radiusOf(context: usize, body: usize, i: usize): f32 {
  return load<f32>(<usize>load<u32>(context + CONTACT_RADIUS) + (i << 2)) - penetrationOf(context, body, i);
}

/** Friction of what was last looked at against its slip, an impulse in body axes [N s]. */
function frictionOf(body: usize, mass: f32): v128 {
  const size = sqrt(dot(slip, slip));
  if (!(size > 0 && brake > 0)) return f32x4.splat(0);
  return inBody(body, f32x4.mul(f32x4.splat((-mass * brake) / size), slip));
}

/** Notes the contact that was last looked at, with its friction; what it adds to the velocity, in body axes. */
function noteContact(context: usize, body: usize, i: usize, obstacle: i32): v128 {
  const held = sticks();
  const contact = <usize>load<u32>(context + FLOW_CONTACT) + (i << 4);
  v128.store(contact, f32x4.replace_lane(inBody(body, normal), 3, held ? <f32>obstacle : -<f32>obstacle));
  const drag = held ? f32x4.splat(0) : frictionOf(body, massOf(context, i));
  v128.store(<usize>load<u32>(context + FLOW_FRICTION) + (i << 4), drag);
  const push = f32x4.mul(f32x4.splat(excess), normal);
  return inBody(body, held ? f32x4.sub(push, slip) : push);
}

// @ts-ignore: decorator
@inline
function massOf(context: usize, i: usize): f32 {
  return <f32>1 / load<f32>(<usize>load<u32>(context + GRADIENT_SUM) + (i << 4), 12);
}

/** Adds an impulse to what is not balanced yet. */
// @ts-ignore: decorator
@inline
function addImpulse(context: usize, i: usize, impulse: v128): void {
  const residual = <usize>load<u32>(context + RESIDUAL) + (i << 4);
  v128.store(residual, f32x4.add(v128.load(residual), impulse));
}

function meet(context: usize, body: usize, i: usize, step: f32): void {
  const flow = <usize>load<u32>(context + FLOW) + (i << 4);
  const v = v128.load(flow);
  const found = deepest(context, body, positionOf(context, body, i), inWorld(body, v), radiusOf(context, body, i), step);
  if (found == 0) return;
  const changed = f32x4.add(v, noteContact(context, body, i, found));
  v128.store(flow, f32x4.replace_lane(changed, 3, w(v)));
}

/** HIT when one that was free gets to an obstacle. */
function hit(context: usize, body: usize, i: usize, step: f32): u32 {
  const v = f32x4.add(
    v128.load(<usize>load<u32>(context + FLOW) + (i << 4)), v128.load(<usize>load<u32>(context + FLOW_CHANGE) + (i << 4)),
  );
  const found = deepest(context, body, positionOf(context, body, i), inWorld(body, v), radiusOf(context, body, i), step);
  if (found == 0) return SAME;
  v128.store(<usize>load<u32>(context + DIRECTION) + (i << 4), noteContact(context, body, i, found));
  addImpulse(context, i, v128.load(<usize>load<u32>(context + FLOW_FRICTION) + (i << 4)));
  return HIT;
}

/** What becomes of one that an obstacle holds, by the velocity that it would have without that. */
function recheck(context: usize, body: usize, i: usize, step: f32): u32 {
  const at = i << 4;
  const contact = <usize>load<u32>(context + FLOW_CONTACT) + at;
  const friction = <usize>load<u32>(context + FLOW_FRICTION) + at;
  const known = v128.load(contact);
  const mode = w(known);
  const drag = v128.load(friction);
  const r = v128.load(<usize>load<u32>(context + RESIDUAL) + at);
  const mass = massOf(context, i);
  let v = f32x4.add(v128.load(<usize>load<u32>(context + FLOW) + at), v128.load(<usize>load<u32>(context + FLOW_CHANGE) + at));
  v = addMul(v, f32x4.splat(<f32>1 / mass), f32x4.sub(r, beside(r, known)));
  const obstacle = <usize>load<u32>(context + OBSTACLES) + (<usize>abs(mode) - 1) * OBSTACLE_STRIDE;
  look(obstacle, body, positionOf(context, body, i), inWorld(body, v), radiusOf(context, body, i), step);
  let next = f32x4.splat(0);
  let change = CHANGED;
  if (excess <= 0) v128.store(contact, f32x4.splat(0));
  else if (mode > 0) {
    if (sticks()) return SAME;
    store<f32>(contact, -mode, 12);
    next = frictionOf(body, mass);
  } else {
    const sliding = inBody(body, slip);
    if (dot(sliding, drag) > 0) {
      // It has been turned round: friction can hold it.
      store<f32>(contact, -mode, 12);
      v128.store(<usize>load<u32>(context + DIRECTION) + at, f32x4.neg(sliding));
      change = HIT;
    } else {
      next = frictionOf(body, mass);
      const difference = f32x4.sub(next, drag);
      if (dot(difference, difference) <= FRICTION_ERROR * FRICTION_ERROR * dot(next, next)) return SAME;
    }
  }
  v128.store(friction, next);
  addImpulse(context, i, f32x4.sub(next, drag));
  return change;
}
