import { expect, test } from 'vitest';
import { createWorld } from '../../src/index.js';

test.each([
  { sphere: { center: [0, 0.5, 0], radius: 0.3 } },
  { box: { min: [-0.2, 0.3, -0.2], max: [0.2, 0.7, 0.2] } },
] as const)('a region around all of a body holds it as "all" does', async (region) => {
  const world = await createWorld({ threads: 1 });
  world.addBody({ name: 'cube', shape: { box: { size: [0.3, 0.3, 0.3] } }, position: [0, 0.5, 0], spacing: 0.1 });
  world.addConstraint({ body: 'cube', region, fix: ['x', 'y', 'z'] });
  const before = [...world.positions()];
  world.step(0.05);
  expect([...world.positions()]).toEqual(before);
  await world.dispose();
});
