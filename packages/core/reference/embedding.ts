import { eigenSymmetric, poly6Shape } from './moments.js';
import { add, determinant, IDENTITY, type MaterialLaw, type Matrix, multiply, scale, transpose } from './response.js';

type Vector = readonly [number, number, number];

export interface ReferenceFlowOptions {
  /** In the world and in embedded space [m]. */
  readonly positions: readonly Vector[];
  readonly embedded: readonly Vector[];
  /** [m] */
  readonly supports: readonly number[];
  /** [m3], [kg] */
  readonly volumes: readonly number[];
  readonly masses: readonly number[];
  readonly law: MaterialLaw;
  /** [Pa] */
  readonly shearModulus: number;
  /** Weight of the stabilisation [1]. */
  readonly stabilisation: number;
  /** [Pa], [Pa], [1/s] */
  readonly yieldStress: number;
  readonly hardening: number;
  readonly creepRate: number;
  /** Neighbours at the most. */
  readonly capacity: number;
}

/** The fit of a particle: weights of its neighbours, A^-1, modulus of the stabilisation [N/m], share of its stress. */
interface Basis {
  readonly weights: number[];
  readonly inverse: number[];
  readonly modulus: number;
  readonly presence: number;
  /** [J14] eq. 3 before it is calibrated [m3]. */
  readonly volume: number;
}

/** Below these shares of a ball's evenness neighbours do not span space, and stress fades out. */
const SPANNED = 0.08;
const EVEN = 0.5;

/**
 * Bodies that flow, [J14], in plain double precision: one function per equation and no grid. Only for neighbourhoods
 * that span space and for flow that keeps volume.
 */
export class ReferenceFlow {
  readonly count: number;
  readonly positions: Vector[];
  readonly embedded: Vector[];
  /** By particle: neighbours by rising number, and the vectors u_ij at which it wants to have them. */
  neighbors: number[][] = [];
  rest: Vector[][] = [];
  /** F_p^-1, plastic strain, and share of the stabilisation that has not flowed since the last `absorb`. */
  readonly plasticInverse: number[][];
  readonly strain: number[];
  readonly lasting: number[];
  readonly #options: ReferenceFlowOptions;

  constructor(options: ReferenceFlowOptions) {
    this.#options = options;
    this.count = options.positions.length;
    this.positions = [...options.positions];
    this.embedded = [...options.embedded];
    this.plasticInverse = this.positions.map(() => [...IDENTITY]);
    this.strain = this.positions.map(() => 0);
    this.lasting = this.positions.map(() => 1);
    this.#findNeighbors();
  }

  /** Mutual neighbours within the mean of two supports, each among the nearest of the other; [J14] 3.4, 3.6. */
  #findNeighbors(): void {
    const { supports, capacity } = this.#options;
    const near = this.embedded.map((e, i) =>
      this.embedded
        .map((f, j) => ({ j, distance: length(minus(f, e)) }))
        .filter(({ j, distance }) => j !== i && distance < (supports[i]! + supports[j]!) / 2)
        .sort((a, b) => a.distance - b.distance),
    );
    const chosen = near.map((list) => new Set(list.slice(0, capacity).map(({ j }) => j)));
    this.neighbors = chosen.map((set, i) => [...set].filter((j) => chosen[j]!.has(i)).sort((a, b) => a - b));
    this.rest = this.neighbors.map((list, i) => list.map((j) => minus(this.embedded[j]!, this.embedded[i]!)));
  }

  /** [J14] eq. 2-3. */
  basis(i: number): Basis {
    const { supports, volumes, shearModulus, stabilisation } = this.#options;
    const weights = this.neighbors[i]!.map((j, k) => {
      const h = (supports[i]! + supports[j]!) / 2;
      return poly6Shape((length(this.rest[i]![k]!) / h) ** 2);
    });
    let a: number[] = scale(0, IDENTITY);
    for (const [k, u] of this.rest[i]!.entries()) a = add(a, scale(weights[k]!, dyad(u, u)));
    const mean = trace(a) / 3;
    if (!(determinant(a) > SPANNED * mean ** 3)) throw new Error(`the neighbours of particle ${i} do not span space`);
    const inverse = invert(a);
    const presence = Math.min(1, determinant(inverse) / (EVEN * (trace(inverse) / 3) ** 3));
    const total = weights.reduce((sum, w) => sum + w, 0);
    const modulus = (stabilisation * 2 * shearModulus * volumes[i]!) / mean;
    return { weights, inverse, modulus, presence, volume: Math.sqrt(determinant(a) / total ** 3) };
  }

  /** F of eq. 1-2. */
  gradient(i: number): number[] {
    const { weights, inverse } = this.basis(i);
    let sum: number[] = scale(0, IDENTITY);
    for (const [k, j] of this.neighbors[i]!.entries()) {
      sum = add(sum, scale(weights[k]!, dyad(minus(this.positions[j]!, this.positions[i]!), this.rest[i]![k]!)));
    }
    return multiply(sum, inverse);
  }

  /** F_e = F F_p^-1. */
  elasticPart(i: number): number[] {
    return multiply(this.gradient(i), this.plasticInverse[i]!);
  }

  /** Plastic flow of every particle in a step of `dt`: eq. 6-7 with the yield of von Mises, in logarithmic strains. */
  flow(dt: number): void {
    const { yieldStress, hardening, creepRate } = this.#options;
    for (let i = 0; i < this.count; i++) {
      const elastic = this.elasticPart(i);
      const { values, vectors } = eigenSymmetric(Float64Array.from(multiply(transpose(elastic), elastic)));
      const logs = values.map((value) => 0.5 * Math.log(value));
      const mean = (logs[0]! + logs[1]! + logs[2]!) / 3;
      const shape = logs.map((log) => log - mean);
      const size = Math.sqrt((2 / 3) * shape.reduce((sum, d) => sum + d * d, 0));
      const excess = (stays: number) => {
        const limit = Math.max(0, yieldStress + hardening * (this.strain[i]! + (1 - stays) * size));
        return this.#misesStress(shape.map((d) => Math.exp(mean + stays * d))) - limit;
      };
      if (!(excess(1) > 0)) continue;
      let [low, high] = [0, 1];
      for (let round = 0; round < 60; round++) {
        const middle = (low + high) / 2;
        if (excess(middle) > 0) high = middle;
        else low = middle;
      }
      const gone = (1 - low) * (1 - Math.exp(-creepRate * dt));
      let shrink: number[] = scale(0, IDENTITY);
      for (const [k, d] of shape.entries()) {
        const axis: Vector = [vectors[k]!, vectors[3 + k]!, vectors[6 + k]!];
        shrink = add(shrink, scale(Math.exp(-gone * d), dyad(axis, axis)));
      }
      this.plasticInverse[i] = multiply(this.plasticInverse[i]!, shrink);
      this.strain[i]! += gone * size;
      this.lasting[i]! *= 1 - gone;
    }
  }

  /** Von Mises size of the Kirchhoff stress at principal stretches [Pa]. */
  #misesStress(stretches: readonly number[]): number {
    const [a, b, c] = stretches as [number, number, number];
    const p = this.#options.law.stress([a - 1, 0, 0, 0, b - 1, 0, 0, 0, c - 1]);
    const [s, t, u] = [a * p[0]!, b * p[4]!, c * p[8]!];
    return Math.sqrt(0.5 * ((s - t) ** 2 + (t - u) ** 2 + (u - s) ** 2));
  }

  /** [J14] eq. 5 and the stabilisation, over the masses [m/s2]. */
  accelerations(): Vector[] {
    const { law, volumes, masses } = this.#options;
    const forces = this.positions.map(() => [0, 0, 0] as [number, number, number]);
    for (let i = 0; i < this.count; i++) {
      const { weights, inverse, modulus, presence } = this.basis(i);
      const gradient = this.gradient(i);
      const elastic = multiply(gradient, this.plasticInverse[i]!);
      const stress = multiply(law.stress(add(elastic, scale(-1, IDENTITY))), transpose(this.plasticInverse[i]!));
      const q = scale(presence * volumes[i]!, multiply(stress, inverse));
      for (const [k, j] of this.neighbors[i]!.entries()) {
        const u = this.rest[i]![k]!;
        const residual = minus(minus(this.positions[j]!, this.positions[i]!), times(gradient, u));
        const pull = times(q, u);
        for (let a = 0; a < 3; a++) {
          const f = weights[k]! * (pull[a]! + presence * this.lasting[i]! * modulus * residual[a]!);
          forces[i]![a]! += f;
          forces[j]![a]! -= f;
        }
      }
    }
    return forces.map((f, i) => [f[0] / masses[i]!, f[1] / masses[i]!, f[2] / masses[i]!]);
  }

  /** Rest vectors take over F_p, [J14] 3.3, and what flowed of the residuals. */
  absorb(): void {
    const next = this.rest.map((list, i) => {
      const plastic = invert(this.plasticInverse[i]!);
      const back = invert(this.elasticPart(i));
      return list.map((u, k): Vector => {
        const own = times(plastic, u);
        const there = times(back, minus(this.positions[this.neighbors[i]![k]!]!, this.positions[i]!));
        const mix = (a: 0 | 1 | 2) => this.lasting[i]! * own[a] + (1 - this.lasting[i]!) * there[a];
        return [mix(0), mix(1), mix(2)];
      });
    });
    this.rest = next;
    for (let i = 0; i < this.count; i++) {
      this.plasticInverse[i] = [...IDENTITY];
      this.lasting[i] = 1;
    }
  }

  /** Positions that fit the rest vectors best, eq. 9-12, by Gauss and Seidel to the last digit; their mean stays. */
  embed(): void {
    const weights = this.neighbors.map((_, i) => this.basis(i).weights);
    const centre = this.#weightedCentre(weights);
    for (let sweep = 0; sweep < 4000; sweep++) {
      let farthest = 0;
      for (let i = 0; i < this.count; i++) {
        let [sum, total]: [Vector, number] = [[0, 0, 0], 0];
        for (const [k, j] of this.neighbors[i]!.entries()) {
          const back = this.neighbors[j]!.indexOf(i);
          const [a, b] = [weights[i]![k]! ** 2, weights[j]![back]! ** 2];
          const wanted = minus(this.embedded[j]!, this.rest[i]![k]!);
          const other = minus(this.embedded[j]!, times(scale(-1, IDENTITY), this.rest[j]![back]!));
          sum = [0, 1, 2].map((c) => sum[c]! + a * wanted[c]! + b * other[c]!) as unknown as Vector;
          total += a + b;
        }
        const position: Vector = [sum[0] / total, sum[1] / total, sum[2] / total];
        farthest = Math.max(farthest, length(minus(position, this.embedded[i]!)));
        this.embedded[i] = position;
      }
      if (farthest < 1e-14) break;
    }
    const shift = minus(centre, this.#weightedCentre(weights));
    for (let i = 0; i < this.count; i++) this.embedded[i] = minus(this.embedded[i]!, times(scale(-1, IDENTITY), shift));
  }

  /** The mean that conjugate gradients with the diagonal as preconditioner leave where it is. */
  #weightedCentre(weights: readonly number[][]): Vector {
    let [sum, total]: [Vector, number] = [[0, 0, 0], 0];
    for (let i = 0; i < this.count; i++) {
      let diagonal = 0;
      for (const [k, j] of this.neighbors[i]!.entries()) {
        diagonal += weights[i]![k]! ** 2 + weights[j]![this.neighbors[j]!.indexOf(i)]! ** 2;
      }
      sum = [0, 1, 2].map((c) => sum[c]! + diagonal * this.embedded[i]![c]!) as unknown as Vector;
      total += diagonal;
    }
    return [sum[0] / total, sum[1] / total, sum[2] / total];
  }
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function length(a: Vector): number {
  return Math.hypot(a[0], a[1], a[2]);
}

function dyad(a: Vector, b: Vector): number[] {
  return a.flatMap((x) => b.map((y) => x * y));
}

function times(m: Matrix, a: Vector): Vector {
  const row = (r: number) => m[3 * r]! * a[0] + m[3 * r + 1]! * a[1] + m[3 * r + 2]! * a[2];
  return [row(0), row(1), row(2)];
}

function trace(m: Matrix): number {
  return m[0]! + m[4]! + m[8]!;
}

function invert(m: Matrix): number[] {
  const [a, b, c, d, e, f, g, h, i] = m as [number, number, number, number, number, number, number, number, number];
  const cofactors = [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f];
  return scale(1 / determinant(m), [...cofactors, d * h - e * g, b * g - a * h, a * e - b * d]);
}
