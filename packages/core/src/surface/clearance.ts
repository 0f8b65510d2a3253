/**
 * Keeps meshes that are shown out of obstacles. Contact acts at particles, as balls of half a spacing: corners of a
 * mesh reach farther than that, up to 0.4 spacings, and contact of rigid bodies is a stiff spring that gives way. What
 * is in an obstacle is laid on its surface: parts of bodies that deform vertex by vertex, rigid ones as a whole.
 */

import { isInside } from '../mesh/inside.js';
import { type MeshSolid, prepareSolid } from '../mesh/solid.js';
import type { ObstacleOptions, Shape, Vec3 } from '../options/types.js';
import type { Pose } from '../solvers/motion.js';
import { obstaclePlane, obstaclePose, type PlaneAt, shapeMesh } from './shape-mesh.js';

/** What is deeper than this is there for another reason [spacings]. */
export const DEEPEST = 2;
/** Arcs of basic shapes have steps of this share of their size. */
const FINENESS = 0.02;
/** A vertex whose normal points the same way as that of the surface by more than this has come from its other side. */
const FACING = 0.3;
/** Rounds in which a rigid body is moved out of what it touches, and the depth that does not matter [spacings]. */
const ROUNDS = 6;
const SHALLOW = 1e-4;

type Floats = Float32Array | Float64Array;

export interface ClearanceOptions {
  /** At a time [s] for obstacles that move. */
  readonly time: number;
  /** Of the body's particles [m]. */
  readonly spacing: number;
  /** How deep surfaces may be, so that no film of air is between [m]; 0 when left out. */
  readonly sunk?: number;
}

interface SolidObstacle {
  readonly options: ObstacleOptions;
  readonly solid: MeshSolid;
}

export class ObstacleClearance {
  readonly #planes: readonly ObstacleOptions[];
  readonly #solids: readonly SolidObstacle[];

  /** Meshes of obstacles must have been read. */
  constructor(obstacles: readonly ObstacleOptions[]) {
    this.#planes = obstacles.filter(({ shape }) => 'plane' in shape);
    this.#solids = obstacles.flatMap((options) => {
      const shape = options.shape as Shape;
      if ('plane' in options.shape) return [];
      return [{ options, solid: prepareSolid(shapeMesh(shape, FINENESS * sizeOf(shape))) }];
    });
  }

  /** Lays vertices that are in obstacles on their surfaces; normals are those of the vertices. */
  push(positions: Floats, normals: ArrayLike<number>, options: ClearanceOptions): void {
    const move = (i: number, [x, y, z]: Vec3, depth: number) => {
      positions[i]! += depth * x;
      positions[i + 1]! += depth * y;
      positions[i + 2]! += depth * z;
    };
    for (const plane of this.#planesAt(options.time)) deepInPlane(plane, positions, options, move);
    for (const obstacle of this.#solids) deepInSolid(obstacle, positions, normals, options, move);
  }

  /** The way out of obstacles for all of a rigid mesh [m]: as far as its deepest vertex, from one after the other. */
  lift(positions: ArrayLike<number>, normals: ArrayLike<number>, options: ClearanceOptions): Vec3 {
    const offset: [number, number, number] = [0, 0, 0];
    const planes = this.#planesAt(options.time);
    const moved = Float64Array.from(positions);
    for (let round = 0; round < ROUNDS; round++) {
      let deepest = SHALLOW * options.spacing;
      let out: Vec3 | undefined;
      const note = (_: number, direction: Vec3, depth: number) => {
        if (depth > deepest) [deepest, out] = [depth, direction];
      };
      for (const plane of planes) deepInPlane(plane, moved, options, note);
      for (const obstacle of this.#solids) deepInSolid(obstacle, moved, normals, options, note);
      if (!out) break;
      for (let k = 0; k < 3; k++) offset[k]! += deepest * out[k]!;
      for (let i = 0; i < moved.length; i++) moved[i]! += deepest * out[i % 3]!;
    }
    return offset;
  }

  #planesAt(time: number): PlaneAt[] {
    return this.#planes.map((obstacle) => obstaclePlane(obstacle, time)!);
  }
}

/** Told of a vertex (the position of its x) that is in an obstacle: the way out, and how far that is [m]. */
type Found = (i: number, out: Vec3, depth: number) => void;

function deepInPlane(
  { point, normal }: PlaneAt,
  positions: ArrayLike<number>,
  { spacing, sunk = 0 }: ClearanceOptions,
  found: Found,
): void {
  const offset = point[0] * normal[0] + point[1] * normal[1] + point[2] * normal[2] - sunk;
  for (let i = 0; i < positions.length; i += 3) {
    const depth = offset - positions[i]! * normal[0] - positions[i + 1]! * normal[1] - positions[i + 2]! * normal[2];
    if (depth > 0 && depth < DEEPEST * spacing) found(i, normal, depth);
  }
}

function deepInSolid(
  { options, solid }: SolidObstacle,
  positions: ArrayLike<number>,
  normals: ArrayLike<number>,
  { time, spacing, sunk = 0 }: ClearanceOptions,
  found: Found,
): void {
  const { rotation: r, origin: o }: Pose = obstaclePose(options, time);
  const { low, high } = solid;
  for (let i = 0; i < positions.length; i += 3) {
    const [dx, dy, dz] = [positions[i]! - o[0], positions[i + 1]! - o[1], positions[i + 2]! - o[2]];
    const x = r[0] * dx + r[3] * dy + r[6] * dz;
    if (x < low[0] || x > high[0]) continue;
    const y = r[1] * dx + r[4] * dy + r[7] * dz;
    if (y < low[1] || y > high[1]) continue;
    const z = r[2] * dx + r[5] * dy + r[8] * dz;
    if (z < low[2] || z > high[2]) continue;
    const near = solid.bvh.closestPoint([x, y, z], DEEPEST * spacing);
    if (!near || near.distance <= sunk || !isInside(solid, [x, y, z])) continue;
    const [ox, oy, oz] = [near.point[0] - x, near.point[1] - y, near.point[2] - z];
    const s = 1 / near.distance;
    const out: Vec3 = [
      s * (r[0] * ox + r[1] * oy + r[2] * oz),
      s * (r[3] * ox + r[4] * oy + r[5] * oz),
      s * (r[6] * ox + r[7] * oy + r[8] * oz),
    ];
    const facing = normals[i]! * out[0] + normals[i + 1]! * out[1] + normals[i + 2]! * out[2];
    if (facing <= FACING) found(i, out, near.distance - sunk);
  }
}

/** A length that tells how large a basic shape is; meshes are as they are. */
function sizeOf(shape: Shape): number {
  const numbers = Object.values(Object.values(shape)[0] as Record<string, unknown>).flat();
  return Math.max(1e-9, ...numbers.filter((x): x is number => typeof x === 'number'));
}
