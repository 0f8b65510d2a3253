import { describe, expect, test } from 'vitest';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { restitutionOf } from '../../src/solvers/contact/restitution.js';
import { createWorld, World } from '../../src/world.js';
import { block, buildBench, norm, withWorld } from './support.js';

const box = (x: number, y = x, z = x) => ({ box: { size: [x, y, z] as Vec3 } });
const floor = { shape: { plane: {} } };
const NOTHING = { gravity: [0, 0, 0] as Vec3 };
const difference = (a: Vec3, b: Vec3) => norm(a.map((x, k) => x - b[k]!));
const HARD = { youngsModulus: 1e8, density: 1000 };

describe('free flight', () => {
  const spin: Vec3 = [0.1, 10, 0.1];
  const top = { name: 'top', kind: 'rigid' as const, shape: box(0.3, 0.2, 0.1), spacing: 0.05, material: HARD };

  test('the momenta and the energy at the start are those of a box', async () => {
    await withWorld(NOTHING, (world) => {
      world.addBody({ ...top, position: [1, 2, 3], velocity: [3, -1, 2], angularVelocity: spin });
      const m = 1000 * 0.3 * 0.2 * 0.1;
      const inertia = [0.2 ** 2 + 0.1 ** 2, 0.3 ** 2 + 0.1 ** 2, 0.3 ** 2 + 0.2 ** 2].map((s) => (m * s) / 12);
      const own = inertia.map((moment, k) => moment * spin[k]!);
      const orbital = [m * (2 * 2 - 3 * -1), m * (3 * 3 - 1 * 2), m * (1 * -1 - 2 * 3)];
      const expected = own.map((l, k) => l + orbital[k]!) as unknown as Vec3;
      // Masses are float32.
      expect(difference(world.angularMomentum(), expected)).toBeLessThan(1e-6 * norm(expected));
      expect(difference(world.momentum(), [3 * m, -m, 2 * m])).toBeLessThan(1e-6 * m);
      const energy = (m / 2) * 14 + own.reduce((sum, l, k) => sum + (l * spin[k]!) / 2, 0);
      expect(Math.abs(world.energy().kinetic / energy - 1)).toBeLessThan(1e-6);
      // The same by way of the particles and their own turning.
      expect(world.probe({ name: 'e', quantity: 'kineticEnergy' })[0]! / energy).toBeCloseTo(1, 5);
      const probed = world.probe({ name: 'l', quantity: 'angularMomentum' }) as unknown as Vec3;
      expect(difference(probed, expected)).toBeLessThan(1e-5 * norm(expected));
    });
  });

  test('keeps momentum and angular momentum to rounding, and the energy of an asymmetric top', async () => {
    await withWorld(NOTHING, (world) => {
      // About the middle axis, which is unstable: it turns over again and again.
      world.addBody({ ...top, velocity: [3, -1, 2], angularVelocity: spin });
      const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().kinetic];
      const start = world.positions();
      const upper = Array.from({ length: world.particleCount }, (_, i) => i).filter((i) => start[4 * i + 1]! > 0);
      /** How far the upper half is above the middle, along the angular momentum. */
      const height = () => {
        const x = world.positions();
        const [cx, cy, cz] = world.probe({ name: 'p', quantity: 'position' }) as [number, number, number];
        const at = (i: number) => l[0] * (x[4 * i]! - cx) + l[1] * (x[4 * i + 1]! - cy) + l[2] * (x[4 * i + 2]! - cz);
        return upper.reduce((sum, i) => sum + at(i), 0);
      };
      const upright = height();
      let lowest = upright;
      for (let frame = 0; frame < 60; frame++) {
        world.step(1 / 20);
        // A rule of sixth order, in turns of 0.2 rad and less: rounding is left.
        expect(Math.abs(world.energy().kinetic / e - 1)).toBeLessThan(1e-11);
        lowest = Math.min(lowest, height());
      }
      // In f64, after some thousand steps.
      expect(difference(world.momentum(), p)).toBe(0);
      expect(difference(world.angularMomentum(), l)).toBeLessThan(1e-11 * norm(l));
      expect(lowest).toBeLessThan(-0.9 * upright);
    });
  });

  test('falls on a parabola', async () => {
    await withWorld({ gravity: [1, -9.81, 0.5] }, (world) => {
      world.addBody({ ...top, velocity: [3, 1, 2], angularVelocity: spin });
      for (let frame = 0; frame < 5; frame++) world.step(0.1);
      const t = world.time;
      const at = world.probe({ name: 'p', quantity: 'position' }) as unknown as Vec3;
      const expected: Vec3 = [3 * t + t * t * 0.5, t - (9.81 * t * t) / 2, 2 * t + 0.25 * t * t];
      expect(difference(at, expected)).toBeLessThan(1e-6);
    });
  });
});

describe('collisions', () => {
  const ball = (name: string, x: number, rest: object) => ({
    name,
    kind: 'rigid' as const,
    shape: { sphere: { radius: 0.05 } },
    spacing: 0.02,
    position: [x, 0, 0] as Vec3,
    ...rest,
  });

  test('two free bodies keep their momenta and gain no energy, with friction and without losses', async () => {
    await withWorld(NOTHING, (world) => {
      const material = { ...HARD, restitution: 1, friction: 0.5 };
      world.addBody(ball('a', -0.06, { velocity: [2, 0.3, 0], angularVelocity: [1, 20, 5], material }));
      world.addBody(ball('b', 0.06, { velocity: [-1, 0, 0.2], material: { ...material, density: 3000 } }));
      const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().kinetic];
      let spun = 0;
      for (let frame = 0; frame < 10; frame++) {
        world.step(0.01);
        spun = Math.max(spun, Math.abs(world.energy().kinetic / e - 1));
      }
      // Forces are opposite to the bit and summed in f64; arms are float32.
      expect(difference(world.momentum(), p)).toBeLessThan(1e-13 * norm(p));
      expect(difference(world.angularMomentum(), l)).toBeLessThan(1e-6 * norm(l));
      expect(world.energy().kinetic).toBeLessThan(e * (1 + 1e-4));
      // They did meet.
      expect(spun).toBeGreaterThan(0.01);
    });
  });

  test.each([20, 1000, 10_000])(
    'a rigid body of %i kg/m3 and a solid keep their momenta and gain no energy',
    async (density) => {
      await withWorld(NOTHING, (world) => {
        const material = { youngsModulus: 1e5, restitution: 1, friction: 0.5 };
        world.addBody({ name: 'soft', shape: box(0.2), spacing: 0.04, material });
        const thrown = {
          position: [0.01, 0.18, 0.02] as Vec3,
          velocity: [0.2, -2, 0] as Vec3,
          rotation: [10, 20, 5] as Vec3,
        };
        const hard = { ...material, youngsModulus: 1e7, density };
        const body = { name: 'hard', kind: 'rigid' as const, shape: box(0.1), spacing: 0.03, material: hard };
        world.addBody({ ...body, ...thrown, angularVelocity: [3, 1, 2] });
        const [p, l, e] = [world.momentum(), world.angularMomentum(), world.energy().total];
        for (let frame = 0; frame < 15; frame++) {
          world.step(1 / 120);
          expect(world.energy().total).toBeLessThan(e * (1 + 1e-6));
        }
        // They did meet.
        expect(world.energy().elastic).toBeGreaterThan(1e-4 * e);
        // Float32 velocities of the solid.
        expect(difference(world.momentum(), p)).toBeLessThan(1e-5 * norm(p));
        expect(difference(world.angularMomentum(), l)).toBeLessThan(1e-4 * norm(l));
      });
    },
  );

  test('the damping gives the restitution that Hunt and Crossley found for it', () => {
    // d (1 + e) = ln((1 + d) / (1 - e d)), as long as the bound of the damping is not met.
    for (const d of [0.1, 0.5, 1]) {
      const e = restitutionOf(d);
      expect(Math.log((1 + d) / (1 - e * d))).toBeCloseTo(d * (1 + e), 4);
    }
  });

  test.each([0.2, 0.5, 0.8, 1])('two balls part with %f of their approach speed', async (restitution) => {
    await withWorld(NOTHING, (world) => {
      // One particle each: a central impact of two true balls.
      const points = {
        positions: new Float64Array(3),
        volumes: Float64Array.of(1e-6),
        spacings: Float64Array.of(0.01),
      };
      for (const side of [-1, 1]) {
        const material = { ...HARD, restitution, density: side < 0 ? 1000 : 4000 };
        const body = { name: `ball${side}`, kind: 'rigid' as const, shape: box(0.01), material };
        world.addBody({ ...body, position: [0.008 * side, 0, 0], velocity: [side < 0 ? 2 : -1, 0, 0] }, points);
      }
      for (let frame = 0; frame < 10; frame++) world.step(1e-3);
      const v = world.velocities();
      // Leapfrog with some thirty steps in the contact.
      expect((v[4]! - v[0]!) / 3).toBeCloseTo(restitution, 2);
    });
  });

  test.each([0, 0.5, 0.9])('a box that lands flat bounces with restitution %f, at any speed', async (restitution) => {
    for (const speed of [0.2, 4]) {
      await withWorld(NOTHING, (world) => {
        const material = { ...HARD, restitution };
        const body = { name: 'b', kind: 'rigid' as const, shape: box(0.1), spacing: 0.025, material };
        world.addBody({ ...body, position: [0, 0.055, 0], velocity: [0, -speed, 0] });
        world.addObstacle(floor);
        for (let frame = 0; frame < 10; frame++) world.step(0.002 / speed);
        const bounced = world.momentum()[1] / world.mass / speed;
        // The strongest damping leaves something of an impact without restitution.
        if (restitution === 0) expect(bounced).toBeLessThan(0.13);
        else expect(bounced).toBeCloseTo(restitution, 2);
        expect(bounced).toBeGreaterThanOrEqual(0);
        expect(norm(world.angularMomentum())).toBeLessThan(1e-6);
      });
    }
  });
});

describe('a box on an incline', () => {
  const [angle, gravity] = [25, 9.81];
  const [sine, cosine] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];

  async function slide(friction: number): Promise<number[]> {
    return withWorld({}, (world) => {
      const body = { name: 'b', kind: 'rigid' as const, shape: box(0.2, 0.1, 0.2), spacing: 0.025 };
      const material = { ...HARD, youngsModulus: 1e7, friction };
      const position: Vec3 = [0.05 * sine, 0.05 * cosine, 0];
      world.addBody({ ...body, rotation: [0, 0, -angle], position, material });
      world.addObstacle({ shape: { plane: { normal: [sine, cosine, 0] } }, friction });
      const at = () => {
        const [x, y] = world.probe({ name: 'p', quantity: 'position' }) as [number, number];
        return cosine * x - sine * y;
      };
      const before = at();
      return Array.from({ length: 30 }, () => {
        world.step(1 / 60);
        return at() - before;
      });
    });
  }

  test('sticks below the friction angle', async () => {
    const distances = await slide(1.1 * (sine / cosine));
    // The spring of friction gives by the depth of the contacts, 40 um, and then not a hair more.
    expect(Math.abs(distances.at(-1)!)).toBeLessThan(1e-4);
    expect(Math.abs(distances.at(-1)! - distances[14]!)).toBeLessThan(1e-7);
  });

  test.each([0.1, 0.4])('slides above it with g (sin - %f cos)', async (friction) => {
    const distances = await slide(friction);
    const measured = (distances[29]! - 2 * distances[19]! + distances[9]!) * 36;
    expect(measured / (gravity * (sine - friction * cosine))).toBeCloseTo(1, 4);
  });
});

describe('joints', () => {
  test('a pendulum swings with the period of a physical pendulum, and its hinge holds', async () => {
    await withWorld({}, (world) => {
      const [length, width] = [0.5, 0.05];
      const joint = { hinge: { point: [0.1, 0.2, 0] as Vec3, axis: [0, 0, 2] as Vec3 } };
      const body = { name: 'b', kind: 'rigid' as const, shape: box(width, length, width), spacing: 0.025, joint };
      world.addBody({ ...body, position: [0.1, 0.2 - length / 2, 0], angularVelocity: [0, 0, 0.2], material: HARD });
      const energy = world.energy().total;
      // 2 pi sqrt(J / (m g l / 2)), and 1/16 of the squared amplitude in [rad] on top.
      const turning = (length ** 2 + width ** 2) / 12 + length ** 2 / 4;
      const pulling = (9.81 * length) / 2;
      const amplitude2 = (0.2 ** 2 * turning) / pulling;
      const period = 2 * Math.PI * Math.sqrt(turning / pulling) * (1 + amplitude2 / 16);
      const side = () => world.probe({ name: 'p', quantity: 'position' })[0]! - 0.1;
      const crossings: number[] = [];
      let before = side();
      for (let k = 1; k <= 600; k++) {
        world.stepTo(k / 200);
        const now = side();
        if (before < 0 && now >= 0) crossings.push((k - now / (now - before)) / 200);
        before = now;
      }
      expect((crossings[1]! - crossings[0]!) / period).toBeCloseTo(1, 4);
      expect(Math.abs(world.energy().total - energy)).toBeLessThan(1e-4 * world.mass * pulling * amplitude2);
      // The end of the bar stays at the hinge: nothing there but the rounding of the shown positions.
      const p = world.positions();
      const top = Array.from({ length: world.particleCount }, (_, i) =>
        Math.hypot(p[4 * i]! - 0.1, p[4 * i + 1]! - 0.2),
      );
      expect(Math.min(...top)).toBeCloseTo(Math.hypot(0.0125, 0.0125), 6);
    });
  });

  test('a slider keeps to its line and its turn, and falls along it with g sin', async () => {
    await withWorld({}, (world) => {
      const axis: Vec3 = [3, -4, 0];
      const body = {
        name: 'b',
        kind: 'rigid' as const,
        shape: box(0.1, 0.2, 0.1),
        spacing: 0.05,
        joint: { slider: { axis } },
      };
      world.addBody({ ...body, rotation: [10, 20, 30], material: HARD });
      // Off its centre: it would turn a free body.
      const region = { box: { min: [-1, 0, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      world.addConstraint({ body: 'b', region, force: [5, 0, 1] });
      const start = world.positions();
      for (let frame = 0; frame < 10; frame++) world.step(0.05);
      const [x, y, z] = world.probe({ name: 'p', quantity: 'position' }) as [number, number, number];
      const acceleration = 9.81 * 0.8 + (5 * 0.6) / world.mass;
      expect(Math.hypot(x, y) / ((acceleration * 0.25) / 2)).toBeCloseTo(1, 5);
      expect(Math.abs(4 * x + 3 * y) + Math.abs(z)).toBeLessThan(1e-6);
      const p = world.positions();
      for (let i = 0; i < p.length; i += 4) expect(p[i]! - start[i]!).toBeCloseTo(x, 5);
    });
  });
});

describe('rest', () => {
  test('ten boxes stand still on each other', async () => {
    await withWorld({}, (world) => {
      // Softer ones would buckle: contacts that turn by a radian under 4 k a^2 against m g h.
      const material = { youngsModulus: 3e7, density: 1000, friction: 0.6 };
      for (let k = 0; k < 10; k++) {
        const body = { name: `box${k}`, kind: 'rigid' as const, shape: box(0.1), spacing: 0.05 };
        world.addBody({ ...body, position: [0, 0.05 + 0.1 * k, 0], material });
      }
      world.addObstacle(floor);
      for (let frame = 0; frame < 60; frame++) world.step(1 / 30);
      const settled = world.positions();
      let fastest = 0;
      for (let frame = 0; frame < 90; frame++) {
        world.step(1 / 30);
        fastest = Math.max(fastest, world.probe({ name: 'm', quantity: 'maximumSpeed' })[0]!);
      }
      const later = world.positions();
      // What is left is the rounding of float32 positions, 6e-8 m, at the frequency of the contacts, some 1e3 /s.
      expect(fastest).toBeLessThan(1e-4);
      for (let k = 0; k < settled.length; k++) expect(Math.abs(later[k]! - settled[k]!)).toBeLessThan(2e-6);
    });
  });

  test('a soft solid falls on a rigid body and rests on it', async () => {
    await withWorld({}, (world) => {
      world.addBody({
        name: 'slab',
        kind: 'rigid',
        shape: box(0.4, 0.1, 0.4),
        spacing: 0.05,
        position: [0, 0.05, 0],
        material: { youngsModulus: 1e7, density: 1000 },
      });
      world.addBody({
        name: 'soft',
        shape: box(0.2),
        spacing: 0.05,
        position: [0.02, 0.22, 0.01],
        material: { youngsModulus: 2e5, density: 1000, damping: 0.5 },
      });
      world.addObstacle(floor);
      for (let frame = 0; frame < 45; frame++) world.step(1 / 30);
      const [, slab] = world.probe({ name: 'p', body: 'slab', quantity: 'position' }) as [number, number];
      const [x, soft] = world.probe({ name: 'p', body: 'soft', quantity: 'position' }) as [number, number];
      expect(slab).toBeGreaterThan(0.049);
      expect(slab).toBeLessThan(0.0501);
      // Half of its height, less what its weight presses it and its contacts, 2 mm; and its particles come to lie
      // between those of the slab, lower by (1 - sqrt(1/2)) of a spacing at the most, 15 mm.
      expect(soft).toBeGreaterThan(0.2 - 0.002 - 0.015);
      expect(soft).toBeLessThan(0.2);
      expect(Math.abs(x - 0.02)).toBeLessThan(0.01);
      expect(world.probe({ name: 'm', quantity: 'maximumSpeed' })[0]).toBeLessThan(0.01);
      // The floor carries both.
      const held = world.energy().total;
      world.step(0.1);
      expect(world.energy().total).toBeLessThan(held + 1e-6);
    });
  });

  test('a moving floor carries a rigid body along', async () => {
    await withWorld({}, (world) => {
      const material = { ...HARD, youngsModulus: 1e7, friction: 1 };
      const shape = box(0.2, 0.05, 0.2);
      world.addBody({ name: 'b', kind: 'rigid', shape, spacing: 0.05, position: [0, 0.025, 0], material });
      world.addObstacle({
        shape: box(4, 1, 4),
        position: [0, -0.5, 0],
        friction: 1,
        keyframes: [{ time: 0 }, { time: 0.5, position: [0.25, 0.02, 0] }],
      });
      for (let frame = 0; frame < 20; frame++) world.step(0.03);
      const [x, y] = world.probe({ name: 'p', quantity: 'position' }) as [number, number];
      // Friction 1 brings it to 0.5 m/s in 0.05 s: it lags by 13 mm and slides on by as much after the stop.
      expect(Math.abs(x - 0.25)).toBeLessThan(0.02);
      expect(Math.abs(y - 0.045)).toBeLessThan(0.001);
    });
  });
});

describe('forces from outside', () => {
  test.each([
    ['a rigid body', { kind: 'rigid' as const }, {}],
    ['a solid', {}, {}],
    ['a solid in implicit steps', {}, { solver: { solid: { integrator: 'midpoint' as const } } }],
  ])('accelerate and turn %s', async (_, kind, options) => {
    const material = { youngsModulus: 1e8, density: 1000 };
    const input = { ...kind, rotation: [20, -30, 40] as Vec3, material };
    const bench = await buildBench([{ input, points: block([4, 2, 3], 0.1) }], options);
    const { store, elastic } = bench.model;
    const external = store.externalForces();
    const force: Vec3 = [3, -2, 1];
    const mass = 24;
    // A uniform push, and a couple of opposite ones at two corners.
    for (let i = 0; i < store.count; i++)
      external.set(
        force.map((f) => f / store.count),
        4 * i,
      );
    const couple: Vec3 = [0, 4, 0];
    for (let a = 0; a < 3; a++) {
      external[a]! += couple[a]!;
      external[4 * 23 + a]! -= couple[a]!;
    }
    elastic.evaluateForces();
    const rest = store.vectors(layout.REST);
    const r = elastic.frames[0]!.rotation;
    const arm = [0, 1, 2].map((a) =>
      [0, 1, 2].reduce((sum, c) => sum + r[3 * a + c]! * (rest[c]! - rest[4 * 23 + c]!), 0),
    );
    const torque = [arm[1]! * 0 - arm[2]! * 4, 0, arm[0]! * 4];
    const steps = 50;
    const dt = elastic.implicit ? 1e-3 : Math.min(1e-3, elastic.previewStep().timeStep);
    for (let k = 0; k < steps; k++) elastic.step(dt);
    const motion = elastic.rigid.motions[0];
    store.run('computeBodySums', 1, 1);
    const sums = store.engine.arena.f64(store.address(layout.BLOCK_SUMS), layout.SUMS);
    const { rotation, origin } = elastic.frames[0]!;
    const world = (k: number) =>
      [0, 1, 2].map((a) => [0, 1, 2].reduce((sum, c) => sum + rotation[3 * a + c]! * sums[k + c]!, 0));
    const momentum = motion ? motion.momentum : world(4);
    const t = steps * dt;
    for (let a = 0; a < 3; a++) expect(momentum[a]! / (force[a]! * t)).toBeCloseTo(1, 3);
    expect(sums[0]).toBeCloseTo(mass, 4);
    const own = world(7);
    // About the centre of mass: what the sums have about the frame's origin, less what the motion as a whole has.
    const position = world(1).map((x) => x / mass);
    const orbital = [
      position[1]! * momentum[2]! - position[2]! * momentum[1]!,
      position[2]! * momentum[0]! - position[0]! * momentum[2]!,
      position[0]! * momentum[1]! - position[1]! * momentum[0]!,
    ];
    const angular = motion ? motion.angularMomentum : own.map((l, a) => l - orbital[a]!);
    const expected = torque.map((x) => x * t) as unknown as Vec3;
    expect(origin.every(Number.isFinite)).toBe(true);
    expect(difference(angular as unknown as Vec3, expected)).toBeLessThan(2e-3 * norm(expected));
    await bench.dispose();
  });
});

describe('the state', () => {
  /** A ball that hits a small stack beside a soft cube, and a bar on a hinge. */
  async function scene(threads: number): Promise<World> {
    const world = await createWorld({ threads });
    const hard = { youngsModulus: 3e6, density: 1000, friction: 0.5, restitution: 0.3 };
    for (let k = 0; k < 3; k++) {
      const position: Vec3 = [0.004 * k, 0.1 + 0.2 * k, 0];
      world.addBody({ name: `box${k}`, kind: 'rigid', shape: box(0.2), spacing: 0.05, position, material: hard });
    }
    const sphere = { sphere: { radius: 0.1 } };
    const thrown = { position: [-0.35, 0.45, 0.02] as Vec3, velocity: [4, 0, 0] as Vec3 };
    world.addBody({ name: 'ball', kind: 'rigid', shape: sphere, spacing: 0.05, ...thrown, material: hard });
    world.addBody({
      name: 'soft',
      shape: box(0.2),
      spacing: 0.05,
      position: [0.22, 0.1, 0],
      material: { youngsModulus: 5e4, damping: 0.2 },
    });
    world.addBody({
      name: 'bar',
      kind: 'rigid',
      shape: box(0.4, 0.05, 0.05),
      spacing: 0.05,
      position: [0, 1, 0],
      joint: { hinge: { point: [-0.2, 1, 0], axis: [0, 0, 1] } },
      material: hard,
    });
    world.addObstacle(floor);
    world.addEvent({ time: 0.1, body: 'box0', set: { friction: 0.9, youngsModulus: 4e6 } });
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

  let reference: Promise<string[]> | undefined;
  const expected = () => {
    reference ??= hashes(1);
    return reference;
  };

  test('has the same hash with 1 and 2 threads', async () => {
    expect(await hashes(2)).toEqual(await expected());
  });

  test('goes on from a save to the same bits, in the midst of the collision', async () => {
    const world = await scene(1);
    for (let frame = 0; frame < 3; frame++) world.step(1 / 30);
    const bytes = world.save();
    const hash = world.stateHash();
    await world.dispose();
    const again = await World.load(bytes, { threads: 1 });
    expect(again.stateHash()).toBe(hash);
    for (let frame = 3; frame < 8; frame++) {
      again.step(1 / 30);
      expect(again.stateHash()).toBe((await expected())[frame]);
    }
    await again.dispose();
  });

  test('a body that is added on the way leaves the others as they are', async () => {
    await withWorld({}, (world) => {
      const material = { ...HARD, youngsModulus: 3e6 };
      world.addBody({ name: 'a', kind: 'rigid', shape: box(0.1), spacing: 0.05, position: [0, 0.05, 0], material });
      world.addObstacle(floor);
      for (let frame = 0; frame < 20; frame++) world.step(1 / 30);
      const before = world.positions();
      world.addBody({ name: 'b', kind: 'rigid', shape: box(0.1), spacing: 0.05, position: [0.3, 0.05, 0], material });
      for (let frame = 0; frame < 5; frame++) world.step(1 / 30);
      const after = world.positions();
      for (let k = 0; k < before.length; k++) expect(Math.abs(after[k]! - before[k]!)).toBeLessThan(1e-6);
    });
  });

  test('a change of density keeps the velocities', async () => {
    await withWorld(NOTHING, (world) => {
      const spin: Vec3 = [1, 2, 3];
      world.addBody({
        name: 'a',
        kind: 'rigid',
        shape: box(0.1),
        spacing: 0.05,
        velocity: [1, 0, 0],
        angularVelocity: spin,
      });
      world.step(0.1);
      const before = world.velocities();
      world.setMaterial('a', { density: 3000 });
      const after = world.velocities();
      for (let k = 0; k < before.length; k++) expect(after[k]).toBeCloseTo(before[k]!, 5);
      expect(world.momentum()[0]).toBeCloseTo(3, 5);
    });
  });
});

describe('what does not make sense is refused', () => {
  const rigid = { name: 'r', kind: 'rigid' as const, shape: box(0.1), spacing: 0.05 };
  const hinge = { hinge: { point: [0, 0, 0] as Vec3, axis: [0, 0, 1] as Vec3 } };

  test.each([
    [{ joint: hinge, kind: 'solid' as const }, 'body.joint is for rigid bodies only'],
    [{ twist: [0, 1, 0] as Vec3 }, 'body.twist must be 0 rad/s for a rigid body'],
    [{ joint: hinge, velocity: [1, 0, 0] as Vec3 }, 'body.velocity must be 0 m/s on a hinge'],
    [{ joint: hinge, angularVelocity: [1, 0, 0] as Vec3 }, 'body.angularVelocity must be along the axis of the hinge'],
    [{ joint: { slider: { axis: [0, 0, 0] as Vec3 } } }, 'body.joint.slider.axis must not be zero'],
    [{ joint: { slider: { axis: [1, 0, 0] as Vec3 } }, velocity: [0, 1, 0] as Vec3 }, 'body.velocity must be along'],
    [{ discretisation: 'quadratic' as const }, 'body.discretisation has no meaning for a rigid body'],
    [
      { regions: [{ region: { all: true as const }, set: { youngsModulus: 1 } }] },
      'body.regions[0].set.youngsModulus cannot differ by region in a rigid body',
    ],
  ])('%j', async (change, message) => {
    await withWorld({}, (world) => {
      expect(() => world.addBody({ ...rigid, ...change })).toThrow(message);
    });
  });

  test('a start inside an obstacle', async () => {
    await withWorld({}, (world) => {
      world.addBody({ ...rigid, position: [0, 0.03, 0] });
      world.addObstacle(floor);
      expect(() => world.step(0.01)).toThrow(
        'bodies[0].position puts the rigid body "r" into an obstacle at the start',
      );
    });
  });

  test('clamps, equilibria and implicit steps of rigid bodies alone', async () => {
    await withWorld({ solver: { solid: { integrator: 'implicit' } } }, (world) => {
      world.addBody(rigid);
      expect(() => world.addConstraint({ body: 'r', fix: true })).toThrow('use a joint');
      expect(() => world.addConstraint({ body: 'r', move: [{ time: 1 }] })).toThrow('use a joint');
      expect(() => world.addEvent({ time: 1, body: 'r', set: { damping: 1 } })).toThrow(
        'set.damping has no effect on a rigid body',
      );
      expect(() => world.solveStatic()).toThrow('cannot be solved for with rigid bodies');
      expect(() => world.step(0.01)).toThrow('solver.solid.integrator has no effect without a body of kind solid');
    });
  });
});
