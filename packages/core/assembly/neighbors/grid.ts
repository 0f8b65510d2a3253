import {
  BUCKET_BEGIN,
  BUCKET_MASK,
  CELL_KEYS,
  CELL_SIZE,
  POINT_COUNT,
  POINTS,
  SORTED,
} from '../../src/particles/layout';

/**
 * A hash grid ([K06] 7.1.1) filled by counting sort. A point's cell is kept as a packed key beside
 * the hash, so that two cells sharing a bucket are told apart and no point is met twice. Within a
 * bucket points stand by rising number, whatever the number of threads.
 */

/** Cell coordinate, biased so that 21 bits hold it. */
// @ts-ignore: decorator
@inline
export function cellOf(coordinate: f32, size: f32): i32 {
  const cell = <i32>floor(coordinate / size) + (1 << 20);
  return min(max(cell, 0), (1 << 21) - 1);
}

// @ts-ignore: decorator
@inline
export function cellKey(cx: i32, cy: i32, cz: i32): u64 {
  return (<u64>cx << 42) | (<u64>cy << 21) | <u64>cz;
}

/** Hash of [K06] eq. 7.2, reduced to a power of two after mixing the high bits down. */
// @ts-ignore: decorator
@inline
export function bucketOf(cx: i32, cy: i32, cz: i32, mask: u32): u32 {
  let h = <u32>(cx * 73856093) ^ <u32>(cy * 19349663) ^ <u32>(cz * 83492791);
  h ^= h >> 15;
  return h & mask;
}

/** Keys of the points' cells; on ranges. */
export function computeCellKeys(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const size = load<f32>(context + CELL_SIZE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = points + (i << 4);
    const key = cellKey(cellOf(load<f32>(at), size), cellOf(load<f32>(at, 4), size), cellOf(load<f32>(at, 8), size));
    store<u64>(keys + (i << 3), key);
  }
}

// @ts-ignore: decorator
@inline
function bucketOfKey(key: u64, mask: u32): u32 {
  return bucketOf(<i32>(key >> 42), <i32>((key >> 21) & 0x1fffff), <i32>(key & 0x1fffff), mask);
}

/** Counting sort of the points by bucket; one thread. */
export function sortByCell(begin: u32, end: u32, context: usize): void {
  const count = <usize>load<u32>(context + POINT_COUNT);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const mask = load<u32>(context + BUCKET_MASK);
  memory.fill(buckets, 0, (<usize>mask + 2) << 2);
  for (let i: usize = 0; i < count; i++) {
    const at = buckets + (<usize>bucketOfKey(load<u64>(keys + (i << 3)), mask) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let sum: u32 = 0;
  for (let b: usize = 0; b <= <usize>mask + 1; b++) {
    sum += load<u32>(buckets + (b << 2));
    store<u32>(buckets + (b << 2), sum);
  }
  // Backwards, so that each bucket ends up in rising order and its entry at its beginning.
  for (let i = count; i > 0; ) {
    i--;
    const at = buckets + (<usize>bucketOfKey(load<u64>(keys + (i << 3)), mask) << 2);
    const slot = load<u32>(at) - 1;
    store<u32>(at, slot);
    store<u32>(sorted + (<usize>slot << 2), <u32>i);
  }
}
