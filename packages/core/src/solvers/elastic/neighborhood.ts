import { type BodyRange, isRenewed, isRigid } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import { RENEWAL_ROOM } from '../../particles/renewal-layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { allocateGrid, buildGrid, buildTree } from '../neighbors/search.js';

/**
 * A neighbourhood whose moment matrix is worse conditioned than this is poorly supported: its fit
 * magnifies the displacements of few neighbours, which makes it needlessly stiff and the stable step
 * small. Its support is widened, some times, by this factor ([M04] 3.2 takes supports from the nearest
 * neighbours for the same reason). A bunny of 5,000 particles on the hcp lattice gets 2.3 times the step.
 */
const POOR_SUPPORT = 0.2;
const WIDENING = 1.25;
const WIDENINGS = 4;

/** Neighbourhoods whose moment matrix is not of full rank, by rank. */
export interface RankReport {
  readonly isolated: number;
  readonly lines: number;
  readonly sheets: number;
}

/** A body's particles; those of different parts are no neighbours. Slots behind the parts are free. */
export interface SplitRange extends BodyRange {
  readonly parts: readonly BodyRange[];
}

/**
 * Rest-space neighbour lists of every body, and what the fit needs of them: gradient weights, inverse
 * moment matrices, bonds. Bodies whose particles have one support radius are searched with the grid,
 * others with the kd-tree ([K06] 7.1.3). Memory for the search is given back afterwards. `bondShares`
 * is the weight of each particle's stabilisation, times its shear modulus over that of its body.
 */
export function buildNeighborhoods(
  store: ParticleStore,
  ranges: readonly SplitRange[],
  supports: Float32Array,
  bondShares: Float32Array,
  quadraticCount: number,
  breakable: boolean,
): { pairs: number; ranks: RankReport } {
  const { arena } = store.engine;
  const mark = arena.mark();
  const original = supports.slice();
  const widened = (change: () => boolean): boolean => {
    if (!change()) return false;
    arena.release(mark);
    pairs = buildLists(store, ranges, supports);
    return true;
  };
  let pairs = buildLists(store, ranges, supports);
  let times = 0;
  while (times < WIDENINGS && widened(() => widenPoorSupports(store, supports))) times++;
  if (times === WIDENINGS) widened(() => restoreFlatSupports(store, supports, original));
  if (quadraticCount > 0) {
    store.allocate(layout.INVERSE_WEIGHTS, 4 * pairs);
    store.run('computeInverseWeights');
  }
  const inverses = store.floats(layout.MOMENT_INVERSE, 12 * store.count);
  for (let i = 0; i < store.count; i++) {
    inverses[12 * i + 3]! *= bondShares[i]!;
    inverses[12 * i + 7] = inverses[12 * i + 3]!;
  }
  store.run('computeBonds');
  const ranks = buildProjections(store, breakable);
  if (quadraticCount > 0) buildQuadraticFit(store, quadraticCount);
  return { pairs, ranks };
}

/** Inverse moment matrices of the quadratic fit; its scratch memory is given back. */
function buildQuadraticFit(store: ParticleStore, count: number): void {
  store.allocate(layout.QUADRATIC_INVERSE, 432 * count);
  store.allocate(layout.QUADRATIC_FLUX, 144 * count);
  const mark = store.engine.arena.mark();
  store.allocate(layout.SCRATCH, layout.SCRATCH_STRIDE * store.blocks);
  store.run('computeQuadraticInverses');
  store.engine.arena.release(mark);
}

/** Widens the supports of poorly supported particles; false when there are none. */
function widenPoorSupports(store: ParticleStore, supports: Float32Array): boolean {
  const conditions = store.floats(layout.FLUX, 12 * store.count);
  let poor = 0;
  for (let i = 0; i < store.count; i++) {
    if (conditions[12 * i]! >= POOR_SUPPORT) continue;
    supports[i] = supports[i]! * WIDENING;
    poor++;
  }
  return poor > 0;
}

/** Sheets and strings stay flat however wide their supports are: theirs are taken back. */
function restoreFlatSupports(store: ParticleStore, supports: Float32Array, original: Float32Array): boolean {
  const deficient = store.integers(layout.DEFICIENT_OF, store.count);
  let flat = 0;
  for (let i = 0; i < store.count; i++) {
    if (deficient[i] === 0) continue;
    supports[i] = original[i]!;
    flat++;
  }
  return flat > 0;
}

/** Neighbour lists, gradient weights and moment matrices for given supports; returns the number of pairs. */
function buildLists(store: ParticleStore, ranges: readonly SplitRange[], supports: Float32Array): number {
  const { arena } = store.engine;
  const largestBody = Math.max(1, ...ranges.map((range) => range.end - range.begin));
  const rest = store.address(layout.REST);
  const begins = store.address(layout.NEIGHBOR_BEGIN);

  /** Sets up a search above what is allocated, runs it on one part at a time, and leaves the slots on the world. */
  const search = (work: (count: number, uniform: boolean) => void): void => {
    const supportsAt = store.allocate(layout.SUPPORTS, 4 * store.count);
    arena.f32(supportsAt, store.count).set(supports);
    store.allocate(layout.TREE_AXIS, largestBody);
    allocateGrid(store, largestBody);
    for (const { begin, end, driven } of ranges.flatMap(({ parts, end: last }, b) => [
      ...parts.map((part) => ({ ...part, driven: isRigid(store, b) })),
      { begin: parts.at(-1)!.end, end: last, driven: true },
    ])) {
      if (driven) {
        const own = arena.u32(begins + 4 * begin, end - begin + 1);
        own.fill(own[0]!);
        continue;
      }
      const own = supports.subarray(begin, end);
      const largest = own.reduce((a, b) => Math.max(a, b), 0);
      const uniform = own.every((h) => h === largest);
      store.setInteger(layout.POINTS, rest + 16 * begin);
      store.setInteger(layout.SUPPORTS, supportsAt + 4 * begin);
      store.setInteger(layout.NEIGHBOR_BEGIN, begins + 4 * begin);
      store.setInteger(layout.FIRST_INDEX, begin);
      if (uniform) buildGrid(store, end - begin, largest);
      else buildTree(store, end - begin, largest);
      work(end - begin, uniform);
    }
    store.setInteger(layout.SUPPORTS, supportsAt);
    store.setInteger(layout.NEIGHBOR_BEGIN, begins);
  };

  // The lists outlive the search but are sized by it: count, give its memory back, and search again above them.
  const mark = arena.mark();
  search((count, uniform) => {
    store.run(uniform ? 'countNeighborsByGrid' : 'countNeighborsByTree', count);
    store.engine.runSerial('sumNeighborCounts', store.context);
  });
  const pairs = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1)[store.count]!;
  arena.release(mark);
  const found = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  store.pairCapacity = ranges.reduce((capacity, { begin, end }, b) => {
    const own = found[end]! - found[begin]!;
    return capacity + (isRenewed(store, b) ? Math.max(own, RENEWAL_ROOM * (end - begin)) : own);
  }, 0);
  store.allocate(layout.NEIGHBORS, 4 * store.pairCapacity);
  store.allocate(layout.PAIRS, 16 * store.pairCapacity);
  const searchMark = arena.mark();
  search((count, uniform) => store.run(uniform ? 'fillNeighborsByGrid' : 'fillNeighborsByTree', count));

  store.run('computeGradientWeights');
  store.run('computeMomentInverses');
  forgiveDriven(store, ranges);
  arena.release(searchMark);
  return pairs;
}

/** Rigid bodies and free slots have no neighbourhoods, and are not to blame for poor ones. */
function forgiveDriven(store: ParticleStore, ranges: readonly SplitRange[]): void {
  const conditions = store.floats(layout.FLUX, 12 * store.count);
  const deficient = store.integers(layout.DEFICIENT_OF, store.count);
  for (const [b, { begin, end, parts }] of ranges.entries()) {
    const first = isRigid(store, b) ? begin : parts.at(-1)!.end;
    deficient.fill(0, first, end);
    for (let i = first; i < end; i++) conditions[12 * i] = 1;
  }
}

/**
 * Numbers the rank-deficient particles and stores the projections onto what their neighbours span. Where bonds can break
 * any particle may become one, and has the number that it has anyway.
 */
function buildProjections(store: ParticleStore, breakable: boolean): RankReport {
  const deficient = store.integers(layout.DEFICIENT_OF, store.count);
  const ranks = [0, 0, 0];
  const found: number[] = [];
  const numbers: number[] = [];
  for (let i = 0; i < store.count; i++) {
    if (deficient[i] === 0) continue;
    const rank = deficient[i]! - 1;
    ranks[rank]!++;
    const number = found.push(rank);
    deficient[i] = breakable ? i + 1 : number;
    numbers.push(deficient[i]! - 1);
  }
  const slots = breakable ? store.count : found.length;
  store.allocate(layout.PROJECTIONS, 48 * slots);
  if (found.length > 0) store.run('computeProjections');
  const projections = store.floats(layout.PROJECTIONS, 12 * slots);
  for (const [k, rank] of found.entries()) projections[12 * numbers[k]! + 3] = rank;
  return { isolated: ranks[0]!, lines: ranks[1]!, sheets: ranks[2]! };
}
