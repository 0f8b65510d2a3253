/** Numbers of a glTF file in few bytes: in 16 and 8 bits, and compressed by an encoder. */
import { GltfBuffer, type GltfElements, padded, rowBounds } from 'phyxel/gltf';

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

export class CompactBuffer extends GltfBuffer {
  readonly encoder: GltfEncoder | undefined;
  /** Bytes of what is compressed, before that. */
  #uncompressed = 0;

  constructor(encoder: GltfEncoder | undefined) {
    super();
    this.encoder = encoder;
  }

  protected override addView(bytes: Uint8Array, more: object, elements?: GltfElements): number {
    if (!this.encoder || !elements) return super.addView(bytes, more);
    const { count, size, mode } = elements;
    const view = this.store(this.encoder.encodeGltfBuffer(bytes, count, size, mode));
    // Compressed data stand for a part of the second buffer, which is not there.
    const stood = { buffer: 1, byteOffset: this.#uncompressed, byteLength: bytes.length };
    this.#uncompressed += padded(bytes.length);
    const extensions = { [COMPRESSION]: { ...view, byteStride: size, count, mode } };
    return this.views.push({ ...stood, ...more, extensions }) - 1;
  }

  /** xyz as shares of `reach` around `centre`, in 16 bits; rows of four, since elements begin at multiples of four bytes. */
  addPositions(positions: ArrayLike<number>, centre: readonly number[], reach: number): number {
    const rows = toRows(positions, Int16Array, (x, a) => ((x - centre[a]!) / reach) * MOST_SHORT);
    const options = { normalized: true, stride: 8, ...rowBounds(rows, 3, 4) };
    return this.add(rows, 'VEC3', positions.length / 3, options);
  }

  /** Vectors of at most 1 along each axis in 8 bits; longer ones as they are. */
  addNormals(normals: ArrayLike<number>): number {
    let most = 0;
    for (let k = 0; k < normals.length; k++) most = Math.max(most, Math.abs(normals[k]!));
    if (most * MOST_BYTE >= MOST_BYTE + 0.5) return this.addVectors(Float32Array.from(normals), 3);
    const rows = toRows(normals, Int8Array, (x) => x * MOST_BYTE);
    return this.add(rows, 'VEC3', normals.length / 3, { normalized: true, stride: 4 });
  }

  /** Red, green, blue and alpha, 0 to 1, in 16 bits: they are linear. */
  addColors(colors: Float32Array): number {
    const values = Uint16Array.from(colors, (c) => Math.round(65535 * c));
    return this.add(values, 'VEC4', colors.length / 4, { normalized: true, stride: 8 });
  }

  /** Times of an animation [s]. */
  addTimes(times: readonly number[]): number {
    const values = Float32Array.from(times);
    return this.add(values, 'SCALAR', times.length, { min: [values[0]!], max: [values.at(-1)!] });
  }

  override buffers(): object[] {
    if (this.#uncompressed === 0) return super.buffers();
    const extensions = { [COMPRESSION]: { fallback: true } };
    return [...super.buffers(), { byteLength: this.#uncompressed, extensions }];
  }
}

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
