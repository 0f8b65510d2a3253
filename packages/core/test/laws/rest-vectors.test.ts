import { afterEach, describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import * as layout from '../../src/particles/layout.js';
import type { ParticleStore } from '../../src/particles/store.js';
import { type Bench, block, buildBench, randomNumbers } from './support.js';

const SPACING = 0.1;
const POINTS = block([5, 4, 6], SPACING, 0.2);
const SHEET = block([6, 7, 1], SPACING, 0);
const MATERIAL = { youngsModulus: 2e5, poissonsRatio: 0.35 };
const CASES: [string, NonNullable<BodyInput['material']>, typeof POINTS][] = [
  ['St. Venant-Kirchhoff', { model: 'stVenantKirchhoff', damping: 0.3 }, POINTS],
  ['neo-Hookean', { model: 'neoHookean' }, POINTS],
  ['corotational', { model: 'corotational', damping: 0.3 }, POINTS],
  ['yielding', { model: 'stVenantKirchhoff', yieldStress: 1e4 }, POINTS],
  ['a sheet', { model: 'stVenantKirchhoff' }, SHEET],
];

const open: Bench[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose();
});

async function build(material: NonNullable<BodyInput['material']>, points: typeof POINTS): Promise<ParticleStore> {
  const input = { material: { ...MATERIAL, ...material }, discretisation: 'linear' as const };
  const bench = await buildBench([{ input, points }]);
  open.push(bench);
  return bench.model.store;
}

/** Lets the rest vectors of every pair be those of the rest positions before they were moved by `moves`. */
function offset(store: ParticleStore, moves: Float64Array): void {
  const { count } = store;
  const begins = store.integers(layout.NEIGHBOR_BEGIN, count + 1);
  const pairs = begins[count]!;
  const neighbors = store.integers(layout.NEIGHBORS, pairs);
  store.allocate(layout.OFFSETS, 16 * pairs);
  store.allocate(layout.FIRST_MOMENT, 48 * count);
  const offsets = store.floats(layout.OFFSETS, 4 * pairs).fill(0);
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      for (let c = 0; c < 3; c++) offsets[4 * k + c] = moves[3 * i + c]! - moves[3 * neighbors[k]! + c]!;
    }
  }
  store.run('computeFirstMoments');
}

/** Stresses and forces, and what is measured, of displacements less the moves of rest positions. */
function evaluate(store: ParticleStore, displacements: Float64Array, moves: Float64Array): Float64Array[] {
  const u = store.vectors(layout.DISPLACEMENT);
  const put = (share: number) => {
    for (const [k, d] of displacements.entries()) u[4 * Math.floor(k / 3) + (k % 3)] = share * d - moves[k]!;
  };
  const read = (slot: number, width: number) => Float64Array.from(store.floats(slot, width * store.count));
  // Something is dashed and yields on the way.
  put(0.7);
  store.setFloat(layout.STRAIN_RATE, 0);
  store.computeStresses();
  put(1);
  store.setFloat(layout.STRAIN_RATE, 20);
  store.computeStresses();
  const flux = read(layout.FLUX, 12);
  const frequencies = Float64Array.from(store.floats(layout.BLOCK_FREQUENCY, store.blocks));
  store.computeForces();
  const forces = read(layout.ACCELERATION, 4);
  store.computeMeasures();
  const measures = read(layout.FLUX, 12);
  const measured = [0, 1, 2].map((slot) => measures.filter((_, k) => k % 12 === slot));
  return [flux, forces, frequencies, ...measured];
}

const largest = (values: Float64Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

describe.each(CASES)('%s', (_, material, points) => {
  test('stresses and forces do not depend on the reference that rest vectors have offsets from', async () => {
    const [plain, moved] = [await build(material, points), await build(material, points)];
    const random = randomNumbers(7);
    const scatter = (size: number) =>
      Float64Array.from({ length: 3 * plain.count }, () => Math.fround(size * (random() - 0.5)));
    const displacements = scatter(0.2 * SPACING);
    const moves = scatter(0.4 * SPACING);
    offset(moved, moves);
    const expected = evaluate(plain, displacements, new Float64Array(moves.length));
    const found = evaluate(moved, displacements, moves);
    expect(largest(expected[0]!)).toBeGreaterThan(0);
    for (const [k, values] of expected.entries()) {
      expect(largest(found[k]!.map((value, n) => value - values[n]!)) / largest(values)).toBeLessThan(1e-6);
    }
  });
});
