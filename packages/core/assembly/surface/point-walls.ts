/**
 * Walls of a point surface: planes, and what points of boundary points stand for near a position. Liquid goes on beyond a wall that
 * it wets as its own mirror image, so that its free surface meets the wall at a right angle and at its own level;
 * without images the mean of the particles draws away from a wall, and the surface is round there.
 */
import {
  COARSE_GRID,
  COARSE_NORMALS,
  CONTACT,
  LABELS,
  LIQUID,
  BOUNDARY_POINT_SPACING,
  PARTICLE_GRID,
  PARTICLES,
  PLANE_COUNT,
  PLANES,
  REACH,
  WALL_CAPACITY,
} from '../../src/particles/points-layout';
import { addMul, dot } from '../math/simd';
import { collectNear, indexOf } from './point-grid';

/** Walls of a position at the most: those of a corner. Behind their planes in the room is how wet each is, then a share. */
const MOST_WALLS: u32 = 3;
const WETNESS: usize = WALL_CAPACITY + 48;
const SHARE_AROUND: usize = WALL_CAPACITY + 60;
/** Images count for positions nearer to a wall than this: particles are half a spacing from it, and so are their images. */
const WALL_REACH: f32 = 1.7;
/** Farther behind a wall than this a position has nothing to do with it, nor a particle with its image. */
const BEHIND: f32 = -0.3;
/** Boundary points that face the same way to this cosine are of one wall. */
const ONE_WALL: f32 = 0.7;
/** A wall has points no farther from where it is looked at than this, or is at its end there. */
const WALL_ENDS: f32 = 0.6;
/** Particles within this distance of a position on a wall wet it for sure, those beyond the second do not. */
const WETS: f32 = 1.2;
const DRY: f32 = 1.8;
/** The layer next to a wall: particles up to the first height are of it, and none from the second on. */
const LAYER: f32 = 0.9;
const NEXT_LAYER: f32 = 1.4;
/** A layer that is on average farther from a wall than half a spacing and the distance of contact soon leaves it dry. */
const LEAVES: f32 = 0.1;
/** Weights smaller than this are none. */
export const NOTHING: f32 = 1e-6;

/** (1 - q^2)^3 of a squared distance over a squared reach. */
// @ts-ignore: decorator
@inline
export function weightAt(square: f32, inverse: f32): f32 {
  const rest = max(<f32>0, <f32>1 - square * inverse);
  return rest * rest * rest;
}

// @ts-ignore: decorator
@inline
export function wallAt(scratch: usize, k: u32): v128 {
  return v128.load(scratch + WALL_CAPACITY + (<usize>k << 4));
}

/** How wet a wall was that the last mean was taken with: the walls of a shorter reach are the first ones of a longer. */
// @ts-ignore: decorator
@inline
export function wetnessOf(scratch: usize, k: u32): f32 {
  return load<f32>(scratch + WETNESS + (<usize>k << 2));
}

/** How high a position is over a wall. */
// @ts-ignore: decorator
@inline
export function heightOver(wall: v128, position: v128): f32 {
  return dot(position, wall) - f32x4.extract_lane(wall, 3);
}

/** Falls from 1 at `low` to 0 at `high`, without corners. */
// @ts-ignore: decorator
@inline
function fall(value: f32, low: f32, high: f32): f32 {
  const t = max(<f32>0, min(<f32>1, (high - value) / (high - low)));
  return t * t * (<f32>3 - <f32>2 * t);
}

/** Adds a wall to those in the room, in the order of their heights; the highest of too many goes. */
function addWall(scratch: usize, count: u32, position: v128, wall: v128): u32 {
  const height = heightOver(wall, position);
  let at = count;
  while (at > 0 && heightOver(wallAt(scratch, at - 1), position) > height) {
    if (at < MOST_WALLS) v128.store(scratch + WALL_CAPACITY + (<usize>at << 4), wallAt(scratch, at - 1));
    at--;
  }
  if (at < MOST_WALLS) v128.store(scratch + WALL_CAPACITY + (<usize>at << 4), wall);
  return min(count + 1, MOST_WALLS);
}

/** Writes the walls nearer to a position than `reach` to the room, lowest first, and returns how many there are. */
export function findWalls(context: usize, position: v128, reach: f32, scratch: usize): u32 {
  const planes = <usize>load<u32>(context + PLANES);
  const planeCount = <usize>load<u32>(context + PLANE_COUNT);
  let count: u32 = 0;
  for (let p: usize = 0; p < planeCount; p++) {
    const plane = v128.load(planes + (p << 4));
    const height = heightOver(plane, position);
    if (height < reach && height > BEHIND) count = addWall(scratch, count, position, plane);
  }
  const grid = <usize>load<u32>(context + COARSE_GRID);
  if (grid == 0) return count;
  const normals = <usize>load<u32>(context + COARSE_NORMALS);
  const found = collectNear(grid, position, WALL_REACH, scratch);
  const end = max(WALL_ENDS, <f32>1.2 * load<f32>(context + BOUNDARY_POINT_SPACING));
  // The wall of the nearest point, then of the nearest one that faces another way.
  for (let turn: u32 = 0; turn < MOST_WALLS; turn++) {
    let nearest: f32 = Infinity;
    let first = f32x4.splat(0);
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      const square = dot(offset, offset);
      if (square >= nearest) continue;
      const normal = v128.load(normals + (indexOf(offset) << 4));
      let isKnown = false;
      for (let k: u32 = 0; k < count; k++) isKnown = isKnown || dot(wallAt(scratch, k), normal) > ONE_WALL;
      if (isKnown) continue;
      nearest = square;
      first = normal;
    }
    if (nearest == <f32>Infinity) break;
    const around = sqrt(nearest) + end;
    let total: f32 = 0;
    let mean = f32x4.splat(0);
    let up = f32x4.splat(0);
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      const normal = v128.load(normals + (indexOf(offset) << 4));
      if (dot(normal, first) < ONE_WALL) continue;
      const w = weightAt(dot(offset, offset), <f32>1 / (around * around));
      total += w;
      mean = addMul(mean, offset, f32x4.splat(w));
      up = addMul(up, normal, f32x4.splat(w));
    }
    const length = sqrt(dot(up, up));
    if (total <= NOTHING || length <= NOTHING) break;
    const n = f32x4.mul(up, f32x4.splat(<f32>1 / length));
    const height = -dot(mean, n) / total;
    const wall = f32x4.replace_lane(n, 3, dot(position, n) - height);
    // As far as there are points beside its foot.
    if (nearest > height * height + end * end || height >= reach || height < BEHIND) continue;
    count = addWall(scratch, count, position, wall);
  }
  return count;
}

/** How wet the first `count` walls of the room are where a position looks at them, 0 to 1 each. */
function wetWalls(context: usize, position: v128, label: u32, count: u32, scratch: usize): void {
  const labels = <usize>load<u32>(context + LABELS);
  const grid = <usize>load<u32>(context + PARTICLE_GRID);
  const far = <f32>0.5 + load<f32>(context + CONTACT);
  for (let k: u32 = 0; k < count; k++) {
    const wall = wallAt(scratch, k);
    const foot = f32x4.sub(position, f32x4.mul(wall, f32x4.splat(heightOver(wall, position))));
    const found = collectNear(grid, foot, DRY, scratch);
    // By the mean of the layer: single particles that are nearer than others would make it wet here and dry there.
    let most: f32 = 0;
    let layer: f32 = 0;
    let heights: f32 = 0;
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      if (load<u32>(labels + (indexOf(offset) << 2)) != label) continue;
      const height = dot(offset, wall);
      if (height < BEHIND) continue;
      const w = fall(height, LAYER, NEXT_LAYER) * fall(sqrt(dot(offset, offset)), WETS, DRY);
      most = max(most, w);
      layer += w;
      heights += w * height;
    }
    const wet = layer > NOTHING ? most * fall(heights / layer, far, far + LEAVES) : 0;
    store<f32>(scratch + WETNESS + (<usize>k << 2), wet);
  }
}

/**
 * The way from a position to the mean of the particles of a component around it, images in wet walls with them, and the
 * radius there; -1 with none. `shareAround` tells how liquid they are.
 */
export function guideMean(context: usize, position: v128, label: u32, scratch: usize): v128 {
  const particles = <usize>load<u32>(context + PARTICLES);
  const labels = <usize>load<u32>(context + LABELS);
  const liquids = <usize>load<u32>(context + LIQUID);
  const grid = <usize>load<u32>(context + PARTICLE_GRID);
  const walls = findWalls(context, position, WALL_REACH, scratch);
  if (walls > 0) wetWalls(context, position, label, walls, scratch);
  let total: f32 = 0;
  let radius: f32 = 0;
  let share: f32 = 0;
  let mean = f32x4.splat(0);
  // Every set of walls mirrors once; the empty one comes first.
  for (let mirrors: u32 = 0; mirrors < <u32>1 << walls; mirrors++) {
    let seen = position;
    let wet: f32 = 1;
    for (let k: u32 = 0; k < walls; k++) {
      if (!(mirrors & (<u32>1 << k))) continue;
      const wall = wallAt(scratch, k);
      seen = f32x4.sub(seen, f32x4.mul(wall, f32x4.splat(<f32>2 * heightOver(wall, seen))));
      wet *= wetnessOf(scratch, k);
    }
    if (wet <= NOTHING) continue;
    const found = collectNear(grid, seen, <f32>REACH, scratch);
    for (let n: u32 = 0; n < found; n++) {
      let offset = v128.load(scratch + (<usize>n << 4));
      const j = indexOf(offset);
      if (load<u32>(labels + (j << 2)) != label) continue;
      const w = wet * weightAt(dot(offset, offset), <f32>(1 / (REACH * REACH)));
      if (mirrors > 0) {
        offset = mirrored(position, seen, offset, mirrors, walls, scratch);
        if (f32x4.extract_lane(offset, 3) == 0) continue;
      }
      total += w;
      radius += w * load<f32>(particles + (j << 4), 12);
      share += w * load<f32>(liquids + (j << 2));
      mean = addMul(mean, offset, f32x4.splat(w));
    }
  }
  if (total <= NOTHING) return f32x4.splat(-1);
  const scale = <f32>1 / total;
  store<f32>(scratch + SHARE_AROUND, share * scale);
  return f32x4.replace_lane(f32x4.mul(mean, f32x4.splat(scale)), 3, radius * scale);
}

/** How liquid the particles are that the last mean was of. */
// @ts-ignore: decorator
@inline
export function shareAround(scratch: usize): f32 {
  return load<f32>(scratch + SHARE_AROUND);
}

/**
 * The way to an image, from that of the mirrored place to the particle; the fourth number is 0 where there is none: the
 * particle is behind a wall itself, or, in corners that are not square, its image is not.
 */
function mirrored(position: v128, seen: v128, offset: v128, mirrors: u32, walls: u32, scratch: usize): v128 {
  const particle = f32x4.add(seen, offset);
  let back = offset;
  for (let k = walls; k-- > 0; ) {
    if (!(mirrors & (<u32>1 << k))) continue;
    const wall = wallAt(scratch, k);
    if (heightOver(wall, particle) < BEHIND) return f32x4.splat(0);
    back = f32x4.sub(back, f32x4.mul(wall, f32x4.splat(<f32>2 * dot(wall, back))));
  }
  const image = f32x4.add(position, back);
  for (let k: u32 = 0; k < walls; k++) {
    if (mirrors & (<u32>1 << k) && heightOver(wallAt(scratch, k), image) > -BEHIND) return f32x4.splat(0);
  }
  return f32x4.replace_lane(back, 3, 1);
}
