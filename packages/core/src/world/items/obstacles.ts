/** What bodies bump into. */
import { type ObstacleInput, resolveObstacle } from '../../options/index.js';
import { isBasic } from '../../options/made-shapes.js';
import { sceneObstacleSchema } from '../../options/parameters.js';
import type { DescribedObstacle, ObstacleOptions } from '../../options/types.js';
import type { WorldContents } from '../contents.js';
import { meshOf } from '../obstacles.js';
import { makerOf } from './bodies.js';
import type { SceneItem } from './item.js';

export const obstacles: SceneItem<typeof sceneObstacleSchema, DescribedObstacle> = {
  schema: sceneObstacleSchema,
  text: 'What bodies bump into.',
  isNamed: true,
  complete: (obstacle, i) => ({ ...obstacle, name: obstacle.name ?? `obstacle${i + 1}` }),
  add: addObstacle,
};

export function addObstacle(world: WorldContents, input: ObstacleInput): void {
  const { shape, ...rest } = resolveObstacle(input);
  const options: ObstacleOptions = { ...rest, shape: isBasic(shape) ? shape : makerOf(world).basicShape(shape) };
  const mesh = 'mesh' in options.shape ? meshOf(options.shape.mesh, options.name) : undefined;
  world.change();
  world.obstacles.push({ options, mesh });
  world.refuseLate(() => world.obstacles.pop());
}
