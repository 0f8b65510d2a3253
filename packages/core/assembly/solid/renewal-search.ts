import {
  BODY_OF,
  BUCKET_BEGIN,
  BUCKET_MASK,
  CELL_KEYS,
  CELL_SIZE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  SORTED,
} from '../../src/particles/layout';
import {
  CHANGED,
  MEMBERS,
  RENEWAL_ARRANGED,
  RENEWAL_COUNT,
  RENEWAL_CUT,
  RENEWAL_LEVELS,
  RENEWAL_LISTS,
  RENEWAL_ORIGIN,
  RENEWAL_PLACES,
  RENEWAL_ROOM,
  SOLIDS,
} from '../../src/particles/renewal-layout';
import { dot, w, x, y, z } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';

/**
 * The search for new neighbours of solids that flow. Two particles become neighbours when they are nearer than the mean
 * of their supports, each among the RENEWAL_ROOM nearest of the other, and were neighbours before or had a neighbour in
 * common: what touches itself does not grow together.
 */

/** Bits of a cell's number that are left beside that of its level. */
const CELL_BITS: i32 = 0x7ffff;

/**
 * Supports may differ, so there are up to RENEWAL_LEVELS grids: that of a level has cells half as wide as the one before,
 * and holds the particles whose support is more than half a cell; the last all that are left. CELL_SIZE is the first cell.
 */
// @ts-ignore: decorator
@inline
function levelOf(support: f32, largest: f32, levels: u32): u32 {
  let level: u32 = 0;
  while (support <= <f32>0.5 * largest && level + 1 < levels) {
    largest *= 0.5;
    level++;
  }
  return level;
}

/** The first number of a cell with its level; far cells may share it, and then distances tell them apart. */
// @ts-ignore: decorator
@inline
function leveled(cx: i32, level: u32): i32 {
  return (cx & CELL_BITS) | <i32>(level << 19);
}

/** Keys of the members' cells, each in the grid of its level. */
export function computeRenewalCells(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + RENEWAL_PLACES);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const largest = load<f32>(context + CELL_SIZE);
  const levels = load<u32>(context + RENEWAL_LEVELS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const at = v128.load(positions + (k << 4));
    const level = levelOf(w(at), largest, levels);
    const size = largest / <f32>(1 << level);
    store<u64>(keys + (k << 3), cellKey(leveled(cellOf(x(at), size), level), cellOf(y(at), size), cellOf(z(at), size)));
  }
}

/** Positions in the order of the grid: those of a cell are read one after the other. */
export function arrangeMembers(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + RENEWAL_PLACES);
  const sorted = <usize>load<u32>(context + SORTED);
  const arranged = <usize>load<u32>(context + RENEWAL_ARRANGED);
  for (let k = <usize>begin; k < <usize>end; k++) {
    v128.store(arranged + (k << 4), v128.load(positions + (<usize>load<u32>(sorted + (k << 2)) << 4)));
  }
}

/** Largest of the squared distances in a full list: where it is. */
// @ts-ignore: decorator
@inline
function farthestIn(list: usize): usize {
  let at = list;
  for (let k: usize = 1; k < <usize>RENEWAL_ROOM; k++) if (load<f32>(list + (k << 3)) > load<f32>(at)) at = list + (k << 3);
  return at;
}

/** Where an index is in a list of rising ones, or would be. */
// @ts-ignore: decorator
@inline
export function placeIn(list: usize, end: usize, index: u32): usize {
  let low = list;
  let high = end;
  while (low < high) {
    const middle = low + (((high - low) >> 3) << 2);
    if (load<u32>(middle) < index) low = middle + 4;
    else high = middle;
  }
  return low;
}

/** Are two particles neighbours, or have they one in common? Lists are by rising index. */
export function areBonded(solids: usize, i: usize, j: usize): bool {
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  let a = neighbors + (<usize>load<u32>(begins + (i << 2)) << 2);
  const lastA = neighbors + (<usize>load<u32>(begins + (i << 2), 4) << 2);
  const at = placeIn(a, lastA, <u32>j);
  if (at < lastA && load<u32>(at) == <u32>j) return true;
  let b = neighbors + (<usize>load<u32>(begins + (j << 2)) << 2);
  const lastB = neighbors + (<usize>load<u32>(begins + (j << 2), 4) << 2);
  while (a < lastA && b < lastB) {
    const p = load<u32>(a);
    const q = load<u32>(b);
    if (p == q) return true;
    if (p < q) a += 4;
    else b += 4;
  }
  return false;
}

/** The same of particles that may have split or merged since the lists were made. */
// @ts-ignore: decorator
@inline
function wereBonded(solids: usize, origins: usize, i: usize, j: usize): bool {
  const a = <usize>(load<u32>(origins + (i << 2)) & ~<u32>CHANGED);
  const b = <usize>(load<u32>(origins + (j << 2)) & ~<u32>CHANGED);
  return a == b || areBonded(solids, a, b);
}

/** The RENEWAL_ROOM nearest candidates of every member at most: squared distance and member. */
export function gatherCandidates(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const positions = <usize>load<u32>(context + RENEWAL_PLACES);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const arranged = <usize>load<u32>(context + RENEWAL_ARRANGED);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const counts = <usize>load<u32>(context + RENEWAL_COUNT);
  const cuts = <usize>load<u32>(context + RENEWAL_CUT);
  const origins = <usize>load<u32>(context + RENEWAL_ORIGIN);
  const mask = load<u32>(context + BUCKET_MASK);
  const largest = load<f32>(context + CELL_SIZE);
  const levels = load<u32>(context + RENEWAL_LEVELS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const at = v128.load(positions + (k << 4));
    const body = load<u32>(bodyOf + (i << 2));
    const list = lists + k * RENEWAL_ROOM * 8;
    let found: usize = 0;
    let farthest: usize = 0;
    let cut: f32 = f32.MAX_VALUE;
    for (let level: u32 = 0; level < levels; level++) {
      const size = largest / <f32>(1 << level);
      // No support of the level is larger than its cell; a little more, so that rounding hides nobody from one of two.
      const range = <f32>0.50001 * (w(at) + size);
      const ax = cellOf(x(at) - range, size), bx = cellOf(x(at) + range, size);
      const ay = cellOf(y(at) - range, size), by = cellOf(y(at) + range, size);
      const az = cellOf(z(at) - range, size), bz = cellOf(z(at) + range, size);
      for (let cx = ax; cx <= bx; cx++) {
        const a = leveled(cx, level);
        for (let b = ay; b <= by; b++) {
          for (let c = az; c <= bz; c++) {
            const bucket = buckets + (<usize>bucketOf(a, b, c, mask) << 2);
            const last = <usize>load<u32>(bucket, 4);
            let n = <usize>load<u32>(bucket);
            if (n == last) continue;
            const key = cellKey(a, b, c);
            for (; n < last; n++) {
              const other = v128.load(arranged + (n << 4));
              const d = f32x4.sub(other, at);
              const reach = <f32>0.5 * (w(at) + w(other));
              const d2 = dot(d, d);
              if (d2 >= reach * reach) continue;
              const l = <usize>load<u32>(sorted + (n << 2));
              if (l == k || load<u64>(keys + (l << 3)) != key) continue;
              const j = <usize>load<u32>(members + (l << 2));
              if (load<u32>(bodyOf + (j << 2)) != body || !wereBonded(solids, origins, i, j)) continue;
              let to = list + (found << 3);
              if (found < <usize>RENEWAL_ROOM) found++;
              else {
                if (farthest == 0) farthest = farthestIn(list);
                const most = load<f32>(farthest);
                cut = min(cut, max(most, d2));
                if (d2 >= most) continue;
                to = farthest;
                farthest = 0;
              }
              store<f32>(to, d2);
              store<u32>(to, <u32>l, 4);
            }
          }
        }
      }
    }
    store<u32>(counts + (k << 2), <u32>found);
    store<f32>(cuts + (k << 2), cut);
  }
}

/** Leaves of the candidates those that are near enough for both, as particles by rising number, 4 bytes each. */
export function chooseNeighbors(begin: u32, end: u32, context: usize): void {
  const members = <usize>load<u32>(context + MEMBERS);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const counts = <usize>load<u32>(context + RENEWAL_COUNT);
  const cuts = <usize>load<u32>(context + RENEWAL_CUT);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const list = lists + k * RENEWAL_ROOM * 8;
    const count = <usize>load<u32>(counts + (k << 2));
    const cut = load<f32>(cuts + (k << 2));
    let kept: usize = 0;
    for (let n: usize = 0; n < count; n++) {
      const d2 = load<f32>(list + (n << 3));
      const l = <usize>load<u32>(list + (n << 3), 4);
      if (d2 >= cut || d2 >= load<f32>(cuts + (l << 2))) continue;
      const j = load<u32>(members + (l << 2));
      // What is moved up has been read already.
      let to = kept++;
      while (to > 0 && load<u32>(list + ((to - 1) << 2)) > j) {
        store<u32>(list + (to << 2), load<u32>(list + ((to - 1) << 2)));
        to--;
      }
      store<u32>(list + (to << 2), j);
    }
    store<u32>(counts + (k << 2), <u32>kept);
  }
}

/** Chooses the neighbours that there are. */
export function keepNeighbors(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const counts = <usize>load<u32>(context + RENEWAL_COUNT);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const first = <usize>load<u32>(begins + (i << 2));
    const count = <usize>load<u32>(begins + (i << 2), 4) - first;
    memory.copy(lists + k * RENEWAL_ROOM * 8, neighbors + (first << 2), count << 2);
    store<u32>(counts + (k << 2), <u32>count);
  }
}

/** Puts the chosen neighbours where NEIGHBOR_BEGIN says. */
export function placeNeighbors(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLIDS);
  const members = <usize>load<u32>(context + MEMBERS);
  const lists = <usize>load<u32>(context + RENEWAL_LISTS);
  const begins = <usize>load<u32>(solids + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(solids + NEIGHBORS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(members + (k << 2));
    const first = <usize>load<u32>(begins + (i << 2));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    memory.copy(neighbors + (first << 2), lists + k * RENEWAL_ROOM * 8, (last - first) << 2);
  }
}
