import { expect, test } from 'vitest';
import { createWorld } from '../../src/index.js';

test.each([
  [0.2, 0],
  [0.7, 1],
])('a liquid of which %d is left out warns %d times', async (share, count) => {
  const world = await createWorld({ threads: 1 });
  world.addBody({ name: 'water', kind: 'fluid', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.02 });
  const height = 0.2 * share;
  world.addObstacle({ shape: { box: { size: [0.4, height, 0.4] } }, position: [0, height / 2 - 0.1, 0] });
  world.stableTimeStep();
  expect(world.warnings.filter((text) => /left out/.test(text))).toHaveLength(count);
  await world.dispose();
});
