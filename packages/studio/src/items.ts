/** Everything of a scene that comes in lists and can be added, changed and removed. */

import type { Scene } from 'phyxel/browser';
import type { Box3 } from 'three';
import type { Definitions, Schema, Values } from './schema.js';

export type ListName = 'bodies' | 'obstacles' | 'emitters' | 'sinks' | 'constraints' | 'loads' | 'events' | 'heat';
/** One of a list; `scene` stands for the scene as a whole. */
export type ItemRef =
  | { readonly list: ListName; readonly index: number }
  | { readonly list: 'scene'; readonly index: 0 };

interface ListKind {
  readonly title: string;
  /** What one of them is called. */
  readonly one: string;
  readonly definition: string;
  /** Keys that are not asked for: they are changed elsewhere. */
  readonly without?: readonly string[];
}

export const LISTS: Readonly<Record<ListName, ListKind>> = {
  bodies: { title: 'Bodies', one: 'body', definition: 'Body', without: ['material', 'regions', 'joint'] },
  obstacles: { title: 'Obstacles', one: 'obstacle', definition: 'Obstacle' },
  emitters: { title: 'Sources', one: 'source', definition: 'Emitter' },
  sinks: { title: 'Sinks', one: 'sink', definition: 'Region' },
  constraints: { title: 'Constraints', one: 'constraint', definition: 'Constraint' },
  loads: { title: 'Loads', one: 'load', definition: 'Load' },
  events: { title: 'Events', one: 'event', definition: 'Event' },
  heat: { title: 'Heat', one: 'source of heat', definition: 'Heat' },
};
export const LIST_NAMES = Object.keys(LISTS) as ListName[];

const OF_SCENE = ['gravity', 'duration', 'frameRate', 'temperature', 'heatTransfer'] as const;

export function schemaOf({ list }: ItemRef, definitions: Definitions): Schema {
  if (list !== 'scene') return definitions[LISTS[list].definition]!;
  const { properties } = definitions.Scene!;
  return { type: 'object', properties: Object.fromEntries(OF_SCENE.map((key) => [key, properties![key]!])) };
}

export function itemOf(scene: Scene, { list, index }: ItemRef): Values | undefined {
  if (list === 'scene') return Object.fromEntries(OF_SCENE.map((key) => [key, scene[key]]));
  return itemsOf(scene, list)[index];
}

export function itemsOf(scene: Scene, list: ListName): readonly Values[] {
  return scene[list] as unknown as readonly Values[];
}

/** The scene with an item changed, added behind the last, or without it when it is undefined. */
export function withItem(scene: Scene, { list, index }: ItemRef, item: Values | undefined): Scene {
  if (list === 'scene') return { ...scene, ...item } as Scene;
  const items = itemsOf(scene, list);
  return { ...scene, [list]: items.toSpliced(index, 1, ...(item ? [item] : [])) } as unknown as Scene;
}

/** How the list of the scene calls it, and a word about it. */
export function titleOf(list: ListName, item: Values): { readonly name: string; readonly detail: string } {
  const name = String(item.name ?? item.body ?? LISTS[list].one);
  const first = (value: unknown) => Object.keys((value ?? {}) as object)[0] ?? '';
  switch (list) {
    case 'bodies':
      return { name, detail: String(item.kind) };
    case 'obstacles':
      return {
        name,
        detail: (item.keyframes as readonly unknown[]).length > 0 || item.motion ? 'moving' : first(item.shape),
      };
    case 'emitters':
      return { name, detail: 'source' };
    case 'sinks':
      return { name, detail: first(item) };
    case 'constraints': {
      const [fix, move] = [item.fix, item.move] as readonly unknown[][];
      return { name, detail: move!.length > 0 ? 'moved' : fix!.length > 0 ? 'held' : 'force' };
    }
    case 'loads':
      return { name, detail: ['pressure', 'traction', 'force'].filter((key) => item[key] !== undefined).join(', ') };
    case 'events':
      return { name, detail: `at ${item.time} s` };
    case 'heat':
      return { name, detail: item.power === undefined ? 'held warm' : 'heated' };
  }
}

/** All at time 0, from which a changed scene starts. */
export interface Surroundings {
  /** Around everything that is there. */
  readonly box: Box3;
  /** The body that is selected, and the box around the part of it that is the lowest now. */
  readonly body: { readonly name: string; readonly lowest: Box3 } | undefined;
}

/** Something to start from, at a position where it is seen; undefined where it needs a body and there is none. */
export function newItem(list: ListName, scene: Scene, { box, body }: Surroundings): Values | undefined {
  const isEmpty = box.isEmpty();
  const size = isEmpty ? 0.5 : Math.max(box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z);
  const [x, y, z] = isEmpty ? [0, 0.5, 0] : [(box.min.x + box.max.x) / 2, box.max.y, (box.min.z + box.max.z) / 2];
  const round = (value: number) => Number(value.toPrecision(2));
  const place = (dx: number, dy: number) => [round(x + dx), round(y + dy), round(z)];
  const edge = round(0.3 * size);
  const nameFor = (stem: string, taken: readonly Values[]) => {
    const names = new Set(taken.map(({ name }) => name));
    let k = taken.length + 1;
    while (names.has(`${stem} ${k}`)) k++;
    return `${stem} ${k}`;
  };
  switch (list) {
    case 'bodies':
      return {
        name: nameFor('ball', [...itemsOf(scene, 'bodies'), ...itemsOf(scene, 'emitters')]),
        shape: { sphere: { radius: round(edge / 2) } },
        position: place(0, edge),
        particles: 500,
        material: { youngsModulus: 5e4, damping: 0.05 },
      };
    case 'obstacles':
      return {
        name: nameFor('block', itemsOf(scene, 'obstacles')),
        shape: { box: { size: [edge, edge, edge] } },
        position: [...place(0.5 * size + edge, 0).with(1, round(floorOf(scene) ?? y - size) + edge / 2)],
      };
    case 'emitters': {
      const spacing = [...scene.emitters, ...scene.bodies].find(
        (item) => item.spacing !== undefined && (!('kind' in item) || item.kind === 'fluid'),
      )?.spacing;
      return {
        name: nameFor('source', [...itemsOf(scene, 'bodies'), ...itemsOf(scene, 'emitters')]),
        position: place(0, edge),
        rotation: [180, 0, 0],
        radius: spacing ? round(4 * spacing) : round(size / 12),
        speed: 1,
        spacing: spacing ?? round(size / 48),
        maxParticles: 3000,
        material: {},
      };
    }
    case 'sinks':
      return { box: { min: place(-2 * size, -3 * size), max: place(2 * size, -2 * size) } };
    case 'constraints': {
      return body && { body: body.name, region: { box: boxRegion(body.lowest) }, fix: ['x', 'y', 'z'] };
    }
    case 'loads':
      return body && { body: body.name, pressure: 100 };
    case 'events':
      return body && { time: 1, body: body.name, set: { youngsModulus: 1e4 } };
    case 'heat':
      return body && { body: body.name, temperature: 100 };
  }
}

/** A box as regions have it, in numbers that people read: rounded outwards. */
export function boxRegion({ min, max }: Box3): { readonly min: number[]; readonly max: number[] } {
  const size = Math.max(max.x - min.x, max.y - min.y, max.z - min.z, 1e-9);
  const step = 10 ** Math.floor(Math.log10(size / 1000));
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const round = (values: readonly number[], how: (value: number) => number) =>
    values.map((value) => Number((step * how(value / step)).toFixed(digits)));
  return { min: round(min.toArray(), Math.floor), max: round(max.toArray(), Math.ceil) };
}

/** Height of the highest floor. */
function floorOf({ obstacles }: Scene): number | undefined {
  const heights = obstacles.flatMap(({ shape, position }) =>
    'plane' in shape && shape.plane.normal[1] > 0.99 * Math.hypot(...shape.plane.normal)
      ? [shape.plane.offset + position[1]]
      : [],
  );
  return heights.length > 0 ? Math.max(...heights) : undefined;
}
