/**
 * Runs the passes of assembly/surface/binding.ts: which particles positions follow, with the numbers that `Skin` finds by
 * itself. Places are looked at in portions, so that the engine's memory stays small; all of it is given back.
 */
import { Context } from '../memory/context.js';
import type { Engine } from '../memory/engine.js';
import * as layout from '../particles/binding-layout.js';
import { cellsAround } from './nearest.js';
import { type Flat, type Neighborhoods, PARTICLE_NEIGHBORS, VERTEX_NEIGHBORS } from './neighborhoods.js';

const PORTION = 4096;

/** Positions that are on parts of a body which air separates: particles up to where each part ends, and each position's part. */
export interface PointParts {
  readonly ends: readonly number[];
  readonly of: Uint32Array;
}

/**
 * The particles that each position follows; positions and particles at rest, xyz triples. Weights add up to one. Those of
 * another part are not followed.
 */
export function followParticles(
  engine: Engine,
  particles: Float64Array,
  positions: ArrayLike<number>,
  parts?: PointParts,
): Neighborhoods {
  if (!parts) return followWhole(engine, particles, positions);
  const count = positions.length / 3;
  const pieces = parts.ends.map((end, part) => {
    const begin = parts.ends[part - 1] ?? 0;
    const own = Uint32Array.from({ length: count }, (_, k) => k).filter((k) => parts.of[k] === part);
    const at = Float64Array.from(
      { length: 3 * own.length },
      (_, k) => positions[3 * own[Math.floor(k / 3)]! + (k % 3)]!,
    );
    return { begin, own, lists: followWhole(engine, particles.subarray(3 * begin, 3 * end), at) };
  });
  const starts = new Int32Array(count + 1);
  for (const { own, lists } of pieces) {
    for (const [n, k] of own.entries()) starts[k + 1] = lists.starts[n + 1]! - lists.starts[n]!;
  }
  for (let k = 0; k < count; k++) starts[k + 1]! += starts[k]!;
  const indices = new Int32Array(starts[count]!);
  const weights = new Float64Array(starts[count]!);
  for (const { begin, own, lists } of pieces) {
    for (const [n, k] of own.entries()) {
      const [from, to] = [lists.starts[n]!, lists.starts[n + 1]!];
      indices.set(
        lists.indices.subarray(from, to).map((j) => begin + j),
        starts[k],
      );
      weights.set(lists.weights.subarray(from, to), starts[k]);
    }
  }
  return { starts, indices, weights };
}

function followWhole(engine: Engine, particles: Float64Array, positions: ArrayLike<number>): Neighborhoods {
  const lists = new Lists(positions.length / 3, VERTEX_NEIGHBORS + 1);
  inPortions(engine, particles, positions, { wanted: VERTEX_NEIGHBORS + 1, isFit: false }, (block, first, count) => {
    lists.add(block, first, count);
  });
  return lists.whole();
}

/** Neighbours of particles and the vectors that make the gradient of them. */
interface Fits {
  readonly neighborhoods: Neighborhoods;
  readonly vectors: Float64Array;
  readonly flats: readonly Flat[];
}

/** The neighbours that each particle's gradient is fitted to, as `fitGradients` has them; of the same part only. */
export function fitParticles(engine: Engine, particles: Float64Array, ends = [particles.length / 3]): Fits {
  const pieces = ends.map((end, part) => {
    const begin = ends[part - 1] ?? 0;
    return { begin, ...fitWhole(engine, particles.subarray(3 * begin, 3 * end)) };
  });
  if (pieces.length === 1) return pieces[0]!;
  const starts: number[] = [0];
  for (const { neighborhoods } of pieces) {
    const before = starts.at(-1)!;
    for (const start of neighborhoods.starts.subarray(1)) starts.push(before + start);
  }
  return {
    neighborhoods: {
      starts: Int32Array.from(starts),
      indices: Int32Array.from(
        pieces.flatMap(({ begin, neighborhoods }) => [...neighborhoods.indices.map((j) => begin + j)]),
      ),
      weights: Float64Array.from(pieces.flatMap(({ neighborhoods }) => [...neighborhoods.weights])),
    },
    vectors: Float64Array.from(pieces.flatMap(({ vectors }) => [...vectors])),
    flats: pieces.flatMap(({ begin, flats }) => flats.map((flat) => ({ ...flat, particle: begin + flat.particle }))),
  };
}

function fitWhole(engine: Engine, particles: Float64Array): Fits {
  // One more for the support, and one for the particle itself.
  const wanted = PARTICLE_NEIGHBORS + 2;
  const count = particles.length / 3;
  const lists = new Lists(count, wanted);
  const vectors = new Float64Array(3 * count * wanted);
  const flats: Flat[] = [];
  inPortions(engine, particles, particles, { wanted, isFit: true }, (block, first, portion) => {
    const { arena } = engine;
    const before = lists.pairs;
    const pairs = lists.add(block, first, portion);
    vectors.set(arena.f64(block.address(layout.VECTORS), 3 * pairs), 3 * before);
    const ranks = block.integers(layout.RANKS, portion);
    for (let k = 0; k < portion; k++) {
      if (ranks[k] === 3) continue;
      const axes = arena.f64(block.address(layout.AXES) + 72 * k, 9).slice();
      flats.push({ particle: first + k, rank: ranks[k]!, axes });
    }
  });
  return { neighborhoods: lists.whole(), vectors: vectors.slice(0, 3 * lists.pairs), flats };
}

/** Lists of portions, one behind the other. */
class Lists {
  readonly #starts: Int32Array;
  readonly #indices: Int32Array;
  readonly #weights: Float64Array;
  pairs = 0;

  constructor(positions: number, wanted: number) {
    this.#starts = new Int32Array(positions + 1);
    this.#indices = new Int32Array(positions * wanted);
    this.#weights = new Float64Array(positions * wanted);
  }

  /** Answers how many pairs the portion has. */
  add(block: Context, first: number, count: number): number {
    const pairs = block.address(layout.PAIR_COUNT);
    const counts = block.integers(layout.COUNTS, count);
    let end = this.pairs;
    for (let k = 0; k < count; k++) {
      end += counts[k]!;
      this.#starts[first + k + 1] = end;
    }
    this.#indices.set(block.integers(layout.INDICES, pairs), this.pairs);
    this.#weights.set(block.engine.arena.f64(block.address(layout.WEIGHTS), pairs), this.pairs);
    this.pairs = end;
    return pairs;
  }

  whole(): Neighborhoods {
    const { pairs } = this;
    return { starts: this.#starts, indices: this.#indices.slice(0, pairs), weights: this.#weights.slice(0, pairs) };
  }
}

/** Calls `take` with every portion of the positions, when what they follow is in the block. */
function inPortions(
  engine: Engine,
  particles: Float64Array,
  positions: ArrayLike<number>,
  { wanted, isFit }: { readonly wanted: number; readonly isFit: boolean },
  take: (block: Context, first: number, count: number) => void,
): void {
  const { arena } = engine;
  const mark = arena.mark();
  try {
    const block = new Context(engine, layout.BINDING_CONTEXT_SIZE);
    arrange(block, particles);
    const total = positions.length / 3;
    const most = Math.min(PORTION, total);
    for (const [slot, bytes] of [
      [layout.POSITIONS, 24],
      [layout.COUNTS, 4],
      [layout.INDICES, 4 * wanted],
      [layout.WEIGHTS, 8 * wanted],
      ...(isFit
        ? ([
            [layout.VECTORS, 24 * wanted],
            [layout.RANKS, 4],
            [layout.AXES, 72],
            [layout.MOMENTS, 72],
          ] as const)
        : []),
    ] as const) {
      block.allocate(slot, bytes * most);
    }
    block.setInteger(layout.WANTED, wanted);
    block.setInteger(layout.OWN, isFit ? 1 : 0);
    block.setInteger(layout.FITTED, isFit ? 1 : 0);
    block.setInteger(layout.NORMALISED, isFit ? 0 : 1);
    for (let first = 0; first < total; first += PORTION) {
      const count = Math.min(PORTION, total - first);
      const own = arena.f64(block.address(layout.POSITIONS), 3 * count);
      for (let k = 0; k < own.length; k++) own[k] = positions[3 * first + k]!;
      block.setInteger(layout.FIRST, first);
      block.setInteger(layout.POSITION_COUNT, count);
      engine.run('findFollowed', count, block.context);
      if (isFit) engine.run('fitFollowed', count, block.context);
      engine.runSerial('listFollowed', block.context);
      take(block, first, count);
    }
  } finally {
    arena.release(mark);
  }
}

/** Writes the particles and sorts them into cells. */
function arrange(block: Context, particles: Float64Array): void {
  const { engine, context } = block;
  const { arena } = engine;
  const count = particles.length / 3;
  const { low, cell, size } = cellsAround(particles);
  arena.f64(block.allocate(layout.POINTS, 24 * count), 3 * count).set(particles);
  block.setInteger(layout.POINT_COUNT, count);
  // Room for counting two positions up.
  block.allocate(layout.CELL_BEGIN, 4 * (size[0] * size[1] * size[2] + 2));
  block.allocate(layout.MEMBERS, 4 * count);
  arena.u32(context + layout.CELLS, 3).set(size);
  arena.f64(context + layout.CELL, 1)[0] = cell;
  arena.f64(context + layout.LOW, 3).set(low);
  engine.runSerial('arrangeFollowed', context);
}
