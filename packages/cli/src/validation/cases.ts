import { orderOf, runSeries, swing, validationScene, withSpacing } from './measure.js';

export interface CaseResult {
  readonly reference: number;
  readonly measured: number;
  /** Order of convergence, where two resolutions were run. */
  readonly order: number | null;
  readonly note?: string;
}

/** Something that the engine computes and that is known from elsewhere. */
export interface ValidationCase {
  readonly name: string;
  /** What is compared, with its unit. */
  readonly quantity: string;
  readonly source: string;
  /** Largest relative error that passes. */
  readonly tolerance: number;
  /** Only with --full. */
  readonly full?: boolean;
  run(full: boolean): Promise<CaseResult>;
}

/** Runs at two spacings; the finer one is the result. */
async function converging(
  spacings: readonly [number, number],
  reference: number,
  measure: (spacing: number) => Promise<number>,
): Promise<CaseResult> {
  const [coarse, fine] = [await measure(spacings[0]), await measure(spacings[1])];
  const order = orderOf({ h: spacings[0], error: coarse - reference }, { h: spacings[1], error: fine - reference });
  const percent = ((100 * (coarse - reference)) / reference).toFixed(1);
  return { reference, measured: fine, order, note: `${percent} % at spacing ${spacings[0]} m` };
}

/** Period of the swing along x. A clamp acts where its particles are, half a spacing in: first order in the spacing. */
const period = (name: string) => async (spacing: number) => {
  const { time, probes } = await runSeries(withSpacing(validationScene(name), spacing));
  return swing(
    time,
    probes.tip!.map((row) => row[0]!),
  ).period;
};

/**
 * The clamped beam, quickly and with --full at the finer two spacings. The clamp is the plane x = 0 that a
 * user would name; it acts half a spacing behind it, at the particles that are held, which makes beams
 * some 4 dx / 2 L stiffer.
 */
function beam(
  discretisation: 'linear' | 'quadratic',
  across: number,
  spacings: readonly [quick: readonly [number, number], full: readonly [number, number]],
  tolerance: number,
): ValidationCase {
  return {
    name: `beam-${discretisation}`,
    quantity: `tip deflection of a clamped beam, length/thickness 10, ${across} across [m]`,
    source: 'Timoshenko: q L^4 / (8 E I) + q L^2 / (2 k G A), k = 10 (1 + nu) / (12 + 11 nu)',
    tolerance,
    async run(full) {
      const [e, nu, h] = [1e6, 0.3, 0.1];
      const q = 1000 * 0.02 * h * h;
      const g = e / (2 * (1 + nu));
      const k = (10 * (1 + nu)) / (12 + 11 * nu);
      /** Downward, at a distance from the clamp. */
      const deflection = (x: number) =>
        (q * (x ** 4 - 4 * x ** 3 + 6 * x ** 2)) / (2 * e * h ** 4) + (q * (x - x ** 2 / 2)) / (k * g * h * h);
      // The clamp is one layer of particles and the tip another, whatever the spacing. The value at the
      // tip's particles is carried to the end of the beam by the ratio that theory gives.
      const measure = async (spacing: number) => {
        const scene = withSpacing(validationScene('beam'), spacing);
        const clamp = { box: { min: [-1, -1, -1], max: [0.75 * spacing, 1, 1] } } as const;
        const tip = { box: { min: [1 - 0.75 * spacing, -1, -1], max: [2, 1, 1] } } as const;
        const { time, probes } = await runSeries({
          ...scene,
          constraints: scene.constraints.map((constraint) => ({ ...constraint, region: clamp })),
          probes: scene.probes.map((probe) => ({ ...probe, region: tip })),
          solver: { ...scene.solver, solid: { ...scene.solver.solid, discretisation } },
        });
        const mean = swing(
          time,
          probes.tip!.map((row) => row[1]!),
        ).mean;
        return (-mean * deflection(1)) / deflection(1 - spacing / 2);
      };
      return converging(spacings[full ? 1 : 0], deflection(1), measure);
    },
  };
}

export const VALIDATION_CASES: readonly ValidationCase[] = [
  {
    name: 'free-fall',
    quantity: 'height after 1 s of flight [m]',
    source: 'Galilei: v t - g t^2 / 2',
    tolerance: 1e-4,
    async run() {
      const { probes } = await runSeries(validationScene('free-fall'));
      return { reference: 3 - 9.81 / 2, measured: probes.centre!.at(-1)![1]!, order: null };
    },
  },
  {
    name: 'incline',
    quantity: 'speed after sliding 1 s [m/s]',
    source: 'Coulomb: g (sin 30 - 0.4 cos 30) t',
    tolerance: 0.02,
    async run() {
      const { time, probes } = await runSeries(validationScene('incline'));
      // Between 0.5 and 1 s, when the block has settled on the plane.
      const from = time.findIndex((t) => t >= 0.5 - 1e-9);
      const along = (row: number[]) => -(row[0]! * Math.sqrt(0.75) + row[1]! * 0.5);
      const speed = (along(probes.velocity!.at(-1)!) - along(probes.velocity![from]!)) / (time.at(-1)! - time[from]!);
      return { reference: 9.81 * (0.5 - 0.4 * Math.sqrt(0.75)), measured: speed, order: null };
    },
  },
  {
    name: 'pressure-wave',
    quantity: 'period of a confined bar, 4 L / sqrt((lambda + 2 mu) / rho) [s]',
    source: "d'Alembert; wave speed from the elastic constants",
    tolerance: 0.02,
    run: () => {
      const modulus = (1e5 * 0.7) / (1.3 * 0.4);
      return converging([0.04, 0.02], 4 / Math.sqrt(modulus / 1000), period('pressure-wave'));
    },
  },
  {
    name: 'bar-wave',
    quantity: 'period of a free-sided bar, 4 L / sqrt(E / rho) [s]',
    source: "thin-bar theory (Rayleigh's correction for thickness is below 0.1 % here)",
    tolerance: 0.02,
    run: () => converging([0.04, 0.02], 4 / Math.sqrt(1e5 / 1000), period('bar-wave')),
  },
  {
    name: 'contraction',
    quantity: 'lateral contraction over stretch [1]',
    source: "definition of Poisson's ratio",
    tolerance: 0.03,
    async run() {
      const { probes } = await runSeries(validationScene('contraction'));
      const last = (name: string) => probes[name]!.at(-1)!;
      // Mean positions at rest of the particles in the probes' regions.
      const stretch = (last('right')[0]! - last('left')[0]!) / 0.48;
      const thickness = 0.16;
      const contraction = (last('low')[1]! - last('high')[1]!) / thickness;
      return { reference: 0.3, measured: contraction / stretch, order: null };
    },
  },
  beam(
    'linear',
    9,
    [
      [0.02, 0.1 / 9],
      [0.1 / 9, 0.1 / 13],
    ],
    0.15,
  ),
  beam(
    'quadratic',
    5,
    [
      [0.1 / 3, 0.02],
      [0.02, 0.1 / 9],
    ],
    0.06,
  ),
];
