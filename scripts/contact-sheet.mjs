/**
 * One sheet with a picture of every example: simulates each up to a telling moment, draws it, and puts all
 * side by side. With --clips also a short video of each up to that moment, smaller and with fewer rays:
 * clip.mp4, or an animated clip.png without ffmpeg, beside its run. Runs and pictures that are there are used again.
 *
 *   node scripts/contact-sheet.mjs [NAME...] [--runs DIR] [--out FILE] [--size WxH] [--samples N] [--columns N]
 *                                  [--clips] [--clip-size WxH] [--clip-samples N] [--clip-frames N]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = join(root, 'packages/cli/bin/phyxel.js');

/** The frame to show; the last one of the examples that are not here. */
const MOMENTS = {
  'ball-in-pool': 14,
  'bunny-drop': 12,
  'dam-break-bunny': 18,
  'jelly-cubes-pile': 40,
  'lava-lamp': 30,
  'throw-at-mesh': 20,
  'twist-column': 40,
  'box-stack': 24,
  'hot-block': 75,
  'warm-blob': 30,
  dent: 60,
  'honey-coil': 40,
  dominoes: 30,
  ducks: 24,
  fountain: 30,
  pouring: 40,
  squash: 9,
};

/** Colours by a quantity, or another view, say more in these. */
const EXTRA = {
  'hot-block': ['--color-by', 'temperature'],
  'rubber-stretch': ['--color-by', 'stress'],
  'sag-static': ['--color-by', 'stress'],
  'two-stiffnesses': ['--color-by', 'stress'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: join(root, 'runs/sheet') },
    out: { type: 'string', default: join(root, 'docs/pictures/examples.png') },
    size: { type: 'string', default: '400x225' },
    samples: { type: 'string', default: '32' },
    columns: { type: 'string', default: '4' },
    clips: { type: 'boolean', default: false },
    'clip-size': { type: 'string', default: '240x135' },
    'clip-samples': { type: 'string', default: '8' },
    'clip-frames': { type: 'string', default: '24' },
  },
});

const load = (path) => import(pathToFileURL(join(root, 'packages/cli/dist/render', path)));
const { decodePng, encodePng } = await load('png.js');
const { hasFfmpeg } = await load('video.js');
const { composeSheet } = await load('sheet.js');

const all = readdirSync(join(root, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''));
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`there is no example ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}

const items = [];
for (const name of positionals.length > 0 ? positionals : all) {
  const run = join(values.runs, name);
  const moment = MOMENTS[name];
  const isThere = moment !== undefined && existsSync(join(run, 'frames', frameFile(moment)));
  if (!isThere) {
    const frames = moment === undefined ? [] : ['--frames', String(moment)];
    phyxel('run', join(root, 'examples', `${name}.yaml`), '--out', run, '--resume', ...frames);
  }
  const frame =
    moment ?? Math.max(...readdirSync(join(run, 'frames')).map((file) => Number(/\d+/.exec(file)?.[0] ?? 0)));
  const out = join(run, 'pictures');
  const look = ['--size', values.size, '--samples', values.samples, ...(EXTRA[name] ?? [])];
  phyxel(
    'render',
    run,
    '--meshes',
    join(root, 'examples'),
    '--frames',
    String(frame),
    '--out',
    out,
    '--resume',
    ...look,
  );
  const file = join(out, `picture-${String(frame).padStart(6, '0')}.png`);
  items.push({ name, picture: decodePng(readFileSync(file), file) });
  const clip = values.clips && frame > 1 ? drawClip(name, run, frame) : undefined;
  console.log(`${name}: frame ${frame}${clip ? `, ${relative(process.cwd(), clip)}` : ''}`);
}
mkdirSync(dirname(values.out), { recursive: true });
writeFileSync(values.out, encodePng(composeSheet(items, Number(values.columns))));
console.log(`${items.length} pictures -> ${relative(process.cwd(), values.out)}`);

/** Some frames up to a moment, evenly. */
function drawClip(name, run, last) {
  const step = Math.max(1, Math.floor(last / Number(values['clip-frames'])));
  const file = join(run, hasFfmpeg() ? 'clip.mp4' : 'clip.png');
  const look = ['--size', values['clip-size'], '--samples', values['clip-samples'], ...(EXTRA[name] ?? [])];
  const frames = ['--frames', `${last % step}:${last}:${step}`];
  phyxel(
    'render',
    run,
    '--meshes',
    join(root, 'examples'),
    ...frames,
    '--out',
    join(run, 'clip'),
    '--resume',
    '--video',
    file,
    ...look,
  );
  return file;
}

function frameFile(frame) {
  return `frame-${String(frame).padStart(6, '0')}.phx`;
}

function phyxel(...args) {
  const { status, stderr } = spawnSync(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  console.error(`phyxel ${args.join(' ')} ended with ${status}:\n${stderr}`);
  process.exit(1);
}
