import { expect, test } from 'vitest';
import { block, SOME_BOX, withWorld } from '../laws/support.js';

test.each([
  ['fix', { fix: true }],
  ['move', { move: [{ time: 0.5 }, { time: 1, position: [0, 1, 0] as const }] }],
])('a %s that begins later, when its particles are elsewhere, does not throw them back', async (_, hold) => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, velocity: [1, 0, 0] }, block([3, 3, 3], 0.1));
    world.addConstraint({ body: 'b', start: 0.5, ...hold });
    world.step(1);
    expect(world.positions()[0]).toBeCloseTo(-0.1 + 0.5, 5);
    expect(world.positions()[1]).toBeCloseTo('move' in hold ? 0.9 : -0.1, 5);
  });
});
