/**
 * The embedded mesh: vertices that follow the particles of a deforming body by the first-order moving
 * least squares field of [K06] eq. 5.28,
 *
 *   x(m) = sum_j w_j (x_j + F_j (m - m_j)) / sum_j w_j,   F_j = grad x at particle j.
 *
 * It is written for positions instead of displacements: the same field, and exact for every affine motion.
 *
 * Departs from eq. 5.28 in the support: it is the distance of the next particle beyond a fixed number of them,
 * so that vertices outside the particles and adaptive samplings need no radius. Weights reach zero there, so the
 * field is continuous where neighbours change.
 */
import { cross, dot, length, type Matrix3, transform, type Vec3 } from '../math/matrix3.js';
import { NearestPoints } from './nearest.js';
import {
  type Flat,
  findNeighborhoods,
  fitGradients,
  type Neighborhoods,
  normalise,
  PARTICLE_NEIGHBORS,
  VERTEX_NEIGHBORS,
} from './neighborhoods.js';

/** Which particles each vertex follows, and how much: entries [starts[v], starts[v + 1]) of the two lists. */
export interface SkinBinding {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  /** Those of a vertex add up to one. */
  readonly weights: Float64Array;
}

export class Skin {
  readonly vertexCount: number;
  readonly particleCount: number;
  readonly #rest: Float64Array;
  /** Of every vertex; weights add up to one. */
  readonly #near: Neighborhoods;
  /** m - m_j of the pairs above. */
  readonly #offsets: Float64Array;
  /** Of every particle, with the vectors that give F_j = sum_k (x_k - x_j) g_jk^T. */
  readonly #fits: Neighborhoods;
  readonly #fitVectors: Float64Array;
  readonly #flats: readonly Flat[];
  /** F_j, row by row, of the last deformation. */
  readonly #gradients: Float64Array;

  /** Vertices and particles at rest, xyz triples in the same coordinates. */
  constructor(vertices: ArrayLike<number>, particles: ArrayLike<number>) {
    this.vertexCount = vertices.length / 3;
    this.particleCount = particles.length / 3;
    if (this.particleCount === 0) throw new RangeError('a skin needs at least one particle');
    this.#rest = Float64Array.from(particles);
    const search = new NearestPoints(this.#rest);
    this.#near = findNeighborhoods(search, vertices, VERTEX_NEIGHBORS, false);
    normalise(this.#near);
    this.#offsets = offsetsOf(vertices, this.#rest, this.#near);
    this.#fits = findNeighborhoods(search, this.#rest, PARTICLE_NEIGHBORS, true);
    const { vectors, flats } = fitGradients(this.#rest, this.#fits);
    this.#fitVectors = vectors;
    this.#flats = flats;
    this.#gradients = new Float64Array(9 * this.particleCount);
    for (let i = 0; i < this.#gradients.length; i += 9) {
      this.#gradients[i] = this.#gradients[i + 4] = this.#gradients[i + 8] = 1;
    }
  }

  /** Where the vertices are when the particles are at `positions`; `out` has the vertices' xyz. */
  deform(positions: ArrayLike<number>, out: Float32Array | Float64Array): void {
    this.#fitGradients(positions, this.#gradients);
    for (const flat of this.#flats) completeGradient(this.#gradients, flat);
    this.#follow(positions, this.#gradients, out);
  }

  get binding(): SkinBinding {
    return this.#near;
  }

  /**
   * The field as affine maps of rest positions, for those who add it up themselves: x(m) = sum_j w_j A_j (m, 1). Of
   * each particle the three rows of A_j = [F_j, x_j - F_j m_j], so 12 numbers, into `out` from `at` on. With `wanted`
   * only of particles that have another number than 0 there; positions of others stay as they are.
   */
  affines(positions: ArrayLike<number>, out: Float32Array | Float64Array, at = 0, wanted?: Uint8Array): void {
    const f = this.#gradients;
    this.#fitGradients(positions, f, wanted);
    for (const flat of this.#flats) if (wanted?.[flat.particle] !== 0) completeGradient(f, flat);
    const m = this.#rest;
    for (let j = 0; j < this.particleCount; j++) {
      if (wanted?.[j] === 0) continue;
      for (let row = 0; row < 3; row++) {
        const g = 9 * j + 3 * row;
        const to = at + 12 * j + 4 * row;
        out[to] = f[g]!;
        out[to + 1] = f[g + 1]!;
        out[to + 2] = f[g + 2]!;
        out[to + 3] =
          positions[3 * j + row]! - f[g]! * m[3 * j]! - f[g + 1]! * m[3 * j + 1]! - f[g + 2]! * m[3 * j + 2]!;
      }
    }
  }

  /** sum_j w_j (x_j + F_j (m - m_j)) */
  #follow(positions: ArrayLike<number>, f: Float64Array, out: Float32Array | Float64Array): void {
    const { starts, indices, weights } = this.#near;
    const r = this.#offsets;
    for (let v = 0; v < this.vertexCount; v++) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let n = starts[v]!; n < starts[v + 1]!; n++) {
        const j = indices[n]!;
        const w = weights[n]!;
        const g = 9 * j;
        const rx = r[3 * n]!;
        const ry = r[3 * n + 1]!;
        const rz = r[3 * n + 2]!;
        x += w * (positions[3 * j]! + f[g]! * rx + f[g + 1]! * ry + f[g + 2]! * rz);
        y += w * (positions[3 * j + 1]! + f[g + 3]! * rx + f[g + 4]! * ry + f[g + 5]! * rz);
        z += w * (positions[3 * j + 2]! + f[g + 6]! * rx + f[g + 7]! * ry + f[g + 8]! * rz);
      }
      out[3 * v] = x;
      out[3 * v + 1] = y;
      out[3 * v + 2] = z;
    }
  }

  /** Unit normals after the last deformation: those at rest by the cofactors of the vertex's mean gradient. */
  turnNormals(rest: ArrayLike<number>, out: Float32Array | Float64Array): void {
    const { starts, indices, weights } = this.#near;
    const f = new Float64Array(9);
    for (let v = 0; v < this.vertexCount; v++) {
      f.fill(0);
      for (let n = starts[v]!; n < starts[v + 1]!; n++) {
        const g = 9 * indices[n]!;
        for (let k = 0; k < 9; k++) f[k]! += weights[n]! * this.#gradients[g + k]!;
      }
      const [a, b, c, d, e, g, h, i, j] = f as unknown as number[] as [
        ...[number, number, number],
        ...[number, number, number],
        ...[number, number, number],
      ];
      const nx = rest[3 * v]!;
      const ny = rest[3 * v + 1]!;
      const nz = rest[3 * v + 2]!;
      const x = (e * j - g * i) * nx + (g * h - d * j) * ny + (d * i - e * h) * nz;
      const y = (c * i - b * j) * nx + (a * j - c * h) * ny + (b * h - a * i) * nz;
      const z = (b * g - c * e) * nx + (c * d - a * g) * ny + (a * e - b * d) * nz;
      const length = Math.sqrt(x * x + y * y + z * z);
      const scale = length > 0 ? 1 / length : 0;
      out[3 * v] = x * scale;
      out[3 * v + 1] = y * scale;
      out[3 * v + 2] = z * scale;
    }
  }

  /**
   * Velocities of the vertices, from those of the particles: the change of `deform`, which is linear in the
   * positions. Only directions that particles do not span count as still.
   */
  moveVelocities(velocities: ArrayLike<number>, out: Float32Array | Float64Array): void {
    const rates = new Float64Array(this.#gradients.length);
    this.#fitGradients(velocities, rates);
    this.#follow(velocities, rates, out);
  }

  /** A number per particle, at the vertices. */
  interpolate(values: ArrayLike<number>, out: Float32Array | Float64Array): void {
    const { starts, indices, weights } = this.#near;
    for (let v = 0; v < this.vertexCount; v++) {
      let sum = 0;
      for (let n = starts[v]!; n < starts[v + 1]!; n++) sum += weights[n]! * values[indices[n]!]!;
      out[v] = sum;
    }
  }

  #fitGradients(x: ArrayLike<number>, f: Float64Array, wanted?: Uint8Array): void {
    const { starts, indices } = this.#fits;
    const g = this.#fitVectors;
    for (let j = 0; j < this.particleCount; j++) {
      if (wanted?.[j] === 0) continue;
      const xj = x[3 * j]!;
      const yj = x[3 * j + 1]!;
      const zj = x[3 * j + 2]!;
      let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
      for (let n = starts[j]!; n < starts[j + 1]!; n++) {
        const k = 3 * indices[n]!;
        const dx = x[k]! - xj;
        const dy = x[k + 1]! - yj;
        const dz = x[k + 2]! - zj;
        const gx = g[3 * n]!;
        const gy = g[3 * n + 1]!;
        const gz = g[3 * n + 2]!;
        xx += dx * gx;
        xy += dx * gy;
        xz += dx * gz;
        yx += dy * gx;
        yy += dy * gy;
        yz += dy * gz;
        zx += dz * gx;
        zy += dz * gy;
        zz += dz * gz;
      }
      f[9 * j] = xx;
      f[9 * j + 1] = xy;
      f[9 * j + 2] = xz;
      f[9 * j + 3] = yx;
      f[9 * j + 4] = yy;
      f[9 * j + 5] = yz;
      f[9 * j + 6] = zx;
      f[9 * j + 7] = zy;
      f[9 * j + 8] = zz;
    }
  }
}

/** m - m_j of all pairs. */
function offsetsOf(vertices: ArrayLike<number>, rest: Float64Array, { starts, indices }: Neighborhoods): Float64Array {
  const offsets = new Float64Array(3 * indices.length);
  for (let v = 0; v + 1 < starts.length; v++) {
    const [x, y, z] = [vertices[3 * v]!, vertices[3 * v + 1]!, vertices[3 * v + 2]!];
    for (let n = starts[v]!; n < starts[v + 1]!; n++) {
      const j = 3 * indices[n]!;
      offsets[3 * n] = x - rest[j]!;
      offsets[3 * n + 1] = y - rest[j + 1]!;
      offsets[3 * n + 2] = z - rest[j + 2]!;
    }
  }
  return offsets;
}

/** Directions that the neighbours do not span turn with those they do, and keep their length. */
function completeGradient(gradients: Float64Array, { particle, rank, axes }: Flat): void {
  const f = gradients.subarray(9 * particle, 9 * particle + 9);
  const axis = (a: number): Vec3 => [axes[3 * a]!, axes[3 * a + 1]!, axes[3 * a + 2]!];
  const image = (e: Vec3) => transform(f as unknown as Matrix3, e);
  const addOuter = (to: readonly number[], e: readonly number[]) => {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) f[3 * r + c]! += to[r]! * e[c]!;
  };
  if (rank === 0) {
    for (let a = 0; a < 3; a++) addOuter(axis(a), axis(a));
  } else if (rank === 1) {
    // The turn of the line along the shortest way; how it twists is not known.
    const from = axis(2);
    const to = unit(image(from)) ?? from;
    for (const a of [0, 1]) addOuter(turnAlong(from, to, axis(a)), axis(a));
  } else {
    const [e1, e2] = [axis(1), axis(2)];
    const e0 = cross(e1, e2);
    const to = unit(cross(image(e1), image(e2))) ?? e0;
    addOuter(to, e0);
  }
}

function unit(a: Vec3): Vec3 | undefined {
  const size = length(a);
  return size > 0 ? [a[0] / size, a[1] / size, a[2] / size] : undefined;
}

/** `v` by the shortest rotation from one unit vector to another. */
function turnAlong(from: Vec3, to: Vec3, v: Vec3): number[] {
  const cosine = dot(from, to);
  // Half a turn about any axis across: v is perpendicular to `from` here, so it may stay.
  if (cosine < -0.999999) return [...v];
  const w = cross(from, to);
  const wv = cross(w, v);
  const wwv = cross(w, wv);
  return [0, 1, 2].map((a) => v[a]! + wv[a]! + wwv[a]! / (1 + cosine));
}
