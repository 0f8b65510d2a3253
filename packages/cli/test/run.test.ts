import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseScene, serializeScene } from 'phyxel';
import { afterAll, describe, expect, it } from 'vitest';
import { type Core, core } from '../src/core.js';
import type { CommandError } from '../src/errors.js';
import { frameFileName } from '../src/run/folder.js';
import { decodeFrame, encodeFrame } from '../src/run/frame-file.js';
import { type RunEvent, type RunJob, simulate } from '../src/run/simulate.js';
import { fakeCore } from './fake-world.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-run-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

const SCENE = `phyxel: 1
duration: 1
frameRate: 20
bodies: [{ name: cube, shape: { mesh: { file: a.ply } } }]
probes: [{ name: tip, body: cube, quantity: position }, { name: total, quantity: energy }]
`;
writeFileSync(join(folder, 'a.ply'), 'a mesh');

function job(changes: Partial<RunJob> & { text?: string } = {}): RunJob {
  const { text = SCENE, ...rest } = changes;
  const { scene } = parseScene(text, 'scene.yaml');
  const sceneText = serializeScene(scene);
  const out = join(folder, `run-${count++}`);
  return {
    scene,
    sceneFile: 'scene.yaml',
    sceneText,
    sceneFolder: folder,
    out,
    frames: 20,
    threads: 1,
    resume: false,
    checkpointInterval: 2,
    ...rest,
  };
}

async function run(
  task: RunJob,
  core: Core = fakeCore(),
  shouldStop: (event: RunEvent | undefined) => boolean = () => false,
) {
  const events: RunEvent[] = [];
  const result = await simulate(
    task,
    core,
    (event) => events.push(event),
    () => shouldStop(events.at(-1)),
  );
  return { result, events };
}

/** All that must not depend on interruptions. */
function results(out: string) {
  const { frames, steps, drift } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  const names = readdirSync(join(out, 'frames')).sort();
  return {
    frames,
    steps,
    drift,
    names,
    probes: readFileSync(join(out, 'probes.csv'), 'utf8'),
    scene: readFileSync(join(out, 'scene.json'), 'utf8'),
    bytes: names.map((name) => readFileSync(join(out, 'frames', name)).toString('base64')),
  };
}

const error = async (promise: Promise<unknown>): Promise<CommandError> =>
  promise.then(
    () => expect.fail('no error'),
    (reason) => reason,
  );

describe('a run', () => {
  it('leaves the run folder that is promised', async () => {
    const task = job();
    const { result, events } = await run(task);
    expect(result).toBe('finished');
    expect(readdirSync(task.out).sort()).toEqual([
      'checkpoint',
      'frames',
      'inputs',
      'log.jsonl',
      'probes.csv',
      'run.json',
      'scene.json',
    ]);
    const document = JSON.parse(readFileSync(join(task.out, 'run.json'), 'utf8'));
    expect(document).toMatchObject({ status: 'finished', frameCount: 20, framesDone: 20, particles: 60, steps: 200 });
    expect(document.frames).toHaveLength(21);
    expect(document.frames[3]).toMatchObject({
      frame: 3,
      steps: 10,
      timeStep: expect.closeTo(0.005, 12),
      limitedBy: 'wave speed',
    });
    expect(new Set(document.frames.map((f: { stateHash: string }) => f.stateHash)).size).toBe(21);
    expect(document.inputs['a.ply']).toMatch(/^[0-9a-f]{64}$/);
    const rows = readFileSync(join(task.out, 'probes.csv'), 'utf8').trimEnd().split('\n');
    expect(rows[0]).toBe('time,tip.x,tip.y,tip.z,total');
    expect(rows).toHaveLength(22);
    expect(rows.every((row) => row.split(',').length === 5)).toBe(true);
    const frame = decodeFrame(readFileSync(join(task.out, 'frames', frameFileName(20))));
    expect(frame).toMatchObject({ frame: 20, particles: 60, stateHash: document.frames[20].stateHash });
    expect(frame.arrays.map(({ name, components }) => [name, components])).toEqual([
      ['position', 3],
      ['velocity', 3],
      ['stress', 1],
    ]);
    for (const line of readFileSync(join(task.out, 'log.jsonl'), 'utf8').trimEnd().split('\n')) JSON.parse(line);
    expect(events.map(({ event }) => event)).toEqual(['start', 'warning', ...Array(20).fill('frame'), 'done']);
    expect(events.at(-2)).toMatchObject({ frame: 20, eta: 0 });
    expect(parseScene(readFileSync(join(task.out, 'scene.json'), 'utf8'), 'scene.json').scene).toEqual(task.scene);
  });

  it('that is interrupted and resumed equals one that is not', async () => {
    const whole = job();
    await run(whole);
    const parts = job();
    for (const stopAt of [1, 2, 9, 19]) {
      const { result } = await run(
        { ...parts, resume: stopAt > 1 },
        fakeCore(),
        (event) => event?.event === 'frame' && event.frame === stopAt,
      );
      expect(result).toBe('interrupted');
      expect(JSON.parse(readFileSync(join(parts.out, 'run.json'), 'utf8')).status).toBe('interrupted');
    }
    expect((await run({ ...parts, resume: true })).result).toBe('finished');
    expect(results(parts.out)).toEqual(results(whole.out));
    // Once more has nothing to do and changes nothing.
    const { events } = await run({ ...parts, resume: true });
    expect(events.some(({ event }) => event === 'frame')).toBe(false);
    expect(results(parts.out)).toEqual(results(whole.out));
    // More frames go on from there.
    await run({ ...parts, resume: true, frames: 30 });
    const longer = job({ frames: 30 });
    await run(longer);
    expect(results(parts.out)).toEqual(results(longer.out));
  });

  it('can be resumed from whatever a killed process leaves', async () => {
    const whole = job();
    await run(whole);
    const broken = job();
    await error(run(broken, fakeCore(0.52)));
    const { frames } = results(broken.out);
    expect(frames.length).toBeGreaterThan(0);
    const leftovers: ((out: string) => void)[] = [
      () => {},
      (out) => writeFileSync(join(out, 'probes.csv'), 'time,ti'),
      (out) => writeFileSync(join(out, 'run.json'), '{"form'),
      (out) => rmSync(join(out, 'run.json')),
      (out) => writeFileSync(join(out, 'checkpoint.part'), 'half'),
      (out) => writeFileSync(join(out, 'frames', `${frameFileName(4)}.part`), 'half'),
      (out) => writeFileSync(join(out, 'frames', frameFileName(15)), 'of an earlier sitting'),
      (out) => {
        // Killed while it replaced an older run.
        rmSync(join(out, 'checkpoint'));
        const document = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
        writeFileSync(join(out, 'run.json'), JSON.stringify({ ...document, framesDone: 0, frames: [] }));
      },
      (out) => rmSync(join(out, 'probes.csv')),
      (out) => {
        for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true });
        writeFileSync(join(out, 'run.json.part'), '');
      },
      (out) => {
        for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true });
        mkdirSync(join(out, 'frames'));
        writeFileSync(join(out, 'run.json.part'), '{"form');
      },
    ];
    for (const leave of leftovers) {
      const copy = { ...job(), resume: true };
      cpSync(broken.out, copy.out, { recursive: true });
      leave(copy.out);
      expect((await run(copy)).result).toBe('finished');
      expect(results(copy.out)).toEqual(results(whole.out));
      expect(readdirSync(copy.out).filter((name) => /\.part$|lock/.test(name))).toEqual([]);
    }
  });

  it('refuses to resume another scene, changed meshes and a damaged checkpoint', async () => {
    const task = job();
    await run(task, fakeCore(), (event) => event?.event === 'frame' && event.frame === 5);
    const before = results(task.out);
    const other = job({ text: SCENE.replace('duration: 1', 'duration: 2'), out: task.out, resume: true });
    expect(await error(run(other))).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('the scene differs'),
    });
    writeFileSync(join(folder, 'a.ply'), 'another mesh');
    expect((await error(run({ ...task, resume: true }))).message).toContain('a.ply has changed since the run began');
    writeFileSync(join(folder, 'a.ply'), 'a mesh');
    const checkpoint = readFileSync(join(task.out, 'checkpoint'));
    writeFileSync(join(task.out, 'checkpoint'), checkpoint.subarray(0, 100));
    expect((await error(run({ ...task, resume: true }))).message).toMatch(/checkpoint is cut off: 100 of \d+ bytes/);
    expect(results(task.out)).toEqual(before);
  });

  it('does not go on from frames that are damaged, missing or of another run', async () => {
    const task = job();
    await run(task, fakeCore(), (event) => event?.event === 'frame' && event.frame === 9);
    const file = (frame: number) => join(task.out, 'frames', frameFileName(frame));
    const good = readFileSync(file(3));
    const flipped = Buffer.from(good);
    flipped[100]! ^= 4;
    const damages: [Uint8Array | undefined, RegExp][] = [
      [good.subarray(0, -7), /frame-000003\.phx: is cut off: \d+ of \d+ bytes/],
      [good.subarray(0, 5), /frame-000003\.phx: is cut off: 5 bytes/],
      [flipped, /frame-000003\.phx: is damaged: its checksum does not match/],
      [readFileSync(file(4)), /frame-000003\.phx: holds frame 4/],
      [
        encodeFrame({ ...decodeFrame(good), stateHash: 'abc' }),
        /frame-000003\.phx: is of another run, its state is abc instead of/,
      ],
      [undefined, /frame-000003\.phx: is missing/],
    ];
    const checkpoint = readFileSync(join(task.out, 'checkpoint'));
    for (const [bytes, message] of damages) {
      rmSync(file(3));
      if (bytes) writeFileSync(file(3), bytes);
      const refused = await error(run({ ...task, resume: true }));
      expect(refused.exitCode).toBe(2);
      const lines = refused.message.split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(message);
      expect(lines[1]).toBe(
        'cannot resume: a frame file is damaged or missing; --force instead of --resume starts again',
      );
      // Nothing was touched.
      expect(readFileSync(join(task.out, 'checkpoint'))).toEqual(checkpoint);
      expect(existsSync(file(9))).toBe(true);
    }
    rmSync(file(5));
    writeFileSync(file(7), '');
    const { message } = await error(run({ ...task, resume: true }));
    expect(message.split('\n').map((line) => /frame-\d+\.phx|3 frame files are/.exec(line)?.[0])).toEqual([
      frameFileName(3),
      frameFileName(5),
      frameFileName(7),
      '3 frame files are',
    ]);
    // Frames after the checkpoint do not matter, they are computed again.
    for (const frame of [3, 5, 7]) rmSync(file(frame), { force: true });
    const fresh = { ...task, resume: false, force: true };
    expect((await run(fresh)).result).toBe('finished');
    const whole = job();
    await run(whole);
    expect(results(task.out)).toEqual(results(whole.out));
  });

  it('warns of each kind once, in events, log and run.json', async () => {
    const warn = (time: number) => [
      ...(time > 0.22 ? [`${Math.round(100 * time)} contacts found no room: overlap of ${time} m`] : []),
      ...(time > 0.52 ? ['cube2 is torn'] : []),
      ...(time > 0.62 ? ['cube3 is torn'] : []),
    ];
    const expected = [
      'cube: is thin',
      '25 contacts found no room: overlap of 0.25 m',
      'cube2 is torn',
      'cube3 is torn',
    ];
    const logged = (out: string) =>
      readFileSync(join(out, 'log.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'warning')
        .map(({ message }) => message);
    const messages = (events: RunEvent[]) =>
      events.flatMap((event) => (event.event === 'warning' ? event.message : []));
    const whole = job();
    const { events } = await run(whole, fakeCore(undefined, warn));
    expect(messages(events)).toEqual(expected);
    expect(logged(whole.out)).toEqual(expected);
    expect(JSON.parse(readFileSync(join(whole.out, 'run.json'), 'utf8')).warnings).toEqual(expected);

    const parts = job();
    const first = await run(
      parts,
      fakeCore(undefined, warn),
      (event) => event?.event === 'frame' && event.frame === 11,
    );
    const second = await run({ ...parts, resume: true }, fakeCore(undefined, warn));
    expect(messages(first.events)).toEqual(expected.slice(0, 3));
    expect(messages(second.events)).toEqual(expected.slice(3));
    expect(logged(parts.out)).toEqual(expected);
  });

  it('never takes a folder for a run because of the names in it', async () => {
    for (const names of [['scene.json'], ['scene.json', 'probes.csv', 'log.jsonl'], ['checkpoint'], ['run.json']]) {
      const task = job();
      mkdirSync(task.out);
      for (const name of names) writeFileSync(join(task.out, name), '{"phyxel": 1}');
      for (const resume of [false, true]) {
        expect(await error(run({ ...task, resume }))).toMatchObject({
          exitCode: 2,
          message: expect.stringContaining('is no run folder'),
        });
        expect(readdirSync(task.out).sort()).toEqual([...names].sort());
        for (const name of names) expect(readFileSync(join(task.out, name), 'utf8')).toBe('{"phyxel": 1}');
      }
    }
    const frames = job();
    mkdirSync(join(frames.out, 'frames'), { recursive: true });
    writeFileSync(join(frames.out, 'frames', frameFileName(0)), 'mine');
    expect((await error(run(frames))).message).toContain('is no run folder');
  });

  it('never replaces its own inputs', async () => {
    const task = job();
    await run(task, fakeCore(), (event) => event?.event === 'frame' && event.frame === 5);
    const before = results(task.out);
    const link = join(folder, 'link.json');
    symlinkSync(join(task.out, 'scene.json'), link);
    const outLink = join(folder, 'out-link');
    symlinkSync(task.out, outLink);
    writeFileSync(join(folder, 'mine.yaml'), SCENE);
    const inside = (name: string) => join(task.out, name);
    const text = SCENE.replace('a.ply', `${basename(task.out)}/frames/${frameFileName(2)}`);
    const refusals: Partial<RunJob>[] = [
      { sceneFile: inside('scene.json') },
      { sceneFile: link },
      { sceneFile: inside('scene.json'), out: outLink },
      { sceneFile: join(outLink, 'scene.json') },
      { scene: parseScene(text, 'scene.yaml').scene },
    ];
    for (const changes of refusals) {
      expect(await error(run({ ...task, ...changes }))).toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/is an input of the run, which would replace it in .*; choose another folder/),
      });
      expect(results(task.out)).toEqual(before);
    }
    // A link in the run folder that leads to the scene would go too.
    rmSync(inside('probes.csv'));
    symlinkSync(join(folder, 'mine.yaml'), inside('probes.csv'));
    for (const sceneFile of [join(folder, 'mine.yaml'), inside('probes.csv')]) {
      expect((await error(run({ ...task, sceneFile }))).message).toContain('is an input of the run');
    }
    rmSync(inside('probes.csv'));
    // Going on leaves scene.json alone.
    expect((await run({ ...task, sceneFile: inside('scene.json'), resume: true })).result).toBe('finished');
    expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe(SCENE);
  });

  it('never touches what it did not write', async () => {
    const foreign = job();
    mkdirSync(foreign.out);
    writeFileSync(join(foreign.out, 'thesis.txt'), 'years of work');
    for (const resume of [false, true]) {
      const refused = await error(run({ ...foreign, resume }));
      expect(refused).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('is not empty and is no run folder'),
      });
      expect(readdirSync(foreign.out)).toEqual(['thesis.txt']);
    }
    const again = job();
    await run(again);
    writeFileSync(join(again.out, 'notes.txt'), 'mine');
    writeFileSync(join(again.out, 'frames', 'picture.png'), 'mine');
    await run({ ...again, frames: 3, force: true });
    expect(readFileSync(join(again.out, 'notes.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(join(again.out, 'frames')).sort()).toEqual([...[0, 1, 2, 3].map(frameFileName), 'picture.png']);
  });

  it('that breaks down names particle, pass, time and the last good checkpoint', async () => {
    const task = job();
    const failure = await error(run(task, fakeCore(0.52)));
    expect(failure.exitCode).toBe(3);
    expect(failure.message).toMatch(
      /^a position is not finite \(particle 3, pass stress, time 0\.5\d* s\); the last good checkpoint is frame 0 in .*checkpoint$/,
    );
    const document = JSON.parse(readFileSync(join(task.out, 'run.json'), 'utf8'));
    expect(document).toMatchObject({ status: 'failed', framesDone: 10 });
    expect(document.error).toContain('particle 3');
    expect(existsSync(join(task.out, 'checkpoint'))).toBe(true);
  });

  it('says in one line when it cannot write', async () => {
    const task = job();
    writeFileSync(task.out, 'a file');
    expect((await error(run(task))).message).not.toContain('\n');
    const full = job();
    const core = fakeCore();
    const failing: Core = {
      ...core,
      async loadScene(scene, options) {
        const world = await core.loadScene(scene, options);
        world.save = () => {
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
            code: 'ENOSPC',
            syscall: 'write',
          });
        };
        return world;
      },
    };
    expect(await error(run(full, failing))).toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/the disk is full; there is no checkpoint yet/),
    });
    expect((await run({ ...full, resume: true })).result).toBe('finished');
  });
});

const SHELF = `phyxel: 1
static: true
duration: 3
bodies: [{ name: shelf, shape: { box: { size: [0.4, 0.1, 0.1] } }, spacing: 0.025, material: { youngsModulus: 1e6 } }]
constraints: [{ body: shelf, region: { box: { min: [-1, -1, -1], max: [-0.15, 1, 1] } }, fix: true }]
probes: [{ name: tip, body: shelf, region: { box: { min: [0.17, -1, -1], max: [1, 1, 1] } }, quantity: displacement }]
`;
const LOOSE = SHELF.replace(/constraints.*\n/, '').replace('0.025', '0.05');

describe('an equilibrium', () => {
  const document = (out: string) => JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  const logged = (out: string) =>
    readFileSync(join(out, 'log.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'frame');

  it('is a run of one frame after the start', async () => {
    const task = job({ text: SHELF, frames: 1 });
    const { result, events } = await run(task, core);
    expect(result).toBe('finished');
    const { frames, ...rest } = document(task.out);
    expect(rest).toMatchObject({
      status: 'finished',
      static: true,
      frameCount: 1,
      framesDone: 1,
      steps: 1,
      timeStep: { smallest: null, largest: null, limitedBy: { balance: 1 } },
    });
    expect(frames).toHaveLength(2);
    expect(frames[0]).toMatchObject({ steps: 0, timeStep: 0, newtonIterations: 0, iterations: 0, retries: 0 });
    expect(frames[1]).toMatchObject({ steps: 1, timeStep: 0, limitedBy: 'balance', maximumSpeed: 0 });
    const { newtonIterations, iterations, retries, residual } = frames[1];
    expect(newtonIterations).toBeGreaterThan(0);
    expect(iterations).toBeGreaterThan(newtonIterations);
    expect(residual).toBeLessThan(1e-3);
    expect(rest.solution).toEqual({ newtonIterations, iterations, retries, residual });
    expect(logged(task.out)[1]).toMatchObject({ frame: 1, newtonIterations, iterations, retries, residual });
    expect(events.map(({ event }) => event)).toEqual(['start', 'frame', 'done']);
    expect(events[0]).toMatchObject({ static: true });
    expect(events[1]).toMatchObject({ limitedBy: 'balance', iterations });
    expect(events[2]).toMatchObject({ static: true, frame: 1, frames: 1, newtonIterations, iterations });
    // It hangs down, and is at rest there.
    const rows = readFileSync(join(task.out, 'probes.csv'), 'utf8').trimEnd().split('\n');
    expect(rows).toHaveLength(3);
    const sag = rows.slice(1).map((row) => Number(row.split(',')[2]));
    expect(Math.abs(sag[0]!)).toBeLessThan(1e-12);
    expect(sag[1]).toBeLessThan(-1e-3);
    const { arrays } = decodeFrame(readFileSync(join(task.out, 'frames', frameFileName(1))));
    expect(arrays[1]!.values.every((v) => v === 0)).toBe(true);
  });

  it('that was interrupted is found again, to the same bits', async () => {
    const whole = job({ text: SHELF, frames: 1 });
    await run(whole, core);
    const killed = job({ text: SHELF, frames: 1 });
    const failing: Core = {
      ...core,
      async loadScene(scene, options) {
        const world = await core.loadScene(scene, options);
        world.solveStatic = () => expect.fail('killed');
        return world;
      },
    };
    await error(run(killed, failing));
    expect(document(killed.out)).toMatchObject({ status: 'running', framesDone: 0 });
    expect((await run({ ...killed, resume: true }, core)).result).toBe('finished');
    expect(results(killed.out)).toEqual(results(whole.out));
    // Once more has nothing to do.
    const { events } = await run({ ...killed, resume: true }, core);
    expect(events.map(({ event }) => event)).toEqual(['start', 'done']);
    expect(events[1]).toEqual({ ...events[1], static: true, iterations: document(whole.out).solution.iterations });
    expect(results(killed.out)).toEqual(results(whole.out));
  });

  it('that does not exist is an error of the simulation, with what may help', async () => {
    const task = job({ text: LOOSE, frames: 1 });
    const failure = await error(run(task, core));
    expect(failure.exitCode).toBe(3);
    expect(failure.message).toMatch(
      /^no equilibrium was found: particle \d+ .*needs constraints that hold it in place.*the last good checkpoint is frame 0 in/,
    );
    expect(document(task.out)).toMatchObject({ status: 'failed', framesDone: 0 });
  });
});

describe('implicit motion', () => {
  it('records its iterations, and explicit motion has none', async () => {
    const text = (integrator: string) =>
      `${SHELF.replace('static: true', 'frameRate: 30')}solver: { solid: { integrator: ${integrator} } }`;
    const task = job({ text: text('implicit'), frames: 2 });
    const { events } = await run(task, core);
    const { frames, solution, timeStep } = JSON.parse(readFileSync(join(task.out, 'run.json'), 'utf8'));
    expect(frames[0]).toMatchObject({ timeStep: 1 / 30, limitedBy: 'frame', newtonIterations: 0 });
    for (const frame of frames.slice(1)) {
      expect(frame).toMatchObject({ steps: 1, timeStep: expect.closeTo(1 / 30, 12), limitedBy: 'frame', retries: 0 });
      expect(frame.iterations).toBeGreaterThan(0);
      expect(frame).not.toHaveProperty('residual');
    }
    expect(solution).toEqual({
      newtonIterations: frames[1].newtonIterations + frames[2].newtonIterations,
      iterations: frames[1].iterations + frames[2].iterations,
      retries: 0,
    });
    expect(timeStep.largest).toBeCloseTo(1 / 30, 12);
    expect(events.at(-1)).toMatchObject({ event: 'done', ...solution });

    const explicit = job({ text: text('explicit'), frames: 1 });
    const plain = await run(explicit, core);
    const other = readFileSync(join(explicit.out, 'run.json'), 'utf8') + JSON.stringify(plain.events);
    expect(other).not.toMatch(/terations|retries|solution|static/);
    expect(readFileSync(join(explicit.out, 'log.jsonl'), 'utf8')).not.toContain('terations');
  });
});
