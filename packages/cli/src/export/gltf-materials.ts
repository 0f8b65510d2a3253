/** Materials in glTF: metallic-roughness, with extensions for what light goes through. */
import type { MeshTexture } from 'phyxel';
import type { ExportMaterial } from './geometry.js';

const TRANSMISSION = 'KHR_materials_transmission';
const IOR = 'KHR_materials_ior';
const VOLUME = 'KHR_materials_volume';
const STRENGTH = 'KHR_materials_emissive_strength';

const ALPHA_MODES = { mask: 'MASK', blend: 'BLEND' } as const;

/**
 * A material as the file has it. `place` numbers pictures; `thickness` is how far light goes in it, in the units of
 * its mesh.
 */
export function gltfMaterial(
  { name, color, roughness, texture, glass, file }: ExportMaterial,
  place: (texture: MeshTexture) => number,
  thickness: number,
): object {
  const map = (picture: MeshTexture | undefined, more: object = {}) => picture && { index: place(picture), ...more };
  const isSeeThrough = file?.alphaMode === 'mask' || file?.alphaMode === 'blend';
  // Programs that do not know volumes still see a hint of its colour.
  const shade = glass ? glass.tint.map((c) => Math.sqrt(c)) : color;
  const strength = Math.max(1, ...(file?.emissive ?? []));
  const extensions = {
    ...(glass && {
      [TRANSMISSION]: { transmissionFactor: 1 },
      [IOR]: { ior: glass.ior },
      [VOLUME]: {
        thicknessFactor: thickness,
        attenuationColor: [...glass.tint],
        attenuationDistance: glass.distance,
      },
    }),
    ...(!glass &&
      file?.transmission !== undefined && {
        [TRANSMISSION]: { transmissionFactor: file.transmission },
        [IOR]: { ior: file.ior ?? 1.5 },
      }),
    ...(strength > 1 && { [STRENGTH]: { emissiveStrength: strength } }),
  };
  return withoutHoles({
    name,
    pbrMetallicRoughness: withoutHoles({
      baseColorFactor: [...shade, isSeeThrough ? (file.opacity ?? 1) : 1],
      baseColorTexture: map(texture),
      metallicFactor: file?.metalness ?? 0,
      roughnessFactor: roughness,
      metallicRoughnessTexture: map(file?.metalnessRoughnessTexture),
    }),
    normalTexture: map(file?.normalTexture, { scale: file?.normalScale ?? 1 }),
    occlusionTexture: map(file?.occlusionTexture, { strength: file?.occlusionStrength ?? 1 }),
    emissiveFactor: file?.emissive?.map((c) => c / strength),
    emissiveTexture: map(file?.emissiveTexture),
    alphaMode: isSeeThrough ? ALPHA_MODES[file.alphaMode as keyof typeof ALPHA_MODES] : undefined,
    alphaCutoff: file?.alphaMode === 'mask' ? file.alphaCutoff : undefined,
    doubleSided: file?.isDoubleSided,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
  });
}

/** The extensions that materials use. */
export function materialExtensions(materials: readonly object[]): string[] {
  const names = materials.flatMap((material) => Object.keys((material as { extensions?: object }).extensions ?? {}));
  return [...new Set(names)];
}

/** Without the keys that have no value. */
function withoutHoles(object: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
