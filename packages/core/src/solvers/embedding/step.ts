import { add } from '../../math/matrix3.js';
import type { EmbeddingSolverOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';
import * as common from '../../particles/layout.js';
import type { Prescriptions } from '../constraints/prescriptions.js';
import { SimulationError } from '../error.js';
import { type MovingPoint, momentaOf, motionTo } from '../momenta.js';
import { solve } from './conjugate.js';
import type { EmbeddingEffort } from './effort.js';
import { equalise, type FlowBody, forgetOrigins, isEven, type Resampled, resample } from './resample.js';

/** Viscosity that changes velocities by less than this in a step is taken explicitly. */
const MILD = 0.2;
/** That which changes them by less than this since it last acted waits. */
const FAINT = 0.01;
/** Residual of implicit viscosity, relative to what it began with. */
const VISCOUS_TOLERANCE = 1e-4;
const MOST_VISCOUS = 200;
/** Embedded positions better than this share of a spacing are good enough. */
const FINE = 1e-4;
/** Neighbours are found anew when this share of the particles has flowed by updateStrain, or one by so many times that. */
const MANY = 0.005;
const FAR = 4;
/** Of particles that merge and split until all are about equally heavy. */
const MOST_ROUNDS = 8;

/** Numbers of the solver that a save holds. */
export interface EmbeddingScalars {
  /** Of the viscous forces [1/s]. */
  viscousRate: number;
  /** Time for which viscosity has still to act [s]. */
  viscousDebt: number;
  /** How often positions in embedded space have been found anew. */
  updates: number;
  /** See embedding-layout.ts. */
  readonly frequencyShare: number;
  readonly bodies: readonly FlowCalibration[];
}

/** What follows from the rest shape of a body. */
export interface FlowCalibration {
  /** See layout.ts. */
  readonly evenSampling: number;
  readonly sparse: number;
  /** Above what share of even sampling particles merge [1]. */
  readonly dense: number;
  /** Volume over that of eq. 3 at rest [1]. */
  readonly volumeFactor: number;
}

export interface EmbeddingSolverParts {
  readonly store: EmbeddingStore;
  readonly options: EmbeddingSolverOptions;
  readonly gravity: Vec3;
  readonly bodies: readonly FlowBody[];
  readonly names: readonly string[];
  readonly constraints: Prescriptions;
  readonly smallestSpacing: number;
  readonly largestSpacing: number;
  readonly largestSupport: number;
  /** Is told when particles have come or gone, or have other positions in embedded space. */
  readonly changed: (resampled?: Resampled) => void;
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
  /** Squared frequency that steps must resolve [1/s2], and speed of the fastest particle [m/s]; of the last step. */
  frequency = 0;
  maximumSpeed = 0;

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

  get bodies(): readonly FlowBody[] {
    return this.#parts.bodies;
  }

  /** Tells the passes what the scalars say. */
  writeScalars(): void {
    const { frequencyShare, bodies } = this.scalars;
    this.#store.setFloat(layout.FREQUENCY_SHARE, frequencyShare);
    for (const [b, { evenSampling, sparse }] of bodies.entries()) {
      const floats = this.#store.bodyFloats(b);
      floats[common.BODY_EVEN_SAMPLING / 4] = evenSampling;
      floats[common.BODY_SPARSE / 4] = sparse;
    }
  }

  /** Told at the end of each step, before particles split or merge. */
  settled: (() => void) | undefined;

  /** First half of a step, [J14] algorithm 1: kick, viscosity and drift. */
  advance(time: number, dt: number): void {
    const store = this.#store;
    this.#parts.constraints.write(time, dt);
    store.setFloat(layout.STEP, dt);
    store.setFloat(common.KICK, dt / 2);
    store.run('kickEmbedded');
    this.#applyViscosity(dt);
    store.run('driftEmbedded');
    this.maximumSpeed = Math.sqrt(this.#largest(common.BLOCK_SPEED, 'driftEmbedded', time));
    store.run('shareEmbedded');
  }

  /** Forces at the end of a step of `dt`, with those of contact, and the second kick; or, of 0 s, of the state as it is. */
  computeForces(time: number, dt: number): void {
    const store = this.#store;
    if (dt === 0) this.#parts.constraints.write(time, 1);
    store.setFloat(layout.STEP, dt);
    store.setFloat(common.LATE_KICK, dt / 2);
    store.run('computeEmbeddedStresses'); // eq. 1-7
    store.run('computeEmbeddedForces'); // eq. 5
    this.frequency = this.#largest(common.BLOCK_FREQUENCY, 'computeEmbeddedForces', time);
  }

  /** End of the step: what obstacles and constraints leave of the velocities, and new neighbours where they are due. */
  finish(): void {
    const store = this.#store;
    store.run('settleEmbedded');
    this.settled?.();
    const far = store.blockLargest(layout.BLOCK_STRAIN) > FAR * this.#parts.options.updateStrain;
    if (far || store.blockTotal(layout.BLOCK_FLOWED) > MANY * store.count) this.#update();
    store.run('shareEmbedded');
  }

  /** Follows the plastic flow since the last time: embedding, sampling, neighbours. */
  #update(): void {
    const store = this.#store;
    const { options, bodies } = this.#parts;
    store.run('markEmbedding');
    if (!options.neighborUpdates) return;
    const dense = this.scalars.bodies.map((body) => body.dense);
    this.#renew(options.resampling ? () => resample(store, bodies, dense) : undefined);
  }

  /** Makes the particles of a body about as heavy as they were at the start; momenta stay. */
  equalise(b: number): void {
    const store = this.#store;
    const { bodies } = this.#parts;
    if (isEven(store, bodies, b)) return;
    const before = momentaOf(this.#pointsOf(b));
    const { scalars } = this;
    for (let round = 0; round < MOST_ROUNDS && !isEven(store, bodies, b); round++) {
      // Any may split.
      const all = { ...scalars.bodies[b]!, sparse: Number.MAX_VALUE };
      this.scalars = { ...this.scalars, bodies: scalars.bodies.with(b, all) };
      this.writeScalars();
      const resampled = this.#renew(() => equalise(store, bodies, b))!;
      this.scalars = { ...this.scalars, bodies: scalars.bodies };
      this.writeScalars();
      if (resampled.splits.length + resampled.merges.length === 0) break;
    }
    // Two that merge lose their spin, and halves have one.
    const points = this.#pointsOf(b);
    const change = motionTo(points, before);
    const v = store.vectors(common.VELOCITY);
    for (const { i, at, velocity } of points) v.set(add(velocity, change(at)), 4 * i);
    store.run('shareEmbedded');
  }

  #pointsOf(b: number): (MovingPoint & { readonly i: number })[] {
    const store = this.#store;
    const [x, left] = [store.vectors(layout.POSITION), store.vectors(layout.REMAINDER)];
    const v = store.vectors(common.VELOCITY);
    const bodyOf = store.integers(common.BODY_OF, store.count);
    const at = (array: Float32Array, i: number): Vec3 => [array[4 * i]!, array[4 * i + 1]!, array[4 * i + 2]!];
    return Array.from(bodyOf.keys())
      .filter((i) => bodyOf[i] === b)
      .map((i) => ({ i, mass: 1 / x[4 * i + 3]!, at: add(at(x, i), at(left, i)), velocity: at(v, i) }));
  }

  /** New neighbours, after particles have split and merged. */
  #renew(sample: (() => Resampled) | undefined): Resampled | undefined {
    const store = this.#store;
    this.scalars.updates++;
    store.run('absorbFlow');
    this.#embed();
    store.run('noteGradients');
    if (sample) store.run('measureSampling'); // eq. 13
    const resampled = sample?.();
    if (resampled) {
      this.effort.splits += resampled.splits.length;
      this.effort.merges += resampled.merges.length;
      this.effort.refused += resampled.refused;
    }
    this.findNeighbors();
    store.run('keepGradients');
    if (resampled && resampled.splits.length + resampled.merges.length > 0) forgetOrigins(store);
    // What is far in embedded space may be near now.
    this.#parts.changed(resampled);
    return resampled;
  }

  /** Positions in embedded space that fit the rest vectors best, eq. 9-12, from where they were. */
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

  /** Longest step that explicit viscosity bears [s]. */
  get viscousStep(): number {
    const { viscousRate } = this.scalars;
    return this.#parts.options.viscosity === 'explicit' && viscousRate > 0 ? 1 / viscousRate : Number.POSITIVE_INFINITY;
  }

  /** Number among these bodies of one whose waves are fastest, as far as is known: of the block in which they are. */
  get fastestBody(): number {
    const block = this.#store.indexOfLargest(common.BLOCK_FREQUENCY, this.#store.blocks);
    return this.#store.integers(common.BODY_OF, this.#store.count)[block * common.BLOCK] ?? 0;
  }

  #largest(slot: number, pass: string, time: number): number {
    const value = this.#store.blockLargest(slot);
    if (Number.isFinite(value)) return value;
    const bad = this.#store.vectors(common.VELOCITY).findIndex((x) => !Number.isFinite(x));
    const detail = 'lower solver.safety or solver.maxTimeStep, or soften what drives it';
    throw new SimulationError(Math.max(0, Math.floor(bad / 4)), pass, time, detail);
  }
}
