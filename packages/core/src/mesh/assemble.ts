import { MeshError } from './error.js';
import type { MeshFinish, TriangleMesh } from './types.js';

/** Upper bound of vertices and of triangles in one mesh: beyond it arrays would not fit in memory. */
export const MAX_ELEMENTS = 100_000_000;

/** Text longer than this cannot be held in one string by every engine. */
const MAX_TEXT_BYTES = 400_000_000;

/** A mesh from raw lists, or an error where a coordinate is not finite or an index has no vertex. */
export function assembleMesh(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  file: string,
  finish?: MeshFinish,
): TriangleMesh {
  const vertexCount = positions.length / 3;
  if (triangles.length === 0) throw new MeshError(file, '', 'has no triangles');
  const outPositions = positions instanceof Float64Array ? positions : Float64Array.from(positions);
  for (let i = 0; i < outPositions.length; i++) {
    if (!Number.isFinite(outPositions[i])) {
      throw new MeshError(file, `vertex ${Math.floor(i / 3)}`, 'coordinates must be finite');
    }
  }
  for (let i = 0; i < triangles.length; i++) {
    const v = triangles[i]!;
    if (!(v >= 0 && v < vertexCount)) {
      throw new MeshError(
        file,
        `triangle ${Math.floor(i / 3)}`,
        `vertex ${v} does not exist, there are ${vertexCount}`,
      );
    }
  }
  return {
    positions: outPositions,
    triangles: triangles instanceof Uint32Array ? triangles : Uint32Array.from(triangles),
    ...(finish && { finish }),
  };
}

/** Bytes as text; malformed UTF-8 becomes replacement characters, which no rule accepts as a number. */
export function decodeText(bytes: Uint8Array, file: string): string {
  if (bytes.length > MAX_TEXT_BYTES)
    throw new MeshError(file, '', 'text files must be smaller than 400 MB: use a binary format');
  return new TextDecoder().decode(bytes);
}
