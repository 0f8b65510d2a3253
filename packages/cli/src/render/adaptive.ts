/** Where a picture wants more rays: where its brightness is still uncertain. */

import { FILM_COUNT, FILM_STRIDE, FILM_VARIANCE, FILM_WANTED } from './paths.js';
import type { Raster } from './picture.js';

/** Side of the blocks that are judged as one [pixels]: the variance of one pixel is itself a guess. */
export const BLOCK = 4;

/**
 * Mean uncertainty of the blocks of the rows [begin, end), which are whole blocks but for the last: the variance of
 * the brightness over the brightness, about as the eye sees it on a screen.
 */
export function judgeBlocks(
  film: Float32Array,
  noise: Float32Array,
  { width, height }: Raster,
  begin: number,
  end: number,
): void {
  const across = Math.ceil(width / BLOCK);
  for (let top = begin; top < end; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      let variance = 0;
      let light = 0;
      let count = 0;
      for (let y = top; y < Math.min(height, top + BLOCK); y++) {
        for (let x = left; x < Math.min(width, left + BLOCK); x++) {
          const at = FILM_STRIDE * (y * width + x);
          variance += film[at + FILM_VARIANCE]!;
          light += 0.25 * film[at]! + 0.5 * film[at + 1]! + 0.25 * film[at + 2]!;
          count++;
        }
      }
      noise[(top / BLOCK) * across + left / BLOCK] = variance / (light + DARK * count);
    }
  }
}

/** Below this, differences of brightness are not seen. */
const DARK = 0.02;

/**
 * Writes how many samples the pixels of the rows [begin, end) should have: twice as many where a block and those
 * around it are more uncertain than `target`, a standard deviation, but no more than `most`.
 */
export function planSamples(
  film: Float32Array,
  noise: Float32Array,
  { width, height }: Raster,
  target: number,
  most: number,
  begin: number,
  end: number,
): void {
  const across = Math.ceil(width / BLOCK);
  const down = Math.ceil(height / BLOCK);
  for (let row = begin / BLOCK; row * BLOCK < end; row++) {
    for (let column = 0; column < across; column++) {
      let sum = 0;
      let weights = 0;
      for (let j = Math.max(0, row - 1); j <= Math.min(down - 1, row + 1); j++) {
        for (let i = Math.max(0, column - 1); i <= Math.min(across - 1, column + 1); i++) {
          const weight = (i === column ? 2 : 1) * (j === row ? 2 : 1);
          sum += weight * noise[j * across + i]!;
          weights += weight;
        }
      }
      const isUncertain = sum > weights * target * target;
      for (let y = row * BLOCK; y < Math.min(height, (row + 1) * BLOCK); y++) {
        for (let x = column * BLOCK; x < Math.min(width, (column + 1) * BLOCK); x++) {
          const at = FILM_STRIDE * (y * width + x);
          const count = film[at + FILM_COUNT]!;
          film[at + FILM_WANTED] = isUncertain ? Math.min(2 * count, most) : count;
        }
      }
    }
  }
}
