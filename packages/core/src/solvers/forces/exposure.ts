import type { BodySamples } from '../../particles/samples.js';

/**
 * Exposed area of a particle: twice the gradient of the smoothed volume share times its volume,
 *
 *   a_i = 2 V_i sum_j V_j (-grad W_ij),   W poly6 with the support h = 2 spacings,
 *
 * which points out of the surface and vanishes within a body. Half of the smoothed edge of a plane lies where there are
 * particles, hence the 2. On a cubic lattice the support reaches to the next layer only: all of the area is on the
 * outermost one, and a sheet of two layers has its own on each side. Balls on such lattices, 6 to 22 across, have 0.95 to
 * 1.04 of their cross-section in any direction. assembly/forces/exposure.ts is the same for what flows.
 */
const SUPPORT = 2;
const GRADIENT = 945 / (32 * Math.PI);
/** Areas below the first of these, over the squared spacing, are noise of an irregular sampling; above the second they count. */
const NOISE = [0.15, 0.45] as const;
/** Below this share of its lattice sum a particle is on its own by degrees. */
const LONELY = 0.4;
/** Sum of (1 - r^2 / h^2)^3 over the neighbours in a cubic lattice. */
const LATTICE_SUM = 266 / 64;
/** The correction of a body's areas is left out where they are far from closing around its volume. */
const CLOSED = 0.1;

/** Particles at the surface of a body, and what their areas follow from: a_i = sum of weight (x_i - x_j). */
export interface Exposure {
  readonly particles: readonly number[];
  /** By particle of the list. */
  readonly pairs: readonly (readonly { readonly particle: number; readonly weight: number }[])[];
  /** Cross-section of what is on its own [m2]. */
  readonly alone: readonly number[];
  /** Mean over all directions of what the areas were corrected by [1]. */
  readonly correction: number;
}

type Triple = [number, number, number];

/** The surface of a body's rest shape. Particles that are left out have no area. */
export function findExposure(samples: BodySamples, leftOut: ReadonlySet<number>): Exposure {
  const { rest, volume, count } = samples;
  const spacingOf = (i: number) => rest[4 * i + 3]!;
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, spacingOf(i));
  const cells = cellsOf(rest, count, SUPPORT * largest);
  const found: { i: number; area: Triple; pairs: { particle: number; weight: number }[]; alone: number }[] = [];
  for (let i = 0; i < count; i++) {
    const area: Triple = [0, 0, 0];
    const pairs: { particle: number; weight: number }[] = [];
    const spacing = spacingOf(i);
    let near = 0;
    cells.visit(i, (j) => {
      const [dx, dy, dz] = [
        rest[4 * i]! - rest[4 * j]!,
        rest[4 * i + 1]! - rest[4 * j + 1]!,
        rest[4 * i + 2]! - rest[4 * j + 2]!,
      ];
      // The mean of both, so that the areas of a body add up to nothing.
      const h = (SUPPORT / 2) * (spacing + spacingOf(j));
      const left = 1 - (dx * dx + dy * dy + dz * dz) / (h * h);
      if (left <= 0) return;
      near += left * left * left;
      const h2 = h * h;
      const weight = (2 * GRADIENT * volume[i]! * volume[j]! * left * left) / (h2 * h2 * h);
      area[0] += weight * dx;
      area[1] += weight * dy;
      area[2] += weight * dz;
      pairs.push({ particle: j, weight });
    });
    const size = Math.sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]) / (spacing * spacing);
    const clear = smoothStep((size - NOISE[0]) / (NOISE[1] - NOISE[0]));
    const alone = spacing * spacing * Math.max(0, 1 - near / (LONELY * LATTICE_SUM));
    if (clear === 0 && alone === 0) continue;
    for (const pair of pairs) pair.weight *= clear;
    found.push({ i, area: area.map((x) => clear * x) as Triple, pairs, alone });
  }
  const { correct, mean } = closing(samples, found);
  const exposed = found.filter(({ i }) => !leftOut.has(i));
  return {
    particles: exposed.map(({ i }) => i),
    pairs: exposed.map(({ area, pairs }) => {
      const factor = correct(area);
      return pairs.map(({ particle, weight }) => ({ particle, weight: factor * weight }));
    }),
    alone: exposed.map(({ alone }) => alone),
    correction: mean,
  };
}

/**
 * Factors that let the areas close around the volume, sum of x a^T = V I with x at the surface, half a spacing before the
 * particle: the divergence theorem for linear fields, on any lattice. By direction, because the edges of a thin sheet
 * lack more than its faces.
 */
function closing(
  { rest, volume, count }: BodySamples,
  found: readonly { i: number; area: Triple }[],
): { correct: (area: Triple) => number; mean: number } {
  let total = 0;
  for (let i = 0; i < count; i++) total += volume[i]!;
  const sums: [Triple, Triple, Triple] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const { i, area } of found) {
    const size = Math.sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (let a = 0; a < 3; a++) {
      const outward = size > 0 ? (rest[4 * i + 3]! * area[a]!) / (2 * size) : 0;
      for (let b = 0; b < 3; b++) sums[a]![b]! += (rest[4 * i + a]! + outward) * area[b]!;
    }
  }
  const cross = ([a, b, c]: Triple, [d, e, f]: Triple): Triple => [b * f - c * e, c * d - a * f, a * e - b * d];
  const dot = (p: Triple, q: Triple) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  // V M^-T is the correction: rows of M's cofactors over its determinant.
  const rows = [cross(sums[1], sums[2]), cross(sums[2], sums[0]), cross(sums[0], sums[1])] as const;
  const determinant = dot(sums[0], rows[0]);
  if (!(determinant > CLOSED * total * total * total)) return { correct: () => 1, mean: 1 };
  const scale = total / determinant;
  const correct = (area: Triple) => {
    const size2 = dot(area, area);
    const corrected: Triple = [dot(rows[0], area), dot(rows[1], area), dot(rows[2], area)];
    return size2 === 0 ? 1 : (scale * dot(corrected, area)) / size2;
  };
  return { correct, mean: (scale * (rows[0][0] + rows[1][1] + rows[2][2])) / 3 };
}

function smoothStep(x: number): number {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
}

/** Particles in cubes of an edge; `visit` goes over all others in the 27 cubes around one, in a fixed order. */
function cellsOf(rest: Float32Array, count: number, edge: number) {
  const cell = (i: number, a: number) => Math.floor(rest[4 * i + a]! / edge);
  // A prime far above the cells along an axis: a key that two cubes share costs time only.
  const keyOf = (x: number, y: number, z: number) => (x * 1000003 + y) * 1000003 + z;
  const lists = new Map<number, number[]>();
  for (let i = 0; i < count; i++) {
    const key = keyOf(cell(i, 0), cell(i, 1), cell(i, 2));
    const list = lists.get(key);
    if (list) list.push(i);
    else lists.set(key, [i]);
  }
  return {
    visit(i: number, visit: (j: number) => void): void {
      const [x, y, z] = [cell(i, 0), cell(i, 1), cell(i, 2)];
      for (let k = 0; k < 27; k++) {
        const list = lists.get(keyOf(x - 1 + (k % 3), y - 1 + (Math.floor(k / 3) % 3), z - 1 + Math.floor(k / 9)));
        for (const j of list ?? []) if (j !== i) visit(j);
      }
    },
  };
}
