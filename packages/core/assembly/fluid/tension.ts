import { OBSTACLE_ADHESION, OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  ACCELERATION,
  ATTRACTION,
  BOND_ALONE,
  BOND_EDGE,
  BOND_FULL,
  BOND_RISE,
  BOND_SKIN,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_POSITION,
  BOUNDARY_CAPACITY,
  BOUNDARY_TRAITS,
  COEFFICIENTS,
  FAINT,
  HALF_SPACE,
  HALF_SPACE_ENTRIES,
  ID,
  KEISER,
  LIQUID_ATTRACTION,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUID_TENSION,
  LIQUIDS,
  MEASURE,
  NEIGHBORS,
  NORMAL,
  OBSTACLE_COUNT,
  OBSTACLES,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  PRESSURE,
  REST_VOLUME,
  SPLINE_GRADIENT,
  SUPPORT,
  TENSION_FACTOR,
  VOLUME,
} from '../../src/particles/fluid-layout';
import { isPlane, obstacleDistance } from '../contact/obstacles';
import { addMul, dot, splatX, splatY, splatZ, w, x, y, z } from '../math/simd';
import { cubicSplineCurvature, cubicSplineGradient } from '../kernels/sph';
import { firstPair, neighborOf, pairEnd } from './pair-lists';
import { halfSpace, inverseOf, kernelSlope, lookUp, separation } from './pairs';

/**
 * Surface tension as an energy of the area. Where a liquid ends, the gradient C of its colour is not zero, and
 *
 *   E = T sum_i V_0 (sqrt(|C_i|^2 + e^2) - e),   C_i = sum_j V grad W_ij over particles of the same liquid,
 *
 * is the total variation of the colour (e keeps the noise of C within the liquid from counting). The forces are its
 * exact derivative,
 *
 *   f_i = -T V_0 sum_j V H_ij (n_i - n_j),   n = C / sqrt(|C|^2 + e^2),  H the second derivatives of W,
 *
 * with T_i n_i - T_j n_j where T goes by temperature, which pulls along the surface to where it is larger;
 * so a drop keeps its linear and angular momentum. T follows from the tension, see solvers/fluid/tension.ts.
 *
 * Seen from particles only, that energy falls where a layer at the surface parts from the next, where a drop swells, and
 * where a particle leaves it. Against that particles attract each other,
 *
 *   f_i = -A sum_j (b_i + b_j) / 2 c(r_ij / h) x_ij / r_ij,   c(q) = 64 q^3 (1 - q)^3,
 *
 * each by as much as it is at a surface, or alone:
 *
 *   b = BOND_SKIN |C|^2 / (|C|^2 + c^2) + BOND_ALONE min((BOND_FULL - s) / BOND_RISE, 1),   c = BOND_EDGE / h,
 *
 * with s the sum of (1 - r_ij^2 / h^2)^3 over that in a lattice.
 *
 * Not all alike: the inner pressure of attraction everywhere, tension over spacing, is what a large drop would be most
 * of all pressed by, and pressed particles have a rigidity: drops swung 12 % too fast at a radius of 9 spacings, 17 % at
 * 12, and came to rest within two swings. c is such that what attraction the noise of C makes within the liquid balances what
 * pressure its energy makes there: both go by |C|^2, and neither grows with the drop. BOND_ALONE makes a film of single
 * particles on a wall, whose C vanishes, dearer than what the wall's attraction gives: without it drops run out over walls.
 * Walls attract in the same way, by their adhesion: the contact angle has about the cosine 2 adhesion - 1 (Young
 * and Dupré); the angle is larger where a drop has spread and smaller where it has drawn back. Two or three particles on their own, which nothing keeps apart, draw together into one place.
 */
/** One over the sum of (1 - r^2 / h^2)^3 over a cubic lattice of h/2: 6 of 27/64, 12 of 1/8 and 8 of 1/64. */
const PER_LATTICE: f32 = 64.0 / 266.0;

// @ts-ignore: decorator
@inline
export function attraction(q: f32): f32 {
  const p = q * max<f32>(<f32>1 - q, 0);
  return <f32>64 * p * p * p;
}

/** Factor of a particle's tension at its temperature [1]. */
// @ts-ignore: decorator
@inline
export function factorOf(factors: usize, ids: usize, i: usize): f32 {
  return factors == 0 ? 1 : load<f32>(factors + (<usize>load<u32>(ids + (i << 2)) << 2));
}

/** n of all particles, and b in lane 3, both times the factor of their tension. */
export function computeNormals(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const normals = <usize>load<u32>(context + NORMAL);
  const factors = <usize>load<u32>(context + TENSION_FACTOR);
  const ids = <usize>load<u32>(context + ID);
  const keiser = load<u32>(context + KEISER) != 0;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const inverseH: f32 = <f32>1 / load<f32>(context + SUPPORT);
  const norm = load<f32>(context + SPLINE_GRADIENT) * load<f32>(context + VOLUME);
  const perSupport2: f32 = inverseH * inverseH;
  const faint2: f32 = <f32>(FAINT * FAINT) * perSupport2;
  const edge2: f32 = <f32>(BOND_EDGE * BOND_EDGE) * perSupport2;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const own = load<u32>(liquidOf + (i << 2));
    let sum = f32x4.splat(0);
    let near: f32 = 0;
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const j = neighborOf(pair);
      if (load<u32>(liquidOf + (j << 2)) != own) continue;
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      const r2 = dot(d, d);
      // Pairs of [K06] have the spiky gradient, which has no second derivative where particles meet.
      const slope = keiser ? cubicSplineGradient(sqrt(r2), inverseH, norm) : load<f32>(pair + across);
      sum = addMul(sum, f32x4.splat(slope), d);
      const p: f32 = max<f32>(<f32>1 - r2 * perSupport2, 0);
      near += p * p * p;
    }
    const c2 = dot(sum, sum);
    const alone: f32 = min<f32>(max<f32>((<f32>BOND_FULL - PER_LATTICE * near) / <f32>BOND_RISE, 0), 1);
    const bond: f32 = <f32>BOND_SKIN * (c2 / (c2 + edge2)) + <f32>BOND_ALONE * alone;
    const factor = factorOf(factors, ids, i);
    const normal = f32x4.mul(f32x4.splat(factor / sqrt(c2 + faint2)), sum);
    v128.store(normals + (i << 4), f32x4.replace_lane(normal, 3, factor * bond));
  }
}

export function applyTension(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const normals = <usize>load<u32>(context + NORMAL);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + ATTRACTION);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryCapacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const perSupport: f32 = <f32>1 / support;
  const norm = load<f32>(context + SPLINE_GRADIENT);
  const restVolume = load<f32>(context + REST_VOLUME);
  const perVolume: f32 = <f32>1 / restVolume;
  const volumes: f32 = restVolume * load<f32>(context + VOLUME);
  const factors = <usize>load<u32>(context + TENSION_FACTOR);
  const ids = <usize>load<u32>(context + ID);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(liquidOf + (i << 2));
    const liquid = liquids + <usize>own * LIQUID_STRIDE;
    const tension = load<f32>(liquid + LIQUID_TENSION);
    if (tension == 0) continue;
    const xi = v128.load(positions + (i << 4));
    const normal = v128.load(normals + (i << 4));
    let sum = f32x4.splat(0);
    let pull = f32x4.splat(0);
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const j = neighborOf(pair);
      if (load<u32>(liquidOf + (j << 2)) != own) continue;
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      const other = v128.load(normals + (j << 4));
      const difference = f32x4.sub(normal, other);
      const r2 = dot(d, d);
      const r = sqrt(r2);
      const slope = cubicSplineGradient(r, perSupport, norm);
      const along: f32 = r2 > 0 ? (dot(d, difference) * (cubicSplineCurvature(r, perSupport, norm) - slope)) / r2 : 0;
      sum = addMul(addMul(sum, f32x4.splat(slope), difference), f32x4.splat(along), d);
      const mean: f32 = <f32>0.5 * (w(normal) + w(other));
      if (r > 0) pull = addMul(pull, f32x4.splat((mean * attraction(r * perSupport)) / r), d);
    }
    let force = f32x4.mul(f32x4.splat(-tension * volumes), sum);

    const factor = factorOf(factors, ids, i);
    if (boundary) {
      const list = boundaryLists + i * (boundaryCapacity << 2);
      const count = load<u32>(boundaryCounts + (i << 2));
      for (let k: u32 = 0; k < count; k++) {
        const b = <usize>load<u32>(list + (<usize>k << 2));
        const d = separation(xi, v128.load(boundaryPositions + (b << 4)), period, inversePeriod);
        const r = sqrt(dot(d, d));
        const weight = factor * load<f32>(traits + (b << 4)) * load<f32>(traits + (b << 4), 4) * perVolume;
        if (r > 0) pull = addMul(pull, f32x4.splat((weight * attraction(r * perSupport)) / r), d);
      }
    }
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      const adhesion = load<f32>(obstacle + OBSTACLE_ADHESION);
      if (!isPlane(obstacle) || adhesion == 0) continue;
      const surface = obstacleDistance(obstacle, xi);
      if (!(w(surface) < support)) continue;
      const entry = max<f32>(<f32>(HALF_SPACE_ENTRIES - 1) * w(surface) * perSupport, 0);
      const cell = min(<usize>entry, <usize>(HALF_SPACE_ENTRIES - 2));
      const low = load<f32>(table + (cell << 2));
      const strength = low + (entry - <f32>cell) * (load<f32>(table + (cell << 2), 4) - low);
      pull = addMul(pull, f32x4.splat(factor * adhesion * strength), surface);
    }
    force = f32x4.sub(force, f32x4.mul(f32x4.splat(load<f32>(liquid + LIQUID_ATTRACTION)), pull));
    const a = f32x4.mul(f32x4.splat(w(xi)), f32x4.replace_lane(force, 3, 0));
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), a));
  }
}

/**
 * Pressure as the forces between particles make it, into MEASURE [Pa]: a third of the trace of their virial,
 *
 *   P_i = -1/6 sum_j ((p_i + p_j) g_ij . x_ij + T V W'' x_ij . (n_i - n_j) + A / V_0 (b_i + b_j) / 2 c(r_ij / h) r_ij),
 *
 * with n and b of where particles are, by the pairs of the last step (computeNormals). The mean of it within a drop is what its surface presses with.
 * Images in walls count as particles do; they are at twice the distance of the wall and half of its gradient is
 * theirs. A plane has no images that push along it, so beside one the pressure is what the virial has across it.
 */
export function measurePressures(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const pressures = <usize>load<u32>(context + PRESSURE);
  const measures = <usize>load<u32>(context + MEASURE);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const perVolume: f32 = <f32>1 / load<f32>(context + REST_VOLUME);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + HALF_SPACE);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryCapacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const perSupport: f32 = <f32>1 / support;
  const normals = <usize>load<u32>(context + NORMAL);
  const norm = load<f32>(context + SPLINE_GRADIENT);
  const volume = load<f32>(context + VOLUME);
  // What there is of images half a spacing from a plane.
  const beside = x(halfSpace(table, <f32>0.25 * support, support));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const pressure = load<f32>(pressures + (i << 2));
    const own = load<u32>(liquidOf + (i << 2));
    const liquid = liquids + <usize>own * LIQUID_STRIDE;
    const tension: f32 = volume * load<f32>(liquid + LIQUID_TENSION);
    const pull: f32 = <f32>0.5 * perVolume * load<f32>(liquid + LIQUID_ATTRACTION);
    const normal = v128.load(normals + (i << 4));
    const xi = v128.load(positions + (i << 4));
    let pushed: f32 = 0;
    let pulled: f32 = 0;
    let rowX = f32x4.splat(0);
    let rowY = f32x4.splat(0);
    let rowZ = f32x4.splat(0);
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const j = neighborOf(pair);
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      const g = f32x4.mul(v128.load_splat<f32>(pair + across), d);
      const both = f32x4.mul(f32x4.splat(pressure + load<f32>(pressures + (j << 2))), f32x4.replace_lane(d, 3, 0));
      rowX = f32x4.sub(rowX, f32x4.mul(splatX(g), both));
      rowY = f32x4.sub(rowY, f32x4.mul(splatY(g), both));
      rowZ = f32x4.sub(rowZ, f32x4.mul(splatZ(g), both));
      if (pull == 0 || load<u32>(liquidOf + (j << 2)) != own) continue;
      const r = sqrt(dot(d, d));
      const other = v128.load(normals + (j << 4));
      const turn = dot(d, f32x4.sub(normal, other));
      pulled += tension * cubicSplineCurvature(r, perSupport, norm) * turn;
      pulled += pull * (w(normal) + w(other)) * r * attraction(r * perSupport);
    }
    if (boundary) {
      const list = boundaryLists + i * (boundaryCapacity << 2);
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
    pushed += x(rowX) + y(rowY) + z(rowZ);
    // Per plane: how much of its images there is, and what the virial has across it.
    let near: f32 = 0;
    let across: f32 = 0;
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      if (!isPlane(obstacle)) continue;
      const surface = obstacleDistance(obstacle, xi);
      const distance = w(surface);
      if (!(distance < support)) continue;
      const row = halfSpace(table, distance, support);
      const images: f32 = <f32>-2 * pressure * y(row) * distance;
      pushed += images;
      const n = f32x4.replace_lane(surface, 3, 0);
      const through = addMul(addMul(f32x4.mul(splatX(n), rowX), splatY(n), rowY), splatZ(n), rowZ);
      near += x(row);
      across += x(row) * (dot(through, n) + images);
    }
    if (near > 0) {
      const share = min<f32>(near / beside, 1);
      pushed += share * (<f32>3 * across / near - pushed);
    }
    store<f32>(measures + (i << 2), (pushed - pulled) * <f32>0.16666667);
  }
}
