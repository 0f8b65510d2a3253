import { describe, expect, test } from 'vitest';
import { ReferenceSolid } from '../../reference/index.js';
import { determinant, type Matrix3, transform } from '../../src/math/matrix3.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { block, buildBench, displace, randomNumbers } from './support.js';

const gradient: Matrix3 = [0.2, 0.1, -0.3, 0.05, -0.15, 0.2, 0.1, 0.25, 0.12];

describe.each([
  ['an irregular', 0.3],
  ['a cubic', 0],
])('on %s sampling', (_, jitter) => {
  const points = block([5, 6, 5], 0.1, jitter, 4);
  // Unequal spacings and volumes: the fit must not care.
  const random = randomNumbers(6);
  for (let i = 0; i < points.volumes.length; i++) {
    points.spacings[i]! *= 1 + 0.4 * jitter * random();
    points.volumes[i]! *= 1 + jitter * random();
  }

  test('moving least squares reproduces a linear displacement exactly', () => {
    const solid = new ReferenceSolid({ ...points, youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 });
    for (let i = 0; i < solid.count; i++) {
      const m = [...points.positions.subarray(3 * i, 3 * i + 3)] as unknown as Vec3;
      solid.displacement.set(transform(gradient, m), 3 * i);
    }
    solid.computeStresses();
    // Double precision and moment matrices of a condition below 10.
    for (let k = 0; k < solid.gradient.length; k++)
      expect(Math.abs(solid.gradient[k]! - gradient[k % 9]!)).toBeLessThan(1e-13);
  });

  test('the passes see the same det J and stress everywhere', async () => {
    const bench = await buildBench([{ points }]);
    displace(bench, [], (m) => transform(gradient, m));
    const { store } = bench.model;
    store.run('computeMeasures');
    const measures = store.floats(layout.FLUX, 12 * store.count);
    const identity: Matrix3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const expected = determinant(identity.map((x, k) => x + gradient[k]!) as unknown as Matrix3);
    for (let i = 0; i < store.count; i++) {
      // Float32 displacements of 0.1 m over spacings of 0.1 m.
      expect(Math.abs(measures[12 * i + 2]! / expected - 1)).toBeLessThan(2e-6);
      expect(Math.abs(measures[12 * i + 1]! / measures[1]! - 1)).toBeLessThan(1e-5);
    }
    await bench.dispose();
  });
});
