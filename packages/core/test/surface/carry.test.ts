import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refineMesh, type Shape, Skin, sampleShape, shapeMesh } from '../../src/index.js';
import { multiply } from '../../src/math/matrix3.js';
import { Engine } from '../../src/memory/engine.js';
import { rotationAbout } from '../../src/particles/frame.js';
import { CarriedPoints, Carriers } from '../../src/surface/carry.js';
import { affine, bend, largestDifference } from './support.js';

const TURN = rotationAbout([2 / 7, 3 / 7, 6 / 7], 2.1);
/** Bodies are a metre large: float32 sums of positions and of weights, some of 26 neighbours. */
const ROUNDING = 2e-6;

const line = (count: number) => Float64Array.from({ length: 3 * count }, (_, i) => (i % 3 === 0 ? 0.05 * i : 0.02));
const layer = (nx: number, ny: number) =>
  Float64Array.from({ length: 3 * nx * ny }, (_, i) => {
    const p = Math.floor(i / 3);
    return [(p % nx) * 0.1, Math.floor(p / nx) * 0.1, 0][i % 3]!;
  });
const sampled = (shape: Shape, lattice: 'cubic' | 'hcp' | 'octree', spacing: number) => ({
  particles: sampleShape(shape, { spacing, lattice, jitter: 0.1, seed: 3 }).positions,
  points: refineMesh(shapeMesh(shape, spacing / 2), spacing).positions,
});
const near = (particles: Float64Array) => ({
  particles,
  points: particles.map((x, k) => x + [0.01, -0.02, 0.03][k % 3]!),
});

const bodies = [
  { name: 'a box', ...sampled({ box: { size: [1, 0.6, 0.4] } }, 'cubic', 0.1) },
  { name: 'a torus', ...sampled({ torus: { radius: 0.4, tube: 0.15 } }, 'hcp', 0.07) },
  { name: 'an octree sphere', ...sampled({ sphere: { radius: 0.5 } }, 'octree', 0.06) },
  { name: 'a single layer', ...near(layer(8, 6)) },
  { name: 'a string', ...near(line(7)) },
  { name: 'one particle', ...near(line(1)) },
];

describe.each([1, 2])('points carried along, %i threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.create(threads);
  });
  afterAll(() => engine.dispose());

  it.each(bodies)('of $name are where the double precision field has them', ({ particles, points }) => {
    const skin = new Skin(points, particles);
    const carriers = new Carriers(engine, particles);
    const carried = new CarriedPoints(carriers, points);
    const stretched = affine(particles, multiply(TURN, [1.4, 0.3, 0, 0, 0.8, -0.2, 0.1, 0, 1]), [0.3, -0.2, 1]);
    for (const positions of [particles, affine(particles, TURN, [3, 1, 2]), stretched, bend(particles)]) {
      carriers.update(positions);
      const expected = new Float64Array(points.length);
      const found = new Float64Array(points.length);
      skin.deform(positions, expected);
      carried.follow(found);
      expect(largestDifference(found, expected)).toBeLessThan(ROUNDING);
      const normals = points.map((_, k) => [0.6, 0, 0.8][k % 3]!);
      skin.turnNormals(normals, expected);
      carried.turnNormals(normals, found);
      expect(largestDifference(found, expected)).toBeLessThan(10 * ROUNDING);
      const velocities = affine(positions, [0.3, -2, 1, 2, -0.1, -3, -1, 3, 0.2], [3, -2, 1]);
      skin.moveVelocities(velocities, expected);
      carried.moveVelocities(velocities, found);
      expect(largestDifference(found, expected)).toBeLessThan(5 * ROUNDING);
    }
    const values = Float32Array.from(particles.filter((_, k) => k % 3 === 0));
    const expected = new Float64Array(points.length / 3);
    const found = new Float32Array(points.length / 3);
    skin.interpolate(values, expected);
    carried.interpolate(values, found);
    expect(largestDifference(found, expected)).toBeLessThan(ROUNDING);
  });

  it('stay where they are when the memory is laid out anew', () => {
    const { particles, points } = bodies[0]!;
    const carriers = new Carriers(engine, particles);
    const carried = new CarriedPoints(carriers, points);
    carriers.update(bend(particles));
    const before = new Float32Array(points.length);
    carried.follow(before);
    engine.arena.release(0);
    engine.arena.allocate(1 << 20);
    const after = new Float32Array(points.length);
    carried.follow(after);
    expect(after).toEqual(before);
  });
});
