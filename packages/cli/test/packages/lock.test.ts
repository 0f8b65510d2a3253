import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** The path at which a package finds another one, as Node looks for it, or undefined. */
function find(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

test('the lock file holds the binaries of all platforms, which npm ci asks for on each of them', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter((name) => !find(path, name)),
  );
  expect(missing).toEqual([]);
});

test('the lock file names no registry, and has a checksum of everything that is downloaded', () => {
  for (const [path, { link, resolved, integrity }] of Object.entries(packages)) {
    if (!path.includes('node_modules/')) continue;
    if (link) expect(resolved, path).toMatch(/^packages\//);
    else expect({ path, resolved, integrity }).toEqual({ path, resolved: undefined, integrity: expect.any(String) });
  }
});
