import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReferenceFlow } from '../../reference/index.js';
import { materialLaw } from '../../reference/response.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/embedding-layout.js';
import type { EmbeddingStore } from '../../src/particles/embedding-store.js';
import * as common from '../../src/particles/layout.js';
import { solve } from '../../src/solvers/embedding/conjugate.js';
import { type Bench, block, buildBench, randomNumbers, relativeDifference, threes } from '../laws/support.js';

/**
 * Passes of bodies that flow against their twin in double precision. About 25 neighbours are summed per particle, and
 * positions in the world are float32: a spacing of 0.1 at a distance of 0.5 keeps 3e-7 of itself, and strains are of the
 * order of 0.1.
 */
const SINGLE = 1e-5;
const SPACING = 0.1;

const material = {
  youngsModulus: 2e5,
  poissonsRatio: 0.35,
  density: 1100,
  volumeStiffness: 0.6,
  yieldStress: 2e3,
  hardening: 1e4,
  creepRate: 50,
};

function deform([x, y, z]: Vec3, noise: () => number): Vec3 {
  const rough = () => 0.004 * (noise() - 0.5);
  return [
    1.1 * x + 0.15 * y + 0.3 * x * y + rough(),
    -0.1 * x + 0.95 * y + 0.4 * x * x + rough(),
    0.1 * y + 0.9 * z + 0.2 * z * x + rough(),
  ];
}

const triples = (array: Float32Array, count: number) =>
  Array.from({ length: count }, (_, i): Vec3 => [array[4 * i]!, array[4 * i + 1]!, array[4 * i + 2]!]);

/** The twin of what is in memory. */
function twinOf(store: EmbeddingStore, model: 'stVenantKirchhoff' | 'neoHookean' | 'corotational'): ReferenceFlow {
  const { count } = store;
  const lane3 = (slot: number) => Array.from({ length: count }, (_, i) => store.vectors(slot)[4 * i + 3]!);
  return new ReferenceFlow({
    ...material,
    positions: triples(store.vectors(layout.POSITION), count),
    embedded: triples(store.vectors(layout.EMBEDDED), count),
    supports: lane3(layout.EMBEDDED),
    volumes: lane3(common.ELASTIC),
    masses: lane3(layout.POSITION).map((inverse) => 1 / inverse),
    law: materialLaw({ ...material, model }),
    shearModulus: material.youngsModulus / (2 * (1 + material.poissonsRatio)),
    stabilisation: 0.75,
    capacity: layout.CAPACITY,
  });
}

/** Rows of all pairs, by particle. */
function pairsOf(store: EmbeddingStore, slot: number): number[] {
  const counts = store.integers(layout.NEIGHBOR_COUNT, store.count);
  const vectors = store.floats(slot, 4 * layout.CAPACITY * store.count);
  return Array.from(counts).flatMap((n, i) =>
    Array.from({ length: n }, (_, k) =>
      Array.from(vectors.subarray(4 * (layout.CAPACITY * i + k)).subarray(0, 3)),
    ).flat(),
  );
}

describe.each([
  ['a cubic block', 0, 'stVenantKirchhoff'],
  ['an irregular block', 0.25, 'neoHookean'],
  ['an irregular block', 0.15, 'corotational'],
] as const)('on %s displaced by %d, %s, WASM equals the reference:', (_, jitter, model) => {
  let bench: Bench;
  let store: EmbeddingStore;
  let twin: ReferenceFlow;

  beforeAll(async () => {
    const input = { discretisation: 'embedded' as const, material: { ...material, model } };
    bench = await buildBench([{ input, points: block([5, 4, 6], SPACING, jitter) }]);
    store = bench.model.embedding!.store;
    twin = twinOf(store, model);
    const noise = randomNumbers(3);
    const x = store.vectors(layout.POSITION);
    for (let i = 0; i < store.count; i++) {
      x.set(deform([x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!], noise), 4 * i);
      twin.positions[i] = [x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!];
    }
  });
  afterAll(() => bench.dispose());

  const accelerations = () => threes(store.vectors(common.ACCELERATION));

  test('neighbours and basis matrices', () => {
    expect(store.pairs).toBe(twin.neighbors.flat().length);
    const inverse = threes(store.floats(common.MOMENT_INVERSE, 12 * store.count));
    const expected = twin.positions.flatMap((_, i) => twin.basis(i).inverse);
    expect(relativeDifference(inverse, expected)).toBeLessThan(3e-6);
    const moduli = store.floats(common.MOMENT_INVERSE, 12 * store.count).filter((_, k) => k % 12 === 3);
    expect(
      relativeDifference(
        moduli,
        twin.positions.map((_, i) => twin.basis(i).modulus),
      ),
    ).toBeLessThan(1e-6);
    const volumes = store.floats(common.MOMENT_INVERSE, 12 * store.count).filter((_, k) => k % 12 === 11);
    expect(
      relativeDifference(
        volumes,
        twin.positions.map((_, i) => twin.basis(i).volume),
      ),
    ).toBeLessThan(2e-6);
  });

  test('forces of what is elastic', () => {
    bench.model.embedding!.solver.computeForces(0, 0);
    expect(relativeDifference(accelerations(), twin.accelerations().flat())).toBeLessThan(SINGLE);
  });

  test('plastic flow and forces after it, with F_p beside the rest vectors', () => {
    // A share of 2 % of the way in a step: nobody's rest vectors are due.
    const dt = 0.02 / material.creepRate;
    store.setFloat(layout.STEP, dt);
    for (let step = 0; step < 2; step++) {
      store.run('computeEmbeddedStresses');
      twin.flow(dt);
    }
    store.run('computeEmbeddedForces');
    const plastic = store.floats(common.PLASTIC, 12 * store.count);
    const strain = plastic.filter((_, k) => k % 12 === 3);
    expect(Math.max(...twin.strain)).toBeGreaterThan(1e-3);
    expect(twin.strain.filter((s) => s > 0).length).toBeGreaterThan(store.count / 2);
    // Where the way ends is found to 1e-5 of the stress over the share of it that is gone, and it is most of the stress.
    const near = (1.5 * 1e-5) / 0.02;
    expect(relativeDifference(strain, twin.strain)).toBeLessThan(near);
    const aside = twin.plasticInverse.flatMap((m) => m.map((value, k) => value - (k % 4 === 0 ? 1 : 0)));
    expect(relativeDifference(threes(plastic), aside)).toBeLessThan(near);
    expect(relativeDifference(store.floats(layout.LASTING, store.count), twin.lasting)).toBeLessThan(0.04 * near);
    expect(relativeDifference(accelerations(), twin.accelerations().flat())).toBeLessThan(2 * SINGLE);
  });

  test('rest vectors that take over the flow, and the same forces after that but for the weights', () => {
    store.run('absorbFlow');
    twin.absorb();
    // What flowed is known to 1e-3 of 4 % of strains of 0.1.
    expect(relativeDifference(pairsOf(store, layout.PAIRS), twin.rest.flat(2))).toBeLessThan(4e-6);
    expect(store.floats(layout.LASTING, store.count).every((share) => share === 1)).toBe(true);
    bench.model.embedding!.solver.computeForces(0, 0);
    expect(relativeDifference(accelerations(), twin.accelerations().flat())).toBeLessThan(2 * SINGLE);
  });

  test('embedded places', () => {
    const before = twin.embedded.flat();
    store.run('beginEmbedding');
    const { converged } = solve(store, 'multiplyEmbedding', { tolerance: 1e-6, small: 0, most: 500 });
    store.run('applyEmbedding');
    twin.embed();
    expect(converged).toBe(true);
    // Rest vectors do not fit together: positions move by more than what they are compared to.
    expect(relativeDifference(before, twin.embedded.flat())).toBeGreaterThan(1e-4);
    expect(relativeDifference(threes(store.vectors(layout.EMBEDDED)), twin.embedded.flat())).toBeLessThan(4e-6);
  });
});

test('neighbours in grids for each size are those of a search without a grid, when sizes differ', async () => {
  const points = block([9, 8, 7], SPACING, 0.2);
  const random = randomNumbers(5);
  // Supports of one, two, three and four: within a level, between levels, and one that is rounded below its level.
  for (let i = 0; i < points.spacings.length; i++)
    points.spacings[i]! *= [1, 2, 3, 4, 1.9999999][Math.floor(5 * random())]! / 4;
  const bench = await buildBench([{ input: { discretisation: 'embedded' }, points }], {
    solver: { solid: { support: 4 } },
  });
  const { store } = bench.model.embedding!;
  expect(store.engine.arena.u32(store.context + layout.LEVELS, 1)[0]).toBe(3);
  const twin = twinOf(store, 'stVenantKirchhoff');
  const counts = store.integers(layout.NEIGHBOR_COUNT, store.count);
  const words = store.integers(layout.PAIRS, 4 * layout.CAPACITY * store.count);
  const reverse = store.integers(layout.REVERSE, layout.CAPACITY * store.count);
  for (let i = 0; i < store.count; i++) {
    const row = Array.from(
      { length: counts[i]! },
      (_, k) => words[4 * (layout.CAPACITY * i + k) + 3]! & common.INDEX_MASK,
    );
    expect(row).toEqual(twin.neighbors[i]);
    for (const [k, j] of row.entries()) {
      expect(reverse[layout.CAPACITY * i + k]).toBe(layout.CAPACITY * j + twin.neighbors[j]!.indexOf(i));
    }
  }
  // Some have had more than there is room for.
  expect(Math.max(...counts)).toBeGreaterThan(28);
  await bench.dispose();
});
