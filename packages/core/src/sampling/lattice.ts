import type { Lattice, Vec3 } from '../options/types.js';
import { SamplingError } from './error.js';
import type { SolidShape } from './solid-shape.js';

/** More lattice sites than this in the bounds of a shape do not fit in memory. */
const MAX_SITES = 1 << 28;

/**
 * A periodic arrangement of sites: a rectangular unit cell with `basis` sites in it, given in shares of
 * its edges. `spacing` is the cube root of the volume per site, so that lattices of equal spacing have
 * equally many sites.
 */
interface LatticeKind {
  /** Edges of the unit cell in spacings. */
  readonly cell: Vec3;
  readonly basis: readonly Vec3[];
  /** Layers of sites per unit cell along each axis; bounds are filled with whole layers. */
  readonly layers: Vec3;
  /** Fixed points per axis at which a unit cell is measured. */
  readonly points: readonly [number, number, number];
}

const ROOT_3 = Math.sqrt(3);
/** 2^(1/3), edge of the body-centred unit cell in spacings. */
const BCC_EDGE = 1.2599210498948732;
/** 2^(1/6), nearest distance of the hexagonal close packing in spacings. */
const HCP_DISTANCE = 1.122462048309373;

const KINDS: Readonly<Record<Lattice, LatticeKind>> = {
  /** Neighbours at 1 spacing. */
  cubic: { cell: [1, 1, 1], basis: [[1 / 2, 1 / 2, 1 / 2]], layers: [1, 1, 1], points: [4, 4, 4] },
  octree: { cell: [1, 1, 1], basis: [[1 / 2, 1 / 2, 1 / 2]], layers: [1, 1, 1], points: [4, 4, 4] },
  /** Neighbours at 1.091 spacings (eight) and 1.260 (six), [S08] chapter 5. */
  bcc: {
    cell: [BCC_EDGE, BCC_EDGE, BCC_EDGE],
    basis: [
      [1 / 4, 1 / 4, 1 / 4],
      [3 / 4, 3 / 4, 3 / 4],
    ],
    layers: [2, 2, 2],
    points: [6, 6, 6],
  },
  /** Neighbours at 1.122 spacings (twelve), [K06] 4.3.1; layers are stacked along z. */
  hcp: {
    cell: [HCP_DISTANCE, ROOT_3 * HCP_DISTANCE, Math.sqrt(8 / 3) * HCP_DISTANCE],
    basis: [
      [1 / 4, 1 / 6, 1 / 4],
      [3 / 4, 2 / 3, 1 / 4],
      [3 / 4, 1 / 3, 3 / 4],
      [1 / 4, 5 / 6, 3 / 4],
    ],
    layers: [2, 2, 2],
    points: [4, 6, 6],
  },
};

/** A lattice laid over the bounds of a shape. Site b of unit cell (i, j, k) has number ((k ny + j) nx + i) B + b. */
export interface LatticePlan {
  /** Asked-for spacing [m]. */
  readonly spacing: number;
  /** Low corner of the first unit cell [m]. */
  readonly origin: Vec3;
  /** Edges of the unit cell [m]. */
  readonly cell: Vec3;
  readonly size: readonly [number, number, number];
  readonly basis: readonly Vec3[];
  readonly points: readonly [number, number, number];
  /** Volume of one site's cell [m3]. */
  readonly siteVolume: number;
}

/**
 * Lays a lattice symmetrically over the bounds; along flat axes it is stretched to fit whole layers.
 * `variant` is one of the equally good ways to do so, see latticeVariants.
 */
export function planLattice(
  shape: SolidShape,
  lattice: Lattice,
  spacing: number,
  variant = FIRST_VARIANT,
): LatticePlan {
  const kind = KINDS[lattice];
  const cell: [number, number, number] = [0, 0, 0];
  const origin: [number, number, number] = [0, 0, 0];
  const size: [number, number, number] = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const extent = shape.high[axis]! - shape.low[axis]!;
    const perCell = kind.layers[axis]!;
    const extra = shape.flat[axis] ? variant.flat : variant.round;
    const { layers, layer } = fitLayers(extent, shape.flat[axis]!, lattice, axis, spacing, extra);
    cell[axis] = layer * perCell;
    const pad = lattice === 'octree' ? octreePad(layers) : kind.basis.length > 1 ? 2 : 1;
    const middle = (shape.low[axis]! + shape.high[axis]!) / 2;
    origin[axis] = middle - (layers / 2) * layer - pad * cell[axis]!;
    size[axis] = Math.ceil(layers / perCell) + 2 * pad;
  }
  const sites = size[0] * size[1] * size[2] * kind.basis.length;
  if (sites > MAX_SITES) {
    throw new SamplingError(
      `spacing ${spacing} m needs ${sites} lattice sites to cover the ${shape.name}: use a larger spacing`,
    );
  }
  // Measure huge lattices at fewer points per cell.
  const coarse = sites * 64 > 2e9;
  return {
    spacing,
    origin,
    cell,
    size,
    basis: kind.basis,
    points: coarse ? [2, 2, 2] : kind.points,
    siteVolume: (cell[0] * cell[1] * cell[2]) / kind.basis.length,
  };
}

/** Layers of sites along an axis and their distance [m]; what is flat there is filled with whole ones. */
function fitLayers(extent: number, isFlat: boolean, lattice: Lattice, axis: number, spacing: number, extra: number) {
  const { cell, layers: perCell } = KINDS[lattice];
  const layer = (cell[axis]! * spacing) / perCell[axis]!;
  const layers = Math.max(lattice === 'octree' ? 2 : 1, layerCount(extent / layer, lattice) + extra);
  return { layers, layer: isFlat ? extent / layers : layer };
}

/** What is known of the sites inside a shape without classifying them. */
export interface SiteEstimate {
  readonly count: number;
  /** Sites within some spacings of one inside, on average over it. */
  neighbors(radius: number): number;
}

/** About how many sites are inside a shape of some volume [m3], surface [m2] and extents [m], and near each other. */
export function estimateSites(
  { volume, area, extents, flat }: ShapeSize,
  lattice: Lattice,
  spacing: number,
): SiteEstimate {
  const { basis, layers: perCell } = KINDS[lattice];
  const fits = extents.map((extent, axis) => fitLayers(extent, flat[axis]!, lattice, axis, spacing, 0));
  const cell = fits.map(({ layer }, axis) => layer * perCell[axis]!) as unknown as Vec3;
  const site = (cell[0] * cell[1] * cell[2]) / basis.length;
  const all = volume / site;
  // Where boxes are filled it is known at which layer the leaves begin that are larger; elsewhere about at this depth.
  const inner = (depths: readonly number[]) =>
    flat.every(Boolean)
      ? fits.reduce((n, { layers }, axis) => n * Math.max(0, layers - 2 * depths[axis]!), 1)
      : all * Math.max(0, 1 - (ROUND_DEPTH * spacing * area) / (3 * volume)) ** 3;
  const merged = lattice === 'octree' ? inner(fits.map(({ layers }) => octreePad(layers))) : 0;
  // A shape that is moved by d overlaps itself but for |d| area / 4, on average over directions.
  const lost = area / (4 * volume);
  return {
    count: Math.max(1, Math.round(all - (7 / 8) * merged)),
    neighbors(radius) {
      const reach = radius * (basis.length === 1 ? Math.cbrt(site) : spacing);
      const most = cell.map((edge) => Math.ceil(reach / edge));
      let sum = 0;
      for (let i = -most[0]!; i <= most[0]!; i++) {
        for (let j = -most[1]!; j <= most[1]!; j++) {
          for (let k = -most[2]!; k <= most[2]!; k++) {
            for (const a of basis) {
              for (const b of basis) {
                const d = Math.hypot(
                  (i + b[0] - a[0]) * cell[0],
                  (j + b[1] - a[1]) * cell[1],
                  (k + b[2] - a[2]) * cell[2],
                );
                if (d > 0 && d < reach) sum += Math.max(LEAST_KEPT, 1 - lost * d);
              }
            }
          }
        }
      }
      return sum / basis.length;
    },
  };
}

/** What estimates know of a shape. */
export interface ShapeSize {
  /** [m3], [m2], [m] */
  readonly volume: number;
  readonly area: number;
  readonly extents: Vec3;
  readonly flat: readonly boolean[];
}

/** Depth at which leaves of octrees begin to be larger in round shapes, in spacings. */
const ROUND_DEPTH = 2.8;
/** Share of the neighbours that even small shapes have. */
const LEAST_KEPT = 0.2;

/**
 * Whole layers nearest to the wanted number. Body-centred layers come in two kinds that alternate: an
 * odd number has the same kind on both sides, so that the lattice mirrors itself. Octrees need pairs.
 */
function layerCount(wanted: number, lattice: Lattice): number {
  if (lattice === 'bcc') return Math.max(1, 2 * Math.round((wanted - 1) / 2) + 1);
  if (lattice === 'octree') return Math.max(2, 2 * Math.round(wanted / 2));
  return Math.max(1, Math.round(wanted));
}

/** Cells around the bounds that make the middle a corner or centre of the largest blocks. */
function octreePad(layers: number): number {
  return (layers / 2) % 2 === 0 ? 2 : 1;
}

/** Layers added to the nearest number, along flat axes and along the others. */
export interface LatticeVariant {
  readonly flat: number;
  readonly round: number;
}

export const FIRST_VARIANT: LatticeVariant = { flat: 0, round: 0 };

/**
 * Ways to lay a lattice that differ in their number of particles: with a site or a cell's face in the
 * middle of the bounds, and with one layer more or less along an axis that is fitted while others are not.
 */
export function latticeVariants(shape: SolidShape, lattice: Lattice): LatticeVariant[] {
  const rounds = lattice === 'octree' || !shape.flat.includes(false) ? [0] : [0, 1];
  const step = lattice === 'bcc' || lattice === 'octree' ? 2 : 1;
  const flats = shape.flat.includes(true) && shape.flat.includes(false) ? [0, step, -step] : [0];
  return flats.flatMap((flat) => rounds.map((round) => ({ flat, round })));
}

/** Where a site is [m]. */
export function sitePosition(plan: LatticePlan, i: number, j: number, k: number, b: number): Vec3 {
  const at = plan.basis[b]!;
  return [
    plan.origin[0] + (i + at[0]) * plan.cell[0],
    plan.origin[1] + (j + at[1]) * plan.cell[1],
    plan.origin[2] + (k + at[2]) * plan.cell[2],
  ];
}

/** 1 for each site inside of the shape. */
export function findInsideSites(shape: SolidShape, plan: LatticePlan): Uint8Array {
  const [nx, ny, nz] = plan.size;
  const count = plan.basis.length;
  const inside = new Uint8Array(nx * ny * nz * count);
  for (let b = 0; b < count; b++) {
    const grid = { origin: sitePosition(plan, 0, 0, 0, b), step: plan.cell, size: plan.size };
    shape.forEachLayer(grid, (k, layer) => {
      const first = k * nx * ny;
      for (let p = 0; p < layer.length; p++) inside[(first + p) * count + b] = layer[p]!;
    });
  }
  return inside;
}

/** A site relative to the unit cell (0, 0, 0). */
export interface SiteOffset {
  readonly i: number;
  readonly j: number;
  readonly k: number;
  readonly basis: number;
  /** [m] */
  readonly distance: number;
}

/** Sites around a point given in shares of the unit cell, up to `reach` cells away, nearest first. */
export function sitesAround(plan: LatticePlan, at: Vec3, reach: number): SiteOffset[] {
  const found: SiteOffset[] = [];
  for (let k = -reach; k <= reach; k++) {
    for (let j = -reach; j <= reach; j++) {
      for (let i = -reach; i <= reach; i++) {
        plan.basis.forEach((b, basis) => {
          const x = (i + b[0] - at[0]) * plan.cell[0];
          const y = (j + b[1] - at[1]) * plan.cell[1];
          const z = (k + b[2] - at[2]) * plan.cell[2];
          found.push({ i, j, k, basis, distance: Math.sqrt(x * x + y * y + z * z) });
        });
      }
    }
  }
  return found.sort((a, b) => a.distance - b.distance);
}

/** Number of entries from `from` on that are as near as the first of them, to rounding. */
export function tiesFrom(sites: readonly SiteOffset[], from: number): number {
  const limit = sites[from]!.distance * (1 + 1e-9);
  let n = 1;
  while (from + n < sites.length && sites[from + n]!.distance <= limit) n++;
  return n;
}
