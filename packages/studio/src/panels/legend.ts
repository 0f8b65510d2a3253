/** What the colours mean, and what their ends stand for. */
import { type ColorScale, colorMapCss } from '@phyxel/three';
import { QUANTITIES, type Quantity } from 'phyxel/browser';
import type { Ends } from '../color-range.js';
import { formatUnit, h, iconButton } from '../dom.js';

export interface LegendEvents {
  choose(quantity: Quantity | undefined): void;
  /** Answers whether the end can be there. */
  fix(end: 0 | 1, value: number): boolean;
  reset(): void;
  setScale(scale: ColorScale): void;
}

const END_NAMES = ['Lowest', 'Highest'] as const;

export class Legend {
  readonly select: HTMLSelectElement;
  readonly element: HTMLElement;
  readonly #bar = h('canvas', { width: 128, height: 1, 'aria-hidden': 'true' });
  readonly #ends: readonly [HTMLInputElement, HTMLInputElement];
  readonly #title = h('strong');
  readonly #log: HTMLButtonElement;
  #unit = '1';
  #values: Ends = [0, 0];
  #offered = '';

  constructor(events: LegendEvents) {
    this.select = h('select', {
      id: 'color-by',
      'aria-label': 'Colour by',
      title: 'Colour by (C)',
      change: () => events.choose((this.select.value || undefined) as Quantity | undefined),
    });
    const context = this.#bar.getContext('2d')!;
    for (let i = 0; i < 128; i++) {
      context.fillStyle = colorMapCss(i / 127);
      context.fillRect(i, 0, 1, 1);
    }
    this.#ends = [this.#end(0, events), this.#end(1, events)];
    this.#log = h(
      'button',
      {
        type: 'button',
        class: 'log',
        title: 'Spread colours over the logarithm',
        'aria-pressed': 'false',
        click: () => {
          const isOn = this.#log.getAttribute('aria-pressed') !== 'true';
          this.#log.setAttribute('aria-pressed', String(isOn));
          events.setScale(isOn ? 'logarithmic' : 'linear');
        },
      },
      'log',
    );
    this.element = h(
      'div',
      { class: 'legend', role: 'group', 'aria-label': 'Colours', hidden: true },
      h(
        'div',
        { class: 'legend-head' },
        this.#title,
        this.#log,
        iconButton('reset', 'Range of this frame', events.reset, 'X'),
      ),
      this.#bar,
      h('div', { class: 'ends' }, ...this.#ends),
    );
  }

  /** A field that shows a number with its unit, and takes one without. */
  #end(end: 0 | 1, events: LegendEvents): HTMLInputElement {
    let before = '';
    const input: HTMLInputElement = h('input', {
      type: 'text',
      inputmode: 'decimal',
      class: 'end',
      'aria-label': `${END_NAMES[end]} value of the colours`,
      title: 'Type a number to fix this end: values beyond have its colour',
      focus: () => {
        before = String(Number(this.#values[end].toPrecision(6)));
        input.value = before;
        input.select();
      },
      change: () => {
        if (input.value === before) return;
        const value = Number.parseFloat(input.value);
        const isFine = Number.isFinite(value) && events.fix(end, value);
        input.setCustomValidity(isFine ? '' : 'The lowest value must be below the highest');
        input.reportValidity();
      },
      blur: () => {
        input.setCustomValidity('');
        input.value = formatUnit(this.#values[end], this.#unit);
      },
      keydown: (event: KeyboardEvent) => {
        if (event.key === 'Escape') input.value = before;
        if (event.key === 'Enter' || event.key === 'Escape') input.blur();
      },
    });
    return input;
  }

  offer(quantities: readonly Quantity[], chosen: Quantity | undefined): void {
    if (quantities.join() === this.#offered) return;
    this.#offered = quantities.join();
    this.select.replaceChildren(
      h('option', { value: '' }, 'Own colours'),
      ...quantities.map((name) => h('option', { value: name, selected: name === chosen }, QUANTITIES[name].label)),
    );
  }

  /** Takes the next quantity. */
  next(): void {
    this.select.selectedIndex = (this.select.selectedIndex + 1) % this.select.options.length;
    this.select.dispatchEvent(new Event('change'));
  }

  update(quantity: Quantity | undefined, range: Ends | undefined, fixed: readonly [boolean, boolean]): void {
    this.select.value = quantity ?? '';
    this.element.hidden = quantity === undefined || range === undefined;
    if (quantity === undefined || range === undefined) return;
    const { label, unit } = QUANTITIES[quantity];
    this.#title.textContent = label;
    this.#unit = unit;
    this.#values = range;
    for (const [end, input] of this.#ends.entries()) {
      input.classList.toggle('fixed', fixed[end]!);
      // Whoever types decides.
      if (document.activeElement !== input) input.value = formatUnit(range[end]!, unit);
    }
  }
}
