import { expect, test } from 'vitest';
import type { MaterialInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { readSave, writeSave } from '../../src/world/save.js';
import { createWorld, World } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';

const SPACING = 0.02;
const JELLY = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0, elastic: true, viscosity: 0 } as const;
const WAX = {
  density: 900,
  elastic: true,
  youngsModulus: 1e5,
  poissonsRatio: 0.3,
  damping: 0.1,
  viscosity: 5,
  heatCapacity: 2000,
  thermalConductivity: 400,
  latentHeat: 1e4,
  meltingPoint: 60,
  meltingRange: 4,
} as const;
type Loose = Record<string, unknown>;

/** A world with one block of an elastic liquid. */
async function blockOf(
  sides: Vec3,
  material: Loose,
  options: { gravity?: Vec3; floor?: Loose; threads?: number } = {},
) {
  const { gravity = [0, 0, 0], floor, threads = 1 } = options;
  const world = await createWorld({ threads, gravity, solver: { fluid: { eddyViscosity: 0, maxTimeStep: 2e-3 } } });
  if (floor) world.addObstacle({ name: 'floor', shape: { plane: {} }, ...floor });
  const position: Vec3 = [0, floor ? (sides[1] * SPACING) / 2 : 0, 0];
  const body = { name: 'block', kind: 'fluid' as const, shape: SOME_BOX, position, spacing: SPACING };
  world.addBody({ ...body, material: material as MaterialInput }, block(sides, SPACING));
  return world;
}

/** The same with velocities as a function of position. */
async function withVelocities(world: World, velocityAt: (x: Vec3) => Vec3): Promise<World> {
  const saved = readSave(world.save());
  await world.dispose();
  const [x, v] = saved.fluid!.arrays as [Float32Array, Float32Array];
  for (let i = 0; i < x.length; i += 4) v.set(velocityAt([x[i]!, x[i + 1]!, x[i + 2]!]), i);
  return World.load(writeSave(saved), { threads: 1 });
}

test('an elastic liquid that flies and spins keeps its momenta, and its shape', async () => {
  const first = await blockOf([5, 5, 5], JELLY);
  const world = await withVelocities(first, ([x, y, z]) => [0.1 + 3 * z, x - z, 0.05 - 3 * x + y]);
  const before = [...world.momentum(), ...world.angularMomentum()];
  const { kinetic } = world.energy();
  world.step(0.3);
  const after = [...world.momentum(), ...world.angularMomentum()];
  const size = Math.max(...before.map(Math.abs));
  // Rounding of float32 over a thousand steps.
  for (const [k, value] of after.entries()) expect(Math.abs(value - before[k]!)).toBeLessThan(1e-4 * size);
  // What is elastic is the pull of the spin.
  expect(world.energy().elastic).toBeLessThan(0.02 * kinetic);
  await world.dispose();
});

test('a bar swings along itself with the period 2 L sqrt(density / E)', async () => {
  const length = 20 * SPACING;
  const speed = Math.sqrt(JELLY.youngsModulus / JELLY.density);
  const first = await blockOf([20, 3, 3], JELLY);
  const world = await withVelocities(first, ([x]) => [0.02 * speed * Math.sin((Math.PI * x) / length), 0, 0]);
  const period = (2 * length) / speed;
  const crossings: number[] = [];
  let last: number | undefined;
  for (let k = 1; k <= 100; k++) {
    world.stepTo((k * period) / 40);
    const x = world.positions();
    const v = world.velocities();
    let sum = 0;
    for (let i = 0; i < x.length; i += 4) if (x[i]! > 0) sum += v[i]!;
    if (last !== undefined && last > 0 !== sum > 0) crossings.push(((k - 1 + last / (last - sum)) * period) / 40);
    last = sum;
  }
  const measured = (2 * (crossings.at(-1)! - crossings[0]!)) / (crossings.length - 1);
  expect(Math.abs(measured / period - 1)).toBeLessThan(0.005);
  await world.dispose();
});

test.each([0.05, 0.1, 0.3])(
  'damping of ratio %f lets the slowest swing of a bar decay as predicted',
  async (damping) => {
    const length = 20 * SPACING;
    const speed = Math.sqrt(JELLY.youngsModulus / JELLY.density);
    const first = await blockOf([20, 3, 3], { ...JELLY, damping });
    const world = await withVelocities(first, ([x]) => [0.02 * speed * Math.sin((Math.PI * x) / length), 0, 0]);
    const period = (2 * length) / speed / Math.sqrt(1 - damping * damping);
    // Turning points of the stretch, by parabolas through three samples: half a period apart.
    const stretches = [0, 0, 0];
    const turns: { time: number; size: number }[] = [];
    for (let k = 1; turns.length < 4; k++) {
      world.stepTo((k * period) / 60);
      const x = world.positions();
      let sum = 0;
      for (let i = 0; i < x.length; i += 4) sum += Math.abs(x[i]!);
      stretches.push(sum);
      const [a, b, c] = stretches.slice(-3) as [number, number, number];
      if (k < 4 || (b - a) * (c - b) > 0) continue;
      const bend = a - 2 * b + c;
      const shift = (0.5 * (a - c)) / bend;
      turns.push({ time: ((k - 1 + shift) * period) / 60, size: b - 0.25 * (a - c) * shift });
    }
    const [p, q, r, s] = turns.map(({ size }) => size) as [number, number, number, number];
    const decrement = Math.log((p - q) / (r - s));
    const expected = (2 * Math.PI * damping) / Math.sqrt(1 - damping * damping);
    // The spring in series with the dashpot makes it faster by a tenth of the ratio.
    expect(Math.abs(decrement / expected - 1)).toBeLessThan(0.04);
    expect(Math.abs((turns[2]!.time - turns[0]!.time) / period - 1)).toBeLessThan(0.005 + 0.1 * damping);
    await world.dispose();
  },
);

// A second of a damped block takes a while on one thread.
test('a block rests on the floor, pressed together by its weight', async () => {
  const world = await blockOf(
    [5, 10, 5],
    { ...JELLY, damping: 0.5 },
    { gravity: [0, -9.81, 0], floor: { friction: 0 } },
  );
  world.step(0.3);
  let top = 0;
  const x = world.positions();
  for (let i = 0; i < x.length; i += 4) top = Math.max(top, x[i + 1]!);
  const height = 10 * SPACING;
  const sag = height - SPACING / 2 - top;
  // Between the middles of the layers; cells at free faces are a little too stiff.
  const layers = (9.81 * JELLY.density * SPACING * SPACING * 45) / JELLY.youngsModulus;
  expect(sag).toBeGreaterThan(0.85 * layers);
  expect(sag).toBeLessThan(1.05 * layers);
  expect(world.energy().kinetic).toBeLessThan(1e-6);
  await world.dispose();
});

test('a liquid whose stress relaxes does not come back: its swing dies out and leaves plastic strain', async () => {
  const relaxing = { ...JELLY, yieldStress: 0, creepRate: 20 };
  const world = await withVelocities(await blockOf([6, 6, 6], relaxing), ([x, y]) => [0.5 * x, -0.5 * y, 0]);
  const before = world.energy();
  world.step(0.5);
  const after = world.energy();
  // Its energy dies out as e^-10, 5e-5. What moves outward meets nothing: 1 % of the motion is left.
  expect(after.elastic).toBeLessThan(5e-4 * before.kinetic);
  expect(after.kinetic).toBeLessThan(2e-2 * before.kinetic);
  expect(Math.max(...world.plasticStrains())).toBeGreaterThan(1e-4);
  await world.dispose();
});

test('a bar that may flow is pulled along itself and comes back, with the modulus 9 K mu / (3 K + mu) and K = mu', async () => {
  const material = { ...JELLY, yieldStress: 0, creepRate: 0 };
  const length = 20 * SPACING;
  const k = Math.PI / length;
  const world = await withVelocities(await blockOf([20, 5, 5], material), ([x]) => [0.1 * Math.sin(k * x), 0, 0]);
  const momentum = () => {
    const [x, v] = [world.positions(), world.velocities()];
    let sum = 0;
    for (let i = 0; i < x.length; i += 4) sum += v[i]! * Math.sin(k * x[i]!);
    return sum;
  };
  const before = momentum();
  const mu = JELLY.youngsModulus / 2;
  const quarter = (0.5 * length) / Math.sqrt((2.25 * mu) / JELLY.density);
  // At rest when it is longest; without a pull it would fly on. Free faces are too stiff, it swells across meanwhile.
  world.stepTo(quarter);
  expect(Math.abs(momentum() / before)).toBeLessThan(0.1);
  world.stepTo(2 * quarter);
  expect(Math.abs(momentum() / before + 1)).toBeLessThan(0.1);
  await world.dispose();
});

/** The same with positions as a function of those at rest. */
async function withPlaces(world: World, placeAt: (x: Vec3) => Vec3): Promise<World> {
  // A step makes the bonds.
  world.step(1e-5);
  const saved = readSave(world.save());
  await world.dispose();
  const x = saved.fluid!.arrays[0] as Float32Array;
  for (let i = 0; i < x.length; i += 4) x.set(placeAt([x[i]!, x[i + 1]!, x[i + 2]!]), i);
  return World.load(writeSave(saved), { threads: 1 });
}

test('the stress of a block that is stretched relaxes as exp(-rate t)', async () => {
  // So soft that inertia holds its shape: it swings with 4 rad/s.
  const rate = 200;
  const soft = { ...JELLY, youngsModulus: 50, yieldStress: 0, creepRate: rate };
  const world = await withPlaces(await blockOf([8, 8, 8], soft), ([x, y, z]) => [1.02 * x, y / 1.02, z]);
  const stress = () => world.probe({ name: 's', quantity: 'stress' })[0]!;
  // What is measured flows at the start of the next step, so a step is left out.
  world.stepTo(2e-3);
  const [before, start] = [stress(), world.time];
  for (const times of [0.8, 1.6, 2.4]) {
    world.stepTo(start + times / rate);
    expect(Math.abs(stress() / (before * Math.exp(-times)) - 1)).toBeLessThan(0.05);
  }
  await world.dispose();
});

test('a shear wave in a liquid whose stress relaxes swings and dies out as s^2 + rate s + mu k^2 / density = 0', async () => {
  const rate = 20;
  const length = 16 * SPACING;
  const across = 6 * SPACING;
  const fluid = { eddyViscosity: 0, maxTimeStep: 2e-3, period: [across, length, across] as Vec3 };
  const first = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { fluid } });
  const material = { ...JELLY, youngsModulus: 2e4, yieldStress: 0, creepRate: rate };
  const body = { name: 'block', kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material };
  first.addBody(body, block([6, 16, 6], SPACING));
  const k = (2 * Math.PI) / length;
  const world = await withVelocities(first, ([, y]) => [0.01 * Math.sin(k * y), 0, 0]);
  const amplitude = () => {
    const [x, v] = [world.positions(), world.velocities()];
    let sum = 0;
    for (let i = 0; i < x.length; i += 4) sum += v[i]! * Math.sin(k * x[i + 1]!);
    return sum;
  };
  const [before, energy] = [amplitude(), world.energy().kinetic];
  const omega = Math.sqrt((1e4 / JELLY.density) * k * k - (rate * rate) / 4);
  for (const half of [1, 2, 3, 4]) {
    const t = (half * Math.PI) / omega;
    world.stepTo(t);
    const now = world.energy();
    expect(Math.abs((amplitude() / before) * (half % 2 ? -1 : 1) * Math.exp((rate * t) / 2) - 1)).toBeLessThan(0.05);
    expect(Math.abs(((now.kinetic + now.elastic) / energy) * Math.exp(rate * t) - 1)).toBeLessThan(0.05);
  }
  await world.dispose();
});

async function meltAndFreeze(threads = 1) {
  const world = await blockOf([5, 5, 5], WAX, { gravity: [0, -9.81, 0], floor: { temperature: 150 }, threads });
  return world;
}

test('a block melts on a hot plate from below, and heat is kept', async () => {
  const world = await meltAndFreeze();
  const before = world.heat();
  let supplied = 0;
  for (let k = 0; k < 8; k++) supplied += world.step(0.25).heat!.supplied;
  expect(Math.abs(world.heat() - before - supplied)).toBeLessThan(1e-9 * Math.abs(world.heat()));
  const molten = world.liquidFractions();
  const share = molten.reduce((sum, f) => sum + f, 0) / molten.length;
  expect(share).toBeGreaterThan(0.05);
  expect(share).toBeLessThan(0.9);
  // All particles are still there, and none has flown off.
  expect(world.liquidCount).toBe(125);
  expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(0.5);
  await world.dispose();
});

test('what melts and freezes has one hash for all threads, and goes on from a save to the same bits', async () => {
  const hashes = await Promise.all(
    [1, 2].map(async (threads) => {
      const world = await meltAndFreeze(threads);
      world.step(0.6);
      const loaded = await World.load(world.save(), { threads });
      expect(loaded.stateHash()).toBe(world.stateHash());
      world.step(0.1);
      loaded.step(0.1);
      expect(loaded.stateHash()).toBe(world.stateHash());
      const hash = world.stateHash();
      await Promise.all([world.dispose(), loaded.dispose()]);
      return hash;
    }),
  );
  expect(hashes[1]).toBe(hashes[0]);
});

test('liquid that is cooled becomes elastic without stress', async () => {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], temperature: 80 });
  world.addBody(
    { name: 'wax', kind: 'fluid', shape: SOME_BOX, spacing: SPACING, material: { ...WAX, viscosity: 0.1 } },
    block([5, 5, 5], SPACING, 0.1),
  );
  world.step(0.05);
  expect(world.energy().elastic).toBe(0);
  world.setTemperature('wax', 20);
  world.step(0.05);
  const scale = WAX.youngsModulus * 125 * SPACING ** 3;
  // A strain of a thousandth would be 5e-7 of it.
  expect(world.energy().elastic / scale).toBeLessThan(5e-7);
  world.step(0.2);
  expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(0.02);
  await world.dispose();
});

test.each([1, 2])(
  'liquid that freezes on a cold floor, displaced at random (%i), stays where it is',
  async (seed) => {
    const world = await createWorld({ threads: 1, temperature: 20, seed });
    world.addObstacle({ name: 'floor', shape: { plane: {} }, temperature: 0 });
    world.addBody({
      name: 'wax',
      kind: 'fluid',
      shape: { box: { size: [0.08, 0.06, 0.08] } },
      position: [0, 0.04, 0],
      spacing: 0.01,
      jitter: 0.3,
      material: { ...WAX, viscosity: 0.5, thermalConductivity: 40, latentHeat: 5e4 },
      temperature: 70,
    });
    world.step(0.7);
    for (let k = 0; k < 20; k++) {
      world.step(0.025);
      expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(0.01);
    }
    await world.dispose();
  },
  60_000,
);

test('what has frozen to the walls of a tank, all of it, comes to rest', async () => {
  const world = await createWorld({ threads: 1, temperature: 80 });
  const tank: Record<string, Vec3> = {
    floor: [0, 1, 0],
    left: [1, 0, 0],
    right: [-1, 0, 0],
    front: [0, 0, 1],
    back: [0, 0, -1],
  };
  for (const [name, normal] of Object.entries(tank)) {
    const offset = name === 'floor' ? 0 : -0.038;
    world.addObstacle({ name, shape: { plane: { normal, offset } } });
  }
  world.addBody({
    name: 'wax',
    kind: 'fluid',
    shape: { box: { size: [0.076, 0.08, 0.076] } },
    position: [0, 0.04, 0],
    spacing: 0.008,
    jitter: 0.3,
    material: { ...WAX, damping: 0, viscosity: 0.3 },
    temperature: 80,
  });
  world.step(0.3);
  world.setTemperature('wax', 20);
  world.step(0.3);
  // Pressure of the walls once in ten elastic steps made it hop with metres per second.
  expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(0.02);
  await world.dispose();
});
