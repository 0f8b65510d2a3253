import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiquidSurfacer, SurfaceError, type SurfaceMesh } from '../../src/surface/liquid.js';
import { splitAtWalls } from '../../src/surface/liquid-walls.js';
import type { PlaneAt } from '../../src/surface/shape-mesh.js';
import { createWorld } from '../../src/world.js';
import { randomNumbers } from './support.js';
import { meshFacts } from './surface-support.js';

type Vector = [number, number, number];

let surfacer: LiquidSurfacer;
beforeAll(async () => {
  surfacer = await LiquidSurfacer.create({ threads: 1 });
});
afterAll(() => surfacer.dispose());

/** Sides and depth of a tank, in spacings. */
const [WIDE, DEEP, LONG] = [14, 7, 11];
const SHIFT: Vector = [0.13, 0.27, 0.41];

/** Turns about an axis in space, so that nothing lies along the grid. */
function turning(angle: number) {
  const axis: Vector = [0.6, 0.64, 0.48];
  const turned = (v: readonly number[], by: number): Vector => {
    const [c, s] = [Math.cos(by), Math.sin(by)];
    const along = axis.reduce((sum, a, k) => sum + a * v[k]!, 0);
    return [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return c * v[k]! + s * (axis[i]! * v[j]! - axis[j]! * v[i]!) + (1 - c) * along * axis[k]!;
    }) as Vector;
  };
  return {
    out: (v: readonly number[]) => turned(v, angle),
    back: (v: readonly number[]) => turned(v, -angle),
  };
}

/** Still water in a tank without a lid, and its surface in the tank's own coordinates. */
function tank(angle: number, { jitter = 0, cell = 0.5, depth = DEEP } = {}) {
  const { out, back } = turning(angle);
  const random = randomNumbers(11);
  const place = (p: readonly number[]) => out(p).map((x, k) => x + SHIFT[k]!) as Vector;
  const positions: number[] = [];
  for (let x = 0.5; x < WIDE; x++) {
    for (let y = 0.5; y < depth; y++) {
      for (let z = 0.5; z < LONG; z++) positions.push(...place([x, y, z].map((c) => c + jitter * (2 * random() - 1))));
    }
  }
  const wall = (point: Vector, normal: Vector): PlaneAt => ({ point: place(point), normal: out(normal) });
  const walls = [
    wall([0, 0, 0], [0, 1, 0]),
    wall([0, 0, 0], [1, 0, 0]),
    wall([WIDE, 0, 0], [-1, 0, 0]),
    wall([0, 0, 0], [0, 0, 1]),
    wall([0, 0, LONG], [0, 0, -1]),
  ];
  const mesh = surfacer.surface({ positions: Float32Array.from(positions), spacing: 1 }, { cell, walls });
  const inTank = (values: Float32Array, shift: Vector) =>
    Array.from({ length: values.length / 3 }, (_, v) => back([0, 1, 2].map((k) => values[3 * v + k]! - shift[k]!)));
  return {
    mesh,
    walls,
    vertices: inTank(mesh.positions, SHIFT),
    normals: inTank(mesh.normals, [0, 0, 0]),
    volume: meshFacts(mesh).volume / (WIDE * depth * LONG),
  };
}

/** How far a position is from the nearest side of the tank. */
const toSide = ([x, , z]: Vector) => Math.min(x, WIDE - x, z, LONG - z);

describe('the surface of a liquid in a tank', () => {
  it('is closed, has its volume, and goes through no wall', () => {
    for (const [angle, cell] of [
      [0, 0.5],
      [0, 0.8],
      [0.7, 0.5],
    ] as const) {
      const { mesh, vertices, volume } = tank(angle, { cell });
      expect(meshFacts(mesh)).toMatchObject({ euler: 2, faults: 0, parts: 1 });
      expect(Math.abs(volume - 1)).toBeLessThan(0.001);
      for (const p of vertices) expect(Math.min(toSide(p), p[1])).toBeGreaterThan(-1e-4);
    }
  });

  it('is flat up to the walls, and meets them in a straight line at its height', () => {
    for (const angle of [0, 0.7]) {
      const { vertices, normals } = tank(angle);
      let rim = 0;
      for (const [v, p] of vertices.entries()) {
        // On a side, on the floor, or on top: nothing is between, neither round nor cut off.
        const isTop = Math.abs(p[1] - DEEP) < 0.01;
        expect(toSide(p) < 1e-4 || p[1] < 1e-4 || isTop).toBe(true);
        if (toSide(p) > 1e-4 || !isTop) continue;
        rim++;
        expect(normals[v]![1]).toBeGreaterThan(0.999);
      }
      // Along 50 spacings there are two vertices in each, more or less.
      expect(rim).toBeGreaterThan(60);
    }
  });

  it('has sharp edges between walls', () => {
    const { vertices } = tank(0.7);
    const isAt = (p: Vector, corner: Vector) => Math.hypot(...p.map((x, k) => x - corner[k]!)) < 0.01;
    for (const x of [0, WIDE]) {
      for (const y of [0, DEEP]) {
        for (const z of [0, LONG]) expect(vertices.some((p) => isAt(p, [x, y, z]))).toBe(true);
      }
    }
    // Of a round or cut edge, volume would be missing; of a torn one, too.
    const along = vertices.filter(([x, , z]) => Math.hypot(x, z) < 1e-3);
    expect(along.length).toBeGreaterThan(DEEP);
  });

  it('keeps the volume of particles in disorder, and of a film', () => {
    const rough = tank(0.3, { jitter: 0.15 });
    expect(meshFacts(rough.mesh)).toMatchObject({ euler: 2, faults: 0 });
    expect(Math.abs(rough.volume - 1)).toBeLessThan(0.01);
    expect(Math.abs(tank(0, { depth: 1 }).volume - 1)).toBeLessThan(0.05);
  });

  it('is the same to the byte on any number of threads', async () => {
    const one = tank(0.7, { jitter: 0.1 }).mesh;
    const before = surfacer;
    surfacer = await LiquidSurfacer.create({ threads: 3 });
    const other = tank(0.7, { jitter: 0.1 }).mesh;
    await surfacer.dispose();
    surfacer = before;
    expect(other).toEqual(one);
  });

  it('has flat sides and a smooth top when it is split for shading', () => {
    const { mesh, walls } = tank(0);
    const split = splitAtWalls(mesh, walls, 1);
    expect(split.indices).toHaveLength(mesh.indices.length);
    for (let t = 0; t < split.indices.length; t += 3) {
      const corners = [...split.indices.subarray(t, t + 3)];
      const at = (values: Float32Array, v: number) => [...values.subarray(3 * v, 3 * v + 3)] as Vector;
      const [a, b, c] = corners.map((v) => at(split.positions, v)) as [Vector, Vector, Vector];
      const [u, w] = [b, c].map((p) => p.map((x, k) => x - a[k]!)) as [number[], number[]];
      const n = [0, 1, 2].map((k) => u[(k + 1) % 3]! * w[(k + 2) % 3]! - u[(k + 2) % 3]! * w[(k + 1) % 3]!);
      const area = Math.hypot(...n);
      if (area < 1e-3) continue;
      for (const v of corners) {
        const facing = at(split.normals, v).reduce((sum, x, k) => sum + (x * n[k]!) / area, 0);
        expect(facing).toBeGreaterThan(0.99);
      }
    }
  });
});

describe('any cloud of particles between any walls', () => {
  it('has a closed surface that goes through none of them', () => {
    const number = fc.float({ min: -4, max: 4, noNaN: true });
    const vector = fc.tuple(number, number, number);
    const wall = fc.tuple(vector, vector).filter(([, n]) => Math.hypot(...n) > 0.1);
    fc.assert(
      fc.property(
        fc.array(vector, { maxLength: 100 }),
        fc.array(wall, { maxLength: 5 }),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        (positions, planes, cell) => {
          const walls = planes.map(([point, n]) => ({ point, normal: n.map((x) => x / Math.hypot(...n)) as Vector }));
          const mesh = surfacer.surface(
            { positions: Float32Array.from(positions.flat()), spacing: 1 },
            { cell, walls },
          );
          expect(meshFacts(mesh).faults).toBe(0);
          expect([...mesh.positions, ...mesh.normals].every(Number.isFinite)).toBe(true);
          for (const { point, normal } of walls) {
            for (let i = 0; i < mesh.positions.length; i += 3) {
              const height = normal.reduce((sum, n, k) => sum + n * (mesh.positions[i + k]! - point[k]!), 0);
              expect(height).toBeGreaterThan(-0.01);
            }
          }
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe('a drop', () => {
  const ball = (height: number): Float32Array => {
    const positions: number[] = [];
    for (let x = -4; x <= 4; x++) {
      for (let y = -4; y <= 4; y++) {
        for (let z = -4; z <= 4; z++) if (Math.hypot(x, y, z) < 4) positions.push(x, y + height, z);
      }
    }
    return Float32Array.from(positions);
  };
  const floor: PlaneAt = { point: [0, 0, 0], normal: [0, 1, 0] };
  const surface = (height: number, walls: PlaneAt[]): SurfaceMesh =>
    surfacer.surface({ positions: ball(height), spacing: 1 }, { walls });

  it('does not know of a wall that it is far from', () => {
    expect(surface(9, [floor])).toEqual(surface(9, []));
  });

  it('comes to a wall without a jump', () => {
    const volumes = (steps: number) =>
      Array.from({ length: steps + 1 }, (_, k) => meshFacts(surface(6 - (2 * k) / steps, [floor])).volume);
    const largestChange = (list: number[]) => Math.max(...list.slice(1).map((v, k) => Math.abs(v - list[k]!)));
    expect(largestChange(volumes(40))).toBeLessThan(0.65 * largestChange(volumes(20)));
  });

  it('is refused with walls that are none', () => {
    expect(() => surface(5, [{ point: [0, 0, 0], normal: [0, 2, 0] }])).toThrow(SurfaceError);
    expect(() => surface(5, [{ point: [0, Number.NaN, 0], normal: [0, 1, 0] }])).toThrow('walls[0]');
  });
});

describe('a world with liquid in a corner', () => {
  it('has its surface on the planes', async () => {
    const world = await createWorld({ threads: 1 });
    world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
    world.addObstacle({ name: 'side', shape: { plane: { normal: [1, 0, 0], offset: -0.05 } } });
    const shape = { box: { size: [0.1, 0.1, 0.1] as Vector } };
    world.addBody({ name: 'water', kind: 'fluid', shape, position: [0, 0.05, 0], spacing: 0.01 });
    const mesh = world.surface('water');
    expect(meshFacts(mesh)).toMatchObject({ euler: 2, faults: 0 });
    const [xs, ys] = [0, 1].map((k) => [...mesh.positions].filter((_, i) => i % 3 === k)) as [number[], number[]];
    expect(Math.min(...xs)).toBeCloseTo(-0.05, 6);
    expect(Math.min(...ys)).toBeCloseTo(0, 6);
    expect(ys.filter((y) => Math.abs(y) < 1e-6).length).toBeGreaterThan(200);
    await world.dispose();
  });
});

describe('a puddle', () => {
  it.each([0.3, 0.25, 0.2])('has no notches in its rim where particles are %f spacings high', (low) => {
    const random = randomNumbers(5);
    const place = (x: number, y: number, z: number) => [x + 0.3 * (random() - 0.5), y, z + 0.3 * (random() - 0.5)];
    const positions: number[] = [];
    for (let x = -9; x <= 9; x++) {
      for (let z = -9; z <= 9; z++) {
        if (Math.hypot(x, z) < 8.5) positions.push(...place(x, low, z));
        if (Math.hypot(x, z) < 6) positions.push(...place(x, low + 0.9, z));
      }
    }
    const walls: PlaneAt[] = [{ point: [0, 0, 0], normal: [0, 1, 0] }];
    const mesh = surfacer.surface({ positions: Float32Array.from(positions), spacing: 1 }, { cell: 0.5, walls });
    const { positions: p, normals: n, indices } = mesh;
    let farthest = 0;
    for (let t = 0; t < indices.length; t += 3) {
      const corners = [...indices.subarray(t, t + 3)];
      for (const above of corners.filter((v) => p[3 * v + 1]! > 1e-4)) {
        for (const on of corners.filter((v) => p[3 * v + 1]! <= 1e-4)) {
          // How far the surface hangs over the floor's edge.
          const over = (k: number) => (p[3 * above + k]! - p[3 * on + k]!) * n[3 * above + k]!;
          farthest = Math.max(farthest, over(0) + over(2));
        }
      }
    }
    expect(farthest).toBeLessThan(0.3);
  });
});
