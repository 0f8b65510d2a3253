import { DisjointSets, findEdges } from './edges.js';

/** Whether a mesh bounds a volume, and what it bounds. */
export interface Closedness {
  /** Edges with one triangle. */
  readonly openEdges: number;
  /** Edges with more than two triangles. */
  readonly crowdedEdges: number;
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
 * `same` tells for every vertex which other stands for it: files have several vertices at a place where they have
 * seams. Triangles that are a line or a point are left out.
 */
export function meshClosedness(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  same?: Uint32Array,
): Closedness {
  const count = positions.length / 3;
  const places = Float64Array.from(positions);
  const corners: number[] = [];
  let volume = 0;
  let area = 0;
  const sets = new DisjointSets(count);
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => same?.[triangles[t + k]!] ?? triangles[t + k]!) as [number, number, number];
    if (a === b || b === c || c === a) continue;
    corners.push(a, b, c);
    sets.join(a, b);
    sets.join(b, c);
    // About the first vertex, where the terms are smaller than about the origin.
    const [p, q, r] = [a, b, c].map((v) => [0, 1, 2].map((k) => places[3 * v + k]! - places[k]!)) as [
      Point,
      Point,
      Point,
    ];
    const u = [q[0] - p[0], q[1] - p[1], q[2] - p[2]] as const;
    const v = [r[0] - p[0], r[1] - p[1], r[2] - p[2]] as const;
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]] as const;
    volume += (p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) / 6;
    area += Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
  }
  const { openEdges, nonManifoldEdges, inconsistentEdges } = findEdges(Uint32Array.from(corners), count);
  return {
    openEdges,
    crowdedEdges: nonManifoldEdges,
    turnedEdges: inconsistentEdges,
    lostVertices: places.reduce((sum, x) => sum + (Number.isFinite(x) ? 0 : 1), 0),
    pieces: new Set(corners.map((v) => sets.find(v))).size,
    volume,
    area,
  };
}

type Point = [number, number, number];
