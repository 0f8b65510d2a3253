export { type Declaration, declarationOf, describeRange } from './declare.js';
export { formatPath, formatProblem, OptionError, type Path, type Problem, SceneError, suggest } from './errors.js';
export { ROOM_TEMPERATURE } from './heat.js';
export type * from './inputs.js';
export { isPrepared, meshFilesOf, type NamedFile } from './made-shapes.js';
export { materialParameters } from './material-parameters.js';
export {
  DEFAULT_PARTICLES,
  materialFields,
  materialSchema,
  meshPathProblem,
  probeColumns,
  probeQuantities,
  solverSchema,
  tensorColumns,
} from './parameters.js';
export { type Matter, matterOf, type Phase, phaseOf } from './phase.js';
export { MATERIAL_PRESETS, type MaterialPreset } from './presets.js';
export {
  resolveBody,
  resolveConstraint,
  resolveEmitter,
  resolveEvent,
  resolveHeat,
  resolveMaterial,
  resolveObstacle,
  resolveProbe,
  resolveSink,
  resolveWorldOptions,
} from './resolve.js';
export type * from './types.js';
