import {
  ACCELERATION,
  BLOCK,
  BLOCK_SUMS,
  BODIES,
  BODY_FRAME,
  BODY_GRAVITY,
  BODY_OF,
  BODY_STRIDE,
  CHANGE,
  CONSTRAINT_ACCELERATION,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_RATE,
  CONSTRAINT_STRIDE,
  CONSTRAINT_TARGET,
  CONSTRAINTS,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  GHOSTS,
  DIRECTION,
  DISPLACEMENT,
  EXTERNAL_FORCE,
  FLOW,
  GRADIENT_SUM,
  GUESS,
  HOLD_IMPULSE,
  LATE_KICK,
  METERED,
  GHOST_SOURCE_LIST,
  GHOST_SOURCES,
  PRODUCT,
  REFLECTED,
  RESIDUAL,
  REST,
  SUMS,
  SURFACE_OF,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, dot, matrixTimes, w } from '../math/simd';
import { inBodyAxes } from './forces';
import { affine, noteImpulse, prescribe } from './integrate';

/**
 * Held particles that mirror free ones through the face of a clamp: u_h - u0 = q (u_m - u0) along the held
 * axes, and by the transpose f_m += q f_h. Ranges are of dependents or of masters.
 */

// @ts-ignore: decorator
@inline
export function heldBy(context: usize, i: usize): usize {
  const set = <usize>load<u32>(<usize>load<u32>(context + CONSTRAINT_OF) + (i << 2));
  return <usize>load<u32>(context + CONSTRAINTS) + set * CONSTRAINT_STRIDE;
}

// @ts-ignore: decorator
@inline
export function bodyAt(context: usize, i: usize): usize {
  const body = <usize>load<u32>(<usize>load<u32>(context + BODY_OF) + (i << 2));
  return <usize>load<u32>(context + BODIES) + body * BODY_STRIDE;
}

/** Takes the components along the axes of a mask from `target`. */
// @ts-ignore: decorator
@inline
function along(mask: u32, body: usize, a: v128, target: v128): v128 {
  return prescribe(
    mask, v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), a, target,
  );
}

/** Positions and velocities of the dependents. */
export function moveGhosts(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  // There in implicit steps only.
  const guesses = <usize>load<u32>(context + GUESS);
  const changes = <usize>load<u32>(context + CHANGE);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const m = <usize>load<u32>(ghosts + (k << 4), 4);
    const ratio = v128.load_splat<f32>(ghosts + (k << 4), 8);
    const set = heldBy(context, h);
    const mask = load<u32>(set + CONSTRAINT_MASK);
    if (mask == 0) continue;
    const body = bodyAt(context, h);
    const there = v128.load(rest + (m << 4));
    const here = v128.load(rest + (h << 4));
    const displacement = f32x4.sub(v128.load(displacements + (m << 4)), affine(set + CONSTRAINT_TARGET, there));
    const u = addMul(affine(set + CONSTRAINT_TARGET, here), ratio, displacement);
    const position = along(mask, body, v128.load(displacements + (h << 4)), f32x4.replace_lane(u, 3, 0));
    v128.store(displacements + (h << 4), position);
    if (changes != 0) v128.store(changes + (h << 4), f32x4.sub(position, v128.load(guesses + (h << 4))));
    const speed = f32x4.sub(v128.load(velocities + (m << 4)), affine(set + CONSTRAINT_RATE, there));
    const v = addMul(affine(set + CONSTRAINT_RATE, here), ratio, speed);
    v128.store(velocities + (h << 4), along(mask, body, v128.load(velocities + (h << 4)), f32x4.replace_lane(v, 3, 0)));
  }
}

/** Forces of the dependents on their masters: accelerations, and the second half of the kick. */
export function reflectForces(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const ghostSources = <usize>load<u32>(context + GHOST_SOURCES);
  const list = <usize>load<u32>(context + GHOST_SOURCE_LIST);
  const kick = f32x4.splat(load<f32>(context + LATE_KICK));
  for (let k = <usize>begin; k < <usize>end; k++) {
    const m = <usize>load<u32>(ghostSources + (k << 4));
    const last = list + (<usize>load<u32>(ghostSources + (k << 4), 8) << 3);
    let force = f32x4.splat(0);
    for (let at = list + (<usize>load<u32>(ghostSources + (k << 4), 4) << 3); at < last; at += 8) {
      const h = <usize>load<u32>(at);
      const set = heldBy(context, h);
      const mask = load<u32>(set + CONSTRAINT_MASK);
      if (mask == 0) continue;
      const body = bodyAt(context, h);
      // The elastic part of its acceleration.
      const others = f32x4.add(v128.load(body + BODY_GRAVITY), v128.load(set + CONSTRAINT_ACCELERATION));
      const elastic = f32x4.sub(v128.load(accelerations + (h << 4)), others);
      const held = f32x4.sub(elastic, along(mask, body, elastic, f32x4.splat(0)));
      const mass = <f32>1 / load<f32>(sums + (h << 4), 12);
      force = addMul(force, f32x4.splat(mass * load<f32>(at, 4)), held);
    }
    const acceleration = f32x4.replace_lane(f32x4.mul(force, f32x4.splat(load<f32>(sums + (m << 4), 12))), 3, 0);
    v128.store(accelerations + (m << 4), f32x4.add(v128.load(accelerations + (m << 4)), acceleration));
    v128.store(velocities + (m << 4), addMul(v128.load(velocities + (m << 4)), kick, acceleration));
  }
}

/**
 * What the face of a clamp does to the body through its ghosts in the time METERED: the whole of their forces that their sources
 * do not get, and what acts on them from outside.
 */
export function noteGhostForces(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const time = f32x4.splat(load<f32>(context + METERED));
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const set = heldBy(context, h);
    const mask = load<u32>(set + CONSTRAINT_MASK);
    if (mask == 0) continue;
    const body = bodyAt(context, h);
    const others = f32x4.add(v128.load(body + BODY_GRAVITY), v128.load(set + CONSTRAINT_ACCELERATION));
    const elastic = f32x4.sub(v128.load(accelerations + (h << 4)), others);
    const acting = addMul(others, f32x4.splat(<f32>1 - load<f32>(ghosts + (k << 4), 8)), elastic);
    noteHeld(holds, h, mask, body, f32x4.mul(time, acting), <f32>1 / load<f32>(sums + (h << 4), 12));
  }
}

/** Notes that along the held axes something is kept from what acts on it. */
export function noteHeld(holds: usize, h: usize, mask: u32, body: usize, acting: v128, mass: f32): void {
  const held = f32x4.sub(along(mask, body, acting, f32x4.splat(0)), acting);
  const world = matrixTimes(
    v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), held,
  );
  noteImpulse(holds + (h << 4), mass, world, f32x4.splat(0));
}

/** The same of an implicit step or of equilibrium, where PRODUCT holds their elastic forces along the held axes. */
export function noteImplicitGhosts(begin: u32, end: u32, context: usize): void {
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactForces = <usize>load<u32>(context + CONTACT_FORCE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const external = <usize>load<u32>(context + EXTERNAL_FORCE);
  const time = f32x4.splat(load<f32>(context + METERED));
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const set = heldBy(context, h);
    const mask = load<u32>(set + CONSTRAINT_MASK);
    if (mask == 0) continue;
    const body = bodyAt(context, h);
    const mass = <f32>1 / load<f32>(sums + (h << 4), 12);
    const others = f32x4.add(v128.load(body + BODY_GRAVITY), v128.load(set + CONSTRAINT_ACCELERATION));
    let acting = f32x4.mul(f32x4.splat(mass), others);
    const surface = <usize>load<u32>(surfaceOf + (h << 2));
    if (contact && surface != 0) acting = f32x4.add(acting, v128.load(contactForces + ((surface - 1) << 4)));
    if (external != 0) acting = f32x4.add(acting, inBodyAxes(body, v128.load(external + (h << 4))));
    acting = addMul(acting, f32x4.splat(<f32>1 - load<f32>(ghosts + (k << 4), 8)), v128.load(products + (h << 4)));
    noteHeld(holds, h, mask, body, f32x4.mul(time, acting), 1);
  }
}

/** The direction of an implicit solve, at the dependents. */
export function moveGhostDirections(begin: u32, end: u32, context: usize): void {
  const directions = <usize>load<u32>(context + DIRECTION);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const m = <usize>load<u32>(ghosts + (k << 4), 4);
    const ratio = v128.load_splat<f32>(ghosts + (k << 4), 8);
    const mask = load<u32>(heldBy(context, h) + CONSTRAINT_MASK);
    if (mask == 0) continue;
    const p = f32x4.mul(ratio, v128.load(directions + (m << 4)));
    v128.store(directions + (h << 4), along(mask, bodyAt(context, h), v128.load(directions + (h << 4)), p));
  }
}

/** The velocities that dashpots resist, at the dependents. */
export function moveGhostFlow(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const flows = <usize>load<u32>(context + FLOW);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const m = <usize>load<u32>(ghosts + (k << 4), 4);
    const set = heldBy(context, h);
    const mask = load<u32>(set + CONSTRAINT_MASK);
    if (mask == 0) continue;
    const speed = f32x4.sub(v128.load(flows + (m << 4)), affine(set + CONSTRAINT_RATE, v128.load(rest + (m << 4))));
    const v = addMul(affine(set + CONSTRAINT_RATE, v128.load(rest + (h << 4))), v128.load_splat<f32>(ghosts + (k << 4), 8), speed);
    const own = v128.load(flows + (h << 4));
    v128.store(flows + (h << 4), f32x4.replace_lane(along(mask, bodyAt(context, h), own, v), 3, w(own)));
  }
}

/** Residuals or products of the dependents, the array behind REFLECTED, added to their masters'. */
export function reflectToSources(begin: u32, end: u32, context: usize): void {
  const vectors = <usize>load<u32>(context + REFLECTED);
  const ghostSources = <usize>load<u32>(context + GHOST_SOURCES);
  const list = <usize>load<u32>(context + GHOST_SOURCE_LIST);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const m = <usize>load<u32>(ghostSources + (k << 4));
    const last = list + (<usize>load<u32>(ghostSources + (k << 4), 8) << 3);
    let sum = v128.load(vectors + (m << 4));
    for (let at = list + (<usize>load<u32>(ghostSources + (k << 4), 4) << 3); at < last; at += 8) {
      const h = <usize>load<u32>(at);
      const mask = load<u32>(heldBy(context, h) + CONSTRAINT_MASK);
      const own = v128.load(vectors + (h << 4));
      const held = f32x4.sub(own, along(mask, bodyAt(context, h), own, f32x4.splat(0)));
      sum = addMul(sum, v128.load_splat<f32>(at, 4), held);
    }
    // The master may be held along some axes itself.
    const own = load<u32>(heldBy(context, m) + CONSTRAINT_MASK);
    sum = f32x4.replace_lane(sum, 3, 0);
    v128.store(vectors + (m << 4), own == 0 ? sum : along(own, bodyAt(context, m), sum, f32x4.splat(0)));
  }
}

/** What has been added to the masters is taken from the dependents. */
export function clearGhosts(begin: u32, end: u32, context: usize): void {
  const vectors = <usize>load<u32>(context + REFLECTED);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const mask = load<u32>(heldBy(context, h) + CONSTRAINT_MASK);
    v128.store(vectors + (h << 4), along(mask, bodyAt(context, h), v128.load(vectors + (h << 4)), f32x4.splat(0)));
  }
}

/** Per block r . r / m, once more after residuals have been reflected. */
export function sumResiduals(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const blocks = <usize>load<u32>(context + BLOCK_SUMS);
  let size: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const r = v128.load(residuals + (i << 4));
    const square = dot(r, r);
    if (square > 0) size += <f64>(square * w(v128.load(sums + (i << 4))));
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(blocks + (i / BLOCK) * SUMS * 8, size);
      size = 0;
    }
  }
}
