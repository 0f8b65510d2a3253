import { assembleMesh, decodeText } from './assemble.js';
import { MeshError } from './error.js';
import { NO_VALUE, usableFinish } from './finish.js';
import { mtlFiles, readMtl } from './mtl.js';
import type { MeshMaterial, TriangleMesh } from './types.js';

const STATEMENTS = ['v', 'vt', 'vn', 'f'];

/** How faces are to look. */
interface Looks {
  readonly uvs: number[];
  readonly normals: number[];
  readonly materials: string[];
  /** Of every corner its position in the lists above, of every triangle its material. */
  readonly uvOf: number[];
  readonly normalOf: number[];
  readonly materialOf: number[];
  /** The material from here on. */
  material: number;
}

/**
 * Wavefront OBJ: vertices, texture coordinates, normals, faces and materials, with the colours and pictures of their
 * libraries where `resolve` finds these. Polygons become fans around their first corner; negative numbers count back from the last vertex so far.
 */
export function readObj(bytes: Uint8Array, file: string, resolve?: (uri: string) => Uint8Array): TriangleMesh {
  const whole = decodeText(bytes, file);
  const lines = whole.split('\n');
  const positions: number[] = [];
  const triangles: number[] = [];
  const looks: Looks = { uvs: [], normals: [], materials: [], uvOf: [], normalOf: [], materialOf: [], material: -1 };
  let largest = -1;
  let largestLine = 0;
  for (let n = 0; n < lines.length; n++) {
    let text = lines[n]!.trim();
    const line = n + 1;
    while (text.endsWith('\\') && n + 1 < lines.length) text = `${text.slice(0, -1)} ${lines[++n]!.trim()}`;
    const keyword = /^[a-z]+(?=\s)/.exec(text)?.[0] ?? '';
    if (keyword === 'usemtl') useMaterial(looks, text.slice(keyword.length).trim());
    if (!STATEMENTS.includes(keyword)) continue;
    const comment = text.indexOf('#');
    const words = (comment < 0 ? text : text.slice(0, comment)).trim().split(/\s+/);
    if (keyword === 'v') {
      if (words.length < 4) throw new MeshError(file, `line ${line}`, 'a vertex needs three coordinates');
      for (let c = 1; c <= 3; c++) {
        const value = Number(words[c]);
        if (!Number.isFinite(value)) {
          throw new MeshError(
            file,
            `line ${line}`,
            `coordinates must be finite numbers, got "${words[c]!.slice(0, 40)}"`,
          );
        }
        positions.push(value);
      }
      continue;
    }
    if (keyword === 'vt') {
      looks.uvs.push(Number(words[1]), Number(words[2] ?? 0));
      continue;
    }
    if (keyword === 'vn') {
      looks.normals.push(Number(words[1]), Number(words[2]), Number(words[3]));
      continue;
    }
    if (words.length < 4) throw new MeshError(file, `line ${line}`, 'a face needs at least three corners');
    const corners: number[] = [];
    for (let c = 1; c < words.length; c++) {
      const word = words[c]!;
      const slash = word.indexOf('/');
      const index = Number(slash < 0 ? word : word.slice(0, slash));
      const vertex = index > 0 ? index - 1 : positions.length / 3 + index;
      if (!Number.isInteger(index) || index === 0 || vertex < 0) {
        throw new MeshError(file, `line ${line}`, `"${word.slice(0, 40)}" is not the number of a vertex`);
      }
      if (vertex > largest) {
        largest = vertex;
        largestLine = line;
      }
      corners.push(vertex);
    }
    for (let c = 2; c < corners.length; c++) {
      triangles.push(corners[0]!, corners[c - 1]!, corners[c]!);
      addLooks(looks, words[1]!, words[c]!, words[c + 1]!);
    }
  }
  if (largest >= positions.length / 3) {
    throw new MeshError(
      file,
      `line ${largestLine}`,
      `vertex ${largest + 1} does not exist, there are ${positions.length / 3}`,
    );
  }
  return assembleMesh(positions, triangles, file, finishOf(looks, libraryOf(whole, file, resolve)));
}

function useMaterial(looks: Looks, name: string): void {
  const known = looks.materials.indexOf(name);
  looks.material = known < 0 ? looks.materials.push(name) - 1 : known;
}

/** The corners of a triangle as the file writes them: vertex/texture/normal. */
function addLooks(looks: Looks, ...corners: string[]): void {
  for (const corner of corners) {
    const [, uv, normal] = corner.split('/');
    looks.uvOf.push(indexOfWord(uv, looks.uvs.length / 2));
    looks.normalOf.push(indexOfWord(normal, looks.normals.length / 3));
  }
  looks.materialOf.push(looks.material);
}

function indexOfWord(word: string | undefined, count: number): number {
  const index = Number(word || 0);
  if (!Number.isInteger(index) || index === 0) return NO_VALUE;
  const resolved = index > 0 ? index - 1 : count + index;
  return resolved >= 0 && resolved < NO_VALUE ? resolved : NO_VALUE;
}

/** What the libraries that are there say of the materials; pictures are beside the library that names them. */
function libraryOf(obj: string, file: string, resolve: ((uri: string) => Uint8Array) | undefined) {
  const known = new Map<string, MeshMaterial>();
  for (const name of resolve ? mtlFiles(obj) : []) {
    let text: string;
    try {
      text = decodeText(resolve!(name), file);
    } catch {
      // Files without their library are common, and have their form all the same.
      continue;
    }
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    for (const [key, material] of readMtl(text, (picture) => resolve!(folder + picture))) known.set(key, material);
  }
  return known;
}

function finishOf(
  { uvs, normals, materials, uvOf, normalOf, materialOf }: Looks,
  library: ReadonlyMap<string, MeshMaterial>,
) {
  // Faces before the first name have a material of their own.
  const list = materialOf.includes(-1) && materials.length > 0 ? [...materials, ''] : materials;
  return usableFinish({
    uvs: { values: Float32Array.from(uvs), of: Uint32Array.from(uvOf) },
    normals: { values: Float32Array.from(normals), of: Uint32Array.from(normalOf) },
    materials: {
      list: list.map((name) => library.get(name) ?? { name }),
      of: Uint32Array.from(materialOf, (m) => (m < 0 ? list.length - 1 : m)),
    },
  });
}
