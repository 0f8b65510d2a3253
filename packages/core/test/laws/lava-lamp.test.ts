import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadScene } from '../../src/scene/load.js';
import { parseScene } from '../../src/scene/parse.js';

test('wax that is heated from below and cooled from above rises, sinks, and rises again', async () => {
  const file = new URL('../../../../examples/lava-lamp-heat.yaml', import.meta.url);
  const { scene } = parseScene(await readFile(file, 'utf8'), 'lava-lamp-heat.yaml');
  const world = await loadScene(scene, { threads: 1 });
  const heights: number[] = [];
  while (world.time < 4.9) {
    world.step(0.1);
    heights.push(world.probe({ name: 'wax', body: 'wax', quantity: 'position' })[1]!);
  }
  // In a tank of 0.13 m.
  const up = heights.findIndex((y) => y > 0.08);
  const down = heights.findIndex((y, k) => k > up && y < 0.045);
  const again = heights.findIndex((y, k) => k > down && y > 0.07);
  expect(heights[0]).toBeLessThan(0.03);
  expect(up).toBeGreaterThan(0);
  expect(down).toBeGreaterThan(up);
  expect(again).toBeGreaterThan(down);
  await world.dispose();
}, 120_000);
