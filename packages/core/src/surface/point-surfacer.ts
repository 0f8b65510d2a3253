import { Engine } from '../memory/engine.js';
import { PointSurface, type PointSurfaceOptions } from './points/point-surface.js';
import type { SurfelSamples } from './surfel-sampling.js';
import { SurfelCloud, type SurfelParts } from './surfels.js';

/** Makes surfaces of points for particles that are in no world, such as those of a run's frames, on its own threads. */
export class PointSurfacer {
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  static async create(options: { threads?: 'auto' | number } = {}): Promise<PointSurfacer> {
    return new PointSurfacer(await Engine.create(options.threads ?? 'auto'));
  }

  /** Surfels of a solid, at rest where its particles are, xyz triples [m], at rest. */
  surfels(particles: ArrayLike<number>, samples: SurfelSamples, parts?: SurfelParts): SurfelCloud {
    return new SurfelCloud(this.#engine, particles, samples, parts);
  }

  /** A surface around particles that flow; it has no surfels before its first update. */
  points(options: PointSurfaceOptions): PointSurface {
    return new PointSurface(this.#engine, options);
  }

  get threads(): number {
    return this.#engine.threads;
  }

  passTimings() {
    return Object.fromEntries(this.#engine.timings);
  }

  /** Stops the threads; its surfaces cannot be updated afterwards. */
  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }
}
