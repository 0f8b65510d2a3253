/**
 * Surfels on a triangle mesh: the mesh is cut into small pieces, a maximal set of pieces no nearer than a distance is
 * chosen, and every piece belongs to the nearest of them that faces about the same way. The areas of the pieces are the
 * surfel's, so the surfels have the area of the mesh; discs reach as far as the corners of their pieces, so they have
 * no holes.
 */
import type { TriangleMesh } from '../options/types.js';

/** Surfels at rest, in the coordinates of the mesh. */
export interface SurfelSamples {
  readonly count: number;
  /** xyz of the centre [m]. */
  readonly positions: Float32Array;
  /** Two half axes, perpendicular and equally long [m]: xyz xyz; their cross product points out. */
  readonly axes: Float32Array;
  /** Area of the mesh that each stands for [m2]. */
  readonly areas: Float32Array;
  /** Texture coordinates at the centre. */
  readonly uvs?: Float32Array;
  /** Their change along the first and the second half axis. */
  readonly uvSlopes?: Float32Array;
  /** Red, green and blue, 0 to 1, linear; where the mesh has materials. */
  readonly colors?: Float32Array;
}

/** Pieces have edges of this share of the surfels' distance. */
const PIECE = 0.4;
const MOST_PIECES = 8_000_000;
/** Nearest that chosen pieces may be, in distances of surfels: as many as a hexagonal pattern has. */
const NEAREST = 0.776;
/** Pieces belong to surfels that face the same way to this cosine. */
const SAME_SIDE = 0.7;
/** Rounds of moving every surfel to the middle of its pieces. */
const ROUNDS = 3;

interface Pieces {
  readonly count: number;
  /** xyz of the middles. */
  readonly middles: Float64Array;
  readonly normals: Float32Array;
  readonly areas: Float64Array;
  readonly triangles: Uint32Array;
}

/** Surfels about `spacing` [m] apart. */
export function sampleSurfels(mesh: TriangleMesh, spacing: number): SurfelSamples {
  if (!(spacing > 0 && spacing < Infinity)) throw new RangeError(`surfels must be > 0 m apart, got ${spacing}`);
  const pieces = cutMesh(mesh, PIECE * spacing);
  let chosen = choosePieces(pieces, NEAREST * spacing);
  let owners = assignPieces(pieces, chosen, spacing);
  for (let round = 0; round < ROUNDS; round++) {
    chosen = middlePieces(pieces, chosen, owners);
    owners = assignPieces(pieces, chosen, spacing);
  }
  return makeSurfels(mesh, pieces, chosen, owners, PIECE * spacing);
}

/** Calls `visit` with all pieces of a triangle cut k times along each side: corner (i, j), in k-ths, and its way up. */
function forPieces(k: number, visit: (i: number, j: number, up: 1 | -1) => void): void {
  for (let i = 0; i < k; i++) {
    for (let j = 0; i + j < k; j++) {
      visit(i, j, 1);
      if (i + j + 1 < k) visit(i + 1, j + 1, -1);
    }
  }
}

function corner({ positions, triangles }: TriangleMesh, t: number, c: number): [number, number, number] {
  const v = 3 * triangles[3 * t + c]!;
  return [positions[v]!, positions[v + 1]!, positions[v + 2]!];
}

/** Steps along each side of a triangle. */
function stepsOf(mesh: TriangleMesh, t: number, edge: number): number {
  const [a, b, c] = [corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2)];
  const length = (p: readonly number[], q: readonly number[]) =>
    Math.sqrt((p[0]! - q[0]!) ** 2 + (p[1]! - q[1]!) ** 2 + (p[2]! - q[2]!) ** 2);
  return Math.max(1, Math.ceil(Math.max(length(a, b), length(b, c), length(c, a)) / edge));
}

function cutMesh(mesh: TriangleMesh, edge: number): Pieces {
  const triangles = mesh.triangles.length / 3;
  let count = 0;
  for (let t = 0; t < triangles; t++) count += stepsOf(mesh, t, edge) ** 2;
  if (count > MOST_PIECES) {
    throw new RangeError(`surfels need ${count} pieces of the mesh, more than ${MOST_PIECES}; use a larger spacing`);
  }
  const pieces: Pieces = {
    count,
    middles: new Float64Array(3 * count),
    normals: new Float32Array(3 * count),
    areas: new Float64Array(count),
    triangles: new Uint32Array(count),
  };
  const own = mesh.finish?.normals;
  let n = 0;
  for (let t = 0; t < triangles; t++) {
    const [a, b, c] = [corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2)];
    const u = b.map((x, k) => x - a[k]!);
    const v = c.map((x, k) => x - a[k]!);
    const face = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    const twice = Math.sqrt(face[0]! ** 2 + face[1]! ** 2 + face[2]! ** 2);
    const k = stepsOf(mesh, t, edge);
    forPieces(k, (i, j, up) => {
      const s = (i + up / 3) / k;
      const r = (j + up / 3) / k;
      pieces.areas[n] = twice / 2 / (k * k);
      pieces.triangles[n] = t;
      for (let x = 0; x < 3; x++) {
        pieces.middles[3 * n + x] = a[x]! + s * u[x]! + r * v[x]!;
        const normal = own
          ? (1 - s - r) * own.values[3 * own.of[3 * t]! + x]! +
            s * own.values[3 * own.of[3 * t + 1]! + x]! +
            r * own.values[3 * own.of[3 * t + 2]! + x]!
          : face[x]! / (twice || 1);
        pieces.normals[3 * n + x] = normal;
      }
      n++;
    });
  }
  return pieces;
}

/** Numbers by cells of a grid over a cloud of positions. */
class Cells {
  readonly #low = [Infinity, Infinity, Infinity];
  readonly #size = [1, 1, 1];
  readonly #edge: number;
  readonly #heads: Int32Array;
  readonly #next: Int32Array;

  constructor(positions: Float64Array, edge: number, numbers: number) {
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < positions.length; k++) {
      this.#low[k % 3] = Math.min(this.#low[k % 3]!, positions[k]!);
      high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
    }
    const extent = high.map((x, a) => Math.max(0, x - this.#low[a]!));
    // Memory stays in bounds for long thin things.
    this.#edge = Math.max(edge, Math.cbrt(extent.reduce((volume, x) => volume * (x + edge), 1) / 2 ** 24));
    for (let a = 0; a < 3; a++) this.#size[a] = Math.floor(extent[a]! / this.#edge) + 1;
    this.#heads = new Int32Array(this.#size[0]! * this.#size[1]! * this.#size[2]!).fill(-1);
    this.#next = new Int32Array(numbers);
  }

  #cell(x: number, a: number): number {
    return Math.floor((x - this.#low[a]!) / this.#edge);
  }

  add(number: number, x: number, y: number, z: number): void {
    const cell = (this.#cell(z, 2) * this.#size[1]! + this.#cell(y, 1)) * this.#size[0]! + this.#cell(x, 0);
    this.#next[number] = this.#heads[cell]!;
    this.#heads[cell] = number;
  }

  /**
   * The nearest of the pieces in here to another, by their position in `list`, that faces the same way and is nearer than
   * `within`; -1 when there is none. Looks `rings` cells around; with `any` it takes the first that it meets.
   */
  nearest(pieces: Pieces, list: ArrayLike<number>, p: number, within: number, rings: number, any: boolean): number {
    const { middles: m, normals } = pieces;
    const [x, y, z] = [m[3 * p]!, m[3 * p + 1]!, m[3 * p + 2]!];
    const [u, v, w] = [normals[3 * p]!, normals[3 * p + 1]!, normals[3 * p + 2]!];
    const cx = this.#cell(x, 0);
    const cy = this.#cell(y, 1);
    const cz = this.#cell(z, 2);
    const nx = this.#size[0]!;
    const ny = this.#size[1]!;
    const nz = this.#size[2]!;
    let best = within * within;
    let found = -1;
    for (let k = Math.max(0, cz - rings); k <= Math.min(nz - 1, cz + rings); k++) {
      for (let j = Math.max(0, cy - rings); j <= Math.min(ny - 1, cy + rings); j++) {
        for (let i = Math.max(0, cx - rings); i <= Math.min(nx - 1, cx + rings); i++) {
          for (let n = this.#heads[(k * ny + j) * nx + i]!; n >= 0; n = this.#next[n]!) {
            const q = 3 * list[n]!;
            const dx = m[q]! - x;
            const dy = m[q + 1]! - y;
            const dz = m[q + 2]! - z;
            const square = dx * dx + dy * dy + dz * dz;
            if (!(square < best || (square === best && n < found))) continue;
            if (!(normals[q]! * u + normals[q + 1]! * v + normals[q + 2]! * w > SAME_SIDE)) continue;
            if (any) return n;
            best = square;
            found = n;
          }
        }
      }
    }
    return found;
  }
}

/** A step through the numbers below `count` that meets all of them, far from the last ones. */
function strideOf(count: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.floor(count * 0.6180339887498949));
  while (divisor(count, stride) !== 1) stride++;
  return stride;
}

/** As many pieces as there is room for, none nearer than `nearest` to one that faces the same way. */
function choosePieces(pieces: Pieces, nearest: number): number[] {
  const { count, middles } = pieces;
  const cells = new Cells(middles, nearest, count);
  const chosen: number[] = [];
  const stride = strideOf(count);
  for (let step = 0, p = 0; step < count; step++, p = (p + stride) % count) {
    if (!(pieces.areas[p]! > 0) || cells.nearest(pieces, chosen, p, nearest, 1, true) >= 0) continue;
    cells.add(chosen.length, middles[3 * p]!, middles[3 * p + 1]!, middles[3 * p + 2]!);
    chosen.push(p);
  }
  // Neighbours side by side: pieces are in the order of the triangles.
  return chosen.sort((a, b) => a - b);
}

/** For every piece the chosen one, by its position in the list, that it belongs to. */
function assignPieces(pieces: Pieces, chosen: readonly number[], spacing: number): Int32Array {
  const { count, middles } = pieces;
  const cells = new Cells(middles, spacing, chosen.length);
  for (const [k, p] of chosen.entries()) cells.add(k, middles[3 * p]!, middles[3 * p + 1]!, middles[3 * p + 2]!);
  const owners = new Int32Array(count);
  for (let p = 0; p < count; p++) {
    owners[p] = cells.nearest(pieces, chosen, p, spacing, 1, false);
    // Surfels that moved to the middle of their pieces may have left some behind.
    if (owners[p]! < 0) owners[p] = cells.nearest(pieces, chosen, p, 2 * spacing, 2, false);
  }
  return owners;
}

/** The piece nearest to the middle of all that belong to each chosen one. */
function middlePieces(pieces: Pieces, chosen: readonly number[], owners: Int32Array): number[] {
  const sums = centroids(pieces, chosen.length, owners);
  const best = new Float64Array(chosen.length).fill(Infinity);
  const result = [...chosen];
  for (let p = 0; p < pieces.count; p++) {
    const k = owners[p]!;
    if (k < 0) continue;
    let square = 0;
    for (let x = 0; x < 3; x++) square += (pieces.middles[3 * p + x]! - sums.positions[3 * k + x]!) ** 2;
    if (square >= best[k]!) continue;
    best[k] = square;
    result[k] = p;
  }
  return result;
}

function centroids(pieces: Pieces, count: number, owners: Int32Array) {
  const positions = new Float64Array(3 * count);
  const normals = new Float64Array(3 * count);
  const areas = new Float64Array(count);
  for (let p = 0; p < pieces.count; p++) {
    const k = owners[p]!;
    if (k < 0) continue;
    const area = pieces.areas[p]!;
    areas[k]! += area;
    for (let x = 0; x < 3; x++) {
      positions[3 * k + x]! += area * pieces.middles[3 * p + x]!;
      normals[3 * k + x]! += area * pieces.normals[3 * p + x]!;
    }
  }
  for (let k = 0; k < 3 * count; k++) positions[k]! /= areas[Math.floor(k / 3)]! || 1;
  return { positions, normals, areas };
}

function makeSurfels(
  mesh: TriangleMesh,
  pieces: Pieces,
  chosen: readonly number[],
  owners: Int32Array,
  edge: number,
): SurfelSamples {
  const count = chosen.length;
  const { normals, areas } = centroids(pieces, count, owners);
  const positions = new Float32Array(3 * count);
  for (const [k, p] of chosen.entries()) {
    for (let x = 0; x < 3; x++) positions[3 * k + x] = pieces.middles[3 * p + x]!;
  }
  const radii = reaches(mesh, positions, owners, edge);
  const axes = new Float32Array(6 * count);
  for (let k = 0; k < count; k++) {
    const [t1, t2] = tangents([normals[3 * k]!, normals[3 * k + 1]!, normals[3 * k + 2]!]);
    for (let x = 0; x < 3; x++) {
      axes[6 * k + x] = radii[k]! * t1[x]!;
      axes[6 * k + 3 + x] = radii[k]! * t2[x]!;
    }
  }
  return { count, positions, axes, areas: Float32Array.from(areas), ...finishOf(mesh, pieces, chosen, axes) };
}

/** Farthest corner of the pieces of each surfel. */
function reaches(mesh: TriangleMesh, positions: Float32Array, owners: Int32Array, edge: number): Float64Array {
  const squares = new Float64Array(positions.length / 3);
  let n = 0;
  for (let t = 0; t < mesh.triangles.length / 3; t++) {
    const [a, b, c] = [corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2)];
    const steps = stepsOf(mesh, t, edge);
    forPieces(steps, (i, j, up) => {
      const k = owners[n++]!;
      if (k < 0) return;
      for (let v = 0; v < 3; v++) {
        const s = (v === 1 ? i + up : i) / steps;
        const r = (v === 2 ? j + up : j) / steps;
        let square = 0;
        for (let x = 0; x < 3; x++) {
          const offset = a[x]! + s * (b[x]! - a[x]!) + r * (c[x]! - a[x]!) - positions[3 * k + x]!;
          square += offset * offset;
        }
        squares[k] = Math.max(squares[k]!, square);
      }
    });
  }
  return squares.map(Math.sqrt);
}

/** Two unit vectors that are perpendicular to each other and to a normal of any length. */
function tangents(n: readonly [number, number, number]): [number[], number[]] {
  const length = Math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2) || 1;
  const [x, y, z] = [n[0] / length, n[1] / length, n[2] / length];
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [
    [1 + sign * x * x * a, sign * b, -sign * x],
    [b, sign + y * y * a, -y],
  ];
}

function finishOf(mesh: TriangleMesh, pieces: Pieces, chosen: readonly number[], axes: Float32Array) {
  const { uvs, materials } = mesh.finish ?? {};
  const result: { uvs?: Float32Array; uvSlopes?: Float32Array; colors?: Float32Array } = {};
  if (materials) {
    result.colors = new Float32Array(3 * chosen.length);
    for (const [k, p] of chosen.entries()) {
      result.colors.set(materials.list[materials.of[pieces.triangles[p]!]!]?.color ?? [1, 1, 1], 3 * k);
    }
  }
  if (!uvs) return result;
  result.uvs = new Float32Array(2 * chosen.length);
  result.uvSlopes = new Float32Array(4 * chosen.length);
  for (const [k, p] of chosen.entries()) {
    const t = pieces.triangles[p]!;
    const [a, b, c] = [corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2)];
    const position = [0, 1, 2].map((x) => pieces.middles[3 * p + x]! - a[x]!);
    const along = inTriangle(a, b, c, position);
    for (let x = 0; x < 2; x++) {
      const [p0, p1, p2] = [0, 1, 2].map((v) => uvs.values[2 * uvs.of[3 * t + v]! + x]!) as [number, number, number];
      result.uvs[2 * k + x] = p0 + along[0] * (p1 - p0) + along[1] * (p2 - p0);
      for (let axis = 0; axis < 2; axis++) {
        const at = 6 * k + 3 * axis;
        const slope = inTriangle(a, b, c, [axes[at]!, axes[at + 1]!, axes[at + 2]!]);
        result.uvSlopes[4 * k + 2 * axis + x] = slope[0] * (p1 - p0) + slope[1] * (p2 - p0);
      }
    }
  }
  return result;
}

/** A vector as shares of two sides of a triangle, by least squares. */
function inTriangle(
  a: readonly number[],
  b: readonly number[],
  c: readonly number[],
  r: readonly number[],
): [number, number] {
  let [uu, uv, vv, ru, rv] = [0, 0, 0, 0, 0];
  for (let x = 0; x < 3; x++) {
    const u = b[x]! - a[x]!;
    const v = c[x]! - a[x]!;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    ru += r[x]! * u;
    rv += r[x]! * v;
  }
  const det = uu * vv - uv * uv;
  if (!(det > 0)) return [0, 0];
  return [(ru * vv - rv * uv) / det, (rv * uu - ru * uv) / det];
}
