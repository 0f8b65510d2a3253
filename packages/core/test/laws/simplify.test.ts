import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bvh } from '../../src/mesh/index.js';
import { LiquidSurfacer, type SurfaceMesh } from '../../src/surface/liquid.js';
import { boxOf, latticeIn, meshFacts } from './surface-support.js';

let surfacer: LiquidSurfacer;
beforeAll(async () => {
  surfacer = await LiquidSurfacer.create({ threads: 1 });
});
afterAll(() => surfacer.dispose());

const surfaceOf = (positions: Float32Array, tolerance: number, spacing = 1) =>
  surfacer.surface(
    { positions, spacing, attributes: { position: { components: 3, values: positions } } },
    { tolerance },
  );

/** How far the farthest vertex of one mesh is from another. */
function deviation(from: SurfaceMesh, to: SurfaceMesh): number {
  const tree = new Bvh({ positions: Float64Array.from(to.positions), triangles: to.indices });
  let most = 0;
  for (let i = 0; i < from.positions.length; i += 3) {
    const [x, y, z] = from.positions.subarray(i, i + 3) as unknown as [number, number, number];
    most = Math.max(most, tree.closestPoint([x, y, z])!.distance);
  }
  return most;
}

describe('a surface with fewer triangles', () => {
  const pool = boxOf(24, 8, 24);
  const ball = latticeIn((x, y, z) => Math.hypot(x, y, z) <= 8, 9);
  const ring = latticeIn((x, y, z) => Math.hypot(Math.hypot(x, z) - 8, y) <= 3, 12);

  it('is as near to the fine one as it is told, everywhere', () => {
    for (const positions of [pool, ball, ring]) {
      const fine = surfaceOf(positions, 0);
      for (const tolerance of [0.02, 0.1]) {
        const coarse = surfaceOf(positions, tolerance);
        expect(deviation(fine, coarse)).toBeLessThan(tolerance);
        expect(coarse.indices.length).toBeLessThan(fine.indices.length);
      }
    }
  });

  it('has few where it is flat', () => {
    const [fine, coarse] = [surfaceOf(pool, 0), surfaceOf(pool, 0.05)];
    expect(fine.indices.length / coarse.indices.length).toBeGreaterThan(3);
  });

  it('is closed, in as many pieces and with as many holes, and keeps its volume', () => {
    const two = Float32Array.from([...ball, ...ball.map((x, k) => (k % 3 === 0 ? x + 20 : x)), 40, 0, 0]);
    for (const positions of [pool, ball, ring, two]) {
      const before = meshFacts(surfaceOf(positions, 0));
      for (const tolerance of [0.02, 0.1, 0.5]) {
        const after = meshFacts(surfaceOf(positions, tolerance));
        expect(after).toMatchObject({ faults: 0, euler: before.euler, parts: before.parts });
        expect(Math.abs(after.volume / before.volume - 1)).toBeLessThan(0.05 * tolerance);
      }
    }
  });

  it('is closed for any cloud of particles', () => {
    const position = fc.float({ min: -4, max: 4, noNaN: true });
    const clouds = fc.tuple(
      fc.array(fc.tuple(position, position, position), { maxLength: 100 }),
      fc.double({ min: 0.001, max: 0.5, noNaN: true }),
    );
    fc.assert(
      fc.property(clouds, ([points, tolerance]) => {
        const positions = Float32Array.from(points.flat());
        const [before, after] = [meshFacts(surfaceOf(positions, 0)), meshFacts(surfaceOf(positions, tolerance))];
        expect(after).toMatchObject({ faults: 0, euler: before.euler, parts: before.parts });
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('has vertices of the fine one, with their normals and what they carry', () => {
    const rows = ({ positions, normals, attributes }: SurfaceMesh) =>
      Array.from({ length: positions.length / 3 }, (_, i) =>
        [positions, normals, attributes.position!.values].flatMap((v) => [...v.subarray(3 * i, 3 * i + 3)]).join(),
      );
    const fine = new Set(rows(surfaceOf(ball, 0)));
    expect(rows(surfaceOf(ball, 0.1)).every((row) => fine.has(row))).toBe(true);
  });

  it('scales with the spacing', () => {
    const small = surfaceOf(
      ball.map((x) => x / 64),
      0.1,
      1 / 64,
    );
    expect(small.indices).toEqual(surfaceOf(ball, 0.1).indices);
  });

  it('refuses a tolerance that is none', () => {
    for (const tolerance of [-1, Number.NaN, 2]) {
      expect(() => surfaceOf(ball, tolerance)).toThrow('tolerance must be from 0 to 0.5 spacings');
    }
  });
});
