/** Obstacles whose shape is a mesh. */
import { signedDistanceGrid } from '../mesh/index.js';
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
  // Vessels have thinner walls than what bodies bump into.
  const share = bodies.some(({ matter }) => matter.isFluid) ? 4 : 2;
  for (const obstacle of obstacles) {
    if (!obstacle.mesh) continue;
    const side = Math.max(...sides(obstacle.mesh.positions));
    const cell = Math.max(finest / share, side / MOST_CELLS);
    // A particle is felt from its radius on, and may move half a spacing before it is looked at again.
    obstacle.grid = signedDistanceGrid(obstacle.mesh, cell, 1.5 * coarsest + 2 * cell);
  }
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
