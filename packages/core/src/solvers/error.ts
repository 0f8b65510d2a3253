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
