/** What a call of `step` tells. */
import type { Renewal } from '../solvers/elastic/renewal.js';
import type { RenewalEffort } from '../solvers/elastic/renewal-effort.js';
import type { FluidModel } from '../solvers/fluid/model.js';
import type { FluidEffort } from '../solvers/fluid/step.js';
import type { HeatModel } from '../solvers/heat/model.js';
import type { HeatEffort } from '../solvers/heat/step.js';
import type { Substeps } from '../solvers/step-limit.js';

/** Compression of a liquid that is worth a word: on average, and of one particle [1]. */
const COMPRESSED = 0.01;
const CRUSHED = 0.5;

/** A piece that has broken off. */
export interface PieceBirth {
  /** `pane#3`. */
  readonly name: string;
  /** Of what it broke off. */
  readonly from: string;
  /** [s] */
  readonly time: number;
}

/** What a call of `step` did. */
export interface StepReport {
  /** Steps taken; where bodies take several within one of a liquid, all of those. */
  readonly steps: number;
  /** The shortest of them [s]; of a world with liquid, of those of the liquid. */
  readonly timeStep: number;
  /** What kept it short, and the body that asked for it, where one did. */
  readonly limitedBy: string;
  readonly limitedByBody?: string | undefined;
  /** Of bodies within the steps of a liquid: how many, the shortest, what kept it short, and who asked for it. */
  readonly substeps?: Readonly<Substeps> | undefined;
  /** Fastest particle at the end [m/s]. */
  readonly maximumSpeed: number;
  /** Newton and conjugate gradient iterations of implicit substeps, all together. */
  readonly newtonIterations: number;
  readonly iterations: number;
  /** Implicit substeps that did not converge and were tried again with half the length. */
  readonly retries: number;
  /** How liquids were solved; none when there are none. */
  readonly fluid?: FluidReport;
  /** How heat was solved; none when there is none. */
  readonly heat?: HeatReport;
  /** How bodies that flow were solved; none when there are none. */
  readonly flow?: FlowReport;
  /** Pieces that have broken off meanwhile; none when left out. */
  readonly pieces?: readonly PieceBirth[];
  /** Of a static solution: what is left unbalanced, relative to the forces that act. */
  readonly residual?: number;
  /** What the user should know about these steps; empty when all is well. */
  readonly warnings: readonly string[];
}

/** What the steps of a call did to liquids. */
export interface FluidReport {
  /** Steps of the liquids. */
  readonly steps: number;
  /** Iterations of the pressure solutions for velocities and for positions, and of implicit viscosity, per step. */
  readonly velocityIterations: number;
  readonly placeIterations: number;
  readonly viscosityIterations: number;
  /** Mean and largest compression at the end [1]. */
  readonly meanCompression: number;
  readonly largestCompression: number;
  /** Particles that left through sinks. */
  readonly removed: number;
  /** Mass that sources put in and sinks took out [kg]. */
  readonly massAdded: number;
  readonly massRemoved: number;
}

/** What the steps of a call did to heat. */
export interface HeatReport {
  /** Explicit and implicit steps; the longest explicit one that makes no new extremes, at the end [s]. */
  readonly explicitSteps: number;
  readonly implicitSteps: number;
  readonly explicitTimeStep: number;
  /** Conjugate gradient iterations of the implicit ones, and how many of these were tried again with half the length. */
  readonly iterations: number;
  readonly retries: number;
  /** Heat from plates, surroundings and sources; of liquid from sources and by `setTemperature`; and out by sinks [J]. */
  readonly supplied: number;
  readonly added: number;
  readonly removed: number;
}

/** What the steps of a call did to viscoplastic bodies. */
export interface FlowReport {
  /** Particles that they have now. */
  readonly particles: number;
  /** How often rest vectors took over what had flowed, and how often neighbours were found anew. */
  readonly renewals: number;
  readonly searches: number;
  /** Particles that split and that merged. */
  readonly splits: number;
  readonly merges: number;
}

export const NO_EFFORT: FluidEffort = {
  velocityIterations: 0,
  placeIterations: 0,
  viscosityIterations: 0,
  unconverged: 0,
  unconvergedViscosity: 0,
  removed: 0,
  massAdded: 0,
  massRemoved: 0,
};

export const NO_HEAT: HeatEffort = {
  explicitSteps: 0,
  implicitSteps: 0,
  iterations: 0,
  retries: 0,
  supplied: 0,
  added: 0,
  removed: 0,
};

export function heatReport({ solver }: HeatModel, before: HeatEffort): HeatReport {
  const since = (key: keyof HeatEffort) => solver.effort[key] - before[key];
  return {
    explicitSteps: since('explicitSteps'),
    implicitSteps: since('implicitSteps'),
    explicitTimeStep: solver.explicitStep,
    iterations: since('iterations'),
    retries: since('retries'),
    supplied: since('supplied'),
    added: since('added'),
    removed: since('removed'),
  };
}

export function renewalReport({ count }: Renewal, effort: RenewalEffort, before: RenewalEffort): FlowReport {
  const since = (key: keyof RenewalEffort) => effort[key] - before[key];
  return {
    particles: count,
    renewals: since('renewals'),
    searches: since('searches'),
    splits: since('splits'),
    merges: since('merges'),
  };
}

export function fluidReport({ solver }: FluidModel, before: FluidEffort, steps: number): FluidReport {
  const { effort } = solver;
  const perStep = (key: 'velocityIterations' | 'placeIterations' | 'viscosityIterations') =>
    (effort[key] - before[key]) / Math.max(1, steps);
  return {
    steps,
    velocityIterations: perStep('velocityIterations'),
    placeIterations: perStep('placeIterations'),
    viscosityIterations: perStep('viscosityIterations'),
    meanCompression: solver.meanCompression,
    largestCompression: solver.largestCompression,
    removed: effort.removed - before.removed,
    massAdded: effort.massAdded - before.massAdded,
    massRemoved: effort.massRemoved - before.massRemoved,
  };
}

/** What the user should know about steps of liquids; `names` are those of the liquids. */
export function fluidWarnings(
  fluid: FluidModel,
  names: readonly string[],
  before: FluidEffort,
  missed: readonly number[],
): string[] {
  const list: string[] = [];
  const failed = fluid.solver.effort.unconverged - before.unconverged;
  if (failed > 0) {
    list.push(
      `${failed} pressure solutions of liquids did not converge; raise solver.fluid.maxIterations or lower its maxTimeStep`,
    );
  }
  const thick = fluid.solver.effort.unconvergedViscosity - before.unconvergedViscosity;
  if (thick > 0) {
    list.push(`${thick} viscosity solutions of liquids did not converge; lower solver.fluid.maxTimeStep`);
  }
  const { meanCompression, largestCompression } = fluid.solver;
  if (meanCompression > COMPRESSED || largestCompression > CRUSHED) {
    const percent = (share: number) => `${(100 * share).toPrecision(2)} %`;
    list.push(
      `liquid is compressed by ${percent(meanCompression)} on average and ${percent(largestCompression)} at the most: there is too much of it for the room, or the steps are too long`,
    );
  }
  for (const [k, count] of fluid.missed.entries()) {
    const fresh = count - (missed[k] ?? 0);
    if (fresh > 0) list.push(`${names[k]}: no place for ${fresh} particles; raise its maxParticles`);
  }
  return list;
}

export const NO_PLACE =
  'a body that flows has no place for more particles and gets sparse; begin with more of them, or switch solver.embedding.resampling off';

export function retried(times: number): string {
  return `${times} implicit steps did not converge and were halved; solver.maxTimeStep or solver.solid.maxIterations may help`;
}
