/** Whether the meshes of a run bound what they are to bound, in every frame. */
import { type Closedness, meshClosedness, weldMap } from 'phyxel';
import { bounds, type ExportMesh } from './geometry.js';

/** Vertices of a body nearer than this share of its size at the start are one: seams of rounded coordinates. */
const SAME = 1e-6;
/** How far seams may open, as a share of the size. */
const SEAM = 1e-5;

export interface ManifoldCheck extends Closedness {
  /** Largest distance of vertices that are one, over the size of the mesh [1]. */
  readonly seam: number;
  /** What is wrong, in words; empty when nothing is. */
  readonly problems: readonly string[];
}

/** Looks at the meshes of one run, frame by frame: the first one tells which vertices of a body are one. */
export class MeshInspector {
  readonly #same = new Map<string, Uint32Array>();

  inspect(mesh: ExportMesh): ManifoldCheck {
    // Surfaces of liquids have no seams: what is at one place by chance stays apart.
    const same = mesh.motion && this.#sameVertices(mesh);
    const closedness = meshClosedness(mesh.positions, mesh.indices, same);
    const seam = same ? widestSeam(mesh.positions, same) / sizeOf(mesh.positions) : 0;
    return { ...closedness, seam, problems: problemsOf(mesh, closedness, seam) };
  }

  #sameVertices({ name, positions }: ExportMesh): Uint32Array {
    const known = this.#same.get(name);
    if (known) return known;
    const same = weldMap(Float64Array.from(positions), SAME * sizeOf(positions));
    this.#same.set(name, same);
    return same;
  }
}

function problemsOf({ indices }: ExportMesh, found: Closedness, seam: number): string[] {
  const counts: readonly (readonly [number, string])[] = [
    [found.lostVertices, 'coordinates that are no numbers'],
    [found.openEdges, 'open edges'],
    [found.nonManifoldEdges, 'edges with more than two triangles'],
    [found.turnedEdges, 'edges whose triangles are oriented against each other'],
  ];
  const problems = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (seam > SEAM) problems.push(`seams that are ${seam.toExponential(1)} of its size wide`);
  if (indices.length > 0 && !(found.volume > 0)) problems.push(`a volume of ${found.volume} m3`);
  return problems;
}

function sizeOf(positions: ArrayLike<number>): number {
  const { low, high } = bounds(positions);
  return Math.max(...low.map((x, a) => high[a]! - x)) || 1;
}

function widestSeam(positions: ArrayLike<number>, same: Uint32Array): number {
  let most = 0;
  for (let v = 0; v < same.length; v++) {
    for (let k = 0; k < 3; k++) most = Math.max(most, Math.abs(positions[3 * v + k]! - positions[3 * same[v]! + k]!));
  }
  return most;
}
