import type { Vec3 } from '../../options/types.js';
import { type BodyRange, isRenewed, isRigid } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { allocateGrid, buildGrid } from '../neighbors/search.js';
import type { SurfaceContact } from './surfaces.js';

/** Contact damping as a share of critical, for restitution 0. */
const DAMPING = 0.5;
/** Parts of a body touch each other when their rest distance is more than this many supports. */
const FAR_SUPPORTS = 1.5;
/** Candidates are searched this share of the smallest contact distance beyond touching. */
const SKIN_SHARE = 1;
/** Places for the candidates of a particle at first; so many times as some particle needs where those are too few. */
const FIRST_CAPACITY = 32;
const GROWTH = 1.5;
const SURFACE_SKIN_SHARE = 0.5;
/** Surfaces are looked at up to this share of the smallest spacing apart. */
const CLOSING = 0.25;
/** They touch beside their particles, by so many spacings: see assembly/contact/touch.ts. */
const BESIDE = 1.25;
/** A particle is on the surface when its neighbours' mean offset is more than this share of their mean distance. */
const SURFACE_OFFSET = 0.12;
const OUTERMOST = 1;
const SECOND = 2;
/** Particles nearer than this many touching distances are next to each other at rest. */
const SECOND_LAYER = 1.2;

/** Squared frequency that contacts add, of their largest sum of stiffness over mass [1/s2]. */
function contactFrequency(rate: number): number {
  // Two particles on one spring: twice the rate; the damping raises the frequency to be resolved.
  const raised = Math.sqrt(1 + DAMPING * DAMPING) + DAMPING;
  return 2 * rate * raised * raised;
}

export interface ContactChoice {
  readonly bodies: boolean;
  readonly self: boolean;
}

/**
 * Contact between particles: keeps the list of surface particles and of the pairs that may touch.
 *
 * The list is good as long as no two surface particles have come nearer by the skin. Within a body
 * that is judged by how far they have moved in the body's frame, so flying and tumbling cost nothing;
 * between bodies by how far anything has moved at all, once their boxes are near.
 */
export class ParticleContact {
  readonly #store: ParticleStore;
  readonly #choice: ContactChoice;
  readonly #bodies: readonly BodyRange[];
  /** Particles that touch at all, and those at the surface of their body. */
  readonly #touching: (i: number) => boolean;
  readonly #outer: Uint8Array;
  /** Particles that may be listed, and that are. */
  readonly #capacity: number;
  #surface = 0;
  /** Surface numbers of each body. */
  #ranges: readonly BodyRange[] = [];
  /** Largest distance at which two particles touch [m]. */
  readonly #reach: number;
  /** Contact of solids with each other, where their steps are explicit. */
  readonly #surfaces: SurfaceContact | undefined;
  /** Gap up to which that looks at surfaces [m]. */
  readonly #closing: number;
  /** Are there bodies that touch by forces, and do all do so now? */
  readonly #pushing: boolean;
  #byForces = false;
  readonly #skin: number;
  /** Farthest that anything may have moved since the candidates were found [m]. */
  #travelled = Number.POSITIVE_INFINITY;
  /** Where surface particles were then. */
  #foundAt: Float32Array = new Float32Array(0);
  /** How far anything may move before bodies that were apart can touch [m]. */
  #clearance = 0;
  /** How far anything may move before movement within the bodies has to be measured again [m]. */
  #slack = 0;
  #limit = FIRST_CAPACITY;
  /** Are there bodies that are not rigid? */
  readonly #elastic: boolean;
  /** Does any particle have a candidate? */
  #any = false;
  /** Has something broken? */
  isBroken = false;
  /** How far penetrations have been taken back since the last forces [m]. */
  #shifted = 0;
  /** Did the last call of computeForces find forces to add? */
  #active = false;

  /** `surfaces` makes what lets solids touch by their surfaces; undefined where they touch by forces, as in implicit steps. */
  constructor(
    store: ParticleStore,
    ranges: readonly BodyRange[],
    choice: ContactChoice,
    surfaces: ((isOutermost: (i: number) => boolean, capacity: number) => SurfaceContact) | undefined,
  ) {
    this.#store = store;
    this.#choice = choice;
    this.#bodies = ranges;
    this.#elastic = ranges.some((_, b) => !isRigid(store, b));
    const breaks = ranges.map((_, b) => store.bodyIntegers(b)[layout.BODY_BREAKS / 4] !== 0);
    const possible = choice.self || (choice.bodies && (ranges.length > 1 || breaks.includes(true)));
    const outer = possible ? findSurface(store) : new Uint8Array(store.count);
    this.#outer = outer;
    // Between bodies all particles count: where an impact opens a surface, what is behind it stops the other.
    const between = choice.bodies && ranges.length > 1;
    const bodyOf = store.integers(layout.BODY_OF, store.count).slice();
    // What can break may be anywhere at a surface.
    this.#touching = (i) => between || outer[i] !== 0 || (possible && breaks[bodyOf[i]!]!);
    const rest = store.vectors(layout.REST);
    let [count, largest, smallest] = [0, 0, Number.POSITIVE_INFINITY];
    for (let i = 0; i < store.count; i++) {
      if (!this.#touching(i)) continue;
      count++;
      largest = Math.max(largest, 2 * rest[4 * i + 3]!);
      smallest = Math.min(smallest, 2 * rest[4 * i + 3]!);
    }
    this.#capacity = count;
    const solid = ranges.some((_, b) => !isRigid(store, b) && !isRenewed(store, b));
    this.#surfaces = surfaces && solid && count > 0 ? surfaces((i) => outer[i] === OUTERMOST, count) : undefined;
    this.#skin = count > 0 ? (this.#surfaces ? SURFACE_SKIN_SHARE : SKIN_SHARE) * smallest : 0;
    this.#pushing = !this.#surfaces || ranges.some((_, b) => isRigid(store, b) || isRenewed(store, b));
    this.#closing = this.#surfaces ? CLOSING * smallest : 0;
    const farthest = Math.max(largest / 2, this.#surfaces?.farthest ?? 0);
    this.#reach = this.#surfaces ? Math.hypot(2 * farthest + this.#closing, BESIDE * largest) : largest;
    store.allocate(layout.SURFACE_PARTICLE, 4 * count);
    const blocks = Math.ceil(count / layout.BLOCK);
    for (const slot of [
      layout.SURFACE_POSITION,
      layout.SURFACE_VELOCITY,
      layout.SURFACE_REFERENCE,
      layout.CONTACT_FORCE,
      ...(ranges.some((_, b) => isRigid(store, b)) ? [layout.CONTACT_MOMENT] : []),
    ]) {
      store.allocate(slot, 16 * count);
    }
    store.allocate(layout.CANDIDATE_COUNT, 4 * count);
    store.allocate(layout.CONTACT_RATE, 4 * blocks);
    store.allocate(layout.SURFACE_TRAVEL, 4 * blocks);
    const buckets = allocateGrid(store, count);
    // Of viscoplastic bodies everything is surface, and most of it is near itself in the material.
    if (choice.self && ranges.some((_, b) => isRenewed(store, b))) store.allocate(layout.BUCKET_BOXES, 32 * buckets);
    store.setFloat(layout.SKIN, this.#skin);
    store.setFloat(layout.REACH_BY_SURFACE, this.#closing);
    store.setFloat(layout.SURFACE_LARGEST, farthest);
    store.setFloat(layout.SELF_CONTACT, FAR_SUPPORTS);
    store.setFloat(layout.CONTACT_DAMPING, DAMPING);
    for (let b = 0; b < ranges.length; b++) {
      const self = choice.self && !isRigid(store, b);
      store.bodyIntegers(b)[layout.BODY_CONTACT / 4] = (choice.bodies ? 1 : 0) | (self ? 2 : 0);
    }
    this.relist();
  }

  /** Bonds of some bodies have broken: all of their particles may be at a surface from now on. */
  crack(bodies: readonly number[]): void {
    if (!this.isBroken) {
      this.isBroken = true;
      if (this.#capacity === 0) return;
      for (const b of bodies) {
        const { begin, end } = this.#bodies[b]!;
        for (let i = begin; i < end; i++) if (this.#outer[i] === 0) this.#outer[i] = SECOND;
      }
      this.relist();
    }
    this.invalidate();
  }

  /**
   * Bonds of the particles that REFIT marks have changed, at the present positions: lists them with what they may touch
   * now, as long as the lists of the others are good.
   */
  noteChanges(): void {
    if (this.#surface === 0 || !(this.#travelled < Number.POSITIVE_INFINITY)) return;
    const store = this.#store;
    store.run('computeSurface', this.#surface);
    this.#sort();
    store.run('renewCandidates', this.#surface);
    store.engine.runSerial('linkCandidates', store.context);
    const most = store.engine.helpers.mostCandidates(store.address(layout.CANDIDATE_COUNT), this.#surface);
    if (most > this.#limit) this.invalidate();
    this.#any ||= most > 0;
  }

  /** Lists the particles that are in the world: those of viscoplastic bodies come and go. */
  relist(): void {
    const store = this.#store;
    const numbers = store.integers(layout.SURFACE_PARTICLE, this.#capacity);
    const surfaceOf = store.integers(layout.SURFACE_OF, store.count).fill(0);
    const isPresent = store.presence();
    let s = 0;
    this.#ranges = this.#bodies.map(({ begin, end }) => {
      const first = s;
      for (let i = begin; i < end; i++) {
        if (!this.#touching(i) || !isPresent(i)) continue;
        numbers[s] = this.#outer[i] !== 0 ? i : i | layout.INNER;
        surfaceOf[i] = ++s;
      }
      return { begin: first, end: s };
    });
    this.#surface = s;
    this.#surfaces?.relist(numbers.subarray(0, s), this.#ranges);
    this.invalidate();
    this.#clearance = 0;
  }

  /** Lets solids touch each other by forces, as implicit steps and equilibria want it, or by their surfaces again. */
  byForces(forces: boolean): void {
    if (!this.#surfaces) return;
    this.#byForces = forces;
    this.#store.setFloat(layout.REACH_BY_SURFACE, forces ? 0 : this.#closing);
    this.invalidate();
  }

  /** Impulses between solids for the step that begins, whose kick and drift are known. */
  push(): void {
    if (!this.#surfaces || this.#surface === 0) return;
    this.#shifted = this.#surfaces.push(this.#refresh(0));
  }

  /** Takes from what touches the approach that the kick at the end of the step has given it. */
  settle(): void {
    this.#surfaces?.settle();
  }

  /**
   * For when positions have been changed from outside: candidates of several bodies are found anew, those within one
   * when its particles have moved too far in its frame.
   */
  invalidate(): void {
    this.#travelled = Number.POSITIVE_INFINITY;
    this.#slack = -1;
  }

  /**
   * Contact forces at the present positions, after particles have moved by at most `distance` since
   * the last call. Returns the squared frequency that the contacts add [1/s2].
   */
  computeForces(distance: number): number {
    const store = this.#store;
    if (this.#surface === 0) return this.#inactive();
    const moved = distance + this.#shifted;
    this.#shifted = 0;
    if (!this.#refresh(moved)) return this.#inactive();
    if (!this.#pushing && !this.#byForces) return this.#inactive();
    this.#active = true;
    store.setInteger(layout.CONTACT_ACTIVE, 1);
    // Contact of rigid bodies with each other is their own affair.
    if (!this.#elastic) return 0;
    store.run('computeContactForces', this.#surface);
    return contactFrequency(this.#largest(layout.CONTACT_RATE));
  }

  /** Keeps the lists of candidates complete, after particles have moved by at most a distance; false when they are empty. */
  #refresh(distance: number): boolean {
    this.#travelled += distance;
    this.#slack -= distance;
    const bodiesNear = this.#travelled > this.#clearance;
    const selfNear = this.#choice.self && this.#slack < 0;
    if (!this.#any && !bodiesNear && !selfNear) return false;
    // Without forces, surfaces are where they are asked for.
    if (this.#pushing || this.#byForces || bodiesNear || selfNear) this.#store.run('computeSurface', this.#surface);
    if ((bodiesNear && this.#measureTravel() > this.#clearance) || (selfNear && this.#measureSlack() <= 0)) {
      this.#findCandidates();
    }
    return this.#any;
  }

  /** Change of the contact forces along the direction of an implicit solve, into CONTACT_CHANGE. */
  computeChanges(): void {
    if (this.#active) this.#store.run('computeContactChanges', this.#surface);
  }

  /** The particle that is pushed most in the block of the stiffest contacts. */
  hardest(): number {
    const store = this.#store;
    const block = store.indexOfLargest(layout.CONTACT_RATE, Math.ceil(this.#surface / layout.BLOCK));
    const forces = store.floats(layout.CONTACT_FORCE, 4 * this.#surface);
    const end = Math.min(this.#surface, (block + 1) * layout.BLOCK);
    let at = block * layout.BLOCK;
    let most = -1;
    for (let s = at; s < end; s++) {
      const [x, y, z] = [forces[4 * s]!, forces[4 * s + 1]!, forces[4 * s + 2]!];
      const size2 = x * x + y * y + z * z;
      if (size2 > most) [at, most] = [s, size2];
    }
    return store.integers(layout.SURFACE_PARTICLE, this.#surface)[at]! & ~layout.INNER;
  }

  /** Places for the candidates of a particle: no particle touches more than that. */
  get capacity(): number {
    return this.#limit;
  }

  /** Impulses of surfaces on each other in the last step, by surface numbers, each pair once. */
  forEachImpulse(visit: (s: number, t: number, impulse: Vec3) => void): void {
    this.#surfaces?.forEachImpulse(visit);
  }

  /** Do several solids touch each other by their surfaces? */
  get bySurface(): boolean {
    return this.#surfaces !== undefined && this.#choice.bodies && this.#bodies.length > 1;
  }

  /** Did the last evaluation find pairs that may touch? */
  get active(): boolean {
    return this.#active;
  }

  /** Particles that contact is computed for. */
  get surfaceCount(): number {
    return this.#surface;
  }

  #reserve(capacity: number): void {
    this.#limit = capacity;
    this.#store.replace(layout.CANDIDATES, 4 * capacity * this.#capacity);
    this.#store.setInteger(layout.CANDIDATE_CAPACITY, capacity);
    if (this.#store.address(layout.PAIR_FORCE) !== 0) this.meter();
  }

  /** Makes memory for the force of each candidate. */
  meter(): void {
    this.#surfaces?.meter();
    if (this.#capacity > 0) this.#store.replace(layout.PAIR_FORCE, 16 * this.#limit * this.#capacity);
  }

  #inactive(): number {
    this.#active = false;
    this.#store.setInteger(layout.CONTACT_ACTIVE, 0);
    return 0;
  }

  #largest(slot: number): number {
    return this.#store.engine.helpers.largest(this.#store.address(slot), Math.ceil(this.#surface / layout.BLOCK));
  }

  /** How far surface particles are from where they were when candidates were found: the sum of their ways is far more. */
  #measureTravel(): number {
    const found = this.#foundAt;
    if (!Number.isFinite(this.#travelled) || found.length !== 4 * this.#surface) return this.#travelled;
    const positions = this.#store.floats(layout.SURFACE_POSITION, 4 * this.#surface);
    let farthest = 0;
    for (let k = 0; k < positions.length; k += 4) {
      const x = positions[k]! - found[k]!;
      const y = positions[k + 1]! - found[k + 1]!;
      const z = positions[k + 2]! - found[k + 2]!;
      const way = x * x + y * y + z * z;
      if (!(way <= farthest)) farthest = way;
    }
    this.#travelled = Math.sqrt(farthest);
    return this.#travelled;
  }

  #measureSlack(): number {
    this.#slack = this.#skin / 2 - Math.sqrt(this.#largest(layout.SURFACE_TRAVEL));
    return this.#slack;
  }

  #sort(): void {
    this.#store.setInteger(layout.POINTS, this.#store.address(layout.SURFACE_POSITION));
    // Those within bodies look less far than those at surfaces.
    const cell = this.#reach + this.#skin;
    buildGrid(this.#store, this.#surface, this.#surfaces ? cell / 2 : cell);
  }

  #findCandidates(): void {
    const store = this.#store;
    this.#sort();
    if (store.address(layout.BUCKET_BOXES) !== 0) store.run('boundBuckets', store.address(layout.BUCKET_MASK) + 1);
    this.#clearance = this.#measureClearance();
    // The last array of a world that is laid out: it can grow where it is.
    if (store.address(layout.CANDIDATES) === 0) this.#reserve(FIRST_CAPACITY);
    let most = 0;
    for (;;) {
      store.run('findCandidates', this.#surface);
      most = store.engine.helpers.mostCandidates(store.address(layout.CANDIDATE_COUNT), this.#surface);
      if (most <= this.#limit) break;
      // The lists must be whole: one that is cut would push only one of two touching particles.
      this.#reserve(Math.ceil(GROWTH * most));
    }
    this.#any = most > 0;
    if (this.#surfaces) this.#surfaces.isListed = false;
    this.#travelled = 0;
    this.#foundAt = store.floats(layout.SURFACE_POSITION, 4 * this.#surface).slice();
    this.#slack = this.#skin / 2;
  }

  /** Half the skin, or more where the bodies' boxes are farther apart; writes the boxes for the search. */
  #measureClearance(): number {
    if (!this.#choice.bodies) return Number.POSITIVE_INFINITY;
    if (this.#ranges.length < 2) return this.isBroken ? this.#skin / 2 : Number.POSITIVE_INFINITY;
    const positions = this.#store.floats(layout.SURFACE_POSITION, 4 * this.#surface);
    const margin = this.#surfaces ? this.#reach : this.#reach / 2;
    const boxes = this.#ranges.map(({ begin, end }, b) => {
      const low: Vec3Array = [Infinity, Infinity, Infinity];
      const high: Vec3Array = [-Infinity, -Infinity, -Infinity];
      for (let s = begin; s < end; s++) {
        for (let a = 0; a < 3; a++) {
          const x = positions[4 * s + a]!;
          if (x < low[a]!) low[a] = x;
          if (x > high[a]!) high[a] = x;
        }
      }
      const floats = this.#store.bodyFloats(b);
      for (let a = 0; a < 3; a++) {
        floats[layout.BODY_BOX_LOW / 4 + a] = low[a]! - margin;
        floats[layout.BODY_BOX_HIGH / 4 + a] = high[a]! + margin;
      }
      return { low, high };
    });
    let nearest = Number.POSITIVE_INFINITY;
    for (let b = 1; b < boxes.length && nearest > this.#skin; b++) {
      for (let a = 0; a < b; a++) {
        const [one, two] = [boxes[a]!, boxes[b]!];
        let gap = Number.NEGATIVE_INFINITY;
        for (let k = 0; k < 3; k++) gap = Math.max(gap, one.low[k]! - two.high[k]!, two.low[k]! - one.high[k]!);
        nearest = Math.min(nearest, gap - this.#reach);
      }
    }
    return this.isBroken ? this.#skin / 2 : Math.max(nearest, this.#skin) / 2;
  }
}

type Vec3Array = [number, number, number];

/**
 * Marks particles whose neighbours lie to one side, and those next to them. The second layer stops what slips between
 * surface particles that a stretch has drawn apart. Rigid bodies, which do not touch themselves, have none; of
 * viscoplastic ones anything may become surface.
 */
function findSurface(store: ParticleStore): Uint8Array {
  const begins = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const pairs = store.floats(layout.PAIRS, 4 * begins[store.count]!);
  const neighbors = store.integers(layout.NEIGHBORS, begins[store.count]!);
  const sums = store.vectors(layout.GRADIENT_SUM);
  const rest = store.vectors(layout.REST);
  const chosen = new Uint8Array(store.count);
  const bodyOf = store.integers(layout.BODY_OF, store.count);
  const rigid = Array.from({ length: store.bodies }, (_, b) => isRigid(store, b));
  for (let b = 0; b < store.bodies; b++) {
    const [begin, end] = store.bodyIntegers(b).subarray(layout.BODY_BEGIN / 4, layout.BODY_BEGIN / 4 + 2);
    if (isRenewed(store, b)) chosen.fill(SECOND, begin, end);
  }
  for (let i = 0; i < store.count; i++) {
    if (rigid[bodyOf[i]!]) continue;
    let distance = 0;
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const [x, y, z] = [pairs[4 * k]!, pairs[4 * k + 1]!, pairs[4 * k + 2]!];
      distance += Math.sqrt(x * x + y * y + z * z);
    }
    const [x, y, z] = [sums[4 * i]!, sums[4 * i + 1]!, sums[4 * i + 2]!];
    if (Math.sqrt(x * x + y * y + z * z) >= SURFACE_OFFSET * distance) chosen[i] = OUTERMOST;
  }
  for (let i = 0; i < store.count; i++) {
    if (chosen[i] !== OUTERMOST) continue;
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const j = neighbors[k]!;
      if (chosen[j] !== 0) continue;
      const d2 = [0, 1, 2].reduce((sum, a) => sum + (rest[4 * j + a]! - rest[4 * i + a]!) ** 2, 0);
      const reach = SECOND_LAYER * (rest[4 * i + 3]! + rest[4 * j + 3]!);
      if (d2 < reach * reach) chosen[j] = SECOND;
    }
  }
  return chosen;
}
