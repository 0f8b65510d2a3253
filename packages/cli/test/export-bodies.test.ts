import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import validator from 'gltf-validator';
import { MeshoptDecoder } from 'meshoptimizer';
import { LiquidSurfacer, parseScene, serializeScene } from 'phyxel';
import { AnimationMixer, Matrix4, Mesh, type MeshStandardMaterial, type Object3D, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MTLLoader } from 'three/examples/jsm/loaders/MTLLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { USDLoader } from 'three/examples/jsm/loaders/USDLoader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { core } from '../src/core.js';
import { type ExportJob, exportRun } from '../src/export/export.js';
import type { ExportFrame, ExportMesh } from '../src/export/geometry.js';
import { RunSource, type SourceOptions } from '../src/export/source.js';
import { simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-bodies-'));
const scenes = join(folder, 'scenes');
const run = join(folder, 'run');
const out = join(folder, 'out');
afterAll(() => rmSync(folder, { recursive: true }));

/** Bodies in free flight: a column that wrings itself, and a brick that turns by 0.25 rad in every frame. */
const SCENE = `phyxel: 1
name: flight
frameRate: 40
duration: 0.1
gravity: [0, 0, 0]
materials: { jelly: { density: 1000, youngsModulus: 1e4, yieldStress: 200 }, wood: { density: 500, youngsModulus: 1e6 } }
bodies:
  - { name: column, shape: { box: { size: [0.1, 0.4, 0.1] } }, position: [1, 0, 2], velocity: [0, 2, 0], twist: [0, 40, 0], material: jelly, spacing: 0.025, color: "#ff8000" }
  - { name: brick, kind: rigid, shape: { box: { size: [0.1, 0.06, 0.08] } }, position: [-1, 3, 0], rotation: [0, 0, 30], velocity: [1, 0, 0], angularVelocity: [0, 0, 10], material: wood, spacing: 0.02 }
`;

const job: ExportJob = {
  run,
  out,
  formats: [],
  first: 0,
  last: Infinity,
  every: 1,
  cell: 0.5,
  threads: 1,
  compress: false,
};
const FRAMES = 4;
const frames: ExportFrame[] = [];

async function runScene(text: string, target: string): Promise<void> {
  mkdirSync(scenes, { recursive: true });
  writeFileSync(join(scenes, 'scene.yaml'), text);
  const { scene } = parseScene(text, 'scene.yaml');
  await simulate(
    {
      scene,
      sceneFile: join(scenes, 'scene.yaml'),
      sceneText: serializeScene(scene),
      sceneFolder: scenes,
      out: target,
      frames: FRAMES,
      threads: 1,
      resume: false,
      checkpointInterval: 0,
    },
    core,
    () => {},
    () => false,
  );
}

async function framesOf(path: string, options: SourceOptions = {}): Promise<ExportFrame[]> {
  const source = await RunSource.open(path, options);
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  const list = source.frames.map((number) => source.frame(number, surfacer, { cell: 0.5 }));
  await surfacer.dispose();
  return list;
}

beforeAll(async () => {
  await runScene(SCENE, run);
  frames.push(...(await framesOf(run)));
  await exportRun({ ...job, formats: ['glb', 'ply', 'obj', 'vtp', 'usda'] }, () => {});
});

const bytesOf = (name: string, where = out) => Uint8Array.from(readFileSync(join(where, name))).buffer;
const textOf = (name: string, where = out) => readFileSync(join(where, name), 'utf8');
const meshOf = (frame: number, name: string, list = frames) => list[frame]!.meshes.find((mesh) => mesh.name === name)!;

function largest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);
}

/** Positions of every corner, for readers that share no vertices. */
function cornersOf({ positions, indices }: ExportMesh): Float32Array {
  return Float32Array.from([...indices].flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]));
}

/** Share of the picture that all triangles show. */
function areaOfUvs({ uvs, indices }: ExportMesh): number {
  let sum = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => uvs!.subarray(2 * indices[t + k]!));
    sum += Math.abs((b![0]! - a![0]!) * (c![1]! - a![1]!) - (b![1]! - a![1]!) * (c![0]! - a![0]!)) / 2;
  }
  return sum;
}

/** Where three shows the vertices of an object, with morph targets and all. */
function shownBy(object: Object3D): number[] {
  object.updateWorldMatrix(true, true);
  const positions: number[] = [];
  object.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    const position = new Vector3();
    for (let i = 0; i < part.geometry.getAttribute('position').count; i++) {
      positions.push(...part.getVertexPosition(i, position).applyMatrix4(part.matrixWorld).toArray());
    }
  });
  return positions;
}

describe('meshes of bodies', () => {
  it('have the same triangles in every frame, and the colour of the scene', () => {
    for (const name of ['column', 'brick']) {
      for (let k = 1; k <= FRAMES; k++) {
        expect(meshOf(k, name).indices).toEqual(meshOf(0, name).indices);
        expect(meshOf(k, name).positions.length).toBe(meshOf(0, name).positions.length);
      }
    }
    const [red, green, blue] = meshOf(0, 'column').parts[0]!.material.color;
    expect([red, blue]).toEqual([1, 0]);
    // 0x80 in linear light.
    expect(green).toBeCloseTo(0.2158605, 6);
  });

  it('move as the laws of free flight say', () => {
    for (const [k, { time }] of frames.entries()) {
      const { positions, normals, attributes } = meshOf(k, 'brick');
      const rest = meshOf(0, 'brick');
      const turn = new Matrix4().makeRotationZ(10 * time);
      for (let i = 0; i < positions.length; i += 3) {
        const expected = new Vector3()
          .fromArray(rest.positions, i)
          .sub(new Vector3(-1, 3, 0))
          .applyMatrix4(turn);
        const velocity = new Vector3(1, 0, 0).add(new Vector3(0, 0, 10).cross(expected));
        expected.add(new Vector3(-1 + time, 3, 0));
        // z is a principal axis, so it goes on turning about it; positions of up to 3 m have 2.4e-7 m in float32.
        expect(expected.distanceTo(new Vector3().fromArray(positions, i))).toBeLessThan(1e-5);
        expect(velocity.distanceTo(new Vector3().fromArray(attributes.velocity!.values, i))).toBeLessThan(1e-4);
        expect(attributes.speed!.values[i / 3]).toBeCloseTo(velocity.length(), 3);
        expect(new Vector3().fromArray(normals, i).length()).toBeCloseTo(1, 5);
      }
    }
  });
});

describe('what vertices carry', () => {
  it('is between the least and the most of the particles', () => {
    const { attributes } = meshOf(FRAMES, 'column');
    expect(Object.keys(attributes)).toEqual(['velocity', 'stress', 'plasticStrain', 'speed']);
    const { points } = frames[FRAMES]!;
    for (const name of ['stress', 'plasticStrain']) {
      const own = points.attributes[name]!.values.filter((_, i) => points.attributes.body!.values[i] === 0);
      const [least, most] = [Math.min(...own), Math.max(...own)];
      const values = attributes[name]!.values;
      // Weights add up to one, to the rounding of float32.
      expect(Math.min(...values)).toBeGreaterThanOrEqual(least * (1 - 1e-6));
      expect(Math.max(...values)).toBeLessThanOrEqual(most * (1 + 1e-6));
      expect(Math.max(...values)).toBeGreaterThan(0.5 * most);
    }
    expect(Math.max(...attributes.plasticStrain!.values)).toBeGreaterThan(0.01);
  });
});

describe('files of bodies are read by others', () => {
  it('GLB by the validator and by three, in every frame and between them', async () => {
    const bytes = bytesOf('scene.glb');
    const { issues, info } = await validator.validateBytes(new Uint8Array(bytes));
    expect(issues.messages).toEqual([]);
    expect(info).toMatchObject({ animationCount: 1, materialCount: 2, hasMorphTargets: true });
    const { scene, animations } = await new GLTFLoader().parseAsync(bytes, '');
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(animations[0]!).play();
    const [column, brick] = [scene.getObjectByName('column')!, scene.getObjectByName('brick')!];
    for (const [k, { time }] of frames.entries()) {
      // At the very end the mixer begins again.
      mixer.setTime(k === FRAMES ? time - 1e-7 : time);
      // Half a unit of 16 bits, twice, of what is 0.2 m around its centre, and positions of float32.
      expect(largest(shownBy(column), meshOf(k, 'column').positions)).toBeLessThan(1.5e-5);
      expect(largest(shownBy(brick), meshOf(k, 'brick').positions)).toBeLessThan(4e-6);
    }
    // The brick turns evenly, so in the middle it is where it would be: a chord would be 4 mm off.
    mixer.setTime(0.5 / 40);
    const turn = new Matrix4().makeRotationZ(10 * (0.5 / 40));
    const rest = meshOf(0, 'brick').positions;
    const middle = Array.from({ length: rest.length / 3 }, (_, i) =>
      new Vector3()
        .fromArray(rest, 3 * i)
        .sub(new Vector3(-1, 3, 0))
        .applyMatrix4(turn)
        .add(new Vector3(-1 + 0.5 / 40, 3, 0))
        .toArray(),
    ).flat();
    expect(largest(shownBy(brick), middle)).toBeLessThan(1e-5);
    const material = (column.children[0] as Mesh).material as MeshStandardMaterial;
    expect(material.color.getHexString()).toBe('ff8000');
  });

  it('normals of GLB as the deformation turns them', async () => {
    const { scene } = await new GLTFLoader().parseAsync(bytesOf('scene.glb'), '');
    const mesh = scene.getObjectByName('column')!.children[0] as Mesh;
    const { normal: base } = mesh.geometry.attributes;
    const target = mesh.geometry.morphAttributes.normal![FRAMES - 1]!;
    const { normals, motion } = meshOf(FRAMES, 'column');
    const r = motion!.pose.rotation;
    const turn = new Matrix4().set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1);
    let turned = 0;
    for (let i = 0; i < normals.length / 3; i++) {
      const before = new Vector3().fromBufferAttribute(base!, i);
      const after = before.clone().add(new Vector3().fromBufferAttribute(target, i)).applyMatrix4(turn);
      turned = Math.max(turned, before.angleTo(after));
      // Two roundings to 8 bits.
      expect(after.normalize().distanceTo(new Vector3().fromArray(normals, 3 * i))).toBeLessThan(0.02);
    }
    expect(turned).toBeGreaterThan(0.3);
  });

  it('compressed GLB by three, as large as half of the other', async () => {
    const small = join(folder, 'small');
    await exportRun({ ...job, out: small, formats: ['glb'], compress: true }, () => {});
    const file = bytesOf('scene.glb', small);
    expect(file.byteLength).toBeLessThan(0.6 * bytesOf('scene.glb').byteLength);
    const { scene, animations } = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(file, '');
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(animations[0]!).play();
    mixer.setTime(frames[2]!.time);
    // Vertices have another order: sums over all corners of triangles do not see it.
    const { positions, indices } = meshOf(2, 'column');
    const part = scene.getObjectByName('column')!.children[0] as Mesh;
    const points = shownBy(part);
    const index = part.geometry.getIndex()!.array;
    const moments = (at: ArrayLike<number>, of: ArrayLike<number>) =>
      [0, 1, 2].flatMap((a) => {
        const values = Array.from(of, (i) => at[3 * i + a]!);
        return [values.reduce((s, x) => s + x, 0) / of.length, values.reduce((s, x) => s + x * x, 0) / of.length];
      });
    expect(index.length).toBe(indices.length);
    expect(largest(moments(points, index), moments(positions, indices))).toBeLessThan(2e-5);
  });

  it('PLY and OBJ by three', () => {
    const loader = new PLYLoader();
    loader.setCustomPropertyNameMapping({ stress: ['stress'], speed: ['speed'] });
    const ply = loader.parse(bytesOf('column-000003.ply'));
    const { positions, normals, indices, attributes } = meshOf(3, 'column');
    expect(ply.getAttribute('position').array).toEqual(positions);
    expect(ply.getAttribute('normal').array).toEqual(normals);
    expect(Uint32Array.from(ply.getIndex()!.array)).toEqual(indices);
    expect(ply.getAttribute('stress').array).toEqual(attributes.stress!.values);
    expect(Math.max(...attributes.stress!.values)).toBeGreaterThan(100);
    const materials = new MTLLoader().parse(textOf('meshes.mtl'), '');
    const objects = new OBJLoader().setMaterials(materials).parse(textOf('meshes-000003.obj')).children as Mesh[];
    expect(objects.map(({ name }) => name)).toEqual(['column', 'brick']);
    expect(objects[0]!.geometry.getAttribute('position').array).toEqual(cornersOf(meshOf(3, 'column')));
    expect((objects[0]!.material as MeshStandardMaterial).color.getHexString()).toBe('ff8000');
  });

  it('USDA by three, with the way of rigid bodies', () => {
    const group = new USDLoader().parse(textOf('scene.usda'));
    const [column, brick] = ['column', 'brick'].map((name) => group.getObjectByName(name) as Mesh);
    expect(largest(column!.geometry.getAttribute('position').array, cornersOf(meshOf(0, 'column')))).toBeLessThan(1e-6);
    expect((column!.material as MeshStandardMaterial).color.getHexString()).toBe('ff8000');
    const mixer = new AnimationMixer(group);
    mixer.clipAction(group.animations[0]!).play();
    mixer.setTime(frames[2]!.time);
    expect(largest(shownBy(brick!), cornersOf(meshOf(2, 'brick')))).toBeLessThan(1e-5);
  });
});

describe('morph targets', () => {
  it('are not repeated while a body flies without deforming', async () => {
    const [target, files] = [join(folder, 'flying'), join(folder, 'flying-out')];
    await runScene(SCENE.replace('twist: [0, 40, 0], ', ''), target);
    await exportRun({ ...job, run: target, out: files, formats: ['glb'] }, () => {});
    const bytes = bytesOf('scene.glb', files);
    const { issues } = await validator.validateBytes(new Uint8Array(bytes));
    expect(issues.messages).toEqual([]);
    const { scene, animations } = await new GLTFLoader().parseAsync(bytes, '');
    const column = scene.getObjectByName('column')!;
    expect((column.children[0] as Mesh).morphTargetInfluences ?? []).toHaveLength(0);
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(animations[0]!).play();
    mixer.setTime(frames[3]!.time);
    const flown = await framesOf(target);
    expect(largest(shownBy(column), meshOf(3, 'column', flown).positions)).toBeLessThan(1.5e-5);
  });
});

/** A cube with a picture on every side: eight positions, six normals, four corners of the picture, two materials. */
const CUBE = `o cube
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 0.1 -0.1
v -0.1 -0.1 0.1
v 0.1 -0.1 0.1
v 0.1 0.1 0.1
v -0.1 0.1 0.1
vt 0 0
vt 1 0
vt 1 0.5
vt 0 0.5
vn 0 0 -1
vn 0 0 1
vn 0 -1 0
vn 0 1 0
vn -1 0 0
vn 1 0 0
usemtl dark side
f 1/1/1 4/4/1 3/3/1 2/2/1
f 5/1/2 6/2/2 7/3/2 8/4/2
usemtl lid
f 1/1/3 2/2/3 6/3/3 5/4/3
f 4/1/4 8/2/4 7/3/4 3/4/4
usemtl dark side
f 1/1/5 5/2/5 8/3/5 4/4/5
f 2/1/6 3/2/6 7/3/6 6/4/6
`;
const CUBE_SCENE = `phyxel: 1
name: cube
frameRate: 40
duration: 0.1
gravity: [0, 0, 0]
materials: { jelly: { density: 1000, youngsModulus: 1e4 } }
bodies:
  - { name: cube, shape: { mesh: { file: cube.obj, size: 0.4 } }, position: [0, 1, 0], angularVelocity: [0, 8, 0], material: jelly, spacing: 0.1 }
`;

describe('a mesh file keeps its looks', () => {
  const [target, files] = [join(folder, 'cube'), join(folder, 'cube-out')];
  let list: ExportFrame[] = [];
  /** As three reads the original, side by side: materials put together. */
  const original = () => {
    const { geometry } = new OBJLoader().parse(CUBE).children[0] as Mesh;
    const order = [0, 1, 4, 5, 2, 3].flatMap((side) => Array.from({ length: 6 }, (_, c) => 6 * side + c));
    const of = (name: string, n: number) =>
      order.flatMap((c) => Array.from({ length: n }, (_, k) => geometry.getAttribute(name).array[n * c + k]!));
    return { positions: of('position', 3), normals: of('normal', 3), uvs: of('uv', 2) };
  };
  beforeAll(async () => {
    mkdirSync(scenes, { recursive: true });
    writeFileSync(join(scenes, 'cube.obj'), CUBE);
    await runScene(CUBE_SCENE, target);
    list = await framesOf(target);
    await exportRun({ ...job, run: target, out: files, formats: ['glb', 'ply', 'obj', 'vtp', 'usda'] }, () => {});
  });

  it('with its triangles, seams, normals, texture coordinates and materials', () => {
    const mesh = meshOf(0, 'cube', list);
    const { positions, normals, uvs } = original();
    // Twice as large, and a metre up; 24 corners of sides, no more.
    expect(mesh.positions.length / 3).toBe(24);
    const moved = positions.map((x, k) => 2 * x + (k % 3 === 1 ? 1 : 0));
    expect(largest(cornersOf(mesh), moved)).toBeLessThan(1e-6);
    expect(largest(cornersOf({ ...mesh, positions: mesh.normals }), normals)).toBeLessThan(1e-6);
    expect(Array.from(mesh.indices).flatMap((i) => [...mesh.uvs!.subarray(2 * i, 2 * i + 2)])).toEqual(uvs);
    expect(mesh.parts.map(({ material, begin, end }) => [material.name, begin, end])).toEqual([
      ['dark side', 0, 24],
      ['lid', 24, 36],
    ]);
  });

  it('in GLB, OBJ, PLY and USDA', async () => {
    const { uvs } = original();
    const { issues } = await validator.validateBytes(new Uint8Array(bytesOf('scene.glb', files)));
    // A note that there is no picture for the texture coordinates, and nothing else.
    for (const message of issues.messages) expect(message).toMatchObject({ code: 'UNUSED_OBJECT', severity: 2 });
    const { scene } = await new GLTFLoader().parseAsync(bytesOf('scene.glb', files), '');
    const parts: Mesh[] = [];
    scene.traverse((part) => {
      if (part instanceof Mesh) parts.push(part);
    });
    expect(parts.map(({ material }) => (material as MeshStandardMaterial).name)).toEqual(['dark side', 'lid']);
    const read = parts.flatMap(({ geometry }) =>
      Array.from(geometry.getIndex()!.array).flatMap((i) => {
        const uv = geometry.getAttribute('uv');
        return [uv.getX(i), 1 - uv.getY(i)];
      }),
    );
    expect(largest(read, uvs)).toBeLessThan(1e-7);
    const materials = new MTLLoader().parse(textOf('meshes.mtl', files), '');
    const [object] = new OBJLoader().setMaterials(materials).parse(textOf('meshes-000002.obj', files)).children as [
      Mesh,
    ];
    expect(Array.from(object.geometry.getAttribute('uv').array)).toEqual(uvs);
    expect((object.material as unknown as { name: string }[]).map(({ name }) => name)).toEqual(['dark_side', 'lid']);
    const ply = new PLYLoader().parse(bytesOf('cube-000002.ply', files));
    expect(ply.getAttribute('uv').array).toEqual(meshOf(2, 'cube', list).uvs);
    const usd = new USDLoader().parse(textOf('scene.usda', files)).getObjectByName('cube') as Mesh;
    expect(largest(usd.geometry.getAttribute('uv').array, uvs)).toBeLessThan(1e-7);
    expect(usd.geometry.groups.map(({ start, count }) => [start, count])).toEqual([
      [0, 24],
      [24, 12],
    ]);
    expect(textOf('cube-000002.vtp', files)).toContain('TCoords="TextureCoordinates"');
  });

  it('and can be made finer, with the same looks', async () => {
    const { meshes } = (await framesOf(target, { refine: 1 }))[2]!;
    const [fine, coarse] = [meshes[0]!, meshOf(2, 'cube', list)];
    expect(fine.parts.map(({ material }) => material.name)).toEqual(['dark side', 'lid']);
    expect(fine.indices.length).toBeGreaterThan(8 * coarse.indices.length);
    // Every side shows the lower half of the picture, all of it.
    expect(Math.min(...fine.uvs!)).toBe(0);
    expect(areaOfUvs(fine)).toBeCloseTo(areaOfUvs(coarse), 6);
    expect(areaOfUvs(coarse)).toBeCloseTo(6 * 0.5, 6);
  });

  it('also when the file is no longer there; without a copy it says so', async () => {
    rmSync(join(scenes, 'cube.obj'));
    await exportRun({ ...job, run: target, out: files, formats: ['obj'] }, () => {});
    rmSync(join(target, 'inputs'), { recursive: true });
    await expect(exportRun({ ...job, run: target, out: files, formats: ['obj'] }, () => {})).rejects.toThrow(
      '--meshes',
    );
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'cube.obj'), CUBE);
    await exportRun({ ...job, run: target, meshes: elsewhere, out: files, formats: ['obj'] }, () => {});
  });
});
