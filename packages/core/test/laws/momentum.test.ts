import { expect, test } from 'vitest';
import { ReferenceSolid } from '../../reference/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { block, norm, randomNumbers, SOME_BOX, withState, withWorld } from './support.js';

const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

test('elastic forces add up to no force and no torque', () => {
  const solid = new ReferenceSolid({ ...material, ...block([4, 5, 4], 0.1, 0.25) });
  const random = randomNumbers(1);
  for (let k = 0; k < solid.displacement.length; k++) solid.displacement[k] = 0.05 * (random() - 0.5);
  solid.computeStresses();
  solid.computeForces();
  const [force, torque] = [
    [0, 0, 0],
    [0, 0, 0],
  ] as [number[], number[]];
  let size = 0;
  for (let i = 0; i < solid.count; i++) {
    const f = solid.force.subarray(3 * i, 3 * i + 3);
    const x = [0, 1, 2].map((a) => solid.rest[3 * i + a]! + solid.displacement[3 * i + a]!);
    size += norm([...f]);
    for (let a = 0; a < 3; a++) {
      force[a]! += f[a]!;
      torque[a]! += x[(a + 1) % 3]! * f[(a + 2) % 3]! - x[(a + 2) % 3]! * f[(a + 1) % 3]!;
    }
  }
  // Pairs of equal and opposite numbers in double precision.
  expect(norm(force) / size).toBeLessThan(1e-14);
  expect(norm(torque) / size).toBeLessThan(1e-14);
});

const difference = (a: Vec3, b: Vec3) => norm([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);

test('a free body that vibrates, flies and spins keeps its momentum and angular momentum', async () => {
  await withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    empty.addBody(
      { name: 'b', shape: SOME_BOX, material, velocity: [1, -2, 0.5], angularVelocity: [1, 2, -1] },
      block([6, 5, 4], 0.1, 0.2),
    );
    const world = await withState(empty, ({ displacement: u }) => {
      const positions = empty.positions();
      for (let i = 0; i < u.length; i += 4) u[i] = 0.1 * positions[i]!;
    });
    const [momentum, angular] = [world.momentum(), world.angularMomentum()];
    for (let frame = 0; frame < 20; frame++) world.step(0.05);
    // Float32 velocities of 2 m/s are rounded once per kick: 6e-8 each, some hundred steps, 120 particles.
    expect(difference(world.momentum(), momentum) / norm(momentum)).toBeLessThan(2e-6);
    expect(difference(world.angularMomentum(), angular) / norm(angular)).toBeLessThan(1e-5);
    await world.dispose();
  });
});

// The forces of the stabilisation round in proportion to the angle between body and frame, always one way when the frame
// lags behind: 2e-6 for the linear fit and 1e-6 for the quadratic one.
test.each(['linear', 'quadratic'] as const)(
  'a body that spins for 20 periods of its waves keeps its angular momentum, %s',
  async (discretisation) => {
    await withWorld({ gravity: [0, 0, 0], threads: 1, solver: { solid: { discretisation } } }, (world) => {
      const shape = { box: { size: [0.6, 0.2, 0.2] as Vec3 } };
      world.addBody({ name: 'b', shape, material, spacing: 0.05, angularVelocity: [0, 0, 2] });
      const angular = world.angularMomentum();
      world.stepTo((20 * 2 * 0.6) / Math.sqrt(material.youngsModulus / material.density));
      expect(difference(world.angularMomentum(), angular) / norm(angular)).toBeLessThan(4e-7);
    });
  },
);

test('two bodies that collide keep their common momentum and angular momentum', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    const shape = { box: { size: [0.4, 0.4, 0.4] as Vec3 } };
    const rough = { ...material, friction: 0 };
    world.addBody({ name: 'a', shape, material: rough, spacing: 0.1, velocity: [1, 0, 0] });
    world.addBody({
      name: 'b',
      shape,
      material: rough,
      spacing: 0.1,
      position: [0.6, 0.15, 0.1],
      velocity: [-1.5, 0, 0],
    });
    const [momentum, angular] = [world.momentum(), world.angularMomentum()];
    const scale = world.bodies[0]!.mass * 1.5;
    for (let frame = 0; frame < 20; frame++) world.step(0.02);
    const parted = world.probe({ name: 'v', body: 'a', quantity: 'velocity' })[0]!;
    expect(parted).toBeLessThan(0.5);
    // Central contact forces; rounding as for one body.
    expect(difference(world.momentum(), momentum) / scale).toBeLessThan(2e-6);
    expect(difference(world.angularMomentum(), angular) / (0.6 * scale)).toBeLessThan(5e-6);
  });
});

test('friction between bodies keeps their momentum, and their angular momentum to what a spacing allows', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    const shape = { box: { size: [0.4, 0.4, 0.4] as Vec3 } };
    world.addBody({ name: 'a', shape, material, spacing: 0.1, velocity: [0.5, 1, 0] });
    world.addBody({ name: 'b', shape, material, spacing: 0.1, position: [0.45, -0.1, 0.05], velocity: [-0.5, -1, 0] });
    const [momentum, angular] = [world.momentum(), world.angularMomentum()];
    const scale = world.bodies[0]!.mass * 1;
    for (let frame = 0; frame < 20; frame++) world.step(0.02);
    expect(difference(world.momentum(), momentum) / scale).toBeLessThan(2e-6);
    // Each particle of a touching pair feels friction at its own centre, not where the two meet: the pair of
    // forces has an arm of one contact distance, 0.1 m, against the bodies' 0.45 m.
    expect(difference(world.angularMomentum(), angular) / (0.45 * scale)).toBeLessThan(0.1);
  });
});
