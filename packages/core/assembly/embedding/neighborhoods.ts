import {
  BODY_OF,
  BUCKET_BEGIN,
  BUCKET_MASK,
  CELL_KEYS,
  CELL_SIZE,
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
import { addMul, cross, dot, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';
import { neighborIndex } from '../neighbors/lists';

/**
 * Neighbours in embedded space, [J14] 3.4. Two particles are neighbours when they are nearer than the mean of
 * their supports and each is among the ROOM nearest of the other: the relation is symmetric, so forces can be
 * gathered. Lists are by rising index.
 */

/** New neighbours are at most this many supports apart in the world: what has been torn does not grow together. */
const TORN: f32 = 2.5;
/** The others fit a linear map when the determinant of their places is more than this share of a ball's. */
const SPANNED: f32 = 0.02;

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
 * Makes lists of the candidates. Who was a neighbour keeps its rest vector, new ones get that of embedded space.
 * Particles that came out of resampling have an ORIGIN among the old ones and a SHIFT from there: their rest
 * vectors follow from the old ones.
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
  for (let i = <usize>begin; i < <usize>end; i++) {
    const list = lists + i * ROOM * 16;
    const count = <usize>load<u32>(counts + (i << 2));
    const cut = load<f32>(cuts + (i << 2));
    const origin = load<u32>(origins + (i << 2));
    const shift = v128.load(shifts + (i << 4));
    const own = old + <usize>origin * ROOM * 16;
    const ownCount = <usize>load<u32>(oldCounts + (<usize>origin << 2));
    let kept: usize = 0;
    let entered = false;
    for (let k: usize = 0; k < count; k++) {
      const d2 = load<f32>(list + (k << 4));
      const tag = load<u32>(list + (k << 4), 12);
      const j = <usize>(tag & INDEX_MASK);
      if (d2 >= cut || d2 >= load<f32>(cuts + (j << 2))) continue;
      const from = load<u32>(origins + (j << 2));
      let u = f32x4.sub(v128.load(shifts + (j << 4)), shift);
      if (from != origin) {
        const place = placeIn(own, ownCount, from);
        if (place < <usize>ROOM) u = f32x4.add(u, v128.load(own + (place << 4)));
        else {
          const a = v128.load(points + (i << 4));
          const b = v128.load(points + (j << 4));
          const reach = TORN * <f32>0.5 * (w(a) + w(b));
          const apart = f32x4.sub(v128.load(positions + (j << 4)), v128.load(positions + (i << 4)));
          if (dot(apart, apart) > reach * reach) continue;
          u = f32x4.splat(0);
          entered = true;
        }
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
    if (entered) welcome(list, kept, i, positions, points);
  }
}

/**
 * Rest vectors of new neighbours, which are zero in the list. [J14] takes them from embedded space. That is at odds
 * with the other rest vectors of the particle wherever these do not fit into it, and gives stress out of nothing. So
 * they are where the linear map from the world that fits the others best has them; embedded space is for particles
 * that have too few others.
 */
function welcome(list: usize, count: usize, i: usize, positions: usize, points: usize): void {
  const own = v128.load(positions + (i << 4));
  const at = v128.load(points + (i << 4));
  let u0 = f32x4.splat(0);
  let u1 = f32x4.splat(0);
  let u2 = f32x4.splat(0);
  let x0 = f32x4.splat(0);
  let x1 = f32x4.splat(0);
  let x2 = f32x4.splat(0);
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(list + (k << 4));
    const r2 = dot(u, u);
    if (r2 == 0) continue;
    const j = neighborIndex(u);
    const h = <f32>0.5 * (w(at) + w(v128.load(points + (j << 4))));
    const d = max<f32>(<f32>1 - r2 / (h * h), 0);
    const way = f32x4.sub(v128.load(positions + (j << 4)), own);
    const weighted = f32x4.mul(f32x4.splat(d * d * d), way);
    u0 = addMul(u0, splatX(u), weighted);
    u1 = addMul(u1, splatY(u), weighted);
    u2 = addMul(u2, splatZ(u), weighted);
    x0 = addMul(x0, splatX(way), weighted);
    x1 = addMul(x1, splatY(way), weighted);
    x2 = addMul(x2, splatZ(way), weighted);
  }
  const c0 = cross(x1, x2);
  const c1 = cross(x2, x0);
  const c2 = cross(x0, x1);
  const determinant = dot(x0, c0);
  const third = (x(x0) + y(x1) + z(x2)) / <f32>3;
  const known = determinant > SPANNED * third * third * third;
  const per = f32x4.splat(<f32>1 / determinant);
  for (let k: usize = 0; k < count; k++) {
    const u = v128.load(list + (k << 4));
    if (dot(u, u) != 0) continue;
    const j = neighborIndex(u);
    let fresh = f32x4.sub(v128.load(points + (j << 4)), at);
    if (known) {
      // The symmetric matrix of the x is inverted by its cofactors.
      const way = f32x4.sub(v128.load(positions + (j << 4)), own);
      const solved = f32x4.mul(per, vector(dot(c0, way), dot(c1, way), dot(c2, way), 0));
      fresh = vector(dot(u0, solved), dot(u1, solved), dot(u2, solved), 0);
    }
    v128.store(list + (k << 4), f32x4.replace_lane(fresh, 3, w(u)));
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
