import { describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../src/world.js';

const CUBE = { box: { size: [0.2, 0.2, 0.2] as const } };

async function cube(kind: 'solid' | 'rigid', gravity: readonly [number, number, number] = [0, -9.81, 0]) {
  const world = await createWorld({ threads: 1, gravity });
  const material = { youngsModulus: 1e5, damping: 0.1 };
  world.addBody({ name: 'cube', kind, shape: CUBE, spacing: 0.04, position: [0, 0.5, 0], material });
  return world;
}

const centre = (world: World) => world.probe({ name: 'centre', body: 'cube', quantity: 'position' });

describe.each(['solid', 'rigid'] as const)('a hand that holds a %s body', (kind) => {
  test('leaves it as it is when nothing else acts and it does not move', async () => {
    const world = await cube(kind, [0, 0, 0]);
    world.grab('cube', [0, 0.6, 0]);
    world.step(0.1);
    const [x, y, z] = centre(world);
    expect(Math.hypot(x!, y! - 0.5, z!)).toBeLessThan(1e-6);
    await world.dispose();
  });

  test('carries its weight, and the spring gives by g over the square of its rate', async () => {
    const world = await cube(kind);
    const grab = world.grab('cube', [0, 0.6, 0]);
    grab.target = [0.3, 0.9, 0];
    for (let k = 0; k < 60; k++) world.step(1 / 30);
    const held = world.positions();
    let [x, y] = [0, 0];
    for (const [n, i] of grab.particles.entries()) {
      x += grab.shares[n]! * held[4 * i]!;
      y += grab.shares[n]! * held[4 * i + 1]!;
    }
    expect(x + grab.offset[0]).toBeCloseTo(0.3, 2);
    expect(y + grab.offset[1]).toBeCloseTo(0.9 - 9.81 / 30 ** 2, 2);
    await world.dispose();
  });

  test('lets go with the velocity of the throw, and it flies on as a free body does', async () => {
    const world = await cube(kind);
    const grab = world.grab('cube', [0, 0.5, 0]);
    for (let k = 1; k <= 12; k++) {
      grab.target = [0.05 * k, 0.5, 0];
      world.step(1 / 60);
    }
    grab.release();
    const before = world.momentum();
    world.step(0.05);
    const after = world.momentum();
    expect(before[0] / world.mass).toBeGreaterThan(1);
    expect(after[0]).toBeCloseTo(before[0], 4);
    expect(after[1] - before[1]).toBeCloseTo(-9.81 * 0.05 * world.mass, 3);
    await world.dispose();
  });
});

test('a grab holds through changes that lay the world out anew, and beside a liquid', async () => {
  const world = await cube('solid');
  world.addBody({ name: 'water', kind: 'fluid', shape: CUBE, spacing: 0.04, position: [1, 0.11, 0] });
  world.addObstacle({ shape: { plane: {} } });
  const grab = world.grab('cube', [0, 0.6, 0]);
  world.step(0.1);
  world.setMaterial('cube', { density: 500 });
  for (let k = 0; k < 20; k++) world.step(1 / 30);
  expect(centre(world)[1]).toBeGreaterThan(0.42);
  grab.release();
  grab.release();
  world.step(0.2);
  expect(centre(world)[1]).toBeLessThan(0.4);
  expect(() => world.grab('cube', [Number.NaN, 0, 0])).toThrow(/finite/);
  expect(() => {
    world.grab('cube', [0, 0, 0]).target = [Number.NaN, 0, 0];
  }).toThrow(/finite/);
  expect(() => world.grab('cube', [0, 0, 0], { radius: -1 })).toThrow(/radius/);
  await world.dispose();
});

test('the same hand gives the same hash on one thread and on two', async () => {
  const hashes: string[] = [];
  for (const threads of [1, 2]) {
    const world = await createWorld({ threads });
    world.addBody({ name: 'cube', shape: CUBE, spacing: 0.02, position: [0, 0.5, 0] });
    const grab = world.grab('cube', [0.1, 0.6, 0.1]);
    grab.target = [0.2, 0.8, 0];
    world.step(0.1);
    hashes.push(world.stateHash());
    await world.dispose();
  }
  expect(hashes[0]).toBe(hashes[1]);
});
