import { OBSTACLE_ADHESION, OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  ACCELERATION,
  ATTRACTION,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_POSITION,
  BOUNDARY_ROOM,
  BOUNDARY_TRAITS,
  HALF_SPACE,
  HALF_SPACE_ENTRIES,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUID_TENSION,
  LIQUIDS,
  MEASURE,
  OBSTACLE_COUNT,
  OBSTACLES,
  PAIR_BEGIN,
  PAIRS,
  PERIOD,
  POSITION,
  PRESSURE,
  REST_VOLUME,
  SUPPORT,
} from '../../src/particles/fluid-layout';
import { obstacleDistance } from '../contact/obstacles';
import { addMul, dot, w, y } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { halfSpace, inverseOf, isPlane, kernelSlope, lookUp, separation } from './pairs';

/**
 * Surface tension as cohesion: particles of one liquid attract each other,
 *
 *   f_i = -A sum_j c(r_ij / h) x_ij / r_ij,   c(q) = 64 q^3 (1 - q)^3.
 *
 * Within, the pulls cancel; at a surface they do not, and that costs an energy per area, the tension: see
 * solvers/fluid/cohesion.ts for A. The forces are central, so a drop keeps its momenta. Walls attract by a
 * share of it, their adhesion, for the contact angle cos(theta) = 2 adhesion - 1 (Young and Dupré).
 */
// @ts-ignore: decorator
@inline
export function attraction(q: f32): f32 {
  const p = q * max<f32>(<f32>1 - q, 0);
  return <f32>64 * p * p * p;
}

export function applyCohesion(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + ATTRACTION);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryRoom = <usize>load<u32>(context + BOUNDARY_ROOM);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const perSupport: f32 = <f32>1 / support;
  const perVolume: f32 = <f32>1 / load<f32>(context + REST_VOLUME);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(liquidOf + (i << 2));
    const strength = load<f32>(liquids + <usize>own * LIQUID_STRIDE + LIQUID_TENSION);
    if (strength == 0) continue;
    const xi = v128.load(positions + (i << 4));
    let sum = f32x4.splat(0);
    const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
    for (let pair = pairs + (<usize>load<u32>(begins + (i << 2)) << 4); pair < last; pair += 16) {
      const j = neighborIndex(v128.load(pair));
      if (load<u32>(liquidOf + (j << 2)) != own) continue;
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      const r = sqrt(dot(d, d));
      if (r > 0) sum = addMul(sum, f32x4.splat(attraction(r * perSupport) / r), d);
    }
    if (boundary) {
      const list = boundaryLists + i * (boundaryRoom << 2);
      const count = load<u32>(boundaryCounts + (i << 2));
      for (let k: u32 = 0; k < count; k++) {
        const b = <usize>load<u32>(list + (<usize>k << 2));
        const xb = v128.load(boundaryPositions + (b << 4));
        const d = separation(xi, xb, period, inversePeriod);
        const r = sqrt(dot(d, d));
        const weight = load<f32>(traits + (b << 4)) * load<f32>(traits + (b << 4), 4) * perVolume;
        if (r > 0) sum = addMul(sum, f32x4.splat((weight * attraction(r * perSupport)) / r), d);
      }
    }
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      const adhesion = load<f32>(obstacle + OBSTACLE_ADHESION);
      if (!isPlane(obstacle) || adhesion == 0) continue;
      const surface = obstacleDistance(obstacle, xi);
      if (!(w(surface) < support)) continue;
      const place = max<f32>(<f32>(HALF_SPACE_ENTRIES - 1) * w(surface) * perSupport, 0);
      const cell = min(<usize>place, <usize>(HALF_SPACE_ENTRIES - 2));
      const low = load<f32>(table + (cell << 2));
      const pull = low + (place - <f32>cell) * (load<f32>(table + (cell << 2), 4) - low);
      sum = addMul(sum, f32x4.splat(adhesion * pull), surface);
    }
    const a = f32x4.mul(f32x4.splat(-strength * w(xi)), f32x4.replace_lane(sum, 3, 0));
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), a));
  }
}

/**
 * Pressure as the forces between particles make it, into MEASURE [Pa]: a third of the trace of their virial,
 *
 *   P_i = -1/6 sum_j (p_i + p_j) g_ij . x_ij - A / (6 V_0) sum_j c(r_ij / h) r_ij,
 *
 * that of pressure and that of cohesion, which pulls. Images in walls count as particles do; they are at twice the
 * distance of the wall and half of its gradient is theirs.
 */
export function measurePressures(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const measures = <usize>load<u32>(context + MEASURE);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + HALF_SPACE);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryRoom = <usize>load<u32>(context + BOUNDARY_ROOM);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const perSupport: f32 = <f32>1 / support;
  const scale: f32 = <f32>1 / (<f32>6 * load<f32>(context + REST_VOLUME));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(liquidOf + (i << 2));
    const strength = load<f32>(liquids + <usize>own * LIQUID_STRIDE + LIQUID_TENSION);
    const pressure = load<f32>(pressures + (i << 2));
    const xi = v128.load(positions + (i << 4));
    let pushed: f32 = 0;
    let pulled: f32 = 0;
    const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
    for (let pair = pairs + (<usize>load<u32>(begins + (i << 2)) << 4); pair < last; pair += 16) {
      const g = v128.load(pair);
      const j = neighborIndex(g);
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      pushed -= (pressure + load<f32>(pressures + (j << 2))) * dot(g, d);
      if (strength == 0 || load<u32>(liquidOf + (j << 2)) != own) continue;
      const r = sqrt(dot(d, d));
      pulled += r * attraction(r * perSupport);
    }
    if (boundary) {
      const list = boundaryLists + i * (boundaryRoom << 2);
      const count = load<u32>(boundaryCounts + (i << 2));
      for (let k: u32 = 0; k < count; k++) {
        const b = <usize>load<u32>(list + (<usize>k << 2));
        const xb = v128.load(boundaryPositions + (b << 4));
        const d = separation(xi, xb, period, inversePeriod);
        const r2 = dot(d, d);
        lookUp(traits + (b << 4), sqrt(r2) * perSupport);
        pushed -= <f32>2 * pressure * w(xb) * kernelSlope * r2;
      }
    }
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      if (!isPlane(obstacle)) continue;
      const distance = w(obstacleDistance(obstacle, xi));
      if (distance < support) pushed -= <f32>2 * pressure * y(halfSpace(table, distance, support)) * distance;
    }
    store<f32>(measures + (i << 2), pushed * <f32>0.16666667 - strength * scale * pulled);
  }
}
