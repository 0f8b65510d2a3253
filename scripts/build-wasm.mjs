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
    file: 'wasm/phyxel.threads.wasm',
    flags: ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'],
  },
  { folder: core, source: 'assembly/index.ts', file: 'wasm/phyxel.wasm', flags: [] },
  { folder: cli, source: 'assembly/rays.ts', file: 'wasm/rays.wasm', flags: [] },
];
// The passes also depend on the memory layout, on these flags and on the compiler.
const inputs = [
  ...[
    'layout.ts',
    'fluid-layout.ts',
    'elastic-layout.ts',
    'embedding-layout.ts',
    'heat-layout.ts',
    'liquid-surface-layout.ts',
    'binding-layout.ts',
    'carry-layout.ts',
    'surfel-layout.ts',
    'points-layout.ts',
  ].map((file) => join(core, 'src/particles', file)),
  fileURLToPath(import.meta.url),
  join(core, '../../package-lock.json'),
];
for (const { folder, source, file, flags } of modules) {
  mkdirSync(join(folder, 'wasm'), { recursive: true });
  const changed = Math.max(newest(join(folder, 'assembly')), ...inputs.map(modified));
  if (modified(join(folder, file)) > changed) continue;
  const { error, stderr } = await asc.main(
    [
      source,
      '--outFile',
      file,
      '--runtime',
      'stub',
      '--bindings',
      'raw',
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
