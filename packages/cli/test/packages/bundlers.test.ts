import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import resolveModules from '@rollup/plugin-node-resolve';
import { rollup } from '@rollup/wasm-node';
import { build as esbuild } from 'esbuild';
import { loadScene, parseScene } from 'phyxel';
import type { Browser, Page } from 'playwright-core';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import webpack from 'webpack';
import { launch } from '../../../studio/test/browser.js';
import { codeBlocks } from './code-blocks.js';
import { install, root } from './install.js';

/** With a liquid, whose solvers are fetched. */
const SCENE = `phyxel: 1
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.12, 0] }
  - { name: water, kind: fluid, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0.6, 0.12, 0] }
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

/** What a page of somebody else does: runs a world in a worker, and tells its hash. `assets` is the engine's folder. */
const remotePage = (assets?: string) => `
import { connectWorld } from 'phyxel/browser';
async function remote() {
  const world = connectWorld(${assets ? JSON.stringify({ assets }) : ''});
  const { threads } = await world.open({ text: ${JSON.stringify(SCENE)}, fileName: 'a.yaml', files: {}, threads: 2 });
  for (let k = 0; k < 3; k++) await world.step();
  const hash = await world.hash();
  world.dispose();
  return { threads, hash };
}
const tell = (result) => { globalThis.result = result; };
const fail = (error) => tell({ error: String(error) });
`;

/** The same, and once more with the whole library on the page itself. */
const page = (assets?: string) => `${remotePage(assets)}
import { loadScene, parseScene, setAssetFolder } from 'phyxel';
async function local() {
  ${assets ? `setAssetFolder(${JSON.stringify(assets)});` : ''}
  const { scene } = parseScene(${JSON.stringify(SCENE)}, 'a.yaml');
  const world = await loadScene(scene, { threads: 2 });
  for (let k = 1; k <= 3; k++) world.stepTo(k / scene.frameRate);
  const { threads } = world;
  const hash = world.stateHash();
  await world.dispose();
  return { threads, hash };
}
remote().then(async (worker) => tell({ worker, page: await local() })).catch(fail);
`;

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

describe('a page that somebody else builds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phyxel-bundle-'));
  /** Has the package as it would be published. */
  const app = join(folder, 'app');
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
    mkdirSync(app);
    install(app, 'phyxel');
    writeFileSync(join(app, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>');
    writeFileSync(join(app, 'main.js'), page());
    writeFileSync(join(app, 'with-folder.js'), page('engine/'));
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
        response.writeHead(404, headers).end();
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

  /** A folder for what is built, with a page for its script; with the engine's files where the bundler leaves them. */
  function site(
    name: string,
    { engine = false, script = '<script type="module" src="main.js"></script>' } = {},
  ): string {
    const out = join(folder, name);
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, 'index.html'), `<!doctype html>${script}`);
    if (engine) cpSync(join(app, 'node_modules/phyxel/web'), join(out, 'engine'), { recursive: true });
    return out;
  }

  /** What came of a page. */
  async function run(html: string): Promise<unknown> {
    const tab = await browser.newPage();
    try {
      await tab.goto(`${origin}/${html}`);
      await tab.waitForFunction(() => (globalThis as { result?: unknown }).result !== undefined);
      return await tab.evaluate(() => (globalThis as { result?: unknown }).result);
    } finally {
      await tab.close();
    }
  }

  const everywhere = () => ({ worker: { threads: 2, hash }, page: { threads: 2, hash } });

  test('with Vite, and no settings at all', async () => {
    const outDir = join(folder, 'vite');
    await vite({ root: app, base: './', logLevel: 'error', configFile: false, build: { outDir, minify: false } });
    expect(await run('vite/index.html')).toEqual(everywhere());
  });

  test('with webpack, and no settings at all', async () => {
    const path = site('webpack', { script: '<script src="main.js" defer></script>' });
    // But for minifying, which takes most of the time, and advice about sizes.
    const quick = { optimization: { minimize: false }, performance: false } as const;
    const compiler = webpack({ context: app, entry: './main.js', mode: 'production', output: { path }, ...quick })!;
    const complaints = await new Promise<unknown>((resolve, reject) =>
      compiler.run((error, stats) => {
        const { errors, warnings } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
        compiler.close(() => (error ? reject(error) : resolve([...(errors ?? []), ...(warnings ?? [])])));
      }),
    );
    expect(complaints).toEqual([]);
    expect(await run('webpack/index.html')).toEqual(everywhere());
  });

  test('with esbuild, and the folder of the engine beside it', async () => {
    const out = site('esbuild', { engine: true });
    await esbuild({
      entryPoints: [join(app, 'with-folder.js')],
      bundle: true,
      format: 'esm',
      outfile: join(out, 'main.js'),
      logLevel: 'error',
    });
    expect(await run('esbuild/index.html')).toEqual(everywhere());
  });

  test('with Rollup, and the folder of the engine beside it', async () => {
    const out = site('rollup', { engine: true });
    const complaints: string[] = [];
    const bundle = await rollup({
      input: join(app, 'with-folder.js'),
      plugins: [resolveModules({ browser: true })],
      onwarn: ({ message }) => complaints.push(message),
    });
    await bundle.write({ dir: out, entryFileNames: 'main.js' });
    await bundle.close();
    expect(complaints.filter((text) => text.includes('phyxel'))).toEqual([]);
    expect(await run('rollup/index.html')).toEqual(everywhere());
  });

  test('with an import map and no build, also where memory cannot be shared', async () => {
    const imports = { 'phyxel/browser': './node_modules/phyxel/dist/browser/index.js' };
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    const out = site('plain', { script: `${map}<script type="module" src="main.js"></script>` });
    symlinkSync(join(app, 'node_modules'), join(out, 'node_modules'));
    writeFileSync(join(out, 'main.js'), `${remotePage()} remote().then(tell, fail);`);
    expect(await run('plain/index.html')).toEqual({ threads: 2, hash });
    isolated = false;
    expect(await run('plain/index.html')).toEqual({ threads: 1, hash });
    isolated = true;
  });

  describe('as the READMEs show it', () => {
    /** Builds the script of a README with Vite and opens it; complaints of the page fail the test. */
    async function open(readme: string, find: (text: string) => boolean): Promise<{ tab: Page; complaints: string[] }> {
      const { text } = codeBlocks(join(root, readme)).find((block) => block.language === 'js' && find(block.text))!;
      const name = readme.replaceAll('/', '-');
      const source = join(app, name);
      mkdirSync(source);
      writeFileSync(join(source, 'index.html'), '<!doctype html><body><script type="module" src="main.js"></script>');
      writeFileSync(join(source, 'main.js'), text);
      const outDir = join(folder, `${name}-built`);
      // The lines await at the top of the module.
      const build = { outDir, minify: false, target: 'esnext' } as const;
      await vite({ root: source, base: './', logLevel: 'error', configFile: false, build });
      const tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
      const complaints: string[] = [];
      tab.on('pageerror', (error) => complaints.push(error.message));
      await tab.goto(`${origin}/${name}-built/index.html`);
      return { tab, complaints };
    }

    test('the library plays a world', async () => {
      const { tab, complaints } = await open('packages/core/README.md', (text) => text.includes('phyxel/browser'));
      await tab.waitForFunction(() => /^0\.[1-9]\d s: the first particle is at /.test(document.body.textContent!));
      await tab.close();
      expect(complaints).toEqual([]);
    });

    test('three.js shows it move', async () => {
      install(app, '@phyxel/three', 'three');
      const { tab, complaints } = await open('packages/three/README.md', (text) => text.includes('PhyxelView'));
      await tab.waitForSelector('canvas');
      const first = await tab.screenshot();
      await expect.poll(async () => (await tab.screenshot()).equals(first)).toBe(false);
      await tab.close();
      expect(complaints).toEqual([]);
    });
  });

  test('that lacks the folder of the engine is told its address and the cure', async () => {
    const out = site('lost');
    const settings = { bundle: true, format: 'esm', logLevel: 'error' } as const;
    await esbuild({ ...settings, entryPoints: [join(app, 'with-folder.js')], outfile: join(out, 'main.js') });
    const { error } = (await run('lost/index.html')) as { error: string };
    expect(error).toContain(`the worker ${origin}/lost/engine/world.js did not load (HTTP status 404)`);
    expect(error).toContain('connectWorld({ assets: "engine/" })');
    // Where the bundler was to follow the address, and did not.
    await esbuild({ ...settings, entryPoints: [join(app, 'main.js')], outfile: join(out, 'main.js') });
    const second = (await run('lost/index.html')) as { error: string };
    expect(second.error).toContain(`the worker ${origin}/web/world.js did not load (HTTP status 404)`);
    // Where a part of the folder is missing, the worker tells.
    const web = join(app, 'node_modules/phyxel/web');
    cpSync(web, join(out, 'engine'), { recursive: true, filter: (path) => !path.endsWith('thread.js') });
    await esbuild({ ...settings, entryPoints: [join(app, 'with-folder.js')], outfile: join(out, 'main.js') });
    const third = (await run('lost/index.html')) as { error: string };
    expect(third.error).toContain(`the worker ${origin}/lost/engine/thread.js did not load (HTTP status 404)`);
  });
});
