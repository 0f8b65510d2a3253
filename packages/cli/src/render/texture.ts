/** Pictures on surfaces: in shared memory, in linear light, between their pixels mixed. */
import { decode } from 'jpeg-js';
import type { MeshTexture, TextureWrap } from 'phyxel';
import type { Picture } from './picture.js';
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
