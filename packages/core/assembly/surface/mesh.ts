import {
  BLOCK_AROUND,
  BLOCK_MIXED,
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
  KERNEL_CENTRE,
  KERNEL_DIAGONAL,
  KERNEL_MIXED,
  KERNEL_STRIDE,
  KERNELS,
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
  VERTICES,
  WELL_INSIDE,
} from '../../src/particles/liquid-surface-layout';
import { sumOfLanes, transposed0, transposed1, transposed2, transposed3 } from '../kernels/lanes';
import { vector, x, y, z } from '../math/simd';
import { cornerOf } from './blocks';
import { listKernels } from './field';
import { scratchOf } from './kernels';

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

// The kernels around the vertices of a block, four by four: eleven rows of numbers each.
const GROUP: usize = 176;
let group: usize = 0;
let groupEnd: usize = 0;
let list: usize = 0;
/** Do other liquids reach the block too? */
let mixed = false;

// What an evaluation leaves.
let slope: v128 = i32x4(0, 0, 0, 0);

/** Puts the listed kernels side by side; the last group is filled up with kernels of no height. */
function packKernels(count: usize, context: usize): void {
  const kernels = <usize>load<u32>(context + KERNELS);
  groupEnd = group;
  for (let n: usize = 0; n < count; n += 4) {
    const a = kernels + <usize>load<u32>(list + (n << 2)) * KERNEL_STRIDE;
    const b = n + 1 < count ? kernels + <usize>load<u32>(list + (n << 2), 4) * KERNEL_STRIDE : 0;
    const c = n + 2 < count ? kernels + <usize>load<u32>(list + (n << 2), 8) * KERNEL_STRIDE : 0;
    const d = n + 3 < count ? kernels + <usize>load<u32>(list + (n << 2), 12) * KERNEL_STRIDE : 0;
    packRows(a, b, c, d, KERNEL_CENTRE, groupEnd);
    packRows(a, b, c, d, KERNEL_DIAGONAL, groupEnd + 64);
    // The fourth row of the forms is empty: the next one may take its place.
    packRows(a, b, c, d, KERNEL_MIXED, groupEnd + 112);
    groupEnd += GROUP;
  }
}

// @ts-ignore: decorator
@inline
function packRows(a: usize, b: usize, c: usize, d: usize, part: usize, target: usize): void {
  const zero = f32x4.splat(0);
  const ra = v128.load(a + part);
  const rb = b == 0 ? zero : v128.load(b + part);
  const rc = c == 0 ? zero : v128.load(c + part);
  const rd = d == 0 ? zero : v128.load(d + part);
  v128.store(target, transposed0(ra, rb, rc, rd));
  v128.store(target, transposed1(ra, rb, rc, rd), 16);
  v128.store(target, transposed2(ra, rb, rc, rd), 32);
  v128.store(target, transposed3(ra, rb, rc, rd), 48);
}

/** 1 - q of four kernels at a point, not below zero. */
// @ts-ignore: decorator
@inline
function closeness(at: usize, dx: v128, dy: v128, dz: v128): v128 {
  const square = f32x4.add(
    f32x4.add(f32x4.mul(v128.load(at, 64), f32x4.mul(dx, dx)), f32x4.mul(v128.load(at, 80), f32x4.mul(dy, dy))),
    f32x4.mul(v128.load(at, 96), f32x4.mul(dz, dz)),
  );
  const mixed = f32x4.add(
    f32x4.add(f32x4.mul(v128.load(at, 112), f32x4.mul(dy, dz)), f32x4.mul(v128.load(at, 128), f32x4.mul(dx, dz))),
    f32x4.mul(v128.load(at, 144), f32x4.mul(dx, dy)),
  );
  const q = f32x4.add(square, f32x4.add(mixed, mixed));
  return f32x4.max(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
}

/** The field at a point. */
// @ts-ignore: decorator
@inline
function fieldAt(px: f32, py: f32, pz: f32, level: f32): f32 {
  return mixed ? sharedFieldAt(px, py, pz, level) : plainFieldAt(px, py, pz);
}

function plainFieldAt(px: f32, py: f32, pz: f32): f32 {
  let sum = f32x4.splat(0);
  for (let at = group; at < groupEnd; at += GROUP) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    sum = f32x4.add(sum, f32x4.mul(v128.load(at, 48), f32x4.mul(p, f32x4.mul(p, p))));
  }
  return sumOfLanes(sum);
}

/** Is the field at the last point that of the own colour's lead? */
let leads = false;

function sharedFieldAt(px: f32, py: f32, pz: f32, level: f32): f32 {
  let sum = f32x4.splat(0);
  let lead = f32x4.splat(0);
  for (let at = group; at < groupEnd; at += GROUP) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    const color = f32x4.mul(v128.load(at, 48), f32x4.mul(p, f32x4.mul(p, p)));
    sum = f32x4.add(sum, color);
    lead = f32x4.add(lead, f32x4.mul(v128.load(at, 160), color));
  }
  const all = sumOfLanes(sum);
  const ahead = level + sumOfLanes(lead);
  leads = ahead < all;
  return leads ? ahead : all;
}

/** The slope of the field at a point, and what the particles carry there. */
function interpolate(px: f32, py: f32, pz: f32, target: usize, channels: usize, values: usize, order: usize): void {
  let gx = f32x4.splat(0);
  let gy = f32x4.splat(0);
  let gz = f32x4.splat(0);
  let total: f32 = 0;
  for (let c: usize = 0; c < channels; c++) store<f32>(target + (c << 2), 0);
  let first = list;
  for (let at = group; at < groupEnd; at += GROUP, first += 16) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    const height = v128.load(at, 48);
    const near = f32x4.mul(height, f32x4.mul(p, p));
    if (!v128.any_true(near)) continue;
    const side = v128.load(at, 160);
    const steep = mixed && leads ? f32x4.mul(side, near) : near;
    const xx = f32x4.mul(v128.load(at, 64), dx);
    const yy = f32x4.mul(v128.load(at, 80), dy);
    const zz = f32x4.mul(v128.load(at, 96), dz);
    const yz = v128.load(at, 112);
    const xz = v128.load(at, 128);
    const xy = v128.load(at, 144);
    gx = f32x4.sub(gx, f32x4.mul(steep, f32x4.add(xx, f32x4.add(f32x4.mul(xz, dz), f32x4.mul(xy, dy)))));
    gy = f32x4.sub(gy, f32x4.mul(steep, f32x4.add(yy, f32x4.add(f32x4.mul(yz, dz), f32x4.mul(xy, dx)))));
    gz = f32x4.sub(gz, f32x4.mul(steep, f32x4.add(zz, f32x4.add(f32x4.mul(yz, dy), f32x4.mul(xz, dx)))));
    if (channels == 0) continue;
    const weights = f32x4.mul(near, p);
    let some = <u32>i32x4.bitmask(f32x4.gt(mixed ? f32x4.mul(side, weights) : weights, f32x4.splat(0)));
    while (some != 0) {
      const lane = <usize>ctz(some);
      some &= some - 1;
      const weight = lane < 2 ? (lane == 0 ? f32x4.extract_lane(weights, 0) : f32x4.extract_lane(weights, 1)) : lane == 2 ? f32x4.extract_lane(weights, 2) : f32x4.extract_lane(weights, 3);
      const particle = <usize>load<u32>(order + (<usize>load<u32>(first + (lane << 2)) << 2));
      const from = values + ((particle * channels) << 2);
      total += weight;
      for (let c: usize = 0; c < channels; c++) {
        const at = target + (c << 2);
        store<f32>(at, load<f32>(at) + weight * load<f32>(from + (c << 2)));
      }
    }
  }
  slope = vector(sumOfLanes(gx), sumOfLanes(gy), sumOfLanes(gz), 0);
  if (total > 0) for (let c: usize = 0; c < channels; c++) store<f32>(target + (c << 2), load<f32>(target + (c << 2)) / total);
}

/** Refinements of the place where an edge is crossed; more where two surfaces are to meet there. */
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
  const gathered = scratchOf(begin, context);
  const row = (side + 1) << 2;
  const layer = (side + 1) * row;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    const crossings = <usize>load<u32>(context + CROSSINGS) + ((s * side * side * side) << 2);
    const last = load<u32>(crossings + ((side * side * side - 1) << 2));
    if ((last >> 3) + popcnt(last & 7) == 0) continue;
    gatherNodes(gathered, block, context);
    list = gathered + (((side + 1) * layer + 15) & ~15);
    const corner = cornerOf(block, context);
    const count = listKernels(list, block, corner, f32x4.add(corner, f32x4.splat(<f32>side * cell)), context);
    group = (list + (count << 2) + 15) & ~15;
    packKernels(count, context);
    mixed = load<u32>(block + BLOCK_MIXED) != 0;
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
            const t = crossingOf(load<f32>(node) - level, load<f32>(other) - level, from, along, level);
            const place = f32x4.add(from, f32x4.mul(along, f32x4.splat(t)));
            if (mixed) sharedFieldAt(x(place), y(place), z(place), level);
            interpolate(
              x(place), y(place), z(place), <usize>load<u32>(context + VERTEX_VALUES) + ((vertex * channels) << 2),
              channels, values, order,
            );
            const at = <usize>load<u32>(context + VERTICES) + vertex * 12;
            store<f32>(at, x(place));
            store<f32>(at, y(place), 4);
            store<f32>(at, z(place), 8);
            writeNormal(<usize>load<u32>(context + NORMALS) + vertex * 12, load<f32>(node) >= level ? along : f32x4.neg(along));
            vertex++;
          }
        }
      }
    }
  }
}

/** Where an edge is crossed, from 0 to 1: false position with halving, on the field itself. */
// @ts-ignore: decorator
@inline
function crossingOf(atFirst: f32, atSecond: f32, from: v128, along: v128, level: f32): f32 {
  let low: f32 = 0;
  let high: f32 = 1;
  let lowValue = atFirst;
  let highValue = atSecond;
  let t = lowValue / (lowValue - highValue);
  const refinements = mixed ? SHARED_REFINEMENTS : REFINEMENTS;
  for (let n = 0; n < refinements; n++) {
    const place = f32x4.add(from, f32x4.mul(along, f32x4.splat(t)));
    const value = fieldAt(x(place), y(place), z(place), level) - level;
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
  if (!(t >= <f32>NEAR_NODE)) return <f32>NEAR_NODE;
  return min(t, <f32>(1 - NEAR_NODE));
}

/** Against the slope of the field; along the edge where it has none. */
// @ts-ignore: decorator
@inline
function writeNormal(at: usize, otherwise: v128): void {
  let direction = f32x4.neg(slope);
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
