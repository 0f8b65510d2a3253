import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { ParticleContact } from '../contact/particles.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';
import { searchLine } from '../linear/line-search.js';
import type { RigidBalance, RigidSystem } from '../rigid/implicit.js';
import type { CoarseSpace } from './coarse.js';
import type { SolidViscosity } from './viscosity.js';

/** Newton iterations before a solution is given up: of a step, which may be halved, and of equilibrium. */
const MOST_NEWTON_ITERATIONS = 30;
const MOST_STATIC_ITERATIONS = 100;
/** A residual of this share of the first one is what is left of it, not all of it [1]. */
const LEFT = 1e-3;
/** A linear system is solved to this share of its right side, or to the tolerance: the next linearisation sees to the rest. */
const FORCING = 0.001;
/** The conjugate gradients go this much below the tolerance, so that the Newton iteration ends. */
const MARGIN = 0.5;
/** Friction comes to balance slowly, and its law is no more exact than this many tolerances. */
const FRICTION_ITERATIONS = 8;
const FRICTION_SLACK = 5;
/** A particle is on an obstacle's surface when it is this near, in radii. */
const ON_SURFACE = 1e-3;
const VECTORS = [
  layout.START,
  layout.START_VELOCITY,
  layout.GUESS,
  layout.CHANGE,
  layout.STEP_VELOCITY,
  layout.RESIDUAL,
  layout.PRECONDITIONED,
  layout.DIRECTION,
  layout.PRODUCT,
  layout.CORRECTION,
  layout.ROTATION,
] as const;

/** How a system was solved. */
export interface Solution {
  readonly converged: boolean;
  readonly newtonIterations: number;
  /** Of the conjugate gradients, all together. */
  readonly iterations: number;
  /** Unbalanced force over the forces that act. */
  readonly residual: number;
  /** Why it did not converge. */
  readonly reason?: string;
}

const NO_RIGID_BODIES: RigidBalance = { residual: 0, scale: 0, along: 0, rounding: 0 };

/**
 * Forces, scaled by mass: unbalanced, acting, along the correction, and what rounding alone leaves unbalanced, here and
 * where all is in float32.
 */
interface Balance {
  readonly residual: number;
  readonly scale: number;
  readonly along: number;
  readonly rounding: number;
  readonly singleRounding: number;
}

/**
 * Newton's method with a line search on the force balance of an implicit step or of equilibrium, each
 * linear system by conjugate gradients, [M04] appendix B. The tangent is exact; where it is not positive
 * the conjugate gradients stop at the direction of negative curvature, which is still one of descent.
 */
export class ImplicitSolver {
  readonly #store: ParticleStore;
  readonly #contact: ParticleContact;
  readonly #coarse: CoarseSpace;
  readonly #tolerance: number;
  readonly #maxIterations: number;
  readonly #obstacles: boolean;
  /** The rigid bodies, which are solved for with the solids. */
  readonly #rigid: RigidSystem | undefined;
  /** Of the solids that have some, and whether it acts in what is being solved. */
  readonly #viscosity: SolidViscosity | undefined;
  #flows = false;
  readonly #midpoint: boolean;
  /** Is it equilibrium that is being sought? */
  #static = false;

  constructor(parts: {
    store: ParticleStore;
    contact: ParticleContact;
    coarse: CoarseSpace;
    obstacles: boolean;
    rigid?: RigidSystem | undefined;
    viscosity?: SolidViscosity | undefined;
    /** Are its solutions the middle of steps? */
    midpoint?: boolean;
    tolerance: number;
    maxIterations: number;
    quadraticCount: number;
  }) {
    const { store } = parts;
    this.#store = store;
    this.#contact = parts.contact;
    this.#coarse = parts.coarse;
    this.#tolerance = parts.tolerance;
    this.#maxIterations = parts.maxIterations;
    this.#obstacles = parts.obstacles;
    this.#rigid = parts.rigid;
    this.#viscosity = parts.viscosity;
    this.#midpoint = parts.midpoint ?? false;
    for (const slot of VECTORS) store.allocate(slot, 16 * store.count);
    store.allocate(layout.STIFFNESS_DIAGONAL, 32 * store.count);
    store.allocate(layout.DIAGONAL_INVERSE, 32 * store.count);
    store.allocate(layout.LINEARISED, 96 * store.count);
    if (parts.quadraticCount > 0) store.allocate(layout.QUADRATIC_LINEARISED, 192 * parts.quadraticCount);
    store.allocate(layout.CONTACT_CHANGE, 16 * parts.contact.surfaceCount);
    if (parts.obstacles) {
      store.allocate(layout.OBSTACLE_CONTACT, 16 * store.count);
      store.allocate(layout.OBSTACLE_FRICTION_FORCE, 16 * store.count);
    }
  }

  /** To be called when materials have changed. */
  prepare(): void {
    // With the whole stabilisation, so that it does not matter when this is asked for.
    this.#store.withWholeStabilisation(() => this.#store.run('computeStiffnessDiagonals'));
    this.#coarse.assemble();
  }

  /** The time in which the stiffest particles answer [s]. */
  get quickest(): number {
    return this.#coarse.quickest;
  }

  /**
   * Balances the forces at time `elapsed` after the start; 0 for equilibrium. Displacements hold the first
   * guess, and contact between bodies has been told to look anew. Viscosity acts where it `flows`.
   */
  solve(elapsed: number, flows: boolean): Solution {
    const store = this.#store;
    const inertia = elapsed > 0 ? 1 / (elapsed * elapsed) : 0;
    this.#static = elapsed === 0;
    store.setFloat(layout.INERTIA, inertia);
    store.setFloat(layout.ELAPSED, elapsed);
    this.#beExact(this.#static);
    store.vectors(layout.CORRECTION).fill(0);
    this.#flows = flows && this.#viscosity !== undefined;
    this.#viscosity?.begin(flows ? elapsed : 0, this.#midpoint);
    store.run('invertDiagonals');
    this.#coarse.factor(inertia, this.#flows);

    const most = this.#static ? MOST_STATIC_ITERATIONS : MOST_NEWTON_ITERATIONS;
    let iterations = 0;
    let balance = this.#balance(0);
    const first = balance.residual;
    for (let newton = 0; newton < most; newton++) {
      const pushed = this.#obstacles && this.#updateContacts(newton);
      const { scale } = balance;
      const residual = this.#obstacles ? this.#norm() : balance.residual;
      const relative = scale > 0 ? residual / scale : 0;
      if (!Number.isFinite(relative)) return failed(newton, iterations, relative, 'a force is not a number');
      // Displacements that are right to their last digit are as good as it gets.
      const patience = (this.#obstacles || this.#rigid) && newton > FRICTION_ITERATIONS ? FRICTION_SLACK : 1;
      const enough = Math.max(patience * this.#tolerance * scale, balance.rounding);
      if (!pushed && residual <= enough) {
        return { converged: true, newtonIterations: newton, iterations, residual: relative };
      }
      const target = Math.max(FORCING * residual, MARGIN * enough);
      this.#rigid?.linearise();
      const linear = this.#solveLinear(target, pushed, newton === 0 && !this.#static);
      iterations += linear.iterations;
      if (!linear.converged) {
        // Where nothing acts but rounding there is nothing to be found either. What flies off has more of it the farther it is.
        const isLeft = newton === 0 || residual <= LEFT * first;
        if (this.#static && isLeft && residual <= balance.singleRounding) {
          return { converged: true, newtonIterations: newton + 1, iterations, residual: relative };
        }
        const reason =
          this.#static && linear.iterations < this.#maxIterations
            ? 'something is free to move without resistance'
            : `${this.#maxIterations} conjugate gradient iterations were not enough`;
        return failed(newton + 1, iterations, relative, reason);
      }
      // What obstacles push is not to be found by going downhill.
      balance = pushed ? this.#move(1) : searchLine(linear.slope, (length) => this.#move(length));
    }
    const { residual, scale } = balance;
    return failed(most, iterations, residual / scale, `${most} Newton iterations were not enough`);
  }

  /** Equilibrium is found in double precision: its forces are small differences of large ones. */
  #beExact(exact: boolean): void {
    const store = this.#store;
    store.setInteger(layout.EXACT, exact ? 1 : 0);
    if (!exact) return;
    if (store.address(layout.CHANGE_REST) === 0) store.allocateExact();
    store.vectors(layout.CHANGE_REST).fill(0);
  }

  /** Forces at the present displacements. */
  #balance(moved: number): Balance {
    const store = this.#store;
    if (this.#contact.surfaceCount > 0) {
      store.run('computeStepVelocities');
      this.#rigid?.writeVelocities();
      this.#contact.computeForces(moved);
    }
    const rigid = this.#rigid?.balance() ?? NO_RIGID_BODIES;
    store.computeStresses();
    if (this.#flows) this.#viscosity!.addForces();
    if (this.#static) store.computeExactForces();
    store.computeResiduals();
    return {
      residual: Math.sqrt(store.blockSum(0) + rigid.residual),
      scale: Math.sqrt(store.blockSum(1) + rigid.scale),
      along: store.blockSum(2) + rigid.along,
      rounding: Math.sqrt(store.blockSum(4) + rigid.rounding),
      singleRounding: Math.sqrt(store.blockSum(5) + rigid.rounding),
    };
  }

  /** Lets obstacles catch, drop and slide particles; did any change? */
  #updateContacts(round: number): boolean {
    const store = this.#store;
    store.setInteger(layout.CONTACT_ROUND, round);
    store.run('updateObstacleContacts');
    return store.blockSum(3) > 0 || Math.sqrt(store.blockLargest(layout.BLOCK_SPEED)) > ON_SURFACE;
  }

  /**
   * A correction = r by preconditioned conjugate gradients, when `warm` from as much of what is in DIRECTION
   * as brings the system nearest; `slope` is the force along the correction.
   */
  #solveLinear(
    target: number,
    pushed: boolean,
    warm: boolean,
  ): { converged: boolean; iterations: number; slope: number } {
    const store = this.#store;
    const rigid = this.#rigid;
    rigid?.clearCorrection();
    if (pushed) {
      // Part of the correction is known: what it does to the rest goes to the right side.
      store.vectors(layout.DIRECTION).set(store.vectors(layout.CORRECTION));
      rigid?.clearDirection();
      this.#multiply();
      store.run('subtractProducts');
      rigid?.subtractProduct();
    } else {
      store.vectors(layout.CORRECTION).fill(0);
    }
    let slope = 0;
    let iterations = 0;
    if (warm && !pushed) {
      store.run('projectDirections');
      const along = store.blockSum(0) + (rigid?.guessDirection() ?? 0);
      const curvature = this.#multiply();
      iterations++;
      if (curvature > 0) {
        slope = (along * along) / curvature;
        if (this.#advance(along / curvature) <= target) return { converged: true, iterations, slope };
      }
    }
    const rho = this.#precondition();
    store.setFloat(layout.BETA, 0);
    rigid?.turn(0);
    const system: LinearSystem = {
      multiply: () => {
        store.run('advanceDirections');
        return this.#multiply();
      },
      advance: (alpha) => this.#advance(alpha) <= target,
      precondition: () => this.#precondition(),
      turn: (beta) => {
        store.setFloat(layout.BETA, beta);
        rigid?.turn(beta);
      },
    };
    const { end, curvature, along, ...effort } = conjugateGradients(system, rho, this.#maxIterations);
    iterations += effort.iterations;
    slope += along;
    // Negative curvature: the first direction is taken as it is, a later one is left out. Without inertia a direction
    // that nothing resists has no end.
    if (end !== 'curvature' || effort.iterations > 1) return { converged: end !== 'iterations', iterations, slope };
    if (this.#static) return { converged: false, iterations, slope };
    this.#advance(1);
    return { converged: Number.isFinite(curvature), iterations, slope: rho };
  }

  /** The system matrix times the direction; returns the direction times that. */
  #multiply(): number {
    this.#rigid?.writeDirection();
    this.#store.computeStressChanges();
    if (this.#flows) this.#viscosity!.addChanges();
    this.#contact.computeChanges();
    this.#store.computeProducts();
    return this.#store.blockSum(0) + (this.#rigid?.multiply() ?? 0);
  }

  /** Goes along the direction; returns the size of the residual, scaled by mass. */
  #advance(alpha: number): number {
    this.#store.setFloat(layout.ALPHA, alpha);
    this.#store.run('advanceCorrections');
    return Math.sqrt(this.#store.blockSum(0) + (this.#rigid?.advance(alpha) ?? 0));
  }

  /** Size of the residual, scaled by mass. */
  #norm(): number {
    this.#store.run('sumResiduals');
    return Math.sqrt(this.#store.blockSum(0) + (this.#rigid?.norm() ?? 0));
  }

  /** z from r; returns r . z. */
  #precondition(): number {
    this.#coarse.solve();
    this.#store.run('precondition');
    return this.#store.blockSum(0) + (this.#rigid?.precondition() ?? 0);
  }

  #move(length: number): Balance {
    const store = this.#store;
    store.setFloat(layout.ALPHA, length);
    store.run('applyCorrections');
    const moved = Math.sqrt(store.blockLargest(layout.BLOCK_SPEED));
    return this.#balance(Math.max(moved, this.#rigid?.move(length) ?? 0));
  }
}

function failed(newtonIterations: number, iterations: number, residual: number, reason: string): Solution {
  return { converged: false, newtonIterations, iterations, residual, reason };
}
