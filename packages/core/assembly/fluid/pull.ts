import {
  COHESION_FACTOR,
  ID,
  PRESCRIBED_UNTIL,
  LIQUID_COHESION,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUIDS,
  LOWEST,
  CORRECTION_PER_MASS,
  POSITION,
  PULLS,
  RATIO,
  TIME,
  VACANCY,
  WEIGHED,
} from '../../src/particles/fluid-layout';
import { rootOf } from './layers';

/** Liquid that lacks this much of its density has come apart and bears no pull. */
const APART: f32 = 0.02;

/**
 * The lowest pressures. A jet that falls gets faster and must get thinner, which takes a pressure below that of the air,
 * -3/8 density (g R / v)^2 in a thin one; where liquid cannot pull it parts into discs as wide as at the start. So
 * liquid that is whole bears its cohesion as a pull, and what is apart none. Places are only ever pushed.
 */
export function computeLowestPressures(begin: u32, end: u32, context: usize): void {
  const lowest = <usize>load<u32>(context + LOWEST);
  const ratios = <usize>load<u32>(context + RATIO);
  const vacancies = <usize>load<u32>(context + VACANCY);
  const prescribedUntils = <usize>load<u32>(context + PRESCRIBED_UNTIL);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const factors = <usize>load<u32>(context + COHESION_FACTOR);
  const ids = <usize>load<u32>(context + ID);
  const pulls = load<u32>(context + PULLS) != 0;
  const time = load<f32>(context + TIME);
  const positions = <usize>load<u32>(context + POSITION);
  const heaviest = load<f32>(context + CORRECTION_PER_MASS);
  const weighed = load<u32>(context + WEIGHED) != 0;
  for (let at = <usize>begin << 2; at < <usize>end << 2; at += 4) {
    let cohesion = load<f32>(liquids + <usize>load<u32>(liquidOf + at) * LIQUID_STRIDE + LIQUID_COHESION);
    if (factors != 0) cohesion *= load<f32>(factors + (<usize>load<u32>(ids + at) << 2));
    let pull: f32 = 0;
    if (pulls && !(load<f32>(prescribedUntils + at) > time)) {
      const deficit: f32 = <f32>1 - load<f32>(ratios + at) - load<f32>(vacancies + at);
      pull = cohesion * min<f32>(max<f32>(<f32>1 - deficit / APART, 0), 1);
    }
    if (weighed) pull /= rootOf(positions, at >> 2, heaviest);
    store<f32>(lowest + at, -pull);
  }
}
