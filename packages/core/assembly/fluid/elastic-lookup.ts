import { BLOCK } from '../../src/particles/layout';
import { BOND_COUNT, BOND_CAPACITY, BONDS, LOOKUP, LOOKUP_SIZE } from '../../src/particles/elastic-layout';
import { neighborIndex } from '../neighbors/lists';

/**
 * Who holds on to one particle, to be asked often: a hash table of the IDs of its bonds, one for each block. An entry
 * is 0, or the ID and in its lowest bits one more than the bond's number.
 */

/** IDs have 23 bits. More bonds than these bits can number do not fit into the reach of a particle. */
const NUMBER_BITS = 9;
const NUMBERS: u32 = (1 << NUMBER_BITS) - 1;

// @ts-ignore: decorator
@inline
function slotOf(id: u32, mask: u32): u32 {
  // Knuth's multiplicative hash: IDs of neighbours on a lattice differ by its rows.
  return ((id * 2654435769) >> 12) & mask;
}

// @ts-ignore: decorator
@inline
export function tableOf(context: usize, block: usize): usize {
  return <usize>load<u32>(context + LOOKUP) + block * (<usize>load<u32>(context + LOOKUP_SIZE) << 2);
}

/** Makes the table of a particle; `i` is where it is in the pass. */
export function enterBonds(context: usize, i: usize, id: usize): usize {
  const table = tableOf(context, i / BLOCK);
  const size = load<u32>(context + LOOKUP_SIZE);
  const mask = size - 1;
  memory.fill(table, 0, <usize>size << 2);
  const count = min(load<u32>(<usize>load<u32>(context + BOND_COUNT) + (id << 2)), NUMBERS);
  const list = <usize>load<u32>(context + BONDS) + ((id * <usize>load<u32>(context + BOND_CAPACITY)) << 4);
  for (let k: u32 = 0; k < count; k++) {
    const j = <u32>neighborIndex(v128.load(list + (<usize>k << 4)));
    let slot = slotOf(j, mask);
    while (load<u32>(table + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(table + (<usize>slot << 2), (j << NUMBER_BITS) | (k + 1));
  }
  return table;
}

/** Number of the bond to another, or -1. */
// @ts-ignore: decorator
@inline
export function bondTo(table: usize, mask: u32, j: u32): i32 {
  let slot = slotOf(j, mask);
  let entry = load<u32>(table + (<usize>slot << 2));
  while (entry != 0 && entry >> NUMBER_BITS != j) {
    slot = (slot + 1) & mask;
    entry = load<u32>(table + (<usize>slot << 2));
  }
  return <i32>(entry & NUMBERS) - 1;
}

/** Does another hold on to somebody that the particle of the table holds on to? */
export function haveCommon(context: usize, table: usize, mask: u32, j: usize): bool {
  const count = <usize>load<u32>(<usize>load<u32>(context + BOND_COUNT) + (j << 2));
  const list = <usize>load<u32>(context + BONDS) + ((j * <usize>load<u32>(context + BOND_CAPACITY)) << 4);
  for (let bond = list; bond < list + (count << 4); bond += 16) {
    if (bondTo(table, mask, <u32>neighborIndex(v128.load(bond))) >= 0) return true;
  }
  return false;
}
