/** Stanford PLY, binary little-endian, with attributes as properties of vertices. */

import { tensorColumns } from 'phyxel';
import { type Format, meshWriter, numbered } from './format.js';
import type { ExportAttributes, ExportMesh, ExportPoints } from './geometry.js';

const AXES = ['x', 'y', 'z'];

/** Name of each component of an attribute: velocity_x and so on. */
function propertyNames(attributes: ExportAttributes): string[] {
  return Object.entries(attributes).flatMap(([name, { components }]) =>
    components === 1
      ? [name]
      : Array.from({ length: components }, (_, c) => `${name}_${tensorColumns(components)?.[c] ?? AXES[c] ?? c}`),
  );
}

function encodePly(geometry: ExportMesh | ExportPoints): Uint8Array {
  const { positions, attributes } = geometry;
  const mesh = 'indices' in geometry ? geometry : undefined;
  const vertices = positions.length / 3;
  const triangles = (mesh?.indices.length ?? 0) / 3;
  const properties = [
    ...AXES,
    ...(mesh ? ['nx', 'ny', 'nz'] : []),
    ...(mesh?.uvs ? ['s', 't'] : []),
    ...propertyNames(attributes),
  ];
  const header = [
    'ply',
    'format binary_little_endian 1.0',
    'comment metres, y up',
    `element vertex ${vertices}`,
    ...properties.map((name) => `property float ${name}`),
    ...(mesh ? [`element face ${triangles}`, 'property list uchar uint vertex_indices'] : []),
    'end_header\n',
  ].join('\n');
  const start = Buffer.byteLength(header);
  const stride = 4 * properties.length;
  const file = Buffer.alloc(start + stride * vertices + 13 * triangles);
  file.write(header, 'latin1');
  const columns = [
    { components: 3, values: positions },
    ...(mesh ? [{ components: 3, values: mesh.normals }] : []),
    ...(mesh?.uvs ? [{ components: 2, values: mesh.uvs }] : []),
    ...Object.values(attributes),
  ];
  let column = start;
  for (const { components, values } of columns) {
    for (let i = 0; i < vertices; i++) {
      for (let c = 0; c < components; c++) file.writeFloatLE(values[i * components + c]!, column + i * stride + 4 * c);
    }
    column += 4 * components;
  }
  let at = start + stride * vertices;
  for (let k = 0; k < 3 * triangles; k += 3) {
    file[at] = 3;
    for (let c = 0; c < 3; c++) file.writeUInt32LE(mesh!.indices[k + c]!, at + 1 + 4 * c);
    at += 13;
  }
  return file;
}

export const ply: Format = ({ write }) => {
  const writeMeshes = meshWriter(write, 'ply', encodePly);
  return {
    add(frame) {
      writeMeshes(frame);
      write(numbered('particles', frame.frame, 'ply'), encodePly(frame.points));
    },
  };
};
