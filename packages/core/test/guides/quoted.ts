import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** The text of a file of the repository. */
const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

/** Imports by name: their order depends on where a file is. */
function sortImports(code: string): string {
  const lines = code.split('\n');
  const imports = lines.filter((line) => line.startsWith('import'));
  return [...imports.sort(), ...lines.filter((line) => !line.startsWith('import'))].join('\n');
}

/** A file of a test. */
export function testedFile(path: string): string {
  return sortImports(read(path));
}

/** The file that a guide quotes first, which belongs into a folder of the sources, as it would be in that of the tests. */
export function quotedFile(guide: string, folder: string, tests: string): string {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(read(`docs/guides/${guide}`))!;
  const moved = code!.replace(
    /from '(\.[^']*)'/g,
    (_, path: string) => `from '${posix.relative(tests, posix.join(folder, path))}'`,
  );
  return sortImports(moved);
}
