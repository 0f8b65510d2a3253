import { describe, expect, test } from 'vitest';
import type { WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/fluid-layout.js';
import { BLOCK } from '../../src/particles/layout.js';
import { FluidGrid } from '../../src/solvers/fluid/grid.js';
import type { World } from '../../src/world.js';
import { block, buildBench, norm, present, tank, withWorld } from './support.js';

const SPACING = 0.02;

/** Water as high as its tank is wide, 0.2 m, at rest and just filling it. */
function fillTank(world: World, material = {}, side = 0.2, spacing = SPACING): void {
  world.addBody({
    name: 'water',
    kind: 'fluid',
    shape: { box: { size: [side, side, side] } },
    spacing,
    position: [0, side / 2, 0],
    material,
  });
  for (const wall of tank([-side / 2, 0, -side / 2], [side / 2, 0, side / 2])) world.addObstacle(wall);
}

describe('the search finds exactly the particles within the support', () => {
  const support = 2 * SPACING;
  const far: Vec3[] = [
    [1000 * SPACING, 0.3 * SPACING, 0],
    [1000.9 * SPACING, 0, 0],
    [-400 * SPACING, -1000 * SPACING, 700 * SPACING],
    [3, 1000 * SPACING, -1000 * SPACING],
    [3, 1000 * SPACING, -1001.5 * SPACING],
  ];
  // More than the search takes together, and than lists have room for at first.
  const crowd = Array.from(
    { length: 1100 },
    (_, k): Vec3 => [
      0.8 + (k % 11) * 0.09 * SPACING,
      ((Math.floor(k / 11) % 10) - 5) * 0.09 * SPACING,
      Math.floor(k / 110) * 0.2 * SPACING,
    ],
  );
  const cases: [name: string, period: Vec3, outliers: Vec3[]][] = [
    ['in open space', [0, 0, 0], []],
    ['in space that repeats along x and z', [9 * SPACING, 0, 10 * SPACING], []],
    ['in space that repeats everywhere', [9 * SPACING, 9.3 * SPACING, 10 * SPACING], []],
    ['with a few particles a thousand spacings away', [0, 0, 0], far],
    ['with a few far away where space repeats along y', [0, 9.3 * SPACING, 0], far],
    ['with a thousand crowded together', [0, 0, 0], crowd],
  ];
  const countMistakes = async (period: Vec3, outliers: readonly Vec3[]) => {
    const points = block([9, 9, 10], SPACING, 0.4, 7);
    const extra = outliers.length;
    const bench = await buildBench(
      [
        {
          input: { kind: 'fluid' },
          points: {
            positions: Float64Array.from([...points.positions, ...outliers.flat()]),
            volumes: new Float64Array(points.volumes.length + extra).fill(SPACING ** 3),
            spacings: new Float64Array(points.volumes.length + extra).fill(SPACING),
          },
        },
      ],
      { solver: { fluid: { period } } },
      // Not in the way of the liquid, but within its reach; the last one is where an outlier is.
      [
        { shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [0.15, 0, 0] },
        { shape: { sphere: { radius: 0.04 } }, position: [1000 * SPACING, -0.06, 0] },
      ],
    );
    const { store } = bench.model.fluid!;
    new FluidGrid(store, support, period).fit();
    store.sort();
    store.sortBoundary();
    store.findNeighbors();
    const { count, boundaryCount } = store;
    expect(count).toBe(points.volumes.length + extra);
    const liquid = store.floats(layout.POSITION, 4 * count);
    const walls = store.floats(layout.BOUNDARY_POSITION, 4 * boundaryCount);
    const squared = (i: number, others: Float32Array, j: number) => {
      let sum = 0;
      for (let a = 0; a < 3; a++) {
        let d = Math.abs(liquid[4 * i + a]! - others[4 * j + a]!);
        if (period[a]! > 0) d = Math.min(d, Math.abs(d - period[a]!));
        sum += d * d;
      }
      return sum;
    };
    const check = (others: Float32Array, amount: number, listOf: (i: number) => number[]) => {
      let wrong = 0;
      for (let i = 0; i < count; i++) {
        const found = listOf(i);
        const list = new Set(found);
        if (list.size !== found.length) wrong++;
        for (let j = 0; j < amount; j++) {
          if (others === liquid && i === j) {
            if (list.has(j)) wrong++;
            continue;
          }
          const ratio = squared(i, others, j) / support ** 2;
          // On the rim, where kernels vanish, float32 may decide either way: positions are rounded to 2e-6 m at 20 m.
          if (Math.abs(ratio - 1) > 2e-4 && ratio < 1 !== list.has(j)) wrong++;
        }
      }
      return wrong;
    };
    const begins = store.integers(layout.PAIR_BEGIN, count);
    const lengths = store.integers(layout.PAIR_COUNT, count);
    const capacity = store.integersAt(layout.PAIR_CAPACITY, 1)[0]!;
    const neighbors = store.integers(layout.NEIGHBORS, capacity * Math.ceil(count / BLOCK));
    // Lists are filled up to a multiple of four with the particle itself, and do not reach into each other.
    let unfilled = 0;
    for (let i = 0; i < count; i++) {
      const end = begins[i]! + 4 * Math.ceil(lengths[i]! / 4);
      for (let k = begins[i]! + lengths[i]!; k < end; k++) if (neighbors[k] !== 16 * i) unfilled++;
      if (begins[i]! % 4 !== 0 || (i % BLOCK > 0 ? begins[i]! < begins[i - 1]! + lengths[i - 1]! : false)) unfilled++;
      if (end > capacity * (Math.floor(i / BLOCK) + 1)) unfilled++;
    }
    expect(unfilled).toBe(0);
    expect(store.pairs).toBe(lengths.reduce((sum, length) => sum + length, 0));
    const boundaryCapacity = store.integersAt(layout.BOUNDARY_CAPACITY, 1)[0]!;
    const boundaryLengths = store.integers(layout.BOUNDARY_FOUND_COUNT, count);
    const boundaryLists = store.integers(layout.BOUNDARY_FOUND, boundaryCapacity * count);
    const result = {
      liquid: check(liquid, count, (i) =>
        Array.from(neighbors.subarray(begins[i]!, begins[i]! + lengths[i]!), (offset) => offset / 16),
      ),
      walls: check(walls, boundaryCount, (i) =>
        Array.from(boundaryLists.subarray(boundaryCapacity * i, boundaryCapacity * i + boundaryLengths[i]!)),
      ),
    };
    await bench.dispose();
    return result;
  };

  test.each(cases)('%s', async (_, period, outliers) => {
    expect(await countMistakes(period, outliers)).toEqual({ liquid: 0, walls: 0 });
  });
});

describe('a block of water in a tank', () => {
  const settle = (world: World) => {
    fillTank(world);
    let compression = 0;
    const speeds: number[] = [];
    let fastest = 0;
    for (let k = 0; k < 20; k++) {
      compression = Math.max(compression, world.step(0.05).fluid!.meanCompression);
      const all = present(world).map(({ velocity }) => norm(velocity));
      speeds.push(norm(all) / Math.sqrt(all.length));
      fastest = Math.max(...all);
    }
    return { compression, speeds, fastest };
  };

  test('is hardly compressed, and what moves as it settles dies out', async () => {
    await withWorld({}, (world) => {
      const { compression, speeds } = settle(world);
      expect(compression).toBeLessThan(1e-3);
      // Of the 2 m/s that it would get by falling through its own height.
      expect(Math.max(...speeds)).toBeLessThan(0.04 * 2);
      expect(speeds.at(-1)!).toBeLessThan(0.02 * 2);
      expect(speeds.at(-1)!).toBeLessThan(0.7 * speeds[4]!);
    });
  });

  // The lattice gives way when it first bears its weight, and what this stirs up takes seconds to die out;
  // docs/decisions/settling-tanks.md.
  test.fails('stays at rest: no particle goes a spacing in a second', async () => {
    await withWorld({}, (world) => {
      expect(settle(world).fastest).toBeLessThan(SPACING);
    });
  });

  test('gains no energy', async () => {
    await withWorld({}, (world) => {
      fillTank(world);
      const before = world.energy().total;
      let most = before;
      for (let k = 0; k < 10; k++) {
        world.step(0.05);
        most = Math.max(most, world.energy().total);
      }
      // What a compression of 0.1 % may lift: a thousandth of its height.
      expect(most / before - 1).toBeLessThan(1e-3);
    });
  });

  test('has a pressure that grows as rho g h', async () => {
    await withWorld({}, (world) => {
      fillTank(world);
      world.step(0.3);
      const sums = { y: 0, p: 0, yy: 0, yp: 0, n: 0 };
      // A mean over time: the pressures of a single step carry its iterations' noise.
      for (let k = 0; k < 10; k++) {
        world.step(0.02);
        const x = world.positions();
        for (const [i, p] of world.pressures().entries()) {
          const y = x[4 * i + 1]!;
          sums.y += y;
          sums.p += p;
          sums.yy += y * y;
          sums.yp += y * p;
          sums.n++;
        }
      }
      const slope = (sums.n * sums.yp - sums.y * sums.p) / (sums.n * sums.yy - sums.y ** 2);
      expect(slope / (-1000 * 9.81)).toBeCloseTo(1, 1);
      // The floor carries all of it: at half height half the pressure, on the mean.
      expect(sums.p / sums.n / (1000 * 9.81 * 0.1)).toBeCloseTo(1, 1);
    });
  });

  test('stays at rest with wcsph too, where it gives way by rho g h / (k gamma)', async () => {
    await withWorld({ solver: { fluid: { pressure: 'wcsph' } } }, (world) => {
      fillTank(world);
      const before = world.energy().total;
      let report = world.step(0.1);
      for (let k = 0; k < 3; k++) report = world.step(0.1);
      // 2000 Pa over 5e4 * 7 Pa is 0.6 % at the floor; it may swing as far again.
      expect(report.fluid!.meanCompression).toBeLessThan(0.01);
      expect(report.maximumSpeed).toBeLessThan(0.2);
      expect(world.energy().total).toBeLessThan(1.001 * before);
    });
  });
});

test('water of 10 layers in a tank swings with the period of its first mode, when it is isotropic', async () => {
  const [length, depth, spacing] = [1, 0.5, 0.05];
  const tilt = 0.05;
  await withWorld(
    {
      gravity: [9.81 * tilt, -9.81, 0],
      solver: { fluid: { period: [0, 0, 8 * spacing], isotropy: 1 } },
    },
    (world) => {
      for (const normal of [
        [1, 0, 0],
        [-1, 0, 0],
      ] as const) {
        world.addObstacle({ shape: { plane: { normal, offset: -length / 2 } } });
      }
      world.addObstacle({ shape: { plane: {} } });
      world.addBody({
        name: 'water',
        kind: 'fluid',
        shape: { box: { size: [length, depth, 8 * spacing] } },
        spacing,
        position: [0, depth / 2, 0],
      });
      const probe = { name: 'centre', body: 'water', region: { all: true }, quantity: 'position' } as const;
      const centres: number[] = [];
      for (let n = 0; n < 125; n++) {
        world.step(0.02);
        centres.push(world.probe(probe)[0]!);
      }
      const turns: number[] = [];
      for (let n = 1; n + 1 < centres.length; n++) {
        if ((centres[n]! - centres[n - 1]!) * (centres[n + 1]! - centres[n]!) < 0) turns.push(0.02 * (n + 1));
      }
      const k = Math.PI / length;
      const period = (2 * Math.PI) / Math.sqrt(9.81 * k * Math.tanh(k * depth));
      // Three half periods; a turn is known to a frame of 0.02 s. A packing that keeps its shear stress is 7 % too fast.
      expect(turns.length).toBe(4);
      expect(Math.abs((2 / 3) * (turns[3]! - turns[0]!) - period)).toBeLessThan(0.03 * period);
    },
  );
});

test('a column of 80 regular layers stands: its pressure carries it', async () => {
  const [side, height] = [6 * SPACING, 80 * SPACING];
  await withWorld({ solver: { fluid: { period: [side, 0, side] } } }, (world) => {
    world.addBody({
      name: 'column',
      kind: 'fluid',
      shape: { box: { size: [side, height, side] } },
      spacing: SPACING,
      position: [0, height / 2, 0],
    });
    world.addObstacle({ shape: { plane: {} } });
    for (let k = 0; k < 20; k++) {
      world.step(0.02);
      const all = present(world);
      const fall = all.reduce((sum, { velocity }) => sum + velocity[1], 0) / all.length;
      // Of 4 m/s in free fall. Where corrections of positions carry the column instead, it comes down at 0.7 m/s.
      expect(fall).toBeGreaterThan(-0.2);
    }
  });
});

describe('an isolated liquid', () => {
  const free: WorldInput = { gravity: [0, 0, 0] };
  const collide = (world: World) => {
    world.addBody({
      name: 'cube',
      kind: 'fluid',
      shape: { box: { size: [0.2, 0.2, 0.2] } },
      spacing: SPACING,
      position: [-0.12, 0.01, 0],
      velocity: [1, 0.2, 0],
      material: { density: 800, surfaceTension: 0.05 },
    });
    world.addBody({
      name: 'ball',
      kind: 'fluid',
      shape: { sphere: { radius: 0.1 } },
      spacing: SPACING,
      position: [0.12, 0, 0.03],
      velocity: [-1, 0, 0],
      material: { viscosity: 0.5 },
    });
  };

  test.each(['dfsph', 'wcsph'] as const)('keeps its momenta in a splash, %s', async (pressure) => {
    await withWorld({ ...free, solver: { fluid: { pressure } } }, (world) => {
      collide(world);
      const [p, l] = [world.momentum(), world.angularMomentum()];
      world.step(pressure === 'dfsph' ? 0.2 : 0.05);
      // Forces are equal, opposite and central; float32 rounds each of some 100 kicks per particle by 6e-8, at
      // random: 6 and 4 kg m/s meet, 0.1 m from the origin.
      expect(norm(world.momentum().map((x, a) => x - p[a]!))).toBeLessThan(1e-5);
      // The viscous force of [K06] eq. 4.7 is not central: it turns the liquid against its shear. And dfsph moves positions
      // across velocities where liquid overlaps. Both are a share of the 1 kg m2/s that meet.
      const turned = norm(world.angularMomentum().map((x, a) => x - l[a]!));
      expect(turned).toBeLessThan(pressure === 'dfsph' ? 2e-3 : 2e-2);
    });
  });

  test('keeps its momenta in a splash when the shear stress of its packing is taken away', async () => {
    await withWorld({ ...free, solver: { fluid: { isotropy: 1 } } }, (world) => {
      collide(world);
      const [p, l] = [world.momentum(), world.angularMomentum()];
      world.step(0.2);
      expect(norm(world.momentum().map((x, a) => x - p[a]!))).toBeLessThan(1e-5);
      expect(norm(world.angularMomentum().map((x, a) => x - l[a]!))).toBeLessThan(2e-3);
    });
  });

  test('keeps momentum when velocities are smoothed', async () => {
    await withWorld({ ...free, solver: { fluid: { xsph: 0.1 } } }, (world) => {
      collide(world);
      const p = world.momentum();
      world.step(0.1);
      expect(norm(world.momentum().map((x, a) => x - p[a]!))).toBeLessThan(1e-5);
    });
  });

  test('loses kinetic energy in a splash', async () => {
    await withWorld(free, (world) => {
      collide(world);
      const before = world.energy().kinetic;
      let last = before;
      for (let k = 0; k < 4; k++) {
        world.step(0.05);
        const { kinetic } = world.energy();
        // Surfaces that come apart are drawn together by the tension: 0.05 N/m of less than 0.5 m2.
        expect(kinetic).toBeLessThan(last + 0.025);
        last = kinetic;
      }
      expect(last).toBeLessThan(before);
    });
  });

  test.each([
    ['water', 1e-3],
    ['honey, with implicit viscosity', 10],
    ['tar, with implicit viscosity', 1e4],
  ])('keeps the angular momentum of a spinning drop of %s', async (_, viscosity) => {
    await withWorld(free, (world) => {
      world.addBody({
        name: 'drop',
        kind: 'fluid',
        shape: { sphere: { radius: 0.1 } },
        spacing: SPACING,
        angularVelocity: [0, 0, 3],
        material: { viscosity },
      });
      const before = world.angularMomentum();
      let iterations = 0;
      for (let k = 0; k < 4; k++) iterations += world.step(0.05).fluid!.viscosityIterations;
      expect(iterations > 0).toBe(viscosity > 1);
      const change = norm(world.angularMomentum().map((x, a) => x - before[a]!)) / norm(before);
      // Explicit forces are central to rounding. Conjugate gradients leave 1e-4 of the momentum in a step unsolved at
      // the most; what they leave has no sign, so forty steps may add up to several times that, never to a trend.
      expect(change).toBeLessThan(viscosity > 1 ? 2e-4 : 1e-6);
      expect(norm(world.momentum())).toBeLessThan(viscosity > 1 ? 1e-3 : 1e-6);
    });
  });

  test('of honey turns on as a rigid body does', async () => {
    await withWorld(free, (world) => {
      world.addBody({
        name: 'drop',
        kind: 'fluid',
        shape: { sphere: { radius: 0.1 } },
        spacing: SPACING,
        angularVelocity: [0, 0, 3],
        material: { viscosity: 100 },
      });
      const before = world.energy().kinetic;
      world.step(0.2);
      // L is kept; a drop that stays a ball keeps its energy L^2 / 2 I too, but for how it flattens.
      expect(world.energy().kinetic / before).toBeGreaterThan(0.9);
      expect(world.energy().kinetic / before).toBeLessThan(1.001);
    });
  });
});

test('liquid that fills space that repeats drifts on as it is', async () => {
  await withWorld({ gravity: [0, 0, 0], solver: { fluid: { period: [0.2, 0.2, 0.2] } } }, (world) => {
    const velocity: Vec3 = [1, 0.5, 0.2];
    world.addBody({
      name: 'water',
      kind: 'fluid',
      shape: { box: { size: [0.2, 0.2, 0.2] } },
      spacing: SPACING,
      velocity,
      material: { surfaceTension: 0.07, viscosity: 1 },
    });
    world.step(0.3);
    for (const { position, velocity: v } of present(world)) {
      // All neighbours are alike, across the border too; float32 sums of their forces cancel to its rounding.
      expect(norm(v.map((x, a) => x - velocity[a]!))).toBeLessThan(1e-4);
      expect(Math.max(...position.map(Math.abs))).toBeLessThanOrEqual(0.1);
    }
  });
});

test('a dam that breaks gains no energy', async () => {
  await withWorld({}, (world) => {
    world.addBody({
      name: 'water',
      kind: 'fluid',
      shape: { box: { size: [0.2, 0.3, 0.12] } },
      spacing: SPACING,
      position: [-0.2, 0.15, 0],
    });
    for (const wall of tank([-0.3, 0, -0.06], [0.3, 0, 0.06])) world.addObstacle(wall);
    const before = world.energy().total;
    let last = before;
    const positions: number[] = [];
    for (let k = 0; k < 16; k++) {
      const { fluid } = world.step(0.05);
      positions.push(fluid!.placeIterations);
      expect(fluid!.meanCompression).toBeLessThan(1e-3);
      const { total } = world.energy();
      // Pressure solutions leave 0.05 % of compression, which the next step may turn into height: 1e-3 of it.
      expect(total - last).toBeLessThan(1e-3 * before);
      last = total;
    }
    // Velocities see ahead and undo what is slight: positions take 0.7 iterations in a step, 2.3 without that.
    expect(positions.reduce((sum, n) => sum + n, 0) / positions.length).toBeLessThan(1.15);
    // The front has come back: much of the energy is gone.
    expect(last).toBeLessThan(0.8 * before);
    expect(world.liquidCount).toBe(world.particleCount);
  });
});

describe('viscosity', () => {
  test.each([0, 1e-3, 1, 100, 1e4])(
    'of %d Pa s: a column on a floor stays finite and loses energy',
    async (viscosity) => {
      await withWorld({}, (world) => {
        world.addBody({
          name: 'column',
          kind: 'fluid',
          shape: { box: { size: [0.12, 0.24, 0.12] } },
          spacing: SPACING,
          position: [0, 0.12, 0],
          material: { viscosity },
        });
        world.addObstacle({ shape: { plane: {} } });
        const before = world.energy().total;
        const report = world.step(0.1);
        expect(report.warnings).toEqual([]);
        expect(report.maximumSpeed).toBeLessThan(3);
        expect(world.energy().total).toBeLessThan(1.001 * before);
        const top = Math.max(...present(world).map(({ position }) => position[1]));
        // Falling freely 0.1 s it would come down by 0.049 m; of tar mu / rho g h^2 it creeps by less than a tenth of that.
        if (viscosity === 1e4) expect(0.23 - top).toBeLessThan(0.004);
        if (viscosity <= 1) expect(0.23 - top).toBeGreaterThan(0.01);
      });
    },
  );
});

test('liquid slips down a slope that lets it, and sticks to one that does not', async () => {
  const slide = (slip: number) =>
    withWorld({ gravity: [9.81 * Math.SQRT1_2, -9.81 * Math.SQRT1_2, 0] }, (world) => {
      world.addBody({
        name: 'syrup',
        kind: 'fluid',
        shape: { box: { size: [0.2, 0.08, 0.2] } },
        spacing: SPACING,
        position: [0, 0.04, 0],
        material: { viscosity: 20 },
      });
      world.addObstacle({ shape: { plane: {} }, slip });
      const from = present(world).reduce((sum, { position }) => sum + position[0], 0);
      world.step(0.2);
      return (present(world).reduce((sum, { position }) => sum + position[0], 0) - from) / world.liquidCount;
    });
  const [stuck, half, slipping] = [await slide(0), await slide(0.7), await slide(1)];
  // Without friction it falls along the slope by g sin t^2 / 2.
  expect(slipping / (0.5 * 9.81 * Math.SQRT1_2 * 0.04)).toBeCloseTo(1, 1);
  // A layer that sticks shears by rho g sin h^2 / 3 mu = 0.7 m/s at the most... in 0.2 s far less than the free fall.
  expect(stuck).toBeLessThan(0.5 * slipping);
  expect(half).toBeGreaterThan(stuck);
  expect(half).toBeLessThan(slipping);
});

describe('liquids of densities 1 and 1000 kg/m3', () => {
  const pour = (world: World, light: number, heavy: number, jitter = 0) => {
    for (const [name, density, y] of [
      ['light', 1, light],
      ['heavy', 1000, heavy],
    ] as const) {
      world.addBody({
        name,
        kind: 'fluid',
        shape: { box: { size: [0.16, 0.08, 0.16] } },
        spacing: SPACING,
        position: [0, y, 0],
        jitter,
        material: { density },
      });
    }
    for (const wall of tank([-0.08, 0, -0.08], [0.08, 0, 0.08])) world.addObstacle(wall);
  };

  test('stay where they are when the light one floats', async () => {
    await withWorld({}, (world) => {
      pour(world, 0.12, 0.04);
      const before = world.energy().total;
      for (let k = 0; k < 4; k++) expect(world.step(0.025).warnings).toEqual([]);
      expect(Math.abs(world.energy().total / before - 1)).toBeLessThan(0.01);
      expect(Math.max(...present(world).map(({ velocity }) => norm(velocity)))).toBeLessThan(0.2);
    });
  });

  const overturn = (seconds: number) =>
    withWorld({}, (world) => {
      pour(world, 0.04, 0.12);
      const before = world.energy().total;
      for (let k = 0; k < 10; k++) {
        world.step(seconds / 10);
        expect(world.energy().total).toBeLessThan(1.001 * before);
      }
    });

  // Where light particles are pressed into each other or shot out, it is before 0.2 s.
  test('change places when the heavy one is on top, and gain no energy', () => overturn(0.2));

  test('carry each other when the light one is below: neither is compressed', async () => {
    await withWorld({}, (world) => {
      pour(world, 0.04, 0.12, 0.1);
      for (let k = 0; k < 4; k++) {
        const { fluid, warnings } = world.step(0.01);
        expect(warnings).toEqual([]);
        // 1e-3 is asked for of the mean; lumps of light particles were 5 and more where positions were moved by mass.
        expect(fluid!.meanCompression).toBeLessThan(1e-3);
        expect(fluid!.largestCompression).toBeLessThan(0.05);
      }
    });
  });
});

test('a scene a thousand times as large moves alike, in times longer by the root of it', async () => {
  const run = async (scale: number) =>
    withWorld({ solver: { fluid: { maxTimeStep: 0.004 * Math.sqrt(scale) } } }, (world) => {
      world.addBody({
        name: 'water',
        kind: 'fluid',
        shape: { box: { size: [0.2 * scale, 0.2 * scale, 0.1 * scale] } },
        spacing: SPACING * scale,
        position: [-0.1 * scale, 0.1 * scale, 0],
        // Re = sqrt(g) L^1.5 rho / mu and We = rho g L^2 / sigma are kept too.
        material: { viscosity: 0.1 * scale ** 1.5, surfaceTension: 0.05 * scale ** 2 },
      });
      for (const wall of tank([-0.2 * scale, 0, -0.05 * scale], [0.2 * scale, 0, 0.05 * scale]))
        world.addObstacle(wall);
      world.step(0.1 * Math.sqrt(scale));
      return present(world).map(({ position }) => position.map((x) => x / scale));
    });
  const [small, large] = [await run(1), await run(1024)];
  // With a power of four nothing but roundings of constants differs, which grow as neighbours change positions.
  const differences = small.map((position, i) => norm(position.map((x, a) => x - large[i]![a]!)) / SPACING);
  differences.sort((a, b) => a - b);
  expect(differences[Math.floor(0.5 * differences.length)]).toBeLessThan(0.01);
  expect(differences[Math.floor(0.95 * differences.length)]).toBeLessThan(0.1);
});
