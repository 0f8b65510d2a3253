import {
  BODY_AXES,
  BODY_MODEL,
  BODY_STIFFNESS,
  MODEL_COROTATIONAL,
  MODEL_NEO_HOOKEAN,
  MODEL_ORTHOTROPIC,
  MODEL_ST_VENANT_KIRCHHOFF,
} from '../../src/particles/layout';
import {
  addMul, columnX, columnY, columnZ, cross, dot, rowSumBound, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z,
} from '../math/simd';

/**
 * The material laws: first Piola-Kirchhoff stress P from the gradient G of displacement, and its change
 * dP for a change dG. J = I + G; every law adds the determinant term k (det J - 1)^2 / 2, [M04] eq. 7.
 *
 *   St. Venant-Kirchhoff  lambda tr(E)^2 / 2 + mu E : E,  E = (J^T J - I) / 2         [M04] eq. 3-6
 *   orthotropic           E : C : E / 2 in the axes of the material                   [K06] 5.9.1
 *   neo-Hookean           mu (tr(J^T J) - 3) / 2 - mu (det J - 1)                     no logarithm: defined inside out
 *   corotational          mu |J - R|^2 + lambda tr(R^T J - I)^2 / 2,  J = R S
 *
 * Everything is formed from G, never from J^T J - I: near the rest shape float32 would lose all digits.
 *
 * A function cannot return three vectors, so results are left in the variables below. Every thread has
 * its own instance of this module, and so its own variables.
 */

/** Rows of P or dP. */
export let p0: v128 = i32x4(0, 0, 0, 0);
export let p1: v128 = i32x4(0, 0, 0, 0);
export let p2: v128 = i32x4(0, 0, 0, 0);
/** Bound of the stiffness that a wave meets [Pa]. */
export let stiffness: f32 = 0;
/** Bound of the largest squared stretch, where there is viscosity or a law of strains [1]. */
export let stretch: f32 = 0;
/** Energy per volume [J/m3] and det J - 1. */
export let energy: f32 = 0;
export let change: f32 = 0;

/** Rows of a symmetric matrix; after `respond` the second Piola-Kirchhoff stress, viscous part included. */
export let s0: v128 = i32x4(0, 0, 0, 0);
export let s1: v128 = i32x4(0, 0, 0, 0);
export let s2: v128 = i32x4(0, 0, 0, 0);
// Rows of a rotation.
let r0: v128 = i32x4(0, 0, 0, 0);
let r1: v128 = i32x4(0, 0, 0, 0);
let r2: v128 = i32x4(0, 0, 0, 0);
/** The rotation of the last corotational response, a quaternion. */
export let rotation: v128 = i32x4(0, 0, 0, 0);

/** Rotations smaller than this have converged [rad]. */
const ROTATED: f32 = 1e-9;
const ROTATIONS = 60;

// @ts-ignore: decorator
@inline
function ex(): v128 {
  return vector(1, 0, 0, 0);
}

// @ts-ignore: decorator
@inline
function ey(): v128 {
  return vector(0, 1, 0, 0);
}

// @ts-ignore: decorator
@inline
function ez(): v128 {
  return vector(0, 0, 1, 0);
}

/** Twice the Green strain; within the span of the neighbours where they do not span space. */
// @ts-ignore: decorator
@inline
function greenStrain(projection: usize, g0: v128, g1: v128, g2: v128): void {
  let l0 = g0;
  let l1 = g1;
  let l2 = g2;
  if (projection != 0) {
    l0 = rowTimes(v128.load(projection), g0, g1, g2);
    l1 = rowTimes(v128.load(projection, 16), g0, g1, g2);
    l2 = rowTimes(v128.load(projection, 32), g0, g1, g2);
  }
  const c0 = f32x4.add(l0, columnX(l0, l1, l2));
  const c1 = f32x4.add(l1, columnY(l0, l1, l2));
  const c2 = f32x4.add(l2, columnZ(l0, l1, l2));
  s0 = addMul(addMul(addMul(c0, splatX(g0), g0), splatX(g1), g1), splatX(g2), g2);
  s1 = addMul(addMul(addMul(c1, splatY(g0), g0), splatY(g1), g1), splatY(g2), g2);
  s2 = addMul(addMul(addMul(c2, splatZ(g0), g0), splatZ(g1), g1), splatZ(g2), g2);
}

/** Twice the Green strain of a gradient, rows into s. */
export function doubleStrain(g0: v128, g1: v128, g2: v128): void {
  greenStrain(0, g0, g1, g2);
}

/** The same within the span of the neighbours; 0 for all of space. */
export function doubleStrainWithin(projection: usize, g0: v128, g1: v128, g2: v128): void {
  greenStrain(projection, g0, g1, g2);
}

/** Stress of an isotropic or orthotropic solid from strain e, into s; lambda tr(e) P for deficient neighbourhoods. */
// @ts-ignore: decorator
@inline
function hooke(body: usize, model: u32, projection: usize, lambda: f32, twoMu: f32, e0: v128, e1: v128, e2: v128): void {
  if (model == MODEL_ORTHOTROPIC) {
    orthotropic(body, <f32>1, <f32>0, e0, e1, e2);
    return;
  }
  const pressure = f32x4.splat(lambda * (x(e0) + y(e1) + z(e2)));
  const shear = f32x4.splat(twoMu);
  if (projection == 0) {
    s0 = addMul(f32x4.mul(pressure, ex()), shear, e0);
    s1 = addMul(f32x4.mul(pressure, ey()), shear, e1);
    s2 = addMul(f32x4.mul(pressure, ez()), shear, e2);
  } else {
    s0 = addMul(f32x4.mul(pressure, v128.load(projection)), shear, e0);
    s1 = addMul(f32x4.mul(pressure, v128.load(projection, 16)), shear, e1);
    s2 = addMul(f32x4.mul(pressure, v128.load(projection, 32)), shear, e2);
  }
}

/** s = scale (C + bulk 1 1^T) : e with C in the axes A of the material: e' = A^T e A, s = A s' A^T. */
function orthotropic(body: usize, scale: f32, bulk: f32, e0: v128, e1: v128, e2: v128): void {
  const a0 = v128.load(body + BODY_AXES);
  const a1 = v128.load(body + BODY_AXES, 16);
  const a2 = v128.load(body + BODY_AXES, 32);
  const t0 = columnX(a0, a1, a2);
  const t1 = columnY(a0, a1, a2);
  const t2 = columnZ(a0, a1, a2);
  const b0 = rowTimes(e0, a0, a1, a2);
  const b1 = rowTimes(e1, a0, a1, a2);
  const b2 = rowTimes(e2, a0, a1, a2);
  const m0 = rowTimes(t0, b0, b1, b2);
  const m1 = rowTimes(t1, b0, b1, b2);
  const m2 = rowTimes(t2, b0, b1, b2);
  const normal = vector(x(m0), y(m1), z(m2), 0);
  const c0 = v128.load(body + BODY_STIFFNESS);
  const c1 = v128.load(body + BODY_STIFFNESS, 16);
  const c2 = v128.load(body + BODY_STIFFNESS, 32);
  const spread = bulk * (x(normal) + y(normal) + z(normal));
  const yz = scale * w(c0) * z(m1);
  const xz = scale * w(c1) * z(m0);
  const xy = scale * w(c2) * y(m0);
  const n0 = vector(scale * (dot(c0, normal) + spread), xy, xz, 0);
  const n1 = vector(xy, scale * (dot(c1, normal) + spread), yz, 0);
  const n2 = vector(xz, yz, scale * (dot(c2, normal) + spread), 0);
  const d0 = rowTimes(n0, t0, t1, t2);
  const d1 = rowTimes(n1, t0, t1, t2);
  const d2 = rowTimes(n2, t0, t1, t2);
  s0 = rowTimes(a0, d0, d1, d2);
  s1 = rowTimes(a1, d0, d1, d2);
  s2 = rowTimes(a2, d0, d1, d2);
}

/** Rows of the rotation of a quaternion, less the identity. */
// @ts-ignore: decorator
@inline
function rotationLessIdentity(q: v128): void {
  const a = x(q);
  const b = y(q);
  const c = z(q);
  const d = w(q);
  r0 = vector(-2 * (b * b + c * c), 2 * (a * b - c * d), 2 * (a * c + b * d), 0);
  r1 = vector(2 * (a * b + c * d), -2 * (a * a + c * c), 2 * (b * c - a * d), 0);
  r2 = vector(2 * (a * c - b * d), 2 * (b * c + a * d), -2 * (a * a + b * b), 0);
}

/** The sum of e_k x c_k over the columns of a matrix. */
// @ts-ignore: decorator
@inline
function axial(c0: v128, c1: v128, c2: v128): v128 {
  return vector(z(c1) - y(c2), x(c2) - z(c0), y(c0) - x(c1), 0);
}

/**
 * The rotation R that maximises tr(R^T J), by turning towards it [Müller et al. 2016]: it exists and is
 * smooth also for bodies turned inside out. Rows of R - I are left in r.
 */
function extractRotation(g0: v128, g1: v128, g2: v128): void {
  const c0 = columnX(g0, g1, g2);
  const c1 = columnY(g0, g1, g2);
  const c2 = columnZ(g0, g1, g2);
  let q = vector(0, 0, 0, 1);
  for (let k = 0; k < ROTATIONS; k++) {
    rotationLessIdentity(q);
    const d0 = columnX(r0, r1, r2);
    const d1 = columnY(r0, r1, r2);
    const d2 = columnZ(r0, r1, r2);
    // The sum of R_k x J_k over the columns, from R - I and G alone: small turns keep their digits.
    const crossed = f32x4.add(f32x4.add(cross(d0, c0), cross(d1, c1)), cross(d2, c2));
    const turn = f32x4.add(crossed, f32x4.sub(axial(c0, c1, c2), axial(d0, d1, d2)));
    const size =
      abs(
        dot(f32x4.add(d0, ex()), f32x4.add(c0, ex())) + dot(f32x4.add(d1, ey()), f32x4.add(c1, ey())) +
          dot(f32x4.add(d2, ez()), f32x4.add(c2, ez())),
      ) + <f32>1e-9;
    const half = f32x4.mul(turn, f32x4.splat(<f32>0.5 / size));
    const a = x(half);
    const b = y(half);
    const c = z(half);
    // (1, half) times q, normalised.
    const qx = x(q);
    const qy = y(q);
    const qz = z(q);
    const qw = w(q);
    const nx = qx + a * qw + b * qz - c * qy;
    const ny = qy + b * qw + c * qx - a * qz;
    const nz = qz + c * qw + a * qy - b * qx;
    const nw = qw - a * qx - b * qy - c * qz;
    const per: f32 = <f32>1 / sqrt(nx * nx + ny * ny + nz * nz + nw * nw);
    q = vector(nx * per, ny * per, nz * per, nw * per);
    if (a * a + b * b + c * c < ROTATED * ROTATED) break;
  }
  rotation = q;
  rotationLessIdentity(q);
}

/**
 * P, the stiffness bound, the energy and det J - 1 at a gradient. `strain` is where the Green strain of
 * the last step is kept, 0 without viscosity; `rate` is the viscous time over the step.
 */
export function respond(
  body: usize, projection: usize, constants: v128, strain: usize, rate: f32, keep: bool, g0: v128, g1: v128, g2: v128,
): void {
  const model = projection != 0 ? <u32>MODEL_ST_VENANT_KIRCHHOFF : load<u32>(body + BODY_MODEL);
  const lambda = x(constants);
  const mu = y(constants);
  const bulk = z(constants);
  const green = model == MODEL_ST_VENANT_KIRCHHOFF || model == MODEL_ORTHOTROPIC;
  const j0 = f32x4.add(g0, ex());
  const j1 = f32x4.add(g1, ey());
  const j2 = f32x4.add(g2, ez());

  if (green || strain != 0) {
    greenStrain(projection, g0, g1, g2);
    stretch = rowSumBound(f32x4.add(s0, ex()), f32x4.add(s1, ey()), f32x4.add(s2, ez()));
    const half = f32x4.splat(0.5);
    const e0 = f32x4.mul(half, s0);
    const e1 = f32x4.mul(half, s1);
    const e2 = f32x4.mul(half, s2);
    if (green) hooke(body, model, projection, lambda, <f32>2 * mu, e0, e1, e2);
    else s0 = s1 = s2 = f32x4.splat(0);
    energy = green ? <f32>0.5 * (dot(s0, e0) + dot(s1, e1) + dot(s2, e2)) : 0;
    if (strain != 0) {
      // 2 mu tau dE/dt, from the strain of the last step. Only shear is viscous: a viscous bulk modulus
      // would damp no slower motion but cut the stable step of nearly incompressible bodies.
      const diagonal = vector(x(e0), y(e1), z(e2), 0);
      const shear = vector(z(e1), z(e0), y(e0), 0);
      const factor = f32x4.splat(<f32>2 * mu * rate);
      const d = f32x4.mul(factor, f32x4.sub(diagonal, v128.load(strain)));
      const o = f32x4.mul(factor, f32x4.sub(shear, v128.load(strain, 16)));
      if (keep) {
        v128.store(strain, diagonal);
        v128.store(strain, shear, 16);
      }
      s0 = f32x4.add(s0, vector(x(d), z(o), y(o), 0));
      s1 = f32x4.add(s1, vector(z(o), y(d), x(o), 0));
      s2 = f32x4.add(s2, vector(y(o), x(o), z(d), 0));
    }
    p0 = f32x4.add(s0, rowTimes(g0, s0, s1, s2));
    p1 = f32x4.add(s1, rowTimes(g1, s0, s1, s2));
    p2 = f32x4.add(s2, rowTimes(g2, s0, s1, s2));
    stiffness = green ? stretch * (lambda + <f32>2 * mu) + rowSumBound(s0, s1, s2) : rowSumBound(s0, s1, s2);
  } else {
    s0 = s1 = s2 = f32x4.splat(0);
    p0 = p1 = p2 = f32x4.splat(0);
    stiffness = 0;
    energy = 0;
    stretch = dot(j0, j0) + dot(j1, j1) + dot(j2, j2);
  }

  // Principal invariants of G and the cofactors of G give those of J without cancellation.
  const m0 = cross(g1, g2);
  const m1 = cross(g2, g0);
  const m2 = cross(g0, g1);
  const first = x(g0) + y(g1) + z(g2);
  const second = x(m0) + y(m1) + z(m2);
  const third = dot(g0, m0);
  change = first + second + third;

  if (model == MODEL_NEO_HOOKEAN) {
    // mu (J - cof J), with cof(I + G) = I + tr(G) I - G^T + cof G.
    const shear = f32x4.splat(mu);
    const trace = f32x4.splat(first);
    p0 = addMul(p0, shear, f32x4.sub(f32x4.sub(f32x4.add(g0, columnX(g0, g1, g2)), f32x4.mul(trace, ex())), m0));
    p1 = addMul(p1, shear, f32x4.sub(f32x4.sub(f32x4.add(g1, columnY(g0, g1, g2)), f32x4.mul(trace, ey())), m1));
    p2 = addMul(p2, shear, f32x4.sub(f32x4.sub(f32x4.add(g2, columnZ(g0, g1, g2)), f32x4.mul(trace, ez())), m2));
    energy += mu * (<f32>0.5 * (dot(g0, g0) + dot(g1, g1) + dot(g2, g2)) - second - third);
    stiffness += mu;
  } else if (model == MODEL_COROTATIONAL) {
    extractRotation(g0, g1, g2);
    const d0 = f32x4.sub(g0, r0);
    const d1 = f32x4.sub(g1, r1);
    const d2 = f32x4.sub(g2, r2);
    r0 = f32x4.add(r0, ex());
    r1 = f32x4.add(r1, ey());
    r2 = f32x4.add(r2, ez());
    // tr(R^T J - I) = R : (J - R)
    const trace = dot(r0, d0) + dot(r1, d1) + dot(r2, d2);
    const shear = f32x4.splat(<f32>2 * mu);
    const pressure = f32x4.splat(lambda * trace);
    p0 = addMul(addMul(p0, shear, d0), pressure, r0);
    p1 = addMul(addMul(p1, shear, d1), pressure, r1);
    p2 = addMul(addMul(p2, shear, d2), pressure, r2);
    energy += mu * (dot(d0, d0) + dot(d1, d1) + dot(d2, d2)) + <f32>0.5 * lambda * trace * trace;
    stiffness += lambda + <f32>2 * mu;
  }

  if (bulk != 0) {
    // cof(I + G) = tr(G) I - G^T + cof G + I
    const trace = f32x4.splat(first);
    const f0 = f32x4.add(f32x4.add(f32x4.sub(f32x4.mul(trace, ex()), columnX(g0, g1, g2)), m0), ex());
    const f1 = f32x4.add(f32x4.add(f32x4.sub(f32x4.mul(trace, ey()), columnY(g0, g1, g2)), m1), ey());
    const f2 = f32x4.add(f32x4.add(f32x4.sub(f32x4.mul(trace, ez()), columnZ(g0, g1, g2)), m2), ez());
    const factor = f32x4.splat(bulk * change);
    p0 = addMul(p0, factor, f0);
    p1 = addMul(p1, factor, f1);
    p2 = addMul(p2, factor, f2);
    const cofactor = dot(f0, f0) + dot(f1, f1) + dot(f2, f2) - <f32>2;
    stiffness += bulk * (max(cofactor, <f32>1) + abs(change) * sqrt(stretch));
    energy += <f32>0.5 * bulk * change * change;
  }
}

/**
 * dP for a change d of the gradient at g. `stress` is where the rows of S that `respond` left are kept, `turned`
 * its quaternion for the corotational law; `viscous` is the viscous time over the step.
 */
export function respondToChange(
  body: usize, projection: usize, constants: v128, stress: usize, viscous: f32, turned: v128,
  g0: v128, g1: v128, g2: v128, d0: v128, d1: v128, d2: v128,
): void {
  const model = projection != 0 ? <u32>MODEL_ST_VENANT_KIRCHHOFF : load<u32>(body + BODY_MODEL);
  const lambda = x(constants);
  const mu = y(constants);
  const bulk = z(constants);
  const green = model == MODEL_ST_VENANT_KIRCHHOFF || model == MODEL_ORTHOTROPIC;
  const half = f32x4.splat(0.5);
  const j0 = f32x4.add(g0, ex());
  const j1 = f32x4.add(g1, ey());
  const j2 = f32x4.add(g2, ez());

  if (green || viscous != 0) {
    // dP = dJ S + J dS, dS = C : dE, dE = sym(J^T dG).
    s0 = v128.load(stress);
    s1 = v128.load(stress, 16);
    s2 = v128.load(stress, 32);
    p0 = rowTimes(d0, s0, s1, s2);
    p1 = rowTimes(d1, s0, s1, s2);
    p2 = rowTimes(d2, s0, s1, s2);
    let l0 = d0;
    let l1 = d1;
    let l2 = d2;
    if (projection != 0) {
      l0 = rowTimes(v128.load(projection), d0, d1, d2);
      l1 = rowTimes(v128.load(projection, 16), d0, d1, d2);
      l2 = rowTimes(v128.load(projection, 32), d0, d1, d2);
    }
    // (I + G)^T dG by rows, symmetrised.
    const q0 = addMul(addMul(addMul(l0, splatX(g0), d0), splatX(g1), d1), splatX(g2), d2);
    const q1 = addMul(addMul(addMul(l1, splatY(g0), d0), splatY(g1), d1), splatY(g2), d2);
    const q2 = addMul(addMul(addMul(l2, splatZ(g0), d0), splatZ(g1), d1), splatZ(g2), d2);
    const k0 = f32x4.mul(half, f32x4.add(q0, columnX(q0, q1, q2)));
    const k1 = f32x4.mul(half, f32x4.add(q1, columnY(q0, q1, q2)));
    const k2 = f32x4.mul(half, f32x4.add(q2, columnZ(q0, q1, q2)));
    if (green) hooke(body, model, projection, lambda, <f32>2 * mu, k0, k1, k2);
    else s0 = s1 = s2 = f32x4.splat(0);
    if (viscous != 0) {
      const factor = f32x4.splat(<f32>2 * mu * viscous);
      s0 = addMul(s0, factor, k0);
      s1 = addMul(s1, factor, k1);
      s2 = addMul(s2, factor, k2);
    }
    p0 = f32x4.add(p0, f32x4.add(s0, rowTimes(g0, s0, s1, s2)));
    p1 = f32x4.add(p1, f32x4.add(s1, rowTimes(g1, s0, s1, s2)));
    p2 = f32x4.add(p2, f32x4.add(s2, rowTimes(g2, s0, s1, s2)));
  } else {
    p0 = p1 = p2 = f32x4.splat(0);
  }

  // d det J = cof J : dG; d cof J by rows, bilinear.
  const f0 = cross(j1, j2);
  const f1 = cross(j2, j0);
  const f2 = cross(j0, j1);
  const c0 = f32x4.add(cross(d1, j2), cross(j1, d2));
  const c1 = f32x4.add(cross(d2, j0), cross(j2, d0));
  const c2 = f32x4.add(cross(d0, j1), cross(j0, d1));
  const m0 = cross(g1, g2);
  const determinantChange =
    x(g0) + y(g1) + z(g2) + (x(m0) + (z(g2) * x(g0) - x(g2) * z(g0)) + (x(g0) * y(g1) - y(g0) * x(g1))) + dot(g0, m0);
  let alongCofactor = bulk * determinantChange;

  if (model == MODEL_NEO_HOOKEAN) {
    const shear = f32x4.splat(mu);
    p0 = addMul(p0, shear, d0);
    p1 = addMul(p1, shear, d1);
    p2 = addMul(p2, shear, d2);
    alongCofactor -= mu;
  } else if (model == MODEL_COROTATIONAL) {
    rotationLessIdentity(turned);
    r0 = f32x4.add(r0, ex());
    r1 = f32x4.add(r1, ey());
    r2 = f32x4.add(r2, ez());
    const t0 = columnX(r0, r1, r2);
    const t1 = columnY(r0, r1, r2);
    const t2 = columnZ(r0, r1, r2);
    // S = R^T J and A = R^T dG; dR = R [turn], (tr(S) I - S) turn = axial vector of A - A^T.
    const b0 = rowTimes(t0, j0, j1, j2);
    const b1 = rowTimes(t1, j0, j1, j2);
    const b2 = rowTimes(t2, j0, j1, j2);
    const a0 = rowTimes(t0, d0, d1, d2);
    const a1 = rowTimes(t1, d0, d1, d2);
    const a2 = rowTimes(t2, d0, d1, d2);
    const trace = x(b0) + y(b1) + z(b2);
    const h0 = f32x4.sub(f32x4.mul(f32x4.splat(trace), ex()), f32x4.mul(half, f32x4.add(b0, columnX(b0, b1, b2))));
    const h1 = f32x4.sub(f32x4.mul(f32x4.splat(trace), ey()), f32x4.mul(half, f32x4.add(b1, columnY(b0, b1, b2))));
    const h2 = f32x4.sub(f32x4.mul(f32x4.splat(trace), ez()), f32x4.mul(half, f32x4.add(b2, columnZ(b0, b1, b2))));
    const spin = vector(y(a2) - z(a1), z(a0) - x(a2), x(a1) - y(a0), 0);
    const i0 = cross(h1, h2);
    const determinant = dot(h0, i0);
    // Where two stretches cancel the rotation is not defined: it stays.
    const per: f32 = abs(determinant) > <f32>1e-4 ? <f32>1 / determinant : 0;
    const turn = f32x4.mul(
      f32x4.splat(per),
      addMul(addMul(f32x4.mul(splatX(spin), i0), splatY(spin), cross(h2, h0)), splatZ(spin), cross(h0, h1)),
    );
    // Rows of R [turn]: (r [t]) v = r . (t x v) = (r x t) . v.
    const u0 = cross(r0, turn);
    const u1 = cross(r1, turn);
    const u2 = cross(r2, turn);
    const shear = f32x4.splat(<f32>2 * mu);
    const pressure = f32x4.splat(lambda * (x(a0) + y(a1) + z(a2)));
    const spread = f32x4.splat(lambda * (trace - <f32>3));
    p0 = addMul(addMul(addMul(p0, shear, f32x4.sub(d0, u0)), pressure, r0), spread, u0);
    p1 = addMul(addMul(addMul(p1, shear, f32x4.sub(d1, u1)), pressure, r1), spread, u1);
    p2 = addMul(addMul(addMul(p2, shear, f32x4.sub(d2, u2)), pressure, r2), spread, u2);
  }

  if (bulk != 0 || alongCofactor != 0) {
    const factor = f32x4.splat(bulk * (dot(f0, d0) + dot(f1, d1) + dot(f2, d2)));
    const other = f32x4.splat(alongCofactor);
    p0 = addMul(addMul(p0, factor, f0), other, c0);
    p1 = addMul(addMul(p1, factor, f1), other, c1);
    p2 = addMul(addMul(p2, factor, f2), other, c2);
  }
}

/** Stress s C : k of the gradient term of the quadratic fit, with the stiffness at rest; rows into p. */
export function respondToGradient(body: usize, projection: usize, constants: v128, scale: f32, k0: v128, k1: v128, k2: v128): void {
  const bulk = z(constants);
  if (projection == 0 && load<u32>(body + BODY_MODEL) == MODEL_ORTHOTROPIC) {
    orthotropic(body, scale, bulk, k0, k1, k2);
  } else {
    hooke(body, MODEL_ST_VENANT_KIRCHHOFF, projection, scale * (x(constants) + bulk), scale * <f32>2 * y(constants), k0, k1, k2);
  }
  p0 = s0;
  p1 = s1;
  p2 = s2;
}
