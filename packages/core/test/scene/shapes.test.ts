import { describe, expect, test } from 'vitest';
import { createWorld, loadScene, meshMeasures, parseScene, serializeScene } from '../../src/index.js';
import type { SceneInput } from '../../src/options/index.js';
import { prepareShapes } from '../../src/scene/meshes.js';
import { resolveScene } from '../../src/scene/schema.js';

const readMesh = () => Promise.reject(new Error('there is no mesh'));

/** A pot with walls of 0.1 m: 0.8 m wide and 0.9 m deep within. */
const POT = {
  name: 'pot',
  shape: {
    difference: [
      { shape: { box: { size: [1, 1, 1] } } },
      { shape: { box: { size: [0.8, 1, 0.8] } }, position: [0, 0.1, 0] },
    ],
  },
} as const;
const water = (level: number, vessel: string | string[] = 'pot') =>
  ({ name: 'water', kind: 'fluid', spacing: 0.05, shape: { fill: { vessel, level } } }) as const;
const scene = (parts: Pick<SceneInput, 'bodies' | 'obstacles'>) => resolveScene({ phyxel: 1, ...parts });

/** Volumes of the meshes of bodies. */
async function volumes(parts: Pick<SceneInput, 'bodies' | 'obstacles'>): Promise<number[]> {
  const { bodies } = await prepareShapes(scene(parts), readMesh);
  return bodies.map(({ shape }) => ('mesh' in shape ? meshMeasures(shape.mesh.data!).volume : Number.NaN));
}

describe('what a vessel holds', () => {
  // Faces in one plane are moved apart by a millionth of the extent.
  test('is its inside up to the level', async () => {
    const [volume] = await volumes({ obstacles: [POT], bodies: [water(0.1)] });
    expect(volume).toBeCloseTo(0.8 * 0.8 * 0.5, 5);
  });

  test('leaves out bodies that stand or float in it, and obstacles', async () => {
    const [volume] = await volumes({
      obstacles: [POT, { name: 'post', shape: { box: { size: [0.1, 2, 0.1] } }, position: [0.3, 0.6, 0.3] }],
      bodies: [
        water(0.1),
        { shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, -0.3, 0], spacing: 0.05 },
        { kind: 'rigid', shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [-0.2, 0.1, 0.2], spacing: 0.05 },
        { kind: 'rigid', shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [-0.2, -0.1, -0.2], spacing: 0.05 },
      ],
    });
    expect(volume).toBeCloseTo(0.8 * 0.8 * 0.5 - 0.1 * 0.1 * 0.5 - 0.2 ** 3 - 0.1 ** 3 / 2 - 0.1 ** 3, 5);
  });

  test('comes in layers, and lies between planes and boxes', async () => {
    const plane = (normal: [number, number, number], offset: number) => ({ shape: { plane: { normal, offset } } });
    const [lower, upper] = await volumes({
      obstacles: [
        plane([0, 1, 0], 0),
        plane([0, 0, 1], -0.5),
        plane([0, 0, -1], -0.5),
        { name: 'left', shape: { box: { size: [0.1, 1, 1] } }, position: [-0.55, 0.5, 0] },
        { name: 'right', shape: { box: { size: [0.1, 1, 1] } }, position: [0.55, 0.5, 0] },
      ],
      bodies: [water(0.3, ['left', 'right']), { ...water(0.5, ['left', 'right']), name: 'oil' }],
    });
    expect(lower).toBeCloseTo(0.3, 5);
    expect(upper).toBeCloseTo(0.2, 5);
  });

  test('is the inside of a rigid cup as well', async () => {
    const [, volume] = await volumes({
      bodies: [{ ...POT, kind: 'rigid', position: [0, 0, 2], rotation: [0, 30, 0], spacing: 0.05 }, water(0.1)],
    });
    expect(volume).toBeCloseTo(0.8 * 0.8 * 0.5, 5);
  });

  test.each([
    [
      'runs out over the rim',
      [POT],
      water(0.6),
      'bodies[0].shape.fill holds nothing: what is below 0.6 m runs out of the vessel',
    ],
    [
      'runs out between walls',
      [{ name: 'pot', shape: { box: { size: [0.1, 1, 1] as const } } }],
      water(0.1),
      'runs out of the vessel',
    ],
    [
      'is below the bottom',
      [POT],
      water(-0.6),
      'bodies[0].shape.fill.level must be > -0.5 m, the lowest point of the vessel, got -0.6',
    ],
    [
      'names nothing',
      [POT],
      water(0.1, 'pott'),
      'bodies[0].shape.fill.vessel names no obstacle and no body that is there, got "pott", did you mean "pot"?',
    ],
    [
      'is moved',
      [POT],
      { ...water(0.1), position: [0, 1, 0] as const },
      'bodies[0].shape.fill is where the vessel is: leave out position and rotation',
    ],
    ['is held by planes alone', [{ name: 'pot', shape: { plane: {} } }], water(0.1), 'must name more than planes'],
  ])('%s: refused', async (_, obstacles, body, message) => {
    await expect(volumes({ obstacles, bodies: [body] } as never)).rejects.toThrow(message);
  });
});

describe('scenes with shapes made of others', () => {
  test('are written as they were read', () => {
    const made = scene({ obstacles: [POT], bodies: [water(0.1)] });
    const again = parseScene(serializeScene(made), 'again.json').scene;
    expect(again).toEqual(made);
  });

  test('say where a shape is that cannot be made', async () => {
    const parts = [{ shape: { box: { size: [1, 1, 1] } } }, { shape: { box: { size: [2, 2, 2] } } }] as const;
    await expect(volumes({ bodies: [{ shape: { difference: parts } }] })).rejects.toThrow(
      'bodies[0].shape cannot be made: difference has no volume',
    );
    expect(() => scene({ bodies: [{ shape: { union: [{ shape: { box: { size: [1, 1] } } }] } } as never] })).toThrow(
      'bodies[0].shape.union',
    );
    expect(() =>
      scene({
        bodies: [
          {
            shape: {
              extrusion: {
                polygon: [
                  [0, 0],
                  [1, 0],
                ],
                length: 1,
              },
            },
          } as never,
        ],
      }),
    ).toThrow('bodies[0].shape.extrusion.polygon must have at least three corners');
  });

  test('have the mass of their volume', async () => {
    const plate = { box: { size: [0.4, 0.4, 0.1] } } as const;
    const hole = { shape: { cylinder: { radius: 0.1, length: 0.1 } }, rotation: [90, 0, 0] } as const;
    const body = { shape: { difference: [{ shape: plate }, hole] }, spacing: 0.02 } as const;
    const world = await loadScene(scene({ bodies: [body] }), { threads: 1 });
    expect(world.bodies[0]!.mass).toBeCloseTo(1000 * (0.4 * 0.4 - Math.PI * 0.01) * 0.1, 2);
    // Whole layers between the faces.
    expect(world.bodies[0]!.quality!.volumeBeforeCorrection).toBeLessThan(0.01);
    await world.dispose();
  });

  test('are the same to programs', async () => {
    const loaded = await loadScene(scene({ obstacles: [POT], bodies: [water(0.1)] }), { threads: 1 });
    const world = await createWorld({ threads: 1 });
    world.addObstacle(POT);
    world.addBody(water(0.1));
    for (const w of [loaded, world]) w.step(1 / 30);
    expect(world.stateHash()).toBe(loaded.stateHash());
    await world.dispose();
    await loaded.dispose();
  });
});
