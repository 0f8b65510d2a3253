import {
  ACCELERATION,
  BODIES,
  BODY_FIT,
  BODY_FRAME,
  BODY_GRAVITY,
  BODY_OF,
  BODY_QUADRATIC_SHIFT,
  BODY_STRIDE,
  CONSTRAINTS,
  CONSTRAINT_ACCELERATION,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  EXTERNAL_FORCE,
  FIT_LINEAR,
  FIT_QUADRATIC,
  FLUX,
  GRADIENT_SUM,
  INVERSE_WEIGHTS,
  LATE_KICK,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  PAIRS,
  QUADRATIC_FLUX,
  SURFACE_OF,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, columnX, columnY, columnZ, rowTimes, w } from '../math/simd';
import { productsOf, squaresOf } from './fit';
import { rowEnd } from './rows';

/**
 * f_i = sum_j (Q_i + Q_j) g_ij, [M04] eq. 24-25 gathered instead of scattered, plus what the stress
 * pass, contact and the world left for the particle; then the second half of the velocity kick.
 */
export function computeForces(begin: u32, end: u32, context: usize): void {
  gather(begin, end, context, false);
}

/**
 * The same for the quadratic fit: f_i = sum_j w_ij ((Zl_i + Zl_j) r_ij + (Zq_i - Zq_j) r_ij r_ij / 2). The
 * sign of the second part is that of an even function of r_ij.
 */
export function computeQuadraticForces(begin: u32, end: u32, context: usize): void {
  gather(begin, end, context, true);
}

/** A vector in world axes, in those of a body; lane 3 is zero. */
// @ts-ignore: decorator
@inline
export function inBodyAxes(body: usize, a: v128): v128 {
  const turned = rowTimes(a, v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32));
  return f32x4.replace_lane(turned, 3, 0);
}

/** Sums of the lanes of fx, fy, fz: the products of rows and g, lane by lane, are added up at the end. */
// @ts-ignore: decorator
@inline
function sumsOfLanes(fx: v128, fy: v128, fz: v128): v128 {
  return f32x4.add(columnX(fx, fy, fz), f32x4.add(columnY(fx, fy, fz), columnZ(fx, fy, fz)));
}

/** Q_i sum_j g_ij + sum_j Q_j g_ij. */
// @ts-ignore: decorator
@inline
function linearForce(flux: usize, i: usize, sum: v128, neighbors: usize, first: usize, last: usize): v128 {
  const own = flux + i * 48;
  let fx = f32x4.mul(sum, v128.load(own));
  let fy = f32x4.mul(sum, v128.load(own, 16));
  let fz = f32x4.mul(sum, v128.load(own, 32));
  let neighbor = neighbors;
  for (let pair = first; pair < last; pair += 16) {
    const g = v128.load(pair);
    const q = flux + <usize>load<u32>(neighbor) * 48;
    fx = addMul(fx, g, v128.load(q));
    fy = addMul(fy, g, v128.load(q, 16));
    fz = addMul(fz, g, v128.load(q, 32));
    neighbor += 4;
  }
  return sumsOfLanes(fx, fy, fz);
}

// @ts-ignore: decorator
@inline
function quadraticForce(
  flux: usize, i: usize, sum: v128, neighbors: usize, first: usize, last: usize, inverseWeights: usize,
): v128 {
  const own = flux + i * 144;
  let fx = f32x4.mul(sum, v128.load(own));
  let fy = f32x4.mul(sum, v128.load(own, 16));
  let fz = f32x4.mul(sum, v128.load(own, 32));
  let squareSum = f32x4.splat(0);
  let productSum = f32x4.splat(0);
  let at = inverseWeights;
  let neighbor = neighbors;
  for (let pair = first; pair < last; pair += 16) {
    const g = v128.load(pair);
    const q = flux + <usize>load<u32>(neighbor) * 144;
    const scaled = f32x4.mul(g, v128.load_splat<f32>(at));
    at += 4;
    neighbor += 4;
    const squares = squaresOf(g, scaled);
    const products = productsOf(g, scaled);
    squareSum = f32x4.add(squareSum, squares);
    productSum = f32x4.add(productSum, products);
    fx = addMul(fx, g, v128.load(q));
    fy = addMul(fy, g, v128.load(q, 16));
    fz = addMul(fz, g, v128.load(q, 32));
    fx = f32x4.sub(fx, f32x4.mul(squares, v128.load(q, 48)));
    fy = f32x4.sub(fy, f32x4.mul(squares, v128.load(q, 64)));
    fz = f32x4.sub(fz, f32x4.mul(squares, v128.load(q, 80)));
    fx = f32x4.sub(fx, f32x4.mul(products, v128.load(q, 96)));
    fy = f32x4.sub(fy, f32x4.mul(products, v128.load(q, 112)));
    fz = f32x4.sub(fz, f32x4.mul(products, v128.load(q, 128)));
  }
  fx = addMul(fx, squareSum, v128.load(own, 48));
  fy = addMul(fy, squareSum, v128.load(own, 64));
  fz = addMul(fz, squareSum, v128.load(own, 80));
  fx = addMul(fx, productSum, v128.load(own, 96));
  fy = addMul(fy, productSum, v128.load(own, 112));
  fz = addMul(fz, productSum, v128.load(own, 128));
  return sumsOfLanes(fx, fy, fz);
}

/** The elastic force of particle i, by the fit that the compiler knows. */
// @ts-ignore: decorator
@inline
export function elasticForce(
  quadratic: bool, flux: usize, i: usize, sum: v128, begins: usize, neighbors: usize, pairs: usize, inverseWeights: usize,
): v128 {
  const first = <usize>load<u32>(begins + (i << 2));
  const last = pairs + (<usize>load<u32>(begins + (i << 2), 4) << 4);
  return quadratic
    ? quadraticForce(flux, i, sum, neighbors + (first << 2), pairs + (first << 4), last, inverseWeights + (first << 2))
    : linearForce(flux, i, sum, neighbors + (first << 2), pairs + (first << 4), last);
}

// @ts-ignore: decorator
@inline
function gather(begin: u32, end: u32, context: usize, quadratic: bool): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const flux = <usize>load<u32>(context + (quadratic ? QUADRATIC_FLUX : FLUX));
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactForces = <usize>load<u32>(context + CONTACT_FORCE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const external = <usize>load<u32>(context + EXTERNAL_FORCE);
  const kick = f32x4.splat(load<f32>(context + LATE_KICK));

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let shift: usize = 0;
  let other = false;
  let gravity = f32x4.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (i >= bodyEnd) {
      body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = rowEnd(body, bodyOf, i, <usize>end);
      shift = quadratic ? <usize>load<u32>(body + BODY_QUADRATIC_SHIFT) * 144 : 0;
      other = load<u32>(body + BODY_FIT) != <u32>(quadratic ? FIT_QUADRATIC : FIT_LINEAR);
      gravity = v128.load(body + BODY_GRAVITY);
    }
    if (other) {
      i = min(bodyEnd, <usize>end) - 1;
      continue;
    }
    const sum = v128.load(sums + (i << 4));
    let force = f32x4.add(
      v128.load(accelerations + (i << 4)),
      elasticForce(quadratic, flux - shift, i, sum, begins, neighbors, pairs, inverseWeights),
    );
    if (contact) {
      const surface = <usize>load<u32>(surfaceOf + (i << 2));
      if (surface != 0) force = f32x4.add(force, v128.load(contactForces + ((surface - 1) << 4)));
    }
    if (external != 0) force = f32x4.add(force, inBodyAxes(body, v128.load(external + (i << 4))));
    let acceleration = addMul(gravity, force, f32x4.splat(w(sum)));
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    if (constraint != 0) {
      acceleration = f32x4.add(
        acceleration,
        v128.load(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_ACCELERATION),
      );
    }
    v128.store(accelerations + (i << 4), acceleration);
    const velocity = velocities + (i << 4);
    v128.store(velocity, addMul(v128.load(velocity), kick, acceleration));
  }
}
