/** Shows what is being opened: its name, the step, how far it is, and a way out. */
import { h } from '../dom.js';
import type { Loading, LoadingState } from '../loading.js';

/** What is quicker than this is not announced [ms]. */
const SOON = 350;

export class LoadingCard {
  readonly element = h('section', { class: 'loading-card', 'aria-label': 'Opening', hidden: true });
  readonly #title = h('strong');
  readonly #step = h('span', { class: 'step' });
  readonly #share = h('output');
  readonly #bar = h('progress', { max: 1, value: 0, 'aria-label': 'How far it is' });
  #loading: Loading | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.element.append(
      this.#title,
      this.#bar,
      h('div', { class: 'step-row' }, this.#step, this.#share),
      h('button', { type: 'button', click: () => this.#loading?.cancel() }, 'Cancel'),
    );
  }

  show(loading: Loading): void {
    if (this.#loading) this.#loading.onChange = undefined;
    this.#loading = loading;
    loading.onChange = (state) => this.#fill(state);
    this.#fill(loading.state);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.element.hidden = false;
    }, SOON);
  }

  hide(loading: Loading): void {
    if (this.#loading !== loading) return;
    clearTimeout(this.#timer);
    loading.onChange = undefined;
    this.#loading = undefined;
    this.element.hidden = true;
  }

  #fill({ title, step, share }: LoadingState): void {
    this.#title.textContent = `Opening ${title}`;
    this.#step.textContent = step;
    this.#share.textContent = `${Math.round(100 * share)} %`;
    this.#bar.value = share;
  }
}
