import type { TriangleMesh } from '../../src/options/types.js';

/** Small writers of the formats that readMesh reads. */

export function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function encodeObj({ positions, triangles }: TriangleMesh): Uint8Array {
  const lines = ['# a comment'];
  for (let v = 0; v < positions.length; v += 3) lines.push(`v ${positions[v]} ${positions[v + 1]} ${positions[v + 2]}`);
  for (let t = 0; t < triangles.length; t += 3) {
    lines.push(`f ${triangles[t]! + 1}/1/1 ${triangles[t + 1]! + 1}//2 ${triangles[t + 2]! + 1}`);
  }
  return text(lines.join('\r\n'));
}

export function encodePly({ positions, triangles }: TriangleMesh, format: 'ascii' | 'little' | 'big'): Uint8Array {
  const vertexCount = positions.length / 3;
  const faceCount = triangles.length / 3;
  const name = { ascii: 'ascii', little: 'binary_little_endian', big: 'binary_big_endian' }[format];
  const header =
    `ply\nformat ${name} 1.0\ncomment made for a test\nelement vertex ${vertexCount}\nproperty double x\nproperty uchar red\n` +
    `property double y\nproperty double z\nelement face ${faceCount}\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n`;
  if (format === 'ascii') {
    const lines: string[] = [];
    for (let v = 0; v < vertexCount; v++)
      lines.push(`${positions[3 * v]} 7 ${positions[3 * v + 1]} ${positions[3 * v + 2]}`);
    for (let t = 0; t < faceCount; t++)
      lines.push(`3 ${triangles[3 * t]} ${triangles[3 * t + 1]} ${triangles[3 * t + 2]} 0.5`);
    return text(`${header}${lines.join('\n')}\n`);
  }
  const head = text(header);
  const out = new Uint8Array(head.length + 25 * vertexCount + 17 * faceCount);
  out.set(head);
  const view = new DataView(out.buffer);
  const little = format === 'little';
  let at = head.length;
  for (let v = 0; v < vertexCount; v++) {
    view.setFloat64(at, positions[3 * v]!, little);
    view.setUint8(at + 8, 7);
    view.setFloat64(at + 9, positions[3 * v + 1]!, little);
    view.setFloat64(at + 17, positions[3 * v + 2]!, little);
    at += 25;
  }
  for (let t = 0; t < faceCount; t++) {
    view.setUint8(at, 3);
    for (let c = 0; c < 3; c++) view.setInt32(at + 1 + 4 * c, triangles[3 * t + c]!, little);
    view.setFloat32(at + 13, 0.5, little);
    at += 17;
  }
  return out;
}

export function encodeStl(
  { positions, triangles }: TriangleMesh,
  format: 'ascii' | 'binary',
  title = 'test',
): Uint8Array {
  if (format === 'ascii') {
    const lines = [`solid ${title}`];
    for (let t = 0; t < triangles.length; t += 3) {
      lines.push('facet normal 0 0 0', '  outer loop');
      for (let c = 0; c < 3; c++) {
        const v = 3 * triangles[t + c]!;
        lines.push(`    vertex ${positions[v]} ${positions[v + 1]} ${positions[v + 2]}`);
      }
      lines.push('  endloop', 'endfacet');
    }
    return text(`${lines.join('\n')}\nendsolid ${title}\n`);
  }
  const count = triangles.length / 3;
  const out = new Uint8Array(84 + 50 * count);
  out.set(text(`solid ${title}`));
  const view = new DataView(out.buffer);
  view.setUint32(80, count, true);
  for (let i = 0; i < triangles.length; i++) {
    for (let c = 0; c < 3; c++) {
      view.setFloat32(84 + 50 * Math.floor(i / 3) + 12 + 12 * (i % 3) + 4 * c, positions[3 * triangles[i]! + c]!, true);
    }
  }
  return out;
}

export interface GltfChoices {
  /** Bytes of an index; none for a mesh without indices. */
  readonly indexBytes?: 1 | 2 | 4;
  readonly node?: object;
  readonly extensionsRequired?: string[];
}

/** JSON and buffer of a glTF with one mesh. */
export function encodeGltf({ positions, triangles }: TriangleMesh, choices: GltfChoices = {}) {
  const { indexBytes = 4, node = {} } = choices;
  const indexLength = 4 * Math.ceil((triangles.length * indexBytes) / 4);
  const buffer = new Uint8Array(indexLength + 4 * positions.length);
  const view = new DataView(buffer.buffer);
  triangles.forEach((v, i) => {
    if (indexBytes === 1) view.setUint8(i, v);
    else if (indexBytes === 2) view.setUint16(2 * i, v, true);
    else view.setUint32(4 * i, v, true);
  });
  positions.forEach((x, i) => {
    view.setFloat32(indexLength + 4 * i, x, true);
  });
  const json = {
    asset: { version: '2.0' },
    ...(choices.extensionsRequired ? { extensionsRequired: choices.extensionsRequired } : {}),
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, ...node }],
    meshes: [{ primitives: [{ attributes: { POSITION: 1 }, indices: 0 }] }],
    accessors: [
      {
        bufferView: 0,
        componentType: { 1: 5121, 2: 5123, 4: 5125 }[indexBytes],
        count: triangles.length,
        type: 'SCALAR',
      },
      { bufferView: 1, componentType: 5126, count: positions.length / 3, type: 'VEC3' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: indexLength },
      { buffer: 0, byteOffset: indexLength, byteLength: 4 * positions.length },
    ],
    buffers: [{ byteLength: buffer.length } as { byteLength: number; uri?: string }],
  };
  return { json, buffer };
}

export function dataUri(bytes: Uint8Array): string {
  return `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`;
}

export function encodeGlb(json: object, buffer: Uint8Array): Uint8Array {
  const body = text(JSON.stringify(json));
  const jsonLength = 4 * Math.ceil(body.length / 4);
  const binaryLength = 4 * Math.ceil(buffer.length / 4);
  const out = new Uint8Array(12 + 8 + jsonLength + 8 + binaryLength);
  const view = new DataView(out.buffer);
  out.set(text('glTF'));
  view.setUint32(4, 2, true);
  view.setUint32(8, out.length, true);
  view.setUint32(12, jsonLength, true);
  view.setUint32(16, 0x4e4f534a, true);
  out.fill(0x20, 20, 20 + jsonLength);
  out.set(body, 20);
  view.setUint32(20 + jsonLength, binaryLength, true);
  view.setUint32(24 + jsonLength, 0x004e4942, true);
  out.set(buffer, 28 + jsonLength);
  return out;
}
