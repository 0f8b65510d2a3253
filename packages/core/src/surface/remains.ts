/**
 * What is left of a body's own mesh while the body melts: the mesh, with its creases and its texture, stays where the
 * matter under it has not molten and has moved as one piece; elsewhere the surface is that of a liquid. It is judged
 * from the particles of one moment, so frames can be looked at in any order.
 */
import { DisjointSets } from '../mesh/edges.js';
import { weldMap } from '../mesh/weld.js';
import { NearestPoints } from './nearest.js';
import { findNeighborhoods, fitGradients, type Neighborhoods, PARTICLE_NEIGHBORS } from './neighborhoods.js';

/** Particles with a larger molten share have no shape of their own [1]. */
const MOLTEN = 0.5;
/** Neighbours have moved together up to this squared distance from their affine motion, over their squared distance [1]. */
const TOGETHER = 0.04;
/** Vertices whose particles have this share of intact ones among them are kept: weights are rounded [1]. */
const KEPT = 0.999;

/** By how much of the distance to the middle of its neighbours a particle lies deeper than it is [1]. */
const DEEPER = 0.25;

/** Numbers of particles, and positions, xyz [m]. */
export interface FlowingParticles {
  readonly numbers: readonly number[];
  readonly positions: Float32Array;
}

export class MeshRemains {
  /** Of every particle: 1 where it and its neighbours at rest have not molten and moved together. */
  readonly intact: Float32Array;
  readonly #rest: Float64Array;
  readonly #near: Neighborhoods;
  /** grad x at particle j is sum_k (x_k - x_j) g_jk^T. */
  readonly #vectors: Float64Array;
  #positions: ArrayLike<number>;

  /** Particles at rest, xyz. */
  constructor(rest: ArrayLike<number>) {
    this.#rest = Float64Array.from(rest);
    this.#positions = this.#rest;
    this.intact = new Float32Array(rest.length / 3).fill(1);
    this.#near = findNeighborhoods(new NearestPoints(this.#rest), this.#rest, PARTICLE_NEIGHBORS, true);
    this.#vectors = fitGradients(this.#rest, this.#near).vectors;
  }

  /** Looks at the particles, xyz, and at their molten shares; without these nothing has molten. */
  update(positions: ArrayLike<number>, molten?: ArrayLike<number>): void {
    this.#positions = positions;
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

  /**
   * Particles that a liquid's surface goes around, and where: those that are not intact, and two neighbourhoods of
   * intact ones around them, the outer one deeper than it is, so that the surface begins under the mesh.
   */
  flowing(): FlowingParticles {
    const { starts, indices } = this.#near;
    const x = this.#positions;
    const rings = Uint8Array.from(this.intact, (share) => (share === 1 ? 0 : 1));
    for (const ring of [1, 2]) {
      for (let j = 0; j < rings.length; j++) {
        if (rings[j] !== ring) continue;
        for (let n = starts[j]!; n < starts[j + 1]!; n++) rings[indices[n]!] ||= ring + 1;
      }
    }
    const numbers = Array.from(rings.keys()).filter((j) => rings[j]! > 0);
    const positions = new Float32Array(3 * numbers.length);
    for (const [k, j] of numbers.entries()) {
      for (let a = 0; a < 3; a++) {
        let inward = 0;
        if (rings[j] === 3) {
          for (let n = starts[j]!; n < starts[j + 1]!; n++) inward += x[3 * indices[n]! + a]! - x[3 * j + a]!;
        }
        positions[3 * k + a] = x[3 * j + a]! + (DEEPER * inward) / Math.max(1, starts[j + 1]! - starts[j]!);
      }
    }
    return { numbers, positions };
  }
}

/** Which vertices of a mesh stay, by the intact share of the particles that they follow. */
export function keptVertices(intactShares: ArrayLike<number>): Uint8Array {
  return Uint8Array.from(intactShares, (share) => (share >= KEPT ? 1 : 0));
}

/** Closes a mesh over vertices that have gone, with the triangles that it has. */
export class MeshGaps {
  readonly #rest: ArrayLike<number>;
  readonly #triangles: ArrayLike<number>;
  /** The first of several vertices at a position. */
  readonly #same: Uint32Array;

  /** Vertices at rest, xyz. */
  constructor(rest: ArrayLike<number>, triangles: ArrayLike<number>) {
    this.#rest = rest;
    this.#triangles = triangles;
    this.#same = weldMap(Float64Array.from(rest), 0);
  }

  /**
   * The vertex that stands for each one: itself where it stays. Those that have gone are drawn together at one point
   * for each gap and each piece around it, so that gaps are closed by fans and no triangle goes from piece to piece.
   * Undefined when no vertex stays.
   */
  closing(kept: Uint8Array): Uint32Array | undefined {
    const numbers = Array.from(kept.keys()).filter((v) => kept[v] === 1);
    if (numbers.length === 0) return undefined;
    const gone = Array.from(kept.keys()).filter((v) => kept[v] === 0);
    const { sets, beside } = this.#parts(kept);
    const nearest = nearestPoints(this.#positionsOf(numbers), this.#positionsOf(gone));
    const standsFor = Uint32Array.from(kept.keys());
    const points = new Map<number, number>();
    for (const [k, v] of gone.entries()) {
      const next = beside.get(this.#same[v]!) ?? numbers[nearest[k]!]!;
      const key = sets.find(this.#same[v]!) * kept.length + sets.find(this.#same[next]!);
      if (!points.has(key)) points.set(key, next);
      standsFor[v] = points.get(key)!;
    }
    return standsFor;
  }

  /** Pieces of vertices that stay and gaps of those that have gone; and of these one of the vertices that stay beside them. */
  #parts(kept: Uint8Array): { sets: DisjointSets; beside: Map<number, number> } {
    const sets = new DisjointSets(kept.length);
    const beside = new Map<number, number>();
    const [same, triangles] = [this.#same, this.#triangles];
    for (let k = 0; k < triangles.length; k++) {
      const a = triangles[k]!;
      const b = triangles[k % 3 === 2 ? k - 2 : k + 1]!;
      if (kept[a] === kept[b]) sets.join(same[a]!, same[b]!);
      else {
        const [stays, goes] = kept[a] ? [a, same[b]!] : [b, same[a]!];
        if (!beside.has(goes)) beside.set(goes, stays);
      }
    }
    return { sets, beside };
  }

  #positionsOf(vertices: readonly number[]): number[] {
    return vertices.flatMap((v) => [0, 1, 2].map((a) => this.#rest[3 * v + a]!));
  }
}

/** Triangles with the vertices that stand for theirs, without those that this makes lines or points. */
export function closedTriangles(triangles: ArrayLike<number>, standsFor: Uint32Array): Uint32Array {
  const left: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [standsFor[triangles[t]!]!, standsFor[triangles[t + 1]!]!, standsFor[triangles[t + 2]!]!];
    if (a !== b && b !== c && c !== a) left.push(a, b, c);
  }
  return Uint32Array.from(left);
}

/** The number of the point nearest to each position, both xyz. */
export function nearestPoints(points: ArrayLike<number>, positions: ArrayLike<number>): Int32Array {
  const search = new NearestPoints(points);
  const [near, squares] = [new Int32Array(1), new Float64Array(1)];
  return Int32Array.from({ length: positions.length / 3 }, (_, i) => {
    search.find(positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!, 1, near, squares);
    return near[0]!;
  });
}
