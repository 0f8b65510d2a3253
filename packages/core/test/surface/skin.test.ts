import { describe, expect, it } from 'vitest';
import {
  fitRigidPose,
  movePoints,
  refineMesh,
  type Shape,
  Skin,
  sampleShape,
  shapeMesh,
  splitAtCreases,
  vertexNormals,
} from '../../src/index.js';
import type { Matrix3 } from '../../src/math/matrix3.js';
import { multiply, transform } from '../../src/math/matrix3.js';
import { rotationAbout } from '../../src/particles/frame.js';

const TURN = rotationAbout([2 / 7, 3 / 7, 6 / 7], 2.1);

const affine = (points: ArrayLike<number>, a: Matrix3, t: readonly number[]): Float64Array => {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = transform(a, [points[i]!, points[i + 1]!, points[i + 2]!]);
    out.set([x + t[0]!, y + t[1]!, z + t[2]!], i);
  }
  return out;
};

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

const bodies: { name: string; shape: Shape; lattice: 'cubic' | 'hcp' | 'octree'; spacing: number }[] = [
  { name: 'a box', shape: { box: { size: [1, 0.6, 0.4] } }, lattice: 'cubic', spacing: 0.1 },
  { name: 'a torus', shape: { torus: { radius: 0.4, tube: 0.15 } }, lattice: 'hcp', spacing: 0.07 },
  { name: 'an octree sphere', shape: { sphere: { radius: 0.5 } }, lattice: 'octree', spacing: 0.06 },
];

const build = ({ shape, lattice, spacing }: (typeof bodies)[number]) => {
  const { positions: particles } = sampleShape(shape, { spacing, lattice, jitter: 0.1, seed: 3 });
  const mesh = refineMesh(shapeMesh(shape, spacing / 2), spacing);
  return { particles, mesh, skin: new Skin(mesh.positions, particles) };
};

describe.each(bodies)('the skin of $name', (body) => {
  const { particles, mesh, skin } = build(body);
  const out = new Float64Array(mesh.positions.length);

  it('stays at rest when the particles do', () => {
    skin.deform(particles, out);
    expect(largestDifference(out, mesh.positions)).toBeLessThan(1e-12);
  });

  it('moves rigidly with a rigid motion, by float32 positions to 1e-5 of its size', () => {
    const moved = Float32Array.from(affine(particles, TURN, [3, -2, 1]));
    skin.deform(moved, out);
    expect(largestDifference(out, affine(mesh.positions, TURN, [3, -2, 1]))).toBeLessThan(1e-5);
  });

  it('has the velocities of a body that turns and stretches exactly', () => {
    const rate: Matrix3 = [0.3, -2, 1, 2, -0.1, -3, -1, 3, 0.2];
    skin.moveVelocities(affine(particles, rate, [3, -2, 1]), out);
    expect(largestDifference(out, affine(mesh.positions, rate, [3, -2, 1]))).toBeLessThan(1e-11);
  });

  it('follows an affine deformation exactly', () => {
    const a = multiply(TURN, [1.8, 0.4, -0.1, 0.2, 0.6, 0.3, 0, -0.5, 1.1]);
    skin.deform(affine(particles, a, [0.3, 0.2, -1]), out);
    // Rounding of double precision, over sums of 26 neighbours.
    expect(largestDifference(out, affine(mesh.positions, a, [0.3, 0.2, -1]))).toBeLessThan(1e-11);
  });

  it('turns normals as the deformed triangles turn', () => {
    const a = multiply(TURN, [1.5, 0.4, 0, 0, 0.7, 0, 0, 0, 1]);
    const smooth = splitAtCreases(mesh, 40);
    const own = new Skin(smooth.positions, particles);
    const positions = new Float64Array(smooth.positions.length);
    own.deform(affine(particles, a, [0, 0, 0]), positions);
    const turned = new Float64Array(positions.length);
    own.turnNormals(faceNormal(smooth.positions, smooth.triangles), turned);
    const expected = faceNormal(positions, smooth.triangles);
    expect(largestDifference(turned, expected)).toBeLessThan(1e-9);
  });

  it('interpolates a constant to itself, between the least and the largest value', () => {
    const values = new Float64Array(mesh.positions.length / 3);
    skin.interpolate(new Float32Array(skin.particleCount).fill(7), values);
    expect(largestDifference(values, new Float64Array(values.length).fill(7))).toBeLessThan(1e-12);
  });
});

/** The normal of the last triangle of each vertex, so that it is exactly that of a face. */
function faceNormal(positions: Float64Array, triangles: Uint32Array): Float64Array {
  const normals = new Float64Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const one = triangles.subarray(t, t + 3);
    const own = Float64Array.from([...one].flatMap((v) => [...positions.subarray(3 * v, 3 * v + 3)]));
    const n = vertexNormals(own, [0, 1, 2]);
    for (const v of one) normals.set(n.subarray(0, 3), 3 * v);
  }
  return normals;
}

describe('skins of thin bodies', () => {
  const rows = (nx: number, ny: number) =>
    Float64Array.from({ length: 3 * nx * ny }, (_, i) => {
      const p = Math.floor(i / 3);
      return [(p % nx) * 0.1, Math.floor(p / nx) * 0.1, 0][i % 3]!;
    });

  it('one layer of particles keeps its thickness when it turns', () => {
    const particles = rows(8, 6);
    const vertices = Float64Array.from([0.2, 0.3, 0.05, 0.2, 0.3, -0.05, 0.55, 0.1, 0.05]);
    const skin = new Skin(vertices, particles);
    const out = new Float64Array(vertices.length);
    skin.deform(affine(particles, TURN, [1, 2, 3]), out);
    expect(largestDifference(out, affine(vertices, TURN, [1, 2, 3]))).toBeLessThan(1e-11);
  });

  it('a string and a single particle have a skin too', () => {
    for (const particles of [rows(9, 1), rows(1, 1)]) {
      const vertices = Float64Array.from([0.1, 0.05, 0, 0, 0, 0.05]);
      const skin = new Skin(vertices, particles);
      const out = new Float64Array(6);
      const shift = affine(particles, [1, 0, 0, 0, 1, 0, 0, 0, 1], [1, 2, 3]);
      skin.deform(shift, out);
      expect(largestDifference(out, [1.1, 2.05, 3, 1, 2, 3.05])).toBeLessThan(1e-12);
    }
  });
});

describe('the pose of a rigid body', () => {
  const { positions: rest } = sampleShape(
    { box: { size: [0.4, 0.2, 0.1] } },
    { spacing: 0.05, lattice: 'cubic', jitter: 0, seed: 1 },
  );

  it.each([0, 0.5, 2, Math.PI - 1e-9, Math.PI, 5])('is found after a turn by %f rad', (angle) => {
    const turn = rotationAbout([0.6, 0, 0.8], angle);
    const pose = fitRigidPose(rest, affine(rest, turn, [1, -3, 2]));
    expect(largestDifference(pose.rotation, turn)).toBeLessThan(1e-12);
    const out = new Float64Array(rest.length);
    movePoints(pose, rest, out);
    expect(largestDifference(out, affine(rest, turn, [1, -3, 2]))).toBeLessThan(1e-12);
  });
});

describe('meshes for skins', () => {
  it('refined triangles have the area and the volume they had, no long edge and no hole', () => {
    const mesh = shapeMesh({ cylinder: { radius: 0.3, length: 1 } }, 0.05);
    const fine = refineMesh(mesh, 0.06);
    expect(measure(fine).area / measure(mesh).area).toBeCloseTo(1, 9);
    expect(measure(fine).volume / measure(mesh).volume).toBeCloseTo(1, 9);
    const { positions: p, triangles } = splitAtCreases(fine, 181);
    const edges = new Map<string, number>();
    for (let c = 0; c < triangles.length; c++) {
      const [a, b] = [triangles[c]!, triangles[c - (c % 3) + ((c + 1) % 3)]!];
      const d = Math.hypot(...[0, 1, 2].map((k) => p[3 * a + k]! - p[3 * b + k]!));
      expect(d).toBeLessThanOrEqual(0.06);
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      edges.set(key, (edges.get(key) ?? 0) + (a < b ? 1 : -1));
    }
    expect([...edges.values()].every((sum) => sum === 0)).toBe(true);
  });

  it('a box keeps its edges and a sphere has none', () => {
    const box = splitAtCreases(shapeMesh({ box: { size: [1, 1, 1] } }, 1), 40);
    expect(box.positions.length / 3).toBe(24);
    const normals = vertexNormals(box.positions, box.triangles);
    for (let i = 0; i < normals.length; i += 3) {
      expect(Math.max(...[0, 1, 2].map((k) => Math.abs(normals[i + k]!)))).toBeCloseTo(1, 12);
    }
    const sphere = splitAtCreases(shapeMesh({ sphere: { radius: 1 } }, 0.1), 40);
    const own = vertexNormals(sphere.positions, sphere.triangles);
    expect(largestDifference(own, sphere.positions)).toBeLessThan(0.01);
  });
});

function measure({ positions: p, triangles }: { positions: Float64Array; triangles: Uint32Array }) {
  let [area, volume] = [0, 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [...p.subarray(3 * triangles[t + k]!, 3 * triangles[t + k]! + 3)]) as [
      number[],
      number[],
      number[],
    ];
    const u = b.map((x, k) => x - a[k]!);
    const v = c.map((x, k) => x - a[k]!);
    const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    area += Math.hypot(...n) / 2;
    volume += (a[0]! * n[0]! + a[1]! * n[1]! + a[2]! * n[2]!) / 6;
  }
  return { area, volume };
}
