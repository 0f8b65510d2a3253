/** Elements in one expression. */
type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | ((event: never) => void) | undefined>>;

/** Keys that are functions listen to events; `true` sets an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Icons of 20 by 20, drawn as strokes. */
const ICONS = {
  play: 'M6 4l10 6-10 6z',
  pause: 'M6 4h3v12H6zM11 4h3v12h-3z',
  step: 'M5 4l8 6-8 6zM15 4v12',
  reset: 'M4 10a6 6 0 1 0 2-4.5M4 3v4h4',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M7 5L4 8l3 3',
  redo: 'M16 8H8a4 4 0 0 0 0 8h4M13 5l3 3-3 3',
  open: 'M3 6v10h14V8H9L7 6z',
  gallery: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  export: 'M10 3v9M6 8l4 4 4-4M4 16h12',
  frame: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4',
  focus: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M10 7.5a2.5 2.5 0 1 0 .01 0z',
  follow: 'M10 6a4 4 0 1 0 .01 0zM10 2v3M10 15v3M2 10h3M15 10h3',
  notes: 'M4 4h12v9H9l-3 3v-3H4zM7 7.5h6M7 10h4',
  search: 'M9 4a5 5 0 1 0 .01 0zM12.5 12.5L17 17',
  theme: 'M10 3a7 7 0 1 0 7 7 5 5 0 0 1-7-7z',
  help: 'M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7M10 14.5v.5',
  close: 'M5 5l10 10M15 5L5 15',
  trash: 'M4 6h12M8 6V4h4v2M6 6l1 10h6l1-10',
} as const;
export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon', `icon-${name}`);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon and a name that screen readers and tooltips tell. */
export function iconButton(name: IconName, label: string, onClick: () => void, shortcut?: string): HTMLButtonElement {
  const title = shortcut ? `${label} (${shortcut})` : label;
  return h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title, click: onClick }, icon(name));
}

/** Up to three digits that count, with the units that people use. */
function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.abs(value) >= 1e5 ? 1 : 1).replace('e+', 'e');
  return String(Number(value.toPrecision(3)));
}

const PREFIXES: readonly (readonly [number, string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
];

/** With prefixes where the unit takes them. */
export function formatUnit(value: number, unit: string): string {
  if (unit === '1') return formatNumber(value);
  if (!['Pa', 'J', 'N', 'W'].includes(unit)) return `${formatNumber(value)} ${unit}`;
  const [scale, prefix] = PREFIXES.find(([size]) => Math.abs(value) >= size * 0.9995) ?? [1, ''];
  return `${Number((value / scale).toPrecision(3))} ${prefix}${unit}`;
}
