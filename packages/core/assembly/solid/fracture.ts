import {
  BLOCK,
  BLOCK_BREAKING,
  BLOCK_SUMS,
  BODIES,
  BODY_OF,
  BODY_PLASTIC,
  BODY_STRIDE,
  BOND_BACK,
  BOND_BEGIN,
  BOND_NEIGHBORS,
  BOND_STRAINED,
  BONDS_LEFT,
  CONSTRAINED,
  DEFICIENT_OF,
  ELASTIC_WHOLE,
  FRACTURE_LAW,
  LEAST_SCORE,
  LOST,
  OVERSTRESS,
  PLASTIC,
  POINT_COUNT,
  PROJECTIONS,
  REFIT,
  STRAINED,
  SUMS,
  WEAKEST,
} from '../../src/particles/layout';
import { largestColumn, storeSymmetric } from '../math/pseudo-inverse';
import { dot, vector, w, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import { apart, CRUSHED, direction, doubleElasticStrain, judge, leaves, ratio, scoreOf, strengthOf } from './bond-strength';
import * as response from './response';
import { FAR_BELOW, FAR_MARGIN, isBelow, isCrushed, OTHERS, OWN } from './strained';

/**
 * Fracture by bonds that lose their weight. A bond is a pair of neighbours; the share s_ij of its weight that is left
 * never grows. With s_ij the moment matrix, the fit and the stabilisation of both ends change as if the neighbour were
 * farther away, so that linear displacements are still fitted exactly and momenta are kept; and a particle carries only
 * the share phi_i of its stiffness that its moment matrix has left along the direction that has lost most.
 *
 * Across a plane whose bonds have the share s left and are strained by e, the stress is then a function of s times E e
 * (measured, see shareFor in bond-strength.ts). Softening: from the strength on, at the strain e_0, it falls linearly to
 * zero at e_1, and the work of a layer of bonds is that of the crack, E e_0 e_1 dx / 2 = G_c (crack band, Bazant and Oh
 * 1983). Where spacings are too wide for that, e_1 < e_0, bonds break at once: those of a whole body at the strength,
 * those at a crack at the strain at which their layer holds G_c.
 */

/** Marks strained bonds from their other ends, too, so that each particle knows its own; one thread. */
export function shareMarks(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const backs = <usize>load<u32>(context + BOND_BACK);
  const marks = <usize>load<u32>(context + BOND_STRAINED);
  const strained = <usize>load<u32>(context + STRAINED);
  const count = <usize>load<u32>(context + POINT_COUNT);
  for (let i: usize = 0; i < count; i++) {
    if ((load<u32>(strained + (i << 2)) & OWN) == 0) continue;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      if (load<u8>(marks + k) == 0) continue;
      store<u8>(marks + <usize>load<u32>(backs + (k << 2)), 1);
      const other = strained + (<usize>load<u32>(neighbors + (k << 2)) << 2);
      store<u32>(other, load<u32>(other) | OTHERS);
    }
  }
}

/**
 * Largest principal stress of what is whole of a particle, and its direction in the rest shape: of S = lambda tr(E) I +
 * 2 mu E with the elastic Green strain E. Of the ends of marked bonds.
 */
export function computeOverstress(begin: u32, end: u32, context: usize): void {
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + FRACTURE_LAW);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const constraints = <usize>load<u32>(context + CONSTRAINED);
  const lost = <usize>load<u32>(context + LOST);
  const leastScores = <usize>load<u32>(context + LEAST_SCORE);
  const strained = <usize>load<u32>(context + STRAINED);
  const scratches = <usize>load<u32>(context + BLOCK_SUMS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(strained + (i << 2)) == 0) continue;
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const out = overstress + (i << 4);
    v128.store(out, f32x4.splat(0));
    store<f32>(constraints + (i << 4), 1);
    store<f32>(constraints + (i << 4), 0, 8);
    store<f32>(constraints + (i << 4), 0, 12);
    const number = <usize>load<u32>(deficient + (i << 2));
    const projection = number != 0 ? projections + (number - 1) * 48 : 0;
    const plastic = load<u32>(body + BODY_PLASTIC) != 0 && projection == 0 ? plastics + i * 48 : 0;
    const scratch = scratches + (i / BLOCK) * SUMS * 8;
    const constants = v128.load(whole + (i << 4));
    doubleElasticStrain(context, i, body, projection, plastic, constants);
    const mu = <f64>y(constants);
    const spread = 0.5 * (<f64>x(constants) + <f64>z(constants)) *
      (<f64>x(response.s0) + <f64>y(response.s1) + <f64>z(response.s2));
    const xx = spread + mu * <f64>x(response.s0);
    const yy = spread + mu * <f64>y(response.s1);
    const zz = spread + mu * <f64>z(response.s2);
    const xy = mu * <f64>y(response.s0);
    const xz = mu * <f64>z(response.s0);
    const yz = mu * <f64>z(response.s1);
    const law = v128.load(laws + (i << 4));
    if (isCrushed(load<f32>(lost + (i << 4), 12), law)) {
      v128.store(out, vector(0, 0, 0, CRUSHED));
      continue;
    }
    const limit = <f64>(FAR_BELOW * scoreOf(leastScores, i) * strengthOf(law, plastic) * x(law));
    // No eigenvalue is larger than this.
    const bound = max(max(xx + abs(xy) + abs(xz), yy + abs(xy) + abs(yz)), zz + abs(xz) + abs(yz));
    if (!(bound >= limit && bound > 0) || isBelow(limit * (1 - FAR_MARGIN), xx, yy, zz, yz, xz, xy)) {
      noteLostSide(constraints + (i << 4), v128.load(lost + (i << 4)), constants, x(law));
      continue;
    }
    storeSymmetric(scratch, xx, xy, xz, yy, yz, zz);
    jacobiEigen(scratch, scratch + 48);
    const largest = max(max(load<f64>(scratch), load<f64>(scratch, 24)), load<f64>(scratch, 40));
    if (!(largest >= limit)) {
      noteLostSide(constraints + (i << 4), v128.load(lost + (i << 4)), constants, x(law));
      continue;
    }
    const v = scratch + 48 + largestColumn(scratch);
    const e = vector(<f32>load<f64>(v), <f32>load<f64>(v, 24), <f32>load<f64>(v, 48), 0);
    const stress = <f32>largest / x(law);
    v128.store(out, f32x4.replace_lane(e, 3, stress));
    noteConstraint(constraints + (i << 4), e, constants, x(law));
  }
}

/**
 * Stress along e is so many times the strain along it, and what the strains across it add; both over Young's modulus. The
 * mean of the strains across.
 */
function noteConstraint(out: usize, e: v128, constants: v128, young: f32): void {
  const lambda = x(constants) + z(constants);
  const trace = x(response.s0) + y(response.s1) + z(response.s2);
  const along = x(e) * dot(response.s0, e) + y(e) * dot(response.s1, e) + z(e) * dot(response.s2, e);
  const across = <f32>0.25 * (trace - along);
  store<f32>(out, (lambda + <f32>2 * y(constants)) / young);
  store<f32>(out, across, 8);
  store<f32>(out, (<f32>2 * lambda * across) / young, 12);
}

/** The same along the side that is lost, of what bears little. */
function noteLostSide(out: usize, side: v128, constants: v128, young: f32): void {
  const length = sqrt(dot(side, side));
  if (length > 0) noteConstraint(out, f32x4.div(side, f32x4.splat(length)), constants, young);
}
/** May something of a particle break? */
// @ts-ignore: decorator
@inline
function mayBreak(overstress: usize, lost: usize, i: usize): bool {
  return load<f32>(overstress + (i << 4), 12) > 0 || load<f32>(lost + (i << 4), 12) > 0;
}

/** The bond of each particle that is nearest to breaking, of those that are whole and that are strained beyond their strength. */
export function findWeakest(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const lost = <usize>load<u32>(context + LOST);
  const strained = <usize>load<u32>(context + STRAINED);
  const marks = <usize>load<u32>(context + BOND_STRAINED);
  const weakest = <usize>load<u32>(context + WEAKEST);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(strained + (i << 2)) == 0) continue;
    let best = f32x4.splat(0);
    const looked = mayBreak(overstress, lost, i);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const before = load<f32>(left + (k << 2));
      if (load<u8>(marks + k) == 0 || before < <f32>1) continue;
      const j = <usize>load<u32>(neighbors + (k << 2));
      if (!(looked || mayBreak(overstress, lost, j))) continue;
      judge(context, i, j, k, before);
      if (ratio > w(best)) best = f32x4.replace_lane(direction, 3, ratio);
    }
    v128.store(weakest + (i << 4), best);
  }
}

/**
 * Takes weight from the bonds that are strained beyond their strength. Of those that are whole only the ones on the side
 * of the weakest bond, at both ends: a layer that is pulled evenly parts on one side, not on both.
 */
export function weakenBonds(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const overstress = <usize>load<u32>(context + OVERSTRESS);
  const lost = <usize>load<u32>(context + LOST);
  const weakest = <usize>load<u32>(context + WEAKEST);
  const strained = <usize>load<u32>(context + STRAINED);
  const marks = <usize>load<u32>(context + BOND_STRAINED);
  const refit = <usize>load<u32>(context + REFIT);
  const blocks = <usize>load<u32>(context + BLOCK_BREAKING);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(strained + (i << 2)) == 0) continue;
    const side = v128.load(weakest + (i << 4));
    // Whole bonds give way only where the weakest does.
    const yields = w(side) > <f32>1;
    if (!yields && load<f32>(lost + (i << 4), 12) == 0) continue;
    const looked = mayBreak(overstress, lost, i);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    let found: u32 = 0;
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      if (load<u8>(marks + k) == 0) continue;
      const before = load<f32>(left + (k << 2));
      if (before <= 0 || (before == <f32>1 && !yields)) continue;
      const j = <usize>load<u32>(neighbors + (k << 2));
      if (!(looked || mayBreak(overstress, lost, j))) continue;
      judge(context, i, j, k, before);
      if (!(ratio > <f32>1) || leaves >= before) continue;
      if (before == <f32>1 && ratio < CRUSHED) {
        if (!(dot(side, direction) > 0)) continue;
        if (!(dot(v128.load(weakest + (j << 4)), direction) < 0)) continue;
      }
      store<f32>(left + (k << 2), leaves == 0 ? -apart : leaves);
      found |= leaves == 0 ? 6 : 2;
    }
    if (found == 0) continue;
    store<u32>(refit + (i << 2), 1);
    const block = blocks + ((i / BLOCK) << 2);
    store<u32>(block, load<u32>(block) | found);
  }
}
