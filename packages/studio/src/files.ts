/** Files that people drop or choose. */
import type { Files } from './document.js';

const SCENES = /\.(ya?ml|jsonc?)$/i;
const MESHES = /\.(glb|gltf|obj|ply|stl)$/i;
/** Larger files are not even read. */
const LARGEST = 256e6;

export interface Dropped {
  readonly scene?: { readonly text: string; readonly fileName: string };
  readonly meshes: readonly string[];
  readonly files: Files;
  /** What could not be used, and why. */
  readonly refused: readonly string[];
}

export async function readDropped(list: Iterable<File>): Promise<Dropped> {
  const files: Record<string, Uint8Array> = {};
  const refused: string[] = [];
  const meshes: string[] = [];
  let scene: Dropped['scene'];
  for (const file of list) {
    if (file.size > LARGEST) refused.push(`${file.name} has more than ${LARGEST / 1e6} MB`);
    else if (SCENES.test(file.name)) scene = { text: await file.text(), fileName: file.name };
    else {
      files[file.name] = new Uint8Array(await file.arrayBuffer());
      if (MESHES.test(file.name)) meshes.push(file.name);
      else if (!/\.bin$/i.test(file.name))
        refused.push(`${file.name} is no scene (.yaml, .json) and no mesh (.glb, .gltf, .obj, .ply, .stl)`);
    }
  }
  return { ...(scene && { scene }), meshes, files, refused };
}

export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
