/** Wavefront OBJ: every mesh of a frame as an object of its own. */
import type { ExportMesh } from './geometry.js';

/** Enough digits for every float32. */
const number = (x: number) => String(Number(x.toPrecision(9)));

function rows(key: string, values: Float32Array): string[] {
  const lines: string[] = [];
  for (let k = 0; k < values.length; k += 3) {
    lines.push(`${key} ${number(values[k]!)} ${number(values[k + 1]!)} ${number(values[k + 2]!)}`);
  }
  return lines;
}

export function encodeObj(meshes: readonly ExportMesh[]): string {
  const lines = ['# metres, y up'];
  let first = 1;
  for (const { name, positions, normals, indices } of meshes) {
    lines.push(`o ${name.replace(/\s/g, '_')}`, ...rows('v', positions), ...rows('vn', normals));
    for (let k = 0; k < indices.length; k += 3) {
      const corners = [0, 1, 2].map((c) => indices[k + c]! + first).map((v) => `${v}//${v}`);
      lines.push(`f ${corners.join(' ')}`);
    }
    first += positions.length / 3;
  }
  return `${lines.join('\n')}\n`;
}
