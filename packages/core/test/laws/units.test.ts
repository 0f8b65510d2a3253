import { expect, test } from 'vitest';
import type { Vec3 } from '../../src/options/types.js';
import { block, SOME_BOX, withWorld } from './support.js';

/**
 * A soft block that falls on a floor and a moving ball, in units of which the metre, the kilogram and
 * the second hold so many. Returns positions in metres.
 */
async function fall({
  metre,
  kilogram,
  second,
}: {
  metre: number;
  kilogram: number;
  second: number;
}): Promise<Float64Array> {
  const length = (v: Vec3): Vec3 => [v[0] * metre, v[1] * metre, v[2] * metre];
  const speed = (v: Vec3): Vec3 => length(v).map((x) => x / second) as unknown as Vec3;
  const pressure = kilogram / (metre * second * second);
  return withWorld({ gravity: length([0, -9.81, 0]).map((x) => x / second ** 2) as unknown as Vec3 }, (world) => {
    const points = block([5, 4, 4], 0.1, 0.1);
    const material = {
      youngsModulus: 1e5 * pressure,
      density: (1000 * kilogram) / metre ** 3,
      poissonsRatio: 0.3,
      damping: 0.1,
    };
    world.addBody(
      {
        name: 'b',
        shape: SOME_BOX,
        material,
        position: length([0, 0.3, 0]),
        velocity: speed([1, -1, 0]),
        angularVelocity: [0, 0, 2 / second],
      },
      {
        positions: points.positions.map((x) => x * metre),
        volumes: points.volumes.map((v) => v * metre ** 3),
        spacings: points.spacings.map((x) => x * metre),
      },
    );
    world.addObstacle({ shape: { plane: {} }, friction: 0.3 });
    world.addObstacle({
      shape: { sphere: { radius: 0.3 * metre } },
      position: length([0.8, 0.1, 0]),
      keyframes: [{ time: 0 }, { time: 0.4 * second, position: length([-0.2, 0, 0]) }],
    });
    for (let frame = 0; frame < 10; frame++) world.step(0.03 * second);
    return Float64Array.from(
      world.positions().filter((_, k) => k % 4 !== 3),
      (x) => x / metre,
    );
  });
}

test('units that differ by powers of two give the same motion to the last bit', async () => {
  const reference = await fall({ metre: 1, kilogram: 1, second: 1 });
  expect(await fall({ metre: 1024, kilogram: 1, second: 1 })).toEqual(reference);
  expect(await fall({ metre: 1 / 64, kilogram: 256, second: 4 })).toEqual(reference);
});

test('millimetres, grams and milliseconds give the same motion', async () => {
  const reference = await fall({ metre: 1, kilogram: 1, second: 1 });
  for (const units of [
    { metre: 1000, kilogram: 1, second: 1 },
    { metre: 1000, kilogram: 1000, second: 1000 },
  ]) {
    const other = await fall(units);
    // Other roundings, 6e-8, over some hundred steps of an impact.
    for (let k = 0; k < other.length; k++) expect(Math.abs(other[k]! - reference[k]!)).toBeLessThan(1e-4);
  }
});
