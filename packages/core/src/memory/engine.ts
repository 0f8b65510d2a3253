import { BLOCK } from '../particles/layout.js';
import { Arena } from './arena.js';
import {
  awaitChunks,
  CLOSED,
  closeTurns,
  controlSize,
  controlWords,
  FAILED,
  openTurn,
  openWave,
  runChunks,
  WAVE_CHUNKS,
} from './control.js';
import {
  assetUrl,
  availableThreads,
  canShareMemory,
  compileAt,
  maySleep,
  startThread,
  type Thread,
} from './platform.js';
import { ThreadPacer } from './thread-pacer.js';

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
  'computeFirstMoments',
  'fadeStabilisation',
  'weighStabilisation',
  'computeFadedBonds',
  'noteBonds',
  'noteLimits',
  'findStrained',
  'shareMarks',
  'computeOverstress',
  'findWeakest',
  'weakenBonds',
  'refitBonds',
  'rebond',
  'removeBroken',
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
  'moveGhosts',
  'measureWallForces',
  'noteWallDrag',
  'noteGhostForces',
  'noteImplicitGhosts',
  'noteImplicitImpulses',
  'reflectForces',
  'moveGhostDirections',
  'moveGhostFlow',
  'reflectToSources',
  'clearGhosts',
  'sumResiduals',
  'computeExactDisplacements',
  'moveExactGhosts',
  'computeExactFluxes',
  'computeExactForces',
  'changeFrames',
  'kickSolids',
  'takeFlow',
  'meetFlow',
  'checkFlow',
  'reachFlow',
  'placeDashpots',
  'weighDashpots',
  'measureDashpots',
  'beginFlow',
  'multiplyFlow',
  'advanceFlow',
  'turnFlow',
  'applyFlow',
  'noteGhostFlow',
  'addDashpotForces',
  'addDashpotChanges',
  'computeBodySums',
  'computeMeasures',
  'computeQuadraticMeasures',
  'measureGradients',
  'computeSurface',
  'boundBuckets',
  'findCandidates',
  'renewCandidates',
  'linkCandidates',
  'computeContactForces',
  'computeContactChanges',
  'prepareTouch',
  'findTouching',
  'shareTouch',
  'relaxTouch',
  'gatherTouch',
  'measureTouched',
  'applyTouch',
  'turnTouched',
  'computeLiquidCells',
  'sortLiquid',
  'arrangeLiquid',
  'computeBoundaryCells',
  'sortBoundary',
  'arrangeBoundary',
  'findLiquidNeighbors',
  'computeLiquidPairs',
  'computeViscousPairs',
  'computeStructuredPairs',
  'followSurface',
  'smoothStructure',
  'applyStructure',
  'enterLayers',
  'leaveLayers',
  'computeLowestPressures',
  'startPressures',
  'computeDensityFactors',
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
  'prescribeLiquid',
  'isolateHeld',
  'applyGravity',
  'applyViscosity',
  'applyWallDrag',
  'applyXsph',
  'computeNormals',
  'exposeSolids',
  'exposeLiquids',
  'exposeMembers',
  'applyTension',
  'measurePressures',
  'beginViscosity',
  'sumViscousResiduals',
  'advanceViscousDirections',
  'computeViscousProducts',
  'advanceViscousVelocities',
  'moveLiquid',
  'measureClearance',
  'measureGaps',
  'placeObstacleBoundary',
  'placeBodyBoundary',
  'computeReactions',
  'moveRigidParticles',
  'computeRigidContacts',
  'computeRigidSums',
  'dampImpacts',
  'clearSortedIndices',
  'noteSortedIndices',
  'markElastic',
  'findRevisions',
  'applyRevisions',
  'removeBonds',
  'estimateGradients',
  'addBonds',
  'computeElasticTurns',
  'keepElasticStrain',
  'relaxBonds',
  'finishFreezing',
  'absorbElastic',
  'removeBondedPairs',
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
  'beginElasticSolve',
  'tryElasticStresses',
  'invertElasticDiagonals',
  'computeElasticResiduals',
  'computeElasticFluxChanges',
  'computeElasticProducts',
  'advanceElasticCorrections',
  'turnElasticDirections',
  'applyElasticCorrections',
  'endElasticSolve',
  'returnElastic',
  'moveElastic',
  'enterElastic',
  'driftElastic',
  'stopElastic',
  'copyElasticToLiquid',
  'copyLiquidToElastic',
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
  'mirrorSurfaceWeights',
  'smoothSurfaceParticles',
  'mirrorSurfaceShifts',
  'shapeSurfaceKernels',
  'mirrorSurfaceKernels',
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
  'findSurfaceCreases',
  'sharpenSurface',
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
  'touchBoundaryPoints',
  'settleSurfels',
  'measureCells',
  'probeParticles',
  'placeProposals',
  'takeValues',
  'measureFlow',
  'noteStretches',
  'noteOffsets',
  'takeShape',
  'computeRenewalCells',
  'arrangeMembers',
  'gatherCandidates',
  'chooseNeighbors',
  'measureSampling',
  'keepNeighbors',
  'chooseOffsets',
  'placeNeighbors',
  'placeOffsets',
  'weighNeighbors',
  'measureFits',
  'fitRenewed',
  'keepStresses',
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
      assetUrl('phyxel.threads.wasm') ?? new URL('../../web/phyxel.threads.wasm', import.meta.url),
    );
    return modules.shared;
  }
  modules.plain ??= compileAt(assetUrl('phyxel.wasm') ?? new URL('../../web/phyxel.wasm', import.meta.url));
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
  readonly #pacer: ThreadPacer;
  #turn = 0;

  private constructor(arena: Arena, exports: WebAssembly.Exports, workers: Thread[]) {
    this.arena = arena;
    this.#passes = PASSES.map((name) => exports[name] as unknown as Pass);
    this.helpers = exports as unknown as Helpers;
    this.#workers = workers;
    this.threads = workers.length + 1;
    this.#control = controlWords(arena.memory, this.threads);
    this.#pacer = new ThreadPacer(this.threads, PASSES.length);
  }

  /** `threads` counts the caller's; more than one needs shared memory and falls back to one without it. */
  static async create(threads: 'auto' | number): Promise<Engine> {
    const shared = canShareMemory();
    const wanted = threads === 'auto' ? Math.min(availableThreads(), 8) : threads;
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

  /** Runs a pass on [0, count), on as many threads as pay when there is enough to share. */
  run(pass: PassName, count: number, context: number, grain: number = BLOCK): void {
    const number = NUMBERS.get(pass)!;
    const started = performance.now();
    if (this.#isAlone(count, grain)) this.#passes[number]!(0, count, context);
    else this.#runShared(number, count, context, grain);
    this.#note(pass, started, number, count, grain);
  }

  /**
   * Runs two passes on [0, count), the second of which needs of the first what is within `reach` of its own: it follows
   * that close behind, so that what both read comes from memory once. Counts as the second.
   */
  runWave(pass: PassName, second: PassName, count: number, context: number, reach: number): void {
    const [leading, following] = [NUMBERS.get(pass)!, NUMBERS.get(second)!];
    const started = performance.now();
    const size = Math.ceil(count / WAVE_CHUNKS / BLOCK) * BLOCK;
    if (this.#isAlone(count, BLOCK)) {
      const [lead, follow] = [this.#passes[leading]!, this.#passes[following]!];
      let ahead = 0;
      for (let begin = 0; begin < count; begin += size) {
        const end = Math.min(begin + size, count);
        for (; ahead < Math.min(end + reach, count); ahead += size) lead(ahead, Math.min(ahead + size, count), context);
        follow(begin, end, context);
      }
    } else {
      const around = Math.ceil(reach / size);
      const chunks = Math.ceil(count / size);
      const work = { pass: leading, second: following, around, context, count, size, chunks };
      this.#share(leading, chunks, (turn) => openWave(this.#control, turn, work, this.#pacer.active));
    }
    this.#note(second, started, following, count, BLOCK);
  }

  /** Runs a pass that is written for one thread. */
  runSerial(pass: PassName, context: number): void {
    this.run(pass, 0, context);
  }

  #isAlone(count: number, grain: number): boolean {
    return this.#pacer.active === 1 || count <= grain;
  }

  #note(pass: PassName, started: number, number: number, count: number, grain: number): void {
    const milliseconds = performance.now() - started;
    let timing = this.timings.get(pass);
    if (!timing) {
      timing = { calls: 0, milliseconds: 0 };
      this.timings.set(pass, timing);
    }
    timing.calls++;
    timing.milliseconds += milliseconds;
    if (this.threads > 1 && count > grain) this.#pacer.note(number, count, milliseconds);
  }

  #runShared(number: number, count: number, context: number, grain: number): void {
    const { active } = this.#pacer;
    // About sixteen chunks a thread: enough to even out a slow one, few enough to be cheap to claim.
    const perChunk = Math.max(count / (active * 16), count / MAX_CHUNKS);
    const size = Math.max(1, Math.ceil(perChunk / grain)) * grain;
    const chunks = Math.ceil(count / size);
    const work = { pass: number, context, count, size, chunks };
    this.#share(number, chunks, (turn) => openTurn(this.#control, turn, work, active));
  }

  /** Opens a turn, takes part in it and waits until its chunks are done. */
  #share(number: number, chunks: number, open: (turn: number) => void): void {
    const control = this.#control;
    this.#turn = (this.#turn + 1) | 0;
    open(this.#turn);
    try {
      runChunks(control, this.#passes, this.#turn, 0, this.#maySleep);
    } catch (error) {
      if (Atomics.load(control, FAILED) !== 0) throw failure(number, error);
      // Others may wait for what this thread has taken. From here on the engine is of no use.
      Atomics.store(control, FAILED, 1);
      throw error;
    }
    if (!awaitChunks(control, chunks, this.#maySleep)) throw failure(number);
  }

  async dispose(): Promise<void> {
    if (this.#workers.length === 0) return;
    closeTurns(this.#control, (this.#turn + 1) | 0);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function failure(number: number, cause?: unknown): Error {
  return new Error(`a worker thread failed in ${PASSES[number]}`, { cause });
}
