import { expect, test } from 'vitest';
import type { Vec3, World } from '../../src/index.js';
import { norm, tank, withWorld } from './support.js';

const GRAVITY = 9.81;
const SPACING = 0.02;
const DEPTH = 0.2;
const SIDE = 0.2;
const water = {
  name: 'water',
  kind: 'fluid',
  shape: { box: { size: [SIDE, DEPTH, SIDE] as Vec3 } },
  position: [0, DEPTH / 2, 0] as Vec3,
  spacing: SPACING,
} as const;

/** Floor, and walls at -x, x, -z and z. */
const NAMES = ['floor', 'left', 'right', 'back', 'front'];

function addTank(world: World, right = SIDE / 2): void {
  for (const [k, wall] of tank([-SIDE / 2, 0, -SIDE / 2], [right, 0, SIDE / 2]).entries()) {
    world.addObstacle({ ...wall, name: NAMES[k]! });
  }
}

const forceOn = (world: World, obstacle: string) => world.probe({ name: 'f', quantity: 'contactForce', obstacle });

/** Mean over some frames. */
function meanOf(world: World, frames: number, read: () => readonly number[]): number[] {
  let sum: readonly number[] = [0, 0, 0];
  for (let k = 0; k < frames; k++) {
    world.step(1 / 60);
    const force = read();
    sum = sum.map((s, a) => s + force[a]! / frames);
  }
  return [...sum];
}

test('water at rest in a tank presses the floor with its weight and each wall with rho g h^2 / 2', async () => {
  await withWorld({ threads: 1 }, (world) => {
    addTank(world);
    world.addBody(water);
    world.watchForces();
    world.stepTo(0.5);
    // It comes to rest: 1e-3 of its weight is still in motion. The floor is all that holds it up, to the rounding of sums.
    const weight = world.mass * GRAVITY;
    expect(Math.abs(meanOf(world, 12, () => forceOn(world, 'floor'))[1]! / -weight - 1)).toBeLessThan(2e-3);
    // The level of still water is 1 % low, which the load on walls has twice.
    const load = (1000 * GRAVITY * DEPTH * DEPTH * SIDE) / 2;
    for (const [name, axis, sign] of [
      ['left', 0, -1],
      ['right', 0, 1],
      ['back', 2, -1],
      ['front', 2, 1],
    ] as const) {
      const force = forceOn(world, name);
      expect(Math.abs((sign * force[axis]!) / load - 1)).toBeLessThan(0.03);
    }
  });
});

test('a slab of boundary particles bears the same as a plane', async () => {
  await withWorld({ threads: 1 }, (world) => {
    addTank(world);
    world.addObstacle({ name: 'slab', shape: { box: { size: [0.4, 0.1, 0.4] } }, position: [0, 0.05, 0] });
    world.addBody({ ...water, position: [0, 0.1 + DEPTH / 2, 0] });
    world.watchForces();
    world.stepTo(0.5);
    const force = meanOf(world, 12, () => forceOn(world, 'slab'));
    expect(Math.abs(force[1]! / (-world.mass * GRAVITY) - 1)).toBeLessThan(2e-3);
  });
});

test.each(['hertz', 'rapier'] as const)(
  'water bears the weight of what floats in it, and its floor both: %s',
  async (rigid) => {
    await withWorld({ threads: 1, solver: { rigid } }, (world) => {
      addTank(world);
      world.addBody(water);
      const shape = { box: { size: [0.08, 0.08, 0.08] as Vec3 } };
      const material = { density: 500, youngsModulus: 1e7 };
      const position: Vec3 = [0, DEPTH + 0.01, 0];
      world.addBody({ name: 'float', kind: 'rigid', shape, position, spacing: SPACING, material });
      world.watchForces();
      world.stepTo(1.2);
      const weight = world.bodies.find(({ name }) => name === 'float')!.mass * GRAVITY;
      let floor = 0;
      const lift = meanOf(world, 30, () => {
        floor += forceOn(world, 'floor')[1]! / 30;
        return world.probe({ name: 'f', quantity: 'contactForce', body: 'float', from: 'water' });
      });
      // It still bobs.
      expect(Math.abs(lift[1]! / weight - 1)).toBeLessThan(0.02);
      expect(Math.abs(floor / (-world.mass * GRAVITY) - 1)).toBeLessThan(0.005);
      expect(world.contacts()).toContainEqual(
        expect.objectContaining({ body: 'float', other: 'water', phase: 'lasts' }),
      );
      const back = world.probe({ name: 'f', quantity: 'contactForce', body: 'water', from: 'float' });
      const there = world.probe({ name: 'f', quantity: 'contactForce', body: 'float', from: 'water' });
      expect(back.map((f) => 0 - f)).toEqual(there);
    });
  },
);

test.each([
  // Sums in float32; implicit viscosity is solved to 1e-4 of the momentum in each step.
  ['water', 0, 1e-6],
  ['syrup', 5, 5e-3],
] as const)(
  'the impulse of the walls on sloshing %s is its change of momentum less its weight',
  async (_, viscosity, share) => {
    await withWorld({ threads: 1 }, (world) => {
      addTank(world, SIDE);
      world.addBody({ ...water, material: { viscosity }, velocity: [0.5, 0, 0] });
      world.watchForces();
      const before = world.momentum();
      const given = meanOf(world, 20, () => world.probe({ name: 'f', quantity: 'contactForce', body: 'water' }));
      const after = world.momentum();
      const seconds = 20 / 60;
      const weight = world.mass * GRAVITY * seconds;
      const missing = given.map((f, a) => f * seconds - (after[a]! - before[a]!) - (a === 1 ? weight : 0));
      expect(norm(missing)).toBeLessThan(share * weight);
    });
  },
);

test('watching changes no bit of a liquid', async () => {
  const hashes: string[] = [];
  for (const watched of [false, true]) {
    await withWorld({ threads: 2 }, (world) => {
      addTank(world, SIDE);
      world.addBody(water);
      if (watched) world.watchForces();
      world.stepTo(0.1);
      hashes.push(world.stateHash());
    });
  }
  expect(hashes[1]).toBe(hashes[0]);
});
