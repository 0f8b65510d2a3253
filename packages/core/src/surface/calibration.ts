import {
  INNER,
  INSIDE,
  LAYER,
  NARROWEST,
  OUTER,
  RESTORED,
  SIMILAR,
  SUPPORT,
  WIDEST,
} from '../particles/liquid-surface-layout.js';
import { cubeRoot } from '../sampling/cube-root.js';
import { widened } from './cut.js';

/**
 * The constants of the liquid's surface, from sums over cubic lattices: the level at which the surface of much
 * liquid is where its outermost cells end, and how much higher the kernels of thin sheets, threads and
 * single particles must be for these to keep their volume at that level. Lengths are in spacings; f64, with
 * nothing but sums, products and roots, so the same everywhere.
 */
export interface SurfaceCalibration {
  readonly level: number;
  readonly bulkWeight: number;
  readonly bulkVariance: number;
  /**
   * A single particle, a thread and a sheet of them, and much liquid: how clustered it is
   * around a particle at the surface, and by how much higher their kernels must be.
   */
  readonly forms: readonly { readonly clustering: number; readonly factor: number }[];
}

type Triple = [number, number, number];

/** Layers of a slab that is much liquid: the middle sees neither side. */
const SLAB = 16;
/** Points per side that averages over a cell of the lattice are taken at. */
const PHASES = 8;
const REACH = Math.floor(SUPPORT);

/** (1 - r^2 / h^2)^2 */
function weight(r2: number): number {
  const p = Math.max(0, 1 - r2 / (SUPPORT * SUPPORT));
  return p * p;
}

function rise(value: number, from: number, to: number): number {
  const t = Math.min(Math.max((value - from) / (to - from), 0), 1);
  return t * t * (3 - 2 * t);
}

/** Sum over all positions of a lattice within the reach of weights. */
function sumAround(sizes: Triple, index: Triple, term: (offset: Triple, index: Triple) => number): number {
  let sum = 0;
  for (let x = -REACH; x <= REACH; x++) {
    for (let y = -REACH; y <= REACH; y++) {
      for (let z = -REACH; z <= REACH; z++) {
        const offset: Triple = [x, y, z];
        const there = index.map((k, a) => (sizes[a] === Infinity ? 0 : k + offset[a]!)) as Triple;
        if (there.some((k, a) => k < 0 || k >= Math.min(sizes[a]!, SLAB))) continue;
        sum += term(offset, there);
      }
    }
  }
  return sum;
}

const squared = ([x, y, z]: Triple) => x * x + y * y + z * z;

const LINE: Triple = [Infinity, 1, 1];
const LINE_WEIGHT = sumAround(LINE, [0, 0, 0], (r) => weight(squared(r)));

interface Constants {
  readonly bulkWeight: number;
  readonly bulkVariance: number;
}

/** A kernel of a lattice, whose axes are its own. */
interface LatticeKernel {
  readonly centre: Triple;
  readonly extent: Triple;
  /** How clustered it is around it. */
  readonly clustering: number;
}

/** The kernels of a lattice of some sizes, without end along axes of size Infinity; see assembly/surface/kernels.ts. */
function latticeKernels(sizes: Triple, constants: Constants): LatticeKernel[] {
  const indices: Triple[] = [];
  const counts = sizes.map((n) => (n === Infinity ? 1 : n)) as Triple;
  for (let x = 0; x < counts[0]; x++) {
    for (let y = 0; y < counts[1]; y++) for (let z = 0; z < counts[2]; z++) indices.push([x, y, z]);
  }
  const key = ([x, y, z]: Triple) => (x * SLAB + y) * SLAB + z;
  const clustering = new Map(
    indices.map((i) => [key(i), sumAround(sizes, i, (r) => weight(squared(r))) / constants.bulkWeight]),
  );
  const axes: Triple = [0, 1, 2];
  const leans = new Map(
    indices.map((i) => {
      const total = sumAround(sizes, i, (r) => weight(squared(r)));
      return [key(i), axes.map((a) => sumAround(sizes, i, (r) => weight(squared(r)) * r[a]!) / total) as Triple];
    }),
  );
  const [clusteringAlone, clusteringInThread] = [1, LINE_WEIGHT].map((sum) => sum / constants.bulkWeight) as [
    number,
    number,
  ];
  const layerWeight = (i: Triple, r: Triple, j: Triple) => {
    const [a, b] = [leans.get(key(i))!, leans.get(key(j))!];
    const p = Math.max(0, 1 - squared([a[0] - b[0], a[1] - b[1], a[2] - b[2]]) / (LAYER * LAYER));
    return weight(squared(r)) * p * p;
  };
  const mean = (i: Triple, term: (r: Triple, j: Triple) => number) =>
    sumAround(sizes, i, (r, j) => layerWeight(i, r, j) * term(r, j)) /
    sumAround(sizes, i, (r, j) => layerWeight(i, r, j));
  const shifts = new Map(indices.map((i) => [key(i), axes.map((a) => mean(i, (r) => r[a]!)) as Triple]));
  // Off the diagonal covariances are zero: means over neighbours are symmetric along axes without end.
  const variances = new Map(
    indices.map((i) => {
      const total = sumAround(sizes, i, (r) => weight(squared(r)));
      const [lean, second] = [
        leans.get(key(i))!,
        axes.map((a) => sumAround(sizes, i, (r) => weight(squared(r)) * r[a]! * r[a]!) / total),
      ];
      return [key(i), axes.map((a) => second[a]! - lean[a]! * lean[a]!) as Triple];
    }),
  );
  const similarWeight = (i: Triple, r: Triple, j: Triple) => {
    const d = clustering.get(key(j))! - clustering.get(key(i))!;
    const p = Math.max(0, 1 - (d * d) / (SIMILAR * SIMILAR));
    return weight(squared(r)) * p * p;
  };
  return indices.map((i) => {
    const outer = 1 - rise(clustering.get(key(i))!, OUTER, INNER);
    const shift = axes.map((a) => {
      const back = mean(i, (_, j) => shifts.get(key(j))![a]!);
      return outer * (shifts.get(key(i))![a]! - RESTORED * back);
    });
    const total = sumAround(sizes, i, (r) => weight(squared(r)));
    const company = rise(clustering.get(key(i))!, clusteringAlone, clusteringInThread);
    const similar = sumAround(sizes, i, (r, j) => similarWeight(i, r, j));
    const shares = axes.map((a) => {
      const variance = sumAround(sizes, i, (r, j) => similarWeight(i, r, j) * variances.get(key(j))![a]!) / similar;
      return Math.min(1, (variance * company) / constants.bulkVariance);
    });
    const widest = INSIDE + (WIDEST - INSIDE) * (Math.max(...shares) - Math.min(...shares));
    const extent = shares.map((share) => NARROWEST + (widest - NARROWEST) * share) as Triple;
    const centre = axes.map((a) => i[a]! + shift[a]!) as Triple;
    const around = sumAround(sizes, i, (r, j) => weight(squared(r)) * clustering.get(key(j))!) / total;
    return { centre, extent, clustering: around };
  });
}

/** The field of a lattice at a point, without the factors of thin parts. */
function fieldOf(kernels: readonly LatticeKernel[], sizes: Triple, point: Triple): number {
  const steps = sizes.map((n) => (n === Infinity ? Math.ceil(WIDEST) + 1 : 0)) as Triple;
  let sum = 0;
  for (const { centre, extent } of kernels) {
    const height = 315 / (64 * Math.PI) / (extent[0] * extent[1] * extent[2]);
    for (let x = -steps[0]; x <= steps[0]; x++) {
      for (let y = -steps[1]; y <= steps[1]; y++) {
        for (let z = -steps[2]; z <= steps[2]; z++) {
          const [dx, dy, dz] = [x, y, z].map((n, a) => (point[a]! - centre[a]! - n) / extent[a]!) as Triple;
          const p = Math.max(0, 1 - squared([dx, dy, dz]));
          sum += height * p * p * p;
        }
      }
    }
  }
  return sum;
}

const PHASE = Array.from({ length: PHASES }, (_, k) => (k + 0.5) / PHASES);

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Kernels of lattices, which do not depend on the cells. */
interface Lattices {
  readonly constants: Constants;
  readonly level: number;
  readonly liquid: readonly LatticeKernel[];
  readonly sheet: readonly LatticeKernel[];
  readonly thread: readonly LatticeKernel[];
  readonly drop: readonly LatticeKernel[];
}

const EVERYWHERE: Triple = [Infinity, Infinity, Infinity];
const MUCH: Triple = [Infinity, Infinity, SLAB];
const PLANE: Triple = [Infinity, Infinity, 1];
const ALONE: Triple = [1, 1, 1];

/** Mean of the field of layers across z at a height. */
function fieldOverLayers(kernels: readonly LatticeKernel[], sizes: Triple, z: number): number {
  return average(PHASE.flatMap((x) => PHASE.map((y) => fieldOf(kernels, sizes, [x, y, z]))));
}

function findLattices(): Lattices {
  const bulkWeight = sumAround(EVERYWHERE, [0, 0, 0], (r) => weight(squared(r)));
  const bulkVariance = sumAround(EVERYWHERE, [0, 0, 0], (r) => weight(squared(r)) * r[0] * r[0]) / bulkWeight;
  const constants = { bulkWeight, bulkVariance };
  const liquid = latticeKernels(MUCH, constants);
  return {
    constants,
    level: fieldOverLayers(liquid, MUCH, SLAB - 0.5),
    liquid,
    sheet: latticeKernels(PLANE, constants),
    thread: latticeKernels(LINE, constants),
    drop: latticeKernels(ALONE, constants),
  };
}

function calibrate({ constants, level, liquid, sheet, thread, drop }: Lattices, cell: number): SurfaceCalibration {
  // A thread of one particle per spacing has a section of one squared, a single particle the volume of a ball.
  const threadRadius = widened(Math.sqrt(1 / Math.PI), cell, 2);
  const dropRadius = widened(cubeRoot(3 / (4 * Math.PI)), cell, 3);
  const atThread = average(PHASE.map((x) => fieldOf(thread, LINE, [x, threadRadius, 0])));
  return {
    ...constants,
    level,
    forms: [
      { clustering: drop[0]!.clustering, factor: level / fieldOf(drop, ALONE, [dropRadius, 0, 0]) },
      { clustering: thread[0]!.clustering, factor: level / atThread },
      { clustering: sheet[0]!.clustering, factor: level / fieldOverLayers(sheet, PLANE, 0.5) },
      // A rough surface is not a sheet: from somewhat beyond half way between the two on, kernels are as high as inside.
      { clustering: 0.4 * sheet[0]!.clustering + 0.6 * liquid.at(-1)!.clustering, factor: 1 },
    ],
  };
}

let lattices: Lattices | undefined;
let known: { readonly cell: number; readonly calibration: SurfaceCalibration } | undefined;

/** The constants for a size of cells; those used last are kept. */
export function surfaceCalibration(cell: number): SurfaceCalibration {
  lattices ??= findLattices();
  if (known?.cell !== cell) known = { cell, calibration: calibrate(lattices, cell) };
  return known.calibration;
}
