import { describe, expect, test } from 'vitest';
import { type BodyInput, type MaterialInput, resolveMaterial } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { factorAt } from '../../src/solvers/heat/material.js';
import { createWorld, type HeatReport, World } from '../../src/world.js';
import { randomNumbers } from './support.js';

const STONE: MaterialInput = { density: 2000, thermalConductivity: 5, heatCapacity: 800, youngsModulus: 1e7 };
const ICE: MaterialInput = {
  ...{ density: 1000, heatCapacity: 2000, liquidHeatCapacity: 4000, youngsModulus: 1e7 },
  ...{ thermalConductivity: 4, liquidConductivity: 1, latentHeat: 3e5, meltingPoint: 0 },
};
/** Weightless, so that bodies of which nothing is asked stay where they are. */
const still = (options = {}) => createWorld({ gravity: [0, 0, 0], threads: 1, ...options });

function block(name: string, position: Vec3, more: Partial<BodyInput> = {}): BodyInput {
  const shape = { box: { size: [0.08, 0.08, 0.08] as Vec3 } };
  return { name, kind: 'rigid', shape, position, spacing: 0.02, material: STONE, ...more };
}

/** Steps on, and adds up what the reports say. */
function run(world: World, seconds: number, frames: number): HeatReport {
  const total = { explicitSteps: 0, implicitSteps: 0, iterations: 0, retries: 0, supplied: 0, added: 0, removed: 0 };
  let explicitTimeStep = 0;
  for (let k = 0; k < frames; k++) {
    const report = world.step(seconds / frames).heat!;
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key];
    explicitTimeStep = report.explicitTimeStep;
  }
  return { ...total, explicitTimeStep };
}

const mean = (world: World, body: string) => world.probe({ name: 'T', body, quantity: 'temperature' })[0]!;

describe('heat', () => {
  test('does not count, and changes no bit, where nothing has a temperature', async () => {
    const hash = async (material: MaterialInput, temperature?: number) => {
      const world = await createWorld({ threads: 1 });
      world.addBody({ ...block('a', [0, 0, 0], { kind: 'solid', material }), temperature });
      const report = world.step(0.01);
      const result = { hash: world.stateHash(), heat: report.heat, at: world.temperatures()[0] };
      await world.dispose();
      return result;
    };
    const plain = await hash({ ...STONE, thermalConductivity: 0 });
    expect(await hash(STONE)).toEqual(plain);
    expect(plain).toMatchObject({ heat: undefined, at: 20 });
    expect((await hash(STONE, 20)).hash).not.toBe(plain.hash);
  });

  test.each([
    ['explicitly', 1],
    ['implicitly', 1e6],
  ])('is neither made nor lost between bodies that touch, and evens out, %s', async (_, scale) => {
    const world = await still();
    const material = { ...STONE, heatCapacity: 1600 };
    world.addBody(block('a', [-0.04, 0, 0], { temperature: 100 }));
    world.addBody(block('b', [0.04, 0, 0], { temperature: 10, material }));
    const start = world.heat();
    run(world, 10 * scale, 10);
    // f64 sums of some hundred numbers.
    expect(Math.abs(world.heat() / start - 1)).toBeLessThan(1e-13);
    expect(mean(world, 'a')).toBeLessThan(100);
    expect(mean(world, 'b')).toBeGreaterThan(10);
    if (scale > 1) for (const t of world.temperatures()) expect(t).toBeCloseTo(40, 3);
    await world.dispose();
  });

  test('stays within the range of temperatures that were there: the second law', async () => {
    const world = await still();
    world.addBody(block('a', [-0.04, 0, 0], { material: { ...STONE, thermalConductivity: 100 } }));
    world.addBody(block('b', [0.04, 0, 0]));
    // As rough as can be.
    let k = 0;
    for (const body of ['a', 'b']) world.setTemperature(body, () => (k++ % 3 === 0 ? 300 : -50));
    for (let frame = 0; frame < 40; frame++) {
      world.step(10 * 1.3 ** frame * 1e-2);
      for (const t of world.temperatures()) {
        expect(t).toBeGreaterThanOrEqual(-50);
        expect(t).toBeLessThanOrEqual(300);
      }
    }
    await world.dispose();
  });

  test('does not cross a gap, and does cross a contact the same both ways', async () => {
    const exchange = async (temperatures: readonly [number, number], distance: number) => {
      const world = await still();
      world.addBody(block('a', [-0.04 - distance / 2, 0, 0], { temperature: temperatures[0] }));
      world.addBody(block('b', [0.04 + distance / 2, 0, 0], { temperature: temperatures[1] }));
      run(world, 100, 5);
      const result = [mean(world, 'a'), mean(world, 'b')];
      await world.dispose();
      return result;
    };
    const [a, b] = (await exchange([100, 0], 0)) as [number, number];
    expect(b).toBeGreaterThan(1);
    const [c, d] = await exchange([0, 100], 0);
    expect(c).toBeCloseTo(b, 3);
    expect(d).toBeCloseTo(a, 3);
    expect(await exchange([100, 0], 0.02)).toEqual([100, 0]);
  });

  test('comes from a plate, a source and the air, as much as they say', async () => {
    const world = await still({ temperature: 5, heatTransfer: 20 });
    world.addBody(block('a', [0, 0.04 + 1e-6, 0], { temperature: 20 }));
    world.addObstacle({ shape: { plane: {} }, temperature: 80, contactConductance: 500 });
    world.addHeat({ body: 'a', power: 3, start: 10, end: 30 });
    const start = world.heat();
    const { supplied } = run(world, 60, 6);
    expect((world.heat() - start) / supplied).toBeCloseTo(1, 12);
    await world.dispose();
  });

  test('of a source is its power times its time', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0], { temperature: 20 }));
    const region = { box: { min: [-1, -1, -1] as Vec3, max: [0, 1, 1] as Vec3 } };
    world.addHeat({ body: 'a', region, power: 3, start: 1.05, end: 30 });
    const start = world.heat();
    run(world, 60, 7);
    expect((world.heat() - start) / (3 * 28.95)).toBeCloseTo(1, 12);
    await world.dispose();
  });

  test('lost to the air cools a small block as Newton says', async () => {
    const world = await still({ temperature: 0, heatTransfer: 10 });
    const shape = { sphere: { radius: 0.05 } };
    const material = { ...STONE, thermalConductivity: 400 };
    world.addBody(block('a', [0, 0, 0], { shape, spacing: 0.01, material, temperature: 100 }));
    // T = T0 exp(-h A t / (m c)), Biot number 0.0004
    const capacity = world.mass * 800;
    const time = capacity / (10 * 4 * Math.PI * 0.05 ** 2);
    run(world, time, 10);
    expect(mean(world, 'a') / (100 / Math.E)).toBeCloseTo(1, 2);
    await world.dispose();
  });

  test('melts: temperature stands still until the latent heat is in', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0], { material: ICE, temperature: -10 }));
    const { mass } = world;
    const toMelt = mass * (10 * 2000 + 3e5);
    world.addHeat({ body: 'a', power: toMelt / 100 });
    run(world, (mass * (10 * 2000 + 1e5) * 100) / toMelt, 5);
    for (const t of world.temperatures()) expect(t).toBeCloseTo(0, 6);
    for (const f of world.liquidFractions()) expect(f).toBeCloseTo(1 / 3, 5);
    run(world, (mass * (2e5 + 8 * 4000) * 100) / toMelt, 5);
    for (const t of world.temperatures()) expect(t).toBeCloseTo(8, 4);
    expect(world.probe({ name: 'f', quantity: 'liquidFraction' })).toEqual([1]);
    await world.dispose();
  });

  test('of a melting range is spread over it', async () => {
    const world = await still();
    const material = { ...ICE, meltingRange: 10, liquidHeatCapacity: 2000 };
    world.addBody(block('a', [0, 0, 0], { material, temperature: -5 }));
    const start = world.heat();
    world.setTemperature('a', 2.5);
    // Masses are float32.
    expect((world.heat() - start) / world.mass / (0.75 * (3e5 + 10 * 2000))).toBeCloseTo(1, 7);
    for (const f of world.liquidFractions()) expect(f).toBeCloseTo(0.75, 6);
    await world.dispose();
  });

  test('of what is held stays: melted and frozen again it gives back what it took', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0], { material: ICE, temperature: -20 }));
    const region = { box: { min: [-1, -1, -1] as Vec3, max: [-0.02, 1, 1] as Vec3 } };
    world.addHeat({ body: 'a', region, temperature: 50, end: 2e4 });
    world.addHeat({ body: 'a', region, temperature: -20, start: 2e4 });
    const start = world.heat();
    const heated = run(world, 2e4, 4);
    expect(world.probe({ name: 'f', quantity: 'liquidFraction' })[0]).toBe(1);
    expect((world.heat() - start) / heated.supplied).toBeCloseTo(1, 12);
    const cooled = run(world, 3e4, 6);
    for (const t of world.temperatures()) expect(t).toBeCloseTo(-20, 3);
    expect(cooled.supplied / heated.supplied).toBeCloseTo(-1, 4);
    await world.dispose();
  });

  test('flows through liquids and solids in one world, and none is lost', async () => {
    const world = await createWorld({ threads: 1 });
    const water: MaterialInput = { density: 1000, viscosity: 0.1, thermalConductivity: 20, heatCapacity: 1000 };
    world.addObstacle({ shape: { plane: {} } });
    for (const [normal, offset] of [
      [[1, 0, 0], -0.06],
      [[-1, 0, 0], -0.06],
      [[0, 0, 1], -0.06],
      [[0, 0, -1], -0.06],
    ] as const) {
      world.addObstacle({ shape: { plane: { normal, offset } } });
    }
    world.addBody({
      ...{ name: 'water', kind: 'fluid', shape: { box: { size: [0.12, 0.06, 0.12] } }, position: [0, 0.03, 0] },
      ...{ spacing: 0.01, material: water, temperature: 10 },
    });
    const ball = { shape: { sphere: { radius: 0.02 } }, spacing: 0.01, temperature: 90 };
    world.addBody(
      block('ball', [0, 0.1, 0], { ...ball, material: { ...STONE, youngsModulus: 1e6, thermalConductivity: 50 } }),
    );
    const start = world.heat();
    run(world, 0.5, 10);
    expect(Math.abs(world.heat() / start - 1)).toBeLessThan(1e-13);
    expect(mean(world, 'ball')).toBeLessThan(85);
    for (const t of world.temperatures()) {
      expect(t).toBeGreaterThanOrEqual(10 - 1e-5);
      expect(t).toBeLessThanOrEqual(90 + 1e-5);
    }
    await world.dispose();
  });

  test('of liquid comes in with sources and leaves through sinks', async () => {
    const world = await createWorld({ threads: 1, temperature: 20 });
    world.addEmitter({
      ...{ name: 'tap', position: [0, 0.2, 0], rotation: [180, 0, 0], radius: 0.02, speed: 1, stop: 0.15 },
      ...{ spacing: 0.01, maxParticles: 500, temperature: 60, material: { heatCapacity: 4000 } },
    });
    world.addSink({ box: { min: [-1, -1, -1], max: [1, 0, 1] } });
    const before = run(world, 0.1, 4);
    expect(before.added).toBeGreaterThan(0);
    const after = run(world, 0.3, 12);
    expect(after.removed).toBeGreaterThan(0);
    const total = before.added + after.added - before.removed - after.removed;
    expect(Math.abs(world.heat() - total) / (before.added + after.added)).toBeLessThan(1e-6);
    await world.dispose();
  });

  test('conducts less along a stretched body: as the square of its length', async () => {
    const loss = async (stretch: number) => {
      const world = await still({ solver: { solid: { integrator: 'implicit' } } });
      const shape = { box: { size: [0.2, 0.04, 0.04] as Vec3 } };
      const material = { ...STONE, poissonsRatio: 0.49, youngsModulus: 1e5, model: 'neoHookean' } as const;
      world.addBody(block('a', [0, 0, 0], { kind: 'solid', shape, material }));
      for (const side of [-1, 1]) {
        const [min, max]: [Vec3, Vec3] =
          side < 0
            ? [
                [-1, -1, -1],
                [-0.08, 1, 1],
              ]
            : [
                [0.08, -1, -1],
                [1, 1, 1],
              ];
        const position: Vec3 = [side * 0.1 * (stretch - 1), 0, 0];
        const move = [{ time: 0 }, { time: 1, position }];
        world.addConstraint({ body: 'a', region: { box: { min, max } }, fix: ['x'], move });
      }
      world.solveStatic();
      const region = { box: { min: [-1, -1, -1] as Vec3, max: [0, 1, 1] as Vec3 } };
      world.setTemperature('a', 100);
      world.setTemperature('a', 0, region);
      // Next to nothing of the 130 s in which a particle's temperature follows its neighbours.
      world.step(1);
      const place = (x: number) =>
        world.probe({
          ...{ name: 'p', quantity: 'position' as const },
          region: { box: { min: [x - 0.001, -1, -1], max: [x + 0.001, 1, 1] } },
        })[0]!;
      const gained = world.probe({ name: 'l', region, quantity: 'heat' })[0]!;
      const distance = place(0.01) - place(-0.01);
      await world.dispose();
      return { gained, distance };
    };
    const [short, long] = [await loss(1), await loss(1.3)];
    const stretch = long.distance / short.distance;
    expect(stretch).toBeGreaterThan(1.25);
    expect((short.gained / long.gained) * (1 / stretch ** 2)).toBeCloseTo(1, 2);
  });
});

describe('heat and its bits', () => {
  /** Two blocks that fall on a hot plate, with liquid around. */
  async function scene(threads: number): Promise<World> {
    const world = await createWorld({ threads, temperature: 15, heatTransfer: 10 });
    world.addObstacle({ shape: { plane: {} }, temperature: 200, contactConductance: 1e4 });
    const cube = { shape: { box: { size: [0.1, 0.06, 0.1] as Vec3 } }, spacing: 0.01 };
    world.addBody(block('a', [0, 0.031, 0], { ...cube, material: { ...ICE, youngsModulus: 1e6 } }));
    const soft = { ...STONE, youngsModulus: 1e5, density: 1000 };
    world.addBody(block('b', [0, 0.1, 0], { ...cube, kind: 'solid', material: soft, temperature: 90 }));
    const water = { density: 1000, thermalConductivity: 50, viscosity: 1, heatCapacity: 1000 };
    world.addBody({
      ...{ name: 'water', kind: 'fluid', shape: { box: { size: [0.1, 0.04, 0.1] } }, position: [0, 0.17, 0] },
      ...{ spacing: 0.01, material: water },
    });
    return world;
  }

  test('are the same with 1, 2 and 3 threads, and after a save', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2, 3]) {
      const world = await scene(threads);
      for (let k = 0; k < 4; k++) world.step(0.01);
      if (threads === 2) {
        const bytes = world.save();
        await world.dispose();
        const copy = await World.load(bytes, { threads: 1 });
        for (let k = 0; k < 4; k++) copy.step(0.01);
        hashes.push(copy.stateHash());
        await copy.dispose();
        continue;
      }
      for (let k = 0; k < 4; k++) world.step(0.01);
      hashes.push(world.stateHash());
      expect(new Set(world.temperatures()).size).toBeGreaterThan(50);
      await world.dispose();
    }
    expect(new Set(hashes).size).toBe(1);
  });

  test('are kept when a body is added', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0], { material: ICE, temperature: -5 }));
    world.addHeat({ body: 'a', power: 500 });
    run(world, 20, 2);
    const before = [...world.enthalpies()];
    world.addBody(block('b', [0.5, 0, 0]));
    expect([...world.enthalpies()].slice(0, before.length)).toEqual(before);
    await world.dispose();
  });
});

describe('what is asked of heat', () => {
  test('a material that changes keeps its temperature', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0], { temperature: 70 }));
    world.addEvent({ time: 1, body: 'a', set: { heatCapacity: 100, thermalConductivity: 9 } });
    const start = world.heat();
    const { added } = run(world, 2, 2);
    for (const t of world.temperatures()) expect(t).toBeCloseTo(70, 10);
    expect(world.heat()).toBeCloseTo(start / 8, 6);
    expect(added).toBeCloseTo(world.heat() - start, 6);
    await world.dispose();
  });

  test('regions of a body have a conductivity of their own', async () => {
    const world = await still();
    const region = { box: { min: [0, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
    world.addBody(block('a', [0, 0, 0], { temperature: 0, regions: [{ region, set: { thermalConductivity: 0 } }] }));
    world.setTemperature('a', 100, { box: { min: [-1, -1, -1], max: [-0.02, 1, 1] } });
    run(world, 1e4, 3);
    const inside = world.probe({ name: 'r', region, quantity: 'temperature' })[0];
    expect(inside).toBe(0);
    expect(mean(world, 'a')).toBeCloseTo(25, 6);
    await world.dispose();
  });

  test('nonsense is refused with its name', async () => {
    const world = await still();
    world.addBody(block('a', [0, 0, 0]));
    const nowhere = { box: { min: [5, 5, 5] as Vec3, max: [6, 6, 6] as Vec3 } };
    expect(() => world.addHeat({ body: 'b', power: 1 })).toThrow('"b" is not in the world');
    expect(() => world.addHeat({ body: 'a', power: 1, region: nowhere })).toThrow('holds no particle of body "a"');
    expect(() => world.addHeat({ body: 'a', power: Number.NaN })).toThrow('heat.power');
    expect(() => world.addHeat({ body: 'a', temperature: -400 })).toThrow(
      'heat.temperature must be from -273.15 to 1e+6 degrees C, got -400',
    );
    expect(() => world.setTemperature('a', Number.NaN)).toThrow('setTemperature.temperature');
    expect(() => world.setTemperature('a', 5, nowhere)).toThrow('holds no particle');
    expect(() => world.addBody(block('c', [1, 0, 0], { material: { heatCapacity: 0 } }))).toThrow(
      'heatCapacity must be > 0',
    );
    expect(() => world.addBody(block('c', [1, 0, 0], { material: { thermalConductivity: -1 } }))).toThrow(
      'thermalConductivity must be >= 0 W/(m K), got -1',
    );
    expect(world.isThermal).toBe(false);
    await world.dispose();
  });
});

describe('properties that depend on temperature', () => {
  test('warm liquid rises as a liquid of that density does, and no heat is lost on the way', async () => {
    const lower = { box: { min: [-1, -1, -1] as Vec3, max: [0, 0.08, 1] as Vec3 } };
    const water = { density: 1000, viscosity: 0.1 };
    const warm = {
      ...water,
      byTemperature: {
        density: [
          [0, 1],
          [100, 0.8],
        ],
      },
    } as const;
    /** How high what was in the lower left corner is after a second; left and right half below, and what is above. */
    const height = async (materials: readonly [MaterialInput, MaterialInput, MaterialInput], temperature?: number) => {
      const world = await createWorld({ threads: 1, solver: { fluid: { period: [0.16, 0, 0.16] } } });
      world.addObstacle({ shape: { plane: {} } });
      for (const [k, material] of materials.entries()) {
        const shape = { box: { size: [k < 2 ? 0.08 : 0.16, 0.08, 0.16] as Vec3 } };
        const position: Vec3 = k < 2 ? [k === 0 ? -0.04 : 0.04, 0.04, 0] : [0, 0.12, 0];
        const first = k === 0 && temperature !== undefined ? { temperature } : {};
        world.addBody({
          name: `w${k}`,
          kind: 'fluid',
          shape,
          position,
          spacing: 0.02,
          jitter: 0.1,
          material,
          ...first,
        });
      }
      const start = world.heat();
      for (let k = 0; k < 10; k++) world.step(0.1);
      if (temperature !== undefined) expect(Math.abs(world.heat() / start - 1)).toBeLessThan(1e-13);
      const [, y] = world.probe({ name: 'y', region: lower, quantity: 'position' });
      await world.dispose();
      return y!;
    };
    const risen = await height([warm, warm, warm], 100);
    const lighter = { ...water, density: 800 };
    // The surroundings are at 20 degrees and so 4 % lighter than at 0.
    const around = { ...water, density: 960 };
    const other = await height([lighter, around, around]);
    // All of it alike stays where it is, half of 0.08 m high; jitter lets it settle a little.
    const still = await height([water, water, water]);
    expect(still).toBeLessThan(0.05);
    expect(risen - 0.04).toBeGreaterThan(2 * Math.abs(still - 0.04));
    expect(risen).toBeGreaterThan(0.055);
    expect(risen).toBeCloseTo(other, 2);
  });

  test('a curve is followed by straight lines and level beyond its ends', () => {
    const curve = [
      [0, 2],
      [10, 4],
      [20, 1],
    ] as const;
    expect([-5, 0, 5, 10, 15, 20, 90].map((t) => factorAt(curve, t))).toEqual([2, 2, 3, 4, 2.5, 1, 1]);
    expect(factorAt(undefined, 5)).toBe(1);
  });

  test('warm honey runs faster, and as fast after a save', async () => {
    const speed = async (temperature: number) => {
      const world = await createWorld({ threads: 1 });
      world.addObstacle({ shape: { plane: { normal: [0, 1, 0.6] } } });
      const shape = { box: { size: [0.1, 0.06, 0.1] as Vec3 } };
      const material = {
        density: 1000,
        viscosity: 1,
        byTemperature: {
          viscosity: [
            [0, 50],
            [50, 1],
          ],
        },
      } as const;
      world.addBody({
        ...{ name: 'h', kind: 'fluid', shape, position: [0, 0.08, 0], rotation: [31, 0, 0], spacing: 0.02 },
        ...{ material, temperature },
      });
      for (let k = 0; k < 5; k++) world.step(0.02);
      const copy = await World.load(world.save(), { threads: 1 });
      for (const one of [world, copy]) for (let k = 0; k < 5; k++) one.step(0.02);
      expect(copy.stateHash()).toBe(world.stateHash());
      const [, , z] = world.probe({ name: 'v', quantity: 'velocity' });
      await world.dispose();
      await copy.dispose();
      return z!;
    };
    const [cold, warm] = [await speed(0), await speed(50)];
    expect(warm).toBeGreaterThan(1.5 * cold);
  });

  test('curves that fall back or vanish are refused', async () => {
    const refused = (density: unknown) => () => resolveMaterial({ byTemperature: { density } } as MaterialInput);
    expect(
      refused([
        [10, 1],
        [5, 2],
      ]),
    ).toThrow('byTemperature.density[1] must be warmer than the point before it');
    expect(refused([[10, 0]])).toThrow('a factor > 0');
    expect(refused([[10]])).toThrow('byTemperature.density[0] must be a temperature');
    expect(refused([])).toThrow('must have at least one point');
    expect(refused(3)).toThrow('must be a list of [temperature, factor], got 3');
  });
});

describe('any material', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'number %i keeps heat and makes no new extremes',
    async (seed) => {
      const random = randomNumbers(seed);
      const between = (low: number, high: number) => 10 ** (low + (high - low) * random());
      const some = (): MaterialInput => ({
        ...{ density: between(1, 4), youngsModulus: 1e7, heatCapacity: between(1, 4) },
        ...{ thermalConductivity: between(-3, 4), latentHeat: random() < 0.3 ? 0 : between(2, 6) },
        ...(random() < 0.7 && { meltingPoint: 300 * random() - 50 }),
        ...{ meltingRange: random() < 0.5 ? 0 : between(-2, 2) },
        ...(random() < 0.5 && { liquidConductivity: between(-3, 4), liquidHeatCapacity: between(1, 4) }),
      });
      // Near enough for heat, too far to push each other.
      const world = await still({ temperature: 20, heatTransfer: between(-1, 4) });
      const lattice = (['cubic', 'bcc', 'hcp', 'octree'] as const)[seed % 4]!;
      const warm = () => 400 * random() - 100;
      world.addBody(block('a', [-0.0425, 0.048, 0], { lattice, material: some(), temperature: warm() }));
      world.addBody(block('b', [0.0425, 0.048, 0], { material: some(), temperature: warm() }));
      world.addObstacle({ shape: { plane: {} }, temperature: warm() });
      const start = world.heat();
      const { supplied } = run(world, between(-2, 4), 5);
      const size = Math.max(Math.abs(start), Math.abs(supplied));
      expect(Math.abs(world.heat() - start - supplied)).toBeLessThan(1e-11 * size);
      for (const t of world.temperatures()) {
        expect(t).toBeGreaterThan(-100 - 1e-3);
        expect(t).toBeLessThan(300 + 1e-3);
      }
      await world.dispose();
    },
    60_000,
  );
});
