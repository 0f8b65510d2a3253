/** VTK XML PolyData and its collection over time, for ParaView. */
import { escapeXml } from '../escape-xml.js';
import { type Format, meshWriter, numbered } from './format.js';
import { bytesOf, type ExportAttributes, type ExportMesh, type ExportPoints } from './geometry.js';

/** An array as base64, after the number of its bytes as a UInt32. */
function dataArray(name: string, components: number, values: Float32Array | Uint32Array): string {
  const bytes = bytesOf(values);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  const type = values instanceof Float32Array ? 'Float32' : 'UInt32';
  const data = Buffer.concat([length, bytes]).toString('base64');
  return `<DataArray type="${type}" Name="${escapeXml(name)}" NumberOfComponents="${components}" format="binary">${data}</DataArray>`;
}

function pointData(attributes: ExportAttributes, { normals, uvs }: Partial<ExportMesh>): string {
  const arrays = Object.entries(attributes).map(([name, { components, values }]) =>
    dataArray(name, components, values),
  );
  if (uvs) arrays.unshift(dataArray('TextureCoordinates', 2, uvs));
  if (normals) arrays.unshift(dataArray('Normals', 3, normals));
  const roles = `${normals ? ' Normals="Normals"' : ''}${uvs ? ' TCoords="TextureCoordinates"' : ''}`;
  return `<PointData${roles}>${arrays.join('\n')}</PointData>`;
}

/** For every triangle the number of its material, where there are several. */
function cellData({ parts, indices }: ExportMesh): string {
  if (parts.length < 2) return '';
  const numbers = new Float32Array(indices.length / 3);
  for (const [k, { begin, end }] of parts.entries()) numbers.fill(k, begin / 3, end / 3);
  return `<CellData>${dataArray('material', 1, numbers)}</CellData>`;
}

/** Cells of `corners` points each. */
function cells(kind: 'Verts' | 'Polys', connectivity: Uint32Array, corners: number): string {
  const offsets = Uint32Array.from({ length: connectivity.length / corners }, (_, k) => corners * (k + 1));
  return `<${kind}>${dataArray('connectivity', 1, connectivity)}${dataArray('offsets', 1, offsets)}</${kind}>`;
}

function encodeVtp(geometry: ExportMesh | ExportPoints): string {
  const { positions, attributes } = geometry;
  const mesh = 'indices' in geometry ? geometry : undefined;
  const points = positions.length / 3;
  const shape = mesh
    ? cells('Polys', mesh.indices, 3)
    : cells(
        'Verts',
        Uint32Array.from({ length: points }, (_, i) => i),
        1,
      );
  const counts = mesh
    ? `NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="${mesh.indices.length / 3}"`
    : `NumberOfVerts="${points}" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0"`;
  return `<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt32">
<PolyData><Piece NumberOfPoints="${points}" ${counts}>
${pointData(attributes, mesh ?? {})}${mesh ? cellData(mesh) : ''}
<Points>${dataArray('Points', 3, positions)}</Points>
${shape}
</Piece></PolyData>
</VTKFile>
`;
}

/** Files with the time that each stands for; several of one time are parts. */
function encodePvd(files: readonly TimedFile[]): string {
  const rows = files.map(
    ({ time, part, file }) => `<DataSet timestep="${time}" group="" part="${part}" file="${escapeXml(file)}"/>`,
  );
  return `<?xml version="1.0"?>
<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">
<Collection>
${rows.join('\n')}
</Collection>
</VTKFile>
`;
}

interface TimedFile {
  readonly time: number;
  readonly part: number;
  readonly file: string;
}

export const vtp: Format = ({ write }) => {
  const writeMeshes = meshWriter(write, 'vtp', encodeVtp);
  const meshFiles: TimedFile[] = [];
  const pointFiles: TimedFile[] = [];
  return {
    add(whole) {
      const { frame, time, points } = whole;
      for (const [part, file] of writeMeshes(whole).entries()) meshFiles.push({ time, part, file });
      const file = numbered('particles', frame, 'vtp');
      write(file, encodeVtp(points));
      pointFiles.push({ time, part: 0, file });
    },
    finish() {
      if (meshFiles.length > 0) write('meshes.pvd', encodePvd(meshFiles));
      write('particles.pvd', encodePvd(pointFiles));
    },
  };
};
