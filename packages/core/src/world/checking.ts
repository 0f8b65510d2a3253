/** What can be said about a world before it moves. */
import { ROOM_TEMPERATURE, THERMAL_KEYS } from '../options/heat.js';
import type { WorldContents } from './contents.js';
import { type BodyRecord, temperatureAtStart } from './model.js';
import { refuseHeat, refuseShortSteps } from './refusals.js';
import { setupWarnings } from './warnings.js';

/** Hottest of a body's particles at the start [degrees C], where it says something. */
function hottestAtStart(body: BodyRecord): number | undefined {
  const { temperature } = body.emitter ?? body.options;
  if (typeof temperature !== 'string') return temperature;
  const temperatureOf = temperatureAtStart(body, 0);
  let hottest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < body.samples.count; k++) hottest = Math.max(hottest, temperatureOf(k));
  return hottest;
}

export function warningsOf(world: WorldContents): readonly string[] {
  const outside = [
    ...(world.isThermal ? [world.temperature ?? ROOM_TEMPERATURE] : []),
    ...[...world.heats, ...world.obstacles.map(({ options }) => options)].flatMap(
      ({ temperature }) => temperature ?? [],
    ),
    ...world.bodies.flatMap((body) => hottestAtStart(body) ?? []),
  ];
  return setupWarnings(world.ready(), world.bodies, world.described, Math.max(...outside), world.solver);
}

export function checkHeat(world: WorldContents, end: number): void {
  world.refuseDisposed();
  const exchanges =
    world.heatTransfer > 0 ||
    world.sinks.length > 0 ||
    world.bodies.some(({ emitter }) => emitter) ||
    world.obstacles.some(({ options }) => options.temperature !== undefined) ||
    world.heats.some(({ temperature }) => temperature !== undefined) ||
    world.events.some(({ set }) => Object.keys(set).some((key) => THERMAL_KEYS.includes(key)));
  if (world.heats.length > 0 && !exchanges) refuseHeat(world.ready(), world.heats, end);
}

export function checkSteps(world: WorldContents, frame: number): void {
  world.refuseDisposed();
  const events = world.events
    .slice(world.eventsDone)
    .map((event) => ({ ...event, path: `events[${world.eventOrder.indexOf(event)}]` }));
  refuseShortSteps(world.ready(), world.bodies, events, world.solver, frame);
}
