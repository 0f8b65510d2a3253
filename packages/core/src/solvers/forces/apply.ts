/** Where forces act: external forces on solids and rigid bodies, changes of velocity on all that flows. */

import type { ForceParticles } from '../../forces/force.js';
import type { ActingForce } from '../../forces/index.js';
import { length } from '../../math/matrix3.js';
import type { MaterialNumbers } from '../../options/material-parameters.js';
import * as fluidLayout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';
import { withoutFreeSlots } from '../../particles/free-slots.js';
import * as layout from '../../particles/layout.js';
import * as renewalLayout from '../../particles/renewal-layout.js';
import type { BodySamples } from '../../particles/samples.js';
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

/** Particles of the store that forces act on, as they are now, by number of particle and of body. */
interface Exposed {
  readonly slots: Uint32Array;
  readonly bodies: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly areas: Float32Array;
}

/** Bodies of the store, whose particles are exposed by their rest shapes or by their present neighbours. */
export abstract class BodyForces {
  readonly #acting: readonly ActingForce[];
  readonly #matter: readonly Matter[];
  readonly #forces: Float32Array;
  /** By body: mass [kg] and spacing [m]. */
  readonly #masses: readonly number[];
  readonly #spacings: readonly number[];

  /** Bodies with the numbers of their first particles, and how many particles there may be. */
  protected constructor(
    protected readonly store: ParticleStore,
    bodies: readonly { readonly body: Matter; readonly begin: number }[],
    capacity: number,
    acting: readonly ActingForce[],
  ) {
    this.#acting = acting;
    this.#matter = bodies.map(({ body }) => body);
    this.#forces = new Float32Array(4 * capacity);
    const inverse = store.vectors(layout.GRADIENT_SUM);
    this.#masses = bodies.map(({ body, begin }) => {
      let mass = 0;
      for (let i = begin; i < begin + body.samples.count; i++) mass += 1 / inverse[4 * i + 3]!;
      return mass;
    });
    this.#spacings = bodies.map(({ body }) => body.samples.rest[3]!);
    store.externalForces();
  }

  protected abstract expose(): Exposed;

  /** Adds the forces of a step that begins at a time to those on all particles. */
  push(external: Float32Array, time: number, dt: number): void {
    const { slots, forces } = this.#compute(time, LAG * dt, dt);
    for (const [n, i] of slots.entries()) {
      for (let a = 0; a < 3; a++) external[4 * i + a]! += forces[4 * n + a]!;
    }
  }

  /** How long a body that is at rest now may be pushed by the forces of a time and gravity [m/s2] in one step [s]. */
  longestStep(time: number, gravity: number): number {
    const { bodies, forces } = this.#compute(time, 0, 0);
    const sums = this.#masses.map((): [number, number, number] => [0, 0, 0]);
    for (const [n, b] of bodies.entries()) {
      for (let a = 0; a < 3; a++) sums[b]![a]! += forces[4 * n + a]!;
    }
    const steps = sums.map((force, b) => {
      const acceleration = gravity + length(force) / this.#masses[b]!;
      return Math.sqrt((2 * TRAVEL_SHARE * this.#spacings[b]!) / acceleration);
    });
    return Math.min(...steps);
  }

  #compute(time: number, dt: number, ahead: number) {
    const exposed = this.expose();
    const count = exposed.slots.length;
    const forces = this.#forces.fill(0, 0, 4 * count);
    if (count > 0) act(this.#acting, { ...exposed, count, ...matterOf(this.#matter), ahead, forces }, time, dt);
    return { ...exposed, forces };
  }
}

/** A body of the store. */
export interface ForcedBody {
  readonly body: Matter;
  readonly begin: number;
  /** Held particles that mirror free ones have no forces of their own. */
  readonly leftOut: ReadonlySet<number>;
}

/** Solids and rigid bodies. */
export class SolidForces extends BodyForces {
  readonly #slots: Uint32Array;
  readonly #bodies: Uint32Array;

  constructor(store: ParticleStore, bodies: readonly ForcedBody[], acting: readonly ActingForce[]) {
    const all = acting.some(({ force }) => force.reach === 'all');
    const list = bodies.flatMap((body, b) => forcedParticles(body, all).map((entry) => ({ ...entry, b })));
    const count = list.length;
    super(store, bodies, count, acting);
    this.#slots = Uint32Array.from(list, ({ particle }) => particle);
    this.#bodies = Uint32Array.from(list, ({ b }) => b);
    const { arena } = store.engine;
    store.allocate(layout.FORCED, 4 * count);
    store.integers(layout.FORCED, count).set(this.#slots);
    store.allocate(layout.FORCED_BEGIN, 4 * (count + 1));
    const pairs = store.allocate(layout.FORCED_PAIRS, 8 * list.reduce((sum, entry) => sum + entry.pairs.length, 0));
    for (const slot of [layout.FORCED_POSITION, layout.FORCED_VELOCITY, layout.FORCED_AREA]) {
      store.allocate(slot, 16 * count);
    }
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

  protected expose(): Exposed {
    const count = this.#slots.length;
    if (count > 0) this.store.run('exposeSolids', count);
    const view = (slot: number) => this.store.floats(slot, 4 * count);
    return {
      slots: this.#slots,
      bodies: this.#bodies,
      positions: view(layout.FORCED_POSITION),
      velocities: view(layout.FORCED_VELOCITY),
      areas: view(layout.FORCED_AREA),
    };
  }
}

/** Viscoplastic bodies: their particles come and go. */
export class FlowForces extends BodyForces {
  readonly #renewal: Renewal;
  /** Numbers of the bodies by row of the table of bodies. */
  readonly #numbers: readonly number[];

  /** Bodies with their rows in the table of bodies. */
  constructor(
    store: ParticleStore,
    renewal: Renewal,
    bodies: readonly { readonly row: number; readonly body: Matter; readonly begin: number }[],
    acting: readonly ActingForce[],
  ) {
    const capacity = bodies.reduce((sum, { body }) => sum + body.samples.count, 0);
    super(store, bodies, capacity, acting);
    this.#renewal = renewal;
    const numbers: number[] = [];
    for (const [b, { row, body }] of bodies.entries()) {
      numbers[row] = b;
      const { correction } = findExposure(withoutFreeSlots(body.samples), new Set());
      store.bodyFloats(row)[layout.BODY_AREA_FACTOR / 4] = correction;
    }
    this.#numbers = numbers;
    for (const slot of [renewalLayout.MEMBER_POSITION, renewalLayout.MEMBER_VELOCITY, renewalLayout.MEMBER_AREA]) {
      renewal.allocate(slot, 16 * capacity);
    }
  }

  protected expose(): Exposed {
    const { count, context } = this.#renewal;
    this.store.engine.run('exposeMembers', count, context);
    const slots = this.#renewal.integers(renewalLayout.MEMBERS, count);
    const bodyOf = this.store.integers(layout.BODY_OF, this.store.count);
    const view = (slot: number) => this.#renewal.floats(slot, 4 * count);
    return {
      slots,
      bodies: slots.map((i) => this.#numbers[bodyOf[i]!]!),
      positions: view(renewalLayout.MEMBER_POSITION),
      velocities: view(renewalLayout.MEMBER_VELOCITY),
      areas: view(renewalLayout.MEMBER_AREA),
    };
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
