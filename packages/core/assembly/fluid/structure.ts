import {
  ACCELERATION,
  ANISOTROPY,
  ANISOTROPY_ACROSS,
  COEFFICIENTS,
  ISOTROPY,
  NEIGHBORS,
  PAIR_BEGIN,
  PAIR_COUNT,
  PERIOD,
  POSITION,
  REST_VOLUME,
  STRUCTURE,
  STRUCTURE_ACROSS,
  SUPPORT,
} from '../../src/particles/fluid-layout';
import { addMul, w } from '../math/simd';
import { firstPair, neighborOffset, pairEnd } from './pair-lists';
import { inverseOf, separation } from './pairs';
import { isRepeated } from './pressure';

/**
 * The stress of the structure. The pair forces of pressure (p_i + p_j) g_ij have the stress
 *
 *   sigma_i = -p_i B_i,   B_i = -sum_j g_ij (x_i - x_j)^T,
 *
 * which is -p_i only where neighbours are spread evenly, B_i = b_i I. A shear by gamma makes B uneven in proportion to gamma: any
 * packing of particles at full density, a lattice or a glass, has a shear modulus, about a tenth of its pressure. A liquid
 * has none. So the uneven part, T_i = p_i / b_i (b_i I - B_i), is taken away where it is the same over some particles:
 * smoothed it acts by the same pairs, so momentum is conserved,
 *
 *   a_i = -V_0 / m_i sum_j (T_i + T_j) g_ij,
 *
 * before the pressure is solved for, with the pressures of the last step. What differs from particle to particle stays: it
 * keeps the packing even. Walls are left out of the sum: their pressure takes over what T would push.
 *
 * T is taken by the share `isotropy`: see docs/decisions/packing-stress.md.
 */

/** Particles that are weighed with less than this, where their own is 1, say nothing. */
const LEAST: f32 = 0.5;

/** T of the neighbours, by weights sqrt(-c_ij) which fall off to the edge of the support. */
export function smoothStructure(begin: u32, end: u32, context: usize): void {
  const anisotropies = <usize>load<u32>(context + ANISOTROPY);
  const anisotropiesAcross = <usize>load<u32>(context + ANISOTROPY_ACROSS);
  const structures = <usize>load<u32>(context + STRUCTURE);
  const structuresAcross = <usize>load<u32>(context + STRUCTURE_ACROSS);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const isotropy = load<f32>(context + ISOTROPY);
  // That of the particle itself.
  const own: f32 = <f32>1 / load<f32>(context + SUPPORT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, counts, i);
    let sum = f32x4.mul(f32x4.splat(own), v128.load(anisotropies + (i << 4)));
    let sumAcross = f32x4.mul(f32x4.splat(own), v128.load(anisotropiesAcross + (i << 4)));
    for (let pair = first; pair < last; pair += 16) {
      const weights = f32x4.sqrt(f32x4.max(f32x4.neg(v128.load(pair + across)), f32x4.splat(0)));
      const j0 = <usize>load<u32>(pair);
      const j1 = <usize>load<u32>(pair, 4);
      const j2 = <usize>load<u32>(pair, 8);
      const j3 = <usize>load<u32>(pair, 12);
      const w0 = v128.shuffle<f32>(weights, weights, 0, 0, 0, 0);
      const w1 = v128.shuffle<f32>(weights, weights, 1, 1, 1, 1);
      const w2 = v128.shuffle<f32>(weights, weights, 2, 2, 2, 2);
      const w3 = v128.shuffle<f32>(weights, weights, 3, 3, 3, 3);
      sum = addMul(sum, w0, v128.load(anisotropies + j0));
      sumAcross = addMul(sumAcross, w0, v128.load(anisotropiesAcross + j0));
      sum = addMul(sum, w1, v128.load(anisotropies + j1));
      sumAcross = addMul(sumAcross, w1, v128.load(anisotropiesAcross + j1));
      sum = addMul(sum, w2, v128.load(anisotropies + j2));
      sumAcross = addMul(sumAcross, w2, v128.load(anisotropiesAcross + j2));
      sum = addMul(sum, w3, v128.load(anisotropies + j3));
      sumAcross = addMul(sumAcross, w3, v128.load(anisotropiesAcross + j3));
    }
    const weight = w(sum);
    const scale = f32x4.splat(weight > LEAST * own ? isotropy / weight : 0);
    v128.store(structures + (i << 4), f32x4.replace_lane(f32x4.mul(scale, sum), 3, 0));
    v128.store(structuresAcross + (i << 4), f32x4.mul(scale, sumAcross));
  }
}

/** y, z, x of x, y, z. */
// @ts-ignore: decorator
@inline
function turn(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 1, 2, 0, 3);
}

/** Adds the accelerations by T. */
export function applyStructure(begin: u32, end: u32, context: usize): void {
  if (isRepeated(context)) applyRepeatedStructure(begin, end, context);
  else apply(begin, end, context, false);
}

function applyRepeatedStructure(begin: u32, end: u32, context: usize): void {
  apply(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function apply(begin: u32, end: u32, context: usize, repeats: bool): void {
  const structures = <usize>load<u32>(context + STRUCTURE);
  const structuresAcross = <usize>load<u32>(context + STRUCTURE_ACROSS);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const positions = <usize>load<u32>(context + POSITION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const across = <usize>load<u32>(context + COEFFICIENTS) - neighbors;
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const volume = load<f32>(context + REST_VOLUME);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const first = firstPair(neighbors, begins, i);
    const ended = pairEnd(first, counts, i);
    const xi = v128.load(positions + (i << 4));
    // sum_j T_j g_ij, for yz, zx, xy by the next axis of g and by the last one; and sum_j g_ij.
    let gradient = f32x4.splat(0);
    let straight = f32x4.splat(0);
    let next = f32x4.splat(0);
    let last = f32x4.splat(0);
    for (let pair = first; pair < ended; pair += 4) {
      const j = neighborOffset(pair);
      const xj = v128.load(positions + j);
      const d = repeats ? separation(xi, xj, period, inversePeriod) : f32x4.sub(xi, xj);
      const g = f32x4.mul(v128.load_splat<f32>(pair + across), d);
      const off = v128.load(structuresAcross + j);
      gradient = f32x4.add(gradient, g);
      straight = addMul(straight, v128.load(structures + j), g);
      next = addMul(next, off, turn(g));
      last = addMul(last, off, turn(turn(g)));
    }
    const own = v128.load(structuresAcross + (i << 4));
    straight = addMul(straight, v128.load(structures + (i << 4)), gradient);
    next = addMul(next, own, turn(gradient));
    last = addMul(last, own, turn(turn(gradient)));
    const sum = f32x4.add(straight, f32x4.add(turn(next), turn(turn(last))));
    const a = addMul(v128.load(accelerations + (i << 4)), f32x4.splat(-volume * w(xi)), f32x4.replace_lane(sum, 3, 0));
    v128.store(accelerations + (i << 4), a);
  }
}
