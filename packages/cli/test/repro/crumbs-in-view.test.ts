import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRun } from '../../src/render/run-source.js';
import { survey } from '../../src/render/survey.js';
import { type Breaking, breakRun, restOf, runScene } from '../broken-run.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-crumbs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SCENE = `phyxel: 1
duration: 0.04
frameRate: 50
gravity: [0, 0, 0]
bodies:
  - name: pane
    shape: { box: { size: [1, 1, 0.2] } }
    spacing: 0.1
    material: { tensileStrength: 1.0e+6, fractureEnergy: 1 }
`;

/** How far the points to be shown reach along x when a part of the pane has flown 10 m away [m]. */
async function reachWithout(away: (x: number, y: number) => boolean): Promise<number> {
  const run = join(folder, String(Math.random()).slice(2));
  await runScene(SCENE, run, 1);
  const rest = restOf(run, 'pane');
  const labels = Array.from({ length: rest.length / 3 }, (_, i) => (away(rest[3 * i]!, rest[3 * i + 1]!) ? 1 : 0));
  const broken: Breaking = { labels, move: ([x, y, z], label) => [x + 10 * label, y, z] };
  breakRun(run, 'pane', (frame) => (frame === 1 ? broken : undefined));
  const { points } = survey(await openRun(run, undefined), [1], undefined);
  return Math.max(...points.filter((_, k) => k % 3 === 0));
}

test('a crumb that flies off does not make a picture small, a half that does is shown', async () => {
  // One of a hundred columns of two particles, and half of them.
  expect(await reachWithout((x, y) => x > 0.4 && y > 0.4)).toBeLessThan(0.6);
  expect(await reachWithout((x) => x > 0)).toBeGreaterThan(10);
});
