import { describe, expect, test } from 'vitest';
import { type BodyInput, resolveProbe, type Vec3, World, type WorldInput } from '../../src/index.js';
import { norm, withWorld } from './support.js';

const GRAVITY = 9.81;
const FRAME = 1 / 60;
const jelly = { density: 1000, youngsModulus: 2e5, damping: 0.5 };
const stone = { density: 1000, youngsModulus: 1e7 };
const dough = { density: 1000, youngsModulus: 5e4, yieldStress: 1e3, creepRate: 10 };
const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as Vec3, offset: 0 } }, friction: 0.5 };

const cube = (name: string, y: number, more: Partial<BodyInput> = {}): BodyInput => ({
  name,
  kind: 'solid',
  shape: { box: { size: [0.1, 0.1, 0.1] } },
  position: [0, y, 0],
  spacing: 0.02,
  material: more.kind === 'rigid' ? stone : jelly,
  ...more,
});

const forceOn = (world: World, body: string, from?: string) =>
  world.probe({ name: 'f', quantity: 'contactForce', body, ...(from === undefined ? {} : { from }) });
const reactionOf = (world: World, constraint: string) => world.probe({ name: 'r', quantity: 'reaction', constraint });

/** Force times time over some frames. */
function sumOver(world: World, frames: number, read: () => readonly number[]): Vec3 {
  const sum: [number, number, number] = [0, 0, 0];
  for (let k = 0; k < frames; k++) {
    world.step(FRAME);
    const force = read();
    for (let a = 0; a < 3; a++) sum[a]! += force[a]! * FRAME;
  }
  return sum;
}

/**
 * Shares of the weight's impulse. Explicit: sums in float32. Verlet: velocities are half a substep late. Implicit steps
 * balance to solver.solid.tolerance; Rapier rounds velocities to float32.
 */
const KINDS: readonly (readonly [string, number, Partial<BodyInput>, WorldInput])[] = [
  ['explicit', 1e-6, {}, {}],
  ['explicit, that rebounds', 1e-6, { material: { ...jelly, restitution: 0.6 } }, {}],
  ['verlet', 2e-3, {}, { solver: { solid: { integrator: 'verlet' } } }],
  ['implicit', 1e-3, {}, { solver: { solid: { integrator: 'implicit' } } }],
  ['midpoint', 1e-3, {}, { solver: { solid: { integrator: 'midpoint' } } }],
  ['viscoplastic', 1e-5, { material: dough, discretisation: 'embedded' }, {}],
  ['rigid, hertz', 1e-6, { kind: 'rigid' }, { solver: { rigid: 'hertz' } }],
  ['rigid, rapier', 1e-5, { kind: 'rigid' }, { solver: { rigid: 'rapier' } }],
];

describe('the force of the floor on a block that falls, slides and comes to rest', () => {
  test.each(KINDS)('is its change of momentum less its weight, %s', async (name, share, body, options) => {
    await withWorld({ threads: 1, ...options }, (world) => {
      world.addObstacle(FLOOR);
      world.addBody(cube('block', 0.06, { ...body, velocity: [0.5, -0.2, 0.1] }));
      world.watchForces();
      expect(forceOn(world, 'block')).toEqual([Number.NaN, Number.NaN, Number.NaN]);
      const before = world.momentum();
      const given = sumOver(world, 20, () => forceOn(world, 'block'));
      const after = world.momentum();
      const weight = world.mass * GRAVITY * 20 * FRAME;
      const missing = given.map((p, a) => p - (after[a]! - before[a]!) - (a === 1 ? weight : 0));
      expect(norm(missing)).toBeLessThan(share * weight);
      // It touches the floor and nothing else, and the floor feels the same.
      if (!name.includes('rebounds')) {
        expect(world.contacts()).toMatchObject([{ body: 'block', other: 'floor', isObstacle: true, phase: 'lasts' }]);
      }
      const felt = world.probe({ name: 'f', quantity: 'contactForce', obstacle: 'floor', from: 'block' });
      expect(felt.map((f) => 0 - f)).toEqual(forceOn(world, 'block', 'floor'));
    });
  });
});

describe('two bodies', () => {
  test.each([
    ['solids', 1e-4, {}, {}, {}],
    ['rigid bodies, hertz', 1e-4, { kind: 'rigid' }, { kind: 'rigid' }, {}],
    ['rigid bodies, rapier', 1e-3, { kind: 'rigid' }, { kind: 'rigid' }, { solver: { rigid: 'rapier' } }],
    ['a solid on a rigid body', 1e-3, { kind: 'rigid' }, {}, {}],
    ['implicit solids', 2e-3, {}, {}, { solver: { solid: { integrator: 'implicit' } } }],
  ] as const)('at rest on each other bear their weights: %s', async (_, share, low, high, options) => {
    await withWorld({ threads: 1, ...(options as WorldInput) }, (world) => {
      world.addObstacle(FLOOR);
      world.addBody(cube('low', 0.05, low));
      world.addBody(cube('high', 0.15, high));
      world.watchForces();
      for (let k = 0; k < 40; k++) world.step(FRAME);
      const weight = (world.mass / 2) * GRAVITY;
      expect(Math.abs(forceOn(world, 'high')[1]! / weight - 1)).toBeLessThan(share);
      expect(Math.abs(forceOn(world, 'low', 'floor')[1]! / weight - 2)).toBeLessThan(2 * share);
      expect(forceOn(world, 'low', 'high').map((f) => 0 - f)).toEqual(forceOn(world, 'high', 'low'));
      const [first, second] = world.contacts();
      expect(first).toMatchObject({ body: 'low', other: 'floor', isObstacle: true, phase: 'lasts' });
      expect(second).toMatchObject({ body: 'low', other: 'high', isObstacle: false, phase: 'lasts' });
      expect(first!.normal[1]).toBeGreaterThan(0.999);
      expect(second!.normal[1]).toBeLessThan(-0.999);
      expect(second!.point[1]).toBeCloseTo(0.1, 2);
    });
  });

  test.each([
    ['solids', 1e-5, {}],
    ['rigid bodies, hertz', 1e-7, { kind: 'rigid' }],
    ['rigid bodies, rapier', 1e-5, { kind: 'rigid', rapier: true }],
  ] as const)(
    'that collide: each gains what the other gives, and the contact begins and ends: %s',
    async (_, share, kind) => {
      const { rapier, ...body } = kind as { rapier?: boolean };
      const solver = rapier ? { rigid: 'rapier' as const } : {};
      await withWorld({ threads: 1, gravity: [0, 0, 0], solver }, (world) => {
        world.addBody(cube('left', 0, { ...body, position: [-0.08, 0, 0], velocity: [1, 0, 0] }));
        world.addBody(cube('right', 0, { ...body, position: [0.08, 0.03, 0] }));
        world.watchForces();
        const of = (name: string) => world.probe({ name: 'p', quantity: 'momentum', body: name });
        const before = of('right');
        const phases: string[] = [];
        const given = sumOver(world, 12, () => {
          phases.push(...world.contacts().map(({ phase }) => phase));
          return forceOn(world, 'right', 'left');
        });
        const gained = of('right').map((p, a) => p - before[a]!);
        expect(norm(gained.map((p, a) => p - given[a]!))).toBeLessThan(share * norm(gained));
        expect(norm(gained)).toBeGreaterThan(0.1);
        expect(phases[0]).toBe('begins');
        if (!rapier) expect(phases.at(-1)).toBe('ends');
      });
    },
  );
});

describe('the reaction of a clamp', () => {
  const beam: BodyInput = {
    name: 'beam',
    shape: { box: { size: [0.3, 0.1, 0.1] } },
    position: [0.15, 0, 0],
    spacing: 0.02,
    material: { density: 1000, youngsModulus: 1e6, damping: 0.2 },
  };
  const clamp = {
    name: 'clamp',
    body: 'beam',
    region: { box: { min: [-1, -1, -1], max: [0.02, 1, 1] } },
    fix: true,
  } as const;

  test('in equilibrium is the weight and the load, and so is that of the floor', async () => {
    await withWorld({ threads: 1, static: true, solver: { solid: { tolerance: 1e-6 } } }, (world) => {
      world.addBody(beam);
      world.addConstraint(clamp);
      world.addConstraint({ body: 'beam', region: { box: { min: [0.25, -1, -1], max: [1, 1, 1] } }, force: [3, 0, 2] });
      world.watchForces();
      world.solveStatic();
      const expected = [-3, world.mass * GRAVITY, -2];
      const reaction = reactionOf(world, 'clamp');
      // float32 sums of some thousand forces, each some times the load.
      expect(norm(reaction.map((f, a) => f - expected[a]!))).toBeLessThan(1e-3 * norm(expected));
    });
    await withWorld({ threads: 1, static: true }, (world) => {
      world.addObstacle(FLOOR);
      world.addBody(cube('block', 0.05));
      world.watchForces();
      world.solveStatic();
      expect(Math.abs(forceOn(world, 'block')[1]! / (world.mass * GRAVITY) - 1)).toBeLessThan(1e-3);
    });
  });

  test.each([
    ['explicit', 1e-5],
    ['implicit', 1e-3],
    ['midpoint', 1e-3],
  ] as const)('in motion is the change of momentum less the weight, %s', async (integrator, share) => {
    await withWorld({ threads: 1, solver: { solid: { integrator } } }, (world) => {
      world.addBody(beam);
      world.addConstraint(clamp);
      world.watchForces();
      const free = () => world.probe({ name: 'p', quantity: 'momentum', body: 'beam' });
      const before = free();
      const given = sumOver(world, 15, () => reactionOf(world, 'clamp'));
      const after = free();
      const weight = world.mass * GRAVITY * 15 * FRAME;
      const missing = given.map((p, a) => p - (after[a]! - before[a]!) - (a === 1 ? weight : 0));
      expect(norm(missing)).toBeLessThan(share * weight);
    });
  });
});

test('watching changes no bit of the motion, and a run that stops within a frame goes on to the same forces', async () => {
  const fill = (world: World) => {
    world.addObstacle(FLOOR);
    world.addBody(cube('low', 0.06));
    world.addBody(cube('high', 0.17, { kind: 'rigid' }));
  };
  const run = async (watched: boolean) => {
    const world = await World.create({ threads: 2 });
    fill(world);
    if (watched) world.watchForces();
    for (let k = 0; k < 12; k++) world.step(FRAME);
    return world;
  };
  const [plain, watched] = [await run(false), await run(true)];
  expect(watched.stateHash()).toBe(plain.stateHash());
  const steps = watched.stepsTo(0.25);
  for (let k = 0; k < 20; k++) steps.next();
  const loaded = await World.load(watched.save(), { threads: 1 });
  watched.stepTo(0.25);
  loaded.stepTo(0.25);
  expect(norm(forceOn(watched, 'low', 'floor'))).toBeGreaterThan(1);
  expect(forceOn(loaded, 'low')).toEqual(forceOn(watched, 'low'));
  expect(loaded.contacts()).toEqual(watched.contacts());
  for (const world of [plain, watched, loaded]) await world.dispose();
});

describe('probes of forces that cannot be', () => {
  test.each([
    [{ quantity: 'contactForce' }, 'body is missing: give contactForce a body, or an obstacle'],
    [{ quantity: 'contactForce', body: 'a', obstacle: 'b' }, 'body is one too many beside obstacle'],
    [{ quantity: 'velocity', from: 'b' }, 'from has no effect on velocity: it is for contactForce'],
    [{ quantity: 'velocity', constraint: 'b' }, 'constraint has no effect on velocity: it is for reaction'],
    [
      { quantity: 'reaction', region: { sphere: { center: [0, 0, 0], radius: 1 } } },
      'region has no effect on reaction',
    ],
  ])('%j', (probe, message) => {
    expect(() => resolveProbe({ name: 'p', ...probe } as never)).toThrow(message);
  });
});
