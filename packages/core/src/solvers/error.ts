import { FieldError } from '../options/field.js';

/** Thrown when a step produced something that is not a number, or forces that do not come to balance. */
export class SimulationError extends Error {
  override name = 'SimulationError';
  constructor(
    readonly particle: number,
    readonly pass: string,
    readonly time: number,
    detail: string,
    what = 'is not finite after',
    /** Name of the body, where it is known. */
    readonly body?: string | undefined,
  ) {
    super(`particle ${particle} ${what} ${pass} at time ${time.toPrecision(6)} s: ${detail}`);
  }
}

/** What a formula that has no finite value ends a simulation with; other errors stay as they are. */
export function asSimulationError(error: unknown, time: number): unknown {
  if (!(error instanceof FieldError)) return error;
  const ended = new SimulationError(0, 'formula', time, error.message);
  ended.message = `a formula must be finite everywhere: ${error.message}, at time ${time.toPrecision(6)} s; limit it, as by clamp(..., low, high)`;
  return ended;
}
