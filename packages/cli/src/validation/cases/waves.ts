/** Bars that ring: their period is that of the wave running to and fro. */
import { study, type ValidationCase } from '../case.js';
import { type Discretisation, runSeries, swing, validationScene, withDiscretisation, withSpacing } from '../measure.js';
import { lame } from '../theory.js';

const { lambda, mu } = lame(1e5, 0.3);

function wave(name: string, modulus: number, discretisation: Discretisation, texts: [string, string]): ValidationCase {
  const [quantity, source] = texts;
  return {
    name: `${name}-${discretisation}`,
    quantity,
    source,
    curve: { figure: 'others', panel: name.replace('-', ' '), series: discretisation },
    run: (full) =>
      study(
        {
          reference: 4 / Math.sqrt(modulus / 1000),
          resolutions: [{ across: 3 }, { across: 5, tolerance: 0.02 }, { across: 9, tolerance: 0.02, full: true }],
          async measure(across) {
            const scene = withDiscretisation(withSpacing(validationScene(name), 0.1 / across), discretisation);
            const { time, probes } = await runSeries(scene);
            return swing(
              time,
              probes.tip!.map((row) => row[0]!),
            ).period;
          },
        },
        full,
      ),
  };
}

const confined: [string, string] = [
  'period of a confined bar, 4 L / sqrt((lambda + 2 mu) / rho) [s]',
  "d'Alembert; wave speed from the elastic constants",
];
const free: [string, string] = [
  'period of a free-sided bar, 4 L / sqrt(E / rho) [s]',
  "thin-bar theory (Rayleigh's correction for thickness is below 0.1 % here)",
];

export const waveCases: readonly ValidationCase[] = (['linear', 'quadratic'] as const).flatMap((discretisation) => [
  wave('pressure-wave', lambda + 2 * mu, discretisation, confined),
  wave('bar-wave', 1e5, discretisation, free),
]);
