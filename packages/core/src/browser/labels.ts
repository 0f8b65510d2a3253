/** Names, colours, looks and the length of a scene: what can change without another simulation. */
import type { DescribedBody, Scene } from '../options/types.js';
import { serializeScene } from '../scene/serialize.js';

const LISTS = ['bodies', 'emitters', 'obstacles', 'probes'] as const;
const REFERRING = ['constraints', 'loads', 'events', 'probes', 'heat'] as const;

/** Text that is the same for scenes that differ in labels only. */
export function physicsOf(scene: Scene): string {
  const numbers = new Map([...scene.bodies, ...scene.emitters].map(({ name }, k) => [name, k]));
  const unnamed = LISTS.map((list) => [list, scene[list].map((item) => ({ ...item, ...UNLABELLED }))] as const);
  const plain = { ...scene, name: '', duration: 0, materials: {}, ...Object.fromEntries(unnamed) } as Scene;
  const numbered = REFERRING.map((list) => [
    list,
    plain[list].map((item) => ({ ...item, body: item.body === undefined ? undefined : numbers.get(item.body) })),
  ]);
  return serializeScene({ ...plain, ...Object.fromEntries(numbered) });
}

const UNLABELLED = { name: undefined, color: undefined, look: undefined };

/** The scene with a body or source called otherwise, wherever it is named. */
export function renameBody(scene: Scene, from: string, to: string): Scene {
  const own = (['bodies', 'emitters'] as const).map((list) => [
    list,
    scene[list].map((item) => refilled(item.name === from ? { ...item, name: to } : item, from, to)),
  ]);
  const referring = REFERRING.map((list) => [
    list,
    scene[list].map((item) => (item.body === from ? { ...item, body: to } : item)),
  ]);
  return { ...scene, ...Object.fromEntries([...own, ...referring]) };
}

/** A body that is filled into a vessel whose name changes. */
function refilled<B extends object>(body: B, from: string, to: string): B {
  const { shape } = body as { shape?: DescribedBody['shape'] };
  if (!shape || !('fill' in shape)) return body;
  const { vessel, level } = shape.fill;
  const named = (name: string) => (name === from ? to : name);
  return {
    ...body,
    shape: { fill: { vessel: typeof vessel === 'string' ? named(vessel) : vessel.map(named), level } },
  };
}
