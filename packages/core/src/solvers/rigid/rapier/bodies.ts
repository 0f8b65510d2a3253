import type { RigidBody } from '@dimforge/rapier3d-deterministic-compat';
import { add, cross, dot, length, scale, subtract, transform, transpose } from '../../../math/matrix3.js';
import type { Material, Vec3 } from '../../../options/types.js';
import type { BodyRange } from '../../../particles/body-range.js';
import type { Frame } from '../../../particles/frame.js';
import * as layout from '../../../particles/layout.js';
import type { ParticleStore } from '../../../particles/store.js';
import { obstaclePlacement } from '../../contact/obstacles.js';
import { compose } from '../../motion.js';
import type { Push } from '../../pushes.js';
import { RigidBodies, unsigned } from '../bodies.js';
import { massProperties, turned } from '../inertia.js';
import type { RigidMotion, RigidState } from '../motion.js';
import type { RapierParts } from './engine.js';
import { reachAlong } from './shapes.js';
import type { RapierRecord, RapierState } from './state.js';
import type { RapierWorld } from './world.js';

/** A rigid body and where Rapier has it. */
interface Moving {
  readonly b: number;
  readonly name: string;
  readonly record: RapierRecord;
  readonly body: RigidBody;
  readonly motion: RigidMotion;
  /** Is it round? */
  readonly rolls: boolean;
  /** Farthest particle from the centre of mass [m]. */
  readonly reach: number;
  frame: Frame;
  velocity: Vec3;
  spin: Vec3;
  asleep: boolean;
}

/**
 * Turn in a step at the most [rad]. Rapier lets nothing turn by more than 0.76 rad, and what rolls lags behind by a share
 * that grows with its turn: 1.5 % at 0.7 rad.
 */
const LARGEST_TURN = 0.7;
const LARGEST_ROLL = 0.4;

/** What Rapier writes into, instead of making new ones. */
const vector = { x: 0, y: 0, z: 0 };
const quaternion = { x: 0, y: 0, z: 0, w: 1 };

/**
 * Rigid bodies that Rapier moves: it knows their shapes and those of obstacles, and solves for their contacts and
 * joints. Their particles stay as what solids, liquids, heat and forces from outside see of them; forces on those are
 * summed as for all rigid bodies and act on the bodies in the next step.
 */
export class RapierBodies extends RigidBodies {
  readonly #world: RapierWorld;
  readonly #store: ParticleStore;
  readonly #ranges: readonly BodyRange[];
  readonly #moving: readonly Moving[];
  readonly #byNumber: ReadonlyMap<number, Moving>;
  /** The planes among the obstacles, as they are when this is laid out: normal . x > offset is free. */
  readonly #planes: readonly { readonly normal: Vec3; readonly offset: number }[];
  readonly #gravity: Vec3;
  #views: { readonly floats: Float32Array; readonly doubles: Float64Array } | undefined;
  /** Do forces act that are found by particle? */
  #pushed = false;
  /** Duration of the last step [s]: a force acts from the middle of it to the middle of the next. */
  #lastStep = 0;
  /** Of each body: less its momentum before a step, and the impulse of weight and forces in it [N s]; where somebody asks. */
  #metered: number[][] | undefined;
  /** Are the motions where the bodies are? */
  #mirrored = true;
  override readonly exact = true;

  constructor(world: RapierWorld, parts: RapierParts) {
    const { store, ranges, bodies } = parts;
    const rigid = bodies.filter(({ matter }) => matter.isRigid);
    world.place(rigid, parts.obstacles, parts.touching, parts.time);
    const properties = (b: number) => {
      const sampled = massProperties(store, ranges[b]!);
      const { name, regions } = bodies[b]!.options;
      // What is lighter or heavier in places is known by its particles.
      const own = regions.length > 0 ? sampled : world.filled(name, sampled.mass);
      world.setMass(name, own);
      return own;
    };
    super({ ...parts, obstacles: 0, exact: true, properties });
    this.#world = world;
    this.#store = store;
    this.#ranges = ranges;
    this.#gravity = parts.gravity;
    this.#planes = parts.obstacles.flatMap(({ options }) => {
      if (!('plane' in options.shape)) return [];
      const { placed, motion } = obstaclePlacement(options);
      const { rotation, origin } = compose(motion.pose(parts.time), placed);
      const normal: Vec3 = [rotation[1], rotation[4], rotation[7]];
      return [{ normal, offset: dot(normal, origin) }];
    });
    store.setInteger(layout.RIGID_EXACT, 1);
    this.#moving = super.motions.flatMap((motion, b): Moving[] => {
      if (!motion) return [];
      const record = bodies[b]!;
      const { name, shape } = record.options;
      const rolls = !('box' in shape || 'mesh' in shape);
      const still = { frame: motion.frame, velocity: motion.velocity, spin: motion.spin, asleep: false };
      return [{ b, name, record, rolls, body: world.body(name), motion, reach: this.reach(b), ...still }];
    });
    this.#byNumber = new Map(this.#moving.map((one) => [one.b, one]));
    this.#read();
  }

  override get motions(): readonly (RigidMotion | undefined)[] {
    if (!this.#mirrored)
      for (const { motion, frame, velocity, spin } of this.#moving) follow(motion, frame, velocity, spin);
    this.#mirrored = true;
    return super.motions;
  }

  override engineState(): RapierState {
    return this.#world.state();
  }

  override writeMaterials(materials: readonly Material[]): void {
    super.writeMaterials(materials);
    for (const { b, name } of this.#moving) this.#world.setMaterial(name, materials[b]!);
  }

  /** Contacts are as stiff as they need to be. */
  override softBodies(): number[] {
    return [];
  }

  override buriedBody(first: number, share: number): number | undefined {
    const rest = this.#store.vectors(layout.REST);
    return this.#moving.find(({ b, name, frame, record }) => {
      if (b < first) return false;
      const allowed = share * rest[4 * this.#ranges[b]!.begin + 3]!;
      const { options, samples } = record;
      const origin = subtract(frame.origin, transform(frame.rotation, samples.center));
      return (
        this.#world.depth(name) > allowed ||
        this.#planes.some(({ normal, offset }) => {
          const down = scale(transform(transpose(frame.rotation), normal), -1);
          return offset - dot(normal, origin) + reachAlong(options.shape, down) > allowed;
        })
      );
    })?.b;
  }

  override setVelocity(b: number, velocity: Vec3, spin: Vec3): void {
    const moving = this.#byNumber.get(b)!;
    // A joint takes what it lets through.
    moving.motion.setVelocity(velocity, spin);
    const [x, y, z] = moving.motion.velocity;
    const [sx, sy, sz] = moving.motion.spin;
    moving.body.setLinvel({ x, y, z }, true);
    moving.body.setAngvel({ x: sx, y: sy, z: sz }, true);
    this.#readOne(moving);
  }

  /** The whole step. Forces of the last evaluation act in it, and what constraints apply in its middle. */
  override advance(time: number, dt: number, moved: (b: number, frame: Frame) => void): void {
    const share = this.only ? 1 : (this.#lastStep + dt) / (2 * dt);
    this.#metered?.forEach((sum, k) => {
      sum.fill(0);
      const { velocity, motion } = this.#moving[k]!;
      for (let a = 0; a < 3; a++) sum[a] = -motion.properties.mass * (velocity[a]! + dt * this.#gravity[a]!);
    });
    for (const [k, { body, motion, frame }] of this.#moving.entries()) {
      if (!this.#pushed && motion.applied.length === 0) continue;
      let force = scale(motion.force, share);
      let torque = scale(motion.torque, share);
      for (const { force: applied, at, start, end } of motion.applied) {
        if (time + dt / 2 < start || time + dt / 2 >= end) continue;
        force = add(force, applied);
        torque = add(torque, cross(transform(frame.rotation, subtract(at, motion.properties.centre)), applied));
      }
      const [fx, fy, fz] = force;
      const [tx, ty, tz] = torque;
      const acts = fx !== 0 || fy !== 0 || fz !== 0 || tx !== 0 || ty !== 0 || tz !== 0;
      body.resetForces(false);
      body.resetTorques(false);
      if (!acts) continue;
      const sum = this.#metered?.[k];
      if (sum) for (let a = 0; a < 3; a++) sum[a]! -= dt * force[a]!;
      body.addForce({ x: fx, y: fy, z: fz }, true);
      body.addTorque({ x: tx, y: ty, z: tz }, true);
    }
    this.#world.step(time, dt);
    this.#lastStep = dt;
    this.#read(moved);
  }

  override stepPushes(obstacles: readonly string[]): Push[] {
    const metered = this.#metered;
    if (!metered) return [];
    const bodies = this.#moving.map(({ name, record, velocity, motion }, k) => {
      const { mass } = motion.properties;
      const gained = [0, 1, 2].map((a) => metered[k]![a]! + mass * velocity[a]!) as unknown as Vec3;
      // What a joint gives is not known apart.
      return { name, gained: record.options.joint ? undefined : gained };
    });
    return this.#world.touches(bodies).map(({ one, other, impulse, point, points }) => {
      const size = length(impulse);
      const from = other < 0 ? `obstacle:${obstacles[-1 - other]!}` : `body:${bodies[other]!.name}`;
      return { on: `body:${bodies[one]!.name}`, from, impulse, size, moment: [...scale(point, size)], points };
    });
  }

  override meter(): void {
    this.#metered ??= this.#moving.map(() => [0, 0, 0]);
  }

  /** All forces have acted. */
  override finish(): void {}

  override computeForces(dt: number): number {
    this.#pushed = true;
    return super.computeForces(dt);
  }

  /** Takes poses and velocities over from Rapier. */
  #read(moved?: (b: number, frame: Frame) => void): void {
    this.maximumSpeed = 0;
    let longest = this.#world.longestStep;
    for (const one of this.#moving) {
      const asleep = moved !== undefined && one.body.isSleeping();
      if (asleep && one.asleep) continue;
      one.asleep = asleep;
      this.#readOne(one);
      const spin = length(one.spin);
      longest = Math.min(longest, (one.rolls ? LARGEST_ROLL : LARGEST_TURN) / spin);
      this.maximumSpeed = Math.max(this.maximumSpeed, length(one.velocity) + one.reach * spin);
      moved?.(one.b, one.frame);
    }
    this.longestStep = longest;
    this.#moveParticles();
  }

  #readOne(one: Moving): void {
    const { body } = one;
    const { x, y, z } = body.translation(vector);
    const origin: Vec3 = [unsigned(x), unsigned(y), unsigned(z)];
    one.frame = { origin, rotation: rotationOf(body.rotation(quaternion)) };
    body.linvel(vector);
    one.velocity = [unsigned(vector.x), unsigned(vector.y), unsigned(vector.z)];
    body.angvel(vector);
    one.spin = [unsigned(vector.x), unsigned(vector.y), unsigned(vector.z)];
    this.#mirrored = false;
    this.#write(one);
  }

  override writeVelocities(): void {
    for (const one of this.#moving) this.#write(one);
    this.#moveParticles();
  }

  /** Rapier has its state already; bodies beyond the saved ones are new. */
  override restore(
    states: readonly RigidState[],
    _frames: readonly Frame[],
    _touches: Float32Array,
    lastStep: number,
  ): void {
    this.#lastStep = lastStep;
    for (const [k, { motion }] of this.#moving.entries()) {
      const state = states[k];
      if (!state) continue;
      motion.force = state.force;
      motion.torque = state.torque;
      if (length(state.force) + length(state.torque) > 0) this.#pushed = true;
    }
    this.#read();
  }

  /** Rapier's own bytes hold them. */
  override touches(saved = false): Float32Array {
    return saved ? packBytes(this.#world.snapshot()) : new Float32Array(0);
  }

  /** Puts frame, gravity, velocity and spin of a body into the body table. Views are made once for all of them. */
  #write({ b, frame, velocity: v, spin: world, motion }: Moving): void {
    const at = (b * layout.BODY_STRIDE) / 4;
    const { floats, doubles } = this.#table;
    const { rotation, origin } = frame;
    const [r00, r01, r02, r10, r11, r12, r20, r21, r22] = rotation;
    const [gx, gy, gz] = this.#gravity;
    const frameAt = at + layout.BODY_FRAME / 4;
    const exactAt = at / 2 + layout.BODY_EXACT_FRAME / 8;
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        const value = column < 3 ? rotation[3 * row + column]! : origin[row]!;
        floats[frameAt + 4 * row + column] = value;
        doubles[exactAt + 4 * row + column] = value;
      }
      const pull = rotation[row]! * gx + rotation[3 + row]! * gy + rotation[6 + row]! * gz;
      floats[at + layout.BODY_GRAVITY / 4 + row] = pull;
      floats[at + layout.BODY_TURN / 4 + row] = world[row]!;
    }
    const spinX = r00 * world[0] + r10 * world[1] + r20 * world[2];
    const spinY = r01 * world[0] + r11 * world[1] + r21 * world[2];
    const spinZ = r02 * world[0] + r12 * world[1] + r22 * world[2];
    const [x, y, z] = motion.properties.centre;
    // Of the frame's origin: the centre of mass turns about it.
    const moves = at + layout.BODY_RIGID_VELOCITY / 4;
    floats[moves] = unsigned(r00 * v[0] + r10 * v[1] + r20 * v[2] - (spinY * z - spinZ * y));
    floats[moves + 1] = unsigned(r01 * v[0] + r11 * v[1] + r21 * v[2] - (spinZ * x - spinX * z));
    floats[moves + 2] = unsigned(r02 * v[0] + r12 * v[1] + r22 * v[2] - (spinX * y - spinY * x));
    const turns = at + layout.BODY_RIGID_SPIN / 4;
    floats[turns] = unsigned(spinX);
    floats[turns + 1] = unsigned(spinY);
    floats[turns + 2] = unsigned(spinZ);
  }

  /** The body table, by floats and by doubles; memory may have grown since it was last seen. */
  get #table(): { readonly floats: Float32Array; readonly doubles: Float64Array } {
    const { arena } = this.#store.engine;
    if (this.#views?.floats.buffer !== arena.memory.buffer) {
      const at = this.#store.address(layout.BODIES);
      const bytes = layout.BODY_STRIDE * this.#store.bodies;
      this.#views = { floats: arena.f32(at, bytes / 4), doubles: arena.f64(at, bytes / 8) };
    }
    return this.#views;
  }

  #moveParticles(): void {
    const count = this.#moving.reduce((sum, { b }) => sum + this.#ranges[b]!.end - this.#ranges[b]!.begin, 0);
    if (count > 0) this.#store.run('moveRigidParticles', count);
  }
}

/** Takes a motion to where its body is. */
function follow(motion: RigidMotion, frame: Frame, velocity: Vec3, spin: Vec3): void {
  const { mass, centre, inertia } = motion.properties;
  motion.frame = frame;
  motion.position = add(frame.origin, transform(frame.rotation, centre));
  motion.momentum = scale(velocity, mass);
  motion.angularMomentum = transform(turned(frame.rotation, inertia), spin);
}

/** Bytes as the floats of a save: how many, then the bytes themselves. */
function packBytes(bytes: Uint8Array): Float32Array {
  const packed = new Float32Array(1 + Math.ceil(bytes.length / 4));
  new Uint32Array(packed.buffer)[0] = bytes.length;
  new Uint8Array(packed.buffer).set(bytes, 4);
  return packed;
}

export function unpackBytes(packed: Float32Array): Uint8Array {
  const count = new Uint32Array(packed.buffer, packed.byteOffset, 1)[0]!;
  return new Uint8Array(packed.buffer, packed.byteOffset + 4, count);
}

/** Of a quaternion that is a unit to the rounding of float32. */
function rotationOf({ x, y, z, w }: { x: number; y: number; z: number; w: number }): Frame['rotation'] {
  const s = 2 / (x * x + y * y + z * z + w * w);
  return [
    1 - s * (y * y + z * z),
    unsigned(s * (x * y - z * w)),
    unsigned(s * (x * z + y * w)),
    unsigned(s * (x * y + z * w)),
    1 - s * (x * x + z * z),
    unsigned(s * (y * z - x * w)),
    unsigned(s * (x * z - y * w)),
    unsigned(s * (y * z + x * w)),
    1 - s * (x * x + y * y),
  ];
}
