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
export { fitRigidPose, movePoints } from './rigid-pose.js';
export { bodyPose, obstaclePlane, obstaclePose, type PlaneAt, shapeMesh } from './shape-mesh.js';
export { Skin } from './skin.js';
export { Skinner, type Skinning } from './skinner.js';
