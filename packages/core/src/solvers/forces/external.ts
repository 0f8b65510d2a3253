import type { ParticleStore } from '../../particles/store.js';

/**
 * Forces from outside on solids and rigid bodies. Liquids write theirs once in a step of their own, and they stay; grabs
 * and forces add theirs anew in every substep.
 */
export class ExternalForces {
  readonly #store: ParticleStore;
  /** What liquids wrote, while something is added to it. */
  #liquid: Float32Array | undefined;
  #added = false;

  constructor(store: ParticleStore) {
    this.#store = store;
  }

  /** The array to add to [N], with nothing but what liquids wrote. */
  begin(): Float32Array {
    const forces = this.#store.externalForces();
    if (this.#added) forces.set(this.#liquid!);
    else if (this.#liquid) this.#liquid.set(forces);
    else this.#liquid = forces.slice();
    this.#added = true;
    return forces;
  }

  /** Takes away what was added. */
  clear(): void {
    if (!this.#added) return;
    this.#store.externalForces().set(this.#liquid!);
    this.#added = false;
  }
}
