import {
  BLOCK_AROUND,
  BLOCK_STORED,
  BLOCK_STRIDE,
  BLOCK_TRIANGLES,
  BLOCK_VERTICES,
  BLOCK_WHERE,
  BLOCKS,
  CELL,
  CHANNELS,
  CROSSINGS,
  FIRST,
  LEVEL,
  NEAR_NODE,
  NODES,
  NONE,
  NORMALS,
  ORDER,
  PATTERN_STRIDE,
  PATTERNS,
  SELF,
  SIDE,
  STORED,
  STORED_COUNT,
  TRIANGLE_COUNT,
  TRIANGLES,
  VALUES,
  VERTEX_COUNT,
  VERTEX_VALUES,
  VERTEX_WALL,
  VERTICES,
  WALL_COUNT,
  WALL_MARGIN,
  WELL_INSIDE,
} from '../../src/particles/liquid-surface-layout';
import { dot, vector, x, y, z } from '../math/simd';
import { cornerOf } from './blocks';
import { fieldAt, gatherKernels, interpolate, isShared, outwards } from './evaluate';
import { scratchOf } from './kernels';
import { heightOver, ontoWall, wallAt } from './walls';

/**
 * Triangles where the field crosses its level: marching cubes with the patterns of src/surface/patterns.ts.
 * A vertex belongs to the edge of the grid that it is on, and an edge to the block of its lower node, so that
 * neighbouring cells and blocks mean the same vertex by the same number.
 */

/** Stored block that holds the node (i, j, k) of a block, whose coordinates may be one too large; or 0. */
// @ts-ignore: decorator
@inline
function ownerOf(block: usize, blocks: usize, side: usize, i: usize, j: usize, k: usize): usize {
  const step = <usize>SELF + (i == side ? 1 : 0) + (j == side ? 3 : 0) + (k == side ? 9 : 0);
  if (step == SELF) return block;
  const around = load<u32>(block + BLOCK_AROUND + (step << 2));
  return around == NONE ? 0 : blocks + <usize>around * BLOCK_STRIDE;
}

/** A coordinate of a node in the block that holds it. */
// @ts-ignore: decorator
@inline
function wrap(coordinate: usize, side: usize): usize {
  return coordinate == side ? 0 : coordinate;
}

/** The values at the nodes of a block and one further along each axis. */
function gatherNodes(target: usize, block: usize, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const nodes = <usize>load<u32>(context + NODES);
  const side = <usize>load<u32>(context + SIDE);
  const cube = side * side * side;
  let at = target;
  for (let k: usize = 0; k <= side; k++) {
    for (let j: usize = 0; j <= side; j++) {
      for (let half: usize = 0; half < 2; half++) {
        // The nodes of the block itself in this row, then the one behind them.
        const i = half == 0 ? <usize>0 : side;
        const length = half == 0 ? side : <usize>1;
        const owner = ownerOf(block, blocks, side, i, j, k);
        const stored = owner == 0 ? NONE : load<u32>(owner + BLOCK_STORED);
        if (stored == NONE) {
          const value: f32 = owner != 0 && load<u32>(owner + BLOCK_WHERE) == WELL_INSIDE ? 1 : 0;
          for (let n: usize = 0; n < length; n++) store<f32>(at + (n << 2), value);
        } else {
          const row = wrap(k, side) * side + wrap(j, side);
          memory.copy(at, nodes + ((<usize>stored * cube + row * side) << 2), length << 2);
        }
        at += length << 2;
      }
    }
  }
}

/** Which corners of a cell are inside: bit 1 steps along x, 2 along y, 4 along z. */
// @ts-ignore: decorator
@inline
function patternOf(corner: usize, row: usize, layer: usize, level: f32): usize {
  let pattern: usize = load<f32>(corner) >= level ? 1 : 0;
  if (load<f32>(corner, 4) >= level) pattern |= 2;
  if (load<f32>(corner + row) >= level) pattern |= 4;
  if (load<f32>(corner + row, 4) >= level) pattern |= 8;
  if (load<f32>(corner + layer) >= level) pattern |= 16;
  if (load<f32>(corner + layer, 4) >= level) pattern |= 32;
  if (load<f32>(corner + layer + row) >= level) pattern |= 64;
  if (load<f32>(corner + layer + row, 4) >= level) pattern |= 128;
  return pattern;
}

/** Crossed edges and triangles of stored blocks. */
export function countSurface(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const patterns = <usize>load<u32>(context + PATTERNS);
  const side = <usize>load<u32>(context + SIDE);
  const level = load<f32>(context + LEVEL);
  const gathered = scratchOf(begin, context);
  const row = (side + 1) << 2;
  const layer = (side + 1) * row;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    gatherNodes(gathered, block, context);
    let crossing = <usize>load<u32>(context + CROSSINGS) + ((s * side * side * side) << 2);
    let vertices: u32 = 0;
    let triangles: u32 = 0;
    for (let k: usize = 0; k < side; k++) {
      for (let j: usize = 0; j < side; j++) {
        for (let i: usize = 0; i < side; i++) {
          const pattern = patternOf(gathered + k * layer + j * row + (i << 2), row, layer, level);
          let edges: u32 = 0;
          if (pattern != 0 && pattern != 255) {
            const inside = <u32>pattern & 1;
            edges = (((<u32>pattern >> 1) & 1) ^ inside) | ((((<u32>pattern >> 2) & 1) ^ inside) << 1) | ((((<u32>pattern >> 4) & 1) ^ inside) << 2);
            triangles += load<u8>(patterns + pattern * PATTERN_STRIDE);
          }
          store<u32>(crossing, (vertices << 3) | edges);
          vertices += popcnt(edges);
          crossing += 4;
        }
      }
    }
    store<u32>(block + BLOCK_VERTICES, vertices);
    store<u32>(block + BLOCK_TRIANGLES, triangles);
  }
}

/** Turns counts of blocks into where their vertices and triangles begin; one thread. */
export function sumSurfaceCounts(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const count = <usize>load<u32>(context + STORED_COUNT);
  let vertices: u32 = 0;
  let triangles: u32 = 0;
  for (let s: usize = 0; s < count; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    const ownVertices = load<u32>(block + BLOCK_VERTICES);
    const ownTriangles = load<u32>(block + BLOCK_TRIANGLES);
    store<u32>(block + BLOCK_VERTICES, vertices);
    store<u32>(block + BLOCK_TRIANGLES, triangles);
    vertices += ownVertices;
    triangles += ownTriangles;
  }
  store<u32>(context + VERTEX_COUNT, vertices);
  store<u32>(context + TRIANGLE_COUNT, triangles);
}

/** Refinements of the position where an edge is crossed; more where two surfaces are to meet there. */
const REFINEMENTS = 2;
const SHARED_REFINEMENTS = 6;

/** The vertices of stored blocks: on the level, with directions and what particles carry. */
export function makeSurfaceVertices(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const side = <usize>load<u32>(context + SIDE);
  const cell = load<f32>(context + CELL);
  const level = load<f32>(context + LEVEL);
  const order = <usize>load<u32>(context + ORDER);
  const channels = <usize>load<u32>(context + CHANNELS);
  // Only particles of the liquid itself carry values.
  const values = <usize>load<u32>(context + VALUES) - ((<usize>load<u32>(context + FIRST) * channels) << 2);
  const walls = load<u32>(context + WALL_COUNT);
  const gathered = scratchOf(begin, context);
  const row = (side + 1) << 2;
  const layer = (side + 1) * row;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    const crossings = <usize>load<u32>(context + CROSSINGS) + ((s * side * side * side) << 2);
    const last = load<u32>(crossings + ((side * side * side - 1) << 2));
    if ((last >> 3) + popcnt(last & 7) == 0) continue;
    gatherNodes(gathered, block, context);
    const corner = cornerOf(block, context);
    const scratch = gathered + (((side + 1) * layer + 15) & ~15);
    gatherKernels(scratch, block, corner, f32x4.add(corner, f32x4.splat(<f32>side * cell)), context);
    let vertex = <usize>load<u32>(block + BLOCK_VERTICES);
    let crossing = crossings;
    for (let k: usize = 0; k < side; k++) {
      for (let j: usize = 0; j < side; j++) {
        for (let i: usize = 0; i < side; i++) {
          const edges = load<u32>(crossing) & 7;
          crossing += 4;
          if (edges == 0) continue;
          const node = gathered + k * layer + j * row + (i << 2);
          const from = f32x4.add(corner, f32x4.mul(vector(<f32>i, <f32>j, <f32>k, 0), f32x4.splat(cell)));
          for (let axis: u32 = 0; axis < 3; axis++) {
            if (((edges >> axis) & 1) == 0) continue;
            const other = node + (axis == 0 ? 4 : axis == 1 ? row : layer);
            const along = vector(axis == 0 ? cell : 0, axis == 1 ? cell : 0, axis == 2 ? cell : 0, 0);
            const first = load<f32>(node) - level;
            const second = load<f32>(other) - level;
            const position = walls == 0 ? crossingOf(first, second, from, along, level) : crossingBeforeWalls(first, second, from, along, level, context);
            interpolate(
              x(position), y(position), z(position), level, <usize>load<u32>(context + VERTEX_VALUES) + ((vertex * channels) << 2),
              channels, values, order,
            );
            const at = <usize>load<u32>(context + VERTICES) + vertex * 12;
            store<f32>(at, x(position));
            store<f32>(at, y(position), 4);
            store<f32>(at, z(position), 8);
            const normalAt = <usize>load<u32>(context + NORMALS) + vertex * 12;
            writeNormal(normalAt, outwards(x(position), y(position), z(position)), first >= 0 ? along : f32x4.neg(along));
            if (walls != 0) {
              store<u32>(<usize>load<u32>(context + VERTEX_WALL) + (vertex << 2), metWall);
              if (metWall != 0) writeNormal(normalAt, f32x4.neg(wallAt(metWall - 1, context)), along);
            }
            vertex++;
          }
        }
      }
    }
  }
}

/** Where an edge is crossed: false position with halving, on the field itself. */
// @ts-ignore: decorator
@inline
function crossingOf(atFirst: f32, atSecond: f32, from: v128, along: v128, level: f32): v128 {
  let low: f32 = 0;
  let high: f32 = 1;
  let lowValue = atFirst;
  let highValue = atSecond;
  let t = lowValue / (lowValue - highValue);
  const refinements = isShared() ? SHARED_REFINEMENTS : REFINEMENTS;
  for (let n = 0; n < refinements; n++) {
    const position = f32x4.add(from, f32x4.mul(along, f32x4.splat(t)));
    const value = fieldAt(x(position), y(position), z(position), level) - level;
    if ((value >= 0) == (lowValue >= 0)) {
      low = t;
      lowValue = value;
      if (n > 0) highValue *= <f32>0.5;
    } else {
      high = t;
      highValue = value;
      if (n > 0) lowValue *= <f32>0.5;
    }
    t = low + ((high - low) * lowValue) / (lowValue - highValue);
  }
  // Both values may have been zero.
  t = t >= <f32>NEAR_NODE ? min(t, <f32>(1 - NEAR_NODE)) : <f32>NEAR_NODE;
  return f32x4.add(from, f32x4.mul(along, f32x4.splat(t)));
}

/** The wall, plus one, that the last crossing is on; 0 where the surface is free. */
let metWall: u32 = 0;

/** Where an edge is crossed, but not beyond the first wall that it meets: if there is liquid at the wall, on the wall. */
function crossingBeforeWalls(atFirst: f32, atSecond: f32, from: v128, along: v128, level: f32, context: usize): v128 {
  const outwards = atFirst >= 0;
  const inner = outwards ? from : f32x4.add(from, along);
  const direction = outwards ? along : f32x4.neg(along);
  const count = load<u32>(context + WALL_COUNT);
  metWall = 0;
  let nearest: f32 = 1;
  for (let k: u32 = 0; k < count; k++) {
    const wall = wallAt(k, context);
    const before = max(heightOver(wall, inner), 0);
    const down = -dot(wall, direction);
    // Rounding may have put an end that is on the wall a little before it.
    if (before - down > <f32>(2 * WALL_MARGIN) || down <= 0) continue;
    const t = min(before / down, <f32>1);
    if (metWall != 0 && t >= nearest) continue;
    nearest = t;
    metWall = k + 1;
  }
  if (metWall == 0) return crossingOf(atFirst, atSecond, from, along, level);
  const short = f32x4.mul(direction, f32x4.splat(nearest));
  const end = f32x4.add(inner, short);
  const there = fieldAt(x(end), y(end), z(end), level) - level;
  if (there >= 0) return ontoWall(wallAt(metWall - 1, context), end);
  metWall = 0;
  return crossingOf(max(outwards ? atFirst : atSecond, 0), there, inner, short, level);
}

/** Writes a direction with a length of one; another one where it has none. */
export function writeNormal(at: usize, wanted: v128, otherwise: v128): void {
  let direction = wanted;
  let square = <f64>x(direction) * x(direction) + <f64>y(direction) * y(direction) + <f64>z(direction) * z(direction);
  if (!(square > 0)) {
    direction = otherwise;
    square = <f64>x(direction) * x(direction) + <f64>y(direction) * y(direction) + <f64>z(direction) * z(direction);
  }
  const inverse = 1 / sqrt(square);
  store<f32>(at, <f32>(<f64>x(direction) * inverse));
  store<f32>(at, <f32>(<f64>y(direction) * inverse), 4);
  store<f32>(at, <f32>(<f64>z(direction) * inverse), 8);
}

/** The triangles of stored blocks. */
export function makeSurfaceTriangles(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const patterns = <usize>load<u32>(context + PATTERNS);
  const side = <usize>load<u32>(context + SIDE);
  const level = load<f32>(context + LEVEL);
  const gathered = scratchOf(begin, context);
  const row = (side + 1) << 2;
  const layer = (side + 1) * row;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    gatherNodes(gathered, block, context);
    let target = <usize>load<u32>(context + TRIANGLES) + <usize>load<u32>(block + BLOCK_TRIANGLES) * 12;
    for (let k: usize = 0; k < side; k++) {
      for (let j: usize = 0; j < side; j++) {
        for (let i: usize = 0; i < side; i++) {
          const pattern = patterns + patternOf(gathered + k * layer + j * row + (i << 2), row, layer, level) * PATTERN_STRIDE;
          const end = pattern + 1 + 3 * <usize>load<u8>(pattern);
          for (let at = pattern + 1; at < end; at++) {
            store<u32>(target, vertexOn(<usize>load<u8>(at), block, blocks, side, i, j, k, context));
            target += 4;
          }
        }
      }
    }
  }
}

/** Number of the vertex on an edge of a cell: four edges along x, then y, then z. */
function vertexOn(edge: usize, block: usize, blocks: usize, side: usize, ci: usize, cj: usize, ck: usize, context: usize): u32 {
  const axis = edge >> 2;
  const u = edge & 1;
  const v = (edge >> 1) & 1;
  const i = ci + (axis == 0 ? 0 : u);
  const j = cj + (axis == 0 ? u : axis == 1 ? 0 : v);
  const k = ck + (axis == 2 ? 0 : v);
  const owner = ownerOf(block, blocks, side, i, j, k);
  const cube = side * side * side;
  const node = (wrap(k, side) * side + wrap(j, side)) * side + wrap(i, side);
  const entry = load<u32>(<usize>load<u32>(context + CROSSINGS) + ((<usize>load<u32>(owner + BLOCK_STORED) * cube + node) << 2));
  return load<u32>(owner + BLOCK_VERTICES) + (entry >> 3) + popcnt(entry & ((1 << <u32>axis) - 1));
}
