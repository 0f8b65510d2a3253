/** What Node and browsers do differently: reading the compiled passes and starting threads. */

import { explainFailure } from './worker-failure.js';

interface NodeModules {
  'node:fs/promises': { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> };
  'node:os': { availableParallelism(): number };
  'node:worker_threads': { Worker: new (url: URL, options: { workerData: unknown }) => NodeWorker };
}

// Declared here because the core builds against neither Node's nor only the browser's types.
declare const process:
  | { versions?: { node?: string }; getBuiltinModule<K extends keyof NodeModules>(name: K): NodeModules[K] }
  | undefined;

/** Node's modules are asked for at run time: bundlers for the browser look for imports and stop at those. */
const isNode = typeof process === 'object' && !!process.versions?.node;

const CURE =
  'is it beside the program? Leave phyxel out of bundles for Node (external), or copy the folder "web" of the package ' +
  'phyxel and name it with setAssetFolder()';

const CURE_ON_PAGES =
  'copy the folder "web" of the package phyxel beside the page and name it, connectWorld({ assets: "..." }) on the ' +
  'page or setAssetFolder() in a worker';

/** The address of this module, as bundlers do not look for it: they would add the scripts of Node to a page. */
const here = import.meta.url;

let folder: string | undefined;

/**
 * Where the compiled passes (`phyxel.wasm`, `phyxel.threads.wasm`) and the script of threads (`thread.js`) are, for
 * bundlers that do not follow `new URL('...', import.meta.url)`: copy the files of the package's folder `web` there.
 */
export function setAssetFolder(url: string | URL): void {
  const text = String(url);
  folder = text.endsWith('/') ? text : `${text}/`;
}

/** A file of the folder that was named, if one was. */
export function assetUrl(name: string): URL | undefined {
  if (folder === undefined) return undefined;
  return new URL(name, new URL(folder, (globalThis as { location?: { href: string } }).location?.href));
}

/** Compiles the module at an address; while it arrives, where the server names its type. */
export async function compileAt(url: URL): Promise<WebAssembly.Module> {
  if (isNode && url.protocol === 'file:') {
    const bytes = await process!
      .getBuiltinModule('node:fs/promises')
      .readFile(url)
      .catch((error: Error) => {
        throw new Error(`cannot load the compiled passes: ${error.message}; ${CURE}`, { cause: error });
      });
    return WebAssembly.compile(bytes);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`cannot load the compiled passes, ${url}: HTTP status ${response.status}; ${CURE_ON_PAGES}`);
  }
  const isNamed = response.headers.get('Content-Type')?.startsWith('application/wasm') === true;
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Can memory be shared with other threads here? Browsers say no unless the page is cross-origin isolated. */
export function canShareMemory(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return isNode || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

/** May this thread wait for others? The main thread of a page must not. */
export function maySleep(): boolean {
  return isNode || typeof (globalThis as { document?: unknown }).document === 'undefined';
}

export function availableThreads(): number {
  if (isNode) return process!.getBuiltinModule('node:os').availableParallelism();
  return (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency ?? 1;
}

export interface Thread {
  terminate(): Promise<void>;
}

interface NodeWorker {
  once(event: 'message' | 'error', listener: (value: unknown) => void): void;
  unref(): void;
  terminate(): Promise<number>;
}

/** Starts a thread that serves passes; settles when it is ready. */
export function startThread(setup: unknown): Promise<Thread> {
  return isNode ? startNodeThread(setup) : startPageThread(setup);
}

async function startNodeThread(setup: unknown): Promise<Thread> {
  const { Worker: NodeThread } = process!.getBuiltinModule('node:worker_threads');
  const url = assetUrl('thread.js') ?? new URL('./worker.js', here);
  const worker = new NodeThread(url, { workerData: setup });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (error) => {
      const { code, message } = error as Error & { code?: string };
      const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
      const text = `the thread ${url} did not start: ${message.split('\n')[0]}${missing ? `; ${CURE}` : ''}`;
      reject(new Error(text, { cause: error }));
    });
  });
  worker.unref();
  return { terminate: async () => void (await worker.terminate()) };
}

async function startPageThread(setup: unknown): Promise<Thread> {
  const own = assetUrl('thread.js');
  // The literal form is what bundlers recognise.
  const start = () =>
    own ? new Worker(own, { type: 'module' }) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const worker = start();
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('message', () => resolve(), { once: true });
    worker.addEventListener(
      'error',
      (event) => explainFailure(start, event, CURE_ON_PAGES).then((text) => reject(new Error(text)), reject),
      { once: true },
    );
    worker.postMessage(setup);
  });
  return { terminate: async () => worker.terminate() };
}
