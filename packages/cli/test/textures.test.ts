import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { readMesh } from 'phyxel';
import { MTLLoader } from 'three/examples/jsm/loaders/MTLLoader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportRun } from '../src/export/export.js';
import { buildTree } from '../src/render/bvh.js';
import { buildGeometry } from '../src/render/geometry.js';
import { FILM_ALBEDO, FILM_STRIDE, PathTracer } from '../src/render/paths.js';
import { decodePng, encodePng } from '../src/render/png.js';
import { readTexture } from '../src/render/texture.js';
import { STUDIO, type View } from '../src/render/view.js';

const command = fileURLToPath(new URL('../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-textures-'));
const [run, out] = [join(folder, 'run'), join(folder, 'out')];
afterAll(() => rmSync(folder, { recursive: true }));

/** Red at the top left, green at the top right, blue below. */
const PICTURE = encodePng({
  width: 2,
  height: 2,
  pixels: Uint8Array.from([...[255, 0, 0], ...[0, 255, 0], ...[0, 0, 255], ...[0, 0, 255]]),
});

/** A cube of glTF whose six sides show all of the picture; its vertices are those of the sides. */
function texturedCube(): string {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = positions.length / 3;
      // Across and up as seen from outside.
      const up = axis === 1 ? 2 : 1;
      const across = 3 - axis - up;
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ] as const) {
        const p = [0, 0, 0];
        p[axis] = side;
        p[across] = (2 * u - 1) * (isRightHanded(across, up, axis) ? side : -side);
        p[up] = 2 * v - 1;
        positions.push(...p);
        const n = [0, 0, 0];
        n[axis] = side;
        normals.push(...n);
        uvs.push(u, 1 - v);
      }
      indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
  }
  const arrays = [
    Float32Array.from(positions),
    Float32Array.from(normals),
    Float32Array.from(uvs),
    Uint16Array.from(indices),
  ];
  const uri = (bytes: Uint8Array, type: string) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return JSON.stringify({
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material: 0 }] }],
    materials: [
      {
        name: 'printed',
        pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: 0.7 },
      },
    ],
    textures: [{ source: 0, sampler: 0 }],
    samplers: [{ wrapS: 33071, wrapT: 33648 }],
    images: [{ uri: uri(PICTURE, 'image/png') }],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 24, min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 1, componentType: 5126, type: 'VEC3', count: 24 },
      { bufferView: 2, componentType: 5126, type: 'VEC2', count: 24 },
      { bufferView: 3, componentType: 5123, type: 'SCALAR', count: 36 },
    ],
    bufferViews: arrays.map(({ byteLength }, k) => ({ buffer: k, byteLength })),
    buffers: arrays.map(({ buffer, byteLength }) => ({
      byteLength,
      uri: uri(new Uint8Array(buffer as ArrayBuffer), 'application/octet-stream'),
    })),
  });
}

function isRightHanded(a: number, b: number, c: number): boolean {
  return (b - a + 3) % 3 === 1 && (c - b + 3) % 3 === 1;
}

const SCENE = `phyxel: 1
frameRate: 40
duration: 0.05
gravity: [0, 0, 0]
bodies:
  - { name: cube, shape: { mesh: { file: cube.gltf, size: 0.4 } }, spacing: 0.1, look: matte }
  - { name: plain, kind: rigid, shape: { mesh: { file: cube.gltf, size: 0.2 } }, position: [5, 0, 0], spacing: 0.1, color: "#336699" }
`;

beforeAll(() => {
  writeFileSync(join(folder, 'cube.gltf'), texturedCube());
  writeFileSync(join(folder, 'scene.yaml'), SCENE);
  const { status, stderr } = spawnSync(process.execPath, [command, 'run', join(folder, 'scene.yaml'), '--out', run]);
  expect(status, String(stderr)).toBe(0);
});

describe('the picture on a mesh', () => {
  it('is read as its file has it', () => {
    const mesh = readMesh(readFileSync(join(folder, 'cube.gltf')), 'cube.gltf');
    const [material] = mesh.finish!.materials!.list;
    expect(material).toMatchObject({ name: 'printed', roughness: 0.7 });
    expect(material!.texture).toMatchObject({ type: 'image/png', wrap: ['clamp', 'mirror'] });
    expect(Buffer.compare(material!.texture!.bytes, PICTURE)).toBe(0);
  });

  it('is left out where it cannot be used, and the mesh is not', () => {
    const broken = JSON.parse(texturedCube());
    for (const images of [
      [{ uri: 'not-there.png' }],
      [{ uri: 'data:image/png;base64,AAAA' }],
      [{ bufferView: 99 }],
      'no list',
      [],
    ]) {
      const bytes = Buffer.from(JSON.stringify({ ...broken, images }));
      const mesh = readMesh(bytes, 'cube.gltf');
      expect(mesh.triangles).toHaveLength(36);
      expect(mesh.finish!.materials!.list[0]!.texture).toBeUndefined();
    }
  });

  it('goes into GLB, OBJ and USDA, unless the scene has a colour', async () => {
    const job = { run, out, first: 0, last: Infinity, every: 1, cell: 0.5, threads: 1, compress: false } as const;
    await exportRun({ ...job, formats: ['glb', 'obj', 'usda'] }, () => {});
    const glb = readFileSync(join(out, 'scene.glb'));
    const { issues } = await validator.validateBytes(glb);
    for (const message of issues.messages) expect(message).toMatchObject({ code: 'UNUSED_OBJECT', severity: 2 });
    const length = glb.readUInt32LE(12);
    const json = JSON.parse(glb.toString('utf8', 20, 20 + length));
    expect(json.materials.map((m: { pbrMetallicRoughness: object }) => m.pbrMetallicRoughness)).toMatchObject([
      { baseColorFactor: [1, 1, 1, 1], baseColorTexture: { index: 0 } },
      { roughnessFactor: 0.7 },
    ]);
    expect(json.materials[1].pbrMetallicRoughness.baseColorTexture).toBeUndefined();
    expect(json.textures).toEqual([{ source: 0, sampler: 0 }]);
    expect(json.samplers).toEqual([{ wrapS: 33071, wrapT: 33648 }]);
    const view = json.bufferViews[json.images[0].bufferView];
    const stored = glb.subarray(28 + length + view.byteOffset, 28 + length + view.byteOffset + view.byteLength);
    expect(Buffer.compare(stored, PICTURE)).toBe(0);
    // And back in by our own reader.
    const again = readMesh(new Uint8Array(glb), 'scene.glb');
    expect(Buffer.compare(again.finish!.materials!.list[0]!.texture!.bytes, PICTURE)).toBe(0);

    const { materialsInfo } = new MTLLoader().parse(readFileSync(join(out, 'meshes.mtl'), 'utf8'), '');
    expect(Object.values(materialsInfo).map((info) => info.map_kd)).toEqual(['texture-1.png', undefined]);
    expect(Buffer.compare(readFileSync(join(out, 'texture-1.png')), PICTURE)).toBe(0);
    expect(readFileSync(join(out, 'scene.usda'), 'utf8')).toContain('@./texture-1.png@');
  });

  it('is drawn the right way up', () => {
    const pictures = join(folder, 'pictures');
    const view = ['--camera', '0,0,2', '--target', '0,0,0', '--ground', 'none', '--fov', '20'];
    const size = ['--size', '64x64', '--samples', '4', '--frames', '0', '--threads', '1'];
    const { status, stderr } = spawnSync(process.execPath, [
      command,
      'render',
      run,
      '--out',
      pictures,
      ...view,
      ...size,
    ]);
    expect(status, String(stderr)).toBe(0);
    const { width, pixels } = decodePng(readFileSync(join(pictures, 'picture-000000.png')));
    const strongest = (x: number, y: number) => {
      const [r, g, b] = pixels.subarray(3 * (y * width + x)) as unknown as [number, number, number];
      return r > g && r > b ? 'red' : g > b ? 'green' : 'blue';
    };
    expect([strongest(20, 20), strongest(44, 20), strongest(20, 44), strongest(44, 44)]).toEqual([
      'red',
      'green',
      'blue',
      'blue',
    ]);
  });
});

/** Two pixels side by side each, made by another program. */
/** Two colours, 32 by 16 pixels, baseline with 4:2:0 sampling, by ffmpeg. */
const JPEG =
  '/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgEBAQEBAUFBQUFBQYGBgYGBgYGBgYGBgYHBwcICAgHBwcGBgcHCAgICAkJCQgICAgJCQoKCgwMCwsODg4RERT/xABOAAEBAQAAAAAAAAAAAAAAAAAABQYBAQEBAAAAAAAAAAAAAAAAAAgGBxABAAAAAAAAAAAAAAAAAAAAABEBAAAAAAAAAAAAAAAAAAAAAP/AABEIABAAIAMBIgACEQADEQD/2gAMAwEAAhEDEQA/AIACRbizABFje//Z';

const PNGS: Readonly<Record<string, string>> = {
  grey: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNgOAEAAMsAyWnIw2wAAAAASUVORK5CYII=',
  palette:
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAMAAADD/I+4AAAABlBMVEUoMjwKFB72sv2LAAAAC0lEQVR4nGNgZAAAAAUAAtFmM3gAAAAASUVORK5CYII=',
  greyAlpha: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg/5/MAAAD5AFqb3TruwAAAABJRU5ErkJggg==',
};

const ONE_PIXEL: View = {
  width: 1,
  height: 1,
  samples: 1,
  noise: 0,
  camera: { origin: [0, 0, 4], forward: [0, 0, -1], right: [1, 0, 0], up: [0, 1, 0], tangent: 0.1 },
  lighting: { ...STUDIO, keyDirection: [0, 1, 0] },
  ground: { floors: [], color: [1, 1, 1], grid: 0, center: [0, 0, 0], fadeFrom: 1, fadeTo: 2 },
  offset: 1e-6,
};

describe('a texture', () => {
  const texture = (u: 'repeat' | 'mirror' | 'clamp', v: 'repeat' | 'mirror' | 'clamp') =>
    readTexture({ type: 'image/png', bytes: PICTURE, wrap: [u, v] })!;
  const at = (u: number, v: number, wrap = texture('repeat', 'repeat')) => {
    // A triangle before the camera with one point of the texture all over.
    const mesh = {
      positions: [-9, -9, 0, 9, -9, 0, 0, 9, 0],
      normals: [0, 0, 1, 0, 0, 1, 0, 0, 1],
      triangles: [0, 1, 2],
      material: 0,
      color: [1, 1, 1] as const,
      uvs: [u, v, u, v, u, v],
    };
    const geometry = buildGeometry([mesh], [], [{ look: 'matte', texture: wrap }]);
    const film = new Float32Array(FILM_STRIDE);
    new PathTracer(ONE_PIXEL, geometry, buildTree(geometry)).pixel(0, 0, film);
    return [...film.subarray(FILM_ALBEDO, FILM_ALBEDO + 3)];
  };

  it('has the colours of its pixels in their middles, and mixes them between', () => {
    expect(at(0.25, 0.75)).toEqual([1, 0, 0]);
    expect(at(0.75, 0.75)).toEqual([0, 1, 0]);
    expect(at(0.25, 0.25)).toEqual([0, 0, 1]);
    expect(at(0.5, 0.75)).toEqual([0.5, 0.5, 0]);
  });

  it('goes on beyond its sides as it is told', () => {
    expect(at(1.25, -0.25)).toEqual([1, 0, 0]);
    expect(at(1.25, 0.75, texture('mirror', 'repeat'))).toEqual([0, 1, 0]);
    expect(at(-3, 9, texture('clamp', 'clamp'))).toEqual([1, 0, 0]);
  });

  it('may be grey, or have a palette', () => {
    const wrap = ['repeat', 'repeat'] as const;
    const read = (name: string) => readTexture({ type: 'image/png', bytes: Buffer.from(PNGS[name]!, 'base64'), wrap })!;
    expect([...read('grey').pixels]).toEqual([0, 0, 0, 200, 200, 200]);
    expect([...read('palette').pixels]).toEqual([10, 20, 30, 40, 50, 60]);
    expect([...read('greyAlpha').pixels]).toEqual([7, 7, 7, 99, 99, 99]);
  });

  it('may be a JPEG, as another program has written it', () => {
    const wrap = ['clamp', 'clamp'] as const;
    const read = readTexture({ type: 'image/jpeg', bytes: Buffer.from(JPEG, 'base64'), wrap })!;
    expect([read.width, read.height]).toEqual([32, 16]);
    const pixel = (x: number, y: number) => [...read.pixels.subarray(3 * (32 * y + x), 3 * (32 * y + x) + 3)];
    // Left #ff2010, right #1030e0, to what the compression leaves of them.
    for (const [x, color] of [
      [5, [255, 32, 16]],
      [27, [16, 48, 224]],
    ] as const) {
      for (const [k, value] of pixel(x, 8).entries()) expect(Math.abs(value - color[k]!)).toBeLessThan(8);
    }
  });

  it('of another kind is not drawn', () => {
    const wrap = ['repeat', 'repeat'] as const;
    expect(readTexture({ type: 'image/jpeg', bytes: Uint8Array.of(0xff, 0xd8), wrap })).toBeUndefined();
    expect(readTexture({ type: 'image/png', bytes: PICTURE.slice(0, 40), wrap })).toBeUndefined();
  });
});
