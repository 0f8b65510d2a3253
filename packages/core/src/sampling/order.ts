import { countingSort } from '../mesh/edges.js';
import type { Vec3 } from '../options/types.js';

const DIGIT_BITS = 15;

/**
 * Order of positions along a Morton curve through cells of the given edge [m]: particles near in space
 * come near in memory. Particles of one cell keep their order.
 */
export function mortonOrder(positions: Float64Array, low: Vec3, edge: number): Uint32Array {
  const count = positions.length / 3;
  const cellOf = (p: number, axis: number) => Math.max(0, Math.floor((positions[3 * p + axis]! - low[axis]!) / edge));
  let largest = 0;
  for (let p = 0; p < count; p++) for (let axis = 0; axis < 3; axis++) largest = Math.max(largest, cellOf(p, axis));
  let order: Uint32Array | undefined;
  const keys = new Uint32Array(count);
  // Five bits of each coordinate make one digit of the sort, least significant first.
  for (let shift = 0; shift === 0 || largest >> shift > 0; shift += DIGIT_BITS / 3) {
    for (let p = 0; p < count; p++) {
      keys[p] =
        spread((cellOf(p, 0) >> shift) & 31) |
        (spread((cellOf(p, 1) >> shift) & 31) << 1) |
        (spread((cellOf(p, 2) >> shift) & 31) << 2);
    }
    order = countingSort(keys, 1 << DIGIT_BITS, order);
  }
  return order!;
}

/** Puts two zeros between the lowest five bits. */
function spread(x: number): number {
  return (x & 1) | ((x & 2) << 2) | ((x & 4) << 4) | ((x & 8) << 6) | ((x & 16) << 8);
}
