import { assembleMesh, decodeText } from './assemble.js';
import { MeshError } from './error.js';
import type { TriangleMesh } from './types.js';
import { weldVertices } from './weld.js';

const HEADER_BYTES = 84;
const FACET_BYTES = 50;

/** STL, ASCII or binary. Corners with equal coordinates become one vertex. */
export function readStl(bytes: Uint8Array, file: string): TriangleMesh {
  const mesh = isBinary(bytes) ? readBinary(bytes, file) : readAscii(bytes, file);
  return weldVertices(mesh, 0);
}

/** The facet count decides, because many binary files also start with "solid". */
function isBinary(bytes: Uint8Array): boolean {
  if (bytes.length >= HEADER_BYTES) {
    const count = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(80, true);
    if (bytes.length === HEADER_BYTES + FACET_BYTES * count) return true;
  }
  const start = String.fromCharCode(...bytes.subarray(0, 256)).trimStart();
  if (!start.toLowerCase().startsWith('solid')) return true;
  // A text file has no zero bytes.
  return bytes.subarray(0, Math.min(bytes.length, 1024)).includes(0);
}

function readBinary(bytes: Uint8Array, file: string): TriangleMesh {
  if (bytes.length < HEADER_BYTES) throw new MeshError(file, 'byte 0', 'a binary STL needs 84 bytes of header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(80, true);
  if (bytes.length < HEADER_BYTES + FACET_BYTES * count) {
    throw new MeshError(
      file,
      'byte 80',
      `announces ${count} facets but the file ends after ${Math.floor((bytes.length - HEADER_BYTES) / FACET_BYTES)}`,
    );
  }
  const positions = new Float64Array(9 * count);
  const triangles = new Uint32Array(3 * count);
  for (let f = 0; f < count; f++) {
    const at = HEADER_BYTES + FACET_BYTES * f + 12; // after the normal, which we do not trust
    for (let c = 0; c < 9; c++) {
      const value = view.getFloat32(at + 4 * c, true);
      if (!Number.isFinite(value)) throw new MeshError(file, `byte ${at + 4 * c}`, 'coordinates must be finite');
      positions[9 * f + c] = value;
    }
    for (let c = 0; c < 3; c++) triangles[3 * f + c] = 3 * f + c;
  }
  return assembleMesh(positions, triangles, file);
}

function readAscii(bytes: Uint8Array, file: string): TriangleMesh {
  const lines = decodeText(bytes, file).split('\n');
  const positions: number[] = [];
  let corners = 0;
  let open = false;
  for (let n = 0; n < lines.length; n++) {
    const words = lines[n]!.trim().split(/\s+/);
    const where = `line ${n + 1}`;
    switch (words[0]!.toLowerCase()) {
      case 'outer':
        if (open) throw new MeshError(file, where, 'a loop starts before the last one ended');
        open = true;
        corners = 0;
        break;
      case 'vertex':
        if (!open) throw new MeshError(file, where, 'a vertex stands outside of a loop');
        if (++corners > 3) throw new MeshError(file, where, 'a facet must have three vertices');
        for (let c = 1; c <= 3; c++) {
          const value = Number(words[c]);
          if (!Number.isFinite(value)) throw new MeshError(file, where, 'a vertex needs three finite coordinates');
          positions.push(value);
        }
        break;
      case 'endloop':
        if (!open || corners !== 3) throw new MeshError(file, where, 'a facet must have three vertices');
        open = false;
        break;
      default:
        break;
    }
  }
  if (open) throw new MeshError(file, `line ${lines.length}`, 'the file ends inside a facet');
  const triangles = new Uint32Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) triangles[i] = i;
  return assembleMesh(positions, triangles, file);
}
