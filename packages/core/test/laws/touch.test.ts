import { describe, expect, test } from 'vitest';
import type { Shape, Vec3 } from '../../src/options/types.js';
import { sampleShape } from '../../src/sampling/index.js';
import { withWorld } from './support.js';

const SPACING = 0.04;
const TURNS: readonly Vec3[] = [
  [0, 0, 0],
  [0, 0, 45],
  [35, 0, 45],
  [10, 20, 70],
];

/** How high the origin of a body is when a floor begins to push it [m]: it falls at 1 m/s without gravity. */
async function heightAtTouch(shape: Shape, rotation: Vec3): Promise<number> {
  return withWorld({ gravity: [0, 0, 0] }, (world) => {
    const body = {
      name: 'b',
      shape,
      rotation,
      spacing: SPACING,
      position: [0, 0.3, 0] as Vec3,
      velocity: [0, -1, 0] as Vec3,
    };
    world.addBody({ ...body, material: { youngsModulus: 1e7 } });
    world.addObstacle({ shape: { plane: {} } });
    const read = (quantity: 'momentum' | 'position') => world.probe({ name: 'p', quantity })[1]!;
    const start = read('momentum');
    let height = 0;
    for (let step = 0; step < 2000 && Math.abs(read('momentum') / start - 1) < 1e-3; step++) {
      height = read('position');
      world.step(2e-4);
    }
    return height;
  });
}

describe('a body touches a floor with its surface, however it lies on the lattice', () => {
  // With the height of its centre and the sum of its curvatures there.
  const shapes: readonly [string, Shape, number, number][] = [
    ['ball', { sphere: { radius: 0.17 } }, 0.17, 2 / 0.17],
    ['torus on its side', { torus: { radius: 0.15, tube: 0.08 } }, 0.23, 1 / 0.23 + 1 / 0.08],
  ];
  for (const [name, shape, radius, curvature] of shapes) {
    test.each(
      name === 'ball'
        ? TURNS
        : [
            [90, 0, 0],
            [90, 30, 0],
            [90, 0, 20],
          ].map((turn) => turn as unknown as Vec3),
    )(`${name} turned by %f, %f, %f degrees`, async (...rotation) => {
      // Half a spacing to each side of a particle its surface is that much higher.
      const dip = ((SPACING / 2) ** 2 / 2) * curvature;
      const height = await heightAtTouch(shape, rotation as unknown as Vec3);
      expect(height).toBeLessThan(radius + 1e-3);
      expect(height).toBeGreaterThan(radius - dip - 1e-3);
    });
  }
});

test('boxes that their lattice fills touch by half a cell', () => {
  const { contactRadii } = sampleShape({ box: { size: [0.4, 0.2, 0.3] } }, { spacing: 0.1, lattice: 'cubic' });
  expect(contactRadii).toBeUndefined();
});

test('balls around particles touch the surface of a shape from within', () => {
  const radius = 0.5;
  for (const lattice of ['cubic', 'bcc', 'hcp', 'octree'] as const) {
    const found = sampleShape({ sphere: { radius } }, { spacing: 0.1, lattice, jitter: lattice === 'cubic' ? 0.2 : 0 });
    let touching = 0;
    for (let i = 0; i < found.spacings.length; i++) {
      const [x, y, z] = found.positions.subarray(3 * i, 3 * i + 3);
      const gap = radius - Math.hypot(x!, y!, z!) - found.contactRadii![i]!;
      // What is that near to half a cell is taken for it.
      expect(gap).toBeGreaterThan(-1e-3 * 0.1);
      if (gap < 1e-3 * 0.1) touching++;
    }
    // One for each cell of the surface, about.
    expect(touching).toBeGreaterThan((0.5 * 4 * Math.PI * radius ** 2) / 0.1 ** 2);
  }
});
