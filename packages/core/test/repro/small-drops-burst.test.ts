import { expect, test } from 'vitest';
import type { World } from '../../src/world.js';
import { present, withWorld } from '../laws/support.js';

const SPACING = 1e-3;
const WATER = { density: 1000, viscosity: 0.001, surfaceTension: 0.0728 };

/** Fastest that a particle is after any of some steps [m/s]. */
function fastestOf(world: World, steps: number, seconds: number): number {
  let fastest = 0;
  for (let k = 0; k < steps; k++) {
    world.step(seconds);
    fastest = Math.max(fastest, ...present(world).map(({ velocity }) => Math.hypot(...velocity)));
  }
  return fastest;
}

// The pressures of the last step were taken for a solution wherever they compressed nothing, however much they drove apart:
// small drops, drawn together by their tension, were driven apart by more and more, up to kilometres per second.

test.each([2, 3])('a few particles that tension draws together, %d along each side, gain no speed', async (side) => {
  await withWorld({ gravity: [0, 0, 0], threads: 1 }, (world) => {
    const size = side * SPACING;
    world.addBody({
      name: 'drop',
      kind: 'fluid',
      shape: { box: { size: [size, size, size] } },
      spacing: SPACING,
      jitter: 0.1,
      material: WATER,
    });
    // sqrt(2 tension area / mass) of a particle alone is 0.8 m/s.
    expect(fastestOf(world, 100, 1e-3)).toBeLessThan(0.8);
  });
});

test('water drips from a thin tap', async () => {
  await withWorld({ threads: 1 }, (world) => {
    world.addObstacle({ name: 'floor', shape: { plane: {} } });
    world.addEmitter({
      name: 'tap',
      position: [0, 0.05, 0],
      rotation: [180, 0, 0],
      radius: 1.5 * SPACING,
      speed: 0.2,
      spacing: SPACING,
      maxParticles: 2000,
      material: WATER,
    });
    // From 5 cm it falls at 1 m/s.
    expect(fastestOf(world, 40, 5e-3)).toBeLessThan(2);
  });
});
