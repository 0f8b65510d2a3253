/** Neighbour lists in rows: the neighbours of i are index[begin[i]] up to index[begin[i + 1]], rising. */
export interface NeighborLists {
  readonly begin: Int32Array;
  readonly index: Int32Array;
}

/** Points sorted into the cells of a regular grid: cell c holds order[first[c]] up to order[first[c + 1]]. */
interface CellGrid {
  readonly cells: readonly [number, number, number];
  readonly cellOf: Int32Array;
  readonly first: Int32Array;
  readonly order: Int32Array;
}

function buildGrid(positions: Float64Array, size: number): CellGrid {
  const count = positions.length / 3;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, positions[k]!);
    high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
  }
  // Cells no smaller than asked for, and not many more of them than points.
  const sides = (edge: number) =>
    [0, 1, 2].map((a) => Math.floor((high[a]! - low[a]!) / edge) + 1) as [number, number, number];
  let edge = size;
  while (sides(edge).reduce((product, n) => product * n, 1) > 8 * count + 64) edge *= 1.5;
  const cells = sides(edge);
  const cellOf = new Int32Array(count);
  const first = new Int32Array(cells[0] * cells[1] * cells[2] + 1);
  for (let i = 0; i < count; i++) {
    const x = Math.floor((positions[3 * i]! - low[0]!) / edge);
    const y = Math.floor((positions[3 * i + 1]! - low[1]!) / edge);
    const z = Math.floor((positions[3 * i + 2]! - low[2]!) / edge);
    const cell = (z * cells[1] + y) * cells[0] + x;
    cellOf[i] = cell;
    first[cell + 1]!++;
  }
  for (let c = 1; c < first.length; c++) first[c]! += first[c - 1]!;
  const slot = first.slice();
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) order[slot[cellOf[i]!]!++] = i;
  return { cells, cellOf, first, order };
}

/** Particles are neighbours when they are nearer than the mean of their supports [m]: a symmetric relation. */
export function findNeighbors(positions: Float64Array, supports: Float64Array): NeighborLists {
  const count = supports.length;
  const { cells, cellOf, first, order } = buildGrid(
    positions,
    supports.reduce((a, b) => Math.max(a, b), Number.MIN_VALUE),
  );
  const begin = new Int32Array(count + 1);
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const cell = cellOf[i]!;
    const cx = cell % cells[0];
    const cy = Math.floor(cell / cells[0]) % cells[1];
    const cz = Math.floor(cell / (cells[0] * cells[1]));
    const from = found.length;
    for (let z = Math.max(cz - 1, 0); z <= Math.min(cz + 1, cells[2] - 1); z++) {
      for (let y = Math.max(cy - 1, 0); y <= Math.min(cy + 1, cells[1] - 1); y++) {
        for (let x = Math.max(cx - 1, 0); x <= Math.min(cx + 1, cells[0] - 1); x++) {
          const c = (z * cells[1] + y) * cells[0] + x;
          for (let k = first[c]!; k < first[c + 1]!; k++) {
            const j = order[k]!;
            if (j !== i && areNeighbors(positions, supports, i, j)) found.push(j);
          }
        }
      }
    }
    sortFrom(found, from);
    begin[i + 1] = found.length;
  }
  return { begin, index: Int32Array.from(found) };
}

function areNeighbors(positions: Float64Array, supports: Float64Array, i: number, j: number): boolean {
  const x = positions[3 * j]! - positions[3 * i]!;
  const y = positions[3 * j + 1]! - positions[3 * i + 1]!;
  const z = positions[3 * j + 2]! - positions[3 * i + 2]!;
  const h = 0.5 * (supports[i]! + supports[j]!);
  return x * x + y * y + z * z < h * h;
}

/** Insertion sort of the tail of a list. */
function sortFrom(list: number[], from: number): void {
  for (let k = from + 1; k < list.length; k++) {
    const value = list[k]!;
    let slot = k;
    while (slot > from && list[slot - 1]! > value) {
      list[slot] = list[slot - 1]!;
      slot--;
    }
    list[slot] = value;
  }
}

/** The same lists by looking at every pair: the definition itself, for small sets. */
export function findNeighborsByBruteForce(positions: Float64Array, supports: Float64Array): NeighborLists {
  const count = supports.length;
  const begin = new Int32Array(count + 1);
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      if (j !== i && areNeighbors(positions, supports, i, j)) found.push(j);
    }
    begin[i + 1] = found.length;
  }
  return { begin, index: Int32Array.from(found) };
}

/** Distances to the k nearest other points, rising, k per point; Infinity where there are fewer. */
export function nearestDistances(positions: Float64Array, k: number): Float64Array {
  const count = positions.length / 3;
  const result = new Float64Array(k * count).fill(Infinity);
  for (let i = 0; i < count; i++) {
    const distances: number[] = [];
    for (let j = 0; j < count; j++) {
      if (j === i) continue;
      const x = positions[3 * j]! - positions[3 * i]!;
      const y = positions[3 * j + 1]! - positions[3 * i + 1]!;
      const z = positions[3 * j + 2]! - positions[3 * i + 2]!;
      distances.push(Math.sqrt(x * x + y * y + z * z));
    }
    distances.sort((a, b) => a - b);
    result.set(distances.slice(0, k), k * i);
  }
  return result;
}
