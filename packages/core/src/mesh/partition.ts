/**
 * A closed mesh, the body, divided by sheets: surfaces between regions, of which three may meet along a line. Both
 * are cut along their common lines, so that the parts of the body's surface and of the sheets in the body bound every
 * region without gaps, with the same vertices on both sides.
 *
 * Coordinates are rounded to whole numbers, and every decision about them is exact (`orientation.ts`): on which side
 * of triangles points are, which edges cross which triangles and in which order. What belongs to which region follows
 * from labels alone: around a vertex of the cut, the next side of a face is the one with the same label on its left.
 * Only positions of vertices, holes in faces and their triangles are found in doubles. Vertices in the plane of a
 * triangle of the other mesh are refused: sheets are moved a little, and tried again.
 */
import { DisjointSets } from './edges.js';
import { exactSide, sideOf } from './orientation.js';
import { isInPolygon, type Polygon, signedArea, triangulatePolygon } from './polygon.js';
import type { TriangleMesh } from './types.js';

/** Steps of the coordinates across everything. */
const STEPS = 2 ** 26;
/** Crossings of an edge nearer than this share of it are put in order exactly. */
const NEAR = 1e-6;

export interface Sheets extends TriangleMesh {
  /** Regions on both sides of every triangle: where its normal points to, and behind it. */
  readonly front: Int32Array;
  readonly back: Int32Array;
}

/** A vertex where an edge of one mesh goes through a triangle of the other. */
export interface Crossing {
  /** Ends of the edge, and where between them. */
  readonly low: number;
  readonly high: number;
  readonly share: number;
  /** That it goes through. */
  readonly triangle: number;
  readonly isOfBody: boolean;
  /** Is the lower end in front of the triangle? */
  readonly isLowInFront: boolean;
}

/** Triangles of one of the meshes after the cut. */
export interface CutFaces {
  /** Vertices: those of the body, then those of the sheets, then the crossings. */
  readonly triangles: Uint32Array;
  /** The triangle that each is a part of. */
  readonly sources: Uint32Array;
}

export interface Partition {
  /** xyz of all vertices. */
  readonly positions: Float64Array;
  readonly crossings: readonly Crossing[];
  /** Of the body's surface, with the regions of its triangles. */
  readonly surface: CutFaces & { readonly regions: Int32Array };
  /** Of the sheets, as far as they are in the body, or outside of it. */
  readonly sheets: CutFaces;
}

/** What cannot be decided, because things touch that must cross. */
export class TouchError extends Error {
  override name = 'TouchError';
}

export interface PartitionOptions {
  /** The region of a part of the body's surface that no sheet crosses, by one of its vertices. */
  readonly regionAt: (vertex: number) => number;
  /** Whether a part of the sheets that does not cross the body's surface is in the body, by one of its vertices. */
  readonly isInside: (vertex: number) => boolean;
  /** Are the sheets wanted as far as they are outside of the body, instead of inside? */
  readonly outside?: boolean | undefined;
}

interface Side {
  readonly triangles: Uint32Array;
  /** Edge of each corner and the next one. */
  readonly edgeOf: Uint32Array;
  /** Vertices of edges, the lower number first. */
  readonly ends: number[];
  /** Crossings of edges, from the lower end on. */
  readonly crossings: Map<number, number[]>;
  /** By edge and triangle. */
  readonly known: Map<number, number>;
}

/** Part of the line along which two triangles cross: behind the sheet's triangle is to its left on the body. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly other: number;
}

export function partitionSolid(body: TriangleMesh, sheets: Sheets, options: PartitionOptions): Partition {
  return new Partitioner(body, sheets).partition(options);
}

class Partitioner {
  readonly #sheets: Sheets;
  readonly #first: number;
  readonly #second: number;
  /** Of both meshes, rounded. */
  readonly #points: Float64Array;
  readonly #real: number[];
  readonly #sides: readonly [Side, Side];
  readonly #crossings: Crossing[] = [];
  /** By triangle of the body and of the sheets. */
  readonly #segments: readonly [Map<number, Segment[]>, Map<number, Segment[]>] = [new Map(), new Map()];

  constructor(body: TriangleMesh, sheets: Sheets) {
    this.#sheets = sheets;
    this.#first = body.positions.length / 3;
    this.#second = this.#first + sheets.positions.length / 3;
    this.#real = Array.from(body.positions);
    for (let k = 0; k < sheets.positions.length; k++) this.#real.push(sheets.positions[k]!);
    this.#points = rounded(this.#real);
    this.#sides = [sideOfMesh(body.triangles, 0), sideOfMesh(sheets.triangles, this.#first)];
  }

  partition({ regionAt, isInside, outside = false }: PartitionOptions): Partition {
    this.#cross();
    for (const side of this.#sides) this.#sortCrossings(side);
    const { front, back } = this.#sheets;
    const regions = this.#spread(this.#sides[0], 0, this.#first, regionAt, ({ triangle, isLowInFront }, isLow) =>
      isLowInFront === isLow ? front[triangle]! : back[triangle]!,
    );
    const insides = this.#spread(
      this.#sides[1],
      this.#first,
      this.#second,
      (v) => (isInside(v - this.#first) ? 1 : 0),
      ({ isLowInFront }, isLow) => (isLowInFront === isLow ? 0 : 1),
    );
    const surface = this.#faces(0, regions, 0, ({ other }) => [back[other]!, front[other]!]);
    // Seen from the sheet the line runs the other way, with the body's inside to its left.
    const kept = this.#faces(1, insides, this.#first, () => [0, 1], outside ? 0 : 1);
    return {
      positions: Float64Array.from(this.#real),
      crossings: this.#crossings,
      surface: { ...surface, regions: surface.labels },
      sheets: kept,
    };
  }

  /** Finds all pairs of triangles that cross, by cells as large as triangles of the sheets. */
  #cross(): void {
    const [a, b] = this.#sides;
    const cells = new TriangleCells(this.#points, b.triangles);
    const p = this.#points;
    for (let t = 0; t < a.triangles.length; t += 3) {
      const [u, v, w] = [a.triangles[t]!, a.triangles[t + 1]!, a.triangles[t + 2]!];
      cells.forNear(u, v, w, (s) => {
        const [x, y, z] = [b.triangles[3 * s]!, b.triangles[3 * s + 1]!, b.triangles[3 * s + 2]!];
        const [su, sv, sw] = [sideOf(p, x, y, z, u), sideOf(p, x, y, z, v), sideOf(p, x, y, z, w)];
        if (isOneSided(su, sv, sw)) return;
        const [sx, sy, sz] = [sideOf(p, u, v, w, x), sideOf(p, u, v, w, y), sideOf(p, u, v, w, z)];
        if (isOneSided(sx, sy, sz)) return;
        this.#crossPair(t / 3, s, [su, sv, sw], [sx, sy, sz]);
      });
    }
  }

  #crossPair(t: number, s: number, bodySides: readonly number[], sheetSides: readonly number[]): void {
    let from: number | undefined;
    let to: number | undefined;
    for (const isOfBody of [true, false]) {
      const [own, other] = isOfBody ? this.#sides : ([this.#sides[1], this.#sides[0]] as const);
      const [mine, theirs] = isOfBody ? [t, s] : [s, t];
      const sides = isOfBody ? bodySides : sheetSides;
      // A triangle without area is crossed by nothing but through its edges.
      if (sides.every((side) => side === 0)) {
        if ((isOfBody ? sheetSides : bodySides).includes(0)) throw new TouchError('two triangles are in a plane');
        continue;
      }
      if (sides.includes(0)) throw new TouchError('a vertex is in the plane of a triangle');
      for (let c = 0; c < 3; c++) {
        const next = (c + 1) % 3;
        if (sides[c]! > 0 === sides[next]! > 0) continue;
        const p = own.triangles[3 * mine + c]!;
        const q = own.triangles[3 * mine + next]!;
        if (!this.#passes(p, q, other.triangles, 3 * theirs)) continue;
        const node = this.#crossing(own, isOfBody, own.edgeOf[3 * mine + c]!, theirs, p, sides[c]!, sides[next]!);
        // Into the body's triangle, what the edge comes from is to the left.
        if (sides[c]! < 0 === isOfBody) {
          if (from !== undefined) throw new TouchError('two triangles cross twice');
          from = node;
        } else {
          if (to !== undefined) throw new TouchError('two triangles cross twice');
          to = node;
        }
      }
    }
    if (from === undefined && to === undefined) return;
    if (from === undefined || to === undefined) throw new TouchError('a line of the cut has one end');
    push(this.#segments[0], t, { from, to, other: s });
    push(this.#segments[1], s, { from, to, other: t });
  }

  /** Does the line through two points go through a triangle? */
  #passes(p: number, q: number, triangles: Uint32Array, at: number): boolean {
    const [a, b, c] = [triangles[at]!, triangles[at + 1]!, triangles[at + 2]!];
    const x = sideOf(this.#points, p, q, a, b);
    const y = sideOf(this.#points, p, q, b, c);
    const z = sideOf(this.#points, p, q, c, a);
    if (x === 0 || y === 0 || z === 0) throw new TouchError('two edges meet');
    return x > 0 === y > 0 && y > 0 === z > 0;
  }

  #crossing(
    own: Side,
    isOfBody: boolean,
    edge: number,
    triangle: number,
    p: number,
    sideP: number,
    sideQ: number,
  ): number {
    const key = edge * ((isOfBody ? this.#sides[1] : this.#sides[0]).triangles.length / 3) + triangle;
    const known = own.known.get(key);
    if (known !== undefined) return known;
    const [low, high] = [own.ends[2 * edge]!, own.ends[2 * edge + 1]!];
    const isForward = p === low;
    const share = isForward ? sideP / (sideP - sideQ) : sideQ / (sideQ - sideP);
    const node = this.#second + this.#crossings.length;
    this.#crossings.push({
      low,
      high,
      share,
      triangle,
      isOfBody,
      isLowInFront: (isForward ? sideP : sideQ) > 0,
    });
    for (let k = 0; k < 3; k++) {
      this.#real.push(this.#real[3 * low + k]! * (1 - share) + this.#real[3 * high + k]! * share);
    }
    own.known.set(key, node);
    push(own.crossings, edge, node);
    return node;
  }

  #sortCrossings({ crossings }: Side): void {
    for (const list of crossings.values()) {
      if (list.length < 2) continue;
      list.sort((m, n) => {
        const [a, b] = [this.#at(m), this.#at(n)];
        const apart = a.share - b.share;
        return Math.abs(apart) > NEAR ? apart : this.#compare(a, b);
      });
    }
  }

  /** Which of two crossings of an edge is nearer to its lower end, exactly. */
  #compare(a: Crossing, b: Crossing): number {
    const [p, q] = [this.#exactEnds(a), this.#exactEnds(b)];
    const difference = p.low * q.length - q.low * p.length;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** Distances of the lower end from the triangle and of both ends from each other, above zero. */
  #exactEnds({ low, high, triangle, isOfBody }: Crossing): { low: bigint; length: bigint } {
    const { triangles } = isOfBody ? this.#sides[1] : this.#sides[0];
    const [a, b, c] = [triangles[3 * triangle]!, triangles[3 * triangle + 1]!, triangles[3 * triangle + 2]!];
    const first = exactSide(this.#points, a, b, c, low);
    const length = first - exactSide(this.#points, a, b, c, high);
    return length > 0n ? { low: first, length } : { low: -first, length: -length };
  }

  #at(node: number): Crossing {
    return this.#crossings[node - this.#second]!;
  }

  /** Labels of vertices [begin, end): they change at the crossings of edges and nowhere else. */
  #spread(
    { ends, crossings }: Side,
    begin: number,
    end: number,
    seed: (vertex: number) => number,
    labelBeside: (crossing: Crossing, isLow: boolean) => number,
  ): Int32Array {
    const sets = new DisjointSets(end - begin);
    for (let e = 0; 2 * e < ends.length; e++) {
      if (!crossings.has(e)) sets.join(ends[2 * e]! - begin, ends[2 * e + 1]! - begin);
    }
    const labels = new Map<number, number>();
    const set = (v: number, label: number) => {
      const name = sets.find(v - begin);
      const before = labels.get(name);
      if (before !== undefined && before !== label) throw new TouchError('a vertex is in two regions');
      labels.set(name, label);
    };
    for (const [e, list] of crossings) {
      for (let k = 0; k + 1 < list.length; k++) {
        if (labelBeside(this.#at(list[k]!), false) !== labelBeside(this.#at(list[k + 1]!), true)) {
          throw new TouchError('an edge goes through regions that do not meet');
        }
      }
      set(ends[2 * e]!, labelBeside(this.#at(list[0]!), true));
      set(ends[2 * e + 1]!, labelBeside(this.#at(list.at(-1)!), false));
    }
    return Int32Array.from({ length: end - begin }, (_, v) => {
      const name = sets.find(v);
      const label = labels.get(name) ?? seed(v + begin);
      labels.set(name, label);
      return label;
    });
  }

  /** Faces of all triangles of a mesh; only those with the label `wanted`, if one is given. */
  #faces(
    which: 0 | 1,
    labelOf: Int32Array,
    begin: number,
    /** Left and right of a segment in its direction. */
    beside: (segment: Segment) => readonly [number, number],
    wanted?: number,
  ) {
    const side = this.#sides[which];
    const triangles: number[] = [];
    const sources: number[] = [];
    const labels: number[] = [];
    for (let t = 0; 3 * t < side.triangles.length; t++) {
      const segments = this.#segments[which].get(t);
      const corners = side.triangles.subarray(3 * t, 3 * t + 3);
      if (!segments) {
        const label = labelOf[corners[0]! - begin]!;
        if (wanted !== undefined && label !== wanted) continue;
        triangles.push(...corners);
        sources.push(t);
        labels.push(label);
        continue;
      }
      const arcs: Arc[] = [];
      for (const segment of segments) {
        const [left, right] = beside(segment);
        arcs.push({ from: segment.from, to: segment.to, label: left, isBorder: false });
        arcs.push({ from: segment.to, to: segment.from, label: right, isBorder: false });
      }
      this.#addBorder(side, t, labelOf, begin, which, arcs);
      const positions = this.#project(corners, arcs);
      for (const { label, polygon } of polygonsOf(arcs, positions, wanted)) {
        const made = triangulatePolygon(polygon, positions);
        triangles.push(...made);
        for (let k = 0; k < made.length; k += 3) {
          sources.push(t);
          labels.push(label);
        }
      }
    }
    return {
      triangles: Uint32Array.from(triangles),
      sources: Uint32Array.from(sources),
      labels: Int32Array.from(labels),
    };
  }

  /** The sides of a triangle, anticlockwise, from crossing to crossing. */
  #addBorder(side: Side, t: number, labelOf: Int32Array, begin: number, which: 0 | 1, arcs: Arc[]): void {
    const { front, back } = this.#sheets;
    for (let c = 0; c < 3; c++) {
      const p = side.triangles[3 * t + c]!;
      const q = side.triangles[3 * t + ((c + 1) % 3)]!;
      const edge = side.edgeOf[3 * t + c]!;
      const list = side.crossings.get(edge) ?? [];
      const isForward = side.ends[2 * edge] === p;
      let from = p;
      let label = labelOf[p - begin]!;
      for (let k = 0; k < list.length; k++) {
        const node = list[isForward ? k : list.length - 1 - k]!;
        arcs.push({ from, to: node, label, isBorder: true });
        const { triangle, isLowInFront } = this.#at(node);
        const isFrontNext = isLowInFront !== isForward;
        label = which === 0 ? (isFrontNext ? front[triangle]! : back[triangle]!) : isFrontNext ? 0 : 1;
        from = node;
      }
      arcs.push({ from, to: q, label, isBorder: true });
    }
  }

  /** Positions of vertices along the two axes across which a triangle is widest, anticlockwise from its front. */
  #project(corners: Uint32Array, arcs: readonly Arc[]): Map<number, readonly [number, number]> {
    const x = this.#real;
    const from = (v: number, k: number) => x[3 * v + k]! - x[3 * corners[0]! + k]!;
    const cross = [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3] as [number, number];
      return from(corners[1]!, i) * from(corners[2]!, j) - from(corners[1]!, j) * from(corners[2]!, i);
    });
    const sizes = cross.map(Math.abs);
    const axis = sizes.indexOf(Math.max(...sizes));
    const [i, j] = [(axis + 1) % 3, (axis + 2) % 3] as [number, number];
    const [u, v] = cross[axis]! >= 0 ? [i, j] : [j, i];
    return new Map(arcs.map(({ from: n }) => [n, [from(n, u), from(n, v)] as const]));
  }
}

interface Arc {
  readonly from: number;
  readonly to: number;
  /** Of the face to its left. */
  readonly label: number;
  /** Is it a part of a side of the triangle? */
  readonly isBorder: boolean;
}

/** Goes around the faces of a triangle. */
function polygonsOf(arcs: readonly Arc[], positions: ReadonlyMap<number, readonly [number, number]>, wanted?: number) {
  const next = new Map<number, number>();
  const labels = [...new Set(arcs.map(({ label }) => label))];
  const keyOf = (node: number, label: number) => node * labels.length + labels.indexOf(label);
  for (const [k, { from, label }] of arcs.entries()) {
    const key = keyOf(from, label);
    if (next.has(key)) throw new TouchError('two faces of a region meet at a vertex');
    next.set(key, k);
  }
  const done = new Uint8Array(arcs.length);
  const outers: { label: number; outer: number[]; holes: number[][] }[] = [];
  const holes: { label: number; hole: number[] }[] = [];
  for (let first = 0; first < arcs.length; first++) {
    const { label } = arcs[first]!;
    if (done[first] || (wanted !== undefined && label !== wanted)) continue;
    const corners: number[] = [];
    let touchesBorder = false;
    for (let k = first; !done[k]; ) {
      done[k] = 1;
      const { from, to, isBorder } = arcs[k]!;
      corners.push(from);
      touchesBorder ||= isBorder;
      const after = next.get(keyOf(to, label));
      if (after === undefined) throw new TouchError('a face is not closed');
      k = after;
    }
    if (touchesBorder || signedArea(corners, positions) > 0) outers.push({ label, outer: corners, holes: [] });
    else holes.push({ label, hole: corners });
  }
  for (const { label, hole } of holes) {
    const around = outers.filter((o) => o.label === label);
    const owner =
      around.length === 1 ? around[0] : around.find((o) => isInPolygon(o.outer, positions, positions.get(hole[0]!)!));
    if (!owner) throw new TouchError('a hole is in no face');
    owner.holes.push(hole);
  }
  return outers.map(({ label, outer, holes: own }) => ({ label, polygon: { outer, holes: own } satisfies Polygon }));
}

function isOneSided(a: number, b: number, c: number): boolean {
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

function push<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Coordinates in whole steps around the middle. */
function rounded(positions: readonly number[]): Float64Array {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const [k, x] of positions.entries()) {
    low[k % 3] = Math.min(low[k % 3]!, x);
    high[k % 3] = Math.max(high[k % 3]!, x);
  }
  const extent = Math.max(...high.map((x, k) => x - low[k]!), Number.MIN_VALUE);
  const scale = STEPS / extent;
  return Float64Array.from(positions, (x, k) => Math.round((x - low[k % 3]!) * scale));
}

/** `begin` is added to all numbers of vertices. */
function sideOfMesh(given: Uint32Array, begin: number): Side {
  const triangles = given.map((v) => v + begin);
  const edgeOf = new Uint32Array(triangles.length);
  const ends: number[] = [];
  const known = new Map<number, number>();
  for (let h = 0; h < triangles.length; h++) {
    const a = triangles[h]!;
    const b = triangles[h % 3 === 2 ? h - 2 : h + 1]!;
    const [low, high] = a < b ? [a, b] : [b, a];
    const key = low * 2 ** 26 + high;
    let edge = known.get(key);
    if (edge === undefined) {
      edge = ends.length / 2;
      ends.push(low, high);
      known.set(key, edge);
    }
    edgeOf[h] = edge;
  }
  return { triangles, edgeOf, ends, crossings: new Map(), known: new Map() };
}

/** Which triangles are near to another one. */
class TriangleCells {
  readonly #points: Float64Array;
  readonly #triangles: Uint32Array;
  readonly #cell: number;
  readonly #cells = new Map<number, number[]>();
  readonly #seen: Uint32Array;
  #round = 0;

  constructor(points: Float64Array, triangles: Uint32Array) {
    this.#points = points;
    this.#triangles = triangles;
    const count = triangles.length / 3;
    this.#seen = new Uint32Array(count);
    let size = 0;
    for (let t = 0; t < count; t++) {
      const [low, high] = this.#bounds(triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!);
      size += Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    }
    this.#cell = Math.max(1, size / Math.max(1, count), STEPS / 2 ** 16);
    for (let t = 0; t < count; t++) {
      const [low, high] = this.#bounds(triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!);
      this.#forCells(low, high, (key) => push(this.#cells, key, t));
    }
  }

  /** Calls `take` once with every triangle whose bounds meet those of a triangle of three points. */
  forNear(a: number, b: number, c: number, take: (triangle: number) => void): void {
    const [low, high] = this.#bounds(a, b, c);
    this.#round++;
    this.#forCells(low, high, (key) => {
      for (const t of this.#cells.get(key) ?? []) {
        if (this.#seen[t] === this.#round) continue;
        this.#seen[t] = this.#round;
        const [l, h] = this.#bounds(this.#triangles[3 * t]!, this.#triangles[3 * t + 1]!, this.#triangles[3 * t + 2]!);
        if (l[0] <= high[0] && l[1] <= high[1] && l[2] <= high[2] && h[0] >= low[0] && h[1] >= low[1] && h[2] >= low[2])
          take(t);
      }
    });
  }

  #forCells(low: Triple, high: Triple, take: (key: number) => void): void {
    const at = (x: number) => Math.floor(x / this.#cell);
    for (let z = at(low[2]); z <= at(high[2]); z++) {
      for (let y = at(low[1]); y <= at(high[1]); y++) {
        for (let x = at(low[0]); x <= at(high[0]); x++) take((z * 2 ** 17 + y) * 2 ** 17 + x);
      }
    }
  }

  #bounds(a: number, b: number, c: number): [Triple, Triple] {
    const p = this.#points;
    const low = (k: number) => Math.min(p[3 * a + k]!, p[3 * b + k]!, p[3 * c + k]!);
    const high = (k: number) => Math.max(p[3 * a + k]!, p[3 * b + k]!, p[3 * c + k]!);
    return [
      [low(0), low(1), low(2)],
      [high(0), high(1), high(2)],
    ];
  }
}

type Triple = readonly [number, number, number];
