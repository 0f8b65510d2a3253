import type { EmbeddingSolverOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';
import * as common from '../../particles/layout.js';
import type { Prescriptions } from '../constraints/prescriptions.js';
import { SimulationError } from '../error.js';
import { describeShort, type StepLimit } from '../step-limit.js';
import { solve } from './conjugate.js';
import type { FlowContact } from './contact.js';
import { type FlowBody, forgetOrigins, type Resampling, resample } from './resample.js';

/** Share of its spacing that a particle may go in a step. */
const TRAVEL_SHARE = 0.3;
/** The same where something touches. */
const TRAVEL_SHARE_IN_CONTACT = 0.1;
/** Viscosity that changes velocities by less than this in a step is taken explicitly. */
const MILD = 0.2;
/** That which changes them by less than this since it last acted waits. */
const FAINT = 0.01;
/** Residual of implicit viscosity, relative to what it began with. */
const VISCOUS_TOLERANCE = 1e-4;
const MOST_VISCOUS = 200;
/** Embedded places better than this share of a spacing are good enough. */
const FINE = 1e-4;
/** Neighbours are found anew when this share of the particles has flowed by updateStrain, or one by so many times that. */
const MANY = 0.005;
const FAR = 4;
/** The step is held while it is between these shares of the stable one. */
const HELD = [0.45, 0.9] as const;

/** What was done, over all steps. */
export interface EmbeddingEffort extends Resampling {
  embeddings: number;
  embeddingIterations: number;
  viscosityIterations: number;
}

export const NO_EMBEDDING: EmbeddingEffort = {
  embeddings: 0,
  embeddingIterations: 0,
  viscosityIterations: 0,
  splits: 0,
  merges: 0,
  refused: 0,
};

/** Numbers of the solver that a save holds. */
export interface EmbeddingScalars {
  /** Squared [1/s2]. */
  frequency: number;
  /** The same of contacts [1/s2]. */
  contactFrequency: number;
  maximumSpeed: number;
  /** Of the viscous forces [1/s]. */
  viscousRate: number;
  /** Time for which viscosity has still to act [s]. */
  viscousDebt: number;
  heldStep: number;
  /** See embedding-layout.ts. */
  readonly frequencyShare: number;
  readonly evenSampling: number;
  readonly sparse: number;
  readonly dense: number;
  /** Volume over that of eq. 3 at rest, by body [1]. */
  readonly volumeFactors: readonly number[];
}

export interface EmbeddingSolverParts {
  readonly store: EmbeddingStore;
  readonly options: EmbeddingSolverOptions;
  readonly safety: number;
  readonly maxTimeStep: number;
  readonly gravity: Vec3;
  readonly bodies: readonly FlowBody[];
  readonly names: readonly string[];
  readonly constraints: Prescriptions;
  readonly contact: FlowContact;
  readonly smallestSpacing: number;
  readonly largestSpacing: number;
  readonly largestSupport: number;
  readonly moveObstacles: (time: number, dt: number) => void;
  readonly effort: EmbeddingEffort;
}

/** Grids for the search of neighbours, each half as coarse as the one before; sizes of an octree differ by four. */
function levelsOf(ratio: number): number {
  return ratio < 2 ? 1 : ratio < 4 ? 2 : 3;
}

/** Bodies that flow, after Jones et al. 2014 [J14]. */
export class EmbeddingSolver {
  readonly #parts: EmbeddingSolverParts;
  readonly #store: EmbeddingStore;
  readonly effort: EmbeddingEffort;
  scalars: EmbeddingScalars;

  constructor(parts: EmbeddingSolverParts, scalars: EmbeddingScalars) {
    this.#parts = parts;
    this.#store = parts.store;
    this.effort = parts.effort;
    this.scalars = scalars;
    parts.store.setVector(layout.GRAVITY, parts.gravity);
    parts.store.setFloat(common.CELL_SIZE, parts.largestSupport);
    parts.store.setInteger(layout.LEVELS, levelsOf(parts.largestSpacing / parts.smallestSpacing));
    parts.store.setFloat(layout.FLOWED_BY, parts.options.updateStrain);
  }

  /** Tells the passes what the scalars say. */
  writeScalars(): void {
    const { frequencyShare, evenSampling, sparse, dense } = this.scalars;
    this.#store.setFloat(layout.FREQUENCY_SHARE, frequencyShare);
    this.#store.setFloat(layout.EVEN_SAMPLING, evenSampling);
    this.#store.setFloat(layout.SPARSE, sparse);
    this.#store.setFloat(layout.DENSE, dense);
  }

  /** One step, [J14] algorithm 1. */
  step(time: number, dt: number): void {
    const store = this.#store;
    const { constraints, contact, moveObstacles, options } = this.#parts;
    if (constraints.turns(time)) this.evaluateForces(time);
    moveObstacles(time, dt);
    constraints.write(time, dt);
    store.setFloat(layout.STEP, dt);
    store.setFloat(common.KICK, dt / 2);
    store.setFloat(common.LATE_KICK, dt / 2);
    store.run('kickEmbedded');
    this.#applyViscosity(dt);
    store.run('driftEmbedded');
    this.scalars.maximumSpeed = Math.sqrt(this.#largest(common.BLOCK_SPEED, 'driftEmbedded', time));
    this.scalars.contactFrequency = contact.computeForces(this.scalars.maximumSpeed * dt);
    store.run('computeEmbeddedStresses'); // eq. 1-7
    store.run('computeEmbeddedForces'); // eq. 5
    this.scalars.frequency = this.#largest(common.BLOCK_FREQUENCY, 'computeEmbeddedForces', time);
    store.run('settleEmbedded');
    const most = MANY * store.count;
    const far = store.blockLargest(layout.BLOCK_STRAIN) > FAR * options.updateStrain;
    if (far || store.blockTotal(layout.BLOCK_FLOWED) > most) this.#update();
  }

  /** Forces of the state as it is, when it is new; those of contact too, if asked for. */
  evaluateForces(time: number, touching = true): void {
    const store = this.#store;
    this.#parts.constraints.write(time, 1);
    store.setFloat(layout.STEP, 0);
    store.setFloat(common.LATE_KICK, 0);
    this.#parts.contact.invalidate();
    if (touching) this.scalars.contactFrequency = this.#parts.contact.computeForces(0);
    else store.setInteger(common.CONTACT_ACTIVE, 0);
    store.run('computeEmbeddedStresses');
    store.run('computeEmbeddedForces');
    this.scalars.frequency = this.#largest(common.BLOCK_FREQUENCY, 'computeEmbeddedForces', time);
  }

  /** Follows the plastic flow since the last time: embedding, sampling, neighbours. */
  #update(): void {
    const store = this.#store;
    const { options, bodies, contact } = this.#parts;
    store.run('markEmbedding');
    if (!options.neighborUpdates) return;
    // What is far in embedded space may be near now, and particles get other numbers.
    contact.invalidate();
    store.run('absorbFlow');
    this.#embed();
    store.run('noteGradients');
    if (options.resampling) {
      store.run('measureSampling'); // eq. 13
      const done = resample(store, bodies, this.scalars.dense);
      for (const key of ['splits', 'merges', 'refused'] as const) this.effort[key] += done[key];
      this.findNeighbors();
      store.run('keepGradients');
      if (done.splits + done.merges > 0) forgetOrigins(store);
    } else {
      this.findNeighbors();
      store.run('keepGradients');
    }
  }

  /** Places in embedded space that fit the rest vectors best, eq. 9-12, from where they were. */
  #embed(): void {
    const store = this.#store;
    const { tolerance, maxIterations } = this.#parts.options;
    store.run('beginEmbedding');
    const small = FINE * this.#parts.smallestSpacing;
    const { iterations } = solve(store, 'multiplyEmbedding', { tolerance, small, most: maxIterations });
    store.run('applyEmbedding');
    this.effort.embeddings++;
    this.effort.embeddingIterations += iterations;
  }

  /** Neighbours in embedded space, [J14] 3.4. */
  findNeighbors(): void {
    const store = this.#store;
    store.run('computeNeighborCells');
    store.engine.runSerial('sortByCell', store.context);
    store.run('arrangeNeighbors');
    store.run('gatherNeighborhoods');
    store.run('fillNeighborhoods');
    store.swapLists();
    this.linkNeighbors();
  }

  /** What follows from the lists and rest vectors. */
  linkNeighbors(): void {
    this.#store.engine.runSerial('linkNeighborhoods', this.#store.context);
    this.#store.run('computeEmbeddedBases'); // eq. 2-3
  }

  /** Viscosity of this step; where it is faint, that of many steps at once. */
  #applyViscosity(dt: number): void {
    const store = this.#store;
    const { scalars } = this;
    if (store.floats(layout.VISCOSITY, store.count).every((eta) => eta === 0)) return;
    const duration = scalars.viscousDebt + dt;
    const explicit = this.#parts.options.viscosity === 'explicit';
    scalars.viscousDebt = duration;
    // A rate of 0 is one that nobody has found yet.
    if (!explicit && scalars.viscousRate > 0 && scalars.viscousRate * duration < FAINT) return;
    scalars.viscousDebt = 0;
    store.setFloat(layout.STEP, duration);
    store.run('weighViscosity');
    store.run('beginViscousSolve');
    scalars.viscousRate = store.blockLargest(layout.BLOCK_RATE);
    if (explicit || scalars.viscousRate * duration < MILD) store.run('applyViscousImpulses');
    else {
      const limits = { tolerance: VISCOUS_TOLERANCE, small: 0, most: MOST_VISCOUS };
      this.effort.viscosityIterations += solve(store, 'multiplyViscosity', limits).iterations;
      store.run('applyViscousSolution');
    }
    store.setFloat(layout.STEP, dt);
  }

  /** The next step at the most, and what sets it. It is held while it is safe, so that elastic energy does not drift. */
  chooseStep(): StepLimit {
    const next = this.#nextStep();
    this.scalars.heldStep = next.held;
    return next.limit;
  }

  previewStep(): StepLimit {
    return this.#nextStep().limit;
  }

  /** Ends the simulation: steps of a frame of so many seconds have become too short. */
  failShort(limit: StepLimit, frame: number, time: number): never {
    const particle = this.#fastest();
    const name = this.#parts.names[this.#store.integers(common.BODY_OF, this.#store.count)[particle]!];
    const what = `of "${name}", the fastest at ${this.scalars.maximumSpeed.toPrecision(3)} m/s, asks for too short a step in`;
    throw new SimulationError(particle, 'chooseStep', time, describeShort(limit, frame), what);
  }

  #fastest(): number {
    const v = this.#store.vectors(common.VELOCITY);
    let particle = 0;
    let most = -1;
    for (let i = 0; i < this.#store.count; i++) {
      const speed2 = v[4 * i]! * v[4 * i]! + v[4 * i + 1]! * v[4 * i + 1]! + v[4 * i + 2]! * v[4 * i + 2]!;
      if (speed2 > most) [particle, most] = [i, speed2];
    }
    return particle;
  }

  #nextStep(): { limit: StepLimit; held: number } {
    const { safety, maxTimeStep, smallestSpacing, options } = this.#parts;
    const { frequency, contactFrequency, maximumSpeed, viscousRate } = this.scalars;
    const total = frequency + contactFrequency;
    const stable = total > 0 ? 2 / Math.sqrt(total) : Number.POSITIVE_INFINITY;
    const travel = contactFrequency > 0 ? TRAVEL_SHARE_IN_CONTACT : TRAVEL_SHARE;
    let held = this.scalars.heldStep;
    if (!(held >= HELD[0] * stable && held <= HELD[1] * stable)) held = safety * stable;
    const limits: StepLimit[] = [
      { timeStep: held, limitedBy: contactFrequency > frequency ? 'contact' : 'elastic wave' },
      { timeStep: (travel * smallestSpacing) / maximumSpeed, limitedBy: 'speed' },
      { timeStep: maxTimeStep, limitedBy: 'maxTimeStep' },
    ];
    if (options.viscosity === 'explicit' && viscousRate > 0) {
      limits.push({ timeStep: safety / viscousRate, limitedBy: 'viscosity' });
    }
    const limit = limits.reduce((a, b) => (b.timeStep < a.timeStep ? b : a));
    // Who among several asks for it is not known.
    const body = this.#parts.names.length === 1 && limit.limitedBy !== 'maxTimeStep' ? this.#parts.names[0] : undefined;
    return { limit: { ...limit, body }, held };
  }

  #largest(slot: number, pass: string, time: number): number {
    const value = this.#store.blockLargest(slot);
    if (Number.isFinite(value)) return value;
    const bad = this.#store.vectors(common.VELOCITY).findIndex((x) => !Number.isFinite(x));
    const detail = 'lower solver.safety or solver.maxTimeStep, or soften what drives it';
    throw new SimulationError(Math.max(0, Math.floor(bad / 4)), pass, time, detail);
  }
}
