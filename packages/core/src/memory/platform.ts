/** What Node and browsers do differently: reading the compiled passes and starting threads. */

// Declared here because the core builds against neither Node's nor only the browser's types.
declare const process: { versions?: { node?: string } } | undefined;

const isNode = typeof process === 'object' && !!process.versions?.node;

/** Specifiers that are not literals stay out of sight of bundlers for the browser. */
async function nodeModule(name: string): Promise<Record<string, unknown>> {
  return (await import(/* @vite-ignore */ `node:${name}`)) as Record<string, unknown>;
}

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
  if (url.protocol === 'file:') {
    const { readFile } = (await nodeModule('fs/promises')) as {
      readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
    };
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: HTTP status ${response.status}`);
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

export async function availableThreads(): Promise<number> {
  if (isNode) {
    const { availableParallelism } = (await nodeModule('os')) as { availableParallelism(): number };
    return availableParallelism();
  }
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
export async function startThread(setup: unknown): Promise<Thread> {
  const url = new URL('./worker.js', import.meta.url);
  if (isNode) {
    const { Worker: NodeThread } = (await nodeModule('worker_threads')) as {
      Worker: new (url: URL, options: { workerData: unknown }) => NodeWorker;
    };
    const worker = new NodeThread(url, { workerData: setup });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
    worker.unref();
    return { terminate: async () => void (await worker.terminate()) };
  }
  // The literal form is what bundlers recognise.
  const own = assetUrl('thread.js');
  const worker = own
    ? new Worker(own, { type: 'module' })
    : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('message', () => resolve(), { once: true });
    worker.addEventListener('error', (event) => reject(new Error(`worker failed: ${event.message}`)), { once: true });
    worker.postMessage(setup);
  });
  return { terminate: async () => worker.terminate() };
}
