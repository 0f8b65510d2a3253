import {
  BUCKET_BEGIN,
  BUCKET_MASK,
  CELL_KEYS,
  CELL_SIZE,
  FIRST_INDEX,
  INDEX_MASK,
  INDEX_TAG,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  POINT_COUNT,
  POINTS,
  SORTED,
  SUPPORTS,
  TREE_AXIS,
} from '../../src/particles/layout';
import { bucketOf, cellKey, cellOf } from './grid';

/**
 * Rest-space neighbour lists. Two particles are neighbours when they are nearer than the mean of
 * their supports: the relation is symmetric, so the weights can be too, and forces need no scatter.
 *
 * Each search is written twice over: the counting pass (write = false) sizes the list, the filling
 * pass (write = true) stores indices, then sorts them, so that sums run in index order.
 */

// @ts-ignore: decorator
@inline
function isNeighbor(points: usize, supports: usize, i: usize, j: usize): bool {
  const a = points + (i << 4);
  const b = points + (j << 4);
  const dx = load<f32>(b) - load<f32>(a);
  const dy = load<f32>(b, 4) - load<f32>(a, 4);
  const dz = load<f32>(b, 8) - load<f32>(a, 8);
  const reach = <f32>0.5 * (load<f32>(supports + (i << 2)) + load<f32>(supports + (j << 2)));
  return i != j && dx * dx + dy * dy + dz * dz < reach * reach;
}

// @ts-ignore: decorator
@inline
function visitGrid(context: usize, i: usize, list: usize, write: bool): u32 {
  const points = <usize>load<u32>(context + POINTS);
  const supports = <usize>load<u32>(context + SUPPORTS);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const mask = load<u32>(context + BUCKET_MASK);
  const size = load<f32>(context + CELL_SIZE);
  const at = points + (i << 4);
  const cx = cellOf(load<f32>(at), size);
  const cy = cellOf(load<f32>(at, 4), size);
  const cz = cellOf(load<f32>(at, 8), size);
  const first = load<u32>(context + FIRST_INDEX);
  let found: u32 = 0;
  for (let x = cx - 1; x <= cx + 1; x++) {
    for (let y = cy - 1; y <= cy + 1; y++) {
      for (let z = cz - 1; z <= cz + 1; z++) {
        const bucket = <usize>bucketOf(x, y, z, mask);
        const key = cellKey(x, y, z);
        const end = <usize>load<u32>(buckets + (bucket << 2), 4);
        for (let k = <usize>load<u32>(buckets + (bucket << 2)); k < end; k++) {
          const j = <usize>load<u32>(sorted + (k << 2));
          if (load<u64>(keys + (j << 3)) != key || !isNeighbor(points, supports, i, j)) continue;
          if (write) store<u32>(list + (<usize>found << 2), first + <u32>j);
          found++;
        }
      }
    }
  }
  return found;
}

function visitTree(
  points: usize, supports: usize, sorted: usize, axes: usize, low: usize, high: usize,
  i: usize, reach: f32, first: u32, list: usize, write: bool, found: u32,
): u32 {
  while (low < high) {
    const middle = (low + high) >> 1;
    const j = <usize>load<u32>(sorted + (middle << 2));
    if (isNeighbor(points, supports, i, j)) {
      if (write) store<u32>(list + (<usize>found << 2), first + <u32>j);
      found++;
    }
    if (high - low == 1) return found;
    const axis = <usize>load<u8>(axes + middle);
    const d = load<f32>(points + (i << 4) + (axis << 2)) - load<f32>(points + (j << 4) + (axis << 2));
    if (d <= reach) found = visitTree(points, supports, sorted, axes, low, middle, i, reach, first, list, write, found);
    if (-d > reach) return found;
    low = middle + 1;
  }
  return found;
}

// @ts-ignore: decorator
@inline
function treeReach(context: usize, i: usize): f32 {
  // CELL_SIZE holds the largest support of the set when the tree is used.
  const supports = <usize>load<u32>(context + SUPPORTS);
  return <f32>0.5 * (load<f32>(supports + (i << 2)) + load<f32>(context + CELL_SIZE));
}

// @ts-ignore: decorator
@inline
function visitTreeOf(context: usize, i: usize, list: usize, write: bool): u32 {
  return visitTree(
    <usize>load<u32>(context + POINTS), <usize>load<u32>(context + SUPPORTS), <usize>load<u32>(context + SORTED),
    <usize>load<u32>(context + TREE_AXIS), 0, <usize>load<u32>(context + POINT_COUNT),
    i, treeReach(context, i), load<u32>(context + FIRST_INDEX), list, write, 0,
  );
}

/** Insertion sort by index: lists are short and nearly sorted already. */
function sortList(list: usize, count: usize): void {
  for (let k: usize = 1; k < count; k++) {
    const index = load<u32>(list + (k << 2));
    let slot = k;
    while (slot > 0 && load<u32>(list + ((slot - 1) << 2)) > index) {
      store<u32>(list + (slot << 2), load<u32>(list + ((slot - 1) << 2)));
      slot--;
    }
    store<u32>(list + (slot << 2), index);
  }
}

// The counts are written one place up, so that the running sum turns them into beginnings.

export function countNeighborsByGrid(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + NEIGHBOR_BEGIN) + 4;
  for (let i = <usize>begin; i < <usize>end; i++) store<u32>(counts + (i << 2), visitGrid(context, i, 0, false));
}

export function countNeighborsByTree(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + NEIGHBOR_BEGIN) + 4;
  for (let i = <usize>begin; i < <usize>end; i++) store<u32>(counts + (i << 2), visitTreeOf(context, i, 0, false));
}

export function fillNeighborsByGrid(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const lists = <usize>load<u32>(context + NEIGHBORS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const list = lists + (<usize>load<u32>(begins + (i << 2)) << 2);
    sortList(list, <usize>visitGrid(context, i, list, true));
  }
}

export function fillNeighborsByTree(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const lists = <usize>load<u32>(context + NEIGHBORS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const list = lists + (<usize>load<u32>(begins + (i << 2)) << 2);
    sortList(list, <usize>visitTreeOf(context, i, list, true));
  }
}

/** Counts to beginnings; one thread. */
export function sumNeighborCounts(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const count = <usize>load<u32>(context + POINT_COUNT);
  // The first entry already holds where the bodies before this one end.
  let sum = load<u32>(begins);
  for (let i: usize = 1; i <= count; i++) {
    sum += load<u32>(begins + (i << 2));
    store<u32>(begins + (i << 2), sum);
  }
}

// Lists of other kinds have the index in the fourth lane of what they say of a pair, tagged: see INDEX_TAG.

// @ts-ignore: decorator
@inline
export function neighborIndex(pair: v128): usize {
  return <usize>(i32x4.extract_lane(pair, 3) & INDEX_MASK);
}

/**
 * Address of a neighbour's entry in an array whose entries have `size` bytes, from what `taggedBase` made of the
 * array's address: the tag goes with the base, which saves cutting it off each time.
 */
// @ts-ignore: decorator
@inline
export function neighborAt(base: usize, pair: v128, size: usize): usize {
  return base + <usize>i32x4.extract_lane(pair, 3) * size;
}

// @ts-ignore: decorator
@inline
export function taggedBase(array: usize, size: usize): usize {
  return array - <usize>INDEX_TAG * size;
}
