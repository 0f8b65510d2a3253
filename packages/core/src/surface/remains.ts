/**
 * What is left of a body's own mesh while the body melts: the mesh, with its creases and its texture, stays where the
 * matter under it has not molten and has moved as one piece; elsewhere the surface is that of a liquid. It is judged
 * from the particles of one moment, so frames can be looked at in any order.
 */
import { NearestPoints } from './nearest.js';
import { findNeighborhoods, fitGradients, type Neighborhoods, PARTICLE_NEIGHBORS } from './neighborhoods.js';

/** Particles with a larger molten share have no shape of their own [1]. */
const MOLTEN = 0.5;
/** Neighbours have moved together up to this squared distance from their affine motion, over their squared distance [1]. */
const TOGETHER = 0.04;
/** Vertices whose particles have this share of intact ones among them are kept: weights are rounded [1]. */
const KEPT = 0.999;

export class MeshRemains {
  /** Of every particle: 1 where it and its neighbours at rest have not molten and moved together. */
  readonly intact: Float32Array;
  readonly #rest: Float64Array;
  readonly #near: Neighborhoods;
  /** grad x at particle j is sum_k (x_k - x_j) g_jk^T. */
  readonly #vectors: Float64Array;

  /** Particles at rest, xyz. */
  constructor(rest: ArrayLike<number>) {
    this.#rest = Float64Array.from(rest);
    this.intact = new Float32Array(rest.length / 3).fill(1);
    this.#near = findNeighborhoods(new NearestPoints(this.#rest), this.#rest, PARTICLE_NEIGHBORS, true);
    this.#vectors = fitGradients(this.#rest, this.#near).vectors;
  }

  /** Looks at the particles, xyz, and at their molten shares; without these nothing has molten. */
  update(positions: ArrayLike<number>, molten?: ArrayLike<number>): void {
    const { starts, indices } = this.#near;
    const isSolid = (i: number) => !molten || molten[i]! <= MOLTEN;
    for (let j = 0; j < this.intact.length; j++) {
      let keeps = isSolid(j);
      for (let n = starts[j]!; keeps && n < starts[j + 1]!; n++) keeps = isSolid(indices[n]!);
      this.intact[j] = keeps && this.#movedTogether(j, positions) ? 1 : 0;
    }
  }

  #movedTogether(j: number, x: ArrayLike<number>): boolean {
    const { starts, indices } = this.#near;
    const [m, g] = [this.#rest, this.#vectors];
    const f = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let n = starts[j]!; n < starts[j + 1]!; n++) {
      for (let a = 0; a < 3; a++) {
        const d = x[3 * indices[n]! + a]! - x[3 * j + a]!;
        for (let b = 0; b < 3; b++) f[3 * a + b]! += d * g[3 * n + b]!;
      }
    }
    let apart = 0;
    let far = 0;
    for (let n = starts[j]!; n < starts[j + 1]!; n++) {
      const k = indices[n]!;
      for (let a = 0; a < 3; a++) {
        const d = x[3 * k + a]! - x[3 * j + a]!;
        let fitted = 0;
        for (let b = 0; b < 3; b++) fitted += f[3 * a + b]! * (m[3 * k + b]! - m[3 * j + b]!);
        apart += (d - fitted) * (d - fitted);
        far += d * d;
      }
    }
    return apart <= TOGETHER * far;
  }

  /** Particles that a liquid's surface goes around: those that are not intact, and around them one neighbourhood of intact ones, so that it begins under the mesh. */
  flowing(): number[] {
    const { starts, indices } = this.#near;
    const chosen = new Uint8Array(this.intact.length);
    for (let j = 0; j < chosen.length; j++) {
      if (this.intact[j] === 1) continue;
      chosen[j] = 1;
      for (let n = starts[j]!; n < starts[j + 1]!; n++) chosen[indices[n]!] = 1;
    }
    return Array.from(chosen.keys()).filter((j) => chosen[j] === 1);
  }
}

/** Which vertices of a mesh stay, by the intact share of the particles that they follow. */
export function keptVertices(intactShares: ArrayLike<number>): Uint8Array {
  return Uint8Array.from(intactShares, (share) => (share >= KEPT ? 1 : 0));
}

/**
 * The vertex that stands for each one: itself where it stays, else the nearest at rest that does. With its vertices
 * there a mesh is closed over its gaps by the triangles that it has. Undefined when no vertex stays.
 */
export function closingVertices(rest: ArrayLike<number>, kept: Uint8Array): Uint32Array | undefined {
  const numbers = Array.from(kept.keys()).filter((v) => kept[v] === 1);
  if (numbers.length === 0) return undefined;
  const gone = Array.from(kept.keys()).filter((v) => kept[v] === 0);
  const placesOf = (vertices: readonly number[]) => vertices.flatMap((v) => [0, 1, 2].map((a) => rest[3 * v + a]!));
  const standsFor = Uint32Array.from(kept.keys());
  for (const [k, n] of nearestPoints(placesOf(numbers), placesOf(gone)).entries()) standsFor[gone[k]!] = numbers[n]!;
  return standsFor;
}

/** The triangles with other vertices in place of theirs, without those that this makes lines or points. */
export function withVertices(triangles: ArrayLike<number>, standsFor: Uint32Array): Uint32Array {
  const left: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [standsFor[triangles[t]!]!, standsFor[triangles[t + 1]!]!, standsFor[triangles[t + 2]!]!];
    if (a !== b && b !== c && c !== a) left.push(a, b, c);
  }
  return Uint32Array.from(left);
}

/** The number of the point nearest to each place, both xyz. */
export function nearestPoints(points: ArrayLike<number>, places: ArrayLike<number>): Int32Array {
  const search = new NearestPoints(points);
  const [near, squares] = [new Int32Array(1), new Float64Array(1)];
  return Int32Array.from({ length: places.length / 3 }, (_, i) => {
    search.find(places[3 * i]!, places[3 * i + 1]!, places[3 * i + 2]!, 1, near, squares);
    return near[0]!;
  });
}
