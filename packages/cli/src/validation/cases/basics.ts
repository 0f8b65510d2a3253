/** Flight, friction and contraction: one run each. */
import { single, type ValidationCase } from '../case.js';
import { runSeries, validationScene } from '../measure.js';

export const basicCases: readonly ValidationCase[] = [
  {
    name: 'free-fall',
    quantity: 'height after 1 s of flight [m]',
    source: 'Galilei: v t - g t^2 / 2',
    run: () =>
      single(3 - 9.81 / 2, 1e-4, 6, async () => {
        const { probes } = await runSeries(validationScene('free-fall'));
        return probes.centre!.at(-1)![1]!;
      }),
  },
  {
    name: 'incline',
    quantity: 'acceleration of a sliding block [m/s2]',
    source: 'Coulomb: g (sin 30 - 0.4 cos 30)',
    run: () =>
      single(9.81 * (0.5 - 0.4 * Math.sqrt(0.75)), 0.02, 5, async () => {
        const { time, probes } = await runSeries(validationScene('incline'));
        // Between 0.5 and 1 s, when the block has settled on the plane.
        const from = time.findIndex((t) => t >= 0.5 - 1e-9);
        const along = (row: number[]) => -(row[0]! * Math.sqrt(0.75) + row[1]! * 0.5);
        return (along(probes.velocity!.at(-1)!) - along(probes.velocity![from]!)) / (time.at(-1)! - time[from]!);
      }),
  },
  {
    name: 'contraction',
    quantity: 'lateral contraction over stretch [1]',
    source: "definition of Poisson's ratio",
    run: () =>
      single(0.3, 0.03, 5, async () => {
        const { probes } = await runSeries(validationScene('contraction'));
        const last = (name: string) => probes[name]!.at(-1)!;
        // Over the distances of the mean positions at rest of the probes' particles.
        const stretch = (last('right')[0]! - last('left')[0]!) / 0.48;
        return (last('low')[1]! - last('high')[1]!) / 0.16 / stretch;
      }),
  },
];
