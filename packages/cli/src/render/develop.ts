/** From light to a picture of 8 bits per colour. */
import { LIGHT_STRIDE, ownBrightness, type Raster } from './denoise.js';

/** Red, green and blue bytes, row by row from the top. */
export interface Picture extends Raster {
  readonly pixels: Uint8Array;
}

/** Up to here light is shown as it is; beyond it is compressed so that nothing is cut off. */
const SHOULDER = 0.6;

export function develop(film: Float32Array, light: Float32Array, { width, height }: Raster): Picture {
  const pixels = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    const own = ownBrightness(film, i);
    for (let k = 0; k < 3; k++) pixels[3 * i + k] = toByte(toneMap(own * light[LIGHT_STRIDE * i + k]!));
  }
  return { width, height, pixels };
}

export function toneMap(value: number): number {
  if (value <= SHOULDER) return Math.max(0, value);
  const room = 1 - SHOULDER;
  const over = (value - SHOULDER) / room;
  return SHOULDER + (room * over) / (1 + over);
}

/** Linear light in [0, 1] to a byte of sRGB. */
export function toByte(value: number): number {
  const v = Math.min(1, Math.max(0, value));
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
}

/** A byte of sRGB, or a share of one in [0, 1], to linear light. */
export function toLinear(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
