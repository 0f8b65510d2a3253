import type { BodyInput } from 'phyxel';

export interface BenchScene {
  readonly name: string;
  readonly body: BodyInput;
  readonly support?: number;
  readonly discretisation?: 'linear' | 'quadratic';
  readonly threads: readonly number[];
  /** Measure the double-precision twin beside it. */
  readonly withReference?: boolean;
  /** Only with --full. */
  readonly full?: boolean;
  /** What others published or measured for the same. */
  readonly comparison?: { readonly source: string; readonly milliseconds: Readonly<Record<number, number>> };
}

const MATERIAL = { density: 1000, youngsModulus: 1e6, poissonsRatio: 0.3 };

/** A cube of n^3 particles with the default support, about 30 neighbours each. */
function cube(n: number, rest: Partial<BenchScene> = {}): BenchScene {
  return {
    name: `cube ${n ** 3}`,
    body: {
      name: 'cube',
      shape: { box: { size: [1, 1, 1] } },
      spacing: 1 / n,
      angularVelocity: [0, 1, 0],
      material: MATERIAL,
    },
    threads: [1, 2],
    ...rest,
  };
}

export const BENCH_SCENES: readonly BenchScene[] = [
  cube(17),
  cube(20, { withReference: true }),
  cube(27, { withReference: true }),
  cube(46, { withReference: true }),
  cube(58, { full: true }),
  cube(20, { name: 'cube 8000, quadratic', discretisation: 'quadratic' }),
  {
    name: 'beam 1 x 0.2 x 0.2 m',
    body: { name: 'beam', shape: { box: { size: [1, 0.2, 0.2] } }, spacing: 0.02, material: MATERIAL },
    threads: [1, 2],
    comparison: {
      source: 'SPlisHSPlasH 2.16 (C++, AVX), explicit elasticity, 25 neighbours, one force evaluation',
      milliseconds: { 1: 14.9, 2: 8.3 },
    },
  },
  {
    name: '[S08] table 5.1',
    body: { name: 'cube', shape: { box: { size: [1.1, 1.1, 1] } }, spacing: 0.1, material: MATERIAL },
    support: 2.84,
    threads: [1],
    comparison: {
      source: '[S08] table 5.1: 1,210 particles, 66.6 neighbours, 7.2 frames/s',
      milliseconds: { 1: 1000 / 7.2 },
    },
  },
  ...[
    { particles: 200, milliseconds: 15 },
    { particles: 400, milliseconds: 35 },
  ].map(
    ({ particles, milliseconds }): BenchScene => ({
      name: `[M04] table 1, ${particles}`,
      body: {
        name: 'bust',
        shape: { sphere: { radius: 0.5 } },
        particles,
        material: { ...MATERIAL, youngsModulus: 5e5 },
      },
      // Three times the mean distance of the ten nearest, as in section 3.2 there.
      support: 3.6,
      threads: [1],
      comparison: {
        source: `[M04] table 1: physics of ${particles} phyxels, explicit`,
        milliseconds: { 1: milliseconds },
      },
    }),
  ),
];
