import { describe, expect, it } from 'vitest';
import { buildTree } from '../../src/render/bvh.js';
import { buildGeometry, type Geometry } from '../../src/render/geometry.js';
import { Rays } from '../../src/render/rays.js';
import { mix, Sampler } from '../../src/render/sampler.js';

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

/** A tree with everything in one leaf. */
function bruteForce(geometry: Geometry): Rays {
  const total = geometry.triangleCount + geometry.ballCount;
  const far = 1e30;
  return new Rays(geometry, {
    boxes: Float32Array.from([-far, far, -far, far, -far, far, 1, -1, 1, -1, 1, -1]),
    children: Int32Array.from([-1, -2]),
    leaves: Int32Array.from([0, total, 0, 0]),
    order: Int32Array.from({ length: total }, (_, i) => i),
  });
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
    const brute = bruteForce(geometry);
    const next = random(99);
    let hits = 0;
    for (let i = 0; i < 2000; i++) {
      // At a point among them; every fourth along an axis, where divisions by zero lurk.
      const at = [next(), next(), next()];
      const raw = i % 4 === 0 ? at.map((_, k) => (k === i % 3 ? 1 : 0)) : at.map(() => next() - 0.5);
      const o = at.map((x, k) => x - 2 * raw[k]!) as [number, number, number];
      const length = Math.hypot(...raw);
      const d = raw.map((x) => x / length) as [number, number, number];
      const found = rays.closest(...o, ...d, Infinity);
      expect(brute.closest(...o, ...d, Infinity)).toBe(found);
      expect(rays.distance).toBe(brute.distance);
      if (found) {
        hits++;
        expect(rays.primitive).toBe(brute.primitive);
        const { distance } = rays;
        expect(rays.blocked(...o, ...d, distance * 1.0001)).toBe(true);
        expect(rays.blocked(...o, ...d, distance * 0.9999)).toBe(false);
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
    const sampler = new Sampler(16);
    for (const pixel of [0, 1, 77, 123456]) {
      for (let use = 0; use < 4; use++) {
        const points = Array.from({ length: 16 }, (_, s) => {
          sampler.start(pixel, s);
          for (let k = 0; k <= use; k++) sampler.draw();
          return [sampler.x, sampler.y] as const;
        });
        const cells = (nx: number, ny: number) =>
          new Set(points.map(([x, y]) => Math.floor(nx * x) + nx * Math.floor(ny * y))).size;
        expect([cells(16, 1), cells(1, 16), cells(4, 4), cells(8, 2)]).toEqual([16, 16, 16, 16]);
      }
    }
  });
});
