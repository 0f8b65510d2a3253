// Brings a fresh checkout to where the commands work: packages, compiled passes, compiled TypeScript,
// and for the tests a browser. Does nothing that is already done.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });
const has = (command) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0;

const installed = join(root, 'node_modules', '.package-lock.json');
const lock = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.log('installing packages ...');
  run('npm', ['ci', '--no-audit', '--no-fund']);
}

if (process.argv.includes('--test') && !has('chromium')) {
  const debian = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  if (!debian) {
    console.error('the browser tests need Chromium as "chromium" on the PATH: install it and try again');
    process.exit(1);
  }
  console.log('installing chromium ...');
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', 'chromium']);
}

console.log('building ...');
run('node', ['scripts/build-wasm.mjs']);
run(join(root, 'node_modules', '.bin', 'tsc'), [
  '-b',
  'packages/core',
  'packages/cli',
  'packages/three',
  'packages/studio',
]);
run('node', ['scripts/build-web.mjs']);
run('node', ['scripts/build-studio.mjs']);
