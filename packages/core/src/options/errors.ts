import { quote } from '../describe.js';

export { describeValue, editDistance, suggest } from '../describe.js';

/** One thing that is wrong with an input, and where. */
export interface Problem {
  /** Path of the value, like `bodies[2].material.youngsModulus`; empty for the whole input. */
  readonly path: string;
  /** What is wrong, without the path: `must be > 0 Pa, got -1`. */
  readonly message: string;
  /** File, line and column (from 1) when the input came from a text. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export type PathSegment = string | number;
export type Path = readonly PathSegment[];

/** More problems than this are counted, not listed. */
const LISTED_PROBLEMS = 50;

/** Options that break a rule. The message has one line for each problem. */
export class OptionError extends Error {
  override name = 'OptionError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const lines = problems.slice(0, LISTED_PROBLEMS).map(formatProblem);
    if (problems.length > LISTED_PROBLEMS) lines.push(`... and ${problems.length - LISTED_PROBLEMS} more problems`);
    super(lines.join('\n'), options);
    this.problems = problems;
  }
}

/** A scene that cannot be read. Problems of a scene file have `file`, `line` and `column`. */
export class SceneError extends OptionError {
  override name = 'SceneError';
}

/** `file:line:column: path message`, leaving out what is not known. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message } = problem;
  const where = file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}:${column}: `;
  return `${where}${path === '' ? '' : `${path} `}${message}`;
}

/** `bodies[2].material.youngsModulus`; names that are no plain words are quoted: `materials["soft jelly"]`. */
export function formatPath(path: Path, root = ''): string {
  let text = root;
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!/^[A-Za-z_$][\w$]*$/.test(segment)) text += `[${quote(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}
