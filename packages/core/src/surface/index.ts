export { type ClearanceOptions, ObstacleClearance } from './clearance.js';
export { type LinearColor, mapColor, toOklab } from './color-map.js';
export { type DiscMesh, type Discs, discMesh } from './discs.js';
export {
  LiquidSurfacer,
  type SurfaceAttribute,
  SurfaceError,
  type SurfaceMesh,
  type SurfaceOptions,
  type SurfaceParticles,
} from './liquid.js';
export { splitAtWalls, verticesOnWall } from './liquid-walls.js';
export { type SmoothedMesh, splitAtCreases, vertexNormals } from './normals.js';
export { type PaintedMesh, paintPoints, type TexturePixels } from './paint.js';
export { CutMesh, type CutOptions, type PieceMesh } from './pieces/cut.js';
export { BodyPieces, gather, type Piece } from './pieces/pieces.js';
export { PointSurfacer } from './point-surfacer.js';
export {
  type BoundaryPoints,
  PointSurface,
  type PointSurfaceInput,
  type PointSurfaceOptions,
  type PointSurfaceReport,
} from './points/point-surface.js';
export { refineMesh } from './refine.js';
export {
  closedTriangles,
  type FlowingParticles,
  keptVertices,
  MeshGaps,
  MeshRemains,
} from './remains.js';
export { dressedMesh, type RestMesh, restMesh } from './rest-mesh.js';
export { fitRigidPose, movePoints } from './rigid-pose.js';
export { bodyPose, obstaclePlane, obstaclePose, type PlaneAt, shapeMesh } from './shape-mesh.js';
export { Skin, type SkinBinding } from './skin.js';
export { Skinner, type Skinning } from './skinner.js';
export { type SurfelSamples, sampleSurfels } from './surfel-sampling.js';
export { SurfelCloud, type SurfelReport, type SurfelState } from './surfels.js';
export { boundsOf, FLATTEST, isWall, planeMesh, type WallBounds, type WallMesh, wallMesh } from './walls.js';
