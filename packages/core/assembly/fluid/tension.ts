import {
  ACCELERATION,
  COLOUR,
  KERNEL_GRADIENT,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUID_TENSION,
  LIQUIDS,
  PAIR_BEGIN,
  PAIRS,
  PERIOD,
  POSITION,
  REST_VOLUME,
  SUPPORT,
  VOLUME,
} from '../../src/particles/fluid-layout';
import { cubicSplineCurvature, cubicSplineGradient } from '../kernels/sph';
import { addMul, dot, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { inverseOf, separation } from './pairs';

/**
 * Surface tension as a surface energy: where a liquid ends, the gradient of its colour is not zero, and
 *
 *   E = sum_i V_0 kappa_i / 2 |C_i|^2,  C_i = sum_j g_ij over particles of the same liquid
 *
 * is proportional to the area. The forces are its exact derivative,
 *
 *   f_i = -V_0 sum_j V H_ij (kappa_i C_i - kappa_j C_j),  H the second derivatives of W,
 *
 * so a drop keeps its linear and angular momentum. kappa follows from the tension, see solvers/fluid/tension.ts.
 */
export function computeColours(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const colours = <usize>load<u32>(context + COLOUR);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(liquidOf + (i << 2));
    let sum = f32x4.splat(0);
    const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
    for (let pair = pairs + (<usize>load<u32>(begins + (i << 2)) << 4); pair < last; pair += 16) {
      const g = v128.load(pair);
      if (load<u32>(liquidOf + (neighborIndex(g) << 2)) == own) sum = f32x4.add(sum, g);
    }
    const kappa = load<f32>(liquids + <usize>own * LIQUID_STRIDE + LIQUID_TENSION);
    v128.store(colours + (i << 4), f32x4.replace_lane(sum, 3, kappa));
  }
}

export function applySurfaceTension(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const colours = <usize>load<u32>(context + COLOUR);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const inverseH: f32 = <f32>1 / load<f32>(context + SUPPORT);
  const norm = load<f32>(context + KERNEL_GRADIENT);
  const volume = load<f32>(context + VOLUME);
  const restVolume = load<f32>(context + REST_VOLUME);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const own = load<u32>(liquidOf + (i << 2));
    const colour = v128.load(colours + (i << 4));
    const scaled = f32x4.mul(f32x4.splat(w(colour)), colour);
    let sum = f32x4.splat(0);
    const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
    for (let pair = pairs + (<usize>load<u32>(begins + (i << 2)) << 4); pair < last; pair += 16) {
      const j = neighborIndex(v128.load(pair));
      if (load<u32>(liquidOf + (j << 2)) != own) continue;
      const d = separation(xi, v128.load(positions + (j << 4)), period, inversePeriod);
      const other = v128.load(colours + (j << 4));
      const difference = f32x4.sub(scaled, f32x4.mul(f32x4.splat(w(other)), other));
      const r2 = dot(d, d);
      const r = sqrt(r2);
      const slope = cubicSplineGradient(r, inverseH, norm);
      const along: f32 = r2 > 0 ? (dot(d, difference) * (cubicSplineCurvature(r, inverseH, norm) - slope)) / r2 : 0;
      sum = addMul(addMul(sum, f32x4.splat(slope), difference), f32x4.splat(along), d);
    }
    const a = f32x4.mul(f32x4.splat(-restVolume * w(xi) * volume), f32x4.replace_lane(sum, 3, 0));
    v128.store(accelerations + (i << 4), f32x4.add(v128.load(accelerations + (i << 4)), a));
  }
}
