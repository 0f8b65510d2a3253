import { describe, expect, test } from 'vitest';
import { awaitChunks, controlSize, controlWords, openTurn, runChunks } from '../../src/memory/control.js';

const memory = () => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const work = { pass: 0, context: 64, count: 1000, size: 100, chunks: 10 };

/** Notes the ranges that a pass is run on. */
function recorder() {
  const ranges: [number, number][] = [];
  return { ranges, passes: [(begin: number, end: number) => void ranges.push([begin, end])] };
}

describe('sharing out a pass', () => {
  test('one thread alone runs every chunk once, its own part first', () => {
    const control = controlWords(memory(), 3);
    const { ranges, passes } = recorder();
    openTurn(control, 1, work);
    runChunks(control, passes, 1, 1);
    expect(ranges[0]).toEqual([400, 500]);
    expect(ranges.map(([begin]) => begin).sort((a, b) => a - b)).toEqual([
      0, 100, 200, 300, 400, 500, 600, 700, 800, 900,
    ]);
    expect(awaitChunks(control, work.chunks, true)).toBe(true);
  });

  test('what is left over of a pass that is no multiple of chunks is run too', () => {
    for (const [threads, count] of [
      [2, 950],
      [4, 101],
      [8, 301],
    ] as const) {
      const control = controlWords(memory(), threads);
      const { ranges, passes } = recorder();
      openTurn(control, 7, { ...work, count, chunks: Math.ceil(count / work.size) });
      for (let thread = threads - 1; thread >= 0; thread--) runChunks(control, passes, 7, thread);
      ranges.sort(([a], [b]) => a - b);
      expect(ranges[0]![0]).toBe(0);
      expect(ranges.at(-1)![1]).toBe(count);
      for (let k = 1; k < ranges.length; k++) expect(ranges[k]![0]).toBe(ranges[k - 1]![1]);
    }
  });

  test('a thread that wakes late does not touch a later pass', () => {
    const control = controlWords(memory(), 2);
    const { ranges, passes } = recorder();
    openTurn(control, 1, work);
    openTurn(control, 2, work);
    runChunks(control, passes, 1, 1);
    expect(ranges).toEqual([]);
  });

  test('a thread that begins a chunk in the middle of its turn leaves it to others when the turn has changed', () => {
    const control = controlWords(memory(), 2);
    let runs = 0;
    const passes = [
      () => {
        runs++;
        // The caller goes on meanwhile.
        if (runs === 1) openTurn(control, 2, work);
      },
    ];
    openTurn(control, 1, work);
    runChunks(control, passes, 1, 0);
    expect(runs).toBe(1);
  });

  test('the words of threads lie on cache lines of their own, all within the block', () => {
    expect(controlSize(4) - controlSize(3)).toBe(64);
    expect(controlWords(memory(), 4).byteLength).toBe(controlSize(4));
  });
});
