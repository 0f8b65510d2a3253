/**
 * One sheet with a picture of every example: simulates each up to a telling moment, draws it, and puts all
 * side by side. With --clips each goes on to its end and has a short video, smaller and with fewer rays:
 * clip.mp4, or an animated clip.png without ffmpeg, beside its run.
 *
 * Can be stopped and started again: runs go on where they were, and finished pictures are kept. Simulations take turns
 * of growing length, so that what is quick is drawn first; the sheet is written anew after every picture, with
 * those that are there.
 *
 *   node scripts/contact-sheet.mjs [NAME...] [--runs DIR] [--out FILE] [--size WxH] [--samples N] [--columns N]
 *                                  [--clips] [--clip-size WxH] [--clip-samples N] [--clip-frames N]
 *                                  [--threads N] [--turn SECONDS]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { EXTRA, MOMENTS } from './moments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = join(root, 'packages/cli/bin/phyxel.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: join(root, 'runs/sheet') },
    out: { type: 'string', default: join(root, 'docs/pictures/examples.png') },
    size: { type: 'string', default: '320x180' },
    samples: { type: 'string', default: '32' },
    columns: { type: 'string', default: '6' },
    clips: { type: 'boolean', default: false },
    'clip-size': { type: 'string', default: '320x180' },
    'clip-samples': { type: 'string', default: '8' },
    'clip-frames': { type: 'string', default: '30' },
    threads: { type: 'string', default: 'auto' },
    turn: { type: 'string', default: '60' },
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

const names = positionals.length > 0 ? positionals : all;
/** Frame that is shown and picture of it, by example. */
const drawn = new Map();
let waiting = names;
for (let turn = Number(values.turn); waiting.length > 0; turn *= 3) {
  waiting = waiting.filter((name) => !draw(name, turn));
}
console.log(`${drawn.size} pictures -> ${relative(process.cwd(), values.out)}`);

/** Simulates for some seconds at the most; draws when that was enough. */
function draw(name, seconds) {
  const started = performance.now();
  const run = join(values.runs, name);
  const frame = simulate(name, run, seconds);
  const told = (what) => {
    const took = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`[${drawn.size}/${names.length}] ${name}: ${what} (${took} s)`);
  };
  if (frame === undefined) {
    told('goes on later');
    return false;
  }
  const out = join(run, 'pictures');
  render(name, run, out, String(frame), values.size, values.samples);
  drawn.set(name, join(out, `picture-${String(frame).padStart(6, '0')}.png`));
  writeSheet();
  const clip = values.clips ? drawClip(name, run) : undefined;
  told(`frame ${frame}${clip ? `, ${relative(process.cwd(), clip)}` : ''}`);
  return true;
}

/** The frame to show, or undefined when the time was too short to get there. */
function simulate(name, run, seconds) {
  const moment = MOMENTS[name];
  if (!values.clips && moment !== undefined && existsSync(join(run, 'frames', frameFile(moment)))) return moment;
  const frames = moment === undefined || values.clips ? [] : ['--frames', String(moment)];
  const scene = join(root, 'examples', `${name}.yaml`);
  const args = ['run', scene, '--out', run, '--resume', '--threads', values.threads, ...frames];
  if (!phyxel(args, 1000 * seconds)) return undefined;
  return moment ?? lastFrame(run);
}

function lastFrame(run) {
  return Math.max(...readdirSync(join(run, 'frames')).map((file) => Number(/\d+/.exec(file)?.[0] ?? 0)));
}

function render(name, run, out, frames, size, samples, ...more) {
  const what = ['render', run, '--meshes', join(root, 'examples'), '--frames', frames, '--out', out, '--resume'];
  const how = ['--final', '--size', size, '--samples', samples, '--threads', values.threads, ...(EXTRA[name] ?? [])];
  phyxel([...what, ...how, ...more]);
}

/** Some frames, evenly; undefined when there is but one. */
function drawClip(name, run) {
  const last = lastFrame(run);
  if (last < 2) return undefined;
  const step = Math.max(1, Math.floor(last / Number(values['clip-frames'])));
  const file = join(run, hasFfmpeg() ? 'clip.mp4' : 'clip.png');
  const frames = `${last % step}:${last}:${step}`;
  render(name, run, join(run, 'clip'), frames, values['clip-size'], values['clip-samples'], '--video', file);
  return file;
}

/** In the order of their names. */
function writeSheet() {
  const items = [...drawn.keys()].sort().map((name) => {
    const file = drawn.get(name);
    return { name, picture: decodePng(readFileSync(file), file) };
  });
  mkdirSync(dirname(values.out), { recursive: true });
  writeFileSync(values.out, encodePng(composeSheet(items, Number(values.columns))));
}

function frameFile(frame) {
  return `frame-${String(frame).padStart(6, '0')}.phx`;
}

/** False when it was stopped because it took longer than `timeout` [ms]. */
function phyxel(args, timeout) {
  const stopping = timeout === undefined ? {} : { timeout, killSignal: 'SIGINT' };
  const { status, stderr, error } = spawnSync(process.execPath, [command, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...stopping,
  });
  if (status === 0) return true;
  if (error?.code === 'ETIMEDOUT') return false;
  console.error(`phyxel ${args.join(' ')} ended with ${status}:\n${stderr}`);
  process.exit(1);
}
