/**
 * What a picture is made of, as flat arrays in shared memory so that all threads see one copy: triangles
 * with normals and colours at their corners, balls, and the materials of both. A primitive's number is that
 * of its triangle, or the number of triangles plus that of its ball.
 */

import type { Texture } from './texture.js';

/** Linear red, green and blue. */
export type Color = readonly [number, number, number];

export type Look = 'matte' | 'glossy' | 'glass';

export interface Material {
  readonly look: Look;
  /** Of a glossy coat [1]: 0 is a mirror. */
  readonly roughness?: number;
  /** Of glass: refractive index [1] and the share of light that a length of 1 m lets through. */
  readonly index?: number;
  readonly transmission?: Color;
  /** Where several of glass overlap, the one with the highest rank is there. */
  readonly rank?: number;
  /** Multiplies the colour where a mesh has texture coordinates. */
  readonly texture?: Texture | undefined;
}

/** Numbers of one material in the table: look, roughness, index, absorption [1/m] of red, green and blue, texture, rank. */
export const MATERIAL_STRIDE = 8;
const LOOKS: readonly Look[] = ['matte', 'glossy', 'glass'];
export const GLASS = 2;

export interface Geometry {
  readonly triangleCount: number;
  readonly ballCount: number;
  /** First corner and the two edges from it, nine numbers per triangle. */
  readonly triangles: Float64Array;
  /** Unit normals at the corners. */
  readonly normals: Float32Array;
  /** Colours at the corners; of balls, one each. */
  readonly colors: Float32Array;
  readonly ballColors: Float32Array;
  /** Centre and radius. */
  readonly balls: Float64Array;
  /** Material of every primitive. */
  readonly materialOf: Uint8Array;
  readonly materials: Float64Array;
  /** Texture coordinates at the corners; empty where no material has a texture. */
  readonly uvs: Float32Array;
  readonly textures: readonly Texture[];
}

export interface MeshPart {
  readonly positions: ArrayLike<number>;
  readonly normals: ArrayLike<number>;
  readonly triangles: ArrayLike<number>;
  readonly material: number;
  /** One colour, or three numbers per vertex. */
  readonly color: Color | Float32Array;
  /** Of a body: liquids lie along it. */
  readonly isBody?: boolean;
  /** Of liquids: the ranges of their particles, and the distance of these [m]. */
  readonly flowing?: readonly { readonly begin: number; readonly end: number; readonly spacing: number }[];
  /** Two numbers per vertex, for a material with a texture. */
  readonly uvs?: ArrayLike<number> | undefined;
}

export interface BallsPart {
  readonly centers: ArrayLike<number>;
  readonly radius: number;
  readonly material: number;
  /** One colour, or three numbers per ball. */
  readonly color: Color | Float32Array;
}

function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

export function buildGeometry(
  meshes: readonly MeshPart[],
  balls: readonly BallsPart[],
  materials: readonly Material[],
): Geometry {
  if (materials.length > 255) throw new RangeError(`at most 255 materials fit, got ${materials.length}`);
  const triangleCount = meshes.reduce((sum, { triangles }) => sum + triangles.length / 3, 0);
  const ballCount = balls.reduce((sum, { centers }) => sum + centers.length / 3, 0);
  const textures = materials.flatMap(({ texture }) => texture ?? []);
  const geometry: Geometry = {
    triangleCount,
    ballCount,
    triangles: new Float64Array(shared(72 * triangleCount)),
    normals: new Float32Array(shared(36 * triangleCount)),
    colors: new Float32Array(shared(36 * triangleCount)),
    ballColors: new Float32Array(shared(12 * ballCount)),
    balls: new Float64Array(shared(32 * ballCount)),
    materialOf: new Uint8Array(shared(triangleCount + ballCount)),
    materials: new Float64Array(shared(8 * MATERIAL_STRIDE * materials.length)),
    uvs: new Float32Array(shared(textures.length > 0 ? 24 * triangleCount : 0)),
    textures,
  };
  let t = 0;
  for (const part of meshes) t = putMesh(geometry, part, t);
  let b = 0;
  for (const { centers, radius, material, color } of balls) {
    for (let i = 0; i < centers.length; i += 3, b++) {
      geometry.balls.set([centers[i]!, centers[i + 1]!, centers[i + 2]!, radius], 4 * b);
      for (let k = 0; k < 3; k++)
        geometry.ballColors[3 * b + k] = color instanceof Float32Array ? color[i + k]! : color[k]!;
      geometry.materialOf[triangleCount + b] = material;
    }
  }
  materials.forEach(({ look, roughness = 0.3, index = 1.5, transmission = [1, 1, 1], texture, rank = 0 }, m) => {
    const absorption = transmission.map((share) => -Math.log(Math.max(1e-9, share)));
    const indexs = texture ? textures.indexOf(texture) : -1;
    geometry.materials.set([LOOKS.indexOf(look), roughness, index, ...absorption, indexs, rank], MATERIAL_STRIDE * m);
  });
  return geometry;
}

function putMesh(geometry: Geometry, part: MeshPart, first: number): number {
  const { positions: p, normals, triangles, material, color } = part;
  let t = first;
  for (let c = 0; c < triangles.length; c += 3, t++) {
    const a = 3 * triangles[c]!;
    for (let k = 0; k < 3; k++) {
      geometry.triangles[9 * t + k] = p[a + k]!;
      geometry.triangles[9 * t + 3 + k] = p[3 * triangles[c + 1]! + k]! - p[a + k]!;
      geometry.triangles[9 * t + 6 + k] = p[3 * triangles[c + 2]! + k]! - p[a + k]!;
      for (let corner = 0; corner < 3; corner++) {
        const v = 3 * triangles[c + corner]! + k;
        geometry.normals[9 * t + 3 * corner + k] = normals[v]!;
        geometry.colors[9 * t + 3 * corner + k] = color instanceof Float32Array ? color[v]! : color[k]!;
      }
    }
    for (let corner = 0; part.uvs && geometry.uvs.length > 0 && corner < 3; corner++) {
      const v = 2 * triangles[c + corner]!;
      geometry.uvs[6 * t + 2 * corner] = part.uvs[v]!;
      geometry.uvs[6 * t + 2 * corner + 1] = part.uvs[v + 1]!;
    }
    geometry.materialOf[t] = material;
  }
  return t;
}
