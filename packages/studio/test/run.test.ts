import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
import { pyramid } from './pyramid.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const command = join(root, 'packages', 'cli', 'bin', 'phyxel.js');

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
  execFileSync('node', [command, 'run', join(folder, 'falling.yaml'), '--out', run, '--threads', '1']);
  server = await serveStudio(site, await openProject(run), 0);
  browser = await launch();
  ({ page, complaints } = await newPage(browser));
  await page.goto(`${server.url}&quality=plain`);
  await page.waitForFunction(() => (globalThis as { phyxelStudio?: App }).phyxelStudio?.frame?.frame === 9);
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

test('a run folder with meshes is taken as dropped files, with its own copies of them', async () => {
  const own = join(folder, 'meshes');
  mkdirSync(own);
  writeFileSync(join(own, 'stone.obj'), pyramid('obj'));
  const scene = `phyxel: 1
name: stone
duration: 0.1
frameRate: 30
bodies: [{ name: stone, kind: rigid, shape: { mesh: { file: meshes/stone.obj, size: 0.3 } }, spacing: 0.08 }]
`;
  const path = join(folder, 'stone.yaml');
  const out = join(folder, 'stone');
  writeFileSync(path, scene);
  execFileSync('node', [command, 'run', path, '--out', out, '--threads', '1']);
  writeFileSync(join(out, 'run.lock'), 'somebody');
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, bytes: [...readFileSync(join(parentPath, name))] }));
  expect(files.some(({ name }) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
  const said = await page.evaluate(async (list) => {
    phyxelStudio.messages.clear();
    await phyxelStudio.openFiles(list.map(({ name, bytes }) => new File([new Uint8Array(bytes)], name)));
    return document.querySelector('.messages')!.textContent;
  }, files);
  expect(said).not.toMatch(/is no scene|cannot be opened/);
  const { name, isRun, bodies } = await page.evaluate(() => phyxelStudio.description!);
  expect([name, isRun]).toEqual(['stone', true]);
  expect(Object.keys(bodies[0]!.mesh!.positions).length).toBeGreaterThan(0);
});

test('a run is opened again as a run after a cancel that cost its worker', async () => {
  const isRun = await page.evaluate(async () => {
    const { world } = phyxelStudio;
    const open = world.open.bind(world);
    const request = { text: 'phyxel: 1', fileName: 'other.yaml', files: {} };
    const cancelled = await open(request, { signal: AbortSignal.abort() }).catch((error) => error);
    world.open = async () => {
      world.open = open;
      world.description = undefined;
      throw cancelled;
    };
    await phyxelStudio.open(request);
    return phyxelStudio.description?.isRun;
  });
  expect(isRun).toBe(true);
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
