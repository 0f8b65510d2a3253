/** Files that people drop or choose. */
import type { RunRequest } from 'phyxel/browser';
import type { Files } from './document.js';

const SCENES = /\.(ya?ml|jsonc?)$/i;
const FRAME = /^frame-(\d{6,})\.phx$/;
/** Of a run folder, but not shown. */
const BESIDE = /^(checkpoint|probes\.csv|log\.jsonl|run\.lock.*|surface-\d+\.phs)$/;
/** Copies of what a run was made of, by their digests. */
const COPY = /^[0-9a-f]{64}$/;
const MESHES = /\.(glb|gltf|obj|ply|stl)$/i;
/** Larger files are not even read. */
const LARGEST = 256e6;

export interface Dropped {
  readonly scene?: { readonly text: string; readonly fileName: string };
  /** Frames of a run folder, whose scene is `scene`. */
  readonly run?: RunRequest;
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
  let document: string | undefined;
  const all = [...list];
  const frames = all.filter(({ name }) => FRAME.test(name)).sort((a, b) => frameNumber(a) - frameNumber(b));
  for (const file of all) {
    if (FRAME.test(file.name) || (frames.length > 0 && BESIDE.test(file.name))) continue;
    if (frames.length > 0 && file.name === 'run.json') document = await file.text();
    else if (file.size > LARGEST) refused.push(`${file.name} has more than ${LARGEST / 1e6} MB`);
    else if (SCENES.test(file.name)) scene = { text: await file.text(), fileName: file.name };
    else {
      files[file.name] = new Uint8Array(await file.arrayBuffer());
      if (MESHES.test(file.name)) meshes.push(file.name);
      else if (!(frames.length > 0 && COPY.test(file.name)) && !/\.bin$/i.test(file.name))
        refused.push(`${file.name} is no scene (.yaml, .json) and no mesh (.glb, .gltf, .obj, .ply, .stl)`);
    }
  }
  for (const [path, digest] of Object.entries(inputsOf(document))) {
    const copy = files[digest];
    if (copy) files[path] ??= copy;
  }
  if (frames.length > 0 && !scene) refused.push('the frames of a run need its scene.json: drop its whole folder');
  const run = { frames: frames.map((file) => ({ name: file.name, content: file })), document };
  return { ...(scene && { scene }), ...(frames.length > 0 && { run }), meshes, files, refused };
}

/** Digests of a run's files by their paths; none of a document that makes no sense. */
function inputsOf(document = '{}'): Record<string, string> {
  try {
    return (JSON.parse(document) as { inputs?: Record<string, string> }).inputs ?? {};
  } catch {
    return {};
  }
}

function frameNumber({ name }: File): number {
  return Number(FRAME.exec(name)?.[1]);
}

/** What was dropped, with everything that is in folders. */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  // Entries are gone after the first wait.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return [...data.files];
  return (await Promise.all(entries.map(filesUnder))).flat();
}

async function filesUnder(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A reader gives a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map(filesUnder))).flat());
  }
}

export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
