export { Bvh, type ClosestPoint } from './bvh.js';
export { type DistanceGrid, signedDistanceGrid } from './distance-grid.js';
export { MeshError } from './error.js';
export { forEachMeshLayer, isInside } from './inside.js';
export { type Measures, type MeshMeasures, measureSolid, meshMeasures } from './measures.js';
export { type Resolve, readMesh } from './read.js';
export type { PointGrid } from './rows.js';
export { type MeshSolid, prepareSolid, type SolidReport } from './solid.js';
export { weldVertices } from './weld.js';
