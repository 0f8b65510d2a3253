/**
 * Hands: a spring with critical damping that draws a part of a body to a point, as a person does with a mouse.
 * Forces are renewed at every substep and added to those that liquids exert.
 */
import { add, length, scale, subtract, transform } from '../math/matrix3.js';
import type { Vec3 } from '../options/types.js';
import type { BodyRange } from '../particles/body-range.js';
import type { Frame } from '../particles/frame.js';
import * as layout from '../particles/layout.js';
import type { ParticleStore } from '../particles/store.js';

/** How fast a body follows the hand [1/s]. */
const RATE = 30;
/** A hand pulls at most as if it gave the whole body this acceleration [m/s2]. */
const STRONGEST = 60;
/** The spring turns by at most this angle in a substep [rad], which keeps long substeps stable. */
const LARGEST_TURN = 0.4;

/** Part of a body that is held by a hand. */
export class Grab {
  readonly body: string;
  /** Where the held part is drawn to [m]. */
  target: Vec3;
  /** Particles of the body, counted from its first, and their shares in the force; the shares add up to one. */
  readonly particles: Uint32Array;
  readonly shares: Float64Array;
  /** From the mean of the particles to the point that was gripped, when it was. */
  readonly offset: Vec3;
  /** Mass of the body, and that which the held part resists a force with by itself [kg]. */
  readonly mass: number;
  readonly ownMass: number;
  #release: (() => void) | undefined;

  constructor(parts: {
    body: string;
    target: Vec3;
    particles: Uint32Array;
    shares: Float64Array;
    offset: Vec3;
    mass: number;
    ownMass: number;
    release: () => void;
  }) {
    this.body = parts.body;
    this.target = parts.target;
    this.particles = parts.particles;
    this.shares = parts.shares;
    this.offset = parts.offset;
    this.mass = parts.mass;
    this.ownMass = parts.ownMass;
    this.#release = parts.release;
  }

  /** Lets go; what was held flies on. */
  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Force on the whole part [N]. */
  force(place: Vec3, velocity: Vec3, dt: number): Vec3 {
    const fastest = LARGEST_TURN / dt;
    const stiffness = Math.min(this.mass * RATE * RATE, this.ownMass * fastest * fastest);
    const damping = Math.min(2 * this.mass * RATE, this.ownMass * fastest);
    const way = subtract(subtract(this.target, this.offset), place);
    const pull = add(scale(way, stiffness), scale(velocity, -damping));
    const most = STRONGEST * this.mass;
    const size = length(pull);
    return size > most ? scale(pull, most / size) : pull;
  }
}

/** A grab and where its particles are in memory. */
interface Hold {
  readonly grab: Grab;
  readonly solid: number;
}

/** The forces of all hands on the solids of a world. */
export class Hands {
  readonly #store: ParticleStore;
  readonly #frames: readonly Frame[];
  readonly #ranges: readonly BodyRange[];
  readonly #holds: Hold[] = [];
  /** What others exert on the particles held, three numbers each. */
  readonly #others = new Map<number, [number, number, number]>();

  constructor(store: ParticleStore, frames: readonly Frame[], ranges: readonly BodyRange[]) {
    this.#store = store;
    this.#frames = frames;
    this.#ranges = ranges;
  }

  get empty(): boolean {
    return this.#holds.length === 0;
  }

  /** `solid` is the number of the body among those that are not liquid. */
  add(grab: Grab, solid: number): void {
    this.withdraw();
    this.#holds.push({ grab, solid });
    this.note();
  }

  remove(grab: Grab): void {
    this.withdraw();
    const at = this.#holds.findIndex((hold) => hold.grab === grab);
    if (at >= 0) this.#holds.splice(at, 1);
    this.note();
  }

  /** Takes the hands' forces away, so that only those of others are there. */
  withdraw(): void {
    if (this.#others.size === 0) return;
    const forces = this.#store.externalForces();
    for (const [i, others] of this.#others) forces.set(others, 4 * i);
  }

  /** Notes what others exert. */
  note(): void {
    this.#others.clear();
    if (this.empty) return;
    const forces = this.#store.externalForces();
    for (const { grab, solid } of this.#holds) {
      const { begin } = this.#ranges[solid]!;
      for (const k of grab.particles) {
        const at = 4 * (begin + k);
        this.#others.set(begin + k, [forces[at]!, forces[at + 1]!, forces[at + 2]!]);
      }
    }
  }

  /** Pulls, for a substep of a duration [s] that begins now. */
  pull(dt: number): void {
    if (this.empty) return;
    this.withdraw();
    const forces = this.#store.externalForces();
    for (const { grab, solid } of this.#holds) {
      const { place, velocity } = this.#middle(grab, solid);
      const force = grab.force(place, velocity, dt);
      const { begin } = this.#ranges[solid]!;
      for (const [n, k] of grab.particles.entries()) {
        for (let a = 0; a < 3; a++) forces[4 * (begin + k) + a]! += grab.shares[n]! * force[a]!;
      }
    }
  }

  /** Mean place and velocity of what a grab holds, in the world. */
  #middle(grab: Grab, solid: number): { place: Vec3; velocity: Vec3 } {
    const rest = this.#store.vectors(layout.REST);
    const u = this.#store.vectors(layout.DISPLACEMENT);
    const v = this.#store.vectors(layout.VELOCITY);
    const { begin } = this.#ranges[solid]!;
    const place: [number, number, number] = [0, 0, 0];
    const velocity: [number, number, number] = [0, 0, 0];
    for (const [n, k] of grab.particles.entries()) {
      for (let a = 0; a < 3; a++) {
        const at = 4 * (begin + k) + a;
        place[a]! += grab.shares[n]! * (rest[at]! + u[at]!);
        velocity[a]! += grab.shares[n]! * v[at]!;
      }
    }
    const { rotation, origin } = this.#frames[solid]!;
    return { place: add(transform(rotation, place), origin), velocity: transform(rotation, velocity) };
  }
}

/** Particles around a point and how much of the force each takes: all alike in the middle, none at the edge. */
export function gripAround(
  positions: Float32Array,
  masses: Float32Array,
  { begin, end }: BodyRange,
  point: Vec3,
  radius: number,
): { particles: Uint32Array; shares: Float64Array; middle: Vec3; ownMass: number } {
  const distance2 = (i: number, from: Vec3) =>
    (positions[4 * i]! - from[0]) ** 2 +
    (positions[4 * i + 1]! - from[1]) ** 2 +
    (positions[4 * i + 2]! - from[2]) ** 2;
  let nearest = begin;
  for (let i = begin; i < end; i++) if (distance2(i, point) < distance2(nearest, point)) nearest = i;
  const from: Vec3 = [positions[4 * nearest]!, positions[4 * nearest + 1]!, positions[4 * nearest + 2]!];
  const particles: number[] = [];
  const shares: number[] = [];
  let sum = 0;
  for (let i = begin; i < end; i++) {
    const falloff = 1 - distance2(i, from) / (radius * radius);
    if (falloff <= 0) continue;
    particles.push(i - begin);
    shares.push(falloff * falloff * masses[i]!);
    sum += falloff * falloff * masses[i]!;
  }
  let middle: Vec3 = [0, 0, 0];
  let mobility = 0;
  for (const [n, k] of particles.entries()) {
    shares[n]! /= sum;
    const at = 4 * (begin + k);
    middle = add(middle, scale([positions[at]!, positions[at + 1]!, positions[at + 2]!], shares[n]!));
    mobility += (shares[n]! * shares[n]!) / masses[begin + k]!;
  }
  return { particles: Uint32Array.from(particles), shares: Float64Array.from(shares), middle, ownMass: 1 / mobility };
}
