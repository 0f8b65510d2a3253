import { describe, expect, it } from 'vitest';
import { BLOCK, judgeBlocks, planSamples } from '../../src/render/adaptive.js';
import { FILM_COUNT, FILM_STRIDE, FILM_VARIANCE, FILM_WANTED } from '../../src/render/paths.js';

const [width, height] = [38, 22];

/** A film of grey pixels with 4 samples each, certain but for those of a column. */
function filmOf(brightness: number, column: number, variance: number): Float32Array {
  const film = new Float32Array(FILM_STRIDE * width * height);
  for (let i = 0; i < width * height; i++) {
    film.fill(brightness, FILM_STRIDE * i, FILM_STRIDE * i + 3);
    film[FILM_STRIDE * i + FILM_COUNT] = 4;
    film[FILM_STRIDE * i + FILM_VARIANCE] = i % width === column ? variance : 0;
  }
  return film;
}

function planOf(film: Float32Array, target: number, most: number, bands: readonly number[]): number[] {
  const noise = new Float32Array(Math.ceil(width / BLOCK) * Math.ceil(height / BLOCK));
  const ends = bands.map((_, k) => bands[k + 1] ?? height);
  for (const [k, begin] of bands.entries()) judgeBlocks(film, noise, { width, height }, begin, ends[k]!);
  for (const [k, begin] of bands.entries()) {
    planSamples(film, noise, { width, height }, target, most, begin, ends[k]!);
  }
  return Array.from({ length: width * height }, (_, i) => film[FILM_STRIDE * i + FILM_WANTED]!);
}

describe('a picture gets more rays', () => {
  it('around what is uncertain, and nowhere else', () => {
    const plan = planOf(filmOf(0.5, 20, 0.04), 0.05, 16, [0]);
    for (const [i, wanted] of plan.entries()) {
      // The column's block and those on both sides.
      expect(wanted).toBe(Math.abs(Math.floor((i % width) / BLOCK) - 5) <= 1 ? 8 : 4);
    }
    expect(new Set(planOf(filmOf(0.5, 20, 1e-5), 0.05, 16, [0]))).toEqual(new Set([4]));
  });

  it('sooner where it is dark, where the eye sees more', () => {
    const more = (brightness: number) =>
      planOf(filmOf(brightness, 20, 0.002), 0.05, 16, [0]).filter((wanted) => wanted > 4).length;
    expect(more(0.9)).toBe(0);
    expect(more(0.01)).toBeGreaterThan(0);
  });

  it('but never more than it should have, and the same in bands of rows as at once', () => {
    const plan = planOf(filmOf(0.5, 20, 1), 0.05, 6, [0]);
    expect(Math.max(...plan)).toBe(6);
    expect(planOf(filmOf(0.5, 20, 1), 0.05, 6, [0, 8, 16])).toEqual(plan);
  });
});
