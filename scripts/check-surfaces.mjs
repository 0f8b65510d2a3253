/**
 * Runs every example to its end and looks at all meshes of every frame: they must be closed, every edge with two
 * triangles that run along it in opposite directions, and bound a positive volume.
 *
 * Nearly all the time goes into the simulation, so runs are kept in RUNS, and an interrupted one goes on from its last
 * checkpoint. What has been looked at is written to RUNS/check.json while it goes, and as a table to RUNS/check.md;
 * frames that are in there with the same state are not looked at again.
 *
 *   node scripts/check-surfaces.mjs [NAME...] [--frames N] [--every N] [--runs DIR] [--threads N] [--cell SPACINGS]
 *                                   [--tolerance SPACINGS]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = join(root, 'packages/cli/bin/phyxel.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    frames: { type: 'string' },
    every: { type: 'string', default: '1' },
    runs: { type: 'string', default: join(root, 'runs/check') },
    threads: { type: 'string', default: 'auto' },
    cell: { type: 'string', default: '0.5' },
    tolerance: { type: 'string', default: '0' },
  },
});

const load = (path) => import(pathToFileURL(join(root, 'packages', path)));
const { LiquidSurfacer } = await load('core/dist/index.js');
const { RunSource } = await load('cli/dist/export/source.js');
const { MeshInspector } = await load('cli/dist/export/manifold-check.js');

const all = readdirSync(join(root, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''));
const names = positionals.length > 0 ? positionals : all;
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`there is no example ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}

/** Seconds between two writings of the record. */
const PATIENCE = 10;
const every = Number(values.every);
const fineness = { cell: Number(values.cell), tolerance: Number(values.tolerance) };
const threads = values.threads === 'auto' ? 'auto' : Number(values.threads);
mkdirSync(values.runs, { recursive: true });
const record = readRecord();
const surfacer = await LiquidSurfacer.create({ threads });
for (const name of names) {
  const run = join(values.runs, name);
  const failure = simulate(name, run);
  const entry = failure ? { failure, frames: [] } : await inspect(name, run);
  record.examples[name] = entry;
  writeRecord();
  console.log(summary(name, entry));
}
await surfacer.dispose();
if (names.some((name) => !isSound(record.examples[name]))) process.exit(1);

/** Simulates what is not there yet; returns what went wrong. */
function simulate(name, run) {
  const args = ['run', join(root, 'examples', `${name}.yaml`), '--out', run, '--threads', values.threads];
  if (values.frames) args.push('--frames', values.frames);
  if (existsSync(join(run, 'run.json'))) {
    const { status, framesDone } = JSON.parse(readFileSync(join(run, 'run.json')));
    if (status === 'finished' && !(Number(values.frames) > framesDone)) return undefined;
    args.push('--resume');
  }
  const { status, stderr } = spawnSync(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  return status === 0 ? undefined : `phyxel run ended with ${status}: ${String(stderr).trim()}`;
}

/** Looks at the frames of a run that have not been looked at. */
async function inspect(name, run) {
  const source = await RunSource.open(run, { meshes: join(root, 'examples'), threads });
  const states = new Map(
    JSON.parse(readFileSync(join(run, 'run.json'))).frames.map(({ frame, stateHash }) => [frame, stateHash]),
  );
  const known = new Map(record.examples[name]?.frames.map((seen) => [seen.frame, seen]));
  const entry = { frames: [] };
  record.examples[name] = entry;
  const inspector = new MeshInspector();
  let written = performance.now();
  // The first one tells which vertices are one, the last one is always among them.
  const { frames } = source;
  const looked = frames.filter((_, k) => k === 0 || (frames.length - 1 - k) % every === 0);
  for (const frame of looked) {
    const before = known.get(frame);
    const isSame = before?.stateHash === states.get(frame) && frame !== 0;
    entry.frames.push(isSame ? before : look(source, inspector, frame, states.get(frame)));
    if (performance.now() - written < 1000 * PATIENCE) continue;
    written = performance.now();
    writeRecord();
  }
  await source.dispose();
  return entry;
}

function look(source, inspector, frame, stateHash) {
  let [meshes, triangles] = [0, 0];
  const bad = [];
  for (const mesh of source.frame(frame, surfacer, fineness).meshes) {
    const { problems } = inspector.inspect(mesh);
    meshes++;
    triangles += mesh.indices.length / 3;
    if (problems.length > 0) bad.push(`${mesh.name}: ${problems.join(', ')}`);
  }
  return { frame, stateHash, meshes, triangles, ...(bad.length > 0 && { bad }) };
}

/** What is known from before, if it was found with the same fineness. */
function readRecord() {
  const path = join(values.runs, 'check.json');
  const old = existsSync(path) ? JSON.parse(readFileSync(path)) : undefined;
  const isSame = old?.cell === fineness.cell && old?.tolerance === fineness.tolerance;
  return isSame ? old : { ...fineness, examples: {} };
}

function writeRecord() {
  const lines = ['| example | frames | meshes | triangles | bad frames |', '| --- | --- | --- | --- | --- |'];
  const sums = [0, 0, 0, 0];
  for (const [name, entry] of Object.entries(record.examples).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const row = counts(entry);
    for (const [k, count] of row.entries()) sums[k] += count;
    lines.push(
      `| ${[name, ...row.slice(0, 3).map(grouped), entry.failure ? 'no run' : grouped(row[3])].join(' | ')} |`,
    );
  }
  lines.push(`| all | ${sums.map(grouped).join(' | ')} |`, '');
  replace(join(values.runs, 'check.json'), JSON.stringify(record));
  replace(join(values.runs, 'check.md'), lines.join('\n'));
}

function replace(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Frames, meshes, triangles, and frames with something wrong. */
function counts({ frames }) {
  const sum = (of) => frames.reduce((total, frame) => total + of(frame), 0);
  return [
    frames.length,
    sum(({ meshes }) => meshes),
    sum(({ triangles }) => triangles),
    sum(({ bad }) => (bad ? 1 : 0)),
  ];
}

function isSound({ failure, frames }) {
  return !failure && frames.every(({ bad }) => !bad);
}

function summary(name, entry) {
  if (entry.failure) return `NO RUN ${name}: ${entry.failure}`;
  const [frames, meshes, triangles] = counts(entry).map(grouped);
  const seen = new Map();
  for (const { frame, bad = [] } of entry.frames) {
    for (const what of bad) seen.set(what, [...(seen.get(what) ?? []), frame]);
  }
  const head = `${seen.size === 0 ? 'sound' : 'BAD  '} ${name}: ${frames} frames, ${meshes} meshes, ${triangles} triangles`;
  return [head, ...Array.from(seen, ([what, numbers]) => `      ${what}; frames ${shown(numbers)}`)].join('\n');
}

function grouped(count) {
  return count.toLocaleString('en');
}

function shown(numbers) {
  return numbers.length > 6 ? `${numbers.slice(0, 5).join(' ')} ... ${numbers.at(-1)}` : numbers.join(' ');
}
