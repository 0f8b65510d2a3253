import { describe, expect, it } from 'vitest';
import { Bvh } from '../../src/mesh/bvh.js';
import { closestPointOnTriangle } from '../../src/mesh/triangle.js';
import type { Vec3 } from '../../src/options/types.js';
import { boxMesh, packagedMesh, randomNumbers, sphereMesh } from './meshes.js';

describe('the tree of triangles', () => {
  const mesh = packagedMesh('bunny');
  const bvh = new Bvh(mesh);
  const random = randomNumbers(3);
  const points: Vec3[] = Array.from({ length: 60 }, () => [12 * random() - 6, 12 * random() - 1, 10 * random() - 5]);

  it('finds the same nearest point as a search through all triangles', () => {
    const out = new Float64Array(3);
    for (const p of points) {
      let best = Infinity;
      for (let t = 0; t < mesh.triangles.length; t += 3) {
        const [a, b, c] = [mesh.triangles[t]!, mesh.triangles[t + 1]!, mesh.triangles[t + 2]!];
        best = Math.min(best, closestPointOnTriangle(mesh.positions, a, b, c, p, out));
      }
      const hit = bvh.closestPoint(p)!;
      expect(hit.distance).toBe(Math.sqrt(best));
      expect(Math.hypot(...hit.point.map((x, a) => x - p[a]!))).toBeCloseTo(hit.distance, 12);
      expect(bvh.closestPoint(p, hit.distance * 0.999)).toBeUndefined();
    }
  });

  it('a line through a closed surface crosses it an even number of times', () => {
    for (const p of points) {
      let count = 0;
      bvh.crossings(p, [random() - 0.5, random() - 0.5, random() - 0.5], () => count++);
      expect(count % 2).toBe(0);
    }
  });

  it('crossings are where the sphere is', () => {
    const ball = new Bvh(sphereMesh(1, 4));
    const found: number[] = [];
    ball.crossings([0.1, 0.2, -3], [0, 0, 2], (_, t) => found.push(t));
    found.sort((a, b) => a - b);
    const half = Math.sqrt(1 - 0.05) / 2;
    expect(found.length).toBe(2);
    // Flat triangles are up to 0.002 below the sphere.
    expect(Math.abs(found[0]! - (1.5 - half))).toBeLessThan(0.002);
    expect(Math.abs(found[1]! - (1.5 + half))).toBeLessThan(0.002);
  });

  it('boxes overlap where triangles are', () => {
    const box = new Bvh(boxMesh([2, 2, 2]));
    expect(box.boxOverlaps([-0.5, -0.5, -0.5], [0.5, 0.5, 0.5])).toBe(false);
    expect(box.boxOverlaps([0.5, 0, 0], [1.5, 0.1, 0.1])).toBe(true);
    expect(box.boxOverlaps([2, 0, 0], [3, 1, 1])).toBe(false);
  });

  it('a thousand equal triangles do not break it', () => {
    const one = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    const many = { positions: Float64Array.from(one), triangles: Uint32Array.from({ length: 3000 }, (_, i) => i % 3) };
    expect(new Bvh(many).closestPoint([0, 0, 2])!.distance).toBe(2);
  });
});
