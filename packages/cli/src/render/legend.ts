/** The legend of a coloured picture: what the colours stand for, from where to where. */
import { mapColor } from 'phyxel';
import { type Picture, toByte } from './picture.js';
import { blend, CAPITAL, drawText, type TextStyle, textWidth } from './text.js';

export interface Legend {
  readonly name: string;
  readonly unit: string;
  readonly from: number;
  readonly to: number;
}

export interface LegendText {
  readonly text: string;
  /** Left end and baseline [pixels]. */
  readonly x: number;
  readonly y: number;
}

/** Where everything of a legend is [pixels]. */
export interface LegendLayout {
  readonly panel: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly bar: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly marks: readonly number[];
  readonly texts: readonly LegendText[];
  readonly style: TextStyle;
}

const INK = [34, 38, 44] as const;
const PAPER = [250, 250, 249] as const;

const PREFIXES: readonly (readonly [string, number])[] = [
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
  ['', 1],
  ['m', 1e-3],
];

export function layoutLegend(legend: Legend, { width, height }: Pick<Picture, 'width' | 'height'>): LegendLayout {
  // Letters of a fiftieth of the height, and never too small to read.
  const scale = Math.max(1.15, Math.min(height / 350, width / 420));
  const unit = chooseUnit(legend);
  const line = 1.75 * CAPITAL * scale;
  // Small pictures have little room: there it is in the very corner.
  const margin = Math.min(2.2 * CAPITAL * scale, 0.035 * height);
  const inset = 1.3 * CAPITAL * scale;
  const bar = {
    x: margin + inset,
    y: height - margin - inset - line - CAPITAL * scale * 0.9,
    width: Math.max(60, Math.min(0.3 * width, 42 * CAPITAL * scale)),
    height: 1.2 * CAPITAL * scale,
  };
  const title = unit.name === '' ? legend.name : `${legend.name} [${unit.name}]`;
  const texts: LegendText[] = [{ text: title, x: bar.x, y: bar.y - 0.9 * CAPITAL * scale }];
  const marks: number[] = [];
  const values = ticks(legend.from / unit.size, legend.to / unit.size);
  for (const value of values.positions) {
    const share = (value * unit.size - legend.from) / (legend.to - legend.from);
    const x = bar.x + share * bar.width;
    const text = value.toFixed(values.digits).replace(/^-(0(\.0*)?)$/, '$1');
    marks.push(x);
    texts.push({ text, x: x - (textWidth(text) * scale) / 2, y: bar.y + bar.height + line });
  }
  const right = Math.max(bar.x + bar.width, ...texts.map(({ text, x }) => x + textWidth(text) * scale));
  const top = bar.y - 0.9 * CAPITAL * scale - CAPITAL * scale - inset;
  const panel = { x: margin, y: top, width: right + inset - margin, height: height - margin - top };
  return { panel, bar, marks, texts, style: { scale, color: INK } };
}

export function drawLegend(picture: Picture, legend: Legend): void {
  const { panel, bar, marks, texts, style } = layoutLegend(legend, picture);
  fill(picture, panel, () => PAPER, 0.82);
  fill(picture, bar, (share) => mapColor(share).map(toByte) as unknown as Bytes, 1);
  const thick = Math.max(1, Math.round(0.5 * style.scale));
  for (const x of marks) {
    const mark = { x: Math.round(x) - thick / 2, y: bar.y + bar.height, width: thick, height: 3 * style.scale };
    fill(picture, mark, () => INK, 1);
  }
  for (const { text, x, y } of texts) drawText(picture, text, x, y, style);
}

type Bytes = readonly [number, number, number];

/** A rectangle with smooth sides; its colour depends on how far to the right it is. */
function fill(
  { width, height, pixels }: Picture,
  box: LegendLayout['bar'],
  color: (share: number) => Bytes,
  opacity: number,
): void {
  const covered = (from: number, to: number, at: number) => Math.max(0, Math.min(to, at + 1) - Math.max(from, at));
  for (let y = Math.max(0, Math.floor(box.y)); y < Math.min(height, box.y + box.height); y++) {
    const down = covered(box.y, box.y + box.height, y);
    for (let x = Math.max(0, Math.floor(box.x)); x < Math.min(width, box.x + box.width); x++) {
      const share = (x + 0.5 - box.x) / box.width;
      blend(pixels, 3 * (y * width + x), color(share), opacity * down * covered(box.x, box.x + box.width, x));
    }
  }
}

/** Pascals and metres per second with a prefix that keeps numbers short. */
function chooseUnit({ unit, from, to }: Legend): { name: string; size: number } {
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const canHavePrefix = unit === 'Pa' || (unit === 'm/s' && largest < 0.05);
  if (!canHavePrefix) return { name: unit.replace('m3', 'm³'), size: 1 };
  const [prefix, size] = PREFIXES.find(([, power]) => largest >= power) ?? PREFIXES.at(-1)!;
  return { name: prefix + unit, size };
}

/** Three to six round numbers in a range. */
export function ticks(from: number, to: number): { positions: number[]; digits: number } {
  const raw = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  const step = power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const positions: number[] = [];
  for (let k = Math.ceil(from / step - 1e-6); k * step <= to + 1e-6 * step; k++) positions.push(k * step);
  return { positions, digits };
}
