/** The packages as npm would publish them, installed in a folder of somebody else. Needs no network. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');

/** The workspace of each package. */
const WORKSPACES: Readonly<Record<string, string>> = {
  phyxel: 'packages/core',
  '@phyxel/cli': 'packages/cli',
  '@phyxel/three': 'packages/three',
  '@phyxel/studio': 'packages/studio',
};

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What is in the tarball of a workspace, unpacked as `to`. */
export function unpack(workspace: string, to: string): void {
  const tarballs = `${to}.packed`;
  mkdirSync(tarballs, { recursive: true });
  mkdirSync(to, { recursive: true });
  execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', tarballs, `--workspace=${workspace}`],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const [tarball] = readdirSync(tarballs);
  execFileSync('tar', ['-xzf', join(tarballs, tarball!), '-C', to, '--strip-components=1']);
  rmSync(tarballs, { recursive: true });
}

/**
 * What `npm install NAME...` leaves in a folder: our packages from their tarballs, with the packages they depend on and
 * their commands. Packages of others are linked to those that the tests have.
 */
export function install(folder: string, ...names: string[]): void {
  const modules = join(folder, 'node_modules');
  const add = (name: string, from: string) => {
    const to = join(modules, name);
    if (existsSync(to)) return;
    mkdirSync(dirname(to), { recursive: true });
    const workspace = WORKSPACES[name];
    if (workspace === undefined) {
      symlinkSync(find(name, from), to);
      return;
    }
    unpack(workspace, to);
    const { bin = {}, dependencies = {} } = manifestOf(to);
    for (const [command, file] of Object.entries(bin)) {
      mkdirSync(join(modules, '.bin'), { recursive: true });
      symlinkSync(join('..', name, file), join(modules, '.bin', command));
    }
    for (const dependency of Object.keys(dependencies)) add(dependency, join(root, workspace));
  };
  for (const name of names) add(name, root);
}

/** Where a package of somebody else is installed here, as seen from a folder. */
function find(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) throw new Error(`${name} is not installed: npm ci`);
  }
}
