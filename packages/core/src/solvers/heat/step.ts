import { HOTTEST } from '../../options/heat.js';
import { COLDEST } from '../../options/material-parameters.js';
import * as layout from '../../particles/heat-layout.js';
import type { HeatStore } from '../../particles/heat-store.js';
import { SimulationError } from '../error.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';
import { SHORTEST_SHARE } from '../step-limit.js';

/** What heat took so far; counts on over all layouts of the memory. */
export interface HeatEffort {
  /** Explicit and implicit steps. */
  explicitSteps: number;
  implicitSteps: number;
  /** Conjugate gradient iterations of implicit steps. */
  iterations: number;
  /** Implicit steps that were tried again with half the length. */
  retries: number;
  /** Heat that came from plates, from the surroundings, from sources and from what is held [J]. */
  supplied: number;
  /** Heat of what sources of liquid and changes by the user brought in, and of what sinks took out [J]. */
  added: number;
  removed: number;
}

/** Explicit steps use this share of the longest that makes no new extremes. */
const SAFETY = 0.8;
/** Up to so many explicit steps are cheaper than an implicit one. */
const CHEAP = 8;
/** Share of the second stage of an implicit step in its length. */
const GAMMA = 1 - Math.SQRT1_2;
/** What the stages of an implicit step may differ by, as a share of the heat between the coldest and the hottest. */
const ERROR = 0.01;
/** Temperatures are solved for to this share of their range, corrections to the second. */
const TOLERANCE = 1e-6;
const CORRECTION = 3e-7;
const NEWTON = 20;
const ITERATIONS = 500;
/**
 * Where a particle follows its surroundings much faster than the step, the rounding of what flows in is that much
 * more than the rounding of its temperature. Steps beyond a bound would show it.
 */
const ROUNDING = 3e-15;
const LONGEST = 1e9;
/** A step grows and shrinks by at most this factor. */
const GROWTH = 2;
/** Rounds of explicit steps before an implicit one is tried again, at the most. */
const MOST_PATIENCE = 32;
/** Temperatures that differ by less are the same [K]. */
const SAME = 1e-9;

/**
 * Conduction of heat, explicit where that is cheap and implicit where particles exchange heat much faster than
 * temperatures change: see assembly/heat. Heat is kept to the rounding of f64.
 */
export class HeatSolver {
  readonly #store: HeatStore;
  /** Name of a particle's body. */
  readonly #nameOf: (particle: number) => string;
  readonly effort: HeatEffort;
  /** Conductivities change where something melts. */
  varies = false;
  /**
   * Part of the state: the implicit step that is thought to be good enough [s]; and after how many rounds of explicit
   * steps one is tried again, of how many in all.
   */
  heldStep = 0;
  waiting = 0;
  patience = 0;
  /** Coldest and hottest at the start of the last call, plates and surroundings included [degrees C]. */
  #least = 0;
  #most = 0;
  /** Largest temperature, whatever its sign [degrees C]. */
  #largest = 0;
  /** Longest explicit step, of the last call [s]. */
  explicitStep = Number.POSITIVE_INFINITY;

  constructor(store: HeatStore, effort: HeatEffort, nameOf: (particle: number) => string) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.effort = effort;
  }

  /** Advances by `dt`, which ends at `time`; temperatures outside the particles lie between `low` and `high`. */
  advance(dt: number, time: number, low: number, high: number, powered: boolean): void {
    const store = this.#store;
    this.#prepare(time);
    const span = this.#span(low, high);
    if (!powered && !(span > SAME)) return;
    store.setDouble(layout.SPAN, Math.max(span, SAME));
    let remaining = dt;
    let fresh = true;
    while (remaining > 0) {
      if (!fresh) this.#refresh(time);
      fresh = false;
      const cheap = CHEAP * this.explicitStep;
      const longest = LONGEST * this.explicitStep;
      let size = Math.min(remaining, Math.max(Math.min(this.heldStep, longest), cheap));
      if (size <= cheap) {
        size = Math.min(remaining, cheap);
        this.#stepExplicitly(size, time);
        // Whether longer steps would do is found by trying, less and less often.
        this.waiting = Math.max(0, this.waiting - 1);
        if (this.waiting === 0 && Number.isFinite(cheap)) this.heldStep = GROWTH * cheap;
      } else {
        if (remaining > size && remaining < 2 * size) size = Math.max(remaining / 2, cheap);
        if (!this.#stepImplicitly(size, span)) {
          this.effort.retries++;
          this.heldStep = size / GROWTH;
          if (this.heldStep <= cheap) {
            if (this.explicitStep < SHORTEST_SHARE * dt) this.#failShort(dt, time);
            this.patience = Math.min(MOST_PATIENCE, GROWTH * Math.max(1, this.patience));
            this.waiting = this.patience;
          }
          continue;
        }
        this.patience = 0;
      }
      remaining = size >= remaining ? 0 : remaining - size;
    }
    store.run('readTemperatures');
    // Conduction alone makes no new extremes, and an implicit step none beyond the range that there is.
    if (powered || this.#least - span < COLDEST || this.#most + span > HOTTEST) this.#checkRange(time);
  }

  /** Ends the simulation when something is colder than can be, or hotter than is meant. */
  #checkRange(time: number): void {
    const temperatures = this.#store.doubles(layout.TEMPERATURE);
    const networks = this.#store.integers(layout.NETWORK, this.#store.count);
    let worst = -1;
    let beyond = SAME;
    for (let i = 0; i < temperatures.length; i++) {
      if (networks[i] === layout.ABSENT) continue;
      const t = temperatures[i]!;
      const excess = Math.max(COLDEST - t, t - HOTTEST);
      if (excess <= beyond) continue;
      [worst, beyond] = [i, excess];
    }
    if (worst < 0) return;
    const cold = temperatures[worst]! < COLDEST;
    const detail =
      `temperatures must be >= ${COLDEST} and <= ${HOTTEST} degrees C, and a source of heat ` +
      `${cold ? 'takes out more than there is' : 'puts in more'}: lower its power or let it end sooner, or hold a temperature instead`;
    const what = `of "${this.#nameOf(worst)}" is at ${temperatures[worst]!.toPrecision(6)} degrees C after`;
    throw new SimulationError(worst, 'advanceHeat', time, detail, what);
  }

  /** Temperatures, conductances and the longest explicit step, of the present enthalpies. */
  #prepare(time: number): void {
    const store = this.#store;
    store.run('readTemperatures');
    store.run('computeHeatExchange');
    store.run('computeHeatCoefficients');
    const rate = store.blockLargest(0);
    if (!Number.isFinite(rate)) this.#fail('computeHeatCoefficients', time);
    this.explicitStep = rate > 0 ? SAFETY / rate : Number.POSITIVE_INFINITY;
  }

  #refresh(time: number): void {
    if (this.varies) this.#prepare(time);
    else this.#store.run('readTemperatures');
  }

  #span(low: number, high: number): number {
    const temperatures = this.#store.doubles(layout.TEMPERATURE);
    const networks = this.#store.integers(layout.NETWORK, this.#store.count);
    let [least, most] = [low, high];
    for (let i = 0; i < temperatures.length; i++) {
      if (networks[i] === layout.ABSENT) continue;
      const t = temperatures[i]!;
      if (t < least) least = t;
      if (t > most) most = t;
    }
    this.#least = least;
    this.#most = most;
    this.#largest = Math.max(Math.abs(least), Math.abs(most));
    return most - least;
  }

  #stepExplicitly(dt: number, time: number): void {
    const store = this.#store;
    let remaining = dt;
    while (remaining > 0) {
      if (remaining < dt) this.#refresh(time);
      const pieces = Math.max(1, Math.ceil(remaining / this.explicitStep - 1e-9));
      const size = remaining / pieces;
      remaining = pieces === 1 ? 0 : remaining - size;
      store.setDouble(layout.STEP, size);
      this.#computeFlux(layout.TEMPERATURE);
      store.run('advanceHeat');
      const supplied = store.blockSum(0);
      if (!Number.isFinite(supplied)) this.#fail('advanceHeat', time);
      this.effort.supplied += supplied;
      this.effort.explicitSteps++;
    }
  }

  /**
   * Two stages of backward Euler, see assembly/heat/implicit.ts; false when one did not converge or the step was too
   * long to be exact enough.
   */
  #stepImplicitly(dt: number, span: number): boolean {
    const store = this.#store;
    const rounding = (ROUNDING * this.#largest * dt) / this.explicitStep;
    const scale = Math.max(span, SAME) + rounding / CORRECTION;
    store.setDouble(layout.STEP, GAMMA * dt);
    store.setDouble(layout.CARRY, (1 - GAMMA) * dt);
    store.run('beginHeatStep');
    let converged = this.#solveStage(scale);
    if (converged) {
      // The flux of the first stage goes on for a while in the second.
      const supplied = (store.blockSum(2) * (1 - GAMMA)) / GAMMA;
      store.run('beginHeatStage');
      converged = this.#solveStage(scale);
      const error = store.blockLargest(1);
      if (converged && error <= GROWTH * GROWTH * ERROR) {
        this.effort.supplied += supplied + store.blockSum(2);
        this.effort.implicitSteps++;
        // The difference of the stages goes by the square of the step.
        const factor = error > 0 ? Math.sqrt(ERROR / error) : GROWTH;
        this.heldStep = dt * Math.min(GROWTH, Math.max(1 / GROWTH, factor));
        return true;
      }
    }
    store.run('undoHeatStep');
    store.run('readTemperatures');
    return false;
  }

  /** Newton's method from the present enthalpies. */
  #solveStage(scale: number): boolean {
    const store = this.#store;
    for (let round = 0; round < NEWTON; round++) {
      this.#computeFlux(layout.TEMPERATURE);
      if (!this.#solveCorrection(CORRECTION * scale)) return false;
      store.run('correctTemperatures');
      this.#computeFlux(layout.TARGET);
      store.run('updateEnthalpies');
      if (store.blockLargest(0) <= TOLERANCE * scale) return true;
    }
    return false;
  }

  #computeFlux(slot: number): void {
    this.#store.setInteger(layout.READ, this.#store.address(slot));
    this.#store.run('computeHeatFlux');
  }

  /** Conjugate gradients until no temperature is expected to change by more than `enough` [K]; false if they do not. */
  #solveCorrection(enough: number): boolean {
    const store = this.#store;
    store.run('beginHeatSolve');
    if (!(store.blockLargest(1) > enough)) return true;
    const { end, iterations } = conjugateGradients(this.#system(enough), store.blockSum(0), ITERATIONS);
    this.effort.iterations += iterations;
    return end === 'converged';
  }

  #system(enough: number): LinearSystem {
    const store = this.#store;
    return {
      multiply: () => {
        store.run('multiplyHeat');
        return store.blockSum(0);
      },
      advance: (alpha) => {
        store.setDouble(layout.ALPHA, alpha);
        store.run('advanceHeatSolve');
        return !(store.blockLargest(1) > enough);
      },
      precondition: () => store.blockSum(0),
      turn: (beta) => {
        store.setDouble(layout.BETA, beta);
        store.run('turnHeatDirection');
      },
    };
  }

  #failShort(dt: number, time: number): never {
    const detail =
      `it exchanges heat in ${this.explicitStep.toPrecision(2)} s, too fast for ${dt.toPrecision(2)} s of flow, and no ` +
      'implicit step converges; lower thermalConductivity, heatTransfer or contactConductance, or raise heatCapacity';
    throw new SimulationError(0, 'computeHeatCoefficients', time, detail, 'or another stops');
  }

  #fail(pass: string, time: number): never {
    const bad = this.#store.doubles(layout.ENTHALPY).findIndex((h) => !Number.isFinite(h));
    throw new SimulationError(Math.max(0, bad), pass, time, 'see the thermal values of its material');
  }
}
