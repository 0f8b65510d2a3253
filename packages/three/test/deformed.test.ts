import { FramePacker, loadScene, parseScene, Skin } from 'phyxel';
import { Vector4 } from 'three';
import { expect, test } from 'vitest';
import { boundGeometry, MOST_NEIGHBORS } from '../src/deformed-mesh.js';
import { deformVertices } from '../src/deformed-shape.js';

const SCENE = `
phyxel: 1
bodies:
  - { name: plate, shape: { box: { size: [0.3, 0.04, 0.3] } }, spacing: 0.04, position: [-1, 0.3, 0] }
  - { name: ball, shape: { sphere: { radius: 0.12 } }, spacing: 0.04, position: [0, 0.3, 0.1], rotation: [10, 20, 30], material: { youngsModulus: 2e4 } }
  - { name: stone, kind: rigid, shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.04, position: [0.5, 2, 0], angularVelocity: [3, 9, 1] }
obstacles:
  - { name: floor, shape: { plane: {} } }
`;

const GROUPS = ['A', 'B', 'C', 'D'];

/** What the vertex shader computes, in float32 as it does. */
function shaderVertex(geometry: ReturnType<typeof boundGeometry>, v: number, affines: Float32Array, first: number) {
  const rows = Array.from({ length: 3 }, () => new Float32Array(4));
  for (const group of GROUPS) {
    const index = geometry.getAttribute(`phyxelIndex${group}`).array;
    const weight = geometry.getAttribute(`phyxelWeight${group}`).array;
    for (let k = 0; k < 4; k++) {
      const j = index[4 * v + k]!;
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 4; c++) rows[r]![c]! += weight[4 * v + k]! * affines[12 * (first + j) + 4 * r + c]!;
      }
    }
  }
  const m = geometry.getAttribute('position').array.slice(3 * v, 3 * v + 3);
  const n = geometry.getAttribute('normal').array.slice(3 * v, 3 * v + 3);
  const position = rows.map((row) => row[0]! * m[0]! + row[1]! * m[1]! + row[2]! * m[2]! + row[3]!);
  const cross = (a: Float32Array, b: Float32Array) => [
    a[1]! * b[2]! - a[2]! * b[1]!,
    a[2]! * b[0]! - a[0]! * b[2]!,
    a[0]! * b[1]! - a[1]! * b[0]!,
  ];
  const cofactors = [cross(rows[1]!, rows[2]!), cross(rows[2]!, rows[0]!), cross(rows[0]!, rows[1]!)];
  const turned = cofactors.map((row) => row[0]! * n[0]! + row[1]! * n[1]! + row[2]! * n[2]!);
  const length = Math.hypot(...turned);
  return { position, normal: turned.map((x) => x / length) };
}

test('the shader puts vertices and normals where Skin does', async () => {
  const { scene } = parseScene(SCENE, 'test.yaml');
  const world = await loadScene(scene, { threads: 1 });
  const packer = await FramePacker.create(world, scene);
  const rest = packer.record(world).positions;
  for (let k = 0; k < 12; k++) world.step(1 / 30);
  const recorded = packer.record(world);
  const affines = new Float32Array(12 * packer.affineCount);
  packer.packAffines(recorded, affines);
  let [bent, placeError, normalError] = [0, 0, 0];
  for (const { mesh, begin, end, affineBegin } of packer.bodies) {
    expect(mesh!.neighbors).toBeLessThanOrEqual(MOST_NEIGHBORS);
    const geometry = boundGeometry(mesh!);
    const skin = new Skin(mesh!.positions, rest.subarray(3 * begin, 3 * end));
    const positions = new Float64Array(mesh!.positions.length);
    const normals = new Float64Array(mesh!.positions.length);
    skin.deform(recorded.positions.subarray(3 * begin, 3 * end), positions);
    skin.turnNormals(mesh!.normals, normals);
    for (let v = 0; v < positions.length / 3; v++) {
      const { position, normal } = shaderVertex(geometry, v, affines, affineBegin!);
      for (let a = 0; a < 3; a++) {
        placeError = Math.max(placeError, Math.abs(position[a]! - positions[3 * v + a]!));
        normalError = Math.max(normalError, Math.abs(normal[a]! - normals[3 * v + a]!));
        bent = Math.max(bent, Math.abs(positions[3 * v + a]! - mesh!.positions[3 * v + a]!));
      }
    }
  }
  // Sums of about ten float32 numbers of size 1; normals are products of sums.
  expect(placeError).toBeLessThan(2e-6);
  expect(normalError).toBeLessThan(1e-4);
  expect(bent).toBeGreaterThan(0.1);
  await world.dispose();
});

test('meshes of bodies that rest on a plane lie on it', async () => {
  const { scene } = parseScene(
    `
phyxel: 1
bodies:
  - { name: stone, kind: rigid, shape: { sphere: { radius: 0.1 } }, spacing: 0.04, position: [0, 0.15, 0] }
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, rotation: [35, 0, 45], spacing: 0.04, position: [0.5, 0.24, 0], material: { youngsModulus: 2e4, damping: 0.1 } }
obstacles: [{ name: floor, shape: { plane: {} } }]
`,
    'test.yaml',
  );
  const world = await loadScene(scene, { threads: 1 });
  const packer = await FramePacker.create(world, scene);
  const affines = new Float32Array(12 * packer.affineCount);
  const floor = [new Vector4(0, 1, 0, 0)];
  const lowest = packer.bodies.map(() => ({ bare: Infinity, laid: Infinity }));
  for (let k = 0; k < 12; k++) {
    world.step(1 / 40);
    packer.packAffines(packer.record(world), affines, world.time);
    for (const [b, { mesh, affineBegin }] of packer.bodies.entries()) {
      const positions = new Float32Array(mesh!.positions.length);
      const low = (planes: Vector4[]) => {
        deformVertices(mesh!, affines, affineBegin!, positions, positions.slice(), planes);
        return positions.reduce((least, y, i) => (i % 3 === 1 ? Math.min(least, y) : least), Infinity);
      };
      lowest[b]!.bare = Math.min(lowest[b]!.bare, low([]));
      lowest[b]!.laid = Math.min(lowest[b]!.laid, low(floor));
    }
  }
  // Rigid bodies are moved as a whole when they are packed, others vertex by vertex when they are drawn.
  expect(lowest[0]!.bare).toBeGreaterThan(-1e-5);
  expect(lowest[1]!.bare).toBeLessThan(-0.004);
  for (const { laid } of lowest) expect(Math.abs(laid)).toBeLessThan(1e-5);
  await world.dispose();
});
