/** Constraints of a world: added, begun, ended and released while it moves. */
import { DISPLACEMENT_FLOWS, EMITTED_AT_REST } from '../options/actions.js';
import { type ConstraintInput, OptionError, resolveConstraint } from '../options/index.js';
import { rigidConstraintProblems } from '../options/rigid.js';
import type { ConstraintOptions, Vec3 } from '../options/types.js';
import { findClamp } from '../solvers/constraints/clamp.js';
import { emptyRegion, isInside, particlesIn } from '../solvers/constraints/constraints.js';
import { beginsWithHold, type ConstraintRecord, type Hold, takeHold } from '../solvers/constraints/hold.js';
import type { WorldContents } from './contents.js';
import { refuse } from './refusals.js';

/** A constraint that a program added. */
export interface Constraint {
  /** Lets go; what was held moves on. */
  release(): void;
}

export function addConstraint(world: WorldContents, input: ConstraintInput): Constraint {
  const given = resolveConstraint(input);
  const options = { ...given, start: Math.max(given.start, world.time) };
  const { samples, initial, emitter, matter } = world.requireBody(options.body);
  const path = `constraints[${world.constraints.length}]`;
  if (options.end <= world.time) {
    const message = `must be after now, ${world.time} s, got ${options.end}`;
    throw new OptionError([{ path: `${path}.end`, message }]);
  }
  if (options.displacement && matter.flows) {
    throw new OptionError([{ path: `${path}.displacement`, message: DISPLACEMENT_FLOWS }]);
  }
  if (options.displacement && world.time > 0) {
    const message = 'must be given before the first step, as it counts from the positions at time 0';
    throw new OptionError([{ path: `${path}.displacement`, message }]);
  }
  if (matter.isRigid) refuse(path, rigidConstraintProblems(options));
  if (options.regionTime === 'rest') {
    if (emitter) throw new OptionError([{ path: `${path}.regionTime`, message: EMITTED_AT_REST }]);
    const held = beginsWithHold(options, matter)
      ? particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region)
      : findClamp(samples, initial, options, 1).held;
    if (held.length === 0) throw emptyRegion(`${path}.region`, options.body);
  }
  world.change();
  const record: ConstraintRecord = { options };
  world.constraints.push(record);
  world.refuseLate(() => world.constraints.pop());
  return { release: () => release(world, record) };
}

function release(world: WorldContents, record: ConstraintRecord): void {
  if (world.disposed || record.options.end <= world.time) return;
  record.options = { ...record.options, end: world.time };
  // Clamps are part of the layout.
  world.model?.elastic.release();
  world.change();
}

/** Lets constraints that look at the particles when they begin do so, and forget them when they end. */
export function beginConstraints(world: WorldContents): void {
  for (const [c, record] of world.constraints.entries()) {
    const { start, end, body } = record.options;
    if (end <= world.time && record.hold) {
      if (record.bit !== undefined) world.ready().fluid!.letGo(record.bit);
      record.hold = undefined;
      record.bit = undefined;
    }
    if (record.hold || start > world.time || end <= world.time) continue;
    const { matter } = world.requireBody(body);
    if (!beginsWithHold(record.options, matter)) continue;
    record.hold = holdOf(world, record.options);
    if (record.hold.particles.length === 0) {
      world.notes.push(`constraints[${c}]: no particle of "${body}" was in its region when it began, at ${start} s`);
    }
    if (matter.isFluid) world.ready().fluid!.hold(record);
    else world.change();
  }
}

/** What a clamp lets go of becomes elastic again. */
export function releaseClamps(world: WorldContents): void {
  const { clampedUntil, elastic } = world.ready();
  if (clampedUntil > world.time) return;
  elastic.release();
  world.change();
  world.ready();
}

/** Does the force of a constraint begin or end now? The first half kick of a step is that of the step before. */
export function forcesTurn(world: WorldContents): boolean {
  if (world.time === 0) return false;
  return world.constraints.some(
    ({ options: { start, end, force } }) =>
      (start === world.time || end === world.time) && force.some((newton) => newton !== 0),
  );
}

function holdOf(world: WorldContents, { body: name, region, regionTime }: ConstraintOptions): Hold {
  const record = world.requireBody(name);
  const { samples, initial, matter } = record;
  const { begin, end } = world.described[world.bodies.indexOf(record)]!;
  const positions = world.read.positions().subarray(4 * begin, 4 * end);
  const masses = world.read.masses().subarray(begin, end);
  const present = Array.from(masses.keys()).filter((k) => positions[4 * k + 3] === 1);
  if (regionTime === 'start') {
    const at = (k: number): Vec3 => [positions[4 * k]!, positions[4 * k + 1]!, positions[4 * k + 2]!];
    return takeHold(
      present.filter((k) => isInside(region, at(k))),
      positions,
      masses,
    );
  }
  const chosen = new Set(particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region));
  const { elastic, locations: points, ranges } = world.ready();
  const ancestors = matter.isViscoplastic ? elastic.renewal!.ancestors() : undefined;
  const first = ancestors ? ranges[points[world.bodies.indexOf(record)]!.index]!.begin : 0;
  return takeHold(
    present.filter((k) => chosen.has((ancestors?.get(first + k) ?? first + k) - first)),
    positions,
    masses,
  );
}
