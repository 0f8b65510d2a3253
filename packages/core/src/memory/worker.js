import { serve } from './control.js';

/**
 * @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory, passes: string[] }} setup
 * @param {() => void} ready
 */
function start({ module, memory, passes }, ready) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const control = new Int32Array(memory.buffer, 0, 32);
  ready();
  serve(
    control,
    passes.map((name) => /** @type {Function} */ (exports[name])),
  );
}

// Node and browsers name the same things differently; the specifier is not a literal so that
// bundlers for the browser leave it alone. No await at the top: classic workers, which some bundlers make, have none.
if (typeof process === 'object' && process.versions?.node) {
  const specifier = 'node:worker_threads';
  import(/* @vite-ignore */ specifier).then(({ parentPort, workerData }) =>
    start(workerData, () => parentPort.postMessage('ready')),
  );
} else {
  globalThis.addEventListener('message', (event) => start(event.data, () => globalThis.postMessage('ready')), {
    once: true,
  });
}
