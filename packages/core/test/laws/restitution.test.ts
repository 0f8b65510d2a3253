import { describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { World } from '../../src/world.js';
import { withWorld } from './support.js';

const SOFT = 5e4;
const STIFF = 1e7;
const SHAPES = {
  ball: { sphere: { radius: 0.1 } },
  cube: { box: { size: [0.2, 0.2, 0.2] as Vec3 } },
};

/** An undamped body is thrown at a floor at 2 m/s: its greatest energy on the way, and the share of its speed that it leaves with. */
async function bounce(input: Partial<BodyInput>, youngsModulus: number, restitution?: number) {
  return withWorld({ gravity: [0, 0, 0] }, (world) => {
    const material = {
      youngsModulus,
      damping: 0,
      friction: 0.3,
      ...(restitution === undefined ? {} : { restitution }),
    };
    const position: Vec3 = [0, 0.2, 0];
    world.addBody({
      name: 'b',
      shape: SHAPES.ball,
      velocity: [0, -2, 0],
      spacing: 0.025,
      position,
      ...input,
      material,
    });
    world.addObstacle({ shape: { plane: {} }, friction: 0.3 });
    const start = world.energy();
    let most = 0;
    for (let frame = 0; frame < 40; frame++) {
      world.step((youngsModulus > SOFT ? 0.12 : 0.3) / 40);
      const { kinetic, elastic } = world.energy();
      most = Math.max(most, (kinetic + elastic) / (start.kinetic + start.elastic));
    }
    const [, up] = world.probe({ name: 'm', quantity: 'momentum' }) as [number, number, number];
    const mass = 1000 * (world.probe({ name: 'v', quantity: 'volume' }) as [number])[0];
    return { most, ratio: up / (2 * mass) };
  });
}

const thrown = { rotation: [10, 20, 30] as Vec3, velocity: [1, -2, 0.3] as Vec3, angularVelocity: [3, 0, -5] as Vec3 };
const cases = (['ball', 'cube'] as const).flatMap((shape) =>
  [SOFT, STIFF].flatMap((modulus) => [undefined, 0, 0.5, 1].map((e) => [shape, modulus, e] as const)),
);

test.each(cases)(
  'a spinning %s of %f Pa with restitution %s never gains energy',
  async (shape, modulus, restitution) => {
    const { most } = await bounce({ ...thrown, shape: SHAPES[shape] }, modulus, restitution);
    // Leapfrog's energy swings by less than that.
    expect(most).toBeLessThan(1.0005);
  },
);

describe('a stiff ball leaves with the share of its speed that is its restitution', () => {
  test.each([0, 0.3, 0.5, 0.8])('%f', async (restitution) => {
    const elastic = await bounce({}, STIFF);
    const { ratio } = await bounce({}, STIFF, restitution);
    // Of what waves and the stopping of particles leave: with 4 spacings in its radius 5 %, with 5 and a finer foot 0.5 %.
    expect(elastic.ratio).toBeGreaterThan(0.92);
    expect(Math.abs(ratio - restitution * elastic.ratio)).toBeLessThan(0.02);
  });
});

test('a restitution of 1 is what elasticity alone gives back', async () => {
  const [plain, one] = [await bounce({}, SOFT), await bounce({}, SOFT, 1)];
  expect(one).toEqual(plain);
  // Some of it goes into waves.
  expect(plain.ratio).toBeGreaterThan(0.8);
  expect(plain.ratio).toBeLessThan(1);
});

test('an impact goes on to the same bits after a save', async () => {
  await withWorld({}, async (world) => {
    const material = { youngsModulus: SOFT, restitution: 0.4 };
    world.addBody({ name: 'b', shape: SHAPES.cube, position: [0, 0.12, 0], spacing: 0.05, ...thrown, material });
    world.addObstacle({ shape: { plane: {} } });
    world.step(0.02);
    const loaded = await World.load(world.save(), { threads: 2 });
    for (const each of [world, loaded]) each.step(0.1);
    expect(loaded.stateHash()).toBe(world.stateHash());
    await loaded.dispose();
  });
});

test('a single particle bounces on and on to the same height', async () => {
  await withWorld({}, (world) => {
    const points = { positions: new Float64Array(3), volumes: Float64Array.of(1e-3), spacings: Float64Array.of(0.1) };
    world.addBody({ name: 'b', shape: SHAPES.cube, position: [0, 1, 0], material: { restitution: 1 } }, points);
    world.addObstacle({ shape: { plane: {} }, friction: 0 });
    let highest = 0;
    for (let frame = 0; frame < 200; frame++) {
      world.step(0.05);
      if (frame >= 150) highest = Math.max(highest, world.positions()[1]!);
    }
    // The turn comes within a step: half of the 25 mm that a step goes.
    expect(Math.abs(highest - 1)).toBeLessThan(0.0125);
  });
});
