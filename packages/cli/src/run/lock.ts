/**
 * One writer for a run folder. The lock is a file that names the process that holds it. A process that was killed
 * leaves it behind; it is then stale, and the next one takes it over.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CommandError, EXIT } from '../errors.js';
import { TEMPORARY, withPath, writeAll } from './atomic.js';

export const LOCK_FILE = 'run.lock';

interface Holder {
  /** Of this taking of the lock alone. */
  readonly token: string;
  readonly pid: number;
  /** Start of the machine and of the process, so that another process with the same number is told apart. */
  readonly started?: string | undefined;
  readonly host: string;
  /** Process numbers of another container mean nothing here. */
  readonly namespace?: string | undefined;
  /** When the lock was taken. */
  readonly since: string;
}

/** Whether a name in a run folder belongs to its lock. */
export function isLockFile(name: string): boolean {
  return name === LOCK_FILE || name.startsWith(`${LOCK_FILE}.`);
}

/** Takes the lock of a folder that exists, or throws and says who holds it. Returns what releases it. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, LOCK_FILE);
  const own = describeProcess();
  take(folder, path, own);
  return () => {
    // A user may have deleted the file, and another run may have begun since.
    if (read(folder, path)?.token === own.token) rmSync(path, { force: true });
  };
}

function describeProcess(): Holder {
  return {
    token: randomUUID(),
    pid: process.pid,
    started: startOf(process.pid),
    host: hostname(),
    namespace: namespace(),
    since: new Date().toISOString(),
  };
}

/**
 * A stale lock may be removed only by the holder of a second lock, named after the stale one's token. So of several
 * processes that find it, none can remove the lock which another has just taken.
 */
function take(folder: string, path: string, own: Holder): void {
  for (let tries = 1; !create(path, own); tries++) {
    const holder = read(folder, path);
    if (holder === undefined) {
      // Released in between, or a link that leads nowhere.
      if (tries > 100) throw describeDamaged(folder, path);
      continue;
    }
    if (!isGone(holder)) throw describeHeld(folder, path, holder);
    const succession = `${path}.${holder.token}`;
    take(folder, succession, own);
    try {
      if (read(folder, path)?.token === holder.token) rmSync(path, { force: true });
    } finally {
      rmSync(succession, { force: true });
    }
  }
}

/** The file with its whole content, at once; false when there is one. */
function create(path: string, own: Holder): boolean {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
  try {
    writeNew(temporary, own);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== undefined && WITHOUT_LINKS.has(code)) return createWithoutLinks(path, own);
    throw withPath(error, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Of file systems that have no hard links. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'UNKNOWN', 'EISDIR']);

function createWithoutLinks(path: string, own: Holder): boolean {
  try {
    writeNew(path, own);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw withPath(error, path);
  }
}

function writeNew(path: string, own: Holder): void {
  const file = openSync(path, 'wx');
  try {
    writeAll(file, Buffer.from(`${JSON.stringify(own, null, 2)}\n`));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Undefined when nobody holds the lock. */
function read(folder: string, path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  let holder: Partial<Holder> | null = null;
  try {
    holder = JSON.parse(text) as Partial<Holder> | null;
  } catch {
    // Told below.
  }
  const { token, pid, host, since } = holder ?? {};
  const isWhole =
    typeof token === 'string' &&
    /^[\w-]{1,64}$/.test(token) &&
    Number.isSafeInteger(pid) &&
    pid! > 0 &&
    typeof host === 'string' &&
    typeof since === 'string';
  if (isWhole) return holder as Holder;
  throw describeDamaged(folder, path);
}

function isHere({ host, namespace: other }: Holder): boolean {
  return host === hostname() && other === namespace();
}

/** Whether the process is certainly not there any more. */
function isGone(holder: Holder): boolean {
  if (!isHere(holder)) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const started = startOf(holder.pid);
  return holder.started !== undefined && started !== undefined && started !== holder.started;
}

function describeHeld(folder: string, path: string, holder: Holder): CommandError {
  const { pid, host, since } = holder;
  const message = isHere(holder)
    ? `${folder}: process ${pid} is writing this run since ${since}; wait for it or stop it` +
      (holder.started === undefined ? `, delete ${path} if that process is no run` : '')
    : `${folder}: process ${pid} of ${host === hostname() ? 'another container' : `the machine ${host}`} is writing ` +
      `this run since ${since}, and whether it still does cannot be seen from here; if not, delete ${path}`;
  return new CommandError(`${message}, or choose another folder with --out`, EXIT.badInput);
}

function describeDamaged(folder: string, path: string): CommandError {
  return new CommandError(
    `${folder}: ${path} is damaged and does not say which process writes this run; ` +
      'if none does, delete that file, or choose another folder with --out',
    EXIT.badInput,
  );
}

/** When a process began, where the system tells. One that has ended but was not waited for is as good as another. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function namespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}
