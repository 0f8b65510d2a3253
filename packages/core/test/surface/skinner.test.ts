import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rotationFromDegrees, transform } from '../../src/math/matrix3.js';
import { Skin } from '../../src/surface/skin.js';
import { Skinner, type Skinning } from '../../src/surface/skinner.js';

/** A bar of particles a spacing of 0.05 apart, and vertices in and around it. */
const particles: number[] = [];
for (let i = 0; i < 20; i++) {
  for (let j = 0; j < 5; j++) for (let k = 0; k < 5; k++) particles.push(0.05 * i, 0.05 * j, 0.05 * k);
}
const vertices = Array.from({ length: 3000 }, (_, k) => {
  const share = (Math.sin(12.9898 * k) + 1) / 2;
  return k % 3 === 0 ? -0.03 + 1.01 * share : -0.03 + 0.26 * share;
});
const normals = Array.from({ length: 1000 }, (_, k) => [Math.cos(k), Math.sin(k), 0]).flat();

function moved(motion: (p: [number, number, number]) => readonly number[], points: readonly number[]): number[] {
  const out: number[] = [];
  for (let i = 0; i < points.length; i += 3) out.push(...motion([points[i]!, points[i + 1]!, points[i + 2]!]));
  return out;
}
const turn = rotationFromDegrees([20, 50, -30]);
const rigid = (p: [number, number, number]) => transform(turn, p).map((x, k) => x + [3, -2, 5][k]!);
const bent = ([x, y, z]: [number, number, number]) => [
  x + 0.3 * y * x,
  y * (1 - 0.2 * x) + 0.2 * x * x,
  z + 0.1 * x * y,
];
const largest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, k) => Math.max(most, Math.abs(x - b[k]!)), 0);

let skinner: Skinner;
beforeAll(async () => {
  skinner = await Skinner.create({ threads: 1 });
});
afterAll(() => skinner.dispose());

/** All that skins give, after one deformation. */
function outcome(skin: Skinning, now: readonly number[]) {
  const out = () => new Float64Array(vertices.length);
  const [positions, turned, speeds, values] = [out(), out(), out(), new Float64Array(vertices.length / 3)];
  skin.deform(now, positions);
  skin.turnNormals(normals, turned);
  skin.moveVelocities(
    now.map((x, k) => 2 * x - (k % 3)),
    speeds,
  );
  skin.interpolate(
    particles.filter((_, k) => k % 3 === 0),
    values,
  );
  return { positions, turned, speeds, values };
}

describe('a skin in WebAssembly', () => {
  it('moves rigidly with its particles', () => {
    const { positions } = outcome(skinner.skin(vertices, particles), moved(rigid, particles));
    expect(largest(positions, moved(rigid, vertices))).toBeLessThan(1e-5);
  });

  it('does what the one in double precision does', () => {
    const now = moved(bent, particles);
    const [ours, exact] = [
      outcome(skinner.skin(vertices, particles), now),
      outcome(new Skin(vertices, particles), now),
    ];
    // float32 of positions and velocities of about a metre.
    expect(largest(ours.positions, exact.positions)).toBeLessThan(3e-6);
    expect(largest(ours.turned, exact.turned)).toBeLessThan(2e-5);
    expect(largest(ours.speeds, exact.speeds)).toBeLessThan(1e-5);
    expect(largest(ours.values, exact.values)).toBeLessThan(1e-6);
  });

  it('is the same to the bit on any number of threads', async () => {
    const now = moved(bent, particles);
    const one = outcome(skinner.skin(vertices, particles), now);
    const other = await Skinner.create({ threads: 2 });
    expect(outcome(other.skin(vertices, particles), now)).toEqual(one);
    await other.dispose();
  });

  it('takes its memory once, and shares it with others', () => {
    const [a, b] = [skinner.skin(vertices, particles), skinner.skin(vertices, particles)];
    const now = moved(bent, particles);
    const first = outcome(a, now);
    outcome(b, moved(rigid, particles));
    const bytes = skinner.memoryBytes;
    for (let k = 0; k < 5; k++) outcome(k % 2 === 0 ? a : b, now);
    expect(outcome(a, now)).toEqual(first);
    expect(skinner.memoryBytes).toBe(bytes);
  });

  it('needs a particle', () => {
    expect(() => skinner.skin(vertices, [])).toThrow('at least one particle');
  });
});
