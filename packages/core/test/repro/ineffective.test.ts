/** Options that would have no effect are refused, or warned of. */
import { expect, test } from 'vitest';
import { type BodyInput, OptionError } from '../../src/index.js';
import { withWorld } from '../laws/support.js';

const CUBE = { shape: { box: { size: [0.1, 0.1, 0.1] as const } }, spacing: 0.025 };

test.each<[string, Partial<BodyInput>]>([
  ['a liquid', { kind: 'fluid' }],
  ['a viscoplastic body', { discretisation: 'embedded' }],
])('an implicit integrator for %s alone is refused', async (_, body) => {
  await withWorld({ solver: { solid: { integrator: 'implicit' } } }, (world) => {
    world.addBody({ name: 'b', ...CUBE, ...body });
    expect(() => world.step(0.01)).toThrow(OptionError);
    expect(() => world.step(0.01)).toThrow('solver.solid.integrator has no effect without a body of kind solid');
  });
});

test.each([
  [200, 1],
  [100, 0],
])('a solid that may reach its melting point is warned of: a plate of %d degrees', async (temperature, count) => {
  await withWorld({ temperature: 20 }, (world) => {
    world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature });
    const material = { meltingPoint: 150, latentHeat: 1e4 };
    world.addBody({ name: 'b', ...CUBE, position: [0, 0.05, 0], material });
    expect(world.warnings.filter((text) => text.includes('a solid does not melt'))).toHaveLength(count);
  });
});

test('surfels of a body whose particles split and merge are refused: they were not numbers', async () => {
  await withWorld({}, (world) => {
    world.addBody({ name: 'b', ...CUBE, discretisation: 'embedded' });
    expect(() => world.surfels('b')).toThrow('it has a point surface instead');
  });
});
