/** The threads that draw: tiles are handed out by a shared counter, and every pixel depends on its place alone. */
import { Worker } from 'node:worker_threads';
import type { Tree } from './bvh.js';
import { LIGHT_STRIDE, ROUNDS } from './denoise.js';
import { develop, type Picture } from './develop.js';
import type { Geometry } from './geometry.js';
import { FILM_STRIDE } from './paths.js';
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
  /** Two, in turn read and written. */
  readonly lights: readonly [Float32Array, Float32Array];
  /** The next tile. */
  readonly counter: Int32Array;
}

export type Task =
  | { readonly kind: 'trace'; readonly scenery: Scenery; readonly canvas: Canvas }
  | { readonly kind: 'separate'; readonly view: View; readonly canvas: Canvas }
  | { readonly kind: 'smooth'; readonly view: View; readonly canvas: Canvas; readonly round: number };

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
    const canvas = this.#canvasFor(view);
    const traced = this.#run({ kind: 'trace', scenery, canvas }, canvas);
    meanwhile?.();
    await traced;
    await this.#run({ kind: 'separate', view, canvas }, canvas);
    for (let round = 0; round < ROUNDS.length; round++) {
      await this.#run({ kind: 'smooth', view, canvas, round }, canvas);
    }
    return develop(canvas.film, canvas.lights[(ROUNDS.length % 2) as 0 | 1], view);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #canvasFor({ width, height }: View): Canvas {
    const pixels = width * height;
    if (this.#canvas?.film.length !== FILM_STRIDE * pixels) {
      const floats = (count: number) => new Float32Array(new SharedArrayBuffer(4 * count));
      this.#canvas = {
        film: floats(FILM_STRIDE * pixels),
        lights: [floats(LIGHT_STRIDE * pixels), floats(LIGHT_STRIDE * pixels)],
        counter: new Int32Array(new SharedArrayBuffer(4)),
      };
    }
    return this.#canvas!;
  }

  /** The same task for all threads; done when all of them are. */
  async #run(task: Task, canvas: Canvas): Promise<void> {
    Atomics.store(canvas.counter, 0, 0);
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
