import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from '../../../studio/test/browser.js';
import { createWorld } from '../../src/world.js';
import { allHashes, buildScene, runScene } from './scene.js';

const core = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Packages that the core imports by name, each bundled to one module. */
const PACKAGES = ['zod', 'yaml', '@dimforge/rapier3d-deterministic-compat'];

/** The worker of the page: runs the scene of the test and posts its fingerprints. */
const WORKER = `
  import { createWorld } from '/core/src/world.js';
  import { allHashes, buildScene, runScene } from '/core/test/browser/scene.js';
  addEventListener('message', async ({ data }) => {
    try {
      const world = await buildScene(createWorld, data.threads);
      const hashes = [...runScene(world), ...(await allHashes(createWorld, data.threads))];
      postMessage({ hashes, threads: world.threads, isolated: crossOriginIsolated });
      await world.dispose();
    } catch (error) {
      postMessage({ error: String(error?.stack ?? error) });
    }
  });
`;

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves the sources as they are, TypeScript stripped of its types file by file, so that asset URLs stay true. */
async function serve(path: string): Promise<{ type: string; body: Uint8Array | string } | undefined> {
  if (path === '/') return { type: 'text/html', body: '<!doctype html><title>hash</title>' };
  if (path === '/worker.js') return { type: 'text/javascript', body: await link(WORKER) };
  const name = path.match(/^\/package\/([@a-z0-9/-]+)\.js$/)?.[1];
  if (name !== undefined && PACKAGES.includes(name)) {
    const { outputFiles } = await build({
      stdin: { contents: `export * from '${name}'; `, resolveDir: core },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    return { type: 'text/javascript', body: outputFiles[0]!.contents };
  }
  const inside = normalize(path);
  if (!inside.startsWith('/core/') || inside.includes('..')) return undefined;
  const file = join(core, inside.slice('/core/'.length));
  const type = TYPES[extname(file)];
  if (type === undefined) return undefined;
  const raw = await readFile(file).catch(() => undefined);
  if (raw) return { type, body: type === 'text/javascript' ? await link(raw.toString()) : raw };
  const source = await readFile(file.replace(/\.js$/, '.ts'), 'utf8').catch(() => undefined);
  if (source === undefined) return undefined;
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2022' });
  return { type, body: await link(code) };
}

/** Gives imports by package name an address. */
async function link(code: string): Promise<string> {
  return code.replace(
    /(from\s*|import\s*)(["'])(zod|yaml|@dimforge\/[a-z0-9-]+)\2/g,
    (_, keyword, __, name) => `${keyword}'/package/${name}.js'`,
  );
}

describe('Chromium and Node agree to the last bit', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  let isolated = true;
  let expected: string[];

  beforeAll(async () => {
    const world = await buildScene(createWorld, 1);
    expected = [...runScene(world), ...(await allHashes(createWorld, 1))];
    await world.dispose();
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      serve(pathname)
        .then((found) => {
          const isolation = isolated
            ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
            : {};
          if (!found) response.writeHead(404).end();
          else response.writeHead(200, { 'Content-Type': found.type, ...isolation }).end(found.body);
        })
        .catch((error) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  });

  /** Runs the scene in a module worker of a fresh page. */
  async function runInPage(
    threads: number,
  ): Promise<{ hashes?: string[]; threads?: number; isolated?: boolean; error?: string }> {
    const page = await browser.newPage();
    try {
      await page.goto(origin);
      return await page.evaluate(
        (count) =>
          new Promise((resolve) => {
            const worker = new Worker('/worker.js', { type: 'module' });
            worker.addEventListener('message', ({ data }) => resolve(data), { once: true });
            worker.addEventListener('error', (event) => resolve({ error: `worker: ${event.message}` }), { once: true });
            worker.postMessage({ threads: count });
          }),
        threads,
      );
    } finally {
      await page.close();
    }
  }

  test.each([1, 2])('with %i threads on shared memory', async (threads) => {
    isolated = true;
    expect(await runInPage(threads)).toEqual({ hashes: expected, threads, isolated: true });
  });

  test('with one thread on plain memory, where the page is not cross-origin isolated', async () => {
    isolated = false;
    expect(await runInPage(2)).toEqual({ hashes: expected, threads: 1, isolated: false });
  });
});
