import {
  BLOCK_STRIDE,
  BLOCK_VERTICES,
  BLOCKS,
  CELL,
  CHANNELS,
  CREASES,
  FIRST,
  LEVEL,
  NORMALS,
  ORDER,
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
} from '../../src/particles/liquid-surface-layout';
import { cross, dot, vector, x, y, z } from '../math/simd';
import { cornerOf } from './blocks';
import { fieldAt, gatherKernels, interpolate, lastSlope, outwards } from './evaluate';
import { scratchOf } from './kernels';
import { writeNormal } from './mesh';
import { heightOver, ontoWall, wallAt } from './walls';

/**
 * Sharp edges, where the free surface meets a wall and walls meet each other. Marching cubes cuts them off, here more and there
 * less, so that they look torn. Surfaces are in an order, the free one first, then walls by their numbers: of two
 * neighbouring vertices on different surfaces the later moves onto the earlier one, too, and of three each where all
 * meet. A triangle with vertices on three surfaces is always there where three of them meet (Sperner's lemma).
 */

/**
 * Farthest that a vertex moves, in cells: those beyond would be of edges that are nearly flat. Vertices that stay are
 * notches in the rim of a puddle, which reaches out that far over the floor.
 */
const FARTHEST_MOVE: f32 = 3;
/** Walls whose normals differ by an angle with a smaller square of its sine have no edge. */
const FLAT: f32 = 0.02;
const ITERATIONS = 6;
/** How far from the level the field may be where a vertex has come to. */
const CLOSE: f32 = 0.02;

/** Notes the surfaces next to every vertex that come before its own; one thread. */
export function findSurfaceCreases(begin: u32, end: u32, context: usize): void {
  const triangles = <usize>load<u32>(context + TRIANGLES);
  const walls = <usize>load<u32>(context + VERTEX_WALL);
  const creases = <usize>load<u32>(context + CREASES);
  memory.fill(creases, 0, <usize>load<u32>(context + VERTEX_COUNT) << 3);
  const last = triangles + <usize>load<u32>(context + TRIANGLE_COUNT) * 12;
  for (let at = triangles; at < last; at += 12) {
    const a = <usize>load<u32>(at);
    const b = <usize>load<u32>(at, 4);
    const c = <usize>load<u32>(at, 8);
    const ofA = load<u32>(walls + (a << 2));
    const ofB = load<u32>(walls + (b << 2));
    const ofC = load<u32>(walls + (c << 2));
    if (ofA == ofB && ofB == ofC) continue;
    note(creases, a, ofA, ofB);
    note(creases, a, ofA, ofC);
    note(creases, b, ofB, ofA);
    note(creases, b, ofB, ofC);
    note(creases, c, ofC, ofA);
    note(creases, c, ofC, ofB);
  }
}

/** Keeps the two first ones. */
function note(creases: usize, vertex: usize, own: u32, other: u32): void {
  if (other >= own) return;
  const at = creases + (vertex << 3);
  const mark = other + 1;
  const first = load<u32>(at);
  const second = load<u32>(at, 4);
  if (first == mark || second == mark) return;
  if (first == 0 || mark < first) {
    store<u32>(at, mark);
    store<u32>(at, first, 4);
  } else if (second == 0 || mark < second) {
    store<u32>(at, mark, 4);
  }
}

/** Moves the vertices of stored blocks that are next to other surfaces onto these. */
export function sharpenSurface(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const creases = <usize>load<u32>(context + CREASES);
  const cell = load<f32>(context + CELL);
  const length = <f32>load<u32>(context + SIDE) * cell;
  const count = <usize>load<u32>(context + STORED_COUNT);
  const scratch = scratchOf(begin, context);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    const first = <usize>load<u32>(block + BLOCK_VERTICES);
    const following = s + 1 < count ? blocks + <usize>load<u32>(stored + (s << 2), 4) * BLOCK_STRIDE : 0;
    const last = <usize>load<u32>(following != 0 ? following + BLOCK_VERTICES : context + VERTEX_COUNT);
    let isReady = false;
    for (let v = first; v < last; v++) {
      if (load<u32>(creases + (v << 3)) == 0) continue;
      if (!isReady) {
        const corner = cornerOf(block, context);
        const margin = f32x4.splat(FARTHEST_MOVE * cell);
        const high = f32x4.add(corner, f32x4.splat(length));
        gatherKernels(scratch, block, f32x4.sub(corner, margin), f32x4.add(high, margin), context);
        isReady = true;
      }
      sharpen(v, context);
    }
  }
}

function sharpen(v: usize, context: usize): void {
  const at = <usize>load<u32>(context + VERTICES) + v * 12;
  const crease = <usize>load<u32>(context + CREASES) + (v << 3);
  const level = load<f32>(context + LEVEL);
  const position = vector(load<f32>(at), load<f32>(at, 4), load<f32>(at, 8), 0);
  const own = wallAt(load<u32>(<usize>load<u32>(context + VERTEX_WALL) + (v << 2)) - 1, context);
  const isFree = load<u32>(crease) == 1;
  const second = load<u32>(crease, 4);
  const one = isFree ? second : load<u32>(crease);
  const two = isFree ? 0 : second;
  let to = position;
  let line = f32x4.splat(0);
  if (one != 0) {
    const other = wallAt(one - 2, context);
    const down = f32x4.sub(other, f32x4.mul(own, f32x4.splat(dot(other, own))));
    if (dot(down, down) < FLAT) return;
    to = f32x4.sub(to, f32x4.mul(down, f32x4.splat(heightOver(other, to) / dot(down, down))));
    line = cross(own, other);
    if (two != 0) {
      const third = wallAt(two - 2, context);
      const steep = dot(line, third);
      if (steep * steep < FLAT * dot(line, line)) return;
      to = f32x4.sub(to, f32x4.mul(line, f32x4.splat(heightOver(third, to) / steep)));
    }
  }
  if (isFree) to = ontoLevel(to, own, line, one != 0, level, position, context);
  const offset = f32x4.sub(to, position);
  const most = FARTHEST_MOVE * load<f32>(context + CELL);
  if (!(dot(offset, offset) <= most * most)) return;
  const channels = <usize>load<u32>(context + CHANNELS);
  const values = <usize>load<u32>(context + VALUES) - ((<usize>load<u32>(context + FIRST) * channels) << 2);
  interpolate(
    x(to), y(to), z(to), level, <usize>load<u32>(context + VERTEX_VALUES) + ((v * channels) << 2), channels, values,
    <usize>load<u32>(context + ORDER),
  );
  store<f32>(at, x(to));
  store<f32>(at, y(to), 4);
  store<f32>(at, z(to), 8);
  if (isFree) writeNormal(<usize>load<u32>(context + NORMALS) + v * 12, outwards(x(to), y(to), z(to)), f32x4.neg(own));
}

/** Newton's method for the level, within a wall or along the line where two meet; where it does not get there, the position itself. */
function ontoLevel(
  begin: v128, wall: v128, line: v128, isLine: bool, level: f32, otherwise: v128, context: usize,
): v128 {
  const cell = load<f32>(context + CELL);
  let to = begin;
  for (let n = 0; n < ITERATIONS; n++) {
    const over = fieldAt(x(to), y(to), z(to), level) - level;
    interpolate(x(to), y(to), z(to), level, 0, 0, 0, 0);
    const slope = lastSlope();
    const offset = isLine
      ? f32x4.mul(line, f32x4.splat(dot(slope, line) / dot(line, line)))
      : f32x4.sub(slope, f32x4.mul(wall, f32x4.splat(dot(slope, wall))));
    // `lastSlope` is that of the field over six: of (1 - q)^3, with q a square.
    const step = -over / (<f32>6 * dot(offset, offset));
    const far = abs(step) * sqrt(dot(offset, offset));
    if (!(far < <f32>Infinity)) return otherwise;
    to = f32x4.add(to, f32x4.mul(offset, f32x4.splat(far > cell ? (step * cell) / far : step)));
    if (!isLine) to = ontoWall(wall, to);
  }
  return abs(fieldAt(x(to), y(to), z(to), level) - level) < CLOSE ? to : otherwise;
}
