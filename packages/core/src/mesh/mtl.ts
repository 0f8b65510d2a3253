/** Wavefront MTL: what the materials of an OBJ file look like. */

import type { Vec3 } from '../math/matrix3.js';
import { toLinear } from '../math/srgb.js';
import { pictureType } from './picture.js';
import type { MeshMaterial } from './types.js';

/** Options of a picture and how many words follow them; whatever else is there is its name. */
const OPTIONS: Readonly<Record<string, number>> = {
  '-blendu': 1,
  '-blendv': 1,
  '-bm': 1,
  '-boost': 1,
  '-cc': 1,
  '-clamp': 1,
  '-imfchan': 1,
  '-mm': 2,
  '-o': 3,
  '-s': 3,
  '-t': 3,
  '-texres': 1,
};

/** Names of the libraries that an OBJ file asks for. */
export function mtlFiles(obj: string): string[] {
  return [...obj.matchAll(/^[ \t]*mtllib[ \t]+(.+?)[ \t\r]*$/gm)].map(([, name]) => name!);
}

/** Names of the pictures that a library asks for. */
export function mtlPictures(mtl: string): string[] {
  return [...mtl.matchAll(/^[ \t]*map_Kd[ \t]+(.+?)[ \t\r]*$/gm)].flatMap(([, words]) => pictureOf(words!).name || []);
}

/**
 * Materials by name. What cannot be read is left out: a mesh is worth having without. Colours are those of the screen.
 * `resolve` gives the bytes of a picture, or throws.
 */
export function readMtl(mtl: string, resolve: (name: string) => Uint8Array): Map<string, MeshMaterial> {
  const materials = new Map<string, MeshMaterial>();
  let name: string | undefined;
  const set = (more: Partial<MeshMaterial>) => {
    if (name !== undefined) materials.set(name, { ...materials.get(name)!, ...more });
  };
  for (const line of mtl.split('\n')) {
    const [, keyword, rest = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? [];
    if (keyword === 'newmtl') {
      name = rest;
      materials.set(name, { name });
    } else if (keyword === 'Kd') {
      const color = rest.split(/\s+/).slice(0, 3).map(Number);
      if (color.length === 3 && color.every((c) => c >= 0 && c <= 1))
        set({ color: color.map(toLinear) as unknown as Vec3 });
    } else if (keyword === 'Ns') {
      // The exponent of a highlight about as wide as the roughness makes it.
      if (Number(rest) >= 0) set({ roughness: Math.min(1, (2 / (Number(rest) + 2)) ** 0.25) });
    } else if (keyword === 'Pr') {
      if (Number(rest) >= 0 && Number(rest) <= 1) set({ roughness: Number(rest) });
    } else if (keyword === 'map_Kd') {
      set(pictureIn(rest, resolve));
    }
  }
  return materials;
}

function pictureIn(words: string, resolve: (name: string) => Uint8Array): Partial<MeshMaterial> {
  const { name, clamps } = pictureOf(words);
  try {
    const bytes = resolve(name);
    const type = pictureType(bytes);
    const side = clamps ? 'clamp' : 'repeat';
    return type ? { texture: { type, bytes, wrap: [side, side] } } : {};
  } catch {
    return {};
  }
}

/** The name of a picture behind its options; names may have spaces in them. */
function pictureOf(words: string): { name: string; clamps: boolean } {
  const list = words.split(/\s+/);
  let clamps = false;
  let k = 0;
  while (k < list.length - 1) {
    const option = list[k]!;
    const most = OPTIONS[option];
    if (most === undefined) break;
    if (option === '-clamp') clamps = list[k + 1] === 'on';
    k++;
    // Three numbers may be fewer.
    for (let n = 0; n < most && k < list.length - 1 && (n === 0 || Number.isFinite(Number(list[k]))); n++) k++;
  }
  return { name: list.slice(k).join(' ').replaceAll('\\', '/'), clamps };
}
