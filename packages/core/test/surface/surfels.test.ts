import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refineMesh, sampleShape, shapeMesh } from '../../src/index.js';
import { multiply, transform } from '../../src/math/matrix3.js';
import { Engine } from '../../src/memory/engine.js';
import { rotationAbout } from '../../src/particles/frame.js';
import { sampleSurfels } from '../../src/surface/surfel-sampling.js';
import { SurfelCloud } from '../../src/surface/surfels.js';
import { affine, bend, largestDifference } from './support.js';

const TURN = rotationAbout([2 / 7, 3 / 7, 6 / 7], 2.1);
const SPACING = 0.04;

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.create(2);
});
afterAll(() => engine.dispose());

const sphere = shapeMesh({ sphere: { radius: 0.5 } }, 0.02);
const samples = sampleSurfels(sphere, SPACING);
const { positions: particles } = sampleShape(
  { sphere: { radius: 0.5 } },
  { spacing: 0.1, lattice: 'cubic', jitter: 0.1, seed: 3 },
);

const measure = (cloud: SurfelCloud) => {
  const [p, n, a] = [cloud.positions(), cloud.normals(), cloud.areas()];
  let [area, volume] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    area += a[i]!;
    volume += (a[i]! * (p[3 * i]! * n[3 * i]! + p[3 * i + 1]! * n[3 * i + 1]! + p[3 * i + 2]! * n[3 * i + 2]!)) / 3;
  }
  return { area, volume };
};

/** Rays from a point, evenly in all directions, that no ellipse stops. */
const openRays = (cloud: SurfelCloud, from: readonly number[], rays: number) => {
  const [p, axes, normals] = [cloud.positions(), cloud.axes(), cloud.normals()];
  const { count } = cloud;
  let open = 0;
  for (let r = 0; r < rays; r++) {
    const dz = 1 - (2 * r + 1) / rays;
    const turn = r * 2.399963229728653;
    const ring = Math.sqrt(1 - dz * dz);
    const [dx, dy] = [ring * Math.cos(turn), ring * Math.sin(turn)];
    let stopped = false;
    for (let i = 0; i < count && !stopped; i++) {
      const [x, y, z] = [p[3 * i]! - from[0]!, p[3 * i + 1]! - from[1]!, p[3 * i + 2]! - from[2]!];
      const along = x * dx + y * dy + z * dz;
      // No ellipse is larger than this.
      if (along < 0 || x * x + y * y + z * z - along * along > 0.01) continue;
      const [nx, ny, nz] = [normals[3 * i]!, normals[3 * i + 1]!, normals[3 * i + 2]!];
      const t = (x * nx + y * ny + z * nz) / (dx * nx + dy * ny + dz * nz);
      stopped = t > 0 && covers(axes, 6 * i, t * dx - x, t * dy - y, t * dz - z);
    }
    if (!stopped) open++;
  }
  return open;
};

/** Is an offset in the plane of an ellipse within it? */
const covers = (t: Float32Array, at: number, x: number, y: number, z: number) => {
  const [ax, ay, az, bx, by, bz] = t.subarray(at, at + 6) as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [e, f, g] = [ax * ax + ay * ay + az * az, ax * bx + ay * by + az * bz, bx * bx + by * by + bz * bz];
  const [u, v] = [ax * x + ay * y + az * z, bx * x + by * y + bz * z];
  const det = e * g - f * f;
  const [s, r] = [(u * g - v * f) / det, (v * e - u * f) / det];
  return s * s + r * r <= 1;
};

describe('surfels of a sphere', () => {
  it('have its area and volume within 1 %, and no holes', () => {
    const cloud = new SurfelCloud(engine, particles, samples);
    cloud.update(particles);
    const { area, volume } = measure(cloud);
    expect(Math.abs(area / Math.PI - 1)).toBeLessThan(0.01);
    expect(Math.abs(volume / (Math.PI / 6) - 1)).toBeLessThan(0.01);
    expect(openRays(cloud, [0, 0, 0], 5000)).toBe(0);
    expect(openRays(cloud, [0.1, -0.2, 0.3], 5000)).toBe(0);
  });

  it('stand evenly: discs are hardly larger than they must be', () => {
    // A hexagonal pattern has one per sqrt(3)/2 of the distance squared, and discs of 1/sqrt(3) of it.
    const ideal = Math.PI / ((Math.sqrt(3) / 2) * SPACING ** 2);
    expect(samples.count / ideal).toBeGreaterThan(0.8);
    expect(samples.count / ideal).toBeLessThan(1.2);
    const radii = Array.from({ length: samples.count }, (_, i) =>
      Math.hypot(...samples.axes.subarray(6 * i, 6 * i + 3)),
    );
    expect(Math.max(...radii)).toBeLessThan(1.1 * SPACING);
  });

  it('move rigidly with a rigid motion, to 1e-5 of their size', () => {
    const cloud = new SurfelCloud(engine, particles, samples);
    const report = cloud.update(affine(particles, TURN, [3, -2, 1]));
    expect(report).toEqual({ splits: 0, joins: 0 });
    expect(largestDifference(cloud.positions(), affine(samples.positions, TURN, [3, -2, 1]))).toBeLessThan(1e-5);
    expect(largestDifference(cloud.axes(), affine(samples.axes, TURN, [0, 0, 0]))).toBeLessThan(1e-6);
  });

  it('follow a linear deformation exactly, axes and normals too', () => {
    const cloud = new SurfelCloud(engine, particles, samples);
    const a = multiply(TURN, [1.2, 0.2, -0.1, 0.1, 0.9, 0.2, 0, -0.3, 1.1]);
    cloud.update(affine(particles, a, [0.3, 0.2, -1]));
    expect(cloud.count).toBe(samples.count);
    expect(largestDifference(cloud.positions(), affine(samples.positions, a, [0.3, 0.2, -1]))).toBeLessThan(2e-6);
    expect(largestDifference(cloud.axes(), affine(samples.axes, a, [0, 0, 0]))).toBeLessThan(1e-6);
    // An ellipsoid: the area by the axes and the volume by the determinant.
    const det =
      a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    expect(Math.abs(measure(cloud).volume / ((Math.PI / 6) * det) - 1)).toBeLessThan(0.01);
    const [n, t] = [cloud.normals(), cloud.axes()];
    for (let i = 0; i < cloud.count; i++) {
      for (const axis of [0, 3]) {
        const across = [0, 1, 2].reduce((sum, k) => sum + n[3 * i + k]! * t[6 * i + axis + k]!, 0);
        expect(Math.abs(across)).toBeLessThan(1e-6);
      }
    }
  });
});

describe('surfels that are stretched', () => {
  const stretches = [
    { name: 'four times along x', a: [4, 0, 0, 0, 1, 0, 0, 0, 1] },
    { name: 'four times in all directions', a: [4, 0, 0, 0, 4, 0, 0, 0, 4] },
    { name: 'sheared by three', a: [1, 3, 0, 0, 1, 0, 0, 0, 1] },
    { name: 'eight times along a diagonal', a: [4.5, 3.5, 0, 3.5, 4.5, 0, 0, 0, 1] },
  ] as const;

  it.each(stretches)('$name have no holes and keep area and volume; back they are the same again', ({ a }) => {
    const cloud = new SurfelCloud(engine, particles, samples);
    cloud.update(particles);
    const before = [cloud.positions(), cloud.axes(), cloud.normals(), cloud.areas()];
    const far = affine(particles, multiply(TURN, [...a]), [0, 0, 0]);
    // By degrees, so that splits build on splits.
    for (const share of [0.3, 0.7, 1]) cloud.update(far.map((x, k) => particles[k]! + share * (x - particles[k]!)));
    expect(cloud.count).toBeGreaterThan(1.5 * samples.count);
    const det =
      a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    expect(Math.abs(measure(cloud).volume / ((Math.PI / 6) * det) - 1)).toBeLessThan(0.01);
    expect(openRays(cloud, [0, 0, 0], 2000)).toBe(0);
    for (const share of [0.5, 0]) cloud.update(far.map((x, k) => particles[k]! + share * (x - particles[k]!)));
    expect([cloud.positions(), cloud.axes(), cloud.normals(), cloud.areas()]).toEqual(before);
  });

  it('go on from a save to the same bits', () => {
    const one = new SurfelCloud(engine, particles, samples);
    const other = new SurfelCloud(engine, particles, samples);
    one.update(affine(particles, [3, 0.5, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0]));
    other.restore(structuredClone(one.save()));
    for (const cloud of [one, other]) cloud.update(bend(affine(particles, [2.6, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0])));
    expect(other.count).toBe(one.count);
    expect(other.positions()).toEqual(one.positions());
    expect(other.axes()).toEqual(one.axes());
  });
});

describe('what surfels carry', () => {
  it('texture coordinates are those of the mesh at their places, of split ones too', () => {
    const box = refineMesh(shapeMesh({ box: { size: [1, 0.6, 0.4] } }, 1), 0.3);
    // A texture that is linear in space, so that every position has a known value.
    const uvOf = (p: ArrayLike<number>) => [0.2 + 0.5 * p[0]! - 0.3 * p[1]!, 0.1 * p[2]! + 0.4 * p[1]!];
    const count = box.positions.length / 3;
    const values = Float32Array.from(
      Array.from({ length: count }, (_, v) => uvOf(box.positions.subarray(3 * v, 3 * v + 3))).flat(),
    );
    const own = sampleSurfels({ ...box, finish: { uvs: { values, of: box.triangles } } }, 0.08);
    const cube = sampleShape({ box: { size: [1, 0.6, 0.4] } }, { spacing: 0.1, lattice: 'cubic', jitter: 0, seed: 1 });
    const cloud = new SurfelCloud(engine, cube.positions, own);
    cloud.update(affine(cube.positions, [3, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0]));
    expect(cloud.count).toBeGreaterThan(own.count);
    const [p, uv] = [cloud.positions(), cloud.uvs()!];
    for (let i = 0; i < cloud.count; i++) {
      const rest = transform([1 / 3, 0, 0, 0, 1, 0, 0, 0, 1], [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!]);
      expect(largestDifference(uv.subarray(2 * i, 2 * i + 2), uvOf(rest))).toBeLessThan(1e-5);
    }
  });
});
