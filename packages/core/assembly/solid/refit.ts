import {
  BLOCK,
  BLOCK_SUMS,
  BODIES,
  BODY_OF,
  BODY_PLASTIC,
  BODY_STRIDE,
  BOND_BEGIN,
  BOND_NEIGHBORS,
  BOND_WEIGHTS,
  BONDS_LEFT,
  CONSTRAINED,
  DEFICIENT_OF,
  ELASTIC,
  ELASTIC_WHOLE,
  FIT_STIFFNESS,
  GRADIENT_SUM,
  LOST,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  PAIRS,
  PLASTIC,
  POINT_COUNT,
  PROJECTIONS,
  REFIT,
  REST,
  STRAIN,
  SUMS,
} from '../../src/particles/layout';
import { largestColumn, pseudoInverse, storeSymmetric } from '../math/pseudo-inverse';
import { dot, vector, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import { doubleElasticStrain } from './bond-strength';
import { RANK_TOLERANCE } from './moments';
import * as response from './response';

/** Fits of particles whose bonds have lost weight; see fracture.ts. */

/** Share of its stiffness that a particle keeps at least. */
const SOFTEST: f32 = 1e-4;
/** Weight of the stabilisation for which the law of shareFor was found. */
const USUAL_STABILISATION: f32 = 0.75;

/** Weights of the bonds of whole bodies, w = g . r / r . r, and how stiff their fits are. */
export function noteBonds(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const weights = <usize>load<u32>(context + BOND_WEIGHTS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const stiffnesses = <usize>load<u32>(context + FIT_STIFFNESS);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const constraints = <usize>load<u32>(context + CONSTRAINED);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const here = v128.load(rest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    let trace: f32 = 0;
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      const moment = dot(v128.load(pairs + (k << 4)), r);
      store<f32>(weights + (k << 2), moment / dot(r, r));
      store<f32>(left + (k << 2), 1);
      trace += moment;
    }
    const alpha = load<f32>(inverses + i * 48, 28);
    store<f32>(constraints + (i << 4), (alpha * trace) / (<f32>3 * USUAL_STABILISATION * load<f32>(elastic + (i << 4), 12)), 4);
    store<f32>(stiffnesses + (i << 3), fitStiffness(i, begins, pairs, inverses));
    store<f32>(stiffnesses + (i << 3), load<f32>(inverses + i * 48, 28), 4);
  }
}

/** sum_j |M^-1 g|^2 + |M^-1 sum_j g|^2: how stiff a fit is for its neighbours and the particle itself. */
function fitStiffness(i: usize, begins: usize, pairs: usize, inverses: usize): f32 {
  const m0 = v128.load(inverses + i * 48);
  const m1 = v128.load(inverses + i * 48, 16);
  const m2 = v128.load(inverses + i * 48, 32);
  const last = <usize>load<u32>(begins + (i << 2), 4);
  let sum: f32 = 0;
  let ox: f32 = 0;
  let oy: f32 = 0;
  let oz: f32 = 0;
  for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
    const g = v128.load(pairs + (k << 4));
    const a = dot(m0, g);
    const b = dot(m1, g);
    const c = dot(m2, g);
    sum += a * a + b * b + c * c;
    ox += a;
    oy += b;
    oz += c;
  }
  return sum + (ox * ox + oy * oy + oz * oz);
}
/** Fits, stabilisation, stiffness and damage of the particles whose bonds have changed. */
export function refitBonds(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const all = <usize>load<u32>(context + BOND_BEGIN);
  const bonded = <usize>load<u32>(context + BOND_NEIGHBORS);
  const weights = <usize>load<u32>(context + BOND_WEIGHTS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const lost = <usize>load<u32>(context + LOST);
  const refit = <usize>load<u32>(context + REFIT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const stiffnesses = <usize>load<u32>(context + FIT_STIFFNESS);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const strains = <usize>load<u32>(context + STRAIN);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const scratches = <usize>load<u32>(context + BLOCK_SUMS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (load<u32>(refit + (i << 2)) == 0) continue;
    const scratch = scratches + (i / BLOCK) * SUMS * 8;
    const here = v128.load(rest + (i << 4));

    // Pairs, and what is lost. The pairs are the bonds but for some that are broken.
    let sum = f32x4.splat(0);
    let side = f32x4.splat(0);
    let total: f32 = 0;
    let gone: f32 = 0;
    let m0: f64 = 0;
    let m1: f64 = 0;
    let m2: f64 = 0;
    let m3: f64 = 0;
    let m4: f64 = 0;
    let m5: f64 = 0;
    let l0: f64 = 0;
    let l1: f64 = 0;
    let l2: f64 = 0;
    let l3: f64 = 0;
    let l4: f64 = 0;
    let l5: f64 = 0;
    let pair = <usize>load<u32>(begins + (i << 2));
    const lastPair = <usize>load<u32>(begins + (i << 2), 4);
    const last = <usize>load<u32>(all + (i << 2), 4);
    for (let k = <usize>load<u32>(all + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(bonded + (k << 2));
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      const weight = load<f32>(weights + (k << 2));
      const share = max<f32>(0, load<f32>(left + (k << 2)));
      const rx = <f64>x(r);
      const ry = <f64>y(r);
      const rz = <f64>z(r);
      const has = <f64>(weight * share);
      m0 += has * rx * rx;
      m1 += has * rx * ry;
      m2 += has * rx * rz;
      m3 += has * ry * ry;
      m4 += has * ry * rz;
      m5 += has * rz * rz;
      const losts = weight * (<f32>1 - share);
      l0 += <f64>losts * rx * rx;
      l1 += <f64>losts * rx * ry;
      l2 += <f64>losts * rx * rz;
      l3 += <f64>losts * ry * ry;
      l4 += <f64>losts * ry * rz;
      l5 += <f64>losts * rz * rz;
      total += weight;
      gone += losts;
      side = f32x4.add(side, f32x4.mul(f32x4.splat(losts / sqrt(dot(r, r))), r));
      if (pair == lastPair || <usize>load<u32>(neighbors + (pair << 2)) != j) continue;
      const g = f32x4.mul(f32x4.splat(weight * share), r);
      sum = f32x4.add(sum, g);
      v128.store(pairs + (pair << 4), f32x4.replace_lane(g, 3, 0));
      pair++;
    }
    v128.store(sums + (i << 4), f32x4.replace_lane(sum, 3, load<f32>(sums + (i << 4), 12)));
    const damage: f32 = total > 0 ? gone / total : 0;
    // A side that is lost makes a mean of about a quarter of all weights.
    const perSide: f32 = total > 0 ? <f32>4 / total : 0;
    v128.store(lost + (i << 4), f32x4.replace_lane(f32x4.mul(f32x4.splat(perSide), side), 3, damage));

    // Share of the stiffness: along the direction that has lost most.
    const vectors = scratch + 48;
    let share: f64 = 1;
    if (gone > 0) {
      storeSymmetric(scratch, l0, l1, l2, l3, l4, l5);
      jacobiEigen(scratch, vectors);
      const most = max(max(load<f64>(scratch), load<f64>(scratch, 24)), load<f64>(scratch, 40));
      const v = vectors + largestColumn(scratch);
      const a = load<f64>(v);
      const b = load<f64>(v, 24);
      const c = load<f64>(v, 48);
      const has = a * a * m0 + b * b * m3 + c * c * m5 + 2 * (a * b * m1 + a * c * m2 + b * c * m4);
      share = has / (has + most);
    }

    storeSymmetric(scratch, m0, m1, m2, m3, m4, m5);
    const rank = pseudoInverse(scratch, vectors, RANK_TOLERANCE, inverses + i * 48, projections + i * 48);
    if (rank < 3) store<f32>(projections + i * 48, <f32>rank, 12);
    store<u32>(deficient + (i << 2), rank < 3 ? <u32>i + 1 : 0);

    // What is held by few bonds would be stiffer, and is not: steps stay as long as they were.
    const stiffness = fitStiffness(i, begins, pairs, inverses);
    const before = load<f32>(stiffnesses + (i << 3));
    let phi = <f32>share;
    if (stiffness * phi > before) phi = before / stiffness;
    const volume = load<f32>(elastic + (i << 4), 12);
    phi = max(phi, SOFTEST);
    const constants = f32x4.mul(f32x4.splat(phi), v128.load(whole + (i << 4)));
    v128.store(elastic + (i << 4), f32x4.replace_lane(constants, 3, volume));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const plastic = load<u32>(body + BODY_PLASTIC) != 0 ? plastics + i * 48 : 0;
    const alpha = phi * load<f32>(stiffnesses + (i << 3), 4);
    store<f32>(inverses + i * 48, alpha, 28);
    store<f32>(inverses + i * 48, plastic == 0 ? alpha : alpha * load<f32>(plastic, 28), 12);

    // The strain that the rate goes by is seen with the new fit.
    doubleElasticStrain(context, i, body, rank < 3 ? projections + i * 48 : 0, rank == 3 ? plastic : 0, constants);
    const half = f32x4.splat(0.5);
    v128.store(strains + (i << 5), f32x4.mul(half, vector(x(response.s0), y(response.s1), z(response.s2), 0)));
    v128.store(strains + (i << 5), f32x4.mul(half, vector(z(response.s1), z(response.s0), y(response.s0), 0)), 16);
  }
}

/** Weights of the stabilisation of the pairs of which an end has changed. */
export function rebond(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const refit = <usize>load<u32>(context + REFIT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<u32>(refit + (i << 2));
    const mine = load<f32>(inverses + i * 48, 12);
    const here = v128.load(rest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const j = <usize>load<u32>(neighbors + (k << 2));
      if ((own | load<u32>(refit + (j << 2))) == 0) continue;
      const pair = pairs + (k << 4);
      const r = f32x4.sub(v128.load(rest + (j << 4)), here);
      store<f32>(pair, (dot(v128.load(pair), r) / dot(r, r)) * (mine + load<f32>(inverses + j * 48, 12)), 12);
    }
  }
}

/** Takes the broken bonds out of the lists of neighbours; one thread. */
export function removeBroken(begin: u32, end: u32, context: usize): void {
  const all = <usize>load<u32>(context + BOND_BEGIN);
  const bonded = <usize>load<u32>(context + BOND_NEIGHBORS);
  const left = <usize>load<u32>(context + BONDS_LEFT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const count = <usize>load<u32>(context + POINT_COUNT);
  let to: usize = 0;
  let from: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const lastPair = <usize>load<u32>(begins + (i << 2), 4);
    let k = <usize>load<u32>(all + (i << 2));
    for (; from < lastPair; from++) {
      const j = load<u32>(neighbors + (from << 2));
      while (load<u32>(bonded + (k << 2)) != j) k++;
      if (load<f32>(left + (k << 2)) <= 0) continue;
      store<u32>(neighbors + (to << 2), j);
      v128.store(pairs + (to << 4), v128.load(pairs + (from << 4)));
      to++;
    }
    store<u32>(begins + (i << 2), <u32>to, 4);
  }
}
