import { BLOCK } from '../../src/particles/layout';
import {
  BOND_COUNT,
  BOND_GRADIENT,
  BOND_CAPACITY,
  BOND_WEIGHT,
  BONDS,
  CONSTANTS,
  HELD_VOLUME,
  INVERSE,
  IS_ABSENT,
  IS_LIQUID,
  POSITION,
  PROJECTION,
  SCRATCH,
  SCRATCH_SIZE,
  SOLID,
  STABILISATION,
  SUPPORT,
} from '../../src/particles/elastic-layout';
import { addMul, dot, matrixTimes, w, x, y, z } from '../math/simd';
import { pseudoInverse } from '../math/pseudo-inverse';
import { neighborIndex } from '../neighbors/lists';

/**
 * As in solid/moments.ts, but larger: what freezes has neighbours as they come, and nearly flat ones would be stiff
 * across without bound, with steps of a microsecond. A corner of a lattice has 0.3.
 */
const RANK_TOLERANCE: f64 = 0.1;

/** Least of the moments over the largest where a neighbourhood holds all of its volume: the corner of a lattice. */
const HELD: f64 = 0.3;

/**
 * Who has few neighbours, nearly in a plane or on a line, knows little of the strain across, and what little it knows
 * would be stiff: it counts for less, so that nobody is stiffer than the corner of a lattice.
 */
function heldShare(e0: f64, e1: f64, e2: f64): f64 {
  const largest = max(max(e0, e1), e2);
  const limit = RANK_TOLERANCE * largest;
  let least = largest;
  if (e0 > limit) least = min(least, e0);
  if (e1 > limit) least = min(least, e1);
  if (e2 > limit) least = min(least, e2);
  return largest > 0 ? min<f64>(least / (HELD * largest), 1) : 0;
}

/** Weight of a bond in the fit, (1 - r^2 / h^2)^3, from its vector at rest. */
// @ts-ignore: decorator
@inline
export function weightOf(r: v128, perSupport2: f32): f32 {
  const t = max<f32>(<f32>1 - dot(r, r) * perSupport2, 0);
  return t * t * t;
}

/** Weights of bonds and w_ij r_ij, which every elastic step needs. */
export function prepareBonds(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const gradients = <usize>load<u32>(context + BOND_GRADIENT);
  const weights = <usize>load<u32>(context + BOND_WEIGHT);
  const support = load<f32>(context + SUPPORT);
  const perSupport2: f32 = <f32>1 / (support * support);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const first = id * capacity;
    const last = first + <usize>load<u32>(counts + (id << 2));
    for (let k = first; k < last; k++) {
      const r = v128.load(bonds + (k << 4));
      const weight = weightOf(r, perSupport2);
      store<f32>(weights + (k << 2), weight);
      v128.store(gradients + (k << 4), v128.shuffle<f32>(f32x4.mul(f32x4.splat(weight), r), r, 0, 1, 2, 7));
    }
  }
}

/** Inverse moment matrices of the bonds, and the projection where they do not span space; as solid/moments.ts. */
export function computeElasticMoments(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const inverses = <usize>load<u32>(context + INVERSE);
  const projections = <usize>load<u32>(context + PROJECTION);
  const constants = <usize>load<u32>(context + CONSTANTS);
  const volumes = <usize>load<u32>(context + HELD_VOLUME);
  const support = load<f32>(context + SUPPORT);
  const perSupport2: f32 = <f32>1 / (support * support);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const target = inverses + id * 48;
    const is = load<u32>(solids + (id << 2));
    if (is == IS_LIQUID || is == IS_ABSENT) {
      memory.fill(target, 0, 48);
      continue;
    }
    const moment = <usize>load<u32>(context + SCRATCH) + (id / BLOCK) * SCRATCH_SIZE;
    const vectors = moment + 48;
    memory.fill(moment, 0, 48);
    const count = <usize>load<u32>(counts + (id << 2));
    for (let k: usize = 0; k < count; k++) {
      const r = v128.load(bonds + ((id * capacity + k) << 4));
      const weight = <f64>weightOf(r, perSupport2);
      const rx = <f64>x(r);
      const ry = <f64>y(r);
      const rz = <f64>z(r);
      store<f64>(moment, load<f64>(moment) + weight * rx * rx);
      store<f64>(moment, load<f64>(moment, 8) + weight * rx * ry, 8);
      store<f64>(moment, load<f64>(moment, 16) + weight * rx * rz, 16);
      store<f64>(moment, load<f64>(moment, 24) + weight * ry * ry, 24);
      store<f64>(moment, load<f64>(moment, 32) + weight * ry * rz, 32);
      store<f64>(moment, load<f64>(moment, 40) + weight * rz * rz, 40);
    }
    const trace = load<f64>(moment) + load<f64>(moment, 24) + load<f64>(moment, 40);
    const rank = pseudoInverse(moment, vectors, RANK_TOLERANCE, target, projections + id * 48);
    const held = heldShare(load<f64>(moment), load<f64>(moment, 24), load<f64>(moment, 40));
    const volume = <f64>load<f32>(constants + (id << 4), 12) * held;
    store<f32>(volumes + (id << 2), <f32>volume);
    store<f32>(target, <f32>(trace > 0 ? (3 * volume) / trace : 0), 12);
    store<f32>(target, <f32>rank, 28);
    store<f32>(target, 0, 44);
  }
}

/** The highest frequency of a lattice over that of one particle that moves alone, squared: found by power iteration. */
const COLLECTIVE: f32 = 2;

/**
 * How stiff a particle is held by its bonds if it moves alone, over the modulus at rest, and times COLLECTIVE: a bound
 * of the squared frequencies over the modulus, [1/(s2 Pa)].
 *
 *   k_i = V_i |sum_j M_i^-1 g_ij|^2 + sum_j V_j |M_j^-1 g_ij|^2, and the stabilisation
 */
export function computeElasticRates(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bonds = <usize>load<u32>(context + BONDS);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const inverses = <usize>load<u32>(context + INVERSE);
  const positions = <usize>load<u32>(context + POSITION);
  const constants = <usize>load<u32>(context + CONSTANTS);
  const volumes = <usize>load<u32>(context + HELD_VOLUME);
  const support = load<f32>(context + SUPPORT);
  const perSupport2: f32 = <f32>1 / (support * support);
  const stabilisation = load<f32>(context + STABILISATION);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const is = load<u32>(solids + (id << 2));
    if (is == IS_LIQUID || is == IS_ABSENT) continue;
    const own = inverses + id * 48;
    const m0 = v128.load(own);
    const m1 = v128.load(own, 16);
    const m2 = v128.load(own, 32);
    const mine = v128.load(constants + (id << 4));
    const volume = load<f32>(volumes + (id << 2));
    const count = <usize>load<u32>(counts + (id << 2));
    let sum = f32x4.splat(0);
    let stiffness: f32 = 0;
    let held: f32 = 0;
    for (let k: usize = 0; k < count; k++) {
      const r = v128.load(bonds + ((id * capacity + k) << 4));
      const j = neighborIndex(r);
      const weight = weightOf(r, perSupport2);
      const other = inverses + j * 48;
      const b = f32x4.mul(f32x4.splat(weight), matrixTimes(v128.load(other), v128.load(other, 16), v128.load(other, 32), r));
      stiffness += load<f32>(volumes + (j << 2)) * dot(b, b);
      sum = addMul(sum, f32x4.splat(weight), r);
      held += weight * (w(m0) + load<f32>(other, 12));
    }
    const b = matrixTimes(m0, m1, m2, sum);
    stiffness += volume * dot(b, b);
    // The modulus of the stabilisation is 2 mu, that of the waves lambda + 2 mu + k.
    const modulus = x(mine) + <f32>2 * y(mine) + z(mine);
    const share: f32 = modulus > 0 ? (<f32>2 * y(mine) * stabilisation) / modulus : 0;
    const rate = COLLECTIVE * (stiffness + share * held) * w(v128.load(positions + (id << 4)));
    store<f32>(own, rate, 44);
  }
}
