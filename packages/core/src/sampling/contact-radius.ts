import type { Vec3 } from '../options/types.js';
import type { SolidShape } from './solid-shape.js';

/** Distances nearer than this share of a cell to half of it are half of it: rounding. */
const SAME = 1e-3;
/** Cells beyond their own that particles may be the nearest to a point of the surface. */
const FARTHEST = 1;

/**
 * Distance at which each particle touches obstacles [m]: that of the surface of the shape for those that are the nearest
 * of all to their nearest point on it, half of their cell for all others, or less where the surface is nearer. So balls
 * around the outermost particles touch the surface from within wherever the lattice lies. Undefined where it is half of
 * the cell for all.
 */
export function contactRadii(
  solid: SolidShape,
  positions: Float64Array,
  spacings: Float64Array,
): Float32Array | undefined {
  const count = spacings.length;
  const radii = Float32Array.from(spacings, (spacing) => spacing / 2);
  const point = (i: number): Vec3 => [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
  const outer: { i: number; foot: Vec3; distance: number }[] = [];
  let isLattice = true;
  for (let i = 0; i < count; i++) {
    const p = point(i);
    const foot = solid.nearest(p, FARTHEST * spacings[i]!);
    if (!foot) continue;
    const distance = Math.hypot(foot[0] - p[0], foot[1] - p[1], foot[2] - p[2]);
    if (distance > FARTHEST * spacings[i]!) continue;
    outer.push({ i, foot, distance });
    isLattice &&= Math.abs(distance / spacings[i]! - 0.5) < SAME;
  }
  if (isLattice) return undefined;
  const grid = new PointGrid(outer.map(({ i }) => point(i)));
  for (const { i, foot, distance } of outer) {
    const half = spacings[i]! / 2;
    if (Math.abs(distance - half) < SAME * spacings[i]!) continue;
    if (distance < half || !grid.hasNearer(foot, (1 - SAME) * distance)) radii[i] = distance;
  }
  return radii;
}

/** Points in the cells of a grid as wide as they are apart, about. */
class PointGrid {
  readonly #cell: number;
  readonly #low: Vec3;
  readonly #points: readonly Vec3[];
  readonly #cells = new Map<number, number[]>();

  constructor(points: readonly Vec3[]) {
    this.#points = points;
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
    for (const p of points) {
      for (let a = 0; a < 3; a++) {
        low[a] = Math.min(low[a]!, p[a]!);
        high[a] = Math.max(high[a]!, p[a]!);
      }
    }
    this.#low = low;
    // They lie in a shell: about two thirds of the root of their number along each side.
    const longest = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    this.#cell = longest / Math.max(1, Math.ceil(Math.sqrt(points.length / 6))) || 1;
    for (const [k, p] of points.entries()) {
      const key = this.#key(this.#at(p, 0), this.#at(p, 1), this.#at(p, 2));
      const list = this.#cells.get(key);
      if (list) list.push(k);
      else this.#cells.set(key, [k]);
    }
  }

  #at(p: Vec3, axis: 0 | 1 | 2): number {
    return Math.floor((p[axis] - this.#low[axis]) / this.#cell);
  }

  #key(a: number, b: number, c: number): number {
    return ((a + 1) * 65536 + b + 1) * 65536 + c + 1;
  }

  /** Is any point nearer to p than this? */
  hasNearer(p: Vec3, distance: number): boolean {
    const steps = Math.ceil(distance / this.#cell);
    const [x, y, z] = [this.#at(p, 0), this.#at(p, 1), this.#at(p, 2)];
    for (let a = x - steps; a <= x + steps; a++) {
      for (let b = y - steps; b <= y + steps; b++) {
        for (let c = z - steps; c <= z + steps; c++) {
          for (const k of this.#cells.get(this.#key(a, b, c)) ?? []) {
            const q = this.#points[k]!;
            if (Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) < distance) return true;
          }
        }
      }
    }
    return false;
  }
}
