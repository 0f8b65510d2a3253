/** Who pushes whom: contacts and forces of the last frame, where somebody asks for them; see solvers/meter.ts. */
import { OptionError } from '../options/errors.js';
import type { ProbeOptions, Vec3 } from '../options/types.js';
import { newForceState, pairOf } from '../solvers/pushes.js';
import type { WorldContents } from './contents.js';
import { attachMeter } from './metering.js';

/** Two that touched in the last frame. */
export interface Contact {
  /** A body. */
  readonly body: string;
  /** What it touched: another body, or an obstacle. */
  readonly other: string;
  readonly isObstacle: boolean;
  /** What it has given to the body in the frame [N s], and the mean force [N]. */
  readonly impulse: Vec3;
  readonly force: Vec3;
  /** Where: the mean of the points that touched, by their impulses [m]. */
  readonly point: Vec3;
  /** Direction of the impulse on the body [1]. */
  readonly normal: Vec3;
  /** Particles that touched, at most at a time; of exact shapes the points of contact. */
  readonly points: number;
  /** Did it not touch in the frame before, did it, or does it no more? */
  readonly phase: 'begins' | 'lasts' | 'ends';
}

/** From now on it is noted who pushes whom. */
export function watchForces(world: WorldContents): void {
  world.refuseDisposed();
  if (world.forceState) return;
  world.forceState = newForceState();
  if (world.model) {
    attachMeter(world, world.model, world.forceState);
    world.model.elastic.meter!.note();
  }
}

/** A frame begins: what was noted of the last one is forgotten. */
export function beginWatch({ forceState: state }: WorldContents): void {
  if (!state) return;
  state.before = state.pushes.filter(({ size }) => size > 0).map(pairOf);
  state.pushes = [];
  state.holds = [];
  state.seconds = 0;
}

const nameOf = (party: string) => party.slice(party.indexOf(':') + 1);

export function contactsOf(world: WorldContents): Contact[] {
  watchForces(world);
  const { pushes, before, seconds } = world.forceState!;
  const known = new Set(before);
  const touching = pushes.filter(({ size }) => size > 0);
  const now = new Set(touching.map(pairOf));
  const described = touching.map((push): Contact => {
    const { on, from, impulse, size, moment, points } = push;
    const norm = Math.sqrt(impulse[0] ** 2 + impulse[1] ** 2 + impulse[2] ** 2);
    const scaled = ([x, y, z]: readonly number[], by: number): Vec3 => [x! * by, y! * by, z! * by];
    return {
      body: nameOf(on),
      other: nameOf(from),
      isObstacle: from.startsWith('obstacle:'),
      impulse: [...impulse],
      force: scaled(impulse, seconds > 0 ? 1 / seconds : 0),
      point: scaled(moment, 1 / size),
      normal: scaled(impulse, norm > 0 ? 1 / norm : 0),
      points,
      phase: known.has(pairOf(push)) ? 'lasts' : 'begins',
    };
  });
  const ended = before
    .filter((pair) => !now.has(pair))
    .map((pair): Contact => {
      const [on, from] = pair.split('\n') as [string, string];
      const none: Vec3 = [0, 0, 0];
      const isObstacle = from.startsWith('obstacle:');
      const parties = { body: nameOf(on), other: nameOf(from), isObstacle };
      return { ...parties, impulse: none, force: none, point: none, normal: none, points: 0, phase: 'ends' };
    });
  return [...described, ...ended].sort(
    (a, b) => order(a.body, b.body) || order(a.other, b.other) || Number(a.isObstacle) - Number(b.isObstacle),
  );
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The mean force of a frame on a body or an obstacle [N]; not a number before the first that was watched. */
export function measureForce(world: WorldContents, probe: ProbeOptions): number[] {
  watchForces(world);
  const { pushes, seconds } = world.forceState!;
  const party = partyOf(world, probe.body, probe.obstacle, 'body');
  const from = probe.from === undefined ? undefined : partyOf(world, probe.from, undefined, 'from');
  // The solid phase of melts meets obstacles within the step of the liquid, which is not noted.
  const melts = world.model?.fluid?.elastic !== undefined;
  const flows = (name: string | undefined) =>
    world.bodies.some(({ options, matter }) => options.name === name && matter.isFluid);
  if (melts && (probe.obstacle !== undefined || flows(probe.body) || flows(probe.from))) {
    return [Number.NaN, Number.NaN, Number.NaN];
  }
  const sum = [0, 0, 0];
  for (const push of pushes) {
    const sign = push.on === party ? 1 : push.from === party ? -1 : 0;
    const other = sign > 0 ? push.from : push.on;
    if (sign === 0 || (from !== undefined && other !== from)) continue;
    for (let a = 0; a < 3; a++) sum[a]! += sign * push.impulse[a]!;
  }
  return sum.map((impulse) => (seconds > 0 ? unsigned(impulse / seconds) : Number.NaN));
}

const unsigned = (x: number) => x + 0;

/** The name of a body or obstacle as the meter has it. */
function partyOf(world: WorldContents, name: string | undefined, obstacle: string | undefined, path: string): string {
  const isBody = world.bodies.some(({ options }) => options.name === name);
  if (name !== undefined && isBody) return `body:${name}`;
  const wanted = obstacle ?? name;
  if (world.obstacles.some(({ options }) => options.name === wanted)) return `obstacle:${wanted}`;
  const known = [...world.bodies, ...world.obstacles].map(({ options }) => `"${options.name}"`).join(', ');
  throw new OptionError([
    {
      path: obstacle === undefined ? path : 'obstacle',
      message: `"${wanted}" is not in the world; there are ${known}`,
    },
  ]);
}

/** The mean force of constraints on what they hold or move in a frame [N]. */
export function measureReaction(world: WorldContents, { body, constraint }: ProbeOptions): number[] {
  watchForces(world);
  const { holds, seconds } = world.forceState!;
  const sum = [0, 0, 0];
  let found = false;
  for (const [c, { options }] of world.constraints.entries()) {
    if (constraint !== undefined && options.name !== constraint) continue;
    if (body !== undefined && options.body !== body) continue;
    found = true;
    for (let a = 0; a < 3; a++) sum[a]! += holds[c]?.[a] ?? 0;
  }
  if (!found) {
    const wanted = constraint === undefined ? (body === undefined ? 'any' : `of "${body}"`) : `named "${constraint}"`;
    const path = constraint === undefined ? 'quantity' : 'constraint';
    const message = `reaction needs a constraint: there is none ${wanted}; give one a name and fix or move`;
    throw new OptionError([{ path, message }]);
  }
  return sum.map((impulse) => (seconds > 0 ? unsigned(impulse / seconds) : Number.NaN));
}
