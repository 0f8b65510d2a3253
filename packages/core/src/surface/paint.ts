/** Colours of points from the mesh around them, for what has no texture coordinates of its own. */
import { toLinear } from '../math/srgb.js';
import type { MeshMaterial, TextureWrap } from '../mesh/types.js';
import type { LinearColor } from './color-map.js';
import { nearestPoints } from './remains.js';

/** A picture that has been decoded. */
export interface TexturePixels {
  readonly width: number;
  readonly height: number;
  /** Bytes of red, green and blue, from the top left. */
  readonly pixels: ArrayLike<number>;
  readonly wrap: readonly [TextureWrap, TextureWrap];
}

export interface PaintedMesh {
  readonly positions: ArrayLike<number>;
  readonly uvs?: ArrayLike<number> | undefined;
  readonly colors?: ArrayLike<number> | undefined;
  readonly indices: ArrayLike<number>;
  /** Indices [begin, end) of each material. */
  readonly parts: readonly {
    readonly begin: number;
    readonly end: number;
    readonly material?: MeshMaterial | undefined;
  }[];
}

/** Red, green and blue of positions, xyz, each as the nearest vertex of a mesh, linear; `looks` are those of its parts. */
export function paintPoints(
  { positions, uvs, colors, indices, parts }: PaintedMesh,
  points: ArrayLike<number>,
  looks: readonly { readonly color: LinearColor; readonly texture?: TexturePixels | undefined }[],
): Float32Array {
  const lookAt = new Uint16Array(positions.length / 3);
  for (const [k, { begin, end }] of parts.entries()) for (let t = begin; t < end; t++) lookAt[indices[t]!] = k;
  const painted = new Float32Array(points.length);
  for (const [i, v] of nearestPoints(positions, points).entries()) {
    const { color, texture } = looks[lookAt[v]!]!;
    const texel = texture && uvs ? texelAt(texture, uvs[2 * v]!, uvs[2 * v + 1]!) : WHITE;
    for (let c = 0; c < 3; c++) painted[3 * i + c] = color[c]! * texel[c]! * (colors?.[4 * v + c] ?? 1);
  }
  return painted;
}

const WHITE: LinearColor = [1, 1, 1];

/** Linear; (0, 0) is at the bottom left. */
function texelAt({ width, height, pixels, wrap }: TexturePixels, u: number, v: number): LinearColor {
  const column = wrapped(Math.floor(u * width), width, wrap[0]);
  const row = wrapped(Math.floor((1 - v) * height), height, wrap[1]);
  const at = 3 * (row * width + column);
  return [toLinear(pixels[at]! / 255), toLinear(pixels[at + 1]! / 255), toLinear(pixels[at + 2]! / 255)];
}

function wrapped(index: number, size: number, wrap: TextureWrap): number {
  if (wrap === 'clamp') return Math.min(size - 1, Math.max(0, index));
  const period = wrap === 'mirror' ? 2 * size : size;
  const inside = ((index % period) + period) % period;
  return inside < size ? inside : period - 1 - inside;
}
