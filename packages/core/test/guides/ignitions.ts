import type * as z from 'zod';
import { LARGEST, name, number, object } from '../../src/options/declare.js';
import { HOTTEST } from '../../src/options/heat.js';
import { setTemperature } from '../../src/world/changing.js';
import type { WorldContents } from '../../src/world/contents.js';
import type { SceneItem } from '../../src/world/items/item.js';

const schema = object(
  {
    time: number({ unit: 's', atLeast: 0, atMost: LARGEST, text: 'When it happens.' }),
    body: name('The body that is set alight.'),
    temperature: number({ unit: 'degrees C', above: 0, atMost: HOTTEST, default: 800, text: 'How hot it is then.' }),
  },
  { id: 'Ignition', text: 'Sets a body alight.' },
);

/** Those that have not happened yet. */
const waiting = (world: WorldContents) => world.listOf<z.output<typeof schema>>('ignitions');

export const ignitions: SceneItem<typeof schema> = {
  schema,
  text: 'Bodies that are set alight at given times.',
  bodyOf: ({ body }) => body,
  list: waiting,
  nextTime: (world) => Math.min(...waiting(world).map(({ time }) => time)),
  act(world) {
    const list = waiting(world);
    for (const ignition of list.filter(({ time }) => time <= world.time)) {
      list.splice(list.indexOf(ignition), 1);
      setTemperature(world, ignition.body, ignition.temperature, { all: true });
    }
  },
};
