/** Obstacles whose shape is a mesh. */
import { signedDistanceGrid } from '../mesh/distance-grid.js';
import { OptionError } from '../options/index.js';
import type { TriangleMesh, Vec3 } from '../options/types.js';
import { scaleMesh } from '../sampling/solid-shape.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import type { BodyRecord } from './model.js';

/** Cells of a distance grid along the longest side of its mesh, at the most. */
const MOST_CELLS = 160;

/** Distances to the meshes of obstacles, as fine and as far out as the particles that are there need them. */
export function makeDistanceGrids(obstacles: readonly Obstacle[], bodies: readonly BodyRecord[]): void {
  let finest = Number.POSITIVE_INFINITY;
  let coarsest = 0;
  for (const { samples } of bodies) {
    for (let i = 0; i < samples.count; i++) {
      finest = Math.min(finest, samples.rest[4 * i + 3]!);
      coarsest = Math.max(coarsest, samples.rest[4 * i + 3]!);
    }
  }
  const share = sharesOf(bodies.some(({ matter }) => matter.isFluid));
  for (const obstacle of obstacles) {
    if (!obstacle.mesh) continue;
    const { cell, margin } = gridFor(sides(obstacle.mesh.positions), finest / share, coarsest);
    obstacle.grid = signedDistanceGrid(obstacle.mesh, cell, margin);
  }
}

/** Cells [m] and margin [m] of the distances to a mesh with such sides [m]. */
function gridFor(sides: Vec3, finest: number, coarsest: number): { cell: number; margin: number } {
  const cell = Math.max(finest, Math.max(...sides) / MOST_CELLS);
  // A particle is felt from its radius on, and may move half a spacing before it is looked at again.
  return { cell, margin: 1.5 * coarsest + 2 * cell };
}

/** What the distances to a mesh with such sides [m] take, around particles of such spacings [m] [bytes]. */
export function distanceGridBytes(sides: Vec3, spacings: readonly number[], isLiquid: boolean): number {
  const { cell, margin } = gridFor(sides, Math.min(...spacings) / sharesOf(isLiquid), Math.max(...spacings));
  return 4 * sides.reduce((nodes, side) => nodes * (Math.ceil((side + 2 * margin) / cell) + 1), 1);
}

/** Cells for a spacing: vessels have thinner walls than what bodies bump into. */
function sharesOf(isLiquid: boolean): number {
  return isLiquid ? 4 : 2;
}

/** The mesh of a shape, scaled to its size. */
export function meshOf(
  shape: { data?: TriangleMesh | undefined; size?: number | undefined },
  name: string,
): TriangleMesh {
  if (!shape.data) {
    throw new OptionError([
      { path: 'shape.mesh', message: `of "${name}" has no data: read the file first, or use loadScene` },
    ]);
  }
  return shape.size === undefined ? shape.data : scaleMesh(shape.data, shape.size);
}

/** Sides of the bounding box. */
function sides(positions: Float64Array): Vec3 {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, positions[k]!);
    high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
  }
  return [high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!];
}
