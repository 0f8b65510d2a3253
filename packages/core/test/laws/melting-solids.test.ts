/** Solids with a melting point: to the bit what others are while they are cold, and melts from then on. */
import { expect, test } from 'vitest';
import type { BodyInput, WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';

const WAX = {
  density: 900,
  youngsModulus: 1e5,
  poissonsRatio: 0.3,
  damping: 0.1,
  heatCapacity: 2000,
  thermalConductivity: 100,
  latentHeat: 1e4,
} as const;
const MELTS = { ...WAX, meltingPoint: 60, viscosity: 1 } as const;
const BAR: BodyInput = {
  name: 'bar',
  kind: 'solid',
  shape: { box: { size: [0.2, 0.06, 0.06] } },
  spacing: 0.01,
  rotation: [10, 30, 0],
  temperature: 20,
};
const BALL: BodyInput = { ...BAR, shape: { sphere: { radius: 0.05 } } };

async function worldOf(body: BodyInput, options: WorldInput = {}): Promise<World> {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], temperature: 20, ...options });
  world.addBody(body);
  return world;
}

function largest(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k]!)), 0);
}

function speedsOf(velocities: Float32Array): number[] {
  return Array.from({ length: velocities.length / 4 }, (_, i) => Math.hypot(...velocities.subarray(4 * i, 4 * i + 3)));
}

/** Something to fall on, and a body that falls on it. */
function crowd(world: World): void {
  world.addObstacle({ shape: { plane: { normal: [0, 1, 0], offset: -0.1 } }, friction: 0.3 });
  const shape = { box: { size: [0.06, 0.06, 0.06] as Vec3 } };
  world.addBody({ ...BAR, name: 'other', shape, position: [0.05, 0.1, 0], spacing: 0.02, material: WAX });
}

const hold = (world: World) =>
  world.addConstraint({ body: 'bar', fix: true, region: { box: { min: [-1, -1, -1], max: [-0.06, 1, 1] } } });

test.each<[string, Partial<BodyInput>, WorldInput, (world: World) => void]>([
  ['held', {}, {}, hold],
  ['held, quadratic fit', { spacing: 0.02, discretisation: 'quadratic' }, {}, hold],
  [
    'held, in implicit steps',
    { spacing: 0.02 },
    { solver: { solid: { integrator: 'implicit', tolerance: 1e-5 }, maxTimeStep: 0.002 } },
    hold,
  ],
  ['on a plane and under another body', { spacing: 0.02 }, {}, crowd],
])(
  'a block moves alike over 500 steps whether it is only elastic, could melt but is cold, or could yield but does not: %s',
  async (_, body, options, position) => {
    const [elastic, melts, yields] = await Promise.all(
      [WAX, MELTS, { ...WAX, yieldStress: 1e9 }].map(async (material) => {
        const world = await worldOf(
          { ...BAR, twist: [20, 0, 0], ...body, material },
          { gravity: [0, -9.81, 0], ...options },
        );
        position(world);
        let steps = 0;
        while (steps < 500) steps += world.step(0.02).steps;
        const positions = world.positions();
        await world.dispose();
        return positions;
      }),
    );
    expect(largest(elastic!, melts!)).toBe(0);
    // Its size is 0.2 m.
    expect(largest(elastic!, yields!)).toBeLessThan(1e-5 * 0.2);
  },
);

test.each<[string, BodyInput, WorldInput]>([
  ['a bar', BAR, {}],
  ['a ball, whose particles have several masses', BALL, {}],
  ['a bar with a linear fit', { ...BAR, discretisation: 'linear' }, {}],
  ['a bar in implicit steps', BAR, { solver: { solid: { integrator: 'implicit' }, maxTimeStep: 1e-3 } }],
  ['a neo-Hookean bar', { ...BAR, material: { ...MELTS, model: 'neoHookean' } }, {}],
])('%s keeps masses, places, momenta and heat when it begins to melt', async (_, body, options) => {
  const moving: BodyInput = {
    material: MELTS,
    ...body,
    velocity: [0.5, 0, 0],
    angularVelocity: [3, 6, 0],
    twist: [8, 0, 0],
  };
  const world = await worldOf(moving, options);
  for (let k = 0; k < 6; k++) world.step(0.005);
  expect(world.bodies[0]!.kind).toBe('solid');
  world.setTemperature('bar', 80, { box: { min: [0.04, -1, -1], max: [1, 1, 1] } });
  const before = {
    masses: world.masses(),
    positions: world.positions(),
    velocities: world.velocities(),
    sums: world.sums(),
    heat: world.heat(),
    mass: world.mass,
  };
  const step = 1e-5;
  world.step(step);
  expect(world.bodies[0]).toMatchObject({ kind: 'fluid', melted: true });
  const after = world.sums();
  expect(largest(world.masses(), before.masses)).toBe(0);
  expect(world.mass).toBeCloseTo(before.mass, 12);
  // At most as far as the speed takes it.
  expect(largest(world.positions(), before.positions)).toBeLessThan(
    step * Math.max(...speedsOf(before.velocities)) * 1.5,
  );
  // Rounding of float32.
  const size = Math.max(...before.sums.momentum.map(Math.abs));
  const spin = Math.max(...before.sums.angularMomentum.map(Math.abs));
  for (let a = 0; a < 3; a++) {
    expect(Math.abs(after.momentum[a]! - before.sums.momentum[a]!)).toBeLessThan(1e-7 * size);
    expect(Math.abs(after.angularMomentum[a]! - before.sums.angularMomentum[a]!)).toBeLessThan(1e-6 * spin);
  }
  expect(Math.abs(world.heat() / before.heat - 1)).toBeLessThan(1e-12);
  await world.dispose();
});

test('stress goes on where it was: a bent bar that begins to melt at one end springs back as one that does not', async () => {
  const linear: BodyInput = { ...BAR, rotation: [0, 0, 0], discretisation: 'linear' };
  const ends = await Promise.all(
    [20, 80].map(async (temperature) => {
      const world = await worldOf({ ...linear, material: { ...MELTS, damping: 0, thermalConductivity: 0 } });
      const right = { box: { min: [0.08, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      world.addConstraint({ body: 'bar', fix: true, region: { box: { min: [-1, -1, -1], max: [-0.08, 1, 1] } } });
      world.addConstraint({ body: 'bar', force: [0, -0.6, 0], region: right, end: 0.1 });
      world.step(0.1);
      // One particle in a corner of what is held.
      world.setTemperature('bar', temperature, { sphere: { center: [-0.095, 0.025, 0.025], radius: 0.004 } });
      world.step(0.03);
      const positions = world.positions();
      const { kind } = world.bodies[0]!;
      await world.dispose();
      return { kind, positions };
    }),
  );
  expect(ends.map(({ kind }) => kind)).toEqual(['solid', 'fluid']);
  // The clamp of a solid acts at the face of its region, that of a melt at its particles: the whole way is 12 mm.
  expect(largest(ends[0]!.positions, ends[1]!.positions)).toBeLessThan(2e-3);
});

/** Mean height of the tip of a bar that was bent for good, while it swings, and energies around the time of the heat. */
async function bentBar(temperature: number) {
  const material = { ...MELTS, yieldStress: 4e3, thermalConductivity: 0 };
  const world = await worldOf({ ...BAR, rotation: [0, 0, 0], discretisation: 'linear', material });
  const start = world.positions();
  const left = { box: { min: [-1, -1, -1] as Vec3, max: [-0.08, 1, 1] as Vec3 } };
  const right = { box: { min: [0.08, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
  const move = [{ time: 0 }, { time: 0.3, position: [0, -0.04, 0] as Vec3 }];
  world.addConstraint({ body: 'bar', fix: true, region: left });
  world.addConstraint({ body: 'bar', move, region: right, end: 0.3 });
  for (let k = 0; k < 25; k++) world.step(0.02);
  const before = { energy: world.energy().total, strains: world.plasticStrains() };
  world.setTemperature('bar', temperature, { sphere: { center: [-0.095, 0.025, 0.025], radius: 0.004 } });
  world.step(1e-4);
  const after = { energy: world.energy().total, strains: world.plasticStrains() };
  let height = 0;
  for (let k = 0; k < 60; k++) {
    world.step(0.01);
    height += world.positions().at(-3)! / 60;
  }
  const { kind } = world.bodies[0]!;
  await world.dispose();
  return { before, after, height, kind, start };
}

test('a bar that was bent for good keeps its bend when it begins to melt, and gets no energy', async () => {
  const [cold, hot] = await Promise.all([bentBar(20), bentBar(80)]);
  expect([cold.kind, hot.kind]).toEqual(['solid', 'fluid']);
  expect(Math.max(...hot.before.strains)).toBeGreaterThan(0.1);
  // Those of the free part; what was held has mirrored the free side of the clamp.
  const free = (strains: Float32Array) => strains.filter((_, i) => hot.start[4 * i]! > -0.08);
  expect(largest(free(hot.after.strains), free(hot.before.strains))).toBeLessThan(0.01);
  expect(hot.after.energy).toBeLessThan(hot.before.energy);
  // It was moved by 40 mm.
  expect(Math.abs(hot.height - cold.height)).toBeLessThan(4e-3);
});

async function onHotPlate(threads: number): Promise<World> {
  const world = await worldOf(
    { ...BALL, position: [0, 0.06, 0], material: { ...MELTS, thermalConductivity: 400 } },
    { threads, gravity: [0, -9.81, 0] },
  );
  world.addBody({ ...BAR, name: 'beam', position: [-0.2, 0.07, 0], material: { ...MELTS, thermalConductivity: 400 } });
  world.addBody({
    name: 'pool',
    kind: 'fluid',
    shape: { box: { size: [0.06, 0.04, 0.06] } },
    position: [0.2, 0.03, 0],
    spacing: 0.01,
    temperature: 20,
  });
  world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature: 300, contactConductance: 1e5 });
  return world;
}

test('the same hash on every number of threads, and after a load, while solids melt beside a liquid', async () => {
  const frames = 14;
  const runs = await Promise.all(
    [1, 2, 4].map(async (threads) => {
      const world = await onHotPlate(threads);
      const hashes: string[] = [];
      const kinds: string[] = [];
      for (let k = 0; k < frames; k++) {
        world.step(0.02);
        hashes.push(world.stateHash());
        kinds.push(world.bodies.map(({ kind }) => kind).join());
      }
      await world.dispose();
      return { hashes, kinds };
    }),
  );
  const { hashes, kinds } = runs[0]!;
  expect(kinds[0]).toBe('solid,solid,fluid');
  expect(kinds.at(-1)).toBe('fluid,fluid,fluid');
  for (const run of runs) expect(run.hashes).toEqual(hashes);
  let world = await onHotPlate(1);
  for (let k = 0; k < frames; k++) {
    world.step(0.02);
    const saved = world.save();
    await world.dispose();
    world = await World.load(saved, { threads: 1 });
    expect(world.stateHash()).toBe(hashes[k]);
  }
  await world.dispose();
});

test('what holds and grabs a solid holds and grabs its melt', async () => {
  const world = await worldOf({ ...BAR, rotation: [0, 0, 0], material: MELTS }, { gravity: [0, -9.81, 0] });
  const top = { box: { min: [-1, -1, -1] as Vec3, max: [-0.06, 1, 1] as Vec3 } };
  world.addConstraint({ body: 'bar', fix: true, region: top });
  const grab = world.grab('bar', [0.09, 0, 0]);
  world.step(0.02);
  world.setTemperature('bar', 80, { sphere: { center: [0.095, 0, 0], radius: 0.015 } });
  grab.target = [0.09, 0.02, 0];
  const before = world.positions();
  for (let k = 0; k < 20; k++) world.step(0.02);
  expect(world.bodies[0]!.kind).toBe('fluid');
  const now = world.positions();
  for (let i = 0; i < now.length; i += 4) {
    if (before[i]! > -0.07) continue;
    for (let a = 0; a < 3; a++) expect(Math.abs(now[i + a]! - before[i + a]!)).toBeLessThan(1e-6);
  }
  grab.release();
  await world.dispose();
});

test('a solid that is all molten at the start flows, and what cannot melt says so', async () => {
  const world = await worldOf({ ...BALL, temperature: 90, material: MELTS });
  world.step(0.01);
  expect(world.bodies[0]!.kind).toBe('fluid');
  await world.dispose();
  const other = await worldOf({ ...BALL, lattice: 'octree', temperature: 90, material: MELTS });
  const { warnings } = other.step(0.01);
  expect(warnings.join()).toContain('has reached its meltingPoint but stays solid: its particles are of several sizes');
  expect(other.step(0.01).warnings.join()).not.toContain('stays solid');
  await other.dispose();
});
