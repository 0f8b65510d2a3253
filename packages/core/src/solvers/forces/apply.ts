/** Where forces act: external forces on solids and rigid bodies, changes of velocity on all that flows. */

import type { ForceParticles } from '../../forces/force.js';
import type { ActingForce } from '../../forces/index.js';
import { length } from '../../math/matrix3.js';
import type { MaterialNumbers } from '../../options/material-parameters.js';
import * as fluidLayout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';
import * as layout from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import { withoutFreeSlots } from '../../particles/free-slots.js';
import * as renewalLayout from '../../particles/renewal-layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { Renewal } from '../elastic/renewal.js';
import { type Exposure, findExposure } from './exposure.js';

/**
 * A force of solids acts at the end of its own step and at the beginning of the next. Of a force that undoes a velocity
 * in a time T, r_{n+1} = r_n - (dt / 2T) (r_n + r_{n-1}): without swings when dt / 2T <= 3 - sqrt 8. So forces that bound their
 * impulse are told a step of this many lengths.
 */
const LAG = 3;
/**
 * From rest no body goes farther than this share of its spacing in a step. Little, because bounds of the impulse by
 * particle hold light bodies back in long steps.
 */
const TRAVEL_SHARE = 0.002;

function act(acting: readonly ActingForce[], particles: ForceParticles, time: number, dt: number): void {
  for (const { force, options } of acting) force.act(particles, options, time, dt);
}

/** A body as the world keeps it; events change its material. */
interface Matter {
  readonly options: { readonly name: string };
  readonly material: MaterialNumbers;
  readonly samples: BodySamples;
}

const matterOf = (bodies: readonly Matter[]) => ({
  names: bodies.map(({ options }) => options.name),
  materials: bodies.map(({ material }) => material),
});

/** A body of the store. */
export interface ForcedBody {
  readonly body: Matter;
  readonly begin: number;
  /** Held particles that mirror free ones have no forces of their own. */
  readonly leftOut: ReadonlySet<number>;
}

/** Solids and rigid bodies. */
export class SolidForces {
  readonly #acting: readonly ActingForce[];
  readonly #store: ParticleStore;
  readonly #matter: readonly Matter[];
  /** Particles that are acted on, their bodies, and the forces on them. */
  readonly #particles: Uint32Array;
  readonly #bodies: Uint32Array;
  readonly #forces: Float32Array;
  /** By body: mass [kg] and spacing [m]. */
  readonly #masses: readonly number[];
  readonly #spacings: readonly number[];

  constructor(store: ParticleStore, bodies: readonly ForcedBody[], acting: readonly ActingForce[]) {
    this.#acting = acting;
    this.#store = store;
    this.#matter = bodies.map(({ body }) => body);
    const all = acting.some(({ force }) => force.reach === 'all');
    const list = bodies.flatMap((body, b) => forcedParticles(body, all).map((entry) => ({ ...entry, b })));
    this.#particles = Uint32Array.from(list, ({ particle }) => particle);
    this.#bodies = Uint32Array.from(list, ({ b }) => b);
    this.#forces = new Float32Array(4 * list.length);
    const inverse = store.vectors(layout.GRADIENT_SUM);
    this.#masses = bodies.map(({ body, begin }) => {
      let mass = 0;
      for (let i = begin; i < begin + body.samples.count; i++) mass += 1 / inverse[4 * i + 3]!;
      return mass;
    });
    this.#spacings = bodies.map(({ body }) => body.samples.rest[3]!);
    const { arena } = store.engine;
    const count = list.length;
    store.allocate(layout.FORCED, 4 * count);
    store.integers(layout.FORCED, count).set(this.#particles);
    store.allocate(layout.FORCED_BEGIN, 4 * (count + 1));
    const pairs = store.allocate(layout.FORCED_PAIRS, 8 * list.reduce((sum, entry) => sum + entry.pairs.length, 0));
    for (const slot of [layout.FORCED_POSITION, layout.FORCED_VELOCITY, layout.FORCED_AREA]) {
      store.allocate(slot, 16 * count);
    }
    store.externalForces();
    const begins = store.integers(layout.FORCED_BEGIN, count + 1);
    const areas = store.floats(layout.FORCED_AREA, 4 * count);
    let k = 0;
    for (const [n, entry] of list.entries()) {
      begins[n] = k;
      areas[4 * n + 3] = entry.alone;
      for (const { particle, weight } of entry.pairs) {
        arena.u32(pairs + 8 * k, 1)[0] = particle;
        arena.f32(pairs + 8 * k + 4, 1)[0] = weight;
        k++;
      }
    }
    begins[count] = k;
  }

  /** Adds the forces of a step that begins at a time to those on all particles. */
  push(external: Float32Array, time: number, dt: number): void {
    const forces = this.#compute(time, LAG * dt, dt);
    for (let n = 0; n < this.#particles.length; n++) {
      const at = 4 * this.#particles[n]!;
      external[at]! += forces[4 * n]!;
      external[at + 1]! += forces[4 * n + 1]!;
      external[at + 2]! += forces[4 * n + 2]!;
    }
  }

  /** How long a body that is at rest now may be pushed by the forces of a time and gravity [m/s2] in one step [s]. */
  longestStep(time: number, gravity: number): number {
    const forces = this.#compute(time, 0, 0);
    const sums = this.#masses.map((): [number, number, number] => [0, 0, 0]);
    for (let n = 0; n < this.#particles.length; n++) {
      const sum = sums[this.#bodies[n]!]!;
      for (let a = 0; a < 3; a++) sum[a]! += forces[4 * n + a]!;
    }
    const steps = sums.map((force, b) => {
      const acceleration = gravity + length(force) / this.#masses[b]!;
      return Math.sqrt((2 * TRAVEL_SHARE * this.#spacings[b]!) / acceleration);
    });
    return Math.min(...steps);
  }

  #compute(time: number, dt: number, ahead: number): Float32Array {
    const store = this.#store;
    const count = this.#particles.length;
    const forces = this.#forces.fill(0);
    if (count === 0) return forces;
    store.run('exposeSolids', count);
    const view = (slot: number) => store.floats(slot, 4 * count);
    const particles: ForceParticles = {
      count,
      positions: view(layout.FORCED_POSITION),
      velocities: view(layout.FORCED_VELOCITY),
      areas: view(layout.FORCED_AREA),
      bodies: this.#bodies,
      ...matterOf(this.#matter),
      ahead,
      forces,
    };
    act(this.#acting, particles, time, dt);
    return forces;
  }
}

/** A body's particles that forces act on, by rising number, and what their areas follow from; numbers are the store's. */
function forcedParticles({ body: { samples }, begin, leftOut }: ForcedBody, all: boolean) {
  const exposure: Exposure = findExposure(samples, leftOut);
  const exposed = exposure.particles.map((i, n) => ({
    particle: begin + i,
    pairs: exposure.pairs[n]!.map(({ particle, weight }) => ({ particle: begin + particle, weight })),
    alone: exposure.alone[n]!,
  }));
  if (!all) return exposed;
  const byNumber = new Map(exposed.map((entry) => [entry.particle, entry]));
  return Array.from({ length: samples.count }, (_, i) => i)
    .filter((i) => !leftOut.has(i))
    .map((i) => byNumber.get(begin + i) ?? { particle: begin + i, pairs: [], alone: 0 });
}

/** Changes velocities by the impulse of a step; `fixed` has a bit for each axis along which they are prescribed. */
function kick({ count, positions, velocities, forces }: ForceParticles, dt: number, fixed?: Uint32Array): void {
  for (let i = 0; i < count; i++) {
    const at = 4 * i;
    const fx = forces[at]!;
    const fy = forces[at + 1]!;
    const fz = forces[at + 2]!;
    if (fx === 0 && fy === 0 && fz === 0) continue;
    const gain = dt * positions[at + 3]!;
    const axes = fixed ? fixed[i]! : 0;
    if ((axes & 1) === 0) velocities[at]! += gain * fx;
    if ((axes & 2) === 0) velocities[at + 1]! += gain * fy;
    if ((axes & 4) === 0) velocities[at + 2]! += gain * fz;
  }
}

/** Liquids and melts, once in each of their steps. */
export class LiquidForces {
  readonly #acting: readonly ActingForce[];
  readonly #store: FluidStore;
  readonly #matter: readonly Matter[];
  readonly #forces: Float32Array;

  constructor(store: FluidStore, liquids: readonly Matter[], acting: readonly ActingForce[]) {
    this.#acting = acting;
    this.#store = store;
    this.#matter = liquids;
    this.#forces = new Float32Array(4 * store.capacity);
    store.allocate(fluidLayout.EXPOSED_AREA, 16 * store.capacity);
  }

  /** For a step that begins at a time; neighbours must have been found. `prescribed`: FIXED is up to date. */
  push(time: number, dt: number, prescribed: boolean): void {
    const store = this.#store;
    const { count } = store;
    store.run('exposeLiquids');
    const particles: ForceParticles = {
      count,
      positions: store.floats(fluidLayout.POSITION, 4 * count),
      velocities: store.floats(fluidLayout.VELOCITY, 4 * count),
      areas: store.floats(fluidLayout.EXPOSED_AREA, 4 * count),
      bodies: store.integers(fluidLayout.LIQUID_OF, count),
      ...matterOf(this.#matter),
      ahead: 0,
      forces: this.#forces.fill(0, 0, 4 * count),
    };
    act(this.#acting, particles, time, dt);
    kick(particles, dt, prescribed ? store.integers(fluidLayout.FIXED, count) : undefined);
  }
}

/** Viscoplastic bodies: their particles come and go. */
export class FlowForces {
  readonly #acting: readonly ActingForce[];
  readonly #store: ParticleStore;
  readonly #renewal: Renewal;
  readonly #matter: readonly Matter[];
  /** Numbers of the bodies by row of the table of bodies. */
  readonly #numbers: readonly number[];
  readonly #forces: Float32Array;

  /** Bodies by their rows in the table of bodies. */
  constructor(
    store: ParticleStore,
    renewal: Renewal,
    bodies: readonly (readonly [row: number, body: Matter])[],
    acting: readonly ActingForce[],
  ) {
    this.#acting = acting;
    this.#store = store;
    this.#renewal = renewal;
    this.#matter = bodies.map(([, body]) => body);
    const numbers: number[] = [];
    let slots = 0;
    for (const [b, [row, { samples }]] of bodies.entries()) {
      numbers[row] = b;
      slots += samples.count;
      const { correction } = findExposure(withoutFreeSlots(samples), new Set());
      store.bodyFloats(row)[layout.BODY_AREA_FACTOR / 4] = correction;
    }
    this.#numbers = numbers;
    this.#forces = new Float32Array(4 * slots);
    for (const slot of [renewalLayout.MEMBER_POSITION, renewalLayout.MEMBER_VELOCITY, renewalLayout.MEMBER_AREA]) {
      renewal.allocate(slot, 16 * slots);
    }
    store.externalForces();
  }

  /** Adds the forces of a step that begins at a time to those on all particles. */
  push(external: Float32Array, time: number, dt: number): void {
    const { count } = this.#renewal;
    this.#store.engine.run('exposeMembers', count, this.#renewal.context);
    const slots = this.#renewal.integers(renewalLayout.MEMBERS, count);
    const bodyOf = this.#store.integers(layout.BODY_OF, this.#store.count);
    const view = (slot: number) => this.#renewal.floats(slot, 4 * count);
    const particles: ForceParticles = {
      count,
      positions: view(renewalLayout.MEMBER_POSITION),
      velocities: view(renewalLayout.MEMBER_VELOCITY),
      areas: view(renewalLayout.MEMBER_AREA),
      bodies: slots.map((i) => this.#numbers[bodyOf[i]!]!),
      ...matterOf(this.#matter),
      ahead: dt,
      forces: this.#forces.fill(0, 0, 4 * count),
    };
    act(this.#acting, particles, time, LAG * dt);
    for (const [n, i] of slots.entries()) {
      for (let a = 0; a < 3; a++) external[4 * i + a]! += particles.forces[4 * n + a]!;
    }
  }
}
