import type { ElasticSolver, StepLimit } from './elastic/step.js';
import type { EmbeddingModel } from './embedding/model.js';
import type { FluidModel } from './fluid/model.js';
import type { Hands } from './grab.js';
import type { HeatModel } from './heat/model.js';

/** Times nearer than this share of a step are the same. */
export const SAME_TIME = 1e-9;

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
  readonly #embedding: EmbeddingModel | undefined;
  #frameStart = true;
  /** Pull on bodies; none when nobody grabs. */
  hands: Hands | undefined;

  constructor(
    elastic: ElasticSolver,
    fluid: FluidModel | undefined,
    solids: boolean,
    heat?: HeatModel,
    embedding?: EmbeddingModel,
  ) {
    this.#embedding = embedding;
    this.#heat = heat;
    this.#elastic = elastic;
    this.#fluid = fluid;
    this.#solids = solids;
  }

  get time(): number {
    return this.#elastic.time;
  }

  /** Lands on a time that rounding has missed by a little. */
  set time(time: number) {
    this.#elastic.time = time;
  }

  get maximumSpeed(): number {
    const flowing = this.#embedding?.solver.scalars.maximumSpeed ?? 0;
    return Math.max(this.#elastic.maximumSpeed, this.#fluid?.solver.maximumSpeed ?? 0, flowing);
  }

  /** The next step at the most, and what sets it. */
  chooseStep(frameStart: boolean): StepLimit {
    this.#frameStart = frameStart;
    if (this.#embedding) return this.#embedding.solver.chooseStep();
    return this.#fluid ? this.#liquidStep() : this.#elastic.chooseStep(frameStart);
  }

  previewStep(): StepLimit {
    if (this.#embedding) return this.#embedding.solver.previewStep();
    return this.#fluid ? this.#liquidStep() : this.#elastic.previewStep();
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
    if (this.#embedding) {
      this.#embedding.solver.step(elastic.time, dt);
      elastic.stepCount++;
      elastic.lastStep = dt;
      elastic.time += dt;
      return;
    }
    if (!this.#fluid) {
      this.hands?.pull(dt);
      elastic.step(dt);
      return;
    }
    const end = elastic.time + dt;
    this.hands?.withdraw();
    this.#fluid.solver.step(elastic.time, dt);
    this.hands?.note();
    if (this.#solids) {
      while (elastic.time < end) {
        const remaining = end - elastic.time;
        const limit = elastic.chooseStep(this.#frameStart);
        this.#frameStart = false;
        const pieces = piecesOf(remaining, limit.timeStep);
        this.hands?.pull(remaining / pieces);
        elastic.step(remaining / pieces);
        if (pieces === 1) break;
      }
    } else {
      elastic.stepCount++;
      elastic.lastStep = dt;
    }
    elastic.time = end;
  }
}
