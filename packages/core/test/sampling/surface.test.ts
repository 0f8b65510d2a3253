import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Bvh } from '../../src/mesh/bvh.js';
import { readMesh } from '../../src/mesh/read.js';
import type { ObstacleShape, TriangleMesh, Vec3 } from '../../src/options/types.js';
import { SamplingError } from '../../src/sampling/error.js';
import { sampleObstacle, sampleSurface } from '../../src/sampling/surface.js';
import { boxMesh, join, packagedMesh, randomNumbers, sphereMesh, unshared } from '../mesh/meshes.js';

/** Points in cells, for the nearest one within `reach`. */
class Cells {
  private readonly cells = new Map<string, number[]>();

  constructor(
    private readonly points: Float64Array,
    private readonly reach: number,
  ) {
    for (let i = 0; i < points.length / 3; i++) {
      const key = [0, 1, 2].map((a) => Math.floor(points[3 * i + a]! / reach)).join();
      const cell = this.cells.get(key);
      if (cell) cell.push(i);
      else this.cells.set(key, [i]);
    }
  }

  /** Points within reach of (x, y, z), with their distances. */
  near(x: number, y: number, z: number): { index: number; distance: number }[] {
    const found: { index: number; distance: number }[] = [];
    const c = [x, y, z].map((v) => Math.floor(v / this.reach));
    for (let k = 0; k < 27; k++) {
      const key = [c[0]! + (k % 3) - 1, c[1]! + (Math.floor(k / 3) % 3) - 1, c[2]! + Math.floor(k / 9) - 1].join();
      for (const i of this.cells.get(key) ?? []) {
        const distance = Math.hypot(this.points[3 * i]! - x, this.points[3 * i + 1]! - y, this.points[3 * i + 2]! - z);
        if (distance <= this.reach) found.push({ index: i, distance });
      }
    }
    return found;
  }
}

function areaOf(mesh: TriangleMesh, t: number): number {
  const [u, v] = [1, 2].map((k) =>
    [0, 1, 2].map(
      (a) => mesh.positions[3 * mesh.triangles[3 * t + k]! + a]! - mesh.positions[3 * mesh.triangles[3 * t]! + a]!,
    ),
  ) as [number[], number[]];
  return Math.hypot(u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!) / 2;
}

function wholeArea(mesh: TriangleMesh): number {
  let area = 0;
  for (let t = 0; t < mesh.triangles.length / 3; t++) area += areaOf(mesh, t);
  return area;
}

/** Random points on a mesh, and all of its corners. */
function pointsOn(mesh: TriangleMesh, count: number): Vec3[] {
  const random = randomNumbers(7);
  const points: Vec3[] = [];
  const whole = wholeArea(mesh);
  let due = 0;
  for (let t = 0; t < mesh.triangles.length / 3; t++) {
    due += (areaOf(mesh, t) / whole) * count;
    for (; due > 0; due--) {
      let u = random();
      let v = random();
      if (u + v > 1) [u, v] = [1 - u, 1 - v];
      const at = (a: number) => {
        const [p, q, r] = [0, 1, 2].map((k) => mesh.positions[3 * mesh.triangles[3 * t + k]! + a]!);
        return p! + u * (q! - p!) + v * (r! - p!);
      };
      points.push([at(0), at(1), at(2)]);
    }
  }
  for (let v = 0; v < Math.min(mesh.positions.length / 3, 4000); v++) {
    points.push([mesh.positions[3 * v]!, mesh.positions[3 * v + 1]!, mesh.positions[3 * v + 2]!]);
  }
  return points;
}

function separation(particles: Float64Array, spacing: number): number {
  const cells = new Cells(particles, spacing);
  let least = Infinity;
  for (let i = 0; i < particles.length / 3; i++) {
    for (const { index, distance } of cells.near(particles[3 * i]!, particles[3 * i + 1]!, particles[3 * i + 2]!)) {
      if (index !== i) least = Math.min(least, distance / spacing);
    }
  }
  return least;
}

function coverage(particles: Float64Array, points: readonly Vec3[], spacing: number): number {
  const cells = new Cells(particles, spacing);
  let most = 0;
  for (const [x, y, z] of points) {
    most = Math.max(most, cells.near(x, y, z).reduce((d, n) => Math.min(d, n.distance), Infinity) / spacing);
  }
  return most;
}

const bunny = await readMesh(
  new Uint8Array(readFileSync(new URL('../../../../examples/meshes/bunny.ply', import.meta.url))),
  'bunny.ply',
);

const SOLIDS: [string, TriangleMesh, number][] = [
  ['a box whose sides are no multiples of the spacing', boxMesh([1, 0.73, 0.414]), 0.05],
  ['a box of corners that are not shared', unshared(boxMesh([0.3, 0.2, 0.5])), 0.03],
  ['a sphere of small triangles', sphereMesh(1, 5), 0.2],
  ['a sphere of large triangles', sphereMesh(1, 1), 0.05],
  ['a long rod', boxMesh([0.11, 5, 0.11]), 0.05],
];

describe.each(SOLIDS)('%s', (_, mesh, spacing) => {
  const particles = sampleSurface(mesh, spacing);

  it('has particles no nearer than 0.75 spacings', () => {
    expect(separation(particles, spacing)).toBeGreaterThan(0.75 - 1e-9);
  });

  it('has no point farther than 0.75 spacings from a particle', () => {
    // The guarantee is 0.79.
    expect(coverage(particles, pointsOn(mesh, 8000), spacing)).toBeLessThan(0.76);
  });

  it('has about 1.18 particles per spacing^2', () => {
    const ratio = ((particles.length / 3) * spacing ** 2) / wholeArea(mesh);
    // Edges and corners carry more on a rod of two spacings.
    expect(ratio).toBeGreaterThan(1.05);
    expect(ratio).toBeLessThan(1.4);
  });

  it('has them on the surface', () => {
    const bvh = new Bvh(mesh);
    for (let i = 0; i < particles.length; i += 3) {
      const p: Vec3 = [particles[i]!, particles[i + 1]!, particles[i + 2]!];
      const { point } = bvh.closestPoint(p)!;
      expect(Math.hypot(point[0]! - p[0], point[1]! - p[1], point[2]! - p[2])).toBeLessThan(1e-11);
    }
  });
});

it('corners and edges of a box carry particles', () => {
  const spacing = 0.06;
  const particles = sampleSurface(boxMesh([0.5, 0.3, 0.2]), spacing);
  const on = (i: number) =>
    [0.5, 0.3, 0.2].filter((side, a) => Math.abs(Math.abs(particles[3 * i + a]!) - side / 2) < 1e-12).length;
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < particles.length / 3; i++) counts[on(i)]!++;
  expect(counts[0]).toBe(0);
  expect(counts[3]).toBe(8);
  // Four edges of each length, in 9, 5 and 4 steps.
  expect(counts[2]).toBe(4 * (8 + 4 + 3));
});

it('a thin plate has particles on either side', () => {
  const spacing = 0.05;
  const plate = boxMesh([1, 0.01, 0.8]);
  const particles = sampleSurface(plate, spacing);
  for (const side of [-1, 1]) {
    const own: number[] = [];
    for (let i = 0; i < particles.length; i += 3) {
      if (side * particles[i + 1]! > 0.005 - 1e-9) own.push(particles[i]!, particles[i + 1]!, particles[i + 2]!);
    }
    const face = Float64Array.from(own);
    const inner = pointsOn(plate, 8000).filter(
      (p) => side * p[1] > 0.005 - 1e-9 && Math.abs(p[0]) < 0.46 && Math.abs(p[2]) < 0.36,
    );
    expect(separation(face, spacing)).toBeGreaterThan(0.75 - 1e-9);
    expect(coverage(face, inner, spacing)).toBeLessThan(0.76);
  }
  expect(coverage(particles, pointsOn(plate, 8000), spacing)).toBeLessThan(0.76);
});

describe('a scanned rabbit', () => {
  const size = Math.max(...[0, 1, 2].map((a) => extent(bunny, a)));
  const spacing = size / 40;
  const particles = sampleSurface(bunny, spacing);

  it('is covered', () => {
    expect(coverage(particles, pointsOn(bunny, 8000), spacing)).toBeLessThan(0.76);
  });

  it('has near particles only where normals oppose', () => {
    const bvh = new Bvh(bunny);
    const cells = new Cells(particles, 0.74 * spacing);
    let near = 0;
    for (let i = 0; i < particles.length / 3; i++) {
      const p: Vec3 = [particles[3 * i]!, particles[3 * i + 1]!, particles[3 * i + 2]!];
      for (const { index } of cells.near(...p)) {
        if (index === i) continue;
        near++;
        const q: Vec3 = [particles[3 * index]!, particles[3 * index + 1]!, particles[3 * index + 2]!];
        const dot = normalAt(bvh, p).reduce((sum, n, a) => sum + n * normalAt(bvh, q)[a]!, 0);
        // At edges and corners the nearest triangle is one of several.
        expect(dot).toBeLessThan(0);
      }
    }
    expect(near).toBeLessThan(0.01 * (particles.length / 3));
  });
});

function extent(mesh: TriangleMesh, axis: number): number {
  let low = Infinity;
  let high = -Infinity;
  for (const v of mesh.triangles) {
    low = Math.min(low, mesh.positions[3 * v + axis]!);
    high = Math.max(high, mesh.positions[3 * v + axis]!);
  }
  return high - low;
}

function normalAt(bvh: Bvh, p: Vec3): number[] {
  const { triangle } = bvh.closestPoint(p)!;
  const { positions, triangles } = bvh.mesh;
  const [a, b, c] = [0, 1, 2].map((k) => [0, 1, 2].map((x) => positions[3 * triangles[3 * triangle + k]! + x]!)) as [
    number[],
    number[],
    number[],
  ];
  const u = b.map((x, k) => x - a[k]!);
  const v = c.map((x, k) => x - a[k]!);
  const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
  return n.map((x) => x / Math.hypot(...n));
}

const PRIMITIVES: [string, ObstacleShape, number, (points: () => number) => Vec3][] = [
  [
    'box',
    { box: { size: [1, 0.73, 0.41] } },
    2 * (0.73 + 0.41 + 0.73 * 0.41),
    (u) => {
      const p = [u() - 0.5, 0.73 * (u() - 0.5), 0.41 * (u() - 0.5)];
      const axis = Math.floor(3 * u());
      p[axis] = ([1, 0.73, 0.41][axis]! / 2) * (u() < 0.5 ? -1 : 1);
      return p as unknown as Vec3;
    },
  ],
  ['sphere', { sphere: { radius: 0.5 } }, Math.PI, (u) => turned(0.5 * circle(u, 1)[0], 0.5 * circle(u, 1)[1], u)],
  [
    'cylinder',
    { cylinder: { radius: 0.3, length: 0.9 } },
    2 * Math.PI * (0.3 * 0.9 + 0.09),
    (u) => (u() < 0.5 ? turned(0.3, 0.9 * (u() - 0.5), u) : turned(0.3 * u(), u() < 0.5 ? 0.45 : -0.45, u)),
  ],
  [
    'capsule',
    { capsule: { radius: 0.2, length: 0.6 } },
    2 * Math.PI * 0.2 * (0.6 + 0.4),
    (u) => {
      if (u() < 0.5) return turned(0.2, 0.6 * (u() - 0.5), u);
      const [x, y] = circle(u, 0.2);
      return turned(Math.abs(x), y + (y > 0 ? 0.3 : -0.3), u);
    },
  ],
  [
    'torus',
    { torus: { radius: 0.5, tube: 0.2 } },
    4 * Math.PI * Math.PI * 0.1,
    (u) => {
      const [x, y] = circle(u, 0.2);
      return turned(0.5 + x, y, u);
    },
  ],
];

function circle(u: () => number, radius: number): [number, number] {
  const angle = 2 * Math.PI * u();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** The point with this radius and height somewhere around y; on the sphere of the same norm. */
function turned(radius: number, y: number, u: () => number): Vec3 {
  const [x, z] = circle(u, radius);
  return [x, y, z];
}

describe.each(PRIMITIVES)('an obstacle that is a %s', (name, shape, area, pointOf) => {
  const random = randomNumbers(3);
  const points = Array.from({ length: 8000 }, () => {
    const p = pointOf(random);
    if (name !== 'sphere') return p;
    const length = Math.hypot(...p);
    return p.map((x) => (0.5 * x) / length) as unknown as Vec3;
  });

  it.each([0.037, 0.1])('is covered at a spacing of %d, in rows', (spacing) => {
    const particles = sampleObstacle(shape, spacing);
    expect(separation(particles, spacing)).toBeGreaterThan(0.69);
    expect(coverage(particles, points, spacing)).toBeLessThan(0.76);
    const ratio = ((particles.length / 3) * spacing ** 2) / area;
    expect(ratio).toBeGreaterThan(0.9);
    // Rows are at most 1.05 spacings apart and a whole number of them: up to 1.4 where there are few.
    expect(ratio).toBeLessThan(1.4);
  });

  it.each([0.35, 0.7])('is covered at a spacing of %d, too coarse for rows', (spacing) => {
    const particles = sampleObstacle(shape, spacing);
    expect(coverage(particles, points, spacing)).toBeLessThan(0.77);
  });
});

it('the same mesh gives the same bits', () => {
  const mesh = packagedMesh('bunny');
  const a = sampleSurface(mesh, 0.4);
  expect(sampleSurface(mesh, 0.4)).toEqual(a);
  // FNV-1a over the bits: the same on every machine.
  let hash = 0x811c9dc5;
  for (const byte of new Uint8Array(sampleSurface(boxMesh([1, 0.5, 0.25]), 0.07).buffer)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  expect(hash).toMatchInlineSnapshot(`2143459001`);
});

it('several shells are all covered', () => {
  const mesh = join(boxMesh([1, 1, 1]), sphereMesh(0.2, 3, [2, 0, 0]));
  expect(coverage(sampleSurface(mesh, 0.1), pointsOn(mesh, 5000), 0.1)).toBeLessThan(0.76);
});

describe('nonsense is refused:', () => {
  const box = boxMesh([1, 1, 1]);
  it.each([0, -1, Number.NaN, Infinity])('a spacing of %d', (spacing) => {
    expect(() => sampleSurface(box, spacing)).toThrow(SamplingError);
    expect(() => sampleObstacle({ sphere: { radius: 1 } }, spacing)).toThrow(/spacing must be > 0 m/);
  });

  it('a mesh without area, without triangles, with NaN', () => {
    const flat = { positions: new Float64Array(9), triangles: Uint32Array.from([0, 1, 2]) };
    expect(() => sampleSurface(flat, 0.1)).toThrow(/has no area/);
    expect(() => sampleSurface({ ...flat, triangles: new Uint32Array(0) }, 0.1)).toThrow(/has no area/);
    expect(() => sampleObstacle({ mesh: { data: flat } }, 0.1)).toThrow(SamplingError);
    const broken = { ...box, positions: box.positions.map((x, i) => (i === 4 ? Number.NaN : x)) };
    expect(() => sampleSurface(broken, 0.1)).toThrow(/vertex 1 has NaN/);
  });

  it('a plane, a mesh without data, a shape without size, too many particles', () => {
    expect(() => sampleObstacle({ plane: { normal: [0, 1, 0], offset: 0 } }, 0.1)).toThrow(/plane/);
    expect(() => sampleObstacle({ mesh: { file: 'a.obj' } }, 0.1)).toThrow(/no data/);
    expect(() => sampleObstacle({ sphere: { radius: 0 } }, 0.1)).toThrow(/sphere radius/);
    expect(() => sampleObstacle({ torus: { radius: 0.1, tube: 0.2 } }, 0.1)).toThrow(/torus tube/);
    expect(() => sampleSurface(box, 1e-5)).toThrow(/spacing must be larger/);
    expect(() => sampleObstacle({ box: { size: [1, 1, 1] } }, 1e-5)).toThrow(/spacing must be larger/);
    expect(() => sampleObstacle({ sphere: { radius: 1 } }, 1e-5)).toThrow(/spacing must be larger/);
  });
});
