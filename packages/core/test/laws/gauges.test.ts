import { describe, expect, test } from 'vitest';
import { resolveProbe } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { norm, tank, withWorld } from './support.js';

const SPACING = 0.02;

describe('a gauge in still water', () => {
  const DEPTH = 10 * SPACING;

  test('reads rho g h, no velocity and the height of the surface', async () => {
    await withWorld({ threads: 1 }, (world) => {
      for (const wall of tank([-0.1, 0, -0.1], [0.1, 0, 0.1])) world.addObstacle(wall);
      const shape = { box: { size: [0.2, DEPTH, 0.2] as Vec3 } };
      world.addBody({ name: 'water', kind: 'fluid', shape, position: [0, DEPTH / 2, 0], spacing: SPACING });
      world.stepTo(0.5);
      const at = (x: number, y: number): Vec3 => [x, y, 0];
      const pressure = (x: number, y: number) => world.probe({ name: 'p', quantity: 'pressure', at: at(x, y) })[0]!;
      const height = (x: number, y: number) => world.probe({ name: 'h', quantity: 'height', at: at(x, y) })[0]!;
      // Between particles, and at the floor, where they are on one side only: half a spacing of water is 98 Pa.
      for (const y of [0, 0.03, 0.1]) expect(Math.abs(pressure(0, y) - 9810 * (DEPTH - y))).toBeLessThan(98);
      expect(pressure(0, 2 * DEPTH)).toBeNaN();
      expect(norm(world.probe({ name: 'v', quantity: 'velocity', at: at(0, 0.1) }))).toBeLessThan(0.05);
      // In the middle and at a wall, from the floor and from above it; the level of still water is 1 % low.
      for (const x of [0, 0.1]) expect(Math.abs(height(x, 0) - DEPTH)).toBeLessThan(0.4 * SPACING);
      expect(Math.abs(height(0, 0) - height(0, 0.1) - 0.1)).toBeLessThan(1e-6);
      expect(height(0, 2 * DEPTH)).toBe(0);
      expect(height(1, 0)).toBe(0);
    });
  });

  test('reads a linear field of temperatures exactly, and a moving body as it passes', async () => {
    await withWorld({ threads: 1, gravity: [0, 0, 0] }, (world) => {
      const shape = { box: { size: [0.2, 0.2, 0.2] as Vec3 } };
      world.addBody({ name: 'block', shape, spacing: SPACING, temperature: 20, velocity: [1, 0, 0] });
      world.setTemperature('block', ([x, y]) => 20 + 100 * x - 50 * y);
      const read = (at: Vec3) => world.probe({ name: 't', quantity: 'temperature', at })[0]!;
      expect(read([0.033, -0.041, 0.027])).toBeCloseTo(20 + 3.3 + 2.05, 3);
      // Outside, within reach of particles on one side only.
      expect(read([0.1, 0, 0])).toBeCloseTo(30, 3);
      expect(read([0.5, 0, 0])).toBeNaN();
      expect(world.probe({ name: 'v', quantity: 'velocity', at: [0, 0, 0] })[0]).toBeCloseTo(1, 5);
    });
  });
});

describe('orientation and angular velocity of bodies', () => {
  const spin: Vec3 = [0, 0, 3];
  test.each(['solid', 'rigid'] as const)('follow a %s that turns', async (kind) => {
    await withWorld({ threads: 1, gravity: [0, 0, 0] }, (world) => {
      const shape = { box: { size: [0.2, 0.1, 0.1] as Vec3 } };
      const material = { youngsModulus: 1e6 };
      const body = { name: 'b', kind, shape, spacing: 0.025, material, rotation: [0, 0, 30] as Vec3 };
      world.addBody({ ...body, velocity: [1, 2, 3], angularVelocity: spin });
      const read = (quantity: 'orientation' | 'angularVelocity') => world.probe({ name: 'o', body: 'b', quantity });
      expect(norm(read('orientation'))).toBeLessThan(1e-6);
      world.stepTo(0.5);
      // Centrifugal forces stretch the solid, which turns a little slower for it.
      expect(Math.abs(read('orientation')[2]! - 1.5)).toBeLessThan(kind === 'rigid' ? 1e-9 : 1e-3);
      expect(Math.abs(read('angularVelocity')[2]! - 3)).toBeLessThan(kind === 'rigid' ? 1e-9 : 3e-3);
      world.stepTo(1.5);
      // At most pi, the other way round.
      expect(Math.abs(read('orientation')[2]! - (4.5 - 2 * Math.PI))).toBeLessThan(kind === 'rigid' ? 1e-9 : 3e-3);
    });
  });
});

test('what a gauge cannot read is refused by name', () => {
  const base = { name: 'g', at: [0, 0, 0] as Vec3 };
  expect(() => resolveProbe({ ...base, quantity: 'energy' })).toThrow(/quantity must be one of pressure, velocity/);
  expect(() => resolveProbe({ name: 'g', quantity: 'height' })).toThrow(/at is missing/);
  const region = { sphere: { center: [0, 0, 0] as Vec3, radius: 1 } };
  expect(() => resolveProbe({ ...base, region, quantity: 'pressure' })).toThrow(/region has no effect with at/);
});

describe('gauges along a line and through a disc', () => {
  test('read means of linear fields at the middle, and the pressure on a patch of a wall', async () => {
    await withWorld({ threads: 1 }, (world) => {
      for (const wall of tank([-0.1, 0, -0.1], [0.1, 0, 0.1])) world.addObstacle(wall);
      const shape = { box: { size: [0.2, 0.2, 0.2] as Vec3 } };
      world.addBody({ name: 'water', kind: 'fluid', shape, position: [0, 0.1, 0], spacing: SPACING });
      world.stepTo(0.5);
      const column = { from: [0, 0.02, 0] as Vec3, to: [0, 0.14, 0] as Vec3 };
      const [mean] = world.probe({ name: 'p', quantity: 'pressure', along: column });
      expect(Math.abs(mean! - 9810 * 0.12)).toBeLessThan(98);
      const patch = { center: [-0.1, 0.08, 0] as Vec3, normal: [1, 0, 0] as Vec3, radius: 0.04 };
      const [pressure] = world.probe({ name: 'p', quantity: 'pressure', through: patch });
      expect(Math.abs(pressure! - 9810 * 0.12)).toBeLessThan(98);
      expect(world.probe({ name: 'v', quantity: 'velocity', along: { from: [0, 1, 0], to: [0, 2, 0] } })).toEqual([
        Number.NaN,
        Number.NaN,
        Number.NaN,
      ]);
    });
  });

  test('measure the flow of a block that goes through: in all its mass and volume; a region now follows it', async () => {
    await withWorld({ threads: 1, gravity: [0, 0, 0] }, (world) => {
      const shape = { box: { size: [0.2, 0.1, 0.1] as Vec3 } };
      world.addBody({ name: 'block', shape, spacing: SPACING, position: [-0.2, 0, 0], velocity: [2, 0, 0] });
      const disc = { center: [0, 0, 0] as Vec3, normal: [3, 0, 0] as Vec3, radius: 0.15 };
      let [mass, volume] = [0, 0];
      const dt = 0.002;
      for (let k = 0; k < 100; k++) {
        world.step(dt);
        mass += dt * world.probe({ name: 'm', quantity: 'massFlow', through: disc })[0]!;
        volume += dt * world.probe({ name: 'v', quantity: 'volumeFlow', through: disc })[0]!;
      }
      // The rule on the disc, not the sum over time: its points are half a spacing apart.
      expect(Math.abs(mass / world.mass - 1)).toBeLessThan(0.01);
      expect(Math.abs(volume / 0.002 - 1)).toBeLessThan(0.01);
      const region = { box: { min: [0, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      const read = (regionTime: 'now' | 'rest') => world.probe({ name: 'v', quantity: 'velocity', region, regionTime });
      expect(read('now')[0]).toBeCloseTo(2, 5);
      expect(() => read('rest')).toThrow('holds no particle at time 0');
      const far = { box: { min: [5, -1, -1] as Vec3, max: [6, 1, 1] as Vec3 } };
      expect(world.probe({ name: 'v', quantity: 'velocity', region: far, regionTime: 'now' })[0]).toBeNaN();
    });
  });

  test.each([
    [{ quantity: 'massFlow' }, 'through is missing: massFlow is measured through a disc'],
    [
      { quantity: 'energy', along: { from: [0, 0, 0], to: [1, 0, 0] } },
      'must be one of pressure, velocity, temperature with along',
    ],
    [{ quantity: 'pressure', at: [0, 0, 0], along: { from: [0, 0, 0], to: [1, 0, 0] } }, 'along has no effect with at'],
    [{ quantity: 'pressure', through: { center: [0, 0, 0], normal: [0, 0, 0], radius: 1 } }, 'normal must not be 0'],
    [{ quantity: 'velocity', regionTime: 'now' }, 'regionTime has no effect without a region'],
  ])('are refused as %j', (probe, message) => {
    expect(() => resolveProbe({ name: 'p', ...probe } as never)).toThrow(message);
  });
});
