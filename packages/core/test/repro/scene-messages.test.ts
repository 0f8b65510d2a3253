/** Messages about scenes: where the problem is, and what to do, whatever the text is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SceneError } from '../../src/options/errors.js';
import { loadScene } from '../../src/scene/load.js';
import { parseScene } from '../../src/scene/parse.js';

const BOX = 'shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05';
const POOL = `- { name: pool, kind: fluid, ${BOX}, material: m }`;

/** The message of a text that is refused as soon as it is read. */
function messageOf(text: string, file = 's.yaml'): string {
  try {
    parseScene(text, file);
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return error.message;
  }
  return '';
}

/** Path, place and message of the first problem that shows when a world is made. */
async function problemOf(text: string) {
  const { scene, source } = parseScene(text, 's.yaml');
  const error = await loadScene(scene, { threads: 1 }).then(
    () => expect.fail('no error'),
    (reason) => reason,
  );
  const { path, message } = error.problems[0];
  const segments = [...path.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
  return { path, message, ...source.locate(segments) };
}

describe('limits that show when a world is made keep their place', () => {
  it.each([
    [
      `materials:\n  m: { density: 1e-9, surfaceTension: 10 }\nbodies:\n  ${POOL}`,
      'bodies[0].material',
      5,
      /^pulls so/,
    ],
    [
      `temperature: 20\nmaterials:\n  m:\n    heatCapacity: 1e-3\n    meltingPoint: 10\n    latentHeat: 1e9\nbodies:\n  ${POOL}`,
      'bodies[0].material.latentHeat',
      7,
      /^takes as much heat/,
    ],
    [
      `materials: { m: {} }\nbodies:\n  ${POOL}\nobstacles:\n  - { shape: { plane: {} }, position: [0, -1, 0] }\n  - { name: far, shape: { sphere: { radius: 5e3 } }, position: [1e4, 0, 0] }`,
      'obstacles[1]',
      7,
      /^cannot bound liquids: spacing must be larger: 0.025 m makes/,
    ],
    [
      `bodies:\n  - { name: "a.b", ${BOX} }\n  - { name: pool, kind: fluid, position: [1, 0, 0], ${BOX} }\nsolver: { fluid: { period: [0.01, 0, 0] } }`,
      'solver.fluid.period[0]',
      5,
      /six spacings, 0\.3 m,/,
    ],
  ])('case %#', async (text, path, line, message) => {
    const problem = await problemOf(`phyxel: 1\n${text}\n`);
    expect(problem).toMatchObject({ path, line });
    expect(problem.message).toMatch(message);
  });
});

describe('a scene text', () => {
  it('that is nested too deeply says so, however it is nested', () => {
    const indented = Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    for (const text of [
      '? '.repeat(20_000),
      '- '.repeat(20_000),
      '['.repeat(100_000),
      '{a: '.repeat(100_000),
      indented,
      `a: ${'[{b: '.repeat(60)}`,
      '!!map '.repeat(3) + '? - '.repeat(9000),
    ]) {
      const message = messageOf(text);
      expect(message).not.toContain('call stack');
      expect(message).toMatch(/^s\.yaml:\d+:\d+: /);
    }
    expect(messageOf('? '.repeat(20_000))).toMatch(/is nested more than 50 levels deep$/);
    expect(messageOf(indented)).toMatch(/is nested more than 50 levels deep$/);
  });

  it('of two documents says what to do', () => {
    expect(messageOf('phyxel: 1\nbodies: []\n---\nphyxel: 1\n')).toBe(
      's.yaml:3:1: begins a second document: a scene file holds one scene, put the others into files of their own',
    );
    expect(messageOf(`phyxel: 1\nbodies: [{ ${BOX} }]\n...\n`)).toBe('');
    expect(messageOf(`%YAML 1.2\n---\nphyxel: 1\nbodies: [{ ${BOX} }]\n`)).toBe('');
  });

  it('with frames longer than its duration is refused where it says so', () => {
    const bodies = `bodies: [{ ${BOX} }]`;
    expect(messageOf(`phyxel: 1\nduration: 1\nframeRate: 0.1\n${bodies}`)).toBe(
      's.yaml:3:12: frameRate makes frames of 10 s, longer than the duration of 1 s: raise one of them',
    );
    expect(messageOf(`phyxel: 1\nduration: 0.01\n${bodies}`)).toBe(
      's.yaml:2:11: duration makes frames of 0.0333333 s, longer than the duration of 0.01 s: raise one of them',
    );
    expect(messageOf(`phyxel: 1\nduration: 0.1\nframeRate: 10\n${bodies}`)).toBe('');
    expect(messageOf(`phyxel: 1\nstatic: true\nframeRate: 0.1\n${bodies}`)).toBe('');
  });

  it('of any kind is a scene or an error with a place', () => {
    const words = ['phyxel: 1', 'bodies', ': ', '- ', '? ', '\n', '  ', '[', ']', '{', '}', '&a ', '*a', '!!int ', '"'];
    words.push(
      "'",
      '|',
      '>',
      '#',
      '---',
      '...',
      '%YAML',
      '\t',
      '1e999',
      '.nan',
      'null',
      '~',
      ', ',
      '<<: ',
      '@',
      '\0',
      '💧',
    );
    const valid = `phyxel: 1\nmaterials: { m: &m { density: 1 } }\nbodies: [{ ${BOX}, material: m }]\n`;
    const odd = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((list) => list.join(''));
    const mutated = fc
      .tuple(fc.nat(valid.length), fc.nat(8), odd)
      .map(([at, cut, text]) => valid.slice(0, at) + text + valid.slice(at + cut));
    fc.assert(
      fc.property(fc.oneof(odd, mutated), fc.constantFrom('s.yaml', 's.json'), (text, file) => {
        const message = messageOf(text, file);
        if (message === '') return;
        for (const line of message.split('\n')) {
          expect(line).toMatch(/^s\.(yaml|json):\d+:\d+: \S|^\.\.\. and \d+ more problems$/);
          expect(line).not.toMatch(/call stack|undefined|is not a function|YAML\.parse|\[object/);
        }
      }),
      { numRuns: 1500, seed: 7 },
    );
  });
});
