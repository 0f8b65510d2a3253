/** Cells of the finest level that an octree leaf spans along an axis: 1, 2, 4, ... */
export type LeafEdges = Uint8Array;

const FULL = 1 - 1e-6;

/**
 * Merges fine cells to blocks of two, four, ... where the shape is far from its surface, [K06] 5.7 and
 * [S08] table 3.1 from the fine end: a block is merged when it and a ring of half-size cells around it
 * can be. So leaves that touch differ by at most one level, also across edges and corners, and the
 * surface lies in cells of the finest level. Returns for each cell the edge of its leaf in cells, 0 for
 * those of a leaf that are not its low corner.
 */
export function mergeCells(shares: Float32Array, size: readonly [number, number, number], levels: number): LeafEdges {
  const edges = new Uint8Array(shares.length).fill(1);
  let grid = size;
  let solid = Uint8Array.from(shares, (s) => (s >= FULL ? 1 : 0));
  for (let level = 1, edge = 2; level < levels; level++, edge *= 2) {
    const coarse = [grid[0] >> 1, grid[1] >> 1, grid[2] >> 1] as const;
    const merged = new Uint8Array(coarse[0] * coarse[1] * coarse[2]);
    for (let k = 0; k < coarse[2]; k++) {
      for (let j = 0; j < coarse[1]; j++) {
        for (let i = 0; i < coarse[0]; i++) {
          if (!allSet(solid, grid, 2 * i - 1, 2 * j - 1, 2 * k - 1)) continue;
          merged[(k * coarse[1] + j) * coarse[0] + i] = 1;
          setLeaf(edges, size, i * edge, j * edge, k * edge, edge);
        }
      }
    }
    solid = merged;
    grid = coarse;
  }
  return edges;
}

/** Whether the four cells per axis from (i, j, k) on are all set; cells beyond the grid are not. */
function allSet(
  solid: Uint8Array,
  [nx, ny, nz]: readonly [number, number, number],
  i: number,
  j: number,
  k: number,
): boolean {
  if (i < 0 || j < 0 || k < 0 || i + 4 > nx || j + 4 > ny || k + 4 > nz) return false;
  for (let c = k; c < k + 4; c++) {
    for (let b = j; b < j + 4; b++) {
      const row = (c * ny + b) * nx + i;
      if ((solid[row]! & solid[row + 1]! & solid[row + 2]! & solid[row + 3]!) === 0) return false;
    }
  }
  return true;
}

function setLeaf(
  edges: Uint8Array,
  [nx, ny]: readonly [number, number, number],
  i: number,
  j: number,
  k: number,
  edge: number,
): void {
  for (let c = k; c < k + edge; c++) {
    for (let b = j; b < j + edge; b++) {
      const row = (c * ny + b) * nx + i;
      edges.fill(0, row, row + edge);
    }
  }
  edges[(k * ny + j) * nx + i] = edge;
}
