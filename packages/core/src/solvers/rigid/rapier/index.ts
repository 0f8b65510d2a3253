/**
 * Rigid bodies by the engine Rapier. Worlds that use it import this file when they are made: with its compiled code it is
 * four megabytes.
 */
import * as rapier from '@dimforge/rapier3d-deterministic-compat';
import type { Problem } from '../../../options/errors.js';
import type { SolverOptions, Vec3 } from '../../../options/types.js';
import { RapierBodies, unpackBytes } from './bodies.js';
import type { Checked, RapierEngine } from './engine.js';
import type { RapierState } from './state.js';
import { RapierWorld } from './world.js';

function problems(bodies: readonly Checked[], { solid: { integrator } }: SolverOptions): Problem[] {
  if (!bodies.some(({ matter }) => matter.isRigid)) return [];
  const found = bodies.flatMap(({ matter, quality }, b): Problem[] => {
    if (!matter.isRigid || quality !== undefined) return [];
    const message = 'is made of given particles, which have no exact shape: take solver.rigid hertz, or leave them out';
    return [{ path: `bodies[${b}]`, message }];
  });
  const implicit = integrator === 'implicit' || integrator === 'midpoint';
  if (implicit && bodies.some(({ matter }) => !matter.isRigid && !matter.isFluid)) {
    const message = `must be hertz beside solids with solver.solid.integrator ${integrator}, got "rapier"`;
    found.push({ path: 'solver.rigid', message });
  }
  return found;
}

let ready: Promise<void> | undefined;

/** An empty world of Rapier, or the one of a save. */
export async function createRapier(
  gravity: Vec3,
  saved?: { readonly touches: Float32Array; readonly state: RapierState },
): Promise<RapierEngine> {
  ready ??= rapier.init();
  await ready;
  const world = new RapierWorld(rapier, gravity, saved && { bytes: unpackBytes(saved.touches), state: saved.state });
  return { bodies: (parts) => new RapierBodies(world, parts), problems, free: () => world.free() };
}
