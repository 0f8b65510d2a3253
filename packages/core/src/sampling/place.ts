import type { Lattice } from '../options/types.js';
import { cellMoments, measureCells } from './cells.js';
import { cubeRoot } from './cube-root.js';
import { findInsideSites, type LatticePlan, sitePosition } from './lattice.js';
import { mergeCells } from './octree.js';
import type { SolidShape } from './solid-shape.js';
import { type Cells, handOver } from './volumes.js';

/** Sizes of octree leaves: the finest and twice and four times its edge. */
const OCTREE_LEVELS = 3;

/** Particles with the volumes measured on the lattice, before they are fitted to the shape. */
export interface PlacedCells extends Cells {
  /** [m3] */
  readonly volumes: Float64Array;
  /** Edge of a cube of the cell's volume [m]. */
  readonly edges: Float64Array;
  /** Share of the particle's cell that is inside the shape [1]. */
  readonly shares: Float64Array;
  /** Number of the particle's site in the unit cell. */
  readonly sites: Uint8Array;
}

/** Particles at the sites inside, with the measured volumes of their cells and of those without a particle. */
export function placeParticles(solid: SolidShape, plan: LatticePlan, lattice: Lattice): PlacedCells {
  const [nx, ny] = plan.size;
  const sites = plan.basis.length;
  const inside = findInsideSites(solid, plan);
  const shares = measureCells(solid, plan);
  const leafEdges = lattice === 'octree' ? mergeCells(shares, plan.size, OCTREE_LEVELS) : undefined;
  const particleOf = new Int32Array(shares.length).fill(-1);
  let count = 0;
  for (let site = 0; site < shares.length; site++) {
    const edge = leafEdges ? leafEdges[site]! : 1;
    if (edge > 1 || (edge === 1 && inside[site] === 1)) particleOf[site] = count++;
  }
  const positions = new Float64Array(3 * count);
  const volumes = new Float64Array(count);
  const full = new Float64Array(count);
  const edges = new Float64Array(count);
  const ownShares = new Float64Array(count);
  const siteOf = new Uint8Array(count);
  const own = new Float64Array(3 * count);
  const moments = cellMoments(plan);
  const siteEdge = lattice === 'octree' || plan.basis.length === 1 ? cubeRoot(plan.siteVolume) : plan.spacing;
  for (let site = 0; site < shares.length; site++) {
    const p = particleOf[site]!;
    if (p < 0) continue;
    const basis = site % sites;
    const cell = (site - basis) / sites;
    const edge = leafEdges ? leafEdges[site]! : 1;
    const at = sitePosition(plan, cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny)), basis);
    full[p] = edge * edge * edge * plan.siteVolume;
    // Cells that are merged are whole.
    ownShares[p] = edge > 1 ? 1 : shares[site]!;
    volumes[p] = ownShares[p]! * full[p]!;
    edges[p] = edge * siteEdge;
    siteOf[p] = basis;
    for (let axis = 0; axis < 3; axis++) {
      positions[3 * p + axis] = at[axis]! + ((edge - 1) / 2) * plan.cell[axis]!;
      own[3 * p + axis] = edge * edge * moments[axis]!;
    }
  }
  // Cells within a larger leaf are taken care of by it.
  if (leafEdges) for (let site = 0; site < shares.length; site++) if (leafEdges[site] !== 1) shares[site] = 0;
  handOver(plan, shares, particleOf, volumes);
  return { positions, volumes, full, edges, own, shares: ownShares, sites: siteOf };
}

/** How many particles placeParticles would make. */
export function countParticles(solid: SolidShape, plan: LatticePlan, lattice: Lattice): number {
  const inside = findInsideSites(solid, plan);
  let count = 0;
  if (lattice === 'octree') {
    const edges = mergeCells(measureCells(solid, plan), plan.size, OCTREE_LEVELS);
    for (let s = 0; s < inside.length; s++) if (edges[s]! > 1 || (edges[s] === 1 && inside[s] === 1)) count++;
  } else for (let s = 0; s < inside.length; s++) count += inside[s]!;
  return count;
}
