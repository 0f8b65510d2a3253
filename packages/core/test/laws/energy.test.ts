import { describe, expect, test } from 'vitest';
import { ReferenceSolid, type ReferenceSolidOptions } from '../../reference/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { block, norm, randomNumbers, relativeDifference, SOME_BOX, withState, withWorld } from './support.js';

const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

describe('forces are the negative gradient of the energy', () => {
  const cases: [string, Vec3, Partial<ReferenceSolidOptions>][] = [
    ['Green strain alone', [4, 3, 4], { volumeStiffness: 0, stabilisation: 0 }],
    ['with the volume term', [4, 3, 4], { volumeStiffness: 1, stabilisation: 0 }],
    ['with stabilisation', [4, 3, 4], { volumeStiffness: 0.5, stabilisation: 0.4 }],
    ['nearly incompressible', [3, 3, 3], { poissonsRatio: 0.49 }],
    ['on a sheet', [5, 1, 4], {}],
    ['on a string', [1, 6, 1], {}],
  ];
  test.each(cases)('%s', (_, sides, options) => {
    const solid = new ReferenceSolid({
      ...material,
      ...block(sides, 0.1, sides[1] > 1 && sides[0] > 1 ? 0.2 : 0),
      ...options,
    });
    const random = randomNumbers(2);
    const u = solid.displacement;
    // Strains of some ten percent, so that every term counts.
    for (let k = 0; k < u.length; k++) u[k] = 0.04 * (random() - 0.5);
    solid.computeStresses();
    solid.computeForces();
    const force = solid.force.slice();
    const h = 1e-6;
    const numeric = u.map((value, k) => {
      u[k] = value + h;
      const above = solid.energy().elastic;
      u[k] = value - h;
      const below = solid.energy().elastic;
      u[k] = value;
      return -(above - below) / (2 * h);
    });
    // Central differences: curvature (h / spacing)^2 = 1e-10 and rounding 1e-16 / 1e-6 of the energy over the force.
    expect(relativeDifference(force, numeric)).toBeLessThan(1e-7);
  });
});

/** A bent and stretched block, about to be let go. */
function letGo(options: Partial<ReferenceSolidOptions> = {}): ReferenceSolid {
  const solid = new ReferenceSolid({ ...material, ...block([6, 3, 3], 0.1, 0.1), ...options });
  for (let i = 0; i < solid.count; i++) {
    const [x, y, z] = solid.rest.subarray(3 * i, 3 * i + 3) as unknown as Vec3;
    solid.displacement.set([0.05 * x, 0.2 * x * x - 0.02 * y, 0.03 * z], 3 * i);
  }
  solid.computeStresses();
  solid.computeForces();
  return solid;
}

test('the energy error of leapfrog falls with the square of the time step', () => {
  const worst = [1, 2, 4].map((divisor) => {
    const solid = letGo();
    const start = solid.energy().total;
    const steps = 64 * divisor;
    let error = 0;
    for (let k = 0; k < steps; k++) {
      solid.step(0.064 / steps);
      error = Math.max(error, Math.abs(solid.energy().total - start) / start);
    }
    return error;
  });
  for (const order of [Math.log2(worst[0]! / worst[1]!), Math.log2(worst[1]! / worst[2]!)]) {
    expect(order).toBeGreaterThan(1.8);
    expect(order).toBeLessThan(2.2);
  }
  expect(worst[2]).toBeLessThan(1e-3);
});

test('leapfrog returns to the start when time is reversed', () => {
  const solid = letGo();
  const [u, v] = [solid.displacement.slice(), solid.velocity.slice()];
  for (let k = 0; k < 200; k++) solid.step(5e-4);
  expect(relativeDifference(solid.displacement, u)).toBeGreaterThan(0.1);
  for (let k = 0; k < solid.velocity.length; k++) solid.velocity[k]! *= -1;
  for (let k = 0; k < 200; k++) solid.step(5e-4);
  // Rounding of 400 steps, enlarged by the body's own sensitivity.
  expect(relativeDifference(solid.displacement, u)).toBeLessThan(1e-10);
  expect(norm([...solid.velocity])).toBeLessThan(1e-9 * (1 + norm([...v])));
});

/** The same block as a world's body, displaced by way of its state. */
async function vibrating<T>(
  solver: { maxTimeStep?: number; solid?: { integrator?: 'explicit' | 'verlet' } },
  use: (world: import('../../src/world.js').World) => T | Promise<T>,
): Promise<T> {
  return withWorld({ gravity: [0, 0, 0], solver }, async (empty) => {
    empty.addBody({ name: 'block', shape: SOME_BOX, material }, block([8, 4, 4], 0.1, 0.1));
    const world = await withState(empty, ({ displacement: u }) => {
      const positions = empty.positions();
      for (let i = 0; i < u.length; i += 4) {
        const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
        u.set([0.04 * x, 0.1 * x * x - 0.02 * y, 0.03 * z], i);
      }
    });
    try {
      return await use(world);
    } finally {
      await world.dispose();
    }
  });
}

test('with equal steps the float32 engine neither gains nor loses energy', async () => {
  await vibrating({ maxTimeStep: 0.0025 }, (world) => {
    const start = world.energy().total;
    const drift: number[] = [];
    for (let frame = 0; frame < 60; frame++) {
      world.step(0.05);
      drift.push(world.energy().total / start - 1);
    }
    const mean = (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length;
    // Leapfrog's own error is bounded by (w dt / 2)^2 / 2 of the waves present; the reference shows 1.5 % here.
    expect(Math.max(...drift.map(Math.abs))).toBeLessThan(0.02);
    // No trend: the first and the last third of 1200 steps agree.
    expect(Math.abs(mean(drift.slice(40)) - mean(drift.slice(0, 20)))).toBeLessThan(0.002);
  });
});

test('the engine returns to the start when time is reversed', async () => {
  await vibrating({ maxTimeStep: 5e-4 }, async (world) => {
    const start = world.positions();
    for (let frame = 0; frame < 5; frame++) world.step(0.02);
    const far = world.positions();
    expect(relativeDifference(far, start)).toBeGreaterThan(0.01);
    const back = await withState(world, ({ velocity: v }) => {
      for (let k = 0; k < v.length; k++) v[k] = -v[k]!;
    });
    for (let frame = 0; frame < 5; frame++) back.step(0.02);
    // Float32: 400 roundings of 6e-8, enlarged by the body's own sensitivity.
    expect(relativeDifference(back.positions(), start)).toBeLessThan(2e-5);
    await back.dispose();
  });
});

test('Verlet and leapfrog follow the same trajectory', async () => {
  const run = (integrator: 'explicit' | 'verlet') =>
    vibrating({ maxTimeStep: 5e-4, solid: { integrator } }, (world) => {
      for (let frame = 0; frame < 4; frame++) world.step(0.02);
      return world.positions();
    });
  // The same positions in exact arithmetic; rounding differs.
  expect(relativeDifference(await run('verlet'), await run('explicit'))).toBeLessThan(1e-5);
});
