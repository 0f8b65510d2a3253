/**
 * Who pushes whom: impulses between bodies and obstacles, and of what holds or moves bodies, over a frame. Passes leave
 * what acts on particles in arrays that are there only where somebody asks; this adds it up by body, in a fixed order
 * and in f64. Forces between particles act in kicks, so each counts for as long as its kicks last; what obstacles and
 * constraints give is the change of momentum itself.
 */

import type { Vec3 } from '../options/types.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import * as layout from '../particles/layout.js';
import type { ParticleStore } from '../particles/store.js';
import type { ParticleContact } from './contact/particles.js';
import type { FluidModel } from './fluid/model.js';
import { addPush, addTimes, type ForceState, type Push } from './pushes.js';
import type { RigidBodies } from './rigid/bodies.js';

/** Where the forces of the solids and rigid bodies of a world are. */
export interface MeterParts {
  readonly store: ParticleStore;
  /** Names of the solids and rigid bodies by their numbers, and of the obstacles. */
  readonly bodies: readonly string[];
  readonly obstacles: readonly string[];
  /** The constraint that decides along each world axis for particles of a set, by number of constraint. */
  readonly deciding: (set: number) => readonly (number | undefined)[];
  readonly contact: ParticleContact;
  readonly rigid: RigidBodies;
  readonly ghosts: number;
  /** Liquids, their names and how many particles they may have. */
  readonly liquids:
    | { readonly model: FluidModel; readonly names: readonly string[]; readonly capacity: number }
    | undefined;
}

/** Several liquids are known as one by the bodies in them. */
const LIQUIDS = 'body:liquids';

/** Adds up the forces on the particles of one store; see the head of this file. */
export class ForceMeter {
  readonly state: ForceState;
  readonly #parts: MeterParts;

  constructor(parts: MeterParts, state: ForceState) {
    this.#parts = parts;
    this.state = state;
    const { store, obstacles } = parts;
    store.allocate(layout.OBSTACLE_IMPULSE, 16 * store.count * Math.max(1, obstacles.length));
    store.setInteger(layout.OBSTACLE_IMPULSE_STRIDE, 16 * store.count);
    store.allocate(layout.HOLD_IMPULSE, 16 * store.count);
    if (parts.liquids) {
      const { model, capacity } = parts.liquids;
      model.store.allocate(fluidLayout.WALL_FORCE, 16 * capacity * Math.max(1, obstacles.length));
      model.store.setInteger(fluidLayout.WALL_FORCE_STRIDE, 16 * capacity);
      model.store.allocate(fluidLayout.WALL_DRAG, 16 * capacity);
    }
    parts.contact.meter();
    parts.rigid.meter();
  }

  /** Forces have been found anew. */
  note(): void {
    this.state.acting = this.#contacts();
    this.state.actingRigid = this.#rigidContacts();
  }

  /** The forces of the last evaluation act for so long on solids, and on rigid bodies [s]. */
  kick(solids: number, rigid: number): void {
    const { state } = this;
    addTimes(state.pushes, state.acting, solids);
    addTimes(state.pushes, state.actingRigid, rigid);
    this.#ghosts('noteGhostForces', solids);
  }

  /** An implicit step of `seconds` has been solved, or equilibrium found. */
  noteImplicit(seconds: number): void {
    const { store } = this.#parts;
    store.setFloat(layout.METERED, seconds);
    store.run('noteImplicitImpulses');
    this.#ghosts('noteImplicitGhosts', seconds);
    this.note();
    addTimes(this.state.pushes, this.state.acting, seconds);
    addTimes(this.state.pushes, this.state.actingRigid, seconds);
  }

  #ghosts(pass: 'noteGhostForces' | 'noteImplicitGhosts', seconds: number): void {
    const { store, ghosts } = this.#parts;
    if (ghosts === 0 || seconds === 0) return;
    store.setFloat(layout.METERED, seconds);
    store.run(pass, ghosts);
  }

  /** Takes over what obstacles and constraints have given, at the end of a step of `seconds`. */
  collect(seconds: number): void {
    const { store, obstacles, bodies, deciding } = this.#parts;
    const { state } = this;
    state.seconds += seconds;
    const found = new Map<string, Push>();
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    addTimes(state.pushes, this.#parts.rigid.stepPushes?.(obstacles) ?? [], 1);
    addTimes(state.pushes, this.#impulses(), 1);
    const owners = this.#owners();
    const positionOf = this.#placer();
    for (const [o, name] of obstacles.entries()) {
      const at = store.address(layout.OBSTACLE_IMPULSE) + 16 * store.count * o;
      const impulses = store.engine.arena.f32(at, 4 * store.count);
      for (let i = 0; i < store.count; i++) {
        const k = 4 * i;
        if (impulses[k] === 0 && impulses[k + 1] === 0 && impulses[k + 2] === 0) continue;
        const impulse = [impulses[k]!, impulses[k + 1]!, impulses[k + 2]!] as const;
        addPush(found, `body:${bodies[owners[bodyOf[i]!]!]!}`, `obstacle:${name}`, impulse, positionOf(i, bodyOf[i]!));
      }
      impulses.fill(0);
    }
    addTimes(state.pushes, [...found.values()], 1);
    const holds = store.vectors(layout.HOLD_IMPULSE);
    const sets = store.integers(layout.CONSTRAINT_OF, store.count);
    for (let i = 0; i < store.count; i++) if (sets[i] !== 0) this.#addHold(holds, i, deciding(sets[i]!));
    holds.fill(0);
  }

  #addHold(holds: Float32Array, i: number, deciding: readonly (number | undefined)[]): void {
    const { holds: sums } = this.state;
    for (let a = 0; a < 3; a++) {
      const c = deciding[a];
      if (c === undefined || holds[4 * i + a] === 0) continue;
      while (sums.length <= c) sums.push([0, 0, 0]);
      sums[c]![a]! += holds[4 * i + a]!;
    }
  }

  /** What the liquids do in their step, while pressures are known: to obstacles, and to bodies. */
  collectLiquids(): void {
    const { store: solids, obstacles, bodies, liquids } = this.#parts;
    if (!liquids) return;
    const { model, names, capacity } = liquids;
    const { store } = model;
    const dt = store.engine.arena.f32(store.context + fluidLayout.STEP, 1)[0]!;
    if (bodies.length === 0) this.state.seconds += dt;
    const found = new Map<string, Push>();
    const { count } = store;
    store.run('measureWallForces');
    const liquidOf = store.integers(fluidLayout.LIQUID_OF, count);
    const x = store.floats(fluidLayout.POSITION, 4 * count);
    for (const [o, name] of obstacles.entries()) {
      const forces = store.engine.arena.f32(store.address(fluidLayout.WALL_FORCE) + 16 * capacity * o, 4 * count);
      for (let k = 0; k < forces.length; k += 4) {
        const force = [forces[k]!, forces[k + 1]!, forces[k + 2]!] as const;
        if (force[0] === 0 && force[1] === 0 && force[2] === 0) continue;
        const position = [x[k]!, x[k + 1]!, x[k + 2]!] as const;
        addPush(found, `body:${names[liquidOf[k / 4]!]!}`, `obstacle:${name}`, force, position);
      }
    }
    const from = names.length === 1 ? `body:${names[0]!}` : LIQUIDS;
    const parts = model.bodyParticles;
    if (parts > 0) {
      const numbers = store.integers(fluidLayout.BOUNDARY_SOLID, parts);
      const external = solids.vectors(layout.EXTERNAL_FORCE);
      const bodyOf = solids.integers(layout.BODY_OF, solids.count);
      const owners = this.#owners();
      const positionOf = this.#placer();
      for (const i of numbers) {
        const force = [external[4 * i]!, external[4 * i + 1]!, external[4 * i + 2]!] as const;
        addPush(found, `body:${bodies[owners[bodyOf[i]!]!]!}`, from, force, positionOf(i, bodyOf[i]!));
      }
    }
    addTimes(this.state.pushes, [...found.values()], dt);
  }

  /** Number of the body of each row of the table of bodies: pieces are rows of their own. */
  #owners(): readonly number[] {
    const { store, bodies } = this.#parts;
    return Array.from({ length: store.rows }, (_, row) => {
      if (row < bodies.length) return row;
      return store.bodyIntegers(row)[layout.BODY_BREAKS / 4]! - 1;
    });
  }

  /** Tells where particles are [m], by particle and row of the table of bodies, as long as nothing moves. */
  #placer(): (i: number, row: number) => [number, number, number] {
    const { store } = this.#parts;
    const rest = store.vectors(layout.REST);
    const u = store.vectors(layout.DISPLACEMENT);
    const frames: (Float32Array | undefined)[] = [];
    return (i, row) => {
      frames[row] ??= store.bodyFloats(row).subarray(layout.BODY_FRAME / 4, layout.BODY_FRAME / 4 + 12);
      const frame = frames[row];
      const k = 4 * i;
      const x = rest[k]! + u[k]!;
      const y = rest[k + 1]! + u[k + 1]!;
      const z = rest[k + 2]! + u[k + 2]!;
      return [
        frame[0]! * x + frame[1]! * y + frame[2]! * z + frame[3]!,
        frame[4]! * x + frame[5]! * y + frame[6]! * z + frame[7]!,
        frame[8]! * x + frame[9]! * y + frame[10]! * z + frame[11]!,
      ];
    };
  }

  /** Forces between different bodies by their surface particles, each pair of bodies once. */
  #contacts(): Push[] {
    const { store, contact } = this.#parts;
    const found = new Map<string, Push>();
    if (!contact.active || store.address(layout.PAIR_FORCE) === 0) return [];
    const { surfaceCount: count, capacity } = contact;
    const candidates = store.integers(layout.CANDIDATES, capacity * count);
    const counts = store.integers(layout.CANDIDATE_COUNT, count);
    const forces = store.floats(layout.PAIR_FORCE, 4 * capacity * count);
    const add = this.#pairAdder(found);
    for (let s = 0; s < count; s++) {
      for (let k = capacity * s; k < capacity * s + counts[s]!; k++) {
        const f = 4 * k;
        add(s, candidates[k]!, [forces[f]!, forces[f + 1]!, forces[f + 2]!]);
      }
    }
    return [...found.values()];
  }

  /** Impulses of solids on each other by their surfaces in the last step. */
  #impulses(): Push[] {
    const found = new Map<string, Push>();
    const add = this.#pairAdder(found);
    this.#parts.contact.forEachImpulse((s, t, impulse) => {
      add(s, t, impulse);
      add(t, s, [-impulse[0], -impulse[1], -impulse[2]]);
    });
    return [...found.values()];
  }

  /** Adds what a surface particle gets from another, where its body has the lower number of the two. */
  #pairAdder(found: Map<string, Push>): (s: number, t: number, push: Vec3) => void {
    const { store, contact, bodies } = this.#parts;
    const particles = store.integers(layout.SURFACE_PARTICLE, contact.surfaceCount);
    const positions = store.floats(layout.SURFACE_POSITION, 4 * contact.surfaceCount);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    const owners = this.#owners();
    const ownerOf = (s: number) => owners[bodyOf[particles[s]! & layout.INDEX_MASK]!]!;
    return (s, t, push) => {
      if (push[0] === 0 && push[1] === 0 && push[2] === 0) return;
      const [body, other] = [ownerOf(s), ownerOf(t)];
      if (body >= other) return;
      const middle = (a: number) => (positions[4 * s + a]! + positions[4 * t + a]!) / 2;
      addPush(found, `body:${bodies[body]!}`, `body:${bodies[other]!}`, push, [middle(0), middle(1), middle(2)]);
    };
  }

  /** Forces of rigid bodies on each other, each pair once, and of obstacles on them. */
  #rigidContacts(): Push[] {
    const { store, rigid, bodies, obstacles } = this.#parts;
    const found = new Map<string, Push>();
    const { particles: count, partners: capacity, walls } = rigid.touchCounts;
    if (count === 0 || store.address(layout.RIGID_EXACT) !== 0) return [];
    const numbers = store.integers(layout.RIGID_PARTICLE, count);
    const partners = store.integers(layout.RIGID_PARTNERS, capacity * count);
    const forces = store.floats(layout.RIGID_PAIR_FORCE, 4 * capacity * count);
    const wallForces = store.floats(layout.RIGID_WALL_FORCE, 4 * walls * count);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    const positionOf = this.#placer();
    for (let n = 0; n < count; n++) {
      const i = numbers[n]!;
      const name = `body:${bodies[bodyOf[i]!]!}`;
      for (let k = capacity * n; k < capacity * (n + 1) && partners[k] !== 0; k++) {
        const j = partners[k]! - 1;
        if (bodyOf[i]! >= bodyOf[j]!) continue;
        const force = [forces[4 * k]!, forces[4 * k + 1]!, forces[4 * k + 2]!] as const;
        const [here, there] = [positionOf(i, bodyOf[i]!), positionOf(j, bodyOf[j]!)];
        const middle = (a: number) => (here[a]! + there[a]!) / 2;
        addPush(found, name, `body:${bodies[bodyOf[j]!]!}`, force, [middle(0), middle(1), middle(2)]);
      }
      for (let o = 0; o < walls; o++) {
        const k = 4 * (walls * n + o);
        if (wallForces[k] === 0 && wallForces[k + 1] === 0 && wallForces[k + 2] === 0) continue;
        const force = [wallForces[k]!, wallForces[k + 1]!, wallForces[k + 2]!] as const;
        addPush(found, name, `obstacle:${obstacles[o]!}`, force, positionOf(i, bodyOf[i]!));
      }
    }
    return [...found.values()];
  }
}
