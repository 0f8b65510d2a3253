import { connectWorld } from 'phyxel/browser';
import { fetchExamples } from './examples.js';
import { findFirstScene } from './first-scene.js';
import { comfortableMemory, threadsFor } from './limits.js';
import { Loading } from './loading.js';
import { fetchParameters } from './parameters.js';

/** Starts what takes longest, in parallel. */
export function prepare() {
  const world = connectWorld({ assets: new URL('engine/', document.baseURI) });
  const examples = fetchExamples();
  const parameters = fetchParameters();
  const loading = new Loading('the first scene');
  world.on('opening', ({ step, share }) => loading.opening(step, share));
  const scene = findFirstScene(examples, { loading });
  const opening = scene.then(
    (first) =>
      first &&
      world.open({ ...first, threads: threadsFor(), memoryLimit: comfortableMemory() }, { signal: loading.signal }),
  );
  // Those who wait for them tell what went wrong.
  for (const promise of [examples, parameters, scene, opening]) promise.catch(() => {});
  return { world, examples, parameters, loading, scene, opening };
}

export type Prepared = ReturnType<typeof prepare>;
