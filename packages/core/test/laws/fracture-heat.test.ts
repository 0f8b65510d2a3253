import { expect, test } from 'vitest';
import type { MaterialInput } from '../../src/options/inputs.js';
import { createWorld, World } from '../../src/world.js';

const STILL = { gravity: [0, 0, 0] } as const;
const MATERIAL = {
  density: 1000,
  youngsModulus: 1e6,
  poissonsRatio: 0,
  damping: 0.5,
  tensileStrength: 3e4,
  thermalConductivity: 50,
  heatCapacity: 1000,
} as const;

/** A bar that is pulled apart in the middle within 0.15 s, warm on one side of it. */
async function parting({ gap, material = MATERIAL }: { gap: number; material?: MaterialInput }) {
  const world = await createWorld({ ...STILL, temperature: 0, threads: 1 });
  world.addBody({
    name: 'bar',
    shape: { box: { size: [0.4, 0.1, 0.1] } },
    spacing: 0.05,
    lattice: 'cubic',
    material,
    regions: [{ region: { box: { min: [-0.03, -1, -1], max: [0.03, 1, 1] } }, set: { tensileStrength: 1e4 } }],
  });
  const half = (side: number) =>
    ({ box: { min: [side < 0 ? -1 : 0, -1, -1], max: [side < 0 ? 0 : 1, 1, 1] } }) as const;
  const end = { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } } as const;
  const other = { box: { min: [0.14, -1, -1], max: [1, 1, 1] } } as const;
  world.addConstraint({ body: 'bar', region: end, fix: true });
  const move = [
    { time: 0, position: [0, 0, 0] },
    { time: 0.15, position: [0.012, 0, 0] },
    { time: 0.3, position: [gap, 0, 0] },
  ] as const;
  world.addConstraint({ body: 'bar', region: other, move });
  world.step(0.3);
  world.addHeat({ body: 'bar', region: half(1), temperature: 100, start: world.time, end: world.time + 1e-3 });
  const mean = () => world.probe({ name: 't', body: 'bar', region: half(-1), quantity: 'temperature' })[0]!;
  return { world, mean };
}

test('heat does not cross a crack, and flows where its faces touch', async () => {
  const apart = await parting({ gap: 0.1 });
  for (let frame = 0; frame < 4; frame++) apart.world.step(0.05);
  expect(new Set(apart.world.pieces()).size).toBe(2);
  expect(Math.abs(apart.mean())).toBeLessThan(1e-9);
  await apart.world.dispose();
  const pressed = await parting({ gap: -0.01 });
  for (let frame = 0; frame < 4; frame++) pressed.world.step(0.05);
  expect(new Set(pressed.world.pieces()).size).toBe(2);
  expect(pressed.mean()).toBeGreaterThan(1e-3);
  await pressed.world.dispose();
  // Unbroken it conducts.
  const whole = await parting({ gap: 0, material: { ...MATERIAL, byTemperature: { tensileStrength: [[0, 1e3]] } } });
  for (let frame = 0; frame < 4; frame++) whole.world.step(0.05);
  expect(new Set(whole.world.pieces()).size).toBe(1);
  expect(whole.mean()).toBeGreaterThan(1e-3);
  await whole.world.dispose();
});

test('strength follows temperature: what is cold shatters where the warm holds', async () => {
  const pieces = async (temperature: number) => {
    const world = await createWorld({ ...STILL, threads: 1, temperature });
    world.addBody({
      name: 'bar',
      shape: { box: { size: [0.8, 0.15, 0.15] } },
      spacing: 0.05,
      lattice: 'cubic',
      angularVelocity: [0, 0, 14],
      material: {
        density: 1000,
        youngsModulus: 1e6,
        tensileStrength: 1e5,
        byTemperature: { tensileStrength: [[-50, 0.05], [20, 1]] }, // biome-ignore format: points
      },
    });
    for (let frame = 0; frame < 8; frame++) world.step(1 / 60);
    const count = new Set(world.pieces()).size;
    await world.dispose();
    return count;
  };
  expect(await pieces(20)).toBe(1);
  expect(await pieces(-50)).toBeGreaterThan(1);
});

test('cold glass breaks where hot glass bends: the yield stress of a solid follows temperature', async () => {
  const bent = async (temperature: number) => {
    const world = await createWorld({ ...STILL, threads: 1, temperature });
    world.addBody({
      name: 'rod',
      shape: { box: { size: [0.4, 0.04, 0.08] } },
      spacing: 0.02,
      lattice: 'cubic',
      material: {
        density: 2500,
        youngsModulus: 1e7,
        damping: 0.3,
        tensileStrength: 2e5,
        fractureEnergy: 5,
        yieldStress: 1e8,
        byTemperature: { yieldStress: [[400, 1], [600, 1e-3]] }, // biome-ignore format: points
      },
    });
    world.addConstraint({ body: 'rod', region: { box: { min: [-1, -1, -1], max: [-0.16, 1, 1] } }, fix: true });
    const move = [
      { time: 0, position: [0, 0, 0], rotation: [0, 0, 0] },
      { time: 0.4, position: [-0.05, -0.12, 0], rotation: [0, 0, -50] },
    ] as const;
    world.addConstraint({ body: 'rod', region: { box: { min: [0.16, -1, -1], max: [1, 1, 1] } }, move });
    const again = await World.load(world.save(), { threads: 1 });
    for (const one of [world, again]) for (let frame = 0; frame < 24; frame++) one.step(1 / 60);
    expect(again.stateHash()).toBe(world.stateHash());
    const result = { pieces: new Set(world.pieces()).size, strain: Math.max(...world.plasticStrains()) };
    await Promise.all([world.dispose(), again.dispose()]);
    return result;
  };
  const cold = await bent(20);
  expect(cold.pieces).toBeGreaterThan(1);
  expect(cold.strain).toBe(0);
  const hot = await bent(600);
  expect(hot.pieces).toBe(1);
  // A bend by 50 degrees over 0.32 m strains its faces by 0.055.
  expect(hot.strain).toBeGreaterThan(0.03);
});

const ICE = {
  name: 'ice',
  shape: { box: { size: [0.4, 0.1, 0.1] } },
  spacing: 0.05,
  lattice: 'cubic',
  position: [0, 0.3, 0],
  angularVelocity: [0, 0, 25],
  temperature: -5,
  material: {
    density: 920,
    youngsModulus: 2e5,
    damping: 0.3,
    tensileStrength: 3e3,
    strengthVariation: 0.2,
    thermalConductivity: 2,
    heatCapacity: 2000,
    latentHeat: 1e4,
    meltingPoint: 0,
    viscosity: 0.1,
  },
} as const;

async function shatterAndMelt(
  threads: number,
  saved = -1,
): Promise<{ hashes: string[]; pieces: number; molten: number }> {
  let world = await createWorld({ ...STILL, threads, temperature: -5 });
  world.addBody(ICE);
  world.addHeat({ body: 'ice', power: 1.5e6, start: 0.1 });
  const hashes: string[] = [];
  let pieces = 0;
  for (let frame = 0; frame < 12; frame++) {
    world.step(1 / 60);
    pieces = Math.max(pieces, new Set(world.pieces()).size);
    hashes.push(world.stateHash());
    if (frame !== saved) continue;
    const again = await World.load(world.save(), { threads });
    await world.dispose();
    world = again;
  }
  const molten = Math.max(...world.liquidFractions());
  expect(world.positions().every(Number.isFinite)).toBe(true);
  await world.dispose();
  return { hashes, pieces, molten };
}

test('ice shatters, then melts: the same hashes with any number of threads, and after saves', async () => {
  const expected = await shatterAndMelt(1);
  expect(expected.pieces).toBeGreaterThan(1);
  expect(expected.molten).toBeGreaterThan(0.5);
  expect((await shatterAndMelt(2)).hashes).toEqual(expected.hashes);
  for (const saved of [3, 8]) expect((await shatterAndMelt(1, saved)).hashes).toEqual(expected.hashes);
});
