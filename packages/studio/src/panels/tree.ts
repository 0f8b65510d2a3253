/** What is in the scene, as a list to select from and to add to. */
import type { Scene, WorldDescription } from 'phyxel/browser';
import { formatUnit, h } from '../dom.js';
import { type ItemRef, itemsOf, LIST_NAMES, LISTS, type ListName, titleOf } from '../items.js';

export interface TreeEvents {
  select(ref: ItemRef): void;
  add(list: ListName): void;
}

export class SceneTree {
  readonly element = h('section', { class: 'panel tree', 'aria-label': 'Scene' });
  readonly #events: TreeEvents;
  readonly #items = new Map<string, HTMLButtonElement>();
  readonly #add: HTMLSelectElement;

  constructor(events: TreeEvents) {
    this.#events = events;
    this.#add = h(
      'select',
      {
        'aria-label': 'Add to the scene',
        title: 'Add something to the scene',
        change: () => {
          events.add(this.#add.value as ListName);
          this.#add.value = '';
        },
      },
      h('option', { value: '' }, 'Add …'),
      ...LIST_NAMES.map((list) => h('option', { value: list }, LISTS[list].one)),
    );
  }

  show(description: WorldDescription, colors: ReadonlyMap<string, string>): void {
    this.#items.clear();
    const { scene } = description;
    const world = this.#item({ list: 'scene', index: 0 }, 'World', 'gravity, duration');
    const groups = LIST_NAMES.map((list) => {
      const items = itemsOf(scene, list).map((item, index) => {
        const { name, detail } = titleOf(list, item);
        const isShown = list === 'bodies' || list === 'emitters';
        return this.#item(
          { list, index },
          name,
          detail,
          isShown ? colors.get(name) : undefined,
          amountOf(description, list, name),
        );
      });
      return items.length === 0 ? undefined : h('div', { class: 'group' }, h('h3', {}, LISTS[list].title), ...items);
    });
    const parts = groups.filter((part) => part !== undefined);
    this.element.replaceChildren(h('h2', {}, 'Scene', description.isRun ? '' : this.#add), world, ...parts);
  }

  set selected(ref: ItemRef | undefined) {
    for (const [key, button] of this.#items)
      button.setAttribute('aria-pressed', String(ref !== undefined && key === keyOf(ref)));
  }

  #item(ref: ItemRef, name: string, detail: string, color?: string, amount?: string): HTMLButtonElement {
    const dot = h('span', { class: 'dot' });
    if (color) dot.style.backgroundColor = color;
    const button = h(
      'button',
      {
        type: 'button',
        class: 'item',
        title: amount ?? `${name}, ${detail}`,
        'aria-pressed': 'false',
        click: () => this.#events.select(ref),
      },
      color !== undefined && dot,
      h('span', { class: 'name' }, name),
      h('span', { class: 'detail' }, detail),
    );
    this.#items.set(keyOf(ref), button);
    return button;
  }
}

function keyOf({ list, index }: ItemRef): string {
  return `${list} ${index}`;
}

function amountOf({ bodies }: WorldDescription, list: keyof Scene, name: string): string | undefined {
  const body = list === 'bodies' ? bodies.find((candidate) => candidate.name === name) : undefined;
  if (!body) return undefined;
  const count = (body.end - body.begin).toLocaleString('en');
  return `${body.kind}, ${count} particles${body.mass > 0 ? `, ${formatUnit(body.mass, 'kg')}` : ''}`;
}
