/** Changes of materials at given times. */
import { resolveEvent } from '../../options/index.js';
import type { EventInput } from '../../options/inputs.js';
import { eventSchema, ineffectiveKeys } from '../../options/parameters.js';
import { changeProblems } from '../../options/rigid.js';
import { setMaterial } from '../changing.js';
import type { WorldContents } from '../contents.js';
import { refuseIneffective } from '../refusals.js';
import type { SceneItem } from './item.js';

export const events: SceneItem<typeof eventSchema> = {
  schema: eventSchema,
  text: 'Changes at given times.',
  bodyOf: ({ body }) => body,
  check({ body: name, set }, { bodies, emitters }, report) {
    const body = [...bodies, ...emitters].find((candidate) => candidate.name === name);
    if (!body) return;
    for (const { path, message } of changeProblems(body, set)) report(path, message);
    for (const { key, message } of ineffectiveKeys(body.material, set)) report(['set', key], message);
  },
  list: (world) => world.events,
  add: addEvent,
  nextTime,
  act(world) {
    while (nextTime(world) <= world.time) {
      const { body, set } = world.events[world.eventsDone]!;
      world.eventsDone++;
      setMaterial(world, body, set);
    }
  },
};

function nextTime({ events, eventsDone }: WorldContents): number {
  return events[eventsDone]?.time ?? Number.POSITIVE_INFINITY;
}

export function addEvent(world: WorldContents, input: EventInput): void {
  const options = resolveEvent(input);
  refuseIneffective(world.requireBody(options.body), options.set);
  world.events.push(options);
  world.eventOrder.push(options);
  const pending = world.events.splice(world.eventsDone).sort((a, b) => a.time - b.time);
  world.events.push(...pending);
}
