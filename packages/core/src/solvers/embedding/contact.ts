import type { ContactOptions } from '../../options/types.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';
import * as common from '../../particles/layout.js';
import { contactFrequency, DAMPING, FAR_SUPPORTS, FIRST_ROOM, findWholeCandidates } from '../contact/particles.js';

/** Candidates are searched this share of the smallest contact distance beyond touching. */
const SKIN_SHARE = 0.5;

type Triple = [number, number, number];

/** How a body moved as a whole since the candidates were found, and the box that it was in then. */
interface Carrier {
  low: Triple;
  high: Triple;
  /** Mean place then [m]. */
  mean: Triple;
}

/**
 * Contact of bodies that flow with each other and with far parts of themselves: the law of contact/particles.ts on
 * all particles, where far is what is far in embedded space. Neighbours never touch, so contact and elasticity do
 * not act on one pair.
 *
 * Candidates are good while no two particles may have come nearer by the skin. That is judged by how far particles
 * have moved beyond the mean motion of their body, and by how far means have come nearer; flying costs nothing.
 */
export class FlowContact {
  readonly #store: EmbeddingStore;
  readonly #bodies: number;
  readonly #possible: boolean;
  /** Largest distance at which two particles touch [m]. */
  readonly #reach: number;
  readonly #skin: number;
  /** Size of the cells of the search for neighbours, which shares the grid [m]. */
  readonly #neighborCell: number;
  #room = FIRST_ROOM;
  #any = false;
  /** How far everything may move before the candidates have to be looked at again [m]. */
  #slack = Number.NEGATIVE_INFINITY;
  #outdated = true;
  #carriers: Carrier[] = [];
  readonly #places: Float32Array;

  constructor(
    store: EmbeddingStore,
    choice: ContactOptions,
    spacings: { smallest: number; largest: number },
    supports: readonly number[],
  ) {
    this.#store = store;
    this.#bodies = supports.length;
    this.#possible = choice.self || (choice.bodies && this.#bodies > 1);
    this.#reach = spacings.largest;
    this.#skin = SKIN_SHARE * spacings.smallest;
    this.#neighborCell = Math.max(...supports);
    this.#places = new Float32Array(this.#possible ? 4 * store.capacity : 0);
    if (!this.#possible) return;
    const { capacity } = store;
    store.allocate(common.SURFACE_PARTICLE, 4 * capacity);
    const numbers = store.integers(common.SURFACE_PARTICLE, capacity);
    for (let i = 0; i < capacity; i++) numbers[i] = i;
    for (const slot of [
      common.SURFACE_POSITION,
      common.SURFACE_VELOCITY,
      common.SURFACE_REFERENCE,
      common.CONTACT_FORCE,
    ]) {
      store.allocate(slot, 16 * capacity);
    }
    store.allocate(common.BUCKET_BOXES, 32 * store.buckets);
    store.allocate(common.CANDIDATE_COUNT, 4 * capacity);
    store.allocate(common.CONTACT_RATE, 4 * Math.ceil(capacity / common.BLOCK));
    this.#makeRoom(FIRST_ROOM);
    // Far is what is far in embedded space; nobody reads what SURFACE_REFERENCE gets from SHIFT.
    store.setInteger(common.REST, store.address(layout.EMBEDDED));
    store.setInteger(common.DISPLACEMENT, store.address(layout.SHIFT));
    // Lane 3 is one over the mass in both.
    store.setInteger(common.GRADIENT_SUM, store.address(layout.POSITION));
    store.setInteger(common.BODY_COUNT, this.#bodies);
    store.setFloat(common.SKIN, this.#skin);
    store.setFloat(common.SELF_CONTACT, FAR_SUPPORTS);
    store.setFloat(common.CONTACT_DAMPING, DAMPING);
    for (const [b, support] of supports.entries()) {
      const at = store.address(common.BODIES) + b * common.BODY_STRIDE;
      const floats = store.engine.arena.f32(at, common.BODY_STRIDE / 4);
      const integers = store.engine.arena.u32(at, common.BODY_STRIDE / 4);
      integers[common.BODY_CONTACT / 4] = (choice.bodies ? 1 : 0) | (choice.self ? 2 : 0);
      floats[common.BODY_SUPPORT / 4] = support;
      // World axes.
      for (let a = 0; a < 3; a++) floats[common.BODY_FRAME / 4 + 5 * a] = 1;
    }
  }

  /** Forgets the candidates: particles have other numbers now. */
  invalidate(): void {
    this.#outdated = true;
  }

  /**
   * Contact forces at the present places, after everything has moved by at most `distance` since the last call.
   * Returns the squared frequency that contacts add [1/s2].
   */
  computeForces(distance: number): number {
    const store = this.#store;
    if (!this.#possible) return 0;
    this.#slack -= distance;
    const search = this.#outdated || (!(this.#slack >= 0) && this.#measureSlack() < 0);
    if (search || this.#any) store.run('computeEmbeddedSurface');
    if (search) this.#findCandidates();
    store.setInteger(common.CONTACT_ACTIVE, this.#any ? 1 : 0);
    if (!this.#any) return 0;
    store.run('computeContactForces');
    return contactFrequency(store.blockLargest(common.CONTACT_RATE));
  }

  #makeRoom(room: number): void {
    this.#store.allocate(common.CANDIDATES, 4 * room * this.#store.capacity);
    this.#store.setInteger(common.CANDIDATE_ROOM, room);
  }

  #findCandidates(): void {
    const store = this.#store;
    store.setInteger(common.POINTS, store.address(common.SURFACE_POSITION));
    store.setFloat(common.CELL_SIZE, this.#reach + this.#skin);
    store.run('computeCellKeys');
    store.engine.runSerial('sortByCell', store.context);
    store.engine.run('boundBuckets', store.buckets, store.context);
    const { most, room } = findWholeCandidates(store, store.count, this.#room, (more) => this.#makeRoom(more));
    store.setInteger(common.POINTS, store.address(layout.EMBEDDED));
    store.setFloat(common.CELL_SIZE, this.#neighborCell);
    this.#room = room;
    this.#any = most > 0;
    this.#outdated = false;
    this.#places.set(store.vectors(layout.POSITION));
    this.#carriers = this.#measureBodies();
    this.#slack = this.#skin / 2;
  }

  /** Half of what two particles may still come nearer before the candidates are too old [m]. */
  #measureSlack(): number {
    const now = this.#measureBodies();
    const shifts = now.map(({ mean }, b) => mean.map((x, a) => x - this.#carriers[b]!.mean[a]!));
    const x = this.#store.vectors(layout.POSITION);
    const bodyOf = this.#store.integers(common.BODY_OF, this.#store.count);
    let farthest = 0;
    for (let i = 0; i < this.#store.count; i++) {
      const shift = shifts[bodyOf[i]!]!;
      let way2 = 0;
      for (let a = 0; a < 3; a++) way2 += (x[4 * i + a]! - this.#places[4 * i + a]! - shift[a]!) ** 2;
      if (!(way2 <= farthest)) farthest = way2;
    }
    const moved = 2 * Math.sqrt(farthest);
    let slack = this.#skin - moved;
    for (let b = 1; b < now.length; b++) {
      for (let a = 0; a < b; a++) {
        const nearer = Math.hypot(...shifts[a]!.map((s, k) => s - shifts[b]![k]!));
        slack = Math.min(slack, Math.max(this.#skin, this.#gap(a, b) - this.#reach) - moved - nearer);
      }
    }
    this.#slack = slack / 2;
    return this.#slack;
  }

  /** Distance of the boxes of two bodies when the candidates were found, along the axis where it is largest [m]. */
  #gap(a: number, b: number): number {
    const [one, two] = [this.#carriers[a]!, this.#carriers[b]!];
    let gap = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < 3; k++) gap = Math.max(gap, one.low[k]! - two.high[k]!, two.low[k]! - one.high[k]!);
    return gap;
  }

  #measureBodies(): Carrier[] {
    const { count } = this.#store;
    const x = this.#store.vectors(layout.POSITION);
    const bodyOf = this.#store.integers(common.BODY_OF, count);
    const carriers = Array.from({ length: this.#bodies }, () => ({
      low: [Infinity, Infinity, Infinity] as Triple,
      high: [-Infinity, -Infinity, -Infinity] as Triple,
      mean: [0, 0, 0] as Triple,
      count: 0,
    }));
    for (let i = 0; i < count; i++) {
      const body = carriers[bodyOf[i]!]!;
      body.count++;
      for (let a = 0; a < 3; a++) {
        const place = x[4 * i + a]!;
        body.mean[a]! += place;
        if (place < body.low[a]!) body.low[a] = place;
        if (place > body.high[a]!) body.high[a] = place;
      }
    }
    for (const { mean, count: n } of carriers) for (let a = 0; a < 3; a++) mean[a]! /= Math.max(1, n);
    return carriers;
  }
}
