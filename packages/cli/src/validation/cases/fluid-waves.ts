/** Waves in a tank. */
import { study, type ValidationCase } from '../case.js';
import { runSeries, validationScene, withPeriod, withSpacing } from '../measure.js';

const GRAVITY = 9.81;
const LENGTH = 1;
const DEPTH = 0.5;
/** Particles across the tank, which repeats. */
const ACROSS = 8;

/** Period of the first mode of a tank with walls: omega^2 = g k tanh(k depth), k = pi / length [s]. */
function sloshingPeriod(): number {
  const k = Math.PI / LENGTH;
  return (2 * Math.PI) / Math.sqrt(GRAVITY * k * Math.tanh(k * DEPTH));
}

/** Times at which a series turns around, by parabolas through three points of it. */
function turningTimes(time: readonly number[], values: readonly number[]): number[] {
  const times: number[] = [];
  for (let n = 1; n + 1 < values.length; n++) {
    const [before, at, after] = [values[n - 1]!, values[n]!, values[n + 1]!];
    if ((at - before) * (after - at) >= 0) continue;
    times.push(time[n]! + ((time[n + 1]! - time[n]!) * (before - after)) / 2 / (before - 2 * at + after));
  }
  return times;
}

/** Twice the mean time between turns of the water's centre, from the first to the sixth [s]. */
async function sloshing(layers: number): Promise<number> {
  const spacing = DEPTH / layers;
  const scene = withPeriod(withSpacing(validationScene('sloshing'), spacing), { 2: ACROSS * spacing });
  const { time, probes } = await runSeries(scene);
  const turns = turningTimes(
    time,
    probes.centre!.map(([x]) => x!),
  ).slice(0, 6);
  return (2 * (turns.at(-1)! - turns[0]!)) / (turns.length - 1);
}

export const fluidWaveCases: readonly ValidationCase[] = [
  {
    name: 'sloshing-period',
    quantity: 'period of the first mode of water 0.5 m deep in a tank 1 m long, with isotropy 1 [s]',
    source: 'linear waves: omega^2 = g k tanh(k h)',
    run: (full) =>
      study(
        {
          reference: sloshingPeriod(),
          resolutions: [{ across: 10 }, { across: 20, tolerance: 0.02, full: true }],
          measure: sloshing,
        },
        full,
      ),
  },
];
