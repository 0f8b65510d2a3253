import { cross, length, subtract, type Vec3 } from '../math/matrix3.js';
import { cleanMesh } from './clean.js';
import type { TriangleMesh } from './types.js';

/** Rounds of flips; each leaves few slivers or none. */
const ROUNDS = 20;

/**
 * A closed mesh without triangles that are lower than a tolerance [m]: vertices that near to each other become one, and
 * where one is that near to the edge across from it, the edge is flipped. It stays closed, and surfaces that near to
 * each other vanish.
 */
export function withoutSlivers(mesh: TriangleMesh, tolerance: number): TriangleMesh {
  let made = cleanMesh(mesh, tolerance);
  for (let n = 0; n < ROUNDS; n++) {
    const flipped = flipSlivers(made, tolerance);
    if (!flipped) return made;
    made = cleanMesh(flipped, tolerance);
  }
  return made;
}

/** With the longest edge of every sliver flipped; undefined where there is none. */
function flipSlivers({ positions, triangles: given }: TriangleMesh, tolerance: number): TriangleMesh | undefined {
  const triangles = given.slice();
  const count = positions.length / 3;
  // Triangles by the directed edges from their corners to the next; -1 where an edge has several.
  const owners = new Map<number, number>();
  const own = (t: number) => {
    for (let c = 3 * t; c < 3 * t + 3; c++) {
      const key = triangles[c]! * count + triangles[c % 3 === 2 ? c - 2 : c + 1]!;
      owners.set(key, owners.has(key) ? -1 : t);
    }
  };
  for (let t = 0; 3 * t < triangles.length; t++) own(t);
  const touched = new Set<number>();
  for (let t = 0; 3 * t < triangles.length; t++) {
    if (touched.has(t)) continue;
    const c = sliverEdge(positions, triangles, t, tolerance);
    if (c === undefined) continue;
    const [u, w, v] = [0, 1, 2].map((k) => triangles[3 * t + ((c + k) % 3)]!) as [number, number, number];
    const other = owners.get(w * count + u) ?? -1;
    if (other < 0 || touched.has(other)) continue;
    const x = [0, 1, 2].map((k) => triangles[3 * other + k]!).find((corner) => corner !== u && corner !== w);
    // Two triangles on each other are left to the cleaning.
    if (x === undefined || x === v) continue;
    triangles.set([u, x, v], 3 * t);
    triangles.set([x, w, v], 3 * other);
    touched.add(t).add(other);
  }
  return touched.size > 0 ? { positions, triangles } : undefined;
}

/** The corner that the longest edge of a triangle begins at, if the triangle is lower than the tolerance above it. */
function sliverEdge(positions: Float64Array, triangles: Uint32Array, t: number, tolerance: number): number | undefined {
  const [a, b, c] = [0, 1, 2].map((k) => {
    const v = 3 * triangles[3 * t + k]!;
    return [positions[v]!, positions[v + 1]!, positions[v + 2]!] as const;
  }) as [Vec3, Vec3, Vec3];
  const edges = [subtract(b, a), subtract(c, b), subtract(a, c)] as const;
  const sizes = edges.map(length);
  const longest = sizes.indexOf(Math.max(...sizes));
  const area = length(cross(edges[0], edges[1]));
  return area < tolerance * sizes[longest]! ? longest : undefined;
}
