import {
  ACCELERATION,
  ALPHA,
  BETA,
  BLOCK,
  BLOCK_SUMS,
  BODIES,
  BODY_DASHPOTS,
  BODY_FIT,
  BODY_FRAME,
  BODY_GRAVITY,
  BODY_OF,
  BODY_STRIDE,
  CHANGE,
  CONSTRAINT_GHOST,
  CONSTRAINT_LATE,
  CONSTRAINT_LATE_RATE,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_RATE,
  CONSTRAINT_STRIDE,
  CONSTRAINTS,
  DASHPOTS,
  DIRECTION,
  DISPLACEMENT,
  ELAPSED,
  ELASTIC,
  FIT_NONE,
  FLOW,
  FLOW_CHANGE,
  FLOW_CONTACT,
  FLOW_FRICTION,
  FLOW_LAG,
  FLOW_TIME,
  GHOSTS,
  GRADIENT_SUM,
  GUESSED,
  HOLD_IMPULSE,
  KICK,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  PAIRS,
  PRODUCT,
  RESIDUAL,
  REST,
  STEP_VELOCITY,
  SUMS,
  VELOCITY,
  VISCOSITIES,
} from '../../src/particles/layout';
import { addMul, dot, matrixTimes, w } from '../math/simd';
import { bodyAt, heldBy, noteHeld } from './ghosts';
import { isGhost, reachedVelocity } from './implicit';
import { affine, noteImpulse, prescribe } from './integrate';
import { beside } from './viscous-contact';

/**
 * Viscosity of solids: a dashpot along the line between each particle and its neighbours, of strength k_ij = (s_i + s_j)
 * |g_ij|. They act on all change of shape, whatever of it is elastic; forces along lines keep momentum and angular momentum,
 * and rotation feels nothing. With sum_j k_ij r_ij^2 = 30 eta V_i a shear of any direction dissipates what a liquid of
 * viscosity eta does. Departs from [J14] eq. 8, which brakes rotation. |g_ij| = w_ij r_ij instead of w_ij: neighbours that
 * are farther count for more, and on a cubic lattice shear along its planes meets 0.95 of eta instead of 0.84.
 *
 * Backward Euler: m v' + dt sum_j k_ij n (n . (v'_i - v'_j)) = m v for the change of velocity, by conjugate gradients whose
 * preconditioner is the mass, so that every iterate keeps momentum and angular momentum. Held axes have no change.
 */

/** Has particle i dashpots? Free slots have no neighbours. */
// @ts-ignore: decorator
@inline
function acts(bodies: usize, bodyOf: usize, begins: usize, i: usize): bool {
  const isViscous = load<u32>(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_DASHPOTS) != 0;
  return isViscous && load<u32>(begins + (i << 2)) != load<u32>(begins + (i << 2), 4);
}

/** Sum of the dashpots of the particle that was last looked at [kg/s]. */
let strength: f32 = 0;

/** sum_j k_ij n (n . (v_j - v_i)) of a field of vectors, and `strength`. */
// @ts-ignore: decorator
@inline
function pullOf(i: usize, field: usize, dashpots: usize, begins: usize, neighbors: usize, pairs: usize): v128 {
  const at = v128.load(dashpots + (i << 4));
  const own = v128.load(field + (i << 4));
  let sum = f32x4.splat(0);
  let total: f32 = 0;
  const last = <usize>load<u32>(begins + (i << 2), 4);
  for (let n = <usize>load<u32>(begins + (i << 2)); n < last; n++) {
    const j = <usize>load<u32>(neighbors + (n << 2));
    const there = v128.load(dashpots + (j << 4));
    const offset = f32x4.sub(there, at);
    const length2 = dot(offset, offset);
    if (length2 == 0) continue;
    const g = v128.load(pairs + (n << 4));
    const k = (w(at) + w(there)) * sqrt(dot(g, g));
    const along = dot(f32x4.sub(v128.load(field + (j << 4)), own), offset) / length2;
    sum = addMul(sum, f32x4.splat(k * along), offset);
    total += k;
  }
  strength = total;
  return f32x4.replace_lane(sum, 3, 0);
}

/** The part of a vector along the axes that particle i is free to move along. */
// @ts-ignore: decorator
@inline
function freePart(a: v128, i: usize, constraintOf: usize, contacts: usize, context: usize): v128 {
  const free = load<u32>(constraintOf + (i << 2)) == 0 ? a : release(a, i, context);
  return contacts == 0 ? free : beside(free, v128.load(contacts + (i << 4)));
}

function release(a: v128, i: usize, context: usize): v128 {
  const mask = load<u32>(heldBy(context, i) + CONSTRAINT_MASK);
  return mask == 0 ? a : along(mask, bodyAt(context, i), a, f32x4.splat(0));
}

/** A vector with what is prescribed along the axes of a mask. */
// @ts-ignore: decorator
@inline
function along(mask: u32, body: usize, a: v128, target: v128): v128 {
  return prescribe(
    mask, v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), a, target,
  );
}

/** A velocity of particle i with what constraints prescribe; ghosts go by their sources. */
// @ts-ignore: decorator
@inline
function heldVelocity(v: v128, i: usize, constraintOf: usize, context: usize): v128 {
  if (load<u32>(constraintOf + (i << 2)) == 0) return v;
  return held(v, i, context);
}

function held(v: v128, i: usize, context: usize): v128 {
  const set = heldBy(context, i);
  const mask = load<u32>(set + CONSTRAINT_MASK);
  if (mask == 0 || load<u32>(set + CONSTRAINT_GHOST) != 0) return v;
  const body = bodyAt(context, i);
  const m = v128.load(<usize>load<u32>(context + REST) + (i << 4));
  const late = load<u32>(set + CONSTRAINT_LATE);
  const result = along(mask & ~late, body, v, affine(set + CONSTRAINT_RATE, m));
  if (late == 0) return result;
  const p = f32x4.add(m, v128.load(<usize>load<u32>(context + DISPLACEMENT) + (i << 4)));
  return along(late, body, result, affine(set + CONSTRAINT_LATE_RATE, p));
}

/** The first half of a kick, of all solids: dashpots act between it and the drift. */
export function kickSolids(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const kick = v128.load_splat<f32>(context + KICK);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_FIT) >= <u32>FIT_NONE) continue;
    const velocity = velocities + (i << 4);
    v128.store(velocity, addMul(v128.load(velocity), kick, v128.load(accelerations + (i << 4))));
  }
}

/** The velocities that dashpots resist: those that there are. */
export function takeFlow(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const flows = <usize>load<u32>(context + FLOW);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const v = heldVelocity(v128.load(velocities + (i << 4)), i, constraintOf, context);
    v128.store(flows + (i << 4), f32x4.replace_lane(v, 3, load<f32>(flows + (i << 4), 12)));
  }
}

/** Those that an implicit step has reached. */
export function reachFlow(begin: u32, end: u32, context: usize): void {
  const starts = <usize>load<u32>(context + STEP_VELOCITY);
  const changes = <usize>load<u32>(context + CHANGE);
  const flows = <usize>load<u32>(context + FLOW);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const elapsed = load<f32>(context + ELAPSED);
  const guessed = load<f32>(context + GUESSED);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const gravity = v128.load(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_GRAVITY);
    const reached = reachedVelocity(v128.load(starts + (i << 4)), gravity, v128.load(changes + (i << 4)), elapsed, guessed);
    const v = heldVelocity(reached, i, constraintOf, context);
    v128.store(flows + (i << 4), f32x4.replace_lane(v, 3, load<f32>(flows + (i << 4), 12)));
  }
}

/**
 * Where particles were FLOW_LAG ago. In an implicit step that is its middle: the way of a rotation has no part along lines
 * between positions halfway.
 */
export function placeDashpots(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const flows = <usize>load<u32>(context + FLOW);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const lag = f32x4.splat(-load<f32>(context + FLOW_LAG));
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const p = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
    v128.store(dashpots + (i << 4), addMul(p, lag, v128.load(flows + (i << 4))));
  }
}

/** s_i = 15 eta_i V_i / sum_j |g_ij| r_ij^2, by the share of the volume that has stress. */
export function weighDashpots(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const viscosities = <usize>load<u32>(context + VISCOSITIES);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const at = v128.load(dashpots + (i << 4));
    let sum: f32 = 0;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let n = <usize>load<u32>(begins + (i << 2)); n < last; n++) {
      const offset = f32x4.sub(v128.load(dashpots + (<usize>load<u32>(neighbors + (n << 2)) << 4)), at);
      const g = v128.load(pairs + (n << 4));
      sum += sqrt(dot(g, g)) * dot(offset, offset);
    }
    const whole = load<f32>(viscosities + (i << 2)) * load<f32>(elastic + (i << 4), 12);
    store<f32>(dashpots + (i << 4), sum > 0 ? whole / sum : 0, 12);
  }
}

/** Sums of the dashpots of each particle; per block the largest over the mass (1) [1/s]. */
export function measureDashpots(begin: u32, end: u32, context: usize): void {
  findImpulses(begin, end, context, false);
}

/**
 * The right side, dt sum_j k_ij n (n . (v_j - v_i)) and what obstacles have taken from the momentum, and the same; no change
 * yet.
 */
export function beginFlow(begin: u32, end: u32, context: usize): void {
  findImpulses(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function findImpulses(begin: u32, end: u32, context: usize, solves: bool): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const flows = <usize>load<u32>(context + FLOW);
  const changes = <usize>load<u32>(context + FLOW_CHANGE);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const contacts = <usize>load<u32>(context + FLOW_CONTACT);
  const frictions = <usize>load<u32>(context + FLOW_FRICTION);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const time = f32x4.splat(load<f32>(context + FLOW_TIME));
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let fastest: f32 = 0;
    for (; i < blockEnd; i++) {
      if (!acts(bodies, bodyOf, begins, i)) {
        store<f32>(flows + (i << 4), 0, 12);
        continue;
      }
      const pull = pullOf(i, flows, dashpots, begins, neighbors, pairs);
      store<f32>(flows + (i << 4), strength, 12);
      if (solves) {
        const impulse = f32x4.mul(time, pull);
        const contact = contacts == 0 ? f32x4.splat(0) : v128.load(contacts + (i << 4));
        if (w(contact) == 0) v128.store(residuals + (i << 4), impulse);
        else {
          const taken = f32x4.sub(v128.load(velocities + (i << 4)), v128.load(flows + (i << 4)));
          const mass = f32x4.splat(<f32>1 / load<f32>(sums + (i << 4), 12));
          v128.store(residuals + (i << 4), f32x4.replace_lane(addMul(f32x4.add(impulse, v128.load(frictions + (i << 4))), mass, taken), 3, 0));
        }
        v128.store(changes + (i << 4), f32x4.splat(0));
      }
      const rate = strength * load<f32>(sums + (i << 4), 12);
      if (!(rate <= fastest)) fastest = rate;
    }
    store<f64>(<usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8, <f64>fastest, 8);
  }
}

/** m p + dt C p for the direction p; per block p . A p (0). Ghosts have no mass of their own. */
export function multiplyFlow(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const back = f32x4.splat(-load<f32>(context + FLOW_TIME));
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let curvature: f64 = 0;
    for (; i < blockEnd; i++) {
      if (!acts(bodies, bodyOf, begins, i)) continue;
      const p = v128.load(directions + (i << 4));
      let inert = f32x4.mul(f32x4.splat(<f32>1 / load<f32>(sums + (i << 4), 12)), p);
      if (isGhost(constraints, <usize>load<u32>(constraintOf + (i << 2)))) inert = release(inert, i, context);
      const pull = pullOf(i, directions, dashpots, begins, neighbors, pairs);
      const product = f32x4.replace_lane(addMul(inert, back, pull), 3, 0);
      v128.store(products + (i << 4), product);
      curvature += <f64>dot(p, product);
    }
    store<f64>(<usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8, curvature);
  }
}

/** x += alpha p, r -= alpha A p; per block r . r / m along the free axes (0). */
export function advanceFlow(begin: u32, end: u32, context: usize): void {
  const changes = <usize>load<u32>(context + FLOW_CHANGE);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const contacts = <usize>load<u32>(context + FLOW_CONTACT);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let size: f64 = 0;
    for (; i < blockEnd; i++) {
      if (!acts(bodies, bodyOf, begins, i)) continue;
      const at = i << 4;
      v128.store(changes + at, addMul(v128.load(changes + at), alpha, v128.load(directions + at)));
      const r = f32x4.sub(v128.load(residuals + at), f32x4.mul(alpha, v128.load(products + at)));
      v128.store(residuals + at, r);
      const free = freePart(r, i, constraintOf, contacts, context);
      size += <f64>(dot(free, free) * load<f32>(sums + at, 12));
    }
    store<f64>(<usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8, size);
  }
}

/** p = r / m + beta p along the free axes; per block r . r / m (0). The first direction, with a beta of 0, has none before. */
export function turnFlow(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const contacts = <usize>load<u32>(context + FLOW_CONTACT);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const factor = load<f32>(context + BETA);
  const beta = f32x4.splat(factor);
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let size: f64 = 0;
    for (; i < blockEnd; i++) {
      if (!acts(bodies, bodyOf, begins, i)) continue;
      const at = i << 4;
      const free = freePart(v128.load(residuals + at), i, constraintOf, contacts, context);
      const inverse = load<f32>(sums + at, 12);
      const last = factor == 0 ? f32x4.splat(0) : v128.load(directions + at);
      v128.store(directions + at, addMul(f32x4.mul(f32x4.splat(inverse), free), beta, last));
      size += <f64>(dot(free, free) * inverse);
    }
    store<f64>(<usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8, size);
  }
}

/**
 * v += x + alpha r / m: the solution, or with alpha = 1 the impulses on the velocities as they were. What is left along held
 * axes is what holds them against the dashpots.
 */
export function applyFlow(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const flows = <usize>load<u32>(context + FLOW);
  const changes = <usize>load<u32>(context + FLOW_CHANGE);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const contacts = <usize>load<u32>(context + FLOW_CONTACT);
  const frictions = <usize>load<u32>(context + FLOW_FRICTION);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const at = i << 4;
    const r = v128.load(residuals + at);
    const inverse = f32x4.splat(load<f32>(sums + at, 12));
    const v = v128.load(velocities + at);
    const contact = contacts == 0 ? f32x4.splat(0) : v128.load(contacts + at);
    let change = addMul(v128.load(changes + at), f32x4.mul(alpha, inverse), r);
    if (w(contact) != 0) {
      // As if the obstacle were not there: it comes next.
      change = f32x4.add(v128.load(changes + at), f32x4.sub(v128.load(flows + at), v));
      const given = f32x4.sub(r, f32x4.mul(f32x4.sub(f32x4.splat(1), alpha), beside(r, contact)));
      change = addMul(change, inverse, f32x4.sub(given, v128.load(frictions + at)));
    }
    change = load<u32>(constraintOf + (i << 2)) == 0 ? change : release(change, i, context);
    v128.store(velocities + at, f32x4.add(v, f32x4.replace_lane(change, 3, 0)));
    const set = <usize>load<u32>(constraintOf + (i << 2));
    if (holds == 0 || set == 0 || isGhost(constraints, set)) continue;
    const body = bodyAt(context, i);
    const reaction = matrixTimes(
      v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), f32x4.sub(release(r, i, context), r),
    );
    noteImpulse(holds + at, 1, reaction, f32x4.splat(0));
  }
}

/** What the face of a clamp does to the body against the dashpots of its ghosts: their sources get the rest. */
export function noteGhostFlow(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const flows = <usize>load<u32>(context + FLOW);
  const changes = <usize>load<u32>(context + FLOW_CHANGE);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const time = load<f32>(context + FLOW_TIME);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const mask = load<u32>(heldBy(context, h) + CONSTRAINT_MASK);
    const body = bodyAt(context, h);
    if (mask == 0 || load<u32>(body + BODY_DASHPOTS) == 0) continue;
    const pull = f32x4.add(
      pullOf(h, flows, dashpots, begins, neighbors, pairs), pullOf(h, changes, dashpots, begins, neighbors, pairs),
    );
    const share = time * (<f32>1 - load<f32>(ghosts + (k << 4), 8));
    noteHeld(holds, h, mask, body, f32x4.mul(f32x4.splat(share), pull), 1);
  }
}

/** Adds the forces of dashpots to what the stress pass has left for the particles. */
export function addDashpotForces(begin: u32, end: u32, context: usize): void {
  addPulls(begin, end, context, ACCELERATION, FLOW, 1);
}

/** Adds their changes along the direction of an implicit solution. */
export function addDashpotChanges(begin: u32, end: u32, context: usize): void {
  addPulls(begin, end, context, PRODUCT, DIRECTION, <f32>1 / load<f32>(context + FLOW_TIME));
}

// @ts-ignore: decorator
@inline
function addPulls(begin: u32, end: u32, context: usize, to: usize, from: usize, factor: f32): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const dashpots = <usize>load<u32>(context + DASHPOTS);
  const targets = <usize>load<u32>(context + to);
  const field = <usize>load<u32>(context + from);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (!acts(bodies, bodyOf, begins, i)) continue;
    const pull = pullOf(i, field, dashpots, begins, neighbors, pairs);
    v128.store(targets + (i << 4), addMul(v128.load(targets + (i << 4)), f32x4.splat(factor), pull));
  }
}
