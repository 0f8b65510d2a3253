import { test } from 'vitest';
import { block, randomNumbers, SOME_BOX, withState, withWorld } from './support.js';
test('hourglass', async () => {
  for (const damping of [0.5, 0]) await withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    const material = { youngsModulus: 1e5, poissonsRatio: 0.3, damping };
    empty.addBody({ name: 'b', shape: SOME_BOX, material }, block([5, 5, 5], 0.1));
    const world = await withState(empty, ({ displacement: u }) => u.set([0.15, 0.02, 0], 4 * 62));
    const e = [world.energy().total];
    for (let k = 0; k < 10; k++) { world.step(1); e.push(world.energy().total); }
    console.log('through', damping, e.map((x) => x.toExponential(2)).join(' '), Math.max(...world.volumeRatios()), world.probe({ name: 'v', quantity: 'maximumSpeed' }));
  });
  for (const damping of [0.5, 0]) await withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    const material = { youngsModulus: 1e5, poissonsRatio: 0.3, damping };
    empty.addBody({ name: 'b', shape: SOME_BOX, material }, block([6, 6, 6], 0.1));
    // checkerboard
    const world = await withState(empty, ({ displacement: u }) => {
      for (let i = 0; i < u.length / 4; i++) { const s = (i % 6) + (Math.floor(i / 6) % 6) + Math.floor(i / 36); u[4 * i] = s % 2 ? 1e-3 : -1e-3; }
    });
    const e = [world.energy().total];
    for (let k = 0; k < 10; k++) { world.step(1); e.push(world.energy().total); }
    console.log('checker', damping, e.map((x) => x.toExponential(2)).join(' '));
  });
});
test('sheet', async () => {
  for (const nu of [0.3, 0.45, 0.49]) for (const sides of [[8, 1, 8], [10, 1, 1]] as const) await withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    const material = { youngsModulus: 1e5, poissonsRatio: nu };
    empty.addBody({ name: 'b', shape: SOME_BOX, material }, block(sides, 0.1));
    const random = randomNumbers(6);
    const world = await withState(empty, ({ displacement: u }) => {
      for (let k = 0; k < u.length; k++) if (k % 4 !== 3) u[k] = 1e-4 * (random() - 0.5);
    });
    const e = [world.energy().total];
    try {
      for (let k = 0; k < 6; k++) { world.step(0.3); e.push(world.energy().total); }
    } catch (error) { console.log(String(error)); }
    console.log('sheet', nu, sides.join(), e.map((x) => x.toExponential(2)).join(' '));
  });
});
