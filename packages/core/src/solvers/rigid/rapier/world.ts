import type { RigidBody, UnitImpulseJoint, World } from '@dimforge/rapier3d-deterministic-compat';
import { symmetricEigen } from '../../../math/eigen.js';
import {
  determinant,
  length,
  type Matrix3,
  quaternionFromMatrix,
  scale,
  transform,
  transpose,
} from '../../../math/matrix3.js';
import type { BodyOptions, Material, Vec3 } from '../../../options/types.js';
import type { Frame } from '../../../particles/frame.js';
import { type Obstacle, obstaclePlacement } from '../../contact/obstacles.js';
import { compose, type Motion, type Pose } from '../../motion.js';
import type { MassProperties } from '../inertia.js';
import { driveOf } from '../motion.js';
import { bodyShape, obstacleShape, type Rapier, shortestSide, unitProperties } from './shapes.js';
import type { Entry, RapierRecord, RapierState } from './state.js';
import { findTouches, type Touch } from './touches.js';

/** A motor gives all that it has to a thousandth of a unit of speed from that which it goes for. */
const STIFF_MOTOR = 1000;

/** A step is at most this long [s], and falling from rest across the smallest body takes this many of them. */
const LONGEST_STEP = 1 / 60;
const STEPS_PER_FALL = 6;
/** Share of the smallest body's shortest side by which bodies at rest may overlap. */
const PENETRATION = 0.001;
/** What bodies and obstacles are to the filter of contacts. */
const BODY_GROUP = 1;
const OBSTACLE_GROUP = 2;

const xyz = ([x, y, z]: Vec3) => ({ x, y, z });
const turn = (rotation: Matrix3) => {
  const [x, y, z, w] = quaternionFromMatrix(rotation);
  return { x, y, z, w };
};
const groups = (own: number, others: number) => (own << 16) | others;

/**
 * Rigid bodies and obstacles in a world of Rapier, which finds their contacts and moves them. It outlives the layouts of
 * the memory: bodies are known by their names, obstacles by their numbers.
 */
export class RapierWorld {
  readonly #rapier: Rapier;
  readonly #world: World;
  readonly #entries = new Map<string, Entry>();
  readonly #obstacles: number[] = [];
  #moving: { readonly body: RigidBody; readonly placed: Pose; readonly motion: Motion }[] = [];

  constructor(rapier: Rapier, gravity: Vec3, saved?: { readonly bytes: Uint8Array; readonly state: RapierState }) {
    this.#rapier = rapier;
    this.#world = saved ? rapier.World.restoreSnapshot(saved.bytes) : new rapier.World(xyz(gravity));
    this.#world.integrationParameters.normalizedAllowedLinearError = PENETRATION;
    for (const { name, ...entry } of saved?.state.bodies ?? []) this.#entries.set(name, { ...entry });
    this.#obstacles.push(...(saved?.state.obstacles ?? []));
  }

  /** Rapier's own bytes: poses, velocities, contacts and shapes. */
  snapshot(): Uint8Array {
    return this.#world.takeSnapshot();
  }

  state(): RapierState {
    const bodies = [...this.#entries].map(([name, entry]) => ({ name, ...entry }));
    return { bodies, obstacles: [...this.#obstacles] };
  }

  free(): void {
    this.#world.free();
  }

  get #gravity(): number {
    const { x, y, z } = this.#world.gravity;
    return length([x, y, z]);
  }

  /** The longest step that it takes [s]. */
  get longestStep(): number {
    if (this.#gravity === 0 || this.#entries.size === 0) return LONGEST_STEP;
    return Math.min(LONGEST_STEP, Math.sqrt((2 * this.#world.lengthUnit) / this.#gravity) / STEPS_PER_FALL);
  }

  body(name: string): RigidBody {
    return this.#world.getRigidBody(this.#entries.get(name)!.handle);
  }

  /** Mass, centre and inertia of the exact shape, filled with so much mass [kg]. */
  filled(name: string, mass: number): MassProperties {
    const { centre, inertia } = this.#entries.get(name)!.unit;
    return { mass, centre, inertia: inertia.map((x) => x * mass) as unknown as Matrix3 };
  }

  /** Puts in what is new at a time, and takes out what is gone. */
  place(bodies: readonly RapierRecord[], obstacles: readonly Obstacle[], touching: boolean, time: number): void {
    const names = new Set(bodies.map(({ options }) => options.name));
    for (const [name, { handle }] of this.#entries) {
      if (names.has(name)) continue;
      this.#remove(handle);
      this.#entries.delete(name);
    }
    for (const handle of this.#obstacles.splice(obstacles.length)) this.#remove(handle);
    for (const obstacle of obstacles.slice(this.#obstacles.length)) this.#addObstacle(obstacle, time);
    for (const record of bodies) if (!this.#entries.has(record.options.name)) this.#addBody(record, touching);
    this.#moving = obstacles.flatMap(({ options }, k) => {
      const { placed, motion } = obstaclePlacement(options);
      return motion.still ? [] : [{ body: this.#world.getRigidBody(this.#obstacles[k]!), placed, motion }];
    });
  }

  #remove(handle: number): void {
    this.#world.removeRigidBody(this.#world.getRigidBody(handle));
  }

  #addBody({ options, initial, samples }: RapierRecord, touching: boolean): void {
    const { RigidBodyDesc } = this.#rapier;
    const world = this.#world;
    const [x, y, z] = samples.center;
    const side = shortestSide(options.shape);
    world.lengthUnit = this.#entries.size === 0 ? side : Math.min(side, world.lengthUnit);
    const body = world.createRigidBody(
      RigidBodyDesc.dynamic()
        .setTranslation(...initial.origin)
        .setRotation(turn(initial.rotation))
        .setCcdEnabled(true)
        .setCanSleep(this.#gravity > 0 && maySleep(options)),
    );
    const shape = bodyShape(this.#rapier, options.shape).setTranslation(-x, -y, -z).setDensity(0);
    const others = touching ? BODY_GROUP | OBSTACLE_GROUP : OBSTACLE_GROUP;
    this.#world.createCollider(this.#combined(shape.setCollisionGroups(groups(BODY_GROUP, others))), body);
    this.#entries.set(options.name, {
      handle: body.handle,
      unit: unitProperties(options.shape, samples.center),
      mass: 0,
    });
    if (options.joint) this.#tie(body, options.joint, initial);
  }

  /** With the rules of particle contact: the root of the product of frictions, the larger restitution. */
  #combined(shape: ReturnType<typeof bodyShape>): ReturnType<typeof bodyShape> {
    const { CoefficientCombineRule } = this.#rapier;
    return shape
      .setFrictionCombineRule(CoefficientCombineRule.Multiply)
      .setRestitutionCombineRule(CoefficientCombineRule.Max);
  }

  /** Ties a body to where it begins: anchors and axes are the same in both frames there. */
  #tie(body: RigidBody, joint: NonNullable<BodyOptions['joint']>, { origin, rotation }: Frame): void {
    const { RigidBodyDesc, JointData } = this.#rapier;
    const back = transpose(rotation);
    const still = RigidBodyDesc.fixed().setTranslation(...origin);
    const ground = this.#world.createRigidBody(still.setRotation(turn(rotation)));
    const axis = (v: Vec3) => xyz(scale(transform(back, v), 1 / length(v)));
    const at = (point: Vec3) =>
      xyz(transform(back, [point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]]));
    const data =
      'slider' in joint
        ? JointData.prismatic(at(origin), at(origin), axis(joint.slider.axis))
        : JointData.revolute(at(joint.hinge.point), at(joint.hinge.point), axis(joint.hinge.axis));
    const made = this.#world.createImpulseJoint(data, ground, body, true) as UnitImpulseJoint;
    const { limits, motor } = driveOf(joint);
    if (limits) made.setLimits(...limits);
    if (!motor) return;
    made.configureMotorModel(this.#rapier.MotorModel.ForceBased);
    made.setMotorMaxForce(motor.most);
    made.configureMotorVelocity(motor.speed, STIFF_MOTOR * motor.most);
  }

  #addObstacle({ options, mesh }: Obstacle, time: number): void {
    const { RigidBodyDesc } = this.#rapier;
    const { placed, motion } = obstaclePlacement(options);
    const { origin, rotation } = compose(motion.pose(time), placed);
    const kind = motion.still ? RigidBodyDesc.fixed() : RigidBodyDesc.kinematicPositionBased();
    const body = this.#world.createRigidBody(kind.setTranslation(...origin).setRotation(turn(rotation)));
    const shape = this.#combined(obstacleShape(this.#rapier, options.shape, mesh))
      .setCollisionGroups(groups(OBSTACLE_GROUP, BODY_GROUP))
      .setFriction(Math.sqrt(options.friction))
      .setRestitution(options.restitution);
    this.#world.createCollider(shape, body);
    this.#obstacles.push(body.handle);
  }

  /** Takes over mass and inertia where they have changed. */
  setMass(name: string, { mass, centre, inertia }: MassProperties): void {
    const entry = this.#entries.get(name)!;
    if (entry.mass === mass) return;
    entry.mass = mass;
    const { values, vectors } = symmetricEigen(inertia, 3);
    let axes = transpose([...vectors] as unknown as Matrix3);
    if (determinant(axes) < 0) axes = axes.map((x) => -x) as unknown as Matrix3;
    const principal = xyz([values[0]!, values[1]!, values[2]!]);
    this.body(name).setAdditionalMassProperties(mass, xyz(centre), principal, turn(axes), true);
    this.body(name).recomputeMassPropertiesFromColliders();
  }

  /** Takes over what contact needs of a material. Rapier multiplies frictions; the root of their product is meant. */
  setMaterial(name: string, { friction, restitution = 0 }: Material): void {
    const collider = this.body(name).collider(0);
    const root = Math.fround(Math.sqrt(friction));
    if (collider.friction() !== root) collider.setFriction(root);
    if (collider.restitution() !== Math.fround(restitution)) collider.setRestitution(restitution);
  }

  /** How deep a body is in an obstacle other than a plane [m]. */
  depth(name: string): number {
    const own = this.body(name).collider(0);
    let deepest = 0;
    for (const handle of this.#obstacles) {
      const other = this.#world.getRigidBody(handle).collider(0);
      // The query has the sign of a plane and what is not a ball wrong.
      if (other.shapeType() === this.#rapier.ShapeType.HalfSpace) continue;
      deepest = Math.max(deepest, -(other.contactCollider(own, 0)?.distance ?? 0));
    }
    return deepest;
  }

  /** What bodies, by their names, have given to each other and to obstacles in the last step, from what each has gained [N s]. */
  touches(bodies: readonly { readonly name: string; readonly gained: Vec3 | undefined }[]): Touch[] {
    const moving = bodies.map(({ name, gained }) => ({ collider: this.body(name).collider(0), gained }));
    const walls = this.#obstacles.map((handle) => this.#world.getRigidBody(handle).collider(0));
    return findTouches(this.#world, moving, walls);
  }

  /** A step that begins at a time [s]. */
  step(time: number, dt: number): void {
    for (const { body, placed, motion } of this.#moving) {
      const { origin, rotation } = compose(motion.pose(time + dt), placed);
      body.setNextKinematicTranslation(xyz(origin));
      body.setNextKinematicRotation(turn(rotation));
    }
    this.#world.timestep = dt;
    // A quarter of the rate of Rapier's four substeps, as stiff as contacts can be: 30 /s let boxes sink by g / (2 pi 30)^2 each.
    this.#world.integrationParameters.contact_natural_frequency = 1 / dt;
    this.#world.step();
  }
}

/** May a body that has hardly moved for two seconds be left out? What rolls or slides without friction goes on for ever. */
function maySleep({ shape, joint, material }: BodyOptions): boolean {
  return ('box' in shape || 'mesh' in shape) && joint === undefined && material.friction > 0;
}
