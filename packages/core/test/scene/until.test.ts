import { describe, expect, test } from 'vitest';
import { createWorld, type Observed, reasonToStop, type SceneInput } from '../../src/index.js';
import { resolveScene } from '../../src/scene/schema.js';

const scene = (more: Partial<SceneInput>) =>
  resolveScene({
    phyxel: 1,
    name: 'drop',
    bodies: [{ name: 'cube', shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05 }],
    probes: [
      { name: 'place', body: 'cube', quantity: 'position' },
      { name: 'energy', quantity: 'energy' },
    ],
    ...more,
  });

/** Frames a tenth of a second apart. */
const frames = (speeds: readonly number[], height = 0, energy = 0): Observed[] =>
  speeds.map((maximumSpeed, k) => ({ time: k / 10, maximumSpeed, probes: [0, height, 0, energy] }));

describe('a run', () => {
  test('ends when nothing has moved for some time, not at a start from rest or at a turning point', () => {
    const resting = scene({ until: { atRest: { speed: 0.01, seconds: 0.2 } } });
    expect(reasonToStop(resting, frames([0]))).toBeUndefined();
    expect(reasonToStop(resting, frames([0, 0.5, 0.005, 0.5]))).toBeUndefined();
    expect(reasonToStop(resting, frames([0, 0.5, 0.005, 0.005]))).toBeUndefined();
    expect(reasonToStop(resting, frames([0, 0.5, 0.005, 0.005, 0.005]))).toBe(
      'nothing has moved faster than 0.01 m/s for 0.2 s',
    );
  });

  test('ends when a probe passes a value', () => {
    const falling = scene({
      until: {
        probes: [
          { probe: 'place.y', below: -1 },
          { probe: 'energy', above: 5 },
        ],
      },
    });
    expect(reasonToStop(falling, frames([0, 1], -1))).toBeUndefined();
    expect(reasonToStop(falling, frames([0, 1], -1.5))).toBe('place.y is -1.5, below -1');
    expect(reasonToStop(falling, frames([0, 1], 0, 6))).toBe('energy is 6, above 5');
    // What is not a number passes nothing.
    expect(reasonToStop(falling, frames([0, 1], Number.NaN))).toBeUndefined();
  });

  test.each([
    [{ until: {} }, 'is empty: give it atRest or probes'],
    [{ until: { probes: [{ probe: 'energy' }] } }, 'needs above or below: it would never end'],
    [
      { until: { probes: [{ probe: 'place', above: 1 }] } },
      'is no column of the probes, got "place"; columns are place.x',
    ],
    [{ until: { atRest: { speed: 0 } } }, 'must be > 0 m/s, got 0'],
    [{ static: true, until: { atRest: { speed: 1 } } }, 'has no effect on an equilibrium'],
  ])('is refused with %j', (more, message) => {
    expect(() => scene(more as never)).toThrow(message);
  });

  test('of a program ends when it says so', async () => {
    const world = await createWorld({ threads: 1 });
    world.addBody({ name: 'cube', shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05 });
    await world.advance(10, { until: ({ maximumSpeed }) => maximumSpeed > 0.5 });
    expect(world.time).toBeLessThan(0.1);
    await world.dispose();
  });
});
