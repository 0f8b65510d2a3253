import { describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { block, buildBench, randomNumbers, withWorld } from './support.js';

const FITS = ['linear', 'quadratic'] as const;
const ORTHOTROPIC = {
  youngsModuli: [3e5, 1e5, 2e5] as Vec3,
  shearModuli: [5e4, 6e4, 8e4] as Vec3,
  poissonsRatios: [0.2, 0.3, 0.25] as Vec3,
  rotation: [20, 30, 40] as Vec3,
};
const LAWS: [string, NonNullable<BodyInput['material']>][] = [
  ['St. Venant-Kirchhoff', { model: 'stVenantKirchhoff' }],
  ['neo-Hookean', { model: 'neoHookean' }],
  ['corotational', { model: 'corotational' }],
  ['orthotropic', { orthotropic: ORTHOTROPIC }],
  ['plastic neo-Hookean', { model: 'neoHookean', yieldStress: 1e4 }],
];
const CHUNK = block([5, 4, 6], 0.1, 0.2);
const SHEET = block([7, 7, 1], 0.1);

describe.each(FITS)('forces in double precision, %s fit', (discretisation) => {
  test.each(LAWS.flatMap(([name, material]) => [CHUNK, SHEET].map((points) => [name, points, material] as const)))(
    'are those of float32: %s',
    async (_, points, material) => {
      const input = { material: { youngsModulus: 2e5, poissonsRatio: 0.35, ...material }, discretisation };
      const bench = await buildBench([{ input, points }]);
      const { store } = bench.model;
      store.allocate(layout.GUESS, 16 * store.count);
      store.allocate(layout.CHANGE, 16 * store.count);
      store.allocateExact();
      const rest = store.vectors(layout.REST);
      const random = randomNumbers(3);
      if (store.plastic) {
        const plastic = store.floats(layout.PLASTIC, 12 * store.count);
        for (let k = 0; k < plastic.length; k++) if (k % 4 < 3) plastic[k] = 0.1 * (random() - 0.5);
      }
      for (const slot of [layout.DISPLACEMENT, layout.GUESS]) {
        for (let i = 0; i < store.count; i++) {
          const [x, y, z] = rest.subarray(4 * i, 4 * i + 3) as unknown as Vec3;
          const u = [0.3 * x + 0.2 * y + 1.2 * x * y, -0.2 * x + 0.15 * y + x * x, 0.25 * y - 0.2 * z + z * x];
          store.vectors(slot).set(u, 4 * i);
        }
      }
      store.computeStresses();
      store.computeExactForces();
      store.setFloat(layout.LATE_KICK, 0);
      store.computeForces();
      const sums = store.vectors(layout.GRADIENT_SUM);
      const [own, exact] = [store.vectors(layout.ACCELERATION), store.vectors(layout.EXACT_FORCE)];
      let [apart, size] = [0, 0];
      for (let k = 0; k < own.length; k++) {
        if (k % 4 === 3) continue;
        const force = own[k]! / sums[k - (k % 4) + 3]!;
        apart += (force - exact[k]!) ** 2;
        size += exact[k]! ** 2;
      }
      expect(size).toBeGreaterThan(0);
      expect(Math.sqrt(apart / size)).toBeLessThan(5e-6);
      await bench.dispose();
    },
  );
});

describe.each(FITS)('a bar forty times as long as thick, %s fit', (discretisation) => {
  // The forces that float32 makes of the rounding of displacements are as large as such loads.
  test('comes to balance within the tolerance', async () => {
    const across = 4;
    await withWorld({ gravity: [0, 0, 0], solver: { solid: { discretisation, tolerance: 1e-5 } } }, (world) => {
      const spacing = 1 / (40 * across);
      world.addBody({
        name: 'bar',
        shape: { box: { size: [1 + 4 * spacing, 1 / 40, 1 / 40] } },
        position: [0.5 - 2 * spacing, 0, 0],
        spacing,
        material: { density: 1000, youngsModulus: 1e7, poissonsRatio: 0 },
      });
      world.addConstraint({ body: 'bar', region: { box: { min: [-1, -1, -1], max: [0, 1, 1] } }, fix: true });
      const end = { box: { min: [1 - spacing, -1, -1] as Vec3, max: [1.1, 1, 1] as Vec3 } };
      const stiffness = (3 * 1e7) / (12 * 40 ** 4) / (1 - spacing / 2) ** 3;
      world.addConstraint({ body: 'bar', region: end, force: [0, -0.003 * stiffness, 0] });
      const { residual, retries, warnings } = world.solveStatic();
      expect(residual).toBeLessThan(1e-5);
      expect(retries).toBe(0);
      expect(warnings).toEqual([]);
      const [, y] = world.probe({ name: 'end', quantity: 'position', region: end }) as unknown as Vec3;
      // Euler and Bernoulli: F L^3 / (3 E I). Four particles across bend too little with the linear fit.
      expect(Math.abs(-y / 0.003 - 1)).toBeLessThan(discretisation === 'quadratic' ? 0.003 : 0.06);
    });
  });
});
