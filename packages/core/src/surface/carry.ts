/**
 * Runs the passes of assembly/surface/carry.ts: particles of a deforming body, and points that follow them. What is
 * found at rest stays on this side too, because the engine's memory is given back whenever a world is laid out anew.
 */
import { Context } from '../memory/context.js';
import type { Engine } from '../memory/engine.js';
import * as layout from '../particles/carry-layout.js';
import { INDEX_TAG } from '../particles/layout.js';
import { fitParticles, followParticles } from './binding.js';
import { NearestPoints } from './nearest.js';
import type { Flat, Neighborhoods } from './neighborhoods.js';

type Numbers = ArrayLike<number>;
type Floats = Float32Array | Float64Array;
type Vector = [number, number, number];

/** The particles that carry points, with the gradient of the deformation at each. */
export class Carriers {
  readonly engine: Engine;
  readonly count: number;
  /** Positions at rest, xyz triples [m]. */
  readonly positions: Float64Array;
  /** Mean place at rest [m]; float32 numbers are measured from it. */
  readonly restCenter: Vector;
  /** Mean place at the last update [m]. */
  readonly center: Vector;
  readonly #rest: Float32Array;
  readonly #starts: Uint32Array;
  readonly #fits: Float32Array;
  readonly #flats: readonly Flat[];
  #block: Context | undefined;
  #epoch = -1;
  readonly #positions: Float32Array;
  #followed: Uint32Array | undefined;
  #flatCount = 0;
  #poses = 0;
  #rates = 0;

  readonly #ends: readonly number[] | undefined;

  /** Particles at rest, xyz triples [m], and where parts of them end that air separates. */
  constructor(engine: Engine, rest: Numbers, ends?: readonly number[]) {
    this.engine = engine;
    this.#ends = ends;
    this.count = rest.length / 3;
    if (this.count === 0) throw new RangeError('points need at least one particle to follow');
    this.positions = new Float64Array(rest);
    this.restCenter = meanPosition(this.positions);
    this.center = [...this.restCenter];
    this.#rest = relative(this.positions, this.restCenter);
    this.#positions = this.#rest.slice();
    const { neighborhoods, vectors, flats } = fitParticles(engine, this.positions, ends?.slice());
    const { starts, indices } = neighborhoods;
    this.#flats = flats;
    this.#starts = new Uint32Array(starts.buffer);
    this.#fits = new Float32Array(4 * indices.length);
    const words = new Uint32Array(this.#fits.buffer);
    for (let n = 0; n < indices.length; n++) {
      this.#fits[4 * n] = vectors[3 * n]!;
      this.#fits[4 * n + 1] = vectors[3 * n + 1]!;
      this.#fits[4 * n + 2] = vectors[3 * n + 2]!;
      words[4 * n + 3] = INDEX_TAG | indices[n]!;
    }
  }

  /** Tells where the particles are now, xyz triples [m]. */
  update(positions: Numbers): void {
    this.center.splice(0, 3, ...meanPosition(positions));
    relative(positions, this.center, this.#positions);
    this.#fit();
  }

  /**
   * The particles that positions at rest follow, xyz triples [m]; weights add up to one. Where air separates parts they
   * follow the part that is next to `inside`, a point for each position.
   */
  near(positions: Numbers, inside: Numbers = positions): Neighborhoods {
    const ends = this.#ends;
    if (!ends) return followParticles(this.engine, this.positions, positions);
    const search = new NearestPoints(this.positions);
    const [nearest, square] = [new Int32Array(1), new Float64Array(1)];
    const of = Uint32Array.from({ length: positions.length / 3 }, (_, k) => {
      search.find(inside[3 * k]!, inside[3 * k + 1]!, inside[3 * k + 2]!, 1, nearest, square);
      return ends.findIndex((end) => nearest[0]! < end);
    });
    return followParticles(this.engine, this.positions, positions, { ends, of });
  }

  /** From now on only the poses of these particles are wanted. */
  follow(particles: Uint32Array): void {
    this.#followed = particles;
    if (this.#block && this.#epoch === this.engine.arena.epoch) this.#writeFollowed(this.#block);
  }

  /**
   * The field as affine maps of rest positions, for those who add it up themselves: x(m) = sum_j w_j A_j (m, 1). Of
   * each particle the three rows of A_j = [F_j, x_j - F_j m_j], so 12 numbers, into `out` from `at` on; what nobody
   * follows has zeros.
   */
  affines(out: Float32Array, at: number): void {
    const block = this.#resident();
    const { arena } = this.engine;
    allocateOnce(block, layout.AFFINES, 48 * this.count);
    arena.f64(block.context + layout.REST_CENTER, 3).set(this.restCenter);
    arena.f64(block.context + layout.CENTER, 3).set(this.center);
    this.engine.run('writeAffines', this.#posed, block.context);
    out.set(block.floats(layout.AFFINES, 12 * this.count), at);
  }

  /** Particles whose poses are found. */
  get #posed(): number {
    return this.#followed?.length ?? this.count;
  }

  /** Address of the particles' poses. */
  get poses(): number {
    this.#resident();
    return this.#poses;
  }

  /** Address of the change of the poses by these velocities [m/s], xyz triples, and their mean. */
  rates(velocities: Numbers): { readonly rates: number; readonly mean: Vector } {
    const block = this.#resident();
    const { arena } = this.engine;
    const mean = meanPosition(velocities);
    if (this.#rates === 0) this.#rates = arena.allocate(64 * this.count);
    writeWords(block, layout.POSITIONS, relative(velocities, mean));
    block.setInteger(layout.POSES, this.#rates);
    this.engine.run('fitCarriers', this.#posed, block.context);
    block.setInteger(layout.POSES, this.#poses);
    return { rates: this.#rates, mean };
  }

  #fit(): void {
    const block = this.#resident();
    writeWords(block, layout.POSITIONS, this.#positions);
    this.engine.run('fitCarriers', this.#posed, block.context);
    if (this.#flatCount > 0) this.engine.run('completeCarriers', this.#flatCount, block.context);
  }

  /** The block in the engine's memory, written anew when that was given back. */
  #resident(): Context {
    const { arena } = this.engine;
    if (this.#block && this.#epoch === arena.epoch) return this.#block;
    const block = new Context(this.engine, layout.FIELD_CONTEXT_SIZE);
    this.#block = block;
    this.#epoch = arena.epoch;
    this.#rates = 0;
    for (const slot of [layout.REST, layout.POSITIONS]) block.allocate(slot, 16 * this.count);
    block.allocate(layout.FIT_STARTS, 4 * this.#starts.length);
    block.allocate(layout.FITS, 4 * this.#fits.length);
    this.#poses = block.allocate(layout.POSES, 64 * this.count);
    block.allocate(layout.FLATS, layout.FLAT_STRIDE * this.#flats.length);
    this.#writeFollowed(block);
    writeWords(block, layout.REST, this.#rest);
    block.integers(layout.FIT_STARTS, this.#starts.length).set(this.#starts);
    writeWords(block, layout.FITS, this.#fits);
    this.#fit();
    return block;
  }

  /** Writes which poses are wanted, and those among them whose neighbours do not span space. */
  #writeFollowed(block: Context): void {
    const { arena } = this.engine;
    const followed = this.#followed;
    if (followed) {
      allocateOnce(block, layout.FOLLOWED, 4 * this.count);
      block.integers(layout.FOLLOWED, followed.length).set(followed);
    }
    const posed = followed && new Set(followed);
    let at = block.address(layout.FLATS);
    this.#flatCount = 0;
    for (const { particle, rank, axes } of this.#flats) {
      if (posed && !posed.has(particle)) continue;
      arena.u32(at, 2).set([particle, rank]);
      const rows = arena.f32(at + layout.FLAT_AXES, 12);
      for (let a = 0; a < 9; a++) rows[4 * Math.floor(a / 3) + (a % 3)] = axes[a]!;
      at += layout.FLAT_STRIDE;
      this.#flatCount++;
    }
  }
}

/** Half a spacing [m] below a surface with such normals: nearer to particles of its own part than to others. */
export function insideOf(positions: Numbers, normals: Numbers, spacing: number): Float64Array {
  return Float64Array.from({ length: positions.length }, (_, k) => positions[k]! - (spacing / 2) * normals[k]!);
}

/** Points that follow particles by the first-order field of [K06] eq. 5.28. */
export class CarriedPoints {
  readonly carriers: Carriers;
  readonly count: number;
  readonly #rest: Float32Array;
  readonly #starts: Uint32Array;
  readonly #near: Float32Array;
  #block: Context | undefined;
  #epoch = -1;

  /** Points at rest, xyz triples in the same coordinates as the particles at rest [m]; for `inside` see there. */
  constructor(carriers: Carriers, rest: Numbers, inside?: Numbers) {
    this.carriers = carriers;
    this.count = rest.length / 3;
    this.#rest = relative(rest, carriers.restCenter);
    const { starts, indices, weights } = carriers.near(rest, inside);
    this.#starts = new Uint32Array(starts.buffer);
    this.#near = new Float32Array(2 * indices.length);
    const words = new Uint32Array(this.#near.buffer);
    for (let n = 0; n < indices.length; n++) {
      this.#near[2 * n] = weights[n]!;
      words[2 * n + 1] = indices[n]!;
    }
  }

  /** Where the points are at the carriers' last update [m]. */
  follow(out: Floats): void {
    const block = this.trace(false);
    absolute(block.floats(layout.POINT_POSITIONS, 4 * this.count), this.carriers.center, out);
  }

  /** Finds positions, from the carriers' center, and gradients if wanted, and leaves them in the engine's memory. */
  trace(gradients: boolean): Context {
    const block = this.#resident();
    if (gradients) allocateOnce(block, layout.POINT_GRADIENTS, 48 * this.count);
    this.#run(block, this.carriers.poses, gradients);
    return block;
  }

  /** Unit normals at the carriers' last update, from those at rest, xyz triples: by the cofactors of the gradient. */
  turnNormals(rest: Numbers, out: Floats): void {
    const block = this.trace(true);
    for (const slot of [layout.REST_NORMALS, layout.NORMALS]) allocateOnce(block, slot, 16 * this.count);
    block.floats(layout.REST_NORMALS, 4 * this.count).set(relative(rest, [0, 0, 0]));
    this.carriers.engine.run('turnCarriedNormals', this.count, block.context);
    absolute(block.floats(layout.NORMALS, 4 * this.count), [0, 0, 0], out);
  }

  /** Velocities of the points from those of the particles; directions that these do not span count as still. */
  moveVelocities(velocities: Numbers, out: Floats): void {
    const { rates, mean } = this.carriers.rates(velocities);
    const block = this.#resident();
    this.#run(block, rates, false);
    absolute(block.floats(layout.POINT_POSITIONS, 4 * this.count), mean, out);
  }

  /** Numbers per particle, `channels` of each, at the points. */
  interpolate(values: Numbers, out: Floats, channels = 1): void {
    const block = this.#resident();
    const { engine, count: particles } = this.carriers;
    const mark = engine.arena.mark();
    block.allocate(layout.VALUES, 4 * channels * particles);
    block.allocate(layout.POINT_VALUES, 4 * channels * this.count);
    block.setInteger(layout.CHANNELS, channels);
    block.floats(layout.VALUES, channels * particles).set(values);
    engine.run('blendCarriedValues', this.count, block.context);
    out.set(block.floats(layout.POINT_VALUES, channels * this.count));
    engine.arena.release(mark);
  }

  #run(block: Context, poses: number, gradients: boolean): void {
    block.setInteger(layout.POINT_POSES, poses);
    block.setInteger(layout.KEEPS_GRADIENTS, gradients ? 1 : 0);
    this.carriers.engine.run('carryPoints', this.count, block.context);
  }

  /** The block in the engine's memory, written anew when that was given back. */
  #resident(): Context {
    const { engine } = this.carriers;
    if (this.#block && this.#epoch === engine.arena.epoch) return this.#block;
    const block = new Context(engine, layout.POINT_CONTEXT_SIZE);
    this.#block = block;
    this.#epoch = engine.arena.epoch;
    block.allocate(layout.POINT_REST, 16 * this.count);
    block.allocate(layout.POINT_POSITIONS, 16 * this.count);
    block.allocate(layout.NEAR_STARTS, 4 * this.#starts.length);
    block.allocate(layout.NEAR, 4 * this.#near.length);
    block.floats(layout.POINT_REST, this.#rest.length).set(this.#rest);
    block.integers(layout.NEAR_STARTS, this.#starts.length).set(this.#starts);
    writeWords(block, layout.NEAR, this.#near);
    return block;
  }
}

function allocateOnce(block: Context, slot: number, bytes: number): void {
  if (block.address(slot) === 0) block.allocate(slot, bytes);
}

/** Copies by words: an index in a float's place must not pass as one. */
function writeWords(block: Context, slot: number, values: Float32Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  block.integers(slot, words.length).set(words);
}

function meanPosition(positions: Numbers): Vector {
  let [x, y, z] = [0, 0, 0];
  for (let k = 0; k < positions.length; k += 3) {
    x += positions[k]!;
    y += positions[k + 1]!;
    z += positions[k + 2]!;
  }
  const count = positions.length / 3;
  return [x / count, y / count, z / count];
}

/** xyz triples as float32 quadruples from a center. */
function relative(
  positions: Numbers,
  [x, y, z]: Vector,
  out: Float32Array = new Float32Array((4 * positions.length) / 3),
): Float32Array {
  const count = positions.length / 3;
  for (let i = 0; i < count; i++) {
    out[4 * i] = positions[3 * i]! - x;
    out[4 * i + 1] = positions[3 * i + 1]! - y;
    out[4 * i + 2] = positions[3 * i + 2]! - z;
  }
  return out;
}

/** And back. */
function absolute(from: Float32Array, [x, y, z]: Vector, out: Floats): void {
  const count = from.length / 4;
  for (let i = 0; i < count; i++) {
    out[3 * i] = from[4 * i]! + x;
    out[3 * i + 1] = from[4 * i + 1]! + y;
    out[3 * i + 2] = from[4 * i + 2]! + z;
  }
}
