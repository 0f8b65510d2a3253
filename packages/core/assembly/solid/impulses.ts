import {
  BODIES,
  BODY_FIT,
  BODY_FRAME,
  BODY_GRAVITY,
  BODY_OF,
  BODY_STRIDE,
  CHANGE,
  CONSTRAINT_GHOST,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  CONSTRAINTS,
  DISPLACEMENT,
  FIT_NONE,
  FREE,
  GRADIENT_SUM,
  GUESSED,
  HOLD_IMPULSE,
  INERTIA,
  METERED,
  OBSTACLE_CONTACT,
  OBSTACLE_COUNT,
  OBSTACLE_FRICTION_FORCE,
  OBSTACLE_IMPULSE_STRIDE,
  OBSTACLE_STRIDE,
  OBSTACLES,
  PRODUCT,
  REST,
  STEP_VELOCITY,
  VELOCITY,
} from '../../src/particles/layout';
import { obstacleDistance } from '../contact/obstacles';
import { addMul, matrixTimes, vector, w } from '../math/simd';
import { friction } from './implicit';
import { noteImpulse, notesOf, prescribe } from './integrate';

/**
 * What obstacles and constraints have given to particles in an implicit step, or press with in equilibrium (over one second):
 * the change of momentum that all other forces, the whole residuals in PRODUCT and inertia, have not made. Ghosts are those of
 * noteImplicitGhosts.
 */
export function noteImplicitImpulses(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const starts = <usize>load<u32>(context + STEP_VELOCITY);
  const changes = <usize>load<u32>(context + CHANGE);
  const products = <usize>load<u32>(context + PRODUCT);
  const contacts = <usize>load<u32>(context + OBSTACLE_CONTACT);
  const frictions = <usize>load<u32>(context + OBSTACLE_FRICTION_FORCE);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const holds = <usize>load<u32>(context + HOLD_IMPULSE);
  const stride = <usize>load<u32>(context + OBSTACLE_IMPULSE_STRIDE);
  const inertia = load<f32>(context + INERTIA);
  const guessed = load<f32>(context + GUESSED);
  const time = load<f32>(context + METERED);
  const none = f32x4.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const set = constraints + <usize>load<u32>(constraintOf + (i << 2)) * CONSTRAINT_STRIDE;
    const isHeld = load<u32>(constraintOf + (i << 2)) != 0;
    const mask: u32 = isHeld ? load<u32>(set + CONSTRAINT_MASK) : 0;
    const touches = contacts != 0 && load<f32>(contacts + (i << 4), 12) != <f32>FREE;
    if ((mask == 0 && !touches) || (mask != 0 && load<u32>(set + CONSTRAINT_GHOST) != 0)) continue;
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_FIT) == FIT_NONE) continue;
    const mass: f32 = <f32>1 / load<f32>(sums + (i << 4), 12);
    const change = v128.load(changes + (i << 4));
    let others = addMul(v128.load(products + (i << 4)), f32x4.splat(mass * inertia), change);
    others = addMul(others, f32x4.splat(guessed * mass), v128.load(body + BODY_GRAVITY));
    if (touches) others = f32x4.sub(others, friction(contacts, frictions, i, change));
    const gained = f32x4.sub(v128.load(velocities + (i << 4)), v128.load(starts + (i << 4)));
    let given = f32x4.sub(f32x4.mul(f32x4.splat(mass), gained), f32x4.mul(f32x4.splat(time), others));
    given = f32x4.replace_lane(given, 3, 0);
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    if (mask != 0) {
      const free = prescribe(mask, r0, r1, r2, given, none);
      noteImpulse(holds + (i << 4), 1, matrixTimes(r0, r1, r2, f32x4.sub(given, free)), none);
      given = free;
    }
    if (!touches) continue;
    const p = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
    const position = f32x4.add(matrixTimes(r0, r1, r2, p), vector(w(r0), w(r1), w(r2), 0));
    let note = notesOf(context, i);
    let to = note;
    let nearest: f32 = f32.MAX_VALUE;
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE, note += stride) {
      const distance = w(obstacleDistance(obstacle, position));
      if (distance >= nearest) continue;
      nearest = distance;
      to = note;
    }
    noteImpulse(to, 1, matrixTimes(r0, r1, r2, given), none);
  }
}
