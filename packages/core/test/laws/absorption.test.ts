/** Flow by absorbing the rest shape, [M04] 4.2, [K06] 6.4.1: what an elastic liquid that yields does. */
import { expect, test } from 'vitest';
import type { MaterialInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { INDEX_MASK } from '../../src/particles/layout.js';
import { readSave, writeSave } from '../../src/world/save.js';
import { createWorld, World } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';
import { meshFacts } from './surface-support.js';

const SPACING = 0.02;
// So soft and slow that nothing moves or flows in a step of 10 microseconds.
const STILL = {
  density: 1000,
  youngsModulus: 50,
  poissonsRatio: 0.3,
  elastic: true,
  viscosity: 0,
  yieldStress: 0,
  creepRate: 1e-3,
};
const DOUGH = { ...STILL, youngsModulus: 1e4, poissonsRatio: 0.45, creepRate: 60, viscosity: 5, friction: 0.1 };

/** Where the arrays of an elastic liquid have the plastic strain and that at the last absorption, of twelve floats. */
const [STRAIN, ABSORBED] = [3, 7];

/** The same world with positions moved and, if asked for, plastic strain that calls for an absorption. */
async function changed(world: World, placeAt: (x: Vec3) => Vec3, absorb: boolean): Promise<World> {
  const saved = readSave(world.save());
  await world.dispose();
  const { arrays, elastic } = saved.fluid!;
  const x = arrays[0] as Float32Array;
  for (let i = 0; i < x.length; i += 4) x.set(placeAt([x[i]!, x[i + 1]!, x[i + 2]!]), i);
  const states = arrays.slice(-elastic!.arrays).find(({ length }) => length === 3 * x.length) as Float32Array;
  if (absorb) for (let at = 0; at < states.length; at += 12) states[at + STRAIN] = states[at + ABSORBED]! + 0.02;
  return World.load(writeSave(saved), { threads: 1 });
}

async function stillBlock(): Promise<World> {
  const world = await createWorld({
    threads: 1,
    gravity: [0, 0, 0],
    solver: { fluid: { eddyViscosity: 0, maxTimeStep: 2e-3 } },
  });
  const body = { name: 'block', kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING };
  world.addBody({ ...body, material: STILL as MaterialInput }, block([6, 6, 6], SPACING));
  // A step makes the bonds.
  world.step(1e-5);
  return world;
}

/** Pulled along x and sheared, with its volume. */
const deform = ([x, y, z]: Vec3): Vec3 => [1.1 * x + 0.1 * y, y / 1.1, z];
const back = ([x, y, z]: Vec3): Vec3 => [(x - 0.11 * y) / 1.1, 1.1 * y, z];
const same = (x: Vec3) => x;
/** Largest difference over the largest. */
const apart = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0) / a.reduce((m, v) => Math.max(m, v), 0);

/** Bonds of the save: vectors at rest, four floats each. */
const bondsOf = (world: World) => readSave(world.save()).fluid!.arrays.at(-1) as Float32Array;

test('an absorption changes the rest shape and leaves the stress', async () => {
  let world = await changed(await stillBlock(), deform, false);
  world.step(1e-5);
  const [stress, energy, bonds] = [world.stresses(), world.energy().elastic, bondsOf(world)];
  expect(Math.min(...stress)).toBeGreaterThan(1);
  world = await changed(world, same, true);
  world.step(1e-5);
  // Bonds are now where the particles are: longer by 10 % along x.
  const longest = (list: Float32Array) =>
    list.reduce((most, x, k) => (k % 4 === 0 ? Math.max(most, Math.abs(x)) : most), 0);
  expect(longest(bondsOf(world)) / longest(bonds)).toBeGreaterThan(1.05);
  // A linear field is fitted exactly by either; float32 positions over bonds of 0.02 m, times a strain of 0.2.
  expect(apart(world.stresses(), stress)).toBeLessThan(1e-4);
  expect(Math.abs(world.energy().elastic / energy - 1)).toBeLessThan(1e-4);
  await world.dispose();
});

test('an absorption leaves the energy of what is pulled apart on all sides', async () => {
  let world = await changed(await stillBlock(), ([x, y, z]) => [1.03 * x, 1.03 * y, 1.03 * z], false);
  world.step(1e-5);
  const energy = world.energy().elastic;
  // Half the bulk modulus, which is mu, by the squared change of volume.
  const volume = (6 * SPACING) ** 3;
  const mu = STILL.youngsModulus / 2.6;
  expect(Math.abs(energy / (0.5 * mu * (1.03 ** 3 - 1) ** 2 * volume) - 1)).toBeLessThan(1e-3);
  world = await changed(world, same, true);
  world.step(1e-5);
  expect(Math.abs(world.energy().elastic / energy - 1)).toBeLessThan(1e-3);
  await world.dispose();
});

test('the elastic strain is carried over: who is brought back to its first shape has no stress', async () => {
  let world = await changed(await stillBlock(), deform, false);
  world.step(1e-5);
  const stress = Math.max(...world.stresses());
  world = await changed(world, same, true);
  world.step(1e-5);
  world = await changed(world, back, false);
  world.step(1e-5);
  expect(Math.max(...world.stresses())).toBeLessThan(1e-3 * stress);
  await world.dispose();
});

/** A world with walls that leave a square of a side. */
async function pit(side: number): Promise<World> {
  const world = await createWorld({ threads: 1, solver: { fluid: { maxTimeStep: 2e-3 } } });
  world.addObstacle({ name: 'floor', shape: { plane: {} }, friction: 0.1 });
  for (const normal of [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 0, 1],
    [0, 0, -1],
  ] as Vec3[]) {
    world.addObstacle({ shape: { plane: { normal, offset: -side / 2 } }, friction: 0 });
  }
  return world;
}

/** Bonds from particles below a number to those from it on. */
function bondsBetween(world: World, first: number): number {
  const { arrays, elastic } = readSave(world.save()).fluid!;
  const own = arrays.slice(-elastic!.arrays);
  const [counts, bonds] = [own[1]!, own.at(-1)!].map((a) => new Uint32Array(a.buffer, a.byteOffset, a.length));
  let [at, found] = [3, 0];
  for (const [id, count] of counts!.entries()) {
    for (let k = 0; k < count; k++, at += 4) if (id < first && (bonds![at]! & INDEX_MASK) >= first) found++;
  }
  return found;
}

const dough = { kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material: DOUGH };
const facts = (world: World) => meshFacts(world.surface());

test('a block that is let fall on a peg gets a hole', async () => {
  const world = await pit(0.24);
  world.addObstacle({ name: 'peg', shape: { capsule: { radius: 0.03, length: 0.3 } }, friction: 0 });
  world.addBody({ ...dough, name: 'dough', position: [0, 0.26, 0] }, block([9, 5, 9], SPACING));
  expect(facts(world)).toMatchObject({ parts: 1, euler: 2 });
  const volume = facts(world).volume;
  world.step(1.2);
  // A ring: one part, and the Euler number of a torus.
  expect(facts(world)).toMatchObject({ parts: 1, euler: 0 });
  expect(Math.abs(facts(world).volume / volume - 1)).toBeLessThan(0.05);
  // Made elastic it flows no further, and is still a ring.
  world.setMaterial('dough', { youngsModulus: 1e5, creepRate: 0 });
  const flowed = world.plasticStrains();
  world.step(0.05);
  expect(apart(world.plasticStrains(), flowed)).toBe(0);
  expect(facts(world)).toMatchObject({ parts: 1, euler: 0 });
  await world.dispose();
});

test('two blocks flow into each other and are one', async () => {
  const world = await pit(0.24);
  for (const side of [-1, 1]) {
    world.addBody({ ...dough, name: `dough ${side}`, position: [0.07 * side, 0.08, 0] }, block([4, 8, 8], SPACING));
  }
  expect(facts(world)).toMatchObject({ parts: 2, euler: 4 });
  expect(bondsBetween(world, 256)).toBe(0);
  world.step(0.8);
  expect(facts(world)).toMatchObject({ parts: 1, euler: 2 });
  expect(bondsBetween(world, 256)).toBeGreaterThan(100);
  await world.dispose();
});
