import {
  BODIES,
  BODY_BEGIN,
  BODY_EVEN_SAMPLING,
  BODY_OF,
  BODY_SPARSE,
  BODY_STRIDE,
  CANDIDATES,
  CANDIDATE_COUNT,
  CANDIDATE_CAPACITY,
  CONTACT_ACTIVE,
  MOMENT_INVERSE,
  OBSTACLES,
  OBSTACLE_COUNT,
  OBSTACLE_STRIDE,
  SURFACE_OF,
  SURFACE_POSITION,
  VELOCITY,
} from '../../src/particles/layout';
import {
  ID,
  NEIGHBOR_COUNT,
  PAIRS,
  POSITION,
  REMAINDER,
  CAPACITY,
  SAMPLING,
  SAMPLING_HIGH,
  SAMPLING_LOW,
  SAMPLING_NEAREST,
  SAMPLING_REST,
  SAMPLING_SKEW,
  SAMPLING_SPLITS,
  SAMPLING_STRIDE,
  SAMPLING_VELOCITY,
  SAMPLING_WORLD,
  SOLID_CONTEXT,
  SPACING,
} from '../../src/particles/embedding-layout';
import { obstacleDistance } from '../contact/obstacles';
import { dot, matrixTimes, vector, w, x, y, z } from '../math/simd';
import { jacobiEigen } from '../math/symmetric';
import { neighborIndex } from '../neighbors/lists';
import { scratchOf } from './basis';
import * as gradient from './fit';

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
 * How well the neighbours of every particle sample their surroundings, by the eigenvalues of [J14] eq. 13 times the
 * squared spacing, and where it would split.
 *
 * Departs from [J14] 3.5: plastic flow keeps volume, so a neighbourhood gets dense along one direction where it gets
 * sparse along another. Particles therefore split when the smallest eigenvalue, not the largest, is small, and merge
 * when the largest is large. At a face the direction across it is left out, at an edge all but that along it.
 */
export function measureSampling(begin: u32, end: u32, context: usize): void {
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const spacings = <usize>load<u32>(context + SPACING);
  const results = <usize>load<u32>(context + SAMPLING);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const even = <f64>load<f32>(body + BODY_EVEN_SAMPLING);
    const sparse = <f64>load<f32>(body + BODY_SPARSE);
    const out = results + i * SAMPLING_STRIDE;
    memory.fill(out, 0, SAMPLING_STRIDE);
    const count = <usize>load<u32>(counts + (i << 2));
    const matrix = scratchOf(context, i);
    const vectors = matrix + 48;
    const spacing = load<f32>(spacings + (i << 2));
    let xx: f64 = 0, xy: f64 = 0, xz: f64 = 0, yy: f64 = 0, yz: f64 = 0, zz: f64 = 0;
    let centre = f32x4.splat(0);
    let nearest: f32 = f32.MAX_VALUE;
    store<u32>(out + SAMPLING_NEAREST, <u32>i);
    for (let k: usize = 0; k < count; k++) {
      const u = v128.load(pairs + ((i * CAPACITY + k) << 4));
      const r2 = dot(u, u);
      if (r2 < nearest) {
        nearest = r2;
        store<u32>(out + SAMPLING_NEAREST, <u32>neighborIndex(u));
      }
      centre = f32x4.add(centre, u);
      const per = 1 / (<f64>r2 * <f64>r2);
      xx += per * <f64>x(u) * <f64>x(u);
      xy += per * <f64>x(u) * <f64>y(u);
      xz += per * <f64>x(u) * <f64>z(u);
      yy += per * <f64>y(u) * <f64>y(u);
      yz += per * <f64>y(u) * <f64>z(u);
      zz += per * <f64>z(u) * <f64>z(u);
    }
    if (count < 4 || load<f32>(inverses + i * 48, 28) == 0) {
      store<f32>(out + SAMPLING_LOW, 1);
      continue;
    }
    centre = f32x4.mul(f32x4.splat(<f32>1 / <f32>count), f32x4.replace_lane(centre, 3, 0));
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
    if (skew > CORNER * spacing) low = even / (<f64>spacing * <f64>spacing);
    store<f32>(out + SAMPLING_LOW, <f32>(scale * low));
    store<f32>(out + SAMPLING_HIGH, <f32>(scale * high));
    store<f32>(out + SAMPLING_SKEW, skew / spacing);
    store<f32>(out + SAMPLING_SKEW, load<f32>(inverses + i * 48, 44), 4);
    if (!(scale * low < sparse)) continue;
    const apart = min(QUARTER * sqrt(1 / (scale * low)), FARTHEST);
    const rest = f32x4.mul(f32x4.splat(<f32>apart * spacing), axisOf(vectors, chosen));
    if (halvesFit(context, i, rest, centre, atSurface, out)) store<u32>(out + SAMPLING_SPLITS, 1);
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

/**
 * Ways to the halves in the world and of their velocities; are the halves in the body and outside of everything else? At
 * a surface neither may be farther from the neighbours' centre than sqrt(2) times what the particle is, [J14] fig. 3.
 */
function halvesFit(context: usize, i: usize, rest: v128, centre: v128, atSurface: bool, out: usize): bool {
  if (atSurface) {
    const a = f32x4.sub(centre, rest);
    const b = f32x4.add(centre, rest);
    if (max(dot(a, a), dot(b, b)) > <f32>2 * dot(centre, centre)) return false;
  }
  const positions = <usize>load<u32>(context + POSITION);
  gradient.fit(context, i, positions, false);
  const world = f32x4.replace_lane(f32x4.add(rest, matrixTimes(gradient.g0, gradient.g1, gradient.g2, rest)), 3, 0);
  gradient.fit(context, i, <usize>load<u32>(context + VELOCITY), true);
  const velocity = f32x4.replace_lane(matrixTimes(gradient.g0, gradient.g1, gradient.g2, rest), 3, 0);
  v128.store(out + SAMPLING_REST, rest);
  v128.store(out + SAMPLING_WORLD, world);
  v128.store(out + SAMPLING_VELOCITY, velocity);
  const at = v128.load(positions + (i << 4));
  const radius = load<f32>(<usize>load<u32>(context + REMAINDER) + (i << 4), 12);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(context + OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    // Where it touches the halves may, and no deeper.
    const gap = min(radius, w(obstacleDistance(obstacle, at))) - SINKS * radius;
    if (w(obstacleDistance(obstacle, f32x4.add(at, world))) < gap) return false;
    if (w(obstacleDistance(obstacle, f32x4.sub(at, world))) < gap) return false;
  }
  return !comesNearer(context, i, at, world, radius);
}

/** Would a half be nearer to a particle that may touch this one than this one is, and touch it? Springs would throw it out. */
function comesNearer(context: usize, i: usize, at: v128, offset: v128, radius: f32): bool {
  const solids = <usize>load<u32>(context + SOLID_CONTEXT);
  if (solids == 0 || load<u32>(solids + CONTACT_ACTIVE) == 0) return false;
  const body = load<u32>(<usize>load<u32>(context + BODY_OF) + (i << 2));
  const begin = load<u32>(<usize>load<u32>(context + BODIES) + <usize>body * BODY_STRIDE + BODY_BEGIN);
  const slot = <usize>(begin + load<u32>(<usize>load<u32>(context + ID) + (i << 2)));
  const surface = <usize>load<u32>(<usize>load<u32>(solids + SURFACE_OF) + (slot << 2));
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
