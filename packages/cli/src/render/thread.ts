/** Body of a thread that draws. */
import { parentPort } from 'node:worker_threads';
import { ROUNDS, separateLight, smoothLight } from './denoise.js';
import { PathTracer } from './paths.js';
import { RayMemory } from './rays.js';
import { type Task, TILE } from './threads.js';
import type { View } from './view.js';

const memory = new RayMemory();

parentPort!.on('message', (task: Task) => {
  perform(task);
  parentPort!.postMessage('done');
});

function perform(task: Task): void {
  const { canvas } = task;
  const claim = () => Atomics.add(canvas.counter, 0, 1);
  switch (task.kind) {
    case 'trace': {
      const { geometry, tree, view } = task.scenery;
      const tracer = new PathTracer(view, geometry, tree, memory);
      const across = Math.ceil(view.width / TILE);
      const tiles = across * Math.ceil(view.height / TILE);
      for (let tile = claim(); tile < tiles; tile = claim()) {
        const left = TILE * (tile % across);
        const top = TILE * Math.floor(tile / across);
        for (let y = top; y < Math.min(view.height, top + TILE); y++) {
          for (let x = left; x < Math.min(view.width, left + TILE); x++) tracer.pixel(x, y, canvas.film);
        }
      }
      break;
    }
    case 'separate':
      forRows(task.view, claim, (begin, end) => separateLight(canvas.film, canvas.lights[0], task.view, begin, end));
      break;
    case 'smooth': {
      const from = canvas.lights[(task.round % 2) as 0 | 1];
      const to = canvas.lights[((task.round + 1) % 2) as 0 | 1];
      const step = ROUNDS[task.round]!;
      forRows(task.view, claim, (begin, end) => smoothLight(canvas.film, from, to, task.view, step, begin, end));
    }
  }
}

function forRows(view: View, claim: () => number, work: (begin: number, end: number) => void): void {
  for (let band = claim(); band * TILE < view.height; band = claim()) {
    work(band * TILE, Math.min(view.height, (band + 1) * TILE));
  }
}
