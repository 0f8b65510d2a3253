import type { Vec3 } from '../options/types.js';
import type { SolidShape } from './solid-shape.js';

/** Particles nearer than this many cells are next to each other. */
const ADJACENT = 1.5;
/** Parts nearer than this many cells touch: files round their numbers. */
const TOUCHING = 1e-3;

/** Two particles that are neighbours across air. */
export interface AirBridge {
  readonly a: Vec3;
  readonly b: Vec3;
}

/** What air separates in a body. */
export interface Parts {
  /** Number of each particle's part, in the order of their first particles. */
  readonly partOf: Uint32Array;
  readonly count: number;
  /** Two particles of different parts that are as near as neighbours. */
  readonly gap: AirBridge | undefined;
  /** Two particles of one part that the fit holds together though their way through material is longer. */
  readonly bridge: AirBridge | undefined;
}

/**
 * Particles within `reach` cells of each other belong together unless the line between them leaves the shape. Parts are
 * what that joins. Two particles of one part are bridged when air is between them and no chain of particles joins them
 * inside the shape and within reach of either: banks of a slit. That is asked with the surface itself, so gaps may
 * be much narrower than the lattice; first, for most, with the ball around each particle that the surface does not reach.
 */
export function findParts(solid: SolidShape, positions: Float64Array, edges: Float64Array, reach: number): Parts {
  const count = edges.length;
  const widest = reach * edges.reduce((a, b) => Math.max(a, b), 0);
  const grid = new CellGrid(positions, widest);
  const depths = Float64Array.from(edges, (_, i) => solid.depth(pointAt(positions, i), widest));
  const known = new Map<number, boolean>();
  const isOpen = (i: number, j: number) => {
    const key = Math.min(i, j) * count + Math.max(i, j);
    let open = known.get(key);
    if (open === undefined) {
      open = crossesAir(solid, pointAt(positions, i), pointAt(positions, j), TOUCHING * Math.min(edges[i]!, edges[j]!));
      known.set(key, open);
    }
    return open;
  };
  /** Others within reach, those that are surely joined with it, and of these those next to it. */
  const near: number[][] = [];
  const sure: Set<number>[] = [];
  const parts = new Forest(count);
  for (let i = 0; i < count; i++) {
    const own: number[] = [];
    const joined = new Set<number>();
    grid.visit(i, (j, d2) => {
      const limit = (reach / 2) * (edges[i]! + edges[j]!);
      if (!(d2 < limit * limit)) return;
      own.push(j);
      const clear = depths[i]! + depths[j]!;
      if (!(d2 < clear * clear)) return;
      parts.join(i, j);
      const adjacent = ADJACENT * Math.max(edges[i]!, edges[j]!);
      if (d2 < adjacent * adjacent) joined.add(j);
    });
    near.push(own);
    sure.push(joined);
  }
  for (let i = 0; i < count; i++) {
    for (const j of near[i]!) if (j > i && parts.root(i) !== parts.root(j) && !isOpen(i, j)) parts.join(i, j);
  }
  const partOf = new Uint32Array(count);
  const numbers = new Map<number, number>();
  let gap: AirBridge | undefined;
  let bridge: AirBridge | undefined;
  for (let i = 0; i < count; i++) {
    const root = parts.root(i);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    partOf[i] = numbers.get(root)!;
  }
  /** What chains from a particle reach through its neighbourhood and that of another. */
  const reached = (i: number, j: number, isJoined: (a: number, b: number) => boolean) => {
    const left = new Set([...near[i]!, ...near[j]!]);
    left.delete(i);
    const found = new Set([i]);
    for (const a of found) {
      for (const b of left) {
        if (!isJoined(a, b)) continue;
        found.add(b);
        left.delete(b);
      }
    }
    return found;
  };
  const isSure = (a: number, b: number) => sure[a]!.has(b);
  const isNext = (a: number, b: number) => isSure(a, b) || (isAdjacent(positions, edges, a, b) && !isOpen(a, b));
  for (let i = 0; i < count && !(gap && bridge); i++) {
    const apart = near[i]!.find((j) => partOf[j] !== partOf[i]);
    if (apart !== undefined) gap ??= { a: pointAt(positions, i), b: pointAt(positions, apart) };
    if (bridge || depths[i]! >= widest / 2) continue;
    const surely = reached(i, i, isSure);
    const open = near[i]!.filter((j) => j > i && partOf[j] === partOf[i] && !surely.has(j) && isOpen(i, j));
    const across = open.find((j) => !reached(i, j, isNext).has(j));
    if (across !== undefined) bridge = { a: pointAt(positions, i), b: pointAt(positions, across) };
  }
  return { partOf, count: numbers.size, gap, bridge };
}

function isAdjacent(positions: Float64Array, edges: Float64Array, i: number, j: number): boolean {
  const limit = ADJACENT * Math.max(edges[i]!, edges[j]!);
  const d = [0, 1, 2].map((a) => positions[3 * i + a]! - positions[3 * j + a]!);
  return d[0]! * d[0]! + d[1]! * d[1]! + d[2]! * d[2]! < limit * limit;
}

function pointAt(positions: Float64Array, i: number): Vec3 {
  return [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
}

/** Does the line between two points inside leave the shape for longer than a rounding [m]? */
function crossesAir(solid: SolidShape, p: Vec3, q: Vec3, rounding: number): boolean {
  const crossings = solid.crossings(p, q);
  if (crossings.length === 0) return false;
  const length = Math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2 + (q[2] - p[2]) ** 2);
  const ends = [0, ...crossings.sort((a, b) => a - b), 1];
  return ends.slice(1).some((end, k) => {
    const t = (ends[k]! + end) / 2;
    const at: Vec3 = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])];
    return (end - ends[k]!) * length > rounding && !solid.contains(at);
  });
}

/** What is joined with what. */
class Forest {
  readonly #parents: Uint32Array;

  constructor(count: number) {
    this.#parents = Uint32Array.from({ length: count }, (_, i) => i);
  }

  root(i: number): number {
    const parents = this.#parents;
    let at = i;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }

  join(i: number, j: number): void {
    const [a, b] = [this.root(i), this.root(j)];
    this.#parents[Math.max(a, b)] = Math.min(a, b);
  }
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
