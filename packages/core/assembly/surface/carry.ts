/**
 * Points that particles carry along, by the first-order field of [K06] eq. 5.28 written for positions:
 * x(m) = sum_j w_j (x_j + F_j (m - m_j)) = sum_j w_j h_j + (sum_j w_j F_j) m with h_j = x_j - F_j m_j, so that a
 * pair is only a weight and a particle, and the gradient at the point comes along.
 */
import {
  AFFINES,
  CENTER,
  CHANNELS,
  FIT_STARTS,
  FITS,
  FLAT_AXES,
  FLAT_PARTICLE,
  FLAT_RANK,
  FLAT_STRIDE,
  FLATS,
  FOLLOWED,
  KEEPS_GRADIENTS,
  NEAR,
  NEAR_STARTS,
  NORMALS,
  POSITIONS,
  POINT_GRADIENTS,
  POINT_POSITIONS,
  POINT_POSES,
  POINT_REST,
  POINT_VALUES,
  POSES,
  REST,
  REST_CENTER,
  REST_NORMALS,
  VALUES,
} from '../../src/particles/carry-layout';
import { addMul, cross, dot, splatX, splatY, splatZ } from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/** The particle that is number k of those whose poses are wanted. */
// @ts-ignore: decorator
@inline
function followedAt(followed: usize, k: usize): usize {
  return followed == 0 ? k : <usize>load<u32>(followed + (k << 2));
}

/** Poses of particles: F_j = sum_k (x_k - x_j) g_jk^T and h_j. On the particles, or those that are followed. */
export function fitCarriers(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITIONS);
  const starts = <usize>load<u32>(context + FIT_STARTS);
  const fits = <usize>load<u32>(context + FITS);
  const poses = <usize>load<u32>(context + POSES);
  const followed = <usize>load<u32>(context + FOLLOWED);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const j = followedAt(followed, k);
    const own = v128.load(positions + (j << 4));
    let c0 = f32x4.splat(0);
    let c1 = f32x4.splat(0);
    let c2 = f32x4.splat(0);
    const last = fits + (<usize>load<u32>(starts + (j << 2), 4) << 4);
    for (let at = fits + (<usize>load<u32>(starts + (j << 2)) << 4); at < last; at += 16) {
      const pair = v128.load(at);
      const d = f32x4.sub(v128.load(positions + (neighborIndex(pair) << 4)), own);
      c0 = addMul(c0, d, splatX(pair));
      c1 = addMul(c1, d, splatY(pair));
      c2 = addMul(c2, d, splatZ(pair));
    }
    const pose = poses + (j << 6);
    v128.store(pose, c0);
    v128.store(pose, c1, 16);
    v128.store(pose, c2, 32);
    settlePose(context, j);
  }
}

/** Writes h_j = x_j - F_j m_j behind the columns of F_j. */
// @ts-ignore: decorator
@inline
function settlePose(context: usize, j: usize): void {
  const pose = <usize>load<u32>(context + POSES) + (j << 6);
  const m = v128.load(<usize>load<u32>(context + REST) + (j << 4));
  const x = v128.load(<usize>load<u32>(context + POSITIONS) + (j << 4));
  v128.store(pose, f32x4.sub(x, image(pose, m)), 48);
}

/** F a for the columns at `pose`. */
// @ts-ignore: decorator
@inline
function image(pose: usize, a: v128): v128 {
  return addMul(
    addMul(f32x4.mul(v128.load(pose), splatX(a)), v128.load(pose, 16), splatY(a)),
    v128.load(pose, 32),
    splatZ(a),
  );
}

/** Adds `to` e^T to the columns at `pose`. */
// @ts-ignore: decorator
@inline
function addOuter(pose: usize, to: v128, e: v128): void {
  v128.store(pose, addMul(v128.load(pose), to, splatX(e)));
  v128.store(pose, addMul(v128.load(pose, 16), to, splatY(e)), 16);
  v128.store(pose, addMul(v128.load(pose, 32), to, splatZ(e)), 32);
}

/** `a` with length one, or `other` when it has none. */
// @ts-ignore: decorator
@inline
function unitOr(a: v128, other: v128): v128 {
  const square = dot(a, a);
  return square > 0 ? f32x4.mul(a, f32x4.splat(<f32>1 / sqrt(square))) : other;
}

/** `v` by the shortest rotation from one unit vector to another; `v` is perpendicular to `from`. */
// @ts-ignore: decorator
@inline
function turnAlong(from: v128, to: v128, v: v128): v128 {
  const cosine = dot(from, to);
  // Half a turn about any axis across, so v may stay.
  if (cosine < <f32>-0.999999) return v;
  const axis = cross(from, to);
  const once = cross(axis, v);
  return addMul(f32x4.add(v, once), cross(axis, once), f32x4.splat(<f32>1 / (<f32>1 + cosine)));
}

/** Directions that the neighbours do not span turn with those they do, and keep their length. On the flat ones. */
export function completeCarriers(begin: u32, end: u32, context: usize): void {
  const flats = <usize>load<u32>(context + FLATS);
  const poses = <usize>load<u32>(context + POSES);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const flat = flats + k * FLAT_STRIDE;
    const j = <usize>load<u32>(flat + FLAT_PARTICLE);
    const rank = load<u32>(flat + FLAT_RANK);
    const pose = poses + (j << 6);
    const e0 = v128.load(flat + FLAT_AXES);
    const e1 = v128.load(flat + FLAT_AXES, 16);
    const e2 = v128.load(flat + FLAT_AXES, 32);
    if (rank == 0) {
      addOuter(pose, e0, e0);
      addOuter(pose, e1, e1);
      addOuter(pose, e2, e2);
    } else if (rank == 1) {
      // The turn of the line along the shortest way; how it twists is not known.
      const to = unitOr(image(pose, e2), e2);
      addOuter(pose, turnAlong(e2, to, e0), e0);
      addOuter(pose, turnAlong(e2, to, e1), e1);
    } else {
      const across = cross(e1, e2);
      addOuter(pose, unitOr(cross(image(pose, e1), image(pose, e2)), across), across);
    }
    settlePose(context, j);
  }
}

/**
 * Poses as maps of positions in the world, by rows: A_j = [F_j, x_j - F_j m_j] with positions from the origin. On the
 * particles, or those that are followed.
 */
export function writeAffines(begin: u32, end: u32, context: usize): void {
  const poses = <usize>load<u32>(context + POSES);
  const affines = <usize>load<u32>(context + AFFINES);
  const followed = <usize>load<u32>(context + FOLLOWED);
  const mx = load<f64>(context + REST_CENTER);
  const my = load<f64>(context + REST_CENTER, 8);
  const mz = load<f64>(context + REST_CENTER, 16);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const j = followedAt(followed, k);
    const pose = poses + (j << 6);
    const to = affines + j * 48;
    for (let row: usize = 0; row < 3; row++) {
      const at = pose + (row << 2);
      const a = load<f32>(at);
      const b = load<f32>(at, 16);
      const c = load<f32>(at, 32);
      const middle = load<f64>(context + CENTER + (row << 3));
      const offset = middle + <f64>load<f32>(at, 48) - (<f64>a * mx + <f64>b * my + <f64>c * mz);
      store<f32>(to + (row << 4), a);
      store<f32>(to + (row << 4), b, 4);
      store<f32>(to + (row << 4), c, 8);
      store<f32>(to + (row << 4), <f32>offset, 12);
    }
  }
}

/** Positions of points, and the gradients there when they are kept. On the points. */
export function carryPoints(begin: u32, end: u32, context: usize): void {
  const poses = <usize>load<u32>(context + POINT_POSES);
  const rest = <usize>load<u32>(context + POINT_REST);
  const starts = <usize>load<u32>(context + NEAR_STARTS);
  const near = <usize>load<u32>(context + NEAR);
  const positions = <usize>load<u32>(context + POINT_POSITIONS);
  const gradients = <usize>load<u32>(context + POINT_GRADIENTS);
  const keeps = load<u32>(context + KEEPS_GRADIENTS) != 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    let c0 = f32x4.splat(0);
    let c1 = f32x4.splat(0);
    let c2 = f32x4.splat(0);
    let h = f32x4.splat(0);
    const last = near + (<usize>load<u32>(starts + (i << 2), 4) << 3);
    for (let at = near + (<usize>load<u32>(starts + (i << 2)) << 3); at < last; at += 8) {
      const weight = v128.load32_splat(at);
      const pose = poses + (<usize>load<u32>(at, 4) << 6);
      c0 = addMul(c0, weight, v128.load(pose));
      c1 = addMul(c1, weight, v128.load(pose, 16));
      c2 = addMul(c2, weight, v128.load(pose, 32));
      h = addMul(h, weight, v128.load(pose, 48));
    }
    const m = v128.load(rest + (i << 4));
    v128.store(positions + (i << 4), addMul(addMul(addMul(h, c0, splatX(m)), c1, splatY(m)), c2, splatZ(m)));
    if (keeps) {
      const at = gradients + 48 * i;
      v128.store(at, c0);
      v128.store(at, c1, 16);
      v128.store(at, c2, 32);
    }
  }
}

/** Unit normals: those at rest by the cofactors of the gradients that `carryPoints` kept. On the points. */
export function turnCarriedNormals(begin: u32, end: u32, context: usize): void {
  const gradients = <usize>load<u32>(context + POINT_GRADIENTS);
  const rest = <usize>load<u32>(context + REST_NORMALS);
  const normals = <usize>load<u32>(context + NORMALS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = gradients + 48 * i;
    const c0 = v128.load(at);
    const c1 = v128.load(at, 16);
    const c2 = v128.load(at, 32);
    const n = v128.load(rest + (i << 4));
    const turned = addMul(
      addMul(f32x4.mul(cross(c1, c2), splatX(n)), cross(c2, c0), splatY(n)),
      cross(c0, c1),
      splatZ(n),
    );
    v128.store(normals + (i << 4), unitOr(turned, f32x4.splat(0)));
  }
}

/** Numbers of particles at the points, CHANNELS for each. On the points. */
export function blendCarriedValues(begin: u32, end: u32, context: usize): void {
  const starts = <usize>load<u32>(context + NEAR_STARTS);
  const near = <usize>load<u32>(context + NEAR);
  const values = <usize>load<u32>(context + VALUES);
  const out = <usize>load<u32>(context + POINT_VALUES);
  const channels = <usize>load<u32>(context + CHANNELS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const first = near + (<usize>load<u32>(starts + (i << 2)) << 3);
    const last = near + (<usize>load<u32>(starts + (i << 2), 4) << 3);
    for (let c: usize = 0; c < channels; c++) {
      let sum: f32 = 0;
      for (let at = first; at < last; at += 8) {
        sum += load<f32>(at) * load<f32>(values + ((<usize>load<u32>(at, 4) * channels + c) << 2));
      }
      store<f32>(out + ((i * channels + c) << 2), sum);
    }
  }
}
