import { BLOCK, BLOCK_SUMS, SUMS, VELOCITY } from '../../src/particles/layout';
import {
  ALPHA,
  BETA,
  BLOCK_RATE,
  DIAGONAL,
  DIRECTION,
  EMBEDDED,
  NEIGHBOR_COUNT,
  OTHER_PAIRS,
  PAIRS,
  POSITION,
  PRODUCT,
  RESIDUAL,
  REVERSE,
  CAPACITY,
  SOLUTION,
  STEP,
  VISCOSITY,
  WEIGHTS,
} from '../../src/particles/embedding-layout';
import { ELASTIC } from '../../src/particles/layout';
import { addMul, dot, w } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * The two linear systems of a step, by conjugate gradients with the diagonal as preconditioner: the embedding,
 * [J14] eq. 9-12, and implicit viscosity. Sums are per block, in double precision.
 *
 * Both matrices are graphs: a force k_ij (x_i - x_j) on either end. That of the embedding has constant vectors as
 * its null space, one for every connected component, and its right side is orthogonal to them: conjugate gradients
 * then leave the weighted mean of each component where it was. This stands for the pinned particle of [J14] 3.3.
 */

/** Sums r . z and z . z of the blocks, where z is the preconditioned residual. */
// @ts-ignore: decorator
@inline
function storeSums(context: usize, i: usize, product: f64, size: f64): void {
  const out = <usize>load<u32>(context + BLOCK_SUMS) + (i / BLOCK) * SUMS * 8;
  store<f64>(out, product);
  store<f64>(out, size, 8);
}

// @ts-ignore: decorator
@inline
function isBlockEnd(i: usize, end: usize): bool {
  return ((i + 1) & (BLOCK - 1)) == 0 || i + 1 == end;
}

/**
 * Residual and diagonal of the embedding at the present positions: sum_j w_ij^2 (e_ij - u_ij) - w_ji^2 (e_ji - u_ji).
 * The row of the matrix goes to OTHER_PAIRS, which is free: an entry and where its direction is, 8 bytes each.
 */
export function beginEmbedding(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const pairs = <usize>load<u32>(context + PAIRS);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const reverses = <usize>load<u32>(context + REVERSE);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const solutions = <usize>load<u32>(context + SOLUTION);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const rows = <usize>load<u32>(context + OTHER_PAIRS);
  let product: f64 = 0;
  let size: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(points + (i << 4));
    let sum = f32x4.splat(0);
    let diagonal: f32 = 0;
    let pair = i * CAPACITY;
    let entry = rows + i * CAPACITY * 8;
    for (const last = pair + <usize>load<u32>(counts + (i << 2)); pair < last; pair++) {
      const u = v128.load(pairs + (pair << 4));
      const back = <usize>load<u32>(reverses + (pair << 2));
      const a = load<f32>(weights + (pair << 2));
      const b = load<f32>(weights + (back << 2));
      const j = neighborIndex(u);
      const e = f32x4.sub(v128.load(points + (j << 4)), at);
      sum = addMul(sum, f32x4.splat(a * a), f32x4.sub(e, u));
      sum = addMul(sum, f32x4.splat(b * b), f32x4.add(e, v128.load(pairs + (back << 4))));
      const both = a * a + b * b;
      diagonal += both;
      store<f32>(entry, both);
      store<u32>(entry, <u32>(directions + (j << 4)), 4);
      entry += 8;
    }
    const inverse: f32 = diagonal > 0 ? <f32>1 / diagonal : 0;
    const r = f32x4.replace_lane(sum, 3, 0);
    const preconditioned = f32x4.mul(f32x4.splat(inverse), r);
    store<f32>(diagonals + (i << 2), inverse);
    v128.store(residuals + (i << 4), r);
    v128.store(directions + (i << 4), preconditioned);
    v128.store(solutions + (i << 4), f32x4.splat(0));
    product += <f64>dot(r, preconditioned);
    size += <f64>dot(preconditioned, preconditioned);
    if (isBlockEnd(i, <usize>end)) {
      storeSums(context, i, product, size);
      product = 0;
      size = 0;
    }
  }
}

/** The matrix of eq. 12 times the direction; sums of direction . product. */
export function multiplyEmbedding(begin: u32, end: u32, context: usize): void {
  const rows = <usize>load<u32>(context + OTHER_PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  let product: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = v128.load(directions + (i << 4));
    let entry = rows + i * CAPACITY * 8;
    const last = entry + (<usize>load<u32>(counts + (i << 2)) << 3);
    // Two sums, so that one need not wait for the other.
    let sum = f32x4.splat(0);
    let more = f32x4.splat(0);
    for (; entry + 8 < last; entry += 16) {
      sum = addMul(sum, v128.load32_splat(entry), f32x4.sub(own, v128.load(<usize>load<u32>(entry, 4))));
      more = addMul(more, v128.load32_splat(entry, 8), f32x4.sub(own, v128.load(<usize>load<u32>(entry, 12))));
    }
    if (entry < last) sum = addMul(sum, v128.load32_splat(entry), f32x4.sub(own, v128.load(<usize>load<u32>(entry, 4))));
    sum = f32x4.add(sum, more);
    v128.store(products + (i << 4), sum);
    product += <f64>dot(own, sum);
    if (isBlockEnd(i, <usize>end)) {
      storeSums(context, i, product, 0);
      product = 0;
    }
  }
}

/**
 * Strength of the viscous bond of a pair [kg/s]: along the line between two particles, so that angular momentum is
 * kept and a rigid motion is not damped. Departs from [J14] eq. 8, which damps rotations. With sum_j k_ij r_ij^2 =
 * 30 eta V_i a shear of any direction dissipates what a liquid of viscosity eta does.
 */
// @ts-ignore: decorator
@inline
function bondOf(mine: f32, theirs: f32, a: f32, b: f32): f32 {
  return mine * a + theirs * b;
}

/** 15 eta V / sum_j w_ij r_ij^2 of every particle, into SOLUTION's lane 3, before the passes below. */
export function weighViscosity(begin: u32, end: u32, context: usize): void {
  const pairs = <usize>load<u32>(context + PAIRS);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const positions = <usize>load<u32>(context + POSITION);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const viscosities = <usize>load<u32>(context + VISCOSITY);
  const solutions = <usize>load<u32>(context + SOLUTION);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(positions + (i << 4));
    let sum: f32 = 0;
    let pair = i * CAPACITY;
    for (const last = pair + <usize>load<u32>(counts + (i << 2)); pair < last; pair++) {
      const j = neighborIndex(v128.load(pairs + (pair << 4)));
      const offset = f32x4.sub(v128.load(positions + (j << 4)), at);
      sum += load<f32>(weights + (pair << 2)) * dot(offset, offset);
    }
    const volume = load<f32>(elastic + (i << 4), 12);
    const strength: f32 = sum > 0 ? (<f32>15 * load<f32>(viscosities + (i << 2)) * volume) / sum : 0;
    store<f32>(solutions + (i << 4), strength, 12);
  }
}

/**
 * The viscous system m v' + dt sum_j k_ij n (n . (v'_i - v'_j)) = m v, for the change of velocity: its right side is
 * the viscous impulse on the velocities as they are. `BLOCK_RATE` gets the largest rate of change [1/s].
 */
export function beginViscousSolve(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const pairs = <usize>load<u32>(context + PAIRS);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const reverses = <usize>load<u32>(context + REVERSE);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const solutions = <usize>load<u32>(context + SOLUTION);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const rates = <usize>load<u32>(context + BLOCK_RATE);
  const dt = load<f32>(context + STEP);
  let product: f64 = 0;
  let size: f64 = 0;
  let fastest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(positions + (i << 4));
    const velocity = v128.load(velocities + (i << 4));
    const mine = load<f32>(solutions + (i << 4), 12);
    let sum = f32x4.splat(0);
    let total: f32 = 0;
    let pair = i * CAPACITY;
    for (const last = pair + <usize>load<u32>(counts + (i << 2)); pair < last; pair++) {
      const j = neighborIndex(v128.load(pairs + (pair << 4)));
      const b = load<f32>(weights + (<usize>load<u32>(reverses + (pair << 2)) << 2));
      const bond = bondOf(mine, load<f32>(solutions + (j << 4), 12), load<f32>(weights + (pair << 2)), b);
      const offset = f32x4.sub(v128.load(positions + (j << 4)), at);
      const length2 = dot(offset, offset);
      if (length2 == 0) continue;
      const along = dot(f32x4.sub(v128.load(velocities + (j << 4)), velocity), offset) / length2;
      sum = addMul(sum, f32x4.splat(bond * along), offset);
      total += bond;
    }
    const inverseMass = w(at);
    const r = f32x4.replace_lane(f32x4.mul(f32x4.splat(dt), sum), 3, 0);
    // A third of the bonds acts along each axis.
    const inverse = inverseMass / (<f32>1 + dt * inverseMass * total * (<f32>1 / <f32>3));
    const preconditioned = f32x4.mul(f32x4.splat(inverse), r);
    store<f32>(diagonals + (i << 2), inverse);
    v128.store(residuals + (i << 4), r);
    v128.store(directions + (i << 4), preconditioned);
    v128.store(solutions + (i << 4), f32x4.replace_lane(f32x4.splat(0), 3, mine));
    product += <f64>dot(r, preconditioned);
    size += <f64>dot(preconditioned, preconditioned);
    const rate = total * inverseMass;
    if (!(rate <= fastest)) fastest = rate;
    if (isBlockEnd(i, <usize>end)) {
      storeSums(context, i, product, size);
      store<f32>(rates + ((i / BLOCK) << 2), fastest);
      product = 0;
      size = 0;
      fastest = 0;
    }
  }
}

export function multiplyViscosity(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const pairs = <usize>load<u32>(context + PAIRS);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const reverses = <usize>load<u32>(context + REVERSE);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const solutions = <usize>load<u32>(context + SOLUTION);
  const dt = load<f32>(context + STEP);
  let product: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(positions + (i << 4));
    const own = v128.load(directions + (i << 4));
    const mine = load<f32>(solutions + (i << 4), 12);
    let sum = f32x4.splat(0);
    let pair = i * CAPACITY;
    for (const last = pair + <usize>load<u32>(counts + (i << 2)); pair < last; pair++) {
      const j = neighborIndex(v128.load(pairs + (pair << 4)));
      const b = load<f32>(weights + (<usize>load<u32>(reverses + (pair << 2)) << 2));
      const bond = bondOf(mine, load<f32>(solutions + (j << 4), 12), load<f32>(weights + (pair << 2)), b);
      const offset = f32x4.sub(v128.load(positions + (j << 4)), at);
      const length2 = dot(offset, offset);
      if (length2 == 0) continue;
      const along = dot(f32x4.sub(own, v128.load(directions + (j << 4))), offset) / length2;
      sum = addMul(sum, f32x4.splat(bond * along), offset);
    }
    const result = f32x4.replace_lane(addMul(f32x4.div(own, f32x4.splat(w(at))), f32x4.splat(dt), sum), 3, 0);
    v128.store(products + (i << 4), result);
    product += <f64>dot(own, result);
    if (isBlockEnd(i, <usize>end)) {
      storeSums(context, i, product, 0);
      product = 0;
    }
  }
}

/** x += alpha p, r -= alpha A p; lane 3 of the solution is left alone. */
export function advanceSolution(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const solutions = <usize>load<u32>(context + SOLUTION);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let product: f64 = 0;
  let size: f64 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const x = v128.load(solutions + (i << 4));
    const next = addMul(x, alpha, v128.load(directions + (i << 4)));
    v128.store(solutions + (i << 4), f32x4.replace_lane(next, 3, w(x)));
    const r = f32x4.sub(v128.load(residuals + (i << 4)), f32x4.mul(alpha, v128.load(products + (i << 4))));
    v128.store(residuals + (i << 4), r);
    const inverse = load<f32>(diagonals + (i << 2));
    product += <f64>(inverse * dot(r, r));
    size += <f64>(inverse * inverse * dot(r, r));
    if (isBlockEnd(i, <usize>end)) {
      storeSums(context, i, product, size);
      product = 0;
      size = 0;
    }
  }
}

/** p <- z + beta p with the preconditioned residual z. */
export function turnSolution(begin: u32, end: u32, context: usize): void {
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const beta = f32x4.splat(load<f32>(context + BETA));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const inverse = f32x4.splat(load<f32>(diagonals + (i << 2)));
    const next = addMul(f32x4.mul(inverse, v128.load(residuals + (i << 4))), beta, v128.load(directions + (i << 4)));
    v128.store(directions + (i << 4), f32x4.replace_lane(next, 3, 0));
  }
}

/** Puts the particles where the solution has them in embedded space. */
export function applyEmbedding(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const solutions = <usize>load<u32>(context + SOLUTION);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = points + (i << 4);
    v128.store(at, f32x4.add(v128.load(at), f32x4.replace_lane(v128.load(solutions + (i << 4)), 3, 0)));
  }
}

/** Adds the solution to the velocities. */
export function applyViscousSolution(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const solutions = <usize>load<u32>(context + SOLUTION);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = velocities + (i << 4);
    v128.store(at, f32x4.add(v128.load(at), f32x4.replace_lane(v128.load(solutions + (i << 4)), 3, 0)));
  }
}

/** The explicit step of the viscosity: v += dt f / m, from the residual that was begun with. */
export function applyViscousImpulses(begin: u32, end: u32, context: usize): void {
  const velocities = <usize>load<u32>(context + VELOCITY);
  const positions = <usize>load<u32>(context + POSITION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = velocities + (i << 4);
    const inverseMass = f32x4.splat(load<f32>(positions + (i << 4), 12));
    v128.store(at, addMul(v128.load(at), inverseMass, v128.load(residuals + (i << 4))));
  }
}
