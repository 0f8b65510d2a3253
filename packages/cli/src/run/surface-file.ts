/**
 * The surfaces of the liquids of one frame, compressed.
 *
 * | bytes | content |
 * | --- | --- |
 * | 8 | magic `PHYXSURF` |
 * | 4 | version, u32 |
 * | 4 | length of the header, u32 |
 * | n | header, JSON: frame, stateHash, cell, tolerance, surfaces with the lengths of their blocks |
 * | ... | the blocks: of each surface positions, normals, attributes and triangles, by meshoptimizer, then deflated |
 * | 4 | CRC-32 of everything before it |
 *
 * Places are whole multiples of 1/2048 spacing from the lowest one, so they are off by a quarter of a thousandth of
 * a spacing at the most. Normals are two numbers of 16 bits, attributes 16 bits between their least and their largest
 * value. Vertices and triangles are in an order that compresses well.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import type { SurfaceAttribute, SurfaceMesh } from 'phyxel';

const MAGIC = 'PHYXSURF';
const VERSION = 1;
const LEVEL = 6;
/** Steps of a position in a spacing. */
const STEPS = 2048;
const MOST = 65535;

export interface Surfaces {
  readonly frame: number;
  /** Of the frame that they were made of. */
  readonly stateHash: string;
  /** As they were made, in spacings. */
  readonly cell: number;
  readonly tolerance: number;
  readonly meshes: readonly (SurfaceMesh & { readonly name: string; readonly spacing: number })[];
}

/** A file that is damaged; the message says where. */
export class SurfaceFileError extends Error {
  override name = 'SurfaceFileError';
}

interface StoredAttribute {
  readonly name: string;
  readonly components: number;
  readonly low: number;
  readonly high: number;
}

interface StoredSurface {
  readonly name: string;
  readonly spacing: number;
  readonly vertices: number;
  readonly corners: number;
  readonly origin: readonly number[];
  readonly attributes: readonly StoredAttribute[];
  /** Lengths of its blocks. */
  readonly bytes: readonly number[];
}

interface Header extends Omit<Surfaces, 'meshes'> {
  readonly surfaces: readonly StoredSurface[];
}

/** Both must have been waited for before anything is written or read. */
export async function prepareSurfaceFiles(): Promise<void> {
  await Promise.all([MeshoptEncoder.ready, MeshoptDecoder.ready]);
}

export function encodeSurfaces({ meshes, ...rest }: Surfaces): Uint8Array {
  const encoded = meshes.map(encodeSurface);
  const header: Header = { ...rest, surfaces: encoded.map(({ stored }) => stored) };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(16);
  start.write(MAGIC, 'latin1');
  start.writeUInt32LE(VERSION, 8);
  start.writeUInt32LE(text.length, 12);
  const body = Buffer.concat([start, text, ...encoded.flatMap(({ blocks }) => blocks)]);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(crc32(body));
  return Buffer.concat([body, end]);
}

function encodeSurface(mesh: Surfaces['meshes'][number]): { stored: StoredSurface; blocks: Uint8Array[] } {
  const { name, spacing, positions, normals } = mesh;
  const vertices = positions.length / 3;
  const indices = mesh.indices.slice();
  const order = new Uint32Array(vertices);
  if (vertices > 0)
    for (const [from, to] of MeshoptEncoder.reorderMesh(indices, true, true)[0].entries()) order[to] = from;
  const unit = spacing / STEPS;
  const origin = [0, 1, 2].map((a) => lowest(positions, a) ?? 0);
  const points = new Int32Array(3 * vertices);
  const directions = new Int16Array(2 * vertices);
  for (const [to, from] of order.entries()) {
    for (let a = 0; a < 3; a++) points[3 * to + a] = Math.round((positions[3 * from + a]! - origin[a]!) / unit);
    directions.set(toOctahedron(normals[3 * from]!, normals[3 * from + 1]!, normals[3 * from + 2]!), 2 * to);
  }
  const attributes = Object.entries(mesh.attributes).map(([attribute, { components, values }]) => {
    const { low, high } = rangeOf(values);
    // Rows begin at multiples of four bytes.
    const stride = 2 * Math.ceil(components / 2);
    const rows = new Uint16Array(stride * vertices);
    const scale = high > low ? MOST / (high - low) : 0;
    for (const [to, from] of order.entries()) {
      for (let c = 0; c < components; c++) {
        rows[stride * to + c] = Math.round((values[components * from + c]! - low) * scale);
      }
    }
    return { stored: { name: attribute, components, low, high }, block: pack(rows, vertices, 2 * stride) };
  });
  const triangles = new Uint8Array(indices.buffer, indices.byteOffset, indices.byteLength);
  const blocks = [
    pack(points, vertices, 12),
    pack(directions, vertices, 4),
    ...attributes.map(({ block }) => block),
    deflated(vertices > 0 ? MeshoptEncoder.encodeIndexBuffer(triangles, indices.length, 4) : new Uint8Array()),
  ];
  const stored: StoredSurface = {
    name,
    spacing,
    vertices,
    corners: indices.length,
    origin,
    attributes: attributes.map((attribute) => attribute.stored),
    bytes: blocks.map(({ length }) => length),
  };
  return { stored, blocks };
}

function pack(values: Int32Array | Int16Array | Uint16Array, count: number, size: number): Uint8Array {
  if (count === 0) return deflated(new Uint8Array());
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return deflated(MeshoptEncoder.encodeVertexBuffer(bytes, count, size));
}

function deflated(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: LEVEL });
}

/** Reads surfaces and checks all of the file. `name` is how messages call it. */
export function decodeSurfaces(bytes: Uint8Array, name = 'surface'): Surfaces {
  const fail = (problem: string): never => {
    throw new SurfaceFileError(`${name}: ${problem}`);
  };
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < 20) fail(`is cut off: ${data.length} bytes are too few for surfaces`);
  if (data.toString('latin1', 0, 8) !== MAGIC) fail('is not a file of surfaces of a run');
  const version = data.readUInt32LE(8);
  if (version !== VERSION) fail(`has version ${version}, this program reads version ${VERSION}`);
  if (crc32(data.subarray(0, data.length - 4)) !== data.readUInt32LE(data.length - 4)) {
    fail('is damaged: its checksum does not match');
  }
  let at = 16 + data.readUInt32LE(12);
  const { surfaces, ...rest } = JSON.parse(data.toString('utf8', 16, at)) as Header;
  const meshes = surfaces.map((stored) => {
    const blocks = stored.bytes.map((length) => {
      at += length;
      return inflateSync(data.subarray(at - length, at));
    });
    return decodeSurface(stored, blocks);
  });
  return { ...rest, meshes };
}

function decodeSurface(stored: StoredSurface, blocks: readonly Uint8Array[]): Surfaces['meshes'][number] {
  const { name, spacing, vertices, corners, origin } = stored;
  const unpack = (block: number, size: number): ArrayBuffer => {
    const rows = new Uint8Array(vertices * size);
    if (vertices > 0) MeshoptDecoder.decodeVertexBuffer(rows, vertices, size, blocks[block]!);
    return rows.buffer;
  };
  const points = new Int32Array(unpack(0, 12));
  const positions = Float32Array.from(points, (n, k) => origin[k % 3]! + (n * spacing) / STEPS);
  const directions = new Int16Array(unpack(1, 4));
  const normals = new Float32Array(3 * vertices);
  for (let v = 0; v < vertices; v++) normals.set(fromOctahedron(directions[2 * v]!, directions[2 * v + 1]!), 3 * v);
  const attributes: Record<string, SurfaceAttribute> = {};
  for (const [n, { name: attribute, components, low, high }] of stored.attributes.entries()) {
    const stride = 2 * Math.ceil(components / 2);
    const rows = new Uint16Array(unpack(2 + n, 2 * stride));
    const values = new Float32Array(components * vertices);
    for (let k = 0; k < values.length; k++) {
      const row = rows[stride * Math.floor(k / components) + (k % components)]!;
      values[k] = low + (row / MOST) * (high - low);
    }
    attributes[attribute] = { components, values };
  }
  const indices = new Uint32Array(corners);
  if (corners > 0) MeshoptDecoder.decodeIndexBuffer(new Uint8Array(indices.buffer), corners, 4, blocks.at(-1)!);
  return { name, spacing, positions, normals, indices, attributes };
}

function lowest(positions: Float32Array, axis: number): number | undefined {
  let low: number | undefined;
  for (let k = axis; k < positions.length; k += 3)
    low = low === undefined ? positions[k]! : Math.min(low, positions[k]!);
  return low;
}

function rangeOf(values: Float32Array): { low: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return values.length > 0 ? { low, high } : { low: 0, high: 0 };
}

const HALF = 32767;

/** A unit vector as a point of an octahedron, whose lower half is folded out. */
function toOctahedron(x: number, y: number, z: number): [number, number] {
  const scale = 1 / (Math.abs(x) + Math.abs(y) + Math.abs(z) || 1);
  let [u, v] = [x * scale, y * scale];
  if (z < 0) [u, v] = [(1 - Math.abs(v)) * (u < 0 ? -1 : 1), (1 - Math.abs(u)) * (v < 0 ? -1 : 1)];
  return [Math.round(u * HALF), Math.round(v * HALF)];
}

function fromOctahedron(a: number, b: number): [number, number, number] {
  let [x, y] = [a / HALF, b / HALF];
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  return [x / length, y / length, z / length];
}
