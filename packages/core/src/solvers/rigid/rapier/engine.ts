/** Rapier as a world knows it. No types of Rapier: what users compile against leads here. */
import type { Problem } from '../../../options/errors.js';
import type { Matter } from '../../../options/phase.js';
import type { SolverOptions } from '../../../options/types.js';
import type { Obstacle } from '../../contact/obstacles.js';
import type { RigidBodies } from '../bodies.js';
import type { RapierRecord } from './state.js';

type Parts = ConstructorParameters<typeof RigidBodies>[0];

export interface RapierParts extends Omit<Parts, 'bodies' | 'obstacles' | 'exact' | 'properties'> {
  readonly bodies: readonly (RapierRecord & Parts['bodies'][number])[];
  readonly obstacles: readonly Obstacle[];
  /** Do different bodies touch? */
  readonly touching: boolean;
  /** [s] */
  readonly time: number;
}

/** What a world keeps of Rapier while its memory is laid out anew. */
export interface RapierEngine {
  /** The rigid bodies of a new layout; what is new among them and the obstacles is put into Rapier's world. */
  bodies(parts: RapierParts): RigidBodies;
  /** What it cannot do: it moves bodies by their shapes, and in steps of its own. */
  problems(bodies: readonly Checked[], solver: SolverOptions): Problem[];
  free(): void;
}

/** `quality` is unknown of particles that a program gave. */
export type Checked = { readonly matter: Matter; readonly quality?: object | undefined };
