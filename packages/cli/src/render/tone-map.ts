/** From light to a picture of 8 bits per colour. */
import { LIGHT_STRIDE, ownBrightness } from './denoise.js';
import { FILM_STRIDE, FILM_VARIANCE } from './paths.js';
import { type Raster, toByte, toLinear } from './picture.js';

/** Up to here light is shown as it is; beyond it is compressed so that nothing is cut off. */
const SHOULDER = 0.6;

/** Differences of light within so many standard deviations are chance. */
const DEVIATIONS = 4;

/** Grain above this share of the brightness shows, as in adaptive.ts; below the darkest it never does. */
const GRAIN = 0.02;
const DARK = 0.02;
/** Colours are averaged over so many pixels to either side. */
const REACH = 2;

/**
 * Writes the bytes of the rows [begin, end). Pixels at edges of glass see so many things that no neighbour is like them,
 * and the denoiser leaves them alone: those that are darker or brighter than all around them but one, within what
 * chance explains, take the colour of the next one in this order; and where grain is left, colours are those of all
 * around that differ by no more than chance explains, on whatever surface.
 */
export function toneMapRows(
  film: Float32Array,
  light: Float32Array,
  pixels: Uint8Array,
  { width, height }: Raster,
  begin: number,
  end: number,
): void {
  const first = Math.max(0, begin - REACH);
  const count = width * (Math.min(height, end + REACH) - first);
  const colors = new Float32Array(3 * count);
  const luminance = new Float32Array(count);
  const variance = new Float32Array(count);
  const left = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    const own = ownBrightness(film, first * width + k);
    const at = LIGHT_STRIDE * (first * width + k);
    for (let a = 0; a < 3; a++) colors[3 * k + a] = own * light[at + a]!;
    luminance[k] = 0.25 * colors[3 * k]! + 0.5 * colors[3 * k + 1]! + 0.25 * colors[3 * k + 2]!;
    variance[k] = film[FILM_STRIDE * (first * width + k) + FILM_VARIANCE]!;
    left[k] = own * own * light[at + 3]!;
  }
  const color = new Float32Array(3);
  for (let i = begin * width; i < end * width; i++) {
    const from = withoutSpeck(luminance, variance, i - first * width, width);
    color.set(colors.subarray(3 * from, 3 * from + 3));
    averageGrain({ colors, luminance, left }, i - first * width, luminance[from]!, width, color);
    for (let a = 0; a < 3; a++) pixels[3 * i + a] = quickByte(toneMap(color[a]!));
  }
}

/** Colours, their brightness, and the variance that the denoiser has left of it, by pixel. */
interface Denoised {
  readonly colors: Float32Array;
  readonly luminance: Float32Array;
  readonly left: Float32Array;
}

/** Writes the mean colour around a pixel of such a brightness, if it has grain that shows. */
function averageGrain(
  { colors, luminance, left }: Denoised,
  i: number,
  own: number,
  width: number,
  color: Float32Array,
): void {
  const shown = GRAIN * (own + DARK);
  if (left[i]! < shown * shown) return;
  const [column, row] = [i % width, Math.floor(i / width)];
  const perVariance = 1 / (DEVIATIONS * DEVIATIONS * left[i]!);
  let [red, green, blue, weights] = [0, 0, 0, 0];
  for (let y = Math.max(0, row - REACH); y <= row + REACH && y * width < luminance.length; y++) {
    for (let x = Math.max(0, column - REACH); x <= Math.min(width - 1, column + REACH); x++) {
      const k = y * width + x;
      const apart = luminance[k]! - own;
      const weight = 1 - apart * apart * perVariance;
      if (!(weight > 0)) continue;
      red += weight * colors[3 * k]!;
      green += weight * colors[3 * k + 1]!;
      blue += weight * colors[3 * k + 2]!;
      weights += weight;
    }
  }
  if (weights === 0) return;
  color[0] = red / weights;
  color[1] = green / weights;
  color[2] = blue / weights;
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
