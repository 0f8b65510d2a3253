/** Columns of water that collapse: the front on the floor. */
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
  readonly name: string;
  readonly source: string;
  /** n^2: height of the column over its width. */
  readonly slenderness: number;
  /** T = n t sqrt(g / a) and Z = x / a. */
  readonly points: readonly (readonly [number, number])[];
  /**
   * What T counts from. A diaphragm that lets go by and by starts no clock, so it is set by the front itself, where it
   * passes the last point before FIRST; a gate that a camera followed starts one.
   */
  readonly clock: 'front' | 'gate';
}

const SQUARE: Experiment = {
  name: 'dam-break',
  source: 'Martin and Moyce 1952, square column of 2.25 in',
  slenderness: 1,
  points: [
    [0.43, 1.11],
    [0.97, 1.67],
    [1.45, 2.33],
    [1.93, 3.0],
  ],
  clock: 'front',
};
const TALL: Experiment = {
  name: 'dam-break-tall',
  source: 'Martin and Moyce 1952, table 2, column of 2.25 in twice as high',
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
  clock: 'front',
};
/** A faster gate, 4.5 m/s, and a larger tank: the front is up to 11 % ahead of that of Martin and Moyce. */
const LARGE: Experiment = {
  name: 'dam-break-large',
  source: 'Lobovsky et al. 2014, fig. 12, square column of 0.6 m',
  slenderness: 1,
  points: [
    [0.5, 1.4],
    [0.75, 1.63],
    [0.997, 1.891],
    [1.28, 2.243],
    [1.456, 2.484],
    [1.55, 2.62],
  ],
  clock: 'gate',
};
/** Before that the way in which the column is let go matters. */
const FIRST = 0.97;

interface Front {
  /** In units of sqrt(a / g) / n, and of a. */
  readonly time: readonly number[];
  readonly position: readonly number[];
}

async function front(slenderness: number, across: number): Promise<Front> {
  const spacing = WIDTH / across;
  const unit = Math.sqrt(WIDTH / GRAVITY / slenderness);
  const height = slenderness * WIDTH;
  const column = withBodies(withSpacing(validationScene('dam-break'), spacing), ({ position }) => ({
    shape: { box: { size: [WIDTH, height, 1] } },
    position: [position[0], height / 2, position[2]],
  }));
  const time: number[] = [];
  const point: number[] = [];
  await watch(withPeriod(column, { 2: SLICE * spacing }), (world) => {
    // Half of the particles of a front row may be ahead: the farthest may be spray.
    const x: number[] = [];
    forParticles(world, 'water', (_, along) => x.push(along));
    x.sort((a, b) => b - a);
    time.push(world.time / unit);
    point.push((x[SLICE / 2]! + spacing / 2) / WIDTH);
  });
  return { time, position: point };
}

/** Runs that several cases read. */
const runs = new Map<string, Promise<Front>>();
function frontOnce(slenderness: number, across: number): Promise<Front> {
  const key = `${slenderness} ${across}`;
  if (!runs.has(key)) runs.set(key, front(slenderness, across));
  return runs.get(key)!;
}

/** Where a rising row of numbers reaches a value, and what another row has there. */
function whereReaches(row: readonly number[], value: number, other: readonly number[]): number {
  const k = row.findIndex((now) => now >= value);
  const share = (value - row[k - 1]!) / (row[k]! - row[k - 1]!);
  return other[k - 1]! + share * (other[k]! - other[k - 1]!);
}

interface Comparison {
  /** Front over the measured one at the points of the experiment, by its clock and by ours. */
  readonly ratios: readonly number[];
  readonly raw: readonly number[];
  /** By how much the experiment is behind at its last early point, in its unit of time. */
  readonly delay: number;
}

/** Front at the times of an experiment over what was measured there. */
async function compare({ slenderness, points, clock }: Experiment, across: number): Promise<Comparison> {
  const { time, position } = await frontOnce(slenderness, across);
  const [early, passed] = points.filter(([t]) => t < FIRST).at(-1)!;
  const delay = early - whereReaches(position, passed, time);
  const at = (later: number) => points.map(([t, z]) => whereReaches(time, Math.max(0, t - later), position) / z);
  return { ratios: at(clock === 'front' ? delay : 0), raw: at(0), delay };
}

const RESOLUTIONS: readonly Resolution[] = [
  { across: 10 },
  { across: 20, tolerance: 0.05 },
  { across: 40, tolerance: 0.05, full: true },
];

function collapse(experiment: Experiment): ValidationCase {
  const { name, source, slenderness, points, clock } = experiment;
  return {
    name,
    quantity: `front of a collapsing column over the measured one, farthest from 1 for T >= ${FIRST} [1]`,
    source: `${source}; Z = x / a, T = n t sqrt(g / a), n^2 = ${slenderness}, counted ${clock === 'front' ? 'by the front' : 'from the gate'}`,
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: RESOLUTIONS,
          measure: async (across) => {
            const { ratios, raw, delay } = await compare(experiment, across);
            const late = ratios.filter((_, k) => points[k]![0] >= FIRST);
            const list = (row: readonly number[]) =>
              row.map((ratio, k) => `${(100 * (ratio - 1)).toFixed(1)} % at ${points[k]![0]}`).join(', ');
            const note =
              clock === 'front'
                ? `the experiment is ${delay.toFixed(2)} behind; over T: ${list(ratios)}; by our clock: ${list(raw)}`
                : `over T: ${list(ratios)}`;
            return { value: farthestFromOne(late), note };
          },
        },
        full,
      ),
  };
}

export const fluidDamCases: readonly ValidationCase[] = [SQUARE, TALL, LARGE].map(collapse);
