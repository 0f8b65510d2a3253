/** Stiff bodies: steps far above the stable explicit one, and equilibria without any. */
import type { Scene } from 'phyxel';
import { study, type ValidationCase } from '../case.js';
import { extrapolate, fitFrequency, runSeries, slab, validationScene, withSpacing } from '../measure.js';
import { lame, timoshenkoDeflection, timoshenkoFrequency } from '../theory.js';

const BEAM = { poissonsRatio: 0.3, density: 1000, length: 1, thickness: 0.1 };
const RESOLUTIONS = [{ across: 3 }, { across: 5, tolerance: 0.03 }];

function scene(name: string, across: number): Scene {
  const spacing = BEAM.thickness / across;
  const resolved = withSpacing(validationScene(name), spacing);
  const ends = [slab(0, 1 - spacing, 1), slab(0, 1 - 2 * spacing, 1 - spacing)];
  return { ...resolved, probes: resolved.probes.map((probe, k) => ({ ...probe, region: ends[k]! })) };
}

export const stiffCases: readonly ValidationCase[] = [
  {
    name: 'stiff-swing',
    quantity: 'frequency of a clamped beam, E 1e8 Pa, in steps of 0.01 s [1/s]',
    source: 'Timoshenko beam, frequency equation of Huang 1961; the midpoint rule itself is 0.8 % slow at this step',
    run: (full) => {
      const e = 1e8;
      const shearCoefficient = (10 * (1 + BEAM.poissonsRatio)) / (12 + 11 * BEAM.poissonsRatio);
      const shearModulus = lame(e, BEAM.poissonsRatio).mu;
      const omega = timoshenkoFrequency({ ...BEAM, modulus: e, shearModulus, shearCoefficient });
      const reference = omega / (2 * Math.PI);
      return study(
        {
          reference,
          resolutions: RESOLUTIONS,
          async measure(across) {
            const series = await runSeries(scene('stiff-swing', across));
            return fitFrequency(series.time, extrapolate(series, ['end', 'before'], 1, 1), reference);
          },
        },
        full,
      );
    },
  },
  {
    name: 'stiff-rest',
    quantity: 'tip deflection of a clamped beam at rest, E 1e10 Pa [m]',
    source: "Timoshenko with Cowper's k; a full clamp takes 0.9 % off",
    run: (full) =>
      study(
        {
          reference: timoshenkoDeflection({ ...BEAM, youngsModulus: 1e10, gravity: 200 }),
          resolutions: RESOLUTIONS,
          async measure(across) {
            const series = await runSeries(scene('stiff-rest', across));
            return -extrapolate(series, ['end', 'before'], 1, 1).at(-1)!;
          },
        },
        full,
      ),
  },
];
