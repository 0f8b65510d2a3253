import {
  ACCELERATION,
  BLOCK,
  BLOCK_SPEED,
  BODIES,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_OF,
  BODY_PENETRATION,
  BODY_REBOUND_DAMPING,
  BODY_REFRAME,
  BODY_RESTITUTION,
  BODY_STRIDE,
  CONFINED,
  CONSTRAINT_GHOST,
  CONSTRAINT_LATE,
  CONSTRAINT_LATE_RATE,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_RATE,
  CONSTRAINT_STRIDE,
  CONSTRAINT_TARGET,
  CONSTRAINTS,
  CONTACT_RADIUS,
  DISPLACEMENT,
  DRIFT,
  FIT_NONE,
  GRADIENT_SUM,
  HOLD_IMPULSE,
  KICK,
  NEIGHBOR_BEGIN,
  OBSTACLE_COUNT,
  OBSTACLE_FRICTION,
  OBSTACLE_REBOUND_DAMPING,
  OBSTACLE_IMPULSE,
  OBSTACLE_IMPULSE_STRIDE,
  OBSTACLE_RESTITUTION,
  OBSTACLE_SPEED,
  OBSTACLE_STRIDE,
  OBSTACLES,
  PENETRATION,
  REST,
  VELOCITY,
  WALL_IMPULSE,
} from '../../src/particles/layout';
import { obstacleClearance, obstacleDistance, wallVelocity } from '../contact/obstacles';
import { addMul, columnX, columnY, columnZ, dot, larger, matrixTimes, rowTimes, splatX, splatY, splatZ, vector, w, x } from '../math/simd';
import { rowEnd } from './rows';

/** Share of a penetration that is taken back in a step, and the most of it in radii: deeper ones would cross the body. */
const PUSH_OUT: f32 = 0.2;
const FARTHEST_PUSH: f32 = 0.1;
/** A particle nearer than this share of its radius beyond touching counts as touching. */
const TOUCH: f32 = 1e-3;

/** Row a of an affine map in three rows, lane 3 the constant, applied to a point. */
// @ts-ignore: decorator
@inline
export function affine(rows: usize, p: v128): v128 {
  const r0 = v128.load(rows);
  const r1 = v128.load(rows, 16);
  const r2 = v128.load(rows, 32);
  return vector(dot(r0, p) + w(r0), dot(r1, p) + w(r1), dot(r2, p) + w(r2), 0);
}

/** Takes from `a` its difference to `target` along the prescribed world axes (rows of R in body axes). */
export function prescribe(mask: u32, r0: v128, r1: v128, r2: v128, a: v128, target: v128): v128 {
  if (mask == 7) return target;
  const d = f32x4.sub(a, target);
  let result = a;
  if (mask & 1) result = f32x4.sub(result, f32x4.mul(f32x4.splat(dot(r0, d)), r0));
  if (mask & 2) result = f32x4.sub(result, f32x4.mul(f32x4.splat(dot(r1, d)), r1));
  if (mask & 4) result = f32x4.sub(result, f32x4.mul(f32x4.splat(dot(r2, d)), r2));
  return f32x4.replace_lane(result, 3, 0);
}

/** The impulse of the last collision along the normal, per mass [m/s]. */
let normalImpulse: f32 = 0;

/**
 * What one obstacle leaves of a particle's world velocity. The particle may approach by `allowed` per
 * second and no faster; the impulse that this takes bounds the tangential one (Coulomb). Restitution
 * turns an approach round.
 */
// @ts-ignore: decorator
@inline
export function collide(
  obstacle: usize, position: v128, near: v128, velocity: v128, allowed: f32, friction: f32, restitution: f32,
): v128 {
  normalImpulse = 0;
  const relative = f32x4.sub(velocity, wallVelocity(obstacle, position));
  const approach = dot(relative, near);
  if (approach >= allowed) return velocity;
  const impulse = max(allowed, restitution > 0 ? -restitution * approach : allowed) - approach;
  normalImpulse = impulse;
  const tangential = f32x4.sub(relative, f32x4.mul(f32x4.splat(approach), near));
  const slip = sqrt(dot(tangential, tangential));
  const frictionBound = sqrt(friction * load<f32>(obstacle + OBSTACLE_FRICTION)) * impulse;
  const brake: f32 = slip > frictionBound ? frictionBound / slip : 1;
  return f32x4.sub(addMul(velocity, f32x4.splat(impulse), near), f32x4.mul(f32x4.splat(brake), tangential));
}

/** How far a particle, number i in PENETRATION, may be inside an obstacle because it began there [m]. */
// @ts-ignore: decorator
@inline
export function penetrationOf(context: usize, body: usize, i: usize): f32 {
  const share = load<f32>(body + BODY_PENETRATION);
  return share == 0 ? 0 : share * load<f32>(<usize>load<u32>(context + PENETRATION) + (i << 2));
}

/** Adds the impulse that an obstacle has given a particle to its record, in world axes. */
// @ts-ignore: decorator
@inline
function recordImpulse(
  record: usize, obstacle: usize, position: v128, normal: v128, before: v128, after: v128, mass: f32, damping: f32,
): void {
  if (normalImpulse == 0) return;
  const given = f32x4.mul(f32x4.splat(mass), f32x4.sub(after, before));
  const size = mass * normalImpulse;
  const along = f32x4.replace_lane(f32x4.mul(f32x4.splat(size), normal), 3, 0);
  v128.store(record, f32x4.add(v128.load(record), f32x4.replace_lane(given, 3, size)));
  const work = dot(along, wallVelocity(obstacle, position));
  v128.store(record, f32x4.add(v128.load(record, 16), f32x4.replace_lane(along, 3, work)), 16);
  const least = min(damping, load<f32>(obstacle + OBSTACLE_REBOUND_DAMPING));
  store<f32>(record, load<f32>(record, 32) + size * least, 32);
}

/** Adds to what has been noted of a particle: its mass times a change of its velocity. */
export function noteImpulse(impulse: usize, mass: f32, after: v128, before: v128): void {
  const gained = f32x4.mul(f32x4.splat(mass), f32x4.sub(after, before));
  v128.store(impulse, f32x4.add(v128.load(impulse), f32x4.replace_lane(gained, 3, 0)));
}

/** Where impulses of the first obstacle on particle i are noted; 0 where nobody asks. */
// @ts-ignore: decorator
@inline
export function notesOf(context: usize, i: usize): usize {
  const impulses = <usize>load<u32>(context + OBSTACLE_IMPULSE);
  return impulses == 0 ? 0 : impulses + (i << 4);
}

/** What takes a particle out of the obstacles that it is in, in this step. */
export let pushedOut: v128 = i32x4(0, 0, 0, 0);
/** May some obstacle be touched at the end of this step? */
export let near = false;

/**
 * What all obstacles leave of a particle's world velocity over a step, and `pushedOut`. It may be inside by `penetration`.
 * It touches at `radius` from its centre and is `size` in radius itself. A `single` particle bounces; a solid rebounds as
 * a whole, see assembly/contact/impact.ts. `settling` is for velocities at the end of a step: only what touches, no
 * bounce. Impulses go to `record` unless that is 0, and those of each obstacle to `notes`, `stride` bytes apart, unless
 * that is 0.
 */
// @ts-ignore: decorator
@inline
export function meetObstacles(
  obstacles: usize, obstacleEnd: usize, position: v128, given: v128, radius: f32, size: f32, penetration: f32, step: f32,
  friction: f32, restitution: f32, single: bool, settling: bool, record: usize, notes: usize, stride: usize, mass: f32, damping: f32,
): v128 {
  let velocity = given;
  let shift = f32x4.splat(0);
  let close = false;
  let note = notes;
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE, note += stride) {
    const distance = obstacleDistance(obstacle, position);
    const gap = w(distance) - radius + penetration;
    const before = velocity;
    if (settling) {
      if (gap <= TOUCH * size) {
        velocity = collide(obstacle, position, distance, velocity, 0, friction, 0);
        if (record != 0) recordImpulse(record, obstacle, position, distance, before, velocity, mass, damping);
        if (notes != 0) noteImpulse(note, mass, velocity, before);
      }
      continue;
    }
    // Too far to be reached in this step, however it moves: by twice the way, lest the distance were not exact.
    const beyond = gap - TOUCH * size - step * load<f32>(obstacle + OBSTACLE_SPEED);
    if (beyond > 0 && beyond * beyond > <f32>4 * step * step * dot(velocity, velocity)) continue;
    close = true;
    const allowed: f32 = gap > 0 ? -gap / step : 0;
    const bounce: f32 = single ? max(restitution, load<f32>(obstacle + OBSTACLE_RESTITUTION)) : 0;
    velocity = collide(obstacle, position, distance, velocity, allowed, friction, bounce);
    if (notes != 0) noteImpulse(note, mass, velocity, before);
    if (record != 0) recordImpulse(record, obstacle, position, distance, before, velocity, mass, damping);
    // To the obstacle and back: where the bounce began from is no part of the way.
    if (normalImpulse > 0 && gap > 0 && bounce > 0) shift = addMul(shift, f32x4.splat(-(<f32>1 + bounce) * gap), distance);
    if (gap < 0) shift = addMul(shift, f32x4.splat(min(-PUSH_OUT * gap, FARTHEST_PUSH * size)), distance);
  }
  pushedOut = shift;
  near = close;
  return velocity;
}

/** Particles that are looked at together: if no obstacle can be reached from around them, none of them needs to ask. */
export const GROUP: usize = 16;
/** Bounds of groups are this much larger than they need be: rounding. */
const BOUND: f32 = 1.01;
/** Particles touch obstacles no farther away than this many of their radii: see sampling/contact-radius.ts. */
const FARTHEST_CONTACT: f32 = 2;

/** The squared length of a, in lane 0. */
// @ts-ignore: decorator
@inline
export function squared(a: v128): v128 {
  const p = f32x4.mul(a, a);
  return f32x4.add(f32x4.add(p, splatY(p)), splatZ(p));
}

/** Is no obstacle within reach of the particles in the box from low to high (lane 3 the largest radius) in this step? */
export function isClear(
  obstacles: usize, obstacleEnd: usize, body: usize, low: v128, high: v128, speed2: f32, step: f32,
): bool {
  const half = f32x4.mul(f32x4.splat(0.5), f32x4.sub(high, low));
  const reach = BOUND * sqrt(dot(half, half));
  const centre = f32x4.add(low, half);
  const r0 = v128.load(body + BODY_FRAME);
  const r1 = v128.load(body + BODY_FRAME, 16);
  const r2 = v128.load(body + BODY_FRAME, 32);
  const position = vector(w(r0) + dot(r0, centre), w(r1) + dot(r1, centre), w(r2) + dot(r2, centre), 0);
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    const gap = obstacleClearance(obstacle, position, reach) - FARTHEST_CONTACT * BOUND * w(high);
    const beyond = gap - step * load<f32>(obstacle + OBSTACLE_SPEED);
    if (!(beyond > 0 && beyond * beyond > <f32>4 * BOUND * step * step * speed2)) return false;
  }
  return true;
}

/**
 * Kick and drift: v += a dt_kick, then what obstacles and constraints allow of it, then u += v dt.
 * [K06] eq. 7.5-7.6; the halves of the kick are the caller's choice.
 *
 * Obstacles act on velocities: a particle may come as near as its contact radius by the end of the
 * step and no nearer. So a resting body rests, and no penalty stiffness limits the step. Penetrations,
 * which only moving or crossing obstacles make, are taken back in displacement, not in velocity, and
 * so give no energy of motion.
 */
export function kickAndDrift(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  const marks = <usize>load<u32>(context + CONFINED);
  const kick = v128.load_splat<f32>(context + KICK);
  const step = load<f32>(context + DRIFT);
  const drift = f32x4.splat(step);

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let driven = false;
  let fastest = f32x4.splat(0);
  let i = <usize>begin;
  while (i < <usize>end) {
    if (i >= bodyEnd) {
      body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
      driven = load<u32>(body + BODY_FIT) == FIT_NONE;
    }
    const groupEnd = min(min((i | (GROUP - 1)) + 1, bodyEnd), <usize>end);
    let speed2 = f32x4.splat(0);
    if (driven) {
      // They have moved already, see assembly/rigid/motion.ts.
      for (let k = i; k < groupEnd; k++) {
        speed2 = larger(speed2, squared(v128.load(velocities + (k << 4))));
        store<u8>(marks + k, 0);
      }
    } else {
      let low = f32x4.splat(Infinity);
      let high = f32x4.splat(-Infinity);
      let constrained: u32 = 0;
      for (let k = i; k < groupEnd; k++) {
        const velocity = velocities + (k << 4);
        const v = addMul(v128.load(velocity), kick, v128.load(accelerations + (k << 4)));
        v128.store(velocity, v);
        speed2 = larger(speed2, squared(v));
        const p = f32x4.add(v128.load(rest + (k << 4)), v128.load(displacements + (k << 4)));
        low = f32x4.pmin(p, low);
        high = f32x4.pmax(p, high);
        constrained |= load<u32>(constraintOf + (k << 2));
        store<u8>(marks + k, 0);
      }
      if (constrained == 0 && isClear(obstacles, obstacleEnd, body, low, high, x(speed2), step)) {
        for (let k = i; k < groupEnd; k++) {
          const u = displacements + (k << 4);
          v128.store(u, addMul(v128.load(u), drift, v128.load(velocities + (k << 4))));
        }
      } else {
        speed2 = f32x4.splat(confineStep(i, groupEnd, context));
      }
    }
    fastest = larger(fastest, speed2);
    i = groupEnd;
    if ((i & (BLOCK - 1)) == 0 || i == <usize>end) {
      store<f32>(speeds + (((i - 1) / BLOCK) << 2), x(fastest));
      fastest = f32x4.splat(0);
    }
  }
}

/**
 * The same obstacles and constraints for the velocities at the end of the step, after the second half
 * of the kick: without it a body at rest would be seen to move at a dt / 2. Of particles that
 * kickAndDrift has marked; others are far from obstacles and free.
 */
export function settleVelocities(begin: u32, end: u32, context: usize): void {
  const marks = <usize>load<u32>(context + CONFINED);
  for (let i = <usize>begin; i < <usize>end; i += GROUP) {
    if (v128.any_true(v128.load(marks + i))) confine(i, min(i + GROUP, <usize>end), context, true);
  }
}

/** What obstacles and constraints allow of kicked velocities, and the drift; the largest squared speed. */
function confineStep(begin: usize, end: usize, context: usize): f32 {
  return confine(begin, end, context, false);
}

// @ts-ignore: decorator
@inline
function confine(begin: usize, end: usize, context: usize, settling: bool): f32 {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const marks = <usize>load<u32>(context + CONFINED);
  const records = <usize>load<u32>(context + WALL_IMPULSE);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const radii = <usize>load<u32>(context + CONTACT_RADIUS);
  const neighborBegins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const stride = <usize>load<u32>(context + OBSTACLE_IMPULSE_STRIDE);
  const drift = load<f32>(context + DRIFT);
  const perDrift = f32x4.splat(<f32>1 / drift);

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let r0 = f32x4.splat(0);
  let r1 = f32x4.splat(0);
  let r2 = f32x4.splat(0);
  let cx = f32x4.splat(0);
  let cy = f32x4.splat(0);
  let cz = f32x4.splat(0);
  let origin = f32x4.splat(0);
  let friction: f32 = 0;
  let restitution: f32 = 0;
  let damping: f32 = 0;
  let fastest: f32 = 0;
  for (let i = begin; i < end; i++) {
    if (settling && load<u8>(marks + i) == 0) continue;
    if (i >= bodyEnd) {
      body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
      r0 = v128.load(body + BODY_FRAME);
      r1 = v128.load(body + BODY_FRAME, 16);
      r2 = v128.load(body + BODY_FRAME, 32);
      cx = columnX(r0, r1, r2);
      cy = columnY(r0, r1, r2);
      cz = columnZ(r0, r1, r2);
      origin = vector(w(r0), w(r1), w(r2), 0);
      friction = load<f32>(body + BODY_FRICTION);
      restitution = load<f32>(body + BODY_RESTITUTION);
      damping = load<f32>(body + BODY_REBOUND_DAMPING);
    }
    const m = v128.load(rest + (i << 4));
    const start = v128.load(displacements + (i << 4));
    let u = start;
    let v = v128.load(velocities + (i << 4));

    let marked = false;
    if (obstacles < obstacleEnd) {
      const p = f32x4.add(m, u);
      const position = addMul(addMul(addMul(origin, cx, splatX(p)), cy, splatY(p)), cz, splatZ(p));
      const before = addMul(addMul(f32x4.mul(cx, splatX(v)), cy, splatY(v)), cz, splatZ(v));
      const depth = penetrationOf(context, body, i);
      const record = damping > 0 ? records + i * 48 : 0;
      if (record != 0 && !settling) memory.fill(record, 0, 48);
      const single = load<u32>(neighborBegins + (i << 2)) == load<u32>(neighborBegins + (i << 2), 4);
      const velocity = meetObstacles(
        obstacles, obstacleEnd, position, before, load<f32>(radii + (i << 2)), w(m), depth, drift, friction, restitution, single, settling, record,
        notesOf(context, i), stride, <f32>1 / load<f32>(sums + (i << 4), 12), damping,
      );
      // Through the rotation and back costs digits: only where something changed.
      if (v128.any_true(f32x4.ne(velocity, before))) v = f32x4.replace_lane(rowTimes(velocity, r0, r1, r2), 3, 0);
      if (!settling && near) {
        marked = true;
        if (v128.any_true(pushedOut)) u = f32x4.replace_lane(f32x4.add(u, rowTimes(pushedOut, r0, r1, r2)), 3, 0);
      }
    }

    if (!settling) u = addMul(u, f32x4.splat(drift), v);
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0) {
      const set = constraints + constraint * CONSTRAINT_STRIDE;
      const mask = load<u32>(set + CONSTRAINT_MASK);
      if (mask != 0) {
        marked = true;
        const late = load<u32>(set + CONSTRAINT_LATE);
        const free = v;
        v = prescribe(mask & ~late, r0, r1, r2, v, affine(set + CONSTRAINT_RATE, m));
        const rate = late != 0 ? affine(set + CONSTRAINT_LATE_RATE, f32x4.add(m, start)) : f32x4.splat(0);
        if (late != 0) v = prescribe(late, r0, r1, r2, v, rate);
        if (holds != 0 && load<u32>(set + CONSTRAINT_GHOST) == 0) {
          const given = matrixTimes(r0, r1, r2, f32x4.sub(v, free));
          noteImpulse(holds + (i << 4), <f32>1 / load<f32>(sums + (i << 4), 12), given, f32x4.splat(0));
        }
        // Ghosts stay until their masters have moved: moveGhosts.
        if (load<u32>(set + CONSTRAINT_GHOST) != 0) u = start;
        else if (!settling) {
          u = prescribe(mask & ~late, r0, r1, r2, u, affine(set + CONSTRAINT_TARGET, m));
          if (late != 0) u = prescribe(late, r0, r1, r2, u, addMul(start, f32x4.splat(drift), rate));
        }
      }
    }
    v128.store(velocities + (i << 4), v);
    if (settling) continue;
    v128.store(displacements + (i << 4), u);
    store<u8>(marks + i, <u8>marked);

    // NaN must reach the block's value: a comparison keeps it, max() need not.
    // Push-out and prescribed positions move a particle beyond its velocity.
    const moved = f32x4.mul(f32x4.sub(u, start), perDrift);
    const speed2 = dot(v, v);
    if (!(speed2 <= fastest)) fastest = speed2;
    fastest = max(fastest, dot(moved, moved));
  }
  return fastest;
}

/**
 * Change of body frame ([K06] 5.4.3): u <- u + (dR - I)(m + u) + shift and v <- dR v, with dR - I and
 * the shift formed in f64 by the caller, so that a small change loses no digits.
 */
export function changeFrames(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  let bodyEnd: usize = 0;
  let d0 = f32x4.splat(0);
  let d1 = f32x4.splat(0);
  let d2 = f32x4.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (i >= bodyEnd) {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
      d0 = v128.load(body + BODY_REFRAME);
      d1 = v128.load(body + BODY_REFRAME, 16);
      d2 = v128.load(body + BODY_REFRAME, 32);
    }
    const u = v128.load(displacements + (i << 4));
    const p = f32x4.add(v128.load(rest + (i << 4)), u);
    const du = vector(dot(d0, p) + w(d0), dot(d1, p) + w(d1), dot(d2, p) + w(d2), 0);
    v128.store(displacements + (i << 4), f32x4.add(u, du));
    const v = v128.load(velocities + (i << 4));
    v128.store(velocities + (i << 4), f32x4.add(v, vector(dot(d0, v), dot(d1, v), dot(d2, v), 0)));
    const a = v128.load(accelerations + (i << 4));
    v128.store(accelerations + (i << 4), f32x4.add(a, vector(dot(d0, a), dot(d1, a), dot(d2, a), 0)));
  }
}
