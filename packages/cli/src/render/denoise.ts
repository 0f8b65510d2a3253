/**
 * Takes the grain out of a film: light without the surfaces' own brightness is smoothed in rounds over rows, by the
 * compiled loop of assembly/denoise.ts.
 */
import { FILM_ALBEDO, FILM_STRIDE, FILM_VARIANCE } from './paths.js';
import type { Raster } from './picture.js';
import type { RayMemory } from './rays.js';

/** Light and the variance of its mean, per pixel. */
export const LIGHT_STRIDE = 4;
/** Distances of the neighbours in each round [pixels]. */
export const ROUNDS = [1, 2, 4, 8] as const;
const DARKEST_ALBEDO = 0.03;

/** Light of the rows [begin, end): the film's colours over the surfaces' own brightness. */
export function separateLight(
  film: Float32Array,
  light: Float32Array,
  { width }: Raster,
  begin: number,
  end: number,
): void {
  for (let i = begin * width; i < end * width; i++) {
    const at = LIGHT_STRIDE * i;
    const from = FILM_STRIDE * i;
    const share = 1 / ownBrightness(film, i);
    light[at] = film[from]! * share;
    light[at + 1] = film[from + 1]! * share;
    light[at + 2] = film[from + 2]! * share;
    light[at + 3] = film[from + FILM_VARIANCE]! * share * share;
  }
}

/**
 * Of the surface of a pixel. One number for all three colours: a coat reflects white light, which over a dark
 * channel would count as noise without end.
 */
export function ownBrightness(film: Float32Array, pixel: number): number {
  const at = FILM_STRIDE * pixel + FILM_ALBEDO;
  return Math.max(DARKEST_ALBEDO, 0.25 * film[at]! + 0.5 * film[at + 1]! + 0.25 * film[at + 2]!);
}

/** One round over the rows [begin, end). */
export function smoothLight(
  memory: RayMemory,
  film: Float32Array,
  from: Float32Array,
  to: Float32Array,
  { width, height }: Raster,
  step: number,
  begin: number,
  end: number,
): void {
  const first = Math.max(0, begin - step);
  const last = Math.min(height, end + step);
  const [filmRow, lightRow] = [FILM_STRIDE * width, LIGHT_STRIDE * width];
  const rows = last - first;
  const address = memory.scratch(4 * (rows * (filmRow + lightRow) + (end - begin) * lightRow));
  const floats = new Float32Array(memory.buffer);
  const filmAt = address / 4;
  const fromAt = filmAt + rows * filmRow;
  const toAt = fromAt + rows * lightRow;
  floats.set(film.subarray(first * filmRow, last * filmRow), filmAt);
  floats.set(from.subarray(first * lightRow, last * lightRow), fromAt);
  memory.loops.smoothRows(4 * filmAt, 4 * fromAt, 4 * toAt, width, first, last, step, begin, end);
  to.set(floats.subarray(toAt, toAt + (end - begin) * lightRow), begin * lightRow);
}
