/** The free oscillation of a clamped strip in plane strain, as in Gray, Monaghan and Swift 2001. */
import { type Resolution, study, type ValidationCase } from '../case.js';
import {
  type Discretisation,
  fitFrequency,
  runSeries,
  validationScene,
  withDiscretisation,
  withLayers,
  withSpacing,
} from '../measure.js';
import { lame, thinPlateFrequency, timoshenkoFrequency } from '../theory.js';

const STRIP = { youngsModulus: 2e6, poissonsRatio: 0.3975, density: 1000, length: 0.2, thickness: 0.02 };
const LAYERS = 3;

function strip(discretisation: Discretisation, resolutions: readonly Resolution[]): ValidationCase {
  const { youngsModulus, poissonsRatio } = STRIP;
  const thin = (2 * Math.PI) / thinPlateFrequency(STRIP);
  const thick =
    (2 * Math.PI) /
    timoshenkoFrequency({
      ...STRIP,
      modulus: youngsModulus / (1 - poissonsRatio ** 2),
      shearModulus: lame(youngsModulus, poissonsRatio).mu,
      shearCoefficient: 5 / 6,
    });
  return {
    name: `strip-${discretisation}`,
    quantity: 'period of a clamped strip in plane strain, length/thickness 10 [s]',
    source:
      'thin-plate theory, omega = (1.8751 / L)^2 sqrt(E h^2 / (12 rho (1 - nu^2))), as Gray, Monaghan and Swift 2001 section 5',
    curve: { figure: 'others', panel: 'oscillating strip', series: discretisation },
    run: (full) =>
      study(
        {
          reference: thin,
          resolutions,
          async measure(across) {
            const spacing = STRIP.thickness / across;
            const scene = withLayers(withSpacing(validationScene('strip'), spacing), spacing, LAYERS);
            const { time, probes } = await runSeries(withDiscretisation(scene, discretisation));
            const height = probes.tip!.map((row) => row[1]!);
            const period = 1 / fitFrequency(time, height, 1 / thick);
            const corrected = ((100 * (period - thick)) / thick).toFixed(2);
            return {
              value: period,
              note: `${corrected} % of ${thick.toPrecision(5)} s, with shear and rotary inertia (Huang 1961)`,
            };
          },
        },
        full,
      ),
  };
}

export const stripCases: readonly ValidationCase[] = [
  strip('quadratic', [{ across: 3 }, { across: 5, tolerance: 0.02 }, { across: 9, tolerance: 0.02, full: true }]),
  strip('linear', [
    { across: 5 },
    { across: 9, tolerance: 0.03, full: true },
    { across: 13, tolerance: 0.03, full: true },
  ]),
];
