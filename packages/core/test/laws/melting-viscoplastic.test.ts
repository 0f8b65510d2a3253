/** Viscoplastic bodies with a melting point: melts from when they reach it, with all that they had. */
import { expect, test } from 'vitest';
import type { BodyInput, MaterialInput, WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';

const SPACING = 0.04;
const DOUGH = {
  density: 900,
  youngsModulus: 1e5,
  poissonsRatio: 0.35,
  heatCapacity: 2000,
  thermalConductivity: 50,
  latentHeat: 1e4,
  meltingPoint: 60,
} as const;
const BAR: BodyInput = {
  name: 'bar',
  shape: { box: { size: [0.4, 0.2, 0.2] } },
  spacing: SPACING,
  discretisation: 'embedded',
  temperature: 20,
};
/** One particle in a corner. */
const CORNER = { sphere: { center: [0.18, 0.08, 0.08] as Vec3, radius: 0.01 } };
const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as Vec3, offset: 0 } }, friction: 0.4 };

async function worldOf(body: BodyInput, options: WorldInput = {}): Promise<World> {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], temperature: 20, ...options });
  world.addBody(body);
  return world;
}

const distance = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const total = (list: Float32Array) => list.reduce((sum, x) => sum + x, 0);

test.each<[string, MaterialInput, boolean]>([
  ['yields, so that particles have split and merged', { ...DOUGH, yieldStress: 1000, creepRate: 200 }, true],
  ['yields, neo-Hookean', { ...DOUGH, yieldStress: 1000, creepRate: 200, model: 'neoHookean' }, true],
  ['does not yield', DOUGH, false],
])(
  'a viscoplastic bar that %s keeps mass, momenta, heat, stress and plastic strain when it begins to melt',
  async (_, material, resamples) => {
    const world = await worldOf({
      ...BAR,
      material,
      velocity: [0.5, 0.1, 0],
      angularVelocity: [0, 20, 3],
      twist: [30, 0, 0],
    });
    for (let k = 0; k < 5; k++) world.step(1 / 60);
    world.setTemperature('bar', 80, CORNER);
    const read = () => ({
      masses: world.masses(),
      stresses: world.stresses(),
      strains: world.plasticStrains(),
      sums: world.sums(),
      heat: world.heat(),
      energy: world.energy().total,
      mass: world.mass,
    });
    const before = read();
    world.step(1e-9);
    const after = read();
    expect(world.bodies[0]).toMatchObject({ kind: 'fluid', melted: true });
    expect(world.warnings).toEqual([]);
    // Rounding of float32, of a few hundred particles.
    expect(Math.abs(after.mass / before.mass - 1)).toBeLessThan(1e-8);
    expect(Math.abs(world.bodies[0]!.mass / before.mass - 1)).toBeLessThan(1e-8);
    expect(Math.abs(total(after.masses) / total(before.masses) - 1)).toBeLessThan(1e-7);
    const { kinetic } = world.energy();
    const pace = Math.sqrt(2 * kinetic * before.mass);
    expect(distance(after.sums.momentum, before.sums.momentum)).toBeLessThan(1e-8 * pace);
    const spin = Math.hypot(...before.sums.angularMomentum);
    expect(distance(after.sums.angularMomentum, before.sums.angularMomentum)).toBeLessThan(1e-8 * spin);
    expect(Math.abs(after.heat / before.heat - 1)).toBeLessThan(1e-14);
    expect(after.energy).toBeLessThan(before.energy);
    // Particles are about equally heavy now.
    const unit = DOUGH.density * SPACING ** 3;
    for (const mass of after.masses) expect(mass === 0 || (mass > 0.69 * unit && mass < 1.43 * unit)).toBe(true);
    const changed = before.masses.filter((mass, i) => mass !== after.masses[i]).length;
    expect(changed > 10).toBe(resamples);
    const molten = world.liquidFractions();
    let [square, difference] = [0, 0];
    for (const [i, mass] of after.masses.entries()) {
      if (mass === 0 || mass !== before.masses[i] || molten[i]! > 0) continue;
      square += before.stresses[i]! ** 2;
      difference += (after.stresses[i]! - before.stresses[i]!) ** 2;
      expect(after.strains[i]).toBe(before.strains[i]);
    }
    // But for those who have lost the one that melts, and other neighbours.
    expect(Math.sqrt(difference / square)).toBeLessThan(0.005);
    await world.dispose();
  },
);

test('a viscoplastic bar that sags goes on sagging as one that does not melt', async () => {
  const material = { ...DOUGH, youngsModulus: 3e5, damping: 0.2, thermalConductivity: 0 };
  const tips = await Promise.all(
    [20, 80].map(async (temperature) => {
      const world = await worldOf({ ...BAR, material }, { gravity: [0, -9.81, 0] });
      world.addConstraint({ body: 'bar', fix: true, region: { box: { min: [-1, -1, -1], max: [-0.15, 1, 1] } } });
      world.step(0.05);
      // One that is held.
      world.setTemperature('bar', temperature, { sphere: { center: [-0.18, 0.08, 0.08], radius: 0.01 } });
      let sum = 0;
      for (let k = 0; k < 40; k++) {
        world.step(0.01);
        const [x, masses] = [world.positions(), world.masses()];
        const last = Array.from(masses.keys()).filter((i) => masses[i]! > 0 && x[4 * i]! > 0.16);
        sum += last.reduce((mean, i) => mean + x[4 * i + 1]! / last.length, 0) / 40;
      }
      const { kind } = world.bodies[0]!;
      await world.dispose();
      return { kind, sum };
    }),
  );
  expect(tips.map(({ kind }) => kind)).toEqual(['solid', 'fluid']);
  expect(tips[0]!.sum).toBeLessThan(-0.004);
  // Both fits are linear; that of melts counts particles with few neighbours for less.
  expect(Math.abs(tips[1]!.sum / tips[0]!.sum - 1)).toBeLessThan(0.1);
});

const WAX = { ...DOUGH, yieldStress: 300, creepRate: 100, viscosity: 2, friction: 0.4, thermalConductivity: 400 };
const CUBE: BodyInput = { ...BAR, shape: { box: { size: [0.2, 0.2, 0.2] } }, material: WAX };

/** Two viscoplastic cubes, one on a hot floor, and a pool. */
async function onHotFloor(threads: number): Promise<World> {
  const world = await worldOf({ ...CUBE, name: 'high', position: [0, 0.4, 0] }, { threads, gravity: [0, -9.81, 0] });
  world.addObstacle({ ...FLOOR, temperature: 1500, contactConductance: 1e5 });
  world.addBody({ ...CUBE, name: 'low', position: [0, 0.12, 0] });
  world.addBody({
    name: 'pool',
    kind: 'fluid',
    shape: { box: { size: [0.2, 0.12, 0.2] } },
    position: [0.4, 0.1, 0],
    spacing: SPACING,
    temperature: 20,
  });
  return world;
}

test('the same hash on every number of threads, and after a load, while viscoplastic bodies melt', async () => {
  const frames = 8;
  const runs = await Promise.all(
    [1, 2].map(async (threads) => {
      const world = await onHotFloor(threads);
      const heat = world.heat();
      const hashes: string[] = [];
      const kinds: string[] = [];
      let supplied = 0;
      for (let k = 0; k < frames; k++) {
        supplied += world.step(0.03).heat!.supplied;
        hashes.push(world.stateHash());
        kinds.push(world.bodies.map(({ kind }) => kind).join());
      }
      expect(Math.abs(world.heat() - heat - supplied)).toBeLessThan(1e-9 * heat);
      await world.dispose();
      return { hashes, kinds };
    }),
  );
  const { hashes, kinds } = runs[0]!;
  expect(kinds[0]).toBe('solid,solid,fluid');
  // One goes on as it was beside the other.
  expect(kinds).toContain('solid,fluid,fluid');
  for (const run of runs) expect(run.hashes).toEqual(hashes);
  let world = await onHotFloor(1);
  for (let k = 0; k < frames; k++) {
    world.step(0.03);
    const saved = world.save();
    await world.dispose();
    world = await World.load(saved, { threads: 1 });
    expect(world.stateHash()).toBe(hashes[k]);
  }
  await world.dispose();
});

test('what holds a viscoplastic body holds its melt, also particles that have come since', async () => {
  const world = await worldOf({ ...BAR, material: { ...WAX, yieldStress: 100 } });
  const left = { box: { min: [-1, -1, -1] as Vec3, max: [-0.1, 1, 1] as Vec3 } };
  const right = { box: { min: [0.14, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
  world.addConstraint({ body: 'bar', fix: true, region: left });
  const move = [{ time: 0 }, { time: 0.2, position: [0.2, 0, 0] as Vec3 }];
  world.addConstraint({ body: 'bar', move, region: right, end: 0.2 });
  let splits = 0;
  for (let k = 0; k < 10; k++) splits += world.step(0.02).flow!.splits;
  expect(splits).toBeGreaterThan(0);
  world.setTemperature('bar', 80, right);
  world.step(1e-9);
  expect(world.bodies[0]!.kind).toBe('fluid');
  const [before, masses] = [world.positions(), world.masses()];
  for (let k = 0; k < 10; k++) world.step(0.02);
  const now = world.positions();
  let held = 0;
  for (const [i, mass] of masses.entries()) {
    if (mass === 0 || before[4 * i]! > -0.11) continue;
    held++;
    for (let a = 0; a < 3; a++) expect(Math.abs(now[4 * i + a]! - before[4 * i + a]!)).toBeLessThan(1e-6);
  }
  expect(held).toBeGreaterThan(40);
  await world.dispose();
});

test('a viscoplastic body that is all molten at the start flows, and what cannot melt says so', async () => {
  const world = await worldOf({ ...CUBE, position: [0, 0.11, 0], temperature: 90 }, { gravity: [0, -9.81, 0] });
  world.addObstacle(FLOOR);
  for (let k = 0; k < 15; k++) world.step(1 / 30);
  expect(world.bodies[0]!.kind).toBe('fluid');
  const heights = world.positions().filter((_, k) => k % 4 === 1);
  // It was 0.2 m high.
  expect(Math.max(...heights)).toBeLessThan(0.15);
  await world.dispose();
  const other = await worldOf({ ...CUBE, lattice: 'octree', temperature: 90 });
  expect(other.step(0.01).warnings.join()).toContain('stays solid: its particles are of several sizes');
  await other.dispose();
});
