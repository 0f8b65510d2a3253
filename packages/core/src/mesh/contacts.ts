import { cross, dot, scale, subtract, type Vec3 } from '../math/matrix3.js';
import { DisjointSets, findEdges, headOf } from './edges.js';
import type { TriangleMesh } from './types.js';

/**
 * A closed mesh whose parts touch along edges or at vertices, with copies of these, so that every edge has two
 * triangles. Those that face each other across the air stay together, so that parts hang together where they touch.
 */
export function withoutContacts(mesh: TriangleMesh): TriangleMesh {
  const { positions, triangles } = mesh;
  const count = positions.length / 3;
  const { opposite, nonManifoldEdges } = findEdges(triangles, count);
  if (nonManifoldEdges === 0) return mesh;
  const crowded = new Map<number, number[]>();
  for (let h = 0; h < triangles.length; h++) {
    if (opposite[h]! >= 0) continue;
    const key = triangles[h]! * count + headOf(triangles, h);
    const list = crowded.get(key);
    if (list) list.push(h);
    else crowded.set(key, [h]);
  }
  // Corners at a vertex that are of one fan.
  const fans = new DisjointSets(triangles.length);
  const pairs: (readonly [number, number])[] = [];
  for (let h = 0; h < triangles.length; h++) {
    const candidates = crowded.get(headOf(triangles, h) * count + triangles[h]!) ?? [];
    const other = opposite[h]! >= 0 ? opposite[h]! : across(mesh, h, candidates);
    if (other === undefined) continue;
    if (opposite[h]! < 0 && h < other) pairs.push([h, other]);
    const [next, after] = [h % 3 === 2 ? h - 2 : h + 1, other % 3 === 2 ? other - 2 : other + 1];
    fans.join(h, after);
    fans.join(next, other);
  }
  const numbers = new Map<number, number>();
  const points: number[] = [];
  const corners = triangles.map((v, h) => {
    const fan = fans.find(h);
    let number = numbers.get(fan);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(fan, number);
      points.push(positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!);
    }
    return number;
  });
  return halved({ positions: Float64Array.from(points), triangles: corners }, pairs);
}

/** Copies of an edge that still have the same ends get vertices of their own between them. */
function halved({ positions, triangles }: TriangleMesh, pairs: readonly (readonly [number, number])[]): TriangleMesh {
  const count = positions.length / 3;
  const keyOf = (h: number) => triangles[h]! * count + headOf(triangles, h);
  const uses = new Map<number, number>();
  for (let h = 0; h < triangles.length; h++) uses.set(keyOf(h), (uses.get(keyOf(h)) ?? 0) + 1);
  const points = Array.from(positions);
  const middles = new Map<number, number>();
  for (const [h, other] of pairs) {
    if (uses.get(keyOf(h)) === 1) continue;
    const [a, b] = [3 * triangles[h]!, 3 * headOf(triangles, h)];
    middles.set(h, points.length / 3).set(other, points.length / 3);
    for (let k = 0; k < 3; k++) points.push((positions[a + k]! + positions[b + k]!) / 2);
  }
  if (middles.size === 0) return { positions, triangles };
  const made: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const ring = [t, t + 1, t + 2].flatMap((h) => [triangles[h]!, middles.get(h) ?? []].flat());
    // About the first vertex between two others, which sees all.
    const first = ring.length === 3 ? 0 : ring.findIndex((v) => v >= count);
    for (let k = 1; k + 1 < ring.length; k++) {
      made.push(ring[first]!, ring[(first + k) % ring.length]!, ring[(first + k + 1) % ring.length]!);
    }
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(made) };
}

/** The first of some half-edges that one meets when it turns about itself, away from the inside. */
function across({ positions, triangles }: TriangleMesh, h: number, candidates: readonly number[]): number | undefined {
  const at = (v: number): Vec3 => [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!];
  const from = at(triangles[h]!);
  const edge = subtract(at(headOf(triangles, h)), from);
  const side = (own: number): Vec3 => {
    const apex = subtract(at(triangles[own - (own % 3) + ((own + 2) % 3)]!), from);
    return subtract(apex, scale(edge, dot(apex, edge) / dot(edge, edge)));
  };
  const ahead = side(h);
  const outside = cross(edge, ahead);
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = side(candidate);
    const turn = turnOf(
      dot(other, ahead) / Math.sqrt(dot(ahead, ahead)),
      dot(other, outside) / Math.sqrt(dot(outside, outside)),
    );
    if (turn >= least) continue;
    least = turn;
    best = candidate;
  }
  return best;
}

/** Grows with the angle of a direction, from 0 to 4. */
function turnOf(x: number, y: number): number {
  const share = y / (Math.abs(x) + Math.abs(y));
  return x < 0 ? 2 - share : y < 0 ? 4 + share : share;
}
