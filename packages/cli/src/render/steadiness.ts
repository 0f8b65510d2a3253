/**
 * Whether a surface pops: how far it is, a frame later, from where the matter around it went. The points of a frame's
 * surface are carried along by the affine motion of the particles around them, and compared with the next
 * frame's surface; then the other way round, from the next frame back, so that what appears counts as what vanishes does.
 */
import { Bvh, type TriangleMesh } from 'phyxel';
import { roundedNormal } from './on-triangle.js';

/** A surface in triangles, with normals at its vertices. */
export interface Surface {
  readonly positions: ArrayLike<number>;
  readonly normals: ArrayLike<number>;
  readonly triangles: ArrayLike<number>;
}

/** The same particles at two times, xyz each. */
export interface Motion {
  readonly before: Float32Array;
  readonly after: Float32Array;
  /** Distance of neighbouring particles at rest [m]. */
  readonly spacing: number;
}

export interface Jumps {
  /** Distances of carried points from the other surface [spacings]. */
  readonly distances: number[];
  /** Angles between carried normals and those of the other surface there [degrees]. */
  readonly angles: number[];
}

/** Particles that carry a point are nearer than this [spacings]. */
const REACH = 2;
/** Points farther from the other surface than this count as so far [spacings]. */
const FARTHEST = 2;
/** Share of the particles' spread that keeps the fit of a motion from being singular. */
const RIDGE = 0.02;

type Vector = [number, number, number];

/** Jumps of about `count` points each way. */
export function surfaceJumps(from: Surface, to: Surface, motion: Motion, count: number): Jumps {
  const back = { ...motion, before: motion.after, after: motion.before };
  const [there, again] = [jumpsFrom(from, to, motion, count), jumpsFrom(to, from, back, count)];
  return { distances: [...there.distances, ...again.distances], angles: [...there.angles, ...again.angles] };
}

/** How far particles end from where those around them say: what no surface could follow [spacings]. */
export function matterJumps({ before, after, spacing }: Motion, count: number): number[] {
  const near = new Cells(before, REACH * spacing);
  const jumps: number[] = [];
  for (const i of evenly(before.length / 3, count)) {
    const position = tripleAt(before, i);
    const carried = carry(position, [0, 0, 0], near, before, after, spacing, i);
    if (carried) jumps.push(distance(carried.position, tripleAt(after, i)) / spacing);
  }
  return jumps;
}

/** The value that a share of all is not above. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function jumpsFrom(from: Surface, to: Surface, { before, after, spacing }: Motion, count: number): Jumps {
  const mesh: TriangleMesh = {
    positions: Float64Array.from(to.positions),
    triangles: Uint32Array.from(to.triangles),
  };
  const tree = mesh.triangles.length > 0 ? new Bvh(mesh) : undefined;
  const near = new Cells(before, REACH * spacing);
  const [distances, angles]: [number[], number[]] = [[], []];
  for (const i of evenly(from.positions.length / 3, count)) {
    const carried = carry(tripleAt(from.positions, i), tripleAt(from.normals, i), near, before, after, spacing);
    if (!carried) continue;
    const found = tree?.closestPoint(carried.position, FARTHEST * spacing);
    distances.push(found ? found.distance / spacing : FARTHEST);
    if (!found) continue;
    const n = roundedNormal(mesh, to.normals, found.triangle, found.point);
    const cosine = n[0] * carried.normal[0] + n[1] * carried.normal[1] + n[2] * carried.normal[2];
    angles.push((180 / Math.PI) * Math.acos(Math.max(-1, Math.min(1, cosine))));
  }
  return { distances, angles };
}

/** Where the particles around a position, without one of them, take it and a normal there; undefined where none are. */
function carry(
  position: Vector,
  normal: Vector,
  near: Cells,
  before: Float32Array,
  after: Float32Array,
  spacing: number,
  without = -1,
): { readonly position: Vector; readonly normal: Vector } | undefined {
  const reach = REACH * spacing;
  const around: { readonly direction: Vector; readonly shift: Vector; readonly w: number }[] = [];
  let total = 0;
  const [mean, shift]: [Vector, Vector] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  near.each(position, (j) => {
    if (j === without) return;
    const [x, y] = [tripleAt(before, j), tripleAt(after, j)];
    const direction = minus(x, position);
    const w = Math.max(0, 1 - (direction[0] ** 2 + direction[1] ** 2 + direction[2] ** 2) / (reach * reach)) ** 2;
    if (w === 0) return;
    const moved = minus(y, x);
    around.push({ direction, shift: moved, w });
    total += w;
    for (let a = 0; a < 3; a++) {
      mean[a]! += w * direction[a]!;
      shift[a]! += w * moved[a]!;
    }
  });
  if (!(total > 0)) return undefined;
  for (let a = 0; a < 3; a++) {
    mean[a]! /= total;
    shift[a]! /= total;
  }
  // Moments of the ways, and of ways with shifts, about their means.
  const moments = new Float64Array(9);
  const mixed = new Float64Array(9);
  for (const { direction, shift: moved, w } of around) {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        moments[3 * a + b]! += (w / total) * (direction[a]! - mean[a]!) * (direction[b]! - mean[b]!);
        mixed[3 * a + b]! += (w / total) * (moved[a]! - shift[a]!) * (direction[b]! - mean[b]!);
      }
    }
  }
  for (let a = 0; a < 3; a++) moments[4 * a]! += RIDGE * spacing * spacing;
  const inverse = inverseOf(moments);
  const gradient = [0, 1, 2].flatMap((a) =>
    [0, 1, 2].map((b) => [0, 1, 2].reduce((sum, c) => sum + mixed[3 * a + c]! * inverse[3 * c + b]!, 0)),
  );
  const moved = position.map(
    (x, a) => x + shift[a]! - [0, 1, 2].reduce((sum, b) => sum + gradient[3 * a + b]! * mean[b]!, 0),
  ) as Vector;
  const f = Float64Array.from(gradient, (g, k) => g + (k % 4 === 0 ? 1 : 0));
  const g = inverseOf(f);
  const turned = [0, 1, 2].map((a) => [0, 1, 2].reduce((sum, b) => sum + g[3 * b + a]! * normal[b]!, 0)) as Vector;
  const length = Math.hypot(...turned) || 1;
  return { position: moved, normal: turned.map((x) => x / length) as Vector };
}

function inverseOf(m: Float64Array): Float64Array {
  const cofactor = (r: number, c: number) => {
    const [r1, r2, c1, c2] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3];
    return m[3 * r1 + c1]! * m[3 * r2 + c2]! - m[3 * r1 + c2]! * m[3 * r2 + c1]!;
  };
  const determinant = m[0]! * cofactor(0, 0) + m[1]! * cofactor(0, 1) + m[2]! * cofactor(0, 2);
  return Float64Array.from({ length: 9 }, (_, k) => cofactor(k % 3, Math.floor(k / 3)) / determinant);
}

/** About `count` of the numbers below `all`, at even steps. */
function evenly(all: number, count: number): number[] {
  const step = Math.max(1, Math.floor(all / count));
  return Array.from({ length: Math.ceil(all / step) }, (_, k) => k * step);
}

function tripleAt(values: ArrayLike<number>, i: number): Vector {
  return [values[3 * i]!, values[3 * i + 1]!, values[3 * i + 2]!];
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function distance(a: Vector, b: Vector): number {
  return Math.hypot(...minus(a, b));
}

/** Points by the cells of a grid. */
class Cells {
  readonly #cells = new Map<string, number[]>();

  constructor(
    points: Float32Array,
    readonly side: number,
  ) {
    for (let i = 0; 3 * i < points.length; i++) {
      const key = this.#cellOf(tripleAt(points, i)).join();
      const cell = this.#cells.get(key);
      if (cell) cell.push(i);
      else this.#cells.set(key, [i]);
    }
  }

  #cellOf(position: Vector): Vector {
    return position.map((x) => Math.floor(x / this.side)) as Vector;
  }

  /** Calls with all points in the cells around a position, in a fixed order. */
  each(position: Vector, visit: (i: number) => void): void {
    const [x, y, z] = this.#cellOf(position);
    for (let k = 0; k < 27; k++) {
      const key = `${x - 1 + (k % 3)},${y - 1 + (Math.floor(k / 3) % 3)},${z - 1 + Math.floor(k / 9)}`;
      for (const i of this.#cells.get(key) ?? []) visit(i);
    }
  }
}
