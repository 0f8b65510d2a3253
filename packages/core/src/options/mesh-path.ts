import { describeValue } from '../describe.js';

/**
 * Says why a path leaves the scene's folder, or nothing when it stays inside. A path that a mesh file names counts from
 * that file's `folder`, which is empty or ends with a slash.
 */
export function meshPathProblem(file: string, folder = ''): string | undefined {
  if (file.trim() === '') return 'must not be empty';
  if (/[\p{Cc}\p{Cs}]/u.test(file)) return 'must not contain control characters';
  if (file.length > 1000) return 'must have at most 1000 characters';
  const rule = "must be a path inside the scene's folder";
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(file)) return `${rule}, not an address or drive, got ${describeValue(file)}`;
  if (/^[/\\~]/.test(file)) return `${rule}, not an absolute one, got ${describeValue(file)}`;
  let depth = 0;
  const parts = (folder + file).split(/[/\\]/);
  for (const part of parts) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return `${rule}, it must not leave it with "..", got ${describeValue(file)}`;
  }
  if (depth === 0) return `must name a file, got ${describeValue(file)}`;
  return undefined;
}
