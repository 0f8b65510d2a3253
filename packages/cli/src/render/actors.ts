/** What appears in the pictures of a run: bodies as their own meshes, liquids, obstacles. */

import {
  type ClearanceOptions,
  closedTriangles,
  type FlowingParticles,
  fitRigidPose,
  gather,
  isWall,
  MeshGaps,
  mapColor,
  movePoints,
  type ObstacleClearance,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type Piece,
  type RestMesh,
  refineMesh,
  type Shape,
  type Skinner,
  type Skinning,
  type SmoothedMesh,
  shapeMesh,
  splitAtCreases,
  type TriangleMesh,
  type Vec3,
  vertexNormals,
  type WallBounds,
  wallMesh,
} from 'phyxel';
import { type Frame, hasMelted } from '../run/frame-file.js';
import type { BreakingBody } from '../run/pieces.js';
import type { BodyRemains } from '../run/remains.js';
import type { BallsPart, Color, MeshPart } from './geometry.js';
import type { Quantity } from './quantities.js';
import { frameArray } from './run-source.js';
import { Vessel } from './vessel.js';

/** Faces that meet at more than this have an edge between them [degrees]. */
const CREASE = 40;
/** Curved shapes have at least so many steps across. */
const STEPS = 40;

export interface ColorScale {
  readonly quantity: Quantity;
  readonly from: number;
  readonly to: number;
}

export interface Stage {
  readonly bounds: WallBounds;
  readonly eye: Vec3;
}

/** Puts what it shows in a frame into the lists. */
export interface Actor {
  add(frame: Frame, meshes: MeshPart[], balls: BallsPart[]): void;
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
export const COAT = 0.32;
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
  /** Of a body that is shown as a liquid only in part: its particles, counted from `begin`. */
  readonly flowing?: ((frame: Frame) => FlowingParticles) | undefined;
  /** Their own colours, three numbers each, linear. */
  readonly colors?: Float32Array | undefined;
}

/** A solid that is drawn in another way as soon as it has begun to melt. */
export class WhileSolid implements Actor {
  readonly #name: string;
  readonly #actor: Actor;

  constructor(name: string, actor: Actor) {
    this.#name = name;
    this.#actor = actor;
  }

  add(frame: Frame, meshes: MeshPart[], balls: BallsPart[]): void {
    if (!hasMelted(frame, this.#name)) this.#actor.add(frame, meshes, balls);
  }
}

/** Particles of a body that has a mesh. */
export interface Carrying extends Particles {
  /** Keeps the mesh out of obstacles. */
  readonly clearance: ObstacleClearance;
  /** Of a body that melts. */
  readonly remains?: BodyRemains | undefined;
  /** Where parts of it end that air separates. */
  readonly parts?: readonly number[] | undefined;
}

export function positionsOf(frame: Frame, { begin, end }: Particles): Float32Array {
  return frameArray(frame, 'position')!.values.subarray(3 * begin, 3 * end);
}

/** How far bodies lie in what they rest on, so that no film of air is between [spacings]. */
const SUNK = 0.02;

function clearing({ time }: Frame, { spacing }: Particles): ClearanceOptions {
  return { time, spacing, sunk: SUNK * spacing };
}

function shift(positions: Float32Array, offset: Vec3): void {
  for (let i = 0; i < positions.length; i++) positions[i]! += offset[i % 3]!;
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

export class SkinnedMesh implements Actor {
  readonly #particles: Carrying;
  readonly #mesh: SmoothedMesh;
  readonly #skin: Skinning;
  readonly #gaps: MeshGaps;
  readonly #material: number;

  constructor(particles: Carrying, start: Frame, mesh: TriangleMesh, material: number, skinner: Skinner) {
    this.#particles = particles;
    this.#mesh = splitAtCreases(mesh, CREASE);
    const { positions, triangles } = this.#mesh;
    const { parts: ends, spacing } = particles;
    const parts = ends && { ends, spacing, normals: vertexNormals(positions, triangles) };
    this.#skin = skinner.skin(positions, positionsOf(start, particles), parts);
    this.#gaps = new MeshGaps(positions, triangles);
    this.#material = material;
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const closing = this.#particles.remains?.closing(frame, this.#skin, this.#gaps);
    if (closing === 'gone') return;
    const triangles = closing ? closedTriangles(this.#mesh.triangles, closing) : this.#mesh.triangles;
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
      isBody: !closing,
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
export class DressedMesh implements Actor {
  readonly #particles: Carrying;
  readonly #rest: Float32Array;
  readonly #mesh: RestMesh;
  readonly parts: readonly { begin: number; end: number; color: Color; material: number }[];
  /** Only of what deforms. */
  readonly #skin: Skinning | undefined;
  readonly #gaps: MeshGaps;

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
    this.parts = parts;
    const { positions, normals } = mesh;
    this.#skin = skinner?.skin(positions, this.#rest, { ends: particles.parts, normals, spacing: particles.spacing });
    this.#gaps = new MeshGaps(positions, mesh.indices);
  }

  add(frame: Frame, meshes: MeshPart[]): void {
    const { positions: rest, normals: restNormals, uvs, indices } = this.#mesh;
    const particles = positionsOf(frame, this.#particles);
    const positions = new Float32Array(rest.length);
    const normals = new Float32Array(rest.length);
    const { clearance } = this.#particles;
    const closing = this.#skin && this.#particles.remains?.closing(frame, this.#skin, this.#gaps);
    if (closing === 'gone') return;
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
    for (const { begin, end, color, material } of this.parts) {
      const all = indices.subarray(begin, end);
      const triangles = closing ? closedTriangles(all, closing) : all;
      meshes.push({ positions, normals, triangles, material, color, uvs, isBody: !closing });
    }
  }
}

/** How a part of a mesh is drawn. */
interface Drawn {
  readonly color: Color;
  readonly material: number;
}

/** A body that is drawn as a whole until it breaks, then in pieces. */
export class BreakingMesh implements Actor {
  readonly #whole: Actor;
  readonly #particles: Carrying;
  readonly #breaking: BreakingBody;
  readonly #partOf: (part: number | 'inside') => Drawn;

  constructor(
    whole: Actor,
    particles: Carrying,
    breaking: BreakingBody,
    /** By the number of a part of the mesh; inside are new faces. */
    partOf: (part: number | 'inside') => Drawn,
  ) {
    this.#whole = whole;
    this.#particles = particles;
    this.#breaking = breaking;
    this.#partOf = partOf;
  }

  add(frame: Frame, meshes: MeshPart[], balls: BallsPart[]): void {
    const pieces = this.#breaking.at(frame);
    if (pieces) for (const piece of pieces) this.#addPiece(frame, piece, meshes);
    else this.#whole.add(frame, meshes, balls);
  }

  #addPiece(frame: Frame, piece: Piece, meshes: MeshPart[]): void {
    const { mesh, skin, particles } = piece;
    const positions = new Float32Array(mesh.positions.length);
    const normals = new Float32Array(positions.length);
    skin.deform(this.#breaking.valuesOf(frame, 'position', piece), positions);
    skin.turnNormals(mesh.normals, normals);
    this.#particles.clearance.push(positions, normals, clearing(frame, this.#particles));
    const { scale } = this.#particles;
    let colors: Float32Array | undefined;
    if (scale) {
      const values = new Float32Array(skin.vertexCount);
      skin.interpolate(gather(valuesOf(frame, this.#particles), 1, particles), values);
      colors = scaleColors(values, scale);
    }
    for (const { part, begin, end } of mesh.parts) {
      const { color, material } = this.#partOf(part);
      const triangles = mesh.indices.subarray(begin, end);
      meshes.push({ positions, normals, triangles, material, color: colors ?? color, uvs: mesh.uvs, isBody: true });
    }
  }
}

export class RigidMesh implements Actor {
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

export class Balls implements Actor {
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
export class Wall implements Actor {
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
