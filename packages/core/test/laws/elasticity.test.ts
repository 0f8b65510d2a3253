import { describe, expect, test } from 'vitest';
import type { Vec3 } from '../../src/options/types.js';
import type { World } from '../../src/world.js';
import { block, norm, SOME_BOX, withState, withWorld } from './support.js';

/** Times at which a sampled curve goes through zero, by straight lines between samples. */
function zeroCrossings(times: readonly number[], values: readonly number[]): number[] {
  return values.flatMap((value, k) => {
    const before = values[k - 1];
    if (before === undefined || before === 0 || before > 0 === value > 0) return [];
    return [times[k - 1]! + ((times[k]! - times[k - 1]!) * before) / (before - value)];
  });
}

/** Lets the first longitudinal mode of a free bar along x swing, and gives its amplitude over time. */
async function swing(
  sides: Vec3,
  spacing: number,
  material: { youngsModulus: number; poissonsRatio: number; density: number; damping?: number },
  options: { duration: number; samples: number; lateral: boolean; before?: (world: World) => void },
): Promise<{ times: number[]; values: number[] }> {
  return withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    empty.addBody({ name: 'bar', shape: SOME_BOX, material }, block(sides, spacing));
    if (!options.lateral) empty.addConstraint({ body: 'bar', fix: ['y', 'z'] });
    const length = sides[0] * spacing;
    const rest = empty.positions();
    const world = await withState(empty, ({ displacement: u }) => {
      // cos(pi x / L) about the left end; strains of at most 0.3 %.
      for (let i = 0; i < u.length; i += 4) {
        const x = rest[i]!;
        u[i] = 1e-3 * length * Math.sin((Math.PI * x) / length);
        if (!options.lateral) continue;
        const strain = 1e-3 * Math.PI * Math.cos((Math.PI * x) / length);
        u[i + 1] = -material.poissonsRatio * strain * rest[i + 1]!;
        u[i + 2] = -material.poissonsRatio * strain * rest[i + 2]!;
      }
    });
    options.before?.(world);
    const [times, values]: [number[], number[]] = [[], []];
    const project = () => {
      const x = world.positions();
      let sum = 0;
      for (let i = 0; i < x.length; i += 4) sum += (x[i]! - rest[i]!) * Math.sin((Math.PI * rest[i]!) / length);
      times.push(world.time);
      values.push(sum);
    };
    project();
    for (let k = 0; k < options.samples; k++) {
      world.step(options.duration / options.samples);
      project();
    }
    await world.dispose();
    return { times, values };
  });
}

const bar = { youngsModulus: 1e6, poissonsRatio: 0.3, density: 1000 };

/** Speed from the first quarter of the period: the mode sin(pi x / L) of a bar of length L has period 2 L / c. */
async function waveSpeed(count: number, lateral: boolean): Promise<number> {
  const length = 1;
  const slowest = Math.sqrt(bar.youngsModulus / bar.density);
  const { times, values } = await swing([count, 3, 3], length / count, bar, {
    duration: (1.2 * length) / slowest,
    samples: 120,
    lateral,
  });
  const crossings = zeroCrossings(times, values);
  return length / (2 * crossings[0]!);
}

test('a pressure wave travels at sqrt((lambda + 2 mu) / rho), nearer so with finer particles', async () => {
  const { youngsModulus: e, poissonsRatio: nu, density } = bar;
  const expected = Math.sqrt((e * (1 - nu)) / ((1 + nu) * (1 - 2 * nu)) / density);
  const errors: number[] = [];
  for (const count of [10, 20, 40]) errors.push((await waveSpeed(count, false)) / expected - 1);
  // The fit over a support of two spacings is dispersive: an error of second order in the spacing.
  expect(Math.abs(errors[0]!)).toBeLessThan(0.015);
  expect(Math.abs(errors[1]!)).toBeLessThan(0.4 * Math.abs(errors[0]!));
  expect(Math.abs(errors[2]!)).toBeLessThan(0.4 * Math.abs(errors[1]!));
});

test('a wave in a thin bar travels at sqrt(E / rho)', async () => {
  const expected = Math.sqrt(bar.youngsModulus / bar.density);
  // Dispersion as above; lateral inertia takes (nu pi r / L)^2 / 2 = 0.01 % off.
  expect(Math.abs((await waveSpeed(30, true)) / expected - 1)).toBeLessThan(0.005);
});

/**
 * A bar, strip or string along x, pulled slowly at its end layers and then left to settle. What is measured
 * is measured in the middle: particles are held in layers, which ripples the strain near by. The
 * stabilisation takes the ripple away and has no part in an even stretch.
 */
async function pull(
  sides: Vec3,
  given: { poissonsRatio: number; volumeStiffness?: number },
): Promise<{ contraction: number; modulus: number }> {
  return withWorld({ gravity: [0, 0, 0], solver: { solid: { stabilisation: 0.5 } } }, (world) => {
    const spacing = 0.1;
    const material = { youngsModulus: 1e6, density: 1000, damping: 0.3, ...given };
    world.addBody({ name: 'bar', shape: SOME_BOX, material }, block(sides, spacing));
    const end = (spacing * (sides[0] - 1)) / 2;
    const layer = (x: number) => ({ box: { min: [x - 0.01, -1, -1] as Vec3, max: [x + 0.01, 1, 1] as Vec3 } });
    world.addConstraint({ body: 'bar', region: layer(-end), fix: ['x'] });
    const move = [{ time: 0 }, { time: 0.2, position: [0.002 * end, 0, 0] as Vec3 }];
    world.addConstraint({ body: 'bar', region: layer(end), fix: ['x'], move });
    world.step(1);
    const p = world.positions();
    const number = (x: number, y: number, z: number) => 4 * ((x * sides[1] + y) * sides[2] + z);
    const [from, to] = [sides[0] / 2 - 2, sides[0] / 2 + 1];
    const stretch = (p[number(to, 0, 0)]! - p[number(from, 0, 0)]!) / ((to - from) * spacing) - 1;
    const last = sides[2] - 1;
    const width = p[number(from, 0, last) + 2]! - p[number(from, 0, 0) + 2]!;
    // Energy of an even stretch, 1/2 E strain^2 V.
    const energies = world.elasticEnergies();
    let energy = 0;
    for (let i = number(from, 0, 0) / 4; i < number(to + 1, 0, 0) / 4; i++) energy += energies[i]!;
    const volume = (to + 1 - from) * sides[1] * sides[2] * spacing ** 3;
    return {
      contraction: (1 - width / (last * spacing)) / stretch,
      modulus: (2 * energy) / (stretch * stretch * volume),
    };
  });
}

test.each([
  [0.3, 1],
  [0.45, 1],
  [0.3, 0],
  [0, 0.5],
  [-0.2, 1],
])(
  'a stretched bar contracts by nu = %f times its stretch and resists with E, volume stiffness %f',
  async (nu, volumeStiffness) => {
    const { contraction, modulus } = await pull([16, 4, 4], { poissonsRatio: nu, volumeStiffness });
    // Second-order terms of the strain, 0.1 %, the rest of the ripple, and float32 positions: 3e-8 m of 3e-4 m.
    expect(Math.abs(contraction - nu)).toBeLessThan(0.005);
    expect(Math.abs(modulus / 1e6 - 1)).toBeLessThan(0.015);
  },
);

test('a sheet of one layer stretches with E and contracts by nu', async () => {
  const { contraction, modulus } = await pull([16, 1, 5], { poissonsRatio: 0.3 });
  expect(Math.abs(contraction - 0.3)).toBeLessThan(0.002);
  expect(Math.abs(modulus / 1e6 - 1)).toBeLessThan(0.005);
});

test('an event that makes a bar four times as stiff halves its period from then on', async () => {
  const slowest = Math.sqrt(bar.youngsModulus / bar.density);
  const quarter = 0.5 / slowest;
  const { times, values } = await swing([20, 3, 3], 0.05, bar, {
    duration: 6 * quarter,
    samples: 300,
    lateral: true,
    before: (world) =>
      world.addEvent({ time: 2 * quarter, body: 'bar', set: { youngsModulus: 4 * bar.youngsModulus } }),
  });
  const crossings = zeroCrossings(times, values);
  // One crossing at a quarter, then at the event plus half a quarter, and every quarter after it.
  const periods = [
    crossings[0]! / quarter,
    (crossings[2]! - crossings[1]!) / quarter,
    (crossings[3]! - crossings[2]!) / quarter,
  ];
  expect(periods[0]! / periods[1]!).toBeCloseTo(1, 1);
  expect(periods[1]).toBeGreaterThan(0.97);
  expect(periods[1]).toBeLessThan(1.05);
  expect(periods[2]! / periods[1]!).toBeCloseTo(1, 1);
});

test('a string of particles stretches with E', async () => {
  const { modulus } = await pull([16, 1, 1], { poissonsRatio: 0.3 });
  expect(Math.abs(modulus / 1e6 - 1)).toBeLessThan(0.015);
});

test('sheets, strings and lone particles fly and tumble without turning into nonsense', async () => {
  await withWorld({ solver: { contact: { bodies: false, self: false } } }, (world) => {
    const material = { youngsModulus: 1e5, poissonsRatio: 0.3 };
    for (const [k, sides] of (
      [
        [6, 1, 5],
        [1, 7, 1],
        [1, 1, 1],
      ] as Vec3[]
    ).entries()) {
      world.addBody(
        { name: `b${k}`, shape: SOME_BOX, material, position: [2 * k, 1, 0], angularVelocity: [1, 2, 3] },
        block(sides, 0.1),
      );
    }
    world.addObstacle({ shape: { plane: {} } });
    expect(world.warnings.join('\n')).toMatch(/no neighbours[\s\S]*line[\s\S]*plane/);
    for (let frame = 0; frame < 30; frame++) world.step(1 / 30);
    for (const x of world.positions()) expect(Number.isFinite(x)).toBe(true);
    expect(world.probe({ name: 'v', quantity: 'maximumSpeed' })[0]).toBeLessThan(20);
  });
});

describe('damping', () => {
  const length = 1;
  test.each([
    [0.05, 0],
    [0.1, 0],
    [0.1, 0.3],
  ])('of ratio %f lets the slowest wave decay as predicted, Poisson ratio %f', async (damping, nu) => {
    const material = { ...bar, poissonsRatio: nu, damping };
    const slowest = Math.sqrt(bar.youngsModulus / bar.density);
    const period = (2 * length) / slowest;
    const { values, times } = await swing([20, 3, 3], length / 20, material, {
      duration: 2.2 * period,
      samples: 400,
      lateral: true,
    });
    // Largest amplitudes after one and two periods; the start is one too.
    const around = (center: number) =>
      values.reduce((best, v, k) => (Math.abs(times[k]! - center) < 0.15 * period ? Math.max(best, v) : best), 0);
    const decrement = Math.log(around(period) / around(2 * period));
    const expected = (2 * Math.PI * damping) / Math.sqrt(1 - damping * damping);
    // The ratio is proportional to the frequency, which the soft ends lower by some percent.
    expect(Math.abs(decrement / expected - 1)).toBeLessThan(0.06);
  });

  test('leaves translation and rotation alone', async () => {
    await withWorld({ gravity: [0, 0, 0] }, (world) => {
      const material = { youngsModulus: 1e7, poissonsRatio: 0.3, density: 1000, damping: 0.5 };
      world.addBody(
        { name: 'b', shape: SOME_BOX, material, velocity: [1, 2, 0], angularVelocity: [0, 0, 5] },
        block([4, 4, 3], 0.1),
      );
      // The stretch by centrifugal force, about rho w^2 L^2 / E = 4e-4, settles first.
      world.step(0.1);
      const [energy, momentum, angular] = [world.energy(), world.momentum(), world.angularMomentum()];
      world.step(1);
      // Rounding of float32 velocities over some thousand steps.
      expect(Math.abs(world.energy().kinetic / energy.kinetic - 1)).toBeLessThan(1e-4);
      const drift = (a: Vec3, b: Vec3) => norm([a[0] - b[0], a[1] - b[1], a[2] - b[2]]) / norm(b);
      expect(drift(world.momentum(), momentum)).toBeLessThan(2e-5);
      expect(drift(world.angularMomentum(), angular)).toBeLessThan(2e-4);
    });
  });
});
