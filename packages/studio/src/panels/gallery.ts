/** Examples with pictures, in groups, in a dialog. */
import { h, icon, iconButton } from '../dom.js';
import type { Example } from '../examples.js';

export class Gallery {
  readonly element: HTMLDialogElement;
  readonly #search: HTMLInputElement;
  readonly #cards: readonly { readonly example: Example; readonly card: HTMLElement }[];
  readonly #groups: readonly HTMLElement[];
  readonly #nothing = h('p', { class: 'hint nothing', hidden: true }, 'No example has all of these words.');

  constructor(examples: readonly Example[], onChoose: (example: Example) => void) {
    const close = () => this.element.close();
    const choose = (example: Example) => {
      close();
      onChoose(example);
    };
    this.#search = h('input', {
      type: 'search',
      class: 'search',
      placeholder: 'Search',
      'aria-label': 'Search examples',
      input: () => this.#filter(),
      keydown: (event: KeyboardEvent) => {
        const found = this.#cards.find(({ card }) => !card.hidden);
        if (event.key === 'Enter' && found) choose(found.example);
      },
    });
    this.#cards = examples.map((example) => ({ example, card: cardOf(example, () => choose(example)) }));
    const names = [...new Set(examples.map(({ group }) => group))];
    this.#groups = names.map((name) =>
      h(
        'section',
        { class: 'example-group', 'aria-label': name },
        h('h3', {}, name),
        h(
          'div',
          { class: 'cards' },
          ...this.#cards.filter(({ example }) => example.group === name).map(({ card }) => card),
        ),
      ),
    );
    this.element = h(
      'dialog',
      { class: 'gallery', 'aria-labelledby': 'gallery-title' },
      h(
        'header',
        {},
        h('h2', { id: 'gallery-title' }, 'Examples'),
        h('label', { class: 'search-box' }, icon('search'), this.#search),
        iconButton('close', 'Close', close, 'Esc'),
      ),
      ...this.#groups,
      this.#nothing,
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) close();
    });
  }

  open(): void {
    if (this.element.open) return;
    this.#search.value = '';
    this.#filter();
    this.element.showModal();
    this.#search.focus();
  }

  /** Shows the examples that have all words that were typed. */
  #filter(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { example, card } of this.#cards) {
      const { title, text, group, first } = example;
      const all = `${title} ${text} ${group} ${first ? 'good first' : ''}`.toLowerCase();
      card.hidden = !words.every((word) => all.includes(word));
    }
    for (const group of this.#groups) group.hidden = group.querySelector('.card:not([hidden])') === null;
    this.#nothing.hidden = this.#groups.some((group) => !group.hidden);
  }
}

function cardOf(example: Example, onClick: () => void): HTMLElement {
  const { title, text, picture, first, particles, seconds } = example;
  return h(
    'button',
    { type: 'button', class: 'card', 'data-example': example.name, click: onClick },
    picture
      ? h('img', { src: picture, alt: '', loading: 'lazy', width: 240, height: 150 })
      : h('span', { class: 'no-picture' }),
    h('span', { class: 'card-title' }, title, first && h('span', { class: 'good-first' }, 'good first')),
    h('span', { class: 'card-text' }, text),
    h('span', { class: 'card-cost' }, `${particles.toLocaleString('en')} particles, about ${timeOf(seconds)}`),
  );
}

/** Seconds as people say them. */
function timeOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Number((seconds / 60).toPrecision(2))} min`;
}
