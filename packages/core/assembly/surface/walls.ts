import {
  CELL,
  COVARIANCE,
  CLUSTERING,
  KERNEL_CENTRE,
  KERNEL_DIAGONAL,
  KERNEL_MIXED,
  KERNEL_REACH,
  KERNEL_STRIDE,
  KERNELS,
  LEAN_X,
  LEAN_Y,
  LEAN_Z,
  LEVEL,
  MIRRORS,
  MOST_WALLS,
  ORDER,
  RANK,
  REAL_COUNT,
  SHIFT_X,
  SHIFT_Y,
  SHIFT_Z,
  SIDE,
  SOURCES,
  WALL_BITS,
  WALL_COUNT,
  WALL_MARGIN,
  WALLS,
} from '../../src/particles/liquid-surface-layout';
import { dot, vector, w, x, y, z } from '../math/simd';

/**
 * Liquid at walls. Beyond a wall goes on what is before it, as in a mirror: the ghosts of particles have the mirrored
 * crowding, ways and kernels of these, so the field is the same on both sides, and what is before the wall has a
 * surface that meets it at a right angle and at its own height. Behind the wall there is nothing: the field is cut there.
 */

// @ts-ignore: decorator
@inline
export function wallAt(k: u32, context: usize): v128 {
  return v128.load(<usize>load<u32>(context + WALLS) + (<usize>k << 4));
}

/** How far a position is before a wall. */
// @ts-ignore: decorator
@inline
export function heightOver(wall: v128, position: v128): f32 {
  return dot(wall, position) - w(wall);
}

/** The nearest position on a wall. */
// @ts-ignore: decorator
@inline
export function ontoWall(wall: v128, position: v128): v128 {
  return f32x4.replace_lane(f32x4.sub(position, f32x4.mul(wall, f32x4.splat(heightOver(wall, position)))), 3, 0);
}

/** The mirror image of a direction. */
function mirrored(direction: v128, mirrors: u32, context: usize): v128 {
  let image = direction;
  for (let rest = mirrors; rest != 0; rest >>= WALL_BITS) {
    const wall = wallAt((rest & MOST_WALLS) - 1, context);
    image = f32x4.sub(image, f32x4.mul(wall, f32x4.splat(<f32>2 * dot(wall, image))));
  }
  return image;
}

/** The mirror image of a position. */
function mirroredPosition(position: v128, mirrors: u32, context: usize): v128 {
  let image = position;
  for (let rest = mirrors; rest != 0; rest >>= WALL_BITS) {
    const wall = wallAt((rest & MOST_WALLS) - 1, context);
    image = f32x4.sub(image, f32x4.mul(wall, f32x4.splat(<f32>2 * heightOver(wall, image))));
  }
  return image;
}

/** Mirrors vectors by axis into those of a ghost. */
// @ts-ignore: decorator
@inline
function mirrorVector(ghost: u32, xs: usize, ys: usize, zs: usize, context: usize): void {
  const to = ghostRank(ghost, context) << 2;
  const from = sourceRank(ghost, context) << 2;
  const given = vector(load<f32>(xs + from), load<f32>(ys + from), load<f32>(zs + from), 0);
  const image = mirrored(given, mirrorsOf(ghost, context), context);
  store<f32>(xs + to, x(image));
  store<f32>(ys + to, y(image));
  store<f32>(zs + to, z(image));
}

// @ts-ignore: decorator
@inline
function mirrorsOf(ghost: u32, context: usize): u32 {
  return load<u32>(<usize>load<u32>(context + MIRRORS) + (<usize>ghost << 2));
}

// @ts-ignore: decorator
@inline
function ghostRank(ghost: u32, context: usize): usize {
  const given = <usize>load<u32>(context + REAL_COUNT) + ghost;
  return <usize>load<u32>(<usize>load<u32>(context + RANK) + (given << 2));
}

// @ts-ignore: decorator
@inline
function sourceRank(ghost: u32, context: usize): usize {
  const given = <usize>load<u32>(<usize>load<u32>(context + SOURCES) + (<usize>ghost << 2));
  return <usize>load<u32>(<usize>load<u32>(context + RANK) + (given << 2));
}

/** Is a particle, in the order of the cells, a ghost? */
// @ts-ignore: decorator
@inline
export function isGhost(i: usize, context: usize): bool {
  return load<u32>(<usize>load<u32>(context + ORDER) + (i << 2)) >= load<u32>(context + REAL_COUNT);
}

/** Sums of weights, means and covariances of the neighbours of ghosts. */
export function mirrorSurfaceWeights(begin: u32, end: u32, context: usize): void {
  const clustering = <usize>load<u32>(context + CLUSTERING);
  const covariances = <usize>load<u32>(context + COVARIANCE);
  const leanX = <usize>load<u32>(context + LEAN_X);
  const leanY = <usize>load<u32>(context + LEAN_Y);
  const leanZ = <usize>load<u32>(context + LEAN_Z);
  for (let ghost = begin; ghost < end; ghost++) {
    store<f32>(clustering + (ghostRank(ghost, context) << 2), load<f32>(clustering + (sourceRank(ghost, context) << 2)));
    mirrorVector(ghost, leanX, leanY, leanZ, context);
    const from = covariances + (sourceRank(ghost, context) << 5);
    mirrorForm(v128.load(from), v128.load(from, 16), mirrorsOf(ghost, context), context);
    const to = covariances + (ghostRank(ghost, context) << 5);
    v128.store(to, diagonalImage);
    v128.store(to, mixedImage, 16);
  }
}

/** The ways to the mean of the layer, of ghosts. */
export function mirrorSurfaceShifts(begin: u32, end: u32, context: usize): void {
  const shiftX = <usize>load<u32>(context + SHIFT_X);
  const shiftY = <usize>load<u32>(context + SHIFT_Y);
  const shiftZ = <usize>load<u32>(context + SHIFT_Z);
  for (let ghost = begin; ghost < end; ghost++) mirrorVector(ghost, shiftX, shiftY, shiftZ, context);
}

/** Kernels of ghosts; from here on these carry what their particles do. */
export function mirrorSurfaceKernels(begin: u32, end: u32, context: usize): void {
  const kernels = <usize>load<u32>(context + KERNELS);
  const sources = <usize>load<u32>(context + SOURCES);
  const order = <usize>load<u32>(context + ORDER);
  for (let ghost = begin; ghost < end; ghost++) {
    const rank = ghostRank(ghost, context);
    const to = kernels + rank * KERNEL_STRIDE;
    const from = kernels + sourceRank(ghost, context) * KERNEL_STRIDE;
    const mirrors = mirrorsOf(ghost, context);
    const centre = v128.load(from + KERNEL_CENTRE);
    v128.store(to + KERNEL_CENTRE, f32x4.replace_lane(mirroredPosition(centre, mirrors, context), 3, w(centre)));
    mirrorForm(v128.load(from + KERNEL_DIAGONAL), v128.load(from + KERNEL_MIXED), mirrors, context);
    v128.store(to + KERNEL_DIAGONAL, diagonalImage);
    v128.store(to + KERNEL_MIXED, f32x4.replace_lane(mixedImage, 3, 1));
    v128.store(to + KERNEL_REACH, f32x4.replace_lane(boxAround(diagonalImage, mixedImage), 3, load<f32>(from + KERNEL_REACH, 12)));
    store<u32>(order + (rank << 2), load<u32>(sources + (<usize>ghost << 2)));
  }
}

// The image of a symmetric matrix: xx, yy, zz, 0; yz, xz, xy, 0.
let diagonalImage: v128 = i32x4(0, 0, 0, 0);
let mixedImage: v128 = i32x4(0, 0, 0, 0);

/** Mirrors the columns and then the rows of a symmetric matrix. */
function mirrorForm(diagonal: v128, mixed: v128, mirrors: u32, context: usize): void {
  const columnX = mirrored(vector(x(diagonal), z(mixed), y(mixed), 0), mirrors, context);
  const columnY = mirrored(vector(z(mixed), y(diagonal), x(mixed), 0), mirrors, context);
  const columnZ = mirrored(vector(y(mixed), x(mixed), z(diagonal), 0), mirrors, context);
  const rowX = mirrored(vector(x(columnX), x(columnY), x(columnZ), 0), mirrors, context);
  const rowY = mirrored(vector(y(columnX), y(columnY), y(columnZ), 0), mirrors, context);
  const rowZ = mirrored(vector(z(columnX), z(columnY), z(columnZ), 0), mirrors, context);
  diagonalImage = vector(x(rowX), y(rowY), z(rowZ), 0);
  mixedImage = vector(y(rowZ), x(rowZ), x(rowY), 0);
}

/** Half the sides of the box around an ellipsoid: roots of the diagonal of the inverse of its form. */
function boxAround(diagonal: v128, mixed: v128): v128 {
  const xx = <f64>x(diagonal);
  const yy = <f64>y(diagonal);
  const zz = <f64>z(diagonal);
  const yz = <f64>x(mixed);
  const xz = <f64>y(mixed);
  const xy = <f64>z(mixed);
  const determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  const boxX = (yy * zz - yz * yz) / determinant;
  const boxY = (xx * zz - xz * xz) / determinant;
  const boxZ = (xx * yy - xy * xy) / determinant;
  return vector(<f32>sqrt(boxX), <f32>sqrt(boxY), <f32>sqrt(boxZ), 0);
}

/** Where a block lies: wholly behind a wall, across one, or before all of them. */
export const BEHIND: u32 = 0;
export const ACROSS: u32 = 1;
export const BEFORE: u32 = 2;

export function sideOfWalls(corner: v128, context: usize): u32 {
  const count = load<u32>(context + WALL_COUNT);
  const length = <f32>load<u32>(context + SIDE) * load<f32>(context + CELL);
  let where = BEFORE;
  for (let k: u32 = 0; k < count; k++) {
    const wall = wallAt(k, context);
    const up = f32x4.max(wall, f32x4.splat(0));
    const most = heightOver(wall, corner) + length * (x(up) + y(up) + z(up));
    if (most < <f32>(WALL_MARGIN / 2)) return BEHIND;
    if (leastHeight(wall, corner, length) < <f32>(2 * WALL_MARGIN)) where = ACROSS;
  }
  return where;
}

/** Of the corners of a cube over a wall. */
// @ts-ignore: decorator
@inline
function leastHeight(wall: v128, corner: v128, length: f32): f32 {
  const down = f32x4.min(wall, f32x4.splat(0));
  return heightOver(wall, corner) + length * (x(down) + y(down) + z(down));
}

/** Cuts the field at the nodes of a block off behind walls. */
export function cutAtWalls(nodes: usize, corner: v128, context: usize): void {
  const count = load<u32>(context + WALL_COUNT);
  const side = <usize>load<u32>(context + SIDE);
  const cell = load<f32>(context + CELL);
  const level = load<f32>(context + LEVEL);
  const steps = f32x4.mul(vector(0, 1, 2, 3), f32x4.splat(cell));
  for (let n: u32 = 0; n < count; n++) {
    const wall = wallAt(n, context);
    if (leastHeight(wall, corner, <f32>side * cell) > <f32>(2 * WALL_MARGIN)) continue;
    const base = level - <f32>WALL_MARGIN + heightOver(wall, corner);
    let at = nodes;
    for (let k: usize = 0; k < side; k++) {
      for (let j: usize = 0; j < side; j++) {
        const row = base + cell * (<f32>j * y(wall) + <f32>k * z(wall));
        for (let i: usize = 0; i < side; i += 4) {
          const along = f32x4.add(f32x4.splat(<f32>i * cell), steps);
          const height = f32x4.add(f32x4.splat(row), f32x4.mul(along, f32x4.splat(x(wall))));
          v128.store(at, f32x4.min(v128.load(at), height));
          at += 16;
        }
      }
    }
  }
}
