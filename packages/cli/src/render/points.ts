/** Surfaces made of points, drawn as discs: surfels on solids, and the point surface of liquids. */
import {
  discMesh,
  type ObstacleOptions,
  obstaclePlane,
  type PointSurface,
  type PointSurfacer,
  type SurfelCloud,
  sampleSurfels,
  type TriangleMesh,
} from 'phyxel';
import type { Frame } from '../run/frame-file.js';
import { type Actor, type Particles, positionsOf, scaleColors, valuesOf } from './actors.js';
import type { MeshPart } from './geometry.js';
import { frameArray } from './run-source.js';

export interface PointDrawing {
  readonly surfacer: PointSurfacer;
  readonly liquids: boolean;
}

/** Surfels of a solid are this many of its particles' spacings apart. */
const SURFELS = 0.4;

export class SolidSurfels implements Actor {
  readonly #particles: Particles;
  readonly #cloud: SurfelCloud;
  readonly #material: number;

  constructor(
    particles: Particles,
    rest: Float32Array,
    mesh: TriangleMesh,
    material: number,
    { surfacer }: PointDrawing,
  ) {
    this.#particles = particles;
    this.#cloud = surfacer.surfels(rest, sampleSurfels(mesh, SURFELS * particles.spacing));
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

/** The surface goes from frame to frame, so frames come in their order. */
export class LiquidPoints implements Actor {
  readonly #surface: PointSurface;

  constructor(
    readonly particles: Particles,
    readonly material: number,
    { surfacer }: PointDrawing,
    readonly obstacles: readonly ObstacleOptions[],
  ) {
    this.#surface = surfacer.points({ spacing: particles.spacing });
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { begin, end, color } = this.particles;
    const positions = positionsOf(frame, this.particles).slice();
    const taken = frameArray(frame, 'present')?.values;
    for (let i = 0; taken && i < end - begin; i++) {
      if (!(taken[begin + i]! > 0)) positions.fill(Number.NaN, 3 * i, 3 * i + 3);
    }
    const surface = this.#surface;
    surface.setMoulds({ planes: this.obstacles.flatMap((obstacle) => obstaclePlane(obstacle, frame.time) ?? []) });
    surface.update({ positions });
    const discs = { positions: surface.positions(), normals: surface.normals(), axes: surface.radius };
    const mesh = discMesh(discs);
    meshes.push({
      positions: mesh.positions,
      normals: mesh.normals,
      triangles: mesh.triangles,
      material: this.material,
      color,
    });
  }
}

function byVertex(colors: Float32Array, discs: Uint32Array): Float32Array {
  const out = new Float32Array(3 * discs.length);
  for (let v = 0; v < discs.length; v++) out.set(colors.subarray(3 * discs[v]!, 3 * discs[v]! + 3), 3 * v);
  return out;
}
