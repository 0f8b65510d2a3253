/** What cannot be in a world, and why. */

import { length } from '../math/matrix3.js';
import { LONGEST_SPACING, SHORTEST_LENGTH } from '../options/declare.js';
import { formatPath, type Problem } from '../options/errors.js';
import { isConstant } from '../options/field.js';
import { HOTTEST } from '../options/heat.js';
import { OptionError } from '../options/index.js';
import { COLDEST } from '../options/material-parameters.js';
import { ineffectiveKeys } from '../options/parameters.js';
import { changeProblems, type RigidProblem } from '../options/rigid.js';
import type { EventOptions, HeatOptions, Material, ObstacleShape, SolverOptions, Vec3 } from '../options/types.js';
import { withoutFreeSlots } from '../particles/free-slots.js';
import * as layout from '../particles/layout.js';
import type { ConstraintRecord } from '../solvers/constraints/hold.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import { SHORTEST } from '../solvers/fluid/limits.js';
import { elasticConstants } from '../solvers/material.js';
import { driveOf } from '../solvers/rigid/motion.js';
import { describeShort, SHORTEST_SHARE, type StepLimit } from '../solvers/step-limit.js';
import type { BodyRecord, WorldModel } from './model.js';
import { findOverlap, solidClouds } from './overlap.js';

/** A rigid body that is deeper in an obstacle than this share of its particles' radius at the start is refused. */
const BURIED = 0.6;

/** A spacing has so many steps of the float32 positions around it, at least. */
const STEPS_PER_SPACING = 16;

/** What float32 positions cannot hold: particles too near together, too far apart, or too far away from the origin. */
export function refuseUnholdable(
  bodies: readonly BodyRecord[],
  obstacles: readonly Obstacle[],
  constraints: readonly ConstraintRecord[],
): void {
  const problems: Problem[] = [];
  const sources = bodies.filter(({ emitter }) => emitter);
  let finest = Infinity;
  for (const [b, record] of bodies.entries()) {
    const { samples, emitter, initial, longestSide } = record;
    const present = record.matter.isViscoplastic ? withoutFreeSlots(samples) : samples;
    const path = emitter ? `emitters[${sources.indexOf(record)}]` : `bodies[${b}]`;
    let spacing = Infinity;
    for (let i = 0; i < present.count; i++) spacing = Math.min(spacing, present.rest[4 * i + 3]!);
    finest = Math.min(finest, spacing);
    if (!(spacing >= SHORTEST_LENGTH && spacing <= LONGEST_SPACING)) {
      const range = `from ${SHORTEST_LENGTH.toExponential()} to ${LONGEST_SPACING.toExponential()} m`;
      const key = record.options.spacing === undefined && !emitter ? 'shape' : 'spacing';
      const message = `puts particles ${spacing.toPrecision(3)} m apart, they must be ${range}`;
      problems.push({ path: `${path}.${key}`, message });
      continue;
    }
    const far = length(initial.origin) + longestSide;
    problems.push(...tooFar(`${path}.position`, far, spacing));
    for (const [c, { options }] of constraints.entries()) {
      const { body, move } = options;
      for (const [k, { position }] of (body === record.options.name ? move : []).entries()) {
        problems.push(...tooFar(`constraints[${c}].move[${k}].position`, far + length(position), spacing));
      }
    }
  }
  for (const [k, { options }] of obstacles.entries()) {
    const moved = options.keyframes.map(({ position }) => length(position));
    const far = length(options.position) + Math.max(0, ...moved) + curvedRadius(options.shape);
    const path = 'plane' in options.shape && length(options.position) === 0 ? 'shape.plane.offset' : 'position';
    problems.push(...tooFar(`obstacles[${k}].${path}`, far, finest));
  }
  if (problems.length > 0) throw new OptionError(problems);
}

function tooFar(path: string, distance: number, spacing: number): Problem[] {
  const range = (spacing * 2 ** 23) / STEPS_PER_SPACING;
  if (distance <= range) return [];
  const message =
    `reaches ${distance.toPrecision(3)} m from the origin: float32 positions of particles ${spacing.toPrecision(3)} m apart ` +
    `must be within ${range.toPrecision(2)} m: move everything nearer, or use a larger spacing`;
  return [{ path, message }];
}

/** What distances to an obstacle are the difference to, on top of its position [m]. */
function curvedRadius(shape: ObstacleShape): number {
  if ('plane' in shape) return Math.abs(shape.plane.offset);
  if ('sphere' in shape) return shape.sphere.radius;
  if ('cylinder' in shape) return shape.cylinder.radius;
  if ('capsule' in shape) return shape.capsule.radius;
  return 'torus' in shape ? shape.torus.radius : 0;
}

/** Implicit steps are for solids with a rest shape, and for the rigid bodies beside them. */
export function refuseIntegrator(bodies: readonly BodyRecord[], { solid, contact }: SolverOptions): void {
  const { integrator } = solid;
  if (integrator === 'explicit' || integrator === 'verlet') return;
  if (contact.surfaces) {
    const message = `must be false unless solver.solid.integrator is explicit or verlet, got true with "${integrator}"`;
    throw new OptionError([{ path: 'solver.contact.surfaces', message }]);
  }
  const refuse = (message: string): never => {
    throw new OptionError([{ path: 'solver.solid.integrator', message: `${message}, got "${integrator}"` }]);
  };
  if (!bodies.some(({ matter }) => matter.isSolid || matter.phase === 'melt')) {
    refuse('has no effect without a body of kind solid or a melt');
  }
  const driven = bodies.find(({ options }) => {
    const { limits, motor } = driveOf(options.joint);
    return limits !== undefined || motor !== undefined;
  });
  if (driven)
    refuse(`must be explicit or verlet beside a joint with limits or a motor, that of "${driven.options.name}"`);
}

/** What bodies that can break cannot be combined with. */
export function refuseBreakable(bodies: readonly BodyRecord[], { solid }: SolverOptions): void {
  const problems: Problem[] = [];
  for (const [b, { breaks, options, matter }] of bodies.entries()) {
    if (!breaks) continue;
    if ((options.discretisation ?? solid.discretisation) === 'quadratic') {
      const path = options.discretisation ? `bodies[${b}].discretisation` : 'solver.solid.discretisation';
      problems.push({
        path,
        message: `must be linear for "${options.name}", which can break: it has a tensileStrength`,
      });
    }
    if (matter.isViscoplastic) {
      const path = `bodies[${b}].discretisation`;
      problems.push({
        path,
        message: `cannot be ${options.discretisation} for "${options.name}", which can break: it has a tensileStrength`,
      });
    }
    if (solid.integrator === 'implicit' || solid.integrator === 'midpoint') {
      const message = `must be explicit or verlet, as "${options.name}" can break: it has a tensileStrength; got "${solid.integrator}"`;
      problems.push({ path: 'solver.solid.integrator', message });
    }
  }
  if (problems.length > 0) throw new OptionError(problems);
}

/** Bodies from number `first` on are new. */
export function refuseOverlap(model: WorldModel, bodies: readonly BodyRecord[], first: number): void {
  const records = model.solids;
  const overlap = findOverlap(solidClouds(model), first);
  if (!overlap) return;
  const [a, second] = overlap.bodies;
  const b = bodies.indexOf(records[second]!);
  const where = overlap.at.map((x) => x.toPrecision(3)).join(', ');
  const other = records[a]!.options.name;
  throw new OptionError([
    {
      path: `bodies[${b}].position`,
      message: `lets it overlap "${other}" at the start, near (${where}) m: move one of them`,
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

/** A liquid of which everything is inside something else would be a run of nothing. */
export function refuseNothingLeft({ fluid }: WorldModel, bodies: readonly BodyRecord[]): void {
  const liquids = bodies.filter(({ matter }) => matter.isFluid);
  for (const [k, buried] of (fluid?.buried ?? []).entries()) {
    const { options, samples } = liquids[k]!;
    if (buried === 0 || buried < samples.count) continue;
    const message =
      `leaves nothing of the liquid "${options.name}": all its ${buried} particles are inside obstacles or ` +
      'other bodies: move one of them';
    throw new OptionError([{ path: `bodies[${bodies.indexOf(liquids[k]!)}].position`, message }]);
  }
}

/** Steps that are too short for frames of `frame` seconds from the start, or after an event that is to come. */
export function refuseShortSteps(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  events: readonly (EventOptions & { readonly path: string })[],
  solver: SolverOptions,
  frame: number,
): void {
  const shortest = SHORTEST_SHARE * frame;
  const refuse = (path: string, limit: StepLimit) => {
    const body = bodies.find(({ options }) => options.name === limit.body);
    const got = body && limit.limitedBy === 'elastic wave' ? `; got ${describeStiffness(body.material)}` : '';
    throw new OptionError([{ path, message: `asks for ${describeShort(limit, frame)}${got}` }]);
  };
  const outer = model.stepper.previewStep();
  // Liquids have a shortest step of their own.
  if (!(outer.timeStep >= Math.max(shortest, model.fluid ? SHORTEST : 0))) {
    refuse(pathOfLimit(outer, bodies, solver), outer);
  }
  const inner = model.stepper.previewSubstep();
  if (inner && !(inner.timeStep >= shortest)) refuse(pathOfLimit(inner, bodies, solver), inner);
  if (model.elastic.implicit) return;
  const materials = new Map<string, Material>();
  for (const { body: name, set, path } of events) {
    const b = model.solids.findIndex(({ options }) => options.name === name);
    const record = model.solids[b];
    if (!record?.matter.isSolid) continue;
    const after: Material = { ...(materials.get(name) ?? record.material), ...set };
    materials.set(name, after);
    const timeStep = restStep(model, b, record.material, after, solver.safety);
    if (timeStep >= shortest) continue;
    const message = `asks for ${describeShort({ timeStep, limitedBy: 'elastic wave' }, frame)}; got ${describeStiffness(after)}`;
    throw new OptionError([{ path: `${path}.set`, message }]);
  }
}

/** The step of a body at rest that has another material than it has now; damping apart. */
function restStep(model: WorldModel, b: number, now: Material, after: Material, safety: number): number {
  const speed2 = (material: Material) => {
    const { lambda, mu, volumeStiffness } = elasticConstants(material);
    return (lambda + 2 * mu + volumeStiffness) / material.density;
  };
  const { lambda, mu, volumeStiffness } = elasticConstants(now);
  const perModulus = 1 / model.store.bodyFloats(b)[layout.BODY_STEP_MODULUS / 4]!;
  const frequency2 = ((lambda + 2 * mu + volumeStiffness) * perModulus * speed2(after)) / speed2(now);
  return frequency2 > 0 ? (2 * safety) / Math.sqrt(frequency2) : Number.POSITIVE_INFINITY;
}

function describeStiffness({ youngsModulus, poissonsRatio, density, damping }: Material): string {
  const damped = damping > 0 ? `, damping ${damping}` : '';
  return `youngsModulus ${youngsModulus}, poissonsRatio ${poissonsRatio}, density ${density}${damped}`;
}

/** What to look at when steps are short. */
function pathOfLimit({ limitedBy, body }: StepLimit, bodies: readonly BodyRecord[], solver: SolverOptions): string {
  if (limitedBy === 'maxTimeStep') {
    return solver.fluid.maxTimeStep < solver.maxTimeStep ? 'solver.fluid.maxTimeStep' : 'solver.maxTimeStep';
  }
  if (limitedBy !== 'speed' && limitedBy !== 'liquid speed') {
    const named = bodies.findIndex(({ options }) => options.name === body);
    return named < 0 ? 'bodies' : `bodies[${named}].material`;
  }
  const speeds = bodies.map(({ options: { velocity: given, angularVelocity, twist }, longestSide }) => {
    // Formulas are looked at first: nobody knows how large they get.
    const velocity: Vec3 = isConstant(given) ? given : [Infinity, 0, 0];
    const of = {
      velocity: length(velocity),
      angularVelocity: length(angularVelocity) * longestSide,
      twist: length(twist) * longestSide,
    };
    return Object.entries(of).reduce((a, b) => (b[1] > a[1] ? b : a));
  });
  const fastest = speeds.reduce((a, [, speed], k) => (speed > speeds[a]![1] ? k : a), 0);
  return `bodies[${fastest}].${speeds[fastest]![0]}`;
}

/**
 * Sources of heat that take more out of a world, or put more into it, from now to the time `end` than what is in it
 * can give or take. For worlds that exchange heat with nothing else.
 */
export function refuseHeat(model: WorldModel, heats: readonly HeatOptions[], end: number): void {
  const powers = heats.map(({ power = 0, ...source }) => {
    const duration = Math.min(end, source.end) - Math.max(model.elastic.time, source.start);
    return power * Math.max(0, duration);
  });
  const total = powers.reduce((sum, heat) => sum + heat, 0);
  const { coldest, hottest } = model.heat!.reserves();
  if (total >= coldest && total <= hottest) return;
  const k = powers.indexOf(total < 0 ? Math.min(...powers) : Math.max(...powers));
  const message =
    `${total < 0 ? 'takes out' : 'puts in'} ${Math.abs(powers[k]!).toPrecision(3)} J by the time ${end} s, where ` +
    `${Math.abs(total < 0 ? coldest : hottest).toPrecision(3)} J lead to ${total < 0 ? COLDEST : HOTTEST} degrees C: ` +
    `lower it, or let it end sooner; got ${heats[k]!.power}`;
  throw new OptionError([{ path: `heat[${k}].power`, message }]);
}

/** Throws if there are problems with what is at a path. */
export function refuse(path: string, problems: readonly RigidProblem[]): void {
  if (problems.length === 0) return;
  throw new OptionError(
    problems.map((problem) => ({ path: formatPath(problem.path, path), message: problem.message })),
  );
}

/** Changes of a material that would have no effect. */
export function refuseIneffective({ material, options, matter }: BodyRecord, set: EventOptions['set']): void {
  if (matter.isViscoplastic && set.density !== undefined) {
    refuse('', [{ path: ['set', 'density'], message: 'cannot change in a body whose particles split and merge' }]);
  }
  refuse('', changeProblems({ ...options, material }, set));
  const problems = ineffectiveKeys(material, set).map(({ key, message }) => ({ path: `set.${key}`, message }));
  if (problems.length > 0) throw new OptionError(problems);
}
