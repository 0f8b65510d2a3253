/** Which particles a position follows and with which weights, found once at rest; see skin.ts. */
import { symmetricEigen } from '../math/eigen.js';
import type { NearestPoints } from './nearest.js';

/** Particles that a vertex follows, and that a particle's gradient is fitted to. */
export const VERTEX_NEIGHBORS = 12;
export const PARTICLE_NEIGHBORS = 26;

/** Directions with a smaller share of the largest moment are not spanned by the neighbours. */
const SPANNED = 1e-4;

export interface Neighborhoods {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly weights: Float64Array;
}

/** A particle whose neighbours lie in a plane, on a line or nowhere: axes (rows), the spanned ones last. */
export interface Flat {
  readonly particle: number;
  readonly rank: number;
  readonly axes: Float64Array;
}

/** `own` where the positions are the points themselves, which are not their own neighbours. */
export function findNeighborhoods(
  search: NearestPoints,
  positions: ArrayLike<number>,
  neighbors: number,
  own: boolean,
): Neighborhoods {
  const count = positions.length / 3;
  // One more for the support, and one for the position itself.
  const wanted = neighbors + (own ? 2 : 1);
  const near = new Int32Array(wanted);
  const squares = new Float64Array(wanted);
  const starts = new Int32Array(count + 1);
  const indices = new Int32Array(count * wanted);
  const weights = new Float64Array(count * wanted);
  let end = 0;
  for (let i = 0; i < count; i++) {
    const found = search.find(positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!, wanted, near, squares);
    const farthest = squares[found - 1]!;
    // A cloud with no particle beyond its neighbours, or only equally far ones, weighs all of them.
    const complete = found < wanted || !(farthest > squares[0]!);
    const support = complete ? 2 * farthest + Number.MIN_VALUE : farthest;
    for (let n = 0; n < found; n++) {
      if (own && near[n] === i) continue;
      const weight = 1 - squares[n]! / support;
      if (!(weight > 0)) continue;
      indices[end] = near[n]!;
      weights[end] = weight * weight * weight;
      end++;
    }
    starts[i + 1] = end;
  }
  return { starts, indices: indices.slice(0, end), weights: weights.slice(0, end) };
}

export function normalise({ starts, weights }: Neighborhoods): void {
  for (let v = 0; v + 1 < starts.length; v++) {
    let sum = 0;
    for (let n = starts[v]!; n < starts[v + 1]!; n++) sum += weights[n]!;
    for (let n = starts[v]!; n < starts[v + 1]!; n++) weights[n]! /= sum;
  }
}

/** g_jk = w_jk M_j^-1 r_jk with M_j = sum_k w_jk r_jk r_jk^T, inverted in what the neighbours span. */
export function fitGradients(rest: Float64Array, { starts, indices, weights }: Neighborhoods) {
  const vectors = new Float64Array(3 * indices.length);
  const flats: Flat[] = [];
  for (let j = 0; j + 1 < starts.length; j++) {
    const [xj, yj, zj] = [rest[3 * j]!, rest[3 * j + 1]!, rest[3 * j + 2]!];
    let [xx, xy, xz, yy, yz, zz] = [0, 0, 0, 0, 0, 0];
    for (let n = starts[j]!; n < starts[j + 1]!; n++) {
      const k = 3 * indices[n]!;
      const x = rest[k]! - xj;
      const y = rest[k + 1]! - yj;
      const z = rest[k + 2]! - zj;
      const wx = weights[n]! * x;
      const wy = weights[n]! * y;
      xx += wx * x;
      xy += wx * y;
      xz += wx * z;
      yy += wy * y;
      yz += wy * z;
      zz += weights[n]! * z * z;
    }
    const { values, vectors: axes } = symmetricEigen([xx, xy, xz, xy, yy, yz, xz, yz, zz], 3);
    const spanned = [0, 1, 2].filter((a) => values[a]! > SPANNED * values[2]! && values[a]! > 0);
    if (spanned.length < 3) flats.push({ particle: j, rank: spanned.length, axes });
    for (let n = starts[j]!; n < starts[j + 1]!; n++) {
      const k = 3 * indices[n]!;
      const x = rest[k]! - xj;
      const y = rest[k + 1]! - yj;
      const z = rest[k + 2]! - zj;
      for (const a of spanned) {
        const [ax, ay, az] = [axes[3 * a]!, axes[3 * a + 1]!, axes[3 * a + 2]!];
        const share = (weights[n]! * (ax * x + ay * y + az * z)) / values[a]!;
        vectors[3 * n]! += share * ax;
        vectors[3 * n + 1]! += share * ay;
        vectors[3 * n + 2]! += share * az;
      }
    }
  }
  return { vectors, flats };
}
