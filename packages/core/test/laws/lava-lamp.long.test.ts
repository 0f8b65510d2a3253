import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadScene } from '../../src/scene/load.js';
import { parseScene } from '../../src/scene/parse.js';

test('wax that is heated from below and cooled from above rises, sinks, and rises again', async () => {
  const file = new URL('../../../../examples/lava-lamp-heat.yaml', import.meta.url);
  const { scene } = parseScene(await readFile(file, 'utf8'), 'lava-lamp-heat.yaml');
  const world = await loadScene(scene, { threads: 1, readFile: (name) => readFile(new URL(name, file)) });
  const heights: number[] = [];
  // As shares of the way from the heater up to the cooler.
  const [heater, cooler] = [0.02, 0.12];
  while (world.time < 4.9) {
    world.step(0.1);
    const y = world.probe({ name: 'wax', body: 'wax', quantity: 'position' })[1]!;
    heights.push((y - heater) / (cooler - heater));
  }
  const up = heights.findIndex((y) => y > 0.62);
  const down = heights.findIndex((y, k) => k > up && y < 0.34);
  const again = heights.findIndex((y, k) => k > down && y > 0.54);
  expect(heights[0]).toBeLessThan(0.23);
  expect(up).toBeGreaterThan(0);
  expect(down).toBeGreaterThan(up);
  expect(again).toBeGreaterThan(down);
  await world.dispose();
});
