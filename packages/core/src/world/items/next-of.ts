/** The first of some times after now. */
export function nextOf(times: readonly number[], now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const time of times) if (time > now && time < next) next = time;
  return next;
}
