/** Bodies that melt keep their mesh, their texture coordinates and their paint where they are solid. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { LiquidSurfacer, meshClosedness, parseScene, serializeScene, weldMap } from 'phyxel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { core } from '../src/core.js';
import { exportRun } from '../src/export/export.js';
import type { ExportFrame, ExportMesh } from '../src/export/geometry.js';
import { RunSource } from '../src/export/source.js';
import { simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-melting-'));
const run = join(folder, 'run');
afterAll(() => rmSync(folder, { recursive: true }));

/** A painted doll in the air whose head is molten at once; its foot stays cold. */
const SCENE = `phyxel: 1
name: molten-head
frameRate: 50
duration: 0.06
gravity: [0, 0, 0]
temperature: 20
materials: { wax: { density: 900, youngsModulus: 1e5, viscosity: 5, heatCapacity: 2000, thermalConductivity: 0, latentHeat: 1e3, meltingPoint: 60 } }
bodies:
  - { name: doll, shape: { mesh: { file: doll.glb, size: 0.23 } }, material: wax, spacing: 0.016 }
heat:
  - { body: doll, region: { box: { min: [-1, 0.15, -1], max: [1, 1, 1] } }, temperature: 90, start: 0.015 }
`;

const frames: ExportFrame[] = [];
const meshNamed = (frame: ExportFrame, isBody: boolean): ExportMesh =>
  frame.meshes.find(({ motion }) => (motion !== undefined) === isBody)!;

beforeAll(async () => {
  copyFileSync(fileURLToPath(new URL('../../../examples/meshes/doll.glb', import.meta.url)), join(folder, 'doll.glb'));
  writeFileSync(join(folder, 'scene.yaml'), SCENE);
  const { scene } = parseScene(SCENE, 'scene.yaml');
  const job = { scene, sceneFile: join(folder, 'scene.yaml'), sceneText: serializeScene(scene), sceneFolder: folder };
  const settings = { out: run, frames: 3, threads: 1, resume: false, checkpointInterval: 0 };
  await simulate(
    { ...job, ...settings },
    core,
    () => {},
    () => false,
  );
  const source = await RunSource.open(run);
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  for (const number of source.frames) frames.push(source.frame(number, surfacer, {}));
  await surfacer.dispose();
  await source.dispose();
});

test('the mesh is whole before, and alone', () => {
  expect(frames[0]!.meshes).toHaveLength(1);
  expect(meshNamed(frames[0]!, true).uvs).toBeDefined();
});

test('afterwards it is what it was where it is solid, with its texture coordinates, and closed', () => {
  const [before, after] = [meshNamed(frames[0]!, true), meshNamed(frames.at(-1)!, true)];
  expect(after.indices).toEqual(before.indices);
  expect(after.uvs).toEqual(before.uvs);
  const same = weldMap(Float64Array.from(before.positions), 1e-6);
  expect(meshClosedness(after.positions, after.indices, same).openEdges).toBe(0);
  let highest = -Infinity;
  for (let v = 0; v < after.positions.length; v += 3) {
    highest = Math.max(highest, after.positions[v + 1]!);
    // Half a spacing: what is cold has hardly moved.
    if (before.positions[v + 1]! > 0.08) continue;
    for (let a = 0; a < 3; a++)
      expect(Math.abs(after.positions[v + a]! - before.positions[v + a]!)).toBeLessThan(0.008);
  }
  expect(highest).toBeLessThan(0.16);
});

test('the surface of the molten part is closed, goes on from the mesh, and has its colours', () => {
  const { positions, indices, colors } = meshNamed(frames.at(-1)!, false);
  expect(meshClosedness(positions, indices).openEdges).toBe(0);
  const heights = Array.from(positions).filter((_, k) => k % 3 === 1);
  expect(Math.min(...heights)).toBeLessThan(0.15);
  expect(Math.max(...heights)).toBeGreaterThan(0.2);
  // The scarf around the head is golden: much red, less green, little blue.
  const top = Array.from({ length: heights.length }, (_, v) => v).filter((v) => heights[v]! > 0.2);
  const mean = [0, 1, 2].map((c) => top.reduce((sum, v) => sum + colors![4 * v + c]!, 0) / top.length);
  expect(mean[0]).toBeGreaterThan(mean[1]!);
  expect(mean[1]).toBeGreaterThan(1.5 * mean[2]!);
});

test('every format takes it, and the glTF file is valid', async () => {
  const out = join(folder, 'out');
  const formats = ['glb', 'usda', 'ply', 'obj', 'vtp'] as const;
  await exportRun(
    { run, out, formats: [...formats], first: 0, last: Infinity, every: 1, cell: 0.5, threads: 1, compress: false },
    () => {},
  );
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(join(out, 'scene.glb'))));
  expect(issues.messages.filter(({ severity }) => severity === 0)).toEqual([]);
  expect(readFileSync(join(out, 'scene.usda'), 'utf8')).toContain('token visibility.timeSamples');
});
