/** What is in the scene, as a list to select from. */
import type { WorldDescription } from 'phyxel/browser';
import { formatUnit, h } from '../dom.js';

export interface TreeEvents {
  select(body: string | undefined): void;
}

export class SceneTree {
  readonly element = h('section', { class: 'panel tree', 'aria-label': 'Scene' });
  readonly #events: TreeEvents;
  readonly #items = new Map<string, HTMLButtonElement>();

  constructor(events: TreeEvents) {
    this.#events = events;
  }

  show(description: WorldDescription, colors: ReadonlyMap<string, string>): void {
    this.#items.clear();
    const { scene, bodies, obstacles } = description;
    const parts: HTMLElement[] = [
      this.#group(
        'Bodies',
        bodies.map(({ name, kind, end, begin, mass }) => {
          const dot = h('span', { class: 'dot' });
          dot.style.backgroundColor = colors.get(name) ?? 'transparent';
          const detail = `${kind}, ${(end - begin).toLocaleString('en')} particles${mass > 0 ? `, ${formatUnit(mass, 'kg')}` : ''}`;
          const button = h(
            'button',
            {
              type: 'button',
              class: 'item',
              title: detail,
              'aria-pressed': 'false',
              click: () => this.#events.select(name),
            },
            dot,
            h('span', { class: 'name' }, name),
            h('span', { class: 'detail' }, kind),
          );
          this.#items.set(name, button);
          return button;
        }),
      ),
      this.#group(
        'Obstacles',
        obstacles.map(({ name, plane, moves }) => entry(name, plane ? 'plane' : moves ? 'moving' : 'shape')),
      ),
      this.#group(
        'Constraints',
        scene.constraints.map(({ body, fix, move }) =>
          entry(body, fix.length + move.length === 0 ? 'force' : move.length > 0 ? 'moved' : 'held'),
        ),
      ),
      this.#group(
        'Events',
        scene.events.map(({ time, body }) => entry(body, `at ${time} s`)),
      ),
    ].filter((part) => part !== undefined);
    this.element.replaceChildren(h('h2', {}, 'Scene'), ...parts);
  }

  set selected(name: string | undefined) {
    for (const [own, button] of this.#items) button.setAttribute('aria-pressed', String(own === name));
  }

  #group(title: string, items: readonly HTMLElement[]): HTMLElement {
    if (items.length === 0) return h('div', { hidden: true });
    return h('div', { class: 'group' }, h('h3', {}, title), ...items);
  }
}

function entry(name: string, detail: string): HTMLElement {
  return h('div', { class: 'item still' }, h('span', { class: 'name' }, name), h('span', { class: 'detail' }, detail));
}
