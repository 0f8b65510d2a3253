/** A run folder as the renderer sees it: its scene, its finished frames and the meshes the scene names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ObstacleShape, parseScene, type Scene, type Shape, type SurfaceMesh, type TriangleMesh } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { RunFolder } from '../run/folder.js';
import { decodeFrame, type Frame, type FrameArray, FrameFileError } from '../run/frame-file.js';
import type { Fineness } from '../run/liquid-surface.js';
import { decodeSurfaces, prepareSurfaceFiles, SurfaceFileError } from '../run/surface-file.js';
import { digestFile, meshFiles, readInside, readMeshInside } from '../scene-file.js';

export interface RunSource {
  readonly path: string;
  readonly scene: Scene;
  /** Finished frames, ascending. */
  readonly frames: readonly number[];
  /** Distance of neighbouring particles of every body [m]. */
  readonly spacings: ReadonlyMap<string, number>;
  readFrame(frame: number): Frame;
  /** Surfaces of the liquids of a frame by name, if the run has kept them, and as fine as is asked for. */
  readSurfaces(frame: Frame, fineness: Fineness): ReadonlyMap<string, SurfaceMesh> | undefined;
}

/** What run.json says of use here. */
interface RunDocument {
  readonly sceneFile?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly bodies?: readonly { readonly name: string; readonly spacing: number }[];
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
    ...(document.bodies ?? []).map(({ name, spacing }) => [name, spacing] as const),
  ]) as Map<string, number>;
  return {
    path,
    scene: await withMeshes(scene, folder, document, meshes),
    frames,
    spacings,
    readFrame: (frame) => readFrame(folder, frame),
    readSurfaces: (frame, fineness) => readSurfaces(folder, frame, fineness),
  };
}

export function frameArray(frame: Frame, name: string): FrameArray | undefined {
  return frame.arrays.find((array) => array.name === name);
}

export function readDocument(folder: RunFolder): RunDocument {
  try {
    return JSON.parse(readFileSync(folder.file('run.json'), 'utf8')) as RunDocument;
  } catch {
    // A run that was cut off may have none; what it says can be done without.
    return {};
  }
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

/** The scene with its meshes read, from where the scene was or from where the user says. */
async function withMeshes(
  scene: Scene,
  folder: RunFolder,
  document: RunDocument,
  meshes: string | undefined,
): Promise<Scene> {
  if (meshFiles(scene).length === 0) return scene;
  const root = meshes ?? sceneFolder(folder, document);
  const cache = new Map<string, Promise<TriangleMesh>>();
  const load = async (file: string): Promise<TriangleMesh> => {
    if (!existsSync(join(root, file))) {
      bad(`${join(root, file)}: the run's mesh is not there; say with --meshes in which folder its scene was`);
    }
    const digest = document.inputs?.[file];
    if (digest !== undefined && digestFile(await readInside(root, file)) !== digest) {
      bad(`${join(root, file)}: has changed since the run; run it again, or name the old one's folder with --meshes`);
    }
    return readMeshInside(root, file);
  };
  const withData = async <T extends Shape | ObstacleShape>(shape: T): Promise<T> => {
    if (!('mesh' in shape) || shape.mesh.file === undefined) return shape;
    const { file, size } = shape.mesh;
    if (!cache.has(file)) cache.set(file, load(file));
    return { mesh: { size, data: await cache.get(file)! } } as unknown as T;
  };
  const bodies = await Promise.all(scene.bodies.map(async (b) => ({ ...b, shape: await withData(b.shape) })));
  const obstacles = await Promise.all(scene.obstacles.map(async (o) => ({ ...o, shape: await withData(o.shape) })));
  return { ...scene, bodies, obstacles };
}

function sceneFolder(folder: RunFolder, { sceneFile }: RunDocument): string {
  if (sceneFile === undefined) {
    bad(`${folder.path}: does not say where its scene's meshes are; name the scene's folder with --meshes`);
  }
  return dirname(resolve(folder.path, sceneFile));
}
