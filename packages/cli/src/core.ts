/** What the command needs from the library: one door, so that tests can put another world behind it. */

import type { Scene } from 'phyxel';
import { loadScene, World } from 'phyxel';

export type { Energy, StepReport } from 'phyxel';

/** The part of a world that the command uses. */
export type SimulationWorld = Pick<
  World,
  | 'time'
  | 'stepCount'
  | 'particleCount'
  | 'pairCount'
  | 'threads'
  | 'mass'
  | 'memoryBytes'
  | 'bodies'
  | 'warnings'
  | 'step'
  | 'stepTo'
  | 'solveStatic'
  | 'stableTimeStep'
  | 'stateHash'
  | 'save'
  | 'energy'
  | 'momentum'
  | 'angularMomentum'
  | 'probe'
  | 'positions'
  | 'velocities'
  | 'stresses'
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
