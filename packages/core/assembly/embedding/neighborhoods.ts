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
  CUT,
  EMBEDDED,
  NEIGHBOR_COUNT,
  ORIGIN,
  OTHER_COUNT,
  OTHER_PAIRS,
  PAIRS,
  POSITION,
  REVERSE,
  ROOM,
  SHIFT,
} from '../../src/particles/embedding-layout';
import { i0, i1, i2, invert } from '../math/inverse';
import { dot, matrixTimes, w } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';
import { neighborIndex } from '../neighbors/lists';

/**
 * Neighbours in embedded space, [J14] 3.4. Two particles are neighbours when they are nearer than the mean of
 * their supports and each is among the ROOM nearest of the other: the relation is symmetric, so forces can be
 * gathered. Lists are by rising index.
 */

/** New neighbours are at most this many supports apart in the world: what has been torn does not grow together. */
const TORN: f32 = 2.5;

/** Up to ROOM candidates of every particle, by distance, into OTHER_PAIRS: squared distance and tagged index. */
export function gatherNeighborhoods(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + EMBEDDED);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const lists = <usize>load<u32>(context + OTHER_PAIRS);
  const counts = <usize>load<u32>(context + OTHER_COUNT);
  const cuts = <usize>load<u32>(context + CUT);
  const mask = load<u32>(context + BUCKET_MASK);
  const size = load<f32>(context + CELL_SIZE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = v128.load(points + (i << 4));
    const body = load<u32>(bodyOf + (i << 2));
    const list = lists + i * ROOM * 16;
    const cx = cellOf(f32x4.extract_lane(at, 0), size);
    const cy = cellOf(f32x4.extract_lane(at, 1), size);
    const cz = cellOf(f32x4.extract_lane(at, 2), size);
    let found: usize = 0;
    let cut: f32 = f32.MAX_VALUE;
    for (let a = cx - 1; a <= cx + 1; a++) {
      for (let b = cy - 1; b <= cy + 1; b++) {
        for (let c = cz - 1; c <= cz + 1; c++) {
          const bucket = <usize>bucketOf(a, b, c, mask);
          const key = cellKey(a, b, c);
          const last = <usize>load<u32>(buckets + (bucket << 2), 4);
          for (let k = <usize>load<u32>(buckets + (bucket << 2)); k < last; k++) {
            const j = <usize>load<u32>(sorted + (k << 2));
            const other = v128.load(points + (j << 4));
            const d = f32x4.sub(other, at);
            const reach = <f32>0.5 * (w(at) + w(other));
            const d2 = dot(d, d);
            if (d2 >= reach * reach || j == i || load<u64>(keys + (j << 3)) != key) continue;
            if (load<u32>(bodyOf + (j << 2)) != body) continue;
            if (found == <usize>ROOM && d2 >= load<f32>(list + ((ROOM - 1) << 4))) {
              cut = min(cut, d2);
              continue;
            }
            if (found == <usize>ROOM) cut = min(cut, load<f32>(list + ((ROOM - 1) << 4)));
            else found++;
            let place = found - 1;
            while (place > 0 && load<f32>(list + ((place - 1) << 4)) > d2) {
              v128.store(list + (place << 4), v128.load(list + ((place - 1) << 4)));
              place--;
            }
            store<f32>(list + (place << 4), d2);
            store<u32>(list + (place << 4), INDEX_TAG | <u32>j, 12);
          }
        }
      }
    }
    store<u32>(counts + (i << 2), <u32>found);
    store<f32>(cuts + (i << 2), cut);
  }
}

/** Place of an index in a list, or ROOM when it is not there. */
// @ts-ignore: decorator
@inline
function placeIn(list: usize, count: usize, index: u32): usize {
  let low: usize = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((load<u32>(list + (middle << 4), 12) & INDEX_MASK) < index) low = middle + 1;
    else high = middle;
  }
  if (low < count && (load<u32>(list + (low << 4), 12) & INDEX_MASK) == index) return low;
  return ROOM;
}

/**
 * Makes lists of the candidates. Who was a neighbour keeps its rest vector. Particles that came out of resampling have
 * an ORIGIN among the old ones and a SHIFT from there in the world.
 *
 * Rest vectors of what is new follow from the world by F_i^-1, with the gradient that noteGradients has left: [J14]
 * takes them from embedded space, which is at odds with the rest vectors of the particle wherever these do not fit
 * into it, and rest spaces of neighbours are turned against each other, so that the way between two halves in that of
 * one is wrong in that of another. Both give stress out of nothing. Embedded space is for particles that had no
 * neighbours.
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
    const list = lists + i * ROOM * 16;
    const count = <usize>load<u32>(counts + (i << 2));
    const cut = load<f32>(cuts + (i << 2));
    const origin = load<u32>(origins + (i << 2));
    const shift = v128.load(shifts + (i << 4));
    const own = old + <usize>origin * ROOM * 16;
    const ownCount = <usize>load<u32>(oldCounts + (<usize>origin << 2));
    const at = v128.load(points + (i << 4));
    const place = v128.load(positions + (i << 4));
    if (ownCount > 0) {
      const gradient = gradients + <usize>origin * 48;
      invert(v128.load(gradient), v128.load(gradient, 16), v128.load(gradient, 32));
    }
    let kept: usize = 0;
    for (let k: usize = 0; k < count; k++) {
      const d2 = load<f32>(list + (k << 4));
      const tag = load<u32>(list + (k << 4), 12);
      const j = <usize>(tag & INDEX_MASK);
      if (d2 >= cut || d2 >= load<f32>(cuts + (j << 2))) continue;
      const from = load<u32>(origins + (j << 2));
      const known = from == origin ? <usize>ROOM : placeIn(own, ownCount, from);
      const other = v128.load(points + (j << 4));
      const apart = f32x4.sub(v128.load(positions + (j << 4)), place);
      let u: v128;
      if (known < <usize>ROOM) {
        const moved = f32x4.sub(v128.load(shifts + (j << 4)), shift);
        u = f32x4.add(v128.load(own + (known << 4)), matrixTimes(i0, i1, i2, moved));
      } else {
        const reach = TORN * <f32>0.5 * (w(at) + w(other));
        if (from != origin && dot(apart, apart) > reach * reach) continue;
        u = ownCount > 0 ? matrixTimes(i0, i1, i2, apart) : f32x4.sub(other, at);
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

/** Where the pair ji is, for every pair ij. */
export function linkNeighborhoods(begin: u32, end: u32, context: usize): void {
  const pairs = <usize>load<u32>(context + PAIRS);
  const counts = <usize>load<u32>(context + NEIGHBOR_COUNT);
  const reverse = <usize>load<u32>(context + REVERSE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const count = <usize>load<u32>(counts + (i << 2));
    for (let k: usize = 0; k < count; k++) {
      const j = neighborIndex(v128.load(pairs + ((i * ROOM + k) << 4)));
      const place = placeIn(pairs + j * ROOM * 16, <usize>load<u32>(counts + (j << 2)), <u32>i);
      if (place == <usize>ROOM) unreachable();
      store<u32>(reverse + ((i * ROOM + k) << 2), <u32>(j * ROOM + place));
    }
  }
}
