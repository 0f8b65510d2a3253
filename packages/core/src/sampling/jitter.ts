import type { Vec3 } from '../options/types.js';
import { type LatticePlan, sitesAround } from './lattice.js';
import type { SolidShape } from './solid-shape.js';

/** After as many draws a particle stays where it is: it has no room, as at the tip of a spike. */
const MAX_DRAWS = 100;

/** Particles to displace. */
export interface Sites {
  readonly positions: Float64Array;
  readonly spacings: Float64Array;
  /** Numbers of their sites in the unit cell. */
  readonly sites: Uint8Array;
}

/**
 * Random displacements of particles [m], xyz each: along each axis uniform up to `share` of the
 * particle's spacing. What would leave the particle's cell or the shape is drawn again, so that every
 * particle stays nearest to its own site and volumes hold.
 */
export function drawDisplacements(
  solid: SolidShape,
  plan: LatticePlan,
  { positions, spacings, sites }: Sites,
  share: number,
  seed: number,
): Float64Array {
  const faces = plan.basis.map((site) => cellFaces(plan, site));
  // Sites of one lattice have equal cells; only octree leaves are larger, by whole numbers.
  const unit = spacings.reduce((least, s) => Math.min(least, s), Infinity);
  const displacements = new Float64Array(3 * sites.length);
  for (let p = 0; p < sites.length; p++) {
    const edge = Math.round(spacings[p]! / unit);
    const reach = share * spacings[p]!;
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      const [a, b, c] = hash3(p, seed, draw);
      const d: Vec3 = [reach * symmetric(a), reach * symmetric(b), reach * symmetric(c)];
      if (!isInCell(d, faces[sites[p]!]!, edge)) continue;
      const at: Vec3 = [positions[3 * p]! + d[0], positions[3 * p + 1]! + d[1], positions[3 * p + 2]! + d[2]];
      if (!solid.contains(at)) continue;
      displacements.set(d, 3 * p);
      break;
    }
  }
  return displacements;
}

/** From one site to those around it that may bound its cell. */
function cellFaces(plan: LatticePlan, site: Vec3): Vec3[] {
  const around = sitesAround(plan, site, 1).slice(1);
  return around.map(({ i, j, k, basis }) => {
    const other = plan.basis[basis]!;
    return [
      (i + other[0] - site[0]) * plan.cell[0],
      (j + other[1] - site[1]) * plan.cell[1],
      (k + other[2] - site[2]) * plan.cell[2],
    ];
  });
}

/** Whether d is nearer to its own site than to the others, `edge` times as far away. */
function isInCell(d: Vec3, faces: readonly Vec3[], edge: number): boolean {
  return faces.every(([x, y, z]) => 2 * (d[0] * x + d[1] * y + d[2] * z) <= edge * (x * x + y * y + z * z));
}

/** 32 random bits to a number in (-1, 1). */
function symmetric(bits: number): number {
  return (bits + 0.5) / 2 ** 31 - 1;
}

/**
 * Three random words from three words: `pcg3d` of Jarzynski and Olano, "Hash functions for GPU
 * rendering", JCGT 9(3), 2020. No state, so a particle's numbers do not depend on those before it.
 */
function hash3(a: number, b: number, c: number): Vec3 {
  let x = (Math.imul(a, 1664525) + 1013904223) | 0;
  let y = (Math.imul(b, 1664525) + 1013904223) | 0;
  let z = (Math.imul(c, 1664525) + 1013904223) | 0;
  x = (x + Math.imul(y, z)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  x ^= x >>> 16;
  y ^= y >>> 16;
  z ^= z >>> 16;
  x = (x + Math.imul(y, z)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  return [x >>> 0, y >>> 0, z >>> 0];
}
