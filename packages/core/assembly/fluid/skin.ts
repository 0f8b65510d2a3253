import {
  INNER_OPENING,
  LIQUID_OF,
  LIQUID_STRIDE,
  LIQUID_LOOSE,
  LIQUIDS,
  MIXED,
  NEIGHBORS,
  OPENING,
  PAIR_BEGIN,
  PAIR_COUNT,
  POSITION,
  SKIN,
  STEP,
  SUPPORT,
  VACANCY,
  VELOCITY,
} from '../../src/particles/fluid-layout';
import { dot } from '../math/simd';
import { firstPair, neighborOffset, pairEnd } from './pair-lists';

/**
 * The free surface. A particle there lacks what liquid above it would give to its density, 15 % below a flat surface.
 * Pressed to its whole density by its weight, the first layer would pack into a crust of 1.2 layers: water would stand
 * lower than its pressure says, by 0.06 spacings. So it is at rest with as much less, its vacancy, which follows from
 * the gradient C of the colour of liquid and walls together,
 *
 *   vacancy = below (|C|^2 - c^2) / (|C_0|^2 - c^2),   C_0 that of a flat surface, c = C_0 / 2 what disorder has.
 *
 * It goes after that slowly: followed at once, surfaces tremble (speeds of 11 % of sqrt(g h)). Liquids with surface
 * tension have none: their tension is calibrated with the crust, and without it drops lose 0.04 % of their angular
 * momentum by the correction of positions. Nor have those that can be elastic: at rest these are as their bonds have them,
 * up to the surface. Nor where another liquid is near.
 */

/** Share of the way to its vacancy that a particle goes in a step, and in a step of one support. */
const FOLLOWING: f32 = 0.02;
const FOLLOWING_FAST: f32 = 0.5;

/** Most that can be missing: drops and sheets are not to be blown up. */
const MOST: f32 = 0.2;

/** Liquids whose densities are in this ratio at the most are alike. */
const ALIKE: f32 = 1.1;

export function followSurface(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const openings = <usize>load<u32>(context + OPENING);
  const vacancies = <usize>load<u32>(context + VACANCY);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const counts = <usize>load<u32>(context + PAIR_COUNT);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const mixed = load<u32>(context + MIXED) != 0;
  const skin = load<f32>(context + SKIN);
  const inner = load<f32>(context + INNER_OPENING);
  const fast: f32 = (FOLLOWING_FAST * load<f32>(context + STEP)) / load<f32>(context + SUPPORT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 2;
    let now = min<f32>(max<f32>(skin * (load<f32>(openings + at) - inner), 0), MOST);
    now *= load<f32>(liquids + <usize>load<u32>(liquidOf + at) * LIQUID_STRIDE + LIQUID_LOOSE);
    if (mixed && now > 0) {
      const first = firstPair(neighbors, begins, i);
      if (isNearAnother(positions, i, first, pairEnd(first, counts, i))) now = 0;
    }
    const v = f32x4.replace_lane(v128.load(velocities + (i << 4)), 3, 0);
    const share = min<f32>(max<f32>(fast * sqrt(dot(v, v)), FOLLOWING), 1);
    const before = load<f32>(vacancies + at);
    store<f32>(vacancies + at, before < 0 ? now : before + share * (now - before));
  }
}

/** Is a particle of another density among the neighbours? */
function isNearAnother(positions: usize, i: usize, first: usize, last: usize): bool {
  const own = load<f32>(positions + (i << 4), 12);
  for (let pair = first; pair < last; pair += 4) {
    const other = load<f32>(positions + neighborOffset(pair), 12);
    if (other > ALIKE * own || own > ALIKE * other) return true;
  }
  return false;
}
