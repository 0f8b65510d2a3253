/** The threads that draw: tiles are handed out by a shared counter, and every pixel depends on its position alone. */
import { Worker } from 'node:worker_threads';
import { BLOCK } from './adaptive.js';
import type { Tree } from './bvh.js';
import { LIGHT_STRIDE, ROUNDS } from './denoise.js';
import type { Geometry } from './geometry.js';
import { FILM_STRIDE } from './paths.js';
import type { Picture } from './picture.js';
import type { View } from './view.js';

/** Side of a tile [pixels]; rows at a time when smoothing. */
export const TILE = 32;

export interface Scenery {
  readonly geometry: Geometry;
  readonly tree: Tree;
  readonly view: View;
}

/** Memory that all threads write to. */
export interface Canvas {
  readonly film: Float32Array;
  /** Uncertainty of blocks of the film. */
  readonly noise: Float32Array;
  /** Two, in turn read and written. */
  readonly lights: readonly [Float32Array, Float32Array];
  readonly pixels: Uint8Array;
  /** The next tile. */
  readonly counter: Int32Array;
}

export type Task = { readonly view: View; readonly canvas: Canvas } & Step;

type Step =
  /** Draws the first samples of every pixel. */
  | { readonly kind: 'begin'; readonly scenery: Scenery; readonly samples: number }
  | { readonly kind: 'judge' | 'separate' | 'toneMap' }
  /** Asks for more samples where the picture is less certain than the target. */
  | { readonly kind: 'refine'; readonly target: number }
  | { readonly kind: 'trace' }
  | { readonly kind: 'smooth'; readonly round: number };

/** Samples of every pixel before it is judged. */
const FIRST_SAMPLES = 4;

/** An estimate is made with a picture so many times smaller in both directions, of pictures with so many pixels. */
const ESTIMATE_FACTOR = 8;
const WORTH_AN_ESTIMATE = 100_000;

export class DrawingThreads {
  readonly #workers: readonly Worker[];
  #canvas: Canvas | undefined;

  constructor(count: number) {
    this.#workers = Array.from({ length: count }, () => new Worker(new URL('./thread.js', import.meta.url)));
    for (const worker of this.#workers) worker.setMaxListeners(20);
  }

  /** Draws a picture. `meanwhile` runs on this thread while the others trace. */
  async draw(scenery: Scenery, meanwhile?: () => void): Promise<Picture> {
    const { view } = scenery;
    const { width, height, noise: target } = view;
    const canvas = this.#canvasFor(view);
    const run = (step: Step) => this.#run({ ...step, view, canvas });
    const samples = target > 0 ? Math.min(view.samples, FIRST_SAMPLES) : view.samples;
    const traced = run({ kind: 'begin', scenery, samples });
    meanwhile?.();
    await traced;
    // Uncertain parts of the picture get twice as many samples, again and again.
    for (let count = samples; count < view.samples; count *= 2) {
      await run({ kind: 'judge' });
      await run({ kind: 'refine', target });
      await run({ kind: 'trace' });
    }
    await run({ kind: 'separate' });
    for (let round = 0; round < ROUNDS.length; round++) await run({ kind: 'smooth', round });
    await run({ kind: 'toneMap' });
    return { width, height, pixels: canvas.pixels.slice() };
  }

  /** How long a picture will take [s], by a small one; undefined when it is small itself. */
  async estimate({ geometry, tree, view }: Scenery): Promise<number | undefined> {
    if (view.width * view.height < WORTH_AN_ESTIMATE) return undefined;
    const small = (factor: number) => ({
      geometry,
      tree,
      view: { ...view, width: Math.ceil(view.width / factor), height: Math.ceil(view.height / factor) },
    });
    // The first picture also starts the threads.
    await this.draw(small(2 * ESTIMATE_FACTOR));
    const began = performance.now();
    await this.draw(small(ESTIMATE_FACTOR));
    return (ESTIMATE_FACTOR ** 2 * (performance.now() - began)) / 1000;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #canvasFor({ width, height }: View): Canvas {
    const pixels = width * height;
    if (this.#canvas?.pixels.length !== 3 * pixels) {
      const floats = (count: number) => new Float32Array(new SharedArrayBuffer(4 * count));
      this.#canvas = {
        film: floats(FILM_STRIDE * pixels),
        noise: floats(Math.ceil(width / BLOCK) * Math.ceil(height / BLOCK)),
        lights: [floats(LIGHT_STRIDE * pixels), floats(LIGHT_STRIDE * pixels)],
        pixels: new Uint8Array(new SharedArrayBuffer(3 * pixels)),
        counter: new Int32Array(new SharedArrayBuffer(4)),
      };
    }
    return this.#canvas!;
  }

  /** The same task for all threads; done when all of them are. */
  async #run(task: Task): Promise<void> {
    Atomics.store(task.canvas.counter, 0, 0);
    await Promise.all(
      this.#workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            const end = (action: () => void) => {
              worker.off('message', onMessage);
              worker.off('error', onError);
              action();
            };
            const onMessage = () => end(resolve);
            const onError = (error: Error) => end(() => reject(error));
            worker.on('message', onMessage);
            worker.on('error', onError);
            worker.postMessage(task);
          }),
      ),
    );
  }
}
