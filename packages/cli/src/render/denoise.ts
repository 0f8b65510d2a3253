/**
 * Takes the grain out of a film: light without the surfaces' own brightness is averaged over neighbours that
 * are on the same surface, look alike within what chance explains, and stand on wider and wider grids
 * (Dammertz et al. 2010, with variances as in Schied et al. 2017).
 */
import { FILM_STRIDE } from './paths.js';

/** Light and the variance of its mean, per pixel. */
export const LIGHT_STRIDE = 4;
/** Distances of the neighbours in each round [pixels]. */
export const ROUNDS = [1, 2, 4, 8] as const;

/** Differences that count as another surface: of normals, of own colours, and of distances over the distance. */
const NORMAL = 0.12;
const ALBEDO = 0.04;
const DEPTH = 0.01;
/** Differences of light within so many standard deviations are chance. */
const DEVIATIONS = 4;
const DARKEST_ALBEDO = 0.03;

export interface Raster {
  readonly width: number;
  readonly height: number;
}

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
    const share = 1 / ownBrightness(film, i);
    for (let k = 0; k < 3; k++) light[at + k] = film[FILM_STRIDE * i + k]! * share;
    light[at + 3] = film[FILM_STRIDE * i + 10]! * share * share;
  }
}

/**
 * Of the surface of a pixel. One number for all three colours: a coat reflects white light, which over a dark
 * channel would count as noise without end.
 */
export function ownBrightness(film: Float32Array, pixel: number): number {
  const at = FILM_STRIDE * pixel + 3;
  return Math.max(DARKEST_ALBEDO, 0.25 * film[at]! + 0.5 * film[at + 1]! + 0.25 * film[at + 2]!);
}

/** One round over the rows [begin, end). */
export function smoothLight(
  film: Float32Array,
  from: Float32Array,
  to: Float32Array,
  { width, height }: Raster,
  step: number,
  begin: number,
  end: number,
): void {
  for (let y = begin; y < end; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const f = FILM_STRIDE * i;
      const at = LIGHT_STRIDE * i;
      const ar = film[f + 3]!;
      const ag = film[f + 4]!;
      const ab = film[f + 5]!;
      const nx = film[f + 6]!;
      const ny = film[f + 7]!;
      const nz = film[f + 8]!;
      const depth = film[f + 9]!;
      const r = from[at]!;
      const g = from[at + 1]!;
      const b = from[at + 2]!;
      const luminance = 0.25 * r + 0.5 * g + 0.25 * b;
      const chance = 1 / (DEVIATIONS * Math.sqrt(blurredVariance(from, x, y, width, height)) + 1e-4);
      const slopeX = slope(film, i, x, width, 1);
      const slopeY = slope(film, i, y, height, width);
      const perDepth = 1 / (DEPTH * depth + 1e-9);
      let weights = 0.25;
      let sr = 0.25 * r;
      let sg = 0.25 * g;
      let sb = 0.25 * b;
      let sv = 0.0625 * from[at + 3]!;
      for (let dy = -1; dy <= 1; dy++) {
        const qy = y + dy * step;
        if (qy < 0 || qy >= height) continue;
        for (let dx = -1; dx <= 1; dx++) {
          const qx = x + dx * step;
          if (qx < 0 || qx >= width || (dx === 0 && dy === 0)) continue;
          const j = qy * width + qx;
          const h = FILM_STRIDE * j;
          const q = LIGHT_STRIDE * j;
          const mx = film[h + 6]! - nx;
          const my = film[h + 7]! - ny;
          const mz = film[h + 8]! - nz;
          const cr = film[h + 3]! - ar;
          const cg = film[h + 4]! - ag;
          const cb = film[h + 5]! - ab;
          const expected = depth + step * (dx * slopeX + dy * slopeY);
          const away = Math.abs(film[h + 9]! - expected) * perDepth;
          const other = 0.25 * from[q]! + 0.5 * from[q + 1]! + 0.25 * from[q + 2]!;
          const exponent =
            (mx * mx + my * my + mz * mz) / (NORMAL * NORMAL) +
            (cr * cr + cg * cg + cb * cb) / (ALBEDO * ALBEDO) +
            away +
            Math.abs(other - luminance) * chance;
          if (exponent > 12) continue;
          const weight = (dx === 0 || dy === 0 ? 0.125 : 0.0625) * Math.exp(-exponent);
          weights += weight;
          sr += weight * from[q]!;
          sg += weight * from[q + 1]!;
          sb += weight * from[q + 2]!;
          sv += weight * weight * from[q + 3]!;
        }
      }
      const scale = 1 / weights;
      to[at] = sr * scale;
      to[at + 1] = sg * scale;
      to[at + 2] = sb * scale;
      to[at + 3] = sv * scale * scale;
    }
  }
}

/** Change of the distance from one pixel to the next, the smaller one of both sides: edges have a large one. */
function slope(film: Float32Array, i: number, place: number, size: number, stride: number): number {
  const here = film[FILM_STRIDE * i + 9]!;
  const before = place > 0 ? here - film[FILM_STRIDE * (i - stride) + 9]! : Infinity;
  const after = place + 1 < size ? film[FILM_STRIDE * (i + stride) + 9]! - here : Infinity;
  const smaller = Math.abs(before) < Math.abs(after) ? before : after;
  return Number.isFinite(smaller) ? smaller : 0;
}

/** Single variances are themselves too noisy to judge by. */
function blurredVariance(light: Float32Array, x: number, y: number, width: number, height: number): number {
  let sum = 0;
  let weights = 0;
  for (let dy = -1; dy <= 1; dy++) {
    const qy = y + dy;
    if (qy < 0 || qy >= height) continue;
    for (let dx = -1; dx <= 1; dx++) {
      const qx = x + dx;
      if (qx < 0 || qx >= width) continue;
      const weight = (dx === 0 ? 2 : 1) * (dy === 0 ? 2 : 1);
      sum += weight * light[LIGHT_STRIDE * (qy * width + qx) + 3]!;
      weights += weight;
    }
  }
  return sum / weights;
}
