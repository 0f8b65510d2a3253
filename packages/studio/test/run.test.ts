import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProject } from '../../cli/src/commands/studio.js';
import { decodeFrame } from '../../cli/src/run/frame-file.js';
import { type StudioServer, serveStudio } from '../../cli/src/studio/server.js';
import { decodeRunFrame } from '../../core/src/browser/run-frames.js';
import type { App } from '../src/app.js';
import { launch, newPage, site } from './browser.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** A block and a liquid that fall side by side. */
const SCENE = `phyxel: 1
name: falling
duration: 0.3
frameRate: 30
bodies:
  - name: block
    shape: { box: { size: [0.3, 0.3, 0.3] } }
    position: [0, 0.3, 0]
    spacing: 0.06
    material: { youngsModulus: 3.0e+4, damping: 0.1 }
  - name: water
    kind: fluid
    shape: { box: { size: [0.2, 0.2, 0.2] } }
    position: [0.6, 0.3, 0]
    spacing: 0.05
    color: "#3070c0"
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

declare const phyxelStudio: App;

let folder: string;
let run: string;
let browser: Browser;
let server: StudioServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phyxel-run-'));
  run = join(folder, 'run');
  writeFileSync(join(folder, 'falling.yaml'), SCENE);
  const command = join(root, 'packages', 'cli', 'bin', 'phyxel.js');
  execFileSync('node', [command, 'run', join(folder, 'falling.yaml'), '--out', run, '--threads', '1']);
  server = await serveStudio(site, openProject(run), 0);
  browser = await launch();
  ({ page, complaints } = await newPage(browser));
  await page.goto(`${server.url}&quality=plain`);
  await page.waitForFunction(() => (globalThis as { phyxelStudio?: App }).phyxelStudio?.frame?.frame === 9, undefined, {
    timeout: 60_000,
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const names = () => readdirSync(join(run, 'frames')).sort();
const written = (frame: number) => {
  const { arrays } = decodeFrame(readFileSync(join(run, 'frames', names()[frame]!)));
  return new Map(arrays.map(({ name, values }) => [name, values]));
};
/** xyz of the particles that are shown. */
const shown = () => page.evaluate(() => [...phyxelStudio.frame!.particles].filter((_, k) => k % 4 < 3));

const scrub = async (frame: number) => {
  await page.getByRole('slider', { name: 'Timeline' }).fill(String(frame));
  await page.waitForFunction((wanted) => phyxelStudio.frame?.frame === wanted, frame);
};

describe('a run folder in the studio', () => {
  test('plays to its last frame, with the numbers that were written', async () => {
    expect(await page.evaluate(() => phyxelStudio.description!.isRun)).toBe(true);
    expect(await shown()).toEqual([...written(9).get('position')!]);
  });

  test('scrubs, and shows liquids by their surface in every frame', async () => {
    await scrub(4);
    expect(await shown()).toEqual([...written(4).get('position')!]);
    expect(await page.evaluate(() => phyxelStudio.frame!.liquids![0]!.indices.length)).toBeGreaterThan(300);
    expect(await page.evaluate(() => phyxelStudio.frame!.statistics.energy.total)).toBe(
      JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')).frames[4].energy.total,
    );
  });

  test('colours by what the frames hold, liquids too', async () => {
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('speed');
    await page.waitForFunction(() => phyxelStudio.frame?.quantity === 'speed');
    const velocities = written(4).get('velocity')!;
    const speeds = await page.evaluate(() => [...phyxelStudio.frame!.particles].filter((_, k) => k % 4 === 3));
    for (const [i, speed] of speeds.entries()) {
      expect(speed).toBeCloseTo(Math.hypot(...velocities.subarray(3 * i, 3 * i + 3)), 5);
    }
    const { values, range } = await page.evaluate(() => ({
      values: [...phyxelStudio.frame!.liquids![0]!.values!],
      range: phyxelStudio.frame!.range,
    }));
    expect(Math.min(...values)).toBeGreaterThanOrEqual(range[0] - 1e-5);
    expect(Math.max(...values)).toBeLessThanOrEqual(range[1] + 1e-5);
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('');
  });

  test('cannot be changed, and says so', async () => {
    await page.getByRole('slider', { name: "Young's modulus" }).fill('500');
    await expect.poll(() => page.locator('.messages').textContent()).toMatch(/played as it was/);
    expect(await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material.youngsModulus)).toBe(3e4);
    await scrub(2);
    expect(complaints).toEqual([]);
  });

  test('is taken as dropped files; a damaged frame is told by its name', async () => {
    const files = ['scene.json', 'run.json'].map((name) => ({ name, bytes: [...readFileSync(join(run, name))] }));
    const frames = names()
      .slice(0, 3)
      .map((name) => ({ name, bytes: [...readFileSync(join(run, 'frames', name))] }));
    frames[2]!.bytes[200]! ^= 1;
    await page.evaluate(
      (list) => {
        const data = new DataTransfer();
        for (const { name, bytes } of list) data.items.add(new File([new Uint8Array(bytes)], name));
        document.querySelector('.stage')!.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
      },
      // In no order.
      [...frames.reverse(), ...files],
    );
    await page.waitForFunction(() => phyxelStudio.description!.frames === 2 && phyxelStudio.frame?.frame === 1);
    expect(await shown()).toEqual([...written(1).get('position')!]);
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/frame-000002\.phx: is damaged/);
  });
});

describe('a frame of a run', () => {
  test('reads as the command reads it', async () => {
    const bytes = readFileSync(join(run, 'frames', names()[7]!));
    const { frame, time, recorded } = await decodeRunFrame(bytes, 'frame');
    expect([frame, time]).toEqual([7, decodeFrame(bytes).time]);
    expect(recorded.positions).toEqual(written(7).get('position'));
    expect(recorded.quantities.get('stress')).toEqual(written(7).get('stress'));
  });

  test('is refused when it is cut off, empty or of another kind', async () => {
    const bytes = readFileSync(join(run, 'frames', names()[1]!));
    for (const wrong of [bytes.subarray(0, 100), bytes.subarray(0, 5), Buffer.from('x'.repeat(500))]) {
      await expect(decodeRunFrame(wrong, 'odd.phx')).rejects.toThrow(/odd\.phx: is/);
    }
  });
});
