import { beforeAll, describe, expect, test } from 'vitest';
import { Engine } from '../../src/memory/engine.js';
import { fitParticles, followParticles } from '../../src/surface/binding.js';
import { Carriers } from '../../src/surface/carry.js';
import { NearestPoints } from '../../src/surface/nearest.js';
import {
  findNeighborhoods,
  fitGradients,
  normalise,
  PARTICLE_NEIGHBORS,
  VERTEX_NEIGHBORS,
} from '../../src/surface/neighborhoods.js';
import { Skin } from '../../src/surface/skin.js';
import { bend, largestDifference } from './support.js';

/** Numbers that look random and are the same every time. */
function scattered(count: number, seed = 1): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

function lattice(nx: number, ny: number, nz: number): Float64Array {
  const points: number[] = [];
  for (let z = 0; z < nz; z++) for (let y = 0; y < ny; y++) for (let x = 0; x < nx; x++) points.push(x, y, z);
  return Float64Array.from(points, (x) => 0.1 * x - 0.3);
}

const CLOUDS: readonly (readonly [string, Float64Array])[] = [
  ['scattered particles', scattered(3 * 700)],
  ['a lattice, full of equal distances', lattice(9, 8, 7)],
  ['a sheet', lattice(20, 1, 20)],
  ['a line', lattice(40, 1, 1)],
  ['fewer particles than neighbours', scattered(3 * 5)],
  ['one particle', Float64Array.of(0.1, 0.2, 0.3)],
  ['particles in one place', new Float64Array(3 * 40).fill(0.25)],
  ['more particles than a portion', scattered(3 * 5000, 7)],
];

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.create(1);
});

describe.each(CLOUDS)('%s', (_, particles) => {
  test('places follow the particles that they follow in double precision in JavaScript, to the bit', () => {
    // Within the cloud, far outside of it, and at particles.
    const positions = Float64Array.from([...scattered(300, 5).map((x) => 3 * x - 1), ...particles.subarray(0, 30)]);
    const expected = findNeighborhoods(new NearestPoints(particles), positions, VERTEX_NEIGHBORS, false);
    normalise(expected);
    expect(followParticles(engine, particles, positions)).toEqual(expected);
  });

  test('gradients are fitted to the same neighbours with the same vectors', () => {
    const expected = findNeighborhoods(new NearestPoints(particles), particles, PARTICLE_NEIGHBORS, true);
    const { vectors, flats } = fitGradients(particles, expected);
    const found = fitParticles(engine, particles);
    expect(found.neighborhoods).toEqual(expected);
    // Both find axes by rotations until nothing is left off the diagonal, to the last bits.
    const largest = vectors.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    expect(largestDifference(found.vectors, vectors)).toBeLessThanOrEqual(1e-11 * largest);
    expect(found.flats.map(({ particle, rank }) => [particle, rank])).toEqual(
      flats.map(({ particle, rank }) => [particle, rank]),
    );
  });
});

test('affine maps of the followed particles are those of the skin in double precision', () => {
  for (const particles of [lattice(9, 8, 7), lattice(20, 1, 20)]) {
    const count = particles.length / 3;
    const carriers = new Carriers(engine, particles);
    const skin = new Skin([0, 0, 0], particles);
    const bent = bend(particles);
    const expected = new Float64Array(12 * count);
    skin.affines(bent, expected);
    const affines = new Float32Array(12 * count + 12);
    carriers.update(bent);
    carriers.affines(affines, 12);
    // Sums of 26 float32 numbers.
    expect(largestDifference(affines.subarray(12), expected)).toBeLessThan(1e-5);

    // Others are left out, and come back with the next that follow them.
    carriers.follow(Uint32Array.of(3, 17));
    affines.fill(7);
    carriers.update(particles);
    carriers.affines(affines, 12);
    skin.affines(particles, expected);
    for (const j of [3, 17]) {
      const own = affines.subarray(12 + 12 * j, 24 + 12 * j);
      expect(largestDifference(own, expected.subarray(12 * j, 12 * j + 12))).toBeLessThan(1e-5);
    }
    carriers.follow(Uint32Array.from({ length: count }, (_, j) => j));
    carriers.update(bent);
    carriers.affines(affines, 12);
    skin.affines(bent, expected);
    expect(largestDifference(affines.subarray(12), expected)).toBeLessThan(1e-5);
  }
});
