import { afterEach, expect, it } from 'vitest';
import { createWorld, World } from '../../src/world.js';

/**
 * Candidate lists of a fixed length overflowed where fine particles met coarse ones or a body was
 * squashed: one of two touching particles was pushed and not the other, bodies passed through each
 * other, and a resumed run differed.
 */
const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.dispose();
});

const SOFT = { density: 1000, youngsModulus: 2e4, poissonsRatio: 0.3, friction: 0 };

it.each([2, 4, 6])('boxes whose spacings differ by %i collide and keep their momentum', async (ratio) => {
  const world = await createWorld({ threads: 2, gravity: [0, 0, 0] });
  open.push(world);
  const fine = 0.02;
  world.addBody({ name: 'fine', shape: { box: { size: [0.12, 0.12, 0.12] } }, spacing: fine, material: SOFT });
  world.addBody({
    name: 'coarse',
    shape: { box: { size: [0.24, 0.24, 0.24] } },
    position: [-0.2, 0, 0],
    velocity: [1, 0, 0],
    spacing: fine * ratio,
    material: SOFT,
  });
  const before = world.momentum();
  for (let frame = 0; frame < 20; frame++) world.step(1 / 60);
  const after = world.momentum();
  // Equal and opposite forces, summed in float32.
  for (let a = 0; a < 3; a++) expect(Math.abs(after[a]! - before[a]!)).toBeLessThan(1e-5 * before[0]!);
  const fastBox = world.probe({ name: 'coarse', body: 'coarse', quantity: 'position' });
  const pushedBox = world.probe({ name: 'fine', body: 'fine', quantity: 'position' });
  // Centres stay apart by the half sizes, less what soft boxes give.
  expect(pushedBox[0]! - fastBox[0]!).toBeGreaterThan(0.12);
});

it('a squashed pile continues from a save to the same bits', async () => {
  const world = await createWorld({ threads: 2 });
  open.push(world);
  const material = { density: 1000, youngsModulus: 8e3, poissonsRatio: 0.3 };
  for (let k = 0; k < 3; k++) {
    world.addBody({
      name: `cube ${k}`,
      shape: { box: { size: [0.1, 0.1, 0.1] } },
      position: [0.02 * k, 0.06 + 0.11 * k, 0],
      velocity: [0, -2, 0],
      spacing: 0.0125,
      material,
    });
  }
  world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
  for (let frame = 0; frame < 8; frame++) world.step(1 / 60);
  const copy = await World.load(world.save(), { threads: 1 });
  open.push(copy);
  for (let frame = 0; frame < 8; frame++) {
    world.step(1 / 60);
    copy.step(1 / 60);
    expect(copy.stateHash()).toBe(world.stateHash());
  }
});

it('soft boxes that meet faster than sound in them do not pass through each other', async () => {
  const world = await createWorld({ threads: 2, gravity: [0, 0, 0] });
  open.push(world);
  const spacing = 0.02;
  for (const side of [-1, 1]) {
    world.addBody({
      name: `box ${side}`,
      shape: { box: { size: [0.16, 0.16, 0.16] } },
      position: [0.09 * side, 0.013 * side, 0.007 * side],
      velocity: [-8 * side, 0, 0],
      spacing,
      material: { density: 1000, youngsModulus: 3e4, poissonsRatio: 0.3 },
    });
  }
  const closest = () => {
    const x = world.positions();
    const [a, b] = world.bodies;
    let least = Infinity;
    for (let i = a!.begin; i < a!.end; i++) {
      for (let j = b!.begin; j < b!.end; j++) {
        least = Math.min(
          least,
          Math.hypot(x[4 * i]! - x[4 * j]!, x[4 * i + 1]! - x[4 * j + 1]!, x[4 * i + 2]! - x[4 * j + 2]!),
        );
      }
    }
    return least / spacing;
  };
  for (let frame = 0; frame < 20; frame++) {
    world.step(1 / 60);
    // Only the surfaces, on springs as stiff as the material, let centres come to 4 % of a spacing and slip past.
    expect(closest()).toBeGreaterThan(0.4);
  }
});
