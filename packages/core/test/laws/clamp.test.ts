import { describe, expect, test } from 'vitest';
import type { WorldInput } from '../../src/options/index.js';
import { World } from '../../src/world.js';
import { withWorld } from './support.js';

/** A beam of whole cells that ends at x = 1 and is clamped at x = `face` [m]. */
const SPACING = 0.025;
const SIDE = 4 * SPACING;
const CELLS = 43;

function clamped(world: World, face: number): void {
  world.addBody({
    name: 'beam',
    shape: { box: { size: [CELLS * SPACING, SIDE, SIDE] } },
    position: [1 - (CELLS * SPACING) / 2, 0, 0],
    spacing: SPACING,
    material: { density: 1000, youngsModulus: 1e6, poissonsRatio: 0 },
  });
  world.addConstraint({ body: 'beam', region: { box: { min: [-1, -1, -1], max: [face, 1, 1] } }, fix: true });
}

const solver = (discretisation: 'linear' | 'quadratic'): WorldInput['solver'] => ({
  solid: { discretisation, tolerance: 1e-4 },
  contact: { bodies: false, self: false },
});

const END = { box: { min: [1 - 0.75 * SPACING, -1, -1], max: [2, 1, 1] } } as const;

/** Displacement and place at rest of the last layer. */
function tip(world: World): { u: number[]; x: number } {
  const u = world.probe({ name: 'u', quantity: 'displacement', region: END });
  const x = world.probe({ name: 'x', quantity: 'position', region: END })[0]! - u[0]!;
  return { u, x };
}

describe.each(['linear', 'quadratic'] as const)('%s fit', (discretisation) => {
  test.each([0, 0.1, 0.3, 0.5, 0.7, 0.9])('a hanging bar is as long as the face says, %f cells in', async (cells) => {
    await withWorld({ gravity: [0.05, 0, 0], solver: solver(discretisation) }, (world) => {
      const face = cells * SPACING;
      clamped(world, face);
      world.solveStatic();
      const { u, x } = tip(world);
      const [along, length] = [x - face, 1 - face];
      // rho g (L x - x^2 / 2) / E; held half a spacing off it would be wrong by 2.5 %.
      expect(u[0]! / ((50 * (length * along - (along * along) / 2)) / 1e6)).toBeCloseTo(1, 2);
    });
  });

  test('explicit motion swings about the static solution', async () => {
    await withWorld({ gravity: [0.5, 0, 0], solver: solver(discretisation) }, async (world) => {
      clamped(world, 0);
      let [sum, count] = [0, 0];
      // One period of the bar, 4 L / sqrt(E / rho).
      const period = 4 / Math.sqrt(1000);
      for (let k = 0; k < 100; k++) {
        world.step(period / 100);
        sum += tip(world).u[0]!;
        count++;
      }
      world.solveStatic();
      expect(sum / count / tip(world).u[0]!).toBeCloseTo(1, 1.5);
    });
  });
});

test('a beam of four particles across bends as beam theory says', async () => {
  await withWorld({ gravity: [0, -0.02, 0], solver: solver('quadratic') }, (world) => {
    clamped(world, 0);
    world.solveStatic();
    const { u, x } = tip(world);
    const q = 1000 * 0.02 * SIDE * SIDE;
    // Timoshenko with k = 10 / 12 and G = E / 2: exact for nu = 0.
    const bending = (q * (x ** 4 - 4 * x ** 3 + 6 * x ** 2)) / (2 * 1e6 * SIDE ** 4);
    const shear = (q * (x - x ** 2 / 2)) / ((10 / 12) * 5e5 * SIDE * SIDE);
    expect(-u[1]! / (bending + shear)).toBeCloseTo(1, 2);
  });
});

test('held particles are shown where they are held, and follow a clamp that moves', async () => {
  await withWorld({ gravity: [0, -9.81, 0] }, (world) => {
    world.addBody({
      name: 'b',
      shape: { box: { size: [0.4, 0.1, 0.1] } },
      spacing: 0.025,
      material: { youngsModulus: 1e5 },
    });
    world.addConstraint({
      body: 'b',
      region: { box: { min: [-1, -1, -1], max: [-0.1, 1, 1] } },
      move: [{ time: 0 }, { time: 0.2, position: [0.1, 0.05, 0] }],
    });
    const start = world.positions();
    world.step(0.2);
    const end = world.positions();
    for (let i = 0; i < start.length; i += 4) {
      if (start[i]! > -0.1) continue;
      expect(end[i]! - start[i]!).toBeCloseTo(0.1, 5);
      expect(end[i + 1]! - start[i + 1]!).toBeCloseTo(0.05, 5);
    }
  });
});

test('what a clamp lets go of stays where it is, and gains no energy', async () => {
  await withWorld({ gravity: [0, -9.81, 0], solver: solver('quadratic') }, (world) => {
    world.addBody({
      name: 'b',
      shape: { box: { size: [0.4, 0.1, 0.1] } },
      spacing: 0.025,
      material: { youngsModulus: 1e5 },
    });
    world.addConstraint({ body: 'b', region: { box: { min: [-1, -1, -1], max: [-0.1, 1, 1] } }, fix: true, end: 0.1 });
    world.step(0.1);
    const before = { at: world.positions(), energy: world.energy() };
    world.step(1e-4);
    const after = { at: world.positions(), energy: world.energy() };
    // Nothing is faster than 3 m/s there.
    for (let k = 0; k < before.at.length; k++) expect(Math.abs(after.at[k]! - before.at[k]!)).toBeLessThan(3e-4);
    expect(after.energy.elastic).toBeLessThan(1.02 * before.energy.elastic);
    // The strain that was mirrored into the clamp is all that may be lost.
    expect(after.energy.elastic).toBeGreaterThan(0.8 * before.energy.elastic);
  });
});

test.each(['explicit', 'implicit', 'midpoint'] as const)(
  'a clamped %s motion goes on from a save to the same bits',
  async (integrator) => {
    const solid = { integrator, discretisation: 'quadratic' } as const;
    await withWorld({ solver: { solid, maxTimeStep: 0.01 } }, async (world) => {
      world.addBody({
        name: 'b',
        shape: { box: { size: [0.4, 0.1, 0.1] } },
        spacing: 0.025,
        rotation: [0, 20, 30],
        material: { youngsModulus: 1e5, damping: 0.05 },
      });
      world.addConstraint({ body: 'b', region: { box: { min: [-1, -1, -1], max: [-0.1, 1, 1] } }, fix: true });
      world.addConstraint({ body: 'b', region: { box: { min: [0.1, -1, -1], max: [1, 1, 1] } }, fix: ['z'] });
      world.step(0.05);
      const copy = await World.load(world.save(), { threads: 1 });
      expect(copy.positions()).toEqual(world.positions());
      expect(copy.velocities()).toEqual(world.velocities());
      for (let k = 0; k < 3; k++) {
        world.step(0.02);
        copy.step(0.02);
        expect(copy.stateHash()).toBe(world.stateHash());
      }
      await copy.dispose();
    });
  },
);
