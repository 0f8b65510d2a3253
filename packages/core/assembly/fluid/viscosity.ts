import { BLOCK, OBSTACLE_NO_SLIP, OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  ACCELERATION,
  ALPHA,
  BETA,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_POSITION,
  BOUNDARY_CAPACITY,
  BOUNDARY_TRAITS,
  BOUNDARY_VELOCITY,
  COEFFICIENTS,
  DIRECTION,
  EDDY,
  EXPLICIT,
  FIXED,
  HALF_SPACE,
  KEISER,
  OBSTACLE_COUNT,
  OBSTACLES,
  NEIGHBORS,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  PRECONDITIONER,
  PRODUCT,
  RESIDUAL,
  REST_VOLUME,
  SPLINE_GRADIENT,
  STEP,
  SUPPORT,
  VELOCITY,
  VISCOSITY_KERNEL,
  VOLUME,
  WALL_DRAG,
  XSPH,
} from '../../src/particles/fluid-layout';
import { replaceAxes } from '../constraints/prescribe';
import { isPlane, obstacleDistance, planeDistance, wallVelocity } from '../contact/obstacles';
import {
  cubicSplineGradients,
  cubicSplines,
  transposed0,
  transposed1,
  transposed2,
  transposed3,
  viscosityLaplacians,
} from '../kernels/lanes';
import { viscosityLaplacian } from '../kernels/sph';
import { addMul, dot, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { firstPair, neighborOffset, pairEnd } from './pair-lists';
import { halfSpace, inverseOf, separation, shortest } from './pairs';
import { sumsOf } from './pressure';
import { EDDY_PATH, FACTOR, harmonicMeans, SOFTENING, viscousScales } from './viscous-pair';

/**
 * Viscosity, J. J. Monaghan 2005 section 4.3 with the factor 2 (d + 2) of three dimensions:
 *
 *   f_i = V sum_j 10 mu_ij (v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2) g_ij
 *
 * mu_ij the harmonic mean. It acts along the line of the two, so it keeps linear and angular momentum.
 * Walls that hold the liquid act with the velocity that continues its profile, J. P. Morris 1997. With the
 * kernels of [K06] it is f_i = V sum_j mu_ij V (v_j - v_i) lap W_ij, eq. 4.7.
 */
/** For walls, where it is the softening alone. */
export const WALL_FACTOR: f32 = 10.4;
/** The table of half-spaces has 10. */
const SCALE: f32 = 1.04;

// @ts-ignore: decorator
@inline
function harmonicMean(a: f32, b: f32): f32 {
  const sum = a + b;
  return sum > 0 ? (<f32>2 * a * b) / sum : 0;
}

/** Normalisation of the viscosity kernel over FACTOR, with the volume; 0 without the kernels of [K06]. */
// @ts-ignore: decorator
@inline
function laplacianOf(context: usize): f32 {
  if (load<u32>(context + KEISER) == 0) return 0;
  return (load<f32>(context + VISCOSITY_KERNEL) * load<f32>(context + VOLUME)) / FACTOR;
}

/** Sum of the pair terms without the walls, of any field of vectors. */
// @ts-ignore: decorator
@inline
function viscousSum(
  field: usize, i: usize, xi: v128, mu: f32, positions: usize, velocities: usize, first: usize, last: usize, across: usize,
  period: v128, inversePeriod: v128, softening: f32, laplacian: f32, support: f32,
): v128 {
  const own = v128.load(field + (i << 4));
  let sum = f32x4.splat(0);
  for (let pair = first; pair < last; pair += 4) {
    const j = neighborOffset(pair);
    const d = separation(xi, v128.load(positions + j), period, inversePeriod);
    const difference = f32x4.sub(own, v128.load(field + j));
    if (laplacian != 0) {
      const scale = harmonicMean(mu, load<f32>(velocities + j, 12)) * viscosityLaplacian(sqrt(dot(d, d)), support, laplacian);
      sum = f32x4.sub(sum, f32x4.mul(f32x4.splat(scale), difference));
      continue;
    }
    const share = (harmonicMean(mu, load<f32>(velocities + j, 12)) * dot(difference, d)) / (dot(d, d) + softening);
    sum = addMul(sum, f32x4.splat(share * load<f32>(pair + across)), d);
  }
  return sum;
}

/** Walls: what they add to the acceleration at rest with the particle (in `carried`), and their drag as a matrix. */
let drag0: v128 = i32x4(0, 0, 0, 0);
let drag1: v128 = i32x4(0, 0, 0, 0);
let drag2: v128 = i32x4(0, 0, 0, 0);
let carried: v128 = i32x4(0, 0, 0, 0);

/** Adds a drag of `along` along a direction and `across` it, towards a velocity. */
// @ts-ignore: decorator
@inline
function addDrag(direction: v128, along: f32, across: f32, velocity: v128): void {
  const n = f32x4.replace_lane(direction, 3, 0);
  const difference = along - across;
  const n0 = f32x4.mul(f32x4.splat(difference * x(n)), n);
  const n1 = f32x4.mul(f32x4.splat(difference * y(n)), n);
  const n2 = f32x4.mul(f32x4.splat(difference * z(n)), n);
  drag0 = f32x4.add(drag0, f32x4.add(n0, vector(across, 0, 0, 0)));
  drag1 = f32x4.add(drag1, f32x4.add(n1, vector(0, across, 0, 0)));
  drag2 = f32x4.add(drag2, f32x4.add(n2, vector(0, 0, across, 0)));
  const alongIt = f32x4.mul(f32x4.splat(difference * dot(n, velocity)), n);
  carried = f32x4.add(carried, addMul(alongIt, f32x4.splat(across), velocity));
}

/** Drag of all walls on a particle, per viscosity [1/m2]. */
function gatherWalls(context: usize, i: usize, xi: v128, period: v128, inversePeriod: v128): void {
  drag0 = drag1 = drag2 = carried = f32x4.splat(0);
  const support = load<f32>(context + SUPPORT);
  if (load<u32>(context + BOUNDARY_COUNT) > 0) {
    const capacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
    const list = <usize>load<u32>(context + BOUNDARY_FOUND) + i * (capacity << 2);
    const count = load<u32>(<usize>load<u32>(context + BOUNDARY_FOUND_COUNT) + (i << 2));
    const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
    const boundaryVelocities = <usize>load<u32>(context + BOUNDARY_VELOCITY);
    const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
    const slope = f32x4.splat(load<f32>(context + SPLINE_GRADIENT));
    for (let k: u32 = 0; k < count; k++) {
      const b = <usize>load<u32>(list + (<usize>k << 2));
      const xb = v128.load(boundaryPositions + (b << 4));
      const vb = v128.load(boundaryVelocities + (b << 4));
      if (w(vb) == 0) continue;
      const d = separation(xi, xb, period, inversePeriod);
      const r2 = dot(d, d);
      const q = f32x4.splat(sqrt(r2) / support);
      // 10 V_b W'/r d d^T / (r^2 + ...), W' <= 0.
      const along = x(cubicSplineGradients(q, slope)) * load<f32>(traits + (b << 4), 4) * r2 * (-WALL_FACTOR * w(vb)) / (r2 + SOFTENING * support * support);
      if (r2 > 0) addDrag(f32x4.mul(d, f32x4.splat(<f32>1 / sqrt(r2))), along, 0, f32x4.replace_lane(vb, 3, 0));
    }
  }
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + HALF_SPACE);
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    const noSlip = load<f32>(obstacle + OBSTACLE_NO_SLIP);
    if (!isPlane(obstacle) || noSlip == 0) continue;
    if (!(planeDistance(obstacle, xi) < support)) continue;
    const surface = obstacleDistance(obstacle, xi);
    const row = halfSpace(table, w(surface), support);
    addDrag(surface, SCALE * noSlip * w(row), SCALE * noSlip * z(row), f32x4.replace_lane(wallVelocity(obstacle, xi), 3, 0));
  }
}

/** Sums of the first three lanes of each. */
// @ts-ignore: decorator
@inline
function dots(a: v128, b: v128, c: v128, d: v128): v128 {
  return f32x4.add(f32x4.add(transposed0(a, b, c, d), transposed1(a, b, c, d)), transposed2(a, b, c, d));
}

/** a_0 b_0 + a_1 b_1 + a_2 b_2 + a_3 b_3 with the lanes of a. */
// @ts-ignore: decorator
@inline
function weighted(a: v128, b0: v128, b1: v128, b2: v128, b3: v128): v128 {
  const first = addMul(f32x4.mul(splatX(a), b0), splatY(a), b1);
  return addMul(addMul(first, splatZ(a), b2), v128.shuffle<f32>(a, a, 3, 3, 3, 3), b3);
}

/**
 * Explicit: adds the viscous acceleration, that of the liquid itself unless it is solved for implicitly, and that
 * of eddies too small to be seen: a kinematic viscosity of EDDY * spacing * |v_ij . x_ij| / |x_ij|, after J. von
 * Neumann and R. D. Richtmyer 1950, which dies out with the noise that it damps.
 */
export function applyViscosity(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const repeats = v128.any_true(period);
  const support = load<f32>(context + SUPPORT);
  const volume = load<f32>(context + REST_VOLUME);
  const softenings = f32x4.splat(SOFTENING * support * support);
  const laplacian = laplacianOf(context);
  const explicit = load<u32>(context + EXPLICIT) != 0;
  const eddies = f32x4.splat((support * load<f32>(context + EDDY)) / volume);
  const fastest = f32x4.splat((EDDY_PATH * <f32>0.5 * support) / load<f32>(context + STEP));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const vi = v128.load(velocities + (i << 4));
    const mu: f32 = explicit ? w(vi) : 0;
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    const perMass = f32x4.splat(w(xi));
    const viscosity = f32x4.splat(mu);
    let sum = f32x4.splat(0);
    for (let pair = first; pair < last; pair += 16) {
      const j0 = <usize>load<u32>(pair);
      const j1 = <usize>load<u32>(pair, 4);
      const j2 = <usize>load<u32>(pair, 8);
      const j3 = <usize>load<u32>(pair, 12);
      const x0 = v128.load(positions + j0);
      const x1 = v128.load(positions + j1);
      const x2 = v128.load(positions + j2);
      const x3 = v128.load(positions + j3);
      const v0 = v128.load(velocities + j0);
      const v1 = v128.load(velocities + j1);
      const v2 = v128.load(velocities + j2);
      const v3 = v128.load(velocities + j3);
      let d0 = f32x4.sub(xi, x0);
      let d1 = f32x4.sub(xi, x1);
      let d2 = f32x4.sub(xi, x2);
      let d3 = f32x4.sub(xi, x3);
      if (repeats) {
        d0 = shortest(d0, period, inversePeriod);
        d1 = shortest(d1, period, inversePeriod);
        d2 = shortest(d2, period, inversePeriod);
        d3 = shortest(d3, period, inversePeriod);
      }
      const squared = dots(f32x4.mul(d0, d0), f32x4.mul(d1, d1), f32x4.mul(d2, d2), f32x4.mul(d3, d3));
      const r2 = f32x4.add(squared, softenings);
      const u0 = f32x4.sub(vi, v0);
      const u1 = f32x4.sub(vi, v1);
      const u2 = f32x4.sub(vi, v2);
      const u3 = f32x4.sub(vi, v3);
      const along = dots(f32x4.mul(u0, d0), f32x4.mul(u1, d1), f32x4.mul(u2, d2), f32x4.mul(u3, d3));
      let own = f32x4.splat(0);
      if (mu > 0) {
        own = harmonicMeans(viscosity, transposed3(v0, v1, v2, v3));
        if (laplacian != 0) {
          // What fills the last four up has no difference.
          const scale = f32x4.mul(own, viscosityLaplacians(f32x4.sqrt(squared), f32x4.splat(support), f32x4.splat(laplacian)));
          sum = f32x4.sub(sum, weighted(scale, u0, u1, u2, u3));
          own = f32x4.splat(0);
        }
      }
      const perMasses = f32x4.add(perMass, transposed3(x0, x1, x2, x3));
      const scales = viscousScales(along, r2, perMasses, own, eddies, fastest);
      sum = f32x4.add(sum, weighted(f32x4.mul(scales, v128.load(pair + across)), d0, d1, d2, d3));
    }
    const force = f32x4.mul(f32x4.splat(FACTOR), sum);
    const acceleration = f32x4.mul(f32x4.splat(volume * w(xi)), f32x4.replace_lane(force, 3, 0));
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), acceleration));
  }
}

/** Is there something that can hold the liquid? */
function hasNoSlip(context: usize): bool {
  if (load<u32>(context + BOUNDARY_COUNT) > 0) return true;
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const end = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  for (let obstacle = obstacles; obstacle < end; obstacle += OBSTACLE_STRIDE) {
    if (isPlane(obstacle) && load<f32>(obstacle + OBSTACLE_NO_SLIP) != 0) return true;
  }
  return false;
}

/** Adds what walls do by the liquid's viscosity, where that is explicit. */
export function applyWallDrag(begin: u32, end: u32, context: usize): void {
  if (!hasNoSlip(context)) return;
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const volume = load<f32>(context + REST_VOLUME);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const vi = v128.load(velocities + (i << 4));
    if (!(w(vi) > 0)) continue;
    gatherWalls(context, i, xi, period, inversePeriod);
    const wall = f32x4.sub(carried, vector(dot(drag0, vi), dot(drag1, vi), dot(drag2, vi), 0));
    const acceleration = f32x4.mul(f32x4.splat(volume * w(xi) * w(vi)), f32x4.replace_lane(wall, 3, 0));
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), acceleration));
  }
}

/** Keeps the drag of all walls at the present velocities, per volume, for who asks. */
export function noteWallDrag(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const drags = <usize>load<u32>(context + WALL_DRAG);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const springs = hasNoSlip(context);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const vi = v128.load(velocities + (i << 4));
    let drag = f32x4.splat(0);
    if (springs && w(vi) > 0) {
      gatherWalls(context, i, v128.load(positions + (i << 4)), period, inversePeriod);
      const wall = f32x4.sub(carried, vector(dot(drag0, vi), dot(drag1, vi), dot(drag2, vi), 0));
      drag = f32x4.replace_lane(f32x4.mul(f32x4.splat(w(vi)), wall), 3, 0);
    }
    v128.store(drags + (i << 4), drag);
  }
}

/**
 * XSPH, J. J. Monaghan 1989: moves velocities towards those of the neighbours, as an acceleration. Weighted
 * so that momentum is kept between liquids of different mass.
 */
export function applyXsph(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const perSupport: f32 = <f32>1 / load<f32>(context + SUPPORT);
  // W of the spline from W'/r: 8 / (pi h^3) from 8 / (pi h^5).
  const support = load<f32>(context + SUPPORT);
  const norm = f32x4.splat(load<f32>(context + SPLINE_GRADIENT) * support * support);
  const share: f32 = (load<f32>(context + XSPH) * load<f32>(context + VOLUME)) / load<f32>(context + STEP);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const vi = v128.load(velocities + (i << 4));
    let sum = f32x4.splat(0);
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const j = neighborOffset(pair);
      const xj = v128.load(positions + j);
      const d = separation(xi, xj, period, inversePeriod);
      const kernel = x(cubicSplines(f32x4.splat(sqrt(dot(d, d)) * perSupport), norm));
      const weight: f32 = (<f32>2 * w(xi)) / (w(xi) + w(xj));
      sum = addMul(sum, f32x4.splat(weight * kernel), f32x4.sub(v128.load(velocities + j), vi));
    }
    const a = f32x4.replace_lane(f32x4.mul(f32x4.splat(share), sum), 3, 0);
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), a));
  }
}

// Implicit viscosity, after M. Weiler et al. 2018: (m - h K) (v - v*) = h f(v*) by conjugate gradients, with the
// same pair terms, so that what it conserves is the same.

/** The right side h f(v*), and the preconditioner: one over a third of the trace of the diagonal blocks. */
export function beginViscosity(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const preconditioners = <usize>load<u32>(context + PRECONDITIONER);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const volume = load<f32>(context + REST_VOLUME);
  const softening = SOFTENING * support * support;
  const laplacian = laplacianOf(context);
  const h = load<f32>(context + STEP);
  const fixed = <usize>load<u32>(context + FIXED);
  let size: f64 = 0;
  let scale: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const vi = v128.load(velocities + (i << 4));
    const mu = w(vi);
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    const inner = viscousSum(velocities, i, xi, mu, positions, velocities, first, last, across, period, inversePeriod, softening, laplacian, support);
    gatherWalls(context, i, xi, period, inversePeriod);
    const wall = f32x4.sub(carried, vector(dot(drag0, vi), dot(drag1, vi), dot(drag2, vi), 0));
    const force = addMul(f32x4.mul(f32x4.splat(FACTOR), inner), f32x4.splat(mu), wall);
    const impulse = f32x4.replace_lane(f32x4.mul(f32x4.splat(h * volume), force), 3, 0);
    // Prescribed velocities are given, not solved for.
    const r = replaceAxes(impulse, f32x4.splat(0), load<u32>(fixed + (i << 2)));
    v128.store(residuals + (i << 4), r);
    v128.store(directions + (i << 4), f32x4.splat(0));
    let trace: f32 = mu * (x(drag0) + y(drag1) + z(drag2));
    for (let pair = first; pair < last; pair += 4) {
      const j = neighborOffset(pair);
      const d = separation(xi, v128.load(positions + j), period, inversePeriod);
      if (laplacian != 0) {
        const lap = viscosityLaplacian(sqrt(dot(d, d)), support, laplacian);
        trace += <f32>3 * FACTOR * harmonicMean(mu, load<f32>(velocities + j, 12)) * lap;
        continue;
      }
      const r2 = dot(d, d);
      trace -= (FACTOR * harmonicMean(mu, load<f32>(velocities + j, 12)) * load<f32>(pair + across) * r2) / (r2 + softening);
    }
    const mass: f32 = <f32>1 / w(xi);
    store<f32>(preconditioners + (i << 2), <f32>1 / (mass + h * volume * trace * <f32>0.33333333));
    size += <f64>(dot(r, r) * w(xi));
    scale += <f64>(dot(vi, vi) * mass);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      const out = sumsOf(context, i / BLOCK);
      store<f64>(out, size);
      store<f64>(out, scale, 8);
      size = 0;
      scale = 0;
    }
  }
}

/** Per block r . z, z = preconditioned r. */
export function sumViscousResiduals(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const preconditioners = <usize>load<u32>(context + PRECONDITIONER);
  let along: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const r = v128.load(residuals + (i << 4));
    along += <f64>(dot(r, r) * load<f32>(preconditioners + (i << 2)));
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), along);
      along = 0;
    }
  }
}

/** p = z + beta p */
export function advanceViscousDirections(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const preconditioners = <usize>load<u32>(context + PRECONDITIONER);
  const beta = f32x4.splat(load<f32>(context + BETA));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const fresh = f32x4.mul(v128.load_splat<f32>(preconditioners + (i << 2)), v128.load(residuals + (i << 4)));
    v128.store(directions + (i << 4), addMul(fresh, beta, v128.load(directions + (i << 4))));
  }
}

/** q = (m - h K) p; per block p . q. */
export function computeViscousProducts(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const support = load<f32>(context + SUPPORT);
  const volume = load<f32>(context + REST_VOLUME);
  const softening = SOFTENING * support * support;
  const laplacian = laplacianOf(context);
  const h = load<f32>(context + STEP);
  const fixed = <usize>load<u32>(context + FIXED);
  let along: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const mu = load<f32>(velocities + (i << 4), 12);
    const p = v128.load(directions + (i << 4));
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    const inner = viscousSum(directions, i, xi, mu, positions, velocities, first, last, across, period, inversePeriod, softening, laplacian, support);
    gatherWalls(context, i, xi, period, inversePeriod);
    const wall = vector(dot(drag0, p), dot(drag1, p), dot(drag2, p), 0);
    const force = f32x4.sub(f32x4.mul(f32x4.splat(FACTOR), inner), f32x4.mul(f32x4.splat(mu), wall));
    const mass: f32 = <f32>1 / w(xi);
    const q = f32x4.replace_lane(
      f32x4.sub(f32x4.mul(f32x4.splat(mass), p), f32x4.mul(f32x4.splat(h * volume), force)), 3, 0,
    );
    v128.store(products + (i << 4), replaceAxes(q, f32x4.splat(0), load<u32>(fixed + (i << 2))));
    along += <f64>dot(p, q);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), along);
      along = 0;
    }
  }
}

/** v += alpha p, r -= alpha q; per block r . r / m. */
export function advanceViscousVelocities(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let size: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 4;
    // Directions have nothing in lane 3, where the viscosity is.
    v128.store(velocities + at, addMul(v128.load(velocities + at), alpha, v128.load(directions + at)));
    const r = f32x4.sub(v128.load(residuals + at), f32x4.mul(alpha, v128.load(products + at)));
    v128.store(residuals + at, r);
    size += <f64>(dot(r, r) * load<f32>(positions + at, 12));
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), size);
      size = 0;
    }
  }
}
