/** Phyxel: solids as particles. The only public door of the library. */
export { FramePacker } from './browser/packer.js';
export { quaternionFromMatrix } from './math/matrix3.js';
export { MemoryError } from './memory/arena.js';
export type { PassTiming } from './memory/engine.js';
export { setAssetFolder } from './memory/platform.js';
export { Bvh, type Closedness, MeshError, meshClosedness, meshMeasures, readMesh, weldMap } from './mesh/index.js';
export * from './options/index.js';
export { type Observed, reasonToStop } from './options/until.js';
export { type Samples, SamplingError, type SamplingQuality, sampleShape } from './sampling/index.js';
export {
  type Location,
  parseScene,
  resolveScene,
  type SceneSource,
  scaleScene,
  sceneJsonSchema,
  serializeScene,
} from './scene/index.js';
export { type LoadOptions, loadScene } from './scene/load.js';
export {
  bytesPerParticle,
  checkMemory,
  estimateCrumbs,
  estimateMelted,
  estimateMemory,
  estimateParticles,
  formatBytes,
  iterationBytes,
  type ReadMesh,
} from './scene/memory.js';
export { readMeshFile, readMeshSource } from './scene/mesh-file.js';
export { readMeshes } from './scene/meshes.js';
export { SimulationError } from './solvers/error.js';
export type { Grab } from './solvers/grab.js';
export type { Pose } from './solvers/motion.js';
export type { StepLimit, Substeps } from './solvers/step-limit.js';
export * from './surface/index.js';
export type { Energy, WorldSums } from './world/probes.js';
export type { Readings } from './world/readings.js';
export { SaveError, type Snapshot } from './world/save.js';
export type { BodyPoints, BodySurfels, SurfelOptions } from './world/surfaces.js';
export { largestPrincipal, principalValues, shearRates } from './world/tensors.js';
export {
  type Body,
  type BrokenPiece,
  type Constraint,
  type Contact,
  createWorld,
  type FrameProgress,
  type HeatReport,
  type PieceBirth,
  type PointSamples,
  type StepReport,
  World,
} from './world.js';
