/** A hash grid over points, and how it is walked: points of a cell stand together, in the order of their numbers. */
import {
  GRID_BUCKETS,
  GRID_CELLS,
  GRID_COUNT,
  GRID_MASK,
  GRID_POINTS,
  GRID_SORTED,
  GRID_STARTS,
  MOST_NEAR,
} from '../../src/particles/points-layout';
import { INDEX_MASK, INDEX_TAG } from '../../src/particles/layout';
import { dot } from '../math/simd';

/** Cell of a position, three integers. */
// @ts-ignore: decorator
@inline
function cellAt(position: v128, cells: f32): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.mul(position, f32x4.splat(cells))));
}

// @ts-ignore: decorator
@inline
function bucketOf(x: i32, y: i32, z: i32, mask: u32): u32 {
  let h = <u32>x * 0x9e3779b1 + <u32>y * 0x85ebca77 + <u32>z * 0xc2b2ae3d;
  h ^= h >> 15;
  h *= 0x2c1b3c6d;
  h ^= h >> 13;
  return h & mask;
}

// @ts-ignore: decorator
@inline
export function indexOf(point: v128): usize {
  return <usize>(i32x4.extract_lane(point, 3) & INDEX_MASK);
}

/** Sorts the points of a grid's block; STARTS must be zero. For one thread. */
export function buildPointGrid(begin: u32, end: u32, grid: usize): void {
  const points = <usize>load<u32>(grid + GRID_POINTS);
  const count = <usize>load<u32>(grid + GRID_COUNT);
  const cells = load<f32>(grid + GRID_CELLS);
  const mask = load<u32>(grid + GRID_MASK);
  const starts = <usize>load<u32>(grid + GRID_STARTS);
  const sorted = <usize>load<u32>(grid + GRID_SORTED);
  const buckets = <usize>load<u32>(grid + GRID_BUCKETS);
  for (let i: usize = 0; i < count; i++) {
    const position = v128.load(points + (i << 4));
    const first = f32x4.extract_lane(position, 0);
    if (first != first) {
      store<u32>(buckets + (i << 2), 0xffffffff);
      continue;
    }
    const c = cellAt(position, cells);
    const b = bucketOf(i32x4.extract_lane(c, 0), i32x4.extract_lane(c, 1), i32x4.extract_lane(c, 2), mask);
    store<u32>(buckets + (i << 2), b);
    const at = starts + (<usize>b << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
  let sum: u32 = 0;
  for (let b: usize = 0; b <= <usize>mask; b++) {
    sum += load<u32>(starts + (b << 2), 4);
    store<u32>(starts + (b << 2), sum, 4);
  }
  // From the back, so that each start ends up where its bucket begins and points keep their order.
  for (let i = count; i-- > 0; ) {
    const b = load<u32>(buckets + (i << 2));
    if (b == 0xffffffff) continue;
    const at = starts + (<usize>b << 2);
    const to = load<u32>(at, 4) - 1;
    store<u32>(at, to, 4);
    const position = v128.load(points + (i << 4));
    v128.store(sorted + (<usize>to << 4), i32x4.replace_lane(position, 3, <i32>(INDEX_TAG | <u32>i)));
  }
  // Every start now stands one place too far up: bucket b begins at STARTS[b + 1].
  for (let b: usize = 0; b <= <usize>mask; b++) store<u32>(starts + (b << 2), load<u32>(starts + (b << 2), 4));
  store<u32>(starts + (<usize>(mask + 1) << 2), sum);
}

/**
 * Writes the way to every point of a grid that is nearer to a position than `reach`, with its tagged index, and returns
 * how many there are. `reach` must not be longer than a cell. Cells come in a fixed order, points in that of their
 * numbers.
 */
export function collectNear(grid: usize, position: v128, reach: f32, out: usize): u32 {
  const cells = load<f32>(grid + GRID_CELLS);
  const mask = load<u32>(grid + GRID_MASK);
  const starts = <usize>load<u32>(grid + GRID_STARTS);
  const sorted = <usize>load<u32>(grid + GRID_SORTED);
  const square = reach * reach;
  const home = cellAt(position, cells);
  const hx = i32x4.extract_lane(home, 0);
  const hy = i32x4.extract_lane(home, 1);
  const hz = i32x4.extract_lane(home, 2);
  let found: u32 = 0;
  for (let z = hz - 1; z <= hz + 1; z++) {
    for (let y = hy - 1; y <= hy + 1; y++) {
      for (let x = hx - 1; x <= hx + 1; x++) {
        const b = <usize>bucketOf(x, y, z, mask);
        const last = sorted + (<usize>load<u32>(starts + (b << 2), 4) << 4);
        for (let at = sorted + (<usize>load<u32>(starts + (b << 2)) << 4); at < last; at += 16) {
          const point = v128.load(at);
          const offset = f32x4.sub(point, position);
          if (!(dot(offset, offset) < square)) continue;
          // Buckets may hold points of other cells.
          const c = cellAt(point, cells);
          if (i32x4.extract_lane(c, 0) != x || i32x4.extract_lane(c, 1) != y || i32x4.extract_lane(c, 2) != z) continue;
          if (found == MOST_NEAR) return found;
          v128.store(out + (<usize>found << 4), i32x4.replace_lane(offset, 3, i32x4.extract_lane(point, 3)));
          found++;
        }
      }
    }
  }
  return found;
}
