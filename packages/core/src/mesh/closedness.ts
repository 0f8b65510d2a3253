import { DisjointSets, findEdges } from './edges.js';

/** Whether a mesh bounds a volume, and what it bounds. */
export interface Closedness {
  /** Edges with one triangle. */
  readonly openEdges: number;
  /** Edges with more than two triangles. */
  readonly nonManifoldEdges: number;
  /** Edges whose two triangles run along it the same way. */
  readonly turnedEdges: number;
  /** Coordinates that are no numbers. */
  readonly lostVertices: number;
  /** Pieces that hang together. */
  readonly pieces: number;
  /** Of all pieces together, outwards positive [m3]. */
  readonly volume: number;
  /** [m2] */
  readonly area: number;
}

/**
 * `same` tells for every vertex which other stands for it: files have several vertices at a position where they have
 * seams. Triangles that are a line or a point are left out.
 */
export function meshClosedness(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  same?: Uint32Array,
): Closedness {
  const count = positions.length / 3;
  const points = Float64Array.from(positions);
  const corners = new Uint32Array(3 * Math.floor(triangles.length / 3));
  let used = 0;
  let volume = 0;
  let area = 0;
  const sets = new DisjointSets(count);
  // About the first vertex, where the terms are smaller than about the origin.
  const at = (v: number, k: number) => points[3 * v + k]! - points[k]!;
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const a = same?.[triangles[t]!] ?? triangles[t]!;
    const b = same?.[triangles[t + 1]!] ?? triangles[t + 1]!;
    const c = same?.[triangles[t + 2]!] ?? triangles[t + 2]!;
    if (a === b || b === c || c === a) continue;
    corners[used++] = a;
    corners[used++] = b;
    corners[used++] = c;
    sets.join(a, b);
    sets.join(b, c);
    const [px, py, pz] = [at(a, 0), at(a, 1), at(a, 2)];
    const [ux, uy, uz] = [at(b, 0) - px, at(b, 1) - py, at(b, 2) - pz];
    const [vx, vy, vz] = [at(c, 0) - px, at(c, 1) - py, at(c, 2) - pz];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    volume += (px * nx + py * ny + pz * nz) / 6;
    area += Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
  }
  const welded = corners.subarray(0, used);
  const { openEdges, nonManifoldEdges, inconsistentEdges } = findEdges(welded, count);
  return {
    openEdges,
    nonManifoldEdges: nonManifoldEdges,
    turnedEdges: inconsistentEdges,
    lostVertices: points.reduce((sum, x) => sum + (Number.isFinite(x) ? 0 : 1), 0),
    pieces: countPieces(welded, sets),
    volume,
    area,
  };
}

function countPieces(corners: Uint32Array, sets: DisjointSets): number {
  // The smallest vertex of a piece stands for it.
  const seen = new Uint8Array(corners.reduce((most, v) => Math.max(most, v), -1) + 1);
  let pieces = 0;
  for (const v of corners) {
    if (seen[v] === 1) continue;
    seen[v] = 1;
    if (sets.find(v) === v) pieces++;
  }
  return pieces;
}
