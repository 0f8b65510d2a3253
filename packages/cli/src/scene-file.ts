/** Scenes and the files they refer to. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { OptionError, type Problem, parseScene, type Scene, SceneError, type SceneSource } from 'phyxel';
import { CommandError, describeFileError, EXIT } from './errors.js';

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
        : (describeFileError(error as Error)?.replace('cannot write', 'cannot read') ??
          `cannot read ${path}: ${(error as Error).message}`);
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
    if (!(error instanceof OptionError) || error instanceof SceneError) throw error;
    const { source } = parseScene(readFileSync(file, 'utf8'), file);
    const problems = error.problems.map((problem) => ({ ...problem, file, ...source.locate(segments(problem.path)) }));
    throw new SceneError(problems);
  }
}

/** `bodies[1].position` as its parts. */
function segments(path: string): (string | number)[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
}

function findFileProblems(scene: Scene, source: SceneSource, folder: string, file: string): Problem[] {
  const problems: Problem[] = [];
  const check = (list: 'bodies' | 'obstacles') => {
    for (const [i, { shape }] of scene[list].entries()) {
      if (!('mesh' in shape) || shape.mesh.file === undefined) continue;
      const problem = fileProblem(folder, shape.mesh.file);
      if (problem === undefined) continue;
      const place = source.locate([list, i, 'shape', 'mesh', 'file']);
      problems.push({ file, ...place, path: `${list}[${i}].shape.mesh.file`, message: problem });
    }
  };
  check('bodies');
  check('obstacles');
  return problems;
}

function fileProblem(folder: string, path: string): string | undefined {
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
  return readFile(insidePath(folder, path));
}

export function digestFile(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
