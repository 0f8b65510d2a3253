import { describe, expect, it } from 'vitest';
import { refineMesh } from '../../src/index.js';
import { readMesh } from '../../src/mesh/read.js';
import type { CornerValues, TriangleMesh } from '../../src/options/types.js';
import { dataUri, encodeObj, text } from './encode.js';
import { boxMesh } from './meshes.js';

/** Values of all corners, one after the other. */
function expand({ values, of }: CornerValues, components: number): number[] {
  return Array.from(of).flatMap((at) => [...values.subarray(components * at, components * at + components)]);
}

const POSITIONS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
const TRIANGLES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

describe('OBJ', () => {
  it('keeps texture coordinates, normals and materials at corners', () => {
    const mesh = readMesh(
      text(`mtllib a.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0.25 0.75
vt 0.5
vt 1 0 0
vn 0 0 -2
vn 0 -1 0
usemtl red rubber
f 1/1/1 3/2/1 2/3/1
usemtl blue
f 1/1/2 2/2/2 4/-1/2
usemtl red rubber
f 1//1 4//2 3//-1 2//1
`),
      'a.obj',
    );
    expect(expand(mesh.finish!.uvs!, 2)).toEqual([
      ...[0.25, 0.75, 0.5, 0, 1, 0],
      ...[0.25, 0.75, 0.5, 0, 1, 0],
      ...new Array(12).fill(0),
    ]);
    expect(expand(mesh.finish!.normals!, 3).slice(0, 9)).toEqual([0, 0, -1, 0, 0, -1, 0, 0, -1]);
    expect(expand(mesh.finish!.normals!, 3).slice(18, 27)).toEqual([0, 0, -1, 0, -1, 0, 0, -1, 0]);
    expect(mesh.finish!.materials!.list).toEqual([{ name: 'red rubber' }, { name: 'blue' }]);
    expect([...mesh.finish!.materials!.of]).toEqual([0, 1, 0, 0]);
    expect([...mesh.triangles]).toEqual([0, 2, 1, 0, 1, 3, 0, 3, 2, 0, 2, 1]);
  });

  it('does without what is wrong or not there', () => {
    const lines = `v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 0\nvn 0 0 1\nvt x 0\n`;
    expect(readMesh(text(`${lines}f 1/1/2 2/1/2 3/9/2\n`), 'a.obj').finish?.uvs).toBeUndefined();
    expect(readMesh(text(`${lines}f 1/1/1 2/1/2 3/9/2\n`), 'a.obj').finish).toBeUndefined();
    expect(readMesh(text(`${lines}f 1//2 2//2 3//7\n`), 'a.obj').finish).toBeUndefined();
    expect(readMesh(text(`${lines}f 1//2 2//2 3//2\n`), 'a.obj').finish?.normals).toBeDefined();
    expect(readMesh(encodeObj(boxMesh([1, 1, 1])), 'a.obj').finish).toBeUndefined();
  });
});

describe('PLY', () => {
  it.each([
    ['s', 't'],
    ['u', 'v'],
    ['texture_u', 'texture_v'],
  ])('keeps normals and the coordinates %s and %s of vertices', (u, v) => {
    const properties = ['x', 'y', 'z', 'ny', 'nx', 'nz', v, u].map((name) => `property float ${name}`);
    const rows = [0, 1, 2, 3].map((i) => `${POSITIONS.slice(3 * i, 3 * i + 3).join(' ')} 0 0 3 ${i / 4} ${i / 8}`);
    const faces = [0, 1, 2, 3].map((t) => `3 ${TRIANGLES.slice(3 * t, 3 * t + 3).join(' ')}`);
    const header = ['ply', 'format ascii 1.0', 'element vertex 4', ...properties, 'element face 4'];
    const file = [...header, 'property list uchar int vertex_indices', 'end_header', ...rows, ...faces, ''].join('\n');
    const { finish } = readMesh(text(file), 'a.ply');
    expect(expand(finish!.uvs!, 2)).toEqual(TRIANGLES.flatMap((i) => [i / 8, i / 4]));
    expect(expand(finish!.normals!, 3)).toEqual(TRIANGLES.flatMap(() => [0, 0, 1]));
    const broken = file.replace('0 0 3 0.25', '0 0 0 0.25');
    expect(readMesh(text(broken), 'a.ply').finish?.normals).toBeUndefined();
  });
});

describe('glTF', () => {
  /** Two primitives with normals along z, the second without texture coordinates, in a node that mirrors and stretches. */
  function file(change: (json: Record<string, unknown[]>) => void = () => {}): TriangleMesh {
    const numbers = Float32Array.from([
      ...POSITIONS,
      ...[0, 0, 1, 0.6, 0, 0.8, 0, 0, 1, 0, 0, 1],
      ...[0, 0, 0.25, 0.5, 0.5, 1, 1, 0.75],
    ]);
    const bytes = new Uint8Array(numbers.byteLength + 12);
    bytes.set(new Uint8Array(numbers.buffer));
    bytes.set(TRIANGLES, numbers.byteLength);
    const json = {
      asset: { version: '2.0' },
      nodes: [{ mesh: 0, scale: [-2, 1, 1] }],
      meshes: [
        {
          primitives: [
            { attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material: 1 },
            { attributes: { POSITION: 0, NORMAL: 1 }, indices: 3 },
          ],
        },
      ],
      materials: [{ name: 'unused' }, { name: 'skin', pbrMetallicRoughness: { baseColorFactor: [0.5, 0.25, 0, 1] } }],
      accessors: [
        { bufferView: 0, componentType: 5126, type: 'VEC3', count: 4 },
        { bufferView: 0, byteOffset: 48, componentType: 5126, type: 'VEC3', count: 4 },
        { bufferView: 0, byteOffset: 96, componentType: 5126, type: 'VEC2', count: 4 },
        { bufferView: 1, componentType: 5121, type: 'SCALAR', count: 12 },
      ],
      bufferViews: [
        { buffer: 0, byteLength: numbers.byteLength },
        { buffer: 0, byteOffset: numbers.byteLength, byteLength: 12 },
      ],
      buffers: [{ byteLength: bytes.length, uri: dataUri(bytes) }],
    };
    change(json as unknown as Record<string, unknown[]>);
    return readMesh(text(JSON.stringify(json)), 'a.gltf');
  }

  it('keeps what its primitives have, with normals that stay across', () => {
    const { finish, positions } = file();
    expect([...positions.slice(3, 6)]).toEqual([-2, 0, 0]);
    // From the top of the picture to its bottom.
    expect([...finish!.uvs!.values.slice(0, 8)]).toEqual([0, 1, 0.25, 0.5, 0.5, 0, 1, 0.25]);
    const [x, y, z] = finish!.normals!.values.subarray(3, 6);
    // (0.6, 0, 0.8) by the inverse transpose of the scale: (-0.3, 0, 0.8).
    expect(x! / z!).toBeCloseTo(-0.3 / 0.8, 6);
    expect(y).toBeCloseTo(0, 12);
    expect(z).toBeGreaterThan(0);
    expect(Math.hypot(x!, y!, z!)).toBeCloseTo(1, 6);
    expect(finish!.materials!.list).toEqual([
      // What glTF means where a file does not say.
      { name: 'skin', color: [0.5, 0.25, 0], roughness: 1, metalness: 1 },
      { name: '' },
    ]);
    expect([...finish!.materials!.of]).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });

  it('keeps all that a material says', () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
    const { finish } = file((json) => {
      Object.assign(json, {
        images: [{ uri: dataUri(png) }],
        textures: [{ source: 0 }],
      });
      Object.assign(json.materials![1] as object, {
        pbrMetallicRoughness: {
          baseColorFactor: [1, 0.5, 0, 0.25],
          metallicFactor: 0.5,
          roughnessFactor: 0.25,
          metallicRoughnessTexture: { index: 0 },
        },
        normalTexture: { index: 0, scale: 2 },
        occlusionTexture: { index: 0, strength: 0.5 },
        emissiveFactor: [0, 0.5, 1],
        emissiveTexture: { index: 0, texCoord: 1 },
        alphaMode: 'BLEND',
        doubleSided: true,
        extensions: {
          KHR_materials_emissive_strength: { emissiveStrength: 4 },
          KHR_materials_transmission: { transmissionFactor: 0.9 },
          KHR_materials_ior: { ior: 1.4 },
        },
      });
    });
    const picture = { type: 'image/png', bytes: png, wrap: ['repeat', 'repeat'] };
    expect(finish!.materials!.list[0]).toEqual({
      name: 'skin',
      color: [1, 0.5, 0],
      opacity: 0.25,
      alphaMode: 'blend',
      roughness: 0.25,
      metalness: 0.5,
      metalnessRoughnessTexture: picture,
      normalTexture: picture,
      normalScale: 2,
      occlusionTexture: picture,
      occlusionStrength: 0.5,
      // Laid out by other coordinates than the first: left out.
      emissive: [0, 2, 4],
      isDoubleSided: true,
      transmission: 0.9,
      ior: 1.4,
    });
  });

  it('keeps colours of vertices, and halves them with edges', () => {
    const mesh = file((json) => {
      const primitives = (json.meshes![0] as { primitives: { attributes: object }[] }).primitives;
      Object.assign(primitives[0]!.attributes, { COLOR_0: 1 });
    });
    const colors = mesh.finish!.colors!;
    const [x, y, z] = Float32Array.of(0.6, 0, 0.8);
    // Three numbers are colours without alpha; primitives without any are white.
    expect([...colors.values.subarray(4, 8)]).toEqual([x, y, z, 1]);
    expect([...colors.values.subarray(16, 20)]).toEqual([1, 1, 1, 1]);
    const fine = refineMesh(mesh, 0.8).finish!.colors!;
    expect(fine.of.length).toBeGreaterThan(colors.of.length);
    expect(fine.of.every((at) => at < fine.values.length / 4)).toBe(true);
  });

  it('reads the shape where looks are wrong', () => {
    const broken = file((json) => {
      Object.assign(json.accessors![1] as object, { count: 400 });
      Object.assign(json.accessors![2] as object, { type: 'VEC4' });
      Object.assign(json.materials![1] as object, { name: 7, pbrMetallicRoughness: { baseColorFactor: ['0', 1] } });
    });
    expect(broken.finish?.normals).toBeUndefined();
    expect(broken.finish?.uvs).toBeUndefined();
    expect(broken.finish!.materials!.list[0]).toEqual({ name: '', roughness: 1, metalness: 1 });
    expect([...broken.positions]).toEqual([...file().positions]);
  });
});

describe('a refined mesh', () => {
  it('has the looks of the old one at every corner', () => {
    // Looks that are linear in places, and a seam: the second triangle has its own picture.
    const positions = [0, 0, 0, 4, 0, 0, 4, 2, 0, 0, 2, 0];
    const uvOf = (side: number, x: number, y: number) => [side + x / 8, side + y / 8];
    const mesh: TriangleMesh = {
      positions: Float64Array.from(positions),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
      finish: {
        uvs: {
          values: Float32Array.from([
            ...[uvOf(0, 0, 0), uvOf(0, 4, 0), uvOf(0, 4, 2)].flat(),
            ...[uvOf(1, 0, 0), uvOf(1, 4, 2), uvOf(1, 0, 2)].flat(),
          ]),
          of: Uint32Array.of(0, 1, 2, 3, 4, 5),
        },
        normals: { values: Float32Array.of(0, 0, 1, 0.6, 0, 0.8), of: Uint32Array.of(0, 1, 1, 0, 1, 0) },
        materials: { list: [{ name: 'a' }, { name: 'b' }], of: Uint32Array.of(0, 1) },
      },
    };
    const fine = refineMesh(mesh, 0.5);
    const [uvs, normals] = [expand(fine.finish!.uvs!, 2), expand(fine.finish!.normals!, 3)];
    expect(fine.triangles.length).toBeGreaterThan(100);
    expect(fine.finish!.materials!.of.length).toBe(fine.triangles.length / 3);
    const area = [0, 0];
    for (const [c, v] of fine.triangles.entries()) {
      const [x, y] = [fine.positions[3 * v]!, fine.positions[3 * v + 1]!];
      const side = fine.finish!.materials!.of[Math.floor(c / 3)]!;
      area[side]! += c % 3 === 0 ? areaOf(fine, c) : 0;
      // Halves of eighths are exact in float32.
      expect([uvs[2 * c], uvs[2 * c + 1]]).toEqual(uvOf(side, x, y));
      expect(Math.hypot(...normals.slice(3 * c, 3 * c + 3))).toBeCloseTo(1, 6);
    }
    expect(area).toEqual([4, 4]);
  });
});

function areaOf({ positions, triangles }: TriangleMesh, corner: number): number {
  const [a, b, c] = [0, 1, 2].map((k) => positions.subarray(3 * triangles[corner + k]!)) as [
    ...[Float64Array, Float64Array, Float64Array],
  ];
  return ((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!)) / 2;
}
