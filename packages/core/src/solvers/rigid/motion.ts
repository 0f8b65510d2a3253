import { add, cross, dot, length, type Matrix3, multiply, scale, subtract, transform } from '../../math/matrix3.js';
import type { Joint, Vec2, Vec3 } from '../../options/types.js';
import { type Frame, orthonormal, rotationAbout } from '../../particles/frame.js';
import { inverseOf, largestEigenvalue, type MassProperties, turned } from './inertia.js';

/** Iterations of the midpoint rule at the most; a turn of half a radian takes about twenty. */
const MIDPOINT_ITERATIONS = 50;
/** A free turn below this angle is one step of the midpoint rule, whose error is a hundredth of its cube [rad]. */
const SMALL_TURN = 2e-3;
/** Larger ones are divided into parts of this at the most [rad]; each takes the steps of the composition. */
const LARGEST_TURN = 0.5;
/** Shares of a symmetric composition of nine steps that makes a rule of second order one of sixth, [KL97]. */
const COMPOSITION = (() => {
  const half = [0.3921614440073141, 0.33259913678935943, -0.7062461725576394, 0.0822135962935508];
  const middle = half.reduce((rest, share) => rest - 2 * share, 1);
  return [...half, middle, ...half.toReversed()];
})();

/** What a save has to hold of a rigid body's motion. Momenta are the state: free flight keeps them to rounding. */
export interface RigidState {
  /** [kg m/s] */
  readonly momentum: Vec3;
  /** About the centre of mass [kg m2/s]. */
  readonly angularMomentum: Vec3;
  /** Centre of mass [m]. */
  readonly position: Vec3;
  /** Of a joint: the way [m] or angle [rad] that it has gone, and its momentum. */
  readonly coordinate: number;
  readonly coordinateMomentum: number;
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
  readonly #coordinateInertia: number;
  /** Of the joint's way [rad, m], and what drives it: a speed [rad/s, m/s] and the most that it gives [N m, N]. */
  readonly #limits: Vec2 | undefined;
  readonly #motor: { readonly speed: number; readonly most: number } | undefined;
  #coordinate = 0;
  #coordinateMomentum = 0;
  /** Of an implicit step: what it began with, and the rotation vector of its turn so far [rad]. */
  #before: { readonly state: RigidState; readonly frame: Frame } | undefined;
  #turned: Vec3 = [0, 0, 0];

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
    const { limits, motor } = driveOf(joint);
    this.#limits = limits;
    this.#motor = motor;
    this.#coordinateInertia = properties.mass;
    if (joint && 'hinge' in joint) {
      const arm = cross(this.#axis, subtract(this.#start, joint.hinge.point));
      const own = dot(this.#axis, transform(turned(initial.rotation, properties.inertia), this.#axis));
      this.#coordinateInertia = own + properties.mass * dot(arm, arm);
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
      this.#coordinateMomentum = rate * this.#coordinateInertia;
      this.#followJoint();
      return;
    }
    this.momentum = scale(velocity, this.properties.mass);
    this.angularMomentum = transform(turned(this.frame.rotation, this.properties.inertia), spin);
  }

  /** p += f h and L += t h, with the forces of the last evaluation, weight, and what is applied at the time t. */
  kick(h: number, t: number): void {
    const { force, torque } = this.#acting(add(this.force, scale(this.#gravity, this.properties.mass)), t);
    if (this.joint) {
      this.#coordinateMomentum += h * this.#alongJoint(force, torque);
      this.#drive(h);
      this.#followJoint();
      return;
    }
    this.momentum = add(this.momentum, scale(force, h));
    this.angularMomentum = add(this.angularMomentum, scale(torque, h));
  }

  /** The motor brings the joint to its speed, as far as it can in a time. */
  #drive(h: number): void {
    if (!this.#motor) return;
    const { speed, most } = this.#motor;
    const missing = speed * this.#coordinateInertia - this.#coordinateMomentum;
    this.#coordinateMomentum += Math.max(-most * h, Math.min(most * h, missing));
  }

  /** At a limit the joint stops. */
  #limit(): void {
    if (!this.#limits) return;
    const [low, high] = this.#limits;
    if (this.#coordinate < low) this.#coordinateMomentum = Math.max(0, this.#coordinateMomentum);
    if (this.#coordinate > high) this.#coordinateMomentum = Math.min(0, this.#coordinateMomentum);
    this.#coordinate = Math.max(low, Math.min(high, this.#coordinate));
  }

  /** A force, the torque of the last evaluation, and what is applied at the time t. */
  #acting(force: Vec3, t: number): { force: Vec3; torque: Vec3 } {
    let torque = this.torque;
    for (const { force: applied, at, start, end } of this.applied) {
      if (t < start || t >= end) continue;
      force = add(force, applied);
      const arm = transform(this.frame.rotation, subtract(at, this.properties.centre));
      torque = add(torque, cross(arm, applied));
    }
    return { force, torque };
  }

  /** Moves and turns with what momentum there is. */
  drift(h: number): void {
    if (this.joint) {
      this.#coordinate += (h * this.#coordinateMomentum) / this.#coordinateInertia;
      this.#limit();
      this.#followJoint();
      return;
    }
    this.position = add(this.position, scale(this.velocity, h));
    this.#position(this.#turnFreely(h));
  }

  /**
   * The rotation after a time in which the angular momentum stays. How the time is divided follows from the angular
   * momentum alone, so the rule stays its own inverse.
   */
  #turnFreely(h: number): Matrix3 {
    const turn = Math.abs(h) * length(this.angularMomentum) * this.#largestInverse;
    let { rotation } = this.frame;
    if (turn <= SMALL_TURN) return orthonormal(multiply(exponential(this.#middleSpin(h, rotation), h), rotation));
    const parts = Math.ceil(turn / LARGEST_TURN);
    for (let k = 0; k < parts; k++) {
      for (const share of COMPOSITION) {
        const part = (share * h) / parts;
        rotation = orthonormal(multiply(exponential(this.#middleSpin(part, rotation), part), rotation));
      }
    }
    return rotation;
  }

  /** The frame that belongs to a rotation and the position. */
  #position(rotation: Matrix3): void {
    this.frame = { rotation, origin: subtract(this.position, transform(rotation, this.properties.centre)) };
  }

  /** Coordinates of an implicit step: shift and turn of a free body, the way of a joint. */
  get freedoms(): number {
    return this.joint ? 1 : 6;
  }

  /**
   * An implicit step begins: goes where inertia and gravity lead in a time h, of which the whole step is `whole`, 1 or 2.
   * Free turning keeps to its midpoint rule, so a top keeps its energy.
   */
  beginStep(h: number, whole: number): void {
    this.#before = { state: this.save(), frame: this.frame };
    const weight = scale(this.#gravity, this.properties.mass);
    if (this.joint) {
      this.#coordinateMomentum += h * this.#alongJoint(weight, [0, 0, 0]);
      this.drift(h);
      return;
    }
    this.#turned = scale(this.#middleSpin(whole * h, this.frame.rotation), h);
    this.momentum = add(this.momentum, scale(weight, h));
    this.position = add(this.position, scale(this.velocity, h));
    this.#position(orthonormal(multiply(exponential(this.#turned, 1), this.frame.rotation)));
  }

  /** Changes the coordinates of the step; momenta follow. */
  move(h: number, whole: number, changes: ArrayLike<number>, factor: number): void {
    const { state, frame } = this.#before!;
    if (this.joint) {
      this.#coordinate += factor * changes[0]!;
      this.#coordinateMomentum = (this.#coordinateInertia * (this.#coordinate - state.coordinate)) / h;
      this.#followJoint();
      return;
    }
    this.position = add(this.position, scale([changes[0]!, changes[1]!, changes[2]!], factor));
    // exp(a) exp(b) = exp(b + a - b x a / 2 + b x (b x a) / 12 ...) for a small turn a.
    const turn = scale([changes[3]!, changes[4]!, changes[5]!], factor);
    const twice = cross(this.#turned, turn);
    this.#turned = add(this.#turned, add(turn, add(scale(twice, -1 / 2), scale(cross(this.#turned, twice), 1 / 12))));
    this.momentum = scale(subtract(this.position, state.position), this.properties.mass / h);
    this.angularMomentum = transform(this.#stepInertia(whole), scale(this.#turned, 1 / h));
    this.#position(orthonormal(multiply(exponential(this.#turned, 1), frame.rotation)));
  }

  /** Inertia about the centre of mass at the middle of the whole step, in world axes. */
  #stepInertia(whole: number): Matrix3 {
    const middle = multiply(exponential(this.#turned, whole / 2), this.#before!.frame.rotation);
    return turned(middle, this.properties.inertia);
  }

  /**
   * The force of the last evaluation and what is applied at the time t, without weight, and what inertia takes of it, by
   * the coordinates of the step.
   */
  stepForces(h: number, t: number): { acting: readonly number[]; inert: readonly number[] } {
    const { state } = this.#before!;
    const { force, torque } = this.#acting(this.force, t);
    const weight = scale(this.#gravity, this.properties.mass);
    if (this.joint) {
      const heavy = this.#alongJoint(weight, [0, 0, 0]);
      return {
        acting: [this.#alongJoint(force, torque)],
        inert: [(this.#coordinateMomentum - state.coordinateMomentum) / h - heavy],
      };
    }
    const pushed = subtract(scale(subtract(this.momentum, state.momentum), 1 / h), weight);
    const spun = scale(subtract(this.angularMomentum, state.angularMomentum), 1 / h);
    return { acting: [...force, ...torque], inert: [...pushed, ...spun] };
  }

  /** Mass matrix of the coordinates, by rows. */
  stepMasses(whole: number): number[] {
    if (this.joint) return [this.#coordinateInertia];
    const { mass } = this.properties;
    const inertia = this.#stepInertia(whole);
    const result = new Array<number>(36).fill(0);
    for (let a = 0; a < 3; a++) {
      result[7 * a] = mass;
      for (let b = 0; b < 3; b++) result[6 * (a + 3) + b + 3] = inertia[3 * a + b]!;
    }
    return result;
  }

  /** Shift of the centre of mass and turn that a unit of each coordinate is. */
  get twists(): readonly { readonly shift: Vec3; readonly turn: Vec3 }[] {
    const none: Vec3 = [0, 0, 0];
    if (!this.joint) {
      const axes: Vec3[] = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ];
      return [...axes.map((shift) => ({ shift, turn: none })), ...axes.map((turn) => ({ shift: none, turn }))];
    }
    if ('slider' in this.joint) return [{ shift: this.#axis, turn: none }];
    return [{ shift: cross(this.#axis, subtract(this.position, this.joint.hinge.point)), turn: this.#axis }];
  }

  /** Of the evaluation before the step. */
  get lastForce(): Vec3 {
    return this.#before!.state.force;
  }

  get lastTorque(): Vec3 {
    return this.#before!.state.torque;
  }

  /** The midpoint rule goes as far again from the middle of the step. */
  goAsFarAgain(): void {
    const { state, frame } = this.#before!;
    if (this.joint) {
      this.#coordinate += this.#coordinate - state.coordinate;
      this.#coordinateMomentum += this.#coordinateMomentum - state.coordinateMomentum;
      this.#followJoint();
      return;
    }
    this.position = subtract(scale(this.position, 2), state.position);
    this.momentum = subtract(scale(this.momentum, 2), state.momentum);
    this.angularMomentum = subtract(scale(this.angularMomentum, 2), state.angularMomentum);
    this.#position(orthonormal(multiply(exponential(this.#turned, 2), frame.rotation)));
  }

  /** Back to the start of the implicit step. */
  undoStep(): void {
    this.restore(this.#before!.state, this.#before!.frame);
  }

  /** Largest squared frequency that the stiffness of contacts may give the body [1/s2], or rate of their damping [1/s]. */
  contactRate({ sum, first, second }: ContactSums): number {
    if (this.joint && 'slider' in this.joint) return sum / this.#coordinateInertia;
    if (this.joint) {
      const arm = subtract(this.position, this.joint.hinge.point);
      return (second + 2 * dot(first, arm) + sum * dot(arm, arm)) / this.#coordinateInertia;
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
      coordinate: this.#coordinate,
      coordinateMomentum: this.#coordinateMomentum,
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
    this.#coordinate = state.coordinate;
    if (state.mass !== this.properties.mass) {
      this.position = add(frame.origin, transform(frame.rotation, this.properties.centre));
      this.setVelocity(state.velocity, state.spin);
      return;
    }
    this.position = state.position;
    this.momentum = state.momentum;
    this.angularMomentum = state.angularMomentum;
    this.#coordinateMomentum = state.coordinateMomentum;
    if (this.joint) this.#followJoint();
  }

  #spinIn(rotation: Matrix3): Vec3 {
    return transform(turned(rotation, this.#inverseInertia), this.angularMomentum);
  }

  /**
   * The rotation after a time in which the angular momentum stays is exp(h omega) R with omega at the midpoint,
   * found by iteration. The rule is its own inverse, so the energy of a free top does not drift.
   */
  #middleSpin(h: number, rotation: Matrix3): Vec3 {
    let spin = this.#spinIn(rotation);
    for (let k = 0; k < MIDPOINT_ITERATIONS; k++) {
      const next = this.#spinIn(multiply(exponential(spin, h / 2), rotation));
      const change = length(subtract(next, spin));
      spin = next;
      if (change <= 1e-15 * length(spin)) break;
    }
    return spin;
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
    const rate = this.#coordinateMomentum / this.#coordinateInertia;
    if (joint && 'hinge' in joint) {
      const { point } = joint.hinge;
      const turn = rotationAbout(this.#axis, this.#coordinate);
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
    const shift = scale(this.#axis, this.#coordinate);
    this.frame = { rotation, origin: add(origin, shift) };
    this.position = add(this.#start, shift);
    this.momentum = scale(this.#axis, this.#coordinateMomentum);
  }
}

/** Limits and motor of a joint in its own units: radians or metres, newton metres or newtons. */
export function driveOf(joint: Joint | undefined): {
  limits?: Vec2 | undefined;
  motor?: { readonly speed: number; readonly most: number } | undefined;
} {
  if (!joint) return {};
  if ('slider' in joint) {
    const { limits, motor } = joint.slider;
    return { limits, motor: motor && { speed: motor.speed, most: motor.force } };
  }
  const { limits, motor } = joint.hinge;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  return {
    limits: limits && [radians(limits[0]), radians(limits[1])],
    motor: motor && { speed: motor.speed, most: motor.torque },
  };
}

/** The rotation exp(h omega). */
function exponential(spin: Vec3, h: number): Matrix3 {
  const rate = length(spin);
  return rate > 0 ? rotationAbout(scale(spin, 1 / rate), h * rate) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
}
