import { afterEach, expect, test, vi } from 'vitest';
import { SaveError } from '../../src/index.js';
import { createWorld, World } from '../../src/world.js';
import { buildScene, runScene } from '../browser/scene.js';
import { block, SOME_BOX, withWorld } from './support.js';

afterEach(() => vi.unstubAllGlobals());

async function hashes(threads: number): Promise<string[]> {
  const world = await buildScene(createWorld, threads);
  expect(world.particleCount).toBeGreaterThan(512);
  const result = runScene(world);
  await world.dispose();
  return result;
}

let oneThread: Promise<string[]> | undefined;
const reference = () => {
  oneThread ??= hashes(1);
  return oneThread;
};

test.each([2, 4])('the same hash with 1 and %i threads', async (threads) => {
  expect(await hashes(threads)).toEqual(await reference());
});

test('the same hash without shared memory', async () => {
  const expected = await reference();
  vi.stubGlobal('SharedArrayBuffer', undefined);
  const world = await buildScene(createWorld, 2);
  expect(world.threads).toBe(1);
  expect(runScene(world)).toEqual(expected);
});

test('looking at a world does not change it', async () => {
  const world = await buildScene(createWorld, 1);
  const expected = await reference();
  const seen = expected.map(() => {
    world.step(1 / 30);
    world.energy();
    world.stresses();
    world.stableTimeStep();
    world.positions();
    world.probe({ name: 'p', body: 'ball', quantity: 'angularMomentum' });
    world.save();
    return world.stateHash();
  });
  expect(seen).toEqual(expected);
  await world.dispose();
});

test.each([0, 1, 2, 3, 4, 5])('a world saved after frame %i goes on to the same hashes', async (frame) => {
  const expected = await reference();
  const world = await buildScene(createWorld, 1);
  if (frame > 0) runScene(world, frame);
  const hash = world.stateHash();
  const bytes = world.save();
  await world.dispose();
  // What readFile gives is a Buffer.
  const read = frame < 3 ? bytes : Buffer.from(bytes);
  const again = await World.load(read, { threads: frame % 2 === 0 ? 1 : 2 });
  expect(again.stateHash()).toBe(hash);
  expect(again.frame).toBe(frame);
  // Saving what was loaded gives the same bytes.
  expect(again.save()).toEqual(bytes);
  expect(runScene(again, 6 - frame)).toEqual(expected.slice(frame));
  await again.dispose();
});

test('a world saved after its fast start has been slowed down goes on to the same hashes', async () => {
  await withWorld({}, async (world) => {
    // Faster than its own waves, so that speed limits the step at first.
    const material = { youngsModulus: 2e4, damping: 0.2 };
    world.addBody(
      { name: 'b', shape: SOME_BOX, material, position: [0, 0.4, 0], velocity: [0, -15, 0] },
      block([5, 5, 5], 0.1),
    );
    world.addObstacle({ shape: { plane: {} } });
    world.step(0.3);
    const again = await World.load(world.save(), { threads: 1 });
    expect(again.stableTimeStep()).toEqual(world.stableTimeStep());
    world.step(0.1);
    again.step(0.1);
    expect(again.stateHash()).toBe(world.stateHash());
    await again.dispose();
  });
});

test('a damaged save is refused', async () => {
  const world = await buildScene(createWorld, 1);
  runScene(world, 1);
  const bytes = world.save();
  await world.dispose();
  for (const length of [0, 3, 23, 24, 100, Math.floor(bytes.length / 2), bytes.length - 1]) {
    await expect(World.load(bytes.slice(0, length)), `cut to ${length}`).rejects.toThrow(SaveError);
  }
  const grown = new Uint8Array(bytes.length + 4);
  grown.set(bytes);
  await expect(World.load(grown)).rejects.toThrow(SaveError);
  for (let n = 0; n < 60; n++) {
    // Every place is tried that a stride prime to the length meets, prefix and header among them.
    const at = n < 24 ? n : (n * 104_729) % bytes.length;
    const flipped = bytes.slice();
    flipped[at]! ^= 1 << (n % 8);
    await expect(World.load(flipped), `bit ${n % 8} of byte ${at}`).rejects.toThrow(SaveError);
  }
});

test('a body that is added far away in mid-run does not disturb the others', async () => {
  const run = (add: boolean) =>
    withWorld({ gravity: [0, 0, 0], solver: { maxTimeStep: 2e-4 } }, (world) => {
      const body = { shape: SOME_BOX, material: { youngsModulus: 1e5, damping: 0.1 } };
      world.addBody(
        { ...body, name: 'a', angularVelocity: [0, 5, 0], velocity: [1, 0, 0] },
        block([4, 4, 4], 0.1, 0.1),
      );
      world.step(0.02);
      if (add) world.addBody({ ...body, name: 'b', position: [50, 0, 0], velocity: [0, 1, 0] }, block([3, 3, 3], 0.1));
      world.step(0.02);
      if (add) expect(world.probe({ name: 'p', body: 'b', quantity: 'position' })[1]).toBeCloseTo(0.02, 5);
      return world.positions().slice(0, 4 * 64);
    });
  const [alone, joined] = [await run(false), await run(true)];
  // Forces are evaluated anew when the memory is laid out, without a strain rate: a small part of one kick.
  for (let k = 0; k < alone.length; k++) expect(Math.abs(alone[k]! - joined[k]!)).toBeLessThan(2e-6);
});
