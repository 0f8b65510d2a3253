import { describe, expect, test } from 'vitest';
import { CrossingTest } from '../../src/mesh/crossing.js';
import { parseScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { createWorld, World } from '../../src/world.js';
import { randomNumbers, withWorld } from './support.js';

const STILL = { gravity: [0, 0, 0], threads: 1 } as const;
const SOFT = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0.3 } as const;
/** 8 x 2 x 2 particles along x: no particle is at x = 0. */
const BAR = { name: 'bar', shape: { box: { size: [0.4, 0.1, 0.1] } }, spacing: 0.05 } as const;
const UPRIGHT = { positions: [0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1], triangles: [0, 1, 2, 0, 2, 3] };

/** Pieces and the lowest and highest rest x of each. */
function sides(world: World, rest: Float32Array): [number, number][] {
  const pieces = world.pieces();
  const found = new Map<number, [number, number]>();
  for (const [i, piece] of pieces.entries()) {
    const [low, high] = found.get(piece) ?? [Infinity, -Infinity];
    found.set(piece, [Math.min(low, rest[4 * i]!), Math.max(high, rest[4 * i]!)]);
  }
  return [...found.values()];
}

describe('a crossing test', () => {
  test('counts a segment once at edges and corners of a surface', () => {
    // A square in four triangles around its middle; segments through the middle, edges and corners on whole numbers.
    const positions = [0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 2, 2, 0];
    const test = new CrossingTest(positions, [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], 16);
    for (const [x, y] of [
      [2, 2],
      [1, 1],
      [3, 1],
      [2, 1],
      [1, 2],
      [3, 3],
    ]) {
      expect(test.crosses(x!, y!, -1, x!, y!, 1)).toBe(true);
      expect(test.crosses(x!, y!, 1, x!, y!, 0.5)).toBe(false);
    }
    expect(test.crosses(5, 2, -1, 5, 2, 1)).toBe(false);
    // One that begins in the plane is on its front.
    expect(test.crosses(2, 1, 0, 2, 1, 1)).toBe(false);
    expect(test.crosses(2, 1, 0, 2, 1, -1)).toBe(true);
  });

  test('agrees with the sign of distances to a plane', () => {
    const random = randomNumbers(3);
    const test = new CrossingTest([-9, -9, 0, 9, -9, 0, 0, 9, 0], [0, 1, 2], 32);
    for (let n = 0; n < 1000; n++) {
      const [a, b] = [0, 1].map(() => [0, 1, 2].map(() => 2 * random() - 1)) as [number[], number[]];
      const crosses = test.crosses(a[0]!, a[1]!, a[2]!, b[0]!, b[1]!, b[2]!);
      expect(crosses).toBe(a[2]! > 0 !== b[2]! > 0);
    }
  });
});

describe('a cut', () => {
  test('severs every bond across it and no other, and leaves momentum and rest as they are', async () => {
    await withWorld(STILL, async (world) => {
      world.addBody({ ...BAR, material: SOFT, velocity: [0.5, 0, 0] });
      const rest = world.positions().slice();
      expect(world.cut(UPRIGHT)).toBeGreaterThan(16);
      expect(world.cut(UPRIGHT)).toBe(0);
      world.step(0.05);
      expect(sides(world, rest).sort(([a], [b]) => a - b)).toEqual([
        [expect.closeTo(-0.175), expect.closeTo(-0.025)],
        [expect.closeTo(0.025), expect.closeTo(0.175)],
      ]);
      expect(world.momentum()[0]).toBeCloseTo(0.5 * world.mass, 5);
      // Nothing was strained, so nothing has moved but the whole.
      const x = world.positions();
      for (let i = 0; i < world.particleCount; i++) expect(x[4 * i]! - rest[4 * i]!).toBeCloseTo(0.025, 5);
      expect(world.energy().elastic).toBeLessThan(1e-6);
    });
  });

  test('of a surface that ends within a body leaves it in one piece', async () => {
    await withWorld(STILL, async (world) => {
      world.addBody({ ...BAR, material: SOFT });
      const half = { positions: [0, 0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1], triangles: [0, 1, 2, 0, 2, 3] };
      expect(world.cut(half, 'bar')).toBeGreaterThan(0);
      world.step(0.02);
      expect(new Set(world.pieces()).size).toBe(1);
      expect(Math.max(...world.damages())).toBeGreaterThan(0.1);
    });
  });

  test('needs a solid that bends', async () => {
    await withWorld(STILL, async (world) => {
      world.addBody({ ...BAR, kind: 'rigid' });
      expect(() => world.cut(UPRIGHT, 'bar')).toThrow(/body must be a solid that bends, and "bar" is none/);
      expect(() => world.cut(UPRIGHT, 'rod')).toThrow(/"rod" is not in the world/);
    });
  });
});

const BLADE = `
phyxel: 1
gravity: [0, 0, 0]
frameRate: 100
bodies:
  - { name: bar, shape: { box: { size: [0.4, 0.1, 0.1] } }, spacing: 0.05, angularVelocity: [0, 0, SPIN], material: { density: 1000, youngsModulus: 1.0e+5 } }
blades:
  - edge: [[0.011, 0, -0.2], [0.011, 0, 0.2]]
    keyframes: [{ time: 0.005, position: [0, 0.15, 0] }, { time: 0.025, position: [0, -0.15, 0] }]
`;
const bladeScene = (spin: number) => parseScene(BLADE.replace('SPIN', String(spin)), 'blade.yaml').scene;

describe('a blade', () => {
  test('cuts what it sweeps, at the time', async () => {
    const world = await loadScene(bladeScene(0), { threads: 1 });
    const rest = world.positions().slice();
    world.stepTo(0.01);
    expect(new Set(world.pieces()).size).toBe(1);
    world.stepTo(0.04);
    expect(sides(world, rest).sort(([a], [b]) => a - b)).toEqual([
      [expect.closeTo(-0.175), expect.closeTo(-0.025)],
      [expect.closeTo(0.025), expect.closeTo(0.175)],
    ]);
    const [birth] = world.brokenPieces().flatMap((piece) => piece.birth ?? []);
    // The bar is between y = -0.05 and 0.05, and the blade goes 15 m/s.
    expect(birth!.time).toBeGreaterThan(0.005 + 0.1 / 15);
    expect(birth!.time).toBeLessThan(0.025 + 0.005);
    await world.dispose();
  });

  test('cuts a body that turns below it as the world sees it; the same after a save and with threads', async () => {
    const hashes = async (threads: number, saved?: number) => {
      let world = await loadScene(bladeScene(20), { threads });
      const list = [];
      for (let frame = 1; frame <= 4; frame++) {
        world.stepTo(frame / 100);
        list.push(world.stateHash());
        if (frame !== saved) continue;
        const again = await World.load(world.save(), { threads });
        await world.dispose();
        world = again;
      }
      list.push(String(world.brokenPieces().length));
      await world.dispose();
      return list;
    };
    const expected = await hashes(1);
    expect(expected.at(-1)).toBe('2');
    expect(await hashes(2)).toEqual(expected);
    for (const saved of [1, 2]) expect(await hashes(1, saved)).toEqual(expected);
  });

  test('that is wrong is refused', () => {
    const parse = (from: string, to: string) => () =>
      parseScene(BLADE.replace('SPIN', '0').replace(from, to), 'b.yaml');
    expect(parse('[[0.011, 0, -0.2], [0.011, 0, 0.2]]', '[[0, 0, 1]]')).toThrow(/edge must have at least two points/);
    expect(parse('{ time: 0.005, position: [0, 0.15, 0] }, ', '')).toThrow(/keyframes must have at least two/);
    expect(parse('- edge', '- body: rod\n    edge')).toThrow(/body is no body of this scene, got "rod"/);
  });
});

test('an explosion adds its energy, away from the point, once', async () => {
  await withWorld({ ...STILL }, async (world) => {
    world.addBody({
      name: 'ball',
      shape: { sphere: { radius: 0.1 } },
      spacing: 0.03,
      material: SOFT,
      velocity: [1, 0, 0],
    });
    world.add('explosions', { time: 0.01, at: [0, -0.2, 0], radius: 0.4, energy: 5 });
    world.step(0.01);
    const before = world.energy().total;
    world.step(0.001);
    // Elastic waves of the first moments are well resolved.
    expect((world.energy().total - before) / 5).toBeCloseTo(1, 2);
    expect(world.momentum()[1]).toBeGreaterThan(0);
    const after = world.energy().total;
    world.step(0.02);
    // Leapfrog's energy oscillates with the waves.
    expect(world.energy().total).toBeLessThan(after * 1.01);
  });
});

describe('scores', () => {
  /** Pulled apart slowly; the largest stress that it bore, and where it broke. */
  const pull = async (scores: object[], lattice: 'cubic' | 'hcp' = 'cubic') => {
    const world = await createWorld(STILL);
    world.addBody({
      name: 'bar',
      shape: { box: { size: [0.4, 0.15, 0.15] } },
      spacing: 0.05,
      lattice,
      material: { density: 1000, youngsModulus: 1e6, poissonsRatio: 0, damping: 0.4, tensileStrength: 3e4 },
      scores: scores as never,
    });
    const rest = world.positions().slice();
    world.addConstraint({ body: 'bar', region: { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } }, fix: true });
    const move = [
      { time: 0, position: [0, 0, 0] },
      { time: 0.4, position: [0.012, 0, 0] },
    ] as const;
    world.addConstraint({ body: 'bar', region: { box: { min: [0.14, -1, -1], max: [1, 1, 1] } }, move });
    const near = Array.from({ length: world.particleCount }, (_, i) => i).filter(
      (i) => Math.abs(rest[4 * i]! + 0.075) < 0.02,
    );
    let peak = 0;
    for (let frame = 0; frame < 100; frame++) {
      world.step(0.004);
      const stresses = world.stresses();
      peak = Math.max(peak, near.reduce((sum, i) => sum + stresses[i]!, 0) / near.length);
    }
    const found = sides(world, rest).sort(([a], [b]) => a - b);
    const damage = world.damages();
    await world.dispose();
    return { peak, found, damage, rest };
  };
  const crack = (x: number, depth: number) => ({
    crack: {
      points: [
        [x, 0.075, -0.2],
        [x, 0.075, 0.2],
      ],
      depth,
      direction: [0, -1, 0],
    },
  });

  test('a bar breaks at its score, at the share of its strength', async () => {
    const { peak, found } = await pull([{ pattern: crack(0, 0.2), strength: 0.4 }]);
    expect(found).toEqual([
      [expect.closeTo(-0.175), expect.closeTo(-0.025)],
      [expect.closeTo(0.025), expect.closeTo(0.175)],
    ]);
    // As the weak section of the fracture laws: steps of the pull are 4 % of the strength.
    expect(Math.abs(peak / (0.4 * 3e4) - 1)).toBeLessThan(0.05);
  });

  test('with strength 0 it is cut from the start', async () => {
    const { peak, found } = await pull([{ pattern: crack(0.051, 0.2), strength: 0 }]);
    expect(found[0]![1]).toBeLessThan(0.051);
    expect(found[1]![0]).toBeGreaterThan(0.051);
    expect(peak).toBeLessThan(0.02 * 3e4);
  });

  test('it breaks between the cells of a pattern, where one cell ends and another begins', async () => {
    for (const pattern of [
      { voronoi: { count: 2, seed: 1 } },
      { brick: { size: [0.2, 0.4, 0.4], origin: [0, -0.2, -0.2] } },
    ]) {
      const { found, damage } = await pull([{ pattern, strength: 0.2 }]);
      expect(found.length).toBe(2);
      // Nothing is damaged but beside the joint.
      expect(damage.filter((d) => d === 0).length).toBeGreaterThan(0.3 * damage.length);
    }
  });

  test('along its grain wood bears all, across it the share', async () => {
    const along = await pull([
      { pattern: { grain: { axis: [1, 0, 0] } }, strength: 0.2 },
      { pattern: crack(0, 0.2), strength: 0.8 },
    ]);
    const across = await pull([{ pattern: { grain: { axis: [0, 1, 0] } }, strength: 0.2 }]);
    expect(along.peak).toBeGreaterThan(0.75 * 3e4);
    expect(across.peak).toBeLessThan(0.35 * 3e4);
    expect(across.found.length).toBeGreaterThan(1);
  });

  test('have no effect on what cannot break, which is told', async () => {
    await withWorld(STILL, async (world) => {
      const scores = [{ pattern: { voronoi: { count: 4 } } }];
      expect(() => world.addBody({ ...BAR, material: SOFT, scores })).toThrow(
        /scores have no effect: the material cannot/,
      );
    });
  });
});
