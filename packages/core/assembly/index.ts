export { boundBuckets, findCandidates, linkCandidates, mostCandidates, renewCandidates } from './contact/candidates';
export { computeContactChanges, computeContactForces, computeSurface } from './contact/particles';
export { measureGaps } from './contact/obstacles';
export { fitRenewed, measureFits, measureFlow, noteStretches, takeShape, weighNeighbors } from './solid/renewal';
export { chooseOffsets, keepStresses, noteOffsets, placeOffsets } from './solid/renewal-offsets';
export {
  arrangeMembers,
  chooseNeighbors,
  computeRenewalCells,
  gatherCandidates,
  keepNeighbors,
  placeNeighbors,
} from './solid/renewal-search';
export { measureSampling } from './solid/sampling';
export {
  absorbElastic,
  applyRevisions,
  finishFreezing,
  clearSortedIndices,
  removeBonds,
  addBonds,
  estimateGradients,
  markElastic,
  noteSortedIndices,
  findRevisions,
} from './fluid/elastic-bonds';
export { computeElasticMoments, computeElasticRates, prepareBonds } from './fluid/elastic-fit';
export {
  driftElastic,
  enterElastic,
  finishElastic,
  leaveElastic,
  copyElasticToLiquid,
  partElastic,
  settleElastic,
  stopElastic,
  copyLiquidToElastic,
} from './fluid/elastic-motion';
export {
  advanceElasticCorrections,
  applyElasticCorrections,
  beginElasticSolve,
  computeElasticFluxChanges,
  computeElasticProducts,
  computeElasticResiduals,
  endElasticSolve,
  invertElasticDiagonals,
  moveElastic,
  returnElastic,
  turnElasticDirections,
} from './fluid/elastic-implicit';
export { followDensities, removeBondedPairs, meanLiquidPush, releaseWalls, stayOffWalls } from './fluid/elastic-pressure';
export { computeElasticTurns, keepElasticStrain, relaxBonds } from './fluid/elastic-relax';
export { measureWallForces } from './fluid/wall-forces';
export {
  computeElasticStresses,
  followElasticStresses,
  kickElastic,
  kickElasticOn,
  measureElastic,
  tryElasticStresses,
} from './fluid/elastic-stress';
export {
  computeReactions,
  placeBodyBoundary,
  placeObstacleBoundary,
} from './fluid/boundary';
export {
  arrangeBoundary,
  arrangeLiquid,
  computeBoundaryCells,
  computeLiquidCells,
  measureExtent,
  sortBoundary,
  sortLiquid,
} from './fluid/grid';
export { applyGravity, measureClearance, moveLiquid } from './fluid/motion';
export { isolateHeld, prescribeLiquid } from './fluid/prescribe';
export { findLiquidNeighbors } from './fluid/neighbors';
export { computeLiquidPairs, computeStructuredPairs, computeViscousPairs } from './fluid/pairs';
export { enterLayers, leaveLayers } from './fluid/layers';
export { computeLowestPressures } from './fluid/pull';
export { followSurface } from './fluid/skin';
export { applyStructure, smoothStructure } from './fluid/structure';
export {
  applyAccelerations,
  computeDensityFactors,
  computePressureAccelerations,
  computeStatePressures,
  meanPush,
  resumePressures,
  startPressures,
  steepestPush,
} from './fluid/pressure';
export {
  advancePressureDirections,
  advancePressures,
  clampPressures,
  computeDirectionAccelerations,
  cutPressures,
  mendAccelerations,
  multiplyPressures,
} from './fluid/pressure-solve';
export { exposeLiquids, exposeMembers, exposeSolids } from './forces/exposure';
export { applyTension, computeNormals, measurePressures } from './fluid/tension';
export {
  advanceViscousDirections,
  advanceViscousVelocities,
  applyViscosity,
  applyWallDrag,
  applyXsph,
  beginViscosity,
  computeViscousProducts,
  sumViscousResiduals,
  noteWallDrag,
} from './fluid/viscosity';
export {
  advanceHeat,
  computeHeatCoefficients,
  computeHeatExchange,
  computeHeatFlux,
  readTemperatures,
} from './heat/conduction';
export {
  advanceHeatSolve,
  beginHeatSolve,
  beginHeatStage,
  beginHeatStep,
  correctTemperatures,
  multiplyHeat,
  turnHeatDirection,
  undoHeatStep,
  updateEnthalpies,
} from './heat/implicit';
export { fillHeatPairs, measureHeatPairs, sumHeatPairs } from './heat/pairs';
export { clearHeatLiquids, placeHeatLiquids, placeHeatSolids } from './heat/places';
export { computeCellKeys, sortByCell } from './neighbors/grid';
export {
  countNeighborsByGrid,
  countNeighborsByTree,
  fillNeighborsByGrid,
  fillNeighborsByTree,
  sumNeighborCounts,
} from './neighbors/lists';
export { buildTree, computeNearestDistances } from './neighbors/tree';
export { computeRigidContacts } from './rigid/contact';
export { dampImpacts } from './contact/impact';
export { applyTouch, findTouching, gatherTouch, prepareTouch, relaxTouch, shareTouch } from './contact/touch';
export { measureTouched, turnTouched } from './contact/turns';
export { computeRigidSums, moveRigidParticles } from './rigid/motion';
export {
  clearGhosts,
  moveGhostDirections,
  moveGhostFlow,
  moveGhosts,
  noteGhostForces,
  noteImplicitGhosts,
  reflectForces,
  reflectToSources,
  sumResiduals,
} from './solid/ghosts';
export { factorCoarse, restrictResiduals, solveCoarse } from './solid/coarse';
export {
  computeExactDisplacements,
  computeExactFluxes,
  computeExactForces,
  moveExactGhosts,
} from './solid/exact';
export { computeFadedBonds, fadeStabilisation, weighStabilisation } from './solid/fading';
export { noteLimits } from './solid/bond-strength';
export { computeOverstress, findWeakest, shareMarks, weakenBonds } from './solid/fracture';
export { noteBonds, rebond, refitBonds, removeBroken } from './solid/refit';
export { findStrained } from './solid/strained';
export { computeForces, computeQuadraticForces } from './solid/forces';
export { computeQuadraticMeasures, computeQuadraticStressChanges, computeQuadraticStresses } from './solid/quadratic';
export { computeInverseWeights, computeQuadraticInverses } from './solid/quadratic-moments';
export {
  advanceCorrections,
  advanceDirections,
  applyCorrections,
  beginImplicitStep,
  computeProducts,
  computeQuadraticProducts,
  computeQuadraticResiduals,
  computeResiduals,
  computeStepVelocities,
  computeStiffnessDiagonals,
  endImplicitStep,
  invertDiagonals,
  precondition,
  predictMotion,
  subtractProducts,
  keepAccelerations,
  projectDirections,
  undoImplicitStep,
  updateObstacleContacts,
} from './solid/implicit';
export { noteImplicitImpulses } from './solid/impulses';
export { changeFrames, kickAndDrift, settleVelocities } from './solid/integrate';
export { computeBonds, computeGradientWeights, computeMomentInverses, computeProjections } from './solid/moments';
export { computeFirstMoments } from './solid/offsets';
export { measureGradients } from './solid/gradients';
export { computeMeasures, computeStressChanges, computeStresses } from './solid/stress';
export { computeBodySums } from './solid/sums';
export {
  addDashpotChanges,
  addDashpotForces,
  advanceFlow,
  applyFlow,
  beginFlow,
  kickSolids,
  measureDashpots,
  multiplyFlow,
  noteGhostFlow,
  placeDashpots,
  reachFlow,
  takeFlow,
  turnFlow,
  weighDashpots,
} from './solid/viscosity';
export { checkFlow, meetFlow } from './solid/viscous-contact';
export { arrangeFollowed, findFollowed, fitFollowed, listFollowed } from './surface/binding';
export {
  arrangeSurfaceParticles,
  boundSurfaceBlocks,
  chooseSurfaceLiquid,
  classifySurfaceBlocks,
  computeSurfaceCells,
  linkSurfaceBlocks,
  listSurfaceBlocks,
  makeHomeBlocks,
  measureSurfaceBlocks,
  sortSurfaceParticles,
  touchSurfaceBlocks,
} from './surface/blocks';
export {
  blendCarriedValues,
  carryPoints,
  completeCarriers,
  fitCarriers,
  turnCarriedNormals,
  writeAffines,
} from './surface/carry';
export { findSurfaceCreases, sharpenSurface } from './surface/creases';
export { mostSurfaceCandidates, sampleSurfaceField } from './surface/field';
export { shapeSurfaceKernels, smoothSurfaceParticles, weighSurfaceParticles } from './surface/kernels';
export { measureCells } from './surface/point-cells';
export { buildPointGrid } from './surface/point-grid';
export {
  advectSurfels,
  placeProposals,
  probeParticles,
  relaxSurfels,
  settleSurfels,
  takeValues,
  touchBoundaryPoints,
  wakeSurfels,
} from './surface/points';
export { orientSurfels } from './surface/surfels';
export { mirrorSurfaceKernels, mirrorSurfaceShifts, mirrorSurfaceWeights } from './surface/walls';
export { countSurface, makeSurfaceTriangles, makeSurfaceVertices, sumSurfaceCounts } from './surface/mesh';

/** Largest of n floats; NaN if one of them is. */
export function largest(values: usize, count: u32): f32 {
  let result: f32 = 0;
  for (let k: usize = 0; k < <usize>count; k++) {
    const value = load<f32>(values + (k << 2));
    if (!(value <= result)) {
      if (value != value) return value;
      result = value;
    }
  }
  return result;
}

/** 64-bit hash of a range of 4-byte words (multiply and rotate, two lanes), chained through `seed`. */
export function hashWords(at: usize, words: u32, seed: u64): u64 {
  let h = seed ^ 0x9e3779b97f4a7c15;
  for (let k: usize = 0; k < <usize>words; k++) {
    h = (h ^ <u64>load<u32>(at + (k << 2))) * 0xff51afd7ed558ccd;
    h = rotl(h, 29);
  }
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}
