/** The mesh of a solid or rigid body, carried by its particles. */
import {
  type BodyOptions,
  fitRigidPose,
  type MeshMaterial,
  movePoints,
  type Pose,
  type RestMesh,
  type Skinner,
  type Skinning,
} from 'phyxel';
import { frameArray } from '../render/run-source.js';
import type { Frame } from '../run/frame-file.js';
import { type ExportAttribute, type ExportMaterial, type ExportMesh, type ExportPart, lengths } from './geometry.js';

/** Of the frames, what says nothing of bodies. */
const NOT_CARRIED = ['position', 'present', 'pressure', 'density'];

interface Range {
  readonly begin: number;
  readonly end: number;
}

export class BodyMesh {
  readonly #name: string;
  readonly #range: Range;
  readonly #isRigid: boolean;
  readonly #mesh: RestMesh;
  readonly #skin: Skinning;
  readonly #parts: readonly ExportPart[];
  /** Particles at the start. */
  readonly #rest: Float32Array;
  /** Of the mesh at the start. */
  readonly #centre: readonly number[];

  /** `start` is the first frame of the run, when the body has the shape that it was given. */
  constructor(
    body: BodyOptions,
    mesh: RestMesh,
    range: Range,
    start: Frame,
    material: ExportMaterial,
    skinner: Skinner,
  ) {
    this.#name = body.name;
    this.#range = range;
    this.#isRigid = body.kind === 'rigid';
    this.#mesh = mesh;
    this.#rest = this.#particles(start, 'position');
    this.#skin = skinner.skin(this.#mesh.positions, this.#rest);
    this.#centre = meanOf(this.#rest);
    this.#parts = this.#mesh.parts.map(({ material: own, begin, end }) => ({
      begin,
      end,
      material: own ? dressed(material, own, body) : material,
    }));
  }

  at(frame: Frame): ExportMesh {
    const particles = this.#particles(frame, 'position');
    const pose = fitRigidPose(this.#rest, particles);
    const attributes = this.#attributes(frame);
    const positions = new Float32Array(this.#mesh.positions.length);
    const normals = new Float32Array(positions.length);
    if (this.#isRigid) {
      movePoints(pose, this.#mesh.positions, positions);
      movePoints({ ...pose, origin: [0, 0, 0] }, this.#mesh.normals, normals);
    } else {
      this.#skin.deform(particles, positions);
      this.#skin.turnNormals(this.#mesh.normals, normals);
    }
    return {
      name: this.#name,
      positions,
      normals: unitNormals(normals),
      ...(this.#mesh.uvs && { uvs: this.#mesh.uvs }),
      indices: this.#mesh.indices,
      parts: this.#parts,
      attributes,
      motion: { pose: this.#aroundCentre(pose), isRigid: this.#isRigid },
    };
  }

  /** The same pose for coordinates whose origin is the body's centre: between frames it turns about that. */
  #aroundCentre(pose: Pose): Pose {
    const origin = new Float64Array(3);
    movePoints(pose, this.#centre, origin);
    return { rotation: pose.rotation, origin: [origin[0]!, origin[1]!, origin[2]!] };
  }

  #particles(frame: Frame, name: string): Float32Array {
    const { values, components } = frameArray(frame, name)!;
    return values.subarray(components * this.#range.begin, components * this.#range.end);
  }

  #attributes(frame: Frame): Record<string, ExportAttribute> {
    const carried: Record<string, ExportAttribute> = {};
    for (const { name, components } of frame.arrays) {
      if (NOT_CARRIED.includes(name)) continue;
      const values = new Float32Array(components * this.#skin.vertexCount);
      if (name === 'velocity') this.#skin.moveVelocities(this.#particles(frame, name), values);
      else if (components === 1) this.#skin.interpolate(this.#particles(frame, name), values);
      else continue;
      carried[name] = { components, values };
    }
    return carried.velocity ? { ...carried, speed: lengths(carried.velocity) } : carried;
  }
}

/** Of a material of a file; a colour that the scene names is stronger, and so is the look that it names. */
export function dressed(material: ExportMaterial, own: MeshMaterial, body: BodyOptions): ExportMaterial {
  const { texture } = own;
  const roughness = (body.look === undefined && own.roughness) || material.roughness;
  const name = own.name || body.name;
  if (body.color !== undefined) return { ...material, name, roughness };
  return { name, roughness, color: own.color ?? (texture ? [1, 1, 1] : material.color), ...(texture && { texture }) };
}

function meanOf(points: Float32Array): number[] {
  const sum = [0, 0, 0];
  for (const [k, x] of points.entries()) sum[k % 3]! += x;
  return sum.map((s) => s / (points.length / 3));
}

/** Normals that deformation, or a file, left without a direction point up. */
function unitNormals(normals: Float32Array): Float32Array {
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.sqrt(normals[i]! ** 2 + normals[i + 1]! ** 2 + normals[i + 2]! ** 2);
    if (length > 0.5) for (let k = 0; k < 3; k++) normals[i + k]! /= length;
    else normals.set([0, 1, 0], i);
  }
  return normals;
}
