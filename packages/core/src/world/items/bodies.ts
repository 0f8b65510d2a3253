/** What is simulated. */

import { scoreProblems } from '../../options/bodies.js';
import { OptionError } from '../../options/errors.js';
import { type BodyInput, resolveBody } from '../../options/index.js';
import { isBasic } from '../../options/made-shapes.js';
import { ineffectiveKeys, sceneBodySchema } from '../../options/parameters.js';
import { completeBody } from '../../options/resolve.js';
import type { BodyOptions, DescribedBody } from '../../options/types.js';
import { type Body, makeBody, type PointSamples } from '../bodies.js';
import type { WorldContents } from '../contents.js';
import type { BodyRecord } from '../model.js';
import type { SceneItem } from './item.js';
import { scaledCount } from './scaled-count.js';

/** Most particles that one body may ask for. */
const MOST_PARTICLES = 1e9;

export const bodies: SceneItem<typeof sceneBodySchema, DescribedBody> = {
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
  const described = resolveBody(input);
  refuseName(world, described.name);
  const options = withBasicShape(world, described);
  return addRecord(world, makeBody(world.engine, options, (world.seed + world.bodies.length) >>> 0, points));
}

/** What a vessel holds is found where obstacles and bodies that are there have been put. */
function withBasicShape(world: WorldContents, body: DescribedBody): BodyOptions {
  const { shape, ...rest } = body;
  if (isBasic(shape)) return { ...rest, shape };
  const { basicShape, filledBody } = makerOf(world);
  if (!('fill' in shape)) return { ...rest, shape: basicShape(shape) };
  const around = {
    obstacles: world.obstacles.map(({ options }) => options),
    bodies: world.bodies.filter(({ emitter }) => !emitter).map(({ options }) => options),
  };
  return { ...rest, shape: { mesh: { data: filledBody(rest, shape.fill, around) } } };
}

export function makerOf({ shapes }: WorldContents): NonNullable<WorldContents['shapes']> {
  if (shapes) return shapes;
  throw new OptionError([{ path: 'shape', message: 'must be a basic one or a mesh in this world' }]);
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
