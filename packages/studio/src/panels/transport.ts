/** Play, step, reset, and the timeline over the frames that were simulated. */
import { h, icon, iconButton } from '../dom.js';

export interface TransportEvents {
  togglePlay(): void;
  step(): void;
  reset(): void;
  seek(frame: number): void;
  setSpeed(speed: number): void;
}

const SPEEDS: readonly (readonly [string, number])[] = [
  ['¼×', 0.25],
  ['½×', 0.5],
  ['1×', 1],
  ['2×', 2],
  ['max', Infinity],
];

export class Transport {
  readonly element: HTMLElement;
  readonly #play: HTMLButtonElement;
  readonly #timeline: HTMLInputElement;
  readonly #clock = h('output', { class: 'clock' }, '0.00 s');
  readonly #count = h('output', { class: 'count' }, 'frame 0');
  readonly #work = h('progress', {
    class: 'work',
    max: 1,
    value: 0,
    hidden: true,
    'aria-label': 'Frame being computed',
  });
  #asked = false;

  constructor(events: TransportEvents) {
    this.#play = iconButton('play', 'Play', () => events.togglePlay(), 'Space');
    this.#play.classList.add('primary');
    let wanted: number | undefined;
    this.#timeline = h('input', {
      type: 'range',
      class: 'timeline',
      min: 0,
      max: 1,
      step: 1,
      value: 0,
      'aria-label': 'Timeline',
      input: () => {
        // One request a picture, however fast the slider is dragged.
        wanted = this.#timeline.valueAsNumber;
        if (this.#asked) return;
        this.#asked = true;
        requestAnimationFrame(() => {
          this.#asked = false;
          if (wanted !== undefined) events.seek(wanted);
        });
      },
    });
    const speed = h(
      'select',
      { 'aria-label': 'Speed', title: 'Speed', change: () => events.setSpeed(Number(speed.value)) },
      ...SPEEDS.map(([label, value]) => h('option', { value: String(value), selected: value === 1 }, label)),
    );
    this.element = h(
      'footer',
      { class: 'transport', 'aria-label': 'Time' },
      iconButton('reset', 'Reset', () => events.reset(), 'R'),
      this.#play,
      iconButton('step', 'Step one frame', () => events.step(), '.'),
      this.#clock,
      this.#timeline,
      this.#count,
      speed,
      this.#work,
    );
  }

  set playing(playing: boolean) {
    this.#play.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.#play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.#play.title = `${playing ? 'Pause' : 'Play'} (Space)`;
  }

  /** A frame that takes long shows how much of it is done. */
  progress(frame: number, share: number): void {
    this.#work.hidden = false;
    this.#work.value = share;
    this.#count.textContent = `frame ${frame}: ${Math.round(100 * share)} %`;
  }

  /** `planned` is how many frames the scene asks for. */
  update(frame: number, last: number, planned: number, time: number): void {
    const end = Math.max(last, planned, 1);
    this.#work.hidden = true;
    this.#timeline.max = String(end);
    this.#timeline.style.setProperty('--cached', `${(100 * last) / end}%`);
    this.#timeline.style.setProperty('--at', `${(100 * frame) / end}%`);
    // While it is dragged the pointer decides.
    if (!this.#timeline.matches(':active')) this.#timeline.value = String(frame);
    this.#timeline.setAttribute('aria-valuetext', `frame ${frame}, ${time.toFixed(2)} seconds`);
    this.#clock.textContent = `${time.toFixed(2)} s`;
    this.#count.textContent = `frame ${frame} of ${end}`;
  }
}
