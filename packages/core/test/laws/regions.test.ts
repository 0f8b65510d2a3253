import { describe, expect, test } from 'vitest';
import { materialLaw } from '../../reference/response.js';
import { type Matrix3, transform } from '../../src/math/matrix3.js';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import type { World } from '../../src/world.js';
import { block, norm, SOME_BOX, withState, withWorld } from './support.js';

const FITS = ['linear', 'quadratic'] as const;
const SPACING = 0.05;
const SIDES: Vec3 = [24, 4, 4];
const NO_CONTACT = { bodies: false, self: false };
const RIGHT = { box: { min: [0, -1, -1] as Vec3, max: [2, 1, 1] as Vec3 } };

type Regions = NonNullable<BodyInput['regions']>;

/** A bar along x with a right half that differs. */
function addBar(world: World, material: BodyInput['material'], set?: Regions[number]['set'], more: object = {}): void {
  const regions: Regions = set ? [{ region: RIGHT, set }] : [];
  world.addBody({ name: 'bar', shape: SOME_BOX, material, regions, ...more }, block(SIDES, SPACING));
}

describe.each(FITS)('a bar of two halves, %s fit', (discretisation) => {
  const PULL = 500;
  const [soft, stiff] = [2e5, 1e6];
  /** How far the end of a bar of `layers` goes under a pull [Pa] over what Hooke's law says, less one. */
  const error = (layers: number, left: number, right: number) =>
    withWorld({ gravity: [0, 0, 0], solver: { solid: { tolerance: 1e-4 }, contact: NO_CONTACT } }, (world) => {
      const spacing = 1.2 / layers;
      // Without contraction the halves have one stress, and the clamp holds nothing sideways.
      const material = { youngsModulus: left, poissonsRatio: 0 };
      const regions = [{ region: RIGHT, set: { youngsModulus: right } }];
      const points = block([layers, 4, 4], spacing);
      world.addBody({ name: 'bar', shape: SOME_BOX, material, regions, discretisation }, points);
      // The clamp ends between the first two layers, the pull acts on the last one.
      const [face, end] = [spacing - 0.6, 0.6 - spacing / 2];
      const held = { box: { min: [-2, -1, -1] as Vec3, max: [face, 1, 1] as Vec3 } };
      const last = { box: { min: [end - 0.01, -1, -1] as Vec3, max: [2, 1, 1] as Vec3 } };
      world.addConstraint({ body: 'bar', region: held, fix: ['x', 'y', 'z'] });
      world.addConstraint({ body: 'bar', region: last, force: [PULL * (4 * spacing) ** 2, 0, 0] });
      world.solveStatic();
      const stretch = world.probe({ name: 'tip', region: last, quantity: 'displacement' })[0]!;
      return Math.abs(stretch / (PULL * (-face / left + end / right)) - 1);
    });

  test.each([
    ['soft', soft, stiff],
    ['stiff', stiff, soft],
  ])('stretches by the sum of what its halves would, %s at the clamp', async (_, left, right) => {
    const coarse = await error(24, left, right);
    const fine = await error(48, left, right);
    // Strains are fitted over two layers on either side of where the stiffness changes, and of the last one:
    // an error of first order, besides Green strain under 0.25 % of stretch.
    expect(coarse).toBeLessThan(discretisation === 'quadratic' ? 0.02 : 0.05);
    expect(fine).toBeLessThan(discretisation === 'quadratic' ? 0.01 : 0.025);
  });

  test('stretches as much as any bar when they are alike', async () => {
    expect(await error(24, soft, soft)).toBeLessThan(discretisation === 'quadratic' ? 0.01 : 0.02);
  });
});

describe('the density of a region', () => {
  const volume = SIDES[0] * SIDES[1] * SIDES[2] * SPACING ** 3;
  const uneven = (use: (world: World) => void, more: object = {}) =>
    withWorld({ gravity: [0, 0, 0], solver: { contact: NO_CONTACT } }, (world) => {
      addBar(world, { density: 500, youngsModulus: 1e6 }, { density: 2000 }, more);
      use(world);
    });

  test('decides inertia: momentum and kinetic energy', async () => {
    await uneven(
      (world) => {
        // Float32 masses.
        expect(world.momentum()[0] / (1250 * volume * 2)).toBeCloseTo(1, 6);
        expect(world.energy().kinetic / (0.5 * 1250 * volume * 4)).toBeCloseTo(1, 6);
      },
      { velocity: [2, 0, 0] },
    );
  });

  test('is in the mass of the body and of the world', async () => {
    await uneven((world) => {
      expect(world.bodies[0]!.mass / (1250 * volume)).toBeCloseTo(1, 6);
      expect(world.mass / (1250 * volume)).toBeCloseTo(1, 6);
    });
  });

  test('moves the centre of mass', async () => {
    await uneven((world) => {
      const [x] = world.probe({ name: 'c', quantity: 'position' }) as unknown as Vec3;
      expect(x).toBeCloseTo((0.5 * 0.5 * SPACING * SIDES[0] * 1500) / 1250 / 2, 6);
    });
  });

  test('leaves a body that spins at the start where it is: it turns about its centre of mass', async () => {
    await uneven(
      (world) => {
        const scale = world.energy().kinetic ** 0.5 * (1250 * volume) ** 0.5;
        expect(norm(world.momentum()) / scale).toBeLessThan(1e-6);
      },
      { angularVelocity: [0, 3, 0] },
    );
  });
});

test('a change of a body keeps what its regions say', async () => {
  const run = (before: object, change: object | undefined) =>
    withWorld({ gravity: [0, -9.81, 0], solver: { contact: NO_CONTACT, maxTimeStep: 5e-4 } }, (world) => {
      const regional = { youngsModulus: 4e5, density: 2000, volumeStiffness: 0.5 };
      addBar(world, { youngsModulus: 1e5, density: 500, poissonsRatio: 0.2, ...before }, regional, {
        // A spin would be about the centre of mass at the start, which the density moves.
        twist: [40, 0, 0],
      });
      // Laid out as it was first.
      world.energy();
      if (change) world.setMaterial('bar', change as { youngsModulus: number });
      for (let k = 0; k < 4; k++) world.step(0.005);
      return world.positions();
    });
  const changes = { youngsModulus: 2e5, poissonsRatio: 0.4, density: 800, damping: 0.1 };
  const changed = await run({}, changes);
  expect(changed).toEqual(await run(changes, undefined));
  expect(changed).not.toEqual(await run({}, undefined));
});

test('a region that says what the body says changes nothing', async () => {
  const run = (set?: Regions[number]['set']) =>
    withWorld({ solver: { contact: NO_CONTACT, maxTimeStep: 5e-4 } }, (world) => {
      addBar(world, { youngsModulus: 2e5, poissonsRatio: 0.4 }, set, { angularVelocity: [0, 2, 1] });
      world.step(0.02);
      return world.stateHash();
    });
  expect(await run({ youngsModulus: 2e5, poissonsRatio: 0.4, density: 1000 })).toBe(await run());
});

describe('jitter', () => {
  const E = 1e6;
  const NU = 0.3;
  const SIZE: Vec3 = [0.6, 0.4, 0.4];
  const jittered = <T>(
    jitter: number,
    use: (world: World) => T | Promise<T>,
    options: { seed?: number; discretisation?: 'linear' | 'quadratic' } = {},
  ) =>
    withWorld({ gravity: [0, 0, 0], solver: { contact: NO_CONTACT }, seed: options.seed ?? 1 }, (world) => {
      world.addBody({
        name: 'box',
        shape: { box: { size: SIZE } },
        spacing: SPACING,
        jitter,
        discretisation: options.discretisation ?? 'quadratic',
        material: { youngsModulus: E, poissonsRatio: NU },
      });
      return use(world);
    });
  /** The world with every particle displaced by `by(m)`, m in the coordinates of the shape. */
  const displaced = (world: World, by: (m: Vec3) => Vec3) => {
    const positions = world.positions();
    return withState(world, ({ displacement: u }) => {
      for (let i = 0; i < u.length; i += 4) u.set(by([positions[i]!, positions[i + 1]!, positions[i + 2]!]), i);
    });
  };
  const volume = SIZE[0] * SIZE[1] * SIZE[2];

  test.each(FITS)('does not disturb an even strain, %s fit', async (discretisation) => {
    await jittered(
      0.4,
      async (still) => {
        const g: Matrix3 = [0.2, 0.1, -0.3, 0.05, -0.15, 0.2, 0.1, 0.25, 0.12];
        const world = await displaced(still, (m) => transform(g, m));
        const law = materialLaw({
          model: 'stVenantKirchhoff',
          youngsModulus: E,
          poissonsRatio: NU,
          volumeStiffness: 1,
        });
        // Float32 displacements of 0.1 m over spacings of 0.05 m, through 9 x 9 inverses.
        expect(Math.abs(world.energy().elastic / (law.energy(g) * volume) - 1)).toBeLessThan(1e-5);
        const ratios = world.volumeRatios();
        const stresses = world.stresses();
        for (let i = 0; i < ratios.length; i++) {
          expect(Math.abs(ratios[i]! / ratios[0]! - 1)).toBeLessThan(discretisation === 'quadratic' ? 1e-4 : 2e-6);
          expect(Math.abs(stresses[i]! / stresses[0]! - 1)).toBeLessThan(discretisation === 'quadratic' ? 3e-4 : 1e-5);
        }
        await world.dispose();
      },
      { discretisation },
    );
  });

  test.each([0, 0.2, 0.4])('of %f leaves the energy of pure bending what it is', async (jitter) => {
    await jittered(jitter, async (still) => {
      const k = 0.02;
      // Stress along x alone, E k y.
      const world = await displaced(still, ([x, y, z]) => [
        k * x * y,
        (-k * (x * x + NU * (y * y - z * z))) / 2,
        -NU * k * y * z,
      ]);
      const inertia = (SIZE[2] * SIZE[1] ** 3) / 12;
      // The fading of weak quadratic terms takes off and the second-order strain adds some 0.1 %.
      expect(Math.abs(world.energy().elastic / (0.5 * E * k * k * inertia * SIZE[0]) - 1)).toBeLessThan(0.002);
      await world.dispose();
    });
  });

  test('keeps particles inside, apart, and their volume', async () => {
    await jittered(0.45, (world) => {
      const p = world.positions();
      for (let k = 0; k < p.length; k++) if (k % 4 !== 3) expect(Math.abs(p[k]!)).toBeLessThan(SIZE[k % 4]! / 2);
      expect(world.bodies[0]!.mass / (1000 * volume)).toBeCloseTo(1, 5);
      expect(world.probe({ name: 'v', quantity: 'volume' })[0]! / volume).toBeCloseTo(1, 5);
    });
  });

  test('is the same for the same seed and another for another', async () => {
    const run = (seed: number) =>
      jittered(
        0.3,
        (world) => {
          world.setMaterial('box', { damping: 0.1 });
          return world.stateHash() + Array.from(world.positions()).join();
        },
        { seed },
      );
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
  });
});
