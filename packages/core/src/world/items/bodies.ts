/** What is simulated. */

import { scoreProblems } from '../../options/bodies.js';
import { OptionError } from '../../options/errors.js';
import { type BodyInput, resolveBody } from '../../options/index.js';
import { ineffectiveKeys, sceneBodySchema } from '../../options/parameters.js';
import { completeBody } from '../../options/resolve.js';
import type { BodyOptions } from '../../options/types.js';
import { type Body, makeBody, type PointSamples } from '../bodies.js';
import type { WorldContents } from '../contents.js';
import type { BodyRecord } from '../model.js';
import type { SceneItem } from './item.js';
import { scaledCount } from './scaled-count.js';

/** Most particles that one body may ask for. */
const MOST_PARTICLES = 1e9;

export const bodies: SceneItem<typeof sceneBodySchema, BodyOptions> = {
  schema: sceneBodySchema,
  text: 'What is simulated; at least one.',
  isNamed: true,
  complete: (body, i, materialOf) => ({
    ...completeBody(body, `body${i + 1}`),
    material: materialOf(body.material),
  }),
  check({ material, regions, scores }, _, report) {
    for (const message of scoreProblems({ material, regions, scores })) report(['scores'], message);
    for (const [j, { set }] of regions.entries()) {
      for (const { key, message } of ineffectiveKeys(material, set)) report(['regions', j, 'set', key], message);
    }
  },
  scale: ({ spacing, particles, ...body }, factor) => ({
    ...body,
    ...(spacing === undefined ? {} : { spacing: spacing / factor }),
    ...(particles === undefined ? {} : { particles: scaledCount(particles, factor, MOST_PARTICLES) }),
  }),
  add: addBody,
};

export function addBody(world: WorldContents, input: BodyInput, points?: PointSamples): Body {
  const options = resolveBody(input);
  refuseName(world, options.name);
  return addRecord(world, makeBody(world.engine, options, (world.seed + world.bodies.length) >>> 0, points));
}

export function refuseName(world: WorldContents, name: string): void {
  world.refuseDisposed();
  if (!world.bodies.some(({ options }) => options.name === name)) return;
  throw new OptionError([{ path: 'name', message: `"${name}" is the name of a body that is already there` }]);
}

export function addRecord(world: WorldContents, record: BodyRecord): Body {
  world.change();
  world.bodies.push(record);
  world.refuseLate(() => world.bodies.pop());
  return world.described.at(-1)!;
}
