import { BLOCK } from '../../src/particles/layout';
import {
  ACCELERATION,
  BLOCK_SUMS,
  EXPONENT,
  FACTOR,
  FOUND_COUNT,
  GRADIENT,
  LIQUID_COHESION,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUIDS,
  PAIR_BEGIN,
  PAIRS,
  PRESSURE_GRADIENT,
  RATIO,
  SOLVED,
  SOLVING_DIVERGENCE,
  SOURCE,
  STEP,
  STIFFNESS,
  SUMS,
  VELOCITY,
} from '../../src/particles/fluid-layout';
import { addMul, dot, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * Pressure of the liquid. Divergence-free SPH, J. Bender and D. Koschier 2017: pressures p with
 *
 *   a_i = -1 / rho_0 ((G_f + 2 G_b) p_i + sum_j p_j g_ij)                               (1)
 *   ds_i/dt (a) = (G_f + G_b) . a_i - sum_j a_j . g_ij                                  (2)
 *
 * such that the compression that is to come, the source, is undone: -ds/dt (a) = source where p > 0, found
 * by relaxed Jacobi steps p += (source + ds/dt (a)) factor / 2, kept above zero.
 */

/** Relaxation of the Jacobi steps, [BK17]. */
const RELAXATION: f32 = 0.5;
/** More compression than this at the start of a step is undone over several: what overlaps does not explode. */
const MOST_COMPRESSION: f32 = 0.005;
/** A particle with fewer neighbours is spray: its divergence says nothing. */
const FEW: u32 = 20;

// @ts-ignore: decorator
@inline
function sumsOf(context: usize, block: usize): usize {
  return <usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8;
}

/** Rate of compression by the velocities of the neighbours, (2). */
// @ts-ignore: decorator
@inline
function compression(vectors: usize, own: v128, gradient: v128, pairs: usize, first: usize, last: usize): f32 {
  let sum = f32x4.mul(gradient, own);
  const end = pairs + (last << 4);
  for (let pair = pairs + (first << 4); pair < end; pair += 16) {
    const g = v128.load(pair);
    sum = f32x4.sub(sum, f32x4.mul(g, v128.load(vectors + (neighborIndex(g) << 4))));
  }
  return dot(sum, f32x4.splat(1));
}

/** What the pressures are to undo, per second squared; and per block how much of it. */
export function computeSources(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const ratios = <usize>load<u32>(context + RATIO);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + FOUND_COUNT);
  const sources = <usize>load<u32>(context + SOURCE);
  const divergence = load<u32>(context + SOLVING_DIVERGENCE) != 0;
  const h = load<f32>(context + STEP);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const gradient = v128.load(gradients + (i << 4));
    const first = <usize>load<u32>(begins + (i << 2));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    const rate = compression(velocities, v128.load(velocities + (i << 4)), gradient, pairs, first, last) - w(gradient);
    let source: f32;
    if (divergence) source = load<u32>(counts + (i << 2)) < FEW ? 0 : max<f32>(rate, 0) / h;
    else source = (min(load<f32>(ratios + (i << 2)) - <f32>1, MOST_COMPRESSION) + h * rate) / (h * h);
    store<f32>(sources + (i << 2), source);
  }
}

/** (1), from the pressures that are being solved for. */
export function computePressureAccelerations(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const pressureGradients = <usize>load<u32>(context + PRESSURE_GRADIENT);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = v128.load(pressureGradients + (i << 4));
    let sum = f32x4.mul(v128.load_splat<f32>(pressures + (i << 2)), own);
    const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
    for (let pair = pairs + (<usize>load<u32>(begins + (i << 2)) << 4); pair < last; pair += 16) {
      const g = v128.load(pair);
      sum = addMul(sum, v128.load_splat<f32>(pressures + (neighborIndex(g) << 2)), g);
    }
    v128.store(accelerations + (i << 4), f32x4.replace_lane(f32x4.mul(f32x4.splat(-w(own)), sum), 3, 0));
  }
}

/** One Jacobi step; per block what is left of the compression (0) and its largest (1), in density ratios. */
export function relaxPressures(begin: u32, end: u32, context: usize): void {
  const pressures = <usize>load<u32>(context + SOLVED);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const factors = <usize>load<u32>(context + FACTOR);
  const sources = <usize>load<u32>(context + SOURCE);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const h = load<f32>(context + STEP);
  let left: f64 = 0;
  let largest: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const first = <usize>load<u32>(begins + (i << 2));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    const rate = compression(accelerations, v128.load(accelerations + (i << 4)), v128.load(gradients + (i << 4)), pairs, first, last);
    const residual = load<f32>(sources + (i << 2)) + rate;
    const before = load<f32>(pressures + (i << 2));
    const pressure = max<f32>(before + RELAXATION * residual * load<f32>(factors + (i << 2)), 0);
    store<f32>(pressures + (i << 2), pressure);
    // Where there is no pressure to be taken back a lack of density is no error.
    const error: f64 = <f64>(h * h * max<f32>(residual, 0));
    left += error;
    largest = max(largest, error);
    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f64>(sumsOf(context, i / BLOCK), left);
      store<f64>(sumsOf(context, i / BLOCK), largest, 8);
      left = 0;
      largest = 0;
    }
  }
}

/** v += h a */
export function applyAccelerations(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const h = f32x4.splat(load<f32>(context + STEP));
  for (let at = <usize>begin << 4; at < <usize>end << 4; at += 16) {
    v128.store(velocities + at, addMul(v128.load(velocities + at), h, v128.load(accelerations + at)));
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
  for (let i = <usize>begin; i < <usize>end; i++) {
    const ratio = load<f32>(ratios + (i << 2));
    let power: f32 = 1;
    for (let k: u32 = 0; k < exponent; k++) power *= ratio;
    const cohesion = load<f32>(liquids + <usize>load<u32>(liquidOf + (i << 2)) * LIQUID_STRIDE + LIQUID_COHESION);
    const pressure = max<f32>(stiffness * (power - <f32>1), 0) - cohesion * ratio * ratio;
    store<f32>(pressures + (i << 2), pressure);
  }
}
