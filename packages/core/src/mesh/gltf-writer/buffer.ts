/** The numbers of a glTF file: accessors, views and bytes. */
import type { MeshTexture } from '../types.js';

type Values = Float32Array | Uint32Array | Uint16Array | Int16Array | Int8Array | Uint8Array;

const COMPONENT_TYPES = new Map<unknown, number>([
  [Int8Array, 5120],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Float32Array, 5126],
]);
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
const WRAPS = { repeat: 10497, clamp: 33071, mirror: 33648 } as const;
/** Words of a GLB file: its name, and those of its chunks. */
const GLTF = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

interface AccessorOptions {
  /** Bytes from one element to the next, of vertices. */
  readonly stride?: number;
  readonly element?: boolean;
  readonly normalized?: boolean;
  readonly min?: number[];
  readonly max?: number[];
}

/** Vertices or triangles in a view. */
export interface GltfElements {
  readonly count: number;
  /** Bytes of each. */
  readonly size: number;
  readonly mode: 'TRIANGLES' | 'ATTRIBUTES';
}

export class GltfBuffer {
  readonly views: object[] = [];
  readonly accessors: object[] = [];
  length = 0;
  readonly #chunks: Uint8Array[] = [];

  /** Adds an accessor and gives its number. */
  add(values: Values, type: string, count: number, options: AccessorOptions = {}): number {
    const { stride, element, ...rest } = options;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const target = element ? ELEMENT_ARRAY_BUFFER : stride ? ARRAY_BUFFER : undefined;
    const bufferView = this.addView(
      bytes,
      { ...(stride && { byteStride: stride }), ...(target && { target }) },
      target && { count, size: stride ?? values.BYTES_PER_ELEMENT, mode: element ? 'TRIANGLES' : 'ATTRIBUTES' },
    );
    const componentType = COMPONENT_TYPES.get(values.constructor);
    return this.accessors.push({ bufferView, componentType, type, count, ...rest }) - 1;
  }

  /** Adds bytes, and gives the number of their view. */
  protected addView(bytes: Uint8Array, more: object, _elements?: GltfElements): number {
    return this.views.push({ ...this.store(bytes), ...more }) - 1;
  }

  protected store(bytes: Uint8Array): object {
    const view = { buffer: 0, byteOffset: this.length, byteLength: bytes.length };
    const chunk = new Uint8Array(padded(bytes.length));
    chunk.set(bytes);
    this.#chunks.push(chunk);
    this.length += chunk.length;
    return view;
  }

  /** Pictures of materials as they are: `textures`, `images` and `samplers` of the document, in their order. */
  addPictures(pictures: readonly MeshTexture[]) {
    return {
      textures: pictures.map((_, k) => ({ source: k, sampler: k })),
      images: pictures.map(({ type, bytes }) => ({ mimeType: type, bufferView: this.addView(bytes, {}) })),
      samplers: pictures.map(({ wrap }) => ({ wrapS: WRAPS[wrap[0]], wrapT: WRAPS[wrap[1]] })),
    };
  }

  /** Numbers of vertices as they are, one to four each; with their bounds, which glTF asks for of positions. */
  addVectors(values: Float32Array, components: number, isBounded = false): number {
    const type = components === 1 ? 'SCALAR' : `VEC${components}`;
    const options = { stride: 4 * components, ...(isBounded && rowBounds(values, components)) };
    return this.add(values, type, values.length / components, options);
  }

  /** Texture coordinates with (0, 0) at the bottom left; pictures of glTF begin at the top. */
  addUvs(uvs: Float32Array): number {
    return this.addVectors(
      uvs.map((x, k) => (k % 2 === 0 ? x : 1 - x)),
      2,
    );
  }

  addIndices(indices: Uint32Array, vertices: number): number {
    const values = vertices <= 65535 ? Uint16Array.from(indices) : indices;
    return this.add(values, 'SCALAR', indices.length, { element: true });
  }

  /** `buffers` of the document. */
  buffers(): object[] {
    return this.length === 0 ? [] : [{ byteLength: this.length }];
  }

  /** The whole file, GLB: the document, then the bytes. */
  file(document: object): Uint8Array<ArrayBuffer> {
    const text = new TextEncoder().encode(JSON.stringify(document));
    const textLength = padded(text.length);
    const bytes = new Uint8Array(20 + textLength + (this.length > 0 ? 8 + this.length : 0)).fill(0x20);
    const words = new DataView(bytes.buffer);
    for (const [k, word] of [GLTF, 2, bytes.length, textLength, JSON_CHUNK].entries()) {
      words.setUint32(4 * k, word, true);
    }
    bytes.set(text, 20);
    if (this.length === 0) return bytes;
    let at = 28 + textLength;
    words.setUint32(at - 8, this.length, true);
    words.setUint32(at - 4, BINARY_CHUNK, true);
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }
}

/** The next multiple of four: everything in the file begins at one. */
export const padded = (length: number) => Math.ceil(length / 4) * 4;

/** Least and largest of each component. */
export function rowBounds(rows: ArrayLike<number>, components: number, stride = components) {
  const min = new Array<number>(components).fill(Infinity);
  const max = new Array<number>(components).fill(-Infinity);
  for (let k = 0; k < rows.length; k++) {
    const c = k % stride;
    if (c >= components) continue;
    min[c] = Math.min(min[c]!, rows[k]!);
    max[c] = Math.max(max[c]!, rows[k]!);
  }
  return { min, max };
}
