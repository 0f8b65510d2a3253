/** Cells of one size around points. */
export interface CellGrid {
  readonly low: readonly [number, number, number];
  readonly cell: number;
  /** Cells along each axis. */
  readonly size: readonly [number, number, number];
}

/** About two points in a cell; flat clouds have cells as thick as they are wide. */
export function cellsAround(points: ArrayLike<number>): CellGrid {
  let [lowX, lowY, lowZ] = [Infinity, Infinity, Infinity];
  let [highX, highY, highZ] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i]!;
    const y = points[i + 1]!;
    const z = points[i + 2]!;
    if (x < lowX) lowX = x;
    if (x > highX) highX = x;
    if (y < lowY) lowY = y;
    if (y > highY) highY = y;
    if (z < lowZ) lowZ = z;
    if (z > highZ) highZ = z;
  }
  const extents = [highX - lowX, highY - lowY, highZ - lowZ].map((extent) => Math.max(0, extent));
  const longest = Math.max(...extents, Number.MIN_VALUE);
  const volume = extents.reduce((product, e) => product * Math.max(e, 0.02 * longest), 1);
  const target = Math.max(1, points.length / 6);
  const cell = Math.max(Math.cbrt(volume / target), longest / 500, Number.MIN_VALUE);
  const [nx, ny, nz] = extents.map((extent) => Math.floor(extent / cell) + 1) as [number, number, number];
  return { low: [lowX, lowY, lowZ], cell, size: [nx, ny, nz] };
}

/** Nearest points by a grid of cells. */
export class NearestPoints {
  readonly #points: ArrayLike<number>;
  readonly #count: number;
  readonly #low: CellGrid['low'];
  readonly #size: CellGrid['size'];
  readonly #cell: number;
  readonly #starts: Int32Array;
  readonly #members: Int32Array;

  /** Of xyz triples. */
  constructor(points: ArrayLike<number>) {
    this.#points = points;
    this.#count = points.length / 3;
    const { low, cell, size } = cellsAround(points);
    this.#low = low;
    this.#cell = cell;
    this.#size = size;
    const cells = this.#size[0] * this.#size[1] * this.#size[2];
    this.#starts = new Int32Array(cells + 1);
    const cellOf = new Int32Array(this.#count);
    for (let i = 0; i < this.#count; i++) {
      const x = this.#clampedCell(points[3 * i]!, 0);
      const y = this.#clampedCell(points[3 * i + 1]!, 1);
      const z = this.#clampedCell(points[3 * i + 2]!, 2);
      cellOf[i] = (z * this.#size[1] + y) * this.#size[0] + x;
      this.#starts[cellOf[i]! + 1]!++;
    }
    for (let c = 0; c < cells; c++) this.#starts[c + 1]! += this.#starts[c]!;
    this.#members = new Int32Array(this.#count);
    const fill = this.#starts.slice();
    for (let i = 0; i < this.#count; i++) this.#members[fill[cellOf[i]!]!++] = i;
  }

  #clampedCell(value: number, axis: number): number {
    const c = Math.floor((value - this.#low[axis]!) / this.#cell);
    return Math.min(this.#size[axis]! - 1, Math.max(0, c));
  }

  /**
   * The `k` nearest points of a position, nearest first, ties by number, and their squared distances.
   * Returns how many there are: all of them when the cloud is smaller than `k`.
   */
  find(x: number, y: number, z: number, k: number, indices: Int32Array, squares: Float64Array): number {
    const [nx, ny, nz] = this.#size;
    const cx = this.#clampedCell(x, 0);
    const cy = this.#clampedCell(y, 1);
    const cz = this.#clampedCell(z, 2);
    let found = 0;
    const last = Math.max(nx, ny, nz);
    for (let ring = 0; ring <= last; ring++) {
      // Points in this ring and beyond are at least so far away, also from positions outside the grid.
      if (found === k && ring > 0) {
        const reach = this.#ringDistance(x, y, z, cx, cy, cz, ring);
        if (reach * reach > squares[k - 1]!) break;
      }
      for (let iz = Math.max(0, cz - ring); iz <= Math.min(nz - 1, cz + ring); iz++) {
        for (let iy = Math.max(0, cy - ring); iy <= Math.min(ny - 1, cy + ring); iy++) {
          const onShell = Math.abs(iz - cz) === ring || Math.abs(iy - cy) === ring;
          const step = onShell || ring === 0 ? 1 : 2 * ring;
          for (let ix = cx - ring; ix <= cx + ring; ix += step) {
            if (ix < 0 || ix >= nx) continue;
            const cell = (iz * ny + iy) * nx + ix;
            for (let m = this.#starts[cell]!; m < this.#starts[cell + 1]!; m++) {
              found = this.#insert(this.#members[m]!, x, y, z, k, found, indices, squares);
            }
          }
        }
      }
    }
    return found;
  }

  /** Least distance to cells `ring` cells away in some direction. */
  #ringDistance(x: number, y: number, z: number, cx: number, cy: number, cz: number, ring: number): number {
    return Math.min(this.#gap(x, cx, 0, ring), this.#gap(y, cy, 1, ring), this.#gap(z, cz, 2, ring));
  }

  #gap(value: number, c: number, axis: number, ring: number): number {
    const low = this.#low[axis]! + (c - ring + 1) * this.#cell;
    const high = this.#low[axis]! + (c + ring) * this.#cell;
    return Math.max(0, Math.min(value - low, high - value));
  }

  #insert(
    i: number,
    x: number,
    y: number,
    z: number,
    k: number,
    found: number,
    indices: Int32Array,
    squares: Float64Array,
  ): number {
    const dx = this.#points[3 * i]! - x;
    const dy = this.#points[3 * i + 1]! - y;
    const dz = this.#points[3 * i + 2]! - z;
    const square = dx * dx + dy * dy + dz * dz;
    let slot = found;
    if (found === k) {
      slot = k - 1;
      const last = squares[slot]!;
      if (square > last || (square === last && i > indices[slot]!)) return found;
    }
    for (; slot > 0; slot--) {
      const before = squares[slot - 1]!;
      if (before < square || (before === square && indices[slot - 1]! < i)) break;
      squares[slot] = before;
      indices[slot] = indices[slot - 1]!;
    }
    squares[slot] = square;
    indices[slot] = i;
    return found === k ? k : found + 1;
  }
}
