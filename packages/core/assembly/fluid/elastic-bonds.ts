import { BLOCK, BODY_STRIDE, INDEX_TAG } from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  ABSENT,
  BLOCK_SUMS,
  BOND_COUNT,
  BOND_CAPACITY,
  BONDS,
  FLUX,
  FROZEN,
  GRADIENT,
  INVERSE,
  IS_ABSENT,
  IS_BORN,
  IS_FREEZING,
  IS_LIQUID,
  IS_RENEWED,
  IS_SOLID,
  LIQUID_CONTEXT,
  LIQUID_OF,
  LIQUIDS,
  MOLTEN,
  NEXT,
  SORTED_INDEX,
  POSITION,
  RELAXED,
  RENEW,
  ROW_FLOWS,
  ROW_PRESSED,
  ROW_WELDS,
  SOLID,
  STATE,
  STRAIN,
  STRENGTH,
  SUMS,
  LOG_VOLUME,
  VELOCITY,
} from '../../src/particles/elastic-layout';
import { log1p } from '../math/exponential';
import { i0, i1, i2, invert } from '../math/inverse';
import { addMul, cross, dot, matrixTimes, rowTimes, vector, w, x, y, z } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';
import { firstPair, neighborOf, pairEnd } from './pair-lists';
import { inverseOf, separation } from './pairs';

/**
 * Bonds: who holds on to whom in a liquid that is elastic. A solid particle keeps the vectors r_ij to its neighbours
 * at rest. They are made when it freezes, from where its neighbours are then, and go when either of the two melts.
 *
 * Every particle has a rest shape of its own, of which F tells how it is deformed and turned now. Who freezes onto a
 * solid joins the rest shape that is there: r_ij = F_j^-1 (x_j - x_i), which leaves F_j as it was, and so the stress
 * of j; its own F is then part of F_p, so that it has none. Both ends keep the same vector, so r_ji = -r_ij.
 */

// @ts-ignore: decorator
@inline
export function sumsOf(context: usize, block: usize): usize {
  return <usize>load<u32>(context + BLOCK_SUMS) + block * SUMS * 8;
}

/** Does the liquid of a particle flow, so that its neighbours are found anew? */
// @ts-ignore: decorator
@inline
export function flows(context: usize, id: usize): bool {
  const row = <usize>load<u32>(<usize>load<u32>(context + LIQUID_OF) + (id << 2));
  return load<u32>(<usize>load<u32>(context + LIQUIDS) + row * BODY_STRIDE + ROW_FLOWS) != 0;
}

/** Is its volume the pressure's affair? */
// @ts-ignore: decorator
@inline
export function isPressed(context: usize, id: usize): bool {
  const row = <usize>load<u32>(<usize>load<u32>(context + LIQUID_OF) + (id << 2));
  return load<u32>(<usize>load<u32>(context + LIQUIDS) + row * BODY_STRIDE + ROW_PRESSED) != 0;
}

export function clearSortedIndices(begin: u32, end: u32, context: usize): void {
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  for (let id = <usize>begin; id < <usize>end; id++) store<u32>(sortedIndices + (id << 2), ABSENT);
}

/** Where the sorted particles are, by ID. */
export function noteSortedIndices(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const fromPositions = <usize>load<u32>(sorted + liquid.POSITION);
  const fromLiquids = <usize>load<u32>(sorted + liquid.LIQUID_OF);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const positions = <usize>load<u32>(context + POSITION);
  const liquids = <usize>load<u32>(context + LIQUID_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const id = <usize>load<u32>(ids + (i << 2));
    store<u32>(sortedIndices + (id << 2), <u32>i);
    v128.store(positions + (id << 4), v128.load(fromPositions + (i << 4)));
    store<u32>(liquids + (id << 2), load<u32>(fromLiquids + (i << 2)));
  }
}

/** Who is solid now. Per block: how many become it (0), and how many were and are no more (1). */
export function markElastic(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const prescribedUntils = <usize>load<u32>(sorted + liquid.PRESCRIBED_UNTIL);
  const time = load<f32>(sorted + liquid.TIME);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const solids = <usize>load<u32>(context + SOLID);
  const strengths = <usize>load<u32>(context + STRENGTH);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const states = <usize>load<u32>(context + STATE);
  const strains = <usize>load<u32>(context + STRAIN);
  const relaxed = <usize>load<u32>(context + RELAXED);
  const logVolumes = <usize>load<u32>(context + LOG_VOLUME);
  const renew = load<u32>(context + RENEW) != 0;
  let fresh: f64 = 0;
  let lost: f64 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const before = load<u32>(solids + (id << 2));
    const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
    let now: u32 = IS_ABSENT;
    if (sortedIndex != ABSENT) {
      // What a source leads has a velocity of its own.
      const strength: f32 = load<f32>(prescribedUntils + (sortedIndex << 2)) > time ? 0 : load<f32>(strengths + (id << 2));
      if (before == IS_SOLID) now = strength < <f32>MOLTEN ? IS_LIQUID : renew && flows(context, id) ? IS_RENEWED : IS_SOLID;
      else if (strength < <f32>FROZEN) now = IS_LIQUID;
      else now = before == IS_ABSENT ? IS_BORN : IS_FREEZING;
    }
    if (now != IS_SOLID && before == IS_SOLID) lost += 1;
    if (now != IS_SOLID && now != IS_RENEWED) {
      memory.fill(states + id * 48, 0, 48);
      memory.fill(strains + (id << 5), 0, 32);
      store<f32>(relaxed + (id << 2), 0);
      store<f32>(logVolumes + (id << 2), 0);
    }
    if (now == IS_FREEZING || now == IS_BORN || now == IS_RENEWED) fresh += 1;
    if (now != IS_SOLID) store<u32>(counts + (id << 2), 0);
    store<u32>(solids + (id << 2), now);
    if (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end) {
      const out = sumsOf(context, id / BLOCK);
      store<f64>(out, fresh);
      store<f64>(out, lost, 8);
      fresh = lost = 0;
    }
  }
}

/**
 * A solid particle whose neighbours do not span space does not know how it is turned: when one freezes beside it, it
 * begins anew with it. What everyone is to be, into NEXT. Per block the most bonds that a list may get (0).
 */
export function findRevisions(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const neighbors = <usize>load<u32>(sorted + liquid.NEIGHBORS);
  const begins = <usize>load<u32>(sorted + liquid.PAIR_BEGIN);
  const founds = <usize>load<u32>(sorted + liquid.PAIR_COUNT);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const solids = <usize>load<u32>(context + SOLID);
  const nexts = <usize>load<u32>(context + NEXT);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  let most: f64 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const now = load<u32>(solids + (id << 2));
    let next = now;
    if (now != IS_ABSENT && now != IS_LIQUID) {
      const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
      const found = load<u32>(founds + (sortedIndex << 2));
      most = max<f64>(most, <f64>(load<u32>(counts + (id << 2)) + found));
      if (now == IS_SOLID && load<f32>(inverses + id * 48, 28) < 3) {
        const first = firstPair(neighbors, begins, sortedIndex);
        const last = pairEnd(first, founds, sortedIndex);
        for (let pair = first; pair < last; pair += 4) {
          const j = neighborOf(pair);
          const other = load<u32>(solids + (<usize>load<u32>(ids + (j << 2)) << 2));
          if (other == IS_FREEZING || other == IS_BORN) next = IS_FREEZING;
        }
      }
    }
    store<u32>(nexts + (id << 2), next);
    if (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end) {
      store<f64>(sumsOf(context, id / BLOCK), most);
      most = 0;
    }
  }
}

/** Takes over what `findRevisions` said. */
export function applyRevisions(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const nexts = <usize>load<u32>(context + NEXT);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const next = load<u32>(nexts + (id << 2));
    if (next != load<u32>(solids + (id << 2))) store<u32>(counts + (id << 2), 0);
    store<u32>(solids + (id << 2), next);
  }
}

/** Bonds to what is not solid, or not any more, go; the others keep their order. */
export function removeBonds(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    const list = bonds + ((id * capacity) << 4);
    let kept: usize = 0;
    for (let k: usize = 0; k < count; k++) {
      const bond = v128.load(list + (k << 4));
      if (load<u32>(solids + (neighborIndex(bond) << 2)) != IS_SOLID) continue;
      v128.store(list + (kept << 4), bond);
      kept++;
    }
    store<u32>(counts + (id << 2), <u32>kept);
  }
}

/** Neighbourhoods flatter than this have no inverse. */
const FLAT: f64 = 0.2;

function invertAt(gradient: usize): void {
  invertRows(v128.load(gradient), v128.load(gradient, 16), v128.load(gradient, 32));
}

/** The inverse of I + G into i0, i1, i2; I where it is flat. */
export function invertRows(g0: v128, g1: v128, g2: v128): void {
  const none = f32x4.splat(0);
  if (!(abs(invert(g0, g1, g2)) > FLAT)) invert(none, none, none);
}

/** What freezes starts with the mean of the F of the solids around it, or with none. */
export function estimateGradients(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const neighbors = <usize>load<u32>(sorted + liquid.NEIGHBORS);
  const begins = <usize>load<u32>(sorted + liquid.PAIR_BEGIN);
  const founds = <usize>load<u32>(sorted + liquid.PAIR_COUNT);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const solids = <usize>load<u32>(context + SOLID);
  const gradients = <usize>load<u32>(context + GRADIENT);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const now = load<u32>(solids + (id << 2));
    if (now == IS_SOLID || now == IS_LIQUID || now == IS_ABSENT) continue;
    let g0 = f32x4.splat(0);
    let g1 = f32x4.splat(0);
    let g2 = f32x4.splat(0);
    let count: f32 = 0;
    if (now != IS_RENEWED) {
      const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
      const first = firstPair(neighbors, begins, sortedIndex);
      const last = pairEnd(first, founds, sortedIndex);
      for (let pair = first; pair < last; pair += 4) {
        const j = <usize>load<u32>(ids + (neighborOf(pair) << 2));
        if (load<u32>(solids + (j << 2)) != IS_SOLID || !mayBond(context, id, j, now, IS_SOLID)) continue;
        g0 = f32x4.add(g0, v128.load(gradients + j * 48));
        g1 = f32x4.add(g1, v128.load(gradients + j * 48, 16));
        g2 = f32x4.add(g2, v128.load(gradients + j * 48, 32));
        count += 1;
      }
    }
    const per = f32x4.splat(count > 0 ? <f32>1 / count : 0);
    v128.store(gradients + id * 48, f32x4.mul(per, g0));
    v128.store(gradients + id * 48, f32x4.mul(per, g1), 16);
    v128.store(gradients + id * 48, f32x4.mul(per, g2), 32);
  }
}

/** Bodies that touch at the start, or do not weld, stay apart; what flows and what does not has no bonds to each other. */
// @ts-ignore: decorator
@inline
function mayBond(context: usize, a: usize, b: usize, is: u32, other: u32): bool {
  if (flows(context, a) != flows(context, b)) return false;
  const liquids = <usize>load<u32>(context + LIQUID_OF);
  const own = <usize>load<u32>(liquids + (a << 2));
  const others = <usize>load<u32>(liquids + (b << 2));
  if (own == others) return true;
  const rows = <usize>load<u32>(context + LIQUIDS);
  const weld = load<u32>(rows + own * BODY_STRIDE + ROW_WELDS) & load<u32>(rows + others * BODY_STRIDE + ROW_WELDS);
  return is != IS_BORN && other != IS_BORN && weld != 0;
}

/** Bonds of what freezes, on both sides. */
export function addBonds(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const ids = <usize>load<u32>(sorted + liquid.ID);
  const neighbors = <usize>load<u32>(sorted + liquid.NEIGHBORS);
  const begins = <usize>load<u32>(sorted + liquid.PAIR_BEGIN);
  const founds = <usize>load<u32>(sorted + liquid.PAIR_COUNT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const solids = <usize>load<u32>(context + SOLID);
  const positions = <usize>load<u32>(context + POSITION);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const bondCapacity = <usize>load<u32>(context + BOND_CAPACITY);
  const half = f32x4.splat(0.5);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const now = load<u32>(solids + (id << 2));
    if (now == IS_LIQUID || now == IS_ABSENT) continue;
    const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
    const first = firstPair(neighbors, begins, sortedIndex);
    const last = pairEnd(first, founds, sortedIndex);
    const xi = v128.load(positions + (id << 4));
    const list = bonds + ((id * bondCapacity) << 4);
    let count = <usize>load<u32>(counts + (id << 2));
    invertAt(gradients + id * 48);
    const own0 = i0;
    const own1 = i1;
    const own2 = i2;
    for (let pair = first; pair < last; pair += 4) {
      const j = <usize>load<u32>(ids + (neighborOf(pair) << 2));
      const other = load<u32>(solids + (j << 2));
      if (other == IS_LIQUID || other == IS_ABSENT || (now == IS_SOLID && other == IS_SOLID)) continue;
      if (!mayBond(context, id, j, now, other) || count == bondCapacity) continue;
      const d = separation(v128.load(positions + (j << 4)), xi, period, inversePeriod);
      let r: v128;
      if (now == IS_SOLID) r = matrixTimes(own0, own1, own2, d);
      else {
        invertAt(gradients + j * 48);
        if (other == IS_SOLID) r = matrixTimes(i0, i1, i2, d);
        else {
          // The sum of the two is the same seen from either end.
          r = f32x4.mul(half, matrixTimes(f32x4.add(own0, i0), f32x4.add(own1, i1), f32x4.add(own2, i2), d));
        }
      }
      v128.store(list + (count << 4), i32x4.replace_lane(r, 3, INDEX_TAG | <u32>j));
      count++;
    }
    store<u32>(counts + (id << 2), <u32>count);
  }
}

/** What has frozen has no stress: its F_p is the F that it has got. It is solid from here on. */
export function finishFreezing(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const states = <usize>load<u32>(context + STATE);
  const inverses = <usize>load<u32>(context + INVERSE);
  const logVolumes = <usize>load<u32>(context + LOG_VOLUME);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const now = load<u32>(solids + (id << 2));
    if (now == IS_LIQUID || now == IS_ABSENT || now == IS_SOLID) continue;
    store<u32>(solids + (id << 2), IS_SOLID);
    const state = states + id * 48;
    // What is renewed keeps its strain, and the plastic strain is counted from here.
    if (now == IS_RENEWED) {
      store<f32>(state, load<f32>(state, 12), 28);
      continue;
    }
    store<f32>(logVolumes + (id << 2), 0);
    if (load<f32>(inverses + id * 48, 28) == 3) {
      invertAt(gradients + id * 48);
      // The F_p of what pressure holds has no volume.
      const per = f32x4.splat(isPressed(context, id) ? takeVolume(logVolumes + (id << 2), dot(i0, cross(i1, i2))) : 1);
      v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, i0), vector(1, 0, 0, 0)), 3, 0));
      v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, i1), vector(0, 1, 0, 0)), 3, 0), 16);
      v128.store(state, f32x4.replace_lane(f32x4.sub(f32x4.mul(per, i2), vector(0, 0, 1, 0)), 3, 0), 32);
    }
  }
}

/**
 * The rest shape of what flows takes on the shape that it has now, [K06] eq. 6.15 in multiplicative form: F becomes
 * I, so F_p^-1 becomes F_e. Where pressure holds it, its volume goes into LOG_VOLUME, which only knows of being pulled
 * apart: else it is the pressure's affair.
 */
export function absorbElastic(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const states = <usize>load<u32>(context + STATE);
  const inverses = <usize>load<u32>(context + INVERSE);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const logVolumes = <usize>load<u32>(context + LOG_VOLUME);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (load<u32>(solids + (id << 2)) != IS_SOLID || !flows(context, id)) continue;
    // Where neighbours do not span space there is no law but that of sheets and threads, which has no memory.
    if (load<u32>(counts + (id << 2)) == 0 || load<f32>(inverses + id * 48, 28) < 3) {
      store<f32>(logVolumes + (id << 2), 0);
      continue;
    }
    const state = states + id * 48;
    const b0 = v128.load(state);
    const b1 = v128.load(state, 16);
    const b2 = v128.load(state, 32);
    const g0 = v128.load(gradients + id * 48);
    const g1 = v128.load(gradients + id * 48, 16);
    const g2 = v128.load(gradients + id * 48, 32);
    let e0 = f32x4.add(f32x4.add(f32x4.add(g0, b0), rowTimes(g0, b0, b1, b2)), vector(1, 0, 0, 0));
    let e1 = f32x4.add(f32x4.add(f32x4.add(g1, b1), rowTimes(g1, b0, b1, b2)), vector(0, 1, 0, 0));
    let e2 = f32x4.add(f32x4.add(f32x4.add(g2, b2), rowTimes(g2, b0, b1, b2)), vector(0, 0, 1, 0));
    const determinant = dot(e0, cross(e1, e2));
    const per = f32x4.splat(isPressed(context, id) ? takeVolume(logVolumes + (id << 2), determinant) : 1);
    e0 = f32x4.sub(f32x4.mul(per, e0), vector(1, 0, 0, 0));
    e1 = f32x4.sub(f32x4.mul(per, e1), vector(0, 1, 0, 0));
    e2 = f32x4.sub(f32x4.mul(per, e2), vector(0, 0, 1, 0));
    v128.store(state, f32x4.replace_lane(e0, 3, w(b0)));
    v128.store(state, f32x4.replace_lane(e1, 3, w(b1)), 16);
    v128.store(state, f32x4.replace_lane(e2, 3, w(b2)), 32);
  }
}

/** Puts a volume over that at rest into LOG_VOLUME; returns by what lengths are to be multiplied that are to be without it. */
export function takeVolume(logVolume: usize, volume: f32): f32 {
  if (!(volume > <f32>FLAT)) return 1;
  store<f32>(logVolume, load<f32>(logVolume) + <f32>log1p(<f64>volume - 1));
  return perCubeRoot(volume);
}

/** One over the cube root, by Newton's method in f64. */
function perCubeRoot(value: f32): f32 {
  let y: f64 = 1;
  for (let k = 0; k < 40; k++) {
    const next = y * (4 - <f64>value * y * y * y) * (1.0 / 3.0);
    // Far from one it would overshoot.
    y = next > 0 ? next : 0.5 * y;
  }
  return <f32>y;
}
