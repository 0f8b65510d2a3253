/** From light to a picture of 8 bits per colour. */
import { LIGHT_STRIDE, ownBrightness } from './denoise.js';
import { FILM_STRIDE, FILM_VARIANCE } from './paths.js';
import { type Raster, toByte, toLinear } from './picture.js';

/** Up to here light is shown as it is; beyond it is compressed so that nothing is cut off. */
const SHOULDER = 0.6;

/** Differences of light within so many standard deviations are chance. */
const DEVIATIONS = 4;

/**
 * Writes the bytes of the rows [begin, end). Pixels at edges of glass see so many things that no neighbour is like them,
 * and the denoiser leaves them alone: those that are darker or brighter than all around them but one, within what
 * chance explains, take the colour of the next one in this order.
 */
export function toneMapRows(
  film: Float32Array,
  light: Float32Array,
  pixels: Uint8Array,
  { width, height }: Raster,
  begin: number,
  end: number,
): void {
  const first = Math.max(0, begin - 1);
  const count = width * (Math.min(height, end + 1) - first);
  const luminance = new Float32Array(count);
  const variance = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    const own = ownBrightness(film, first * width + k);
    const at = LIGHT_STRIDE * (first * width + k);
    luminance[k] = own * (0.25 * light[at]! + 0.5 * light[at + 1]! + 0.25 * light[at + 2]!);
    variance[k] = film[FILM_STRIDE * (first * width + k) + FILM_VARIANCE]!;
  }
  for (let i = begin * width; i < end * width; i++) {
    const from = first * width + withoutSpeck(luminance, variance, i - first * width, width);
    const own = ownBrightness(film, from);
    const at = LIGHT_STRIDE * from;
    pixels[3 * i] = quickByte(toneMap(own * light[at]!));
    pixels[3 * i + 1] = quickByte(toneMap(own * light[at + 1]!));
    pixels[3 * i + 2] = quickByte(toneMap(own * light[at + 2]!));
  }
}

/** The pixel itself, or the second darkest or brightest one around it when it is beyond that by no more than chance. */
function withoutSpeck(luminance: Float32Array, variance: Float32Array, i: number, width: number): number {
  const own = luminance[i]!;
  const [column, row] = [i % width, Math.floor(i / width)];
  let [darker, brighter, count, sum] = [0, 0, 0, 0];
  let [darkest, dark, bright, brightest] = [i, i, i, i];
  for (let y = Math.max(0, row - 1); y <= row + 1 && y * width < luminance.length; y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(width - 1, column + 1); x++) {
      const k = y * width + x;
      // One variance is itself too noisy to judge by: a pixel whose few rays all end in the dark has none.
      sum += variance[k]!;
      count++;
      if (k === i) continue;
      const value = luminance[k]!;
      if (value <= own) darker++;
      if (value >= own) brighter++;
      if (darkest === i || value < luminance[darkest]!) [darkest, dark] = [k, darkest];
      else if (dark === i || value < luminance[dark]!) dark = k;
      if (brightest === i || value > luminance[brightest]!) [brightest, bright] = [k, brightest];
      else if (bright === i || value > luminance[bright]!) bright = k;
    }
  }
  const other = darker < 2 ? dark : brighter < 2 ? bright : i;
  const apart = Math.abs(luminance[other]! - own);
  return apart * apart < DEVIATIONS * DEVIATIONS * (sum / count) ? other : i;
}

export function toneMap(value: number): number {
  if (value <= SHOULDER) return Math.max(0, value);
  const headroom = 1 - SHOULDER;
  const over = (value - SHOULDER) / headroom;
  return SHOULDER + (headroom * over) / (1 + over);
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
