import { describe, expect, it } from 'vitest';
import { createWorld, World } from '../../src/index.js';

const jelly = { density: 1000, youngsModulus: 2e4, poissonsRatio: 0.3 };

async function scene(threads: number): Promise<World> {
  const world = await createWorld({ threads });
  world.addBody({
    name: 'jelly',
    shape: { sphere: { radius: 0.1 } },
    position: [0, 0.11, 0],
    material: jelly,
    spacing: 0.025,
  });
  world.addBody({
    name: 'water',
    kind: 'fluid',
    shape: { sphere: { radius: 0.08 } },
    position: [0.5, 0.1, 0],
    material: { density: 1000, viscosity: 0.1 },
    spacing: 0.025,
  });
  world.addObstacle({ name: 'floor', shape: { plane: {} } });
  return world;
}

const show = (world: World) => {
  world.surfels('jelly').update();
  world.pointSurface('water').update();
  return [world.surfels('jelly').cloud.positions(), world.pointSurface('water').surface.positions()];
};

describe('surfaces of a world', () => {
  it('go on from a save to the same bits', async () => {
    const world = await scene(1);
    show(world);
    world.step(0.05);
    show(world);
    const other = await World.load(world.save(), { threads: 2 });
    for (const one of [world, other]) one.step(0.05);
    expect(other.stateHash()).toBe(world.stateHash());
    expect(show(other)).toEqual(show(world));
    await Promise.all([world.dispose(), other.dispose()]);
  });

  it('do not change what is simulated, and outlive a body that is added', async () => {
    const [plain, shown] = [await scene(1), await scene(1)];
    show(shown);
    for (const world of [plain, shown]) world.step(0.03);
    show(shown);
    const before = shown.surfels('jelly').cloud.positions();
    for (const world of [plain, shown]) {
      world.addBody({
        name: 'late',
        shape: { box: { size: [0.1, 0.1, 0.1] } },
        position: [-0.5, 0.2, 0],
        material: jelly,
        spacing: 0.025,
      });
    }
    shown.positions();
    expect(shown.surfels('jelly').cloud.positions()).toEqual(before);
    for (const world of [plain, shown]) world.step(0.02);
    expect(shown.stateHash()).toBe(plain.stateHash());
    await Promise.all([plain.dispose(), shown.dispose()]);
  });

  it('a liquid has no surfels', async () => {
    const world = await scene(1);
    expect(() => world.surfels('water')).toThrow('"water" is a liquid');
    await world.dispose();
  });
});
