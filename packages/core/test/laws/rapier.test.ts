/** Rigid bodies that Rapier moves by their exact shapes. */
import { describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/inputs.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';
import { block, norm, withWorld } from './support.js';

const RAPIER = { solver: { rigid: 'rapier' as const } };
const NOTHING = { ...RAPIER, gravity: [0, 0, 0] as Vec3 };
const box = (x: number, y = x, z = x) => ({ box: { size: [x, y, z] as Vec3 } });
const floor = { shape: { plane: {} } };
const difference = (a: Vec3, b: Vec3) => norm(a.map((x, k) => x - b[k]!));
type Vec2 = readonly [number, number];
const radians = (degrees: number) => (degrees * Math.PI) / 180;
const point = (world: World, body: string) => world.probe({ name: 'p', body, quantity: 'position' }) as unknown as Vec3;

/** How far a body has gone down an incline after 1 s from rest, and 0.5 s before, with its centre 0.1 m above it [m]. */
function slide(angle: number, friction: number, body: Pick<BodyInput, 'shape' | 'rotation'>): Promise<Vec2> {
  return withWorld(RAPIER, (world) => {
    const [sine, cosine] = [Math.sin(radians(angle)), Math.cos(radians(angle))];
    const position: Vec3 = [0.1 * sine, 0.1 * cosine, 0];
    const material = { density: 1000, friction, restitution: 0 };
    world.addBody({ name: 'b', kind: 'rigid', spacing: 0.1 / 8, position, material, ...body });
    world.addObstacle({ shape: { plane: { normal: [sine, cosine, 0] } }, friction, restitution: 0 });
    const [middle, end] = [0.5, 1].map((time) => {
      world.stepTo(time);
      const [x, y] = point(world, 'b');
      return cosine * x - sine * y;
    });
    return [middle!, end!];
  });
}

describe('on an incline', () => {
  test.each([
    ['ball', { sphere: { radius: 0.1 } }, 5 / 7],
    ['cylinder', { cylinder: { radius: 0.1, length: 0.2 } }, 2 / 3],
  ])('a %s rolls with its share of g sin', async (_, shape, share) => {
    const [, distance] = await slide(20, 1, { shape, rotation: [90, 0, 0] });
    // Steps of 1/60 s, and float32.
    expect(distance / (share * 9.81 * Math.sin(radians(20)) * 0.5)).toBeCloseTo(1, 2);
  });

  test('a marble rolls on as fast as it turns', async () => {
    await withWorld(RAPIER, (world) => {
      const [sine, cosine] = [Math.sin(radians(12)), Math.cos(radians(12))];
      const position: Vec3 = [0.03 * sine, 0.03 * cosine, 0];
      world.addBody({ name: 'b', kind: 'rigid', shape: { sphere: { radius: 0.03 } }, spacing: 0.01, position });
      world.addObstacle({ shape: { plane: { normal: [sine, cosine, 0] } }, friction: 0.5 });
      world.stepTo(2);
      const speed = norm(world.probe({ name: 'v', quantity: 'velocity' }));
      // 97 rad/s, where steps of 1/60 s would end at 46.
      expect(speed / ((5 / 7) * 9.81 * sine * 2)).toBeCloseTo(1, 1.7);
    });
  });

  test('a box sticks up to the angle of friction, and slides above', async () => {
    const angle = Math.atan(0.5) / radians(1);
    const lying = (degrees: number) => slide(degrees, 0.5, { shape: box(0.2), rotation: [0, 0, -degrees] });
    const [early, late] = await lying(angle - 0.5);
    // It slips at the start, until it presses on the plane, and then not a hair more.
    expect(late).toBeLessThan(3e-3);
    expect(Math.abs(late - early)).toBeLessThan(1e-6);
    const [before, after] = await lying(angle + 0.5);
    expect(after - before).toBeGreaterThan(0.01);
    const expected = (9.81 * (Math.sin(radians(40)) - 0.5 * Math.cos(radians(40)))) / 2;
    expect((await lying(40))[1] / expected).toBeCloseTo(1, 1.7);
  });
});

describe('collisions', () => {
  test.each([0, 0.5, 1])('a ball comes back with %f of its speed', async (restitution) => {
    await withWorld(RAPIER, (world) => {
      const body = { name: 'b', kind: 'rigid' as const, shape: { sphere: { radius: 0.1 } }, spacing: 0.05 };
      world.addBody({ ...body, position: [0, 0.6, 0], material: { restitution } });
      world.addObstacle({ ...floor, restitution: 0 });
      let [down, up] = [0, 0];
      for (let frame = 1; frame <= 40; frame++) {
        world.stepTo(frame / 60);
        const speed = world.probe({ name: 'v', quantity: 'velocity' })[1]!;
        if (up === 0) down = Math.max(down, -speed);
        up = Math.max(up, speed);
      }
      expect(down).toBeGreaterThan(2.9);
      expect(Math.abs(up / down - restitution)).toBeLessThan(0.02);
    });
  });

  /** Changes of momentum and angular momentum as two balls meet, as shares, and of the energy. */
  function meet(maxTimeStep: number): Promise<{ linear: number; angular: number; energy: number }> {
    return withWorld({ ...NOTHING, solver: { ...RAPIER.solver, maxTimeStep } }, (world) => {
      const body = { kind: 'rigid' as const, shape: { sphere: { radius: 0.05 } }, spacing: 0.02 };
      const material = { restitution: 1, friction: 0.5, density: 1000 };
      const a = { position: [-0.06, 0, 0] as Vec3, velocity: [2, 0.3, 0] as Vec3, angularVelocity: [1, 20, 5] as Vec3 };
      const b = { position: [0.06, 0, 0] as Vec3, velocity: [-1, 0, 0.2] as Vec3 };
      world.addBody({ name: 'a', ...body, ...a, material });
      world.addBody({ name: 'b', ...body, ...b, material: { ...material, density: 3000 } });
      const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().kinetic];
      for (let frame = 0; frame < 6; frame++) world.step(1 / 60);
      return {
        linear: difference(world.momentum(), p) / norm(p),
        angular: difference(world.angularMomentum(), l) / norm(l),
        energy: world.energy().kinetic / e,
      };
    });
  }

  test('two balls that rub keep their momentum, and their angular momentum the better the shorter the steps', async () => {
    const [long, short] = [await meet(1 / 60), await meet(1 / 1000)];
    for (const { linear, energy } of [long, short]) {
      // Rounding of float32.
      expect(linear).toBeLessThan(1e-6);
      expect(energy).toBeLessThan(1);
      // They did meet, and rub.
      expect(energy).toBeLessThan(0.97);
    }
    // Arms of the impulses are those of the start of a step, in which the balls move on.
    expect(short.angular).toBeLessThan(0.1 * long.angular);
    expect(short.angular).toBeLessThan(0.04);
  });

  test.each([20, 1000, 10_000])('a body of %i kg/m3 and a solid keep their momenta', async (density) => {
    await withWorld(NOTHING, (world) => {
      const material = { youngsModulus: 1e5, restitution: 1, friction: 0.5 };
      world.addBody({ name: 'soft', shape: box(0.2), spacing: 0.04, material });
      const thrown = { position: [0.01, 0.18, 0.02] as Vec3, velocity: [0.2, -2, 0] as Vec3 };
      const hard = { kind: 'rigid' as const, shape: box(0.1), spacing: 0.03, material: { ...material, density } };
      world.addBody({ name: 'hard', ...hard, ...thrown, rotation: [10, 20, 5], angularVelocity: [3, 1, 2] });
      const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().total];
      for (let frame = 0; frame < 15; frame++) world.step(1 / 120);
      expect(world.energy().elastic).toBeGreaterThan(1e-4 * e);
      // A force acts from the middle of one step to that of the next: half a kick is under way.
      expect(difference(world.momentum(), p)).toBeLessThan(1e-2 * norm(p));
      expect(difference(world.angularMomentum(), l)).toBeLessThan(1e-2 * norm(l));
      expect(world.energy().total).toBeLessThan(e * 1.01);
    });
  });
});

describe('joints', () => {
  test('a pendulum swings with the period of a physical pendulum, and its hinge holds', async () => {
    await withWorld(RAPIER, (world) => {
      const [length, width] = [0.5, 0.05];
      const joint = { hinge: { point: [0.1, 0.2, 0] as Vec3, axis: [0, 0, 2] as Vec3 } };
      const body = { name: 'b', kind: 'rigid' as const, shape: box(width, length, width), spacing: 0.025, joint };
      world.addBody({ ...body, position: [0.1, 0.2 - length / 2, 0], angularVelocity: [0, 0, 0.2] });
      const turning = (length ** 2 + width ** 2) / 12 + length ** 2 / 4;
      const pulling = (9.81 * length) / 2;
      const period = 2 * Math.PI * Math.sqrt(turning / pulling) * (1 + (0.2 ** 2 * turning) / pulling / 16);
      const crossings: number[] = [];
      let before = 0;
      for (let k = 1; k <= 600; k++) {
        world.stepTo(k / 200);
        const [x, y] = point(world, 'b');
        const now = x - 0.1;
        if (before < 0 && now >= 0) crossings.push((k - now / (now - before)) / 200);
        before = now;
        // Half a bar from the hinge.
        expect(Math.abs(Math.hypot(now, y - 0.2) - length / 2)).toBeLessThan(1e-3 * length);
      }
      expect((crossings[1]! - crossings[0]!) / period).toBeCloseTo(1, 2);
    });
  });

  test('a slider keeps to its line and its turn, and falls along it with g sin and the force on it', async () => {
    await withWorld(RAPIER, (world) => {
      const joint = { slider: { axis: [3, -4, 0] as Vec3 } };
      const body = { name: 'b', kind: 'rigid' as const, shape: box(0.1, 0.2, 0.1), spacing: 0.05, joint };
      world.addBody({ ...body, rotation: [10, 20, 30], material: { density: 1000 } });
      const region = { box: { min: [-1, 0, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      world.addConstraint({ body: 'b', region, force: [5, 0, 1] });
      for (let frame = 0; frame < 10; frame++) world.step(0.05);
      const [x, y, z] = point(world, 'b');
      const acceleration = 9.81 * 0.8 + (5 * 0.6) / world.mass;
      expect(Math.hypot(x, y) / ((acceleration * 0.25) / 2)).toBeCloseTo(1, 1.7);
      expect(Math.abs(4 * x + 3 * y) / 5 + Math.abs(z)).toBeLessThan(1e-3);
    });
  });
});

describe('rest', () => {
  test('ten boxes stand still on each other', async () => {
    await withWorld(RAPIER, (world) => {
      const body = { kind: 'rigid' as const, shape: box(0.1), spacing: 0.05, material: { friction: 0.6 } };
      for (let k = 0; k < 10; k++) world.addBody({ name: `box${k}`, ...body, position: [0, 0.05 + 0.1 * k, 0] });
      world.addObstacle(floor);
      for (let frame = 0; frame < 60; frame++) world.step(1 / 30);
      const settled = world.positions();
      for (let frame = 0; frame < 90; frame++) world.step(1 / 30);
      const later = world.positions();
      for (let k = 0; k < settled.length; k++) expect(Math.abs(later[k]! - settled[k]!)).toBeLessThan(3e-3);
      // Each contact gives by (n g) / (2 pi 60 /s)^2 under the n boxes above it, and a thousandth of a box's side.
      const sunk = (55 * 9.81) / (2 * Math.PI * 60) ** 2 + 10 * 1e-4;
      expect(Math.abs(point(world, 'box9')[1] - (0.95 - sunk))).toBeLessThan(0.5 * sunk);
      expect(world.probe({ name: 'm', quantity: 'maximumSpeed' })[0]).toBeLessThan(1e-4);
    });
  });

  test('a moving floor carries a body along', async () => {
    await withWorld(RAPIER, (world) => {
      const shape = box(0.2, 0.05, 0.2);
      world.addBody({
        name: 'b',
        kind: 'rigid',
        shape,
        spacing: 0.05,
        position: [0, 0.025, 0],
        material: { friction: 1 },
      });
      const keyframes = [{ time: 0 }, { time: 0.5, position: [0.25, 0.02, 0] as Vec3 }];
      world.addObstacle({ shape: box(4, 1, 4), position: [0, -0.5, 0], friction: 1, keyframes });
      for (let frame = 0; frame < 20; frame++) world.step(0.03);
      const [x, y] = point(world, 'b');
      // Friction 1 brings it to 0.5 m/s in 0.05 s: it lags by 13 mm and slides on by as much after the stop.
      expect(Math.abs(x - 0.25)).toBeLessThan(0.02);
      expect(Math.abs(y - 0.045)).toBeLessThan(0.001);
    });
  });

  test('a ball falls through a ring that lies on blocks, and a ring has the inertia of a torus', async () => {
    await withWorld(RAPIER, (world) => {
      const ring = { torus: { radius: 0.1, tube: 0.03 } };
      world.addBody({
        name: 'ring',
        kind: 'rigid',
        shape: ring,
        spacing: 0.015,
        position: [0, 0.13, 0],
        material: { density: 500 },
      });
      for (const x of [-0.1, 0.1]) world.addObstacle({ shape: box(0.05, 0.1, 0.2), position: [x, 0.05, 0] });
      world.addBody({
        name: 'ball',
        kind: 'rigid',
        shape: { sphere: { radius: 0.04 } },
        spacing: 0.02,
        position: [0, 0.3, 0],
      });
      world.addObstacle(floor);
      world.stepTo(1.5);
      expect(point(world, 'ball')[1]).toBeCloseTo(0.04, 2.5);
      expect(point(world, 'ring')[1]).toBeCloseTo(0.13, 2.5);
    });
    await withWorld(NOTHING, (world) => {
      world.addBody({
        name: 'ring',
        kind: 'rigid',
        shape: { torus: { radius: 0.1, tube: 0.03 } },
        spacing: 0.015,
        angularVelocity: [0, 2, 0],
      });
      const [, l] = world.angularMomentum();
      // J = m (R^2 + 3/4 r^2)
      expect(l / (2 * world.mass * (0.1 ** 2 + 0.75 * 0.03 ** 2))).toBeCloseTo(1, 5);
    });
  });
});

describe('the state', () => {
  /** A ball that hits a small stack beside a soft cube, a bar on a hinge, and changes of materials. */
  async function scene(threads: number): Promise<World> {
    const world = await createWorld({ threads, ...RAPIER });
    const hard = { density: 1000, friction: 0.5, restitution: 0.3 };
    const rigid = (name: string, rest: Omit<BodyInput, 'name'>) =>
      world.addBody({ name, kind: 'rigid', spacing: 0.05, material: hard, ...rest });
    for (let k = 0; k < 3; k++) rigid(`box${k}`, { shape: box(0.2), position: [0.004 * k, 0.1 + 0.2 * k, 0] });
    rigid('ball', { shape: { sphere: { radius: 0.1 } }, position: [-0.35, 0.45, 0.02], velocity: [4, 0, 0] });
    const joint = { hinge: { point: [-0.2, 1, 0] as Vec3, axis: [0, 0, 1] as Vec3 } };
    rigid('bar', { shape: box(0.4, 0.05, 0.05), position: [0, 1, 0], joint });
    const soft = { youngsModulus: 5e4, damping: 0.2 };
    world.addBody({ name: 'soft', shape: box(0.2), spacing: 0.05, position: [0.22, 0.1, 0], material: soft });
    world.addObstacle(floor);
    world.addEvent({ time: 0.1, body: 'box0', set: { friction: 0.9 } });
    world.addEvent({ time: 0.15, body: 'ball', set: { density: 1200 } });
    return world;
  }

  async function hashes(threads: number): Promise<string[]> {
    const world = await scene(threads);
    const result = Array.from({ length: 8 }, () => {
      world.step(1 / 30);
      return world.stateHash();
    });
    await world.dispose();
    return result;
  }

  test('has the same hash with 1 and 2 threads, and goes on from a save to the same bits', async () => {
    const expected = await hashes(1);
    expect(await hashes(2)).toEqual(expected);
    const world = await scene(1);
    for (let frame = 0; frame < 3; frame++) world.step(1 / 30);
    const bytes = world.save();
    await world.dispose();
    const again = await World.load(bytes, { threads: 2 });
    expect(again.stateHash()).toBe(expected[2]);
    for (let frame = 3; frame < 8; frame++) {
      again.step(1 / 30);
      expect(again.stateHash()).toBe(expected[frame]);
    }
    await again.dispose();
  });

  test('a body that is added on the way leaves the others as they are, also in a world from a save', async () => {
    await withWorld(RAPIER, async (world) => {
      const body = { kind: 'rigid' as const, shape: box(0.1), spacing: 0.05 };
      world.addBody({ name: 'a', ...body, position: [0, 0.05, 0] });
      world.addObstacle(floor);
      world.stepTo(0.5);
      const before = point(world, 'a');
      const loaded = await World.load(world.save(), { threads: 1 });
      for (const one of [world, loaded]) {
        one.addBody({ name: 'b', ...body, position: [0.3, 0.2, 0] });
        one.stepTo(1);
        expect(difference(point(one, 'a'), before)).toBeLessThan(1e-4);
        expect(point(one, 'b')[1]).toBeCloseTo(0.05, 3);
      }
      expect(loaded.stateHash()).toBe(world.stateHash());
      await loaded.dispose();
    });
  });

  test('a change of density keeps the velocities', async () => {
    await withWorld(NOTHING, (world) => {
      const thrown = { velocity: [1, 0, 0] as Vec3, angularVelocity: [1, 2, 3] as Vec3 };
      world.addBody({ name: 'a', kind: 'rigid', shape: box(0.1), spacing: 0.05, ...thrown });
      world.step(0.1);
      const before = world.velocities();
      world.setMaterial('a', { density: 3000 });
      const after = world.velocities();
      for (let k = 0; k < before.length; k++) expect(after[k]).toBeCloseTo(before[k]!, 5);
      expect(world.momentum()[0]).toBeCloseTo(3, 5);
    });
  });
});

test('what floats is immersed by the ratio of densities', async () => {
  await withWorld(RAPIER, (world) => {
    world.addObstacle({ shape: { plane: {} } });
    for (const [normal, x, z] of [
      [[1, 0, 0], -0.15, 0],
      [[-1, 0, 0], 0.15, 0],
      [[0, 0, 1], 0, -0.15],
      [[0, 0, -1], 0, 0.15],
    ] as const) {
      world.addObstacle({ shape: { plane: { normal } }, position: [x, 0, z] });
    }
    world.addBody({
      name: 'water',
      kind: 'fluid',
      shape: box(0.3, 0.15, 0.3),
      spacing: 0.025,
      position: [0, 0.075, 0],
      material: { viscosity: 0.5 },
    });
    world.addBody({
      name: 'wood',
      kind: 'rigid',
      shape: box(0.12),
      spacing: 0.02,
      position: [0, 0.22, 0],
      material: { density: 500 },
    });
    world.stepTo(1.5);
    // Half of it is under water, which it has raised by that volume over the basin's area.
    const level = 0.15 + (0.12 ** 3 * 0.5) / 0.3 ** 2;
    expect(Math.abs(point(world, 'wood')[1] - level)).toBeLessThan(0.012);
  });
});

describe('refused', () => {
  const rigid = { name: 'r', kind: 'rigid' as const, shape: box(0.1), spacing: 0.05 };

  test('a start inside an obstacle, particles without a shape, implicit solids', async () => {
    await withWorld(RAPIER, (world) => {
      world.addBody({ ...rigid, position: [0, 0.03, 0] });
      world.addObstacle(floor);
      expect(() => world.step(0.01)).toThrow(
        'bodies[0].position puts the rigid body "r" into an obstacle at the start',
      );
    });
    await withWorld(RAPIER, (world) => {
      world.addBody(rigid, block([2, 2, 2], 0.05));
      expect(() => world.step(0.01)).toThrow('bodies[0] is made of given particles, which have no exact shape');
    });
    await withWorld({ solver: { rigid: 'rapier', solid: { integrator: 'implicit' } } }, (world) => {
      world.addBody(rigid);
      world.addBody({ name: 's', shape: box(0.2), spacing: 0.05, position: [1, 0, 0] });
      expect(() => world.step(0.01)).toThrow('solver.rigid must be hertz beside solids with solver.solid.integrator');
    });
  });
});
