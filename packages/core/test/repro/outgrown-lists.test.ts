import { expect, test } from 'vitest';
import { createWorld, World } from '../../src/index.js';
import { Arena } from '../../src/memory/arena.js';

test('pieces that are given back are used again, and grow where they are when nothing is behind them', () => {
  const arena = new Arena(false, 1024);
  const [a, b, c] = [arena.allocate(100), arena.allocate(100), arena.allocate(100)];
  arena.giveBack(a!);
  arena.giveBack(b!);
  // Two gaps that touch are one.
  arena.u32(a!, 50).fill(7);
  const joined = arena.allocateInGap(200);
  expect(joined).toBe(a);
  expect([...arena.u32(joined, 50)]).toEqual(new Array(50).fill(0));
  // No gap is large enough: behind all.
  expect(arena.allocateInGap(64)).toBeGreaterThan(c!);
  const last = arena.allocate(1000);
  arena.giveBack(last);
  expect(arena.allocateInGap(2000)).toBe(last);
  // What is given back twice, or was released, is nobody's.
  arena.giveBack(c!);
  arena.giveBack(c!);
  expect(arena.allocateInGap(100)).toBe(c);
  expect(arena.allocateInGap(100)).not.toBe(c);
  arena.release(1024);
  arena.giveBack(a!);
  expect(arena.allocate(16)).toBe(1024);
});

// Each time that the liquid had more pairs all memory of the list before was left behind.
test('lists that outgrow their capacity do not leave it behind', async () => {
  const world = await createWorld({ threads: 1, temperature: 20 });
  world.addEmitter({
    name: 'tap',
    radius: 0.06,
    speed: 1,
    spacing: 0.02,
    maxParticles: 1000,
    temperature: 60,
    material: { thermalConductivity: 1 },
  });
  world.step(0.02);
  const before = world.memoryBytes;
  for (let frame = 0; frame < 20; frame++) world.step(0.02);
  const pairs = (world.pairCount * 16) / before;
  expect(pairs).toBeGreaterThan(0.05);
  expect(world.memoryBytes / before).toBeLessThan(1 + 1.5 * pairs);
  await world.dispose();
});

test('a rigid particle that touches more others than there are slots for gets more slots, and forgets none of them', async () => {
  const options = { gravity: [0, -9.81, 0] as const, solver: { rigid: 'hertz' as const } };
  const material = { youngsModulus: 1e6, density: 1000, friction: 0.4 };
  const world = await createWorld({ threads: 1, ...options });
  const slab = { kind: 'rigid' as const, shape: { box: { size: [0.4, 0.08, 0.4] as const } }, spacing: 0.02, material };
  world.addBody({ name: 'slab', ...slab, position: [0, 0.04, 0] });
  const block = { kind: 'rigid' as const, shape: { box: { size: [0.2, 0.2, 0.2] as const } }, spacing: 0.1, material };
  world.addBody({ name: 'block', ...block, position: [0, 0.2, 0] });
  world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
  const before = world.memoryBytes;
  world.step(0.1);
  // Each of its four lowest particles touches nine and more of the slab's.
  expect(world.memoryBytes).toBeGreaterThan(before);
  const again = await World.load(world.save(), { threads: 2 });
  for (const one of [world, again]) for (let frame = 0; frame < 20; frame++) one.step(0.02);
  expect(again.stateHash()).toBe(world.stateHash());
  const { begin, end } = world.bodies[1]!;
  const positions = world.positions();
  for (let i = begin; i < end; i++) expect(positions[4 * i + 1]!).toBeGreaterThan(0.12);
  await Promise.all([world.dispose(), again.dispose()]);
});
