import {
  COEFFICIENTS,
  GRADIENT,
  NEIGHBORS,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  CORRECTION_PER_MASS,
  POSITION,
  PRESSURE,
  VELOCITY,
} from '../../src/particles/fluid-layout';
import { addMul, w } from '../math/simd';
import { firstPair, neighborOffset, pairEnd } from './pair-lists';
import { inverseOf, separation } from './pairs';

/**
 * Liquids of several densities. Pressure is continuous where they meet, and so is grad p / rho: between particles of masses
 * m_i and m_j it is (m_j p_i + m_i p_j) / (m_i + m_j), X. Y. Hu and N. A. Adams 2006. With the mean of both, a light
 * particle would be pushed by the pressure half a spacing deep in the heavy liquid below it, and lifted off. So
 *
 *   a_i = -V_0 / m_i sum_j (c_ij p_i + c_ji p_j) g_ij,   ds_i/dt = sum_j c_ij (v_i - v_j) . g_ij,   c_ij = 2 m_j / (m_i + m_j),
 *
 * adjoint to each other: a heavy particle hardly sees light ones, for which it is a wall. In the variables p / sqrt(m),
 * sqrt(m) v and sqrt(m) a both are sums of e_ij g_ij with e_ij = 2 sqrt(m_i m_j) / (m_i + m_j), the same from both sides,
 * so the solution of pressure.ts serves as it is, with all masses alike. Masses are over the largest.
 */

/** Root of the mass over the largest. */
// @ts-ignore: decorator
@inline
export function rootOf(positions: usize, i: usize, heaviest: f32): f32 {
  return sqrt(heaviest / load<f32>(positions + (i << 4), 12));
}

export function enterLayers(begin: u32, end: u32, context: usize): void {
  scaleLayers(begin, end, context, true);
}

export function leaveLayers(begin: u32, end: u32, context: usize): void {
  scaleLayers(begin, end, context, false);
}

// @ts-ignore: decorator
@inline
function scaleLayers(begin: u32, end: u32, context: usize, enter: bool): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const heaviest = load<f32>(context + CORRECTION_PER_MASS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const perMass = w(xi);
    let change = f32x4.splat(0);
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    for (let pair = first; pair < last; pair += 4) {
      const xj = v128.load(positions + neighborOffset(pair));
      const other = w(xj);
      if (other == perMass) continue;
      const even: f32 = (<f32>2 * sqrt(perMass * other)) / (perMass + other);
      const now = load<f32>(pair + across);
      const then: f32 = enter ? even * now : now / even;
      store<f32>(pair + across, then);
      // c_ij - 1 = (m_j - m_i) / (m_i + m_j).
      const more: f32 = (perMass - other) / (perMass + other);
      change = addMul(change, f32x4.splat(enter ? more * now : -more * then), separation(xi, xj, period, inversePeriod));
    }
    const root = rootOf(positions, i, heaviest);
    const scale: f32 = enter ? root : <f32>1 / root;
    const gradient = v128.load(gradients + (i << 4));
    const carried: f32 = w(gradient) * scale;
    v128.store(gradients + (i << 4), f32x4.replace_lane(f32x4.add(gradient, change), 3, carried));
    const velocity = v128.load(velocities + (i << 4));
    v128.store(velocities + (i << 4), f32x4.replace_lane(f32x4.mul(velocity, f32x4.splat(scale)), 3, w(velocity)));
    store<f32>(pressures + (i << 2), load<f32>(pressures + (i << 2)) / scale);
  }
}
