/** A run folder as the renderer sees it: its scene, its finished frames and the meshes the scene names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isPrepared, meshFilesOf, type Prepared, parseScene, readMeshes, type Scene, type SurfaceMesh } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { RunFolder } from '../run/folder.js';
import { decodeFrame, type Frame, type FrameArray, FrameFileError } from '../run/frame-file.js';
import type { Fineness } from '../run/liquid-surface.js';
import { decodeSurfaces, prepareSurfaceFiles, SurfaceFileError } from '../run/surface-file.js';
import { digestFile, readInside } from '../scene-file.js';

export interface RunSource {
  readonly path: string;
  readonly scene: Prepared;
  /** Finished frames, ascending. */
  readonly frames: readonly number[];
  /** Distance of neighbouring particles of every body [m]. */
  readonly spacings: ReadonlyMap<string, number>;
  /** Numbers of particles at which parts of bodies end that air separates, where there are several. */
  readonly parts: ReadonlyMap<string, readonly number[]>;
  readFrame(frame: number): Frame;
  /** Surfaces of the liquids of a frame by name, if the run has kept them, and as fine as is asked for. */
  readSurfaces(frame: Frame, fineness: Fineness): ReadonlyMap<string, SurfaceMesh> | undefined;
}

/** What run.json says of use here. */
export interface RunDocument {
  /** Digests of the files that the run was made of, by their paths in the scene. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Distance of neighbouring particles of bodies and sources [m]. */
  readonly spacings: ReadonlyMap<string, number>;
  /** Numbers of particles at which parts of bodies end that air separates, where there are several. */
  readonly parts: ReadonlyMap<string, readonly number[]>;
}

function bad(message: string): never {
  throw new CommandError(message, EXIT.badInput);
}

/** Opens a run, also one that is still running or was interrupted. `meshes` is where its mesh files are. */
export async function openRun(path: string, meshes: string | undefined): Promise<RunSource> {
  if (!existsSync(path)) bad(`${path}: there is no such run folder`);
  if (!statSync(path).isDirectory()) bad(`${path}: is a file, not the run folder that "phyxel run" writes`);
  const folder = new RunFolder(path);
  const sceneText = folder.isRun() ? folder.sceneText() : undefined;
  if (sceneText === undefined) bad(`${path}: is no run folder; "phyxel run" makes one from a scene`);
  await prepareSurfaceFiles();
  const { scene } = parseScene(sceneText, folder.file('scene.json'));
  const document = readDocument(folder);
  const frames = finishedFrames(folder);
  if (frames[0] !== 0) bad(`${path}: has no finished frame yet`);
  const spacings = new Map([
    ...scene.bodies.map(({ name, spacing }) => [name, spacing] as const),
    ...scene.emitters.map(({ name, spacing }) => [name, spacing] as const),
    ...document.spacings,
  ]) as Map<string, number>;
  return {
    path,
    scene: await withMeshes(scene, folder, document, meshes),
    frames,
    spacings,
    parts: document.parts,
    readFrame: (frame) => readFrame(folder, frame),
    readSurfaces: (frame, fineness) => readSurfaces(folder, frame, fineness),
  };
}

export function frameArray(frame: Frame, name: string): FrameArray | undefined {
  return frame.arrays.find((array) => array.name === name);
}

/** A run that was cut off may have no run.json, and a stranger's may say anything: what makes no sense is left out. */
export function readDocument(folder: RunFolder): RunDocument {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(folder.file('run.json'), 'utf8'));
  } catch {
    document = undefined;
  }
  const { inputs, bodies } = (document ?? {}) as { inputs?: unknown; bodies?: unknown };
  const records = (Array.isArray(bodies) ? (bodies as unknown[]) : []).map(
    (body) => (body ?? {}) as { name?: unknown; spacing?: unknown; particles?: unknown; parts?: unknown },
  );
  return {
    inputs: new Map(
      Object.entries(typeof inputs === 'object' ? (inputs ?? {}) : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && /^[0-9a-f]{64}$/.test(entry[1]),
      ),
    ),
    spacings: new Map(
      records.flatMap(({ name, spacing }) => {
        const isUsable = typeof name === 'string' && typeof spacing === 'number' && spacing > 0;
        return isUsable ? [[name, spacing] as const] : [];
      }),
    ),
    parts: new Map(
      records.flatMap(({ name, particles, parts }) =>
        typeof name === 'string' && isRising(parts) && parts.at(-1) === particles ? [[name, parts] as const] : [],
      ),
    ),
  };
}

function isRising(ends: unknown): ends is readonly number[] {
  return Array.isArray(ends) && ends.every((end, k) => Number.isInteger(end) && end > (k === 0 ? 0 : ends[k - 1]));
}

export function finishedFrames(folder: RunFolder): number[] {
  const names = existsSync(folder.file('frames')) ? readdirSync(folder.file('frames')) : [];
  return names
    .flatMap((name) => /^frame-(\d{6,})\.phx$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

function readFrame(folder: RunFolder, frame: number): Frame {
  const path = folder.frameFile(frame);
  try {
    return decodeFrame(readFileSync(path), path);
  } catch (error) {
    if (error instanceof FrameFileError) bad(`${error.message}; "phyxel run --resume" checks the run and goes on`);
    throw error;
  }
}

/** Surfaces of another state, of other cells, or damaged ones are as good as none: they can be made anew. */
function readSurfaces(
  folder: RunFolder,
  { frame, stateHash }: Frame,
  wanted: Fineness,
): ReadonlyMap<string, SurfaceMesh> | undefined {
  const path = folder.surfaceFile(frame);
  if (!existsSync(path)) return undefined;
  try {
    const kept = decodeSurfaces(readFileSync(path), path);
    const isAsWanted =
      (wanted.cell ?? kept.cell) === kept.cell && (wanted.tolerance ?? kept.tolerance) === kept.tolerance;
    if (kept.stateHash !== stateHash || !isAsWanted) return undefined;
    return new Map(kept.meshes.map(({ name, spacing: _, ...mesh }) => [name, mesh]));
  } catch (error) {
    if (error instanceof SurfaceFileError) return undefined;
    throw error;
  }
}

/** The scene with its meshes read, from the copies in the run folder or from where the user says. */
async function withMeshes(
  scene: Scene,
  folder: RunFolder,
  document: RunDocument,
  meshes: string | undefined,
): Promise<Prepared> {
  if (isPrepared(scene) && meshFilesOf(scene).length === 0) return scene;
  const readFile = meshes === undefined ? copyReader(folder, document) : sceneReader(meshes, document);
  return readMeshes(scene, { readFile });
}

/**
 * Reads copies that the run has kept. A run folder may come from a stranger: what it says of files elsewhere, such as
 * `sceneFile`, is not followed.
 */
function copyReader(folder: RunFolder, { inputs }: RunDocument): (path: string) => Promise<Uint8Array> {
  return async (path) => {
    const digest = inputs.get(path);
    const copy = digest === undefined ? undefined : folder.inputFile(digest);
    if (digest === undefined || copy === undefined || !existsSync(copy)) {
      bad(`${folder.path}: has no copy of ${path}; say with --meshes in which folder its scene was`);
    }
    const bytes = await readInside(folder.path, relative(folder.path, copy));
    if (digestFile(bytes) !== digest) bad(`${copy}: is damaged; say with --meshes in which folder the scene was`);
    return bytes;
  };
}

/** Reads files in the scene's folder, as long as they are those of the run. */
function sceneReader(root: string, { inputs }: RunDocument): (path: string) => Promise<Uint8Array> {
  return async (path) => {
    if (!existsSync(join(root, path))) {
      bad(`${join(root, path)}: the run's mesh is not there; say with --meshes in which folder its scene was`);
    }
    const bytes = await readInside(root, path);
    const digest = inputs.get(path);
    if (digest !== undefined && digestFile(bytes) !== digest) {
      bad(`${join(root, path)}: has changed since the run; run it again, or name the old one's folder with --meshes`);
    }
    return bytes;
  };
}
