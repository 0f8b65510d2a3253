import { describe, expect, test } from 'vitest';
import { type BodyInput, createWorld, type World } from '../../src/index.js';

const BAR = { kind: 'rigid', spacing: 0.05, material: { density: 1000, youngsModulus: 1e7 } } as const;

async function withEngine<T>(
  rigid: 'hertz' | 'rapier',
  gravity: number,
  body: Partial<BodyInput>,
  use: (world: World) => T,
) {
  const solver = { rigid, maxTimeStep: 1e-3 };
  const world = await createWorld({ gravity: [0, -gravity, 0], solver, threads: 1 });
  try {
    world.addBody({ name: 'b', shape: { box: { size: [1, 0.1, 0.1] } }, ...BAR, ...body } as BodyInput);
    return use(world);
  } finally {
    await world.dispose();
  }
}

const spin = (world: World) => world.probe({ name: 'w', body: 'b', quantity: 'angularVelocity' })[2]!;
const height = (world: World) => world.probe({ name: 'y', body: 'b', quantity: 'position' })[1]!;

describe.each(['hertz', 'rapier'] as const)('joints with limits and motors, %s', (rigid) => {
  // 10 kg, 1 m long and 0.1 m high, about its middle.
  const INERTIA = (10 * (1 + 0.01)) / 12;

  test('a motor turns a bar as its torque over the inertia says, up to its speed', () =>
    withEngine(
      rigid,
      0,
      { joint: { hinge: { point: [0, 0, 0], axis: [0, 0, 1], motor: { speed: 5, torque: 2 } } } },
      (world) => {
        world.stepTo(1);
        expect(spin(world) / (2 / INERTIA)).toBeCloseTo(1, 2);
        world.stepTo(4);
        expect(spin(world)).toBeCloseTo(5, 2);
      },
    ));

  test('a bar on a hinge at its end falls to its limit, and stays there', () =>
    withEngine(
      rigid,
      9.81,
      { position: [0.5, 0, 0], joint: { hinge: { point: [0, 0, 0], axis: [0, 0, 1], limits: [-30, 10] } } },
      (world) => {
        let lowest = 0;
        for (let k = 1; k <= 60; k++) {
          world.stepTo(k / 30);
          lowest = Math.min(lowest, height(world));
        }
        // What Rapier takes a step to notice.
        expect(lowest / (0.5 * Math.sin(-Math.PI / 6))).toBeLessThan(1.02);
        expect(height(world) / (0.5 * Math.sin(-Math.PI / 6))).toBeCloseTo(1, 2);
        expect(Math.abs(spin(world))).toBeLessThan(0.01);
      },
    ));

  test.each([
    [90, 'sinks under a motor weaker than its weight'],
    [120, 'rises at the speed of one that is stronger, up to its limit'],
  ])('a lift of 98 N with %i N %s', (force) =>
    withEngine(
      rigid,
      9.81,
      { joint: { slider: { axis: [0, 2, 0], limits: [-0.5, 0.4], motor: { speed: 0.5, force } } } },
      (world) => {
        world.stepTo(0.4);
        const first = height(world);
        world.stepTo(0.6);
        if (force < 98) expect(height(world) / (-0.5 * (9.81 - force / 10) * 0.36)).toBeCloseTo(1, 1);
        else expect((height(world) - first) / 0.2).toBeCloseTo(0.5, 2);
        world.stepTo(3);
        expect(height(world)).toBeCloseTo(force < 98 ? -0.5 : 0.4, 2);
      },
    ),
  );

  test('a save goes on to the same bits', async () => {
    const joint = {
      hinge: { point: [0, 0, 0], axis: [0, 0, 1], limits: [-60, 60], motor: { speed: 1, torque: 20 } },
    } as const;
    const { World } = await import('../../src/index.js');
    const { bytes, hash } = await withEngine(rigid, 9.81, { position: [0.5, 0, 0], joint }, (world) => {
      world.stepTo(0.3);
      const saved = world.save();
      world.stepTo(0.6);
      return { bytes: saved, hash: world.stateHash() };
    });
    const again = await World.load(bytes, { threads: 1 });
    again.stepTo(0.6);
    expect(again.stateHash()).toBe(hash);
    await again.dispose();
  });
});

test('what a joint cannot have is refused', async () => {
  const world = await createWorld({ threads: 1, solver: { solid: { integrator: 'implicit' } } });
  const add = (joint: object) =>
    world.addBody({ name: 'b', shape: { sphere: { radius: 0.5 } }, ...BAR, joint } as BodyInput);
  const hinge = { point: [0, 0, 0], axis: [0, 0, 1] };
  expect(() => add({ hinge: { ...hinge, limits: [10, 20] } })).toThrow('limits must hold 0, where the body begins');
  expect(() => add({ hinge: { ...hinge, limits: [-200, 20] } })).toThrow(
    'limits[0] must be from -179 to 179 degrees, got -200',
  );
  expect(() => add({ hinge: { ...hinge, motor: { speed: 1 } } })).toThrow('motor.torque is missing');
  expect(() => add({ slider: { axis: [0, 1, 0], motor: { speed: 1, torque: 1 } } })).toThrow('motor.force is missing');
  world.addBody({ name: 'soft', shape: { box: { size: [1, 1, 1] } }, position: [5, 0, 0], spacing: 0.25 });
  add({ hinge: { ...hinge, limits: [-10, 20] } });
  expect(() => world.step(0.01)).toThrow(
    'solver.solid.integrator must be explicit or verlet beside a joint with limits or a motor',
  );
  await world.dispose();
});
