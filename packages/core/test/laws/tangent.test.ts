import { afterEach, describe, expect, test } from 'vitest';
import { materialLaw } from '../../reference/response.js';
import { type Matrix3, rotationFromDegrees, transform } from '../../src/math/matrix3.js';
import type { BodyInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import type { ParticleContact } from '../../src/solvers/contact/particles.js';
import { CoarseSpace } from '../../src/solvers/elastic/coarse.js';
import { ImplicitSolver } from '../../src/solvers/elastic/implicit.js';
import { type Bench, block, buildBench, randomNumbers } from './support.js';

const ORTHOTROPIC = {
  youngsModuli: [3e5, 1e5, 2e5] as Vec3,
  shearModuli: [5e4, 6e4, 8e4] as Vec3,
  poissonsRatios: [0.2, 0.3, 0.25] as Vec3,
  rotation: [20, 30, 40] as Vec3,
};
const LAWS: [string, NonNullable<BodyInput['material']>][] = [
  ['St. Venant-Kirchhoff', { model: 'stVenantKirchhoff' }],
  ['St. Venant-Kirchhoff without the determinant', { model: 'stVenantKirchhoff', volumeStiffness: 0 }],
  ['neo-Hookean', { model: 'neoHookean' }],
  ['corotational', { model: 'corotational' }],
  ['orthotropic', { orthotropic: ORTHOTROPIC }],
];
const FITS = ['linear', 'quadratic'] as const;
const CASES = LAWS.flatMap(([name, material]) =>
  FITS.flatMap((fit) => [0, 0.3].map((damping) => [name, fit, damping, material] as const)),
);

type Field = (m: Vec3) => Vec3;

/** Bent and sheared by a third, stretched by 30 % and turned on the way. */
const bent: Field = ([x, y, z]) => [
  0.3 * x + 0.2 * y + 1.2 * x * y,
  -0.2 * x + 0.15 * y + x * x,
  0.25 * y - 0.2 * z + z * x,
];
/** Squashed to less than half, sideways bulging, and bent. */
const squashed: Field = ([x, y, z]) => [-0.55 * x + 0.5 * y * y, 0.15 * y + 0.1 * x, 0.2 * z + 0.6 * x * x];
const STATES: [string, Field][] = [
  ['bent', bent],
  ['squashed', squashed],
];

const open: Bench[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose();
});

interface Tangent {
  readonly count: number;
  readonly rest: Float64Array;
  /** Puts the particles to m + field(m); strains of an earlier, smaller deformation give the viscous stress. */
  put(field: Field): void;
  /** Forces at the present state, moved by `step` along `direction` [N]. */
  forces(direction?: Float64Array, step?: number): Float64Array;
  /** Minus the change of the forces along a direction, by the tangent at the state of `put` [N]. */
  product(direction: Float64Array): Float64Array;
}

async function tangent(
  material: NonNullable<BodyInput['material']>,
  discretisation: 'linear' | 'quadratic',
  points = block([5, 4, 6], 0.1, 0.2),
): Promise<Tangent> {
  const bench = await buildBench([
    { input: { material: { youngsModulus: 2e5, poissonsRatio: 0.35, ...material }, discretisation }, points },
  ]);
  open.push(bench);
  const { store, ranges } = bench.model;
  const { count } = store;
  const noContact = { surfaceCount: 0, computeForces: () => 0, computeChanges: () => undefined };
  new ImplicitSolver({
    store,
    contact: noContact as unknown as ParticleContact,
    coarse: new CoarseSpace(store, ranges, bench.model.elastic.frames),
    obstacles: false,
    tolerance: 1e-3,
    maxIterations: 1,
    quadraticCount: discretisation === 'quadratic' ? count : 0,
  });
  store.setFloat(layout.INERTIA, 0);
  const read = (slot: number) =>
    Float64Array.from({ length: 3 * count }, (_, k) => store.vectors(slot)[4 * Math.floor(k / 3) + (k % 3)]!);
  const write = (slot: number, at: (k: number) => number) => {
    const vectors = store.vectors(slot);
    for (let k = 0; k < 3 * count; k++) vectors[4 * Math.floor(k / 3) + (k % 3)] = at(k);
  };
  const rest = read(layout.REST);
  let state = new Float64Array(3 * count);
  const forces = (direction?: Float64Array, step = 0) => {
    write(layout.DISPLACEMENT, (k) => state[k]! + step * (direction?.[k] ?? 0));
    store.computeStresses();
    store.computeResiduals();
    return read(layout.RESIDUAL);
  };
  return {
    count,
    rest,
    put(field) {
      state = Float64Array.from({ length: 3 * count }, (_, k) => {
        const i = 3 * Math.floor(k / 3);
        return Math.fround(field([rest[i]!, rest[i + 1]!, rest[i + 2]!])[k % 3]!);
      });
      write(layout.DISPLACEMENT, (k) => 0.7 * state[k]!);
      store.setFloat(layout.STRAIN_RATE, 0);
      store.setInteger(layout.KEEP_STRAIN, 1);
      store.computeStresses();
      store.setInteger(layout.KEEP_STRAIN, 0);
      store.setFloat(layout.STRAIN_RATE, 20);
    },
    forces,
    product(direction) {
      forces();
      write(layout.DIRECTION, (k) => direction[k]!);
      store.computeStressChanges();
      store.computeProducts();
      return read(layout.PRODUCT);
    },
  };
}

const scatter = (count: number, seed: number): Float64Array => {
  const random = randomNumbers(seed);
  return Float64Array.from({ length: 3 * count }, () => Math.fround(random() - 0.5));
};
const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
const size = (a: Float64Array) => Math.sqrt(dot(a, a));
const distance = (a: Float64Array, b: Float64Array) => size(a.map((x, k) => x - b[k]!));

/** Minus the derivative of the forces along a direction, by differences of fourth order. */
function byDifferences({ forces }: Tangent, direction: Float64Array, step: number): Float64Array {
  const at = (times: number) => forces(direction, times * step);
  const [a, b, c, d] = [at(2), at(1), at(-1), at(-2)];
  return a.map((x, k) => (x - d[k]! - 8 * (b[k]! - c[k]!)) / (12 * step));
}

/**
 * Steps of 1 mm at a spacing of 0.1 m change strains by a percent: forces in float32, 1e-7 of their size, give
 * the difference to 1e-5, and the fifth derivative adds (2 %)^4. The 9 x 9 inverses of the quadratic fit have
 * ten times larger entries that cancel.
 */
const STEP = 2e-3;
const DIFFERENCES = { linear: 2e-5, quadratic: 2e-4 };

describe.each(CASES)('%s, %s fit, damping %f', (_, fit, damping, material) => {
  test.each(STATES)('the tangent is the derivative of the forces, %s', async (_, field) => {
    const body = await tangent({ ...material, damping }, fit);
    body.put(field);
    const direction = scatter(body.count, 5);
    const expected = byDifferences(body, direction, STEP);
    expect(distance(body.product(direction), expected) / size(expected)).toBeLessThan(DIFFERENCES[fit]);
  });

  test.each(STATES)('the tangent is symmetric, %s', async (_, field) => {
    const body = await tangent({ ...material, damping }, fit);
    body.put(field);
    const [p, q] = [scatter(body.count, 1), scatter(body.count, 2)];
    const [ap, aq] = [body.product(p), body.product(q)];
    // Sums of 360 products of float32 numbers, each right to some 1e-6: the errors add up like noise.
    expect(Math.abs(dot(p, aq) - dot(q, ap)) / (size(p) * size(aq))).toBeLessThan(1e-6);
  });

  test('a translation changes no force', async () => {
    const body = await tangent({ ...material, damping }, fit);
    body.put(bent);
    const shift = Float64Array.from({ length: 3 * body.count }, (_, k) => [0.3, -0.7, 0.2][k % 3]!);
    // Exactly: only differences of the direction enter.
    expect(size(body.product(shift))).toBe(0);
  });
});

describe.each(CASES.filter(([, , damping]) => damping === 0))('%s, %s fit', (_, fit, _damping, material) => {
  test('forces turn with the body: K (w x x) = f x w', async () => {
    const body = await tangent(material, fit);
    body.put(bent);
    const forces = body.forces();
    const w: Vec3 = [0.3, -0.5, 0.4];
    const turn: Matrix3 = [0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0];
    const positions = body.rest.map((m, k) => {
      const i = 3 * Math.floor(k / 3);
      return m + bent([body.rest[i]!, body.rest[i + 1]!, body.rest[i + 2]!])[k % 3]!;
    });
    const turned = (field: Float64Array) =>
      field.map((_, k) => {
        const i = 3 * Math.floor(k / 3);
        return transform(turn, [field[i]!, field[i + 1]!, field[i + 2]!])[k % 3]!;
      });
    const product = body.product(turned(positions));
    const expected = turned(forces).map((x) => -x);
    // The tangent's own terms cancel but for the stress: float32 over stresses of a third of the modulus.
    expect(distance(product, expected) / size(expected)).toBeLessThan(1e-5);
  });
});

describe.each(CASES.filter(([, , damping]) => damping === 0))('%s, %s fit', (_, fit, _damping, material) => {
  test('along linear fields, at linear displacements, the tangent is that of the law', async () => {
    const law = materialLaw({
      model: material.model ?? 'stVenantKirchhoff',
      youngsModulus: 2e5,
      poissonsRatio: 0.35,
      volumeStiffness: material.volumeStiffness ?? 1,
      orthotropic: material.orthotropic && {
        ...ORTHOTROPIC,
        axes: rotationFromDegrees(ORTHOTROPIC.rotation),
      },
    });
    const body = await tangent(material, fit);
    const random = randomNumbers(8);
    const volume = body.count * 1e-3;
    for (let n = 0; n < 4; n++) {
      const [g, d] = [0.8, 1].map((s) => Array.from({ length: 9 }, () => Math.fround(s * (random() - 0.5))));
      body.put((m) => transform(g as unknown as Matrix3, m));
      const along = body.rest.map((_, k) => {
        const i = 3 * Math.floor(k / 3);
        const m: Vec3 = [body.rest[i]!, body.rest[i + 1]!, body.rest[i + 2]!];
        return transform(d as unknown as Matrix3, m)[k % 3]!;
      });
      const product = body.product(along);
      // The work on other linear fields: sum_i (K p)_i . D m_i = V dP : D.
      const found = new Float64Array(9);
      for (let i = 0; i < body.count; i++) {
        for (let k = 0; k < 9; k++) {
          found[k]! += (product[3 * i + Math.floor(k / 3)]! * body.rest[3 * i + (k % 3)]!) / volume;
        }
      }
      const expected = Float64Array.from(law.stressChange(g!, d!));
      expect(distance(found, expected) / size(expected)).toBeLessThan(fit === 'quadratic' ? 1e-5 : 2e-6);
    }
  });
});

describe.each(FITS)('neighbourhoods of lower rank, %s fit', (fit) => {
  /** A sheet rolled up and stretched, a string wound and stretched. */
  const rolled: Field = ([x, y, z]) => [1.1 * Math.sin(x) - x, y + 0.6 * x * x + 0.2 * z * x, 0.15 * z + 0.1 * x];
  const SHAPES: [string, Vec3][] = [
    ['a sheet', [7, 1, 6]],
    ['a string', [9, 1, 1]],
  ];
  const flat = SHAPES.flatMap(([shape, sides]) =>
    LAWS.map(([law, material]) => [shape, law, sides, material] as const),
  );
  test.each(flat)(
    'the tangent of %s is the derivative of the forces and symmetric, %s',
    async (_, _law, sides, given) => {
      for (const damping of [0, 0.3]) {
        const body = await tangent({ ...given, damping }, fit, block(sides, 0.1));
        body.put(rolled);
        const [p, q] = [scatter(body.count, 5), scatter(body.count, 6)];
        const expected = byDifferences(body, p, STEP);
        const [ap, aq] = [body.product(p), body.product(q)];
        expect(distance(ap, expected) / size(expected)).toBeLessThan(DIFFERENCES[fit]);
        expect(Math.abs(dot(p, aq) - dot(q, ap)) / (size(p) * size(aq))).toBeLessThan(1e-6);
      }
    },
  );
});
