import { h, iconButton } from './dom.js';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause'],
  ['.', 'one frame'],
  ['R', 'back to the start'],
  ['← →', 'on the timeline: frame by frame'],
  ['L', 'lift the selected body, or let it go'],
  ['Del', 'remove what is selected'],
  ['F', 'look at everything'],
  ['M', 'surfaces, surfels or particles'],
  ['C', 'colour by the next quantity'],
  ['G', 'examples'],
  ['O', 'open files'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Shift+Z', 'redo'],
  ['T', 'dark or light'],
  ['?', 'this list'],
];

/** Calls by key: 'a', 'ctrl+a', 'ctrl+shift+a'. Fields and dialogs keep the keys that are theirs. */
export function bindKeys(actions: Readonly<Record<string, () => void>>): void {
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (target.closest('dialog')) return;
    const control = event.ctrlKey || event.metaKey;
    const types = target.matches('input:not([type=range]), select, textarea');
    const presses = target.matches('button, summary') && event.key === ' ';
    if (event.altKey || ((types || presses) && !control)) return;
    const key = `${control ? 'ctrl+' : ''}${control && event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`;
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export function helpDialog(): HTMLDialogElement {
  const dialog: HTMLDialogElement = h(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    h(
      'header',
      {},
      h('h2', { id: 'help-title' }, 'Keyboard and mouse'),
      iconButton('close', 'Close', () => dialog.close(), 'Esc'),
    ),
    h(
      'p',
      {},
      'Drag a body to grab it, and let go to throw it. Drag beside it to look around, with the right button to shift; the wheel goes nearer. Drop meshes or scene files anywhere.',
    ),
    h('dl', {}, ...SHORTCUTS.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
  );
  return dialog;
}
