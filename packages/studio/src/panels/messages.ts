/** Errors, warnings and words: what is wrong, where, and what can be done. The last few are shown, all are kept. */
import type { RemoteError } from 'phyxel/browser';
import { h, iconButton } from '../dom.js';

interface Action {
  readonly label: string;
  readonly run: () => void;
}

type Kind = 'error' | 'warning' | 'word';

interface Entry {
  readonly kind: Kind;
  readonly title: string;
  readonly lines: readonly string[];
  readonly at: Date;
  count: number;
}

interface Shown {
  readonly key: string;
  readonly element: HTMLElement;
  readonly count: HTMLElement;
  readonly entry: Entry;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Messages that are shown at a time, and kept. */
const MOST_SHOWN = 3;
const MOST_KEPT = 200;
/** How long they are shown [ms]; errors stay until somebody has read them. */
const WARNING = 10_000;
const WORD = 2500;

export class Messages {
  readonly element = h('div', { class: 'messages', role: 'log', 'aria-live': 'polite' });
  /** Opens the list of all messages; shows how many were not looked at. */
  readonly button = iconButton('notes', 'Messages', () => this.open(), 'N');
  readonly dialog: HTMLDialogElement;
  readonly #list = h('ol', { class: 'message-list' });
  readonly #badge = h('span', { class: 'badge', hidden: true });
  readonly #log: Entry[] = [];
  #shown: Shown[] = [];
  #unread = 0;

  constructor() {
    this.button.append(this.#badge);
    const close = () => this.dialog.close();
    this.dialog = h(
      'dialog',
      { class: 'message-log', 'aria-labelledby': 'messages-title' },
      h('header', {}, h('h2', { id: 'messages-title' }, 'Messages'), iconButton('close', 'Close', close, 'Esc')),
      this.#list,
    );
    this.dialog.addEventListener('click', ({ target }) => target === this.dialog && close());
  }

  error(title: string, error: unknown, action?: Action): void {
    const { problems = [], message } = error as Partial<RemoteError> & { message: string };
    const lines = problems.map(({ line, path, message: text }) =>
      `${line === undefined ? '' : `line ${line}: `}${path} ${text}`.trim(),
    );
    this.#put({ kind: 'error', title, lines: lines.length > 0 ? lines : [message] }, undefined, action);
  }

  warn(...lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#put({ kind: 'warning', title: lines.length === 1 ? 'Note' : `${lines.length} notes`, lines }, WARNING);
  }

  /** A word that goes away by itself after some milliseconds, and takes the position of the one before. */
  tell(text: string, milliseconds = WORD): void {
    for (const shown of this.#shown.filter(({ entry }) => entry.kind === 'word')) this.#remove(shown);
    this.#put({ kind: 'word', title: text, lines: [] }, milliseconds);
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

  /** Takes away what is shown; the list keeps it. */
  clear(): void {
    for (const shown of [...this.#shown]) this.#remove(shown);
  }

  open(): void {
    this.#unread = 0;
    this.#badge.hidden = true;
    this.#list.replaceChildren(...this.#log.map(listed).reverse());
    if (this.#log.length === 0) this.#list.replaceChildren(h('li', { class: 'hint' }, 'Nothing has been said yet.'));
    this.dialog.showModal();
  }

  #put(said: Omit<Entry, 'at' | 'count'>, expires: number | undefined, action?: Action): void {
    const key = JSON.stringify([said.kind, said.title, said.lines]);
    const before = this.#shown.find((shown) => shown.key === key);
    if (before) {
      before.entry.count++;
      before.count.textContent = `×${before.entry.count}`;
      this.#expire(before, expires);
      return;
    }
    const entry: Entry = { ...said, at: new Date(), count: 1 };
    this.#keep(entry);
    const { kind, title, lines } = said;
    const count = h('span', { class: 'times' });
    const run = action && {
      ...action,
      run: () => {
        this.#remove(shown);
        action.run();
      },
    };
    const text = [h('strong', {}, title), count, lines.length > 0 && textOf(lines)];
    const element = h(
      'div',
      { class: `message ${kind}`, role: kind === 'error' ? 'alert' : undefined },
      h('div', { class: 'message-text' }, ...text),
      run && h('button', { type: 'button', click: run.run }, run.label),
      kind !== 'word' && iconButton('close', 'Dismiss', () => this.#remove(shown)),
    );
    const shown: Shown = { key, element, count, entry, timer: undefined };
    // Those who read are not hurried.
    element.addEventListener('pointerenter', () => clearTimeout(shown.timer));
    element.addEventListener('pointerleave', () => this.#expire(shown, expires));
    this.#shown.push(shown);
    this.element.append(element);
    while (this.#shown.length > MOST_SHOWN)
      this.#remove(this.#shown.find((old) => old.entry.kind !== 'error') ?? this.#shown[0]!);
    this.#expire(shown, expires);
  }

  #keep(entry: Entry): void {
    if (entry.kind === 'word') return;
    this.#log.push(entry);
    if (this.#log.length > MOST_KEPT) this.#log.shift();
    this.#badge.textContent = String(++this.#unread);
    this.#badge.hidden = false;
  }

  #expire(shown: Shown, after: number | undefined): void {
    clearTimeout(shown.timer);
    if (after !== undefined) shown.timer = setTimeout(() => this.#remove(shown), after);
  }

  #remove(shown: Shown): void {
    clearTimeout(shown.timer);
    shown.element.remove();
    this.#shown = this.#shown.filter((other) => other !== shown);
  }
}

function textOf(lines: readonly string[]): HTMLElement {
  return lines.length === 1 ? h('p', {}, lines[0]) : h('ul', {}, ...lines.map((line) => h('li', {}, line)));
}

function listed({ kind, title, lines, at, count }: Entry): HTMLElement {
  const time = at.toLocaleTimeString('en-GB');
  return h(
    'li',
    { class: kind },
    h('time', {}, time),
    h('div', {}, h('strong', {}, count > 1 ? `${title} ×${count}` : title), textOf(lines)),
  );
}
