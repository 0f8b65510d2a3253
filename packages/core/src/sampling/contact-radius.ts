import type { Vec3 } from '../options/types.js';
import type { SolidShape } from './solid-shape.js';

/** Distances nearer than this share of a cell to half of it are half of it: rounding. */
const SAME = 1e-3;
/** Cells beyond their own that particles may be the nearest to a point of the surface. */
const FARTHEST = 1;
/** A surface is flat that is as far, to within this share of a cell, from points so far beside and behind a particle. */
const BESIDE = 0.5;
const FLAT = 0.25;
/** Deeper than so many cells no particle carries a part of a surface. */
const DEEPEST = 0.75;

/** Where the surface of a shape is, seen from its particles. */
export interface Outside {
  /** Distance at which each particle touches obstacles [m]; undefined where it is half of the cell for all. */
  readonly radii?: Float32Array | undefined;
  /**
   * xyz per particle: unit normal of the surface for those that are the nearest to it where it is flat; zero for all
   * others, also at edges and in sheets of one layer.
   */
  readonly normals: Float32Array;
}

/**
 * Distance at which each particle touches: that of the surface of the shape for those that are the nearest of all to
 * their nearest point on it, half of their cell for all others, or less where the surface is nearer. So balls around the
 * outermost particles touch the surface from within wherever the lattice lies.
 */
export function findOutside(solid: SolidShape, positions: Float64Array, spacings: Float64Array): Outside {
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
  const normals = new Float32Array(3 * count);
  const grid = new PointGrid(outer.map(({ i }) => point(i)));
  for (const { i, foot, distance } of outer) {
    const spacing = spacings[i]!;
    const isNearest = !grid.hasNearer(foot, (1 - SAME) * distance);
    if (Math.abs(distance - spacing / 2) >= SAME * spacing && (distance < spacing / 2 || isNearest)) {
      radii[i] = distance;
    }
    const normal = isNearest ? flatNormal(solid, point(i), foot, distance, spacing) : undefined;
    if (normal) normals.set(normal, 3 * i);
  }
  return { radii: isLattice ? undefined : radii, normals };
}

/** The outward normal at a particle; undefined where the surface is not flat, or is on both sides of it. */
function flatNormal(
  solid: SolidShape,
  [x, y, z]: Vec3,
  foot: Vec3,
  distance: number,
  spacing: number,
): Vec3 | undefined {
  if (distance < SAME * spacing || distance > DEEPEST * spacing) return undefined;
  const n: Vec3 = [(foot[0] - x) / distance, (foot[1] - y) / distance, (foot[2] - z) / distance];
  const [one, two] = tangentsOf(n);
  const step = BESIDE * spacing;
  const isFlatAt = (direction: Vec3, along: number, expected: number): boolean => {
    const at: Vec3 = [x + along * direction[0], y + along * direction[1], z + along * direction[2]];
    const near = solid.nearest(at, expected + spacing);
    const found = near ? Math.hypot(near[0] - at[0], near[1] - at[1], near[2] - at[2]) : Infinity;
    return found > expected - FLAT * spacing;
  };
  const isFlat =
    isFlatAt(n, -step, distance + step) &&
    [one, two].every((t) => isFlatAt(t, step, distance) && isFlatAt(t, -step, distance));
  return isFlat ? n : undefined;
}

/** Two directions across a unit vector and each other, along axes where it is along one. */
function tangentsOf([x, y, z]: Vec3): [Vec3, Vec3] {
  const size = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const least = size.indexOf(Math.min(...size));
  const axis: Vec3 = [least === 0 ? 1 : 0, least === 1 ? 1 : 0, least === 2 ? 1 : 0];
  const along = least === 0 ? x : least === 1 ? y : z;
  const across: Vec3 = [axis[0] - along * x, axis[1] - along * y, axis[2] - along * z];
  const length = Math.hypot(...across);
  const one: Vec3 = [across[0] / length, across[1] / length, across[2] / length];
  return [one, [y * one[2] - z * one[1], z * one[0] - x * one[2], x * one[1] - y * one[0]]];
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
