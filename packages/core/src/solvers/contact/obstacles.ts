import { dot, length, type Matrix3, rotationFromDegrees, scale } from '../../math/matrix3.js';
import type { ObstacleOptions, TriangleMesh, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { compose, Motion, type Pose, velocityBetween } from '../motion.js';
import { impactDamping, reboundDamping } from './restitution.js';

/** Obstacles are taken to move as they do in this time when forces are found between steps [s]. */
export const INSTANT = 1e-4;

/** Signed distances to a mesh on a grid: negative inside, x fastest. */
export interface DistanceGrid {
  readonly origin: Vec3;
  readonly cell: number;
  readonly size: readonly [number, number, number];
  readonly values: Float32Array;
}

/** When a body was found inside obstacles [s], and how long it takes to come out [s]. */
export interface PenetrationTime {
  readonly since: number;
  readonly duration: number;
}

export interface Obstacle {
  readonly options: ObstacleOptions;
  /** Of a mesh, as long as it is known: a save keeps only the grid. */
  readonly mesh?: TriangleMesh | undefined;
  /** Of a mesh, made for the particles that are there. */
  grid?: DistanceGrid | undefined;
  /** Boundary particles on its surface for liquids of a spacing, xyz in its own axes [m]. */
  boundary?: { readonly spacing: number; readonly points: Float32Array } | undefined;
}

/** A rotation whose y axis is the given direction. */
function rotationToNormal(normal: Vec3): Matrix3 {
  const y = scale(normal, 1 / length(normal));
  const other: Vec3 = Math.abs(y[0]) < 0.7 ? [1, 0, 0] : [0, 0, 1];
  const along = dot(other, y);
  const raw: Vec3 = [other[0] - along * y[0], other[1] - along * y[1], other[2] - along * y[2]];
  const x = scale(raw, 1 / length(raw));
  const z: Vec3 = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

/** Where an obstacle stands before it moves, a plane with its normal along y, and how it moves from there. */
export function obstaclePlacement(options: ObstacleOptions): { readonly placed: Pose; readonly motion: Motion } {
  const placed: Pose = { rotation: rotationFromDegrees(options.rotation), origin: options.position };
  const motion = new Motion(options.keyframes, options.motion);
  if (!('plane' in options.shape)) return { placed, motion };
  const { normal, offset } = options.shape.plane;
  const surface = { rotation: rotationToNormal(normal), origin: scale(normal, offset / length(normal)) };
  return { placed: compose(placed, surface), motion };
}

/** Kind and the numbers of the shape, as obstacleDistance reads them. */
function shapeNumbers(obstacle: Obstacle): { kind: number; numbers: Vec3 } {
  const { shape } = obstacle.options;
  if ('plane' in shape) return { kind: layout.KIND_PLANE, numbers: [0, 0, 0] };
  if ('box' in shape) return { kind: layout.KIND_BOX, numbers: scale(shape.box.size, 0.5) };
  if ('sphere' in shape) return { kind: layout.KIND_SPHERE, numbers: [shape.sphere.radius, 0, 0] };
  if ('capsule' in shape)
    return { kind: layout.KIND_CAPSULE, numbers: [shape.capsule.radius, shape.capsule.length / 2, 0] };
  if ('cylinder' in shape) {
    return { kind: layout.KIND_CYLINDER, numbers: [shape.cylinder.radius, shape.cylinder.length / 2, 0] };
  }
  if ('torus' in shape) return { kind: layout.KIND_TORUS, numbers: [shape.torus.radius, shape.torus.tube, 0] };
  return { kind: layout.KIND_GRID, numbers: [0, 0, 0] };
}

/** The obstacles in the engine's memory, and their motion. */
export class ObstacleSet {
  readonly #store: ParticleStore;
  readonly #count: number;
  readonly #moving: { at: number; placed: Pose; motion: Motion; radius: number }[] = [];
  /** Bodies that began inside obstacles: where their share is kept that is left of that. */
  #leaving: (PenetrationTime & { at: number })[] = [];

  constructor(store: ParticleStore, obstacles: readonly Obstacle[]) {
    this.#store = store;
    this.#count = obstacles.length;
    const { arena } = store.engine;
    const table = store.allocate(layout.OBSTACLES, layout.OBSTACLE_STRIDE * obstacles.length);
    store.setInteger(layout.OBSTACLE_COUNT, obstacles.length);
    for (const [k, obstacle] of obstacles.entries()) {
      const at = table + k * layout.OBSTACLE_STRIDE;
      const { options, grid } = obstacle;
      const { kind, numbers } = shapeNumbers(obstacle);
      const gridAt = grid ? arena.allocate(4 * grid.values.length) : 0;
      if (grid) arena.f32(gridAt, grid.values.length).set(grid.values);
      const floats = arena.f32(at, layout.OBSTACLE_STRIDE / 4);
      const integers = arena.u32(at, layout.OBSTACLE_STRIDE / 4);
      integers[layout.OBSTACLE_KIND / 4] = kind;
      floats[layout.OBSTACLE_FRICTION / 4] = options.friction;
      floats[layout.OBSTACLE_RESTITUTION / 4] = options.restitution;
      floats[layout.OBSTACLE_NO_SLIP / 4] = 1 - options.slip;
      floats[layout.OBSTACLE_ADHESION / 4] = options.adhesion;
      floats[layout.OBSTACLE_IMPACT_DAMPING / 4] = impactDamping(options.restitution);
      floats[layout.OBSTACLE_REBOUND_DAMPING / 4] = reboundDamping(options.restitution);
      floats.set(numbers, layout.OBSTACLE_SHAPE / 4);
      if (grid) {
        floats[layout.OBSTACLE_CELL / 4] = grid.cell;
        floats.set(grid.origin, layout.OBSTACLE_GRID_ORIGIN / 4);
        integers[layout.OBSTACLE_GRID / 4] = gridAt;
        integers.set(grid.size, layout.OBSTACLE_GRID_X / 4);
      }
      const { placed, motion } = obstaclePlacement(options);
      writePose(floats, compose(motion.pose(0), placed));
      if (!motion.still) this.#moving.push({ at, placed, motion, radius: boundingRadius(numbers, grid) });
    }
  }

  get empty(): boolean {
    return this.#count === 0;
  }

  /** Lets a body, by its row in the table of bodies, come out of obstacles that it began in. */
  letOut(body: number, { since, duration }: PenetrationTime): void {
    this.#leaving.push({ at: body + layout.BODY_PENETRATION, since, duration });
  }

  /** Bodies that began inside obstacles are to be out of them now, as an equilibrium asks for. */
  pushOut(): void {
    for (const { at } of this.#leaving) this.#store.engine.arena.f32(at, 1)[0] = 0;
  }

  #writeShares(time: number): void {
    for (const { at, since, duration } of this.#leaving) {
      this.#store.engine.arena.f32(at, 1)[0] = Math.max(0, 1 - (time - since) / duration);
    }
    this.#leaving = this.#leaving.filter(({ since, duration }) => time < since + duration);
  }

  /** Does any of them move at some time? */
  get moves(): boolean {
    return this.#moving.length > 0;
  }

  /** Times at which an obstacle's velocity jumps. */
  get corners(): number[] {
    return this.#moving.flatMap(({ motion }) => motion.corners);
  }

  /**
   * Poses at `time` and the velocities of the step that begins there; returns the largest speed [m/s].
   * With `atEnd` the poses are those at the end of the step.
   */
  move(time: number, dt: number, atEnd = false): number {
    let fastest = 0;
    if (this.#leaving.length > 0) this.#writeShares(atEnd ? time + dt : time);
    for (const { at, placed, motion, radius } of this.#moving) {
      const floats = this.#store.engine.arena.f32(at, layout.OBSTACLE_STRIDE / 4);
      const pose = compose(motion.pose(time), placed);
      const next = compose(motion.pose(time + dt), placed);
      const { velocity, spin } = velocityBetween(pose, next, dt);
      writePose(floats, atEnd ? next : pose);
      floats.set(velocity, layout.OBSTACLE_VELOCITY / 4);
      floats.set(spin, layout.OBSTACLE_SPIN / 4);
      floats[layout.OBSTACLE_SPEED / 4] = length(spin) > 0 ? Number.POSITIVE_INFINITY : length(velocity);
      fastest = Math.max(fastest, length(velocity) + radius * length(spin));
    }
    return fastest;
  }
}

/** Balls whose gaps are measured at once. */
const CHUNK = 4096;

/** Gaps between balls and the nearest of some obstacles [m], and which of them that is. */
export function measureGaps(
  store: ParticleStore,
  balls: Float32Array,
  first: number,
  count: number,
): { gaps: Float32Array; nearest: Uint32Array } {
  const { engine } = store;
  const { arena } = engine;
  const mark = arena.mark();
  const context = arena.allocate(layout.CONTEXT_SIZE);
  const at = arena.allocate(16 * CHUNK);
  const gapsAt = arena.allocate(4 * CHUNK);
  const nearestAt = arena.allocate(4 * CHUNK);
  const block = arena.u32(context, layout.CONTEXT_SIZE / 4);
  block[layout.POINTS / 4] = at;
  block[layout.NEAREST_DISTANCE / 4] = gapsAt;
  block[layout.SORTED / 4] = nearestAt;
  block[layout.OBSTACLES / 4] = store.address(layout.OBSTACLES) + first * layout.OBSTACLE_STRIDE;
  block[layout.OBSTACLE_COUNT / 4] = count;
  const gaps = new Float32Array(balls.length / 4);
  const nearest = new Uint32Array(gaps.length);
  for (let begin = 0; begin < gaps.length; begin += CHUNK) {
    const points = Math.min(CHUNK, gaps.length - begin);
    arena.f32(at, 4 * points).set(balls.subarray(4 * begin, 4 * (begin + points)));
    engine.run('measureGaps', points, context);
    gaps.set(arena.f32(gapsAt, points), begin);
    nearest.set(arena.u32(nearestAt, points), begin);
  }
  arena.release(mark);
  return { gaps, nearest };
}

/** Distance of the farthest point of an obstacle from its origin [m]; a plane has none that matters. */
function boundingRadius(numbers: Vec3, grid: DistanceGrid | undefined): number {
  if (!grid) return Math.abs(numbers[0]) + Math.abs(numbers[1]) + Math.abs(numbers[2]);
  const corner = (a: 0 | 1 | 2) =>
    Math.max(Math.abs(grid.origin[a]), Math.abs(grid.origin[a] + grid.cell * grid.size[a]));
  return length([corner(0), corner(1), corner(2)]);
}

function writePose(floats: Float32Array, pose: Pose): void {
  const at = layout.OBSTACLE_POSE / 4;
  for (let row = 0; row < 3; row++) {
    floats.set(
      [pose.rotation[3 * row]!, pose.rotation[3 * row + 1]!, pose.rotation[3 * row + 2]!, pose.origin[row]!],
      at + 4 * row,
    );
  }
}
