import { afterEach, describe, expect, test } from 'vitest';
import type { Matrix3 } from '../../src/math/matrix3.js';
import { determinant, multiply, rotationFromDegrees, transform, transpose } from '../../src/math/matrix3.js';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { World } from '../../src/world.js';
import { type Bench, block, buildBench, withWorld } from './support.js';

const YOUNG = 2e5;
const POISSON = 0.3;
const SHEAR = YOUNG / (2 * (1 + POISSON));
const FITS = ['linear', 'quadratic'] as const;
const MODELS = ['stVenantKirchhoff', 'neoHookean', 'corotational'] as const;
const CASES = MODELS.flatMap((model) => FITS.map((fit) => [model, fit] as const));
type Plastic = Pick<
  NonNullable<BodyInput['material']>,
  'model' | 'yieldStress' | 'hardening' | 'creepRate' | 'plasticLimit' | 'plasticVolume'
>;

const open: Bench[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose();
});

async function sample(plastic: Plastic, discretisation: 'linear' | 'quadratic' = 'linear'): Promise<Bench> {
  const material = { youngsModulus: YOUNG, poissonsRatio: POISSON, ...plastic };
  const bench = await buildBench([{ input: { material, discretisation }, points: block([4, 4, 4], 0.1) }]);
  open.push(bench);
  return bench;
}

/** Deforms a body by J, in which time `dt` passes, and lets it flow. */
function deform({ model: { store } }: Bench, j: Matrix3, dt = 1e-3): void {
  const rest = store.vectors(layout.REST);
  const u = store.vectors(layout.DISPLACEMENT);
  for (let i = 0; i < 4 * store.count; i += 4) {
    const m: Vec3 = [rest[i]!, rest[i + 1]!, rest[i + 2]!];
    for (const [a, x] of transform(j, m).entries()) u[i + a] = x - m[a]!;
  }
  store.setFloat(layout.STRAIN_RATE, 1 / dt);
  store.computeStresses();
}

/** What is measured on the particle in the middle, in double precision from the state. */
function read({ model: { store } }: Bench) {
  const i = Math.floor(store.count / 2);
  store.computeMeasures();
  const [energy, stress, volume] = store.floats(layout.FLUX, 12 * store.count).subarray(12 * i, 12 * i + 3);
  const p = store.floats(layout.PLASTIC, 12 * store.count).subarray(12 * i, 12 * i + 12);
  const inverse: Matrix3 = [1 + p[0]!, p[1]!, p[2]!, p[4]!, 1 + p[5]!, p[6]!, p[8]!, p[9]!, 1 + p[10]!];
  return { energy: energy!, stress: stress!, volume: volume!, strain: p[3]!, share: p[7]!, work: p[11]!, inverse };
}

const stretched = (along: number, across = along ** -0.5): Matrix3 => [along, 0, 0, 0, across, 0, 0, 0, across];

describe.each(CASES)('%s, %s fit', (model, fit) => {
  test('is elastic below the yield stress, to the bit', async () => {
    const plastic = await sample({ model, yieldStress: 5e4 }, fit);
    const elastic = await sample({ model }, fit);
    for (const bench of [plastic, elastic]) deform(bench, stretched(1.1));
    const flux = (bench: Bench) => bench.model.store.vectors(layout.ACCELERATION).slice();
    for (const bench of [plastic, elastic]) bench.model.store.computeForces();
    const [a, b] = [flux(plastic), flux(elastic)];
    expect(a.every((x, k) => x === b[k])).toBe(true);
    expect(read(plastic).strain).toBe(0);
  });

  test('the stress stays at the yield stress however far it is stretched, and the volume stays', async () => {
    const bench = await sample({ model, yieldStress: 2e3 }, fit);
    for (let k = 1; k <= 300; k++) deform(bench, stretched(1 + k / 100));
    const { stress, volume, strain, inverse } = read(bench);
    expect(Math.abs(stress * volume - 2e3) / 2e3).toBeLessThan(2e-3);
    expect(Math.abs(volume - 1)).toBeLessThan(1e-4);
    expect(Math.abs(determinant(inverse) - 1)).toBeLessThan(1e-5);
    // All but the elastic strain at yield has flowed.
    expect(strain).toBeGreaterThan(Math.log(4) - 1.05 * (2e3 / (3 * SHEAR)));
    expect(strain).toBeLessThan(Math.log(4));
  });

  test('let go, it keeps total less elastic strain', async () => {
    const bench = await sample({ model, yieldStress: 2e3 }, fit);
    for (let k = 1; k <= 20; k++) deform(bench, stretched(1 + k / 200));
    const { inverse } = read(bench);
    // The shape without stress is F_p.
    const permanent = Math.log(1 / inverse[0]);
    const yieldStrain = 2e3 / (3 * SHEAR);
    expect(Math.abs(permanent - (Math.log(1.1) - yieldStrain)) / permanent).toBeLessThan(0.01);
    deform(bench, stretched(Math.exp(permanent)));
    expect(read(bench).stress).toBeLessThan(20);
  });

  test('does not care how it is turned', async () => {
    const r = rotationFromDegrees([30, 50, 70]);
    const turned = await sample({ model, yieldStress: 2e3 }, fit);
    const straight = await sample({ model, yieldStress: 2e3 }, fit);
    for (let k = 1; k <= 50; k++) {
      const j = multiply(stretched(1 + k / 50), [1, k / 100, 0, 0, 1, 0, 0, 0, 1]);
      deform(straight, j);
      deform(turned, multiply(r, j));
    }
    const [a, b] = [read(straight), read(turned)];
    expect(Math.abs(a.strain - b.strain)).toBeLessThan(1e-4 * a.strain);
    for (let k = 0; k < 9; k++) expect(Math.abs(a.inverse[k]! - b.inverse[k]!)).toBeLessThan(1e-4);
  });

  test('hardens by the slope that is asked for', async () => {
    const hardening = 1e4;
    const bench = await sample({ model, yieldStress: 1e3, hardening }, fit);
    for (let k = 1; k <= 100; k++) deform(bench, stretched(1 + k / 200));
    const { stress, volume, strain } = read(bench);
    expect(Math.abs(stress * volume - (1e3 + hardening * strain)) / stress).toBeLessThan(2e-3);
  });

  test('relaxes by exp(-t creepRate) where there is no yield stress', async () => {
    const bench = await sample({ model, yieldStress: 0, creepRate: 5 }, fit);
    deform(bench, stretched(1.002), 1e-9);
    const start = read(bench).stress;
    for (let k = 0; k < 100; k++) deform(bench, stretched(1.002), 2e-3);
    expect(Math.abs(read(bench).stress / start / Math.exp(-1) - 1)).toBeLessThan(0.01);
  });

  test('stops at its largest plastic strain', async () => {
    const bench = await sample({ model, yieldStress: 1e3, plasticLimit: 0.1 }, fit);
    for (let k = 1; k <= 100; k++) deform(bench, stretched(1 + k / 200));
    expect(read(bench).strain).toBeCloseTo(0.1, 6);
    expect(read(bench).stress).toBeGreaterThan(1e4);
  });

  test('what can be crushed stays crushed', async () => {
    const bench = await sample({ model, yieldStress: 1e3, plasticVolume: 1 }, fit);
    for (let k = 1; k <= 100; k++) deform(bench, stretched(1 - k / 200, 1 - k / 200));
    const { inverse, volume } = read(bench);
    expect(volume).toBeCloseTo(0.125, 2);
    expect(Math.abs(1 / determinant(inverse) / 0.125 - 1)).toBeLessThan(0.02);
  });

  test('work done on flow is stress times plastic strain', async () => {
    const bench = await sample({ model, yieldStress: 2e3 }, fit);
    for (let k = 1; k <= 100; k++) deform(bench, stretched(1 + k / 100));
    const { strain, work } = read(bench);
    expect(Math.abs(work / (2e3 * strain) - 1)).toBeLessThan(1e-3);
  });
});

test('a turn of the plastic shape alone gives no stress', async () => {
  const bench = await sample({ yieldStress: 2e3 });
  for (let k = 1; k <= 50; k++) deform(bench, stretched(1 + k / 50));
  const { inverse } = read(bench);
  const plastic = stretched(1 / inverse[0], 1 / inverse[4]);
  deform(bench, multiply(rotationFromDegrees([10, 40, 20]), plastic));
  expect(read(bench).stress).toBeLessThan(0.02 * 2e3);
  expect(multiply(transpose(plastic), plastic)[0]).toBeGreaterThan(3);
});

const WORLD: Parameters<World['addBody']>[0] = {
  name: 'lump',
  shape: { box: { size: [0.3, 0.2, 0.2] } },
  spacing: 0.05,
  velocity: [0, -3, 0],
  position: [0, 0.2, 0],
  material: { youngsModulus: 1e5, yieldStress: 500, hardening: 1e3, damping: 0.1 },
};
const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as Vec3, offset: 0 } } };

describe('a lump thrown at the floor', () => {
  test('is dented, keeps its volume, and goes on after a save to the same bits', async () => {
    await withWorld({}, async (world) => {
      world.addBody(WORLD);
      world.addObstacle(FLOOR);
      world.step(0.06);
      const loaded = await World.load(world.save(), { threads: 2 });
      expect(loaded.stateHash()).toBe(world.stateHash());
      world.step(0.1);
      loaded.step(0.1);
      expect(loaded.stateHash()).toBe(world.stateHash());
      await loaded.dispose();
      const strain = world.probe({ name: 'p', quantity: 'plasticStrain' })[0]!;
      expect(strain).toBeGreaterThan(0.05);
      expect(Math.abs(world.probe({ name: 'p', quantity: 'volume' })[0]! / 0.012 - 1)).toBeLessThan(0.03);
    });
  });

  test('never gains energy', async () => {
    await withWorld({}, (world) => {
      world.addBody({ ...WORLD, material: { ...WORLD.material, damping: 0 } });
      world.addObstacle(FLOOR);
      let before = world.energy().total;
      for (let k = 0; k < 30; k++) {
        world.step(0.01);
        const now = world.energy().total;
        expect(now).toBeLessThan(before + 0.02 * Math.abs(before));
        before = now;
      }
    });
  });

  test('an event makes it plastic, another elastic again, and the dent stays', async () => {
    await withWorld({}, (world) => {
      world.addBody({ ...WORLD, material: { youngsModulus: 1e5, damping: 0.3 } });
      world.addObstacle(FLOOR);
      world.addEvent({ time: 0.02, body: 'lump', set: { yieldStress: 300 } });
      world.addEvent({ time: 0.1, body: 'lump', set: { yieldStress: 1e18, youngsModulus: 4e5 } });
      const strain = () => world.probe({ name: 'p', quantity: 'plasticStrain' })[0]!;
      world.step(0.02);
      expect(strain()).toBe(0);
      world.step(0.1);
      const dented = strain();
      expect(dented).toBeGreaterThan(0.05);
      world.step(0.2);
      expect(strain()).toBe(dented);
    });
  });
});

describe('plastic parameters that make no sense are refused', () => {
  test.each([
    [{ yieldStress: -1 }, /yieldStress/],
    [{ creepRate: Number.NaN }, /creepRate/],
    [{ plasticVolume: 2 }, /plasticVolume/],
    [{ plasticLimit: -0.1 }, /plasticLimit/],
  ])('%o', async (material, message) => {
    await withWorld({}, (world) => {
      expect(() => world.addBody({ ...WORLD, material })).toThrow(message);
    });
  });

  test('with orthotropic', async () => {
    await withWorld({}, (world) => {
      const material = { preset: 'wood', yieldStress: 1e6 } as const;
      expect(() => world.addBody({ ...WORLD, material })).toThrow(/yieldStress.*orthotropic/);
    });
  });
});
