import type { Vec3 } from '../options/types.js';
import { type LatticePlan, sitesAround, tiesFrom } from './lattice.js';
import type { SolidShape } from './solid-shape.js';

/**
 * Share of each site's cell that lies in the shape [1]. The cell is the region nearer to this site than
 * to any other; it is measured at fixed points, and a point equally near to several sites is shared.
 */
export function measureCells(shape: SolidShape, plan: LatticePlan): Float32Array {
  const [nx, ny, nz] = plan.size;
  const [px, py, pz] = plan.points;
  const sites = plan.basis.length;
  const shares = new Float32Array(nx * ny * nz * sites);
  const owners = pointOwners(plan);
  const step: Vec3 = [plan.cell[0] / px, plan.cell[1] / py, plan.cell[2] / pz];
  const origin: Vec3 = [plan.origin[0] + step[0] / 2, plan.origin[1] + step[1] / 2, plan.origin[2] + step[2] / 2];
  shape.forEachLayer({ origin, step, size: [nx * px, ny * py, nz * pz] }, (layer, inside) => {
    const k = Math.floor(layer / pz);
    const c = layer - k * pz;
    let p = 0;
    for (let row = 0; row < ny * py; row++) {
      const j = Math.floor(row / py);
      const b = row - j * py;
      const firstPoint = (c * py + b) * px;
      let cell = (k * ny + j) * nx * sites;
      for (let i = 0; i < nx; i++, cell += sites) {
        for (let a = 0; a < px; a++, p++) {
          if (inside[p] === 0) continue;
          const point = firstPoint + a;
          for (let o = owners.start[point]!; o < owners.start[point + 1]!; o++) {
            const site = cell + owners.offset[o]!;
            if (site >= 0 && site < shares.length) shares[site]! += owners.weight[o]!;
          }
        }
      }
    }
  });
  return shares;
}

interface PointOwners {
  readonly start: Int32Array;
  /** Site number relative to the first site of the point's unit cell. */
  readonly offset: Int32Array;
  readonly weight: Float64Array;
}

/** For each fixed point of a unit cell the sites nearest to it, and which share of their cells it stands for. */
function pointOwners(plan: LatticePlan): PointOwners {
  const [nx, ny] = plan.size;
  const [px, py, pz] = plan.points;
  const sites = plan.basis.length;
  const perSite = (px * py * pz) / sites;
  const start = [0];
  const offset: number[] = [];
  const weight: number[] = [];
  for (let c = 0; c < pz; c++) {
    for (let b = 0; b < py; b++) {
      for (let a = 0; a < px; a++) {
        const around = sitesAround(plan, [(a + 0.5) / px, (b + 0.5) / py, (c + 0.5) / pz], 1);
        const n = tiesFrom(around, 0);
        for (let s = 0; s < n; s++) {
          const { i, j, k, basis } = around[s]!;
          offset.push(((k * ny + j) * nx + i) * sites + basis);
          weight.push(1 / (n * perSite));
        }
        start.push(offset.length);
      }
    }
  }
  return { start: Int32Array.from(start), offset: Int32Array.from(offset), weight: Float64Array.from(weight) };
}

/** Mean of x2, y2, z2 over a site's cell, about the site [m2]: what a cell adds to a point's second moment. */
export function cellMoments(plan: LatticePlan): Vec3 {
  const [px, py, pz] = plan.points;
  if (plan.basis.length === 1) return [square(plan.cell[0]) / 12, square(plan.cell[1]) / 12, square(plan.cell[2]) / 12];
  const sums: [number, number, number] = [0, 0, 0];
  const refine = 3;
  const n = [px * refine, py * refine, pz * refine] as const;
  const around = sitesAround(plan, [1 / 2, 1 / 2, 1 / 2], 1).map(({ i, j, k, basis }) => {
    const site = plan.basis[basis]!;
    return [(i + site[0]) * plan.cell[0], (j + site[1]) * plan.cell[1], (k + site[2]) * plan.cell[2]] as const;
  });
  for (let c = 0; c < n[2]; c++) {
    for (let b = 0; b < n[1]; b++) {
      for (let a = 0; a < n[0]; a++) {
        const x = ((a + 0.5) / n[0]) * plan.cell[0];
        const y = ((b + 0.5) / n[1]) * plan.cell[1];
        const z = ((c + 0.5) / n[2]) * plan.cell[2];
        let best = Infinity;
        let nearest = around[0]!;
        for (const site of around) {
          const distance = square(site[0] - x) + square(site[1] - y) + square(site[2] - z);
          if (distance >= best) continue;
          best = distance;
          nearest = site;
        }
        sums[0] += square(nearest[0] - x);
        sums[1] += square(nearest[1] - y);
        sums[2] += square(nearest[2] - z);
      }
    }
  }
  const count = n[0] * n[1] * n[2];
  const mean = (axis: 0 | 1 | 2) => sums[axis] / count + square(plan.cell[axis] / n[axis]) / 12;
  return [mean(0), mean(1), mean(2)];
}

function square(x: number): number {
  return x * x;
}
