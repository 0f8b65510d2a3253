import * as layout from './layout.js';
import type { ParticleStore } from './store.js';

/** The particles of a body. */
export interface BodyRange {
  readonly begin: number;
  readonly end: number;
}

/** Slots of two particles that became one, or of one that became two: the first is that one's. */
export type SlotPair = readonly [one: number, other: number];

const fitOf = (store: ParticleStore, body: number) => store.bodyIntegers(body)[layout.BODY_FIT / 4]!;

/** Is a body rigid? */
export function isRigid(store: ParticleStore, body: number): boolean {
  return fitOf(store, body) === layout.FIT_NONE;
}

/** Is a body viscoplastic, with particles that split and merge? */
export function isFlowing(store: ParticleStore, body: number): boolean {
  return fitOf(store, body) === layout.FIT_FLOWING;
}

/** Are the neighbours of a body found anew when it has flowed? */
export function isRenewed(store: ParticleStore, body: number): boolean {
  return store.bodyIntegers(body)[layout.BODY_RENEWS / 4] !== 0;
}

/** Is a body moved by a solver of its own, without neighbourhoods in this store? */
export function isDriven(store: ParticleStore, body: number): boolean {
  return isRigid(store, body) || isFlowing(store, body);
}
