/** Where liquid comes into the world. */
import { describeValue } from '../../options/errors.js';
import { type EmitterInput, resolveEmitter } from '../../options/index.js';
import { sceneEmitterSchema } from '../../options/parameters.js';
import type { EmitterOptions } from '../../options/types.js';
import { type Body, makeSource } from '../bodies.js';
import type { WorldContents } from '../contents.js';
import { addRecord, refuseName } from './bodies.js';
import type { SceneItem } from './item.js';
import { scaledCount } from './scaled-count.js';

/** Most particles that one source may ask for. */
const MOST_EMITTED = 8_388_607;

export const emitters: SceneItem<typeof sceneEmitterSchema, EmitterOptions> = {
  schema: sceneEmitterSchema,
  text: 'Where liquid comes into the world.',
  isNamed: true,
  complete: (emitter, i, materialOf) => ({
    ...emitter,
    name: emitter.name ?? `emitter${i + 1}`,
    material: materialOf(emitter.material),
  }),
  check({ name }, { bodies }, report) {
    if (bodies.some((body) => body.name === name)) report(['name'], `${describeValue(name)} is the name of a body`);
  },
  scale: (emitter, factor) => ({
    ...emitter,
    spacing: emitter.spacing / factor,
    maxParticles: scaledCount(emitter.maxParticles, factor, MOST_EMITTED),
  }),
  add: addEmitter,
};

export function addEmitter(world: WorldContents, input: EmitterInput): Body {
  const emitter = resolveEmitter(input);
  refuseName(world, emitter.name);
  return addRecord(world, makeSource(emitter));
}
