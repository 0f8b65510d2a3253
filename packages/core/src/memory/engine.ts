import { BLOCK } from '../particles/layout.js';
import { Arena } from './arena.js';
import { awaitChunks, CLOSED, controlSize, controlWords, openTurn, runChunks, STOP, TURN } from './control.js';
import {
  assetUrl,
  availableThreads,
  canShareMemory,
  compileAt,
  maySleep,
  startThread,
  type Thread,
} from './platform.js';

/** Passes: (begin, end, context) on a range of particles, bodies or surface particles. */
export const PASSES = [
  'computeCellKeys',
  'sortByCell',
  'buildTree',
  'computeNearestDistances',
  'countNeighborsByGrid',
  'countNeighborsByTree',
  'sumNeighborCounts',
  'fillNeighborsByGrid',
  'fillNeighborsByTree',
  'computeGradientWeights',
  'computeMomentInverses',
  'computeBonds',
  'fadeStabilisation',
  'weighStabilisation',
  'computeFadedBonds',
  'computeProjections',
  'computeInverseWeights',
  'computeQuadraticInverses',
  'computeStresses',
  'computeForces',
  'computeQuadraticStresses',
  'computeQuadraticForces',
  'computeStressChanges',
  'computeQuadraticStressChanges',
  'kickAndDrift',
  'predictMotion',
  'beginImplicitStep',
  'endImplicitStep',
  'keepAccelerations',
  'projectDirections',
  'undoImplicitStep',
  'computeStepVelocities',
  'computeResiduals',
  'computeQuadraticResiduals',
  'computeProducts',
  'computeQuadraticProducts',
  'advanceCorrections',
  'advanceDirections',
  'applyCorrections',
  'precondition',
  'subtractProducts',
  'updateObstacleContacts',
  'computeStiffnessDiagonals',
  'invertDiagonals',
  'restrictResiduals',
  'factorCoarse',
  'solveCoarse',
  'settleVelocities',
  'moveDependents',
  'reflectForces',
  'moveDependentDirections',
  'reflectToMasters',
  'clearDependents',
  'sumResiduals',
  'changeFrames',
  'computeBodySums',
  'computeMeasures',
  'computeQuadraticMeasures',
  'computeSurface',
  'boundBuckets',
  'findCandidates',
  'computeContactForces',
  'computeContactChanges',
  'computeLiquidCells',
  'sortLiquid',
  'arrangeLiquid',
  'computeBoundaryCells',
  'sortBoundary',
  'arrangeBoundary',
  'findLiquidNeighbors',
  'computeLiquidPairs',
  'computeViscousPairs',
  'followSurface',
  'enterLayers',
  'leaveLayers',
  'computeLowestPressures',
  'startPressures',
  'computePlaceFactors',
  'computePressureAccelerations',
  'resumePressures',
  'computeDirectionAccelerations',
  'multiplyPressures',
  'advancePressures',
  'advancePressureDirections',
  'clampPressures',
  'cutPressures',
  'mendAccelerations',
  'applyAccelerations',
  'computeStatePressures',
  'applyGravity',
  'applyViscosity',
  'applyWallDrag',
  'applyXsph',
  'computeNormals',
  'applyTension',
  'measurePressures',
  'beginViscosity',
  'sumViscousResiduals',
  'advanceViscousDirections',
  'computeViscousProducts',
  'advanceViscousVelocities',
  'moveLiquid',
  'measureClearance',
  'placeObstacleBoundary',
  'placeBodyBoundary',
  'computeReactions',
  'moveRigidParticles',
  'computeRigidContacts',
  'computeRigidSums',
  'clearElasticPlaces',
  'noteElasticPlaces',
  'markElastic',
  'reviseElastic',
  'adoptElastic',
  'dropBonds',
  'guessElastic',
  'growBonds',
  'computeElasticTurns',
  'keepElasticStrain',
  'relaxBonds',
  'bearElastic',
  'absorbElastic',
  'loosenPairs',
  'releaseWalls',
  'stayOffWalls',
  'computeElasticMoments',
  'computeElasticRates',
  'prepareBonds',
  'computeElasticStresses',
  'followElasticStresses',
  'kickElastic',
  'kickElasticOn',
  'measureElastic',
  'enterElastic',
  'driftElastic',
  'stopElastic',
  'offerElastic',
  'takeElastic',
  'followDensities',
  'partElastic',
  'leaveElastic',
  'settleElastic',
  'finishElastic',
  'placeHeatSolids',
  'clearHeatLiquids',
  'placeHeatLiquids',
  'measureHeatPairs',
  'sumHeatPairs',
  'fillHeatPairs',
  'readTemperatures',
  'computeHeatExchange',
  'computeHeatCoefficients',
  'computeHeatFlux',
  'advanceHeat',
  'beginHeatStep',
  'beginHeatStage',
  'undoHeatStep',
  'beginHeatSolve',
  'multiplyHeat',
  'advanceHeatSolve',
  'turnHeatDirection',
  'correctTemperatures',
  'updateEnthalpies',
  'computeSurfaceCells',
  'sortSurfaceParticles',
  'makeHomeBlocks',
  'arrangeSurfaceParticles',
  'linkSurfaceBlocks',
  'weighSurfaceParticles',
  'smoothSurfaceParticles',
  'shapeSurfaceKernels',
  'measureSurfaceBlocks',
  'boundSurfaceBlocks',
  'touchSurfaceBlocks',
  'chooseSurfaceLiquid',
  'classifySurfaceBlocks',
  'listSurfaceBlocks',
  'sampleSurfaceField',
  'countSurface',
  'sumSurfaceCounts',
  'makeSurfaceVertices',
  'makeSurfaceTriangles',
  'fitCarriers',
  'completeCarriers',
  'writeAffines',
  'arrangeFollowed',
  'findFollowed',
  'fitFollowed',
  'listFollowed',
  'carryPoints',
  'turnCarriedNormals',
  'blendCarriedValues',
  'orientSurfels',
  'buildPointGrid',
  'wakeSurfels',
  'advectSurfels',
  'relaxSurfels',
  'touchMoulds',
  'settleSurfels',
  'measureCells',
  'probeParticles',
  'placeProposals',
  'takeValues',
  'computeNeighborCells',
  'arrangeNeighbors',
  'gatherNeighborhoods',
  'fillNeighborhoods',
  'linkNeighborhoods',
  'computeEmbeddedBases',
  'computeEmbeddedStresses',
  'computeEmbeddedForces',
  'computeEmbeddedSurface',
  'kickEmbedded',
  'driftEmbedded',
  'settleEmbedded',
  'beginEmbedding',
  'multiplyEmbedding',
  'applyEmbedding',
  'markEmbedding',
  'absorbFlow',
  'noteGradients',
  'keepGradients',
  'weighViscosity',
  'beginViscousSolve',
  'multiplyViscosity',
  'applyViscousSolution',
  'applyViscousImpulses',
  'advanceSolution',
  'turnSolution',
  'measureSampling',
  'measureEmbedded',
] as const;
export type PassName = (typeof PASSES)[number];
const NUMBERS: ReadonlyMap<PassName, number> = new Map(PASSES.map((name, index) => [name, index]));

type Pass = (begin: number, end: number, context: number) => void;

/** Functions of the module that are not passes. */
interface Helpers {
  largest(values: number, count: number): number;
  mostCandidates(counts: number, surface: number): number;
  meanPush(pressures: number, positions: number, count: number): number;
  steepestPush(pressures: number, positions: number, count: number): number;
  meanLiquidPush(context: number): number;
  measureExtent(positions: number, count: number, out: number): void;
  mostSurfaceCandidates(context: number, count: number): number;
  hashWords(at: number, words: number, seed: bigint): bigint;
}

export interface PassTiming {
  calls: number;
  milliseconds: number;
}

/** A pass is never cut into more chunks than a claim can number. */
const MAX_CHUNKS = CLOSED;

let modules: Partial<Record<'shared' | 'plain', Promise<WebAssembly.Module>>> = {};

function compiled(shared: boolean): Promise<WebAssembly.Module> {
  // Literal URLs, so that bundlers find the files.
  if (shared) {
    modules.shared ??= compileAt(
      assetUrl('phyxel.threads.wasm') ?? new URL('../../wasm/phyxel.threads.wasm', import.meta.url),
    );
    return modules.shared;
  }
  modules.plain ??= compileAt(assetUrl('phyxel.wasm') ?? new URL('../../wasm/phyxel.wasm', import.meta.url));
  return modules.plain;
}

/** Begins to load and compile the passes, for those who will need them soon; failures are told by `create`. */
export function preparePasses(): void {
  compiled(canShareMemory()).catch(forget);
}

/** Forgets the compiled modules, so that a failed load can be tried again. */
function forget(): void {
  modules = {};
}

/**
 * The compute engine: one WASM memory with its arena, the passes, and the threads that share them.
 * A pass runs on [0, count) in chunks; each particle is written by one thread only, so the result
 * does not depend on who took which chunk.
 */
export class Engine {
  readonly arena: Arena;
  readonly helpers: Helpers;
  /** Threads that take part, the caller's included. */
  readonly threads: number;
  readonly timings = new Map<PassName, PassTiming>();
  readonly #passes: Pass[];
  readonly #control: Int32Array;
  readonly #workers: Thread[];
  readonly #maySleep = maySleep();
  #turn = 0;

  private constructor(arena: Arena, exports: WebAssembly.Exports, workers: Thread[]) {
    this.arena = arena;
    this.#passes = PASSES.map((name) => exports[name] as unknown as Pass);
    this.helpers = exports as unknown as Helpers;
    this.#workers = workers;
    this.threads = workers.length + 1;
    this.#control = controlWords(arena.memory, this.threads);
  }

  /** `threads` counts the caller's; more than one needs shared memory and falls back to one without it. */
  static async create(threads: 'auto' | number): Promise<Engine> {
    const shared = canShareMemory();
    const wanted = threads === 'auto' ? Math.min(await availableThreads(), 8) : threads;
    const count = shared ? wanted : 1;
    let module: WebAssembly.Module;
    try {
      module = await compiled(shared);
    } catch (error) {
      forget();
      throw error;
    }
    const arena = new Arena(shared, controlSize(count));
    const instance = await WebAssembly.instantiate(module, { env: { memory: arena.memory } });
    const setup = { module, memory: arena.memory, passes: [...PASSES], threads: count };
    const helpers = Array.from({ length: count - 1 }, (_, k) => startThread({ ...setup, thread: k + 1 }));
    const workers = await Promise.all(helpers);
    return new Engine(arena, instance.exports, workers);
  }

  /** Runs a pass on [0, count), on all threads when there is enough to share. */
  run(pass: PassName, count: number, context: number, grain: number = BLOCK): void {
    const started = performance.now();
    const index = NUMBERS.get(pass)!;
    if (this.#workers.length === 0 || count <= grain) {
      this.#passes[index]!(0, count, context);
    } else {
      this.#runShared(index, count, context, grain);
    }
    let timing = this.timings.get(pass);
    if (!timing) {
      timing = { calls: 0, milliseconds: 0 };
      this.timings.set(pass, timing);
    }
    timing.calls++;
    timing.milliseconds += performance.now() - started;
  }

  /** Runs a pass that is written for one thread. */
  runSerial(pass: PassName, context: number): void {
    this.run(pass, 0, context);
  }

  #runShared(index: number, count: number, context: number, grain: number): void {
    const control = this.#control;
    // About sixteen chunks a thread: enough to even out a slow one, few enough to be cheap to claim.
    const perChunk = Math.max(count / (this.threads * 16), count / MAX_CHUNKS);
    const size = Math.max(1, Math.ceil(perChunk / grain)) * grain;
    const chunks = Math.ceil(count / size);
    this.#turn = (this.#turn + 1) | 0;
    openTurn(control, this.#turn, { pass: index, context, count, size, chunks });
    runChunks(control, this.#passes, this.#turn, 0);
    if (!awaitChunks(control, chunks, this.#maySleep)) throw new Error(`a worker thread failed in ${PASSES[index]}`);
  }

  async dispose(): Promise<void> {
    if (this.#workers.length === 0) return;
    Atomics.store(this.#control, STOP, 1);
    Atomics.store(this.#control, TURN, (this.#turn + 1) | 0);
    Atomics.notify(this.#control, TURN);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
