/** The twisting column: a test of strength more than of accuracy. */
import { single, type ValidationCase } from '../case.js';
import { type Discretisation, runSeries, validationScene, withBodies, withDiscretisation } from '../measure.js';

function column(discretisation: Discretisation, spin: number, tolerance: number): ValidationCase {
  return {
    name: `column-${discretisation}-${spin}`,
    quantity: `largest energy of a column spun at ${spin} rad/s over that at the start [1]`,
    source: 'conservation of energy; column of Lee, Gil and Bonet 2013 (6 m, E 17 MPa, nu 0.45), 0.5 s',
    run: () =>
      single(1, tolerance, 6, async () => {
        const scene = withBodies(validationScene('column'), () => ({ twist: [0, spin, 0] }));
        const { probes } = await runSeries(withDiscretisation(scene, discretisation));
        const energy = probes.energy!.map(([value]) => value!);
        const ratios = energy.map((value) => value / energy[0]!);
        const furthest = ratios.reduce((worst, x) => (Math.abs(x - 1) > Math.abs(worst - 1) ? x : worst), 1);
        const volume = probes.volume!.at(-1)![0]! / probes.volume![0]![0]!;
        return { value: furthest, note: `volume at the end ${volume.toFixed(3)} of that at the start` };
      }),
  };
}

export const columnCases: readonly ValidationCase[] = [
  column('linear', 105, 0.02),
  column('quadratic', 105, 0.02),
  column('linear', 400, 0.05),
];
