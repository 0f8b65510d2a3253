import { expect, test } from 'vitest';
import { withWorld } from '../laws/support.js';

test('a particle that falls without a bounce comes down to the floor within the step that stops it', async () => {
  await withWorld({ gravity: [0, 0, 0], solver: { maxTimeStep: 0.01 } }, (world) => {
    // Radius 0.05 m; after 9 steps of 0.01 s at 3 m/s the gap is 0.03 m less than one more step's way.
    const points = { positions: new Float64Array(3), volumes: Float64Array.of(1e-3), spacings: Float64Array.of(0.1) };
    const shape = { box: { size: [0.1, 0.1, 0.1] as const } };
    world.addBody(
      { name: 'p', shape, position: [0, 0.33, 0], velocity: [0, -3, 0], material: { restitution: 0 } },
      points,
    );
    world.addObstacle({ shape: { plane: {} }, restitution: 0 });
    for (let step = 0; step < 20; step++) world.step(0.01);
    // It may come as near as its radius: without gravity it should then lie there, not hover a step's way above.
    expect(world.positions()[1]).toBeCloseTo(0.05, 5);
  });
});
