/** Errors that end the command, and what it then says. */

export const EXIT = {
  ok: 0,
  failed: 1,
  badInput: 2,
  simulation: 3,
  hangUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** What a command that a signal has stopped ends with, as shells have it. */
export const SIGNAL_EXIT = { SIGHUP: EXIT.hangUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** Ends the command with a message of one line for each problem. */
export class CommandError extends Error {
  override name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An error that can be sent to another thread. */
export interface Failure {
  readonly message: string;
  readonly exitCode: number;
  readonly stack: string;
}

const BAD_INPUT = new Set([
  'SceneError',
  'OptionError',
  'MeshError',
  'SamplingError',
  'CheckpointError',
  'SaveError',
  'MemoryError',
  'SurfaceError',
  'FrameFileError',
]);

/** Any error as one clear message and an exit code. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: `unexpected error: ${error}`, exitCode: EXIT.failed, stack: '' };
  const stack = stackWithCauses(error);
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode, stack };
  if (BAD_INPUT.has(error.name)) return { message: error.message, exitCode: EXIT.badInput, stack };
  // A scene may break down before its first step, too.
  if (error.name === 'SimulationError') return { message: error.message, exitCode: EXIT.simulation, stack };
  const fileProblem = describeFileError(error);
  if (fileProblem !== undefined) return { message: fileProblem, exitCode: EXIT.failed, stack };
  return { message: `unexpected error: ${error.message} (--verbose shows where)`, exitCode: EXIT.failed, stack };
}

const FILE_PROBLEMS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something of that name is there already',
  ENOENT: 'no such file or folder',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
};

/** Calls to the system that change nothing. */
const READING = new Set(['read', 'stat', 'lstat', 'fstat', 'realpath', 'readlink', 'scandir', 'access']);

/** What a file error says without its path, or nothing when it is none. */
export function fileProblem(error: unknown): string | undefined {
  return FILE_PROBLEMS[(error as NodeJS.ErrnoException)?.code ?? ''];
}

/** `cannot write runs/a/checkpoint: the disk is full`, or nothing when it is no file error. */
export function describeFileError(error: Error): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const problem = code === undefined ? undefined : FILE_PROBLEMS[code];
  if (problem === undefined) return undefined;
  const action = syscall === 'open' && code === 'ENOENT' ? 'open' : READING.has(syscall ?? '') ? 'read' : 'write';
  return `cannot ${action}${path === undefined ? '' : ` ${path}`}: ${problem}`;
}

function stackWithCauses(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\nCaused by: ${stackWithCauses(error.cause)}` : own;
}
