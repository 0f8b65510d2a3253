import { length, transform, transpose } from '../../math/matrix3.js';
import type { Matter } from '../../options/phase.js';
import type { BodyOptions, Material, Vec3 } from '../../options/types.js';
import type { BodyRange } from '../../particles/body-range.js';
import type { Frame } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { cubeRoot } from '../../sampling/cube-root.js';
import { particlesIn } from '../constraints/constraints.js';
import type { ConstraintRecord } from '../constraints/hold.js';
import { impactDamping } from '../contact/restitution.js';
import type { Push } from '../pushes.js';
import { type MassProperties, massProperties } from './inertia.js';
import { type AppliedForce, type ContactSums, RigidMotion, type RigidState } from './motion.js';
import type { RapierState } from './rapier/state.js';

/** Numbers of a touch in a save: particle, partner, stretch (3) and speed at first touch. */
export const TOUCH_NUMBERS = 6;

/** Slots for the partners of a particle at first; more are made when some particle needs them. */
const FIRST_CAPACITY = 8;

/**
 * The rigid bodies of a world, [K06] 4.4.2: bodies of particles that keep their shape. Net force and torque
 * are sums over the particles, the motion is that of RigidMotion, and the particles follow it.
 */
export class RigidBodies {
  readonly #motions: readonly (RigidMotion | undefined)[];
  /** Are there no others? */
  readonly only: boolean;
  /** The longest step that they take [s]. */
  longestStep = Number.POSITIVE_INFINITY;
  /** Are contacts among them and with obstacles, and their motion, found without their particles? */
  readonly exact: boolean = false;
  /** Fastest point of them, where it is known without their particles [m/s]. */
  maximumSpeed = 0;
  /** What a save has to hold of an engine that moves them. */
  engineState?(): RapierState;
  /** One over the longest step before a contact of rigid bodies gets too deep, from the last evaluation [1/s]. */
  impactRate = 0;
  /** Number of the body whose contacts have the highest frequency, from the last evaluation. */
  hardest = 0;
  readonly #store: ParticleStore;
  readonly #ranges: readonly BodyRange[];
  readonly #gravity: Vec3;
  readonly #count: number;
  readonly #obstacles: number;
  #capacity = 1;

  constructor(parts: {
    store: ParticleStore;
    ranges: readonly BodyRange[];
    bodies: readonly { readonly options: BodyOptions; readonly matter: Matter; readonly initial: Frame }[];
    constraints: readonly ConstraintRecord[];
    gravity: Vec3;
    obstacles: number;
    /** Are contacts among rigid bodies found without their particles? */
    exact?: boolean;
    /** Of the bodies, by number; from their particles when left out. */
    properties?: ((b: number) => MassProperties) | undefined;
  }) {
    const { store, ranges, bodies, gravity } = parts;
    this.#store = store;
    this.#ranges = ranges;
    this.#gravity = gravity;
    this.#obstacles = parts.obstacles;
    const properties = parts.properties ?? ((b) => massProperties(store, ranges[b]!));
    this.#motions = bodies.map(({ options, matter, initial }, b) => {
      if (!matter.isRigid) return undefined;
      const applied = parts.constraints
        .filter((constraint) => constraint.options.body === options.name)
        .map((constraint) => appliedForce(store, ranges[b]!, initial, constraint));
      return new RigidMotion({
        properties: properties(b),
        initial,
        joint: options.joint,
        gravity,
        applied,
      });
    });
    const numbers = ranges.flatMap(({ begin, end }, b) =>
      this.#motions[b] ? Array.from({ length: end - begin }, (_, k) => begin + k) : [],
    );
    this.#count = numbers.length;
    this.only = !this.#motions.includes(undefined);
    const several = this.#motions.filter((motion) => motion).length > 1;
    if (this.empty) return;
    store.allocate(layout.RIGID_PARTICLE, 4 * this.#count);
    store.integers(layout.RIGID_PARTICLE, this.#count).set(numbers);
    store.allocate(layout.RIGID_FORCE, 16 * this.#count);
    store.allocate(layout.RIGID_MOMENT, 16 * this.#count);
    store.allocate(layout.RIGID_STIFFNESS, 16 * this.#count);
    for (const slot of [layout.RIGID_WALL_SPRINGS, layout.RIGID_LAST_WALL_SPRINGS]) {
      store.allocate(slot, 16 * this.#count * this.#obstacles);
    }
    for (const slot of [layout.RIGID_RATE, layout.RIGID_MOST]) store.allocate(slot, 4 * this.#blocks);
    store.allocate(layout.RIGID_SUMS, 8 * layout.RIGID_SUM_COUNT * store.bodies);
    this.#reserve(several && !parts.exact ? FIRST_CAPACITY : 1);
    // No stress, and the volume that it has: what the measures of an elastic particle would be.
    const measures = store.floats(layout.FLUX, 12 * store.count);
    for (const i of numbers) measures.set([0, 0, 1], 12 * i);
    let before = 0;
    for (const [b, { begin, end }] of ranges.entries()) {
      const motion = this.#motions[b];
      if (!motion) continue;
      store.bodyIntegers(b)[layout.BODY_RIGID_SHIFT / 4] = begin - before;
      before += end - begin;
      const floats = store.bodyFloats(b);
      floats[layout.BODY_INVERSE_MASS / 4] = 1 / motion.properties.mass;
      floats.set(motion.properties.centre, layout.BODY_CENTRE / 4);
      // As many as on a side of a cube.
      const row = cubeRoot(end - begin);
      floats[layout.BODY_SIDE / 4] = Math.max(1, row * row);
    }
  }

  get empty(): boolean {
    return this.#count === 0;
  }

  /** By number of body; undefined for bodies that are not rigid. */
  get motions(): readonly (RigidMotion | undefined)[] {
    return this.#motions;
  }

  get #blocks(): number {
    return Math.ceil(this.#count / layout.BLOCK);
  }

  /** Takes over what contact needs of the materials. */
  writeMaterials(materials: readonly Material[]): void {
    for (const [b, motion] of this.motions.entries()) {
      if (!motion) continue;
      const material = materials[b]!;
      const floats = this.#store.bodyFloats(b);
      const modulus = contactModulus(material);
      floats[layout.BODY_CONTACT_MODULUS / 4] = modulus;
      floats[layout.BODY_IMPACT_DAMPING / 4] = impactDamping(material.restitution ?? 0);
      floats[layout.BODY_SAG / 4] = this.#sag(b, modulus);
    }
  }

  /** How deep the particles on a side sink in under the body's weight: m g = N k xi^(3/2) [m]. */
  #sag(b: number, modulus: number): number {
    const radius = this.#store.vectors(layout.REST)[4 * this.#ranges[b]!.begin + 3]!;
    const side = this.#store.bodyFloats(b)[layout.BODY_SIDE / 4]!;
    const weight = this.motions[b]!.properties.mass * length(this.#gravity);
    if (weight === 0) return 0;
    const root = cubeRoot(weight / (side * (4 / 3) * modulus * Math.sqrt(radius)));
    return root * root;
  }

  /** Bodies that sink in by more than a share of their particles' radius under their own weight. */
  softBodies(share: number): number[] {
    return this.motions.flatMap((motion, b) => {
      if (!motion) return [];
      const radius = this.#store.vectors(layout.REST)[4 * this.#ranges[b]!.begin + 3]!;
      return this.#store.bodyFloats(b)[layout.BODY_SAG / 4]! > share * radius ? [b] : [];
    });
  }

  /** A body, from number `first` on, that is deeper in an obstacle than a share of its particles' radius. */
  buriedBody(first: number, share: number): number | undefined {
    if (this.empty) return undefined;
    const stiffnesses = this.#store.floats(layout.RIGID_STIFFNESS, 4 * this.#count);
    const particles = this.#store.integers(layout.RIGID_PARTICLE, this.#count);
    const bodyOf = this.#store.integers(layout.BODY_OF, this.#store.count);
    for (let n = 0; n < this.#count; n++) {
      const body = bodyOf[particles[n]!]!;
      if (body >= first && stiffnesses[4 * n + 3]! > share) return body;
    }
    return undefined;
  }

  /** The particle that is deepest in something, of the block of the hardest impact. */
  deepest(): number {
    const block = this.#store.indexOfLargest(layout.RIGID_RATE, this.#blocks);
    const stiffnesses = this.#store.floats(layout.RIGID_STIFFNESS, 4 * this.#count);
    const end = Math.min(this.#count, (block + 1) * layout.BLOCK);
    let at = block * layout.BLOCK;
    for (let n = at; n < end; n++) if (stiffnesses[4 * n + 3]! > stiffnesses[4 * at + 3]!) at = n;
    return this.#store.integers(layout.RIGID_PARTICLE, this.#count)[at]!;
  }

  /** A body that has not moved yet begins with these velocities. */
  setVelocity(b: number, velocity: Vec3, spin: Vec3): void {
    this.#motions[b]!.setVelocity(velocity, spin);
  }

  /** First half of a step that begins at a time: kick and drift. `moved` is told where bodies are. */
  advance(time: number, dt: number, moved: (b: number, frame: Frame) => void): void {
    for (const [b, motion] of this.motions.entries()) {
      if (!motion) continue;
      motion.kick(dt / 2, time + dt / 2);
      motion.drift(dt);
      moved(b, motion.frame);
    }
    this.writeVelocities();
  }

  /** Second half of the step that began at a time: the kick with the new forces. */
  finish(time: number, dt: number): void {
    for (const motion of this.motions) motion?.kick(dt / 2, time + dt / 2);
    this.writeVelocities();
  }

  /**
   * Forces and torques at the present positions, a time `dt` after the last call; contact between bodies must be
   * known. Returns the squared frequency that the contacts add [1/s2].
   */
  computeForces(dt: number): number {
    if (this.empty) return 0;
    this.#swapTouches();
    this.#evaluate(dt);
    return this.#noteContacts();
  }

  #evaluate(dt: number): void {
    const store = this.#store;
    store.setFloat(layout.RIGID_STEP, dt);
    store.run('computeRigidContacts', this.#count);
    const most = store.engine.helpers.largest(store.address(layout.RIGID_MOST), this.#blocks);
    if (most > this.#capacity) {
      let capacity = this.#capacity;
      while (capacity < most) capacity *= 2;
      this.#swapTouches();
      this.#reserve(capacity);
      this.#swapTouches();
      store.run('computeRigidContacts', this.#count);
    }
    store.run('computeRigidSums', store.bodies, 1);
    for (const [b, motion] of this.#motions.entries()) {
      if (!motion) continue;
      const s = this.#sums(b);
      motion.force = [s[0]!, s[1]!, s[2]!];
      motion.torque = [s[3]!, s[4]!, s[5]!];
    }
  }

  /** See computeRigidSums. */
  #sums(b: number): Float64Array {
    const { RIGID_SUM_COUNT, RIGID_SUMS } = layout;
    return this.#store.engine.arena.f64(this.#store.address(RIGID_SUMS) + 8 * RIGID_SUM_COUNT * b, RIGID_SUM_COUNT);
  }

  /** Notes how many contacts there are and how hard the next impact is; the squared frequency that they add [1/s2]. */
  #noteContacts(): number {
    const store = this.#store;
    this.impactRate = store.engine.helpers.largest(store.address(layout.RIGID_RATE), this.#blocks);
    let fastest = 0;
    for (const [b, motion] of this.motions.entries()) {
      if (!motion) continue;
      const s = this.#sums(b);
      motion.touching = s[16]!;
      store.bodyFloats(b)[layout.BODY_TOUCHING / 4] = motion.touching;
      const squared = motion.contactRate({ sum: s[6]!, first: [s[7]!, s[8]!, s[9]!], second: s[10]! });
      const damping = motion.contactRate({ sum: s[11]!, first: [s[12]!, s[13]!, s[14]!], second: s[15]! }) / 2;
      // The damping raises the frequency to be resolved: omega (sqrt(1 + zeta^2) + zeta) with zeta omega = damping.
      const raised = Math.sqrt(squared + damping * damping) + damping;
      if (raised * raised <= fastest) continue;
      fastest = raised * raised;
      this.hardest = b;
    }
    return fastest;
  }

  /** Memory for implicit steps. */
  prepareImplicit(): void {
    const store = this.#store;
    store.allocate(layout.RIGID_WALL_TANGENTS, 48 * this.#count * this.#obstacles);
    store.allocate(layout.RIGID_TANGENTS, 48 * this.#count * this.#capacity);
  }

  /** An implicit step begins: what touches now is what it starts from. */
  beginStep(): void {
    this.#swapTouches();
  }

  undoStep(): void {
    this.#swapTouches();
    this.writeVelocities();
  }

  /** Forces and torques a time `dt` after the start of an implicit step, at the present state. */
  computeStepForces(dt: number): void {
    this.#evaluate(dt);
  }

  /** Ends an implicit step; returns the squared frequency that the contacts add [1/s2]. */
  endStep(): number {
    return this.#noteContacts();
  }

  /** Stiffness of the contacts of a body, from the last evaluation. */
  contactSums(b: number): ContactSums {
    const s = this.#sums(b);
    return { sum: s[6]!, first: [s[7]!, s[8]!, s[9]!], second: s[10]! };
  }

  /** Changes of force and torque by body, from what computeContactChanges left. */
  sumChanges(): (body: number) => [Vec3, Vec3] {
    this.#store.run('computeRigidSums', this.#store.bodies, 1);
    return (body) => {
      const s = this.#sums(body);
      return [
        [s[0]!, s[1]!, s[2]!],
        [s[3]!, s[4]!, s[5]!],
      ];
    };
  }

  /** Contacts of a body with another one (each once) or, without, with an obstacle: see RIGID_TANGENTS. */
  eachTangent(use: (body: number, other: number | undefined, tangent: Float32Array) => void): void {
    const store = this.#store;
    const particles = store.integers(layout.RIGID_PARTICLE, this.#count);
    const partners = store.integers(layout.RIGID_PARTNERS, this.#capacity * this.#count);
    const tangents = store.floats(layout.RIGID_TANGENTS, 12 * this.#capacity * this.#count);
    const walls = store.floats(layout.RIGID_WALL_SPRINGS, 4 * this.#obstacles * this.#count);
    const wallTangents = store.floats(layout.RIGID_WALL_TANGENTS, 12 * this.#obstacles * this.#count);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    for (let n = 0; n < this.#count; n++) {
      const i = particles[n]!;
      for (let k = n * this.#capacity; k < (n + 1) * this.#capacity && partners[k] !== 0; k++) {
        const j = partners[k]! - 1;
        if (j > i) use(bodyOf[i]!, bodyOf[j]!, tangents.subarray(12 * k, 12 * k + 12));
      }
      for (let k = n * this.#obstacles; k < (n + 1) * this.#obstacles; k++) {
        if (walls[4 * k + 3]! > 0) use(bodyOf[i]!, undefined, wallTangents.subarray(12 * k, 12 * k + 12));
      }
    }
  }

  /** Rigid particles that touch solids: stiffness [N/m] and position; contact must be active. */
  eachSolidTouch(use: (body: number, stiffness: number, point: Vec3) => void): void {
    const store = this.#store;
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    const surfaceOf = store.integers(layout.SURFACE_OF, store.count);
    for (const i of store.integers(layout.RIGID_PARTICLE, this.#count)) {
      const at = 4 * (surfaceOf[i]! - 1);
      if (at < 0) continue;
      const stiffness = store.floats(layout.CONTACT_FORCE, at + 4)[at + 3]!;
      if (!(stiffness > 0)) continue;
      const [x, y, z] = store.floats(layout.SURFACE_POSITION, at + 3).subarray(at);
      use(bodyOf[i]!, stiffness, [x!, y!, z!]);
    }
  }

  /** Farthest particle of a body from its centre of mass [m]. */
  reach(b: number): number {
    const rest = this.#store.vectors(layout.REST);
    const [x, y, z] = this.motions[b]!.properties.centre;
    const { begin, end } = this.#ranges[b]!;
    let farthest = 0;
    for (let i = begin; i < end; i++) {
      farthest = Math.max(farthest, length([rest[4 * i]! - x, rest[4 * i + 1]! - y, rest[4 * i + 2]! - z]));
    }
    return farthest;
  }

  /** Puts the velocities of the bodies into the body table and their particles. */
  writeVelocities(): void {
    if (this.empty) return;
    for (const [b, motion] of this.motions.entries()) {
      if (!motion) continue;
      const floats = this.#store.bodyFloats(b);
      const back = transpose(motion.frame.rotation);
      const world = motion.spin;
      const velocity = transform(back, motion.velocity);
      const spin = transform(back, world);
      const [x, y, z] = motion.properties.centre;
      // Of the frame's origin: the centre of mass turns about it.
      const origin: Vec3 = [
        velocity[0] - (spin[1] * z - spin[2] * y),
        velocity[1] - (spin[2] * x - spin[0] * z),
        velocity[2] - (spin[0] * y - spin[1] * x),
      ];
      floats.set(origin.map(unsigned), layout.BODY_RIGID_VELOCITY / 4);
      floats.set(spin.map(unsigned), layout.BODY_RIGID_SPIN / 4);
      floats.set(world.map(unsigned), layout.BODY_TURN / 4);
    }
    this.#store.run('moveRigidParticles', this.#count);
  }

  /** Momenta and the like, for a save; one for each rigid body. */
  save(): RigidState[] {
    return this.motions.flatMap((motion) => (motion ? [motion.save()] : []));
  }

  /** Goes on from saved states; bodies beyond them are new. */
  restore(states: readonly RigidState[], frames: readonly Frame[], touches: Float32Array, _lastStep: number): void {
    let k = 0;
    for (const [b, motion] of this.motions.entries()) {
      const state = motion ? states[k++] : undefined;
      if (!motion || !state) continue;
      motion.restore(state, frames[b]!);
      this.#store.bodyFloats(b)[layout.BODY_TOUCHING / 4] = state.touching;
    }
    this.#restoreTouches(touches);
    this.writeVelocities();
  }

  /**
   * What touches, and how friction holds it: TOUCH_NUMBERS each; the partner of an obstacle k is -1 - k. For a save an
   * engine that knows it adds what it needs to go on.
   */
  touches(_saved = false): Float32Array {
    if (this.empty) return new Float32Array(0);
    const store = this.#store;
    const particles = store.integers(layout.RIGID_PARTICLE, this.#count);
    const partners = store.integers(layout.RIGID_PARTNERS, this.#capacity * this.#count);
    const springs = store.floats(layout.RIGID_SPRINGS, 4 * this.#capacity * this.#count);
    const walls = store.floats(layout.RIGID_WALL_SPRINGS, 4 * this.#obstacles * this.#count);
    const list: number[] = [];
    for (let n = 0; n < this.#count; n++) {
      for (let k = n * this.#capacity; k < (n + 1) * this.#capacity && partners[k] !== 0; k++) {
        list.push(particles[n]!, partners[k]! - 1, ...springs.subarray(4 * k, 4 * k + 4));
      }
      for (let o = 0; o < this.#obstacles; o++) {
        const at = 4 * (n * this.#obstacles + o);
        if (walls[at + 3]! > 0) list.push(particles[n]!, -1 - o, ...walls.subarray(at, at + 4));
      }
    }
    return Float32Array.from(list);
  }

  #restoreTouches(touches: Float32Array): void {
    if (this.empty) return;
    const store = this.#store;
    const of = new Map([...store.integers(layout.RIGID_PARTICLE, this.#count)].map((i, n) => [i, n]));
    const found = new Map<number, number>();
    for (let k = 0; k < touches.length; k += TOUCH_NUMBERS) {
      if (touches[k + 1]! >= 0) found.set(touches[k]!, (found.get(touches[k]!) ?? 0) + 1);
    }
    let most = 0;
    for (const count of found.values()) most = Math.max(most, count);
    if (most > this.#capacity) this.#reserve(most);
    found.clear();
    for (let k = 0; k < touches.length; k += TOUCH_NUMBERS) {
      const n = of.get(touches[k]!)!;
      const partner = touches[k + 1]!;
      const spring = touches.subarray(k + 2, k + TOUCH_NUMBERS);
      if (partner < 0) {
        store
          .floats(layout.RIGID_WALL_SPRINGS, 4 * this.#obstacles * this.#count)
          .set(spring, 4 * (n * this.#obstacles - 1 - partner));
        continue;
      }
      const slot = n * this.#capacity + (found.get(n) ?? 0);
      found.set(n, (found.get(n) ?? 0) + 1);
      store.integers(layout.RIGID_PARTNERS, this.#capacity * this.#count)[slot] = partner + 1;
      store.floats(layout.RIGID_SPRINGS, 4 * this.#capacity * this.#count).set(spring, 4 * slot);
    }
  }

  /** New arrays with more positions; what is in the present ones moves over. */
  #reserve(capacity: number): void {
    const store = this.#store;
    const kept = store.address(layout.RIGID_PARTNERS) === 0 ? new Float32Array(0) : this.touches();
    this.#capacity = capacity;
    store.setInteger(layout.RIGID_CAPACITY, capacity);
    for (const slot of [layout.RIGID_PARTNERS, layout.RIGID_LAST_PARTNERS]) {
      store.replace(slot, 4 * capacity * this.#count);
    }
    for (const slot of [layout.RIGID_SPRINGS, layout.RIGID_LAST_SPRINGS])
      store.replace(slot, 16 * capacity * this.#count);
    if (store.address(layout.RIGID_TANGENTS) !== 0) store.replace(layout.RIGID_TANGENTS, 48 * capacity * this.#count);
    if (store.address(layout.RIGID_PAIR_FORCE) !== 0) this.meter();
    this.#restoreTouches(kept);
  }

  /** With contacts that are not found by particle: what was given in the last step. */
  stepPushes?(obstacles: readonly string[]): Push[];

  /** Makes memory for the force of each partner and obstacle. */
  meter(): void {
    if (this.empty) return;
    this.#store.replace(layout.RIGID_PAIR_FORCE, 16 * this.#capacity * this.#count);
    this.#store.replace(layout.RIGID_WALL_FORCE, 16 * Math.max(1, this.#obstacles) * this.#count);
  }

  /** How many particles there are, positions for the partners of each, and obstacles that they may touch. */
  get touchCounts(): { readonly particles: number; readonly partners: number; readonly walls: number } {
    return { particles: this.#count, partners: this.#capacity, walls: this.#obstacles };
  }

  /** What touches becomes what touched at the last evaluation. */
  #swapTouches(): void {
    this.#swap(layout.RIGID_PARTNERS, layout.RIGID_LAST_PARTNERS);
    this.#swap(layout.RIGID_SPRINGS, layout.RIGID_LAST_SPRINGS);
    this.#swap(layout.RIGID_WALL_SPRINGS, layout.RIGID_LAST_WALL_SPRINGS);
  }

  #swap(one: number, other: number): void {
    const address = this.#store.address(one);
    this.#store.setInteger(one, this.#store.address(other));
    this.#store.setInteger(other, address);
  }
}

/** No negative zeros, which JSON does not know: what comes out of a save must be the same bits. */
export const unsigned = (x: number): number => x + 0;

/** E / (1 - nu^2) [Pa]; of an orthotropic material with its mean moduli. */
function contactModulus({ youngsModulus, poissonsRatio, orthotropic }: Material): number {
  const mean = ([a, b, c]: Vec3) => (a + b + c) / 3;
  const modulus = orthotropic ? mean(orthotropic.youngsModuli) : youngsModulus;
  const ratio = orthotropic ? Math.min(mean(orthotropic.poissonsRatios), 0.5) : poissonsRatio;
  return modulus / (1 - ratio * ratio);
}

/** The force of a constraint, at the centre of mass of its region. */
function appliedForce(
  store: ParticleStore,
  range: BodyRange,
  initial: Frame,
  { options: { region, force, start, end }, hold }: ConstraintRecord,
): AppliedForce {
  const rest = store.vectors(layout.REST);
  const inverse = store.vectors(layout.GRADIENT_SUM);
  let mass = 0;
  const sum = [0, 0, 0];
  for (const i of hold?.particles.map((k) => range.begin + k) ?? particlesIn(rest, range, initial, region)) {
    const m = 1 / inverse[4 * i + 3]!;
    mass += m;
    for (let a = 0; a < 3; a++) sum[a]! += m * rest[4 * i + a]!;
  }
  if (mass === 0) return { force: [0, 0, 0], at: [0, 0, 0], start, end };
  return { force, at: [sum[0]! / mass, sum[1]! / mass, sum[2]! / mass], start, end };
}
