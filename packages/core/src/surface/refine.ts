import type { TriangleMesh } from '../options/types.js';

/** More triangles than this are not made, whatever the edges. */
const MOST_TRIANGLES = 2_000_000;

/**
 * The same surface in smaller triangles: edges longer than `longest` [m] are halved, in both of their
 * triangles alike, until none is left. No holes come up, and vertices of the mesh keep their numbers.
 */
export function refineMesh(mesh: TriangleMesh, longest: number): TriangleMesh {
  if (!(longest > 0)) throw new RangeError(`edges must be longer than 0 m, got ${longest}`);
  const positions = Array.from(mesh.positions);
  let triangles: ArrayLike<number> = mesh.triangles;
  for (;;) {
    const split = splitEdges(positions, triangles, longest);
    if (split === undefined || split.length / 3 > MOST_TRIANGLES) break;
    triangles = split;
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Triangles with every long edge halved once; undefined when there are none. */
function splitEdges(positions: number[], triangles: ArrayLike<number>, longest: number): number[] | undefined {
  const middles = new Map<number, number>();
  const limit = longest * longest;
  const vertexCount = positions.length / 3;
  const middle = (a: number, b: number): number => {
    const square = [0, 1, 2].reduce((sum, k) => sum + (positions[3 * a + k]! - positions[3 * b + k]!) ** 2, 0);
    if (square <= limit) return -1;
    const key = a < b ? a * vertexCount + b : b * vertexCount + a;
    let vertex = middles.get(key);
    if (vertex === undefined) {
      vertex = positions.length / 3;
      for (let k = 0; k < 3; k++) positions.push((positions[3 * a + k]! + positions[3 * b + k]!) / 2);
      middles.set(key, vertex);
    }
    return vertex;
  };
  const out: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    let corners = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!] as [number, number, number];
    let [ab, bc, ca] = [middle(corners[0], corners[1]), middle(corners[1], corners[2]), middle(corners[2], corners[0])];
    // Turned so that a lone split edge is ab, and a lone whole one is ca.
    while ((ab < 0 && (bc >= 0 || ca >= 0)) || (ca >= 0 && bc < 0)) {
      corners = [corners[1], corners[2], corners[0]];
      [ab, bc, ca] = [bc, ca, ab];
    }
    const [a, b, c] = corners;
    if (ab < 0) out.push(a, b, c);
    else if (bc < 0) out.push(a, ab, c, ab, b, c);
    else if (ca < 0) out.push(ab, b, bc, a, ab, bc, a, bc, c);
    else out.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
  }
  return middles.size === 0 ? undefined : out;
}
