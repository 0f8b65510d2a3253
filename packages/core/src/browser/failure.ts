import { OptionError, SceneError } from '../options/errors.js';
import type { SceneSource } from '../scene/index.js';
import type { Failure } from './protocol.js';

/** An error as plain values, with the positions in the scene's text where they are known. */
export function describeError(error: unknown, source?: SceneSource): Failure {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  if (error instanceof SceneError) {
    return {
      name,
      message,
      problems: error.problems.map(({ path, message: text, line, column }) => ({ path, message: text, line, column })),
    };
  }
  if (error instanceof OptionError) {
    const problems = error.problems.map((problem) => ({
      path: problem.path,
      message: problem.message,
      ...(source && problem.path !== '' ? source.locate(segments(problem.path)) : {}),
    }));
    return { name, message, problems };
  }
  return { name, message, problems: [] };
}

/** `bodies[1].position` as its parts. */
function segments(path: string): (string | number)[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
}
