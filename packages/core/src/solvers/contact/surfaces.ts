import type { Vec3 } from '../../options/types.js';
import type { BodyRange } from '../../particles/body-range.js';
import { isRenewed, isRigid } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';

/**
 * Rounds in which the impulses of a step, and those that leave its end at rest, are found, by their relaxation. A single
 * round is right for a surface that is pushed evenly; later ones go further, for what differs from particle to particle
 * and takes more. With twice as far as evenly right no round gives energy.
 */
const ROUNDS = [1, 1.2, 1.5, 1.8, 2];
const SETTLING_ROUNDS = [1, 1.5, 2];
/** Partners span no less than this share of the box of their distances, if there are any such. */
const SPREAD = 0.5;

/**
 * Contact of solids with each other by their surfaces, in explicit steps: impulses on the surface particles that
 * ParticleContact lists. See assembly/contact/touch.ts.
 */
export class SurfaceContact {
  readonly #store: ParticleStore;
  /** By particle: outward normal at rest and distance of the surface, 0 at edges, -1 within; partners and 1. */
  readonly #outward: Float32Array;
  readonly #partners: Uint32Array;
  /** Capacity for surface particles and their pairs. */
  readonly #capacity: number;
  #pairs = 0;
  #surface = 0;
  /** Pairs that may touch. */
  #candidates = 0;
  /** Is there a place for each of the candidates? */
  isListed = false;
  /** Has this step found any that may touch? */
  #touching = false;

  constructor(
    store: ParticleStore,
    ranges: readonly BodyRange[],
    normals: (body: number) => Float32Array,
    isOutermost: (i: number) => boolean,
    capacity: number,
  ) {
    this.#store = store;
    this.#capacity = capacity;
    this.#outward = new Float32Array(4 * store.count);
    this.#partners = new Uint32Array(4 * store.count);
    const radii = store.floats(layout.CONTACT_RADIUS, store.count);
    for (const [b, { begin, end }] of ranges.entries()) {
      if (isRigid(store, b) || isRenewed(store, b)) continue;
      const own = normals(b);
      for (let i = begin; i < end; i++) {
        const normal = own.subarray(3 * (i - begin), 3 * (i - begin) + 3);
        if (!normal.some((x) => x !== 0)) {
          this.#outward[4 * i + 3] = isOutermost(i) ? 0 : -1;
          continue;
        }
        this.#outward.set(normal, 4 * i);
        this.#outward[4 * i + 3] = radii[i]!;
        const partners = findPartners(store, i);
        if (partners) this.#partners.set([...partners, 1], 4 * i);
      }
    }
    for (const slot of [
      layout.SURFACE_OUTWARD,
      layout.SURFACE_PARTNERS,
      layout.TOUCH_NORMAL,
      layout.TOUCH_VELOCITY,
      layout.TOUCH_AXIS,
      layout.TOUCH_SHARES,
      layout.TOUCH_CONTACT,
      layout.TOUCH_CHANGE,
      layout.TOUCH_IMPULSE,
      layout.TOUCH_COUPLE,
    ]) {
      store.allocate(slot, 16 * capacity);
    }
    store.allocate(layout.TOUCH_BEGIN, 4 * capacity);
    store.allocate(layout.TOUCH_COUNT, 4 * capacity);
    store.allocate(layout.TOUCH_SHIFT, 4 * Math.ceil(capacity / layout.BLOCK));
  }

  /** The largest distance of a surface from its particle [m]. */
  get farthest(): number {
    return this.#outward.reduce((most, x, k) => (k % 4 === 3 ? Math.max(most, x) : most), 0);
  }

  /** Surface particles are others now; `ranges` are their numbers by body. */
  relist(particles: Uint32Array, ranges: readonly BodyRange[]): void {
    const store = this.#store;
    this.#surface = particles.length;
    const outward = store.floats(layout.SURFACE_OUTWARD, 4 * this.#capacity);
    const partners = store.integers(layout.SURFACE_PARTNERS, 4 * this.#capacity);
    for (const [s, number] of particles.entries()) {
      const i = number & layout.INDEX_MASK;
      outward.set(this.#outward.subarray(4 * i, 4 * i + 4), 4 * s);
      partners.set(this.#partners.subarray(4 * i, 4 * i + 4), 4 * s);
    }
    for (const [b, { begin, end }] of ranges.entries()) {
      store.bodyIntegers(b).set([begin, end], layout.BODY_SURFACE_BEGIN / 4);
    }
  }

  /** Makes place for the pairs of new lists of candidates. */
  #reserve(): void {
    const store = this.#store;
    const counts = store.integers(layout.CANDIDATE_COUNT, this.#surface);
    const begins = store.integers(layout.TOUCH_BEGIN, this.#surface);
    this.isListed = true;
    let total = 0;
    for (let s = 0; s < this.#surface; s++) {
      begins[s] = total;
      total += counts[s]!;
    }
    this.#candidates = total;
    if (total <= this.#pairs) return;
    this.#pairs = Math.ceil(1.5 * total);
    store.replace(layout.TOUCH_PAIRS, 16 * this.#pairs);
    if (store.address(layout.TOUCH_PAIR_IMPULSE) !== 0) this.meter();
  }

  /** Makes memory for the impulse of each pair. */
  meter(): void {
    this.#store.replace(layout.TOUCH_PAIR_IMPULSE, 16 * Math.max(1, this.#pairs));
  }

  /**
   * Impulses for the step that begins, whose kick and drift are known, where there are `any` candidates; how far this has
   * moved anything at the most [m].
   */
  push(any: boolean): number {
    const store = this.#store;
    this.#touching = false;
    if (any && !this.isListed) this.#reserve();
    if (!any || this.#candidates === 0) return 0;
    store.setInteger(layout.TOUCH_SETTLES, 0);
    store.run('prepareTouch', this.#surface);
    store.run('findTouching', this.#surface);
    this.#touching = store.engine.helpers.mostCandidates(store.address(layout.TOUCH_COUNT), this.#surface) > 0;
    if (!this.#touching) return 0;
    store.run('shareTouch', this.#surface);
    this.#relax(ROUNDS);
    const blocks = Math.ceil(this.#surface / layout.BLOCK);
    return Math.sqrt(store.engine.helpers.largest(store.address(layout.TOUCH_SHIFT), blocks));
  }

  /** Takes from what touches the approach that the kick at the end of the step has given it. */
  settle(): void {
    if (!this.#touching) return;
    this.#store.setInteger(layout.TOUCH_SETTLES, 1);
    this.#store.run('prepareTouch', this.#surface);
    this.#relax(SETTLING_ROUNDS);
  }

  /** The impulses of this step, each pair of surface particles once. */
  forEachImpulse(visit: (s: number, t: number, impulse: Vec3) => void): void {
    const store = this.#store;
    if (!this.#touching || store.address(layout.TOUCH_PAIR_IMPULSE) === 0) return;
    const begins = store.integers(layout.TOUCH_BEGIN, this.#surface);
    const counts = store.integers(layout.TOUCH_COUNT, this.#surface);
    const pairs = store.integers(layout.TOUCH_PAIRS, 4 * this.#pairs);
    const impulses = store.floats(layout.TOUCH_PAIR_IMPULSE, 4 * this.#pairs);
    for (let s = 0; s < this.#surface; s++) {
      for (let k = begins[s]!; k < begins[s]! + counts[s]!; k++) {
        const t = pairs[4 * k]!;
        if (t > s) visit(s, t, [impulses[4 * k]!, impulses[4 * k + 1]!, impulses[4 * k + 2]!]);
      }
    }
  }

  #relax(rounds: readonly number[]): void {
    const store = this.#store;
    store.run('measureTouched', store.rows, 1);
    for (const relaxation of rounds) {
      store.setFloat(layout.TOUCH_RELAXATION, relaxation);
      store.run('relaxTouch', this.#surface);
      store.run('gatherTouch', this.#surface);
    }
    store.run('applyTouch', this.#surface);
    store.run('turnTouched', store.rows, 1);
  }
}

/** Three neighbours of a particle that span space with it, near ones first; none where it has no such. */
function findPartners(store: ParticleStore, i: number): [number, number, number] | undefined {
  const begins = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const neighbors = store.integers(layout.NEIGHBORS, begins[store.count]!).subarray(begins[i]!, begins[i + 1]!);
  const rest = store.vectors(layout.REST);
  const edges = [...neighbors].map((j) => {
    const [x, y, z] = [0, 1, 2].map((a) => rest[4 * j + a]! - rest[4 * i + a]!) as [number, number, number];
    return { j, x, y, z, length: Math.hypot(x, y, z) };
  });
  edges.sort((a, b) => a.length - b.length || a.j - b.j);
  const [first] = edges;
  if (!first || first.length === 0) return undefined;
  const across = ({ x, y, z }: (typeof edges)[number]) =>
    [first.y * z - first.z * y, first.z * x - first.x * z, first.x * y - first.y * x] as const;
  const choose = (share: (edge: (typeof edges)[number]) => number) => {
    const wide = edges.find((edge) => share(edge) >= SPREAD);
    return wide ?? edges.reduce((best, edge) => (share(edge) > share(best) ? edge : best));
  };
  const second = choose((edge) => Math.hypot(...across(edge)) / (first.length * edge.length));
  const [nx, ny, nz] = across(second);
  const area = first.length * second.length;
  const spread = ({ x, y, z, length }: (typeof edges)[number]) => Math.abs(nx * x + ny * y + nz * z) / (area * length);
  const third = choose(spread);
  return spread(third) > 0.1 * SPREAD ? [first.j, second.j, third.j] : undefined;
}
