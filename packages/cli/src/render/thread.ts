/** Body of a thread that draws. */
import { parentPort } from 'node:worker_threads';
import { judgeBlocks, planSamples } from './adaptive.js';
import { ROUNDS, separateLight, smoothLight } from './denoise.js';
import { PathTracer } from './paths.js';
import { RayMemory } from './rays.js';
import { type Task, TILE } from './threads.js';
import { toneMapRows } from './tone-map.js';
import type { View } from './view.js';

const memory = new RayMemory();
/** Of the picture that is drawn. */
let tracer: PathTracer | undefined;

parentPort!.on('message', (task: Task) => {
  perform(task);
  parentPort!.postMessage('done');
});

function perform(task: Task): void {
  const { canvas, view } = task;
  const { film, lights, noise, pixels } = canvas;
  const claim = () => Atomics.add(canvas.counter, 0, 1);
  switch (task.kind) {
    case 'begin': {
      const { geometry, tree } = task.scenery;
      tracer = new PathTracer(view, geometry, tree, memory);
      drawTiles(view, claim, film, task.samples);
      break;
    }
    case 'judge':
      forRows(view, claim, (begin, end) => judgeBlocks(film, noise, view, begin, end));
      break;
    case 'refine':
      forRows(view, claim, (begin, end) => planSamples(film, noise, view, task.target, view.samples, begin, end));
      break;
    case 'trace':
      drawTiles(view, claim, film);
      break;
    case 'separate':
      forRows(view, claim, (begin, end) => separateLight(film, lights[0], view, begin, end));
      break;
    case 'smooth': {
      const from = lights[(task.round % 2) as 0 | 1];
      const to = lights[((task.round + 1) % 2) as 0 | 1];
      const step = ROUNDS[task.round]!;
      forRows(view, claim, (begin, end) => smoothLight(memory, film, from, to, view, step, begin, end));
      break;
    }
    case 'toneMap': {
      const light = lights[(ROUNDS.length % 2) as 0 | 1];
      forRows(view, claim, (begin, end) => toneMapRows(film, light, pixels, view, begin, end));
    }
  }
}

function drawTiles(view: View, claim: () => number, film: Float32Array, fresh?: number): void {
  const across = Math.ceil(view.width / TILE);
  const tiles = across * Math.ceil(view.height / TILE);
  for (let number = claim(); number < tiles; number = claim()) {
    const left = TILE * (number % across);
    const top = TILE * Math.floor(number / across);
    const tile = { left, top, right: Math.min(view.width, left + TILE), bottom: Math.min(view.height, top + TILE) };
    tracer!.draw(tile, film, fresh);
  }
}

function forRows(view: View, claim: () => number, work: (begin: number, end: number) => void): void {
  for (let band = claim(); band * TILE < view.height; band = claim()) {
    work(band * TILE, Math.min(view.height, (band + 1) * TILE));
  }
}
