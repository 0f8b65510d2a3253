/** Pictures of the studio, and how far two of them are apart. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Picture } from '../../cli/src/render/picture.js';
import { decodePng, encodePng } from '../../cli/src/render/png.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const FOLDER = join(root, 'packages', 'studio', 'test', 'pictures', 'examples');
/** Where pictures that differ are put, to be looked at. */
export const DIFFERENT = join(root, 'node_modules', '.cache', 'phyxel', 'pictures');

export const WIDTH = 480;
export const HEIGHT = 270;
/** Pixels whose red, green or blue is further off than this have changed. */
const STEP = 24;
/** Share of pixels that may: edges fall differently with another driver. A body of 26 by 26 pixels is more. */
export const TOLERANCE = 0.005;

/** From four bytes a pixel. Colours in steps of 8 make the file half as large. */
export function pictureFrom(rgba: ArrayLike<number>): Picture {
  const pixels = new Uint8Array(3 * WIDTH * HEIGHT);
  for (let i = 0; i < WIDTH * HEIGHT; i++) {
    for (let k = 0; k < 3; k++) pixels[3 * i + k] = (rgba[4 * i + k]! & 0xf8) + 4;
  }
  return { width: WIDTH, height: HEIGHT, pixels };
}

/** Share of the pixels that differ. */
export function difference(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let changed = 0;
  for (let i = 0; i < a.pixels.length; i += 3) {
    if ([0, 1, 2].some((k) => Math.abs(a.pixels[i + k]! - b.pixels[i + k]!) > STEP)) changed++;
  }
  return changed / (a.width * a.height);
}

export function readPicture(name: string): Picture | undefined {
  const file = join(FOLDER, `${name}.png`);
  return existsSync(file) ? decodePng(readFileSync(file), file) : undefined;
}

export function writePicture(folder: string, name: string, picture: Picture): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.png`);
  writeFileSync(file, encodePng(picture));
  return file;
}
