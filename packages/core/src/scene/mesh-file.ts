import { gltfFiles } from '../mesh/gltf.js';
import { type Resolve, readMesh } from '../mesh/read.js';
import { meshPathProblem } from '../options/mesh-path.js';
import type { TriangleMesh } from '../options/types.js';
import { readObjLibraries } from './obj-libraries.js';

type Read = (path: string) => Promise<Uint8Array>;

/** Reads a mesh file and the files that it refers to, see `readMeshSource`. */
export async function readMeshFile(file: string, read: Read): Promise<TriangleMesh> {
  const { bytes, resolve } = await readMeshSource(file, read);
  return readMesh(bytes, file, resolve);
}

/**
 * The bytes that a mesh is made of: the file's own, and those of the files that it refers to, which are buffers and
 * pictures of glTF, materials of OBJ and their pictures. `read` is asked for paths inside the scene's folder only,
 * without "." and "..", whatever the mesh file says; files that cannot be read are told by `readMesh`, if the shape
 * depends on them.
 */
export async function readMeshSource(file: string, read: Read): Promise<{ bytes: Uint8Array; resolve: Resolve }> {
  const bytes = await read(file);
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const readBeside = async (name: string) => read(pathInside(folder, name));
  if (/\.obj$/i.test(file)) return { bytes, resolve: await readObjLibraries(bytes, readBeside) };
  const found = new Map<string, Uint8Array>();
  const failures = new Map<string, unknown>();
  for (const name of gltfFiles(bytes, file)) {
    try {
      found.set(name, await readBeside(name));
    } catch (error) {
      failures.set(name, error);
    }
  }
  const resolve = (name: string) => {
    const content = found.get(name);
    if (!content) throw failures.get(name) ?? new RangeError('it was not read');
    return content;
  };
  return { bytes, resolve };
}

/** A path beside a mesh file as one that counts from the scene's folder. */
function pathInside(folder: string, name: string): string {
  const problem = meshPathProblem(name, folder);
  if (problem !== undefined) throw new RangeError(problem);
  const parts: string[] = [];
  for (const part of (folder + name).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
