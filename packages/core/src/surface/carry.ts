/**
 * Runs the passes of assembly/surface/carry.ts: particles of a deforming body, and points that follow them. What is
 * found at rest stays on this side too, because the engine's memory is given back whenever a world is laid out anew.
 */
import { Context } from '../memory/context.js';
import type { Engine } from '../memory/engine.js';
import * as layout from '../particles/carry-layout.js';
import { INDEX_TAG } from '../particles/layout.js';
import { NearestPoints } from './nearest.js';
import {
  type Flat,
  findNeighborhoods,
  fitGradients,
  normalise,
  PARTICLE_NEIGHBORS,
  VERTEX_NEIGHBORS,
} from './neighborhoods.js';

type Numbers = ArrayLike<number>;
type Floats = Float32Array | Float64Array;
type Vector = [number, number, number];

/** The particles that carry points, with the gradient of the deformation at each. */
export class Carriers {
  readonly engine: Engine;
  readonly count: number;
  readonly search: NearestPoints;
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
  #places: Float32Array;
  #poses = 0;
  #rates = 0;

  /** Particles at rest, xyz triples [m]. */
  constructor(engine: Engine, rest: Numbers) {
    this.engine = engine;
    this.count = rest.length / 3;
    if (this.count === 0) throw new RangeError('points need at least one particle to follow');
    const exact = Float64Array.from(rest);
    this.search = new NearestPoints(exact);
    this.restCenter = meanPlace(exact);
    this.center = [...this.restCenter];
    this.#rest = relative(exact, this.restCenter);
    this.#places = this.#rest.slice();
    const neighborhoods = findNeighborhoods(this.search, exact, PARTICLE_NEIGHBORS, true);
    const { vectors, flats } = fitGradients(exact, neighborhoods);
    this.#flats = flats;
    this.#starts = Uint32Array.from(neighborhoods.starts);
    this.#fits = new Float32Array(4 * neighborhoods.indices.length);
    const words = new Uint32Array(this.#fits.buffer);
    for (const [n, k] of neighborhoods.indices.entries()) {
      for (let axis = 0; axis < 3; axis++) this.#fits[4 * n + axis] = vectors[3 * n + axis]!;
      words[4 * n + 3] = INDEX_TAG | k;
    }
  }

  /** Tells where the particles are now, xyz triples [m]. */
  update(positions: Numbers): void {
    this.center.splice(0, 3, ...meanPlace(positions));
    this.#places = relative(positions, this.center);
    this.#fit();
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
    const mean = meanPlace(velocities);
    if (this.#rates === 0) this.#rates = arena.allocate(64 * this.count);
    writeWords(block, layout.PLACES, relative(velocities, mean));
    block.setInteger(layout.POSES, this.#rates);
    this.engine.run('fitCarriers', this.count, block.context);
    block.setInteger(layout.POSES, this.#poses);
    return { rates: this.#rates, mean };
  }

  #fit(): void {
    const block = this.#resident();
    writeWords(block, layout.PLACES, this.#places);
    this.engine.run('fitCarriers', this.count, block.context);
    if (this.#flats.length > 0) this.engine.run('completeCarriers', this.#flats.length, block.context);
  }

  /** The block in the engine's memory, written anew when that was given back. */
  #resident(): Context {
    const { arena } = this.engine;
    if (this.#block && this.#epoch === arena.epoch) return this.#block;
    const block = new Context(this.engine, layout.FIELD_CONTEXT_SIZE);
    this.#block = block;
    this.#epoch = arena.epoch;
    this.#rates = 0;
    for (const slot of [layout.REST, layout.PLACES]) block.allocate(slot, 16 * this.count);
    block.allocate(layout.FIT_STARTS, 4 * this.#starts.length);
    block.allocate(layout.FITS, 4 * this.#fits.length);
    this.#poses = block.allocate(layout.POSES, 64 * this.count);
    const flats = block.allocate(layout.FLATS, layout.FLAT_STRIDE * this.#flats.length);
    for (const [k, { particle, rank, axes }] of this.#flats.entries()) {
      const at = flats + k * layout.FLAT_STRIDE;
      arena.u32(at, 2).set([particle, rank]);
      const rows = arena.f32(at + layout.FLAT_AXES, 12);
      for (let a = 0; a < 9; a++) rows[4 * Math.floor(a / 3) + (a % 3)] = axes[a]!;
    }
    writeWords(block, layout.REST, this.#rest);
    block.integers(layout.FIT_STARTS, this.#starts.length).set(this.#starts);
    writeWords(block, layout.FITS, this.#fits);
    this.#fit();
    return block;
  }
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

  /** Points at rest, xyz triples in the same coordinates as the particles at rest [m]. */
  constructor(carriers: Carriers, rest: Numbers) {
    this.carriers = carriers;
    this.count = rest.length / 3;
    this.#rest = relative(rest, carriers.restCenter);
    const near = findNeighborhoods(carriers.search, rest, VERTEX_NEIGHBORS, false);
    normalise(near);
    this.#starts = Uint32Array.from(near.starts);
    this.#near = new Float32Array(2 * near.indices.length);
    const words = new Uint32Array(this.#near.buffer);
    for (const [n, j] of near.indices.entries()) {
      this.#near[2 * n] = near.weights[n]!;
      words[2 * n + 1] = j;
    }
  }

  /** Where the points are at the carriers' last update [m]. */
  follow(out: Floats): void {
    const block = this.trace(false);
    absolute(block.floats(layout.POINT_PLACES, 4 * this.count), this.carriers.center, out);
  }

  /** Finds places, from the carriers' center, and gradients if wanted, and leaves them in the engine's memory. */
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
    absolute(block.floats(layout.POINT_PLACES, 4 * this.count), mean, out);
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
    block.allocate(layout.POINT_PLACES, 16 * this.count);
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

function meanPlace(places: Numbers): Vector {
  const sum: Vector = [0, 0, 0];
  for (let k = 0; k < places.length; k += 3) {
    sum[0] += places[k]!;
    sum[1] += places[k + 1]!;
    sum[2] += places[k + 2]!;
  }
  return sum.map((total) => total / (places.length / 3)) as Vector;
}

/** xyz triples as float32 quadruples from a center. */
function relative(places: Numbers, [x, y, z]: Vector): Float32Array {
  const count = places.length / 3;
  const out = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) {
    out[4 * i] = places[3 * i]! - x;
    out[4 * i + 1] = places[3 * i + 1]! - y;
    out[4 * i + 2] = places[3 * i + 2]! - z;
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
