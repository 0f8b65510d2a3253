import { length } from '../../math/matrix3.js';
import type { FluidSolverOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';
import type { FluidGrid } from './grid.js';

/** How the pressures of a step were found. */
export interface FluidEffort {
  /** Iterations of the density and of the divergence solution, and of implicit viscosity. */
  densityIterations: number;
  divergenceIterations: number;
  viscosityIterations: number;
  /** Steps whose solution hit `maxIterations`. */
  unconverged: number;
  /** Particles that left through sinks. */
  removed: number;
}

/** Explicit viscosity is stable up to this many density * spacing^2 / viscosity [1]. */
const EXPLICIT_VISCOSITY = 0.1;
const EXPLICIT_MARGIN = 0.5;
/** Implicit viscosity is solved to this share of the momentum there is. */
const VISCOUS_TOLERANCE = 1e-4;
const VISCOUS_ITERATIONS = 300;
/** Fewest iterations of the pressure solutions, [BK17]. */
const FEWEST_ITERATIONS = 2;
/** Capillary waves: share of sqrt(density * spacing^3 / (2 pi tension)), J. U. Brackbill 1992. */
const CAPILLARY = 0.5;
/** Speed of sound over the fastest that the liquid is expected to be, for the state's stiffness. */
const ACOUSTIC = 0.4;

export interface FluidParts {
  readonly store: FluidStore;
  readonly grid: FluidGrid;
  readonly options: FluidSolverOptions;
  readonly gravity: Vec3;
  readonly spacing: number;
  readonly maxTimeStep: number;
  /** Over all liquids: thickest per density [m2/s], tension per density [m3/s2], and the lightest density [kg/m3]. */
  readonly kinematicViscosity: number;
  readonly tension: number;
  readonly lightest: number;
  /** Lets sources put particles in and boundary particles go where they are at a time. Have any of these moved? */
  readonly prepare: (time: number, dt: number) => boolean;
  /** Hands on what the liquid does to the bodies in it. */
  readonly react: () => void;
}

/**
 * Liquids by smoothed particles: divergence-free SPH, J. Bender and D. Koschier 2017 [BK17], or the weakly
 * compressible SPH of [K06] 4.3.
 */
export class FluidSolver {
  readonly #parts: FluidParts;
  readonly #store: FluidStore;
  maximumSpeed = 0;
  readonly effort: FluidEffort = {
    densityIterations: 0,
    divergenceIterations: 0,
    viscosityIterations: 0,
    unconverged: 0,
    removed: 0,
  };
  /** Of the last step: mean and largest compression [1]. */
  meanCompression = 0;
  largestCompression = 0;

  constructor(parts: FluidParts) {
    this.#parts = parts;
    this.#store = parts.store;
    parts.store.setVector(layout.GRAVITY, [...parts.gravity, 0]);
  }

  /** One step, after algorithm 1 of [BK17]. */
  step(time: number, dt: number): void {
    const store = this.#store;
    store.setFloat(layout.STEP, dt);
    store.setFloat(layout.TIME, time + dt);
    this.#arrange(time, dt);
    if (store.count > 0) {
      if (this.#parts.options.pressure === 'wcsph') {
        this.#applyForces(dt);
        this.#applyStatePressures();
      } else {
        this.#solveDivergence();
        this.#applyForces(dt);
        this.#solveDensity();
      }
      this.#parts.react();
      this.#move();
    }
  }

  /** Sorts particles, finds neighbours, and makes densities, gradients and factors. */
  #arrange(time: number, dt: number): void {
    const store = this.#store;
    const { grid } = this.#parts;
    const moved = this.#parts.prepare(time, dt);
    if (store.count === 0) return;
    const changed = grid.fit();
    this.effort.removed += store.sort();
    if (changed || moved) store.sortBoundary();
    if (store.count === 0) return;
    store.findNeighbors();
    store.run('computeLiquidPairs');
  }

  #applyForces(dt: number): void {
    const store = this.#store;
    const { options, kinematicViscosity, spacing, tension } = this.#parts;
    store.run('applyGravity');
    const explicit = EXPLICIT_MARGIN * EXPLICIT_VISCOSITY * spacing * spacing >= kinematicViscosity * dt;
    if (kinematicViscosity > 0 && explicit) store.run('applyViscosity');
    if (options.xsph > 0) store.run('applyXsph');
    if (tension > 0) store.run('applyCohesion');
    store.run('applyAccelerations');
    if (!explicit) this.#solveViscosity();
  }

  #solveDivergence(): void {
    const { divergenceError } = this.#parts.options;
    this.effort.divergenceIterations += this.#solvePressure(layout.DIVERGENCE_PRESSURE, divergenceError, 1);
  }

  #solveDensity(): void {
    const { densityError } = this.#parts.options;
    this.effort.densityIterations += this.#solvePressure(layout.PRESSURE, densityError, FEWEST_ITERATIONS);
  }

  /** Jacobi iterations on one of the pressures, which start from those of the last step. */
  #solvePressure(slot: number, tolerance: number, fewest: number): number {
    const store = this.#store;
    const { maxIterations } = this.#parts.options;
    store.setInteger(layout.SOLVED, store.address(slot));
    store.setInteger(layout.SOLVING_DIVERGENCE, slot === layout.DIVERGENCE_PRESSURE ? 1 : 0);
    store.run('computeSources');
    let iterations = 0;
    for (;;) {
      store.run('computePressureAccelerations');
      store.run('relaxPressures');
      iterations++;
      if (iterations >= fewest && store.blockSum(0) <= tolerance * store.count) break;
      if (iterations >= maxIterations) {
        this.effort.unconverged++;
        break;
      }
    }
    store.run('computePressureAccelerations');
    store.run('applyAccelerations');
    return iterations;
  }

  #applyStatePressures(): void {
    const store = this.#store;
    store.setInteger(layout.SOLVED, store.address(layout.PRESSURE));
    store.run('computeStatePressures');
    store.run('computePressureAccelerations');
    store.run('applyAccelerations');
  }

  /** Conjugate gradients, see assembly/fluid/viscosity.ts. */
  #solveViscosity(): void {
    const store = this.#store;
    store.run('beginViscosity');
    const target = VISCOUS_TOLERANCE * VISCOUS_TOLERANCE * store.blockSum(1);
    if (store.blockSum(0) <= target) return;
    store.run('sumViscousResiduals');
    let rho = store.blockSum(0);
    store.setFloat(layout.BETA, 0);
    for (let k = 1; k <= VISCOUS_ITERATIONS; k++) {
      this.effort.viscosityIterations++;
      store.run('advanceViscousDirections');
      store.run('computeViscousProducts');
      const curvature = store.blockSum(0);
      if (!(curvature > 0)) return;
      store.setFloat(layout.ALPHA, rho / curvature);
      store.run('advanceViscousVelocities');
      if (store.blockSum(0) <= target) return;
      store.run('sumViscousResiduals');
      const next = store.blockSum(0);
      store.setFloat(layout.BETA, next / rho);
      rho = next;
    }
    this.effort.unconverged++;
  }

  #move(): void {
    const store = this.#store;
    store.run('moveLiquid');
    this.maximumSpeed = Math.sqrt(store.engine.helpers.largest(store.address(layout.BLOCK_SPEED), store.blocks));
    this.meanCompression = store.blockSum(1) / store.count;
    this.largestCompression = store.blockLargest(2);
  }

  /** The next step and what sets it: no particle goes farther than a share of its spacing. */
  chooseStep(): { timeStep: number; limitedBy: string } {
    const { options, spacing, gravity, tension, maxTimeStep } = this.#parts;
    const pull = length(gravity);
    // With gravity on top: cfl d = v t + g t^2.
    const way = options.cfl * spacing;
    const v = this.maximumSpeed;
    let limit = { timeStep: (2 * way) / (v + Math.sqrt(v * v + 4 * pull * way)), limitedBy: 'liquid speed' };
    const lower = (timeStep: number, limitedBy: string) => {
      if (timeStep < limit.timeStep) limit = { timeStep, limitedBy };
    };
    if (tension > 0)
      lower(CAPILLARY * Math.sqrt((spacing * spacing * spacing) / (2 * Math.PI * tension)), 'surface tension');
    if (options.pressure === 'wcsph') {
      const sound = Math.sqrt((options.stiffness * options.exponent) / this.#parts.lightest);
      lower((ACOUSTIC * spacing) / (sound + v), 'sound in the liquid');
    }
    lower(Math.min(maxTimeStep, options.maxTimeStep), 'maxTimeStep');
    return limit;
  }
}
