import type { Neighborhoods } from '../surface/neighborhoods.js';
import type { BoundMesh, DisplayMesh } from './protocol.js';

/** A mesh with what its vertices follow as lists of equal length; `reach` as there. */
export function bound(mesh: DisplayMesh, { starts, indices, weights: own }: Neighborhoods, reach: number): BoundMesh {
  const vertices = starts.length - 1;
  let neighbors = 1;
  for (let v = 0; v < vertices; v++) neighbors = Math.max(neighbors, starts[v + 1]! - starts[v]!);
  const particles = new Uint32Array(neighbors * vertices);
  const weights = new Float32Array(neighbors * vertices);
  for (let v = 0; v < vertices; v++) {
    const shift = neighbors * v - starts[v]!;
    for (let n = starts[v]!; n < starts[v + 1]!; n++) {
      particles[shift + n] = indices[n]!;
      weights[shift + n] = own[n]!;
    }
  }
  return { ...mesh, neighbors, particles, weights, reach };
}
