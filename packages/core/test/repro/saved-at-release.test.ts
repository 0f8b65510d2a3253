import { expect, test } from 'vitest';
import { parseScene, World } from '../../src/index.js';
import { loadScene } from '../../src/scene/load.js';

const scene = (end: number, fit: string) => `
phyxel: 1
bodies:
  - { name: bar, shape: { box: { size: [0.6, 0.15, 0.15] } }, spacing: 0.05, discretisation: ${fit},
      material: { youngsModulus: 5.0e+5 } }
constraints: [{ body: bar, region: { box: { min: [-1, -1, -1], max: [-0.2, 1, 1] } }, fix: true, end: ${end} }]
`;

test.each([
  ['at the end of a frame', 0.1, 'linear'],
  ['at the end of a frame', 0.1, 'quadratic'],
  ['within a frame', 0.125, 'linear'],
])('a world saved when a clamp lets go, %s (%d s, %s fit), goes on to the same bits', async (_, end, fit) => {
  const open = () => loadScene(parseScene(scene(end, fit), 'test.yaml').scene, { threads: 1 });
  const world = await open();
  world.stepTo(0.05);
  world.stepTo(0.1);
  const steps = world.stepsTo(0.15);
  let saved = world.time === end ? world.save() : undefined;
  for (let next = steps.next(); !next.done; next = steps.next()) if (next.value === end) saved = world.save();
  const loaded = await World.load(saved!, { threads: 1 });
  expect(loaded.time).toBe(end);
  loaded.stepTo(0.15);
  expect(loaded.stateHash()).toBe(world.stateHash());
  await world.dispose();
  await loaded.dispose();
});
