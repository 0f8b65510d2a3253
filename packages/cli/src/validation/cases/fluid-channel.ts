/** Viscous flow between two plates, driven from rest by a body force or by a plate that moves. */
import { type Resolution, study, type ValidationCase } from '../case.js';
import { forParticles, validationScene, watch, withPeriod, withSpacing } from '../measure.js';
import { couette, poiseuille } from '../theory.js';

const CHANNEL = { height: 0.1, viscosity: 1e-3 };
const ACCELERATION = 0.04;
const LID = 0.05;
/** Length and depth of the piece in spacings. */
const PIECE = 8;
/** The start of the flow, and its end, in units of height^2 / viscosity. */
const START = [0.02, 0.15] as const;
const END = [0.4, 0.5] as const;

type Flow = 'poiseuille' | 'couette';

const PROFILES: Readonly<Record<Flow, (y: number, time: number) => number>> = {
  poiseuille: (y, time) => poiseuille(CHANNEL, ACCELERATION, y, time),
  couette: (y, time) => couette(CHANNEL, LID, y, time),
};

interface Misfit {
  readonly start: number;
  readonly end: number;
}

/** Root of the mean squared difference from the profile over that of the profile, early and late. */
async function misfit(flow: Flow, across: number): Promise<Misfit> {
  const spacing = CHANNEL.height / across;
  const profile = PROFILES[flow];
  const unit = CHANNEL.height ** 2 / CHANNEL.viscosity;
  const sums = { start: [0, 0], end: [0, 0] };
  const length = PIECE * spacing;
  const scene = withPeriod(withSpacing(validationScene(flow), spacing), { 0: length, 2: length });
  await watch(scene, (world) => {
    const time = world.time / unit;
    const within = ([from, to]: readonly [number, number]) => time >= from - 1e-9 && time <= to + 1e-9;
    const sum = within(START) ? sums.start : within(END) ? sums.end : undefined;
    if (!sum) return;
    const velocities = world.velocities();
    forParticles(world, 'oil', (i, _, y) => {
      const exact = profile(y, world.time);
      sum[0]! += (velocities[4 * i]! - exact) ** 2;
      sum[1]! += exact ** 2;
    });
  });
  const share = ([difference, all]: readonly number[]) => Math.sqrt(difference! / all!);
  return { start: share(sums.start), end: share(sums.end) };
}

/** Runs that two cases read. */
const runs = new Map<string, Promise<Misfit>>();
function runOnce(flow: Flow, across: number): Promise<Misfit> {
  const key = `${flow} ${across}`;
  if (!runs.has(key)) runs.set(key, misfit(flow, across));
  return runs.get(key)!;
}

const RESOLUTIONS: readonly Resolution[] = [
  { across: 10, tolerance: 0.03 },
  { across: 20, tolerance: 0.03, full: true },
];

function channel(flow: Flow, part: keyof Misfit, quantity: string, source: string): ValidationCase {
  return {
    name: part === 'end' ? flow : `${flow}-start`,
    quantity,
    source,
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: RESOLUTIONS,
          measure: async (across) => 1 + (await runOnce(flow, across))[part],
        },
        full,
      ),
  };
}

const MEASURE = 'root mean square of the difference from the profile [1 + share of it]';

export const fluidChannelCases: readonly ValidationCase[] = [
  channel('poiseuille', 'end', `plane Poiseuille flow, ${MEASURE}`, 'parabola, with what its series has left'),
  channel('poiseuille', 'start', `start of plane Poiseuille flow, ${MEASURE}`, 'series of the start-up'),
  channel('couette', 'end', `plane Couette flow, ${MEASURE}`, 'straight line, with what its series has left'),
  channel('couette', 'start', `start of plane Couette flow, ${MEASURE}`, 'series of the start-up'),
];
