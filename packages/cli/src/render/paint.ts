import { type MeshMaterial, type MeshTexture, paintPoints, type RestMesh } from 'phyxel';
import type { Color } from './geometry.js';
import { readTexture } from './texture.js';

/** Colours of points, xyz, as those of the mesh around them, linear. */
export function paintWith(
  mesh: RestMesh,
  positions: ArrayLike<number>,
  lookOf: (own: MeshMaterial | undefined) => { readonly color: Color; readonly texture?: MeshTexture | undefined },
): Float32Array {
  const looks = mesh.parts.map(({ material }) => {
    const { color, texture } = lookOf(material);
    return { color, texture: texture && readTexture(texture) };
  });
  return paintPoints(mesh, positions, looks);
}
