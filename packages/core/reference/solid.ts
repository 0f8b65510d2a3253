import { bulkConstants, sheetConstants, stringConstants, viscousTime } from './constants.js';
import { gradientWeights, type Moments, momentInverses } from './moments.js';
import { findNeighbors, type NeighborLists } from './neighbors.js';

export interface ReferenceSolidOptions {
  /** xyz per particle [m]. */
  readonly positions: Float64Array;
  /** Rest volumes [m3]. */
  readonly volumes: Float64Array;
  /** Edge of each particle's cell [m]. */
  readonly spacings: Float64Array;
  /** [kg/m3] */
  readonly density: number;
  /** [Pa] */
  readonly youngsModulus: number;
  /** [1] */
  readonly poissonsRatio: number;
  /** Share of the bulk response carried by the determinant term, [M04] eq. 7 [1]. */
  readonly volumeStiffness?: number;
  /** Damping ratio of the slowest longitudinal wave [1]. */
  readonly damping?: number;
  /** Support radius in spacings [1]. */
  readonly support?: number;
  /** Weight of the penalty on what the linear fit cannot see [1]. */
  readonly stabilisation?: number;
  /** [m/s2] */
  readonly gravity?: readonly [number, number, number];
}

/** [J] */
export interface SolidEnergy {
  readonly kinetic: number;
  readonly elastic: number;
  readonly total: number;
}

/**
 * The elastic solid of [M04] section 3 in plain double precision: one function per equation, flat
 * arrays, one thread. What the compiled passes are measured against, in result and in speed.
 *
 * Symbols: m rest position, u displacement, r_ij = m_j - m_i, g_ij = w_ij r_ij, M moment matrix,
 * G = grad u, J = I + G, E Green strain, S and P second and first Piola-Kirchhoff stress, V rest
 * volume, Q = V P M^-1 the flux; alpha and B weight and modulus of the stabilisation.
 */
export class ReferenceSolid {
  readonly count: number;
  readonly neighbors: NeighborLists;
  readonly moments: Moments;
  /** Three numbers per particle. */
  readonly rest: Float64Array;
  readonly displacement: Float64Array;
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  readonly force: Float64Array;
  /** Nine numbers per particle, by rows. */
  readonly gradient: Float64Array;
  readonly strain: Float64Array;
  readonly flux: Float64Array;
  /** One number per particle. */
  readonly volume: Float64Array;
  readonly mass: Float64Array;
  /** Three numbers per pair: g_ij. */
  readonly gradientWeight: Float64Array;
  /** One number per pair: 2 (alpha_i + alpha_j) w_ij. */
  readonly bond: Float64Array;
  /** Modulus B of the stabilisation [Pa]. */
  readonly bondModulus: number;
  /** Time constant of the viscous stress [s]. */
  readonly viscousTime: number;
  readonly #gravity: readonly [number, number, number];
  readonly #alpha: Float64Array;
  /** lambda, mu, k_v per particle. */
  readonly #constants: Float64Array;
  readonly #viscousStrain: Float64Array;
  readonly #lastStrain: Float64Array;

  constructor(options: ReferenceSolidOptions) {
    const { positions, volumes, spacings, density } = options;
    const material = { volumeStiffness: 1, damping: 0, ...options };
    const n = volumes.length;
    this.count = n;
    this.rest = positions.slice();
    this.volume = volumes.slice();
    this.mass = volumes.map((volume) => density * volume);
    const neighborhoods = supportedNeighborhoods(positions, spacings, options.support ?? 2.1);
    const { weight } = neighborhoods;
    this.neighbors = neighborhoods.neighbors;
    this.gradientWeight = neighborhoods.g;
    this.moments = neighborhoods.moments;
    this.displacement = new Float64Array(3 * n);
    this.velocity = new Float64Array(3 * n);
    this.acceleration = new Float64Array(3 * n);
    this.force = new Float64Array(3 * n);
    this.gradient = new Float64Array(9 * n);
    this.strain = new Float64Array(9 * n);
    this.flux = new Float64Array(9 * n);
    this.#viscousStrain = new Float64Array(9 * n);
    this.#lastStrain = new Float64Array(9 * n);
    this.viscousTime = viscousTime(material, longestSide(positions, spacings));
    this.#gravity = options.gravity ?? [0, 0, 0];

    const bulk = bulkConstants(material);
    const byRank = [stringConstants(material), stringConstants(material), sheetConstants(material), bulk];
    this.bondModulus = 2 * bulk.mu;
    this.#constants = new Float64Array(3 * n);
    this.#alpha = new Float64Array(n);
    const stabilisation = options.stabilisation ?? 0.75;
    for (let i = 0; i < n; i++) {
      const { lambda, mu, volumeStiffness } = byRank[this.moments.rank[i]!]!;
      this.#constants.set([lambda, mu, volumeStiffness], 3 * i);
      // A mean residual of the size of a strain costs `stabilisation` times as much as that strain.
      const trace = this.moments.trace[i]!;
      this.#alpha[i] = trace > 0 ? (1.5 * stabilisation * volumes[i]!) / trace : 0;
    }
    const { begin, index } = this.neighbors;
    this.bond = new Float64Array(index.length);
    for (let i = 0; i < n; i++) {
      for (let k = begin[i]!; k < begin[i + 1]!; k++) {
        this.bond[k] = 2 * (this.#alpha[i]! + this.#alpha[index[k]!]!) * weight[k]!;
      }
    }
  }

  /** Neighbour relations; each pair of particles counts twice. */
  get pairCount(): number {
    return this.neighbors.index.length;
  }

  /** Fluxes at the present displacements; `strainRate` is one over the time since the last call, 0 for no viscosity. */
  computeStresses(strainRate = 0): void {
    this.#computeGradients(); // [M04] eq. 15
    this.#computeStrains(); // [M04] eq. 3, with the 1/2
    this.#computeViscousStrains(strainRate);
    this.#computeFluxes(); // [M04] eq. 4, 7-8, 18-22
  }

  /** Forces by the fluxes, and accelerations. */
  computeForces(): void {
    this.#gatherForces(); // [M04] eq. 24-25
    const { acceleration: a, force: f, mass } = this;
    const [gx, gy, gz] = this.#gravity;
    for (let i = 0; i < this.count; i++) {
      const w = 1 / mass[i]!;
      a[3 * i] = gx + f[3 * i]! * w;
      a[3 * i + 1] = gy + f[3 * i + 1]! * w;
      a[3 * i + 2] = gz + f[3 * i + 2]! * w;
    }
  }

  /** One step of leapfrog, kick-drift-kick ([K06] eq. 7.5-7.6); accelerations must be those of the present state. */
  step(dt: number): void {
    this.#kick(0.5 * dt);
    this.#drift(dt);
    this.computeStresses(1 / dt);
    this.computeForces();
    this.#kick(0.5 * dt);
  }

  energy(): SolidEnergy {
    const { velocity: v, mass } = this;
    let kinetic = 0;
    for (let i = 0; i < this.count; i++) {
      kinetic += 0.5 * mass[i]! * (v[3 * i]! ** 2 + v[3 * i + 1]! ** 2 + v[3 * i + 2]! ** 2);
    }
    const elastic = this.elasticEnergies().reduce((sum, e) => sum + e, 0);
    return { kinetic, elastic, total: kinetic + elastic };
  }

  /**
   * Per particle, V (1/2 lambda tr(E)^2 + mu E:E + 1/2 k_v (det J - 1)^2), [M04] eq. 5 and 7, and its share
   * of the stabilisation B alpha sum_j w_ij |u_j - u_i - G r_ij|^2.
   */
  elasticEnergies(): Float64Array {
    this.#computeGradients();
    this.#computeStrains();
    const { begin, index } = this.neighbors;
    const { gradient, strain, displacement: u, gradientWeight: g, bond } = this;
    return Float64Array.from({ length: this.count }, (_, i) => {
      const lambda = this.#constants[3 * i]!;
      const mu = this.#constants[3 * i + 1]!;
      const volumeStiffness = this.#constants[3 * i + 2]!;
      let squares = 0;
      for (let k = 9 * i; k < 9 * i + 9; k++) squares += strain[k]! * strain[k]!;
      const trace = strain[9 * i]! + strain[9 * i + 4]! + strain[9 * i + 8]!;
      const change = determinantChange(gradient, 9 * i);
      const density = 0.5 * lambda * trace * trace + mu * squares + 0.5 * volumeStiffness * change * change;
      // Half of each bond belongs to this end; the fitted part is alpha tr(G M G^T) = alpha G : H.
      let bonds = 0;
      let fitted = 0;
      for (let k = begin[i]!; k < begin[i + 1]!; k++) {
        const j = index[k]!;
        for (let a = 0; a < 3; a++) {
          const d = u[3 * j + a]! - u[3 * i + a]!;
          bonds += bond[k]! * d * d;
          for (let b = 0; b < 3; b++) fitted += gradient[9 * i + 3 * a + b]! * d * g[3 * k + b]!;
        }
      }
      return this.volume[i]! * density + this.bondModulus * (0.25 * bonds - this.#alpha[i]! * fitted);
    });
  }

  /** det J of every particle. */
  volumeRatios(): Float64Array {
    this.#computeGradients();
    return Float64Array.from({ length: this.count }, (_, i) => 1 + determinantChange(this.gradient, 9 * i));
  }

  /** G_i = (sum_j (u_j - u_i) g_ij^T) M_i^-1. */
  #computeGradients(): void {
    const { begin, index } = this.neighbors;
    const { displacement: u, gradientWeight: g, gradient } = this;
    const inverse = this.moments.inverse;
    for (let i = 0; i < this.count; i++) {
      const ux = u[3 * i]!;
      const uy = u[3 * i + 1]!;
      const uz = u[3 * i + 2]!;
      let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
      const end = begin[i + 1]!;
      for (let k = begin[i]!; k < end; k++) {
        const j = 3 * index[k]!;
        const dx = u[j]! - ux;
        const dy = u[j + 1]! - uy;
        const dz = u[j + 2]! - uz;
        const gx = g[3 * k]!;
        const gy = g[3 * k + 1]!;
        const gz = g[3 * k + 2]!;
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
      const at = 9 * i;
      for (let b = 0; b < 3; b++) {
        const m0 = inverse[at + b]!;
        const m1 = inverse[at + 3 + b]!;
        const m2 = inverse[at + 6 + b]!;
        gradient[at + b] = xx * m0 + xy * m1 + xz * m2;
        gradient[at + 3 + b] = yx * m0 + yy * m1 + yz * m2;
        gradient[at + 6 + b] = zx * m0 + zy * m1 + zz * m2;
      }
    }
  }

  /**
   * E = 1/2 (J^T J - I) = 1/2 (G + G^T + G^T G); where the neighbours span less than space, strain within
   * the span only: 1/2 (Pi G + G^T Pi + G^T G) with the projection Pi.
   */
  #computeStrains(): void {
    const { gradient: g, strain } = this;
    const { projection, rank } = this.moments;
    for (let i = 0; i < this.count; i++) {
      const at = 9 * i;
      for (let a = 0; a < 3; a++) {
        for (let b = a; b < 3; b++) {
          let sum = g[at + a]! * g[at + b]! + g[at + 3 + a]! * g[at + 3 + b]! + g[at + 6 + a]! * g[at + 6 + b]!;
          if (rank[i] === 3) {
            sum += g[at + 3 * a + b]! + g[at + 3 * b + a]!;
          } else {
            for (let c = 0; c < 3; c++) {
              sum +=
                projection[at + 3 * a + c]! * g[at + 3 * c + b]! + projection[at + 3 * b + c]! * g[at + 3 * c + a]!;
            }
          }
          strain[at + 3 * a + b] = 0.5 * sum;
          strain[at + 3 * b + a] = 0.5 * sum;
        }
      }
    }
  }

  /** tau dE/dt by the strain of the last call, which is then replaced. */
  #computeViscousStrains(strainRate: number): void {
    if (this.viscousTime === 0) return;
    const { strain } = this;
    const [rate, before] = [this.#viscousStrain, this.#lastStrain];
    const factor = this.viscousTime * strainRate;
    for (let k = 0; k < strain.length; k++) {
      rate[k] = factor * (strain[k]! - before[k]!);
      before[k] = strain[k]!;
    }
  }

  /**
   * S = lambda tr(E) I + 2 mu (E + tau dE/dt), P = J S + k_v (det J - 1) cof J, Q = V P M^-1 - 2 alpha B G: the derivative
   * of the energy by the sum in G. On a sheet or string the projection takes the position of I.
   */
  #computeFluxes(): void {
    const { gradient: g, strain, flux } = this;
    const { inverse, projection } = this.moments;
    const viscous = this.#viscousStrain;
    const stress = new Float64Array(9);
    const piola = new Float64Array(9);
    const cofactor = new Float64Array(9);
    for (let i = 0; i < this.count; i++) {
      const at = 9 * i;
      const mu = this.#constants[3 * i + 1]!;
      const pressure = this.#constants[3 * i]! * (strain[at]! + strain[at + 4]! + strain[at + 8]!);
      for (let k = 0; k < 9; k++) {
        stress[k] = pressure * projection[at + k]! + 2 * mu * (strain[at + k]! + viscous[at + k]!);
      }
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          piola[3 * a + b] =
            stress[3 * a + b]! +
            g[at + 3 * a]! * stress[b]! +
            g[at + 3 * a + 1]! * stress[3 + b]! +
            g[at + 3 * a + 2]! * stress[6 + b]!;
        }
      }
      const volumeStiffness = this.#constants[3 * i + 2]!;
      if (volumeStiffness !== 0) {
        const factor = volumeStiffness * determinantChange(g, at);
        cofactorOfJ(g, at, cofactor);
        for (let k = 0; k < 9; k++) piola[k]! += factor * cofactor[k]!;
      }
      const v = this.volume[i]!;
      const alpha = 2 * this.#alpha[i]! * this.bondModulus;
      for (let a = 0; a < 9; a += 3) {
        for (let b = 0; b < 3; b++) {
          const product =
            piola[a]! * inverse[at + b]! + piola[a + 1]! * inverse[at + 3 + b]! + piola[a + 2]! * inverse[at + 6 + b]!;
          flux[at + a + b] = v * product - alpha * g[at + a + b]!;
        }
      }
    }
  }

  /** f_i = sum_j (Q_i + Q_j) g_ij + B b_ij (u_j - u_i): [M04] eq. 24-25 gathered instead of scattered. */
  #gatherForces(): void {
    const { begin, index } = this.neighbors;
    const { displacement: u, gradientWeight: g, flux: q, bond, force } = this;
    for (let i = 0; i < this.count; i++) {
      const at = 9 * i;
      let [fx, fy, fz, sx, sy, sz, bx, by, bz] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
      const ux = u[3 * i]!;
      const uy = u[3 * i + 1]!;
      const uz = u[3 * i + 2]!;
      const end = begin[i + 1]!;
      for (let k = begin[i]!; k < end; k++) {
        const j = index[k]!;
        const jt = 9 * j;
        const gx = g[3 * k]!;
        const gy = g[3 * k + 1]!;
        const gz = g[3 * k + 2]!;
        sx += gx;
        sy += gy;
        sz += gz;
        fx += q[jt]! * gx + q[jt + 1]! * gy + q[jt + 2]! * gz;
        fy += q[jt + 3]! * gx + q[jt + 4]! * gy + q[jt + 5]! * gz;
        fz += q[jt + 6]! * gx + q[jt + 7]! * gy + q[jt + 8]! * gz;
        const b = bond[k]!;
        bx += b * (u[3 * j]! - ux);
        by += b * (u[3 * j + 1]! - uy);
        bz += b * (u[3 * j + 2]! - uz);
      }
      force[3 * i] = fx + q[at]! * sx + q[at + 1]! * sy + q[at + 2]! * sz + this.bondModulus * bx;
      force[3 * i + 1] = fy + q[at + 3]! * sx + q[at + 4]! * sy + q[at + 5]! * sz + this.bondModulus * by;
      force[3 * i + 2] = fz + q[at + 6]! * sx + q[at + 7]! * sy + q[at + 8]! * sz + this.bondModulus * bz;
    }
  }

  #kick(dt: number): void {
    const { velocity, acceleration } = this;
    for (let k = 0; k < velocity.length; k++) velocity[k]! += dt * acceleration[k]!;
  }

  #drift(dt: number): void {
    const { displacement, velocity } = this;
    for (let k = 0; k < displacement.length; k++) displacement[k]! += dt * velocity[k]!;
  }
}

/** A neighbourhood whose moment matrix is worse conditioned than this has its support widened by WIDENING, some times. */
const POOR_SUPPORT = 0.2;
const WIDENING = 1.25;
const WIDENINGS = 4;

/**
 * Neighbour lists with supports wide enough for a well-conditioned fit wherever that can be had. Sheets and
 * strings stay flat however wide they are searched: they keep the supports they had.
 */
function supportedNeighborhoods(positions: Float64Array, spacings: Float64Array, support: number) {
  const original = spacings.map((spacing) => support * spacing);
  const supports = original.slice();
  const build = () => {
    const neighbors = findNeighbors(positions, supports);
    const { weight, g } = gradientWeights(positions, supports, neighbors);
    return { neighbors, weight, g, moments: momentInverses(positions, neighbors, g, supports.length) };
  };
  let built = build();
  for (let times = 0; times < WIDENINGS; times++) {
    const { condition } = built.moments;
    if (!condition.some((value) => value < POOR_SUPPORT)) return built;
    for (let i = 0; i < supports.length; i++) if (condition[i]! < POOR_SUPPORT) supports[i]! *= WIDENING;
    built = build();
  }
  const { rank } = built.moments;
  if (!rank.some((value) => value < 3)) return built;
  for (let i = 0; i < supports.length; i++) if (rank[i]! < 3) supports[i] = original[i]!;
  return build();
}

/** det(I + G) - 1 from the invariants of G: no digits are lost near the rest shape. */
function determinantChange(g: Float64Array, at: number): number {
  const xx = g[at]!;
  const xy = g[at + 1]!;
  const xz = g[at + 2]!;
  const yx = g[at + 3]!;
  const yy = g[at + 4]!;
  const yz = g[at + 5]!;
  const zx = g[at + 6]!;
  const zy = g[at + 7]!;
  const zz = g[at + 8]!;
  const minors = xx * yy - xy * yx + xx * zz - xz * zx + yy * zz - yz * zy;
  const determinant = xx * (yy * zz - yz * zy) - xy * (yx * zz - yz * zx) + xz * (yx * zy - yy * zx);
  return xx + yy + zz + minors + determinant;
}

/** cof J = det(J) J^-T: each row is the cross product of the other two rows of J. */
function cofactorOfJ(g: Float64Array, at: number, target: Float64Array): void {
  for (let a = 0; a < 3; a++) {
    const p = (a + 1) % 3;
    const q = (a + 2) % 3;
    for (let b = 0; b < 3; b++) {
      const c = (b + 1) % 3;
      const d = (b + 2) % 3;
      const entry = (row: number, column: number) => g[at + 3 * row + column]! + (row === column ? 1 : 0);
      target[3 * a + b] = entry(p, c) * entry(q, d) - entry(p, d) * entry(q, c);
    }
  }
}

/** Longest side of the box around the particles' cells [m]. */
function longestSide(positions: Float64Array, spacings: Float64Array): number {
  let longest = 0;
  for (let a = 0; a < 3; a++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < spacings.length; i++) {
      low = Math.min(low, positions[3 * i + a]! - spacings[i]! / 2);
      high = Math.max(high, positions[3 * i + a]! + spacings[i]! / 2);
    }
    longest = Math.max(longest, high - low);
  }
  return longest;
}
