/** What the command needs from the library: one door, so that tests can put another world behind it. */

import type { DescribedBody, Scene, StepReport } from 'phyxel';
import { loadScene, matterOf, World } from 'phyxel';

export type { Energy, FrameProgress, StepReport } from 'phyxel';

/** How liquids were solved in the steps of a frame. */
export type FluidReport = NonNullable<StepReport['fluid']>;

/** How heat was solved in the steps of a frame. */
export type HeatReport = NonNullable<StepReport['heat']>;

/** The part of a world that the command uses. */
export type SimulationWorld = Pick<
  World,
  | 'time'
  | 'stepCount'
  | 'particleCount'
  | 'liquidCount'
  | 'freeSlots'
  | 'pairCount'
  | 'threads'
  | 'mass'
  | 'memoryBytes'
  | 'bodies'
  | 'warnings'
  | 'step'
  | 'stepTo'
  | 'stepsTo'
  | 'openFrame'
  | 'solveStatic'
  | 'stableTimeStep'
  | 'stableSubstep'
  | 'stateHash'
  | 'save'
  | 'energy'
  | 'momentum'
  | 'angularMomentum'
  | 'probe'
  | 'positions'
  | 'velocities'
  | 'stresses'
  | 'stressTensors'
  | 'strainTensors'
  | 'velocityGradients'
  | 'pressures'
  | 'densities'
  | 'isPlastic'
  | 'plasticStrains'
  | 'isBreakable'
  | 'damages'
  | 'pieces'
  | 'isThermal'
  | 'temperatures'
  | 'liquidFractions'
  | 'passTimings'
  | 'dispose'
>;

export interface LoadOptions {
  readFile(path: string): Promise<Uint8Array>;
  readonly threads: 'auto' | number;
}

export interface Core {
  loadScene(scene: Scene, options: LoadOptions): Promise<SimulationWorld>;
  loadCheckpoint(state: Uint8Array, options: LoadOptions): Promise<SimulationWorld>;
}

export const core: Core = {
  loadScene: (scene, options) => loadScene(scene, options),
  loadCheckpoint: (state, options) => World.load(state, options),
};

/** Does a scene balance forces by iteration, for implicit motion or for equilibrium? */
export function isIterative({ static: isStatic, solver }: Scene): boolean {
  return isStatic || solver.solid.integrator === 'implicit' || solver.solid.integrator === 'midpoint';
}

/** Does a scene have liquid in it, from the start or from a source? */
export function isLiquid({ bodies, emitters }: Scene): boolean {
  return emitters.length > 0 || bodies.some((body) => matterOf(body).isFluid);
}

/** Does a body have no shape of its own, only particles that come and go: a liquid, or what flows as far as one? */
export function flowsFreely(body: DescribedBody | undefined): boolean {
  return body === undefined || matterOf(body).flows;
}

/** Is a body solid at first, in part or as a whole, and does it melt where it gets hot enough? */
export function mayMelt(body: DescribedBody): boolean {
  const { phase } = matterOf(body);
  if (phase !== 'solid' && phase !== 'melt') return false;
  return [body.material, ...body.regions.map(({ set }) => set)].some(({ meltingPoint }) => meltingPoint !== undefined);
}

/** Is there such a body in a scene, or a source? */
export function hasFreeSurface({ bodies, emitters }: Scene): boolean {
  return emitters.length > 0 || bodies.some(flowsFreely);
}

/** Particles that are in the world: all but the slots of sources that none has taken, and what sinks took. */
export function presentParticles(world: SimulationWorld): number {
  const slots = world.bodies.reduce((sum, { matter, begin, end }) => sum + (matter.isFluid ? end - begin : 0), 0);
  return world.particleCount - slots + (slots > 0 ? world.liquidCount : 0) - world.freeSlots;
}
