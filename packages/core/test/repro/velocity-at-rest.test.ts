import { expect, test } from 'vitest';
import type { Vec3 } from '../../src/options/types.js';
import { block, SOME_BOX, withWorld } from '../laws/support.js';

const material = { youngsModulus: 2e5, density: 1000, damping: 0.3 };

test('a fixed particle has no velocity', async () => {
  await withWorld({}, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material }, block([3, 3, 3], 0.1));
    world.addConstraint({ body: 'b', fix: true });
    world.step(0.1);
    expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(1e-6);
    expect(world.energy().kinetic).toBeLessThan(1e-9);
  });
});

test('a body that has come to rest on a floor has no velocity', async () => {
  await withWorld({}, (world) => {
    const size: Vec3 = [0.4, 0.4, 0.4];
    world.addBody({ name: 'b', shape: { box: { size } }, spacing: 0.1, position: [0, 0.2, 0], material });
    world.addObstacle({ shape: { plane: {} } });
    world.step(3);
    const before = world.positions();
    world.step(0.1);
    const after = world.positions();
    let moved = 0;
    for (let k = 0; k < after.length; k++) moved = Math.max(moved, Math.abs(after[k]! - before[k]!));
    // It does not move: 0.1 s bring less than a micrometre. So no particle is faster than a few times that in 0.1 s.
    expect(moved).toBeLessThan(1e-6);
    expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(1e-3);
  });
});
