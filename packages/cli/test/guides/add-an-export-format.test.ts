import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScene } from 'phyxel';
import { afterAll, describe, expect, test } from 'vitest';
import { quotedFile, testedFile } from '../../../core/test/guides/quoted.js';
import { core } from '../../src/core.js';
import { FORMATS } from '../../src/export/formats.js';
import { main } from '../../src/main.js';
import { simulate } from '../../src/run/simulate.js';
import { csv } from './csv.js';

const SCENE = `phyxel: 1
name: fall
frameRate: 50
duration: 0.04
bodies:
  - { name: ball, kind: rigid, shape: { sphere: { radius: 0.1 } }, position: [0, 1, 0], spacing: 0.05 }
`;
const folder = mkdtempSync(join(tmpdir(), 'phyxel-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('docs/guides/add-an-export-format.md', () => {
  test('quotes the file that is tested here', () => {
    const folder = 'packages/cli/test/guides';
    const quoted = quotedFile('add-an-export-format.md', 'packages/cli/src/export', folder);
    expect(quoted).toBe(testedFile(`${folder}/csv.ts`));
  });

  test('has a format that the command writes', async () => {
    // The line that the guide adds.
    Object.assign(FORMATS, { csv });
    const [run, out] = [join(folder, 'run'), join(folder, 'out')];
    const { scene } = parseScene(SCENE, 'fall.yaml');
    const files = { sceneFile: 'fall.yaml', sceneText: SCENE, sceneFolder: folder, out: run };
    await simulate(
      { ...files, scene, frames: 2, threads: 1, resume: false, checkpointInterval: 0 },
      core,
      () => {},
      () => false,
    );
    expect(await main(['node', 'phyxel', 'export', run, '--format', 'csv', '--out', out, '--json'])).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['README.txt', ...[0, 1, 2].map((k) => `particles-00000${k}.csv`)]);
    for (const frame of [0, 1, 2]) {
      const [head, ...rows] = readFileSync(join(out, `particles-00000${frame}.csv`), 'utf8')
        .trim()
        .split('\n');
      expect(head).toMatch(/^x,y,z,velocity.x,velocity.y,velocity.z,stress,speed,body$/);
      const columns = head!.split(',').length;
      const values = rows.map((row) => row.split(',').map(Number));
      expect(values.every((row) => row.length === columns && row.every(Number.isFinite))).toBe(true);
      // Free fall: v = -g t, and the mean position is y = 1 - g t^2 / 2, to the float32 of frames.
      const time = frame / 50;
      const mean = values.reduce((sum, row) => sum + row[1]!, 0) / values.length;
      expect(mean).toBeCloseTo(1 - (9.81 * time * time) / 2, 4);
      for (const row of values) expect(row[4]).toBeCloseTo(-9.81 * time, 4);
    }
  });
});
