import { OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  ACCELERATION,
  ANISOTROPY,
  ANISOTROPY_ACROSS,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_POSITION,
  BOUNDARY_KERNEL_ENTRIES,
  BOUNDARY_CAPACITY,
  BOUNDARY_TRAITS,
  BOUNDARY_VELOCITY,
  COEFFICIENTS,
  EDDY,
  EXPLICIT,
  FACTOR,
  GRADIENT,
  GRAVITY,
  HALF_SPACE,
  HALF_SPACE_ENTRIES,
  INNER_OPENING,
  KEISER,
  KERNEL,
  KERNEL_GRADIENT,
  LEFT,
  NEIGHBORS,
  OBSTACLE_COUNT,
  OBSTACLES,
  OPENING,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  PRESSURE,
  RATIO,
  REST_VOLUME,
  STEP,
  SUPPORT,
  VELOCITY,
  VOLUME,
} from '../../src/particles/fluid-layout';
import { isPlane, obstacleDistance, planeDistance, wallVelocity } from '../contact/obstacles';
import {
  cubicSplineCurvatures,
  cubicSplineGradients,
  cubicSplines,
  spikyGradients,
  spikys,
  sumOfLanes,
  transposed0,
  transposed1,
  transposed2,
  transposed3,
} from '../kernels/lanes';
import { addMul, dot, splatX, splatY, splatZ, vector, w, x } from '../math/simd';
import { firstPair } from './pair-lists';
import { EDDY_PATH, FACTOR as VISCOUS, harmonicMeans, SOFTENING, viscousScales } from './viscous-pair';

/** From j to i, by the shortest way where space repeats. */
// @ts-ignore: decorator
@inline
export function separation(xi: v128, xj: v128, period: v128, inversePeriod: v128): v128 {
  return shortest(f32x4.sub(xi, xj), period, inversePeriod);
}

/** A difference of positions, by the shortest way where space repeats. */
// @ts-ignore: decorator
@inline
export function shortest(d: v128, period: v128, inversePeriod: v128): v128 {
  return f32x4.sub(d, f32x4.mul(period, f32x4.nearest(f32x4.mul(d, inversePeriod))));
}

/** One over each period, 0 where there is none; the lane of the mass is left alone. */
// @ts-ignore: decorator
@inline
export function inverseOf(period: v128): v128 {
  const there = f32x4.gt(period, f32x4.splat(0));
  return v128.and(f32x4.div(f32x4.splat(1), v128.bitselect(period, f32x4.splat(1), there)), there);
}

/** Interpolated row of the half-space table at a distance from the plane; the distance is less than the support. */
// @ts-ignore: decorator
@inline
export function halfSpace(table: usize, distance: f32, support: f32): v128 {
  const entry = max<f32>(<f32>(<f32>0.5 * <f32>(HALF_SPACE_ENTRIES - 1)) * (distance / support + <f32>1), 0);
  const cell = min(<usize>entry, <usize>(HALF_SPACE_ENTRIES - 2));
  const share = f32x4.splat(entry - <f32>cell);
  const low = v128.load(table + (cell << 4));
  return addMul(low, share, f32x4.sub(v128.load(table + (cell << 4), 16), low));
}

/** What lookUp found: k and 1/r dk/dr of a boundary particle's kernel. */
export let kernelValue: f32 = 0;
export let kernelSlope: f32 = 0;

/** Next to boundary particles with more than a share of the density, one over this, how evenly all is spread is not known. */
const MOST_SOLID: f32 = 20;
/** Particles with less around them than this, where 1 is all of it, are spray. */
const LEAST_SPREAD: f32 = 0.3;

/** The kernel of a boundary particle at a distance over the support. */
// @ts-ignore: decorator
@inline
export function lookUp(trait: usize, q: f32): void {
  const entry = <f32>(BOUNDARY_KERNEL_ENTRIES - 1) * min<f32>(q, 1);
  const cell = min(<usize>entry, <usize>(BOUNDARY_KERNEL_ENTRIES - 2));
  const at = <usize>load<u32>(trait, 8) + (cell << 3);
  const share: f32 = entry - <f32>cell;
  const value = load<f32>(at);
  const slope = load<f32>(at, 4);
  kernelValue = value + share * (load<f32>(at, 8) - value);
  kernelSlope = slope + share * (load<f32>(at, 12) - slope);
}

/**
 * Pairs of the liquid particles and what their sums give:
 *
 *   s_i = V W(0) + sum_j V W_ij + sum_b V_b k_ib                       density over rest density
 *   g_ij = V grad W_ij,  G_i = sum_j g_ij + sum_b V_b grad k_ib        its gradient
 *   1 / factor_i = V_0 (|G_i|^2 / m_i + sum_j |g_ij|^2 / m_j)
 *
 * A boundary is full of mirror images of the liquid, so it pushes back as much as liquid would: that of planes
 * is tabulated, ghost particles without the particles; boundary particles have kernels k that add up to it,
 * see solvers/fluid/calibration.ts. Forces are the derivative of the densities, so that pressure does no work of
 * its own. A boundary does not give way, so it enters by sums alone.
 */
export function computeLiquidPairs(begin: u32, end: u32, context: usize): void {
  if (isPlain(context)) arrangePlainPairs(begin, end, context);
  else arrangePairs(begin, end, context, false, false, false);
}

/**
 * The same, and while distances are at hand the accelerations by gravity and what viscosity.ts has for pairs, and how a step
 * straight on compresses in second order, s(x + h v) = s + h ds/dt + h^2 e (u = v_i - v_j, n along the pair; walls left out):
 *
 *   e_i = 1/2 sum_j (c_ij (|u|^2 - (u . n)^2) + V W''_ij (u . n)^2)
 */
export function computeViscousPairs(begin: u32, end: u32, context: usize): void {
  if (isPlain(context)) arrangePlainViscousPairs(begin, end, context);
  else arrangePairs(begin, end, context, true, false, false);
}

/** The same, and how unevenly neighbours are spread around a particle, with what pressure makes of that: see structure.ts. */
export function computeStructuredPairs(begin: u32, end: u32, context: usize): void {
  arrangePairs(begin, end, context, true, false, true);
}

/** Space that does not repeat, and the cubic spline: compiled apart, so that nothing is asked in the loop over pairs. */
// @ts-ignore: decorator
@inline
function isPlain(context: usize): bool {
  return !v128.any_true(v128.load(context + PERIOD)) && load<u32>(context + KEISER) == 0;
}

function arrangePlainPairs(begin: u32, end: u32, context: usize): void {
  arrangePairs(begin, end, context, false, true, false);
}

function arrangePlainViscousPairs(begin: u32, end: u32, context: usize): void {
  arrangePairs(begin, end, context, true, true, false);
}

// @ts-ignore: decorator
@inline
function arrangePairs(begin: u32, end: u32, context: usize, viscous: bool, plain: bool, structured: bool): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const gravity = v128.load(context + GRAVITY);
  const explicit = load<u32>(context + EXPLICIT) != 0;
  const curved = <usize>load<u32>(context + LEFT);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundaryCapacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const boundaryVelocities = <usize>load<u32>(context + BOUNDARY_VELOCITY);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  const table = <usize>load<u32>(context + HALF_SPACE);
  const ratios = <usize>load<u32>(context + RATIO);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const openings = <usize>load<u32>(context + OPENING);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const anisotropies = <usize>load<u32>(context + ANISOTROPY);
  const anisotropiesAcross = <usize>load<u32>(context + ANISOTROPY_ACROSS);
  const disorder: f32 = <f32>1 / load<f32>(context + INNER_OPENING);
  const factors = <usize>load<u32>(context + FACTOR);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const repeats = !plain && v128.any_true(period);
  const keiser = !plain && load<u32>(context + KEISER) != 0;
  const support = load<f32>(context + SUPPORT);
  const volume = load<f32>(context + VOLUME);
  const restVolume = load<f32>(context + REST_VOLUME);
  const perSupport = f32x4.splat(<f32>1 / support);
  const norm = f32x4.splat(load<f32>(context + KERNEL));
  const slope = f32x4.splat(volume * load<f32>(context + KERNEL_GRADIENT));
  // The filling of lists, and what coincides, is not apart.
  const nowhere = f32x4.splat(<f32>1e-6 * support * support);
  const curvature = f32x4.splat((volume * load<f32>(context + KERNEL)) / (support * support));
  const lanes = i32x4(0, 1, 2, 3);
  const atZero = load<f32>(context + KERNEL);
  const softening = f32x4.splat(SOFTENING * support * support);
  const eddies = f32x4.splat((support * load<f32>(context + EDDY)) / restVolume);
  const fastest = f32x4.splat((EDDY_PATH * <f32>0.5 * support) / load<f32>(context + STEP));

  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const perMass = w(xi);
    let pair = firstPair(neighbors, begins, i);
    let shares = f32x4.splat(0);
    let gxs = f32x4.splat(0);
    let gys = f32x4.splat(0);
    let gzs = f32x4.splat(0);
    let squares = f32x4.splat(0);
    const vi = v128.load(velocities + (i << 4));
    const mu: f32 = viscous && explicit ? w(vi) : 0;
    let fxs = f32x4.splat(0);
    let fys = f32x4.splat(0);
    let fzs = f32x4.splat(0);
    let curves = f32x4.splat(0);
    let bxx = f32x4.splat(0);
    let byy = f32x4.splat(0);
    let bzz = f32x4.splat(0);
    let byz = f32x4.splat(0);
    let bzx = f32x4.splat(0);
    let bxy = f32x4.splat(0);
    let left = load<i32>(counts + (i << 2));
    if (left > 0) do {
      const j0 = <usize>load<u32>(pair);
      const j1 = <usize>load<u32>(pair, 4);
      const j2 = <usize>load<u32>(pair, 8);
      const j3 = <usize>load<u32>(pair, 12);
      let d0 = f32x4.sub(xi, v128.load(positions + j0));
      let d1 = f32x4.sub(xi, v128.load(positions + j1));
      let d2 = f32x4.sub(xi, v128.load(positions + j2));
      let d3 = f32x4.sub(xi, v128.load(positions + j3));
      if (repeats) {
        d0 = shortest(d0, period, inversePeriod);
        d1 = shortest(d1, period, inversePeriod);
        d2 = shortest(d2, period, inversePeriod);
        d3 = shortest(d3, period, inversePeriod);
      }
      const dx = transposed0(d0, d1, d2, d3);
      const dy = transposed1(d0, d1, d2, d3);
      const dz = transposed2(d0, d1, d2, d3);
      const perMasses = f32x4.sub(f32x4.splat(perMass), transposed3(d0, d1, d2, d3));
      const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
      const q = f32x4.mul(f32x4.sqrt(r2), perSupport);
      const there = i32x4.lt_s(lanes, i32x4.splat(left));
      const value = keiser ? spikys(q, norm) : cubicSplines(q, norm);
      shares = f32x4.add(shares, v128.and(value, there));
      const along = v128.and(keiser ? spikyGradients(q, slope) : cubicSplineGradients(q, slope), there);
      v128.store(pair + across, along);
      const gx = f32x4.mul(along, dx);
      const gy = f32x4.mul(along, dy);
      const gz = f32x4.mul(along, dz);
      gxs = f32x4.add(gxs, gx);
      gys = f32x4.add(gys, gy);
      gzs = f32x4.add(gzs, gz);
      squares = addMul(squares, f32x4.mul(f32x4.mul(along, along), r2), perMasses);
      if (structured) {
        bxx = addMul(bxx, gx, dx);
        byy = addMul(byy, gy, dy);
        bzz = addMul(bzz, gz, dz);
        byz = addMul(byz, gy, dz);
        bzx = addMul(bzx, gz, dx);
        bxy = addMul(bxy, gx, dy);
      }
      if (viscous) {
        const v0 = v128.load(velocities + j0);
        const v1 = v128.load(velocities + j1);
        const v2 = v128.load(velocities + j2);
        const v3 = v128.load(velocities + j3);
        const ux = f32x4.sub(splatX(vi), transposed0(v0, v1, v2, v3));
        const uy = f32x4.sub(splatY(vi), transposed1(v0, v1, v2, v3));
        const uz = f32x4.sub(splatZ(vi), transposed2(v0, v1, v2, v3));
        const approaches = addMul(addMul(f32x4.mul(ux, dx), uy, dy), uz, dz);
        const own = mu > 0 ? harmonicMeans(f32x4.splat(mu), transposed3(v0, v1, v2, v3)) : f32x4.splat(0);
        const masses = f32x4.add(f32x4.splat(perMass), perMasses);
        const scales = f32x4.mul(along, viscousScales(approaches, f32x4.add(r2, softening), masses, own, eddies, fastest));
        const speeds = addMul(addMul(f32x4.mul(ux, ux), uy, uy), uz, uz);
        const radial = f32x4.div(f32x4.mul(approaches, approaches), f32x4.pmax(r2, nowhere));
        curves = addMul(addMul(curves, along, f32x4.sub(speeds, radial)), cubicSplineCurvatures(q, curvature), radial);
        fxs = addMul(fxs, scales, dx);
        fys = addMul(fys, scales, dy);
        fzs = addMul(fzs, scales, dz);
      }
      pair += 16;
      left -= 4;
    } while (left > 0);
    if (viscous) {
      store<f32>(curved + (i << 2), <f32>0.5 * sumOfLanes(curves));
      const force = vector(sumOfLanes(fxs), sumOfLanes(fys), sumOfLanes(fzs), 0);
      v128.store(accelerations + (i << 4), addMul(gravity, f32x4.splat(restVolume * perMass * VISCOUS), force));
    }
    let ratio = volume * (atZero + sumOfLanes(shares));
    const inner = vector(sumOfLanes(gxs), sumOfLanes(gys), sumOfLanes(gzs), 0);
    let outer = f32x4.splat(0);
    let carried = f32x4.splat(0);
    const alone = ratio;

    if (boundary) {
      const boundaryList = boundaryLists + i * (boundaryCapacity << 2);
      const m = load<u32>(boundaryCounts + (i << 2));
      for (let k: u32 = 0; k < m; k++) {
        const b = <usize>load<u32>(boundaryList + (<usize>k << 2));
        const xb = v128.load(boundaryPositions + (b << 4));
        const d = f32x4.replace_lane(separation(xi, xb, period, inversePeriod), 3, 0);
        lookUp(traits + (b << 4), sqrt(dot(d, d)) / support);
        ratio += w(xb) * kernelValue;
        const g = f32x4.mul(f32x4.splat(w(xb) * kernelSlope), d);
        outer = f32x4.add(outer, g);
        carried = addMul(carried, g, v128.load(boundaryVelocities + (b << 4)));
      }
    }
    // Where planes meet at right angles the kernel within all of them is nearly the product of its shares.
    const solid: f32 = ratio - alone;
    let spread = vector(-sumOfLanes(bxx), -sumOfLanes(byy), -sumOfLanes(bzz), 0);
    let spreadAcross = vector(-sumOfLanes(byz), -sumOfLanes(bzx), -sumOfLanes(bxy), 0);
    let outside: f32 = 1;
    let walls = f32x4.splat(0);
    let wallsCarry = f32x4.splat(0);
    for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
      if (!isPlane(obstacle) || !(planeDistance(obstacle, xi) < support)) continue;
      const surface = obstacleDistance(obstacle, xi);
      const row = halfSpace(table, w(surface), support);
      const g = f32x4.mul(splatY(row), f32x4.replace_lane(surface, 3, 0));
      const rest: f32 = max<f32>(<f32>1 - x(row), 0);
      // d (1 - prod_k (1 - lambda_k)), plane by plane.
      walls = addMul(f32x4.mul(f32x4.splat(rest), walls), f32x4.splat(outside), g);
      wallsCarry = addMul(f32x4.mul(f32x4.splat(rest), wallsCarry), f32x4.mul(f32x4.splat(outside), g), wallVelocity(obstacle, xi));
      if (structured) {
        // Layers of images: as much along the plane as their share of the density, across it by how that falls off.
        const normal = f32x4.replace_lane(surface, 3, 0);
        const along: f32 = outside * x(row);
        const excess = f32x4.splat(-outside * f32x4.extract_lane(row, 1) * w(surface) - along);
        spread = f32x4.add(spread, addMul(f32x4.splat(along), excess, f32x4.mul(normal, normal)));
        const turned = f32x4.mul(v128.shuffle<f32>(normal, normal, 1, 2, 0, 3), v128.shuffle<f32>(normal, normal, 2, 0, 1, 3));
        spreadAcross = addMul(spreadAcross, excess, turned);
      }
      outside *= rest;
    }
    ratio += <f32>1 - outside;
    outer = f32x4.add(outer, walls);
    carried = f32x4.add(carried, wallsCarry);
    const gradient = f32x4.add(inner, outer);
    // Half of what walls push by is their images' own.
    const open = addMul(inner, f32x4.splat(0.5), outer);
    store<f32>(openings + (i << 2), dot(open, open));
    if (structured) {
      const mean: f32 = <f32>0.33333333 * (x(spread) + f32x4.extract_lane(spread, 1) + f32x4.extract_lane(spread, 2));
      const whole: f32 = min<f32>(max<f32>(<f32>2 - disorder * dot(open, open), 0), 1) * max<f32>(<f32>1 - MOST_SOLID * solid, 0);
      const scale = f32x4.splat((whole * load<f32>(pressures + (i << 2))) / max<f32>(mean, LEAST_SPREAD));
      const lacking = f32x4.mul(scale, f32x4.sub(f32x4.splat(mean), spread));
      v128.store(anisotropies + (i << 4), f32x4.replace_lane(lacking, 3, whole));
      v128.store(anisotropiesAcross + (i << 4), f32x4.neg(f32x4.mul(scale, spreadAcross)));
    }
    store<f32>(ratios + (i << 2), ratio);
    v128.store(gradients + (i << 4), f32x4.replace_lane(gradient, 3, dot(carried, f32x4.splat(1))));
    const stiffness = restVolume * (perMass * dot(gradient, gradient) + sumOfLanes(squares));
    store<f32>(factors + (i << 2), stiffness > 0 ? <f32>1 / stiffness : 0);
  }
}
