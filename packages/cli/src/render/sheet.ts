/** Many pictures on one sheet, each with its name below. */
import type { Picture } from './picture.js';
import { CAPITAL, drawText, textWidth } from './text.js';

export interface SheetItem {
  readonly name: string;
  readonly picture: Picture;
}

const PAPER = 250;
const INK = [50, 54, 60] as const;

/** Pictures of one size in rows of `columns`. */
export function composeSheet(items: readonly SheetItem[], columns: number): Picture {
  const first = items[0]?.picture;
  if (!first) throw new RangeError('a sheet needs at least one picture');
  const { width: w, height: h } = first;
  const gap = Math.round(0.03 * w);
  const scale = Math.max(1.15, w / 230);
  const caption = Math.round(2.4 * CAPITAL * scale);
  const across = Math.min(columns, items.length);
  const width = gap + across * (w + gap);
  const height = gap + Math.ceil(items.length / across) * (h + caption + gap);
  const sheet: Picture = { width, height, pixels: new Uint8Array(3 * width * height).fill(PAPER) };
  for (const [k, { name, picture }] of items.entries()) {
    if (picture.width !== w || picture.height !== h) throw new RangeError(`${name}: pictures must have one size`);
    const left = gap + (k % across) * (w + gap);
    const top = gap + Math.floor(k / across) * (h + caption + gap);
    for (let y = 0; y < h; y++) {
      sheet.pixels.set(picture.pixels.subarray(3 * y * w, 3 * (y + 1) * w), 3 * ((top + y) * width + left));
    }
    const middle = left + (w - textWidth(name) * scale) / 2;
    drawText(sheet, name, middle, top + h + 1.7 * CAPITAL * scale, { scale, color: INK });
  }
  return sheet;
}
