/** Columns of water that collapse, J. C. Martin and W. J. Moyce 1952: the front on the floor. */
import { type Resolution, study, type ValidationCase } from '../case.js';
import {
  farthestFromOne,
  forParticles,
  validationScene,
  watch,
  withBodies,
  withPeriod,
  withSpacing,
} from '../measure.js';

/** Width of the column [m]. */
const WIDTH = 0.05715;
const GRAVITY = 9.81;
/** Depth of the slice in spacings. */
const SLICE = 8;

interface Experiment {
  /** n^2: height of the column over its width. */
  readonly slenderness: number;
  /** T = n t sqrt(g / a) and Z = x / a. */
  readonly points: readonly (readonly [number, number])[];
}

const SQUARE: Experiment = {
  slenderness: 1,
  points: [
    [0.43, 1.11],
    [0.97, 1.67],
    [1.45, 2.33],
    [1.93, 3.0],
  ],
};
/** Their table 2. */
const TALL: Experiment = {
  slenderness: 2,
  points: [
    [0.41, 1.11],
    [0.84, 1.22],
    [1.19, 1.44],
    [1.43, 1.67],
    [1.63, 1.89],
    [1.98, 2.33],
    [2.51, 3.0],
  ],
};
/** Before that the way in which the column is let go matters. */
const FIRST = 0.97;

/** Front at the times of an experiment over what was measured there. */
async function fronts({ slenderness, points }: Experiment, across: number): Promise<number[]> {
  const spacing = WIDTH / across;
  const unit = Math.sqrt(WIDTH / GRAVITY / slenderness);
  const height = slenderness * WIDTH;
  const column = withBodies(withSpacing(validationScene('dam-break'), spacing), ({ position }) => ({
    shape: { box: { size: [WIDTH, height, 1] } },
    position: [position[0], height / 2, position[2]],
  }));
  const scene = { ...withPeriod(column, { 2: SLICE * spacing }), duration: points.at(-1)![0] * unit + 0.01 };
  const time: number[] = [];
  const front: number[] = [];
  await watch(scene, (world) => {
    // Particles of the front row, one for each spacing of the slice: the farthest may be spray.
    const x: number[] = [];
    forParticles(world, 'water', (_, along) => x.push(along));
    x.sort((a, b) => b - a);
    time.push(world.time);
    front.push(x[SLICE / 2]! + spacing / 2);
  });
  return points.map(([t, z]) => {
    const k = time.findIndex((now) => now >= t * unit);
    const share = (t * unit - time[k - 1]!) / (time[k]! - time[k - 1]!);
    return (front[k - 1]! + share * (front[k]! - front[k - 1]!)) / WIDTH / z;
  });
}

const RESOLUTIONS: readonly Resolution[] = [
  { across: 10 },
  { across: 20, tolerance: 0.05 },
  { across: 40, tolerance: 0.05, full: true },
];

function collapse(name: string, experiment: Experiment, what: string): ValidationCase {
  return {
    name,
    quantity: `front of a collapsing column over the measured one, farthest from 1 for T >= ${FIRST} [1]`,
    source: `Martin and Moyce 1952, ${what}; Z = x / a, T = n t sqrt(g / a), n^2 = ${experiment.slenderness}`,
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: RESOLUTIONS,
          measure: async (across) => {
            const ratios = await fronts(experiment, across);
            const late = ratios.filter((_, k) => experiment.points[k]![0] >= FIRST);
            const list = ratios.map((ratio, k) => `${(100 * (ratio - 1)).toFixed(1)} % at ${experiment.points[k]![0]}`);
            return { value: farthestFromOne(late), note: `over T: ${list.join(', ')}` };
          },
        },
        full,
      ),
  };
}

export const fluidDamCases: readonly ValidationCase[] = [
  collapse('dam-break', SQUARE, 'square column of 2.25 in'),
  collapse('dam-break-tall', TALL, 'column of 2.25 in, twice as high, table 2'),
];
