import { cross, dot, length } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import { type BodySamples, partNumbers } from '../../particles/samples.js';
import { cubeRoot } from '../../sampling/cube-root.js';

/**
 * Bonds that heat flows along within a body, found at rest. The conductance of a bond is that between two
 * cells, k V / r^2 times a weight; weights of a particle are such that sum_j b_ij r r^T = 2 I, which makes the
 * second derivative of quadratic fields exact. Bonds are those to both sides together, so c_ij = c_ji.
 *
 * On a cubic lattice the six nearest neighbours do it with a weight of one: these are finite volumes, exact at
 * faces and edges too. Elsewhere weights of a kernel are corrected; at a face only along it, because nothing
 * flows across and the missing half is not to be made up for.
 */
export interface HeatBonds {
  /** [n + 1]: where each particle's bonds begin. */
  readonly begins: Uint32Array;
  readonly others: Uint32Array;
  /** G, see assembly/heat/pairs.ts [m2]. */
  readonly geometry: Float32Array;
  /** Squared lengths [m2]. */
  readonly lengths: Float32Array;
  /** Free surface of each particle [m2]. */
  readonly freeAreas: Float32Array;
}

/** Nearest neighbours on a cubic lattice are nearer than this, in spacings. */
const NEAREST = 1.2;
/** Support of the kernel on other lattices and of irregular particles, in spacings. */
const LATTICE_SUPPORT = 1.6;
const IRREGULAR_SUPPORT = 2;
/** Neighbours whose mean offset is below this share of their mean distance are all around. */
const INNER = 0.15;
const CORRECTIONS = 6;
/** A weight is not corrected by more than this factor. */
const LARGEST_CORRECTION = 2.5;
/** Neighbourhoods with a smaller determinant, over that of an even one, are flat. */
const FLAT = 0.05;

export type Arrangement = 'cubic' | 'lattice' | 'irregular';

type Matrix = [xx: number, yy: number, zz: number, yz: number, xz: number, xy: number];

export function findBonds(samples: BodySamples, arrangement: Arrangement, surfaceArea?: number): HeatBonds {
  const { count, rest, volume } = samples;
  const ratio = arrangement === 'cubic' ? NEAREST : arrangement === 'lattice' ? LATTICE_SUPPORT : IRREGULAR_SUPPORT;
  const { begins, others } = findNeighbors(samples, ratio);
  const pairs = others.length;
  const lengths = new Float32Array(pairs);
  const weights = new Float64Array(pairs);
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const j = others[k]!;
      const r2 = squaredDistance(rest, i, j);
      const reach = (ratio * (rest[4 * i + 3]! + rest[4 * j + 3]!)) / 2;
      lengths[k] = r2;
      const t = 1 - r2 / (reach * reach);
      weights[k] = arrangement === 'cubic' ? 1 / r2 : (t * t * t) / (rest[4 * i + 3]! * rest[4 * i + 3]!);
    }
  }
  if (arrangement !== 'cubic') correctWeights(samples, begins, others, weights);
  const reverse = reversePairs(begins, others, count);
  const geometry = new Float32Array(pairs);
  const areas = new Float64Array(pairs);
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const j = others[k]!;
      const g = (volume[i]! * weights[k]! + volume[j]! * weights[reverse[k]!]!) / 2;
      geometry[k] = g * (rest[4 * i + 3]! + rest[4 * j + 3]!);
      areas[k] = g * Math.sqrt(lengths[k]!);
    }
  }
  // The two directions of a pair must agree to the bit.
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      if (others[k]! < i) geometry[k] = geometry[reverse[k]!]!;
    }
  }
  const freeAreas = findFreeAreas(samples, begins, others, areas, surfaceArea);
  return { begins, others, geometry, lengths, freeAreas };
}

/** Of a cube with some volume [m2]. */
export function faceArea(volume: number): number {
  const edge = cubeRoot(volume);
  return edge * edge;
}

function squaredDistance(rest: Float32Array, i: number, j: number): number {
  const dx = rest[4 * j]! - rest[4 * i]!;
  const dy = rest[4 * j + 1]! - rest[4 * i + 1]!;
  const dz = rest[4 * j + 2]! - rest[4 * i + 2]!;
  return dx * dx + dy * dy + dz * dz;
}

/** Particles of the same part nearer than `ratio` times the mean of their edges, by rising number. */
function findNeighbors(samples: BodySamples, ratio: number): { begins: Uint32Array; others: Uint32Array } {
  const { rest, count } = samples;
  const partOf = partNumbers(samples);
  let edge = 0;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < count; i++) {
    edge = Math.max(edge, rest[4 * i + 3]!);
    for (let a = 0; a < 3; a++) {
      low[a] = Math.min(low[a]!, rest[4 * i + a]!);
      high[a] = Math.max(high[a]!, rest[4 * i + a]!);
    }
  }
  let cell = ratio * edge;
  const sizes = () => [0, 1, 2].map((a) => Math.floor((high[a]! - low[a]!) / cell) + 1);
  // A body of few particles far apart has no need for a fine grid.
  while (sizes().reduce((product, n) => product * n, 1) > 8 * count + 4096) cell *= 1.5;
  const [nx, ny, nz] = sizes() as [number, number, number];
  const cells = new Uint32Array(nx * ny * nz + 1);
  const at = (i: number, a: number) => Math.floor((rest[4 * i + a]! - low[a]!) / cell);
  const cellOf = (i: number) => (at(i, 2) * ny + at(i, 1)) * nx + at(i, 0);
  for (let i = 0; i < count; i++) cells[cellOf(i) + 1]!++;
  for (let c = 0; c < cells.length - 1; c++) cells[c + 1]! += cells[c]!;
  const slot = cells.slice();
  const sorted = new Uint32Array(count);
  for (let i = 0; i < count; i++) sorted[slot[cellOf(i)]!++] = i;
  const begins = new Uint32Array(count + 1);
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const own: number[] = [];
    const [cx, cy, cz] = [at(i, 0), at(i, 1), at(i, 2)];
    for (let z = Math.max(0, cz - 1); z <= Math.min(nz - 1, cz + 1); z++) {
      for (let y = Math.max(0, cy - 1); y <= Math.min(ny - 1, cy + 1); y++) {
        const row = (z * ny + y) * nx;
        const end = cells[row + Math.min(nx - 1, cx + 1) + 1]!;
        for (let k = cells[row + Math.max(0, cx - 1)]!; k < end; k++) {
          const j = sorted[k]!;
          const reach = (ratio * (rest[4 * i + 3]! + rest[4 * j + 3]!)) / 2;
          const r2 = squaredDistance(rest, i, j);
          if (j !== i && r2 > 0 && r2 < reach * reach && partOf[j] === partOf[i]) own.push(j);
        }
      }
    }
    own.sort((a, b) => a - b);
    for (const j of own) found.push(j);
    begins[i + 1] = found.length;
  }
  return { begins, others: Uint32Array.from(found) };
}

/** Position of the pair (j, i) for every pair (i, j). */
function reversePairs(begins: Uint32Array, others: Uint32Array, count: number): Uint32Array {
  const next = begins.slice(0, count);
  const reverse = new Uint32Array(others.length);
  // Lists rise, so the pairs of j are met in the order in which it lists them.
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) reverse[k] = next[others[k]!]!++;
  }
  return reverse;
}

/** Makes the second moments of the weights twice the identity, or nearly so where neighbours are missing. */
function correctWeights({ rest, count }: BodySamples, begins: Uint32Array, others: Uint32Array, weights: Float64Array) {
  const offset = (i: number, k: number): [number, number, number] => {
    const j = others[k]!;
    return [rest[4 * j]! - rest[4 * i]!, rest[4 * j + 1]! - rest[4 * i + 1]!, rest[4 * j + 2]! - rest[4 * i + 2]!];
  };
  const moments = (i: number): Matrix => {
    const m: Matrix = [0, 0, 0, 0, 0, 0];
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const [x, y, z] = offset(i, k);
      const w = weights[k]! / 2;
      m[0] += w * x * x;
      m[1] += w * y * y;
      m[2] += w * z * z;
      m[3] += w * y * z;
      m[4] += w * x * z;
      m[5] += w * x * y;
    }
    return m;
  };
  const skews = new Float64Array(count);
  const normals = new Float64Array(3 * count);
  const inner: number[] = [];
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const b: [number, number, number] = [0, 0, 0];
    let total = 0;
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const d = offset(i, k);
      for (let a = 0; a < 3; a++) b[a]! += weights[k]! * d[a]!;
      total += weights[k]! * length(d);
    }
    const size = length(b);
    skews[i] = total > 0 ? size / total : 0;
    for (let a = 0; a < 3; a++) normals[3 * i + a] = size > 0 ? b[a]! / size : 0;
    const m = moments(i);
    const mean = (m[0] + m[1] + m[2]) / 3;
    largest = Math.max(largest, mean);
    if (skews[i]! < INNER) inner.push(mean);
  }
  inner.sort((a, b) => a - b);
  const usual = inner[inner.length >> 1] ?? largest;
  if (!(usual > 0)) return;
  for (let k = 0; k < weights.length; k++) weights[k] = weights[k]! / usual;
  const first = weights.slice();
  for (let i = 0; i < count; i++) {
    for (let round = 0; round < CORRECTIONS; round++) {
      const m = moments(i);
      const n: [number, number, number] = [normals[3 * i]!, normals[3 * i + 1]!, normals[3 * i + 2]!];
      const q = (skews[i]! < INNER ? inverse(m) : undefined) ?? inverseAlong(m, n);
      if (!q) break;
      for (let k = begins[i]!; k < begins[i + 1]!; k++) {
        const [x, y, z] = offset(i, k);
        const factor =
          (q[0] * x * x + q[1] * y * y + q[2] * z * z + 2 * (q[3] * y * z + q[4] * x * z + q[5] * x * y)) /
          (x * x + y * y + z * z);
        const bound = LARGEST_CORRECTION * first[k]!;
        weights[k] = Math.min(bound, Math.max(first[k]! / LARGEST_CORRECTION, weights[k]! * factor));
      }
    }
  }
}

/** Inverse of a symmetric matrix; nothing when it is nearly flat. */
function inverse([xx, yy, zz, yz, xz, xy]: Matrix): Matrix | undefined {
  const [a, b, c] = [yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy];
  const determinant = xx * a + xy * b + xz * c;
  const mean = (xx + yy + zz) / 3;
  if (!(determinant > FLAT * mean * mean * mean)) return undefined;
  const s = 1 / determinant;
  return [s * a, s * (xx * zz - xz * xz), s * (xx * yy - xy * xy), s * (xy * xz - xx * yz), s * c, s * b];
}

/** Inverse in the plane across a direction, one along it; nothing when the plane has only a line of neighbours. */
function inverseAlong([xx, yy, zz, yz, xz, xy]: Matrix, n: Vec3): Matrix | undefined {
  if (!(length(n) > 0)) return undefined;
  const other: Vec3 = Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 0, 1];
  const raw = cross(n, other);
  const size = length(raw);
  const s: Vec3 = [raw[0] / size, raw[1] / size, raw[2] / size];
  const t = cross(n, s);
  const times = (v: Vec3): Vec3 => [
    xx * v[0] + xy * v[1] + xz * v[2],
    xy * v[0] + yy * v[1] + yz * v[2],
    xz * v[0] + yz * v[1] + zz * v[2],
  ];
  const [ss, st, tt] = [dot(s, times(s)), dot(s, times(t)), dot(t, times(t))];
  const determinant = ss * tt - st * st;
  if (!(determinant > FLAT * ((ss + tt) / 2) * ((ss + tt) / 2))) return undefined;
  const [a, b, c] = [tt / determinant, -st / determinant, ss / determinant];
  const entry = (p: number, q: number) =>
    n[p]! * n[q]! + a * s[p]! * s[q]! + b * (s[p]! * t[q]! + t[p]! * s[q]!) + c * t[p]! * t[q]!;
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1)];
}

/**
 * Free surface of the particles: what bonds leave open of their cells along the six directions of the body's
 * axes, of slanted surfaces the length of the vector; scaled to the area of the shape where that is known.
 */
function findFreeAreas(
  { rest, volume, count }: BodySamples,
  begins: Uint32Array,
  others: Uint32Array,
  areas: Float64Array,
  surfaceArea: number | undefined,
): Float32Array {
  const covered = new Float64Array(6 * count);
  for (let i = 0; i < count; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const j = others[k]!;
      const r = Math.sqrt(squaredDistance(rest, i, j));
      for (let a = 0; a < 3; a++) {
        const part = (areas[k]! * (rest[4 * j + a]! - rest[4 * i + a]!)) / r;
        if (part > 0) covered[6 * i + 2 * a]! += part;
        else covered[6 * i + 2 * a + 1]! -= part;
      }
    }
  }
  // What is inside is covered all around.
  const shares: number[] = [];
  for (let i = 0; i < count; i++) {
    const face = faceArea(volume[i]!);
    for (let d = 0; d < 6; d++) shares.push(covered[6 * i + d]! / face);
  }
  shares.sort((a, b) => a - b);
  const whole = Math.max(shares[Math.floor(0.75 * shares.length)] ?? 0, 0.5);
  const free = new Float32Array(count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const face = whole * faceArea(volume[i]!);
    let square = 0;
    let opposite = 0;
    for (let a = 0; a < 3; a++) {
      const up = open(covered[6 * i + 2 * a]!, face);
      const down = open(covered[6 * i + 2 * a + 1]!, face);
      square += (up - down) * (up - down);
      opposite += Math.min(up, down);
    }
    free[i] = (Math.sqrt(square) + 2 * opposite) / whole;
    total += free[i]!;
  }
  if (surfaceArea !== undefined && total > 0) {
    for (let i = 0; i < count; i++) free[i]! *= surfaceArea / total;
  }
  return free;
}

/** What is open of a face; a little that is missing is the unevenness of the particles. */
function open(covered: number, face: number): number {
  const missing = 1 - covered / face;
  return missing < 0.25 ? 0 : missing * face;
}
