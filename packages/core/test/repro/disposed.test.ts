import { expect, test } from 'vitest';
import { RemoteWorld } from '../../src/browser/remote-world.js';
import { createWorld, World } from '../../src/world.js';

test('a world that was disposed of refuses every method, and still tells its time', async () => {
  const world = await createWorld({ threads: 1 });
  world.addBody({ name: 'a', shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05 });
  world.step(0.01);
  const grab = world.grab('a', [0, 0, 0]);
  await world.dispose();
  await world.dispose();
  grab.release();
  expect(world.time).toBe(0.01);

  const region = { all: true } as const;
  const given: Partial<Record<string, unknown[]>> = {
    addBody: [{ name: 'b', shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05 }],
    addEmitter: [{ name: 'e', radius: 0.1, spacing: 0.02, speed: 1, material: {} }],
    addSink: [{ box: { min: [0, 0, 0], max: [1, 1, 1] } }],
    addObstacle: [{ name: 'floor', shape: { plane: {} } }],
    addConstraint: [{ body: 'a', region, fix: true }],
    addHeat: [{ body: 'a', temperature: 20 }],
    addEvent: [{ time: 1, body: 'a', set: { damping: 0.1 } }],
    setTemperature: ['a', 20],
    setMaterial: ['a', { damping: 0.1 }],
    grab: ['a', [0, 0, 0]],
    step: [0.01],
    stepTo: [1],
    advance: [0.01],
    surfels: ['a'],
    pointSurface: ['a'],
    probe: [{ name: 'p', quantity: 'energy' }],
  };
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(World.prototype))) {
    if (typeof value !== 'function' || name === 'constructor' || name === 'dispose') continue;
    const call = async () => {
      const result = value.apply(world, given[name] ?? []);
      // Those that go on step by step or later fail then.
      return name === 'stepsTo' ? value.call(world, 1).next() : result;
    };
    await expect(call(), name).rejects.toThrow('this world was disposed of');
  }
});

test('a world in a worker that was disposed of refuses what is asked of it', async () => {
  const worker = { addEventListener() {}, postMessage() {}, terminate() {} } as unknown as Worker;
  const world = new RemoteWorld(worker);
  const asked = world.step();
  world.dispose();
  await expect(asked).rejects.toThrow('the world was disposed of');
  await expect(world.step()).rejects.toThrow('the world was disposed of');
});
