/**
 * Every example as the studio shows it, against pictures that people have looked at. Another example, or another look:
 * `node scripts/build-pictures.mjs NAME`, look at packages/studio/test/pictures/examples/NAME.png, and commit it.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Picture } from '../../cli/src/render/picture.js';
import { type StudioServer, serveStudio } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';
import type { Example } from '../src/examples.js';
import { launch, openStudio, site } from './browser.js';
import {
  DIFFERENT,
  difference,
  FOLDER,
  HEIGHT,
  pictureFrom,
  readPicture,
  TOLERANCE,
  WIDTH,
  writePicture,
} from './pictures.js';

declare const phyxelStudio: App;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
/** Frames after which there is something to see, where it is not there at once or moves at little cost. */
const FRAMES: Readonly<Record<string, number>> = {
  'beam-sag': 3,
  'box-stack': 8,
  casting: 8,
  dominoes: 8,
  fountain: 6,
  'freezing-pour': 12,
  'half-heated': 6,
  'held-figure': 6,
  'honey-coil': 6,
  'marble-run': 20,
  pouring: 6,
  'rolling-ball': 3,
  'rubber-stretch': 6,
  'sag-static': 1,
  'soft-tower': 13,
  'soft-toys': 9,
  'stiff-drop': 8,
  'toy-box': 20,
  'two-stiffnesses': 4,
  'viscoelastic-jets': 6,
};
/** Names to make anew, for scripts/build-pictures.mjs; '*' for all. */
const wanted = process.env.PHYXEL_PICTURES?.split(',') ?? [];
const names = readdirSync(join(root, 'examples'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''));

let browser: Browser;
let server: StudioServer;
const shown = new Map<string, Picture | Error>();

async function quietPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 700, height: 420 } });
  // An example that is not there: nothing is opened but what is asked for.
  await openStudio(page, `${server.url}?example=two-stiffnesses`);
  await page.evaluate(() => phyxelStudio.world.pause());
  return page;
}

/** Draws one example, when the pictures of its meshes are decoded; no animation is under way then. */
async function draw(page: Page, name: string, frames = 0): Promise<Picture> {
  const bytes = await page.evaluate(
    async ([example, count, width, height]) => {
      const list = (await (await fetch('examples/index.json')).json()) as Example[];
      const opened = await phyxelStudio.openExample(list.find((entry) => entry.name === example)!);
      if (!opened) throw new Error(document.querySelector('.messages')?.textContent ?? 'not opened');
      for (let k = 0; k < count; k++) await phyxelStudio.world.step();
      if (phyxelStudio.frame?.frame !== count) throw new Error(`shows frame ${phyxelStudio.frame?.frame}`);
      while (!phyxelStudio.view!.isReady) await new Promise((resolve) => setTimeout(resolve, 20));
      const data = phyxelStudio.viewport.pictureOf(width, height, phyxelStudio.occupiedBox());
      let text = '';
      for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
      return btoa(text);
    },
    [name, frames, WIDTH, HEIGHT] as const,
  );
  return pictureFrom(Buffer.from(bytes, 'base64'));
}

beforeAll(async () => {
  server = await serveStudio(site, undefined, 0);
  browser = await launch();
  const due = wanted.length === 0 || wanted.includes('*') ? [...names] : names.filter((name) => wanted.includes(name));
  // Two pages share the work: the processor draws, and each world has one thread.
  await Promise.all(
    [0, 1].map(async () => {
      const page = await quietPage();
      for (let name = due.shift(); name !== undefined; name = due.shift()) {
        const started = performance.now();
        shown.set(name, await draw(page, name, FRAMES[name]).catch((error: Error) => error));
        if (process.env.PHYXEL_VERBOSE) console.log(name, Math.round(performance.now() - started));
      }
      await page.close();
    }),
  );
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe('the studio shows an example as it did before', () => {
  test.each(names)('%s', (name) => {
    const picture = shown.get(name);
    if (picture === undefined) return expect(wanted).not.toEqual([]);
    if (picture instanceof Error) throw picture;
    if (wanted.length > 0) writePicture(FOLDER, name, picture);
    const before = readPicture(name);
    if (!before) throw new Error(`there is no picture yet: node scripts/build-pictures.mjs ${name}, and look at it`);
    const changed = difference(picture, before);
    if (changed <= TOLERANCE) return undefined;
    const file = writePicture(DIFFERENT, name, picture);
    throw new Error(
      `${(100 * changed).toFixed(1)} % of the pixels changed: look at ${file}; if it is right, node scripts/build-pictures.mjs ${name}`,
    );
  });

  test('has no picture of an example that is gone', () => {
    const pictures = readdirSync(FOLDER).map((file) => file.replace(/\.png$/, ''));
    expect(pictures.sort()).toEqual([...names].sort());
  });
});

describe.skipIf(wanted.length > 0)('the comparison', () => {
  const scene = (color: string, bodies = 2) => `phyxel: 1
bodies:
${[
  `{ name: a, shape: { sphere: { radius: 0.1 } }, spacing: 0.04, position: [0.2, 0.1, 0], color: "${color}" }`,
  '{ name: b, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [-0.2, 0.1, 0] }',
]
  .slice(0, bodies)
  .map((body) => `  - ${body}`)
  .join('\n')}
obstacles: [{ name: floor, shape: { plane: {} } }, { name: far, shape: { box: { size: [0.02, 0.02, 0.02] } }, position: [-0.3, 0.2, 0] }]
`;

  test('sees another colour and a missing body, and no difference where there is none', async () => {
    const page = await quietPage();
    const pictureOf = async (text: string) => {
      const data = await page.evaluate(
        async ([written, width, height]) => {
          if (!(await phyxelStudio.open({ text: written, fileName: 'test.yaml', files: {} })))
            throw new Error('refused');
          return [...phyxelStudio.viewport.pictureOf(width, height, phyxelStudio.occupiedBox())];
        },
        [text, WIDTH, HEIGHT] as const,
      );
      return pictureFrom(data);
    };
    const first = await pictureOf(scene('#c04040'));
    expect(difference(first, await pictureOf(scene('#c04040')))).toBe(0);
    expect(difference(first, await pictureOf(scene('#c08040')))).toBeGreaterThan(4 * TOLERANCE);
    expect(difference(first, await pictureOf(scene('#c04040', 1)))).toBeGreaterThan(4 * TOLERANCE);
    await page.close();
  });
});
