import {
  BODY_OF,
  BUCKET_BEGIN,
  BUCKET_MASK,
  CELL_KEYS,
  CELL_SIZE,
  FLUX,
  INDEX_MASK,
  INDEX_TAG,
  SORTED,
} from '../../src/particles/layout';
import {
  COUNT,
  CUT,
  EMBEDDED,
  LEVELS,
  NEIGHBOR_COUNT,
  ORIGIN,
  OTHER_COUNT,
  OTHER_PAIRS,
  PAIRS,
  POSITION,
  PRODUCT,
  REVERSE,
  CAPACITY,
  SHIFT,
} from '../../src/particles/embedding-layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { addMul, columnX, columnY, columnZ, dot, splatX, splatY, splatZ, w, x, y, z } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';

/**
 * Neighbours in embedded space, [J14] 3.4. Two particles are neighbours when they are nearer than the mean of
 * their supports and each is among the ROOM nearest of the other: the relation is symmetric, so forces can be
 * gathered. Lists are by rising index.
 */

/** New neighbours are at most this many supports apart in the world: what has been torn does not grow together. */
const TORN: f32 = 2.5;

/** A gradient whose determinant is nearer to zero tells nothing across: what lies flat on a floor has neighbours in a plane. */
const FLATTEST: f64 = 1e-3;

/** Bits of a cell's number that are left beside that of its level. */
const CELL_BITS: i32 = 0x7ffff;

/**
 * Supports may differ, so there are up to LEVELS grids: that of a level has cells half as wide as the one before, and
 * holds the particles whose support is more than half a cell; the last all that are left. CELL_SIZE is the first cell.
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

/** Keys of the particles' cells in embedded space, each in the grid of its level. */
export function computeNeighborCells(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const largest = load<f32>(context + CELL_SIZE);
  const levels = load<u32>(context + LEVELS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(points + (i << 4));
    const level = levelOf(w(at), largest, levels);
    const size = largest / <f32>(1 << level);
    store<u64>(keys + (i << 3), cellKey(leveled(cellOf(x(at), size), level), cellOf(y(at), size), cellOf(z(at), size)));
  }
}

/** Embedded positions in the order of the grid, into PRODUCT, which is free: those of a cell are read one after the other. */
export function arrangeNeighbors(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const sorted = <usize>load<u32>(context + SORTED);
  const arranged = <usize>load<u32>(context + PRODUCT);
  for (let k = <usize>begin; k < <usize>end; k++) {
    v128.store(arranged + (k << 4), v128.load(points + (<usize>load<u32>(sorted + (k << 2)) << 4)));
  }
}

/** Largest of the squared distances in a full list: where it is. */
// @ts-ignore: decorator
@inline
function farthestIn(list: usize): usize {
  let at = list;
  for (let k: usize = 1; k < <usize>CAPACITY; k++) if (load<f32>(list + (k << 4)) > load<f32>(at)) at = list + (k << 4);
  return at;
}

/** The ROOM nearest candidates of every particle at most, into OTHER_PAIRS: squared distance and tagged index. */
export function gatherNeighborhoods(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const arranged = <usize>load<u32>(context + PRODUCT);
  const lists = <usize>load<u32>(context + OTHER_PAIRS);
  const counts = <usize>load<u32>(context + OTHER_COUNT);
  const cuts = <usize>load<u32>(context + CUT);
  const mask = load<u32>(context + BUCKET_MASK);
  const largest = load<f32>(context + CELL_SIZE);
  const levels = load<u32>(context + LEVELS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(points + (i << 4));
    const body = load<u32>(bodyOf + (i << 2));
    const list = lists + i * CAPACITY * 16;
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
            let k = <usize>load<u32>(bucket);
            if (k == last) continue;
            const key = cellKey(a, b, c);
            for (; k < last; k++) {
              const other = v128.load(arranged + (k << 4));
              const d = f32x4.sub(other, at);
              const reach = <f32>0.5 * (w(at) + w(other));
              const d2 = dot(d, d);
              if (d2 >= reach * reach) continue;
              const j = <usize>load<u32>(sorted + (k << 2));
              if (j == i || load<u64>(keys + (j << 3)) != key) continue;
              if (load<u32>(bodyOf + (j << 2)) != body) continue;
              let position = list + (found << 4);
              if (found < <usize>CAPACITY) found++;
              else {
                if (farthest == 0) farthest = farthestIn(list);
                const most = load<f32>(farthest);
                cut = min(cut, max(most, d2));
                if (d2 >= most) continue;
                position = farthest;
                farthest = 0;
              }
              store<f32>(position, d2);
              store<u32>(position, INDEX_TAG | <u32>j, 12);
            }
          }
        }
      }
    }
    store<u32>(counts + (i << 2), <u32>found);
    store<f32>(cuts + (i << 2), cut);
  }
}

/** Position of an index in a list, or ROOM when it is not there; without branches that nobody can foretell. */
// @ts-ignore: decorator
@inline
function placeIn(list: usize, count: usize, index: u32): usize {
  if (count == 0) return CAPACITY;
  let at = list;
  while (count > 1) {
    const half = count >> 1;
    const middle = at + (half << 4);
    at = select(middle, at, (load<u32>(middle, 12) & INDEX_MASK) <= index);
    count -= half;
  }
  return (load<u32>(at, 12) & INDEX_MASK) == index ? (at - list) >> 4 : <usize>CAPACITY;
}

/**
 * Makes lists of the candidates. Who was a neighbour keeps its rest vector. Particles that came out of resampling have
 * an ORIGIN among the old ones and a SHIFT from there in the world.
 *
 * Rest vectors of what is new follow from the world by F_i^-1, with the gradient that noteGradients has left: [J14]
 * takes them from embedded space, which is at odds with the rest vectors of the particle wherever these do not fit
 * into it, and rest spaces of neighbours are turned against each other, so that the way between two halves in that of
 * one is wrong in that of another. Both give stress out of nothing. Embedded space is for particles that had no
 * neighbours, or none but in a plane.
 */
export function fillNeighborhoods(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const positions = <usize>load<u32>(context + POSITION);
  const origins = <usize>load<u32>(context + ORIGIN);
  const shifts = <usize>load<u32>(context + SHIFT);
  const old = <usize>load<u32>(context + PAIRS);
  const oldCounts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const lists = <usize>load<u32>(context + OTHER_PAIRS);
  const counts = <usize>load<u32>(context + OTHER_COUNT);
  const cuts = <usize>load<u32>(context + CUT);
  const gradients = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const list = lists + i * CAPACITY * 16;
    const count = <usize>load<u32>(counts + (i << 2));
    const cut = load<f32>(cuts + (i << 2));
    const origin = load<u32>(origins + (i << 2));
    const shift = v128.load(shifts + (i << 4));
    const own = old + <usize>origin * CAPACITY * 16;
    const ownCount = <usize>load<u32>(oldCounts + (<usize>origin << 2));
    const at = v128.load(points + (i << 4));
    const position = v128.load(positions + (i << 4));
    let isKnown = ownCount > 0;
    if (isKnown) {
      const gradient = gradients + <usize>origin * 48;
      const volume = invert(v128.load(gradient), v128.load(gradient, 16), v128.load(gradient, 32));
      isKnown = abs(volume) > FLATTEST;
    }
    // Columns of F^-1, or of the identity.
    const fx = isKnown ? columnX(i0, i1, i2) : f32x4(1, 0, 0, 0);
    const fy = isKnown ? columnY(i0, i1, i2) : f32x4(0, 1, 0, 0);
    const fz = isKnown ? columnZ(i0, i1, i2) : f32x4(0, 0, 1, 0);
    let kept: usize = 0;
    for (let k: usize = 0; k < count; k++) {
      const d2 = load<f32>(list + (k << 4));
      const tag = load<u32>(list + (k << 4), 12);
      const j = <usize>(tag & INDEX_MASK);
      if (d2 >= cut || d2 >= load<f32>(cuts + (j << 2))) continue;
      const from = load<u32>(origins + (j << 2));
      const known = from == origin ? <usize>CAPACITY : placeIn(own, ownCount, from);
      const other = v128.load(points + (j << 4));
      const apart = f32x4.sub(v128.load(positions + (j << 4)), position);
      let u: v128;
      if (known < <usize>CAPACITY) {
        const moved = f32x4.sub(v128.load(shifts + (j << 4)), shift);
        const u0 = v128.load(own + (known << 4));
        u = addMul(addMul(addMul(u0, fx, splatX(moved)), fy, splatY(moved)), fz, splatZ(moved));
      } else {
        const reach = TORN * <f32>0.5 * (w(at) + w(other));
        if (from != origin && dot(apart, apart) > reach * reach) continue;
        u = f32x4.sub(other, at);
        if (isKnown) u = addMul(addMul(f32x4.mul(fx, splatX(apart)), fy, splatY(apart)), fz, splatZ(apart));
      }
      // By rising index; what is moved up has been read already.
      let to = kept++;
      while (to > 0 && load<u32>(list + ((to - 1) << 4), 12) > tag) {
        v128.store(list + (to << 4), v128.load(list + ((to - 1) << 4)));
        to--;
      }
      v128.store(list + (to << 4), u);
      store<u32>(list + (to << 4), tag, 12);
    }
    store<u32>(counts + (i << 2), <u32>kept);
  }
}

/**
 * Where the pair ji is, for every pair ij; one thread. Lists are by rising index, so when particles are taken by rising
 * index each of them is the next in the lists of its neighbours. CUT counts how far these have been gone through.
 */
export function linkNeighborhoods(begin: u32, end: u32, context: usize): void {
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const reverse = <usize>load<u32>(context + REVERSE);
  const nexts = <usize>load<u32>(context + CUT);
  const total = <usize>load<u32>(context + COUNT);
  memory.fill(nexts, 0, total << 2);
  for (let i: usize = 0; i < total; i++) {
    let pair = i * CAPACITY;
    for (const last = pair + <usize>load<u32>(counts + (i << 2)); pair < last; pair++) {
      const j = <usize>(load<u32>(pairs + (pair << 4), 12) & INDEX_MASK);
      const next = load<u32>(nexts + (j << 2));
      store<u32>(reverse + (pair << 2), <u32>(j * CAPACITY) + next);
      store<u32>(nexts + (j << 2), next + 1);
    }
  }
  // Neighbours are mutual.
  for (let i: usize = 0; i < total; i++) if (load<u32>(nexts + (i << 2)) != load<u32>(counts + (i << 2))) unreachable();
}
