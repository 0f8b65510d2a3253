import { length } from '../math/matrix3.js';
import type { Vec3 } from '../options/types.js';
import type { ElasticSolver } from './elastic/step.js';
import { isShort } from './fluid/limits.js';
import type { FluidModel } from './fluid/model.js';
import type { BodyForces } from './forces/apply.js';
import type { ExternalForces } from './forces/external.js';
import type { SurfaceLoads } from './forces/loads.js';
import type { Grabs } from './grab.js';
import type { HeatModel } from './heat/model.js';
import { SHORTEST_SHARE, type StepLimit, type Substeps } from './step-limit.js';

/** Times nearer than this share of a step are the same. */
export const SAME_TIME = 1e-9;

/** A body whose steps may be longer than those of the liquid around it. */
const LIQUID_STEP: StepLimit = { timeStep: Number.POSITIVE_INFINITY, limitedBy: 'step of the liquid' };

/** What is elastic in a liquid, which takes steps of its own too. */
const ELASTIC_PHASE: StepLimit = { timeStep: Number.POSITIVE_INFINITY, limitedBy: 'elastic waves in the liquid' };

/** Bodies that forces push and that may take longer steps than this [s] must not go too far from rest in one. */
const LONG_STEP = 1e-3;

/** Steps of one length, at most the given one, that a time is gone through in. */
export function piecesOf(remaining: number, timeStep: number): number {
  return Math.max(1, Math.ceil(remaining / timeStep - SAME_TIME));
}

/**
 * Advances solids and liquids together, and lets heat flow between them. A liquid's step is long beside those of an elastic body, so bodies take
 * several within each, pushed by what the liquid did at its beginning ([K06] fig. 6.2).
 */
export class Stepper {
  readonly #elastic: ElasticSolver;
  readonly #fluid: FluidModel | undefined;
  readonly #solids: boolean;
  readonly #heat: HeatModel | undefined;
  readonly #substeps: Substeps;
  #frameStart = true;
  /** Time that is asked for [s]; steps must not be too short beside it. */
  #frame = 0;
  /** On bodies, and on liquids; none when nobody grabs. */
  grabs: Grabs | undefined;
  worldGrabs: Grabs | undefined;
  /** What grabs and forces add to, on bodies. */
  readonly external: ExternalForces;
  /** [m/s2] */
  readonly #gravity: number;
  readonly #bodyForces: readonly BodyForces[];
  readonly #loads: SurfaceLoads | undefined;

  constructor(parts: {
    elastic: ElasticSolver;
    fluid: FluidModel | undefined;
    /** Are there bodies that are not liquid? */
    solids: boolean;
    substeps: Substeps;
    heat: HeatModel | undefined;
    external: ExternalForces;
    gravity: Vec3;
    /** Those of solvers/forces/, where some act; liquids have theirs in their own step. */
    bodyForces: readonly BodyForces[];
    /** On surfaces of solids and rigid bodies. */
    loads: SurfaceLoads | undefined;
  }) {
    this.#substeps = parts.substeps;
    this.#heat = parts.heat;
    this.#elastic = parts.elastic;
    this.#fluid = parts.fluid;
    this.#solids = parts.solids;
    this.external = parts.external;
    this.#gravity = length(parts.gravity);
    this.#bodyForces = parts.bodyForces;
    this.#loads = parts.loads;
  }

  get time(): number {
    return this.#elastic.time;
  }

  /** Lands on a time that rounding has missed by a little. */
  set time(time: number) {
    this.#elastic.time = time;
  }

  get maximumSpeed(): number {
    return Math.max(this.#elastic.maximumSpeed, this.#fluid?.solver.maximumSpeed ?? 0);
  }

  /** The next step of a frame of so many seconds at the most, and what sets it. Ends the simulation when it is too short. */
  chooseStep(frame: number, frameStart: boolean): StepLimit {
    this.#frameStart = frameStart;
    this.#frame = frame;
    if (this.#fluid) {
      const limit = this.#liquidStep();
      if (this.#isShort(limit) || isShort(limit)) this.#fluid.solver.failShort(limit, this.time, frame);
      return limit;
    }
    return this.#chooseSolidStep(frameStart);
  }

  #chooseSolidStep(frameStart: boolean): StepLimit {
    const limit = this.#pushed(this.#elastic.chooseStep(frameStart));
    if (this.#isShort(limit)) this.#elastic.failShort(limit, this.#frame);
    return limit;
  }

  /** Also of what is not a number. */
  #isShort({ timeStep }: StepLimit): boolean {
    return !(timeStep >= SHORTEST_SHARE * this.#frame);
  }

  /** What chooseStep would say, whatever that is. */
  previewStep(): StepLimit {
    return this.#fluid ? this.#liquidStep() : this.#pushed(this.#elastic.previewStep());
  }

  /** A step of bodies that forces push: what moves them from rest must not take them too far. */
  #pushed(limit: StepLimit): StepLimit {
    if (this.#bodyForces.length === 0 || !(limit.timeStep > LONG_STEP)) return limit;
    const timeStep = Math.min(...this.#bodyForces.map((forces) => forces.longestStep(this.time, this.#gravity)));
    return timeStep < limit.timeStep ? { timeStep, limitedBy: 'forces' } : limit;
  }

  /** Forces on solids and rigid bodies at the start, which the first kick goes by. */
  pushAtStart(): void {
    if (this.#bodyForces.length > 0) this.#pushSolids(this.#pushed(this.#elastic.previewStep()).timeStep);
    else if (this.#loads) this.#pushSolids(0);
  }

  /** The same of the steps of bodies within those of a liquid; none where there are none. */
  previewSubstep(): StepLimit | undefined {
    return this.#fluid && this.#solids ? this.#pushed(this.#elastic.previewStep()) : undefined;
  }

  #liquidStep(): StepLimit {
    return this.#fluid!.solver.chooseStep(this.time, this.#solids ? this.#elastic.maximumSpeed : 0);
  }

  step(dt: number): void {
    this.#move(dt);
    this.#heat?.pass(dt, this.maximumSpeed * dt);
  }

  #move(dt: number): void {
    const elastic = this.#elastic;
    this.worldGrabs?.pull(dt);
    if (!this.#fluid) {
      this.#stepSolids(dt);
      return;
    }
    const end = elastic.time + dt;
    this.external.clear();
    this.#fluid.solver.step(elastic.time, dt);
    const { elastic: phase } = this.#fluid;
    if (phase && phase.substeps > 1) this.#noteSubsteps(dt / phase.substeps, ELASTIC_PHASE, phase.substeps);
    if (this.#solids) {
      while (elastic.time < end) {
        const remaining = end - elastic.time;
        const limit = this.#chooseSolidStep(this.#frameStart);
        this.#frameStart = false;
        const pieces = piecesOf(remaining, limit.timeStep);
        this.#noteSubsteps(remaining / pieces, pieces > 1 ? limit : LIQUID_STEP, 1);
        this.#stepSolids(remaining / pieces);
        if (pieces === 1) break;
      }
    } else {
      elastic.stepCount++;
      elastic.lastStep = dt;
    }
    elastic.time = end;
  }

  #stepSolids(dt: number): void {
    this.#pushSolids(dt);
    this.#elastic.step(dt);
  }

  /** Grabs and forces of a step of solids and rigid bodies that begins now. */
  #pushSolids(dt: number): void {
    const grabs = this.grabs?.empty === false ? this.grabs : undefined;
    if (!grabs && this.#bodyForces.length === 0 && !this.#loads) {
      this.external.clear();
      return;
    }
    const external = this.external.begin();
    grabs?.pull(dt);
    for (const forces of this.#bodyForces) forces.push(external, this.#elastic.time, dt);
    this.#loads?.push(external, this.#elastic.time, dt);
  }

  /** Loads as they are at a time on bodies that stand still; how much they have changed by that, as a share of them. */
  loadStatic(time: number): number {
    if (!this.#loads) return 0;
    const before = this.external.forces.slice();
    const external = this.external.begin();
    this.#loads.push(external, time, 0);
    let [change, size] = [0, 0];
    for (let k = 0; k < external.length; k++) {
      change += (external[k]! - before[k]!) ** 2;
      size += external[k]! ** 2;
    }
    return size > 0 ? Math.sqrt(change / size) : 0;
  }

  #noteSubsteps(size: number, { limitedBy, body }: StepLimit, steps: number): void {
    const noted = this.#substeps;
    noted.steps += steps;
    if (!(size < noted.timeStep * (1 - SAME_TIME))) return;
    noted.timeStep = size;
    noted.limitedBy = limitedBy;
    noted.body = body;
  }
}
