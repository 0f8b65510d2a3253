import * as layout from './layout.js';
import type { ParticleStore } from './store.js';

/** The particles of a body. */
export interface BodyRange {
  readonly begin: number;
  readonly end: number;
}

/** Slots of two particles that became one, or of one that became two: the first is that one's. */
export type SlotPair = readonly [one: number, other: number];

/** What became of particles: first all merges, then all splits. */
export interface Resampled {
  readonly merges: readonly SlotPair[];
  readonly splits: readonly SlotPair[];
}

/** Is a body rigid? */
export function isRigid(store: ParticleStore, body: number): boolean {
  return store.bodyIntegers(body)[layout.BODY_FIT / 4] === layout.FIT_NONE;
}

/** Is a body viscoplastic: are its neighbours found anew when it has flowed, and do its particles split and merge? */
export function isRenewed(store: ParticleStore, body: number): boolean {
  return store.bodyIntegers(body)[layout.BODY_RENEWS / 4] !== 0;
}
