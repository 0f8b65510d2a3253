// Compiles the AssemblyScript passes twice: for shared memory (threads) and for plain memory.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const core = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'core');
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

mkdirSync(join(core, 'wasm'), { recursive: true });
const variants = [
  { file: 'wasm/phyxel.threads.wasm', flags: ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'] },
  { file: 'wasm/phyxel.wasm', flags: [] },
];
// The passes also depend on the memory layout, on these flags and on the compiler.
const inputs = [
  ...['layout.ts', 'fluid-layout.ts', 'heat-layout.ts', 'liquid-surface-layout.ts'].map((file) =>
    join(core, 'src/particles', file),
  ),
  fileURLToPath(import.meta.url),
  join(core, '../../package-lock.json'),
];
const changed = Math.max(newest(join(core, 'assembly')), ...inputs.map(modified));
for (const { file, flags } of variants) {
  if (modified(join(core, file)) > changed) continue;
  const { error, stderr } = await asc.main(
    [
      'assembly/index.ts',
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
      core,
    ],
    {},
  );
  if (error) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
    process.exit(1);
  }
}
