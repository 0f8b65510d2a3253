/** Errors and warnings: what is wrong, where, and what can be done. */
import type { RemoteError } from 'phyxel/browser';
import { h, iconButton } from '../dom.js';

interface Action {
  readonly label: string;
  readonly run: () => void;
}

export class Messages {
  readonly element = h('div', { class: 'messages', role: 'log', 'aria-live': 'polite' });
  #timer: ReturnType<typeof setTimeout> | undefined;

  error(title: string, error: unknown, action?: Action): void {
    const { problems = [], message } = error as Partial<RemoteError> & { message: string };
    const list = problems.map(({ line, path, message: text }) =>
      h('li', {}, line !== undefined ? h('b', {}, `line ${line}: `) : false, `${path} ${text}`.trim()),
    );
    this.#put('error', h('strong', {}, title), list.length > 0 ? h('ul', {}, ...list) : h('p', {}, message), action);
  }

  warn(text: string): void {
    const before = [...this.element.querySelectorAll('.warning p')].some((p) => p.textContent === text);
    if (!before) this.#put('warning', h('strong', {}, 'Note'), h('p', {}, text));
  }

  /** A word that goes away by itself after some milliseconds. */
  tell(text: string, milliseconds = 2500): void {
    this.element.querySelector('.word')?.remove();
    clearTimeout(this.#timer);
    const word = h('div', { class: 'message word' }, text);
    this.element.append(word);
    this.#timer = setTimeout(() => word.remove(), milliseconds);
  }

  /** Something that takes its time and can be given up; call the result with the share that is done, then `end`. */
  progress(title: string, onCancel: () => void): { update(share: number): void; end(): void } {
    const bar = h('progress', { max: 1, value: 0, 'aria-label': title });
    const share = h('output', {}, '0 %');
    const message = h(
      'div',
      { class: 'message progress' },
      h('div', { class: 'message-text' }, h('strong', {}, title), bar, share),
      h('button', { type: 'button', click: onCancel }, 'Cancel'),
    );
    this.element.append(message);
    return {
      update: (done) => {
        bar.value = done;
        share.textContent = `${Math.round(100 * done)} %`;
      },
      end: () => message.remove(),
    };
  }

  clear(): void {
    this.element.replaceChildren();
  }

  #put(kind: 'error' | 'warning', title: HTMLElement, text: HTMLElement, action?: Action): void {
    while (this.element.childElementCount >= 3) this.element.firstElementChild!.remove();
    const message: HTMLElement = h(
      'div',
      { class: `message ${kind}`, role: kind === 'error' ? 'alert' : undefined },
      h('div', { class: 'message-text' }, title, text),
      action &&
        h(
          'button',
          {
            type: 'button',
            click: () => {
              message.remove();
              action.run();
            },
          },
          action.label,
        ),
      iconButton('close', 'Dismiss', () => message.remove()),
    );
    this.element.append(message);
  }
}
