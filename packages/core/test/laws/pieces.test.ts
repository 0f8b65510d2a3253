import { expect, test } from 'vitest';
import { createWorld, World } from '../../src/world.js';

/** A bar that is pulled apart at its weak section. */
async function torn() {
  const world = await createWorld({ gravity: [0, 0, 0], threads: 1 });
  world.addBody({
    name: 'bar',
    shape: { box: { size: [0.4, 0.1, 0.1] } },
    spacing: 0.05,
    material: { density: 1000, youngsModulus: 1e6, damping: 0.3, tensileStrength: 3e4 },
    regions: [{ region: { box: { min: [-0.03, -1, -1], max: [0.03, 1, 1] } }, set: { tensileStrength: 1e4 } }],
  });
  const move = [
    { time: 0, position: [0, 0, 0] as const },
    { time: 0.2, position: [0.02, 0, 0] as const },
  ];
  world.addConstraint({ body: 'bar', region: { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } }, fix: true });
  world.addConstraint({ body: 'bar', region: { box: { min: [0.14, -1, -1], max: [1, 1, 1] } }, move });
  return world;
}

const count = (world: World) => world.probe({ name: 'count', body: 'bar', quantity: 'pieces' });

test('pieces have names, a birth and probes, which a save keeps', async () => {
  let world = await torn();
  expect(world.brokenPieces()).toEqual([]);
  expect(count(world)).toEqual([1]);
  expect(world.probe({ name: 'later', body: 'bar#1', quantity: 'position' })).toEqual([NaN, NaN, NaN]);
  const births = [];
  for (let frame = 0; frame < 10; frame++) {
    const { pieces = [] } = world.step(0.02);
    for (const birth of pieces) {
      expect(birth.time).toBeGreaterThanOrEqual(world.time - 0.02);
      expect(birth.time).toBeLessThan(world.time);
    }
    births.push(...pieces);
  }
  expect(births).toEqual([{ name: 'bar#1', from: 'bar#0', time: expect.any(Number) }]);
  const [left, right] = world.brokenPieces('bar');
  expect([left!.name, right!.name]).toEqual(['bar#0', 'bar#1']);
  expect(left!.birth).toBeUndefined();
  expect(right!.birth).toEqual(births[0]);
  expect(count(world)).toEqual([2]);
  // They are all of the bar: mass, momentum, and the number of particles.
  expect(left!.mass + right!.mass).toBeCloseTo(world.mass, 6);
  expect(left!.particles + right!.particles).toBe(world.particleCount);
  for (const piece of [left!, right!]) {
    const momentum = world.probe({ name: 'p', body: piece.name, quantity: 'momentum' });
    for (let k = 0; k < 3; k++) expect(momentum[k]).toBeCloseTo(piece.mass * piece.velocity[k]!, 6);
    expect(world.probe({ name: 'x', body: piece.name, quantity: 'position' })[0]).toBeCloseTo(piece.position[0], 6);
  }
  expect(right!.position[0] - left!.position[0]).toBeGreaterThan(0.2);
  const again = await World.load(world.save(), { threads: 1 });
  expect(again.brokenPieces()).toEqual(world.brokenPieces());
  await world.dispose();
  world = again;
  // Nothing breaks off any more, and the names stay.
  for (let frame = 0; frame < 5; frame++) expect(world.step(0.02).pieces).toBeUndefined();
  expect(world.brokenPieces().map(({ name, birth }) => [name, birth])).toEqual([
    ['bar#0', undefined],
    ['bar#1', births[0]],
  ]);
  await world.dispose();
});

test('names of pieces are kept for pieces', async () => {
  const world = await createWorld({ threads: 1 });
  const shape = { sphere: { radius: 0.1 } };
  expect(() => world.addBody({ name: 'cup#1', shape, spacing: 0.05 })).toThrow(/name must not end in # and a number/);
  world.addBody({ name: 'cup', shape, spacing: 0.05 });
  expect(() => world.probe({ name: 'a', body: 'mug#1', quantity: 'position' })).toThrow(/"mug" is not in the world/);
  const gauge = { name: 'a', body: 'cup#1', quantity: 'velocity', at: [0, 0, 0] } as const;
  expect(() => world.probe(gauge)).toThrow(/body names a piece, which has no effect with at/);
  // What cannot break is one piece.
  expect(world.probe({ name: 'count', quantity: 'pieces' })).toEqual([1]);
  await world.dispose();
});
