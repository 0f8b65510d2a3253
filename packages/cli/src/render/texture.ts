/** Pictures on surfaces: in shared memory, in linear light, between their pixels mixed. */
import { decode } from 'jpeg-js';
import type { MeshTexture, TextureWrap } from 'phyxel';
import { type Picture, toLinear } from './develop.js';
import { decodePng, PngError } from './png.js';

export interface Texture {
  readonly width: number;
  readonly height: number;
  /** Bytes of red, green and blue, from the top left. */
  readonly pixels: Uint8Array;
  readonly wrap: readonly [TextureWrap, TextureWrap];
}

/** The picture of a mesh file, or undefined where it cannot be read: what is broken, or a kind that is not drawn. */
export function readTexture({ type, bytes, wrap }: MeshTexture): Texture | undefined {
  const picture = type === 'image/png' ? readPng(bytes) : readJpeg(bytes);
  if (!picture) return undefined;
  const { width, height, pixels } = picture;
  const kept = new Uint8Array(new SharedArrayBuffer(pixels.length));
  kept.set(pixels);
  return { width, height, pixels: kept, wrap };
}

function readPng(bytes: Uint8Array): Picture | undefined {
  try {
    return decodePng(bytes);
  } catch (error) {
    if (error instanceof PngError) return undefined;
    throw error;
  }
}

/** Larger pictures are not drawn: millions of pixels, and the memory that reading may take [MB]. */
const LIMITS = { maxResolutionInMP: 100, maxMemoryUsageInMB: 2048 };

function readJpeg(bytes: Uint8Array): Picture | undefined {
  try {
    const { width, height, data } = decode(bytes, { useTArray: true, formatAsRGBA: false, ...LIMITS });
    return { width, height, pixels: data };
  } catch {
    // The decoder throws plain errors for whatever it does not like.
    return undefined;
  }
}

const LINEAR = Float32Array.from({ length: 256 }, (_, byte) => toLinear(byte / 255));

/** Place of a pixel within a row or column of them. */
function wrapped(k: number, count: number, wrap: TextureWrap): number {
  if (wrap === 'clamp') return Math.min(count - 1, Math.max(0, k));
  if (wrap === 'repeat') return ((k % count) + count) % count;
  const m = ((k % (2 * count)) + 2 * count) % (2 * count);
  return m < count ? m : 2 * count - 1 - m;
}

/** The colour at texture coordinates, (0, 0) at the bottom left; red, green and blue into `out`. */
export function sampleTexture({ width, height, pixels, wrap }: Texture, u: number, v: number, out: Float64Array): void {
  const x = u * width - 0.5;
  const y = (1 - v) * height - 0.5;
  const [left, top] = [Math.floor(x), Math.floor(y)];
  out.fill(0);
  for (let corner = 0; corner < 4; corner++) {
    const [right, below] = [corner & 1, corner >> 1];
    const weight = (right ? x - left : 1 - (x - left)) * (below ? y - top : 1 - (y - top));
    const at = 3 * (wrapped(top + below, height, wrap[1]) * width + wrapped(left + right, width, wrap[0]));
    for (let k = 0; k < 3; k++) out[k]! += weight * LINEAR[pixels[at + k]!]!;
  }
}
