import { expect, test } from 'vitest';
import { createWorld } from '../../src/index.js';

test('a strength of what cannot break is told to have no effect', async () => {
  const material = { tensileStrength: 1e4, fractureEnergy: 1, yieldStress: 1e3 };
  const body = { name: 'a', shape: { sphere: { radius: 0.1 } }, spacing: 0.04, material };
  const others = [{ kind: 'rigid' }, { kind: 'fluid' }] as const;
  for (const other of [{}, ...others]) {
    const world = await createWorld({ threads: 1 });
    try {
      world.addBody({ ...body, ...other });
      expect(world.warnings.some((text) => text.startsWith('a: has a tensileStrength without effect'))).toBe(
        Object.keys(other).length > 0,
      );
    } finally {
      await world.dispose();
    }
  }
});

test('a twist that asks for too short steps is named, and not an angularVelocity that nobody gave', async () => {
  const world = await createWorld({ threads: 1 });
  try {
    world.addBody({ name: 'a', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, twist: [0, 1e9, 0] });
    expect(() => world.checkSteps(1 / 30)).toThrow(/bodies\[0\]\.twist asks for/);
  } finally {
    await world.dispose();
  }
});
