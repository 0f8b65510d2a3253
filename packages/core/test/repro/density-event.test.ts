import { afterEach, expect, test, vi } from 'vitest';
import { block, SOME_BOX, withWorld } from '../laws/support.js';

afterEach(() => vi.restoreAllMocks());

test('an event that changes the density lets the step go on to its end', async () => {
  await withWorld({ gravity: [0, -10, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material: { density: 1000 } }, block([3, 3, 3], 0.1));
    world.addEvent({ time: 0.05, body: 'b', set: { density: 2000 } });
    // A step that never ends would hang the test: some thousand calls per step are plenty.
    const { min } = Math;
    let calls = 0;
    vi.spyOn(Math, 'min').mockImplementation((...values) => {
      if (++calls > 100_000) throw new Error('the step does not end');
      return min(...values);
    });
    world.step(0.1);
    expect(world.time).toBe(0.1);
    expect(world.mass).toBeCloseTo(54, 5);
    expect(world.probe({ name: 'v', quantity: 'velocity' })[1]).toBeCloseTo(-1, 4);
  });
});
