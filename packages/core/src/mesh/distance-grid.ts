import type { Vec3 } from '../math/matrix3.js';
import type { Bvh } from './bvh.js';
import { MeshError } from './error.js';
import { forEachMeshLayer } from './inside.js';
import { isSheet } from './measures.js';
import { prepareSolid } from './solid.js';
import type { TriangleMesh } from './types.js';

/** Nodes within this many cells of the surface have exact distances. */
const BAND = 4;
const BLOCK = 4;
const DEFAULT_MAX_CELLS = 1 << 24;
/** Distances to a surface on the nodes origin + (i, j, k) * cell, x fastest. */
export interface DistanceGrid {
  readonly origin: Vec3;
  /** [m]; larger than asked for when the grid would have had too many nodes. */
  readonly cell: number;
  readonly size: readonly [number, number, number];
  /** [m], negative inside. */
  readonly values: Float32Array;
  /** The mesh is an open sheet: values are the distance less half a cell, a thin wall. */
  readonly thin: boolean;
}

/**
 * Signed distances to a mesh, on its bounds widened by `margin` [m]. Exact (to float32) within at least
 * three cells of the surface; farther away the distance to a point of the surface that is nearly the
 * nearest, found by sweeping, so never smaller than the true one.
 */
export function signedDistanceGrid(
  mesh: TriangleMesh,
  cell: number,
  margin: number,
  maxCells = DEFAULT_MAX_CELLS,
): DistanceGrid {
  if (!(cell > 0) || !Number.isFinite(cell)) throw new MeshError('mesh', '', `cell must be > 0 m, got ${cell}`);
  if (!(margin >= 0) || !Number.isFinite(margin))
    throw new MeshError('mesh', '', `margin must be >= 0 m, got ${margin}`);
  const solid = prepareSolid(mesh);
  const thin = isSheet(solid);
  const extent = [0, 1, 2].map((axis) => solid.high[axis]! - solid.low[axis]! + 2 * margin);
  const sizeFor = (h: number) => extent.map((e) => Math.ceil(e / h - 1e-9) + 1) as [number, number, number];
  let h = cell;
  let size = sizeFor(h);
  while (size[0] * size[1] * size[2] > maxCells) {
    h *= 1.1;
    size = sizeFor(h);
  }
  // Centred, so that a symmetric mesh has a symmetric field.
  const origin = [0, 1, 2].map(
    (axis) => (solid.low[axis]! + solid.high[axis]! - (size[axis]! - 1) * h) / 2,
  ) as unknown as Vec3;

  const field = new NearestPoints(size, origin, h);
  field.measureBand(solid.bvh);
  field.sweep();
  const values = field.distances;
  if (thin) for (let i = 0; i < values.length; i++) values[i]! -= h / 2;
  else {
    const layer = size[0] * size[1];
    forEachMeshLayer(solid, { origin, step: [h, h, h], size }, (k, inside) => {
      for (let p = 0; p < layer; p++) if (inside[p] === 1) values[k * layer + p] = -values[k * layer + p]!;
    });
  }
  return { origin, cell: h, size, values, thin };
}

/** For every node the nearest point of the surface that is known so far. */
class NearestPoints {
  readonly distances: Float32Array;
  /** Index into `points`, or -1. */
  private readonly nearest: Int32Array;
  private points = new Float64Array(3 * 4096);
  private pointCount = 0;

  constructor(
    private readonly size: readonly [number, number, number],
    private readonly origin: Vec3,
    private readonly cell: number,
  ) {
    const count = size[0] * size[1] * size[2];
    this.distances = new Float32Array(count).fill(Infinity);
    this.nearest = new Int32Array(count).fill(-1);
  }

  /** Exact distances near the surface; blocks of nodes that are far from it are left out at once. */
  measureBand(bvh: Bvh): void {
    const { size, cell } = this;
    const radius = ((BLOCK - 1) / 2) * cell * Math.sqrt(3);
    for (let bz = 0; bz < size[2]; bz += BLOCK) {
      for (let by = 0; by < size[1]; by += BLOCK) {
        for (let bx = 0; bx < size[0]; bx += BLOCK) {
          const middle = this.position(bx + (BLOCK - 1) / 2, by + (BLOCK - 1) / 2, bz + (BLOCK - 1) / 2);
          const found = bvh.closestPoint(middle, BAND * cell + radius);
          if (found) this.measureBlock(bx, by, bz, bvh, found.triangle);
        }
      }
    }
  }

  /** What is nearest to a node is near to the next one too. */
  private measureBlock(bx: number, by: number, bz: number, bvh: Bvh, near: number): void {
    const [nx, ny, nz] = this.size;
    const limit = BAND * this.cell;
    for (let k = bz; k < Math.min(nz, bz + BLOCK); k++) {
      for (let j = by; j < Math.min(ny, by + BLOCK); j++) {
        for (let i = bx; i < Math.min(nx, bx + BLOCK); i++) {
          const hit = bvh.closestPoint(this.position(i, j, k), limit, near);
          if (!hit) continue;
          near = hit.triangle;
          const node = (k * ny + j) * nx + i;
          this.nearest[node] = this.addPoint(hit.point);
          this.distances[node] = hit.distance;
        }
      }
    }
  }

  /** Hands nearest points on to neighbours, along all eight diagonal directions through the grid. */
  sweep(): void {
    const [nx, ny, nz] = this.size;
    for (let round = 0; round < 8; round++) {
      const [sx, sy, sz] = [round & 1 ? -1 : 1, round & 2 ? -1 : 1, round & 4 ? -1 : 1];
      for (let k = sz > 0 ? 0 : nz - 1; k >= 0 && k < nz; k += sz) {
        const fromLayer = k - sz >= 0 && k - sz < nz ? -sz * nx * ny : 0;
        for (let j = sy > 0 ? 0 : ny - 1; j >= 0 && j < ny; j += sy) {
          const fromRow = j - sy >= 0 && j - sy < ny ? -sy * nx : 0;
          this.sweepRow(j, k, sx, fromRow, fromLayer);
        }
      }
    }
  }

  /** One row; what is handed on from the row and the layer before is so many nodes away, 0 where there is none. */
  private sweepRow(j: number, k: number, sx: number, fromRow: number, fromLayer: number): void {
    const { nearest, origin, cell } = this;
    const [nx, ny] = this.size;
    const row = (k * ny + j) * nx;
    const [y, z] = [origin[1] + j * cell, origin[2] + k * cell];
    let before = -1;
    for (let i = sx > 0 ? 0 : nx - 1; i >= 0 && i < nx; i += sx) {
      const node = row + i;
      let own = nearest[node]!;
      if (before >= 0 && before !== own) own = this.improve(node, own, before, i, y, z);
      if (fromRow !== 0) {
        const candidate = nearest[node + fromRow]!;
        if (candidate >= 0 && candidate !== own) own = this.improve(node, own, candidate, i, y, z);
      }
      if (fromLayer !== 0) {
        const candidate = nearest[node + fromLayer]!;
        if (candidate >= 0 && candidate !== own) own = this.improve(node, own, candidate, i, y, z);
      }
      before = own;
    }
  }

  /** The nearer of a node's own point and a candidate. */
  private improve(node: number, own: number, candidate: number, i: number, y: number, z: number): number {
    const { points } = this;
    const dx = this.origin[0] + i * this.cell - points[3 * candidate]!;
    const dy = y - points[3 * candidate + 1]!;
    const dz = z - points[3 * candidate + 2]!;
    const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    if (!(distance < this.distances[node]!)) return own;
    this.distances[node] = distance;
    this.nearest[node] = candidate;
    return candidate;
  }

  private addPoint(point: Vec3): number {
    if (3 * this.pointCount === this.points.length) {
      const grown = new Float64Array(2 * this.points.length);
      grown.set(this.points);
      this.points = grown;
    }
    this.points.set(point, 3 * this.pointCount);
    return this.pointCount++;
  }

  private position(i: number, j: number, k: number): Vec3 {
    const { origin, cell } = this;
    return [origin[0] + i * cell, origin[1] + j * cell, origin[2] + k * cell];
  }
}
