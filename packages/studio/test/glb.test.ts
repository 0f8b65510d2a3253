import validator from 'gltf-validator';
import { FramePacker, loadScene, parseScene, readMesh, readMeshes } from 'phyxel';
import type { WorldDescription, WorldFrame } from 'phyxel/browser';
import { Color, PerspectiveCamera } from 'three';
import { expect, test } from 'vitest';
import { texturedCube } from '../../three/test/textured-cube.js';
import { frameToGlb } from '../src/glb.js';

const SCENE = `
phyxel: 1
bodies:
  - { name: cube, shape: { mesh: { file: cube.glb } }, position: [0, 0.3, 0], spacing: 0.1 }
  - { name: gem, kind: rigid, shape: { sphere: { radius: 0.1 } }, position: [1, 0.3, 0], spacing: 0.05, look: glass }
obstacles:
  - { name: box, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [2, 0, 0], color: "#ff0000" }
  - { name: printed, shape: { mesh: { file: cube.glb } }, position: [3, 0, 0] }
`;

test('a frame as GLB has the materials of files, glass, colours of obstacles, and the camera', async () => {
  const { scene: named } = parseScene(SCENE, 'scene.yaml');
  const scene = await readMeshes(named, { readFile: async () => texturedCube(0.3) });
  const world = await loadScene(scene, { threads: 1 });
  const packer = await FramePacker.create(world, scene);
  const affines = new Float32Array(12 * packer.affineCount);
  const obstacles = new Float32Array(12 * packer.obstacles.length);
  packer.packAffines(packer.record(world), affines);
  packer.packObstacles(0, obstacles);
  const description = { bodies: packer.bodies, obstacles: packer.obstacles } as unknown as WorldDescription;
  const frame = { affines, obstacles } as unknown as WorldFrame;
  const camera = new PerspectiveCamera(40, 1.5, 0.1, 10);
  const bytes = frameToGlb(description, frame, () => new Color('#00ff00'), camera);
  const { issues, info } = await validator.validateBytes(bytes);
  // The file has no tangents either.
  const told = issues.messages.filter(({ severity }) => severity < 2).map(({ code }) => code);
  expect(told.filter((code) => code !== 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE')).toEqual([]);
  expect(info.extensionsUsed).toEqual(['KHR_materials_transmission', 'KHR_materials_ior']);
  const mesh = readMesh(bytes, 'frame.glb');
  const { materials, colors } = mesh.finish!;
  const own = readMesh(texturedCube(0.3), 'cube.glb').finish!.materials!.list;
  // Both the body and the obstacle have the three of their file, to the byte of every picture.
  expect(materials!.list.slice(0, 3)).toMatchObject(own);
  expect(materials!.list.slice(5)).toMatchObject(own);
  expect(materials!.list[3]).toMatchObject({ name: 'gem', color: [0, 1, 0], transmission: 1, ior: 1.5 });
  expect(materials!.list[4]).toMatchObject({ name: 'box', color: [1, 0, 0] });
  expect(new Set(colors!.values).size).toBeGreaterThan(1);
  const text = new TextDecoder().decode(bytes.subarray(20, 20 + new DataView(bytes.buffer).getUint32(12, true)));
  const json = JSON.parse(text) as { cameras: object[]; images: object[] };
  expect(json.cameras).toMatchObject([{ perspective: { aspectRatio: 1.5, zfar: 10 } }]);
  expect(json.images).toHaveLength(4);
  // What light goes through by its file's own word.
  const [cube] = packer.bodies;
  const parts = cube!.mesh!.parts!.map((part) => ({
    ...part,
    material: part.material && { ...part.material, transmission: 0.8, ior: 1.4 },
  }));
  const clear = { bodies: [{ ...cube!, mesh: { ...cube!.mesh!, parts } }], obstacles: [] };
  const glass = frameToGlb(clear as unknown as WorldDescription, frame, () => undefined);
  expect((await validator.validateBytes(glass)).info.extensionsUsed).toHaveLength(2);
  for (const material of readMesh(glass, 'glass.glb').finish!.materials!.list)
    expect(material).toMatchObject({ transmission: 0.8, ior: 1.4 });
  await world.dispose();
});
