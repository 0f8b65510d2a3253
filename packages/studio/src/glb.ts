/** A frame as a binary glTF file: bodies as they are deformed, liquids, obstacles, and the camera. */
import { deformVertices, framePlanes, moveVertex } from '@phyxel/three';
import type {
  BodyDescription,
  BoundMesh,
  DisplayMesh,
  MeshMaterial,
  MeshTexture,
  WorldDescription,
  WorldFrame,
} from 'phyxel/browser';
import { Color, type PerspectiveCamera, type Vector4 } from 'three';

interface Part {
  readonly name: string;
  readonly mesh: DisplayMesh;
  readonly color: Rgb;
  /** A colour that the scene names is stronger than the materials of the mesh's file. */
  readonly isPlain: boolean;
  /** Refractive index of what light goes through. */
  readonly ior?: number | undefined;
}

type Rgb = readonly [number, number, number];

const GLASS = 1.5;
const WATER = 1.33;
const OBSTACLE = '#a3a8af';

/** With the camera that looks at it, if there is one. */
export function frameToGlb(
  description: WorldDescription,
  frame: WorldFrame,
  colorOf: (body: string) => Color | undefined,
  camera?: PerspectiveCamera,
): Uint8Array<ArrayBuffer> {
  const linear = ({ r, g, b }: Color): Rgb => [r, g, b];
  const bodyColor = (name: string) => linear(colorOf(name) ?? new Color(OBSTACLE));
  const parts: Part[] = [];
  const planes = framePlanes(description, frame);
  for (const body of description.bodies) {
    if (!body.mesh) continue;
    const { name, color, look } = body;
    const mesh = deform(body, body.mesh, frame, planes);
    const ior = look === 'glass' ? GLASS : undefined;
    parts.push({ name, mesh, color: bodyColor(name), isPlain: color !== undefined || look === 'glass', ior });
  }
  for (const mesh of frame.liquids ?? []) {
    const look = description.bodies.find(({ name }) => name === mesh.bodies[0])?.look ?? 'glass';
    const ior = look === 'glass' ? WATER : undefined;
    parts.push({ name: mesh.bodies.join(', '), mesh, color: bodyColor(mesh.bodies[0]!), isPlain: true, ior });
  }
  for (const [k, { name, mesh, color, isClear }] of description.obstacles.entries()) {
    if (!mesh) continue;
    const moved = move(mesh, frame.obstacles.subarray(12 * k, 12 * k + 12));
    const shade = linear(new Color(color ?? (isClear ? '#ffffff' : OBSTACLE)));
    const isPlain = color !== undefined || isClear;
    parts.push({ name, mesh: moved, color: shade, isPlain, ior: isClear ? GLASS : undefined });
  }
  return writeGlb(
    parts.filter(({ mesh }) => mesh.indices.length > 0),
    camera,
  );
}

function deform(
  { affineBegin }: BodyDescription,
  mesh: BoundMesh,
  { affines }: WorldFrame,
  planes: readonly Vector4[],
): DisplayMesh {
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  deformVertices(mesh, affines, affineBegin!, positions, normals, planes);
  return { ...mesh, positions, normals };
}

function move(mesh: DisplayMesh, rows: Float32Array): DisplayMesh {
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  for (let v = 0; v < positions.length / 3; v++) moveVertex(rows, mesh.positions, mesh.normals, v, positions, normals);
  return { ...mesh, positions, normals };
}

/** The bytes of a file, in views. */
class Bytes {
  readonly views: object[] = [];
  readonly accessors: object[] = [];
  readonly chunks: Uint8Array[] = [];
  size = 0;

  view(bytes: Uint8Array, target?: number): number {
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: bytes.length, ...(target && { target }) });
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    this.chunks.push(padded);
    this.size += padded.length;
    return this.views.length - 1;
  }

  add(array: Float32Array | Uint32Array, width: number, bounds = {}): number {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const isIndex = array instanceof Uint32Array;
    this.accessors.push({
      bufferView: this.view(bytes, isIndex ? 34963 : 34962),
      componentType: isIndex ? 5125 : 5126,
      count: array.length / width,
      type: width === 1 ? 'SCALAR' : `VEC${width}`,
      ...bounds,
    });
    return this.accessors.length - 1;
  }
}

const WRAPS = { repeat: 10497, clamp: 33071, mirror: 33648 } as const;
const ALPHA_MODES = { opaque: 'OPAQUE', mask: 'MASK', blend: 'BLEND' } as const;

/** Materials with their pictures, each once. */
class Materials {
  readonly list: object[] = [];
  readonly pictures: MeshTexture[] = [];
  hasGlass = false;

  plain({ name, color, ior }: Part): number {
    return (
      this.list.push({
        name,
        pbrMetallicRoughness: {
          baseColorFactor: [...color, 1],
          metallicFactor: 0,
          roughnessFactor: ior === undefined ? 0.6 : 0.05,
        },
        ...this.#glass(ior && 1, ior),
      }) - 1
    );
  }

  ofFile(own: MeshMaterial): number {
    const { alphaMode, emissive } = own;
    return (
      this.list.push({
        name: own.name,
        pbrMetallicRoughness: {
          baseColorFactor: [...(own.color ?? [1, 1, 1]), own.opacity ?? 1],
          metallicFactor: own.metalness ?? 0,
          roughnessFactor: own.roughness ?? 0.6,
          ...this.#map('baseColorTexture', own.texture),
          ...this.#map('metallicRoughnessTexture', own.metalnessRoughnessTexture),
        },
        ...this.#map('normalTexture', own.normalTexture, { scale: own.normalScale ?? 1 }),
        ...this.#map('occlusionTexture', own.occlusionTexture, { strength: own.occlusionStrength ?? 1 }),
        ...this.#map('emissiveTexture', own.emissiveTexture),
        ...(emissive && { emissiveFactor: emissive.map((c) => Math.min(1, c)) }),
        ...(alphaMode && { alphaMode: ALPHA_MODES[alphaMode] }),
        ...(alphaMode === 'mask' && { alphaCutoff: own.alphaCutoff ?? 0.5 }),
        ...(own.isDoubleSided && { doubleSided: true }),
        ...this.#glass(own.transmission, own.ior),
      }) - 1
    );
  }

  #glass(transmissionFactor: number | undefined, ior = GLASS): object {
    if (!transmissionFactor) return {};
    this.hasGlass = true;
    return { extensions: { KHR_materials_transmission: { transmissionFactor }, KHR_materials_ior: { ior } } };
  }

  #map(key: string, texture: MeshTexture | undefined, more = {}): object {
    if (!texture) return {};
    const known = this.pictures.indexOf(texture);
    return { [key]: { index: known >= 0 ? known : this.pictures.push(texture) - 1, ...more } };
  }
}

/** glTF 2.0, everything in one file. */
function writeGlb(parts: readonly Part[], camera: PerspectiveCamera | undefined): Uint8Array<ArrayBuffer> {
  const bytes = new Bytes();
  const materials = new Materials();
  const meshes = parts.map((part) => {
    const { positions, normals, uvs, colors, indices, parts: own } = part.mesh;
    const isPainted = colors !== undefined && !part.isPlain;
    const attributes = {
      POSITION: bytes.add(positions, 3, boundsOf(positions)),
      NORMAL: bytes.add(normals, 3),
      // Pictures of glTF begin at the top.
      ...(uvs && {
        TEXCOORD_0: bytes.add(
          uvs.map((x, k) => (k % 2 === 0 ? x : 1 - x)),
          2,
        ),
      }),
      ...(isPainted && { COLOR_0: bytes.add(colors, 4) }),
    };
    const ranges = !part.isPlain && own ? own : [{ begin: 0, end: indices.length, material: undefined }];
    const primitives = ranges.map(({ begin, end, material }) => ({
      attributes,
      indices: bytes.add(indices.subarray(begin, end), 1),
      material: material
        ? materials.ofFile(material)
        : materials.plain(isPainted ? { ...part, color: [1, 1, 1] } : part),
    }));
    return { name: part.name, primitives };
  });
  const { pictures } = materials;
  const images = pictures.map((picture) => ({ bufferView: bytes.view(picture.bytes), mimeType: picture.type }));
  const json = {
    asset: { version: '2.0', generator: 'Phyxel studio' },
    scene: 0,
    scenes: [{ nodes: [...parts, ...(camera ? [camera] : [])].map((_, k) => k) }],
    nodes: [
      ...parts.map(({ name }, k) => ({ name, mesh: k })),
      ...(camera ? [{ name: 'camera', camera: 0, matrix: camera.matrixWorld.toArray() }] : []),
    ],
    meshes,
    materials: materials.list,
    ...(images.length > 0 && {
      images,
      samplers: pictures.map(({ wrap }) => ({ wrapS: WRAPS[wrap[0]], wrapT: WRAPS[wrap[1]] })),
      textures: pictures.map((_, k) => ({ source: k, sampler: k })),
    }),
    ...(camera && { cameras: [cameraOf(camera)] }),
    ...(materials.hasGlass && { extensionsUsed: ['KHR_materials_transmission', 'KHR_materials_ior'] }),
    accessors: bytes.accessors,
    bufferViews: bytes.views,
    buffers: [{ byteLength: bytes.size }],
  };
  const { size, chunks } = bytes;
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textSize = Math.ceil(text.length / 4) * 4;
  const out = new Uint8Array(28 + textSize + size);
  const header = new DataView(out.buffer);
  const words = [0x46546c67, 2, out.length, textSize, 0x4e4f534a];
  for (const [k, word] of words.entries()) header.setUint32(4 * k, word, true);
  out.fill(0x20, 20, 20 + textSize);
  out.set(text, 20);
  header.setUint32(20 + textSize, size, true);
  header.setUint32(24 + textSize, 0x004e4942, true);
  let at = 28 + textSize;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

function cameraOf({ fov, aspect, near, far }: PerspectiveCamera): object {
  const perspective = { yfov: (fov * Math.PI) / 180, aspectRatio: aspect, znear: near, zfar: far };
  return { name: 'camera', type: 'perspective', perspective };
}

function boundsOf(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    min[i % 3] = Math.min(min[i % 3]!, positions[i]!);
    max[i % 3] = Math.max(max[i % 3]!, positions[i]!);
  }
  return { min, max };
}
