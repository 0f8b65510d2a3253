/** The selected part of the scene, with everything that can be said about it. */
import { h, iconButton } from '../dom.js';
import { type ItemRef, LISTS, schemaOf, titleOf } from '../items.js';
import { labelOf } from '../parameters.js';
import { type Definitions, resolve, type Values } from '../schema.js';
import { type FormContext, objectFields } from './form.js';

export interface ItemEvents {
  change(ref: ItemRef, value: Values, label: string): void;
  remove(ref: ItemRef): void;
}

export class ItemPanel {
  readonly element = h('section', { class: 'panel item-panel', 'aria-label': 'Properties', hidden: true });
  readonly #definitions: Definitions;
  readonly #events: ItemEvents;
  #shown = '';
  /** All that the fields were made from. */
  #state = '';
  /** The field that somebody is typing in. */
  #typing: string | undefined;

  constructor(definitions: Definitions, events: ItemEvents) {
    this.#definitions = definitions;
    this.#events = events;
    this.element.addEventListener('input', ({ target }) => {
      this.#typing = (target as Element).id;
    });
    this.element.addEventListener('change', () => {
      this.#typing = undefined;
    });
  }

  show(ref: ItemRef | undefined, value: Values | undefined, context: Omit<FormContext, 'definitions'>): void {
    this.element.hidden = ref === undefined || value === undefined;
    if (!ref || !value) return;
    const state = JSON.stringify([ref, value, context]);
    if (state === this.#state) return;
    this.#state = state;
    // What had the focus keeps it, and bodies keep their details open.
    const focused = this.element.contains(document.activeElement) ? document.activeElement!.id : '';
    const typed = this.#typing === focused ? (document.activeElement as HTMLInputElement).value : undefined;
    const isBody = ref.list === 'bodies';
    const key = `${ref.list}-${ref.index}`;
    const isOpen = !isBody || (this.#shown === key && this.element.querySelector('details')?.open === true);
    this.#shown = key;
    const name = ref.list === 'scene' ? 'World' : titleOf(ref.list, value).name;
    const change = (next: unknown) =>
      this.#events.change(ref, next as Values, `${name}: ${changedKey(value, next as Values)}`);
    const fields = objectFields(
      { ...context, definitions: this.#definitions },
      resolve(schemaOf(ref, this.#definitions), this.#definitions),
      value,
      `item-${key}`,
      change,
      ref.list === 'scene' ? [] : LISTS[ref.list].without,
    );
    const remove = ref.list !== 'scene' && iconButton('trash', `Remove ${name}`, () => this.#events.remove(ref), 'Del');
    if (isBody) {
      const details = h('details', { open: isOpen }, h('summary', {}, 'Shape and place', remove), ...fields);
      this.element.replaceChildren(details);
    } else {
      const kind = ref.list === 'scene' ? '' : LISTS[ref.list].one;
      this.element.replaceChildren(h('h2', {}, name, h('span', { class: 'kind' }, kind), remove), ...fields);
    }
    if (!focused) return;
    const field = document.getElementById(focused);
    field?.focus();
    if (!(field instanceof HTMLInputElement)) return;
    // As if one had come there by the keyboard.
    if (typed === undefined) field.select();
    else field.value = typed;
  }
}

function changedKey(before: Values, after: Values): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const key = keys.find((candidate) => JSON.stringify(before[candidate]) !== JSON.stringify(after[candidate]));
  return key ? labelOf(key) : 'nothing';
}
