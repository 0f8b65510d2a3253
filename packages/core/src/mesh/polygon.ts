/** Triangles of plane polygons with holes. There are always as many as the corners ask for, so meshes stay closed. */

/** Corners as numbers of positions, anticlockwise; holes clockwise. Places are x, y pairs by number. */
export interface Polygon {
  readonly outer: readonly number[];
  readonly holes: readonly (readonly number[])[];
}

type Positions = ReadonlyMap<number, readonly [number, number]>;

/** Twice the area, anticlockwise positive. */
export function signedArea(corners: readonly number[], positions: Positions): number {
  const [ox, oy] = positions.get(corners[0]!)!;
  let sum = 0;
  for (let k = 1; k + 1 < corners.length; k++) {
    const [ax, ay] = positions.get(corners[k]!)!;
    const [bx, by] = positions.get(corners[k + 1]!)!;
    sum += (ax - ox) * (by - oy) - (ay - oy) * (bx - ox);
  }
  return sum;
}

export function isInPolygon(
  corners: readonly number[],
  positions: Positions,
  [x, y]: readonly [number, number],
): boolean {
  let inside = false;
  for (let k = 0; k < corners.length; k++) {
    const [ax, ay] = positions.get(corners[k]!)!;
    const [bx, by] = positions.get(corners[(k + 1) % corners.length]!)!;
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}

/** Three numbers for each triangle. */
export function triangulatePolygon({ outer, holes }: Polygon, positions: Positions): number[] {
  let ring = [...outer];
  // From the right to the left, so that no bridge crosses a hole that has none yet.
  const rightmost = (hole: readonly number[]) =>
    hole.reduce((best, v, k) => (positions.get(v)![0] > positions.get(hole[best]!)![0] ? k : best), 0);
  const order = holes
    .map((hole) => ({ hole, at: rightmost(hole) }))
    .sort((a, b) => positions.get(b.hole[b.at]!)![0] - positions.get(a.hole[a.at]!)![0]);
  for (const [k, { hole, at }] of order.entries()) ring = bridged(ring, order.slice(k), hole, at, positions);
  return clipEars(ring, positions);
}

/** A ring with a hole that a double edge joins to it, from the hole's rightmost corner to one that it sees past all holes. */
function bridged(
  ring: readonly number[],
  holes: readonly { readonly hole: readonly number[] }[],
  hole: readonly number[],
  at: number,
  positions: Positions,
): number[] {
  const from = positions.get(hole[at]!)!;
  const seen = ring
    .map((v, k) => ({ k, position: positions.get(v)! }))
    .sort((a, b) => distance2(a.position, from) - distance2(b.position, from))
    .find(
      ({ k, position }) =>
        isInCorner(ring, k, from, positions) &&
        sees(ring, position, from, positions) &&
        holes.every((other) => sees(other.hole, from, position, positions)),
    );
  const k = seen?.k ?? 0;
  return [...ring.slice(0, k + 1), ...hole.slice(at), ...hole.slice(0, at + 1), ...ring.slice(k)];
}

const distance2 = (a: readonly [number, number], b: readonly [number, number]) =>
  (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);

/** Above zero where c is to the left of the way from a to b. */
function turn(a: readonly [number, number], b: readonly [number, number], c: readonly [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** Is a point within the angle of a corner? */
function isInCorner(ring: readonly number[], k: number, p: readonly [number, number], positions: Positions): boolean {
  const a = positions.get(ring[(k + ring.length - 1) % ring.length]!)!;
  const b = positions.get(ring[k]!)!;
  const c = positions.get(ring[(k + 1) % ring.length]!)!;
  const [before, after] = [turn(a, b, p) > 0, turn(b, c, p) > 0];
  return turn(a, b, c) >= 0 ? before && after : before || after;
}

/** Does no side cross the way from one point to another? */
function sees(
  ring: readonly number[],
  a: readonly [number, number],
  b: readonly [number, number],
  positions: Positions,
): boolean {
  return ring.every((v, k) => {
    const [p, q] = [positions.get(v)!, positions.get(ring[(k + 1) % ring.length]!)!];
    return turn(a, b, p) > 0 === turn(a, b, q) > 0 || turn(p, q, a) > 0 === turn(p, q, b) > 0 || p === a || q === a;
  });
}

/** Cuts off the corner that makes the best triangle, again and again. */
function clipEars(ring: readonly number[], positions: Positions): number[] {
  const left = [...ring];
  const quality = left.map((_, k) => earQuality(left, k, positions));
  const triangles: number[] = [];
  let isFresh = true;
  while (left.length > 3) {
    let best = 0;
    for (let k = 1; k < left.length; k++) if (quality[k]! > quality[best]!) best = k;
    if (quality[best]! < 0 && !isFresh) {
      // What was in the way may have gone.
      for (let k = 0; k < left.length; k++) quality[k] = earQuality(left, k, positions);
      isFresh = true;
      continue;
    }
    isFresh = false;
    const n = left.length;
    triangles.push(left[(best + n - 1) % n]!, left[best]!, left[(best + 1) % n]!);
    left.splice(best, 1);
    quality.splice(best, 1);
    for (const k of [best - 1, best]) {
      const at = (k + left.length) % left.length;
      quality[at] = earQuality(left, at, positions);
    }
  }
  triangles.push(...left);
  return triangles;
}

/** Area over the squares of the sides; below zero for what is no ear. */
function earQuality(ring: readonly number[], k: number, positions: Positions): number {
  const n = ring.length;
  const [u, v, w] = [ring[(k + n - 1) % n]!, ring[k]!, ring[(k + 1) % n]!];
  const [a, b, c] = [positions.get(u)!, positions.get(v)!, positions.get(w)!];
  const area = turn(a, b, c);
  const sides = distance2(a, b) + distance2(b, c) + distance2(c, a);
  const quality = sides > 0 ? area / sides : 0;
  if (!(area > 0)) return quality - 1;
  for (const other of ring) {
    if (other === u || other === v || other === w) continue;
    const p = positions.get(other)!;
    if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return quality - 2;
  }
  return quality;
}
