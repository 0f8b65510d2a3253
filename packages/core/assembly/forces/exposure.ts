import {
  BODIES,
  BODY_AREA_FACTOR,
  BODY_FRAME,
  BODY_OF,
  BODY_STRIDE,
  DISPLACEMENT,
  ELASTIC,
  FORCED,
  FORCED_AREA,
  FORCED_BEGIN,
  FORCED_PAIRS,
  FORCED_POSITION,
  FORCED_VELOCITY,
  GRADIENT_SUM,
  NEIGHBORS as SOLID_NEIGHBORS,
  NEIGHBOR_BEGIN,
  OBSTACLE_STRIDE,
  OBSTACLES as SOLID_OBSTACLES,
  OBSTACLE_COUNT as SOLID_OBSTACLE_COUNT,
  REST,
  VELOCITY as SOLID_VELOCITY,
} from '../../src/particles/layout';
import {
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_POSITION,
  BOUNDARY_CAPACITY,
  EXPOSED_AREA,
  NEIGHBORS,
  OBSTACLE_COUNT,
  OBSTACLES,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  REST_VOLUME,
  SUPPORT,
} from '../../src/particles/fluid-layout';
import {
  MEMBERS,
  MEMBER_AREA,
  MEMBER_POSITION,
  MEMBER_VELOCITY,
  RENEWAL_SPACING,
  SOLIDS,
} from '../../src/particles/renewal-layout';
import { isPlane, obstacleDistance } from '../contact/obstacles';
import { firstPair, neighborOf, pairEnd } from '../fluid/pair-lists';
import { inverseOf, separation } from '../fluid/pairs';
import { addMul, dot, vector, w } from '../math/simd';

/**
 * Exposed areas, as solvers/forces/exposure.ts has them at rest: twice the gradient of the smoothed volume share times the
 * volume of the particle, a_i = 2 V_i sum_j V_j (-grad W_ij) with W poly6.
 */
const GRADIENT: f32 = <f32>(945.0 / (32.0 * 3.141592653589793));
/** See NOISE, LONELY and LATTICE_SUM there. */
const NOISE: f32 = 0.15;
const CLEAR: f32 = 0.45;
const LONELY: f32 = 0.4;
const LATTICE_SUM: f32 = 266.0 / 64.0;

/** R a, with the rows of R in the frame of a body; lane 3 is 0. */
// @ts-ignore: decorator
@inline
function inWorldAxes(body: usize, a: v128): v128 {
  return vector(
    dot(v128.load(body + BODY_FRAME), a), dot(v128.load(body + BODY_FRAME, 16), a), dot(v128.load(body + BODY_FRAME, 32), a), 0,
  );
}

/**
 * Position, velocity and exposed area of the particles of solids and rigid bodies that forces act on. Pairs and their
 * weights are those of the rest shape, x the positions now: the areas turn and bend with the body. Lane 3 of the areas
 * stays. The range is one of such particles.
 */
export function exposeSolids(begin: u32, end: u32, context: usize): void {
  const numbers = <usize>load<u32>(context + FORCED);
  const begins = <usize>load<u32>(context + FORCED_BEGIN);
  const pairs = <usize>load<u32>(context + FORCED_PAIRS);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + SOLID_VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const positions = <usize>load<u32>(context + FORCED_POSITION);
  const speeds = <usize>load<u32>(context + FORCED_VELOCITY);
  const areas = <usize>load<u32>(context + FORCED_AREA);
  for (let n = <usize>begin; n < <usize>end; n++) {
    const i = <usize>load<u32>(numbers + (n << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const xi = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
    let area = f32x4.splat(0);
    const last = pairs + (<usize>load<u32>(begins + (n << 2), 4) << 3);
    for (let pair = pairs + (<usize>load<u32>(begins + (n << 2)) << 3); pair < last; pair += 8) {
      const j = <usize>load<u32>(pair);
      const xj = f32x4.add(v128.load(rest + (j << 4)), v128.load(displacements + (j << 4)));
      area = addMul(area, f32x4.splat(load<f32>(pair, 4)), f32x4.sub(xi, xj));
    }
    const origin = vector(load<f32>(body + BODY_FRAME, 12), load<f32>(body + BODY_FRAME, 28), load<f32>(body + BODY_FRAME, 44), 0);
    const position = f32x4.add(inWorldAxes(body, xi), origin);
    v128.store(positions + (n << 4), f32x4.replace_lane(position, 3, load<f32>(sums + (i << 4), 12)));
    v128.store(speeds + (n << 4), inWorldAxes(body, v128.load(velocities + (i << 4))));
    const at = areas + (n << 4);
    v128.store(at, f32x4.replace_lane(inWorldAxes(body, area), 3, load<f32>(at, 12)));
  }
}

/** An area without the noise of irregular sampling, and in lane 3 the cross-section of a particle on its own. */
// @ts-ignore: decorator
@inline
function withoutNoise(area: v128, near: f32, face: f32): v128 {
  const size: f32 = sqrt(dot(area, area)) / face;
  const t: f32 = min<f32>(max<f32>((size - NOISE) / (CLEAR - NOISE), 0), 1);
  const clear: f32 = t * t * (<f32>3 - <f32>2 * t);
  const alone: f32 = max<f32>(<f32>1 - near / (LONELY * LATTICE_SUM), 0);
  return f32x4.replace_lane(f32x4.mul(f32x4.splat(clear), area), 3, face * alone);
}

/** What a plane covers is not exposed: the part of an area that looks into it. */
// @ts-ignore: decorator
@inline
function withoutCovered(area: v128, position: v128, near: f32, obstacles: usize, obstacleEnd: usize, planesOnly: bool): v128 {
  let free = area;
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    if (planesOnly && !isPlane(obstacle)) continue;
    const surface = obstacleDistance(obstacle, position);
    if (!(w(surface) < near)) continue;
    const into = min<f32>(dot(free, surface), 0);
    free = addMul(free, f32x4.splat(-into), f32x4.replace_lane(surface, 3, 0));
  }
  return free;
}

/** Of liquids and melts. Boundary particles count as liquid: what touches a wall or a body is not exposed there. */
export function exposeLiquids(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const areas = <usize>load<u32>(context + EXPOSED_AREA);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryCapacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const h = load<f32>(context + SUPPORT);
  const perSupport2: f32 = <f32>1 / (h * h);
  const volume = load<f32>(context + REST_VOLUME);
  const spacing: f32 = <f32>0.5 * h;
  const norm: f32 = <f32>2 * GRADIENT * volume * perSupport2 * perSupport2 / h;
  const own = f32x4.splat(norm * volume);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    let area = f32x4.splat(0);
    let near: f32 = 0;
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const d = separation(xi, v128.load(positions + (neighborOf(pair) << 4)), period, inversePeriod);
      const left: f32 = max<f32>(<f32>1 - dot(d, d) * perSupport2, 0);
      near += left * left * left;
      area = addMul(area, f32x4.splat(left * left), d);
    }
    area = f32x4.mul(own, area);
    if (boundary) {
      const list = boundaryLists + i * (boundaryCapacity << 2);
      const count = load<u32>(boundaryCounts + (i << 2));
      for (let k: u32 = 0; k < count; k++) {
        const at = v128.load(boundaryPositions + (<usize>load<u32>(list + (<usize>k << 2)) << 4));
        const d = separation(xi, at, period, inversePeriod);
        const left: f32 = max<f32>(<f32>1 - dot(d, d) * perSupport2, 0);
        near += (left * left * left * w(at)) / volume;
        area = addMul(area, f32x4.splat(norm * w(at) * left * left), d);
      }
    }
    area = withoutCovered(area, xi, spacing, obstacles, obstacleEnd, true);
    v128.store(areas + (i << 4), withoutNoise(area, near, spacing * spacing));
  }
}

/** Of bodies whose neighbours are renewed: these, where they are now. */
export function exposeMembers(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const spacings = <usize>load<u32>(context + RENEWAL_SPACING);
  const positions = <usize>load<u32>(context + MEMBER_POSITION);
  const speeds = <usize>load<u32>(context + MEMBER_VELOCITY);
  const areas = <usize>load<u32>(context + MEMBER_AREA);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const velocities = <usize>load<u32>(solids + SOLID_VELOCITY);
  const sums = <usize>load<u32>(solids + GRADIENT_SUM);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + SOLID_NEIGHBORS);
  const elastic = <usize>load<u32>(solids + ELASTIC);
  const bodies = <usize>load<u32>(solids + BODIES);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  const obstacles = <usize>load<u32>(solids + SOLID_OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(solids + SOLID_OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  for (let n = <usize>begin; n < <usize>end; n++) {
    const i = <usize>load<u32>(members + (n << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const xi = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
    const volume = load<f32>(elastic + (i << 4), 12);
    const spacing = load<f32>(spacings + (n << 2));
    const h: f32 = <f32>2 * spacing;
    const perSupport2: f32 = <f32>1 / (h * h);
    const norm: f32 = <f32>2 * GRADIENT * load<f32>(body + BODY_AREA_FACTOR) * volume * perSupport2 * perSupport2 / h;
    let area = f32x4.splat(0);
    let near: f32 = 0;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const xj = f32x4.add(v128.load(rest + (j << 4)), v128.load(displacements + (j << 4)));
      const d = f32x4.replace_lane(f32x4.sub(xi, xj), 3, 0);
      const left: f32 = max<f32>(<f32>1 - dot(d, d) * perSupport2, 0);
      near += left * left * left;
      area = addMul(area, f32x4.splat(norm * load<f32>(elastic + (j << 4), 12) * left * left), d);
    }
    const origin = vector(load<f32>(body + BODY_FRAME, 12), load<f32>(body + BODY_FRAME, 28), load<f32>(body + BODY_FRAME, 44), 0);
    const position = f32x4.add(inWorldAxes(body, xi), origin);
    area = withoutCovered(inWorldAxes(body, area), position, spacing, obstacles, obstacleEnd, false);
    v128.store(positions + (n << 4), f32x4.replace_lane(position, 3, load<f32>(sums + (i << 4), 12)));
    v128.store(speeds + (n << 4), inWorldAxes(body, v128.load(velocities + (i << 4))));
    v128.store(areas + (n << 4), withoutNoise(area, near, spacing * spacing));
  }
}
