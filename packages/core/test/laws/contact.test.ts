import { describe, expect, test } from 'vitest';
import type { Vec3 } from '../../src/options/types.js';
import { centerOf, withWorld } from './support.js';

const box = (size: number) => ({ box: { size: [size, size, size] as Vec3 } });
const floor = { shape: { plane: {} } };

test('free fall is a parabola', async () => {
  await withWorld({ gravity: [1, -9.81, 0.5] }, (world) => {
    const material = { youngsModulus: 1e5 };
    world.addBody({ name: 'b', shape: box(0.3), spacing: 0.1, position: [0, 10, 0], velocity: [2, 3, -1], material });
    for (let frame = 1; frame <= 10; frame++) {
      world.step(0.1);
      const t = world.time;
      const [x, y, z] = world.probe({ name: 'p', quantity: 'position' }) as [number, number, number];
      // Kick-drift-kick is exact under constant acceleration; float32 velocities of 10 m/s are good to 1e-6.
      expect(Math.abs(x - (2 * t + 0.5 * t * t))).toBeLessThan(2e-5);
      expect(Math.abs(y - (10 + 3 * t - 0.5 * 9.81 * t * t))).toBeLessThan(2e-5);
      expect(Math.abs(z - (-t + 0.25 * t * t))).toBeLessThan(2e-5);
    }
    expect(world.energy().elastic / world.energy().kinetic).toBeLessThan(1e-9);
  });
});

test('a body at rest on a floor stays at rest', async () => {
  await withWorld({}, (world) => {
    const material = { youngsModulus: 1e6, density: 1000, damping: 0.3 };
    world.addBody({ name: 'b', shape: box(0.4), spacing: 0.1, position: [0.3, 0.2, -0.1], material });
    world.addObstacle(floor);
    const start = world.positions();
    world.step(0.5);
    const settled = world.positions();
    world.step(1);
    const later = world.positions();
    // Its own weight presses it together by rho g L^2 / (2 E), 0.8 mm at the top, and by nothing else.
    const sag = (1000 * 9.81 * 0.4 * 0.4) / (2 * 1e6);
    for (let i = 0; i < start.length; i++) {
      expect(Math.abs(settled[i]! - start[i]!)).toBeLessThan(2 * sag);
      // Then it does not move any more: a tenth of a percent of the sag.
      expect(Math.abs(later[i]! - settled[i]!)).toBeLessThan(1e-3 * sag);
    }
    for (let i = 1; i < later.length; i += 4) expect(later[i]).toBeGreaterThan(0.05 - 1e-6);
  });
});

describe('a block on an incline', () => {
  const [angle, gravity] = [25, 9.81];
  const [sine, cosine] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];

  /** Distance slid down the slope after `seconds`, by the centre of mass. */
  async function slide(friction: number, seconds: number): Promise<number[]> {
    return withWorld({}, (world) => {
      const material = { youngsModulus: 1e6, density: 1000, damping: 0.3, friction };
      const size = { box: { size: [0.6, 0.3, 0.6] as Vec3 } };
      world.addBody({
        name: 'b',
        shape: size,
        spacing: 0.1,
        material,
        rotation: [0, 0, -angle],
        position: [0.15 * sine, 0.15 * cosine, 0],
      });
      world.addObstacle({ shape: { plane: { normal: [sine, cosine, 0] } }, friction });
      const at = () => {
        const [x, y] = world.probe({ name: 'p', quantity: 'position' }) as [number, number];
        return cosine * x - sine * y;
      };
      const before = at();
      const distances: number[] = [];
      for (let frame = 0; frame < 20; frame++) {
        world.step(seconds / 20);
        distances.push(at() - before);
      }
      return distances;
    });
  }

  test('sticks below the friction angle', async () => {
    const distances = await slide(1.3 * (sine / cosine), 1);
    // Shear under its own weight, rho g sin L^2 / (2 mu) = 0.5 mm, then nothing.
    expect(distances.at(-1)).toBeLessThan(1e-3);
    expect(Math.abs(distances.at(-1)! - distances[9]!)).toBeLessThan(2e-5);
  });

  test.each([0, 0.1, 0.3])('slides above it with g (sin - %f cos)', async (friction) => {
    const distances = await slide(friction, 0.6);
    const expected = gravity * (sine - friction * cosine);
    // From the second half, after the block has taken the load: second differences of the distance.
    const [a, b, c] = [distances[9]!, distances[14]!, distances[19]!];
    const measured = (c - 2 * b + a) / 0.15 ** 2;
    // Still swinging a little by 0.3 mm of 50 mm.
    expect(Math.abs(measured / expected - 1)).toBeLessThan(0.02);
  });
});

test('a bounce gives back the share of the approach speed that was asked for', async () => {
  await withWorld({ gravity: [0, 0, 0] }, (world) => {
    // One particle, so that nothing is left in vibration.
    const points = { positions: new Float64Array(3), volumes: Float64Array.of(1e-3), spacings: Float64Array.of(0.1) };
    world.addBody(
      { name: 'b', shape: box(0.1), position: [0, 1, 0], velocity: [0, -2, 0], material: { restitution: 0.6 } },
      points,
    );
    world.addObstacle({ ...floor, friction: 0 });
    world.step(1);
    expect(world.velocities()[1]).toBeCloseTo(1.2, 5);
  });
});

test('two bodies pile up on a floor without entering each other or the floor', async () => {
  await withWorld({}, (world) => {
    const material = { youngsModulus: 2e5, density: 1000, damping: 0.2 };
    world.addBody({ name: 'low', shape: box(0.4), spacing: 0.1, position: [0, 0.21, 0], material });
    world.addBody({ name: 'high', shape: box(0.3), spacing: 0.1, position: [0.03, 0.62, 0.02], material });
    world.addObstacle(floor);
    for (let frame = 0; frame < 80; frame++) {
      world.step(1 / 60);
      const p = world.positions();
      const [low, high] = [world.bodies[0]!, world.bodies[1]!];
      let nearest = Number.POSITIVE_INFINITY;
      for (let i = low.begin; i < low.end; i++) {
        // A particle keeps its contact radius to an obstacle.
        expect(p[4 * i + 1]).toBeGreaterThan(0.05 - 1e-5);
        for (let j = high.begin; j < high.end; j++) {
          nearest = Math.min(
            nearest,
            Math.hypot(p[4 * i]! - p[4 * j]!, p[4 * i + 1]! - p[4 * j + 1]!, p[4 * i + 2]! - p[4 * j + 2]!),
          );
        }
      }
      // Touching at 0.1 m; a landing at 1 m/s presses in by sqrt(m v^2 / k), some 40 % of that.
      expect(nearest).toBeGreaterThan(0.05);
    }
    const p = world.positions();
    const [low, high] = world.bodies.map(({ begin, end }) => centerOf(p, begin, end)) as [Vec3, Vec3];
    // At rest: half of each height apart, less what their weight presses.
    expect(high[1] - low[1]).toBeGreaterThan(0.3);
    expect(high[1] - low[1]).toBeLessThan(0.37);
    expect(Math.abs(high[0] - low[0])).toBeLessThan(0.06);
    // Hardly anything moves any more.
    world.step(0.1);
    const later = world.positions();
    for (let k = 0; k < p.length; k++) expect(Math.abs(later[k]! - p[k]!)).toBeLessThan(5e-3);
  });
});

test('a moving floor carries a body along', async () => {
  await withWorld({}, (world) => {
    const material = { youngsModulus: 1e6, density: 1000, damping: 0.3, friction: 1 };
    world.addBody({ name: 'b', shape: box(0.3), spacing: 0.1, position: [0, 0.15, 0], material });
    world.addObstacle({
      shape: { box: { size: [4, 1, 4] } },
      position: [0, -0.5, 0],
      friction: 1,
      keyframes: [{ time: 0 }, { time: 1, position: [0.5, 0.2, 0] }],
    });
    world.step(1.2);
    const [x, y] = world.probe({ name: 'p', quantity: 'position' }) as [number, number];
    // Friction 1 brings it to 0.5 m/s in 0.05 s: it lags by 13 mm and slides on by as much after the stop.
    expect(Math.abs(x - 0.5)).toBeLessThan(0.03);
    expect(Math.abs(y - 0.35)).toBeLessThan(0.005);
  });
});
