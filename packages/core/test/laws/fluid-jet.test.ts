import { expect, test } from 'vitest';
import { present, tank, withWorld } from './support.js';

const SPACING = 0.0025;
const RADIUS = 4 * SPACING;
const TOP = 0.3;

/** Flux through the cross-section between two depths below a tap, from speeds and the radius of gyration [m3/s]. */
function flux(points: ReturnType<typeof present>, from: number, to: number): number {
  const slice = points.filter(({ position: [, y] }) => TOP - y > from && TOP - y < to);
  const mean = (of: (point: (typeof slice)[number]) => number) =>
    slice.reduce((sum, point) => sum + of(point), 0) / slice.length;
  const square = 2 * mean(({ position: [x, , z] }) => x * x + z * z);
  return Math.PI * square * mean(({ velocity: [, v] }) => -v);
}

test('a jet that falls gets thinner as it gets faster', async () => {
  await withWorld({}, (world) => {
    world.addEmitter({
      name: 'tap',
      position: [0, TOP, 0],
      rotation: [180, 0, 0],
      radius: RADIUS,
      speed: 0.5,
      spacing: SPACING,
      maxParticles: 3000,
      material: { viscosity: 0.001, cohesion: 1000 },
    });
    world.addSink({ box: { min: [-1, -1, -1], max: [1, TOP - 0.16, 1] } });
    world.step(0.3);
    // What comes out; without cohesion two and three times as much at these depths, and the radius stays.
    const source = Math.PI * RADIUS ** 2 * 0.5;
    // The jet swells and shrinks: at one depth and over 0.2 s the flux is off by 0.08 to 0.29, as the start has it.
    const frames = 20;
    let share = 0;
    for (let k = 0; k < frames; k++) {
      world.step(0.02);
      const points = present(world);
      share += (flux(points, 0.06, 0.08) + flux(points, 0.12, 0.15)) / source / (2 * frames);
    }
    expect(Math.abs(share - 1)).toBeLessThan(0.2);
  });
});

test.each([1e3, 1e7])(
  'a splash of liquid that bears a pull of %d Pa stays finite and gains no energy',
  async (cohesion) => {
    await withWorld({}, (world) => {
      for (const wall of tank([-0.2, 0, -0.1], [0.2, 0, 0.1])) world.addObstacle(wall);
      world.addBody({
        name: 'water',
        kind: 'fluid',
        shape: { box: { size: [0.16, 0.2, 0.2] } },
        position: [-0.12, 0.1, 0],
        spacing: 0.02,
        material: { viscosity: 0.001, cohesion },
      });
      let before = world.energy().total;
      for (let k = 0; k < 10; k++) {
        world.step(0.1);
        const { total } = world.energy();
        expect(total).toBeLessThan(before + 1e-3 * Math.abs(before));
        before = total;
      }
      expect(present(world).every(({ position }) => position.every(Number.isFinite))).toBe(true);
    });
  },
);
