/**
 * The surfaces between the pieces of a body at rest. A point belongs to the piece of the nearest particle; the sheets
 * between pieces are found on a grid of tetrahedra, whose nodes have the labels of their pieces: where labels differ,
 * the parts of a tetrahedron that are nearest to its corners are separated. So sheets close without gaps wherever two,
 * three or four pieces meet, and any of them can be left out when pieces are taken together. They are smoothed, since
 * cells of particles have steps, and roughened by noise.
 */
import type { Sheets } from '../../mesh/partition.js';
import { boundsOf } from '../../mesh/solid.js';
import type { TriangleMesh } from '../../mesh/types.js';
import { cubeRoot } from '../../sampling/cube-root.js';
import { NearestPoints } from '../nearest.js';
import { findNeighborhoods } from '../neighborhoods.js';

export interface SheetOptions {
  /** Of the particles [m]. */
  readonly spacing: number;
  /** What the sheets are to go through. */
  readonly body: TriangleMesh;
  /** How far sheets are off their smooth shape [spacings]. */
  readonly roughness: number;
  readonly seed: number;
  /** Points that are not in the body are in no piece, and sheets go around it; they go on outside when left out. */
  readonly contains?: ((point: Triple) => boolean) | undefined;
}

/** No piece: around a body. */
export const NO_PIECE = -1;

/** Distance of the nodes [spacings]: every particle is the nearest one of some. */
const STEP = 0.9;
/**
 * Particles count at nodes up to this distance [spacings], with (1 - r^2)^3 of it: wide enough to smooth the steps of
 * a lattice. Nodes that none reaches have the label of one beside.
 */
const REACH = 2.5;
/** Pieces of fewer particles would vanish in that: they have all that is nearest to their particles, steps and all. */
const SMALL = 12;
/** Neighbours of a particle that its label is compared with, and how far they are at the most [spacings]. */
const NEIGHBORS = 32;
const NEIGHBOR_REACH = 2;
/** Sheets go so far around particles [spacings]. */
const NEAR = 1.5;
/** Nodes beyond the bounds of the body: sheets end outside of it, wherever they are moved. */
const MARGIN = 2.3;
/** Bisections that find where a body ends along an edge. */
const BISECTIONS = 4;
/** Pairs of smoothing steps, the second outwards, which make triangles more equal and hardly shrink anything. */
const SMOOTHINGS = 5;
const INWARD = 0.6;
const OUTWARD = -0.5;
/** How far smoothing and noise may move a vertex [spacings]; less at pieces of few particles, which would vanish. */
const FARTHEST = 0.45;
const FEW = 60;
const LEAST_SHARE = 0.3;
/** Random displacement that keeps vertices out of the planes of a body [spacings]. */
const JITTER = 1e-3;
/** Noise has these waves for each spacing. */
const COARSE = 0.45;
const FINE = 1.1;

type Triple = readonly [number, number, number];

/** Corners of the cube along the edges of each of its six tetrahedra, as bits of x, y and z. */
const TETRAHEDRA = [
  [0, 1, 3, 7],
  [0, 1, 5, 7],
  [0, 2, 3, 7],
  [0, 2, 6, 7],
  [0, 4, 5, 7],
  [0, 4, 6, 7],
] as const;

/** Vertices on edges, faces and in tetrahedra have different numbers at a node. */
const KEYS = 96;
const FACE_KEY = 8;
const TETRAHEDRON_KEY = 72;

export function makeSheets(particles: ArrayLike<number>, labels: ArrayLike<number>, options: SheetOptions): Sheets {
  return new SheetMaker(particles, labels, options).make();
}

class SheetMaker {
  readonly #options: SheetOptions;
  readonly #particles: ArrayLike<number>;
  readonly #step: number;
  readonly #origin: Triple;
  readonly #size: Triple;
  /** The label of every node: the one with most weight, or that of the nearest particle, when its piece is small. */
  readonly #nodes: Int32Array;
  readonly #nearest: Int32Array;
  /** Weights of labels at nodes, as lists: the first entry of a node, then the next one of each. */
  readonly #first: Int32Array;
  readonly #next: number[] = [];
  readonly #labelOf: number[] = [];
  readonly #weightOf: number[] = [];
  readonly #counts = new Map<number, number>();
  readonly #positions: number[] = [];
  readonly #vertices = new Map<number, number>();
  /** Of each vertex: do three or more pieces meet there? */
  readonly #isCorner: boolean[] = [];
  /** Corners of polygons, four each, the last one -1 of triangles. */
  readonly #polygons: number[] = [];
  readonly #front: number[] = [];
  readonly #back: number[] = [];

  constructor(particles: ArrayLike<number>, labels: ArrayLike<number>, options: SheetOptions) {
    this.#options = options;
    this.#particles = particles;
    const { body, spacing, contains } = options;
    const { low, high } = boundsOf(body);
    this.#step = STEP * spacing;
    this.#origin = low.map((x) => x - MARGIN * this.#step) as unknown as Triple;
    this.#size = high.map((x, k) => Math.ceil((x - this.#origin[k]!) / this.#step + MARGIN) + 1) as unknown as Triple;
    const [nx, ny, nz] = this.#size;
    for (let i = 0; i < labels.length; i++) this.#counts.set(labels[i]!, (this.#counts.get(labels[i]!) ?? 0) + 1);
    this.#first = new Int32Array(nx * ny * nz).fill(-1);
    this.#nearest = new Int32Array(nx * ny * nz).fill(-1);
    this.#addWeights(labels);
    const found = this.#findLabels(labels);
    this.#nodes = found.map((label, n) => (contains?.(this.#place(n)) === false ? NO_PIECE : label));
    this.#giveAllNodes(labels);
  }

  make(): Sheets {
    const [nx, ny, nz] = this.#size;
    const isNear = this.#findCubes();
    for (let z = 0; z + 1 < nz; z++) {
      for (let y = 0; y + 1 < ny; y++) {
        for (let x = 0; x + 1 < nx; x++) {
          const cube = (z * ny + y) * nx + x;
          if (isNear[cube]) this.#divideCube(cube);
        }
      }
    }
    this.#smooth();
    return this.#sheets();
  }

  #place(node: number): Triple {
    const [nx, ny] = this.#size;
    return [
      this.#origin[0] + (node % nx) * this.#step,
      this.#origin[1] + (Math.floor(node / nx) % ny) * this.#step,
      this.#origin[2] + Math.floor(node / (nx * ny)) * this.#step,
    ];
  }

  /** Calls `take` with all nodes between two positions. */
  #forNodes(low: Triple, high: Triple, take: (node: number, x: number, y: number, z: number) => void): void {
    const [nx, ny, nz] = this.#size;
    const [ox, oy, oz] = this.#origin;
    const h = this.#step;
    for (let z = Math.max(0, Math.ceil((low[2] - oz) / h)); z <= Math.min(nz - 1, (high[2] - oz) / h); z++) {
      for (let y = Math.max(0, Math.ceil((low[1] - oy) / h)); y <= Math.min(ny - 1, (high[1] - oy) / h); y++) {
        for (let x = Math.max(0, Math.ceil((low[0] - ox) / h)); x <= Math.min(nx - 1, (high[0] - ox) / h); x++) {
          take((z * ny + y) * nx + x, ox + x * h, oy + y * h, oz + z * h);
        }
      }
    }
  }

  /**
   * Weights of labels at nodes. Those of a small piece are as many times larger as its particles lack neighbours of
   * their own: otherwise it would lose to the larger ones around it.
   */
  #addWeights(labels: ArrayLike<number>): void {
    const p = this.#particles;
    const reach = REACH * this.#options.spacing;
    const factors = this.#findFactors(labels);
    const squares = new Float64Array(this.#nearest.length).fill(Infinity);
    for (let i = 0; 3 * i < p.length; i++) {
      const [px, py, pz] = [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!];
      const label = labels[i]!;
      const factor = this.#isSmall(label) ? 0 : factors.get(label)!;
      this.#forNodes([px - reach, py - reach, pz - reach], [px + reach, py + reach, pz + reach], (node, x, y, z) => {
        const square = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz);
        if (square < squares[node]!) {
          squares[node] = square;
          this.#nearest[node] = i;
        }
        const weight = 1 - square / (reach * reach);
        if (weight > 0 && factor > 0) this.#addWeight(node, label, factor * weight * weight * weight);
      });
    }
  }

  #isSmall(label: number): boolean {
    return this.#counts.get(label)! < SMALL;
  }

  #addWeight(node: number, label: number, weight: number): void {
    let entry = this.#first[node]!;
    while (entry >= 0 && this.#labelOf[entry] !== label) entry = this.#next[entry]!;
    if (entry >= 0) {
      this.#weightOf[entry]! += weight;
      return;
    }
    this.#labelOf.push(label);
    this.#weightOf.push(weight);
    this.#next.push(this.#first[node]!);
    this.#first[node] = this.#labelOf.length - 1;
  }

  #weightAt(node: number, label: number): number {
    let entry = this.#first[node]!;
    while (entry >= 0 && this.#labelOf[entry] !== label) entry = this.#next[entry]!;
    return entry >= 0 ? this.#weightOf[entry]! : 0;
  }

  /** Of each label: the weights of all particles at its own ones, over those of its own. */
  #findFactors(labels: ArrayLike<number>): Map<number, number> {
    const p = this.#particles;
    const reach = NEIGHBOR_REACH * this.#options.spacing;
    const near = findNeighborhoods(new NearestPoints(p), p, NEIGHBORS, true);
    const [all, own] = [new Map<number, number>(), new Map<number, number>()];
    for (let i = 0; i < labels.length; i++) {
      let [sum, same] = [1, 1];
      for (let n = near.starts[i]!; n < near.starts[i + 1]!; n++) {
        const j = near.indices[n]!;
        let square = 0;
        for (let k = 0; k < 3; k++) square += (p[3 * i + k]! - p[3 * j + k]!) * (p[3 * i + k]! - p[3 * j + k]!);
        const weight = Math.max(0, 1 - square / (reach * reach));
        sum += weight * weight * weight;
        if (labels[j] === labels[i]) same += weight * weight * weight;
      }
      all.set(labels[i]!, (all.get(labels[i]!) ?? 0) + sum);
      own.set(labels[i]!, (own.get(labels[i]!) ?? 0) + same);
    }
    return new Map([...all].map(([label, sum]) => [label, sum / own.get(label)!]));
  }

  #findLabels(labelOf: ArrayLike<number>): Int32Array {
    const [nx, ny, nz] = this.#size;
    const labels = new Int32Array(this.#first.length);
    const isKnown = new Uint8Array(labels.length);
    let layer: number[] = [];
    for (let n = 0; n < labels.length; n++) {
      let most = 0;
      for (let entry = this.#first[n]!; entry >= 0; entry = this.#next[entry]!) {
        const [label, weight] = [this.#labelOf[entry]!, this.#weightOf[entry]!];
        if (weight < most || (weight === most && label > labels[n]!)) continue;
        most = weight;
        labels[n] = label;
      }
      const nearest = this.#nearest[n]!;
      if (nearest >= 0 && (most === 0 || this.#isSmall(labelOf[nearest]!))) labels[n] = labelOf[nearest]!;
      else if (most === 0) continue;
      isKnown[n] = 1;
      layer.push(n);
    }
    // Layer by layer outwards.
    while (layer.length > 0) {
      const next: number[] = [];
      for (const n of layer) {
        const [x, y, z] = [n % nx, Math.floor(n / nx) % ny, Math.floor(n / (nx * ny))];
        const beside = [
          x > 0 && n - 1,
          x + 1 < nx && n + 1,
          y > 0 && n - nx,
          y + 1 < ny && n + nx,
          z > 0 && n - nx * ny,
          z + 1 < nz && n + nx * ny,
        ];
        for (const m of beside) {
          if (m === false || isKnown[m]) continue;
          isKnown[m] = 1;
          labels[m] = labels[n]!;
          next.push(m);
        }
      }
      layer = next;
    }
    return labels;
  }

  /** A piece of so few particles that no node is nearest to them takes one of a larger piece. */
  #giveAllNodes(labels: ArrayLike<number>): void {
    const counts = new Map<number, number>();
    for (const label of this.#nodes) counts.set(label, (counts.get(label) ?? 0) + 1);
    const p = this.#particles;
    const reach = REACH * this.#options.spacing;
    for (let i = 0; i < labels.length; i++) {
      if (counts.has(labels[i]!)) continue;
      const [px, py, pz] = [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!];
      let best = -1;
      let least = Infinity;
      this.#forNodes([px - reach, py - reach, pz - reach], [px + reach, py + reach, pz + reach], (node, x, y, z) => {
        const square = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz);
        if (square >= least || !(counts.get(this.#nodes[node]!)! > 1)) return;
        [best, least] = [node, square];
      });
      if (best < 0) continue;
      counts.set(this.#nodes[best]!, counts.get(this.#nodes[best]!)! - 1);
      counts.set(labels[i]!, 1);
      this.#nodes[best] = labels[i]!;
    }
  }

  /** Cubes that the body or its particles are in or beside. */
  #findCubes(): Uint8Array {
    const { spacing, body } = this.#options;
    const isNear = new Uint8Array(this.#nodes.length);
    const mark = (node: number) => {
      isNear[node] = 1;
    };
    const h = this.#step;
    const p = this.#particles;
    const reach = NEAR * spacing;
    for (let i = 0; i < p.length; i += 3) {
      const [x, y, z] = [p[i]!, p[i + 1]!, p[i + 2]!];
      this.#forNodes([x - reach - h, y - reach - h, z - reach - h], [x + reach, y + reach, z + reach], mark);
    }
    const { positions: b, triangles } = body;
    for (let t = 0; t < triangles.length; t += 3) {
      const [u, v, w] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
      const low = (k: number) => Math.min(b[u + k]!, b[v + k]!, b[w + k]!) - 2 * h;
      const high = (k: number) => Math.max(b[u + k]!, b[v + k]!, b[w + k]!) + h;
      this.#forNodes([low(0), low(1), low(2)], [high(0), high(1), high(2)], mark);
    }
    return isNear;
  }

  /** Number of the node at a corner of a cube. */
  #corner(cube: number, bits: number): number {
    const [nx, ny] = this.#size;
    return cube + (bits & 1) + ((bits >> 1) & 1) * nx + (bits >> 2) * nx * ny;
  }

  #divideCube(cube: number): void {
    const first = this.#nodes[cube]!;
    let isWhole = true;
    for (let bits = 1; isWhole && bits < 8; bits++) isWhole = this.#nodes[this.#corner(cube, bits)] === first;
    if (isWhole) return;
    for (const [t, corners] of TETRAHEDRA.entries()) this.#divideTetrahedron(cube, t, corners);
  }

  #divideTetrahedron(cube: number, t: number, bits: readonly number[]): void {
    const label = bits.map((b) => this.#nodes[this.#corner(cube, b)]!);
    const different = [...new Set(label)];
    if (different.length === 1) return;
    const edge = (i: number, j: number) => this.#edgeVertex(cube, bits[Math.min(i, j)]!, bits[Math.max(i, j)]!);
    const face = (i: number, j: number, k: number) => {
      const [a, b, c] = [i, j, k].sort((p, q) => p - q).map((n) => bits[n]!) as [number, number, number];
      return this.#middle(cube, a, [b, c], FACE_KEY + 8 * (b - a) + (c - a));
    };
    const members = (l: number) => [0, 1, 2, 3].filter((i) => label[i] === l);
    if (different.length === 2) {
      const [a, b] = different.map(members) as [number[], number[]];
      const [one, others] = a.length < b.length ? [a, b] : [b, a];
      const ring =
        one.length === 1
          ? others.map((o) => [one[0]!, o] as const)
          : ([
              [one[0]!, others[0]!],
              [one[0]!, others[1]!],
              [one[1]!, others[1]!],
              [one[1]!, others[0]!],
            ] as const);
      this.#addPolygon(
        bits,
        ring.map(([i, j]) => ({ vertex: edge(i, j), of: [i, j] })),
        one[0]!,
        others[0]!,
        label,
      );
      return;
    }
    const e = (i: number, j: number) => ({ vertex: edge(i, j), of: [i, j] });
    const f = (i: number, j: number, k: number) => ({ vertex: face(i, j, k), of: [i, j, k] });
    if (different.length === 3) {
      const [p, q] = different.map(members).find((list) => list.length === 2) as [number, number];
      const [b, c] = [0, 1, 2, 3].filter((i) => i !== p && i !== q) as [number, number];
      this.#addPolygon(bits, [e(b, c), f(p, b, c), f(q, b, c)], b, c, label);
      for (const other of [b, c]) {
        this.#addPolygon(bits, [e(p, other), f(p, b, c), f(q, b, c), e(q, other)], p, other, label);
      }
      return;
    }
    const all = { vertex: this.#middle(cube, bits[0]!, bits.slice(1), TETRAHEDRON_KEY + t), of: [0, 1, 2, 3] };
    for (let i = 0; i < 4; i++) {
      for (let j = i + 1; j < 4; j++) {
        const [k, l] = [0, 1, 2, 3].filter((n) => n !== i && n !== j) as [number, number];
        this.#addPolygon(bits, [e(i, j), f(i, j, k), all, f(i, j, l)], i, j, label);
      }
    }
  }

  /** A polygon between the parts of two corners of a tetrahedron, turned so that its front is at the second. */
  #addPolygon(
    bits: readonly number[],
    ring: readonly { readonly vertex: number; readonly of: readonly number[] }[],
    i: number,
    j: number,
    label: readonly number[],
  ): void {
    const place = (of: readonly number[]) =>
      [0, 1, 2].map((k) => of.reduce((sum, n) => sum + ((bits[n]! >> k) & 1), 0) / of.length);
    const [a, b, c, d] = [0, 1, 2, ring.length - 1].map((n) => place(ring[n]!.of)) as [
      ...[number[], number[], number[], number[]],
    ];
    const [u, v] = ring.length === 4 ? [minus(c, a), minus(d, b)] : [minus(b, a), minus(c, a)];
    const across = minus(place([j]), place([i]));
    const normal = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    const isAhead = normal.reduce((sum, n, k) => sum + n * across[k]!, 0) > 0;
    const [back, front] = isAhead ? [i, j] : [j, i];
    this.#front.push(label[front]!);
    this.#back.push(label[back]!);
    for (let n = 0; n < 4; n++) this.#polygons.push(ring[n]?.vertex ?? -1);
  }

  /** Where the label changes along an edge of the grid. */
  #edgeVertex(cube: number, a: number, b: number): number {
    const [low, high] = [this.#corner(cube, a), this.#corner(cube, b)];
    const key = low * KEYS + (b - a);
    const known = this.#vertices.get(key);
    if (known !== undefined) return known;
    const [p, q] = [this.#place(low), this.#place(high)];
    const isEnd = this.#nodes[low] === NO_PIECE || this.#nodes[high] === NO_PIECE;
    const share = isEnd ? this.#endBetween(low, p, q) : this.#shareBetween(low, high, p, q);
    const at = [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), p[2] + share * (q[2] - p[2])] as const;
    return this.#addVertex(key, at, false);
  }

  /** Where the labels of two nodes have the same weight, or are equally near when one is that of a small piece. */
  #shareBetween(low: number, high: number, p: Triple, q: Triple): number {
    const [a, b] = [this.#nodes[low]!, this.#nodes[high]!];
    let [atLow, atHigh] = [0, 0];
    if (!this.#isSmall(a) && !this.#isSmall(b)) {
      atLow = this.#weightAt(low, a) - this.#weightAt(low, b);
      atHigh = this.#weightAt(high, b) - this.#weightAt(high, a);
    } else if (this.#nearest[low]! >= 0 && this.#nearest[high]! >= 0) {
      const [i, j] = [3 * this.#nearest[low]!, 3 * this.#nearest[high]!];
      for (let k = 0; k < 3; k++) {
        const [u, v] = [this.#particles[i + k]!, this.#particles[j + k]!];
        // |x - v|^2 - |x - u|^2, which is linear along the edge.
        atLow += (u - v) * (2 * p[k]! - u - v);
        atHigh -= (u - v) * (2 * q[k]! - u - v);
      }
    }
    return atLow > 0 && atHigh > 0 ? Math.min(0.95, Math.max(0.05, atLow / (atLow + atHigh))) : 0.5;
  }

  /** Where the body ends. */
  #endBetween(low: number, p: Triple, q: Triple): number {
    const isLowInside = this.#nodes[low] !== NO_PIECE;
    let [from, to] = [0, 1];
    for (let n = 0; n < BISECTIONS; n++) {
      const middle = (from + to) / 2;
      const at = [0, 1, 2].map((k) => p[k]! + middle * (q[k]! - p[k]!)) as unknown as Triple;
      if (this.#options.contains!(at) === isLowInside) from = middle;
      else to = middle;
    }
    return (from + to) / 2;
  }

  /** Where three or four pieces meet: amid the positions where pairs of them do. */
  #middle(cube: number, a: number, others: readonly number[], key: number): number {
    const all = [a, ...others];
    const number = this.#corner(cube, a) * KEYS + key;
    const known = this.#vertices.get(number);
    if (known !== undefined) return known;
    const edges = all.flatMap((p, i) => all.slice(i + 1).map((q) => this.#edgeVertex(cube, p, q)));
    return this.#addVertex(
      number,
      [0, 1, 2].map((k) => edges.reduce((sum, v) => sum + this.#positions[3 * v + k]!, 0) / edges.length),
      true,
    );
  }

  #addVertex(key: number, place: readonly number[], isCorner: boolean): number {
    const vertex = this.#isCorner.length;
    this.#positions.push(...place);
    this.#isCorner.push(isCorner);
    this.#vertices.set(key, vertex);
    return vertex;
  }

  #smooth(): void {
    const { spacing, roughness, seed } = this.#options;
    const given = Float64Array.from(this.#positions);
    const x = given.slice();
    const most = this.#findFarthest();
    const { starts, others } = this.#findNeighbors();
    const before = new Float64Array(x.length);
    for (let n = 0; n < 2 * SMOOTHINGS; n++) {
      const share = n % 2 === 0 ? INWARD : OUTWARD;
      before.set(x);
      for (let v = 0; v + 1 < starts.length; v++) {
        const [begin, end] = [starts[v]!, starts[v + 1]!];
        if (begin === end) continue;
        let [sx, sy, sz] = [0, 0, 0];
        for (let e = begin; e < end; e++) {
          const o = 3 * others[e]!;
          sx += before[o]!;
          sy += before[o + 1]!;
          sz += before[o + 2]!;
        }
        const w = share / (end - begin);
        x[3 * v] = (1 - share) * before[3 * v]! + w * sx;
        x[3 * v + 1] = (1 - share) * before[3 * v + 1]! + w * sy;
        x[3 * v + 2] = (1 - share) * before[3 * v + 2]! + w * sz;
        keepNear(x, given, v, most[v]!);
      }
    }
    const noise = new Noise(seed);
    for (let v = 0; 3 * v < x.length; v++) {
      const at = [x[3 * v]! / spacing, x[3 * v + 1]! / spacing, x[3 * v + 2]! / spacing] as const;
      for (let k = 0; k < 3; k++) {
        if (roughness > 0) {
          x[3 * v + k]! += spacing * roughness * (noise.at(at, k, COARSE) + 0.5 * noise.at(at, k + 3, FINE));
        }
      }
      keepNear(x, given, v, most[v]!);
      for (let k = 0; k < 3; k++) this.#positions[3 * v + k] = x[3 * v + k]! + JITTER * spacing * noise.of(v, k, 0, 7);
    }
  }

  /** How far each vertex may be moved [m]. */
  #findFarthest(): Float64Array {
    const farthest = new Float64Array(this.#isCorner.length).fill(Infinity);
    const { spacing } = this.#options;
    for (let p = 0; p < this.#polygons.length; p += 4) {
      const sides = [this.#front[p / 4]!, this.#back[p / 4]!];
      const fewest = Math.min(...sides.map((label) => this.#counts.get(label) ?? FEW), FEW);
      const most = FARTHEST * spacing * Math.max(LEAST_SHARE, cubeRoot(fewest / FEW));
      for (let c = p; c < p + 4; c++) {
        const v = this.#polygons[c]!;
        if (v >= 0) farthest[v] = Math.min(farthest[v]!, most);
      }
    }
    return farthest;
  }

  /** Vertices beside each one; lines where several pieces meet are smoothed along themselves. */
  #findNeighbors(): { readonly starts: Uint32Array; readonly others: Uint32Array } {
    const pairs: number[] = [];
    for (let p = 0; p < this.#polygons.length; p += 4) {
      const corners = this.#polygons[p + 3]! < 0 ? 3 : 4;
      for (let c = 0; c < corners; c++) {
        const [u, v] = [this.#polygons[p + c]!, this.#polygons[p + ((c + 1) % corners)]!];
        if (!this.#isCorner[u] || this.#isCorner[v]) pairs.push(u, v);
        if (!this.#isCorner[v] || this.#isCorner[u]) pairs.push(v, u);
      }
    }
    const starts = new Uint32Array(this.#isCorner.length + 1);
    for (let k = 0; k < pairs.length; k += 2) starts[pairs[k]! + 1]!++;
    for (let v = 0; v + 1 < starts.length; v++) starts[v + 1]! += starts[v]!;
    const fill = starts.slice();
    const others = new Uint32Array(pairs.length / 2);
    for (let k = 0; k < pairs.length; k += 2) others[fill[pairs[k]!]!++] = pairs[k + 1]!;
    return { starts, others };
  }

  /** Polygons in triangles, along the shorter diagonal. */
  #sheets(): Sheets {
    const positions = Float64Array.from(this.#positions);
    const triangles: number[] = [];
    const front: number[] = [];
    const back: number[] = [];
    const distance2 = (u: number, v: number) =>
      [0, 1, 2].reduce((sum, k) => sum + (positions[3 * u + k]! - positions[3 * v + k]!) ** 2, 0);
    for (let p = 0; p < this.#polygons.length; p += 4) {
      const [a, b, c, d] = this.#polygons.slice(p, p + 4) as [number, number, number, number];
      const made = d < 0 ? [a, b, c] : distance2(a, c) < distance2(b, d) ? [a, b, c, a, c, d] : [b, c, d, b, d, a];
      triangles.push(...made);
      for (let k = 0; k < made.length; k += 3) {
        front.push(this.#front[p / 4]!);
        back.push(this.#back[p / 4]!);
      }
    }
    return {
      positions,
      triangles: Uint32Array.from(triangles),
      front: Int32Array.from(front),
      back: Int32Array.from(back),
    };
  }
}

const minus = (a: readonly number[], b: readonly number[]) => a.map((x, k) => x - b[k]!);

/** Leaves a vertex within a distance of where it was. */
function keepNear(x: Float64Array, given: Float64Array, v: number, most: number): void {
  const dx = x[3 * v]! - given[3 * v]!;
  const dy = x[3 * v + 1]! - given[3 * v + 1]!;
  const dz = x[3 * v + 2]! - given[3 * v + 2]!;
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  if (length <= most) return;
  x[3 * v] = given[3 * v]! + (dx * most) / length;
  x[3 * v + 1] = given[3 * v + 1]! + (dy * most) / length;
  x[3 * v + 2] = given[3 * v + 2]! + (dz * most) / length;
}

/** Smooth noise between -1 and 1, the same everywhere for the same seed. */
class Noise {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A random number between -1 and 1 for four whole ones. */
  of(x: number, y: number, z: number, channel: number): number {
    let h = Math.imul(x, 0x27d4eb2f) ^ Math.imul(y, 0x165667b1) ^ Math.imul(z, 0x9e3779b1);
    h ^= Math.imul(channel + 1, 0x85ebca77) ^ Math.imul(this.#seed + 1, 0xc2b2ae3d);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    h ^= h >>> 15;
    return (h >>> 0) / 2 ** 31 - 1;
  }

  at([x, y, z]: Triple, channel: number, frequency: number): number {
    const [i, j, k] = [Math.floor(x * frequency), Math.floor(y * frequency), Math.floor(z * frequency)];
    const [u, v, w] = [ease(x * frequency - i), ease(y * frequency - j), ease(z * frequency - k)];
    let sum = 0;
    for (let c = 0; c < 8; c++) {
      const weight = (c & 1 ? u : 1 - u) * (c & 2 ? v : 1 - v) * (c & 4 ? w : 1 - w);
      sum += weight * this.of(i + (c & 1), j + ((c >> 1) & 1), k + (c >> 2), channel);
    }
    return sum;
  }
}

const ease = (t: number) => t * t * (3 - 2 * t);
