import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReferenceSolid } from '../../reference/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import {
  type Bench,
  block,
  buildBench,
  displace,
  massesOf,
  randomNumbers,
  relativeDifference,
  threes,
  twinOf,
} from '../laws/support.js';

/**
 * Float32 passes against their double-precision twins. About 30 neighbours are summed per particle;
 * with entries of either sign the sums keep about 1e-6 of the largest entry, and the inverse moment
 * matrix multiplies that by its condition (about 3 on an irregular block).
 */
const SINGLE = 1e-5;

const material = { youngsModulus: 2e5, poissonsRatio: 0.35, density: 1100, volumeStiffness: 0.6 };
/** Large deformation: stretched, sheared, bent, and roughened so that bonds count. */
function deform([x, y, z]: Vec3, noise: () => number): Vec3 {
  const rough = () => 0.004 * (noise() - 0.5);
  return [
    0.4 * x + 0.3 * y + 1.5 * x * y + rough(),
    -0.2 * x + 0.25 * y + 2 * x * x + rough(),
    0.35 * y - 0.3 * z + z * x + rough(),
  ];
}

describe.each([
  ['a cubic block', 0],
  ['an irregular block', 0.25],
])('on %s, WASM equals the reference:', (_, jitter) => {
  let bench: Bench;
  let twin: ReferenceSolid;

  beforeAll(async () => {
    bench = await buildBench([{ input: { material }, points: block([6, 5, 7], 0.1, jitter) }]);
    twin = twinOf(bench.bodies[0]!);
    const noise = randomNumbers(3);
    displace(bench, [twin], (m) => deform(m, noise));
    bench.model.elastic.evaluateForces();
    twin.computeStresses();
    twin.computeForces();
  });
  afterAll(() => bench.dispose());

  test('gradient weights g_ij', () => {
    const { store, pairs } = bench.model;
    expect(pairs).toBe(twin.pairCount);
    const g = threes(store.floats(layout.PAIRS, 4 * pairs));
    // Computed in double precision from float32 supports, stored as float32.
    expect(relativeDifference(g, twin.gradientWeight)).toBeLessThan(5e-7);
  });

  test('inverse moment matrices', () => {
    const { store } = bench.model;
    const rows = threes(store.floats(layout.MOMENT_INVERSE, 12 * store.count));
    expect(relativeDifference(rows, twin.moments.inverse)).toBeLessThan(1e-6);
  });

  test('stabilisation bonds', () => {
    const { store, pairs } = bench.model;
    const bonds = store.floats(layout.PAIRS, 4 * pairs).filter((_, k) => k % 4 === 3);
    expect(relativeDifference(bonds, twin.bond)).toBeLessThan(1e-6);
  });

  test('stress fluxes Q', () => {
    const { store } = bench.model;
    const rows = threes(store.floats(layout.FLUX, 12 * store.count));
    expect(relativeDifference(rows, twin.flux)).toBeLessThan(SINGLE);
  });

  test('forces', () => {
    const a = threes(bench.model.store.vectors(layout.ACCELERATION));
    expect(relativeDifference(a, twin.acceleration)).toBeLessThan(SINGLE);
  });

  test('elastic energies and det J', () => {
    const { store } = bench.model;
    store.run('computeMeasures');
    const measures = store.floats(layout.FLUX, 12 * store.count);
    const lane = (k: number) => Float64Array.from({ length: store.count }, (_, i) => measures[12 * i + k]!);
    expect(relativeDifference(lane(0), twin.elasticEnergies())).toBeLessThan(2e-6);
    expect(relativeDifference(lane(2), twin.volumeRatios())).toBeLessThan(2e-6);
  });

  test('von Mises stress, as far as a uniform stretch has a closed form', () => {
    const { store } = bench.model;
    displace(bench, [twin], ([x]) => [0.2 * x, 0, 0]);
    store.run('computeMeasures');
    const mises = store.floats(layout.FLUX, 12 * store.count);
    // J = diag(1.2, 1, 1): only xx differs, so von Mises is |sigma_xx - sigma_yy|.
    const { youngsModulus: e, poissonsRatio: nu } = material;
    const whole = (e * nu) / ((1 + nu) * (1 - 2 * nu));
    const mu = e / (2 * (1 + nu));
    const kv = material.volumeStiffness * (whole + (2 / 3) * mu);
    const lambda = whole - kv;
    const strain = 0.5 * (1.2 * 1.2 - 1);
    const expected = (1.2 * 1.2 * (lambda + 2 * mu) * strain) / 1.2 - (lambda * strain) / 1.2;
    // The determinant's pressure k_v (det J - 1) is the same in all directions.
    for (let i = 0; i < store.count; i++) expect(mises[12 * i + 1]! / expected).toBeCloseTo(1, 4);
    const noise = randomNumbers(3);
    displace(bench, [twin], (m) => deform(m, noise));
  });

  test('kick and drift', () => {
    const { store, elastic } = bench.model;
    const dt = 1e-4;
    const v = store.vectors(layout.VELOCITY);
    const random = randomNumbers(8);
    for (let i = 0; i < store.count; i++) {
      for (let a = 0; a < 3; a++) {
        v[4 * i + a] = random() - 0.5;
        twin.velocity[3 * i + a] = v[4 * i + a]!;
      }
    }
    elastic.evaluateForces();
    twin.computeStresses();
    twin.computeForces();
    // A step that is not a multiple of the frame changes, so that coordinates stay the same.
    elastic.stepCount = 1;
    for (let step = 0; step < 5; step++) {
      elastic.step(dt);
      twin.step(dt);
    }
    const u = threes(store.vectors(layout.DISPLACEMENT));
    // Rounding of u itself, at most 0.3 here, over the 5 steps.
    expect(relativeDifference(u, twin.displacement)).toBeLessThan(1e-6);
    expect(relativeDifference(threes(v), twin.velocity)).toBeLessThan(SINGLE);
    elastic.stepCount = 0;
  });
});

test('viscous stresses equal the reference over some steps', async () => {
  const bench = await buildBench([
    { input: { material: { ...material, damping: 0.5 } }, points: block([5, 5, 5], 0.1, 0.2) },
  ]);
  const twin = twinOf(bench.bodies[0]!);
  displace(bench, [twin], ([x, y, z]) => [0.1 * x, -0.05 * y, 0.03 * z * x]);
  const { elastic, store } = bench.model;
  elastic.evaluateForces();
  twin.computeStresses();
  twin.computeForces();
  elastic.stepCount = 1;
  const dt = 0.5 * elastic.chooseStep(true).timeStep;
  for (let step = 0; step < 10; step++) {
    elastic.step(dt);
    twin.step(dt);
  }
  const a = threes(store.vectors(layout.ACCELERATION));
  // The strain rate divides a difference of strains, good to 1e-7, by the strain's change in a step, about 1e-3.
  expect(relativeDifference(a, twin.acceleration)).toBeLessThan(1e-3);
  expect(relativeDifference(threes(store.vectors(layout.VELOCITY)), twin.velocity)).toBeLessThan(1e-4);
  await bench.dispose();
});

test.each([
  ['a sheet', [7, 1, 6] as Vec3, 2],
  ['a string', [1, 9, 1] as Vec3, 1],
  ['particles out of reach of each other', [2, 2, 2] as Vec3, 0],
])('moment inverses and projections of %s are those of its rank', async (_, sides, rank) => {
  const points = block(sides, 0.1, 0);
  // Turned out of the axes, so that the projection is full.
  const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
  const stretch = rank === 0 ? 10 : 1;
  for (let i = 0; i < points.volumes.length; i++) {
    const [x, y, z] = [0, 1, 2].map((a) => stretch * points.positions[3 * i + a]!) as [number, number, number];
    const [px, py] = [c * x - s * y, s * x + c * y];
    points.positions.set([px, c * py - s * z, s * py + c * z], 3 * i);
  }
  const bench = await buildBench([{ input: { material }, points }]);
  const twin = twinOf(bench.bodies[0]!);
  const { store, ranks } = bench.model;
  expect([...twin.moments.rank]).toEqual(new Array(store.count).fill(rank));
  expect(ranks).toEqual({ isolated: 0, lines: 0, sheets: 0, [['isolated', 'lines', 'sheets'][rank]!]: store.count });
  const rows = threes(store.floats(layout.MOMENT_INVERSE, 12 * store.count));
  expect(relativeDifference(rows, twin.moments.inverse)).toBeLessThan(1e-6);
  const projections = threes(store.floats(layout.PROJECTIONS, 12 * store.count));
  expect(relativeDifference(projections, twin.moments.projection)).toBeLessThan(1e-6);
  await bench.dispose();
});

test('forces on a sheet equal the reference', async () => {
  const bench = await buildBench([{ input: { material }, points: block([7, 1, 6], 0.1, 0) }]);
  const twin = twinOf(bench.bodies[0]!);
  const noise = randomNumbers(5);
  displace(bench, [twin], ([x, y, z]) => [
    0.2 * x + 0.1 * z + 0.01 * noise(),
    y + 0.4 * x * z + 0.3 * x,
    0.1 * z - 0.2 * x + 0.01 * noise(),
  ]);
  bench.model.elastic.evaluateForces();
  twin.computeStresses();
  twin.computeForces();
  const a = threes(bench.model.store.vectors(layout.ACCELERATION));
  expect(relativeDifference(a, twin.acceleration)).toBeLessThan(SINGLE);
  bench.model.store.run('computeMeasures');
  const measures = bench.model.store.floats(layout.FLUX, 12 * bench.model.store.count);
  const energies = Float64Array.from({ length: bench.model.store.count }, (_, i) => measures[12 * i]!);
  expect(relativeDifference(energies, twin.elasticEnergies())).toBeLessThan(2e-6);
  await bench.dispose();
});

test('body sums equal sums over the particles in double precision', async () => {
  const bench = await buildBench([
    { points: block([4, 3, 5], 0.1, 0.2) },
    { input: { position: [2, 0, 0], material }, points: block([3, 3, 3], 0.1, 0.2) },
  ]);
  const { store, ranges } = bench.model;
  const random = randomNumbers(11);
  const v = store.vectors(layout.VELOCITY);
  displace(bench, [], () => [0.1 * random(), 0.1 * random(), 0.1 * random()]);
  for (let k = 0; k < v.length; k++) if (k % 4 !== 3) v[k] = random() - 0.5;
  const mass = massesOf(bench);
  store.run('computeMeasures');
  store.run('computeBodySums', 2, 1);
  const sums = store.engine.arena.f64(store.address(layout.BLOCK_SUMS), 2 * layout.SUMS);
  const m = store.vectors(layout.REST);
  const u = store.vectors(layout.DISPLACEMENT);
  for (const [b, { begin, end }] of ranges.entries()) {
    const expected = new Float64Array(11);
    for (let i = begin; i < end; i++) {
      const p = [0, 1, 2].map((a) => m[4 * i + a]! + u[4 * i + a]!) as [number, number, number];
      const w = [0, 1, 2].map((a) => v[4 * i + a]!) as [number, number, number];
      const terms = [
        1,
        ...p,
        ...w,
        p[1] * w[2] - p[2] * w[1],
        p[2] * w[0] - p[0] * w[2],
        p[0] * w[1] - p[1] * w[0],
        0.5 * (w[0] ** 2 + w[1] ** 2 + w[2] ** 2),
      ];
      for (const [k, term] of terms.entries()) expected[k]! += mass[i]! * term;
    }
    // Same order, same precision: only the products' rounding may differ.
    const own = sums.subarray(b * layout.SUMS, b * layout.SUMS + 11);
    expect(relativeDifference(own, expected)).toBeLessThan(1e-12);
  }
  await bench.dispose();
});
