import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FORCES } from '../../src/forces/index.js';
import type { BodyInput } from '../../src/options/index.js';
import { createWorld } from '../../src/world.js';
import { attraction } from './attraction.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const BODIES: Record<string, Partial<BodyInput>> = {
  solid: { material: { youngsModulus: 1e5 } },
  rigid: { kind: 'rigid' },
  liquid: { kind: 'fluid' },
  viscoplastic: { discretisation: 'embedded', material: { youngsModulus: 1e5 } },
};

/** Imports by name: their order depends on where a file is. */
function sortImports(code: string): string {
  const lines = code.split('\n');
  const first = lines.findIndex((line) => !line.startsWith('import'));
  return [...lines.slice(0, first).sort(), ...lines.slice(first)].join('\n');
}

describe('docs/guides/add-a-force.md', () => {
  test('quotes the file that is tested here', () => {
    const [, code] = /```ts\n(import[\s\S]*?)```/.exec(read('../../../../docs/guides/add-a-force.md'))!;
    const moved = code!
      .replaceAll("from '../options/", "from '../../src/options/")
      .replace("'./force.js'", "'../../src/forces/force.js'");
    expect(sortImports(moved)).toBe(sortImports(read('./attraction.ts')));
  });

  // A quarter of a period of 2 s; the step is short beside it, and the ball is small beside the way.
  test.each(Object.keys(BODIES))(
    'has a force that moves a %s to the centre in a quarter of its period',
    async (phase) => {
      Object.assign(FORCES, { attraction });
      const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { maxTimeStep: 1e-3 } });
      Object.assign(world.forces, { attraction: attraction.schema.parse({ rate: Math.PI }) });
      const shape = { sphere: { radius: 0.05 } };
      world.addBody({ name: 'ball', shape, spacing: 0.02, position: [1, 0, 0], ...BODIES[phase] } as BodyInput);
      world.step(0.5);
      const [x] = world.probe({ name: 'x', body: 'ball', quantity: 'position' });
      expect(Math.abs(x!)).toBeLessThan(0.01);
      Reflect.deleteProperty(FORCES, 'attraction');
      await world.dispose();
    },
  );
});
