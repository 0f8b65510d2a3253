/** What a run is seen with: its obstacles, and the camera and lights of its pictures. */

import {
  boundsOf,
  dressedMesh,
  FLATTEST,
  movePoints,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type PlaneAt,
  type Pose,
  planeMesh,
  type RestMesh,
  type Shape,
  shapeMesh,
  type Vec3,
  type WallBounds,
  wallMesh,
} from 'phyxel';
import { edgeFor, GLASS, paleShade, WHITE } from '../render/actors.js';
import { fromHex, GROUND, OBSTACLE, WALL } from '../render/colors.js';
import type { RunSource } from '../render/run-source.js';
import { arrangeView, DEFAULT_VIEW } from '../render/studio.js';
import { survey } from '../render/survey.js';
import type { View } from '../render/view.js';
import { chooseSide } from '../render/viewpoint.js';
import { cross, dot, minus, scaled, unit } from '../vectors.js';
import { dressedParts, unitNormals } from './body-mesh.js';
import {
  type ExportGlass,
  type ExportLight,
  type ExportMaterial,
  type ExportMesh,
  type ExportPart,
  type ExportView,
  localTo,
} from './geometry.js';

const ROUGHNESS = { matte: 0.9, glossy: 0.35, glass: 0.05 } as const;
/** Of vessels, for formats that know nothing of the way of light through things. */
const VESSEL_OPACITY = 0.16;
/** Floors reach so far from the middle of what stands on them, in radii of that: as far as pictures show them whole. */
const FLOOR = 2.5;

const AT_REST: Pose = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] };

export class Stage {
  readonly view: ExportView;
  readonly #obstacles: readonly ObstacleMesh[];

  /** `frames` are those that are to be seen. */
  constructor(run: RunSource, frames: readonly number[]) {
    const { points, held, vessels } = survey(run, frames, undefined);
    const azimuth = chooseSide(run, frames, vessels, DEFAULT_VIEW.elevation);
    const start = run.readFrame(frames[0]!).time;
    const view = arrangeView({ ...DEFAULT_VIEW, azimuth, samples: 1, noise: 0, ground: 'plain' }, points)(
      run.scene,
      start,
    );
    const { center, fadeFrom } = view.ground;
    this.view = exportView(view, fadeFrom / FLOOR);
    const bounds: Bounds = { walls: boundsOf(held), floors: around(center, fadeFrom) };
    this.#obstacles = run.scene.obstacles.flatMap((obstacle) => {
      const isVessel = vessels.has(obstacle.name);
      const planes = run.scene.obstacles.flatMap((other) => {
        return other === obstacle ? [] : (obstaclePlane(other, start) ?? []);
      });
      const mesh = obstacleMesh(obstacle, planes, bounds, start);
      return mesh ? [new ObstacleMesh(obstacle, mesh, materialOf(obstacle, isVessel))] : [];
    });
  }

  /** The obstacles where they are at a time [s]. */
  obstacles(time: number): ExportMesh[] {
    return this.#obstacles.map((obstacle) => obstacle.at(time));
  }
}

/** How far planes reach, which have no end: walls as far as what they hold, floors as far as they are seen. */
interface Bounds {
  readonly walls: WallBounds;
  readonly floors: WallBounds;
}

class ObstacleMesh {
  readonly #options: ObstacleOptions;
  /** In its own coordinates. */
  readonly #mesh: RestMesh;
  readonly #parts: readonly ExportPart[];

  constructor(options: ObstacleOptions, mesh: RestMesh, material: ExportMaterial) {
    this.#options = options;
    this.#mesh = mesh;
    this.#parts = dressedParts(mesh, material, options);
  }

  at(time: number): ExportMesh {
    const { uvs, colors, indices } = this.#mesh;
    const pose = obstaclePose(this.#options, time);
    const positions = new Float32Array(this.#mesh.positions.length);
    const normals = new Float32Array(positions.length);
    movePoints(pose, this.#mesh.positions, positions);
    movePoints({ ...pose, origin: [0, 0, 0] }, this.#mesh.normals, normals);
    return {
      name: this.#options.name,
      positions,
      normals: unitNormals(normals),
      ...(uvs && { uvs }),
      ...(colors && this.#options.color === undefined && { colors }),
      indices,
      parts: this.#parts,
      attributes: {},
      motion: { pose, isRigid: true, isStill: this.#options.keyframes.length === 0 && !this.#options.motion },
    };
  }
}

/** In the obstacle's own coordinates; nothing of planes where there is nothing to be seen. */
function obstacleMesh(
  obstacle: ObstacleOptions,
  planes: readonly PlaneAt[],
  bounds: Bounds,
  time: number,
): RestMesh | undefined {
  const plane = obstaclePlane(obstacle, time);
  if (!plane) {
    const shape = obstacle.shape as Shape;
    return dressedMesh(shapeMesh(shape, edgeFor(shape, Infinity)), AT_REST);
  }
  const panel =
    plane.normal[1] > FLATTEST
      ? planeMesh(plane, planes, bounds.floors)
      : obstacle.look === 'glass'
        ? wallMesh(plane, planes, bounds.walls)
        : planeMesh(plane, planes, bounds.walls);
  if (!panel) return undefined;
  const pose = obstaclePose(obstacle, time);
  const { triangles: indices } = panel;
  return {
    positions: localTo(pose, panel.positions, true),
    normals: localTo(pose, panel.normals, false),
    uvs: undefined,
    colors: undefined,
    indices,
    parts: [{ material: undefined, begin: 0, end: indices.length }],
  };
}

function materialOf({ name, shape, color: hex, look: given }: ObstacleOptions, isVessel: boolean): ExportMaterial {
  const look = given ?? (isVessel ? 'glass' : 'matte');
  const isPlane = 'plane' in shape;
  const chosen = look === 'glass' ? WHITE : isPlane ? (isFloor(shape.plane.normal) ? GROUND : WALL) : OBSTACLE;
  const color = hex === undefined ? chosen : fromHex(hex);
  return { name, color, roughness: ROUGHNESS[look], ...(look === 'glass' && { glass: glassOf(color) }) };
}

function isFloor(normal: Vec3): boolean {
  return normal[1] > FLATTEST * Math.hypot(...normal);
}

/** Solid glass of a colour. */
export function glassOf(color: Vec3): ExportGlass {
  return { ior: GLASS.index, tint: paleShade(color), distance: GLASS.depth, opacity: VESSEL_OPACITY };
}

function around(center: Vec3, reach: number): WallBounds {
  const [x, y, z] = center;
  return { low: [x - reach, y - reach, z - reach], high: [x + reach, y + reach, z + reach] };
}

/** `radius` is that of what is to be seen [m]. */
function exportView({ camera, lighting, width, height }: View, radius: number): ExportView {
  const { right, up, forward, origin, tangent } = camera;
  const { key, keyDirection, keyRadius, zenith, horizon, nadir } = lighting;
  const mean = (a: Vec3, b: Vec3) => a.map((x, k) => (x + b[k]!) / 2) as unknown as Vec3;
  const sky = mean(zenith, horizon);
  return {
    camera: {
      pose: { rotation: columns(right, up, scaled(forward, -1)), origin },
      fieldOfView: 2 * Math.atan(tangent),
      aspect: width / height,
      near: 0.01 * radius,
      far: 100 * radius,
    },
    key: light('key', keyDirection, key, keyRadius),
    sky,
    // A sky lights from all sides: half of it from above, a little from below, and the shadows from the camera's side.
    fill: [
      light('sky', [0, 1, 0], scaled(sky, 0.5), 0),
      light('fill', unit([right[0] - forward[0], 0.4, right[2] - forward[2]]), scaled(sky, 0.5), 0),
      light('bounce', [0, -1, 0], scaled(nadir, 0.5), 0),
    ],
  };
}

/** A light in a direction, whose irradiance over pi is given. */
function light(name: string, direction: Vec3, share: Vec3, radius: number): ExportLight {
  const most = Math.max(...share);
  const side = unit(Math.abs(direction[1]) > 0.9 ? [1, 0, 0] : [direction[2], 0, -direction[0]]);
  const x = unit(minus(side, scaled(direction, dot(side, direction))));
  return {
    name,
    pose: { rotation: columns(x, cross(direction, x), direction), origin: [0, 0, 0] },
    color: scaled(share, 1 / most),
    intensity: Math.PI * most,
    radius,
  };
}

function columns(x: Vec3, y: Vec3, z: Vec3): Pose['rotation'] {
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}
