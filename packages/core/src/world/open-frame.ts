/** A frame between two of its steps: what its report is made of, so far. */

import type { RenewalEffort } from '../solvers/elastic/renewal-effort.js';
import type { SolidEffort } from '../solvers/elastic/step.js';
import type { FluidEffort } from '../solvers/fluid/step.js';
import type { HeatEffort } from '../solvers/heat/step.js';
import { NO_SUBSTEPS, type StepLimit, type Substeps } from '../solvers/step-limit.js';
import { SAME_TIME } from '../solvers/stepper.js';

/** Frames of more steps than this are worth a word. */
export const MANY_STEPS = 10_000;

/** What everything has taken since the world was made. */
export interface Efforts {
  /** Steps of bodies, or of liquids where there are no bodies. */
  readonly steps: number;
  readonly solid: SolidEffort;
  readonly fluid: FluidEffort;
  readonly heat: HeatEffort;
  readonly renewal: RenewalEffort;
  /** Particles that sources found no place for, by liquid. */
  readonly missed: readonly number[];
}

/** Part of a save: a run may stop within a frame and go on to the same bits and the same report. */
export interface OpenFrame {
  /** [s] */
  readonly start: number;
  readonly end: number;
  readonly before: Efforts;
  /** Of the steps of `stepsTo`, of which bodies may take several within one. */
  outerSteps: number;
  /** The shortest of them [s], and who asked for it. */
  timeStep: number;
  limitedBy: string;
  body?: string | undefined;
  /** The last of them [s], and how many steps of bodies it was. */
  lastSize: number;
  lastSteps: number;
  readonly substeps: Substeps;
}

/** How far a frame is that is not finished. */
export interface FrameProgress {
  /** Where it began, is and will end [s]. */
  readonly start: number;
  readonly time: number;
  readonly end: number;
  /** Steps so far, and about how many it will have been. */
  readonly steps: number;
  readonly expectedSteps: number;
  /** The shortest so far [s], what kept it short, and the body that asked for it. */
  readonly timeStep: number;
  readonly limitedBy: string;
  readonly body?: string | undefined;
  readonly substeps?: Readonly<Substeps> | undefined;
  /** What the user should know before it ends. */
  readonly warnings: readonly string[];
}

export function beginFrame(start: number, end: number, before: Efforts, substeps: Substeps): OpenFrame {
  Object.assign(substeps, NO_SUBSTEPS);
  return {
    start,
    end,
    before,
    outerSteps: 0,
    timeStep: Number.MAX_VALUE,
    limitedBy: 'frame',
    body: undefined,
    lastSize: 0,
    lastSteps: 0,
    substeps,
  };
}

/** Counts a step of `size` seconds, the last of `pieces` that were to come. */
export function noteStep(frame: OpenFrame, size: number, pieces: number, limit: StepLimit, steps: number): void {
  frame.outerSteps++;
  frame.lastSize = size;
  frame.lastSteps = steps;
  if (!(size < frame.timeStep * (1 - SAME_TIME))) return;
  frame.timeStep = size;
  frame.limitedBy = pieces > 1 ? limit.limitedBy : 'frame';
  frame.body = pieces > 1 ? limit.body : undefined;
}

/** Those that bodies took within steps of a liquid, if they did. */
export function substepsOf({ substeps }: OpenFrame): Substeps | undefined {
  return substeps.steps > 0 ? { ...substeps } : undefined;
}

export function frameProgress(frame: OpenFrame, time: number, steps: number): FrameProgress {
  const { start, end, timeStep, limitedBy, body, lastSize, lastSteps } = frame;
  const expectedSteps = steps + Math.ceil(lastSize > 0 ? ((end - time) / lastSize) * lastSteps - SAME_TIME : 0);
  const progress = { start, time, end, steps, expectedSteps, timeStep, limitedBy, body, substeps: substepsOf(frame) };
  return { ...progress, warnings: expectedSteps > MANY_STEPS ? [manySteps(progress, expectedSteps)] : [] };
}

/** What a frame of very many steps says. */
export function manySteps(frame: Omit<FrameProgress, 'warnings' | 'expectedSteps' | 'time'>, steps: number): string {
  const { timeStep, limitedBy, body } = frame.substeps ?? frame;
  const who = body === undefined ? '' : ` of "${body}"`;
  return `a frame takes about ${Number(steps.toPrecision(2))} steps, down to ${timeStep.toPrecision(2)} s by ${limitedBy}${who}`;
}
