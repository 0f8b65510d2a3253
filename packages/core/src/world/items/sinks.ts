/** Regions where liquid leaves the world. */
import { sinkSchema } from '../../options/parameters.js';
import { resolveSink } from '../../options/resolve.js';
import type { SceneItem } from './item.js';

export const sinks: SceneItem<typeof sinkSchema> = {
  schema: sinkSchema,
  text: 'Regions where liquid leaves the world.',
  list: (world) => world.sinks,
  add(world, region) {
    const sink = resolveSink(region);
    world.change();
    world.sinks.push(sink);
  },
};
