import { describe, expect, test } from 'vitest';
import { type BodyInput, type ObstacleInput, World } from '../../src/index.js';
import { sampleShape } from '../../src/sampling/index.js';
import { withWorld } from '../laws/support.js';

const SPACING = 0.04;
const MATERIAL = { density: 1000, youngsModulus: 5e4 };
const ball = (height: number, more: object = {}): BodyInput => ({
  name: 'ball',
  shape: { sphere: { radius: 0.1 } },
  spacing: SPACING,
  position: [0, height, 0],
  material: MATERIAL,
  ...more,
});
const FLOOR: ObstacleInput = { name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } };
const CUBE = {
  positions: Float64Array.from(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [k & 1, (k >> 1) & 1, k >> 2].map((x) => x - 0.5)),
  ),
  triangles: Uint32Array.from([
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
  ]),
};

/** Everything around the origin, half a metre and more in every direction. */
const OBSTACLES: Record<string, ObstacleInput> = {
  plane: { name: 'wall', shape: { plane: { normal: [0, 1, 0], offset: 0.5 } } },
  box: { name: 'wall', shape: { box: { size: [1, 1, 1] } } },
  sphere: { name: 'wall', shape: { sphere: { radius: 0.6 } } },
  capsule: { name: 'wall', shape: { capsule: { radius: 0.5, length: 1 } } },
  cylinder: { name: 'wall', shape: { cylinder: { radius: 0.5, length: 1 } } },
  torus: { name: 'wall', shape: { torus: { radius: 1, tube: 0.5 } }, position: [1, 0, 0] },
  mesh: { name: 'wall', shape: { mesh: { data: CUBE } } },
  moving: {
    name: 'wall',
    shape: { box: { size: [1, 1, 1] } },
    position: [5, 0, 0],
    keyframes: [
      { time: 0, position: [-5, 0, 0] },
      { time: 1, position: [0, 0, 0] },
    ],
  },
};
const SOFT: Record<string, object> = {
  solid: {},
  quadratic: { discretisation: 'quadratic' },
  embedded: { discretisation: 'embedded' },
  melt: { kind: 'fluid', material: { density: 1000, elastic: true, youngsModulus: 1e4 } },
};

describe('a body deep inside an obstacle is refused', () => {
  test.each(Object.keys(OBSTACLES))('of the kind %s', async (kind) => {
    await withWorld({}, (world) => {
      world.addBody(ball(0));
      world.addObstacle(OBSTACLES[kind]!);
      expect(() => world.step(0.1)).toThrow(
        /bodies\[0\].position puts "ball" deep into the obstacle "wall" at the start, by .* m near .*; at most a spacing, 0.0400 m, is allowed: move one of them/,
      );
    });
  });

  test.each(Object.keys(SOFT))('when it is %s', async (kind) => {
    await withWorld({}, (world) => {
      world.addBody(ball(0, SOFT[kind]));
      world.addObstacle(FLOOR);
      expect(() => world.step(0.1)).toThrow('deep into the obstacle "floor"');
    });
  });

  test('but what a constraint holds may be', async () => {
    await withWorld({}, (world) => {
      world.addBody(ball(0));
      world.addObstacle(OBSTACLES.box!);
      world.addConstraint({ body: 'ball', region: { all: true }, fix: true });
      world.step(0.01);
      expect(world.energy().kinetic).toBe(0);
    });
  });

  test.each(['solid', 'embedded'])('what is let go there is not: %s', async (kind) => {
    await withWorld({}, (world) => {
      world.addBody(ball(0, SOFT[kind]));
      world.addObstacle(OBSTACLES.box!);
      world.addConstraint({ body: 'ball', region: { all: true }, fix: true, end: 0.1 });
      expect(() => world.step(0.01)).toThrow(
        /puts "ball" deep into the obstacle "wall" at the start, .* is allowed, and it is let go at 0.1 s: move/,
      );
    });
    await withWorld({}, (world) => {
      world.addBody(ball(0, SOFT[kind]));
      // It is gone by then.
      const keyframes = [{ time: 0 }, { time: 0.05, position: [5, 0, 0] as const }];
      world.addObstacle({ ...OBSTACLES.box!, keyframes });
      world.addConstraint({ body: 'ball', region: { all: true }, fix: true, end: 0.1 });
      world.step(0.01);
      expect(world.energy().kinetic).toBe(0);
    });
  });

  test.each(['solid', 'embedded'])('nor what is only pushed, or held along some axes: %s', async (kind) => {
    for (const constraint of [{ force: [1, 0, 0] as const }, { fix: ['x'] as const }]) {
      await withWorld({}, (world) => {
        world.addBody(ball(0, SOFT[kind]));
        world.addObstacle(OBSTACLES.box!);
        world.addConstraint({ body: 'ball', region: { all: true }, ...constraint } as never);
        expect(() => world.step(0.01)).toThrow('deep into the obstacle');
      });
    }
  });

  test('and one that comes later leaves the world as it was', async () => {
    await withWorld({}, (world) => {
      world.addBody(ball(0));
      world.step(0.01);
      const hash = world.stateHash();
      expect(() => world.addObstacle(OBSTACLES.box!)).toThrow(
        'obstacles[0].position puts "ball" deep into the obstacle "wall" at 0.0100 s',
      );
      expect(world.stateHash()).toBe(hash);
      world.step(0.01);
    });
  });
});

describe('a body that overlaps an obstacle by a spacing', () => {
  const WAYS: Record<string, [object, object]> = {
    explicit: [{}, {}],
    quadratic: [{}, SOFT.quadratic!],
    embedded: [{}, SOFT.embedded!],
    implicit: [{ solver: { solid: { integrator: 'implicit' } } }, {}],
  };

  // The floor lifts it by at most a tenth of the speed of a fall through the depth: 0.5 m v^2 is 0.01 J, and elastic
  // energy of the weight comes and goes. All at once it was 5 J.
  test.each(Object.keys(WAYS))('is let out gently: %s', async (way) => {
    const [options, body] = WAYS[way]!;
    await withWorld(options, (world) => {
      world.addBody(ball(0.06, { ...body, material: { ...MATERIAL, damping: 0.2 } }));
      world.addObstacle(FLOOR);
      expect(world.warnings.join()).toMatch(
        /ball: begins 0.040 m inside the obstacle "floor", which pushes it out in the first 0.64 s/,
      );
      let fastest = 0;
      for (let k = 0; k < 40; k++) {
        world.step(1 / 30);
        fastest = Math.max(fastest, world.energy().kinetic);
      }
      expect(fastest).toBeLessThan(0.03);
      // It rests on the floor, sunk in by its weight: by 15 mm, says Hertz, of which 2.5 spacings in the radius show more
      // than half.
      const [, y] = world.probe({ name: 'centre', body: 'ball', quantity: 'position' });
      expect(y).toBeGreaterThan(0.084);
      expect(y).toBeLessThan(0.0925);
    });
  });

  test('goes on from a save to the same bits', async () => {
    await withWorld({}, async (world) => {
      world.addBody(ball(0.08));
      world.addObstacle(FLOOR);
      world.step(0.1);
      const copy = await World.load(world.save(), { threads: 1 });
      world.step(0.1);
      copy.step(0.1);
      expect(copy.stateHash()).toBe(world.stateHash());
      await copy.dispose();
    });
  });

  test('is out of it at once in an equilibrium', async () => {
    await withWorld({}, (world) => {
      world.addBody(ball(0.08));
      world.addObstacle(FLOOR);
      world.solveStatic();
      const heights = world.positions().filter((_, k) => k % 4 === 1);
      const { contactRadii } = sampleShape({ sphere: { radius: 0.1 } }, { spacing: SPACING, lattice: 'cubic' });
      for (const [i, height] of heights.entries()) expect(height - contactRadii![i]!).toBeGreaterThan(-1e-3 * SPACING);
    });
  });
});

describe('a liquid', () => {
  const WATER = { kind: 'fluid', material: { density: 1000 } };

  test('wholly inside an obstacle is an error', async () => {
    await withWorld({}, (world) => {
      world.addBody(ball(0, WATER));
      world.addObstacle(OBSTACLES.plane!);
      expect(() => world.step(0.1)).toThrow(
        /bodies\[0\].position leaves nothing of the liquid "ball": all its \d+ particles are inside obstacles or other bodies: move one of them/,
      );
    });
  });

  test('that an obstacle comes into is not thrown about', async () => {
    await withWorld({ gravity: [0, 0, 0] }, (world) => {
      world.addBody(ball(0, { ...WATER, shape: { box: { size: [0.4, 0.4, 0.4] } } }));
      world.step(0.01);
      world.addObstacle({ name: 'late', shape: { sphere: { radius: 0.08 } } });
      world.step(0.1);
      expect(Math.sqrt((2 * world.energy().kinetic) / world.mass)).toBeLessThan(0.3);
    });
  });

  // Right on the floor the first layers left at 1e16 m/s, half a spacing above it with 40 times their energy.
  test.each([0.4, 0.05, 0, -0.01])('has no source in or right on an obstacle: %f m', async (depth) => {
    await withWorld({}, (world) => {
      const material = { density: 1000 };
      world.addEmitter({
        name: 'jet',
        radius: 0.05,
        speed: 1,
        spacing: 0.02,
        position: [0, -depth, 0],
        maxParticles: 500,
        material,
      });
      world.addObstacle(FLOOR);
      expect(() => world.step(0.1)).toThrow(
        'emitters[0].position puts the opening of "jet" into the obstacle "floor" or right onto it; it needs 0.012 m of room: move one of them',
      );
    });
  });
});
