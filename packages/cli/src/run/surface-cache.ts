/** Surfaces of liquids that a run keeps beside its frames. */
import { type DescribedObstacle, LiquidSurfacer, matterOf, type Scene } from 'phyxel';
import type { Frame } from './frame-file.js';
import { FINENESS, type Fineness, liquidSurfaces } from './liquid-surface.js';
import { encodeSurfaces, prepareSurfaceFiles } from './surface-file.js';

export class SurfaceCache {
  readonly #surfacer: LiquidSurfacer;
  readonly #spacings: ReadonlyMap<string, number>;
  /** Names of bodies that have a mesh of their own, or had one before they melted. */
  readonly #solids: ReadonlySet<string>;
  readonly #obstacles: readonly DescribedObstacle[];
  readonly #fineness: Fineness;

  private constructor(
    surfacer: LiquidSurfacer,
    spacings: ReadonlyMap<string, number>,
    solids: ReadonlySet<string>,
    obstacles: readonly DescribedObstacle[],
    fineness: Fineness,
  ) {
    this.#surfacer = surfacer;
    this.#spacings = spacings;
    this.#solids = solids;
    this.#obstacles = obstacles;
    this.#fineness = fineness;
  }

  /** `spacings` are those of all bodies and sources of the scene. */
  static async open(
    { bodies, obstacles }: Scene,
    spacings: ReadonlyMap<string, number>,
    threads: 'auto' | number,
    fineness: Fineness,
  ): Promise<SurfaceCache> {
    await prepareSurfaceFiles();
    const solids = new Set(bodies.filter((body) => !matterOf(body).isFluid).map(({ name }) => name));
    return new SurfaceCache(await LiquidSurfacer.create({ threads }), spacings, solids, obstacles, fineness);
  }

  /** The file of a frame's surfaces. */
  encode(frame: Frame): Uint8Array {
    const liquids = frame.bodies
      .filter(({ name }) => !this.#solids.has(name))
      .map(({ name, begin, end }) => ({ name, begin, end, spacing: this.#spacings.get(name)! }));
    const surfaces = liquidSurfaces(frame, liquids, this.#obstacles, this.#surfacer, this.#fineness);
    const meshes = liquids.map(({ name, spacing }, k) => ({ name, spacing, ...surfaces[k]! }));
    const { cell = FINENESS.cell, tolerance = FINENESS.tolerance } = this.#fineness;
    return encodeSurfaces({ frame: frame.frame, stateHash: frame.stateHash, cell, tolerance, meshes });
  }

  dispose(): Promise<void> {
    return this.#surfacer.dispose();
  }
}
