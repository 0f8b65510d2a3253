import { describe, expect, test } from 'vitest';
import { ReferenceSolid } from '../../reference/index.js';
import { type Matrix3, transform } from '../../src/math/matrix3.js';
import type { Vec3 } from '../../src/options/types.js';
import { rotationAbout } from '../../src/particles/frame.js';
import * as layout from '../../src/particles/layout.js';
import { block, buildBench, displace, norm, SOME_BOX, threes, withWorld } from './support.js';

const spacing = 0.1;
const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };
/** What a strain of one would give: the scale that rounding is measured by [m/s2]. */
const STRAIN_ACCELERATION = material.youngsModulus / (material.density * spacing);

const axis: Vec3 = [2 / 7, 3 / 7, 6 / 7];
const bodies: [string, Vec3, number][] = [
  ['an irregular block', [5, 4, 6], 0.25],
  ['a sheet', [6, 1, 7], 0],
  ['a string', [1, 8, 1], 0],
  ['a lone particle', [1, 1, 1], 0],
];
const motions: [string, Matrix3, Vec3][] = [
  ['translation', rotationAbout(axis, 0), [0.3, -0.2, 0.5]],
  ['turn by 1 degree', rotationAbout(axis, Math.PI / 180), [0, 0, 0]],
  ['turn by 100 degrees', rotationAbout(axis, (100 * Math.PI) / 180), [0.1, 0, 0]],
  ['half turn', rotationAbout(axis, Math.PI), [0, 0, 0]],
];

describe.each(bodies)('%s', (_, sides, jitter) => {
  test.each(motions)('a %s causes no elastic force', async (_, turn, shift) => {
    const points = block(sides, spacing, jitter);
    const rigid = (m: Vec3): Vec3 => {
      const p = transform(turn, m);
      return [p[0] - m[0] + shift[0], p[1] - m[1] + shift[1], p[2] - m[2] + shift[2]];
    };
    const reference = new ReferenceSolid({ ...points, ...material });
    for (let i = 0; i < reference.count; i++) {
      const m = [...points.positions.subarray(3 * i, 3 * i + 3)] as unknown as Vec3;
      reference.displacement.set(rigid(m), 3 * i);
    }
    reference.computeStresses();
    reference.computeForces();
    // Double precision: the cancellation of J^T J leaves some units of 1e-16 in the strain.
    expect(norm([...reference.acceleration]) / STRAIN_ACCELERATION).toBeLessThan(1e-12);
    const scale = material.youngsModulus * reference.volume.reduce((sum, v) => sum + v, 0);
    expect(Math.abs(reference.energy().elastic) / scale).toBeLessThan(1e-15);

    const bench = await buildBench([{ input: { material }, points }]);
    displace(bench, [], rigid);
    const { elastic, store } = bench.model;
    elastic.evaluateForces();
    const largest = () => threes(store.vectors(layout.ACCELERATION)).reduce((a, x) => Math.max(a, Math.abs(x)), 0);
    // Float32 displacements as large as the body: 6e-8 of 1 m over a spacing of 0.1 m, some neighbours' worth.
    expect(largest() / STRAIN_ACCELERATION).toBeLessThan(2e-5);

    // The change of frame takes the motion out of the displacements.
    elastic.step(1e-6);
    const u = threes(store.vectors(layout.DISPLACEMENT)).reduce((a, x) => Math.max(a, Math.abs(x)), 0);
    expect(u).toBeLessThan(3e-7);
    expect(largest() / STRAIN_ACCELERATION).toBeLessThan(2e-5);
    const { rotation } = elastic.frames[0]!;
    // A block shows which way it is turned; a string or a point does not.
    if (sides[0] > 1 && sides[2] > 1) for (let k = 0; k < 9; k++) expect(rotation[k]).toBeCloseTo(turn[k]!, 5);
    await bench.dispose();
  });
});

test('a body that flies and tumbles keeps its shape over many turns', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    const points = block([5, 4, 6], spacing, 0.2);
    world.addBody({ name: 'b', shape: SOME_BOX, material, velocity: [3, 1, -2], angularVelocity: [0, 0.2, 0] }, points);
    // A slow spin, so that centrifugal stretch (rho w^2 L^2 / E, 1.4e-4) is small.
    const before = world.energy();
    for (let frame = 0; frame < 40; frame++) world.step(0.05);
    const after = world.energy();
    expect(after.kinetic / before.kinetic).toBeCloseTo(1, 5);
    expect(after.elastic / before.kinetic).toBeLessThan(1e-6);
    // Rest positions of 0.3 m are rounded to 2e-8 m: det J to about 1e-6.
    for (const ratio of world.volumeRatios()) expect(Math.abs(ratio - 1)).toBeLessThan(1e-4);
  });
});
