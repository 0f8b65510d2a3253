/** What heats and cools bodies. */
import { type HeatInput, resolveHeat } from '../../options/index.js';
import { heatSchema } from '../../options/parameters.js';
import { emptyRegion, particlesIn } from '../../solvers/constraints/constraints.js';
import type { WorldContents } from '../contents.js';
import type { SceneItem } from './item.js';

export const heat: SceneItem<typeof heatSchema> = {
  schema: heatSchema,
  text: 'What heats and cools bodies.',
  bodyOf: ({ body }) => body,
  list: (world) => world.heats,
  add: addHeat,
};

export function addHeat(world: WorldContents, input: HeatInput): void {
  const options = resolveHeat(input);
  const { samples, initial, emitter } = world.requireBody(options.body);
  const path = `heat[${world.heats.length}]`;
  const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region);
  if (chosen.length === 0 || (emitter && !('all' in options.region))) throw emptyRegion(`${path}.region`, options.body);
  world.change();
  world.heats.push(options);
}
