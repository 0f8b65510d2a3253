/** Scenes and the files they refer to. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  MeshError,
  meshFilesOf,
  OptionError,
  type Problem,
  parseScene,
  readMeshFile,
  readMeshSource,
  type Scene,
  SceneError,
  type SceneSource,
  type TriangleMesh,
} from 'phyxel';
import { CommandError, EXIT, fileProblem } from './errors.js';

const LARGEST_SCENE = 10_000_000;

export interface OpenScene {
  readonly scene: Scene;
  /** Where mesh files are looked for. */
  readonly folder: string;
}

/** Reads a scene and makes sure that the files it names are there. */
export function openScene(path: string): OpenScene {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > LARGEST_SCENE) {
      throw new CommandError(`${path}: a scene file must be at most 10 MB, this one has ${size} bytes`, EXIT.badInput);
    }
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const message =
      error instanceof TypeError
        ? `${path}: is not a text in UTF-8`
        : // Not all errors of the system have the path: those of reading a folder do not.
          `cannot read ${path}: ${fileProblem(error) ?? (error as Error).message}`;
    throw new CommandError(message, EXIT.badInput, { cause: error });
  }
  const { scene, source } = parseScene(text, path);
  const folder = dirname(resolve(path));
  const problems = findFileProblems(scene, source, folder, path);
  if (problems.length > 0) throw new SceneError(problems);
  return { scene, folder };
}

/**
 * Loads a scene, and says where in its file the problems are that only show when everything is in place:
 * shapes too thin for their spacing, bodies that overlap, regions without particles.
 */
export async function withLocations<T>(file: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof SceneError || !(error instanceof OptionError || error instanceof MeshError)) throw error;
    const { scene, source } = parseScene(readFileSync(file, 'utf8'), file);
    const problems = error instanceof MeshError ? meshProblems(scene, error) : error.problems;
    if (problems.length === 0) throw error;
    throw new SceneError(
      problems.map((problem) => ({ ...problem, file, ...source.locate(segments(problem.path)) })),
      { cause: error },
    );
  }
}

/** Where a scene names the mesh that cannot be used; the library calls some meshes just "mesh". */
function meshProblems(scene: Scene, error: MeshError): Problem[] {
  const all = meshFilesOf(scene);
  const named = all.find(({ file }) => file === error.file) ?? (all.length === 1 ? all[0] : undefined);
  return named ? [{ path: named.path, message: `names a mesh that cannot be used: ${error.message}` }] : [];
}

/** `bodies[1].position` as its parts. */
function segments(path: string): (string | number)[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
}

function findFileProblems(scene: Scene, source: SceneSource, folder: string, file: string): Problem[] {
  return meshFilesOf(scene).flatMap(({ path, file: mesh }) => {
    const message = meshFileProblem(folder, mesh);
    return message === undefined ? [] : [{ file, ...source.locate(segments(path)), path, message }];
  });
}

function meshFileProblem(folder: string, path: string): string | undefined {
  try {
    const real = insidePath(folder, path);
    return statSync(real).isFile() ? undefined : `is not a file: ${path}`;
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `names a file that is not there: ${path}` : `cannot be read: ${path} (${code})`;
  }
}

/** The real path of a file in the scene's folder; links that lead out of it are refused. */
function insidePath(folder: string, path: string): string {
  const real = realpathSync(join(folder, path));
  const fromFolder = relative(realpathSync(folder), real);
  if (fromFolder === '..' || fromFolder.startsWith(`..${sep}`) || resolve(fromFolder) === fromFolder) {
    throw new CommandError(`must stay inside the scene's folder, ${path} leads out of it`, EXIT.badInput);
  }
  return real;
}

/** Reads a file of the scene's folder. */
export async function readInside(folder: string, path: string): Promise<Uint8Array> {
  try {
    const real = insidePath(folder, path);
    // Reading a device or a pipe might never end.
    if (!statSync(real).isFile()) throw new CommandError(`${path} is not a file`, EXIT.badInput);
    return await readFile(real);
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined
      ? error
      : new CommandError(`cannot read ${path}: ${problem}`, EXIT.badInput, { cause: error });
  }
}

/** Reads a mesh of the scene's folder, and the files beside it that it refers to. */
export async function readMeshInside(folder: string, path: string): Promise<TriangleMesh> {
  return readMeshFile(path, (file) => readInside(folder, file));
}

/** The mesh files of a scene, and the files beside them that they refer to, as far as they are there. */
export async function filesOfScene(scene: Scene, folder: string): Promise<string[]> {
  const files = new Set<string>();
  for (const { file: mesh } of meshFilesOf(scene)) {
    await readMeshSource(mesh, async (file) => {
      const bytes = await readInside(folder, file);
      files.add(file);
      return bytes;
    });
  }
  return [...files];
}

export function digestFile(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
