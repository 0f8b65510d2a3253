import { h, iconButton } from './dom.js';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause'],
  ['.', 'one frame'],
  ['R', 'back to the start'],
  ['← →', 'on the timeline: frame by frame'],
  ['L', 'lift the selected body, or let it go'],
  ['Del', 'remove what is selected'],
  ['F', 'look at what is selected'],
  ['Home', 'look at everything'],
  ['V', 'follow what is selected, or stop'],
  ['M', 'surfaces, surfels or particles'],
  ['C', 'colour by the next quantity'],
  ['X', 'range of colours of this frame'],
  ['G', 'examples'],
  ['O', 'open files'],
  ['N', 'messages'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Shift+Z', 'redo'],
  ['T', 'dark or light'],
  ['Esc', 'leave a field'],
  ['?', 'this list'],
];

/** Fields that take what is typed. */
const TYPED = 'textarea, input:not([type=range], [type=checkbox], [type=color], [type=button], [type=file])';

/**
 * Calls by key: 'a', 'ctrl+a', 'ctrl+shift+a'. Fields that take text and dialogs keep the keys that are theirs. Lists,
 * sliders and buttons keep them for those who came there by the keyboard; after a click the keys are the studio's.
 */
export function bindKeys(actions: Readonly<Record<string, () => void>>): void {
  let byKeyboard = false;
  addEventListener(
    'pointerdown',
    () => {
      byKeyboard = false;
    },
    { capture: true },
  );
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.key === 'Tab') byKeyboard = true;
    if (target.closest('dialog')) return;
    if (event.key === 'Escape') target.blur();
    const control = event.ctrlKey || event.metaKey;
    const isOwn =
      target.matches(TYPED) ||
      (byKeyboard && target.matches('select')) ||
      (byKeyboard && event.key === ' ' && target.matches('button, summary, [type=checkbox]')) ||
      (event.key === 'Home' && target.matches('[type=range], select'));
    if (event.altKey || (isOwn && !control)) return;
    const key = `${control ? 'ctrl+' : ''}${control && event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`;
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    // A key that is held steps, undoes or redoes again and again, and does nothing else twice.
    if (!event.repeat || control || key === '.') action();
  });
  // A list that was chosen from, by no key of its own, is done with.
  let keyed: EventTarget | null = null;
  addEventListener('keydown', ({ target }) => {
    keyed = target;
  });
  addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && target !== keyed) target.blur();
  });
  addEventListener('focusin', () => {
    keyed = null;
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
