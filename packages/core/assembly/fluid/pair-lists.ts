/**
 * How loops go over the pairs of a particle, see PAIR_BEGIN in fluid-layout.ts: from `firstPair` to `pairEnd` one by one, or
 * four at a time with what fills the last four up. A pair is the address of its entry in NEIGHBORS; that in COEFFICIENTS is
 * the same distance away for all.
 */

// @ts-ignore: decorator
@inline
export function firstPair(neighbors: usize, begins: usize, i: usize): usize {
  return neighbors + (<usize>load<u32>(begins + (i << 2)) << 2);
}

// @ts-ignore: decorator
@inline
export function pairEnd(first: usize, counts: usize, i: usize): usize {
  return first + (<usize>load<u32>(counts + (i << 2)) << 2);
}

/** Where the neighbour stands in an array of 16 bytes each. */
// @ts-ignore: decorator
@inline
export function neighborOffset(pair: usize): usize {
  return <usize>load<u32>(pair);
}

/** The number of the neighbour. */
// @ts-ignore: decorator
@inline
export function neighborOf(pair: usize): usize {
  return <usize>(load<u32>(pair) >> 4);
}
