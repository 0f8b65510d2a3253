/** A tree of boxes around the primitives of a picture, four to a node, built by the surface area heuristic. */
import type { Geometry } from './geometry.js';

/**
 * Nodes: the low and the high sides of four boxes for x, then for y and z, and the four children: the number of a
 * node, or -1 minus the number of a leaf. Leaves: a range of slots. The root is node 0.
 */
export interface Tree {
  readonly nodes: Float32Array;
  readonly leaves: Int32Array;
  /** The primitive in each slot, and its nine numbers: a triangle, or centre and radius of a ball. */
  readonly order: Int32Array;
  readonly slots: Float64Array;
  /** Centre and radius of a ball around everything [m]. */
  readonly bounds: readonly [number, number, number, number];
}

/** Numbers of 32 bits of a node: 24 sides of boxes and four children. */
const NODE = 28;
const WIDTH = 4;
const LEAF = 4;
const BINS = 12;
/** No tree is deeper: traversal has a stack for so many levels. */
const DEEPEST = 96;
/** Of the boxes and of rays that start within three radii of everything, in float32. */
const ROUNDING = 5e-7;

/** A range of the order, and its box: low and high corner. */
interface Part {
  readonly begin: number;
  readonly end: number;
  readonly box: Float64Array;
}

export function buildTree(geometry: Geometry): Tree {
  const total = geometry.triangleCount + geometry.ballCount;
  const bounds = primitiveBounds(geometry);
  const order = new Int32Array(new SharedArrayBuffer(4 * total));
  for (let i = 0; i < total; i++) order[i] = i;
  const box = emptyBox();
  for (let i = 0; i < total; i++) grow(box, 0, bounds, 6 * i);
  const { center, radius } = ballAround(box);
  const slack = ROUNDING * (radius + Math.hypot(...center));
  const nodes = new Numbers();
  const leaves: number[] = [];
  const leaf = ({ begin, end }: Part): number => {
    leaves.push(begin, end);
    return -leaves.length / 2;
  };
  /** Gives the node's number. */
  const build = (part: Part, depth: number): number => {
    const node = nodes.add(NODE);
    const parts = divide(bounds, order, part, depth);
    for (let k = 0; k < WIDTH; k++) {
      const child = parts[k];
      const number = child === undefined ? 0 : child.isLeaf ? leaf(child.part) : build(child.part, depth + 1);
      const low = child ? child.part.box : EMPTY;
      for (let axis = 0; axis < 3; axis++) {
        nodes.floats[node + 8 * axis + k] = low[axis]! - slack;
        nodes.floats[node + 8 * axis + 4 + k] = low[3 + axis]! + slack;
      }
      nodes.integers[node + 24 + k] = number;
    }
    return node / NODE;
  };
  build({ begin: 0, end: total, box }, 0);
  return {
    nodes: sharedCopy(nodes.floats.subarray(0, nodes.length)),
    leaves: sharedIntegers(leaves),
    order,
    slots: fillSlots(geometry, order),
    bounds: [...center, radius],
  };
}

/** Numbers of 32 bits of which there will be more. */
class Numbers {
  length = 0;
  floats = new Float32Array(1 << 12);
  integers = new Int32Array(this.floats.buffer);

  /** Gives where the new ones begin. */
  add(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.floats.length) {
      const larger = new Float32Array(2 * this.floats.length);
      larger.set(this.floats);
      this.floats = larger;
      this.integers = new Int32Array(larger.buffer);
    }
    return at;
  }
}

function sharedCopy(numbers: Float32Array): Float32Array {
  const copy = new Uint8Array(new SharedArrayBuffer(numbers.byteLength));
  // By their bytes: the numbers of children are no floats.
  copy.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  return new Float32Array(copy.buffer);
}

function sharedIntegers(numbers: readonly number[]): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(4 * numbers.length));
  copy.set(numbers);
  return copy;
}

/** In the order of the leaves: a ray that looks at one finds the next beside it. */
function fillSlots({ triangleCount, triangles, balls }: Geometry, order: Int32Array): Float64Array {
  const slots = new Float64Array(new SharedArrayBuffer(72 * order.length));
  for (let s = 0; s < order.length; s++) {
    const primitive = order[s]!;
    const isTriangle = primitive < triangleCount;
    const from = isTriangle ? triangles : balls;
    const at = isTriangle ? 9 * primitive : 4 * (primitive - triangleCount);
    for (let k = 0; k < (isTriangle ? 9 : 4); k++) slots[9 * s + k] = from[at + k]!;
  }
  return slots;
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

interface Child {
  readonly part: Part;
  isLeaf: boolean;
}

/** Up to four parts of one: the largest that is no leaf is divided, again and again. */
function divide(bounds: Float64Array, order: Int32Array, whole: Part, depth: number): Child[] {
  const children = [childOf(whole, depth)];
  while (children.length < WIDTH) {
    let largest = -1;
    for (let k = 0; k < children.length; k++) {
      const { part, isLeaf } = children[k]!;
      if (!isLeaf && (largest < 0 || area(part.box, 0) > area(children[largest]!.part.box, 0))) largest = k;
    }
    if (largest < 0) break;
    const child = children[largest]!;
    const halves = partition(bounds, order, child.part);
    if (!halves) child.isLeaf = true;
    else children.splice(largest, 1, childOf(halves[0], depth), childOf(halves[1], depth));
  }
  // What was not tried yet may be better as a leaf; the next level finds out.
  return children;
}

function childOf(part: Part, depth: number): Child {
  return { part, isLeaf: part.end - part.begin <= LEAF || depth >= DEEPEST - 2 };
}

/** Of each axis' bins: how many centres are in them, and the boxes of what these are the centres of. */
const binCount = new Int32Array(3 * BINS);
const binBox = new Float64Array(18 * BINS);
const sweep = new Float64Array(6);
const rightCost = new Float64Array(BINS);
const low = new Float64Array(3);
const scale = new Float64Array(3);

/** Orders a part by the best plane that separates its centres, into two; undefined when a leaf is as good. */
function partition(bounds: Float64Array, order: Int32Array, part: Part): [Part, Part] | undefined {
  const { begin, end } = part;
  const count = end - begin;
  binCentres(bounds, order, part);
  let bestCost = Infinity;
  let bestAxis = -1;
  let bestBin = 0;
  for (let axis = 0; axis < 3; axis++) {
    if (scale[axis] === 0) continue;
    const first = axis * BINS;
    clear(sweep, 0);
    let right = 0;
    for (let bin = BINS - 1; bin > 0; bin--) {
      grow(sweep, 0, binBox, 6 * (first + bin));
      right += binCount[first + bin]!;
      rightCost[bin] = right * area(sweep, 0);
    }
    clear(sweep, 0);
    let left = 0;
    for (let bin = 0; bin + 1 < BINS; bin++) {
      grow(sweep, 0, binBox, 6 * (first + bin));
      left += binCount[first + bin]!;
      if (left === 0 || left === count) continue;
      const cost = left * area(sweep, 0) + rightCost[bin + 1]!;
      if (cost >= bestCost) continue;
      bestCost = cost;
      bestAxis = axis;
      bestBin = bin;
    }
  }
  if (bestAxis < 0) {
    // All centres are in one place.
    if (count <= 4 * LEAF) return undefined;
    const middle = (begin + end) >> 1;
    return [
      { begin, end: middle, box: part.box },
      { begin: middle, end, box: part.box },
    ];
  }
  const own = area(part.box, 0);
  if (count <= 4 * LEAF && bestCost + own >= count * own) return undefined;
  const from = low[bestAxis]!;
  const perBin = scale[bestAxis]!;
  let middle = begin;
  for (let i = begin; i < end; i++) {
    const p = order[i]!;
    const centre = bounds[6 * p + bestAxis]! + bounds[6 * p + 3 + bestAxis]!;
    if (Math.floor((centre - from) * perBin) > bestBin) continue;
    order[i] = order[middle]!;
    order[middle++] = p;
  }
  const boxes = [emptyBox(), emptyBox()] as const;
  for (let bin = 0; bin < BINS; bin++) grow(boxes[bin <= bestBin ? 0 : 1]!, 0, binBox, 6 * (bestAxis * BINS + bin));
  return [
    { begin, end: middle, box: boxes[0] },
    { begin: middle, end, box: boxes[1] },
  ];
}

/** Fills the bins of all three axes; an axis along which all centres are equal has a scale of 0. */
function binCentres(bounds: Float64Array, order: Int32Array, { begin, end }: Part): void {
  for (let axis = 0; axis < 3; axis++) {
    let least = Infinity;
    let most = -Infinity;
    for (let i = begin; i < end; i++) {
      const at = 6 * order[i]! + axis;
      const centre = bounds[at]! + bounds[at + 3]!;
      if (centre < least) least = centre;
      if (centre > most) most = centre;
    }
    low[axis] = least;
    scale[axis] = most > least ? (BINS * (1 - 1e-9)) / (most - least) : 0;
  }
  binCount.fill(0);
  for (let bin = 0; bin < 3 * BINS; bin++) clear(binBox, 6 * bin);
  for (let i = begin; i < end; i++) {
    const at = 6 * order[i]!;
    for (let axis = 0; axis < 3; axis++) {
      const centre = bounds[at + axis]! + bounds[at + 3 + axis]!;
      const bin = axis * BINS + Math.floor((centre - low[axis]!) * scale[axis]!);
      binCount[bin]!++;
      grow(binBox, 6 * bin, bounds, at);
    }
  }
}

function emptyBox(): Float64Array {
  const box = new Float64Array(6);
  clear(box, 0);
  return box;
}

/** That of nothing is never entered. */
const EMPTY = emptyBox();

function clear(box: Float64Array, at: number): void {
  box[at] = box[at + 1] = box[at + 2] = Infinity;
  box[at + 3] = box[at + 4] = box[at + 5] = -Infinity;
}

function grow(box: Float64Array, at: number, other: Float64Array, from: number): void {
  for (let k = 0; k < 3; k++) {
    if (other[from + k]! < box[at + k]!) box[at + k] = other[from + k]!;
    if (other[from + 3 + k]! > box[at + 3 + k]!) box[at + 3 + k] = other[from + 3 + k]!;
  }
}

function area(box: Float64Array, at: number): number {
  const x = box[at + 3]! - box[at]!;
  const y = box[at + 4]! - box[at + 1]!;
  const z = box[at + 5]! - box[at + 2]!;
  return x < 0 ? 0 : x * y + y * z + z * x;
}
