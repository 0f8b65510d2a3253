/** The hash grid and the kd-tree over points of a store. */
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';

/** Smallest power of two that is at least n. */
function powerOfTwo(n: number): number {
  let size = 16;
  while (size < n) size *= 2;
  return size;
}

/** Arrays of the hash grid over `count` points; returns its number of buckets. */
export function allocateGrid(store: ParticleStore, count: number): number {
  const buckets = powerOfTwo(count);
  store.setInteger(layout.BUCKET_MASK, buckets - 1);
  store.allocate(layout.BUCKET_BEGIN, 4 * (buckets + 1));
  store.allocate(layout.SORTED, 4 * count);
  store.allocate(layout.CELL_KEYS, 8 * count);
  return buckets;
}

/** Sorts the points behind POINTS into cells. */
export function buildGrid(store: ParticleStore, count: number, cell: number): void {
  store.setInteger(layout.POINT_COUNT, count);
  store.setFloat(layout.CELL_SIZE, cell);
  store.run('computeCellKeys', count);
  store.engine.runSerial('sortByCell', store.context);
}

/** Builds the kd-tree over the points behind POINTS; CELL_SIZE then carries the largest support. */
export function buildTree(store: ParticleStore, count: number, largestSupport: number): void {
  store.setInteger(layout.POINT_COUNT, count);
  store.setFloat(layout.CELL_SIZE, largestSupport);
  store.engine.runSerial('buildTree', store.context);
}
