import * as layout from './layout.js';
import type { ParticleStore } from './store.js';

/** The particles of a body. */
export interface BodyRange {
  readonly begin: number;
  readonly end: number;
}

/** Is a body rigid, without neighbourhoods? */
export function isRigid(store: ParticleStore, body: number): boolean {
  return store.bodyIntegers(body)[layout.BODY_FIT / 4] === layout.FIT_NONE;
}
