/** Log-log plots as SVG that stands alone: no scripts, no fonts or files from elsewhere, light and dark. */
import { escapeXml } from '../escape-xml.js';

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** Shown when the mouse rests on the point. */
  readonly title: string;
  /** Written beside the point. */
  readonly label?: string;
  /** What it should be below: a short bar. */
  readonly goal?: number | undefined;
}

export interface PlotLine {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

export interface PlotPanel {
  readonly title: string;
  readonly lines: readonly PlotLine[];
}

export interface PlotFigure {
  readonly title: string;
  readonly subtitle: string;
  readonly xLabel: string;
  readonly panels: readonly PlotPanel[];
  /** Where x has its ticks: at the points of each panel, or at powers of ten. */
  readonly xTicks: 'points' | 'decades';
  /** Guides that fall as x to the minus this. */
  readonly orders?: readonly number[];
}

const PANEL = { height: 250, left: 52, right: 14, top: 30, bottom: 40 };
const HEADER = 78;
const WIDTH = 900;
const PER_ROW = 3;

/** Series keep their colour and mark in every figure. */
const SERIES = ['quadratic', 'linear', 'quadratic, irregular'];
const COLOURS = 6;

const STYLE = `
.plot { --surface: #fcfcfb; --ink: #16150f; --soft: #5c5a53; --grid: #e6e4de; --frame: #bdbab1;
  --c0: #2a6fd0; --c1: #d9622b; --c2: #178a63; --c3: #8a4fc4; --c4: #b3324f; --c5: #6b6a63;
  font-family: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', sans-serif; }
@media (prefers-color-scheme: dark) {
  .plot { --surface: #191917; --ink: #f3f1ea; --soft: #b6b3a8; --grid: #2e2d29; --frame: #55534c;
    --c0: #6aa5f2; --c1: #f08a55; --c2: #45c296; --c3: #bd92ec; --c4: #ee7d95; --c5: #a9a79d; }
}
.plot text { fill: var(--soft); font-size: 11px; }
.plot .title { fill: var(--ink); font-size: 15px; font-weight: 600; }
.plot .panel { fill: var(--ink); font-size: 12px; font-weight: 600; }
.plot .grid { stroke: var(--grid); stroke-width: 1; }
.plot .guide { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 4; fill: none; }
.plot .guideText { font-size: 10px; font-style: italic; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.plot .mark { stroke: var(--surface); stroke-width: 1.5; }
.plot .goal { stroke-width: 3; opacity: 0.45; }
${Array.from({ length: COLOURS }, (_, k) => `.plot .s${k} { --c: var(--c${k}); }`).join('\n')}
.plot .line, .plot .goal { stroke: var(--c); }
.plot .mark { fill: var(--c); }
`;

export function drawFigure(figure: PlotFigure): string {
  const { panels } = figure;
  const columns = Math.min(PER_ROW, panels.length);
  const rows = Math.ceil(panels.length / columns);
  const width = WIDTH;
  const panelWidth = Math.min(WIDTH / columns, 560);
  const height = HEADER + rows * PANEL.height;
  const points = panels.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const xs = points.map(({ x }) => x);
  const xRange: Range =
    figure.xTicks === 'points'
      ? [Math.min(...xs) / 1.15, Math.max(...xs) * 1.15]
      : [Math.min(...xs) / 1.6, Math.max(...xs) * 1.6];
  const ys = points.flatMap(({ y, goal }) => [y, goal ?? y]);
  // At least two powers of ten, so that the axis has numbers.
  const yRange: Range = [Math.min(...ys, Math.max(...ys) / 20) / 1.5, Math.max(...ys) * 1.5];
  const names = [...new Set(panels.flatMap(({ lines }) => lines.map(({ name }) => name)))].sort(
    (a, b) => rank(a) - rank(b),
  );
  const body = panels.map((panel, k) => {
    const [x, y] = [(k % columns) * panelWidth, HEADER + Math.floor(k / columns) * PANEL.height];
    return `<g transform="translate(${x} ${y})">${drawPanel(panel, figure, { names, xRange, yRange, width: panelWidth })}</g>`;
  });
  return [
    `<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(figure.title)}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="var(--surface)" rx="6"/>`,
    `<text class="title" x="14" y="24">${escapeXml(figure.title)}</text>`,
    `<text x="14" y="42">${escapeXml(figure.subtitle)}</text>`,
    drawLegend(
      names,
      points.some(({ goal }) => goal !== undefined),
    ),
    ...body,
    '</svg>\n',
  ].join('\n');
}

type Range = readonly [number, number];

/** Known series first, in their order. */
function rank(name: string): number {
  const known = SERIES.indexOf(name);
  return known < 0 ? SERIES.length : known;
}

/** Number of the colour and mark of a series. */
function styleOf(name: string, names: readonly string[]): number {
  const known = SERIES.indexOf(name);
  if (known >= 0) return known;
  return names.filter((other) => !SERIES.includes(other)).indexOf(name) % COLOURS;
}

function drawLegend(names: readonly string[], goals: boolean): string {
  let x = 14;
  const parts: string[] = [];
  const entry = (swatch: string, text: string) => {
    parts.push(`<g transform="translate(${x} 60)">${swatch}<text x="30" y="4">${escapeXml(text)}</text></g>`);
    x += 30 + 6.2 * text.length + 18;
  };
  for (const name of names) {
    const style = styleOf(name, names);
    entry(`<g class="s${style}"><path class="line" d="M0 0H24"/>${mark(style, 12, 0)}</g>`, name);
  }
  if (goals) entry('<g class="s5"><path class="goal" d="M2 0H22"/></g>', 'to be reached');
  return parts.join('');
}

/** What the panels of a figure share. */
interface Frame {
  readonly names: readonly string[];
  readonly xRange: Range;
  readonly yRange: Range;
  readonly width: number;
}

function drawPanel(panel: PlotPanel, figure: PlotFigure, { names, xRange, yRange, width }: Frame): string {
  const [left, right] = [PANEL.left, width - PANEL.right];
  const [top, bottom] = [PANEL.top, PANEL.height - PANEL.bottom];
  const x = logScale(xRange, [left, right]);
  const y = logScale(yRange, [bottom, top]);
  const parts = [`<text class="panel" x="${left}" y="${top - 10}">${escapeXml(panel.title)}</text>`];
  for (const tick of decades(yRange)) {
    parts.push(`<path class="grid" d="M${left} ${n(y(tick))}H${right}"/>`);
    parts.push(`<text x="${left - 6}" y="${n(y(tick) + 4)}" text-anchor="end">${percent(tick)}</text>`);
  }
  const ticks = figure.xTicks === 'points' ? ticksAt(panel) : decades(xRange);
  for (const tick of ticks) {
    parts.push(`<path class="grid" d="M${n(x(tick))} ${top}V${bottom}"/>`);
    parts.push(`<text x="${n(x(tick))}" y="${bottom + 15}" text-anchor="middle">${Number(tick.toPrecision(3))}</text>`);
  }
  parts.push(
    `<text x="${(left + right) / 2}" y="${bottom + 31}" text-anchor="middle">${escapeXml(figure.xLabel)}</text>`,
  );
  parts.push(...drawGuides(figure.orders ?? [], x, y, xRange, yRange));
  for (const { name, points } of panel.lines) {
    const style = styleOf(name, names);
    const path = points.map((point, k) => `${k === 0 ? 'M' : 'L'}${n(x(point.x))} ${n(y(point.y))}`).join('');
    const goals = points.flatMap((point) =>
      point.goal === undefined ? [] : [`<path class="goal" d="M${n(x(point.x) - 8)} ${n(y(point.goal))}h16"/>`],
    );
    const marks = points.map((point) => {
      const [px, py] = [x(point.x), y(point.y)];
      const text = point.label ? `<text x="${n(px + 7)}" y="${n(py - 5)}">${escapeXml(point.label)}</text>` : '';
      return `<g><title>${escapeXml(point.title)}</title>${mark(style, px, py)}${text}</g>`;
    });
    parts.push(`<g class="s${style}">${goals.join('')}<path class="line" d="${path}"/>${marks.join('')}</g>`);
  }
  return parts.join('\n');
}

/** Short straight lines of a known order in the lower left corner, to hold the curves against. */
function drawGuides(orders: readonly number[], x: Scale, y: Scale, xRange: Range, yRange: Range): string[] {
  const start = { x: xRange[0] * 1.08, y: yRange[0] * (yRange[1] / yRange[0]) ** 0.3 };
  const reach = 1.5;
  return orders.flatMap((order, k) => {
    const end = Math.min(start.x * reach, start.x * (start.y / yRange[0] / 1.2) ** (1 / order));
    const [ex, ey] = [x(end), y(start.y * (end / start.x) ** -order)];
    return [
      `<path class="guide" d="M${n(x(start.x))} ${n(y(start.y))}L${n(ex)} ${n(ey)}"/>`,
      `<text class="guideText" x="${n(ex + 3)}" y="${n(ey + 1 + 6 * k)}">order ${order}</text>`,
    ];
  });
}

/** Circle, square, diamond, triangle, cross-wise again. */
function mark(style: number, x: number, y: number): string {
  switch (style % 4) {
    case 0:
      return `<circle class="mark" cx="${n(x)}" cy="${n(y)}" r="4.5"/>`;
    case 1:
      return `<rect class="mark" x="${n(x - 4)}" y="${n(y - 4)}" width="8" height="8"/>`;
    case 2:
      return `<path class="mark" d="M${n(x)} ${n(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>`;
    default:
      return `<path class="mark" d="M${n(x)} ${n(y - 5.5)}l5.5 9.5h-11z"/>`;
  }
}

type Scale = (value: number) => number;

function logScale([from, to]: Range, [start, end]: Range): Scale {
  const span = Math.log(to / from);
  return (value) => start + (Math.log(value / from) / span) * (end - start);
}

function decades([from, to]: Range): number[] {
  const list: number[] = [];
  for (let k = Math.ceil(Math.log10(from)); k <= Math.floor(Math.log10(to)); k++) list.push(10 ** k);
  return list;
}

/** Ticks at the points of a panel that are not too near to each other to be read. */
function ticksAt({ lines }: PlotPanel): number[] {
  const kept: number[] = [];
  const values = lines.flatMap(({ points }) => points.map(({ x }) => x)).sort((a, b) => a - b);
  for (const value of values) {
    if (kept.length === 0 || value / kept.at(-1)! > 1.12) kept.push(value);
  }
  return kept;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** Coordinates to a tenth of a pixel. */
function n(x: number): string {
  return String(Math.round(10 * x) / 10);
}
