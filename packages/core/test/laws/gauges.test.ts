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
