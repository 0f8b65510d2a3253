/** What cannot be in a world, and why. */
import { formatPath } from '../options/errors.js';
import { OptionError } from '../options/index.js';
import { ineffectiveKeys } from '../options/parameters.js';
import { liquidChangeProblems, RIGID_IMPLICIT, type RigidProblem, rigidChangeProblems } from '../options/rigid.js';
import type { EventOptions, SolverOptions } from '../options/types.js';
import { isEmbedded } from '../solvers/embedding/model.js';
import type { BodyRecord, WorldModel } from './model.js';
import { type Cloud, findOverlap, solidClouds } from './overlap.js';

/** A rigid body that is deeper in an obstacle than this share of its particles' radius at the start is refused. */
const BURIED = 0.6;

/** Rigid bodies take explicit steps. */
export function refuseImplicitMix(bodies: readonly BodyRecord[], { solid }: SolverOptions): void {
  const kinds = new Set(bodies.map(({ options }) => options.kind));
  const { integrator } = solid;
  if (!kinds.has('solid') || !kinds.has('rigid') || integrator === 'explicit' || integrator === 'verlet') return;
  throw new OptionError([{ path: 'solver.solid.integrator', message: `${RIGID_IMPLICIT}, got "${integrator}"` }]);
}

/** What flows is solved by itself so far. */
export function refuseEmbeddedMix(bodies: readonly BodyRecord[], isThermal: boolean): void {
  const others = bodies.findIndex(({ options }) => !isEmbedded(options));
  const flowing = bodies.findIndex(({ options }) => isEmbedded(options));
  if (flowing < 0) return;
  const path = `bodies[${flowing}].discretisation`;
  const refuse = (message: string): never => {
    throw new OptionError([{ path, message: `embedded ${message}` }]);
  };
  if (others >= 0) {
    const { name } = bodies[others]!.options;
    refuse(`cannot be in one world with other kinds of bodies yet, here "${name}": make them obstacles, or embedded`);
  }
  if (isThermal) refuse('cannot be in a world with temperatures yet');
}

/** Bodies from number `first` on are new. */
export function refuseOverlap(model: WorldModel, bodies: readonly BodyRecord[], first: number): void {
  refuseClouds(solidClouds(model), model.solids, bodies, first);
  const flowing = bodies.filter(({ options }) => isEmbedded(options));
  refuseClouds(model.embedding?.startClouds() ?? [], flowing, bodies, 0);
}

function refuseClouds(
  clouds: readonly Cloud[],
  records: readonly BodyRecord[],
  bodies: readonly BodyRecord[],
  first: number,
): void {
  const overlap = findOverlap(clouds, first);
  if (!overlap) return;
  const [a, second] = overlap.bodies;
  const b = bodies.indexOf(records[second]!);
  const place = overlap.at.map((x) => x.toPrecision(3)).join(', ');
  const other = records[a]!.options.name;
  throw new OptionError([
    {
      path: `bodies[${b}].position`,
      message: `lets it overlap "${other}" at the start, near (${place}) m: move one of them`,
    },
  ]);
}

/** Rigid bodies that begin inside an obstacle would be thrown out by the force of their contacts. */
export function refuseBuried(model: WorldModel, bodies: readonly BodyRecord[], first: number): void {
  const found = model.elastic.rigid.buriedBody(first, BURIED);
  if (found === undefined) return;
  const record = model.solids[found]!;
  const message = `puts the rigid body "${record.options.name}" into an obstacle at the start: move one of them`;
  throw new OptionError([{ path: `bodies[${bodies.indexOf(record)}].position`, message }]);
}

/** Throws if there are problems with what is at a path. */
export function refuse(path: string, problems: readonly RigidProblem[]): void {
  if (problems.length === 0) return;
  throw new OptionError(
    problems.map((problem) => ({ path: formatPath(problem.path, path), message: problem.message })),
  );
}

/** Changes of a material that would have no effect. */
export function refuseIneffective({ material, options }: BodyRecord, set: EventOptions['set']): void {
  if (options.kind === 'rigid') refuse('', rigidChangeProblems(set));
  if (isEmbedded(options) && set.density !== undefined) {
    refuse('', [{ path: ['set', 'density'], message: 'cannot change in a body with discretisation embedded' }]);
  }
  refuse('', liquidChangeProblems({ ...options, material }, set));
  const problems = ineffectiveKeys(material, set).map(({ key, message }) => ({ path: `set.${key}`, message }));
  if (problems.length > 0) throw new OptionError(problems);
}
