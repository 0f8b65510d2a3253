/** What the command needs from the library: one door, so that tests can put another world behind it. */

import type { ProbeOptions, SamplingQuality, Scene, Vec3 } from 'phyxel';
import { loadScene, World } from 'phyxel';

export interface StepReport {
  readonly steps: number;
  /** Smallest step that was used [s]. */
  readonly timeStep: number;
  readonly limitedBy: string;
  /** [m/s] */
  readonly maximumSpeed: number;
  readonly warnings: readonly string[];
}

export interface Energy {
  readonly kinetic: number;
  readonly elastic: number;
  readonly gravitational: number;
  readonly total: number;
}

export interface BodySummary {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly spacing: number;
  readonly mass: number;
  readonly warnings: readonly string[];
  readonly quality?: SamplingQuality | undefined;
}

export interface SimulationWorld {
  readonly time: number;
  readonly stepCount: number;
  readonly particleCount: number;
  readonly pairCount: number;
  readonly threads: number;
  readonly mass: number;
  readonly memoryBytes: number;
  readonly bodies: readonly BodySummary[];
  /** Those of the bodies, and what shows only when they are together. */
  readonly warnings: readonly string[];
  step(dt: number): StepReport;
  stepTo(time: number): StepReport;
  stableTimeStep(): { readonly timeStep: number; readonly limitedBy: string };
  stateHash(): string;
  save(): Uint8Array;
  energy(): Energy;
  momentum(): Vec3;
  angularMomentum(): Vec3;
  probe(probe: ProbeOptions): readonly number[];
  positions(): Float32Array;
  velocities(): Float32Array;
  stresses(): Float32Array;
  passTimings(): Record<string, { readonly calls: number; readonly milliseconds: number }>;
  dispose(): Promise<void>;
}

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
