import { length } from '../../math/matrix3.js';
import type { FluidSolverOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';
import { SimulationError } from '../error.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';
import { describeShort, type StepLimit } from '../step-limit.js';
import type { LiquidElasticity } from './elastic.js';
import type { FluidGrid } from './grid.js';
import { capillaryStep, isShort } from './limits.js';

/** How the pressures of a step were found. */
export interface FluidEffort {
  /** Iterations of the solutions for velocities and positions, and of implicit viscosity. */
  velocityIterations: number;
  placeIterations: number;
  viscosityIterations: number;
  /** Pressure solutions that hit `maxIterations`, and viscous ones that did not converge. */
  unconverged: number;
  unconvergedViscosity: number;
  /** Particles that left through sinks, and the mass that came in and left [kg]. */
  removed: number;
  massAdded: number;
  massRemoved: number;
}

/** Explicit viscosity is stable up to this many density * spacing^2 / viscosity [1]. */
const EXPLICIT_VISCOSITY = 0.1;
const EXPLICIT_MARGIN = 0.5;
/** Implicit viscosity is solved to this share of the momentum there is. */
const VISCOUS_TOLERANCE = 1e-4;
const VISCOUS_ITERATIONS = 300;
/** Compression by the velocities that does not matter in a step, over that which is put up with. */
const NEGLIGIBLE = 0.01;
/**
 * Compression, or expansion where there is pressure, that the velocities may keep in a step of energetic flow, over that which
 * is put up with: 0.015 % by default, where [BK17] leave 0.1 %. What is left then are waves as short as particles, which
 * pressure hardly reaches. A dam of 100,000 particles that breaks has the same energy within 0.03 % with a residual of a
 * third. Not in quiescent liquid nor with cohesion, tension, solids or several densities, where errors add up: a jet that gets
 * thinner never has much of it.
 */
const LITTLE = 0.3;
/** Share of a small lack of density that closes in a step, at the most. */
const CLOSING = 0.1;
/**
 * Lacks as large as the density error, in all layers of a column, close by this share of the way of gravity in a step.
 * With 0.2 a column of 80 regular layers falls, with 0.1 it stands.
 */
const SETTLING = 0.05;
/**
 * Share of a slight compression that the velocities of energetic flow undo in a step. What solutions leave of one sign then stays
 * below what is put up with, and positions are seldom corrected: a dam of 100,000 particles takes 3.0 iterations in a step, 3.9 with
 * nothing of it.
 */
const OPENING_UP = 0.1;
/** Quiescent water is solved this much more exactly. */
const QUIESCENT = 0.01;
/** Liquid that goes one over this of the way that it may go in a step is not quiescent. */
const ENERGETIC = 4;
/** Tolerance with surface tension over that without. */
const TENSE = 0.1;
/** The correction of positions need not be exact: the next step goes on. */
const PLACES = 0.3;
/** Conjugate gradients look again at where there is pressure when the residual has fallen to this share. */
const RESTART = 0.1;
/** Spacings in a step at the speed sqrt(p / density): beyond 0.65 a column falls faster than pressure can undo. */
const FALL = 0.5;
/**
 * With liquids of several densities, how much of the steepest push is remembered in the next step: pressures that
 * alternate must not make steps alternate.
 */
const MEMORY = 0.9;
/** Up to this ratio of densities the mean of both pressures serves: it lifts nothing off. */
const ALIKE = 4;
/** Spacings that sound and the liquid may go in a step of wcsph. */
const ACOUSTIC = 0.4;
/** Particles move apart in so many rounds at the most, each as if in a step of this length [s], in which nothing else moves. */
const MOST_SPREADING = 60;
const SPREADING = 1e-6;

export interface FluidParts {
  readonly store: FluidStore;
  readonly effort: FluidEffort;
  /** What is solid in the liquids, where something can be. */
  readonly elastic?: LiquidElasticity | undefined;
  readonly grid: FluidGrid;
  readonly options: FluidSolverOptions;
  readonly gravity: Vec3;
  readonly spacing: number;
  readonly maxTimeStep: number;
  /** Over all liquids: thickest per density [m2/s], tension per density [m3/s2], and the densities [kg/m3]. */
  readonly kinematicViscosity: number;
  readonly tension: number;
  readonly lightest: number;
  /** Largest pull that one bears [Pa]. */
  readonly cohesion: number;
  readonly heaviest: number;
  /** Lets sources put particles in and boundary particles go where they are at a time. Have any of these moved? */
  readonly prepare: (time: number, dt: number) => boolean;
  /** Do sources or constraints prescribe velocities? */
  readonly prescribes: boolean;
  /** Fastest that an obstacle moves at a time [m/s]. */
  readonly wallSpeed: (time: number) => number;
  /** Mass of the liquid in the world [kg]. */
  readonly mass: () => number;
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
  /** [s] */
  #step = 0;
  maximumSpeed = 0;
  readonly effort: FluidEffort;
  /** Of the last step: mean and largest compression [1]. */
  meanCompression = 0;
  largestCompression = 0;
  /** Changes velocities by the forces of a step, when neighbours are known; see solvers/forces/. */
  push: ((time: number, dt: number, prescribed: boolean) => void) | undefined;
  /** Pressure over density where it is largest, with liquids of several densities [m2/s2]. */
  steepest = 0;

  constructor(parts: FluidParts) {
    this.#parts = parts;
    this.effort = parts.effort;
    this.#store = parts.store;
    // What is elastic falls in its own steps, and the liquid with it after viscosity has acted.
    parts.store.setVector(layout.GRAVITY, parts.elastic ? [0, 0, 0, 0] : [...parts.gravity, 0]);
  }

  /** Are there liquids of several densities? */
  get #layered(): boolean {
    return this.#parts.heaviest > this.#parts.lightest;
  }

  /** Are their densities so different that their pressures are those of assembly/fluid/layers.ts? */
  get #unlike(): boolean {
    const { heaviest, lightest, elastic } = this.#parts;
    return heaviest > ALIKE * lightest && !elastic;
  }

  /** Does some liquid bear a pull? */
  get #pulls(): boolean {
    return this.#parts.cohesion > 0;
  }

  /** One step, after algorithm 1 of [BK17]. */
  step(time: number, dt: number): void {
    const store = this.#store;
    this.#enter(dt);
    store.setFloat(layout.TIME, time + dt);
    this.#arrange(time, dt);
    if (store.count > 0) {
      const { elastic } = this.#parts;
      elastic?.begin();
      this.#applyForces(dt);
      if (elastic) elastic.advance(time, dt, (h) => this.#press(h, dt));
      else this.#press(dt, dt);
      this.#enter(dt);
      elastic?.settle();
      if (this.#parts.options.pressure === 'dfsph') {
        this.#solvePlaces(dt);
        elastic?.stayOffWalls();
      }
      this.#parts.react();
      this.#move(time);
      elastic?.finish();
      if (this.#layered) this.steepest = Math.max(this.#steepestPush(), MEMORY * this.steepest);
    } else {
      this.maximumSpeed = 0;
      this.#parts.react();
    }
  }

  /** Moves particles apart that stand too dense, in rounds without time, until hardly any do. */
  spread(time: number): void {
    const store = this.#store;
    const { elastic, options } = this.#parts;
    if (options.pressure === 'wcsph') return;
    const { maximumSpeed } = this;
    const kept = new Map<number, Float32Array>();
    for (let round = 0; round < MOST_SPREADING; round++) {
      this.#stop(kept);
      this.#enter(SPREADING);
      this.#arrange(time, SPREADING);
      elastic?.rest();
      store.setInteger(layout.FOLLOWS, 0);
      const { placeIterations } = this.effort;
      this.#solvePlaces(SPREADING);
      if (this.effort.placeIterations === placeIterations) break;
      elastic?.stayOffWalls();
      this.#move(time);
    }
    const v = store.floats(layout.VELOCITY, 4 * store.count);
    for (const [i, id] of store.integers(layout.ID, store.count).entries()) v.set(kept.get(id) ?? [], 4 * i);
    this.maximumSpeed = maximumSpeed;
  }

  /** Takes the velocities that have not been kept yet, by ID, and leaves none. */
  #stop(kept: Map<number, Float32Array>): void {
    const v = this.#store.floats(layout.VELOCITY, 4 * this.#store.count);
    for (const [i, id] of this.#store.integers(layout.ID, this.#store.count).entries()) {
      if (!kept.has(id)) kept.set(id, v.slice(4 * i, 4 * i + 3));
      v.fill(0, 4 * i, 4 * i + 3);
    }
  }

  /** Pressures act for the time that is given here. */
  #enter(dt: number): void {
    this.#step = dt;
    this.#store.setFloat(layout.STEP, dt);
  }

  /** Velocities by the pressures of a step of `dt`, or of an elastic step of `h` in it. */
  #press(h: number, dt: number): void {
    this.#enter(h);
    if (this.#parts.options.pressure === 'wcsph') this.#applyStatePressures();
    else this.#solveVelocities(h, dt);
  }

  /** Sorts particles, finds neighbours, and makes densities, gradients and factors. */
  #arrange(time: number, dt: number): void {
    const store = this.#store;
    const { grid } = this.#parts;
    const moved = this.#parts.prepare(time, dt);
    if (store.count === 0) return;
    const changed = grid.fit();
    if (changed === undefined)
      this.#fail('the search for neighbours', time, 'lower solver.fluid.cfl or its maxTimeStep');
    const mass = this.#parts.mass();
    const gone = store.sort();
    if (gone > 0) this.effort.massRemoved += mass - this.#parts.mass();
    this.effort.removed += gone;
    if (changed || moved) store.sortBoundary();
    if (store.count === 0) return;
    if (this.#parts.prescribes) store.run('prescribeLiquid');
    store.findNeighbors();
    this.push?.(time, dt, this.#parts.prescribes);
    store.setInteger(layout.EXPLICIT, this.#isExplicit(dt) ? 1 : 0);
    const viscous = this.#structured ? 'computeStructuredPairs' : 'computeViscousPairs';
    store.run(this.#viscousPairs ? viscous : 'computeLiquidPairs');
    store.setInteger(layout.FORESEEN, this.#isEnergetic(dt) && this.#viscousPairs ? 1 : 0);
    store.setInteger(layout.MIXED, this.#layered ? 1 : 0);
    store.run('followSurface');
  }

  /** Is the viscosity of the liquid itself explicit? */
  #isExplicit(dt: number): boolean {
    const { kinematicViscosity, spacing } = this.#parts;
    return EXPLICIT_MARGIN * EXPLICIT_VISCOSITY * spacing * spacing >= kinematicViscosity * dt;
  }

  /** Does viscosity come with the pairs? What is elastic changes pairs first, and wcsph has another kernel for it. */
  get #viscousPairs(): boolean {
    const { elastic, options } = this.#parts;
    return !elastic && options.pressure === 'dfsph';
  }

  /** Is the shear stress of the packing taken away? Where liquids of several densities meet, pressures are not those of pairs. */
  get #structured(): boolean {
    return this.#parts.options.isotropy > 0 && this.#viscousPairs && !this.#layered;
  }

  #applyForces(dt: number): void {
    const store = this.#store;
    const { options, kinematicViscosity, tension } = this.#parts;
    const explicit = this.#isExplicit(dt);
    if (!this.#viscousPairs) {
      store.run('applyGravity');
      if ((kinematicViscosity > 0 && explicit) || options.eddyViscosity > 0) store.run('applyViscosity');
    }
    if (kinematicViscosity > 0 && explicit) store.run('applyWallDrag');
    if (this.#structured) store.runWave('smoothStructure', 'applyStructure');
    if (options.xsph > 0) store.run('applyXsph');
    if (tension > 0) {
      store.run('computeNormals');
      store.run('applyTension');
    }
    if (explicit) this.#noteDrag();
    store.run('applyAccelerations');
    if (explicit) return;
    this.#solveViscosity();
    this.#noteDrag();
  }

  /** The drag of walls is that of the velocities that viscosity has gone by. */
  #noteDrag(): void {
    if (this.#store.address(layout.WALL_DRAG) !== 0) this.#store.run('noteWallDrag');
  }

  /**
   * Share of the errors that a step may leave. Correcting positions lifts liquid, which then falls and moves: errors must
   * not matter beside the motion that there is, or water never comes to rest. Without gravity nothing falls.
   */
  #leniency(dt: number): number {
    const { options, spacing, gravity } = this.#parts;
    if (length(gravity) === 0) return 1;
    const travel = (this.maximumSpeed * dt) / (options.cfl * spacing);
    return Math.min(1, Math.max(QUIESCENT, ENERGETIC * travel));
  }

  /** Is this water that moves, and in which errors do not add up? */
  #isEnergetic(dt: number): boolean {
    const { tension, cohesion, elastic } = this.#parts;
    return this.#leniency(dt) === 1 && tension === 0 && cohesion === 0 && !elastic && !this.#layered;
  }

  #solveVelocities(h: number, dt: number): void {
    const { tension, elastic } = this.#parts;
    const leniency = this.#leniency(dt);
    const tolerance = leniency * this.#parts.options.tolerance;
    // What elastic steps leave adds up over the step.
    const densityError = (h / dt) * leniency * this.#parts.options.densityError;
    // What is left is corrected by moving particles, which does not keep their angular momentum about each other:
    // it matters where surface tension presses all the time.
    const share = tension > 0 ? TENSE * tolerance : tolerance;
    const lively = this.#isEnergetic(dt);
    this.#store.setFloat(layout.CLOSING, this.#closing(h));
    // Without gravity nothing would bring back what moves apart by that.
    this.#store.setFloat(layout.OPENING_UP, lively && length(this.#parts.gravity) > 0 ? OPENING_UP : 0);
    const weighed = this.#unlike;
    if (weighed) this.#weigh('enterLayers');
    // From the pressures of the last step.
    this.effort.velocityIterations += this.#solvePressure(layout.PRESSURE, share, densityError, lively);
    this.#store.run('applyAccelerations');
    // What is elastic moves before positions are corrected, and layers have variables of their own.
    this.#store.setInteger(layout.FOLLOWS, elastic || weighed ? 0 : 1);
    if (weighed) this.#weigh('leaveLayers');
  }

  /** Into the variables of assembly/fluid/layers.ts, and back. */
  #weigh(pass: 'enterLayers' | 'leaveLayers'): void {
    const store = this.#store;
    const enter = pass === 'enterLayers';
    this.#makeAlike(true);
    store.setInteger(layout.WEIGHED, enter ? 1 : 0);
    store.run(pass);
    if (enter) store.run('computeDensityFactors');
    else this.#makeAlike(false);
  }

  /** Do all particles have the mass of the heaviest, for the passes of pressure? */
  #makeAlike(alike: boolean): void {
    const { heaviest, spacing } = this.#parts;
    this.#store.setFloat(layout.CORRECTION_PER_MASS, alike ? 1 / (heaviest * spacing * spacing * spacing) : 0);
  }

  /** Share of a small lack of density that closes in this step: over the layers of a column they add up. */
  #closing(dt: number): number {
    const { gravity, options } = this.#parts;
    const travel = length(gravity) * dt;
    const push = this.#push();
    if (travel === 0 || push === 0) return CLOSING;
    // n layers d high, by g h^2 / n each: n d = push / g.
    return Math.min(CLOSING, (SETTLING * travel * travel) / (push * options.densityError));
  }

  /** Leaves the correction of the positions as an acceleration, which does not get into the velocities. */
  #solvePlaces(dt: number): void {
    const store = this.#store;
    const densityError = this.#leniency(dt) * this.#parts.options.densityError;
    // From nothing: what moves particles too far apart lets them fall together again.
    store.floats(layout.CORRECTION, store.count).fill(0);
    if (this.#layered) {
      // All alike: by their masses, light particles far off would be moved for what heavy ones lack.
      this.#makeAlike(true);
      store.run('computeDensityFactors');
    }
    this.effort.placeIterations += this.#solvePressure(layout.CORRECTION, PLACES, densityError, this.#isEnergetic(dt));
    this.#makeAlike(false);
  }

  /**
   * Pressures by conjugate gradients until the residual is a share of the source, or the mean compression that
   * is left is small enough. Where they would be below the lowest they are that, and those that are left go on.
   */
  #solvePressure(slot: number, share: number, enough: number, lively: boolean): number {
    const store = this.#store;
    const { heaviest, lightest, options } = this.#parts;
    // Iterations of conjugate gradients grow as the root of the condition: light particles among heavy ones.
    const maxIterations = options.maxIterations * Math.ceil(Math.sqrt(heaviest / lightest));
    store.setInteger(layout.SOLVED, store.address(slot));
    store.setInteger(layout.CONSTANT_DENSITY, slot === layout.CORRECTION ? 1 : 0);
    store.setInteger(layout.PULLS, slot === layout.PRESSURE && this.#pulls ? 1 : 0);
    store.run('computeLowestPressures');
    if (this.#parts.prescribes) store.run('isolateHeld');
    // Corrections of positions begin at zero, which accelerates nothing.
    const fromNothing = slot === layout.CORRECTION;
    store.setInteger(layout.FROM_NOTHING, fromNothing ? 1 : 0);
    for (const flags of [layout.TOUCHED, layout.STALE]) store.integers(flags, store.count).fill(0);
    if (fromNothing) {
      store.floats(layout.ACCELERATION, 4 * store.count).fill(0);
      store.run('startPressures');
    } else {
      store.run('clampPressures');
      store.runWave('computePressureAccelerations', 'startPressures');
    }
    let iterations = 0;
    for (;;) {
      const rho = store.blockSum(0);
      const size = Math.sqrt(store.blockSum(1));
      const target = share * Math.sqrt(store.blockSum(2));
      const done = (residual: number) =>
        residual <= target ||
        (fromNothing
          ? this.#isLittle(residual, enough)
          : this.#isNegligible(residual, NEGLIGIBLE * enough) ||
            (lively && store.blockSum(4) <= LITTLE * enough * store.count));
      if (done(size)) return iterations;
      if (iterations >= maxIterations) {
        this.effort.unconverged++;
        return iterations;
      }
      const restart = RESTART * size;
      const system: LinearSystem = {
        multiply: () => {
          store.runWave('computeDirectionAccelerations', 'multiplyPressures');
          return store.blockSum(0);
        },
        advance: (alpha) => {
          store.setFloat(layout.ALPHA, alpha);
          store.run('advancePressures');
          const residual = Math.sqrt(store.blockSum(1));
          return done(residual) || residual <= restart;
        },
        precondition: () => store.blockSum(0),
        turn: (beta) => {
          store.setFloat(layout.BETA, beta);
          store.run('advancePressureDirections');
        },
      };
      iterations += conjugateGradients(system, rho, maxIterations - iterations).iterations;
      store.run('cutPressures');
      if (store.blockSum(0) > 0) store.run('mendAccelerations');
      store.run('resumePressures');
    }
  }

  /**
   * Is the compression that is left small enough? Liquid that is pushed too much comes back by its weight; a solid
   * would swing, so there both count, and only where something is pressed.
   */
  #isLittle(residual: number, enough: number): boolean {
    const { store, elastic } = this.#parts;
    if (!elastic) return store.blockSum(3) <= enough * store.count;
    const h = this.#step;
    return h * h * residual <= enough * Math.sqrt(elastic.pressed);
  }

  /**
   * The same of the velocities. Light liquid on a heavy one does not come back soon, and the few particles of a thread or a
   * small drop, which tension draws together, are driven apart by the pressures of the last step, again and again: there
   * expansion counts too.
   */
  #isNegligible(residual: number, enough: number): boolean {
    const { store, tension, elastic } = this.#parts;
    if (this.#unlike || (tension > 0 && !elastic)) return store.blockSum(4) <= enough * store.count;
    return this.#isLittle(residual, enough);
  }

  #applyStatePressures(): void {
    const store = this.#store;
    store.setInteger(layout.SOLVED, store.address(layout.PRESSURE));
    store.run('computeStatePressures');
    store.run('computePressureAccelerations');
    store.run('applyAccelerations');
    // Places follow velocities alone.
    store.floats(layout.ACCELERATION, 4 * store.count).fill(0);
  }

  /** Conjugate gradients, see assembly/fluid/viscosity.ts. */
  #solveViscosity(): void {
    const store = this.#store;
    store.run('beginViscosity');
    const target = VISCOUS_TOLERANCE * VISCOUS_TOLERANCE * store.blockSum(1);
    if (store.blockSum(0) <= target) return;
    store.run('sumViscousResiduals');
    const rho = store.blockSum(0);
    store.setFloat(layout.BETA, 0);
    const system: LinearSystem = {
      multiply: () => {
        store.run('advanceViscousDirections');
        store.run('computeViscousProducts');
        return store.blockSum(0);
      },
      advance: (alpha) => {
        store.setFloat(layout.ALPHA, alpha);
        store.run('advanceViscousVelocities');
        return store.blockSum(0) <= target;
      },
      precondition: () => {
        store.run('sumViscousResiduals');
        return store.blockSum(0);
      },
      turn: (beta) => store.setFloat(layout.BETA, beta),
    };
    const { iterations, end } = conjugateGradients(system, rho, VISCOUS_ITERATIONS);
    this.effort.viscosityIterations += iterations;
    if (end === 'iterations') this.effort.unconvergedViscosity++;
  }

  #move(time: number): void {
    const store = this.#store;
    store.run('moveLiquid');
    this.maximumSpeed = Math.sqrt(store.engine.helpers.largest(store.address(layout.BLOCK_SPEED), store.blocks));
    if (!Number.isFinite(this.maximumSpeed))
      this.#fail('moveLiquid', time, 'lower solver.fluid.cfl or its maxTimeStep');
    this.meanCompression = store.blockSum(1) / store.count;
    this.largestCompression = store.blockLargest(2);
  }

  /** Names the fastest particle, or one that is not finite. */
  #fail(pass: string, time: number, detail: string, what?: string): never {
    const store = this.#store;
    const v = store.floats(layout.VELOCITY, 4 * store.count);
    const ids = store.integers(layout.ID, store.count);
    let worst = 0;
    let most = -1;
    for (let i = 0; i < store.count; i++) {
      const speed2 = v[4 * i]! * v[4 * i]! + v[4 * i + 1]! * v[4 * i + 1]! + v[4 * i + 2]! * v[4 * i + 2]!;
      if (speed2 <= most) continue;
      [worst, most] = [i, speed2];
      if (!Number.isFinite(speed2)) break;
    }
    throw new SimulationError(ids[worst]!, pass, time, detail, what);
  }

  /** Pressure over density at the bottom of a column with the mean pressure [m2/s2]: a few that are wedged do not count. */
  #push(): number {
    const { store, spacing, elastic } = this.#parts;
    const { helpers } = store.engine;
    const mean =
      elastic?.meanPush() ??
      helpers.meanPush(store.address(layout.PRESSURE), store.address(layout.POSITION), store.count);
    return 2 * mean * spacing * spacing * spacing;
  }

  /**
   * A light liquid below a heavy one feels the weight of that: there p / density is far above the mean over all, and
   * where steps are too long for it particles are pressed into each other. [m2/s2]
   */
  #steepestPush(): number {
    const { store, spacing } = this.#parts;
    const { helpers } = store.engine;
    const push = helpers.steepestPush(store.address(layout.PRESSURE), store.address(layout.POSITION), store.count);
    return push * spacing * spacing * spacing;
  }

  /** Nothing is known of the pressures of liquid that has just come in: it may carry all the others. */
  expectWeight(height: number): void {
    const { heaviest, lightest, gravity } = this.#parts;
    if (this.#layered) this.steepest = Math.max(this.steepest, (heaviest / lightest) * length(gravity) * height);
  }

  /** The next step and what sets it, whatever that is: no particle goes farther than a share of its spacing. */
  chooseStep(time: number, bodies: number): StepLimit {
    const { options, spacing, gravity, tension, maxTimeStep } = this.#parts;
    const pull = length(gravity);
    // With gravity on top: cfl d = v t + g t^2.
    const travel = options.cfl * spacing;
    // Walls and bodies must not run past the liquid either.
    const v = Math.max(this.maximumSpeed, bodies, this.#parts.wallSpeed(time));
    let limit: StepLimit = {
      timeStep: (2 * travel) / (v + Math.sqrt(v * v + 4 * pull * travel)),
      limitedBy: 'liquid speed',
    };
    const lower = (timeStep: number, limitedBy: string) => {
      if (timeStep < limit.timeStep) limit = { timeStep, limitedBy };
    };
    if (tension > 0) lower(capillaryStep(tension, spacing), 'surface tension');
    if (options.pressure === 'wcsph') {
      const sound = Math.sqrt((options.stiffness * options.exponent) / this.#parts.lightest);
      lower((ACOUSTIC * spacing) / (sound + v), 'sound in the liquid');
    }
    if (this.#parts.elastic) lower(this.#parts.elastic.longestStep, 'elastic waves in the liquid');
    const push = this.#layered ? this.steepest : this.#push();
    if (options.pressure === 'dfsph' && push > 0) lower((FALL * spacing) / Math.sqrt(push), 'pressure');
    lower(Math.min(maxTimeStep, options.maxTimeStep), 'maxTimeStep');
    return limit;
  }

  /** Ends the simulation: steps of a frame of so many seconds have become too short. */
  failShort(limit: StepLimit, time: number, frame: number): never {
    const detail = isShort(limit)
      ? `steps have become ${limit.timeStep.toExponential(1)} s by ${limit.limitedBy}; make gaps wider than a spacing, lower solver.fluid.maxTimeStep, or bring densities of liquids nearer together`
      : `the liquid asks for ${describeShort(limit, frame)}`;
    const speed = Math.max(this.maximumSpeed, this.#parts.wallSpeed(time));
    this.#fail('the liquid', time, detail, `is at ${speed.toPrecision(3)} m/s in`);
  }
}
