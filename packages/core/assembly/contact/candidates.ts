import {
  BODIES,
  BODY_BOX_HIGH,
  BODY_BOX_LOW,
  BODY_BREAKS,
  BODY_CONTACT,
  BODY_COUNT,
  BODY_OF,
  BODY_RENEWS,
  BODY_STRIDE,
  BODY_SUPPORT,
  BUCKET_BEGIN,
  BUCKET_BOXES,
  BUCKET_MASK,
  CANDIDATES,
  CANDIDATE_CAPACITY,
  CANDIDATE_COUNT,
  CELL_KEYS,
  CELL_SIZE,
  DISPLACEMENT,
  INDEX_MASK,
  INNER,
  LOST,
  PART_OF,
  POINT_COUNT,
  REACH_BY_SURFACE,
  REFIT,
  REST,
  SELF_CONTACT,
  SKIN,
  SORTED,
  SURFACE_LARGEST,
  SURFACE_OUTWARD,
  SURFACE_PARTICLE,
  SURFACE_POSITION,
  SURFACE_REFERENCE,
} from '../../src/particles/layout';
import { dot, w, x, y, z } from '../math/simd';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';
import { areBonded } from '../solid/renewal-search';
import { farReach, placeOfBond, reachBySurface } from './touch';

/** Lists of the surface particles that may touch. */

/** Has one of two particles lost bonds? */
// @ts-ignore: decorator
@inline
function isCracked(context: usize, i: usize, j: usize): bool {
  const lost = <usize>load<u32>(context + LOST);
  return load<f32>(lost + (i << 4), 12) > 0 || load<f32>(lost + (j << 4), 12) > 0;
}

/** Is a bond left between two particles? */
// @ts-ignore: decorator
@inline
function isBonded(context: usize, i: usize, j: u32): bool {
  const bond = placeOfBond(context, i, j);
  return bond != 0 && load<f32>(bond) > 0;
}

/** May these two surface particles ever touch? */
// @ts-ignore: decorator
@inline
function canTouch(context: usize, rest: usize, bodies: usize, bodyOf: usize, one: u32, other: u32): bool {
  const i = <usize>(one & INDEX_MASK);
  const j = <usize>(other & INDEX_MASK);
  const bi = load<u32>(bodyOf + (i << 2));
  const bj = load<u32>(bodyOf + (j << 2));
  const body = bodies + <usize>bi * BODY_STRIDE;
  if (bi != bj) return (load<u32>(body + BODY_CONTACT) & load<u32>(bodies + <usize>bj * BODY_STRIDE + BODY_CONTACT) & 1) != 0;
  if ((load<u32>(body + BODY_CONTACT) & 2) == 0 || ((one | other) & INNER) != 0) return false;
  const partOf = <usize>load<u32>(context + PART_OF);
  if (load<u32>(partOf + (i << 2)) != load<u32>(partOf + (j << 2))) return true;
  if (load<u32>(body + BODY_BREAKS) != 0 && isCracked(context, i, j)) return !isBonded(context, i, <u32>j);
  // Rest positions of what is renewed are those of a moment ago.
  if (load<u32>(body + BODY_RENEWS) != 0) return !areBonded(context, i, j);
  const d = f32x4.sub(v128.load(rest + (j << 4)), v128.load(rest + (i << 4)));
  const far = load<f32>(context + SELF_CONTACT) * load<f32>(body + BODY_SUPPORT);
  return dot(d, d) > far * far;
}

/** Is all that a bucket holds of the same part of a body, and so near at rest that it never touches? */
// @ts-ignore: decorator
@inline
function isNear(box: usize, body: u32, part: u32, position: v128, far: f32): bool {
  const low = v128.load(box);
  const high = v128.load(box, 16);
  if (w(low) != <f32>body || w(high) != <f32>part) return false;
  const d = f32x4.max(f32x4.sub(position, low), f32x4.sub(high, position));
  return dot(d, d) <= far * far;
}

/** Boxes of the rest positions in each bucket; on ranges of buckets. */
export function boundBuckets(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const partOf = <usize>load<u32>(context + PART_OF);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const boxes = <usize>load<u32>(context + BUCKET_BOXES);
  for (let bucket = <usize>begin; bucket < <usize>end; bucket++) {
    const last = <usize>load<u32>(buckets + (bucket << 2), 4);
    let k = <usize>load<u32>(buckets + (bucket << 2));
    if (k == last) continue;
    let low = f32x4.splat(f32.MAX_VALUE);
    let high = f32x4.splat(-f32.MAX_VALUE);
    let body: f32 = -1;
    let part: f32 = -1;
    for (const first = k; k < last; k++) {
      const i = <usize>(load<u32>(particles + (<usize>load<u32>(sorted + (k << 2)) << 2)) & INDEX_MASK);
      const position = v128.load(rest + (i << 4));
      const own = <f32>load<u32>(bodyOf + (i << 2));
      low = f32x4.min(low, position);
      high = f32x4.max(high, position);
      body = k == first || body == own ? own : -1;
      const ownPart = <f32>load<u32>(partOf + (i << 2));
      part = k == first || part == ownPart ? ownPart : -1;
    }
    v128.store(boxes + (bucket << 5), f32x4.replace_lane(low, 3, body));
    v128.store(boxes + (bucket << 5), f32x4.replace_lane(high, 3, part), 16);
  }
}

/** Is a point in the box of a body other than its own, or within the skin of it? The boxes include the radii. */
function inOtherBox(bodies: usize, count: usize, own: u32, here: v128, skin: f32): bool {
  const reach = f32x4.splat(skin + w(here));
  for (let b: usize = 0; b < count; b++) {
    if (<u32>b == own) continue;
    const low = f32x4.sub(v128.load(bodies + b * BODY_STRIDE + BODY_BOX_LOW), reach);
    const high = f32x4.add(v128.load(bodies + b * BODY_STRIDE + BODY_BOX_HIGH), reach);
    const outside = v128.or(f32x4.lt(here, low), f32x4.gt(here, high));
    if ((i32x4.bitmask(outside) & 7) == 0) return true;
  }
  return false;
}

/** Lists what one surface particle may touch. */
function list(context: usize, s: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const rest = <usize>load<u32>(context + REST);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const partOf = <usize>load<u32>(context + PART_OF);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const mask = load<u32>(context + BUCKET_MASK);
  const size = load<f32>(context + CELL_SIZE);
  const skin = load<f32>(context + SKIN);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const bodyCount = <usize>load<u32>(context + BODY_COUNT);
  const boxes = <usize>load<u32>(context + BUCKET_BOXES);
  const here = v128.load(positions + (s << 4));
  const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
  const position = v128.load(rest + (i << 4));
  const body = load<u32>(bodyOf + (i << 2));
  const part = load<u32>(partOf + (i << 2));
  const far = load<f32>(context + SELF_CONTACT) * load<f32>(bodies + <usize>body * BODY_STRIDE + BODY_SUPPORT);
  const own = candidates + s * capacity * 4;
  const row = bodies + <usize>body * BODY_STRIDE;
  const plain = load<u32>(row + BODY_BREAKS) == 0 && load<u32>(row + BODY_RENEWS) == 0;
  const self = (load<u32>(row + BODY_CONTACT) & 2) != 0;
  // Surfaces reach farther than balls.
  const farthest = load<f32>(context + REACH_BY_SURFACE);
  const largest = load<f32>(context + SURFACE_LARGEST);
  const outwards = <usize>load<u32>(context + SURFACE_OUTWARD);
  const outward: f32 = farthest > 0 ? load<f32>(outwards + (s << 4), 12) : 0;
  const around = farthest > 0 ? farReach(outward, w(here), farthest, largest) + skin : size;
  // Inner particles only meet other bodies: those in whose boxes they are.
  const number = load<u32>(particles + (s << 2));
  if ((number & INNER) != 0 && !inOtherBox(bodies, bodyCount, load<u32>(bodyOf + (i << 2)), here, skin)) {
    store<u32>(counts + (s << 2), 0);
    return;
  }
  let found: usize = 0;
  const lastX = cellOf(x(here) + around, size);
  const firstY = cellOf(y(here) - around, size);
  const lastY = cellOf(y(here) + around, size);
  const firstZ = cellOf(z(here) - around, size);
  const lastZ = cellOf(z(here) + around, size);
  for (let a = cellOf(x(here) - around, size); a <= lastX; a++) {
    for (let b = firstY; b <= lastY; b++) {
      for (let c = firstZ; c <= lastZ; c++) {
        const bucket = <usize>bucketOf(a, b, c, mask);
        const last = <usize>load<u32>(buckets + (bucket << 2), 4);
        let k = <usize>load<u32>(buckets + (bucket << 2));
        if (k == last || (boxes != 0 && isNear(boxes + (bucket << 5), body, part, position, far))) continue;
        const key = cellKey(a, b, c);
        for (; k < last; k++) {
          const t = <usize>load<u32>(sorted + (k << 2));
          const there = v128.load(positions + (t << 4));
          const d = f32x4.sub(there, here);
          let reach = w(here) + w(there);
          if (farthest > 0) reach = reachBySurface(outward, load<f32>(outwards + (t << 4), 12), w(here), w(there), farthest);
          reach += skin;
          if (dot(d, d) >= reach * reach) continue;
          if (t == s || load<u64>(keys + (t << 3)) != key) continue;
          const other = load<u32>(particles + (t << 2));
          const j = <usize>(other & INDEX_MASK);
          // Most of what is near is of the same body, and was near at rest.
          if (plain && load<u32>(bodyOf + (j << 2)) == body && load<u32>(partOf + (j << 2)) == part) {
            const apart = f32x4.sub(v128.load(rest + (j << 4)), position);
            if (!self || ((number | other) & INNER) != 0 || dot(apart, apart) <= far * far) continue;
          }
          if (!canTouch(context, rest, bodies, bodyOf, number, other)) continue;
          found = insert(own, found, capacity, <u32>t);
        }
      }
    }
  }
  store<u32>(counts + (s << 2), <u32>found);
}

/** Lists of the surface particles that may touch before any two have come nearer by the skin. */
export function findCandidates(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const references = <usize>load<u32>(context + SURFACE_REFERENCE);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    v128.store(references + (s << 4), f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4))));
    list(context, s);
  }
}

/** The same of the particles whose bonds have changed, as long as the lists of the others are good. */
export function renewCandidates(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const refit = <usize>load<u32>(context + REFIT);
  for (let s = <usize>begin; s < <usize>end; s++) {
    if (isChanged(particles, refit, s)) list(context, s);
  }
}

/** Lists the particles whose bonds have changed with those that they may touch; one thread. */
export function linkCandidates(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const refit = <usize>load<u32>(context + REFIT);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const count = <usize>load<u32>(context + POINT_COUNT);
  for (let s: usize = 0; s < count; s++) {
    if (!isChanged(particles, refit, s)) continue;
    const own = candidates + s * capacity * 4;
    const last = own + (min(<usize>load<u32>(counts + (s << 2)), capacity) << 2);
    for (let at = own; at < last; at += 4) {
      const t = <usize>load<u32>(at);
      if (isChanged(particles, refit, t)) continue;
      const found = <usize>load<u32>(counts + (t << 2));
      store<u32>(counts + (t << 2), <u32>insert(candidates + t * capacity * 4, found, capacity, <u32>s));
    }
  }
}

// @ts-ignore: decorator
@inline
function isChanged(particles: usize, refit: usize, s: usize): bool {
  return load<u32>(refit + (<usize>(load<u32>(particles + (s << 2)) & INDEX_MASK) << 2)) != 0;
}

/**
 * Puts a number into a list of rising numbers, if it is not there, so that sums do not depend on when the list was made;
 * gives the new count. Past the room only the count goes on, and the caller makes more of it.
 */
// @ts-ignore: decorator
@inline
function insert(list: usize, found: usize, capacity: usize, t: u32): usize {
  if (found >= capacity) return found + 1;
  let to = found;
  while (to > 0 && load<u32>(list + ((to - 1) << 2)) > t) to--;
  if (to > 0 && load<u32>(list + ((to - 1) << 2)) == t) return found;
  memory.copy(list + ((to + 1) << 2), list + (to << 2), (found - to) << 2);
  store<u32>(list + (to << 2), t);
  return found + 1;
}

/** The largest number of candidates that a surface particle has. */
export function mostCandidates(counts: usize, surface: u32): u32 {
  let most: u32 = 0;
  for (let s: usize = 0; s < <usize>surface; s++) most = max(most, load<u32>(counts + (s << 2)));
  return most;
}
