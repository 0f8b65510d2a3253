import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { BodyRange } from '../elastic/neighborhood.js';
import { allocateGrid, buildGrid } from '../elastic/neighborhood.js';

/** Contact damping as a share of critical, for restitution 0. */
const DAMPING = 0.5;
/** Parts of a body touch each other when their rest distance is more than this many supports. */
const FAR_SUPPORTS = 1.5;
/** Candidates are searched this share of the largest contact distance beyond touching. */
const SKIN_SHARE = 0.5;
/** A particle is on the surface when its neighbours' mean offset is more than this share of their mean distance. */
const SURFACE_OFFSET = 0.12;

export interface ContactChoice {
  readonly bodies: boolean;
  readonly self: boolean;
}

/**
 * Contact between particles: keeps the list of surface particles and of the pairs that may touch, and
 * renews the latter only when something has moved by half the skin.
 */
export class ParticleContact {
  readonly #store: ParticleStore;
  readonly #surface: number;
  readonly #cell: number;
  readonly #skin: number;
  #travelled = Number.POSITIVE_INFINITY;
  #candidates = 0;
  /** Pairs that found no room in the candidate lists when they were last made. */
  missed = 0;

  constructor(store: ParticleStore, ranges: readonly BodyRange[], choice: ContactChoice) {
    this.#store = store;
    const possible = choice.self || (choice.bodies && ranges.length > 1);
    const surface = possible ? findSurface(store) : [];
    this.#surface = surface.length;
    store.setInteger(layout.SURFACE_COUNT, surface.length);
    const surfaceOf = store.integers(layout.SURFACE_OF, store.count);
    for (const [s, i] of surface.entries()) surfaceOf[i] = s + 1;
    store.allocate(layout.SURFACE_PARTICLE, 4 * surface.length);
    store.integers(layout.SURFACE_PARTICLE, surface.length).set(surface);
    store.allocate(layout.SURFACE_POSITION, 16 * surface.length);
    store.allocate(layout.SURFACE_VELOCITY, 16 * surface.length);
    store.allocate(layout.CONTACT_FORCE, 16 * surface.length);
    store.allocate(layout.CANDIDATE_COUNT, 4 * surface.length);
    store.allocate(layout.CANDIDATES, 4 * layout.MAX_CANDIDATES * surface.length);
    store.allocate(layout.CONTACT_RATE, 4 * Math.ceil(surface.length / layout.BLOCK));
    allocateGrid(store, surface.length);
    const rest = store.vectors(layout.REST);
    const reach = surface.reduce((largest, i) => Math.max(largest, 2 * rest[4 * i + 3]!), 0);
    this.#skin = SKIN_SHARE * reach;
    this.#cell = Math.max(reach + this.#skin, Number.MIN_VALUE);
    store.setFloat(layout.SKIN, this.#skin);
    store.setFloat(layout.SELF_CONTACT, FAR_SUPPORTS);
    store.setFloat(layout.CONTACT_DAMPING, DAMPING);
    for (let b = 0; b < ranges.length; b++) {
      store.bodyIntegers(b)[layout.BODY_CONTACT / 4] = (choice.bodies ? 1 : 0) | (choice.self ? 2 : 0);
    }
  }

  /** Forgets the candidates; for when positions have been changed from outside. */
  invalidate(): void {
    this.#travelled = Number.POSITIVE_INFINITY;
  }

  /**
   * Contact forces at the present positions, after particles have moved by at most `distance` since
   * the last call. Returns the squared frequency that the contacts add [1/s2].
   */
  computeForces(distance: number): number {
    const store = this.#store;
    if (this.#surface === 0) return this.#inactive();
    this.#travelled += distance;
    const renew = 2 * this.#travelled >= this.#skin;
    if (!renew && this.#candidates === 0) return this.#inactive();
    store.run('computeSurface', this.#surface);
    if (renew) this.#findCandidates();
    if (this.#candidates === 0) return this.#inactive();
    store.run('computeContactForces', this.#surface);
    store.setInteger(layout.CONTACT_ACTIVE, 1);
    const rate = store.engine.helpers.largest(
      store.address(layout.CONTACT_RATE),
      Math.ceil(this.#surface / layout.BLOCK),
    );
    // Two particles on one spring: twice the rate; the damping raises the frequency to be resolved.
    const raised = Math.sqrt(1 + DAMPING * DAMPING) + DAMPING;
    return 2 * rate * raised * raised;
  }

  #inactive(): number {
    this.#store.setInteger(layout.CONTACT_ACTIVE, 0);
    return 0;
  }

  #findCandidates(): void {
    const store = this.#store;
    store.setInteger(layout.POINTS, store.address(layout.SURFACE_POSITION));
    buildGrid(store, this.#surface, this.#cell);
    store.run('findCandidates', this.#surface);
    const counts = store.engine.helpers.countCandidates(store.address(layout.CANDIDATE_COUNT), this.#surface);
    this.#candidates = Number(counts & 0xffff_ffffn);
    this.missed = Number(counts >> 32n);
    this.#travelled = 0;
  }
}

/** Particles whose neighbours lie to one side, by rising number. */
function findSurface(store: ParticleStore): number[] {
  const begins = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const pairs = store.floats(layout.NEIGHBORS, 4 * begins[store.count]!);
  const sums = store.vectors(layout.GRADIENT_SUM);
  const result: number[] = [];
  for (let i = 0; i < store.count; i++) {
    let distance = 0;
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const [x, y, z] = [pairs[4 * k]!, pairs[4 * k + 1]!, pairs[4 * k + 2]!];
      distance += Math.sqrt(x * x + y * y + z * z);
    }
    const [x, y, z] = [sums[4 * i]!, sums[4 * i + 1]!, sums[4 * i + 2]!];
    if (Math.sqrt(x * x + y * y + z * z) >= SURFACE_OFFSET * distance) result.push(i);
  }
  return result;
}
