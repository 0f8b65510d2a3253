/**
 * One frame of a run: arrays of f32 for every particle, compressed without loss.
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic `PHYXFRAM` |
 * | 4 | version, u32 |
 * | 4 | length of the header, u32 |
 * | n | header, JSON: frame, time, stateHash, particles, bodies, arrays { name, components, bytes } |
 * | ... | the arrays in that order, bytes shuffled, then deflated |
 * | 4 | CRC-32 of everything before it |
 *
 * Little-endian. Shuffling puts the first bytes of all numbers first, then the second ones, and so on:
 * signs and exponents of neighbours are alike and deflate finds them.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const MAGIC = 'PHYXFRAM';
const VERSION = 1;
/** Fast and nearly as small as the best after shuffling. */
const LEVEL = 1;

export interface FrameHeader {
  readonly frame: number;
  readonly time: number;
  readonly stateHash: string;
  readonly particles: number;
  readonly bodies: readonly FrameBody[];
}

/** Particles [begin, end) of a body. */
export interface FrameBody {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  /** Was it a solid that has begun to melt? It has the surface of a liquid from then on. */
  readonly melted?: boolean | undefined;
}

/** Has a solid begun to melt by a frame? */
export function hasMelted({ bodies }: FrameHeader, name: string): boolean {
  return bodies.some((body) => body.name === name && body.melted === true);
}

export interface FrameArray {
  readonly name: string;
  /** Numbers for each particle. */
  readonly components: number;
  readonly values: Float32Array;
}

export interface Frame extends FrameHeader {
  readonly arrays: readonly FrameArray[];
}

/** A frame file that is damaged; the message says where. */
export class FrameFileError extends Error {
  override name = 'FrameFileError';
}

export function encodeFrame(frame: Frame): Uint8Array {
  const compressed = frame.arrays.map(({ values }) => deflateSync(shuffle(values), { level: LEVEL }));
  const { arrays, ...rest } = frame;
  const header = Buffer.from(
    JSON.stringify({
      ...rest,
      arrays: arrays.map(({ name, components }, i) => ({ name, components, bytes: compressed[i]!.length })),
    }),
  );
  const start = Buffer.alloc(16);
  start.write(MAGIC, 'latin1');
  start.writeUInt32LE(VERSION, 8);
  start.writeUInt32LE(header.length, 12);
  const body = Buffer.concat([start, header, ...compressed]);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(crc32(body));
  return Buffer.concat([body, end]);
}

/** Reads a frame and checks all of it. `name` is how messages call the file. */
export function decodeFrame(bytes: Uint8Array, name = 'frame'): Frame {
  const fail = (problem: string): never => {
    throw new FrameFileError(`${name}: ${problem}`);
  };
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < 20) fail(`is cut off: ${data.length} bytes are too few for a frame`);
  if (data.toString('latin1', 0, 8) !== MAGIC) fail('is not a frame file of a run');
  const version = data.readUInt32LE(8);
  if (version !== VERSION) fail(`has version ${version}, this program reads version ${VERSION}`);
  const dataStart = 16 + data.readUInt32LE(12);
  if (dataStart + 4 > data.length) fail(`is cut off in its header: ${data.length} bytes`);
  if (crc32(data.subarray(0, data.length - 4)) !== data.readUInt32LE(data.length - 4)) {
    // The header may still be good enough to tell a short file from a changed one.
    const expected = expectedLength(data, dataStart);
    if (expected !== undefined && expected > data.length) {
      fail(`is cut off: ${data.length} of ${expected} bytes are there`);
    }
    fail('is damaged: its checksum does not match');
  }
  const header = JSON.parse(data.toString('utf8', 16, dataStart)) as FrameHeader & { arrays: StoredArray[] };
  let offset = dataStart;
  const arrays = header.arrays.map(({ name: arrayName, components, bytes: length }) => {
    const raw = inflateSync(data.subarray(offset, offset + length));
    offset += length;
    if (raw.length !== header.particles * components * 4) fail(`has a wrong number of values in ${arrayName}`);
    return { name: arrayName, components, values: unshuffle(raw) };
  });
  return { ...header, arrays };
}

interface StoredArray {
  readonly name: string;
  readonly components: number;
  readonly bytes: number;
}

function expectedLength(data: Buffer, dataStart: number): number | undefined {
  try {
    const { arrays } = JSON.parse(data.toString('utf8', 16, dataStart)) as { arrays: StoredArray[] };
    return arrays.reduce((sum, array) => sum + array.bytes, dataStart + 4);
  } catch {
    return undefined;
  }
}

function shuffle(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const count = values.length;
  const shuffled = new Uint8Array(bytes.length);
  for (let plane = 0; plane < 4; plane++) {
    const start = plane * count;
    for (let i = 0; i < count; i++) shuffled[start + i] = bytes[4 * i + plane]!;
  }
  return shuffled;
}

function unshuffle(shuffled: Uint8Array): Float32Array {
  const count = shuffled.length / 4;
  const bytes = new Uint8Array(shuffled.length);
  for (let plane = 0; plane < 4; plane++) {
    const start = plane * count;
    for (let i = 0; i < count; i++) bytes[4 * i + plane] = shuffled[start + i]!;
  }
  return new Float32Array(bytes.buffer);
}

/** The first `components` numbers of every particle of an array that may have padding between them. */
export function packComponents(values: Float32Array, particles: number, components: number): Float32Array {
  const stride = particles === 0 ? components : values.length / particles;
  if (stride === components) return values;
  const packed = new Float32Array(particles * components);
  for (let i = 0; i < particles; i++) {
    for (let c = 0; c < components; c++) packed[i * components + c] = values[i * stride + c]!;
  }
  return packed;
}
