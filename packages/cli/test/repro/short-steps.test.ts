import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { main } from '../../src/main.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-short-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [
    '{ name: cube, shape: S, spacing: 0.1, material: { youngsModulus: 1.0e+18, density: 1.0e-6 } }',
    ':3:',
    'elastic wave',
  ],
  ['{ name: cube, shape: S, spacing: 0.1, kind: rigid, angularVelocity: [0, 1.0e+9, 0] }', ':3:', 'speed'],
  ['{ name: cube, shape: S, spacing: 0.1 }', ':4:', 'elastic wave'],
])('check refuses steps that are too short, with the line: %s', async (body, line, limitedBy) => {
  const scene = join(folder, 'scene.yaml');
  const events = line === ':4:' ? 'events: [{ time: 0.1, body: cube, set: { density: 1.0e-12 } }]\n' : '';
  const shape = '{ box: { size: [0.2, 0.2, 0.2] } }';
  writeFileSync(scene, `phyxel: 1\nbodies:\n  - ${body.replace('S', shape)}\n${events}`);
  let err = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
  const code = await main(['node', 'phyxel', 'check', scene]);
  vi.restoreAllMocks();
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`scene.yaml${line}`) });
  expect(err).toContain(`(${limitedBy})`);
});
