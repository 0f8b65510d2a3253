import { describe, expect, test, vi } from 'vitest';
import { inputTypes } from '../../../../scripts/build-types.mjs';
import { inputJsonSchema, parseScene, resolveScene, serializeScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { World } from '../../src/world.js';
import { quotedFile, testedFile } from './quoted.js';

// The line that the guide adds, and nothing else.
vi.mock('../../src/world/items/index.js', async (original) => {
  const library = await original<typeof import('../../src/world/items/index.js')>();
  const { ignitions } = await import('./ignitions.js');
  const { list } = await import('../../src/options/declare.js');
  Object.assign(library.ITEMS, { ignitions });
  return { ...library, itemFields: { ...library.itemFields, ignitions: list(ignitions.schema, ignitions.text) } };
});

const SCENE = `phyxel: 1
gravity: [0, 0, 0]
bodies:
  - { name: coal, shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05, material: { density: 1000, heatCapacity: 500 } }
ignitions:
  - { time: 0.015, body: coal, temperature: 600 }
  - { time: 0.03, body: coal }
`;
const MASS = 1;
const parse = (text: string) => parseScene(text, 'coal.yaml').scene;

describe('docs/guides/add-a-scene-object.md', () => {
  test('quotes the file that is tested here', () => {
    const folder = 'packages/core/test/guides';
    const quoted = quotedFile('add-a-scene-object.md', 'packages/core/src/world/items', folder);
    expect(quoted).toBe(testedFile(`${folder}/ignitions.ts`));
  });

  test('its checks, messages, text, schema and hover texts follow', () => {
    expect(() => parse(SCENE.replace('time: 0.015', 'time: -1'))).toThrow(
      'coal.yaml:6:13: ignitions[0].time must be >= 0 s, got -1',
    );
    expect(() => parse(SCENE.replace('body: coal, temp', 'body: cole, temp'))).toThrow(
      'ignitions[0].body is no body of this scene, got "cole"',
    );
    const scene = parse(SCENE);
    expect(parseScene(serializeScene(scene), 'coal.json').scene).toEqual(scene);
    expect(resolveScene(JSON.parse(serializeScene(scene)))).toEqual(scene);
    const types = inputTypes(inputJsonSchema());
    expect(types).toContain('export interface IgnitionInput');
    expect(types).toContain('readonly ignitions?: readonly IgnitionInput[]');
  });

  // Nothing takes heat away: it is m c T to the rounding of float32 masses.
  test('it acts in a scene, on time, once, and after a save', async () => {
    const world = await loadScene(parse(SCENE), { threads: 1 });
    expect(world.isThermal).toBe(false);
    world.stepTo(0.01);
    const later = await World.load(world.save(), { threads: 1 });
    for (const w of [world, later]) {
      w.stepTo(0.02);
      expect(w.heat() / (500 * MASS * 600)).toBeCloseTo(1, 5);
      w.setTemperature('coal', 100);
      w.stepTo(0.025);
      expect(w.heat() / (500 * MASS * 100)).toBeCloseTo(1, 5);
      w.stepTo(0.04);
      expect(w.heat() / (500 * MASS * 800)).toBeCloseTo(1, 5);
    }
    expect(later.stateHash()).toBe(world.stateHash());
    await Promise.all([world.dispose(), later.dispose()]);
  });

  test('programs add it, and are told what is wrong', async () => {
    const world = await loadScene(parse(SCENE.slice(0, SCENE.indexOf('ignitions'))), { threads: 1 });
    const add = (entry: object) => world.add('ignitions' as never, entry as never);
    add({ time: 0, body: 'coal', temperature: 50 });
    expect(() => add({ time: 0, body: 'wood' })).toThrow('"wood" is not in the world');
    expect(() => world.add('fires' as never, {} as never)).toThrow('"fires" is no list of what is put into a world');
    expect(() => add({ time: 0, body: 'coal', heat: 1 })).toThrow('ignitions.heat is not a known key');
    world.stepTo(0.01);
    expect(world.heat() / (500 * MASS * 50)).toBeCloseTo(1, 5);
    await world.dispose();
  });
});
