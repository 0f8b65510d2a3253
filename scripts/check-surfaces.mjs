/**
 * Runs every example for some frames and looks at all meshes of every frame: they must be closed, every edge with two
 * triangles that run along it in opposite directions, and bound a positive volume. Runs that are there already are
 * used again, all their frames or every N-th.
 *
 *   node scripts/check-surfaces.mjs [NAME...] [--frames N] [--every N] [--runs DIR] [--cell SPACINGS]
 *                                   [--tolerance SPACINGS]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = join(root, 'packages/cli/bin/phyxel.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    frames: { type: 'string', default: '8' },
    every: { type: 'string', default: '1' },
    runs: { type: 'string', default: join(root, 'runs/check') },
    cell: { type: 'string', default: '0.5' },
    tolerance: { type: 'string', default: '0' },
  },
});

const load = (path) => import(pathToFileURL(join(root, 'packages', path)));
const { LiquidSurfacer } = await load('core/dist/index.js');
const { RunSource } = await load('cli/dist/export/source.js');
const { MeshInspector } = await load('cli/dist/export/soundness.js');

const all = readdirSync(join(root, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''));
const names = positionals.length > 0 ? positionals : all;
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`there is no example ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}

const fineness = { cell: Number(values.cell), tolerance: Number(values.tolerance) };
const surfacer = await LiquidSurfacer.create();
let bad = 0;
for (const name of names) {
  const run = join(values.runs, name);
  if (!existsSync(join(run, 'run.json'))) simulate(name, run);
  const source = await RunSource.open(run, { meshes: join(root, 'examples') });
  const inspector = new MeshInspector();
  let meshes = 0;
  const seen = new Map();
  // The last one is always among them.
  const every = Number(values.every);
  const looked = source.frames.filter((_, k) => (source.frames.length - 1 - k) % every === 0);
  for (const number of looked) {
    for (const mesh of source.frame(number, surfacer, fineness).meshes) {
      const { problems } = inspector.inspect(mesh);
      meshes++;
      if (problems.length === 0) continue;
      bad++;
      const key = `${mesh.name}: ${problems.join(', ')}`;
      seen.set(key, [...(seen.get(key) ?? []), number]);
    }
  }
  console.log(`${seen.size === 0 ? 'sound' : 'BAD  '} ${name}: ${looked.length} frames, ${meshes} meshes`);
  for (const [what, numbers] of seen) console.log(`      ${what}; frames ${shown(numbers)}`);
}
await surfacer.dispose();
if (bad > 0) process.exit(1);

function simulate(name, run) {
  const args = ['run', join(root, 'examples', `${name}.yaml`), '--out', run, '--frames', values.frames];
  const { status, stderr } = spawnSync(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  console.error(`phyxel ${args.join(' ')} ended with ${status}:\n${stderr}`);
  process.exit(1);
}

function shown(numbers) {
  return numbers.length > 6 ? `${numbers.slice(0, 5).join(' ')} ... ${numbers.at(-1)}` : numbers.join(' ');
}
