/** Viscoplastic bodies in one world with every other kind. */
import { describe, expect, it } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';
import { randomNumbers } from './support.js';

const SPACING = 0.04;
const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as Vec3, offset: 0 } }, friction: 0.3 };
const dough = {
  youngsModulus: 1e5,
  poissonsRatio: 0.4,
  density: 1000,
  yieldStress: 300,
  creepRate: 200,
  friction: 0.5,
};
const cube = {
  name: 'dough',
  shape: { box: { size: [0.24, 0.24, 0.24] as Vec3 } },
  spacing: SPACING,
  discretisation: 'embedded' as const,
  material: dough,
};
const norm = (v: Vec3) => Math.hypot(...v);
const difference = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

const hitBy: Record<string, BodyInput> = {
  'a rigid ball': {
    name: 'ball',
    kind: 'rigid',
    shape: { sphere: { radius: 0.08 } },
    spacing: 0.03,
    position: [0.03, 0.24, 0.02],
    velocity: [0.3, -6, 0],
    angularVelocity: [5, 2, 10],
    material: { density: 2000, youngsModulus: 1e7, friction: 0.5 },
  },
  'a soft ball': {
    name: 'ball',
    shape: { sphere: { radius: 0.08 } },
    spacing: 0.03,
    position: [0.03, 0.24, 0.02],
    velocity: [0.3, -3, 0],
    angularVelocity: [5, 2, 10],
    // Friction between soft bodies acts at the centres of their particles, a spacing apart: they would lose spin.
    material: { density: 2000, youngsModulus: 2e5, poissonsRatio: 0.3, friction: 0 },
  },
};

describe.each(Object.keys(hitBy))('a free viscoplastic body hit by %s', (key) => {
  it('keeps momentum and angular momentum, gains no energy, and yields', async () => {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0] });
    world.addBody({ ...cube, material: { ...dough, yieldStress: 100 } });
    world.addBody(hitBy[key]!);
    const total = () => world.energy().kinetic + world.energy().elastic;
    const [p, l, e] = [world.momentum(), world.angularMomentum(), total()];
    let resampled = 0;
    for (let frame = 0; frame < 12; frame++) {
      const { splits, merges } = world.step(1 / 120).flow!;
      resampled += splits + merges;
      expect(total(), `frame ${frame}`).toBeLessThan(1.001 * e);
      // Float32 velocities.
      expect(difference(world.momentum(), p) / norm(p)).toBeLessThan(1e-6);
    }
    expect(resampled).toBeGreaterThan(0);
    expect(Math.max(...world.plasticStrains())).toBeGreaterThan(0.3);
    // It was set in motion: a tenth of what the ball had is its own now.
    const [own] = [world.probe({ name: 'p', quantity: 'momentum', body: 'dough' }) as unknown as Vec3];
    expect(norm(own) / norm(p)).toBeGreaterThan(0.1);
    // Contact acts at one point; the fit of stress is not quite central, see embedding.test.ts.
    expect(difference(world.angularMomentum(), l) / norm(l)).toBeLessThan(5e-3);
    await world.dispose();
  });
});

const S = 0.03;
const HALF = 0.21;

/** A tank of water with a block of 0.18 m in it. */
async function tank(block: BodyInput, threads = 1) {
  const world = await createWorld({ threads });
  world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
  for (const [k, normal] of (
    [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 0, 1],
      [0, 0, -1],
    ] as Vec3[]
  ).entries()) {
    world.addObstacle({ name: `wall ${k}`, shape: { plane: { normal, offset: -HALF } } });
  }
  world.addBody(block);
  const water = { density: 1000, viscosity: 1 };
  const box = { box: { size: [2 * HALF, 0.27, 2 * HALF] as Vec3 } };
  world.addBody({ name: 'water', kind: 'fluid', shape: box, spacing: S, position: [0, 0.135, 0], material: water });
  return world;
}

const clay = { density: 500, youngsModulus: 1e5, poissonsRatio: 0.4, yieldStress: 300, creepRate: 100 };
const swimmer = {
  name: 'clay',
  shape: { box: { size: [0.18, 0.18, 0.18] as Vec3 } },
  spacing: S,
  position: [0, 0.23, 0] as Vec3,
  discretisation: 'embedded' as const,
  material: clay,
};

describe('a viscoplastic body in water', () => {
  it('floats as deep as it is heavy', async () => {
    const world = await tank(swimmer);
    for (let frame = 0; frame < 45; frame++) world.step(1 / 30);
    let [height, frames] = [0, 0];
    for (; frames < 15; frames++) {
      world.step(1 / 30);
      height += world.probe({ name: 'y', quantity: 'position', body: 'clay' })[1]!;
    }
    // Half of it is under water, whose surface its centre is at.
    const water = world.bodies.find(({ name }) => name === 'water')!.mass / 1000;
    const surface = (water + 0.5 * 0.18 ** 3) / (2 * HALF) ** 2;
    // A rigid block is 0.2 spacings off.
    expect(Math.abs(height / frames - surface) / S).toBeLessThan(0.5);
    await world.dispose();
  });

  it('and the water that hits it keep their momentum', async () => {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0] });
    world.addBody({ ...swimmer, position: [0, 0, 0], material: { ...clay, density: 1500 } });
    const drop = { sphere: { radius: 0.1 } };
    const water = { density: 1000, viscosity: 0.1 };
    const thrown = { position: [0, 0.22, 0] as Vec3, velocity: [0, -3, 0] as Vec3 };
    world.addBody({ name: 'drop', kind: 'fluid', shape: drop, spacing: S, material: water, ...thrown });
    const p = world.momentum();
    for (let frame = 0; frame < 10; frame++) world.step(1 / 60);
    // Bodies feel the forces of liquids half a step later: a rigid body is 1e-3 off here, an elastic one 2e-3.
    expect(difference(world.momentum(), p) / norm(p)).toBeLessThan(5e-3);
    const own = world.probe({ name: 'p', quantity: 'momentum', body: 'clay' });
    expect(own[1]! / p[1]).toBeGreaterThan(0.3);
    await world.dispose();
  });
});

describe('heat', () => {
  const hot: BodyInput = {
    ...hitBy['a rigid ball']!,
    position: [0, 0.34, 0],
    velocity: [0, -2, 0],
    angularVelocity: [0, 0, 0],
    temperature: 200,
    material: { density: 3000, youngsModulus: 1e7, thermalConductivity: 20, heatCapacity: 500 },
  };
  const warm = { ...dough, yieldStress: 100, thermalConductivity: 20, heatCapacity: 1000 };
  const build = async (threads: number) => {
    const world = await createWorld({ threads, temperature: 20 });
    world.addObstacle(FLOOR);
    world.addBody({ ...cube, position: [0, 0.13, 0], material: warm });
    world.addBody(hot);
    return world;
  };

  it('flows from a rigid body into a viscoplastic one, exactly, while that splits and merges', async () => {
    const world = await build(1);
    const before = world.heat();
    let [resampled, last] = [0, 20];
    for (let frame = 0; frame < 20; frame++) {
      const { splits, merges } = world.step(1 / 30).flow!;
      resampled += splits + merges;
      // Sums of 250 particles in double precision.
      expect(Math.abs(world.heat() / before - 1)).toBeLessThan(1e-13);
      const mean = world.probe({ name: 't', quantity: 'temperature', body: 'dough' })[0]!;
      expect(mean).toBeGreaterThan(last - 1e-12);
      last = mean;
    }
    expect(resampled).toBeGreaterThan(20);
    expect(last).toBeGreaterThan(20.05);
    const masses = world.masses();
    const temperatures = world.temperatures().filter((_, i) => masses[i]! > 0);
    expect(Math.min(...temperatures)).toBeGreaterThan(20 - 1e-4);
    expect(Math.max(...temperatures)).toBeLessThan(200 + 1e-4);
    await world.dispose();
  });

  it('conducts in a body that does not yield as in other solids', async () => {
    const rises = [];
    for (const discretisation of ['linear', 'embedded'] as const) {
      const world = await createWorld({ threads: 1, gravity: [0, 0, 0], temperature: 20 });
      world.addObstacle({ ...FLOOR, temperature: 80 });
      world.addBody({ ...cube, discretisation, position: [0, 0.12, 0], material: { ...warm, yieldStress: 1e9 } });
      world.addHeat({ body: 'dough', region: { box: { min: [-1, 0.2, -1], max: [1, 1, 1] } }, power: 1e4 });
      world.step(1);
      rises.push(world.probe({ name: 't', quantity: 'temperature', body: 'dough' })[0]! - 20);
      await world.dispose();
    }
    expect(rises[0]).toBeGreaterThan(0.5);
    // Contact with the floor is by how near particles are to it, which is to 1e-4 spacings.
    expect(Math.abs(rises[1]! / rises[0]! - 1)).toBeLessThan(1e-3);
  });

  it('of a viscoplastic body: the same bits on any number of threads, and after a save', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2, 4]) {
      const world = await build(threads);
      for (let frame = 0; frame < 6; frame++) world.step(1 / 30);
      const bytes = world.save();
      for (let frame = 0; frame < 4; frame++) world.step(1 / 30);
      hashes.push(world.stateHash());
      await world.dispose();
      const resumed = await World.load(bytes, { threads });
      for (let frame = 0; frame < 4; frame++) resumed.step(1 / 30);
      hashes.push(resumed.stateHash());
      await resumed.dispose();
    }
    expect(new Set(hashes).size).toBe(1);
  });
});

describe('a viscoplastic body that is added later', () => {
  it('falls as one that was there, beside one that has flowed, which goes on as it would', async () => {
    const world = await createWorld({ threads: 1 });
    const alone = await createWorld({ threads: 1 });
    for (const each of [world, alone]) {
      each.addObstacle(FLOOR);
      each.addBody({ ...cube, position: [0, 0.13, 0], material: { ...dough, yieldStress: 100 } });
      for (let frame = 0; frame < 6; frame++) each.step(1 / 30);
    }
    const masses = world.masses().reduce((sum, m) => sum + m, 0);
    const high = { ...cube, name: 'later', position: [0, 2, 0] as Vec3, velocity: [1, 0, 0] as Vec3 };
    world.addBody(high);
    const start = world.time;
    for (let frame = 0; frame < 6; frame++) for (const each of [world, alone]) each.step(1 / 30);
    const t = world.time - start;
    const at = world.probe({ name: 'p', quantity: 'position', body: 'later' });
    const expected = [t, 2 - (9.81 * t * t) / 2, 0];
    expect(Math.hypot(...at.map((x, a) => x - expected[a]!))).toBeLessThan(1e-5);
    expect(world.masses().reduce((sum, m) => sum + m, 0)).toBeCloseTo(2 * masses, 4);
    const height = (each: World) => each.probe({ name: 'y', quantity: 'position', body: 'dough' })[1]!;
    // Steps are others, and flow is by time.
    expect(Math.abs(height(world) / height(alone) - 1)).toBeLessThan(0.01);
    await world.dispose();
    await alone.dispose();
  });

  it('comes into a world of solids that moves, and lands on them', async () => {
    const world = await createWorld({ threads: 1 });
    world.addObstacle(FLOOR);
    world.addBody({ ...hitBy['a soft ball']!, position: [0, 0.09, 0], velocity: [0, 0, 0] });
    world.step(0.1);
    world.addBody({ ...cube, position: [0, 0.32, 0], material: { ...dough, yieldStress: 1e9 } });
    for (let frame = 0; frame < 6; frame++) world.step(1 / 30);
    const height = world.probe({ name: 'y', quantity: 'position', body: 'dough' })[1]!;
    expect(height).toBeLessThan(0.3);
    // On the ball, not through it.
    expect(height).toBeGreaterThan(0.2);
    await world.dispose();
  });
});

describe('a world of all kinds', () => {
  const build = async (threads: number) => {
    const world = await createWorld({ threads });
    world.addObstacle(FLOOR);
    world.addBody({ ...cube, position: [0, 0.13, 0], material: { ...dough, yieldStress: 150 } });
    world.addBody({ ...hitBy['a rigid ball']!, name: 'rigid', position: [0, 0.36, 0], velocity: [0, -1, 0] });
    world.addBody({ ...hitBy['a soft ball']!, name: 'soft', position: [0.18, 0.3, 0.03], velocity: [-0.5, 0, 0] });
    world.addBody({ ...cube, name: 'more dough', position: [0.02, 0.62, 0.03] });
    return world;
  };

  it('stays finite, whatever is thrown together', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const random = randomNumbers(seed);
      const between = (a: number, b: number) => a + (b - a) * random();
      const world = await createWorld({ threads: 1, temperature: 20 });
      world.addObstacle({ ...FLOOR, temperature: between(20, 90) });
      // Liquid that thin elastic bodies squeeze out gains energy, with or without viscoplastic ones.
      const others = seed % 2 === 0 ? ['solid', 'rigid'] : ['rigid', 'fluid', 'melt'];
      for (let k = 0; k < 5; k++) {
        const kind = k % 2 === 0 ? 'embedded' : others[Math.floor(others.length * random())]!;
        const soft = { youngsModulus: 10 ** between(4, 5), density: between(300, 3000), thermalConductivity: 5 };
        const flows = {
          yieldStress: 10 ** between(1.5, 3.5),
          creepRate: 10 ** between(1, 2.5),
          viscosity: between(0, 20),
        };
        world.addBody({
          name: `${kind} ${k}`,
          kind: kind === 'embedded' ? 'solid' : kind === 'melt' ? 'fluid' : (kind as 'solid'),
          ...(kind === 'embedded' && { discretisation: 'embedded' as const }),
          shape: { box: { size: [between(0.12, 0.24), between(0.12, 0.24), between(0.12, 0.24)] } },
          spacing: SPACING,
          position: [between(-0.1, 0.1), 0.14 + 0.3 * k, between(-0.1, 0.1)],
          velocity: [0, -between(0, 3), 0],
          temperature: between(0, 90),
          material:
            kind === 'embedded'
              ? { ...soft, ...flows }
              : kind === 'rigid'
                ? { ...soft, youngsModulus: 1e7 }
                : kind === 'melt'
                  ? { ...soft, elastic: true, meltingPoint: 50 }
                  : kind === 'fluid'
                    ? { density: 1000 }
                    : soft,
        });
      }
      const [start, floor] = [world.energy().total, world.masses().reduce((sum, m) => sum + m, 0) * 9.81 * 0.02];
      for (let frame = 0; frame < 10; frame++) {
        world.step(1 / 30);
        // Nothing drives them; particles' centres come no lower than half a spacing.
        expect(world.energy().total, `seed ${seed}`).toBeLessThan(1.02 * start);
        expect(world.energy().total, `seed ${seed}`).toBeGreaterThan(0.5 * floor);
      }
      expect(world.positions().every(Number.isFinite), `seed ${seed}`).toBe(true);
      expect(Number.isFinite(world.heat())).toBe(true);
      await world.dispose();
    }
  });

  it('has the same hash for any number of threads, and goes on from a save to the same bits', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2, 4]) {
      const world = await build(threads);
      let resampled = 0;
      for (let frame = 0; frame < 8; frame++) {
        const { splits, merges } = world.step(1 / 30).flow!;
        resampled += splits + merges;
      }
      expect(resampled).toBeGreaterThan(5);
      const bytes = world.save();
      for (let frame = 0; frame < 3; frame++) world.step(1 / 30);
      hashes.push(world.stateHash());
      await world.dispose();
      const resumed = await World.load(bytes, { threads });
      for (let frame = 0; frame < 3; frame++) resumed.step(1 / 30);
      hashes.push(resumed.stateHash());
      await resumed.dispose();
    }
    expect(new Set(hashes).size).toBe(1);
  });
});
