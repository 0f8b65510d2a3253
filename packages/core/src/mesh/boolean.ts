/**
 * Union, difference and intersection of closed meshes, by cutting both along their common lines (`partition.ts`).
 *
 * Faces in one plane would leave that undecided, and are common: a hole through a plate ends at its faces. So the
 * second mesh is made larger by a millionth of the extent, and turned and moved by less: holes go through, and what
 * is put together at a face overlaps. For an intersection it is made smaller: what only touches has none. That decides
 * how things cross; the vertices of the result are where the mesh that is not moved has them.
 */
import { add, cross, dot, length, scale, subtract, type Vec3 } from '../math/matrix3.js';
import { meshClosedness } from './closedness.js';
import { withoutContacts } from './contacts.js';
import { MeshError } from './error.js';
import { isInside } from './inside.js';
import { type Crossing, partitionSolid, TouchError } from './partition.js';
import { withoutSlivers } from './slivers.js';
import { boundsOf, prepareSolid, signedVolumes } from './solid.js';
import type { TriangleMesh } from './types.js';

/** How much larger or smaller the second mesh is made, and how far it is moved and turned at the most [extents]. */
const GROWTH = 1e-6;
const SHIFT = 2e-7;
/** What is thinner than this in the result comes from faces in one plane, and is left out [extents]. */
const THIN = 3e-6;
/** Ways to move it that are tried. */
const TRIES = 16;

export type MeshOperation = 'union' | 'difference' | 'intersection';

/** A mesh that bounds a volume, with its normals outwards and one vertex at each place. */
export function closedMesh(mesh: TriangleMesh, name: string): TriangleMesh {
  const solid = prepareSolid(mesh, name);
  if (!solid.oriented) throw new MeshError(name, '', 'must be closed to be combined with other shapes');
  const { positions } = solid.mesh;
  const volumes = signedVolumes(solid.mesh, solid.shellOf, solid.polarity.length);
  const triangles = solid.mesh.triangles.slice();
  for (const [t, shell] of solid.shellOf.entries()) {
    if (volumes[shell]! * solid.polarity[shell]! >= 0) continue;
    const b = triangles[3 * t + 1]!;
    triangles[3 * t + 1] = triangles[3 * t + 2]!;
    triangles[3 * t + 2] = b;
  }
  return { positions, triangles };
}

/** What two closed meshes make together; it may be empty. Both have their normals outwards, as `closedMesh` gives them. */
export function combineMeshes(operation: MeshOperation, a: TriangleMesh, b: TriangleMesh): TriangleMesh {
  if (b.triangles.length === 0) return operation === 'intersection' ? b : a;
  if (a.triangles.length === 0) return operation === 'union' ? b : a;
  const extent = extentOf(a, b);
  const [first, second] = [withoutContacts(a), withoutContacts(b)];
  for (let n = 0; n < TRIES; n++) {
    try {
      const made = withoutSlivers(
        combine(operation, first, second, moved(second, extent, n, operation), extent),
        THIN * extent,
      );
      const { openEdges, turnedEdges } = meshClosedness(made.positions, made.triangles);
      if (openEdges + turnedEdges === 0) return withoutUnused(made);
    } catch (error) {
      if (!(error instanceof TouchError)) throw error;
    }
  }
  throw new MeshError(operation, '', 'cannot be found: surfaces cross each other or themselves in too many places');
}

/** Decided with the moved mesh; vertices are where the one that is not moved has them. */
function combine(
  operation: MeshOperation,
  a: TriangleMesh,
  given: TriangleMesh,
  b: TriangleMesh,
  extent: number,
): TriangleMesh {
  const [inA, inB] = [prepareSolid(a), prepareSolid(b)];
  const pointOf = ({ positions }: TriangleMesh, v: number): Vec3 => [
    positions[3 * v]!,
    positions[3 * v + 1]!,
    positions[3 * v + 2]!,
  ];
  const count = b.triangles.length / 3;
  const sides = { front: new Int32Array(count), back: new Int32Array(count).fill(1) };
  const { crossings, surface, sheets } = partitionSolid(
    a,
    { ...b, ...sides },
    {
      regionAt: (v) => (isInside(inB, pointOf(a, v)) ? 1 : 0),
      isInside: (v) => isInside(inA, pointOf(b, v)),
      outside: operation === 'union',
    },
  );
  const region = operation === 'intersection' ? 1 : 0;
  const triangles: number[] = [];
  const isTurned = operation === 'difference';
  for (const [t, own] of surface.regions.entries()) {
    if (own === region) triangles.push(...surface.triangles.subarray(3 * t, 3 * t + 3));
  }
  for (let c = 0; c < sheets.triangles.length; c += 3) {
    const [u, v, w] = sheets.triangles.subarray(c, c + 3) as unknown as Vec3;
    triangles.push(u, isTurned ? w : v, isTurned ? v : w);
  }
  return { positions: vertices(a, given, crossings, THIN * extent), triangles: Uint32Array.from(triangles) };
}

/** Those of both meshes, and where edges of one cross the triangles of the other. */
function vertices(a: TriangleMesh, b: TriangleMesh, crossings: readonly Crossing[], near: number): Float64Array {
  const [first, second] = [a.positions.length, a.positions.length + b.positions.length];
  const positions = new Float64Array(second + 3 * crossings.length);
  positions.set(a.positions);
  positions.set(b.positions, first);
  const at = (v: number): Vec3 => [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!];
  for (const [n, { low, high, share, triangle, isOfBody }] of crossings.entries()) {
    const [corners, begin] = isOfBody ? [b.triangles, first / 3] : [a.triangles, 0];
    const [p, q, r] = [0, 1, 2].map((k) => at(begin + corners[3 * triangle + k]!)) as [Vec3, Vec3, Vec3];
    const normal = cross(subtract(q, p), subtract(r, p));
    const edge = subtract(at(high), at(low));
    const exact = dot(subtract(p, at(low)), normal) / dot(edge, normal);
    // Where both are nearly in one plane the crossing is anywhere between.
    const isNear = Math.abs(exact - share) * length(edge) < near;
    positions.set(add(at(low), scale(edge, isNear ? exact : share)), second + 3 * n);
  }
  return positions;
}

/** Without vertices that no triangle has. */
export function withoutUnused({ positions, triangles: corners }: TriangleMesh): TriangleMesh {
  const numbers = new Map<number, number>();
  const kept: number[] = [];
  const triangles = Uint32Array.from(corners, (v) => {
    let number = numbers.get(v);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(v, number);
      kept.push(positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!);
    }
    return number;
  });
  return { positions: Float64Array.from(kept), triangles };
}

function extentOf(a: TriangleMesh, b: TriangleMesh): number {
  const [p, q] = [boundsOf(a), boundsOf(b)];
  return Math.max(...[0, 1, 2].map((k) => Math.max(p.high[k]!, q.high[k]!) - Math.min(p.low[k]!, q.low[k]!)));
}

/** A mesh made a little larger, or smaller, moved and turned, differently for every n. */
function moved(
  { positions, triangles }: TriangleMesh,
  extent: number,
  n: number,
  operation: MeshOperation,
): TriangleMesh {
  const growth = (operation === 'intersection' ? -GROWTH : GROWTH) * extent;
  const { low, high } = boundsOf({ positions, triangles });
  const normals = outwards(positions, triangles);
  // Shares of the golden ratio and its powers do not come back.
  const share = (k: number) => (((n + 1) * (6 * k + 1) * 0.6180339887498949) % 1) * 2 - 1;
  const shift = [0, 1, 2].map((k) => share(k) * SHIFT * extent);
  const turn = [3, 4, 5].map((k) => share(k) * SHIFT);
  const out = new Float64Array(positions.length);
  for (let v = 0; v < positions.length; v += 3) {
    const from = [0, 1, 2].map((k) => positions[v + k]! - (low[k]! + high[k]!) / 2);
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3] as [number, number];
      const turned = turn[i]! * from[j]! - turn[j]! * from[i]!;
      out[v + k] = positions[v + k]! + growth * normals[v + k]! + shift[k]! + turned;
    }
  }
  return { positions: out, triangles };
}

/** Unit normals of vertices, means of those of the faces by about their angles. */
function outwards(positions: Float64Array, triangles: Uint32Array): Float64Array {
  const sums = new Float64Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let c = 0; c < 3; c++) {
      const [u, v, w] = [0, 1, 2].map((k) => 3 * triangles[t + ((c + k) % 3)]!) as [number, number, number];
      const from = (at: number): Vec3 => [
        positions[at]! - positions[u]!,
        positions[at + 1]! - positions[u + 1]!,
        positions[at + 2]! - positions[u + 2]!,
      ];
      const [p, q] = [from(v), from(w)];
      const normal = cross(p, q);
      const area = length(normal);
      if (!(area > 0)) continue;
      const weight = (1 - dot(p, q) / (length(p) * length(q))) / area;
      for (let k = 0; k < 3; k++) sums[u + k]! += weight * normal[k]!;
    }
  }
  for (let v = 0; v < sums.length; v += 3) {
    const size = length([sums[v]!, sums[v + 1]!, sums[v + 2]!]);
    for (let k = 0; k < 3; k++) sums[v + k] = size > 0 ? sums[v + k]! / size : 0;
  }
  return sums;
}
