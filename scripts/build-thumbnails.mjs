// Draws the pictures of the gallery (packages/studio/gallery). Names of examples as arguments; all that have no picture
// yet without. All are drawn by the studio itself, in Chromium, so that they look alike.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serveStudio } from '../packages/cli/dist/studio/server.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const gallery = join(root, 'packages', 'studio', 'gallery');
/** Share of the scene at which something is going on, and where that is at another time. */
const SHARE = 0.3;
const SHARES = {
  'ball-in-pool': 0.42,
  'dam-break-bunny': 0.4,
  'chocolate-bar': 0.63,
  'ceramic-bunny': 0.33,
  donut: 0.97,
  dominoes: 0.4,
  ducks: 0.5,
  'flow-bars': 0.5,
  'flow-bunny': 0.45,
  'flow-melt': 0.4,
  'flow-twist': 0.6,
  'flow-uneven': 0.6,
  fountain: 0.37,
  'half-heated': 0.4,
  'heated-funnel': 0.8,
  'held-figure': 0.25,
  'hot-block': 0.5,
  'ice-sheet': 0.57,
  'lava-lamp': 0.15,
  'lava-lamp-heat': 0.15,
  'linear-blend': 0.5,
  'marble-run': 0.36,
  'melting-bust': 0.6,
  'one-life': 0.8,
  'painted-doll': 0.05,
  'soft-tower': 0.4,
  'soft-toys': 0.1,
  squash: 0.5,
  'toy-box': 0.95,
  'viscoelastic-jets': 0.5,
  'warm-blob': 0.12,
};
/** Seconds that its simulation may take: only what hangs takes longer, so pictures are the same on a slow machine. */
const PATIENCE = 1200;

mkdirSync(gallery, { recursive: true });
const all = readdirSync(join(root, 'examples'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''));
const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : all.filter((name) => !existsSync(join(gallery, `${name}.webp`)));
if (names.length === 0) process.exit(0);

const server = await serveStudio(join(root, 'packages', 'studio', 'site'), undefined, 0);
const browser = await chromium.launch({
  executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
  args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
try {
  for (const name of names) {
    const page = await browser.newPage({ viewport: { width: 1152, height: 512 } });
    try {
      await page.goto(new URL(`?example=${name}&quality=full`, server.url).href);
      const ready = (expected) => globalThis.phyxelStudio?.description?.name === expected;
      await page.waitForFunction(ready, name, { timeout: 120_000 });
      const frame = await page.evaluate(
        async ({ share, patience }) => {
          const app = globalThis.phyxelStudio;
          const until = Math.max(1, Math.round(share * app.description.frames));
          await app.world.play({ speed: Infinity, until });
          const started = performance.now();
          while (app.frame.frame < until && performance.now() - started < 1000 * patience) {
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          await app.world.pause();
          if (app.frame.frame < until) throw new Error(`got to frame ${app.frame.frame} of ${until} only`);
          return app.frame.frame;
        },
        { share: SHARES[name] ?? SHARE, patience: PATIENCE },
      );
      const picture = await page.evaluate(() => {
        const { viewport } = globalThis.phyxelStudio;
        globalThis.phyxelStudio.lookAtAll();
        // The first pictures of a scene have fewer pixels.
        viewport.sharpen();
        viewport.drawNow();
        const from = viewport.canvas;
        const to = document.createElement('canvas');
        [to.width, to.height] = [480, 300];
        // A small picture shows less around.
        const scale = 1.3 * Math.max(480 / from.width, 300 / from.height);
        const [width, height] = [from.width * scale, from.height * scale];
        to.getContext('2d').drawImage(from, (480 - width) / 2, (300 - height) / 2, width, height);
        return to.toDataURL('image/webp', 0.82);
      });
      const bytes = Buffer.from(picture.split(',')[1], 'base64');
      writeFileSync(join(gallery, `${name}.webp`), bytes);
      console.log(`${name}: frame ${frame}, ${bytes.length} bytes`);
    } catch (error) {
      console.error(`${name}: ${error.message.split('\n')[0]}`);
    } finally {
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}
