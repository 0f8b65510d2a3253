/**
 * Solvers that not every world needs. Libraries have them at once; the worker of a page fetches them when its scene asks
 * for one of them.
 */
import { forcesOf } from '../forces/index.js';
import { matterOf } from '../options/phase.js';
import type { DescribedBody, Scene } from '../options/types.js';
import { mayBreak } from '../solvers/material.js';
import type * as Further from './further.js';

let loaded: typeof Further | undefined;

/** Makes sure that they are there; asked for again after a failure, they are tried again. */
export async function loadFurther(): Promise<void> {
  loaded ??= await import('./further.js');
}

export function further(): typeof Further {
  if (!loaded) throw new Error('this world was made without the solvers of what flows, breaks or is heated');
  return loaded;
}

/** What may be listed in a scene that asks for none of them. */
const PLAIN = ['gravity', 'bodies', 'obstacles', 'constraints', 'probes'];

/** Can a scene do without them? What is changed while it runs may ask for them. */
export function isPlain(scene: Scene): boolean {
  const others = Object.entries(scene).filter(([key]) => !PLAIN.includes(key));
  const isEmpty = others.every(([, value]) => !Array.isArray(value) || value.length === 0);
  const isCold = [scene, ...scene.bodies, ...scene.obstacles].every(({ temperature }) => temperature === undefined);
  const { contact, solid } = scene.solver;
  const isExplicit = !scene.static && (solid.integrator === 'explicit' || solid.integrator === 'verlet');
  return (
    isEmpty &&
    isCold &&
    isExplicit &&
    !contact.surfaces &&
    Object.keys(forcesOf(scene)).length === 0 &&
    scene.bodies.every(isPlainBody)
  );
}

function isPlainBody(body: DescribedBody): boolean {
  const matter = matterOf(body);
  const breaks = [body.material, ...body.regions.map(({ set }) => set)].some(mayBreak);
  const isElastic = matter.phase === 'solid' && !breaks && !body.material.viscosity;
  return matter.isRigid || isElastic;
}
