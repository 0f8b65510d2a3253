/** Steps are shortened until the force along the correction is below this share of what it was. */
const ENOUGH = 0.7;
const MOST_TRIALS = 10;

/**
 * Goes along a correction until the force along it has fallen from `slope`; `move` goes on by a length and tells what
 * is there. Full steps as a rule; where the force has turned round the zero lies between, where it has grown the step
 * was too long.
 */
export function searchLine<T extends { readonly along: number }>(slope: number, move: (length: number) => T): T {
  let low = 0;
  let atLow = slope;
  let high = Number.POSITIVE_INFINITY;
  let length = 1;
  let found = move(length);
  for (let k = 0; k < MOST_TRIALS; k++) {
    const { along } = found;
    if (Math.abs(along) <= ENOUGH * slope) break;
    let next: number;
    if (along < 0 || !Number.isFinite(along)) {
      high = length;
      const secant = Number.isFinite(along) ? atLow / (atLow - along) : 0;
      next = low + (high - low) * Math.min(0.8, Math.max(0.1, secant));
    } else {
      // Still downhill: that is progress, unless a bound is known.
      if (high === Number.POSITIVE_INFINITY) break;
      low = length;
      atLow = along;
      next = 0.5 * (low + high);
    }
    found = move(next - length);
    length = next;
  }
  return found;
}
