/** The clamped beam: linear and quadratic, three Poisson's ratios, regular and irregular particles. */
import { type Resolution, study, type ValidationCase } from '../case.js';
import {
  costPerSecond,
  type Discretisation,
  extrapolate,
  runSeries,
  slab,
  validationScene,
  withBodies,
  withDiscretisation,
  withMaterial,
  withSpacing,
} from '../measure.js';
import { timoshenkoDeflection } from '../theory.js';

const BEAM = { youngsModulus: 1e6, density: 1000, gravity: 0.02, length: 1, thickness: 0.1 };

/**
 * Beam theory lets the section at the clamp contract; a clamp does not. Deflection of the clamped beam in
 * three-dimensional elasticity over Timoshenko's, by finite elements of high degree; see
 * docs/validation/README.md.
 */
const CLAMPED: Readonly<Record<number, number>> = { 0: 1, 0.3: 1 - 0.0087, 0.45: 1 - 0.0207 };

/** Irregular particles are drawn more than once. */
const SEEDS = [1, 2, 3];

interface Variant {
  /** Only with --full. */
  readonly full?: boolean;
  readonly discretisation: Discretisation;
  readonly poissonsRatio: number;
  /** Largest random displacement of the particles in spacings. */
  readonly jitter?: number;
  readonly resolutions: readonly Resolution[];
  /** Is the cost of a simulated second measured too? */
  readonly timed?: boolean;
}

function beam({
  full: slow = false,
  discretisation,
  poissonsRatio,
  jitter,
  resolutions,
  timed,
}: Variant): ValidationCase {
  const reference = timoshenkoDeflection({ ...BEAM, poissonsRatio });
  const exact = reference * CLAMPED[poissonsRatio]!;
  const suffix = jitter ? '-irregular' : '';
  return {
    name: `beam-${discretisation}${suffix}-nu${poissonsRatio}`,
    quantity: `tip deflection of a clamped beam, length/thickness 10, nu ${poissonsRatio} [m]`,
    source:
      "Timoshenko with Cowper's k, q L^4 / (8 E I) + q L^2 / (2 k G A); judged by the 3D value of a full clamp, from p-FEM",
    full: slow,
    curve: {
      figure: 'beam',
      panel: `nu = ${poissonsRatio}`,
      series: `${discretisation}${jitter ? ', irregular' : ''}`,
    },
    run: (full) =>
      study(
        {
          reference,
          exact,
          resolutions,
          async measure(across) {
            const spacing = BEAM.thickness / across;
            const scene = withBodies(
              withDiscretisation(
                withMaterial(withSpacing(validationScene('beam'), spacing), { poissonsRatio }),
                discretisation,
              ),
              () => ({ jitter: jitter ?? 0 }),
            );
            const ends = [slab(0, 1 - spacing, 1), slab(0, 1 - 2 * spacing, 1 - spacing)];
            const probed = { ...scene, probes: scene.probes.map((probe, k) => ({ ...probe, region: ends[k]! })) };
            const values: number[] = [];
            for (const seed of jitter ? SEEDS : SEEDS.slice(0, 1)) {
              const series = await runSeries({ ...probed, seed });
              values.push(-extrapolate(series, ['end', 'before'], 1, 1).at(-1)!);
            }
            const cost = timed ? { cost: await costPerSecond({ ...probed, static: false }) } : {};
            const note = jitter ? { note: `worst of ${SEEDS.length} random samplings` } : {};
            return { value: worst(values, exact), ...cost, ...note };
          },
        },
        full,
      ),
  };
}

function worst(values: readonly number[], exact: number): number {
  return values.reduce((far, value) => (Math.abs(value - exact) > Math.abs(far - exact) ? value : far));
}

const RATIOS = [0, 0.3, 0.45];

const QUADRATIC: readonly Resolution[] = [
  { across: 3 },
  { across: 5, tolerance: 0.03 },
  { across: 7 },
  { across: 9, tolerance: 0.01 },
  { across: 13, tolerance: 0.01, full: true },
];
const LINEAR: readonly Resolution[] = [
  { across: 3 },
  { across: 5, tolerance: 0.05 },
  { across: 9, tolerance: 0.03 },
  { across: 13, tolerance: 0.02, full: true },
  { across: 17, tolerance: 0.02, full: true },
];
const IRREGULAR: readonly Resolution[] = [
  { across: 3 },
  { across: 5, tolerance: 0.05 },
  { across: 7 },
  { across: 9, tolerance: 0.02 },
  { across: 13, tolerance: 0.02, full: true },
];

export const beamCases: readonly ValidationCase[] = [
  ...RATIOS.map((poissonsRatio) =>
    beam({ discretisation: 'quadratic', poissonsRatio, resolutions: QUADRATIC, timed: poissonsRatio === 0.3 }),
  ),
  ...RATIOS.map((poissonsRatio) =>
    beam({
      discretisation: 'quadratic',
      poissonsRatio,
      jitter: 0.3,
      resolutions: IRREGULAR,
      full: poissonsRatio !== 0.3,
    }),
  ),
  ...RATIOS.map((poissonsRatio) =>
    beam({ discretisation: 'linear', poissonsRatio, resolutions: LINEAR, timed: poissonsRatio === 0.3 }),
  ),
];
