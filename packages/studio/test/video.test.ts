import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StudioServer, serveStudio } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';
import { writeWebm } from '../src/webm.js';
import { cubeScene, launch, newPage, openStudio, site } from './browser.js';

const SCENE = cubeScene({ height: 1, more: 'color: "#ffffff"' });

declare const phyxelStudio: App;

/** Elements that hold others. */
const GHOST_SOURCES = new Set([0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675, 0x1c53bb6b, 0xbb, 0xb7]);

interface Element {
  readonly id: number;
  /** Where it begins in the file. */
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly children: readonly Element[];
}

/** The elements of a file by the rules of EBML (RFC 8794). */
function readElements(bytes: Uint8Array, base = 0): Element[] {
  const found: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const begin = at;
    const idLength = Math.clz32(bytes[at]!) - 23;
    let id = 0;
    for (let k = 0; k < idLength; k++) id = id * 256 + bytes[at++]!;
    const sizeLength = Math.clz32(bytes[at]!) - 23;
    let size = bytes[at++]! & (0xff >> sizeLength);
    for (let k = 1; k < sizeLength; k++) size = size * 256 + bytes[at++]!;
    expect(at + size).toBeLessThanOrEqual(bytes.length);
    const content = bytes.subarray(at, at + size);
    const children = GHOST_SOURCES.has(id) ? readElements(content, base + at) : [];
    found.push({ id, at: base + begin, bytes: content, children });
    at += size;
  }
  return found;
}

const all = (elements: readonly Element[], id: number): Element[] =>
  elements.flatMap((element) => [...(element.id === id ? [element] : []), ...all(element.children, id)]);
const number = ({ bytes }: Element) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** Pictures with their times [ms]. */
function picturesOf(elements: readonly Element[]) {
  return all(elements, 0x1f43b675).flatMap((cluster) => {
    const start = number(all(cluster.children, 0xe7)[0]!);
    return all(cluster.children, 0xa3).map(({ bytes }) => ({
      time: start + ((bytes[1]! << 24) >> 16) + bytes[2]!,
      isKey: (bytes[3]! & 0x80) !== 0,
      bytes: bytes.subarray(4),
    }));
  });
}

describe('a WebM file', () => {
  const picture = (time: number, isKey: boolean) => ({ time, isKey, bytes: Uint8Array.of(1, 2, time & 0xff) });
  const track = { codec: 'V_VP9', width: 640, height: 360, frameRate: 1 } as const;

  test('holds its pictures in clusters short enough for their clocks, with an index that points at them', () => {
    const pictures = Array.from({ length: 100 }, (_, k) => picture(1000 * k, k === 0 || k === 70));
    const bytes = writeWebm(track, pictures);
    const elements = readElements(bytes);
    expect(picturesOf(elements)).toEqual(pictures);
    const segment = elements[1]!;
    const contentAt = segment.at + 12;
    const clusters = all(elements, 0x1f43b675);
    expect(clusters.length).toBeGreaterThan(3);
    const cues = all(elements, 0xbb).map(({ children }) => ({
      time: number(all(children, 0xb3)[0]!),
      at: contentAt + number(all(children, 0xf1)[0]!),
    }));
    expect(cues.map(({ time }) => time)).toEqual([0, 70_000]);
    for (const { time, at } of cues) {
      const cluster = clusters.find((candidate) => candidate.at === at)!;
      expect(number(all(cluster.children, 0xe7)[0]!)).toBe(time);
    }
  });

  test('must begin with a key frame', () => {
    expect(() => writeWebm(track, [picture(0, false)])).toThrow('key frame');
    expect(() => writeWebm(track, [])).toThrow('key frame');
  });
});

describe('videos from the studio', () => {
  let browser: Browser;
  let server: StudioServer;
  let page: Page;

  beforeAll(async () => {
    server = await serveStudio(site, undefined, 0);
    browser = await launch();
    ({ page } = await newPage(browser));
    await openStudio(page, `${server.url}?quality=plain`);
    await page.evaluate((text) => phyxelStudio.open({ text, fileName: 'cube.yaml', files: {} }), SCENE);
    await page.evaluate(async () => {
      for (let k = 0; k < 12; k++) await phyxelStudio.world.step();
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const choose = () => page.getByRole('combobox', { name: 'Export' }).selectOption('webm');

  test('show what was simulated: a white cube that falls', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), choose()]);
    expect(download.suggestedFilename()).toBe('cube.webm');
    const elements = readElements(readFileSync(await download.path()));
    const pictures = picturesOf(elements);
    expect(pictures.map(({ time }) => time)).toEqual(Array.from({ length: 13 }, (_, k) => Math.round((1000 * k) / 30)));
    const codec = new TextDecoder().decode(all(elements, 0x86)[0]!.bytes);
    // Height of the brightest pixels of each picture, decoded by the browser.
    const heights = await page.evaluate(
      async ({ chunks, name }) => {
        const means: number[] = [];
        const decoder = new VideoDecoder({
          output: (frame) => {
            const canvas = new OffscreenCanvas(frame.displayWidth, frame.displayHeight);
            const context = canvas.getContext('2d')!;
            context.drawImage(frame, 0, 0);
            const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
            let [sum, count] = [0, 0];
            for (let k = 0; k < data.length / 4; k++) {
              if (data[4 * k]! < 140) continue;
              sum += Math.floor(k / width);
              count++;
            }
            means.push(sum / count);
            frame.close();
          },
          error: (error) => {
            throw error;
          },
        });
        decoder.configure({ codec: name });
        for (const { time, isKey, bytes } of chunks) {
          const data = new Uint8Array(bytes);
          decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp: 1000 * time, data }));
        }
        await decoder.flush();
        return means;
      },
      {
        chunks: pictures.map((picture) => ({ ...picture, bytes: [...picture.bytes] })),
        name: codec === 'V_VP9' ? 'vp09.00.41.08' : 'vp8',
      },
    );
    expect(heights).toHaveLength(13);
    for (let k = 3; k < heights.length; k++) expect(heights[k]!).toBeGreaterThan(heights[k - 1]!);
    // The frame that was shown is shown again.
    await page.waitForFunction(() => phyxelStudio.frame?.frame === 12);
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  });

  test('can be given up', async () => {
    await choose();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.locator('.messages').textContent()).toMatch(/given up/);
    expect(await page.locator('.messages progress').count()).toBe(0);
  });

  test('need WebCodecs, which is told', async () => {
    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'VideoEncoder'));
    await choose();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/no WebCodecs/);
  });
});
