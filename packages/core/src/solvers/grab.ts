/**
 * Grabs: a spring with critical damping that draws a part of a body to a point, as a person does with a mouse, whatever
 * the phase of the body. Forces are renewed at every substep and added to those that liquids exert, see
 * forces/external.ts.
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

/** Part of a body that is dragged. */
export class Grab {
  readonly body: string;
  #target: Vec3;
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
    this.#target = parts.target;
    this.particles = parts.particles;
    this.shares = parts.shares;
    this.offset = parts.offset;
    this.mass = parts.mass;
    this.ownMass = parts.ownMass;
    this.#release = parts.release;
  }

  /** Where the held part is drawn to [m]. */
  get target(): Vec3 {
    return this.#target;
  }

  set target(target: Vec3) {
    if (!target.every(Number.isFinite)) throw new RangeError(`a grab is drawn to finite numbers, got ${target}`);
    this.#target = target;
  }

  /** Lets go; what was held flies on. */
  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Force on the whole part [N]. */
  force(position: Vec3, velocity: Vec3, dt: number): Vec3 {
    const fastest = LARGEST_TURN / dt;
    const stiffness = Math.min(this.mass * RATE * RATE, this.ownMass * fastest * fastest);
    const damping = Math.min(2 * this.mass * RATE, this.ownMass * fastest);
    const offset = subtract(subtract(this.target, this.offset), position);
    const pull = add(scale(offset, stiffness), scale(velocity, -damping));
    const most = STRONGEST * this.mass;
    const size = length(pull);
    return size > most ? scale(pull, most / size) : pull;
  }
}

/** Mean position and velocity of the particles that a grab holds, in the world. */
interface Middle {
  readonly position: Vec3;
  readonly velocity: Vec3;
}

/** Where the forces of grabs go. */
export interface GrabTarget {
  middle(grab: Grab): Middle;
  /** Spreads a force [N] over the particles, for a step of a duration [s]. */
  pull(grab: Grab, force: Vec3, dt: number): void;
}

/** Bodies that are not liquid: external forces, which stay for a step. */
export class SolidGrabs implements GrabTarget {
  readonly #store: ParticleStore;
  readonly #frames: readonly Frame[];
  /** Number among the solids, and first particle, of a body. */
  readonly #locate: (body: string) => { solid: number; begin: number };

  constructor(
    store: ParticleStore,
    frames: readonly Frame[],
    locate: (body: string) => { solid: number; begin: number },
  ) {
    this.#store = store;
    this.#frames = frames;
    this.#locate = locate;
  }

  pull(grab: Grab, force: Vec3): void {
    const forces = this.#store.externalForces();
    const { begin } = this.#locate(grab.body);
    for (const [n, k] of grab.particles.entries()) {
      if (grab.shares[n] === 0) continue;
      for (let a = 0; a < 3; a++) forces[4 * (begin + k) + a]! += grab.shares[n]! * force[a]!;
    }
  }

  middle(grab: Grab): Middle {
    const rest = this.#store.vectors(layout.REST);
    const u = this.#store.vectors(layout.DISPLACEMENT);
    const v = this.#store.vectors(layout.VELOCITY);
    const { begin } = this.#locate(grab.body);
    const bodyOf = this.#store.integers(layout.BODY_OF, this.#store.count);
    // By row of the table of bodies: pieces have frames of their own.
    type Sums = { share: number; position: [number, number, number]; velocity: [number, number, number] };
    const sums = new Map<number, Sums>();
    this.#forgetMerged(grab, begin);
    for (const [n, k] of grab.particles.entries()) {
      if (grab.shares[n] === 0) continue;
      const row = bodyOf[begin + k]!;
      const own: Sums = sums.get(row) ?? { share: 0, position: [0, 0, 0], velocity: [0, 0, 0] };
      sums.set(row, own);
      own.share += grab.shares[n]!;
      for (let a = 0; a < 3; a++) {
        const at = 4 * (begin + k) + a;
        own.position[a]! += grab.shares[n]! * (rest[at]! + u[at]!);
        own.velocity[a]! += grab.shares[n]! * v[at]!;
      }
    }
    let middle: Middle = { position: [0, 0, 0], velocity: [0, 0, 0] };
    for (const [row, { share, position, velocity }] of sums) {
      const { rotation, origin } = this.#frames[row]!;
      const there = add(transform(rotation, position), sums.size === 1 ? origin : scale(origin, share));
      middle = { position: add(middle.position, there), velocity: add(middle.velocity, transform(rotation, velocity)) };
    }
    return middle;
  }

  /** Particles of viscoplastic bodies may have merged with others: those that are left share the force. */
  #forgetMerged({ particles, shares }: Grab, begin: number): void {
    const isPresent = this.#store.presence();
    const gone = [...particles.keys()].filter((n) => shares[n] !== 0 && !isPresent(begin + particles[n]!));
    if (gone.length === 0) return;
    for (const n of gone) shares[n] = 0;
    const sum = shares.reduce((total, share) => total + share, 0);
    if (sum > 0) for (const [n, share] of shares.entries()) shares[n] = share / sum;
  }
}

/** Positions with one over the mass in lane 3, and velocities, in world axes and the order of the moment. */
export interface WorldAxes {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Where a particle of a body stands now; less than 0 when it is not in the world. */
  readonly find: (body: string, particles: Uint32Array) => Int32Array;
}

/** Liquids and melts: velocities change by the impulse of a step. */
export class WorldGrabs implements GrabTarget {
  readonly #read: () => WorldAxes;

  constructor(read: () => WorldAxes) {
    this.#read = read;
  }

  middle(grab: Grab): Middle {
    const { positions, velocities, find } = this.#read();
    let [position, velocity]: [Vec3, Vec3] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    let sum = 0;
    for (const [n, i] of find(grab.body, grab.particles).entries()) {
      // Its number may be given to another particle, which is not held.
      if (i < 0) grab.shares[n] = 0;
      const share = grab.shares[n]!;
      if (share === 0) continue;
      sum += share;
      position = add(position, scale(vectorAt(positions, i), share));
      velocity = add(velocity, scale(vectorAt(velocities, i), share));
    }
    // Particles may leave through a sink.
    return sum > 0
      ? { position: scale(position, 1 / sum), velocity: scale(velocity, 1 / sum) }
      : { position, velocity };
  }

  pull(grab: Grab, force: Vec3, dt: number): void {
    const { positions, velocities, find } = this.#read();
    for (const [n, i] of find(grab.body, grab.particles).entries()) {
      if (i < 0 || grab.shares[n] === 0) continue;
      const gain = dt * grab.shares[n]! * positions[4 * i + 3]!;
      for (let a = 0; a < 3; a++) velocities[4 * i + a]! += gain * force[a]!;
    }
  }
}

/** Where each of the wanted IDs stands among `ids`; -1 where it does not. */
export function indicesById(ids: Uint32Array, wanted: readonly number[]): Int32Array {
  const numbers = new Map(wanted.map((id, n) => [id, n]));
  const found = new Int32Array(wanted.length).fill(-1);
  for (let i = 0; i < ids.length; i++) {
    const n = numbers.get(ids[i]!);
    if (n !== undefined) found[n] = i;
  }
  return found;
}

const vectorAt = (vectors: Float32Array, i: number): Vec3 => [
  vectors[4 * i]!,
  vectors[4 * i + 1]!,
  vectors[4 * i + 2]!,
];

/** The grabs on one kind of store. */
export class Grabs {
  readonly #target: GrabTarget;
  readonly #list: Grab[] = [];

  constructor(target: GrabTarget) {
    this.#target = target;
  }

  add(grab: Grab): void {
    this.#list.push(grab);
  }

  remove(grab: Grab): void {
    const at = this.#list.indexOf(grab);
    if (at >= 0) this.#list.splice(at, 1);
  }

  get empty(): boolean {
    return this.#list.length === 0;
  }

  /** Pulls, for a step of a duration [s] that begins now. */
  pull(dt: number): void {
    for (const grab of this.#list) {
      const { position, velocity } = this.#target.middle(grab);
      this.#target.pull(grab, grab.force(position, velocity, dt), dt);
    }
  }
}

/** Particles around a point and how much of the force each takes: all alike in the middle, none at the edge. */
export function regionAround(
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
  // Slots of sources that no particle has taken are not in the world.
  const present = (i: number) => positions[4 * i + 3] === 1;
  let nearest = begin;
  for (let i = begin; i < end; i++) {
    if (present(i) && (!present(nearest) || distance2(i, point) < distance2(nearest, point))) nearest = i;
  }
  const from: Vec3 = [positions[4 * nearest]!, positions[4 * nearest + 1]!, positions[4 * nearest + 2]!];
  const particles: number[] = [];
  const shares: number[] = [];
  let sum = 0;
  for (let i = begin; i < end; i++) {
    const falloff = 1 - distance2(i, from) / (radius * radius);
    if (falloff <= 0 || !present(i)) continue;
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
