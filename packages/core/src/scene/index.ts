export { type Problem, SceneError } from '../options/errors.js';
export { parseScene } from './parse.js';
export { resolveScene, type SceneInput, sceneJsonSchema } from './schema.js';
export { serializeScene } from './serialize.js';
export type { Location, SceneSource } from './source.js';
