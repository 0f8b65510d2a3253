/** Examples with pictures, in a dialog. */
import { h, iconButton } from '../dom.js';
import type { Example } from '../examples.js';

export class Gallery {
  readonly element: HTMLDialogElement;

  constructor(examples: readonly Example[], onChoose: (example: Example) => void) {
    const close = () => this.element.close();
    this.element = h(
      'dialog',
      { class: 'gallery', 'aria-labelledby': 'gallery-title' },
      h('header', {}, h('h2', { id: 'gallery-title' }, 'Examples'), iconButton('close', 'Close', close, 'Esc')),
      h(
        'div',
        { class: 'cards' },
        ...examples.map((example) =>
          h(
            'button',
            {
              type: 'button',
              class: 'card',
              'data-example': example.name,
              click: () => {
                close();
                onChoose(example);
              },
            },
            example.picture
              ? h('img', { src: example.picture, alt: '', loading: 'lazy', width: 240, height: 150 })
              : h('span', { class: 'no-picture' }),
            h('span', { class: 'card-title' }, example.title),
            h('span', { class: 'card-text' }, example.text),
          ),
        ),
      ),
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) close();
    });
  }
}
