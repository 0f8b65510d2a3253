import { expect, test } from 'vitest';
import { block, SOME_BOX, withWorld } from '../laws/support.js';

const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

test('a fix that begins later holds the particles where they are then', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material, velocity: [1, 0, 0] }, block([3, 3, 3], 0.1));
    world.addConstraint({ body: 'b', fix: true, start: 0.5 });
    world.step(0.5);
    const held = world.positions();
    world.step(0.1);
    const p = world.positions();
    // Float32 positions of half a metre; not thrown back to where they were at time 0.
    for (let k = 0; k < p.length; k++) expect(Math.abs(p[k]! - held[k]!)).toBeLessThan(1e-5);
  });
});

test('a motion that begins later sets out from where the region is then', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material, velocity: [1, 0, 0] }, block([3, 3, 3], 0.1));
    world.addConstraint({ body: 'b', move: [{ time: 0.5 }, { time: 1, position: [0, 1, 0] }], start: 0.5 });
    world.step(1);
    const [x, y] = world.probe({ name: 'p', quantity: 'position' }) as [number, number];
    expect(x).toBeCloseTo(0.5, 4);
    expect(y).toBeCloseTo(1, 4);
  });
});
