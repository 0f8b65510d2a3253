/** What `phyxel check` says of scenes that cannot begin as they are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { phyxel } from './command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `phyxel check` on a scene of these lines, after the first. */
async function check(...lines: string[]): Promise<{ code: number; out: string; err: string; path: string }> {
  const path = join(folder, 'scene.yaml');
  writeFileSync(path, ['phyxel: 1', 'duration: 0.04', ...lines, ''].join('\n'));
  return { ...(await phyxel('check', path, '--threads', '1')), path };
}

const body = (...keys: string[]) =>
  `  - { name: ball, shape: { sphere: { radius: 0.1 } }, spacing: 0.04, ${keys.join(', ')} }`;
const FLOOR = 'obstacles: [{ name: floor, shape: { plane: { normal: [0, 1, 0], offset: 0 } } }]';

describe('bodies in obstacles', () => {
  it.each(['position: [0, 0, 0]', 'position: [0, -5, 0]', 'discretisation: embedded, position: [0, 0, 0]'])(
    'are refused with the line: %s',
    async (keys) => {
      const { code, err, path } = await check('bodies:', body(keys), FLOOR);
      expect(code).toBe(2);
      expect(err).toContain(`${path}:4:`);
      expect(err).toContain(': bodies[0].position puts "ball" deep into the obstacle "floor" at the start, by ');
    },
  );

  it('are warned of when they overlap by less than a spacing', async () => {
    const { code, out } = await check('bodies:', body('position: [0, 0.08, 0]'), FLOOR);
    expect(code).toBe(0);
    expect(out).toContain('warning ball: begins 0.020 m inside the obstacle "floor", which pushes it out in the first');
  });

  it('are refused when nothing is left of a liquid', async () => {
    const { code, err } = await check('bodies:', body('kind: fluid, position: [0, -1, 0]'), FLOOR);
    expect(code).toBe(2);
    expect(err).toContain('bodies[0].position leaves nothing of the liquid "ball"');
  });

  it('are refused as sources too', async () => {
    const { code, err, path } = await check(
      'emitters:',
      '  - { name: jet, position: [0, -1, 0], radius: 0.1, speed: 1, spacing: 0.04, maxParticles: 100 }',
      FLOOR,
    );
    expect(code).toBe(2);
    expect(err).toContain(`${path}:4:`);
    expect(err).toContain('emitters[0].position puts the opening of "jet" into the obstacle "floor"');
  });
});

describe('bodies of few particles', () => {
  const SIZES = { one: '[0.1, 0.1, 0.1]', two: '[0.2, 0.1, 0.1]', three: '[0.3, 0.1, 0.1]', four: '[0.2, 0.2, 0.1]' };
  const KINDS = [
    'material: { damping: 0.3 }',
    'discretisation: quadratic, material: { damping: 0.3 }',
    'discretisation: embedded, material: { damping: 0.3, yieldStress: 1000 }',
    'material: { damping: 0.3, yieldStress: 1000, creepRate: 1 }',
    'temperature: 90, material: { damping: 0.3, thermalConductivity: 1 }',
    'kind: rigid',
    'kind: fluid, material: { viscosity: 1, surfaceTension: 0.1 }',
    'kind: fluid, material: { elastic: true, youngsModulus: 1e4, damping: 0.3 }',
  ];

  it.each(Object.keys(SIZES).flatMap((size) => KINDS.map((keys) => [size, keys] as const)))(
    'run: %s, %s',
    async (size, keys) => {
      const shape = `shape: { box: { size: ${SIZES[size as keyof typeof SIZES]} } }`;
      const { code, out, err } = await check('bodies:', `  - { name: few, ${shape}, spacing: 0.1, ${keys} }`);
      expect(err).toBe('');
      expect(code).toBe(0);
      expect(out).not.toContain('breaks down');
    },
  );

  it('run with implicit steps', async () => {
    for (const integrator of ['implicit', 'midpoint', 'verlet']) {
      const shape = 'shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.1, material: { damping: 0.3 }';
      const { code, err } = await check(
        `solver: { solid: { integrator: ${integrator} } }`,
        'bodies:',
        `  - { ${shape} }`,
      );
      expect(err).toBe('');
      expect(code).toBe(0);
    }
  });
});

describe('numbers that float32 cannot hold', () => {
  const box = (keys: string) => `  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, ${keys} }`;
  const CASES: [string[], string][] = [
    [
      ['bodies:', box('material: { density: 1e-40 }')],
      '4:.*bodies[0].material.density must be from 1e-12 to 1e+12 kg/m3, got 1e-40',
    ],
    [
      ['bodies:', box('material: { youngsModulus: 1e-40 }')],
      '4:.*youngsModulus must be from 1e-12 to 1e+18 Pa, got 1e-40',
    ],
    [
      ['bodies:', '  - { shape: { box: { size: [1e-9, 1, 1] } } }'],
      '4:.*shape.box.size[0] must be from 1e-6 to 1e+12 m, got 1e-9',
    ],
    [
      ['bodies:', '  - { shape: { sphere: { radius: 1 } }, spacing: 1e-9 }'],
      '4:.*bodies[0].spacing must be from 1e-6 to 1e+12 m, got 1e-9',
    ],
    [
      ['bodies:', '  - { shape: { sphere: { radius: 2e-6 } }, particles: 10000 }'],
      '4:.*bodies[0].shape puts particles 1.* m apart, they must be from 1e-6 to 1e+6 m',
    ],
    [
      ['bodies:', '  - { shape: { sphere: { radius: 1e11 } }, particles: 100 }'],
      '4:.*bodies[0].shape puts particles .* m apart, they must be from 1e-6 to 1e+6 m',
    ],
    [
      ['bodies:', box('position: [1e12, 0, 0]')],
      '4:.*bodies[0].position reaches 1.00e+12 m from the origin: float32 positions of particles 0.0500 m apart must be within 2.6e+4 m: move everything nearer, or use a larger spacing',
    ],
    [
      ['bodies:', box('kind: fluid, position: [0, 30000, 0]')],
      '4:.*bodies[0].position reaches 3.00e+4 m from the origin',
    ],
    [['bodies:', box('discretisation: embedded, position: [0, 30000, 0]')], '4:.*bodies[0].position reaches'],
    [
      [
        'bodies:',
        box('position: [0, 1, 0]'),
        'obstacles:',
        '  - { shape: { sphere: { radius: 1e9 } }, position: [0, -1e9, 0] }',
      ],
      '6:.*obstacles[0].position reaches 2.00e+9 m',
    ],
    [
      [
        'bodies:',
        box('position: [0, 1, 0]'),
        'obstacles:',
        '  - { shape: { plane: { normal: [1, 1, 0], offset: -1e9 } } }',
      ],
      '6:.*obstacles[0].shape.plane.offset reaches',
    ],
    [
      [
        'bodies:',
        box('position: [0, 1, 0]'),
        'constraints:',
        '  - { body: cube, move: [{ time: 1, position: [1e9, 0, 0] }] }',
      ],
      '6:.*constraints[0].move[0].position reaches',
    ],
    [
      ['emitters:', '  - { name: jet, radius: 0.1, speed: 1, spacing: 0.05, position: [1e9, 0, 0] }'],
      '4:.*emitters[0].position reaches',
    ],
  ];

  it.each(CASES)('%j', async (lines, message) => {
    const { code, err } = await check(...lines);
    expect(code).toBe(2);
    const literal = message.replace(/[[\]()+]/g, '\\$&').replace(/\.(?!\*)/g, '\\.');
    expect(err).toMatch(new RegExp(literal));
  });

  it('are told when they are about to come', async () => {
    const { code, out } = await check('bodies:', box('position: [6000, 0, 0]'));
    expect(code).toBe(0);
    expect(out).toContain('warning cube: is so far from the origin');
  });
});

it('a lone particle at rest, whose step nothing limits, is told a whole frame', async () => {
  const { code, out } = await check(
    'gravity: [0, 0, 0]',
    'bodies: [{ name: dot, shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.1 }]',
  );
  expect(code).toBe(0);
  expect(out).toContain('time step: a whole frame\n');
  expect(out).not.toContain('Infinity');
});
