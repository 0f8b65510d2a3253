import {
  BODIES,
  BODY_FRAME,
  BODY_OF,
  BODY_STRIDE,
  DISPLACEMENT,
  EXTERNAL_FORCE,
  REST,
  VELOCITY as SOLID_VELOCITY,
  OBSTACLE_POSE,
  OBSTACLE_STRIDE,
} from '../../src/particles/layout';
import {
  BOUNDARY_INPUT_POSITION,
  BOUNDARY_INPUT_TRAITS,
  BOUNDARY_INPUT_VELOCITY,
  BOUNDARY_LOCAL,
  BOUNDARY_SOLID,
  BOUNDARY_SOLID_BEGIN,
  CELL_BEGIN,
  GRID_ORDER,
  GRID_ORIGIN,
  GRID_SCALE,
  ID,
  LIQUIDS,
  LIQUID_ATTRACTION,
  LIQUID_OF,
  LIQUID_STRIDE,
  OBSTACLES,
  PERIOD,
  POSITION,
  PRESSURE,
  REACTION_FOUND,
  REACTION_CAPACITY,
  REST_VOLUME,
  SOLID_CONTEXT,
  SPLINE_GRADIENT,
  SUPPORT,
  TENSION_FACTOR,
  VELOCITY,
  X,
  Y,
  Z,
} from '../../src/particles/fluid-layout';
import { wallVelocity } from '../contact/obstacles';
import { cubicSplineGradient } from '../kernels/sph';
import { addMul, dot, matrixTimes, vector, w } from '../math/simd';
import { cellCoordinates, highestCell } from './grid';
import * as search from './neighbors';
import { inverseOf, kernelSlope, lookUp, separation } from './pairs';
import { attraction, factorOf } from './tension';
import { WALL_FACTOR } from './viscosity';
import { SOFTENING } from './viscous-pair';

/**
 * What bounds a liquid: particles on the surfaces of obstacles, and the particles of rigid and elastic
 * bodies themselves ([K06] 4.4.2, 5.10).
 */

/** Boundary particles of obstacles, at the poses that the obstacles have. */
export function placeObstacleBoundary(begin: u32, end: u32, context: usize): void {
  const locals = <usize>load<u32>(context + BOUNDARY_LOCAL);
  const positions = <usize>load<u32>(context + BOUNDARY_INPUT_POSITION);
  const velocities = <usize>load<u32>(context + BOUNDARY_INPUT_VELOCITY);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const local = v128.load(locals + (k << 4));
    const obstacle = obstacles + <usize>i32x4.extract_lane(local, 3) * OBSTACLE_STRIDE;
    const r0 = v128.load(obstacle + OBSTACLE_POSE);
    const r1 = v128.load(obstacle + OBSTACLE_POSE, 16);
    const r2 = v128.load(obstacle + OBSTACLE_POSE, 32);
    const position = f32x4.add(matrixTimes(r0, r1, r2, local), vector(w(r0), w(r1), w(r2), 0));
    const at = k << 4;
    v128.store(positions + at, f32x4.replace_lane(position, 3, load<f32>(positions + at, 12)));
    v128.store(velocities + at, f32x4.replace_lane(wallVelocity(obstacle, position), 3, load<f32>(velocities + at, 12)));
  }
}

/** Boundary particles of bodies, where their particles are. On the range of those alone. */
export function placeBodyBoundary(begin: u32, end: u32, context: usize): void {
  const first = <usize>load<u32>(context + BOUNDARY_SOLID_BEGIN);
  const numbers = <usize>load<u32>(context + BOUNDARY_SOLID);
  const positions = <usize>load<u32>(context + BOUNDARY_INPUT_POSITION);
  const velocities = <usize>load<u32>(context + BOUNDARY_INPUT_VELOCITY);
  const solids = <usize>load<u32>(context + SOLID_CONTEXT);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const solidVelocities = <usize>load<u32>(solids + SOLID_VELOCITY);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  const bodies = <usize>load<u32>(solids + BODIES);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(numbers + (k << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    const m = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
    const position = f32x4.add(matrixTimes(r0, r1, r2, m), vector(w(r0), w(r1), w(r2), 0));
    const velocity = matrixTimes(r0, r1, r2, v128.load(solidVelocities + (i << 4)));
    const at = (first + k) << 4;
    v128.store(positions + at, f32x4.replace_lane(position, 3, load<f32>(positions + at, 12)));
    v128.store(velocities + at, f32x4.replace_lane(velocity, 3, load<f32>(velocities + at, 12)));
  }
}

// @ts-ignore: decorator
@inline
function around(context: usize, position: v128, list: usize, capacity: u32): u32 {
  const order = v128.load(context + GRID_ORDER);
  const cell = cellCoordinates(position, v128.load(context + GRID_ORIGIN), v128.load(context + GRID_SCALE), order, highestCell(context));
  return search.collect(list, capacity, position, cell, 0xffffffff);
}

/**
 * What the liquid does to the bodies in it, the reactions of its pressure and viscosity, as external forces of
 * their particles in world axes [N].
 */
export function computeReactions(begin: u32, end: u32, context: usize): void {
  const first = <usize>load<u32>(context + BOUNDARY_SOLID_BEGIN);
  const numbers = <usize>load<u32>(context + BOUNDARY_SOLID);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_INPUT_POSITION);
  const boundaryVelocities = <usize>load<u32>(context + BOUNDARY_INPUT_VELOCITY);
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const forces = <usize>load<u32>(<usize>load<u32>(context + SOLID_CONTEXT) + EXTERNAL_FORCE);
  const found = <usize>load<u32>(context + REACTION_FOUND);
  const capacity = <usize>load<u32>(context + REACTION_CAPACITY);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const softening: f32 = SOFTENING * support * support;
  const norm = load<f32>(context + SPLINE_GRADIENT);
  const traits = <usize>load<u32>(context + BOUNDARY_INPUT_TRAITS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const restVolume = load<f32>(context + REST_VOLUME);
  const factors = <usize>load<u32>(context + TENSION_FACTOR);
  const ids = <usize>load<u32>(context + ID);
  search.prepare(
    context, <usize>load<u32>(context + X), <usize>load<u32>(context + Y), <usize>load<u32>(context + Z),
    <usize>load<u32>(context + CELL_BEGIN), 1,
  );
  for (let k = <usize>begin; k < <usize>end; k++) {
    const xb = v128.load(boundaryPositions + ((first + k) << 4));
    const vb = v128.load(boundaryVelocities + ((first + k) << 4));
    const trait = traits + ((first + k) << 4);
    const list = found + k * (capacity << 2);
    const count = min(around(context, xb, list, <u32>capacity), <u32>capacity);
    let force = f32x4.splat(0);
    for (let n: u32 = 0; n < count; n++) {
      const i = <usize>load<u32>(list + (<usize>n << 2));
      const d = f32x4.replace_lane(separation(v128.load(positions + (i << 4)), xb, period, inversePeriod), 3, 0);
      const r2 = dot(d, d);
      const r = sqrt(r2);
      lookUp(trait, r / support);
      const vi = v128.load(velocities + (i << 4));
      // The liquid is pushed by -V V_b p grad k, and dragged by 10 V V_d mu (v_ib . x_ib) / x_ib^2 grad W.
      const push = w(xb) * kernelSlope * load<f32>(pressures + (i << 2));
      const slope = cubicSplineGradient(r, <f32>1 / support, norm) * load<f32>(trait, 4);
      const drag: f32 = (WALL_FACTOR * slope * w(vi) * w(vb) * dot(f32x4.sub(vi, vb), d)) / (r2 + softening);
      // And it is attracted.
      const liquid = liquids + <usize>load<u32>(liquidOf + (i << 2)) * LIQUID_STRIDE;
      const strength: f32 = factorOf(factors, ids, i) * load<f32>(liquid + LIQUID_ATTRACTION);
      const pull: f32 = r > 0 ? (strength * load<f32>(trait) * load<f32>(trait, 4) * attraction(r / support)) / (restVolume * r) : 0;
      force = addMul(force, f32x4.splat(restVolume * (push - drag) + pull), d);
    }
    v128.store(forces + (<usize>load<u32>(numbers + (k << 2)) << 4), f32x4.replace_lane(force, 3, 0));
  }
}
