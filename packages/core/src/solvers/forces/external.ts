import type { SlotPair } from '../../particles/body-range.js';
import { EXTERNAL_FORCE } from '../../particles/layout.js';
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

  /** What acts now [N]. */
  get forces(): Float32Array {
    return this.#store.externalForces();
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

  /** Lets particles that have merged or split share the forces on them: their sum stays. */
  resample(merges: readonly SlotPair[], splits: readonly SlotPair[]): void {
    if (this.#store.address(EXTERNAL_FORCE) === 0) return;
    for (const forces of [this.#store.externalForces(), ...(this.#liquid ? [this.#liquid] : [])]) {
      for (const [one, other] of merges) {
        for (let a = 0; a < 3; a++) forces[4 * one + a]! += forces[4 * other + a]!;
        forces.fill(0, 4 * other, 4 * other + 3);
      }
      for (const [one, other] of splits) {
        for (let a = 0; a < 3; a++) forces[4 * other + a] = forces[4 * one + a]! /= 2;
      }
    }
  }

  /** Takes away what was added. */
  clear(): void {
    if (!this.#added) return;
    this.#store.externalForces().set(this.#liquid!);
    this.#added = false;
  }
}
