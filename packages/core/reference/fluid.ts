import { cubicSpline, type Kernel, poly6, spiky, viscosityLaplacian } from './kernels.js';
import { findNeighbors, type NeighborLists } from './neighbors.js';

/** Softening of the viscous operator, as a share of h^2 [1]. */
const SOFTENING = 0.01;

/** 2 (dimensions + 2), over what softening and the few neighbours leave of the integral in layers that slide, 0.78. */
const VISCOUS_FACTOR = 12.8;

/** At walls it is the softening alone, which leaves 0.96; the tables of half-spaces have 10. */
const WALL_FACTOR = 10.4;
const HALF_SPACE_FACTOR = 10;

/** Vectors are xyz triples. */
export interface FluidState {
  /** [m] */
  readonly positions: Float64Array;
  /** [m/s] */
  readonly velocities: Float64Array;
  /** Volumes in sums over particles [m3]. */
  readonly volumes: Float64Array;
  /** Volumes at rest, which forces act on; those of the sums when left out [m3]. */
  readonly restVolumes?: Float64Array | undefined;
  /** [kg] */
  readonly masses: Float64Array;
  /** Number of the fluid that each particle belongs to. */
  readonly phases: ArrayLike<number>;
  /** Particles of the walls. */
  readonly boundary?: BoundaryState | undefined;
  /** Walls that fill half-spaces. */
  readonly planes?: readonly PlaneState[] | undefined;
  /** Radius beyond which kernels vanish, h [m]. */
  readonly support: number;
  /** Kernels of densities and of their gradients; the cubic spline for both when left out. */
  readonly kernels?: { readonly value: Kernel; readonly gradient: Kernel } | undefined;
}

export interface BoundaryState {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  /** Weights of their kernels in sums [m3]. */
  readonly volumes: Float64Array;
  /** Kernel of each at a distance; that of the fluid when left out. */
  readonly kernel?: ((b: number, r: number) => { value: number; slopeOverR: number }) | undefined;
  /** Volumes that drag and attract; those in sums when left out [m3]. */
  readonly dragVolumes?: Float64Array | undefined;
  /** Share of the fluid's viscosity that acts on each; all of it when left out. */
  readonly noSlips?: Float64Array | undefined;
  /** Share of the fluid's attraction that each has; none when left out. */
  readonly adhesions?: Float64Array | undefined;
}

/** A half-space full of boundary, which enters by integrals over it (see solvers/fluid/half-space.ts). */
export interface PlaneState {
  /** Out of the wall, of length one. */
  readonly normal: Vector;
  /** Of the plane's points along the normal [m]. */
  readonly offset: number;
  readonly velocity: Vector;
  readonly noSlip: number;
  readonly adhesion: number;
  /** Share of the kernel within, its derivative [1/m], viscous terms along and across the plane [1/m2]. */
  readonly integrals: (distance: number) => { share: number; slope: number; tangential: number; normal: number };
  /** Pull over the strength of the attraction [1]. */
  readonly pull: (distance: number) => number;
}

/** Forces [N] on the particles of the fluid, and the reactions on those of the walls. */
export interface FluidForces {
  readonly fluid: Float64Array;
  readonly boundary: Float64Array;
}

/** How much particles attract each other, see ReferenceFluid.bonds(). */
export interface SurfaceBonds {
  readonly skin: number;
  /** [1/m] */
  readonly edge: number;
  readonly alone: number;
  readonly full: number;
  readonly rise: number;
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

  private get kernels(): { readonly value: Kernel; readonly gradient: Kernel } {
    return this.state.kernels ?? { value: cubicSpline, gradient: cubicSpline };
  }

  /** W of a neighbour, or k of a wall's particle. */
  private value({ j, wall, r }: Neighbor): number {
    if (wall && this.wall.kernel) return this.wall.kernel(j, r).value;
    return this.kernels.value.value(r, this.state.support);
  }

  /** 1/r dW/dr, the gradient over x. */
  private slopeOverR({ j, wall, r }: Neighbor): number {
    if (wall && this.wall.kernel) return this.wall.kernel(j, r).slopeOverR;
    return this.kernels.gradient.slopeOverR(r, this.state.support);
  }

  private get restVolumes(): Float64Array {
    return this.state.restVolumes ?? this.state.volumes;
  }

  private distance(plane: PlaneState, i: number): number {
    return dot(plane.normal, vectorAt(this.state.positions, i)) - plane.offset;
  }

  /**
   * What the planes add to s, to its gradient and to sum_b V_b v_b . grad W: where several meet, the share outside
   * all of them is taken as the product of the shares outside each, 1 - prod_k (1 - lambda_k).
   */
  private planesAt(i: number): { share: number; gradient: Vector; carried: number } {
    const near = (this.state.planes ?? []).filter((plane) => this.distance(plane, i) < this.state.support);
    const rows = near.map((plane) => plane.integrals(this.distance(plane, i)));
    const outside = (but: number) =>
      rows.reduce((product, { share }, k) => (k === but ? product : product * (1 - share)), 1);
    const gradient: [number, number, number] = [0, 0, 0];
    let carried = 0;
    for (const [k, { normal, velocity }] of near.entries()) {
      const factor = outside(k) * rows[k]!.slope;
      for (let a = 0; a < 3; a++) gradient[a]! += factor * normal[a]!;
      carried += factor * dot(normal, velocity);
    }
    return { share: 1 - outside(-1), gradient, carried };
  }

  /** s_i = V_i W(0) + sum_j V_j W_ij + sum_b V_b W_ib [1]. */
  densityRatios(): Float64Array {
    const h = this.state.support;
    const s = this.state.volumes.map((volume) => volume * this.kernels.value.value(0, h));
    this.forEachPair((i, pair) => {
      s[i]! += pair.volume * this.value(pair);
    });
    return s.map((value, i) => value + this.planesAt(i).share);
  }

  /** What particle i counts of j between liquids of several densities, X. Y. Hu and N. A. Adams 2006 [1]. */
  layerShare(i: number, j: number): number {
    const { masses } = this.state;
    return (2 * masses[j]!) / (masses[i]! + masses[j]!);
  }

  /** ds_i/dt = sum_j c_ij V_j (v_i - v_j) . grad W_ij + sum_b V_b (v_i - v_b) . grad W_ib [1/s], c_ij = 1 or the share. */
  densityRates(layered = false): Float64Array {
    const rates = new Float64Array(this.count);
    this.forEachPair((i, pair) => {
      const share = layered && !pair.wall ? this.layerShare(i, pair.j) : 1;
      rates[i]! += share * pair.volume * this.slopeOverR(pair) * dot(pair.v, pair.x);
    });
    return rates.map((rate, i) => {
      const { gradient, carried } = this.planesAt(i);
      return rate + dot(vectorAt(this.state.velocities, i), gradient) - carried;
    });
  }

  /**
   * e_i of s(x + t v) = s + t ds/dt + t^2 e, by the fluid alone:
   * 1/2 sum_j V_j (W'/r (|v|^2 - (v . n)^2) + W'' (v . n)^2) [1/s2].
   */
  straightCompressions(): Float64Array {
    const h = this.state.support;
    const sums = new Float64Array(this.count);
    this.forEachPair((i, { wall, volume, r, x, v }) => {
      if (wall) return;
      const radial = dot(v, x) ** 2 / (r * r);
      const { value } = this.kernels;
      const bent = value.slopeOverR(r, h) * (dot(v, v) - radial) + value.curvature(r, h) * radial;
      sums[i]! += (volume * bent) / 2;
    });
    return sums;
  }

  /** |C_i|^2, C_i = sum_j V_j grad W_ij + 1/2 sum_b V_b grad W_ib: half of what a wall pushes by is that of images [1/m2]. */
  openings(): Float64Array {
    const gradients = this.planeGradients().map((value) => value / 2);
    this.forEachPair((i, pair) => {
      add(gradients, i, (pair.wall ? 0.5 : 1) * pair.volume * this.slopeOverR(pair), pair.x);
    });
    return Float64Array.from({ length: this.count }, (_, i) => {
      const gradient = vectorAt(gradients, i);
      return dot(gradient, gradient);
    });
  }

  /**
   * alpha_i [Pa s2]: a pressure p_i on particle i alone makes d2s_i/dt2 = -p_i / alpha_i, the factor of J. Bender
   * and D. Koschier 2015 in terms of volumes. Walls press with the pressure of the particle they act on and do not give
   * way: 1 / alpha_i = V_i (|G_i|^2 / m_i + sum_j V_j^2 |grad W_ij|^2 / m_j). Infinite without neighbours.
   */
  pressureFactors(): Float64Array {
    const { masses } = this.state;
    const gradients = this.planeGradients();
    const inverse = new Float64Array(this.count);
    this.forEachPair((i, pair) => {
      const factor = pair.volume * this.slopeOverR(pair);
      add(gradients, i, factor, pair.x);
      if (!pair.wall) inverse[i]! += (factor * pair.r) ** 2 / masses[pair.j]!;
    });
    return inverse.map((value, i) => {
      const gradient = vectorAt(gradients, i);
      return 1 / (this.restVolumes[i]! * (value + dot(gradient, gradient) / masses[i]!));
    });
  }

  /**
   * F_i = -V_i sum_j V_j (c_ij p_i + c_ji p_j) grad W_ij - V_i sum_b V_b p_i grad W_ib, of pressures [Pa]: the derivative
   * of sum_i V_i p_i s_i, so that pressure takes as much power as it gives.
   */
  pressureForces(pressures: Float64Array, layered = false): FluidForces {
    const forces = this.forces((i, pair) => {
      const share = (a: number, b: number) => (layered ? this.layerShare(a, b) : 1);
      const p = pair.wall ? pressures[i]! : share(i, pair.j) * pressures[i]! + share(pair.j, i) * pressures[pair.j]!;
      return scale(-this.restVolumes[i]! * pair.volume * p * this.slopeOverR(pair), pair.x);
    });
    const planes = this.planeGradients();
    for (let i = 0; i < this.count; i++) {
      add(forces.fluid, i, -this.restVolumes[i]! * pressures[i]!, vectorAt(planes, i));
    }
    return forces;
  }

  private planeGradients(): Float64Array {
    const gradients = new Float64Array(3 * this.count);
    for (let i = 0; i < this.count; i++) add(gradients, i, 1, this.planesAt(i).gradient);
    return gradients;
  }

  /**
   * F_i = V_i sum_j V_j 12.8 mu_ij (v_ij . x_ij) / (x_ij^2 + 0.01 h^2) grad W_ij, J. J. Monaghan 2005 with
   * the harmonic mean mu_ij of dynamic viscosities [Pa s]; walls have that of the particle. Central forces:
   * angular momentum is kept, and rigid rotation is free of them. Planes resist along and across themselves.
   */
  viscousForces(viscosities: Float64Array): FluidForces {
    const { support: h, velocities, planes = [] } = this.state;
    const forces = this.forces((i, { j, wall, volume, r, x, v }) => {
      const own = viscosities[i]!;
      const other = wall ? own : viscosities[j]!;
      const mu = own + other > 0 ? (2 * own * other) / (own + other) : 0;
      const weight = wall ? WALL_FACTOR * (this.wall.noSlips?.[j] ?? 1) * this.dragVolume(j) : VISCOUS_FACTOR * volume;
      const operator = (weight * mu * dot(v, x)) / (r * r + SOFTENING * h * h);
      return scale(this.restVolumes[i]! * operator * cubicSpline.slopeOverR(r, h), x);
    });
    for (const plane of planes) {
      for (let i = 0; i < this.count; i++) {
        const distance = this.distance(plane, i);
        if (distance >= h) continue;
        const { tangential, normal } = plane.integrals(distance);
        const factor = (WALL_FACTOR / HALF_SPACE_FACTOR) * this.restVolumes[i]! * viscosities[i]! * plane.noSlip;
        const v = subtract(vectorAt(velocities, i), plane.velocity);
        const along = dot(v, plane.normal);
        add(forces.fluid, i, -factor * tangential, v);
        add(forces.fluid, i, -factor * (normal - tangential) * along, plane.normal);
      }
    }
    return forces;
  }

  private dragVolume(b: number): number {
    return (this.wall.dragVolumes ?? this.wall.volumes)[b]!;
  }

  /**
   * Viscosity of eddies smaller than the spacing: as viscousForces between particles of the fluid, with the kinematic
   * viscosity `eddy` |v_ij . x_ij| / |x_ij| [m2/s] and the harmonic mean of the masses, J. von Neumann and
   * R. D. Richtmyer 1950; `eddy` in m. Differences of velocity count up to `fastest` [m/s].
   */
  eddyForces(eddy: number, fastest = Number.POSITIVE_INFINITY): Float64Array {
    const { support: h, masses } = this.state;
    return this.forces((i, { j, wall, volume, r, x, v }) => {
      if (wall) return [0, 0, 0];
      const mass = (2 * masses[i]! * masses[j]!) / (masses[i]! + masses[j]!);
      const r2 = r * r + SOFTENING * h * h;
      const nu = eddy * Math.min(Math.abs(dot(v, x)) / Math.sqrt(r2), fastest);
      const operator = (VISCOUS_FACTOR * mass * nu * dot(v, x)) / r2;
      return scale(volume * operator * cubicSpline.slopeOverR(r, h), x);
    }).fluid;
  }

  /**
   * E = -sum over pairs of one phase of A h C(r_ij / h) [J], C(q) the integral of c(q) = 64 q^3 (1 - q)^3 from q
   * to 1, with the strength A [N] of each phase. Walls count by adhesion and volume; planes are left out.
   */
  cohesionEnergy(strengths: ArrayLike<number>): number {
    const { support: h, phases } = this.state;
    let energy = 0;
    this.forEachPair((i, { j, wall, r }) => {
      const depth = strengths[phases[i]!]! * h * attractionDepth(r / h);
      if (wall) energy -= ((this.wall.adhesions?.[j] ?? 0) * this.dragVolume(j) * depth) / this.restVolumes[i]!;
      else if (phases[i] === phases[j]) energy -= 0.5 * depth;
    });
    return energy;
  }

  /**
   * b_i = skin |C_i|^2 / (|C_i|^2 + edge^2) + alone min((full - s_i) / rise, 1), with s the sum of (1 - r^2 / h^2)^3 over
   * the same phase, and over that in a cubic lattice of h/2: how much a particle is at a surface, or alone.
   */
  bonds({ skin, edge, alone, full, rise }: SurfaceBonds): Float64Array {
    const { support: h, phases } = this.state;
    const near = new Float64Array(this.count);
    this.forEachPair((i, { j, wall, r }) => {
      if (!wall && phases[i] === phases[j]) near[i]! += (1 - (r * r) / (h * h)) ** 3;
    });
    const lattice = 6 * (3 / 4) ** 3 + 12 * (1 / 2) ** 3 + 8 * (1 / 4) ** 3;
    const gradients = this.colorGradients();
    return near.map((sum, i) => {
      const c = vectorAt(gradients, i);
      const deficit = Math.min(Math.max((full - sum / lattice) / rise, 0), 1);
      return (skin * dot(c, c)) / (dot(c, c) + edge * edge) + alone * deficit;
    });
  }

  /** F_i = -A sum_j (b_i + b_j) / 2 c(r_ij / h) x_ij / r_ij over the same phase, and over walls by their adhesion. */
  cohesionForces(strengths: ArrayLike<number>, bonds?: Float64Array): FluidForces {
    const { support: h, phases, planes = [] } = this.state;
    const forces = this.forces((i, { j, wall, r, x }) => {
      if (r === 0 || (!wall && phases[i] !== phases[j])) return [0, 0, 0];
      const weight = wall
        ? ((this.wall.adhesions?.[j] ?? 0) * this.dragVolume(j)) / this.restVolumes[i]!
        : bonds
          ? (bonds[i]! + bonds[j]!) / 2
          : 1;
      return scale((-strengths[phases[i]!]! * weight * attraction(r / h)) / r, x);
    });
    for (const plane of planes) {
      for (let i = 0; i < this.count; i++) {
        const distance = this.distance(plane, i);
        if (distance >= h) continue;
        add(forces.fluid, i, -strengths[phases[i]!]! * plane.adhesion * plane.pull(distance), plane.normal);
      }
    }
    return forces;
  }

  /** C_i = sum of V_j grad W_ij over the same phase [1/m]: it points inward at a free surface, and vanishes inside. */
  private colorGradients(): Float64Array {
    const { support: h, phases } = this.state;
    const gradients = new Float64Array(3 * this.count);
    this.forEachPair((i, { j, wall, volume, r, x }) => {
      if (!wall && phases[i] === phases[j]) add(gradients, i, volume * cubicSpline.slopeOverR(r, h), x);
    });
    return gradients;
  }

  /**
   * E = sum_i T V_i (sqrt(|C_i|^2 + e^2) - e) [J], the total variation of the colour, with T [N/m] of each phase and
   * e [1/m], below which C is noise.
   */
  surfaceEnergy(tensions: ArrayLike<number>, faint: number): number {
    const c = this.colorGradients();
    let energy = 0;
    for (let i = 0; i < this.count; i++) {
      const own = vectorAt(c, i);
      const rise = Math.sqrt(dot(own, own) + faint * faint) - faint;
      energy += tensions[this.state.phases[i]!]! * this.restVolumes[i]! * rise;
    }
    return energy;
  }

  /**
   * F_i = -dE/dx_i. Moving x_i changes C_i by sum_j V_j H_ij and each C_j by -V_i H_ij, H the Hessian of W. Not central,
   * but E is invariant under rotation, so the torques sum to zero all the same.
   */
  surfaceForces(tensions: ArrayLike<number>, faint: number): Float64Array {
    const { support: h, volumes, phases } = this.state;
    const c = this.colorGradients();
    const normal = (i: number): Vector => {
      const own = vectorAt(c, i);
      return scale(1 / Math.sqrt(dot(own, own) + faint * faint), own);
    };
    return this.forces((i, { j, wall, volume, r, x }) => {
      if (wall || phases[i] !== phases[j]) return [0, 0, 0];
      const own = scale(this.restVolumes[i]! * volume, normal(i));
      const difference = subtract(own, scale(this.restVolumes[j]! * volumes[i]!, normal(j)));
      // H = W'/r I + (W'' - W'/r) x x^T / r^2.
      const across = cubicSpline.slopeOverR(r, h);
      const along = r > 0 ? ((cubicSpline.curvature(r, h) - across) * dot(difference, x)) / (r * r) : 0;
      const factor = -tensions[phases[i]!]!;
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

/** c(q), the attraction of two particles. */
function attraction(q: number): number {
  return q < 1 ? 64 * (q * (1 - q)) ** 3 : 0;
}

/** The integral of c from q to 1. */
function attractionDepth(q: number): number {
  const antiderivative = (s: number) => 64 * s ** 4 * (1 / 4 - (3 / 5) * s + s ** 2 / 2 - s ** 3 / 7);
  return q < 1 ? antiderivative(1) - antiderivative(q) : 0;
}

function vectorAt(vectors: Float64Array, i: number): Vector {
  return [vectors[3 * i]!, vectors[3 * i + 1]!, vectors[3 * i + 2]!];
}

function subtract(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
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
