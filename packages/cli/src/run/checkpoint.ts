/**
 * Everything that is needed to go on with a run: the exact state of the world, and the records of
 * all frames so far, from which run.json and probes.csv are written again.
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic `PHYXCKPT` |
 * | 4 | version, u32 |
 * | 4 | length of the progress, u32 |
 * | 8 | length of the state, u64 |
 * | n | progress, deflated JSON |
 * | m | state, as the world saves it |
 * | 32 | SHA-256 of everything before it |
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { deflateSync, inflateSync } from 'node:zlib';
import type { RunProgress } from './records.js';

const MAGIC = 'PHYXCKPT';
const VERSION = 2;
const START = 24;
const DIGEST = 32;

/** A checkpoint that cannot be used; the message says why. */
export class CheckpointError extends Error {
  override name = 'CheckpointError';
}

export interface Checkpoint {
  readonly progress: RunProgress;
  readonly state: Uint8Array;
}

/** Whether a file begins like a checkpoint; whether it is whole is another question. */
export function isCheckpoint(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    const start = Buffer.alloc(MAGIC.length);
    return readSync(file, start) === MAGIC.length && start.toString('latin1') === MAGIC;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}

export function encodeCheckpoint({ progress, state }: Checkpoint): Uint8Array {
  const packed = deflateSync(JSON.stringify(progress), { level: 1 });
  const start = Buffer.alloc(START);
  start.write(MAGIC, 'latin1');
  start.writeUInt32LE(VERSION, 8);
  start.writeUInt32LE(packed.length, 12);
  start.writeBigUInt64LE(BigInt(state.length), 16);
  const digest = createHash('sha256').update(start).update(packed).update(state).digest();
  return Buffer.concat([start, packed, state, digest]);
}

/** Reads a checkpoint and checks all of it. `name` is how messages call the file. */
export function decodeCheckpoint(bytes: Uint8Array, name = 'checkpoint'): Checkpoint {
  const fail = (problem: string): never => {
    throw new CheckpointError(`${name} ${problem}; --force instead of --resume starts again`);
  };
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < START + DIGEST) fail(`is cut off: ${data.length} bytes are too few for a checkpoint`);
  if (data.toString('latin1', 0, 8) !== MAGIC) fail('is not a checkpoint of a run');
  const version = data.readUInt32LE(8);
  if (version !== VERSION) fail(`has version ${version}, this program reads version ${VERSION}`);
  const stateStart = START + data.readUInt32LE(12);
  const stateEnd = stateStart + Number(data.readBigUInt64LE(16));
  const expected = stateEnd + DIGEST;
  if (data.length < expected) fail(`is cut off: ${data.length} of ${expected} bytes are there`);
  if (data.length > expected) fail(`is damaged: it has ${data.length - expected} bytes too many`);
  const digest = createHash('sha256').update(data.subarray(0, stateEnd)).digest();
  if (!digest.equals(data.subarray(stateEnd))) fail('is damaged: its checksum does not match');
  const progress = JSON.parse(inflateSync(data.subarray(START, stateStart)).toString('utf8')) as RunProgress;
  return { progress, state: new Uint8Array(data.subarray(stateStart, stateEnd)) };
}
