import { NEAREST_COUNT, NEAREST_DISTANCE, POINT_COUNT, POINTS, SORTED, TREE_AXIS } from '../../src/particles/layout';

/**
 * A kd-tree ([K06] 7.1.2) without pointers: the node of a range [low, high) of SORTED is its middle
 * element, which splits the range at the median along the range's longest side.
 */

// @ts-ignore: decorator
@inline
function coordinate(points: usize, sorted: usize, slot: usize, axis: usize): f32 {
  return load<f32>(points + (<usize>load<u32>(sorted + (slot << 2)) << 4) + (axis << 2));
}

/** Order by coordinate, then by number, so that equal coordinates do not depend on history. */
// @ts-ignore: decorator
@inline
function before(points: usize, a: u32, b: u32, axis: usize): bool {
  const ca = load<f32>(points + (<usize>a << 4) + (axis << 2));
  const cb = load<f32>(points + (<usize>b << 4) + (axis << 2));
  return ca < cb || (ca == cb && a < b);
}

function longestSide(points: usize, sorted: usize, low: usize, high: usize): usize {
  let best: usize = 0;
  let extent: f32 = -1;
  for (let axis: usize = 0; axis < 3; axis++) {
    let smallest: f32 = f32.MAX_VALUE;
    let largest: f32 = -f32.MAX_VALUE;
    for (let k = low; k < high; k++) {
      const c = coordinate(points, sorted, k, axis);
      smallest = min(smallest, c);
      largest = max(largest, c);
    }
    if (largest - smallest > extent) {
      extent = largest - smallest;
      best = axis;
    }
  }
  return best;
}

/** Puts the element of rank `middle` in its place, smaller ones before it (Hoare's selection). */
function select(points: usize, sorted: usize, low: usize, high: usize, middle: usize, axis: usize): void {
  let first = low;
  let last = high - 1;
  while (first < last) {
    const pivot = load<u32>(sorted + (((first + last) >> 1) << 2));
    let i = first;
    let j = last;
    while (i <= j) {
      while (before(points, load<u32>(sorted + (i << 2)), pivot, axis)) i++;
      while (before(points, pivot, load<u32>(sorted + (j << 2)), axis)) j--;
      if (i <= j) {
        const t = load<u32>(sorted + (i << 2));
        store<u32>(sorted + (i << 2), load<u32>(sorted + (j << 2)));
        store<u32>(sorted + (j << 2), t);
        i++;
        if (j == 0) break;
        j--;
      }
    }
    if (middle <= j) last = j;
    else if (middle >= i) first = i;
    else return;
  }
}

function buildRange(points: usize, sorted: usize, axes: usize, low: usize, high: usize): void {
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const axis = longestSide(points, sorted, low, high);
    select(points, sorted, low, high, middle, axis);
    store<u8>(axes + middle, <u8>axis);
    buildRange(points, sorted, axes, low, middle);
    low = middle + 1;
  }
}

/** Builds the tree; one thread. */
export function buildTree(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const count = <usize>load<u32>(context + POINT_COUNT);
  const sorted = <usize>load<u32>(context + SORTED);
  const axes = <usize>load<u32>(context + TREE_AXIS);
  for (let i: usize = 0; i < count; i++) store<u32>(sorted + (i << 2), <u32>i);
  buildRange(points, sorted, axes, 0, count);
}

/** Sinks the nearest distances found so far (rising, `count` of them at `heap`), as squares. */
function nearestInRange(
  points: usize, sorted: usize, axes: usize, low: usize, high: usize,
  self: u32, px: f32, py: f32, pz: f32, list: usize, k: usize,
): void {
  while (low < high) {
    const middle = (low + high) >> 1;
    const j = load<u32>(sorted + (middle << 2));
    const at = points + (<usize>j << 4);
    if (j != self) {
      const dx = load<f32>(at) - px;
      const dy = load<f32>(at, 4) - py;
      const dz = load<f32>(at, 8) - pz;
      insertSorted(list, k, dx * dx + dy * dy + dz * dz);
    }
    if (high - low == 1) return;
    const axis = <usize>load<u8>(axes + middle);
    const mine = axis == 0 ? px : axis == 1 ? py : pz;
    const d = mine - load<f32>(at + (axis << 2));
    // The side with the point first, then the other one if the ball reaches over.
    if (d < 0) {
      nearestInRange(points, sorted, axes, low, middle, self, px, py, pz, list, k);
      if (d * d > load<f32>(list + ((k - 1) << 2))) return;
      low = middle + 1;
    } else {
      nearestInRange(points, sorted, axes, middle + 1, high, self, px, py, pz, list, k);
      if (d * d > load<f32>(list + ((k - 1) << 2))) return;
      high = middle;
    }
  }
}

function insertSorted(list: usize, k: usize, value: f32): void {
  if (value >= load<f32>(list + ((k - 1) << 2))) return;
  let slot = k - 1;
  while (slot > 0 && load<f32>(list + ((slot - 1) << 2)) > value) {
    store<f32>(list + (slot << 2), load<f32>(list + ((slot - 1) << 2)));
    slot--;
  }
  store<f32>(list + (slot << 2), value);
}

/**
 * The distances to the k nearest other points, rising, k floats per point: [M04] 3.2 takes the
 * support radius from their mean. Missing ones (fewer points than k) stay infinite.
 */
export function computeNearestDistances(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const count = <usize>load<u32>(context + POINT_COUNT);
  const sorted = <usize>load<u32>(context + SORTED);
  const axes = <usize>load<u32>(context + TREE_AXIS);
  const k = <usize>load<u32>(context + NEAREST_COUNT);
  const result = <usize>load<u32>(context + NEAREST_DISTANCE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = points + (i << 4);
    const list = result + ((i * k) << 2);
    for (let n: usize = 0; n < k; n++) store<f32>(list + (n << 2), f32.MAX_VALUE);
    nearestInRange(points, sorted, axes, 0, count, <u32>i, load<f32>(at), load<f32>(at, 4), load<f32>(at, 8), list, k);
    for (let n: usize = 0; n < k; n++) store<f32>(list + (n << 2), sqrt(load<f32>(list + (n << 2))));
  }
}
