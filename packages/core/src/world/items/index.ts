/** All that scenes have lists of. A new one is a file beside this one and a line in `ITEMS`. */
import type * as z from 'zod';
import { list } from '../../options/declare.js';
import { OptionError } from '../../options/errors.js';
import { resolve } from '../../options/resolve.js';
import type { WorldContents } from '../contents.js';
import { blades } from './blades.js';
import { bodies } from './bodies.js';
import { constraints } from './constraints.js';
import { emitters } from './emitters.js';
import { events } from './events.js';
import { explosions } from './explosions.js';
import { heat } from './heat.js';
import type { SceneItem } from './item.js';
import { loads } from './loads.js';
import { obstacles } from './obstacles.js';
import { probes } from './probes.js';
import { sinks } from './sinks.js';

export const ITEMS = {
  bodies,
  emitters,
  sinks,
  obstacles,
  constraints,
  loads,
  events,
  probes,
  heat,
  blades,
  explosions,
};

export type ItemName = keyof typeof ITEMS;
/** An entry as a program or a scene file gives it. */
export type ItemInput<K extends ItemName> = z.input<(typeof ITEMS)[K]['schema']>;

/** All of them, as those see them that treat them alike. */
export const items = (): [ItemName, SceneItem][] => Object.entries(ITEMS) as unknown as [ItemName, SceneItem][];

/** The keys of a scene. */
export const itemFields = Object.fromEntries(items().map(([key, { schema, text }]) => [key, list(schema, text)])) as {
  readonly [K in ItemName]: z.ZodDefault<
    z.ZodType<readonly z.output<(typeof ITEMS)[K]['schema']>[], readonly ItemInput<K>[]>
  >;
};

export function addItem(world: WorldContents, key: ItemName, entry: unknown): unknown {
  world.refuseDisposed();
  const item = items().find(([known, { add, list }]) => known === key && (add || list))?.[1];
  if (!item) throw new OptionError([{ path: 'key', message: `"${key}" is no list of what is put into a world` }]);
  if (item.add) return item.add(world, entry as never);
  const options = resolve(item.schema, entry, key);
  const body = item.bodyOf?.(options);
  if (body !== undefined) world.requireBody(body);
  world.change();
  item.list?.(world).push(options);
  return undefined;
}

/** When something is due next [s]. */
export function nextTime(world: WorldContents): number {
  return items().reduce((next, [, item]) => Math.min(next, item.nextTime?.(world) ?? next), Number.POSITIVE_INFINITY);
}

/** Does everything that is due. */
export function actItems(world: WorldContents): void {
  for (const [, item] of items()) item.act?.(world);
}

/** What a save holds of them. */
export function saveItems(world: WorldContents): Record<string, readonly unknown[]> {
  return Object.fromEntries(items().flatMap(([key, item]) => (item.list ? [[key, item.list(world)]] : [])));
}

/** `saved` as of `saveItems`; saves from before there was an item have none of it. */
export function loadItems(world: WorldContents, saved: Readonly<Record<string, unknown>>): void {
  for (const [key, item] of items()) item.list?.(world).push(...((saved[key] ?? []) as unknown[]));
}
