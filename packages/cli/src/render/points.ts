/** Surfaces made of points, drawn as discs: surfels on solids, and the point surface of liquids. */
import {
  type BoundaryPoints,
  discMesh,
  FLATTEST,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type PlaneAt,
  type PointSurface,
  type PointSurfacer,
  type SurfelCloud,
  sampleSurfels,
  type TriangleMesh,
  type Vec3,
} from 'phyxel';
import type { Frame } from '../run/frame-file.js';
import {
  type Actor,
  type Carrying,
  type Obstacle,
  type Particles,
  positionsOf,
  type Stage,
  scaleColors,
  valuesOf,
} from './actors.js';
import { BoundaryPointss, type SurfelPositions, triplesAt } from './boundary-points.js';
import type { MeshPart } from './geometry.js';
import { frameArray } from './run-source.js';

export interface PointDrawing {
  readonly surfacer: PointSurfacer;
  readonly liquids: boolean;
}

/** Surfels nearer to a plane than this share of their radius lie on it. */
const ON = 0.01;
/** Surfels of a solid are this many of its particles' spacings apart. */
const SURFELS = 0.4;

export class SolidSurfels implements Actor {
  readonly #particles: Particles;
  readonly #cloud: SurfelCloud;
  readonly #material: number;

  constructor(
    particles: Carrying,
    rest: Float32Array,
    mesh: TriangleMesh,
    material: number,
    { surfacer }: PointDrawing,
  ) {
    this.#particles = particles;
    const { parts: ends, spacing } = particles;
    this.#cloud = surfacer.surfels(rest, sampleSurfels(mesh, SURFELS * spacing), { ends, spacing });
    this.#material = material;
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { scale, color } = this.#particles;
    const cloud = this.#cloud;
    cloud.update(positionsOf(frame, this.#particles));
    const mesh = discMesh({ positions: cloud.positions(), normals: cloud.normals(), axes: cloud.axes() });
    const own = scale ? scaleColors(cloud.interpolate(valuesOf(frame, this.#particles)), scale) : cloud.colors();
    meshes.push({
      positions: mesh.positions,
      normals: mesh.normals,
      triangles: mesh.triangles,
      material: this.#material,
      color: own ? byVertex(own, mesh.discs) : color,
    });
  }
}

/** One surface for all liquids of one spacing. It goes from frame to frame, so frames come in their order. */
export class LiquidPoints implements Actor {
  readonly #surface: PointSurface;
  /** By obstacle, made when they are first needed. */
  readonly #boundaryPoints = new Map<Obstacle, BoundaryPointss>();

  constructor(
    readonly liquids: readonly Particles[],
    readonly material: number,
    { surfacer }: PointDrawing,
    readonly obstacles: readonly ObstacleOptions[],
    /** What has a form and is no body. */
    readonly touched: readonly Obstacle[],
    readonly stage: Stage | undefined,
  ) {
    this.#surface = surfacer.points({ spacing: liquids[0]!.spacing });
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const points = this.liquids.map((particles) => presentPositions(frame, particles));
    const positions = new Float32Array(points.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of points) {
      positions.set(part, at);
      at += part.length;
    }
    const surface = this.#surface;
    const planes = this.obstacles.flatMap((obstacle) => obstaclePlane(obstacle, frame.time) ?? []);
    surface.setBoundaryPoints({ planes, ...this.#boundaryPointsAt(frame.time) });
    surface.update({ positions });
    const shown = this.stage ? planes.filter((plane) => isShown(plane, this.stage!.eye)) : [];
    let discs = beside({ positions: surface.positions(), normals: surface.normals() }, shown, surface.radius);
    for (const at of this.touched) discs = this.#boundaryPointOf(at).show(discs, obstaclePose(at.obstacle, frame.time));
    const mesh = discMesh({ ...discs, axes: surface.radius });
    meshes.push({
      positions: mesh.positions,
      normals: mesh.normals,
      triangles: mesh.triangles,
      material: this.material,
      color: this.liquids[0]!.color,
      flowing: this.liquids,
    });
  }

  #boundaryPointOf(obstacle: Obstacle): BoundaryPointss {
    const known = this.#boundaryPoints.get(obstacle);
    if (known) return known;
    const boundary = new BoundaryPointss(obstacle.mesh, this.liquids[0]!.spacing, obstacle.isClear);
    this.#boundaryPoints.set(obstacle, boundary);
    return boundary;
  }

  #boundaryPointsAt(time: number): BoundaryPoints {
    const boundaryPoints = this.touched.map((at) => this.#boundaryPointOf(at));
    const count = boundaryPoints.reduce((sum, boundary) => sum + boundary.count, 0);
    const [points, normals] = [new Float32Array(3 * count), new Float32Array(3 * count)];
    let at = 0;
    for (const [k, { obstacle }] of this.touched.entries()) {
      boundaryPoints[k]!.place(obstaclePose(obstacle, time), points, normals, at);
      at += boundaryPoints[k]!.count;
    }
    return { points, normals };
  }
}

/** Planes that are drawn: floors, and walls from their free side. */
function isShown({ point, normal }: PlaneAt, eye: Vec3): boolean {
  return [0, 1, 2].reduce((sum, k) => sum + (eye[k]! - point[k]!) * normal[k]!, 0) > 0 && normal[1] > -FLATTEST;
}

/** Without those that lie on planes that are drawn: nothing is to be seen of them, and they would be in one place. */
function beside({ positions, normals }: SurfelPositions, planes: readonly PlaneAt[], radius: number): SurfelPositions {
  const kept: number[] = [];
  for (let i = 0; i < positions.length; i += 3) {
    const along = (a: ArrayLike<number>, at: number, n: Vec3) => a[at]! * n[0] + a[at + 1]! * n[1] + a[at + 2]! * n[2];
    const lies = planes.some(({ point, normal: n }) => {
      const height = along(positions, i, n) - along(point, 0, n);
      return Math.abs(height) < ON * radius && along(normals, i, n) < -0.9;
    });
    if (!lies) kept.push(i);
  }
  return { positions: triplesAt(positions, kept), normals: triplesAt(normals, kept) };
}

/** Positions that are not a number stand for particles that are not there. */
function presentPositions(frame: Frame, particles: Particles): Float32Array {
  const positions = positionsOf(frame, particles).slice();
  const taken = frameArray(frame, 'present')?.values;
  for (let i = 0; taken && i < particles.end - particles.begin; i++) {
    if (!(taken[particles.begin + i]! > 0)) positions.fill(Number.NaN, 3 * i, 3 * i + 3);
  }
  return positions;
}

function byVertex(colors: Float32Array, discs: Uint32Array): Float32Array {
  const out = new Float32Array(3 * discs.length);
  for (let v = 0; v < discs.length; v++) out.set(colors.subarray(3 * discs[v]!, 3 * discs[v]! + 3), 3 * v);
  return out;
}
