/** What the colours mean. */
import { colorMapCss } from '@phyxel/three';
import { QUANTITIES, type Quantity } from 'phyxel/browser';
import { formatUnit, h } from '../dom.js';

export class Legend {
  readonly select: HTMLSelectElement;
  readonly element: HTMLElement;
  readonly #bar = h('canvas', { width: 128, height: 1, 'aria-hidden': 'true' });
  readonly #low = h('span');
  readonly #high = h('span');
  readonly #title = h('strong');
  #offered = '';

  constructor(onChoose: (quantity: Quantity | undefined) => void) {
    this.select = h('select', {
      id: 'color-by',
      'aria-label': 'Colour by',
      title: 'Colour by (C)',
      change: () => onChoose((this.select.value || undefined) as Quantity | undefined),
    });
    const context = this.#bar.getContext('2d')!;
    for (let i = 0; i < 128; i++) {
      context.fillStyle = colorMapCss(i / 127);
      context.fillRect(i, 0, 1, 1);
    }
    this.element = h(
      'div',
      { class: 'legend', hidden: true },
      this.#title,
      this.#bar,
      h('div', { class: 'ends' }, this.#low, this.#high),
    );
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

  update(quantity: Quantity | undefined, range: readonly [number, number] | undefined): void {
    this.select.value = quantity ?? '';
    this.element.hidden = quantity === undefined || range === undefined;
    if (quantity === undefined || range === undefined) return;
    const { label, unit } = QUANTITIES[quantity];
    this.#title.textContent = label;
    this.#low.textContent = formatUnit(range[0], unit);
    this.#high.textContent = formatUnit(range[1], unit);
  }
}
