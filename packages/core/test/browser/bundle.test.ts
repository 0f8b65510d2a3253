import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild } from 'esbuild';
import type { Browser } from 'playwright-core';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from '../../../studio/test/browser.js';
import { loadScene } from '../../src/scene/load.js';
import { parseScene } from '../../src/scene/parse.js';

const core = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const SCENE = `phyxel: 1
bodies: [{ name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.12, 0] }]
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

/** What a page of somebody else does: runs a world in a worker, and tells its hash. */
const page = (module: string, options: string) => `
import { connectWorld } from '${module}';
const world = connectWorld(${options});
world
  .open({ text: ${JSON.stringify(SCENE)}, fileName: 'a.yaml', files: {}, threads: 2 })
  .then(async ({ threads }) => {
    for (let k = 0; k < 3; k++) await world.step();
    globalThis.result = { threads, hash: await world.hash() };
  })
  .catch((error) => { globalThis.result = { error: String(error) }; });
`;

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

describe('a page that somebody else builds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phyxel-bundle-'));
  let browser: Browser;
  let server: Server;
  let origin: string;
  let isolated = true;
  let hash: string;

  beforeAll(async () => {
    const { scene } = parseScene(SCENE, 'a.yaml');
    const world = await loadScene(scene, { threads: 1 });
    for (let k = 1; k <= 3; k++) world.stepTo(k / scene.frameRate);
    hash = world.stateHash();
    await world.dispose();
    browser = await launch();
    server = createServer((request, response) => {
      const path = new URL(request.url!, 'http://x').pathname;
      const headers = isolated
        ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
        : {};
      try {
        const body = readFileSync(join(folder, path));
        response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain', ...headers }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes a page with one script and answers what came of it. */
  async function run(html: string): Promise<unknown> {
    const tab = await browser.newPage();
    try {
      await tab.goto(`${origin}/${html}`);
      await tab.waitForFunction(() => (globalThis as { result?: unknown }).result !== undefined, undefined, {
        timeout: 60_000,
      });
      return await tab.evaluate(() => (globalThis as { result?: unknown }).result);
    } finally {
      await tab.close();
    }
  }

  test('with Vite, and no settings at all', async () => {
    // As if installed: a package in node_modules, which Vite takes as it is.
    const app = join(folder, 'app');
    mkdirSync(join(app, 'node_modules', 'phyxel'), { recursive: true });
    for (const part of ['package.json', 'dist', 'web', 'wasm']) {
      cpSync(join(core, part), join(app, 'node_modules', 'phyxel', part), { recursive: true });
    }
    writeFileSync(join(app, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>');
    writeFileSync(join(app, 'main.js'), page('phyxel/browser', ''));
    const outDir = join(folder, 'vite');
    await vite({ root: app, base: './', logLevel: 'error', configFile: false, build: { outDir, emptyOutDir: true } });
    expect(await run('vite/index.html')).toEqual({ threads: 2, hash });
  });

  test('with esbuild, and the folder of the engine beside it', async () => {
    const out = join(folder, 'esbuild');
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, 'index.html'), '<!doctype html><script type="module" src="main.js"></script>');
    await esbuild({
      stdin: { contents: page('phyxel/browser', `{ assets: 'engine/' }`), resolveDir: core },
      bundle: true,
      format: 'esm',
      outfile: join(out, 'main.js'),
      logLevel: 'error',
    });
    cpSync(join(core, 'web'), join(out, 'engine'), { recursive: true });
    expect(await run('esbuild/index.html')).toEqual({ threads: 2, hash });
  });

  test('with a script module and no build, also where memory cannot be shared', async () => {
    const plain = join(folder, 'plain');
    for (const part of ['dist', 'web']) cpSync(join(core, part), join(plain, 'phyxel', part), { recursive: true });
    const map = JSON.stringify({ imports: { 'phyxel/browser': './phyxel/dist/browser/index.js' } });
    writeFileSync(
      join(plain, 'index.html'),
      `<!doctype html><script type="importmap">${map}</script><script type="module" src="main.js"></script>`,
    );
    writeFileSync(join(plain, 'main.js'), page('phyxel/browser', ''));
    expect(await run('plain/index.html')).toEqual({ threads: 2, hash });
    isolated = false;
    expect(await run('plain/index.html')).toEqual({ threads: 1, hash });
  });
});
