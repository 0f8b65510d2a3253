/** Whatever a glTF file says: a mesh, or a MeshError that begins with the name of the file. */
import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/browser/failure.js';
import { MeshError } from '../../src/mesh/error.js';
import type { TriangleMesh } from '../../src/options/types.js';
import { readMeshFile } from '../../src/scene/mesh-file.js';
import { dataUri, encodeGlb, encodeGltf } from '../mesh/encode.js';
import { boxMesh } from '../mesh/meshes.js';

const BOX = boxMesh([1, 1, 1]);
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
const { json, buffer } = encodeGltf(BOX, {
  node: { rotation: [0, 0, 0, 1], scale: [1, 1, 1], translation: [0, 0, 0] },
});

/** Something of everything that the reader looks at. */
const MODEL = {
  ...json,
  extensionsUsed: ['KHR_materials_ior'],
  nodes: [...json.nodes, { matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], children: [0] }],
  scenes: [{ nodes: [1] }],
  meshes: [
    {
      primitives: [
        { attributes: { POSITION: 1, NORMAL: 1, TEXCOORD_0: 2, COLOR_0: 1 }, indices: 0, material: 0, mode: 4 },
      ],
    },
  ],
  accessors: [
    ...json.accessors,
    {
      bufferView: 1,
      byteOffset: 0,
      componentType: 5126,
      count: 8,
      type: 'VEC2',
      normalized: false,
      sparse: {
        count: 1,
        indices: { bufferView: 0, byteOffset: 0, componentType: 5121 },
        values: { bufferView: 1, byteOffset: 0 },
      },
    },
  ],
  bufferViews: [json.bufferViews[0], { ...json.bufferViews[1], byteStride: 12 }],
  materials: [
    {
      name: 'm',
      alphaMode: 'BLEND',
      pbrMetallicRoughness: {
        baseColorFactor: [1, 1, 1, 1],
        roughnessFactor: 1,
        metallicFactor: 0,
        baseColorTexture: { index: 0, texCoord: 0 },
      },
      extensions: { KHR_materials_ior: { ior: 1.5 }, KHR_materials_transmission: { transmissionFactor: 1 } },
    },
  ],
  textures: [{ source: 0, sampler: 0 }],
  samplers: [{ wrapS: 10497, wrapT: 33071 }],
  images: [{ uri: 'picture%20of.png' }],
  buffers: [{ byteLength: buffer.length, uri: 'a.bin' }],
};

const ODD: unknown[] = [
  ...[undefined, null, true, 0, -1, 0.5, 3, 4e9, 1e300, '', 'x', [], {}, [null], [[]], { uri: null }],
  ...[
    '%zz',
    '%E0%A4',
    'http://x.example/a.bin',
    'HTTPS:a',
    '//host/a',
    '/etc/passwd',
    '\\\\host\\a',
    'C:/a',
    'file:///a',
  ],
  ...[
    '../../a.bin',
    '..%2f..%2fa.bin',
    'data:',
    'data:,x',
    'data:;base64,!',
    dataUri(Uint8Array.of(1)),
    'a\0b',
    'no.bin',
  ],
];

/** All paths into a value. */
function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const FILES: Record<string, Uint8Array> = { 'm/a.bin': buffer, 'm/picture of.png': PNG };

function open(bytes: Uint8Array, file: string): Promise<TriangleMesh> {
  return readMeshFile(file, async (path) => {
    expect(path).toMatch(/^[^/\\:]+(\/[^/\\:]+)*$/);
    expect(path.split('/')).not.toContain('..');
    if (path === file) return bytes;
    if (!FILES[path]) throw new Error('is not there');
    return FILES[path];
  });
}

/** The message, or nothing when there is a mesh. */
async function problemOf(bytes: Uint8Array, file: string): Promise<string | undefined> {
  try {
    const mesh = await open(bytes, file);
    expect(mesh.triangles.length).toBeGreaterThan(0);
    expect(mesh.positions.every(Number.isFinite)).toBe(true);
    return undefined;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    expect(error.message.startsWith(`${file}: `)).toBe(true);
    expect(error.message.split(file)).toHaveLength(2);
    expect(error.message).not.toMatch(/undefined|destructure|is not a function|\[object|NaN/);
    expect(describeError(error).message).toBe(error.message);
    return error.message;
  }
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value) ?? '');

describe('a glTF file', () => {
  it('is read with what it refers to', async () => {
    const { finish, triangles } = await open(encode(MODEL), 'm/a.gltf');
    expect(triangles).toHaveLength(36);
    expect(finish!.materials!.list[0]!.texture!.bytes).toEqual(PNG);
    const { uri: _, ...own } = MODEL.buffers[0]!;
    const glb = encodeGlb({ ...MODEL, buffers: [own] }, buffer);
    expect((await open(glb, 'm/a.glb')).finish!.materials!.list[0]!.texture!.bytes).toEqual(PNG);
  });

  it('with any of its values replaced is a mesh or an error with its name', async () => {
    const problems = new Set<string>();
    for (const path of pathsOf(MODEL)) {
      for (const odd of ODD) {
        const bytes = encode(replaced(MODEL, path, odd));
        const problem = await problemOf(bytes, 'm/a.gltf');
        if (problem) problems.add(problem);
      }
    }
    expect(problems.size).toBeGreaterThan(100);
  });

  it.each([
    ['{"buffers":[null]}', 'has no triangles'],
    ['{}', 'has no triangles'],
    ['null', 'glTF: must be an object'],
    [JSON.stringify({ ...MODEL, buffers: [null] }), 'buffer 0: must be an object'],
    [JSON.stringify({ ...MODEL, buffers: [{ byteLength: 4, uri: '%zz' }] }), 'buffer 0: "%zz" has "%" without'],
    [
      JSON.stringify({ ...MODEL, buffers: [{ byteLength: 4, uri: 'http://x.example/a.bin' }] }),
      "buffer 0: must be a path inside the scene's folder, not an address or drive",
    ],
    [
      JSON.stringify({ ...MODEL, buffers: [{ byteLength: 4, uri: '/etc/passwd' }] }),
      "buffer 0: must be a path inside the scene's folder, not an absolute one",
    ],
    [
      JSON.stringify({ ...MODEL, buffers: [{ byteLength: 4, uri: '..%2f..%2fa.bin' }] }),
      'it must not leave it with ".."',
    ],
    [JSON.stringify({ ...MODEL, buffers: [{ byteLength: 4, uri: 'no.bin' }] }), 'cannot read "no.bin": is not there'],
    [JSON.stringify({ ...MODEL, buffers: [{ byteLength: 1e6, uri: 'a.bin' }] }), 'buffer 0: needs 1000000 bytes'],
    [JSON.stringify({ ...MODEL, nodes: [{ children: [1] }, { children: [0] }] }), 'must have one parent only'],
    [`${'['.repeat(100_000)}`, 'is not valid JSON'],
    [`{"nodes":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'node 0: must be an object'],
  ])('that is wrong is refused (%#)', async (text, message) => {
    expect(await problemOf(new TextEncoder().encode(text), 'm/a.gltf')).toContain(message);
  });
});
