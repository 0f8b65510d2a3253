import {
  BLOCK,
  BODIES,
  BODY_EVEN_SAMPLING,
  BODY_FRAME,
  BODY_OF,
  BODY_SPARSE,
  BODY_STRIDE,
  CANDIDATES,
  CANDIDATE_CAPACITY,
  CANDIDATE_COUNT,
  CONTACT_ACTIVE,
  CONTACT_RADIUS,
  OBSTACLES,
  OBSTACLE_COUNT,
  OBSTACLE_STRIDE,
  REST,
  SUMS,
  SURFACE_OF,
  SURFACE_POSITION,
  VELOCITY,
} from '../../src/particles/layout';
import {
  BLOCK_SCRATCH,
  MEMBERS,
  RENEWAL_COUNT,
  RENEWAL_LISTS,
  RENEWAL_ROOM,
  RENEWAL_SPACING,
  SAMPLING,
  SAMPLING_HIGH,
  SAMPLING_LOW,
  SAMPLING_NEAREST,
  SAMPLING_SKEW,
  SAMPLING_SPLITS,
  SAMPLING_STRIDE,
  SAMPLING_VELOCITY,
  SAMPLING_WAY,
  SOLIDS,
} from '../../src/particles/renewal-layout';
import { obstacleDistance } from '../contact/obstacles';
import { addMul, dot, matrixTimes, vector, w, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import { affine } from './integrate';

/** A particle whose neighbours' centre is farther away than these is at a face, an edge or a corner, in spacings. */
const SURFACE: f32 = 0.25;
const EDGE: f32 = 0.6;
const CORNER: f32 = 0.8;
/** Halves are this far from the particle: a quarter of what its neighbours are apart along that direction. */
const QUARTER: f64 = 0.25;
/** At most that, in spacings. */
const FARTHEST: f64 = 0.5;
/** Share of its radius that a half may be nearer to an obstacle or to what touches it. */
const SINKS: f32 = 0.1;

/**
 * How well its chosen neighbours sample the surroundings of every member, by the eigenvalues of [J14] eq. 13 times the
 * squared spacing, and where it would split. Rest positions are the present ones.
 *
 * Departs from [J14] 3.5: plastic flow keeps volume, so a neighbourhood gets dense along one direction where it gets
 * sparse along another. Particles therefore split when the smallest eigenvalue, not the largest, is small, and merge
 * when the largest is large. At a face the direction across it is left out, at an edge all but that along it.
 */
export function measureSampling(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const counts = <usize>load<u32>(context + RENEWAL_COUNT);
  const spacings = <usize>load<u32>(context + RENEWAL_SPACING);
  const results = <usize>load<u32>(context + SAMPLING);
  const scratches = <usize>load<u32>(context + BLOCK_SCRATCH);
  const rest = <usize>load<u32>(solids + REST);
  const bodies = <usize>load<u32>(solids + BODIES);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const even = <f64>load<f32>(body + BODY_EVEN_SAMPLING);
    const sparse = <f64>load<f32>(body + BODY_SPARSE);
    const out = results + k * SAMPLING_STRIDE;
    memory.fill(out, 0, SAMPLING_STRIDE);
    const list = lists + k * RENEWAL_ROOM * 8;
    const count = <usize>load<u32>(counts + (k << 2));
    const matrix = scratches + (k / BLOCK) * SUMS * 8;
    const vectors = matrix + 48;
    const spacing = load<f32>(spacings + (k << 2));
    const here = v128.load(rest + (i << 4));
    let xx: f64 = 0, xy: f64 = 0, xz: f64 = 0, yy: f64 = 0, yz: f64 = 0, zz: f64 = 0;
    let centre = f32x4.splat(0);
    let nearest: f32 = f32.MAX_VALUE;
    store<u32>(out + SAMPLING_NEAREST, <u32>i);
    for (let n: usize = 0; n < count; n++) {
      const j = <usize>load<u32>(list + (n << 2));
      const r = f32x4.replace_lane(f32x4.sub(v128.load(rest + (j << 4)), here), 3, 0);
      const r2 = dot(r, r);
      if (r2 < nearest) {
        nearest = r2;
        store<u32>(out + SAMPLING_NEAREST, <u32>j);
      }
      centre = f32x4.add(centre, r);
      const per = 1 / (<f64>r2 * <f64>r2);
      xx += per * <f64>x(r) * <f64>x(r);
      xy += per * <f64>x(r) * <f64>y(r);
      xz += per * <f64>x(r) * <f64>z(r);
      yy += per * <f64>y(r) * <f64>y(r);
      yz += per * <f64>y(r) * <f64>z(r);
      zz += per * <f64>z(r) * <f64>z(r);
    }
    if (count < 4) {
      store<f32>(out + SAMPLING_LOW, 1);
      continue;
    }
    centre = f32x4.mul(f32x4.splat(<f32>1 / <f32>count), centre);
    const skew = sqrt(dot(centre, centre));
    store<f64>(matrix, xx);
    store<f64>(matrix, xy, 8);
    store<f64>(matrix, xz, 16);
    store<f64>(matrix, yy, 24);
    store<f64>(matrix, yz, 32);
    store<f64>(matrix, zz, 40);
    jacobiEigen(matrix, vectors, 1e-9 * (xx + yy + zz));
    const scale = <f64>spacing * <f64>spacing / even;
    const atSurface = skew > SURFACE * spacing;
    let across: usize = 3;
    let most: f32 = -1;
    let high: f64 = 0;
    for (let a: usize = 0; a < 3; a++) {
      const along = abs(dot(axisOf(vectors, a), centre));
      if (along > most) {
        most = along;
        across = a;
      }
      high = max(high, load<f64>(matrix + diagonalOf(a)));
    }
    const atEdge = skew > EDGE * spacing;
    let low: f64 = atEdge ? 0 : f64.MAX_VALUE;
    let chosen: usize = 0;
    for (let a: usize = 0; a < 3; a++) {
      const value = load<f64>(matrix + diagonalOf(a));
      if ((atSurface && a == across) || (atEdge ? value <= low : value >= low)) continue;
      low = value;
      chosen = a;
    }
    const eigenvalue = low;
    if (skew > CORNER * spacing) low = even / (<f64>spacing * <f64>spacing);
    store<f32>(out + SAMPLING_LOW, <f32>(scale * low));
    store<f32>(out + SAMPLING_HIGH, <f32>(scale * high));
    store<f32>(out + SAMPLING_SKEW, skew / spacing);
    if (!(scale * low < sparse)) continue;
    const apart = <f32>min(QUARTER * sqrt(1 / (scale * low)), FARTHEST) * spacing;
    const axis = axisOf(vectors, chosen);
    const way = f32x4.mul(f32x4.splat(apart), axis);
    if (!halvesFit(solids, body, i, here, way, centre, atSurface)) continue;
    store<u32>(out + SAMPLING_SPLITS, 1);
    v128.store(out + SAMPLING_WAY, way);
    const rate = velocityAlong(solids, i, here, list, count, axis);
    v128.store(out + SAMPLING_VELOCITY, f32x4.mul(f32x4.splat(apart / <f32>eigenvalue), rate));
  }
}

// @ts-ignore: decorator
@inline
function diagonalOf(a: usize): usize {
  return a == 0 ? 0 : a == 1 ? 24 : 40;
}

// @ts-ignore: decorator
@inline
function axisOf(vectors: usize, a: usize): v128 {
  const at = vectors + (a << 3);
  return vector(<f32>load<f64>(at), <f32>load<f64>(at, 24), <f32>load<f64>(at, 48), 0);
}

/** The gradient of the velocity along an axis, by the weights of eq. 13, times the eigenvalue: sum v_ij (r_ij . a) / r^4. */
function velocityAlong(solids: usize, i: usize, here: v128, list: usize, count: usize, axis: v128): v128 {
  const rest = <usize>load<u32>(solids + REST);
  const velocities = <usize>load<u32>(solids + VELOCITY);
  const own = v128.load(velocities + (i << 4));
  let sum = f32x4.splat(0);
  for (let n: usize = 0; n < count; n++) {
    const j = <usize>load<u32>(list + (n << 2));
    const r = f32x4.sub(v128.load(rest + (j << 4)), here);
    const r2 = dot(r, r);
    const v = f32x4.sub(v128.load(velocities + (j << 4)), own);
    sum = addMul(sum, f32x4.splat(dot(r, axis) / (r2 * r2)), v);
  }
  return f32x4.replace_lane(sum, 3, 0);
}

/**
 * Are the halves in the body and outside of everything else? At a surface neither may be farther from the neighbours'
 * centre than sqrt(2) times what the particle is, [J14] fig. 3.
 */
function halvesFit(
  solids: usize, body: usize, i: usize, here: v128, way: v128, centre: v128, atSurface: bool,
): bool {
  if (atSurface) {
    const a = f32x4.sub(centre, way);
    const b = f32x4.add(centre, way);
    if (max(dot(a, a), dot(b, b)) > <f32>2 * dot(centre, centre)) return false;
  }
  const at = affine(body + BODY_FRAME, here);
  const offset = matrixTimes(
    v128.load(body + BODY_FRAME), v128.load(body + BODY_FRAME, 16), v128.load(body + BODY_FRAME, 32), way,
  );
  const world = f32x4.replace_lane(offset, 3, 0);
  const radius = load<f32>(<usize>load<u32>(solids + CONTACT_RADIUS) + (i << 2));
  const obstacles = <usize>load<u32>(solids + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(solids + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    // Where it touches the halves may, and no deeper.
    const gap = min(radius, w(obstacleDistance(obstacle, at))) - SINKS * radius;
    if (w(obstacleDistance(obstacle, f32x4.add(at, world))) < gap) return false;
    if (w(obstacleDistance(obstacle, f32x4.sub(at, world))) < gap) return false;
  }
  return !comesNearer(solids, i, at, world, w(here));
}

/** Would a half be nearer to a particle that may touch this one than this one is, and touch it? Springs would throw it out. */
function comesNearer(solids: usize, i: usize, at: v128, offset: v128, radius: f32): bool {
  if (load<u32>(solids + CONTACT_ACTIVE) == 0) return false;
  const surface = <usize>load<u32>(<usize>load<u32>(solids + SURFACE_OF) + (i << 2));
  if (surface == 0) return false;
  const others = <usize>load<u32>(solids + SURFACE_POSITION);
  const capacity = <usize>load<u32>(solids + CANDIDATE_CAPACITY);
  const list = <usize>load<u32>(solids + CANDIDATES) + (surface - 1) * capacity * 4;
  const last = list + (<usize>load<u32>(<usize>load<u32>(solids + CANDIDATE_COUNT) + ((surface - 1) << 2)) << 2);
  for (let candidate = list; candidate < last; candidate += 4) {
    const there = v128.load(others + (<usize>load<u32>(candidate) << 4));
    const d = f32x4.replace_lane(f32x4.sub(at, there), 3, 0);
    const a = f32x4.add(d, offset);
    const b = f32x4.sub(d, offset);
    const allowed = min(radius + w(there), sqrt(dot(d, d))) - SINKS * radius;
    if (min(dot(a, a), dot(b, b)) < allowed * allowed) return true;
  }
  return false;
}
