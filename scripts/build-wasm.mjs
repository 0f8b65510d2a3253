// Compiles the AssemblyScript passes twice, for shared memory (threads) and for plain memory, and the loops of the
// renderer.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const packages = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages');
const core = join(packages, 'core');
const cli = join(packages, 'cli');
const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? newest(join(folder, entry.name)) : statSync(join(folder, entry.name)).mtimeMs,
    ),
  );
const modified = (file) => {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
};

const modules = [
  {
    folder: core,
    source: 'assembly/index.ts',
    file: 'web/phyxel.threads.wasm',
    flags: ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'],
  },
  { folder: core, source: 'assembly/index.ts', file: 'web/phyxel.wasm', flags: [] },
  { folder: cli, source: 'assembly/index.ts', file: 'wasm/paths.wasm', flags: [] },
];
// The passes also depend on the memory layout, on these flags and on the compiler.
const particles = join(core, 'src/particles');
const inputs = [
  ...readdirSync(particles)
    .filter((file) => file.endsWith('layout.ts'))
    .map((file) => join(particles, file)),
  fileURLToPath(import.meta.url),
  join(core, '../../package-lock.json'),
];
for (const { folder, source, file, flags } of modules) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  const changed = Math.max(newest(join(folder, 'assembly')), ...inputs.map(modified));
  if (modified(join(folder, file)) > changed) continue;
  const { error, stderr } = await asc.main(
    [
      source,
      '--outFile',
      file,
      '--runtime',
      'stub',
      '--importMemory',
      '--initialMemory',
      '1',
      '--enable',
      'simd',
      '-O3',
      '--converge',
      '--noAssert',
      ...flags,
      '--baseDir',
      folder,
    ],
    {},
  );
  if (error) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
    process.exit(1);
  }
}
