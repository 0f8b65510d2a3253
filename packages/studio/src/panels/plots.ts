/** Curves of what happens: energies and the time that frames take. */
import type { WorldFrame } from 'phyxel/browser';
import { formatUnit, h } from '../dom.js';

/** Windows that are lower begin with the curves folded up [pixels]. */
const LOW = 800;
const STORED = 'phyxel-plots';
/** Frames that a plot shows. */
const WINDOW = 240;

interface Curve {
  readonly label: string;
  /** Name of the colour in the style sheet. */
  readonly color: string;
  readonly value: (frame: WorldFrame) => number;
}

class Plot {
  readonly title: string;
  readonly element: HTMLElement;
  readonly #canvas = h('canvas', { 'aria-hidden': 'true' });
  readonly #curves: readonly Curve[];
  readonly #unit: string;
  readonly #outputs: HTMLElement[];
  readonly #points = new Map<number, number[]>();
  /** The frame that came last. */
  #last = 0;

  constructor(title: string, unit: string, curves: readonly Curve[]) {
    this.title = title;
    this.#curves = curves;
    this.#unit = unit;
    this.#outputs = curves.map(() => h('output', {}, '–'));
    const legend = curves.map(({ label, color }, k) => {
      const mark = h('span', { class: 'mark' });
      mark.style.backgroundColor = `var(${color})`;
      return h('div', { class: 'curve' }, mark, h('span', {}, label), this.#outputs[k]);
    });
    this.element = h(
      'figure',
      { class: 'plot' },
      h('figcaption', {}, title),
      this.#canvas,
      h('div', { class: 'curves' }, ...legend),
    );
  }

  clear(): void {
    this.#points.clear();
  }

  add(frame: WorldFrame): void {
    this.#points.set(
      frame.frame,
      this.#curves.map(({ value }) => value(frame)),
    );
    this.#last = frame.frame;
    this.#points.delete(frame.frame - WINDOW);
  }

  draw(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    if (clientWidth === 0) return;
    const last = this.#points.get(this.#last);
    for (const [k, output] of this.#outputs.entries()) {
      const value = last?.[k] ?? Number.NaN;
      output.textContent = Number.isFinite(value) ? formatUnit(value, this.#unit) : '–';
    }
    const ratio = globalThis.devicePixelRatio;
    this.#canvas.width = clientWidth * ratio;
    this.#canvas.height = clientHeight * ratio;
    const context = this.#canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const frames = [...this.#points.keys()].sort((a, b) => a - b);
    if (frames.length < 2) return;
    const all = frames.flatMap((frame) => this.#points.get(frame)!).filter(Number.isFinite);
    const low = Math.min(0, ...all);
    const high = Math.max(...all, low + 1e-12);
    if (all.length === 0) return;
    const x = (frame: number) =>
      ((frame - frames[0]!) / Math.max(1, frames.at(-1)! - frames[0]!)) * (clientWidth - 2) + 1;
    const y = (value: number) => clientHeight - 2 - ((value - low) / (high - low)) * (clientHeight - 4);
    const style = getComputedStyle(this.element);
    context.strokeStyle = style.getPropertyValue('--line');
    context.beginPath();
    context.moveTo(0, y(0));
    context.lineTo(clientWidth, y(0));
    context.stroke();
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    for (const [k, { color }] of this.#curves.entries()) {
      context.strokeStyle = style.getPropertyValue(color);
      context.beginPath();
      for (const frame of frames) context.lineTo(x(frame), y(this.#points.get(frame)![k]!));
      context.stroke();
    }
  }
}

const norm = ([x, y, z]: readonly [number, number, number]) => Math.hypot(x, y, z);

/** The second plot is one of these. */
const CHOICES: readonly Plot[] = [
  new Plot('Time per frame', 'ms', [
    { label: 'simulation', color: '--curve-3', value: ({ statistics }) => statistics.stepMilliseconds },
    { label: 'packing', color: '--curve-4', value: ({ statistics }) => statistics.packMilliseconds },
  ]),
  new Plot('Momentum', 'kg m/s', [
    { label: 'size', color: '--curve-3', value: ({ statistics }) => norm(statistics.momentum) },
    { label: 'upwards', color: '--curve-4', value: ({ statistics }) => statistics.momentum[1] },
  ]),
  new Plot('Speed', 'm/s', [
    { label: 'fastest', color: '--curve-3', value: ({ statistics }) => statistics.maximumSpeed },
  ]),
  new Plot('Temperature', '°C', [
    { label: 'mean', color: '--curve-1', value: ({ statistics }) => statistics.temperature ?? Number.NaN },
  ]),
  new Plot('Steps per frame', '1', [
    { label: 'substeps', color: '--curve-3', value: ({ statistics }) => statistics.steps },
    { label: 'iterations', color: '--curve-4', value: ({ statistics }) => statistics.iterations },
  ]),
];

export class Plots {
  readonly element: HTMLElement;
  readonly #energy = new Plot('Energy', 'J', [
    { label: 'motion', color: '--curve-1', value: ({ statistics }) => statistics.energy.kinetic },
    { label: 'elastic', color: '--curve-2', value: ({ statistics }) => statistics.energy.elastic },
  ]);
  #due = false;

  constructor() {
    const place = h('div', {}, CHOICES[0]!.element);
    const choose = h(
      'select',
      {
        'aria-label': 'Second plot',
        change: () => {
          const plot = CHOICES[Number(choose.value)]!;
          place.replaceChildren(plot.element);
          plot.draw();
        },
      },
      ...CHOICES.map(({ title }, k) => h('option', { value: k }, title)),
    );
    for (const { element } of CHOICES) element.querySelector('figcaption')!.hidden = true;
    const stored = localStorage.getItem(STORED);
    const details = h(
      'details',
      {
        // Where the window is low the scene needs the room.
        open: stored === null ? innerHeight >= LOW : stored === 'open',
        toggle: () => this.#drawAll(),
      },
      h('summary', { click: () => localStorage.setItem(STORED, details.open ? 'closed' : 'open') }, 'Measurements'),
      this.#energy.element,
      h('div', {}, choose, place),
    );
    this.element = h('section', { class: 'panel plots', 'aria-label': 'Measurements' }, details);
  }

  get #all(): readonly Plot[] {
    return [this.#energy, ...CHOICES];
  }

  clear(): void {
    for (const plot of this.#all) plot.clear();
  }

  #drawAll(): void {
    for (const plot of this.#all) plot.draw();
  }

  add(frame: WorldFrame): void {
    for (const plot of this.#all) plot.add(frame);
    if (this.#due) return;
    this.#due = true;
    // Four times a second is enough for the eye.
    setTimeout(() => {
      this.#due = false;
      this.#drawAll();
    }, 250);
  }
}
