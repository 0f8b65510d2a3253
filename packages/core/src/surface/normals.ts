import { triangleNormal } from '../mesh/triangle.js';
import { weldMap } from '../mesh/weld.js';
import type { TriangleMesh } from '../options/types.js';

/** A mesh whose vertices are split where its surface has an edge, so that each has one normal. */
export interface SmoothedMesh extends TriangleMesh {
  /** For every vertex the one of the original mesh. */
  readonly source: Uint32Array;
}

/**
 * Corners share a vertex, and so a normal, where their faces meet at less than `angle` [degrees]. Vertices
 * at the same position count as one, so seams of a file do not show: those within `same` of the mesh's size.
 */
export function splitAtCreases(mesh: TriangleMesh, angle: number, same = 1e-7): SmoothedMesh {
  const { positions, triangles } = mesh;
  const welded = weldMap(positions, same * extentOf(positions));
  const faces = faceNormals(positions, triangles);
  const limit = Math.cos((angle * Math.PI) / 180);
  const corners = cornersByVertex(welded, triangles);
  const vertexOf = new Uint32Array(triangles.length);
  const source: number[] = [];
  const done = new Uint8Array(triangles.length);
  const group = new Uint32Array(triangles.length);
  for (let k = 0; k < corners.vertices.length; k++) {
    const v = corners.vertices[k]!;
    const begin = corners.starts[v]!;
    const end = corners.starts[v + 1]!;
    // Mostly everything is near to the first face.
    if (isSoft(corners.list, begin, end, faces, limit)) {
      for (let n = begin; n < end; n++) vertexOf[corners.list[n]!] = source.length;
      source.push(v);
      continue;
    }
    for (let first = begin; first < end; first++) {
      if (done[first]) continue;
      // Everything that hangs together over soft edges.
      group[0] = first;
      done[first] = 1;
      let size = 1;
      for (let next = 0; next < size; next++) {
        const corner = corners.list[group[next]!]!;
        vertexOf[corner] = source.length;
        const n = corner - (corner % 3);
        for (let other = begin; other < end; other++) {
          if (done[other]) continue;
          const m = corners.list[other]! - (corners.list[other]! % 3);
          if (faces[n]! * faces[m]! + faces[n + 1]! * faces[m + 1]! + faces[n + 2]! * faces[m + 2]! < limit) continue;
          done[other] = 1;
          group[size++] = other;
        }
      }
      source.push(v);
    }
  }
  const split = new Float64Array(3 * source.length);
  for (let i = 0; i < source.length; i++) {
    const at = 3 * source[i]!;
    split[3 * i] = positions[at]!;
    split[3 * i + 1] = positions[at + 1]!;
    split[3 * i + 2] = positions[at + 2]!;
  }
  return { positions: split, triangles: vertexOf, source: Uint32Array.from(source) };
}

/** Do all faces at these corners meet the first at less than the angle with this cosine? */
function isSoft(list: Uint32Array, begin: number, end: number, faces: Float64Array, limit: number): boolean {
  const n = list[begin]! - (list[begin]! % 3);
  const x = faces[n]!;
  const y = faces[n + 1]!;
  const z = faces[n + 2]!;
  for (let other = begin + 1; other < end; other++) {
    const m = list[other]! - (list[other]! % 3);
    if (x * faces[m]! + y * faces[m + 1]! + z * faces[m + 2]! < limit) return false;
  }
  return true;
}

/** Corners at each vertex: entries [starts[v], starts[v + 1]) of the list; vertices in the order of the triangles. */
function cornersByVertex(welded: Uint32Array, triangles: Uint32Array) {
  const starts = new Uint32Array(welded.length + 1);
  const vertices: number[] = [];
  for (let c = 0; c < triangles.length; c++) {
    const v = welded[triangles[c]!]!;
    if (starts[v + 1]!++ === 0) vertices.push(v);
  }
  for (let v = 0; v < welded.length; v++) starts[v + 1]! += starts[v]!;
  const fill = starts.slice();
  const list = new Uint32Array(triangles.length);
  for (let c = 0; c < triangles.length; c++) list[fill[welded[triangles[c]!]!]!++] = c;
  return { starts, list, vertices };
}

/** Unit normals of vertices: those of the faces around, weighted by their angles. */
export function vertexNormals(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  out: Float32Array | Float64Array = new Float64Array(positions.length),
): Float32Array | Float64Array {
  out.fill(0);
  const faces = faceNormals(positions, triangles);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let corner = 0; corner < 3; corner++) {
      const a = 3 * triangles[t + corner]!;
      const b = 3 * triangles[t + ((corner + 1) % 3)]!;
      const c = 3 * triangles[t + ((corner + 2) % 3)]!;
      const weight = angleAt(positions, a, b, c);
      out[a]! += weight * faces[t]!;
      out[a + 1]! += weight * faces[t + 1]!;
      out[a + 2]! += weight * faces[t + 2]!;
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.sqrt(out[i]! * out[i]! + out[i + 1]! * out[i + 1]! + out[i + 2]! * out[i + 2]!);
    const scale = length > 0 ? 1 / length : 0;
    for (let k = 0; k < 3; k++) out[i + k]! *= scale;
  }
  return out;
}

function faceNormals(positions: ArrayLike<number>, triangles: ArrayLike<number>): Float64Array {
  const normals = new Float64Array(triangles.length);
  const normal = new Float64Array(3);
  for (let t = 0; t < triangles.length; t += 3) {
    const length = triangleNormal(positions, triangles[t]!, triangles[t + 1]!, triangles[t + 2]!, normal);
    const scale = length > 0 ? 1 / length : 0;
    for (let k = 0; k < 3; k++) normals[t + k] = normal[k]! * scale;
  }
  return normals;
}

/** Of the corner at `a` [rad]. */
function angleAt(p: ArrayLike<number>, a: number, b: number, c: number): number {
  const ux = p[b]! - p[a]!;
  const uy = p[b + 1]! - p[a + 1]!;
  const uz = p[b + 2]! - p[a + 2]!;
  const vx = p[c]! - p[a]!;
  const vy = p[c + 1]! - p[a + 1]!;
  const vz = p[c + 2]! - p[a + 2]!;
  const dot = ux * vx + uy * vy + uz * vz;
  const size = Math.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz));
  return size > 0 ? Math.acos(Math.min(1, Math.max(-1, dot / size))) : 0;
}

function extentOf(positions: ArrayLike<number>): number {
  let extent = 0;
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < positions.length; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    extent = Math.max(extent, high - low);
  }
  return extent;
}
