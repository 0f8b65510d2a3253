/**
 * Binary glTF with an animation. Meshes have other triangles in every frame, so each frame is a node of its
 * own, and the animation shows one after the other: a node's scale is 1 during its frame and 0 otherwise.
 * Positions are 16-bit and normals 8-bit numbers (KHR_mesh_quantization), scaled back by the node; positions are
 * off by at most 1/131068 of the mesh's longest side. With an encoder vertices and triangles are compressed
 * (EXT_meshopt_compression), without further loss.
 */
import { bounds, type ExportFrame, type ExportMesh } from './geometry.js';

const FLOAT = 5126;
const SHORT = 5122;
const BYTE = 5120;
const UNSIGNED_INT = 5125;
const UNSIGNED_SHORT = 5123;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
/** Largest 16-bit and 8-bit numbers. */
const MOST_SHORT = 32767;
const MOST_BYTE = 127;

/** What is needed of meshoptimizer. */
export interface GltfEncoder {
  encodeGltfBuffer(source: Uint8Array, count: number, size: number, mode: string): Uint8Array;
  /** Puts triangles into an order that compresses well, in place, and says which vertex becomes which. */
  reorderMesh(indices: Uint32Array, triangles: boolean, optsize: boolean): [remap: Uint32Array, vertices: number];
}

const COMPRESSION = 'EXT_meshopt_compression';

interface Shown {
  readonly node: number;
  readonly time: number;
}

export class GlbWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  readonly #views: object[] = [];
  readonly #accessors: object[] = [];
  readonly #meshes: object[] = [];
  readonly #nodes: object[] = [];
  readonly #materials = new Map<string, number>();
  readonly #shown = new Map<number, Shown[]>();
  readonly #frameRate: number;
  readonly #name: string;
  readonly #encoder: GltfEncoder | undefined;
  /** Bytes of what is compressed, before that. */
  #uncompressed = 0;

  constructor(name: string, frameRate: number, encoder?: GltfEncoder) {
    this.#name = name;
    this.#frameRate = frameRate;
    this.#encoder = encoder;
  }

  add({ frame, time, meshes }: ExportFrame): void {
    const shown = meshes.filter(({ indices }) => indices.length > 0).map((mesh) => this.#addMesh(mesh, frame));
    this.#shown.set(
      frame,
      shown.map((node) => ({ node, time })),
    );
  }

  #addMesh(given: ExportMesh, frame: number): number {
    const mesh = this.#encoder ? reordered(given, this.#encoder) : given;
    const { low, high } = bounds(mesh.positions);
    const centre = low.map((x, a) => (x + high[a]!) / 2);
    const reach = Math.max(...low.map((x, a) => (high[a]! - x) / 2)) || 1;
    const vertices = mesh.positions.length / 3;
    // Rows of four numbers: what is read is to stand on multiples of four bytes.
    const positions = new Int16Array(4 * vertices);
    const normals = new Int8Array(4 * vertices);
    for (let i = 0; i < vertices; i++) {
      for (let a = 0; a < 3; a++) {
        positions[4 * i + a] = Math.round(((mesh.positions[3 * i + a]! - centre[a]!) / reach) * MOST_SHORT);
        normals[4 * i + a] = Math.round(mesh.normals[3 * i + a]! * MOST_BYTE);
      }
    }
    const small = vertices <= 65535;
    const indices = small ? Uint16Array.from(mesh.indices) : mesh.indices;
    const primitive = {
      attributes: {
        POSITION: this.#accessor(positions, SHORT, 'VEC3', vertices, {
          normalized: true,
          stride: 8,
          min: [0, 1, 2].map((a) => least(positions, a)),
          max: [0, 1, 2].map((a) => most(positions, a)),
        }),
        NORMAL: this.#accessor(normals, BYTE, 'VEC3', vertices, { normalized: true, stride: 4 }),
        ...this.#carried(mesh),
      },
      indices: this.#accessor(indices, small ? UNSIGNED_SHORT : UNSIGNED_INT, 'SCALAR', indices.length, {
        element: true,
      }),
      material: this.#material(mesh.name),
    };
    this.#meshes.push({ name: `${mesh.name} ${frame}`, primitives: [primitive] });
    const inner = this.#nodes.push({
      mesh: this.#meshes.length - 1,
      translation: centre,
      scale: [reach, reach, reach],
    });
    return this.#nodes.push({ name: `${mesh.name} ${frame}`, children: [inner - 1] }) - 1;
  }

  /** What the surface carries, as attributes of the application's own: _VELOCITY, _TEMPERATURE. */
  #carried({ attributes, positions }: ExportMesh): Record<string, number> {
    const types: Readonly<Record<number, string>> = { 1: 'SCALAR', 2: 'VEC2', 3: 'VEC3', 4: 'VEC4' };
    return Object.fromEntries(
      Object.entries(attributes).flatMap(([name, { components, values }]) => {
        const type = types[components];
        const plain = name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
        return type
          ? [[`_${plain}`, this.#accessor(values, FLOAT, type, positions.length / 3, { stride: 4 * components })]]
          : [];
      }),
    );
  }

  #material(name: string): number {
    const known = this.#materials.get(name);
    if (known !== undefined) return known;
    this.#materials.set(name, this.#materials.size);
    return this.#materials.size - 1;
  }

  #accessor(
    values: Float32Array | Uint32Array | Uint16Array | Int16Array | Int8Array,
    componentType: number,
    type: string,
    count: number,
    options: { stride?: number; element?: boolean; normalized?: boolean; min?: number[]; max?: number[] },
  ): number {
    const { stride, element, ...rest } = options;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const encoder = stride || element ? this.#encoder : undefined;
    const size = stride ?? values.BYTES_PER_ELEMENT;
    const mode = element ? 'TRIANGLES' : 'ATTRIBUTES';
    const stored = encoder ? encoder.encodeGltfBuffer(bytes, count, size, mode) : bytes;
    const target = element ? ELEMENT_ARRAY_BUFFER : stride ? ARRAY_BUFFER : undefined;
    const place = { buffer: 0, byteOffset: this.#length, byteLength: stored.length };
    this.#views.push({
      // Compressed data stand for a part of the second buffer, which is not there.
      ...(encoder ? { buffer: 1, byteOffset: this.#uncompressed, byteLength: bytes.length } : place),
      ...(stride && { byteStride: stride }),
      ...(target && { target }),
      ...(encoder && { extensions: { [COMPRESSION]: { ...place, byteStride: size, count, mode } } }),
    });
    if (encoder) this.#uncompressed += padded(bytes.length);
    const chunk = new Uint8Array(padded(stored.length));
    chunk.set(stored);
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this.#accessors.push({ bufferView: this.#views.length - 1, componentType, type, count, ...rest }) - 1;
  }

  /** Times, counted from the first frame, and the scale of a node from each on. */
  #animation(): object[] {
    const frames = [...this.#shown].sort(([a], [b]) => a - b).map(([, shown]) => shown);
    const start = frames.flat()[0]?.time ?? 0;
    const channels: object[] = [];
    const samplers: object[] = [];
    for (const [k, shown] of frames.entries()) {
      for (const { node, time } of shown) {
        const following = frames.slice(k + 1).find((next) => next.length > 0)?.[0]?.time;
        const begin = time - start;
        const end = following === undefined ? begin + 1 / this.#frameRate : following - start;
        const steps: [time: number, scale: number][] = [[begin, 1]];
        if (begin > 0) steps.unshift([0, 0]);
        // The last frame stays.
        steps.push([end, following === undefined ? 1 : 0]);
        const times = Float32Array.from(steps, ([at]) => at);
        const input = this.#accessor(times, FLOAT, 'SCALAR', times.length, { min: [times[0]!], max: [times.at(-1)!] });
        const scales = Float32Array.from(steps.flatMap(([, scale]) => [scale, scale, scale]));
        const output = this.#accessor(scales, FLOAT, 'VEC3', times.length, {});
        samplers.push({ input, output, interpolation: 'STEP' });
        channels.push({ sampler: samplers.length - 1, target: { node, path: 'scale' } });
      }
    }
    return channels.length === 0 ? [] : [{ name: this.#name, channels, samplers }];
  }

  #buffers(): object[] {
    if (this.#length === 0) return [];
    const stored = { byteLength: this.#length };
    const instead = { byteLength: this.#uncompressed, extensions: { [COMPRESSION]: { fallback: true } } };
    return this.#encoder ? [stored, instead] : [stored];
  }

  bytes(): Uint8Array {
    const animations = this.#animation();
    const frames = [...this.#shown].sort(([a], [b]) => a - b);
    // Without the animation the first frame is seen.
    for (const [k, [, shown]] of frames.entries()) {
      for (const { node } of shown) if (k > 0) Object.assign(this.#nodes[node]!, { scale: [0, 0, 0] });
    }
    const materials = [...this.#materials.keys()].map((name) => ({
      name,
      pbrMetallicRoughness: { baseColorFactor: [0.35, 0.6, 0.85, 1], metallicFactor: 0, roughnessFactor: 0.15 },
    }));
    const extensions = ['KHR_mesh_quantization', ...(this.#encoder ? [COMPRESSION] : [])];
    const document = {
      asset: { version: '2.0', generator: 'phyxel' },
      scene: 0,
      scenes: [
        {
          name: this.#name,
          ...withAny(
            'nodes',
            frames.flatMap(([, shown]) => shown.map(({ node }) => node)),
          ),
        },
      ],
      ...withAny('nodes', this.#nodes),
      ...withAny('meshes', this.#meshes),
      ...withAny('materials', materials),
      ...withAny('accessors', this.#accessors),
      ...withAny('bufferViews', this.#views),
      ...withAny('animations', animations),
      ...withAny('buffers', this.#buffers()),
      ...(this.#meshes.length > 0 && {
        extensionsUsed: extensions,
        extensionsRequired: extensions,
      }),
    };
    return container(JSON.stringify(document), this.#chunks, this.#length);
  }
}

const padded = (length: number) => Math.ceil(length / 4) * 4;

function reordered(mesh: ExportMesh, encoder: GltfEncoder): ExportMesh {
  const indices = mesh.indices.slice();
  const [remap] = encoder.reorderMesh(indices, true, true);
  const move = (values: Float32Array, components: number) => {
    const moved = new Float32Array(values.length);
    for (const [from, to] of remap.entries()) {
      for (let c = 0; c < components; c++) moved[to * components + c] = values[from * components + c]!;
    }
    return moved;
  };
  const attributes = Object.entries(mesh.attributes).map(([name, { components, values }]) => [
    name,
    { components, values: move(values, components) },
  ]);
  return {
    name: mesh.name,
    positions: move(mesh.positions, 3),
    normals: move(mesh.normals, 3),
    indices,
    attributes: Object.fromEntries(attributes),
  };
}

/** glTF has no empty lists. */
function withAny<T>(key: string, list: readonly T[]): Record<string, readonly T[]> {
  return list.length > 0 ? { [key]: list } : {};
}

function least(rows: Int16Array, axis: number): number {
  let value = MOST_SHORT;
  for (let k = axis; k < rows.length; k += 4) value = Math.min(value, rows[k]!);
  return value;
}

function most(rows: Int16Array, axis: number): number {
  let value = -MOST_SHORT;
  for (let k = axis; k < rows.length; k += 4) value = Math.max(value, rows[k]!);
  return value;
}

function container(json: string, chunks: readonly Uint8Array[], length: number): Uint8Array {
  const text = Buffer.from(json);
  const textLength = padded(text.length);
  const total = 12 + 8 + textLength + (length > 0 ? 8 + length : 0);
  const file = Buffer.alloc(total, 0x20);
  file.write('glTF', 'latin1');
  file.writeUInt32LE(2, 4);
  file.writeUInt32LE(total, 8);
  file.writeUInt32LE(textLength, 12);
  file.write('JSON', 16, 'latin1');
  text.copy(file, 20);
  if (length === 0) return file;
  let at = 20 + textLength;
  file.writeUInt32LE(length, at);
  file.write('BIN\0', at + 4, 'latin1');
  at += 8;
  for (const chunk of chunks) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file;
}
