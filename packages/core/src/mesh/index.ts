export { Bvh } from './bvh.js';
export { type Closedness, meshClosedness } from './closedness.js';
export { signedDistanceGrid } from './distance-grid.js';
export { MeshError } from './error.js';
export { meshMeasures } from './measures.js';
export { type Resolve, readMesh } from './read.js';
export { weldMap } from './weld.js';
