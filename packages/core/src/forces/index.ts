/** All forces from outside. A new one is a file beside this one and a line in `FORCES`. */
import type * as z from 'zod';
import { acceleration } from './acceleration.js';
import type { Force } from './force.js';
import { wind } from './wind.js';

export const FORCES = {
  wind,
  acceleration,
};

export type ForceName = keyof typeof FORCES;
export const FORCE_NAMES = Object.keys(FORCES) as readonly ForceName[];

/** What a world or a scene says about forces; those that are left out do not act. */
export type ForceOptions = { readonly [K in ForceName]?: z.output<(typeof FORCES)[K]['schema']> | undefined };

/** The keys of a world and of a scene. */
export const forceFields = Object.fromEntries(FORCE_NAMES.map((name) => [name, FORCES[name].schema.optional()])) as {
  readonly [K in ForceName]: z.ZodOptional<(typeof FORCES)[K]['schema']>;
};

/** The part of some options that is about forces. */
export function forcesOf(options: ForceOptions): ForceOptions {
  return Object.fromEntries(FORCE_NAMES.filter((name) => options[name]).map((name) => [name, options[name]]));
}

/** A force and what was said about it. */
export interface ActingForce {
  readonly force: Force;
  readonly options: unknown;
}

export function actingForces(options: ForceOptions): ActingForce[] {
  return Object.entries(FORCES as Record<string, Force>).flatMap(([name, force]) => {
    const own = (options as Record<string, unknown>)[name];
    return own ? [{ force, options: own }] : [];
  });
}

/** Why a static solution refuses a force. */
export const STATIC_FORCE =
  'acts on what moves, and a static solution does not: leave it out, or let the world come to rest in time';
