import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadScene, parseScene, readMesh } from 'phyxel';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StudioServer, serveStudio } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';
import { cubeScene, newPage, openStudio, serveToPage, site } from './browser.js';
import { pyramid } from './pyramid.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const SCENE = cubeScene({ spacing: 0.06 });

declare const phyxelStudio: App;

let browser: Browser;
let server: StudioServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  ({ server, browser, page, complaints } = await serveToPage());
  await openStudio(page, `${server.url}?quality=plain`);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const openScene = (text = SCENE) =>
  page.evaluate(async (scene) => phyxelStudio.open({ text: scene, fileName: 'cube.yaml', files: {} }), text);

const frameNumber = () => page.evaluate(() => phyxelStudio.frame?.frame ?? -1);

const waitForFrame = (frame: number) =>
  page.waitForFunction((wanted) => (phyxelStudio.frame?.frame ?? -1) >= wanted, frame);

/** Centre of all particles. */
const centre = () =>
  page.evaluate(() => {
    const { particles } = phyxelStudio.frame!;
    const sum: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < particles.length; i += 4) for (let a = 0; a < 3; a++) sum[a]! += particles[i + a]!;
    return sum.map((x) => (4 * x) / particles.length) as [number, number, number];
  });

/** Frame after frame, by the key for it. */
async function step(frames: number): Promise<void> {
  await page.locator('canvas.view').focus();
  for (let k = 0; k < frames; k++) {
    const before = await frameNumber();
    await page.keyboard.press('.');
    await waitForFrame(before + 1);
  }
}

async function drop(files: readonly { name: string; text?: string; bytes?: number[] }[]): Promise<void> {
  await page.evaluate((list) => {
    const data = new DataTransfer();
    for (const { name, text, bytes } of list) data.items.add(new File([text ?? Uint8Array.from(bytes!)], name));
    document.querySelector('.stage')!.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
  }, files);
}

describe('the studio in Chromium', () => {
  test('opens by itself on something soft that falls, on shared memory', async () => {
    await waitForFrame(4);
    // Their particles begin at a mean height of 0.34 m.
    expect((await centre())[1]).toBeLessThan(0.33);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(await page.title()).toBe('soft-toys – Phyxel studio');
  });

  test('shows the gallery, and an example from it', async () => {
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.locator('[data-example="squash"]').click();
    await page.waitForFunction(() => phyxelStudio.description?.name === 'squash');
    await waitForFrame(2);
    await expect
      .poll(() => page.locator('.tree .item').allTextContents())
      .toContainEqual(expect.stringContaining('block'));
  });

  test('has the same hash as Node after the same frames', async () => {
    await openScene();
    await step(6);
    const { scene } = parseScene(SCENE, 'cube.yaml');
    const world = await loadScene(scene, { threads: 1 });
    for (let k = 1; k <= 6; k++) world.stepTo(k / 30);
    expect(await page.evaluate(() => phyxelStudio.world.hash())).toBe(world.stateHash());
    await world.dispose();
  });

  test('lets a body be grabbed: it follows the pointer, and falls when let go', async () => {
    await openScene();
    // The particle nearest to the camera, which the pointer takes hold of.
    const gripped = await page.evaluate(() => {
      const { particles } = phyxelStudio.frame!;
      const { x, y, z } = phyxelStudio.viewport.camera.position;
      const distance = (i: number) =>
        Math.hypot(particles[4 * i]! - x, particles[4 * i + 1]! - y, particles[4 * i + 2]! - z);
      let nearest = 0;
      for (let i = 1; i < particles.length / 4; i++) if (distance(i) < distance(nearest)) nearest = i;
      return nearest;
    });
    const pixelOf = (particle: number) =>
      page.evaluate((i) => {
        const { left, top } = document.querySelector('canvas.view')!.getBoundingClientRect();
        const [x, y, z] = phyxelStudio.frame!.particles.subarray(4 * i, 4 * i + 3);
        const pixel = phyxelStudio.viewport.project([x!, y!, z!]);
        return { x: left + pixel.x, y: top + pixel.y };
      }, particle);
    const at = await pixelOf(gripped);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 6; k++) await page.mouse.move(at.x + 15 * k, at.y - 12 * k);
    // The spring gives a little under the weight.
    const away = async () => {
      const { x, y } = await pixelOf(gripped);
      return Math.max(Math.abs(x - (at.x + 90)), Math.abs(y - (at.y - 72)));
    };
    await expect.poll(away).toBeLessThan(12);
    const held = await pixelOf(gripped);
    await page.mouse.up();
    await expect.poll(async () => (await pixelOf(gripped)).y).toBeGreaterThan(held.y + 30);
    await page.keyboard.press('Space');
  });

  test('changes the motion by a slider, while it runs and after a reset; undo takes it back', async () => {
    await openScene();
    await step(10);
    const soft = await centre();
    const slider = page.getByRole('slider', { name: "Young's modulus" });
    await slider.focus();
    await page.keyboard.press('End');
    await step(1);
    expect(await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material.youngsModulus)).toBe(1e8);
    await slider.focus();
    await slider.fill('500');
    await page.keyboard.press('r');
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 0);
    await step(10);
    const stiff = await centre();
    // Falls alike until it meets the floor at about frame 5, then the stiff one is squashed less.
    expect(stiff[1] - soft[1]).toBeGreaterThan(1e-3);
    const undo = page.getByRole('button', { name: 'Undo' });
    while (await undo.isEnabled()) await undo.click();
    expect(await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material.youngsModulus)).toBe(3e4);
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material.youngsModulus)).not.toBe(3e4);
  });

  test('reacts within a frame that takes long, and shows how far it is', async () => {
    // One frame has hundreds of thousands of steps.
    await openScene(
      SCENE.replace('duration: 2', 'duration: 20')
        .replace('frameRate: 30', 'frameRate: 0.1')
        .replace('3.0e+4', '3.0e+8'),
    );
    await page.locator('canvas.view').focus();
    await page.keyboard.press('Space');
    await page.waitForSelector('.transport .work:not([hidden])');
    expect(await page.locator('.count').textContent()).toMatch(/frame 1: \d+ %/);
    // Each answers long before the frame is done.
    for (let k = 0; k < 3; k++) {
      await page.evaluate(async () => {
        await phyxelStudio.world.play();
        await new Promise((resolve) => setTimeout(resolve, 300));
        await phyxelStudio.world.pause();
      });
      expect(await page.evaluate(() => phyxelStudio.frame!.frame)).toBe(0);
    }
    await page.keyboard.press('Space');
    await expect.poll(() => page.evaluate(() => phyxelStudio.playing)).toBe(true);
    await openScene();
    await step(1);
  });

  test('takes a preset while it runs', async () => {
    await openScene();
    await step(1);
    await page.getByRole('combobox', { name: 'Preset' }).selectOption('rubber');
    await step(1);
    const material = await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material);
    expect(material).toMatchObject({ model: 'neoHookean', youngsModulus: 1.16e6, density: 930 });
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('scrubs over the frames that were simulated, and goes on from one of them', async () => {
    await openScene();
    const heights = [(await centre())[1]];
    for (let k = 0; k < 8; k++) {
      await step(1);
      heights.push((await centre())[1]);
    }
    const timeline = page.getByRole('slider', { name: 'Timeline' });
    await timeline.fill('3');
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 3);
    expect((await centre())[1]).toBe(heights[3]);
    await step(1);
    expect(await frameNumber()).toBe(4);
    expect((await centre())[1]).toBe(heights[4]);
    // Back once more, and on with another material.
    await timeline.fill('2');
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 2);
    await page.getByRole('slider', { name: "Young's modulus" }).fill('500');
    await step(6);
    expect(await frameNumber()).toBe(8);
    expect((await centre())[1]).not.toBe(heights[8]);
  });

  test('exports what can be read back', async () => {
    await openScene();
    await step(9);
    const exportAs = async (kind: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('combobox', { name: 'Export' }).selectOption(kind),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const scene = await exportAs('scene');
    expect(parseScene(scene.bytes.toString(), scene.name).scene.bodies[0]!.name).toBe('cube');
    const glb = await exportAs('glb');
    expect(glb.name).toBe('cube-9.glb');
    const mesh = readMesh(glb.bytes, glb.name);
    const ys = mesh.positions.filter((_, k) => k % 3 === 1);
    const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
    expect(mean).toBeCloseTo((await centre())[1], 1);
    expect(Math.min(...ys)).toBeGreaterThan(-0.01);
    const png = await exportAs('png');
    expect([...png.bytes.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join('')).toBe('PNG');
    expect(png.bytes.length).toBeGreaterThan(5000);
  });

  test.each(['obj', 'ply', 'stl', 'glb'] as const)('takes a mesh that is dropped in as %s', async (format) => {
    await openScene();
    await drop([{ name: `pyramid.${format}`, bytes: [...pyramid(format)] }]);
    await page.waitForFunction(() => phyxelStudio.description?.bodies.some(({ name }) => name === 'pyramid'));
    await expect.poll(() => page.evaluate(() => phyxelStudio.selected)).toBe('pyramid');
    // It falls at once, and can be taken back.
    await waitForFrame(2);
    await page.evaluate(() => phyxelStudio.world.pause());
    // Both open the scene anew.
    const waitForBodies = (count: number) =>
      page.waitForFunction((wanted) => phyxelStudio.description!.bodies.length === wanted, count);
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitForBodies(1);
    await page.getByRole('button', { name: 'Redo' }).click();
    await waitForBodies(2);
    // Reset opens the scene with both again.
    await page.keyboard.press('r');
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 0);
  });

  test.each([
    [
      'broken.yaml',
      'phyxel: 1\nbodies:\n  - name: a\n    shape: { box: { size: [1, 1, -1] } }\n',
      /line 4.*must be > 0 m/s,
    ],
    ['broken.ply', 'ply\nformat ascii 1.0\nelement vertex 3\n', /broken\.ply/],
    ['letter.txt', 'dear', /is no scene/],
  ])('says what is wrong with %s, and keeps what is open', async (name, text, message) => {
    await openScene();
    await drop([{ name, text }]);
    await expect.poll(() => page.locator('.messages').textContent()).toMatch(message);
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await step(1);
    expect(await frameNumber()).toBe(1);
  });

  test('asks before it opens what may be too large, and keeps what is open', async () => {
    await openScene();
    const large = SCENE.replace('spacing: 0.06', 'spacing: 0.0024');
    expect(await openScene(large)).toBe(false);
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/about 195312\d particles.*larger spacing/);
    expect(await page.getByRole('button', { name: 'Open anyway' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    expect(await page.evaluate(() => phyxelStudio.description!.particles)).toBe(125);
    // What no page can hold is refused.
    expect(await openScene(SCENE.replace('spacing: 0.06', 'spacing: 0.0005'))).toBe(false);
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/at most 4\.29 GB/);
    expect(await page.getByRole('button', { name: 'Open anyway' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await step(1);
  });

  test('does not even read files that are too large', async () => {
    await page.evaluate(() => phyxelStudio.openFiles([{ name: 'huge.ply', size: 300e6 } as File]));
    await expect.poll(() => page.locator('.messages').textContent()).toMatch(/huge\.ply has more than 256 MB/);
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
  });

  test.each(['light', 'dark'] as const)('can be read in the %s theme', async (theme) => {
    await openScene();
    while ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) {
      await page.getByRole('button', { name: 'Dark or light' }).click();
    }
    // Contrast of every text in the panels to what is behind it, as WCAG 2 counts it.
    const weak = await page.evaluate(() => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 1;
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      const rgba = (color: string) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
      };
      const light = (color: string) => {
        const [r, g, b] = rgba(color).map((byte) => {
          const x = byte / 255;
          return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      };
      const behind = (element: Element | null): string => {
        if (!element) return 'white';
        const { backgroundColor } = getComputedStyle(element);
        return rgba(backgroundColor)[3]! > 250 ? backgroundColor : behind(element.parentElement);
      };
      return [...document.querySelectorAll('.bar *, .left *, .right *, .transport *')]
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim()))
        .filter((element) => !element.closest(':disabled, option'))
        .flatMap((element) => {
          const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          return ratio < 4.5
            ? [`${element.className || element.tagName} ${element.textContent}: ${ratio.toFixed(1)}`]
            : [];
        });
    });
    expect(weak).toEqual([]);
  });

  test('tells why a simulation stopped', async () => {
    await openScene();
    await page.evaluate(() =>
      phyxelStudio.world
        .setMaterial('cube', { youngsModulus: -1 })
        .catch((error: Error) => phyxelStudio.messages.error('Refused', error)),
    );
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/youngsModulus must be > 0 Pa/);
  });

  test('shows a quantity in colours with their meaning, and particles', async () => {
    await openScene();
    await step(8);
    const colors = () =>
      page.evaluate(() => {
        phyxelStudio.viewport.drawNow();
        const view = document.querySelector<HTMLCanvasElement>('canvas.view')!;
        const small = document.createElement('canvas');
        small.width = small.height = 64;
        const context = small.getContext('2d')!;
        context.drawImage(view, 0, 0, 64, 64);
        return [...context.getImageData(0, 0, 64, 64).data];
      });
    const differs = (a: number[], b: number[]) => a.filter((byte, k) => Math.abs(byte - b[k]!) > 24).length;
    const own = await colors();
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('stress');
    await page.waitForFunction(() => phyxelStudio.frame?.quantity === 'stress');
    const stress = await colors();
    expect(differs(own, stress)).toBeGreaterThan(100);
    expect(await page.locator('.legend').textContent()).toContain('Stress');
    expect(await page.locator('.legend .end').last().inputValue()).toMatch(/Pa$/);
    await page.getByRole('combobox', { name: 'Show as' }).selectOption('particles');
    expect(differs(stress, await colors())).toBeGreaterThan(50);
    await page.getByRole('combobox', { name: 'Show as' }).selectOption('surfels');
    await page.waitForFunction(() => phyxelStudio.view!.isReady);
    // Discs end where the mesh does and change colour as it does; along its edges they are a little off.
    const off = differs(stress, await colors()) / differs(own, stress);
    expect(off).toBeLessThan(0.05);
    await page.getByRole('combobox', { name: 'Show as' }).selectOption('mesh');
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('');
  });

  test('warms what the pointer is drawn over', async () => {
    await openScene();
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('warm');
    const at = await page.evaluate(() => {
      const { left, top } = document.querySelector('canvas.view')!.getBoundingClientRect();
      const pixel = phyxelStudio.viewport.project([0, 0.3, 0.15]);
      return { x: left + pixel.x, y: top + pixel.y };
    });
    await page.mouse.click(at.x, at.y);
    await page.waitForFunction(() => phyxelStudio.frame?.quantity === 'temperature');
    expect(await page.evaluate(() => phyxelStudio.frame!.range)).toEqual([20, 300]);
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('grab');
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('');
  });

  test('shows liquids by their surface', async () => {
    await openScene(SCENE.replace('- name: cube', '- name: cube\n    kind: fluid').replace(/ {4}material:.*\n/, ''));
    await step(2);
    expect(await page.evaluate(() => phyxelStudio.frame!.liquids![0]!.indices.length)).toBeGreaterThan(300);
    // And offers what liquids have, not what solids have.
    await page.getByRole('slider', { name: 'Viscosity' }).fill('900');
    await step(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('slider', { name: "Young's modulus" }).count()).toBe(0);
    await page.getByRole('slider', { name: 'Timeline' }).fill('1');
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 1);
    expect(await page.evaluate(() => phyxelStudio.frame!.liquids![0]!.indices.length)).toBeGreaterThan(300);
  });

  test.each([
    [1280, 720],
    [820, 1100],
    [1004, 440],
  ])('fits %i x %i', async (width, height) => {
    await page.setViewportSize({ width, height });
    await expect
      .poll(() =>
        page.evaluate(() => {
          const canvas = document.querySelector<HTMLCanvasElement>('canvas.view')!;
          const stage = document.querySelector('.stage')!.getBoundingClientRect();
          const beyond =
            document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight;
          return {
            beyond,
            fits: Math.abs(canvas.width - stage.width) < 2 && Math.abs(canvas.height - stage.height) < 2,
          };
        }),
      )
      .toEqual({ beyond: false, fits: true });
  });

  test('needs no pointer', async () => {
    await openScene();
    await page.locator('canvas.view').focus();
    await page.keyboard.press('.');
    await waitForFrame(1);
    await page.keyboard.press('l');
    await expect.poll(async () => (await centre())[1]).toBeGreaterThan(0.5);
    await page.keyboard.press('Space');
    await expect.poll(() => page.evaluate(() => phyxelStudio.playing)).toBe(false);
    await page.keyboard.press('g');
    await expect.poll(() => page.getByRole('dialog', { name: 'Examples' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog', { name: 'Examples' }).isVisible()).toBe(false);
    const timeline = page.getByRole('slider', { name: 'Timeline' });
    await timeline.focus();
    const before = await frameNumber();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((frame) => phyxelStudio.frame?.frame === frame - 1, before);
    // Every control has a name, and Tab reaches the play button.
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, input:not([hidden])')]
        .filter((element) => {
          const label = element.id ? document.querySelector(`label[for="${element.id}"]`) : undefined;
          return !(element.getAttribute('aria-label') || label?.textContent || element.textContent?.trim());
        })
        .map((element) => element.outerHTML),
    );
    expect(nameless).toEqual([]);
    await page.locator('canvas.view').focus();
    let reached = '';
    for (let k = 0; k < 60 && reached !== 'Play'; k++) {
      await page.keyboard.press('Tab');
      reached = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    }
    expect(reached).toBe('Play');
  });

  test('opens again what was open when the tab was closed', async () => {
    await openScene(SCENE.replace('name: cube\nduration', 'name: kept\nduration'));
    await page.reload();
    await page.waitForFunction(() => (globalThis as { phyxelStudio?: App }).phyxelStudio?.description?.name === 'kept');
  });

  test.each(['mesh', 'particles', 'surfels'] as const)('draws %s as it did before', async (display) => {
    await page.setViewportSize({ width: 1004, height: 440 });
    await openScene(SCENE.replace('frameRate: 30', 'frameRate: 10'));
    await page.evaluate((kind) => {
      phyxelStudio.display = kind;
    }, display);
    await step(3);
    const file = join(root, 'packages', 'studio', 'test', 'pictures', `${display}.png`);
    const draw = () =>
      page.evaluate(async () => {
        phyxelStudio.lookAtAll();
        const bitmap = await createImageBitmap(await phyxelStudio.viewport.picture());
        const small = document.createElement('canvas');
        [small.width, small.height] = [160, 100];
        small.getContext('2d')!.drawImage(bitmap, 0, 0, 160, 100);
        return small.toDataURL('image/png');
      });
    await page.waitForFunction(() => phyxelStudio.view!.isReady);
    if (process.env.UPDATE_PICTURES) {
      writeFileSync(file, Buffer.from((await draw()).split(',')[1]!, 'base64'));
    }
    const before = `data:image/png;base64,${readFileSync(file).toString('base64')}`;
    const difference = async () =>
      page.evaluate(
        async (urls) => {
          const pixels = await Promise.all(
            urls.map(async (url) => {
              const image = new Image();
              // The policy of the page lets no data addresses in, but blobs.
              const raw = Uint8Array.from(atob(url.split(',')[1]!), (c) => c.charCodeAt(0));
              image.src = URL.createObjectURL(new Blob([raw], { type: 'image/png' }));
              await image.decode();
              const canvas = document.createElement('canvas');
              [canvas.width, canvas.height] = [160, 100];
              const context = canvas.getContext('2d')!;
              context.drawImage(image, 0, 0);
              return context.getImageData(0, 0, 160, 100).data;
            }),
          );
          const [a, b] = pixels as [Uint8ClampedArray, Uint8ClampedArray];
          let different = 0;
          for (let i = 0; i < a.length; i += 4) {
            if ([0, 1, 2].some((k) => Math.abs(a[i + k]! - b[i + k]!) > 24)) different++;
          }
          return different / (160 * 100);
        },
        [await draw(), before],
      );
    // Edges may fall differently with another driver.
    await expect.poll(difference).toBeLessThan(0.01);
  });

  test('never broke its own security policy, nor complained otherwise', () => {
    const own = complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text));
    expect(own).toEqual([]);
  });
});

describe('the studio as a plain static site', () => {
  let plain: Server;
  let origin: string;
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.wasm': 'application/wasm',
    '.svg': 'image/svg+xml',
  };

  beforeAll(async () => {
    plain = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname).replace(/^\/deep\/folder\//, '');
      try {
        const body = readFileSync(join(site, path === '' ? 'index.html' : path));
        response
          .writeHead(200, { 'Content-Type': types[extname(path || 'index.html')] ?? 'application/json' })
          .end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/deep/folder/`;
  });
  afterAll(() => {
    plain.closeAllConnections();
    plain.close();
  });

  test('works below a folder and without shared memory, on one thread', async () => {
    const { page: other } = await newPage(browser);
    await openStudio(other, `${origin}?example=beam-sag&quality=plain`);
    expect(await other.evaluate(() => [crossOriginIsolated, phyxelStudio.description!.threads])).toEqual([false, 1]);
    await other.close();
  });
});

test.each([
  ['WebAssembly with SIMD', () => Object.assign(WebAssembly, { validate: () => false })],
  ['WebGL 2', () => Object.assign(HTMLCanvasElement.prototype, { getContext: () => null })],
])('a browser without %s is told so', async (feature, cripple) => {
  const { page: other } = await newPage(browser);
  await other.addInitScript(cripple);
  await other.goto(server.url);
  const alert = other.getByRole('alert');
  await expect.poll(() => alert.textContent()).toContain(`This browser lacks ${feature}`);
  await other.close();
});

test('the live page of @phyxel/three shows a world that moves', async () => {
  const { page: other, complaints: own } = await newPage(browser);
  await other.goto(new URL('demo.html', server.url).href);
  const height = () =>
    other.evaluate(
      () => (globalThis as { demo?: { frame?: { frame: number; particles: Float32Array } } }).demo?.frame?.frame ?? 0,
    );
  await expect.poll(height).toBeGreaterThan(3);
  const colors = await other.evaluate(async () => {
    const canvas = document.querySelector('canvas')!;
    const small = document.createElement('canvas');
    [small.width, small.height] = [50, 20];
    const context = small.getContext('2d')!;
    // Right after a picture was drawn, before the browser clears it.
    await new Promise((resolve) => requestAnimationFrame(() => resolve(context.drawImage(canvas, 0, 0, 50, 20))));
    return new Set(context.getImageData(0, 0, 50, 20).data).size;
  });
  expect(colors).toBeGreaterThan(10);
  expect(own.filter((text) => !/GPU stall|GL Driver Message/.test(text))).toEqual([]);
  await other.close();
});

describe('the server of the studio', () => {
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, server.url), { headers });

  test('isolates its pages and lets them load nothing from elsewhere', async () => {
    const response = await ask('/');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe-inline');
  });

  test.each([
    ['/../package.json', 404],
    ['/%2e%2e/package.json', 404],
    ['/..%2fpackage.json', 400],
    ['/project/index.json', 404],
    ['/nothing', 404],
  ])('%s is answered with %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  test('turns other sites away', async () => {
    expect((await ask('/', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await ask('/', { Origin: 'http://evil.example' })).status).toBe(403);
  });

  test('takes reports of its own pages where somebody waits for one, and nothing else', async () => {
    const post = (url: string, headers: Record<string, string> = {}) =>
      fetch(new URL('/report', url), { method: 'POST', body: '{"a":1}', headers });
    expect((await post(server.url)).status).toBe(405);
    const reports: string[] = [];
    const own = await serveStudio(site, undefined, 0, (text) => reports.push(text));
    try {
      expect((await post(own.url, { Origin: 'http://evil.example' })).status).toBe(403);
      expect((await post(own.url)).status).toBe(200);
      expect(reports).toEqual(['{"a":1}']);
    } finally {
      await own.close();
    }
  });

  test('serves of a project the scene and its meshes, and nothing beside them', async () => {
    const examples = join(root, 'examples');
    const own = await serveStudio(site, { folder: examples, scene: 'bunny-drop.yaml', files: ['meshes/bunny.ply'] }, 0);
    try {
      const status = async (path: string) => (await fetch(new URL(path, own.url))).status;
      expect(await status('/project/index.json')).toBe(200);
      expect(await status('/project/bunny-drop.yaml')).toBe(200);
      expect(await status('/project/meshes/bunny.ply')).toBe(200);
      expect(await status('/project/ducks.yaml')).toBe(404);
    } finally {
      await own.close();
    }
  });
});
