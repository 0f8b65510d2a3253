import { expect, test } from 'vitest';
import { createWorld, parseScene, World } from '../../src/index.js';
import { crc32 } from '../../src/math/crc32.js';
import { loadScene } from '../../src/scene/load.js';

/** Something of everything that has a state: solids that flow for good, rigid bodies that touch, a liquid from a source, heat. */
const SCENE = `
phyxel: 1
temperature: 20
bodies:
  - { name: clay, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.2, 0], velocity: [0, -3, 0],
      material: { youngsModulus: 5.0e+4, yieldStress: 500 } }
  - { name: stone, kind: rigid, shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05, position: [0.5, 0.05, 0],
      velocity: [0.5, 0, 0], temperature: 80 }
emitters:
  - { name: tap, radius: 0.1, position: [-0.6, 0.4, 0], rotation: [0, 0, 0], speed: 1, spacing: 0.05, maxParticles: 400 }
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

test('a snapshot is the save of its moment, whatever happens to the world afterwards', async () => {
  const { scene } = parseScene(SCENE, 'test.yaml');
  const world = await loadScene(scene, { threads: 1 });
  for (let k = 1; k <= 6; k++) world.stepTo(k / 30);
  const then = world.save();
  const snapshot = world.snapshot();
  world.setMaterial('clay', { youngsModulus: 9e4 });
  world.setTemperature('stone', 200);
  for (let k = 7; k <= 12; k++) world.stepTo(k / 30);
  expect(world.save()).not.toEqual(then);
  expect(snapshot.toBytes()).toEqual(then);
  // Twice, because a load must not change it.
  const again = await World.load(snapshot.toBytes(), { threads: 1 });
  again.stepTo(7 / 30);
  expect(snapshot.toBytes()).toEqual(then);
  await again.dispose();
  await world.dispose();
});

test('a snapshot keeps the state and shares what never changes', async () => {
  const world = await createWorld({ threads: 1 });
  world.addBody({ name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.02 });
  const bytes = world.save().length;
  // State: 80 bytes of a particle; samples: at least 20, of which there is one copy for all snapshots.
  expect(world.snapshot().ownBytes).toBeLessThan(bytes - 19 * world.particleCount);
  await world.dispose();
});

test('checksums are those of IEEE 802.3 for every length', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, i) => (i * i * 37 + 11) & 0xff);
  const slowly = (part: Uint8Array) => {
    let c = 0xffffffff;
    for (const byte of part) {
      c ^= byte;
      for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    }
    return ~c >>> 0;
  };
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  for (let n = 0; n <= bytes.length; n++)
    expect(crc32(bytes.subarray(n % 5, n))).toBe(slowly(bytes.subarray(n % 5, n)));
});

test('places, speeds and sums are read as positions, velocities and energies are', async () => {
  const { scene } = parseScene(SCENE, 'test.yaml');
  const world = await loadScene(scene, { threads: 1 });
  for (let k = 1; k <= 8; k++) world.stepTo(k / 30);
  const read = world.readings();
  const [positions, velocities] = [world.positions(), world.velocities()];
  const [points, speeds] = [read.positionsOr(-5), read.speeds()];
  let absent = 0;
  for (let i = 0; i < world.particleCount; i++) {
    const isThere = positions[4 * i + 3] === 1;
    if (!isThere) absent++;
    for (let a = 0; a < 3; a++) expect(points[3 * i + a]).toBe(isThere ? positions[4 * i + a] : -5);
    const speed = Math.hypot(velocities[4 * i]!, velocities[4 * i + 1]!, velocities[4 * i + 2]!);
    expect(Math.abs(speeds[i]! - speed)).toBeLessThanOrEqual(1e-6 * speed);
  }
  expect(absent).toBeGreaterThan(0);
  expect(absent).toBeLessThan(400);
  const { energy, momentum, angularMomentum } = world.sums();
  expect(energy).toEqual(world.energy());
  expect(momentum).toEqual(world.momentum());
  expect(angularMomentum).toEqual(world.angularMomentum());
  await world.dispose();
});
