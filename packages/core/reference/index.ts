/**
 * The core passes once more, in plain double-precision TypeScript: readable beside the papers, the
 * oracle of the tests and the baseline of the benchmarks.
 */
export {
  bulkConstants,
  type EnergyConstants,
  type IsotropicMaterial,
  sheetConstants,
  stringConstants,
  viscousTime,
} from './constants.js';
export { type ContactParticles, contactForces } from './contact.js';
export { type Dashpots, dashpotForces } from './dashpots.js';
export { type HeatGeometry, type HeatParticle, heatPairs } from './heat.js';
export { eigenSymmetric, gradientWeights, type Moments, momentInverses, poly6Shape } from './moments.js';
export { findNeighbors, findNeighborsByBruteForce, type NeighborLists, nearestDistances } from './neighbors.js';
export { type RigidContact, rigidContactForce } from './rigid.js';
export { ReferenceSolid, type ReferenceSolidOptions, type SolidEnergy } from './solid.js';
