import type { Vec3 } from '../options/types.js';
import type { SolidShape } from './solid-shape.js';

/** Particles nearer than this many cells are next to each other. */
const ADJACENT = 1.5;
/** Steps from one particle to the next within which particles of one neighbourhood are reached through material. */
const STEPS = 4;

/** Cells that are filled less are cut by the surface, with room for rounding. */
const WHOLE = 0.999;

/** Where it is asked between two particles: not in the very middle, where faces of one lattice meet. */
const BETWEEN = [0.503, 0.253, 0.747];

/** Two particles that are neighbours across air. */
export interface AirBridge {
  readonly a: Vec3;
  readonly b: Vec3;
}

/**
 * The first two particles found within `reach` cells of each other that no chain of a few particles joins inside the
 * shape: two parts, or two banks of a slit, that the fit would hold together. Only particles at the surface are looked
 * at, and only between these it is asked whether the shape is in between. Those at a gap that is narrower than the
 * lattice have all their neighbours: that their cells are cut, of which `shares` are inside, tells them.
 */
export function findAirBridge(
  solid: SolidShape,
  positions: Float64Array,
  edges: Float64Array,
  shares: Float64Array,
  reach: number,
): AirBridge | undefined {
  const count = edges.length;
  const largest = edges.reduce((a, b) => Math.max(a, b), 0);
  const grid = new CellGrid(positions, reach * largest);
  const adjacent: number[][] = [];
  for (let i = 0; i < count; i++) {
    const own: number[] = [];
    grid.visit(i, (j, d2) => {
      const limit = ADJACENT * Math.max(edges[i]!, edges[j]!);
      if (d2 < limit * limit) own.push(j);
    });
    adjacent.push(own);
  }
  const most = adjacent.reduce((a, own) => Math.max(a, own.length), 0);
  const atSurface = (i: number) => adjacent[i]!.length < most || shares[i]! < WHOLE;
  const known = new Map<number, boolean>();
  const isOpen = (i: number, j: number) => {
    const key = Math.min(i, j) * count + Math.max(i, j);
    let open = known.get(key);
    if (open === undefined) {
      open = crossesAir(solid, positions, i, j);
      known.set(key, open);
    }
    return open;
  };
  const seen = new Float64Array(count).fill(-1);
  let round = 0;
  /** Marks what chains from a particle reach, until all that is wanted is reached; along the surface where asked to. */
  const spread = (from: number, wanted: readonly number[], alongSurface: boolean) => {
    round++;
    seen[from] = round;
    let front = [from];
    for (let step = 0; step < STEPS && wanted.some((j) => seen[j] !== round); step++) {
      const next: number[] = [];
      for (const a of front) {
        for (const b of adjacent[a]!) {
          if (seen[b] === round) continue;
          if (atSurface(a) && atSurface(b) && (!alongSurface || isOpen(a, b))) continue;
          seen[b] = round;
          next.push(b);
        }
      }
      front = next;
    }
  };
  for (let i = 0; i < count; i++) {
    if (!atSurface(i)) continue;
    let wanted: number[] = [];
    grid.visit(i, (j, d2) => {
      const limit = (reach / 2) * (edges[i]! + edges[j]!);
      if (j > i && d2 < limit * limit && atSurface(j)) wanted.push(j);
    });
    // Through the inside first, where nothing needs to be asked; then along the surface to those that air is between.
    if (wanted.length > 0) spread(i, wanted, false);
    wanted = wanted.filter((j) => seen[j] !== round && isOpen(i, j));
    if (wanted.length > 0) spread(i, wanted, true);
    const bridged = wanted.find((j) => seen[j] !== round);
    if (bridged !== undefined) return { a: pointAt(positions, i), b: pointAt(positions, bridged) };
  }
  return undefined;
}

function pointAt(positions: Float64Array, i: number): Vec3 {
  return [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
}

/** Is one of some points between two particles outside? The middle first, where most gaps are. */
function crossesAir(solid: SolidShape, positions: Float64Array, i: number, j: number): boolean {
  const [p, q] = [pointAt(positions, i), pointAt(positions, j)];
  return BETWEEN.some(
    (t) => !solid.contains([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])]),
  );
}

/** Points by the cells of a grid over their bounds, at least as wide as what is looked for. */
class CellGrid {
  readonly #low: Vec3;
  readonly #cell: number;
  readonly #size: Vec3;
  readonly #begin: Uint32Array;
  readonly #sorted: Uint32Array;

  constructor(
    readonly positions: Float64Array,
    readonly range: number,
  ) {
    const count = positions.length / 3;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < positions.length; k++) {
      low[k % 3] = Math.min(low[k % 3]!, positions[k]!);
      high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
    }
    // Of long and thin shapes most cells are empty: not many more cells than points.
    let cell = range;
    const sizes = () => [0, 1, 2].map((a) => Math.floor((high[a]! - low[a]!) / cell) + 1);
    while (sizes().reduce((a, b) => a * b, 1) > 8 * count + 64) cell *= 1.5;
    this.#low = low as unknown as Vec3;
    this.#cell = cell;
    this.#size = sizes() as unknown as Vec3;
    const [nx, ny, nz] = this.#size;
    this.#begin = new Uint32Array(nx * ny * nz + 1);
    const cells = Uint32Array.from({ length: count }, (_, i) => this.#cellOf(i));
    for (const c of cells) this.#begin[c + 1]!++;
    for (let c = 0; c < nx * ny * nz; c++) this.#begin[c + 1]! += this.#begin[c]!;
    this.#sorted = new Uint32Array(count);
    const next = this.#begin.slice();
    for (let i = 0; i < count; i++) this.#sorted[next[cells[i]!]!++] = i;
  }

  #coordinate(i: number, axis: number): number {
    return Math.floor((this.positions[3 * i + axis]! - this.#low[axis]!) / this.#cell);
  }

  #cellOf(i: number): number {
    const [nx, ny] = this.#size;
    return (this.#coordinate(i, 2) * ny + this.#coordinate(i, 1)) * nx + this.#coordinate(i, 0);
  }

  /** Other points within the range, and their squared distances. */
  visit(i: number, found: (j: number, distance2: number) => void): void {
    const [nx, ny, nz] = this.#size;
    const [x, y, z] = [this.#coordinate(i, 0), this.#coordinate(i, 1), this.#coordinate(i, 2)];
    for (let cz = Math.max(0, z - 1); cz <= Math.min(nz - 1, z + 1); cz++) {
      for (let cy = Math.max(0, y - 1); cy <= Math.min(ny - 1, y + 1); cy++) {
        const row = (cz * ny + cy) * nx;
        const end = this.#begin[row + Math.min(nx - 1, x + 1) + 1]!;
        for (let k = this.#begin[row + Math.max(0, x - 1)]!; k < end; k++) {
          const j = this.#sorted[k]!;
          if (j === i) continue;
          const dx = this.positions[3 * i]! - this.positions[3 * j]!;
          const dy = this.positions[3 * i + 1]! - this.positions[3 * j + 1]!;
          const dz = this.positions[3 * i + 2]! - this.positions[3 * j + 2]!;
          const d2 = dx * dx + dy * dy + dz * dz;
          if (d2 < this.range * this.range) found(j, d2);
        }
      }
    }
  }
}
