import type { Measures } from '../mesh/measures.js';
import type { Vec3 } from '../options/types.js';
import { type LatticePlan, sitesAround, tiesFrom } from './lattice.js';

/** No particle is smaller or larger than this share of its full cell, but for the last scaling [1]. */
export const MIN_SHARE = 0.25;
export const MAX_SHARE = 2.5;

/** Cells outside look for particles up to this many unit cells away. */
const REACH = 2;

/** Corrections by moments stay below this share of a particle's volume [1]. */
const MAX_CORRECTION = 0.5;
const ROUNDS = 6;
/** Errors of the moments below this are rounding [1]. */
const ROUNDING = 1e-11;

/**
 * Hands the measured part of cells without a particle over to the nearest particles, in equal parts
 * where several are equally near. `volumes` is per particle [m3]; `particleOf` -1 marks sites without.
 * What finds no particle within reach is left to the scaling of all volumes.
 */
export function handOver(plan: LatticePlan, shares: Float32Array, particleOf: Int32Array, volumes: Float64Array): void {
  const [nx, ny, nz] = plan.size;
  const sites = plan.basis.length;
  const around = plan.basis.map((at) => sitesAround(plan, at, REACH));
  for (let site = 0; site < shares.length; site++) {
    if (particleOf[site]! >= 0 || shares[site] === 0) continue;
    const basis = site % sites;
    const cell = (site - basis) / sites;
    const i = cell % nx;
    const j = Math.floor(cell / nx) % ny;
    const k = Math.floor(cell / (nx * ny));
    const offsets = around[basis]!;
    const takers: number[] = [];
    for (let o = 1; o < offsets.length && takers.length === 0; ) {
      const n = tiesFrom(offsets, o);
      for (let e = o; e < o + n; e++) {
        const { i: di, j: dj, k: dk, basis: b } = offsets[e]!;
        if (i + di < 0 || i + di >= nx || j + dj < 0 || j + dj >= ny || k + dk < 0 || k + dk >= nz) continue;
        const taker = particleOf[(((k + dk) * ny + j + dj) * nx + i + di) * sites + b]!;
        if (taker >= 0) takers.push(taker);
      }
      o += n;
    }
    for (const taker of takers) volumes[taker]! += (shares[site]! * plan.siteVolume) / takers.length;
  }
}

/** Particles while their volumes are decided. */
export interface Cells {
  readonly positions: Float64Array;
  /** Volume of the full cell [m3]. */
  readonly full: Float64Array;
  /** Own second moments of the full cell per volume, xyz per particle [m2]. */
  readonly own: Float64Array;
}

/**
 * Brings the volumes to the exact volume, centroid and second moments of the shape (a particle counted
 * as a point with the second moment of its cell): V_i grows by a factor 1 + a quadratic polynomial of
 * the position, the smallest such change in the least-squares sense. The factors are within a few
 * percent of one except in shapes of one or two layers, where the sum of the volumes stays exact and
 * the moments come as near as the bounds of the volumes allow.
 */
export function fitVolumes(cells: Cells, volumes: Float64Array, measures: Measures, size: number): void {
  const target = targetMoments(measures, size);
  for (let round = 0; round < ROUNDS; round++) {
    scaleTo(volumes, measures.volume);
    const clamped = clampVolumes(volumes, cells.full);
    const { sums, normal } = momentSystem(cells, volumes, measures.centroid, size);
    const residual = Array.from(sums, (s, m) => target[m]! - s);
    if (!clamped && residual.every((r) => Math.abs(r) <= ROUNDING * measures.volume)) break;
    const factors = solveSymmetric(normal, residual);
    const basis = new Float64Array(MOMENTS);
    for (let p = 0; p < volumes.length; p++) {
      monomials(cells, p, measures.centroid, size, basis);
      let change = 0;
      for (let m = 0; m < MOMENTS; m++) change += factors[m]! * basis[m]!;
      volumes[p]! *= 1 + Math.min(MAX_CORRECTION, Math.max(-MAX_CORRECTION, change));
    }
  }
  clampVolumes(volumes, cells.full);
  scaleTo(volumes, measures.volume);
}

/** Volume, centroid and second moments that `volumes` at `positions` have, about `centroid`. */
export function particleMoments(
  cells: Cells,
  volumes: Float64Array,
  centroid: Vec3,
  withCells: boolean,
): { volume: number; first: Vec3; second: Vec3 } {
  const { positions, own } = cells;
  let volume = 0;
  let [x1, y1, z1] = [0, 0, 0];
  let [x2, y2, z2] = [0, 0, 0];
  for (let p = 0; p < volumes.length; p++) {
    const v = volumes[p]!;
    const x = positions[3 * p]! - centroid[0];
    const y = positions[3 * p + 1]! - centroid[1];
    const z = positions[3 * p + 2]! - centroid[2];
    volume += v;
    x1 += v * x;
    y1 += v * y;
    z1 += v * z;
    x2 += v * (x * x + (withCells ? own[3 * p]! : 0));
    y2 += v * (y * y + (withCells ? own[3 * p + 1]! : 0));
    z2 += v * (z * z + (withCells ? own[3 * p + 2]! : 0));
  }
  return { volume, first: [x1, y1, z1], second: [x2, y2, z2] };
}

const MOMENTS = 10;

/** 1, x, y, z, x2, y2, z2, xy, yz, zx about the centroid, in units of `size`. */
function monomials(cells: Cells, p: number, centroid: Vec3, size: number, out: Float64Array): void {
  const x = (cells.positions[3 * p]! - centroid[0]) / size;
  const y = (cells.positions[3 * p + 1]! - centroid[1]) / size;
  const z = (cells.positions[3 * p + 2]! - centroid[2]) / size;
  const s2 = size * size;
  out[0] = 1;
  out[1] = x;
  out[2] = y;
  out[3] = z;
  out[4] = x * x + cells.own[3 * p]! / s2;
  out[5] = y * y + cells.own[3 * p + 1]! / s2;
  out[6] = z * z + cells.own[3 * p + 2]! / s2;
  out[7] = x * y;
  out[8] = y * z;
  out[9] = z * x;
}

function targetMoments(measures: Measures, size: number): number[] {
  return [measures.volume, 0, 0, 0, ...measures.secondMoments.map((m) => m / (size * size))];
}

/** Sums of V phi and of V phi phi^T over the particles. */
function momentSystem(cells: Cells, volumes: Float64Array, centroid: Vec3, size: number) {
  const sums = new Float64Array(MOMENTS);
  const normal = new Float64Array(MOMENTS * MOMENTS);
  const basis = new Float64Array(MOMENTS);
  for (let p = 0; p < volumes.length; p++) {
    monomials(cells, p, centroid, size, basis);
    const v = volumes[p]!;
    for (let m = 0; m < MOMENTS; m++) {
      const vm = v * basis[m]!;
      sums[m]! += vm;
      for (let n = 0; n <= m; n++) normal[m * MOMENTS + n]! += vm * basis[n]!;
    }
  }
  return { sums, normal };
}

/**
 * Solves A x = b for a symmetric positive semidefinite A (lower half given) by Cholesky; directions
 * that the particles do not span, as across a single layer, get zero.
 */
function solveSymmetric(a: Float64Array, b: readonly number[]): Float64Array {
  const n = MOMENTS;
  const l = a.slice();
  const skipped = new Uint8Array(n);
  for (let j = 0; j < n; j++) {
    let d = l[j * n + j]!;
    const full = d;
    for (let k = 0; k < j; k++) if (!skipped[k]) d -= l[j * n + k]! * l[j * n + k]!;
    if (!(d > 1e-9 * full)) {
      skipped[j] = 1;
      continue;
    }
    const root = Math.sqrt(d);
    l[j * n + j] = root;
    for (let i = j + 1; i < n; i++) {
      let s = l[i * n + j]!;
      for (let k = 0; k < j; k++) if (!skipped[k]) s -= l[i * n + k]! * l[j * n + k]!;
      l[i * n + j] = s / root;
    }
  }
  const x = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    if (skipped[i]) continue;
    let s = b[i]!;
    for (let k = 0; k < i; k++) if (!skipped[k]) s -= l[i * n + k]! * x[k]!;
    x[i] = s / l[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    if (skipped[i]) continue;
    let s = x[i]!;
    for (let k = i + 1; k < n; k++) if (!skipped[k]) s -= l[k * n + i]! * x[k]!;
    x[i] = s / l[i * n + i]!;
  }
  return x;
}

/** Whether any volume had to be changed. */
function clampVolumes(volumes: Float64Array, full: Float64Array): boolean {
  let changed = false;
  for (let p = 0; p < volumes.length; p++) {
    const v = Math.min(MAX_SHARE * full[p]!, Math.max(MIN_SHARE * full[p]!, volumes[p]!));
    if (v !== volumes[p]) changed = true;
    volumes[p] = v;
  }
  return changed;
}

/** Sum with the rounding errors carried along (Kahan): millions of equal terms would lose digits otherwise. */
export function exactSum(values: Float64Array): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const term = values[i]! - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
  }
  return sum;
}

function scaleTo(volumes: Float64Array, total: number): void {
  const factor = total / exactSum(volumes);
  for (let p = 0; p < volumes.length; p++) volumes[p]! *= factor;
}
