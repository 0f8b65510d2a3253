/** A pyramid with edges of 3 m, in the formats that can be dropped in. */
const CORNERS = [
  [0, 0, 0],
  [3, 0, 0],
  [0, 3, 0],
  [0, 0, 3],
];
const FACES = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
];

export function pyramid(format: 'obj' | 'ply' | 'stl' | 'glb'): Uint8Array {
  if (format === 'glb') return glb();
  const corners = CORNERS.map((corner) => corner.join(' '));
  if (format === 'obj') {
    const faces = FACES.map((face) => `f ${face.map((k) => k + 1).join(' ')}`);
    return text([...corners.map((corner) => `v ${corner}`), ...faces]);
  }
  if (format === 'ply') {
    const counts = ['element vertex 4', 'property float x', 'property float y', 'property float z', 'element face 4'];
    const head = ['ply', 'format ascii 1.0', ...counts, 'property list uchar int vertex_indices', 'end_header'];
    return text([...head, ...corners, ...FACES.map((face) => `3 ${face.join(' ')}`)]);
  }
  const facets = FACES.flatMap((face) => [
    'facet normal 0 0 0',
    'outer loop',
    ...face.map((k) => `vertex ${corners[k]}`),
    'endloop',
    'endfacet',
  ]);
  return text(['solid pyramid', ...facets, 'endsolid pyramid']);
}

function text(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

function glb(): Uint8Array {
  const places = new Float32Array(CORNERS.flat());
  const indices = new Uint16Array(FACES.flat());
  const body = new Uint8Array(places.byteLength + indices.byteLength);
  body.set(new Uint8Array(places.buffer));
  body.set(new Uint8Array(indices.buffer), places.byteLength);
  const description = JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0], max: [3, 3, 3] },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: places.byteLength },
      { buffer: 0, byteOffset: places.byteLength, byteLength: indices.byteLength },
    ],
    buffers: [{ byteLength: body.length }],
  });
  const json = new TextEncoder().encode(description.padEnd(4 * Math.ceil(description.length / 4)));
  const out = new Uint8Array(28 + json.length + body.length);
  const words = [0x46546c67, 2, out.length, json.length, 0x4e4f534a];
  const view = new DataView(out.buffer);
  for (const [k, word] of words.entries()) view.setUint32(4 * k, word, true);
  out.set(json, 20);
  view.setUint32(20 + json.length, body.length, true);
  view.setUint32(24 + json.length, 0x004e4942, true);
  out.set(body, 28 + json.length);
  return out;
}
