import { add, cross, dot, length, subtract, type Vec3 } from '../../math/matrix3.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { ParticleContact } from '../contact/particles.js';
import type { RigidBodies } from './bodies.js';
import type { RigidMotion } from './motion.js';

/** Rounding of the distance to an obstacle, over the distance from the origin; it excuses no more than this share of the forces. */
const ROUNDED = 3e-8;
const EXCUSED = 0.02;

/** Forces, scaled by mass: squares of the unbalanced and the acting ones and of what rounding leaves, and those along the correction. */
export interface RigidBalance {
  readonly residual: number;
  readonly scale: number;
  readonly along: number;
  readonly rounding: number;
}

/** A contact among rigid bodies, at a point: bodies by their position in the system, none for an obstacle. */
interface Touch {
  readonly one: number;
  readonly other: number | undefined;
  /** xx, yy, zz, yz, xz, xy [N/m] */
  readonly stiffness: Float32Array;
  readonly arm: Vec3;
  readonly otherArm: Vec3;
}

/** One rigid body in the system. */
interface Member {
  readonly body: number;
  readonly motion: RigidMotion;
  /** Of its coordinates in the vectors. */
  readonly begin: number;
  readonly size: number;
  /** Farthest particle from the centre of mass [m]. */
  readonly reach: number;
  /** Mass matrix and preconditioner as Cholesky factors, and the mass matrix itself, by rows. */
  masses: Float64Array;
  massFactor: Float64Array;
  factor: Float64Array;
  twists: RigidMotion['twists'];
}

/**
 * The rigid bodies' part of the Newton iteration of an implicit step: six coordinates each, one on a joint, in f64. Contact
 * among them and with obstacles has its tangent here, contact with solids by the passes of solids.
 */
export class RigidSystem {
  readonly #store: ParticleStore;
  readonly #bodies: RigidBodies;
  readonly #contact: ParticleContact;
  readonly #moved: (body: number) => void;
  readonly #members: readonly Member[];
  readonly #index: ReadonlyMap<number, number>;
  readonly #size: number;
  #touches: Touch[] = [];
  #h = 0;
  #whole = 1;
  #time = 0;
  readonly #residual: Float64Array;
  readonly #preconditioned: Float64Array;
  readonly #direction: Float64Array;
  readonly #product: Float64Array;
  readonly #correction: Float64Array;

  /** `moved` is told when the frame of a body has changed. */
  constructor(store: ParticleStore, bodies: RigidBodies, contact: ParticleContact, moved: (body: number) => void) {
    this.#store = store;
    this.#bodies = bodies;
    this.#contact = contact;
    this.#moved = moved;
    let begin = 0;
    this.#members = bodies.motions.flatMap((motion, body) => {
      if (!motion) return [];
      const size = motion.freedoms;
      const none = new Float64Array(0);
      const member = { body, motion, begin, size, reach: bodies.reach(body), twists: motion.twists };
      begin += size;
      return [{ ...member, masses: none, massFactor: none, factor: none }];
    });
    this.#index = new Map(this.#members.map(({ body }, k) => [body, k]));
    this.#size = begin;
    const vector = () => new Float64Array(this.#size);
    this.#residual = vector();
    this.#preconditioned = vector();
    this.#direction = vector();
    this.#product = vector();
    this.#correction = vector();
  }

  /** A step of which `h` is the whole or, with `whole` 2, the half, from a time on. */
  begin(time: number, h: number, whole: number): void {
    this.#h = h;
    this.#whole = whole;
    this.#time = time;
    this.#bodies.beginStep();
    for (const member of this.#members) {
      const { motion, body } = member;
      motion.beginStep(h, whole);
      member.masses = Float64Array.from(motion.stepMasses(whole));
      member.massFactor = cholesky(member.masses, member.size);
      this.#moved(body);
    }
    this.#bodies.writeVelocities();
    this.#correction.fill(0);
  }

  /** Back to the start of the step. */
  undo(): void {
    for (const { motion, body } of this.#members) {
      motion.undoStep();
      this.#moved(body);
    }
    this.#bodies.undoStep();
  }

  /** Velocities of the particles, for contact. */
  writeVelocities(): void {
    this.#bodies.writeVelocities();
  }

  /** Forces at the present state; contact with solids must be known. */
  balance(): RigidBalance {
    this.#bodies.computeStepForces(this.#h);
    const residual = this.#residual;
    const balance = { residual: 0, scale: 0, along: 0, rounding: 0 };
    for (const { body, motion, begin, size, reach, massFactor } of this.#members) {
      const { acting, inert } = motion.stepForces(this.#h, this.#time + (this.#whole * this.#h) / 2);
      for (let k = 0; k < size; k++) residual[begin + k] = acting[k]! - inert[k]!;
      balance.scale += scaled(massFactor, acting) + scaled(massFactor, inert);
      const sums = this.#bodies.contactSums(body);
      const noise = ROUNDED * (length(motion.position) + reach);
      balance.rounding += noise * noise * sums.sum * motion.contactRate(sums);
    }
    balance.rounding = Math.min(balance.rounding, EXCUSED * EXCUSED * balance.scale);
    balance.residual = this.norm();
    balance.along = product(residual, this.#correction);
    return balance;
  }

  /** Square of the unbalanced forces, scaled by mass. */
  norm(): number {
    let sum = 0;
    for (const { begin, size, massFactor } of this.#members) {
      sum += scaled(massFactor, this.#residual.subarray(begin, begin + size));
    }
    return sum;
  }

  /** Takes the tangent at the present state, before a linear system is solved. */
  linearise(): void {
    const inertia = 1 / (this.#h * this.#h);
    this.#touches = [];
    for (const member of this.#members) {
      member.twists = member.motion.twists;
      member.factor = member.masses.map((mass) => inertia * mass);
    }
    this.#bodies.eachTangent((body, partner, tangent) => {
      const one = this.#index.get(body)!;
      const other = partner === undefined ? undefined : this.#index.get(partner)!;
      const point: Vec3 = [tangent[8]!, tangent[9]!, tangent[10]!];
      const from = (k: number) => subtract(point, this.#members[k]!.motion.position);
      const stiffness = tangent.slice(0, 7);
      stiffness.copyWithin(3, 4);
      const touch = { one, other, stiffness, arm: from(one), otherArm: other === undefined ? point : from(other) };
      this.#touches.push(touch);
      this.#addBlock(this.#members[one]!, stiffness, touch.arm);
      if (other !== undefined) this.#addBlock(this.#members[other]!, stiffness, touch.otherArm);
    });
    // Contact with solids is in the passes; the preconditioner takes it as alike in all directions.
    const solids = this.#contact.active ? this.#bodies : undefined;
    solids?.eachSolidTouch((body, stiffness, point) => {
      const own = this.#members[this.#index.get(body)!]!;
      const k = Float32Array.of(stiffness, stiffness, stiffness, 0, 0, 0);
      this.#addBlock(own, k, subtract(point, own.motion.position));
    });
    for (const own of this.#members) own.factor = cholesky(own.factor, own.size);
  }

  /** Adds a stiffness at a point to the diagonal block of a body. */
  #addBlock({ factor, size, twists }: Member, stiffness: Float32Array, arm: Vec3): void {
    const offsets = twists.map(({ shift, turn }) => add(shift, cross(turn, arm)));
    for (let a = 0; a < size; a++) {
      const pushed = times(stiffness, offsets[a]!);
      for (let b = 0; b < size; b++) factor[size * a + b]! += dot(pushed, offsets[b]!);
    }
  }

  /** Starts a correction of zero. */
  clearCorrection(): void {
    this.#correction.fill(0);
  }

  clearDirection(): void {
    this.#direction.fill(0);
  }

  /** As direction, what the forces of the last step would change; returns the residual along it. */
  guessDirection(): number {
    const square = this.#h * this.#h;
    for (const { motion, begin, size, massFactor } of this.#members) {
      const forces = motion.twists.map(
        ({ shift, turn }) => dot(shift, motion.lastForce) + dot(turn, motion.lastTorque),
      );
      const change = solve(massFactor, forces);
      for (let k = 0; k < size; k++) this.#direction[begin + k] = square * change[k]!;
    }
    return product(this.#residual, this.#direction);
  }

  /** z + beta times the last direction. */
  turn(beta: number): void {
    const direction = this.#direction;
    for (let k = 0; k < this.#size; k++) {
      direction[k] = this.#preconditioned[k]! + (beta === 0 ? 0 : beta * direction[k]!);
    }
  }

  /** Tells contact with solids about the direction. */
  writeDirection(): void {
    for (const member of this.#members) {
      const { shift, turn } = this.#twistOf(member, this.#direction);
      const floats = this.#store.bodyFloats(member.body);
      floats.set(shift, layout.BODY_DIRECTION_SHIFT / 4);
      floats.set(turn, layout.BODY_DIRECTION_TURN / 4);
      floats.set(member.motion.position, layout.BODY_POSITION / 4);
    }
  }

  #twistOf({ begin, twists }: Member, vector: Float64Array): { shift: Vec3; turn: Vec3 } {
    let shift: Vec3 = [0, 0, 0];
    let turn: Vec3 = [0, 0, 0];
    for (const [k, unit] of twists.entries()) {
      const amount = vector[begin + k]!;
      shift = [shift[0] + amount * unit.shift[0], shift[1] + amount * unit.shift[1], shift[2] + amount * unit.shift[2]];
      turn = [turn[0] + amount * unit.turn[0], turn[1] + amount * unit.turn[1], turn[2] + amount * unit.turn[2]];
    }
    return { shift, turn };
  }

  /** The system matrix times the direction, after contact with solids has been told; returns the direction times that. */
  multiply(): number {
    const inertia = 1 / (this.#h * this.#h);
    const result = this.#product;
    const direction = this.#direction;
    const changes = this.#contact.active ? this.#bodies.sumChanges() : undefined;
    const twists = this.#members.map((member) => this.#twistOf(member, direction));
    const forces = this.#members.map(() => new Float64Array(6));
    for (const { one, other, stiffness, arm, otherArm } of this.#touches) {
      let offset = add(twists[one]!.shift, cross(twists[one]!.turn, arm));
      if (other !== undefined)
        offset = subtract(offset, add(twists[other]!.shift, cross(twists[other]!.turn, otherArm)));
      const push = times(stiffness, offset);
      addForce(forces[one]!, push, arm, 1);
      if (other !== undefined) addForce(forces[other]!, push, otherArm, -1);
    }
    for (const [k, { body, begin, size, masses, twists: units }] of this.#members.entries()) {
      const [x, y, z, u, v, w] = forces[k]! as unknown as [number, number, number, number, number, number];
      let force: Vec3 = [x, y, z];
      let torque: Vec3 = [u, v, w];
      if (changes) {
        const [change, moment] = changes(body);
        force = subtract(force, change);
        torque = subtract(torque, moment);
      }
      for (let a = 0; a < size; a++) {
        let sum = 0;
        for (let b = 0; b < size; b++) sum += masses[size * a + b]! * direction[begin + b]!;
        result[begin + a] = inertia * sum + dot(force, units[a]!.shift) + dot(torque, units[a]!.turn);
      }
    }
    return product(direction, result);
  }

  /** Of a part of the correction that is prescribed. */
  subtractProduct(): void {
    for (let k = 0; k < this.#size; k++) this.#residual[k]! -= this.#product[k]!;
  }

  /** Goes along the direction; returns the square of what is left unbalanced. */
  advance(alpha: number): number {
    for (let k = 0; k < this.#size; k++) {
      this.#correction[k]! += alpha * this.#direction[k]!;
      this.#residual[k]! -= alpha * this.#product[k]!;
    }
    return this.norm();
  }

  /** The preconditioned residual; returns the residual along it. */
  precondition(): number {
    for (const { begin, size, factor } of this.#members) {
      this.#preconditioned.set(solve(factor, this.#residual.subarray(begin, begin + size)), begin);
    }
    return product(this.#residual, this.#preconditioned);
  }

  /** Moves by a part of the correction; returns the farthest that a particle goes [m]. */
  move(factor: number): number {
    let farthest = 0;
    for (const member of this.#members) {
      const { motion, body, begin, size, reach } = member;
      const { shift, turn } = this.#twistOf(member, this.#correction);
      farthest = Math.max(farthest, Math.abs(factor) * (length(shift) + reach * length(turn)));
      motion.move(this.#h, this.#whole, this.#correction.subarray(begin, begin + size), factor);
      this.#moved(body);
    }
    return farthest;
  }

  /** Ends a step that came to balance. */
  end(): void {
    if (this.#whole === 2) {
      for (const { motion, body } of this.#members) {
        motion.goAsFarAgain();
        this.#moved(body);
      }
    }
    this.#bodies.writeVelocities();
  }
}

function addForce(sums: Float64Array, force: Vec3, arm: Vec3, sign: number): void {
  const moment = cross(arm, force);
  for (let a = 0; a < 3; a++) {
    sums[a]! += sign * force[a]!;
    sums[a + 3]! += sign * moment[a]!;
  }
}

/** A symmetric matrix (xx, yy, zz, yz, xz, xy) times a vector. */
function times(s: Float32Array, [x, y, z]: Vec3): Vec3 {
  return [s[0]! * x + s[5]! * y + s[4]! * z, s[5]! * x + s[1]! * y + s[3]! * z, s[4]! * x + s[3]! * y + s[2]! * z];
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

/** The lower factor of a symmetric positive matrix, by rows. */
function cholesky(matrix: Float64Array, size: number): Float64Array {
  const l = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[size * i + j]!;
      for (let k = 0; k < j; k++) sum -= l[size * i + k]! * l[size * j + k]!;
      l[size * i + j] = i === j ? Math.sqrt(Math.max(sum, 0)) : sum / l[size * j + j]!;
    }
  }
  return l;
}

/** L y = b. */
function forward(l: Float64Array, b: ArrayLike<number>): Float64Array {
  const size = b.length;
  const y = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= l[size * i + k]! * y[k]!;
    y[i] = sum / l[size * i + i]!;
  }
  return y;
}

/** L L^T x = b. */
function solve(l: Float64Array, b: ArrayLike<number>): Float64Array {
  const size = b.length;
  const x = forward(l, b);
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i]! -= l[size * k + i]! * x[k]!;
    x[i]! /= l[size * i + i]!;
  }
  return x;
}

/** b . (L L^T)^-1 b. */
function scaled(l: Float64Array, b: ArrayLike<number>): number {
  const y = forward(l, b);
  return product(y, y);
}
