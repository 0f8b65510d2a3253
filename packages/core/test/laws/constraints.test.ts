import { expect, test } from 'vitest';
import { rotationFromDegrees, transform } from '../../src/math/matrix3.js';
import type { Vec3 } from '../../src/options/types.js';
import { block, SOME_BOX, withWorld } from './support.js';

const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

test('a particle that is fixed along some axes moves freely along the others', async () => {
  await withWorld({ gravity: [2, -9.81, 1] }, (world) => {
    // Turned at the start, so that body and world axes differ.
    world.addBody({ name: 'b', shape: SOME_BOX, material, rotation: [20, 30, 40] }, block([3, 3, 3], 0.1, 0.1));
    world.addConstraint({ body: 'b', fix: ['x', 'z'] });
    const start = world.positions();
    world.step(0.3);
    const end = world.positions();
    for (let i = 0; i < start.length; i += 4) {
      // Float32 positions and one turn into body axes and back.
      expect(Math.abs(end[i]! - start[i]!)).toBeLessThan(1e-6);
      expect(Math.abs(end[i + 2]! - start[i + 2]!)).toBeLessThan(1e-6);
      expect(Math.abs(end[i + 1]! - start[i + 1]! + 0.5 * 9.81 * 0.09)).toBeLessThan(1e-5);
    }
  });
});

test('a clamped end stays where it is while the rest sags', async () => {
  await withWorld({}, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material }, block([8, 3, 3], 0.1));
    world.addConstraint({ body: 'b', region: { box: { min: [-1, -1, -1], max: [-0.3, 1, 1] } }, fix: true });
    const start = world.positions();
    world.step(0.2);
    const end = world.positions();
    for (let i = 0; i < 9; i++)
      for (let a = 0; a < 3; a++) expect(Math.abs(end[4 * i + a]! - start[4 * i + a]!)).toBeLessThan(1e-6);
    expect(end[4 * 71 + 1]! - start[4 * 71 + 1]!).toBeLessThan(-0.01);
  });
});

test('a moved region follows its keyframes, turning about its centre of mass', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material, position: [1, 2, 3] }, block([3, 3, 3], 0.1, 0.1));
    const turn: Vec3 = [0, 0, 90];
    world.addConstraint({
      body: 'b',
      move: [{ time: 0 }, { time: 0.5, position: [0.4, 0.1, 0], rotation: turn }, { time: 1 }],
    });
    const start = world.positions();
    const center: Vec3 = [0, 0, 0].map(
      (_, a) => start.reduce((s, x, k) => (k % 4 === a ? s + x : s), 0) / (start.length / 4),
    ) as unknown as Vec3;
    const expectPose = (shift: Vec3, angles: Vec3) => {
      const p = world.positions();
      const rotation = rotationFromDegrees(angles);
      for (let i = 0; i < p.length; i += 4) {
        const arm = transform(rotation, [start[i]! - center[0], start[i + 1]! - center[1], start[i + 2]! - center[2]]);
        // Float32 positions of 3 m.
        for (let a = 0; a < 3; a++) expect(Math.abs(p[i + a]! - (center[a]! + arm[a]! + shift[a]!))).toBeLessThan(2e-6);
      }
    };
    world.step(0.25);
    expectPose([0.2, 0.05, 0], [0, 0, 45]);
    world.step(0.25);
    expectPose([0.4, 0.1, 0], turn);
    world.step(0.25);
    expectPose([0.2, 0.05, 0], [0, 0, 45]);
    world.step(0.5);
    expectPose([0, 0, 0], [0, 0, 0]);
  });
});

test('a region that is let go flies on with the speed it was moved at', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material }, block([3, 3, 3], 0.1));
    world.addConstraint({ body: 'b', move: [{ time: 0 }, { time: 1, position: [2, 0, 0] }], end: 0.5 });
    world.step(1);
    const [x] = world.probe({ name: 'p', quantity: 'position' }) as [number];
    expect(Math.abs(x - 2)).toBeLessThan(1e-4);
  });
});

test('a force accelerates by F / m while it acts, spread over its region', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    const body = world.addBody({ name: 'b', shape: SOME_BOX, material, rotation: [0, 45, 0] }, block([4, 3, 3], 0.1));
    world.addConstraint({ body: 'b', force: [36, 0, -18], start: 0.1, end: 0.3 });
    world.step(0.5);
    const v = world.probe({ name: 'v', quantity: 'velocity' });
    // Constant over the whole body: no deformation, exact up to float32 rounding of the mass.
    expect(v[0]).toBeCloseTo((36 / body.mass) * 0.2, 5);
    expect(v[1]).toBeCloseTo(0, 5);
    expect(v[2]).toBeCloseTo((-18 / body.mass) * 0.2, 5);
  });
});

test('a force on a part moves the centre of mass by F / m too', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    const body = world.addBody({ name: 'b', shape: SOME_BOX, material }, block([6, 3, 3], 0.1));
    world.addConstraint({ body: 'b', region: { box: { min: [0.2, -1, -1], max: [1, 1, 1] } }, force: [5.4, 0, 0] });
    world.step(0.4);
    expect(world.probe({ name: 'v', quantity: 'velocity' })[0]).toBeCloseTo((5.4 / body.mass) * 0.4, 4);
  });
});
