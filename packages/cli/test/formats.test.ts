import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../src/run/atomic.js';
import { CheckpointError, decodeCheckpoint, encodeCheckpoint } from '../src/run/checkpoint.js';
import { decodeFrame, encodeFrame, type Frame, FrameFileError, packComponents } from '../src/run/frame-file.js';
import { probesHeader, probesRow, type RunProgress } from '../src/run/records.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-formats-'));
afterAll(() => rmSync(folder, { recursive: true }));

const frame = (particles: number, seed = 1): Frame => ({
  frame: 7,
  time: 0.25,
  stateHash: 'abc',
  particles,
  bodies: [{ name: 'cube', begin: 0, end: particles }],
  arrays: [
    {
      name: 'position',
      components: 3,
      values: Float32Array.from({ length: 3 * particles }, (_, i) => Math.sin(i * seed)),
    },
    { name: 'stress', components: 1, values: Float32Array.from({ length: particles }, (_, i) => 1e5 * i) },
  ],
});

const progress: RunProgress = {
  records: [],
  inputs: { 'a.ply': '00' },
  particles: 3,
  pairs: 9,
  threads: 2,
  bodies: [],
  wallSeconds: 1.5,
  passes: { stress: { calls: 1, milliseconds: 2 } },
  warnings: ['is thin'],
  logLength: 12,
};

describe('a frame file', () => {
  it('gives back every bit', () => {
    const bits = fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 0, maxLength: 300 });
    fc.assert(
      fc.property(bits, (words) => {
        const values = new Float32Array(Uint32Array.from(words).buffer);
        const { arrays } = decodeFrame(
          encodeFrame({ ...frame(0), particles: words.length, arrays: [{ name: 'a', components: 1, values }] }),
        );
        expect(new Uint32Array(arrays[0]!.values.buffer)).toEqual(Uint32Array.from(words));
      }),
      { numRuns: 50 },
    );
    expect(decodeFrame(encodeFrame(frame(100)))).toMatchObject(frame(100));
  });

  it('is smaller than its numbers', () => {
    const still = frame(1000, 0);
    expect(encodeFrame(still).length).toBeLessThan(16_000 / 4);
  });

  it('says that it is cut off, wherever it is', () => {
    const bytes = encodeFrame(frame(20));
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeFrame(bytes.subarray(0, length), 'f'), `${length} bytes`).toThrow(FrameFileError);
      expect(() => decodeFrame(bytes.subarray(0, length), 'f'), `${length} bytes`).toThrow(/^f: is cut off/);
    }
  });

  it('notices every changed bit', () => {
    const bytes = Uint8Array.from(encodeFrame(frame(5)));
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeFrame(bytes), `bit ${bit}`).toThrow(FrameFileError);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
    expect(() => decodeFrame(bytes)).not.toThrow();
  });

  it('leaves out the padding between particles', () => {
    expect(packComponents(Float32Array.of(1, 2, 3, 0, 4, 5, 6, 0), 2, 3)).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6));
    expect(packComponents(new Float32Array(), 0, 3)).toEqual(new Float32Array());
  });
});

describe('a checkpoint', () => {
  const state = Uint8Array.from({ length: 500 }, (_, i) => i);

  it('gives back progress and state', () => {
    expect(decodeCheckpoint(encodeCheckpoint({ progress, state }))).toEqual({ progress, state });
  });

  it('says that it is cut off, wherever it is', () => {
    const bytes = encodeCheckpoint({ progress, state });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeCheckpoint(bytes.subarray(0, length), 'c')).toThrow(CheckpointError);
      expect(() => decodeCheckpoint(bytes.subarray(0, length), 'c')).toThrow(
        /^c is cut off.*--force instead of --resume/,
      );
    }
    expect(() => decodeCheckpoint(Buffer.concat([bytes, Buffer.from('x')]))).toThrow('1 bytes too many');
  });

  it('notices every changed bit', () => {
    const bytes = Uint8Array.from(encodeCheckpoint({ progress, state: state.subarray(0, 20) }));
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeCheckpoint(bytes), `bit ${bit}`).toThrow(CheckpointError);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
  });
});

describe('an atomic write', () => {
  it('replaces the file and leaves nothing else', () => {
    const path = join(folder, 'file');
    writeFileAtomic(path, 'old', { durable: true });
    writeFileAtomic(path, 'new', { durable: false });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('keeps what was there when it fails, and names the file', () => {
    const path = join(folder, 'taken');
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'kept');
    expect(() => writeFileAtomic(path, 'new', { durable: true })).toThrow(expect.objectContaining({ path }));
    expect(readFileSync(join(path, 'inside'), 'utf8')).toBe('kept');
    expect(existsSync(`${path}.part`)).toBe(false);
    expect(() => writeFileAtomic(join(folder, 'no', 'folder'), 'x', { durable: true })).toThrow('ENOENT');
  });
});

describe('probes.csv', () => {
  it('has a column of time, three for vectors and one for others, quoted where needed', () => {
    const probes = [
      { name: 'tip', region: { all: true as const }, quantity: 'displacement' as const },
      { name: 'a, "b"', region: { all: true as const }, quantity: 'energy' as const },
    ];
    expect(probesHeader(probes)).toBe('time,tip.x,tip.y,tip.z,"a, ""b"""\n');
    expect(probesRow({ time: 0.1, probes: ['1', '-2.5e-7', '0', 'NaN'] } as never)).toBe('0.1,1,-2.5e-7,0,NaN\n');
    expect(probesHeader([])).toBe('time\n');
  });
});
