// Makes packages/core/web: what a page loads at run time, flat and with nothing to bundle. The worker of a world, the
// script of its threads, and the compiled passes.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const core = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'core');
const web = join(core, 'web');
mkdirSync(web, { recursive: true });

const common = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
};
await build({ ...common, entryPoints: [join(core, 'src/memory/worker.js')], outfile: join(web, 'thread.js') });
await build({ ...common, entryPoints: [join(core, 'src/browser/world-worker.ts')], outfile: join(web, 'world.js') });

// Here everything lies side by side.
const moves = [
  ['../../wasm/phyxel.threads.wasm', './phyxel.threads.wasm'],
  ['../../wasm/phyxel.wasm', './phyxel.wasm'],
  ['./worker.js', './thread.js'],
];
let script = readFileSync(join(web, 'world.js'), 'utf8');
for (const [from, to] of moves) {
  if (!script.includes(from)) throw new Error(`build-web: "${from}" is not in world.js`);
  script = script.replaceAll(from, to);
}
writeFileSync(join(web, 'world.js'), script);
for (const file of ['phyxel.wasm', 'phyxel.threads.wasm']) {
  const from = join(core, 'wasm', file);
  if (!statSync(from).isFile()) throw new Error(`build-web: ${from} is missing`);
  copyFileSync(from, join(web, file));
}
