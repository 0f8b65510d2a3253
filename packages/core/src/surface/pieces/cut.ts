/**
 * The mesh of a body that breaks, cut into its pieces at rest: what was outside keeps its triangles, normals, texture
 * coordinates and materials; new faces come up where pieces meet.
 */
import { meshClosedness } from '../../mesh/closedness.js';
import { isInside } from '../../mesh/inside.js';
import { type Crossing, type CutFaces, partitionSolid, type Sheets, TouchError } from '../../mesh/partition.js';
import { boundsOf, prepareSolid } from '../../mesh/solid.js';
import type { TriangleMesh } from '../../mesh/types.js';
import { weldMap } from '../../mesh/weld.js';
import { splitAtCreases, vertexNormals } from '../normals.js';
import { nearestPoints } from '../remains.js';
import type { RestMesh } from '../rest-mesh.js';
import { makeSheets, NO_PIECE, type SheetOptions } from './sheets.js';

export interface CutOptions {
  /** Of the particles [m]. */
  readonly spacing: number;
  /** How far new faces are off smooth ones, up to 0.4 [spacings]; 0.12 when left out. */
  readonly roughness?: number | undefined;
  readonly seed?: number | undefined;
  /** Width of the gap that new faces leave between pieces [m]; 0 when left out. Faces at one place confuse rays in glass. */
  readonly gap?: number | undefined;
}

/** The mesh of one piece, closed. Vertices at one place differ in their normals or texture coordinates. */
export interface PieceMesh {
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly uvs: Float32Array | undefined;
  readonly colors: Float32Array | undefined;
  readonly indices: Uint32Array;
  /** Indices [begin, end) of a part of the body's mesh by its number, or of new faces. */
  readonly parts: readonly { readonly part: number | 'inside'; readonly begin: number; readonly end: number }[];
}

const ROUGHNESS = 0.12;
/** Sheets are moved so often when they touch a vertex of the body, which is next to impossible. */
const TRIES = 4;
/** New faces that meet at more than this have an edge between them [degrees]. */
const CREASE = 50;
/** Vertices nearer than this share of the size of a mesh are one. */
const SAME = 1e-7;

/** Values of vertices that are interpolated: components of each, and which are directions. */
interface Looks {
  readonly positions: number[];
  readonly normals: number[];
  readonly uvs: number[] | undefined;
  readonly colors: number[] | undefined;
}

export class CutMesh {
  /** Is the body's mesh not closed, so that pieces have a surface of their own everywhere? */
  readonly isReplaced: boolean;
  readonly #extent: number;
  readonly #gap: number;
  /** Of the surface's vertices that the cut has made: their numbers among those of new faces. */
  readonly #nodeOf: ReadonlyMap<number, number>;
  /** The body's surface: vertices with what they look like; of each triangle its part of the mesh and its region. */
  readonly #looks: Looks;
  readonly #corners: Uint32Array;
  readonly #partOf: Uint32Array;
  /** Triangles of each region, of the surface and of the new faces. */
  readonly #surfaceOf = new Map<number, number[]>();
  readonly #newOf = new Map<number, number[]>();
  /** New faces, and the regions on both sides. */
  readonly #positions: Float64Array;
  readonly #faces: Uint32Array;
  readonly #front: Int32Array;
  readonly #back: Int32Array;

  /** Particles at rest, xyz, and the piece of each. */
  constructor(mesh: RestMesh, particles: ArrayLike<number>, labels: ArrayLike<number>, options: CutOptions) {
    const { low, high } = boundsOf({ positions: mesh.positions, triangles: mesh.indices });
    this.#extent = Math.max(...high.map((x, k) => x - low[k]!));
    const { spacing, roughness = ROUGHNESS, seed = 0, gap = 0 } = options;
    this.#gap = gap;
    const shared = { spacing, roughness, seed };
    const cut = divide(mesh, this.#extent, particles, labels, shared);
    this.isReplaced = cut === undefined;
    const sheets = cut?.sheets ?? replacement(mesh, particles, labels, shared);
    const surface = cut?.surface;
    this.#looks = surface?.looks ?? { positions: [], normals: [], uvs: undefined, colors: undefined };
    this.#nodeOf = surface?.looks.nodeOf ?? new Map();
    this.#corners = surface?.corners ?? new Uint32Array();
    this.#partOf = Uint32Array.from(surface?.sources ?? [], (t) => mesh.parts.findIndex((p) => 3 * t < p.end));
    for (const [t, region] of surface?.regions.entries() ?? []) push(this.#surfaceOf, region, t);
    this.#positions = sheets.positions;
    this.#faces = sheets.triangles;
    this.#front = sheets.front;
    this.#back = sheets.back;
    for (let t = 0; t < this.#front.length; t++) {
      push(this.#newOf, this.#front[t]!, t);
      push(this.#newOf, this.#back[t]!, t);
    }
  }

  /** The mesh of what has one of some labels. Undefined when nothing of the body's volume has. */
  piece(labels: ReadonlySet<number>): PieceMesh | undefined {
    const parts: { part: number | 'inside'; begin: number; end: number }[] = [];
    const out: Looks & { indices: number[] } = {
      positions: [],
      normals: [],
      uvs: this.#looks.uvs && [],
      colors: this.#looks.colors && [],
      indices: [],
    };
    const surface = [...labels].flatMap((label) => this.#surfaceOf.get(label) ?? []).sort((a, b) => a - b);
    const taken = new Map<number, number>();
    for (const part of [...new Set(surface.map((t) => this.#partOf[t]!))].sort((a, b) => a - b)) {
      const begin = out.indices.length;
      for (const t of surface) {
        if (this.#partOf[t] !== part) continue;
        for (let c = 3 * t; c < 3 * t + 3; c++) out.indices.push(this.#take(this.#corners[c]!, taken, out));
      }
      parts.push({ part, begin, end: out.indices.length });
    }
    const isAround = (t: number) => this.#front[t] === NO_PIECE;
    const faces = [...new Set([...labels].flatMap((label) => this.#newOf.get(label) ?? []))]
      .filter((t) => labels.has(this.#front[t]!) !== labels.has(this.#back[t]!))
      .sort((a, b) => a - b);
    for (const [part, list] of [
      [0, faces.filter((t) => isAround(t) || this.#back[t] === NO_PIECE)],
      ['inside', faces.filter((t) => !isAround(t) && this.#back[t] !== NO_PIECE)],
    ] as const) {
      if (list.length === 0) continue;
      const begin = out.indices.length;
      this.#addFaces(list, labels, out);
      parts.push({ part, begin, end: out.indices.length });
    }
    if (out.indices.length === 0) return undefined;
    if (this.#gap > 0) this.#widenGaps(faces, labels, taken, out);
    return {
      positions: Float64Array.from(out.positions),
      normals: Float64Array.from(out.normals),
      uvs: out.uvs && Float32Array.from(out.uvs),
      colors: out.colors && Float32Array.from(out.colors),
      indices: Uint32Array.from(out.indices),
      parts,
    };
  }

  /** Moves new faces inwards, and the rims of the surface with them. */
  #widenGaps(faces: readonly number[], labels: ReadonlySet<number>, taken: Map<number, number>, out: Looks): void {
    const nodes = new Map<number, number>();
    const triangles = Uint32Array.from({ length: 3 * faces.length }, (_, c) => {
      const t = faces[Math.floor(c / 3)]!;
      const v = this.#faces[3 * t + (labels.has(this.#front[t]!) ? 2 - (c % 3) : c % 3)]!;
      if (!nodes.has(v)) nodes.set(v, nodes.size);
      return nodes.get(v)!;
    });
    const positions = Float64Array.from(
      [...nodes.keys()].flatMap((v) => [0, 1, 2].map((k) => this.#positions[3 * v + k]!)),
    );
    const normals = vertexNormals(positions, triangles);
    const moved = new Map<string, number>();
    for (let n = 0; n < nodes.size; n++) moved.set(positions.subarray(3 * n, 3 * n + 3).join(' '), n);
    const move = (v: number, n: number) => {
      for (let k = 0; k < 3; k++) out.positions[3 * v + k]! -= (this.#gap / 2) * normals[3 * n + k]!;
    };
    for (const [own, v] of taken) {
      const n = nodes.get(this.#nodeOf.get(own) ?? -1);
      if (n !== undefined) move(v, n);
    }
    // After the surface come the new faces, at the positions themselves.
    for (let v = taken.size; 3 * v < out.positions.length; v++) {
      move(v, moved.get(out.positions.slice(3 * v, 3 * v + 3).join(' '))!);
    }
  }

  /** The number of a vertex of the body's surface in a piece. */
  #take(v: number, taken: Map<number, number>, out: Looks): number {
    const known = taken.get(v);
    if (known !== undefined) return known;
    const number = out.positions.length / 3;
    const { positions, normals, uvs, colors } = this.#looks;
    for (let k = 0; k < 3; k++) out.positions.push(positions[3 * v + k]!);
    for (let k = 0; k < 3; k++) out.normals.push(normals[3 * v + k]!);
    for (let k = 0; k < 2; k++) if (uvs) out.uvs!.push(uvs[2 * v + k]!);
    for (let k = 0; k < 4; k++) if (colors) out.colors!.push(colors[4 * v + k]!);
    taken.set(v, number);
    return number;
  }

  /** New faces, which point out of the piece; texture coordinates along the two axes that they face least. */
  #addFaces(faces: readonly number[], labels: ReadonlySet<number>, out: Looks & { indices: number[] }): void {
    const numbers = new Map<number, number>();
    const positions: number[] = [];
    const triangles = new Uint32Array(3 * faces.length);
    for (const [n, t] of faces.entries()) {
      const isTurned = labels.has(this.#front[t]!);
      for (let c = 0; c < 3; c++) {
        const v = this.#faces[3 * t + (isTurned ? 2 - c : c)]!;
        let number = numbers.get(v);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(v, number);
          for (let k = 0; k < 3; k++) positions.push(this.#positions[3 * v + k]!);
        }
        triangles[3 * n + c] = number;
      }
    }
    const split = splitAtCreases({ positions: Float64Array.from(positions), triangles }, CREASE, 0);
    const normals = vertexNormals(split.positions, split.triangles);
    const first = out.positions.length / 3;
    for (const v of split.triangles) out.indices.push(first + v);
    for (let v = 0; v < split.positions.length; v += 3) {
      const sizes = [0, 1, 2].map((k) => Math.abs(normals[v + k]!));
      const axis = sizes.indexOf(Math.max(...sizes));
      for (let k = 0; k < 3; k++) out.positions.push(split.positions[v + k]!);
      for (let k = 0; k < 3; k++) out.normals.push(normals[v + k]!);
      out.uvs?.push(...[1, 2].map((k) => split.positions[v + ((axis + k) % 3)]! / this.#extent));
      out.colors?.push(1, 1, 1, 1);
    }
  }
}

type Shared = Omit<SheetOptions, 'contains' | 'body'>;

/** Undefined when the mesh is not closed. */
function divide(
  mesh: RestMesh,
  extent: number,
  particles: ArrayLike<number>,
  labels: ArrayLike<number>,
  shared: Shared,
) {
  const same = weldMap(mesh.positions, SAME * extent);
  const { body, sources } = weldedBody(mesh, same);
  const { openEdges, nonManifoldEdges, turnedEdges, volume } = meshClosedness(body.positions, body.triangles);
  if (openEdges + nonManifoldEdges + turnedEdges > 0 || !(volume > 0)) return undefined;
  const solid = prepareSolid(body);
  for (let n = 0; n < TRIES; n++) {
    const sheets = makeSheets(particles, labels, { ...shared, body, seed: shared.seed + n });
    try {
      const {
        positions,
        crossings,
        surface,
        sheets: inside,
      } = partitionSolid(body, sheets, {
        regionAt: (v) => labels[nearestPoints(particles, body.positions.subarray(3 * v, 3 * v + 3))[0]!]!,
        isInside: (v) => isInside(solid, [...sheets.positions.subarray(3 * v, 3 * v + 3)] as [number, number, number]),
      });
      const looks = new SurfaceLooks(mesh, crossings, positions);
      const corners = looks.add(surface, sources, body, sheets.positions.length / 3);
      return {
        surface: {
          looks,
          corners,
          sources: surface.sources.map((t) => sources[t]!),
          regions: surface.regions,
        },
        sheets: {
          positions,
          triangles: inside.triangles,
          front: inside.sources.map((t) => sheets.front[t]!),
          back: inside.sources.map((t) => sheets.back[t]!),
        } as unknown as Sheets,
      };
    } catch (error) {
      if (!(error instanceof TouchError)) throw error;
    }
  }
  return undefined;
}

/** Sheets that go around the body too, as far as its mesh tells what is inside. */
function replacement(mesh: RestMesh, particles: ArrayLike<number>, labels: ArrayLike<number>, shared: Shared): Sheets {
  const body: TriangleMesh = { positions: mesh.positions, triangles: mesh.indices };
  const solid = prepareSolid(body);
  return makeSheets(particles, labels, { ...shared, body, contains: (point) => isInside(solid, point) });
}

/** The body without seams: vertices at a position are one. Triangles without an area are left out. */
function weldedBody({ positions, indices }: RestMesh, same: Uint32Array) {
  const triangles: number[] = [];
  const sources: number[] = [];
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [same[indices[t]!]!, same[indices[t + 1]!]!, same[indices[t + 2]!]!];
    if (a === b || b === c || c === a) continue;
    triangles.push(a, b, c);
    sources.push(t / 3);
  }
  const body: TriangleMesh = { positions, triangles: Uint32Array.from(triangles) };
  return { body, sources };
}

/** Vertices of the body's surface after the cut, each with its own normal and texture coordinates. */
class SurfaceLooks implements Looks {
  readonly positions: number[];
  readonly normals: number[];
  readonly uvs: number[] | undefined;
  readonly colors: number[] | undefined;
  readonly #mesh: RestMesh;
  readonly #crossings: readonly Crossing[];
  readonly #positions: Float64Array;
  readonly #known = new Map<string, number>();
  /** Vertices of the cut that the new ones are at. */
  readonly nodeOf = new Map<number, number>();

  constructor(mesh: RestMesh, crossings: readonly Crossing[], positions: Float64Array) {
    this.#mesh = mesh;
    this.#crossings = crossings;
    this.#positions = positions;
    this.positions = [...mesh.positions];
    this.normals = [...mesh.normals];
    this.uvs = mesh.uvs && [...mesh.uvs];
    this.colors = mesh.colors && [...mesh.colors];
  }

  /** Vertices of all corners. */
  add(surface: CutFaces, sources: readonly number[], body: TriangleMesh, sheetVertices: number): Uint32Array {
    const { indices } = this.#mesh;
    const first = body.positions.length / 3 + sheetVertices;
    return surface.triangles.map((node, c) => {
      const welded = 3 * surface.sources[Math.floor(c / 3)]!;
      const own = 3 * sources[welded / 3]!;
      /** The corner of the triangle with a vertex of the body. */
      const cornerOf = (v: number) => indices[own + [0, 1, 2].find((k) => body.triangles[welded + k] === v)!]!;
      if (node < first) return cornerOf(node);
      const { low, high, share, isOfBody } = this.#crossings[node - first]!;
      if (isOfBody) return this.#between(node, [cornerOf(low), cornerOf(high)], [1 - share, share]);
      const corners = [indices[own]!, indices[own + 1]!, indices[own + 2]!];
      return this.#between(node, corners, this.#weights(node, corners));
    });
  }

  #between(node: number, corners: readonly number[], weights: readonly number[]): number {
    const key = `${node} ${corners.join(' ')}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.positions.length / 3;
    const mix = (values: ArrayLike<number>, components: number) =>
      Array.from({ length: components }, (_, k) =>
        corners.reduce((sum, v, n) => sum + weights[n]! * values[components * v + k]!, 0),
      );
    for (let k = 0; k < 3; k++) this.positions.push(this.#positions[3 * node + k]!);
    const normal = mix(this.#mesh.normals, 3);
    const length = Math.sqrt(normal.reduce((sum, x) => sum + x * x, 0)) || 1;
    this.normals.push(...normal.map((x) => x / length));
    if (this.#mesh.uvs) this.uvs!.push(...mix(this.#mesh.uvs, 2));
    if (this.#mesh.colors) this.colors!.push(...mix(this.#mesh.colors, 4));
    this.#known.set(key, number);
    this.nodeOf.set(number, node);
    return number;
  }

  /** Barycentric coordinates of a vertex of the cut in a triangle. */
  #weights(node: number, corners: readonly number[]): number[] {
    const x = this.#mesh.positions;
    const [a, b, c] = corners.map((v) => 3 * v) as [number, number, number];
    const edge = (to: number) => [0, 1, 2].map((k) => x[to + k]! - x[a + k]!);
    const [u, v] = [edge(b), edge(c)];
    const p = [0, 1, 2].map((k) => this.#positions[3 * node + k]! - x[a + k]!);
    const dot = (m: readonly number[], n: readonly number[]) => m[0]! * n[0]! + m[1]! * n[1]! + m[2]! * n[2]!;
    const [uu, uv, vv, up, vp] = [dot(u, u), dot(u, v), dot(v, v), dot(u, p), dot(v, p)];
    const det = uu * vv - uv * uv;
    if (!(det > 0)) return [1, 0, 0];
    const [s, t] = [(vv * up - uv * vp) / det, (uu * vp - uv * up) / det];
    return [1 - s - t, s, t];
  }
}

function push(lists: Map<number, number[]>, key: number, item: number): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
