import { Engine } from '../memory/engine.js';
import { CarriedPoints, Carriers, insideOf } from './carry.js';
import type { Skin } from './skin.js';

/** What skins do, wherever they are computed. */
export type Skinning = Pick<
  Skin,
  'vertexCount' | 'particleCount' | 'deform' | 'turnNormals' | 'moveVelocities' | 'interpolate'
>;

/** Parts of a body that air separates, which carry the vertices on their own side only. */
export interface SkinParts {
  /** Numbers of particles at which the parts end, as `parts` of a body. */
  readonly ends: readonly number[] | undefined;
  /** Of the vertices at rest, xyz triples. */
  readonly normals: ArrayLike<number>;
  /** Of the particles [m]. */
  readonly spacing: number;
}

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
  skin(vertices: ArrayLike<number>, particles: ArrayLike<number>, parts?: SkinParts): Skinning {
    return new CarriedSkin(this.#engine, vertices, particles, parts);
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

  constructor(engine: Engine, vertices: ArrayLike<number>, particles: ArrayLike<number>, parts?: SkinParts) {
    this.#carriers = new Carriers(engine, particles, parts?.ends);
    const inside = parts?.ends && insideOf(vertices, parts.normals, parts.spacing);
    this.#vertices = new CarriedPoints(this.#carriers, vertices, inside);
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
