export { Bvh } from './bvh.js';
export { type Closedness, meshClosedness } from './closedness.js';
export { MeshError } from './error.js';
export { meshMeasures } from './measures.js';
export { readMesh } from './read.js';
export { weldMap } from './weld.js';
