import { cubicSpline, poly6, spiky, viscosityLaplacian } from './kernels.js';
import { findNeighbors, type NeighborLists } from './neighbors.js';

/** Softening of the viscous operator, as a share of h^2 [1]. */
const SOFTENING = 0.01;

/** 2 (dimensions + 2). */
const VISCOUS_FACTOR = 10;

/** Vectors are xyz triples. */
export interface FluidState {
  /** [m] */
  readonly positions: Float64Array;
  /** [m/s] */
  readonly velocities: Float64Array;
  /** Rest volumes [m3]. */
  readonly volumes: Float64Array;
  /** [kg] */
  readonly masses: Float64Array;
  /** Number of the fluid that each particle belongs to. */
  readonly phases: ArrayLike<number>;
  /** Particles of the walls. */
  readonly boundary?: BoundaryState | undefined;
  /** Radius beyond which kernels vanish, h [m]. */
  readonly support: number;
}

export interface BoundaryState {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly volumes: Float64Array;
}

/** Forces [N] on the particles of the fluid, and the reactions on those of the walls. */
export interface FluidForces {
  readonly fluid: Float64Array;
  readonly boundary: Float64Array;
}

/** One neighbour of a particle: x = x_i - x_j. */
interface Neighbor {
  /** Number among the fluid's particles, or among those of the walls. */
  readonly j: number;
  readonly wall: boolean;
  readonly volume: number;
  readonly r: number;
  readonly x: Vector;
  /** v_i - v_j. */
  readonly v: Vector;
}

type Vector = readonly [number, number, number];

/**
 * What SPH says about one state of a fluid, in double precision: sums of the textbook, one method each. The
 * kernel is the cubic spline where nothing else is said; W_ij = W(|x_i - x_j|), gradients are by x_i.
 * Rest volumes V instead of m / rho make the density a ratio s of the rest density, the same across phases.
 */
export class ReferenceFluid {
  readonly count: number;
  private readonly wallCount: number;
  private readonly wall: BoundaryState;
  private readonly lists: NeighborLists;

  constructor(readonly state: FluidState) {
    this.count = state.volumes.length;
    this.wall = state.boundary ?? {
      positions: new Float64Array(0),
      velocities: new Float64Array(0),
      volumes: new Float64Array(0),
    };
    this.wallCount = this.wall.volumes.length;
    const positions = new Float64Array(3 * (this.count + this.wallCount));
    positions.set(state.positions);
    positions.set(this.wall.positions, 3 * this.count);
    this.lists = findNeighbors(positions, new Float64Array(this.count + this.wallCount).fill(state.support));
  }

  /** s_i = V_i W(0) + sum_j V_j W_ij + sum_b V_b W_ib [1]. */
  densityRatios(): Float64Array {
    const h = this.state.support;
    const s = this.state.volumes.map((volume) => volume * cubicSpline.value(0, h));
    this.forEachPair((i, { volume, r }) => {
      s[i]! += volume * cubicSpline.value(r, h);
    });
    return s;
  }

  /** ds_i/dt = sum_j V_j (v_i - v_j) . grad W_ij + sum_b V_b (v_i - v_b) . grad W_ib [1/s]. */
  densityRates(): Float64Array {
    const h = this.state.support;
    const rates = new Float64Array(this.count);
    this.forEachPair((i, { volume, r, x, v }) => {
      rates[i]! += volume * cubicSpline.slopeOverR(r, h) * dot(v, x);
    });
    return rates;
  }

  /**
   * alpha_i [Pa s2]: a pressure p_i on particle i alone makes d2s_i/dt2 = -p_i / alpha_i, the factor of J. Bender
   * and D. Koschier 2015 in terms of volumes. Walls have the pressure of the particle they act on and do not give way:
   * 1 / alpha_i = V_i / m_i (G_f + 2 G_b) . (G_f + G_b) + V_i sum_j V_j^2 |grad W_ij|^2 / m_j. Infinite without neighbours.
   */
  pressureFactors(): Float64Array {
    const { support: h, volumes, masses } = this.state;
    const fluid = new Float64Array(3 * this.count);
    const wall = new Float64Array(3 * this.count);
    const inverse = new Float64Array(this.count);
    this.forEachPair((i, pair) => {
      const factor = pair.volume * cubicSpline.slopeOverR(pair.r, h);
      add(pair.wall ? wall : fluid, i, factor, pair.x);
      if (!pair.wall) inverse[i]! += (volumes[i]! * (factor * pair.r) ** 2) / masses[pair.j]!;
    });
    return inverse.map((value, i) => {
      let own = 0;
      for (let a = 3 * i; a < 3 * i + 3; a++) own += (fluid[a]! + 2 * wall[a]!) * (fluid[a]! + wall[a]!);
      return 1 / (value + (volumes[i]! / masses[i]!) * own);
    });
  }

  /** F_i = -V_i sum_j V_j (p_i + p_j) grad W_ij - V_i sum_b V_b 2 p_i grad W_ib, of pressures [Pa]. */
  pressureForces(pressures: Float64Array): FluidForces {
    const { support: h, volumes } = this.state;
    return this.forces((i, { j, wall, volume, r, x }) => {
      const p = pressures[i]! + (wall ? pressures[i]! : pressures[j]!);
      return scale(-volumes[i]! * volume * p * cubicSpline.slopeOverR(r, h), x);
    });
  }

  /**
   * F_i = V_i sum_j V_j 10 mu_ij (v_ij . x_ij) / (x_ij^2 + 0.01 h^2) grad W_ij, J. J. Monaghan 2005 with
   * the harmonic mean mu_ij of dynamic viscosities [Pa s]; walls have that of the particle. Central forces:
   * angular momentum is kept, and rigid rotation is free of them.
   */
  viscousForces(viscosities: Float64Array): FluidForces {
    const { support: h, volumes } = this.state;
    return this.forces((i, { j, wall, volume, r, x, v }) => {
      const own = viscosities[i]!;
      const other = wall ? own : viscosities[j]!;
      const mu = own + other > 0 ? (2 * own * other) / (own + other) : 0;
      const operator = (VISCOUS_FACTOR * mu * dot(v, x)) / (r * r + SOFTENING * h * h);
      return scale(volumes[i]! * volume * operator * cubicSpline.slopeOverR(r, h), x);
    });
  }

  /** C_i = sum of V_j grad W_ij over the same phase [1/m]: it points inward at a free surface, and vanishes inside. */
  colorGradients(): Float64Array {
    const { support: h, phases } = this.state;
    const gradients = new Float64Array(3 * this.count);
    this.forEachPair((i, { j, wall, volume, r, x }) => {
      if (!wall && phases[i] === phases[j]) add(gradients, i, volume * cubicSpline.slopeOverR(r, h), x);
    });
    return gradients;
  }

  /** E = sum_i V_i kappa_i / 2 |C_i|^2 [J], with kappa_i [J/m] of each particle; see surfaceTensionConstant. */
  surfaceEnergy(kappas: Float64Array): number {
    const gradients = this.colorGradients();
    let energy = 0;
    for (let a = 0; a < gradients.length; a++) {
      const i = Math.floor(a / 3);
      energy += 0.5 * this.state.volumes[i]! * kappas[i]! * gradients[a]! ** 2;
    }
    return energy;
  }

  /**
   * F_i = -dE/dx_i. Moving x_i changes C_i by sum_j V_j H_ij and each C_j by -V_i H_ij, H the Hessian of W, so
   * F_i = -V_i sum_j V_j H_ij (kappa_i C_i - kappa_j C_j) over the same phase. Not central, but E is invariant
   * under rotation, so the torques sum to zero all the same.
   */
  surfaceForces(kappas: Float64Array): Float64Array {
    const { support: h, volumes, phases } = this.state;
    const c = this.colorGradients();
    return this.forces((i, { j, wall, volume, r, x }) => {
      if (wall || phases[i] !== phases[j]) return [0, 0, 0];
      const difference: Vector = [
        kappas[i]! * c[3 * i]! - kappas[j]! * c[3 * j]!,
        kappas[i]! * c[3 * i + 1]! - kappas[j]! * c[3 * j + 1]!,
        kappas[i]! * c[3 * i + 2]! - kappas[j]! * c[3 * j + 2]!,
      ];
      // H = W'/r I + (W'' - W'/r) x x^T / r^2.
      const across = cubicSpline.slopeOverR(r, h);
      const along = r > 0 ? ((cubicSpline.curvature(r, h) - across) * dot(difference, x)) / (r * r) : 0;
      const factor = -volumes[i]! * volume;
      return [
        factor * (across * difference[0] + along * x[0]),
        factor * (across * difference[1] + along * x[1]),
        factor * (across * difference[2] + along * x[2]),
      ];
    }).fluid;
  }

  /** rho_i = sum_j m_j W_ij, itself included, with the polynomial kernel [kg/m3], [K06] eq. 4.5. */
  densities(): Float64Array {
    const { support: h, masses } = this.state;
    const rho = masses.map((mass) => mass * poly6.value(0, h));
    this.forEachPair((i, { j, wall, r }) => {
      if (!wall) rho[i]! += masses[j]! * poly6.value(r, h);
    });
    return rho;
  }

  /** p = k ((rho / rho0)^gamma - 1) [Pa], [K06] eq. 4.8. */
  gasPressures(restDensity: number, stiffness: number, gamma: number): Float64Array {
    return this.densities().map((rho) => stiffness * ((rho / restDensity) ** gamma - 1));
  }

  /** F_i = -V_i sum_j V_j (p_i + p_j) / 2 grad W_ij, V = m / rho, with the spiky kernel, [K06] eq. 4.6. */
  gasForces(pressures: Float64Array): Float64Array {
    const { support: h, masses } = this.state;
    const volumes = this.densities().map((rho, i) => masses[i]! / rho);
    return this.forces((i, { j, wall, r, x }) => {
      if (wall) return [0, 0, 0];
      const p = 0.5 * (pressures[i]! + pressures[j]!);
      return scale(-volumes[i]! * volumes[j]! * p * spiky.slopeOverR(r, h), x);
    }).fluid;
  }

  /** F_i = mu V_i sum_j V_j (v_j - v_i) laplacian W_ij, V = m / rho, [K06] eq. 4.7 with the Laplacian of REFERENCES.md. */
  laplacianForces(viscosity: number): Float64Array {
    const { support: h, masses } = this.state;
    const volumes = this.densities().map((rho, i) => masses[i]! / rho);
    return this.forces((i, { j, wall, r, v }) => {
      if (wall) return [0, 0, 0];
      return scale(-viscosity * volumes[i]! * volumes[j]! * viscosityLaplacian(r, h), v);
    }).fluid;
  }

  /** Sums a pair's force on i over its neighbours; walls get the opposite. */
  private forces(pairForce: (i: number, pair: Neighbor) => Vector): FluidForces {
    const fluid = new Float64Array(3 * this.count);
    const boundary = new Float64Array(3 * this.wallCount);
    this.forEachPair((i, pair) => {
      const force = pairForce(i, pair);
      add(fluid, i, 1, force);
      if (pair.wall) add(boundary, pair.j, -1, force);
    });
    return { fluid, boundary };
  }

  private forEachPair(visit: (i: number, pair: Neighbor) => void): void {
    const { positions, velocities, volumes } = this.state;
    for (let i = 0; i < this.count; i++) {
      for (let k = this.lists.begin[i]!; k < this.lists.begin[i + 1]!; k++) {
        const index = this.lists.index[k]!;
        const wall = index >= this.count;
        const j = wall ? index - this.count : index;
        const from = wall ? this.wall : { positions, velocities, volumes };
        const x = difference(positions, i, from.positions, j);
        const v = difference(velocities, i, from.velocities, j);
        visit(i, { j, wall, volume: from.volumes[j]!, r: Math.sqrt(dot(x, x)), x, v });
      }
    }
  }
}

/**
 * The constant c of sigma = c kappa / h: the surface energy of a flat free surface per area [1]. At the depth z
 * of a continuum |C| is the integral of W over the plane at that distance, A(z), and sigma = kappa / 2 integral
 * of A^2 dz from 0 to h. For the cubic spline c = 4376 / 17325 = 0.252583.
 */
export function surfaceTensionConstant(): number {
  const pieces = 2000;
  const step = 1 / pieces;
  let sum = 0;
  let plane = 0;
  // From the support inward; A(z) = 2 pi integral of W r dr from z to h, by the midpoint rule.
  for (let k = pieces - 1; k >= 0; k--) {
    const r = (k + 0.5) * step;
    const piece = 2 * Math.PI * r * cubicSpline.value(r, 1) * step;
    const middle = plane + 0.5 * piece;
    sum += 0.5 * middle * middle * step;
    plane += piece;
  }
  return sum;
}

function difference(a: Float64Array, i: number, b: Float64Array, j: number): Vector {
  return [a[3 * i]! - b[3 * j]!, a[3 * i + 1]! - b[3 * j + 1]!, a[3 * i + 2]! - b[3 * j + 2]!];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function scale(factor: number, a: Vector): Vector {
  return [factor * a[0], factor * a[1], factor * a[2]];
}

function add(to: Float64Array, i: number, factor: number, a: Vector): void {
  for (let axis = 0; axis < 3; axis++) to[3 * i + axis]! += factor * a[axis]!;
}
