import { expect, test } from 'vitest';
import { OptionError } from '../../src/index.js';
import { block, SOME_BOX, withWorld } from '../laws/support.js';

test.each([
  ['fix', { fix: true }],
  ['move', { move: [{ time: 0.5 }, { time: 1, position: [0, 1, 0] as const }] }],
])(
  'a %s that begins later, when its particles are elsewhere, does not throw them back: it is refused',
  async (_, hold) => {
    await withWorld({ gravity: [0, 0, 0] }, (world) => {
      world.addBody({ name: 'b', shape: SOME_BOX, velocity: [1, 0, 0] }, block([3, 3, 3], 0.1));
      expect(() => {
        world.addConstraint({ body: 'b', start: 0.5, ...hold });
        world.step(1);
      }).toThrow(OptionError);
    });
  },
);
