export { type LinearColor, mapColor, toOklab } from './color-map.js';
export {
  LiquidSurfacer,
  type SurfaceAttribute,
  SurfaceError,
  type SurfaceMesh,
  type SurfaceOptions,
  type SurfaceParticles,
} from './liquid.js';
export { type SmoothedMesh, splitAtCreases, vertexNormals } from './normals.js';
export { refineMesh } from './refine.js';
export { type RestMesh, restMesh } from './rest-mesh.js';
export { fitRigidPose, movePoints } from './rigid-pose.js';
export { bodyPose, obstaclePlane, obstaclePose, type PlaneAt, shapeMesh } from './shape-mesh.js';
export { Skin, type SkinBinding } from './skin.js';
export { Skinner, type Skinning } from './skinner.js';
