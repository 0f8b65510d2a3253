import { MeshError } from './error.js';
import { readGlb, readGltf } from './gltf.js';
import { readObj } from './obj.js';
import { readPly } from './ply.js';
import { readStl } from './stl.js';
import type { TriangleMesh } from './types.js';

/** Gives the bytes of a file that a mesh file refers to: buffers of glTF, materials of OBJ. */
export type Resolve = (uri: string) => Uint8Array;

/**
 * Reads GLB, glTF, OBJ, PLY or STL: by content where the format has a signature, else by the name's
 * ending. Every malformed file ends in a MeshError.
 */
export function readMesh(bytes: Uint8Array, fileName: string, resolve?: Resolve): TriangleMesh {
  try {
    return readByFormat(bytes, fileName, resolve);
  } catch (error) {
    // Few bytes can ask for many triangles, such as nodes that repeat a mesh.
    if (error instanceof RangeError) throw new MeshError(fileName, '', 'needs more memory than there is');
    throw error;
  }
}

function readByFormat(bytes: Uint8Array, fileName: string, resolve?: Resolve): TriangleMesh {
  if (bytes.length === 0) throw new MeshError(fileName, '', 'the file is empty');
  if (startsWith(bytes, 'glTF')) return readGlb(bytes, fileName, resolve);
  if (startsWith(bytes, 'ply\n') || startsWith(bytes, 'ply\r')) return readPly(bytes, fileName);
  const ending = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  switch (ending) {
    case 'glb':
      throw new MeshError(fileName, 'byte 0', 'a GLB file must start with "glTF"');
    case 'gltf':
      return readGltf(bytes, fileName, resolve);
    case 'obj':
      return readObj(bytes, fileName, resolve);
    case 'ply':
      return readPly(bytes, fileName);
    case 'stl':
      return readStl(bytes, fileName);
    default:
      if (startsWith(bytes, 'solid')) return readStl(bytes, fileName);
      throw new MeshError(fileName, '', 'is no mesh format we know: use .glb, .gltf, .obj, .ply or .stl');
  }
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  for (let i = 0; i < signature.length; i++) if (bytes[i] !== signature.charCodeAt(i)) return false;
  return true;
}
