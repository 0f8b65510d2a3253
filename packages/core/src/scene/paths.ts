/** Where in a scene the problems are that only show when a world is made of it. */
import { OptionError } from '../options/errors.js';
import type { Scene } from '../options/types.js';
import { ITEMS } from '../world/items/index.js';

/** Lists and objects of a scene: paths that begin with one of them count from the scene. */
const PARTS = new RegExp(`^(${[...Object.keys(ITEMS), 'materials', 'solver', 'static'].join('|')})\\b`);

/**
 * The error with paths that count from the scene. The world calls its parts by their names, as in `pool.material`; what
 * it says of something that is being added counts from that, `item`.
 */
export function withScenePaths(error: unknown, scene: Scene, item: string | undefined): unknown {
  if (!(error instanceof OptionError)) return error;
  const problems = error.problems.map((problem) => ({ ...problem, path: scenePath(problem.path, scene, item) }));
  return problems.every(({ path }, k) => path === error.problems[k]!.path)
    ? error
    : new OptionError(problems, { cause: error });
}

function scenePath(path: string, scene: Scene, item: string | undefined): string {
  if (PARTS.test(path)) return path;
  for (const list of ['bodies', 'emitters', 'obstacles'] as const) {
    for (const [k, { name }] of scene[list].entries()) {
      if (path === `obstacle "${name}"` && list === 'obstacles') return `obstacles[${k}]`;
      if (path === name || path.startsWith(`${name}.`)) return `${list}[${k}]${path.slice(name.length)}`;
    }
  }
  return item === undefined ? path : path === '' ? item : `${item}.${path}`;
}
