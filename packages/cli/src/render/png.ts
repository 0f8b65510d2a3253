/** PNG pictures, still and animated: 8 bits of red, green and blue. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Picture } from './picture.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const LEVEL = 7;

/** A PNG file that cannot be read; the message says why. */
export class PngError extends Error {
  override name = 'PngError';
}

/** `text` is kept in the file under its key, in Latin-1. */
export function encodePng(picture: Picture, text: Readonly<Record<string, string>> = {}): Uint8Array {
  const { width, height } = picture;
  const notes = Object.entries(text).map(([key, value]) => chunk('tEXt', Buffer.from(`${key}\0${value}`, 'latin1')));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(width, height)),
    chunk('sRGB', Buffer.from([0])),
    ...notes,
    chunk('IDAT', deflateSync(filterRows(picture), { level: LEVEL })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** An animation of PNG files of one size, as their data are; it repeats without end. */
export function* animatePng(files: Iterable<Uint8Array>, count: number, frameRate: number): Generator<Uint8Array> {
  let sequence = 0;
  let first: Uint8Array | undefined;
  const [numerator, denominator] = delay(frameRate);
  for (const file of files) {
    const ihdr = chunkData(file, 'IHDR')[0]!;
    if (first === undefined) {
      yield SIGNATURE;
      yield chunk('IHDR', ihdr);
      yield chunk('sRGB', Buffer.from([0]));
      const control = Buffer.alloc(8);
      control.writeUInt32BE(count, 0);
      yield chunk('acTL', control);
    } else if (Buffer.compare(first, ihdr) !== 0) {
      throw new PngError('pictures of an animation must have one size');
    }
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++, 0);
    control.set(ihdr.subarray(0, 8), 4);
    control.writeUInt16BE(numerator, 20);
    control.writeUInt16BE(denominator, 22);
    yield chunk('fcTL', control);
    for (const data of chunkData(file, 'IDAT')) {
      if (first === undefined) yield chunk('IDAT', data);
      else {
        const numbered = Buffer.alloc(4 + data.length);
        numbered.writeUInt32BE(sequence++, 0);
        numbered.set(data, 4);
        yield chunk('fdAT', numbered);
      }
    }
    first = ihdr;
  }
  if (first !== undefined) yield chunk('IEND', Buffer.alloc(0));
}

/** Seconds per frame as a fraction of 16-bit numbers. */
function delay(frameRate: number): [number, number] {
  if (Number.isInteger(frameRate) && frameRate <= 65535) return [1, frameRate];
  return frameRate > 1
    ? [1000, Math.min(65535, Math.round(1000 * frameRate))]
    : [Math.min(65535, Math.round(1000 / frameRate)), 1000];
}

/** Reads pictures as `encodePng` writes them: 8 bits, red, green and blue with or without alpha, not interlaced. */
export function decodePng(bytes: Uint8Array, name = 'picture'): Picture {
  const fail = (problem: string): never => {
    throw new PngError(`${name}: ${problem}`);
  };
  const all = readChunks(bytes, fail);
  const ihdr = all.find(({ type }) => type === 'IHDR')?.data;
  if (ihdr === undefined || ihdr.length !== 13) return fail('has no header');
  const width = ihdr.readUInt32BE(0);
  const height = ihdr.readUInt32BE(4);
  const [bits, kind, , , interlaced] = ihdr.subarray(8);
  const channels = CHANNELS[kind!] ?? fail(`has colours of kind ${kind}, which is not known`);
  const palette = all.find(({ type }) => type === 'PLTE')?.data;
  if (kind === INDEXED && palette === undefined) fail('has no palette');
  if (bits !== 8 || interlaced !== 0) fail('must have 8 bits per colour and not be interlaced');
  const stride = channels * width;
  const raw = inflate(Buffer.concat(all.filter(({ type }) => type === 'IDAT').map(({ data }) => data)), fail);
  if (raw.length !== height * (stride + 1))
    fail(`has ${raw.length} bytes of pixels instead of ${height * (stride + 1)}`);
  const pixels = new Uint8Array(3 * width * height);
  let before: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const row = raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    unfilter(raw[y * (stride + 1)]!, row, before, channels, fail);
    for (let x = 0; x < width; x++) {
      const at = 3 * (y * width + x);
      const first = row[channels * x]!;
      if (kind === INDEXED) pixels.set(palette!.subarray(3 * first, 3 * first + 3), at);
      else if (channels < 3) pixels.fill(first, at, at + 3);
      else pixels.set(row.subarray(channels * x, channels * x + 3), at);
    }
    before = row;
  }
  return { width, height, pixels };
}

/** Bytes of a pixel by the kind of colours: grey, true colour, palette, and the first two with an alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const INDEXED = 3;

/** The notes in a PNG file. */
export function readText(bytes: Uint8Array): Record<string, string> {
  const notes = chunkData(bytes, 'tEXt').map((data) => data.toString('latin1').split('\0') as [string, string]);
  return Object.fromEntries(notes);
}

function inflate(data: Buffer, fail: (problem: string) => never): Buffer {
  try {
    return inflateSync(data);
  } catch {
    return fail('has damaged pixels');
  }
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, 2, 0, 0, 0], 8);
  return data;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  out.set(data, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function readChunks(bytes: Uint8Array, fail: (problem: string) => never): Chunk[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 8 || !file.subarray(0, 8).equals(SIGNATURE)) fail('is no PNG file');
  const chunks: Chunk[] = [];
  for (let at = 8; at < file.length; ) {
    const length = at + 12 <= file.length ? file.readUInt32BE(at) : Infinity;
    if (at + 12 + length > file.length) fail('is cut off');
    if (crc32(file.subarray(at + 4, at + 8 + length)) !== file.readUInt32BE(at + 8 + length)) fail('is damaged');
    const type = file.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
    if (type === 'IEND') return chunks;
  }
  return fail('is cut off');
}

function chunkData(bytes: Uint8Array, type: string): Buffer[] {
  const fail = (problem: string): never => {
    throw new PngError(`picture ${problem}`);
  };
  return readChunks(bytes, fail)
    .filter((entry) => entry.type === type)
    .map(({ data }) => data);
}

/** Every row with the filter whose differences are smallest in sum: they compress best. */
function filterRows({ width, height, pixels }: Picture): Buffer {
  const stride = 3 * width;
  const out = Buffer.alloc(height * (stride + 1));
  const none = new Uint8Array(stride);
  const trial = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * stride, (y + 1) * stride);
    const above = y > 0 ? pixels.subarray((y - 1) * stride, y * stride) : none;
    let least = Infinity;
    for (let filter = 0; filter < 5; filter++) {
      let sum = 0;
      for (let i = 0; i < stride; i++) {
        const byte = (row[i]! - predict(filter, i < 3 ? 0 : row[i - 3]!, above[i]!, i < 3 ? 0 : above[i - 3]!)) & 255;
        trial[i] = byte;
        sum += byte < 128 ? byte : 256 - byte;
      }
      if (sum >= least) continue;
      least = sum;
      out[y * (stride + 1)] = filter;
      out.set(trial, y * (stride + 1) + 1);
    }
  }
  return out;
}

function unfilter(
  filter: number,
  row: Uint8Array,
  above: Uint8Array,
  channels: number,
  fail: (problem: string) => never,
): void {
  if (filter > 4) fail(`has a row with the unknown filter ${filter}`);
  for (let i = 0; i < row.length; i++) {
    const left = i < channels ? 0 : row[i - channels]!;
    const corner = i < channels ? 0 : above[i - channels]!;
    row[i] = row[i]! + predict(filter, left, above[i]!, corner);
  }
}

/** What the filters of PNG expect a byte to be. */
function predict(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const p = left + above - corner;
      const toLeft = Math.abs(p - left);
      const toAbove = Math.abs(p - above);
      const toCorner = Math.abs(p - corner);
      if (toLeft <= toAbove && toLeft <= toCorner) return left;
      return toAbove <= toCorner ? above : corner;
    }
    default:
      return 0;
  }
}
