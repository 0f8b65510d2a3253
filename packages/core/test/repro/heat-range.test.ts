/** Nothing is colder than absolute zero or hotter than any bound, silently. */
import { expect, test } from 'vitest';
import { createWorld, OptionError, parseScene, SimulationError } from '../../src/index.js';
import { loadScene } from '../../src/scene/load.js';

const scene = (heat: string, rest = '') => `
phyxel: 1
duration: 2
temperature: 20
gravity: [0, 0, 0]
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.1, kind: rigid, material: { thermalConductivity: 50 } }
heat: [{ body: cube, ${heat} }]
${rest}
`;

test.each([
  ['power: -1.0e+9', /takes out 2\.00e\+9 J by the time 2 s, where 2\.35e\+6 J lead to -273\.15 degrees C/],
  ['power: 1.0e+12', /puts in 2\.00e\+12 J by the time 2 s, where 8\.00e\+9 J lead to 1000000 degrees C/],
])('sources that can only lead there are refused: %s', async (heat, message) => {
  const { scene: parsed } = parseScene(scene(heat), 'test.yaml');
  const error: unknown = await loadScene(parsed, { threads: 1 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(OptionError);
  expect((error as OptionError).problems[0]).toMatchObject({
    path: 'heat[0].power',
    message: expect.stringMatching(message),
  });
});

test('a source that may be made up for is not refused, and ends with a reason when it is not', async () => {
  for (const [heat, what] of [
    ['power: -1.0e+9', 'takes out more than there is'],
    ['power: 1.0e+12', 'puts in more'],
    ['region: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, power: -2.0e+6', 'takes out more than there is'],
  ] as const) {
    const { scene: parsed } = parseScene(scene(heat, 'heatTransfer: 5'), 'test.yaml');
    const world = await loadScene(parsed, { threads: 1 });
    let error: unknown;
    try {
      for (let k = 1; k <= 60; k++) world.stepTo(k / 30);
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(SimulationError);
    const { message, pass, time } = error as SimulationError;
    expect(message).toMatch(/^particle \d of "cube" is at \S+ degrees C after advanceHeat at time/);
    expect(message).toContain(what);
    expect(message).toContain('lower its power');
    expect(pass).toBe('advanceHeat');
    expect(time).toBeGreaterThan(0);
    await world.dispose();
  }
});

test('temperatures below absolute zero are refused wherever they are given', async () => {
  for (const text of [
    scene('temperature: -300'),
    scene('power: 1').replace('temperature: 20', 'temperature: -300'),
    scene('power: 1').replace('kind: rigid,', 'kind: rigid, temperature: -300,'),
    scene('power: 1', 'obstacles: [{ name: floor, shape: { plane: { offset: -1 } }, temperature: -300 }]'),
  ]) {
    expect(() => parseScene(text, 'test.yaml')).toThrow('must be from -273.15 to 1e+6 degrees C');
  }
  const world = await createWorld({ threads: 1, temperature: 20 });
  world.addBody({ name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.1 });
  expect(() => world.setTemperature('cube', -300)).toThrow('-273.15');
  expect(() => world.setTemperature('cube', () => -300)).toThrow('-273.15');
  await world.dispose();
});

test('what is cooled to just above absolute zero goes on', async () => {
  const { scene: parsed } = parseScene(scene('power: -1.15e+6'), 'test.yaml');
  const world = await loadScene(parsed, { threads: 1 });
  for (let k = 1; k <= 60; k++) world.stepTo(k / 30);
  expect(Math.min(...world.temperatures())).toBeGreaterThan(-273.15);
  expect(Math.max(...world.temperatures())).toBeLessThan(-260);
  await world.dispose();
});
