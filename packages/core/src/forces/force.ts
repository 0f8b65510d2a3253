import type * as z from 'zod';
import type { MaterialNumbers } from '../options/material-parameters.js';

/** Particles that forces act on: in world axes, four floats each, whatever the phase. Valid for one call. */
export interface ForceParticles {
  readonly count: number;
  /** Position [m], and one over the mass [1/kg] in lane 3. */
  readonly positions: Float32Array;
  /** [m/s]; lane 3 carries no meaning. */
  readonly velocities: Float32Array;
  /**
   * Exposed area: a vector [m2] that points out of the surface, zero within a body; lane 3 is the cross-section of
   * what has no side because it is on its own, as spray is [m2].
   */
  readonly areas: Float32Array;
  /** Number of each particle's body among `names` and `materials`. */
  readonly bodies: Uint32Array;
  readonly names: readonly string[];
  /** What each body is made of now; regions may differ. */
  readonly materials: readonly MaterialNumbers[];
  /**
   * From the given time to that at which the force acts [s]. What flows is kicked at the beginning of its step; solids
   * feel the force from the end of their step on, so that what depends on positions or the time must look ahead.
   */
  readonly ahead: number;
  /** Where forces add up [N]; lane 3 is left alone. */
  readonly forces: Float32Array;
}

/**
 * A force from outside. Its key in `FORCES` is its name in scene files and in the options of a world. It must follow
 * from what it is given and nothing else: no clock, no random numbers, and no functions that engines may round
 * differently; then runs are equal to the bit for any number of threads and after a save.
 */
export interface Force<Schema extends z.ZodType = z.ZodType> {
  /** The declaration: what may be said about it, with unit, range, default and text. Saves hold it as JSON. */
  readonly schema: Schema;
  /** `surface`: it is only given the particles at the surface of solids, which are few. */
  readonly reach: 'surface' | 'all';
  /** Adds its forces at a time [s], for a step of a duration [s]. */
  act(particles: ForceParticles, options: z.output<Schema>, time: number, dt: number): void;
}
