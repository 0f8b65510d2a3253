import { describe, expect, test } from 'vitest';
import type { MaterialInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, type World } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';

const SPACING = 0.01;
const WARM = 80;
const COLD = 20;
const WEIGHTLESS: Vec3 = [0, 0, 0];
interface FluidInput {
  readonly pressure?: 'dfsph' | 'wcsph';
  readonly maxTimeStep?: number;
}

/** A drop without gravity, at a temperature, after some time. */
async function drop(material: MaterialInput, temperature: number, fluid: FluidInput = {}, layers = 4.2) {
  const solver = { fluid: { stiffness: 1000, ...fluid } };
  const world = await createWorld({ threads: 1, gravity: WEIGHTLESS, temperature, solver });
  const shape = { sphere: { radius: layers * SPACING } };
  world.addBody({ name: 'drop', kind: 'fluid', shape, spacing: SPACING, material });
  return world;
}

const pressureOf = (world: World) => world.probe({ name: 'p', quantity: 'pressure' })[0]!;

describe('surface tension by temperature', () => {
  const syrup = { density: 1000, viscosity: 5, surfaceTension: 1 };

  test('the pressure in a warm and in a cold drop is in the ratio of the curve', async () => {
    const factor = 0.25;
    const material: MaterialInput = {
      ...syrup,
      byTemperature: {
        surfaceTension: [
          [COLD, 1],
          [WARM, factor],
        ],
        // Drops of tension T and viscosity sqrt(T) are similar at times 1 / sqrt(T), in as many steps.
        viscosity: [
          [COLD, 1],
          [WARM, Math.sqrt(factor)],
        ],
      },
    };
    const pressureAt = async (temperature: number, time: number) => {
      // The tension acts down to four layers below the surface.
      const world = await drop(material, temperature, { maxTimeStep: 0.01 * time }, 6.3);
      world.step(time);
      const region = { sphere: { center: WEIGHTLESS, radius: 2.2 * SPACING } };
      const [pressure] = world.probe({ name: 'p', quantity: 'pressure', region });
      await world.dispose();
      return pressure!;
    };
    const cold = await pressureAt(COLD, 0.1);
    const warm = await pressureAt(WARM, 0.1 / Math.sqrt(factor));
    expect(cold).toBeGreaterThan(1);
    expect(Math.abs(warm / cold / factor - 1)).toBeLessThan(0.02);
  });

  test('a drop of half the tension by its temperature moves as one that has half of it, to the bit', async () => {
    const curve = [[COLD, 0.5]] as const;
    const one = await drop({ ...syrup, byTemperature: { surfaceTension: curve } }, COLD);
    const other = await drop({ ...syrup, surfaceTension: 0.5 }, COLD);
    // The longest step is that of the largest tension: here both have the same.
    for (const world of [one, other]) for (let k = 0; k < 4; k++) world.step(0.002);
    expect([...one.positions()]).toEqual([...other.positions()]);
    await Promise.all([one.dispose(), other.dispose()]);
  });

  test('a body is drawn by a drop of half the tension by its temperature as by one that has half of it, to the bit', async () => {
    const half = { surfaceTension: [[COLD, 0.5]] } as const;
    const worlds = await Promise.all([
      drop({ ...syrup, byTemperature: half }, COLD),
      drop({ ...syrup, surfaceTension: 0.5 }, COLD),
    ]);
    const [one, other] = worlds.map((world) => {
      world.addBody({
        name: 'block',
        kind: 'rigid',
        shape: { box: { size: [0.04, 0.04, 0.04] } },
        position: [0.063, 0, 0],
        spacing: SPACING,
        material: { density: 1000 },
      });
      for (let k = 0; k < 4; k++) world.step(0.002);
      return world.probe({ name: 'v', quantity: 'velocity', body: 'block' });
    });
    expect(one).toEqual(other);
    expect(one![0]).toBeLessThan(0);
    for (const world of worlds) await world.dispose();
  });

  /** Mean velocity along x around the middle of a drop, at its surface and within, when it is warmer on one side. */
  async function flow(warming: number): Promise<{ outer: number; inner: number; momentum: number }> {
    const curve = [
      [COLD, 1],
      [WARM, 0.2],
    ] as const;
    const layers = 8;
    const material = { ...syrup, viscosity: 0.5, byTemperature: { surfaceTension: curve } };
    const world = await drop(material, 50, {}, layers);
    const radius = layers * SPACING;
    world.setTemperature('drop', ([x]) => 50 + (warming * x) / radius);
    world.step(0.04);
    const [x, v] = [world.positions(), world.velocities()];
    const sums = { outer: [0, 0], inner: [0, 0] };
    let size = 0;
    for (let i = 0; i < x.length; i += 4) {
      size += Math.hypot(v[i]!, v[i + 1]!, v[i + 2]!) * 1000 * SPACING ** 3;
      if (Math.abs(x[i]!) > 0.5 * radius) continue;
      const sum = sums[Math.hypot(x[i + 1]!, x[i + 2]!) > 0.75 * radius ? 'outer' : 'inner'];
      sum[0]! += v[i]!;
      sum[1]!++;
    }
    const momentum = Math.hypot(...world.momentum()) / size;
    await world.dispose();
    return { outer: sums.outer[0]! / sums.outer[1]!, inner: sums.inner[0]! / sums.inner[1]!, momentum };
  }

  test('the surface flows to where tension is larger, and the drop as a whole stays', async () => {
    const [warmRight, alike, warmLeft] = [await flow(30), await flow(0), await flow(-30)];
    expect(warmRight.outer).toBeLessThan(0);
    expect(warmRight.inner).toBeGreaterThan(0);
    expect(Math.abs(alike.outer)).toBeLessThan(-0.1 * warmRight.outer);
    expect(warmLeft.outer).toBeGreaterThan(0);
    expect(warmLeft.inner).toBeLessThan(0);
    // Forces are opposite to the bit.
    expect(warmRight.momentum).toBeLessThan(1e-4);
  });
});

test('cohesion by temperature acts as cohesion of that size, to the bit', async () => {
  const glue = { density: 1000, viscosity: 0.1, cohesion: 200 };
  const one = await drop({ ...glue, byTemperature: { cohesion: [[COLD, 0.5]] } }, COLD, { pressure: 'wcsph' });
  const other = await drop({ ...glue, cohesion: 100 }, COLD, { pressure: 'wcsph' });
  const none = await drop({ ...glue, cohesion: 0 }, COLD, { pressure: 'wcsph' });
  for (const world of [one, other, none]) world.step(0.02);
  expect(one.stateHash()).toBe(other.stateHash());
  expect([...one.positions()]).not.toEqual([...none.positions()]);
  await Promise.all([one.dispose(), other.dispose(), none.dispose()]);
});

test('pressure in liquid at rest goes by the density of its temperature', async () => {
  const pressures = [];
  for (const temperature of [COLD, WARM]) {
    const solver = { fluid: { period: [0.08, 0, 0.08] as Vec3 } };
    const world = await createWorld({ threads: 1, temperature, solver });
    world.addObstacle({ name: 'floor', shape: { plane: {} } });
    const density = [
      [COLD, 1],
      [WARM, 0.6],
    ] as const;
    const material = { density: 1000, viscosity: 1, byTemperature: { density } };
    const body = { name: 'oil', kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material };
    world.addBody({ ...body, position: [0, 0.05, 0] }, block([8, 10, 8], SPACING));
    world.step(0.5);
    pressures.push(pressureOf(world));
    await world.dispose();
  }
  const [cold, warm] = pressures as [number, number];
  // Half of density g height, with ten layers.
  expect(Math.abs(cold / (1000 * 9.81 * 0.05) - 1)).toBeLessThan(0.05);
  expect(Math.abs(warm / cold / 0.6 - 1)).toBeLessThan(0.02);
});

/**
 * Liquid at rest between slippery floor and lid, lighter by e cos(k x) sin(m y) where it is warm: how fast it rises
 * there, over what theory says. Its acceleration has no divergence and obeys Delta a_y = d2/dx2 (e g cos sin), so
 * a_y = k^2 / (k^2 + m^2) e g cos(k x) sin(m y).
 */
async function rise(expansion: number): Promise<number> {
  const [nx, ny, nz] = [16, 12, 6];
  const [width, height] = [nx * SPACING, ny * SPACING];
  const [k, m] = [(2 * Math.PI) / width, Math.PI / height];
  const solver = { fluid: { period: [width, 0, nz * SPACING] as Vec3, eddyViscosity: 0 } };
  const world = await createWorld({ threads: 1, temperature: COLD, solver });
  world.addObstacle({ name: 'floor', shape: { plane: {} }, slip: 1 });
  world.addObstacle({ name: 'lid', shape: { plane: { normal: [0, -1, 0], offset: -height } }, slip: 1 });
  const density = [
    [0, 1.2],
    [40, 0.8],
  ] as const;
  const material = { density: 1000, viscosity: 0, byTemperature: { density } };
  const body = { name: 'water', kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material };
  world.addBody({ ...body, position: [0, height / 2, 0] }, block([nx, ny, nz], SPACING));
  const mode = (x: number, y: number) => Math.cos(k * x) * Math.sin(m * y);
  // A hundredth of the density per kelvin.
  world.setTemperature('water', ([x, y]) => COLD + 100 * expansion * mode(x, y));
  const time = 0.03;
  world.step(time);
  const [x, v] = [world.positions(), world.velocities()];
  let [sum, squares] = [0, 0];
  for (let i = 0; i < x.length; i += 4) {
    const weight = mode(x[i]!, x[i + 1]!);
    sum += v[i + 1]! * weight;
    squares += weight * weight;
  }
  await world.dispose();
  return sum / squares / (0.1 * 9.81 * time * ((k * k) / (k * k + m * m)));
}

test('liquid rises where it is warm and sinks where it is cold, with the acceleration of theory', async () => {
  const strong = await rise(0.1);
  // 1.05: a lid cannot pull, so what sinks leaves it a little faster.
  expect(Math.abs(strong - 1)).toBeLessThan(0.1);
  expect(Math.abs((await rise(0.02)) / 0.2 - 1)).toBeLessThan(0.1);
  expect(Math.abs((await rise(-0.1)) + 1)).toBeLessThan(0.1);
  expect(Math.abs(await rise(0))).toBeLessThan(0.01);
});
