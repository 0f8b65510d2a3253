import type { BodyRange } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';

/** Viscosity that changes velocities by less than this in a step is taken explicitly. */
const MILD = 0.2;
/** That which changes them by less than this since it last acted waits. */
const FAINT = 0.01;
/** What is left of a solution, over the differences of velocities that it began with. */
const TOLERANCE = 1e-3;
const MOST_ITERATIONS = 200;
/** Solutions of a step in which obstacles hold or drop what they touch. */
const ROUNDS = 3;
/**
 * Half of sum k r^2 of a particle over its viscosity and volume, by the number of directions that its neighbours span: a
 * string that is stretched resists with 3 eta, a sheet and a block that are sheared with eta.
 */
const SHARES = [0, 3, 8, 15] as const;

/** What a save holds. */
export interface ViscosityState {
  /** Of the dashpots: the largest sum of a particle's over its mass [1/s]. */
  readonly rate: number;
  /** Time for which they have still to act [s]. */
  readonly debt: number;
}

/**
 * Viscosity of solids, by dashpots between neighbours; passes: assembly/solid/viscosity.ts. In explicit steps it acts
 * between kick and drift, by backward Euler where it is strong; in implicit ones it is part of the balance of forces.
 */
export class SolidViscosity {
  readonly #store: ParticleStore;
  readonly #explicit: boolean;
  readonly #effort: { iterations: number };
  /** Numbers of the bodies that have it. */
  bodies: readonly number[] = [];
  rate = 0;
  debt = 0;

  /** Implicit steps have vectors of their own for what is solved for. */
  constructor(parts: {
    store: ParticleStore;
    explicit: boolean;
    implicitSteps: boolean;
    /** Are there any? */
    obstacles: boolean;
    effort: { iterations: number };
  }) {
    const { store } = parts;
    this.#store = store;
    this.#explicit = parts.explicit;
    this.#effort = parts.effort;
    store.allocate(layout.VISCOSITIES, 4 * store.count);
    for (const slot of [layout.DASHPOTS, layout.FLOW]) this.#allocate(slot);
    if (parts.implicitSteps) return;
    for (const slot of [layout.FLOW_CHANGE, layout.RESIDUAL, layout.DIRECTION, layout.PRODUCT]) this.#allocate(slot);
    if (!parts.obstacles) return;
    for (const slot of [layout.FLOW_CONTACT, layout.FLOW_FRICTION]) this.#allocate(slot);
  }

  #allocate(slot: number): void {
    this.#store.allocate(slot, 16 * this.#store.count);
    this.#store.vectors(slot).fill(0);
  }

  /** Dynamic viscosities by body and particle [Pa s]; 0 for those that have none. */
  write(viscosities: readonly (readonly number[])[], ranges: readonly BodyRange[]): void {
    const store = this.#store;
    const own = store.floats(layout.VISCOSITIES, store.count);
    const deficient = store.integers(layout.DEFICIENT_OF, store.count);
    for (const [b, { begin, end }] of ranges.entries()) {
      const ofBody = viscosities[b]!;
      store.bodyIntegers(b)[layout.BODY_DASHPOTS / 4] = ofBody.some((viscosity) => viscosity > 0) ? 1 : 0;
      for (let i = begin; i < end; i++) {
        const number = deficient[i]!;
        const rank = number === 0 ? 3 : store.floats(layout.PROJECTIONS, 12 * number)[12 * (number - 1) + 3]!;
        own[i] = SHARES[rank]! * ofBody[i - begin]!;
      }
    }
    this.bodies = [...ranges.keys()].filter((b) => viscosities[b]!.some((viscosity) => viscosity > 0));
    this.rate = 0;
  }

  /**
   * In an explicit step whose first kick is in KICK: kicks all solids and lets viscosity act, or does neither where it is so
   * faint that it may wait.
   */
  act(dt: number): boolean {
    const duration = this.debt + dt;
    this.debt = duration;
    if (!this.#explicit && this.rate > 0 && this.rate * duration < FAINT) return false;
    this.debt = 0;
    const store = this.#store;
    store.setFloat(layout.FLOW_TIME, duration);
    store.run('kickSolids');
    store.run('takeFlow');
    if (this.#meetsObstacles) store.run('meetFlow');
    store.moveGhostFlow();
    this.#place(0);
    store.beginFlow();
    this.#findRate();
    const isMild = this.#explicit || this.rate * duration < MILD;
    let enough: number | undefined;
    for (let round = 0; !isMild && round < ROUNDS; round++) {
      enough = this.#solve(duration, enough);
      if (!this.#meetsObstacles || !this.#recheck()) break;
    }
    store.setFloat(layout.ALPHA, isMild ? 1 : 0);
    store.run('applyFlow');
    store.noteGhostFlow();
    return true;
  }

  /** How fast the dashpots are in the present shape, where nobody knows. */
  measure(): void {
    if (this.rate > 0) return;
    this.#store.run('takeFlow');
    this.#store.moveGhostFlow();
    this.#place(0);
    this.#store.run('measureDashpots');
    this.#findRate();
  }

  /** Longest step that explicit viscosity bears [s]. */
  get longestStep(): number {
    return this.#explicit && this.rate > 0 ? 1 / this.rate : Number.POSITIVE_INFINITY;
  }

  /**
   * Beginning of an implicit solution over a time, from its guess; of 0 s where it does not act. The lines are those of the
   * middle of the step, to which a midpoint rule goes.
   */
  begin(elapsed: number, isMidpoint: boolean): void {
    const store = this.#store;
    store.setFloat(layout.FLOW_TIME, elapsed);
    if (elapsed === 0) return;
    this.#reach();
    this.#place(isMidpoint ? 0 : elapsed / 2);
    store.run('measureDashpots');
  }

  /** Adds its forces to those of the stress pass. */
  addForces(): void {
    this.#reach();
    this.#store.run('addDashpotForces');
  }

  addChanges(): void {
    this.#store.run('addDashpotChanges');
  }

  #reach(): void {
    this.#store.run('reachFlow');
    this.#store.moveGhostFlow();
  }

  #place(lag: number): void {
    const store = this.#store;
    store.setFloat(layout.FLOW_LAG, lag);
    store.run('placeDashpots');
    store.run('weighDashpots');
  }

  #findRate(): void {
    this.rate = this.#store.blockMost(1);
  }

  get #meetsObstacles(): boolean {
    return this.#store.address(layout.FLOW_CONTACT) !== 0;
  }

  /** Lets obstacles hold, drop and slide what is solved for; did any change? */
  #recheck(): boolean {
    const store = this.#store;
    store.run('checkFlow');
    const switched = store.blockSum(0);
    if (store.blockSum(1) > 0) {
      // What these are to change is known: it goes to the right side.
      store.multiplyFlow();
      store.setFloat(layout.ALPHA, 1);
      store.run('advanceFlow');
    }
    return switched > 0;
  }

  /** Goes on until what is left is `known`, or small against what there is; returns that. */
  #solve(duration: number, known: number | undefined): number {
    const store = this.#store;
    store.setFloat(layout.BETA, 0);
    store.run('turnFlow');
    const start = store.blockSum(0);
    // Impulses are so many times larger than the changes of velocity that they are for.
    const enough = known ?? (TOLERANCE / (1 + this.rate * duration)) ** 2 * start;
    if (!(start > enough)) return enough;
    const system: LinearSystem = {
      multiply: () => store.multiplyFlow(),
      advance: (alpha) => {
        store.setFloat(layout.ALPHA, alpha);
        store.run('advanceFlow');
        return store.blockSum(0) <= enough;
      },
      precondition: () => store.blockSum(0),
      turn: (beta) => {
        store.setFloat(layout.BETA, beta);
        store.run('turnFlow');
      },
    };
    this.#effort.iterations += conjugateGradients(system, start, MOST_ITERATIONS).iterations;
    return enough;
  }

  save(): ViscosityState {
    return { rate: this.rate, debt: this.debt };
  }

  restore({ rate, debt }: ViscosityState): void {
    this.rate = rate;
    this.debt = debt;
  }
}
