/** What an export format is, and what several of them need. */
import type { GltfEncoder } from './compact-buffer.js';
import { type ExportFrame, type ExportMesh, type ExportView, joinPieces, type MaterialList } from './geometry.js';

/** Takes frames and turns them into files. */
interface Exporter {
  add(frame: ExportFrame): void;
  finish?(): void;
}

/** What exporters are made with. */
interface Making {
  /** Of the run, and its frames for each second. */
  readonly name: string;
  readonly frameRate: number;
  /** Smallest of its particles [m]. */
  readonly spacing: number;
  /** Writes a file into the folder of the export. */
  readonly write: Write;
  /** Compresses glTF, when that is asked for. */
  readonly encoder?: GltfEncoder | undefined;
  /** Camera and lights, unless they are left out. */
  readonly view?: ExportView | undefined;
}

type Write = (name: string, data: Uint8Array | string) => void;

/** A format: makes what takes the frames of one export. Its key in `FORMATS` is its name after `--format`. */
export type Format = (making: Making) => Exporter;

/** Names of bodies as parts of file names, no two alike. */
class FileNames {
  readonly #names = new Map<string, string>();

  /** Things of different kinds may be called the same. */
  of(body: string, kind = 'body'): string {
    const key = `${kind} ${body}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const plain = body.replace(/[^\p{L}\p{N}_-]/gu, '_');
    const taken = new Set(['particles', 'meshes', ...this.#names.values()]);
    let name = plain;
    for (let k = 2; taken.has(name); k++) name = `${plain}_${k}`;
    this.#names.set(key, name);
    return name;
  }
}

/** File of a frame: `particles-000012.ply`. */
export const numbered = (name: string, frame: number, ending: string) =>
  `${name}-${String(frame).padStart(6, '0')}.${ending}`;

/** Pictures as files beside the others. */
export function writeTextures(materials: MaterialList, write: Write): void {
  for (const texture of materials.textures) write(materials.textureFile(texture), texture.bytes);
}

/** Files of the meshes of frames, one each; what stands still has one for all. Answers the names of a frame's. */
export function meshWriter(write: Write, ending: string, encode: (mesh: ExportMesh) => Uint8Array | string) {
  const names = new FileNames();
  const still = new Map<string, string>();
  return ({ frame, meshes, obstacles = [] }: ExportFrame): string[] => {
    const moving = (name: string, mesh: ExportMesh) => {
      const file = numbered(name, frame, ending);
      write(file, encode(mesh));
      return file;
    };
    return [
      ...joinPieces(meshes).map((mesh) => moving(names.of(mesh.name), mesh)),
      ...obstacles.map((mesh) => {
        // They may have the names of bodies.
        const name = names.of(mesh.name, 'obstacle');
        if (!mesh.motion?.isStill) return moving(name, mesh);
        if (!still.has(name)) {
          still.set(name, `${name}.${ending}`);
          write(still.get(name)!, encode(mesh));
        }
        return still.get(name)!;
      }),
    ];
  };
}
