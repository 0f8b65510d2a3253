import type { Vec3 } from '../math/matrix3.js';
import { closestPointOnTriangle, triangleNormal } from './triangle.js';
import type { TriangleMesh } from './types.js';

const LEAF_TRIANGLES = 4;
const BINS = 12;
/** The tree is split by count below this depth, so that no input makes it deeper than the stack. */
const MAX_SAH_DEPTH = 40;
const STACK = 128;
/** Which of several triangles at the same distance is found does not depend on where the search begins. */
const NOT_LESS = 1 + 1e-9;
const WHOLE_LINE = [-Infinity, Infinity] as const;

/** The nearest point of a mesh to a query. */
export interface ClosestPoint {
  readonly point: Vec3;
  /** [m] */
  readonly distance: number;
  readonly triangle: number;
}

/**
 * Bounding volume hierarchy over the triangles of a mesh, in flat arrays. Node n has its bounds in
 * bounds[6n..6n+5] (low xyz, high xyz); a leaf holds order[first..first+count), an inner node has
 * count 0 and its children at first and first + 1.
 */
export class Bvh {
  readonly bounds: Float64Array;
  readonly first: Int32Array;
  readonly count: Int32Array;
  readonly order: Uint32Array;
  private nodeCount = 1;
  private readonly stack = new Int32Array(STACK);
  /** Squared, of the boxes on the stack [m2]. */
  private readonly distances = new Float64Array(STACK);
  private readonly point = new Float64Array(3);

  constructor(readonly mesh: TriangleMesh) {
    const triangleCount = mesh.triangles.length / 3;
    const capacity = Math.max(1, 2 * triangleCount);
    this.bounds = new Float64Array(6 * capacity);
    this.first = new Int32Array(capacity);
    this.count = new Int32Array(capacity);
    this.order = new Uint32Array(triangleCount);
    for (let t = 0; t < triangleCount; t++) this.order[t] = t;
    this.build(triangleBoxes(mesh));
  }

  /**
   * Calls `hit` for every triangle that the whole line origin + t direction crosses, with t of either
   * sign. Edges shared by triangles are decided the same way from both sides, so that a line through a
   * closed surface crosses it an even number of times. `within` leaves out boxes that only other t meet.
   */
  crossings(
    origin: Vec3,
    direction: Vec3,
    hit: (triangle: number, t: number) => void,
    within: readonly [number, number] = WHOLE_LINE,
  ): void {
    const { first, count, order, stack } = this;
    const { positions, triangles } = this.mesh;
    const [ox, oy, oz] = origin;
    const [dx, dy, dz] = direction;
    const normal = new Float64Array(3);
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top]!;
      if (!this.lineMeetsBox(6 * node, origin, direction, within)) continue;
      const n = count[node]!;
      const f = first[node]!;
      if (n === 0 && order.length > 0) {
        stack[top++] = f + 1;
        stack[top++] = f;
        continue;
      }
      for (let i = f; i < f + n; i++) {
        const t = order[i]!;
        const a = triangles[3 * t]!;
        const b = triangles[3 * t + 1]!;
        const c = triangles[3 * t + 2]!;
        const ab = edgeSide(positions, a, b, origin, direction);
        const bc = edgeSide(positions, b, c, origin, direction);
        if (ab !== bc || ab === 0) continue;
        if (edgeSide(positions, c, a, origin, direction) !== ab) continue;
        triangleNormal(positions, a, b, c, normal);
        const slope = normal[0]! * dx + normal[1]! * dy + normal[2]! * dz;
        const height =
          normal[0]! * (positions[3 * a]! - ox) +
          normal[1]! * (positions[3 * a + 1]! - oy) +
          normal[2]! * (positions[3 * a + 2]! - oz);
        if (slope !== 0) hit(t, height / slope);
      }
    }
  }

  /** The nearest point of the mesh within `limit` [m], or undefined. It is found sooner with a triangle that is `near`. */
  closestPoint(p: Vec3, limit = Infinity, near = -1): ClosestPoint | undefined {
    const { first, count, order, stack, distances, point } = this;
    const { positions, triangles } = this.mesh;
    let best = limit * limit;
    if (near >= 0) {
      const [a, b, c] = [triangles[3 * near]!, triangles[3 * near + 1]!, triangles[3 * near + 2]!];
      best = Math.min(best, NOT_LESS * closestPointOnTriangle(positions, a, b, c, p, point));
    }
    let bestTriangle = -1;
    let [x, y, z] = [0, 0, 0];
    let top = 0;
    distances[top] = this.boxDistance2(0, p);
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top]!;
      if (distances[top]! > best) continue;
      const n = count[node]!;
      const f = first[node]!;
      if (n === 0 && order.length > 0) {
        const [left, right] = [this.boxDistance2(6 * f, p), this.boxDistance2(6 * f + 6, p)];
        const nearer = left <= right ? 0 : 1;
        distances[top] = nearer === 0 ? right : left;
        stack[top++] = f + 1 - nearer;
        distances[top] = nearer === 0 ? left : right;
        stack[top++] = f + nearer;
        continue;
      }
      for (let i = f; i < f + n; i++) {
        const t = order[i]!;
        const [a, b, c] = [triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!];
        const d2 = closestPointOnTriangle(positions, a, b, c, p, point);
        if (d2 < best || (d2 === best && bestTriangle < 0)) {
          best = d2;
          bestTriangle = t;
          x = point[0]!;
          y = point[1]!;
          z = point[2]!;
        }
      }
    }
    return bestTriangle < 0 ? undefined : { point: [x, y, z], distance: Math.sqrt(best), triangle: bestTriangle };
  }

  /** Whether any triangle meets the box; a near miss of an oblique triangle may count as a hit. */
  boxOverlaps(low: Vec3, high: Vec3): boolean {
    const { bounds, first, count, order, stack } = this;
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top]!;
      const b = 6 * node;
      if (
        bounds[b]! > high[0] ||
        bounds[b + 3]! < low[0] ||
        bounds[b + 1]! > high[1] ||
        bounds[b + 4]! < low[1] ||
        bounds[b + 2]! > high[2] ||
        bounds[b + 5]! < low[2]
      )
        continue;
      const n = count[node]!;
      const f = first[node]!;
      if (n === 0 && order.length > 0) {
        stack[top++] = f + 1;
        stack[top++] = f;
        continue;
      }
      for (let i = f; i < f + n; i++) if (triangleMeetsBox(this.mesh, order[i]!, low, high)) return true;
    }
    return false;
  }

  private lineMeetsBox(b: number, origin: Vec3, direction: Vec3, within: readonly [number, number]): boolean {
    let [near, far] = within;
    for (let axis = 0; axis < 3; axis++) {
      const o = origin[axis]!;
      const d = direction[axis]!;
      const low = this.bounds[b + axis]!;
      const high = this.bounds[b + 3 + axis]!;
      // Rounding must not lose a triangle that only touches its box.
      const slack = 1e-12 * (Math.abs(low) + Math.abs(high) + Math.abs(o));
      if (d === 0) {
        if (o < low - slack || o > high + slack) return false;
        continue;
      }
      const t0 = (low - slack - o) / d;
      const t1 = (high + slack - o) / d;
      near = Math.max(near, Math.min(t0, t1));
      far = Math.min(far, Math.max(t0, t1));
    }
    return near <= far;
  }

  private boxDistance2(b: number, p: Vec3): number {
    const { bounds } = this;
    const [px, py, pz] = [p[0], p[1], p[2]];
    const x = px < bounds[b]! ? bounds[b]! - px : px > bounds[b + 3]! ? px - bounds[b + 3]! : 0;
    const y = py < bounds[b + 1]! ? bounds[b + 1]! - py : py > bounds[b + 4]! ? py - bounds[b + 4]! : 0;
    const z = pz < bounds[b + 2]! ? bounds[b + 2]! - pz : pz > bounds[b + 5]! ? pz - bounds[b + 5]! : 0;
    return x * x + y * y + z * z;
  }

  private build(boxes: Float64Array): void {
    const pending: { node: number; begin: number; end: number; depth: number }[] = [
      { node: 0, begin: 0, end: this.order.length, depth: 0 },
    ];
    for (let job = pending.pop(); job; job = pending.pop()) {
      const { node, begin, end, depth } = job;
      this.fitBounds(node, begin, end, boxes);
      const middle = end - begin <= LEAF_TRIANGLES ? begin : this.split(node, begin, end, depth, boxes);
      if (middle <= begin || middle >= end) {
        this.first[node] = begin;
        this.count[node] = end - begin;
        continue;
      }
      const left = this.nodeCount;
      this.nodeCount += 2;
      this.first[node] = left;
      this.count[node] = 0;
      pending.push({ node: left + 1, begin: middle, end, depth: depth + 1 });
      pending.push({ node: left, begin, end: middle, depth: depth + 1 });
    }
  }

  private fitBounds(node: number, begin: number, end: number, boxes: Float64Array): void {
    const b = this.bounds
      .subarray(6 * node, 6 * node + 6)
      .fill(Infinity, 0, 3)
      .fill(-Infinity, 3, 6);
    for (let i = begin; i < end; i++) {
      const t = 6 * this.order[i]!;
      for (let axis = 0; axis < 3; axis++) {
        if (boxes[t + axis]! < b[axis]!) b[axis] = boxes[t + axis]!;
        if (boxes[t + 3 + axis]! > b[3 + axis]!) b[3 + axis] = boxes[t + 3 + axis]!;
      }
    }
  }

  /** Reorders [begin, end) into two parts by the surface area heuristic over equal bins; returns the border. */
  private split(node: number, begin: number, end: number, depth: number, boxes: Float64Array): number {
    const b = this.bounds.subarray(6 * node, 6 * node + 6);
    let axis = 0;
    for (let a = 1; a < 3; a++) if (b[3 + a]! - b[a]! > b[3 + axis]! - b[axis]!) axis = a;
    const low = b[axis]!;
    const width = b[3 + axis]! - low;
    if (!(width > 0) || depth > MAX_SAH_DEPTH) return begin + ((end - begin) >> 1);
    const binOf = (t: number) => {
      const centre = (boxes[6 * t + axis]! + boxes[6 * t + 3 + axis]!) / 2;
      return Math.min(BINS - 1, Math.floor(((centre - low) / width) * BINS));
    };
    const border = cheapestBin(this.order, begin, end, boxes, binOf);
    let middle = begin;
    for (let i = begin; i < end; i++) {
      const t = this.order[i]!;
      if (binOf(t) < border) {
        this.order[i] = this.order[middle]!;
        this.order[middle++] = t;
      }
    }
    return middle > begin && middle < end ? middle : begin + ((end - begin) >> 1);
  }
}

/** The first bin of the right half with the least sum of area x count. */
function cheapestBin(
  order: Uint32Array,
  begin: number,
  end: number,
  boxes: Float64Array,
  binOf: (triangle: number) => number,
): number {
  const counts = new Int32Array(BINS);
  const binBounds = new Float64Array(6 * BINS);
  for (let k = 0; k < BINS; k++) binBounds.fill(Infinity, 6 * k, 6 * k + 3).fill(-Infinity, 6 * k + 3, 6 * k + 6);
  for (let i = begin; i < end; i++) {
    const t = order[i]!;
    const k = binOf(t);
    counts[k]!++;
    growBox(binBounds, 6 * k, boxes, 6 * t);
  }
  const rightCost = new Float64Array(BINS);
  const box = new Float64Array(6).fill(Infinity, 0, 3).fill(-Infinity, 3, 6);
  let n = 0;
  for (let k = BINS - 1; k > 0; k--) {
    n += counts[k]!;
    if (counts[k]! > 0) growBox(box, 0, binBounds, 6 * k);
    rightCost[k] = n === 0 ? 0 : n * halfArea(box);
  }
  box.fill(Infinity, 0, 3).fill(-Infinity, 3, 6);
  n = 0;
  let best = Infinity;
  let border = BINS >> 1;
  for (let k = 0; k < BINS - 1; k++) {
    n += counts[k]!;
    if (counts[k]! > 0) growBox(box, 0, binBounds, 6 * k);
    if (n === 0 || n === end - begin) continue;
    const cost = n * halfArea(box) + rightCost[k + 1]!;
    if (cost < best) {
      best = cost;
      border = k + 1;
    }
  }
  return border;
}

function growBox(target: Float64Array, at: number, source: Float64Array, from: number): void {
  for (let a = 0; a < 3; a++) {
    if (source[from + a]! < target[at + a]!) target[at + a] = source[from + a]!;
    if (source[from + 3 + a]! > target[at + 3 + a]!) target[at + 3 + a] = source[from + 3 + a]!;
  }
}

function halfArea(b: Float64Array): number {
  const x = b[3]! - b[0]!;
  const y = b[4]! - b[1]!;
  const z = b[5]! - b[2]!;
  return x * y + y * z + z * x;
}

function triangleBoxes({ positions, triangles }: TriangleMesh): Float64Array {
  const count = triangles.length / 3;
  const boxes = new Float64Array(6 * count);
  for (let t = 0; t < count; t++) {
    for (let axis = 0; axis < 3; axis++) {
      const a = positions[3 * triangles[3 * t]! + axis]!;
      const b = positions[3 * triangles[3 * t + 1]! + axis]!;
      const c = positions[3 * triangles[3 * t + 2]! + axis]!;
      boxes[6 * t + axis] = Math.min(a, b, c);
      boxes[6 * t + 3 + axis] = Math.max(a, b, c);
    }
  }
  return boxes;
}

/**
 * On which side of the line the directed edge passes: +1 or -1. The edge is taken in the order of its
 * vertex numbers, so that both triangles at it get opposite answers, also where rounding decides.
 */
function edgeSide(positions: Float64Array, from: number, to: number, o: Vec3, d: Vec3): number {
  const a = 3 * Math.min(from, to);
  const b = 3 * Math.max(from, to);
  const ax = positions[a]! - o[0];
  const ay = positions[a + 1]! - o[1];
  const az = positions[a + 2]! - o[2];
  const bx = positions[b]! - o[0];
  const by = positions[b + 1]! - o[1];
  const bz = positions[b + 2]! - o[2];
  const side = d[0] * (ay * bz - az * by) + d[1] * (az * bx - ax * bz) + d[2] * (ax * by - ay * bx);
  const forward = from < to ? 1 : -1;
  return side >= 0 ? forward : -forward;
}

/** Separating axis test on the three box axes and the triangle's plane: may report a near miss as a hit. */
function triangleMeetsBox({ positions, triangles }: TriangleMesh, t: number, low: Vec3, high: Vec3): boolean {
  const v = [triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!] as const;
  for (let axis = 0; axis < 3; axis++) {
    const a = positions[3 * v[0] + axis]!;
    const b = positions[3 * v[1] + axis]!;
    const c = positions[3 * v[2] + axis]!;
    if (Math.min(a, b, c) > high[axis]! || Math.max(a, b, c) < low[axis]!) return false;
  }
  const edge = (from: number, to: number, axis: number) => positions[3 * to + axis]! - positions[3 * from + axis]!;
  const u = [edge(v[0], v[1], 0), edge(v[0], v[1], 1), edge(v[0], v[1], 2)] as const;
  const w = [edge(v[0], v[2], 0), edge(v[0], v[2], 1), edge(v[0], v[2], 2)] as const;
  const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]] as const;
  let distance = 0;
  let reach = 0;
  for (let axis = 0; axis < 3; axis++) {
    distance += n[axis]! * ((low[axis]! + high[axis]!) / 2 - positions[3 * v[0] + axis]!);
    reach += (Math.abs(n[axis]!) * (high[axis]! - low[axis]!)) / 2;
  }
  return Math.abs(distance) <= reach;
}
