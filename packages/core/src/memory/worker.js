import { controlWords, serve } from './control.js';

/**
 * @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory, passes: string[], thread: number, threads: number }} setup
 * @param {() => void} ready
 */
function start({ module, memory, passes, thread, threads }, ready) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  ready();
  serve(
    controlWords(memory, threads),
    passes.map((name) => /** @type {Function} */ (exports[name])),
    thread,
  );
}

// Node and browsers name the same things differently. Node's module is asked for at run time: bundlers for the browser
// look for imports and stop at it. No await at the top: classic workers, which some bundlers make, have none.
if (typeof process === 'object' && process.versions?.node) {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  start(workerData, () => parentPort.postMessage('ready'));
} else {
  globalThis.addEventListener('message', (event) => start(event.data, () => globalThis.postMessage('ready')), {
    once: true,
  });
}
