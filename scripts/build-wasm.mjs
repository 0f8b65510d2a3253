// Compiles the AssemblyScript passes, for shared memory (threads) and for plain memory, and the loops of the renderer.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
    plain: 'web/phyxel.wasm',
  },
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
for (const { folder, source, file, flags, plain } of modules) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  const changed = Math.max(newest(join(folder, 'assembly')), ...inputs.map(modified));
  if ([file, plain ?? file].every((made) => modified(join(folder, made)) > changed)) continue;
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
  if (plain) writeFileSync(join(folder, plain), withPlainMemory(readFileSync(join(folder, file))));
}

/** The same module for memory that is not shared: no pass uses atomics, so nothing but the imported memory differs. */
function withPlainMemory(shared) {
  const imported = shared.indexOf('env\x06memory\x02\x03', 'latin1');
  // Kind, flags (shared, with a maximum), the initial size of one page, and the maximum of 65536.
  const limits = imported + 'env\x06memory\x02'.length;
  const maximum = Buffer.from([0x80, 0x80, 0x04]);
  const section = imported - 4;
  if (
    imported < 0 ||
    shared[section] !== 2 ||
    shared[limits + 1] !== 1 ||
    shared.indexOf(maximum, limits) !== limits + 2
  ) {
    throw new Error('the imported memory of the passes is not as expected; compile them for plain memory, too');
  }
  const body = Buffer.concat([shared.subarray(section + 2, limits), Buffer.from([0, 1])]);
  return Buffer.concat([shared.subarray(0, section), Buffer.from([2, body.length]), body, shared.subarray(limits + 5)]);
}
