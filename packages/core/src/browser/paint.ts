/** Colours of the particles of bodies that melt, from the pictures of their meshes' files. */
import type { MeshTexture } from '../mesh/types.js';
import { paintPoints, type TexturePixels } from '../surface/paint.js';
import type { DisplayMesh } from './protocol.js';

/** Red, green and blue of positions, xyz, linear; undefined where the mesh has no colours of its own. */
export async function paintLike(mesh: DisplayMesh, positions: ArrayLike<number>): Promise<Float32Array | undefined> {
  const { parts, colors } = mesh;
  if (!parts?.some(({ material }) => material) && !colors) return undefined;
  const all = parts ?? [{ begin: 0, end: mesh.indices.length }];
  const looks = all.map(async ({ material }) => ({
    color: material?.color ?? ([1, 1, 1] as const),
    texture: material?.texture && (await decode(material.texture)),
  }));
  return paintPoints({ ...mesh, parts: all }, positions, await Promise.all(looks));
}

/** Undefined where it cannot be decoded: what is broken, or where there is nothing that decodes. */
async function decode({ bytes, type, wrap }: MeshTexture): Promise<TexturePixels | undefined> {
  if (typeof OffscreenCanvas === 'undefined') return undefined;
  try {
    const picture = await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    const { width, height } = picture;
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, pixels: data.filter((_, k) => k % 4 < 3), wrap };
  } catch {
    return undefined;
  }
}
