/** Materials in glTF: metallic-roughness, with extensions for what light goes through. */
import type { Vec3 } from '../../math/matrix3.js';
import type { MeshMaterial, MeshTexture } from '../types.js';

const TRANSMISSION = 'KHR_materials_transmission';
const IOR = 'KHR_materials_ior';
const VOLUME = 'KHR_materials_volume';
const STRENGTH = 'KHR_materials_emissive_strength';

export interface GltfMaterial {
  readonly name: string;
  /** Linear, 0 to 1. */
  readonly color: Vec3;
  readonly roughness: number;
  /** A picture that the colour is multiplied by. */
  readonly texture?: MeshTexture | undefined;
  /** Of what light goes through: refractive index, and what is left of white light after a distance [m] in it. */
  readonly glass?: { readonly ior: number; readonly tint?: Vec3; readonly distance?: number } | undefined;
  /** What else its file says; colour, roughness and picture are those above. */
  readonly file?: MeshMaterial | undefined;
}

/**
 * A material as the file has it. `place` numbers pictures; `thickness` is how far light goes in it, in the units of
 * its mesh.
 */
export function gltfMaterial(
  { name, color, roughness, texture, glass, file }: GltfMaterial,
  place: (texture: MeshTexture) => number,
  thickness = 0,
): object {
  const map = (picture: MeshTexture | undefined, more: object = {}) => picture && { index: place(picture), ...more };
  const isSeeThrough = file?.alphaMode === 'mask' || file?.alphaMode === 'blend';
  // Programs that do not know volumes still see a hint of its colour.
  const shade = glass?.tint?.map((c) => Math.sqrt(c)) ?? color;
  const strength = Math.max(1, ...(file?.emissive ?? []));
  const extensions = {
    ...(glass && {
      [TRANSMISSION]: { transmissionFactor: 1 },
      [IOR]: { ior: glass.ior },
      ...(glass.tint && {
        [VOLUME]: {
          thicknessFactor: thickness,
          attenuationColor: [...glass.tint],
          attenuationDistance: glass.distance,
        },
      }),
    }),
    ...(!glass &&
      file?.transmission !== undefined && {
        [TRANSMISSION]: { transmissionFactor: file.transmission },
        [IOR]: { ior: file.ior ?? 1.5 },
      }),
    ...(strength > 1 && { [STRENGTH]: { emissiveStrength: strength } }),
  };
  // Keys without a value are none in JSON.
  return {
    name,
    pbrMetallicRoughness: {
      baseColorFactor: [...shade, isSeeThrough ? (file.opacity ?? 1) : 1],
      baseColorTexture: map(texture),
      metallicFactor: file?.metalness ?? 0,
      roughnessFactor: roughness,
      metallicRoughnessTexture: map(file?.metalnessRoughnessTexture),
    },
    normalTexture: map(file?.normalTexture, { scale: file?.normalScale ?? 1 }),
    occlusionTexture: map(file?.occlusionTexture, { strength: file?.occlusionStrength ?? 1 }),
    emissiveFactor: file?.emissive?.map((c) => c / strength),
    emissiveTexture: map(file?.emissiveTexture),
    alphaMode: isSeeThrough ? file.alphaMode?.toUpperCase() : undefined,
    alphaCutoff: file?.alphaMode === 'mask' ? file.alphaCutoff : undefined,
    doubleSided: file?.isDoubleSided,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
  };
}

/** The extensions that materials use. */
export function gltfExtensions(materials: readonly object[]): string[] {
  const names = materials.flatMap((material) => Object.keys((material as { extensions?: object }).extensions ?? {}));
  return [...new Set(names)];
}
