import { expect, test } from 'vitest';
import { rotationFromDegrees, transform, transpose } from '../../src/math/matrix3.js';
import { Engine } from '../../src/memory/engine.js';
import { resolveObstacle } from '../../src/options/index.js';
import type { ObstacleShape, Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { ParticleStore } from '../../src/particles/store.js';
import { type DistanceGrid, ObstacleSet } from '../../src/solvers/contact/obstacles.js';
import { norm, randomNumbers } from '../laws/support.js';

type Distance = (p: Vec3) => number;

/** Signed distances in closed form, in the shape's own axes. */
const shapes: [name: string, shape: ObstacleShape, distance: Distance][] = [
  ['plane', { plane: { normal: [0, 2, 0], offset: 0.3 } }, ([, y]) => y - 0.3],
  [
    'box',
    { box: { size: [1, 0.6, 0.8] } },
    ([x, y, z]) => {
      const q = [Math.abs(x) - 0.5, Math.abs(y) - 0.3, Math.abs(z) - 0.4];
      return norm(q.map((a) => Math.max(a, 0))) + Math.min(Math.max(...q), 0);
    },
  ],
  ['sphere', { sphere: { radius: 0.7 } }, (p) => norm(p) - 0.7],
  [
    'capsule',
    { capsule: { radius: 0.3, length: 0.8 } },
    ([x, y, z]) => norm([x, y - Math.min(Math.max(y, -0.4), 0.4), z]) - 0.3,
  ],
  [
    'cylinder',
    { cylinder: { radius: 0.4, length: 1 } },
    ([x, y, z]) => {
      const q = [Math.hypot(x, z) - 0.4, Math.abs(y) - 0.5];
      return norm(q.map((a) => Math.max(a, 0))) + Math.min(Math.max(...q), 0);
    },
  ],
  ['torus', { torus: { radius: 0.6, tube: 0.2 } }, ([x, y, z]) => Math.hypot(Math.hypot(x, z) - 0.6, y) - 0.2],
];

/** Outward normal by differences of the distance. */
function gradient(distance: Distance, p: Vec3): Vec3 {
  const h = 1e-6;
  const along = (a: number) => {
    const [low, high] = [[...p], [...p]] as [[number, number, number], [number, number, number]];
    low[a]! -= h;
    high[a]! += h;
    return (distance(high) - distance(low)) / (2 * h);
  };
  return [along(0), along(1), along(2)];
}

const RADIUS = 0.1;
const pushFor = (gap: number) => Math.min(0.2 * Math.max(-gap, 0), 0.1 * RADIUS);

/**
 * The distance as a step sees it: over a drift of one second a frictionless obstacle leaves of a fast
 * approach just the gap, and takes back a fifth of a penetration, a tenth of the radius at the most. The restitution,
 * written straight into the tables, is one at which a bounce never decides. And the gap as `measureGaps` finds it.
 */
async function approach(
  obstacle: { shape: ObstacleShape; position: Vec3; rotation: Vec3; grid?: DistanceGrid },
  points: readonly Vec3[],
  normals: readonly Vec3[],
): Promise<{ velocity: Vec3; shift: Vec3; gap: number }[]> {
  const engine = await Engine.create(1);
  const store = new ParticleStore(engine, points.length, 1);
  const { shape, position, rotation, grid } = obstacle;
  const placed = grid ? { shape: { box: { size: [1, 1, 1] as Vec3 } } } : { shape };
  const options = { ...resolveObstacle({ ...placed, position, rotation, friction: 0 }), shape };
  new ObstacleSet(store, [{ options, grid }]);
  store.bodyIntegers(0)[layout.BODY_END / 4] = points.length;
  for (let a = 0; a < 3; a++) store.bodyFloats(0)[layout.BODY_FRAME / 4 + 5 * a] = 1;
  const rest = store.vectors(layout.REST);
  store.floats(layout.CONTACT_RADIUS, points.length).fill(RADIUS);
  const v = store.vectors(layout.VELOCITY);
  const u = store.vectors(layout.DISPLACEMENT);
  for (const [i, p] of points.entries()) {
    rest.set([...p, RADIUS], 4 * i);
    v.set(
      normals[i]!.map((n) => -8 * n),
      4 * i,
    );
  }
  store.bodyFloats(0)[layout.BODY_RESTITUTION / 4] = -1;
  engine.arena.f32(store.address(layout.OBSTACLES), layout.OBSTACLE_STRIDE / 4)[layout.OBSTACLE_RESTITUTION / 4] = -1;
  store.setFloat(layout.KICK, 0);
  store.setFloat(layout.DRIFT, 1);
  store.setInteger(layout.POINTS, store.address(layout.REST));
  store.allocate(layout.NEAREST_DISTANCE, 4 * points.length);
  store.allocate(layout.SORTED, 4 * points.length);
  store.run('measureGaps');
  const gaps = store.floats(layout.NEAREST_DISTANCE, points.length);
  store.run('kickAndDrift');
  const result = points.map((_, i) => {
    const velocity: Vec3 = [v[4 * i]!, v[4 * i + 1]!, v[4 * i + 2]!];
    const shift: Vec3 = [u[4 * i]! - velocity[0], u[4 * i + 1]! - velocity[1], u[4 * i + 2]! - velocity[2]];
    return { velocity, shift, gap: gaps[i]! };
  });
  await engine.dispose();
  return result;
}

test.each(shapes)(
  'the distance to a %s is that of the closed form, inside and outside, turned and moved',
  async (_, shape, distance) => {
    const random = randomNumbers(9);
    const position: Vec3 = [0.3, -0.2, 0.5];
    const rotation: Vec3 = [30, -50, 70];
    const turn = rotationFromDegrees(rotation);
    const points: Vec3[] = [];
    const normals: Vec3[] = [];
    const gaps: number[] = [];
    while (points.length < 400) {
      const local: Vec3 = [2.4 * random() - 1.2, 2.4 * random() - 1.2, 2.4 * random() - 1.2];
      const normal = gradient(distance, local);
      // On an edge of the medial axis, where two sides are equally near, there is no one normal.
      if (Math.abs(norm(normal) - 1) > 1e-4) continue;
      const [x, y, z] = transform(turn, local);
      const p: Vec3 = [x + position[0], y + position[1], z + position[2]].map(Math.fround) as unknown as Vec3;
      const back = transform(transpose(turn), [p[0] - position[0], p[1] - position[1], p[2] - position[2]]);
      points.push(p);
      normals.push(transform(turn, gradient(distance, back)));
      gaps.push(distance(back));
    }
    expect(gaps.some((gap) => gap < 0)).toBe(true);
    const results = await approach({ shape, position, rotation }, points, normals);
    for (const [i, { velocity, shift, gap: found }] of results.entries()) {
      const gap = gaps[i]! - RADIUS;
      expect(Math.abs(found - gap)).toBeLessThan(2e-6);
      // Speeds of 8 m/s with float32 rounding, 8 x 6e-8, enlarged by about twenty near the medial axis.
      for (let a = 0; a < 3; a++) {
        expect(Math.abs(velocity[a]! + Math.max(gap, 0) * normals[i]![a]!)).toBeLessThan(2e-5);
        expect(Math.abs(shift[a]! - pushFor(gap) * normals[i]![a]!)).toBeLessThan(2e-5);
      }
    }
  },
);

/** What a step of 0.1 s leaves of swarms of 16 around an obstacle; `asked` has a constraint on nothing on every particle. */
async function swarms(shape: ObstacleShape, grid: DistanceGrid | undefined, asked: boolean) {
  const engine = await Engine.create(1);
  const count = 1600;
  const store = new ParticleStore(engine, count, 1);
  const placed = grid ? { shape: { box: { size: [1, 1, 1] as Vec3 } } } : { shape };
  const options = { ...resolveObstacle({ ...placed, position: [0.1, 0.2, 0], rotation: [20, 40, 60] }), shape };
  new ObstacleSet(store, [{ options, grid }]);
  store.allocate(layout.CONSTRAINTS, 2 * layout.CONSTRAINT_STRIDE);
  if (asked) store.integers(layout.CONSTRAINT_OF, count).fill(1);
  store.bodyIntegers(0)[layout.BODY_END / 4] = count;
  for (let a = 0; a < 3; a++) store.bodyFloats(0)[layout.BODY_FRAME / 4 + 5 * a] = 1;
  const [rest, u, v] = [layout.REST, layout.DISPLACEMENT, layout.VELOCITY].map((slot) => store.vectors(slot));
  const random = randomNumbers(5);
  const within = (size: number) => [0, 1, 2].map(() => size * (2 * random() - 1));
  for (let i = 0; i < count; i += 16) {
    const [position, size, speed, radius] = [within(1.5), 0.3 * random(), 4 * random() ** 2, 0.05 * random()];
    for (let k = i; k < i + 16; k++) {
      rest!.set([...position.map((x, a) => x + within(size)[a]!), radius], 4 * k);
      u!.set(within(0.1 * size), 4 * k);
      v!.set(within(speed), 4 * k);
    }
  }
  store.setFloat(layout.DRIFT, 0.1);
  store.run('kickAndDrift');
  const marks = engine.arena.u32(store.address(layout.CONFINED), count / 4).slice();
  const speeds = store.floats(layout.BLOCK_SPEED, store.blocks).slice();
  const result = { u: u!.slice(), v: v!.slice(), marks, speeds };
  await engine.dispose();
  return result;
}

const ball: DistanceGrid = {
  origin: [-0.5, -0.5, -0.5],
  cell: 0.125,
  size: [9, 9, 9],
  values: Float32Array.from({ length: 729 }, (_, k) => {
    return norm([k % 9, Math.floor(k / 9) % 9, Math.floor(k / 81)].map((x) => 0.125 * x - 0.5)) - 0.3;
  }),
};

test.each([...shapes.map(([name, shape]) => [name, shape, undefined] as const), ['grid', { mesh: {} }, ball] as const])(
  'where a group of particles cannot reach a %s, none of them would have met it: the same bits',
  async (_, shape, grid) => {
    const together = await swarms(shape as ObstacleShape, grid, false);
    const alone = await swarms(shape as ObstacleShape, grid, true);
    expect(together.u).toEqual(alone.u);
    expect(together.v).toEqual(alone.v);
    expect(together.marks).toEqual(alone.marks);
    // Some do meet it, and whole groups do not.
    expect(together.marks.some((four) => four !== 0)).toBe(true);
    expect(together.marks.some((_, k) => k % 4 === 0 && together.marks.subarray(k, k + 4).every((m) => m === 0))).toBe(
      true,
    );
    // Of those who are asked, the way counts too, which float32 knows to 1e-7 of a position of 2 m, over 0.1 s.
    for (const [k, speed2] of together.speeds.entries())
      expect(Math.sqrt(speed2)).toBeCloseTo(Math.sqrt(alone.speeds[k]!), 5);
  },
);

test('a distance grid is read linearly between its points, and is far away outside', async () => {
  const cell = 0.125;
  const size = [9, 9, 9] as const;
  const origin: Vec3 = [-0.5, -0.5, -0.5];
  // A linear function is reproduced exactly by trilinear interpolation.
  const normal: Vec3 = [0.48, 0.6, 0.64];
  const at = (p: Vec3) => normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2] - 0.1;
  const values = new Float32Array(9 * 9 * 9);
  for (let k = 0; k < values.length; k++) {
    const [x, y, z] = [k % 9, Math.floor(k / 9) % 9, Math.floor(k / 81)];
    values[k] = at([origin[0] + cell * x, origin[1] + cell * y, origin[2] + cell * z]);
  }
  const random = randomNumbers(4);
  const points = Array.from(
    { length: 200 },
    () => [0, 1, 2].map(() => Math.fround(0.99 * (random() - 0.5))) as unknown as Vec3,
  );
  const outside: Vec3 = [0.7, 0, 0];
  const shape = { mesh: { file: 'none.obj' } };
  const results = await approach(
    { shape, position: [0, 0, 0], rotation: [0, 0, 0], grid: { origin, cell, size, values } },
    [...points, outside],
    [...points, outside].map(() => normal),
  );
  for (const [i, p] of points.entries()) {
    const { velocity, shift } = results[i]!;
    const gap = at(p) - RADIUS;
    expect(Math.abs(results[i]!.gap - gap)).toBeLessThan(1e-6);
    // Differences of float32 distances over a cell: 1e-7 / 0.125 in the normal, times 8 m/s.
    for (let a = 0; a < 3; a++) {
      expect(Math.abs(velocity[a]! + Math.max(gap, 0) * normal[a]!)).toBeLessThan(3e-5);
      expect(Math.abs(shift[a]! - pushFor(gap) * normal[a]!)).toBeLessThan(3e-5);
    }
  }
  expect(norm(results.at(-1)!.velocity)).toBeCloseTo(8, 5);
});
