import type { TriangleMesh } from './types.js';

/**
 * For every vertex the number of the first vertex within `tolerance` [m] of it (itself when there is
 * none). Cells are of the tolerance's own size, so that few different vertices share one whatever the mesh.
 */
export function weldMap(positions: Float64Array, tolerance: number): Uint32Array {
  const count = positions.length / 3;
  const map = new Uint32Array(count);
  const { low, extent } = boundsOf(positions);
  const cell = Math.max(2 * tolerance, 1e-12 * extent, Number.MIN_VALUE);
  let buckets = 1024;
  while (buckets < 2 * count) buckets *= 2;
  const head = new Int32Array(buckets).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const limit = tolerance * tolerance;
  const [lowX, lowY, lowZ] = low;
  const hash = (x: number, y: number, z: number) =>
    (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & (buckets - 1);
  for (let v = 0; v < count; v++) {
    const x = positions[3 * v]!;
    const y = positions[3 * v + 1]!;
    const z = positions[3 * v + 2]!;
    const x0 = Math.floor((x - tolerance - lowX) / cell);
    const x1 = Math.floor((x + tolerance - lowX) / cell);
    const y0 = Math.floor((y - tolerance - lowY) / cell);
    const y1 = Math.floor((y + tolerance - lowY) / cell);
    const z0 = Math.floor((z - tolerance - lowZ) / cell);
    const z1 = Math.floor((z + tolerance - lowZ) / cell);
    let found = v;
    for (let cz = z0; cz <= z1; cz++) {
      for (let cy = y0; cy <= y1; cy++) {
        for (let cx = x0; cx <= x1; cx++) {
          for (let w = head[hash(cx, cy, cz)]!; w >= 0; w = next[w]!) {
            const dx = positions[3 * w]! - x;
            const dy = positions[3 * w + 1]! - y;
            const dz = positions[3 * w + 2]! - z;
            if (dx * dx + dy * dy + dz * dz <= limit && w < found) found = w;
          }
        }
      }
    }
    map[v] = found;
    if (found === v) {
      const bucket = hash(Math.floor((x - lowX) / cell), Math.floor((y - lowY) / cell), Math.floor((z - lowZ) / cell));
      next[v] = head[bucket]!;
      head[bucket] = v;
    }
  }
  return map;
}

/** The mesh with vertices within `tolerance` [m] of each other made one, unused vertices left out. */
export function weldVertices(mesh: TriangleMesh, tolerance: number): TriangleMesh {
  const map = weldMap(mesh.positions, tolerance);
  const renumbered = new Int32Array(map.length).fill(-1);
  const positions: number[] = [];
  const triangles = new Uint32Array(mesh.triangles.length);
  for (let i = 0; i < triangles.length; i++) {
    const v = map[mesh.triangles[i]!]!;
    if (renumbered[v]! < 0) {
      renumbered[v] = positions.length / 3;
      positions.push(mesh.positions[3 * v]!, mesh.positions[3 * v + 1]!, mesh.positions[3 * v + 2]!);
    }
    triangles[i] = renumbered[v]!;
  }
  return { positions: Float64Array.from(positions), triangles };
}

function boundsOf(positions: Float64Array): { low: [number, number, number]; extent: number } {
  const lows: [number, number, number] = [0, 0, 0];
  let extent = 0;
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < positions.length; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    lows[axis] = low;
    extent = Math.max(extent, high - low);
  }
  return { low: lows, extent };
}
