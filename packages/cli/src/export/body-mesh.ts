/** The mesh of a solid or rigid body, carried by its particles. */
import {
  type BodyOptions,
  fitRigidPose,
  gather,
  MeshGaps,
  type MeshMaterial,
  matterOf,
  movePoints,
  type ObstacleClearance,
  type Piece,
  type Pose,
  type RestMesh,
  type Skinner,
  type Skinning,
} from 'phyxel';
import { fromHex } from '../render/colors.js';
import { frameArray } from '../render/run-source.js';
import type { Frame } from '../run/frame-file.js';
import type { BreakingBody } from '../run/pieces.js';
import type { BodyRemains } from '../run/remains.js';
import { type ExportAttribute, type ExportMaterial, type ExportMesh, type ExportPart, lengths } from './geometry.js';

/** Of the frames, what says nothing of bodies. */
const NOT_CARRIED = ['position', 'present', 'pressure', 'density', 'piece'];
/** Pieces whose vertices all move by less than this have not deformed [spacings]. */
const STILL = 0.02;
/** New faces are matte, and paler than the outside by so much. */
const CRACK_ROUGHNESS = 0.95;
const LIGHTER = 0.35;

interface Range {
  readonly begin: number;
  readonly end: number;
  /** Of its particles [m]. */
  readonly spacing: number;
  /** Where parts of it end that air separates. */
  readonly parts: readonly number[] | undefined;
}

export class BodyMesh {
  readonly name: string;
  readonly #range: Range;
  readonly #spacing: number;
  readonly #clearance: ObstacleClearance;
  readonly #isRigid: boolean;
  readonly #mesh: RestMesh;
  readonly #skin: Skinning;
  readonly #gaps: MeshGaps;
  readonly #parts: readonly ExportPart[];
  /** Those of its file, which a colour of the scene replaces. */
  readonly #colors: Float32Array | undefined;
  /** Particles at the start. */
  readonly #rest: Float32Array;
  /** Of the mesh at the start. */
  readonly #centre: readonly number[];
  readonly #breaking: BreakingBody | undefined;
  readonly #inside: ExportMaterial;

  /** `start` is the first frame of the run, when the body has the shape that it was given. */
  constructor(
    body: BodyOptions,
    mesh: RestMesh,
    range: Range,
    start: Frame,
    material: ExportMaterial,
    skinner: Skinner,
    clearance: ObstacleClearance,
    /** Of a body that melts. */
    readonly remains?: BodyRemains | undefined,
    /** Of a body that may break. */
    breaking?: BreakingBody | undefined,
  ) {
    this.#breaking = breaking;
    this.#inside = insideMaterial(material, body);
    this.#clearance = clearance;
    this.#spacing = range.spacing;
    this.name = body.name;
    this.#range = range;
    this.#isRigid = matterOf(body).isRigid;
    this.#mesh = mesh;
    this.#rest = this.#particles(start, 'position');
    const { positions, normals } = mesh;
    this.#skin = skinner.skin(positions, this.#rest, { ends: range.parts, normals, spacing: range.spacing });
    this.#gaps = new MeshGaps(mesh.positions, mesh.indices);
    this.#centre = meanOf(this.#rest);
    this.#colors = body.color === undefined ? mesh.colors : undefined;
    this.#parts = dressedParts(mesh, material, body);
  }

  /** One mesh, several of a body that has broken, none when nothing is left of one that has melted. */
  at(frame: Frame): readonly ExportMesh[] {
    const pieces = this.#breaking?.at(frame);
    if (pieces) return pieces.map((piece) => this.#piece(frame, piece));
    const closing = this.remains?.closing(frame, this.#skin, this.#gaps);
    if (closing === 'gone') return [];
    const particles = this.#particles(frame, 'position');
    let pose = fitRigidPose(this.#rest, particles);
    const attributes = carriedBy(this.#skin, frame, (name) => this.#particles(frame, name));
    const positions = new Float32Array(this.#mesh.positions.length);
    const normals = new Float32Array(positions.length);
    const where = { time: frame.time, spacing: this.#spacing };
    if (this.#isRigid) {
      movePoints({ ...pose, origin: [0, 0, 0] }, this.#mesh.normals, normals);
      movePoints(pose, this.#mesh.positions, positions);
      const offset = this.#clearance.lift(positions, normals, where);
      pose = { ...pose, origin: [pose.origin[0] + offset[0], pose.origin[1] + offset[1], pose.origin[2] + offset[2]] };
      movePoints(pose, this.#mesh.positions, positions);
    } else {
      this.#skin.deform(particles, positions);
      this.#skin.turnNormals(this.#mesh.normals, normals);
      this.#clearance.push(positions, normals, where);
      for (const [v, other] of closing?.entries() ?? []) positions.copyWithin(3 * v, 3 * other, 3 * other + 3);
    }
    return [
      {
        name: this.name,
        positions,
        normals: unitNormals(normals),
        ...(this.#mesh.uvs && { uvs: this.#mesh.uvs }),
        ...(this.#colors && { colors: this.#colors }),
        indices: this.#mesh.indices,
        parts: this.#parts,
        attributes,
        motion: { pose: aroundCentre(pose, this.#centre), isRigid: this.#isRigid },
      },
    ];
  }

  #piece(frame: Frame, piece: Piece): ExportMesh {
    const { mesh, skin, number } = piece;
    const particles = this.#breaking!.valuesOf(frame, 'position', piece);
    const rest = gather(this.#rest, 3, piece.particles);
    const positions = new Float32Array(mesh.positions.length);
    const normals = new Float32Array(positions.length);
    skin.deform(particles, positions);
    skin.turnNormals(mesh.normals, normals);
    this.#clearance.push(positions, normals, { time: frame.time, spacing: this.#spacing });
    const attributes = carriedBy(skin, frame, (name) => this.#breaking!.valuesOf(frame, name, piece));
    const label = this.#breaking!.valuesOf(frame, 'piece', piece)[0]!;
    return {
      name: `${this.name} piece ${number}`,
      pieceOf: this.name,
      positions,
      normals: unitNormals(normals),
      ...(mesh.uvs && { uvs: mesh.uvs }),
      ...(this.#colors && mesh.colors && { colors: mesh.colors }),
      indices: mesh.indices,
      parts: mesh.parts.map(({ part, begin, end }) => ({ begin, end, material: this.#materialOf(part) })),
      attributes: {
        ...attributes,
        piece: { components: 1, values: new Float32Array(positions.length / 3).fill(label) },
      },
      motion: {
        pose: aroundCentre(fitRigidPose(rest, particles), meanOf(rest)),
        isRigid: false,
        tolerance: STILL * this.#spacing,
      },
    };
  }

  #materialOf(part: number | 'inside'): ExportMaterial {
    if (part === 'inside') return this.#inside;
    const { material } = this.#parts[part]!;
    // A surface that replaces the mesh has no texture coordinates.
    return this.#breaking!.isReplaced ? { ...material, texture: undefined } : material;
  }

  #particles(frame: Frame, name: string): Float32Array {
    const { values, components } = frameArray(frame, name)!;
    return values.subarray(components * this.#range.begin, components * this.#range.end);
  }
}

/** What a frame says of particles, at the vertices that they carry. */
function carriedBy(skin: Skinning, frame: Frame, valuesOf: (name: string) => Float32Array) {
  const carried: Record<string, ExportAttribute> = {};
  for (const { name, components } of frame.arrays) {
    if (NOT_CARRIED.includes(name)) continue;
    const values = new Float32Array(components * skin.vertexCount);
    if (name === 'velocity') skin.moveVelocities(valuesOf(name), values);
    else {
      for (let c = 0; c < components; c++) interpolateLane(skin, valuesOf(name), values, components, c);
    }
    carried[name] = { components, values };
  }
  return carried.velocity ? { ...carried, speed: lengths(carried.velocity) } : carried;
}

/** One of several numbers of particles, at vertices. */
function interpolateLane(skin: Skinning, from: Float32Array, to: Float32Array, stride: number, lane: number): void {
  if (stride === 1) {
    skin.interpolate(from, to);
    return;
  }
  const made = new Float32Array(to.length / stride);
  skin.interpolate(
    Float32Array.from({ length: from.length / stride }, (_, i) => from[stride * i + lane]!),
    made,
  );
  for (const [v, value] of made.entries()) to[stride * v + lane] = value;
}

/** The same pose for coordinates whose origin is the body's centre: between frames it turns about that. */
function aroundCentre(pose: Pose, centre: readonly number[]): Pose {
  const origin = new Float64Array(3);
  movePoints(pose, centre, origin);
  return { rotation: pose.rotation, origin: [origin[0]!, origin[1]!, origin[2]!] };
}

/** Of new faces where a body breaks. */
export function insideMaterial(material: ExportMaterial, { name, insideColor }: InsideLook): ExportMaterial {
  if (material.glass) return material;
  const color = insideColor === undefined ? lighter(material.color) : fromHex(insideColor);
  return { name: `${name} inside`, color, roughness: CRACK_ROUGHNESS };
}

interface InsideLook {
  readonly name: string;
  readonly insideColor?: string | undefined;
}

/** Some way to white. */
function lighter(color: ExportMaterial['color']): ExportMaterial['color'] {
  const [r, g, b] = color;
  return [r + LIGHTER * (1 - r), g + LIGHTER * (1 - g), b + LIGHTER * (1 - b)];
}

/** Parts of a mesh with the materials of its file; white where only its vertices have colours. */
export function dressedParts(mesh: RestMesh, material: ExportMaterial, look: Appearance): ExportPart[] {
  const isPainted = mesh.colors !== undefined && look.color === undefined;
  return mesh.parts.map(({ material: own, begin, end }) => ({
    begin,
    end,
    material: own ? dressed(material, own, look) : isPainted ? { ...material, color: [1, 1, 1] } : material,
  }));
}

/** What a scene says of the looks of something. */
interface Appearance {
  readonly name: string;
  readonly color?: string | undefined;
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

/** Of a material of a file; a colour that the scene names is stronger, and so is the look that it names. */
export function dressed(material: ExportMaterial, own: MeshMaterial, { name: called, color, look }: Appearance) {
  const { texture } = own;
  const roughness = (look === undefined && own.roughness) || material.roughness;
  const name = own.name || called;
  if (color !== undefined) return { ...material, name, roughness };
  const shade = own.color ?? (texture ? ([1, 1, 1] as const) : material.color);
  return { ...material, name, roughness, color: shade, file: own, ...(texture && { texture }) };
}

function meanOf(points: Float32Array): number[] {
  const sum = [0, 0, 0];
  for (const [k, x] of points.entries()) sum[k % 3]! += x;
  return sum.map((s) => s / (points.length / 3));
}

/** Normals that deformation, or a file, left without a direction point up. */
export function unitNormals(normals: Float32Array): Float32Array {
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.sqrt(normals[i]! ** 2 + normals[i + 1]! ** 2 + normals[i + 2]! ** 2);
    if (length > 0.5) for (let k = 0; k < 3; k++) normals[i + k]! /= length;
    else normals.set([0, 1, 0], i);
  }
  return normals;
}
