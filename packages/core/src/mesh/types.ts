import type { Vec3 } from '../math/matrix3.js';

/** A triangle mesh: xyz per vertex [m], three vertex numbers per triangle. */
export interface TriangleMesh {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** What its file says beyond the shape. */
  readonly finish?: MeshFinish;
  /** Is it known that nothing of it overlaps? What is made of basic shapes is so. */
  readonly isSimple?: boolean | undefined;
}

/** How a mesh is to look. Nothing of it matters to the simulation. */
export interface MeshFinish {
  /** Texture coordinates, (0, 0) at the bottom left of the picture. */
  readonly uvs?: CornerValues;
  /** Unit normals. */
  readonly normals?: CornerValues;
  /** Red, green, blue and alpha, 0 to 1, linear: they multiply the colour of the material. */
  readonly colors?: CornerValues;
  readonly materials?: {
    readonly list: readonly MeshMaterial[];
    /** For every triangle its position in the list. */
    readonly of: Uint32Array;
  };
}

/** A material as its file describes it, in the words of glTF's metallic-roughness model. */
export interface MeshMaterial {
  readonly name: string;
  /** Red, green and blue, 0 to 1, linear. */
  readonly color?: Vec3;
  /** 0 is a mirror, 1 is chalk. */
  readonly roughness?: number;
  /** Multiplies the colour. */
  readonly texture?: MeshTexture;
  /** 0 to 1; 0 when left out. */
  readonly metalness?: number;
  /** Its green multiplies the roughness, its blue the metalness. */
  readonly metalnessRoughnessTexture?: MeshTexture;
  /** Normals in the tangent space of the texture coordinates, and how strong they are. */
  readonly normalTexture?: MeshTexture;
  readonly normalScale?: number;
  /** Its red is the share of ambient light that arrives, as strong as this. */
  readonly occlusionTexture?: MeshTexture;
  readonly occlusionStrength?: number;
  /** Light that the surface gives off, linear; the picture multiplies it. */
  readonly emissive?: Vec3;
  readonly emissiveTexture?: MeshTexture;
  /** 0 to 1; counts unless the material is opaque. */
  readonly opacity?: number;
  /** `mask` cuts off what is less opaque than the cutoff; `opaque` when left out. */
  readonly alphaMode?: 'opaque' | 'mask' | 'blend';
  readonly alphaCutoff?: number;
  readonly isDoubleSided?: boolean;
  /** Share of the light that goes through, and the refractive index. */
  readonly transmission?: number;
  readonly ior?: number;
}

/** A picture as the file has it, for (0, 0) at its bottom left to (1, 1). */
export interface MeshTexture {
  readonly type: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
  /** What is beyond its sides, along u and v. */
  readonly wrap: readonly [TextureWrap, TextureWrap];
}

export type TextureWrap = 'repeat' | 'mirror' | 'clamp';

/** Values at the corners of triangles, which may share them: `of` has for every corner its position in the list. */
export interface CornerValues {
  readonly values: Float32Array;
  readonly of: Uint32Array;
}
