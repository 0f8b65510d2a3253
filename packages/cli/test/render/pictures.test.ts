import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LIGHT_STRIDE } from '../../src/render/denoise.js';
import { drawLegend, layoutLegend, ticks } from '../../src/render/legend.js';
import { FILM_ALBEDO, FILM_STRIDE, FILM_VARIANCE } from '../../src/render/paths.js';
import { type Picture, toByte, toLinear } from '../../src/render/picture.js';
import { animatePng, decodePng, encodePng, PngError, readText } from '../../src/render/png.js';
import { drawText, textWidth } from '../../src/render/text.js';
import { quickByte, toneMap, toneMapRows } from '../../src/render/tone-map.js';
import { hasFfmpeg, writeVideo } from '../../src/render/video.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-pictures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const blank = (width: number, height: number, value = 200): Picture => ({
  width,
  height,
  pixels: new Uint8Array(3 * width * height).fill(value),
});

describe('PNG files', () => {
  it('give back the pixels and the notes that they were made of', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        fc.integer(),
        (width, height, smooth, seed) => {
          // Smooth pictures and noise prefer different filters.
          const pixels = Uint8Array.from({ length: 3 * width * height }, (_, i) =>
            smooth ? 3 * i + (i % 3) : Math.imul(i + seed, 2654435761) >>> 24,
          );
          const file = encodePng({ width, height, pixels }, { note: 'a b' });
          expect(decodePng(file)).toEqual({ width, height, pixels });
          expect(readText(file)).toEqual({ note: 'a b' });
        },
      ),
    );
  });

  it('that are cut off or damaged are refused', () => {
    const file = encodePng(blank(9, 7));
    for (let length = 0; length < file.length; length++) {
      expect(() => decodePng(file.subarray(0, length))).toThrow(PngError);
    }
    for (let i = 0; i < file.length; i++) {
      const bad = Uint8Array.from(file);
      bad[i]! ^= 0x10;
      expect(() => decodePng(bad)).toThrow(PngError);
    }
  });

  it('make an animation whose frames are the pictures', () => {
    const pictures = [10, 120, 250].map((value) => blank(8, 6, value));
    const animation = Buffer.concat([
      ...animatePng(
        pictures.map((p) => encodePng(p)),
        3,
        30,
      ),
    ]);
    // A reader that knows no animations shows the first picture.
    expect(decodePng(animation)).toEqual(pictures[0]);
    const types = chunkTypes(animation);
    expect(types.filter((type) => type !== 'sRGB')).toEqual([
      'IHDR',
      'acTL',
      'fcTL',
      'IDAT',
      'fcTL',
      'fdAT',
      'fcTL',
      'fdAT',
      'IEND',
    ]);
    expect(() => [...animatePng([encodePng(blank(8, 6)), encodePng(blank(8, 7))], 2, 30)]).toThrow('one size');
  });
});

function chunkTypes(file: Buffer): string[] {
  const types: string[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    types.push(file.toString('latin1', at + 4, at + 8));
  return types;
}

describe('specks', () => {
  const [width, height] = [9, 7];
  /** Brightness of the pixels of a picture, 0.2 everywhere but for some, with a standard deviation for all. */
  function developed(others: Record<number, number>, deviation: number): number[] {
    const count = width * height;
    const film = new Float32Array(FILM_STRIDE * count);
    const light = new Float32Array(LIGHT_STRIDE * count);
    for (let i = 0; i < count; i++) {
      film.fill(1, FILM_STRIDE * i + FILM_ALBEDO, FILM_STRIDE * i + FILM_ALBEDO + 3);
      film[FILM_STRIDE * i + FILM_VARIANCE] = deviation ** 2;
      light.fill(others[i] ?? 0.2, LIGHT_STRIDE * i, LIGHT_STRIDE * i + 3);
    }
    const pixels = new Uint8Array(3 * count);
    for (const [begin, end] of [
      [0, 3],
      [3, height],
    ] as const)
      toneMapRows(film, light, pixels, { width, height }, begin, end);
    return Array.from({ length: count }, (_, i) => pixels[3 * i]!);
  }
  const same = toByte(0.2);

  it('single dark and bright pixels, and pairs of them, are gone where the picture is uncertain', () => {
    for (const at of [0, 8, 3 * width + 4, 2 * width + 1, height * width - 1]) {
      expect(new Set(developed({ [at]: 0 }, 0.06))).toEqual(new Set([same]));
      expect(new Set(developed({ [at]: 0.4 }, 0.06))).toEqual(new Set([same]));
    }
    expect(new Set(developed({ [3 * width + 4]: 0, [2 * width + 5]: 0.02 }, 0.06))).toEqual(new Set([same]));
  });

  it('what chance does not explain stays, and so do lines and edges', () => {
    expect(developed({ [3 * width + 4]: 0 }, 0.04)[3 * width + 4]).toBe(0);
    const line = Object.fromEntries(Array.from({ length: width }, (_, x) => [3 * width + x, 0]));
    // But for its ends, which have one neighbour that is like them.
    expect(developed(line, 0.1).filter((value) => value === 0)).toHaveLength(width - 2);
    const half = Object.fromEntries(Array.from({ length: 3 * width }, (_, i) => [i, 0.5]));
    expect(developed(half, 0.1).filter((value) => value === toByte(0.5))).toHaveLength(3 * width);
  });
});

describe('grain', () => {
  it('that the denoiser has left is a third of it, on surfaces of any colour, and edges stay', () => {
    const [width, height, deviation] = [24, 16, 0.03];
    const count = width * height;
    const film = new Float32Array(FILM_STRIDE * count);
    const light = new Float32Array(LIGHT_STRIDE * count);
    let seed = 1;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    // The left half is bright, and every second pixel of another own brightness.
    const meant = (i: number) => (i % width < width / 2 ? 0.5 : 0.2);
    for (let i = 0; i < count; i++) {
      const own = i % 2 === 0 ? 0.9 : 0.4;
      film.fill(own, FILM_STRIDE * i + FILM_ALBEDO, FILM_STRIDE * i + FILM_ALBEDO + 3);
      film[FILM_STRIDE * i + FILM_VARIANCE] = deviation ** 2;
      const color = meant(i) + deviation * Math.sqrt(12) * (random() - 0.5);
      light.fill(color / own, LIGHT_STRIDE * i, LIGHT_STRIDE * i + 3);
      light[LIGHT_STRIDE * i + 3] = (deviation / own) ** 2;
    }
    const pixels = new Uint8Array(3 * count);
    toneMapRows(film, light, pixels, { width, height }, 0, height);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += (toLinear(pixels[3 * i]! / 255) - meant(i)) ** 2;
    // A mean of 25 numbers varies a fifth as much, one of nine at a corner a third.
    expect(Math.sqrt(sum / count)).toBeLessThan(deviation / 3);
  });
});

describe('tones', () => {
  it('rise with light and never leave the screen', () => {
    let before = -1;
    for (let light = 0; light < 50; light += 0.01) {
      const tone = toneMap(light);
      expect(tone).toBeGreaterThan(before);
      expect(tone).toBeLessThan(1);
      before = tone;
    }
  });

  it('are the same bytes by the table as by the formula', () => {
    for (let k = 0; k <= 100_000; k++) {
      const light = (1.1 * k) / 100_000;
      expect(Math.abs(quickByte(light) - toByte(light))).toBe(0);
    }
  });

  it('bytes of sRGB survive the way to linear light and back', () => {
    for (let byte = 0; byte < 256; byte++) expect(toByte(toLinear(byte / 255))).toBe(byte);
  });
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.[]/°³';

/** Reads a text from a picture by comparing it with every letter in turn; the pen moves as when writing. */
function read(picture: Picture, x: number, y: number, scale: number, end: number): string {
  let text = '';
  let pen = x;
  while (pen < end - 0.5 * scale) {
    const candidates = [...LETTERS, ' '].map((letter) => {
      const trial = blank(picture.width, picture.height, 250);
      drawText(trial, letter, pen, y, { scale, color: [34, 38, 44] });
      const width = Math.max(3, textWidth(letter)) * scale;
      let difference = 0;
      let count = 0;
      for (let j = Math.floor(y - 9 * scale); j < y + 3 * scale; j++) {
        for (let i = Math.floor(pen - 0.7 * scale); i < pen + width + 0.2 * scale; i++) {
          if (i < 0 || i >= picture.width || j >= picture.height) continue;
          const at = 3 * (j * picture.width + i);
          difference += Math.abs(trial.pixels[at]! - picture.pixels[at]!);
          count++;
        }
      }
      return { letter, difference: difference / count };
    });
    const best = candidates.reduce((a, b) => (b.difference < a.difference ? b : a));
    text += best.letter;
    pen += (textWidth(best.letter) + 1.5) * scale;
  }
  return text;
}

describe('legends', () => {
  it.each([
    [{ name: 'speed', unit: 'm/s', from: 0, to: 3.2 }, ['speed [m/s]', '0', '1', '2', '3']],
    [{ name: 'stress', unit: 'Pa', from: 0, to: 183_000 }, ['stress [kPa]', '0', '50', '100', '150']],
    [
      { name: 'density', unit: 'kg/m3', from: 990, to: 1010 },
      ['density [kg/m³]', '990', '995', '1000', '1005', '1010'],
    ],
    [{ name: 'temperature', unit: '°C', from: -12, to: 11 }, ['temperature [°C]', '-10', '-5', '0', '5', '10']],
  ])('%j can be read', (legend, texts) => {
    const picture = blank(640, 360, 250);
    drawLegend(picture, legend);
    const { texts: placed, style } = layoutLegend(legend, picture);
    expect(placed.map(({ text }) => text)).toEqual(texts);
    for (const { text, x, y } of placed) {
      expect(read(picture, x, y, style.scale, x + textWidth(text) * style.scale)).toBe(text);
    }
  });

  it('stay inside the picture, whatever its size', () => {
    for (const [width, height] of [
      [1280, 720],
      [320, 180],
      [400, 1200],
    ] as const) {
      const { panel } = layoutLegend({ name: 'stress', unit: 'Pa', from: -1e7, to: 3e8 }, { width, height });
      expect(panel.x).toBeGreaterThanOrEqual(0);
      expect(panel.y).toBeGreaterThanOrEqual(0);
      expect(panel.x + panel.width).toBeLessThanOrEqual(width);
      expect(panel.y + panel.height).toBeLessThanOrEqual(height);
    }
  });

  it('have three to eleven round numbers in their range', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        (from, width) => {
          const { positions } = ticks(from, from + width);
          expect(positions.length).toBeGreaterThanOrEqual(2);
          expect(positions.length).toBeLessThanOrEqual(11);
          for (const position of positions) {
            expect(position).toBeGreaterThan(from - 1e-5 * width);
            expect(position).toBeLessThan(from + 1.00001 * width);
          }
        },
      ),
    );
  });
});

describe('videos', () => {
  const files = [60, 140].map((value, i) => {
    const file = join(folder, `p${i}.png`);
    writeFileSync(file, encodePng(blank(32, 18, value)));
    return file;
  });

  it('are animated PNG where there is no ffmpeg', async () => {
    const file = await writeVideo(join(folder, 'clip.mp4'), files, 25, { ffmpeg: false });
    expect(file).toBe(join(folder, 'clip.png'));
    expect(chunkTypes(readFileSync(file))).toContain('acTL');
    expect(existsSync(`${file}.tmp`)).toBe(false);
  });

  it.runIf(hasFfmpeg())('have all pictures where there is one, and say what it did not like', async () => {
    const file = await writeVideo(join(folder, 'clip.mp4'), [...files, ...files], 25);
    const counted = spawnSync('ffmpeg', ['-i', file, '-f', 'null', '-'], { encoding: 'utf8' }).stderr;
    expect(counted).toMatch(/frame=\s*4/);
    await expect(writeVideo(join(folder, 'no', 'clip.mp4'), files, 25)).rejects.toThrow('ffmpeg could not write');
  });
});
