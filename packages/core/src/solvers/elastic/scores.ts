/** What scores leave of the strength of bonds, from the patterns of a body and its particles at time 0. */

import { dot, length, scale, subtract } from '../../math/matrix3.js';
import { CrossingTest } from '../../mesh/crossing.js';
import type { CrackPattern, ScoreOptions, Vec3 } from '../../options/types.js';

/** Bonds with at least this squared cosine to the fibres bear all. */
const ALONG = 0.4;

/** The share of the strength of the bond of two particles, the same from both ends. */
export type BondScore = (i: number, j: number) => number;

/** Particles of a body in the world at time 0, xyz [m], and their distance [m]. */
export interface ScoredBody {
  readonly positions: Float64Array;
  readonly spacing: number;
}

export function scoreOf(scores: readonly ScoreOptions[], body: ScoredBody): BondScore {
  const all = scores.map((score) => one(score, body));
  return (i, j) => all.reduce((least, share) => Math.min(least, share(i, j)), 1);
}

function one({ pattern, strength }: ScoreOptions, body: ScoredBody): BondScore {
  const { positions } = body;
  if ('voronoi' in pattern) return between(cellsOf(positions, body.spacing, pattern.voronoi), strength);
  if ('brick' in pattern) return between(bricksOf(positions, pattern.brick), strength);
  if ('grain' in pattern) {
    const along = scale(pattern.grain.axis, 1 / length(pattern.grain.axis));
    return (i, j) => {
      const r = subtract(positionOf(positions, j), positionOf(positions, i));
      const cosine = dot(r, along) / length(r);
      return strength + (1 - strength) * Math.min(1, (cosine * cosine) / ALONG);
    };
  }
  if ('noise' in pattern) {
    const { size, seed } = pattern.noise;
    return (i, j) => {
      const [p, q] = [positionOf(positions, i), positionOf(positions, j)];
      const value = noise(scale([p[0] + q[0], p[1] + q[1], p[2] + q[2]], 0.5 / size), seed);
      return strength + (1 - strength) * value;
    };
  }
  const isCrossed = crackOf(positions, pattern.crack);
  return (i, j) => (isCrossed(i, j) ? strength : 1);
}

const positionOf = (positions: Float64Array, i: number): Vec3 => [
  positions[3 * i]!,
  positions[3 * i + 1]!,
  positions[3 * i + 2]!,
];

const between =
  (cells: readonly string[] | Int32Array, strength: number): BondScore =>
  (i, j) =>
    cells[i] === cells[j] ? 1 : strength;

/** The nearest of random points, which are near particles, so that a cell has some. */
function cellsOf(
  positions: Float64Array,
  spacing: number,
  { count, seed }: { readonly count: number; readonly seed: number },
): Int32Array {
  const particles = positions.length / 3;
  const points = Array.from({ length: count }, (_, c) => {
    const from = positionOf(positions, Math.floor(random(c, 0, 0, seed) * particles));
    return [0, 1, 2].map((k) => from[k]! + spacing * (random(c, 1, k, seed) - 0.5)) as unknown as Vec3;
  });
  const cells = new Int32Array(particles);
  for (let i = 0; i < particles; i++) {
    let nearest = Infinity;
    for (const [c, [x, y, z]] of points.entries()) {
      const [dx, dy, dz] = [positions[3 * i]! - x, positions[3 * i + 1]! - y, positions[3 * i + 2]! - z];
      const square = dx * dx + dy * dy + dz * dz;
      if (square < nearest) [nearest, cells[i]] = [square, c];
    }
  }
  return cells;
}

function bricksOf(
  positions: Float64Array,
  { size, origin }: { readonly size: Vec3; readonly origin: Vec3 },
): readonly string[] {
  return Array.from({ length: positions.length / 3 }, (_, i) => {
    const [x, y, z] = subtract(positionOf(positions, i), origin);
    const course = Math.floor(y / size[1]);
    const shift = course % 2 === 0 ? 0 : 0.5;
    return `${Math.floor(x / size[0] + shift)} ${course} ${Math.floor(z / size[2])}`;
  });
}

/** Does the segment from one particle to another cross the sheet below a line? */
function crackOf(
  positions: Float64Array,
  { points, depth, direction }: CrackPattern,
): (i: number, j: number) => boolean {
  const middle: [number, number, number] = [0, 0, 0];
  for (let k = 0; k < positions.length; k++) middle[k % 3]! += positions[k]! / (positions.length / 3);
  const vertices: number[] = [];
  for (const p of points) {
    const into = direction ?? subtract(middle, p);
    const size = length(into) || 1;
    // From a little above: a line on the surface is nowhere else exactly.
    for (const offset of [-0.5 * depth, depth]) vertices.push(...p.map((x, k) => x + (offset * into[k]!) / size));
  }
  const triangles: number[] = [];
  for (let n = 0; n + 1 < points.length; n++) {
    triangles.push(2 * n, 2 * n + 1, 2 * n + 2, 2 * n + 1, 2 * n + 3, 2 * n + 2);
  }
  let reach = 0;
  for (let k = 0; k < positions.length; k++) reach = Math.max(reach, Math.abs(positions[k]! - vertices[k % 3]!));
  for (const [k, x] of vertices.entries()) reach = Math.max(reach, Math.abs(x - vertices[k % 3]!));
  const test = new CrossingTest(vertices, triangles, reach);
  return (i, j) => test.crosses(...positionOf(positions, Math.min(i, j)), ...positionOf(positions, Math.max(i, j)));
}

/** A number from 0 to 1 for whole ones. */
function random(a: number, b: number, c: number, seed: number): number {
  let h = Math.imul(a + 1, 0x27d4eb2f) ^ Math.imul(b + 1, 0x165667b1) ^ Math.imul(c + 1, 0x9e3779b1);
  h ^= Math.imul(seed + 1, 0xc2b2ae3d);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

/** Smooth noise between 0 and 1. */
function noise([x, y, z]: Vec3, seed: number): number {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const ease = (t: number) => t * t * (3 - 2 * t);
  const [u, v, w] = [ease(x - i), ease(y - j), ease(z - k)];
  let sum = 0;
  for (let c = 0; c < 8; c++) {
    const weight = (c & 1 ? u : 1 - u) * (c & 2 ? v : 1 - v) * (c & 4 ? w : 1 - w);
    sum += weight * random(i + (c & 1), j + ((c >> 1) & 1), k + (c >> 2), seed);
  }
  return sum;
}
