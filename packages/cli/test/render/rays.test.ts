import { describe, expect, it } from 'vitest';
import { buildTree } from '../../src/render/bvh.js';
import { buildGeometry, type Geometry } from '../../src/render/geometry.js';
import { RayMemory, Rays } from '../../src/render/rays.js';

/** Scatters the bits of a number. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

/** Numbers in [0, 1), the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state += 0x9e3779b9;
    return (mix(state) >>> 0) * 2 ** -32;
  };
}

function randomGeometry(triangles: number, balls: number, seed: number): Geometry {
  const next = random(seed);
  const positions: number[] = [];
  for (let t = 0; t < triangles; t++) {
    const centre = [next(), next(), next()];
    for (let c = 0; c < 3; c++) positions.push(...centre.map((x) => x + 0.1 * (next() - 0.5)));
  }
  const centers = Array.from({ length: 3 * balls }, next);
  const normals = positions.map((_, i) => (i % 3 === 1 ? 1 : 0));
  const indices = Array.from({ length: 3 * triangles }, (_, i) => i);
  return buildGeometry(
    [{ positions, normals, triangles: indices, material: 0, color: [1, 1, 1] }],
    [{ centers, radius: 0.03, material: 0, color: [1, 1, 1] }],
    [{ look: 'matte' }],
  );
}

/** The nearest hit of all primitives, one after the other, in double precision. */
function nearest({ triangleCount, ballCount, triangles, balls }: Geometry, o: number[], d: number[]) {
  let [distance, primitive] = [Infinity, -1];
  const cross = (a: number[], b: number[]) =>
    [0, 1, 2].map((k) => a[(k + 1) % 3]! * b[(k + 2) % 3]! - a[(k + 2) % 3]! * b[(k + 1) % 3]!);
  const dot = (a: number[], b: number[]) => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
  for (let t = 0; t < triangleCount; t++) {
    const [a, e1, e2] = [0, 3, 6].map((k) => [...triangles.subarray(9 * t + k, 9 * t + k + 3)]) as [
      number[],
      number[],
      number[],
    ];
    const n = cross(e1, e2);
    const at =
      dot(
        a.map((x, k) => x - o[k]!),
        n,
      ) / dot(d, n);
    if (!(at > 0 && at < distance)) continue;
    // Inside by the areas of the three triangles around the point.
    const p = o.map((x, k) => x + at * d[k]! - a[k]!);
    const [u, v] = [dot(cross(p, e2), n) / dot(n, n), dot(cross(e1, p), n) / dot(n, n)];
    if (u >= 0 && v >= 0 && u + v <= 1) [distance, primitive] = [at, t];
  }
  for (let b = 0; b < ballCount; b++) {
    const m = [0, 1, 2].map((k) => o[k]! - balls[4 * b + k]!);
    const half = dot(m, d);
    const square = half * half - dot(m, m) + balls[4 * b + 3]! ** 2;
    if (square < 0) continue;
    for (const at of [-half - Math.sqrt(square), -half + Math.sqrt(square)]) {
      if (at > 0 && at < distance) [distance, primitive] = [at, triangleCount + b];
    }
  }
  return { distance, primitive };
}

describe('rays', () => {
  it.each([
    [0, 0],
    [1, 0],
    [0, 3],
    [2000, 500],
  ])('find through the tree what looking at all finds: %i triangles and %i balls', (triangles, balls) => {
    const geometry = randomGeometry(triangles, balls, 7);
    const rays = new Rays(geometry, buildTree(geometry));
    const next = random(99);
    let hits = 0;
    for (let i = 0; i < 2000; i++) {
      // At a point among them; every fourth along an axis, where divisions by zero lurk.
      const at = [next(), next(), next()];
      const raw = i % 4 === 0 ? at.map((_, k) => (k === i % 3 ? 1 : 0)) : at.map(() => next() - 0.5);
      // Some from far away, where float32 has few digits left.
      const away = i % 7 === 0 ? 1e4 : 2;
      const o = at.map((x, k) => x - away * raw[k]!) as [number, number, number];
      const length = Math.hypot(...raw);
      const d = raw.map((x) => x / length) as [number, number, number];
      const found = rays.closest(...o, ...d, Infinity);
      const expected = nearest(geometry, o, d);
      expect(rays.primitive).toBe(expected.primitive);
      expect(found).toBe(expected.primitive >= 0);
      if (found) {
        hits++;
        // The plain formula for balls loses digits far away.
        expect(Math.abs(rays.distance - expected.distance)).toBeLessThan(away > 2 ? 1e-5 : 1e-9);
        const { distance } = rays;
        expect(rays.blocked(...o, ...d, distance + 1e-4)).toBe(true);
        expect(rays.blocked(...o, ...d, distance - 1e-4)).toBe(false);
      }
    }
    if (triangles + balls > 100) expect(hits).toBeGreaterThan(500);
  });

  it('do not slip through between triangles', () => {
    // A ball of triangles: every ray from inside is stopped, also along its edges and through its corners.
    const [rows, around] = [24, 48];
    const positions: number[] = [];
    for (let r = 0; r <= rows; r++) {
      for (let k = 0; k < around; k++) {
        const [a, b] = [(Math.PI * r) / rows, (2 * Math.PI * k) / around];
        positions.push(...[Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b)].map(Math.fround));
      }
    }
    const triangles: number[] = [];
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < around; k++) {
        const [a, b] = [r * around + k, r * around + ((k + 1) % around)];
        triangles.push(a, b, a + around, b, b + around, a + around);
      }
    }
    const geometry = buildGeometry(
      [{ positions, normals: positions, triangles, material: 0, color: [1, 1, 1] }],
      [],
      [{ look: 'matte' }],
    );
    const rays = new Rays(geometry, buildTree(geometry));
    const next = random(3);
    for (let i = 0; i < positions.length / 3 + 20_000; i++) {
      const toCorner = i < positions.length / 3;
      const raw = toCorner ? positions.slice(3 * i, 3 * i + 3) : [next() - 0.5, next() - 0.5, next() - 0.5];
      const length = Math.hypot(...raw);
      const [x, y, z] = raw.map((v) => v / length) as [number, number, number];
      expect(rays.closest(0, 0, 0, x, y, z, Infinity)).toBe(true);
    }
  });
});

describe('samples', () => {
  it('of a pixel fill the square evenly: one in each of 16 cells, in both directions and in columns', () => {
    const { loops } = new RayMemory();
    loops.setMostSamples(64);
    for (const pixel of [0, 1, 77, 123456]) {
      for (let use = 0; use < 4; use++) {
        const points = Array.from({ length: 16 }, (_, s) => {
          loops.startNumbers(pixel, s);
          for (let k = 0; k <= use; k++) loops.drawNumbers();
          return [loops.numberX.value, loops.numberY.value] as const;
        });
        const cells = (count: number, nx: number, ny: number) =>
          new Set(points.slice(0, count).map(([x, y]) => Math.floor(nx * x) + nx * Math.floor(ny * y))).size;
        expect([cells(16, 16, 1), cells(16, 1, 16), cells(16, 4, 4), cells(16, 8, 2)]).toEqual([16, 16, 16, 16]);
        // So are the first of them: a pixel may get by with these.
        expect([cells(4, 4, 1), cells(4, 1, 4), cells(4, 2, 2)]).toEqual([4, 4, 4]);
      }
    }
  });
});
