import type { TriangleMesh } from '../options/types.js';
import { assembleMesh, decodeText } from './assemble.js';
import { MeshError } from './error.js';

/**
 * Wavefront OBJ: `v` and `f` statements. Polygons become fans around their first corner; negative
 * numbers count back from the last vertex so far; texture and normal numbers are not needed here.
 */
export function readObj(bytes: Uint8Array, file: string): TriangleMesh {
  const lines = decodeText(bytes, file).split('\n');
  const positions: number[] = [];
  const triangles: number[] = [];
  let largest = -1;
  let largestLine = 0;
  for (let n = 0; n < lines.length; n++) {
    let text = lines[n]!.trim();
    const line = n + 1;
    while (text.endsWith('\\') && n + 1 < lines.length) text = `${text.slice(0, -1)} ${lines[++n]!.trim()}`;
    const isVertex = text.startsWith('v ') || text.startsWith('v\t');
    if (!isVertex && !text.startsWith('f ') && !text.startsWith('f\t')) continue;
    const comment = text.indexOf('#');
    const words = (comment < 0 ? text : text.slice(0, comment)).trim().split(/\s+/);
    if (isVertex) {
      if (words.length < 4) throw new MeshError(file, `line ${line}`, 'a vertex needs three coordinates');
      for (let c = 1; c <= 3; c++) {
        const value = Number(words[c]);
        if (!Number.isFinite(value)) {
          throw new MeshError(
            file,
            `line ${line}`,
            `coordinates must be finite numbers, got "${words[c]!.slice(0, 40)}"`,
          );
        }
        positions.push(value);
      }
      continue;
    }
    if (words.length < 4) throw new MeshError(file, `line ${line}`, 'a face needs at least three corners');
    const corners: number[] = [];
    for (let c = 1; c < words.length; c++) {
      const word = words[c]!;
      const slash = word.indexOf('/');
      const index = Number(slash < 0 ? word : word.slice(0, slash));
      const vertex = index > 0 ? index - 1 : positions.length / 3 + index;
      if (!Number.isInteger(index) || index === 0 || vertex < 0) {
        throw new MeshError(file, `line ${line}`, `"${word.slice(0, 40)}" is not the number of a vertex`);
      }
      if (vertex > largest) {
        largest = vertex;
        largestLine = line;
      }
      corners.push(vertex);
    }
    for (let c = 2; c < corners.length; c++) triangles.push(corners[0]!, corners[c - 1]!, corners[c]!);
  }
  if (largest >= positions.length / 3) {
    throw new MeshError(
      file,
      `line ${largestLine}`,
      `vertex ${largest + 1} does not exist, there are ${positions.length / 3}`,
    );
  }
  return assembleMesh(positions, triangles, file);
}
