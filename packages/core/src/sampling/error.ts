/** A shape that cannot be sampled as asked. The message names the cure. */
export class SamplingError extends Error {
  override readonly name = 'SamplingError';
}
