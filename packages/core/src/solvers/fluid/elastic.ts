import { naturalLogarithm } from '../../math/logarithm.js';
import { determinant, invert, type Matrix3, multiply, transpose } from '../../math/matrix3.js';
import type { Material, Vec3 } from '../../options/types.js';
import { BODY_PARAMETERS } from '../../particles/array-places.js';
import * as layout from '../../particles/elastic-layout.js';
import { ElasticStore } from '../../particles/elastic-store.js';
import * as fluidLayout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';
import * as solidLayout from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import { cubeRoot } from '../../sampling/cube-root.js';
import { SimulationError } from '../error.js';
import { MODELS, mayFlow, writeParameters } from '../material.js';
import { type ElasticSolution, ElasticSteps } from './elastic-implicit.js';
import { latticeFrequency, liquidConstants, liquidDamping, wavesOf } from './elastic-limits.js';
import { Islands } from './islands.js';
import { type MeltedBody, type RestBonds, relaxedBonds, restBonds } from './melted.js';

/** Support of the fit in spacings, and weight of its stabilisation, as for bodies. */
const SUPPORT = 2.1;
const STABILISATION = 0.75;
/** Elastic steps in one of the liquid, at the most: as many as [K06] 6.4.1 takes. */
const MOST_STEPS = 10;
/** Lengths of steps that differ by less than this share are the same. */
const SAME = 1e-6;
/** Plastic strain after which the neighbours of what flows are found anew [1]. */
const RENEWAL = 0.01;
/** Share of the strain that may flow before bonds follow [1]. */
const RELAXATION = 0.1;

/** Bonds of bodies that are taken over give their strain but for this change of volume, and its inverse [1]. */
const LEAST_VOLUME = 0.2;

/** Dashpots come to rest in this time [s]. */
const LONG = 1e20;

const TOO_STIFF = 'what is solid in the liquid is stiff without bound; lower its youngsModulus or damping';
/**
 * Implicit steps are this many stable explicit ones long at the most [1]. Rounding of float32, times the stiffness over
 * the inertia in a step, is then a few per cent of gravity's way in it; beyond, residuals no longer show how what is
 * stiff stands on an obstacle, and it rocks.
 */
const MOST_STABLE = 1000;
/** Implicit steps that do not converge are halved this often. */
const MOST_HALVINGS = 12;
/** More elastic steps than this within one of the liquid would never end. */
const HOPELESS = 1e4;

/** A liquid that may be elastic. */
export interface ElasticLiquid {
  readonly material: Material;
  /** Of every particle, where regions differ. */
  readonly materials?: readonly Material[] | undefined;
  /** Longest side of the body, by which damping is measured [m]. */
  readonly longestSide: number;
  /** IDs of its particles. */
  readonly begin: number;
  readonly end: number;
}

/** How a particle is softened by its heat: shares of its stiffness and yield stress [1]. */
export interface Softening {
  readonly stiffness: number;
  readonly yieldStress: number;
}

/** Highest frequency of the last stresses [1/s], and time since then [s]. */
export interface ElasticMotion {
  readonly frequency: number;
  readonly elapsed: number;
}

export interface ElasticParts {
  readonly fluid: FluidStore;
  readonly liquids: readonly ElasticLiquid[];
  readonly spacing: number;
  readonly gravity: Vec3;
  /** Share of the stable step that is used [1]. */
  readonly safety: number;
  /** How implicit steps are solved; none where steps are explicit. */
  readonly implicit?: ImplicitParts | undefined;
}

export interface ImplicitParts {
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Are there obstacles? */
  readonly obstacles: boolean;
  /** What the solutions took, counted on. */
  readonly effort: { newtonIterations: number; iterations: number; retries: number };
}

/**
 * What is solid in liquids: particles hold on to each other by bonds that come when they freeze and go when they melt,
 * see assembly/fluid/elastic-bonds.ts. Its part in a step of the liquid is begin, advance, settle, finish.
 */
export class LiquidElasticity {
  readonly store: ElasticStore;
  readonly #parts: ElasticParts;
  /** By liquid, as events have left them. */
  #materials: readonly Material[];
  #flows = false;
  /** Elastic steps in the last step of the liquid. */
  substeps = 0;
  /** Particles that can have a pressure in this step. */
  pressed = 0;
  /** Highest frequency of the last stresses [1/s]. */
  #frequency = 0;
  /** Time since the last stresses [s]. */
  #elapsed = 0;
  /** Does pressure act on what is elastic in this step? */
  #touches = false;
  /** Have bonds, stiffness or masses changed since the rates were found? */
  #ratesDue = true;
  readonly #implicit: ElasticSteps | undefined;
  readonly #islands: Islands;

  constructor(parts: ElasticParts) {
    this.#parts = parts;
    this.store = new ElasticStore(parts.fluid, parts.liquids.length);
    this.store.setFloat(layout.SUPPORT, SUPPORT * parts.spacing);
    this.store.setFloat(layout.STABILISATION, STABILISATION);
    this.store.engine.arena.f32(this.store.context + layout.GRAVITY, 3).set(parts.gravity);
    this.store.setFloat(layout.RADIUS, parts.spacing / 2);
    this.#implicit = parts.implicit && new ElasticSteps({ store: this.store, ...parts.implicit });
    this.#islands = new Islands(this.store);
    this.#materials = parts.liquids.map(({ material }) => material);
    this.writeMaterials(this.#materials);
  }

  /** What a save needs beside the arrays. */
  get motion(): ElasticMotion {
    return { frequency: this.#frequency, elapsed: this.#elapsed };
  }

  stateArrays(): Float32Array[] {
    return this.store.stateArrays();
  }

  /** Goes on where an earlier layout of the memory was. */
  restore(arrays: readonly Float32Array[], { frequency, elapsed }: ElasticMotion): void {
    this.store.setStateArrays(arrays);
    this.#moments();
    this.#frequency = frequency;
    this.#elapsed = elapsed;
  }

  /** Takes over a body that was a solid up to now, with IDs from `begin` on: it has the bonds of its rest shape. */
  takeOver(begin: number, { rest, count }: BodySamples, body: MeltedBody): void {
    const { store } = this;
    const { frame, plastic, stretches, positions } = body;
    const support = SUPPORT * this.#parts.spacing;
    const { begins, others, vectors } = stretches ? relaxedBonds(body, support) : restBonds(rest, body, support);
    const solids = store.integers(layout.SOLID, store.capacity);
    for (let i = 0; i < count; i++) {
      if (positions[4 * i + 3] === 0) continue;
      solids[begin + i] = layout.IS_SOLID;
      const [from, to] = [begins[i]!, begins[i + 1]!];
      const ids = others.subarray(from, to).map((j) => begin + j);
      store.setBonds(begin + i, ids, vectors.subarray(3 * from, 3 * to));
    }
    if (plastic) this.#takeOverPlastic(begin, count, plastic, frame);
    this.#moments();
    if (stretches) this.#keepStretches(begin, { begins, others, vectors }, body);
  }

  /** F_p^-1 in the axes of the bonds; that of what pressure holds has no volume. */
  #takeOverPlastic(begin: number, count: number, plastic: Float32Array, { rotation }: MeltedBody['frame']): void {
    const { store } = this;
    const states = store.floats(layout.STATE, 12 * store.capacity);
    const isPressed = this.isPressed(this.#liquidFrom(begin));
    const back = transpose(rotation);
    for (let i = 0; i < count; i++) {
      const from = plastic.subarray(12 * i, 12 * (i + 1));
      const inverse: Matrix3 = [
        ...[1 + from[0]!, from[1]!, from[2]!],
        ...[from[4]!, 1 + from[5]!, from[6]!],
        ...[from[8]!, from[9]!, 1 + from[10]!],
      ] as unknown as Matrix3;
      const turned = multiply(rotation, multiply(inverse, back));
      const per = isPressed ? 1 / cubeRoot(determinant(turned)) : 1;
      const to = states.subarray(12 * (begin + i), 12 * (begin + i + 1));
      for (let r = 0; r < 3; r++) {
        for (let k = 0; k < 3; k++) to[4 * r + k] = per * turned[3 * r + k]! - (r === k ? 1 : 0);
      }
      // Plastic strain and work; neighbours have never been renewed, so that they are in the first step if it has flowed.
      to[3] = from[3]!;
      to[11] = from[11]!;
    }
  }

  /** F_p^-1 with which the bonds, as they are stretched now, give the elastic stretches; as keepElasticStrain does. */
  #keepStretches(begin: number, { begins, others, vectors }: RestBonds, { positions: x, stretches }: MeltedBody): void {
    const { store } = this;
    const states = store.floats(layout.STATE, 12 * store.capacity);
    const inverses = store.floats(layout.INVERSE, 12 * store.capacity);
    const logVolumes = store.floats(layout.LOG_VOLUME, store.capacity);
    const isPressed = this.isPressed(this.#liquidFrom(begin));
    const support2 = (SUPPORT * this.#parts.spacing) ** 2;
    for (const [i, stretch] of stretches!.entries()) {
      const state = states.subarray(12 * (begin + i), 12 * (begin + i + 1));
      // Its bonds are those of now.
      state[7] = state[3]!;
      const rows = inverses.subarray(12 * (begin + i), 12 * (begin + i + 1));
      if (rows[7]! < 3) continue;
      const sums = [0, 0, 0, 0, 0, 0, 0, 0, 0];
      for (let k = begins[i]!; k < begins[i + 1]!; k++) {
        const r = vectors.subarray(3 * k, 3 * k + 3);
        const t = 1 - (r[0]! * r[0]! + r[1]! * r[1]! + r[2]! * r[2]!) / support2;
        for (let a = 0; a < 3; a++) {
          const u = x[4 * others[k]! + a]! - x[4 * i + a]! - r[a]!;
          for (let b = 0; b < 3; b++) sums[3 * a + b]! += t * t * t * u * r[b]!;
        }
      }
      const inverse = [0, 1, 2].flatMap((row) => [...rows.subarray(4 * row, 4 * row + 3)]) as unknown as Matrix3;
      const gradient = multiply(sums as unknown as Matrix3, inverse).map((g, k) => g + (k % 4 === 0 ? 1 : 0));
      const plastic = multiply(invert(gradient as unknown as Matrix3), stretch);
      const volume = determinant(plastic);
      if (!(volume > LEAST_VOLUME && volume < 1 / LEAST_VOLUME)) continue;
      if (isPressed) logVolumes[begin + i] = naturalLogarithm(volume);
      const per = isPressed ? 1 / cubeRoot(volume) : 1;
      for (let row = 0; row < 3; row++) {
        for (let k = 0; k < 3; k++) state[4 * row + k] = per * plastic[3 * row + k]! - (row === k ? 1 : 0);
      }
    }
  }

  #liquidFrom(begin: number): number {
    return this.#parts.liquids.findIndex((own) => own.begin === begin && own.end > begin);
  }

  /** Does pressure hold the volume of what is solid in a liquid? */
  isPressed(liquid: number): boolean {
    return this.store.rowIntegers(liquid)[layout.ROW_PRESSED / 4] === 1;
  }

  /**
   * Stresses of what has just been taken over, with IDs [begin, end), whose stiffness is known by now: its step follows
   * from them. Its dashpots begin without stress, with the strain that they would come to in a long time, and what is
   * beyond the yield stress because the fit of a melt sees its strain in another way has flowed by then, unless that
   * `stays`.
   */
  startTakenOver(begin: number, end: number, stays: boolean): void {
    const { store } = this;
    const [states, logVolumes, relaxed, strains] = [layout.STATE, layout.LOG_VOLUME, layout.RELAXED, layout.STRAIN].map(
      (slot, k) => store.floats(slot, [12, 1, 1, 8][k]! * store.capacity),
    ) as [Float32Array, Float32Array, Float32Array, Float32Array];
    const before = [states, logVolumes, relaxed, strains].map((array) => array.slice());
    store.run('clearSortedIndices');
    store.runSorted('noteSortedIndices');
    this.#stresses(LONG);
    before[3]!.set(strains.subarray(8 * begin, 8 * end), 8 * begin);
    if (!stays) {
      for (let row = 4 * 3 * begin; row < 4 * 3 * end; row += 4) before[0]!.set(states.subarray(row, row + 3), row);
    }
    for (const [k, array] of [states, logVolumes, relaxed, strains].entries()) array.set(before[k]!);
    this.#stresses(0);
  }

  /** Puts materials into the rows of the liquids and into their particles, which are as stiff as they are cold. */
  writeMaterials(materials: readonly Material[]): void {
    this.#materials = materials;
    this.#flows = false;
    const materialsIn = (k: number) => this.#parts.liquids[k]!.materials;
    for (const [k, { longestSide }] of this.#parts.liquids.entries()) {
      const material = materials[k]!;
      const integers = this.store.rowIntegers(k);
      const floats = this.store.rowFloats(k);
      const flows = material.elastic && (materialsIn(k) ?? [material]).some(mayFlow);
      this.#flows ||= flows;
      integers[layout.ROW_FLOWS / 4] = flows ? 1 : 0;
      // Long steps do not allow that it is found after the rest of its elasticity.
      const isPressed = flows && !this.#implicit;
      integers[layout.ROW_PRESSED / 4] = isPressed ? 1 : 0;
      integers[layout.ROW_ELASTIC / 4] = material.elastic ? 1 : 0;
      integers[layout.ROW_WELDS / 4] = material.welds ? 1 : 0;
      integers[solidLayout.BODY_MODEL / 4] = MODELS[material.model];
      writeParameters(floats, BODY_PARAMETERS, material);
      // It is that of LOG_VOLUME then, which flows by itself.
      if (isPressed) floats[solidLayout.BODY_PLASTIC_VOLUME / 4] = 0;
      const damping = liquidDamping(material, longestSide);
      floats[solidLayout.BODY_VISCOUS_TIME / 4] = damping.time;
      floats[layout.ROW_RELAXATION / 4] = damping.relaxation;
    }
    // Without heat what can melt is what it was made as, a liquid; what cannot is always elastic.
    this.soften((_, liquid) => ({
      stiffness: materials[liquid]!.meltingPoint === undefined ? 1 : 0,
      yieldStress: 1,
    }));
  }

  /** Gives every particle the stiffness of its heat. */
  soften(softeningOf: (id: number, liquid: number) => Softening): void {
    const { store } = this;
    const { spacing, liquids } = this.#parts;
    const strengths = store.floats(layout.STRENGTH, store.capacity);
    const constants = store.floats(layout.CONSTANTS, 4 * store.capacity);
    const laws = store.floats(layout.LAW, 4 * store.capacity);
    const volume = spacing * spacing * spacing;
    this.#ratesDue = true;
    for (const [k, { begin, end, materials }] of liquids.entries()) {
      if (!this.#materials[k]!.elastic) continue;
      const isPressed = this.isPressed(k);
      let material: Material | undefined;
      let [lambda, mu, determinant] = [0, 0, 0];
      for (let id = begin; id < end; id++) {
        const own = materials?.[id - begin] ?? this.#materials[k]!;
        if (own !== material) [lambda, mu, determinant] = liquidConstants(own, isPressed);
        material = own;
        const { stiffness: s, yieldStress } = softeningOf(id, k);
        strengths[id] = s;
        constants.set([s * lambda, s * mu, s * determinant, volume], 4 * id);
        const { hardening, creepRate, plasticLimit } = material;
        laws.set([yieldStress * s * material.yieldStress, s * hardening, creepRate, plasticLimit], 4 * id);
      }
    }
  }

  /** Of bonds that have changed. */
  #moments(): void {
    this.store.run('computeElasticMoments');
    this.#ratesDue = true;
    this.#islands.forget();
  }

  /** Stresses after `elapsed` seconds of flow; within a step of the liquid only the ways since its start are new. */
  #stresses(elapsed: number, within = false): void {
    const { store } = this;
    store.setFloat(layout.ELAPSED, elapsed);
    store.run(within ? 'followElasticStresses' : 'computeElasticStresses');
    const { helpers } = store.engine;
    this.#frequency = Math.sqrt(helpers.largest(store.address(layout.BLOCK_FREQUENCY), store.blocks));
  }

  /** Particles are sorted and have neighbours: lets bonds follow what has melted, frozen and flowed. */
  begin(): void {
    const { store } = this;
    store.run('clearSortedIndices');
    store.runSorted('noteSortedIndices');
    const renew = this.#hasFlowed();
    if (renew) {
      this.#stresses(0);
      store.run('absorbElastic');
      store.floats(layout.RELAXED, store.capacity).fill(0);
    } else if (this.#hasRelaxed()) this.#relax();
    store.setInteger(layout.RENEW, renew ? 1 : 0);
    store.run('markElastic');
    const fresh = store.blockSum(0) > 0;
    const lost = store.blockSum(1) > 0;
    if (fresh || lost) this.#changeBonds(fresh);
    if (this.#ratesDue) {
      store.run('prepareBonds');
      store.run('computeElasticRates');
    }
    this.#ratesDue = false;
    this.#stresses(this.#elapsed);
  }

  #changeBonds(fresh: boolean): void {
    const { store } = this;
    if (fresh) {
      store.run('findRevisions');
      store.reserve(store.blockLargest(0));
      store.run('applyRevisions');
    }
    store.run('removeBonds');
    this.#moments();
    if (fresh) {
      // Who freezes joins the rest shapes around it, as they are deformed now.
      this.#stresses(0);
      store.run('estimateGradients');
      store.run('addBonds');
      this.#moments();
      this.#stresses(0);
      store.run('finishFreezing');
    }
  }

  /** Has something flowed so far that its neighbours may have changed? */
  #hasFlowed(): boolean {
    if (!this.#flows) return false;
    const { store } = this;
    const states = store.floats(layout.STATE, 12 * store.capacity);
    for (let at = 0; at < states.length; at += 12) if (states[at + 3]! - states[at + 7]! > RENEWAL) return true;
    return false;
  }

  #hasRelaxed(): boolean {
    if (!this.#flows) return false;
    return this.store.floats(layout.RELAXED, this.store.capacity).some((share) => share > RELAXATION);
  }

  /** Lets bonds follow as far as the strain has flowed. */
  #relax(): void {
    const { store } = this;
    this.#stresses(0);
    store.run('computeElasticTurns');
    store.setInteger(layout.TURN, store.blockSum(0) > 0 ? 1 : 0);
    store.run('relaxBonds');
    this.#moments();
    store.run('keepElasticStrain');
    store.floats(layout.RELAXED, store.capacity).fill(0);
  }

  /**
   * Elastic motion within the step, from the velocities at its start. Where pressure acts on what is elastic, `press`
   * finds it in each of the short steps: with one pressure for all of them the layer that is pressed would swing freely
   * in between. Else pressure changes the velocities at the end.
   */
  advance(time: number, dt: number, press: (h: number) => void): void {
    const { store } = this;
    if (this.#implicit) {
      this.#advanceImplicitly(this.#implicit, time, dt, press);
      return;
    }
    const steps = Math.max(1, Math.ceil(dt / this.stableStep - SAME));
    if (!(steps <= HOPELESS)) this.#fail(time, steps);
    this.substeps = steps;
    const h = dt / steps;
    store.runSorted('enterElastic');
    store.setFloat(layout.STEP, h);
    store.setFloat(layout.PER_STEPS, 1 / steps);
    this.#loosen();
    if (this.#touches) this.#swingPressed(steps, h, press);
    else {
      this.#swing(steps, h);
      press(dt);
    }
    this.#elapsed = h;
  }

  /** Bonds take the position of pressure between those who hold on to each other. */
  #loosen(): void {
    const { store } = this;
    store.runSorted('removeBondedPairs');
    const blocks = Math.ceil(this.#parts.fluid.count / solidLayout.BLOCK);
    this.pressed = store.blockSum(0, blocks);
    this.#touches = store.blockSum(1, blocks) > 0;
  }

  /** The same where nothing moves but by the correction of positions. */
  rest(): void {
    this.#loosen();
    this.store.runSorted('releaseWalls');
  }

  #kick(k: number, h: number): void {
    const { store } = this;
    if (k > 0) this.#stresses(h, true);
    store.setFloat(layout.PASSED, k * h);
    store.run(k > 0 ? 'kickElasticOn' : 'kickElastic');
  }

  #swing(steps: number, h: number): void {
    const { store } = this;
    for (let k = 0; k < steps; k++) {
      this.#kick(k, h);
      store.run('driftElastic');
    }
    store.runSorted('leaveElastic');
  }

  /** Neighbours and their gradients stay those at the start; densities follow. */
  #swingPressed(steps: number, h: number, press: (h: number) => void): void {
    const { store } = this;
    store.keep(layout.FIRST_RATIO, fluidLayout.RATIO);
    store.floats(layout.MEAN_PRESSURE, this.#parts.fluid.count).fill(0);
    for (let k = 0; k < steps; k++) {
      this.#kick(k, h);
      store.run('stopElastic');
      store.runSorted('copyElasticToLiquid');
      press(h);
      store.runSorted('copyLiquidToElastic');
      if (k + 1 < steps) store.runSorted('followDensities');
    }
    store.giveBack(layout.FIRST_RATIO, fluidLayout.RATIO);
    store.giveBack(layout.MEAN_PRESSURE, fluidLayout.PRESSURE);
  }

  /** The same in one backward Euler step, or in more where it does not converge. */
  #advanceImplicitly(solver: ElasticSteps, time: number, dt: number, press: (h: number) => void): void {
    const { store } = this;
    const { implicit, gravity } = this.#parts;
    const { effort } = implicit!;
    store.runSorted('enterElastic');
    this.#loosen();
    // Obstacles press back in the solution: by pressure after it, too, they would tear what is stiff from its neighbours.
    store.runSorted('releaseWalls');
    if (this.#touches) {
      store.keep(layout.FIRST_RATIO, fluidLayout.RATIO);
      store.floats(layout.MEAN_PRESSURE, this.#parts.fluid.count).fill(0);
    }
    this.substeps = 0;
    let pieces = Math.max(1, Math.ceil(dt / (MOST_STABLE * this.stableStep) - SAME));
    const most = pieces * 2 ** MOST_HALVINGS;
    for (let done = 0; done < pieces; ) {
      const h = dt / pieces;
      store.setFloat(layout.STEP, h);
      store.setFloat(layout.PASSED, done * h);
      store.setFloat(layout.PER_STEPS, 1 / pieces);
      this.#islands.noteVelocities();
      const solution = solver.solve(h);
      effort.newtonIterations += solution.newtonIterations;
      effort.iterations += solution.iterations;
      if (solution.reason !== undefined) {
        pieces *= 2;
        done *= 2;
        effort.retries++;
        if (pieces > most) this.#failUnbalanced(time, h, solution);
        continue;
      }
      // Strain flows and dashpots follow at the end of the solution, before pressure moves anything.
      this.#stresses(h);
      this.#islands.restoreMomenta(h, gravity);
      done++;
      this.substeps++;
      store.run(this.#touches ? 'returnElastic' : 'moveElastic');
      if (!this.#touches) continue;
      store.runSorted('copyElasticToLiquid');
      press(h);
      store.runSorted('copyLiquidToElastic');
      if (done < pieces) store.runSorted('followDensities');
    }
    if (this.#touches) {
      store.giveBack(layout.FIRST_RATIO, fluidLayout.RATIO);
      store.giveBack(layout.MEAN_PRESSURE, fluidLayout.PRESSURE);
    } else {
      store.runSorted('leaveElastic');
      press(dt);
    }
    this.#elapsed = 0;
  }

  /** Names the particle on which most force is left. */
  #failUnbalanced(time: number, h: number, { reason, residual }: ElasticSolution): never {
    const { store } = this;
    const forces = store.floats(layout.RESIDUAL, 4 * store.capacity);
    let [worst, largest] = [0, -1];
    for (let id = 0; id < store.capacity; id++) {
      const force = Math.hypot(forces[4 * id]!, forces[4 * id + 1]!, forces[4 * id + 2]!);
      if (force <= largest) continue;
      [worst, largest] = [id, force];
      if (Number.isNaN(force)) break;
    }
    const detail = `${reason}, with steps down to ${h.toPrecision(3)} s; residual ${residual.toPrecision(3)} of solver.solid.tolerance`;
    throw new SimulationError(worst, 'the implicit solution', time, detail, 'of a melt does not come to balance in');
  }

  /** Names the first particle of the block in which the fastest is. */
  #fail(time: number, steps: number): never {
    const frequencies = this.store.floats(layout.BLOCK_FREQUENCY, this.store.blocks);
    const worst = frequencies.reduce((most, f, k) => (f > frequencies[most]! || Number.isNaN(f) ? k : most), 0);
    const what = `or one of the ${solidLayout.BLOCK - 1} after it asks for ${steps} elastic steps within one of the liquid in`;
    throw new SimulationError(worst * solidLayout.BLOCK, 'computeElasticStresses', time, TOO_STIFF, what);
  }

  /** After the pressures. */
  settle(): void {
    if (this.#touches) this.store.runSorted('partElastic');
    if (!this.#implicit) this.store.runSorted('releaseWalls');
    if (this.substeps > 1) this.store.runSorted('settleElastic');
  }

  /** After the correction of positions. */
  stayOffWalls(): void {
    this.store.runSorted('stayOffWalls');
  }

  /** After particles have moved. */
  finish(): void {
    if (this.substeps > 1) this.store.runSorted('finishElastic');
  }

  /** Mean of pressure over mass of what is not elastic and has a pressure [Pa/kg]. */
  meanPush(): number {
    return this.store.engine.helpers.meanLiquidPush(this.store.context);
  }

  /** [s] */
  get stableStep(): number {
    return this.#frequency > 0 ? (2 * this.#parts.safety) / this.#frequency : Number.POSITIVE_INFINITY;
  }

  /** Longest step of the liquid [s]. */
  get longestStep(): number {
    if (this.#implicit) return Number.POSITIVE_INFINITY;
    return MOST_STEPS * Math.min(this.stableStep, this.#freezingStep());
  }

  /** Calls for every particle that freezes in the next step, with its sorted index, ID and liquid. */
  #eachFreezing(call: (i: number, id: number, liquid: number) => void): void {
    const { store } = this;
    const { fluid } = this.#parts;
    const ids = fluid.integers(fluidLayout.ID, fluid.count);
    const liquids = fluid.integers(fluidLayout.LIQUID_OF, fluid.count);
    const solids = store.integers(layout.SOLID, store.capacity);
    const strengths = store.floats(layout.STRENGTH, store.capacity);
    for (let i = 0; i < fluid.count; i++) {
      const id = ids[i]!;
      if (strengths[id]! >= layout.FROZEN && solids[id] !== layout.IS_SOLID) call(i, id, liquids[i]!);
    }
  }

  /** Where liquid particles freeze in the next step that may grow together with solids of a kind, flowing or not; xyz [m]. */
  freezing(solidsFlow: boolean): number[] {
    const positions = this.#parts.fluid.floats(fluidLayout.POSITION, 4 * this.#parts.fluid.count);
    const states = this.store.integers(layout.SOLID, this.store.capacity);
    const found: number[] = [];
    this.#eachFreezing((i, id, liquid) => {
      const row = this.store.rowIntegers(liquid);
      // What has just come in as a solid does not freeze.
      if (states[id] !== layout.IS_LIQUID || row[layout.ROW_WELDS / 4] !== 1) return;
      if ((row[layout.ROW_FLOWS / 4] === 1) === solidsFlow) found.push(...positions.subarray(4 * i, 4 * i + 3));
    });
    return found;
  }

  /** Stable step of what will be solid in the next one: its stresses are not known yet. [s] */
  #freezingStep(): number {
    const { store } = this;
    const { fluid, safety, spacing } = this.#parts;
    const positions = fluid.floats(fluidLayout.POSITION, 4 * fluid.count);
    const constants = store.floats(layout.CONSTANTS, 4 * store.capacity);
    const volume = spacing * spacing * spacing;
    let longest = Number.POSITIVE_INFINITY;
    this.#eachFreezing((i, id, k) => {
      const isPressed = this.isPressed(k);
      const waves = wavesOf(constants.subarray(4 * id), 1 / (positions[4 * i + 3]! * volume), isPressed);
      const row = store.rowFloats(k);
      const damping = { time: row[solidLayout.BODY_VISCOUS_TIME / 4]!, relaxation: row[layout.ROW_RELAXATION / 4]! };
      longest = Math.min(longest, (2 * safety) / latticeFrequency(waves, spacing, damping));
    });
    return longest;
  }

  /** Elastic energy [J], von Mises stress [Pa] and det F_e of every particle by its ID, twelve floats apart. */
  measures(): Float32Array {
    const { store } = this;
    store.run('clearSortedIndices');
    store.runSorted('noteSortedIndices');
    store.run('measureElastic');
    return store.floats(layout.FLUX, 12 * store.capacity);
  }

  /** Elastic energy of all [J]. */
  energy(): number {
    const measures = this.measures();
    let total = 0;
    for (let at = 0; at < measures.length; at += 12) total += measures[at]!;
    return total;
  }

  /** Plastic strain by ID, twelve floats apart and from the fourth on. */
  plasticStates(): Float32Array {
    return this.store.floats(layout.STATE, 12 * this.store.capacity);
  }
}
