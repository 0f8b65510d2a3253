import { describe, expect, test } from 'vitest';
import type { BodyInput, WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';
import { norm, randomNumbers, withWorld } from './support.js';

type Integrator = 'explicit' | 'implicit' | 'midpoint';
const box = (x: number, y = x, z = x) => ({ box: { size: [x, y, z] as Vec3 } });
const floor = { shape: { plane: {} } };
const difference = (a: readonly number[], b: readonly number[]) => norm(a.map((x, k) => x - b[k]!));
const at = (world: World, body: string) => world.probe({ name: 'p', body, quantity: 'position' }) as unknown as Vec3;
const speedOf = (world: World) => world.probe({ name: 'm', quantity: 'maximumSpeed' })[0]!;
const rigid = (name: string, options: Partial<BodyInput>): BodyInput => ({
  name,
  kind: 'rigid',
  shape: box(0.1),
  spacing: 0.05,
  ...options,
});
const solving = (integrator: Integrator, rest: object = {}, maxTimeStep?: number): WorldInput => ({
  solver: { ...(maxTimeStep ? { maxTimeStep } : {}), solid: { integrator, ...rest } },
});

describe('a free rigid body hits a free solid', () => {
  const material = { youngsModulus: 1e5, restitution: 1, friction: 0.5 };

  /** Momenta before and after, the largest share of the energy at the start, and how fast the rigid body leaves [m/s]. */
  async function hit(integrator: Integrator, tolerance: number, maxTimeStep: number) {
    const world = await createWorld({
      gravity: [0, 0, 0],
      threads: 1,
      ...solving(integrator, { tolerance }, maxTimeStep),
    });
    world.addBody({ name: 'soft', shape: box(0.2), spacing: 0.04, material });
    const thrown = { position: [0.01, 0.18, 0.02], velocity: [0.2, -2, 0], rotation: [10, 20, 5] } as const;
    const hard = { ...material, youngsModulus: 1e7 };
    world.addBody(rigid('hard', { ...thrown, spacing: 0.03, material: hard, angularVelocity: [3, 1, 2] }));
    const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().total];
    let most = 0;
    for (let frame = 0; frame < 15; frame++) {
      world.step(1 / 120);
      most = Math.max(most, world.energy().total / e);
    }
    const [, rebound] = world.probe({ name: 'v', body: 'hard', quantity: 'velocity' }) as [number, number];
    const linear = difference(world.momentum(), p) / norm(p);
    const angular = difference(world.angularMomentum(), l) / norm(l);
    await world.dispose();
    return { linear, angular, most, rebound };
  }

  test('momentum is kept to rounding, and energy never grows', async () => {
    for (const integrator of ['implicit', 'midpoint'] as const) {
      const { linear, angular, most } = await hit(integrator, 1e-6, 1 / 120);
      // Float32 velocities of the solid, as with explicit steps.
      expect(linear).toBeLessThan(1e-5);
      // Backward Euler slows what turns, a solid as well, by the square of the turn in a step.
      expect(angular).toBeLessThan(integrator === 'midpoint' ? 1e-4 : 0.03);
      expect(most).toBeLessThanOrEqual(1);
    }
  });

  test('with the tolerance that users have, momentum is kept to that', async () => {
    for (const integrator of ['implicit', 'midpoint'] as const) {
      const { linear, most } = await hit(integrator, 1e-3, 1 / 120);
      expect(linear).toBeLessThan(2e-3);
      expect(most).toBeLessThanOrEqual(1);
    }
  });

  test('it leaves as after explicit steps, the nearer the shorter the steps', async () => {
    const { rebound: exact } = await hit('explicit', 1e-3, 1 / 9600);
    const errors: number[] = [];
    for (const steps of [1200, 2400, 4800]) {
      errors.push(Math.abs((await hit('implicit', 1e-3, 1 / steps)).rebound - exact));
    }
    // Backward Euler is of first order: half the step, half the error, of which 0.5 to 0.75 are measured.
    expect(errors[1]!).toBeLessThan(0.8 * errors[0]!);
    expect(errors[2]!).toBeLessThan(0.8 * errors[1]!);
    expect(errors[2]!).toBeLessThan(0.1 * exact);
    // The midpoint rule resolves the contact by itself.
    expect(Math.abs((await hit('midpoint', 1e-3, 1 / 120)).rebound / exact - 1)).toBeLessThan(0.1);
  });
});

test('a weight sinks into an implicit solid as deep as into an explicit one', async () => {
  const depth: number[] = [];
  for (const integrator of ['explicit', 'implicit', 'midpoint'] as const) {
    await withWorld(solving(integrator), (world) => {
      const soft = { youngsModulus: 2e5, density: 1000, damping: 1 };
      world.addBody({ name: 'block', shape: box(0.2), spacing: 0.04, position: [0, 0.1, 0], material: soft });
      const hard = { youngsModulus: 1e7, density: 2000 };
      const shape = box(0.2, 0.08, 0.2);
      world.addBody(rigid('weight', { shape, spacing: 0.04, position: [0, 0.24, 0], material: hard }));
      world.addObstacle(floor);
      for (let frame = 0; frame < 30; frame++) world.step(1 / 30);
      depth.push(0.24 - at(world, 'weight')[1]);
    });
  }
  expect(depth[0]).toBeGreaterThan(1e-3);
  // The tolerance of the balance is 1e-3, and particles that stand on particles slip a little into the gaps.
  expect(Math.abs(depth[1]! / depth[0]! - 1)).toBeLessThan(0.01);
  expect(Math.abs(depth[2]! / depth[0]! - 1)).toBeLessThan(0.01);
});

describe('stiff solids keep their long steps', () => {
  test.each([
    [6, 1e9, 1e8],
    [3, 1e11, 2e11],
  ])('under %i boxes that stand on a block of %f Pa, of %f Pa themselves', async (count, solid, own) => {
    await withWorld(solving('implicit'), (world) => {
      const material = { youngsModulus: solid, density: 800 };
      world.addBody({ name: 'base', shape: box(0.3, 0.1, 0.3), spacing: 0.05, position: [0, 0.05, 0], material });
      for (let k = 0; k < count; k++) {
        const hard = { youngsModulus: own, density: 1000, friction: 0.6 };
        world.addBody(
          rigid(`box${k}`, { shape: box(0.2, 0.1, 0.2), position: [0, 0.15 + 0.1 * k, 0], material: hard }),
        );
      }
      world.addObstacle(floor);
      for (let frame = 0; frame < 15; frame++) {
        const report = world.step(1 / 60);
        expect(report.steps).toBe(1);
        expect(report.limitedBy).toBe('frame');
      }
      const [x, y, z] = at(world, `box${count - 1}`);
      expect(Math.hypot(x, z)).toBeLessThan(1e-4);
      // Each contact gives by (m g / N k)^(2/3), 0.5 mm together for the softer ones.
      const top = 0.05 + 0.1 * count;
      expect(y).toBeGreaterThan(top - 1e-3);
      expect(y).toBeLessThan(top + 1e-6);
      expect(speedOf(world)).toBeLessThan(1e-3);
    });
  });

  test('under a ball that rolls over a plank of wood: it goes on, and the plank bends by its weight', async () => {
    await withWorld(solving('implicit'), (world) => {
      const wood = { youngsModulus: 1e9, density: 600 };
      world.addBody({ name: 'plank', shape: box(0.8, 0.04, 0.12), spacing: 0.02, position: [0, 0, 0], material: wood });
      for (const side of [-1, 1]) {
        const region = { box: { min: [0.36 * side - 0.05, -1, -1], max: [0.36 * side + 0.05, 1, 1] } } as const;
        world.addConstraint({ body: 'plank', region: region as never, fix: true });
      }
      const steel = { youngsModulus: 1e8, density: 7800, friction: 0.5 };
      const start = { position: [-0.2, 0.07, 0], velocity: [1, 0, 0], angularVelocity: [0, 0, -20] } as const;
      world.addBody(rigid('ball', { ...start, shape: { sphere: { radius: 0.05 } }, spacing: 0.02, material: steel }));
      let lowest = 0;
      for (let frame = 0; frame < 24; frame++) {
        world.step(1 / 60);
        lowest = Math.min(lowest, at(world, 'plank')[1]);
      }
      const [x, y] = at(world, 'ball');
      expect(x).toBeGreaterThan(0);
      expect(y).toBeGreaterThan(0.06);
      expect(lowest).toBeLessThan(-1e-6);
    });
  });
});

test('a hinged bar falls on a stiff solid and lies on it', async () => {
  await withWorld(solving('implicit'), (world) => {
    const material = { youngsModulus: 1e9, density: 800 };
    world.addBody({ name: 'base', shape: box(0.3, 0.1, 0.3), spacing: 0.05, position: [0.4, 0.05, 0], material });
    const joint = { hinge: { point: [0, 0.5, 0], axis: [0, 0, 1] } } as const;
    const hard = { youngsModulus: 1e8 };
    const shape = box(0.6, 0.05, 0.05);
    world.addBody(rigid('bar', { shape, position: [0.3, 0.5, 0], joint, material: hard }));
    world.addObstacle(floor);
    for (let frame = 0; frame < 40; frame++) world.step(1 / 60);
    const [x, y, z] = at(world, 'bar');
    expect(Math.hypot(x, y - 0.5)).toBeCloseTo(0.3, 6);
    expect(z).toBeCloseTo(0, 9);
    expect(y).toBeGreaterThan(0.29);
    expect(y).toBeLessThan(0.31);
    expect(speedOf(world)).toBeLessThan(1e-3);
  });
});

test('a top beside an implicit solid keeps its momenta and its energy', async () => {
  for (const integrator of ['implicit', 'midpoint'] as const) {
    await withWorld({ gravity: [0, 0, 0], ...solving(integrator) }, (world) => {
      world.addBody({ name: 'far', shape: box(0.1), spacing: 0.05, position: [3, 0, 0] });
      world.addBody(
        rigid('top', { shape: box(0.3, 0.2, 0.1), velocity: [0.1, 0, 0.2], angularVelocity: [0.1, 10, 0.1] }),
      );
      const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().kinetic];
      for (let frame = 0; frame < 60; frame++) world.step(1 / 60);
      expect(difference(world.momentum(), p)).toBeLessThan(1e-12 * norm(p));
      expect(difference(world.angularMomentum(), l)).toBeLessThan(1e-9 * norm(l));
      expect(Math.abs(world.energy().kinetic / e - 1)).toBeLessThan(1e-3);
    });
  }
});

test('a grab lifts a rigid body off an implicit solid and lets it fall back', async () => {
  await withWorld(solving('implicit'), (world) => {
    world.addBody({ name: 'base', shape: box(0.3, 0.1, 0.3), spacing: 0.05, position: [0, 0.05, 0] });
    world.addBody(rigid('box', { position: [0, 0.15, 0] }));
    world.addObstacle(floor);
    const grab = world.grab('box', [0, 0.15, 0]);
    for (let frame = 0; frame < 40; frame++) {
      grab.target = [0, 0.15 + 0.2 * Math.min(1, frame / 20), 0];
      world.step(1 / 60);
    }
    // A grab is as stiff as steps of this length allow: the weight draws it out by 8 cm.
    expect(at(world, 'box')[1]).toBeGreaterThan(0.25);
    grab.release();
    for (let frame = 0; frame < 40; frame++) world.step(1 / 60);
    expect(at(world, 'box')[1]).toBeLessThan(0.155);
  });
});

test('a rigid body floats beside an implicit solid as it does beside an explicit one', async () => {
  const heights: number[] = [];
  for (const integrator of ['explicit', 'implicit'] as const) {
    await withWorld(solving(integrator), (world) => {
      world.addBody({ name: 'water', kind: 'fluid', shape: box(0.3, 0.2, 0.3), spacing: 0.025, position: [0, 0.1, 0] });
      const light = { density: 500, youngsModulus: 1e6 };
      world.addBody({ name: 'solid', shape: box(0.1), spacing: 0.05, position: [1, 0.05, 0], material: light });
      world.addBody(
        rigid('float', { shape: box(0.1, 0.1, 0.1), spacing: 0.025, position: [0, 0.2, 0], material: light }),
      );
      world.addObstacle(floor);
      for (const [normal, offset] of [
        [[1, 0, 0], -0.15],
        [[-1, 0, 0], -0.15],
        [[0, 0, 1], -0.15],
        [[0, 0, -1], -0.15],
      ] as const) {
        // Walls of the tank, which end before the solid begins.
        const size: Vec3 = [normal[0] === 0 ? 0.5 : 0.1, 0.6, normal[2] === 0 ? 0.5 : 0.1];
        const position = normal.map((n) => -n * (0.05 - offset)) as unknown as Vec3;
        world.addObstacle({ shape: { box: { size } }, position: [position[0], 0.3, position[2]] });
      }
      for (let frame = 0; frame < 20; frame++) world.step(1 / 30);
      heights.push(at(world, 'float')[1]);
    });
  }
  // It bobs by centimetres; the two motions have drifted apart by less than a spacing.
  expect(Math.abs(heights[1]! - heights[0]!)).toBeLessThan(0.025);
  expect(heights[1]!).toBeGreaterThan(0.15);
});

test('random scenes stay finite, and gain no energy', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const random = randomNumbers(seed);
    const integrator = seed % 3 === 0 ? 'midpoint' : 'implicit';
    await withWorld(solving(integrator), (world) => {
      const modulus = 10 ** (4 + 4 * random());
      const material = { youngsModulus: modulus, density: 500 + 1000 * random(), friction: random() };
      world.addBody({ name: 'solid', shape: box(0.3, 0.12, 0.3), spacing: 0.05, position: [0, 0.07, 0], material });
      for (let k = 0; k < 4; k++) {
        const own = { youngsModulus: 10 ** (6 + 2 * random()), density: 200 + 5000 * random(), friction: random() };
        const turned = [360 * random(), 360 * random(), 360 * random()] as Vec3;
        const position = [0.1 * (random() - 0.5), 0.24 + 0.17 * k, 0.1 * (random() - 0.5)] as Vec3;
        const shape = random() < 0.5 ? box(0.1) : { sphere: { radius: 0.06 } };
        const velocity = [random() - 0.5, -2 * random(), random() - 0.5] as Vec3;
        world.addBody(rigid(`r${k}`, { shape, position, rotation: turned, velocity, material: own, spacing: 0.04 }));
      }
      world.addObstacle(floor);
      const start = world.energy().total;
      for (let frame = 0; frame < 12; frame++) {
        world.step(1 / 30);
        // Energy in contacts is not counted, so it may come back from there, but never beyond the start, to rounding.
        expect(world.energy().total).toBeLessThan(start * (1 + 1e-6));
        expect(speedOf(world)).toBeLessThan(10);
      }
    });
  }
});

describe('determinism', () => {
  async function scene(threads: number, integrator: Integrator): Promise<World> {
    // So few iterations that some steps are undone and halved.
    const world = await createWorld({ threads, ...solving(integrator, { maxIterations: 12 }) });
    const material = { youngsModulus: 1e6, density: 1000 };
    world.addBody({ name: 'solid', shape: box(0.3, 0.1, 0.3), spacing: 0.05, position: [0, 0.05, 0], material });
    const hard = { youngsModulus: 1e7, density: 2000 };
    for (let k = 0; k < 3; k++) {
      const placed = { position: [0.02 * k, 0.17 + 0.12 * k, 0] as Vec3, rotation: [10 * k, 20, 5] as Vec3 };
      world.addBody(rigid(`r${k}`, { ...placed, velocity: [0.2, -1, 0], material: hard }));
    }
    world.addObstacle(floor);
    world.addEvent({ time: 0.1, body: 'r0', set: { friction: 0.9 } });
    return world;
  }

  test.each(['implicit', 'midpoint'] as const)(
    '%s: the same bits with 1 and 2 threads and after a save',
    async (integrator) => {
      const hashes: string[][] = [];
      let retries = 0;
      for (const threads of [1, 2]) {
        const world = await scene(threads, integrator);
        hashes.push([]);
        for (let frame = 0; frame < 8; frame++) {
          retries += world.step(1 / 30).retries;
          hashes.at(-1)!.push(world.stateHash());
        }
        await world.dispose();
      }
      expect(hashes[1]).toEqual(hashes[0]);
      if (integrator === 'implicit') expect(retries).toBeGreaterThan(0);
      const world = await scene(1, integrator);
      for (let frame = 0; frame < 3; frame++) world.step(1 / 30);
      const again = await World.load(world.save(), { threads: 1 });
      await world.dispose();
      for (let frame = 3; frame < 8; frame++) {
        again.step(1 / 30);
        expect(again.stateHash()).toBe(hashes[0]![frame]);
      }
      await again.dispose();
    },
  );
});
