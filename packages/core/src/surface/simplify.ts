/**
 * Fewer triangles where a closed surface is flat: vertices are drawn into a neighbour, one by one, as long as the
 * surface stays within a tolerance. What is left are vertices of the surface itself, with the normals and all that
 * they carry; every edge still has its two triangles, and pieces and holes stay what they are.
 *
 * The measure is that of [GH97], but with plain sums over the planes of triangles: each vertex is within the tolerance
 * of the planes of all triangles that it stands for. Rounds instead of a queue: in a round vertices go in their
 * order, and none whose surroundings have changed, so they spread evenly and the outcome depends on nothing else.
 */
import { triangleNormal } from '../mesh/triangle.js';
import type { SurfaceMesh } from './surface-mesh.js';

/** Rounds end when they take away less than this share of the vertices. */
const LEAST = 0.004;
const MOST_ROUNDS = 60;
/** Cosine of the largest turn of a triangle. */
const TURN = 0.8;
/** Least shape of a new triangle: 1 of equal sides, 0 of a line. Worse ones must at least not get worse. */
const SHAPE = 0.25;
/** Numbers of a quadric: the upper half of a symmetric 4 x 4 matrix. */
const QUADRIC = 10;

/** `tolerance` is a length [m]; none of the edges made is longer than `longest` [m]. */
export function simplifySurface(mesh: SurfaceMesh, tolerance: number, longest: number): SurfaceMesh {
  if (!(tolerance > 0) || mesh.indices.length === 0) return mesh;
  const work = new Simplification(mesh, tolerance, longest);
  const least = LEAST * (mesh.positions.length / 3);
  for (let round = 0; round < MOST_ROUNDS; round++) if (work.round() <= least) break;
  return work.result();
}

class Simplification {
  readonly #mesh: SurfaceMesh;
  readonly #limit: number;
  readonly #longest2: number;
  readonly #count: number;
  /** Relative to the first vertex, so that planes are not far away. */
  readonly #positions: Float64Array;
  readonly #quadrics: Float64Array;
  #indices: Uint32Array;
  /** Triangles around each vertex. */
  #starts: Uint32Array;
  #around: Uint32Array;
  /** Nothing can be done here until something changes. */
  readonly #settled: Uint8Array;
  readonly #locked: Uint8Array;
  /** Turn in which a vertex was seen last. */
  readonly #seen: Uint32Array;
  #turn = 0;
  readonly #ring: number[] = [];

  constructor(mesh: SurfaceMesh, tolerance: number, longest: number) {
    this.#mesh = mesh;
    this.#limit = tolerance * tolerance;
    this.#longest2 = longest * longest;
    this.#count = mesh.positions.length / 3;
    this.#positions = Float64Array.from(mesh.positions, (x, k) => x - mesh.positions[k % 3]!);
    this.#indices = mesh.indices.slice();
    this.#quadrics = new Float64Array(QUADRIC * this.#count);
    this.#starts = new Uint32Array(this.#count + 1);
    this.#around = new Uint32Array(0);
    this.#settled = new Uint8Array(this.#count);
    this.#locked = new Uint8Array(this.#count);
    this.#seen = new Uint32Array(this.#count);
    this.#addPlanes();
  }

  /** Takes away what can be in one round, and says how many vertices. */
  round(): number {
    this.#findAround();
    this.#locked.fill(0);
    let gone = 0;
    for (let u = 0; u < this.#count; u++) {
      if (this.#locked[u] || this.#settled[u] || this.#starts[u] === this.#starts[u + 1]) continue;
      if (!this.#collectRing(u)) continue;
      const v = this.#best(u);
      if (v < 0) {
        this.#settled[u] = 1;
        continue;
      }
      this.#draw(u, v);
      gone++;
    }
    if (gone > 0) this.#dropLines();
    return gone;
  }

  result(): SurfaceMesh {
    const renumbered = new Int32Array(this.#count).fill(-1);
    for (const v of this.#indices) renumbered[v] = 0;
    let kept = 0;
    for (let v = 0; v < this.#count; v++) if (renumbered[v] === 0) renumbered[v] = kept++;
    const pick = (values: Float32Array, components: number) => {
      const out = new Float32Array(components * kept);
      for (let v = 0; v < this.#count; v++) {
        const to = renumbered[v]!;
        for (let c = 0; to >= 0 && c < components; c++) out[components * to + c] = values[components * v + c]!;
      }
      return out;
    };
    const attributes = Object.entries(this.#mesh.attributes).map(([name, { components, values }]) => [
      name,
      { components, values: pick(values, components) },
    ]);
    return {
      positions: pick(this.#mesh.positions, 3),
      normals: pick(this.#mesh.normals, 3),
      indices: this.#indices.map((v) => renumbered[v]!),
      attributes: Object.fromEntries(attributes),
    };
  }

  #addPlanes(): void {
    const { triangle } = this.#scratch;
    const indices = this.#indices;
    for (let t = 0; t < indices.length; t += 3) {
      const length = triangleNormal(this.#positions, indices[t]!, indices[t + 1]!, indices[t + 2]!, triangle);
      if (!(length > 0)) continue;
      const [a, b, c] = [triangle[0]! / length, triangle[1]! / length, triangle[2]! / length];
      const p = 3 * indices[t]!;
      const d = -(a * this.#positions[p]! + b * this.#positions[p + 1]! + c * this.#positions[p + 2]!);
      const terms = [a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d];
      for (let k = 0; k < 3; k++) {
        const q = QUADRIC * indices[t + k]!;
        for (let n = 0; n < QUADRIC; n++) this.#quadrics[q + n]! += terms[n]!;
      }
    }
  }

  #findAround(): void {
    const starts = this.#starts;
    const indices = this.#indices;
    starts.fill(0);
    for (let k = 0; k < indices.length; k++) starts[indices[k]! + 1]!++;
    for (let v = 0; v < this.#count; v++) starts[v + 1]! += starts[v]!;
    if (this.#around.length !== indices.length) this.#around = new Uint32Array(indices.length);
    const next = starts.slice();
    for (let k = 0; k < indices.length; k++) this.#around[next[indices[k]!]!++] = 3 * Math.floor(k / 3);
  }

  /** The vertices around one; false when some of them have changed in this round. */
  #collectRing(u: number): boolean {
    const ring = this.#ring;
    ring.length = 0;
    const turn = ++this.#turn;
    for (let n = this.#starts[u]!; n < this.#starts[u + 1]!; n++) {
      const t = this.#around[n]!;
      for (let k = 0; k < 3; k++) {
        const v = this.#indices[t + k]!;
        if (v === u || this.#seen[v] === turn) continue;
        if (this.#locked[v]) return false;
        this.#seen[v] = turn;
        ring.push(v);
      }
    }
    return true;
  }

  /** The neighbour to draw a vertex into, or -1. */
  #best(u: number): number {
    let best = -1;
    let least = this.#limit;
    for (const v of this.#ring) {
      const error = this.#error(u, v);
      if (error < least && this.#keepsTopology(u, v) && this.#keepsShape(u, v)) {
        least = error;
        best = v;
      }
    }
    return best;
  }

  /** Sum of the squares of the distances from what both stand for. */
  #error(u: number, v: number): number {
    const [x, y, z] = [this.#positions[3 * v]!, this.#positions[3 * v + 1]!, this.#positions[3 * v + 2]!];
    const q = this.#quadrics;
    let sum = 0;
    for (const i of [QUADRIC * u, QUADRIC * v]) {
      sum += x * (q[i]! * x + 2 * (q[i + 1]! * y + q[i + 2]! * z + q[i + 3]!));
      sum += y * (q[i + 4]! * y + 2 * (q[i + 5]! * z + q[i + 6]!));
      sum += z * (q[i + 7]! * z + 2 * q[i + 8]!) + q[i + 9]!;
    }
    return sum;
  }

  /** The two ends of an edge have two neighbours in common, which keep three triangles at least. */
  #keepsTopology(u: number, v: number): boolean {
    const turn = ++this.#turn;
    for (const w of this.#ring) this.#seen[w] = turn;
    let common = 0;
    for (let n = this.#starts[v]!; n < this.#starts[v + 1]!; n++) {
      const t = this.#around[n]!;
      for (let k = 0; k < 3; k++) {
        const w = this.#indices[t + k]!;
        if (w === v || w === u || this.#seen[w] !== turn) continue;
        this.#seen[w] = 0;
        if (this.#starts[w + 1]! - this.#starts[w]! <= 3) return false;
        common++;
      }
    }
    return common === 2;
  }

  /** No triangle turns over, gets too long or too thin. */
  #keepsShape(u: number, v: number): boolean {
    const { triangle, other } = this.#scratch;
    for (let n = this.#starts[u]!; n < this.#starts[u + 1]!; n++) {
      const t = this.#around[n]!;
      const corners = [this.#indices[t]!, this.#indices[t + 1]!, this.#indices[t + 2]!] as [number, number, number];
      if (corners.includes(v)) continue;
      const before = triangleNormal(this.#positions, ...corners, triangle);
      const shapeBefore = before / this.#sides2(...corners);
      const moved = corners.map((w) => (w === u ? v : w)) as [number, number, number];
      const after = triangleNormal(this.#positions, ...moved, other);
      const facing = triangle[0]! * other[0]! + triangle[1]! * other[1]! + triangle[2]! * other[2]!;
      if (!(facing > TURN * before * after)) return false;
      const sides2 = this.#sides2(...moved);
      const shape = after / sides2;
      if (this.#longestSide2 > this.#longest2) return false;
      if (shape < Math.min(SHAPE / (2 * Math.sqrt(3)), shapeBefore)) return false;
    }
    return true;
  }

  readonly #scratch = { triangle: new Float64Array(3), other: new Float64Array(3) };

  #longestSide2 = 0;

  /** Sum of the squares of the sides. */
  #sides2(a: number, b: number, c: number): number {
    const p = this.#positions;
    let sum = 0;
    this.#longestSide2 = 0;
    for (let side = 0; side < 3; side++) {
      const [i, j] = side === 0 ? [a, b] : side === 1 ? [b, c] : [c, a];
      let square = 0;
      for (let k = 0; k < 3; k++) square += (p[3 * i + k]! - p[3 * j + k]!) ** 2;
      sum += square;
      this.#longestSide2 = Math.max(this.#longestSide2, square);
    }
    return sum;
  }

  #draw(u: number, v: number): void {
    for (let n = this.#starts[u]!; n < this.#starts[u + 1]!; n++) {
      const t = this.#around[n]!;
      for (let k = 0; k < 3; k++) if (this.#indices[t + k] === u) this.#indices[t + k] = v;
    }
    for (let k = 0; k < QUADRIC; k++) this.#quadrics[QUADRIC * v + k]! += this.#quadrics[QUADRIC * u + k]!;
    this.#locked[u] = 1;
    for (const w of this.#ring) {
      this.#locked[w] = 1;
      this.#settled[w] = 0;
    }
  }

  /** Leaves out triangles that have become lines. */
  #dropLines(): void {
    const indices = this.#indices;
    let end = 0;
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = [indices[t]!, indices[t + 1]!, indices[t + 2]!];
      if (a === b || b === c || c === a) continue;
      indices[end++] = a;
      indices[end++] = b;
      indices[end++] = c;
    }
    this.#indices = indices.slice(0, end);
  }
}
