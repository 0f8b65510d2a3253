/** The numbers of a glTF file: accessors, views and bytes. */

export const FLOAT = 5126;
const SHORT = 5122;
const BYTE = 5120;
export const UNSIGNED_BYTE = 5121;
const UNSIGNED_INT = 5125;
const UNSIGNED_SHORT = 5123;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
/** Largest 16-bit and 8-bit numbers. */
export const MOST_SHORT = 32767;
export const MOST_BYTE = 127;

/** What is needed of meshoptimizer. */
export interface GltfEncoder {
  encodeGltfBuffer(source: Uint8Array, count: number, size: number, mode: string): Uint8Array;
  /** Puts triangles into an order that compresses well, in place, and says which vertex becomes which. */
  reorderMesh(indices: Uint32Array, triangles: boolean, optsize: boolean): [remap: Uint32Array, vertices: number];
}

export const COMPRESSION = 'EXT_meshopt_compression';

interface AccessorOptions {
  /** Bytes from one element to the next, of vertices. */
  readonly stride?: number;
  readonly element?: boolean;
  readonly normalized?: boolean;
  readonly min?: number[];
  readonly max?: number[];
}

export class GltfBuffer {
  readonly encoder: GltfEncoder | undefined;
  readonly chunks: Uint8Array[] = [];
  readonly views: object[] = [];
  readonly accessors: object[] = [];
  length = 0;
  /** Bytes of what is compressed, before that. */
  #uncompressed = 0;

  constructor(encoder: GltfEncoder | undefined) {
    this.encoder = encoder;
  }

  /** Adds an accessor and gives its number. */
  add(
    values: Float32Array | Uint32Array | Uint16Array | Int16Array | Int8Array | Uint8Array,
    componentType: number,
    type: string,
    count: number,
    options: AccessorOptions = {},
  ): number {
    const { stride, element, ...rest } = options;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const encoder = stride || element ? this.encoder : undefined;
    const size = stride ?? values.BYTES_PER_ELEMENT;
    const mode = element ? 'TRIANGLES' : 'ATTRIBUTES';
    const stored = encoder ? encoder.encodeGltfBuffer(bytes, count, size, mode) : bytes;
    const target = element ? ELEMENT_ARRAY_BUFFER : stride ? ARRAY_BUFFER : undefined;
    const place = { buffer: 0, byteOffset: this.length, byteLength: stored.length };
    this.views.push({
      // Compressed data stand for a part of the second buffer, which is not there.
      ...(encoder ? { buffer: 1, byteOffset: this.#uncompressed, byteLength: bytes.length } : place),
      ...(stride && { byteStride: stride }),
      ...(target && { target }),
      ...(encoder && { extensions: { [COMPRESSION]: { ...place, byteStride: size, count, mode } } }),
    });
    if (encoder) this.#uncompressed += padded(bytes.length);
    const chunk = new Uint8Array(padded(stored.length));
    chunk.set(stored);
    this.chunks.push(chunk);
    this.length += chunk.length;
    return this.accessors.push({ bufferView: this.views.length - 1, componentType, type, count, ...rest }) - 1;
  }

  /** Adds bytes as they are, and gives the number of their view. */
  addBytes(bytes: Uint8Array): number {
    this.views.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length });
    const chunk = new Uint8Array(padded(bytes.length));
    chunk.set(bytes);
    this.chunks.push(chunk);
    this.length += chunk.length;
    return this.views.length - 1;
  }

  /** xyz as shares of `reach` around `centre`, in 16 bits; rows of four, since elements begin at multiples of four bytes. */
  addPlaces(positions: ArrayLike<number>, centre: readonly number[], reach: number): number {
    const rows = toRows(positions, Int16Array, (x, a) => ((x - centre[a]!) / reach) * MOST_SHORT);
    const [min, max] = [[...NONE], [...NONE]];
    for (let a = 0; a < 3; a++) {
      [min[a], max[a]] = [MOST_SHORT, -MOST_SHORT];
      for (let k = a; k < rows.length; k += 4) {
        min[a] = Math.min(min[a]!, rows[k]!);
        max[a] = Math.max(max[a]!, rows[k]!);
      }
    }
    return this.add(rows, SHORT, 'VEC3', positions.length / 3, { normalized: true, stride: 8, min, max });
  }

  /** Vectors of at most 1 along each axis in 8 bits; longer ones as they are. */
  addNormals(normals: ArrayLike<number>): number {
    let most = 0;
    for (let k = 0; k < normals.length; k++) most = Math.max(most, Math.abs(normals[k]!));
    const count = normals.length / 3;
    if (most * MOST_BYTE >= MOST_BYTE + 0.5)
      return this.add(Float32Array.from(normals), FLOAT, 'VEC3', count, { stride: 12 });
    const rows = toRows(normals, Int8Array, (x) => x * MOST_BYTE);
    return this.add(rows, BYTE, 'VEC3', count, { normalized: true, stride: 4 });
  }

  /** Red, green, blue and alpha, 0 to 1, in 16 bits: they are linear. */
  addColors(colors: Float32Array): number {
    const values = Uint16Array.from(colors, (c) => Math.round(65535 * c));
    return this.add(values, UNSIGNED_SHORT, 'VEC4', colors.length / 4, { normalized: true, stride: 8 });
  }

  addIndices(indices: Uint32Array, vertices: number): number {
    const small = vertices <= 65535;
    const values = small ? Uint16Array.from(indices) : indices;
    return this.add(values, small ? UNSIGNED_SHORT : UNSIGNED_INT, 'SCALAR', indices.length, { element: true });
  }

  /** Times of an animation [s]. */
  addTimes(times: readonly number[]): number {
    const values = Float32Array.from(times);
    return this.add(values, FLOAT, 'SCALAR', times.length, { min: [values[0]!], max: [values.at(-1)!] });
  }

  buffers(): object[] {
    if (this.length === 0) return [];
    const stored = { byteLength: this.length };
    if (this.#uncompressed === 0) return [stored];
    return [stored, { byteLength: this.#uncompressed, extensions: { [COMPRESSION]: { fallback: true } } }];
  }
}

const NONE = [0, 0, 0];

export const padded = (length: number) => Math.ceil(length / 4) * 4;

function toRows<T extends Int16Array | Int8Array>(
  vectors: ArrayLike<number>,
  Rows: new (length: number) => T,
  scaled: (x: number, axis: number) => number,
): T {
  const rows = new Rows((4 * vectors.length) / 3);
  for (let i = 0; i < vectors.length / 3; i++) {
    for (let a = 0; a < 3; a++) rows[4 * i + a] = Math.round(scaled(vectors[3 * i + a]!, a));
  }
  return rows;
}
