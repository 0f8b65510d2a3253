/** Files that are either the old or the new one, whatever happens in between. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Ending of files that are being written; one that is left over is garbage. */
export const TEMPORARY = '.part';

/**
 * Writes `path` through a temporary file beside it. With `durable` it also survives a power cut: the
 * data reaches the disk before the name does, and the name before this returns.
 */
export function writeFileAtomic(path: string, data: Uint8Array | string, options: { durable: boolean }): void {
  const temporary = path + TEMPORARY;
  try {
    const file = openSync(temporary, 'w');
    try {
      writeAll(file, typeof data === 'string' ? Buffer.from(data) : data);
      if (options.durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // What went wrong first is what counts.
    }
    throw withPath(error, path);
  }
  if (options.durable) syncFolder(dirname(path));
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the system says
 * "no such folder" for a parent that exists, as in /proc.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) throw error;
    makeFolder(parent);
    mkdirSync(path);
  }
}

/** Writes everything: the system may take less at once when the disk is nearly full. */
export function writeAll(file: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += writeSync(file, data, done);
}

/** Brings a file that was written earlier to the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } catch (error) {
    throw withPath(error, path);
  } finally {
    closeSync(file);
  }
}

/** Brings the names in a folder to the disk; not every system can. */
export function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(folder);
  } catch {
    // Windows and some network file systems refuse; the rename itself is still atomic.
  } finally {
    closeSync(folder);
  }
}

/** Errors of write and fsync do not say which file they are about. */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && 'code' in error) Object.assign(error, { path });
  return error;
}
