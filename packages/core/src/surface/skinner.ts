import { Engine } from '../memory/engine.js';
import { CarriedPoints, Carriers } from './carry.js';
import type { Skin } from './skin.js';

/** What skins do, wherever they are computed. */
export type Skinning = Pick<
  Skin,
  'vertexCount' | 'particleCount' | 'deform' | 'turnNormals' | 'moveVelocities' | 'interpolate'
>;

/**
 * Makes skins that are computed in WebAssembly, on threads of their own, in float32 around the middle of the
 * particles: the same field as that of `Skin`, to a few millionths of the body's size. Memory is taken when a skin is
 * first used, and given back with the skinner.
 */
export class Skinner {
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  static async create(options: { threads?: 'auto' | number } = {}): Promise<Skinner> {
    return new Skinner(await Engine.create(options.threads ?? 'auto'));
  }

  /** Vertices and particles at rest, xyz triples in the same coordinates. */
  skin(vertices: ArrayLike<number>, particles: ArrayLike<number>): Skinning {
    return new CarriedSkin(this.#engine, vertices, particles);
  }

  get threads(): number {
    return this.#engine.threads;
  }

  /** Bytes of WASM memory that its skins have taken. */
  get memoryBytes(): number {
    return this.#engine.arena.bytes;
  }

  /** Stops the threads. */
  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }
}

class CarriedSkin implements Skinning {
  readonly vertexCount: number;
  readonly particleCount: number;
  readonly #carriers: Carriers;
  readonly #vertices: CarriedPoints;

  constructor(engine: Engine, vertices: ArrayLike<number>, particles: ArrayLike<number>) {
    this.#carriers = new Carriers(engine, particles);
    this.#vertices = new CarriedPoints(this.#carriers, vertices);
    this.vertexCount = this.#vertices.count;
    this.particleCount = this.#carriers.count;
  }

  deform(positions: ArrayLike<number>, out: Float32Array | Float64Array): void {
    this.#carriers.update(positions);
    this.#vertices.follow(out);
  }

  turnNormals(rest: ArrayLike<number>, out: Float32Array | Float64Array): void {
    this.#vertices.turnNormals(rest, out);
  }

  moveVelocities(velocities: ArrayLike<number>, out: Float32Array | Float64Array): void {
    this.#vertices.moveVelocities(velocities, out);
  }

  interpolate(values: ArrayLike<number>, out: Float32Array | Float64Array): void {
    this.#vertices.interpolate(values, out);
  }
}
