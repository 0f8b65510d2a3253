/** How long steps may be, who asks for that, and when they are too short to go on. */

/** How long a step may be, and why no longer. */
export interface StepLimit {
  /** [s] */
  readonly timeStep: number;
  /** What sets it: `elastic wave`, `contact`, `impact`, `speed`, `forces`, `maxTimeStep`, or what limits a liquid. */
  readonly limitedBy: string;
  /** Name of the body that asks for it, where it is one. */
  readonly body?: string | undefined;
}

/** Steps that bodies took within those of a liquid. */
export interface Substeps {
  steps: number;
  /** The shortest of them [s], and who asked for it. */
  timeStep: number;
  limitedBy: string;
  body?: string | undefined;
}

export const NO_SUBSTEPS: Substeps = { steps: 0, timeStep: Number.MAX_VALUE, limitedBy: 'frame', body: undefined };

/**
 * A step must be at least this share of the time that is asked for, the frame: what changes evenly over it changes by
 * less than the rounding of float32 in shorter ones, and nobody waits for so many.
 */
export const SHORTEST_SHARE = 1e-7;

const LESS_STIFF = 'lower youngsModulus or damping, raise density or spacing';
const CURES: Readonly<Record<string, string>> = {
  'elastic wave': `${LESS_STIFF}, take implicit steps (solver.solid.integrator)`,
  contact: `${LESS_STIFF} of what touches`,
  impact: 'let bodies meet more slowly, or raise their spacing',
  speed: 'lower velocities, or the forces and motions that drive them',
  'liquid speed': 'lower velocities, or the forces and motions that drive them',
  viscosity: 'lower viscosity, or let solver.embedding.viscosity be implicit',
  maxTimeStep: 'raise solver.maxTimeStep',
};

/** Too short a step in words: `steps of 3.1e-14 s (elastic wave); ...`. */
export function describeShort({ timeStep, limitedBy }: StepLimit, frame: number): string {
  const cure = CURES[limitedBy] ?? 'lower what drives it';
  return (
    `steps of ${timeStep.toPrecision(2)} s (${limitedBy}), ${(frame / timeStep).toPrecision(2)} in a frame of ` +
    `${Number(frame.toPrecision(4))} s, where at most ${1 / SHORTEST_SHARE} are taken: ${cure}, or ask for shorter frames`
  );
}
