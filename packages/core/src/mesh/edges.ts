/** What the edges of a welded mesh say about it. */
export interface EdgeReport {
  /** For each half-edge (corner c of triangle t to the next corner): the other one at a manifold edge, or -1. */
  readonly opposite: Int32Array;
  /** Half-edges at edges with an odd number of triangles: together they bound the surface (modulo 2). */
  readonly boundary: Uint32Array;
  /** Edges with one triangle. */
  readonly openEdges: number;
  /** Edges with more than two triangles. */
  readonly nonManifoldEdges: number;
  /** Edges whose two triangles run along it the same way: one of them is turned over. */
  readonly inconsistentEdges: number;
}

/** The vertex a half-edge leads to. */
export function headOf(triangles: Uint32Array, halfEdge: number): number {
  return triangles[halfEdge % 3 === 2 ? halfEdge - 2 : halfEdge + 1]!;
}

/** Sorts items 0..keys.length by key, stable, in linear time; `order` gives the order to start from. */
export function countingSort(keys: Uint32Array, keyCount: number, order?: Uint32Array): Uint32Array {
  const start = new Uint32Array(keyCount + 1);
  for (let i = 0; i < keys.length; i++) start[keys[i]! + 1]!++;
  for (let k = 0; k < keyCount; k++) start[k + 1]! += start[k]!;
  const sorted = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    const item = order ? order[i]! : i;
    sorted[start[keys[item]!]!++] = item;
  }
  return sorted;
}

/** Finds which triangles meet at which edges. Triangles must have three different vertices. */
export function findEdges(triangles: Uint32Array, vertexCount: number): EdgeReport {
  const n = triangles.length;
  const low = new Uint32Array(n);
  const high = new Uint32Array(n);
  for (let e = 0; e < n; e++) {
    const a = triangles[e]!;
    const b = headOf(triangles, e);
    low[e] = Math.min(a, b);
    high[e] = Math.max(a, b);
  }
  const order = countingSort(low, vertexCount, countingSort(high, vertexCount));
  const opposite = new Int32Array(n).fill(-1);
  const boundary: number[] = [];
  let openEdges = 0;
  let nonManifoldEdges = 0;
  let inconsistentEdges = 0;
  for (let i = 0; i < n; ) {
    const e = order[i]!;
    let end = i + 1;
    while (end < n && low[order[end]!] === low[e] && high[order[end]!] === high[e]) end++;
    const size = end - i;
    if (size === 2) {
      const other = order[i + 1]!;
      opposite[e] = other;
      opposite[other] = e;
      if (triangles[e] === triangles[other]) inconsistentEdges++;
    } else if (size === 1) openEdges++;
    else nonManifoldEdges++;
    if (size % 2 === 1) boundary.push(e);
    i = end;
  }
  return { opposite, boundary: Uint32Array.from(boundary), openEdges, nonManifoldEdges, inconsistentEdges };
}

/** Disjoint sets of 0..count-1; the smallest member names its set. */
export class DisjointSets {
  private readonly parent: Uint32Array;

  constructor(count: number) {
    this.parent = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.parent[i] = i;
  }

  find(i: number): number {
    const { parent } = this;
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]!]!;
      i = parent[i]!;
    }
    return i;
  }

  join(a: number, b: number): void {
    const ra = this.find(a);
    const rb = this.find(b);
    if (ra < rb) this.parent[rb] = ra;
    else this.parent[ra] = rb;
  }
}
