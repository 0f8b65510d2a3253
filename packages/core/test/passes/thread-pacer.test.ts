import { describe, expect, test } from 'vitest';
import { ThreadPacer } from '../../src/memory/thread-pacer.js';

/** Passes of different cost, in the order of a step, and their items. */
const STEP = [
  { pass: 0, items: 8000, cost: 0.4 },
  { pass: 3, items: 8000, cost: 1.1 },
  { pass: 5, items: 500, cost: 0.1 },
] as const;

/** Runs steps for some time [ms]: `speed` says how fast passes are by the number of threads. Returns steps per ms. */
function run(pacer: ThreadPacer, duration: number, speed: (threads: number) => number): number {
  let time = 0;
  let steps = 0;
  for (; time < duration; steps++) {
    for (const { pass, items, cost } of STEP) {
      const milliseconds = cost / speed(pacer.active);
      pacer.note(pass, items, milliseconds);
      time += milliseconds;
    }
  }
  return steps / time;
}
const alone = 1 / STEP.reduce((sum, { cost }) => sum + cost, 0);
const quiet = (threads: number) => 0.9 * threads + 0.1;

describe('how many threads take part', () => {
  test('all while they pay, at a loss of less than 2 % for trying fewer', () => {
    const pacer = new ThreadPacer(2, 8);
    expect(run(pacer, 10_000, quiet)).toBeGreaterThan(0.98 * 1.9 * alone);
  });

  test('fewer while another process has a core: within 5 % of one thread, and all again when it ends', () => {
    const pacer = new ThreadPacer(2, 8);
    run(pacer, 3000, quiet);
    const loaded = (threads: number) => (threads === 1 ? 1 : 0.6);
    // Half a second to find out, then as fast as one.
    run(pacer, 500, loaded);
    expect(pacer.active).toBe(1);
    expect(run(pacer, 10_000, loaded)).toBeGreaterThan(0.95 * alone);
    run(pacer, 2500, quiet);
    expect(run(pacer, 5000, quiet)).toBeGreaterThan(0.97 * 1.9 * alone);
  });

  test('one thread of eight is given up for one core that is taken', () => {
    const pacer = new ThreadPacer(8, 8);
    const loaded = (threads: number) => (threads < 8 ? threads : 5);
    run(pacer, 3000, loaded);
    expect(run(pacer, 5000, loaded)).toBeGreaterThan(0.97 * 7 * alone);
  });

  test('one thread has nothing to give up', () => {
    const pacer = new ThreadPacer(1, 8);
    run(pacer, 3000, () => 1);
    expect(pacer.active).toBe(1);
  });

  test('noise of single windows does not matter', () => {
    const pacer = new ThreadPacer(2, 8);
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    // Passes on two threads are now and then held up for a time slice.
    const loaded = (threads: number) => (threads === 1 ? 1 : random() < 0.25 ? 0.2 : 1.8);
    // 1 / (0.25 / 0.2 + 0.75 / 1.8) = 0.6 of one thread.
    expect(run(pacer, 20_000, loaded)).toBeGreaterThan(0.9 * alone);
  });
});
