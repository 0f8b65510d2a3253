import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiquidSurfacer, parseScene, serializeScene } from 'phyxel';
import { afterAll, expect, it } from 'vitest';
import { core } from '../src/core.js';
import type { ExportMesh } from '../src/export/geometry.js';
import { MeshInspector } from '../src/export/manifold-check.js';
import { RunSource } from '../src/export/source.js';
import { simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-sound-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every shape, all that moves: solids that hit the ground and each other, a turning brick, a splash and a jet. */
const SCENE = `phyxel: 1
frameRate: 20
duration: 0.3
materials: { jelly: { density: 1000, youngsModulus: 2e4 } }
bodies:
  - { name: box, shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [0, 0.06, 0], rotation: [10, 0, 20], velocity: [0, -2, 0], material: jelly, spacing: 0.02 }
  - { name: ball, shape: { sphere: { radius: 0.06 } }, position: [0.3, 0.07, 0], velocity: [0, -2, 0], material: jelly, spacing: 0.02 }
  - { name: ring, shape: { torus: { radius: 0.07, tube: 0.03 } }, position: [0.6, 0.05, 0], material: jelly, spacing: 0.015 }
  - { name: roll, shape: { cylinder: { radius: 0.05, length: 0.12 } }, position: [0.9, 0.08, 0], twist: [0, 30, 0], material: jelly, spacing: 0.02 }
  - { name: pill, shape: { capsule: { radius: 0.04, length: 0.08 } }, position: [1.2, 0.1, 0], rotation: [0, 0, 40], material: jelly, spacing: 0.02 }
  - { name: brick, kind: rigid, shape: { box: { size: [0.1, 0.06, 0.08] } }, position: [1.5, 0.2, 0], angularVelocity: [0, 5, 10], spacing: 0.02 }
  - { name: peak, shape: { mesh: { file: peak.obj, size: 0.2 } }, position: [1.8, 0.1, 0], velocity: [0, -1, 0], material: jelly, spacing: 0.03 }
  - { name: water, kind: fluid, shape: { box: { size: [0.1, 0.2, 0.1] } }, position: [-0.3, 0.11, 0], spacing: 0.02 }
emitters:
  - { name: jet, position: [-0.8, 0.3, 0], rotation: [0, 0, -60], radius: 0.03, speed: 1.5, spacing: 0.02, maxParticles: 200 }
obstacles:
  - { name: floor, shape: { plane: { normal: [0, 1, 0], offset: 0 } } }
`;

/** With texture coordinates that have seams everywhere. */
const PEAK = [
  ...['v 0 0 0', 'v 1 0 0', 'v 0 1 0', 'v 0 0 1', 'vt 0 0', 'vt 1 0', 'vt 0 1', 'vt 1 1'],
  ...['f 1/1 3/2 2/3', 'f 1/4 2/2 4/1', 'f 1/3 4/1 3/2', 'f 2/1 3/3 4/4'],
].join('\n');

it('the meshes of bodies and liquids are closed and oriented in every frame', async () => {
  writeFileSync(join(folder, 'scene.yaml'), SCENE);
  writeFileSync(join(folder, 'peak.obj'), PEAK);
  const { scene } = parseScene(SCENE, 'scene.yaml');
  const files = { sceneFile: join(folder, 'scene.yaml'), sceneFolder: folder, out: join(folder, 'run') };
  const how = { threads: 1, resume: false, checkpointInterval: 60 } as const;
  await simulate(
    { scene, sceneText: serializeScene(scene), frames: 4, ...files, ...how },
    core,
    () => {},
    () => false,
  );
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  for (const refine of [undefined, 1]) {
    const source = await RunSource.open(files.out, { refine });
    const inspector = new MeshInspector();
    for (const number of source.frames) {
      const { meshes } = source.frame(number, surfacer, { cell: 0.5 });
      expect(meshes).toHaveLength(9);
      for (const mesh of meshes) {
        const { problems } = inspector.inspect(mesh);
        expect(problems, `${mesh.name} in frame ${number}`).toEqual([]);
      }
    }
  }
  await surfacer.dispose();
});

/** A tetrahedron whose faces have vertices of their own, as at seams. */
function tetrahedron(): ExportMesh & { positions: Float32Array; indices: Uint32Array } {
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
  const faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
  return {
    name: 'tetrahedron',
    positions: Float32Array.from(faces.flatMap((v) => corners.slice(3 * v, 3 * v + 3))),
    normals: new Float32Array(36),
    indices: Uint32Array.from(faces.keys()),
    parts: [],
    attributes: {},
    motion: { pose: { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] }, isRigid: false },
  };
}

it('what is not closed, or not oriented, is found', () => {
  const inspect = (mesh: ExportMesh) => new MeshInspector().inspect(mesh);
  expect(inspect(tetrahedron())).toMatchObject({ problems: [], pieces: 1, seam: 0 });
  expect(inspect(tetrahedron()).volume).toBeCloseTo(1 / 6, 6);
  // As the surface of a liquid its seams are gaps.
  const { motion: _, ...liquid } = tetrahedron();
  expect(inspect(liquid)).toMatchObject({ openEdges: 12, pieces: 4 });

  const open = tetrahedron();
  expect(inspect({ ...open, indices: open.indices.slice(3) }).problems).toEqual(['3 open edges']);
  const turned = tetrahedron();
  turned.indices.set([turned.indices[1]!, turned.indices[0]!]);
  expect(inspect(turned).problems).toEqual(['3 edges whose triangles are oriented against each other']);
  const inward = tetrahedron();
  inward.indices.reverse();
  expect(inspect(inward).problems).toHaveLength(1);
  const lost = tetrahedron();
  lost.positions[4] = Number.NaN;
  expect(inspect(lost).problems[0]).toBe('1 coordinates that are no numbers');

  const inspector = new MeshInspector();
  inspector.inspect(tetrahedron());
  const torn = tetrahedron();
  torn.positions[0] = -0.01;
  expect(inspector.inspect(torn).problems).toEqual(['seams that are 9.9e-3 of its size wide']);
});
