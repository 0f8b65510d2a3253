/** Runs and checks of a scene at another resolution than that of its file. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-scale-'));
afterAll(() => rmSync(folder, { recursive: true }));

writeFileSync(
  join(folder, 'cube.yaml'),
  `phyxel: 1
duration: 0.1
frameRate: 20
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.5, 0], spacing: 0.025 }
`,
);

function phyxel(...args: string[]): { code: number | null; out: string; err: string } {
  const done = spawnSync(process.execPath, [command, ...args, '--threads', '1'], { encoding: 'utf8', cwd: folder });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

it('a run at half the resolution has a folder of its own, says so, and goes on as it began', () => {
  expect(phyxel('run', 'cube.yaml', '--scale', '0.5', '--frames', '1')).toMatchObject({ code: 0, err: '' });
  const run = join(folder, 'runs', 'cube-0.5x');
  const document = () => JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'));
  expect(document()).toMatchObject({ scale: 0.5, bodies: [{ particles: 64, spacing: expect.closeTo(0.05, 6) }] });
  expect(existsSync(join(folder, 'runs', 'cube'))).toBe(false);
  // Without --scale: it is told by the folder.
  expect(phyxel('run', 'cube.yaml', '--out', run, '--resume')).toMatchObject({ code: 0, err: '' });
  expect(document()).toMatchObject({ scale: 0.5, bodies: [{ particles: 64 }] });
  expect(document().frames).toHaveLength(3);
  expect(phyxel('run', 'cube.yaml', '--out', run, '--resume', '--scale', '1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('the scene differs'),
  });
});

it('check tells what a scene takes at another resolution', () => {
  const { out } = phyxel('check', 'cube.yaml', '--scale', '0.5', '--json');
  expect(JSON.parse(out)).toMatchObject({ particles: 64, bodies: [{ spacing: expect.closeTo(0.05, 6) }] });
  expect(phyxel('check', 'cube.yaml', '--scale', '0')).toMatchObject({
    code: 2,
    err: expect.stringContaining('It must be a number from 0.01 to 100'),
  });
});
