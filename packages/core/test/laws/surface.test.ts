import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiquidSurfacer, SurfaceError, type SurfaceMesh, type SurfaceParticles } from '../../src/surface/liquid.js';
import { fill, loopsOf } from '../../src/surface/patterns.js';
import { createWorld } from '../../src/world.js';
import { randomNumbers } from './support.js';
import { boxOf, crossings, latticeIn, meshFacts, shells } from './surface-support.js';

let surfacer: LiquidSurfacer;

beforeAll(async () => {
  surfacer = await LiquidSurfacer.create({ threads: 1 });
});
afterAll(() => surfacer.dispose());

const surfaceOf = (positions: Float32Array, cell = 0.5, attributes: SurfaceParticles['attributes'] = {}) =>
  surfacer.surface({ positions, spacing: 1, attributes }, { cell });

const ball = (radius: number, jitter = 0) =>
  latticeIn((x, y, z) => Math.hypot(x, y, z) <= radius, Math.ceil(radius) + 1, jitter);

describe('patterns of marching cubes', () => {
  it('have every crossed edge in one loop, and fill every loop', () => {
    for (let pattern = 0; pattern < 256; pattern++) {
      const inside = (corner: number) => ((pattern >> corner) & 1) === 1;
      const loops = loopsOf(inside);
      const crossed = [1, 2, 4].flatMap((step) =>
        Array.from({ length: 8 }, (_, c) => c).filter((c) => (c & step) === 0 && inside(c) !== inside(c | step)),
      );
      expect(loops.flat().length).toBe(crossed.length);
      expect(new Set(loops.flat()).size).toBe(crossed.length);
      for (const loop of loops) expect(fill(loop)).toHaveLength(loop.length - 2);
    }
  });
});

describe('the surface of a liquid', () => {
  it('has the volume and the area of a ball', () => {
    const check = (positions: Float32Array, cell: number, volumeError: number, areaError: number) => {
      const volume = positions.length / 3;
      const radius = Math.cbrt((3 * volume) / (4 * Math.PI));
      const facts = meshFacts(surfaceOf(positions, cell));
      expect(Math.abs(facts.volume / volume - 1)).toBeLessThan(volumeError);
      expect(Math.abs(facts.area / (4 * Math.PI * radius ** 2) - 1)).toBeLessThan(areaError);
      expect(facts).toMatchObject({ euler: 2, faults: 0, parts: 1 });
    };
    for (const cell of [0.5, 1]) for (const radius of [6, 12]) check(shells(radius), cell, 0.01, 0.01);
    check(shells(4), 0.5, 0.01, 0.01);
    // A lattice cut to a ball is rough, by half a spacing: what is left of that on the surface adds to its area.
    check(ball(12), 0.5, 0.01, 0.02);
    check(ball(12, 0.2), 0.5, 0.015, 0.04);
  });

  it('blocks every ray from inside', () => {
    const mesh = surfaceOf(ball(6));
    const golden = Math.PI * (3 - Math.sqrt(5));
    for (let k = 0; k < 400; k++) {
      const y = 1 - (2 * (k + 0.5)) / 400;
      const r = Math.sqrt(1 - y * y);
      const along = [r * Math.cos(golden * k), y, r * Math.sin(golden * k)];
      expect(crossings(mesh, [0.3, -0.2, 0.1], along)).toBe(1);
      expect(
        crossings(
          mesh,
          along.map((x) => 9 * x),
          along,
        ),
      ).toBe(0);
    }
  });

  it('keeps the volume of a box, of sheets, threads and clumps', () => {
    const volumeOf = (sides: [number, number, number], jitter = 0, cell = 0.5) =>
      meshFacts(surfaceOf(boxOf(...sides, jitter), cell)).volume / (sides[0] * sides[1] * sides[2]);
    expect(Math.abs(volumeOf([16, 16, 16]) - 1)).toBeLessThan(0.01);
    expect(Math.abs(volumeOf([16, 16, 16], 0.2) - 1)).toBeLessThan(0.015);
    for (const layers of [1, 2, 3]) expect(Math.abs(volumeOf([20, 20, layers]) - 1)).toBeLessThan(0.05);
    // Ends of threads and small clumps are between the forms that are calibrated.
    expect(Math.abs(volumeOf([30, 2, 2]) - 1)).toBeLessThan(0.1);
    expect(Math.abs(volumeOf([3, 3, 3]) - 1)).toBeLessThan(0.1);
  });

  it('keeps the volume of single drops and threads, wherever they are in the grid', () => {
    const random = randomNumbers(3);
    const mean = (cell: number, particles: number, tries: number) => {
      let sum = 0;
      for (let k = 0; k < tries; k++) {
        const [x, y, z] = [random(), random(), random()];
        const positions = Array.from({ length: particles }, (_, i) => [x + i, y, z]).flat();
        const { volume, euler } = meshFacts(surfaceOf(Float32Array.from(positions), cell));
        expect(euler).toBe(2);
        sum += volume / particles / tries;
      }
      return sum;
    };
    for (const cell of [0.2, 0.35, 0.5]) {
      expect(Math.abs(mean(cell, 1, 40) - 1)).toBeLessThan(0.03);
      expect(Math.abs(mean(cell, 30, 10) - 1)).toBeLessThan(0.03);
    }
    // A ball is smaller than a cell there; still it does not slip through.
    expect(Math.abs(mean(1, 1, 60) - 1)).toBeLessThan(0.4);
  });

  it('is flat over still water', () => {
    const jitter = 0.1;
    const positions = boxOf(24, 6, 24, jitter);
    const { positions: p, normals } = surfaceOf(positions);
    const heights: number[] = [];
    const slopes: number[] = [];
    for (let i = 0; i < p.length; i += 3) {
      // Away from the edges of the box, and on its upper side.
      if (p[i]! < 5 || p[i]! > 18 || p[i + 2]! < 5 || p[i + 2]! > 18 || normals[i + 1]! < 0.5) continue;
      heights.push(p[i + 1]!);
      slopes.push(Math.hypot(normals[i]!, normals[i + 2]!));
    }
    const mean = heights.reduce((sum, h) => sum + h, 0) / heights.length;
    const deviation = Math.sqrt(heights.reduce((sum, h) => sum + (h - mean) ** 2, 0) / heights.length);
    const slope = Math.sqrt(slopes.reduce((sum, s) => sum + s * s, 0) / slopes.length);
    expect(Math.abs(mean - 5.5)).toBeLessThan(0.01);
    // Particles are off their layer by 0.058 spacings, without any order: long waves of that are real.
    expect(deviation).toBeLessThan(0.04);
    expect(slope).toBeLessThan(0.07);
  });

  it('has no trace of the lattice', () => {
    const { positions: p, normals } = surfaceOf(boxOf(24, 6, 24));
    for (let i = 0; i < p.length; i += 3) {
      if (p[i]! < 7 || p[i]! > 16 || p[i + 2]! < 7 || p[i + 2]! > 16 || normals[i + 1]! < 0.5) continue;
      expect(Math.abs(p[i + 1]! - 5.5)).toBeLessThan(0.005);
      expect(Math.hypot(normals[i]!, normals[i + 2]!)).toBeLessThan(0.02);
    }
  });

  it('of a fresh block is the block, with rounded edges: no ridges beside them and no knobs at corners', () => {
    const half = 8;
    for (const angle of [0, Math.PI / 6]) {
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const block = boxOf(2 * half, 2 * half, 2 * half).map((x) => x - half + 0.5);
      const turned = block.map((x, k) =>
        k % 3 === 0 ? c * x + s * block[k + 2]! : k % 3 === 2 ? c * x - s * block[k - 2]! : x,
      );
      const { positions: p, normals } = surfaceOf(turned);
      let [toEdges, toCorners] = [Infinity, Infinity];
      for (let i = 0; i < p.length; i += 3) {
        const position = [c * p[i]! - s * p[i + 2]!, p[i + 1]!, s * p[i]! + c * p[i + 2]!].map(Math.abs);
        const [face, edge, corner] = position.map((x) => half - x).sort((u, v) => u - v) as [number, number, number];
        // Nothing stands out by more than a sixteenth of a spacing, and nothing beyond three from the edge by a hundredth.
        expect(-face).toBeLessThan(edge < 3 ? 0.0625 : 0.01);
        if (edge > 0.75) expect(face).toBeLessThan(0.0625);
        toEdges = Math.min(toEdges, Math.hypot(face, edge));
        toCorners = Math.min(toCorners, Math.hypot(face, edge, corner));
        if (edge > 1 && position[1] === Math.max(...position))
          expect(Math.abs(normals[i + 1]!)).toBeGreaterThan(Math.cos(0.2));
      }
      // No more is rounded off than by a radius of 1.25 spacings: (sqrt 2 - 1) and (sqrt 3 - 1) of it.
      expect(toEdges).toBeLessThan(0.52);
      expect(toCorners).toBeLessThan(0.92);
    }
  });

  it('is shaded like a ball where a lattice was cut to one', () => {
    for (const [radius, angle] of [
      [5, 4],
      [8, 6],
      [12, 7],
    ] as const) {
      const centre = [0.37, 0.21, 0.13] as const;
      const { positions: p, normals: n } = surfaceOf(
        latticeIn((x, y, z) => Math.hypot(x - centre[0], y - centre[1], z - centre[2]) <= radius, radius + 1),
      );
      let squares = 0;
      for (let i = 0; i < p.length; i += 3) {
        const out = [0, 1, 2].map((k) => p[i + k]! - centre[k]!);
        const cosine = out.reduce((sum, x, k) => sum + x * n[i + k]!, 0) / Math.hypot(...out);
        squares += Math.acos(Math.min(1, cosine)) ** 2;
      }
      // The steps of the lattice themselves face 8 to 14 degrees away from the ball.
      expect((Math.sqrt(squares / (p.length / 3)) * 180) / Math.PI).toBeLessThan(angle);
    }
  });

  it('has a hole where a torus has one', () => {
    const positions = latticeIn((x, y, z) => Math.hypot(Math.hypot(x, z) - 8, y) <= 3, 12);
    expect(meshFacts(surfaceOf(positions))).toMatchObject({ euler: 0, faults: 0, parts: 1 });
  });

  it('joins two drops when they touch', () => {
    const drop = ball(4);
    const apart = (distance: number) =>
      Float32Array.from([...drop, ...drop].map((x, k) => (k >= drop.length && k % 3 === 0 ? x + distance : x)));
    expect(meshFacts(surfaceOf(apart(12)))).toMatchObject({ euler: 4, faults: 0, parts: 2 });
    expect(meshFacts(surfaceOf(apart(8)))).toMatchObject({ euler: 2, faults: 0, parts: 1 });
  });

  it('follows its particles without a jump', () => {
    const before = boxOf(8, 8, 8, 0.2);
    // A drop comes near, joins and goes in.
    const volumes = (steps: number) =>
      Array.from({ length: steps + 1 }, (_, k) => {
        const positions = Float32Array.from([...before, 3.4, 9.5 - (1.6 * k) / steps, 3.7]);
        return meshFacts(surfaceOf(positions, 0.4)).volume;
      });
    const largestChange = (list: number[]) => Math.max(...list.slice(1).map((v, k) => Math.abs(v - list[k]!)));
    const [coarse, fine] = [volumes(40), volumes(80)];
    // What jumps does so in however small steps; what does not changes by half in half a step.
    expect(largestChange(fine)).toBeLessThan(0.65 * largestChange(coarse));
    // Some of the drop is missed for a moment, as the kernels on both sides reach for each other.
    expect(Math.max(...fine) - Math.min(...fine)).toBeLessThan(0.8);
  });

  it('is closed and oriented for any cloud of particles', () => {
    const position = fc.float({ min: -6, max: 6, noNaN: true });
    const clouds = fc.tuple(
      fc.array(fc.tuple(position, position, position), { maxLength: 120 }),
      fc.double({ min: 0.2, max: 1.5, noNaN: true }),
      fc.double({ min: 0.05, max: 2, noNaN: true }),
    );
    fc.assert(
      fc.property(clouds, ([positions, cell, closer]) => {
        const mesh = surfaceOf(
          Float32Array.from(positions.flat(), (x) => x * closer),
          cell,
        );
        expect(meshFacts(mesh).faults).toBe(0);
        expect([...mesh.positions, ...mesh.normals].every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('goes along when particles are moved', () => {
    const positions = ball(5, 0.2);
    const shifted = (by: number) => meshFacts(surfaceOf(positions.map((x) => x + by)));
    const still = meshFacts(surfaceOf(positions));
    // By whole cells the grid goes along too; by less the same surface is cut by other edges.
    const whole = surfaceOf(positions.map((x) => x + 64));
    expect(whole.indices).toEqual(surfaceOf(positions).indices);
    for (const by of [0.13, 7.77]) {
      expect(Math.abs(shifted(by).area / still.area - 1)).toBeLessThan(0.003);
      expect(shifted(by).euler).toBe(2);
    }
    const volume = (mesh: SurfaceMesh, by: number) =>
      meshFacts({ ...mesh, positions: mesh.positions.map((x) => x - by) }).volume;
    expect(Math.abs(volume(surfaceOf(positions.map((x) => x + 7.77)), 7.77) / still.volume - 1)).toBeLessThan(0.003);
  });

  it('scales with the spacing', () => {
    const positions = ball(4);
    const small = surfacer.surface({ positions: positions.map((x) => x / 64), spacing: 1 / 64 }, { cell: 0.5 });
    const large = surfaceOf(positions);
    expect(small.indices).toEqual(large.indices);
    expect(small.positions.every((x, k) => Math.abs(64 * x - large.positions[k]!) < 1e-5)).toBe(true);
  });

  it('carries a constant and a linear attribute', () => {
    const positions = boxOf(10, 10, 10);
    const count = positions.length / 3;
    const mesh = surfaceOf(positions, 0.5, {
      temperature: { components: 1, values: new Float32Array(count).fill(21) },
      velocity: { components: 3, values: positions.slice() },
    });
    const { temperature, velocity } = mesh.attributes;
    expect(temperature!.values.every((t) => Math.abs(t - 21) < 1e-4)).toBe(true);
    expect(velocity!.values).toHaveLength(mesh.positions.length);
    // The mean of what is around a vertex, which is all on one side of it.
    expect(velocity!.values.every((v, k) => Math.abs(v - mesh.positions[k]!) < 1.2)).toBe(true);
  });

  it('is the same to the byte on any number of threads', async () => {
    const positions = ball(9, 0.25);
    const attributes = { x: { components: 3, values: positions } };
    const one = surfaceOf(positions, 0.5, attributes);
    for (const threads of [2, 3]) {
      const other = await LiquidSurfacer.create({ threads });
      const mesh = other.surface({ positions, spacing: 1, attributes }, { cell: 0.5 });
      await other.dispose();
      expect(mesh).toEqual(one);
    }
  });

  it('of no particles is empty; of one and two it is a drop and two, or one', () => {
    expect(surfaceOf(new Float32Array())).toEqual({
      positions: new Float32Array(),
      normals: new Float32Array(),
      indices: new Uint32Array(),
      attributes: {},
    });
    expect(meshFacts(surfaceOf(Float32Array.of(1, 2, 3)))).toMatchObject({ euler: 2, faults: 0, parts: 1 });
    expect(meshFacts(surfaceOf(Float32Array.of(1, 2, 3, 1, 2, 8)))).toMatchObject({ euler: 4, faults: 0, parts: 2 });
    expect(meshFacts(surfaceOf(Float32Array.of(1, 2, 3, 1, 2, 4)))).toMatchObject({ euler: 2, faults: 0, parts: 1 });
    expect(meshFacts(surfaceOf(Float32Array.of(1, 2, 3, 1, 2, 3)))).toMatchObject({ euler: 2, faults: 0, parts: 1 });
  });

  it('takes memory for the surface, not for the box around it', () => {
    const drops = Float32Array.of(0, 0, 0, 3e4, 0, 0, 0, 3e4, 0, 0, 0, 3e4);
    expect(meshFacts(surfaceOf(drops))).toMatchObject({ euler: 8, faults: 0, parts: 4 });
    expect(surfacer.memoryBytes).toBeLessThan(64 * 2 ** 20);
  });

  it('refuses what has no surface', () => {
    expect(() => surfaceOf(Float32Array.of(0, 0, 0, 1, Number.NaN, 2))).toThrow(
      new SurfaceError('position of particle 1 is NaN'),
    );
    expect(() => surfaceOf(Float32Array.of(0, 0))).toThrow('three numbers for each particle, got 2');
    expect(() => surfacer.surface({ positions: new Float32Array(3), spacing: 0 })).toThrow(
      'spacing must be > 0 m, got 0',
    );
    expect(() => surfaceOf(new Float32Array(3), Number.NaN)).toThrow('cell must be from 0.1 to 1.5 spacings, got NaN');
    expect(() => surfaceOf(Float32Array.of(0, 0, 0, 1e9, 0, 0))).toThrow('too far for a spacing of 1 m');
    expect(() => surfaceOf(new Float32Array(3), 0.5, { t: { components: 1, values: new Float32Array(2) } })).toThrow(
      'attribute "t" must have 1 values for 1 particles, got 2',
    );
  });
});

describe('a world with liquids', () => {
  it('gives their surface, and goes on as if nobody had looked', async () => {
    const make = async () => {
      const world = await createWorld({ threads: 1 });
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
      world.addBody({
        name: 'block',
        kind: 'rigid',
        shape: { box: { size: [0.1, 0.1, 0.1] } },
        position: [0.6, 0.06, 0],
        spacing: 0.02,
      });
      for (const [name, x] of [
        ['left', 0],
        ['right', 0.3],
      ] as const) {
        const shape = { box: { size: [0.1, 0.1, 0.1] as [number, number, number] } };
        world.addBody({ name, kind: 'fluid', shape, position: [x, 0.05, 0], spacing: 0.02, velocity: [1, 0, 0] });
      }
      return world;
    };
    const [looked, other] = [await make(), await make()];
    expect(meshFacts(looked.surface('left'))).toMatchObject({ euler: 2, parts: 1, faults: 0 });
    const both = looked.surface();
    expect(meshFacts(both)).toMatchObject({ euler: 4, parts: 2, faults: 0 });
    // Five particles across: what is rounded off the edges counts.
    expect(Math.abs(meshFacts(both).volume / 0.002 - 1)).toBeLessThan(0.1);
    const { velocity } = both.attributes;
    expect(velocity!.values.every((v, k) => Math.abs(v - (k % 3 === 0 ? 1 : 0)) < 1e-5)).toBe(true);
    for (const world of [looked, other]) world.step(0.02);
    looked.surface();
    for (const world of [looked, other]) world.step(0.02);
    expect(looked.stateHash()).toBe(other.stateHash());
    expect(() => looked.surface('block')).toThrow('"block" does not flow');
    expect(() => looked.surface('middle')).toThrow('"middle" is not in the world');
    await Promise.all([looked.dispose(), other.dispose()]);
  });
});
