/** Bodies that break: their pieces in all formats, and in pictures. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { LiquidSurfacer, meshClosedness, weldMap } from 'phyxel';
import { AnimationMixer, LoopOnce, Mesh } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRun } from '../src/export/export.js';
import type { ExportFrame, ExportMesh } from '../src/export/geometry.js';
import { RunSource } from '../src/export/source.js';
import { breakRun, restOf, runScene } from './broken-run.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-pieces-'));
const run = join(folder, 'run');
const out = join(folder, 'out');
afterAll(() => rmSync(folder, { recursive: true }));

const MESH = fileURLToPath(new URL('../../../examples/meshes/doll.glb', import.meta.url));

/** Three bodies in the air, of which a block and a painted doll break. */
const SCENE = `phyxel: 1
name: pieces
frameRate: 50
duration: 0.06
gravity: [0, 0, 0]
materials: { clay: { density: 2000, youngsModulus: 1e5 } }
bodies:
  - { name: block, shape: { box: { size: [0.2, 0.1, 0.1] } }, position: [1, 0, 0], material: clay, spacing: 0.02, insideColor: "#ff0000" }
  - { name: doll, shape: { mesh: { file: doll.glb, size: 0.23 } }, material: clay, spacing: 0.02 }
  - { name: ball, shape: { sphere: { radius: 0.05 } }, position: [-1, 0, 0], material: clay, spacing: 0.02 }
`;

const frames: ExportFrame[] = [];
const piecesOf = (frame: ExportFrame, body: string) => frame.meshes.filter(({ pieceOf }) => pieceOf === body);

/** The middle of the block is moved up after two frames, and then breaks in two. */
const SIDES = [-0.05, 0.05];

beforeAll(async () => {
  await runScene(SCENE, run, 3, [MESH]);
  const rest = restOf(run, 'block');
  const count = rest.length / 3;
  const x = (i: number) => rest[3 * i]! - 1;
  const two = Array.from({ length: count }, (_, i) => (x(i) < SIDES[0]! ? 0 : 4));
  const three = Array.from({ length: count }, (_, i) => (x(i) < SIDES[0]! ? 0 : x(i) < SIDES[1]! ? 4 : 9));
  breakRun(run, 'block', (n) => {
    const labels = n === 2 ? two : three;
    return n < 2 ? undefined : { labels, move: ([a, b, c], label) => [a, b + 0.01 * n * label, c] };
  });
  const doll = restOf(run, 'doll');
  const seeds = [0, 40, 90, 150, 200];
  const labels = Array.from({ length: doll.length / 3 }, (_, i) => {
    const squares = seeds.map((j) => [0, 1, 2].reduce((sum, k) => sum + (doll[3 * i + k]! - doll[3 * j + k]!) ** 2, 0));
    return squares.indexOf(Math.min(...squares));
  });
  breakRun(run, 'doll', (n) => (n < 3 ? undefined : { labels, move: ([a, b, c], label) => [a + label, b, c] }));
  const source = await RunSource.open(run);
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  for (const number of source.frames) frames.push(source.frame(number, surfacer, {}));
  await surfacer.dispose();
  await source.dispose();
});

function closedness({ positions, indices }: ExportMesh) {
  // Vertices at one place at rest are carried by the same particles to the same position, to rounding.
  return meshClosedness(positions, indices, weldMap(Float64Array.from(positions), 1e-6));
}

test('bodies are whole before they break, and those that do not break stay whole', () => {
  expect(frames[1]!.meshes.map(({ name }) => name)).toEqual(['block', 'doll', 'ball']);
  for (const frame of frames) expect(frame.meshes.some(({ name }) => name === 'ball')).toBe(true);
  expect(frames[2]!.meshes.some(({ name }) => name === 'block')).toBe(false);
});

test('pieces are closed, keep the volume, and follow their own particles only', () => {
  const whole = closedness(frames[0]!.meshes[0]!).volume;
  expect(frames.map((frame) => piecesOf(frame, 'block').length)).toEqual([0, 0, 2, 3]);
  for (const n of [2, 3]) {
    let volume = 0;
    for (const piece of piecesOf(frames[n]!, 'block')) {
      const found = closedness(piece);
      expect(found).toMatchObject({ openEdges: 0, nonManifoldEdges: 0, turnedEdges: 0 });
      volume += found.volume;
      const label = piece.attributes.piece!.values[0]!;
      const heights = piece.positions.filter((_, k) => k % 3 === 1);
      // Moved as a whole, by float32.
      expect(Math.min(...heights)).toBeCloseTo(-0.05 + 0.01 * n * label, 5);
      expect(Math.max(...heights)).toBeCloseTo(0.05 + 0.01 * n * label, 5);
    }
    expect(volume).toBeCloseTo(whole, 7);
  }
});

test('a piece that stays as it is keeps its name and its triangles when another one breaks', () => {
  const [before, after] = [2, 3].map((n) => piecesOf(frames[n]!, 'block'));
  const same = after!.filter(({ name }) => before!.some((other) => other.name === name));
  expect(same).toHaveLength(1);
  expect(same[0]!.indices).toBe(before!.find(({ name }) => name === same[0]!.name)!.indices);
});

test('new faces have the colour of the inside, others the materials and texture coordinates of their file', () => {
  const block = piecesOf(frames[3]!, 'block')[0]!;
  expect(block.parts.map(({ material }) => material.name)).toEqual(['block', 'block inside']);
  expect(block.parts[1]!.material.color).toEqual([1, 0, 0]);
  const whole = frames[0]!.meshes[1]!;
  expect(piecesOf(frames[3]!, 'doll')).toHaveLength(5);
  for (const piece of piecesOf(frames[3]!, 'doll')) {
    expect(piece.uvs).toHaveLength((2 * piece.positions.length) / 3);
    for (const { material } of piece.parts.slice(0, -1)) {
      expect(whole.parts.some((part) => part.material === material)).toBe(true);
    }
    const { color, roughness, texture } = piece.parts.at(-1)!.material;
    expect([Math.min(...color) >= 0.35, roughness > 0.9, texture]).toEqual([true, true, undefined]);
  }
});

test('every format has the pieces', async () => {
  const formats = ['glb', 'usda', 'ply', 'obj', 'vtp'] as const;
  const job = { run, out, formats: [...formats], first: 0, last: Infinity, every: 1, threads: 1 as const };
  await exportRun({ ...job, compress: false }, () => {});
  const glb = new Uint8Array(readFileSync(join(out, 'scene.glb')));
  const { issues } = await validator.validateBytes(glb);
  expect(issues.messages.filter(({ severity }) => severity === 0)).toEqual([]);
  // One mesh of all pieces for each body, and each piece as an object.
  const ply = new PLYLoader().parse(Uint8Array.from(readFileSync(join(out, 'block-000003.ply'))).buffer);
  const all = piecesOf(frames[3]!, 'block').reduce((sum, { indices }) => sum + indices.length, 0);
  expect(ply.index!.count).toBe(all);
  const names = readdirSync(out);
  for (const name of ['block-000001.ply', 'block-000002.vtp', 'doll-000003.vtp']) expect(names).toContain(name);
  expect(readFileSync(join(out, 'meshes-000003.obj'), 'utf8').match(/^o block_piece_\d+$/gm)).toHaveLength(3);
  const usda = readFileSync(join(out, 'scene.usda'), 'utf8');
  expect(usda.match(/def Mesh "block_piece_\d+"/g)!.length).toBe(4);
  expect(usda).toContain('3: "invisible"');
});

/** The loader reads pictures in pages only. */
function withoutPictures(glb: Buffer): Buffer {
  const length = glb.readUInt32LE(12);
  const document = JSON.parse(glb.toString('utf8', 20, 20 + length)) as { materials: object[]; textures?: unknown };
  document.materials = document.materials.map(() => ({}));
  document.textures = undefined;
  const json = Buffer.from(JSON.stringify(document).padEnd(length));
  return Buffer.concat([glb.subarray(0, 20), json, glb.subarray(20 + length)]);
}

test('a glTF viewer shows the whole body until it breaks, then its pieces where they are', async () => {
  const bytes = withoutPictures(readFileSync(join(out, 'scene.glb')));
  const { scene, animations } = await new GLTFLoader().parseAsync(Uint8Array.from(bytes).buffer, '');
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(animations[0]!);
  // It stays at its end.
  action.setLoop(LoopOnce, 1).clampWhenFinished = true;
  action.play();
  for (const [n, { time }] of frames.entries()) {
    mixer.setTime(time + 1e-6);
    scene.updateMatrixWorld(true);
    const seen: Mesh[] = [];
    scene.traverse((object) => {
      if (object instanceof Mesh && Math.abs(object.matrixWorld.determinant()) > 1e-12) seen.push(object);
    });
    const named = (mesh: Mesh) => {
      let object = mesh.parent;
      while (object && !/^(block|doll|ball)/.test(object.name)) object = object.parent;
      return object?.name.replaceAll('_', ' ') ?? '';
    };
    const expected = frames[n]!.meshes.map(({ name }) => name.replaceAll('_', ' '));
    expect(new Set(seen.map(named))).toEqual(new Set(expected));
  }
});
