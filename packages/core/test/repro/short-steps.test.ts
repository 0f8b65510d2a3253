/** What asks for steps far too short for its frames is refused when a scene is loaded, or ends with a reason. */
import { expect, test } from 'vitest';
import { createWorld, OptionError, parseScene, SimulationError, type World } from '../../src/index.js';
import { loadScene } from '../../src/scene/load.js';

const scene = (body: string, rest = '', others = '') => `
phyxel: 1
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.3, 0], spacing: 0.1, ${body} }
${others}
obstacles: [{ name: floor, shape: { plane: {} } }]
${rest}
`;

const STIFF = 'material: { youngsModulus: 1.0e+18, density: 1.0e-6 }';
const POOL =
  '  - { name: pool, kind: fluid, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.9, 0], spacing: 0.1 }';
const LIGHT = 'events: [{ time: 0.1, body: cube, set: { density: 1.0e-12 } }]';
const LATER = LIGHT.replace(']', ', { time: 0.05, body: cube, set: { density: 900 } }]');
const SPIN = 'angularVelocity: [0, 1.0e+9, 0]';
const WAVE = /asks for steps of \S+ s \(elastic wave\), \S+ in a frame of 0\.03333 s.*lower youngsModulus or damping/;
const SPEED = /asks for steps of \S+ s \(.*speed\), \S+ in a frame of 0\.03333 s.*lower velocities/;

test.each([
  ['stiff and light', scene(STIFF), 'bodies[0].material', WAVE],
  ['made light by an event', scene('', LIGHT), 'events[0].set', WAVE],
  ['made light by the second of the events', scene('', LATER), 'events[0].set', WAVE],
  ['spinning', scene(SPIN), 'bodies[0].angularVelocity', SPEED],
  ['rigid and spinning', scene(`kind: rigid, ${SPIN}`), 'bodies[0].angularVelocity', SPEED],
  ['thrown', scene('velocity: [0, -1.0e+9, 0]'), 'bodies[0].velocity', SPEED],
  ['a liquid, thrown', scene('kind: fluid, velocity: [0, -1.0e+9, 0]'), 'bodies[0].velocity', SPEED],
  ['embedded and stiff', scene(`discretisation: embedded, ${STIFF}`), 'bodies[0].material', WAVE],
  ['stiff beside a liquid', scene(STIFF, '', POOL), 'bodies[0].material', WAVE],
  ['made light beside a liquid', scene('', LIGHT, POOL), 'events[0].set', WAVE],
  [
    'implicit and thrown',
    scene('velocity: [0, -1e9, 0]', 'solver: { solid: { integrator: implicit } }'),
    'bodies[0].velocity',
    SPEED,
  ],
  [
    'beyond float32',
    scene('material: { youngsModulus: 1.0e+18, density: 1.0e-12 }').replaceAll('0.2', '4e-6').replaceAll('0.1', '2e-6'),
    'bodies[0].material',
    /range of float32/,
  ],
  ['short by itself', scene('', 'solver: { maxTimeStep: 1.0e-12 }'), 'solver.maxTimeStep', /raise solver\.maxTimeStep/],
])('refused: %s', async (_, text, path, message) => {
  const { scene } = parseScene(text, 'test.yaml');
  const error: unknown = await loadScene(scene, { threads: 1 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(OptionError);
  expect((error as OptionError).problems[0]).toMatchObject({ path, message: expect.stringMatching(message) });
});

/** The error that simulating to a time ends with. */
function failure(world: World, end: number): SimulationError {
  try {
    while (world.time < end) world.step(1 / 30);
  } catch (error) {
    if (error instanceof SimulationError) return error;
    throw error;
  }
  return expect.fail('no error');
}

test.each([
  ['a rigid body made light', scene('kind: rigid', LIGHT), /of "cube" asks for too short a step .*\(impact\)/],
  [
    'a wall that is thrown',
    scene('').replace(
      '{ plane: {} }',
      '{ plane: {} }, keyframes: [{ time: 0 }, { time: 0.004, position: [0, 4.0e+4, 0] }]',
    ),
    /beside an obstacle at \S+ m\/s asks for too short a step .*\(speed\)/,
  ],
])('ends with a reason: %s', async (_, text, message) => {
  const { scene } = parseScene(text, 'test.yaml');
  const world = await loadScene(scene, { threads: 1 });
  const error = failure(world, 0.5);
  expect(error.message).toMatch(message);
  expect(error.message).toContain('where at most 10000000 are taken');
  expect(error.time).toBeGreaterThan(0);
  await world.dispose();
});

test('a program that changes a body so is told too, beside a liquid or not', async () => {
  for (const beside of [false, true]) {
    const world = await createWorld({ threads: 1 });
    world.addBody({ name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.1 });
    const pool = { name: 'pool', kind: 'fluid' as const, shape: { box: { size: [0.2, 0.2, 0.2] as const } } };
    if (beside) world.addBody({ ...pool, position: [0, 1, 0], spacing: 0.1 });
    world.step(1 / 30);
    world.setMaterial('cube', { density: 1e-12 });
    const error = failure(world, 2);
    expect(error).toMatchObject({ particle: 0, pass: 'chooseStep' });
    expect(error.message).toMatch(/of "cube" asks for too short a step .*\(elastic wave\)/);
    await world.dispose();
  }
});

test('as many steps as are taken are no fault: the same material in frames that suit it', async () => {
  const world = await createWorld({ threads: 1 });
  const material = { youngsModulus: 1e18, density: 1e-6 };
  world.addBody({ name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.1, material });
  expect(world.step(1e-10)).toMatchObject({ limitedBy: 'elastic wave', limitedByBody: 'cube' });
  await world.dispose();
});
