import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { LiquidSurfacer, parseScene, serializeScene } from 'phyxel';
import {
  AnimationMixer,
  type DirectionalLight,
  type Mesh,
  type MeshPhysicalMaterial,
  type Object3D,
  type PerspectiveCamera,
  Vector3,
} from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { core } from '../src/core.js';
import { type ExportJob, exportRun } from '../src/export/export.js';
import type { ExportFrame } from '../src/export/geometry.js';
import { RunSource } from '../src/export/source.js';
import { simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-stage-'));
const [run, out] = [join(folder, 'run'), join(folder, 'out')];
afterAll(() => rmSync(folder, { recursive: true }));

/** A lid that rises and turns, a plate of glass, a floor and a wall, around a liquid and bodies that land. */
const SCENE = `phyxel: 1
name: stage
frameRate: 20
duration: 0.3
bodies:
  - { name: water, kind: fluid, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.12, 0], spacing: 0.04 }
  - { name: jelly, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0.5, 0.24, 0], rotation: [35, 0, 45], spacing: 0.04, material: { youngsModulus: 2.0e+4, damping: 0.1 } }
  - { name: stone, kind: rigid, shape: { sphere: { radius: 0.1 } }, position: [-0.5, 0.15, 0], spacing: 0.04, look: glass, color: "#ff4040" }
obstacles:
  - { name: floor, shape: { plane: {} } }
  - { name: wall, shape: { plane: { normal: [0, 0, 1], offset: -0.4 } } }
  - { name: stone, shape: { box: { size: [0.3, 0.02, 0.3] } }, position: [0, 0.5, 0], color: "#3060c0", keyframes: [{ time: 0 }, { time: 0.3, position: [0, 0.3, 0], rotation: [0, 90, 0] }] }
  - { name: plate, shape: { box: { size: [0.3, 0.02, 0.3] } }, position: [0.5, 0.6, 0], look: glass }
`;

const job: ExportJob = {
  run,
  out,
  formats: ['glb', 'usda', 'obj', 'ply', 'vtp'],
  first: 0,
  last: Infinity,
  every: 1,
  threads: 1,
  compress: false,
};
const frames: ExportFrame[] = [];

beforeAll(async () => {
  const { scene } = parseScene(SCENE, 'stage.yaml');
  writeFileSync(join(folder, 'stage.yaml'), SCENE);
  const sceneText = serializeScene(scene);
  const simulation = {
    scene,
    sceneFile: 'stage.yaml',
    sceneText,
    sceneFolder: folder,
    out: run,
    frames: 6,
    threads: 1,
  };
  await simulate(
    { ...simulation, resume: false, checkpointInterval: 0 },
    core,
    () => {},
    () => false,
  );
  await exportRun(job, () => {});
  const source = await RunSource.open(run);
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  const stage = source.stage(source.frames);
  for (const number of source.frames) {
    const frame = source.frame(number, surfacer, {});
    frames.push({ ...frame, obstacles: stage.obstacles(frame.time) });
  }
  await surfacer.dispose();
  await source.dispose();
});

const bytesOf = (name: string) => Uint8Array.from(readFileSync(join(out, name)));
const loaded = async () => {
  const gltf = await new GLTFLoader().parseAsync(bytesOf('scene.glb').buffer, '');
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]!).play();
  return { ...gltf, mixer };
};
const meshIn = (node: Object3D) => node.children[0] as Mesh;
/** Obstacles come after all bodies. */
const named = (scene: Object3D, name: string) =>
  scene.children.filter((node) => node.userData.name === name || node.name === name);

describe('what is around bodies', () => {
  it('is valid glTF, with the extensions that it uses', async () => {
    const { issues, info } = await validator.validateBytes(bytesOf('scene.glb'));
    expect(issues.messages).toEqual([]);
    expect(info.extensionsUsed).toEqual([
      'KHR_mesh_quantization',
      'KHR_materials_transmission',
      'KHR_materials_ior',
      'KHR_materials_volume',
      'KHR_lights_punctual',
    ]);
    expect(info.extensionsRequired).toEqual(['KHR_mesh_quantization']);
  });

  it('moves as the scene says: an obstacle is where it was in every frame', async () => {
    const { scene, mixer } = await loaded();
    const node = scene.children.find((child) => child.name === 'stone_1')!;
    for (const { time, obstacles } of frames) {
      const lid = obstacles!.find(({ name }) => name === 'stone')!;
      mixer.setTime(time);
      scene.updateMatrixWorld(true);
      const mesh = meshIn(node);
      const positions = mesh.geometry.getAttribute('position');
      const position = new Vector3();
      for (let i = 0; i < positions.count; i++) {
        position.fromBufferAttribute(positions, i).applyMatrix4(mesh.matrixWorld);
        // Half a unit of 16 bits, and a quaternion of float32.
        expect(position.distanceTo(new Vector3().fromArray(lid.positions, 3 * i))).toBeLessThan(2e-5);
      }
    }
    // After 0.3 s it is 0.3 m higher.
    const middle = (k: number) => frames[k]!.obstacles!.find(({ name }) => name === 'stone')!.motion!.pose.origin[1];
    expect(middle(6) - middle(0)).toBeCloseTo(0.3, 6);
  });

  it('has no animation where nothing moves', async () => {
    const { animations } = await loaded();
    const tracks = animations[0]!.tracks.map(({ name }) => name.split('.')[0]!);
    for (const still of ['floor', 'wall', 'plate', 'camera', 'key']) expect(tracks).not.toContain(still);
    expect(tracks).toContain('stone_1');
  });

  it('lets light through glass and liquids', async () => {
    const { scene } = await loaded();
    const materialOf = (name: string) => meshIn(named(scene, name)[0]!).material as MeshPhysicalMaterial;
    const water = materialOf('water_0');
    expect(water).toMatchObject({ transmission: 1, ior: 1.33 });
    // Pictures have water show its colour after 16 spacings.
    expect(water.attenuationDistance).toBeCloseTo(16 * 0.04, 6);
    expect(water.attenuationColor.b).toBeGreaterThan(2 * water.attenuationColor.r);
    const plate = materialOf('plate');
    expect(plate).toMatchObject({ transmission: 1, ior: 1.5 });
    // As thick as the plate, in the units of its mesh, whose node is scaled by half of its longest side.
    expect(plate.thickness * 0.15).toBeGreaterThan(0.012);
    expect(plate.thickness * 0.15).toBeLessThan(0.02);
    expect(materialOf('stone').attenuationColor.r).toBeGreaterThan(2 * materialOf('stone').attenuationColor.g);
    expect(materialOf('jelly').transmission ?? 0).toBe(0);
  });

  it('is seen by a camera that has everything in its picture, under a light from above', async () => {
    const { scene, cameras } = await loaded();
    scene.updateMatrixWorld(true);
    const camera = cameras[0] as PerspectiveCamera;
    expect(camera.fov).toBeCloseTo(30, 6);
    camera.updateMatrixWorld(true);
    let [farthest, deepest] = [0, 0];
    const point = new Vector3();
    for (const { meshes } of frames) {
      for (const { positions } of meshes) {
        for (let i = 0; i < positions.length; i += 3) {
          point.fromArray(positions, i).project(camera);
          farthest = Math.max(farthest, Math.abs(point.x), Math.abs(point.y));
          deepest = Math.max(deepest, Math.abs(point.z));
        }
      }
    }
    expect(deepest).toBeLessThan(1);
    expect(farthest).toBeLessThan(1);
    expect(farthest).toBeGreaterThan(0.5);
    const key = scene.getObjectByName('key') as DirectionalLight;
    const direction = new Vector3(0, 0, 1).transformDirection(key.matrixWorld);
    expect(direction.y).toBeGreaterThan(0.7);
    expect(key.intensity).toBeCloseTo(0.98 * Math.PI, 5);
  });

  it('is in USD with camera, lights, opacity and index of refraction, as tinyusdz reads it', () => {
    const text = readFileSync(join(out, 'scene.usda'), 'utf8');
    for (const part of ['def Camera "camera"', 'def DistantLight "key"', 'def DomeLight "sky"'])
      expect(text).toContain(part);
    expect(text).toMatch(/inputs:opacity = 0\.5\n\s+float inputs:ior = 1\.33/);
    expect(text).toMatch(/inputs:opacity = 0\.16\n\s+float inputs:ior = 1\.5/);
    const reader = fileURLToPath(new URL('../../../scripts/readers/read_usd.mjs', import.meta.url));
    const { stdout, status, stderr } = spawnSync(process.execPath, [reader, join(out, 'scene.usda')], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(names).toEqual(['water', 'jelly', 'stone', 'floor', 'wall', 'stone_2', 'plate']);
  });

  it('is written once where it stands still, and in every frame where it moves', () => {
    const files = readdirSync(out);
    for (const ending of ['ply', 'vtp']) {
      for (const still of ['floor', 'wall', 'plate']) expect(files).toContain(`${still}.${ending}`);
      expect(files.filter((name) => new RegExp(`^stone_2-\\d+\\.${ending}$`).test(name))).toHaveLength(7);
    }
    const collection = readFileSync(join(out, 'meshes.pvd'), 'utf8');
    expect([...collection.matchAll(/file="floor\.vtp"/g)]).toHaveLength(7);
    const library = readFileSync(join(out, 'meshes.mtl'), 'utf8');
    expect(library).toMatch(/newmtl plate\n.*\n.*\nd 0\.16\nNi 1\.5/);
  });

  it('can be left out', async () => {
    const bare = join(folder, 'bare');
    await exportRun({ ...job, out: bare, formats: ['glb', 'ply'], bodiesOnly: true }, () => {});
    expect(readdirSync(bare)).not.toContain('floor.ply');
    const { info } = await validator.validateBytes(Uint8Array.from(readFileSync(join(bare, 'scene.glb'))));
    expect(info.extensionsUsed).not.toContain('KHR_lights_punctual');
  });
});

describe('bodies and liquids', () => {
  const lowest = (positions: Float32Array) => {
    let low = Infinity;
    for (let i = 1; i < positions.length; i += 3) low = Math.min(low, positions[i]!);
    return low;
  };

  it('are not below the floor that they rest on', () => {
    for (const { meshes } of frames) {
      for (const { positions } of meshes) expect(lowest(positions)).toBeGreaterThan(-1e-5);
    }
    for (const { positions } of frames.at(-1)!.meshes) expect(lowest(positions)).toBeLessThan(0.01);
  });
});
