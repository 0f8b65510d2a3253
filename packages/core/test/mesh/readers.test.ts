import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MeshError } from '../../src/mesh/error.js';
import { readMesh } from '../../src/mesh/read.js';
import { weldVertices } from '../../src/mesh/weld.js';
import type { TriangleMesh } from '../../src/options/types.js';
import { dataUri, encodeGlb, encodeGltf, encodeObj, encodePly, encodeStl, text } from './encode.js';
import { boxMesh, sphereMesh } from './meshes.js';

/** Coordinates that float32 holds exactly, so that every format keeps them. */
const BOX = boxMesh([1, 2, 0.5], [0.25, 0, -1]);
const BALL = sphereMesh(1, 1);

/** Corner coordinates in drawing order: the same however vertices are numbered. */
function corners({ positions, triangles }: TriangleMesh): number[] {
  return Array.from(triangles).flatMap((v) => [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!]);
}

function failure(bytes: Uint8Array, name: string): MeshError {
  try {
    readMesh(bytes, name);
  } catch (error) {
    expect(error).toBeInstanceOf(MeshError);
    expect((error as MeshError).message).not.toContain('\n');
    expect((error as MeshError).message.startsWith(name)).toBe(true);
    return error as MeshError;
  }
  throw new Error('no error');
}

describe('what is written is read back', () => {
  const { json, buffer } = encodeGltf(BOX);
  const files: [string, Uint8Array][] = [
    ['a.obj', encodeObj(BOX)],
    ['ascii.ply', encodePly(BOX, 'ascii')],
    ['little.ply', encodePly(BOX, 'little')],
    ['big.ply', encodePly(BOX, 'big')],
    ['ascii.stl', encodeStl(BOX, 'ascii')],
    ['binary.stl', encodeStl(BOX, 'binary')],
    ['a.glb', encodeGlb(json, buffer)],
    ['a.gltf', text(JSON.stringify({ ...json, buffers: [{ byteLength: buffer.length, uri: dataUri(buffer) }] }))],
  ];
  it.each(files)('%s', (name, bytes) => {
    expect(corners(readMesh(bytes, name))).toEqual(corners(BOX));
  });

  it('a view that does not start at the beginning of its buffer', () => {
    for (const [name, bytes] of files) {
      const shifted = new Uint8Array(bytes.length + 3);
      shifted.set(bytes, 3);
      expect(corners(readMesh(shifted.subarray(3), name))).toEqual(corners(BOX));
    }
  });

  it('STL corners with equal coordinates become one vertex', () => {
    expect(readMesh(encodeStl(BOX, 'binary'), 'a.stl').positions.length).toBe(8 * 3);
  });
});

describe('OBJ', () => {
  it('polygons are fans, negative numbers count back, lines may go on', () => {
    const mesh = readMesh(text('v 0 0 0\nv 1 0 0 # first\nv 1 1 0\nv 0 1 0\nf -4 -3 \\\n -2 -1\n'), 'q.obj');
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2, 0, 2, 3]);
  });

  it('errors name the line', () => {
    expect(failure(text('v 0 0 0\nv 1 0 0\nv 1 nan 0\n'), 'a.obj').message).toContain('line 3');
    expect(failure(text('v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 9\n'), 'a.obj').message).toContain(
      'line 4: vertex 9 does not exist',
    );
    expect(failure(text('v 0 0 0\nf 1 1 0\n'), 'a.obj').message).toContain('line 2');
    expect(failure(text('v 0 0 0\n'), 'a.obj').message).toContain('no triangles');
  });
});

describe('PLY', () => {
  it('reads triangle strips with restarts', () => {
    const ply = `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 2 1\n`;
    expect(Array.from(readMesh(text(ply), 'a.ply').triangles)).toEqual([0, 1, 2, 2, 1, 3, 0, 2, 1]);
  });

  it('a count beyond the file is refused before memory is taken', () => {
    const ply = (count: string) =>
      `ply\nformat binary_little_endian 1.0\nelement vertex ${count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n`;
    expect(failure(text(ply('90000000')), 'a.ply').message).toContain('more than the file holds');
    expect(failure(text(ply('1e300')), 'a.ply').message).toContain('line 3');
  });
});

describe('STL', () => {
  it('a binary file may start with "solid" and have bytes after its facets', () => {
    const bytes = encodeStl(BOX, 'binary', 'part');
    const longer = new Uint8Array(bytes.length + 7);
    longer.set(bytes);
    expect(corners(readMesh(longer, 'a.stl'))).toEqual(corners(BOX));
  });

  it('a truncated binary file says so', () => {
    expect(failure(encodeStl(BOX, 'binary').subarray(0, 300), 'a.stl').message).toContain(
      'byte 80: announces 12 facets',
    );
  });
});

describe('glTF', () => {
  it.each([1, 2, 4] as const)('indices of %i bytes', (indexBytes) => {
    const { json, buffer } = encodeGltf(BOX, { indexBytes });
    expect(corners(readMesh(encodeGlb(json, buffer), 'a.glb'))).toEqual(corners(BOX));
  });

  it('external buffers come through resolve', () => {
    const { json, buffer } = encodeGltf(BOX);
    const bytes = text(JSON.stringify({ ...json, buffers: [{ byteLength: buffer.length, uri: 'my%20data.bin' }] }));
    const asked: string[] = [];
    const mesh = readMesh(bytes, 'a.gltf', (uri) => {
      asked.push(uri);
      return buffer;
    });
    expect(asked).toEqual(['my data.bin']);
    expect(corners(mesh)).toEqual(corners(BOX));
    expect(failure(bytes, 'a.gltf').message).toContain('not available');
    expect(() =>
      readMesh(bytes, 'a.gltf', () => {
        throw new Error('no such file');
      }),
    ).toThrow(MeshError);
  });

  it('nodes move, turn and mirror their meshes, one mesh may be used twice', () => {
    const { json, buffer } = encodeGltf(BOX);
    const nodes = [
      { children: [1, 2], translation: [10, 0, 0] },
      { mesh: 0, rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], scale: [2, 1, 1] },
      { mesh: 0, matrix: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1] },
    ];
    const mesh = readMesh(encodeGlb({ ...json, nodes }, buffer), 'a.glb');
    expect(mesh.triangles.length).toBe(2 * BOX.triangles.length);
    for (let v = 0; v < 8; v++) {
      const [x, y, z] = [BOX.positions[3 * v]!, BOX.positions[3 * v + 1]!, BOX.positions[3 * v + 2]!];
      // A quarter turn about z takes (2x, y) to (-y, 2x); the rounding of the quaternion is 1e-16.
      expect(mesh.positions[3 * v]!).toBeCloseTo(10 - y, 12);
      expect(mesh.positions[3 * v + 1]!).toBeCloseTo(2 * x, 12);
      expect(mesh.positions[3 * (v + 8)]!).toBeCloseTo(10 - x, 12);
      expect(mesh.positions[3 * (v + 8) + 2]!).toBeCloseTo(z + 5, 12);
    }
    // The mirrored copy is turned, so that both enclose a positive volume.
    expect(Array.from(mesh.triangles.slice(36, 39))).toEqual([8, 14, 12]);
  });

  it('strips, fans, meshes without indices, quantised positions and sparse accessors', () => {
    const positions = Int16Array.from([0, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0, -32768, 32767, 0, 0]);
    const sparseIndex = Uint8Array.of(3, 0, 0, 0);
    const sparseValue = Int16Array.from([32767, 32767, 32767, 0]);
    const bytes = new Uint8Array([
      ...new Uint8Array(positions.buffer),
      ...sparseIndex,
      ...new Uint8Array(sparseValue.buffer),
    ]);
    const accessor = {
      bufferView: 0,
      componentType: 5122,
      normalized: true,
      count: 4,
      type: 'VEC3',
      sparse: { count: 1, indices: { bufferView: 1, componentType: 5121 }, values: { bufferView: 2 } },
    };
    const primitive = (mode: number) => ({ attributes: { POSITION: 0 }, mode });
    const json = {
      asset: { version: '2.0' },
      meshes: [{ primitives: [primitive(5), primitive(6), primitive(4), primitive(1)] }],
      accessors: [accessor],
      bufferViews: [
        { buffer: 0, byteLength: 32, byteStride: 8 },
        { buffer: 0, byteOffset: 32, byteLength: 4 },
        { buffer: 0, byteOffset: 36, byteLength: 8 },
      ],
      buffers: [{ byteLength: bytes.length }],
    };
    const mesh = readMesh(encodeGlb(json, bytes), 'a.glb');
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2, 2, 1, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10]);
    expect(Array.from(mesh.positions.slice(0, 12))).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1]);
  });

  it('compressed meshes are refused with the cure', () => {
    const { json, buffer } = encodeGltf(BOX, { extensionsRequired: ['KHR_draco_mesh_compression'] });
    expect(failure(encodeGlb(json, buffer), 'a.glb').message).toContain('export the mesh without compression');
    const view = { ...json.bufferViews[0], extensions: { EXT_meshopt_compression: {} } };
    const packed = { ...encodeGltf(BOX).json, bufferViews: [view, json.bufferViews[1]] };
    expect(failure(encodeGlb(packed, buffer), 'a.glb').message).toContain('EXT_meshopt_compression is not supported');
  });

  it('loops of nodes, huge counts and wrong references are refused', () => {
    const { json, buffer } = encodeGltf(BOX);
    expect(failure(encodeGlb({ ...json, nodes: [{ children: [0] }] }, buffer), 'a.glb').message).toContain(
      'one parent',
    );
    const huge = { ...json, accessors: [json.accessors[0], { componentType: 5126, count: 4e9, type: 'VEC3' }] };
    expect(failure(encodeGlb(huge, buffer), 'a.glb').message).toContain('accessor 1');
    const far = { ...json, bufferViews: [json.bufferViews[0], { buffer: 0, byteOffset: 1e9, byteLength: 96 }] };
    expect(failure(encodeGlb(far, buffer), 'a.glb').message).toContain('bufferView 1');
    expect(failure(text('{"nodes": 3}'), 'a.gltf').message).toContain('must be a list');
    expect(failure(text('[]'), 'a.gltf').message).toContain('must be an object');
  });
});

describe('every input gives a mesh or a MeshError', () => {
  const gltf = encodeGltf(BALL, { indexBytes: 2 });
  const valid: [string, Uint8Array][] = [
    ['a.obj', encodeObj(BALL)],
    ['a.ply', encodePly(BALL, 'ascii')],
    ['b.ply', encodePly(BALL, 'little')],
    ['c.ply', encodePly(BALL, 'big')],
    ['a.stl', encodeStl(BALL, 'ascii')],
    ['b.stl', encodeStl(BALL, 'binary')],
    ['a.glb', encodeGlb(gltf.json, gltf.buffer)],
    [
      'a.gltf',
      text(JSON.stringify({ ...gltf.json, buffers: [{ byteLength: gltf.buffer.length, uri: dataUri(gltf.buffer) }] })),
    ],
  ];

  function readsOrRefuses(bytes: Uint8Array, name: string): void {
    const begin = process.cpuUsage();
    try {
      const mesh = readMesh(bytes, name);
      expect(mesh.triangles.length).toBeGreaterThan(0);
      expect(mesh.positions.every(Number.isFinite)).toBe(true);
      expect(mesh.triangles.every((v) => v < mesh.positions.length / 3)).toBe(true);
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
    }
    // A second of processor time: what other programs do does not count.
    expect(process.cpuUsage(begin).user).toBeLessThan(1e6);
  }

  it.each(valid)('truncations of %s', (name, bytes) => {
    fc.assert(
      fc.property(fc.nat(bytes.length), (length) => readsOrRefuses(bytes.subarray(0, length), name)),
      { numRuns: 150, seed: 1 },
    );
  });

  it.each(valid)('changed bytes of %s', (name, bytes) => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    // Headers matter most: half of the changes are put there.
    const early = fc.tuple(fc.nat(Math.min(bytes.length - 1, 900)), fc.nat(255));
    fc.assert(
      fc.property(fc.array(fc.oneof(change, early), { minLength: 1, maxLength: 6 }), (changes) => {
        const copy = bytes.slice();
        for (const [at, value] of changes) copy[at] = value;
        readsOrRefuses(copy, name);
      }),
      { numRuns: 250, seed: 2 },
    );
  });

  it('random bytes under every name', () => {
    const names = ['a.obj', 'a.ply', 'a.stl', 'a.glb', 'a.gltf', 'a.xyz', 'noending'];
    const signatures = [
      '',
      'glTF\u0002\0\0\0',
      'ply\nformat binary_little_endian 1.0\n',
      'solid ',
      '{"meshes":[',
      'v 1 2 3\nf ',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.constantFrom(...signatures),
        fc.uint8Array({ maxLength: 400 }),
        (name, signature, bytes) => readsOrRefuses(Uint8Array.from([...text(signature), ...bytes]), name),
      ),
      { numRuns: 600, seed: 3 },
    );
  });

  it('mutated glTF values', () => {
    const json = JSON.stringify(gltf.json);
    const positions = [...json.matchAll(/(?<=[:[,])(\d+|"[A-Z0-9]+")(?=[,\]}])/g)];
    const values = fc.constantFrom(
      '-1',
      '1e99',
      '4294967295',
      '4294967296',
      '0.5',
      'null',
      '"x"',
      '[]',
      '{}',
      '0',
      '7',
      '5126',
    );
    fc.assert(
      fc.property(fc.nat(positions.length - 1), values, (p, value) => {
        const position = positions[p]!;
        const changed = json.slice(0, position.index) + value + json.slice(position.index + position[0].length);
        readsOrRefuses(encodeGlb(JSON.parse(changed) as object, gltf.buffer), 'a.glb');
      }),
      { numRuns: 400, seed: 4 },
    );
  });
});

describe('welding', () => {
  it('joins vertices within the tolerance and no others', () => {
    const mesh = {
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1e-7, 0, 0, 1, 1e-3, 0, 0, 1, 1),
      triangles: Uint32Array.of(0, 1, 2, 3, 4, 5),
    };
    expect(Array.from(weldVertices(mesh, 1e-6).triangles)).toEqual([0, 1, 2, 0, 3, 4]);
  });
});
