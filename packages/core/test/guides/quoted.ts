import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Imports by name: their order depends on where a file is. */
function sortImports(code: string): string {
  const lines = code.split('\n');
  const first = lines.findIndex((line) => !line.startsWith('import'));
  return [...lines.slice(0, first).sort(), ...lines.slice(first)].join('\n');
}

/** The text of a file beside this one, as it stands in `folder` of the sources. */
export function testedFile(file: string): string {
  return sortImports(read(`./${file}`));
}

/** The first file that a guide quotes, with imports as if it were here and not in `folder`. */
export function quotedFile(guide: string, folder: string, sources = 'packages/core/src'): string {
  const [, code] = /```ts\n(import[\s\S]*?)```/.exec(read(`../../../../docs/guides/${guide}`))!;
  const moved = code!.replace(/from '(\.[^']*)'/g, (_, path: string) => {
    const { pathname } = new URL(path, `file:///${sources}/${folder}/`);
    return `from '${pathname.replace('/packages/core/', '../../').replace('/packages/', '../../../')}'`;
  });
  return sortImports(moved);
}
