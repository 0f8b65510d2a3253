/**
 * How much surfaces of liquids pop: of every two neighbouring frames of runs, how far the later surface is from where the
 * matter took the earlier one, in spacings, and by which angle normals differ, which is what flickers in the shading.
 * "matter" is the same of the particles among each other: no surface can be steadier than these.
 *
 * With --between N particles go from frame to frame in N straight steps and surfaces of neighbouring steps are compared: what
 * matter does gets smaller with the steps, what pops does not.
 *
 *   node scripts/check-popping.mjs RUN... [--surface points] [--frames FIRST:LAST] [--between N] [--points N]
 *                                         [--meshes DIR] [--json]
 */
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    surface: { type: 'string', default: 'triangles' },
    frames: { type: 'string' },
    between: { type: 'string', default: '1' },
    points: { type: 'string', default: '3000' },
    meshes: { type: 'string', default: join(root, 'examples') },
    json: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0 || !['triangles', 'points'].includes(values.surface)) {
  console.error('node scripts/check-popping.mjs RUN... [--surface triangles|points] [--frames FIRST:LAST]');
  process.exit(2);
}

const load = (path) => import(pathToFileURL(join(root, 'packages', path)));
const { LiquidSurfacer, PointSurfacer, Skinner } = await load('core/dist/index.js');
const { Cast } = await load('cli/dist/render/actors.js');
const { openRun } = await load('cli/dist/render/run-source.js');
const { survey } = await load('cli/dist/render/survey.js');
const { matterJumps, quantile, surfaceJumps } = await load('cli/dist/render/steadiness.js');

const count = Number(values.points);
const surfacer = await LiquidSurfacer.create({ threads: 1 });
const skinner = await Skinner.create({ threads: 1 });
if (!values.json)
  console.log(
    'run                  pairs   jumps 50 %  99 %  99.9 %  worst (frame)   matter 99.9 %   normals 50 %  99 %',
  );
for (const path of positionals) {
  const points = values.surface === 'points' && {
    surfacer: await PointSurfacer.create({ threads: 1 }),
    liquids: true,
  };
  const result = await look(path, points || undefined);
  console.log(values.json ? JSON.stringify(result) : rowOf(result));
  if (points) await points.surfacer.dispose();
}
await surfacer.dispose();
await skinner.dispose();

/** All pairs of neighbouring frames of a run. */
async function look(path, points) {
  const run = await openRun(path, values.meshes);
  const [first, last] = (values.frames ?? `0:${run.frames.at(-1)}`).split(':').map(Number);
  const wanted = run.frames.filter((frame) => frame >= first && frame <= last);
  const { vessels } = survey(run, wanted, undefined);
  const cast = new Cast(run, run.readFrame(0), { particles: false, vessels, skinner, surfacer, points });
  const all = { distances: [], angles: [], matter: [], worst: { jump: 0, frame: -1 }, pairs: 0 };
  let before;
  for (const frame of stepsOf(run, wanted)) {
    const surfaces = cast.parts(frame).meshes.filter(({ flowing }) => flowing);
    const now = { frame, surfaces: new Map(surfaces.map((part) => [part.flowing[0].begin, part])) };
    if (before) compare(before, now, all);
    before = now;
  }
  return {
    run: basename(path),
    surface: values.surface,
    pairs: all.pairs,
    jumps: [0.5, 0.99, 0.999].map((share) => quantile(all.distances, share)),
    worst: all.worst,
    matter: quantile(all.matter, 0.999),
    normals: [0.5, 0.99].map((share) => quantile(all.angles, share)),
  };
}

/** The frames, and steps between them. */
function* stepsOf(run, numbers) {
  const steps = Number(values.between);
  let before;
  for (const number of numbers) {
    const frame = run.readFrame(number);
    for (let k = 1; before && k < steps; k++) yield between(before, frame, k / steps);
    yield frame;
    before = frame;
  }
}

/** A share of the way from one frame to the next. Particles that are not there yet wait for the end of it. */
function between(before, after, share) {
  const mix = (a, b) => a + share * (b - a);
  const arrays = before.arrays.map((array) => {
    if (array.name !== 'position') return array;
    const end = after.arrays.find(({ name }) => name === array.name).values;
    return { ...array, values: array.values.map((x, k) => mix(x, end[k])) };
  });
  return { ...before, frame: mix(before.frame, after.frame), time: mix(before.time, after.time), arrays };
}

function compare(before, now, all) {
  for (const [begin, from] of before.surfaces) {
    const to = now.surfaces.get(begin);
    if (!to) continue;
    const motion = motionOf(before.frame, now.frame, from.flowing);
    const { distances, angles } = surfaceJumps(from, to, motion, count);
    const jump = quantile(distances, 0.999);
    if (jump > all.worst.jump) all.worst = { jump, frame: now.frame.frame };
    all.distances.push(...distances);
    all.angles.push(...angles);
    all.matter.push(...matterJumps(motion, count));
    all.pairs++;
  }
}

/** Particles that are there in both frames. */
function motionOf(before, after, ranges) {
  const array = (frame, name) => frame.arrays.find((candidate) => candidate.name === name)?.values;
  const [x, y] = [array(before, 'position'), array(after, 'position')];
  const isThere = (frame, i) => (array(frame, 'present')?.[i] ?? 1) > 0;
  const numbers = ranges.flatMap(({ begin, end }) =>
    Array.from({ length: end - begin }, (_, k) => begin + k).filter((i) => isThere(before, i) && isThere(after, i)),
  );
  const pick = (from) =>
    Float32Array.from({ length: 3 * numbers.length }, (_, k) => from[3 * numbers[Math.floor(k / 3)] + (k % 3)]);
  return { before: pick(x), after: pick(y), spacing: ranges[0].spacing };
}

function rowOf({ run, pairs, jumps, worst, matter, normals }) {
  const cell = (value, digits = 3) => value.toFixed(digits).padStart(6);
  return [
    run.padEnd(20),
    String(pairs).padStart(5),
    '      ',
    jumps.map((jump) => cell(jump)).join(' '),
    `  ${cell(worst.jump)} (${worst.frame.toFixed(values.between === '1' ? 0 : 2)})`.padEnd(18),
    cell(matter),
    '         ',
    normals.map((angle) => cell(angle, 1)).join(' '),
  ].join(' ');
}
