import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, World } from '../../src/world.js';
import { boxMesh } from '../mesh/meshes.js';

/** Changes of a world at unusual moments. */
const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.dispose();
});

const CUBE = { name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] as const } }, particles: 216 };

async function fallingCube(): Promise<World> {
  const world = await createWorld({ threads: 1 });
  open.push(world);
  world.addBody({ ...CUBE, position: [0, 0.15, 0], material: { youngsModulus: 1e4 } });
  world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
  world.step(0.15);
  return world;
}

it('a material changed right after loading acts as without the load', async () => {
  const world = await fallingCube();
  const copy = await World.load(world.save(), { threads: 1 });
  open.push(copy);
  for (const one of [world, copy]) one.setMaterial('cube', { youngsModulus: 1e7 });
  expect(copy.stableTimeStep().timeStep).toBeCloseTo(world.stableTimeStep().timeStep, 9);
  for (const one of [world, copy]) one.step(0.01);
  expect(copy.stateHash()).toBe(world.stateHash());
});

it('a save of a particle that nothing limits is whole', async () => {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0] });
  open.push(world);
  const one = { positions: new Float64Array(3), volumes: Float64Array.of(1e-3), spacings: Float64Array.of(0.1) };
  world.addBody({ name: 'grain', shape: CUBE.shape }, one);
  world.step(0.1);
  const copy = await World.load(world.save(), { threads: 1 });
  open.push(copy);
  expect(copy.stateHash()).toBe(world.stateHash());
});

it('a constraint in mid-run that holds nothing is refused and leaves the world as it was', async () => {
  const world = await fallingCube();
  const hash = world.stateHash();
  expect(() => world.addConstraint({ body: 'cube', fix: true, end: 1e-9 })).toThrow('end must be after now');
  expect(() =>
    world.addConstraint({ body: 'cube', force: [1, 0, 0], region: { sphere: { center: [9, 9, 9], radius: 1 } } }),
  ).toThrow('holds no particle');
  expect(world.stateHash()).toBe(hash);
  world.step(0.01);
});

it('a body put into another in mid-run is refused', async () => {
  const world = await fallingCube();
  const hash = world.stateHash();
  expect(() => world.addBody({ ...CUBE, name: 'intruder', position: [0.05, 0.1, 0] })).toThrow('overlap');
  expect(world.stateHash()).toBe(hash);
  world.step(0.01);
});

describe('particles of a program', () => {
  const good = { positions: new Float64Array(6).fill(0.1), volumes: new Float64Array(2).fill(1e-3) };
  it.each([
    ['NaN', { ...good, positions: Float64Array.of(0, 0, Number.NaN, 1, 1, 1) }, 'points.positions[2] must be finite'],
    ['negative volume', { ...good, volumes: Float64Array.of(1, -1) }, 'points.volumes[1] must be > 0 m3'],
    ['lengths', { ...good, volumes: new Float64Array(3).fill(1) }, 'points.positions must have three numbers'],
    ['spacing 0', { ...good, spacings: new Float64Array(2) }, 'points.spacings[0] must be > 0 m'],
  ])('%s are refused', async (_, points, message) => {
    const world = await createWorld({ threads: 1 });
    open.push(world);
    expect(() => world.addBody({ name: 'a', shape: CUBE.shape }, points)).toThrow(message);
  });
});

it('a mesh is felt at the surface of coarse particles, whatever was added first', async () => {
  const heights: number[] = [];
  for (const order of ['body first', 'obstacle first', 'fine body elsewhere']) {
    const world = await createWorld({ threads: 1 });
    open.push(world);
    const addObstacle = () => world.addObstacle({ name: 'block', shape: { mesh: { data: boxMesh([0.2, 0.2, 0.2]) } } });
    if (order === 'obstacle first') addObstacle();
    if (order === 'fine body elsewhere') {
      world.addBody({ name: 'fine', shape: { box: { size: [0.05, 0.05, 0.05] } }, spacing: 0.01, position: [2, 5, 0] });
    }
    const spacing = 0.05;
    world.addBody({
      name: 'coarse',
      shape: { box: { size: [0.15, 0.15, 0.15] } },
      spacing,
      position: [0, 0.19, 0],
      material: { youngsModulus: 1e6, damping: 0.3 },
    });
    if (order !== 'obstacle first') addObstacle();
    for (let frame = 0; frame < 20; frame++) world.step(1 / 60);
    const { begin, end } = world.bodies.find((body) => body.name === 'coarse')!;
    const positions = world.positions();
    let lowest = Infinity;
    for (let i = begin; i < end; i++) lowest = Math.min(lowest, positions[4 * i + 1]!);
    heights.push(lowest);
    // The face is at 0.1 m and a particle's radius half a spacing; the distance grid rounds to a fraction of a cell.
    expect(lowest).toBeGreaterThan(0.1 + 0.4 * spacing);
    expect(lowest).toBeLessThan(0.1 + 0.6 * spacing);
  }
});
