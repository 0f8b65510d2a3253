import { add, cross, dot, length, type Matrix3, multiply, scale, subtract, transform } from '../../math/matrix3.js';
import type { Joint, Vec3 } from '../../options/types.js';
import { type Frame, orthonormal, rotationAbout } from '../../particles/frame.js';
import { inverseOf, largestEigenvalue, type MassProperties, turned } from './inertia.js';

/** Iterations of the midpoint rule at the most; a turn of half a radian takes about twenty. */
const MIDPOINT_ITERATIONS = 50;

/** What a save has to hold of a rigid body's motion. Momenta are the state: free flight keeps them to rounding. */
export interface RigidState {
  /** [kg m/s] */
  readonly momentum: Vec3;
  /** About the centre of mass [kg m2/s]. */
  readonly angularMomentum: Vec3;
  /** Centre of mass [m]. */
  readonly position: Vec3;
  /** Of a joint: the way [m] or angle [rad] that it has gone, and its momentum. */
  readonly way: number;
  readonly wayMomentum: number;
  /** Of the last evaluation: force [N], torque about the centre of mass [N m], number of contacts. */
  readonly force: Vec3;
  readonly torque: Vec3;
  readonly touching: number;
  /** What follows from the momenta, for when the mass has been changed meanwhile. */
  readonly mass: number;
  readonly velocity: Vec3;
  readonly spin: Vec3;
}

/** A force [N] that a constraint applies to a rigid body. */
export interface AppliedForce {
  readonly force: Vec3;
  /** Where it acts, in the body's frame [m]. */
  readonly at: Vec3;
  /** Acts from `start` up to `end` [s]. */
  readonly start: number;
  readonly end: number;
}

/** Stiffness or damping of the contacts of a body, as computeRigidSums gives them. */
export interface ContactSums {
  /** Their sum [N/m or kg/s], the same times the arms from the centre of mass [m], and times the squares of those. */
  readonly sum: number;
  readonly first: Vec3;
  readonly second: number;
}

/**
 * The motion of one rigid body: free, about a hinge or along a slider. Joints are in reduced coordinates, so
 * they hold exactly.
 */
export class RigidMotion {
  readonly properties: MassProperties;
  readonly joint: Joint | undefined;
  readonly applied: readonly AppliedForce[];
  frame: Frame;
  /** Centre of mass [m]. */
  position: Vec3;
  momentum: Vec3 = [0, 0, 0];
  angularMomentum: Vec3 = [0, 0, 0];
  force: Vec3 = [0, 0, 0];
  torque: Vec3 = [0, 0, 0];
  touching = 0;
  readonly #gravity: Vec3;
  readonly #inverseInertia: Matrix3;
  readonly #largestInverse: number;
  /** Frame at time 0 and centre of mass there: what a joint's way is counted from. */
  readonly #initial: Frame;
  readonly #start: Vec3;
  /** Unit vector along the joint. */
  readonly #axis: Vec3;
  /** Inertia about the hinge [kg m2], or mass along the slider [kg]. */
  readonly #wayInertia: number;
  #way = 0;
  #wayMomentum = 0;

  constructor(parts: {
    properties: MassProperties;
    initial: Frame;
    joint: Joint | undefined;
    gravity: Vec3;
    applied: readonly AppliedForce[];
  }) {
    const { properties, initial, joint } = parts;
    this.properties = properties;
    this.joint = joint;
    this.applied = parts.applied;
    this.frame = initial;
    this.#gravity = parts.gravity;
    this.#initial = initial;
    this.#inverseInertia = inverseOf(properties.inertia);
    this.#largestInverse = largestEigenvalue(this.#inverseInertia);
    this.#start = add(initial.origin, transform(initial.rotation, properties.centre));
    this.position = this.#start;
    const along = joint ? ('hinge' in joint ? joint.hinge.axis : joint.slider.axis) : ([0, 1, 0] as const);
    this.#axis = scale(along, 1 / length(along));
    this.#wayInertia = properties.mass;
    if (joint && 'hinge' in joint) {
      const arm = cross(this.#axis, subtract(this.#start, joint.hinge.point));
      const own = dot(this.#axis, transform(turned(initial.rotation, properties.inertia), this.#axis));
      this.#wayInertia = own + properties.mass * dot(arm, arm);
    }
  }

  /** Of the centre of mass [m/s]. */
  get velocity(): Vec3 {
    return scale(this.momentum, 1 / this.properties.mass);
  }

  /** Angular velocity in world axes [rad/s]. */
  get spin(): Vec3 {
    return this.#spinIn(this.frame.rotation);
  }

  /** Of the motion as a whole and of turning [J]. */
  get kineticEnergy(): number {
    return (dot(this.momentum, this.velocity) + dot(this.angularMomentum, this.spin)) / 2;
  }

  /** Of the centre of mass, and about it; a joint takes what it lets through. */
  setVelocity(velocity: Vec3, spin: Vec3): void {
    if (this.joint) {
      const rate = 'hinge' in this.joint ? dot(this.#axis, spin) : dot(this.#axis, velocity);
      this.#wayMomentum = rate * this.#wayInertia;
      this.#followJoint();
      return;
    }
    this.momentum = scale(velocity, this.properties.mass);
    this.angularMomentum = transform(turned(this.frame.rotation, this.properties.inertia), spin);
  }

  /** p += f h and L += t h, with the forces of the last evaluation, weight, and what is applied at the time t. */
  kick(h: number, t: number): void {
    let force = add(this.force, scale(this.#gravity, this.properties.mass));
    let torque = this.torque;
    for (const { force: applied, at, start, end } of this.applied) {
      if (t < start || t >= end) continue;
      force = add(force, applied);
      const arm = transform(this.frame.rotation, subtract(at, this.properties.centre));
      torque = add(torque, cross(arm, applied));
    }
    if (this.joint) {
      this.#wayMomentum += h * this.#alongJoint(force, torque);
      this.#followJoint();
      return;
    }
    this.momentum = add(this.momentum, scale(force, h));
    this.angularMomentum = add(this.angularMomentum, scale(torque, h));
  }

  /** Moves and turns with what momentum there is. */
  drift(h: number): void {
    if (this.joint) {
      this.#way += (h * this.#wayMomentum) / this.#wayInertia;
      this.#followJoint();
      return;
    }
    this.position = add(this.position, scale(this.velocity, h));
    const rotation = this.#turn(h);
    this.frame = { rotation, origin: subtract(this.position, transform(rotation, this.properties.centre)) };
  }

  /** Largest squared frequency that the stiffness of contacts may give the body [1/s2], or rate of their damping [1/s]. */
  contactRate({ sum, first, second }: ContactSums): number {
    if (this.joint && 'slider' in this.joint) return sum / this.#wayInertia;
    if (this.joint) {
      const arm = subtract(this.position, this.joint.hinge.point);
      return (second + 2 * dot(first, arm) + sum * dot(arm, arm)) / this.#wayInertia;
    }
    // Largest eigenvalue of the rates of moving and turning, and of what couples them.
    const moving = sum / this.properties.mass;
    const turning = second * this.#largestInverse;
    const coupling2 = (dot(first, first) * this.#largestInverse) / this.properties.mass;
    const half = (moving - turning) / 2;
    return (moving + turning) / 2 + Math.sqrt(half * half + coupling2);
  }

  save(): RigidState {
    return {
      momentum: this.momentum,
      angularMomentum: this.angularMomentum,
      position: this.position,
      way: this.#way,
      wayMomentum: this.#wayMomentum,
      force: this.force,
      torque: this.torque,
      touching: this.touching,
      mass: this.properties.mass,
      velocity: this.velocity,
      spin: this.spin,
    };
  }

  /** Goes on from a state and the frame that belongs to it. */
  restore(state: RigidState, frame: Frame): void {
    this.frame = frame;
    this.force = state.force;
    this.torque = state.torque;
    this.touching = state.touching;
    this.#way = state.way;
    if (state.mass !== this.properties.mass) {
      this.position = add(frame.origin, transform(frame.rotation, this.properties.centre));
      this.setVelocity(state.velocity, state.spin);
      return;
    }
    this.position = state.position;
    this.momentum = state.momentum;
    this.angularMomentum = state.angularMomentum;
    this.#wayMomentum = state.wayMomentum;
    if (this.joint) this.#followJoint();
  }

  #spinIn(rotation: Matrix3): Vec3 {
    return transform(turned(rotation, this.#inverseInertia), this.angularMomentum);
  }

  /**
   * The rotation after a time in which the angular momentum stays: exp(h omega) R with omega at the midpoint,
   * found by iteration. The rule is its own inverse, so the energy of a free top does not drift.
   */
  #turn(h: number): Matrix3 {
    const { rotation } = this.frame;
    let spin = this.spin;
    for (let k = 0; k < MIDPOINT_ITERATIONS; k++) {
      const next = this.#spinIn(multiply(exponential(spin, h / 2), rotation));
      const change = length(subtract(next, spin));
      spin = next;
      if (change <= 1e-15 * length(spin)) break;
    }
    return orthonormal(multiply(exponential(spin, h), rotation));
  }

  /** The part of a force and a torque that moves the joint. */
  #alongJoint(force: Vec3, torque: Vec3): number {
    if (!this.joint || 'slider' in this.joint) return dot(this.#axis, force);
    const arm = subtract(this.position, this.joint.hinge.point);
    return dot(this.#axis, add(torque, cross(arm, force)));
  }

  /** Frame, place and momenta from the way of the joint and its momentum. */
  #followJoint(): void {
    const { joint, properties } = this;
    const { rotation, origin } = this.#initial;
    const rate = this.#wayMomentum / this.#wayInertia;
    if (joint && 'hinge' in joint) {
      const { point } = joint.hinge;
      const turn = rotationAbout(this.#axis, this.#way);
      const spin = scale(this.#axis, rate);
      this.frame = {
        rotation: multiply(turn, rotation),
        origin: add(point, transform(turn, subtract(origin, point))),
      };
      this.position = add(point, transform(turn, subtract(this.#start, point)));
      this.momentum = scale(cross(spin, subtract(this.position, point)), properties.mass);
      this.angularMomentum = transform(turned(this.frame.rotation, properties.inertia), spin);
      return;
    }
    const shift = scale(this.#axis, this.#way);
    this.frame = { rotation, origin: add(origin, shift) };
    this.position = add(this.#start, shift);
    this.momentum = scale(this.#axis, this.#wayMomentum);
  }
}

/** The rotation exp(h omega). */
function exponential(spin: Vec3, h: number): Matrix3 {
  const rate = length(spin);
  return rate > 0 ? rotationAbout(scale(spin, 1 / rate), h * rate) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
}
