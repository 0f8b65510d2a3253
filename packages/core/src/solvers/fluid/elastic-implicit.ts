import * as layout from '../../particles/elastic-layout.js';
import type { ElasticStore } from '../../particles/elastic-store.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';
import { searchLine } from '../linear/line-search.js';

/** As in elastic/implicit.ts, for bodies. */
const MOST_NEWTON_ITERATIONS = 30;
const FORCING = 0.001;
const MARGIN = 0.5;
const FRICTION_ITERATIONS = 8;
const FRICTION_SLACK = 5;

/** Vectors by ID, 16 bytes each, and what else is only needed here. */
const VECTORS = [
  layout.START,
  layout.CHANGE,
  layout.RESIDUAL,
  layout.PRODUCT,
  layout.DIRECTION,
  layout.CORRECTION,
  layout.CONTACT,
  layout.SLIP,
] as const;
const OTHERS = [
  [layout.DIAGONAL_INVERSE, 32],
  [layout.LINEARISED, 128],
  [layout.HELD_AXES, 4],
  [layout.CONTACT_STIFFNESS, 4],
] as const;

/** Memory that implicit steps take for each particle [bytes]. */
export const IMPLICIT_BYTES = OTHERS.reduce((sum, [, bytes]) => sum + bytes, 16 * VECTORS.length);

/** How a step was solved. */
export interface ElasticSolution {
  /** Why it did not converge; none when it did. */
  readonly reason?: string;
  readonly newtonIterations: number;
  /** Of the conjugate gradients, all together. */
  readonly iterations: number;
  /** Unbalanced force over the forces that act. */
  readonly residual: number;
}

/** Forces, scaled by mass: unbalanced, acting, along the correction, and what rounding alone leaves unbalanced. */
interface Balance {
  readonly residual: number;
  readonly scale: number;
  readonly along: number;
  readonly rounding: number;
}

/** Backward Euler steps of what is elastic in liquids, by Newton's method; see assembly/fluid/elastic-implicit.ts. */
export class ElasticSteps {
  readonly #store: ElasticStore;
  readonly #tolerance: number;
  readonly #maxIterations: number;
  readonly #obstacles: boolean;

  constructor(parts: { store: ElasticStore; tolerance: number; maxIterations: number; obstacles: boolean }) {
    const { store } = parts;
    this.#store = store;
    this.#tolerance = parts.tolerance;
    this.#maxIterations = parts.maxIterations;
    this.#obstacles = parts.obstacles;
    for (const slot of VECTORS) this.#allocate(slot, 16);
    for (const [slot, bytes] of OTHERS) this.#allocate(slot, bytes);
  }

  #allocate(slot: number, bytes: number): void {
    const { capacity } = this.#store;
    this.#store.allocate(slot, bytes * capacity);
    this.#store.integers(slot, (bytes / 4) * capacity).fill(0);
  }

  /** A step of `h` from SHIFT and VELOCITY, which are those of its end when it has converged, and else as they were. */
  solve(h: number): ElasticSolution {
    const store = this.#store;
    store.setFloat(layout.INERTIA, 1 / (h * h));
    store.setInteger(layout.ROUND, 0);
    store.run('beginElasticSolve');
    // Strains at the guess, which those of changes are added to.
    store.setFloat(layout.ELAPSED, 0);
    store.run('computeElasticStresses');
    store.setFloat(layout.ELAPSED, h);
    store.run('tryElasticStresses');
    store.run('invertElasticDiagonals');
    const solution = this.#balanceForces();
    store.run(solution.reason === undefined ? 'endElasticSolve' : 'returnElastic');
    return solution;
  }

  #balanceForces(): ElasticSolution {
    const store = this.#store;
    let iterations = 0;
    let balance = this.#residuals();
    for (let newton = 0; newton < MOST_NEWTON_ITERATIONS; newton++) {
      const { residual, scale } = balance;
      const relative = scale > 0 ? residual / scale : 0;
      const state = { newtonIterations: newton, iterations, residual: relative };
      if (!Number.isFinite(relative)) return { ...state, reason: 'a force is not a number' };
      const patience = this.#obstacles && newton > FRICTION_ITERATIONS ? FRICTION_SLACK : 1;
      const enough = Math.max(patience * this.#tolerance * scale, balance.rounding);
      if (residual <= enough) return state;
      const linear = this.#solveLinear(Math.max(FORCING * residual, MARGIN * enough));
      iterations += linear.iterations;
      if (!linear.converged) {
        const reason = `${this.#maxIterations} conjugate gradient iterations were not enough`;
        return { newtonIterations: newton + 1, iterations, residual: relative, reason };
      }
      store.setInteger(layout.ROUND, newton + 1);
      balance = searchLine(linear.slope, (length) => this.#move(length));
    }
    const reason = `${MOST_NEWTON_ITERATIONS} Newton iterations were not enough`;
    const { residual, scale } = balance;
    return { newtonIterations: MOST_NEWTON_ITERATIONS, iterations, residual: residual / scale, reason };
  }

  /** Forces at the present changes. */
  #residuals(): Balance {
    const store = this.#store;
    store.run('computeElasticResiduals');
    return {
      residual: Math.sqrt(store.blockSum(0)),
      scale: Math.sqrt(store.blockSum(1)),
      along: store.blockSum(2),
      rounding: Math.sqrt(store.blockSum(3)),
    };
  }

  /** Goes along the direction; returns the size of the residual, scaled by mass. */
  #advance(alpha: number): number {
    this.#store.setFloat(layout.ALPHA, alpha);
    this.#store.run('advanceElasticCorrections');
    return Math.sqrt(this.#store.blockSum(0));
  }

  #turn(beta: number): void {
    this.#store.setFloat(layout.BETA, beta);
    this.#store.run('turnElasticDirections');
  }

  /** The system matrix times the direction; returns direction . product. */
  #multiply(): number {
    this.#store.run('computeElasticFluxChanges');
    this.#store.run('computeElasticProducts');
    return this.#store.blockSum(0);
  }

  /** A correction = r; `slope` is the force along the correction. */
  #solveLinear(target: number): { converged: boolean; iterations: number; slope: number } {
    const store = this.#store;
    store.floats(layout.CORRECTION, 4 * store.capacity).fill(0);
    this.#advance(0);
    const rho = store.blockSum(1);
    this.#turn(0);
    if (rho === 0) return { converged: true, iterations: 0, slope: 0 };
    const system: LinearSystem = {
      multiply: () => this.#multiply(),
      advance: (alpha) => this.#advance(alpha) <= target,
      precondition: () => store.blockSum(1),
      turn: (beta) => this.#turn(beta),
    };
    const { end, iterations, curvature, along } = conjugateGradients(system, rho, this.#maxIterations);
    // Negative curvature: the first direction is taken as it is, a later one is left out.
    if (end !== 'curvature' || iterations > 1) return { converged: end !== 'iterations', iterations, slope: along };
    this.#advance(1);
    return { converged: Number.isFinite(curvature), iterations, slope: rho };
  }

  #move(length: number): Balance {
    const store = this.#store;
    store.setFloat(layout.ALPHA, length);
    store.run('applyElasticCorrections');
    store.run('tryElasticStresses');
    return this.#residuals();
  }
}
