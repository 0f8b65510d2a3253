import { describe, expect, test } from 'vitest';
import {
  awaitChunks,
  controlSize,
  controlWords,
  FAILED,
  openTurn,
  openWave,
  runChunks,
} from '../../src/memory/control.js';

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

describe('sharing out a wave', () => {
  const wave = { ...work, second: 1, around: 2 };

  /** Notes what two passes are run on, and refuses to run the second before what it needs of the first is there. */
  function surfer() {
    const ready = new Set<number>();
    const firsts: number[] = [];
    const seconds: number[] = [];
    const first = (begin: number, end: number) => {
      expect(end).toBe(Math.min(begin + wave.size, wave.count));
      firsts.push(begin / wave.size);
      ready.add(begin / wave.size);
    };
    const second = (begin: number) => {
      const chunk = begin / wave.size;
      for (let k = Math.max(0, chunk - 2); k <= Math.min(9, chunk + 2); k++) expect(ready.has(k)).toBe(true);
      seconds.push(chunk);
    };
    return { firsts, seconds, passes: [first, second] };
  }
  const sorted = (numbers: number[]) => [...numbers].sort((a, b) => a - b);
  const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  test('one thread alone runs every chunk of both once, the second right behind the first', () => {
    for (const thread of [0, 1, 2]) {
      const control = controlWords(memory(), 3);
      const { firsts, seconds, passes } = surfer();
      openWave(control, 5, wave);
      runChunks(control, passes, 5, thread);
      expect(sorted(firsts)).toEqual(all);
      expect(sorted(seconds)).toEqual(all);
      expect(awaitChunks(control, work.chunks, true)).toBe(true);
    }
  });

  test('a thread that comes in the middle goes on with what is left', () => {
    const control = controlWords(memory(), 2);
    const { firsts, seconds, passes } = surfer();
    let runs = 0;
    const other = (begin: number) => {
      // The other thread takes part while this one is in its third chunk.
      if (++runs === 3) runChunks(control, passes, 5, 1);
      passes[1]!(begin, 0);
    };
    openWave(control, 5, wave);
    runChunks(control, [passes[0]!, other], 5, 0);
    expect(sorted(firsts)).toEqual(all);
    expect(sorted(seconds)).toEqual(all);
  });

  test('a thread that wakes late touches neither a later wave nor a later pass', () => {
    const control = controlWords(memory(), 2);
    const { firsts, seconds, passes } = surfer();
    openWave(control, 1, { ...wave, chunks: 3, count: 300 });
    openWave(control, 2, wave);
    runChunks(control, passes, 1, 1);
    openWave(control, 3, { ...wave, chunks: 3, count: 300 });
    openTurn(control, 4, { ...work, count: 30_000, chunks: 300 });
    runChunks(control, passes, 3, 1);
    expect([...firsts, ...seconds]).toEqual([]);
  });

  test('a thread that waits for one that has failed gives up', () => {
    const control = controlWords(memory(), 2);
    const { passes } = surfer();
    openWave(control, 1, wave);
    const failing = [
      () => {
        throw new Error('out of bounds');
      },
      passes[1]!,
    ];
    expect(() => runChunks(control, failing, 1, 0)).toThrow('out of bounds');
    Atomics.store(control, FAILED, 1);
    expect(() => runChunks(control, passes, 1, 1)).toThrow('another thread has failed');
  });
});
