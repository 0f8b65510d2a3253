/** A tree of boxes around the primitives of a picture, built by the surface area heuristic. */
import type { Geometry } from './geometry.js';

/**
 * Inner nodes: the boxes of both children, for each axis the low and high side of the left one and of the right
 * one, and where the children are: the number of an inner node, or -1 minus the number of a leaf. Leaves: a range
 * of `order`. The root is node 0.
 */
export interface Tree {
  readonly boxes: Float32Array;
  readonly children: Int32Array;
  readonly leaves: Int32Array;
  readonly order: Int32Array;
  /** Centre and radius of a ball around everything [m]. */
  readonly bounds: readonly [number, number, number, number];
}

const LEAF = 4;
const BINS = 12;
/** No tree is deeper: traversal has a stack for so many nodes. */
const DEEPEST = 96;
/** Of the boxes and of rays that start within three radii of everything, in float32. */
const ROUNDING = 5e-7;

export function buildTree(geometry: Geometry): Tree {
  const total = geometry.triangleCount + geometry.ballCount;
  const bounds = primitiveBounds(geometry);
  const order = new Int32Array(new SharedArrayBuffer(4 * total));
  for (let i = 0; i < total; i++) order[i] = i;
  const most = Math.max(2, total);
  const boxes = new Float32Array(new SharedArrayBuffer(48 * most));
  const children = new Int32Array(new SharedArrayBuffer(8 * most));
  const leaves = new Int32Array(new SharedArrayBuffer(8 * most));
  const box = new Float64Array(6);
  boundRange(bounds, order, 0, total, box);
  const { center, radius } = ballAround(box);
  const slack = ROUNDING * (radius + Math.hypot(...center));
  let nodes = 0;
  let leafCount = 0;
  const leaf = (begin: number, end: number): number => {
    leaves[2 * leafCount] = begin;
    leaves[2 * leafCount + 1] = end;
    return -1 - leafCount++;
  };
  /** Gives the child's number and writes its box where its parent keeps it. */
  const build = (begin: number, end: number, depth: number, at: number): number => {
    const own = new Float64Array(6);
    boundRange(bounds, order, begin, end, own);
    putBox(boxes, at, own, slack);
    const isSmall = end - begin <= LEAF || depth >= DEEPEST - 2;
    const middle = isSmall ? begin : partition(bounds, order, begin, end, own);
    return middle === begin ? leaf(begin, end) : divide(begin, middle, end, depth);
  };
  const divide = (begin: number, middle: number, end: number, depth: number): number => {
    const node = nodes++;
    children[2 * node] = build(begin, middle, depth + 1, 12 * node);
    children[2 * node + 1] = build(middle, end, depth + 1, 12 * node + 2);
    return node;
  };
  // The root is an inner node even where one half of it is empty.
  divide(0, total > LEAF ? partition(bounds, order, 0, total, box) : total, total, 0);
  return { boxes, children, leaves, order, bounds: [...center, radius] };
}

/** Larger than the true box by what float32 may lose on the way; that of nothing is never entered. */
function putBox(boxes: Float32Array, at: number, box: Float64Array, slack: number): void {
  for (let k = 0; k < 3; k++) {
    boxes[at + 4 * k] = box[k]! - slack;
    boxes[at + 4 * k + 1] = box[3 + k]! + slack;
  }
}

function ballAround(box: Float64Array): { center: [number, number, number]; radius: number } {
  if (!(box[0]! <= box[3]!)) return { center: [0, 0, 0], radius: 0 };
  const center = [0, 1, 2].map((k) => (box[k]! + box[3 + k]!) / 2) as [number, number, number];
  return { center, radius: Math.hypot(...center.map((c, k) => box[3 + k]! - c)) };
}

function primitiveBounds({ triangleCount, ballCount, triangles, balls }: Geometry): Float64Array {
  const bounds = new Float64Array(6 * (triangleCount + ballCount));
  for (let t = 0; t < triangleCount; t++) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[9 * t + k]!;
      const b = a + triangles[9 * t + 3 + k]!;
      const c = a + triangles[9 * t + 6 + k]!;
      bounds[6 * t + k] = Math.min(a, b, c);
      bounds[6 * t + 3 + k] = Math.max(a, b, c);
    }
  }
  for (let b = 0; b < ballCount; b++) {
    const at = 6 * (triangleCount + b);
    for (let k = 0; k < 3; k++) {
      bounds[at + k] = balls[4 * b + k]! - balls[4 * b + 3]!;
      bounds[at + 3 + k] = balls[4 * b + k]! + balls[4 * b + 3]!;
    }
  }
  return bounds;
}

function boundRange(bounds: Float64Array, order: Int32Array, begin: number, end: number, box: Float64Array): void {
  box.fill(Infinity, 0, 3);
  box.fill(-Infinity, 3, 6);
  for (let i = begin; i < end; i++) {
    const p = 6 * order[i]!;
    for (let k = 0; k < 3; k++) {
      if (bounds[p + k]! < box[k]!) box[k] = bounds[p + k]!;
      if (bounds[p + 3 + k]! > box[3 + k]!) box[3 + k] = bounds[p + 3 + k]!;
    }
  }
}

const binCount = new Int32Array(BINS);
const binBox = new Float64Array(6 * BINS);
const sweep = new Float64Array(6);
const rightCost = new Float64Array(BINS);

/** Orders the range by the best plane that separates its centres; `begin` when a leaf is as good. */
function partition(bounds: Float64Array, order: Int32Array, begin: number, end: number, box: Float64Array): number {
  const centre = (i: number, axis: number) => bounds[6 * i + axis]! + bounds[6 * i + 3 + axis]!;
  let bestCost = Infinity;
  let bestAxis = -1;
  let bestBin = 0;
  let bestLow = 0;
  let bestScale = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = begin; i < end; i++) {
      const c = centre(order[i]!, axis);
      if (c < low) low = c;
      if (c > high) high = c;
    }
    if (!(high > low)) continue;
    const scale = (BINS * (1 - 1e-9)) / (high - low);
    binCount.fill(0);
    for (let bin = 0; bin < BINS; bin++) clear(binBox, 6 * bin);
    for (let i = begin; i < end; i++) {
      const bin = Math.floor((centre(order[i]!, axis) - low) * scale);
      binCount[bin]!++;
      grow(binBox, 6 * bin, bounds, 6 * order[i]!);
    }
    clear(sweep, 0);
    let right = 0;
    for (let bin = BINS - 1; bin > 0; bin--) {
      grow(sweep, 0, binBox, 6 * bin);
      right += binCount[bin]!;
      rightCost[bin] = right * area(sweep);
    }
    clear(sweep, 0);
    let left = 0;
    for (let bin = 0; bin + 1 < BINS; bin++) {
      grow(sweep, 0, binBox, 6 * bin);
      left += binCount[bin]!;
      if (left === 0 || left === end - begin) continue;
      const cost = left * area(sweep) + rightCost[bin + 1]!;
      if (cost >= bestCost) continue;
      [bestCost, bestAxis, bestBin, bestLow, bestScale] = [cost, axis, bin, low, scale];
    }
  }
  // All centres are in one place.
  if (bestAxis < 0) return end - begin > 4 * LEAF ? (begin + end) >> 1 : begin;
  const asLeaf = (end - begin) * area(box);
  if (end - begin <= 4 * LEAF && bestCost + area(box) >= asLeaf) return begin;
  let middle = begin;
  for (let i = begin; i < end; i++) {
    const p = order[i]!;
    if (Math.floor((centre(p, bestAxis) - bestLow) * bestScale) > bestBin) continue;
    order[i] = order[middle]!;
    order[middle++] = p;
  }
  return middle;
}

function clear(box: Float64Array, at: number): void {
  box.fill(Infinity, at, at + 3);
  box.fill(-Infinity, at + 3, at + 6);
}

function grow(box: Float64Array, at: number, other: Float64Array, from: number): void {
  for (let k = 0; k < 3; k++) {
    if (other[from + k]! < box[at + k]!) box[at + k] = other[from + k]!;
    if (other[from + 3 + k]! > box[at + 3 + k]!) box[at + 3 + k] = other[from + 3 + k]!;
  }
}

function area(box: Float64Array): number {
  const x = box[3]! - box[0]!;
  const y = box[4]! - box[1]!;
  const z = box[5]! - box[2]!;
  return x < 0 ? 0 : x * y + y * z + z * x;
}
