import { expect, test } from 'vitest';
import { withWorld } from '../laws/support.js';

const SPACING = 0.2;
const IMPLICIT = { solver: { solid: { integrator: 'implicit' as const } } };

// The slowest wave of one particle, or of a row, has no length across it to be damped by.
test.each([
  ['one particle', 1, {}],
  ['two in a row', 2, {}],
  ['three in a row', 3, {}],
  ['one, implicit', 1, IMPLICIT],
  ['three, implicit', 3, IMPLICIT],
])('bodies of few particles may have damping: %s', async (_, length, options) => {
  for (const discretisation of ['linear', 'quadratic', 'embedded'] as const) {
    if (discretisation === 'embedded' && options === IMPLICIT) continue;
    await withWorld(options, (world) => {
      world.addBody({
        name: 'few',
        shape: { box: { size: [SPACING * length, SPACING, SPACING] } },
        spacing: SPACING,
        discretisation,
        angularVelocity: [0, 1, 0],
        material: { damping: 0.1 },
      });
      for (let frame = 0; frame < 10; frame++) world.step(1 / 30);
      world.setMaterial('few', { damping: 1 });
      world.step(1 / 30);
      for (const x of world.positions()) expect(Number.isFinite(x)).toBe(true);
      const fall = 9.81 * world.time;
      expect(world.probe({ name: 'v', quantity: 'velocity' })[1]! / -fall).toBeCloseTo(1, 2);
    });
  }
});
