/** A frame as a binary glTF file: bodies as they are deformed, liquids, and obstacles. */
import type { BodyDescription, BoundMesh, DisplayMesh, WorldDescription, WorldFrame } from 'phyxel/browser';
import type { Color } from 'three';

interface Part {
  readonly name: string;
  readonly mesh: Pick<DisplayMesh, 'positions' | 'normals' | 'indices' | 'uvs'>;
  readonly color: readonly [number, number, number];
}

export function frameToGlb(
  description: WorldDescription,
  frame: WorldFrame,
  colorOf: (body: string) => Color | undefined,
): Uint8Array<ArrayBuffer> {
  const linear = (name: string): [number, number, number] => {
    const color = colorOf(name);
    return color ? [color.r, color.g, color.b] : [0.6, 0.6, 0.6];
  };
  const parts: Part[] = [];
  for (const body of description.bodies) {
    if (body.mesh) parts.push({ name: body.name, mesh: deform(body, body.mesh, frame), color: linear(body.name) });
  }
  for (const mesh of frame.liquids ?? []) {
    parts.push({ name: mesh.bodies.join(', '), mesh, color: linear(mesh.bodies[0]!) });
  }
  for (const [k, { name, mesh }] of description.obstacles.entries()) {
    if (mesh)
      parts.push({ name, mesh: move(mesh, frame.obstacles.subarray(12 * k, 12 * k + 12)), color: [0.36, 0.38, 0.42] });
  }
  return writeGlb(parts.filter(({ mesh }) => mesh.indices.length > 0));
}

/** The same sums as in the vertex shader. */
export function deform({ affineBegin }: BodyDescription, mesh: BoundMesh, { affines }: WorldFrame): DisplayMesh {
  const { neighbors, particles, weights } = mesh;
  const rows = new Float64Array(12);
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  for (let v = 0; v < positions.length / 3; v++) {
    rows.fill(0);
    for (let n = neighbors * v; n < neighbors * (v + 1); n++) {
      const at = 12 * (affineBegin! + particles[n]!);
      for (let k = 0; k < 12; k++) rows[k]! += weights[n]! * affines[at + k]!;
    }
    follow(rows, mesh, v, positions, normals);
  }
  return { ...mesh, positions, normals };
}

function move(mesh: DisplayMesh, rows: Float32Array): DisplayMesh {
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  for (let v = 0; v < positions.length / 3; v++) follow(rows, mesh, v, positions, normals);
  return { ...mesh, positions, normals };
}

function follow(
  a: ArrayLike<number>,
  mesh: DisplayMesh,
  v: number,
  positions: Float32Array,
  normals: Float32Array,
): void {
  const m = mesh.positions.subarray(3 * v, 3 * v + 3);
  const n = mesh.normals.subarray(3 * v, 3 * v + 3);
  for (let r = 0; r < 3; r++) {
    positions[3 * v + r] = a[4 * r]! * m[0]! + a[4 * r + 1]! * m[1]! + a[4 * r + 2]! * m[2]! + a[4 * r + 3]!;
    const [p, q] = [4 * ((r + 1) % 3), 4 * ((r + 2) % 3)];
    normals[3 * v + r] =
      (a[p + 1]! * a[q + 2]! - a[p + 2]! * a[q + 1]!) * n[0]! +
      (a[p + 2]! * a[q]! - a[p]! * a[q + 2]!) * n[1]! +
      (a[p]! * a[q + 1]! - a[p + 1]! * a[q]!) * n[2]!;
  }
  const length = Math.hypot(normals[3 * v]!, normals[3 * v + 1]!, normals[3 * v + 2]!);
  // A normal without a direction points up.
  if (length > 0) for (let r = 0; r < 3; r++) normals[3 * v + r]! /= length;
  else normals.set([0, 1, 0], 3 * v);
}

/** glTF 2.0, everything in one file. */
function writeGlb(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const views: { buffer: 0; byteOffset: number; byteLength: number; target: number }[] = [];
  const accessors: Record<string, unknown>[] = [];
  const chunks: Uint8Array[] = [];
  let size = 0;
  const add = (array: Float32Array | Uint32Array, type: string, target: number, bounds = {}): number => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const perItem = { SCALAR: 1, VEC2: 2, VEC3: 3 }[type]!;
    const componentType = array instanceof Uint32Array ? 5125 : 5126;
    accessors.push({ bufferView: views.length, componentType, count: array.length / perItem, type, ...bounds });
    views.push({ buffer: 0, byteOffset: size, byteLength: bytes.length, target });
    chunks.push(bytes);
    size += bytes.length;
    return accessors.length - 1;
  };
  const meshes = parts.map(({ name, mesh }, k) => ({
    name,
    primitives: [
      {
        attributes: {
          POSITION: add(mesh.positions, 'VEC3', 34962, boundsOf(mesh.positions)),
          NORMAL: add(mesh.normals, 'VEC3', 34962),
          ...(mesh.uvs && { TEXCOORD_0: add(mesh.uvs, 'VEC2', 34962) }),
        },
        indices: add(mesh.indices, 'SCALAR', 34963),
        material: k,
      },
    ],
  }));
  const json = {
    asset: { version: '2.0', generator: 'Phyxel studio' },
    scene: 0,
    scenes: [{ nodes: parts.map((_, k) => k) }],
    nodes: parts.map(({ name }, k) => ({ name, mesh: k })),
    meshes,
    materials: parts.map(({ name, color }) => ({
      name,
      pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.6 },
    })),
    accessors,
    bufferViews: views,
    buffers: [{ byteLength: size }],
  };
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

function boundsOf(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    min[i % 3] = Math.min(min[i % 3]!, positions[i]!);
    max[i % 3] = Math.max(max[i % 3]!, positions[i]!);
  }
  return { min, max };
}
