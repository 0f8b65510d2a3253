import { BLOCK } from '../../src/particles/layout';
import {
  ACCELERATION,
  ALPHA,
  BETA,
  COEFFICIENTS,
  DIRECTION_ACCELERATION,
  DIRECTION_POSITION,
  FACTOR,
  GRADIENT,
  LOWEST,
  NEIGHBORS,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  PRESSURE_DIRECTION,
  PRESSURE_PRODUCT,
  PRESSURE_RESIDUAL,
  PULLS,
  SOLVED,
  STEP,
  TOUCHED,
} from '../../src/particles/fluid-layout';
import { addMul } from '../math/simd';
import { firstPair, pairEnd } from './pair-lists';
import { compression, flagAround, isRepeated, spread, sumsOf } from './pressure';

/**
 * Conjugate gradients for the pressures of pressure.ts. Residuals and accelerations follow from those of the direction;
 * only around pressures that are cut off below, which are few, they are made anew: TOUCHED are the particles whose
 * accelerations are, STALE those whose residuals are.
 */

/** Accelerations by the direction. */
export function computeDirectionAccelerations(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + DIRECTION_ACCELERATION);
  const positions = <usize>load<u32>(context + DIRECTION_POSITION);
  spread(<usize>load<u32>(context + PRESSURE_DIRECTION), positions, accelerations, 0, begin, end, context);
}

/** A times the direction, from its accelerations, where the direction may go; per block direction . product. */
export function multiplyPressures(begin: u32, end: u32, context: usize): void {
  if (isRepeated(context)) multiplyRepeated(begin, end, context);
  else multiply(begin, end, context, false);
}

function multiplyRepeated(begin: u32, end: u32, context: usize): void {
  multiply(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function multiply(begin: u32, end: u32, context: usize, repeats: bool): void {
  const accelerations = <usize>load<u32>(context + DIRECTION_ACCELERATION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const directions = <usize>load<u32>(context + PRESSURE_DIRECTION);
  const products = <usize>load<u32>(context + PRESSURE_PRODUCT);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  let along: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const direction = load<f32>(directions + (i << 2));
    let product: f32 = 0;
    if (direction != 0) {
      const first = firstPair(neighbors, begins, i);
      const last = pairEnd(first, counts, i);
      product = -compression(accelerations, i, v128.load(gradients + (i << 4)), positions, first, last, across, repeats, period);
    }
    store<f32>(products + (i << 2), product);
    along += <f64>direction * <f64>product;
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), along);
      along = 0;
    }
  }
}

/** Adds four numbers to two sums. */
// @ts-ignore: decorator
@inline
function addFour(sums: v128, values: v128): v128 {
  const high = v128.shuffle<f32>(values, values, 2, 3, 2, 3);
  return f64x2.add(sums, f64x2.add(f64x2.promote_low_f32x4(values), f64x2.promote_low_f32x4(high)));
}

// @ts-ignore: decorator
@inline
function total(sums: v128): f64 {
  return f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
}

/**
 * p += alpha direction, with its accelerations, r -= alpha product; per block r . factor r (0), its square (1) and what
 * is left (3, 4). Four at a time: past the end there is room, which does not count.
 */
export function advancePressures(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const factors = <usize>load<u32>(context + FACTOR);
  const residuals = <usize>load<u32>(context + PRESSURE_RESIDUAL);
  const directions = <usize>load<u32>(context + PRESSURE_DIRECTION);
  const products = <usize>load<u32>(context + PRESSURE_PRODUCT);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const changes = <usize>load<u32>(context + DIRECTION_ACCELERATION);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  const pulls = f32x4.splat(load<u32>(context + PULLS) != 0 ? -1 : 0);
  const h2 = <f64>load<f32>(context + STEP) * <f64>load<f32>(context + STEP);
  const lanes = i32x4(0, 1, 2, 3);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let along = f64x2.splat(0);
    let size = f64x2.splat(0);
    let left = f64x2.splat(0);
    let off = f64x2.splat(0);
    for (let i = first; i < last; i += 4) {
      const at = i << 2;
      const there = i32x4.lt_s(lanes, i32x4.splat(<i32>(last - i)));
      v128.store(pressures + at, addMul(v128.load(pressures + at), alpha, v128.load(directions + at)));
      const residual = f32x4.sub(v128.load(residuals + at), f32x4.mul(alpha, v128.load(products + at)));
      v128.store(residuals + at, residual);
      const counted = v128.and(residual, there);
      const square = f32x4.mul(counted, counted);
      along = addFour(along, v128.and(f32x4.mul(square, v128.load(factors + at)), there));
      size = addFour(size, square);
      left = addFour(left, f32x4.max(counted, f32x4.mul(pulls, counted)));
      off = addFour(off, f32x4.abs(counted));
    }
    for (let at = first << 4; at < last << 4; at += 16) {
      v128.store(accelerations + at, addMul(v128.load(accelerations + at), alpha, v128.load(changes + at)));
    }
    const out = sumsOf(context, first / BLOCK);
    store<f64>(out, total(along));
    store<f64>(out, total(size), 8);
    store<f64>(out, h2 * total(left), 24);
    store<f64>(out, h2 * total(off), 32);
  }
}

/** direction = factor r + beta direction, where it may go. */
export function advancePressureDirections(begin: u32, end: u32, context: usize): void {
  const factors = <usize>load<u32>(context + FACTOR);
  const residuals = <usize>load<u32>(context + PRESSURE_RESIDUAL);
  const directions = <usize>load<u32>(context + PRESSURE_DIRECTION);
  const positions = <usize>load<u32>(context + DIRECTION_POSITION);
  const beta = f32x4.splat(load<f32>(context + BETA));
  for (let at = <usize>begin << 2; at < <usize>end << 2; at += 16) {
    const last = v128.load(directions + at);
    const next = addMul(f32x4.mul(v128.load(factors + at), v128.load(residuals + at)), beta, last);
    const direction = v128.and(next, f32x4.ne(last, f32x4.splat(0)));
    v128.store(directions + at, direction);
    const entry = positions + (at << 2);
    store<f32>(entry, f32x4.extract_lane(direction, 0), 12);
    store<f32>(entry, f32x4.extract_lane(direction, 1), 28);
    store<f32>(entry, f32x4.extract_lane(direction, 2), 44);
    store<f32>(entry, f32x4.extract_lane(direction, 3), 60);
  }
}

/** What a particle may have for a pressure: no liquid pulls more than it bears, one that nothing is near to has none. */
// @ts-ignore: decorator
@inline
function allowed(pressure: f32, lowest: f32, factor: f32): f32 {
  return factor == 0 ? 0 : pressure > lowest ? pressure : lowest;
}

/** Cuts off the pressures to begin with. */
export function clampPressures(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const factors = <usize>load<u32>(context + FACTOR);
  const lowest = <usize>load<u32>(context + LOWEST);
  for (let at = <usize>begin << 2; at < <usize>end << 2; at += 4) {
    store<f32>(pressures + at, allowed(load<f32>(pressures + at), load<f32>(lowest + at), load<f32>(factors + at)));
  }
}

/** The same after some iterations; around those that change TOUCHED is set. Per block how many they are. */
export function cutPressures(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const factors = <usize>load<u32>(context + FACTOR);
  const lowest = <usize>load<u32>(context + LOWEST);
  const touched = <usize>load<u32>(context + TOUCHED);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let count: f64 = 0;
    for (let i = first; i < last; i++) {
      const at = i << 2;
      const pressure = load<f32>(pressures + at);
      const cut = allowed(pressure, load<f32>(lowest + at), load<f32>(factors + at));
      if (cut == pressure) continue;
      store<f32>(pressures + at, cut);
      const around = firstPair(neighbors, begins, i);
      flagAround(touched, i, around, pairEnd(around, counts, i));
      count += 1;
    }
    store<f64>(sumsOf(context, first / BLOCK), count);
  }
}

/** Accelerations of the particles that are TOUCHED. */
export function mendAccelerations(begin: u32, end: u32, context: usize): void {
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  spread(<usize>load<u32>(context + SOLVED), 0, accelerations, <usize>load<u32>(context + TOUCHED), begin, end, context);
}
