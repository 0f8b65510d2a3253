/** What is exported of a frame, before any file format. */
import { boundsOf, type MeshMaterial, type MeshTexture, type Pose, type Vec3 } from 'phyxel';

/** Numbers for each vertex or particle. */
export interface ExportAttribute {
  readonly components: number;
  readonly values: Float32Array;
}

export type ExportAttributes = Readonly<Record<string, ExportAttribute>>;

export interface ExportMaterial {
  readonly name: string;
  /** Red, green and blue, 0 to 1, linear. */
  readonly color: readonly [number, number, number];
  /** 0 is a mirror, 1 is chalk. */
  readonly roughness: number;
  /** A picture that the colour is multiplied by. */
  readonly texture?: MeshTexture | undefined;
  /** Of what light goes through. */
  readonly glass?: ExportGlass | undefined;
  /** What else its file says; colour, roughness and picture are those above. */
  readonly file?: MeshMaterial | undefined;
}

export interface ExportGlass {
  /** Refractive index. */
  readonly ior: number;
  /** What is left of white light after a distance [m] in it. */
  readonly tint: readonly [number, number, number];
  readonly distance: number;
  /** For formats that know nothing of the way of light through things. */
  readonly opacity: number;
}

/** Indices [begin, end) of a mesh, and what they are made of. */
export interface ExportPart {
  readonly material: ExportMaterial;
  readonly begin: number;
  readonly end: number;
}

/** A triangle mesh of a body; y is up, metres. */
export interface ExportMesh {
  readonly name: string;
  /** xyz per vertex [m]. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Texture coordinates, (0, 0) at the bottom left. */
  readonly uvs?: Float32Array;
  /** Red, green, blue and alpha of vertices, linear: they multiply those of the materials. */
  readonly colors?: Float32Array;
  /** Three vertices per triangle, anticlockwise as seen from outside. */
  readonly indices: Uint32Array;
  readonly parts: readonly ExportPart[];
  readonly attributes: ExportAttributes;
  /** Of a mesh that has the same vertices and triangles in every frame that it is in. */
  readonly motion?: ExportMotion;
  /** Of a piece: the name of the body that it has broken off from. */
  readonly pieceOf?: string;
}

/** How a body has moved on the whole. */
export interface ExportMotion {
  /** From coordinates around the body's centre to the world. */
  readonly pose: Pose;
  /** There is nothing else: it does not deform. */
  readonly isRigid: boolean;
  /** It is in the same position in all frames. */
  readonly isStill?: boolean;
  /** Shapes that differ by less are shown as the same [m]. */
  readonly tolerance?: number;
}

/** All particles that are in the world. */
export interface ExportPoints {
  readonly positions: Float32Array;
  readonly attributes: ExportAttributes;
}

export interface ExportFrame {
  readonly frame: number;
  /** [s] */
  readonly time: number;
  /** Liquids and bodies. */
  readonly meshes: readonly ExportMesh[];
  readonly points: ExportPoints;
  /** None when left out. */
  readonly obstacles?: readonly ExportMesh[];
}

/** From where a run is looked at; its own axes are right, up and back. */
export interface ExportCamera {
  readonly pose: Pose;
  /** From top to bottom [rad], and width over height. */
  readonly fieldOfView: number;
  readonly aspect: number;
  /** Distances that are seen [m]. */
  readonly near: number;
  readonly far: number;
}

/** A light that is far away. */
export interface ExportLight {
  readonly name: string;
  /** Its own z axis points to it. */
  readonly pose: Pose;
  readonly color: readonly [number, number, number];
  /** Illuminance, where 1 over pi on white gives white. */
  readonly intensity: number;
  /** Its radius in the sky [rad]. */
  readonly radius: number;
}

/** Camera and lights, as pictures of the run have them. */
export interface ExportView {
  readonly camera: ExportCamera;
  readonly key: ExportLight;
  /** Radiance of the sky, on average; lights that stand for it where a format has no sky. */
  readonly sky: readonly [number, number, number];
  readonly fill: readonly ExportLight[];
}

/** Lowest and highest coordinates; zeros when there are none. */
export function bounds(positions: ArrayLike<number>): { readonly low: Vec3; readonly high: Vec3 } {
  return positions.length === 0 ? { low: [0, 0, 0], high: [0, 0, 0] } : boundsOf(positions);
}

export function lengths({ values }: ExportAttribute): ExportAttribute {
  const lengths = new Float32Array(values.length / 3);
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = Math.sqrt(values[3 * i]! ** 2 + values[3 * i + 1]! ** 2 + values[3 * i + 2]! ** 2);
  }
  return { components: 1, values: lengths };
}

/** Vectors in the coordinates of a pose: turned back, and moved back when they are positions. */
export function localTo(
  { rotation: r, origin }: Pose,
  vectors: ArrayLike<number>,
  arePositions: boolean,
): Float64Array {
  const local = new Float64Array(vectors.length);
  const [ox, oy, oz] = arePositions ? origin : [0, 0, 0];
  for (let i = 0; i < vectors.length; i += 3) {
    const x = vectors[i]! - ox;
    const y = vectors[i + 1]! - oy;
    const z = vectors[i + 2]! - oz;
    local[i] = r[0] * x + r[3] * y + r[6] * z;
    local[i + 1] = r[1] * x + r[4] * y + r[7] * z;
    local[i + 2] = r[2] * x + r[5] * y + r[8] * z;
  }
  return local;
}

export function bytesOf(values: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Materials of a file, each once; no two have the same name. */
export class MaterialList {
  readonly #known = new Map<string, number>();
  readonly #onlyColors: boolean;
  readonly list: ExportMaterial[] = [];
  /** Pictures of the materials, each once. */
  readonly textures: MeshTexture[] = [];

  /** With `onlyColors` of all pictures those of colours alone. */
  constructor(onlyColors = false) {
    this.#onlyColors = onlyColors;
  }

  /** Position of a material in the list. */
  index(material: ExportMaterial): number {
    const { file, texture, ...rest } = material;
    const own = Object.entries(file ?? {}).filter(
      ([name, value]) => name !== 'texture' && !(this.#onlyColors && isTexture(value)),
    );
    const key = JSON.stringify([
      rest,
      this.#textureIndex(texture),
      own.map(([name, value]) => [name, isTexture(value) ? this.#textureIndex(value) : value]),
    ]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const taken = new Set(this.list.map(({ name }) => name));
    let name = material.name;
    for (let k = 2; taken.has(name); k++) name = `${material.name} ${k}`;
    this.#known.set(key, this.list.length);
    return this.list.push({ ...material, name }) - 1;
  }

  /** Position of a picture among all, -1 without one. */
  #textureIndex(texture: MeshTexture | undefined): number {
    if (!texture) return -1;
    const known = this.textures.indexOf(texture);
    return known >= 0 ? known : this.textures.push(texture) - 1;
  }

  /** Name of the file of a material's picture, where it is beside the others. */
  textureFile(texture: MeshTexture): string {
    return `texture-${this.textures.indexOf(texture) + 1}.${texture.type === 'image/png' ? 'png' : 'jpg'}`;
  }
}

function isTexture(value: unknown): value is MeshTexture {
  return typeof value === 'object' && value !== null && 'bytes' in value;
}

/** Twice the volume over the area of a closed mesh [m]: the thickness of a plate, two thirds of the radius of a ball. */
export function meanThickness(positions: ArrayLike<number>, indices: ArrayLike<number>): number {
  let [volume, area] = [0, 0];
  for (let t = 0; t < indices.length; t += 3) {
    const corner = (k: number, axis: number) => positions[3 * indices[t + k]! + axis]!;
    const [ax, ay, az] = [corner(0, 0), corner(0, 1), corner(0, 2)];
    const [ux, uy, uz] = [corner(1, 0) - ax, corner(1, 1) - ay, corner(1, 2) - az];
    const [vx, vy, vz] = [corner(2, 0) - ax, corner(2, 1) - ay, corner(2, 2) - az];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    area += Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
    volume += (ax * nx + ay * ny + az * nz) / 6;
  }
  return area > 0 ? (2 * Math.abs(volume)) / area : 0;
}

/** Meshes with the pieces of each body as one mesh, for formats that have a file for each. */
export function joinPieces(meshes: readonly ExportMesh[]): ExportMesh[] {
  const pieces = new Map<string, ExportMesh[]>();
  for (const mesh of meshes) {
    if (mesh.pieceOf === undefined) continue;
    pieces.set(mesh.pieceOf, [...(pieces.get(mesh.pieceOf) ?? []), mesh]);
  }
  const whole = meshes.filter(({ pieceOf }) => pieceOf === undefined);
  return [...whole, ...[...pieces].map(([name, list]) => joined(name, list))];
}

function joined(name: string, meshes: readonly ExportMesh[]): ExportMesh {
  const { uvs, colors, attributes } = meshes[0]!;
  const join = (values: (mesh: ExportMesh) => Float32Array) => {
    const out = new Float32Array(meshes.reduce((sum, mesh) => sum + values(mesh).length, 0));
    let at = 0;
    for (const mesh of meshes) {
      out.set(values(mesh), at);
      at += values(mesh).length;
    }
    return out;
  };
  // Triangles of one material after those of another.
  const materials = [...new Set(meshes.flatMap(({ parts }) => parts.map(({ material }) => material)))];
  const indices: number[] = [];
  const parts = materials.map((material) => {
    const begin = indices.length;
    let first = 0;
    for (const mesh of meshes) {
      for (const part of mesh.parts) {
        if (part.material !== material) continue;
        for (let k = part.begin; k < part.end; k++) indices.push(first + mesh.indices[k]!);
      }
      first += mesh.positions.length / 3;
    }
    return { material, begin, end: indices.length };
  });
  return {
    name,
    positions: join((mesh) => mesh.positions),
    normals: join((mesh) => mesh.normals),
    ...(uvs && { uvs: join((mesh) => mesh.uvs!) }),
    ...(colors && { colors: join((mesh) => mesh.colors!) }),
    indices: Uint32Array.from(indices),
    parts,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, { components }]) => [
        key,
        { components, values: join((mesh) => mesh.attributes[key]!.values) },
      ]),
    ),
  };
}
