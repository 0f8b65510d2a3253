import { BODY_END, BODY_SCATTERED } from '../../src/particles/layout';

/**
 * Where the particles from i on end that have this row of the table of bodies: those of a body are one after the other,
 * those of its pieces are scattered among each other. Looks no further than `end`.
 */
// @ts-ignore: decorator
@inline
export function rowEnd(body: usize, bodyOf: usize, i: usize, end: usize): usize {
  const last = <usize>load<u32>(body + BODY_END);
  return load<u32>(body + BODY_SCATTERED) == 0 ? last : runEnd(bodyOf, i, min(last, end));
}

function runEnd(bodyOf: usize, i: usize, end: usize): usize {
  const row = load<u32>(bodyOf + (i << 2));
  let k = i + 1;
  while (k < end && load<u32>(bodyOf + (k << 2)) == row) k++;
  return k;
}
