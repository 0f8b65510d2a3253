import type { Lattice, Shape, Vec3 } from '../options/types.js';
import { type AirBridge, findParts } from './air.js';
import { findOutside } from './contact-radius.js';
import { cubeRoot } from './cube-root.js';
import { SamplingError } from './error.js';
import { drawDisplacements } from './jitter.js';
import { FIRST_VARIANT, type LatticePlan, type LatticeVariant, latticeVariants, planLattice } from './lattice.js';
import { mortonOrder } from './order.js';
import { countParticles, placeParticles } from './place.js';
import { type SolidShape, solidShape } from './solid-shape.js';
import { type Cells, exactSum, fitVolumes, MAX_SHARE, MIN_SHARE, particleMoments } from './volumes.js';

/** Particle numbers have 23 bits. */
const MAX_PARTICLES = 8_388_607;

/** A count this near to the wanted one ends the search for a spacing [1]. */
const GOOD_COUNT = 0.01;

/** Lattice sites that may be classified in that search. */
const SEARCH_WORK = 4e7;

/** Keeps particles of neighbouring cells apart. */
const MAX_JITTER = 0.45;

/** Below this many layers a shape bends and stretches poorly. */
const ADVISED_LAYERS = 3;

export interface SamplingOptions {
  /**
   * Cube root of the volume per particle [m]: for the cubic lattice the distance of neighbours, which is
   * 1.091 of it for bcc and 1.122 for hcp; for the octree the edge of the finest cells. Exactly one of
   * `spacing` and `particles` is given.
   */
  readonly spacing?: number | undefined;
  /** Wanted number of particles; the spacing that comes nearest is found. */
  readonly particles?: number | undefined;
  readonly lattice: Lattice;
  /** Largest random displacement along each axis as a share of the spacing, from 0 to 0.45 [1]; 0 when left out. */
  readonly jitter?: number | undefined;
  /** Fewer layers of particles than this are warned of; what an elastic body needs when left out. */
  readonly advisedLayers?: number | undefined;
  /** How far neighbours reach, in cells; says that those across air are to be looked for. */
  readonly reach?: number | undefined;
  /** May parts that air separates move apart? Those of what finds its neighbours anew may not. */
  readonly separates?: boolean | undefined;
  /** Start of the random displacements, a whole number from 0 to 2^32 - 1; 0 when left out. */
  readonly seed?: number | undefined;
}

/** How well the particles stand for the shape. */
export interface SamplingQuality {
  /** Relative error of the volume if each particle had its full lattice cell [1]. */
  readonly volumeBeforeCorrection: number;
  /** Distance of the centroids over the longest side of the bounds [1]. */
  readonly centroidError: number;
  /** Relative error of the integrals of x2, y2, z2 about the centroid with particles as points [1]. */
  readonly secondMomentError: Vec3;
  /** The same with each cell's own second moment. */
  readonly secondMomentErrorWithCells: Vec3;
  /**
   * The errors of centroid and second moments with cells before the volumes were fitted to them. The fit
   * makes the figures above small by construction; these tell how well the lattice caught the shape.
   */
  readonly beforeFit: { readonly centroidError: number; readonly secondMomentErrorWithCells: Vec3 };
  /** Particles across the thinnest part, about. */
  readonly layers: number;
}

export interface Samples {
  /** xyz per particle in the shape's own coordinates [m]. */
  readonly positions: Float64Array;
  /** [m3]; their sum is `volume`. */
  readonly volumes: Float64Array;
  /** Edge of each particle's cell [m]. */
  readonly spacings: Float64Array;
  /** From each particle to the centroid of its cell, xyz [m]; undefined when particles are not displaced. */
  readonly offsets?: Float64Array | undefined;
  /** Distance at which each particle touches obstacles [m]; undefined where it is half of its cell. */
  readonly contactRadii?: Float32Array | undefined;
  /** xyz per particle: outward normal of the surface for those that carry a flat part of it, zero for others. */
  readonly normals: Float32Array;
  /** Numbers at which parts end that air separates, where there are several. */
  readonly parts?: readonly number[] | undefined;
  /** Smallest of the spacings [m]. */
  readonly spacing: number;
  /** Volume of the shape [m3]. */
  readonly volume: number;
  readonly quality: SamplingQuality;
  readonly warnings: readonly string[];
}

/** Fills a shape with particles on a lattice; masses follow from the volumes, which sum to the shape's. */
export function sampleShape(shape: Shape, options: SamplingOptions): Samples {
  const {
    spacing,
    particles,
    lattice,
    jitter = 0,
    seed = 0,
    advisedLayers = ADVISED_LAYERS,
    reach,
    separates = true,
  } = options;
  if ((spacing === undefined) === (particles === undefined)) {
    throw new SamplingError('give exactly one of spacing and particles');
  }
  if (!(jitter >= 0 && jitter <= MAX_JITTER)) {
    throw new SamplingError(`jitter must be from 0 to ${MAX_JITTER}, got ${jitter}`);
  }
  if (seed >>> 0 !== seed) throw new SamplingError(`seed must be a whole number from 0 to 4294967295, got ${seed}`);
  const solid = solidShape(shape);
  if (!(solid.measures.volume > 0)) throw new SamplingError(`${solid.name} must have a volume > 0 m3`);
  if (spacing !== undefined) {
    if (!(spacing > 0) || !Number.isFinite(spacing)) throw new SamplingError(`spacing must be > 0 m, got ${spacing}`);
    refuseTooMany(solid, lattice, spacing);
  }
  const plan = spacing === undefined ? findPlan(solid, lattice, particles!) : planLattice(solid, lattice, spacing);
  const used = plan.spacing;
  if (solid.thickness < used / 2) throw tooThin(solid, used, particles !== undefined); // half a layer rounds to none
  const cells = placeParticles(solid, plan, lattice);
  if (cells.volumes.length === 0) throw tooThin(solid, used, particles !== undefined);
  if (cells.volumes.length > MAX_PARTICLES) throw tooMany(cells.volumes.length, used);
  const rawShare = exactSum(cells.full) / solid.measures.volume;
  if (rawShare * MAX_SHARE < 1 || rawShare * MIN_SHARE > 1) throw tooThin(solid, used, particles !== undefined);
  const measured = exactSum(cells.volumes) / solid.measures.volume;
  const { centroidError, secondMomentErrorWithCells } = momentErrors(
    solid,
    cells,
    cells.volumes.map((v) => v / measured),
  );
  fitVolumes(cells, cells.volumes, solid.measures, longestSide(solid) / 2);
  const layers = solid.thickness / used;
  const warnings = [...solid.warnings];
  if (layers < advisedLayers) {
    warnings.push(
      `${solid.name} is ${round(solid.thickness)} m thin, about ${round(layers)} layers of particles: ` +
        `use spacing <= ${round(solid.thickness / advisedLayers)} m for ${advisedLayers}`,
    );
  }
  let order = mortonOrder(cells.positions, solid.low, 2 * used);
  const parts =
    reach !== undefined && mayHaveGaps(shape)
      ? findParts(solid, gather(cells.positions, order, 3), gather(cells.edges, order, 1), reach)
      : undefined;
  const isApart = separates && parts !== undefined && parts.count > 1;
  if (isApart) order = byParts(order, parts.partOf);
  const spacings = gather(cells.edges, order, 1);
  let smallest = Infinity;
  for (const s of spacings) smallest = Math.min(smallest, s);
  const positions = gather(cells.positions, order, 3);
  if (isApart && parts.gap) {
    warnings.push(
      `${solid.name} has parts with air between them, ${where(parts.gap)}: each moves by itself; ` +
        'what is to hold together must overlap or touch',
    );
  }
  const bridge = parts?.bridge ?? (separates ? undefined : parts?.gap);
  if (bridge) {
    warnings.push(
      `${solid.name} has parts that are held together across air, ${where(bridge)}: ` +
        `gaps of up to about ${round(reach! * used)} m are bridged with this spacing; use a smaller one, or make the parts bodies of their own`,
    );
  }
  let offsets: Float64Array | undefined;
  if (jitter > 0) {
    const sites = { positions, spacings, sites: gather(cells.sites, order, 1) };
    const displacements = drawDisplacements(solid, plan, sites, jitter, seed);
    offsets = new Float64Array(positions.length);
    for (let c = 0; c < positions.length; c++) {
      const centroid = positions[c]!;
      positions[c] = centroid + displacements[c]!;
      offsets[c] = centroid - positions[c]!;
    }
  }
  const outside = findOutside(solid, positions, spacings);
  return {
    positions,
    volumes: gather(cells.volumes, order, 1),
    spacings,
    offsets,
    contactRadii: outside.radii,
    normals: outside.normals,
    parts: isApart ? endsOf(parts.partOf, parts.count) : undefined,
    spacing: smallest,
    volume: solid.measures.volume,
    quality: {
      volumeBeforeCorrection: rawShare - 1,
      ...momentErrors(solid, cells, cells.volumes),
      beforeFit: { centroidError, secondMomentErrorWithCells },
      layers,
    },
    warnings,
  };
}

function where({ a, b }: AirBridge): string {
  return `near (${a.map((x, k) => round((x + b[k]!) / 2)).join(', ')}) m in its own coordinates`;
}

/** One part after the other, each in the given order. */
function byParts(order: Uint32Array, partOf: Uint32Array): Uint32Array {
  const slots = order.map((_, n) => n).sort((a, b) => partOf[a]! - partOf[b]! || a - b);
  return slots.map((n) => order[n]!);
}

/** Numbers of the particles at which parts end, by their order. */
function endsOf(partOf: Uint32Array, count: number): number[] {
  const ends = new Array<number>(count).fill(0);
  for (const part of partOf) ends[part]!++;
  for (let k = 1; k < count; k++) ends[k]! += ends[k - 1]!;
  return ends;
}

/** Can two points of a shape be near each other across air? */
function mayHaveGaps(shape: Shape): boolean {
  return 'mesh' in shape || 'torus' in shape;
}

/**
 * The lattice whose count comes nearest to the target: first by the rule count ~ spacing^-3, then by
 * trying spacings and variants around it. Symmetric shapes gain and lose particles many at a time.
 */
function findPlan(solid: SolidShape, lattice: Lattice, target: number): LatticePlan {
  if (!Number.isInteger(target) || target < 1) {
    throw new SamplingError(`particles must be a whole number >= 1, got ${target}`);
  }
  if (target > MAX_PARTICLES) throw new SamplingError(`particles must be <= ${MAX_PARTICLES}, got ${target}`);
  let best: LatticePlan | undefined;
  let bestMiss = Infinity;
  let work = 0;
  const attempt = (spacing: number, variant: LatticeVariant): number => {
    const plan = planLattice(solid, lattice, spacing, variant);
    const count = countParticles(solid, plan, lattice);
    work += plan.size[0] * plan.size[1] * plan.size[2] * plan.basis.length * (lattice === 'octree' ? 64 : 1);
    const miss = Math.abs(count - target);
    if (miss < bestMiss) {
      bestMiss = miss;
      best = plan;
    }
    return count;
  };
  let spacing = cubeRoot(solid.measures.volume / target);
  let last: Attempt | undefined;
  for (let n = 0; n < 6 && bestMiss > GOOD_COUNT * target; n++) {
    const now = { spacing, count: attempt(spacing, FIRST_VARIANT) };
    spacing = nextSpacing(now, last, target);
    last = now;
  }
  const middle = best!.spacing;
  const variants = latticeVariants(solid, lattice);
  for (let n = 0; n <= 20 && work < SEARCH_WORK; n++) {
    for (const variant of variants) {
      for (const side of n === 0 ? [0] : [1, -1]) {
        if (bestMiss <= GOOD_COUNT * target) return best!;
        attempt(middle * (1 + side * 0.002 * n), variant);
      }
    }
  }
  return best!;
}

interface Attempt {
  readonly spacing: number;
  readonly count: number;
}

/**
 * The spacing to try next. Two attempts determine count = a/spacing2 + b/spacing3, particles at the
 * surface and inside (octrees have many of the first kind); one only the second term.
 */
function nextSpacing(now: Attempt, last: Attempt | undefined, target: number): number {
  const ratio = Math.min(8, Math.max(1 / 8, Math.max(now.count, 0.5) / target));
  const byVolume = now.spacing * cubeRoot(ratio);
  if (!last || last.spacing === now.spacing) return byVolume;
  const x = 1 / now.spacing;
  const y = 1 / last.spacing;
  const b = (now.count / (x * x) - last.count / (y * y)) / (x - y);
  const a = now.count / (x * x) - b * x;
  if (!(a >= 0 && b > 0)) return byVolume;
  // The count grows steadily with 1/spacing, and steeper and steeper: Newton's steps converge.
  let z = 1 / byVolume;
  for (let n = 0; n < 30; n++) z -= (z * z * (a + b * z) - target) / (z * (2 * a + 3 * b * z));
  return z > 0 ? 1 / z : byVolume;
}

/** How far volume, centroid and second moments of the particles are from those of the shape. */
function momentErrors(solid: SolidShape, cells: Cells, volumes: Float64Array) {
  const { centroid, secondMoments, volume } = solid.measures;
  const points = particleMoments(cells, volumes, centroid, false);
  const full = particleMoments(cells, volumes, centroid, true);
  const [x, y, z] = points.first;
  const relative = (second: Vec3): Vec3 => [
    second[0] / secondMoments[0] - 1,
    second[1] / secondMoments[1] - 1,
    second[2] / secondMoments[2] - 1,
  ];
  return {
    centroidError: Math.sqrt(x * x + y * y + z * z) / volume / longestSide(solid),
    secondMomentError: relative(points.second),
    secondMomentErrorWithCells: relative(full.second),
  };
}

function refuseTooMany(solid: SolidShape, lattice: Lattice, spacing: number): void {
  const expected = solid.measures.volume / (spacing * spacing * spacing);
  // Large leaves hold up to 64 cells of an octree.
  if (expected > 1.2 * MAX_PARTICLES * (lattice === 'octree' ? 64 : 1)) throw tooMany(Math.round(expected), spacing);
}

function tooMany(count: number, spacing: number): SamplingError {
  const cure = spacing * cubeRoot(count / MAX_PARTICLES);
  return new SamplingError(
    `spacing ${round(spacing)} m gives ${count} particles, more than ${MAX_PARTICLES}: use spacing >= ${round(1.01 * cure)} m`,
  );
}

function tooThin(solid: SolidShape, spacing: number, byCount: boolean): SamplingError {
  const wanted = Math.min(solid.thickness, spacing) / 2;
  const count = Math.ceil(solid.measures.volume / (wanted * wanted * wanted));
  const cure = byCount ? `particles >= ${count}` : `spacing <= ${round(wanted)} m`;
  return new SamplingError(
    `${solid.name} is ${round(solid.thickness)} m thin but spacing is ${round(spacing)} m: use ${cure}`,
  );
}

function longestSide(solid: SolidShape): number {
  return Math.max(solid.high[0] - solid.low[0], solid.high[1] - solid.low[1], solid.high[2] - solid.low[2]);
}

function gather<T extends Float64Array | Uint8Array>(values: T, order: Uint32Array, width: number): T {
  const out = values.slice() as T;
  for (let n = 0; n < order.length; n++) {
    for (let c = 0; c < width; c++) out[width * n + c] = values[width * order[n]! + c]!;
  }
  return out;
}

/** Three digits, for messages. */
function round(x: number): number {
  return Number(x.toPrecision(3));
}
