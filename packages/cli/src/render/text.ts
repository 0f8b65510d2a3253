/** Text in pictures: letters as strokes with round ends, drawn smooth at any size. */
import type { Picture } from './picture.js';

/** Units of the strokes: capitals are 7 high, small letters 5; advances include the gap. */
export const CAPITAL = 7;
const GAP = 1.5;

/** Width and strokes: M moves, L draws a line, Q a curve by its control point and end. */
const GLYPHS: Readonly<Record<string, readonly [number, string]>> = {
  ' ': [2, ''],
  '0': [4, 'M2 7Q0 7 0 3.5Q0 0 2 0Q4 0 4 3.5Q4 7 2 7'],
  '1': [3, 'M0.4 5.6L2 7L2 0 M0.6 0L3.2 0'],
  '2': [4, 'M0.1 5.4Q0.3 7 2 7Q3.9 7 3.9 5.2Q3.9 4 2.6 2.6L0 0L4 0'],
  '3': [4, 'M0.2 6Q0.8 7 2 7Q3.8 7 3.8 5.3Q3.8 3.7 1.7 3.7 M1.7 3.7Q4 3.7 4 1.9Q4 0 1.9 0Q0.5 0 0 1.1'],
  '4': [4, 'M3 0L3 7L0 2L4 2'],
  '5': [4, 'M3.6 7L0.6 7L0.3 3.9Q1 4.4 2 4.4Q4 4.4 4 2.2Q4 0 1.9 0Q0.5 0 0 1.1'],
  '6': [4, 'M3.5 6.5Q3 7 2.2 7Q0 7 0 3Q0 0 2 0Q4 0 4 2.2Q4 4.3 2.1 4.3Q0.4 4.3 0.05 2.6'],
  '7': [4, 'M0 7L4 7L1.5 0'],
  '8': [4, 'M2 3.8Q0.2 4 0.2 5.4Q0.2 7 2 7Q3.8 7 3.8 5.4Q3.8 4 2 3.8Q0 3.5 0 1.8Q0 0 2 0Q4 0 4 1.8Q4 3.5 2 3.8'],
  '9': [4, 'M0.5 0.5Q1 0 1.8 0Q4 0 4 4Q4 7 2 7Q0 7 0 4.8Q0 2.7 1.9 2.7Q3.6 2.7 3.95 4.4'],
  A: [5, 'M0 0L2.5 7L5 0 M0.9 2.4L4.1 2.4'],
  B: [4, 'M0 0L0 7L2.1 7Q3.7 7 3.7 5.3Q3.7 3.7 2.1 3.7L0 3.7 M2.1 3.7Q4 3.7 4 1.8Q4 0 2.1 0L0 0'],
  C: [5, 'M5 5.8Q4.2 7 2.8 7Q0 7 0 3.5Q0 0 2.8 0Q4.2 0 5 1.2'],
  D: [5, 'M0 0L0 7L2 7Q5 7 5 3.5Q5 0 2 0L0 0'],
  E: [4, 'M4 0L0 0L0 7L4 7 M0 3.7L3.3 3.7'],
  F: [4, 'M0 0L0 7L4 7 M0 3.6L3.2 3.6'],
  G: [5, 'M4.8 5.9Q4.1 7 2.8 7Q0 7 0 3.5Q0 0 2.8 0Q5 0 5 2.4L5 3.2L3 3.2'],
  H: [5, 'M0 0L0 7 M5 0L5 7 M0 3.7L5 3.7'],
  I: [1, 'M0.5 0L0.5 7'],
  J: [3, 'M3 7L3 2Q3 0 1.4 0Q0.2 0 0 1.3'],
  K: [5, 'M0 0L0 7 M4.6 7L0 2.6 M1.7 4.2L4.8 0'],
  L: [4, 'M0 7L0 0L3.8 0'],
  M: [6, 'M0 0L0 7L3 2.2L6 7L6 0'],
  N: [5, 'M0 0L0 7L5 0L5 7'],
  O: [5.4, 'M2.7 7Q0 7 0 3.5Q0 0 2.7 0Q5.4 0 5.4 3.5Q5.4 7 2.7 7'],
  P: [4, 'M0 0L0 7L2.1 7Q4 7 4 5.1Q4 3.2 2.1 3.2L0 3.2'],
  Q: [5.4, 'M2.7 7Q0 7 0 3.5Q0 0 2.7 0Q5.4 0 5.4 3.5Q5.4 7 2.7 7 M3.4 1.6L5.4 -0.5'],
  R: [4.4, 'M0 0L0 7L2.1 7Q4 7 4 5.2Q4 3.4 2.1 3.4L0 3.4 M2.2 3.4L4.4 0'],
  S: [4, 'M3.8 6Q3.2 7 2 7Q0.2 7 0.2 5.3Q0.2 4 2 3.6Q4 3.1 4 1.8Q4 0 2 0Q0.6 0 0 1.1'],
  T: [5, 'M0 7L5 7 M2.5 7L2.5 0'],
  U: [5, 'M0 7L0 2.5Q0 0 2.5 0Q5 0 5 2.5L5 7'],
  V: [5, 'M0 7L2.5 0L5 7'],
  W: [7, 'M0 7L1.8 0L3.5 6L5.2 0L7 7'],
  X: [5, 'M0 0L5 7 M0 7L5 0'],
  Y: [5, 'M0 7L2.5 3.5L5 7 M2.5 3.5L2.5 0'],
  Z: [4.6, 'M0 7L4.6 7L0 0L4.6 0'],
  a: [3.8, 'M0.3 4.2Q0.8 5 2 5Q3.8 5 3.8 3.3L3.8 0 M3.8 2.9L2 2.8Q0 2.7 0 1.3Q0 0 1.5 0Q3.2 0 3.8 1.6'],
  b: [4, 'M0 0L0 7 M0 2.5Q0 5 2.1 5Q4 5 4 2.5Q4 0 2.1 0Q0 0 0 2.5'],
  c: [3.6, 'M3.6 4.2Q3 5 2 5Q0 5 0 2.5Q0 0 2 0Q3 0 3.6 0.8'],
  d: [4, 'M4 0L4 7 M4 2.5Q4 5 1.9 5Q0 5 0 2.5Q0 0 1.9 0Q4 0 4 2.5'],
  e: [4, 'M0.1 2.6L4 2.6Q4 5 2 5Q0 5 0 2.5Q0 0 2.1 0Q3.3 0 3.8 0.9'],
  f: [2.6, 'M2.7 6.8Q1 7.3 1 5.6L1 0 M0 5L2.5 5'],
  g: [4, 'M4 5L4 0Q4 -2 2 -2Q0.8 -2 0.3 -1.2 M4 2.5Q4 5 1.9 5Q0 5 0 2.5Q0 0.1 1.9 0.1Q4 0.1 4 2.5'],
  h: [4, 'M0 0L0 7 M0 2.8Q0 5 2 5Q4 5 4 3L4 0'],
  i: [1, 'M0.5 0L0.5 5 M0.5 6.8L0.5 6.9'],
  j: [1.5, 'M1 5L1 -0.6Q1 -2 -0.4 -1.9 M1 6.8L1 6.9'],
  k: [3.8, 'M0 0L0 7 M3.5 5L0 1.8 M1.4 3.1L3.8 0'],
  l: [1.3, 'M0.4 7L0.4 1.2Q0.4 0 1.4 0'],
  m: [6.4, 'M0 0L0 5 M0 3Q0.1 5 1.8 5Q3.2 5 3.2 3.2L3.2 0 M3.2 3Q3.3 5 5 5Q6.4 5 6.4 3.2L6.4 0'],
  n: [4, 'M0 0L0 5 M0 2.8Q0 5 2 5Q4 5 4 3L4 0'],
  o: [4.2, 'M2.1 5Q0 5 0 2.5Q0 0 2.1 0Q4.2 0 4.2 2.5Q4.2 5 2.1 5'],
  p: [4, 'M0 -2L0 5 M0 2.5Q0 5 2.1 5Q4 5 4 2.5Q4 0 2.1 0Q0 0 0 2.5'],
  q: [4, 'M4 -2L4 5 M4 2.5Q4 5 1.9 5Q0 5 0 2.5Q0 0 1.9 0Q4 0 4 2.5'],
  r: [2.4, 'M0 0L0 5 M0 2.6Q0.1 5 2.4 4.9'],
  s: [3.4, 'M3.2 4.3Q2.7 5 1.7 5Q0.2 5 0.2 3.8Q0.2 2.8 1.7 2.6Q3.4 2.3 3.4 1.2Q3.4 0 1.7 0Q0.5 0 0 0.8'],
  t: [2.6, 'M1 6.6L1 1.2Q1 -0.2 2.6 0.1 M0 5L2.5 5'],
  u: [4, 'M0 5L0 2Q0 0 2 0Q4 0 4 2.2 M4 5L4 0'],
  v: [4, 'M0 5L2 0L4 5'],
  w: [6, 'M0 5L1.5 0L3 4.4L4.5 0L6 5'],
  x: [3.8, 'M0 0L3.8 5 M0 5L3.8 0'],
  y: [4, 'M0 5L2.1 0 M4 5L1.5 -1.2Q1.1 -2.1 0.1 -1.9'],
  z: [3.6, 'M0 5L3.6 5L0 0L3.6 0'],
  '.': [0.8, 'M0.4 0L0.4 0.1'],
  ',': [0.8, 'M0.5 0.2L0.1 -1.2'],
  ':': [0.8, 'M0.4 0.4L0.4 0.5 M0.4 4L0.4 4.1'],
  '-': [2.8, 'M0.2 2.8L2.6 2.8'],
  '+': [4, 'M0 3L4 3 M2 1L2 5'],
  '=': [4, 'M0 2L4 2 M0 4L4 4'],
  '/': [2.6, 'M0 -0.8L2.6 7.4'],
  '(': [1.6, 'M1.6 7.6Q0 5.6 0 3Q0 0.4 1.6 -1.6'],
  ')': [1.6, 'M0 7.6Q1.6 5.6 1.6 3Q1.6 0.4 0 -1.6'],
  '[': [1.5, 'M1.5 7.6L0 7.6L0 -1.4L1.5 -1.4'],
  ']': [1.5, 'M0 7.6L1.5 7.6L1.5 -1.4L0 -1.4'],
  '%': [
    5.4,
    'M0.4 0L5 7 M1.2 7Q0 7 0 5.6Q0 4.2 1.2 4.2Q2.4 4.2 2.4 5.6Q2.4 7 1.2 7 M4.2 2.8Q3 2.8 3 1.4Q3 0 4.2 0Q5.4 0 5.4 1.4Q5.4 2.8 4.2 2.8',
  ],
  '°': [2, 'M1 7.2Q0 7.2 0 6.2Q0 5.2 1 5.2Q2 5.2 2 6.2Q2 7.2 1 7.2'],
  '²': [2, 'M0 6.7Q0.2 7.4 1 7.4Q1.9 7.4 1.9 6.6Q1.9 6 1.2 5.4L0 4.2L2 4.2'],
  '³': [2, 'M0.1 7Q0.4 7.4 1 7.4Q1.8 7.4 1.8 6.7Q1.8 6 0.9 6Q2 6 2 5.1Q2 4.2 1 4.2Q0.3 4.2 0 4.7'],
  _: [4, 'M0 -1L4 -1'],
  '?': [3.6, 'M0 5.6Q0.2 7 1.8 7Q3.6 7 3.6 5.4Q3.6 4.2 2.4 3.5Q1.7 3 1.7 2 M1.7 0L1.7 0.1'],
  '!': [0.8, 'M0.4 7L0.4 2 M0.4 0L0.4 0.1'],
};

/** Segments of a glyph, x0 y0 x1 y1 each. */
function segmentsOf(strokes: string): number[] {
  const out: number[] = [];
  let [x, y] = [0, 0];
  for (const [, command, rest] of strokes.matchAll(/([MLQ])([^MLQ]*)/g)) {
    const n = rest!.trim().split(/\s+/).map(Number);
    const [endX, endY] = [n.at(-2)!, n.at(-1)!];
    if (command === 'L') out.push(x, y, endX, endY);
    if (command === 'Q') {
      let [fromX, fromY] = [x, y];
      for (let k = 1; k <= 8; k++) {
        const t = k / 8;
        const at = (a: number, b: number, c: number) => (1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c;
        const [toX, toY] = [at(x, n[0]!, endX), at(y, n[1]!, endY)];
        out.push(fromX, fromY, toX, toY);
        [fromX, fromY] = [toX, toY];
      }
    }
    [x, y] = [endX, endY];
  }
  return out;
}

const SEGMENTS = new Map(Object.entries(GLYPHS).map(([letter, [, strokes]]) => [letter, segmentsOf(strokes)]));

/** Letters that are not there are shown as question marks. */
function glyph(letter: string): string {
  return letter in GLYPHS ? letter : '?';
}

/** Of a text, in units of the strokes. */
export function textWidth(text: string): number {
  const widths = [...text].map((letter) => GLYPHS[glyph(letter)]![0] + GAP);
  return Math.max(0, widths.reduce((sum, width) => sum + width, 0) - GAP);
}

export interface TextStyle {
  /** Pixels per unit of the strokes. */
  readonly scale: number;
  /** Bytes of sRGB. */
  readonly color: readonly [number, number, number];
}

/** Draws a text with its baseline at y, from x to the right [pixels]. */
export function drawText(picture: Picture, text: string, x: number, y: number, { scale, color }: TextStyle): void {
  const radius = Math.max(0.55, 0.42 * scale);
  let pen = x;
  for (const letter of text) {
    const own = glyph(letter);
    drawStrokes(picture, SEGMENTS.get(own)!, pen, y, scale, radius, color);
    pen += (GLYPHS[own]![0] + GAP) * scale;
  }
}

function drawStrokes(
  { width, height, pixels }: Picture,
  segments: readonly number[],
  x: number,
  y: number,
  scale: number,
  radius: number,
  color: readonly [number, number, number],
): void {
  if (segments.length === 0) return;
  const px = segments.map((value, i) => (i % 2 === 0 ? x + scale * value : y - scale * value));
  const xs = px.filter((_, i) => i % 2 === 0);
  const ys = px.filter((_, i) => i % 2 === 1);
  const reach = radius + 1;
  const [left, right] = [
    Math.max(0, Math.floor(Math.min(...xs) - reach)),
    Math.min(width - 1, Math.ceil(Math.max(...xs) + reach)),
  ];
  const [top, bottom] = [
    Math.max(0, Math.floor(Math.min(...ys) - reach)),
    Math.min(height - 1, Math.ceil(Math.max(...ys) + reach)),
  ];
  for (let j = top; j <= bottom; j++) {
    for (let i = left; i <= right; i++) {
      let nearest = Infinity;
      for (let s = 0; s < px.length; s += 4) {
        nearest = Math.min(nearest, distanceTo(i + 0.5, j + 0.5, px[s]!, px[s + 1]!, px[s + 2]!, px[s + 3]!));
      }
      const cover = Math.min(1, Math.max(0, radius + 0.5 - nearest));
      if (cover > 0) blend(pixels, 3 * (j * width + i), color, cover);
    }
  }
}

function distanceTo(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const t = square > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
  const [rx, ry] = [x - ax - t * dx, y - ay - t * dy];
  return Math.sqrt(rx * rx + ry * ry);
}

/** Mixes a colour into a pixel. */
export function blend(pixels: Uint8Array, at: number, color: readonly [number, number, number], share: number): void {
  for (let k = 0; k < 3; k++) pixels[at + k] = Math.round(pixels[at + k]! + share * (color[k]! - pixels[at + k]!));
}
