/** From light to a picture of 8 bits per colour. */
import { LIGHT_STRIDE, ownBrightness } from './denoise.js';
import { type Raster, toByte, toLinear } from './picture.js';

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
