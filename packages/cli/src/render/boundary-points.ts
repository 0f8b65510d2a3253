/** Obstacles as boundary points of point surfaces: points along them that the liquid's surface lies on, with their detail. */
import { Bvh, movePoints, type Pose, sampleSurfels, type TriangleMesh } from 'phyxel';
import { localTo } from '../export/geometry.js';

/** Points of a boundary are this many spacings of the particles apart: detail finer than surfels would be lost. */
const APART = 0.4;
/** Points at the most: large obstacles have them farther apart. */
const MOST = 40_000;
/** With points farther apart than this a wall could not be told [spacings]. */
const FARTHEST = 1;
/** Surfels nearer to a boundary that they face than this lie on it [spacings]. */
const ON = 0.05;
/** How far they are drawn inside clear boundary points, where no film of air may be between [spacings]. */
const SUNK = 0.04;
/** Surfels whose normals point into a boundary by more than this face it. */
const FACING = 0.4;

export interface SurfelPositions {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
}

export class BoundaryPointss {
  readonly #points: Float32Array;
  readonly #normals: Float32Array;
  readonly #mesh: TriangleMesh;
  readonly #tree: Bvh;

  /** A mesh in its own coordinates, for particles with a spacing. */
  constructor(
    mesh: TriangleMesh,
    readonly spacing: number,
    /** Can be seen through. */
    readonly isClear: boolean,
  ) {
    const apart = Math.max(APART * spacing, Math.sqrt(areaOf(mesh) / MOST));
    const samples = apart > FARTHEST * spacing ? undefined : sampleSurfels(mesh, apart);
    this.#points = samples?.positions ?? new Float32Array();
    this.#normals = samples ? directionsOf(samples.axes) : new Float32Array();
    this.#mesh = mesh;
    this.#tree = new Bvh(mesh);
  }

  get count(): number {
    return this.#points.length / 3;
  }

  /** Points and normals with the boundary at a pose, written from a position in arrays on. */
  place(pose: Pose, points: Float32Array, normals: Float32Array, at: number): void {
    movePoints(pose, this.#points, points.subarray(3 * at, 3 * (at + this.count)));
    movePoints({ ...pose, origin: [0, 0, 0] }, this.#normals, normals.subarray(3 * at, 3 * (at + this.count)));
  }

  /** What is to be drawn of surfels: those that lie on the boundary are a little inside it, or left out where it hides them. */
  show({ positions, normals }: SurfelPositions, pose: Pose): SurfelPositions {
    const local = localTo(pose, positions, true);
    const directions = localTo(pose, normals, false);
    const moved = positions.slice();
    const kept: number[] = [];
    for (let i = 0; i < positions.length; i += 3) {
      const near = this.#tree.closestPoint([local[i]!, local[i + 1]!, local[i + 2]!], ON * this.spacing);
      const n = near && unit(acrossOf(this.#mesh, near.triangle));
      const faces = n ? -(n[0] * directions[i]! + n[1] * directions[i + 1]! + n[2] * directions[i + 2]!) : 0;
      if (faces < FACING) {
        kept.push(i);
      } else if (this.isClear) {
        for (let k = 0; k < 3; k++) moved[i + k]! += SUNK * this.spacing * normals[i + k]!;
        kept.push(i);
      }
    }
    return { positions: triplesAt(moved, kept), normals: triplesAt(normals, kept) };
  }
}

/** The triples that begin at some positions. */
export function triplesAt(values: Float32Array, positions: readonly number[]): Float32Array {
  return Float32Array.from(
    { length: 3 * positions.length },
    (_, k) => values[positions[Math.floor(k / 3)]! + (k % 3)]!,
  );
}

type Vector = [number, number, number];

/** Across a triangle, twice as long as its area. */
function acrossOf({ positions, triangles }: TriangleMesh, triangle: number): Vector {
  const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * triangle + k]!) as Vector;
  const u = [0, 1, 2].map((k) => positions[b + k]! - positions[a + k]!);
  const v = [0, 1, 2].map((k) => positions[c + k]! - positions[a + k]!);
  return cross(u, v);
}

function areaOf(mesh: TriangleMesh): number {
  let twice = 0;
  for (let t = 0; t < mesh.triangles.length / 3; t++) twice += Math.hypot(...acrossOf(mesh, t));
  return twice / 2;
}

/** Normals of discs with two half axes each. */
function directionsOf(axes: Float32Array): Float32Array {
  const normals = new Float32Array(axes.length / 2);
  for (let i = 0; i < axes.length; i += 6) {
    normals.set(unit(cross(axes.subarray(i, i + 3), axes.subarray(i + 3, i + 6))), i / 2);
  }
  return normals;
}

function cross(u: ArrayLike<number>, v: ArrayLike<number>): Vector {
  return [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
}

function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector) || 1;
  return vector.map((x) => x / length) as Vector;
}
