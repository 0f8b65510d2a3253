import { describeValue } from '../describe.js';
import type { Vec3 } from '../math/matrix3.js';
import { determinant, type Matrix3, matrixFromQuaternion, multiply, transform } from '../math/matrix3.js';
import { assembleMesh, decodeText, MAX_ELEMENTS } from './assemble.js';
import { decodeBase64 } from './base64.js';
import { MeshError } from './error.js';
import { usableFinish } from './finish.js';
import { pictureType } from './picture.js';
import type { MeshFinish, MeshMaterial, MeshTexture, TextureWrap, TriangleMesh } from './types.js';

type Resolve = (uri: string) => Uint8Array;
/** JSON from a file: nothing about it is known before it is checked. */
type Json = { readonly [key: string]: unknown };

const GLB_MAGIC = [0x67, 0x6c, 0x54, 0x46];
const GLB_HEADER_BYTES = 12;
const CHUNK_JSON = 0x4e4f534a;
const CHUNK_BINARY = 0x004e4942;

/** Bytes and scale to [-1, 1] or [0, 1] of each component type of the glTF 2.0 specification, section 3.6.2.2. */
const COMPONENTS: Readonly<Record<number, { readonly bytes: number; readonly largest: number }>> = {
  5120: { bytes: 1, largest: 127 },
  5121: { bytes: 1, largest: 255 },
  5122: { bytes: 2, largest: 32767 },
  5123: { bytes: 2, largest: 65535 },
  5125: { bytes: 4, largest: 4294967295 },
  5126: { bytes: 4, largest: 1 },
};

const TRIANGLES = 4;
const TRIANGLE_STRIP = 5;
const TRIANGLE_FAN = 6;

/** Binary glTF 2.0. */
export function readGlb(bytes: Uint8Array, file: string, resolve?: Resolve): TriangleMesh {
  const { json, binary } = readChunks(bytes, file);
  return new GltfReader(json, file, resolve, binary).read();
}

function readChunks(bytes: Uint8Array, file: string): { json: Uint8Array; binary: Uint8Array | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < GLB_HEADER_BYTES + 8)
    throw new MeshError(file, `byte ${bytes.length}`, 'the file ends inside its header');
  const version = view.getUint32(4, true);
  if (version !== 2) throw new MeshError(file, 'byte 4', `glTF version must be 2, got ${version}`);
  let json: Uint8Array | undefined;
  let binary: Uint8Array | undefined;
  for (let at = GLB_HEADER_BYTES; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (at + 8 + length > bytes.length) {
      throw new MeshError(file, `byte ${at}`, `a chunk of ${length} bytes does not fit in the file`);
    }
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === CHUNK_JSON) json ??= chunk;
    else if (type === CHUNK_BINARY) binary ??= chunk;
    at += 8 + length;
  }
  if (!json) throw new MeshError(file, `byte ${GLB_HEADER_BYTES}`, 'the JSON chunk is missing');
  return { json, binary };
}

/** glTF 2.0 as JSON; buffers are data URIs or come through `resolve`. */
export function readGltf(bytes: Uint8Array, file: string, resolve?: Resolve): TriangleMesh {
  return new GltfReader(bytes, file, resolve, undefined).read();
}

/** Names of the files that a .gltf or .glb file refers to, as far as it can be read; `readMesh` says what is wrong. */
export function gltfFiles(bytes: Uint8Array, file: string): string[] {
  const isBinary = GLB_MAGIC.every((code, i) => bytes[i] === code);
  if (!isBinary && !/\.gltf$/i.test(file)) return [];
  let root: Json;
  try {
    root = JSON.parse(decodeText(isBinary ? readChunks(bytes, file).json : bytes, file)) as Json;
  } catch {
    return [];
  }
  const names = [root?.buffers, root?.images].flatMap((list) =>
    (Array.isArray(list) ? (list as (Json | null)[]) : []).flatMap((entry) => {
      const uri = entry?.uri;
      return typeof uri === 'string' && !isData(uri) ? (decodeUri(uri) ?? []) : [];
    }),
  );
  return [...new Set(names)];
}

function isData(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Undefined where the percent-encoding is wrong. */
function decodeUri(uri: string): string | undefined {
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined;
  }
}

/** A node's transformation: x -> linear x + offset. */
interface Affine {
  readonly linear: Matrix3;
  readonly offset: Vec3;
}

const IDENTITY_AFFINE: Affine = { linear: [1, 0, 0, 0, 1, 0, 0, 0, 1], offset: [0, 0, 0] };

/** A primitive: its triangles, and what there is of their looks. */
interface Part {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  readonly normals: Float64Array | undefined;
  readonly uvs: Float64Array | undefined;
  /** Red, green, blue and alpha. */
  readonly colors: Float64Array | undefined;
  /** Number of its material in the file. */
  readonly material: number | undefined;
}

class GltfReader {
  private readonly root: Json;
  private readonly buffers = new Map<number, Uint8Array>();
  private readonly meshes = new Map<number, Part[]>();
  /** All parts where their nodes put them. */
  private readonly parts: Part[] = [];
  private vertexCount = 0;
  private triangleCount = 0;

  constructor(
    json: Uint8Array,
    private readonly file: string,
    private readonly resolve: Resolve | undefined,
    private readonly binary: Uint8Array | undefined,
  ) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(decodeText(json, file));
    } catch (error) {
      if (error instanceof MeshError) throw error;
      throw new MeshError(file, '', `is not valid JSON: ${firstLine(error)}`);
    }
    this.root = this.object(parsed, 'glTF');
    const required = this.root.extensionsRequired;
    if (Array.isArray(required))
      for (const name of required) this.refuseCompression({ [String(name)]: {} }, 'extensionsRequired');
  }

  read(): TriangleMesh {
    const nodes = this.list('nodes');
    const visited = new Uint8Array(nodes.length);
    for (const start of this.rootNodes(nodes)) this.visitNodes(start, nodes, visited);
    if (nodes.length === 0) {
      for (let m = 0; m < this.list('meshes').length; m++) this.addMesh(m, IDENTITY_AFFINE);
    }
    const positions = new Float64Array(3 * this.vertexCount);
    const triangles = new Uint32Array(3 * this.triangleCount);
    let vertex = 0;
    let corner = 0;
    for (const part of this.parts) {
      positions.set(part.positions, 3 * vertex);
      for (let i = 0; i < part.triangles.length; i++) triangles[corner++] = part.triangles[i]! + vertex;
      vertex += part.positions.length / 3;
    }
    return assembleMesh(positions, triangles, this.file, this.finish(triangles));
  }

  private finish(triangles: Uint32Array): MeshFinish | undefined {
    const normals = new Float32Array(3 * this.vertexCount);
    const uvs = new Float32Array(2 * this.vertexCount);
    // White where a part has none.
    const colors = new Float32Array(4 * this.vertexCount).fill(1);
    const materialOf = new Uint32Array(this.triangleCount);
    const materials = new Map<number | undefined, number>();
    let vertex = 0;
    let triangle = 0;
    for (const part of this.parts) {
      if (part.normals) normals.set(part.normals, 3 * vertex);
      // Pictures of glTF begin at the top.
      if (part.uvs)
        uvs.set(
          part.uvs.map((x, k) => (k % 2 === 0 ? x : 1 - x)),
          2 * vertex,
        );
      if (part.colors) colors.set(part.colors, 4 * vertex);
      if (!materials.has(part.material)) materials.set(part.material, materials.size);
      const end = triangle + part.triangles.length / 3;
      materialOf.fill(materials.get(part.material)!, triangle, end);
      triangle = end;
      vertex += part.positions.length / 3;
    }
    const list = [...materials.keys()].map((m) => this.material(m));
    return usableFinish({
      normals: { values: normals, of: triangles },
      uvs: this.parts.some((part) => part.uvs) ? { values: uvs, of: triangles } : undefined,
      colors: this.parts.some((part) => part.colors) ? { values: colors, of: triangles } : undefined,
      materials: [...materials.keys()].some((m) => m !== undefined) ? { list, of: materialOf } : undefined,
    });
  }

  /** What cannot be used of a material has the value that the specification gives to what is left out. */
  private material(m: number | undefined): MeshMaterial {
    const material = m === undefined ? undefined : this.list('materials')[m];
    if (typeof material !== 'object' || material === null) return { name: '' };
    const own = material as Json;
    const pbr = (own.pbrMetallicRoughness ?? {}) as Json;
    const extensions = (own.extensions ?? {}) as Json;
    const extension = (name: string) => (extensions[name] ?? {}) as Json;
    const factor = colorOf(pbr.baseColorFactor, 4);
    const strength = numberOr(extension('KHR_materials_emissive_strength').emissiveStrength, 1, 0, 1e6);
    const emissive = colorOf(own.emissiveFactor, 3)?.map((c) => c * strength);
    const alphaMode = ALPHA_MODES[own.alphaMode as string];
    const transmission = numberOr(extension('KHR_materials_transmission').transmissionFactor, 0, 0, 1);
    return withoutHoles({
      name: typeof own.name === 'string' ? own.name : '',
      color: factor && ([factor[0], factor[1], factor[2]] as unknown as Vec3),
      roughness: numberOr(pbr.roughnessFactor, 1, 0, 1),
      metalness: numberOr(pbr.metallicFactor, 1, 0, 1),
      texture: this.texture(pbr.baseColorTexture),
      metalnessRoughnessTexture: this.texture(pbr.metallicRoughnessTexture),
      normalTexture: this.texture(own.normalTexture),
      normalScale: own.normalTexture ? numberOr((own.normalTexture as Json).scale, 1, -1e3, 1e3) : undefined,
      occlusionTexture: this.texture(own.occlusionTexture),
      occlusionStrength: own.occlusionTexture ? numberOr((own.occlusionTexture as Json).strength, 1, 0, 1) : undefined,
      emissive: emissive?.some((c) => c > 0) ? (emissive as unknown as Vec3) : undefined,
      emissiveTexture: this.texture(own.emissiveTexture),
      opacity: alphaMode && factor?.[3],
      alphaMode,
      alphaCutoff: alphaMode === 'mask' ? numberOr(own.alphaCutoff, 0.5, 0, 1) : undefined,
      isDoubleSided: own.doubleSided === true ? true : undefined,
      transmission: transmission > 0 ? transmission : undefined,
      ior: transmission > 0 ? numberOr(extension('KHR_materials_ior').ior, 1.5, 1, 10) : undefined,
    });
  }

  private readonly textures = new Map<number, MeshTexture | undefined>();

  /** A picture that is laid out by the first texture coordinates; nothing where it cannot be had. */
  private texture(reference: unknown): MeshTexture | undefined {
    const { index, texCoord } = (reference ?? {}) as Json;
    if (typeof index !== 'number' || (texCoord ?? 0) !== 0) return undefined;
    if (!this.textures.has(index)) this.textures.set(index, this.readTexture(index));
    return this.textures.get(index);
  }

  private readTexture(index: number): MeshTexture | undefined {
    try {
      const { source, sampler } = this.object(this.list('textures')[index], `texture ${index}`);
      const images = this.list('images');
      const image = this.object(images[this.index(source, images.length, `texture ${index}`)], `image ${source}`);
      const bytes =
        image.bufferView === undefined
          ? this.loadBytes(image.uri, `image ${source}`)
          : this.viewBytes(image.bufferView, `image ${source}`);
      const type = pictureType(bytes);
      const { wrapS, wrapT } = (this.list('samplers')[sampler as number] ?? {}) as Json;
      return type && { type, bytes, wrap: [WRAPS[wrapS as number] ?? 'repeat', WRAPS[wrapT as number] ?? 'repeat'] };
    } catch (error) {
      if (error instanceof MeshError) return undefined;
      throw error;
    }
  }

  /** A copy of the bytes of a view. */
  private viewBytes(bufferView: unknown, user: string): Uint8Array {
    const views = this.list('bufferViews');
    const v = this.index(bufferView, views.length, user);
    const where = `bufferView ${v}`;
    const view = this.object(views[v], where);
    const buffer = this.buffer(this.index(view.buffer, this.list('buffers').length, where), where);
    const start = this.count(view, 'byteOffset', where, 0);
    const end = start + this.count(view, 'byteLength', where);
    if (end > buffer.length) throw this.error(where, `ends after its buffer of ${buffer.length} bytes`);
    return new Uint8Array(buffer.subarray(start, end));
  }

  /** Nodes of the default scene, or those that are nobody's child. */
  private rootNodes(nodes: readonly unknown[]): number[] {
    const scenes = this.list('scenes');
    if (scenes.length > 0) {
      const scene = this.root.scene === undefined ? 0 : this.index(this.root.scene, scenes.length, 'scene');
      const roots = this.object(scenes[scene], `scene ${scene}`).nodes;
      if (roots === undefined) return [];
      if (!Array.isArray(roots)) throw this.error(`scene ${scene}`, 'nodes must be a list');
      return roots.map((n) => this.index(n, nodes.length, `scene ${scene}`));
    }
    const isChild = new Uint8Array(nodes.length);
    nodes.forEach((node, n) => {
      for (const child of this.children(node, n, nodes.length)) isChild[child] = 1;
    });
    const roots: number[] = [];
    for (let n = 0; n < nodes.length; n++) if (isChild[n] === 0) roots.push(n);
    return roots;
  }

  private visitNodes(start: number, nodes: readonly unknown[], visited: Uint8Array): void {
    const stack: { node: number; parent: Affine }[] = [{ node: start, parent: IDENTITY_AFFINE }];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { node: n, parent } = top;
      if (visited[n] !== 0) throw this.error(`node ${n}`, 'must have one parent only');
      visited[n] = 1;
      const node = this.object(nodes[n], `node ${n}`);
      const local = this.nodeTransform(node, n);
      const world: Affine = {
        linear: multiply(parent.linear, local.linear),
        offset: addVectors(transform(parent.linear, local.offset), parent.offset),
      };
      if (node.mesh !== undefined) this.addMesh(this.index(node.mesh, this.list('meshes').length, `node ${n}`), world);
      const children = this.children(node, n, nodes.length);
      for (let c = children.length - 1; c >= 0; c--) stack.push({ node: children[c]!, parent: world });
    }
  }

  private children(node: unknown, n: number, count: number): number[] {
    const children = this.object(node, `node ${n}`).children;
    if (children === undefined) return [];
    if (!Array.isArray(children)) throw this.error(`node ${n}`, 'children must be a list');
    return children.map((c) => this.index(c, count, `node ${n}`));
  }

  private nodeTransform(node: Json, n: number): Affine {
    const where = `node ${n}`;
    if (node.matrix !== undefined) {
      const m = this.numbers(node.matrix, 16, where) as number[];
      return {
        linear: [m[0]!, m[4]!, m[8]!, m[1]!, m[5]!, m[9]!, m[2]!, m[6]!, m[10]!],
        offset: [m[12]!, m[13]!, m[14]!],
      };
    }
    const offset = node.translation === undefined ? [0, 0, 0] : this.numbers(node.translation, 3, where);
    const scale = node.scale === undefined ? [1, 1, 1] : this.numbers(node.scale, 3, where);
    const q = node.rotation === undefined ? [0, 0, 0, 1] : this.numbers(node.rotation, 4, where);
    const r = matrixFromQuaternion(q as unknown as readonly [number, number, number, number]);
    const [sx, sy, sz] = scale as unknown as Vec3;
    return {
      linear: [r[0] * sx, r[1] * sy, r[2] * sz, r[3] * sx, r[4] * sy, r[5] * sz, r[6] * sx, r[7] * sy, r[8] * sz],
      offset: offset as unknown as Vec3,
    };
  }

  private addMesh(m: number, { linear, offset }: Affine): void {
    let parts = this.meshes.get(m);
    if (!parts) {
      parts = this.readPrimitives(m);
      this.meshes.set(m, parts);
    }
    // A mirroring transformation turns triangles inside out; turn them back.
    const mirrored = determinant(linear) < 0;
    for (const part of parts) {
      this.vertexCount += part.positions.length / 3;
      this.triangleCount += part.triangles.length / 3;
      if (this.vertexCount > MAX_ELEMENTS || this.triangleCount > MAX_ELEMENTS) {
        throw this.error(`mesh ${m}`, `more than ${MAX_ELEMENTS} vertices or triangles`);
      }
      const positions = new Float64Array(part.positions.length);
      for (let i = 0; i < positions.length; i += 3) {
        const [x, y, z] = transform(linear, [part.positions[i]!, part.positions[i + 1]!, part.positions[i + 2]!]);
        positions[i] = x + offset[0];
        positions[i + 1] = y + offset[1];
        positions[i + 2] = z + offset[2];
      }
      const triangles = part.triangles.slice();
      if (mirrored) {
        for (let t = 0; t < triangles.length; t += 3) {
          const b = triangles[t + 1]!;
          triangles[t + 1] = triangles[t + 2]!;
          triangles[t + 2] = b;
        }
      }
      const normals = part.normals && turnNormals(part.normals, linear);
      this.parts.push({ ...part, positions, triangles, normals });
    }
  }

  private readPrimitives(m: number): Part[] {
    const primitives = this.object(this.list('meshes')[m], `mesh ${m}`).primitives;
    if (!Array.isArray(primitives)) throw this.error(`mesh ${m}`, 'primitives must be a list');
    const parts: Part[] = [];
    primitives.forEach((entry, p) => {
      const where = `mesh ${m} primitive ${p}`;
      const primitive = this.object(entry, where);
      this.refuseCompression(primitive.extensions, where);
      const mode = primitive.mode ?? TRIANGLES;
      if (mode !== TRIANGLES && mode !== TRIANGLE_STRIP && mode !== TRIANGLE_FAN) return; // points and lines bound nothing
      const attributes = this.object(primitive.attributes, where);
      if (attributes.POSITION === undefined) throw this.error(where, 'has no POSITION');
      const positions = this.accessor(attributes.POSITION, 3, where);
      let indices: ArrayLike<number>;
      if (primitive.indices === undefined) indices = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
      else indices = this.accessor(primitive.indices, 1, where);
      const triangles = trianglesOf(indices, mode);
      for (const v of triangles) {
        if (!(v < positions.length / 3)) {
          throw this.error(where, `vertex ${v} does not exist, there are ${positions.length / 3}`);
        }
      }
      const vertices = positions.length / 3;
      const { material } = primitive;
      parts.push({
        positions,
        triangles,
        normals: this.look(attributes.NORMAL, 3, vertices, where),
        uvs: this.look(attributes.TEXCOORD_0, 2, vertices, where),
        colors: this.colors(attributes.COLOR_0, vertices, where),
        material: Number.isInteger(material) ? (material as number) : undefined,
      });
    });
    return parts;
  }

  /** Colours of vertices: three or four shares each, the fourth is 1 when left out. */
  private colors(reference: unknown, vertices: number, where: string): Float64Array | undefined {
    const four = this.look(reference, 4, vertices, where);
    const three = four ? undefined : this.look(reference, 3, vertices, where);
    if (!three) return four;
    const colors = new Float64Array(4 * vertices).fill(1);
    for (let v = 0; v < vertices; v++) colors.set(three.subarray(3 * v, 3 * v + 3), 4 * v);
    return colors;
  }

  /** Values of vertices that the shape can do without: nothing where they are wrong. */
  private look(reference: unknown, width: 2 | 3 | 4, vertices: number, where: string): Float64Array | undefined {
    if (reference === undefined) return undefined;
    try {
      const values = this.accessor(reference, width, where);
      return values.length === width * vertices ? values : undefined;
    } catch (error) {
      if (error instanceof MeshError) return undefined;
      throw error;
    }
  }

  /** The values of an accessor with `width` components, sparse entries put in. */
  private accessor(reference: unknown, width: 1 | 2 | 3 | 4, user: string): Float64Array {
    const accessors = this.list('accessors');
    const a = this.index(reference, accessors.length, user);
    const wheres = `accessor ${a}`;
    const accessor = this.object(accessors[a], wheres);
    const count = this.count(accessor, 'count', wheres);
    const type = width === 1 ? 'SCALAR' : `VEC${width}`;
    if (accessor.type !== type) {
      throw this.error(wheres, `type must be ${type}, got ${describeValue(accessor.type)}`);
    }
    const values =
      accessor.bufferView === undefined
        ? this.zeros(count * width, wheres)
        : this.values(accessor.bufferView, accessor.byteOffset, accessor.componentType, width, count, wheres);
    if (accessor.sparse !== undefined) {
      const sparse = this.object(accessor.sparse, wheres);
      const indices = this.object(sparse.indices, wheres);
      const entries = this.object(sparse.values, wheres);
      const n = this.count(sparse, 'count', wheres);
      const where = this.values(indices.bufferView, indices.byteOffset, indices.componentType, 1, n, wheres);
      const what = this.values(entries.bufferView, entries.byteOffset, accessor.componentType, width, n, wheres);
      for (let i = 0; i < n; i++) {
        const target = where[i]!;
        if (!(target < count)) throw this.error(wheres, `sparse entry ${target} does not exist, there are ${count}`);
        for (let c = 0; c < width; c++) values[width * target + c] = what[width * i + c]!;
      }
    }
    if (accessor.normalized === true) {
      const { largest } = COMPONENTS[accessor.componentType as number] ?? { largest: 1 };
      for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i]! / largest, -1);
    }
    return values;
  }

  /** Accessors without data are zero; a count that no other part of the file justifies is a mistake. */
  private zeros(length: number, where: string): Float64Array {
    let bytes = 0;
    for (let b = 0; b < this.list('buffers').length; b++) bytes += this.buffer(b, where).length;
    if (length > bytes) throw this.error(where, `count is larger than all buffers`);
    return new Float64Array(length);
  }

  private values(
    bufferView: unknown,
    byteOffset: unknown,
    componentType: unknown,
    width: number,
    count: number,
    where: string,
  ): Float64Array {
    const views = this.list('bufferViews');
    const v = this.index(bufferView, views.length, where);
    const view = this.object(views[v], `bufferView ${v}`);
    this.refuseCompression(view.extensions, `bufferView ${v}`);
    const buffer = this.buffer(
      this.index(view.buffer, this.list('buffers').length, `bufferView ${v}`),
      `bufferView ${v}`,
    );
    const component = typeof componentType === 'number' ? COMPONENTS[componentType] : undefined;
    if (!component)
      throw this.error(
        where,
        `componentType must be one of ${Object.keys(COMPONENTS).join(', ')}, got ${describeValue(componentType)}`,
      );
    const size = component.bytes * width;
    const viewStart = this.count(view, 'byteOffset', `bufferView ${v}`, 0);
    const viewLength = this.count(view, 'byteLength', `bufferView ${v}`);
    const stride = this.count(view, 'byteStride', `bufferView ${v}`, size);
    const offset = this.count({ byteOffset }, 'byteOffset', where, 0);
    if (viewStart + viewLength > buffer.length)
      throw this.error(`bufferView ${v}`, `ends after its buffer of ${buffer.length} bytes`);
    if (stride < size)
      throw this.error(`bufferView ${v}`, `byteStride ${stride} is less than the ${size} bytes of an element`);
    if (count > 0 && offset + (count - 1) * stride + size > viewLength) {
      throw this.error(where, `${count} elements do not fit in bufferView ${v} of ${viewLength} bytes`);
    }
    const data = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0; i < count; i++) {
      for (let c = 0; c < width; c++) {
        values[i * width + c] = readComponent(
          data,
          viewStart + offset + i * stride + c * component.bytes,
          componentType as number,
        );
      }
    }
    return values;
  }

  private buffer(b: number, where: string): Uint8Array {
    const known = this.buffers.get(b);
    if (known) return known;
    const buffer = this.object(this.list('buffers')[b], `buffer ${b}`);
    const bytes = this.loadBuffer(buffer.uri, b, where);
    const length = this.count(buffer, 'byteLength', `buffer ${b}`);
    if (bytes.length < length) throw this.error(`buffer ${b}`, `needs ${length} bytes, has ${bytes.length}`);
    this.buffers.set(b, bytes);
    return bytes;
  }

  private loadBuffer(uri: unknown, b: number, where: string): Uint8Array {
    if (uri === undefined) {
      if (b !== 0 || !this.binary) throw this.error(`buffer ${b}`, `has no data, used by ${where}`);
      return this.binary;
    }
    return this.loadBytes(uri, `buffer ${b}`);
  }

  /** The bytes that a URI has or names. */
  private loadBytes(uri: unknown, where: string): Uint8Array {
    if (typeof uri !== 'string') throw this.error(where, 'uri must be text');
    if (isData(uri)) {
      const comma = uri.indexOf(',');
      if (comma < 0 || !/;base64$/i.test(uri.slice(0, comma))) throw this.error(where, 'data URI must be base64');
      const bytes = decodeBase64(uri, comma + 1);
      if (!bytes) throw this.error(where, 'data URI is not valid base64');
      return bytes;
    }
    if (!this.resolve) throw this.error(where, `refers to the file "${uri.slice(0, 80)}", which is not available here`);
    const name = decodeUri(uri);
    if (name === undefined)
      throw this.error(where, `"${uri.slice(0, 80)}" has "%" without two hexadecimal digits of UTF-8`);
    try {
      return this.resolve(name);
    } catch (error) {
      const problem = firstLine(error);
      throw this.error(where, problem.includes(name) ? problem : `cannot read "${uri.slice(0, 80)}": ${problem}`);
    }
  }

  private refuseCompression(extensions: unknown, where: string): void {
    if (typeof extensions !== 'object' || extensions === null) return;
    for (const name of Object.keys(extensions)) {
      if (/draco|meshopt/i.test(name)) {
        throw this.error(where, `${name} is not supported: export the mesh without compression`);
      }
    }
  }

  private list(key: string): readonly unknown[] {
    const value = this.root[key];
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.error(key, 'must be a list');
    return value;
  }

  private object(value: unknown, where: string): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.error(where, 'must be an object');
    return value as Json;
  }

  private index(value: unknown, count: number, where: string): number {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= count) {
      throw this.error(where, `must name one of ${count} by its number from 0, got ${describeValue(value)}`);
    }
    return value;
  }

  private count(owner: Json, key: string, where: string, otherwise?: number): number {
    const value = owner[key] ?? otherwise;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffffff) {
      throw this.error(where, `${key} must be a whole number, got ${describeValue(value)}`);
    }
    return value;
  }

  private numbers(value: unknown, count: number, where: string): readonly number[] {
    if (!Array.isArray(value) || value.length !== count || !value.every((x) => Number.isFinite(x))) {
      throw this.error(where, `transformation needs ${count} finite numbers`);
    }
    return value as number[];
  }

  private error(where: string, rule: string): MeshError {
    return new MeshError(this.file, where, rule);
  }
}

const WRAPS: Readonly<Record<number, TextureWrap>> = { 10497: 'repeat', 33071: 'clamp', 33648: 'mirror' };

const ALPHA_MODES: Readonly<Record<string, 'mask' | 'blend'>> = { MASK: 'mask', BLEND: 'blend' };

const isBetween = (x: unknown, low: number, high: number): x is number =>
  typeof x === 'number' && x >= low && x <= high;

function numberOr(value: unknown, otherwise: number, low: number, high: number): number {
  return isBetween(value, low, high) ? value : otherwise;
}

/** So many shares of light, if that is what they are. */
function colorOf(value: unknown, length: number): number[] | undefined {
  return Array.isArray(value) && value.length === length && value.every((c) => isBetween(c, 0, 1)) ? value : undefined;
}

/** Without the keys that have no value. */
function withoutHoles(material: { [K in keyof MeshMaterial]: MeshMaterial[K] | undefined }): MeshMaterial {
  return Object.fromEntries(
    Object.entries(material).filter(([, value]) => value !== undefined),
  ) as unknown as MeshMaterial;
}

/** Normals by the inverse transpose of a transformation, as far as their directions go. */
function turnNormals(normals: Float64Array, [a, b, c, d, e, f, g, h, i]: Matrix3): Float64Array {
  const cofactors: Matrix3 = [
    ...([e * i - f * h, f * g - d * i, d * h - e * g] as const),
    ...([c * h - b * i, a * i - c * g, b * g - a * h] as const),
    ...([b * f - c * e, c * d - a * f, a * e - b * d] as const),
  ];
  const side = determinant([a, b, c, d, e, f, g, h, i]) < 0 ? -1 : 1;
  const out = new Float64Array(normals.length);
  for (let k = 0; k < out.length; k += 3) {
    const turned = transform(cofactors, [normals[k]!, normals[k + 1]!, normals[k + 2]!]);
    for (let axis = 0; axis < 3; axis++) out[k + axis] = side * turned[axis]!;
  }
  return out;
}

function trianglesOf(indices: ArrayLike<number>, mode: number): Uint32Array {
  const n = indices.length;
  if (mode === TRIANGLES) return Uint32Array.from({ length: n - (n % 3) }, (_, i) => indices[i]!);
  const triangles: number[] = [];
  for (let i = 2; i < n; i++) {
    const a = mode === TRIANGLE_FAN ? indices[0]! : indices[i - 2]!;
    const b = indices[i - 1]!;
    const c = indices[i]!;
    if (a === b || b === c || a === c) continue;
    if (mode === TRIANGLE_STRIP && i % 2 === 1) triangles.push(b, a, c);
    else triangles.push(a, b, c);
  }
  return Uint32Array.from(triangles);
}

function readComponent(data: DataView, at: number, type: number): number {
  switch (type) {
    case 5120:
      return data.getInt8(at);
    case 5121:
      return data.getUint8(at);
    case 5122:
      return data.getInt16(at, true);
    case 5123:
      return data.getUint16(at, true);
    case 5125:
      return data.getUint32(at, true);
    default:
      return data.getFloat32(at, true);
  }
}

function addVectors(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 120);
}
