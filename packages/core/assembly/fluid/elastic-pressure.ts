import { BLOCK } from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  BOND_COUNT,
  BOND_CAPACITY,
  BONDS,
  IS_SOLID,
  LIQUID_CONTEXT,
  LOOKUP_SIZE,
  SOLID,
  SQUARES,
  STEP,
  STRENGTH,
  WALL,
} from '../../src/particles/elastic-layout';
import { addMul, dot, w } from '../math/simd';
import { isPressed, sumsOf } from './elastic-bonds';
import { bondTo, enterBonds, haveCommon } from './elastic-lookup';
import { firstPair, neighborOf, pairEnd } from './pair-lists';
import { inverseOf, kernelSlope, kernelValue, lookUp, separation } from './pairs';
import { compression } from './pressure';

/** Kernel of the density over its normalisation. */
// @ts-ignore: decorator
@inline
function kernel(q: f32, keiser: bool): f32 {
  const p = max<f32>(<f32>1 - q, 0);
  if (keiser) return p * p * p;
  const s = max<f32>(<f32>1 - <f32>2 * q, 0);
  return <f32>2 * p * p * p - s * s * s;
}

/** Of bodies at a particle: their part of the density, of its gradient and of the rate of compression. */
let share: f32 = 0;
let outer: v128 = i32x4(0, 0, 0, 0);
let carried: f32 = 0;

function gatherBodies(sorted: usize, i: usize, xi: v128, period: v128, inversePeriod: v128): void {
  outer = f32x4.splat(0);
  share = carried = 0;
  if (load<u32>(sorted + liquid.BOUNDARY_COUNT) == 0) return;
  const capacity = <usize>load<u32>(sorted + liquid.BOUNDARY_CAPACITY);
  const list = <usize>load<u32>(sorted + liquid.BOUNDARY_FOUND) + i * (capacity << 2);
  const count = load<u32>(<usize>load<u32>(sorted + liquid.BOUNDARY_FOUND_COUNT) + (i << 2));
  const positions = <usize>load<u32>(sorted + liquid.BOUNDARY_POSITION);
  const velocities = <usize>load<u32>(sorted + liquid.BOUNDARY_VELOCITY);
  const traits = <usize>load<u32>(sorted + liquid.BOUNDARY_TRAITS);
  const origins = <usize>load<u32>(sorted + liquid.BOUNDARY_ORIGIN);
  const first = load<u32>(sorted + liquid.BOUNDARY_SOLID_BEGIN);
  const support = load<f32>(sorted + liquid.SUPPORT);
  for (let k: u32 = 0; k < count; k++) {
    const b = <usize>load<u32>(list + (<usize>k << 2));
    if (load<u32>(origins + (b << 2)) < first) continue;
    const xb = v128.load(positions + (b << 4));
    const d = f32x4.replace_lane(separation(xi, xb, period, inversePeriod), 3, 0);
    lookUp(traits + (b << 4), sqrt(dot(d, d)) / support);
    const g = f32x4.mul(f32x4.splat(w(xb) * kernelSlope), d);
    outer = f32x4.add(outer, g);
    share += w(xb) * kernelValue;
    carried += dot(g, v128.load(velocities + (b << 4)));
  }
}

/** Is there nothing around a particle but what it holds on to, and all of it solid? */
function isInside(
  context: usize, table: usize, mask: u32, ids: usize, i: usize, first: usize, last: usize, across: usize, gradient: v128,
): bool {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const positions = <usize>load<u32>(sorted + liquid.POSITION);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const solids = <usize>load<u32>(context + SOLID);
  const strengths = <usize>load<u32>(context + STRENGTH);
  const xi = v128.load(positions + (i << 4));
  let inner = f32x4.splat(0);
  for (let pair = first; pair < last; pair += 4) {
    const neighbor = neighborOf(pair);
    const j = <usize>load<u32>(ids + (neighbor << 2));
    if (load<u32>(solids + (j << 2)) != IS_SOLID || load<f32>(strengths + (j << 2)) < 1) return false;
    if (bondTo(table, mask, <u32>j) < 0 && !haveCommon(context, table, mask, j)) return false;
    const d = separation(xi, v128.load(positions + (neighbor << 4)), period, inversePeriod);
    inner = addMul(inner, v128.load_splat<f32>(pair + across), d);
  }
  // What is left is of walls and bodies.
  const outside = f32x4.sub(gradient, inner);
  const support = load<f32>(sorted + liquid.SUPPORT);
  return dot(outside, outside) * support * support < TOUCHED;
}

/**
 * Pressure and elasticity must not both hold the volume. Between particles that hold on to each other elasticity does,
 * as far as they are solid: of their pairs the share b counts in the density as at rest, and has no gradient. So the
 * pressure of a solid is that of what it touches: walls, liquid, other solids, far parts of itself. Two that are near
 * only because the solid is pressed together have a bond to a third in common; at rest they are out of reach. What
 * flows in explicit steps has no rest shape that would know its volume, so there pressure has it all. Per block how many can have a
 * pressure (0), and how many elastic ones among them (1).
 */
export function removeBondedPairs(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const positions = <usize>load<u32>(sorted + liquid.POSITION);
  const begins = <usize>load<u32>(sorted + liquid.PAIR_BEGIN);
  const pairCounts = <usize>load<u32>(sorted + liquid.PAIR_COUNT);
  const neighbors = <usize>load<u32>(sorted + liquid.NEIGHBORS);
  const across = <usize>load<u32>(sorted + liquid.COEFFICIENTS) - neighbors;
  const ratios = <usize>load<u32>(sorted + liquid.RATIO);
  const liquidGradients = <usize>load<u32>(sorted + liquid.GRADIENT);
  const factors = <usize>load<u32>(sorted + liquid.FACTOR);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const perSupport: f32 = <f32>1 / load<f32>(sorted + liquid.SUPPORT);
  const keiser = load<u32>(sorted + liquid.KEISER) != 0;
  const norm: f32 = load<f32>(sorted + liquid.VOLUME) * load<f32>(sorted + liquid.KERNEL);
  const restVolume = load<f32>(sorted + liquid.REST_VOLUME);
  const solids = <usize>load<u32>(context + SOLID);
  const strengths = <usize>load<u32>(context + STRENGTH);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const walls = <usize>load<u32>(context + WALL);
  const allSquares = <usize>load<u32>(context + SQUARES);
  const mask = load<u32>(context + LOOKUP_SIZE) - 1;
  let pressed: f64 = 0;
  let touching: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    if ((i & (BLOCK - 1)) == 0) {
      pressed = 0;
      touching = 0;
    }
    const id = <usize>load<u32>(ids + (i << 2));
    const count = <i32>load<u32>(counts + (id << 2));
    const out = sumsOf(context, i / BLOCK);
    if (load<u32>(solids + (id << 2)) != IS_SOLID || count == 0 || isPressed(context, id)) {
      pressed += 1;
      if (count > 0) touching += 1;
      store<f64>(out, pressed);
      store<f64>(out, touching, 8);
      continue;
    }
    const xi = v128.load(positions + (i << 4));
    const list = bonds + ((id * capacity) << 4);
    const table = enterBonds(context, i, id);
    const own = load<f32>(strengths + (id << 2));
    const before = v128.load(liquidGradients + (i << 4));
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, pairCounts, i);
    if (own >= 1 && isInside(context, table, mask, ids, i, first, last, across, before)) {
      for (let pair = first; pair < last; pair += 4) store<f32>(pair + across, 0);
      v128.store(liquidGradients + (i << 4), f32x4.splat(0));
      v128.store(walls + (id << 4), f32x4.splat(0));
      store<f32>(ratios + (i << 2), 1);
      store<f32>(allSquares + (id << 2), 0);
      store<f32>(factors + (i << 2), 0);
      store<f64>(out, pressed);
      store<f64>(out, touching, 8);
      continue;
    }
    let removed = f32x4.splat(0);
    let inner = f32x4.splat(0);
    let loose: f32 = 0;
    let ratio = load<f32>(ratios + (i << 2));
    let squares: f32 = 0;
    for (let pair = first; pair < last; pair += 4) {
      const neighbor = neighborOf(pair);
      const xj = v128.load(positions + (neighbor << 4));
      const j = <usize>load<u32>(ids + (neighbor << 2));
      const d = f32x4.replace_lane(separation(xi, xj, period, inversePeriod), 3, 0);
      let g = f32x4.mul(v128.load_splat<f32>(pair + across), d);
      inner = f32x4.add(inner, g);
      const value = norm * kernel(sqrt(dot(d, d)) * perSupport, keiser);
      let b: f32 = 0;
      if (load<u32>(solids + (j << 2)) == IS_SOLID) {
        const found = bondTo(table, mask, <u32>j);
        let rest: f32 = 0;
        if (found >= 0) {
          const r = v128.load(list + (<usize>found << 4));
          rest = norm * kernel(sqrt(dot(r, r)) * perSupport, keiser);
        }
        if (found >= 0 || haveCommon(context, table, mask, j)) {
          b = min<f32>(min<f32>(own, load<f32>(strengths + (j << 2))), 1);
          ratio += b * (rest - value);
          removed = addMul(removed, f32x4.splat(b), g);
          g = f32x4.mul(f32x4.splat(<f32>1 - b), g);
          store<f32>(pair + across, (<f32>1 - b) * load<f32>(pair + across));
        }
      }
      loose += (<f32>1 - b) * value;
      squares += dot(g, g) * w(xj);
    }
    const gradient = f32x4.sub(before, f32x4.replace_lane(removed, 3, 0));
    v128.store(liquidGradients + (i << 4), gradient);
    gatherBodies(sorted, i, xi, period, inversePeriod);
    // What a solid and the walls are by themselves is never too dense: it may have frozen as it was.
    const still = ratio - loose - share;
    store<f32>(ratios + (i << 2), still > 1 ? ratio - still + <f32>1 : ratio);
    const wall = f32x4.sub(f32x4.sub(before, inner), f32x4.replace_lane(outer, 3, carried));
    v128.store(walls + (id << 4), f32x4.mul(f32x4.splat(min<f32>(own, 1)), wall));
    store<f32>(allSquares + (id << 2), squares);
    const stiffness = restVolume * (w(xi) * dot(gradient, gradient) + squares);
    // What nothing touches but what it holds on to has no pressure.
    const least = TOUCHED * perSupport * perSupport * w(xi);
    const touched = w(xi) * dot(gradient, gradient) + squares > least;
    store<f32>(factors + (i << 2), touched && stiffness > 0 ? <f32>1 / stiffness : 0);
    if (touched) {
      pressed += 1;
      touching += 1;
    }
    store<f64>(out, pressed);
    store<f64>(out, touching, 8);
  }
}

/** Squared gradient of the density below which nothing touches, over the support [1]. */
const TOUCHED: f32 = 1e-8;

/**
 * Before positions are corrected: obstacles do not push back what is solid. It meets them in its own steps, at a distance
 * that is not quite that of the density, and to be moved for that against its elasticity, step by step, would be work.
 */
export function releaseWalls(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const positions = <usize>load<u32>(sorted + liquid.POSITION);
  const gradients = <usize>load<u32>(sorted + liquid.GRADIENT);
  const factors = <usize>load<u32>(sorted + liquid.FACTOR);
  const volume = load<f32>(sorted + liquid.REST_VOLUME);
  const perSupport: f32 = <f32>1 / load<f32>(sorted + liquid.SUPPORT);
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const walls = <usize>load<u32>(context + WALL);
  const allSquares = <usize>load<u32>(context + SQUARES);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    if (load<u32>(solids + (id << 2)) != IS_SOLID || load<u32>(counts + (id << 2)) == 0 || isPressed(context, id)) continue;
    const gradient = f32x4.sub(v128.load(gradients + (i << 4)), v128.load(walls + (id << 4)));
    v128.store(gradients + (i << 4), gradient);
    const perMass = load<f32>(positions + (i << 4), 12);
    const stiffness = perMass * dot(gradient, gradient) + load<f32>(allSquares + (id << 2));
    const touched = stiffness > TOUCHED * perSupport * perSupport * perMass;
    store<f32>(factors + (i << 2), touched ? <f32>1 / (volume * stiffness) : 0);
  }
}

/** Densities after an elastic step in which pressure has acted, as far as the gradients at its start tell. */
export function followDensities(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const velocities = <usize>load<u32>(sorted + liquid.VELOCITY);
  const gradients = <usize>load<u32>(sorted + liquid.GRADIENT);
  const factors = <usize>load<u32>(sorted + liquid.FACTOR);
  const positions = <usize>load<u32>(sorted + liquid.POSITION);
  const period = v128.load(sorted + liquid.PERIOD);
  const begins = <usize>load<u32>(sorted + liquid.PAIR_BEGIN);
  const pairCounts = <usize>load<u32>(sorted + liquid.PAIR_COUNT);
  const neighbors = <usize>load<u32>(sorted + liquid.NEIGHBORS);
  const across = <usize>load<u32>(sorted + liquid.COEFFICIENTS) - neighbors;
  const ratios = <usize>load<u32>(sorted + liquid.RATIO);
  const h = load<f32>(context + STEP);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<f32>(factors + (i << 2)) == 0) continue;
    const gradient = v128.load(gradients + (i << 4));
    const first = firstPair(neighbors, begins, i);
    const last = pairEnd(first, pairCounts, i);
    const rate = compression(velocities, i, gradient, positions, first, last, across, v128.any_true(period), period) - w(gradient);
    store<f32>(ratios + (i << 2), load<f32>(ratios + (i << 2)) + h * rate);
  }
}

/**
 * After it: what is solid is not moved towards walls. They are in its density, but no longer in its gradient, so the
 * nearer it came the further it would be moved.
 */
export function stayOffWalls(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const accelerations = <usize>load<u32>(sorted + liquid.ACCELERATION);
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const walls = <usize>load<u32>(context + WALL);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    if (load<u32>(solids + (id << 2)) != IS_SOLID || load<u32>(counts + (id << 2)) == 0 || isPressed(context, id)) continue;
    const inwards = f32x4.replace_lane(v128.load(walls + (id << 4)), 3, 0);
    const correction = v128.load(accelerations + (i << 4));
    const approach = dot(correction, inwards);
    if (!(approach > 0)) continue;
    const share = f32x4.splat(approach / dot(inwards, inwards));
    v128.store(accelerations + (i << 4), f32x4.sub(correction, f32x4.mul(share, inwards)));
  }
}

/** As meanPush of pressure.ts, of what is not elastic: with gradients that are taken back a pressure is no pressure. */
export function meanLiquidPush(context: usize): f64 {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const pressures = <usize>load<u32>(sorted + liquid.PRESSURE);
  const positions = <usize>load<u32>(sorted + liquid.POSITION);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const count = <usize>load<u32>(sorted + liquid.COUNT);
  let sum: f64 = 0;
  let pressed: f64 = 0;
  for (let i: usize = 0; i < count; i++) {
    const pressure = load<f32>(pressures + (i << 2));
    const id = <usize>load<u32>(ids + (i << 2));
    if (!(pressure > 0) || (load<u32>(counts + (id << 2)) > 0 && !isPressed(context, id))) continue;
    sum += <f64>(pressure * load<f32>(positions + (i << 4), 12));
    pressed += 1;
  }
  return pressed > 0 ? sum / pressed : 0;
}
