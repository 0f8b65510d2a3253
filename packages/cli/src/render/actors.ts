/** What appears in the pictures of a run: bodies as their own meshes, liquids, obstacles. */

import {
  type BodyOptions,
  bodyPose,
  type ClearanceOptions,
  fitRigidPose,
  movePoints,
  ObstacleClearance,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type RestMesh,
  refineMesh,
  restMesh,
  type Shape,
  type Skinner,
  type Skinning,
  type SmoothedMesh,
  shapeMesh,
  splitAtCreases,
  type TriangleMesh,
  type Vec3,
  vertexNormals,
} from 'phyxel';
import { flowsFreely } from '../core.js';
import { dressed } from '../export/body-mesh.js';
import type { ExportMaterial } from '../export/geometry.js';
import type { Frame } from '../run/frame-file.js';
import { chooseColors, fromHex, mapColor, OBSTACLE, WALL } from './colors.js';
import {
  type BallsPart,
  buildGeometry,
  type Color,
  type Geometry,
  type Look,
  type Material,
  type MeshPart,
} from './geometry.js';
import type { Surfacer } from './liquid.js';
import { type DrawnLiquid, LiquidsActor } from './liquids.js';
import { LiquidPoints, type PointDrawing, SolidSurfels } from './points.js';
import type { Quantity } from './quantities.js';
import { frameArray, type RunSource } from './run-source.js';
import { readTexture, type Texture } from './texture.js';
import { Vessel } from './vessel.js';
import { isWall, type WallBounds, wallMesh } from './walls.js';

/** Faces that meet at more than this have an edge between them [degrees]. */
const CREASE = 40;
/** Curved shapes have at least so many steps across. */
const STEPS = 40;

export interface ColorScale {
  readonly quantity: Quantity;
  readonly from: number;
  readonly to: number;
}

export interface ActorOptions {
  /** Bodies as balls instead of their meshes. */
  readonly particles: boolean;
  readonly scale?: ColorScale | undefined;
  /** Obstacles that hold liquid: they are glass unless the scene says otherwise. */
  readonly vessels: ReadonlySet<string>;
  /** Carries meshes of bodies. */
  readonly skinner: Skinner;
  /** Makes surfaces of liquids; they are balls without. */
  readonly surfacer?: Surfacer | undefined;
  /** Shows solids as surfels, and with `liquids` these as point surfaces. */
  readonly points?: PointDrawing | undefined;
  /** What walls stand around, and where they are looked at from; none are drawn without. */
  readonly stage?: Stage | undefined;
}

export interface Stage {
  readonly bounds: WallBounds;
  readonly eye: Vec3;
}

/** Puts what it shows in a frame into the lists. */
export interface Actor {
  add(frame: Frame, meshes: MeshPart[], balls: BallsPart[]): void;
}

export class Cast {
  readonly #actors: Actor[] = [];
  readonly #materials: Material[] = [];
  readonly #obstacles: readonly ObstacleOptions[];
  readonly #touched: Obstacle[] = [];
  readonly #liquids: LiquidsActor;
  /** By how they look. */
  readonly #alike = new Map<string, DrawnLiquid>();

  constructor(run: RunSource, start: Frame, options: ActorOptions) {
    const { scene } = run;
    this.#obstacles = scene.obstacles;
    const surfacer = options.particles ? undefined : options.surfacer;
    this.#liquids = new LiquidsActor(surfacer, scene.obstacles, this.#touched);
    const colors = chooseColors(
      scene,
      start.bodies.map(({ name }) => name),
    );
    const clearance = new ObstacleClearance(scene.obstacles);
    const liquids = new Map<number, Particles[]>();
    for (const { name, begin, end } of start.bodies) {
      const body = scene.bodies.find((candidate) => candidate.name === name);
      const emitter = scene.emitters.find((candidate) => candidate.name === name);
      const isLiquid = emitter !== undefined || body?.kind === 'fluid';
      const { look } = body ?? emitter ?? {};
      const color = colors.get(name)!;
      const spacing = run.spacings.get(name) ?? 0.01;
      const particles: Carrying = { begin, end, spacing, clearance, color, scale: options.scale };
      if (isLiquid && options.points?.liquids && !options.particles) {
        const same = liquids.get(spacing);
        if (same) same.push(particles);
        else {
          const all = [particles];
          liquids.set(spacing, all);
          const material = this.#material(look === 'matte' ? look : 'glossy', color);
          this.#actors.push(
            new LiquidPoints(all, material, options.points, scene.obstacles, this.#touched, options.stage),
          );
        }
      } else if (isLiquid) {
        const kept = (frame: Frame) => run.readSurfaces(frame, {})?.get(name);
        this.#addLiquid(particles, look, kept);
      } else if (flowsFreely(body)) {
        // What flows has the surface of a liquid, but is not clear.
        this.#addLiquid(particles, look ?? 'glossy');
      } else if (options.particles || body === undefined) {
        this.#actors.push(new Balls(particles, this.#material(options.scale ? 'matte' : (look ?? 'glossy'), color)));
      } else {
        if (!options.scale && 'mesh' in body.shape && body.shape.mesh.data?.finish?.materials) {
          this.#actors.push(this.#dressedMesh(body, particles, start, options.skinner));
          continue;
        }
        const material = this.#material(options.scale ? 'matte' : (look ?? 'glossy'), color);
        const mesh = placed(shapeMesh(body.shape, edgeFor(body.shape, spacing)), body);
        this.#actors.push(
          body.kind === 'rigid'
            ? new RigidMesh(particles, start, mesh, material, options.skinner)
            : options.points
              ? new SolidSurfels(particles, positionsOf(start, particles), mesh, material, options.points)
              : new SkinnedMesh(particles, start, refineMesh(mesh, spacing), material, options.skinner),
        );
      }
    }
    for (const obstacle of scene.obstacles) {
      if ('plane' in obstacle.shape) {
        if (options.stage) this.#addWall(obstacle, options.stage);
        continue;
      }
      const look = obstacle.look ?? (options.vessels.has(obstacle.name) ? 'glass' : 'matte');
      const isClear = look === 'glass';
      const color = obstacle.color === undefined ? (isClear ? WHITE : OBSTACLE) : fromHex(obstacle.color);
      const actor = new Obstacle(obstacle, this.#material(look, color, GLASS), color, isClear);
      this.#actors.push(actor);
      this.#touched.push(actor);
    }
  }

  /** The picture's geometry in a frame. */
  show(frame: Frame): Geometry {
    const { meshes, balls } = this.parts(frame);
    return buildGeometry(meshes, balls, this.#materials);
  }

  /** What is in it. Surfaces that go from frame to frame come in the order of these. */
  parts(frame: Frame): { readonly meshes: readonly MeshPart[]; readonly balls: readonly BallsPart[] } {
    const meshes: MeshPart[] = [];
    const balls: BallsPart[] = [];
    for (const actor of this.#actors) actor.add(frame, meshes, balls);
    this.#liquids.add(frame, meshes, balls);
    return { meshes, balls };
  }

  #addLiquid(particles: Particles, look: Look | undefined, kept?: DrawnLiquid['kept']): void {
    const { spacing, color, scale } = particles;
    const own = this.#liquids.surfacer ? (look ?? 'glass') : look === 'matte' ? look : 'glossy';
    const drawn = scale ? 'matte' : own;
    const key = JSON.stringify([drawn, color, spacing]);
    const same = this.#alike.get(key);
    if (same) {
      same.parts.push(particles);
      return;
    }
    const { liquids } = this.#liquids;
    const clear = { index: WATER, depth: LIQUID_DEPTH * spacing, rank: -liquids.length };
    const liquid: DrawnLiquid = { parts: [particles], material: this.#material(drawn, color, clear), kept };
    this.#alike.set(key, liquid);
    if (drawn === 'glass') liquids.push(liquid);
    else liquids.unshift(liquid);
  }

  /** A mesh with the materials of its file. */
  #dressedMesh(body: BodyOptions, particles: Carrying, start: Frame, skinner: Skinner): DressedMesh {
    const mesh = restMesh(body, particles.spacing, 1);
    const plain: ExportMaterial = { name: body.name, color: particles.color, roughness: COAT };
    const parts = mesh.parts.map(({ material: own, begin, end }) => {
      const { color, texture } = own ? dressed(plain, own, body) : plain;
      const material = this.#material(body.look ?? 'glossy', color, GLASS, texture && readTexture(texture));
      return { begin, end, color, material };
    });
    return new DressedMesh(particles, start, mesh, parts, body.kind === 'rigid' ? undefined : skinner);
  }

  #addWall(obstacle: ObstacleOptions, stage: Stage): void {
    const { look = 'matte' } = obstacle;
    const color = obstacle.color === undefined ? (look === 'glass' ? WHITE : WALL) : fromHex(obstacle.color);
    this.#actors.push(new Wall(obstacle, this.#obstacles, stage, this.#material(look, color), color));
  }

  #material(look: Look, color: Color, { index, depth, rank } = GLASS, texture?: Texture): number {
    this.#materials.push({ look, roughness: COAT, index, transmission: tint(color, depth), rank, texture });
    return this.#materials.length - 1;
  }
}

/** Share of light that 1 m lets through, so that white light has a pale shade of a colour after `depth` [m]. */
export function tint(color: Color, depth: number): Color {
  return paleShade(color).map((share) => share ** (1 / depth)) as unknown as Color;
}

/** What clear things leave of white light where they show their colour. */
export function paleShade(color: Color): Color {
  const most = Math.max(...color, 1e-3);
  return color.map((share) => CLEAREST * Math.sqrt(Math.max(0.04, share / most))) as unknown as Color;
}

/** Roughness of what is glossy. */
const COAT = 0.32;
const CLEAREST = 0.98;
/** How deep liquids are before they show their colour [spacings]. */
export const LIQUID_DEPTH = 16;
/** Refractive index of liquids. */
export const WATER = 1.33;
/** Of solid things: refractive index, depth at which they show their colour [m], and a rank above that of liquids. */
export const GLASS = { index: 1.5, depth: 0.1, rank: 1 };
export const WHITE: Color = [0.97, 0.985, 0.98];

export interface Particles {
  readonly begin: number;
  readonly end: number;
  readonly spacing: number;
  readonly color: Color;
  readonly scale: ColorScale | undefined;
}

/** Particles of a body that has a mesh. */
interface Carrying extends Particles {
  /** Keeps the mesh out of obstacles. */
  readonly clearance: ObstacleClearance;
}

export function positionsOf(frame: Frame, { begin, end }: Particles): Float32Array {
  return frameArray(frame, 'position')!.values.subarray(3 * begin, 3 * end);
}

/** How far bodies lie in what they rest on, so that no film of air is between [spacings]. */
const SUNK = 0.02;

function clearing({ time }: Frame, { spacing }: Particles): ClearanceOptions {
  return { time, spacing, sunk: SUNK * spacing };
}

function shift(positions: Float32Array, way: Vec3): void {
  for (let i = 0; i < positions.length; i++) positions[i]! += way[i % 3]!;
}

/** Colours of values on a scale. */
export function scaleColors(values: ArrayLike<number>, { from, to }: ColorScale): Float32Array {
  const colors = new Float32Array(3 * values.length);
  for (let i = 0; i < values.length; i++) colors.set(mapColor((values[i]! - from) / (to - from)), 3 * i);
  return colors;
}

/** A number per particle of one body. */
export function valuesOf(frame: Frame, { begin, end, scale }: Particles): Float32Array {
  return scale!.quantity.values(frame).subarray(begin, end);
}

class SkinnedMesh implements Actor {
  readonly #particles: Carrying;
  readonly #mesh: SmoothedMesh;
  readonly #skin: Skinning;
  readonly #material: number;

  constructor(particles: Carrying, start: Frame, mesh: TriangleMesh, material: number, skinner: Skinner) {
    this.#particles = particles;
    this.#mesh = splitAtCreases(mesh, CREASE);
    this.#skin = skinner.skin(this.#mesh.positions, positionsOf(start, particles));
    this.#material = material;
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { triangles } = this.#mesh;
    const positions = new Float32Array(this.#mesh.positions.length);
    this.#skin.deform(positionsOf(frame, this.#particles), positions);
    const normals = vertexNormals(positions, triangles);
    this.#particles.clearance.push(positions, normals, clearing(frame, this.#particles));
    meshes.push({
      positions,
      normals,
      triangles,
      material: this.#material,
      color: this.#color(frame),
      isBody: true,
    });
  }

  #color(frame: Frame): Color | Float32Array {
    const { scale, color } = this.#particles;
    if (!scale) return color;
    const values = new Float32Array(this.#skin.vertexCount);
    this.#skin.interpolate(valuesOf(frame, this.#particles), values);
    return scaleColors(values, scale);
  }
}

/** A mesh as its file dresses it: normals, texture coordinates and materials of its own. */
class DressedMesh implements Actor {
  readonly #particles: Carrying;
  readonly #rest: Float32Array;
  readonly #mesh: RestMesh;
  readonly #parts: readonly { begin: number; end: number; color: Color; material: number }[];
  /** Only of what deforms. */
  readonly #skin: Skinning | undefined;

  constructor(
    particles: Carrying,
    start: Frame,
    mesh: RestMesh,
    parts: readonly { begin: number; end: number; color: Color; material: number }[],
    /** Only of what deforms. */
    skinner: Skinner | undefined,
  ) {
    this.#particles = particles;
    this.#rest = positionsOf(start, particles);
    this.#mesh = mesh;
    this.#parts = parts;
    this.#skin = skinner?.skin(mesh.positions, this.#rest);
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { positions: rest, normals: restNormals, uvs, indices } = this.#mesh;
    const particles = positionsOf(frame, this.#particles);
    const positions = new Float32Array(rest.length);
    const normals = new Float32Array(rest.length);
    const { clearance } = this.#particles;
    if (this.#skin) {
      this.#skin.deform(particles, positions);
      this.#skin.turnNormals(restNormals, normals);
      clearance.push(positions, normals, clearing(frame, this.#particles));
    } else {
      const pose = fitRigidPose(this.#rest, particles);
      movePoints(pose, rest, positions);
      movePoints({ ...pose, origin: [0, 0, 0] }, restNormals, normals);
      shift(positions, clearance.lift(positions, normals, clearing(frame, this.#particles)));
    }
    for (const { begin, end, color, material } of this.#parts) {
      meshes.push({ positions, normals, triangles: indices.subarray(begin, end), material, color, uvs, isBody: true });
    }
  }
}

class RigidMesh implements Actor {
  readonly #particles: Carrying;
  readonly #rest: Float32Array;
  readonly #mesh: SmoothedMesh;
  readonly #material: number;
  /** Only for colours. */
  readonly #skin: Skinning | undefined;

  constructor(particles: Carrying, start: Frame, mesh: TriangleMesh, material: number, skinner: Skinner) {
    this.#particles = particles;
    this.#rest = positionsOf(start, particles);
    this.#mesh = splitAtCreases(particles.scale ? refineMesh(mesh, 2 * particles.spacing) : mesh, CREASE);
    this.#material = material;
    this.#skin = particles.scale && skinner.skin(this.#mesh.positions, this.#rest);
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { triangles, positions: rest } = this.#mesh;
    const positions = new Float32Array(rest.length);
    movePoints(fitRigidPose(this.#rest, positionsOf(frame, this.#particles)), rest, positions);
    const normals = vertexNormals(positions, triangles);
    const { scale, color, clearance } = this.#particles;
    shift(positions, clearance.lift(positions, normals, clearing(frame, this.#particles)));
    const values = new Float32Array(this.#skin?.vertexCount ?? 0);
    this.#skin?.interpolate(valuesOf(frame, this.#particles), values);
    meshes.push({
      positions,
      normals,
      triangles,
      material: this.#material,
      color: scale ? scaleColors(values, scale) : color,
      isBody: true,
    });
  }
}

class Balls implements Actor {
  constructor(
    readonly particles: Particles,
    readonly material: number,
  ) {}

  add(frame: Frame, _meshes: MeshPart[], balls: BallsPart[]): void {
    const { scale, color, spacing } = this.particles;
    balls.push({
      centers: positionsOf(frame, this.particles),
      radius: spacing / 2,
      material: this.material,
      color: scale ? scaleColors(valuesOf(frame, this.particles), scale) : color,
    });
  }
}

export class Obstacle implements Actor {
  /** In its own coordinates. */
  readonly mesh: SmoothedMesh;
  /** Liquid lies along it. */
  readonly vessel: Vessel;

  constructor(
    readonly obstacle: ObstacleOptions,
    readonly material: number,
    readonly color: Color,
    readonly isClear: boolean,
  ) {
    const shape = obstacle.shape as Shape;
    this.mesh = splitAtCreases(shapeMesh(shape, edgeFor(shape, Infinity)), CREASE);
    this.vessel = new Vessel(this.mesh, isClear);
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const positions = new Float32Array(this.mesh.positions.length);
    movePoints(obstaclePose(this.obstacle, frame.time), this.mesh.positions, positions);
    const { triangles } = this.mesh;
    const normals = vertexNormals(positions, triangles);
    meshes.push({ positions, normals, triangles, material: this.material, color: this.color });
  }
}

/** A steep plane: a panel where it is seen from the side that is free; from behind it would hide what it holds. */
class Wall implements Actor {
  constructor(
    readonly obstacle: ObstacleOptions,
    readonly obstacles: readonly ObstacleOptions[],
    readonly stage: Stage,
    readonly material: number,
    readonly color: Color,
  ) {}

  add(frame: Frame, meshes: MeshPart[]): void {
    const { obstacle, stage, material, color } = this;
    const planeOf = (other: ObstacleOptions) => obstaclePlane(other, frame.time);
    const plane = planeOf(obstacle)!;
    if (!isWall(plane)) return;
    const { eye, bounds } = stage;
    const before = [0, 1, 2].reduce((sum, k) => sum + (eye[k]! - plane.point[k]!) * plane.normal[k]!, 0);
    if (before <= 0 && obstacle.look !== 'glass') return;
    const others = this.obstacles.flatMap((other) => (other === obstacle ? [] : (planeOf(other) ?? [])));
    const mesh = wallMesh(plane, others, bounds);
    if (mesh) meshes.push({ ...mesh, material, color });
  }
}

/** Steps along curves: fine enough to look round, and to bend with the particles. */
export function edgeFor(shape: Shape, spacing: number): number {
  const size =
    'sphere' in shape
      ? 2 * shape.sphere.radius
      : 'cylinder' in shape
        ? 2 * shape.cylinder.radius
        : 'capsule' in shape
          ? 2 * shape.capsule.radius
          : 'torus' in shape
            ? 4 * shape.torus.tube
            : Infinity;
  return Math.min(spacing, size / STEPS);
}

/** Where the body stands at the start. */
function placed(mesh: TriangleMesh, body: Parameters<typeof bodyPose>[0]): TriangleMesh {
  const positions = new Float64Array(mesh.positions.length);
  movePoints(bodyPose(body), mesh.positions, positions);
  return { positions, triangles: mesh.triangles };
}
