/** Options that would have no effect are refused, or warned of. */
import { expect, test } from 'vitest';
import { type BodyInput, OptionError } from '../../src/index.js';
import { withWorld } from '../laws/support.js';

const CUBE = { shape: { box: { size: [0.1, 0.1, 0.1] as const } }, spacing: 0.025 };

test('an implicit integrator for a liquid alone is refused', async () => {
  await withWorld({ solver: { solid: { integrator: 'implicit' } } }, (world) => {
    world.addBody({ name: 'b', ...CUBE, kind: 'fluid' });
    expect(() => world.step(0.01)).toThrow(OptionError);
    expect(() => world.step(0.01)).toThrow('solver.solid.integrator has no effect without a body of kind solid');
  });
});

const BALL = { shape: { sphere: { radius: 0.1 } }, position: [0, 0.1, 0] as const, spacing: 0.02 };

test.each<[number, Partial<BodyInput>, string | undefined]>([
  [200, {}, undefined],
  [100, { ...BALL, lattice: 'octree' }, undefined],
  [200, { ...BALL, lattice: 'octree' }, 'its particles are of several sizes'],
  [200, { spacing: 0.02 }, 'those of what flows already 0.025 m apart: give it that spacing'],
])(
  'a solid that may reach its melting point but cannot melt is warned of: a plate of %d degrees, %o',
  async (temperature, body, reason) => {
    await withWorld({ temperature: 20 }, (world) => {
      world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature });
      const material = { meltingPoint: 150, latentHeat: 1e4, youngsModulus: 1e5 };
      world.addBody({ name: 'first', ...CUBE, position: [1, 0.05, 0], material });
      world.addBody({ name: 'b', ...CUBE, position: [0, 0.05, 0], material, ...body });
      const said = world.warnings.filter((text) => text.includes('may reach its meltingPoint'));
      expect(said).toHaveLength(reason === undefined ? 0 : 1);
      if (reason) expect(said[0]).toContain(reason);
    });
  },
);

test('surfels of a body whose particles split and merge are refused: they were not numbers', async () => {
  await withWorld({}, (world) => {
    world.addBody({ name: 'b', ...CUBE, discretisation: 'embedded' });
    expect(() => world.surfels('b')).toThrow('it has a point surface instead');
  });
});
