export { SceneError } from '../options/errors.js';
export { parseScene } from './parse.js';
export { scaleScene } from './scale.js';
export { inputJsonSchema, resolveScene, sceneJsonSchema } from './schema.js';
export { serializeScene } from './serialize.js';
export type { Location, SceneSource } from './source.js';
