import {
  ABSENT,
  ACCELERATION,
  ALPHA,
  BETA,
  BLOCK,
  BLOCK_SPEED,
  BLOCK_SUMS,
  BODIES,
  BODY_BOND_MODULUS,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_GRAVITY,
  BODY_OF,
  BODY_QUADRATIC_SHIFT,
  BODY_STRIDE,
  CELL_MOMENT,
  CHANGE,
  CHANGE_REST,
  COARSE_ACTIVE,
  COARSE_VECTOR,
  COARSE_WEIGHTS,
  CONSTRAINTS,
  CONSTRAINT_ACCELERATION,
  CONSTRAINT_GHOST,
  CONSTRAINT_LATE,
  CONSTRAINT_LATE_RATE,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_RATE,
  CONSTRAINT_STRIDE,
  CONTACT_RADIUS,
  CONSTRAINT_TARGET,
  CONTACT_ACTIVE,
  CONTACT_CHANGE,
  CONTACT_FORCE,
  CONTACT_ROUND,
  CORRECTION,
  DIAGONAL_INVERSE,
  DIRECTION,
  DISPLACEMENT,
  DOUBLED,
  DRIFT,
  ELAPSED,
  ELASTIC,
  EXACT,
  EXACT_FORCE,
  EXTERNAL_FORCE,
  FIT_LINEAR,
  FIT_NONE,
  FIT_QUADRATIC,
  FLOW,
  FLOW_TIME,
  FLUX,
  FREE,
  GRADIENT_SUM,
  GUESS,
  GUESSED,
  INERTIA,
  LATE_TARGET,
  INVERSE_WEIGHTS,
  MIXED,
  MOMENT_INVERSE,
  NEIGHBORS,
  PAIRS,
  NEIGHBOR_BEGIN,
  OBSTACLES,
  OBSTACLE_CONTACT,
  OBSTACLE_COUNT,
  OBSTACLE_FRICTION,
  OBSTACLE_FRICTION_FORCE,
  OBSTACLE_STRIDE,
  PRECONDITIONED,
  PRODUCT,
  QUADRATIC_FLUX,
  QUADRATIC_INVERSE,
  RESIDUAL,
  REST,
  SLIDING,
  START,
  START_VELOCITY,
  STEP_VELOCITY,
  STICKING,
  STIFFNESS_DIAGONAL,
  SUMS,
  SURFACE_OF,
  VELOCITY,
} from '../../src/particles/layout';
import { obstacleDistance, wallVelocity } from '../contact/obstacles';
import {
  addMul, dot, matrixTimes, rowTimes, vector, w, x, y, z,
} from '../math/simd';
import * as fit from './fit';
import { elasticForce, inBodyAxes } from './forces';
import { affine, penetrationOf, prescribe } from './integrate';

/**
 * Implicit steps, [M04] appendix B: Newton's method on
 *
 *   M (u - u~) / h^2 = f(u)
 *
 * with conjugate gradients on A = M / h^2 + K, K the exact tangent of the elastic and volume forces. A is
 * never formed: its product with a direction is a stress pass and a force pass on changes. Prescribed
 * motion and contact with obstacles take directions away from particles; every vector is projected.
 */

/** Rounds of an iteration in which obstacles let particles go, slide and stop; then they only catch, so that it ends. */
const DROP_ROUNDS: u32 = 8;
/** Rounds in which particles that stop sliding stick again; later they slide only when pushed this much more than friction holds. */
const STICK_ROUNDS: u32 = 5;
const STICKY: f32 = 1.2;
/** Friction starts as steeply as this many times a particle's own stiffness, a third of the trace of its block. */
const STEEP: f32 = 10 / 3.0;
/** Nearer than this, in radii, is touching. */
const TOUCH: f32 = 1e-3;
/** Mean rounding of a displacement in float32, times what a diagonal block makes of it. */
const EPSILON: f32 = 3e-8;

/** A mass-scaled norm and a product per block, for the caller to add up. */
// @ts-ignore: decorator
@inline
function sumsOf(context: usize, block: usize): usize {
  return <usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8;
}

/** What remains of a vector at a particle that constraints or an obstacle hold. */
// @ts-ignore: decorator
@inline
function project(
  v: v128, i: usize, constraintOf: usize, constraints: usize, contacts: usize, r0: v128, r1: v128, r2: v128,
): v128 {
  let result = v;
  const constraint = <usize>load<u32>(constraintOf + (i << 2));
  if (constraint != 0) {
    const mask = load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK);
    if (mask != 0) result = prescribe(mask, r0, r1, r2, result, f32x4.splat(0));
  }
  if (contacts != 0) {
    const normal = v128.load(contacts + (i << 4));
    const mode = w(normal);
    if (mode == <f32>STICKING) result = f32x4.splat(0);
    else if (mode == <f32>SLIDING) {
      result = f32x4.replace_lane(f32x4.sub(result, f32x4.mul(f32x4.splat(dot(result, normal)), normal)), 3, 0);
    }
  }
  return result;
}

/** Does a particle of this constraint set mirror a free one? What it feels goes to that one. */
// @ts-ignore: decorator
@inline
export function isGhost(constraints: usize, constraint: usize): bool {
  const set = constraints + constraint * CONSTRAINT_STRIDE;
  return constraint != 0 && load<u32>(set + CONSTRAINT_GHOST) != 0 && load<u32>(set + CONSTRAINT_MASK) != 0;
}

/**
 * The first guess of a step: where inertia and gravity take particles in the time DRIFT. The bodies' frames
 * then follow the guess, so that displacements stay as small as the deformation, whatever the step.
 */
export function predictMotion(begin: u32, end: u32, context: usize): void {
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const starts = <usize>load<u32>(context + START);
  const startVelocities = <usize>load<u32>(context + START_VELOCITY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const h = f32x4.splat(load<f32>(context + DRIFT));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const u = v128.load(displacements + (i << 4));
    const v = v128.load(velocities + (i << 4));
    v128.store(starts + (i << 4), u);
    v128.store(startVelocities + (i << 4), v);
    // Rigid bodies go by their frames.
    if (load<u32>(body + BODY_FIT) == FIT_NONE) continue;
    const displacement = f32x4.mul(h, addMul(v, h, v128.load(body + BODY_GRAVITY)));
    v128.store(displacements + (i << 4), f32x4.replace_lane(f32x4.add(u, displacement), 3, 0));
  }
}

/**
 * Start of the iteration, at the guess; prescribed particles go to their positions. DIRECTION is what the
 * acceleration of the last step would change.
 */
export function beginImplicitStep(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const guesses = <usize>load<u32>(context + GUESS);
  const stepVelocities = <usize>load<u32>(context + STEP_VELOCITY);
  const changes = <usize>load<u32>(context + CHANGE);
  const directions = <usize>load<u32>(context + DIRECTION);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const lateTargets = <usize>load<u32>(context + LATE_TARGET);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const h = load<f32>(context + DRIFT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let guess = v128.load(displacements + (i << 4));
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0) {
      const set = constraints + constraint * CONSTRAINT_STRIDE;
      const mask = load<u32>(set + CONSTRAINT_MASK);
      if (mask != 0) {
        const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
        const r0 = v128.load(body + BODY_FRAME);
        const r1 = v128.load(body + BODY_FRAME, 16);
        const r2 = v128.load(body + BODY_FRAME, 32);
        const m = v128.load(rest + (i << 4));
        const late = load<u32>(set + CONSTRAINT_LATE);
        guess = prescribe(mask & ~late, r0, r1, r2, guess, affine(set + CONSTRAINT_TARGET, m));
        if (late != 0) guess = prescribe(late, r0, r1, r2, guess, v128.load(lateTargets + (i << 4)));
        v128.store(displacements + (i << 4), guess);
      }
    }
    v128.store(guesses + (i << 4), guess);
    v128.store(changes + (i << 4), f32x4.splat(0));
    v128.store(directions + (i << 4), f32x4.mul(f32x4.splat(h * h), v128.load(accelerations + (i << 4))));
    v128.store(stepVelocities + (i << 4), v128.load(velocities + (i << 4)));
    if (contacts != 0) {
      v128.store(contacts + (i << 4), f32x4.splat(0));
      v128.store(frictions + (i << 4), f32x4.splat(0));
    }
  }
}

/** Velocity after the step so far: v + h g + change / h. */
// @ts-ignore: decorator
@inline
export function reachedVelocity(velocity: v128, gravity: v128, change: v128, h: f32, guessed: f32): v128 {
  if (h <= 0) return f32x4.splat(0);
  return addMul(addMul(velocity, f32x4.splat(guessed * h), gravity), f32x4.splat(<f32>1 / h), change);
}

/** Velocities since the start of the step, for contact between bodies. */
export function computeStepVelocities(begin: u32, end: u32, context: usize): void {
  const changes = <usize>load<u32>(context + CHANGE);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const stepVelocities = <usize>load<u32>(context + STEP_VELOCITY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const elapsed = load<f32>(context + ELAPSED);
  const guessed = load<f32>(context + GUESSED);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const gravity = v128.load(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_GRAVITY);
    const v = reachedVelocity(v128.load(stepVelocities + (i << 4)), gravity, v128.load(changes + (i << 4)), elapsed, guessed);
    v128.store(velocities + (i << 4), v);
  }
}

/**
 * The unbalanced force r = f + m g - m (u - u~) / h^2, where u - u~ is h^2 g and the change since the guess;
 * left whole in PRODUCT and projected in RESIDUAL. Per block: r . r / m (0), the same of the forces that act, for scale (1), r . correction (2), and r . r / m
 * of what the rounding of displacements makes of it (4) and would make of it if all was in float32 (5).
 */
export function computeResiduals(begin: u32, end: u32, context: usize): void {
  computeResidual(begin, end, context, false);
}

export function computeQuadraticResiduals(begin: u32, end: u32, context: usize): void {
  computeResidual(begin, end, context, true);
}

/** A slot that no particle has is at rest. */
// @ts-ignore: decorator
@inline
function clearAbsent(bodyOf: usize, i: usize, vectors: usize): void {
  if (load<u32>(bodyOf + (i << 2)) == <u32>ABSENT) v128.store(vectors + (i << 4), f32x4.splat(0));
}

// @ts-ignore: decorator
@inline
function computeResidual(begin: u32, end: u32, context: usize, quadratic: bool): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const flux = <usize>load<u32>(context + (quadratic ? QUADRATIC_FLUX : FLUX));
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bondForces = <usize>load<u32>(context + ACCELERATION);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const diagonals = <usize>load<u32>(context + STIFFNESS_DIAGONAL);
  const changes = <usize>load<u32>(context + CHANGE);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const whole = <usize>load<u32>(context + PRODUCT);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactForces = <usize>load<u32>(context + CONTACT_FORCE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const inertia = load<f32>(context + INERTIA);
  const guessed = load<f32>(context + GUESSED);
  const external = <usize>load<u32>(context + EXTERNAL_FORCE);
  const exact = load<u32>(context + EXACT) != 0;
  const exactForces = <usize>load<u32>(context + EXACT_FORCE);
  const flows: usize = load<f32>(context + FLOW_TIME) > 0 ? <usize>load<u32>(context + FLOW) : 0;
  const mixed = quadratic && load<u32>(context + MIXED) != 0;
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let unbalanced: f64 = 0;
    let acting: f64 = 0;
    let along: f64 = 0;
    let rounding: f64 = 0;
    let single: f64 = 0;
    for (; i < blockEnd; i++) {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      if (load<u32>(body + BODY_FIT) != <u32>(quadratic ? FIT_QUADRATIC : FIT_LINEAR)) {
        clearAbsent(bodyOf, i, residuals);
        continue;
      }
      const shift = quadratic ? <usize>load<u32>(body + BODY_QUADRATIC_SHIFT) * 144 : 0;
      const sum = v128.load(sums + (i << 4));
      const mass: f32 = <f32>1 / w(sum);
      const elastic = exact
        ? v128.load(exactForces + (i << 4))
        : f32x4.add(
            v128.load(bondForces + (i << 4)),
            elasticForce(quadratic, flux - shift, i, sum, begins, neighbors, pairs, inverseWeights),
          );
      // Contact goes by positions in float32.
      let rounded = !exact;
      let applied = f32x4.mul(f32x4.splat(mass), v128.load(body + BODY_GRAVITY));
      if (contact) {
        const surface = <usize>load<u32>(surfaceOf + (i << 2));
        if (surface != 0) {
          const push = v128.load(contactForces + ((surface - 1) << 4));
          if (dot(push, push) > 0) rounded = true;
          applied = f32x4.add(applied, push);
        }
      }
      if (external != 0) applied = f32x4.add(applied, inBodyAxes(body, v128.load(external + (i << 4))));
      if (contacts != 0) applied = f32x4.add(applied, friction(contacts, frictions, i, v128.load(changes + (i << 4))));
      const constraint = <usize>load<u32>(constraintOf + (i << 2));
      if (constraint != 0) {
        applied = addMul(
          applied, f32x4.splat(mass), v128.load(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_ACCELERATION),
        );
      }
      let inert = f32x4.mul(f32x4.splat(mass * inertia), v128.load(changes + (i << 4)));
      inert = addMul(inert, f32x4.splat(guessed * mass), v128.load(body + BODY_GRAVITY));
      const r0 = v128.load(body + BODY_FRAME);
      const r1 = v128.load(body + BODY_FRAME, 16);
      const r2 = v128.load(body + BODY_FRAME, 32);
      const ghost = isGhost(constraints, constraint);
      if (ghost) {
        // It passes on elastic forces only; weight and inertia act on what holds it.
        const mask = load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK);
        inert = prescribe(mask, r0, r1, r2, inert, f32x4.splat(0));
        applied = prescribe(mask, r0, r1, r2, applied, f32x4.splat(0));
      }
      let r = f32x4.replace_lane(f32x4.sub(f32x4.add(elastic, applied), inert), 3, 0);
      v128.store(whole + (i << 4), r);
      if (!ghost) r = project(r, i, constraintOf, constraints, contacts, r0, r1, r2);
      v128.store(residuals + (i << 4), r);
      unbalanced += <f64>(dot(r, r) * w(sum));
      acting += <f64>((dot(elastic, elastic) + dot(applied, applied) + dot(inert, inert)) * w(sum));
      along += <f64>dot(r, v128.load(corrections + (i << 4)));
      const u = v128.load(displacements + (i << 4));
      const stiffness = v128.load(diagonals + (i << 5));
      const noise = EPSILON * (x(stiffness) + y(stiffness) + z(stiffness));
      let lost = <f64>(noise * noise * dot(u, u) * w(sum));
      if (flows != 0) lost += viscousRounding(v128.load(flows + (i << 4)), w(sum));
      single += lost;
      if (rounded) rounding += lost;
    }
    const out = sumsOf(context, block);
    if (mixed) {
      // The linear pass came first.
      store<f64>(out, load<f64>(out) + unbalanced);
      store<f64>(out, load<f64>(out, 8) + acting, 8);
      store<f64>(out, load<f64>(out, 16) + along, 16);
      store<f64>(out, load<f64>(out, 32) + rounding, 32);
      store<f64>(out, load<f64>(out, 40) + single, 40);
    } else {
      store<f64>(out, unbalanced);
      store<f64>(out, acting, 8);
      store<f64>(out, along, 16);
      store<f64>(out, rounding, 32);
      store<f64>(out, single, 40);
    }
  }
}

/** The same of velocities, for the dashpots of a particle. */
function viscousRounding(flow: v128, inverseMass: f32): f64 {
  const noise = EPSILON * w(flow);
  return <f64>(noise * noise * dot(flow, flow) * inverseMass);
}

/** Friction of a sliding particle: what it was when obstacles last looked, less its stiffness times the way since. */
// @ts-ignore: decorator
@inline
export function friction(contacts: usize, frictions: usize, i: usize, change: v128): v128 {
  const normal = v128.load(contacts + (i << 4));
  if (w(normal) != <f32>SLIDING) return f32x4.splat(0);
  const drag = v128.load(frictions + (i << 4));
  const tangential = f32x4.sub(change, f32x4.mul(f32x4.splat(dot(change, normal)), normal));
  return f32x4.sub(drag, f32x4.mul(f32x4.splat(w(drag)), tangential));
}

/** A p = m p / h^2 + K p, projected; per block p . A p. */
export function computeProducts(begin: u32, end: u32, context: usize): void {
  computeProduct(begin, end, context, false);
}

export function computeQuadraticProducts(begin: u32, end: u32, context: usize): void {
  computeProduct(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function computeProduct(begin: u32, end: u32, context: usize, quadratic: bool): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const flux = <usize>load<u32>(context + (quadratic ? QUADRATIC_FLUX : FLUX));
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const products = <usize>load<u32>(context + PRODUCT);
  const directions = <usize>load<u32>(context + DIRECTION);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactChanges = <usize>load<u32>(context + CONTACT_CHANGE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const inertia = load<f32>(context + INERTIA);
  const mixed = quadratic && load<u32>(context + MIXED) != 0;
  let i = <usize>begin;
  while (i < <usize>end) {
    const block = i / BLOCK;
    const blockEnd = min((block + 1) * BLOCK, <usize>end);
    let curvature: f64 = 0;
    for (; i < blockEnd; i++) {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      if (load<u32>(body + BODY_FIT) != <u32>(quadratic ? FIT_QUADRATIC : FIT_LINEAR)) {
        clearAbsent(bodyOf, i, products);
        continue;
      }
      const shift = quadratic ? <usize>load<u32>(body + BODY_QUADRATIC_SHIFT) * 144 : 0;
      const sum = v128.load(sums + (i << 4));
      let force = f32x4.add(
        v128.load(products + (i << 4)), elasticForce(quadratic, flux - shift, i, sum, begins, neighbors, pairs, inverseWeights),
      );
      if (contact) {
        const surface = <usize>load<u32>(surfaceOf + (i << 2));
        if (surface != 0) force = f32x4.add(force, v128.load(contactChanges + ((surface - 1) << 4)));
      }
      const p = v128.load(directions + (i << 4));
      const r0 = v128.load(body + BODY_FRAME);
      const r1 = v128.load(body + BODY_FRAME, 16);
      const r2 = v128.load(body + BODY_FRAME, 32);
      const constraint = <usize>load<u32>(constraintOf + (i << 2));
      let inert = f32x4.mul(f32x4.splat(inertia / w(sum)), p);
      const ghost = isGhost(constraints, constraint);
      if (ghost) {
        const mask = load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK);
        inert = prescribe(mask, r0, r1, r2, inert, f32x4.splat(0));
      }
      if (contacts != 0 && load<f32>(contacts + (i << 4), 12) == <f32>SLIDING) {
        inert = addMul(inert, v128.load_splat<f32>(frictions + (i << 4), 12), p);
      }
      let product = f32x4.replace_lane(f32x4.sub(inert, force), 3, 0);
      if (!ghost) product = project(product, i, constraintOf, constraints, contacts, r0, r1, r2);
      v128.store(products + (i << 4), product);
      curvature += <f64>dot(p, product);
    }
    const out = sumsOf(context, block);
    store<f64>(out, mixed ? load<f64>(out) + curvature : curvature);
  }
}

/** correction += alpha p, r -= alpha A p; per block r . r / m. */
export function advanceCorrections(begin: u32, end: u32, context: usize): void {
  const corrections = <usize>load<u32>(context + CORRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let size: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 4;
    v128.store(corrections + at, addMul(v128.load(corrections + at), alpha, v128.load(directions + at)));
    const r = f32x4.sub(v128.load(residuals + at), f32x4.mul(alpha, v128.load(products + at)));
    v128.store(residuals + at, r);
    const square = dot(r, r);
    if (square > 0) size += <f64>(square * load<f32>(sums + at, 12));
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), size);
      size = 0;
    }
  }
}

/** r -= A p, for a part of the correction that is prescribed. */
export function subtractProducts(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const products = <usize>load<u32>(context + PRODUCT);
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) {
    v128.store(residuals + at, f32x4.sub(v128.load(residuals + at), v128.load(products + at)));
  }
}

/** z = (block diagonal)^-1 r, with the coarse correction where there is one; per block r . z. */
export function precondition(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const preconditioned = <usize>load<u32>(context + PRECONDITIONED);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const coarse = load<u32>(context + COARSE_ACTIVE) != 0;
  const weights = <usize>load<u32>(context + COARSE_WEIGHTS);
  const nodes = <usize>load<u32>(context + COARSE_VECTOR);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  let along: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const r = v128.load(residuals + (i << 4));
    let solution = symmetricTimes(inverses + (i << 5), r);
    if (contacts != 0 && load<f32>(contacts + (i << 4), 12) == <f32>SLIDING) {
      // Friction's stiffness is on the diagonal too.
      const d = v128.load(inverses + (i << 5));
      const grade = load<f32>(frictions + (i << 4), 12);
      solution = f32x4.mul(solution, f32x4.splat(<f32>1 / (<f32>1 + <f32>0.3333333 * grade * (x(d) + y(d) + z(d)))));
    }
    if (coarse) {
      const cell = weights + (i << 6);
      for (let k: usize = 0; k < 8; k++) {
        const node = <usize>load<u32>(cell + (k << 3));
        solution = addMul(solution, v128.load_splat<f32>(cell + (k << 3), 4), v128.load(nodes + (node << 4)));
      }
    }
    solution = project(
      f32x4.replace_lane(solution, 3, 0), i, constraintOf, constraints, contacts,
      v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32),
    );
    v128.store(preconditioned + (i << 4), solution);
    along += <f64>dot(r, solution);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), along);
      along = 0;
    }
  }
}

/** Symmetric matrix (xx, yy, zz, 0; yz, xz, xy, 0) times a vector. */
// @ts-ignore: decorator
@inline
function symmetricTimes(at: usize, v: v128): v128 {
  const d = v128.load(at);
  const o = v128.load(at, 16);
  const swapped = f32x4.add(
    f32x4.mul(v128.shuffle<f32>(o, o, 2, 2, 1, 3), v128.shuffle<f32>(v, v, 1, 0, 0, 3)),
    f32x4.mul(v128.shuffle<f32>(o, o, 1, 0, 0, 3), v128.shuffle<f32>(v, v, 2, 2, 1, 3)),
  );
  return addMul(swapped, d, v);
}

/** p projected; per block r . p. */
export function projectDirections(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  let along: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const p = project(
      f32x4.replace_lane(v128.load(directions + (i << 4)), 3, 0), i, constraintOf, constraints, contacts,
      v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32),
    );
    v128.store(directions + (i << 4), p);
    along += <f64>dot(v128.load(residuals + (i << 4)), p);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), along);
      along = 0;
    }
  }
}

/** p = z + beta p */
export function advanceDirections(begin: u32, end: u32, context: usize): void {
  const directions = <usize>load<u32>(context + DIRECTION);
  const preconditioned = <usize>load<u32>(context + PRECONDITIONED);
  const factor = load<f32>(context + BETA);
  const beta = f32x4.splat(factor);
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) {
    const last = factor == 0 ? f32x4.splat(0) : v128.load(directions + at);
    v128.store(directions + at, addMul(v128.load(preconditioned + at), beta, last));
  }
}

/** change += alpha correction, u = guess + change; per block the largest squared step. Where forces are exact, what float32 rounds off is kept. */
export function applyCorrections(begin: u32, end: u32, context: usize): void {
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const guesses = <usize>load<u32>(context + GUESS);
  const changes = <usize>load<u32>(context + CHANGE);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  const rests = load<u32>(context + EXACT) != 0 ? <usize>load<u32>(context + CHANGE_REST) : 0;
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let farthest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const step = f32x4.mul(alpha, v128.load(corrections + (i << 4)));
    const before = v128.load(changes + (i << 4));
    let change = f32x4.add(before, step);
    if (rests != 0) {
      // What the sum has lost [Knuth], and the sum of both once more.
      const taken = f32x4.sub(change, before);
      const lost = f32x4.add(f32x4.sub(before, f32x4.sub(change, taken)), f32x4.sub(step, taken));
      const rest = f32x4.add(v128.load(rests + (i << 4)), lost);
      const whole = f32x4.add(change, rest);
      v128.store(rests + (i << 4), f32x4.sub(rest, f32x4.sub(whole, change)));
      change = whole;
    }
    v128.store(changes + (i << 4), change);
    v128.store(displacements + (i << 4), f32x4.add(v128.load(guesses + (i << 4)), change));
    const distance2 = dot(step, step);
    if (!(distance2 <= farthest)) farthest = distance2;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(speeds + ((i / BLOCK) << 2), farthest);
      farthest = 0;
    }
  }
}

/**
 * End of a step: velocities from the way gone. For the midpoint rule (DOUBLED) it goes as far again, and
 * velocities gain as much again. DRIFT is the time of the solution since the start.
 */
export function endImplicitStep(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const changes = <usize>load<u32>(context + CHANGE);
  const stepVelocities = <usize>load<u32>(context + STEP_VELOCITY);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const lateTargets = <usize>load<u32>(context + LATE_TARGET);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  const doubled = load<u32>(context + DOUBLED) != 0;
  const h = load<f32>(context + DRIFT);
  let fastest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    let u = v128.load(displacements + (i << 4));
    const start = v128.load(stepVelocities + (i << 4));
    const own = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    // Rigid bodies have their velocities already.
    const rigid = load<u32>(own + BODY_FIT) == FIT_NONE;
    let v = rigid
      ? v128.load(velocities + (i << 4))
      : reachedVelocity(start, v128.load(own + BODY_GRAVITY), v128.load(changes + (i << 4)), h, 1);
    if (doubled && !rigid) {
      u = addMul(u, f32x4.splat(h), v);
      // An obstacle takes the speed towards it: no rebound.
      const normal = contacts != 0 ? v128.load(contacts + (i << 4)) : f32x4.splat(0);
      const gain = f32x4.sub(v, start);
      if (w(normal) == <f32>FREE) v = f32x4.add(v, gain);
      else if (w(normal) == <f32>SLIDING) {
        v = f32x4.add(v, f32x4.sub(gain, f32x4.mul(f32x4.splat(dot(gain, normal)), normal)));
      }
    }
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0) {
      const set = constraints + constraint * CONSTRAINT_STRIDE;
      const mask = load<u32>(set + CONSTRAINT_MASK);
      if (mask != 0) {
        const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
        const r0 = v128.load(body + BODY_FRAME);
        const r1 = v128.load(body + BODY_FRAME, 16);
        const r2 = v128.load(body + BODY_FRAME, 32);
        const m = v128.load(rest + (i << 4));
        const late = load<u32>(set + CONSTRAINT_LATE);
        v = prescribe(mask & ~late, r0, r1, r2, v, affine(set + CONSTRAINT_RATE, m));
        u = prescribe(mask & ~late, r0, r1, r2, u, affine(set + CONSTRAINT_TARGET, m));
        if (late != 0) {
          u = prescribe(late, r0, r1, r2, u, v128.load(lateTargets + (i << 4)));
          v = prescribe(late, r0, r1, r2, v, affine(set + CONSTRAINT_LATE_RATE, f32x4.add(m, u)));
        }
      }
    }
    v128.store(displacements + (i << 4), f32x4.replace_lane(u, 3, 0));
    v128.store(velocities + (i << 4), f32x4.replace_lane(v, 3, 0));
    const speed2 = dot(v, v);
    if (!(speed2 <= fastest)) fastest = speed2;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(speeds + ((i / BLOCK) << 2), fastest);
      fastest = 0;
    }
  }
}

/** Leaves the acceleration by all but gravity over the step, from which the next solution starts. */
export function keepAccelerations(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const changes = <usize>load<u32>(context + CHANGE);
  const inertia = f32x4.splat(load<f32>(context + INERTIA));
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) {
    v128.store(accelerations + at, f32x4.mul(inertia, v128.load(changes + at)));
  }
}

/** Puts a step that failed back to its start. */
export function undoImplicitStep(begin: u32, end: u32, context: usize): void {
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const starts = <usize>load<u32>(context + START);
  const startVelocities = <usize>load<u32>(context + START_VELOCITY);
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) {
    v128.store(displacements + at, v128.load(starts + at));
    v128.store(velocities + at, v128.load(startVelocities + at));
  }
}

/**
 * Which particles obstacles hold, from the positions and the whole residuals in PRODUCT: one inside is held and
 * shall go to the surface, by the way that is left in CORRECTION; one that is pulled is let go; one that is
 * pushed sideways by more than Coulomb allows slides. Residuals are projected anew. Obstacles stand where they
 * are at the end of the step. Per block: changes (3), and the largest squared move in contact radii.
 */
export function updateObstacleContacts(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const diagonals = <usize>load<u32>(context + STIFFNESS_DIAGONAL);
  const projected = <usize>load<u32>(context + RESIDUAL);
  const stepVelocities = <usize>load<u32>(context + STEP_VELOCITY);
  const changes = <usize>load<u32>(context + CHANGE);
  const residuals = <usize>load<u32>(context + PRODUCT);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const round = load<u32>(context + CONTACT_ROUND);
  const catchOnly = round == 0 || round > DROP_ROUNDS;
  const doubled = load<u32>(context + DOUBLED) != 0;
  const guessed = load<f32>(context + GUESSED);
  const elapsed = load<f32>(context + ELAPSED);
  const speeds = <usize>load<u32>(context + BLOCK_SPEED);
  let switched: f64 = 0;
  const radii = <usize>load<u32>(context + CONTACT_RADIUS);
  let farthest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    const held = constraint != 0 && load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK) == 7;
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    // Rigid bodies have a law of their own: assembly/rigid/contact.ts.
    if (!held && load<u32>(body + BODY_FIT) != FIT_NONE) {
      const r0 = v128.load(body + BODY_FRAME);
      const r1 = v128.load(body + BODY_FRAME, 16);
      const r2 = v128.load(body + BODY_FRAME, 32);
      const m = v128.load(rest + (i << 4));
      const u = v128.load(displacements + (i << 4));
      const p = f32x4.add(m, u);
      const position = f32x4.add(matrixTimes(r0, r1, r2, p), vector(w(r0), w(r1), w(r2), 0));
      const radius = load<f32>(radii + (i << 2)) - penetrationOf(context, body, i);
      // The nearest obstacle.
      let gap: f32 = f32.MAX_VALUE;
      let normal = f32x4.splat(0);
      let nearest = obstacles;
      for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
        const near = obstacleDistance(obstacle, position);
        const distance = w(near) - radius;
        if (distance < gap) {
          gap = distance;
          normal = near;
          nearest = obstacle;
        }
      }
      const velocity = reachedVelocity(
        v128.load(stepVelocities + (i << 4)), v128.load(body + BODY_GRAVITY), v128.load(changes + (i << 4)), elapsed, guessed,
      );
      const touching = v128.load(contacts + (i << 4));
      let mode = w(touching);
      const before = mode;
      const change = v128.load(changes + (i << 4));
      const last = v128.load(frictions + (i << 4));
      const slid = w(last) != 0;
      let drag = f32x4.splat(0);
      let grade: f32 = 0;
      let shift = f32x4.splat(0);
      // Way since the start of the step, relative to the obstacle.
      const displacement = f32x4.mul(
        f32x4.splat(elapsed), f32x4.sub(matrixTimes(r0, r1, r2, velocity), wallVelocity(nearest, position)),
      );
      const approach = dot(displacement, normal);
      const slip = f32x4.sub(displacement, f32x4.mul(f32x4.splat(approach), normal));
      // The midpoint rule goes as far again.
      const landing = doubled ? gap + approach : gap;
      const rise: f32 = doubled ? <f32>-0.5 * landing : -landing;
      const coefficient = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(nearest + OBSTACLE_FRICTION));
      const reaction = f32x4.sub(f32x4.splat(0), matrixTimes(r0, r1, r2, v128.load(residuals + (i << 4))));
      const push = dot(reaction, normal);
      if (mode == <f32>FREE) {
        // At rest what touches is held to begin with: nothing falls that could show it.
        if (landing < (elapsed == 0 && round == 0 ? TOUCH * w(m) : <f32>0)) {
          mode = coefficient > 0 && !slid ? <f32>STICKING : <f32>SLIDING;
          shift = f32x4.mul(f32x4.splat(rise), normal);
          // Back to where it was on the surface, carried along by the obstacle.
          if (mode == <f32>STICKING) shift = f32x4.sub(shift, slip);
        }
      } else if (push < 0 && !catchOnly) {
        mode = <f32>FREE;
      } else {
        shift = f32x4.mul(f32x4.splat(rise), normal);
        const side = f32x4.sub(reaction, f32x4.mul(f32x4.splat(push), normal));
        const frictionBound = coefficient * push;
        const own = v128.load(diagonals + (i << 5));
        const settled = STEEP * (x(own) + y(own) + z(own)) * sqrt(dot(slip, slip)) < frictionBound;
        const allowed: f32 = round > STICK_ROUNDS ? STICKY * frictionBound : frictionBound;
        if (mode == <f32>STICKING) {
          if (round > 0 && dot(side, side) > allowed * allowed) mode = <f32>SLIDING;
        } else if (settled && round <= STICK_ROUNDS) {
          // It has stopped: friction holds it where it was.
          mode = <f32>STICKING;
          shift = f32x4.sub(shift, slip);
        }
      }
      if (mode == <f32>SLIDING) {
        // Coulomb's law against the slip; it starts steeply, so that it has a direction. Its secant is its stiffness.
        const frictionBound = coefficient * max(push, <f32>0);
        const size = sqrt(dot(slip, slip));
        const own = v128.load(diagonals + (i << 5));
        const steepest = STEEP * (x(own) + y(own) + z(own));
        grade = frictionBound < steepest * size ? frictionBound / size : steepest;
        drag = rowTimes(f32x4.mul(f32x4.splat(-grade), slip), r0, r1, r2);
      }
      if (mode != before) switched += 1;
      v128.store(corrections + (i << 4), f32x4.replace_lane(rowTimes(shift, r0, r1, r2), 3, 0));
      if (mode != <f32>FREE || before != <f32>FREE) {
        const whole = f32x4.add(v128.load(residuals + (i << 4)), f32x4.sub(drag, friction(contacts, frictions, i, change)));
        const here = rowTimes(normal, r0, r1, r2);
        v128.store(contacts + (i << 4), f32x4.replace_lane(here, 3, mode));
        // From now on friction is this, less the grade times the way from here. One that has slid slides when caught again.
        const tangential = f32x4.sub(change, f32x4.mul(f32x4.splat(dot(change, here)), here));
        const mark = mode == <f32>SLIDING ? max(grade, f32.MIN_NORMAL_VALUE) : slid ? f32.MIN_NORMAL_VALUE : <f32>0;
        v128.store(frictions + (i << 4), f32x4.replace_lane(addMul(drag, f32x4.splat(grade), tangential), 3, mark));
        v128.store(projected + (i << 4), project(f32x4.replace_lane(whole, 3, 0), i, constraintOf, constraints, contacts, r0, r1, r2));
        farthest = max(farthest, dot(shift, shift) / (w(m) * w(m)));
      }
    } else {
      v128.store(corrections + (i << 4), f32x4.splat(0));
    }
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), switched, 24);
      store<f32>(speeds + ((i / BLOCK) << 2), farthest);
      switched = 0;
      farthest = 0;
    }
  }
}

// The diagonal blocks of the stiffness at rest: sums of V (lambda + mu) b b^T + mu |b|^2 I.
let sxx: f32 = 0, syy: f32 = 0, szz: f32 = 0, syz: f32 = 0, sxz: f32 = 0, sxy: f32 = 0;

// @ts-ignore: decorator
@inline
function addBlock(b: v128, volume: f32, constants: v128): void {
  const outer = volume * (x(constants) + z(constants) + y(constants));
  const even = volume * y(constants) * dot(b, b);
  sxx += outer * x(b) * x(b) + even;
  syy += outer * y(b) * y(b) + even;
  szz += outer * z(b) * z(b) + even;
  syz += outer * y(b) * z(b);
  sxz += outer * x(b) * z(b);
  sxy += outer * x(b) * y(b);
}

/** Diagonal blocks of the stiffness matrix at rest. */
export function computeStiffnessDiagonals(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const moments = <usize>load<u32>(context + MOMENT_INVERSE);
  const inverses = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const cells = <usize>load<u32>(context + CELL_MOMENT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const diagonals = <usize>load<u32>(context + STIFFNESS_DIAGONAL);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const quadratic = load<u32>(body + BODY_FIT) == FIT_QUADRATIC;
    const shift = <usize>load<u32>(body + BODY_QUADRATIC_SHIFT);
    const modulus = load<f32>(body + BODY_BOND_MODULUS);
    sxx = syy = szz = syz = sxz = sxy = 0;
    let bonded: f32 = 0;
    let fitted: f32 = 0;
    let evenSum = f32x4.splat(0);
    let mixedSum = f32x4.splat(0);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k <= last; k++) {
      // The neighbours' fits as this particle moves; last its own.
      const own = k == last;
      let j = i;
      let g = f32x4.sub(f32x4.splat(0), v128.load(sums + (i << 4)));
      let even = f32x4.sub(f32x4.splat(0), evenSum);
      let mixed = f32x4.sub(f32x4.splat(0), mixedSum);
      if (!own) {
        const pair = v128.load(pairs + (k << 4));
        j = <usize>load<u32>(neighbors + (k << 2));
        g = f32x4.sub(f32x4.splat(0), pair);
        bonded += w(pair);
        if (quadratic) {
          const scaled = f32x4.mul(pair, v128.load_splat<f32>(inverseWeights + (k << 2)));
          even = fit.squaresOf(pair, scaled);
          mixed = fit.productsOf(pair, scaled);
          evenSum = f32x4.add(evenSum, even);
          mixedSum = f32x4.add(mixedSum, mixed);
        }
      }
      const constants = v128.load(elastic + (j << 4));
      const volume = w(constants);
      const m0 = v128.load(moments + j * 48);
      if (quadratic) {
        const a = inverses + (j - shift) * 432;
        const b = fit.nineTimes(g, even, mixed, a, 0);
        const d = fit.nineTimes(g, even, mixed, a, 1);
        const o = fit.nineTimes(g, even, mixed, a, 2);
        const moment = v128.load(cells + (j << 5));
        const centroid = v128.load(cells + (j << 5), 16);
        addBlock(fit.atCentroid(b, d, o, centroid), volume, constants);
        addBlock(fit.alongX(d, o), volume * x(moment), constants);
        addBlock(fit.alongY(d, o), volume * y(moment), constants);
        addBlock(fit.alongZ(d, o), volume * z(moment), constants);
        fitted += w(m0) * (dot(b, g) + dot(d, even) + dot(o, mixed));
      } else {
        const b = rowTimes(g, m0, v128.load(moments + j * 48, 16), v128.load(moments + j * 48, 32));
        addBlock(b, volume, constants);
        fitted += w(m0) * dot(b, g);
      }
    }
    const penalty = modulus * max(bonded - fitted, <f32>0.1 * bonded);
    v128.store(diagonals + (i << 5), vector(sxx + penalty, syy + penalty, szz + penalty, 0));
    v128.store(diagonals + (i << 5), vector(syz, sxz, sxy, 0), 16);
  }
}

/** Inverse diagonal blocks of the system matrix for the present step. */
export function invertDiagonals(begin: u32, end: u32, context: usize): void {
  const diagonals = <usize>load<u32>(context + STIFFNESS_DIAGONAL);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const inertia = load<f32>(context + INERTIA);
  const flows = <usize>load<u32>(context + FLOW);
  const time = load<f32>(context + FLOW_TIME);
  const perTime: f32 = flows != 0 && time > 0 ? <f32>1 / time : 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    let extra = inertia / load<f32>(sums + (i << 4), 12);
    // A third of the dashpots acts along each axis.
    if (perTime > 0) extra += <f32>0.3333333 * perTime * load<f32>(flows + (i << 4), 12);
    const at = diagonals + (i << 5);
    const xx = load<f32>(at) + extra;
    const yy = load<f32>(at, 4) + extra;
    const zz = load<f32>(at, 8) + extra;
    const yz = load<f32>(at, 16);
    const xz = load<f32>(at, 20);
    const xy = load<f32>(at, 24);
    // Entries may be near the ends of float32: scaled to the size of one.
    const size = xx + yy + zz;
    const per: f32 = size > 0 ? <f32>1 / size : 0;
    const a = xx * per, b = yy * per, c = zz * per, d = yz * per, e = xz * per, f = xy * per;
    const ia = b * c - d * d;
    const ie = f * d - e * b;
    const jf = e * d - f * c;
    const determinant = a * ia + f * jf + e * ie;
    const scale: f32 = determinant > 0 ? per / determinant : 0;
    v128.store(inverses + (i << 5), vector(scale * ia, scale * (a * c - e * e), scale * (a * b - f * f), 0));
    v128.store(inverses + (i << 5), vector(scale * (e * f - a * d), scale * ie, scale * jf, 0), 16);
  }
}
