import { describe, expect, test } from 'vitest';
import { FORCES } from '../../src/forces/index.js';
import type { BodyInput } from '../../src/options/index.js';
import { createWorld } from '../../src/world.js';
import { attraction } from './attraction.js';
import { quotedFile, testedFile } from './quoted.js';

const BODIES: Record<string, Partial<BodyInput>> = {
  solid: { material: { youngsModulus: 1e5 } },
  rigid: { kind: 'rigid' },
  liquid: { kind: 'fluid' },
  viscoplastic: { discretisation: 'embedded', material: { youngsModulus: 1e5 } },
};

describe('docs/guides/add-a-force.md', () => {
  test('quotes the file that is tested here', () => {
    const folder = 'packages/core/test/guides';
    expect(quotedFile('add-a-force.md', 'packages/core/src/forces', folder)).toBe(
      testedFile(`${folder}/attraction.ts`),
    );
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
