/** Why a worker of a page did not start or broke down: the address of its script, the reason and the cure. */

/**
 * The address that a worker would be started from. Bundlers recognise `new Worker(new URL('...', import.meta.url))` by
 * its letters and put an address of their own there, so it is known only to who is called with it.
 */
function addressOf(start: () => Worker): string {
  const scope = globalThis as { Worker: unknown };
  const own = scope.Worker;
  let address = '';
  scope.Worker = class {
    constructor(url: string | URL) {
      address = new URL(url, globalThis.location?.href).href;
    }
  };
  try {
    start();
  } finally {
    scope.Worker = own;
  }
  return address;
}

/** What is wrong with a script that a worker could not be started from; undefined when nothing is to be seen. */
async function reasonAt(address: string): Promise<string | undefined> {
  if (address.startsWith('file:')) return 'a page that was opened as a file cannot start workers: serve it by HTTP';
  const here = globalThis.location?.origin;
  if (here && new URL(address).origin !== here) return `a page of ${here} cannot start a worker of another origin`;
  try {
    const response = await fetch(address);
    void response.body?.cancel();
    if (!response.ok) return `HTTP status ${response.status}`;
    const type = response.headers.get('Content-Type') ?? 'no type';
    if (!/javascript|ecmascript/.test(type)) return `it is served as ${type}, which is no script`;
    if (!globalThis.crossOriginIsolated || response.headers.has('Cross-Origin-Embedder-Policy')) return undefined;
    return 'its response lacks the header Cross-Origin-Embedder-Policy, which the page has';
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * The text for an `error` event of a worker that `start` starts. An event without a message is that of a script which
 * did not load; then `cure` says what helps.
 */
export async function explainFailure(start: () => Worker, event: Event, cure: string): Promise<string> {
  const address = addressOf(start);
  const { message } = event as ErrorEvent;
  if (message) return `the worker ${address} failed: ${message}`;
  const reason = (await reasonAt(address)) ?? 'its script or one that it imports was refused, see the console';
  return `the worker ${address} did not load (${reason}): ${cure}`;
}
