/** Colours of points from the mesh around them, for what has no texture coordinates of its own. */
import { type MeshMaterial, type MeshTexture, nearestPoints, type RestMesh } from 'phyxel';
import type { Color } from './geometry.js';
import { toLinear } from './picture.js';
import { readTexture, type Texture } from './texture.js';

/** Red, green and blue of places, xyz, each as the nearest vertex of a mesh, linear. */
export function paintPoints(
  mesh: RestMesh,
  places: ArrayLike<number>,
  lookOf: (own: MeshMaterial | undefined) => { readonly color: Color; readonly texture?: MeshTexture | undefined },
): Float32Array {
  const { positions, uvs, colors: vertexColors, indices } = mesh;
  const looks = mesh.parts.map(({ material }) => {
    const { color, texture } = lookOf(material);
    return { color, texture: texture && readTexture(texture) };
  });
  const lookAt = new Uint16Array(positions.length / 3);
  for (const [k, { begin, end }] of mesh.parts.entries()) for (let t = begin; t < end; t++) lookAt[indices[t]!] = k;
  const painted = new Float32Array(places.length);
  for (const [i, v] of nearestPoints(positions, places).entries()) {
    const { color, texture } = looks[lookAt[v]!]!;
    const texel = texture && uvs ? texelAt(texture, uvs[2 * v]!, uvs[2 * v + 1]!) : WHITE;
    for (let c = 0; c < 3; c++) painted[3 * i + c] = color[c]! * texel[c]! * (vertexColors?.[4 * v + c] ?? 1);
  }
  return painted;
}

const WHITE: Color = [1, 1, 1];

/** Linear; (0, 0) is at the bottom left. */
function texelAt({ width, height, pixels, wrap }: Texture, u: number, v: number): Color {
  const column = wrapped(Math.floor(u * width), width, wrap[0]);
  const row = wrapped(Math.floor((1 - v) * height), height, wrap[1]);
  const at = 3 * (row * width + column);
  return [toLinear(pixels[at]! / 255), toLinear(pixels[at + 1]! / 255), toLinear(pixels[at + 2]! / 255)];
}

function wrapped(index: number, size: number, wrap: Texture['wrap'][number]): number {
  if (wrap === 'clamp') return Math.min(size - 1, Math.max(0, index));
  const period = wrap === 'mirror' ? 2 * size : size;
  const inside = ((index % period) + period) % period;
  return inside < size ? inside : period - 1 - inside;
}
