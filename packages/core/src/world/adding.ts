/** What is put into a world: bodies, sources, sinks, obstacles, heat and events. */
import { OptionError } from '../options/errors.js';
import {
  type BodyInput,
  type EmitterInput,
  type EventInput,
  type HeatInput,
  type ObstacleInput,
  resolveBody,
  resolveEmitter,
  resolveEvent,
  resolveHeat,
  resolveObstacle,
  resolveSink,
} from '../options/index.js';
import type { Region } from '../options/types.js';
import { emptyRegion, particlesIn } from '../solvers/constraints/constraints.js';
import { isEmbedded } from '../solvers/embedding/model.js';
import { type Body, makeBody, makeSource, type PointSamples } from './bodies.js';
import type { WorldContents } from './contents.js';
import type { BodyRecord } from './model.js';
import { meshOf } from './obstacles.js';
import { refuseIneffective } from './refusals.js';

export function addBody(world: WorldContents, input: BodyInput, points?: PointSamples): Body {
  const options = resolveBody(input);
  refuseName(world, options.name);
  if (isEmbedded(options) && world.stepCount > 0) {
    throw new OptionError([{ path: 'discretisation', message: 'embedded must be there from the start' }]);
  }
  return add(world, makeBody(world.engine, options, (world.seed + world.bodies.length) >>> 0, points));
}

export function addEmitter(world: WorldContents, input: EmitterInput): Body {
  const emitter = resolveEmitter(input);
  refuseName(world, emitter.name);
  return add(world, makeSource(emitter));
}

function refuseName(world: WorldContents, name: string): void {
  world.refuseDisposed();
  if (!world.bodies.some(({ options }) => options.name === name)) return;
  throw new OptionError([{ path: 'name', message: `"${name}" is the name of a body that is already there` }]);
}

function add(world: WorldContents, record: BodyRecord): Body {
  world.change();
  world.bodies.push(record);
  world.refuseLate(() => world.bodies.pop());
  return world.described.at(-1)!;
}

export function addSink(world: WorldContents, region: Region): void {
  const sink = resolveSink(region);
  world.change();
  world.sinks.push(sink);
}

export function addObstacle(world: WorldContents, input: ObstacleInput): void {
  const options = resolveObstacle(input);
  const mesh = 'mesh' in options.shape ? meshOf(options.shape.mesh, options.name) : undefined;
  world.change();
  world.obstacles.push({ options, mesh });
  world.refuseLate(() => world.obstacles.pop());
}

export function addHeat(world: WorldContents, input: HeatInput): void {
  const options = resolveHeat(input);
  const { samples, initial, emitter } = world.requireBody(options.body);
  const path = `heat[${world.heats.length}]`;
  const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region);
  if (chosen.length === 0 || (emitter && !('all' in options.region))) throw emptyRegion(`${path}.region`, options.body);
  world.change();
  world.heats.push(options);
}

export function addEvent(world: WorldContents, input: EventInput): void {
  const options = resolveEvent(input);
  refuseIneffective(world.requireBody(options.body), options.set);
  world.events.push(options);
  world.eventOrder.push(options);
  const pending = world.events.splice(world.eventsDone).sort((a, b) => a.time - b.time);
  world.events.push(...pending);
}
