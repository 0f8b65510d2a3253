/** From light to a picture of 8 bits per colour. */
import { LIGHT_STRIDE, ownBrightness, type Raster } from './denoise.js';

/** Red, green and blue bytes, row by row from the top. */
export interface Picture extends Raster {
  readonly pixels: Uint8Array;
}

/** Up to here light is shown as it is; beyond it is compressed so that nothing is cut off. */
const SHOULDER = 0.6;

/** Writes the bytes of the rows [begin, end). */
export function developRows(
  film: Float32Array,
  light: Float32Array,
  pixels: Uint8Array,
  { width }: Raster,
  begin: number,
  end: number,
): void {
  for (let i = begin * width; i < end * width; i++) {
    const own = ownBrightness(film, i);
    const at = LIGHT_STRIDE * i;
    pixels[3 * i] = quickByte(toneMap(own * light[at]!));
    pixels[3 * i + 1] = quickByte(toneMap(own * light[at + 1]!));
    pixels[3 * i + 2] = quickByte(toneMap(own * light[at + 2]!));
  }
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

/** Steps of the table below; and at each the byte there, and the light from which on the next byte is nearer. */
const STEPS = 4096;
const BYTES = Uint8Array.from({ length: STEPS + 1 }, (_, k) => toByte(k / STEPS));
const NEXT = Float64Array.from({ length: 257 }, (_, byte) => (byte < 255 ? toLinear((byte + 0.5) / 255) : Infinity));

/** The same as `toByte` but for rounding, by a table. */
export function quickByte(value: number): number {
  let byte = BYTES[(Math.min(1, value) * STEPS) | 0]!;
  while (value >= NEXT[byte]!) byte++;
  return byte;
}
