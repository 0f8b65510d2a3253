import { BLOCK } from '../../src/particles/layout';
import {
  ACCELERATION,
  BLOCK_SUMS,
  CLOSING,
  COEFFICIENTS,
  COHESION_FACTOR,
  DIRECTION_POSITION,
  EXPONENT,
  FACTOR,
  FOLLOWS,
  FORESEEN,
  FROM_NOTHING,
  GRADIENT,
  ID,
  FIXED,
  LEFT,
  LIQUID_COHESION,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUIDS,
  LOWEST,
  NEIGHBORS,
  OPENING_UP,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  CORRECTION_PER_MASS,
  POSITION,
  PRESSURE_DIRECTION,
  PRESSURE_PRODUCT,
  PRESSURE_RESIDUAL,
  PULLS,
  RATIO,
  REST_VOLUME,
  SOLVED,
  CONSTANT_DENSITY,
  SOURCE,
  STALE,
  STEP,
  STIFFNESS,
  SUMS,
  VACANCY,
  VELOCITY,
  WEIGHED,
} from '../../src/particles/fluid-layout';
import { replaceAxes } from '../constraints/prescribe';
import { addMul, dot, w } from '../math/simd';
import { rootOf } from './layers';
import { firstPair, neighborOffset, pairEnd } from './pair-lists';
import { inverseOf, separation } from './pairs';

/**
 * Pressure of the liquid, in the way of divergence-free SPH, J. Bender and D. Koschier 2017 [BK17]: p >= 0, or what a liquid
 * bears as a pull (pull.ts), with
 *
 *   a_i = -1 / rho_0 (G_i p_i + sum_j p_j g_ij)                                         (1)
 *   ds_i/dt (a) = G_i . a_i - sum_j a_j . g_ij                                          (2)
 *
 * such that the compression that is to come, the source b, is undone: A p = -ds/dt (a(p)) = b where p > 0, and
 * nothing is compressed where p = 0. Twice in a step:
 *
 *   velocities   b = c(s - 1) / h^2 + ds/dt (v) / h + e     liquid may close up to its density, then hardly more
 *   positions       b = (s - 1) / h^2 + ds/dt (v) / h + e      what has been compressed all the same
 *
 * Particles go straight on for a step, so where liquid is strained it is compressed by e h^2 though its velocities do not at
 * the beginning; e is from pairs.ts, by the velocities at the start of the step, in energetic flow. Without it this is most of what
 * positions have to be corrected for in a dam. Where liquid turns it would expand (e < 0), which closes up by itself: with pressures
 * lowered by that forecast, water that spins in a tank needs twice as many corrections of positions. In quiescent liquid e is nothing but
 * noise of one sign, and water did not come to rest with it (1.7 % of sqrt(g h) at 20 layers, 0.6 % without).
 *
 * c is what may close up in this step: of a small lack of density only a share, because the lacks of all layers of
 * a column add up. Where they may close at once, its top falls freely until they have, with no pressure below, and
 * is stopped again: pressures alternate from step to step, and from 60 layers on the corrections of positions carry
 * the column while its velocities fall. Of what is compressed, c is a small share in energetic flow: what the solutions leave is
 * smooth and of one sign for many steps, and would add up until positions are corrected, which takes most iterations where errors
 * are smooth. Undone by the velocities as it comes, it seldom has to be.
 *
 * Departs from [BK17] in two ways. The second solution moves particles but leaves their velocities alone: given
 * to the velocities, the small errors of density that every step leaves heat a liquid. And A is symmetric, so
 * conjugate gradients serve in place of Jacobi steps, which see errors of neighbours only: a column whose
 * pressure is too high throughout has next to no residual, and hops.
 */

/** More compression than this is undone over several steps: what overlaps is let go gently. */
const MOST_COMPRESSION: f32 = 0.02;

/** What moving straight on will compress counts up to this: where it is more, second order says little. */
const MOST_FORESEEN: f32 = 0.02;

/** Liquid that lacks less than this of its density closes up slowly, what lacks more is loose and closes at once. */
const LOOSE: f32 = 0.02;

/** Velocities undo a share of compression up to this, less of more, and nothing of twice as much: what overlaps would burst. */
const SLIGHT: f32 = 0.002;

/** How much of an excess of density the velocities make up for in a step: of a small lack a share, of slight compression another. */
// @ts-ignore: decorator
@inline
function madeUp(excess: f32, share: f32, opening: f32): f32 {
  if (excess > 0) return opening * max<f32>(min<f32>(excess, <f32>2 * SLIGHT - excess), 0);
  return min<f32>(share * excess, excess + (<f32>1 - share) * LOOSE);
}

// @ts-ignore: decorator
@inline
export function sumsOf(context: usize, block: usize): usize {
  return <usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8;
}

// Pairs are read four at a time into two sums, so that one addition need not wait for the last, in loops that test at
// their end, as candidates.ts does. Where space repeats, differences of positions take the shortest way, one by one.

/** The fourth lane in all lanes. */
// @ts-ignore: decorator
@inline
function splatW(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 3, 3, 3, 3);
}

/** sum_j g_ij times a vector of j, lane by lane. */
// @ts-ignore: decorator
@inline
function sumTerms(vectors: usize, positions: usize, xi: v128, first: usize, last: usize, across: usize): v128 {
  let even = f32x4.splat(0);
  let odd = f32x4.splat(0);
  let pair = first;
  if (pair < last) do {
    const c = pair + across;
    const j0 = <usize>load<u32>(pair);
    const j1 = <usize>load<u32>(pair, 4);
    const j2 = <usize>load<u32>(pair, 8);
    const j3 = <usize>load<u32>(pair, 12);
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c), v128.load(vectors + j0)), f32x4.sub(xi, v128.load(positions + j0)));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 4), v128.load(vectors + j1)), f32x4.sub(xi, v128.load(positions + j1)));
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c, 8), v128.load(vectors + j2)), f32x4.sub(xi, v128.load(positions + j2)));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 12), v128.load(vectors + j3)), f32x4.sub(xi, v128.load(positions + j3)));
    pair += 16;
  } while (pair < last);
  return f32x4.add(even, odd);
}

function sumRepeatedTerms(vectors: usize, positions: usize, xi: v128, first: usize, last: usize, across: usize, period: v128): v128 {
  const inversePeriod = inverseOf(period);
  let sum = f32x4.splat(0);
  for (let pair = first; pair < last; pair += 4) {
    const j = neighborOffset(pair);
    const d = separation(xi, v128.load(positions + j), period, inversePeriod);
    sum = addMul(sum, f32x4.mul(v128.load_splat<f32>(pair + across), v128.load(vectors + j)), d);
  }
  return sum;
}

let secondSum: v128 = i32x4(0, 0, 0, 0);

/** sumTerms of two fields at once; that of the second is left in secondSum. */
// @ts-ignore: decorator
@inline
function sumBothTerms(vectors: usize, others: usize, positions: usize, xi: v128, first: usize, last: usize, across: usize): v128 {
  let even = f32x4.splat(0);
  let odd = f32x4.splat(0);
  let otherEven = f32x4.splat(0);
  let otherOdd = f32x4.splat(0);
  let pair = first;
  if (pair < last) do {
    const j0 = <usize>load<u32>(pair);
    const j1 = <usize>load<u32>(pair, 4);
    const c = pair + across;
    const g0 = f32x4.mul(v128.load_splat<f32>(c), f32x4.sub(xi, v128.load(positions + j0)));
    const g1 = f32x4.mul(v128.load_splat<f32>(c, 4), f32x4.sub(xi, v128.load(positions + j1)));
    even = addMul(even, g0, v128.load(vectors + j0));
    odd = addMul(odd, g1, v128.load(vectors + j1));
    otherEven = addMul(otherEven, g0, v128.load(others + j0));
    otherOdd = addMul(otherOdd, g1, v128.load(others + j1));
    pair += 8;
  } while (pair < last);
  secondSum = f32x4.add(otherEven, otherOdd);
  return f32x4.add(even, odd);
}

/** Rate of compression of a particle by any field of velocities, (2). */
// @ts-ignore: decorator
@inline
export function compression(
  vectors: usize, i: usize, gradient: v128, positions: usize, first: usize, last: usize, across: usize, repeats: bool, period: v128,
): f32 {
  const xi = v128.load(positions + (i << 4));
  const around = repeats
    ? sumRepeatedTerms(vectors, positions, xi, first, last, across, period)
    : sumTerms(vectors, positions, xi, first, last, across);
  return dot(f32x4.sub(f32x4.mul(gradient, v128.load(vectors + (i << 4))), around), f32x4.splat(1));
}

/** sum_j p_j g_ij. */
// @ts-ignore: decorator
@inline
function sumPressures(pressures: usize, positions: usize, xi: v128, first: usize, last: usize, across: usize): v128 {
  let even = f32x4.splat(0);
  let odd = f32x4.splat(0);
  let pair = first;
  if (pair < last) do {
    const c = pair + across;
    const j0 = <usize>load<u32>(pair);
    const j1 = <usize>load<u32>(pair, 4);
    const j2 = <usize>load<u32>(pair, 8);
    const j3 = <usize>load<u32>(pair, 12);
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c), v128.load_splat<f32>(pressures + (j0 >> 2))), f32x4.sub(xi, v128.load(positions + j0)));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 4), v128.load_splat<f32>(pressures + (j1 >> 2))), f32x4.sub(xi, v128.load(positions + j1)));
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c, 8), v128.load_splat<f32>(pressures + (j2 >> 2))), f32x4.sub(xi, v128.load(positions + j2)));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 12), v128.load_splat<f32>(pressures + (j3 >> 2))), f32x4.sub(xi, v128.load(positions + j3)));
    pair += 16;
  } while (pair < last);
  return f32x4.add(even, odd);
}

/** The same from positions with the pressures in their fourth lane. */
// @ts-ignore: decorator
@inline
function sumAtPositions(positions: usize, xi: v128, first: usize, last: usize, across: usize): v128 {
  let even = f32x4.splat(0);
  let odd = f32x4.splat(0);
  let pair = first;
  if (pair < last) do {
    const c = pair + across;
    const x0 = v128.load(positions + <usize>load<u32>(pair));
    const x1 = v128.load(positions + <usize>load<u32>(pair, 4));
    const x2 = v128.load(positions + <usize>load<u32>(pair, 8));
    const x3 = v128.load(positions + <usize>load<u32>(pair, 12));
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c), splatW(x0)), f32x4.sub(xi, x0));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 4), splatW(x1)), f32x4.sub(xi, x1));
    even = addMul(even, f32x4.mul(v128.load_splat<f32>(c, 8), splatW(x2)), f32x4.sub(xi, x2));
    odd = addMul(odd, f32x4.mul(v128.load_splat<f32>(c, 12), splatW(x3)), f32x4.sub(xi, x3));
    pair += 16;
  } while (pair < last);
  return f32x4.add(even, odd);
}

function sumRepeatedPressures(pressures: usize, positions: usize, xi: v128, first: usize, last: usize, across: usize, period: v128): v128 {
  const inversePeriod = inverseOf(period);
  let sum = f32x4.splat(0);
  for (let pair = first; pair < last; pair += 4) {
    const j = neighborOffset(pair);
    const d = separation(xi, v128.load(positions + j), period, inversePeriod);
    sum = addMul(sum, f32x4.splat(load<f32>(pair + across) * load<f32>(pressures + (j >> 2))), d);
  }
  return sum;
}

/** (1), from the pressures that are solved for. */
export function computePressureAccelerations(begin: u32, end: u32, context: usize): void {
  spread(<usize>load<u32>(context + SOLVED), 0, <usize>load<u32>(context + ACCELERATION), 0, begin, end, context);
}

/**
 * Does space repeat along some axis? Passes over pairs are compiled for both, since a choice for each pair costs too much;
 * in functions of their own, or the compiler joins them again.
 */
// @ts-ignore: decorator
@inline
export function isRepeated(context: usize): bool {
  return v128.any_true(v128.load(context + PERIOD));
}

/**
 * Accelerations by any field of pressures, which may be in places too; with a list of flags only of those particles that have one, which is taken
 * away, and on the neighbours of these the flags of STALE are set. Threads may set the same flag, but all alike.
 */
// @ts-ignore: decorator
@inline
export function spread(
  pressures: usize, positions: usize, accelerations: usize, flags: usize, begin: u32, end: u32, context: usize,
): void {
  if (isRepeated(context)) spreadRepeated(pressures, accelerations, flags, begin, end, context);
  else spreadAlong(pressures, positions, accelerations, flags, begin, end, context, false);
}

function spreadRepeated(pressures: usize, accelerations: usize, flags: usize, begin: u32, end: u32, context: usize): void {
  spreadAlong(pressures, 0, accelerations, flags, begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function spreadAlong(
  pressures: usize, points: usize, accelerations: usize, flags: usize, begin: u32, end: u32, context: usize, repeats: bool,
): void {
  const stale = <usize>load<u32>(context + STALE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const positions = <usize>load<u32>(context + POSITION);
  const fixed = <usize>load<u32>(context + FIXED);
  const volume = load<f32>(context + REST_VOLUME);
  const alike = load<f32>(context + CORRECTION_PER_MASS);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    if (flags != 0) {
      if (load<u32>(flags + (i << 2)) == 0) continue;
      store<u32>(flags + (i << 2), 0);
      flagAround(stale, i, first, last);
    }
    const xi = v128.load(positions + (i << 4));
    const perMass = alike > 0 ? alike : w(xi);
    const own = f32x4.mul(v128.load_splat<f32>(pressures + (i << 2)), v128.load(gradients + (i << 4)));
    const around = repeats
      ? sumRepeatedPressures(pressures, positions, xi, first, last, across, period)
      : points != 0 ? sumAtPositions(points, xi, first, last, across) : sumPressures(pressures, positions, xi, first, last, across);
    const sum = f32x4.add(own, around);
    const acceleration = f32x4.replace_lane(f32x4.mul(f32x4.splat(-volume * perMass), sum), 3, 0);
    v128.store(accelerations + (i << 4), replaceAxes(acceleration, f32x4.splat(0), load<u32>(fixed + (i << 2))));
  }
}

/** Sets the flags of a particle and its neighbours. */
// @ts-ignore: decorator
@inline
export function flagAround(flags: usize, i: usize, first: usize, last: usize): void {
  store<u32>(flags + (i << 2), 1);
  for (let pair = first; pair < last; pair += 4) store<u32>(flags + (<usize>load<u32>(pair) >> 2), 1);
}

/** Factors with PLACE_PER_MASS in place of the masses. */
export function computeDensityFactors(begin: u32, end: u32, context: usize): void {
  const gradients = <usize>load<u32>(context + GRADIENT);
  const factors = <usize>load<u32>(context + FACTOR);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const scale: f32 = load<f32>(context + REST_VOLUME) * load<f32>(context + CORRECTION_PER_MASS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const gradient = v128.load(gradients + (i << 4));
    let squares = dot(gradient, gradient);
    const xi = v128.load(positions + (i << 4));
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const d = separation(xi, v128.load(positions + neighborOffset(pair)), period, inversePeriod);
      const c = load<f32>(pair + across);
      squares += c * c * dot(d, d);
    }
    store<f32>(factors + (i << 2), squares > 0 ? <f32>1 / (scale * squares) : 0);
  }
}

/**
 * What the pressures are to undo, per second squared, and the start of conjugate gradients at the present pressures,
 * or from none at all. Velocities that have got the accelerations of their own pressures, and nothing since, compress by
 * what these left, r of h^2 r = c(s - 1) + h ds/dt (v + h a) + h^2 e: then that of the positions is (s - 1) - c(s - 1) + h^2 r, and no
 * pair is looked at. The residual b - A p where there is pressure or should be, and the direction factor r. Per
 * block: r . direction (0), the squares of residual (1) and source (2), the compression that is left (3), in density
 * ratios, and that with the expansion (4).
 */
export function startPressures(begin: u32, end: u32, context: usize): void {
  if (isRepeated(context)) startRepeatedPressures(begin, end, context);
  else openPressures(begin, end, context, true, false);
}

function startRepeatedPressures(begin: u32, end: u32, context: usize): void {
  openPressures(begin, end, context, true, true);
}

/** The same after some iterations: what these left, but anew where they did not look, or pressures have changed since. */
export function resumePressures(begin: u32, end: u32, context: usize): void {
  if (isRepeated(context)) resumeRepeatedPressures(begin, end, context);
  else openPressures(begin, end, context, false, false);
}

function resumeRepeatedPressures(begin: u32, end: u32, context: usize): void {
  openPressures(begin, end, context, false, true);
}

// @ts-ignore: decorator
@inline
function openPressures(begin: u32, end: u32, context: usize, first: bool, repeats: bool): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const ratios = <usize>load<u32>(context + RATIO);
  const vacancies = <usize>load<u32>(context + VACANCY);
  const pressures = <usize>load<u32>(context + SOLVED);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const factors = <usize>load<u32>(context + FACTOR);
  const sources = <usize>load<u32>(context + SOURCE);
  const residuals = <usize>load<u32>(context + PRESSURE_RESIDUAL);
  const directions = <usize>load<u32>(context + PRESSURE_DIRECTION);
  const directionPositions = <usize>load<u32>(context + DIRECTION_POSITION);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const lowest = <usize>load<u32>(context + LOWEST);
  const pulls = load<u32>(context + PULLS) != 0;
  const constantDensity = load<u32>(context + CONSTANT_DENSITY) != 0;
  const fromNothing = load<u32>(context + FROM_NOTHING) != 0;
  const follows = constantDensity && load<u32>(context + FOLLOWS) != 0;
  const lefts = <usize>load<u32>(context + LEFT);
  const foreseen = !constantDensity && load<u32>(context + FORESEEN) != 0;
  const h = load<f32>(context + STEP);
  const share = load<f32>(context + CLOSING);
  const opening = load<f32>(context + OPENING_UP);
  const heaviest = load<f32>(context + CORRECTION_PER_MASS);
  const weighed = load<u32>(context + WEIGHED) != 0;
  for (let from = <usize>begin; from < <usize>end; from += BLOCK) {
    const to = min(from + BLOCK, <usize>end);
    if (!first) renewResiduals(from, to, context, repeats);
    let along: f64 = 0;
    let size: f64 = 0;
    let scale: f64 = 0;
    let left: f64 = 0;
    let off: f64 = 0;
    for (let i = from; i < to; i++) {
      let residual: f32 = 0;
      let source: f32 = 0;
      if (first) {
        const gradient = v128.load(gradients + (i << 4));
        const begun = firstPair(neighbors, begins, i);
        const ended = pairEnd(begun, counts, i);
        const excess = load<f32>(ratios + (i << 2)) + load<f32>(vacancies + (i << 2)) - <f32>1;
        const undone = madeUp(excess, share, opening);
        let ahead: f32 = 0;
        let rate: f32 = 0;
        if (follows) {
          ahead = excess - undone + h * h * load<f32>(lefts + (i << 2));
        } else {
          let motion: f32 = 0;
          if (fromNothing || repeats) {
            motion = compression(velocities, i, gradient, positions, begun, ended, across, repeats, period);
            if (!fromNothing) rate = compression(accelerations, i, gradient, positions, begun, ended, across, repeats, period);
          } else {
            const xi = v128.load(positions + (i << 4));
            const around = sumBothTerms(velocities, accelerations, positions, xi, begun, ended, across);
            motion = dot(f32x4.sub(f32x4.mul(gradient, v128.load(velocities + (i << 4))), around), f32x4.splat(1));
            rate = dot(f32x4.sub(f32x4.mul(gradient, v128.load(accelerations + (i << 4))), secondSum), f32x4.splat(1));
          }
          const second: f32 = foreseen ? h * h * load<f32>(lefts + (i << 2)) : 0;
          const curved: f32 = max<f32>(min<f32>(second, MOST_FORESEEN), 0);
          const deficit: f32 = (constantDensity ? excess : undone) + curved;
          ahead = (weighed ? rootOf(positions, i, heaviest) * deficit : deficit) + h * (motion - w(gradient));
        }
        source = (constantDensity ? min(ahead, MOST_COMPRESSION) : ahead) / (h * h);
        store<f32>(sources + (i << 2), source);
        residual = source + rate;
      } else {
        source = load<f32>(sources + (i << 2));
        residual = load<f32>(residuals + (i << 2));
      }
      if (!constantDensity) store<f32>(lefts + (i << 2), residual);
      const factor = load<f32>(factors + (i << 2));
      // One without a row in the system has nothing to be solved for.
      const free = factor != 0 && (load<f32>(pressures + (i << 2)) > load<f32>(lowest + (i << 2)) || residual > 0);
      if (!free) residual = 0;
      const direction = factor * residual;
      store<f32>(residuals + (i << 2), residual);
      store<f32>(directions + (i << 2), direction);
      store<f32>(directionPositions + (i << 4), direction, 12);
      along += <f64>residual * <f64>direction;
      size += <f64>residual * <f64>residual;
      if (free) scale += <f64>source * <f64>source;
      left += <f64>(h * h * max<f32>(residual, pulls ? -residual : 0));
      off += <f64>(h * h * abs<f32>(residual));
    }
    const out = sumsOf(context, from / BLOCK);
    store<f64>(out, along);
    store<f64>(out, size, 8);
    store<f64>(out, scale, 16);
    store<f64>(out, left, 24);
    store<f64>(out, off, 32);
  }
}

/**
 * Residuals of a block where iterations did not look, or pressures have changed since. They are listed first, in place of
 * products that nobody needs any more: a branch for each particle would keep the machine from looking ahead.
 */
// @ts-ignore: decorator
@inline
function renewResiduals(from: usize, to: usize, context: usize, repeats: bool): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const sources = <usize>load<u32>(context + SOURCE);
  const residuals = <usize>load<u32>(context + PRESSURE_RESIDUAL);
  const directions = <usize>load<u32>(context + PRESSURE_DIRECTION);
  const stale = <usize>load<u32>(context + STALE);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const list = <usize>load<u32>(context + PRESSURE_PRODUCT) + (from << 2);
  let end = list;
  for (let i = from; i < to; i++) {
    store<u32>(end, <u32>i);
    const known = load<f32>(directions + (i << 2)) != 0 && load<u32>(stale + (i << 2)) == 0;
    end += select<usize>(0, 4, known);
    store<u32>(stale + (i << 2), 0);
  }
  for (let at = list; at < end; at += 4) {
    const i = <usize>load<u32>(at);
    const first = firstPair(neighbors, begins, i);
    const rate = compression(
      accelerations, i, v128.load(gradients + (i << 4)), positions, first, pairEnd(first, counts, i), across, repeats, period,
    );
    store<f32>(residuals + (i << 2), load<f32>(sources + (i << 2)) + rate);
  }
}

/** v += h a, along the axes that are not prescribed. */
export function applyAccelerations(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const fixed = <usize>load<u32>(context + FIXED);
  const h = f32x4.splat(load<f32>(context + STEP));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 4;
    const v = v128.load(velocities + at);
    v128.store(velocities + at, replaceAxes(addMul(v, h, v128.load(accelerations + at)), v, load<u32>(fixed + (i << 2))));
  }
}

/**
 * Weakly compressible SPH: the equation of state [K06] eq. 4.8 and 4.15,
 * p = k (s^gamma - 1) - c s^2, with a whole exponent. Where there is no cohesion a liquid does not pull.
 */
export function computeStatePressures(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const ratios = <usize>load<u32>(context + RATIO);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const stiffness = load<f32>(context + STIFFNESS);
  const exponent = load<u32>(context + EXPONENT);
  const factors = <usize>load<u32>(context + COHESION_FACTOR);
  const ids = <usize>load<u32>(context + ID);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const ratio = load<f32>(ratios + (i << 2));
    let power: f32 = 1;
    for (let k: u32 = 0; k < exponent; k++) power *= ratio;
    let cohesion = load<f32>(liquids + <usize>load<u32>(liquidOf + (i << 2)) * LIQUID_STRIDE + LIQUID_COHESION);
    if (factors != 0) cohesion *= load<f32>(factors + (<usize>load<u32>(ids + (i << 2)) << 2));
    const pressure = max<f32>(stiffness * (power - <f32>1), 0) - cohesion * ratio * ratio;
    store<f32>(pressures + (i << 2), pressure);
  }
}

/** Mean of pressure over mass where there is pressure [Pa/kg]. */
export function meanPush(pressures: usize, positions: usize, count: u32): f64 {
  let sum: f64 = 0;
  let pressed: f64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const pressure = load<f32>(pressures + (i << 2));
    if (!(pressure > 0)) continue;
    sum += <f64>(pressure * load<f32>(positions + (i << 4), 12));
    pressed += 1;
  }
  return pressed > 0 ? sum / pressed : 0;
}

/** Mean of pressure over mass, weighted by its cube [Pa/kg]: next to the largest, but for a few that are wedged. */
export function steepestPush(pressures: usize, positions: usize, count: u32): f64 {
  let cubes: f64 = 0;
  let sum: f64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const push = <f64>max<f32>(load<f32>(pressures + (i << 2)), 0) * <f64>load<f32>(positions + (i << 4), 12);
    const cube = push * push * push;
    cubes += cube;
    sum += cube * push;
  }
  return cubes > 0 ? sum / cubes : 0;
}
