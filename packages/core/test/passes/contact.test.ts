import { expect, test } from 'vitest';
import { contactForces } from '../../reference/index.js';
import { transform } from '../../src/math/matrix3.js';
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
} from '../laws/support.js';

const materials = [
  { youngsModulus: 1e5, density: 1000, friction: 0.4, restitution: 0 },
  { youngsModulus: 3e5, density: 2000, friction: 0.7, restitution: 0.3 },
];

/** World positions of all particles in double precision. */
function worldPositions({ model }: Bench): Float64Array {
  const { store, ranges, elastic } = model;
  const [m, u] = [store.vectors(layout.REST), store.vectors(layout.DISPLACEMENT)];
  const result = new Float64Array(3 * store.count);
  for (const [b, { begin, end }] of ranges.entries()) {
    const { rotation, origin } = elastic.frames[b]!;
    for (let i = begin; i < end; i++) {
      const p = transform(rotation, [0, 1, 2].map((a) => m[4 * i + a]! + u[4 * i + a]!) as unknown as Vec3);
      for (let a = 0; a < 3; a++) result[3 * i + a] = p[a]! + origin[a]!;
    }
  }
  return result;
}

test('contact forces equal those of every touching pair', async () => {
  const bench = await buildBench([
    { input: { material: materials[0]! }, points: block([4, 4, 4], 0.1, 0.1, 1) },
    // Turned, and into the first by a fifth of a spacing.
    {
      input: { material: materials[1]!, rotation: [0, 0, 90], position: [0.38, 0.05, 0.03] },
      points: block([4, 4, 4], 0.1, 0.1, 2),
    },
  ]);
  const { store, elastic } = bench.model;
  const random = randomNumbers(4);
  const v = store.vectors(layout.VELOCITY);
  for (let k = 0; k < v.length; k++) if (k % 4 !== 3) v[k] = random() - 0.5;
  elastic.evaluateForces();
  const count = store.integers(layout.SURFACE_OF, store.count).reduce((most, s) => Math.max(most, s), 0);
  const of = store.integers(layout.SURFACE_PARTICLE, count).map((number) => number & layout.INDEX_MASK);
  const bodyOf = store.integers(layout.BODY_OF, store.count);
  const mass = massesOf(bench);
  const x = worldPositions(bench);
  const rest = store.vectors(layout.REST);
  const elasticConstants = store.vectors(layout.ELASTIC);
  const each = (value: (i: number) => number) => Float64Array.from(of, (i) => value(i));
  const particles = {
    position: Float64Array.from({ length: 3 * count }, (_, k) => x[3 * of[Math.floor(k / 3)]! + (k % 3)]!),
    velocity: new Float64Array(3 * count),
    radius: each((i) => rest[4 * i + 3]!),
    // (E / (1 + nu)) times the width of a cell.
    stiffness: each((i) => 4 * elasticConstants[4 * i + 1]! * rest[4 * i + 3]!),
    mass: each((i) => mass[i]!),
    friction: each((i) => materials[bodyOf[i]!]!.friction),
    restitution: each((i) => materials[bodyOf[i]!]!.restitution),
  };
  for (let s = 0; s < count; s++) {
    const i = of[s]!;
    const { rotation } = elastic.frames[bodyOf[i]!]!;
    particles.velocity.set(transform(rotation, [v[4 * i]!, v[4 * i + 1]!, v[4 * i + 2]!]), 3 * s);
  }
  const expected = contactForces(particles, 0.5, (s, t) => bodyOf[of[s]!] !== bodyOf[of[t]!]);
  // Into the axes of the bodies.
  for (let s = 0; s < count; s++) {
    const [fx, fy, fz] = expected.subarray(3 * s, 3 * s + 3) as unknown as Vec3;
    const r = elastic.frames[bodyOf[of[s]!]!]!.rotation;
    expected.set(
      [0, 1, 2].map((a) => r[a]! * fx + r[a + 3]! * fy + r[a + 6]! * fz),
      3 * s,
    );
  }
  const forces = threes(store.floats(layout.CONTACT_FORCE, 4 * count));
  expect(expected.some((f) => f !== 0)).toBe(true);
  // Overlaps of 0.02 m as differences of positions of 0.4 m in float32.
  expect(relativeDifference(forces, expected)).toBeLessThan(1e-5);
  await bench.dispose();
});

/** Overlapping pairs of different bodies that the candidate lists do not hold. */
function missingPairs(bench: Bench): { touching: number; missing: number } {
  const { store, ranges } = bench.model;
  const x = worldPositions(bench);
  const rest = store.vectors(layout.REST);
  const surfaceOf = store.integers(layout.SURFACE_OF, store.count);
  const active = store.engine.arena.u32(store.context + layout.CONTACT_ACTIVE, 1)[0] === 1;
  const counts = (s: number) => store.engine.arena.u32(store.address(layout.CANDIDATE_COUNT) + 4 * s, 1)[0]!;
  const candidates = (s: number) =>
    store.engine.arena.u32(
      store.address(layout.CANDIDATES) +
        4 * store.engine.arena.u32(store.context + layout.CANDIDATE_CAPACITY, 1)[0]! * s,
      counts(s),
    );
  let [touching, missing] = [0, 0];
  const [a, b] = ranges;
  for (let i = a!.begin; i < a!.end; i++) {
    for (let j = b!.begin; j < b!.end; j++) {
      if (surfaceOf[i] === 0 || surfaceOf[j] === 0) continue;
      const reach = rest[4 * i + 3]! + rest[4 * j + 3]!;
      const d = Math.hypot(x[3 * i]! - x[3 * j]!, x[3 * i + 1]! - x[3 * j + 1]!, x[3 * i + 2]! - x[3 * j + 2]!);
      // A little inside, so that rounding does not decide.
      if (d > 0.9999 * reach) continue;
      touching++;
      const [s, t] = [surfaceOf[i]! - 1, surfaceOf[j]! - 1];
      if (!active || !candidates(s).includes(t) || !candidates(t).includes(s)) missing++;
    }
  }
  return { touching, missing };
}

test('no touching pair is missing from the candidates, however the bodies fly, spin and meet', async () => {
  const bench = await buildBench([
    { points: block([4, 4, 4], 0.1, 0.1, 1) },
    { input: { position: [1.2, 0.1, 0.05] }, points: block([3, 4, 5], 0.1, 0.1, 2) },
  ]);
  const { store, elastic, ranges } = bench.model;
  const v = store.vectors(layout.VELOCITY);
  const rest = store.vectors(layout.REST);
  // Towards each other, and spinning about z in opposite directions.
  for (const [b, { begin, end }] of ranges.entries()) {
    const sign = b === 0 ? 1 : -1;
    for (let i = begin; i < end; i++) {
      v[4 * i] = sign * (3 - 8 * rest[4 * i + 1]!);
      v[4 * i + 1] = sign * 8 * rest[4 * i]!;
    }
  }
  elastic.maximumSpeed = 6;
  displace(bench, [], () => [0, 0, 0]);
  elastic.evaluateForces();
  let [touching, missing] = [0, 0];
  while (elastic.time < 0.5) {
    elastic.step(elastic.chooseStep(true).timeStep);
    const found = missingPairs(bench);
    touching += found.touching;
    missing += found.missing;
  }
  expect(touching).toBeGreaterThan(100);
  expect(missing).toBe(0);
  await bench.dispose();
});
