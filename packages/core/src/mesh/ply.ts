import { assembleMesh, decodeText, MAX_ELEMENTS } from './assemble.js';
import { MeshError } from './error.js';
import { usableFinish } from './finish.js';
import type { TriangleMesh } from './types.js';

type Scalar = 'i1' | 'u1' | 'i2' | 'u2' | 'i4' | 'u4' | 'f4' | 'f8';

const SCALARS: Readonly<Record<string, Scalar>> = {
  char: 'i1',
  int8: 'i1',
  uchar: 'u1',
  uint8: 'u1',
  short: 'i2',
  int16: 'i2',
  ushort: 'u2',
  uint16: 'u2',
  int: 'i4',
  int32: 'i4',
  uint: 'u4',
  uint32: 'u4',
  float: 'f4',
  float32: 'f4',
  double: 'f8',
  float64: 'f8',
};

interface Property {
  readonly name: string;
  readonly type: Scalar;
  /** Type of the length in front of a list. */
  readonly lengthType?: Scalar;
}

interface Element {
  readonly name: string;
  readonly count: number;
  readonly properties: Property[];
}

interface Header {
  readonly format: 'ascii' | 'little' | 'big';
  readonly elements: Element[];
  /** First byte after the header. */
  readonly end: number;
  readonly lines: number;
}

/** The numbers after the header, one after the other, whatever their encoding. */
interface Source {
  next(type: Scalar): number;
  /** Bytes that are left: no element can have more entries than that. */
  left(): number;
  where(): string;
}

/** Stanford PLY, ASCII or binary of either byte order, with polygons or triangle strips. */
export function readPly(bytes: Uint8Array, file: string): TriangleMesh {
  const header = readHeader(bytes, file);
  const source =
    header.format === 'ascii'
      ? asciiSource(bytes, header, file)
      : binarySource(bytes, header.end, header.format === 'little', file);
  const lists: Lists = { positions: [], triangles: [], normals: [], uvs: [] };
  for (const element of header.elements) readElement(element, source, lists, file);
  const of = Uint32Array.from(lists.triangles);
  const finish = usableFinish({
    normals: lists.normals.length > 0 ? { values: Float32Array.from(lists.normals), of } : undefined,
    uvs: lists.uvs.length > 0 ? { values: Float32Array.from(lists.uvs), of } : undefined,
  });
  return assembleMesh(lists.positions, lists.triangles, file, finish);
}

interface Lists {
  readonly positions: number[];
  readonly triangles: number[];
  /** Of vertices; empty when there are none. */
  readonly normals: number[];
  readonly uvs: number[];
}

/** What programs call texture coordinates. */
const UV_NAMES = [
  ['s', 't'],
  ['u', 'v'],
  ['texture_u', 'texture_v'],
] as const;

function readHeader(bytes: Uint8Array, file: string): Header {
  let format: Header['format'] | undefined;
  const elements: Element[] = [];
  let at = 0;
  for (let line = 1; ; line++) {
    const where = `line ${line}`;
    const end = bytes.indexOf(10, at);
    if (end < 0 || end - at > 4096) throw new MeshError(file, where, 'the header must end with "end_header"');
    const words = String.fromCharCode(...bytes.subarray(at, end))
      .trim()
      .split(/\s+/);
    at = end + 1;
    if (line === 1) {
      if (words[0] !== 'ply') throw new MeshError(file, where, 'a PLY file must start with "ply"');
      continue;
    }
    switch (words[0]) {
      case 'format':
        if (words[1] === 'ascii') format = 'ascii';
        else if (words[1] === 'binary_little_endian') format = 'little';
        else if (words[1] === 'binary_big_endian') format = 'big';
        else throw new MeshError(file, where, `format "${words[1]}" is not known`);
        break;
      case 'element': {
        const count = Number(words[2]);
        if (words.length < 3 || !Number.isInteger(count) || count < 0 || count > MAX_ELEMENTS) {
          throw new MeshError(file, where, `an element needs a name and a count up to ${MAX_ELEMENTS}`);
        }
        elements.push({ name: words[1]!, count, properties: [] });
        break;
      }
      case 'property': {
        const owner = elements.at(-1);
        if (!owner) throw new MeshError(file, where, 'a property must belong to an element');
        const isList = words[1] === 'list';
        const type = scalarOf(words[isList ? 3 : 1], file, where);
        const name = words[isList ? 4 : 2] ?? '';
        owner.properties.push(isList ? { name, type, lengthType: scalarOf(words[2], file, where) } : { name, type });
        break;
      }
      case 'end_header':
        if (!format) throw new MeshError(file, where, 'the header has no "format"');
        return { format, elements, end: at, lines: line };
      default: // comment, obj_info and empty lines
        break;
    }
  }
}

function scalarOf(word: string | undefined, file: string, where: string): Scalar {
  const type = word !== undefined && Object.hasOwn(SCALARS, word) ? SCALARS[word] : undefined;
  if (!type) throw new MeshError(file, where, `property type "${word}" is not known`);
  return type;
}

function readElement(element: Element, source: Source, lists: Lists, file: string): void {
  const { name, count, properties } = element;
  const { positions, triangles } = lists;
  if (properties.length === 0) return;
  // Every entry takes at least one byte per property.
  if (count * properties.length > source.left()) {
    throw new MeshError(file, source.where(), `element "${name}" announces ${count} entries, more than the file holds`);
  }
  const find = (names: readonly string[]) =>
    names.map((wanted) => properties.findIndex((p) => p.name === wanted && !p.lengthType));
  const axes = find(['x', 'y', 'z']);
  const normal = find(['nx', 'ny', 'nz']);
  const uv = UV_NAMES.map(find).find((columns) => !columns.includes(-1)) ?? [];
  const isVertex = name === 'vertex';
  if (isVertex && axes.includes(-1))
    throw new MeshError(file, source.where(), 'vertices need the properties x, y and z');
  const values = new Array<number>(properties.length).fill(0);
  for (let n = 0; n < count; n++) {
    for (let p = 0; p < properties.length; p++) {
      const property = properties[p]!;
      if (!property.lengthType) {
        values[p] = source.next(property.type);
        continue;
      }
      const isIndices = property.name === 'vertex_indices' || property.name === 'vertex_index';
      const add = !isIndices
        ? undefined
        : name === 'face'
          ? fanBuilder(triangles)
          : name === 'tristrips'
            ? stripBuilder(triangles)
            : undefined;
      readList(property, source, add, file);
    }
    if (isVertex) {
      for (const axis of axes) {
        if (!Number.isFinite(values[axis])) throw new MeshError(file, source.where(), 'coordinates must be finite');
        positions.push(values[axis]!);
      }
      if (!normal.includes(-1)) for (const column of normal) lists.normals.push(values[column]!);
      for (const column of uv) lists.uvs.push(values[column]!);
    }
  }
}

function readList(property: Property, source: Source, add: ((index: number) => void) | undefined, file: string): void {
  const length = source.next(property.lengthType!);
  if (!Number.isInteger(length) || length < 0 || length > source.left()) {
    throw new MeshError(file, source.where(), `a list cannot have ${length} entries`);
  }
  for (let i = 0; i < length; i++) {
    const value = source.next(property.type);
    if (!add) continue;
    if (!Number.isInteger(value)) throw new MeshError(file, source.where(), `${value} is not the number of a vertex`);
    add(value);
  }
}

function fanBuilder(triangles: number[]): (index: number) => void {
  let corners = 0;
  let first = 0;
  let last = 0;
  return (index) => {
    if (corners === 0) first = index;
    if (corners >= 2) triangles.push(first, last, index);
    last = index;
    corners++;
  };
}

/** A strip; -1 starts the next one. */
function stripBuilder(triangles: number[]): (index: number) => void {
  let corners = 0;
  let a = 0;
  let b = 0;
  return (index) => {
    if (index === -1) {
      corners = 0;
      return;
    }
    if (corners >= 2 && a !== b && b !== index && a !== index) {
      if (corners % 2 === 0) triangles.push(a, b, index);
      else triangles.push(b, a, index);
    }
    a = b;
    b = index;
    corners++;
  };
}

function binarySource(bytes: Uint8Array, start: number, little: boolean, file: string): Source {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  return {
    next(type) {
      const size = type.charCodeAt(1) - 48;
      if (at + size > bytes.length) throw new MeshError(file, `byte ${at}`, 'the file ends too early');
      const here = at;
      at += size;
      switch (type) {
        case 'i1':
          return view.getInt8(here);
        case 'u1':
          return view.getUint8(here);
        case 'i2':
          return view.getInt16(here, little);
        case 'u2':
          return view.getUint16(here, little);
        case 'i4':
          return view.getInt32(here, little);
        case 'u4':
          return view.getUint32(here, little);
        case 'f4':
          return view.getFloat32(here, little);
        default:
          return view.getFloat64(here, little);
      }
    },
    left: () => bytes.length - at,
    where: () => `byte ${at}`,
  };
}

function asciiSource(bytes: Uint8Array, header: Header, file: string): Source {
  const text = decodeText(bytes.subarray(header.end), file);
  const word = /\S+/g;
  let at = 0;
  const where = () => {
    let line = header.lines + 1;
    for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
    return `line ${line}`;
  };
  return {
    next() {
      word.lastIndex = at;
      const match = word.exec(text);
      if (!match) throw new MeshError(file, where(), 'the file ends too early');
      at = word.lastIndex;
      const value = Number(match[0]);
      if (Number.isNaN(value)) throw new MeshError(file, where(), `"${match[0].slice(0, 40)}" is not a finite number`);
      return value;
    },
    left: () => text.length - at,
    where,
  };
}
